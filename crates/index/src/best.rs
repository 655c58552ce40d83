//! The best few of many rows.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use super::Scored;

/// A score with a total order.
pub(super) trait Score: Copy {
    fn order(&self, other: &Self) -> Ordering;
}

impl Score for f32 {
    fn order(&self, other: &Self) -> Ordering {
        self.total_cmp(other)
    }
}

impl Score for f64 {
    fn order(&self, other: &Self) -> Ordering {
        self.total_cmp(other)
    }
}

/// The best rows so far. Ties are ordered by id, so the order of arrival does not matter.
pub(super) struct Best<S: Score> {
    count: usize,
    /// The worst is on top.
    kept: BinaryHeap<Entry<S>>,
}

struct Entry<S>(Scored<S>);

impl<S: Score> Ord for Entry<S> {
    /// Orders the worse entry as the greater one.
    fn cmp(&self, other: &Self) -> Ordering {
        other.0.score.order(&self.0.score).then(self.0.id.cmp(&other.0.id))
    }
}

impl<S: Score> PartialOrd for Entry<S> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl<S: Score> PartialEq for Entry<S> {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl<S: Score> Eq for Entry<S> {}

impl<S: Score> Best<S> {
    /// Keeps at most `count` of at most `of` rows.
    pub(super) fn new(count: usize, of: usize) -> Self {
        let count = count.min(of);
        Self { count, kept: BinaryHeap::with_capacity(count) }
    }

    /// Returns whether a row with this score could be among the best; the id breaks ties.
    #[inline]
    pub(super) fn wants(&self, score: S) -> bool {
        self.kept.len() < self.count
            || self.kept.peek().is_some_and(|worst| score.order(&worst.0.score).is_ge())
    }

    /// Returns the worst score kept; `None` while there is room.
    pub(super) fn floor(&self) -> Option<S> {
        let full = self.kept.len() >= self.count;
        self.kept.peek().filter(|_| full).map(|worst| worst.0.score)
    }

    pub(super) fn offer(&mut self, id: i64, score: S) {
        let entry = Entry(Scored { id, score });
        if self.kept.len() < self.count {
            self.kept.push(entry);
        } else if let Some(mut worst) = self.kept.peek_mut()
            && entry < *worst
        {
            *worst = entry;
        }
    }

    /// Returns the rows kept, best first.
    pub(super) fn into_sorted(self) -> Vec<Scored<S>> {
        self.kept.into_sorted_vec().into_iter().map(|entry| entry.0).collect()
    }
}
