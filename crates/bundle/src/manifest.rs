//! What a bundle says of itself: its manifest, in canonical JSON (RFC 8785).

use run::canonical::canonical;
use run::entry::Hash;
use run::log::Status;
use serde::{Deserialize, Serialize};

use crate::archive::Member;

/// The format of bundles that this version writes and verifies.
pub const FORMAT: &str = "quaestio-bundle/1";

/// The names of members.
pub mod name {
    pub const MANIFEST: &str = "manifest.json";
    /// A minisign signature of the manifest.
    pub const SIGNATURE: &str = "manifest.json.minisig";
    /// A time stamp (RFC 3161) of the manifest.
    pub const TIME_STAMP: &str = "manifest.json.tsr";
    pub const READ_ME: &str = "README.txt";
    pub const MARKDOWN: &str = "report.md";
    pub const HTML: &str = "report.html";
    pub const RESULT: &str = "result.json";
    pub const LEDGER: &str = "ledger.json";
    pub const SETTINGS: &str = "settings.json";
    pub const LOG: &str = "log.jsonl";
    /// The tables that the figures of a brief come out of.
    pub const FIGURES: &str = "figures.json";
    pub const SOURCES: &str = "sources/";
    pub const PROMPTS: &str = "prompts/";
    pub const SCHEMAS: &str = "schemas/";
}

/// What a bundle says of itself.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Manifest {
    pub format: String,
    /// The program and its version.
    pub made_by: String,
    pub run_id: String,
    pub method: String,
    pub method_version: u32,
    pub status: Status,
    pub log: LogEnd,
    pub extent: Extent,
    /// What belongs into it and could not be had.
    pub missing: Vec<Missing>,
    /// Every other member, by its name; attachments are none.
    pub members: Vec<Digest>,
}

/// The end of the log.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LogEnd {
    pub entries: u64,
    pub hash: Hash,
}

/// How much of its sources a bundle holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Extent {
    /// The stored text of each source that is cited.
    Sources,
    /// The passages that the run looked at, which are in its log.
    Passages,
}

/// Something that belongs into a bundle and is not in it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Missing {
    /// The name that its member would have.
    pub name: String,
    pub why: String,
}

/// A member and its digest.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Digest {
    pub name: String,
    pub bytes: u64,
    pub sha256: Hash,
}

impl Digest {
    pub fn of(member: &Member) -> Digest {
        Digest {
            name: member.name.clone(),
            bytes: member.bytes.len() as u64,
            sha256: Hash::of(&member.bytes),
        }
    }
}

impl Manifest {
    /// Returns the bytes that are stored and signed.
    pub fn bytes(&self) -> Vec<u8> {
        canonical(self)
    }
}
