//! What processes tell each other about a service: a small file, changed under a lock.
//!
//! The file's clock is the wall's, which may jump. Times that were written in the future, or lie further ahead than anybody is made to wait, are
//! taken for a jump and ignored. What cannot be read or locked is ignored too: each process keeps its own pace in any case.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, Read, Seek, Write};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, SystemTime};

use serde::{Deserialize, Serialize};

use super::{LONGEST_REST, micros};
use crate::cache;

/// How often a lock that another process holds is tried for, and the time in between.
const TRIES: u32 = 200;
const BETWEEN_TRIES: Duration = Duration::from_millis(5);

/// More than a file of ours has bytes.
const LARGEST: u64 = 1_024;

/// Moments, in microseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct Times {
    /// When the line lets the next request begin.
    pub(super) next: u64,
    /// Until when the service lets none begin.
    pub(super) shut: u64,
    /// Until when it is left alone.
    pub(super) resting: u64,
}

/// What whoever wants to ask has to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Step {
    Begin,
    /// Wait in line for so long.
    Wait(Duration),
    /// Wait for so long because the service will have it so.
    Shut(Duration),
    /// Go away for so long.
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

/// Changes what all processes know, and returns what `change` says; none where the file cannot be used.
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

/// Returns the times of a note as far as the clock has not jumped since.
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

/// Locks the file, which the system lets go of when it is closed; a process that was stopped must not stop the others.
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
