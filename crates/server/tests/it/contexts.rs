//! Startup contexts over HTTP.

use serde_json::{Value, json};

use crate::contract::{DELETE, GET, POST, PUT, Set};
use crate::stage::{ALICE, BOB, Stage, Wanted, answer};

const CONTEXTS: &str = "/api/contexts";

fn without_times(context: &Value) -> Value {
    let mut context = context.clone();
    for time in ["created_at", "last_accessed"] {
        let told = context.as_object_mut().unwrap().remove(time).unwrap();
        told.as_str().unwrap().parse::<jiff::Timestamp>().unwrap();
    }
    context
}

/// Keeps, lists, shows, replaces and removes.
pub(crate) async fn as_described(set: &Set) {
    assert_eq!(set.get(CONTEXTS).await, json!({"contexts": []}));
    let new =
        json!({"name": "Legal AI!", "search_terms": ["legaltech"], "metadata": {"stage": "seed"}});
    let told = set.call(POST, CONTEXTS, Some(new.clone())).await;
    assert_eq!((told.status, told.header("location")), (201, "/api/contexts/legal-ai"));
    let expected = json!({
        "id": "legal-ai", "user_id": "local", "name": "Legal AI!", "description": "", "industry": "",
        "search_terms": ["legaltech"], "geographical_scope": "", "metadata": {"stage": "seed"},
    });
    assert_eq!(without_times(&told.body), expected);
    assert_eq!(set.get("/api/contexts/legal-ai").await, told.body);
    let second = set.call(POST, CONTEXTS, Some(new)).await;
    assert_eq!(second.text("/id"), "legal-ai-2");
    let named = json!({"name": "Other", "id": "legal-ai"});
    let refused = set.call(POST, CONTEXTS, Some(named)).await;
    assert_eq!((refused.status, refused.kind()), (409, "conflict"));
    let body = json!({"name": "Legal", "geographical_scope": "Texas"});
    let replaced = set.call(PUT, "/api/contexts/legal-ai", Some(body)).await;
    let expected = json!({
        "id": "legal-ai", "user_id": "local", "name": "Legal", "description": "", "industry": "",
        "search_terms": [], "geographical_scope": "Texas", "metadata": {},
    });
    assert_eq!((replaced.status, without_times(&replaced.body)), (200, expected));
    assert_eq!(replaced.body["created_at"], told.body["created_at"]);
    assert!(replaced.text("/last_accessed") >= told.text("/last_accessed"));
    assert_eq!(set.get(CONTEXTS).await["contexts"], json!([replaced.body, second.body]));
    let lesson = json!({"run_id": "r", "at": "2026-01-02T03:04:05Z", "found": ["It grows."], "sources": ["doc://kb/a.md"],
        "added": {"industry": "law", "search_terms": ["leases"]}});
    let body = json!({"name": "Legal", "industry": "law", "search_terms": ["legaltech", "leases"],
        "metadata": {"stage": "seed", "learned": [lesson]}});
    assert_eq!(set.call(PUT, "/api/contexts/legal-ai", Some(body)).await.status, 200);
    let back = set.call(DELETE, "/api/contexts/legal-ai/learned", None).await;
    assert_eq!((back.status, &back.body["industry"]), (200, &json!("")));
    assert_eq!(back.body["search_terms"], json!(["legaltech"]));
    assert_eq!(back.body["metadata"], json!({"stage": "seed"}));
    assert_eq!(set.get("/api/contexts/legal-ai").await, back.body);
    let told = set.call(DELETE, "/api/contexts/legal-ai/learned", None).await;
    assert_eq!((told.status, told.kind()), (409, "conflict"));
    for status in [204, 404] {
        let told = set.call(DELETE, "/api/contexts/legal-ai", None).await;
        assert_eq!(told.status, status);
    }
    for (method, body) in [(GET, None), (PUT, Some(json!({"name": "Any"})))] {
        let told = set.call(method, "/api/contexts/legal-ai", body).await;
        assert_eq!((told.status, told.kind()), (404, "not-found"));
    }
}

// proves: W5
#[tokio::test(flavor = "multi_thread")]
async fn what_cannot_be_kept_is_refused_and_said_why() {
    let set = Set::up().await;
    let long = "x".repeat(4_001);
    let mut deep = json!(1);
    for _ in 0..40 {
        deep = json!([deep]);
    }
    for (body, said) in [
        (json!({}), "it has no name"),
        (json!({"name": "  "}), "it has no name"),
        (json!({"name": long}), "4001 characters"),
        (json!({"name": "Any", "id": ""}), "invalid id ''"),
        (json!({"name": "Any", "id": "../any"}), "invalid id '../any'"),
        (json!({"name": "Any", "id": "Any"}), "invalid id 'Any'"),
        (json!({"name": "Any", "id": "con"}), "the id 'con' is reserved"),
        (json!({"name": "Any", "search_terms": vec!["t"; 101]}), "101 search_terms"),
        (json!({"name": "Any", "metadata": {"deep": deep}}), "nested more than"),
        (json!({"name": "Any", "user_id": "alice"}), "unknown field `user_id`"),
    ] {
        let told = set.call(POST, CONTEXTS, Some(body)).await;
        assert_eq!((told.status, told.kind()), (422, "invalid"), "{said}: {}", told.body);
        assert!(told.text("/detail").contains(said), "{said}: {}", told.body);
    }
    assert_eq!(set.get(CONTEXTS).await, json!({"contexts": []}));
}

// proves: W5
#[tokio::test(flavor = "multi_thread")]
async fn what_a_run_learned_is_kept_and_changed_as_is_wanted() {
    let set = Set::up().await;
    let run = set.start("learn", "Legal AI").await;
    set.stage.until_status(&run, "completed").await;
    let told = set.call(POST, CONTEXTS, Some(json!({"from_run": run}))).await;
    assert_eq!(told.status, 201, "{}", told.body);
    let expected = json!({
        "id": "legal-ai", "user_id": "local", "name": "Legal AI", "description": "Read by a machine.",
        "industry": "law", "search_terms": ["legaltech"], "geographical_scope": "Texas", "metadata": {},
    });
    assert_eq!(without_times(&told.body), expected);
    let body =
        json!({"from_run": run, "id": "second", "industry": "", "search_terms": ["lawyers"]});
    let told = set.call(POST, CONTEXTS, Some(body)).await;
    assert_eq!((&told.body["name"], &told.body["industry"]), (&json!("Legal AI"), &json!("")));
    assert_eq!(told.body["search_terms"], json!(["lawyers"]));
    let waiting = set.start("greet", "Hello").await;
    set.stage.until_status(&waiting, "waiting").await;
    let other = set.start("steps", "1").await;
    set.stage.until_status(&other, "completed").await;
    for (run, status, said) in [
        (waiting.as_str(), 422, "has not finished"),
        (other.as_str(), 422, "learned nothing about a startup"),
        ("nobody", 404, "there is no run 'nobody'"),
        ("../../etc/passwd", 404, "there is no run"),
    ] {
        let told = set.call(POST, CONTEXTS, Some(json!({"from_run": run}))).await;
        assert_eq!(told.status, status, "{}", told.body);
        assert!(told.text("/detail").contains(said), "{}", told.body);
    }
    assert_eq!(set.get(CONTEXTS).await["contexts"].as_array().unwrap().len(), 2);
}

// proves: W5
#[tokio::test(flavor = "multi_thread")]
async fn of_many_who_replace_one_context_at_once_all_are_told_what_was_kept() {
    let set = Set::up().await;
    let new = set.call(POST, CONTEXTS, Some(json!({"name": "Same"}))).await;
    let replaced = (0..12).map(|number| {
        let body = json!({"name": format!("number {number}"), "metadata": {"number": number}});
        set.call(PUT, "/api/contexts/same", Some(body))
    });
    let mut told = Vec::new();
    for (number, replaced) in futures::future::join_all(replaced).await.into_iter().enumerate() {
        assert_eq!(replaced.status, 200, "{}", replaced.body);
        assert_eq!(replaced.body["metadata"], json!({"number": number}));
        assert_eq!(replaced.body["created_at"], new.body["created_at"]);
        told.push(replaced.body);
    }
    let kept = set.get("/api/contexts/same").await;
    assert!(told.contains(&kept), "{kept}");
}

// proves: W5, F8
#[tokio::test(flavor = "multi_thread")]
async fn nobody_keeps_what_another_s_run_learned_and_one_id_is_two_users_own() {
    let stage = Stage::with(Wanted::with_users()).await;
    let post = async |who: &str, path: &str, body: Value| {
        answer(stage.client.post(stage.url(path)).bearer_auth(who).json(&body)).await
    };
    let list = async |who: &str| {
        answer(stage.client.get(stage.url(CONTEXTS)).bearer_auth(who)).await.1["contexts"].clone()
    };
    let order = json!({"method": "learn", "question": "Hers"});
    let run = post(ALICE, "/api/runs", order).await.1["run_id"].clone();
    crate::patience::until("the run has finished", async || {
        let (status, body) = post(ALICE, CONTEXTS, json!({"from_run": run, "id": "same"})).await;
        if status == 201 { Ok(()) } else { Err(body) }
    })
    .await;
    let (status, body) = post(BOB, CONTEXTS, json!({"from_run": run})).await;
    assert_eq!(status, 404, "{body}");
    assert_eq!(list(BOB).await, json!([]));
    let (status, _) = post(BOB, CONTEXTS, json!({"name": "His", "id": "same"})).await;
    assert_eq!(status, 201);
    let delete = stage.client.delete(stage.url("/api/contexts/same")).bearer_auth(BOB);
    assert_eq!(answer(delete).await.0, 204);
    assert_eq!(list(BOB).await, json!([]));
    assert_eq!(list(ALICE).await[0]["name"], "Hers");
}
