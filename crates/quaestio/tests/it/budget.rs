//! Caps hold, and a run that meets one still delivers.

use std::time::Duration;

use fakes::{FakeModel, Say};
use serde_json::json;

use crate::stand::{QUESTION, Stand, honest};

const PRICE: (&str, &str) = ("QUAESTIO_PRICES__FAKE__MODEL", "{input=1.0,output=1.0}");

// proves: C6, C16
#[test]
fn a_call_that_might_not_fit_is_not_made_and_the_answer_is_extractive() {
    for cap in [&["--max-tokens", "500"][..], &["--max-cost", "0.0005"]] {
        let server = FakeModel::start(honest);
        let stand = Stand::with_model(&server.base_url()).variable(PRICE.0, PRICE.1);
        let mut args = vec!["--format", "json"];
        args.extend(cap);
        let told = stand.ask(QUESTION, &args);
        assert_eq!(told.code, 0, "{told:?}");
        let result = told.json();
        assert!(server.seen().is_empty(), "the reservation would have gone over the cap");
        assert!(result["answer"].as_str().unwrap().contains("8 September 1854"));
        assert!(result["warnings"][0].as_str().unwrap().contains("budget"), "{result}");
        assert_eq!(result["cost_usd"], 0);
        assert_eq!(stand.run(&["runs", "replay", "last", "--format", "json"]).out, told.out);
    }
}

// proves: C6, C16
#[test]
fn what_was_spent_never_exceeds_the_cap() {
    // Every reply uses all it may and violates the contract, so that every allowed call is made.
    let server =
        FakeModel::start(|_| Say::json(&json!({"claims": [{"text": "No.", "citations": []}]})));
    for cap in ["0.004", "0.02", "0.05", "0.5"] {
        let stand = Stand::with_model(&server.base_url()).variable(PRICE.0, PRICE.1);
        let told = stand.ask(QUESTION, &["--format", "json", "--max-cost", cap]);
        assert!([0, 3].contains(&told.code), "{told:?}");
        assert!(told.json()["cost_usd"].as_f64().unwrap() <= cap.parse().unwrap());
    }
}

// proves: C6
#[test]
fn steps_and_time_are_capped() {
    let server = FakeModel::start(honest);
    let stand = Stand::with_model(&server.base_url());
    let told = stand.ask(QUESTION, &["--format", "json", "--max-steps", "1"]);
    assert_eq!(told.code, 4, "{told:?}");
    assert!(told.json()["error"]["message"].as_str().unwrap().contains("steps"), "{told:?}");

    let slow = FakeModel::start(|seen| Say::After(Duration::from_secs(30), Box::new(honest(seen))));
    let stand = Stand::with_model(&slow.base_url());
    let told = stand.ask(QUESTION, &["--format", "json", "--max-seconds", "1"]);
    assert_eq!(told.code, 0, "the answer is extractive: {told:?}");
    assert!(told.json()["warnings"].to_string().contains("budget"), "{told:?}");
}

// proves: C15, C16
#[test]
fn what_the_budget_refused_is_refused_again_in_a_replay() {
    // The first answer has a claim that fails; the cap allows looking up, reading on and the first call, keeps two for a reader, and
    // has none for the return to the writer.
    let server = FakeModel::start(|seen| {
        let first = fakes::passages(&seen.prompt())[0].clone();
        let claim = |text| crate::stand::claim(text, 1, first.first_sentence());
        let claims = [claim(first.first_sentence()), claim("It was Queen Victoria who did it.")];
        Say::json(&json!({"claims": claims, "gaps": [], "assumptions": []}))
    });
    let stand = Stand::with_model(&server.base_url());
    let told = stand.ask(QUESTION, &["--format", "json", "--max-steps", "5"]);
    assert_eq!(told.code, 0, "{told:?}");
    assert!(
        told.json()["warnings"].to_string().contains("could not ask the writer again"),
        "{told:?}"
    );
    assert_eq!(server.seen().len(), 1);
    assert_eq!(stand.run(&["runs", "replay", "last", "--format", "json"]).out, told.out);

    let stopped = stand.ask(QUESTION, &["--format", "json", "--max-steps", "1"]);
    assert_eq!(stopped.code, 4, "{stopped:?}");
    let stage = stopped.json()["error"]["stage"].as_str().unwrap().to_owned();
    let told =
        stand.run(&["runs", "fork", "last", "--from", &stage, "--set", "budget.max_steps=9"]);
    assert_eq!(told.code, 0, "the hint works: {told:?}");
}

// proves: C6, C16
#[test]
fn a_call_that_broke_off_counts_at_its_worst_case() {
    let server = FakeModel::start(|_| Say::Broken("{\"claims\": [{\"te".into()));
    let stand = Stand::with_model(&server.base_url()).variable(PRICE.0, PRICE.1);
    let told = stand.ask(QUESTION, &["--format", "json"]);
    assert_eq!(told.code, 4, "{told:?}");
    assert!(told.json()["cost_usd"].as_f64().unwrap() > 0.0, "{told:?}");
}

// proves: C6
#[test]
fn odd_numbers_neither_break_a_run_nor_lift_a_cap() {
    let stand = Stand::new();
    for cap in [
        "--max-tokens=18446744073709551615",
        "--max-steps=18446744073709551615",
        "--max-cost=1e300",
    ] {
        assert_eq!(stand.ask(QUESTION, &[cap]).code, 0, "{cap}");
        assert_eq!(stand.run(&["runs", "show", "last"]).code, 0, "{cap}");
    }
    for cap in ["--max-tokens=0", "--max-steps=0", "--max-seconds=0", "--max-cost=0"] {
        stand.ask(QUESTION, &[cap]).fails(2, "a cap of 0");
    }
    let server = FakeModel::start(honest);
    let stand = Stand::with_model(&server.base_url())
        .variable("QUAESTIO_MODELS__TIMEOUT_SECONDS", "18446744073709551615")
        .variable("QUAESTIO_MODELS__IDLE_TIMEOUT_SECONDS", "18446744073709551615");
    assert_eq!(stand.ask(QUESTION, &[]).code, 0);
}

// proves: C6, C16
#[test]
fn a_cost_cap_without_a_price_is_refused_unless_nobody_set_it() {
    let server = FakeModel::start(honest);
    let stand = Stand::with_model(&server.base_url());
    stand.ask(QUESTION, &["--max-cost", "1"]).fails(2, "no price is known for fake/model");
    let told = stand.ask(QUESTION, &[]);
    assert_eq!(told.code, 0, "{told:?}");
    assert!(told.err.contains("no price is known"), "{told:?}");
}

// proves: C16
#[test]
fn an_estimate_asks_for_no_key() {
    let stand = Stand::new();
    let args = ["ask", QUESTION, "--model", "openai/gpt-4o-mini", "--estimate"];
    let told = stand.run(&args);
    assert_eq!(told.code, 0, "{told:?}");
    assert!(told.out.contains("Expected: ") && told.out.contains(" tokens, $0."), "{told:?}");
    // Asking does.
    stand.run(&["ask", QUESTION, "--model", "openai/gpt-4o-mini"]).fails(2, "key");
}
