//! The revision that a person saw at a gate, and why what they said was refused.

use std::fmt;

use crate::entry::Hash;
use crate::log::LogError;
use crate::plan::MOST_CHARACTERS;
use crate::views::{Phase, Proposal};

/// The plan that a person saw.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Seen {
    pub revision: u32,
    pub plan_hash: Hash,
}

impl fmt::Display for Seen {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "revision {} ({})", self.revision, self.plan_hash)
    }
}

impl From<Proposal<'_>> for Seen {
    fn from(proposal: Proposal<'_>) -> Seen {
        Seen { revision: proposal.revision, plan_hash: proposal.plan_hash }
    }
}

/// Why what a person said was refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum AnswerError {
    #[error("run {run} asks nothing")]
    NothingAsked { run: String },
    #[error("run {run} has no open gate '{gate}'; open: {open}")]
    NoSuchGate { run: String, gate: String, open: String },
    #[error("run {run} asks at several gates; name one of: {open}")]
    WhichGate { run: String, open: String },
    #[error("gate '{gate}' of run {run} asks for the approval of a plan, not for an answer")]
    PlanAsked { run: String, gate: String },
    #[error("gate '{gate}' of run {run} asks for an answer; there is no plan at it")]
    NoPlan { run: String, gate: String },
    /// Someone edited the plan meanwhile.
    #[error(
        "the plan at gate '{gate}' of run {run} is at {current}, not at {given}; look at it again"
    )]
    Stale { run: String, gate: String, current: Seen, given: Seen },
    #[error(
        "the answer at gate '{gate}' has {characters} characters; it may have {MOST_CHARACTERS} at most"
    )]
    LongAnswer { gate: String, characters: usize },
    #[error("the plan is not right: {what}")]
    WrongPlan { what: String },
    #[error(
        "run {run} asks at gate '{gate}' and still works on something else; try again when it waits"
    )]
    StillWorking { run: String, gate: String },
    /// The operation belongs to another phase.
    #[error("'{operation}' does not fit phase '{phase}' of run {run}: {why}")]
    WrongPhase { run: String, operation: &'static str, phase: Phase, why: &'static str },
    #[error(transparent)]
    Log(#[from] LogError),
}
