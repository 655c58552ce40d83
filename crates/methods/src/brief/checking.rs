//! Sentences held against the data: every figure that they state or compare is evaluated again.

use serde::{Deserialize, Serialize};

use run::evidence::{EvidenceKind, Passage};
use run::ledger::{Citation, Claim, Verdict};
use run::{Result, Run};
use survey::claims::{self, Stated};
use survey::expression::{Evaluated, Part};

use super::catalogue::Catalogue;
use super::data::Data;
use super::payload::FigureTold;
use super::tools::figure_told;

/// A sentence to be checked.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub(super) struct Sentence {
    pub(super) text: String,
    /// The expressions that its writer gives for it.
    pub(super) figures: Vec<String>,
    /// Those of what it rests on, where its writer gives none and it is no judgement.
    pub(super) beneath: Vec<String>,
    /// Whether it is no sentence, but what stands above them.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(super) is_title: bool,
}

/// What came of checking a sentence.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Held {
    /// What does not hold, one sentence each, for its writer; empty where all does.
    pub(super) faults: Vec<String>,
    /// Empty for a judgement.
    pub(super) figures: Vec<Evaluated>,
}

impl Held {
    pub(super) fn holds(&self) -> bool {
        self.faults.is_empty()
    }

    pub(super) fn figures_told(&self) -> Vec<FigureTold> {
        self.figures.iter().map(figure_told).collect()
    }

    /// Tells whether it states no figure that the others do not have, as a whole or in its parts.
    pub(super) fn is_within(&self, others: &[&Held]) -> bool {
        let parts = |held: &'_ Held| -> Vec<(String, String)> {
            let parts = held.figures.iter().flat_map(|one| &one.parts);
            parts.map(|part| (part.study.clone(), part.expression.clone())).collect()
        };
        let known: Vec<(String, String)> = others.iter().flat_map(|other| parts(other)).collect();
        parts(self).iter().all(|part| known.contains(part))
    }

    /// Returns the segments that its figures are about, as `question:answer`.
    pub(super) fn segments(&self, catalogue: &Catalogue) -> Vec<String> {
        let parts = self.figures.iter().flat_map(|one| &one.parts);
        parts.flat_map(|part| catalogue.segments_of(&part.study, &part.expression)).collect()
    }

    /// Returns the studies that its figures are from.
    pub(super) fn studies(&self) -> Vec<String> {
        let parts = self.figures.iter().flat_map(|one| &one.parts);
        parts.map(|part| part.study.clone()).collect()
    }
}

/// Checks sentences, as a step of the run.
pub(super) async fn checked(run: &Run, data: &Data, all: &[Sentence]) -> Result<Vec<Held>> {
    if all.is_empty() {
        return Ok(Vec::new());
    }
    let work = || async {
        let all = all.to_vec();
        data.work(move |project, rules| {
            let held = |figures: &[String], text: &str| {
                let stated = Stated { text: text.to_owned(), figures: figures.to_vec() };
                let checked = claims::check(project, rules, &stated);
                Held { faults: checked.faults, figures: checked.figures }
            };
            let checked = all.iter().map(|one| {
                if one.is_title {
                    let faults = claims::check_title(&one.text, project).faults;
                    return Held { faults, figures: vec![] };
                }
                if !one.figures.is_empty() {
                    return held(&one.figures, &one.text);
                }
                let judgement = held(&[], &one.text);
                if judgement.holds() || one.beneath.is_empty() {
                    return judgement;
                }
                held(&one.beneath, &one.text)
            });
            checked.collect()
        })
        .await
    };
    run.step("recompute", &all, work).await
}

/// Enters a sentence whose figures hold: each becomes evidence, and the sentence cites it.
pub(super) fn entered(run: &Run, catalogue: &Catalogue, text: &str, held: &Held) -> Result<Claim> {
    let passages = held.figures.iter().map(|one| passage(catalogue, one)).collect();
    let mut citations = Vec::new();
    for cited in run.cite(passages)? {
        let place = &cited.evidence.provenance.place;
        citations.push(Citation {
            number: None,
            evidence_id: cited.evidence.evidence_id.clone(),
            source_uri: cited.evidence.source_uri.clone(),
            title: place.title.clone(),
            section: place.section.clone(),
            page: None,
            quote: cited.evidence.text.clone(),
            start: Some(place.start),
            end: Some(place.end),
            source_sha256: place.source_sha256.clone(),
            verdict: Verdict::Recomputed,
            faults: vec![],
            ..Citation::default()
        });
    }
    Ok(Claim { text: text.to_owned(), verdict: Verdict::Recomputed, citations, ..Claim::default() })
}

/// Returns a sentence that does not hold, as the ledger keeps it.
pub(super) fn refused(text: &str) -> Claim {
    Claim {
        text: text.to_owned(),
        verdict: Verdict::Unsupported,
        citations: vec![],
        ..Claim::default()
    }
}

/// Returns a figure as evidence: what it came to, and what it rests on.
fn passage(catalogue: &Catalogue, evaluated: &Evaluated) -> Passage {
    let words = |part: &Part| catalogue.words(&part.study, &part.question);
    let parts: Vec<String> = evaluated
        .parts
        .iter()
        .map(|part| {
            let base = &part.figure.base;
            let interval = part.figure.interval.map_or_else(String::new, |(low, high)| {
                format!(", interval {} to {}", part.unit.shown(low), part.unit.shown(high))
            });
            let among: String = part.segment.iter().map(|label| format!("; {label}")).collect();
            format!(
                "{} = {} (\"{}\"{among}; respondents {}, weighted {:.1}, effective {:.1}{interval})",
                part.expression, part.text, words(part), base.unweighted, base.weighted, base.effective
            )
        })
        .collect();
    let mut text = match parts.as_slice() {
        [one] => one.clone(),
        _ => format!("{} = {}; {}", evaluated.expression, evaluated.text, parts.join("; ")),
    };
    if let Some(comparison) = &evaluated.comparison {
        let p = comparison.p.map_or("not tested".to_owned(), |p| format!("p = {p:.4}"));
        text.push_str(&format!("; {p}, {}", comparison.told));
    }
    let first = evaluated.parts.first();
    let name = first
        .map_or_else(|| "figure".to_owned(), |part| format!("{}/{}", part.study, part.question));
    let title = first.map_or_else(|| evaluated.expression.clone(), words);
    Passage::whole(EvidenceKind::Survey, &name, title, text)
}
