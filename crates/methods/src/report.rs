//! The result of a run as a document.
//!
//! A method that delivers more than an answer builds its own report, in a file `report.rs` of its own; what every report shows is here:
//! sources, references, plan, verdicts, cost and warnings. Everything is made from the printed result, the envelope.

pub mod chat;
mod links;
pub(crate) mod planned;
pub(crate) mod verdicts;

use std::collections::BTreeMap;

use render::html::{Fragment, Target};
use render::{Block, Document, Line, Note, NotedSource};
use run::Methods;
use run::evidence::{EvidenceKind, Numbered};
use run::views;
use serde_json::Value;

/// Returns the report of a run from its envelope, its marks as a reader sees them: `[7a]` for a statement of source 7.
pub fn build(methods: &Methods, envelope: &Value) -> Document {
    let method = methods.find(text(envelope, "method"));
    let own = method.and_then(|method| method.report).and_then(|build| build(envelope));
    let mut report = own.unwrap_or_else(|| crate::ask::report::build(envelope));
    report.label(&views::labels_of_result(envelope));
    report
}

/// Returns the report as Markdown. Nothing in it can move a terminal's cursor.
pub fn markdown(methods: &Methods, envelope: &Value) -> String {
    render::markdown::write(&build(methods, envelope))
}

/// Returns the report as plain text of at most `width` columns. Nothing in it can move a terminal's cursor.
pub fn plain_text(methods: &Methods, envelope: &Value, width: usize) -> String {
    render::text::write(&build(methods, envelope), width)
}

/// Returns the report as a page of its own that fetches nothing and runs nothing.
pub fn page(methods: &Methods, envelope: &Value) -> String {
    render::html::page(&title(envelope), &build(methods, envelope))
}

/// Returns what stands above a report that has no title of its own: the question.
pub fn title(envelope: &Value) -> String {
    render::one_line(text(envelope, "question"))
}

/// Returns the report for a page around it. `evidence` is the run's: it says which document a citation stands in.
pub fn fragment(methods: &Methods, envelope: &Value, evidence: &[Numbered]) -> Fragment {
    render::html::write(&build(methods, envelope), &find_targets(envelope, evidence))
}

/// Returns where each mark leads: the citations that are shown and whose place is known.
fn find_targets(envelope: &Value, evidence: &[Numbered]) -> BTreeMap<u32, Target> {
    let documents: BTreeMap<&str, Option<&str>> = evidence
        .iter()
        .map(|Numbered { evidence, .. }| {
            let is_document = evidence.kind != EvidenceKind::Survey;
            let document = evidence.provenance.place.document_id.as_str();
            (evidence.evidence_id.as_str(), is_document.then_some(document))
        })
        .collect();
    let target = |citation: &Value| {
        let number = |key: &str| citation.get(key).and_then(Value::as_u64);
        let document_id = documents.get(text(citation, "evidence_id"))?;
        let target = Target {
            document_id: document_id.map(str::to_owned),
            start: number("start")?,
            end: number("end")?,
            verdict: text(citation, "verdict").to_owned(),
        };
        Some((u32::try_from(number("number")?).ok()?, target))
    };
    list(envelope, "citations").iter().filter_map(target).collect()
}

pub(crate) fn text<'a>(value: &'a Value, key: &str) -> &'a str {
    value.get(key).and_then(Value::as_str).unwrap_or_default()
}

pub(crate) fn list<'a>(value: &'a Value, key: &str) -> &'a [Value] {
    value.get(key).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

pub(crate) fn number(value: &Value, key: &str) -> u64 {
    value.get(key).and_then(Value::as_u64).unwrap_or_default()
}

fn dollars(value: &Value) -> f64 {
    value.get("cost_usd").and_then(Value::as_f64).unwrap_or_default()
}

pub(crate) fn ran_offline(envelope: &Value) -> bool {
    text(envelope, "mode") == "offline"
}

/// Returns `1 work`, `2 works`.
pub(crate) fn count(number: u64, one: &str, several: &str) -> String {
    format!("{number} {}", if number == 1 { one } else { several })
}

/// Returns `a, b and c`.
pub(crate) fn join_and(names: &[String]) -> String {
    match names {
        [] => String::new(),
        [one] => one.clone(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}

/// Returns the numbers that a source or reference is cited by.
fn numbers(value: &Value) -> Vec<u32> {
    let numbers = list(value, "numbers").iter().filter_map(Value::as_u64);
    numbers.filter_map(|number| u32::try_from(number).ok()).collect()
}

/// Adds each source that is cited, and of each citation its section, its quote and its place.
pub(crate) fn sources(report: &mut Document, envelope: &Value, citations: &[Value]) {
    let labels = views::labels_of_result(envelope);
    let mut by_source: BTreeMap<u32, Vec<&Value>> = BTreeMap::new();
    for citation in citations {
        by_source.entry(labels.find(mark_of(citation)).source).or_default().push(citation);
    }
    report.notes("Sources", by_source.values().map(|cited| source(cited)).collect());
}

/// Returns a source with the citations of it.
fn source(cited: &[&Value]) -> NotedSource {
    let first = cited.first().copied().unwrap_or(&Value::Null);
    let marks: Vec<u32> = cited.iter().map(|citation| mark_of(citation)).collect();
    let uri = text(first, "source_uri");
    let begin = |told: &str| Line::new().mark_source(&marks).text(format!(" {told}"));
    let lines = match text(first, "title") {
        "" => vec![begin(uri)],
        title => vec![begin(title), uri.into()],
    };
    NotedSource { lines, notes: cited.iter().map(|citation| note(citation, uri)).collect() }
}

/// Returns the number of a citation's mark.
fn mark_of(citation: &Value) -> u32 {
    u32::try_from(number(citation, "number")).unwrap_or_default()
}

/// Returns what a citation's mark stands for. `listed_under`: the address of the source in a list.
fn note(citation: &Value, listed_under: &str) -> Note {
    let mark = mark_of(citation);
    let begin = |told: &str| Line::new().mark(mark).text(format!(" {told}"));
    let [section, source_uri, quote] =
        ["section", "source_uri", "quote"].map(|key| text(citation, key));
    let quoted = format!("\"{quote}\"");
    // The line is known only where the result is shown beside its documents.
    let at = Some(text(citation, "at")).filter(|at| !at.is_empty());
    let place = format!(
        "{}bytes {}–{} ({})",
        at.map_or_else(String::new, |at| format!("{at}, ")),
        number(citation, "start"),
        number(citation, "end"),
        // The quote is the source's own, whatever was concluded from it.
        match text(citation, "verdict") {
            "inferred" => "a conclusion rests on it",
            verdict => verdict,
        }
    );
    let whole = format!("{source_uri}{}, {place}", on_page(citation));
    let listed_place = match on_page(citation).strip_prefix(", ") {
        // The same work may have been read at several addresses.
        _ if source_uri != listed_under => whole.clone(),
        Some(page) => format!("{page}, {place}"),
        None => place,
    };
    let listed = match below_title(section, text(citation, "title")) {
        "" => vec![begin(&quoted), listed_place.into()],
        below => vec![begin(below), quoted.as_str().into(), listed_place.into()],
    };
    let lines = vec![begin(section), quoted.into(), whole.into()];
    Note { number: mark, lines, listed, link: links::link_to(source_uri, quote) }
}

/// Returns the path of a section without the title of its document.
fn below_title<'a>(section: &'a str, title: &str) -> &'a str {
    match section.strip_prefix(title) {
        Some("") => "",
        Some(below) => below.strip_prefix(" > ").unwrap_or(section),
        None => section,
    }
}

/// Returns `, page 3` for what has a page, and `, slide 3` in slides.
pub(crate) fn on_page(value: &Value) -> String {
    let Some(page) = value.get("page").and_then(Value::as_u64) else { return String::new() };
    let what = if is_of_slides(text(value, "source_uri")) { "slide" } else { "page" };
    format!(", {what} {page}")
}

/// Returns whether a source is slides, by the end of its name.
fn is_of_slides(source_uri: &str) -> bool {
    const SLIDES: [&str; 6] = ["pptx", "pptm", "ppsx", "odp", "otp", "fodp"];
    let name = source_uri.rsplit('/').next().unwrap_or_default();
    let ending = name.rsplit_once('.').map(|(_, ending)| ending.to_ascii_lowercase());
    ending.is_some_and(|ending| SLIDES.contains(&ending.as_str()))
}

/// Adds the works that are cited, each with its number.
pub(crate) fn references(report: &mut Document, references: &[Value]) {
    if references.is_empty() {
        return;
    }
    report.heading("References");
    for reference in references {
        let mark = Line::new().mark_source(&numbers(reference));
        report.paragraph(mark.text(format!(" {}", text(reference, "text"))));
    }
}

/// How a run ended before its end.
pub(crate) struct WentWrong<'a> {
    pub(crate) stage: &'a str,
    pub(crate) message: &'a str,
    pub(crate) retry_attempted: bool,
    /// A paragraph on what was returned before; may be empty.
    pub(crate) came_back: String,
}

impl<'a> WentWrong<'a> {
    /// Reads the error of an envelope.
    pub(crate) fn of(error: &'a Value) -> WentWrong<'a> {
        WentWrong {
            stage: text(error, "stage"),
            message: text(error, "message"),
            retry_attempted: error.get("retry_attempted").and_then(Value::as_bool) == Some(true),
            came_back: "The JSON result contains what each step returned.".to_owned(),
        }
    }
}

/// Adds which stage failed, why, what came back before it, and what can be done.
pub(crate) fn went_wrong(report: &mut Document, wrong: &WentWrong<'_>) {
    report.heading("What went wrong");
    report.paragraph(Line::new().strong("Stage.").text(format!(" {}", wrong.stage)));
    report.paragraph(Line::new().strong("Why.").text(format!(" {}", wrong.message)));
    report.paragraph(match wrong.retry_attempted {
        true => "A second attempt failed too.",
        false => "There was no second attempt.",
    });
    report.paragraph(wrong.came_back.as_str());
    report.paragraph(
        "What to do: fork the run at the stage that failed. A fork reuses everything before that stage and can use another \
         model or other settings.",
    );
}

/// Adds how numbers come about, the plan, and last what was asked, what it cost and what a reader must know.
pub(crate) fn footer(report: &mut Document, envelope: &Value) {
    verdicts::worked_out(report, envelope);
    planned::planned(report, envelope);
    report.blocks.push(Block::Rule);
    let mut lines = match ran_offline(envelope) {
        true => vec![describe_offline(envelope)],
        false => describe_model(envelope),
    };
    lines.extend(verdicts::counts(envelope));
    let warnings = list(envelope, "warnings").iter().map(|one| one.as_str().unwrap_or_default());
    // Why a run stopped is told where it says so.
    let why = envelope.pointer("/error/message").and_then(Value::as_str);
    let why = why.filter(|why| !why.is_empty());
    let warnings = warnings.filter(|warning| why.is_none_or(|why| !warning.contains(why)));
    lines.extend(warnings.map(|warning| format!("Warning: {warning}")));
    lines.push(format!("Run: {}", text(envelope, "run_id")));
    report.paragraph(Line::broken(lines));
}

fn describe_offline(envelope: &Value) -> String {
    let made = match text(envelope, "method") {
        "check" => {
            "the program checked quotes and numbers, but no second reader checked the sentences"
        }
        "brief" => "the sentences come from templates, with figures computed from the data",
        _ => "the sentences are quoted word for word from the sources",
    };
    format!("Mode: offline. No model was asked; {made}.")
}

fn describe_model(envelope: &Value) -> Vec<String> {
    let nothing = Value::Null;
    let used = |usage: &Value, cost: f64| {
        let [read, written] = ["input_tokens", "output_tokens"].map(|key| number(usage, key));
        format!("{read} tokens in, {written} out, ${cost:.6}.")
    };
    let usage = envelope.get("usage").unwrap_or(&nothing);
    let model = envelope.pointer("/models/main").and_then(Value::as_str).unwrap_or_default();
    let mut lines = vec![format!("Model: {model}, {}", used(usage, dollars(envelope)))];
    if let Some(reading) = usage.get("reading") {
        lines.push(format!("Of which checking claims: {}", used(reading, dollars(reading))));
    }
    lines
}
