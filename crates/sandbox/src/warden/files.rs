//! A scratch folder among the temporary files, for use without namespaces.

use std::fs::{self, DirBuilder, File};
use std::io::{self, ErrorKind};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

use rustix::fs::{FlockOperation, flock};

const NAME: &str = "quaestio-scratch-";
/// How deep folders are inspected; deeper nesting ends the running code.
pub(crate) const DEEPEST: usize = 32;

/// How often a folder is made again if others remove it.
const ATTEMPTS: u32 = 20;

/// A folder that is removed with its owner. If the owner is killed, the next warden finds the folder unlocked and removes it.
#[derive(Debug)]
pub(crate) struct Temporary {
    path: PathBuf,
    /// Held as long as the folder is in use.
    _lock: File,
}

impl Temporary {
    pub(crate) fn new(folder: &Path) -> io::Result<Temporary> {
        sweep(folder);
        Temporary::create(folder, |_| {})
    }

    /// Until it is locked, another process's sweep may remove a new folder; it is then made again. Calls `unlocked` with it before that.
    fn create(folder: &Path, mut unlocked: impl FnMut(&Path)) -> io::Result<Temporary> {
        for _ in 0..ATTEMPTS {
            let path = folder.join(format!("{NAME}{}", super::generate_token()?));
            DirBuilder::new().mode(0o700).create(&path)?;
            unlocked(&path);
            let lock = match File::open(&path) {
                Err(error) if error.kind() == ErrorKind::NotFound => continue,
                lock => lock?,
            };
            match flock(&lock, FlockOperation::NonBlockingLockExclusive) {
                Err(rustix::io::Errno::WOULDBLOCK) => continue,
                locked => locked?,
            }
            match fs::symlink_metadata(&path) {
                Err(error) if error.kind() == ErrorKind::NotFound => continue,
                still => still.map(|_| ())?,
            }
            return Ok(Temporary { path: fs::canonicalize(path)?, _lock: lock });
        }
        Err(io::Error::other("others remove it as soon as it is made"))
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        remove(&self.path);
    }
}

/// Removes the folders of owners that could not do it themselves.
fn sweep(folder: &Path) {
    let own = rustix::process::geteuid().as_raw();
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let is_ours = name.to_string_lossy().strip_prefix(NAME).is_some_and(|token| {
            token.len() == 32 && token.bytes().all(|byte| byte.is_ascii_hexdigit())
        });
        let path = entry.path();
        let about = fs::symlink_metadata(&path);
        if is_ours
            && about.is_ok_and(|about| about.is_dir() && about.uid() == own)
            && let Ok(lock) = File::open(&path)
            && flock(&lock, FlockOperation::NonBlockingLockExclusive).is_ok()
        {
            remove(&path);
        }
    }
}

/// Removes a folder whose code is dead, however deep its contents are nested.
fn remove(folder: &Path) {
    let let_in = |folder: &Path| {
        let _ = fs::set_permissions(folder, fs::Permissions::from_mode(0o700));
    };
    let_in(folder);
    let mut waiting = vec![folder.to_owned()];
    while let Some(one) = waiting.pop() {
        for entry in fs::read_dir(&one).into_iter().flatten().flatten() {
            let mut path = entry.path();
            if !entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                let _ = fs::remove_file(path);
                continue;
            }
            // A folder without access could not be moved either.
            let_in(&path);
            if one != folder {
                // Moved up, so that no path becomes too long.
                let Ok(token) = super::generate_token() else { continue };
                let above = folder.join(token);
                let Ok(()) = fs::rename(&path, &above) else { continue };
                path = above;
            }
            waiting.push(path);
        }
        let _ = fs::remove_dir(&one);
    }
    let _ = fs::remove_dir(folder);
}

/// Gives the owner access to folders that denied it.
pub(crate) fn open_up(folder: &Path, depth: usize) {
    if fs::read_dir(folder).is_err() {
        let _ = fs::set_permissions(folder, fs::Permissions::from_mode(0o700));
    }
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        if depth < DEEPEST && entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            open_up(&entry.path(), depth + 1);
        }
    }
}

/// Returns how many bytes and how many files and folders a folder holds while code works in it; stops counting above `most` files.
///
/// `None` if something is hidden: in a folder without access, or too deep.
pub(crate) fn stored(folder: &Path, most: u64) -> Option<(u64, u64)> {
    let (mut bytes, mut files) = (0_u64, 0_u64);
    let mut folders = vec![(folder.to_owned(), 0)];
    while let Some((folder, depth)) = folders.pop() {
        for entry in seen(fs::read_dir(folder))?.into_iter().flatten() {
            let Some(entry) = seen(entry)? else { continue };
            let Some(about) = seen(entry.metadata())? else { continue };
            files += 1;
            bytes = bytes.saturating_add(about.len().max(about.blocks().saturating_mul(512)));
            if about.is_dir() {
                if depth == DEEPEST {
                    return None;
                }
                folders.push((entry.path(), depth + 1));
            }
            if files > most {
                return Some((bytes, files));
            }
        }
    }
    Some((bytes, files))
}

/// Returns what is there, `Some(None)` if it has disappeared, and `None` if it cannot be inspected.
#[allow(clippy::option_option, reason = "nothing there and nothing seen are two things")]
fn seen<T>(looked: io::Result<T>) -> Option<Option<T>> {
    match looked {
        Ok(there) => Some(Some(there)),
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
            Some(None)
        }
        Err(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use std::thread;

    use rustix::thread::{CapabilitySet, capabilities, set_capabilities};

    use super::*;

    /// Runs `deed` as a user subject to permissions, which is every user but root.
    fn as_anybody<T: Send>(deed: impl FnOnce() -> T + Send) -> T {
        let bound = || {
            let mut held = capabilities(None).unwrap();
            held.effective -= CapabilitySet::DAC_OVERRIDE | CapabilitySet::DAC_READ_SEARCH;
            // Only this thread gives up its rights.
            set_capabilities(None, held).unwrap();
            deed()
        };
        thread::scope(|scope| scope.spawn(bound).join().unwrap())
    }

    #[test]
    fn a_folder_that_anothers_sweep_took_is_made_again() {
        let folder = tempfile::tempdir().unwrap();
        // Swept before it is open, then held by a process that is about to remove it.
        let (mut times, mut sweeper) = (0, None);
        let made = Temporary::create(folder.path(), |path| {
            times += 1;
            match times {
                1 => sweep(folder.path()),
                2 => {
                    let lock = File::open(path).unwrap();
                    flock(&lock, FlockOperation::NonBlockingLockExclusive).unwrap();
                    sweeper = Some(lock);
                }
                _ => {}
            }
        });
        let made = made.unwrap();
        assert_eq!(times, 3);
        drop(sweeper);
        // A folder in use stays.
        sweep(folder.path());
        assert!(made.path().is_dir());
        assert!(Temporary::create(folder.path(), |_| sweep(folder.path())).is_err());
    }

    // proves: D4
    #[test]
    fn a_folder_that_lets_nobody_in_hides_what_it_holds() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("file"), [0; 5000]).unwrap();
        fs::create_dir(folder.path().join("open")).unwrap();
        let (bytes, files) = stored(folder.path(), 9).unwrap();
        assert!(bytes >= 5000 && files == 2, "{bytes} {files}");
        for mode in [0o300, 0o600, 0] {
            let closed = folder.path().join("closed");
            DirBuilder::new().mode(0o700).create(&closed).unwrap();
            fs::write(closed.join("hidden"), "x").unwrap();
            fs::set_permissions(&closed, fs::Permissions::from_mode(mode)).unwrap();
            assert_eq!(as_anybody(|| stored(folder.path(), 9)), None, "{mode:o}");
            as_anybody(|| remove(&closed));
            assert!(!closed.exists(), "{mode:o}");
        }
        assert_eq!(stored(&folder.path().join("none"), 9), Some((0, 0)));
    }

    // proves: D4
    #[test]
    fn a_folder_deeper_than_is_looked_at_hides_what_it_holds_and_is_removed() {
        let folder = tempfile::tempdir().unwrap();
        let scratch = folder.path().join("scratch");
        fs::create_dir(&scratch).unwrap();
        let nested = |depth| -> PathBuf { std::iter::repeat_n("d", depth).collect() };
        fs::create_dir_all(scratch.join(nested(DEEPEST))).unwrap();
        assert_eq!(stored(&scratch, 99).map(|(_, files)| files), Some(DEEPEST as u64));
        fs::create_dir_all(scratch.join(nested(DEEPEST + 1))).unwrap();
        assert_eq!(stored(&scratch, 99), None);
        fs::create_dir_all(scratch.join(nested(900))).unwrap();
        remove(&scratch);
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
    }
}
