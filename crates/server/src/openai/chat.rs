//! Chat completions, whole and streamed.

use std::collections::VecDeque;
use std::convert::Infallible;

use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::Response;
use bytes::Bytes;
use futures::stream::{self, Stream};
use run::budget::dollars;
use serde_json::{Value, json};

use super::body::{Fields, inner_flag, read_format, refuse_unsupported};
use super::content::Content;
use super::conversation::{Conversation, read_messages};
use super::error::ApiError;
use super::following::{Following, Happening};
use super::order::Wishes;
use super::turn::{Request, Turn, begin, find_model, note_passed_over};
use super::{PIECE_BYTES, cut_into_pieces, stream_events};
use crate::api::json as respond;
use crate::guard::User;
use crate::state::Shared;

/// Annotations in one event.
const ANNOTATIONS: usize = 20;

/// `POST /v1/chat/completions`.
pub(super) async fn create(
    State(app): State<Shared>,
    User(user): User,
    headers: HeaderMap,
    body: Fields,
) -> Result<Response, ApiError> {
    let model = find_model(&app, &body)?;
    refuse_unsupported(&body)?;
    let messages = body.get("messages");
    let messages =
        messages.ok_or_else(|| ApiError::invalid("messages", "'messages' must be given"))?;
    let mut conversation = Conversation::of("messages", read_messages("messages", messages)?)?;
    note_passed_over(&body, &mut conversation.notes);
    let is_streamed = body.flag("stream")?;
    let with_usage = inner_flag(&body, "stream_options", "include_usage")?;
    let format = read_format("response_format", body.get("response_format"))?;
    let wishes = Wishes::read(&body)?;
    // Without room to follow it, no run is started.
    let place = app.streams.take(&user)?;
    let request = Request { model, conversation, wishes, format, continues: None };
    let mut turn = begin(&app, &user, &headers, request).await?;
    let run = turn.run.clone();
    let mut response = if is_streamed {
        let chunks = Chunks {
            following: turn.follow(),
            turn,
            created: jiff::Timestamp::now().as_second(),
            with_usage,
            ready: VecDeque::new(),
            is_over: false,
        };
        stream_events(&app, place, chunks.stream())
    } else {
        let lines = turn.wait().await?;
        respond(&complete(&turn, &lines, &turn.read().await?))
    };
    name_run(&mut response, &run);
    Ok(response)
}

/// Names the run in the headers, for logs and for those who want to see it elsewhere.
pub(super) fn name_run(response: &mut Response, run: &str) {
    use axum::http::{HeaderValue, header};
    let address = format!("/api/runs/{run}");
    if let (Ok(run), Ok(address)) = (HeaderValue::from_str(run), HeaderValue::from_str(&address)) {
        response.headers_mut().insert("x-run-id", run);
        response.headers_mut().insert(header::LOCATION, address);
    }
}

fn id_of(turn: &Turn) -> String {
    format!("chatcmpl-{}", turn.run)
}

/// Returns the completion of a turn that is over.
fn complete(turn: &Turn, lines: &[String], content: &Content) -> Value {
    let annotations: Vec<Value> = annotate(content).collect();
    let mut message = json!({
        "role": "assistant", "content": content.text, "refusal": null, "annotations": annotations,
    });
    if !lines.is_empty() {
        message["reasoning_content"] = lines.join("\n").into();
    }
    json!({
        "id": id_of(turn), "object": "chat.completion", "created": content.created, "model": turn.model,
        "choices": [{ "index": 0, "message": message, "finish_reason": "stop", "logprobs": null }],
        "usage": count_usage(content),
        "quaestio": describe_run(&turn.run, content),
    })
}

fn annotate(content: &Content) -> impl Iterator<Item = Value> + '_ {
    let citations = content.citations.iter();
    citations.map(|cited| json!({ "type": "url_citation", "url_citation": cited.fields() }))
}

fn count_usage(content: &Content) -> Value {
    let usage = content.cost.usage;
    json!({
        "prompt_tokens": usage.input_tokens, "completion_tokens": usage.output_tokens,
        "total_tokens": usage.input_tokens + usage.output_tokens,
        "prompt_tokens_details": { "cached_tokens": usage.cached_tokens },
    })
}

/// Returns what the protocol has no field for.
pub(super) fn describe_run(run: &str, content: &Content) -> Value {
    let mut described = json!({
        "run_id": run, "status": content.status, "cost_usd": dollars(content.cost.cost_usd_micros),
    });
    if let Some(error) = &content.error {
        described["error"] = error.message.clone().into();
    }
    described
}

/// A completion, chunk by chunk.
struct Chunks {
    turn: Turn,
    following: Following,
    created: i64,
    with_usage: bool,
    ready: VecDeque<Bytes>,
    is_over: bool,
}

impl Chunks {
    fn stream(mut self) -> impl Stream<Item = Result<Bytes, Infallible>> + Send {
        self.push(&json!({ "role": "assistant", "content": "" }));
        stream::unfold(self, async |mut chunks| {
            let frame = chunks.next().await?;
            Some((Ok(frame), chunks))
        })
    }

    async fn next(&mut self) -> Option<Bytes> {
        loop {
            if let Some(frame) = self.ready.pop_front() {
                return Some(frame);
            }
            if self.is_over {
                return None;
            }
            match self.following.next().await {
                Some(Happening::Line(line)) => {
                    self.push(&json!({ "reasoning_content": format!("{line}\n") }));
                }
                Some(Happening::Silence) => return Some(Bytes::from_static(b": still here\n\n")),
                Some(Happening::Rest) => {
                    self.is_over = true;
                    match self.turn.read().await {
                        Ok(content) => self.finish(&content),
                        Err(error) => self.ready.push_back(error.event()),
                    }
                }
                None => {
                    self.is_over = true;
                    self.ready.push_back(self.turn.stops().event());
                }
            }
        }
    }

    fn finish(&mut self, content: &Content) {
        for piece in cut_into_pieces(&content.text, PIECE_BYTES) {
            self.push(&json!({ "content": piece }));
        }
        let annotations: Vec<Value> = annotate(content).collect();
        let mut index = 0;
        for lot in annotations.chunks(ANNOTATIONS) {
            // Clients that put deltas together do so by the index.
            let lot: Vec<Value> = lot
                .iter()
                .map(|annotation| {
                    let mut annotation = annotation.clone();
                    annotation["index"] = index.into();
                    index += 1;
                    annotation
                })
                .collect();
            self.push(&json!({ "annotations": lot }));
        }
        let mut last = self.chunk(&[choice(&json!({}), Some("stop"))]);
        last["quaestio"] = describe_run(&self.turn.run, content);
        self.ready.push_back(frame(&last));
        if self.with_usage {
            let mut usage = self.chunk(&[]);
            usage["usage"] = count_usage(content);
            self.ready.push_back(frame(&usage));
        }
        self.ready.push_back(Bytes::from_static(b"data: [DONE]\n\n"));
    }

    fn push(&mut self, delta: &Value) {
        let chunk = self.chunk(&[choice(delta, None)]);
        self.ready.push_back(frame(&chunk));
    }

    fn chunk(&self, choices: &[Value]) -> Value {
        let mut chunk = json!({
            "id": id_of(&self.turn), "object": "chat.completion.chunk", "created": self.created,
            "model": self.turn.model, "choices": choices,
        });
        if self.with_usage {
            chunk["usage"] = Value::Null;
        }
        chunk
    }
}

fn choice(delta: &Value, finish_reason: Option<&str>) -> Value {
    json!({ "index": 0, "delta": delta, "finish_reason": finish_reason, "logprobs": null })
}

fn frame(chunk: &Value) -> Bytes {
    Bytes::from(format!("data: {chunk}\n\n"))
}
