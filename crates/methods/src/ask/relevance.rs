//! Whether what was found bears on the question, and how much of it the writer sees.

use run::analysis;
use run::evidence::Passage;
use run::extract;
use run::library::{Cosines, Found};

use super::Rules;

/// Passages that are looked at to see whether the question is covered.
const COVERING: usize = 3;

/// Returns what the writer may see: the passages that pass the thresholds, best first.
pub(super) fn relevant(
    found: Found,
    coverage: f64,
    nearness: Option<f64>,
    rules: &Rules,
) -> Vec<Passage> {
    let best = found.passages.first().map_or(0.0, |passage| passage.score);
    let covered = coverage >= rules.coverage_threshold;
    let bears_on_it = nearness.map_or(covered, |near| {
        near >= rules.near_enough || (near >= rules.nearness_threshold && covered)
    });
    if !bears_on_it || best <= 0.0 {
        return Vec::new();
    }
    found
        .passages
        .into_iter()
        .filter(|passage| passage.score >= best * rules.score_threshold)
        .collect()
}

/// Returns the share of the question's content words, weighted by IDF, that the best passages hold.
pub fn coverage(found: &Found) -> f64 {
    let best: Vec<Vec<String>> = found
        .passages
        .iter()
        .take(COVERING)
        .map(|passage| {
            analysis::terms(&format!("{}\n{}", passage.place.section, passage.text), found.language)
        })
        .collect();
    extract::coverage(&weights(found), &best)
}

/// Returns how much nearer than usual the question came to the chunk nearest to it: 0 as near as to any, 1 the same text;
/// none where vectors were not compared.
///
/// Every embedder has cosines of its own (unrelated texts have 0.05 with one and 0.75 with another), so the best one is
/// measured from their mean over the collection. A collection of fewer than twenty chunks counts as one of
/// twenty: in one of a single chunk the mean is the best.
pub fn nearness(found: &Found) -> Option<f64> {
    let Cosines { best, mean } = found.cosines?;
    let mean = mean * found.chunks as f64 / found.chunks.max(FEWEST_CHUNKS) as f64;
    let room = 1.0 - mean;
    (room > f64::EPSILON).then(|| ((best - mean) / room).clamp(0.0, 1.0))
}

/// Chunks that a collection counts as, at least.
const FEWEST_CHUNKS: u64 = 20;

/// Returns the question's content words with their IDF in the collection.
pub(super) fn weights(found: &Found) -> Vec<(String, f64)> {
    let weight = |(term, with): &(String, u64)| (term.clone(), idf(found.chunks, *with));
    found.terms.iter().map(weight).collect()
}

/// Returns the IDF of a word that stands in so many of all chunks, as Lucene's BM25 has it.
///
/// A small collection counts as one of twenty chunks, so that in a page or two the words that stand
/// there still weigh something beside those that do not.
pub(super) fn idf(chunks: u64, with: u64) -> f64 {
    let (all, with) = (chunks.max(FEWEST_CHUNKS) as f64, with as f64);
    (1.0 + (all - with + 0.5) / (with + 0.5)).ln()
}
