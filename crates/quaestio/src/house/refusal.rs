//! Failures as the server tells them.

use corpus::TakeError;
use run::ports::PortError;
use server::{Refusal, RefusalKind};

use crate::failure::{Exit, Failure};

pub(super) fn refused(failure: Failure) -> Refusal {
    let Failure { exit, what, hint, may_pass } = failure;
    let kind = match exit {
        Exit::Usage => RefusalKind::Invalid,
        _ if may_pass => RefusalKind::Unavailable,
        _ => RefusalKind::Failed,
    };
    Refusal::new(kind, what, hint)
}

pub(super) fn of_port(error: PortError) -> Refusal {
    let what = error.to_string();
    let (kind, hint) = match error {
        PortError::Invalid { .. } => (RefusalKind::Invalid, ""),
        PortError::TimedOut { .. }
        | PortError::Unreachable { .. }
        | PortError::Limited { .. }
        | PortError::Failed { .. } => (RefusalKind::Unavailable, "try again later"),
        // SQLite says it in these words.
        PortError::Store { reason, .. } if reason.contains("disk is full") => {
            (RefusalKind::DiskFull, "free some space; nothing that was acknowledged is lost")
        }
        PortError::Store { .. } | PortError::Refused { .. } | PortError::Malformed { .. } => {
            (RefusalKind::Failed, "`quaestio doctor` checks what this program depends on")
        }
    };
    Refusal::new(kind, what, hint)
}

pub(super) fn unreadable(error: TakeError) -> Refusal {
    match error {
        TakeError::Port(error) => of_port(error),
        TakeError::Name(error) => {
            Refusal::new(RefusalKind::Invalid, error.to_string(), "give it another name")
        }
        TakeError::Unreadable { reason } => Refusal::new(
            RefusalKind::Invalid,
            format!("the file was left out: {reason}"),
            "formats read: text, Markdown, HTML, PDF, DOCX, EPUB",
        ),
    }
}
