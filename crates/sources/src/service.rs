//! A service: what to ask it, and how to read its reply.

use std::time::Duration;

use reqwest::Url;
use reqwest::header::{HeaderName, HeaderValue};

use papers::{Paper, PaperId, Source};
use run::error::PortError;
use run::sources::{Hit, Query};

/// A request to a service.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Request {
    pub(crate) url: Url,
    /// Extra headers. One that carries a key is marked as sensitive, and is never part of what is kept.
    pub(crate) headers: Vec<(HeaderName, HeaderValue)>,
    /// The JSON to post; `None` means GET.
    pub(crate) json: Option<String>,
}

impl Request {
    pub(crate) fn get(url: Url) -> Request {
        Request { url, headers: Vec::new(), json: None }
    }
}

/// The purpose of a request. "Not found" is an answer to a lookup; for a search it means that no search was made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Purpose {
    Search,
    Lookup,
    Batch,
}

/// A service's reply: a success, or one of the other statuses that it [answers with](Etiquette::answers).
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Reply {
    pub(crate) status: u16,
    pub(crate) media_type: String,
    pub(crate) body: Vec<u8>,
}

/// A service's rules for its callers, and its known behaviour.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Etiquette {
    /// The name in errors.
    pub(crate) name: &'static str,
    /// The least time between two requests; a slower rate that the service names in headers is obeyed too.
    pub(crate) spacing: Duration,
    /// The most concurrent requests.
    pub(crate) at_once: usize,
    /// The attempts for one request, including the first.
    pub(crate) attempts: usize,
    /// The time for one request, including attempts and waits.
    pub(crate) deadline: Duration,
    /// How long it is left alone after limiting its callers without naming a time.
    pub(crate) cool_down: Duration,
    /// Whether it is also left alone for that time after it stalled, failed or broke off, as some show their limit like that.
    pub(crate) rests_after_failure: bool,
    /// Unsuccessful statuses that are answers, not failures: a 404 that says "not found".
    pub(crate) answers: &'static [u16],
    /// How long an answer stays fresh.
    pub(crate) fresh_for: Duration,
}

/// A scholarly service.
pub(crate) trait Scholarly: Send + Sync {
    fn source(&self) -> Source;
    fn etiquette(&self) -> Etiquette;
    fn search(&self, query: &Query) -> Request;
    /// Returns the request for one paper, or `None` if the service does not know such ids.
    fn lookup(&self, id: &PaperId) -> Option<Request>;
    /// Returns the request for many papers at once, or `None` if the service does not support it or would hardly answer.
    fn batch(&self, _ids: &[PaperId]) -> Option<Request> {
        None
    }
    /// Reads the reply to such a request; papers come in the service's order, each with [`Paper::found_by`] naming it.
    fn read(&self, asked: Purpose, reply: &Reply) -> Result<Vec<Paper>, PortError>;
}

/// A web search engine.
pub(crate) trait WebSearch: Send + Sync {
    fn etiquette(&self) -> Etiquette;
    fn search(&self, query: &Query) -> Request;
    fn read(&self, reply: &Reply) -> Result<Vec<Hit>, PortError>;
}
