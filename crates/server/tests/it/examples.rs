//! Examples: taken in like uploads, once, by each user alone.

use reqwest::Client;
use serde_json::{Value, json};
use server::Quotas;

use crate::contract::{Contract, DELETE, GET, POST, Set, Told};
use crate::stage::{ALICE, BOB, Stage, Wanted};

const EXAMPLES: &str = "/api/examples";
const DOCUMENTS: &str = "/api/collections/example-market/documents";

/// Of the methods of the stage, `market` alone has an example.
pub(crate) async fn as_described(set: &Set) {
    let list = set.get(EXAMPLES).await;
    let [example] = &list["examples"].as_array().unwrap()[..] else { panic!("{list}") };
    assert_eq!(example["name"], "contracts");
    assert_eq!(example["order"]["question"], example["question"]);
    assert_eq!(
        (&example["order"]["offline"], &example["order"]["sources"]),
        (&json!(true), &json!([]))
    );
    let take = async || set.call(POST, EXAMPLES, Some(json!({ "name": "contracts" }))).await;
    for status in [201, 200] {
        let told = take().await;
        assert_eq!((told.status, &told.body), (status, example));
        assert_eq!(set.get(DOCUMENTS).await["total"], 4);
    }
    // A document that was removed comes back, and nothing else is read again.
    let documents = set.get(DOCUMENTS).await["documents"].clone();
    let removed = documents[0]["document_id"].as_str().unwrap();
    set.call(DELETE, &format!("/api/documents/{removed}"), None).await;
    assert_eq!(take().await.status, 201);
    let again = set.get(DOCUMENTS).await["documents"].clone();
    let kept = |all: &Value| all.as_array().unwrap()[1..].to_vec();
    assert_eq!(kept(&again), kept(&documents));
    for name in ["pump", "../contracts", ""] {
        let told = set.call(POST, EXAMPLES, Some(json!({ "name": name }))).await;
        assert_eq!((told.status, told.kind()), (422, "invalid"), "{name}");
    }
    assert_eq!(set.call(DELETE, "/api/collections/example-market", None).await.status, 204);
}

async fn take(stage: &Stage, contract: &Contract, who: &str) -> Told {
    let client: &Client = &stage.client;
    let request = client.post(stage.url(EXAMPLES)).bearer_auth(who);
    contract.send(POST, EXAMPLES, request.json(&json!({ "name": "contracts" }))).await
}

// proves: F3, F8
#[tokio::test(flavor = "multi_thread")]
async fn an_example_is_taken_in_for_one_user_and_counts_against_their_quota_once() {
    // Room for the example once, and not for a second time.
    let quotas = Quotas { uploaded_bytes: Some(2_500), ..Quotas::default() };
    let stage = Stage::with(Wanted { quotas, ..Wanted::with_users() }).await;
    let contract = Contract::of(&stage).await;
    let documents = async |who: &str| {
        let request = stage.client.get(stage.url(DOCUMENTS)).bearer_auth(who);
        contract.send(GET, DOCUMENTS, request).await
    };
    assert_eq!(take(&stage, &contract, ALICE).await.status, 201);
    for _ in 0..3 {
        assert_eq!(take(&stage, &contract, ALICE).await.status, 200);
    }
    assert_eq!(documents(ALICE).await.body["total"], 4);
    assert_eq!(documents(BOB).await.status, 404);
    assert_eq!(take(&stage, &contract, BOB).await.status, 201);
    // Removed, it would have to be read again, for which the day has no room.
    let target = "/api/collections/example-market";
    let request = stage.client.delete(stage.url(target)).bearer_auth(ALICE);
    assert_eq!(contract.send(DELETE, target, request).await.status, 204);
    let told = take(&stage, &contract, ALICE).await;
    assert_eq!((told.status, told.kind()), (429, "quota"), "{}", told.body);
    assert_eq!(documents(BOB).await.body["total"], 4);
}
