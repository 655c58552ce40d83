//! Whole briefs over the example survey: a model plays the four agents through the program, and the data have the last word.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use fakes::{FakeModel, Judgement, Say, Seen, address_of, is_reader, readings};
use serde_json::{Value, json};

use crate::stand::{Stand, Told};
use fakes::scholar::wanted;

const QUESTION: &str = "How satisfied are passengers, and who is not?";
const TOP: &str = "share(Q5=top2, study=W2)";
const DIVIDED: &str = "share(Q5=top2, segment=age_group:55 and over, study=W2) - share(Q5=top2, segment=age_group:18-34, study=W2)";

fn locate_survey() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/survey").canonicalize().unwrap()
}

/// How the agents behave; what is not said is as it should be.
#[derive(Default)]
struct Play {
    /// What the explore critic says in round n, from 1.
    critic: Option<fn(usize) -> Value>,
    /// What the refine critic says of draft n, from 1.
    judge: Option<fn(usize) -> Value>,
    /// Sentences that the synthesizer puts into the key findings of draft n.
    said: Option<fn(usize) -> Vec<Value>>,
    /// Findings that the worker adds to those of round n.
    found: Option<fn(usize) -> Vec<Value>>,
    /// Whether the synthesizer says nothing that is so.
    lies: bool,
    /// What the critic of the simple loop says in round n.
    feedback: Option<fn(usize) -> &'static str>,
}

fn angle(stage: &str) -> Value {
    json!({"has_new_angle": true, "next_stage": stage, "follow_up_query": format!("And {stage}?")})
}

fn no_angle() -> Value {
    json!({"has_new_angle": false})
}

/// Goes through the layers, and then has no new angle.
fn steady(round: usize) -> Value {
    match round {
        1 => angle("why"),
        2 => angle("how"),
        _ => no_angle(),
    }
}

fn scores(approved: bool, score: u32) -> Value {
    json!({"approved": approved, "score": score, "factual_grounding": score, "clarity": score,
        "completeness": score, "tone": score, "revision_notes": if approved { vec![] } else { vec!["Say it shorter."] }})
}

/// Returns what the program says an expression comes to, as it is shown.
fn shown(prompt: &str, expression: &str) -> String {
    let begins = format!("{expression} = ");
    let at = prompt.find(&begins).unwrap_or_else(|| panic!("{expression} is not in {prompt}"));
    let rest = &prompt[at + begins.len()..];
    rest[..rest.find(" (").unwrap()].to_owned()
}

fn satisfied(prompt: &str) -> String {
    format!("In W2, {} of passengers are satisfied all in all.", shown(prompt, TOP))
}

/// The program's own statement, word for word.
fn divided(prompt: &str) -> String {
    let address = address_of(prompt, DIVIDED).unwrap_or_else(|| panic!("{prompt}"));
    let begins = format!("[{address}] ");
    prompt.lines().find_map(|line| line.strip_prefix(&begins)).unwrap().to_owned()
}

const ASK: &str = "Ask 18-34 first what they would change.";
const PLAN: &str = "Plan for 18-34 on their own.";
const GAP: &str = "What lies behind these answers is not in the data.";

fn analyse(analysis: &str, by: &str) -> Value {
    json!({"tool": "perform_analysis", "analysis": analysis, "question": "Q5", "study": "W2", "by": by})
}

fn worker(play: &Play, seen: &Seen, round: usize) -> Value {
    let prompt = seen.prompt();
    let depth = prompt.split("## Depth\n").nth(1).unwrap_or_default();
    let has_figures = prompt.contains("## What the tools returned");
    let call = |calls: Vec<Value>| json!({ "calls": calls });
    let on = |expression: &str| vec![address_of(&prompt, expression).unwrap()];
    let mut report = if depth.starts_with("WHY") {
        if !has_figures {
            return call(vec![analyse("crosstab", "age_group")]);
        }
        json!({"findings": [{"claim": divided(&prompt), "depth": "why", "rests_on": on(DIVIDED)}]})
    } else if depth.starts_with("HOW") {
        json!({"findings": [{"claim": ASK, "depth": "how"}, {"claim": PLAN, "depth": "how", "rests_on": ["C2"]}], "data_gaps": [GAP]})
    } else {
        if !has_figures {
            let search = json!({"tool": "search_questions", "query": "satisfied"});
            return call(vec![
                search,
                json!({"tool": "segment_metadata"}),
                analyse("top_2_box", ""),
            ]);
        }
        json!({"findings": [{"claim": satisfied(&prompt), "depth": "what", "rests_on": on(TOP), "confidence": "high"}]})
    };
    let more = play.found.map(|found| found(round)).unwrap_or_default();
    report["findings"].as_array_mut().unwrap().extend(more);
    report
}

fn draft(play: &Play, seen: &Seen, round: usize) -> Value {
    let prompt = seen.prompt();
    let said = |text: String, rests_on: &str| json!({"text": text, "rests_on": [rests_on]});
    let id = |claim: &str| -> String {
        let mut findings = prompt.lines().filter(|line| line.starts_with("[C"));
        let line = findings
            .find(|line| line.contains(claim))
            .unwrap_or_else(|| panic!("{claim} is not in {prompt}"));
        line.split_whitespace().next().unwrap().to_owned()
    };
    let mut key = vec![said(divided(&prompt), &id(&divided(&prompt)))];
    key.extend(play.said.map(|said| said(round)).unwrap_or_default());
    // Where the rounds did not reach HOW, nothing follows.
    let follows = |claim: &str| match prompt.contains(claim) {
        true => vec![said(claim.into(), &id(claim))],
        false => vec![],
    };
    if play.lies {
        return json!({"title": "Who is satisfied", "overview": [wrong()], "key_findings": [wrong()]});
    }
    json!({
        "title": "Who is satisfied",
        "overview": [said(satisfied(&prompt), &id(&satisfied(&prompt)))],
        "key_findings": key,
        "strategic_implications": follows(PLAN),
        "risks_and_caveats": if prompt.contains(GAP) { vec![said(GAP.into(), "g1")] } else { vec![] },
        "recommended_actions": follows(ASK),
    })
}

/// A model that plays all of them.
fn team(play: Play) -> FakeModel {
    let counts: Arc<Mutex<BTreeMap<String, usize>>> = Arc::default();
    FakeModel::start(move |seen| {
        if is_reader(seen) {
            return Say::json(&readings(seen, |_| Judgement::Supported));
        }
        let role = wanted(seen);
        let count = {
            let mut counts = counts.lock().unwrap();
            let count = counts.entry(role.clone()).or_default();
            *count += 1;
            *count
        };
        match role.as_str() {
            "ExplorationOutput" => Say::json(&worker(&play, seen, count)),
            "CriticDirective" => Say::json(&play.critic.unwrap_or(steady)(count)),
            "Drafted" => Say::json(&draft(&play, seen, count)),
            "Judged" => Say::json(&play.judge.unwrap_or(|_| scores(true, 9))(count)),
            "Feedback" => {
                let feedback = play.feedback.map_or("", |feedback| feedback(count));
                Say::json(&json!({ "feedback": feedback }))
            }
            // What did not hold is not mended.
            _ => Say::text("None of them can be mended."),
        }
    })
}

fn briefed(play: Play, more: &[&str]) -> (Value, Told) {
    let model = team(play);
    let stand = Stand::with_model(&model.base_url());
    let survey = locate_survey();
    let told = stand.run(
        &[&["brief", QUESTION, "--data", survey.to_str().unwrap(), "--format", "json"], more]
            .concat(),
    );
    assert_eq!(told.code, 0, "{told:?}");
    let deliverable = told.json()["deliverable"].clone();
    valid(&deliverable);
    grows(&deliverable);
    (deliverable, told)
}

fn valid(deliverable: &Value) {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../schemas/brief_schema.json");
    let schema: Value = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    let validator = jsonschema::validator_for(&schema).unwrap();
    let wrong: Vec<String> =
        validator.iter_errors(deliverable).map(|error| error.to_string()).collect();
    assert!(wrong.is_empty(), "{wrong:?}\n{deliverable:#}");
}

/// The bank is everything that the rounds added, in their order: nothing was taken out or replaced.
fn grows(deliverable: &Value) {
    let history = deliverable["history"].as_array().unwrap();
    let rounds = history.iter().filter(|one| one["step"] == "explore_worker");
    let added: Vec<&Value> =
        rounds.flat_map(|one| one["details"]["findings"].as_array().unwrap()).collect();
    let bank: Vec<&Value> = deliverable["finding_bank"].as_array().unwrap().iter().collect();
    assert_eq!(added, bank, "{deliverable:#}");
    for (at, finding) in bank.iter().enumerate() {
        assert_eq!(finding["id"], format!("c{}", at + 1));
    }
}

fn steps(deliverable: &Value) -> Vec<&str> {
    let history = deliverable["history"].as_array().unwrap();
    history.iter().map(|one| one["step"].as_str().unwrap()).collect()
}

fn stages(deliverable: &Value) -> Vec<&str> {
    let history = deliverable["history"].as_array().unwrap();
    let rounds = history.iter().filter(|one| one["step"] == "explore_worker");
    rounds.map(|one| one["stage"].as_str().unwrap()).collect()
}

// proves: B1, B2, B3, B4, B5
#[test]
fn a_brief_goes_through_the_layers_until_there_is_no_new_angle_and_is_approved() {
    let (brief, told) = briefed(Play::default(), &[]);
    let stats = &brief["pipeline_stats"];
    assert_eq!(stats["explore_iterations"], 3, "{brief:#}");
    assert_eq!(stats["explore_ended"], "no_new_angle");
    assert_eq!(stats["refine_iterations"], 1);
    assert_eq!(stats["refine_ended"], "approved");
    assert_eq!(stats["final_score"], 9);
    assert_eq!(stages(&brief), ["what", "why", "how"]);
    assert_eq!(
        (&stats["findings_what"], &stats["findings_why"], &stats["findings_how"]),
        (&json!(1), &json!(1), &json!(2))
    );
    assert_eq!(brief["studies_used"], json!(["W2"]));
    assert_eq!(brief["studies_unused"], json!(["W1"]));
    let covered = brief["segments_covered"].as_array().unwrap();
    assert_eq!(covered.len(), 3, "every age was looked at: {covered:?}");
    assert!(brief["segments_uncovered"].as_array().unwrap().len() > 3);
    assert_eq!(brief["verdict"]["approved"], true);
    assert_eq!(brief["title"], "Who is satisfied");
    let key = brief["key_findings"][0].as_str().unwrap();
    assert!(key.ends_with("[2]"), "{key}");
    // Each mark leads to a statement of the program's, and to its figures.
    let result = told.json();
    let citations = result["citations"].as_array().unwrap();
    assert_eq!(citations.len(), 2);
    for citation in citations {
        assert!(citation["source_uri"].as_str().unwrap().starts_with("survey://W2/Q5"));
        assert!(citation["quote"].as_str().unwrap().contains(" (base"));
    }
    assert_eq!(brief["cited"].as_array().unwrap().len(), 2);
    assert_eq!(brief["cited"][1]["figures"][2]["expression"], DIVIDED, "{brief:#}");
    assert_eq!(brief["cited"][1]["text"], citations[1]["quote"]);
    assert_eq!(result["grounding"]["supported"], 1);
    assert_eq!(result["grounding"]["recomputed"], 1);
    assert_eq!(result["grounding"]["inferred"], 2);
    assert_eq!(result["grounding"]["unsupported"], 0);
}

// proves: B2
#[test]
fn the_exploration_ends_after_as_many_rounds_as_are_allowed() {
    let restless = |round| if round < 3 { steady(round) } else { angle("what") };
    let play = || Play { critic: Some(restless), ..Play::default() };
    let (brief, _) = briefed(play(), &[]);
    let stats = &brief["pipeline_stats"];
    assert_eq!(
        (&stats["explore_iterations"], &stats["explore_ended"]),
        (&json!(4), &json!("max_explore_iters"))
    );
    assert_eq!(stages(&brief), ["what", "why", "how", "what"], "one may go back");
    let (brief, _) = briefed(play(), &["--max-explore", "3"]);
    assert_eq!(brief["pipeline_stats"]["explore_iterations"], 3);
    assert_eq!(brief["pipeline_stats"]["explore_ended"], "max_explore_iters");
}

// proves: B2
#[test]
fn a_draft_that_is_never_approved_is_revised_as_often_as_is_allowed() {
    let play = || Play { judge: Some(|_| scores(false, 5)), ..Play::default() };
    let (brief, _) = briefed(play(), &[]);
    let stats = &brief["pipeline_stats"];
    assert_eq!(
        (&stats["refine_iterations"], &stats["refine_ended"]),
        (&json!(3), &json!("max_refine_iters"))
    );
    assert_eq!(brief["verdict"]["approved"], false);
    assert!(!brief["key_findings"].as_array().unwrap().is_empty(), "what checks out is delivered");
    let drafts = steps(&brief).into_iter().filter(|step| *step == "synthesizer").count();
    assert_eq!(drafts, 3);
    let (brief, _) = briefed(play(), &["--max-refine", "1"]);
    assert_eq!(brief["pipeline_stats"]["refine_iterations"], 1);
}

// proves: B2
#[test]
fn a_critic_that_skips_a_layer_or_ends_before_the_last_one_is_corrected() {
    // From WHAT straight to HOW, and then to an end.
    let hasty = |round| if round == 1 { angle("how") } else { no_angle() };
    let (brief, told) = briefed(Play { critic: Some(hasty), ..Play::default() }, &[]);
    assert_eq!(stages(&brief), ["what", "why", "how"]);
    let history = brief["history"].as_array().unwrap();
    let corrected: Vec<bool> = history
        .iter()
        .filter(|one| one["step"] == "explore_critic")
        .map(|one| one["details"]["corrected"].as_bool().unwrap())
        .collect();
    assert_eq!(corrected, [true, true, false], "{history:#?}");
    assert_eq!(brief["pipeline_stats"]["explore_ended"], "no_new_angle");
    assert!(told.err.contains("WHY was not looked at yet"), "{told:?}");
}

fn wrong() -> Value {
    json!({"text": "In W2, 71.3 % of passengers are satisfied.", "rests_on": ["C1"]})
}

// proves: B3, B6
#[test]
fn an_approval_with_a_wrong_number_is_overruled_and_the_number_never_reaches_the_summary() {
    let play = Play {
        judge: Some(|_| scores(true, 10)),
        said: Some(|_| vec![wrong()]),
        ..Play::default()
    };
    let (brief, told) = briefed(play, &[]);
    let stats = &brief["pipeline_stats"];
    assert_eq!(
        (&stats["refine_iterations"], &stats["refine_ended"]),
        (&json!(3), &json!("max_refine_iters"))
    );
    assert_eq!(brief["verdict"]["approved"], false);
    assert!(brief["verdict"]["overruled"].as_str().unwrap().contains("check out"), "{brief:#}");
    assert_eq!(stats["sentences_cut"], 1);
    for part in [
        "overview",
        "key_findings",
        "strategic_implications",
        "risks_and_caveats",
        "recommended_actions",
        "statements",
        "finding_bank",
    ] {
        assert!(!brief[part].to_string().contains("71.3"), "{part}");
    }
    assert_eq!(told.json()["grounding"]["unsupported"], 1);
    // A synthesizer that mends it is approved.
    let mended = |round| if round == 1 { vec![wrong()] } else { vec![] };
    let play = Play { judge: Some(|_| scores(true, 10)), said: Some(mended), ..Play::default() };
    let (brief, _) = briefed(play, &[]);
    assert_eq!(brief["pipeline_stats"]["refine_iterations"], 2);
    assert_eq!(brief["verdict"]["approved"], true);
    assert_eq!(brief["pipeline_stats"]["sentences_cut"], 0);
}

// proves: B3
#[test]
fn an_approval_below_the_least_score_is_none() {
    let play = Play { judge: Some(|_| scores(true, 7)), ..Play::default() };
    let (brief, _) = briefed(play, &[]);
    assert_eq!(brief["verdict"]["approved"], false);
    assert!(brief["verdict"]["overruled"].as_str().unwrap().contains("below 8"));
    assert_eq!(brief["pipeline_stats"]["refine_iterations"], 3);
}

// proves: B6
#[test]
fn a_finding_that_does_not_check_out_goes_back_once_and_never_into_the_bank() {
    let found = |_| {
        vec![
            json!({"claim": "In W2, 71.3 % of passengers are satisfied.", "depth": "what"}),
            json!({"claim": "The mean for Q77 was 4.1 in W2.", "depth": "what", "rests_on": ["F99"]}),
        ]
    };
    let (brief, _) = briefed(Play { found: Some(found), ..Play::default() }, &[]);
    assert!(!brief["finding_bank"].to_string().contains("71.3"));
    let first = &brief["history"][0];
    let refused = first["details"]["not_held"].as_array().unwrap();
    assert_eq!(refused.len(), 2, "{first:#}");
    assert!(refused[0].as_str().unwrap().contains("71.3"));
    assert!(brief["pipeline_stats"]["findings_rejected"].as_u64().unwrap() >= 2);
}

// proves: B3
#[test]
fn each_part_of_the_summary_rests_on_the_layers_it_is_made_from() {
    // An action in the place of a finding, a finding that nobody made, and what nothing bears out.
    let said = |_| {
        vec![
            json!({"text": ASK, "rests_on": ["C3"]}),
            json!({"text": PLAN, "rests_on": ["C99"]}),
            json!({"text": "Everything turns out well.", "rests_on": []}),
        ]
    };
    let (brief, _) = briefed(Play { said: Some(said), ..Play::default() }, &[]);
    assert_eq!(brief["key_findings"].as_array().unwrap().len(), 1, "{brief:#}");
    assert_eq!(brief["pipeline_stats"]["sentences_cut"], 3);
    assert_eq!(brief["verdict"]["approved"], false);
}

// proves: B8
#[test]
fn the_simple_loop_goes_on_until_the_critic_has_nothing_to_add() {
    let once = |round| if round == 1 { "What else?" } else { "" };
    let play = Play { feedback: Some(once), ..Play::default() };
    let (brief, _) = briefed(play, &["--loop", "simple"]);
    let stats = &brief["pipeline_stats"];
    assert_eq!(
        (&stats["loop"], &stats["explore_iterations"], &stats["explore_ended"]),
        (&json!("simple"), &json!(2), &json!("no_feedback"))
    );
    assert_eq!(stats["refine_iterations"], 0);
    assert_eq!(brief["verdict"], Value::Null);
    assert!(steps(&brief).iter().all(|step| ["explore_worker", "feedback_critic"].contains(step)));
    let never = |_| "And what else?";
    let (brief, _) =
        briefed(Play { feedback: Some(never), ..Play::default() }, &["--loop", "simple"]);
    assert_eq!(brief["pipeline_stats"]["explore_iterations"], 4);
    assert_eq!(brief["pipeline_stats"]["explore_ended"], "max_iterations");
}

// proves: B5, B7
#[test]
fn without_a_model_the_brief_is_told_by_rule_from_the_figures_and_is_always_the_same() {
    let survey = locate_survey();
    let brief = || {
        let stand = Stand::new();
        let told =
            stand.run(&["brief", QUESTION, "--data", survey.to_str().unwrap(), "--format", "json"]);
        assert_eq!(told.code, 0, "{told:?}");
        told.json()
    };
    let result = brief();
    let deliverable = &result["deliverable"];
    valid(deliverable);
    grows(deliverable);
    assert_eq!(result["mode"], "offline");
    assert_eq!(stages(deliverable), ["what", "why", "how"]);
    for part in ["key_findings", "risks_and_caveats"] {
        assert!(!deliverable[part].as_array().unwrap().is_empty(), "{part}: {deliverable:#}");
    }
    // What is planted in the example is found.
    let all = deliverable["statements"].to_string();
    assert!(all.contains("18-34") && all.contains("fell"), "{deliverable:#}");
    assert!(all.contains("“18-34” (Age)") && all.contains("38.4 %"), "{deliverable:#}");
    // Nobody judged it, and nothing is proposed.
    assert_eq!(deliverable["verdict"], Value::Null);
    assert_eq!(deliverable["pipeline_stats"]["refine_ended"], "no_model");
    assert_eq!(deliverable["recommended_actions"], json!([]));
    assert_eq!(deliverable["pipeline_stats"]["findings_rejected"], 0, "{deliverable:#}");
    assert_eq!(deliverable["pipeline_stats"]["sentences_cut"], 0, "{deliverable:#}");
    assert!(!deliverable["charts"].as_array().unwrap().is_empty());
    assert_eq!(brief()["deliverable"], *deliverable);
}

// proves: B2
#[test]
fn a_critic_that_stays_with_one_layer_leaves_rounds_for_the_others() {
    let stubborn = || Play { critic: Some(|_| angle("what")), ..Play::default() };
    let (brief, _) = briefed(stubborn(), &[]);
    assert_eq!(stages(&brief), ["what", "what", "why", "how"]);
    let (brief, told) = briefed(stubborn(), &["--max-explore", "2"]);
    assert_eq!(stages(&brief), ["what", "why"]);
    let warned = told.json()["warnings"].to_string();
    assert!(
        warned.contains("after the limit of 2 rounds, this was not looked at: HOW"),
        "{warned}"
    );
}

// proves: B2
#[test]
fn a_critic_that_names_no_layer_there_is_does_not_end_the_exploration() {
    let lost = |_| json!({"has_new_angle": true, "next_stage": "where", "follow_up_query": "?"});
    let (brief, told) = briefed(Play { critic: Some(lost), ..Play::default() }, &[]);
    assert_eq!(stages(&brief), ["what", "why", "how"]);
    let warned = told.json()["warnings"].to_string();
    assert!(warned.contains("explored by rule"), "{warned}");
}

// proves: B4, B6
#[test]
fn what_did_not_hold_in_a_first_reply_stays_in_the_audit_trail() {
    let once = |reply| match reply {
        2 => vec![json!({"claim": wrong()["text"], "depth": "what"})],
        _ => vec![],
    };
    let (brief, _) = briefed(Play { found: Some(once), ..Play::default() }, &[]);
    assert_eq!(brief["pipeline_stats"]["findings_rejected"], 1);
    let first = &brief["history"][0]["details"]["not_held"];
    assert!(first.to_string().contains("71.3 %"), "{first}");
    assert!(!brief["finding_bank"].to_string().contains("71.3"));
}

// proves: B3, B6
#[test]
fn a_summary_says_what_its_findings_have_and_says_it_once() {
    const WOMEN: &str = "In W2, 55.4 % of women are satisfied.";
    let said = |_| {
        let young = "In W2, 38.4 % of those aged 18-34 are satisfied.";
        vec![
            json!({"text": WOMEN, "rests_on": ["C1"]}),
            json!({"text": young, "rests_on": ["C2"]}),
            json!({"text": young, "rests_on": ["C2"]}),
        ]
    };
    let (brief, _) = briefed(Play { said: Some(said), ..Play::default() }, &[]);
    let drafts = brief["history"].to_string();
    assert!(drafts.contains(&format!("{WOMEN}\\\": what it cites does not say")), "{drafts}");
    assert!(drafts.contains("satisfied.\\\": it is said already"), "{drafts}");
    assert!(!brief["statements"].to_string().contains(WOMEN));
    assert_eq!(brief["pipeline_stats"]["sentences_cut"], 2);
}

// proves: B3, B6
#[test]
fn where_no_draft_holds_the_findings_are_told() {
    let (brief, told) = briefed(Play { lies: true, ..Play::default() }, &[]);
    assert_eq!(brief["pipeline_stats"]["refine_ended"], "max_refine_iters");
    assert_eq!(brief["pipeline_stats"]["sentences_cut"], 2);
    assert!(brief["overview"].as_str().unwrap().contains("53.1 %"), "{brief:#}");
    assert!(!brief["statements"].to_string().contains("71.3"));
    let warned = told.json()["warnings"].to_string();
    assert!(warned.contains("no figure in the drafts passed the check"), "{warned}");
}
