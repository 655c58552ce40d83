//! What an evaluation may cost.

use fakes::{FakeModel, USAGE};
use serde_json::json;

use super::*;

/// What every call of the model costs, in micro-dollars: 10 a token.
fn call() -> u64 {
    (USAGE.0 + USAGE.2) * 10
}

fn priced(server: &FakeModel) -> Stand {
    let stand = Stand::with_model(&server.base_url());
    let price = "[prices.fake]\nmodel = { input = 10.0, output = 10.0 }\n";
    stand.file(".config/quaestio/config.toml", price);
    stand
}

/// What all runs together have cost, by their rows.
fn spent(stand: &Stand) -> u64 {
    let rows = stand.rows("SELECT cost_usd_micros FROM runs");
    let number =
        |row: &String| row.trim_matches(|c: char| !c.is_ascii_digit()).parse::<u64>().unwrap();
    rows.iter().map(number).sum()
}

// proves: A8, C16
#[test]
fn the_cap_holds_over_answers_and_judge_and_what_was_not_run_is_told_as_not_run() {
    let server = FakeModel::start(model(sensible));
    let stand = priced(&server);
    let dataset = questions(&stand, 8);
    // All of it would cost a little more.
    let cap = 0.09;
    let told = evaluated(&stand, &dataset, &["--max-cost", "0.09", "--format", "json"]);
    assert_eq!(told.code, 4, "{}", told.err);
    let report = told.json();
    let spent_usd = spent(&stand) as f64 / 1e6;
    assert!(spent_usd <= cap && spent_usd > 0.0, "{spent_usd}");
    assert_eq!(spent(&stand), server.seen().len() as u64 * call(), "every call is accounted for");

    let observations = observations(&report);
    let (run, not_run): (Vec<_>, Vec<_>) =
        observations.values().partition(|one| !one["status"].is_null());
    assert!(!not_run.is_empty() && !run.is_empty(), "{report:#}");
    for one in &not_run {
        assert_eq!((&one["run"], &one["answer"]), (&json!(""), &json!("")));
        assert!(one["error"].as_str().unwrap().contains("is used up"), "{one}");
    }
    let cases = report["cases"].as_array().unwrap().iter();
    for arm in cases.flat_map(|case| case["arms"].as_array().unwrap()) {
        if arm["observation"]["status"].is_null() {
            assert_eq!(arm["metrics"], json!({}), "what was not run has no figure, not even 0");
        }
    }
    let arms = report["arms"].as_array().unwrap();
    let told_as: u64 = arms.iter().map(|arm| arm["not_run"].as_u64().unwrap()).sum();
    assert_eq!(told_as, not_run.len() as u64);
    assert!(told.err.contains("not run: the evaluation's budget is used up"), "{told:?}");
    let shown = stand.run(&["eval", "show", "last"]).out;
    assert!(shown.contains("not run"), "{shown}");

    // With more to spend it goes on where it stopped.
    let before = server.seen().len();
    let whole = evaluated(&stand, &dataset, &["--max-cost", "100", "--format", "json"]);
    assert_eq!(whole.code, 0, "{whole:?}");
    assert!(server.seen().len() > before);
    let all = whole.json();
    assert_eq!(super::observations(&all).len(), 16);
    assert!(super::observations(&all).values().all(|one| one["status"] == "completed"));
}

// proves: A8, C16
#[test]
fn a_cap_on_tokens_holds_without_a_price_and_one_on_cost_is_refused_without_one() {
    let server = FakeModel::start(model(sensible));
    let stand = Stand::with_model(&server.base_url());
    let dataset = questions(&stand, 8);
    let told = evaluated(&stand, &dataset, &["--max-cost", "1"]);
    told.fails(2, "no price is known for fake/model");
    assert!(server.seen().is_empty());
    let told = evaluated(&stand, &dataset, &["--max-tokens", "9000", "--format", "json"]);
    assert_eq!(told.code, 4, "{told:?}");
    assert!(told.err.contains("token cap holds"), "{told:?}");
    let used: u64 = server.seen().len() as u64 * (USAGE.0 + USAGE.2);
    assert!(used <= 9_000);
}

// proves: A8, C16
#[test]
fn an_answer_that_a_runs_own_cap_made_poorer_is_told_as_such() {
    let server = FakeModel::start(model(sensible));
    let stand = priced(&server);
    let dataset = questions(&stand, 2);
    let poor = ["--no-judge", "--set", "budget.max_cost_usd=0.02", "--format", "json"];
    let told = evaluated(&stand, &dataset, &poor);
    assert_eq!(told.code, 0, "{}", told.err);
    let notes = told.json()["notes"].to_string();
    assert!(notes.contains("2 answers of rag") && notes.contains("budget.max_"), "{notes}");
    let rich = evaluated(&stand, &dataset, &["--no-judge", "--format", "json"]).json();
    assert!(!rich["notes"].to_string().contains("answers of rag"), "{rich}");
}

// proves: A8
#[test]
fn an_estimate_asks_nobody_and_knows_what_is_known() {
    let server = FakeModel::start(model(sensible));
    let stand = priced(&server);
    let dataset = questions(&stand, 3);
    let estimated = |more: &[&str]| {
        let args = [more, &["--estimate", "--format", "json"]].concat();
        let told = evaluated(&stand, &dataset, &args);
        assert_eq!(told.code, 0, "{told:?}");
        told.json()
    };
    let before = estimated(&[]);
    assert!(server.seen().is_empty());
    assert_eq!((&before["answers"], &before["judgements"]), (&json!(6), &json!(24)));
    let usd = |page: &serde_json::Value, key: &str| page[key]["cost_usd"].as_f64().unwrap();
    assert!(
        usd(&before, "expected") > 0.0 && usd(&before, "expected") <= usd(&before, "worst_case")
    );
    assert!(usd(&before, "worst_case") <= 5.0, "{before}");
    assert!(usd(&estimated(&["--max-cost", "0.5"]), "worst_case") <= 0.5);
    assert!(!stand.data().join("artifacts/evals").exists());

    assert_eq!(evaluated(&stand, &dataset, &["--no-judge", "--max-cost", "50"]).code, 0);
    let after = estimated(&["--max-cost", "50"]);
    assert_eq!((&after["answers"], &after["judgements"]), (&json!(0), &json!(24)));
}
