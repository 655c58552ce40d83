//! Consistent copies of the database while other connections write to it.
//!
//! The database file alone is not a copy: the latest writes are in the write-ahead log until a checkpoint.

use std::fs::File;
use std::path::{Path, PathBuf};

use rusqlite::{Connection, OpenFlags, params};

use crate::DATABASE;
use crate::file::BUSY;

/// Why a copy failed.
#[derive(Debug, thiserror::Error)]
pub enum BackupError {
    #[error("there is no database {}", path.display())]
    Missing { path: PathBuf },
    #[error("{} exists already", path.display())]
    Exists { path: PathBuf },
    #[error("could not make the copy {}: {reason}", path.display())]
    Failed { path: PathBuf, reason: String },
}

/// Copies the database of a data folder into a new file, as of one moment. Other connections may keep reading and writing. Returns the
/// size of the copy in bytes.
pub fn backup(folder: &Path, file: &Path) -> Result<u64, BackupError> {
    let path = folder.join(DATABASE);
    if !path.exists() {
        return Err(BackupError::Missing { path });
    }
    if file.exists() {
        return Err(BackupError::Exists { path: file.to_owned() });
    }
    let failed = |reason: String| BackupError::Failed { path: file.to_owned(), reason };
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection =
        Connection::open_with_flags(&path, flags).map_err(|error| failed(error.to_string()))?;
    connection.busy_timeout(BUSY).map_err(|error| failed(error.to_string()))?;
    copy(&connection, file).map_err(failed)
}

/// Returns the path of the copy made before the database is migrated from that layout.
pub(crate) fn before(layout: i64, database: &Path) -> PathBuf {
    let mut name = database.as_os_str().to_owned();
    name.push(format!(".layout-{layout}"));
    name.into()
}

/// Writes a copy beside `file`, and renames it to `file` once it is complete and on disk.
pub(crate) fn copy(connection: &Connection, file: &Path) -> Result<u64, String> {
    let mut part = file.as_os_str().to_owned();
    part.push(format!(".part-{}", std::process::id()));
    let part = PathBuf::from(part);
    let copied = copy_to(connection, &part).and_then(|bytes| {
        std::fs::rename(&part, file).map_err(|error| error.to_string())?;
        Ok(bytes)
    });
    if copied.is_err() {
        // If it cannot be removed, its name still marks it as partial.
        let _ = std::fs::remove_file(&part);
    }
    copied
}

fn copy_to(connection: &Connection, part: &Path) -> Result<u64, String> {
    let name = part.to_str().ok_or("its path is not UTF-8")?;
    connection.execute("VACUUM INTO ?1", params![name]).map_err(|error| error.to_string())?;
    let written = || -> std::io::Result<u64> {
        let file = File::options().write(true).open(part)?;
        file.sync_all()?;
        Ok(file.metadata()?.len())
    };
    written().map_err(|error| error.to_string())
}
