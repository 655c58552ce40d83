//! The folder through which uploads pass.
//!
//! Processes may share it. Each has its own folder in it and holds a lock on a file next to that folder while it lives, so that a starting
//! process can distinguish uploads in progress from leftovers of dead processes.

use std::fs::{File, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

const LOCK: &str = ".lock";

pub(crate) struct Intake {
    root: PathBuf,
    /// Created on first use: a server with a full disk still answers.
    own: Mutex<Option<Own>>,
}

/// The folder of this process.
struct Own {
    folder: PathBuf,
    lock: PathBuf,
    _locked: File,
}

impl Intake {
    pub(crate) fn new(root: PathBuf) -> Intake {
        Intake { root, own: Mutex::default() }
    }

    /// Removes the leftovers of dead processes.
    pub(crate) fn clean(&self) {
        let Ok(entries) = std::fs::read_dir(&self.root) else { return };
        for entry in entries.flatten() {
            let name = entry.file_name();
            let name = name.to_string_lossy();
            let owner = name.strip_suffix(LOCK).unwrap_or(&name);
            let held = File::open(lock_of(&self.root, owner)).map(|file| {
                let locked = file.try_lock_shared();
                (file, locked)
            });
            // Leftovers that cannot be checked or removed stay until the next start.
            match held {
                Ok((_held, Ok(()))) => drop(remove(&entry)),
                Err(error) if error.kind() == io::ErrorKind::NotFound => drop(remove(&entry)),
                _ => {}
            }
        }
    }

    /// Returns the path for a new file.
    pub(crate) fn place(&self) -> io::Result<PathBuf> {
        let mut own = self.own.lock().unwrap_or_else(PoisonError::into_inner);
        let own = match &mut *own {
            Some(own) => own,
            none => none.insert(Own::under(&self.root)?),
        };
        Ok(own.folder.join(uuid::Uuid::new_v4().to_string()))
    }
}

impl Own {
    fn under(root: &Path) -> io::Result<Own> {
        std::fs::create_dir_all(root)?;
        loop {
            let name = uuid::Uuid::new_v4().to_string();
            let lock = lock_of(root, &name);
            let locked = OpenOptions::new().create_new(true).write(true).open(&lock)?;
            locked.lock()?;
            // A process that cleaned up before the lock was taken removed it as a leftover.
            if !lock.exists() {
                continue;
            }
            let folder = root.join(name);
            std::fs::create_dir(&folder)?;
            return Ok(Own { folder, lock, _locked: locked });
        }
    }
}

impl Drop for Own {
    fn drop(&mut self) {
        // The next process to start removes what remains.
        let _ = std::fs::remove_dir_all(&self.folder);
        let _ = std::fs::remove_file(&self.lock);
    }
}

fn lock_of(root: &Path, name: &str) -> PathBuf {
    root.join(format!("{name}{LOCK}"))
}

fn remove(entry: &std::fs::DirEntry) -> io::Result<()> {
    match entry.file_type()?.is_dir() {
        true => std::fs::remove_dir_all(entry.path()),
        false => std::fs::remove_file(entry.path()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // proves: S1
    #[test]
    fn what_the_dead_left_is_removed_and_what_the_living_hold_is_not() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().join("uploads");
        let first = Intake::new(root.clone());
        first.clean();
        assert!(!root.exists(), "nothing is made that is not needed");
        let under_way = first.place().unwrap();
        std::fs::write(&under_way, "half").unwrap();
        std::fs::create_dir(root.join("dead")).unwrap();
        std::fs::write(root.join("dead/part"), "left").unwrap();
        std::fs::write(root.join("dead.lock"), "").unwrap();
        std::fs::write(root.join("plain"), "left").unwrap();
        let second = Intake::new(root.clone());
        second.clean();
        assert!(under_way.exists());
        assert!(!root.join("dead").exists() && !root.join("plain").exists());
        assert_ne!(second.place().unwrap().parent(), under_way.parent());
        drop(first);
        assert!(!under_way.exists());
        second.clean();
        assert_eq!(std::fs::read_dir(&root).unwrap().count(), 2, "the second's own and its lock");
    }
}
