//! The report of `market`: the summary first, then each section with what it rests on, and last what is not there.

mod ending;
mod sections;
mod sizing;

use render::{Document, Line};
use serde::Deserialize as _;
use serde_json::Value;

use super::payload::{Analysis, Paragraph, Statement};
use crate::report::verdicts::signed;
use crate::report::{footer, list, ran_offline, references, sources};

/// Returns the report of what the method delivered; `None` if the run came to nothing that can be shown.
pub(crate) fn build(envelope: &Value) -> Option<Document> {
    let analysis = Analysis::deserialize(envelope.get("deliverable")?).ok()?;
    let mut report = Document { title: Some((&analysis.title).into()), blocks: vec![] };
    head(&mut report, &analysis, ran_offline(envelope));
    summary(&mut report, &analysis);
    if let Some(sizing) = &analysis.sizing {
        sizing::section(&mut report, sizing);
    }
    if let Some(competitors) = &analysis.competitors {
        sections::competitors(&mut report, competitors);
    }
    if let Some(customers) = &analysis.customers {
        sections::customers(&mut report, customers);
    }
    if let Some(strategy) = &analysis.strategy {
        sections::strategy(&mut report, strategy);
    }
    if !analysis.open_questions.is_empty() {
        report.heading("Open questions, in the editor's words (not checked)");
        report.items(&analysis.open_questions);
    }
    ending::left_out(&mut report, &analysis.left_out);
    ending::searched(&mut report, &analysis.searched);
    sources(&mut report, envelope, list(envelope, "citations"));
    references(&mut report, list(envelope, "references"));
    if let Some(error) = &analysis.error {
        let stages: Vec<&str> = analysis.stage_outputs.keys().map(String::as_str).collect();
        ending::error(&mut report, error, &stages);
    }
    footer(&mut report, envelope);
    Some(report)
}

fn head(report: &mut Document, analysis: &Analysis, is_offline: bool) {
    let scope = &analysis.scope;
    let startup = scope.startup.clone().unwrap_or_default();
    let about = [
        ("Startup", startup),
        ("Where", scope.geographical_scope.clone()),
        ("Focus", scope.focus_areas.join("; ")),
    ];
    let about = about.into_iter().filter(|(_, text)| !text.trim().is_empty());
    let about = about.map(|(what, text)| format!("{what}: {text}"));
    let question = format!("Question: {}", analysis.question);
    report.paragraph(Line::broken(std::iter::once(question).chain(about)));
    if is_offline {
        report.paragraph(
            "Offline: every sentence is quoted from a source. No model was asked, so there are no judgements or \
             recommendations.",
        );
    }
    if let Some(error) = &analysis.error {
        report.paragraph(format!(
            "The run stopped early, at {}. What was found until then follows; the reason is at the end.",
            error.stage.replace('_', " ")
        ));
    }
}

fn summary(report: &mut Document, analysis: &Analysis) {
    if analysis.summary.is_empty() {
        if analysis.error.is_none() {
            report.paragraph("Not enough evidence: what was found does not answer this question.");
        }
        return;
    }
    report.heading("Summary");
    report.items(analysis.summary.iter().map(|one| signed_statement(&one.statement)));
}

/// Returns a statement with its marks and the sign of its verdict.
fn signed_statement(statement: &Statement) -> Line {
    signed(Line::new().marked(&statement.text), Some(statement.verdict))
}

/// Adds paragraphs whose sentences were checked.
fn prose(report: &mut Document, paragraphs: &[Paragraph]) {
    for paragraph in paragraphs {
        let sentences = paragraph.sentences.iter().map(|one| signed_statement(&one.statement));
        report.paragraph(Line::join(sentences, &" ".into()));
    }
}

/// Adds what a section leaves open.
fn gaps(report: &mut Document, gaps: &[String]) {
    if !gaps.is_empty() {
        report.paragraph("Still open, in the agent's words:");
        report.items(gaps);
    }
}
