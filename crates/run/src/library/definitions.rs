//! Passages that say what the subject of a question is: under a heading that names it, or where a sentence begins with it.

use std::collections::BTreeSet;

use super::spread::spread;
use super::{Found, Search};
use crate::evidence::Passage;

/// A question with more terms is about more than what its subject is.
const MOST_TERMS: usize = 4;
/// A question with more words is not examined.
const MOST_WORDS: usize = 12;
/// The passages among which definitions are looked for.
const REACH: u32 = 50;
/// How many times as many passages as are wanted are ranked, so that those of several documents are among them.
const OF_OTHERS: u32 = 3;
/// By how much the score of a passage grows whose heading names the subject, and of one with a sentence that begins with it. Chosen on the
/// glossary of git and measured on that of PostgreSQL (`docs/decisions/retrieval.md`).
const HEADING: f64 = 1.5;
const BEGINNING: f64 = 1.5;
/// The words at the beginning of a sentence, besides those of the subject, among which the subject stands.
const ARTICLES: usize = 3;

impl Search {
    /// Returns how many passages to rank, of which [`Found::settle`] keeps as many as are wanted.
    pub fn reach(&self) -> u32 {
        let is_short = self.question.split_whitespace().nth(MOST_WORDS).is_none();
        let others = self.top_k.saturating_mul(OF_OTHERS).min(REACH);
        self.top_k.max(others).max(if is_short { REACH } else { 0 })
    }
}

impl Found {
    /// Orders the passages for their reader, and keeps the first `top_k`: those that say what the subject of a short question is come
    /// ahead, and from the third on those of a document wait behind others of use.
    pub fn settle(&mut self, top_k: u32) {
        self.prefer_definitions();
        self.passages = spread(std::mem::take(&mut self.passages), top_k as usize);
    }

    /// Puts passages ahead that say what the subject of a short question is.
    ///
    /// The subject is all that the question says besides function words, so only a question such as "What is a checkpoint?" has one.
    fn prefer_definitions(&mut self) {
        let subject: BTreeSet<&str> = self.terms.iter().map(|(term, _)| term.as_str()).collect();
        if (1..=MOST_TERMS).contains(&subject.len()) {
            let mut reader = self.reader();
            let mut weigh = |passage: &Passage| {
                let heading = passage.place.section.rsplit(" > ").next().unwrap_or_default();
                let named = reader.terms(passage, heading);
                let named: BTreeSet<&str> = named.iter().map(String::as_str).collect();
                let by_heading = if named == subject { HEADING } else { 1.0 };
                let begins = text::sentences(&passage.text).into_iter().any(|span| {
                    let sentence = passage.text.get(span).unwrap_or_default();
                    let words = sentence.split_whitespace().take(subject.len() + ARTICLES);
                    let terms = reader.terms(passage, &words.collect::<Vec<_>>().join(" "));
                    let first = terms.iter().take(subject.len()).map(String::as_str);
                    first.collect::<BTreeSet<_>>() == subject
                });
                by_heading * if begins { BEGINNING } else { 1.0 }
            };
            let weights: Vec<f64> = self.passages.iter().map(&mut weigh).collect();
            for (passage, weight) in self.passages.iter_mut().zip(weights) {
                if passage.score > 0.0 {
                    passage.score *= weight;
                }
            }
            self.passages.sort_by(|a, b| b.score.total_cmp(&a.score));
        }
    }
}
