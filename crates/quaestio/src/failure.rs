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
        write!(f, "error: {}", without_codes(&self.what))?;
        if !self.hint.is_empty() {
            write!(f, "\n  help: {}", self.hint)?;
        }
        Ok(())
    }
}

/// Leaves out the numbers that the operating system gives its errors, which mean nothing to most people.
fn without_codes(text: &str) -> String {
    let mut parts = text.split(" (os error ");
    let mut told = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        match part.split_once(')') {
            Some((code, rest)) if code.bytes().all(|byte| byte.is_ascii_digit()) => {
                told.push_str(rest);
            }
            _ => told.push_str(&format!(" (os error {part}")),
        }
    }
    told
}

impl std::error::Error for Failure {}

impl From<LogError> for Failure {
    fn from(error: LogError) -> Failure {
        let hint = match &error {
            LogError::NoSuchRun { .. } => "list the runs with `quaestio runs list`",
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
                        "answer it with `quaestio runs answer {run} TEXT`; if it proposes a plan, see `quaestio runs plan {run}` and approve it with `quaestio runs approve {run}`"
                    ),
                );
            }
            LogError::NotOpen { run, .. } => {
                let hint = format!("repeat a step with `quaestio runs fork {run} --from STEP`");
                return Failure::new(error.to_string(), hint);
            }
            LogError::KeyTaken { .. } => "use that run; the same request created it",
            LogError::TooMany { run, .. } => {
                let hint = format!(
                    "wait until it ends (`quaestio runs events {run} --follow`), stop it with `quaestio runs cancel {run}`, or raise debate.concurrent"
                );
                return Failure::new(error.to_string(), hint);
            }
            LogError::DiskFull => "free some space; no confirmed data is lost",
            LogError::Fenced { .. } | LogError::Unreadable { .. } | LogError::Store { .. } => {
                "check the data folder with `quaestio doctor`"
            }
        };
        Failure::new(error.to_string(), hint)
    }
}

impl From<PortError> for Failure {
    fn from(error: PortError) -> Failure {
        match error {
            PortError::Invalid { what } => Failure::new(what, ""),
            full @ PortError::DiskFull { .. } => {
                Failure::new(full.to_string(), "free some space; no confirmed data is lost")
            }
            other => {
                let may_pass = matches!(
                    other,
                    PortError::TimedOut { .. }
                        | PortError::Unreachable { .. }
                        | PortError::Limited { .. }
                        | PortError::Failed { .. }
                );
                let hint = "check the connections with `quaestio doctor`";
                Failure { may_pass, ..Failure::new(other.to_string(), hint) }
            }
        }
    }
}

impl From<ContextError> for Failure {
    fn from(error: ContextError) -> Failure {
        let hint = match &error {
            ContextError::NoSuchContext { .. } => {
                "list the startup contexts with `quaestio contexts list`"
            }
            ContextError::Taken { .. } => {
                "change it with `quaestio contexts edit`, or choose another id with --id"
            }
            ContextError::Changed { .. } => "look at the new version, and try again",
            ContextError::Wrong { .. } => "correct it",
            ContextError::DiskFull => "free some space; nothing stored is lost",
            ContextError::Store { .. } => {
                "nothing was lost; the setting contexts.store says where they are"
            }
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
            AnswerError::WhichGate { .. } => {
                Failure::usage(error.to_string(), "name the question with --gate")
            }
            AnswerError::PlanAsked { ref run, .. } => {
                let hint = format!(
                    "see it with `quaestio runs plan {run}`, and approve it with `quaestio runs approve {run}`"
                );
                Failure::new(error.to_string(), hint)
            }
            AnswerError::NoPlan { ref run, .. } => {
                let hint = format!("answer with `quaestio runs answer {run} TEXT`");
                Failure::new(error.to_string(), hint)
            }
            AnswerError::Stale { ref run, .. } => {
                let hint = format!("see the latest plan with `quaestio runs plan {run}`");
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

    // proves: F1
    #[test]
    fn a_person_reads_no_error_number() {
        let told = |what: &str| Failure::new(what, "").to_string();
        assert_eq!(told("a: refused (os error 111); b"), "error: a: refused; b");
        assert_eq!(told("a (os error x); b"), "error: a (os error x); b");
        assert_eq!(told("x (os error 2)"), "error: x");
    }

    // proves: D6
    #[test]
    fn a_debate_beside_another_is_refused_with_what_to_do() {
        let (method, run) = ("debate".to_owned(), "first".to_owned());
        let refused = Failure::from(LogError::TooMany { method, run, limit: 1 });
        assert!(refused.what.contains("run first of debate is still working"), "{refused}");
        assert!(refused.hint.contains("quaestio runs cancel first"), "{refused}");
    }
}
