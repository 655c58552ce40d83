//! What parent and warden say to each other: one JSON value each way, its length before it.

use std::io::{self, ErrorKind, Read, Write};
use std::path::PathBuf;

use run::sandbox::{Execution, Program};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::interpreter::Interpreter;

/// What stands between a program and everything else, besides seccomp and rlimits, which every program is held by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Wall {
    /// A world of its own: user, mount, process, network, IPC and host name.
    Namespaces,
    /// Rules about which files may be opened, and how.
    Landlock,
}

impl Wall {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Wall::Namespaces => "namespaces",
            Wall::Landlock => "landlock",
        }
    }
}

/// What a warden is asked for.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Request {
    pub(crate) program: Program,
    pub(crate) interpreter: Interpreter,
    /// Each of them is required.
    pub(crate) walls: Vec<Wall>,
    /// Where a scratch folder is made where there are no namespaces.
    pub(crate) temporary: PathBuf,
}

/// What it answers.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) enum Answer {
    Executed(Box<Execution>),
    /// A wall could not be put up; nothing was run.
    Refused {
        reason: String,
    },
}

pub(crate) fn framed(value: &impl Serialize) -> io::Result<Vec<u8>> {
    let json = serde_json::to_vec(value)?;
    let mut bytes = (json.len() as u64).to_le_bytes().to_vec();
    bytes.extend(json);
    Ok(bytes)
}

pub(crate) fn put(to: &mut impl Write, value: &impl Serialize) -> io::Result<()> {
    to.write_all(&framed(value)?)?;
    to.flush()
}

/// Reads one value of at most `most` bytes.
pub(crate) fn take<T: DeserializeOwned>(from: &mut impl Read, most: u64) -> io::Result<T> {
    let mut length = [0; 8];
    from.read_exact(&mut length)?;
    let length = u64::from_le_bytes(length);
    if length > most {
        return Err(io::Error::new(ErrorKind::InvalidData, "more than was allowed"));
    }
    let mut bytes = Vec::new();
    from.take(length).read_to_end(&mut bytes)?;
    Ok(serde_json::from_slice(&bytes)?)
}
