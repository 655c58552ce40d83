//! How large the market is: the arithmetic line by line.

use render::{Document, Line};

use super::{gaps, prose, signed_statement};
use crate::market::payload::{Estimate, Input, InputOrigin, Sizing};

pub(super) fn section(report: &mut Document, sizing: &Sizing) {
    report.heading("Market size");
    prose(report, &sizing.prose);
    if sizing.prose.is_empty() && sizing.claims.is_empty() {
        report.paragraph("No sentence about the size of the market passed the check.");
    }
    report.items(sizing.claims.iter().map(signed_statement));
    estimate(report, "Top-down estimate", &sizing.top_down);
    estimate(report, "Bottom-up estimate", &sizing.bottom_up);
    report.subheading("The two estimates compared");
    report.paragraph(&sizing.comparison.text);
    gaps(report, &sizing.gaps);
}

fn estimate(report: &mut Document, heading: &str, estimate: &Estimate) {
    report.subheading(heading);
    if let Some(why) = &estimate.why_not {
        report.paragraph(format!("No estimate: {why}"));
        return;
    }
    if let Some(result) = &estimate.result {
        let alone = if estimate.assumptions_alone { " It rests on assumptions alone." } else { "" };
        let result = Line::from("Result: ").strong(&result.shown);
        report.paragraph(result.text(format!(".{alone}")));
    }
    report.items(estimate.inputs.iter().map(line));
    report.paragraph("Computed by the program:");
    report.items(estimate.steps.iter().map(|step| Line::new().marked(&step.statement.text)));
    if !estimate.corrections.is_empty() {
        report.paragraph("Corrected by the program, because the figures did not add up:");
        report.items(&estimate.corrections);
    }
}

/// Returns an input with its mark, or why it is assumed.
fn line(input: &Input) -> Line {
    let name = input.name.replace('_', " ");
    let described = match &input.description {
        same if *same == name => String::new(),
        described => format!(" ({described})"),
    };
    let why = input.why.as_deref().unwrap_or_default();
    let told = Line::from(format!("{name}{described}: {}", input.shown));
    match (input.origin, &input.statement) {
        (InputOrigin::Cited, Some(statement)) => {
            let marks = run::marks::marks(&statement.text).into_iter();
            told.marks(&marks.flat_map(|mark| mark.numbers).collect::<Vec<_>>())
        }
        _ if input.unsupported => told.text(format!(" — assumed, unsupported: {why}")),
        _ => told.text(format!(" — assumed: {why}")),
    }
}
