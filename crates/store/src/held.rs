//! In-memory indexes, cached as long as their collections do not change.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rusqlite::{Connection, params};

use crate::library::CollectionRow;
use crate::search::{Fault, floats};
use index::{Dense, Lexical};

/// The maximum number of collections with cached indexes, and the bytes that these may take together; the least recently used one is
/// evicted.
const MOST_COLLECTIONS: usize = 256;
const MOST_BYTES: usize = 1 << 30;

/// The cached indexes of one collection, as of its change number `changes`.
#[derive(Clone, Default)]
pub(crate) struct Held {
    changes: i64,
    /// The number of searches since that change.
    searches: u32,
    pub(crate) order: Option<Arc<Order>>,
    pub(crate) dense: Option<Arc<Dense>>,
    pub(crate) lexical: Option<Arc<Lexical>>,
}

/// The chunks of a collection in the order of their documents' paths. An index identifies a chunk by its position here, so ties come
/// in the same order whatever the history of the collection.
pub(crate) struct Order {
    chunks: Vec<i64>,
    /// The positions, ordered by chunk id.
    by_id: Vec<(i64, u32)>,
    /// The documents; an index identifies the owner of a chunk by its position in this list.
    documents: Vec<String>,
    owners: Vec<u32>,
}

impl Order {
    fn read(
        connection: &Connection,
        user: &str,
        collection_row: &CollectionRow,
    ) -> rusqlite::Result<Order> {
        let mut order = Order {
            chunks: Vec::with_capacity(collection_row.chunks as usize),
            by_id: Vec::with_capacity(collection_row.chunks as usize),
            documents: Vec::new(),
            owners: Vec::with_capacity(collection_row.chunks as usize),
        };
        let mut query = connection.prepare_cached(
            "SELECT k.id, d.id FROM documents d JOIN chunks k ON k.user_id = d.user_id AND k.document_id = d.id
              WHERE d.user_id = ?1 AND d.collection_id = ?2 ORDER BY d.path, k.number",
        )?;
        let mut rows = query.query(params![user, collection_row.id])?;
        while let Some(row) = rows.next()? {
            let document = row.get_ref(1)?.as_str()?;
            if order.documents.last().is_none_or(|last| last != document) {
                order.documents.push(document.to_owned());
            }
            order.by_id.push((row.get(0)?, order.chunks.len() as u32));
            order.chunks.push(row.get(0)?);
            order.owners.push(order.documents.len() as u32 - 1);
        }
        order.by_id.sort_unstable();
        Ok(order)
    }

    fn bytes(&self) -> usize {
        let names: usize =
            self.documents.iter().map(|id| id.capacity() + size_of::<String>()).sum();
        names
            + self.chunks.capacity() * size_of::<i64>()
            + self.by_id.capacity() * size_of::<(i64, u32)>()
            + self.owners.capacity() * size_of::<u32>()
    }

    /// Returns the id of the chunk at a position.
    pub(crate) fn chunk(&self, place: i64) -> Option<i64> {
        self.chunks.get(usize::try_from(place).ok()?).copied()
    }

    /// Returns the position of a chunk.
    pub(crate) fn place(&self, chunk: i64) -> Option<i64> {
        let found = self.by_id.binary_search_by_key(&chunk, |(id, _)| *id).ok()?;
        self.by_id.get(found).map(|(_, place)| i64::from(*place))
    }

    /// Returns the position of a chunk and its owner.
    fn owned(&self, chunk: i64) -> Option<(i64, u32)> {
        let place = self.place(chunk)?;
        Some((place, *self.owners.get(usize::try_from(place).ok()?)?))
    }
}

impl Held {
    /// Returns for each owner whether it is among the allowed documents; `None` if all are allowed.
    pub(crate) fn owners_among(&self, allowed: Option<&HashSet<String>>) -> Option<Vec<bool>> {
        let allowed = allowed?;
        let documents = self.order.as_ref().map_or(&[][..], |order| &order.documents);
        Some(documents.iter().map(|document| allowed.contains(document)).collect())
    }
}

impl Held {
    /// Builds the requested indexes that are missing.
    fn complete(
        &mut self,
        connection: &Connection,
        user: &str,
        collection_row: &CollectionRow,
        vectors: bool,
        words: bool,
    ) -> rusqlite::Result<()> {
        let (vectors, words) = (vectors && self.dense.is_none(), words && self.lexical.is_none());
        if !vectors && !words {
            return Ok(());
        }
        let order = match &self.order {
            Some(order) => Arc::clone(order),
            None => Arc::new(Order::read(connection, user, collection_row)?),
        };
        self.order = Some(Arc::clone(&order));
        if vectors {
            self.dense = Some(Arc::new(dense(connection, collection_row, &order)?));
        }
        if words {
            self.lexical = Some(Arc::new(lexical(connection, collection_row, &order)?));
        }
        Ok(())
    }

    fn bytes(&self) -> usize {
        self.order.as_ref().map_or(0, |order| order.bytes())
            + self.dense.as_ref().map_or(0, |dense| dense.bytes())
            + self.lexical.as_ref().map_or(0, |lexical| lexical.bytes())
    }
}

#[derive(Default)]
pub(crate) struct Indexes {
    slots: Mutex<Slots>,
}

#[derive(Default)]
struct Slots {
    clock: u64,
    of: HashMap<i64, Slot>,
}

#[derive(Default)]
struct Slot {
    /// The clock at its last use.
    used: u64,
    bytes: usize,
    held: Arc<Mutex<Held>>,
}

impl Indexes {
    /// Returns the collection's indexes, up to date with what `connection` reads: vectors if requested, words from the second search
    /// on.
    pub(crate) fn of(
        &self,
        connection: &Connection,
        user: &str,
        collection_row: &CollectionRow,
        vectors: bool,
    ) -> rusqlite::Result<Held> {
        let slot = self.slot(collection_row.id);
        // A caller that arrives while an index is being built waits for it.
        let mut held = slot.lock().unwrap_or_else(PoisonError::into_inner);
        if held.changes > collection_row.changes {
            // Others read a newer state already; their indexes are not discarded for a read of the past.
            drop(held);
            let mut own = Held { changes: collection_row.changes, ..Held::default() };
            own.complete(connection, user, collection_row, vectors, false)?;
            return Ok(own);
        }
        if held.changes < collection_row.changes {
            *held = Held { changes: collection_row.changes, ..Held::default() };
        }
        held.searches = held.searches.saturating_add(1);
        let words = held.searches > 1;
        held.complete(connection, user, collection_row, vectors, words)?;
        let held = held.clone();
        self.make_room(collection_row.id, held.bytes());
        Ok(held)
    }

    /// Drops the indexes of a removed collection.
    pub(crate) fn forget(&self, collection: i64) {
        self.slots().of.remove(&collection);
    }

    fn slot(&self, collection: i64) -> Arc<Mutex<Held>> {
        let mut slots = self.slots();
        slots.clock += 1;
        let now = slots.clock;
        let slot = slots.of.entry(collection).or_default();
        slot.used = now;
        Arc::clone(&slot.held)
    }

    /// Records the size of the collection's indexes, and evicts the least recently used ones until all fit.
    fn make_room(&self, collection: i64, bytes: usize) {
        let mut slots = self.slots();
        if let Some(slot) = slots.of.get_mut(&collection) {
            slot.bytes = bytes;
        }
        loop {
            let all: usize = slots.of.values().map(|slot| slot.bytes).sum();
            let others = slots.of.iter().filter(|(id, _)| **id != collection);
            let oldest = others.min_by_key(|(_, slot)| slot.used).map(|(id, _)| *id);
            match oldest {
                Some(oldest) if all > MOST_BYTES || slots.of.len() > MOST_COLLECTIONS => {
                    slots.of.remove(&oldest);
                }
                _ => return,
            }
        }
    }

    fn slots(&self) -> MutexGuard<'_, Slots> {
        self.slots.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn dense(
    connection: &Connection,
    collection_row: &CollectionRow,
    order: &Order,
) -> rusqlite::Result<Dense> {
    let dimensions =
        collection_row.manifest.embedder.as_ref().map_or(0, |embedder| embedder.dimensions)
            as usize;
    let mut query = connection.prepare_cached(&format!(
        "SELECT chunk_id, vector FROM vectors_{} ORDER BY chunk_id",
        collection_row.id
    ))?;
    let rows = query
        .query_map([], |row| Ok((row.get::<_, i64>(0)?, floats(row.get_ref(1)?.as_blob()?))))?;
    let owned = |(chunk, vector)| order.owned(chunk).map(|(place, owner)| (place, owner, vector));
    collected(rows, |rows| Dense::build(dimensions, rows.filter_map(owned)).map_err(Fault::from))
}

fn lexical(
    connection: &Connection,
    collection_row: &CollectionRow,
    order: &Order,
) -> rusqlite::Result<Lexical> {
    let mut query = connection.prepare_cached(&format!(
        "SELECT rowid, terms FROM terms_{} ORDER BY rowid",
        collection_row.id
    ))?;
    let rows = query.query_map([], |row| Ok((row.get::<_, i64>(0)?, row.get::<_, String>(1)?)))?;
    let owned = |(chunk, terms)| order.owned(chunk).map(|(place, owner)| (place, owner, terms));
    collected(rows, |rows| Ok(Lexical::build(rows.filter_map(owned))))
}

/// Builds an index from rows, and stops at the first unreadable one.
fn collected<T, I>(
    rows: impl Iterator<Item = rusqlite::Result<T>>,
    build: impl FnOnce(&mut dyn Iterator<Item = T>) -> Result<I, Fault>,
) -> rusqlite::Result<I> {
    let mut failed = None;
    let mut rows = rows.map_while(|row| row.map_err(|error| failed = Some(error)).ok());
    let built = build(&mut rows);
    drop(rows);
    match failed {
        Some(error) => Err(error),
        None => Ok(built?),
    }
}
