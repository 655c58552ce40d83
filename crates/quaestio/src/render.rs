//! A result as JSON, Markdown and HTML, made from the envelope alone.

mod bars;
mod brief;
mod check;
mod debate;
mod deep;
pub(crate) mod evaluation;
mod fragment;
mod hypotheses;
mod lettering;
mod market;
mod pages;
mod plain;
mod planned;
mod plot;
mod report;
mod verdicts;

use std::fmt::Write as _;

use serde::Serialize;

use pulldown_cmark::{CowStr, Event, Options, Parser, Tag, TagEnd, html};
use serde_json::Value;

use crate::cli::Format;
use plain::{block, disarmed, escape, inline, unlinked, unmarked};
pub(crate) use report::report;

/// Where a reader finds all that a method's steps returned: on the command line, and beside the page.
const COMMAND: &str = "`--format json` prints";
const PAGE: &str = "The export as JSON holds";

/// Returns the envelope in the wanted form, with a line end.
pub(crate) fn render(envelope: &Value, format: Format) -> String {
    match format {
        Format::Json => {
            let mut text = json(envelope);
            text.push('\n');
            text
        }
        Format::Md => markdown(envelope, disarmed, COMMAND),
        Format::Html => page(envelope),
    }
}

/// Returns a JSON object a line for each sentence that was checked.
pub(crate) fn sentences(envelope: &Value) -> String {
    let deliverable = envelope.get("deliverable").unwrap_or(&Value::Null);
    list(deliverable, "sentences").iter().map(|sentence| json_line(sentence) + "\n").collect()
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

fn text<'a>(value: &'a Value, key: &str) -> &'a str {
    value.get(key).and_then(Value::as_str).unwrap_or_default()
}

fn list<'a>(value: &'a Value, key: &str) -> &'a [Value] {
    value.get(key).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

/// Returns the result as Markdown. Nothing in it can move a terminal's cursor.
///
/// `plain` writes what is no Markdown: quotes, headings, names, remarks. `whole` says where the rest is.
fn markdown(envelope: &Value, plain: fn(&str) -> String, whole: &str) -> String {
    if let Some(payload) = hypotheses::read(envelope) {
        return hypotheses::markdown(envelope, &payload, plain);
    }
    if let Some(analysis) = market::read(envelope) {
        return market::markdown(envelope, &analysis, plain);
    }
    if let Some(debate) = debate::read(envelope) {
        return debate::markdown(envelope, &debate, plain);
    }
    if let Some(brief) = brief::read(envelope) {
        return brief::markdown(envelope, &brief, plain);
    }
    if let Some(sentences) = check::read(envelope) {
        return check::markdown(envelope, &sentences, plain);
    }
    let mut page = String::new();
    let deliverable = envelope.get("deliverable").unwrap_or(&Value::Null);
    match text(envelope, "status") {
        "completed" => {
            let _ = writeln!(page, "{}", body(envelope, deliverable));
        }
        status => {
            let _ = writeln!(page, "The run is {status}.");
            if let Some(error) = envelope.get("error") {
                let _ = writeln!(
                    page,
                    "\nStep `{}` failed: {}",
                    text(error, "stage"),
                    inline(text(error, "message"), plain)
                );
            }
            let outputs = deliverable.get("stage_outputs").and_then(Value::as_object);
            if let Some(outputs) = outputs.filter(|outputs| !outputs.is_empty()) {
                let steps: Vec<&str> = outputs.keys().map(String::as_str).collect();
                let _ = writeln!(page, "\nWhat it has so far: {}. {whole} it.", steps.join(", "));
            }
        }
    }
    if deep::is(deliverable) {
        deep::changes(&mut page, deliverable, plain);
        deep::beside(&mut page, deliverable, plain);
        deep::research(&mut page, envelope, deliverable, plain);
    }
    let passages = list(deliverable, "closest");
    closest(&mut page, passages, plain);
    let remarks = [
        // Where passages are listed in the place of an answer nobody wrote.
        (
            if passages.is_empty() {
                "Not answered, in the writer's words"
            } else {
                "Not answered"
            },
            "gaps",
        ),
        ("Assumed, in the writer's words", "assumptions"),
    ];
    for (heading, key) in remarks.into_iter().filter(|_| !deep::is(deliverable)) {
        let items = list(deliverable, key);
        if !items.is_empty() {
            let _ = writeln!(page, "\n## {heading}\n");
            for item in items {
                let _ = writeln!(page, "- {}", block(item.as_str().unwrap_or_default(), plain));
            }
        }
    }
    sources(&mut page, list(envelope, "citations"), plain);
    references(&mut page, list(envelope, "references"), plain);
    deep::work(&mut page, deliverable, plain);
    footer(&mut page, envelope, plain);
    run::grounding::clean(&page)
}

fn body(envelope: &Value, deliverable: &Value) -> String {
    match envelope.get("answer").and_then(Value::as_str) {
        Some(answer) => unlinked(&verdicts::marked(answer, list(deliverable, "claims"))),
        // A method without an answer shows its fields.
        None => {
            let mut fields = deliverable.clone();
            if let Value::Object(fields) = &mut fields {
                fields.remove("claims");
            }
            format!("```json\n{}\n```", serde_json::to_string_pretty(&fields).unwrap_or_default())
        }
    }
}

/// Writes the passages that come closest to a question that none of them answers.
fn closest(page: &mut String, closest: &[Value], plain: fn(&str) -> String) {
    if closest.is_empty() {
        return;
    }
    page.push_str("\n## Closest passages\n");
    for one in closest {
        let [heading, uri] = ["heading", "source_uri"].map(|key| inline(text(one, key), plain));
        let on_page = match one.get("page").and_then(Value::as_u64) {
            Some(page) => format!(", page {page}"),
            None => String::new(),
        };
        // Behind a word that is marked the space before the next one stays.
        let part = |part: &str| {
            let [before, behind] = [part.starts_with(' '), part.ends_with(' ')]
                .map(|is_space| if is_space { " " } else { "" });
            format!("{before}{}{behind}", inline(part, plain))
        };
        let marked = text(one, "marked").split("**").map(part).collect::<Vec<_>>().join("**");
        let _ = writeln!(page, "\n- {marked}  ");
        let _ = writeln!(page, "  {heading} ({uri}{on_page})");
    }
}

fn sources(page: &mut String, citations: &[Value], plain: fn(&str) -> String) {
    if citations.is_empty() {
        return;
    }
    page.push_str("\n## Sources\n");
    for citation in citations {
        let number = citation.get("number").and_then(Value::as_u64).unwrap_or_default();
        let [section, uri] =
            ["section", "source_uri"].map(|key| inline(text(citation, key), plain));
        let quote = inline(text(citation, "quote"), plain);
        let at = |key| citation.get(key).and_then(Value::as_u64).unwrap_or_default();
        let _ = writeln!(page, "\n[{number}] {section}  ");
        let _ = writeln!(page, "    \"{quote}\"  ");
        let on_page = match citation.get("page").and_then(Value::as_u64) {
            Some(page) => format!(", page {page}"),
            None => String::new(),
        };
        let _ = writeln!(
            page,
            "    {uri}{on_page}, bytes {}..{} ({})",
            at("start"),
            at("end"),
            // What it says is quoted as it stands, whatever was concluded from it.
            match text(citation, "verdict") {
                "inferred" => "a conclusion rests on it",
                verdict => verdict,
            }
        );
    }
}

/// Writes the works that are cited, each with the marks that stand for it.
fn references(page: &mut String, references: &[Value], plain: fn(&str) -> String) {
    if references.is_empty() {
        return;
    }
    page.push_str("\n## References\n");
    for reference in references {
        let numbers = list(reference, "numbers").iter().filter_map(Value::as_u64);
        let numbers: Vec<String> = numbers.map(|number| number.to_string()).collect();
        let _ = writeln!(
            page,
            "\n[{}] {}  ",
            numbers.join(", "),
            inline(text(reference, "text"), plain)
        );
    }
}

fn footer(page: &mut String, envelope: &Value, plain: fn(&str) -> String) {
    verdicts::worked_out(page, envelope, plain);
    planned::planned(page, envelope, plain);
    let _ = writeln!(page, "\n---\n");
    match text(envelope, "mode") {
        "offline" => {
            let made = match text(envelope, "method") {
                "check" => "what a program can know was checked, and no sentence was read",
                "brief" => {
                    "the sentences are made from templates, with figures computed from the data"
                }
                _ => "the sentences are quoted from the sources as they stand",
            };
            let _ = writeln!(page, "Mode: offline. No model was asked; {made}.  ");
        }
        _ => {
            let model =
                envelope.pointer("/models/main").and_then(Value::as_str).unwrap_or_default();
            let cost = envelope.get("cost_usd").and_then(Value::as_f64).unwrap_or_default();
            let tokens = |key: &str| {
                envelope
                    .pointer(&format!("/usage/{key}"))
                    .and_then(Value::as_u64)
                    .unwrap_or_default()
            };
            let _ = writeln!(
                page,
                "Model: {model}, {} tokens in, {} out, ${cost:.6}.  ",
                tokens("input_tokens"),
                tokens("output_tokens")
            );
            if let Some(reading) = envelope.pointer("/usage/reading") {
                let read = |key: &str| reading.get(key).and_then(Value::as_u64).unwrap_or_default();
                let cost = reading.get("cost_usd").and_then(Value::as_f64).unwrap_or_default();
                let _ = writeln!(
                    page,
                    "Of these for reading claims: {} tokens in, {} out, ${cost:.6}.  ",
                    read("input_tokens"),
                    read("output_tokens")
                );
            }
        }
    }
    verdicts::counts(page, envelope, plain);
    for warning in list(envelope, "warnings") {
        let _ =
            writeln!(page, "Warning: {}  ", inline(warning.as_str().unwrap_or_default(), plain));
    }
    let _ = writeln!(page, "Run: {}", text(envelope, "run_id"));
}

/// Returns the result as a page that fetches nothing and runs nothing.
fn page(envelope: &Value) -> String {
    let question = escape(text(envelope, "question"));
    let (report, style) = if let Some(payload) = hypotheses::read(envelope) {
        (hypotheses::html(envelope, &payload), hypotheses::STYLE)
    } else if let Some(analysis) = market::read(envelope) {
        (market::html(envelope, &analysis), market::STYLE)
    } else if let Some(debate) = debate::read(envelope) {
        (debate::html(envelope, &debate), debate::STYLE)
    } else if let Some(brief) = brief::read(envelope) {
        (brief::html(envelope, &brief), brief::STYLE)
    } else {
        (safe_html(&markdown(envelope, unmarked, COMMAND)), deep::STYLE)
    };
    shell(&question, &report, style)
}

/// Returns a page that fetches nothing and runs nothing, with a title that is escaped already.
fn shell(title: &str, report: &str, style: &str) -> String {
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>{title}</title>\n\
         <style>\n:root {{ color-scheme: light dark; }}\nbody {{ font: 1rem/1.6 system-ui, sans-serif; max-width: 44rem; \
         margin: 2rem auto; padding: 0 1rem; }}\npre {{ white-space: pre-wrap; }}\n{style}</style>\n</head>\n<body>\n\
         <main>\n<h1>{title}</h1>\n{report}</main>\n</body>\n</html>\n"
    )
}

/// Returns Markdown as HTML: raw HTML as text, images as their text, links only to web and mail.
pub(crate) fn safe_html(markdown: &str) -> String {
    let mut dropped_links = 0_usize;
    let events =
        Parser::new_ext(markdown, Options::ENABLE_TABLES).filter_map(|event| match event {
            Event::Html(text) | Event::InlineHtml(text) => Some(Event::Text(text)),
            Event::Start(Tag::HtmlBlock) | Event::End(TagEnd::HtmlBlock) => None,
            Event::Start(Tag::Image { .. }) | Event::End(TagEnd::Image) => None,
            Event::Start(Tag::Link { ref dest_url, .. }) if !is_safe(dest_url) => {
                dropped_links += 1;
                None
            }
            Event::End(TagEnd::Link) if dropped_links > 0 => {
                dropped_links -= 1;
                None
            }
            other => Some(other),
        });
    let mut page = String::new();
    html::push_html(&mut page, events);
    page
}

fn is_safe(url: &CowStr<'_>) -> bool {
    let url = url.trim().to_ascii_lowercase();
    url.starts_with("https://") || url.starts_with("http://") || url.starts_with("mailto:")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_document_or_a_model_wrote_stays_text_on_the_page() {
        let page = safe_html(
            "<script>alert(1)</script>\n\nSee ![x](https://evil.example/p.png) [a](javascript:alert(1)) \
             [b](https://ok.example/) <img src=x onerror=alert(1)>\n\n<div onclick=x>block</div>\n",
        );
        for active in ["<script", "<img", "href=\"javascript:", "<div"] {
            assert!(!page.contains(active), "{active} in {page}");
        }
        assert!(page.contains("href=\"https://ok.example/\""));
    }

    #[test]
    fn json_reads_back_and_steers_no_terminal() {
        let value = serde_json::json!({"title": "a\u{9b}31m\u{202e}b\u{1b}é\u{2066}"});
        for text in [json(&value), json_line(&value)] {
            assert!(!text.contains(['\u{9b}', '\u{202e}', '\u{1b}', '\u{2066}']), "{text:?}");
            assert_eq!(serde_json::from_str::<Value>(&text).unwrap(), value);
        }
    }
}
