//! Search: ranks what is read from the database, all of it as of one moment.
//!
//! The indexes of a small collection are built in memory at its first search and again after each change, by this process or another.
//! Those of a large one lie in the database. Ranking works on a thread of its own, which waits for the rows that it needs.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::convert::Infallible;
use std::sync::Arc;

use index::{Chunks, Dense, Lexical, Order, Ranked, Request, Rows, Version, collected, rank};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio_postgres::Row;
use tokio_postgres::types::FromSqlOwned;

use run::error::PortError;
use run::library::{
    Cosines, Filter, Found, QueryVector, Retrieval, Search, Values, floats, none_such,
};

use super::collections::{CollectionRow, find_collection};
use super::large::{self, Builds, LargeIndex, LargeVectors, LargeWords};
use super::passage;
use crate::fault::Fault;
use crate::plain::{restored, stored};
use crate::query::{count, json, text};
use crate::snapshot::Snapshot;

/// The maximum number of searches at once; more wait. So connections remain for everything else while an index is built.
const MOST_SEARCHES: usize = 8;

/// The indexes in memory, the turns of those who use them, and what is known of those in the database.
pub(crate) struct Indexes {
    pub(super) cached: index::Indexes,
    turns: Arc<Semaphore>,
    /// The number of chunks from which a collection is searched in the database.
    pub(crate) large_chunks: u64,
    pub(super) builds: Builds,
}

impl Indexes {
    /// Returns no indexes. Collections of `large_chunks` chunks and more are searched in the database.
    pub(crate) fn new(large_chunks: u64) -> Indexes {
        Indexes {
            cached: index::Indexes::new(0),
            turns: Arc::new(Semaphore::new(MOST_SEARCHES)),
            large_chunks,
            builds: Builds::default(),
        }
    }

    /// Waits for a turn to search.
    pub(super) async fn turn(&self) -> Option<OwnedSemaphorePermit> {
        // The semaphore is never closed.
        Arc::clone(&self.turns).acquire_owned().await.ok()
    }

    /// Returns whether a collection of so many chunks is searched in the database if it can be.
    pub(super) fn is_large(&self, chunks: u64) -> bool {
        chunks >= self.large_chunks.max(1)
    }
}

/// A search of a user.
pub(super) struct Asked {
    pub(super) user: String,
    pub(super) search: Search,
    pub(super) query: Option<QueryVector>,
}

/// What to do with a large collection that has no index in the database.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Unindexed {
    /// Tell, unless an index could not be built lately.
    Tell,
    SearchInMemory,
}

/// The outcome of a search.
pub(super) enum Answer {
    Found(Found),
    /// This collection is large, and has no index in the database.
    Unindexed(i64),
}

/// Searches a collection.
pub(super) fn search(
    snapshot: &Snapshot<'_>,
    indexes: &Indexes,
    asked: &Asked,
    unindexed: Unindexed,
) -> Result<Result<Answer, PortError>, Fault> {
    let Asked { user, search, query } = asked;
    let name = &search.collection;
    let found = snapshot.wait(find_collection(snapshot.transaction, user, name))?;
    let Some(collection) = found else { return Ok(Err(none_such(name))) };
    let vector = match search.vector(&collection.manifest, query.as_ref()) {
        Ok(vector) => vector,
        Err(refused) => return Ok(Err(refused)),
    };
    let retrieval = search.retrieval.in_a(&collection.manifest);
    let reading = collection.manifest.reading(&search.question);
    let request = Request {
        question: &search.question,
        languages: &reading.languages,
        asked_in: reading.asked_in,
        by_words: retrieval != Retrieval::Dense,
        feedback: retrieval != Retrieval::Lexical,
        vector,
        top_k: search.reach() as usize,
    };
    let mut chunks = Stored { snapshot, collection: &collection, user: stored(user) };
    let is_large = indexes.is_large(collection.chunks);
    let large = match is_large {
        true => snapshot.wait(large::find_index(snapshot.transaction, collection.id))?,
        false => None,
    };
    // An index that does not hold the whole collection is none.
    let large = large.filter(|index| index.chunks == collection.chunks);
    let allowed = find_allowed(&chunks, search)?;
    let ranked = match large {
        Some(index) => {
            indexes.cached.forget(collection.id);
            rank_in_database(&chunks, &index, &request, allowed.as_ref())?
        }
        None if is_large
            && unindexed == Unindexed::Tell
            && indexes.builds.may_try(collection.id) =>
        {
            return Ok(Ok(Answer::Unindexed(collection.id)));
        }
        None => {
            let version = Version { collection: collection.id, changes: collection.changes };
            let held = indexes.cached.of(version, vector.is_some(), &mut chunks)?;
            let allowed = allowed.as_ref().map(|allowed| &allowed.documents);
            held.rank(&request, allowed, None::<&mut Infallible>, &mut chunks)?
        }
    };
    let passages = passage::of_hits(snapshot.transaction, user, &ranked.hits);
    let mut found = Found {
        passages: snapshot.wait(passages)?,
        terms: ranked.terms,
        cosines: ranked.nearness.map(|near| Cosines { best: near.best, mean: near.mean }),
        chunks: collection.chunks,
        language: reading.language(),
        languages: reading.told(),
        foreign: reading.foreign(),
        forms: ranked.forms,
        values: allowed.map(|allowed| allowed.values).unwrap_or_default(),
    };
    found.settle(search.top_k);
    Ok(Ok(Answer::Found(found)))
}

/// Ranks a large collection by its index in the database.
fn rank_in_database(
    chunks: &Stored<'_>,
    index: &LargeIndex,
    request: &Request<'_>,
    allowed: Option<&Allowed>,
) -> Result<Ranked, Fault> {
    let mut words = LargeWords { chunks, index, allowed };
    let mut vectors = request.vector.map(|_| LargeVectors { chunks, index, allowed });
    rank(request, Some(&mut words), vectors.as_mut(), &mut chunks.clone())
}

/// The documents that pass a filter.
pub(super) struct Allowed {
    /// Their ids.
    pub(super) documents: HashSet<String>,
    /// The number of their chunks.
    pub(super) chunks: u64,
    /// What values there are of the filter's keys, if no document passes.
    values: BTreeMap<String, Vec<String>>,
}

/// Returns the documents that pass the filter; `None` if there is no filter.
fn find_allowed(chunks: &Stored<'_>, search: &Search) -> Result<Option<Allowed>, Fault> {
    let Some(filter) = Filter::of(&search.filter) else { return Ok(None) };
    let sql =
        "SELECT id, metadata, chunks FROM documents WHERE user_id = $1 AND collection_id = $2";
    let mut allowed = Allowed { documents: HashSet::new(), chunks: 0, values: BTreeMap::new() };
    let mut values = Values::of(&search.filter);
    for row in chunks.snapshot.stream(sql, &[&chunks.user, &chunks.collection.id])? {
        let row = row?;
        let metadata: BTreeMap<String, String> = json(&row, 1)?;
        if filter.passes(&metadata) {
            allowed.documents.insert(text(&row, 0)?);
            allowed.chunks += count(&row, 2)?;
        } else if allowed.documents.is_empty() {
            values.take(&metadata);
        }
    }
    if allowed.documents.is_empty() {
        allowed.values = values.told();
    }
    Ok(Some(allowed))
}

/// Where a chunk stands in its collection: chunks that score alike come in this order.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Place {
    path: String,
    number: i32,
    /// The id of its document.
    pub(super) document: String,
}

/// The chunks of a collection.
#[derive(Clone)]
pub(super) struct Stored<'a> {
    pub(super) snapshot: &'a Snapshot<'a>,
    collection: &'a CollectionRow,
    /// As it is stored.
    user: Cow<'a, str>,
}

impl Stored<'_> {
    /// Returns the ids of the documents, by path.
    fn documents(&self) -> Result<Vec<String>, Fault> {
        let sql = "SELECT path, id FROM documents WHERE user_id = $1 AND collection_id = $2";
        let rows = self.snapshot.stream(sql, &[&self.user, &self.collection.id])?;
        let read = |row: Result<Row, Fault>| {
            let row = row?;
            Ok((text(&row, 0)?, text(&row, 1)?))
        };
        let mut documents = rows.map(read).collect::<Result<Vec<(String, String)>, Fault>>()?;
        // The order of paths as they are: as they are stored, NUL comes last.
        documents.sort_unstable();
        Ok(documents.into_iter().map(|(_, id)| id).collect())
    }

    /// Returns the places of chunks; a chunk that is gone has none.
    pub(super) fn read_places(&self, ids: &[i64]) -> Result<HashMap<i64, Place>, Fault> {
        let sql =
            "SELECT k.id, d.path, k.number, d.id FROM chunks k JOIN documents d ON d.user_id = k.user_id AND d.id = k.document_id
              WHERE k.user_id = $1 AND k.id = ANY($2)";
        let read = |row: &Row| {
            let (path, number, document) = (text(row, 1)?, row.try_get(2)?, text(row, 3)?);
            Ok((row.try_get(0)?, Place { path, number, document }))
        };
        self.snapshot.rows(sql, &[&self.user, &ids])?.iter().map(read).collect()
    }

    /// Returns the ids of the chunks of documents.
    pub(super) fn chunks_of(&self, documents: &HashSet<String>) -> Result<HashSet<i64>, Fault> {
        let documents: Vec<&String> = documents.iter().collect();
        let sql = "SELECT id FROM chunks WHERE user_id = $1 AND document_id = ANY($2)";
        let rows = self.snapshot.rows(sql, &[&self.user, &documents])?;
        rows.iter().map(|row| Ok(row.try_get(0)?)).collect()
    }

    /// Returns a value of each chunk, in the order of the ids; the default for a chunk that is gone or has none.
    fn values<T: FromSqlOwned + Default>(
        &self,
        column: &str,
        ids: &[i64],
    ) -> Result<Vec<T>, Fault> {
        let sql = format!("SELECT id, {column} FROM chunks WHERE user_id = $1 AND id = ANY($2)");
        let mut by_id: HashMap<i64, T> = HashMap::with_capacity(ids.len());
        for row in self.snapshot.rows(&sql, &[&self.user, &ids])? {
            if let Some(value) = row.try_get(1)? {
                by_id.insert(row.try_get(0)?, value);
            }
        }
        Ok(ids.iter().map(|id| by_id.remove(id).unwrap_or_default()).collect())
    }
}

impl Chunks for Stored<'_> {
    type Error = Fault;

    fn order(&mut self) -> Result<Order, Fault> {
        let documents = self.documents()?;
        let places: HashMap<&str, u32> = documents.iter().map(String::as_str).zip(0..).collect();
        let sql =
            "SELECT id, document_id, number FROM chunks WHERE user_id = $1 AND collection_id = $2";
        let mut chunks: Vec<(u32, i32, i64)> = Vec::with_capacity(self.collection.chunks as usize);
        for row in self.snapshot.stream(sql, &[&self.user, &self.collection.id])? {
            let row = row?;
            if let Some(place) = places.get(row.try_get::<_, &str>(1)?) {
                chunks.push((*place, row.try_get(2)?, row.try_get(0)?));
            }
        }
        chunks.sort_unstable();
        let owned = |(place, _, chunk)| Some((chunk, documents.get(place as usize)?));
        Ok(Order::build(chunks.into_iter().filter_map(owned)))
    }

    fn dense(&mut self, order: &Order) -> Result<Dense, Fault> {
        let sql =
            "SELECT id, vector FROM chunks WHERE user_id = $1 AND collection_id = $2 ORDER BY id";
        let rows = self.snapshot.stream(sql, &[&self.user, &self.collection.id])?;
        let rows = rows.map(|row| {
            let row = row?;
            Ok::<_, Fault>((row.try_get(0)?, floats(row.try_get(1)?)))
        });
        let dimensions = self.collection.manifest.dimensions();
        let owned = |chunk| order.owned(chunk);
        Ok(collected(rows, |rows| Dense::build(dimensions, rows.filter_map(owned)))??)
    }

    fn lexical(&mut self, order: &Order) -> Result<Lexical, Fault> {
        let sql =
            "SELECT id, terms FROM chunks WHERE user_id = $1 AND collection_id = $2 ORDER BY id";
        let rows = self.snapshot.stream(sql, &[&self.user, &self.collection.id])?;
        let rows = rows.map(|row| {
            let row = row?;
            Ok::<_, Fault>((row.try_get(0)?, text(&row, 1)?))
        });
        let owned = |chunk| order.owned(chunk);
        collected(rows, |rows| Lexical::build(rows.filter_map(owned)))
    }
}

impl Rows for Stored<'_> {
    type Error = Fault;

    fn terms(&mut self, ids: &[i64]) -> Result<Vec<String>, Fault> {
        Ok(self.values("terms", ids)?.into_iter().map(restored).collect())
    }

    fn vectors(&mut self, ids: &[i64]) -> Result<Vec<Vec<f32>>, Fault> {
        let vectors: Vec<Vec<u8>> = self.values("vector", ids)?;
        Ok(vectors.iter().map(|bytes| floats(bytes)).collect())
    }
    /// Of a large collection: in memory an order of all its chunks gives them.
    fn places(&mut self, ids: &[i64]) -> Result<Vec<i64>, Fault> {
        let places = self.read_places(ids)?;
        let mut sorted = ids.to_vec();
        sorted.sort_by(|a, b| places.get(a).cmp(&places.get(b)).then(a.cmp(b)));
        let numbers: HashMap<i64, i64> = sorted.into_iter().zip(0..).collect();
        Ok(ids.iter().filter_map(|id| numbers.get(id).copied()).collect())
    }
}
