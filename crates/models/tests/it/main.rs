//! Chat models and embedders against a server that speaks their protocol, rightly and wrongly.

#![expect(clippy::unwrap_used, reason = "a test ends at what it does not expect")]

mod embeddings;
mod faults;
mod guards;
mod listing;
mod protocols;
mod requests;
mod retries;
mod secrets;
mod sizes;

use std::sync::Mutex;
use std::time::Duration;

use fakes::{FakeModel, Say};
use models::{ChatModel, Connection, Secret};
use run::error::PortError;
use run::model::{ChatReply, ChatRequest, Model, Speaker, Turn, Words};
use serde_json::{Value, json};

/// The key of every test: it must be seen in one header of one host and nowhere else.
const KEY: &str = "sk-canary-0123456789abcdef";

/// A whole reply.
const WHOLE: &str = r#"{"text": "Gulls eat fish — and “more”."}"#;

/// The first half of one.
const HALF: &str = r#"{"text": "Gulls eat fi"#;

/// Both ways of asking.
const WAYS: [bool; 2] = [false, true];

/// A model for each protocol.
const NAMES: [&str; 3] = ["local/gull-7b", "anthropic/gull-7b", "gemini/gull-7b"];

/// Each protocol in both ways of asking.
fn all_ways() -> impl Iterator<Item = (&'static str, bool)> {
    NAMES.into_iter().flat_map(|name| WAYS.map(|streamed| (name, streamed)))
}

/// Attempts that a fault that may pass is given.
const ATTEMPTS: usize = 4;

/// What is asked for.
#[derive(schemars::JsonSchema)]
#[expect(dead_code, reason = "only its schema is sent")]
struct Said {
    text: String,
}

fn schema() -> Value {
    run::schema::of::<Said>().schema.clone()
}

fn build_request(streamed: bool) -> ChatRequest {
    ChatRequest {
        system: "You know gulls.".into(),
        turns: vec![Turn { speaker: Speaker::User, text: "What do gulls eat?".into() }],
        schema: Some(run::schema::of::<Said>()),
        temperature: 0.25,
        max_tokens: 321,
        streamed,
        deadline: Duration::from_secs(30),
    }
}

/// Returns a connection that waits milliseconds where a real one waits seconds.
fn build_connection(model: &str, base_url: &str) -> Connection {
    let key = Some(Secret::from(KEY.to_owned()));
    let mut connection = Connection::new(model, Some(base_url), key).unwrap();
    connection.retry_delay = Duration::from_millis(1);
    connection
}

/// A model that is spoken to in OpenAI's protocol.
fn build_model(server: &FakeModel) -> ChatModel {
    named("local/gull-7b", server)
}

fn named(name: &str, server: &FakeModel) -> ChatModel {
    ChatModel::new(build_connection(name, &server.base_url())).unwrap()
}

/// A server that says the same to whoever asks.
fn always(say: Say) -> FakeModel {
    FakeModel::start(move |_| say.clone())
}

/// Asks a server of this kind once in each way and protocol; returns what came of it and how often it was asked.
async fn each_way(say: Say) -> Vec<(Result<ChatReply, PortError>, usize)> {
    let mut outcomes = Vec::new();
    for (name, streamed) in all_ways() {
        let server = always(say.clone());
        let outcome = named(name, &server).chat(&build_request(streamed), &()).await;
        outcomes.push((outcome, server.seen().len()));
    }
    outcomes
}

/// A status with this content type and body.
fn status(status: u16, content_type: &'static str, body: &str) -> Say {
    Say::Status { status, headers: vec![], content_type, body: body.to_owned() }
}

/// A stream of these events, byte for byte, that ends with the connection.
fn sse(events: &[&str]) -> Say {
    let head = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n";
    let events: String = events.iter().map(|event| format!("data: {event}\n\n")).collect();
    Say::Raw(format!("{head}{events}"))
}

/// A piece of a stream in the protocol that `name` is spoken to in.
fn delta_of(name: &str, text: &str) -> String {
    match name.split('/').next() {
        Some("anthropic") => json!({"type": "content_block_delta", "index": 0,
            "delta": {"type": "text_delta", "text": text}}),
        Some("gemini") => {
            json!({"candidates": [{"content": {"role": "model", "parts": [{"text": text}]}}]})
        }
        _ => return delta(text),
    }
    .to_string()
}

/// A piece of a stream.
fn delta(text: &str) -> String {
    json!({"choices": [{"index": 0, "delta": {"content": text}, "finish_reason": null}]})
        .to_string()
}

/// The last piece of one.
fn finish(reason: &str) -> String {
    json!({"choices": [{"index": 0, "delta": {}, "finish_reason": reason}]}).to_string()
}

/// Tells whether the client closes so many connections soon: it needs the runtime for that.
async fn closes(server: &FakeModel, connections: usize) -> bool {
    let closed = async {
        while server.dropped() < connections {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(10), closed).await.is_ok()
}

/// Keeps the words of a reply.
#[derive(Default)]
struct Heard(Mutex<Vec<String>>);

impl Words for Heard {
    fn hear(&self, piece: &str) {
        self.0.lock().unwrap().push(piece.to_owned());
    }
}
