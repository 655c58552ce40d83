//! The memory of a data folder: answers below `answers/`, one file each, and `{service}.pace` for each service.
//!
//! A pace file is changed under a lock. It uses the wall clock, which may jump. A file that cannot be read or locked is ignored: each
//! process keeps its own pace anyway.

use std::fs::{self, DirBuilder, File, OpenOptions, TryLockError};
use std::io::{self, Read, Seek, Write};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, SystemTime};

use async_trait::async_trait;
use run::error::PortError;
use run::services::{Change, Memory, Step, Times, micros};
use serde::{Deserialize, Serialize};

/// The number of tries for a lock that another process holds, and the time between them.
const TRIES: u32 = 200;
const BETWEEN_TRIES: Duration = Duration::from_millis(5);

/// A size in bytes that no pace file reaches.
const LARGEST: u64 = 1_024;

/// A folder of answers and paces.
#[derive(Debug, Clone)]
pub struct FolderMemory {
    path: PathBuf,
}

impl FolderMemory {
    /// Opens the folder, creating it with access for its owner only if it does not exist.
    pub fn open(path: &Path) -> Result<FolderMemory, PortError> {
        make_private(path).map_err(|error| PortError::Invalid {
            what: format!("could not make the cache folder {}: {error}", path.display()),
        })?;
        Ok(FolderMemory::at(path))
    }

    /// Returns the memory of a folder that may be missing, or that can only be read: what cannot be kept is forgotten.
    pub fn at(path: &Path) -> FolderMemory {
        FolderMemory { path: path.to_owned() }
    }

    fn locate_answer(&self, key: &str) -> PathBuf {
        let (folder, name) = key.split_at_checked(2).unwrap_or(("", key));
        self.path.join("answers").join(folder).join(name)
    }
}

#[async_trait]
impl Memory for FolderMemory {
    async fn check(&self) -> Result<(), PortError> {
        FolderMemory::open(&self.path).map(drop)
    }

    async fn answer(&self, key: &str, limit: u64) -> Option<Vec<u8>> {
        let path = self.locate_answer(key);
        tokio::task::spawn_blocking(move || read(&path, limit)).await.ok().flatten()
    }

    async fn keep_answer(&self, key: &str, answer: Vec<u8>) {
        let path = self.locate_answer(key);
        // If writing fails, the question is asked again.
        let _ = tokio::task::spawn_blocking(move || write(&path, &answer)).await;
    }

    async fn pace(&self, service: &str, change: Change) -> Option<Step> {
        let path = self.path.join(format!("{service}.pace"));
        let change = move || change_now(&path, now, change).ok();
        tokio::task::spawn_blocking(change).await.ok().flatten()
    }
}

/// Opens a regular file, and nothing else: opening or reading a pipe would wait for its other end.
fn open(options: &OpenOptions, path: &Path) -> io::Result<File> {
    match fs::metadata(path) {
        Ok(found) if !found.is_file() => Err(io::ErrorKind::InvalidInput.into()),
        Ok(_) | Err(_) => options.open(path),
    }
}

fn read(path: &Path, limit: u64) -> Option<Vec<u8>> {
    let file = open(OpenOptions::new().read(true), path).ok()?;
    let mut bytes = Vec::new();
    file.take(limit.saturating_add(1)).read_to_end(&mut bytes).ok()?;
    (bytes.len() as u64 <= limit).then_some(bytes)
}

fn write(path: &Path, answer: &[u8]) -> io::Result<()> {
    let folder = path.parent().ok_or(io::ErrorKind::InvalidInput)?;
    make_private(folder)?;
    // It has another name until it is complete, so that no one reads half of it.
    let mut file = tempfile::NamedTempFile::new_in(folder)?;
    file.write_all(answer)?;
    file.persist(path)?;
    Ok(())
}

fn make_private(folder: &Path) -> io::Result<()> {
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
}

#[derive(Clone, Copy, Default, Serialize, Deserialize)]
struct Note {
    written: u64,
    #[serde(flatten)]
    times: Times,
}

fn change_now(path: &Path, clock: impl FnOnce() -> u64, change: Change) -> io::Result<Step> {
    let mut options = OpenOptions::new();
    let mut file = open(options.read(true).write(true).create(true).truncate(false), path)?;
    lock(&file)?;
    // Not before: what another one wrote meanwhile would seem to come from the future, and not be believed.
    let now = clock();
    let mut text = String::new();
    (&file).take(LARGEST).read_to_string(&mut text).unwrap_or_default();
    let note: Note = serde_json::from_str(&text).unwrap_or_default();
    let before = note.times.believed(note.written, now);
    let mut times = before;
    let step = times.change(change, now);
    if times != before {
        file.rewind()?;
        file.set_len(0)?;
        file.write_all(serde_json::to_string(&Note { written: now, times })?.as_bytes())?;
    }
    Ok(step)
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
pub(crate) mod tests {
    use super::*;

    const HOUR: u64 = 3_600_000_000;
    const KEY: &str = "0a1b2c";

    /// Makes a pipe that no one else has open.
    #[cfg(unix)]
    pub(crate) fn pipe(path: &Path) {
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        assert!(std::process::Command::new("mkfifo").arg(path).status().unwrap().success());
    }

    /// Writes more into the pipe than anyone reads from it, so that a blocked reader continues.
    #[cfg(unix)]
    pub(crate) fn let_go(path: &Path) {
        let mut pipe = OpenOptions::new().read(true).write(true).open(path).unwrap();
        pipe.write_all(&[b' '; 10_000]).unwrap();
    }

    #[cfg(unix)]
    #[tokio::test]
    async fn a_pipe_in_the_place_of_an_answer_is_none_and_holds_nobody_up() {
        let folder = tempfile::tempdir().unwrap();
        let memory = FolderMemory::open(folder.path()).unwrap();
        let path = memory.locate_answer(KEY);
        pipe(&path);
        let found = tokio::time::timeout(Duration::from_secs(20), memory.answer(KEY, 9)).await;
        if found.is_err() {
            let_go(&path);
        }
        assert_eq!(found, Ok(None));
        memory.keep_answer(KEY, b"x".to_vec()).await;
        assert_eq!(memory.answer(KEY, 9).await.unwrap(), b"x");
    }

    #[cfg(unix)]
    #[tokio::test]
    async fn what_is_kept_belongs_to_its_owner_alone() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path().join("a/cache");
        let memory = FolderMemory::open(&folder).unwrap();
        memory.keep_answer(KEY, b"x".to_vec()).await;
        for path in [folder.clone(), memory.locate_answer(KEY).parent().unwrap().to_owned()] {
            assert_eq!(path.metadata().unwrap().permissions().mode() & 0o777, 0o700);
        }
    }

    #[tokio::test]
    async fn a_folder_that_cannot_be_written_is_no_error() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("answers"), "a file in the way").unwrap();
        let memory = FolderMemory::open(folder.path()).unwrap();
        memory.keep_answer(KEY, b"x".to_vec()).await;
        assert_eq!(memory.answer(KEY, 9).await, None);
        assert!(FolderMemory::open(&folder.path().join("answers/x")).is_err());
    }

    #[test]
    fn what_one_writes_the_next_one_reads() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.pace");
        let (now, take) = (500 * HOUR, Change::Take { spacing: Duration::ZERO });
        change_now(&path, || now, Change::Rest { wait: Duration::from_hours(1) }).unwrap();
        let step = change_now(&path, || now + HOUR / 2, take).unwrap();
        assert_eq!(step, Step::Rest(Duration::from_mins(30)));
        assert_eq!(change_now(&path, || now + HOUR, take).unwrap(), Step::Begin);
    }

    #[test]
    fn the_time_is_told_when_nobody_else_can_write() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.pace");
        let clock = || {
            assert!(File::open(&path).unwrap().try_lock().is_err(), "another one could write now");
            500 * HOUR
        };
        change_now(&path, clock, Change::Take { spacing: Duration::ZERO }).unwrap();
    }

    #[test]
    fn a_damaged_pace_file_makes_nobody_wait() {
        let (now, take) = (500 * HOUR, Change::Take { spacing: Duration::ZERO });
        for damaged in ["", "{", "null", r#"{"written":-1,"next":0,"resting":0}"#, "\0\0\0"] {
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join("a.pace");
            std::fs::write(&path, damaged).unwrap();
            assert_eq!(change_now(&path, || now, take).unwrap(), Step::Begin, "{damaged}");
        }
    }
}
