//! What whoever runs the server needs: counts, ids that lead from one line of a log to the others, tokens that change, and a stop that loses nothing.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::time::Duration;

use run::log::LogError;
use server::Tokens;

use crate::contract::Told;
use crate::patience::{until, within};
use crate::stage::{ALICE, BOB, Stage, Wanted, go};

async fn page(
    stage: &Stage,
    address: SocketAddr,
    path: &str,
    token: Option<&str>,
) -> (u16, String) {
    let mut request = stage.client.get(format!("http://{address}{path}"));
    if let Some(token) = token {
        request = request.bearer_auth(token);
    }
    let told = Told::by(request).await;
    (told.status, String::from_utf8(told.bytes).unwrap())
}

// proves: C1, F2
#[tokio::test(flavor = "multi_thread")]
async fn steps_under_way_end_before_the_server_stops_and_none_is_done_twice() {
    let stage = Stage::with(Wanted { drain: Duration::from_secs(600), ..Wanted::default() }).await;
    stage.go(0);
    let run = stage.start("steps", "3").await;
    stage.until_step(&run, 1).await;
    let (folder, url) = (stage.folder.clone(), stage.url("/health/ready"));
    let client = stage.client.clone();
    let stopping = tokio::spawn(stage.stop());
    until("the server says that it is about to stop", async || {
        let status = client.get(&url).send().await.unwrap().status().as_u16();
        if status == 503 { Ok(()) } else { Err(status) }
    })
    .await;
    assert!(!stopping.is_finished(), "a step is under way");
    go(folder.path(), 9);
    let folder = within("the server has stopped", stopping).await.unwrap();
    let stage = Stage::over(folder, Wanted::default()).await;
    let state = stage.until_status(&run, "completed").await;
    assert_eq!(state["usage"]["lost_calls"], 0);
    let mut doings = BTreeMap::new();
    for line in stage.done() {
        *doings.entry(line).or_insert(0) += 1;
    }
    let once = |step: u32| doings.get(&format!("{run} {step}")) == Some(&1);
    assert!((1..=3).all(once), "{doings:?}");
}

// proves: F8
#[tokio::test(flavor = "multi_thread")]
async fn metrics_have_an_address_or_a_token_of_their_own() {
    let stage = Stage::with(Wanted { metrics_alone: true, ..Wanted::with_users() }).await;
    let alone = stage.metrics.unwrap();
    assert_eq!(page(&stage, alone, "/metrics", None).await.0, 200);
    assert_eq!(page(&stage, stage.address, "/metrics", Some(ALICE)).await.0, 404);
    for path in ["/api/runs", "/", "/openapi.json"] {
        assert_eq!(page(&stage, alone, path, Some(ALICE)).await.0, 404, "{path}");
    }
    let monitor = "metrics-token-0123456789".to_owned();
    let metrics_tokens = format!("metrics {monitor}");
    for metrics_alone in [false, true] {
        let metrics_tokens = metrics_tokens.clone();
        let stage =
            Stage::with(Wanted { metrics_alone, metrics_tokens, ..Wanted::with_users() }).await;
        let address = stage.metrics.unwrap_or(stage.address);
        assert_eq!(page(&stage, address, "/metrics", Some(&monitor)).await.0, 200);
        for other in [None, Some(ALICE)] {
            assert_eq!(page(&stage, address, "/metrics", other).await.0, 401);
        }
        assert_eq!(page(&stage, stage.address, "/api/runs", Some(&monitor)).await.0, 401);
    }
}

// proves: C5
#[tokio::test(flavor = "multi_thread")]
async fn a_monitor_sees_what_waits_who_was_asked_and_what_the_process_takes() {
    let stage = Stage::with(Wanted { max_running: 1, ..Wanted::default() }).await;
    stage.go(0);
    let waits = stage.start("greet", "Hello").await;
    stage.until_status(&waits, "waiting").await;
    let works = stage.start("steps", "1").await;
    stage.until_status(&works, "running").await;
    let queued = stage.start("steps", "1").await;
    let (_, text) = page(&stage, stage.address, "/metrics", None).await;
    for line in [
        "quaestio_runs{status=\"queued\"} 1",
        "quaestio_runs{status=\"running\"} 1",
        "quaestio_runs{status=\"waiting\"} 1",
        "quaestio_runs_at_work 1",
        "quaestio_runs_hindered 0",
        "quaestio_oldest_queued_run_seconds 0.0",
        "quaestio_build_info{version=\"0.1.0\"} 1",
    ] {
        assert!(text.lines().any(|told| told == line), "no {line} in {text}");
    }
    for name in ["quaestio_database_bytes", "process_resident_memory_bytes", "process_open_fds"] {
        let line = text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
        assert!(line.unwrap().parse::<u64>().unwrap() > 0, "{name}");
    }
    stage.go(9);
    stage.until_status(&queued, "completed").await;
    let order = serde_json::json!({"method": "talk", "question": "Go", "model": "stage/speaker"});
    let (_, run) = stage.post("/api/runs", order).await;
    stage.until_status(run["run_id"].as_str().unwrap(), "completed").await;
    let (_, text) = page(&stage, stage.address, "/metrics", None).await;
    let calls = "quaestio_model_calls_total{provider=\"stage\",model=\"stage/speaker\",outcome=\"answered\"} 1";
    let timed =
        "quaestio_model_call_duration_seconds_count{provider=\"stage\",model=\"stage/speaker\"} 1";
    // Three runs stood in the queue; none of them was taken over.
    let waited = "quaestio_queue_wait_seconds_count 4";
    let lost = "quaestio_leases_lost_total 0";
    for line in [calls, timed, waited, lost] {
        assert!(text.lines().any(|told| told == line), "no {line} in {text}");
    }
    let appends = read_metric(&text, "quaestio_append_duration_seconds_count");
    // Each of these runs waited for the disk at its step or its question, and at its end.
    assert!(appends.unwrap() >= 7.0, "{text}");
    for (histogram, least, most) in [
        ("quaestio_queue_wait_seconds", "0.01", "10485.76"),
        ("quaestio_append_duration_seconds", "0.0005", "4.096"),
    ] {
        for bound in [least, most, "+Inf"] {
            let bucket = format!("{histogram}_bucket{{le=\"{bound}\"}}");
            assert!(read_metric(&text, &bucket).is_some(), "no {bucket} in {text}");
        }
    }
}

fn read_metric(text: &str, name: &str) -> Option<f64> {
    text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' ')?.parse().ok())
}

// proves: S2, C1, F7
#[tokio::test(flavor = "multi_thread")]
async fn a_lost_lease_is_counted_where_it_was_lost() {
    let stage = Stage::open().await;
    stage.go(0);
    let run = stage.start("steps", "1").await;
    stage.until_step(&run, 1).await;
    // As if this process had been silent for so long that another one takes the run over.
    let other = stage.folder.open().await;
    let name = other.storage.owner();
    let Err(LogError::Busy { owner, .. }) = other.log.claim("local", &run, name).await else {
        panic!("the server does not hold the run");
    };
    other.log.release("local", &run, &owner).await.unwrap();
    other.log.claim("local", &run, name).await.unwrap();
    stage.go(9);
    until("the loss is counted", async || {
        let (_, text) = page(&stage, stage.address, "/metrics", None).await;
        let lost = read_metric(&text, "quaestio_leases_lost_total");
        if lost == Some(1.0) { Ok(()) } else { Err(lost) }
    })
    .await;
    let told = stage.told.lock().unwrap().clone();
    assert!(told.iter().any(|line| line.ends_with(&format!("local {run} lost"))), "{told:?}");
}

// proves: F8
#[tokio::test(flavor = "multi_thread")]
async fn tokens_that_are_read_again_hold_from_the_next_request_on() {
    let stage = Stage::with(Wanted::with_users()).await;
    let gets = async |token: &str| page(&stage, stage.address, "/api/runs", Some(token)).await.0;
    assert_eq!((gets(ALICE).await, gets(BOB).await), (200, 200));
    let fresh = "alice-s-other-token-0123";
    stage.tokens.replace(&Tokens::read(&format!("alice {fresh}\nbob {BOB}")).unwrap());
    assert_eq!((gets(ALICE).await, gets(fresh).await, gets(BOB).await), (401, 200, 200));
}

// proves: C5
#[tokio::test(flavor = "multi_thread")]
async fn every_line_about_a_run_names_its_user_and_the_request_that_ordered_it() {
    let stage = Stage::with(Wanted::with_users()).await;
    let order = serde_json::json!({"method": "steps", "question": "1"});
    let request = stage.client.post(stage.url("/api/runs")).bearer_auth(ALICE).json(&order);
    let told = Told::by(request.header("x-request-id", "order-7")).await;
    assert_eq!((told.status, told.header("x-request-id")), (201, "order-7"));
    let run = told.text("/run_id");
    let ended = format!("order-7 alice {run} ended");
    until("the run has ended", async || {
        let told = stage.told.lock().unwrap().clone();
        if told.contains(&ended) { Ok(()) } else { Err(told) }
    })
    .await;
    let told = stage.told.lock().unwrap().clone();
    assert!(told.contains(&format!("order-7 alice {run} POST /api/runs")), "{told:?}");
    assert!(told.contains(&format!("order-7 alice {run} taken_up")), "{told:?}");
    // An id that is none of the kind is not repeated, and every request has one.
    for odd in ["a b", &"x".repeat(65), "<script>"] {
        let request = stage.client.get(stage.url(&format!("/api/runs/{run}"))).bearer_auth(ALICE);
        let told = Told::by(request.header("x-request-id", odd)).await;
        let id = told.header("x-request-id").to_owned();
        assert!(id.len() == 32 && id != odd, "{id}");
        let line = format!("{id} alice {run} GET /api/runs/{run}");
        assert!(stage.told.lock().unwrap().contains(&line), "{line}");
    }
}
