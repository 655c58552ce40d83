//! What users make of their runs: titles, pins, searches in what runs came to, and links for others.

use conformance::story::Story;
use reqwest::Method;
use run::log::Status;
use serde_json::{Value, json};

use crate::contract::{Contract, DELETE, GET, POST, Set, Told};
use crate::patience::until;
use crate::stage::{ALICE, BOB, Stage, Wanted};

const PATCH: Method = Method::PATCH;
const SHARED: [&str; 4] =
    ["/api/shared", "/api/shared/result", "/api/shared/report", "/api/shared/evidence"];

/// Reads by a link, as somebody without an account.
async fn read(stage: &Stage, contract: &Contract, target: &str, token: &str) -> Told {
    let request = stage.client.get(stage.url(target)).header("x-quaestio-share", token);
    contract.send(GET, target, request).await
}

pub(crate) async fn as_described(set: &Set) {
    let run = set.start("cite", "Who ran?").await;
    set.stage.until_status(&run, "completed").await;
    let path = format!("/api/runs/{run}");
    let told = set.call(PATCH, &path, Some(json!({"title": " The  foxes ", "pinned": true}))).await;
    assert_eq!((told.status, &told.body["title"]), (200, &json!("The foxes")));
    assert_eq!(told.body["pinned"], true);
    let told = set.call(PATCH, &path, Some(json!({"pinned": false}))).await;
    assert_eq!((&told.body["title"], &told.body["pinned"]), (&json!("The foxes"), &json!(false)));
    for wrong in [json!({"title": "x".repeat(201)}), json!({"name": "x"}), json!({"pinned": 1})] {
        let told = set.call(PATCH, &path, Some(wrong.clone())).await;
        assert_eq!((told.status, told.kind()), (422, "invalid"), "{wrong}");
    }
    assert_eq!(set.get("/api/settings").await["sharing"], true);
    let told = set.call(POST, &format!("{path}/shares"), None).await;
    let (share, token) = (told.text("/share_id"), told.text("/token"));
    assert_eq!(told.status, 201);
    let list = set.get(&format!("{path}/shares")).await;
    assert_eq!(list["shares"][0]["share_id"], json!(share));
    assert!(
        !list.to_string().contains(token.split_once('.').unwrap().1),
        "its secret is told once"
    );
    let state = read(&set.stage, &set.contract, "/api/shared", &token).await.body;
    assert_eq!((&state["question"], &state["title"]), (&json!("Who ran?"), &json!("The foxes")));
    let result = read(&set.stage, &set.contract, "/api/shared/result", &token).await.body;
    assert_eq!(result["question"], "Who ran?");
    let report = read(&set.stage, &set.contract, "/api/shared/report", &token).await.body;
    assert_eq!(report["html"], "<p>report</p>");
    let told = read(&set.stage, &set.contract, "/api/shared/evidence", &token).await;
    assert_eq!(told.status, 200);
    let link = format!("{path}/shares/{share}");
    assert_eq!(set.call(DELETE, &link, None).await.status, 204);
    assert_eq!(set.call(DELETE, &link, None).await.status, 404);
}

// proves: F3
#[tokio::test(flavor = "multi_thread")]
async fn a_run_is_found_by_its_title_and_by_what_it_came_to() {
    let set = Set::up().await;
    let (first, second) = (set.start("steps", "1").await, set.start("steps", "2").await);
    for run in [&first, &second] {
        set.stage.until_status(run, "completed").await;
    }
    let found = async |query: &str| {
        let body = set.get(&format!("/api/runs?{query}")).await;
        let runs = body["runs"].as_array().unwrap().clone();
        runs.into_iter().map(|run| run["run_id"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    // The report of every run says so; its text is stored just after the run has ended.
    let runs = until("both are found by their reports", async || {
        let runs = set.get("/api/runs?q=REPORT").await["runs"].clone();
        if runs.as_array().unwrap().len() == 2 { Ok(runs) } else { Err(runs) }
    })
    .await;
    assert_eq!((&runs[0]["snippet"], &runs[0]["question"]), (&json!("report"), &json!("2")));
    let titled = json!({"title": "Gulls at sea"});
    set.call(PATCH, &format!("/api/runs/{first}"), Some(titled)).await;
    assert_eq!(found("q=gulls").await, [first.as_str()]);
    set.call(PATCH, &format!("/api/runs/{first}"), Some(json!({"pinned": true}))).await;
    assert_eq!(found("pinned=true").await, [first.as_str()]);
    assert_eq!(found("pinned=false&q=report").await, [second.as_str()]);
    set.call(PATCH, &format!("/api/runs/{first}"), Some(json!({"title": ""}))).await;
    assert_eq!(found("q=gulls").await, Vec::<String>::new());
    // What is kept of a run says nothing about its log.
    assert_eq!(set.get(&format!("/api/runs/{first}")).await["log"]["intact"], true);
}

// proves: F3
#[tokio::test(flavor = "multi_thread")]
async fn a_run_that_ended_elsewhere_is_found_by_what_it_came_to() {
    let folder = Stage::open().await.stop().await;
    // As a command or an earlier version left it.
    let mut story = Story { user: "local".into(), ..Story::new("elsewhere") };
    let mut created = story.create(None);
    created.status = Status::Completed;
    let kept = folder.open().await;
    kept.log.append(created).await.unwrap();
    drop(kept);
    let stage = Stage::over(folder, Wanted::default()).await;
    until("it is found", async || {
        let (_, body) = stage.get("/api/runs?q=report").await;
        if body["runs"][0]["run_id"] == "elsewhere" { Ok(()) } else { Err(body) }
    })
    .await;
}

/// A stage with two users, and a run of alice's that has ended.
async fn shared_stage(wanted: Wanted) -> (Stage, Contract, String) {
    let stage = Stage::with(wanted).await;
    let contract = Contract::of(&stage).await;
    let run = start(&stage, &contract, ALICE, "cite").await;
    (stage, contract, run)
}

/// Starts a run and waits for its end.
async fn start(stage: &Stage, contract: &Contract, who: &str, method: &str) -> String {
    let order = json!({"method": method, "question": "Who ran?"});
    let told = call(stage, contract, who, (POST, "/api/runs"), Some(&order)).await;
    let run = told.text("/run_id");
    until("it has ended", async || {
        let target = format!("/api/runs/{run}");
        let state = call(stage, contract, who, (GET, &target), None).await.body;
        if state["status"] == "completed" { Ok(()) } else { Err(state) }
    })
    .await;
    run
}

async fn call(
    stage: &Stage,
    contract: &Contract,
    who: &str,
    (method, target): (Method, &str),
    body: Option<&Value>,
) -> Told {
    let mut request = stage.client.request(method.clone(), stage.url(target)).bearer_auth(who);
    if let Some(body) = body {
        request = request.json(body);
    }
    contract.send(method, target, request).await
}

// proves: F3, F8
#[tokio::test(flavor = "multi_thread")]
async fn a_link_shows_one_run_and_nothing_else_until_it_is_ended() {
    let (stage, contract, run) = shared_stage(Wanted::with_users()).await;
    let shares = format!("/api/runs/{run}/shares");
    let told = call(&stage, &contract, ALICE, (POST, &shares), None).await;
    let (share, token) = (told.text("/share_id"), told.text("/token"));
    for target in SHARED {
        let told = read(&stage, &contract, target, &token).await;
        assert_eq!(told.status, 200, "{target}: {}", told.body);
        let said = told.body.to_string();
        assert!(!said.contains("alice"), "{target} says whose it is: {said}");
        assert_eq!(told.header("cache-control"), "no-store");
    }
    // It opens nothing else.
    let other = start(&stage, &contract, ALICE, "steps").await;
    for target in [
        format!("/api/runs/{run}"),
        format!("/api/runs/{other}"),
        format!("/api/runs/{run}/export?format=json"),
        shares.clone(),
        "/api/runs".to_owned(),
        "/api/collections".to_owned(),
        "/api/settings".to_owned(),
    ] {
        let path = target.split('?').next().unwrap().to_owned();
        let request = stage.client.get(stage.url(&target)).header("x-quaestio-share", &token);
        let told = contract.send(GET, &path, request).await;
        assert_eq!((told.status, told.kind()), (401, "unauthorised"), "{target}");
    }
    let sent = stage.client.delete(stage.url("/api/shared")).header("x-quaestio-share", &token);
    assert_eq!(sent.send().await.unwrap().status(), 405);
    // Its parts are worth nothing, nor is another link's secret.
    let told = call(&stage, &contract, ALICE, (POST, &shares), None).await;
    let another = told.text("/token");
    let (id, secret) = token.split_once('.').unwrap();
    let wrong = [
        id.to_owned(),
        secret.to_owned(),
        format!("{id}."),
        format!("{id}.{}", another.split_once('.').unwrap().1),
        format!("{id}.{}", secret.to_uppercase()),
        "none.of".to_owned(),
        String::new(),
    ];
    for wrong in &wrong {
        let told = read(&stage, &contract, "/api/shared/report", wrong).await;
        assert_eq!((told.status, told.kind()), (404, "not-found"), "{wrong}");
    }
    // Only its maker ends it.
    let link = format!("{shares}/{share}");
    assert_eq!(call(&stage, &contract, BOB, (DELETE, &link), None).await.status, 404);
    assert_eq!(call(&stage, &contract, BOB, (GET, &shares), None).await.status, 404);
    assert_eq!(call(&stage, &contract, BOB, (POST, &shares), None).await.status, 404);
    assert_eq!(read(&stage, &contract, "/api/shared", &token).await.status, 200);
    assert_eq!(call(&stage, &contract, ALICE, (DELETE, &link), None).await.status, 204);
    for target in SHARED {
        assert_eq!(read(&stage, &contract, target, &token).await.status, 404, "{target}");
    }
    // A removed run ends those that are left.
    assert_eq!(read(&stage, &contract, "/api/shared", &another).await.status, 200);
    let path = format!("/api/runs/{run}");
    assert_eq!(call(&stage, &contract, ALICE, (DELETE, &path), None).await.status, 204);
    assert_eq!(read(&stage, &contract, "/api/shared", &another).await.status, 404);
}

// proves: F8
#[tokio::test(flavor = "multi_thread")]
async fn who_guesses_links_is_slowed_down() {
    let (stage, contract, _) = shared_stage(Wanted::with_users()).await;
    let mut told = Vec::new();
    for number in 0..40 {
        told.push(read(&stage, &contract, "/api/shared", &format!("a{number}.b")).await.status);
    }
    assert_eq!(told[..5], [404; 5]);
    assert!(told.contains(&429), "{told:?}");
}

// proves: F8
#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_shares_nothing_makes_no_link_and_reads_by_none() {
    let wanted = Wanted { sharing: true, ..Wanted::with_users() };
    let (stage, contract, run) = shared_stage(wanted.clone()).await;
    let shares = format!("/api/runs/{run}/shares");
    let made = call(&stage, &contract, ALICE, (POST, &shares), None).await;
    let token = made.text("/token");
    let stage = Stage::over(stage.stop().await, Wanted { sharing: false, ..wanted }).await;
    let told = call(&stage, &contract, ALICE, (POST, &shares), None).await;
    assert_eq!((told.status, told.kind()), (403, "forbidden"));
    assert!(told.text("/hint").contains("server.sharing"), "{}", told.body);
    for target in SHARED {
        let told = read(&stage, &contract, target, &token).await;
        assert_eq!((told.status, told.kind()), (403, "forbidden"), "{target}");
    }
    let settings = call(&stage, &contract, ALICE, (GET, "/api/settings"), None).await.body;
    assert_eq!(settings["sharing"], false);
    // What was made before can still be ended.
    let link = format!("{shares}/{}", made.text("/share_id"));
    assert_eq!(call(&stage, &contract, ALICE, (DELETE, &link), None).await.status, 204);
}

// proves: F8
#[tokio::test(flavor = "multi_thread")]
async fn a_run_that_goes_on_is_not_shared() {
    let set = Set::up().await;
    let run = set.start("greet", "Hello").await;
    set.stage.until_status(&run, "waiting").await;
    let told = set.call(POST, &format!("/api/runs/{run}/shares"), None).await;
    assert_eq!((told.status, told.kind()), (409, "conflict"));
}
