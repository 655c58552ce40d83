//! Turns: how many may work at once.

use std::sync::{Condvar, Mutex, PoisonError};

/// A number of turns, which those who wait share.
#[derive(Debug)]
pub(super) struct Turns {
    free: Mutex<usize>,
    given_back: Condvar,
}

/// A turn, given back when it is dropped.
pub(super) struct Turn<'a>(&'a Turns);

impl Turns {
    pub(super) fn new(count: usize) -> Self {
        Self { free: Mutex::new(count.max(1)), given_back: Condvar::new() }
    }

    /// Waits for a turn.
    pub(super) fn take(&self) -> Turn<'_> {
        let free = self.free.lock().unwrap_or_else(PoisonError::into_inner);
        let waited = self.given_back.wait_while(free, |free| *free == 0);
        *waited.unwrap_or_else(PoisonError::into_inner) -= 1;
        Turn(self)
    }
}

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        *self.0.free.lock().unwrap_or_else(PoisonError::into_inner) += 1;
        self.0.given_back.notify_one();
    }
}
