//! Two users have a run of the same id: each sees, stops and takes away their own.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use methods::order::Order;
use serde_json::{Value, json};

use crate::contract::{GET, POST, Told};
use crate::patience::until;
use crate::stage::{ALICE, BOB, Stage, Wanted};
use crate::stream::{Sent, listen};

const RUN: &str = "the-same";
const HERS: &str = "Zwölf 🦊 laufen über das Eis.";
const HIS: &str = "Neun 🐟 schwimmen unter dem Eis.";

async fn call(stage: &Stage, who: &str, method: reqwest::Method, rest: &str) -> Told {
    let url = stage.url(&format!("/api/runs/{RUN}{rest}"));
    Told::by(stage.client.request(method, url).bearer_auth(who)).await
}

async fn fetch_state(stage: &Stage, who: &str) -> Value {
    let told = call(stage, who, GET, "").await;
    assert_eq!(told.status, 200, "{}", told.body);
    told.body
}

async fn until_ended(stage: &Stage, who: &str) -> Value {
    until("the run has ended", async || {
        let state = fetch_state(stage, who).await;
        if state["status"] == "running" { Err(state) } else { Ok(state) }
    })
    .await
}

/// Follows somebody's run for as long as `wanted` says of the words that were drafted so far.
async fn draft(stage: &Stage, who: &str, wanted: impl Fn(&str) -> bool) -> (String, Vec<Sent>) {
    let url = stage.url(&format!("/api/runs/{RUN}/events"));
    let mut words = String::new();
    let (sent, _) = listen(stage.client.get(url).bearer_auth(who), |sent| {
        if sent.event == "draft" {
            words.push_str(sent.data["text"].as_str().unwrap());
        }
        wanted(&words)
    })
    .await;
    (words, sent)
}

fn question(sent: &[Sent]) -> &Value {
    let started = sent.iter().find(|sent| sent.data["event"] == "started").unwrap();
    &started.data["question"]
}

/// Has both at work on their run, and alice stop hers, here or through another process.
async fn hers_is_stopped_and_his_is_not(through_another: bool) {
    let stage = Stage::with(Wanted::with_users()).await;
    stage.go(0);
    for (user, question) in [("alice", "Speak"), ("bob", "Swim")] {
        let order = json!({ "method": "talk", "question": question, "model": "stage/speaker" });
        let order: Order = serde_json::from_value(order).unwrap();
        stage.submit(user, RUN, &order).await;
    }
    stage.until_calls(2).await;
    // Each has a draft of their own, in the middle.
    stage.go(3);
    for (who, asked, begin) in
        [(ALICE, "Speak", "Zwölf 🦊 laufen "), (BOB, "Swim", "Neun 🐟 schwimmen ")]
    {
        let (words, sent) = draft(&stage, who, |words| words.len() < begin.len()).await;
        assert_eq!((words.as_str(), question(&sent)), (begin, &json!(asked)));
        let state = fetch_state(&stage, who).await;
        assert_eq!((&state["question"], &state["status"]), (&json!(asked), &json!("running")));
    }
    let other = match through_another {
        true => Some(Stage::over(Arc::clone(&stage.folder), Wanted::with_users()).await),
        false => None,
    };
    let told = call(other.as_ref().unwrap_or(&stage), ALICE, POST, "/cancel").await;
    assert_eq!(told.status, 202, "{}", told.body);
    assert_eq!(until_ended(&stage, ALICE).await["status"], "cancelled");
    let his = fetch_state(&stage, BOB).await;
    assert_eq!((&his["status"], &his["stopping"]), (&json!("running"), &json!(false)));
    assert_eq!(stage.dropped.load(Ordering::SeqCst), 1, "of two calls one was dropped");
    stage.go(9);
    assert_eq!(until_ended(&stage, BOB).await["status"], "completed");
    for (who, status, own, foreign) in
        [(ALICE, "cancelled", "Speak", ["Swim", HIS]), (BOB, "completed", "Swim", ["Speak", HERS])]
    {
        let (_, sent) = draft(&stage, who, |_| true).await;
        let numbers: Vec<u64> = sent.iter().filter_map(|sent| sent.id).collect();
        assert_eq!(numbers, (1..=numbers.len() as u64).collect::<Vec<_>>());
        assert_eq!(sent.last().unwrap().data["status"], status);
        let exported = call(&stage, who, GET, "/export?format=json").await;
        assert_eq!((exported.status, &exported.body["question"]), (200, &json!(own)));
        let state = fetch_state(&stage, who).await;
        for text in [exported.body.to_string(), state.to_string(), format!("{sent:?}")] {
            assert!(!foreign.iter().any(|foreign| text.contains(foreign)), "{text}");
        }
    }
    let told = call(&stage, BOB, GET, "/export?format=json").await;
    assert!(told.body.to_string().contains(HIS), "{}", told.body);
}

// proves: F8
#[tokio::test(flavor = "multi_thread")]
async fn of_two_runs_of_one_id_only_the_one_that_is_meant_is_touched() {
    hers_is_stopped_and_his_is_not(false).await;
}

// proves: F8 S1
#[tokio::test(flavor = "multi_thread")]
async fn of_two_runs_of_one_id_only_the_one_that_is_meant_is_touched_through_another_process() {
    hers_is_stopped_and_his_is_not(true).await;
}
