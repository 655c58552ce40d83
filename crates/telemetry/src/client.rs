//! Sends a request to a collector, with retries as the specification of OTLP wants them.
//!
//! <https://opentelemetry.io/docs/specs/otlp/#otlphttp>

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use bytes::Bytes;
use reqwest::StatusCode;
use reqwest::header::{CONTENT_TYPE, HeaderMap};
use run::error::PortError;
use tokio::sync::watch;
use transport::{Attempts, Service, body, retry_after};

use crate::collector::Collector;
use crate::settings::{Endpoint, Protocol, SettingsError};

/// The longest reply that is read.
const LONGEST_REPLY: usize = 64 * 1024;
/// The number of attempts, including the first.
const ATTEMPTS: usize = 5;
const FIRST_DELAY: Duration = Duration::from_millis(500);

/// The name of the service in errors and counts of retries.
const SERVICE: &str = "the OTLP collector";

pub(crate) struct Client {
    http: reqwest::Client,
    endpoint: Endpoint,
    collector: Collector,
    /// Whether the last export failed; then each is attempted once.
    is_failing: AtomicBool,
    /// Whether somebody waits for the end.
    closing: watch::Sender<bool>,
}

/// A reply: its encoding and its bytes.
pub(crate) struct Reply {
    pub(crate) protocol: Protocol,
    pub(crate) bytes: Vec<u8>,
}

impl Client {
    pub(crate) fn new(collector: Collector, endpoint: Endpoint) -> Result<Client, SettingsError> {
        let http = transport::client(endpoint.0.as_str(), collector.timeout)
            .map_err(|error| SettingsError::Client { reason: error.to_string() })?;
        let (is_failing, closing) = (AtomicBool::new(false), watch::Sender::new(false));
        Ok(Client { http, endpoint, collector, is_failing, closing })
    }

    pub(crate) fn protocol(&self) -> Protocol {
        self.collector.protocol
    }

    /// Says that something did not arrive.
    pub(crate) fn tell(&self, what: &str, why: &str) {
        let Client { endpoint, collector, .. } = self;
        collector.tell(&format!(
            "could not send {what} to the OTLP collector at {endpoint}: \
            {why}"
        ));
    }

    /// Says that the collector took a part alone.
    pub(crate) fn tell_rejected(&self, what: &str, rejected: i64, why: &str) {
        let why = if why.is_empty() { "no reason given" } else { why };
        let why: String = why.chars().take(300).collect();
        self.collector.tell(&format!("the OTLP collector rejected {rejected} {what}: {why}"));
    }

    /// Says whether somebody waits for the end: then a collector that is not there gets no further attempt.
    pub(crate) fn set_closing(&self, is_closing: bool) {
        self.closing.send_replace(is_closing);
    }

    /// Sends a request, and again if that may help, within the time for an export.
    pub(crate) async fn send(&self, request: Vec<u8>) -> Result<Reply, PortError> {
        let sent = self.send_patiently(Bytes::from(request)).await;
        self.is_failing.store(sent.is_err(), Ordering::Relaxed);
        sent
    }

    async fn send_patiently(&self, request: Bytes) -> Result<Reply, PortError> {
        let most = if self.is_failing.load(Ordering::Relaxed) { 1 } else { ATTEMPTS };
        let timeout = self.collector.timeout;
        let mut attempts =
            Attempts::at_most(most, SERVICE, timeout, FIRST_DELAY).set_by("otlp.timeout_ms");
        let mut closing = self.closing.subscribe();
        loop {
            match attempts.make(self.attempt(request.clone())).await {
                Ok(reply) => return Ok(reply),
                Err(error @ (PortError::Limited { .. } | PortError::Failed { .. })) => {
                    attempts.after(error).await?;
                }
                Err(error) => tokio::select! {
                    next = attempts.after(error.clone()) => next?,
                    Ok(_) = closing.wait_for(|closing| *closing) => return Err(error),
                },
            }
        }
    }

    async fn attempt(&self, request: Bytes) -> Result<Reply, PortError> {
        let service = Service { name: SERVICE, key: self.collector.headers.secrets.first() };
        let request = self
            .http
            .post(self.endpoint.0.clone())
            .headers(self.collector.headers.map.clone())
            .header(CONTENT_TYPE, self.collector.protocol.media_type())
            .body(request);
        let mut response = request.send().await.map_err(|error| service.network(&error))?;
        let (status, headers) = (response.status(), response.headers().clone());
        if status.is_success() {
            // Of a longer reply nothing is read: what was sent was taken.
            let bytes = body::up_to(&mut response, service, LONGEST_REPLY).await?;
            let bytes = bytes.unwrap_or_default();
            return Ok(Reply { protocol: protocol_of(&headers, self.protocol()), bytes });
        }
        let text = body::beginning(&mut response).await;
        Err(refused(service, status, &headers, &text))
    }
}

/// Returns the error for a refusal. Only those that the specification names are worth another attempt.
fn refused(service: Service<'_>, status: StatusCode, headers: &HeaderMap, text: &str) -> PortError {
    const RETRYABLE: [StatusCode; 4] = [
        StatusCode::TOO_MANY_REQUESTS,
        StatusCode::BAD_GATEWAY,
        StatusCode::SERVICE_UNAVAILABLE,
        StatusCode::GATEWAY_TIMEOUT,
    ];
    let name = || service.name.to_owned();
    let reason =
        || match service.refused(StatusCode::BAD_REQUEST, &HeaderMap::new(), &printable(text)) {
            PortError::Refused { reason, .. } => reason,
            _ => String::new(),
        };
    if !RETRYABLE.contains(&status) {
        return PortError::Refused { service: name(), status: status.as_u16(), reason: reason() };
    }
    match retry_after(headers) {
        Some(wait) => PortError::Limited { service: name(), retry_after: Some(wait) },
        None => PortError::Failed { service: name(), status: status.as_u16(), reason: reason() },
    }
}

/// Returns a text without what a terminal would obey; a collector may answer in protobuf.
fn printable(text: &str) -> String {
    text.chars().map(|c| if c.is_control() || c == '\u{fffd}' { ' ' } else { c }).collect()
}

/// Returns how a reply is encoded: as it says, else as the request was.
fn protocol_of(headers: &HeaderMap, sent: Protocol) -> Protocol {
    let media = headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    if media.contains("json") {
        Protocol::HttpJson
    } else if media.contains("protobuf") {
        Protocol::HttpProtobuf
    } else {
        sent
    }
}
