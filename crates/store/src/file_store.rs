//! Files of users, stored under the digests of their bytes, `{data}/files/{user}/{sha256}`, and sets of them,
//! `{data}/surveys/{user}/{name}.json`.
//!
//! A file is written under a temporary name and renamed once it is on disk; what is read is checked against its digest. So a file is
//! there whole or not at all, and a resumed run reads what it was started with.

mod moving;
mod sets;

use std::fs;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use async_trait::async_trait;
use run::entry::Hash;
use run::error::PortError;
use run::files::{FileRef, FileSet, Files, StoredFiles, check_name, not_kept, refer, verify};

use crate::context_files::folder_of;

/// The files of all users of a data folder, and the sets that they named.
#[derive(Debug, Clone)]
pub struct FileStore {
    data: PathBuf,
}

impl FileStore {
    /// Returns a store below the data folder. Creates nothing yet.
    pub fn new(data: impl Into<PathBuf>) -> FileStore {
        FileStore { data: data.into() }
    }

    /// Returns the folder of a user below one of the store's folders.
    fn folder(&self, below: &str, user: &str) -> Result<PathBuf, PortError> {
        check_name("user", user)?;
        Ok(self.data.join(below).join(folder_of(user).unwrap_or_else(|| user.to_owned())))
    }

    fn put_now(&self, user: &str, name: &str, bytes: &[u8]) -> Result<FileRef, PortError> {
        let file = refer(name, bytes);
        let folder = self.folder("files", user)?;
        if read(&folder, &file).is_ok_and(|found| found.is_some()) {
            return Ok(file);
        }
        place(&folder, &file.sha256, bytes)
            .map_err(|error| failed("write", &folder.join(&file.sha256), &error))?;
        Ok(file)
    }

    fn read_now(&self, user: &str, file: &FileRef) -> Result<Vec<u8>, PortError> {
        read(&self.folder("files", user)?, file)?.ok_or_else(|| not_kept(file))
    }

    /// Runs work on the disk on a blocking thread.
    async fn aside<T: Send + 'static>(
        &self,
        work: impl FnOnce(&FileStore) -> Result<T, PortError> + Send + 'static,
    ) -> Result<T, PortError> {
        let file_store = self.clone();
        let done = tokio::task::spawn_blocking(move || work(&file_store)).await;
        done.unwrap_or_else(|_| {
            Err(PortError::Store {
                action: "read or write a file".to_owned(),
                reason: "the work stopped unexpectedly".to_owned(),
            })
        })
    }
}

#[async_trait]
impl Files for FileStore {
    async fn read(&self, user: &str, file: &FileRef) -> Result<Vec<u8>, PortError> {
        let (user, file) = (user.to_owned(), file.clone());
        self.aside(move |store| store.read_now(&user, &file)).await
    }
}

#[async_trait]
impl StoredFiles for FileStore {
    async fn put(&self, user: &str, name: &str, bytes: Vec<u8>) -> Result<FileRef, PortError> {
        let (user, name) = (user.to_owned(), name.to_owned());
        self.aside(move |store| store.put_now(&user, &name, &bytes)).await
    }

    async fn set(&self, user: &str, name: &str) -> Result<Option<Vec<FileRef>>, PortError> {
        let (user, name) = (user.to_owned(), name.to_owned());
        self.aside(move |store| store.find_set(&user, &name)).await
    }

    async fn sets(&self, user: &str) -> Result<Vec<FileSet>, PortError> {
        let user = user.to_owned();
        self.aside(move |store| store.list_sets(&user)).await
    }

    async fn exchange(
        &self,
        user: &str,
        name: &str,
        read: Option<&[FileRef]>,
        files: &[FileRef],
    ) -> Result<bool, PortError> {
        let (user, read) = (user.to_owned(), read.map(<[FileRef]>::to_vec));
        let set = FileSet { name: name.to_owned(), files: files.to_vec() };
        self.aside(move |store| store.exchange_set(&user, read.as_deref(), &set)).await
    }

    async fn forget(&self, user: &str, name: &str) -> Result<bool, PortError> {
        let (user, name) = (user.to_owned(), name.to_owned());
        self.aside(move |store| store.forget_set(&user, &name)).await
    }
}

/// Returns the names in a folder, sorted; none if there is no such folder.
fn names(folder: &Path) -> Result<Vec<String>, PortError> {
    let unreadable = |error: io::Error| failed("read", folder, &error);
    let entries = match fs::read_dir(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(vec![]),
        entries => entries.map_err(unreadable)?,
    };
    let mut names = Vec::new();
    for entry in entries {
        names.extend(entry.map_err(unreadable)?.file_name().into_string());
    }
    names.sort();
    Ok(names)
}

/// Reads a file and checks it against its digest; `None` if there is no such file.
fn read(folder: &Path, file: &FileRef) -> Result<Option<Vec<u8>>, PortError> {
    let unreadable = |error: &io::Error| PortError::Store {
        action: format!("read the file '{}'", file.name),
        reason: error.to_string(),
    };
    // Parsed as a digest before it becomes part of a path.
    let Ok(digest) = file.sha256.parse::<Hash>() else {
        return Err(unreadable(&io::Error::other(format!(
            "'{}' is not a SHA-256 digest",
            file.sha256
        ))));
    };
    let opened = match fs::File::open(folder.join(digest.to_string())) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        opened => opened.map_err(|error| unreadable(&error))?,
    };
    let mut bytes = Vec::new();
    let limited = opened.take(file.bytes.saturating_add(1)).read_to_end(&mut bytes);
    limited.map_err(|error| unreadable(&error))?;
    verify(file, &bytes)?;
    Ok(Some(bytes))
}

/// Writes a file so that its bytes are on disk before it is visible under its name.
fn place(folder: &Path, name: &str, bytes: &[u8]) -> io::Result<()> {
    make(folder)?;
    let next = folder.join(format!(".next-{}", uuid::Uuid::new_v4()));
    let written = write(&next, bytes).and_then(|()| fs::rename(&next, folder.join(name)));
    if written.is_err() {
        // A remnant would do no harm: no one asks for its name.
        let _ = fs::remove_file(&next);
    }
    written?;
    sync(folder)
}

fn write(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut options = fs::OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let mut file = options.open(path)?;
    file.write_all(bytes)?;
    file.sync_all()
}

/// Creates a folder that only its owner can access.
fn make(folder: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
}

/// Waits until the folder's entries are on disk.
fn sync(folder: &Path) -> io::Result<()> {
    if cfg!(unix) { fs::File::open(folder)?.sync_all() } else { Ok(()) }
}

fn failed(what: &str, path: &Path, error: &io::Error) -> PortError {
    let action = format!("{what} {}", path.display());
    match error.kind() {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => PortError::DiskFull { action },
        _ => PortError::Store { action, reason: error.to_string() },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn build_file_store() -> (tempfile::TempDir, FileStore) {
        let folder = tempfile::tempdir().unwrap();
        let file_store = FileStore::new(folder.path().join("data"));
        (folder, file_store)
    }

    // proves: B9
    #[test]
    fn a_file_that_changed_is_not_read_and_is_mended_when_it_is_added_again() {
        let (_folder, file_store) = build_file_store();
        let file = file_store.put_now("ada", "wave1.csv", b"1,2,3").unwrap();
        let path = file_store.data.join("files/ada").join(&file.sha256);
        for changed in [&b"1,2,4"[..], b"1,2", b"1,2,3,4", b""] {
            fs::write(&path, changed).unwrap();
            let refused = file_store.read_now("ada", &file).unwrap_err().to_string();
            assert!(refused.contains("its content was changed after it was kept"), "{refused}");
        }
        file_store.put_now("ada", "wave1.csv", b"1,2,3").unwrap();
        assert_eq!(file_store.read_now("ada", &file).unwrap(), b"1,2,3");
        let names = fs::read_dir(path.parent().unwrap()).unwrap().count();
        assert_eq!(names, 1, "nothing half written is left");
    }

    #[test]
    fn what_is_no_digest_never_becomes_a_path() {
        let (folder, file_store) = build_file_store();
        fs::write(folder.path().join("secret"), "x").unwrap();
        for sha256 in ["../../../secret", "", "secret", "/etc/passwd", &"g".repeat(64)] {
            let file = FileRef { name: "x".into(), sha256: sha256.into(), bytes: 1 };
            let refused = file_store.read_now("ada", &file).unwrap_err().to_string();
            assert!(refused.contains("is not a SHA-256 digest"), "{refused}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn what_is_kept_is_for_its_owner_alone() {
        use std::os::unix::fs::PermissionsExt;
        let (_folder, file_store) = build_file_store();
        let file = file_store.put_now("ada", "wave1.csv", b"1").unwrap();
        let folder = file_store.data.join("files/ada");
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!((mode(&folder), mode(&folder.join(&file.sha256))), (0o700, 0o600));
    }
}
