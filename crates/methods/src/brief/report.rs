//! The report of `brief`: the summary first, then what every figure is, and last how it came about.

mod bars;
mod course;
mod figures;

use render::{Block, Document, Line, Picture, Table};
use serde::Deserialize as _;
use serde_json::Value;

use super::payload::{Brief, Chart, Part, Statement};
use crate::report::verdicts::signed;
use crate::report::{WentWrong, footer, ran_offline, sources, went_wrong};
use bars::number;

/// Returns the report of what the method delivered; `None` if the run came to nothing that can be shown.
pub(crate) fn build(envelope: &Value) -> Option<Document> {
    let brief = Brief::deserialize(envelope.get("deliverable")?).ok()?;
    let mut report = Document::default();
    let title = brief.summary.title.trim();
    let title = if title.is_empty() { &brief.question } else { title };
    report.blocks.push(Block::Heading { level: 1, line: title.into() });
    summary(&mut report, envelope, &brief);
    let figures = brief.charts.iter().filter_map(bars::chart).collect();
    report.picture(Picture { figures, instead: tabulate(&brief.charts), ..Picture::default() });
    let others = figures::figures(&mut report, envelope, &brief);
    figures::studies(&mut report, &brief.studies);
    course::gaps(&mut report, &brief);
    course::judgements(&mut report, &brief);
    course::course(&mut report, &brief);
    sources(&mut report, envelope, &others);
    if let Some(error) = envelope.get("error") {
        went_wrong(&mut report, &WentWrong::of(error));
    }
    footer(&mut report, envelope);
    Some(report)
}

/// Adds the parts of the summary, and before them what must be known of it.
fn summary(report: &mut Document, envelope: &Value, brief: &Brief) {
    report.paragraph(format!("Question: {}", brief.question));
    if ran_offline(envelope) {
        report.paragraph(
            "Offline: no model was asked. The program analysed the survey questions closest to yours and wrote these \
             sentences from templates.",
        );
    }
    if envelope.get("error").is_some() {
        report.paragraph(
            "The run stopped early. What was found until then follows; the reason is at the end.",
        );
    }
    for part in Part::ALL {
        let mut told =
            brief.statements.iter().filter(|one| one.part == part).map(signed_statement).peekable();
        if told.peek().is_none() {
            continue;
        }
        report.heading(part.title());
        match part {
            Part::Overview => report.paragraph(Line::join(told, &" ".into())),
            _ => report.items(told),
        }
    }
    if brief.statements.is_empty() {
        course::findings(report, &brief.finding_bank);
    }
}

/// Returns a sentence with its marks and the sign of its verdict; one without a verdict says so.
fn signed_statement(statement: &Statement) -> Line {
    let line = Line::new().marked(&statement.marked());
    match statement.verdict {
        // A sentence that rests on nothing but a gap says what the data cannot say.
        None if statement.rests_on.iter().any(|id| id.starts_with('g')) => line,
        None => line.text(" ").emphasis("(judgement)"),
        verdict => signed(line, verdict),
    }
}

/// Returns the charts as tables, for formats without pictures.
fn tabulate(charts: &[Chart]) -> Vec<Block> {
    let mut report = Document::default();
    let charts: Vec<&Chart> = charts.iter().filter(|chart| !chart.bars.is_empty()).collect();
    if !charts.is_empty() {
        report.heading("Charts");
    }
    for chart in charts {
        let measure = match chart.measure.trim() {
            "" => String::new(),
            measure => format!(" ({measure})"),
        };
        report.paragraph(format!("{}{measure}", chart.title));
        report.table(tabulate_one(chart));
    }
    report.blocks
}

/// Returns a chart as a table: a row for each bar.
fn tabulate_one(chart: &Chart) -> Table {
    let mut table = Table::with(["Shown for", "Value#", "Interval#", "Respondents#"]);
    for bar in &chart.bars {
        let interval = bar.interval.map_or("–".to_owned(), |(low, high)| {
            format!("{} to {}", number(low, chart.unit), number(high, chart.unit))
        });
        let value = number(bar.value, chart.unit);
        let base = starred(bar.base.to_string(), bar.low_base);
        table.row([(&bar.label).into(), value.into(), interval.into(), base]);
    }
    table
}

/// Returns a base, with a star if it is low.
fn starred(base: String, is_low: bool) -> Line {
    if is_low { Line::from(base).text(" ").literal('*') } else { base.into() }
}
