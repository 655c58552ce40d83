//! What happens next.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::scenario::Micros;

/// Something that happens at a time. Numbers are indices of runs and workers; `attempt` is that of the run when it was planned, and
/// `epoch` that of the worker: both tell what has been overtaken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Event {
    /// A run is submitted.
    Submitted,
    /// A claim is decided for which the worker has kept room.
    Claimed {
        run: u32,
        worker: u32,
        attempt: u16,
        epoch: u32,
    },
    /// A batch of a worker is sent, and is stored.
    Written {
        worker: u32,
        epoch: u32,
    },
    Stored {
        worker: u32,
        epoch: u32,
    },
    /// A worker gave up to write a batch.
    GaveUp {
        worker: u32,
        epoch: u32,
    },
    /// A request begins.
    Asked {
        run: u32,
        attempt: u16,
        tries: u8,
    },
    Replied {
        run: u32,
        attempt: u16,
    },
    /// A run that could not go on here may be taken up again.
    Rested {
        run: u32,
        attempt: u16,
    },
    /// Some worker dies, or is paused.
    Crash,
    Pause,
    Restart {
        worker: u32,
    },
    Wake {
        worker: u32,
    },
    /// The lease of a worker may have ended.
    LeaseEnd {
        worker: u32,
        epoch: u32,
    },
    /// The database is back; then each worker renews its lease and looks into the queue, in some order.
    Back,
    Renew {
        worker: u32,
    },
    Sweep {
        worker: u32,
    },
    /// A second has passed.
    Tick,
}

/// Events in the order of their times; those of one time in the order in which they were planned.
#[derive(Default)]
pub(super) struct Clock {
    planned: BinaryHeap<Reverse<(Micros, u64, Event)>>,
    count: u64,
}

impl Clock {
    pub(super) fn plan(&mut self, at: Micros, event: Event) {
        self.count += 1;
        self.planned.push(Reverse((at, self.count, event)));
    }

    pub(super) fn next(&mut self) -> Option<(Micros, Event)> {
        self.planned.pop().map(|Reverse((at, _, event))| (at, event))
    }
}
