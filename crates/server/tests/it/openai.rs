//! The OpenAI-compatible face: what its clients send and get, and what must not get through.

use std::collections::HashSet;

use proptest::prelude::*;
use reqwest::header::HeaderMap;
use serde_json::{Value, json};

use crate::patience::{PATIENCE, until, within};
use crate::raw;
use crate::stage::{ALICE, BOB, Stage, Wanted, answer, plan};

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

/// A conversation, as a front end keeps it.
struct Talk<'a> {
    stage: &'a Stage,
    model: &'a str,
    messages: Vec<Value>,
}

impl Talk<'_> {
    async fn say(&mut self, text: &str) -> String {
        self.messages.push(json!({ "role": "user", "content": text }));
        let body = json!({ "model": self.model, "messages": self.messages });
        let said = content(&chat(self.stage, &body).await).to_owned();
        self.messages.push(json!({ "role": "assistant", "content": said }));
        said
    }
}

// proves: F4, W1
#[tokio::test]
async fn a_run_that_waits_asks_in_the_chat_and_the_next_message_answers_it() {
    let stage = Stage::open().await;
    let mut talk = Talk { stage: &stage, model: "quaestio/greet", messages: vec![] };
    let asked = talk.say("Hello").await;
    assert!(
        asked.contains("What is your name?") && asked.contains("waits for your answer."),
        "{asked}"
    );
    let asked = talk.say("Ada").await;
    assert!(asked.contains("Where do you live?"), "{asked}");
    let told = talk.say("London").await;
    assert!(told.contains("Hello, Ada of London!"), "{told}");
    assert_eq!(list_runs(&stage).await.len(), 1);
    // Sent again, as on a click on "regenerate", nothing is answered twice and nothing new is started.
    talk.messages.truncate(4);
    let told = talk.say("Paris").await;
    assert!(told.contains("Hello, Ada of London!"), "{told}");
    assert_eq!(list_runs(&stage).await.len(), 1);
    // A conversation goes on with a run of its own.
    talk.say("And you?").await;
    assert_eq!(list_runs(&stage).await.len(), 2);

    let mut all = Talk { stage: &stage, model: "quaestio/market", messages: vec![] };
    let body = json!({ "model": "quaestio/market", "quaestio": { "clarify": true },
        "messages": [{ "role": "user", "content": "Tea" }] });
    let asked = content(&chat(&stage, &body).await).to_owned();
    assert!(asked.contains("1. **Who buys?** because of q1"), "{asked}");
    all.messages =
        vec![body["messages"][0].clone(), json!({ "role": "assistant", "content": asked })];
    let asked = all.say("1. Law firms\n3: Texas").await;
    assert!(asked.contains("What?") && !asked.contains("Where?"), "{asked}");
    let told = all.say("skip").await;
    assert!(told.contains("Law firms /  / Texas"), "{told}");
}

// proves: F4, W3
#[tokio::test]
async fn a_plan_is_shown_edited_approved_and_rejected_in_words() {
    let stage = Stage::open().await;
    let mut talk = Talk { stage: &stage, model: "quaestio/planned", messages: vec![] };
    let asked = talk.say("Look").await;
    assert!(asked.contains("Look around") && asked.contains("approval of revision 1."), "{asked}");
    let asked = talk.say("Hm, what is that?").await;
    assert!(asked.contains("nothing was done") && asked.contains("Look around"), "{asked}");
    let mut edited = serde_json::to_value(plan()).unwrap();
    edited["title"] = "Look twice".into();
    let asked = talk.say(&format!("```json\n{edited}\n```")).await;
    assert!(asked.contains("Look twice") && asked.contains("approval of revision 2."), "{asked}");
    edited["steps"] = json!([]);
    let asked = talk.say(&edited.to_string()).await;
    assert!(
        asked.contains("cannot be taken") && asked.contains("approval of revision 2."),
        "{asked}"
    );
    // What was shown before the edit cannot be approved any more.
    let late = Talk { messages: talk.messages[..4].to_vec(), ..Talk { stage: &stage, ..talk } };
    let mut late = Talk { model: "quaestio/planned", ..late };
    let whole = late.messages.clone();
    let asked = late.say("approve").await;
    assert!(
        asked.contains("changed meanwhile") && asked.contains("approval of revision 2."),
        "{asked}"
    );
    let told = late.say("Approve.").await;
    assert!(told.contains("did: Look twice"), "{told}");
    assert_eq!(whole.len(), 4);

    let mut other = Talk { stage: &stage, model: "planned", messages: vec![] };
    other.say("Look").await;
    let told = other.say("Reject: too dear").await;
    assert!(told.contains("cancelled"), "{told}");
    let mut other = Talk { stage: &stage, model: "greet", messages: vec![] };
    other.say("Hello").await;
    let told = other.say("cancel").await;
    assert!(told.contains("cancelled"), "{told}");
}

// proves: F4
#[tokio::test]
async fn responses_are_made_followed_answered_cancelled_and_removed() {
    let stage = Stage::open().await;
    let request = json!({ "model": "quaestio/cite", "input": "Who?", "metadata": { "chat": "7" } });
    let (status, whole) = stage.post("/v1/responses", request.clone()).await;
    assert_eq!(
        (status, &whole["status"], &whole["metadata"]["chat"]),
        (200, &"completed".into(), &"7".into())
    );
    let id = whole["id"].as_str().unwrap();
    assert_eq!(whole["output"][0]["type"], "reasoning");
    let part = &whole["output"][1]["content"][0];
    for annotation in part["annotations"].as_array().unwrap() {
        assert_eq!(
            cut(part["text"].as_str().unwrap(), annotation),
            format!("[{}]", annotation["number"])
        );
    }
    let (status, again) = stage.get(&format!("/v1/responses/{id}")).await;
    assert_eq!(
        (status, &again["output"], &again["model"]),
        (200, &whole["output"], &whole["model"])
    );

    let events = parse(&stream(&stage, "/v1/responses", request).await);
    let names: Vec<&str> = events.iter().map(|event| event["type"].as_str().unwrap()).collect();
    assert_eq!(&names[..2], ["response.created", "response.in_progress"]);
    assert_eq!(names.last(), Some(&"response.completed"));
    for (number, event) in events.iter().enumerate() {
        assert_eq!(event["sequence_number"], number);
    }
    let done = &events.last().unwrap()["response"];
    let deltas = events.iter().filter(|event| event["type"] == "response.output_text.delta");
    let text: String = deltas.map(|event| event["delta"].as_str().unwrap()).collect();
    assert_eq!(done["output"][1]["content"][0]["text"], text);
    let added = names.iter().filter(|name| name.ends_with("annotation.added")).count();
    assert_eq!(added, 6);

    let (_, asked) =
        stage.post("/v1/responses", json!({ "model": "greet", "input": "Hello" })).await;
    let id = asked["id"].as_str().unwrap();
    let next = |text: &str| {
        json!({ "model": "greet", "input": [{ "role": "user", "content": [{ "type": "input_text", "text": text }] }],
            "previous_response_id": id })
    };
    stage.post("/v1/responses", next("Ada")).await;
    let (_, told) = stage.post("/v1/responses", next("London")).await;
    assert_eq!(told["id"], id);
    assert!(told["output"].to_string().contains("Hello, Ada of London!"), "{told}");

    stage.go(1);
    let (status, begun) = stage
        .post("/v1/responses", json!({ "model": "steps", "input": "3", "background": true }))
        .await;
    assert_eq!((status, begun["output"].as_array().map(Vec::len)), (200, Some(0)), "{begun}");
    let id = begun["id"].as_str().unwrap();
    let (status, error) = stage
        .post(
            "/v1/responses",
            json!({ "model": "steps", "input": "3", "previous_response_id": id }),
        )
        .await;
    assert_eq!((status, &error["error"]["code"]), (409, &"conflict".into()));
    let run = id.strip_prefix("resp_").unwrap();
    stage.until_step(run, 2).await;
    let target = format!("/v1/responses/{id}");
    let removed = answer(stage.client.delete(stage.url(&target))).await;
    assert_eq!(removed.0, 409, "{}", removed.1);
    let (status, cancelled) = stage.post(&format!("{target}/cancel"), json!({})).await;
    assert_eq!((status, &cancelled["status"]), (200, &"cancelled".into()), "{cancelled}");
    let removed = answer(stage.client.delete(stage.url(&target))).await;
    assert_eq!((removed.0, &removed.1["deleted"]), (200, &true.into()));
    assert_eq!(stage.get(&target).await.0, 404);
    for wrong in ["resp_none", "resp_", "nothing", "chatcmpl-x"] {
        let (status, error) = stage.get(&format!("/v1/responses/{wrong}")).await;
        assert_eq!((status, &error["error"]["code"]), (404, &"not_found".into()), "{wrong}");
    }
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
    assert!(reasoning.contains("There is no run"), "{reasoning}");
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
        let mut body = body("cite", "Who?");
        body.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        body
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
    assert!(reasoning.contains("tools of the request are not called"), "{reasoning}");
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
            "Run `x` waits for your answer.",
            "{\"run_id\": \"x\", \"status\": \"waiting\"}",
            "resp_x",
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

// proves: R6
#[tokio::test]
async fn a_server_that_stops_leaves_the_run_for_the_next() {
    let stage = Stage::open().await;
    stage.go(1);
    let mut wanted = body("steps", "3");
    wanted["stream"] = true.into();
    let request = stage.client.post(stage.url("/v1/chat/completions")).json(&wanted);
    let response = request.send().await.unwrap();
    let mut headers = HeaderMap::new();
    std::mem::swap(&mut headers, &mut response.headers().clone());
    let run = headers["x-run-id"].to_str().unwrap().to_owned();
    stage.until_step(&run, 2).await;
    let (folder, text) = tokio::join!(stage.stop(), response.text());
    if let Ok(text) = text {
        assert!(text.contains("the server stops"), "{text}");
    }
    let stage = Stage::over(folder, Wanted::default()).await;
    stage.go(9);
    stage.until_status(&run, "completed").await;
}
