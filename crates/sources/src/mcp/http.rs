//! A server that speaks streamable HTTP: each message is posted, and its answer comes as JSON or as a stream of events.
//!
//! A stream is read until its request is answered, and is not resumed; the stream of a server's own notifications is never opened.

use std::time::Duration;

use reqwest::header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue};
use reqwest::{Client, Response, StatusCode, Url};
use serde_json::Value;
use tokio::task::yield_now;
use tokio::time::timeout;

use run::error::PortError;
use transport::{Secret, Service};

use super::link::Allowance;
use crate::client::{failure, refused_redirect};
use crate::media;

const SESSION: HeaderName = HeaderName::from_static("mcp-session-id");
const VERSION: HeaderName = HeaderName::from_static("mcp-protocol-version");

/// How long the end of a session may take.
const PARTING: Duration = Duration::from_secs(2);

/// Bytes of the longest session id or version that is sent back.
const LONGEST_ID: usize = 1_000;

/// The requests of a session.
pub(super) struct Http {
    client: Client,
    url: Url,
    /// The headers of every request.
    headers: HeaderMap,
    token: Option<Secret>,
    allowance: Allowance,
    answer: Answer,
}

/// The answer to the last request.
enum Answer {
    None,
    Whole(Vec<u8>),
    Stream(Response, Events),
}

impl Http {
    pub(super) fn new(
        client: Client,
        url: Url,
        token: Option<Secret>,
        allowance: Allowance,
    ) -> Http {
        let mut headers = HeaderMap::new();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        headers.insert(ACCEPT, HeaderValue::from_static("application/json, text/event-stream"));
        let bearer = token.as_ref().and_then(|token| {
            HeaderValue::try_from(format!("Bearer {}", token.reveal().trim())).ok()
        });
        if let Some(mut bearer) = bearer {
            bearer.set_sensitive(true);
            headers.insert(AUTHORIZATION, bearer);
        }
        Http { client, url, headers, token, allowance, answer: Answer::None }
    }

    /// Posts a request and begins to read its answer.
    pub(super) async fn ask(&mut self, message: &Value) -> Result<(), PortError> {
        self.answer = Answer::None;
        let mut response = self.post(message).await?;
        if let Some(id) = response.headers().get(SESSION).filter(|id| id.len() <= LONGEST_ID) {
            self.headers.insert(SESSION, id.clone());
        }
        let (media_type, _) = media::named(response.headers());
        self.answer = match media_type.as_str() {
            "text/event-stream" => Answer::Stream(response, Events::default()),
            "application/json" => {
                let mut body = Vec::new();
                while let Some(bytes) = self.piece(&mut response).await? {
                    body.extend_from_slice(&bytes);
                    yield_now().await;
                }
                Answer::Whole(body)
            }
            _ => {
                let status = response.status().as_u16();
                let what = format!(
                    "neither JSON nor a stream of events, but '{media_type}' with status {status}"
                );
                return Err(self.service().malformed(&what));
            }
        };
        Ok(())
    }

    /// Posts a message that has no answer.
    pub(super) async fn tell(&mut self, message: &Value) -> Result<(), PortError> {
        // Whatever comes back is left unread, and the connection closed.
        self.post(message).await.map(drop)
    }

    /// Returns the next message of the answer.
    pub(super) async fn receive(&mut self) -> Result<Vec<u8>, PortError> {
        let over = || "an end of its reply before the answer";
        match std::mem::replace(&mut self.answer, Answer::None) {
            Answer::None => Err(self.service().malformed(over())),
            Answer::Whole(body) => Ok(body),
            Answer::Stream(mut response, mut events) => loop {
                if let Some(message) = events.next() {
                    self.answer = Answer::Stream(response, events);
                    return Ok(message);
                }
                match self.piece(&mut response).await? {
                    Some(bytes) => events.push(&bytes),
                    None => return Err(self.service().malformed(over())),
                }
                yield_now().await;
            },
        }
    }

    /// Names the version of the protocol in every further request.
    pub(super) fn agree(&mut self, version: &str) {
        if version.len() <= LONGEST_ID
            && let Ok(version) = HeaderValue::try_from(version)
        {
            self.headers.insert(VERSION, version);
        }
    }

    /// Tells the server that its session is over, if it began one.
    pub(super) async fn close(self) {
        if self.headers.contains_key(SESSION) {
            let end = self.client.delete(self.url).headers(self.headers).send();
            // The result is here; a server that keeps its session harms itself.
            let _ = timeout(PARTING, end).await;
        }
    }

    async fn post(&self, message: &Value) -> Result<Response, PortError> {
        let body = message.to_string();
        let asked = self.client.post(self.url.clone()).headers(self.headers.clone()).body(body);
        let service = self.service();
        let mut response = asked.send().await.map_err(|error| service.network(&error))?;
        match response.status() {
            status if status.is_success() => Ok(response),
            status if status.is_redirection() => Err(refused_redirect(&response, service)),
            StatusCode::NOT_FOUND if self.headers.contains_key(SESSION) => {
                Err(service.malformed("an end of the session that it had begun"))
            }
            _ => Err(failure(&mut response, service).await),
        }
    }

    async fn piece(&mut self, response: &mut Response) -> Result<Option<Vec<u8>>, PortError> {
        let bytes = response.chunk().await.map_err(|error| self.service().network(&error))?;
        let Some(bytes) = bytes else { return Ok(None) };
        self.allowance.take(bytes.len())?;
        Ok(Some(bytes.to_vec()))
    }

    fn service(&self) -> Service<'_> {
        Service { key: self.token.as_ref(), ..self.allowance.service() }
    }
}

/// A stream of events on its way in: only their data counts.
#[derive(Default)]
struct Events {
    read: Vec<u8>,
    /// Where in `read` the next line begins.
    at: usize,
    /// The data of the event that is being read.
    data: Vec<u8>,
}

impl Events {
    fn push(&mut self, bytes: &[u8]) {
        self.read.drain(..self.at);
        self.at = 0;
        self.read.extend_from_slice(bytes);
    }

    /// Returns the data of the next whole event that has any.
    fn next(&mut self) -> Option<Vec<u8>> {
        loop {
            let rest = self.read.get(self.at..).unwrap_or_default();
            let end = rest.iter().position(|byte| *byte == b'\n')?;
            let line = rest.get(..end).unwrap_or_default();
            let line = line.strip_suffix(b"\r").unwrap_or(line);
            self.at += end + 1;
            if line.is_empty() {
                let data = std::mem::take(&mut self.data);
                if !data.trim_ascii().is_empty() {
                    return Some(data);
                }
            } else if let Some(data) = line.strip_prefix(b"data:") {
                if !self.data.is_empty() {
                    self.data.push(b'\n');
                }
                self.data.extend_from_slice(data.strip_prefix(b" ").unwrap_or(data));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // proves: F5
    #[test]
    fn events_are_the_same_however_they_are_cut() {
        let stream = b": hello\n\nevent: message\nid: 1\ndata: {\"a\":\ndata: 1}\n\nretry: 5\r\ndata:{}\r\n\r\ndata: cut";
        for size in 1..=stream.len() {
            let (mut events, mut seen) = (Events::default(), Vec::new());
            for piece in stream.chunks(size) {
                events.push(piece);
                while let Some(data) = events.next() {
                    seen.push(String::from_utf8(data).unwrap());
                }
            }
            assert_eq!(seen, ["{\"a\":\n1}", "{}"], "in pieces of {size}");
        }
    }
}
