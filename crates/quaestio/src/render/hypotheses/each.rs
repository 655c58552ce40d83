//! A hypothesis with its reasons, tests, citations, objections and replies.

use methods::hypothesize::payload::{Citation, Hypothesis, Origin, Reply};
use run::ledger::Verdict;

use super::{Page, listed, marks};
use crate::render::verdicts::signed;

/// Writes the section of a hypothesis.
pub(super) fn section(page: &mut Page, hypothesis: &Hypothesis, is_offline: bool) {
    let (title, id) = (page.inline(&hypothesis.title), page.inline(&hypothesis.id));
    let rank = hypothesis.rank.map_or(String::new(), |rank| format!("{rank}. "));
    page.heading(&match rank.as_str() {
        "" => format!("{} ({id})", page.block(&hypothesis.title)),
        _ => format!("{rank}{title} ({id})"),
    });
    match hypothesis.origin {
        Origin::Model => {}
        Origin::Extractive if is_offline => {}
        Origin::Extractive => page.paragraph("Quoted from the papers by the program."),
        Origin::Fallback => page.paragraph("Supplied by the program; no agent proposed it."),
    }
    page.paragraph(&page.block(&hypothesis.statement));
    if let Some(first) = &hypothesis.first_statement {
        let first = page.inline(first);
        page.paragraph(&format!(
            "Revised by the critic. Proposed, and given its citations, as: {first}"
        ));
    }
    let is_supplied = |field: &str| hypothesis.fallbacks.iter().any(|known| known == field);
    for (label, field, text) in [
        ("Mechanism", "mechanism", &hypothesis.mechanism),
        ("Why it is new", "novelty_rationale", &hypothesis.novelty_rationale),
        ("Why it is plausible", "plausibility_rationale", &hypothesis.plausibility_rationale),
        ("Why it can be tested", "testability_rationale", &hypothesis.testability_rationale),
        ("Why it matters", "impact_rationale", &hypothesis.impact_rationale),
    ] {
        let text = page.inline(text);
        // What the program put there only says that nothing was given.
        if !text.is_empty() && !is_supplied(field) {
            page.paragraph(&format!("**{label}.** {text}"));
        }
    }
    if !hypothesis.fallbacks.is_empty() {
        let fields: Vec<String> = hypothesis
            .fallbacks
            .iter()
            .map(|field| page.inline(&field.replace('_', " ")))
            .collect();
        page.paragraph(&format!("Not given, or supplied by the program: {}.", listed(&fields)));
    }
    for (heading, field, lines) in [
        ("Predictions", "falsifiable_predictions", &hypothesis.falsifiable_predictions),
        ("Test plan", "minimal_experiments", &hypothesis.minimal_experiments),
    ] {
        let items: Vec<String> = lines.iter().map(|line| page.block(line)).collect();
        if !items.is_empty() {
            let by = if is_supplied(field) { " (supplied by the program)" } else { "" };
            page.subheading(&format!("{heading}{by}"));
            page.items(items);
        }
    }
    citations(page, &hypothesis.citations);
    contest(page, hypothesis);
}

fn citations(page: &mut Page, citations: &[Citation]) {
    if citations.is_empty() {
        return;
    }
    page.subheading("Citations");
    let (beside, cited): (Vec<&Citation>, Vec<&Citation>) =
        citations.iter().partition(|citation| citation.origin == Origin::Fallback);
    let cited: Vec<String> = cited.into_iter().map(|one| citation(page, one)).collect();
    page.items(cited);
    if !beside.is_empty() {
        page.paragraph("Put beside it by the program; it supports nothing:");
        let beside: Vec<String> = beside.into_iter().map(|one| citation(page, one)).collect();
        page.items(beside);
    }
}

/// Returns a citation: its mark, authors, year and title, then what it is cited for and its words.
fn citation(page: &Page, citation: &Citation) -> String {
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
    let mut written = match citation.number {
        Some(number) => format!("[{number}] {}", page.inline(&work)),
        None => page.block(&work),
    };
    if citation.origin == Origin::Fallback {
        written.push_str(&format!(", {}", page.inline(&citation.paper_id)));
    } else if citation.verdict == Verdict::Unsupported {
        written.push_str(" (unsupported: no quote bears it out)");
    }
    let (claim, quote) = (page.inline(&citation.claim), page.inline(&citation.quote));
    if !claim.is_empty() && claim != quote {
        written.push_str(&format!("  \n  Cited for: {claim}"));
    }
    if !quote.is_empty() {
        written.push_str(&format!("  \n  \"{quote}\""));
    }
    written
}

fn contest(page: &mut Page, hypothesis: &Hypothesis) {
    if hypothesis.objections.is_empty() && hypothesis.replies.is_empty() {
        return;
    }
    page.subheading("Objections and replies");
    for objection in &hypothesis.objections {
        let text = page.inline(&objection.text);
        let text = signed(&(text + &marks(&objection.citations)), objection.verdict);
        let (number, by) = (objection.number, by(objection.origin));
        page.paragraph(&format!("**Objection {number}{by}.** {text}"));
        let replies =
            hypothesis.replies.iter().filter(|one| one.objection_number == objection.number);
        replies.for_each(|one| reply(page, one));
    }
    let is_known = |reply: &&Reply| {
        hypothesis.objections.iter().any(|one| one.number == reply.objection_number)
    };
    hypothesis.replies.iter().filter(|one| !is_known(one)).for_each(|one| reply(page, one));
}

fn reply(page: &mut Page, reply: &Reply) {
    let text = page.inline(&reply.text);
    page.paragraph(&format!("**Reply {}{}.** {text}", reply.objection_number, by(reply.origin)));
}

/// Returns what stands behind a number where no agent wrote the text.
fn by(origin: Origin) -> &'static str {
    match origin {
        Origin::Model => "",
        Origin::Extractive => " (quoted)",
        Origin::Fallback => " (supplied by the program)",
    }
}
