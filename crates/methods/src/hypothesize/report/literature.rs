//! What was found, what it says and what it leaves open.

use render::{Document, Line};

use super::Gathered;
use crate::hypothesize::payload::{FoundPaper, Retrieval};
use crate::report::count;
use crate::report::verdicts::signed;

/// Adds the section, unless nothing was searched for.
pub(super) fn section(report: &mut Document, gathered: &Gathered<'_>, is_offline: bool) {
    let mut body = Document::default();
    if let Some(retrieval) = gathered.retrieval {
        searched(&mut body, retrieval);
    }
    let findings = gathered.literature.map_or(&[][..], |literature| &literature.findings);
    let gaps = gathered.literature.map_or(&[][..], |literature| &literature.gaps);
    let found_nothing = gathered.retrieval.is_some_and(|found| found.papers.is_empty());
    let says_nothing = gathered.literature.is_some() && findings.is_empty();
    if found_nothing || (says_nothing && gathered.supporting() == 0) {
        body.paragraph("No citation could be grounded in a source.");
    }
    body.items(findings.iter().map(|finding| {
        signed(Line::from(&finding.text).marks(&finding.citations), finding.verdict)
    }));
    if !gaps.is_empty() {
        body.paragraph(if is_offline {
            "What the sources leave open (picked out by rules, not checked):"
        } else {
            "What the sources leave open, in the agent's words (not checked):"
        });
        body.items(gaps);
    }
    if !body.blocks.is_empty() {
        report.heading("What the literature says");
        report.blocks.append(&mut body.blocks);
    }
}

fn searched(report: &mut Document, retrieval: &Retrieval) {
    let queries: Vec<String> =
        retrieval.queries.iter().map(|query| format!("\"{}\"", query.trim())).collect();
    let is_own = |paper: &&FoundPaper| paper.paper_id.starts_with("doc://");
    let own = retrieval.papers.iter().filter(is_own).count() as u64;
    let found = retrieval.papers.len() as u64 - own;
    let works = count(found, "work was", "works were");
    let mut told = match queries.as_slice() {
        [] => format!("{works} found."),
        _ => format!("Searched for {}; {works} found.", queries.join(" and ")),
    };
    match u64::from(retrieval.without_abstract) {
        0 => {}
        all if all == found && own == 0 => told.push_str(" All of them came without an abstract."),
        1 => told.push_str(" One of them came without an abstract."),
        some => told.push_str(&format!(" {some} of them came without an abstract.")),
    }
    if own > 0 {
        let own = count(own, "of your own documents was", "of your own documents were");
        told.push_str(&format!(" {own} read."));
    }
    if !retrieval.complete {
        told.push_str(" Some sources did not answer or could not be read, so there may be more.");
    }
    report.paragraph(told);
}
