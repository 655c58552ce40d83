//! The same request, sent again: with a key, what it asks for is done once.

use futures::future::join_all;
use serde_json::{Value, json};

use crate::contract::{POST, Set, Told};

/// Sends a request that names a key.
async fn keyed(set: &Set, target: &str, key: &str, body: Value) -> Told {
    let request = set.stage.client.post(set.stage.url(target)).json(&body);
    set.contract.send(POST, target, request.header("idempotency-key", key)).await
}

async fn upload(set: &Set, name: &str, key: &str, text: &str) -> Told {
    let target = format!("/api/collections/tides/documents?name={name}");
    let request = set.stage.client.post(set.stage.url(&target)).body(text.to_owned());
    let request = request.header("content-type", "application/octet-stream");
    set.contract.send(POST, &target, request.header("idempotency-key", key)).await
}

// proves: F2, C12
#[tokio::test(flavor = "multi_thread")]
async fn a_fork_with_a_key_is_made_once_however_often_it_is_asked_for() {
    let set = Set::up().await;
    let run = set.start("steps", "2").await;
    set.stage.until_status(&run, "completed").await;
    let target = format!("/api/runs/{run}/fork");
    let fork = || keyed(&set, &target, "one", json!({"from": "work #2"}));
    let made = join_all((0..8).map(|_| fork())).await;
    let ids: Vec<String> = made.iter().map(|told| told.text("/run_id")).collect();
    assert!(ids.iter().all(|id| *id == ids[0] && *id != run), "{ids:?}");
    let mut statuses: Vec<u16> = made.iter().map(|told| told.status).collect();
    statuses.sort_unstable();
    assert_eq!(statuses, [200, 200, 200, 200, 200, 200, 200, 201]);
    let other = keyed(&set, &target, "one", json!({"from": "work #1"})).await;
    assert_eq!((other.status, other.kind()), (422, "invalid"), "{}", other.body);
    let another = keyed(&set, &target, "two", json!({"from": "work #2"})).await;
    assert_eq!(another.status, 201);
    assert_eq!(set.get("/api/runs").await["runs"].as_array().unwrap().len(), 3);
}

// proves: F2, A6
#[tokio::test(flavor = "multi_thread")]
async fn a_file_with_a_key_is_read_once_and_a_late_copy_replaces_nothing() {
    let set = Set::up().await;
    let first = upload(&set, "tides.txt", "one", "Tides turn.").await;
    assert_eq!((first.status, &first.body["put"]), (201, &json!("added")));
    let newer = upload(&set, "tides.txt", "two", "Tides turn twice a day.").await;
    assert_eq!((newer.status, &newer.body["put"]), (201, &json!("replaced")));
    // What was sent first, and answered into the void, comes once more.
    let again = upload(&set, "tides.txt", "one", "Tides turn.").await;
    assert_eq!((again.status, &again.body), (200, &first.body));
    let id = newer.text("/document/document_id");
    let text = set.get(&format!("/api/documents/{id}/text")).await;
    assert_eq!(text["after"], "Tides turn twice a day.");
    for (name, text) in [("tides.txt", "Other words."), ("moon.txt", "Tides turn.")] {
        let other = upload(&set, name, "one", text).await;
        assert_eq!((other.status, other.kind()), (422, "invalid"), "{}", other.body);
    }
    let odd = upload(&set, "tides.txt", "no key", "Tides turn.").await;
    assert_eq!(odd.kind(), "invalid", "{}", odd.body);
}

// proves: F2
#[tokio::test(flavor = "multi_thread")]
async fn what_a_field_may_say_is_listed_and_results_have_a_shape() {
    let set = Set::up().await;
    let document = &set.contract.document;
    let schema = |name: &str| &document["components"]["schemas"][name];
    let statuses = json!(["queued", "running", "waiting", "completed", "partial", "cancelled"]);
    assert_eq!(schema("Summary")["properties"]["status"]["enum"], statuses);
    let parameters = document["paths"]["/api/runs"]["get"]["parameters"].as_array().unwrap();
    let status = parameters.iter().find(|one| one["name"] == "status").unwrap();
    assert_eq!((&status["schema"]["enum"], &status["required"]), (&statuses, &json!(false)));
    assert_eq!(schema("Uploaded")["properties"]["put"]["enum"][0], "added");
    assert_eq!(schema("RunResult")["properties"]["status"]["enum"], statuses);
    let shapes = schema("RunResult")["properties"]["deliverable"]["anyOf"].as_array().unwrap();
    assert_eq!(shapes.len(), 5);
    // Every reference leads somewhere.
    let text = document.to_string();
    for reference in text.split("\"$ref\":\"#").skip(1) {
        let pointer = reference.split('"').next().unwrap();
        assert!(document.pointer(pointer).is_some(), "{pointer}");
    }
}
