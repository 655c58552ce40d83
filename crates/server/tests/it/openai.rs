//! The OpenAI-compatible face: what its clients send and get, and what must not get through.

mod refused;
mod responses;
mod waiting;

use std::collections::HashSet;

use serde_json::{Value, json};

use crate::patience::{PATIENCE, until, within};
use crate::stage::{ALICE, BOB, Stage, Wanted, answer};

fn body(model: &str, question: &str) -> Value {
    json!({ "model": model, "messages": [{ "role": "user", "content": question }] })
}

async fn chat(stage: &Stage, body: &Value) -> Value {
    let (status, completion) = stage.post("/v1/chat/completions", body.clone()).await;
    assert_eq!(status, 200, "{completion}");
    completion
}

fn content(completion: &Value) -> &str {
    completion["choices"][0]["message"]["content"].as_str().unwrap()
}

/// Sends a request whose answer is a stream; returns the data of its events.
async fn stream(stage: &Stage, path: &str, mut body: Value) -> Vec<String> {
    body["stream"] = true.into();
    let request = stage.client.post(stage.url(path)).json(&body).timeout(PATIENCE);
    let response = request.send().await.unwrap();
    assert_eq!(response.headers()["content-type"], "text/event-stream");
    let text = response.text().await.unwrap();
    let lines = text.lines().filter_map(|line| line.strip_prefix("data: "));
    lines.map(str::to_owned).collect()
}

fn parse(events: &[String]) -> Vec<Value> {
    events.iter().filter_map(|event| serde_json::from_str(event).ok()).collect()
}

/// Puts the deltas of a streamed completion together.
fn join(chunks: &[Value], field: &str) -> String {
    let deltas = chunks.iter().map(|chunk| &chunk["choices"][0]["delta"][field]);
    deltas.filter_map(Value::as_str).collect()
}

fn cut(text: &str, annotation: &Value) -> String {
    let at = |name: &str| usize::try_from(annotation[name].as_u64().unwrap()).unwrap();
    let (start, end) = (at("start_index"), at("end_index"));
    text.chars().skip(start).take(end - start).collect()
}

// proves: F4
#[tokio::test]
async fn a_chat_is_answered_by_a_run_with_its_citations_whole_and_streamed() {
    let stage = Stage::open().await;
    let whole = chat(&stage, &body("quaestio/cite", "Who?")).await;
    let text = content(&whole);
    assert!(text.contains("Zwölf 🦊 liefen [1]"), "{text}");
    let message = &whole["choices"][0]["message"];
    assert!(message["reasoning_content"].as_str().unwrap().contains("looking it up"));
    let annotations = message["annotations"].as_array().unwrap();
    // Four in the answer, and one at each source.
    assert_eq!(annotations.len(), 6, "{annotations:#?}");
    for annotation in annotations {
        assert_eq!(annotation["type"], "url_citation");
        let cited = &annotation["url_citation"];
        assert_eq!(cut(text, cited), format!("[{}]", cited["number"]), "{cited}");
        assert_eq!(cited["quote"], format!("The source's own words, {}.", cited["number"]));
    }
    assert_eq!(annotations[0]["url_citation"]["url"], "https://doi.org/10.1000/a");
    assert_eq!(annotations[0]["url_citation"]["title"], "Title 1");
    let run = whole["quaestio"]["run_id"].as_str().unwrap();
    assert_eq!(whole["id"], format!("chatcmpl-{run}"));
    assert_eq!(
        (&whole["object"], &whole["model"]),
        (&"chat.completion".into(), &"quaestio/cite".into())
    );
    assert_eq!(stage.get(&format!("/api/runs/{run}")).await.1["status"], "completed");

    let mut wanted = body("quaestio/cite", "Who?");
    wanted["stream_options"] = json!({ "include_usage": true });
    let events = stream(&stage, "/v1/chat/completions", wanted).await;
    assert_eq!(events.last().unwrap(), "[DONE]");
    let chunks = parse(&events);
    // Only the run's own id is another.
    let other = chunks[0]["id"].as_str().unwrap().strip_prefix("chatcmpl-").unwrap();
    assert_eq!(join(&chunks, "content").replace(other, run), text);
    let lots =
        chunks.iter().filter_map(|chunk| chunk["choices"][0]["delta"]["annotations"].as_array());
    let streamed: Vec<Value> = lots.flatten().cloned().collect();
    assert_eq!(streamed.len(), annotations.len());
    for (index, (streamed, whole)) in streamed.iter().zip(annotations).enumerate() {
        assert_eq!(streamed["index"], index);
        assert_eq!(streamed["url_citation"], whole["url_citation"]);
    }
    assert_eq!(chunks[chunks.len() - 2]["choices"][0]["finish_reason"], "stop");
    let last = chunks.last().unwrap();
    assert_eq!((&last["choices"], last["usage"]["total_tokens"].as_u64()), (&json!([]), Some(0)));
}

// proves: F4
#[tokio::test]
async fn a_draft_is_never_content_and_usage_is_the_runs() {
    let stage = Stage::open().await;
    stage.go(4);
    let mut wanted = body("quaestio/talk", "Speak");
    wanted["quaestio"] = json!({ "model": "stage/speaker" });
    wanted["stream"] = true.into();
    let request = stage.client.post(stage.url("/v1/chat/completions")).json(&wanted);
    let mut response = request.send().await.unwrap();
    let run = response.headers()["x-run-id"].to_str().unwrap().to_owned();
    stage.until_calls(1).await;
    let mut text = String::new();
    let mut piece = async || {
        let piece = within("a piece is there", response.chunk()).await.unwrap();
        piece.map(|piece| String::from_utf8(piece.to_vec()).unwrap())
    };
    while !text.contains("stage/speaker") {
        text.push_str(&piece().await.unwrap());
    }
    assert!(!text.contains("Zwölf"), "{text}");
    assert_eq!(stage.get(&format!("/api/runs/{run}")).await.1["status"], "running");
    stage.go(99);
    while let Some(more) = piece().await {
        text.push_str(&more);
    }
    let events: Vec<String> =
        text.lines().filter_map(|line| line.strip_prefix("data: ")).map(str::to_owned).collect();
    assert!(join(&parse(&events), "content").contains("Zwölf 🦊 laufen über das Eis."));

    let mut wanted = body("talk", "Speak");
    wanted["quaestio"] = json!({ "model": "stage/speaker" });
    let whole = chat(&stage, &wanted).await;
    assert_eq!(whole["usage"]["prompt_tokens"], 10);
    assert_eq!(whole["usage"]["completion_tokens"], 20);
    assert_eq!(whole["usage"]["total_tokens"], 30);
    assert_eq!(whole["model"], "quaestio/talk");
    wanted["response_format"] =
        json!({ "type": "json_schema", "json_schema": { "name": "x", "schema": {} } });
    let envelope: Value = serde_json::from_str(content(&chat(&stage, &wanted).await)).unwrap();
    assert_eq!((&envelope["method"], &envelope["status"]), (&"talk".into(), &"completed".into()));
}

// proves: F4, R6
#[tokio::test]
async fn a_closed_connection_stops_the_run_unless_it_is_detached() {
    let stage = Stage::open().await;
    for (is_streamed, field, status) in [
        (true, json!({}), "cancelled"),
        (false, json!({}), "cancelled"),
        (true, json!({ "detach": true }), "running"),
        (false, json!({ "detach": true }), "running"),
    ] {
        stage.go(0);
        let known: HashSet<String> = list_runs(&stage).await;
        let mut wanted = body("quaestio/steps", "2");
        wanted["stream"] = is_streamed.into();
        wanted["quaestio"] = field;
        let text = wanted.to_string();
        let length = format!("content-length: {}", text.len());
        let host = format!("host: {}", stage.address);
        let lines = [
            "POST /v1/chat/completions HTTP/1.1",
            &host,
            "content-type: application/json",
            &length,
        ];
        let mut connection = tokio::net::TcpStream::connect(stage.address).await.unwrap();
        let head = lines.join("\r\n") + "\r\n\r\n";
        tokio::io::AsyncWriteExt::write_all(&mut connection, (head + &text).as_bytes())
            .await
            .unwrap();
        let run = until("the run is there", async || {
            list_runs(&stage).await.difference(&known).next().cloned().ok_or(())
        })
        .await;
        stage.until_step(&run, 1).await;
        drop(connection);
        if status == "running" {
            // Whatever stops it would be heard by the time that another run was stopped.
            let other = stage.start("steps", "1").await;
            stage.post(&format!("/api/runs/{other}/cancel"), Value::Null).await;
            stage.until_status(&other, "cancelled").await;
            stage.go(9);
            stage.until_status(&run, "completed").await;
        } else {
            stage.until_status(&run, status).await;
        }
    }
}

async fn list_runs(stage: &Stage) -> HashSet<String> {
    let (_, list) = stage.get("/api/runs").await;
    let runs = list["runs"].as_array().unwrap().iter();
    runs.map(|run| run["run_id"].as_str().unwrap().to_owned()).collect()
}

// proves: F4, F8
#[tokio::test]
async fn a_key_opens_its_own_users_runs_and_collections_only() {
    let stage = Stage::with(Wanted::with_users()).await;
    let ask = async |key: &str, path: &str, body: &Value| {
        answer(stage.client.post(stage.url(path)).bearer_auth(key).json(body)).await
    };
    let get = async |key: &str, path: &str| {
        answer(stage.client.get(stage.url(path)).bearer_auth(key)).await
    };
    let (_, asked) = ask(ALICE, "/v1/chat/completions", &body("greet", "Hello")).await;
    let run = asked["quaestio"]["run_id"].as_str().unwrap();
    let conversation = json!({ "model": "greet", "messages": [
        { "role": "user", "content": "Hello" }, { "role": "assistant", "content": content(&asked) },
        { "role": "user", "content": "Eve" },
    ]});
    let (status, told) = ask(BOB, "/v1/chat/completions", &conversation).await;
    assert_eq!(status, 200);
    assert_ne!(told["quaestio"]["run_id"], run, "bob has started a run of his own");
    let reasoning = told["choices"][0]["message"]["reasoning_content"].as_str().unwrap();
    assert!(
        reasoning.contains("no longer exists, so this is treated as a new question"),
        "{reasoning}"
    );
    let id = format!("resp_{run}");
    let previous = json!({ "model": "greet", "input": "Eve", "previous_response_id": id });
    assert_eq!(ask(BOB, "/v1/responses", &previous).await.0, 404);
    assert_eq!(get(BOB, &format!("/v1/responses/{id}")).await.0, 404);
    assert_eq!(ask(BOB, &format!("/v1/responses/{id}/cancel"), &json!({})).await.0, 404);
    let target = stage.url(&format!("/v1/responses/{id}"));
    assert_eq!(answer(stage.client.delete(target).bearer_auth(BOB)).await.0, 404);
    let (status, state) = get(ALICE, &format!("/v1/responses/{id}")).await;
    assert_eq!((status, &state["quaestio"]["status"]), (200, &"waiting".into()));

    let made = ask(ALICE, "/api/collections", &json!({ "name": "manual" })).await;
    assert_eq!(made.0, 201);
    let list = async |key: &str| get(key, "/v1/models").await.1.to_string();
    assert!(list(ALICE).await.contains("\"quaestio/rag@manual\""));
    assert!(!list(BOB).await.contains("@manual"));
    for (key, status) in [(ALICE, 200), (BOB, 404)] {
        for path in ["/v1/models/quaestio/rag@manual", "/v1/models/quaestio%2Frag%40manual"] {
            assert_eq!(get(key, path).await.0, status, "{path}");
        }
    }
    for key in ["", "wrong"] {
        let request = stage.client.get(stage.url("/v1/models"));
        let request = if key.is_empty() { request } else { request.bearer_auth(key) };
        let (status, error) = answer(request).await;
        assert_eq!((status, &error["error"]["code"]), (401, &"invalid_api_key".into()), "{error}");
    }
}

// proves: F4
#[tokio::test]
async fn every_method_and_strategy_is_a_model() {
    let stage = Stage::open().await;
    let (_, list) = stage.get("/v1/models").await;
    let names: Vec<&str> = list["data"]
        .as_array()
        .unwrap()
        .iter()
        .map(|model| model["id"].as_str().unwrap())
        .collect();
    for wanted in ["steps", "greet", "cite", "direct", "search", "rag", "deep"] {
        let name = format!("quaestio/{wanted}");
        assert!(names.contains(&name.as_str()), "{name}");
        let (status, model) = stage.get(&format!("/v1/models/{name}")).await;
        assert_eq!((status, &model["object"], &model["id"]), (200, &"model".into(), &name.into()));
    }
    for none in [
        "quaestio/v001",
        "gpt-4",
        "quaestio/",
        "quaestio/direct@x",
        "quaestio/cite@../x",
        "greet@x",
    ] {
        let (status, error) = stage.get(&format!("/v1/models/{none}")).await;
        assert_eq!((status, &error["error"]["code"]), (404, &"model_not_found".into()), "{none}");
        let (status, error) = stage.post("/v1/chat/completions", body(none, "q")).await;
        assert_eq!((status, &error["error"]["param"]), (404, &"model".into()), "{none}");
    }
}

// proves: R6
#[tokio::test]
async fn a_server_that_stops_leaves_the_run_for_the_next() {
    let stage = Stage::open().await;
    stage.go(1);
    let mut wanted = body("steps", "3");
    wanted["stream"] = true.into();
    let request = stage.client.post(stage.url("/v1/chat/completions")).json(&wanted);
    let response = request.send().await.unwrap();
    let run = response.headers()["x-run-id"].to_str().unwrap().to_owned();
    stage.until_step(&run, 2).await;
    let (folder, text) = tokio::join!(stage.stop(), response.text());
    if let Ok(text) = text {
        assert!(text.contains("the server is stopping"), "{text}");
    }
    let stage = Stage::over(folder, Wanted::default()).await;
    stage.go(9);
    stage.until_status(&run, "completed").await;
}
