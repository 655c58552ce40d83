//! The log of a run as OpenTelemetry spans, named after the conventions for generative AI.
//!
//! The run is the root; below it is a span for each try of a step, within the step's scope. It is a fold: the same log gives the same spans
//! with the same ids, so a receiver can drop duplicates. Spans contain what was asked, found and answered.
//!
//! Names: <https://github.com/open-telemetry/semantic-conventions-genai>; names outside them begin with `quaestio.`.

mod fold;
mod json;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use jiff::Timestamp;
use run::entry::{Entry, Hash};

pub use json::export;

/// The longest text of an attribute, in characters; longer ones are truncated.
pub const LONGEST_TEXT: usize = 32_000;

/// A span.
#[derive(Debug, Clone, PartialEq)]
pub struct Span {
    pub trace_id: TraceId,
    pub span_id: [u8; 8],
    /// `None` for the root.
    pub parent: Option<[u8; 8]>,
    /// The name of the method, scope or step.
    pub name: String,
    /// Whether the span calls another service.
    pub asks_outside: bool,
    pub start: Timestamp,
    pub end: Timestamp,
    pub attributes: BTreeMap<String, Attribute>,
    /// The passages that a retrieval found, best first.
    pub documents: Vec<Found>,
    pub state: State,
}

/// The value of an attribute.
#[derive(Debug, Clone, PartialEq)]
pub enum Attribute {
    Text(String),
    Count(u64),
    Number(f64),
}

/// A passage that a retrieval found.
#[derive(Debug, Clone, PartialEq)]
pub struct Found {
    /// Its source.
    pub id: String,
    /// Comparable within one retrieval only; `None` if none was given.
    pub score: Option<f64>,
    pub text: String,
}

/// How a span ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum State {
    Unset,
    Done,
    Failed(String),
}

/// The id of a trace: 16 bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct TraceId(pub [u8; 16]);

impl TraceId {
    /// Returns the id of a run's trace. `space` separates traces of one run that are stored together; it may be empty.
    pub fn of(run: &str, space: &str) -> TraceId {
        TraceId(beginning(Hash::of_parts(&[b"trace", space.as_bytes(), run.as_bytes()])))
    }
}

impl std::fmt::Display for TraceId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

/// Returns the spans of a run, the root first; empty for an empty log.
///
/// For a fork these are its own steps, not the copied ones.
pub fn spans(run: &str, space: &str, entries: &[Entry]) -> Vec<Span> {
    fold::spans(run, TraceId::of(run, space), entries)
}

/// Returns the first `N` bytes of a digest, which is longer.
fn beginning<const N: usize>(hash: Hash) -> [u8; N] {
    std::array::from_fn(|index| hash.0.get(index).copied().unwrap_or_default())
}
