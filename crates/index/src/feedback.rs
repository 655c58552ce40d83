//! Expands a question with words from its first hits (pseudo-relevance feedback).

use std::collections::HashMap;

/// How much of the first hits goes into the question.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Feedback {
    /// The number of first hits to read.
    pub documents: usize,
    /// The number of words to take from them.
    pub terms: usize,
    /// The share of weight that the question's own words keep, 0 to 1; the rest goes to the words of the hits.
    pub original_weight: f64,
    /// A word in more than this share of all rows, 0 to 1, says too little and is not taken.
    pub most_common_share: f64,
    /// The number of first hits that stay ahead if only words rank. A user who looks for one particular text finds it there, and the
    /// other words of such hits lead away from it.
    pub ahead: usize,
}

/// The settings that ranked well on the training questions of Cranfield and CISI: mean nDCG@10 0.427; the best of 400 settings had
/// 0.428, and BM25 alone has 0.375. A few hits are cheap to read; very common words are expensive to score. `ahead` was chosen over
/// more collections (`docs/decisions/retrieval.md`).
impl Default for Feedback {
    fn default() -> Self {
        Self { documents: 5, terms: 20, original_weight: 0.6, most_common_share: 0.2, ahead: 2 }
    }
}

/// Returns the question's terms and those of its first hits, weighted, heaviest first, ties by term.
///
/// `documents` holds the score of each hit and its terms, separated by spaces. The relevance model of a term is the sum, over the
/// hits, of the hit's share of all scores times the term's share of the hit (Lavrenko and Croft 2001, *Relevance-Based Language
/// Models*); the heaviest terms that are not `common` are mixed with the question (Abdul-Jaleel et al. 2004, *UMass at TREC 2004*:
/// RM3). `terms` are distinct, each with its weight in the question. The weights sum to 1.
///
/// `common` says of each of some words whether it is; it is asked for as many words at a time as may be taken.
pub fn rm3(
    terms: &[(String, f32)],
    documents: &[(f64, &str)],
    feedback: &Feedback,
    mut common: impl FnMut(&[&str]) -> Vec<bool>,
) -> Vec<(String, f32)> {
    let said: f64 = terms.iter().map(|(_, weight)| f64::from(*weight)).sum();
    let total: f64 = documents.iter().map(|(score, _)| score).sum();
    let mut model: HashMap<&str, f64> = HashMap::new();
    for (score, text) in documents.iter().take(feedback.documents) {
        let words = || text.split_ascii_whitespace();
        let share = score / total / words().count().max(1) as f64;
        for word in words() {
            *model.entry(word).or_default() += share;
        }
    }
    let mut model: Vec<(&str, f64)> =
        model.into_iter().filter(|(_, weight)| weight.is_finite()).collect();
    model.sort_unstable_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(b.0)));
    let mut taken: Vec<(&str, f64)> = Vec::with_capacity(feedback.terms);
    for some in model.chunks(feedback.terms.max(1)) {
        if taken.len() >= feedback.terms {
            break;
        }
        let words: Vec<&str> = some.iter().map(|(word, _)| *word).collect();
        let rare = some.iter().zip(common(&words)).filter(|(_, common)| !common);
        taken.extend(rare.map(|(one, _)| *one));
    }
    taken.truncate(feedback.terms);
    let mass: f64 = taken.iter().map(|(_, weight)| weight).sum();
    let kept = if mass > 0.0 { feedback.original_weight } else { 1.0 };
    let mut mixed: HashMap<&str, f64> = terms
        .iter()
        .map(|(term, weight)| (term.as_str(), kept * f64::from(*weight) / said))
        .collect();
    for (word, weight) in taken {
        *mixed.entry(word).or_default() += (1.0 - kept) * weight / mass;
    }
    let mut mixed: Vec<(String, f32)> =
        mixed.into_iter().map(|(word, weight)| (word.to_owned(), weight as f32)).collect();
    mixed.sort_unstable_by(|a, b| b.1.total_cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    mixed
}
