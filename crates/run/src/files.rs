//! The port for files that a method reads whole: a user's own data, each file under the digest of its bytes.
//!
//! A run's options name the files by their digests, so whichever worker takes the run up later reads the same bytes or none. Results
//! computed from them go into the log as the value of a step; the bytes do not.

use std::sync::Arc;

use async_trait::async_trait;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::error::PortError;
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

/// Stores users' files. Every request names the user and cannot see another user's files.
#[async_trait]
pub trait Files: Send + Sync {
    /// Returns the bytes of a file, after verifying its digest.
    async fn read(&self, user: &str, file: &FileRef) -> Result<Vec<u8>, PortError>;
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
                what: format!("the file '{}' cannot be read: nobody keeps files here", file.name),
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
