//! Runs as files that prove themselves.
//!
//! A bundle is one file with everything that a run's result rests on: the report, the log byte for byte, the texts of the cited sources,
//! the prompts, and for a brief the tables behind its figures. [`pack`] makes it. [`verify()`] checks it with nothing else at hand: no
//! database, no model, no network.
//!
//! # What is in it
//!
//! ```text
//! manifest.json          what the bundle is, and the SHA-256 of every member below; canonical JSON (RFC 8785)
//! manifest.json.minisig  a signature of the manifest, in the format of minisign; optional
//! manifest.json.tsr      a time stamp of the manifest by an authority (RFC 3161); optional
//! report.md report.html result.json      the deliverable
//! ledger.json            every claim, with its verdict, addresses and spans
//! log.jsonl              the log: one entry a line, behind the hash that covers it and everything before it
//! settings.json          what the run was started with
//! prompts/…              the prompts that models were asked with
//! sources/SHA256.txt     the stored text of each cited source, named by its digest
//! figures.json           of a brief: the aggregated table behind each figure, never a respondent
//! schemas/…              the JSON Schemas of the result and of the method's part of it
//! ```
//!
//! # How it is verified
//!
//! Everything that can be made again is made again and compared byte for byte: the result from the log, the report from the result, and
//! the method's whole work from the recorded replies ([`run::work::replay`]), with its hard checks, quotes and arithmetic. What the log
//! says of sources is held against their texts, and figures against their tables. [`Verification`] says what was proved, what was not,
//! and whose word that is.

pub mod archive;
mod bibliography;
mod figures;
mod log;
mod manifest;
mod packing;
mod replaying;
mod signature;
mod verification;

pub use figures::{expressions, tabulate};
pub use manifest::{Extent, FORMAT, Manifest, Missing, name};
pub use packing::{Contents, PackError, Source, attach, find_sources, pack, read_manifest};
pub use replaying::{ReplayError, Replayed, replay};
pub use signature::{KeyError, is_key};
pub use verification::{Check, Outcome, Verification, verify};
