//! The messages between parent and warden: one JSON value each way, preceded by its length.

use std::io::{self, ErrorKind, Read, Write};
use std::path::PathBuf;

use run::sandbox::{Execution, Program};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::interpreter::Interpreter;

/// A wall between a program and everything else, in addition to seccomp and rlimits, which hold every program.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Wall {
    /// Namespaces of its own: user, mount, process, network, IPC, host name and cgroup.
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

/// A request to a warden.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Request {
    pub(crate) program: Program,
    pub(crate) interpreter: Interpreter,
    /// All of them are required.
    pub(crate) walls: Vec<Wall>,
    /// Where the scratch folder is made if there are no namespaces.
    pub(crate) temporary: PathBuf,
}

/// The warden's answer.
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
