//! The report of `hypothesize`: the ranks first, then what speaks for and against each hypothesis.
//!
//! Every text of a model or a paper stands on one line of its own making: it opens no heading, link, list or cell.

mod each;
mod ending;
mod literature;
mod ranking;
mod summa;
#[cfg(test)]
pub(super) mod tests;

use methods::hypothesize::payload::{
    Diversity, Failed, Hypothesis, Literature, Origin, Payload, Ranking, Retrieval,
};
use serde::Deserialize as _;
use serde_json::Value;

use super::pages::{Page, WentWrong, render_title};
use super::plain::{block, unmarked, unmarked_but_marks};
use super::plot::{Row, plot};
use super::{COMMAND, PAGE, footer, list, references, safe_html, sources, text};

/// What the page of this method needs of style beside that of all pages.
pub(super) const STYLE: &str = "\
    body { max-width: 48rem; }\n\
    .wide { overflow-x: auto; }\n\
    table { border-collapse: collapse; font-size: .8125rem; line-height: 1.35; }\n\
    th, td { padding: .3rem; border-bottom: 1px solid color-mix(in srgb, currentColor 25%, transparent); \
    vertical-align: top; }\n\
    th { text-align: left; }\n\
    td:nth-child(4) { white-space: nowrap; }\n\
    td:nth-child(3) { min-width: 8rem; }\n\
    svg { display: block; width: 100%; max-width: 30rem; height: auto; margin: 1.5rem 0; }\n\
    main { overflow-wrap: anywhere; }\n\
    .wide table { overflow-wrap: normal; }\n";

/// Returns what the method delivered; none for another method, and where the run came to nothing that can be shown.
pub(super) fn read(envelope: &Value) -> Option<Payload> {
    if text(envelope, "method") != "hypothesize" {
        return None;
    }
    Payload::deserialize(envelope.get("deliverable")?).ok()
}

/// Returns the report as Markdown, its title included.
pub(super) fn markdown(envelope: &Value, payload: &Payload, plain: fn(&str) -> String) -> String {
    let report = Report::of(envelope, &Gathered::of(payload), plain, plain, COMMAND);
    let question = match payload {
        Payload::Complete(complete) => &complete.question,
        Payload::Partial(partial) => &partial.question,
    };
    let title = render_title(question, plain);
    format!("# {title}\n{}{}", report.as_far_as_table, report.rest)
}

/// Returns the report as HTML without a title, with a picture of the scores behind their table.
pub(super) fn html(envelope: &Value, payload: &Payload) -> String {
    let gathered = Gathered::of(payload);
    let report = Report::of(envelope, &gathered, unmarked, unmarked, COMMAND);
    // On a narrow screen the table is moved, not the page.
    let table = safe_html(&report.as_far_as_table)
        .replace(
            "<table>",
            "<div class=\"wide\" role=\"region\" aria-label=\"Ranking\" tabindex=\"0\"><table>",
        )
        .replace("</table>", "</table></div>");
    format!("{table}{}{}", plot(&gathered.rows()), safe_html(&report.rest))
}

/// The report as the page of the server takes it: Markdown, a picture, and Markdown again.
pub(super) struct Pieces {
    pub(super) as_far_as_table: String,
    pub(super) picture: String,
    pub(super) rest: String,
}

/// Returns the report in its pieces. Only marks that the program put or checked stand in the Markdown unescaped.
pub(super) fn pieces(envelope: &Value, payload: &Payload) -> Pieces {
    let gathered = Gathered::of(payload);
    let Report { as_far_as_table, rest } =
        Report::of(envelope, &gathered, unmarked, unmarked_but_marks, PAGE);
    Pieces { as_far_as_table, picture: plot(&gathered.rows()), rest }
}

/// What there is, complete or not.
struct Gathered<'a> {
    domain: &'a str,
    objective: &'a str,
    /// The best first, those without a rank last.
    hypotheses: Vec<&'a Hypothesis>,
    ranking: Option<&'a Ranking>,
    diversity: &'a [Diversity],
    literature: Option<&'a Literature>,
    retrieval: Option<&'a Retrieval>,
    summa: Option<(&'a str, Origin)>,
    /// The stages that came back.
    stages: Vec<&'a str>,
    error: Option<&'a Failed>,
}

impl<'a> Gathered<'a> {
    fn of(payload: &'a Payload) -> Gathered<'a> {
        match payload {
            Payload::Complete(all) => Gathered {
                domain: &all.domain,
                objective: &all.objective,
                hypotheses: ranked(&all.hypotheses, &all.ranked_hypothesis_ids),
                ranking: Some(&all.ranking),
                diversity: &all.diversity,
                literature: Some(&all.literature),
                retrieval: Some(&all.retrieval),
                summa: Some((&all.summa_rendering, all.summa_origin)),
                stages: all.stage_outputs.keys().map(String::as_str).collect(),
                error: None,
            },
            Payload::Partial(some) => Gathered {
                domain: &some.domain,
                objective: &some.objective,
                hypotheses: ranked(&some.hypotheses, &some.ranked_hypothesis_ids),
                ranking: some.ranking.as_ref(),
                diversity: &some.diversity,
                literature: some.literature.as_ref(),
                retrieval: some.retrieval.as_ref(),
                summa: some
                    .summa_rendering
                    .as_deref()
                    .map(|written| (written, some.summa_origin.unwrap_or_default())),
                stages: some.stage_outputs.keys().map(String::as_str).collect(),
                error: Some(&some.error),
            },
        }
    }

    /// Returns what the picture shows: whatever has scores.
    fn rows(&self) -> Vec<Row> {
        let scored = self.hypotheses.iter().filter_map(|one| {
            let overall = one.scores?.overall;
            let (low, high) = one.interval.map_or((overall, overall), |at| (at.low, at.high));
            Some(Row { id: one.id.clone(), title: one.title.clone(), overall, low, high })
        });
        scored.collect()
    }

    /// Returns how many citations bear the hypotheses out.
    fn supporting(&self) -> u32 {
        self.hypotheses.iter().map(|one| one.supporting_citations).fold(0, u32::saturating_add)
    }
}

fn ranked<'a>(hypotheses: &'a [Hypothesis], ids: &[String]) -> Vec<&'a Hypothesis> {
    let mut ranked: Vec<&Hypothesis> = hypotheses.iter().collect();
    ranked.sort_by_key(|one| ids.iter().position(|id| *id == one.id).unwrap_or(usize::MAX));
    ranked
}

/// The report in the two pieces between which the picture stands.
struct Report {
    as_far_as_table: String,
    rest: String,
}

impl Report {
    /// `plain` writes texts of others, `marked` those whose marks were checked.
    fn of(
        envelope: &Value,
        gathered: &Gathered<'_>,
        plain: fn(&str) -> String,
        marked: fn(&str) -> String,
        whole: &str,
    ) -> Report {
        let is_offline = text(envelope, "mode") == "offline";
        let mut first = Page::new(plain, plain);
        head(&mut first, gathered, is_offline);
        ranking::table(&mut first, gathered);
        let mut rest = Page::new(plain, marked);
        ranking::words(&mut rest, gathered, is_offline);
        literature::section(&mut rest, gathered, is_offline);
        for hypothesis in &gathered.hypotheses {
            each::section(&mut rest, hypothesis, is_offline);
        }
        if let Some((written, origin)) = gathered.summa {
            summa::section(&mut rest, written, origin, &gathered.hypotheses);
        }
        ending::diversity(&mut rest, gathered.diversity);
        let mut rest = rest.text;
        sources(&mut rest, list(envelope, "citations"), plain);
        references(&mut rest, list(envelope, "references"), plain);
        if let Some(error) = gathered.error {
            let mut last = Page::new(plain, plain);
            ending::error(&mut last, error, &gathered.stages, whole);
            rest.push_str(&last.text);
        }
        footer(&mut rest, envelope, plain);
        Report {
            as_far_as_table: run::grounding::clean(&first.text),
            rest: run::grounding::clean(&rest),
        }
    }
}

fn head(page: &mut Page, gathered: &Gathered<'_>, is_offline: bool) {
    let domain = page.inline(gathered.domain);
    let objective = page.inline(gathered.objective);
    page.paragraph(&match objective.as_str() {
        "" => format!("Domain: {domain}"),
        _ => format!("Domain: {domain}  \nObjective: {objective}"),
    });
    if is_offline {
        page.paragraph(
            "Offline: the hypotheses are sentences quoted from papers. No model was asked, and nothing was phrased anew.",
        );
    }
    if let Some(error) = gathered.error {
        let stage = page.inline(&error.stage);
        page.paragraph(&format!(
            "The run did not reach its end: it stopped at {stage}. What was gathered until then follows, and last why it stopped."
        ));
    }
}

/// Returns the marks behind a sentence, with a space before each.
fn marks(numbers: &[u32]) -> String {
    numbers.iter().map(|number| format!(" [{number}]")).collect()
}

/// Returns `a, b and c`.
fn listed(names: &[String]) -> String {
    match names {
        [] => String::new(),
        [one] => one.clone(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}

/// Returns `1 work`, `2 works`.
fn count(number: usize, one: &str, several: &str) -> String {
    format!("{number} {}", if number == 1 { one } else { several })
}
