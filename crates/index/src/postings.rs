//! Postings as a store can keep them, and BM25 over them: the same scores as those of [`Lexical`](super::Lexical), to the bit.
//!
//! For each term and each block of [`BLOCK`] ids there is a sequence of postings, 8 bytes for each row that holds the term. So a store
//! reads a term with few rows of its own, appends to the last block of a term, and rewrites one block where a row is removed.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BinaryHeap, HashMap, HashSet};

use super::Scored;
use super::bm25::{Bm25, each_term};

/// The number of ids in a block; the block of an id is `id / BLOCK`, rounded down.
pub const BLOCK: i64 = 2_048;
/// The bytes of a posting: the place of the row in its block and the count of the term, of two bytes each, and the number of terms of
/// the row, all little-endian.
const BYTES: usize = 8;

/// The postings of some rows.
#[derive(Debug, Default)]
pub struct Postings {
    /// By term and block.
    pub of: BTreeMap<(String, i64), Vec<u8>>,
    /// The number of rows.
    pub rows: u64,
    /// The number of terms of all rows together.
    pub terms: u64,
}

impl Postings {
    /// Adds a row, its terms separated by single spaces. Ids are not negative and distinct.
    pub fn add(&mut self, id: i64, text: &str) {
        let mut counts: HashMap<String, u32> = HashMap::new();
        let mut length: u32 = 0;
        each_term(text, |term| {
            length = length.saturating_add(1);
            match counts.get_mut(term) {
                Some(count) => *count += 1,
                None => {
                    counts.insert(term.to_owned(), 1);
                }
            }
        });
        let (block, place) = (id.div_euclid(BLOCK), id.rem_euclid(BLOCK) as u16);
        for (term, count) in counts {
            let count = u16::try_from(count).unwrap_or(u16::MAX);
            let bytes = self.of.entry((term, block)).or_default();
            bytes.extend(place.to_le_bytes());
            bytes.extend(count.to_le_bytes());
            bytes.extend(length.to_le_bytes());
        }
        self.rows += 1;
        self.terms += u64::from(length);
    }
}

/// Returns how many rows so many bytes of postings are of.
pub fn count_postings(bytes: usize) -> usize {
    bytes / BYTES
}

/// Returns the postings of a block without those of some rows.
pub fn without(block: i64, postings: &[u8], gone: &HashSet<i64>) -> Vec<u8> {
    let (all, _) = postings.as_chunks::<BYTES>();
    let kept = all.iter().filter(|posting| !gone.contains(&(block * BLOCK + place(posting))));
    kept.flatten().copied().collect()
}

/// Returns the sum of the counts of some postings.
pub fn sum_counts(postings: &[u8]) -> u64 {
    let (all, _) = postings.as_chunks::<BYTES>();
    all.iter().map(|[_, _, low, high, ..]| u64::from(u16::from_le_bytes([*low, *high]))).sum()
}

fn place([low, high, ..]: &[u8; BYTES]) -> i64 {
    i64::from(u16::from_le_bytes([*low, *high]))
}

/// The scores of rows, term by term.
pub struct Scores {
    bm25: Bm25,
    /// The scores of each block with a row that has one; 0 for a row without a term of the question.
    blocks: HashMap<i64, Vec<f64>>,
}

impl Scores {
    /// Begins the search of a collection with so many rows and, in all of them together, so many terms.
    pub fn new(rows: u64, terms: u64) -> Self {
        Self { bm25: Bm25::new(rows, terms), blocks: HashMap::new() }
    }

    /// Adds what a term of the question says, which is above 0 in weight. `postings` are all those of the term, by block.
    pub fn add<P: AsRef<[u8]>>(&mut self, weight: f32, postings: &[(i64, P)]) {
        let bytes: usize = postings.iter().map(|(_, bytes)| bytes.as_ref().len()).sum();
        let idf = self.bm25.idf(weight, count_postings(bytes));
        for (block, bytes) in postings {
            let scores = self.blocks.entry(*block).or_insert_with(|| vec![0.0; BLOCK as usize]);
            let (all, _) = bytes.as_ref().as_chunks::<BYTES>();
            for posting in all {
                let [_, _, low, high, a, b, c, d] = *posting;
                let count = u16::from_le_bytes([low, high]);
                let norm = self.bm25.norm(u32::from_le_bytes([a, b, c, d]));
                if let Some(score) = scores.get_mut(place(posting) as usize) {
                    *score += Bm25::part(idf, count, norm);
                }
            }
        }
    }

    /// Returns the rows that hold a term of the question, best first, ties by id. The first ones come early: only what is taken is sorted.
    pub fn into_descending(self) -> impl Iterator<Item = Scored<f64>> {
        let rows = self.blocks.into_iter().flat_map(|(block, scores)| {
            let row = move |(id, score)| Candidate(Scored { id, score });
            (block * BLOCK..).zip(scores).filter(|(_, score)| *score > 0.0).map(row)
        });
        let mut heap: BinaryHeap<Candidate> = rows.collect();
        std::iter::from_fn(move || heap.pop().map(|candidate| candidate.0))
    }
}

/// A row; the greatest is the best.
struct Candidate(Scored<f64>);

impl Ord for Candidate {
    fn cmp(&self, other: &Self) -> Ordering {
        self.0.score.total_cmp(&other.0.score).then(other.0.id.cmp(&self.0.id))
    }
}

impl PartialOrd for Candidate {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Candidate {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Candidate {}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::{Lexical, Scratch};

    fn of_term<'a>(postings: &'a Postings, term: &str) -> Vec<(i64, &'a [u8])> {
        let of_it = postings.of.iter().filter(|((known, _), _)| known == term);
        of_it.map(|((_, block), bytes)| (*block, bytes.as_slice())).collect()
    }

    proptest! {
        // proves: A7
        #[test]
        fn stored_postings_score_as_the_index_in_memory_does(
            texts in prop::collection::vec("([a-fA-F]{1,2}[ \n]){0,12}", 1..40),
            query in prop::collection::btree_map("[a-f]{1,2}", -0.5f32..2.0, 0..6),
            step in 1i64..700,
        ) {
            // Ids far enough apart to lie in several blocks.
            let rows = || (0i64..).step_by(step as usize).zip(&texts);
            let query: Vec<(&str, f32)> = query.iter().map(|(term, weight)| (term.as_str(), *weight)).collect();
            let lexical = Lexical::build(rows().map(|(id, text)| (id, 0, text)));
            let wanted = lexical.search(&query, usize::MAX, |_| true, &mut Scratch::default());
            let mut stored = Postings::default();
            // What was there for a while leaves nothing behind.
            stored.add(3, "a b b f");
            let gone = HashSet::from([3]);
            for ((_, block), bytes) in &mut stored.of {
                *bytes = without(*block, bytes, &gone);
            }
            let mut stored = Postings { rows: 0, terms: 0, ..stored };
            rows().for_each(|(id, text)| stored.add(id, text));
            let counted: u64 = stored.of.values().map(|bytes| sum_counts(bytes)).sum();
            prop_assert_eq!(counted, stored.terms);
            let mut scores = Scores::new(stored.rows, stored.terms);
            for (term, weight) in query.iter().filter(|(_, weight)| *weight > 0.0) {
                let postings = of_term(&stored, term);
                let bytes = postings.iter().map(|(_, bytes)| bytes.len()).sum();
                prop_assert_eq!(count_postings(bytes), lexical.holding(term));
                scores.add(*weight, &postings);
            }
            prop_assert_eq!(scores.into_descending().collect::<Vec<_>>(), wanted);
        }
    }
}
