//! How large the market is: the arithmetic line by line.

use methods::market::payload::{Estimate, Input, InputOrigin, Sizing};

use super::Page;
use crate::render::plain::block;

pub(super) fn section(page: &mut Page, sizing: &Sizing) {
    page.heading("Market size");
    page.prose(&sizing.prose);
    if sizing.prose.is_empty() && sizing.claims.is_empty() {
        page.paragraph("No sentence of the sources holds on its size.");
    }
    page.statements(&sizing.claims);
    estimate(page, "From above", &sizing.top_down);
    estimate(page, "From below", &sizing.bottom_up);
    page.subheading("The two beside each other");
    let comparison = block(&sizing.comparison.text, page.plain);
    page.paragraph(&comparison);
    page.gaps(&sizing.gaps);
}

fn estimate(page: &mut Page, heading: &str, estimate: &Estimate) {
    page.subheading(heading);
    if let Some(why) = &estimate.why_not {
        let why = page.inline(why);
        page.paragraph(&format!("No estimate: {why}"));
        return;
    }
    if let Some(result) = &estimate.result {
        let shown = page.inline(&result.shown);
        let alone =
            if estimate.assumptions_alone { " This rests on assumptions alone." } else { "" };
        page.paragraph(&format!("It comes to **{shown}**.{alone}"));
    }
    let inputs: Vec<String> = estimate.inputs.iter().map(|input| line(page, input)).collect();
    page.items(inputs);
    page.paragraph("Computed by program:");
    let steps: Vec<String> =
        estimate.steps.iter().map(|step| block(&step.statement.text, page.marked)).collect();
    page.items(steps);
    if !estimate.corrections.is_empty() {
        page.paragraph("Corrected, since it did not come out:");
        page.remarks(&estimate.corrections);
    }
}

/// Returns an input with its mark, or why it is assumed.
fn line(page: &Page, input: &Input) -> String {
    let name = block(&input.name.replace('_', " "), page.plain);
    let shown = page.inline(&input.shown);
    let described = page.inline(&input.description);
    let same = input.description == input.name.replace('_', " ");
    let what = if same { String::new() } else { format!(" ({described})") };
    let why = page.inline(input.why.as_deref().unwrap_or_default());
    match (input.origin, &input.statement) {
        (InputOrigin::Cited, Some(statement)) => {
            let numbers: Vec<String> = run::marks::marks(&statement.text)
                .into_iter()
                .flat_map(|mark| mark.numbers)
                .map(|number| format!(" [{number}]"))
                .collect();
            format!("{name}{what}: {shown}{}", numbers.concat())
        }
        _ if input.unsupported => format!("{name}{what}: {shown} — assumed, unsupported: {why}"),
        _ => format!("{name}{what}: {shown} — assumed: {why}"),
    }
}
