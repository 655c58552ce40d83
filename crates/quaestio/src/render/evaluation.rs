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

use super::plain::{disarmed, escape, one_line, unmarked};
use super::{safe_html, shell};

/// What a page of this kind needs of style beside that of all pages.
const STYLE: &str = "\
    body { max-width: 56rem; }\n\
    .wide { overflow-x: auto; }\n\
    table { border-collapse: collapse; font-size: .875rem; line-height: 1.4; font-variant-numeric: tabular-nums; }\n\
    th, td { padding: .3rem .75rem .3rem 0; border-bottom: 1px solid color-mix(in srgb, currentColor 25%, transparent); \
    vertical-align: top; text-align: left; }\n\
    td { white-space: nowrap; }\n\
    .charts { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 22rem), 1fr)); gap: 1.5rem; }\n\
    figure.chart { margin: 1rem 0; min-width: 0; }\n\
    figure.chart svg { display: block; width: 100%; max-width: 30rem; height: auto; }\n\
    figure.chart .key { margin: .25rem 0 0; font-size: .8125rem; }\n\
    details { border-bottom: 1px solid color-mix(in srgb, currentColor 25%, transparent); padding: .35rem 0; }\n\
    summary { cursor: pointer; }\n\
    blockquote { margin: .5rem 0 .5rem .25rem; padding-left: .75rem; \
    border-left: 3px solid color-mix(in srgb, currentColor 35%, transparent); }\n\
    main { overflow-wrap: anywhere; }\n\
    .wide table { overflow-wrap: normal; }\n";

/// Returns the report as Markdown.
pub(crate) fn markdown(report: &Report) -> String {
    let plain = disarmed;
    let pieces = [
        sections::title(report, plain),
        summary::summary(report, plain),
        sections::arms(report, plain),
        sections::against_the_control(report, plain),
        judge::judge(report, plain),
        judge::of_reports(report, plain),
        sections::notes(report, plain),
        sections::parameters(report, plain),
        cases::markdown(report, plain),
        sections::footer(report, plain),
    ];
    run::grounding::clean(&pieces.concat())
}

/// Returns the report as a page that fetches nothing and runs nothing.
pub(crate) fn page(report: &Report) -> String {
    let plain = unmarked;
    let title = escape(&one_line(&format!("Evaluation of {}", report.dataset.name)));
    let pieces = [
        wide(&summary::summary(report, plain)),
        wide(&sections::arms(report, plain)),
        forest::of_report(report),
        scatter::of_report(report),
        wide(&sections::against_the_control(report, plain)),
        wide(&judge::judge(report, plain)),
        wide(&judge::of_reports(report, plain)),
        wide(&sections::notes(report, plain)),
        wide(&sections::parameters(report, plain)),
        cases::html(report),
        safe_html(&sections::footer(report, plain)),
    ];
    shell(&title, &pieces.concat(), STYLE)
}

/// Returns two evaluations beside each other as Markdown.
pub(crate) fn comparison_markdown(compared: &ComparedReports) -> String {
    let plain = disarmed;
    let pieces = [
        compared::title(compared, plain),
        compared::summary(compared, plain),
        compared::tables(compared, plain),
        compared::notes(compared, plain),
        compared::changed(compared, plain),
        compared::cases(compared, plain),
    ];
    run::grounding::clean(&pieces.concat())
}

/// Returns two evaluations beside each other as a page that fetches nothing and runs nothing.
pub(crate) fn comparison_page(compared: &ComparedReports) -> String {
    let plain = unmarked;
    let title = format!("{} against {}", compared.second.id, compared.first.id);
    let pieces = [
        wide(&compared::summary(compared, plain)),
        forest::of_comparison(compared),
        wide(&compared::tables(compared, plain)),
        wide(&compared::notes(compared, plain)),
        wide(&compared::changed(compared, plain)),
        compared::cases_html(compared),
    ];
    shell(&escape(&one_line(&title)), &pieces.concat(), STYLE)
}

/// Returns Markdown as HTML in which, on a narrow screen, a table is moved and not the page.
fn wide(markdown: &str) -> String {
    const MOVED: &str =
        "<div class=\"wide\" role=\"region\" aria-label=\"Table\" tabindex=\"0\"><table>";
    safe_html(markdown).replace("<table>", MOVED).replace("</table>", "</table></div>")
}

/// Returns a text of ours or others as an element may hold it.
fn shown(text: &str) -> String {
    escape(&one_line(text))
}
