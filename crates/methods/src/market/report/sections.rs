//! Competitors, customers, strategy.

use render::{Document, Line, Table};

use super::{gaps, prose, signed_statement};
use crate::market::payload::{Competitors, Customers, Judgement, Strategy};
use crate::report::verdicts::signed;

/// What a cell of the table says if nothing was found.
const NOT_FOUND: &str = "not found";

pub(super) fn competitors(report: &mut Document, section: &Competitors) {
    report.heading("Competitors");
    prose(report, &section.prose);
    if section.rows.is_empty() {
        report.paragraph("The sources name no competitor.");
    }
    let mut table = Table::with(["Name", "Offering", "Customers", "Pricing", "Position"]);
    for row in &section.rows {
        let cells = std::iter::once(Some(&row.name)).chain(row.cells());
        table.row(cells.map(|cell| cell.map_or(NOT_FOUND.into(), signed_statement)));
    }
    report.table(table);
    gaps(report, &section.gaps);
}

pub(super) fn customers(report: &mut Document, section: &Customers) {
    report.heading("Customers");
    prose(report, &section.prose);
    if section.prose.is_empty() && section.segments.is_empty() {
        report.paragraph("No sentence about the customers passed the check.");
    }
    for segment in &section.segments {
        report.paragraph(Line::new().strong("Segment.").text(format!(" {}", segment.name)));
        report.items(segment.claims.iter().map(signed_statement));
        if !segment.needs.is_empty() {
            report.paragraph("Needs:");
            report.items(segment.needs.iter().map(signed_statement));
        }
    }
    gaps(report, &section.gaps);
}

pub(super) fn strategy(report: &mut Document, section: &Strategy) {
    report.heading("Strategy and risks");
    prose(report, &section.prose);
    judgements(
        report,
        "Recommendations",
        "The agent's own conclusions. The marks show the statements they rest on; no source \
         states them.",
        &section.recommendations,
    );
    if !section.risks.is_empty() {
        report.subheading("Risks that sources state");
        report.items(section.risks.iter().map(signed_statement));
    }
    judgements(
        report,
        "Risks that follow",
        "The agent's own conclusions, as above.",
        &section.judged_risks,
    );
    if section.prose.is_empty()
        && section.recommendations.is_empty()
        && section.risks.is_empty()
        && section.judged_risks.is_empty()
    {
        report.paragraph("No recommendation and no risk passed the check.");
    }
    gaps(report, &section.gaps);
}

fn judgements(report: &mut Document, heading: &str, label: &str, judgements: &[Judgement]) {
    if judgements.is_empty() {
        return;
    }
    report.subheading(heading);
    report.paragraph(label);
    let sign = |one: &Judgement| signed(Line::new().marked(&one.text), one.verdict);
    report.items(judgements.iter().map(sign));
}
