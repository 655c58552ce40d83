//! What the model replies: the same to the same request, so that a call that is made again brings nothing new.

use fakes::scholar::{scholar, wanted};
use fakes::{Judgement, Say, Seen, Statement, address_of, crew, is_reader, readings, statements};
use serde_json::{Value, json};

use super::orders::Kind;

/// Replies to a request of a run of this kind.
pub(super) fn reply(kind: Kind, seen: &Seen) -> Say {
    if is_reader(seen) {
        return Say::json(&readings(seen, |_| Judgement::Supported));
    }
    match kind {
        Kind::Direct => Say::json(&json!({"text": "It was removed in 1854.", "assumptions": []})),
        Kind::Documents | Kind::Check => quote(seen),
        Kind::Deep => research(seen),
        Kind::Brief => analyse(seen),
        Kind::Market => crew(seen),
        Kind::Hypothesize => scholar(seen),
        Kind::Debate => argue(seen),
    }
}

/// Returns the first sentence of each passage.
fn sentences(seen: &Seen) -> Vec<Statement> {
    let mut found = statements(&seen.prompt());
    found.retain(|statement| statement.text.ends_with('.'));
    found.dedup_by_key(|statement| statement.passage().to_owned());
    found
}

/// States what the first two passages say.
fn quote(seen: &Seen) -> Say {
    let said: Vec<String> = sentences(seen)
        .iter()
        .take(2)
        .map(|statement| format!("{} [{}]\n", statement.text, statement.address))
        .collect();
    Say::text(format!("{}\nOpen: The documents do not say who removed it.\n", said.concat()))
}

/// Plans one look into the documents, and writes from what is found.
fn research(seen: &Seen) -> Say {
    match wanted(seen).as_str() {
        "Drafted" if seen.prompt().contains("Your earlier plan") => Say::json(&json!({"plan": []})),
        "Drafted" => Say::json(&json!({
            "plan": [
                {"id": "handle", "type": "retrieve_rag", "inputs": {"query": "pump handle removed"}},
                {"id": "deaths", "type": "retrieve_rag", "inputs": {"query": "deaths in Soho"}},
                {"id": "answer", "type": "synthesize"},
            ],
            "budgets": {"max_steps": 6, "max_questions": 0},
        })),
        "Assessment" => Say::json(&json!({"blocks": false, "assumption": "It is as told."})),
        _ => quote(seen),
    }
}

const TOP: &str = "share(Q5=top2, study=W2)";

/// Plays the agents of a brief: one figure, one finding, one draft.
fn analyse(seen: &Seen) -> Say {
    let prompt = seen.prompt();
    match wanted(seen).as_str() {
        "ExplorationOutput" => Say::json(&match address_of(&prompt, TOP) {
            None => {
                let figure =
                    json!({"tool": "perform_analysis", "analysis": "figure", "expression": TOP});
                json!({ "calls": [figure] })
            }
            Some(address) => json!({"findings": [{
                "claim": satisfied(&prompt), "depth": "what", "rests_on": [address], "confidence": "high",
            }]}),
        }),
        "CriticDirective" => Say::json(&json!({"has_new_angle": false})),
        "Drafted" => {
            let said = json!([{"text": satisfied(&prompt), "rests_on": ["C1"]}]);
            Say::json(&json!({"title": "Who is satisfied", "overview": said, "key_findings": said}))
        }
        "Judged" => Say::json(&json!({"approved": true, "score": 9, "factual_grounding": 9,
            "clarity": 9, "completeness": 9, "tone": 9, "revision_notes": []})),
        _ => Say::text("None of them can be mended."),
    }
}

fn satisfied(prompt: &str) -> String {
    let begins = format!("{TOP} = ");
    let behind = prompt.split_once(&begins).map_or("", |(_, behind)| behind);
    let share = behind.split(" (").next().unwrap_or_default();
    format!("In W2, {share} of passengers are satisfied all in all.")
}

/// Plays both scientists of a debate; nothing is run.
fn argue(seen: &Seen) -> Say {
    let evidence: Vec<Value> = sentences(seen)
        .iter()
        .take(2)
        .map(|statement| json!({"text": statement.text, "cites": [statement.address]}))
        .collect();
    match wanted(seen).as_str() {
        "Proposal" => Say::json(&json!({
            "position": [{"text": "I hold that the pump explains it."}],
            "synthesis": evidence,
            "explanation": [{"text": "No code is needed to count them."}],
            "code": {"language": "python", "source": ""},
            "next_step": [{"text": "Compare it with the workhouse."}],
            "agreement": "DISAGREE", "viability": "VIABLE", "conclusion": "The pump explains it.",
        })),
        "Review" => Say::json(&json!({
            "critique": [{"text": "That leaves the brewery out."}],
            "synthesis": evidence,
            "next_step": [{"text": "Look at the brewery."}],
            "agreement": "AGREE", "viability": "VIABLE", "validation": "N/A", "answer": "UNVERIFIED",
            "verification_reason": "Nothing was run.", "conclusion": "It holds as far as it goes.",
        })),
        _ => Say::text("None of them can be mended."),
    }
}
