//! What came of a reply, in whichever protocol it came.

use serde_json::Value;

/// What came of a reply so far.
#[derive(Debug, Default)]
pub(crate) struct Answer {
    pub(crate) text: String,
    /// The model's own words where it will not answer.
    pub(crate) refusal: String,
    pub(crate) stop: Option<Stop>,
    /// Why it ended, in a protocol that says so before it does.
    pub(crate) announced: Option<Stop>,
    /// The stream has nothing more to say.
    pub(crate) done: bool,
    pub(crate) usage: Counted,
}

/// Why a reply ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Stop {
    Ended,
    /// Its tokens were used up.
    CutOff,
    /// The provider's filter stepped in.
    Withheld,
    /// For a reason that only the server knows; `network_error`, for one.
    Unknown,
}

/// The tokens that the server counted.
#[derive(Debug, Default)]
pub(crate) struct Counted {
    /// Read, and neither written to the provider's cache nor found there.
    pub(crate) fresh: Option<u64>,
    pub(crate) written: Option<u64>,
    pub(crate) cached: Option<u64>,
    /// Generated, thoughts included.
    pub(crate) output: Option<u64>,
}

impl Counted {
    /// Returns everything that was read.
    pub(crate) fn input(&self) -> Option<u64> {
        let more = [self.written, self.cached].into_iter().flatten().fold(0, u64::saturating_add);
        self.fresh.map(|fresh| fresh.saturating_add(more))
    }

    /// Takes `all` that was read, `cached` of which came from the cache.
    pub(crate) fn read(&mut self, all: Option<u64>, cached: Option<u64>) {
        self.fresh = all.map(|all| all.saturating_sub(cached.unwrap_or_default()));
        self.cached = cached.zip(all).map(|(cached, all)| cached.min(all));
    }
}

/// Returns the whole number at `pointer`, where there is one.
pub(crate) fn count(value: &Value, pointer: &str) -> Option<u64> {
    value.pointer(pointer).and_then(Value::as_u64)
}
