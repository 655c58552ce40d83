//! A run is stopped at any moment: before it begins, in the middle of a generation, while it waits, and from another process.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use futures::future::join_all;
use serde_json::{Value, json};

use crate::contract::{POST, Set, Told};
use crate::patience::until;
use crate::stage::{Stage, Wanted};

async fn cancel(stage: &Stage, run: &str) -> Told {
    let request = stage.client.post(stage.url(&format!("/api/runs/{run}/cancel")));
    Told::by(request.json(&json!({}))).await
}

// proves: C7
#[tokio::test(flavor = "multi_thread")]
async fn a_queued_run_is_cancelled_before_anything_of_it_is_done() {
    let stage = Stage::with(Wanted { max_running: 1, ..Wanted::default() }).await;
    stage.go(0);
    let first = stage.start("steps", "1").await;
    stage.until_step(&first, 1).await;
    let queued = stage.start("steps", "1").await;
    let told = cancel(&stage, &queued).await;
    assert_eq!((told.status, &told.body["status"]), (202, &json!("cancelled")));
    stage.go(1);
    stage.until_status(&first, "completed").await;
    let last = stage.start("steps", "1").await;
    stage.until_status(&last, "completed").await;
    let lines: Vec<String> =
        stage.done().into_iter().filter(|line| line.starts_with(&queued)).collect();
    assert_eq!(lines, [format!("{queued} ended")]);
}

// proves: C7
#[tokio::test(flavor = "multi_thread")]
async fn a_run_that_waits_is_cancelled_at_once_and_one_that_has_ended_is_not() {
    let set = Set::up().await;
    let run = set.start("greet", "Hello").await;
    set.stage.until_status(&run, "waiting").await;
    let target = format!("/api/runs/{run}/cancel");
    let told = set.call(POST, &target, Some(json!({}))).await;
    assert_eq!((told.status, &told.body["status"]), (202, &json!("cancelled")));
    assert_eq!(told.body["gates"], json!([]), "it asks nothing any more");
    assert_eq!(set.stage.done(), [format!("{run} ended")], "the program hears of it");
    let told = set.call(POST, &target, None).await;
    assert_eq!((told.status, told.kind()), (409, "conflict"));
    let done = set.start("steps", "1").await;
    set.stage.until_status(&done, "completed").await;
    let told = set.call(POST, &format!("/api/runs/{done}/cancel"), None).await;
    assert_eq!((told.status, told.kind()), (409, "conflict"));
    assert_eq!(set.get(&format!("/api/runs/{done}")).await["status"], "completed");
}

// proves: C7
#[tokio::test(flavor = "multi_thread")]
async fn a_generation_is_dropped_in_the_middle() {
    let stage = Stage::open().await;
    stage.go(2);
    let order = json!({ "method": "talk", "question": "Speak", "model": "stage/speaker" });
    let (_, run) = stage.post("/api/runs", order).await;
    let run = run["run_id"].as_str().unwrap().to_owned();
    stage.until_calls(1).await;
    let told = cancel(&stage, &run).await;
    assert_eq!(told.status, 202);
    assert!(told.body["status"] == "cancelled" || told.body["stopping"] == true, "{}", told.body);
    let state = stage.until_status(&run, "cancelled").await;
    assert_eq!(stage.dropped.load(Ordering::SeqCst), 1, "the call has ended");
    assert_eq!(stage.calls.load(Ordering::SeqCst), 1, "and there was no other");
    assert_eq!((&state["stopping"], &state["outcome"]), (&json!(false), &Value::Null));
    assert_eq!(state["steps"][0]["step"], "speaker #1");
}

// proves: C7
#[tokio::test(flavor = "multi_thread")]
async fn what_was_done_before_stays_with_a_run_that_was_cancelled() {
    let stage = Stage::open().await;
    stage.go(2);
    let run = stage.start("steps", "5").await;
    stage.until_step(&run, 3).await;
    cancel(&stage, &run).await;
    let state = stage.until_status(&run, "cancelled").await;
    let states: Vec<(&str, &str)> = state["steps"]
        .as_array()
        .unwrap()
        .iter()
        .map(|step| (step["step"].as_str().unwrap(), step["state"].as_str().unwrap()))
        .collect();
    assert_eq!(states[..2], [("work #1", "done"), ("work #2", "done")]);
    assert_eq!(state["log"]["intact"], true);
    stage.go(9);
    let other = stage.start("steps", "3").await;
    stage.until_status(&other, "completed").await;
    assert!(!stage.done().contains(&format!("{run} 3")), "the step under way was dropped");
    let (_, result) = stage.get(&format!("/api/runs/{run}/result")).await;
    assert_eq!(result["status"], "cancelled");
}

// proves: C7
#[tokio::test(flavor = "multi_thread")]
async fn a_run_is_cancelled_at_whatever_moment_of_its_life_it_is_asked_for() {
    let stage = Stage::open().await;
    stage.go(0);
    // Sixty that are queued or at work.
    let started = (0..60).map(async |_| {
        let run = stage.start("steps", "1").await;
        let told = cancel(&stage, &run).await;
        assert_eq!(told.status, 202, "{}", told.body);
        stage.until_status(&run, "cancelled").await;
    });
    join_all(started).await;
    // Sixty that come to a gate.
    let started = (0..60).map(async |_| {
        let run = stage.start("greet", "Hello").await;
        let told = cancel(&stage, &run).await;
        assert_eq!(told.status, 202, "{}", told.body);
        stage.until_status(&run, "cancelled").await;
    });
    join_all(started).await;
    until("all have ended", async || {
        let lines = stage.done().len();
        if lines >= 120 { Ok(()) } else { Err(lines) }
    })
    .await;
    let lines: BTreeSet<String> = stage.done().into_iter().collect();
    assert!(lines.len() == 120 && lines.iter().all(|line| line.ends_with("ended")), "each once");
}

// proves: C7 S1
#[tokio::test(flavor = "multi_thread")]
async fn a_run_that_another_process_works_on_is_cancelled() {
    let here = Stage::open().await;
    here.go(1);
    let run = here.start("steps", "3").await;
    here.until_step(&run, 2).await;
    let there = Stage::over(Arc::clone(&here.folder), Wanted::default()).await;
    let told = cancel(&there, &run).await;
    assert_eq!((told.status, &told.body["stopping"]), (202, &json!(true)), "{}", told.body);
    let state = there.until_status(&run, "cancelled").await;
    assert_eq!(state["stopping"], false);
    let done: Vec<String> =
        here.done().into_iter().filter(|line| !line.ends_with("ended")).collect();
    assert_eq!(done, [format!("{run} 1")]);
}

// proves: C7
#[tokio::test(flavor = "multi_thread")]
async fn a_run_whose_worker_died_after_it_was_asked_to_stop_is_cancelled() {
    let stage = Stage::open().await;
    stage.go(1);
    let run = stage.start("steps", "3").await;
    stage.until_step(&run, 2).await;
    let folder = stage.kill().await;
    // The next worker lives, but is deaf: it holds the run and never looks for requests.
    let deaf = folder.open().await;
    let owner = deaf.storage.owner();
    until("the dead one has let go", async || deaf.log.claim("local", &run, owner).await).await;
    let stage = Stage::over(folder, Wanted::default()).await;
    let told = cancel(&stage, &run).await;
    assert_eq!((told.status, &told.body["stopping"]), (202, &json!(true)), "{}", told.body);
    drop(deaf);
    // Nothing but the request that the dead one left tells the successor to stop.
    let state =
        stage.until(&run, |state| state["status"] != "running" || state["stopping"] == false).await;
    assert_eq!(state["status"], "cancelled", "the request died with the worker: {state}");
    let done: Vec<String> =
        stage.done().into_iter().filter(|line| !line.ends_with("ended")).collect();
    assert_eq!(done, [format!("{run} 1")]);
}
