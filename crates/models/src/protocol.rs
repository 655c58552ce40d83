//! The OpenAI chat-completions protocol: what is sent, and what comes back.

use std::borrow::Cow;

use serde::Serialize;
use serde_json::Value;

use run::ports::{ChatRequest, PortError, ReplySchema, Speaker};

use crate::Structured;
use crate::faults::Service;

/// The body that asks a model.
#[derive(Serialize)]
struct Body<'a> {
    model: &'a str,
    messages: Vec<Message<'a>>,
    stream: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    temperature: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_tokens: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_completion_tokens: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    stream_options: Option<StreamOptions>,
    #[serde(skip_serializing_if = "Option::is_none")]
    response_format: Option<ResponseFormat<'a>>,
}

#[derive(Serialize)]
struct Message<'a> {
    role: &'static str,
    content: &'a str,
}

#[derive(Serialize)]
struct StreamOptions {
    include_usage: bool,
}

#[derive(Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum ResponseFormat<'a> {
    JsonSchema { json_schema: Schema<'a> },
    JsonObject,
}

#[derive(Serialize)]
struct Schema<'a> {
    name: &'a str,
    strict: bool,
    schema: &'a Value,
}

/// Returns the body that asks the model `name`.
pub(crate) fn body(
    name: &str,
    request: &ChatRequest,
    structured: Structured,
) -> Result<Vec<u8>, serde_json::Error> {
    let system = match structured {
        Structured::Schema => Cow::Borrowed(&*request.system),
        Structured::Json | Structured::Prompt => Cow::Owned(format!(
            "{}\n\nAnswer with one JSON object and nothing else. It must fit this JSON Schema:\n{}",
            request.system, request.schema.schema
        )),
    };
    let mut messages = vec![Message { role: "system", content: &system }];
    messages.extend(request.turns.iter().map(|turn| Message {
        role: match turn.speaker {
            Speaker::User => "user",
            Speaker::Model => "assistant",
        },
        content: &turn.text,
    }));
    let thinks = thinks(name);
    serde_json::to_vec(&Body {
        model: name,
        messages,
        stream: request.streamed,
        temperature: (!thinks).then_some(request.temperature),
        max_tokens: (!thinks).then_some(request.max_tokens),
        max_completion_tokens: thinks.then_some(request.max_tokens),
        stream_options: request.streamed.then_some(StreamOptions { include_usage: true }),
        response_format: match structured {
            Structured::Schema => {
                let ReplySchema { name, schema, .. } = &*request.schema;
                Some(ResponseFormat::JsonSchema {
                    json_schema: Schema { name, strict: true, schema },
                })
            }
            Structured::Json => Some(ResponseFormat::JsonObject),
            Structured::Prompt => None,
        },
    })
}

/// Tells whether it is one of OpenAI's models that think before they speak: they know the limit of tokens by
/// another name, and take no temperature.
fn thinks(name: &str) -> bool {
    ["gpt-5", "gpt-6", "o1", "o3", "o4"].iter().any(|known| name.starts_with(known))
}

/// What came of a reply so far.
#[derive(Debug, Default)]
pub(crate) struct Answer {
    pub(crate) text: String,
    /// The model's own words where it will not answer.
    pub(crate) refusal: String,
    pub(crate) stop: Option<Stop>,
    pub(crate) usage: Counted,
}

/// Why a reply ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Stop {
    Ended,
    /// Its tokens were used up.
    CutOff,
    /// The provider's filter stepped in.
    Withheld,
    /// For a reason that only the server knows; `network_error`, for one.
    Unknown,
}

/// The tokens that the server counted.
#[derive(Debug, Default)]
pub(crate) struct Counted {
    pub(crate) input: Option<u64>,
    pub(crate) cached: Option<u64>,
    pub(crate) output: Option<u64>,
}

impl Answer {
    /// Takes in a reply that came as a whole; returns its text.
    pub(crate) fn take_whole(
        &mut self,
        service: Service<'_>,
        body: &[u8],
        content_type: &str,
    ) -> Result<String, PortError> {
        let body: Value = serde_json::from_slice(body)
            .map_err(|cause| service.not_json(body, content_type, &cause))?;
        let text = self.take(service, &body, "/choices/0/message")?;
        text.ok_or_else(|| service.malformed("JSON of another shape"))
    }

    /// Takes in an event of a stream; returns the words it brings.
    pub(crate) fn take_piece(
        &mut self,
        service: Service<'_>,
        event: &[u8],
    ) -> Result<String, PortError> {
        let event: Value = serde_json::from_slice(event)
            .map_err(|cause| service.malformed(&format!("a stream that is not JSON: {cause}")))?;
        Ok(self.take(service, &event, "/choices/0/delta")?.unwrap_or_default())
    }

    fn take(
        &mut self,
        service: Service<'_>,
        body: &Value,
        message: &str,
    ) -> Result<Option<String>, PortError> {
        if let Some(error) = body.get("error").filter(|error| !error.is_null()) {
            return Err(service.in_band(error));
        }
        if let Some(reason) = body.pointer("/choices/0/finish_reason").and_then(Value::as_str) {
            self.stop = Some(stop(reason));
        }
        if let Some(usage) = body.get("usage").filter(|usage| usage.is_object()) {
            let count = |pointer: &str| usage.pointer(pointer).and_then(Value::as_u64);
            self.usage = Counted {
                input: count("/prompt_tokens"),
                cached: count("/prompt_tokens_details/cached_tokens"),
                output: count("/completion_tokens"),
            };
        }
        let Some(message) = body.pointer(message) else { return Ok(None) };
        self.refusal.push_str(message["refusal"].as_str().unwrap_or_default());
        let text = match &message["content"] {
            Value::String(text) => text.clone(),
            // Models that think write a list, with their thoughts beside the text.
            Value::Array(parts) => parts.iter().filter_map(|part| part["text"].as_str()).collect(),
            _ => String::new(),
        };
        self.text.push_str(&text);
        Ok(Some(text))
    }
}

fn stop(reason: &str) -> Stop {
    match reason {
        "stop" | "end_turn" | "STOP" | "COMPLETE" | "completed" | "eos" | "stop_sequence" => {
            Stop::Ended
        }
        "length"
        | "max_tokens"
        | "MAX_TOKENS"
        | "incomplete"
        | "model_length"
        | "model_context_window_exceeded" => Stop::CutOff,
        "content_filter" | "refusal" | "SAFETY" | "RECITATION" | "BLOCKLIST"
        | "PROHIBITED_CONTENT" | "SPII" => Stop::Withheld,
        _ => Stop::Unknown,
    }
}
