//! What the services of Anthropic and Gemini refuse, according to their documentation.
//!
//! This was written from the documentation and never compared with a real service.

use serde_json::{Map, Value};

use crate::{Asks, Seen, Speech};

/// Returns the status and message with which the service refuses the request, if it does.
pub(crate) fn refusal(seen: &Seen) -> Option<(u16, String)> {
    if seen.asks() != Asks::Chat {
        return None;
    }
    match seen.speech() {
        Speech::OpenAi => None,
        Speech::Anthropic => anthropic(seen).err(),
        Speech::Gemini => gemini(seen).err().map(|what| (400, what)),
    }
}

type Check<E> = Result<(), E>;

fn anthropic(seen: &Seen) -> Check<(u16, String)> {
    let invalid = |what: String| (400, what);
    if seen.header("x-api-key").is_none_or(str::is_empty) {
        return Err((401, "x-api-key header is required".into()));
    }
    if seen.header("anthropic-version") != Some("2023-06-01") {
        return Err(invalid("anthropic-version: header is required".into()));
    }
    let body = object(&seen.body, "the body").map_err(invalid)?;
    only(
        body,
        "",
        &[
            "model",
            "max_tokens",
            "messages",
            "stream",
            "system",
            "temperature",
            "thinking",
            "output_config",
            "tools",
            "tool_choice",
            "cache_control",
            "metadata",
            "stop_sequences",
            "top_k",
            "top_p",
            "service_tier",
            "container",
            "inference_geo",
        ],
        "Extra inputs are not permitted",
    )
    .map_err(invalid)?;
    anthropic_body(body).map_err(invalid)
}

fn anthropic_body(body: &Map<String, Value>) -> Check<String> {
    if !body.get("model").is_some_and(Value::is_string) {
        return Err("model: Field required".into());
    }
    if body.get("max_tokens").and_then(Value::as_u64).is_none_or(|tokens| tokens == 0) {
        return Err("max_tokens: Field required".into());
    }
    if let Some(temperature) = body.get("temperature")
        && !temperature.as_f64().is_some_and(|temperature| (0.0..=1.0).contains(&temperature))
    {
        return Err("temperature: Input should be less than or equal to 1".into());
    }
    let messages =
        body.get("messages").and_then(Value::as_array).ok_or("messages: Field required")?;
    if messages.is_empty() {
        return Err("messages: at least one message is required".into());
    }
    for (index, message) in messages.iter().enumerate() {
        let message = object(message, "messages")?;
        only(message, "messages.", &["role", "content"], "Extra inputs are not permitted")?;
        if !["user", "assistant"].contains(&text(message, "role")) {
            return Err(format!("messages.{index}.role: Input should be 'user' or 'assistant'"));
        }
        if text(message, "content").trim().is_empty() {
            return Err(format!("messages.{index}: text content blocks must be non-empty"));
        }
    }
    if body.get("system").is_some_and(|system| system.as_str().is_none_or(str::is_empty)) {
        return Err("system: text content blocks must be non-empty".into());
    }
    if let Some(thinking) = body.get("thinking") {
        let kind = text(object(thinking, "thinking")?, "type");
        if !["adaptive", "disabled", "enabled", "between_tools"].contains(&kind) {
            return Err(format!("thinking: Input tag '{kind}' is not known"));
        }
    }
    if let Some(config) = body.get("output_config") {
        let config = object(config, "output_config")?;
        only(config, "output_config.", &["format", "effort"], "Extra inputs are not permitted")?;
        if let Some(format) = config.get("format") {
            let format = object(format, "output_config.format")?;
            only(
                format,
                "output_config.format.",
                &["type", "schema"],
                "Extra inputs are not permitted",
            )?;
            if text(format, "type") != "json_schema" {
                return Err("output_config.format.type: Input should be 'json_schema'".into());
            }
            let schema =
                format.get("schema").ok_or("output_config.format.schema: Field required")?;
            check(schema, &ANTHROPIC)
                .map_err(|what| format!("output_config.format.schema: {what}"))?;
        }
    }
    if let Some(tools) = body.get("tools") {
        for tool in tools.as_array().ok_or("tools: Input should be a list")? {
            let tool = object(tool, "tools")?;
            let name = text(tool, "name");
            let allowed = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
            if name.is_empty() || name.len() > 64 || !name.chars().all(allowed) {
                return Err("tools.0.custom.name: String should match pattern".into());
            }
            if tool.get("input_schema").is_none_or(|schema| schema["type"] != "object") {
                return Err("tools.0.custom.input_schema.type: Field required".into());
            }
        }
        let choice = &body.get("tool_choice").unwrap_or(&Value::Null)["name"];
        if tools.as_array().is_none_or(|tools| tools.iter().all(|tool| tool["name"] != *choice)) {
            return Err("tool_choice: the tool is not among the tools".into());
        }
    }
    Ok(())
}

fn gemini(seen: &Seen) -> Check<String> {
    if seen.path.contains("key=") {
        return Err("the key does not belong into the URL".into());
    }
    if seen.header("x-goog-api-key").is_none_or(str::is_empty) {
        return Err("API key not valid. Please pass a valid API key.".into());
    }
    let body = object(&seen.body, "the body")?;
    let known = [
        "contents",
        "systemInstruction",
        "generationConfig",
        "tools",
        "toolConfig",
        "safetySettings",
        "cachedContent",
    ];
    let unknown = "Invalid JSON payload received. Unknown name";
    only(body, "", &known, unknown)?;
    let contents = body.get("contents").and_then(Value::as_array);
    let contents =
        contents.filter(|contents| !contents.is_empty()).ok_or("contents is not specified")?;
    for content in contents {
        let content = object(content, "contents")?;
        only(content, "contents.", &["role", "parts"], unknown)?;
        if !["user", "model"].contains(&text(content, "role")) {
            return Err("Please use a valid role: user, model.".into());
        }
        parts(content)?;
    }
    if let Some(system) = body.get("systemInstruction") {
        parts(object(system, "systemInstruction")?)?;
    }
    let config = body.get("generationConfig").ok_or("generationConfig is not specified")?;
    let config = object(config, "generationConfig")?;
    let known = [
        "maxOutputTokens",
        "temperature",
        "responseMimeType",
        "responseJsonSchema",
        "responseSchema",
        "thinkingConfig",
        "candidateCount",
        "stopSequences",
        "topK",
        "topP",
        "seed",
    ];
    only(config, "generation_config.", &known, unknown)?;
    if config.get("maxOutputTokens").and_then(Value::as_u64).is_none_or(|tokens| tokens == 0) {
        return Err("maxOutputTokens must be positive".into());
    }
    let schemas = ["responseJsonSchema", "responseSchema"].map(|key| config.get(key));
    if schemas.iter().any(Option::is_some) && text(config, "responseMimeType") != "application/json"
    {
        return Err("response_mime_type must be application/json with a schema".into());
    }
    match schemas {
        [Some(_), Some(_)] => Err("only one of response_schema and response_json_schema".into()),
        [Some(schema), None] => check(schema, &GEMINI_JSON),
        [None, Some(schema)] => check(schema, &GEMINI_OPEN_API),
        [None, None] => Ok(()),
    }?;
    if let Some(thinking) = config.get("thinkingConfig") {
        let thinking = object(thinking, "thinkingConfig")?;
        only(
            thinking,
            "thinking_config.",
            &["thinkingBudget", "thinkingLevel", "includeThoughts"],
            unknown,
        )?;
        if thinking.contains_key("thinkingBudget") && thinking.contains_key("thinkingLevel") {
            return Err("thinking_budget and thinking_level are mutually exclusive".into());
        }
    }
    Ok(())
}

fn parts(content: &Map<String, Value>) -> Check<String> {
    let parts = content.get("parts").and_then(Value::as_array).ok_or("parts are not specified")?;
    let empty = |part: &Value| part["text"].as_str().is_none_or(str::is_empty);
    if parts.is_empty() || parts.iter().any(empty) {
        return Err("Unable to submit request because it must have a text parameter".into());
    }
    Ok(())
}

/// The schema language that a service accepts.
struct Words {
    keywords: &'static [&'static str],
    /// Whether `type` may be a list.
    unions: bool,
    /// Whether every object must be closed.
    closed: bool,
    /// Whether `enum` holds only strings.
    strings: bool,
}

const ANTHROPIC: Words = Words {
    keywords: &[
        "type",
        "enum",
        "const",
        "anyOf",
        "allOf",
        "$ref",
        "$defs",
        "definitions",
        "description",
        "title",
        "properties",
        "required",
        "additionalProperties",
        "items",
        "minItems",
        "format",
        "default",
    ],
    unions: true,
    closed: true,
    strings: false,
};

const GEMINI_JSON: Words = Words {
    keywords: &[
        "$id",
        "$defs",
        "$ref",
        "$anchor",
        "type",
        "format",
        "title",
        "description",
        "enum",
        "items",
        "prefixItems",
        "minItems",
        "maxItems",
        "minimum",
        "maximum",
        "anyOf",
        "oneOf",
        "properties",
        "additionalProperties",
        "required",
        "propertyOrdering",
    ],
    unions: true,
    closed: false,
    strings: false,
};

const GEMINI_OPEN_API: Words = Words {
    keywords: &[
        "type",
        "format",
        "title",
        "description",
        "nullable",
        "enum",
        "items",
        "minItems",
        "maxItems",
        "minimum",
        "maximum",
        "anyOf",
        "properties",
        "required",
        "propertyOrdering",
    ],
    unions: false,
    closed: false,
    strings: true,
};

fn check(schema: &Value, words: &Words) -> Check<String> {
    let schema = match schema {
        Value::Bool(_) => return Ok(()),
        schema => object(schema, "schema")?,
    };
    for (key, value) in schema {
        if !words.keywords.contains(&key.as_str()) {
            return Err(format!("schema: the keyword '{key}' is not supported"));
        }
        match (key.as_str(), value) {
            ("properties" | "$defs" | "definitions", value) => {
                object(value, key)?.values().try_for_each(|schema| check(schema, words))?;
            }
            ("items" | "additionalProperties", value) => check(value, words)?,
            ("anyOf" | "oneOf" | "allOf" | "prefixItems", Value::Array(schemas)) => {
                schemas.iter().try_for_each(|schema| check(schema, words))?;
            }
            ("type", Value::Array(_)) if !words.unions => {
                return Err("schema: type must be one".into());
            }
            ("type", kind) if !words.unions && kind == "null" => {
                return Err("schema: there is no type null".into());
            }
            ("minItems", value) if words.closed && value.as_u64().is_none_or(|items| items > 1) => {
                return Err("schema: minItems must be 0 or 1".into());
            }
            ("enum", Value::Array(values))
                if words.strings && !values.iter().all(Value::is_string) =>
            {
                return Err("schema: enum must hold strings".into());
            }
            _ => {}
        }
    }
    let is_object = schema.get("type").is_some_and(|kind| kind == "object");
    if words.closed && is_object && schema.get("additionalProperties") != Some(&Value::Bool(false))
    {
        return Err("schema: for 'object' type, 'additionalProperties' must be false".into());
    }
    Ok(())
}

fn object<'a>(value: &'a Value, what: &str) -> Result<&'a Map<String, Value>, String> {
    value.as_object().ok_or_else(|| format!("{what}: Input should be an object"))
}

fn only(object: &Map<String, Value>, at: &str, known: &[&str], complaint: &str) -> Check<String> {
    match object.keys().find(|key| !known.contains(&key.as_str())) {
        Some(key) => Err(format!("{at}{key}: {complaint}")),
        None => Ok(()),
    }
}

fn text<'a>(object: &'a Map<String, Value>, key: &str) -> &'a str {
    object.get(key).and_then(Value::as_str).unwrap_or_default()
}
