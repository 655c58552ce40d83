//! A model that plays every agent of `hypothesize` as it is told to.

use crate::{Judgement, Say, Seen, Statement, readings, statements};
use serde_json::{Value, json};

/// Returns the type of the reply that is asked for, which is an agent's own.
pub fn wanted(seen: &Seen) -> String {
    seen.body["response_format"]["json_schema"]["name"].as_str().unwrap_or_default().to_owned()
}

/// Plays whichever agent is asked.
pub fn scholar(seen: &Seen) -> Say {
    match wanted(seen).as_str() {
        "Framing" => Say::json(&framing()),
        "Survey" => Say::json(&survey(seen)),
        "Generated" => Say::json(&json!({"hypotheses": hypotheses(seen)})),
        "Critique" => Say::json(&critique(seen)),
        "Judgements" => Say::json(&judgements(seen, |_, _| "a")),
        "Composed" => Say::json(&json!({"summa_rendering": summa(seen)})),
        "Readings" => Say::json(&readings(seen, |_| Judgement::Supported)),
        "" => Say::text("Nothing of it can be saved."),
        other => Say::Error { status: 400, message: format!("who is {other}?"), headers: vec![] },
    }
}

/// The reply of the agent that frames the question.
pub fn framing() -> Value {
    json!({
        "restatement": "Which conditions in autumn raise the share of colonies that die before spring?",
        "key_terms": ["Apis mellifera", "winter mortality"],
        "constraints": ["It has to explain why some apiaries are spared."],
        "assumptions": ["Colonies are managed."],
        "refined_query": "Apis mellifera overwintering mortality",
    })
}

/// The second sentence of each passage: what the paper found.
pub fn found(prompt: &str) -> Vec<Statement> {
    let all = statements(prompt);
    let is_sentence = |one: &&Statement| !one.text.starts_with('#');
    let mut passages: Vec<&str> = all.iter().map(Statement::passage).collect();
    passages.dedup();
    let second = |passage: &&str| {
        let mut own = all.iter().filter(|one| one.passage() == *passage).filter(is_sentence);
        let first = own.next()?;
        Some(own.next().unwrap_or(first).clone())
    };
    passages.iter().filter_map(second).collect()
}

/// Returns a statement as a sentence that cites it.
pub fn cited(statement: &Statement) -> Value {
    json!({"text": statement.text, "cites": [statement.address]})
}

fn survey(seen: &Seen) -> Value {
    let findings: Vec<Value> = found(&seen.prompt()).iter().map(cited).collect();
    json!({"findings": findings, "gaps": ["It is open which of these comes first."]})
}

const IDEAS: [(&str, &str, &str); 5] = [
    (
        "Mites first",
        "Colonies die because mites weaken the bees that are raised in September.",
        "Parasitised pupae emerge with little vitellogenin.",
    ),
    (
        "Hunger for protein",
        "A shortage of pollen before October leaves nurses unable to survive until March.",
        "Without amino acids the fat body stays small.",
    ),
    (
        "Cold clusters",
        "Residues of insecticides stop thermogenesis, so that clusters freeze in long frosts.",
        "Flight muscles no longer shiver at the needed rate.",
    ),
    (
        "Virus load",
        "Viral replication passes a threshold at solstice and kills foragers faster than they are replaced.",
        "Deformed wings end flight and cleaning.",
    ),
    (
        "False spring",
        "Warm weeks in February make queens lay before food can be collected.",
        "Brood consumes the stores that the cluster needs.",
    ),
];

/// Five hypotheses, each borne out by a passage as long as there are any.
pub fn hypotheses(seen: &Seen) -> Vec<Value> {
    let shown = found(&seen.prompt());
    let ideas = IDEAS.iter().enumerate().map(|(index, (title, statement, mechanism))| {
        let support: Vec<Value> = shown.get(index).map(cited).into_iter().collect();
        json!({
            "title": title, "statement": statement, "mechanism": mechanism,
            "novelty_rationale": "No abstract names this order of events.",
            "plausibility_rationale": "It joins two findings.",
            "testability_rationale": "Both ends can be measured.",
            "impact_rationale": "Treatment would move to another month.",
            "falsifiable_predictions": ["Treated apiaries lose fewer colonies; if they do not, it is refuted."],
            "minimal_experiments": ["Treat half of forty colonies and count the dead in March."],
            "support": support,
        })
    });
    ideas.collect()
}

/// The ids of the hypotheses that a prompt shows, in their order.
fn ids(prompt: &str) -> Vec<String> {
    let mut ids: Vec<String> = Vec::new();
    for line in prompt.lines() {
        let id = line.split(':').next().unwrap_or_default();
        let is_id = id.strip_prefix('H').is_some_and(|rest| rest.parse::<u32>().is_ok());
        if is_id && !ids.iter().any(|known| known == id) {
            ids.push(id.to_owned());
        }
    }
    ids
}

/// Three objections to every hypothesis, with replies, and nothing revised.
pub fn critique(seen: &Seen) -> Value {
    let reviews: Vec<Value> = ids(&seen.prompt())
        .into_iter()
        .map(|id| {
            let objections: Vec<Value> = ["another cause may act", "the step may fail", "others predict the same"]
                .iter()
                .map(|why| json!({"objection": format!("Against {id}: {why}."), "cites": [], "reply": format!("For {id}: the test decides.")}))
                .collect();
            json!({"hypothesis_id": id, "objections": objections, "revised_statement": "", "revised_mechanism": ""})
        })
        .collect();
    json!({"reviews": reviews})
}

/// The pairs that a prompt asks about.
pub fn pairs(prompt: &str) -> Vec<(String, String)> {
    let pair = |line: &str| {
        let (a, b) = line.strip_prefix("a: ")?.split_once(", b: ")?;
        Some((a.to_owned(), b.to_owned()))
    };
    prompt.lines().filter_map(pair).collect()
}

/// Judges every pair that is asked about.
pub fn judgements(seen: &Seen, winner: impl Fn(&str, &str) -> &'static str) -> Value {
    let comparisons: Vec<Value> =
        pairs(&seen.prompt()).iter().map(|(a, b)| comparison(a, b, winner(a, b))).collect();
    json!({"comparisons": comparisons})
}

/// A judgement of one pair, the same in every dimension.
pub fn comparison(a: &str, b: &str, winner: &str) -> Value {
    json!({
        "hypothesis_a_id": a, "hypothesis_b_id": b,
        "winner_novelty": winner, "winner_plausibility": winner, "winner_testability": winner,
        "winner_impact": winner, "winner_grounding": winner, "reason": "as it seems",
    })
}

/// A *quaestio* for each block that is wanted, the answer of each with a mark.
pub fn summa(seen: &Seen) -> String {
    let prompt = seen.prompt();
    let wanted = prompt.lines().skip_while(|line| *line != "## Blocks wanted").nth(1);
    let blocks: usize = wanted.and_then(|line| line.trim().parse().ok()).unwrap_or(1);
    let shown = found(&prompt);
    let block = |index: usize| {
        let authority = shown
            .get(index)
            .map_or_else(String::new, |one| format!("{} [{}]", one.text, one.address));
        format!(
            "Question: Whether the idea of block {} holds?\n\nObjections:\n1. It would seem not.\n2. Nor otherwise.\n3. Nor at all.\n\n\
             On the contrary, a rival speaks.\n\nI answer that it may hold. {authority}\n\n\
             Replies to objections:\nReply to Objection 1. It seems only.\nReply to Objection 2. The test decides.\nReply to Objection 3. It does.",
            index + 1
        )
    };
    (0..blocks).map(block).collect::<Vec<_>>().join("\n\n---\n\n")
}
