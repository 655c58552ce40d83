//! Indexes of collections, cached in memory as long as the collections do not change.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::{Dense, Lexical, Order};

/// The maximum number of collections with cached indexes, and the bytes that these may take together; the least recently used one is
/// evicted.
const MOST_COLLECTIONS: usize = 256;
const MOST_BYTES: usize = 1 << 30;

/// The stored chunks of a collection, from which its indexes are built. All are read as of the [`Version`] that is asked for.
pub trait Chunks {
    type Error;
    /// Reads the order of the chunks.
    fn order(&mut self) -> Result<Order, Self::Error>;
    /// Reads all vectors. Rows are those that [`Order::owned`] returns.
    fn dense(&mut self, order: &Order) -> Result<Dense, Self::Error>;
    /// Reads all terms. Rows are those that [`Order::owned`] returns.
    fn lexical(&mut self, order: &Order) -> Result<Lexical, Self::Error>;
}

/// A collection at a moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Version {
    pub collection: i64,
    /// How often the collection has been changed.
    pub changes: i64,
}

/// The indexes of one collection, as of its change number `changes`.
#[derive(Clone, Default)]
pub struct Held {
    changes: i64,
    /// The number of searches since that change.
    searches: u32,
    /// Present with any index.
    pub order: Option<Arc<Order>>,
    pub dense: Option<Arc<Dense>>,
    pub lexical: Option<Arc<Lexical>>,
}

impl Held {
    fn of(version: Version) -> Held {
        Held { changes: version.changes, ..Held::default() }
    }

    /// Builds the requested indexes that are missing.
    fn complete<C: Chunks>(
        &mut self,
        vectors: bool,
        words: bool,
        chunks: &mut C,
    ) -> Result<(), C::Error> {
        let (vectors, words) = (vectors && self.dense.is_none(), words && self.lexical.is_none());
        if !vectors && !words {
            return Ok(());
        }
        let order = match &self.order {
            Some(order) => Arc::clone(order),
            None => Arc::new(chunks.order()?),
        };
        self.order = Some(Arc::clone(&order));
        if vectors {
            self.dense = Some(Arc::new(chunks.dense(&order)?));
        }
        if words {
            self.lexical = Some(Arc::new(chunks.lexical(&order)?));
        }
        Ok(())
    }

    fn bytes(&self) -> usize {
        self.order.as_ref().map_or(0, |order| order.bytes())
            + self.dense.as_ref().map_or(0, |dense| dense.bytes())
            + self.lexical.as_ref().map_or(0, |lexical| lexical.bytes())
    }
}

/// The cached indexes of all collections of a store.
pub struct Indexes {
    /// The number of searches of an unchanged collection that do without its words in memory.
    searches_without_words: u32,
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
    /// Returns an empty cache. The words of a collection are indexed after `searches_without_words` searches of it: a store with an
    /// index of its own answers so many from there.
    pub fn new(searches_without_words: u32) -> Indexes {
        Indexes { searches_without_words, slots: Mutex::default() }
    }

    /// Returns the indexes of a collection, with those of its vectors if requested. Those that are missing are built from `chunks`; a
    /// caller that arrives meanwhile waits for them.
    pub fn of<C: Chunks>(
        &self,
        version: Version,
        vectors: bool,
        chunks: &mut C,
    ) -> Result<Held, C::Error> {
        let slot = self.slot(version.collection);
        let mut held = slot.lock().unwrap_or_else(PoisonError::into_inner);
        if held.changes > version.changes {
            // Others read a newer state already; their indexes are not discarded for a read of the past.
            drop(held);
            let mut own = Held::of(version);
            own.complete(vectors, self.searches_without_words == 0, chunks)?;
            return Ok(own);
        }
        if held.changes < version.changes {
            *held = Held::of(version);
        }
        let words = held.searches >= self.searches_without_words;
        held.searches = held.searches.saturating_add(1);
        held.complete(vectors, words, chunks)?;
        let held = held.clone();
        self.make_room(version.collection, held.bytes());
        Ok(held)
    }

    /// Drops the indexes of a removed collection.
    pub fn forget(&self, collection: i64) {
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

#[cfg(test)]
mod tests {
    use std::convert::Infallible;
    use std::sync::Barrier;
    use std::sync::atomic::{AtomicU32, Ordering};
    use std::thread;
    use std::time::Duration;

    use super::*;

    /// One chunk, and how often its words were read.
    #[derive(Default)]
    struct One {
        read: AtomicU32,
    }

    impl Chunks for &One {
        type Error = Infallible;

        fn order(&mut self) -> Result<Order, Infallible> {
            Ok(Order::build([(7, "document")]))
        }

        fn dense(&mut self, order: &Order) -> Result<Dense, Infallible> {
            Ok(Dense::build(1, order.owned((7, [1.0]))).unwrap())
        }

        fn lexical(&mut self, order: &Order) -> Result<Lexical, Infallible> {
            self.read.fetch_add(1, Ordering::Relaxed);
            // Long enough for others to arrive.
            thread::sleep(Duration::from_millis(20));
            Ok(Lexical::build(order.owned((7, "gull"))))
        }
    }

    fn at(collection: i64, changes: i64) -> Version {
        Version { collection, changes }
    }

    // proves: S1
    #[test]
    fn an_index_is_built_once_for_all_who_want_it_and_again_after_a_change() {
        let (indexes, one, start) = (Indexes::new(0), One::default(), Barrier::new(8));
        let times = |changes| {
            thread::scope(|scope| {
                for _ in 0..8 {
                    scope.spawn(|| {
                        start.wait();
                        let Ok(held) = indexes.of(at(1, changes), false, &mut &one);
                        assert!(held.lexical.is_some() && held.dense.is_none());
                    });
                }
            });
            one.read.load(Ordering::Relaxed)
        };
        assert_eq!([times(1), times(1), times(2)], [1, 1, 2]);
        // A read of the past builds its own, and discards nothing.
        let Ok(past) = indexes.of(at(1, 1), true, &mut &one);
        assert!(past.lexical.is_some() && past.dense.is_some());
        assert_eq!((one.read.load(Ordering::Relaxed), times(2)), (3, 3));
        indexes.forget(1);
        assert_eq!(times(2), 4);
    }

    // proves: S1
    #[test]
    fn the_collections_searched_longest_ago_make_room_for_others() {
        let (indexes, one) = (Indexes::new(1), One::default());
        let search = |collection| {
            let Ok(held) = indexes.of(at(collection, 1), true, &mut &one);
            held.lexical.is_some()
        };
        let most = MOST_COLLECTIONS as i64;
        (0..most).for_each(|collection| assert!(!search(collection)));
        assert!(search(0), "the second search is answered from memory");
        assert!(!search(most));
        assert!(search(0) && !search(1), "the one that made room is begun anew");
    }
}
