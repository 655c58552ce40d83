//! The report of `hypothesize`: the ranks first, then what speaks for and against each hypothesis.

mod each;
mod ending;
mod literature;
mod plot;
mod ranking;
mod summa;

use render::{Document, Line, Picture};
use serde::Deserialize as _;
use serde_json::Value;

use super::payload::{
    Diversity, Failed, Hypothesis, Literature, Origin, Payload, Ranking, Retrieval,
};
use crate::report::{footer, list, ran_offline, references, sources};
use plot::{Row, plot};

/// Returns the report of what the method delivered; `None` if the run came to nothing that can be shown.
pub(crate) fn build(envelope: &Value) -> Option<Document> {
    let payload = Payload::deserialize(envelope.get("deliverable")?).ok()?;
    let gathered = Gathered::of(&payload);
    let is_offline = ran_offline(envelope);
    let question = match &payload {
        Payload::Complete(complete) => &complete.question,
        Payload::Partial(partial) => &partial.question,
    };
    let mut report = Document { title: Some(question.into()), blocks: vec![] };
    head(&mut report, &gathered, is_offline);
    ranking::table(&mut report, &gathered);
    let figures = plot(&gathered.rows()).into_iter().collect();
    report.picture(Picture { figures, ..Picture::default() });
    ranking::words(&mut report, &gathered, is_offline);
    framed(&mut report, &gathered);
    literature::section(&mut report, &gathered, is_offline);
    for hypothesis in &gathered.hypotheses {
        each::section(&mut report, hypothesis, is_offline);
    }
    if let Some((written, origin)) = gathered.summa {
        summa::section(&mut report, written, origin, &gathered.hypotheses);
    }
    ending::diversity(&mut report, gathered.diversity);
    sources(&mut report, envelope, list(envelope, "citations"));
    references(&mut report, list(envelope, "references"));
    if let Some(error) = gathered.error {
        ending::error(&mut report, error, &gathered.stages);
    }
    footer(&mut report, envelope);
    Some(report)
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

/// Adds what must be known of the ranks before they are read.
fn head(report: &mut Document, gathered: &Gathered<'_>, is_offline: bool) {
    if is_offline {
        report.paragraph(
            "Offline: the hypotheses are sentences quoted from the sources. No model was asked, and no sentence was written \
             by one.",
        );
    }
    if let Some(error) = gathered.error {
        report.paragraph(format!(
            "The run stopped early, at {}. What was found until then follows; the reason is at the end.",
            error.stage
        ));
    }
}

/// Adds the domain and the objective that the hypotheses were made for.
fn framed(report: &mut Document, gathered: &Gathered<'_>) {
    let domain = format!("Domain: {}", gathered.domain);
    let objective = match gathered.objective.trim() {
        "" => None,
        objective => Some(format!("Objective: {objective}")),
    };
    report.paragraph(Line::broken([Some(domain), objective].into_iter().flatten()));
}
