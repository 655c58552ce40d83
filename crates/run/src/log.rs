//! The log of runs, and the queue that their rows are.

mod passing;

use async_trait::async_trait;
use futures::StreamExt;
use futures::future::BoxFuture;
use futures::stream::{self, BoxStream};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::budget::Spend;
use crate::entry::{Entry, Hash};
use crate::news::News;

pub use passing::pass_appends;

/// The status of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// Ready to be taken up by a worker.
    Queued,
    /// A worker holds its lease.
    Running,
    /// A person has been asked.
    Waiting,
    Completed,
    /// Ended before its deliverable was complete.
    Partial,
    Cancelled,
}

impl Status {
    const ALL: [Status; 6] = [
        Status::Queued,
        Status::Running,
        Status::Waiting,
        Status::Completed,
        Status::Partial,
        Status::Cancelled,
    ];

    /// Returns the status of that [name](Status::name).
    pub fn named(name: &str) -> Option<Status> {
        Status::ALL.into_iter().find(|status| status.name() == name)
    }

    pub fn is_final(self) -> bool {
        matches!(self, Status::Completed | Status::Partial | Status::Cancelled)
    }

    pub fn name(self) -> &'static str {
        match self {
            Status::Queued => "queued",
            Status::Running => "running",
            Status::Waiting => "waiting",
            Status::Completed => "completed",
            Status::Partial => "partial",
            Status::Cancelled => "cancelled",
        }
    }
}

/// The row of a run in a list of runs.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RunSummary {
    pub run_id: String,
    pub method: String,
    pub question: String,
    /// What its user calls it.
    pub title: Option<String>,
    /// Whether its user wants it at hand.
    pub pinned: bool,
    pub status: Status,
    pub tokens: u64,
    pub cost_usd_micros: u64,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
    /// The number of entries in the log.
    pub entries: u64,
    /// Whether someone asked it to stop and its worker has not ended it yet.
    pub stopping: bool,
    /// In a list by a text: the stretch of its result that holds the text, if neither question nor title does.
    pub snippet: Option<String>,
}

/// Which runs of a user to list, newest first. The default is the newest hundred of all.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Listing {
    pub status: Option<Status>,
    pub method: Option<String>,
    /// Only pinned runs, or only those that are not.
    pub pinned: Option<bool>,
    /// A text in the question, the title or the result, case-insensitive. One of fewer than three characters is looked for in questions
    /// and titles alone.
    pub text: Option<String>,
    /// The id of a run: only older ones are listed. A list that continues after the last run shown neither repeats nor skips a run,
    /// however many are added meanwhile.
    pub before: Option<String>,
    pub limit: u32,
    pub offset: u32,
}

impl Default for Listing {
    fn default() -> Listing {
        Listing {
            status: None,
            method: None,
            pinned: None,
            text: None,
            before: None,
            limit: 100,
            offset: 0,
        }
    }
}

/// An entry ready to be stored.
#[derive(Debug, Clone)]
pub struct Sealed {
    pub seq: u64,
    pub hash: Hash,
    /// The canonical JSON that the hash covers.
    pub body: Vec<u8>,
}

/// Who may append.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fence {
    /// This append creates the run; its id must be unused.
    New(NewRun),
    /// The worker that claimed the run as this attempt.
    Attempt(u32),
    /// Anyone, while the run has this status and no worker holds it.
    Idle(Status),
}

/// A run to store.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewRun {
    pub method: String,
    pub question: String,
    /// Who works on it from the start; `None` leaves it to the queue.
    pub owner: Option<String>,
    /// The key of the request for it, if that may be repeated.
    pub key: Option<RequestKey>,
    /// How many runs of this method the user may have at work at the same time, including this one; 0 counts as 1. `None` is
    /// unlimited.
    ///
    /// A run is at work while it is queued, or while a living worker holds it under a lease. A run that waits for a person is not, nor
    /// is one that its worker abandoned: neither blocks others forever.
    pub at_most: Option<u32>,
}

/// The name that a user gave a request, so that repeating the request makes no second run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RequestKey {
    pub key: String,
    /// The digest of the request.
    pub request: Hash,
}

/// Whether the caller waits for the disk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wait {
    /// The future resolves when the entries are on disk.
    Durable,
    /// The entries are queued in order and reach the disk within milliseconds, at the latest with the next durable append. If they
    /// fail, that one fails too.
    Soon,
}

/// Entries for one run, and the row that results from them.
#[derive(Debug, Clone)]
pub struct Append {
    pub user: String,
    pub run: String,
    pub entries: Vec<Sealed>,
    pub at: Timestamp,
    pub status: Status,
    pub spent: Spend,
    pub fence: Fence,
    pub wait: Wait,
}

/// Why the log refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum LogError {
    #[error("there is no run {run}")]
    NoSuchRun { run: String },
    #[error("another worker continued run {run} in the meantime, so this one stops")]
    Fenced { run: String },
    #[error("the key '{key}' was already used, for run {run}")]
    KeyTaken { key: String, run: String },
    #[error("{}", too_many(method, run, *limit))]
    TooMany {
        method: String,
        /// The oldest one at work.
        run: String,
        limit: u32,
    },
    #[error("run {run} is being worked on by {owner}")]
    Busy { run: String, owner: String },
    #[error("run {run} is {status} and cannot be resumed")]
    NotOpen { run: String, status: &'static str },
    #[error("could not read entry {seq} of run {run}: {reason}")]
    Unreadable { run: String, seq: u64, reason: String },
    #[error("could not write the log: the disk is full. Free some space and resume the run")]
    DiskFull,
    #[error("the log could not {action}: {reason}")]
    Store { action: String, reason: String },
}

fn too_many(method: &str, run: &str, limit: u32) -> String {
    match limit {
        1 => format!("run {run} of {method} is still working, and only one at a time is allowed"),
        _ => format!("{limit} runs of {method} are working, among them {run}; that is the limit"),
    }
}

/// A request that a run's worker stop it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CancelRequest {
    pub user: String,
    pub run: String,
    /// Who requested it.
    pub by: String,
}

/// The log of all runs. Every query names the user and cannot see another user's runs.
///
/// Appending is the fence: entries follow the last stored one without a gap, under the attempt that holds the run, in one transaction
/// with the run's row; otherwise it fails with [`LogError::Fenced`]. A run whose key another run of the user has is not created:
/// [`LogError::KeyTaken`]. Nor is a run beyond the limit that it names, however many come at once: [`LogError::TooMany`].
#[async_trait]
pub trait Log: Send + Sync {
    /// Appends in the order of the calls, not of the awaits: the work is queued before this returns.
    fn append(&self, append: Append) -> BoxFuture<'static, Result<(), LogError>>;
    /// Returns the entries after number `after`, in order.
    async fn entries(&self, user: &str, run: &str, after: u64) -> Result<Vec<Entry>, LogError> {
        self.page(user, run, after, u32::MAX).await
    }
    /// Returns the first `most` entries after number `after`, in order.
    async fn page(
        &self,
        user: &str,
        run: &str,
        after: u64,
        most: u32,
    ) -> Result<Vec<Entry>, LogError>;
    /// Returns the run's row.
    async fn summary(&self, user: &str, run: &str) -> Result<RunSummary, LogError>;
    /// Returns runs, newest first.
    ///
    /// If the run `listing.before` does not exist, fails with [`LogError::NoSuchRun`].
    async fn list(&self, user: &str, listing: &Listing) -> Result<Vec<RunSummary>, LogError>;
    /// Returns runs that a worker may take up, each with its user: each user's oldest first, the users in turn. These are queued runs,
    /// and runs whose worker is gone or let its lease expire. It covers all users, so only workers may call it.
    async fn unfinished(&self, limit: u32) -> Result<Vec<(String, String)>, LogError>;
    /// Returns the run made by a request with this key, and the digest of that request.
    async fn keyed(&self, user: &str, key: &str) -> Result<Option<(String, Hash)>, LogError>;
    /// Returns up to ten ids of runs that begin with `prefix`.
    async fn find(&self, user: &str, prefix: &str) -> Result<Vec<String>, LogError>;
    /// Takes the run up for `owner` and returns the attempt that fences its appends.
    ///
    /// A run whose owner is gone or whose lease expired may be taken; one that is held fails with [`LogError::Busy`].
    async fn claim(&self, user: &str, run: &str, owner: &str) -> Result<u32, LogError>;
    /// Returns a run to the queue that `owner` holds but no longer works on, because its work broke off.
    async fn release(&self, user: &str, run: &str, owner: &str) -> Result<(), LogError>;
    /// Asks the run's worker to stop.
    async fn request_cancel(&self, user: &str, run: &str, by: &str) -> Result<(), LogError>;
    /// Returns the runs held by `owner` that someone asked to stop, and who did.
    async fn cancel_requests(&self, owner: &str) -> Result<Vec<CancelRequest>, LogError>;
    /// Renews the leases of `owner`.
    async fn renew(&self, owner: &str) -> Result<(), LogError>;
    /// Tells of changes and drafts of all users' runs while the stream is polled. It may be late, tell of something twice, or miss it:
    /// whoever listens still looks into the log now and then. A log that nobody tells anything stays silent.
    fn news(&self) -> BoxStream<'static, News> {
        stream::pending().boxed()
    }
    /// Tells other processes that share the log, those of them that listen. Does not wait; what is told in turn is heard in turn.
    /// Of its own changes the log tells by itself.
    fn tell(&self, _: News) {}
    /// Removes a run with its whole log. Fails with [`LogError::Busy`] if a living worker holds it.
    async fn remove(&self, user: &str, run: &str) -> Result<(), LogError>;
    /// Returns up to `limit` runs that ended before an instant, the earliest first, each with its user; only those of `user` if given.
    async fn ended_before(
        &self,
        user: Option<&str>,
        before: Timestamp,
        limit: u32,
    ) -> Result<Vec<(String, String)>, LogError>;
}
