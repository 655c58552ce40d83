//! A retrieval report as Markdown.

use std::fmt::Write as _;

use run::library::Retrieval;

use super::report::{Against, Figures, METRICS, RetrievalReport};
use crate::report::{Difference, Mean};

/// Returns the report as Markdown.
pub fn markdown(report: &RetrievalReport) -> String {
    let mut page = String::from("# How well the collections are searched\n\n");
    let parameters = report.parameters.iter().map(|(key, value)| format!("{key} {value}"));
    let parameters = parameters.collect::<Vec<_>>().join(", ");
    let _ = writeln!(page, "Questions: {}. {parameters}.", report.split);
    page.push_str("In brackets: the 95 % bootstrap interval.\n");
    for one in &report.collections {
        let _ = writeln!(
            page,
            "\n## {}\n\n{} questions over {} documents ({} passages).\n",
            one.name, one.questions, one.documents, one.chunks
        );
        tables(&mut page, &one.figures);
        one.notes.iter().for_each(|note| {
            let _ = writeln!(page, "\n- {note}");
        });
    }
    if report.collections.len() > 1 {
        page.push_str("\n## Mean over the collections\n\n");
        tables(&mut page, &report.mean);
    }
    page
}

fn tables(page: &mut String, figures: &Figures) {
    head(page, "");
    for way in &figures.ways {
        let cells = way.figures.iter().map(|figure| {
            let Mean { value, low, high, .. } = figure.value;
            format!("{value:.3} [{low:.3}, {high:.3}]")
        });
        row(page, name(way.retrieval), cells);
    }
    if figures.differences.is_empty() {
        return;
    }
    page.push('\n');
    head(page, "difference");
    for Against { retrieval, against, figures } in &figures.differences {
        let cells = figures.iter().map(|figure| {
            let Difference { value, low, high, .. } = figure.value;
            let chance = if figure.value.is_told_apart() { "" } else { " (may be chance)" };
            format!("{value:+.3} [{low:+.3}, {high:+.3}]{chance}")
        });
        row(page, &format!("{} less {}", name(*retrieval), name(*against)), cells);
    }
}

fn head(page: &mut String, first: &str) {
    row(page, first, METRICS.iter().map(|(name, _)| (*name).to_owned()));
    row(page, "---", METRICS.iter().map(|_| "---".to_owned()));
}

fn row(page: &mut String, first: &str, cells: impl Iterator<Item = String>) {
    let _ = writeln!(page, "| {first} | {} |", cells.collect::<Vec<_>>().join(" | "));
}

/// Returns the name of a way on the command line.
pub(super) fn name(retrieval: Retrieval) -> &'static str {
    match retrieval {
        Retrieval::Auto => "auto",
        Retrieval::Lexical => "lexical",
        Retrieval::Feedback => "feedback",
        Retrieval::Dense => "dense",
        Retrieval::Hybrid => "hybrid",
    }
}
