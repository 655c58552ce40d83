//! The metrics of one case under one arm.
//!
//! A metric that does not apply to a case is absent, never 0: exact match if no answer is known, recall if nothing was searched. If an
//! answer was due and the run abstained, metrics of the answer are 0. They are absent if the run did not finish; the report says beside the
//! means how often that was.
//!
//! | key | formula | source |
//! | --- | --- | --- |
//! | `exact_match` | 1 if the answer is one of the reference answers, both normalised | SQuAD |
//! | `token_f1` | 2PR / (P + R) over the words that answer and reference share, with repetition; the best reference counts | SQuAD |
//! | `expected` | share of the strings `expects` that the answer contains | this project |
//! | `abstention` | 1 if the run answered what is answerable, or abstained from what is not | this project; compare SQuAD 2.0 |
//! | `groundedness` | claims that hold / claims of the writer; 0 for an answer that claims nothing | this project |
//! | `quoted`, `recomputed`, `supported`, `inferred` | claims of this verdict / claims of the writer | this project |
//! | `citation_precision` | citations that hold / citations that the writer gave | ALCE |
//! | `citation_recall` | sentences with a citation that holds / sentences of the answer as it is shown | ALCE |
//! | `source_precision` | relevant documents among those cited / documents cited | van Rijsbergen |
//! | `source_recall` | relevant documents among those cited / relevant documents | van Rijsbergen |
//! | `recall_at_k`, `mrr_at_k`, `ndcg_at_k` | see [`ranking`] | see there |
//! | `words`, `sections` | words of the answer without citation marks; its Markdown headings | see [`text`] |
//! | `sources_cited` | distinct documents cited in the answer; another program's citations count even if they do not hold | this project |
//! | `citations_per_100_words` | 100 · citation marks that a reader sees / words | this project |
//! | `repetition` | word 5-shingles that occurred earlier in the answer / all of its shingles | Broder |
//! | `reading_ease` | 206.835 - 1.015 · words / sentences - 84.6 · syllables / words; English only | Flesch |
//! | `sub_questions_answered` | a `deep` report's answered questions / its questions | the result of the run |
//! | `sources_read` | documents that were read for a `deep` report | the result of the run |
//! | `report_quality`, `report_quality_insight`, … | report's score / (its score + the control's), mean of both orders | RACE |
//! | `milliseconds`, `tokens`, `calls`, `cost_usd` | time at work, tokens in and out, calls to models, cost | the log of the run |
//!
//! Sources: Rajpurkar et al., "SQuAD: 100,000+ questions for machine comprehension of text", EMNLP 2016; Rajpurkar, Jia, Liang, "Know what
//! you don't know", ACL 2018 (SQuAD 2.0); Gao et al., "Enabling large language models to generate text with citations" (ALCE), EMNLP 2023;
//! van Rijsbergen, "Information Retrieval", 1979; Broder, "On the resemblance and containment of documents", 1997; Flesch, "A new
//! readability yardstick", 1948; Du et al., "DeepResearch Bench", 2025 (RACE): weighted scores by the criteria of the task.
//!
//! Nothing was checked in a report by another program: metrics that depend on claims and citations that hold are absent, as are its time
//! and cost. Its marks and sources count as given.
//!
//! ALCE asks an entailment model whether a citation supports a sentence. Here the hard checks and the run's second reader replace it. So
//! these two metrics compare arms of this program with each other, and are not the figures of a paper. Besides, a claim that does not hold
//! is cut from an answer unless configured otherwise, which keeps citation recall near 1 for every strategy that cites: what was cut shows
//! in `groundedness`.

mod answer;
pub mod ranking;
mod table;
pub mod text;

use std::collections::BTreeMap;

use run::log::Status;

use crate::dataset::Case;
use crate::observation::Observation;
use crate::report::{Scored, SideBySide};
use crate::report_judge::OVERALL;

/// The verdicts whose shares are reported in addition to `groundedness`.
const BY_VERDICT: [&str; 4] = ["quoted", "recomputed", "supported", "inferred"];

/// The prefix of the keys that compare reports with the control's.
const REPORT_QUALITY: &str = "report_quality";

pub use answer::{exact_match, expected, token_f1};
pub use table::table;

/// The default cutoff ranks of retrieval metrics.
pub const CUTOFFS: [u32; 3] = [1, 5, 10];

/// Returns the metrics of a case under an arm, by key.
pub fn of(case: &Case, observation: &Observation, cutoffs: &[u32]) -> BTreeMap<String, f64> {
    let mut said = Said::default();
    if let Some(retrieved) = &observation.retrieved {
        for k in cutoffs {
            let rank = *k as usize;
            said.put(format!("recall_at_{k}"), ranking::recall(retrieved, &case.relevant, rank));
            let reciprocal = ranking::reciprocal_rank(retrieved, &case.relevant, rank);
            said.put(format!("mrr_at_{k}"), reciprocal);
            said.put(
                format!("ndcg_at_{k}"),
                ranking::compute_ndcg(retrieved, &case.relevant, rank),
            );
        }
    }
    if let Some(answered) = observation.answered {
        said.of_the_answer(case, observation, answered);
        if !observation.foreign {
            said.of_the_claims(observation, answered);
        }
        said.of_the_sources(case, observation);
        if answered {
            said.of_the_text(observation);
        }
    }
    if let Some(research) = observation.research {
        let answered = research.answered_questions.and_then(|part| share(part, research.questions));
        said.put("sub_questions_answered", answered);
        said.put("sources_read", Some(research.sources_read as f64));
    }
    let was_run = matches!(observation.status, Some(Status::Completed | Status::Partial));
    if was_run && !observation.foreign {
        said.put("milliseconds", Some(observation.milliseconds as f64));
        let tokens = observation.input_tokens.saturating_add(observation.output_tokens);
        said.put("tokens", Some(tokens as f64));
        said.put("calls", Some(observation.calls as f64));
        said.put("cost_usd", Some(observation.cost_usd_micros as f64 / 1e6));
    }
    said.0
}

/// Returns a judge's scores of an answer, by key: the means over its rounds, and the mean over all criteria as `judge`.
pub fn of_the_judge<'s>(scores: impl Iterator<Item = &'s Scored>) -> BTreeMap<String, f64> {
    let mut by_criterion: BTreeMap<&str, Vec<f64>> = BTreeMap::new();
    for scored in scores {
        for (criterion, score) in scored.scores.iter().filter(|(_, score)| score.is_finite()) {
            by_criterion.entry(criterion).or_default().push(*score);
        }
    }
    let means: Vec<(String, f64)> = by_criterion
        .into_iter()
        .filter_map(|(criterion, scores)| Some((format!("judge_{criterion}"), mean(&scores)?)))
        .collect();
    let overall = mean(&means.iter().map(|(_, mean)| *mean).collect::<Vec<f64>>());
    let overall = overall.map(|overall| ("judge".to_owned(), overall));
    means.into_iter().chain(overall).collect()
}

/// Returns a judge's relative scores of a report against the control's, by key: by dimension and overall, averaged over both orders, each
/// the mean of its rounds. A report that was shown in only one order has none, since the order may have decided it.
pub fn beside_the_control(pairs: &[&SideBySide]) -> BTreeMap<String, f64> {
    let mut by_key: BTreeMap<&str, [Vec<f64>; 2]> = BTreeMap::new();
    for pair in pairs {
        for (key, relative) in &pair.relative {
            let [first, last] = by_key.entry(key).or_default();
            if pair.arm_first { first } else { last }.push(*relative);
        }
    }
    let figure = |(key, [first, last]): (&str, [Vec<f64>; 2])| {
        let key = match key {
            OVERALL => REPORT_QUALITY.to_owned(),
            dimension => format!("{REPORT_QUALITY}_{dimension}"),
        };
        Some((key, (mean(&first)? + mean(&last)?) / 2.0))
    };
    by_key.into_iter().filter_map(figure).collect()
}

/// Returns the mean, or `None` for no values.
pub(crate) fn mean(values: &[f64]) -> Option<f64> {
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
}

#[derive(Default)]
struct Said(BTreeMap<String, f64>);

impl Said {
    fn put(&mut self, key: impl Into<String>, value: Option<f64>) {
        if let Some(value) = value {
            self.0.insert(key.into(), value);
        }
    }

    fn of_the_answer(&mut self, case: &Case, observation: &Observation, answered: bool) {
        self.put("exact_match", exact_match(&observation.answer, &case.answers));
        self.put("token_f1", token_f1(&observation.answer, &case.answers));
        self.put("expected", expected(&observation.answer, &case.expects));
        let right = case.answerable.map(|answerable| answerable == answered);
        self.put("abstention", right.map(|right| f64::from(u8::from(right))));
    }

    fn of_the_claims(&mut self, observation: &Observation, answered: bool) {
        let Observation { claims, supported_claims, citations, holding_citations, .. } =
            *observation;
        let Observation { sentences, cited_sentences, .. } = *observation;
        let grounded = share(supported_claims, claims).or(answered.then_some(0.0));
        self.put("groundedness", grounded);
        if !observation.verdicts.is_empty() {
            for verdict in BY_VERDICT {
                let count = observation.verdicts.get(verdict).copied().unwrap_or_default();
                self.put(verdict, share(count.min(claims), claims));
            }
        }
        self.put("citation_precision", share(holding_citations, citations));
        self.put("citation_recall", share(cited_sentences, sentences));
    }

    fn of_the_sources(&mut self, case: &Case, Observation { cited, .. }: &Observation) {
        if !case.relevant.is_empty() {
            let hits = cited.iter().filter(|name| case.relevant.contains_key(*name)).count() as u64;
            self.put("source_precision", share(hits, cited.len() as u64));
            self.put("source_recall", share(hits, case.relevant.len() as u64));
        }
    }

    fn of_the_text(&mut self, observation: &Observation) {
        let Observation { answer, cited, marks, .. } = observation;
        let words = text::words(answer);
        self.put("words", Some(words as f64));
        self.put("sections", Some(text::sections(answer) as f64));
        self.put("sources_cited", Some(cited.len() as f64));
        let dense = (words > 0).then(|| *marks as f64 * 100.0 / words as f64);
        self.put("citations_per_100_words", dense);
        self.put("repetition", text::repetition(answer));
        self.put("reading_ease", text::reading_ease(answer));
    }
}

/// Returns the share of a part, 0 to 1, or `None` if the whole is 0.
fn share(part: u64, whole: u64) -> Option<f64> {
    (whole > 0).then(|| part.min(whole) as f64 / whole as f64)
}

#[cfg(test)]
mod tests;
