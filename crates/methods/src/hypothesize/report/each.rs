//! A hypothesis with its reasons, tests, citations, objections and replies.

use render::{Document, Line};
use run::ledger::Verdict;

use crate::hypothesize::payload::{Citation, Hypothesis, Origin, Reply};
use crate::report::join_and;
use crate::report::verdicts::signed;

/// Adds the section of a hypothesis.
pub(super) fn section(report: &mut Document, hypothesis: &Hypothesis, is_offline: bool) {
    let rank = hypothesis.rank.map_or(String::new(), |rank| format!("{rank}. "));
    report.heading(format!("{rank}{} ({})", hypothesis.title, hypothesis.id));
    match hypothesis.origin {
        Origin::Model => {}
        Origin::Extractive if is_offline => {}
        Origin::Extractive => report.paragraph("Quoted from the sources by the program."),
        Origin::Fallback => report.paragraph("Added by the program; no agent proposed it."),
    }
    report.paragraph(&hypothesis.statement);
    if let Some(first) = &hypothesis.first_statement {
        report.paragraph(format!(
            "Revised by the critic. Its citations were chosen for the first version: {first}"
        ));
    }
    let is_supplied = |field: &str| hypothesis.fallbacks.iter().any(|known| known == field);
    for (label, field, text) in [
        ("Mechanism.", "mechanism", &hypothesis.mechanism),
        ("Why it is new.", "novelty_rationale", &hypothesis.novelty_rationale),
        ("Why it is plausible.", "plausibility_rationale", &hypothesis.plausibility_rationale),
        ("Why it can be tested.", "testability_rationale", &hypothesis.testability_rationale),
        ("Why it matters.", "impact_rationale", &hypothesis.impact_rationale),
    ] {
        // A supplied text only says that nothing was given.
        if !text.trim().is_empty() && !is_supplied(field) {
            report.paragraph(Line::new().strong(label).text(format!(" {text}")));
        }
    }
    if !hypothesis.fallbacks.is_empty() {
        let fields: Vec<String> =
            hypothesis.fallbacks.iter().map(|field| field.replace('_', " ")).collect();
        report.paragraph(format!("Missing, or filled in by the program: {}.", join_and(&fields)));
    }
    for (heading, field, lines) in [
        ("Predictions", "falsifiable_predictions", &hypothesis.falsifiable_predictions),
        ("Test plan", "minimal_experiments", &hypothesis.minimal_experiments),
    ] {
        if !lines.is_empty() {
            let by = if is_supplied(field) { " (filled in by the program)" } else { "" };
            report.subheading(format!("{heading}{by}"));
            report.items(lines);
        }
    }
    citations(report, &hypothesis.citations);
    contest(report, hypothesis);
}

fn citations(report: &mut Document, citations: &[Citation]) {
    if citations.is_empty() {
        return;
    }
    report.subheading("Citations");
    let (beside, cited): (Vec<&Citation>, Vec<&Citation>) =
        citations.iter().partition(|citation| citation.origin == Origin::Fallback);
    report.items(cited.into_iter().map(citation));
    if !beside.is_empty() {
        report.paragraph("Added by the program; these do not support it:");
        report.items(beside.into_iter().map(citation));
    }
}

/// Returns a citation: its mark, authors, year and title, then what it is cited for and its words.
fn citation(citation: &Citation) -> Line {
    let authors = match citation.authors.as_slice() {
        [] => String::new(),
        [one] => one.clone(),
        [one, other] => format!("{one} and {other}"),
        [first, ..] => format!("{first} et al."),
    };
    let year = citation.year.map_or(String::new(), |year| format!(" ({year})"));
    let by = format!("{authors}{year}");
    let work = match by.trim() {
        "" => citation.title.clone(),
        by => format!("{by}: {}", citation.title),
    };
    let mut first = match citation.number {
        Some(number) => Line::new().mark(number).text(format!(" {work}")),
        None => work.into(),
    };
    if citation.origin == Origin::Fallback {
        first = first.text(format!(", {}", citation.paper_id));
    } else if citation.verdict == Verdict::Unsupported {
        first = first.text(" (unsupported: no quote bears it out)");
    }
    let (claim, quote) = (citation.claim.trim(), citation.quote.trim());
    let cited_for = Some(claim).filter(|claim| !claim.is_empty() && *claim != quote);
    let quoted = Some(quote).filter(|quote| !quote.is_empty());
    let cited_for = cited_for.map(|claim| Line::from(format!("Cited for: {claim}")));
    let quoted = quoted.map(|quote| Line::from(format!("\"{quote}\"")));
    Line::broken([Some(first), cited_for, quoted].into_iter().flatten())
}

fn contest(report: &mut Document, hypothesis: &Hypothesis) {
    if hypothesis.objections.is_empty() && hypothesis.replies.is_empty() {
        return;
    }
    report.subheading("Objections and replies");
    for objection in &hypothesis.objections {
        let text = Line::from(&objection.text).marks(&objection.citations);
        let label = format!("Objection {}{}.", objection.number, by(objection.origin));
        let text = signed(text, objection.verdict);
        report.paragraph(Line::new().strong(label).text(" ").then(text));
        let replies =
            hypothesis.replies.iter().filter(|one| one.objection_number == objection.number);
        replies.for_each(|one| reply(report, one));
    }
    let is_known = |reply: &&Reply| {
        hypothesis.objections.iter().any(|one| one.number == reply.objection_number)
    };
    hypothesis.replies.iter().filter(|one| !is_known(one)).for_each(|one| reply(report, one));
}

fn reply(report: &mut Document, reply: &Reply) {
    let label = format!("Reply {}{}.", reply.objection_number, by(reply.origin));
    report.paragraph(Line::new().strong(label).text(format!(" {}", reply.text)));
}

/// Returns what stands behind a number if no agent wrote the text.
fn by(origin: Origin) -> &'static str {
    match origin {
        Origin::Model => "",
        Origin::Extractive => " (quoted)",
        Origin::Fallback => " (filled in by the program)",
    }
}
