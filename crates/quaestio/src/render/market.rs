//! The report of `market`: the summary first, then each section with what it rests on, and last what is not there.
//!
//! Every text of a model or a source stands on one line of its own making: it opens no heading, link, list or cell.

mod ending;
mod sections;
mod sizing;
#[cfg(test)]
pub(super) mod tests;

use methods::market::payload::{Analysis, Paragraph, Statement};
use serde::Deserialize as _;
use serde_json::Value;

use super::pages::{Page, WentWrong, render_title};
use super::plain::{block, unmarked, unmarked_but_marks};
use super::verdicts::signed;
use super::{COMMAND, PAGE, footer, list, references, safe_html, sources, text};

/// What the page of this method needs of style beside that of all pages.
pub(super) const STYLE: &str = "\
    body { max-width: 48rem; }\n\
    .wide { overflow-x: auto; }\n\
    table { border-collapse: collapse; font-size: .875rem; line-height: 1.4; }\n\
    th, td { padding: .3rem .5rem .3rem 0; border-bottom: 1px solid color-mix(in srgb, currentColor 25%, transparent); \
    vertical-align: top; text-align: left; }\n\
    main { overflow-wrap: anywhere; }\n\
    .wide table { overflow-wrap: normal; }\n";

/// Returns what the method delivered; none for another method, and where the run came to nothing that can be shown.
pub(super) fn read(envelope: &Value) -> Option<Analysis> {
    if text(envelope, "method") != "market" {
        return None;
    }
    Analysis::deserialize(envelope.get("deliverable")?).ok()
}

/// Returns the report as Markdown, its title included.
pub(super) fn markdown(envelope: &Value, analysis: &Analysis, plain: fn(&str) -> String) -> String {
    let title = render_title(&analysis.title, plain);
    format!("# {title}\n{}", report(envelope, analysis, plain, plain, COMMAND))
}

/// Returns the report as HTML without a title.
pub(super) fn html(envelope: &Value, analysis: &Analysis) -> String {
    // On a narrow screen the table is moved, not the page.
    safe_html(&report(envelope, analysis, unmarked, unmarked, COMMAND))
        .replace(
            "<table>",
            "<div class=\"wide\" role=\"region\" aria-label=\"Table\" tabindex=\"0\"><table>",
        )
        .replace("</table>", "</table></div>")
}

/// Returns the report as the page of the server takes it. Only marks that the program put stand in it unescaped.
pub(super) fn piece(envelope: &Value, analysis: &Analysis) -> String {
    report(envelope, analysis, unmarked, unmarked_but_marks, PAGE)
}

/// `plain` writes texts of others, `marked` those whose marks were checked.
fn report(
    envelope: &Value,
    analysis: &Analysis,
    plain: fn(&str) -> String,
    marked: fn(&str) -> String,
    whole: &str,
) -> String {
    let is_offline = text(envelope, "mode") == "offline";
    let mut page = Page::new(plain, marked);
    head(&mut page, analysis, is_offline);
    summary(&mut page, analysis);
    if let Some(sizing) = &analysis.sizing {
        sizing::section(&mut page, sizing);
    }
    if let Some(competitors) = &analysis.competitors {
        sections::competitors(&mut page, competitors);
    }
    if let Some(customers) = &analysis.customers {
        sections::customers(&mut page, customers);
    }
    if let Some(strategy) = &analysis.strategy {
        sections::strategy(&mut page, strategy);
    }
    if !analysis.open_questions.is_empty() {
        page.heading("Open questions, in the editor's words");
        page.remarks(&analysis.open_questions);
    }
    ending::left_out(&mut page, &analysis.left_out);
    ending::searched(&mut page, &analysis.searched);
    let mut text = page.text;
    sources(&mut text, list(envelope, "citations"), plain);
    references(&mut text, list(envelope, "references"), plain);
    if let Some(error) = &analysis.error {
        let stages: Vec<&str> = analysis.stage_outputs.keys().map(String::as_str).collect();
        let mut last = Page::new(plain, marked);
        ending::error(&mut last, error, &stages, whole);
        text.push_str(&last.text);
    }
    footer(&mut text, envelope, plain);
    run::grounding::clean(&text)
}

fn head(page: &mut Page, analysis: &Analysis, is_offline: bool) {
    let mut lines = vec![format!("Question: {}", page.inline(&analysis.question))];
    let scope = &analysis.scope;
    let mut tell = |what: &str, text: String| {
        if !text.is_empty() {
            lines.push(format!("{what}: {text}"));
        }
    };
    let all = |texts: &[String]| {
        texts.iter().map(|text| page.inline(text)).collect::<Vec<_>>().join("; ")
    };
    tell("Startup", page.inline(scope.startup.as_deref().unwrap_or_default()));
    tell("Where", page.inline(&scope.geographical_scope));
    tell("Focus", all(&scope.focus_areas));
    let lines = lines.join("  \n");
    page.paragraph(&lines);
    if is_offline {
        page.paragraph(
            "Offline: the sentences are quoted from what was found. No model was asked, and nothing was judged.",
        );
    }
    if let Some(error) = &analysis.error {
        let stage = page.inline(&error.stage.replace('_', " "));
        page.paragraph(&format!(
            "The run did not reach its end: it stopped at {stage}. What was gathered until then follows, and last why it stopped."
        ));
    }
}

fn summary(page: &mut Page, analysis: &Analysis) {
    if analysis.summary.is_empty() {
        if analysis.error.is_none() {
            page.paragraph("Not enough evidence: what was found does not answer this question.");
        }
        return;
    }
    page.heading("Summary");
    let sentences: Vec<String> =
        analysis.summary.iter().map(|one| page.statement(&one.statement)).collect();
    page.items(sentences);
}

impl Page {
    /// Returns a statement as it may begin an item, with the sign of its verdict.
    fn statement(&self, statement: &Statement) -> String {
        signed(&block(&statement.text, self.marked), Some(statement.verdict))
    }

    /// Writes paragraphs whose sentences were checked.
    fn prose(&mut self, paragraphs: &[Paragraph]) {
        for paragraph in paragraphs {
            let sentences: Vec<String> =
                paragraph.sentences.iter().map(|one| self.statement(&one.statement)).collect();
            self.paragraph(&sentences.join(" "));
        }
    }

    fn statements(&mut self, statements: &[Statement]) {
        let items: Vec<String> = statements.iter().map(|one| self.statement(one)).collect();
        self.items(items);
    }

    /// Writes what nothing checks.
    fn remarks(&mut self, remarks: &[String]) {
        let items: Vec<String> = remarks.iter().map(|one| self.block(one)).collect();
        self.items(items);
    }

    /// Writes what a section leaves open.
    fn gaps(&mut self, gaps: &[String]) {
        if !gaps.is_empty() {
            self.paragraph("Left open, in the agent's words:");
            self.remarks(gaps);
        }
    }
}
