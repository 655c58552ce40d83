//! What the marks of a brief stand for, figure by figure, and the studies they were computed from.

use std::fmt::Write as _;

use methods::brief::payload::{Brief, FigureTold, StudyTold, Worded};
use serde_json::Value;

use crate::render::list;
use crate::render::pages::Page;

/// Digits of a digest that a reader is shown.
const DIGITS: usize = 12;
const NONE: &str = "–";

/// Writes what the marks stand for: each statement, and the table of its figures. Returns the citations that are none of them.
pub(super) fn figures(page: &mut Page, envelope: &Value, brief: &Brief) -> Vec<Value> {
    let is_told = |citation: &&Value| {
        let number = citation.get("number").and_then(Value::as_u64);
        brief.cited.iter().any(|one| number == Some(u64::from(one.number)))
    };
    let others = list(envelope, "citations").iter().filter(|one| !is_told(one)).cloned().collect();
    if brief.cited.is_empty() {
        return others;
    }
    page.heading("Figures");
    page.paragraph(
        "Every one was computed from the data and put into words by the program, not by a model.",
    );
    for Worded { number, text, figures, .. } in &brief.cited {
        page.subheading(&format!("Figure {number}"));
        let text = page.block(text);
        page.paragraph(&text);
        page.paragraph(&table(page, figures));
    }
    if brief.cited.iter().flat_map(|one| &one.figures).any(|figure| figure.low_base) {
        page.paragraph("\\* A low base: the figure may be far off.");
    }
    others
}

fn table(page: &Page, figures: &[FigureTold]) -> String {
    let mut table = String::from(
        "| Figure | Value | Interval | Respondents | Study |\n|---|---:|---:|---:|---|",
    );
    for figure in figures {
        let bases: Vec<String> = figure.bases.iter().map(u64::to_string).collect();
        let star = if figure.low_base { " \\*" } else { "" };
        let studies: Vec<String> = figure.studies.iter().map(|study| page.cell(study)).collect();
        let significance = match figure.significant {
            Some(true) => ", significant",
            Some(false) => ", not significant",
            None => "",
        };
        let _ = write!(
            table,
            "\n| {} | {}{significance} | {} | {}{star} | {} |",
            page.cell(&figure.expression),
            page.cell(&figure.shown),
            interval(figure),
            bases.join(" / "),
            studies.join(", ")
        );
    }
    table
}

/// Returns the interval as the figure itself is shown: scale, decimals, sign and unit.
fn interval(figure: &FigureTold) -> String {
    let Some((low, high)) = figure.interval else { return NONE.to_owned() };
    let shown = figure.shown.trim();
    let is_percent = shown.ends_with('%');
    let is_hundredfold =
        is_percent || shown.ends_with("points") || figure.expression.starts_with("nps(");
    let scale = if is_hundredfold { 100.0 } else { 1.0 };
    let number = shown.split_whitespace().next().unwrap_or_default();
    let decimals = number.split_once('.').map_or(0, |(_, decimals)| decimals.len());
    let unit = if is_percent { " %" } else { "" };
    let [low, high] = [low, high].map(|end| match number.starts_with(['+', '-']) {
        true => format!("{:+.decimals$}{unit}", end * scale),
        false => format!("{:.decimals$}{unit}", end * scale),
    });
    format!("{low} to {high}")
}

/// Writes the studies, each with its weight, and what was done with its data.
pub(super) fn studies(page: &mut Page, studies: &[StudyTold]) {
    if studies.is_empty() {
        return;
    }
    page.heading("Studies");
    let mut table =
        String::from("| Study | Title | File | Respondents | Weight |\n|---|---|---|---:|---|");
    for study in studies {
        let digest: String = study.sha256.chars().take(DIGITS).collect();
        let weight = study.weight.as_deref().map_or("none".to_owned(), |name| page.cell(name));
        let _ = write!(
            table,
            "\n| {} | {} | {} (SHA-256 {}…) | {} | {weight} |",
            page.cell(&study.id),
            page.cell(&study.title),
            page.cell(&study.file),
            page.cell(&digest),
            study.respondents
        );
    }
    page.paragraph(&table);
    let notes = studies
        .iter()
        .flat_map(|study| study.notes.iter().map(move |note| (study.id.as_str(), note.as_str())));
    let notes: Vec<String> = notes
        .map(|(study, note)| format!("{}: {}", page.block(study), page.inline(note)))
        .collect();
    if !notes.is_empty() {
        page.paragraph("What was done with data that is not as it should be:");
        page.items(notes);
    }
}
