//! One attempt: a request at its pace, and the reply as bytes within a limit.

use std::sync::Arc;

use jiff::Timestamp;
use reqwest::header::{
    ACCEPT, CONTENT_ENCODING, CONTENT_TYPE, ETAG, HeaderMap, HeaderName, HeaderValue,
    IF_MODIFIED_SINCE, IF_NONE_MATCH, LAST_MODIFIED, LOCATION, RETRY_AFTER,
};
use reqwest::{RequestBuilder, Response, StatusCode};
use tokio::time::Instant;

use run::error::PortError;
use transport::{Service, body};

use super::{Brought, Client, Course, Question};
use crate::cache::{Head, Kept};
use crate::media;
use crate::pace::Pace;
use crate::service::{Etiquette, Request};

impl Client {
    /// Asks once, and records in `course` who was asked.
    pub(super) async fn attempt(
        &self,
        question: Question<'_>,
        held: Option<&Kept>,
        until: Instant,
        course: &mut Course,
    ) -> Result<Brought, PortError> {
        match question {
            Question::Page(url) => self.page(url, held, until, course).await,
            Question::Server { server, query, pace } => {
                let texts = server.in_turn(async {
                    let _turn = pace.turn(until).await?;
                    course.asked = Some((Arc::clone(pace), Instant::now()));
                    server.config.ask_in_time(self.http.servers()?, query).await
                });
                let body = serde_json::to_vec(&texts.await?).map_err(|error| {
                    server.config.malformed(&format!("texts that cannot be kept: {error}"))
                })?;
                let head = Head {
                    status: 200,
                    media_type: "application/json".into(),
                    charset: None,
                    url: None,
                    etag: None,
                    last_modified: None,
                    at: Timestamp::now(),
                };
                Ok(Brought::Answer(Kept { head, body }))
            }
            Question::Service { request, etiquette, pace, key } => {
                let _turn = pace.turn(until).await?;
                course.asked = Some((Arc::clone(pace), Instant::now()));
                let service = Service { name: etiquette.name, key };
                self.service(request, etiquette, pace, service, held).await
            }
        }
    }

    async fn service(
        &self,
        request: &Request,
        etiquette: &Etiquette,
        pace: &Pace,
        service: Service<'_>,
        held: Option<&Kept>,
    ) -> Result<Brought, PortError> {
        let (url, http) = (request.url.clone(), self.http.services()?);
        let mut asked = match &request.json {
            None => http.get(url),
            Some(json) => http.post(url).body(json.clone()),
        };
        let mut headers: HeaderMap = request.headers.iter().cloned().collect();
        if request.json.is_some() {
            let json = HeaderValue::from_static("application/json");
            headers.entry(CONTENT_TYPE).or_insert(json);
        }
        headers.entry(ACCEPT).or_insert(HeaderValue::from_static("*/*"));
        asked = conditional(asked.headers(headers), held);
        let mut response = asked.send().await.map_err(|error| service.network(&error))?;
        pace.heed(response.headers()).await;
        let status = response.status();
        if status.is_success() || etiquette.answers.contains(&status.as_u16()) {
            return self.whole(response, service, None).await.map(Brought::Answer);
        }
        if status == StatusCode::NOT_MODIFIED {
            return Ok(unchanged(response.headers()));
        }
        if status.is_redirection() {
            return Err(refused_redirect(&response, service));
        }
        Err(failure(&mut response, service).await)
    }

    /// Returns the answer with its whole body; fails if it exceeds the limit.
    pub(super) async fn whole(
        &self,
        mut response: Response,
        service: Service<'_>,
        url: Option<String>,
    ) -> Result<Kept, PortError> {
        let limit = self.settings.body_bytes;
        // A retry would give the same result.
        let too_long = || PortError::Invalid {
            what: format!(
                "{} sends more than the limit of {limit} bytes; raise `sources.page_bytes` to \
                 read it",
                service.name
            ),
        };
        let headers = response.headers();
        let encoding =
            headers.get(CONTENT_ENCODING).map(|name| name.as_bytes().to_ascii_lowercase());
        if let Some(name) = encoding.filter(|name| !matches!(name.as_slice(), b"" | b"identity")) {
            let name = String::from_utf8_lossy(&name).chars().take(40).collect::<String>();
            return Err(service.malformed(&format!("an encoding that was not asked for: {name}")));
        }
        if response.content_length().is_some_and(|length| length > limit as u64) {
            return Err(too_long());
        }
        let (media_type, charset) = media::named(headers);
        let head = Head {
            status: response.status().as_u16(),
            media_type,
            charset,
            url,
            etag: text(headers, &ETAG),
            last_modified: text(headers, &LAST_MODIFIED),
            at: Timestamp::now(),
        };
        let body = body::up_to(&mut response, service, limit).await?.ok_or_else(too_long)?;
        Ok(Kept { head, body })
    }
}

/// Makes the request conditional on a change since `held`.
pub(super) fn conditional(asked: RequestBuilder, held: Option<&Kept>) -> RequestBuilder {
    let Some(Kept { head, .. }) = held else { return asked };
    match (&head.etag, &head.last_modified) {
        (Some(etag), _) => asked.header(IF_NONE_MATCH, etag),
        (None, Some(date)) => asked.header(IF_MODIFIED_SINCE, date),
        (None, None) => asked,
    }
}

pub(super) fn unchanged(headers: &HeaderMap) -> Brought {
    Brought::Unchanged { etag: text(headers, &ETAG), last_modified: text(headers, &LAST_MODIFIED) }
}

/// Returns the error for an unsuccessful reply.
pub(crate) async fn failure(response: &mut Response, service: Service<'_>) -> PortError {
    let status = response.status();
    // An overloaded server that says for how long is treated like one that limits its callers.
    if status == StatusCode::SERVICE_UNAVAILABLE && response.headers().contains_key(RETRY_AFTER) {
        let retry_after = transport::retry_after(response.headers());
        return PortError::Limited { service: service.name.to_owned(), retry_after };
    }
    let body = body::beginning(response).await;
    service.refused(status, response.headers(), &body)
}

/// Returns the error for a redirect, which no service is followed to.
pub(crate) fn refused_redirect(response: &Response, service: Service<'_>) -> PortError {
    let reason = match target(response) {
        Some(host) => format!("a redirect to {host}, which is not followed"),
        None => "a redirect, which is not followed".into(),
    };
    PortError::Refused {
        service: service.name.to_owned(),
        status: response.status().as_u16(),
        reason,
    }
}

/// Returns the host that a redirect leads to.
fn target(response: &Response) -> Option<String> {
    let location = response.headers().get(LOCATION)?.to_str().ok()?;
    Some(response.url().join(location).ok()?.host_str()?.to_owned())
}

/// Returns a header if it is short enough to be kept.
fn text(headers: &HeaderMap, name: &HeaderName) -> Option<String> {
    let text = headers.get(name)?.to_str().ok()?;
    (text.len() <= 1_000).then(|| text.to_owned())
}
