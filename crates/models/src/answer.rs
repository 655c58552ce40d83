//! The result of a reply, independent of the protocol.

use serde_json::Value;

/// The result of a reply so far.
#[derive(Debug, Default)]
pub(crate) struct Answer {
    pub(crate) text: String,
    /// The model's own words if it refuses to answer.
    pub(crate) refusal: String,
    pub(crate) stop: Option<Stop>,
    /// Why it ended, in a protocol that gives the reason before the end.
    pub(crate) announced: Option<Stop>,
    /// Whether the stream is complete.
    pub(crate) done: bool,
    pub(crate) usage: Counted,
}

/// Why a reply ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Stop {
    Ended,
    /// It reached its token limit.
    CutOff,
    /// The provider's filter blocked it.
    Withheld,
    /// For a server-specific reason, such as `network_error`.
    Unknown,
}

/// The token counts that the server reported.
#[derive(Debug, Default)]
pub(crate) struct Counted {
    /// Input tokens that were neither written to the provider's cache nor read from it.
    pub(crate) fresh: Option<u64>,
    pub(crate) written: Option<u64>,
    pub(crate) cached: Option<u64>,
    /// Output tokens, including thinking.
    pub(crate) output: Option<u64>,
}

impl Counted {
    /// Returns the number of all input tokens.
    pub(crate) fn input(&self) -> Option<u64> {
        let more = [self.written, self.cached].into_iter().flatten().fold(0, u64::saturating_add);
        self.fresh.map(|fresh| fresh.saturating_add(more))
    }

    /// Records `all` input tokens, `cached` of which came from the cache.
    pub(crate) fn read(&mut self, all: Option<u64>, cached: Option<u64>) {
        self.fresh = all.map(|all| all.saturating_sub(cached.unwrap_or_default()));
        self.cached = cached.zip(all).map(|(cached, all)| cached.min(all));
    }
}

/// Returns the unsigned integer at `pointer`, if there is one.
pub(crate) fn count(value: &Value, pointer: &str) -> Option<u64> {
    value.pointer(pointer).and_then(Value::as_u64)
}
