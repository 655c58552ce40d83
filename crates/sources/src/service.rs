//! A service: what to ask it, and how to read what it says.

use std::time::Duration;

use reqwest::Url;
use reqwest::header::{HeaderName, HeaderValue};

use papers::{Paper, PaperId, Source};
use run::error::PortError;
use run::sources::{Hit, Query};

/// What is asked of a service.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Request {
    pub(crate) url: Url,
    /// Headers beyond the usual ones. One that carries a key is marked as sensitive, and never part of what is kept.
    pub(crate) headers: Vec<(HeaderName, HeaderValue)>,
    /// JSON to post; none asks with GET.
    pub(crate) json: Option<String>,
}

impl Request {
    pub(crate) fn get(url: Url) -> Request {
        Request { url, headers: Vec::new(), json: None }
    }
}

/// What a reply answers. That there is no such thing is an answer to a lookup; to a search it says that nobody searched.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Purpose {
    Search,
    Lookup,
    Batch,
}

/// What a service said: a success, or one of the other statuses that it [answers with](Etiquette::answers).
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Reply {
    pub(crate) status: u16,
    pub(crate) media_type: String,
    pub(crate) body: Vec<u8>,
}

/// What a service asks of its callers, and what it is known to do.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Etiquette {
    /// As errors name it.
    pub(crate) name: &'static str,
    /// The least time between two requests; a service that names its own rate in headers is obeyed beyond that.
    pub(crate) spacing: Duration,
    /// Requests under way at the same time.
    pub(crate) at_once: usize,
    /// Attempts for one request, the first included.
    pub(crate) attempts: usize,
    /// The time for one request, attempts and waits included.
    pub(crate) deadline: Duration,
    /// How long it is left alone after it said that it limits its callers and not for how long.
    pub(crate) cool_down: Duration,
    /// Whether it is left alone for as long after it stalled, failed or broke off: some show their limit like that.
    pub(crate) rests_after_failure: bool,
    /// Statuses beyond success with which it answers rather than fails: a 404 that says "not found".
    pub(crate) answers: &'static [u16],
    /// How long an answer is good for without asking again.
    pub(crate) fresh_for: Duration,
}

/// A scholarly service.
pub(crate) trait Scholarly: Send + Sync {
    fn source(&self) -> Source;
    fn etiquette(&self) -> Etiquette;
    fn search(&self, query: &Query) -> Request;
    /// Returns the request for one paper; none where the service does not know such ids.
    fn lookup(&self, id: &PaperId) -> Option<Request>;
    /// Returns the request for many papers at once; none where the service has no such thing, or would hardly answer.
    fn batch(&self, _ids: &[PaperId]) -> Option<Request> {
        None
    }
    /// Reads what such a request brought; papers come as the service ranks them, each with [`Paper::found_by`] naming it.
    fn read(&self, asked: Purpose, reply: &Reply) -> Result<Vec<Paper>, PortError>;
}

/// A web search engine.
pub(crate) trait WebSearch: Send + Sync {
    fn etiquette(&self) -> Etiquette;
    fn search(&self, query: &Query) -> Request;
    fn read(&self, reply: &Reply) -> Result<Vec<Hit>, PortError>;
}
