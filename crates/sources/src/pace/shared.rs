//! State about a service that processes share: a small file, changed under a lock.
//!
//! The file uses the wall clock, which may jump. Times written in the future, or further ahead than the longest rest, are taken for a
//! jump and ignored. A file that cannot be read or locked is ignored too: each process keeps its own pace anyway.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, Read, Seek, Write};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, SystemTime};

use serde::{Deserialize, Serialize};

use super::{LONGEST_REST, micros};
use crate::cache;

/// The number of tries for a lock that another process holds, and the time between them.
const TRIES: u32 = 200;
const BETWEEN_TRIES: Duration = Duration::from_millis(5);

/// A size in bytes that no file of ours reaches.
const LARGEST: u64 = 1_024;

/// Points in time, in microseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct Times {
    /// The time when the line lets the next request begin.
    pub(super) next: u64,
    /// The time until which the service lets none begin.
    pub(super) shut: u64,
    /// The time until which the service is left alone.
    pub(super) resting: u64,
}

/// The step that a request must take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Step {
    Begin,
    /// Wait in line for this long.
    Wait(Duration),
    /// Wait this long because the service demands it.
    Shut(Duration),
    /// Give up, since the service is left alone for this long.
    Rest(Duration),
}

impl Times {
    pub(super) fn step(self, now: u64) -> Step {
        let left = |until: u64| Duration::from_micros(until - now);
        match self {
            Times { resting, .. } if resting > now => Step::Rest(left(resting)),
            Times { shut, .. } if shut > now => Step::Shut(left(shut)),
            Times { next, .. } if next > now => Step::Wait(left(next)),
            _ => Step::Begin,
        }
    }
}

#[derive(Clone, Copy, Default, Serialize, Deserialize)]
struct Note {
    written: u64,
    #[serde(flatten)]
    times: Times,
}

/// Changes the shared state and returns the result of `change`, or `None` if the file cannot be used.
pub(super) async fn change<T: Send + 'static>(
    file: PathBuf,
    change: impl FnOnce(&mut Times, u64) -> T + Send + 'static,
) -> Option<T> {
    let change = move || change_now(&file, now(), change).ok();
    tokio::task::spawn_blocking(change).await.ok().flatten()
}

fn change_now<T>(
    path: &Path,
    now: u64,
    change: impl FnOnce(&mut Times, u64) -> T,
) -> io::Result<T> {
    let mut options = OpenOptions::new();
    let mut file = cache::open(options.read(true).write(true).create(true).truncate(false), path)?;
    lock(&file)?;
    let mut text = String::new();
    (&file).take(LARGEST).read_to_string(&mut text).unwrap_or_default();
    let before = believed(serde_json::from_str(&text).unwrap_or_default(), now);
    let mut times = before;
    let said = change(&mut times, now);
    if times != before {
        file.rewind()?;
        file.set_len(0)?;
        file.write_all(serde_json::to_string(&Note { written: now, times })?.as_bytes())?;
    }
    Ok(said)
}

/// Returns the times of a note, without those that a jump of the clock makes implausible.
fn believed(note: Note, now: u64) -> Times {
    let plausible = |time: u64| time <= now.saturating_add(micros(LONGEST_REST));
    match note {
        Note { written, .. } if written > now => Times::default(),
        Note { times: Times { next, shut, resting }, .. } => {
            let plausible = |time| if plausible(time) { time } else { 0 };
            Times { next: plausible(next), shut: plausible(shut), resting: plausible(resting) }
        }
    }
}

/// Locks the file; the system unlocks it when it is closed. A stopped process must not stop the others.
fn lock(file: &File) -> io::Result<()> {
    for _ in 0..TRIES {
        match file.try_lock() {
            Ok(()) => return Ok(()),
            Err(TryLockError::WouldBlock) => thread::sleep(BETWEEN_TRIES),
            Err(TryLockError::Error(error)) => return Err(error),
        }
    }
    Err(io::ErrorKind::WouldBlock.into())
}

fn now() -> u64 {
    SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).map(micros).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOUR: u64 = 3_600_000_000;

    fn noted(text: &str, now: u64) -> Times {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.pace");
        std::fs::write(&path, text).unwrap();
        change_now(&path, now, |times, _| *times).unwrap()
    }

    #[test]
    fn what_one_writes_the_next_one_reads() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.pace");
        let now = 500 * HOUR;
        change_now(&path, now, |times, now| times.resting = now + HOUR).unwrap();
        let step = change_now(&path, now + HOUR / 2, |times, now| times.step(now)).unwrap();
        assert_eq!(step, Step::Rest(Duration::from_mins(30)));
        let step = change_now(&path, now + HOUR, |times, now| times.step(now)).unwrap();
        assert_eq!(step, Step::Begin);
    }

    #[test]
    fn a_clock_that_jumped_and_a_damaged_note_make_nobody_wait() {
        let now = 500 * HOUR;
        let note = |written: u64, next: u64| {
            format!(r#"{{"written":{written},"next":{next},"resting":{next}}}"#)
        };
        assert_eq!(noted(&note(now - 1, now + HOUR), now).next, now + HOUR);
        assert_eq!(noted(&note(now + 1, now + HOUR), now), Times::default(), "the clock went back");
        assert_eq!(noted(&note(now - 1, now + 25 * HOUR), now), Times::default());
        assert_eq!(noted(&note(now - 1, u64::MAX), now), Times::default());
        for damaged in ["", "{", "null", r#"{"written":-1,"next":0,"resting":0}"#, "\0\0\0"] {
            assert_eq!(noted(damaged, now), Times::default(), "{damaged}");
        }
    }
}
