//! Evaluations: a method beside the model alone, judged, within a cap, and never paid for twice.

mod bounds;
mod judged;
mod known;
mod orders;
mod report_judge;
mod reports;

use std::collections::BTreeMap;
use std::path::PathBuf;

use fakes::{Say, Seen};
use serde_json::{Value, json};

use crate::stand::{Stand, examples, honest};

/// What the model is asked as.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Role {
    Writer,
    Alone,
    Scores,
    Pair,
    Criteria,
    Reports,
}

fn role(seen: &Seen) -> Role {
    let prompt = seen.prompt();
    if prompt.contains("You judge answers to questions.") {
        // An answer may hold anything; what is wanted of the judge it cannot change.
        let is_pair = seen.schema()["properties"]["preferred"].is_object();
        return if is_pair { Role::Pair } else { Role::Scores };
    }
    if prompt.contains("You say beforehand by what") {
        return Role::Criteria;
    }
    if prompt.contains("You are shown two reports to the same question") {
        return Role::Reports;
    }
    if prompt.contains("## Evidence\n") { Role::Writer } else { Role::Alone }
}

/// What stands in a prompt below the instructions.
fn skip_instructions(seen: &Seen) -> String {
    let prompt = seen.prompt();
    let at = prompt.find("\n## Round\n").or_else(|| prompt.find("\n## Question\n")).unwrap_or(0);
    prompt[at..].to_owned()
}

/// A model that answers honestly, and is judged by `judge`.
fn model(judge: impl Fn(&Seen) -> Value + Send + Sync) -> impl Fn(&Seen) -> Say + Send + Sync {
    move |seen| match role(seen) {
        Role::Writer => honest(seen),
        Role::Alone => Say::json(&json!({"text": "It was in the summer.", "assumptions": []})),
        _ => Say::json(&judge(seen)),
    }
}

fn scores(each: u64) -> Value {
    json!({"reason": "r", "correctness": each, "completeness": each, "support": each, "clarity": each})
}

fn preferred(place: &str) -> Value {
    json!({"reason": "r", "preferred": place})
}

/// Prefers what quotes something, wherever it is shown.
fn sensible(seen: &Seen) -> Value {
    let given = skip_instructions(seen);
    let quotes = |name: &str| {
        !given.contains(&format!("## {name}: passages that it quotes\nIt quotes none."))
    };
    match role(seen) {
        Role::Pair => preferred(match (quotes("The first answer"), quotes("The second answer")) {
            (true, false) => "first",
            (false, true) => "second",
            _ => "tie",
        }),
        _ => scores(if quotes("The answer") { 5 } else { 2 }),
    }
}

fn example() -> PathBuf {
    examples().join("../cholera-questions.jsonl").canonicalize().unwrap()
}

/// Questions about the example documents.
fn questions(stand: &Stand, number: usize) -> PathBuf {
    let text = std::fs::read_to_string(example()).unwrap();
    let lines: Vec<&str> = text.lines().take(number).collect();
    assert_eq!(lines.len(), number);
    stand.file("questions.jsonl", lines.join("\n"))
}

/// Evaluates over the example documents.
fn evaluated(stand: &Stand, dataset: &std::path::Path, more: &[&str]) -> crate::stand::Told {
    let docs = examples();
    let mut args = vec!["eval", dataset.to_str().unwrap(), "--docs", docs.to_str().unwrap()];
    args.extend(more);
    stand.run(&args)
}

/// The observations of a report, by case and arm.
fn observations(report: &Value) -> BTreeMap<(String, String), Value> {
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let cases = report["cases"].as_array().unwrap().iter();
    let arms = cases.flat_map(|case| case["arms"].as_array().unwrap());
    let observations = arms.map(|arm| &arm["observation"]);
    observations.map(|one| ((text(&one["case"]), text(&one["arm"])), one.clone())).collect()
}

fn arms(report: &Value) -> Vec<&str> {
    report["arms"].as_array().unwrap().iter().map(|arm| arm["name"].as_str().unwrap()).collect()
}

/// The folder of the only evaluation.
fn folder(stand: &Stand, id: &str) -> PathBuf {
    stand.data().join("artifacts/evals").join(id)
}

fn file(stand: &Stand, id: &str, name: &str) -> String {
    std::fs::read_to_string(folder(stand, id).join(name)).unwrap()
}
