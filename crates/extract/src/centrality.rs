//! Continuous LexRank.

use std::collections::BTreeMap;

use super::bm25::inverse_frequency;
use super::overlap::counts;

/// Returns how central each sentence is among all: continuous LexRank. The values add up to 1.
///
/// A sentence is central if it resembles central sentences. Centrality is the stationary distribution of a random walk that, with
/// probability 0.85, follows the idf-modified cosine between sentences, and otherwise jumps anywhere (Erkan and Radev
/// 2004, *LexRank: Graph-based Lexical Centrality as Salience in Text Summarization*). The iteration stops when no value
/// changes by more than 1e-9, or after 100 rounds. The similarity matrix is never built, so a round is linear in the number of words.
pub fn centrality(sentences: &[Vec<String>]) -> Vec<f64> {
    const DAMPING: f64 = 0.85;
    const TOLERANCE: f64 = 1e-9;
    const MAX_ROUNDS: usize = 100;

    let (vectors, terms) = unit_vectors(sentences);
    let count = sentences.len() as f64;
    let mut central = vec![1.0 / count; sentences.len()];
    // The cosine of two sentences is the product of their vectors, so the flow along all of them can be
    // accumulated in one term vector.
    let everything = gathered(&vectors, terms, |_| 1.0);
    let degrees: Vec<f64> = vectors.iter().map(|vector| product(vector, &everything)).collect();
    for _ in 0..MAX_ROUNDS {
        let flow = gathered(&vectors, terms, |index| {
            if degrees[index] > 0.0 { central[index] / degrees[index] } else { 0.0 }
        });
        let stranded: f64 = central
            .iter()
            .zip(&degrees)
            .filter(|(_, degree)| **degree <= 0.0)
            .map(|(value, _)| value)
            .sum();
        let jump = (1.0 - DAMPING + DAMPING * stranded) / count;
        let next: Vec<f64> =
            vectors.iter().map(|vector| jump + DAMPING * product(vector, &flow)).collect();
        let moved = next.iter().zip(&central).any(|(new, old)| (new - old).abs() > TOLERANCE);
        central = next;
        if !moved {
            break;
        }
    }
    central
}

/// Returns the tf-idf vectors of the sentences, of length 1 or empty, and the number of terms.
fn unit_vectors(sentences: &[Vec<String>]) -> (Vec<Vec<(usize, f64)>>, usize) {
    let mut numbers: BTreeMap<&str, usize> = BTreeMap::new();
    let mut holding: Vec<usize> = Vec::new();
    let mut vectors: Vec<Vec<(usize, f64)>> = Vec::new();
    for sentence in sentences {
        let mut vector = Vec::new();
        for (term, count) in counts(sentence) {
            let number = *numbers.entry(term).or_insert(holding.len());
            if number == holding.len() {
                holding.push(0);
            }
            holding[number] += 1;
            vector.push((number, f64::from(count)));
        }
        vectors.push(vector);
    }
    for vector in &mut vectors {
        for (number, weight) in vector.iter_mut() {
            *weight *= inverse_frequency(sentences.len(), holding[*number]);
        }
        let length = vector.iter().map(|(_, weight)| weight * weight).sum::<f64>().sqrt();
        vector.iter_mut().for_each(|(_, weight)| *weight /= length);
    }
    (vectors, holding.len())
}

/// Returns the sum of the vectors, each times its share.
fn gathered(vectors: &[Vec<(usize, f64)>], terms: usize, share: impl Fn(usize) -> f64) -> Vec<f64> {
    let mut sum = vec![0.0; terms];
    for (index, vector) in vectors.iter().enumerate() {
        let share = share(index);
        for (number, weight) in vector {
            sum[*number] += share * weight;
        }
    }
    sum
}

fn product(vector: &[(usize, f64)], dense: &[f64]) -> f64 {
    vector.iter().map(|(number, weight)| weight * dense[*number]).sum()
}

#[cfg(test)]
mod tests {
    use super::super::tests::{close, list};
    use super::*;

    // proves: C10
    #[test]
    fn the_sentence_that_shares_words_with_all_others_is_most_central() {
        close(&centrality(&["a b", "a", "b"].map(list)), &[0.402_082, 0.298_959, 0.298_959]);
        close(&centrality(&["a", "b", "c"].map(list)), &[1.0 / 3.0; 3]);
        close(&centrality(&["", ""].map(list)), &[0.5; 2]);
        close(&centrality(&[]), &[]);
    }
}
