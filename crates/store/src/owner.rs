//! Run owners, and whether they are still alive.
//!
//! Each process locks a file of its own for as long as it lives; the system releases the lock however the process dies. So a run whose
//! process was killed can be taken up at once.

use std::fs::{File, OpenOptions, TryLockError};
use std::hash::{BuildHasher, Hasher, RandomState};
use std::io;
use std::path::{Path, PathBuf};

pub(crate) struct Owner {
    name: String,
    folder: PathBuf,
    /// `None` for a reader.
    locked: Option<File>,
}

impl Owner {
    /// Returns an owner that holds nothing and leaves no file behind.
    pub(crate) fn reader(folder: &Path) -> Owner {
        Owner { name: new_name(), folder: folder.to_owned(), locked: None }
    }

    /// Registers this process in `folder`.
    pub(crate) fn register(folder: &Path) -> io::Result<Owner> {
        std::fs::create_dir_all(folder)?;
        loop {
            let name = new_name();
            let file =
                match OpenOptions::new().create_new(true).write(true).open(path(folder, &name)) {
                    Err(error) if error.kind() == io::ErrorKind::AlreadyExists => continue,
                    opened => opened?,
                };
            file.lock()?;
            // A cleanup before the lock was taken removed the file as a dead owner's.
            if !path(folder, &name).exists() {
                continue;
            }
            clean(folder, &name);
            return Ok(Owner { name, folder: folder.to_owned(), locked: Some(file) });
        }
    }

    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// Returns whether the process that registered as `name` is alive or may be: unknown cases are left to the lease.
    pub(crate) fn lives(&self, name: &str) -> bool {
        match File::open(path(&self.folder, name)) {
            // Shared, so that two simultaneous checks do not take each other for the owner.
            Ok(file) => match file.try_lock_shared() {
                Ok(()) => false,
                Err(TryLockError::WouldBlock | TryLockError::Error(_)) => true,
            },
            Err(error) => error.kind() != io::ErrorKind::NotFound,
        }
    }
}

/// Removes the files of dead owners: a missing file means the same as an unlocked one.
fn clean(folder: &Path, own: &str) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    let own = path(folder, own);
    for file in entries.flatten().map(|entry| entry.path()).filter(|file| *file != own) {
        let is_free = File::open(&file).is_ok_and(|opened| opened.try_lock().is_ok());
        if is_free && file.extension().is_some_and(|ending| ending == "lock") {
            // A file that cannot be removed now is removed later.
            let _ = std::fs::remove_file(&file);
        }
    }
}

impl Drop for Owner {
    fn drop(&mut self) {
        if self.locked.is_some() {
            // A file that stays behind means nothing: only its lock counts.
            let _ = std::fs::remove_file(path(&self.folder, &self.name));
        }
    }
}

fn path(folder: &Path, name: &str) -> PathBuf {
    folder.join(format!("{name}.lock"))
}

/// Returns a name that no process had before. Process ids recur, in containers at every start, and a process with a dead owner's name
/// would keep its runs alive without working on them.
fn new_name() -> String {
    let chance = RandomState::new().build_hasher().finish();
    format!("{}-{chance:016x}", std::process::id())
}

#[cfg(test)]
mod tests {
    use super::*;

    // proves: C1
    #[test]
    fn a_process_with_the_number_of_a_dead_one_is_not_taken_for_it() {
        let folder = tempfile::tempdir().unwrap();
        let first = Owner::register(folder.path()).unwrap();
        let dead = first.name().to_owned();
        drop(first);
        File::create(path(folder.path(), &dead)).unwrap();
        let next = Owner::register(folder.path()).unwrap();
        assert!(!path(folder.path(), &dead).exists(), "what the dead leave behind is cleared away");
        File::create(path(folder.path(), &dead)).unwrap();
        assert_ne!(next.name(), dead);
        assert!(!next.lives(&dead), "its file is there, its lock is not");
        let another_asks = File::open(path(folder.path(), &dead)).unwrap();
        another_asks.lock_shared().unwrap();
        assert!(!next.lives(&dead));
        assert!(next.lives(next.name()));
        assert!(!next.lives("nobody"));
    }
}
