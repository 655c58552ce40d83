//! The order of a collection's chunks, by which its indexes know them.

use std::collections::HashSet;

/// The chunks of a collection in the order of their documents' paths. An index identifies a chunk by its position here, so ties come
/// in the same order whatever the history of the collection.
pub struct Order {
    chunks: Vec<i64>,
    /// The positions, ordered by chunk id.
    by_id: Vec<(i64, u32)>,
    /// The documents; an index identifies the owner of a chunk by its position in this list.
    documents: Vec<String>,
    owners: Vec<u32>,
}

impl Order {
    /// Builds the order from the chunks as they follow each other, each with its document's id.
    pub fn build<D: AsRef<str>>(rows: impl IntoIterator<Item = (i64, D)>) -> Order {
        let mut order = Order {
            chunks: Vec::new(),
            by_id: Vec::new(),
            documents: Vec::new(),
            owners: Vec::new(),
        };
        for (chunk, document) in rows {
            let document = document.as_ref();
            if order.documents.last().is_none_or(|last| last != document) {
                order.documents.push(document.to_owned());
            }
            order.by_id.push((chunk, order.chunks.len() as u32));
            order.chunks.push(chunk);
            order.owners.push(order.documents.len() as u32 - 1);
        }
        order.by_id.sort_unstable();
        order.chunks.shrink_to_fit();
        order.by_id.shrink_to_fit();
        order.owners.shrink_to_fit();
        order
    }

    /// Returns the bytes of memory that the order holds.
    pub fn bytes(&self) -> usize {
        let names: usize =
            self.documents.iter().map(|id| id.capacity() + size_of::<String>()).sum();
        names
            + self.chunks.capacity() * size_of::<i64>()
            + self.by_id.capacity() * size_of::<(i64, u32)>()
            + self.owners.capacity() * size_of::<u32>()
    }

    /// Returns the id of the chunk at a position.
    pub fn chunk(&self, place: i64) -> Option<i64> {
        self.chunks.get(usize::try_from(place).ok()?).copied()
    }

    /// Returns the position of a chunk.
    pub fn place(&self, chunk: i64) -> Option<i64> {
        let found = self.by_id.binary_search_by_key(&chunk, |(id, _)| *id).ok()?;
        self.by_id.get(found).map(|(_, place)| i64::from(*place))
    }

    /// Returns a chunk's data as an index takes it: with the chunk's position and its owner. `None` for a chunk that is not in the
    /// order.
    pub fn owned<T>(&self, (chunk, data): (i64, T)) -> Option<(i64, u32, T)> {
        let place = self.place(chunk)?;
        Some((place, *self.owners.get(usize::try_from(place).ok()?)?, data))
    }

    /// Returns for each owner whether it is among these documents.
    pub(super) fn owners_among(&self, documents: &HashSet<String>) -> Vec<bool> {
        self.documents.iter().map(|document| documents.contains(document)).collect()
    }
}

/// Builds something from rows, and stops at the first unreadable one.
pub fn collected<T, B, E>(
    rows: impl Iterator<Item = Result<T, E>>,
    build: impl FnOnce(&mut dyn Iterator<Item = T>) -> B,
) -> Result<B, E> {
    let mut failed = None;
    let mut rows = rows.map_while(|row| row.map_err(|error| failed = Some(error)).ok());
    let built = build(&mut rows);
    drop(rows);
    match failed {
        Some(error) => Err(error),
        None => Ok(built),
    }
}
