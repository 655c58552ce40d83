//! The last known states of runs.
//!
//! A log only grows. So it is not read while its number of entries is unchanged, and when it has grown, only new entries are verified.
//! Verified entries are trusted while the server runs.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use run::entry::{self, Entry, Head};
use run::log::{LogError, RunSummary};

use super::extract::aside;
use super::state::RunState;
use crate::problem::Problem;

/// The most runs remembered: those inspected last.
const MOST: usize = 128;

type Key = (String, String);

struct Known {
    state: RunState,
    /// The end of the log; `None` if verification failed.
    head: Option<Head>,
    /// The number of its last inspection.
    looked_at: u64,
}

#[derive(Default)]
struct Looks {
    count: u64,
    known: HashMap<Key, Known>,
}

/// The states of the runs that were inspected last.
#[derive(Default)]
pub(crate) struct Standing(Mutex<Looks>);

impl Standing {
    fn looks(&self) -> MutexGuard<'_, Looks> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the state of a run; `read` returns its log, and is called only if that has grown.
    pub(crate) async fn state(
        &self,
        user: &str,
        summary: RunSummary,
        hindrance: Option<String>,
        read: impl AsyncFnOnce() -> Result<Vec<Entry>, LogError>,
    ) -> Result<RunState, Problem> {
        let key = (user.to_owned(), summary.run_id.clone());
        let before = match self.recall(&key) {
            Some((state, _)) if state.entries() == summary.entries => {
                return Ok(state.now(summary, hindrance));
            }
            known => known.and_then(|(_, head)| head),
        };
        let entries = read().await?;
        let (state, head) = aside(move || {
            let head = verified(before, &entries);
            (RunState::of(summary, &entries, hindrance, head.is_some()), head)
        })
        .await?;
        self.keep(key, &state, head);
        Ok(state)
    }

    fn recall(&self, key: &Key) -> Option<(RunState, Option<Head>)> {
        let mut looks = self.looks();
        looks.count += 1;
        let count = looks.count;
        let known = looks.known.get_mut(key)?;
        known.looked_at = count;
        Some((known.state.clone(), known.head))
    }

    fn keep(&self, key: Key, state: &RunState, head: Option<Head>) {
        let mut looks = self.looks();
        if looks.known.len() >= MOST && !looks.known.contains_key(&key) {
            let oldest = looks.known.iter().min_by_key(|(_, known)| known.looked_at);
            if let Some(oldest) = oldest.map(|(key, _)| key.clone()) {
                looks.known.remove(&oldest);
            }
        }
        let looked_at = looks.count;
        looks.known.insert(key, Known { state: state.clone(), head, looked_at });
    }
}

/// Verifies the entries after the end verified before, or all if the log does not contain it; returns its end, or `None` if verification
/// fails.
pub(super) fn verified(before: Option<Head>, entries: &[Entry]) -> Option<Head> {
    let goes_through = |head: &Head| {
        let last = head.seq.checked_sub(1).and_then(|last| usize::try_from(last).ok());
        last.and_then(|last| entries.get(last)).is_some_and(|entry| entry.hash == head.hash)
    };
    let begin = before.filter(goes_through).unwrap_or_default();
    let new = usize::try_from(begin.seq).ok().and_then(|seen| entries.get(seen..));
    entry::verify_from(begin, new.unwrap_or(entries)).ok()
}

#[cfg(test)]
mod tests {
    use run::Event;
    use run::log::Status;

    use super::*;

    fn log(lines: &[&str]) -> Vec<Entry> {
        let mut head = Head::default();
        let sealed = lines.iter().map(|line| {
            let event = Event::Said { line: (*line).to_owned() };
            let (entry, _) = Entry::seal(&head, jiff::Timestamp::UNIX_EPOCH, event);
            head = Head { seq: entry.seq, hash: entry.hash };
            entry
        });
        sealed.collect()
    }

    // proves: F2
    #[tokio::test]
    async fn a_log_is_read_where_it_has_grown_and_not_else() {
        let entries = log(&["one", "two", "three"]);
        let standing = Standing::default();
        let mut reads = vec![];
        for (run, many, status) in [
            ("r", 2, Status::Running),
            ("r", 2, Status::Waiting),
            ("r", 3, Status::Waiting),
            ("other", 3, Status::Waiting),
            ("r", 3, Status::Completed),
        ] {
            let summary = RunSummary {
                run_id: run.into(),
                method: "m".into(),
                question: "q".into(),
                title: None,
                pinned: false,
                status,
                tokens: 0,
                cost_usd_micros: 0,
                created_at: jiff::Timestamp::UNIX_EPOCH,
                updated_at: jiff::Timestamp::UNIX_EPOCH,
                entries: many as u64,
                stopping: false,
                snippet: None,
            };
            let mut read = 0;
            let logged = async || {
                read = many;
                Ok(entries[..many].to_vec())
            };
            let state = standing.state("u", summary, Some("why".into()), logged).await.unwrap();
            let state = serde_json::to_value(&state).unwrap();
            assert_eq!(state["status"], status.name(), "{state}");
            assert_eq!(state["hindrance"].is_null(), status.is_final(), "{state}");
            assert_eq!(state["log"], serde_json::json!({"entries": many, "intact": true}));
            reads.push(read);
        }
        assert_eq!(reads, [2, 0, 3, 3, 0]);
        let (state, _) = standing.recall(&("u".into(), "r".into())).unwrap();
        for other in 0..2 * MOST {
            standing.keep(("u".into(), other.to_string()), &state, None);
        }
        assert_eq!(standing.looks().known.len(), MOST);
    }

    // proves: C5
    #[test]
    fn what_is_new_is_verified_and_what_was_verified_is_not_again() {
        let entries = log(&["one", "two", "three", "four"]);
        let half = verified(None, &entries[..2]).unwrap();
        assert_eq!(half, Head { seq: 2, hash: entries[1].hash });
        let mut changed = entries.clone();
        changed[0].event = Event::Said { line: "forged".into() };
        assert!(verified(None, &changed).is_none());
        assert!(verified(Some(half), &changed).is_some(), "what was verified is not read again");
        changed.clone_from(&entries);
        changed[3].event = Event::Said { line: "forged".into() };
        assert!(verified(Some(half), &changed).is_none());
        let other = log(&["one", "otherwise", "three"]);
        assert_eq!(verified(Some(half), &other).unwrap().seq, 3, "another log is verified whole");
    }
}
