//! Why the database did not do something.

use std::convert::Infallible;

use deadpool_postgres::{HookError, PoolError};
use index::IndexError;
use run::contexts::ContextError;
use run::error::PortError;
use run::log::LogError;
use tokio_postgres::error::SqlState;

/// Why a query failed.
#[derive(Debug, Clone)]
pub(crate) enum Fault {
    /// The server cannot be reached, is starting or stopping, or broke the connection: the same query may succeed later.
    Gone(String),
    /// The connection broke while a commit was under way: it may have been done.
    Unknown(String),
    /// Other transactions were in the way: the same transaction may succeed at once.
    Conflict(String),
    DiskFull,
    /// A stored value is not what it should be.
    Unreadable(String),
    Other(String),
}

impl Fault {
    /// Returns the reason for a person.
    pub(crate) fn reason(&self) -> &str {
        match self {
            Fault::Gone(reason)
            | Fault::Unknown(reason)
            | Fault::Conflict(reason)
            | Fault::Unreadable(reason)
            | Fault::Other(reason) => reason,
            Fault::DiskFull => "the server's disk is full",
        }
    }

    pub(crate) fn log(&self, action: &str) -> LogError {
        match self {
            Fault::DiskFull => LogError::DiskFull,
            other => LogError::Store { action: action.into(), reason: other.reason().into() },
        }
    }

    pub(crate) fn port(&self, action: &str) -> PortError {
        match self {
            Fault::DiskFull => PortError::DiskFull { action: action.into() },
            other => PortError::Store { action: action.into(), reason: other.reason().into() },
        }
    }

    pub(crate) fn context(&self, action: &str) -> ContextError {
        match self {
            Fault::DiskFull => ContextError::DiskFull,
            other => ContextError::Store { action: action.into(), reason: other.reason().into() },
        }
    }

    /// Returns the fault of a stored value that cannot be read.
    pub(crate) fn unreadable(reason: impl std::fmt::Display) -> Fault {
        Fault::Unreadable(format!("could not read a stored value: {reason}"))
    }
}

impl From<tokio_postgres::Error> for Fault {
    fn from(error: tokio_postgres::Error) -> Fault {
        let Some(state) = error.code() else {
            return match error.is_closed() || is_broken(&error) {
                true => Fault::Gone(explain(&error)),
                false => Fault::Other(explain(&error)),
            };
        };
        match state {
            state if state == &SqlState::DISK_FULL => Fault::DiskFull,
            state
                if state == &SqlState::T_R_SERIALIZATION_FAILURE
                    || state == &SqlState::T_R_DEADLOCK_DETECTED
                    // The index of a collection that was removed since the transaction began.
                    || state == &SqlState::UNDEFINED_TABLE =>
            {
                Fault::Conflict(explain(&error))
            }
            // Connection exceptions, too many connections, a server that is stopped or starts, and a session that it ended because it
            // was silent for too long in a transaction.
            state
                if state.code().starts_with("08")
                    || state == &SqlState::TOO_MANY_CONNECTIONS
                    || state == &SqlState::IDLE_IN_TRANSACTION_SESSION_TIMEOUT
                    || state.code().starts_with("57P0") =>
            {
                Fault::Gone(explain(&error))
            }
            _ => Fault::Other(explain(&error)),
        }
    }
}

/// Returns whether an error without a code of the server comes from a broken or refused connection.
fn is_broken(error: &tokio_postgres::Error) -> bool {
    let mut source = std::error::Error::source(error);
    while let Some(inner) = source {
        if inner.is::<std::io::Error>() {
            return true;
        }
        source = inner.source();
    }
    false
}

impl From<PoolError> for Fault {
    fn from(error: PoolError) -> Fault {
        match error {
            PoolError::Backend(error) | PoolError::PostCreateHook(HookError::Backend(error)) => {
                error.into()
            }
            PoolError::Timeout(_) => {
                Fault::Gone("no connection to the database became free in time".into())
            }
            other => Fault::Other(other.to_string()),
        }
    }
}

impl From<IndexError> for Fault {
    fn from(error: IndexError) -> Fault {
        Fault::Other(error.to_string())
    }
}

impl From<Infallible> for Fault {
    fn from(never: Infallible) -> Fault {
        match never {}
    }
}

/// Returns an error with the reasons below it, on one line.
pub(crate) fn explain(error: &(dyn std::error::Error + 'static)) -> String {
    let mut said = error.to_string();
    let mut source = error.source();
    while let Some(inner) = source {
        let inner_said = inner.to_string();
        if !said.contains(&inner_said) {
            said = format!("{said}: {inner_said}");
        }
        source = inner.source();
    }
    said.split_whitespace().collect::<Vec<_>>().join(" ")
}
