//! Reads logs in parts, from their beginning to their end.

use std::collections::BTreeSet;

use run::Event;
use run::entry::{Entry, Head};
use run::error::PortError;
use run::log::{Sealed, Status};
use run::moving::{Movable, follow};

/// A log that is read part by part.
pub(super) struct Parts<'a> {
    movable: &'a dyn Movable,
    user: &'a str,
    run: &'a str,
    /// The last entry to read.
    last: u64,
    /// The last entry that was read.
    read: u64,
}

impl<'a> Parts<'a> {
    /// Begins after entry `after`, and ends with entry `last`.
    pub(super) fn of(
        movable: &'a dyn Movable,
        user: &'a str,
        run: &'a str,
        after: u64,
        last: u64,
    ) -> Parts<'a> {
        Parts { movable, user, run, last, read: after }
    }

    /// Returns the next entries without a gap; empty at the end. Names the entry that is missing.
    pub(super) async fn next(&mut self) -> Result<Result<Vec<Sealed>, String>, PortError> {
        if self.read >= self.last {
            return Ok(Ok(Vec::new()));
        }
        let mut part = self.movable.sealed(self.user, self.run, self.read).await?;
        part.retain(|one| one.seq <= self.last);
        let whole = part.iter().zip(self.read + 1..).take_while(|(one, seq)| one.seq == *seq);
        let whole = whole.count();
        if whole < part.len() || part.is_empty() {
            return Ok(Err(format!("entry {} is missing", self.read + whole as u64 + 1)));
        }
        self.read += whole as u64;
        Ok(Ok(part))
    }
}

/// What a log comes to.
#[derive(Default)]
pub(super) struct End {
    pub(super) head: Head,
    /// How the run ended; `None` if it has not.
    pub(super) status: Option<Status>,
    open_gates: BTreeSet<String>,
}

impl End {
    fn read(&mut self, entry: &Entry) {
        self.status = match &entry.event {
            Event::Finished { .. } => Some(Status::Completed),
            Event::Stopped { .. } => Some(Status::Partial),
            Event::Cancelled { .. } | Event::Rejected { .. } => Some(Status::Cancelled),
            _ => None,
        };
        match &entry.event {
            Event::Asked { gate, .. } => {
                self.open_gates.insert(gate.clone());
            }
            Event::Answered { gate, .. } | Event::Approved { gate, .. } => {
                self.open_gates.remove(gate);
            }
            _ => {}
        }
    }

    /// Returns whether the log asks something that nobody has answered.
    pub(super) fn asks(&self) -> bool {
        !self.open_gates.is_empty()
    }
}

/// Reads a log up to entry `last` and verifies that each entry follows from those before it; or says what is wrong with it.
pub(super) async fn verify(
    movable: &dyn Movable,
    user: &str,
    run: &str,
    last: u64,
) -> Result<Result<End, String>, PortError> {
    let mut parts = Parts::of(movable, user, run, 0, last);
    let mut end = End::default();
    loop {
        let part = match parts.next().await? {
            Ok(part) if part.is_empty() => return Ok(Ok(end)),
            Ok(part) => part,
            Err(wrong) => return Ok(Err(wrong)),
        };
        match follow(end.head, &part) {
            Ok((head, entries)) => {
                entries.iter().for_each(|entry| end.read(entry));
                end.head = head;
            }
            Err(wrong) => return Ok(Err(wrong)),
        }
    }
}
