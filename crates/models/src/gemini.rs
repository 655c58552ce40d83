//! Gemini's `generateContent`: requests and responses.

use std::sync::Arc;

use reqwest::Url;
use serde::Serialize;
use serde_json::Value;
use serde_json::value::RawValue;

use run::error::PortError;
use run::model::Speaker;
use transport::Service;

use crate::answer::{Answer, Stop, count};
use crate::protocol::{self, Asked, Form, Thinking};
use crate::schema::{self, Dialect};
use crate::{ConnectError, Connection, http};

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Body<'a> {
    contents: Vec<Content<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    system_instruction: Option<Parts<'a>>,
    generation_config: Config,
}

#[derive(Serialize)]
struct Content<'a> {
    role: &'static str,
    #[serde(flatten)]
    parts: Parts<'a>,
}

#[derive(Serialize)]
struct Parts<'a> {
    parts: [Part<'a>; 1],
}

#[derive(Serialize)]
struct Part<'a> {
    text: &'a str,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Config {
    max_output_tokens: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    temperature: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    response_mime_type: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    response_json_schema: Option<Arc<RawValue>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    response_schema: Option<Arc<RawValue>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    thinking_config: Option<ThinkingConfig>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
enum ThinkingConfig {
    ThinkingBudget(u32),
    ThinkingLevel(&'static str),
}

/// Returns the URL for requests to the model `name`. A tuned model's name includes its folder.
pub(crate) fn url(
    connection: &Connection,
    name: &str,
    streamed: bool,
) -> Result<Url, ConnectError> {
    let (folder, name) = match name.split_once('/') {
        Some((folder @ ("models" | "tunedModels"), name)) => (folder, name),
        _ => ("models", name),
    };
    let method = if streamed { "streamGenerateContent" } else { "generateContent" };
    let mut url = http::url(connection, &[folder, &format!("{name}:{method}")])?;
    if streamed {
        url.query_pairs_mut().append_pair("alt", "sse");
    }
    Ok(url)
}

/// Returns the request body.
pub(crate) fn body(asked: &Asked<'_>) -> Result<Vec<u8>, serde_json::Error> {
    let Asked { name, request, object, temperature, thinking } = *asked;
    let system = protocol::system(asked);
    let schema = |form: Form, dialect| {
        let object = object.filter(|_| asked.is_in(form))?;
        Some(schema::translate_schema(object.schema, dialect))
    };
    serde_json::to_vec(&Body {
        contents: protocol::spoken(request)
            .map(|turn| Content {
                role: match turn.speaker {
                    Speaker::User => "user",
                    Speaker::Model => "model",
                },
                parts: Parts { parts: [Part { text: &turn.text }] },
            })
            .collect(),
        system_instruction: (!system.is_empty())
            .then_some(Parts { parts: [Part { text: &system }] }),
        generation_config: Config {
            max_output_tokens: request.max_tokens,
            temperature: temperature.map(|temperature| temperature.clamp(0.0, 2.0)),
            response_mime_type: object
                .filter(|one| one.form != Form::Prompt)
                .map(|_| "application/json"),
            response_json_schema: schema(Form::JsonSchema, Dialect::GeminiJson),
            response_schema: schema(Form::OpenApiSchema, Dialect::GeminiOpenApi),
            thinking_config: thinking_config(name, thinking),
        },
    })
}

/// Returns the setting that limits a model's thinking, in the form its generation takes.
fn thinking_config(name: &str, thinking: Thinking) -> Option<ThinkingConfig> {
    match (thinking, parse_generation(name)) {
        (Thinking::Unsaid, _) => None,
        (Thinking::Off, Some(3..)) => Some(ThinkingConfig::ThinkingLevel("minimal")),
        (Thinking::Least, Some(3..)) => Some(ThinkingConfig::ThinkingLevel("low")),
        (Thinking::Off, _) => Some(ThinkingConfig::ThinkingBudget(0)),
        // The minimum for models that always think.
        (Thinking::Least, _) => Some(ThinkingConfig::ThinkingBudget(128)),
    }
}

/// Returns how much a model may think at first, and whether it accepts a temperature.
///
/// Models of the second generation think from 2.5 on, 2.5 Pro always. Models of the third should keep their default temperature,
/// according to their documentation.
pub(crate) fn habits(name: &str) -> (Thinking, bool) {
    let generation = parse_generation(name);
    let thinking = match generation {
        Some(2) if name.contains("2.5-pro") => Thinking::Least,
        Some(2) if name.contains("2.5") => Thinking::Off,
        Some(3..) if name.contains("flash") => Thinking::Off,
        Some(3..) => Thinking::Least,
        _ => Thinking::Unsaid,
    };
    (thinking, generation.is_none_or(|generation| generation < 3))
}

/// Parses 2 from `gemini-2.5-flash`.
fn parse_generation(name: &str) -> Option<u32> {
    let rest = name.split_once("gemini-")?.1;
    rest.split(['.', '-']).next()?.parse().ok()
}

/// Reads a reply that came whole or as a list of its pieces into `answer`; returns its text.
pub(crate) fn take_whole(
    answer: &mut Answer,
    service: Service<'_>,
    body: &Value,
) -> Result<Option<String>, PortError> {
    let Some(pieces) = body.as_array() else { return take(answer, service, body) };
    let mut text = None;
    for piece in pieces {
        if let Some(more) = take(answer, service, piece)? {
            text.get_or_insert_with(String::new).push_str(&more);
        }
    }
    Ok(text)
}

/// Reads a reply or a piece of one into `answer`; returns its text.
pub(crate) fn take(
    answer: &mut Answer,
    service: Service<'_>,
    body: &Value,
) -> Result<Option<String>, PortError> {
    if let Some(reason) = body.pointer("/promptFeedback/blockReason").and_then(Value::as_str) {
        return Err(
            service.withheld(&format!("the provider's filter refused the prompt: {reason}"))
        );
    }
    if let Some(usage) = body.get("usageMetadata") {
        let sum = |pointers: [&str; 2]| {
            let counts = pointers.map(|pointer| count(usage, pointer));
            counts.into_iter().flatten().reduce(u64::saturating_add)
        };
        let read = sum(["/promptTokenCount", "/toolUsePromptTokenCount"]);
        answer.usage.read(read, count(usage, "/cachedContentTokenCount"));
        // Thinking tokens are billed like output tokens.
        answer.usage.output = sum(["/candidatesTokenCount", "/thoughtsTokenCount"]);
    }
    let Some(candidate) = body.pointer("/candidates/0") else { return Ok(None) };
    if let Some(reason) = candidate["finishReason"].as_str() {
        answer.stop = Some(stop(reason));
    }
    let parts = candidate.pointer("/content/parts").and_then(Value::as_array);
    let text: String = parts
        .into_iter()
        .flatten()
        .filter(|part| part["thought"] != true)
        .filter_map(|part| part["text"].as_str())
        .collect();
    answer.text.push_str(&text);
    Ok(Some(text))
}

fn stop(reason: &str) -> Stop {
    match reason {
        "STOP" => Stop::Ended,
        "MAX_TOKENS" => Stop::CutOff,
        "SAFETY" | "RECITATION" | "BLOCKLIST" | "PROHIBITED_CONTENT" | "SPII" | "LANGUAGE" => {
            Stop::Withheld
        }
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
            ("gemini-2.0-flash", Thinking::Unsaid, true),
            ("gemini-2.5-flash-lite", Thinking::Off, true),
            ("gemini-2.5-pro", Thinking::Least, true),
            ("gemini-3-flash-preview", Thinking::Off, false),
            ("gemini-3.1-pro", Thinking::Least, false),
            ("gull-7b", Thinking::Unsaid, true),
        ] {
            assert_eq!(habits(name), (thinking, temperature), "{name}");
        }
    }
}
