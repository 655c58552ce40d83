//! Figures of one case under one arm, and what each of them says.
//!
//! A metric that says nothing of a case is absent, never 0: exact match where no answer is known, recall where nothing was searched.
//! Where an answer was due and the run abstained, what measures the answer is 0. What measures an answer is absent where the run came
//! to no end; how often that was, the report says beside the means.
//!
//! | key | formula | after |
//! | --- | --- | --- |
//! | `exact_match` | 1 if the answer is one of the reference answers, both normalised | Rajpurkar et al., "SQuAD: 100,000+ questions for machine comprehension of text", EMNLP 2016 |
//! | `token_f1` | 2PR / (P + R) over the words that answer and reference share, with repetition; the best over the reference answers | the same |
//! | `expected` | share of the strings `expects` that the answer contains | this project |
//! | `abstention` | 1 if the run answered what is answerable, or abstained from what is not | this project; compare Rajpurkar, Jia, Liang, "Know what you don't know", ACL 2018 |
//! | `groundedness` | claims that hold / claims of the writer; 0 for an answer that claims nothing | this project |
//! | `quoted`, `recomputed`, `supported`, `inferred` | claims of this verdict / claims of the writer | this project |
//! | `citation_precision` | citations that hold / citations that the writer gave | Gao et al., "Enabling large language models to generate text with citations" (ALCE), EMNLP 2023 |
//! | `citation_recall` | sentences with a citation that holds / sentences of the answer as it is shown | the same |
//! | `source_precision` | relevant documents among those cited / documents cited | van Rijsbergen, "Information Retrieval", 1979 |
//! | `source_recall` | relevant documents among those cited / relevant documents | the same |
//! | `recall_at_k`, `mrr_at_k`, `ndcg_at_k` | see [`ranking`] | see there |
//! | `words`, `sections` | words of the answer without citation marks; its Markdown headings | see [`text`] |
//! | `sources_cited` | different documents that citations of the answer lead to; of a report by another program, whether they hold or not | this project |
//! | `citations_per_100_words` | 100 · citation marks that a reader sees / words | this project |
//! | `repetition` | word 5-shingles that stood in the answer before / all of its shingles | Broder, "On the resemblance and containment of documents", 1997 |
//! | `reading_ease` | 206.835 - 1.015 · words / sentences - 84.6 · syllables / words; English alone | Flesch, "A new readability yardstick", 1948 |
//! | `sub_questions_answered`, `sources_read` | of a report of `deep`: its questions that were answered / its questions; documents that were read for it | the result of the run |
//! | `report_quality`, `report_quality_insight`, … | weighted score of the report / (its score + that of the control's report), both by the criteria of the task, the mean of both orders | Du et al., "DeepResearch Bench", 2025 (RACE) |
//! | `milliseconds`, `tokens`, `calls`, `cost_usd` | time at work, tokens in and out, calls to models, cost | the log of the run |
//!
//! Of a report by another program nothing was checked: what rests on claims and citations that hold is absent, as are its time and cost.
//! Its marks and sources count as they are given.
//!
//! ALCE asks a model of entailment whether a citation bears a sentence out. Here the hard checks and the run's second reader stand in
//! its place. So the two figures compare arms of this program with each other, and are not those that a paper reports. Besides, a claim
//! that does not hold is cut from an answer unless configured otherwise, which keeps citation recall near 1 for every strategy that
//! cites: what was cut shows in `groundedness`.

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

/// The verdicts whose shares are told beside the share of all that holds.
const BY_VERDICT: [&str; 4] = ["quoted", "recomputed", "supported", "inferred"];

/// What the keys begin with of what reports are worth beside the control's.
const REPORT_QUALITY: &str = "report_quality";

pub use answer::{exact_match, expected, token_f1};
pub use table::table;

/// Ranks down to which retrieval is measured, unless configured otherwise.
pub const CUTOFFS: [u32; 3] = [1, 5, 10];

/// Returns what can be said of a case under an arm, by key.
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

/// Returns what a judge said of an answer, by key: the means over its rounds, and the mean over all criteria as `judge`.
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

/// Returns what a judge made of a report beside the control's, by key: the relative score by dimension and overall, the mean of both
/// orders, each the mean of its rounds. A report that was shown in one place only has none, since the place may have decided it.
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

/// Returns the mean; none of nothing.
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

/// Returns a part of a whole, 0 to 1; none of nothing.
fn share(part: u64, whole: u64) -> Option<f64> {
    (whole > 0).then(|| part.min(whole) as f64 / whole as f64)
}

#[cfg(test)]
mod tests;
