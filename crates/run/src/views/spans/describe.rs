//! What spans say of steps and calls.

use serde_json::{Value, json};

use super::{Attribute, Found, LONGEST_TEXT, Span};
use crate::budget::{Usage, dollars};
use crate::entry::Asking;

/// The model of a step that was worked out without one.
pub(super) const OFFLINE: &str = "offline";

pub(super) fn describe_prompt(span: &mut Span, asking: &Asking) {
    text(span, "quaestio.prompt", &asking.prompt);
    text(span, "quaestio.prompt_version", &asking.prompt_version.to_string());
    text(span, "quaestio.prompt_hash", &asking.prompt_hash.to_string());
    if asking.model == OFFLINE {
        text(span, "quaestio.model", OFFLINE);
    }
}

/// Describes what a step returned: what was found on the step, what was said on the call.
pub(super) fn describe_value(
    step: &mut Span,
    call: Option<&mut Span>,
    name: &str,
    value: &Value,
    is_shown: bool,
) {
    let is_retrieval = matches!(kind_of(name), "retrieve" | "papers" | "pages" | "texts");
    if is_retrieval && let Some(found) = list_of(value) {
        put(step, "quaestio.found", Attribute::Count(found.len() as u64));
    }
    if !is_shown {
        return;
    }
    if is_retrieval {
        step.documents = list_of(value).into_iter().flatten().map(read).collect();
    } else if step.attributes.contains_key("quaestio.prompt") {
        let said = message("assistant", &value.to_string());
        text(call.unwrap_or(step), "gen_ai.output.messages", &said);
    } else {
        text(step, "quaestio.value", &value.to_string());
    }
}

/// Returns the name of a step without its scopes and its number.
pub(super) fn kind_of(step: &str) -> &str {
    let name = step.rsplit('/').next().unwrap_or(step);
    name.split(" #").next().unwrap_or(name)
}

/// Returns the name of a scope without the numbers at its end: `question` of `question-2-1`.
pub(super) fn without_numbers(name: &str) -> &str {
    match name.rsplit_once('-') {
        Some((rest, number))
            if !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit()) =>
        {
            without_numbers(rest)
        }
        _ => name,
    }
}

/// Returns the result of a retrieval as a list: passages, works or hits.
fn list_of(value: &Value) -> Option<&[Value]> {
    let listed = ["passages", "papers", "texts"].into_iter().find_map(|name| value.get(name));
    let listed = listed.unwrap_or(value);
    listed.as_array().map(Vec::as_slice)
}

fn read(item: &Value) -> Found {
    let first = |names: &[&str]| {
        names
            .iter()
            .find_map(|name| Some(item.get(*name)?.as_str()?.to_owned()))
            .unwrap_or_default()
    };
    Found {
        id: first(&["source_uri", "url", "title"]),
        score: item.get("score").and_then(Value::as_f64),
        text: cut(&first(&["text", "snippet", "abstract", "title"])),
    }
}

pub(super) fn describe_usage(span: &mut Span, usage: Usage, cost_usd_micros: u64) {
    if usage != Usage::default() {
        for (name, tokens) in [
            ("gen_ai.usage.input_tokens", usage.input_tokens),
            ("gen_ai.usage.cache_read.input_tokens", usage.cached_tokens),
            ("gen_ai.usage.output_tokens", usage.output_tokens),
        ] {
            put(span, name, Attribute::Count(tokens));
        }
    }
    if cost_usd_micros > 0 {
        put(span, "quaestio.cost_usd", Attribute::Number(dollars(cost_usd_micros)));
    }
}

/// Returns a message in the form of the conventions.
pub(super) fn message(role: &str, content: &str) -> String {
    json!([{ "role": role, "parts": [{ "type": "text", "content": cut(content) }] }]).to_string()
}

pub(super) fn put(span: &mut Span, name: &str, value: Attribute) {
    span.attributes.insert(name.to_owned(), value);
}

pub(super) fn text(span: &mut Span, name: &str, value: &str) {
    // Messages were truncated before they became JSON; truncating them again would break it.
    let value = if name.ends_with("messages") { value.to_owned() } else { cut(value) };
    put(span, name, Attribute::Text(value));
}

pub(super) fn cut(text: &str) -> String {
    match text.char_indices().nth(LONGEST_TEXT) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
        None => text.to_owned(),
    }
}
