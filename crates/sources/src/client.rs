//! The client that asks services and fetches pages.
//!
//! A question is looked up in the cache first. Without a fresh answer there, the service is asked at its pace, as often as its etiquette
//! allows, and a readable answer is kept. If the service limits its callers or cannot be reached, an older answer is used.

mod attempt;
mod http;
mod page;
mod secrets;

use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;
use reqwest::Url;
use tokio::time::Instant;

use run::error::PortError;
use run::services::Memory;
use run::sources::{Fetched, Query, ServedText};
use transport::{Attempts, Secret};

use crate::address::{Guard, Lookup, System};
use crate::cache::{Cache, Head, Kept, Key};
use crate::mcp::{self, McpServer, McpTrial};
use crate::media;
use crate::pace::{Account, Pace, Paces};
use crate::service::{Etiquette, Reply, Request};
use crate::settings::{Network, Settings};
pub(crate) use attempt::{failure, refused_redirect};
use http::Http;

/// The oldest answer that is used when no newer one can be had.
const STALE_FOR: Duration = Duration::from_hours(30 * 24);

/// The longest time that an unsuccessful answer ("not found") is valid.
const NO_SUCCESS_FOR: Duration = Duration::from_hours(1);

/// The time that a host that limits its callers is left alone if it names none.
const HOST_COOL_DOWN: Duration = Duration::from_mins(1);

/// The shortest time that a service is left alone after limiting its callers, even if it names a shorter one.
const LEAST_REST: Duration = Duration::from_secs(5);

/// Asks services and fetches pages.
pub(crate) struct Client {
    settings: Settings,
    guard: Arc<Guard>,
    http: Http,
    cache: Option<Cache>,
    paces: Paces,
    shared: Vec<Shared>,
}

/// A service that also serves pages, with one limit for both.
struct Shared {
    /// The domain, without a leading dot; its subdomains belong to it.
    domain: &'static str,
    pace: Arc<Pace>,
}

/// A question: a request to a service, or a page.
#[derive(Clone, Copy)]
enum Question<'a> {
    Service {
        request: &'a Request,
        etiquette: &'a Etiquette,
        pace: &'a Arc<Pace>,
        key: Option<&'a Secret>,
    },
    Page(&'a Url),
    Server {
        server: &'a mcp::Server,
        query: &'a Query,
        pace: &'a Arc<Pace>,
    },
}

/// The terms on which it is asked.
struct Terms<'a> {
    /// The name in errors.
    name: &'a str,
    attempts: usize,
    deadline: Duration,
    fresh_for: Duration,
    cool_down: Duration,
    rests_after_failure: bool,
}

/// The progress of an attempt.
#[derive(Default)]
struct Course {
    /// The pace of the service or host asked last, and the time of asking.
    asked: Option<(Arc<Pace>, Instant)>,
    /// Whether the whole answer arrived.
    answered: bool,
}

/// The result of an attempt.
enum Brought {
    Answer(Kept),
    /// The kept answer is still valid; the reply may name newer validators.
    Unchanged {
        etag: Option<String>,
        last_modified: Option<String>,
    },
}

impl Client {
    /// Fails if a setting is invalid.
    pub(crate) fn new(
        settings: Settings,
        memory: Option<Arc<dyn Memory>>,
    ) -> Result<Client, PortError> {
        Client::with_lookup(settings, memory, Arc::new(System))
    }

    /// Creates a client with the given name lookup.
    fn with_lookup(
        settings: Settings,
        memory: Option<Arc<dyn Memory>>,
        lookup: Arc<dyn Lookup>,
    ) -> Result<Client, PortError> {
        let guard = Arc::new(Guard::new(&settings.private_hosts)?);
        Ok(Client {
            http: Http::new(&settings, Arc::clone(&guard), lookup)?,
            cache: memory.clone().map(|memory| Cache::of(memory, settings.body_bytes)),
            paces: Paces::new(memory),
            shared: Vec::new(),
            guard,
            settings,
        })
    }

    /// Makes pages of the domain keep the pace of the service at `base`, which is asked without a key.
    pub(crate) fn share(&mut self, domain: &'static str, etiquette: &Etiquette, base: &Url) {
        let account = Account { name: etiquette.name, url: base, key: None };
        let pace = self.paces.service(account, etiquette.spacing, etiquette.at_once);
        self.shared.push(Shared { domain, pace });
    }

    /// Asks the service and returns what `read` makes of the reply.
    ///
    /// An unreadable reply, such as a page instead of JSON, is asked for again if the etiquette allows it, and is never kept.
    ///
    /// A service that limits its callers gives [`PortError::Limited`], at once if it asks for more time than the deadline leaves. While
    /// it is left alone after that, it is not asked and the error is the same. If there is an answer of the last 30 days, it is returned
    /// instead of this error or any other that may pass, together with the time at which it arrived.
    pub(crate) async fn ask_for<T>(
        &self,
        etiquette: &Etiquette,
        request: &Request,
        read: impl Fn(&Reply) -> Result<T, PortError>,
    ) -> Result<(T, Option<Timestamp>), PortError> {
        let secrets = secrets::of(request);
        let key = secrets.first().map(String::as_str);
        let account = Account { name: etiquette.name, url: &request.url, key };
        let pace = self.paces.service(account, etiquette.spacing, etiquette.at_once);
        let terms = Terms {
            name: etiquette.name,
            attempts: etiquette.attempts,
            deadline: etiquette.deadline,
            fresh_for: etiquette.fresh_for,
            cool_down: etiquette.cool_down,
            rests_after_failure: etiquette.rests_after_failure,
        };
        let read = |kept: &Kept| {
            let Head { status, media_type, .. } = kept.head.clone();
            read(&Reply { status, media_type, body: kept.body.clone() })
        };
        // The key is masked before a reason is cut, which might leave half of it; other secrets are masked below.
        let key = secrets.first().cloned().map(Secret::from);
        let question = Question::Service { request, etiquette, pace: &pace, key: key.as_ref() };
        let answer = self.answer(question, &terms, &secrets, read).await;
        answer.map_err(|error| secrets::masked(error, &secrets))
    }

    /// Asks an MCP server, once and within its own limits.
    ///
    /// As of a service, an answer is kept, and one of the last 30 days is returned with its time instead of an error that may pass.
    pub(crate) async fn ask_server(
        &self,
        server: &mcp::Server,
        query: &Query,
    ) -> Result<(Vec<ServedText>, Option<Timestamp>), PortError> {
        let config = &server.config;
        let title = config.title();
        let secrets = config.secrets();
        let address = config
            .address()
            .ok_or_else(|| PortError::Invalid { what: format!("{title} has no address") })?;
        let key = secrets.first().map(String::as_str);
        let account = Account { name: &title, url: &address, key };
        let pace = self.paces.service(account, config.spacing, 1);
        let terms = Terms {
            name: &title,
            attempts: 1,
            // Its own time begins when its turn does; how long the line may be is the run's to say.
            deadline: mcp::LONGEST_LINE,
            fresh_for: mcp::FRESH_FOR,
            cool_down: HOST_COOL_DOWN,
            rests_after_failure: false,
        };
        let read = |kept: &Kept| {
            serde_json::from_slice(&kept.body)
                .map_err(|error| config.malformed(&format!("headers that cannot be read: {error}")))
        };
        let question = Question::Server { server, query, pace: &pace };
        let answer = self.answer(question, &terms, &secrets, read).await;
        answer.map_err(|error| secrets::masked(error, &secrets))
    }

    /// Tries an MCP server without a question.
    pub(crate) async fn try_server(&self, server: &McpServer) -> Result<McpTrial, PortError> {
        let (title, secrets) = (server.title(), server.secrets());
        let attempts = Attempts::at_most(1, &title, server.timeout, self.settings.retry_delay);
        let tried = attempts.make(server.attempt(self.http.servers()?)).await;
        tried.map_err(|error| secrets::masked(error, &secrets))
    }

    /// Fetches a public address, or one that the settings name.
    ///
    /// A forbidden address, or a body that is too long or not a document, is [`PortError::Invalid`], and is not tried again.
    pub(crate) async fn fetch(&self, url: &str) -> Result<Fetched, PortError> {
        let mut url = self.guard.read(url)?;
        url.set_fragment(None);
        let terms = Terms {
            name: url.host_str().unwrap_or_default(),
            attempts: self.settings.page_attempts,
            deadline: self.settings.page_timeout,
            fresh_for: self.settings.page_fresh_for,
            cool_down: HOST_COOL_DOWN,
            rests_after_failure: false,
        };
        let read = |kept: &Kept| {
            let Head { media_type, charset, url: found, .. } = kept.head.clone();
            let url = found.unwrap_or_else(|| url.to_string());
            Ok(Fetched { url, media_type, charset, bytes: kept.body.clone() })
        };
        self.answer(Question::Page(&url), &terms, &[], read).await.map(|(page, _)| page)
    }

    async fn answer<T>(
        &self,
        question: Question<'_>,
        terms: &Terms<'_>,
        secrets: &[String],
        read: impl Fn(&Kept) -> Result<T, PortError>,
    ) -> Result<(T, Option<Timestamp>), PortError> {
        let key = question.key();
        // A kept answer that a newer version cannot read counts as missing.
        let held = self.held(&key).await.and_then(|kept| Some((read(&kept).ok()?, kept)));
        if self.settings.network == Network::Cached {
            let reason = "the answer is not in the cache, and the network is switched off".into();
            let none = PortError::Unreachable { service: terms.name.to_owned(), reason };
            // An old "not found" says nothing.
            let held = held
                .filter(|(_, kept)| kept.is_success() || kept.younger_than(terms.fresh_for(kept)));
            return held.map(|(value, _)| (value, None)).ok_or(none);
        }
        let held = match held {
            Some((value, kept)) if kept.younger_than(terms.fresh_for(&kept)) => {
                return Ok((value, None));
            }
            held => held.filter(|(_, kept)| kept.is_success()),
        };
        let known = held.as_ref().map(|(_, kept)| kept);
        let asked = self.asked(question, terms, secrets, known, &read).await;
        match (asked, held) {
            (Ok((value, kept)), _) => {
                if let Some(cache) = &self.cache
                    && kept.is_final()
                    && !question.stood_in_for(&kept)
                {
                    cache.keep(&key, &kept).await;
                }
                Ok((value, None))
            }
            (Err(error), Some((value, kept))) if passes(&error) && kept.younger_than(STALE_FOR) => {
                Ok((value, Some(kept.head.at)))
            }
            (Err(error), _) => Err(error),
        }
    }

    /// Returns the kept answer, or `None` when refreshing.
    async fn held(&self, key: &Key) -> Option<Kept> {
        match (&self.cache, self.settings.network) {
            (None, _) | (_, Network::Refresh) => None,
            (Some(cache), Network::Usual | Network::Cached) => cache.find(key).await,
        }
    }

    /// Asks, as often as the terms allow, until a reply can be read.
    async fn asked<T>(
        &self,
        question: Question<'_>,
        terms: &Terms<'_>,
        secrets: &[String],
        held: Option<&Kept>,
        read: &impl Fn(&Kept) -> Result<T, PortError>,
    ) -> Result<(T, Kept), PortError> {
        let first_delay = self.settings.retry_delay;
        let mut attempts =
            Attempts::at_most(terms.attempts, terms.name, terms.deadline, first_delay);
        loop {
            let until = Instant::now() + attempts.left();
            let mut course = Course::default();
            let attempt = async {
                let brought = self.attempt(question, held, until, &mut course).await?;
                course.answered = true;
                let kept = brought.over(held, terms.name)?;
                if kept.holds(secrets) {
                    // The key would end up in results, logs and files.
                    return Err(PortError::Refused {
                        service: terms.name.to_owned(),
                        status: kept.head.status,
                        reason: "its answer contains the API key it was asked with".into(),
                    });
                }
                Ok((read(&kept)?, kept))
            };
            let error = match attempts.make(attempt).await {
                Ok(answer) => return Ok(answer),
                Err(error) => error,
            };
            let rest = terms.rest_after(&error, &course);
            if let (Some((pace, _)), PortError::Limited { retry_after: Some(after), .. }) =
                (&course.asked, &error)
                && *after < attempts.left()
            {
                pace.put_off(*after).await;
            }
            if let Err(error) = attempts.after(error).await {
                if let (Some((pace, _)), Some(rest)) = (course.asked, rest) {
                    pace.rest(rest).await;
                }
                return Err(error);
            }
        }
    }
}

impl Terms<'_> {
    fn fresh_for(&self, kept: &Kept) -> Duration {
        if kept.is_success() { self.fresh_for } else { self.fresh_for.min(NO_SUCCESS_FOR) }
    }

    /// Returns how long the service or host is left alone if this is the last error.
    fn rest_after(&self, error: &PortError, course: &Course) -> Option<Duration> {
        let (_, since) = course.asked.as_ref()?;
        let fails = match error {
            PortError::Limited { retry_after, .. } => {
                return Some(retry_after.map_or(self.cool_down, |asked| asked.max(LEAST_REST)));
            }
            PortError::Failed { .. } => true,
            // If most of the time was spent waiting in line, the service is not to blame.
            PortError::TimedOut { .. } => since.elapsed() >= self.deadline / 2,
            // The connection broke; a complete reply is an answer, even if unreadable.
            PortError::Malformed { .. } => !course.answered,
            PortError::Unreachable { .. }
            | PortError::Refused { .. }
            | PortError::Invalid { .. }
            | PortError::Store { .. }
            | PortError::DiskFull { .. } => false,
        };
        (fails && self.rests_after_failure).then_some(self.cool_down)
    }
}

impl Question<'_> {
    /// Returns whether an HTML page came instead of a PDF, such as a check for humans or a login page.
    fn stood_in_for(self, kept: &Kept) -> bool {
        let pdf = |path: &str| {
            let path = path.to_ascii_lowercase();
            path.ends_with(".pdf") || path.starts_with("/pdf/")
        };
        match self {
            Question::Page(url) => {
                let found = kept.head.url.as_deref().and_then(|url| Url::parse(url).ok());
                (pdf(url.path()) || found.is_some_and(|found| pdf(found.path())))
                    && media::is_html(&kept.head.media_type, &kept.body)
            }
            Question::Service { .. } | Question::Server { .. } => false,
        }
    }

    /// Returns the key of the kept answer, which contains no secrets.
    fn key(self) -> Key {
        match self {
            Question::Page(url) => Key::of(&[b"page", url.as_str().as_bytes()]),
            Question::Server { server, query, .. } => server.config.key(query),
            Question::Service { request, .. } => {
                let url = secrets::without(&request.url);
                let body = request.json.as_deref().unwrap_or_default();
                let method = if request.json.is_some() { "POST" } else { "GET" };
                let mut parts = vec![method.as_bytes(), url.as_str().as_bytes(), body.as_bytes()];
                for (name, value) in &request.headers {
                    if !value.is_sensitive() {
                        parts.extend([name.as_str().as_bytes(), value.as_bytes()]);
                    }
                }
                Key::of(&parts)
            }
        }
    }
}

impl Brought {
    /// Returns the answer: the new one, or `held` if it is still valid.
    fn over(self, held: Option<&Kept>, name: &str) -> Result<Kept, PortError> {
        match (self, held) {
            (Brought::Answer(kept), _) => Ok(kept),
            (Brought::Unchanged { etag, last_modified }, Some(held)) => {
                let mut kept = held.clone();
                kept.head.at = Timestamp::now();
                kept.head.etag = etag.or(kept.head.etag);
                kept.head.last_modified = last_modified.or(kept.head.last_modified);
                Ok(kept)
            }
            (Brought::Unchanged { .. }, None) => Err(PortError::Malformed {
                service: name.to_owned(),
                what: "an unexpected \"not modified\"".into(),
            }),
        }
    }
}

/// Returns whether an error says nothing about the question, so that an older answer, or another source's, is the best available.
pub(crate) fn passes(error: &PortError) -> bool {
    transport::may_pass(error) || matches!(error, PortError::TimedOut { .. })
}

#[cfg(test)]
pub(crate) mod tests;
