//! Competitors, customers, strategy.

use methods::market::payload::{Competitors, Customers, Judgement, Statement, Strategy};

use super::Page;
use crate::render::plain::{block, ends_in_escape, one_line};
use crate::render::verdicts::signed;

/// What a cell of the table says where nothing was found.
const NOT_FOUND: &str = "not found";

pub(super) fn competitors(page: &mut Page, section: &Competitors) {
    page.heading("Competitors");
    page.prose(&section.prose);
    if section.rows.is_empty() {
        page.paragraph("No competitor is named in what was found.");
    } else {
        let mut table = String::from(
            "| Name | Offering | Customers | Pricing | Position |\n| --- | --- | --- | --- | --- |",
        );
        for row in &section.rows {
            let cells = std::iter::once(Some(&row.name)).chain(row.cells());
            let cells: Vec<String> = cells.map(|one| cell(page, one)).collect();
            table.push_str(&format!("\n| {} |", cells.join(" | ")));
        }
        page.paragraph(&table);
    }
    page.gaps(&section.gaps);
}

/// Returns a text of others as it may stand in a cell: no bar of its own ends it.
fn cell(page: &Page, statement: Option<&Statement>) -> String {
    let Some(statement) = statement else { return NOT_FOUND.to_owned() };
    let line = one_line(&statement.text);
    let pieces = line.split('|').map(|piece| {
        let mut piece = (page.marked)(piece);
        if ends_in_escape(&piece) {
            piece.push('\\');
        }
        piece
    });
    signed(&pieces.collect::<Vec<_>>().join("&#124;"), Some(statement.verdict))
}

pub(super) fn customers(page: &mut Page, section: &Customers) {
    page.heading("Customers");
    page.prose(&section.prose);
    if section.prose.is_empty() && section.segments.is_empty() {
        page.paragraph("Nothing that was found holds on who the customers are.");
    }
    for segment in &section.segments {
        let name = block(&segment.name, page.plain);
        page.paragraph(&format!("**Segment.** {name}"));
        page.statements(&segment.claims);
        if !segment.needs.is_empty() {
            page.paragraph("Needs:");
            page.statements(&segment.needs);
        }
    }
    page.gaps(&section.gaps);
}

pub(super) fn strategy(page: &mut Page, section: &Strategy) {
    page.heading("Strategy and risks");
    page.prose(&section.prose);
    judgements(
        page,
        "Recommendations",
        "Conclusions of the agent, with the marks of the statements that they rest on; no source says them.",
        &section.recommendations,
    );
    if !section.risks.is_empty() {
        page.subheading("Risks that sources state");
        page.statements(&section.risks);
    }
    judgements(
        page,
        "Risks that follow",
        "Conclusions of the agent, likewise.",
        &section.judged_risks,
    );
    if section.prose.is_empty()
        && section.recommendations.is_empty()
        && section.risks.is_empty()
        && section.judged_risks.is_empty()
    {
        page.paragraph("Nothing holds that could be recommended or warned of.");
    }
    page.gaps(&section.gaps);
}

fn judgements(page: &mut Page, heading: &str, label: &str, judgements: &[Judgement]) {
    if judgements.is_empty() {
        return;
    }
    page.subheading(heading);
    page.paragraph(label);
    let sign = |one: &Judgement| signed(&block(&one.text, page.marked), one.verdict);
    let items: Vec<String> = judgements.iter().map(sign).collect();
    page.items(items);
}
