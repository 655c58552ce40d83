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
    #[error("run {run} has no open question")]
    NothingAsked { run: String },
    #[error("run {run} has no open question '{gate}'; open: {open}")]
    NoSuchGate { run: String, gate: String, open: String },
    #[error("run {run} has several open questions; name one of: {open}")]
    WhichGate { run: String, open: String },
    #[error(
        "'{gate}' of run {run} asks you to approve a plan, not to answer. Use `quaestio \
             runs approve`"
    )]
    PlanAsked { run: String, gate: String },
    #[error(
        "'{gate}' of run {run} asks for an answer, not for the approval of a plan. Use `quaestio runs answer`"
    )]
    NoPlan { run: String, gate: String },
    /// Someone edited the plan meanwhile.
    #[error(
        "the plan at '{gate}' of run {run} has changed: it is at {current}, not at {given}. Read it again before you approve \
         it"
    )]
    Stale { run: String, gate: String, current: Seen, given: Seen },
    #[error("the answer to '{gate}' has {characters} characters; the limit is {MOST_CHARACTERS}")]
    LongAnswer { gate: String, characters: usize },
    #[error("the plan is not valid: {what}")]
    WrongPlan { what: String },
    #[error(
        "run {run} asks '{gate}' but is still working on something else. Try again when it waits"
    )]
    StillWorking { run: String, gate: String },
    /// The operation belongs to another phase.
    #[error("'{operation}' is not possible in phase '{phase}' of run {run}: {why}")]
    WrongPhase { run: String, operation: &'static str, phase: Phase, why: &'static str },
    #[error(transparent)]
    Log(#[from] LogError),
}
