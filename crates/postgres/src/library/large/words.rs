//! BM25 over the postings of a large collection.
//!
//! The database gives whole blocks of postings, and the scores are added here, in the order of the terms, as in memory: so they are the
//! same to the bit, equals stay equal, and the server, which all share, only reads. Summing in SQL over a row for each term of a chunk was
//! the other way; the rows take ten times the space, and grouping them takes far longer than sending them.

use std::collections::{HashMap, HashSet};

use index::{Scored, Scores, Words, count_postings};

use super::{LargeIndex, key};
use crate::fault::Fault;
use crate::library::search::{Allowed, Place, Stored};

/// The number of terms whose postings are read at once.
const TERMS: usize = 8;
/// The number of allowed chunks up to which all of them are read.
const FEW: u64 = 100_000;
/// The number of rows whose documents are looked up at once, at least.
const PORTION: usize = 256;

/// The postings of a term, by block.
type Blocks = Vec<(i64, Vec<u8>)>;

/// The words of a large collection.
pub(in crate::library) struct LargeWords<'a> {
    pub(in crate::library) chunks: &'a Stored<'a>,
    pub(in crate::library) index: &'a LargeIndex,
    pub(in crate::library) allowed: Option<&'a Allowed>,
}

impl Words for LargeWords<'_> {
    type Error = Fault;

    fn rows(&self) -> usize {
        self.index.chunks as usize
    }

    fn holding(&mut self, terms: &[&str]) -> Result<Vec<usize>, Fault> {
        let keys: Vec<String> = terms.iter().map(|term| key(term)).collect();
        let sql = format!(
            "SELECT term, sum(octet_length(postings))::bigint FROM postings_{} WHERE term = ANY($1) GROUP BY term",
            self.index.collection
        );
        let mut bytes: HashMap<String, i64> = HashMap::new();
        for row in self.chunks.snapshot.rows(&sql, &[&keys])? {
            bytes.insert(row.try_get(0)?, row.try_get(1)?);
        }
        let of = |key| count_postings(bytes.get(key).copied().unwrap_or(0) as usize);
        Ok(keys.iter().map(of).collect())
    }

    fn search(&mut self, query: &[(&str, f32)], count: usize) -> Result<Vec<Scored<f64>>, Fault> {
        let mut scores = Scores::new(self.index.chunks, self.index.terms);
        let weighted: Vec<(String, f32)> = query
            .iter()
            .filter(|(_, weight)| *weight > 0.0)
            .map(|(term, weight)| (key(term), *weight))
            .collect();
        for some in weighted.chunks(TERMS) {
            let mut postings = self.read(some)?;
            for (term, weight) in some {
                scores.add(*weight, &postings.remove(term).unwrap_or_default());
            }
        }
        self.best(scores, count)
    }
}

impl LargeWords<'_> {
    /// Reads the postings of terms, by block.
    fn read(&self, terms: &[(String, f32)]) -> Result<HashMap<String, Blocks>, Fault> {
        let keys: Vec<&str> = terms.iter().map(|(term, _)| term.as_str()).collect();
        let sql = format!(
            "SELECT term, block, postings FROM postings_{} WHERE term = ANY($1)",
            self.index.collection
        );
        let mut postings: HashMap<String, Blocks> = HashMap::new();
        for row in self.chunks.snapshot.rows(&sql, &[&keys])? {
            postings.entry(row.try_get(0)?).or_default().push((row.try_get(1)?, row.try_get(2)?));
        }
        Ok(postings)
    }

    /// Returns the best allowed rows, equals in the order of the collection.
    fn best(&self, scores: Scores, count: usize) -> Result<Vec<Scored<f64>>, Fault> {
        let few = match self.allowed.filter(|allowed| allowed.chunks <= FEW) {
            Some(allowed) => Some(self.chunks.chunks_of(&allowed.documents)?),
            None => None,
        };
        let many = self.allowed.filter(|allowed| allowed.chunks > FEW);
        let is_among = |id: i64| few.as_ref().is_none_or(|few| few.contains(&id));
        let mut rest = scores.into_descending().filter(|scored| is_among(scored.id)).peekable();
        let mut best: Vec<Scored<f64>> = Vec::new();
        while best.len() < count && rest.peek().is_some() {
            let wanted = (count - best.len()).max(if many.is_some() { PORTION } else { 1 });
            let mut portion: Vec<Scored<f64>> = rest.by_ref().take(wanted).collect();
            let last = portion.last().map(|scored| scored.score);
            while let Some(equal) = rest.next_if(|next| Some(next.score) == last) {
                portion.push(equal);
            }
            best.extend(self.ordered(portion, many.map(|allowed| &allowed.documents))?);
        }
        best.truncate(count);
        Ok(best)
    }

    /// Puts equals in order, and leaves out chunks of other documents than those that are allowed.
    fn ordered(
        &self,
        mut rows: Vec<Scored<f64>>,
        allowed: Option<&HashSet<String>>,
    ) -> Result<Vec<Scored<f64>>, Fault> {
        let looked_up = |same: &[Scored<f64>]| same.len() > 1 || allowed.is_some();
        let equals = rows.chunk_by(|a, b| a.score == b.score).filter(|same| looked_up(same));
        let ids: Vec<i64> = equals.flatten().map(|scored| scored.id).collect();
        if ids.is_empty() {
            return Ok(rows);
        }
        let places: HashMap<i64, Place> = self.chunks.read_places(&ids)?;
        if let Some(allowed) = allowed {
            rows.retain(|row| {
                places.get(&row.id).is_some_and(|place| allowed.contains(&place.document))
            });
        }
        rows.sort_by(|a, b| {
            let by_place = || places.get(&a.id).cmp(&places.get(&b.id));
            b.score.total_cmp(&a.score).then_with(by_place)
        });
        Ok(rows)
    }
}
