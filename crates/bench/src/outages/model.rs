//! The model server: it takes its time, and writes down every call.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use fakes::{FakeModel, Seen};
use jiff::Timestamp;

use super::dice::Dice;
use super::orders;
use super::play;

/// Milliseconds to a reply, from and below.
const LATENCY_MS: (u64, u64) = (100, 600);

/// A call as the model server saw it.
#[derive(Debug, Clone)]
pub(super) struct Call {
    /// The order that it belongs to.
    pub(super) order: usize,
    /// The number of the worker that made it.
    pub(super) worker: usize,
    pub(super) began: Timestamp,
    /// When the reply was complete, whether or not anybody was left to read it.
    pub(super) answered: Option<Timestamp>,
}

/// All calls, in the order in which they came.
#[derive(Clone, Default)]
pub(super) struct Calls(Arc<Mutex<Vec<Call>>>);

impl Calls {
    fn book(&self) -> MutexGuard<'_, Vec<Call>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn all(&self) -> Vec<Call> {
        self.book().clone()
    }

    fn begin(&self, order: usize, worker: usize) -> usize {
        let mut book = self.book();
        book.push(Call { order, worker, began: Timestamp::now(), answered: None });
        book.len() - 1
    }

    fn answer(&self, index: usize) {
        if let Some(call) = self.book().get_mut(index) {
            call.answered = Some(Timestamp::now());
        }
    }
}

/// Starts the server.
pub(super) fn start(seed: u64) -> (FakeModel, Calls) {
    let calls = Calls::default();
    let book = calls.clone();
    let server = FakeModel::start(move |seen| {
        // The model's name tells the run, the key the worker.
        let order = seen.model().parse().unwrap_or_default();
        let index = book.begin(order, worker_of(seen));
        let (least, beyond) = LATENCY_MS;
        let milliseconds = Dice::new(seed ^ seen.number as u64).between(least, beyond);
        thread::sleep(Duration::from_millis(milliseconds));
        let say = play::reply(orders::kind_of(order), seen);
        book.answer(index);
        say
    });
    (server, calls)
}

/// Returns the key of a worker.
pub(super) fn key_of(worker: usize) -> String {
    format!("worker-{worker}")
}

fn worker_of(seen: &Seen) -> usize {
    let key = seen.header("authorization").unwrap_or_default();
    key.rsplit('-').next().and_then(|number| number.parse().ok()).unwrap_or_default()
}
