//! What is printed: a run's result in every form, JSON that steers no terminal, and evaluations.

pub(crate) mod evaluation;

use std::collections::BTreeMap;
use std::fmt::Write as _;

use app::{Heading, Report};
use jiff::Timestamp;
use render::Document;
use render::terminal::Options;
use run::Methods;
use run::evidence::Numbered;
use serde::Serialize;
use serde_json::Value;

use crate::cli::Format;
use crate::failure::Failure;
use crate::sink::Sink;

/// Returns the envelope in the wanted form, with a line end.
pub(crate) fn render(methods: &Methods, envelope: &Value, format: Format) -> String {
    match format {
        Format::Json => {
            let mut text = json(envelope);
            text.push('\n');
            text
        }
        Format::Md => methods::report::markdown(methods, envelope),
        Format::Html => methods::report::page(methods, envelope),
        Format::Text => methods::report::plain_text(methods, envelope, width()),
    }
}

/// Returns the result for a terminal: styled and with links where that is wanted, else plain.
pub(crate) fn shown(
    methods: &Methods,
    envelope: &Value,
    out: &Sink,
    places: BTreeMap<String, String>,
) -> String {
    set(&methods::report::build(methods, envelope), out, places)
}

/// Returns a document for a terminal. `places` are the addresses that texts in it lead to.
pub(crate) fn set(document: &Document, out: &Sink, places: BTreeMap<String, String>) -> String {
    match out.is_styled() {
        true => render::terminal::write(document, &Options { width: width(), places }),
        false => render::text::write(document, width()),
    }
}

/// The columns of a text whose reader has no terminal.
const USUAL: usize = 80;

/// Returns the report as plain text for a file.
pub(crate) fn file_text(methods: &Methods, envelope: &Value) -> String {
    methods::report::plain_text(methods, envelope, USUAL)
}

/// Returns the report as a Word document. `ended_at` is when its run ended.
pub(crate) fn word_document(
    methods: &Methods,
    envelope: &Value,
    ended_at: Option<Timestamp>,
) -> Result<Vec<u8>, Failure> {
    let question = envelope.get("question").and_then(Value::as_str).unwrap_or_default();
    let meta = docx::Meta {
        title: render::one_line(question),
        created_at: ended_at.map(|at| at.strftime("%Y-%m-%dT%H:%M:%SZ").to_string()),
        ..docx::Meta::default()
    };
    docx::write(&methods::report::build(methods, envelope), &meta).map_err(|error| {
        Failure::new(
            format!("the Word document could not be made: {error}"),
            "choose another --format",
        )
    })
}

/// Returns how many columns a text may have: those of the terminal, within reason.
pub(crate) fn width() -> usize {
    const BROADEST: usize = 100;
    let terminal = terminal_size::terminal_size();
    terminal.map_or(USUAL, |(width, _)| usize::from(width.0).min(BROADEST))
}

/// Returns the result for the page that `quaestio serve` brings: a fragment without style or title, and its outline.
pub(crate) fn report(methods: &Methods, envelope: &Value, evidence: &[Numbered]) -> Report {
    let fragment = methods::report::fragment(methods, envelope, evidence);
    let outline = fragment.outline.into_iter();
    let outline =
        outline.map(|render::html::Heading { level, id, text }| Heading { level, id, text });
    Report { html: fragment.html, outline: outline.collect() }
}

/// Returns a JSON object a line for each sentence that was checked.
pub(crate) fn sentences(envelope: &Value) -> String {
    let deliverable = envelope.get("deliverable").unwrap_or(&Value::Null);
    let sentences = deliverable.get("sentences").and_then(Value::as_array);
    sentences.into_iter().flatten().map(|sentence| json_line(sentence) + "\n").collect()
}

/// Returns JSON over several lines in which nothing steers a terminal or turns its text around.
pub(crate) fn json(value: &impl Serialize) -> String {
    escaped(&serde_json::to_string_pretty(value).unwrap_or_default())
}

/// The same on one line.
pub(crate) fn json_line(value: &impl Serialize) -> String {
    escaped(&serde_json::to_string(value).unwrap_or_default())
}

/// Writes what JSON need not escape, and a terminal obeys, as escapes. In JSON it can only stand in texts.
fn escaped(json: &str) -> String {
    let obeyed = |c: char| matches!(c, '\u{7f}'..='\u{9f}' | '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    if !json.contains(obeyed) {
        return json.to_owned();
    }
    let mut written = String::with_capacity(json.len() + 16);
    for c in json.chars() {
        if obeyed(c) {
            let _ = write!(written, "\\u{:04x}", u32::from(c));
        } else {
            written.push(c);
        }
    }
    written
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_reads_back_and_steers_no_terminal() {
        let value = serde_json::json!({"title": "a\u{9b}31m\u{202e}b\u{1b}é\u{2066}"});
        for text in [json(&value), json_line(&value)] {
            assert!(!text.contains(['\u{9b}', '\u{202e}', '\u{1b}', '\u{2066}']), "{text:?}");
            assert_eq!(serde_json::from_str::<Value>(&text).unwrap(), value);
        }
    }
}
