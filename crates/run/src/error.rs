//! Why a port did not give what was asked of it.

use std::time::Duration;

/// Why a port failed. `service` names the other side: a host, a database.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PortError {
    #[error("{service} did not answer within {seconds} s{}", allowed_by(setting))]
    TimedOut {
        service: String,
        seconds: u64,
        /// The setting that allows more time; empty if there is none.
        setting: &'static str,
    },
    #[error("could not reach {service}: {reason}")]
    Unreachable { service: String, reason: String },
    #[error("{service} is limiting requests{}", wait(*.retry_after))]
    Limited { service: String, retry_after: Option<Duration> },
    #[error("{service} refused the request with status {status}: {reason}")]
    Refused { service: String, status: u16, reason: String },
    #[error("{service} failed with status {status}: {reason}")]
    Failed { service: String, status: u16, reason: String },
    #[error("{service} sent an unusable answer: {what}")]
    Malformed { service: String, what: String },
    #[error("{what}")]
    Invalid { what: String },
    #[error("the store could not {action}: {reason}")]
    Store { action: String, reason: String },
    #[error("the store could not {action}: the disk is full. Free some space and try again")]
    DiskFull { action: String },
}

fn allowed_by(setting: &str) -> String {
    if setting.is_empty() { String::new() } else { format!("; raise {setting} to wait longer") }
}

fn wait(retry_after: Option<Duration>) -> String {
    retry_after.map_or_else(String::new, |after| format!(" and asks to wait {} s", after.as_secs()))
}
