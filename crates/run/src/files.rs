//! The port for files that a method reads whole: a user's own data, each file under the digest of its bytes.
//!
//! A run's options name the files by their digests, so whichever worker takes the run up later reads the same bytes or none. Results
//! computed from them go into the log as the value of a step; the bytes do not.

use std::sync::Arc;

use async_trait::async_trait;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::entry::Hash;
use crate::error::PortError;
use crate::library::is_name;
use crate::run::Run;

/// A file as an order or a run's options name it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FileRef {
    /// Its name as its user gave it, with folders where it came from one: `survey/wave1.csv`.
    pub name: String,
    /// SHA-256 of its bytes, as hexadecimal digits.
    pub sha256: String,
    pub bytes: u64,
}

/// A named set of files: what a survey consists of.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FileSet {
    pub name: String,
    pub files: Vec<FileRef>,
}

/// Users' files as a run reads them. Every request names the user and cannot see another user's files.
#[async_trait]
pub trait Files: Send + Sync {
    /// Returns the bytes of a file, after verifying its digest.
    async fn read(&self, user: &str, file: &FileRef) -> Result<Vec<u8>, PortError>;
}

/// Stores users' files and sets of them.
///
/// A file is there whole or not at all. No file is ever removed, since a run may still name it. A user or set is named as
/// [`is_name`] allows; any other name is [`PortError::Invalid`]. Names that differ only in case are two names.
#[async_trait]
pub trait StoredFiles: Files {
    /// Stores a file and returns the reference to it. If it is already there, it is left as it is; if its bytes were damaged, they are
    /// replaced.
    async fn put(&self, user: &str, name: &str, bytes: Vec<u8>) -> Result<FileRef, PortError>;
    /// Returns the files of a set; `None` if there is none of that name.
    async fn set(&self, user: &str, name: &str) -> Result<Option<Vec<FileRef>>, PortError>;
    /// Returns the sets of a user, sorted by name.
    async fn sets(&self, user: &str) -> Result<Vec<FileSet>, PortError>;
    /// Makes or replaces a set if its files are still those that were `read`, `None` for a set that was not there; otherwise changes
    /// nothing and returns false. No other write can come between comparison and exchange.
    async fn exchange(
        &self,
        user: &str,
        name: &str,
        read: Option<&[FileRef]>,
        files: &[FileRef],
    ) -> Result<bool, PortError>;
    /// Forgets a set, not its files; returns whether it existed.
    async fn forget(&self, user: &str, name: &str) -> Result<bool, PortError>;
}

/// Returns the reference to a file of that name with these bytes.
pub fn refer(name: &str, bytes: &[u8]) -> FileRef {
    FileRef {
        name: name.to_owned(),
        sha256: Hash::of(bytes).to_string(),
        bytes: bytes.len() as u64,
    }
}

/// Checks that bytes are those of a file.
pub fn verify(file: &FileRef, bytes: &[u8]) -> Result<(), PortError> {
    if bytes.len() as u64 == file.bytes && Hash::of(bytes).to_string() == file.sha256 {
        return Ok(());
    }
    Err(PortError::Store {
        action: format!("read the file '{}'", file.name),
        reason: "its content was changed after it was kept; add it again".to_owned(),
    })
}

/// Returns the error for a file that is not stored.
pub fn not_kept(file: &FileRef) -> PortError {
    PortError::Invalid {
        what: format!(
            "the file '{}' is missing from the data folder. Add it again (SHA-256 {})",
            file.name, file.sha256
        ),
    }
}

/// Checks that a text names a user or a set of files.
pub fn check_name(what: &str, name: &str) -> Result<(), PortError> {
    if is_name(name) {
        return Ok(());
    }
    let shown: String = crate::grounding::clean(name).chars().take(64).collect();
    Err(PortError::Invalid {
        what: format!(
            "'{shown}' is not a valid name for a {what}. Use up to 64 letters, digits, - and _, beginning with a letter or \
             digit"
        ),
    })
}

/// The files of a run's user.
#[derive(Clone)]
pub struct UsersFiles {
    files: Option<Arc<dyn Files>>,
    user: String,
}

impl UsersFiles {
    /// Returns the bytes of a file.
    pub async fn read(&self, file: &FileRef) -> Result<Vec<u8>, PortError> {
        match &self.files {
            Some(files) => files.read(&self.user, file).await,
            None => Err(PortError::Invalid {
                what: format!("could not read the file '{}': no files are kept here", file.name),
            }),
        }
    }
}

impl Run {
    /// Returns the files of the run's user, to be read within steps.
    pub fn files(&self) -> UsersFiles {
        UsersFiles { files: self.shared.world.files.clone(), user: self.shared.user.clone() }
    }
}
