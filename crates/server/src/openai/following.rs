//! A run as a chat follows it: its status lines, until it waits for a person or has ended.

use std::collections::VecDeque;

use run::log::{RunSummary, Status};

use crate::desk;
use crate::feed::{Follower, Piece};
use crate::progress::word_entry;
use crate::state::Shared;

/// What happens to a followed run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Happening {
    /// A status line.
    Line(String),
    /// Nothing, for a while.
    Silence,
    /// It waits for a person, or has ended.
    Rest,
}

/// A run that somebody follows.
pub(super) struct Following {
    app: Shared,
    user: String,
    run: String,
    follower: Follower,
    /// Lines that come before those of the run.
    lines: VecDeque<String>,
    /// The entries that it has at least when it rests.
    from: u64,
    /// The last entry that was seen.
    seen: u64,
    /// The entries of a run that waits, which come first.
    waiting: Option<u64>,
    told_hindrance: bool,
    leash: Leash,
}

impl Following {
    /// Follows a run from entry number `after` on, until it rests with at least `from` entries. On a leash, it is stopped when this is
    /// dropped before it rests.
    pub(super) fn of(
        app: &Shared,
        (user, run): (&str, &str),
        (after, from): (u64, u64),
        notes: Vec<String>,
        is_on_leash: bool,
    ) -> Following {
        let (user, run) = (user.to_owned(), run.to_owned());
        let leash = Leash {
            app: Shared::clone(app),
            user: user.clone(),
            run: run.clone(),
            is_released: !is_on_leash,
        };
        Following {
            follower: app.feeds.follower(&user, &run, after),
            app: Shared::clone(app),
            user,
            run,
            lines: notes.into(),
            from,
            seen: after,
            waiting: None,
            told_hindrance: false,
            leash,
        }
    }

    /// Returns what happens next, or `None` if the server stops.
    pub(super) async fn next(&mut self) -> Option<Happening> {
        loop {
            if let Some(line) = self.lines.pop_front() {
                return Some(Happening::Line(line));
            }
            if self.waiting.is_some_and(|entries| entries <= self.seen) {
                return Some(self.rest());
            }
            match self.follower.next().await {
                // The server stops, and the run goes on when it is started again.
                None => {
                    self.release();
                    return None;
                }
                Some(Piece::Entry(told)) => {
                    if let Some(entry) = told.entry() {
                        self.seen = entry.seq;
                        self.lines.extend(word_entry(&entry));
                    }
                }
                Some(Piece::State(RunSummary { status, entries, .. })) => {
                    let waits = status == Status::Waiting && entries >= self.from;
                    self.waiting = waits.then_some(entries);
                }
                Some(Piece::End(_)) => return Some(self.rest()),
                Some(Piece::Words(_)) => {}
                Some(Piece::Alive) => match self.app.queue.hindrance(&self.user, &self.run) {
                    Some(why) if !std::mem::replace(&mut self.told_hindrance, true) => {
                        let line = format!("This server cannot continue the run: {why}");
                        return Some(Happening::Line(line));
                    }
                    _ => return Some(Happening::Silence),
                },
            }
        }
    }

    fn rest(&mut self) -> Happening {
        self.release();
        Happening::Rest
    }

    fn release(&mut self) {
        self.leash.is_released = true;
    }
}

/// Stops its run when it is dropped, unless it was released: the client has closed the connection.
struct Leash {
    app: Shared,
    user: String,
    run: String,
    is_released: bool,
}

impl Drop for Leash {
    fn drop(&mut self) {
        // A server that stops closes all connections; their runs go on when it is started again.
        if self.is_released || self.app.feeds.is_closing() {
            return;
        }
        let Ok(here) = tokio::runtime::Handle::try_current() else { return };
        let (app, user, run) = (Shared::clone(&self.app), self.user.clone(), self.run.clone());
        here.spawn(async move {
            // A run that has ended meanwhile needs no stop.
            let _ = desk::stop(&app, &user, &run).await;
        });
    }
}
