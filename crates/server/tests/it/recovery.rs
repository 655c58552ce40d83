//! A server that dies, and one that is not alone: every run goes on, and no step is done twice that was finished.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use futures::future::join_all;
use serde_json::json;

use crate::contract::{Contract, POST, Told, build_order};
use crate::patience::{until, within};
use crate::stage::{Stage, Wanted};
use crate::stream::follow;

/// Returns how often each step was done, without the notes of runs that ended.
fn count_doings(stage: &Stage) -> BTreeMap<String, u32> {
    let mut doings = BTreeMap::new();
    for line in stage.done().into_iter().filter(|line| !line.ends_with("ended")) {
        *doings.entry(line).or_default() += 1;
    }
    doings
}

async fn metric(stage: &Stage, name: &str) -> u64 {
    let told = Told::by(stage.client.get(stage.url("/metrics"))).await;
    let text = String::from_utf8(told.bytes).unwrap();
    let line = text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
    line.unwrap_or_else(|| panic!("no {name} in {text}")).parse().unwrap()
}

// proves: S1
#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_is_told_how_long_to_keep_runs_removes_older_ones_when_it_starts() {
    let stage = Stage::open().await;
    let waits = stage.start("greet", "Hello").await;
    let ends = stage.start("greet", "Hello").await;
    for run in [&waits, &ends] {
        stage.until_status(run, "waiting").await;
    }
    stage.post(&format!("/api/runs/{ends}/cancel"), json!({})).await;
    stage.until_status(&ends, "cancelled").await;
    let wanted = Wanted { keep_ended: Some(Duration::ZERO), ..Wanted::default() };
    let stage = Stage::over(stage.stop().await, wanted).await;
    until("it is removed", async || match stage.get(&format!("/api/runs/{ends}")).await {
        (404, _) => Ok(()),
        told => Err(told),
    })
    .await;
    assert_eq!(stage.get(&format!("/api/runs/{waits}")).await.0, 200, "it has not ended");
}

// proves: C1
#[tokio::test(flavor = "multi_thread")]
async fn fifty_runs_in_flight_survive_the_death_of_the_server() {
    let stage = Stage::open().await;
    stage.go(2);
    let asks = stage.start("greet", "Hello").await;
    let proposes = stage.start("planned", "Look").await;
    let runs: Vec<String> = join_all((0..50).map(|_| stage.start("steps", "4"))).await;
    join_all(runs.iter().map(|run| stage.until_step(run, 3))).await;
    for run in [&asks, &proposes] {
        stage.until_status(run, "waiting").await;
    }
    let stage = Stage::over(stage.kill().await, Wanted::default()).await;
    stage.go(3);
    join_all(runs.iter().map(|run| stage.until_step(run, 4))).await;
    // Once more, at another place.
    let stage = Stage::over(stage.kill().await, Wanted::default()).await;
    stage.go(9);
    for run in &runs {
        let state = stage.until_status(run, "completed").await;
        assert_eq!((&state["log"]["intact"], &state["hindrance"]), (&json!(true), &json!(null)));
    }
    let doings = count_doings(&stage);
    assert_eq!(doings.len(), 200, "four steps of fifty runs");
    for run in &runs {
        assert_eq!(doings[&format!("{run} 1")], 1, "it was finished before");
        assert_eq!(doings[&format!("{run} 2")], 1);
        for in_flight in [3, 4] {
            assert!(doings[&format!("{run} {in_flight}")] <= 2);
        }
    }
    for run in [&asks, &proposes] {
        let (_, state) = stage.get(&format!("/api/runs/{run}")).await;
        assert_eq!(
            (&state["status"], &state["gates"].as_array().unwrap().len()),
            (&json!("waiting"), &1)
        );
    }
}

// proves: C1
#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_stops_in_good_order_leaves_its_runs_to_the_next() {
    let stage = Stage::open().await;
    stage.go(1);
    let run = stage.start("steps", "3").await;
    stage.until_step(&run, 2).await;
    // A stream that is open when the server stops ends without an end of the run.
    let url = stage.url(&format!("/api/runs/{run}/events"));
    let mut open = stage.client.get(url).send().await.unwrap();
    let mut text = String::new();
    within("an entry is sent", async {
        while !text.contains("event: entry") {
            let piece = open.chunk().await.unwrap().unwrap();
            text.push_str(std::str::from_utf8(&piece).unwrap());
        }
    })
    .await;
    let following = within("the stream ends with the server", async {
        while let Ok(Some(piece)) = open.chunk().await {
            text.push_str(std::str::from_utf8(&piece).unwrap());
        }
    });
    let ((), folder) = tokio::join!(following, stage.stop());
    assert!(!text.contains("event: end"), "{text}");
    let stage = Stage::over(folder, Wanted::default()).await;
    stage.go(9);
    stage.until_status(&run, "completed").await;
    assert_eq!(count_doings(&stage).values().max(), Some(&1), "what was not done is done once");
}

// proves: S1
#[tokio::test(flavor = "multi_thread")]
async fn two_servers_over_one_folder_share_the_work_and_show_each_other_s() {
    let wanted = Wanted { max_running: 30, ..Wanted::default() };
    let here = Stage::with(wanted.clone()).await;
    let there = Stage::over(Arc::clone(&here.folder), wanted).await;
    here.go(0);
    let runs: Vec<String> = join_all((0..60).map(|number| {
        if number % 2 == 0 { here.start("steps", "3") } else { there.start("steps", "3") }
    }))
    .await;
    join_all(runs.iter().map(|run| here.until_step(run, 1))).await;
    assert_eq!(metric(&here, "quaestio_runs_at_work").await, 30);
    assert_eq!(metric(&there, "quaestio_runs_at_work").await, 30);
    let watching = runs.iter().map(async |run| {
        let (near, far) =
            tokio::join!(follow(&here, run, None, |_| true), follow(&there, run, None, |_| true));
        for (sent, ended) in [near, far] {
            assert!(ended);
            let numbers: Vec<u64> = sent.iter().filter_map(|sent| sent.id).collect();
            assert_eq!(numbers, (1..=numbers.len() as u64).collect::<Vec<_>>());
            assert_eq!(sent.last().unwrap().data["status"], "completed");
        }
    });
    let (_, ()) = tokio::join!(join_all(watching), async { here.go(9) });
    let doings = count_doings(&here);
    assert_eq!(doings.len(), 180);
    assert!(doings.values().all(|times| *times == 1), "no step is done twice");
    // Whoever follows a run may hear of its end before its server has seen to it.
    let ended = until("every run was seen to", async || {
        let ended = here.done().into_iter().filter(|line| line.ends_with("ended"));
        let ended: Vec<String> = ended.collect();
        if ended.len() >= 60 { Ok(ended) } else { Err(ended.len()) }
    })
    .await;
    assert_eq!((ended.len(), ended.iter().collect::<BTreeSet<_>>().len()), (60, 60));
}

// proves: S1
#[tokio::test(flavor = "multi_thread")]
async fn the_runs_of_a_server_that_died_are_taken_up_by_the_other() {
    let here = Stage::open().await;
    here.go(1);
    let runs: Vec<String> = join_all((0..10).map(|_| here.start("steps", "3"))).await;
    join_all(runs.iter().map(|run| here.until_step(run, 2))).await;
    let there = Stage::over(Arc::clone(&here.folder), Wanted::default()).await;
    drop(here.kill().await);
    there.go(9);
    for run in &runs {
        there.until_status(run, "completed").await;
        assert_eq!(count_doings(&there)[&format!("{run} 1")], 1);
    }
}

// proves: S1
#[tokio::test(flavor = "multi_thread")]
async fn so_many_runs_are_worked_on_at_once_and_so_many_wait() {
    let wanted = Wanted { max_running: 3, max_queued: 4, ..Wanted::default() };
    let stage = Stage::with(wanted).await;
    let contract = Contract::of(&stage).await;
    stage.go(0);
    let first = stage.start("steps", "1").await;
    let mut runs = vec![first.clone()];
    for _ in 0..2 {
        runs.push(stage.start("steps", "1").await);
    }
    for run in &runs {
        stage.until_step(run, 1).await;
    }
    for _ in 0..4 {
        runs.push(stage.start("steps", "1").await);
    }
    let full = async |target: &str, body| {
        let told = contract.call(&stage, POST, target, Some(body)).await;
        assert_eq!((told.status, told.kind()), (429, "limited"), "{}", told.body);
        assert!(told.header("retry-after").parse::<u64>().unwrap() >= 1);
    };
    full("/api/runs", build_order("steps", "1")).await;
    full(&format!("/api/runs/{first}/fork"), json!({ "from": "work #1" })).await;
    assert_eq!(metric(&stage, "quaestio_runs_at_work").await, 3);
    let (_, list) = stage.get("/api/runs?status=queued").await;
    assert_eq!(list["runs"].as_array().unwrap().len(), 4);
    stage.go(9);
    for run in &runs {
        stage.until_status(run, "completed").await;
    }
    assert_eq!(count_doings(&stage).values().sum::<u32>(), 7);
    let told = contract.call(&stage, POST, "/api/runs", Some(build_order("steps", "1"))).await;
    assert_eq!(told.status, 201, "there is room again");
}
