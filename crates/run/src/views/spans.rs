//! The log of a run as OpenTelemetry spans, named after the conventions for generative AI.
//!
//! The run is the root. Below it is a span for each step, within the spans of its scopes, and below a step one for each call of a model
//! that it made. It is a fold: the same log gives the same spans with the same ids, whoever folds it and however often, so a receiver
//! can drop duplicates.
//!
//! Names: <https://github.com/open-telemetry/semantic-conventions-genai>; names outside them begin with `quaestio.`.

mod describe;
mod fold;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use jiff::Timestamp;

use crate::entry::{Entry, Hash};

/// The longest text of an attribute, in characters; longer ones are truncated.
pub const LONGEST_TEXT: usize = 32_000;

/// Whether spans hold the texts of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Texts<'a> {
    /// Spans hold what was asked, found and answered, and the reasons of failures.
    Included,
    /// Spans hold names, times and numbers.
    Withheld {
        /// The names of scopes, without the numbers at their ends, that may be shown. Others may be made of what was asked or found;
        /// they become `scope-1`, `scope-2` and so on, in the order of the log.
        scopes: &'a [&'a str],
    },
}

/// The id of a span: 8 bytes, unique within its trace.
pub type SpanId = [u8; 8];

/// A span.
#[derive(Debug, Clone, PartialEq)]
pub struct Span {
    pub trace_id: TraceId,
    pub span_id: SpanId,
    /// `None` for the root.
    pub parent: Option<SpanId>,
    /// The span that this one goes on from: the root of the run that a fork was made of.
    pub link: Option<(TraceId, SpanId)>,
    /// The name of the scope or step, or the operation and whom it asks: `invoke_agent debate`, `chat gpt-5`.
    pub name: String,
    /// Whether the span calls another service.
    pub asks_outside: bool,
    pub start: Timestamp,
    pub end: Timestamp,
    pub attributes: BTreeMap<String, Attribute>,
    /// In the order of the log.
    pub events: Vec<SpanEvent>,
    /// The passages that a retrieval found, best first; empty if texts are withheld.
    pub documents: Vec<Found>,
    pub state: State,
}

/// What happened at one moment of a span.
#[derive(Debug, Clone, PartialEq)]
pub struct SpanEvent {
    pub name: &'static str,
    pub at: Timestamp,
    pub attributes: BTreeMap<String, Attribute>,
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
    /// Returns the id of a run's trace. `space` separates traces of runs with the same id that are stored together; it may be empty.
    pub fn of(run: &str, space: &str) -> TraceId {
        TraceId(beginning(Hash::of_parts(&[b"trace", space.as_bytes(), run.as_bytes()])))
    }

    /// Returns the id of the span of a part of the run; it depends on nothing but the trace and the part.
    fn span(self, part: &str) -> SpanId {
        beginning(Hash::of_parts(&[b"span", &self.0, part.as_bytes()]))
    }

    fn root(self) -> SpanId {
        self.span("root")
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
pub fn spans(run: &str, space: &str, entries: &[Entry], texts: Texts<'_>) -> Vec<Span> {
    fold::spans(run, space, entries, texts)
}

/// Returns the provider of a model, as the conventions name it, and the model's name: `gemini/flash` is `gcp.gemini` and `flash`.
/// The provider is empty if the model names none.
pub fn provider_and_model(model: &str) -> (&str, &str) {
    match model.split_once('/') {
        Some(("gemini" | "google", name)) => ("gcp.gemini", name),
        Some((provider, name)) => (provider, name),
        None => ("", model),
    }
}

/// Returns the first `N` bytes of a digest, which is longer.
fn beginning<const N: usize>(hash: Hash) -> [u8; N] {
    std::array::from_fn(|index| hash.0.get(index).copied().unwrap_or_default())
}
