//! The similarity of the hypotheses, and the pairs that are too close.
//!
//! A hypothesis that rephrases another adds nothing. They are compared by words and word pairs or, if requested and an embedder is
//! configured, by vectors ([measured here](../../../../docs/decisions/diversity.md)).

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};
use text::{Analyzer, Language};

use super::payload::{ClosePair, Diversity, Measure};

/// The measure for comparing hypotheses.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Choice {
    /// Words and word pairs.
    #[default]
    Shingles,
    /// Vectors, if there is an embedder.
    Embeddings,
}

/// The rules for when two hypotheses are too close.
///
/// The thresholds come with their [measurement](../../../../docs/decisions/diversity.md): 0.30 for shingles, 0.85 for embeddings.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rules {
    /// If vectors are requested but unavailable, shingles are used; the result names the measure.
    pub measure: Choice,
    /// 0 to 1: the least [`similarity`] that is too close.
    pub shingles_threshold: f64,
    /// 0 to 1: the least cosine that is too close.
    pub embeddings_threshold: f64,
}

impl Rules {
    /// Checks that the thresholds are similarities.
    pub fn check(&self) -> Result<(), String> {
        let thresholds = [self.shingles_threshold, self.embeddings_threshold];
        if thresholds.iter().all(|threshold| (0.0..=1.0).contains(threshold)) {
            return Ok(());
        }
        Err("must have thresholds from 0 to 1".into())
    }
}

/// Returns the similarity of two texts, 0 (nothing in common, or one is empty) to 1 (the same terms and neighbours).
///
/// It is the number of shared shingles over the geometric mean of both counts (Ochiai 1957, the cosine of two sets). A shingle is a stemmed
/// term that is no stop word, or a pair of neighbouring terms (Broder 1997). The measure is symmetric.
pub(super) fn similarity(one: &str, other: &str) -> f64 {
    let mut analyzer = Analyzer::new(Language::English);
    let (one, other) = (shingles(&analyzer.terms(one)), shingles(&analyzer.terms(other)));
    alike(&one, &other)
}

/// Measures the similarity of the hypotheses after `stage`.
///
/// `ids` and `texts` correspond, one for each hypothesis: its statement and mechanism. `cosines` are those between all texts, in the same
/// order; if they are missing or incomplete, words are compared instead. Pairs that are too close are sorted closest first.
pub(super) fn measured(
    stage: &str,
    ids: &[String],
    texts: &[String],
    cosines: Option<&[Vec<f64>]>,
    rules: &Rules,
) -> Diversity {
    let cosines = cosines.filter(|rows| {
        rules.measure != Choice::Shingles
            && rows.len() == texts.len()
            && rows.iter().all(|row| row.len() == texts.len())
    });
    let (measure, threshold) = match cosines {
        Some(_) => (Measure::Embeddings, rules.embeddings_threshold),
        None => (Measure::Shingles, rules.shingles_threshold),
    };
    let mut analyzer = Analyzer::new(Language::English);
    let counted: Vec<Shingles> = match cosines {
        Some(_) => Vec::new(),
        None => texts.iter().map(|text| shingles(&analyzer.terms(text))).collect(),
    };
    let at = |one: usize, other: usize| match cosines {
        // Opposite vectors have nothing in common.
        Some(rows) => rows.get(one)?.get(other).map(|cosine| cosine.clamp(0.0, 1.0)),
        None => counted.get(one).zip(counted.get(other)).map(|(a, b)| alike(a, b)),
    };
    let mut highest: f64 = 0.0;
    let mut too_close = Vec::new();
    for (one, hypothesis_a) in ids.iter().enumerate() {
        for (other, hypothesis_b) in ids.iter().enumerate().skip(one + 1) {
            let Some(similarity) = at(one, other) else { continue };
            highest = highest.max(similarity);
            if similarity >= threshold {
                too_close.push(ClosePair {
                    hypothesis_a_id: hypothesis_a.clone(),
                    hypothesis_b_id: hypothesis_b.clone(),
                    similarity,
                });
            }
        }
    }
    too_close.sort_by(|a, b| b.similarity.total_cmp(&a.similarity));
    Diversity { stage: stage.to_owned(), measure, threshold, highest, too_close, retried: false }
}

/// Returns the instructions for the agent's second try, one line for each pair; empty if no pair is too close.
pub(super) fn told(diversity: &Diversity) -> String {
    let line = |pair: &ClosePair| {
        format!(
            "- {} and {} say nearly the same: similarity {:.2}, and it must stay below {:.2}\n",
            pair.hypothesis_a_id, pair.hypothesis_b_id, pair.similarity, diversity.threshold
        )
    };
    diversity.too_close.iter().map(line).collect()
}

/// The terms and pairs of neighbouring terms of a text, without duplicates.
type Shingles = BTreeSet<String>;

fn shingles(terms: &[String]) -> Shingles {
    terms.iter().cloned().chain(terms.windows(2).map(|pair| pair.join(" "))).collect()
}

fn alike(one: &Shingles, other: &Shingles) -> f64 {
    let shared = one.intersection(other).count() as f64;
    let sizes = one.len() as f64 * other.len() as f64;
    if shared == 0.0 { 0.0 } else { (shared / sizes.sqrt()).min(1.0) }
}

#[cfg(test)]
mod tests;
