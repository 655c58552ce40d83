//! A response, event by event.

use std::collections::VecDeque;
use std::convert::Infallible;

use bytes::Bytes;
use futures::stream::{self, Stream};
use run::log::Status;
use serde_json::{Value, json};

use super::object::{Echo, annotate, build, message, name_status, reasoning};
use crate::openai::content::Content;
use crate::openai::error::ApiError;
use crate::openai::following::{Following, Happening};
use crate::openai::turn::Turn;
use crate::openai::{PIECE_BYTES, cut_into_pieces};

/// A response that is told as it comes about.
pub(super) struct Events {
    turn: Turn,
    following: Following,
    echo: Echo,
    /// The status lines so far.
    lines: Vec<String>,
    ready: VecDeque<Bytes>,
    /// The number of the next event.
    number: u64,
    is_over: bool,
}

impl Events {
    /// Begins the events of a turn, whose run stands as `content` says.
    pub(super) fn of(mut turn: Turn, echo: Echo, content: &Content) -> Events {
        let following = turn.follow();
        let run = turn.run.clone();
        let mut events = Events {
            turn,
            following,
            echo,
            lines: vec![],
            ready: VecDeque::new(),
            number: 0,
            is_over: false,
        };
        // It has only begun, however the run stands.
        let content = Content {
            status: Status::Running,
            text: String::new(),
            citations: vec![],
            ..content.clone()
        };
        let response = build(&run, &events.echo, &[], &content);
        events.push("response.created", json!({ "response": response }));
        events.push("response.in_progress", json!({ "response": response }));
        events
    }

    pub(super) fn stream(self) -> impl Stream<Item = Result<Bytes, Infallible>> + Send {
        stream::unfold(self, async |mut events| {
            let frame = events.next().await?;
            Some((Ok(frame), events))
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
                Some(Happening::Line(line)) => self.reason(line),
                Some(Happening::Silence) => return Some(Bytes::from_static(b": still here\n\n")),
                Some(Happening::Rest) => {
                    self.is_over = true;
                    match self.turn.read().await {
                        Ok(content) => self.finish(&content),
                        Err(error) => self.fail(&error),
                    }
                }
                None => {
                    self.is_over = true;
                    self.fail(&self.turn.stops());
                }
            }
        }
    }

    fn reasoning_id(&self) -> String {
        format!("rs_{}", self.turn.run)
    }

    /// Tells a status line.
    fn reason(&mut self, line: String) {
        let id = self.reasoning_id();
        if self.lines.is_empty() {
            let item =
                json!({ "id": id, "type": "reasoning", "status": "in_progress", "summary": [] });
            self.push("response.output_item.added", json!({ "output_index": 0, "item": item }));
            let part = json!({ "type": "summary_text", "text": "" });
            let added =
                json!({ "item_id": id, "output_index": 0, "summary_index": 0, "part": part });
            self.push("response.reasoning_summary_part.added", added);
        }
        let delta = if self.lines.is_empty() { line.clone() } else { format!("\n{line}") };
        let told = json!({ "item_id": id, "output_index": 0, "summary_index": 0, "delta": delta });
        self.push("response.reasoning_summary_text.delta", told);
        self.lines.push(line);
    }

    fn finish_reasoning(&mut self) {
        if self.lines.is_empty() {
            return;
        }
        let id = self.reasoning_id();
        let text = self.lines.join("\n");
        let done = json!({ "item_id": id, "output_index": 0, "summary_index": 0, "text": text });
        self.push("response.reasoning_summary_text.done", done);
        let part = json!({ "type": "summary_text", "text": text });
        let done = json!({ "item_id": id, "output_index": 0, "summary_index": 0, "part": part });
        self.push("response.reasoning_summary_part.done", done);
        let item = reasoning(&self.turn.run, &self.lines);
        self.push("response.output_item.done", json!({ "output_index": 0, "item": item }));
    }

    fn finish(&mut self, content: &Content) {
        self.finish_reasoning();
        let index = usize::from(!self.lines.is_empty());
        let id = format!("msg_{}", self.turn.run);
        let item = json!({
            "id": id, "type": "message", "role": "assistant", "status": "in_progress", "content": [],
        });
        self.push("response.output_item.added", json!({ "output_index": index, "item": item }));
        let at = json!({ "item_id": id, "output_index": index, "content_index": 0 });
        let part = json!({ "type": "output_text", "text": "", "annotations": [], "logprobs": [] });
        self.push("response.content_part.added", with(&at, "part", part));
        for piece in cut_into_pieces(&content.text, PIECE_BYTES) {
            let mut delta = with(&at, "delta", piece.into());
            delta["logprobs"] = json!([]);
            self.push("response.output_text.delta", delta);
        }
        for (number, annotation) in annotate(content).into_iter().enumerate() {
            let mut added = with(&at, "annotation", annotation);
            added["annotation_index"] = number.into();
            self.push("response.output_text.annotation.added", added);
        }
        let mut done = with(&at, "text", content.text.clone().into());
        done["logprobs"] = json!([]);
        self.push("response.output_text.done", done);
        let item = message(&self.turn.run, content);
        self.push("response.content_part.done", with(&at, "part", item["content"][0].clone()));
        self.push("response.output_item.done", json!({ "output_index": index, "item": item }));
        let response = build(&self.turn.run, &self.echo, &self.lines, content);
        let name = match name_status(content) {
            "completed" => "response.completed",
            "failed" => "response.failed",
            _ => "response.incomplete",
        };
        self.push(name, json!({ "response": response }));
    }

    fn fail(&mut self, error: &ApiError) {
        self.push("error", error.fields());
    }

    fn push(&mut self, name: &str, mut event: Value) {
        // An error's own type would hide that it is one.
        event["type"] = name.into();
        event["sequence_number"] = self.number.into();
        self.number += 1;
        self.ready.push_back(Bytes::from(format!("event: {name}\ndata: {event}\n\n")));
    }
}

fn with(at: &Value, name: &str, value: Value) -> Value {
    let mut event = at.clone();
    event[name] = value;
    event
}
