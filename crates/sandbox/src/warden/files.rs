//! A scratch folder among the temporary files, for where there are no namespaces.

use std::fs::{self, DirBuilder, File};
use std::io;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

use rustix::fs::{FlockOperation, flock};

const NAME: &str = "quaestio-scratch-";
/// How deep folders are looked into.
pub(crate) const DEEPEST: usize = 32;

/// A folder that goes with its owner. Whoever is killed leaves it to the next, which finds it unlocked.
#[derive(Debug)]
pub(crate) struct Temporary {
    path: PathBuf,
    /// Held for as long as the folder is in use.
    _lock: File,
}

impl Temporary {
    pub(crate) fn new(folder: &Path) -> io::Result<Temporary> {
        sweep(folder);
        let path = folder.join(format!("{NAME}{}", super::token()?));
        DirBuilder::new().mode(0o700).create(&path)?;
        let lock = File::open(&path)?;
        flock(&lock, FlockOperation::NonBlockingLockExclusive)?;
        Ok(Temporary { path: fs::canonicalize(path)?, _lock: lock })
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

/// Removes what others left who could not do it themselves.
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

fn remove(folder: &Path) {
    open_up(folder, 0);
    let _ = fs::remove_dir_all(folder);
}

/// Has folders let their owner in who did not want it.
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

/// Returns how many bytes and how many files and folders a folder holds; stops counting above `most` files.
pub(crate) fn stored(folder: &Path, most: u64) -> (u64, u64) {
    let (mut bytes, mut files) = (0_u64, 0_u64);
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            let Ok(about) = entry.metadata() else { continue };
            files += 1;
            bytes = bytes.saturating_add(about.len().max(about.blocks().saturating_mul(512)));
            if about.is_dir() {
                folders.push(entry.path());
            }
            if files > most {
                return (bytes, files);
            }
        }
    }
    (bytes, files)
}
