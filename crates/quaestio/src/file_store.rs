//! Files that runs read whole, stored under the digests of their bytes: `{data}/files/{user}/{sha256}`.
//!
//! A file is written under a temporary name and renamed once it is on disk; what is read is checked against its digest. So a file is
//! there whole or not at all, and a resumed run reads what it was started with. No file is ever removed: a run may still name it.

mod sets;

use std::fs;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use async_trait::async_trait;
use run::entry::Hash;
use run::error::PortError;
use run::files::{FileRef, Files};
use store::folder_of;

use crate::failure::Failure;

pub(crate) use sets::Set;

/// The files of all users of a data folder, and the sets that they named.
#[derive(Debug, Clone)]
pub(crate) struct FileStore {
    data: PathBuf,
}

impl FileStore {
    /// Returns a store below the data folder. Creates nothing yet.
    pub(crate) fn new(data: PathBuf) -> FileStore {
        FileStore { data }
    }

    /// Stores a file and returns the reference to it. If it is already there, it is left as it is.
    pub(crate) fn put(&self, user: &str, name: &str, bytes: &[u8]) -> Result<FileRef, Failure> {
        let digest = Hash::of(bytes).to_string();
        let file = FileRef { name: name.to_owned(), sha256: digest, bytes: bytes.len() as u64 };
        let folder = self.folder("files", user)?;
        if read(&folder, &file).is_ok_and(|found| found.is_some()) {
            return Ok(file);
        }
        place(&folder, &file.sha256, bytes)
            .map_err(|error| unwritten(&folder.join(&file.sha256), &error))?;
        Ok(file)
    }

    /// Returns the bytes of a file after checking them against its digest. Blocks on the disk.
    pub(crate) fn bytes(&self, user: &str, file: &FileRef) -> Result<Vec<u8>, PortError> {
        let invalid = |what: String| PortError::Invalid { what };
        let folder = self.folder("files", user).map_err(|failure| invalid(failure.what))?;
        let found = read(&folder, file).map_err(|error| PortError::Store {
            action: format!("read the file '{}'", file.name),
            reason: error.to_string(),
        })?;
        found.ok_or_else(|| {
            invalid(format!(
                "the file '{}' is not kept here; add it again, its SHA-256 is {}",
                file.name, file.sha256
            ))
        })
    }

    /// Returns the folder of a user below one of the store's folders.
    fn folder(&self, below: &str, user: &str) -> Result<PathBuf, Failure> {
        let name = folder_of(user).ok_or_else(|| {
            let shown = run::grounding::clean(user);
            Failure::usage(
                format!("'{shown}' keeps no files: it is no name of a user"),
                "set user to up to 64 letters, digits, - and _",
            )
        })?;
        Ok(self.data.join(below).join(name))
    }
}

#[async_trait]
impl Files for FileStore {
    async fn read(&self, user: &str, file: &FileRef) -> Result<Vec<u8>, PortError> {
        let (file_store, user, wanted) = (self.clone(), user.to_owned(), file.clone());
        let read = tokio::task::spawn_blocking(move || file_store.bytes(&user, &wanted)).await;
        read.unwrap_or_else(|_| {
            Err(PortError::Store {
                action: format!("read the file '{}'", file.name),
                reason: "the work broke off".to_owned(),
            })
        })
    }
}

/// Reads a file and checks it against its digest; `None` if there is no such file.
fn read(folder: &Path, file: &FileRef) -> io::Result<Option<Vec<u8>>> {
    // Parsed as a digest before it becomes part of a path.
    let Ok(digest) = file.sha256.parse::<Hash>() else {
        return Err(io::Error::other(format!("'{}' is no SHA-256 digest", file.sha256)));
    };
    let opened = match fs::File::open(folder.join(digest.to_string())) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        opened => opened?,
    };
    let changed = || io::Error::other("its bytes are not those that were kept; add it again");
    if opened.metadata()?.len() != file.bytes {
        return Err(changed());
    }
    let mut bytes = Vec::new();
    opened.take(file.bytes.saturating_add(1)).read_to_end(&mut bytes)?;
    if bytes.len() as u64 != file.bytes || Hash::of(&bytes) != digest {
        return Err(changed());
    }
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

fn unwritten(path: &Path, error: &io::Error) -> Failure {
    Failure::new(
        format!("{} could not be written: {error}", path.display()),
        "check the data folder's permissions and free space, or give --data-dir FOLDER",
    )
}

#[cfg(test)]
mod tests {
    use futures::executor::block_on;

    use super::*;

    fn build_file_store() -> (tempfile::TempDir, FileStore) {
        let folder = tempfile::tempdir().unwrap();
        let file_store = FileStore::new(folder.path().join("data"));
        (folder, file_store)
    }

    fn read_by(file_store: &FileStore, user: &str, file: &FileRef) -> Result<Vec<u8>, String> {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        runtime.block_on(file_store.read(user, file)).map_err(|error| error.to_string())
    }

    // proves: B9
    #[test]
    fn a_file_is_read_as_it_was_kept_and_by_its_user_alone() {
        let (_folder, file_store) = build_file_store();
        let file = file_store.put("Ada", "wave1.csv", b"id,Q1\n1,2\n").unwrap();
        assert_eq!((file.bytes, file.sha256.len()), (10, 64));
        assert_eq!(file_store.put("Ada", "wave1.csv", b"id,Q1\n1,2\n").unwrap(), file);
        assert_eq!(read_by(&file_store, "Ada", &file).unwrap(), b"id,Q1\n1,2\n");
        for other in ["ada", "bob"] {
            assert!(read_by(&file_store, other, &file).unwrap_err().contains("is not kept here"));
        }
        assert!(read_by(&file_store, "../ada", &file).unwrap_err().contains("no name of a user"));
    }

    // proves: B9
    #[test]
    fn a_file_that_changed_is_not_read_and_is_mended_when_it_is_added_again() {
        let (_folder, file_store) = build_file_store();
        let file = file_store.put("ada", "wave1.csv", b"1,2,3").unwrap();
        let path = file_store.data.join("files/ada").join(&file.sha256);
        for changed in [&b"1,2,4"[..], b"1,2", b"1,2,3,4", b""] {
            fs::write(&path, changed).unwrap();
            assert!(
                read_by(&file_store, "ada", &file)
                    .unwrap_err()
                    .contains("not those that were kept")
            );
        }
        file_store.put("ada", "wave1.csv", b"1,2,3").unwrap();
        assert_eq!(read_by(&file_store, "ada", &file).unwrap(), b"1,2,3");
        let names = fs::read_dir(path.parent().unwrap()).unwrap().count();
        assert_eq!(names, 1, "nothing half written is left");
    }

    #[test]
    fn what_is_no_digest_never_becomes_a_path() {
        let (folder, file_store) = build_file_store();
        fs::write(folder.path().join("secret"), "x").unwrap();
        for sha256 in ["../../../secret", "", "secret", "/etc/passwd", &"g".repeat(64)] {
            let file = FileRef { name: "x".into(), sha256: sha256.into(), bytes: 1 };
            assert!(
                block_on(async { read_by(&file_store, "ada", &file) })
                    .unwrap_err()
                    .contains("no SHA-256")
            );
        }
    }

    #[cfg(unix)]
    #[test]
    fn what_is_kept_is_for_its_owner_alone() {
        use std::os::unix::fs::PermissionsExt;
        let (_folder, file_store) = build_file_store();
        let file = file_store.put("ada", "wave1.csv", b"1").unwrap();
        let folder = file_store.data.join("files/ada");
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!((mode(&folder), mode(&folder.join(&file.sha256))), (0o700, 0o600));
    }
}
