//! The configuration and the doctor over HTTP, and who may see them.

use serde_json::{Value, json};

use crate::contract::{GET, PATCH, POST, Set};
use crate::stage::{ALICE, BOB, Stage, Wanted, answer};

const CONFIGURATION: &str = "/api/configuration";

/// Shows, changes, tries and checks.
pub(crate) async fn as_described(set: &Set) {
    let told = set.get(CONFIGURATION).await;
    assert_eq!(told["may_change"], true);
    assert_eq!(told["settings"][0]["set_by"], "default");
    let change =
        json!({"values": {"models.main": "openai/small"}, "keys": {"model": "canary-key"}});
    let told = set.call(PATCH, CONFIGURATION, Some(change)).await;
    assert_eq!((told.status, &told.body["settings"][0]["value"]), (200, &json!("openai/small")));
    assert!(!told.body.to_string().contains("canary"));
    for wrong in [
        json!({"values": {"server.listen": "0.0.0.0:80"}}),
        json!({"values": []}),
        json!({"keys": {"database": "canary-key"}}),
        json!({"keys": {"model": 7}}),
        json!({"value": {}}),
    ] {
        let told = set.call(PATCH, CONFIGURATION, Some(wrong.clone())).await;
        assert_eq!((told.status, told.kind()), (422, "invalid"), "{wrong}");
        assert!(!told.body.to_string().contains("canary"), "{}", told.body);
    }
    let told = set.call(POST, "/api/configuration/try", Some(json!({"what": "model"}))).await;
    assert_eq!((told.status, &told.body["trials"][0]["outcome"]), (200, &json!("key_refused")));
    let told = set.call(GET, "/api/doctor", None).await;
    assert_eq!(names(&told.body), ["database", "embedder"]);
    let told = set.call(POST, "/api/doctor", Some(json!({"network": true}))).await;
    assert_eq!(names(&told.body), ["database", "embedder", "model"]);
    assert_eq!(told.body["checks"][2]["state"], "fail");
}

fn names(told: &Value) -> Vec<&str> {
    told["checks"].as_array().unwrap().iter().map(|one| one["name"].as_str().unwrap()).collect()
}

// proves: F3, F8
#[tokio::test(flavor = "multi_thread")]
async fn only_whoever_runs_the_server_sets_it_up() {
    let several = Stage::with(Wanted::with_users()).await;
    let alone = Wanted { tokens: format!("alice {ALICE}\n"), ..Wanted::default() };
    let alone = Stage::with(alone).await;
    let named = Stage::with(Wanted { hosts: vec!["research.example".into()], ..Wanted::default() });
    let named = named.await;
    let change = json!({"values": {"models.main": "openai/small"}});
    for (stage, token, may) in [
        (&several, Some(ALICE), false),
        (&several, Some(BOB), false),
        (&alone, Some(ALICE), true),
        (&named, None, false),
    ] {
        let send = async |method: reqwest::Method, path: &str, body: Option<&Value>| {
            let request = stage.client.request(method, stage.url(path));
            let request =
                token.into_iter().fold(request, |request, token| request.bearer_auth(token));
            answer(body.into_iter().fold(request, |request, body| request.json(body))).await
        };
        let (status, told) = send(GET, CONFIGURATION, None).await;
        assert_eq!((status, &told["may_change"]), (200, &json!(may)));
        assert_eq!(told["settings"].as_array().unwrap().is_empty(), !may);
        assert_eq!(told["why_not"].is_null(), may);
        let expected = if may { 200 } else { 403 };
        assert_eq!(send(PATCH, CONFIGURATION, Some(&change)).await.0, expected);
        let what = json!({"what": "model"});
        assert_eq!(send(POST, "/api/configuration/try", Some(&what)).await.0, expected);
        assert_eq!(send(GET, "/api/doctor", None).await.0, expected);
        let network = json!({"network": true});
        assert_eq!(send(POST, "/api/doctor", Some(&network)).await.0, expected);
    }
    let (status, _) = several.get(CONFIGURATION).await;
    assert_eq!(status, 401, "nobody who is not signed in");
}
