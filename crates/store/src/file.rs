//! The database file: opening it, and checking that it is still the one that was opened.

use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use rusqlite::{Connection, ErrorCode, OpenFlags, TransactionBehavior, ffi};

use crate::library::terms_table;
use crate::search;

pub(crate) const SCHEMA_VERSION: i64 = 9;
pub(crate) const BUSY: Duration = Duration::from_secs(60);
/// The cache of a reading connection, half of the default: there are several, and the system caches what they read as well. Negative,
/// because SQLite then counts in kibibytes.
const READING_KIB: i64 = -1024;
/// The number of pages in the write-ahead log that triggers a checkpoint.
const CHECKPOINT_PAGES: i64 = 4_000;
const AGAIN: Duration = Duration::from_millis(5);

/// The file that holds everything, and its identity when the store was opened.
#[derive(Clone)]
pub(crate) struct DatabaseFile {
    pub(crate) path: PathBuf,
    identity: Option<(u64, u64)>,
}

impl DatabaseFile {
    /// Remembers the file that is at `path` now.
    pub(crate) fn at(path: &Path) -> DatabaseFile {
        DatabaseFile { path: path.to_owned(), identity: identity(path) }
    }

    /// Returns an error if the file was deleted or replaced: a write to it would be acknowledged and lost.
    pub(crate) fn unmoved(&self) -> rusqlite::Result<()> {
        if self.identity == identity(&self.path) {
            return Ok(());
        }
        // The message omits the path: its reader may not be meant to know it.
        let reason =
            "the database was deleted or replaced while it was in use. Restart quaestio".to_owned();
        Err(rusqlite::Error::SqliteFailure(
            ffi::Error::new(ffi::SQLITE_READONLY_DBMOVED),
            Some(reason),
        ))
    }
}

#[cfg(unix)]
fn identity(path: &Path) -> Option<(u64, u64)> {
    use std::os::unix::fs::MetadataExt;
    let found = std::fs::metadata(path).ok()?;
    Some((found.dev(), found.ino()))
}

/// On other systems an open file cannot be deleted.
#[cfg(not(unix))]
fn identity(_: &Path) -> Option<(u64, u64)> {
    None
}

/// Returns how many bytes may still be written beside a file; `None` if that is unknown.
#[cfg(unix)]
pub(crate) fn room_beside(file: &Path) -> Option<u64> {
    let disk = rustix::fs::statvfs(file.parent()?).ok()?;
    Some(disk.f_bavail.saturating_mul(disk.f_frsize))
}

#[cfg(not(unix))]
pub(crate) fn room_beside(_: &Path) -> Option<u64> {
    None
}

/// Opens a connection that reads what others write.
pub(crate) fn connect_reader(database: &Path) -> rusqlite::Result<Connection> {
    let connection = connect(database)?;
    connection.pragma_update(None, "cache_size", READING_KIB)?;
    Ok(connection)
}

/// Opens a connection, and retries while other connections have the file locked.
///
/// SQLite does not wait where two waiters could deadlock: when several connections switch a new file to WAL at once, or one opens
/// while the last other closes. It reports at once that the file is locked.
pub(crate) fn connect(database: &Path) -> rusqlite::Result<Connection> {
    let until = Instant::now() + BUSY;
    loop {
        match connect_once(database) {
            Err(error)
                if error.sqlite_error_code() == Some(ErrorCode::DatabaseBusy)
                    && Instant::now() < until =>
            {
                thread::sleep(AGAIN);
            }
            done => return done.map_err(without_path),
        }
    }
}

/// Removes the path from SQLite's error: its readers may not be meant to know it.
fn without_path(error: rusqlite::Error) -> rusqlite::Error {
    match error {
        rusqlite::Error::SqliteFailure(error, Some(_)) if error.code == ErrorCode::CannotOpen => {
            let reason = "could not open the database file".to_owned();
            rusqlite::Error::SqliteFailure(error, Some(reason))
        }
        other => other,
    }
}

/// Opens a read-only connection that creates no file beside the database.
///
/// If there is no write-ahead log beside it, the file is complete, and is opened as immutable: in a folder where the usual files
/// cannot be created, there are no writers.
pub(crate) fn connect_to_read(database: &Path) -> rusqlite::Result<Connection> {
    let mut log = database.as_os_str().to_owned();
    log.push("-wal");
    let has_log = std::fs::metadata(log).is_ok_and(|log| log.len() > 0);
    let path = database.to_string_lossy();
    let path = path.replace('%', "%25").replace('?', "%3f").replace('#', "%23");
    let how = if has_log { "mode=ro" } else { "mode=ro&immutable=1" };
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY
        | OpenFlags::SQLITE_OPEN_URI
        | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection =
        Connection::open_with_flags(format!("file:{path}?{how}"), flags).map_err(without_path)?;
    connection.busy_timeout(BUSY)?;
    connection.set_prepared_statement_cache_capacity(64);
    search::register_functions(&connection)?;
    Ok(connection)
}

fn connect_once(database: &Path) -> rusqlite::Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE
        | OpenFlags::SQLITE_OPEN_CREATE
        | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(database, flags)?;
    // The busy timeout comes first: switching to WAL also takes a lock.
    connection.busy_timeout(BUSY)?;
    connection.pragma_update(None, "journal_mode", "WAL")?;
    connection.pragma_update(None, "synchronous", "FULL")?;
    connection.pragma_update(None, "foreign_keys", "ON")?;
    // With the default checkpoint interval the same page is copied back many times.
    connection.pragma_update(None, "wal_autocheckpoint", CHECKPOINT_PAGES)?;
    connection.set_prepared_statement_cache_capacity(64);
    search::register_functions(&connection)?;
    Ok(connection)
}

/// Returns the version of the layout; 0 if there are no tables yet.
pub(crate) fn version(connection: &Connection) -> rusqlite::Result<i64> {
    connection.pragma_query_value(None, "user_version", |row| row.get(0))
}

/// Creates the tables if there are none, and migrates older ones; returns the layout's version.
pub(crate) fn prepare(connection: &mut Connection) -> rusqlite::Result<i64> {
    let found = version(connection)?;
    if found >= SCHEMA_VERSION {
        return Ok(found);
    }
    // Rebuilding a table drops it for a moment, and rows that refer to it must stay. Within a transaction the pragma has no effect.
    connection.pragma_update(None, "foreign_keys", "OFF")?;
    let brought = bring_up(connection);
    connection.pragma_update(None, "foreign_keys", "ON")?;
    brought
}

fn bring_up(connection: &mut Connection) -> rusqlite::Result<i64> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    // Another process may have created them while this one waited.
    let found = version(&transaction)?;
    if found == 0 {
        transaction.execute_batch(include_str!("schema.sql"))?;
    } else {
        if found < 2 {
            transaction.execute_batch(include_str!("schema_2.sql"))?;
            index_anew(&transaction)?;
        }
        if found < 3 {
            transaction.execute_batch(include_str!("schema_3.sql"))?;
        }
        if found < 4 {
            transaction.execute_batch(include_str!("schema_4.sql"))?;
        }
        if found < 5 {
            transaction.execute_batch(include_str!("schema_5.sql"))?;
        }
        if found < 6 {
            transaction.execute_batch(include_str!("schema_6.sql"))?;
        }
        if found < 7 {
            transaction.execute_batch(include_str!("schema_7.sql"))?;
        }
        if found < 8 {
            transaction.execute_batch(include_str!("schema_8.sql"))?;
        }
        if found < 9 {
            transaction.execute_batch(include_str!("schema_9.sql"))?;
        }
    }
    if found < SCHEMA_VERSION {
        transaction.pragma_update(None, "user_version", SCHEMA_VERSION)?;
    }
    transaction.commit()?;
    Ok(found.max(SCHEMA_VERSION))
}

/// Rebuilds the term indexes: those of layout 1 split terms at quotation marks.
fn index_anew(connection: &Connection) -> rusqlite::Result<()> {
    let mut query = connection.prepare("SELECT id FROM collections")?;
    let ids: Vec<i64> = query.query_map([], |row| row.get(0))?.collect::<rusqlite::Result<_>>()?;
    for id in ids {
        connection.execute_batch(&format!(
            "ALTER TABLE terms_{id} RENAME TO terms_before; {};
             INSERT INTO terms_{id} (rowid, terms) SELECT rowid, terms FROM terms_before;
             DROP TABLE terms_before;",
            terms_table(&format!("terms_{id}"))
        ))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    // proves: C1
    #[test]
    fn every_connection_waits_for_the_disk_and_for_its_neighbours() {
        let folder = tempfile::tempdir().unwrap();
        let connection = connect(&folder.path().join("any.db")).unwrap();
        let text = |name: &str| {
            connection.pragma_query_value(None, name, |row| row.get::<_, String>(0)).unwrap()
        };
        let number = |name: &str| {
            connection.pragma_query_value(None, name, |row| row.get::<_, i64>(0)).unwrap()
        };
        assert_eq!(text("journal_mode"), "wal");
        assert_eq!(number("synchronous"), 2, "FULL: a power cut loses nothing acknowledged");
        assert_eq!(number("busy_timeout"), 60_000);
        assert_eq!(number("foreign_keys"), 1);
    }
}
