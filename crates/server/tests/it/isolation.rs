//! What is alice's does not exist for bob: over every operation of the document that takes an id, and in every list.

use reqwest::{Client, Method};
use serde_json::{Value, json};

use crate::contract::{Contract, GET, Operation, POST, Told, build_order};
use crate::patience::until;
use crate::stage::{ALICE, BOB, Stage, Wanted, plan};

/// A stage with two users.
struct Both {
    stage: Stage,
    contract: Contract,
}

impl Both {
    async fn up() -> Both {
        let stage = Stage::with(Wanted::with_users()).await;
        let contract = Contract::of(&stage).await;
        Both { stage, contract }
    }

    async fn call(&self, who: &str, method: Method, target: &str, body: Option<&Value>) -> Told {
        let client: &Client = &self.stage.client;
        let mut request = client.request(method.clone(), self.stage.url(target)).bearer_auth(who);
        if let Some(body) = body {
            request = request.json(body);
        }
        self.contract.send(method, target, request).await
    }

    async fn get(&self, who: &str, target: &str) -> Value {
        let told = self.call(who, GET, target, None).await;
        assert_eq!(told.status, 200, "{target}: {}", told.body);
        told.body
    }

    async fn upload(&self, who: &str, collection: &str, text: &'static str) -> Told {
        let target = format!("/api/collections/{collection}/documents");
        let request = self.stage.client.post(self.stage.url(&target)).query(&[("name", "a.txt")]);
        let request = request.header("content-type", "application/octet-stream").bearer_auth(who);
        self.contract.send(POST, &target, request.body(text)).await
    }

    async fn bring(&self, who: &str, survey: &str, text: &'static str) -> Told {
        let target = format!("/api/surveys/{survey}");
        let request = self.stage.client.post(self.stage.url(&target)).query(&[("name", "a.csv")]);
        let request = request.header("content-type", "application/octet-stream").bearer_auth(who);
        self.contract.send(POST, &target, request.body(text)).await
    }

    async fn start(&self, who: &str, method: &str, question: &str) -> String {
        let told = self.call(who, POST, "/api/runs", Some(&build_order(method, question))).await;
        assert_eq!(told.status, 201, "{}", told.body);
        told.text("/run_id")
    }

    async fn until(&self, who: &str, run: &str, status: &str) -> Value {
        until(&format!("run {run} is {status}"), async || {
            let state = self.get(who, &format!("/api/runs/{run}")).await;
            if state["status"] == status { Ok(state) } else { Err(state) }
        })
        .await
    }
}

/// Returns a request of the operation with the ids of somebody's things.
fn request(operation: &Operation, ids: &Value, plan_hash: &Value) -> (String, Option<Value>) {
    let mut target = operation.path.clone();
    for (name, id) in ids.as_object().unwrap() {
        target = target.replace(&format!("{{{name}}}"), id.as_str().unwrap());
    }
    assert!(!target.contains('{'), "an id of a new kind: {target}");
    let body = match operation.id.as_str() {
        "answer" => json!({ "answer": "Eve" }),
        "edit_plan" => json!({ "revision": 1, "plan_hash": plan_hash, "plan": plan() }),
        "approve_plan" => json!({ "revision": 1, "plan_hash": plan_hash }),
        "fork_run" => json!({ "from": "work #1" }),
        "answer_questions" => json!({ "answers": { "q1": "Eve" } }),
        "approve_workflow" => json!({ "revision": 1, "plan_hash": plan_hash }),
        "replace_context" => json!({ "name": "Eve" }),
        _ => json!({}),
    };
    if operation.id == "export_run" {
        target += "?format=json";
    }
    (target, (operation.method != GET).then_some(body))
}

// proves: F8
#[tokio::test(flavor = "multi_thread")]
async fn what_is_one_user_s_does_not_exist_for_another() {
    let both = Both::up().await;
    let document =
        both.upload(ALICE, "hers", "alice wrote this").await.text("/document/document_id");
    assert_eq!(both.bring(ALICE, "hers", "alice,asked\n1,2\n").await.status, 201);
    let done = both.start(ALICE, "steps", "2").await;
    let asks = both.start(ALICE, "greet", "Hello").await;
    let proposes = both.start(ALICE, "planned", "Look").await;
    both.until(ALICE, &done, "completed").await;
    both.until(ALICE, &asks, "waiting").await;
    let gate = both.until(ALICE, &proposes, "waiting").await["gates"][0].clone();
    let kept = json!({ "name": "Hers", "id": "hers" });
    assert_eq!(both.call(ALICE, POST, "/api/contexts", Some(&kept)).await.status, 201);
    let shares = format!("/api/runs/{done}/shares");
    let share = both.call(ALICE, POST, &shares, None).await.text("/share_id");
    let everything = async || {
        let mut all = Vec::new();
        for target in [
            "/api/contexts".to_owned(),
            "/api/surveys".to_owned(),
            "/api/surveys/hers".to_owned(),
            format!("/api/runs/{done}"),
            shares.clone(),
            format!("/api/runs/{asks}"),
            format!("/api/runs/{proposes}"),
            format!("/api/documents/{document}"),
            "/api/runs".to_owned(),
            "/api/collections?all=true".to_owned(),
            "/api/collections/hers/documents".to_owned(),
        ] {
            all.push(both.get(ALICE, &target).await);
        }
        all
    };
    let before = everything().await;
    let mut tried = 0;
    for operation in both.contract.operations() {
        // An upload makes the collection or the survey, whatever its name; that comes below.
        let makes = ["upload_document", "upload_survey_file"].contains(&operation.id.as_str());
        if !operation.path.contains('{') || makes {
            continue;
        }
        for run in [&done, &asks, &proposes] {
            let ids = json!({
                "run_id": run, "other_id": run, "workflow_id": run, "collection": "hers", "document_id": document, "context_id": "hers", "survey": "hers",
                "chunk_id": format!("{document}-1"), "share_id": share,
            });
            let (target, body) = request(&operation, &ids, &gate["plan_hash"]);
            let told = both.call(BOB, operation.method.clone(), &target, body.as_ref()).await;
            let what = format!("{} {target}: {}", operation.id, told.body);
            assert_eq!((told.status, told.kind()), (404, "not-found"), "{what}");
            assert!(!told.body.to_string().contains("alice"), "{what}");
            // Nobody can tell it from what is nobody's.
            let nobody = json!({ "run_id": "r0", "other_id": "r0", "workflow_id": "r0", "collection": "c0", "document_id": "d0", "chunk_id": "d0-1", "context_id": "x0", "survey": "s0", "share_id": "l0" });
            let (absent, body) = request(&operation, &nobody, &gate["plan_hash"]);
            let absent = both.call(BOB, operation.method.clone(), &absent, body.as_ref()).await;
            let plain = |told: &Told, ids: &Value| {
                let mut text = told.body["detail"].as_str().unwrap().to_owned();
                for id in ids.as_object().unwrap().values() {
                    text = text.replace(&format!("'{}'", id.as_str().unwrap()), "'ID'");
                    text = text.replace(&format!(" {} ", id.as_str().unwrap()), " ID ");
                }
                text
            };
            assert_eq!(plain(&told, &ids), plain(&absent, &nobody), "{what}");
            tried += 1;
        }
    }
    assert!(tried > 50, "{tried}");
    // Nor is a run of one's own compared with it.
    let his = both.start(BOB, "steps", "2").await;
    for (run, other) in [(&his, &done), (&done, &his)] {
        let told = both.call(BOB, GET, &format!("/api/runs/{run}/diff/{other}"), None).await;
        assert_eq!((told.status, told.kind()), (404, "not-found"), "{}", told.body);
    }
    assert_eq!(everything().await, before, "and nothing has changed");
    // What he uploads under the name of her collection, and of her document, makes his own.
    let told = both.upload(BOB, "hers", "bob wrote that").await;
    assert_eq!((told.status, told.text("/put")), (201, "added".to_owned()), "{}", told.body);
    let his = told.text("/document/document_id");
    assert_ne!(his, document);
    let list = both.get(BOB, "/api/collections/hers/documents").await;
    assert_eq!(list["documents"].as_array().unwrap().len(), 1);
    assert_eq!(list["documents"][0]["document_id"], json!(his));
    assert_eq!(both.call(ALICE, GET, &format!("/api/documents/{his}"), None).await.status, 404);
    assert_eq!(both.call(BOB, GET, &format!("/api/documents/{document}"), None).await.status, 404);
    assert_eq!(both.bring(BOB, "hers", "bob,asked\n1,2\n").await.status, 201);
    let his = both.get(BOB, "/api/surveys/hers").await;
    assert_eq!(his["files"].as_array().unwrap().len(), 1, "his own, which begins with his file");
    assert_eq!(everything().await, before, "hers is as it was");
    assert!(!both.stage.done().iter().any(|line| line.ends_with("executed")));
}

// proves: F8
#[tokio::test(flavor = "multi_thread")]
async fn the_lists_of_one_user_show_nothing_of_another() {
    let both = Both::up().await;
    both.upload(ALICE, "papers", "alice wrote this").await;
    both.upload(ALICE, "run-1", "alice found this").await;
    both.bring(ALICE, "riders", "alice,asked\n1,2\n").await;
    let hers = both.start(ALICE, "greet", "Does alice like apples?").await;
    both.until(ALICE, &hers, "waiting").await;
    for (target, list) in [
        ("/api/runs".to_owned(), "runs"),
        ("/api/runs?q=apples".to_owned(), "runs"),
        ("/api/runs?status=waiting".to_owned(), "runs"),
        ("/api/runs?method=greet&limit=200".to_owned(), "runs"),
        ("/api/collections".to_owned(), "collections"),
        ("/api/collections?all=true".to_owned(), "collections"),
        ("/api/surveys".to_owned(), "surveys"),
    ] {
        assert_eq!(both.get(BOB, &target).await[list], json!([]), "{target}");
        assert_ne!(both.get(ALICE, &target).await[list], json!([]), "{target}");
    }
    let told = both.call(BOB, GET, &format!("/api/runs?before={hers}"), None).await;
    assert_eq!(told.status, 404, "her run is no place to go on from");
    // A collection of the same name is another collection.
    let his = both.upload(BOB, "papers", "bob wrote that").await.text("/document/document_id");
    let told = both.upload(BOB, "papers", "bob wrote that").await;
    assert_eq!(told.text("/put"), "unchanged");
    let list = both.get(BOB, "/api/collections/papers/documents").await;
    assert_eq!(list["documents"].as_array().unwrap().len(), 1);
    assert_eq!(
        both.get(BOB, &format!("/api/documents/{his}/text")).await["after"],
        "bob wrote that"
    );
    let told = both.call(BOB, Method::DELETE, "/api/collections/papers", None).await;
    assert_eq!(told.status, 204);
    let list = both.get(ALICE, "/api/collections/papers/documents").await;
    let hers = list["documents"][0]["document_id"].as_str().unwrap();
    let text = both.get(ALICE, &format!("/api/documents/{hers}/text")).await;
    assert_eq!(text["after"], "alice wrote this");
}

// proves: F8
#[tokio::test(flavor = "multi_thread")]
async fn one_key_of_two_users_starts_two_runs() {
    let both = Both::up().await;
    let start = async |who: &str, question: &str| {
        let request = both.stage.client.post(both.stage.url("/api/runs")).bearer_auth(who);
        let request =
            request.header("Idempotency-Key", "the-same").json(&build_order("greet", question));
        both.contract.send(POST, "/api/runs", request).await
    };
    let hers = start(ALICE, "Hello").await;
    let his = start(BOB, "Hello").await;
    assert_eq!((hers.status, his.status), (201, 201));
    assert_ne!(hers.text("/run_id"), his.text("/run_id"));
    assert_eq!(start(BOB, "Hello").await.text("/run_id"), his.text("/run_id"));
    assert_eq!(start(ALICE, "Bye").await.status, 422);
}

// proves: F8
#[tokio::test(flavor = "multi_thread")]
async fn without_a_token_every_operation_that_works_for_somebody_is_refused() {
    let both = Both::up().await;
    let open = ["get_session", "sign_in", "sign_out", "is_live", "is_ready", "get_openapi"];
    // What a link opens is read with the link alone.
    let by_link = ["get_shared", "get_shared_result", "get_shared_report", "get_shared_evidence"];
    let mut operations = both.contract.operations();
    let is_open = |id: &str| open.contains(&id) || by_link.contains(&id);
    operations.retain(|operation| !is_open(&operation.id));
    assert!(operations.iter().any(|operation| operation.id == "get_metrics"));
    // Those who are not known are counted, so every few of the requests have a server of their own.
    for few in operations.chunks(15) {
        let stage = Stage::with(Wanted::with_users()).await;
        for operation in few {
            let ids = json!({ "run_id": "r", "other_id": "r", "workflow_id": "r", "collection": "c", "document_id": "d", "chunk_id": "d-1", "context_id": "x", "survey": "s", "share_id": "l" });
            let (target, _) = request(operation, &ids, &json!(""));
            let request = stage.client.request(operation.method.clone(), stage.url(&target));
            let told = both.contract.send(operation.method.clone(), &target, request).await;
            let what = format!("{} {target}", operation.id);
            assert_eq!((told.status, told.kind()), (401, "unauthorised"), "{what}");
        }
    }
}
