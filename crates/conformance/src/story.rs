//! A run being written: what the next append to its log looks like.

use jiff::Timestamp;
use run::budget::Spend;
use run::entry::{Entry, Event, Head};
use run::log::{Append, Fence, NewRun, Sealed, Status, Wait};

pub const USER: &str = "ada";

/// Where a run stands, as the worker that writes it knows.
#[derive(Clone)]
pub struct Story {
    pub user: String,
    pub run: String,
    pub head: Head,
    pub attempt: u32,
}

impl Story {
    pub fn new(run: &str) -> Story {
        Story { user: USER.into(), run: run.into(), head: Head::default(), attempt: 1 }
    }

    /// Seals an event as the next entry.
    pub fn seal(&mut self, event: Event) -> Sealed {
        let (entry, body) = Entry::seal(&self.head, at(self.head.seq), event);
        self.head = Head { seq: entry.seq, hash: entry.hash };
        Sealed { seq: entry.seq, hash: entry.hash, body }
    }

    /// The append that creates the run, with one entry.
    pub fn create(&mut self, owner: Option<&str>) -> Append {
        let entry = self.seal(said("once upon a time"));
        let new = NewRun {
            method: "ask".into(),
            question: "How do gulls feed?".into(),
            owner: owner.map(str::to_owned),
            key: None,
            at_most: None,
        };
        let status = if owner.is_some() { Status::Running } else { Status::Queued };
        self.append(vec![entry], status, Fence::New(new), Wait::Durable)
    }

    /// The next line, from the attempt that holds the run.
    pub fn say(&mut self, line: &str, wait: Wait) -> Append {
        self.turn(line, Status::Running, wait)
    }

    /// The next line, after which the run has another status.
    pub fn turn(&mut self, line: &str, status: Status, wait: Wait) -> Append {
        let entry = self.seal(said(line));
        self.append(vec![entry], status, Fence::Attempt(self.attempt), wait)
    }

    /// The next line, from someone who holds nothing.
    pub fn answer(&mut self, line: &str, was: Status, status: Status) -> Append {
        let entry = self.seal(said(line));
        self.append(vec![entry], status, Fence::Idle(was), Wait::Durable)
    }

    pub fn append(&self, entries: Vec<Sealed>, status: Status, fence: Fence, wait: Wait) -> Append {
        let spent = Spend { tokens: self.head.seq * 10, cost_usd_micros: self.head.seq * 7 };
        Append {
            user: self.user.clone(),
            run: self.run.clone(),
            entries,
            at: at(self.head.seq),
            status,
            spent,
            fence,
            wait,
        }
    }
}

pub fn said(line: &str) -> Event {
    Event::Said { line: line.into() }
}

/// An instant so many seconds after the beginning of 2026.
pub fn at(seconds: u64) -> Timestamp {
    Timestamp::from_second(1_767_225_600 + seconds as i64).unwrap()
}

/// The lines that the entries say.
pub fn lines(entries: &[Entry]) -> Vec<String> {
    let line = |entry: &Entry| match &entry.event {
        Event::Said { line } => line.clone(),
        other => format!("{other:?}"),
    };
    entries.iter().map(line).collect()
}
