//! Okapi BM25.

use std::collections::BTreeMap;

use super::overlap::counts;

/// Scores documents by the words they share with a query: Okapi BM25.
///
/// The score of a document is the sum, over the words of the query, of `idf · tf / (tf + k1 · (1 − b + b ·
/// length / average length))`, with k1 = 1.2 and b = 0.75 (Robertson and Zaragoza 2009, *The Probabilistic
/// Relevance Framework: BM25 and Beyond*). As in Lucene, idf is `ln(1 + (N − n + 0.5) / (n + 0.5))`, which is
/// never negative.
#[derive(Debug, Clone)]
pub struct Bm25 {
    /// For each term, the documents it occurs in, in order, and how often.
    postings: BTreeMap<String, Vec<(usize, u32)>>,
    lengths: Vec<usize>,
    average_length: f64,
}

impl Bm25 {
    const K1: f64 = 1.2;
    const B: f64 = 0.75;

    /// Counts the terms of `documents`.
    pub fn new(documents: &[Vec<String>]) -> Self {
        let mut postings: BTreeMap<String, Vec<(usize, u32)>> = BTreeMap::new();
        for (index, document) in documents.iter().enumerate() {
            for (term, count) in counts(document) {
                match postings.get_mut(term) {
                    Some(found) => found.push((index, count)),
                    None => drop(postings.insert(term.to_owned(), vec![(index, count)])),
                }
            }
        }
        let lengths: Vec<usize> = documents.iter().map(Vec::len).collect();
        let average_length = lengths.iter().sum::<usize>() as f64 / lengths.len().max(1) as f64;
        Self { postings, lengths, average_length }
    }

    /// Returns how well `term` tells the documents apart: the fewer of them hold it, the better.
    pub fn idf(&self, term: &str) -> f64 {
        inverse_frequency(self.lengths.len(), self.postings.get(term).map_or(0, Vec::len))
    }

    /// Returns the score of every document, in document order; 0 if none of the terms occurs. A term that
    /// occurs twice in the query counts twice.
    pub fn scores(&self, query_terms: &[String]) -> Vec<f64> {
        let mut scores = vec![0.0; self.lengths.len()];
        for term in query_terms {
            let idf = self.idf(term);
            for &(document, count) in self.postings.get(term).into_iter().flatten() {
                let length = self.lengths[document] as f64 / self.average_length;
                let count = f64::from(count);
                scores[document] +=
                    idf * count / (count + Self::K1 * (1.0 - Self::B + Self::B * length));
            }
        }
        scores
    }
}

/// Returns the IDF of a term that `holding` of `documents` contain.
pub(super) fn inverse_frequency(documents: usize, holding: usize) -> f64 {
    let (documents, holding) = (documents as f64, holding as f64);
    (1.0 + (documents - holding + 0.5) / (holding + 0.5)).ln()
}

#[cfg(test)]
mod tests {
    use super::super::tests::{close, list};
    use super::*;

    // proves: C10
    #[test]
    fn bm25_scores_are_those_of_the_formula() {
        let documents = ["a b", "a", "c c"].map(list);
        let index = Bm25::new(&documents);
        assert!((index.idf("c") - 0.980_829).abs() < 1e-5);
        assert!((index.idf("a") - 0.470_004).abs() < 1e-5);
        close(&index.scores(&list("c")), &[0.0, 0.0, 0.580_372]);
        close(
            &index.scores(&list("a a x")),
            &[2.0 * 0.470_004 / 2.38, 2.0 * 0.470_004 / 1.84, 0.0],
        );
        close(&Bm25::new(&[]).scores(&list("a")), &[]);
        close(&Bm25::new(&[vec![], vec![]]).scores(&list("a")), &[0.0, 0.0]);
    }
}
