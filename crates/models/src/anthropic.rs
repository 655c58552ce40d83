//! Anthropic's Messages: requests and responses.
//!
//! Structured output is `output_config.format`, as currently documented; older models take a forced call of a single tool.
//! Nothing is marked for the prompt cache: a cache write costs more than an uncached read, and two calls of a run seldom
//! share a prefix.

use std::sync::Arc;

use serde::Serialize;
use serde_json::Value;
use serde_json::value::RawValue;

use run::model::Speaker;

use crate::answer::{Answer, Stop, count};
use crate::protocol::{self, Asked, Form, Thinking};
use crate::schema::{self, Dialect};

#[derive(Serialize)]
struct Body<'a> {
    model: &'a str,
    max_tokens: u32,
    messages: Vec<Message<'a>>,
    stream: bool,
    #[serde(skip_serializing_if = "str::is_empty")]
    system: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    temperature: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    thinking: Option<ThinkingConfig>,
    #[serde(skip_serializing_if = "Option::is_none")]
    output_config: Option<OutputConfig>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tools: Option<[Tool; 1]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tool_choice: Option<ToolChoice>,
}

#[derive(Serialize)]
struct Message<'a> {
    role: &'static str,
    content: &'a str,
}

#[derive(Serialize)]
struct ThinkingConfig {
    #[serde(rename = "type")]
    kind: &'static str,
}

#[derive(Serialize)]
struct OutputConfig {
    #[serde(skip_serializing_if = "Option::is_none")]
    format: Option<Format>,
    #[serde(skip_serializing_if = "Option::is_none")]
    effort: Option<&'static str>,
}

#[derive(Serialize)]
#[serde(tag = "type", rename = "json_schema")]
struct Format {
    schema: Arc<RawValue>,
}

#[derive(Serialize)]
struct Tool {
    name: String,
    description: &'static str,
    input_schema: Arc<RawValue>,
}

#[derive(Serialize)]
#[serde(tag = "type", rename = "tool")]
struct ToolChoice {
    name: String,
    disable_parallel_tool_use: bool,
}

/// Returns the request body.
pub(crate) fn body(asked: &Asked<'_>) -> Result<Vec<u8>, serde_json::Error> {
    let Asked { name, request, object, temperature, thinking } = *asked;
    let in_form = |form: Form| object.filter(|_| asked.is_in(form)).map(|one| one.schema);
    let format = in_form(Form::JsonSchema)
        .map(|schema| Format { schema: schema::translate_schema(schema, Dialect::Anthropic) });
    let effort = (thinking == Thinking::Least).then_some("low");
    let tool = in_form(Form::Tool);
    serde_json::to_vec(&Body {
        model: name,
        max_tokens: request.max_tokens,
        messages: protocol::spoken(request)
            .map(|turn| Message {
                role: match turn.speaker {
                    Speaker::User => "user",
                    Speaker::Model => "assistant",
                },
                content: &turn.text,
            })
            .collect(),
        stream: request.streamed,
        system: &protocol::system(asked),
        temperature: temperature.map(|temperature| temperature.clamp(0.0, 1.0)),
        thinking: (thinking == Thinking::Off).then(|| ThinkingConfig { kind: off(name) }),
        output_config: (format.is_some() || effort.is_some())
            .then_some(OutputConfig { format, effort }),
        tools: tool.map(|schema| {
            [Tool {
                name: protocol::schema_name(&schema.name),
                description: "Takes the answer. Call it once, with the whole answer.",
                input_schema: schema::translate_schema(schema, Dialect::OpenAi),
            }]
        }),
        tool_choice: tool.map(|schema| ToolChoice {
            name: protocol::schema_name(&schema.name),
            disable_parallel_tool_use: true,
        }),
    })
}

/// Returns how much a model may think at first, and whether it accepts a temperature.
///
/// From 4.7 on, models refuse a temperature. From 5 on, models think unless told not to, and some cannot be told. A model whose name
/// gives no version is called like older models, and refusals adapt the calls.
pub(crate) fn habits(name: &str) -> (Thinking, bool) {
    let never_silent = ["fable", "mythos"].iter().any(|line| name.contains(line));
    let version = parse_version(name);
    let thinking = match version {
        _ if never_silent => Thinking::Least,
        Some(version) if version >= (5, 5) && name.contains("opus") => Thinking::Least,
        Some(version) if version >= (5, 0) => Thinking::Off,
        _ => Thinking::Unsaid,
    };
    (thinking, !never_silent && version.is_none_or(|version| version < (4, 7)))
}

/// Returns the setting that stops a model from thinking before it answers.
fn off(name: &str) -> &'static str {
    let between =
        name.contains("sonnet") && parse_version(name).is_some_and(|version| version >= (5, 5));
    if between { "between_tools" } else { "disabled" }
}

/// Parses 4.7 from `claude-opus-4-7`, and 3.5 from `claude-3-5-sonnet-20241022`.
fn parse_version(name: &str) -> Option<(u32, u32)> {
    let rest = name.split_once("claude")?.1;
    let mut numbers = rest.split(['-', '.', '@', '_']).map(|part| {
        let number = part.len() <= 2 && part.bytes().all(|byte| byte.is_ascii_digit());
        number.then(|| part.parse().ok()).flatten()
    });
    let major: u32 = numbers.by_ref().flatten().next()?;
    Some((major, numbers.next().flatten().unwrap_or(0)))
}

/// Reads a complete reply into `answer` and returns its text.
pub(crate) fn take_whole(answer: &mut Answer, body: &Value) -> Option<String> {
    let blocks = body.get("content")?.as_array()?;
    let text: String = blocks
        .iter()
        .filter_map(|block| match block["type"].as_str()? {
            "text" => Some(block["text"].as_str()?.to_owned()),
            "tool_use" => Some(block["input"].to_string()),
            _ => None,
        })
        .collect();
    usage(answer, &body["usage"]);
    answer.stop = body["stop_reason"].as_str().map(stop);
    answer.text.push_str(&text);
    Some(text)
}

/// Reads a stream event into `answer` and returns its text.
pub(crate) fn take_piece(answer: &mut Answer, event: &Value) -> Option<String> {
    let text = match event["type"].as_str()? {
        "message_start" => {
            usage(answer, &event["message"]["usage"]);
            return None;
        }
        "content_block_start" => event["content_block"]["text"].as_str()?,
        "content_block_delta" => {
            let delta = &event["delta"];
            match delta["type"].as_str()? {
                "text_delta" => delta["text"].as_str()?,
                "input_json_delta" => delta["partial_json"].as_str()?,
                _ => return None,
            }
        }
        "message_delta" => {
            usage(answer, &event["usage"]);
            answer.announced = event["delta"]["stop_reason"].as_str().map(stop);
            return None;
        }
        "message_stop" => {
            answer.stop = answer.announced.or(Some(Stop::Unknown));
            answer.done = true;
            return None;
        }
        _ => return None,
    };
    answer.text.push_str(text);
    Some(text.to_owned())
}

/// Records token counts; a later count replaces an earlier one of the same kind.
///
/// `input_tokens` excludes tokens read from or written to the cache.
fn usage(answer: &mut Answer, usage: &Value) {
    let counted = &mut answer.usage;
    for (kept, pointer) in [
        (&mut counted.fresh, "/input_tokens"),
        (&mut counted.written, "/cache_creation_input_tokens"),
        (&mut counted.cached, "/cache_read_input_tokens"),
        (&mut counted.output, "/output_tokens"),
    ] {
        *kept = count(usage, pointer).or(*kept);
    }
}

fn stop(reason: &str) -> Stop {
    match reason {
        "end_turn" | "stop_sequence" | "tool_use" => Stop::Ended,
        "max_tokens" | "model_context_window_exceeded" => Stop::CutOff,
        "refusal" => Stop::Withheld,
        _ => Stop::Unknown,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // proves: C3
    #[test]
    fn a_models_name_tells_what_it_takes() {
        for (name, thinking, temperature) in [
            ("claude-3-5-sonnet-20241022", Thinking::Unsaid, true),
            ("claude-opus-4-20250514", Thinking::Unsaid, true),
            ("claude-sonnet-4-6", Thinking::Unsaid, true),
            ("claude-opus-4-7", Thinking::Unsaid, false),
            ("claude-opus-5", Thinking::Off, false),
            ("claude-sonnet-5-20260301", Thinking::Off, false),
            ("claude-haiku-5-5", Thinking::Off, false),
            ("claude-opus-5-5", Thinking::Least, false),
            ("claude-fable-5-1", Thinking::Least, false),
            ("gull-7b", Thinking::Unsaid, true),
        ] {
            assert_eq!(habits(name), (thinking, temperature), "{name}");
        }
        assert_eq!(["claude-opus-5", "claude-sonnet-5-5"].map(off), ["disabled", "between_tools"]);
    }
}
