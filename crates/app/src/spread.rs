//! How far behind the oldest run a process reaches when other processes reach for the same ones.

use std::collections::hash_map::RandomState;
use std::hash::{BuildHasher, Hasher};
use std::sync::atomic::{AtomicUsize, Ordering};

/// The maximum number of runs to look at beyond those that there is room for.
const WIDEST: usize = 64;

/// Grows with each run that another process was first to take, and shrinks with each that this one got: a process alone takes the oldest
/// runs, and many processes do not all try the same.
#[derive(Default)]
pub(crate) struct Spread(AtomicUsize);

impl Spread {
    /// Returns how many runs to look at beyond those that there is room for.
    pub(crate) fn width(&self) -> usize {
        self.0.load(Ordering::Relaxed)
    }

    /// Hears that another process was first.
    pub(crate) fn grow(&self) {
        self.change(|width| (width * 2).clamp(1, WIDEST));
    }

    /// Hears that this process was first.
    pub(crate) fn shrink(&self) {
        self.change(|width| width.saturating_sub(1));
    }

    fn change(&self, change: impl Fn(usize) -> usize) {
        // The closure always returns a value.
        let _ =
            self.0.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |width| Some(change(width)));
    }

    /// Returns as many runs as there is room for, in their order, from a random one of the first on.
    pub(crate) fn pick<T>(&self, runs: Vec<T>, room: usize) -> impl Iterator<Item = T> {
        let most = self.width().min(runs.len().saturating_sub(room));
        runs.into_iter().skip(draw_up_to(most)).take(room)
    }
}

/// Returns a random number from 0 to `most`.
fn draw_up_to(most: usize) -> usize {
    // Every state hashes with keys of its own.
    let drawn = RandomState::new().build_hasher().finish();
    usize::try_from(drawn % (most as u64 + 1)).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    fn pick(spread: &Spread, room: usize) -> Vec<usize> {
        spread.pick((0..room + spread.width()).collect(), room).collect()
    }

    // proves: S2
    #[test]
    fn a_process_alone_takes_the_oldest_runs() {
        let spread = Spread::default();
        for room in [1, 3, 64] {
            assert_eq!(pick(&spread, room), (0..room).collect::<Vec<_>>());
            spread.shrink();
        }
    }

    // proves: S2
    #[test]
    fn a_process_that_comes_late_tries_other_runs_until_it_is_first_again() {
        let spread = Spread::default();
        (0..4).for_each(|_| spread.grow());
        assert_eq!(spread.width(), 8);
        let mut begun = BTreeSet::new();
        for _ in 0..1_000 {
            let picked = pick(&spread, 3);
            assert!(picked.len() == 3 && picked.is_sorted() && picked[2] < 11, "{picked:?}");
            begun.insert(picked[0]);
        }
        assert_eq!(begun, (0..=8).collect());
        // Fewer runs than there is room for are all taken.
        assert_eq!(spread.pick(vec!["a", "b"], 3).collect::<Vec<_>>(), ["a", "b"]);
        (0..100).for_each(|_| spread.grow());
        assert_eq!(spread.width(), WIDEST);
        (0..WIDEST).for_each(|_| spread.shrink());
        assert_eq!(pick(&spread, 1), [0]);
    }
}
