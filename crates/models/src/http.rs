//! The HTTP client for every call, and the headers that carry the key.

use std::time::Duration;

use bytes::Bytes;
use http_body_util::Full;
use reqwest::header::{AUTHORIZATION, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue};
use reqwest::{Body, Client, Response, Url};

use run::error::PortError;
use transport::{Service, body};

use crate::{ConnectError, Connection, Protocol};

/// The version of Anthropic's protocol.
const ANTHROPIC_VERSION: HeaderValue = HeaderValue::from_static("2023-06-01");

/// The longest connect timeout.
const LONGEST_CONNECT: Duration = Duration::from_secs(30);

/// Returns the HTTP client for a connection.
pub(crate) fn client(connection: &Connection) -> Result<Client, ConnectError> {
    transport::client(&connection.base_url, connection.idle_timeout.min(LONGEST_CONNECT))
        .map_err(|error| ConnectError::Client { reason: error.to_string() })
}

/// Returns the headers of every request: the key in its protocol's header, and nowhere else.
pub(crate) fn headers(connection: &Connection) -> Result<HeaderMap, ConnectError> {
    let mut headers = HeaderMap::new();
    if connection.protocol == Protocol::Anthropic {
        headers.insert(HeaderName::from_static("anthropic-version"), ANTHROPIC_VERSION);
    }
    let Some(key) = &connection.key else { return Ok(headers) };
    let (name, value) = match connection.protocol {
        Protocol::OpenAi => (AUTHORIZATION, format!("Bearer {}", key.reveal())),
        Protocol::Anthropic => (HeaderName::from_static("x-api-key"), key.reveal().to_owned()),
        Protocol::Gemini => (HeaderName::from_static("x-goog-api-key"), key.reveal().to_owned()),
    };
    let mut value = HeaderValue::try_from(value).map_err(|_| ConnectError::Client {
        reason: "the API key contains a character that is not allowed, perhaps a line break".into(),
    })?;
    value.set_sensitive(true);
    headers.insert(name, value);
    Ok(headers)
}

/// Posts a JSON body and returns the response. A status other than success is returned as the service's refusal.
pub(crate) async fn post(
    client: &Client,
    url: &Url,
    headers: &HeaderMap,
    body: Vec<u8>,
    service: Service<'_>,
) -> Result<Response, PortError> {
    // A streamed body is freed once it is sent. The client would keep bytes, to send them again, until the response comes, which may take
    // minutes.
    let body = Body::wrap(Full::new(Bytes::from(body)));
    let post = client
        .post(url.clone())
        .headers(headers.clone())
        .header(CONTENT_TYPE, HeaderValue::from_static("application/json"))
        .body(body);
    let mut response = post.send().await.map_err(|error| service.network(&error))?;
    if !response.status().is_success() {
        let body = without_keys(body::beginning(&mut response).await, headers);
        return Err(service.refused(response.status(), response.headers(), &body));
    }
    Ok(response)
}

/// Masks the keys of a request in the answer to it: a service may repeat them, and errors are told and logged.
fn without_keys(answer: String, headers: &HeaderMap) -> String {
    let values = headers.values().filter(|value| value.is_sensitive());
    let keys = values.filter_map(|value| value.to_str().ok());
    let keys = keys.map(|value| value.trim_start_matches("Bearer ")).filter(|key| !key.is_empty());
    keys.fold(answer, |answer, key| answer.replace(key, "***"))
}

/// Returns the URL below the base URL; the segments of `path` are percent-encoded as needed.
pub(crate) fn url(connection: &Connection, path: &[&str]) -> Result<Url, ConnectError> {
    let refuse =
        |reason: String| ConnectError::BaseUrl { url: connection.base_url.clone(), reason };
    let mut url = Url::parse(&connection.base_url).map_err(|error| refuse(error.to_string()))?;
    url.path_segments_mut()
        .map_err(|()| refuse("it has no path".into()))?
        .pop_if_empty()
        .extend(path);
    Ok(url)
}
