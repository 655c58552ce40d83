//! What must not get through, and what is not done here.

use proptest::prelude::*;
use serde_json::{Value, json};

use super::{body, chat, list_runs};
use crate::raw;
use crate::stage::{Stage, Wanted, answer};

fn check_error((status, error): &(u16, Value), wanted: impl Fn(u16) -> bool) {
    assert!(wanted(*status), "{status} {error}");
    let error = &error["error"];
    assert!(error["message"].as_str().is_some_and(|message| !message.is_empty()), "{error}");
    assert!(
        error["type"].is_string() && error.get("param").is_some() && error.get("code").is_some()
    );
}

// proves: F4, F8
#[tokio::test]
async fn what_is_not_done_here_is_refused_in_openais_words_and_the_rest_passed_over() {
    let stage = Stage::open().await;
    let with = |more: Value| {
        let mut asked = body("cite", "Who?");
        asked.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        asked
    };
    for (more, param) in [
        (json!({ "n": 2 }), "n"),
        (json!({ "n": "x" }), "n"),
        (json!({ "tools": [{}], "tool_choice": "required" }), "tool_choice"),
        (json!({ "tools": [{}], "tool_choice": { "type": "function" } }), "tool_choice"),
        (json!({ "functions": [{}], "function_call": { "name": "f" } }), "function_call"),
        (json!({ "tools": {} }), "tools"),
        (json!({ "modalities": ["text", "audio"] }), "modalities"),
        (json!({ "audio": {} }), "audio"),
        (json!({ "logprobs": true }), "logprobs"),
        (json!({ "stop": ["\n"] }), "stop"),
        (json!({ "stream": "yes" }), "stream"),
        (json!({ "stream_options": { "include_usage": 1 } }), "stream_options.include_usage"),
        (json!({ "response_format": { "type": "xml" } }), "response_format"),
        (json!({ "quaestio": { "unknown": 1 } }), "quaestio"),
        (json!({ "messages": null }), "messages"),
        (json!({ "model": 7 }), "model"),
    ] {
        let told = stage.post("/v1/chat/completions", with(more.clone())).await;
        check_error(&told, |status| status == 400);
        assert_eq!(told.1["error"]["param"], param, "{more}: {}", told.1);
    }
    let title = "### Task:\nMake a title.\n<chat_history>\nhi\n</chat_history>";
    let told = stage.post("/v1/chat/completions", body("cite", title)).await;
    assert_eq!((told.0, &told.1["error"]["code"]), (400, &"not_a_question".into()));
    assert!(list_runs(&stage).await.is_empty(), "nothing that was refused has started a run");
    let told = chat(&stage, &with(json!({
        "temperature": 0.2, "top_p": 1, "seed": 7, "user": "x", "n": 1, "stop": null, "max_tokens": 9,
        "tools": [{ "type": "function" }], "tool_choice": "auto", "modalities": ["text"], "store": false,
        "presence_penalty": 0, "reasoning_effort": "high", "chat_id": "x", "logprobs": false,
    })))
    .await;
    let reasoning = told["choices"][0]["message"]["reasoning_content"].as_str().unwrap();
    assert!(reasoning.contains("tools of the request are not used"), "{reasoning}");
}

// proves: F4, F8
#[tokio::test]
async fn errors_of_every_layer_have_openais_form() {
    let stage = Stage::with(Wanted { requests_per_second: 1, ..Wanted::default() }).await;
    let host = format!("host: {}", stage.address);
    let send = async |lines: &[&str], body: &[u8]| {
        let raw = raw::ask(stage.address, lines, body).await;
        let limited = raw.header("retry-after").map(str::to_owned);
        ((raw.status, serde_json::from_str::<Value>(&raw.text()).unwrap_or_default()), limited)
    };
    let (told, _) = send(&["GET /v1/nothing HTTP/1.1", &host], b"").await;
    check_error(&told, |status| status == 404);
    let (told, _) = send(&["GET /v1/chat/completions HTTP/1.1", &host], b"").await;
    check_error(&told, |status| status == 405);
    let message = told.1["error"]["message"].as_str().unwrap();
    assert!(message.contains("/v1/models") && !message.contains("openapi"), "{message}");
    let (told, _) = send(&["GET /v1/models HTTP/1.1", "host: evil.example"], b"").await;
    check_error(&told, |status| status == 403);
    let origin = "origin: http://evil.example";
    let (told, _) = send(&["GET /v1/models HTTP/1.1", &host, origin], b"").await;
    check_error(&told, |status| status == 403);
    let form = [
        "POST /v1/chat/completions HTTP/1.1",
        &host,
        "content-type: text/plain",
        "content-length: 2",
    ];
    let (told, _) = send(&form, b"{}").await;
    check_error(&told, |status| status == 415);
    let mut limited = None;
    for _ in 0..20 {
        let (told, after) = send(&form, b"{}").await;
        if told.0 == 429 {
            limited = Some((told, after));
            break;
        }
    }
    let (told, after) = limited.unwrap();
    check_error(&told, |status| status == 429);
    assert_eq!(told.1["error"]["code"], "rate_limit_exceeded");
    assert!(after.is_some());
}

// proves: F4, F8
#[tokio::test]
async fn hostile_bodies_are_refused_cleanly() {
    let stage = Stage::open().await;
    let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    let nested = format!(r#"{{"model": "cite", "messages": {deep}}}"#);
    let large = format!(r#"{{"model": "cite", "messages": "{}"}}"#, "x".repeat(10 << 20));
    let surrogate = r#"{"model": "cite", "messages": [{"role": "user", "content": "\ud800"}]}"#;
    let unused =
        r#"{"model": "cite", "messages": [{"role": "user", "content": "q"}], "user": "\udfff"}"#;
    let bodies: [&[u8]; 12] = [
        b"",
        b"null",
        b"[]",
        b"7",
        b"{",
        b"{\"model\": \"cite\"}",
        b"\xff\xfe",
        b"{\"model\": \"cite\", \"messages\": [{\"role\": \"user\", \"content\": \"\xff\"}]}",
        nested.as_bytes(),
        large.as_bytes(),
        surrogate.as_bytes(),
        unused.as_bytes(),
    ];
    for path in ["/v1/chat/completions", "/v1/responses"] {
        for body in bodies {
            let request =
                stage.client.post(stage.url(path)).header("content-type", "application/json");
            let told = answer(request.body(body.to_vec())).await;
            check_error(&told, |status| matches!(status, 400 | 413));
        }
    }
    assert!(list_runs(&stage).await.is_empty());
}

fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        prop::sample::select(vec![
            "",
            "user",
            "assistant",
            "system",
            "text",
            "input_text",
            "required",
            "json_schema",
            "greet",
            "é🦊",
            "Run `x` waits for your answer (3).",
            "{\"run_id\": \"x\", \"status\": \"waiting\", \"entries\": 3}",
            "approve",
            "resp_x",
            "resp_x.3",
        ])
        .prop_map(Value::from),
    ];
    let names = prop::sample::select(vec![
        "role",
        "content",
        "type",
        "text",
        "format",
        "quaestio",
        "budget",
        "collection",
        "index",
        "include_usage",
    ]);
    leaf.prop_recursive(3, 16, 4, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::btree_map(names.clone(), inner, 0..4).prop_map(|map| map
                .into_iter()
                .map(|(name, value)| (name.to_owned(), value))
                .collect()),
        ]
    })
}

fn any_body() -> impl Strategy<Value = Value> {
    let names = prop::sample::select(vec![
        "messages",
        "input",
        "stream",
        "n",
        "tools",
        "tool_choice",
        "response_format",
        "text",
        "metadata",
        "quaestio",
        "stream_options",
        "previous_response_id",
        "background",
        "stop",
        "modalities",
    ]);
    prop::collection::btree_map(names, any_json(), 0..6).prop_map(|fields| {
        let mut body: Value =
            fields.into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
        // A model that would work, so that the rest is read; none of it would be asked anything.
        body["model"] = "quaestio/cite".into();
        body
    })
}

// proves: F4, F8
#[test]
fn any_body_gets_an_answer_or_a_clean_refusal() {
    let runtime =
        tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build();
    let runtime = runtime.unwrap();
    let stage = runtime.block_on(Stage::open());
    let config =
        ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() };
    proptest!(config, |(body in any_body(), is_chat in any::<bool>())| {
        let path = if is_chat { "/v1/chat/completions" } else { "/v1/responses" };
        let told = runtime.block_on(stage.post(path, body));
        if told.0 != 200 {
            check_error(&told, |status| (400..500).contains(&status));
        }
    });
}
