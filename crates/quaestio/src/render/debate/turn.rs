//! One turn: what it was read up from, what was said, what came of the code, and what was decided.

use methods::debate::payload::{Critique, Listed, Markers, Scientist, Sentence, Turn};

use super::proposal;
use crate::render::pages::Page;
use crate::render::plain::{block, inline};
use crate::render::verdicts::signed;

pub(super) fn turn(page: &mut Page, turn: &Turn) {
    let does = match turn.scientist {
        Scientist::Optimist => "proposes",
        Scientist::Pessimist => "reviews",
    };
    page.heading(&format!("Cycle {}: {} {does}", turn.cycle, turn.scientist.title()));
    let lines = [
        format!("Searched for: {}", page.inline(&turn.query)),
        format!(
            "Read into the corpus: arXiv {}, Crossref {}",
            turn.ingested.arxiv, turn.ingested.crossref
        ),
        format!(
            "Passages retrieved: {}; put before the scientist: {}",
            turn.retrieved,
            turn.evidence.len()
        ),
    ];
    page.paragraph(&lines.join("  \n"));
    said(page, "Position", &turn.position);
    said(page, "Evidence synthesis", &turn.synthesis);
    critique(page, &turn.critique);
    if let Some(proposed) = &turn.proposal {
        page.subheading("Proposal");
        sentences(page, &proposed.explanation);
        proposal::proposal(page, proposed);
    }
    said(page, "Next verification step", &turn.next_step);
    verdict(page, &turn.markers, &turn.overruled);
    references(page, &turn.references);
}

fn said(page: &mut Page, heading: &str, all: &[Sentence]) {
    if !all.is_empty() {
        page.subheading(heading);
        sentences(page, all);
    }
}

fn sentences(page: &mut Page, sentences: &[Sentence]) {
    let mut line = String::new();
    for sentence in sentences {
        // Inside a line nothing begins a list.
        let text = if line.is_empty() {
            block(&sentence.text, page.plain)
        } else {
            inline(&sentence.text, page.plain)
        };
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(&signed(&(text + &marks(sentence)), sentence.verdict));
    }
    page.paragraph(&line);
}

/// Returns the marks of a sentence.
fn marks(sentence: &Sentence) -> String {
    sentence.numbers.iter().map(|number| format!(" [{number}]")).collect()
}

fn critique(page: &mut Page, critique: &[Critique]) {
    if critique.is_empty() {
        return;
    }
    page.subheading("Critique");
    for Critique { quotation, remark } in critique {
        page.quotation(quotation);
        sentences(page, std::slice::from_ref(remark));
    }
}

fn verdict(page: &mut Page, markers: &Markers, overruled: &str) {
    page.subheading("Verdict");
    let mut lines = vec![
        format!("Agreement: {}", markers.agreement.name()),
        format!("Viability: {}", markers.viability.name()),
        format!("Validation: {}", markers.validation.name()),
    ];
    if let Some(answer) = markers.answer {
        lines.push(format!("Answer: {}", answer.name()));
    }
    if !markers.verification_reason.is_empty() {
        lines.push(format!("Verification reason: {}", page.inline(&markers.verification_reason)));
    }
    lines.push(format!("Conclusion: {}", page.inline(&markers.conclusion)));
    page.items(lines);
    if !overruled.is_empty() {
        let why = page.inline(overruled);
        page.paragraph(&format!("**Overruled by the program.** {why}"));
    }
}

fn references(page: &mut Page, references: &[Listed]) {
    if references.is_empty() {
        return;
    }
    page.subheading("References (APA 7)");
    let line = |listed: &Listed| {
        let numbers: Vec<String> = listed.numbers.iter().map(u32::to_string).collect();
        format!("[{}] {}", numbers.join(", "), page.inline(&listed.text))
    };
    let items: Vec<String> = references.iter().map(line).collect();
    page.items(items);
}
