//! Decides whether the passages found bear on the question, and which of them the writer sees.

use grounding::statement::statements;
use run::Mode;
use run::evidence::Passage;
use run::library::{Cosines, Found};

use super::Rules;

/// Passages examined to see whether the question is covered.
const COVERING: usize = 3;
/// How much of the question a single statement must hold, as a share of what the best passages must hold together.
const ONE_STATEMENT: f64 = 0.8;

/// How much of a question's topic the passages found hold.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Coverage {
    /// 0 to 1: the share of the question's words, weighted by IDF, that the best passages hold together.
    pub passages: f64,
    /// 0 to 1: the largest share that a single statement holds with its headings.
    pub statement: f64,
}

impl Coverage {
    /// Measures how much of the question stands in the passages found for it. Only words that say what it is about count.
    pub fn of(found: &Found) -> Coverage {
        let weights = weigh_terms(found);
        let mut reader = found.reader();
        let mut best: Vec<Vec<String>> = Vec::new();
        let mut statement: f64 = 0.0;
        for (rank, passage) in found.passages.iter().enumerate() {
            let headings = reader.terms(passage, &passage.place.section);
            if rank < COVERING {
                let mut all = reader.terms(passage, &passage.text);
                all.extend(headings.iter().cloned());
                best.push(all);
            }
            for one in statements(&passage.text) {
                let text = passage.text.get(one.span).unwrap_or_default();
                let with_headings = [reader.terms(passage, text), headings.clone()];
                statement = statement.max(extract::bearing(&weights, &with_headings));
            }
        }
        Coverage { passages: extract::bearing(&weights, &best), statement }
    }

    /// Returns whether this is enough to answer from: the passages hold most of the question, or one statement much of it.
    pub fn is_enough(self, threshold: f64) -> bool {
        self.passages >= threshold || self.statement >= threshold * ONE_STATEMENT
    }
}

/// Returns the passages of a retrieval that the writer may see, best first.
pub(super) fn relevant_of(found: Found, rules: &Rules, mode: Mode) -> Vec<Passage> {
    let (coverage, nearness) = (Coverage::of(&found), measure_nearness(&found));
    relevant(found, coverage, nearness, rules, mode)
}

/// Returns the passages that the writer may see: those that pass the thresholds, best first.
///
/// A model can tell that evidence misses the point, so with a model only a clear miss is dropped: passages without a topic word of the
/// question, or, if vectors were compared, passages that are far from it and do not cover it.
pub(super) fn relevant(
    found: Found,
    coverage: Coverage,
    nearness: Option<f64>,
    rules: &Rules,
    mode: Mode,
) -> Vec<Passage> {
    let best = found.passages.first().map_or(0.0, |passage| passage.score);
    let covered = coverage.is_enough(rules.coverage_threshold);
    let bears_on_it = match (nearness, mode) {
        // Without vectors one topic word is enough: a model can tell, and without a model the sureness of the answer decides.
        (None, _) => coverage.passages > 0.0,
        (Some(near), Mode::Offline) => {
            near >= rules.near_enough || (near >= rules.nearness_threshold && covered)
        }
        (Some(near), Mode::Model) => near >= rules.nearness_threshold || covered,
    };
    if !bears_on_it || best <= 0.0 {
        return Vec::new();
    }
    found
        .passages
        .into_iter()
        .filter(|passage| passage.score >= best * rules.score_threshold)
        .collect()
}

/// Returns how much nearer to the question the nearest chunk is than the average one: from 0, as near as any, to 1, the same text; `None`
/// if vectors were not compared.
///
/// Every embedder has its own range of cosines (unrelated texts have 0.05 with one and 0.75 with another), so the best
/// one is measured from their mean over the collection. A collection of fewer than twenty chunks counts as one of
/// twenty: in a collection of one chunk, the mean is the best.
pub fn measure_nearness(found: &Found) -> Option<f64> {
    let Cosines { best, mean } = found.cosines?;
    let mean = mean * found.chunks as f64 / found.chunks.max(FEWEST_CHUNKS) as f64;
    let room = 1.0 - mean;
    (room > f64::EPSILON).then(|| ((best - mean) / room).clamp(0.0, 1.0))
}

/// Minimum number of chunks that a collection counts as.
const FEWEST_CHUNKS: u64 = 20;

/// Returns the topic words of the question with their IDF in the collection.
pub(super) fn weigh_terms(found: &Found) -> Vec<(String, f64)> {
    /// Each is compared with every statement; only a text that is not a question has more.
    const MOST: usize = 100;
    let weight = |(term, with): &(String, u64)| (term.clone(), idf(found.chunks, *with));
    let mut weights = extract::topic(found.terms.iter().map(weight).collect(), found.language);
    if weights.len() > MOST {
        weights.sort_by(|(_, one), (_, other)| other.total_cmp(one));
        weights.truncate(MOST);
    }
    weights
}

/// Returns the IDF of a word that stands in `with` of `chunks` chunks, as in Lucene's BM25.
///
/// A small collection counts as one of twenty chunks, so that in a page or two the words that occur still have some
/// weight next to those that do not.
pub(super) fn idf(chunks: u64, with: u64) -> f64 {
    let (all, with) = (chunks.max(FEWEST_CHUNKS) as f64, with as f64);
    (1.0 + (all - with + 0.5) / (with + 0.5)).ln()
}
