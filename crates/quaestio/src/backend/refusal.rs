//! Failures as the server reports them.

use app::{Refusal, RefusalKind};
use corpus::TakeError;

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

pub(super) fn unreadable(error: TakeError) -> Refusal {
    match error {
        TakeError::Port(error) => error.into(),
        TakeError::Name(error) => {
            Refusal::new(RefusalKind::Invalid, error.to_string(), "give it another name")
        }
        TakeError::Unreadable { reason } => Refusal::new(
            RefusalKind::Invalid,
            format!("could not read the file: {reason}"),
            "use one of the usual formats, such as PDF, DOCX, PPTX, XLSX, HTML, Markdown or text",
        ),
    }
}
