//! What is refused, and how it is said; and no text that breaks anything.

use std::collections::BTreeSet;

use reqwest::Method;
use serde_json::{Value, json};

use crate::contract::{GET, POST, PUT, Set, Told, build_order};
use crate::stage::plan;

// proves: F2
#[tokio::test(flavor = "multi_thread")]
async fn whatever_is_wrong_with_a_request_is_said_in_a_problem_document() {
    let set = Set::up().await;
    let run = set.start("greet", "Hello").await;
    set.stage.until_status(&run, "waiting").await;
    let deep = |open: &str, close: &str| {
        let nested = [open.repeat(100_000), close.repeat(100_000)].concat();
        format!(r#"{{"from": "work #1", "set": {{"a": {nested}}}}}"#)
    };
    let fork = format!("/api/runs/{run}/fork");
    for (target, body, status, kind) in [
        ("/api/runs", "".to_owned(), 400, "bad-request"),
        ("/api/runs", "{".to_owned(), 400, "bad-request"),
        ("/api/runs", "{'method': 'steps'}".to_owned(), 400, "bad-request"),
        ("/api/runs", r#"{"method": "steps", "question": "1"} x"#.to_owned(), 400, "bad-request"),
        ("/api/runs", "\u{feff}{}".to_owned(), 400, "bad-request"),
        (
            "/api/runs",
            r#"{"method": "steps", "question": "\ud800"}"#.to_owned(),
            400,
            "bad-request",
        ),
        (
            "/api/runs",
            r#"{"method": "steps", "question": "\udc00x"}"#.to_owned(),
            400,
            "bad-request",
        ),
        ("/api/runs", "[".repeat(100_000), 400, "bad-request"),
        ("/api/runs", "{\"where\":".repeat(100_000), 400, "bad-request"),
        (fork.as_str(), deep("[", "]"), 400, "bad-request"),
        (fork.as_str(), deep("{\"a\":", "}"), 400, "bad-request"),
        ("/api/runs", "null".to_owned(), 422, "invalid"),
        ("/api/runs", "[]".to_owned(), 422, "invalid"),
        ("/api/runs", r#"["steps", "1"]"#.to_owned(), 422, "invalid"),
        ("/api/collections", r#"["name"]"#.to_owned(), 422, "invalid"),
        ("/api/runs", r#""steps""#.to_owned(), 422, "invalid"),
        ("/api/runs", r#"{"method": "steps", "question": 1}"#.to_owned(), 422, "invalid"),
        ("/api/runs", r#"{"method": null, "question": "1"}"#.to_owned(), 422, "invalid"),
        (
            "/api/runs",
            r#"{"method": "steps", "question": "1", "hurry": true}"#.to_owned(),
            422,
            "invalid",
        ),
        (
            "/api/runs",
            r#"{"method": "steps", "method": "steps", "question": "1"}"#.to_owned(),
            422,
            "invalid",
        ),
        (
            "/api/runs",
            r#"{"method": "steps", "question": "1", "top": -1}"#.to_owned(),
            422,
            "invalid",
        ),
        (
            "/api/runs",
            r#"{"method": "steps", "question": "1", "top": 1e999}"#.to_owned(),
            400,
            "bad-request",
        ),
        ("/api/runs", r#"{"method": "nothing", "question": "1"}"#.to_owned(), 422, "invalid"),
        ("/api/runs", r#"{"method": "steps", "question": "  "}"#.to_owned(), 422, "invalid"),
        (fork.as_str(), r#"{"from": "work #9"}"#.to_owned(), 422, "invalid"),
        (fork.as_str(), r#"{"from": "name", "set": {"a": []}}"#.to_owned(), 422, "invalid"),
    ] {
        let told = set.send(POST, target, body.clone()).await;
        let shown: String = body.chars().take(80).collect();
        assert_eq!((told.status, told.kind()), (status, kind), "{target} {shown}: {}", told.body);
        assert!(!told.text("/detail").is_empty());
    }
    let invalid = [b"{\"method\": \"steps\", \"question\": \"\xff\"}".to_vec(), vec![0; 9]];
    for body in invalid {
        let told = set.send(POST, "/api/runs", body).await;
        assert_eq!((told.status, told.kind()), (400, "bad-request"), "{}", told.body);
    }
    let list = set.get("/api/runs").await;
    assert_eq!(list["runs"].as_array().unwrap().len(), 1, "none of these started anything");
}

// proves: F2
#[tokio::test(flavor = "multi_thread")]
async fn a_body_that_is_too_large_is_refused_and_the_refusal_is_heard() {
    let set = Set::up().await;
    let run = set.start("greet", "Hello").await;
    set.stage.until_status(&run, "waiting").await;
    let large = "x".repeat(10_000_000);
    for (method, target, field) in [
        (POST, "/api/runs".to_owned(), "question"),
        (POST, "/api/estimates".to_owned(), "question"),
        (POST, "/api/collections".to_owned(), "name"),
        (POST, "/api/contexts".to_owned(), "name"),
        (PUT, "/api/contexts/any".to_owned(), "description"),
        (POST, "/api/session".to_owned(), "token"),
        (POST, format!("/api/runs/{run}/answer"), "answer"),
        (POST, format!("/api/runs/{run}/reject"), "reason"),
        (POST, "/api/workflows".to_owned(), "user_message"),
        (POST, format!("/api/workflows/{run}/answer_questions"), "answers"),
        (POST, format!("/api/runs/{run}/fork"), "from"),
        (PUT, format!("/api/runs/{run}/plan"), "plan"),
        (POST, "/api/stream".to_owned(), "question"),
        (POST, "/api/ask".to_owned(), "history"),
        (POST, "/api/interrupt".to_owned(), "run_id"),
    ] {
        let told = set.send(method, &target, json!({ field: large }).to_string()).await;
        assert_eq!((told.status, told.kind()), (413, "too-large"), "{target}");
    }
}

// proves: F2
#[tokio::test(flavor = "multi_thread")]
async fn a_body_of_another_type_is_refused() {
    let set = Set::up().await;
    let run = set.start("greet", "Hello").await;
    set.stage.until_status(&run, "waiting").await;
    for operation in set.contract.operations() {
        if !matches!(operation.method.as_str(), "POST" | "PUT" | "PATCH") {
            continue;
        }
        let target = operation.path.replace("{run_id}", &run).replace("{workflow_id}", &run);
        let target = target.replace("{collection}", "any");
        let target = target.replace("{context_id}", "any").replace("{survey}", "any");
        let target = match operation.id.as_str() {
            "upload_document" => target + "?name=a.txt",
            "upload_survey_file" => target + "?name=a.csv",
            _ => target,
        };
        for given in [
            "text/plain",
            "application/x-www-form-urlencoded",
            "multipart/form-data; boundary=x",
            "text/plain; application/json",
            "application/jsonp",
            "text/json",
            "",
        ] {
            let request =
                set.stage.client.request(operation.method.clone(), set.stage.url(&target));
            let request = request.header("content-type", given).body("{\"answer\": \"Ada\"}");
            let told = set.contract.send(operation.method.clone(), &target, request).await;
            let what = format!("{} with '{given}'", operation.id);
            assert_eq!((told.status, told.kind()), (415, "unsupported"), "{what}");
        }
    }
    let state = set.get(&format!("/api/runs/{run}")).await;
    assert_eq!(state["status"], "waiting", "and nothing has come of it");
}

// proves: F2
#[tokio::test(flavor = "multi_thread")]
async fn what_is_not_there_is_not_found() {
    let set = Set::up().await;
    for operation in set.contract.operations() {
        let (Some(open), Some(close)) = (operation.path.find('{'), operation.path.find('}')) else {
            continue;
        };
        let (before, after) = (&operation.path[..open], &operation.path[close + 1..]);
        for id in [
            "nobody",
            "run-1-1",
            &"x".repeat(128),
            &"x".repeat(129),
            "a%20b",
            "%00",
            "%F0%9F%A6%8A",
            "%ff",
        ] {
            let makes = ["upload_document", "upload_survey_file"].contains(&operation.id.as_str());
            if makes && matches!(id, "nobody" | "run-1-1") {
                continue;
            }
            let target = format!("{before}{id}{after}");
            let body = match operation.id.as_str() {
                "answer" => json!({"answer": "Ada"}),
                "edit_plan" => json!({"revision": 1, "plan_hash": "0".repeat(64), "plan": plan()}),
                "fork_run" => json!({"from": "name"}),
                "answer_questions" => json!({"answers": {}}),
                "replace_context" => json!({"name": "Any"}),
                _ => json!({}),
            };
            let query = match operation.id.as_str() {
                "export_run" => "?format=json",
                "upload_document" => "?name=a.txt",
                "upload_survey_file" => "?name=a.csv",
                _ => "",
            };
            let url = set.stage.url(&format!("{target}{query}"));
            let request = set.stage.client.request(operation.method.clone(), url);
            let request = match operation.id.as_str() {
                _ if makes => {
                    request.header("content-type", "application/octet-stream").body("text")
                }
                _ if operation.method == GET => request,
                _ => request.json(&body),
            };
            let told = set.contract.send(operation.method.clone(), &target, request).await;
            let what = format!("{} {target}", operation.id);
            match operation.id.as_str() {
                // A name may have the form of an id and be too long for a collection that is to be made.
                _ if makes => assert!(matches!(told.status, 404 | 422), "{what}"),
                _ => assert_eq!((told.status, told.kind()), (404, "not-found"), "{what}"),
            }
        }
    }
    for target in [
        "/api",
        "/api/",
        "/api/nothing",
        "/api/runs/",
        "/nothing",
        "/page/nothing.js",
        "/page/",
        "/page/%ff",
        "//",
        "/index.html",
    ] {
        let told = Told::by(set.stage.client.get(set.stage.url(target))).await;
        assert_eq!((told.status, told.kind()), (404, "not-found"), "{target}");
        assert_eq!(told.header("content-type"), "application/problem+json");
    }
    assert_eq!(
        set.get("/api/collections?all=true").await,
        json!({"collections": [], "next": null})
    );
}

// proves: F2
#[tokio::test(flavor = "multi_thread")]
async fn other_methods_are_told_which_there_are() {
    let set = Set::up().await;
    let paths: BTreeSet<String> =
        set.contract.operations().into_iter().map(|operation| operation.path).collect();
    for path in paths.iter().map(String::as_str).chain(["/", "/page/index.html"]) {
        let is_there = |method: &str| {
            let item = &set.contract.document["paths"][path];
            item[method.to_lowercase()].is_object()
                || (method == "HEAD" && item["get"].is_object())
                || (item.is_null() && matches!(method, "GET" | "HEAD"))
        };
        let target = path.replace(['{', '}'], "");
        for method in ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "BREW"]
        {
            if is_there(method) {
                continue;
            }
            let method: Method = method.parse().unwrap();
            let told =
                Told::by(set.stage.client.request(method.clone(), set.stage.url(&target))).await;
            assert_eq!(told.status, 405, "{method} {target}");
            let allowed = told.header("allow");
            assert!(
                allowed.split(',').all(|method| is_there(method.trim())),
                "{target}: '{allowed}'"
            );
            if method != Method::HEAD {
                assert_eq!(told.kind(), "method-not-allowed");
            }
        }
    }
}

/// Texts that have broken programs before.
fn naughty() -> Vec<String> {
    let mut texts: Vec<String> = [
        "\0",
        "a\0b",
        "\u{202e}desrever\u{202c}",
        "\u{2066}isolated\u{2069}",
        "👩‍👩‍👧‍👦🏳️‍🌈",
        "Z̸̢̛͎͈a̶l̷g̵o̴",
        "\u{feff}bom",
        "\u{200b}\u{200d}\u{2028}\u{2029}\u{85}",
        "\u{1b}[31mred\u{7}",
        "line\r\nX-Injected: yes\r\n\r\nbody",
        "\u{ffff}\u{10ffff}\u{fffd}\u{e000}",
        "' OR 1=1; DROP TABLE runs; --",
        "%s%n%x{0}${jndi:ldap://x}{{7*7}}",
        "<script>alert(1)</script><img src=x onerror=alert(1)>",
        "../../../../etc/passwd",
        "..\\..\\windows\\win.ini",
        "/dev/zero",
        "file:///etc/passwd",
        "CON",
        "NaN",
        "null",
        "-0",
        "1e999",
        "18446744073709551616",
        "true",
        "\\",
        "\"",
        "%",
        "_",
        "*",
        "ﬃ ǅ İ ß ς",
        "田中さんにあげて下さい",
        "الكل في المجمو عة",
    ]
    .map(str::to_owned)
    .into();
    texts.push("x".repeat(20_001));
    texts.push("🦊".repeat(20_000));
    texts
}

// proves: F2
#[tokio::test(flavor = "multi_thread")]
async fn no_text_in_any_field_breaks_the_server() {
    let set = Set::up().await;
    let waiting = set.start("greet", "Hello").await;
    let planned = set.start("planned", "Look").await;
    set.stage.until_status(&waiting, "waiting").await;
    let state = set.stage.until_status(&planned, "waiting").await;
    let gate = state["gates"][0].clone();
    for text in &naughty() {
        let run = |field: &str, value: Value| {
            let mut order = build_order("greet", "Hello");
            order[field] = value;
            (POST, "/api/runs".to_owned(), order)
        };
        let at = |run: &str, what: &str| format!("/api/runs/{run}/{what}");
        let workflow = |run: &str, what: &str| format!("/api/workflows/{run}/{what}");
        let edited = |field: &str, value: Value| {
            let mut plan = serde_json::to_value(plan()).unwrap();
            plan[field] = value;
            // Refused as stale unless the plan itself is refused first: the run stays as it is.
            json!({"revision": 7, "plan_hash": gate["plan_hash"], "plan": plan})
        };
        for (method, target, body) in [
            run("question", json!(text)),
            run("method", json!(text)),
            run("strategy", json!(text)),
            run("collection", json!(text)),
            run("where", json!({ text: text })),
            run("sources", json!([text])),
            run("domain", json!(text)),
            run("objective", json!(text)),
            run("model", json!(text)),
            run("budget", json!({ text: 1 })),
            (
                POST,
                "/api/workflows?wait=0".to_owned(),
                json!({ "user_message": text, "method": "greet" }),
            ),
            (
                POST,
                "/api/workflows?wait=0".to_owned(),
                json!({ "user_message": "Hello", "user_id": text }),
            ),
            (
                POST,
                "/api/workflows?wait=0".to_owned(),
                json!({ "user_message": "Hello", "method": text }),
            ),
            (
                POST,
                "/api/workflows?wait=0".to_owned(),
                json!({ "user_message": "Hello", "startup": text, "method": "greet" }),
            ),
            (POST, workflow(&waiting, "answer_questions"), json!({ "answers": { text: text } })),
            (
                POST,
                workflow(&waiting, "answer_questions"),
                json!({ "answers": [{ "id": text, "answer": text }] }),
            ),
            (POST, workflow(&planned, "approve_plan"), json!({ "gate": text, "user_id": text })),
            (POST, workflow(&planned, "reject_plan"), json!({ "gate": text, "reason": text })),
            (POST, "/api/estimates".to_owned(), build_order(text, text)),
            (POST, "/api/session".to_owned(), json!({ "token": text })),
            (POST, "/api/collections".to_owned(), json!({ "name": text })),
            (POST, "/api/contexts".to_owned(), json!({ "name": text, "industry": text })),
            (POST, "/api/contexts".to_owned(), json!({ "name": "Any", "id": text })),
            (POST, "/api/contexts".to_owned(), json!({ "from_run": text })),
            (
                POST,
                "/api/contexts".to_owned(),
                json!({ "name": "Any", "search_terms": [text], "metadata": { text: text } }),
            ),
            (POST, at(&waiting, "answer"), json!({ "gate": text, "answer": text })),
            (
                POST,
                at(&waiting, "fork"),
                json!({ "from": text, "model": text, "set": { text: text } }),
            ),
            (PUT, at(&planned, "plan"), edited("title", json!(text))),
            (PUT, at(&planned, "plan"), edited("search_terms", json!([text]))),
            (
                PUT,
                at(&planned, "plan"),
                json!({ "revision": 1, "plan_hash": text, "plan": plan() }),
            ),
            (POST, "/api/interrupt".to_owned(), json!({ "run_id": text })),
            (POST, at(&planned, "approve"), json!({ "gate": text })),
            (POST, at(&planned, "reject"), json!({ "gate": text, "reason": text })),
        ] {
            let told = set.call(method.clone(), &target, Some(body)).await;
            assert!(told.status < 500, "{method} {target} {text:?}: {}", told.body);
            if target == "/api/runs" && told.status == 201 && told.body["question"] != "Hello" {
                assert_eq!(told.body["question"], text.as_str(), "it is kept as it was written");
            }
        }
        // A header that long is no request at all.
        let short: String = text.chars().take(2_000).collect();
        for (target, name) in [
            ("/api/runs", "q"),
            ("/api/runs", "method"),
            ("/api/runs", "before"),
            ("/api/runs", "status"),
            ("/api/runs", "limit"),
            ("/api/collections", "all"),
            ("/api/documents/nobody/text", "start"),
            (&at(&waiting, "export"), "format"),
            (&at(&waiting, "events"), "after"),
        ] {
            let request = set.stage.client.get(set.stage.url(target)).query(&[(name, &short)]);
            let sent = request.send().await.unwrap();
            let what = format!("{target} {name}={text:?}");
            assert!(sent.status().as_u16() < 500, "{what}: {}", sent.status());
            assert!(sent.headers().get("x-injected").is_none(), "{what}");
        }
        let told = set.upload("naughty", &short, text).await;
        assert!(told.status < 500, "upload {text:?}: {}", told.body);
    }
    let texts = naughty();
    let list = set.get("/api/collections/naughty/documents").await;
    for document in list["documents"].as_array().unwrap() {
        let path = document["path"].as_str().unwrap();
        assert!(texts.iter().any(|text| text.starts_with(path)), "a label stays as it was given");
        let id = document["document_id"].as_str().unwrap();
        let window = set.get(&format!("/api/documents/{id}/text")).await;
        assert!(texts.iter().any(|text| text.starts_with(window["after"].as_str().unwrap())));
    }
    assert_eq!(set.get(&format!("/api/runs/{planned}")).await["status"], "waiting");
    assert_eq!(
        set.stage.done(),
        Vec::<String>::new(),
        "nobody approved, rejected or ended anything"
    );
}
