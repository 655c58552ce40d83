//! A user's folder, in which no link is followed.
//!
//! On Unix it is held open, and every operation is relative to it: replacing it with a link meanwhile redirects nothing.

#[cfg(not(unix))]
mod by_path;
#[cfg(unix)]
mod held;

use std::fs::File;
use std::io::{self, ErrorKind, Read, Write};

#[cfg(not(unix))]
pub(super) use by_path::Folder;
#[cfg(unix)]
pub(super) use held::Folder;

const LOCK: &str = ".lock";
/// Larger files cannot be contexts: the largest context takes less than half of it.
const LARGEST: u64 = 8 << 20;

fn a_link() -> io::Error {
    io::Error::other("it is a symbolic link, which is not followed")
}

fn no_folder() -> io::Error {
    io::Error::other("it is not a folder, or it is a symbolic link, which is not followed")
}

fn no_file() -> io::Error {
    io::Error::other("it is not a file")
}

/// Returns the file if it is a regular file: no link, folder or pipe.
fn plain(file: File) -> io::Result<File> {
    match file.metadata()?.is_file() {
        true => Ok(file),
        false => Err(no_file()),
    }
}

impl Folder {
    /// Takes the exclusive lock on the folder.
    pub(super) fn lock(&self) -> io::Result<File> {
        let file = plain(self.open_or_make(LOCK)?)?;
        file.lock()?;
        Ok(file)
    }

    /// Takes a shared lock on the folder for reading; `None` if the lock file is missing and cannot be created, so no one can write
    /// here either.
    pub(super) fn lock_shared(&self) -> io::Result<Option<File>> {
        let file = match self.open_file(LOCK)? {
            Some(file) => file,
            None => match self.open_or_make(LOCK) {
                Ok(file) => plain(file)?,
                Err(error)
                    if matches!(
                        error.kind(),
                        ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem
                    ) =>
                {
                    return Ok(None);
                }
                Err(error) => return Err(error),
            },
        };
        file.lock_shared()?;
        Ok(Some(file))
    }

    /// Opens a file for reading; `None` if it does not exist.
    pub(super) fn open_file(&self, name: &str) -> io::Result<Option<File>> {
        match self.open_to_read(name) {
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            opened => plain(opened?).map(Some),
        }
    }

    /// Returns the contents of a file; `None` if it does not exist.
    pub(super) fn read(&self, name: &str) -> io::Result<Option<Vec<u8>>> {
        let Some(file) = self.open_file(name)? else { return Ok(None) };
        let mut bytes = Vec::new();
        file.take(LARGEST + 1).read_to_end(&mut bytes)?;
        match bytes.len() as u64 > LARGEST {
            true => Err(io::Error::other("it is too large to be a startup context")),
            false => Ok(Some(bytes)),
        }
    }

    /// Writes a file that must not exist yet, and waits until it is on disk.
    pub(super) fn write_new(&self, name: &str, bytes: &[u8]) -> io::Result<()> {
        let mut file = self.create(name)?;
        file.write_all(bytes)?;
        file.sync_all()
    }
}
