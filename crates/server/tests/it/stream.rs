//! The live stream: every entry once and in order, whatever becomes of the connection.

use std::sync::Arc;
use std::time::Duration;

use futures::StreamExt;
use proptest::prelude::*;
use reqwest::RequestBuilder;
use serde_json::Value;
use tokio::time::{Instant, timeout_at};

use crate::home::Home;
use crate::patience::{PATIENCE, given_up, within};
use crate::stage::{Stage, Wanted, go};

/// One server-sent event.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Sent {
    pub(crate) id: Option<u64>,
    pub(crate) event: String,
    pub(crate) data: Value,
}

/// Follows a run from an entry on, for as long as `wanted` says; tells whether the stream ended by itself.
pub(crate) async fn follow(
    stage: &Stage,
    run: &str,
    last_seen: Option<u64>,
    wanted: impl FnMut(&Sent) -> bool,
) -> (Vec<Sent>, bool) {
    let mut request = stage.client.get(stage.url(&format!("/api/runs/{run}/events")));
    if let Some(id) = last_seen {
        request = request.header("Last-Event-ID", id);
    }
    listen(request, wanted).await
}

/// Reads a stream for as long as `wanted` says; tells whether it ended by itself.
pub(crate) async fn listen(
    request: RequestBuilder,
    mut wanted: impl FnMut(&Sent) -> bool,
) -> (Vec<Sent>, bool) {
    let given_up_at = Instant::now() + PATIENCE;
    let response = within("a stream begins", request.send()).await.unwrap();
    if response.status() == 204 {
        return (vec![], true);
    }
    assert_eq!(response.status(), 200);
    assert_eq!(response.headers()["content-type"], "text/event-stream");
    let mut sent = Vec::new();
    let mut text = String::new();
    let mut raw = Vec::new();
    let mut body = response.bytes_stream();
    // A stream that has nothing to say still says that it is alive, so each piece by itself is no sign of an end.
    loop {
        let piece = timeout_at(given_up_at, body.next()).await;
        let piece = piece.unwrap_or_else(|_| given_up("a stream is as it is wanted", &sent));
        let Some(Ok(piece)) = piece else { return (sent, true) };
        raw.extend_from_slice(&piece);
        let whole = std::str::from_utf8(&raw).map_or_else(|error| error.valid_up_to(), str::len);
        text.push_str(std::str::from_utf8(&raw[..whole]).unwrap());
        raw.drain(..whole);
        while let Some((block, rest)) = text.split_once("\n\n") {
            let block = block.to_owned();
            text = rest.to_owned();
            let Some(event) = read(&block) else { continue };
            let go_on = wanted(&event);
            sent.push(event);
            if !go_on {
                return (sent, false);
            }
        }
    }
}

fn read(block: &str) -> Option<Sent> {
    let field =
        |name: &str| block.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(": "));
    Some(Sent {
        id: field("id").map(|id| id.parse().unwrap()),
        event: field("event")?.to_owned(),
        data: serde_json::from_str(field("data")?).unwrap(),
    })
}

fn numbers(sent: &[Sent]) -> Vec<u64> {
    sent.iter().filter_map(|sent| sent.id).collect()
}

// proves: C5
#[tokio::test(flavor = "multi_thread")]
async fn a_run_is_followed_from_its_start_to_its_end() {
    let stage = Stage::open().await;
    stage.go(0);
    let run = stage.start("steps", "3").await;
    let following = follow(&stage, &run, None, |_| true);
    let working = async {
        for step in 1..=3 {
            stage.until_step(&run, step).await;
            stage.go(step);
        }
    };
    let ((sent, ended), ()) = tokio::join!(following, working);
    assert!(ended);
    let entries: Vec<&Sent> = sent.iter().filter(|sent| sent.event == "entry").collect();
    let count = entries.len() as u64;
    assert_eq!(numbers(&sent), (1..=count).collect::<Vec<_>>());
    assert_eq!(entries[0].data["event"], "started");
    assert_eq!(entries.last().unwrap().data["event"], "finished");
    let last = sent.last().unwrap();
    assert_eq!((last.event.as_str(), &last.data["status"]), ("end", &Value::from("completed")));
    let state = sent.iter().rev().find(|sent| sent.event == "state").unwrap();
    assert_eq!(state.data["status"], "completed");
    assert_eq!(state.data["entries"], count);
    let (again, ended) = follow(&stage, &run, Some(count), |_| true).await;
    assert!(again.is_empty() && ended, "there is nothing more to come, and a browser is told so");
}

// proves: C5
#[tokio::test(flavor = "multi_thread")]
async fn whoever_loses_the_connection_sees_every_entry_once_across_restarts_too() {
    let mut stage = Stage::open().await;
    stage.go(0);
    let run = stage.start("steps", "6").await;
    let mut seen: Vec<u64> = Vec::new();
    for step in 1..=6 {
        stage.until_step(&run, step).await;
        let mut fresh = 0;
        let (sent, _) = follow(&stage, &run, seen.last().copied(), |sent| {
            fresh += u32::from(sent.id.is_some());
            // The connection is lost in the middle.
            fresh < 2 && sent.event != "state"
        })
        .await;
        seen.extend(numbers(&sent));
        if step == 4 {
            let folder = stage.kill().await;
            stage = Stage::over(folder, Default::default()).await;
        }
        stage.go(step);
    }
    let (sent, ended) = follow(&stage, &run, seen.last().copied(), |_| true).await;
    assert!(ended);
    seen.extend(numbers(&sent));
    assert_eq!(seen, (1..=seen.len() as u64).collect::<Vec<_>>());
    let (_, state) = stage.get(&format!("/api/runs/{run}")).await;
    assert_eq!(state["entries"], seen.len());
}

// proves: C5
#[tokio::test(flavor = "multi_thread")]
async fn words_of_a_draft_come_as_they_are_said_and_late_comers_get_them_all() {
    let stage = Stage::open().await;
    stage.go(0);
    let order =
        serde_json::json!({ "method": "talk", "question": "Speak", "model": "stage/speaker" });
    let (status, run) = stage.post("/api/runs", order).await;
    assert_eq!(status, 201);
    let run = run["run_id"].as_str().unwrap().to_owned();
    let words = |sent: &[Sent]| -> String {
        let drafts = sent.iter().filter(|sent| sent.event == "draft");
        drafts.map(|draft| draft.data["text"].as_str().unwrap()).collect()
    };
    let first = async {
        let (sent, _) = follow(&stage, &run, None, |_| true).await;
        sent
    };
    let late = async {
        stage.until_calls(1).await;
        stage.go(3);
        let mut told = String::new();
        let (sent, _) = follow(&stage, &run, None, |sent| {
            if sent.event == "draft" {
                told.push_str(sent.data["text"].as_str().unwrap());
            }
            told != "Zwölf 🦊 laufen "
        })
        .await;
        assert_eq!(words(&sent), "Zwölf 🦊 laufen ");
        stage.go(6);
        let (sent, _) = follow(&stage, &run, None, |sent| {
            if sent.event == "draft" && sent.data["offset"] == 0 {
                told.clear();
            }
            if sent.event == "draft" {
                told.push_str(sent.data["text"].as_str().unwrap());
            }
            told != "Zwölf 🦊 laufen über das Eis."
        })
        .await;
        assert_eq!(words(&sent), "Zwölf 🦊 laufen über das Eis.");
        stage.go(9);
    };
    let (sent, ()) = tokio::join!(first, late);
    let mut said = String::new();
    for draft in sent.iter().filter(|sent| sent.event == "draft") {
        assert_eq!(draft.data["step"], "speaker #1");
        assert_eq!(draft.data["offset"], said.encode_utf16().count());
        said.push_str(draft.data["text"].as_str().unwrap());
    }
    assert!("Zwölf 🦊 laufen über das Eis.".starts_with(&said) && said.len() > 20, "{said}");
    assert_eq!(sent.last().unwrap().event, "end");
}

// proves: C5
#[tokio::test(flavor = "multi_thread")]
async fn a_draft_that_is_begun_anew_holds_nothing_of_the_one_that_failed() {
    let stage = Stage::open().await;
    stage.go(0);
    let order =
        serde_json::json!({ "method": "talk", "question": "Falter", "model": "stage/speaker" });
    let (_, run) = stage.post("/api/runs", order).await;
    let run = run["run_id"].as_str().unwrap().to_owned();
    stage.until_calls(2).await;
    // Nobody has followed so far; the second draft is in the middle.
    stage.go(3);
    let mut told = String::new();
    let (sent, _) = follow(&stage, &run, None, |sent| {
        if sent.event == "draft" {
            told.push_str(sent.data["text"].as_str().unwrap());
        }
        told != "Zwölf 🦊 laufen "
    })
    .await;
    let drafts: Vec<&Sent> = sent.iter().filter(|sent| sent.event == "draft").collect();
    assert_eq!(drafts[0].data["offset"], 0);
    let failed = sent.iter().position(|sent| sent.data["event"] == "failed").unwrap();
    assert!(
        sent[..failed].iter().all(|sent| sent.event != "draft"),
        "it is begun after the failure"
    );
    stage.go(9);
    stage.until_status(&run, "completed").await;
}

/// Follows a run until the words of its drafts are `wanted`.
async fn hear(stage: &Stage, run: &str, wanted: &str) {
    let mut told = String::new();
    let following = follow(stage, run, None, |sent| {
        if sent.event == "draft" {
            if sent.data["offset"] == 0 {
                told.clear();
            }
            assert_eq!(sent.data["offset"], told.encode_utf16().count());
            told.push_str(sent.data["text"].as_str().unwrap());
        }
        told != wanted
    });
    let (_, ended) = following.await;
    assert!(!ended, "the words come before the end: {told:?}");
}

/// A server that works on no run, and one that does, over a PostgreSQL database.
async fn open_apart() -> (Stage, Stage) {
    let home = Arc::new(Home::over_postgres().await);
    let none = Wanted { max_running: 0, ..Wanted::default() };
    let follower = Stage::over(Arc::clone(&home), none).await;
    follower.go(0);
    (follower, Stage::over(home, Wanted::default()).await)
}

async fn start_talk(stage: &Stage, question: &str) -> String {
    let order =
        serde_json::json!({ "method": "talk", "question": question, "model": "stage/speaker" });
    let (_, run) = stage.post("/api/runs", order).await;
    run["run_id"].as_str().unwrap().to_owned()
}

// proves: S2, C5
#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs a PostgreSQL server"]
async fn words_of_a_draft_reach_followers_at_another_server() {
    let (follower, worker) = open_apart().await;
    let run = start_talk(&follower, "Falter").await;
    worker.until_calls(2).await;
    follower.go(3);
    // One who comes late hears what was drafted before, and nothing of the draft that failed.
    hear(&follower, &run, "Zwölf 🦊 laufen ").await;
    let early = hear(&follower, &run, "Zwölf 🦊 laufen über das Eis.");
    tokio::join!(early, async {
        tokio::time::sleep(Duration::from_millis(300)).await;
        follower.go(6);
    });
    follower.go(9);
    let (sent, ended) = follow(&follower, &run, None, |_| true).await;
    assert!(ended && sent.last().unwrap().event == "end");
    follower.until_status(&run, "completed").await;
}

// proves: S2, C1, C5
#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs a PostgreSQL server"]
async fn words_of_a_draft_that_another_worker_begins_anew_follow_none_of_the_first() {
    let (follower, worker) = open_apart().await;
    let run = start_talk(&follower, "Swim").await;
    worker.until_calls(1).await;
    follower.go(5);
    hear(&follower, &run, "Neun 🐟 schwimmen unter dem ").await;
    follower.go(3);
    let anew = hear(&follower, &run, "Neun 🐟 schwimmen ");
    let ((), next) = tokio::join!(anew, async {
        let home = worker.kill().await;
        Stage::over(home, Wanted::default()).await
    });
    follower.go(9);
    follower.until_status(&run, "completed").await;
    next.stop().await;
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, cases: 6, ..ProptestConfig::default() })]

    // proves: C5
    #[test]
    fn any_followers_at_any_moments_see_every_entry_once(cuts in prop::collection::vec(prop::collection::vec(1_u64..9, 0..5), 1..12), pauses in prop::collection::vec(0_u64..6, 12)) {
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
        runtime.block_on(async {
            let stage = Stage::open().await;
            stage.go(0);
            let run = stage.start("steps", "12").await;
            let followers = cuts.into_iter().map(async |cuts| {
                let mut seen: Vec<u64> = Vec::new();
                for cut in cuts {
                    let mut left = cut;
                    let (sent, ended) = follow(&stage, &run, seen.last().copied(), |sent| {
                        left -= u64::from(sent.id.is_some());
                        left > 0
                    }).await;
                    seen.extend(numbers(&sent));
                    if ended {
                        break;
                    }
                }
                let (sent, ended) = follow(&stage, &run, seen.last().copied(), |_| true).await;
                assert!(ended);
                seen.extend(numbers(&sent));
                seen
            });
            let folder = stage.folder.path().to_owned();
            let working = async {
                for (step, pause) in (1..).zip(pauses) {
                    tokio::time::sleep(Duration::from_millis(pause)).await;
                    go(&folder, step);
                }
            };
            let (all, ()) = futures::future::join(futures::future::join_all(followers), working).await;
            for seen in all {
                assert_eq!(seen, (1..=seen.len() as u64).collect::<Vec<_>>());
                assert!(seen.len() > 36);
            }
        });
    }
}
