//! What the marks of a brief stand for, figure by figure, and the studies they were computed from.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use methods::brief::payload::{Brief, FigureTold, Statement, StudyTold};
use serde_json::Value;

use crate::render::pages::Page;
use crate::render::{list, text};

/// Digits of a digest that a reader is shown.
const DIGITS: usize = 12;
const NONE: &str = "–";

/// Writes the figures behind the marks. Returns the citations that are none of them.
pub(super) fn figures(page: &mut Page, envelope: &Value, brief: &Brief) -> Vec<Value> {
    let mut rows: BTreeMap<u64, (&FigureTold, &str)> = BTreeMap::new();
    let mut others = Vec::new();
    for citation in list(envelope, "citations") {
        let number = citation.get("number").and_then(Value::as_u64).unwrap_or_default();
        match told_by(&brief.statements, number, text(citation, "quote")) {
            Some(figure) => {
                rows.insert(number, (figure, text(citation, "title")));
            }
            None => others.push(citation.clone()),
        }
    }
    if rows.is_empty() {
        return others;
    }
    page.heading("Figures");
    page.paragraph("Every one was computed from the data by the program, not by a model.");
    let mut table = String::from(
        "| Mark | Question | Figure | Value | Interval | Respondents | Study |\n|---:|---|---|---:|---:|---:|---|",
    );
    for (number, (figure, question)) in &rows {
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
            "\n| {number} | {} | {} | {}{significance} | {} | {}{star} | {} |",
            page.cell(question),
            page.cell(&figure.expression),
            page.cell(&figure.shown),
            interval(figure),
            bases.join(" / "),
            studies.join(", ")
        );
    }
    page.paragraph(&table);
    if rows.values().any(|(figure, _)| figure.low_base) {
        page.paragraph("\\* A low base: the figure may be far off.");
    }
    others
}

/// Returns the figure that a mark stands for: among those of the sentences that bear it the one that its quotation begins with, or
/// where every mark of a sentence is a figure, that in the mark's place.
fn told_by<'a>(statements: &'a [Statement], mark: u64, quote: &str) -> Option<&'a FigureTold> {
    let place = |one: &Statement| one.numbers.iter().position(|number| u64::from(*number) == mark);
    let quoted = statements.iter().filter(|one| place(one).is_some()).find_map(|one| {
        one.figures.iter().find(|figure| {
            quote.strip_prefix(&figure.expression).is_some_and(|rest| rest.starts_with(" = "))
        })
    });
    quoted.or_else(|| {
        statements.iter().find_map(|one| {
            let at = place(one)?;
            (one.numbers.len() == one.figures.len()).then(|| one.figures.get(at))?
        })
    })
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
