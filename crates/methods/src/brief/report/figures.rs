//! What the marks of a brief stand for, figure by figure, and the studies they were computed from.

use render::{Document, Line, Table};
use run::views;
use serde_json::Value;

use super::starred;
use crate::brief::payload::{Brief, FigureTold, StudyTold, Worded};
use crate::report::list;

/// Digits of a digest that a reader is shown.
const DIGITS: usize = 12;
const NONE: &str = "–";

/// Adds what the marks stand for: each statement, and the table of its figures. Returns the other citations.
pub(super) fn figures(report: &mut Document, envelope: &Value, brief: &Brief) -> Vec<Value> {
    let is_told = |citation: &&Value| {
        let number = citation.get("number").and_then(Value::as_u64);
        brief.cited.iter().any(|one| number == Some(u64::from(one.number)))
    };
    let others = list(envelope, "citations").iter().filter(|one| !is_told(one)).cloned().collect();
    if brief.cited.is_empty() {
        return others;
    }
    report.heading("Figures");
    report.paragraph(
        "The program computed every figure from the data and put it into words. No model did.",
    );
    let labels = views::labels_of_result(envelope);
    for Worded { number, text, figures, .. } in &brief.cited {
        let label = labels.find(*number);
        report.subheading(Line::new().anchor(*number).text(format!("Figure {label}")));
        report.paragraph(text);
        report.table(tabulate(figures));
    }
    if brief.cited.iter().flat_map(|one| &one.figures).any(|figure| figure.low_base) {
        let star = Line::new().literal('*');
        report.paragraph(star.text(" marks a low base: the figure may be far off."));
    }
    others
}

fn tabulate(figures: &[FigureTold]) -> Table {
    let mut table = Table::with(["Figure", "Value#", "Interval#", "Respondents#", "Study"]);
    for figure in figures {
        let bases: Vec<String> = figure.bases.iter().map(u64::to_string).collect();
        let significance = match figure.significant {
            Some(true) => ", significant",
            Some(false) => ", not significant",
            None => "",
        };
        table.row([
            (&figure.expression).into(),
            format!("{}{significance}", figure.shown).into(),
            interval(figure).into(),
            starred(bases.join(" / "), figure.low_base),
            figure.studies.join(", ").into(),
        ]);
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

/// Adds the studies, each with its weight, and what was done with its data.
pub(super) fn studies(report: &mut Document, studies: &[StudyTold]) {
    if studies.is_empty() {
        return;
    }
    report.heading("Studies");
    let mut table = Table::with(["Study", "Title", "File", "Respondents#", "Weight"]);
    for study in studies {
        let digest: String = study.sha256.chars().take(DIGITS).collect();
        let file = format!("{} (SHA-256 {digest}…)", study.file);
        let weight = study.weight.as_deref().unwrap_or("none").to_owned();
        let (id, title) = (study.id.clone(), study.title.clone());
        table.row([id, title, file, study.respondents.to_string(), weight].map(Line::from));
    }
    report.table(table);
    let notes = studies
        .iter()
        .flat_map(|study| study.notes.iter().map(move |note| format!("{}: {note}", study.id)));
    let notes: Vec<String> = notes.collect();
    if !notes.is_empty() {
        report.paragraph("Irregular data, and how they were treated:");
        report.items(notes);
    }
}
