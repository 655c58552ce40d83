//! Search: looks up words in memory or in the file, and reads the passages of the hits.
//!
//! Vectors are compared in memory. The first search of a collection looks up words in the file's own index, because a command asks one
//! question and ends; later searches of the same collection use an index in memory. Both score alike.

use std::collections::{BTreeMap, HashMap, HashSet};

use rusqlite::functions::FunctionFlags;
use rusqlite::{CachedStatement, Connection, OptionalExtension, params};

use run::library::{Cosines, Filter, Found, Retrieval, Search, Values, floats};

use crate::library::{CollectionRow, unreadable};
use crate::passage;
use index::{
    Chunks, Dense, IndexError, Indexes, Lexical, Order, Request, Rows, Scored, Version, Words,
    collected,
};
use text::fold_case;

/// Returns the hits in the collection. `vector` is the question's if vectors are compared, made as the collection's are.
pub(crate) fn search(
    connection: &Connection,
    indexes: &Indexes,
    user: &str,
    collection_row: &CollectionRow,
    search: &Search,
    vector: Option<&[f32]>,
) -> rusqlite::Result<Found> {
    let retrieval = search.retrieval.in_a(&collection_row.manifest);
    let reading = collection_row.manifest.reading(&search.question);
    let version = Version { collection: collection_row.id, changes: collection_row.changes };
    let mut stored = Stored { connection, collection_row, user };
    let held = indexes.of(version, vector.is_some(), &mut stored)?;
    let (allowed, values) = find_allowed(connection, user, collection_row, search)?;
    let order = held.order.as_deref();
    let mut in_file =
        InFile { connection, collection_row, user, order, allowed: allowed.as_ref(), chunks: None };
    let request = Request {
        question: &search.question,
        languages: &reading.languages,
        asked_in: reading.asked_in,
        by_words: retrieval != Retrieval::Dense,
        feedback: retrieval != Retrieval::Lexical,
        vector,
        top_k: search.reach() as usize,
    };
    let ranked = held.rank(&request, allowed.as_ref(), Some(&mut in_file), &mut stored)?;
    let hits = ranked.hits.iter().map(|hit| (hit.id, hit.score));
    let mut found = Found {
        passages: passage::of_chunks(connection, user, hits)?,
        terms: ranked.terms,
        cosines: ranked.nearness.map(|near| Cosines { best: near.best, mean: near.mean }),
        chunks: collection_row.chunks,
        language: reading.language(),
        languages: reading.told(),
        foreign: reading.foreign(),
        forms: ranked.forms,
        values,
    };
    found.settle(search.top_k);
    Ok(found)
}

/// Why a search failed.
#[derive(Debug)]
pub(crate) enum Fault {
    File(rusqlite::Error),
    Index(IndexError),
}

impl From<rusqlite::Error> for Fault {
    fn from(error: rusqlite::Error) -> Fault {
        Fault::File(error)
    }
}

impl From<IndexError> for Fault {
    fn from(error: IndexError) -> Fault {
        Fault::Index(error)
    }
}

impl From<std::convert::Infallible> for Fault {
    fn from(never: std::convert::Infallible) -> Fault {
        match never {}
    }
}

impl From<Fault> for rusqlite::Error {
    fn from(fault: Fault) -> rusqlite::Error {
        match fault {
            Fault::File(error) => error,
            Fault::Index(error) => rusqlite::Error::ToSqlConversionFailure(Box::new(error)),
        }
    }
}

/// The words of a collection in the file's own index.
struct InFile<'a> {
    connection: &'a Connection,
    collection_row: &'a CollectionRow,
    user: &'a str,
    order: Option<&'a Order>,
    allowed: Option<&'a HashSet<String>>,
    /// The chunks of the allowed documents, once read.
    chunks: Option<HashSet<i64>>,
}

impl InFile<'_> {
    fn statement(&self, sql: &str) -> rusqlite::Result<CachedStatement<'_>> {
        let index = format!("terms_{}", self.collection_row.id);
        self.connection.prepare_cached(&sql.replace("{index}", &index))
    }

    /// Returns the chunks that may be found; `None` if all may.
    fn allowed_chunks(&mut self) -> rusqlite::Result<Option<&HashSet<i64>>> {
        let Some(allowed) = self.allowed else { return Ok(None) };
        if self.chunks.is_none() {
            let mut query = self
                .connection
                .prepare_cached("SELECT id FROM chunks WHERE user_id = ?1 AND document_id = ?2")?;
            let mut chunks = HashSet::new();
            for document in allowed {
                for id in query.query_map(params![self.user, document], |row| row.get(0))? {
                    chunks.insert(id?);
                }
            }
            self.chunks = Some(chunks);
        }
        Ok(self.chunks.as_ref())
    }
}

impl InFile<'_> {
    /// Returns the best of these chunks, best first, ties by their documents' paths.
    fn best(&self, scores: HashMap<i64, f64>, count: usize) -> rusqlite::Result<Vec<Scored<f64>>> {
        let mut best: Vec<Scored<f64>> =
            scores.into_iter().map(|(id, score)| Scored { id, score }).collect();
        if let Some(order) = self.order {
            best.retain_mut(|one| order.place(one.id).map(|place| one.id = place).is_some());
            best.sort_unstable_by(|a, b| b.score.total_cmp(&a.score).then(a.id.cmp(&b.id)));
        } else {
            best.sort_unstable_by(|a, b| b.score.total_cmp(&a.score));
            let last = best.get(count.saturating_sub(1)).map(|one| one.score);
            best.truncate(best.partition_point(|one| Some(one.score) >= last));
            let mut query = self.connection.prepare_cached(
                "SELECT d.path, k.number FROM chunks k JOIN documents d ON d.user_id = k.user_id AND d.id = k.document_id
                  WHERE k.id = ?1 AND k.user_id = ?2",
            )?;
            let mut placed: Vec<(Scored<f64>, (String, i64))> = Vec::with_capacity(best.len());
            for one in best {
                let place = query
                    .query_row(params![one.id, self.user], |row| Ok((row.get(0)?, row.get(1)?)))?;
                placed.push((one, place));
            }
            placed.sort_by(|(a, first), (b, second)| {
                b.score.total_cmp(&a.score).then_with(|| first.cmp(second))
            });
            best = placed.into_iter().map(|(one, _)| one).collect();
        }
        best.truncate(count);
        Ok(best)
    }
}

impl Words for InFile<'_> {
    type Error = Fault;

    fn rows(&self) -> usize {
        self.collection_row.chunks as usize
    }

    fn holding(&mut self, terms: &[&str]) -> Result<Vec<usize>, Fault> {
        let mut query = self.statement("SELECT count(*) FROM {index} WHERE {index} MATCH ?1")?;
        let mut count =
            |term: &&str| query.query_row(params![quoted(term)], |row| row.get::<_, i64>(0));
        terms.iter().map(|term| Ok(count(term)? as usize)).collect()
    }

    fn search(&mut self, query: &[(&str, f32)], count: usize) -> Result<Vec<Scored<f64>>, Fault> {
        let mut scores: HashMap<i64, f64> = HashMap::new();
        {
            let mut one =
                self.statement("SELECT rowid, -bm25({index}) FROM {index} WHERE {index} MATCH ?1")?;
            for (term, weight) in query.iter().filter(|(_, weight)| *weight > 0.0) {
                let rows = one.query_map(params![quoted(term)], |row| {
                    Ok((row.get::<_, i64>(0)?, row.get::<_, f64>(1)?))
                })?;
                for row in rows {
                    let (id, score) = row?;
                    *scores.entry(id).or_default() += f64::from(*weight) * score;
                }
            }
        }
        let allowed = self.allowed_chunks()?;
        scores.retain(|id, _| allowed.is_none_or(|chunks| chunks.contains(id)));
        Ok(self.best(scores, count)?)
    }
}

/// The chunks of a collection, read from the file.
struct Stored<'a> {
    connection: &'a Connection,
    collection_row: &'a CollectionRow,
    user: &'a str,
}

impl Chunks for Stored<'_> {
    type Error = Fault;

    fn order(&mut self) -> Result<Order, Fault> {
        let mut query = self.connection.prepare_cached(
            "SELECT k.id, d.id FROM documents d JOIN chunks k ON k.user_id = d.user_id AND k.document_id = d.id
              WHERE d.user_id = ?1 AND d.collection_id = ?2 ORDER BY d.path, k.number",
        )?;
        let rows = query.query_map(params![self.user, self.collection_row.id], |row| {
            Ok((row.get(0)?, row.get::<_, String>(1)?))
        })?;
        Ok(collected(rows, |rows| Order::build(rows))?)
    }

    fn dense(&mut self, order: &Order) -> Result<Dense, Fault> {
        let dimensions = self.collection_row.manifest.dimensions();
        let mut query = self.connection.prepare_cached(&format!(
            "SELECT chunk_id, vector FROM vectors_{} ORDER BY chunk_id",
            self.collection_row.id
        ))?;
        let rows =
            query.query_map([], |row| Ok((row.get(0)?, floats(row.get_ref(1)?.as_blob()?))))?;
        let owned = |chunk| order.owned(chunk);
        Ok(collected(rows, |rows| Dense::build(dimensions, rows.filter_map(owned)))??)
    }

    fn lexical(&mut self, order: &Order) -> Result<Lexical, Fault> {
        let mut query = self.connection.prepare_cached(&format!(
            "SELECT rowid, terms FROM terms_{} ORDER BY rowid",
            self.collection_row.id
        ))?;
        let rows = query.query_map([], |row| Ok((row.get(0)?, row.get::<_, String>(1)?)))?;
        let owned = |chunk| order.owned(chunk);
        Ok(collected(rows, |rows| Lexical::build(rows.filter_map(owned)))?)
    }
}

impl Rows for Stored<'_> {
    type Error = Fault;

    fn terms(&mut self, ids: &[i64]) -> Result<Vec<String>, Fault> {
        let mut query = self.connection.prepare_cached(&format!(
            "SELECT terms FROM terms_{} WHERE rowid = ?1",
            self.collection_row.id
        ))?;
        let one = |id: &i64| query.query_row(params![id], |row| row.get(0)).optional();
        let terms: rusqlite::Result<Vec<Option<String>>> = ids.iter().map(one).collect();
        Ok(terms?.into_iter().map(Option::unwrap_or_default).collect())
    }

    fn vectors(&mut self, ids: &[i64]) -> Result<Vec<Vec<f32>>, Fault> {
        let mut query = self.connection.prepare_cached(&format!(
            "SELECT vector FROM vectors_{} WHERE chunk_id = ?1",
            self.collection_row.id
        ))?;
        let one = |id: &i64| {
            query.query_row(params![id], |row| Ok(floats(row.get_ref(0)?.as_blob()?))).optional()
        };
        let vectors: rusqlite::Result<Vec<Option<Vec<f32>>>> = ids.iter().map(one).collect();
        Ok(vectors?.into_iter().map(Option::unwrap_or_default).collect())
    }
}

/// The ids of documents that may be found, and what values there are if there is no such document.
type Allowed = (Option<HashSet<String>>, BTreeMap<String, Vec<String>>);

/// Returns the documents that pass the filter; `None` if there is no filter.
fn find_allowed(
    connection: &Connection,
    user: &str,
    collection_row: &CollectionRow,
    search: &Search,
) -> rusqlite::Result<Allowed> {
    let Some(filter) = Filter::of(&search.filter) else { return Ok((None, BTreeMap::new())) };
    let mut query = connection.prepare_cached(
        "SELECT id, metadata FROM documents WHERE user_id = ?1 AND collection_id = ?2",
    )?;
    let mut rows = query.query(params![user, collection_row.id])?;
    let (mut allowed, mut values) = (HashSet::new(), Values::of(&search.filter));
    while let Some(row) = rows.next()? {
        let metadata: BTreeMap<String, String> = serde_json::from_str(row.get_ref(1)?.as_str()?)
            .map_err(|reason| unreadable(1, reason))?;
        if filter.passes(&metadata) {
            allowed.insert(row.get(0)?);
        } else if allowed.is_empty() {
            values.take(&metadata);
        }
    }
    let values = if allowed.is_empty() { values.told() } else { BTreeMap::new() };
    Ok((Some(allowed), values))
}

/// Quotes a term for FTS5, which gives unquoted characters a meaning.
fn quoted(term: &str) -> String {
    format!("\"{}\"", term.replace('"', "\"\""))
}

/// Registers `fold(text)`, which is [`fold_case`]: SQLite's own `lower` handles ASCII only.
pub(crate) fn register_functions(connection: &Connection) -> rusqlite::Result<()> {
    let flags = FunctionFlags::SQLITE_UTF8 | FunctionFlags::SQLITE_DETERMINISTIC;
    connection.create_scalar_function("fold", 1, flags, |context| {
        Ok(fold_case(&context.get::<String>(0)?))
    })
}
