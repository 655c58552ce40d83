//! Ranks the rows of a collection: by words, by meaning, and by both.
//!
//! [`Lexical`] scores by BM25, bit for bit as SQLite's FTS5 does; [`rm3`] expands a question with words from its first hits; [`Dense`]
//! finds the nearest vectors; [`fuse`] merges several rankings into one. [`search`] combines them. All of it is plain data: texts and
//! exact vectors, which the structures do not keep, come from the caller through [`Rows`]. A store that has indexes of its own takes
//! their places through [`Words`] and [`Vectors`], and everything else is the same; [`Postings`] are what it may keep of words.
//!
//! [`Indexes`] caches the indexes of many collections, built from [`Chunks`], and [`Held::rank`] answers a [`Request`] to one of them;
//! [`rank`] answers it by any indexes.
//!
//! ```
//! use index::{Lexical, Scratch};
//!
//! let rows = [(7, 0, "gull nest cliff"), (8, 0, "gull feed"), (9, 1, "tern nest"), (10, 1, "plover")];
//! let index = Lexical::build(rows);
//! let found = index.search(&[("nest", 1.0)], 10, |_| true, &mut Scratch::default());
//! assert_eq!(found.iter().map(|scored| scored.id).collect::<Vec<_>>(), [9, 7]);
//! ```

mod asked;
mod best;
mod bm25;
mod dense;
mod feedback;
mod fusion;
mod held;
mod kernels;
mod lexical;
mod order;
mod postings;
mod request;
mod sketch;

pub use asked::{AskedTerm, asked_for, asked_in};
pub use dense::{Dense, IndexError, KeepingVectors, nearest};
pub use feedback::{Feedback, rm3};
pub use fusion::{RRF_K, fuse};
pub use held::{Chunks, Held, Indexes, Version};
pub use lexical::{Keeping, Lexical, Scratch};
pub use order::{Order, collected};
pub use postings::{BLOCK, Postings, Scores, count_postings, sum_counts, without};
pub use request::{Nearness, Ranked, Request, rank};

use std::collections::HashMap;
use std::convert::Infallible;

use dense::SPARE;

/// A row and its score; higher is better.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Scored<S> {
    pub id: i64,
    pub score: S,
}

/// Data that the structures do not keep: the caller reads it by row id.
pub trait Rows {
    /// Why the data could not be read, or why the index rejects a vector.
    type Error: From<IndexError>;
    /// Returns the terms of each row, separated by single spaces, in the order of `ids`; empty for a row that is gone.
    fn terms(&mut self, ids: &[i64]) -> Result<Vec<String>, Self::Error>;
    /// Returns the vector of each row in the order of `ids`; empty for a row that is gone or has no vector.
    fn vectors(&mut self, ids: &[i64]) -> Result<Vec<Vec<f32>>, Self::Error>;
    /// Returns a number for each row, in the order of `ids`: of rows that score alike, the one with the lower number comes first. Numbers
    /// are distinct, and comparable within one call alone. Unless an index says otherwise, they are the ids.
    fn places(&mut self, ids: &[i64]) -> Result<Vec<i64>, Self::Error> {
        Ok(ids.to_vec())
    }
}

/// A search query.
#[derive(Debug, Clone, Copy)]
pub struct Query<'a> {
    /// Distinct terms, each with its weight: see [`asked_for`].
    pub terms: &'a [(String, f32)],
    /// The question's vector, of length 1.
    pub vector: Option<&'a [f32]>,
}

/// How rankings are computed and combined.
#[derive(Debug, Clone, Copy)]
pub struct Rules {
    /// The maximum number of hits to return.
    pub top_k: usize,
    /// The number of rows of each ranking to fuse.
    pub depth: usize,
    /// How the words of the first hits expand the question; `None` leaves it as it is.
    pub feedback: Option<Feedback>,
}

impl Rules {
    /// Returns the best known rules for `top_k` hits. On training questions 100 rows of each ranking have a mean nDCG@10 of 0.477, 50
    /// rows 0.472, 200 rows 0.480.
    pub fn best(top_k: usize) -> Self {
        Self { top_k, depth: 100.max(top_k), feedback: Some(Feedback::default()) }
    }
}

/// A search hit.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Hit {
    pub id: i64,
    /// Higher is better. With one ranking, its own score (BM25 or the cosine); with two, the fused score, at most 2/61.
    pub score: f64,
    /// The cosine of question and row, -1 to 1, if both have a vector.
    pub cosine: Option<f32>,
}

/// A lexical index: [`Lexical`] in memory, or any other with the same scores.
pub trait Words {
    type Error;
    /// Returns the number of rows in the index.
    fn rows(&self) -> usize;
    /// Returns how many rows hold each of the terms.
    fn holding(&mut self, terms: &[&str]) -> Result<Vec<usize>, Self::Error>;
    /// Returns the `count` best-scoring rows for the weighted terms, best first, ties by [`Rows::places`], as [`Lexical::search`] does.
    fn search(
        &mut self,
        query: &[(&str, f32)],
        count: usize,
    ) -> Result<Vec<Scored<f64>>, Self::Error>;
}

/// A vector index: [`Dense`] in memory, or any other.
pub trait Vectors {
    type Error;
    /// Returns the ids of the `count` rows that seem nearest to `query`, best first.
    fn candidates(&mut self, query: &[f32], count: usize) -> Result<Vec<i64>, Self::Error>;
    /// Returns the mean cosine between `query` and all rows; 0 if there are no rows.
    fn mean_cosine(&self, query: &[f32]) -> f32;
}

/// The index of a store that has none.
impl Words for Infallible {
    type Error = Infallible;

    fn rows(&self) -> usize {
        match *self {}
    }

    fn holding(&mut self, _: &[&str]) -> Result<Vec<usize>, Infallible> {
        match *self {}
    }

    fn search(&mut self, _: &[(&str, f32)], _: usize) -> Result<Vec<Scored<f64>>, Infallible> {
        match *self {}
    }
}

/// The index of a collection without vectors.
impl Vectors for Infallible {
    type Error = Infallible;

    fn candidates(&mut self, _: &[f32], _: usize) -> Result<Vec<i64>, Infallible> {
        match *self {}
    }

    fn mean_cosine(&self, _: &[f32]) -> f32 {
        match *self {}
    }
}

/// An index in memory cannot fail.
impl From<Infallible> for IndexError {
    fn from(never: Infallible) -> IndexError {
        match never {}
    }
}

/// Returns the best rows, best first, ties by [`Rows::places`], after those that feedback puts ahead.
///
/// If both indexes are given and the question has terms and a vector, the two rankings are fused; otherwise the only one decides. A
/// row that shares no term with the question is found by its vector alone.
pub fn search<W: Words, V: Vectors, R: Rows>(
    words: Option<&mut W>,
    vectors: Option<&mut V>,
    query: Query<'_>,
    rules: &Rules,
    rows: &mut R,
) -> Result<Vec<Hit>, R::Error>
where
    R::Error: From<W::Error> + From<V::Error>,
{
    let words = words.filter(|_| !query.terms.is_empty());
    let lexical = words.is_some();
    let dense = vectors.zip(query.vector);
    let depth = if lexical && dense.is_some() { rules.depth.max(rules.top_k) } else { rules.top_k };
    let by_words = match words {
        Some(words) => {
            let feedback = rules.feedback.map(|feedback| match dense {
                Some(_) => Feedback { ahead: 0, ..feedback },
                None => feedback,
            });
            widened(words, query.terms, depth, feedback, rows)?
        }
        None => Vec::new(),
    };
    let Some((dense, vector)) = dense else {
        let hit = |scored: Scored<f64>| Hit { id: scored.id, score: scored.score, cosine: None };
        return Ok(by_words.into_iter().map(hit).collect());
    };
    // Only the first rows are put in exact order: the others only need to be present.
    let exact = rules.top_k.saturating_add(SPARE);
    let mut first = dense.candidates(vector, if lexical { depth.max(exact) } else { exact })?;
    let others = first.split_off(first.len().min(exact));
    // A caller that reads them from a table reads them in table order.
    first.sort_unstable();
    let by_words = by_words.into_iter().map(|scored| scored.id);
    let places = Places::read(by_words.clone().chain(first.iter().chain(&others).copied()), rows)?;
    let vectors = rows.vectors(&first)?;
    let near = nearest(vector, places.of(first.iter().copied()).zip(vectors), first.len());
    if !lexical {
        let near = near.into_iter().take(rules.top_k);
        let hit = |near: Scored<f32>| {
            let (score, cosine) = (f64::from(near.score), Some(near.score));
            places.id(near.id).map(|id| Hit { id, score, cosine })
        };
        return Ok(near.filter_map(hit).collect());
    }
    let mut cosines: HashMap<i64, f32> = near.iter().map(|near| (near.id, near.score)).collect();
    let by_words: Vec<i64> = places.of(by_words).collect();
    let by_meaning: Vec<i64> =
        near.iter().map(|near| near.id).chain(places.of(others.into_iter())).collect();
    let mut fused = fuse(&[&by_words, &by_meaning], RRF_K, depth);
    fused.truncate(rules.top_k);
    let unknown = fused.iter().map(|scored| scored.id).filter(|place| !cosines.contains_key(place));
    let (unknown, ids): (Vec<i64>, Vec<i64>) =
        unknown.filter_map(|place| Some((place, places.id(place)?))).unzip();
    if !unknown.is_empty() {
        let vectors = unknown.iter().copied().zip(rows.vectors(&ids)?);
        cosines.extend(nearest(vector, vectors, unknown.len()).iter().map(|n| (n.id, n.score)));
    }
    let hit = |Scored { id: place, score }: Scored<f64>| {
        places.id(place).map(|id| Hit { id, score, cosine: cosines.get(&place).copied() })
    };
    Ok(fused.into_iter().filter_map(hit).collect())
}

/// The places of the rows that a search compares: ties come in their order.
struct Places {
    of: HashMap<i64, i64>,
    ids: HashMap<i64, i64>,
}

impl Places {
    fn read<R: Rows>(ids: impl Iterator<Item = i64>, rows: &mut R) -> Result<Places, R::Error> {
        let mut distinct: Vec<i64> = ids.collect();
        distinct.sort_unstable();
        distinct.dedup();
        let places = rows.places(&distinct)?;
        let of: HashMap<i64, i64> = distinct.into_iter().zip(places).collect();
        let ids = of.iter().map(|(id, place)| (*place, *id)).collect();
        Ok(Places { of, ids })
    }

    fn of(&self, ids: impl Iterator<Item = i64>) -> impl Iterator<Item = i64> {
        ids.filter_map(|id| self.of.get(&id).copied())
    }

    fn id(&self, place: i64) -> Option<i64> {
        self.ids.get(&place).copied()
    }
}

/// Returns the best rows by BM25 for the question expanded with words from its first hits. The first `ahead` hits of the plain
/// question come first, with the best score.
fn widened<W: Words, R: Rows>(
    words: &mut W,
    terms: &[(String, f32)],
    count: usize,
    feedback: Option<Feedback>,
    rows: &mut R,
) -> Result<Vec<Scored<f64>>, R::Error>
where
    R::Error: From<W::Error>,
{
    let plain: Vec<(&str, f32)> =
        terms.iter().map(|(term, weight)| (term.as_str(), *weight)).collect();
    let Some(feedback) = feedback else { return Ok(words.search(&plain, count)?) };
    let first = words.search(&plain, feedback.documents)?;
    let ids: Vec<i64> = first.iter().map(|scored| scored.id).collect();
    let texts = rows.terms(&ids)?;
    let documents: Vec<(f64, &str)> =
        first.iter().map(|scored| scored.score).zip(texts.iter().map(String::as_str)).collect();
    let most = feedback.most_common_share * words.rows() as f64;
    let mut failed = None;
    let common = |terms: &[&str]| match words.holding(terms) {
        Ok(holding) => holding.into_iter().map(|holding| holding as f64 > most).collect(),
        Err(error) => {
            failed = Some(error);
            vec![true; terms.len()]
        }
    };
    let query = rm3(terms, &documents, &feedback, common);
    if let Some(error) = failed {
        return Err(error.into());
    }
    let query: Vec<(&str, f32)> =
        query.iter().map(|(term, weight)| (term.as_str(), *weight)).collect();
    let ranked = words.search(&query, count)?;
    let best = ranked.iter().map(|scored| scored.score).fold(0.0, f64::max);
    let mut ordered: Vec<Scored<f64>> =
        ids.iter().take(feedback.ahead).map(|id| Scored { id: *id, score: best }).collect();
    let ahead = ordered.len();
    ordered
        .extend(ranked.into_iter().filter(|one| !ids.iter().take(ahead).any(|id| *id == one.id)));
    ordered.truncate(count);
    Ok(ordered)
}

#[cfg(test)]
mod tests;
