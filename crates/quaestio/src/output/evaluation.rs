//! An evaluation, or two of them beside each other, as Markdown and as one page that fetches nothing.
//!
//! What was found comes first, in plain words; then the figures, the pictures, what the judge's word is worth, what a reader must know,
//! and last every case. Questions, answers and names of all kinds are texts of others: each stands on a line of its own making.

mod axis;
mod cases;
mod compared;
mod forest;
mod judge;
mod scatter;
mod sections;
mod summary;
mod words;

#[cfg(test)]
mod tests;

use eval::compare::ComparedReports;
use eval::report::Report;

use render::Document;
use render::html::escape;
use render::one_line;

/// What a page of this kind needs of style beside that of all pages.
const STYLE: &str = "\
    body { max-width: 56rem; }\n\
    td { white-space: nowrap; }\n\
    .charts { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 22rem), 1fr)); gap: 1.5rem; }\n\
    figure.chart { margin: 1rem 0; min-width: 0; }\n\
    details { border-bottom: 1px solid color-mix(in srgb, currentColor 25%, transparent); padding: .35rem 0; }\n\
    summary { cursor: pointer; }\n";

/// Returns the report as Markdown.
pub(crate) fn markdown(report: &Report) -> String {
    render::markdown::write(&build(report))
}

/// Returns the report as a page that fetches nothing and runs nothing.
pub(crate) fn page(report: &Report) -> String {
    write_page(&build(report))
}

/// Returns two evaluations beside each other as Markdown.
pub(crate) fn comparison_markdown(compared: &ComparedReports) -> String {
    render::markdown::write(&compared::build(compared))
}

/// Returns two evaluations beside each other as a page that fetches nothing and runs nothing.
pub(crate) fn comparison_page(compared: &ComparedReports) -> String {
    write_page(&compared::build(compared))
}

/// Returns the report as plain text that fits the terminal.
pub(crate) fn plain_text(report: &Report) -> String {
    render::text::write(&build(report), super::width())
}

/// Returns two evaluations beside each other as plain text that fits the terminal.
pub(crate) fn comparison_plain_text(compared: &ComparedReports) -> String {
    render::text::write(&compared::build(compared), super::width())
}

fn build(report: &Report) -> Document {
    let title = format!("Evaluation of {}", report.dataset.name);
    let mut page = Document { title: Some(title.into()), blocks: vec![] };
    summary::summary(&mut page, report);
    sections::arms(&mut page, report);
    page.picture(forest::of_report(report));
    page.picture(scatter::of_report(report));
    sections::against_the_control(&mut page, report);
    judge::judge(&mut page, report);
    judge::of_reports(&mut page, report);
    sections::notes(&mut page, report);
    sections::parameters(&mut page, report);
    cases::cases(&mut page, report);
    sections::footer(&mut page, report);
    page
}

fn write_page(document: &Document) -> String {
    let title = document.title.as_ref().map(render::Line::plain).unwrap_or_default();
    let fragment = render::html::write(document, &Default::default());
    render::html::shell(&title, &fragment.html, STYLE)
}

/// Returns a text of ours or others as an element may hold it.
fn shown(text: &str) -> String {
    escape(&one_line(text))
}
