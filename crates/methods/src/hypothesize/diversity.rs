//! How alike the hypotheses are, and which pairs are too close.
//!
//! A hypothesis that says another again in other words adds nothing. Where an embedder is configured its vectors are compared, else
//! words and word pairs ([measured here](../../../../docs/decisions/diversity.md)).

use std::collections::BTreeSet;

use run::analysis::{Analyzer, Language};
use serde::{Deserialize, Serialize};

use super::payload::{ClosePair, Diversity, Measure};

/// What the hypotheses are compared by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Choice {
    /// Embeddings where there are vectors, else shingles.
    #[default]
    Auto,
    Embeddings,
    Shingles,
}

/// When two hypotheses are too close.
///
/// The thresholds come with their [measurement](../../../../docs/decisions/diversity.md): 0.30 for shingles, 0.85 for embeddings.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rules {
    /// Vectors that were asked for and are not there are replaced by shingles; the result names what was compared.
    pub measure: Choice,
    /// 0 to 1: from this [`similarity`] on.
    pub shingles_threshold: f64,
    /// 0 to 1: from this cosine on.
    pub embeddings_threshold: f64,
}

/// Returns how much two texts have in common, 0 (nothing, or one of them empty) to 1 (the same terms and neighbours).
///
/// The shared shingles over the geometric mean of both counts (Ochiai 1957, the cosine of two sets); a shingle is a term, stemmed and
/// no stop word, or a pair of neighbouring terms (Broder 1997). The order of the two texts does not matter.
pub fn similarity(one: &str, other: &str) -> f64 {
    let mut analyzer = Analyzer::new(Language::English);
    let (one, other) = (shingles(&analyzer.terms(one)), shingles(&analyzer.terms(other)));
    alike(&one, &other)
}

/// Measures how alike the hypotheses are after `stage`.
///
/// `ids` and `texts` belong together, one for each hypothesis: its statement and mechanism. `vectors` are theirs in the same order, of
/// any length; where one is missing or of another size than the rest, words are compared instead. Pairs that are too close come closest first.
pub fn measured(
    stage: &str,
    ids: &[String],
    texts: &[String],
    vectors: Option<&[Vec<f32>]>,
    rules: &Rules,
) -> Diversity {
    let vectors = vectors.filter(|vectors| {
        let size = vectors.first().map_or(0, Vec::len);
        rules.measure != Choice::Shingles
            && vectors.len() == texts.len()
            && vectors.iter().all(|vector| vector.len() == size && size > 0)
    });
    let (measure, threshold) = match vectors {
        Some(_) => (Measure::Embeddings, rules.embeddings_threshold),
        None => (Measure::Shingles, rules.shingles_threshold),
    };
    let mut analyzer = Analyzer::new(Language::English);
    let counted: Vec<Shingles> = match vectors {
        Some(_) => Vec::new(),
        None => texts.iter().map(|text| shingles(&analyzer.terms(text))).collect(),
    };
    let at = |one: usize, other: usize| match vectors {
        Some(vectors) => vectors.get(one).zip(vectors.get(other)).map(|(a, b)| cosine(a, b)),
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

/// Returns what the agent is told for its second try, one line for each pair; empty where none is too close.
pub fn told(diversity: &Diversity) -> String {
    let line = |pair: &ClosePair| {
        format!(
            "- {} and {} say nearly the same: similarity {:.2}, and it must stay below {:.2}\n",
            pair.hypothesis_a_id, pair.hypothesis_b_id, pair.similarity, diversity.threshold
        )
    };
    diversity.too_close.iter().map(line).collect()
}

/// The terms and pairs of neighbouring terms of a text, each once.
type Shingles = BTreeSet<String>;

fn shingles(terms: &[String]) -> Shingles {
    terms.iter().cloned().chain(terms.windows(2).map(|pair| pair.join(" "))).collect()
}

fn alike(one: &Shingles, other: &Shingles) -> f64 {
    let shared = one.intersection(other).count() as f64;
    let sizes = one.len() as f64 * other.len() as f64;
    if shared == 0.0 { 0.0 } else { (shared / sizes.sqrt()).min(1.0) }
}

/// Returns the cosine of two vectors, 0 where it is negative or they point nowhere.
fn cosine(one: &[f32], other: &[f32]) -> f64 {
    let dot = |a: &[f32], b: &[f32]| -> f64 {
        a.iter().zip(b).map(|(a, b)| f64::from(*a) * f64::from(*b)).sum()
    };
    let cosine = dot(one, other) / (dot(one, one) * dot(other, other)).sqrt();
    if cosine.is_finite() { cosine.clamp(0.0, 1.0) } else { 0.0 }
}

#[cfg(test)]
mod tests;
