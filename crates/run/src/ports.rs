//! What a run needs from outside, as traits. Adapters live in the other crates.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use futures::future::BoxFuture;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use tokio::sync::watch;

use crate::budget::{Price, Spend, Usage};
use crate::contexts::Contexts;
use crate::embedding::Embedders;
use crate::entry::{Entry, Hash};
use crate::files::Files;
use crate::library::Library;
use crate::prompt::Prompts;
use crate::sandbox::Sandbox;
use crate::settings::Tier;
use crate::sources::{Bibliography, Intake, Sources};

/// Why the outside did not give what was asked for. `service` names who: a host, a database.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PortError {
    #[error("{service} did not answer within {seconds} s{}", allowed_by(setting))]
    TimedOut {
        service: String,
        seconds: u64,
        /// The setting that allows more time; empty where there is none.
        setting: &'static str,
    },
    #[error("{service} could not be reached: {reason}")]
    Unreachable { service: String, reason: String },
    #[error("{service} limits its callers{}", wait(*.retry_after))]
    Limited { service: String, retry_after: Option<Duration> },
    #[error("{service} refused the request with status {status}: {reason}")]
    Refused { service: String, status: u16, reason: String },
    #[error("{service} failed with status {status}: {reason}")]
    Failed { service: String, status: u16, reason: String },
    #[error("{service} answered with {what}")]
    Malformed { service: String, what: String },
    #[error("{what}")]
    Invalid { what: String },
    #[error("the store could not {action}: {reason}")]
    Store { action: String, reason: String },
    #[error("the store could not {action}: the disk is full")]
    DiskFull { action: String },
}

fn allowed_by(setting: &str) -> String {
    if setting.is_empty() { String::new() } else { format!("; {setting} allows more") }
}

fn wait(retry_after: Option<Duration>) -> String {
    retry_after.map_or_else(String::new, |after| format!(" and asks to wait {} s", after.as_secs()))
}

/// One turn of a conversation with a model.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub struct Turn {
    pub speaker: Speaker,
    pub text: Arc<str>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Speaker {
    User,
    Model,
}

/// What is asked of a chat model.
#[derive(Debug, Clone)]
pub struct ChatRequest {
    pub system: Arc<str>,
    pub turns: Vec<Turn>,
    /// The name and JSON Schema of the object to answer with; none where the answer is prose.
    pub schema: Option<Arc<ReplySchema>>,
    pub temperature: f64,
    pub max_tokens: u32,
    /// Whether the words should come as they are generated.
    pub streamed: bool,
    /// The time for the whole call, the transport's own retries included.
    pub deadline: Duration,
}

/// The shape of a structured reply.
#[derive(Debug, Clone, PartialEq)]
pub struct ReplySchema {
    pub name: String,
    pub schema: Value,
    /// The length of `schema` as text.
    pub bytes: usize,
    /// The digest of `schema`.
    pub hash: Hash,
}

impl ReplySchema {
    /// Returns how long the form may be in which an adapter sends it: what a budget reserves is measured by it.
    pub fn most_bytes(&self) -> usize {
        const ROOM: usize = 1_024;
        self.bytes.saturating_mul(2).saturating_add(ROOM)
    }
}

/// What a chat model answered.
#[derive(Debug, Clone, PartialEq)]
pub struct ChatReply {
    pub text: String,
    pub usage: Usage,
    /// The reply ended because `max_tokens` were used up.
    pub cut_off: bool,
}

/// A chat model.
///
/// Every adapter retries transport faults itself (408, 429, 5xx, connections that fail) with
/// back-off inside the deadline, honours Retry-After, takes a stream that ends early for an error,
/// and closes its connection when the future is dropped.
#[async_trait]
pub trait Model: Send + Sync {
    /// Returns `provider/name`.
    fn id(&self) -> &str;
    /// Returns what it costs, where that is known.
    fn price(&self) -> Option<Price>;
    /// Answers `request`; with `request.streamed`, `words` hears each piece of the text as it comes.
    async fn chat(&self, request: &ChatRequest, words: &dyn Words) -> Result<ChatReply, PortError>;
}

/// Whoever hears the words of a reply as they come.
pub trait Words: Send + Sync {
    fn hear(&self, piece: &str);
}

/// Nobody hears them.
impl Words for () {
    fn hear(&self, _: &str) {}
}

/// The models of a run, by tier.
#[derive(Clone)]
pub struct Models {
    pub main: Arc<dyn Model>,
    pub light: Arc<dyn Model>,
    /// Who reads what others wrote, one at least; the light one where no other is configured.
    pub readers: Vec<Arc<dyn Model>>,
}

impl Models {
    /// Returns two models, of which the light one reads as well.
    pub fn new(main: Arc<dyn Model>, light: Arc<dyn Model>) -> Models {
        Models { main, readers: vec![Arc::clone(&light)], light }
    }

    pub fn of(&self, tier: Tier) -> &Arc<dyn Model> {
        match tier {
            Tier::Light => &self.light,
            Tier::Main => &self.main,
            Tier::Reader => self.reader(0),
        }
    }

    /// Returns one of several models of a tier, counted from 0: there are several of those that read alone.
    pub fn at(&self, tier: Tier, index: usize) -> &Arc<dyn Model> {
        if index == 0 { self.of(tier) } else { self.reader(index) }
    }

    /// Returns one of those that read, counted from 0; where there are not so many, the light model.
    pub fn reader(&self, index: usize) -> &Arc<dyn Model> {
        self.readers.get(index).unwrap_or(&self.light)
    }
}

/// The time. A run asks for it here and nowhere else.
pub trait Clock: Send + Sync {
    fn now(&self) -> Timestamp;
}

/// What a listener hears while a run works.
#[derive(Debug)]
pub enum Signal<'a> {
    /// An entry was appended.
    Entry(&'a Entry),
    /// Words of a draft as the model writes them; not stored, and not yet checked.
    Words { step: &'a str, text: &'a str },
}

/// Whoever follows a run live. Must not block.
pub trait Listener: Send + Sync {
    fn hear(&self, run: &str, signal: Signal<'_>);
}

/// Nobody listens.
pub struct NoopListener;

impl Listener for NoopListener {
    fn hear(&self, _: &str, _: Signal<'_>) {}
}

/// Where a run stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// Ready to be taken up by a worker.
    Queued,
    /// A worker holds its lease.
    Running,
    /// A person is asked.
    Waiting,
    Completed,
    /// Ended before its deliverable was whole.
    Partial,
    Cancelled,
}

impl Status {
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

/// What a list of runs shows of one.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RunSummary {
    pub run_id: String,
    pub method: String,
    pub question: String,
    pub status: Status,
    pub tokens: u64,
    pub cost_usd_micros: u64,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
    /// Entries in the log.
    pub entries: u64,
    /// Somebody asked it to stop, and whoever works on it has not ended it yet.
    pub stopping: bool,
}

/// Which runs of a user a list shows, newest first. The default is the newest hundred of all.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Listing {
    pub status: Option<Status>,
    pub method: Option<String>,
    /// Stands in the question, whatever its case.
    pub text: Option<String>,
    /// The id of a run: only older ones. A list that goes on from the last one shown neither repeats nor leaves out a
    /// run, however many are added meanwhile.
    pub before: Option<String>,
    pub limit: u32,
    pub offset: u32,
}

impl Default for Listing {
    fn default() -> Listing {
        Listing { status: None, method: None, text: None, before: None, limit: 100, offset: 0 }
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
    /// The run is created by this append; nothing may stand under its id yet.
    New(NewRun),
    /// The worker that claimed the run as this attempt.
    Attempt(u32),
    /// Anyone, while the run has this status and nobody holds it.
    Idle(Status),
}

/// A run about to be stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewRun {
    pub method: String,
    pub question: String,
    /// Who works on it from the start; none leaves it to the queue.
    pub owner: Option<String>,
    /// The request that it comes from, where that may come again.
    pub key: Option<RequestKey>,
    /// How many runs of this method the user may have at work at the same time, this one among them; 0 is as 1. None sets no limit.
    ///
    /// At work is a run that stands in the queue, and one that a living worker holds under a lease. One that waits for a person is not,
    /// nor one that its worker left behind: neither keeps others out for ever.
    pub at_most: Option<u32>,
}

/// The name that a user gave a request, so that the same request sent again makes no second run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RequestKey {
    pub key: String,
    /// The digest of what was asked for.
    pub request: Hash,
}

/// Whether the caller waits for the disk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wait {
    /// The future resolves when the entries are on disk.
    Durable,
    /// The entries are queued in order and reach the disk within milliseconds, at the latest with the
    /// next durable append. If they fail, that one fails too.
    Soon,
}

/// Entries for one run, and what its row says after them.
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
    #[error("run {run} was taken over or has gone on meanwhile; this worker stops")]
    Fenced { run: String },
    #[error("the key '{key}' was used before, for run {run}")]
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
    #[error("run {run} is {status} and cannot be taken up")]
    NotOpen { run: String, status: &'static str },
    #[error("entry {seq} of run {run} cannot be read: {reason}")]
    Unreadable { run: String, seq: u64, reason: String },
    #[error("the log could not be written: the disk is full; free some space and resume")]
    DiskFull,
    #[error("the log could not {action}: {reason}")]
    Store { action: String, reason: String },
}

fn too_many(method: &str, run: &str, limit: u32) -> String {
    match limit {
        1 => format!("run {run} of {method} is at work, and one at a time is allowed"),
        _ => format!(
            "{limit} runs of {method} are at work, {run} among them, and no more are allowed"
        ),
    }
}

/// A wish that whoever works on a run stops it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CancelRequest {
    pub user: String,
    pub run: String,
    /// Who wishes it.
    pub by: String,
}

/// The log of all runs. Every query names the user; a foreign run is not there.
///
/// Appending is the fence: entries follow the last stored one without a gap, under the attempt that
/// holds the run, in one transaction with the run's row; else [`LogError::Fenced`]. A run whose key another run of the user
/// has is not created: [`LogError::KeyTaken`]; nor is one beyond the limit that it names, however many come at once: [`LogError::TooMany`].
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
    /// Where there is no run `listing.before`, that is [`LogError::NoSuchRun`].
    async fn list(&self, user: &str, listing: &Listing) -> Result<Vec<RunSummary>, LogError>;
    /// Returns runs that a worker may take up, the each user's oldest first, the users in turn, each with its user: those in the queue, and those whose
    /// worker is gone or let its lease run out. Of all users: it is for workers alone.
    async fn unfinished(&self, limit: u32) -> Result<Vec<(String, String)>, LogError>;
    /// Returns the run that a request of this key made, and the digest of that request.
    async fn keyed(&self, user: &str, key: &str) -> Result<Option<(String, Hash)>, LogError>;
    /// Returns the ids of up to ten runs that begin with `prefix`.
    async fn find(&self, user: &str, prefix: &str) -> Result<Vec<String>, LogError>;
    /// Takes the run up for `owner` and returns the attempt that fences its appends.
    ///
    /// A run whose owner is gone, or whose lease ran out, may be taken; one that is held is [`LogError::Busy`].
    async fn claim(&self, user: &str, run: &str, owner: &str) -> Result<u32, LogError>;
    /// Puts a run back into the queue that `owner` holds and no longer works on: its work broke off.
    async fn release(&self, user: &str, run: &str, owner: &str) -> Result<(), LogError>;
    /// Asks whoever works on the run to stop.
    async fn request_cancel(&self, user: &str, run: &str, by: &str) -> Result<(), LogError>;
    /// Returns the runs held by `owner` that someone asked to stop, and who did.
    async fn cancel_requests(&self, owner: &str) -> Result<Vec<CancelRequest>, LogError>;
    /// Renews the leases of `owner`.
    async fn renew(&self, owner: &str) -> Result<(), LogError>;
    /// Removes a run with its whole log. One that a living worker holds is [`LogError::Busy`].
    async fn remove(&self, user: &str, run: &str) -> Result<(), LogError>;
    /// Returns up to `limit` runs that ended before an instant, whichever ended first, each with its user; of `user` alone where one is named.
    async fn ended_before(
        &self,
        user: Option<&str>,
        before: Timestamp,
        limit: u32,
    ) -> Result<Vec<(String, String)>, LogError>;
}

/// How far a run may reach.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reach {
    /// Steps that are not in the log are done.
    Live,
    /// Steps that are not in the log are an error: a replay.
    Recorded,
}

/// All ports together.
#[derive(Clone)]
pub struct World {
    pub log: Arc<dyn Log>,
    pub clock: Arc<dyn Clock>,
    /// None: agents speak extractively.
    pub models: Option<Models>,
    pub library: Option<Arc<dyn Library>>,
    /// None: questions are looked up by their words alone.
    pub embedder: Option<Arc<dyn Embedders>>,
    /// None: a run reaches nothing outside but its models.
    pub sources: Option<Arc<dyn Sources>>,
    pub intake: Option<Arc<dyn Intake>>,
    /// None: nobody keeps startup contexts.
    pub contexts: Option<Arc<dyn Contexts>>,
    /// Writes the references of a text in a run; none: works are called by their titles.
    pub bibliography: Option<Arc<dyn Bibliography>>,
    /// None: proposed code is not run.
    pub sandbox: Option<Arc<dyn Sandbox>>,
    /// None: nobody keeps files that methods read whole.
    pub files: Option<Arc<dyn Files>>,
    pub prompts: Arc<Prompts>,
    pub listener: Arc<dyn Listener>,
    pub reach: Reach,
    /// Whether models are asked to stream.
    pub stream: bool,
    /// The time for one model call, the transport's retries included.
    pub call_deadline: Duration,
    pub pause: Pause,
}

/// Whether runs rest before their next step, because the program is about to end: nothing new is called, and what is under way comes to its end.
#[derive(Debug, Clone, Default)]
pub struct Pause(Option<watch::Receiver<bool>>);

impl Pause {
    /// Runs rest as soon as that turns true.
    pub fn when(paused: watch::Receiver<bool>) -> Pause {
        Pause(Some(paused))
    }

    pub(crate) fn is_wanted(&self) -> bool {
        self.0.as_ref().is_some_and(|paused| *paused.borrow())
    }
}

impl World {
    /// Returns a world in which there is a log and a clock, and nobody to ask.
    pub fn of(log: Arc<dyn Log>, clock: Arc<dyn Clock>) -> World {
        World {
            log,
            clock,
            models: None,
            library: None,
            embedder: None,
            sources: None,
            intake: None,
            contexts: None,
            bibliography: None,
            sandbox: None,
            files: None,
            prompts: Arc::default(),
            listener: Arc::new(NoopListener),
            reach: Reach::Live,
            stream: false,
            call_deadline: crate::CALL_DEADLINE,
            pause: Pause::default(),
        }
    }
}
