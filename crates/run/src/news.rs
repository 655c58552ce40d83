//! What processes that share a log tell each other. Nothing of it is stored, and nothing relies on it.

use serde::{Deserialize, Serialize};

use crate::log::Status;

/// Tells of a run, perhaps in another process.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct News {
    pub user: String,
    pub run: String,
    pub event: NewsEvent,
}

/// What is told of a run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NewsEvent {
    /// It has changed; its status after the change.
    Changed(Status),
    /// Somebody follows it, and wants to hear the drafts of whoever works on it.
    Followed {
        /// Whether words are missing that were drafted before: all are to be told again.
        lacks: bool,
    },
    /// Words of a draft, as the model writes them; not yet checked.
    Drafted(DraftWords),
}

/// Words of the draft of a step.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DraftWords {
    pub step: String,
    /// The number of the entry after which the draft began: what was drafted earlier is another draft.
    pub after: u64,
    /// The number of bytes of the draft before these words.
    pub offset: usize,
    pub text: String,
}
