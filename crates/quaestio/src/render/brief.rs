//! The report of `brief`: the summary first, then what every figure is, and last how it came about.
//!
//! Every text of a model, a survey or a user stands on one line of its own making: it opens no heading, link, list or cell.

mod course;
mod figures;
#[cfg(test)]
mod tests;

use methods::brief::payload::{Brief, Chart, Part, Statement};
use serde::Deserialize as _;
use serde_json::Value;

use super::bars::{charts, number};
use super::pages::{Page, WentWrong, render_title};
use super::plain::{block, unmarked, unmarked_but_marks};
use super::verdicts::signed;
use super::{COMMAND, PAGE, footer, safe_html, sources, text};

/// What the page of this method needs of style beside that of all pages.
pub(super) const STYLE: &str = "\
    body { max-width: 48rem; }\n\
    .wide { overflow-x: auto; }\n\
    table { border-collapse: collapse; font-size: .8125rem; line-height: 1.35; }\n\
    th, td { padding: .3rem .5rem .3rem 0; border-bottom: 1px solid color-mix(in srgb, currentColor 25%, transparent); \
    vertical-align: top; text-align: left; }\n\
    figure.chart { margin: 1.5rem 0; }\n\
    figure.chart svg { display: block; width: 100%; max-width: 28rem; height: auto; }\n\
    figure.chart .key { margin: .25rem 0 0; font-size: .8125rem; }\n\
    main { overflow-wrap: anywhere; }\n\
    .wide table { overflow-wrap: normal; }\n";

/// Returns what the method delivered; none for another method, and where the run came to nothing that can be shown.
pub(super) fn read(envelope: &Value) -> Option<Brief> {
    if text(envelope, "method") != "brief" {
        return None;
    }
    Brief::deserialize(envelope.get("deliverable")?).ok()
}

/// The report in its pieces: Markdown, the charts, and Markdown again.
pub(super) struct Pieces {
    pub(super) summary: String,
    pub(super) charts: String,
    pub(super) rest: String,
}

/// Returns the report as Markdown, its title included.
pub(super) fn markdown(envelope: &Value, brief: &Brief, plain: fn(&str) -> String) -> String {
    let report = Report { envelope, brief, plain, marked: plain, whole: COMMAND };
    let title = render_title(heading(brief), plain);
    let (summary, rest) = (report.summary(), report.rest());
    format!("# {title}\n{summary}{}{rest}", report.tables())
}

/// Returns the report as HTML without a title.
pub(super) fn html(envelope: &Value, brief: &Brief) -> String {
    let report = Report { envelope, brief, plain: unmarked, marked: unmarked, whole: COMMAND };
    // On a narrow screen a table is moved, not the page.
    let wide = |markdown: &str| {
        safe_html(markdown)
            .replace(
                "<table>",
                "<div class=\"wide\" role=\"region\" aria-label=\"Table\" tabindex=\"0\"><table>",
            )
            .replace("</table>", "</table></div>")
    };
    let title = format!("\n**{}**\n", block(heading(brief), unmarked));
    format!(
        "{}{}{}{}",
        wide(&title),
        wide(&report.summary()),
        charts(&brief.charts),
        wide(&report.rest())
    )
}

/// Returns the report as the page of the server takes it. Only marks that the program put stand in it unescaped.
pub(super) fn pieces(envelope: &Value, brief: &Brief) -> Pieces {
    let marked = unmarked_but_marks;
    let report = Report { envelope, brief, plain: unmarked, marked, whole: PAGE };
    let title = format!("\n## {}\n", render_title(heading(brief), unmarked));
    Pieces {
        summary: format!("{title}{}", report.summary()),
        charts: charts(&brief.charts),
        rest: report.rest(),
    }
}

/// Returns what stands above everything: the title of the summary, or the question where it has none.
fn heading(brief: &Brief) -> &str {
    let title = brief.summary.title.trim();
    if title.is_empty() { &brief.question } else { title }
}

struct Report<'a> {
    envelope: &'a Value,
    brief: &'a Brief,
    /// Writes texts of others.
    plain: fn(&str) -> String,
    /// Writes texts whose marks the method numbered.
    marked: fn(&str) -> String,
    /// Where a reader finds all that the steps returned.
    whole: &'a str,
}

impl Report<'_> {
    fn page(&self) -> Page {
        Page::new(self.plain, self.marked)
    }

    /// Returns a sentence with its marks and the sign of its verdict; one that nothing bears out says so.
    fn signed(&self, statement: &Statement) -> String {
        let text = block(&statement.marked(), self.marked);
        match statement.verdict {
            // What rests on nothing but a gap says what the data cannot say.
            None if statement.rests_on.iter().any(|id| id.starts_with('g')) => text,
            None => format!("{text} *(judgement)*"),
            verdict => signed(&text, verdict),
        }
    }

    /// Returns the parts of the summary, and before them what must be known of it.
    fn summary(&self) -> String {
        let Report { envelope, brief, .. } = self;
        let mut page = self.page();
        let question = page.inline(&brief.question);
        page.paragraph(&format!("Question: {question}"));
        if text(envelope, "mode") == "offline" {
            page.paragraph(
                "Offline: no model was asked. The program analysed the questions nearest to yours and wrote these sentences from templates.",
            );
        }
        if envelope.get("error").is_some() {
            page.paragraph(
                "The run did not reach its end. What it had until then follows, and last why it stopped.",
            );
        }
        for part in Part::ALL {
            let told: Vec<String> = brief
                .statements
                .iter()
                .filter(|one| one.part == part)
                .map(|one| self.signed(one))
                .collect();
            if told.is_empty() {
                continue;
            }
            page.heading(part.title());
            match part {
                Part::Overview => page.paragraph(&told.join(" ")),
                _ => page.items(told),
            }
        }
        if brief.statements.is_empty() {
            course::findings(&mut page, &brief.finding_bank);
        }
        run::grounding::clean(&page.text)
    }

    /// Returns the charts as tables, for where nothing is drawn.
    fn tables(&self) -> String {
        let mut page = self.page();
        let charts: Vec<&Chart> =
            self.brief.charts.iter().filter(|chart| !chart.bars.is_empty()).collect();
        if !charts.is_empty() {
            page.heading("Charts");
        }
        for chart in charts {
            let (title, measure) = (page.block(&chart.title), page.inline(&chart.measure));
            let caption = if measure.is_empty() { title } else { format!("{title} ({measure})") };
            page.paragraph(&caption);
            let rows = chart.bars.iter().map(|bar| {
                let interval = bar.interval.map_or("–".to_owned(), |(low, high)| {
                    format!("{} to {}", number(low, chart.unit), number(high, chart.unit))
                });
                let star = if bar.low_base { " \\*" } else { "" };
                let value = number(bar.value, chart.unit);
                format!("| {} | {value} | {interval} | {}{star} |", page.cell(&bar.label), bar.base)
            });
            let rows: Vec<String> = rows.collect();
            page.paragraph(&format!(
                "| | Value | Interval | Respondents |\n|---|---:|---:|---:|\n{}",
                rows.join("\n")
            ));
        }
        run::grounding::clean(&page.text)
    }

    /// Returns what the summary rests on and how it came about.
    fn rest(&self) -> String {
        let Report { envelope, brief, plain, marked, whole } = self;
        let mut page = self.page();
        let others = figures::figures(&mut page, envelope, brief);
        figures::studies(&mut page, &brief.studies);
        course::gaps(&mut page, brief);
        course::judgements(&mut page, brief);
        course::course(&mut page, brief);
        let mut text = page.text;
        sources(&mut text, &others, *plain);
        if let Some(error) = envelope.get("error") {
            let mut last = Page::new(*plain, *marked);
            last.went_wrong(&WentWrong {
                stage: super::text(error, "stage"),
                message: super::text(error, "message"),
                retry_attempted: error.get("retry_attempted").and_then(Value::as_bool)
                    == Some(true),
                came_back: format!("{whole} what each step returned."),
            });
            text.push_str(&last.text);
        }
        footer(&mut text, envelope, *plain);
        run::grounding::clean(&text)
    }
}
