//! Every operation as the document describes it.

use std::collections::BTreeSet;

use futures::future::join_all;
use serde_json::{Value, json};

use crate::contract::{Contract, DELETE, GET, POST, PUT, Set, Told, build_order};
use crate::stage::{ALICE, Stage, Wanted, plan};

// proves: F2
#[tokio::test(flavor = "multi_thread")]
async fn every_operation_answers_as_it_is_described() {
    let set = Set::up().await;
    for target in ["/health/live", "/health/ready", "/metrics", "/openapi.json", "/api/settings"] {
        assert_eq!(set.call(GET, target, None).await.status, 200, "{target}");
    }
    let session = set.get("/api/session").await;
    assert_eq!(session, json!({"user": "local", "authentication": "none", "signed_in": true}));
    let told = set.call(POST, "/api/session", Some(json!({"token": "any"}))).await;
    assert_eq!(told.status, 409, "there is nobody to sign in as");
    runs_as_described(&set).await;
    gates_as_described(&set).await;
    workflows_as_described(&set).await;
    crate::debate::as_described(&set).await;
    documents_as_described(&set).await;
    surveys_as_described(&set).await;
    crate::examples::as_described(&set).await;
    crate::contexts::as_described(&set).await;
    crate::history::as_described(&set).await;
    crate::configuration::as_described(&set).await;
    runs_removed_as_described(&set).await;
    signing_in_as_described(&set.contract).await;
    let all: BTreeSet<String> =
        set.contract.operations().into_iter().map(|operation| operation.id).collect();
    assert_eq!(set.contract.used(), all, "an operation that is not tried here");
}

async fn runs_as_described(set: &Set) {
    let told = set.call(POST, "/api/estimates", Some(build_order("steps", "3"))).await;
    assert_eq!((told.status, &told.body["expected"]["tokens"]), (200, &json!(30)));
    let told = set.call(POST, "/api/runs", Some(build_order("steps", "2"))).await;
    assert_eq!(told.status, 201);
    let run = told.text("/run_id");
    assert_eq!(told.header("location"), format!("/api/runs/{run}"));
    set.stage.until_status(&run, "completed").await;
    let state = set.get(&format!("/api/runs/{run}")).await;
    assert_eq!(
        (&state["question"], &state["outcome"], &state["log"]["intact"]),
        (&json!("2"), &json!("answered"), &json!(true))
    );
    assert_eq!(state["steps"].as_array().unwrap().len(), 2);
    let result = set.get(&format!("/api/runs/{run}/result")).await;
    assert_eq!((&result["status"], &result["answer"]), (&json!("completed"), &json!("2 steps")));
    assert_eq!(set.get(&format!("/api/runs/{run}/report")).await["html"], "<p>report</p>");
    assert_eq!(set.get(&format!("/api/runs/{run}/evidence")).await, json!({"evidence": []}));
    let told = set.call(GET, &format!("/api/runs/{run}/events"), None).await;
    assert_eq!((told.status, told.header("content-type")), (200, "text/event-stream"));
    let text = String::from_utf8(told.bytes).unwrap();
    assert!(text.starts_with("retry: 1000\n\nid: 1\nevent: entry\n"), "{text}");
    assert!(text.ends_with("event: end\ndata: {\"status\":\"completed\"}\n\n"), "{text}");
    let told = set.call(GET, &format!("/api/runs/{run}/export?format=json"), None).await;
    assert_eq!(told.body, {
        // The page's own addition.
        let mut result = result.clone();
        for citation in result["citations"].as_array_mut().unwrap() {
            citation.as_object_mut().unwrap().remove("document_id");
        }
        result
    });
    let saved_as = told.header("content-disposition");
    let short_id = run.rsplit('-').next().unwrap();
    assert!(saved_as.starts_with("attachment; filename=\""), "{saved_as}");
    assert!(saved_as.ends_with(&format!("-{short_id}.json\"")), "{saved_as}");
    let fork = json!({"from": "work #2", "offline": true, "set": {"ask.top_k": 3}});
    let told = set.call(POST, &format!("/api/runs/{run}/fork"), Some(fork)).await;
    assert_eq!((told.status, &told.body["forked_from"]), (201, &json!(run)));
    let fork = told.text("/run_id");
    assert_eq!(told.header("location"), format!("/api/runs/{fork}"));
    set.stage.until_status(&fork, "completed").await;
    let difference = set.get(&format!("/api/runs/{run}/diff/{fork}")).await;
    assert_eq!(difference["from"]["run_id"], json!(run));
    assert_eq!(difference["to"]["run_id"], json!(fork));
    let lines = set.stage.done();
    assert!(lines.contains(&format!("{fork} 2")) && !lines.contains(&format!("{fork} 1")));
    let waiting = set.start("greet", "Hello").await;
    set.stage.until_status(&waiting, "waiting").await;
    let told = set.call(POST, &format!("/api/runs/{waiting}/cancel"), Some(json!({}))).await;
    assert_eq!((told.status, &told.body["status"]), (202, &json!("cancelled")));
    let list = set.get("/api/runs?limit=2").await;
    assert_eq!(list["runs"][0]["run_id"], waiting);
    assert_eq!((&list["runs"][1]["run_id"], &list["next"]), (&json!(fork), &json!(fork)));
}

async fn gates_as_described(set: &Set) {
    let run = set.start("greet", "Hello").await;
    for (gate, answer) in [("name", "Ada"), ("town", "London")] {
        let state = set.stage.until(&run, |state| state["gates"][0]["gate"] == gate).await;
        assert_eq!(state["gates"].as_array().unwrap().len(), 1);
        let body = json!({"gate": gate, "answer": answer});
        let told = set.call(POST, &format!("/api/runs/{run}/answer"), Some(body)).await;
        assert_eq!(told.status, 200, "{}", told.body);
    }
    set.stage.until_status(&run, "completed").await;
    let result = set.get(&format!("/api/runs/{run}/result")).await;
    assert_eq!(result["answer"], "Hello, Ada of London!");
    let run = set.start("planned", "Look").await;
    let state = set.stage.until_status(&run, "waiting").await;
    let gate = &state["gates"][0];
    let edited = run::plan::Plan { title: "Look behind".into(), ..plan() };
    let body =
        json!({"revision": gate["revision"], "plan_hash": gate["plan_hash"], "plan": edited});
    let told = set.call(PUT, &format!("/api/runs/{run}/plan"), Some(body)).await;
    assert_eq!((told.status, &told.body["plan"]["revision"]), (200, &json!(2)));
    let plan = &told.body["plan"];
    assert_eq!(plan["state"], "proposed");
    let body = json!({"revision": plan["revision"], "plan_hash": plan["plan_hash"]});
    let told = set.call(POST, &format!("/api/runs/{run}/approve"), Some(body)).await;
    assert_eq!((told.status, &told.body["plan"]["state"]), (200, &json!("approved")));
    set.stage.until_status(&run, "completed").await;
    let run = set.start("planned", "Look").await;
    set.stage.until_status(&run, "waiting").await;
    let body = json!({"reason": "not now"});
    let told = set.call(POST, &format!("/api/runs/{run}/reject"), Some(body)).await;
    assert_eq!((told.status, &told.body["status"]), (200, &json!("cancelled")));
}

async fn workflows_as_described(set: &Set) {
    let body = json!({"user_message": "Explore", "startup": "lex"});
    let told = set.call(POST, "/api/workflows", Some(body)).await;
    assert_eq!((told.status, told.text("/phase")), (201, "clarify".to_owned()));
    let id = told.text("/workflow_id");
    assert_eq!(told.header("location"), format!("/api/workflows/{id}"));
    let at = |what: &str| format!("/api/workflows/{id}/{what}");
    let body = json!({"answers": {"q1": "Firms", "q3": "Texas"}});
    let told = set.call(POST, &at("answer_questions"), Some(body)).await;
    assert_eq!((told.status, told.text("/phase")), (200, "plan".to_owned()));
    let told = set.call(POST, &at("approve_plan?wait=60"), Some(json!({}))).await;
    assert_eq!((told.status, told.text("/phase")), (200, "completed".to_owned()));
    assert_eq!(set.get(&format!("/api/workflows/{id}")).await, told.body);
    let body = json!({"user_message": "Explore", "clarify": false});
    let told = set.call(POST, "/api/workflows", Some(body)).await;
    assert_eq!(told.text("/phase"), "plan");
    let target = format!("/api/workflows/{}/reject_plan", told.text("/workflow_id"));
    let told = set.call(POST, &target, Some(json!({"reason": "too dear"}))).await;
    assert_eq!((told.status, told.text("/phase")), (200, "cancelled".to_owned()));
}

async fn surveys_as_described(set: &Set) {
    let bring = async |name: &str, body: &'static str| {
        let target = "/api/surveys/bus";
        let request = set.stage.client.post(set.stage.url(target)).query(&[("name", name)]);
        let request = request.header("content-type", "application/octet-stream").body(body);
        set.contract.send(POST, target, request).await
    };
    let told = bring("wave1.csv", "Q1\n1\n").await;
    assert_eq!((told.status, &told.body["files"][0]["bytes"]), (201, &json!(5)), "{}", told.body);
    assert_eq!(bring("wave1.codebook.csv", "variable\nQ1\n").await.status, 201);
    assert_eq!(bring("empty.csv", "").await.status, 422);
    let kept = set.get("/api/surveys/bus").await;
    assert_eq!((&kept["name"], &kept["problem"]), (&json!("bus"), &Value::Null));
    assert_eq!(kept["files"].as_array().unwrap().len(), 2);
    let list = set.get("/api/surveys").await;
    assert_eq!(list["surveys"][0]["files"], kept["files"]);
    let request = set.stage.client.post(set.stage.url("/api/surveys/run-1")).body("Q1\n1\n");
    let request = request.query(&[("name", "a.csv")]);
    let request = request.header("content-type", "application/octet-stream");
    let told = set.contract.send(POST, "/api/surveys/run-1", request).await;
    assert_eq!(told.status, 422, "that name is for a run: {}", told.body);
    assert_eq!(set.call(DELETE, "/api/surveys/bus", None).await.status, 204);
    assert_eq!(set.call(DELETE, "/api/surveys/bus", None).await.status, 404);
    assert_eq!(set.get("/api/surveys").await, json!({"surveys": []}));
}

async fn runs_removed_as_described(set: &Set) {
    let waits = set.start("greet", "Hello").await;
    set.stage.until_status(&waits, "waiting").await;
    set.upload(&format!("run-{waits}"), "own.txt", "of it alone").await;
    for status in [204, 404] {
        let told = set.call(DELETE, &format!("/api/runs/{waits}"), None).await;
        assert_eq!(told.status, status, "{}", told.body);
    }
    assert_eq!(set.call(GET, &format!("/api/runs/{waits}"), None).await.status, 404);
    let left = set.call(GET, &format!("/api/collections/run-{waits}/documents"), None).await;
    assert_eq!(left.status, 404, "what was read for it is gone with it");
    assert!(set.stage.done().contains(&format!("{waits} removed")));

    set.stage.go(0);
    let works = set.start("steps", "1").await;
    set.stage.until_step(&works, 1).await;
    let told = set.call(DELETE, &format!("/api/runs/{works}"), None).await;
    assert_eq!((told.status, told.kind()), (409, "conflict"));
    set.call(POST, &format!("/api/runs/{works}/cancel"), None).await;
    set.stage.until_status(&works, "cancelled").await;
    let kept = set.start("greet", "Hello").await;
    set.stage.until_status(&kept, "waiting").await;
    let target = "/api/runs?older_than_days=";
    let told = set.call(DELETE, &format!("{target}1"), None).await;
    assert_eq!(told.body, json!({"removed": 0, "more": false}));
    let told = set.call(DELETE, &format!("{target}0"), None).await;
    assert!(told.body["removed"].as_u64().unwrap() > 0, "{}", told.body);
    let runs = set.get("/api/runs").await;
    let runs = runs["runs"].as_array().unwrap().iter();
    assert!(runs.clone().all(|run| run["status"] != "cancelled"), "{runs:?}");
    assert!(runs.clone().any(|run| run["run_id"] == json!(kept)), "it has not ended: {runs:?}");
    assert_eq!(set.call(DELETE, &format!("{target}36501"), None).await.status, 422);
}

/// Reads the documents of a collection, and the collections, one after the other.
async fn in_parts(set: &Set) {
    for name in ["a & b.txt", "tea.txt"] {
        set.upload("cholera", name, "Tea was boiled.").await;
    }
    let mut paths = Vec::new();
    let mut after = String::new();
    while paths.len() < 9 {
        let target = format!("/api/collections/cholera/documents?limit=1{after}");
        let list = set.get(&target).await;
        assert_eq!(list["total"], json!(3));
        paths.push(list["documents"][0]["path"].as_str().unwrap().to_owned());
        let Some(next) = list["next"].as_str() else { break };
        after = format!("&after={}", next.replace('&', "%26").replace(' ', "%20"));
    }
    assert_eq!(paths, ["a & b.txt", "snow.txt", "tea.txt"]);
    let list = set.get("/api/collections?limit=1&after=cholera").await;
    assert_eq!(list, json!({"collections": [], "next": null}));
    for target in ["/api/collections?limit=0", "/api/collections/cholera/documents?limit=201"] {
        assert_eq!(set.call(GET, target, None).await.status, 422, "{target}");
    }
}

async fn opened_as_it_is_read(set: &Set, document: &str, text: &str) {
    let page = set.get(&format!("/api/documents/{document}/page?start=0&end=8&around=5")).await;
    let html =
        "<p><mark id=\"span\" tabindex=\"-1\">Größer</mark> als die Pumpe war nur der Zorn.</p>\n";
    assert_eq!((&page["html"], &page["marked"]), (&json!(html), &json!("exactly")));
    assert_eq!(
        (&page["from"], &page["to"], &page["quote"]),
        (&json!(0), &json!(40), &json!("Größer"))
    );
    let page = set.get(&format!("/api/documents/{document}/page")).await;
    assert_eq!((&page["marked"], &page["quote"]), (&json!("nothing"), &json!("")));
    for wrong in ["start=3&end=4", "start=0&end=99", "start=4&end=1", "around=1000001"] {
        let told = set.call(GET, &format!("/api/documents/{document}/page?{wrong}"), None).await;
        assert_eq!((told.status, told.kind()), (422, "invalid"), "{wrong}");
    }
    let told = set.call(GET, &format!("/api/documents/{document}/file"), None).await;
    assert_eq!((told.status, told.bytes.as_slice()), (200, text.as_bytes()));
    assert_eq!(told.header("content-type"), "application/octet-stream");
    assert_eq!(told.header("content-disposition"), "attachment; filename=\"snow.txt\"");
    assert_eq!(told.header("x-content-type-options"), "nosniff");
    assert!(told.header("content-security-policy").contains("sandbox"));
    let collections = set.get("/api/collections").await;
    assert_eq!(collections["collections"][0]["original_bytes"], 40);
    for path in ["page", "file"] {
        let told = set.call(GET, &format!("/api/documents/nobody/{path}"), None).await;
        assert_eq!((told.status, told.kind()), (404, "not-found"), "{path}");
    }
}

async fn documents_as_described(set: &Set) {
    let told = set.call(POST, "/api/collections", Some(json!({"name": "cholera"}))).await;
    assert_eq!((told.status, told.text("/name")), (201, "cholera".to_owned()));
    let told = set.call(POST, "/api/collections", Some(json!({"name": "cholera"}))).await;
    assert_eq!((told.status, told.kind()), (409, "conflict"));
    let text = "Größer als die Pumpe war nur der Zorn.";
    let told = set.upload("cholera", "snow.txt", text).await;
    assert_eq!((told.status, told.text("/put")), (201, "added".to_owned()));
    let document = told.text("/document/document_id");
    let list = set.get("/api/collections/cholera/documents").await;
    assert_eq!(list["documents"], json!([told.body["document"]]));
    assert_eq!((&list["total"], &list["next"]), (&json!(1), &Value::Null));
    assert_eq!(set.get(&format!("/api/documents/{document}")).await, told.body["document"]);
    let target = format!("/api/documents/{document}/text?start=0&end=8&around=5");
    let window = set.get(&target).await;
    assert_eq!((&window["quote"], &window["after"]), (&json!("Größer"), &json!(" als ")));
    assert_eq!(
        (&window["length"], &window["from"], &window["to"]),
        (&json!(40), &json!(0), &json!(13))
    );
    let window = set.get(&format!("/api/documents/{document}/text?around=3")).await;
    assert_eq!((&window["quote"], &window["after"]), (&json!(""), &json!("Gr")));
    let window = set.get(&format!("/api/documents/{document}/text?end=8&around=0")).await;
    assert_eq!((&window["quote"], &window["from"]), (&json!("Größer"), &json!(0)));
    for wrong in ["start=3&end=4", "start=0&end=99", "start=4&end=1", "around=1000001"] {
        let told = set.call(GET, &format!("/api/documents/{document}/text?{wrong}"), None).await;
        assert_eq!((told.status, told.kind()), (422, "invalid"), "{wrong}");
    }
    opened_as_it_is_read(set, &document, text).await;
    let passage = set.get(&format!("/api/passages/{document}-1")).await;
    assert_eq!(
        (&passage["text"], &passage["place"]["document_id"]),
        (&json!(text), &json!(document))
    );
    in_parts(set).await;
    set.upload("run-1", "own.txt", "of a single run").await;
    let names = |list: Value| -> Vec<String> {
        let names = list["collections"].as_array().unwrap().iter();
        names.map(|one| one["name"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(names(set.get("/api/collections").await), ["cholera"]);
    let mut all = names(set.get("/api/collections?all=true").await);
    all.sort();
    assert_eq!(all, ["cholera", "run-1"]);
    for _ in 0..2 {
        let told = set.call(DELETE, &format!("/api/documents/{document}"), None).await;
        let is_there = set.call(GET, &format!("/api/passages/{document}-1"), None).await.status;
        assert!(matches!(told.status, 204 | 404) && is_there == 404);
    }
    for status in [204, 404] {
        let told = set.call(DELETE, "/api/collections/cholera", None).await;
        assert_eq!(told.status, status);
    }
}

async fn signing_in_as_described(contract: &Contract) {
    let stage = Stage::with(Wanted::with_users()).await;
    let session = contract.call(&stage, GET, "/api/session", None).await;
    assert_eq!(session.body, json!({"user": null, "authentication": "token", "signed_in": false}));
    let told = contract.call(&stage, POST, "/api/session", Some(json!({"token": ALICE}))).await;
    assert_eq!(told.status, 204);
    let cookie = told.header("set-cookie").to_owned();
    assert!(cookie.contains("; HttpOnly") && cookie.contains("; SameSite=Strict"), "{cookie}");
    let pair = cookie.split(';').next().unwrap();
    let request = stage.client.get(stage.url("/api/session")).header("cookie", pair);
    let session = contract.send(GET, "/api/session", request).await;
    assert_eq!(session.body["user"], "alice");
    let told = contract.call(&stage, DELETE, "/api/session", None).await;
    assert_eq!(told.status, 204);
    assert!(told.header("set-cookie").contains("Max-Age=0"));
}

// proves: F2
#[tokio::test(flavor = "multi_thread")]
async fn the_description_is_whole() {
    let stage = Stage::open().await;
    let contract = Contract::of(&stage).await;
    assert!(contract.document["openapi"].as_str().unwrap().starts_with("3.1."));
    let operations = contract.operations();
    let ids: BTreeSet<&str> = operations.iter().map(|operation| operation.id.as_str()).collect();
    assert_eq!(ids.len(), operations.len(), "an operationId is used twice");
    for operation in &operations {
        let declared = operation.described["parameters"].as_array().cloned().unwrap_or_default();
        for part in operation.path.split('/').filter_map(|part| part.strip_prefix('{')) {
            let is_it = |one: &Value| {
                one["in"] == "path"
                    && one["name"] == part.trim_end_matches('}')
                    && one["required"] == true
            };
            assert!(declared.iter().any(is_it), "{} does not declare {part}", operation.id);
        }
        let about = operation.described["summary"].as_str().unwrap_or_default();
        assert!(!about.is_empty(), "{} is not described", operation.id);
        let wants_body = matches!(operation.method.as_str(), "POST" | "PUT" | "PATCH");
        let has_body = operation.described["requestBody"].is_object();
        let is_bare = ["cancel_run", "create_share"].contains(&operation.id.as_str());
        assert!(has_body == wants_body || is_bare, "{}", operation.id);
    }
    every_reference_resolves(&contract.document, &contract.document);
    for (name, schema) in contract.document["components"]["schemas"].as_object().unwrap() {
        assert!(jsonschema::draft202012::meta::is_valid(schema), "{name} is no schema: {schema}");
    }
}

fn every_reference_resolves(document: &Value, part: &Value) {
    match part {
        Value::Object(fields) => {
            if let Some(Value::String(reference)) = fields.get("$ref") {
                let pointer = reference.strip_prefix('#').expect("a reference leads outside");
                assert!(document.pointer(pointer).is_some(), "{reference} leads nowhere");
            }
            for value in fields.values() {
                every_reference_resolves(document, value);
            }
        }
        Value::Array(values) => {
            for value in values {
                every_reference_resolves(document, value);
            }
        }
        _ => {}
    }
}

async fn keyed(stage: &Stage, key: &str, body: &Value) -> Told {
    let request = stage.client.post(stage.url("/api/runs")).header("Idempotency-Key", key);
    Told::by(request.json(body)).await
}

// proves: F2
#[tokio::test(flavor = "multi_thread")]
async fn an_order_with_a_key_starts_one_run_however_often_it_is_sent() {
    let stage = Stage::open().await;
    let contract = Contract::of(&stage).await;
    let body = build_order("steps", "1");
    let first = keyed(&stage, "key-1", &body).await;
    assert_eq!(first.status, 201);
    let again = keyed(&stage, "key-1", &body).await;
    contract.check(&POST, "/api/runs", &again);
    assert_eq!((again.status, again.text("/run_id")), (200, first.text("/run_id")));
    assert_eq!(again.header("location"), first.header("location"));
    // The same order in other words is the same order.
    let spaced = stage.client.post(stage.url("/api/runs")).header("Idempotency-Key", "key-1");
    let spaced = spaced.header("content-type", "application/json; charset=utf-8");
    let told =
        Told::by(spaced.body(r#"{ "question": "1", "offline": false, "method": "steps" }"#)).await;
    assert_eq!((told.status, told.text("/run_id")), (200, first.text("/run_id")));
    let other = keyed(&stage, "key-1", &build_order("steps", "2")).await;
    assert_eq!((other.status, other.kind()), (422, "invalid"));
    let all = join_all((0..50).map(|_| keyed(&stage, "key-2", &body))).await;
    let runs: BTreeSet<String> = all.iter().map(|told| told.text("/run_id")).collect();
    assert_eq!(runs.len(), 1, "50 requests with one key start one run");
    assert_eq!(all.iter().filter(|told| told.status == 201).count(), 1);
    assert!(all.iter().all(|told| matches!(told.status, 200 | 201)));
    let (_, list) = stage.get("/api/runs").await;
    assert_eq!(list["runs"].as_array().unwrap().len(), 2);
    for wrong in ["", "with space", &"k".repeat(201), "ключ"] {
        let told = keyed(&stage, wrong, &body).await;
        assert_eq!((told.status, told.kind()), (422, "invalid"), "{wrong}");
    }
    assert_eq!(keyed(&stage, &"k".repeat(200), &body).await.status, 201);
}

// proves: F2
#[tokio::test(flavor = "multi_thread")]
async fn a_list_is_read_page_by_page_while_runs_are_added() {
    let set = Set::up().await;
    let mut made = Vec::new();
    for number in 0..22 {
        let method = ["greet", "planned"][number % 2];
        made.push(set.start(method, &format!("Question {number}")).await);
    }
    let (mut seen, mut next, mut added) = (Vec::new(), String::new(), 0);
    loop {
        let list = set.get(&format!("/api/runs?limit=5{next}")).await;
        let runs = list["runs"].as_array().unwrap();
        assert!(runs.len() <= 5);
        seen.extend(runs.iter().map(|run| run["run_id"].as_str().unwrap().to_owned()));
        set.start("greet", "Added meanwhile").await;
        added += 1;
        match list["next"].as_str() {
            Some(id) => next = format!("&before={id}"),
            None => break,
        }
    }
    made.reverse();
    assert_eq!(seen, made, "each once, newest first, and none that came later");
    let all = set.get("/api/runs?limit=200").await["runs"].as_array().unwrap().len();
    assert_eq!(all, made.len() + added);
}

// proves: F2
#[tokio::test(flavor = "multi_thread")]
async fn a_list_is_filtered_by_status_method_and_words() {
    let set = Set::up().await;
    set.stage.go(0);
    let running = set.start("steps", "1").await;
    let waiting = set.start("greet", "What is 100% of ÄPFEL_and 'quotes'?").await;
    let rejected = set.start("planned", "Ähnlich?").await;
    set.stage.until_status(&rejected, "waiting").await;
    set.call(POST, &format!("/api/runs/{rejected}/reject"), Some(json!({}))).await;
    set.stage.until_status(&waiting, "waiting").await;
    set.stage.until_status(&running, "running").await;
    let found = async |query: &str| -> Vec<String> {
        let list = set.get(&format!("/api/runs?{query}")).await;
        assert_eq!(list["next"], Value::Null);
        let runs = list["runs"].as_array().unwrap().iter();
        runs.map(|run| run["run_id"].as_str().unwrap().to_owned()).collect()
    };
    for (query, wanted) in [
        ("status=running", vec![&running]),
        ("status=waiting", vec![&waiting]),
        ("status=cancelled", vec![&rejected]),
        ("status=queued", vec![]),
        ("status=completed", vec![]),
        ("status=partial", vec![]),
        ("method=greet", vec![&waiting]),
        ("method=gree", vec![]),
        ("q=%C3%A4pfel_", vec![&waiting]),
        ("q=100%25", vec![&waiting]),
        ("q=%27quotes%27", vec![&waiting]),
        ("q=%25", vec![&waiting]),
        ("q=_", vec![&waiting]),
        ("q=%C3%84", vec![&rejected, &waiting]),
        ("q=%20", vec![&rejected, &waiting, &running]),
        ("q=&method=&before=", vec![&rejected, &waiting, &running]),
        ("q=%C3%84&status=waiting&method=greet", vec![&waiting]),
    ] {
        assert_eq!(found(query).await.iter().collect::<Vec<_>>(), wanted, "{query}");
    }
    assert_eq!(found(&format!("before={waiting}")).await, [running.as_str()]);
    for wrong in [
        "limit=0",
        "limit=201",
        "limit=-1",
        "limit=x",
        "status=sleeping",
        "page=2",
        "limit=1&limit=2",
    ] {
        let told = set.call(GET, &format!("/api/runs?{wrong}"), None).await;
        assert_eq!((told.status, told.kind()), (422, "invalid"), "{wrong}");
    }
    let told = set.call(GET, "/api/runs?before=run-nobody", None).await;
    assert_eq!((told.status, told.kind()), (404, "not-found"));
    set.stage.go(1);
}
