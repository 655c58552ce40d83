//! Reads a database that another program may be writing to, without disturbing it.
//!
//! Zotero holds a lock on its database while it runs, so it cannot be opened in the usual way. No lock is taken here and nothing is
//! written: where no write is under way, the file is read as one that does not change; else it is copied together with the log of what is
//! not in it yet, and the copy is read. If it changed meanwhile, it is read again.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use percent_encoding::{AsciiSet, CONTROLS, utf8_percent_encode};
use rusqlite::limits::Limit;
use rusqlite::{Connection, OpenFlags};

use crate::ReadError;

/// How often a database that keeps changing is read.
const ATTEMPTS: u32 = 5;
/// How long to wait for it to become quiet.
const WAIT: Duration = Duration::from_millis(300);
/// The most bytes of a value. A note with pictures in it has some millions.
const LONGEST_VALUE: i32 = 64 << 20;
/// What means something else in the address of a database.
const SIGNS: &AsciiSet = &CONTROLS.add(b'%').add(b'?').add(b'#');

/// The sizes and times of a database, its write-ahead log and its journal.
type Stamp = [Option<(u64, Option<SystemTime>)>; 3];

/// Runs `work` over the database at `path` as it stood at one moment.
pub(crate) fn read<T>(
    path: &Path,
    work: impl Fn(&Connection) -> Result<T, ReadError>,
) -> Result<T, ReadError> {
    for attempt in 0..ATTEMPTS {
        if attempt > 0 {
            std::thread::sleep(WAIT);
        }
        let before = stamp(path);
        let is_quiet = before[1..].iter().all(|beside| beside.is_none_or(|(size, _)| size == 0));
        let done = if is_quiet { read_in_place(path, &work) } else { read_copy(path, &work) };
        if stamp(path) == before {
            return done;
        }
    }
    Err(ReadError::Busy { path: path.to_owned() })
}

fn read_in_place<T>(
    path: &Path,
    work: &impl Fn(&Connection) -> Result<T, ReadError>,
) -> Result<T, ReadError> {
    let unreadable = |why: String| ReadError::Unreadable { path: path.to_owned(), why };
    let whole = std::fs::canonicalize(path).map_err(|error| unreadable(error.to_string()))?;
    let Some(name) = whole.to_str() else { return read_copy(path, work) };
    let name = name.trim_start_matches(r"\\?\").replace('\\', "/");
    let slash = if name.starts_with('/') { "" } else { "/" };
    let address =
        format!("file://{slash}{}?mode=ro&immutable=1", utf8_percent_encode(&name, SIGNS));
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_URI;
    let opened = Connection::open_with_flags(address, flags).and_then(harden);
    work(&opened.map_err(|error| unreadable(error.to_string()))?)
}

fn read_copy<T>(
    path: &Path,
    work: &impl Fn(&Connection) -> Result<T, ReadError>,
) -> Result<T, ReadError> {
    let unreadable = |why: String| ReadError::Unreadable { path: path.to_owned(), why };
    let failed = |error: std::io::Error| unreadable(format!("it could not be copied: {error}"));
    let folder = tempfile::tempdir().map_err(failed)?;
    let copy = folder.path().join("copy.sqlite");
    std::fs::copy(path, &copy).map_err(failed)?;
    for suffix in ["-wal", "-journal"] {
        match std::fs::copy(beside(path, suffix), beside(&copy, suffix)) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                return Err(failed(error));
            }
            _ => {}
        }
    }
    let opened = Connection::open(&copy).and_then(harden);
    work(&opened.map_err(|error| unreadable(error.to_string()))?)
}

/// Lets nothing in a file's schema run, and bounds its values.
fn harden(connection: Connection) -> rusqlite::Result<Connection> {
    connection.execute_batch("PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON;")?;
    connection.set_limit(Limit::SQLITE_LIMIT_LENGTH, LONGEST_VALUE)?;
    Ok(connection)
}

fn stamp(path: &Path) -> Stamp {
    ["", "-wal", "-journal"].map(|suffix| {
        let about = std::fs::metadata(beside(path, suffix)).ok()?;
        Some((about.len(), about.modified().ok()))
    })
}

fn beside(path: &Path, suffix: &str) -> PathBuf {
    let mut name = OsString::from(path);
    name.push(suffix);
    PathBuf::from(name)
}
