//! One turn: what it was read up from, what was said, what came of the code, and what was decided.

use render::{Document, Line};

use super::proposal;
use crate::debate::payload::{Critique, Listed, Markers, Scientist, Sentence, Turn};
use crate::report::verdicts::signed;

pub(super) fn turn(report: &mut Document, turn: &Turn) {
    let does = match turn.scientist {
        Scientist::Optimist => "proposes",
        Scientist::Pessimist => "reviews",
    };
    report.heading(format!("Cycle {}: {} {does}", turn.cycle, turn.scientist.title()));
    let lines = [
        format!("Searched for: {}", turn.query),
        format!("Papers read: arXiv {}, Crossref {}", turn.ingested.arxiv, turn.ingested.crossref),
        format!(
            "Passages found: {}; shown to the scientist: {}",
            turn.retrieved,
            turn.evidence.len()
        ),
    ];
    report.paragraph(Line::broken(lines));
    said(report, "Position", &turn.position);
    said(report, "Evidence synthesis", &turn.synthesis);
    critique(report, &turn.critique);
    if let Some(proposed) = &turn.proposal {
        report.subheading("Proposal");
        sentences(report, &proposed.explanation);
        proposal::proposal(report, proposed);
    }
    said(report, "Next verification step", &turn.next_step);
    verdict(report, &turn.markers, &turn.overruled);
    references(report, &turn.references);
}

fn said(report: &mut Document, heading: &str, all: &[Sentence]) {
    if !all.is_empty() {
        report.subheading(heading);
        sentences(report, all);
    }
}

fn sentences(report: &mut Document, sentences: &[Sentence]) {
    let sentences = sentences.iter().map(|sentence| {
        signed(Line::from(&sentence.text).marks(&sentence.numbers), sentence.verdict)
    });
    report.paragraph(Line::join(sentences, &" ".into()));
}

fn critique(report: &mut Document, critique: &[Critique]) {
    if critique.is_empty() {
        return;
    }
    report.subheading("Critique");
    for Critique { quotation, remark } in critique {
        report.quotation(quotation);
        sentences(report, std::slice::from_ref(remark));
    }
}

fn verdict(report: &mut Document, markers: &Markers, overruled: &str) {
    report.subheading("Verdict");
    let mut lines = vec![
        format!("Agreement: {}", markers.agreement.name()),
        format!("Viability: {}", markers.viability.name()),
        format!("Validation: {}", markers.validation.name()),
    ];
    if let Some(answer) = markers.answer {
        lines.push(format!("Answer: {}", answer.name()));
    }
    if !markers.verification_reason.is_empty() {
        lines.push(format!("Verification reason: {}", markers.verification_reason));
    }
    lines.push(format!("Conclusion: {}", markers.conclusion));
    report.items(lines);
    if !overruled.is_empty() {
        let label = Line::new().strong("Overruled by the program.");
        report.paragraph(label.text(format!(" {overruled}")));
    }
}

fn references(report: &mut Document, references: &[Listed]) {
    if references.is_empty() {
        return;
    }
    report.subheading("References (APA 7)");
    report.items(references.iter().map(|Listed { numbers, text, .. }| {
        Line::new().mark_source(numbers).text(format!(" {text}"))
    }));
}
