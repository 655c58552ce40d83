//! The OpenAI chat-completions protocol: requests and responses.

use std::sync::Arc;

use serde::Serialize;
use serde_json::Value;
use serde_json::value::RawValue;

use run::model::Speaker;

use crate::answer::{Answer, Stop, count};
use crate::protocol::{self, Asked, Form, Object};
use crate::schema::{self, Dialect};

/// The request body.
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
    response_format: Option<ResponseFormat>,
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
enum ResponseFormat {
    JsonSchema { json_schema: Schema },
    JsonObject,
}

#[derive(Serialize)]
struct Schema {
    name: String,
    strict: bool,
    schema: Arc<RawValue>,
}

/// Returns the request body.
pub(crate) fn body(asked: &Asked<'_>) -> Result<Vec<u8>, serde_json::Error> {
    let Asked { name, request, object, temperature, .. } = *asked;
    let system = protocol::system(asked);
    let mut messages = vec![Message { role: "system", content: &system }];
    messages.extend(request.turns.iter().map(|turn| Message {
        role: match turn.speaker {
            Speaker::User => "user",
            Speaker::Model => "assistant",
        },
        content: &turn.text,
    }));
    let thinks = is_reasoning_model(name);
    serde_json::to_vec(&Body {
        model: name,
        messages,
        stream: request.streamed,
        temperature,
        max_tokens: (!thinks).then_some(request.max_tokens),
        max_completion_tokens: thinks.then_some(request.max_tokens),
        stream_options: request.streamed.then_some(StreamOptions { include_usage: true }),
        response_format: object.and_then(|Object { form, schema }| match form {
            Form::JsonSchema | Form::OpenApiSchema | Form::Tool => {
                let name = protocol::schema_name(&schema.name);
                let schema = schema::translate_schema(schema, Dialect::OpenAi);
                Some(ResponseFormat::JsonSchema {
                    json_schema: Schema { name, strict: true, schema },
                })
            }
            Form::JsonMode => Some(ResponseFormat::JsonObject),
            Form::Prompt => None,
        }),
    })
}

/// Returns whether it is one of OpenAI's reasoning models: their token limit has another name, and they take no
/// temperature.
pub(crate) fn is_reasoning_model(name: &str) -> bool {
    ["gpt-5", "gpt-6", "o1", "o3", "o4"].iter().any(|known| name.starts_with(known))
}

/// Reads a reply, or a piece of one, whose message is at `message`; returns its text.
pub(crate) fn take(answer: &mut Answer, body: &Value, message: &str) -> Option<String> {
    if let Some(reason) = body.pointer("/choices/0/finish_reason").and_then(Value::as_str) {
        answer.stop = Some(stop(reason));
    }
    if let Some(usage) = body.get("usage").filter(|usage| usage.is_object()) {
        let cached = count(usage, "/prompt_tokens_details/cached_tokens");
        answer.usage.read(count(usage, "/prompt_tokens"), cached);
        answer.usage.output = count(usage, "/completion_tokens");
    }
    let message = body.pointer(message)?;
    answer.refusal.push_str(message["refusal"].as_str().unwrap_or_default());
    let text = match &message["content"] {
        Value::String(text) => text.clone(),
        // Reasoning models return a list, with their thoughts next to the text.
        Value::Array(parts) => parts.iter().filter_map(|part| part["text"].as_str()).collect(),
        _ => String::new(),
    };
    answer.text.push_str(&text);
    Some(text)
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
