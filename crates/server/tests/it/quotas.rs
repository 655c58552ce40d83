//! Daily quotas of users: what is beyond them is refused until the next day, and what runs already goes on.

use conformance::story::Story;
use futures::future::join_all;
use jiff::{SignedDuration, Timestamp};
use run::log::{Status, Wait};
use run::usage::Day;
use serde_json::{Value, json};
use server::Quotas;

use crate::contract::{Contract, DELETE, GET, POST, Set, Told};
use crate::stage::{ALICE, BOB, Stage, Wanted, tree};

const RUNS: &str = "/api/runs";

async fn with(quotas: Quotas) -> Set {
    let stage = Stage::with(Wanted { quotas, ..Wanted::default() }).await;
    let contract = Contract::of(&stage).await;
    Set { stage, contract }
}

async fn order(set: &Set, question: &str) -> Told {
    set.call(POST, RUNS, Some(json!({ "method": "steps", "question": question }))).await
}

/// Checks that a quota refused a request, until the next day begins.
fn is_refused(told: &Told, key: &str, limit: f64, used: f64) {
    assert_eq!((told.status, told.kind()), (429, "quota"), "{}", told.body);
    let quota = &told.body["quota"];
    assert_eq!(quota["key"], key);
    assert_eq!((&quota["limit"], &quota["used"]), (&json!(limit), &json!(used)));
    let now = Timestamp::now();
    let resets_at: Timestamp = told.text("/quota/resets_at").parse().unwrap();
    assert_eq!(resets_at, Day::of(now - SignedDuration::from_secs(1)).end());
    let left = resets_at.duration_since(now).as_secs();
    let wait: i64 = told.header("retry-after").parse().unwrap();
    assert!((left..left + 5).contains(&wait), "{wait} s, and {left} s are left of the day");
    assert!(told.text("/hint").contains(key), "{}", told.body);
}

async fn count_refusals(set: &Set, key: &str) -> Option<u64> {
    let told = set.call(GET, "/metrics", None).await;
    let text = String::from_utf8(told.bytes).unwrap();
    let name = format!("quaestio_quota_refusals_total{{quota=\"{key}\"}} ");
    text.lines().find_map(|line| line.strip_prefix(&name)?.parse().ok())
}

// proves: C6, F2, F8
#[tokio::test(flavor = "multi_thread")]
async fn runs_beyond_the_quota_are_refused_whatever_became_of_the_others_and_after_a_restart() {
    let quotas = Quotas { runs: Some(2), ..Quotas::default() };
    let set = with(quotas).await;
    set.stage.go(9);
    let first = order(&set, "1").await.text("/run_id");
    let keyed = async || {
        let request = set.stage.client.post(set.stage.url(RUNS)).header("idempotency-key", "k");
        let order = json!({ "method": "steps", "question": "1" });
        set.contract.send(POST, RUNS, request.json(&order)).await
    };
    let second = keyed().await;
    assert_eq!(second.status, 201);
    is_refused(&order(&set, "1").await, "quotas.runs_per_day", 2.0, 2.0);
    // The same request once more starts nothing.
    let again = keyed().await;
    assert_eq!((again.status, again.text("/run_id")), (200, second.text("/run_id")));
    // Nor does a fork, another way to start, or a run that made room.
    set.stage.until_status(&first, "completed").await;
    let fork = json!({ "from": "work" });
    let forked = set.call(POST, &format!("/api/runs/{first}/fork"), Some(fork)).await;
    is_refused(&forked, "quotas.runs_per_day", 2.0, 2.0);
    let workflow = json!({ "user_message": "Go" });
    let started = set.call(POST, "/api/workflows", Some(workflow)).await;
    is_refused(&started, "quotas.runs_per_day", 2.0, 2.0);
    let removed = set.call(DELETE, &format!("/api/runs/{first}"), None).await;
    assert_eq!(removed.status, 204);
    is_refused(&order(&set, "1").await, "quotas.runs_per_day", 2.0, 2.0);
    assert_eq!(count_refusals(&set, "quotas.runs_per_day").await, Some(4));
    let folder = set.stage.stop().await;
    let stage = Stage::over(folder, Wanted { quotas, ..Wanted::default() }).await;
    let set = Set { contract: Contract::of(&stage).await, stage };
    is_refused(&order(&set, "1").await, "quotas.runs_per_day", 2.0, 2.0);
}

// proves: C6, F8
#[tokio::test(flavor = "multi_thread")]
async fn of_many_orders_at_once_as_many_are_started_as_the_quota_allows_each_user() {
    let quotas = Quotas { runs: Some(5), ..Quotas::default() };
    let stage = Stage::with(Wanted { quotas, ..Wanted::with_users() }).await;
    let order = async |token: &str| {
        let order = json!({ "method": "steps", "question": "1" });
        let request = stage.client.post(stage.url(RUNS)).bearer_auth(token).json(&order);
        Told::by(request).await.status
    };
    let orders = (0..20).flat_map(|_| [order(ALICE), order(BOB)]);
    let mut told = join_all(orders).await;
    told.sort_unstable();
    assert_eq!(told, [vec![201; 10], vec![429; 30]].concat());
}

// proves: C6
#[tokio::test(flavor = "multi_thread")]
async fn what_runs_spend_counts_and_none_that_has_begun_is_stopped() {
    let quotas = Quotas { tokens: Some(1), cost_usd_micros: Some(2_500_000), ..Quotas::default() };
    let set = with(quotas).await;
    let talk = json!({ "method": "talk", "question": "Go", "model": "stage/speaker" });
    let first = set.call(POST, RUNS, Some(talk)).await.text("/run_id");
    // It spends more than the quota, and ends as it would have.
    let state = set.stage.until_status(&first, "completed").await;
    let used = state["tokens"].as_f64().unwrap();
    assert!(used > 1.0, "{state}");
    is_refused(&order(&set, "1").await, "quotas.tokens_per_day", 1.0, used);

    let set = with(Quotas { tokens: None, ..quotas }).await;
    let kept = set.stage.folder.open().await;
    let spend = async |run: &str, at: Timestamp, cost_usd_micros: u64| {
        let mut story = Story { user: "local".into(), ..Story::new(run) };
        let mut create = story.create(Some(kept.storage.owner()));
        (create.at, create.spent.cost_usd_micros) = (at, cost_usd_micros);
        kept.log.append(create).await.unwrap();
        let end = story.turn("done", Status::Completed, Wait::Durable);
        let mut end = run::log::Append { at, ..end };
        end.spent.cost_usd_micros = cost_usd_micros;
        kept.log.append(end).await.unwrap();
    };
    let now = Timestamp::now();
    // What was spent on earlier days does not count.
    spend("earlier", Day::of(now).begin() - SignedDuration::from_secs(1), 9_000_000).await;
    spend("today", now, 2_499_999).await;
    assert_eq!(order(&set, "1").await.status, 201);
    spend("more", now, 1_250_001).await;
    is_refused(&order(&set, "1").await, "quotas.cost_usd_per_day", 2.5, 3.75);
}

// proves: C6, F2
#[tokio::test(flavor = "multi_thread")]
async fn uploads_beyond_the_quota_are_refused_and_leave_nothing() {
    let set = with(Quotas { uploaded_bytes: Some(100), ..Quotas::default() }).await;
    let upload =
        async |name: &str, bytes: usize| set.upload("papers", name, &"x".repeat(bytes)).await;
    assert_eq!(upload("first.txt", 60).await.status, 201);
    is_refused(&upload("large.txt", 41).await, "quotas.bytes_per_day", 100.0, 60.0);
    // One whose length is not told before shows it when it is here.
    let pieces = (0..41).map(|_| Ok::<_, std::io::Error>(bytes::Bytes::from_static(b"x")));
    let target = "/api/collections/papers/documents";
    let unknown = set.stage.client.post(set.stage.url(target)).query(&[("name", "unknown.txt")]);
    let unknown = unknown.header("content-type", "application/octet-stream");
    let body = reqwest::Body::wrap_stream(futures::stream::iter(pieces));
    let unknown = set.contract.send(POST, target, unknown.body(body)).await;
    is_refused(&unknown, "quotas.bytes_per_day", 100.0, 60.0);
    let survey = async |bytes: usize| {
        let target = "/api/surveys/bus";
        let request = set.stage.client.post(set.stage.url(target)).query(&[("name", "wave.csv")]);
        let request = request.header("content-type", "application/octet-stream");
        set.contract.send(POST, target, request.body("x".repeat(bytes))).await
    };
    assert_eq!(survey(40).await.status, 201, "what fits exactly");
    is_refused(&survey(1).await, "quotas.bytes_per_day", 100.0, 100.0);
    let uploads = tree(&set.stage.folder.path().join("uploads"));
    assert!(
        uploads.iter().all(|path| !path.contains('/') || path.ends_with(".lock")),
        "{uploads:?}"
    );
    let listed: Value = set.get(target).await;
    assert_eq!(listed["total"], 1, "{listed}");
    // Runs have no quota here.
    assert_eq!(order(&set, "1").await.status, 201);
    let kept = set.stage.folder.open().await;
    let today = kept.usage.usage("local", Day::of(Timestamp::now())).await.unwrap();
    assert_eq!((today.runs, today.uploaded_bytes), (1, 100));
}
