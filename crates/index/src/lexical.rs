//! BM25 in memory.
//!
//! The rows of each term are contiguous, so a question reads a few stretches of memory from end to end.

use std::cell::RefCell;
use std::collections::HashMap;
use std::convert::Infallible;

use super::best::Best;
use super::bm25::{Bm25, each_term};
use super::{Scored, Words};

/// The terms of a collection: 6 bytes for each distinct term of a row, and 20 for a row.
pub struct Lexical {
    terms: HashMap<Box<str>, u32>,
    /// The index at which the rows of each term begin, and at the end the total.
    starts: Vec<usize>,
    rows: Vec<u32>,
    counts: Vec<u16>,
    ids: Vec<i64>,
    owners: Vec<u32>,
    /// [`Bm25::norm`] of each row.
    norms: Vec<f64>,
    bm25: Bm25,
}

/// Memory that successive searches reuse, on any index.
#[derive(Default)]
pub struct Scratch {
    /// All zero between searches.
    scores: Vec<f64>,
    touched: Vec<u32>,
}

impl Lexical {
    /// Builds the index from rows of (id, owner, terms separated by single spaces), at most 2³² − 1 of them.
    ///
    /// As in the full-text tables, a term has no ASCII capitals and ends at white space or a control character.
    pub fn build<S: AsRef<str>>(rows: impl IntoIterator<Item = (i64, u32, S)>) -> Self {
        let mut terms: HashMap<Box<str>, u32> = HashMap::new();
        let mut holding: Vec<usize> = Vec::new();
        let (mut ids, mut owners, mut lengths) = (Vec::new(), Vec::new(), Vec::new());
        // The terms of each row, row by row; transposed below to term by term.
        let mut forward: Vec<(u32, u16)> = Vec::new();
        let mut ends = Vec::new();
        let mut held: Vec<u32> = Vec::new();
        let mut total = 0;
        for (id, owner, text) in rows {
            held.clear();
            each_term(text.as_ref(), |term| {
                let number = match terms.get(term) {
                    Some(number) => *number,
                    None => {
                        let number = terms.len() as u32;
                        terms.insert(term.into(), number);
                        holding.push(0);
                        number
                    }
                };
                held.push(number);
            });
            held.sort_unstable();
            for same in held.chunk_by(|a, b| a == b) {
                let Some(number) = same.first() else { continue };
                forward.push((*number, u16::try_from(same.len()).unwrap_or(u16::MAX)));
                if let Some(count) = holding.get_mut(*number as usize) {
                    *count += 1;
                }
            }
            ends.push(forward.len());
            total += held.len() as u64;
            lengths.push(held.len() as u32);
            ids.push(id);
            owners.push(owner);
        }
        let mut starts = Vec::with_capacity(holding.len() + 1);
        let mut next = 0;
        for count in &holding {
            starts.push(next);
            next += count;
        }
        starts.push(next);
        let mut at = starts.clone();
        let (mut rows, mut counts) = (vec![0; next], vec![0; next]);
        let mut from = 0;
        for (row, end) in ends.into_iter().enumerate() {
            for (number, count) in forward.get(from..end).unwrap_or_default() {
                let Some(at) = at.get_mut(*number as usize) else { continue };
                if let (Some(place), Some(held)) = (rows.get_mut(*at), counts.get_mut(*at)) {
                    (*place, *held) = (row as u32, *count);
                }
                *at += 1;
            }
            from = end;
        }
        let bm25 = Bm25::new(ids.len() as u64, total);
        let norms = lengths.iter().map(|length| bm25.norm(*length)).collect();
        terms.shrink_to_fit();
        ids.shrink_to_fit();
        owners.shrink_to_fit();
        Self { terms, starts, rows, counts, ids, owners, norms, bm25 }
    }

    pub fn len(&self) -> usize {
        self.ids.len()
    }

    pub fn is_empty(&self) -> bool {
        self.ids.is_empty()
    }

    /// Returns how many rows hold `term`.
    pub fn holding(&self, term: &str) -> usize {
        self.postings(term).map_or(0, |(rows, _)| rows.len())
    }

    /// Returns the number of pairs of a term and a row that holds it.
    pub fn postings_count(&self) -> usize {
        self.rows.len()
    }

    /// Returns the bytes of memory that the index holds, without the allocator's overhead.
    pub fn bytes(&self) -> usize {
        let words: usize = self.terms.keys().map(|term| term.len()).sum();
        words
            + self.terms.capacity() * (size_of::<(Box<str>, u32)>() + 1)
            + self.starts.capacity() * size_of::<usize>()
            + self.rows.capacity() * 4
            + self.counts.capacity() * 2
            + self.ids.capacity() * 8
            + self.owners.capacity() * 4
            + self.norms.capacity() * 8
    }

    fn postings(&self, term: &str) -> Option<(&[u32], &[u16])> {
        let number = *self.terms.get(term)? as usize;
        let range = *self.starts.get(number)?..*self.starts.get(number + 1)?;
        Some((self.rows.get(range.clone())?, self.counts.get(range)?))
    }

    /// Returns the `k` best-scoring rows, best first, ties by id, among those that hold one of the terms and whose owner `keep`
    /// accepts.
    ///
    /// The score is the sum, over the terms of `query`, of `weight · idf · tf · (k1 + 1) / (tf + k1 · (1 − b + b · length / average
    /// length))` with k1 = 1.2, b = 0.75 and `idf = ln((N − n + 0.5) / (n + 0.5))`, or 1e-6 if that is not positive: the value of
    /// SQLite's `bm25()` with its sign flipped. Terms are distinct; one whose weight is not positive is left out.
    pub fn search<T: AsRef<str>>(
        &self,
        query: &[(T, f32)],
        k: usize,
        keep: impl Fn(u32) -> bool,
        scratch: &mut Scratch,
    ) -> Vec<Scored<f64>> {
        let Scratch { scores, touched } = scratch;
        if scores.len() < self.len() {
            scores.resize(self.len(), 0.0);
        }
        for (term, weight) in query {
            let Some((rows, counts)) = self.postings(term.as_ref()).filter(|_| *weight > 0.0)
            else {
                continue;
            };
            let idf = self.bm25.idf(*weight, rows.len());
            for (row, count) in rows.iter().zip(counts) {
                let (Some(score), Some(norm)) =
                    (scores.get_mut(*row as usize), self.norms.get(*row as usize))
                else {
                    continue;
                };
                if *score == 0.0 {
                    touched.push(*row);
                }
                *score += Bm25::part(idf, *count, *norm);
            }
        }
        let mut best = Best::new(k, touched.len());
        for row in touched.drain(..) {
            let Some(score) = scores.get_mut(row as usize).map(std::mem::take) else { continue };
            if best.wants(score)
                && self.owners.get(row as usize).is_some_and(|owner| keep(*owner))
                && let Some(id) = self.ids.get(row as usize)
            {
                best.offer(*id, score);
            }
        }
        best.into_sorted()
    }
}

thread_local! {
    /// Reused by the searches of a thread.
    static SCRATCH: RefCell<Scratch> = RefCell::default();
}

/// A lexical index restricted to some owners.
pub struct Keeping<'a, F> {
    index: &'a Lexical,
    keep: F,
}

impl Lexical {
    /// Returns the index restricted to the rows whose owner `keep` accepts. Its statistics still cover all rows.
    pub fn keeping<F: Fn(u32) -> bool>(&self, keep: F) -> Keeping<'_, F> {
        Keeping { index: self, keep }
    }
}

impl<F: Fn(u32) -> bool> Words for Keeping<'_, F> {
    type Error = Infallible;

    fn rows(&self) -> usize {
        self.index.len()
    }

    fn holding(&mut self, terms: &[&str]) -> Result<Vec<usize>, Infallible> {
        Ok(terms.iter().map(|term| self.index.holding(term)).collect())
    }

    fn search(
        &mut self,
        query: &[(&str, f32)],
        count: usize,
    ) -> Result<Vec<Scored<f64>>, Infallible> {
        let mut scratch = SCRATCH.take();
        let found = self.index.search(query, count, &self.keep, &mut scratch);
        SCRATCH.set(scratch);
        Ok(found)
    }
}
