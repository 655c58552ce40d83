//! The one place that turns an error into an exit code and a hint.

use app::moving::MoveError;
use run::contexts::ContextError;
use run::error::PortError;
use run::log::LogError;
use run::work::{AnswerError, ForkError};
use run::{Outcome, Stop};

/// How the program ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exit {
    Done,
    Failed,
    Usage,
    NotEnoughEvidence,
    Partial,
    Waiting,
    Cancelled,
}

impl Exit {
    pub fn code(self) -> u8 {
        match self {
            Exit::Done => 0,
            Exit::Failed => 1,
            Exit::Usage => 2,
            Exit::NotEnoughEvidence => 3,
            Exit::Partial => 4,
            Exit::Waiting => 5,
            Exit::Cancelled => 6,
        }
    }

    pub(crate) fn of(outcome: Outcome) -> Exit {
        match outcome {
            Outcome::Answered => Exit::Done,
            Outcome::NotEnoughEvidence => Exit::NotEnoughEvidence,
            Outcome::NotReached => Exit::Partial,
        }
    }
}

/// An error for a person: what happened, and what to do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    /// How a command ends with it.
    pub exit: Exit,
    pub what: String,
    /// What to do about it, in the words of the command line; empty if there is nothing to say.
    pub hint: String,
    /// Whether a later attempt might succeed.
    pub may_pass: bool,
}

impl Failure {
    pub(crate) fn usage(what: impl Into<String>, hint: impl Into<String>) -> Failure {
        Failure { exit: Exit::Usage, what: what.into(), hint: hint.into(), may_pass: false }
    }

    pub(crate) fn new(what: impl Into<String>, hint: impl Into<String>) -> Failure {
        Failure { exit: Exit::Failed, what: what.into(), hint: hint.into(), may_pass: false }
    }
}

impl std::fmt::Display for Failure {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "error: {}", self.what)?;
        if !self.hint.is_empty() {
            write!(f, "\n  help: {}", self.hint)?;
        }
        Ok(())
    }
}

impl std::error::Error for Failure {}

impl From<LogError> for Failure {
    fn from(error: LogError) -> Failure {
        let hint = match &error {
            LogError::NoSuchRun { .. } => "`quaestio runs list` shows the runs there are",
            LogError::Busy { run, .. } => {
                return Failure::new(
                    error.to_string(),
                    format!("follow it with `quaestio runs events {run} --follow`"),
                );
            }
            LogError::NotOpen { status: "waiting", run } => {
                return Failure::new(
                    error.to_string(),
                    format!(
                        "answer it with `quaestio runs answer {run} TEXT`, or, where it proposes a plan, see `quaestio runs plan {run}` and `quaestio runs approve {run}`"
                    ),
                );
            }
            LogError::NotOpen { run, .. } => {
                let hint = format!("`quaestio runs fork {run} --from STEP` does a step anew");
                return Failure::new(error.to_string(), hint);
            }
            LogError::KeyTaken { .. } => "the same request made that run already",
            LogError::TooMany { run, .. } => {
                let hint = format!(
                    "wait until it ends (`quaestio runs events {run} --follow`), or stop it with `quaestio runs cancel {run}`; debate.concurrent is the limit"
                );
                return Failure::new(error.to_string(), hint);
            }
            LogError::DiskFull => "nothing that was acknowledged is lost",
            LogError::Fenced { .. } | LogError::Unreadable { .. } | LogError::Store { .. } => {
                "`quaestio doctor` checks the data folder"
            }
        };
        Failure::new(error.to_string(), hint)
    }
}

impl From<PortError> for Failure {
    fn from(error: PortError) -> Failure {
        match error {
            PortError::Invalid { what } => Failure::new(what, ""),
            full @ PortError::DiskFull { .. } => Failure::new(
                full.to_string(),
                "free some space; nothing that was acknowledged is lost",
            ),
            other => {
                let may_pass = matches!(
                    other,
                    PortError::TimedOut { .. }
                        | PortError::Unreachable { .. }
                        | PortError::Limited { .. }
                        | PortError::Failed { .. }
                );
                let hint = "`quaestio doctor` checks what this program depends on";
                Failure { may_pass, ..Failure::new(other.to_string(), hint) }
            }
        }
    }
}

impl From<ContextError> for Failure {
    fn from(error: ContextError) -> Failure {
        let hint = match &error {
            ContextError::NoSuchContext { .. } => "`quaestio contexts list` shows those there are",
            ContextError::Taken { .. } => {
                "`quaestio contexts edit` changes it; choose another with --id"
            }
            ContextError::Changed { .. } => "look at it, and try again",
            ContextError::Wrong { .. } => "correct it",
            ContextError::DiskFull => "nothing that was kept before is lost",
            ContextError::Store { .. } => "nothing was lost; `contexts.store` says where they are",
        };
        Failure::new(error.to_string(), hint)
    }
}

impl From<MoveError> for Failure {
    fn from(error: MoveError) -> Failure {
        match error {
            MoveError::Port(error) => error.into(),
            MoveError::Contexts(error) => error.into(),
        }
    }
}

impl From<Stop> for Failure {
    fn from(stop: Stop) -> Failure {
        match stop {
            Stop::Log(error) => error.into(),
            other => Failure::new(other.to_string(), ""),
        }
    }
}

impl From<AnswerError> for Failure {
    fn from(error: AnswerError) -> Failure {
        match error {
            AnswerError::Log(error) => error.into(),
            AnswerError::WhichGate { .. } => Failure::usage(error.to_string(), "give --gate NAME"),
            AnswerError::PlanAsked { ref run, .. } => {
                let hint = format!(
                    "`quaestio runs plan {run}` shows it, `quaestio runs approve {run}` approves it"
                );
                Failure::new(error.to_string(), hint)
            }
            AnswerError::NoPlan { ref run, .. } => {
                let hint = format!("answer with `quaestio runs answer {run} TEXT`");
                Failure::new(error.to_string(), hint)
            }
            AnswerError::Stale { ref run, .. } => {
                let hint = format!("`quaestio runs plan {run}` shows the latest");
                Failure::new(error.to_string(), hint)
            }
            other => Failure::new(other.to_string(), ""),
        }
    }
}

impl From<ForkError> for Failure {
    fn from(error: ForkError) -> Failure {
        match error {
            ForkError::Log(error) => error.into(),
            other @ ForkError::NoSuchStep { .. } => Failure::usage(other.to_string(), ""),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // proves: D6
    #[test]
    fn a_debate_beside_another_is_refused_with_what_to_do() {
        let (method, run) = ("debate".to_owned(), "first".to_owned());
        let refused = Failure::from(LogError::TooMany { method, run, limit: 1 });
        assert!(refused.what.contains("run first of debate is still working"), "{refused}");
        assert!(refused.hint.contains("quaestio runs cancel first"), "{refused}");
    }
}
