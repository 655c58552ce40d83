//! Requests: JSON to and from the tracking server, within limits of time and size.

use std::time::Duration;

use reqwest::header::{AUTHORIZATION, CONTENT_TYPE, HeaderValue};
use reqwest::{Method, Response, StatusCode, Url};
use run::error::PortError;
use serde_json::Value;
use transport::{Attempts, Secret, Service, base_url, body};

use super::{Access, MlflowError, Settings};

/// The longest answer that is read: a search for an evaluation's runs, with everything logged in them.
const LONGEST_ANSWER: usize = 16 * 1024 * 1024;

const FIRST_DELAY: Duration = Duration::from_millis(250);

/// The number of attempts, including the first.
const ATTEMPTS: usize = 4;

pub(super) struct Client {
    http: reqwest::Client,
    base: Url,
    /// The server's name in errors.
    pub(super) server: String,
    authorization: Option<HeaderValue>,
    /// Secrets that no error may contain: as sent, and as set.
    secrets: Vec<Secret>,
    timeout: Duration,
    /// The wait before a second attempt.
    pub(super) first_delay: Duration,
    pub(super) longest_answer: usize,
}

/// A server's answer.
pub(super) enum Said {
    /// The answer; null if it is not JSON.
    Yes(Value),
    /// A refusal, with MLflow's own code if it has one.
    No { status: u16, code: String, error: MlflowError },
}

impl Said {
    pub(super) fn or_fail(self) -> Result<Value, MlflowError> {
        match self {
            Said::Yes(body) => Ok(body),
            Said::No { error, .. } => Err(error),
        }
    }
}

/// The body of a request.
#[derive(Clone, Copy)]
pub(super) enum Body<'a> {
    Nothing,
    Json(&'a Value),
    File { name: &'a str, bytes: &'a [u8] },
}

/// A request and its number of attempts.
struct Request<'a> {
    method: Method,
    url: Url,
    headers: &'a [(&'a str, &'a str)],
    body: Body<'a>,
    attempts: usize,
    /// Whether the answer must be JSON.
    answered: bool,
}

impl Client {
    pub(super) fn new(settings: &Settings) -> Result<Client, MlflowError> {
        let wrong = |what: String| MlflowError::Settings { what };
        let url = settings.base_url.trim();
        if !url.starts_with("http://") && !url.starts_with("https://") {
            let url = transport::without_userinfo(url);
            return Err(wrong(format!(
                "'{url}' is not the address of an MLflow server. Start one with `mlflow server` and give its address, such as \
                 http://127.0.0.1:5000"
            )));
        }
        let base = base_url(url).map_err(|error| wrong(error.to_string()))?;
        if settings.experiment.trim().is_empty() {
            return Err(wrong("an MLflow experiment needs a name".into()));
        }
        let http = transport::client(base.as_str(), settings.timeout)
            .map_err(|error| wrong(error.to_string()))?;
        let (authorization, secrets) = build_authorization(&http, &base, settings.access.as_ref())?;
        let server = format!("the MLflow server at {base}");
        Ok(Client {
            http,
            base,
            server,
            authorization,
            secrets,
            timeout: settings.timeout,
            first_delay: FIRST_DELAY,
            longest_answer: LONGEST_ANSWER,
        })
    }

    /// Returns the address of a run for a browser.
    pub(super) fn page(&self, experiment: &str, run: &str) -> String {
        format!("{}#/experiments/{experiment}/runs/{run}", self.base)
    }

    pub(super) async fn get(
        &self,
        path: &str,
        query: &[(&str, &str)],
    ) -> Result<Said, MlflowError> {
        let mut url = self.url(path)?;
        if !query.is_empty() {
            url.query_pairs_mut().extend_pairs(query);
        }
        let body = Body::Nothing;
        self.send(Request {
            method: Method::GET,
            url,
            headers: &[],
            body,
            attempts: ATTEMPTS,
            answered: true,
        })
        .await
    }

    /// Posts an idempotent request to MLflow's API.
    pub(super) async fn post(&self, path: &str, body: &Value) -> Result<Said, MlflowError> {
        self.post_to(&format!("api/2.0/mlflow/{path}"), &[], body, true).await
    }

    /// Posts to MLflow's API without retrying.
    pub(super) async fn post_once(&self, path: &str, body: &Value) -> Result<Said, MlflowError> {
        let url = self.url(&format!("api/2.0/mlflow/{path}"))?;
        let body = Body::Json(body);
        self.send(Request {
            method: Method::POST,
            url,
            headers: &[],
            body,
            attempts: 1,
            answered: true,
        })
        .await
    }

    /// Posts an idempotent request; `answered` says whether the answer must be JSON.
    pub(super) async fn post_to(
        &self,
        path: &str,
        headers: &[(&str, &str)],
        body: &Value,
        answered: bool,
    ) -> Result<Said, MlflowError> {
        let url = self.url(path)?;
        let body = Body::Json(body);
        self.send(Request {
            method: Method::POST,
            url,
            headers,
            body,
            attempts: ATTEMPTS,
            answered,
        })
        .await
    }

    pub(super) async fn put(&self, path: &str, body: Body<'_>) -> Result<Said, MlflowError> {
        let url = self.url(path)?;
        self.send(Request {
            method: Method::PUT,
            url,
            headers: &[],
            body,
            attempts: ATTEMPTS,
            answered: false,
        })
        .await
    }

    /// Returns the required text at `pointer` in an answer.
    pub(super) fn text(&self, answer: &Value, pointer: &str) -> Result<String, MlflowError> {
        let text = answer.pointer(pointer).and_then(Value::as_str);
        let text = text.filter(|text| !text.is_empty());
        text.map(str::to_owned)
            .ok_or_else(|| self.not_mlflow(&format!("an answer without {pointer}")))
    }

    pub(super) fn not_mlflow(&self, what: &str) -> MlflowError {
        MlflowError::NotMlflow { server: self.server.clone(), what: what.to_owned() }
    }

    /// Returns the address of a path below the base; its segments cannot leave it.
    fn url(&self, path: &str) -> Result<Url, MlflowError> {
        let mut url = self.base.clone();
        let wrong = || MlflowError::Settings { what: format!("{} has no path", self.base) };
        url.path_segments_mut().map_err(|()| wrong())?.pop_if_empty().extend(path.split('/'));
        Ok(url)
    }

    async fn send(&self, request: Request<'_>) -> Result<Said, MlflowError> {
        let mut attempts =
            Attempts::at_most(request.attempts, &self.server, self.timeout, self.first_delay);
        loop {
            match attempts.make(self.attempt(&request)).await {
                Ok(said) => return Ok(said),
                Err(error) => {
                    attempts
                        .after(error)
                        .await
                        .map_err(|error| MlflowError::Call(self.masked(error)))?;
                }
            }
        }
    }

    async fn attempt(&self, request: &Request<'_>) -> Result<Said, PortError> {
        let service = Service { name: &self.server, key: self.secrets.first() };
        let mut made = self.http.request(request.method.clone(), request.url.clone());
        if let Some(authorization) = &self.authorization {
            made = made.header(AUTHORIZATION, authorization.clone());
        }
        for (name, value) in request.headers {
            made = made.header(*name, *value);
        }
        made = match request.body {
            Body::Nothing => made,
            Body::Json(value) => {
                made.header(CONTENT_TYPE, "application/json").body(value.to_string())
            }
            Body::File { name, bytes } => {
                made.header(CONTENT_TYPE, media_type(name)).body(bytes.to_vec())
            }
        };
        let mut response = made.send().await.map_err(|error| service.network(&error))?;
        let status = response.status();
        if status.is_success() {
            let bytes = body::whole(&mut response, service, self.longest_answer).await?;
            return match serde_json::from_slice(&bytes) {
                Ok(value) => Ok(Said::Yes(value)),
                Err(_) if !request.answered => Ok(Said::Yes(Value::Null)),
                Err(error) => Err(service.not_json(&bytes, media(&response), &error)),
            };
        }
        let text = body::beginning(&mut response).await;
        let error = service.refused(status, response.headers(), &text);
        // A retry may help here, but never with 501.
        if transport::may_pass(&error) && status != StatusCode::NOT_IMPLEMENTED {
            return Err(error);
        }
        let code = serde_json::from_str::<Value>(&text).unwrap_or_default();
        let code = code.get("error_code").and_then(Value::as_str).unwrap_or_default().to_owned();
        let error = match status {
            StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN => {
                let server = self.server.clone();
                MlflowError::NoAccess { server, status: status.as_u16() }
            }
            // MLflow sends a code with its own 404; without one, its API is not there.
            StatusCode::NOT_FOUND if code.is_empty() => {
                self.not_mlflow(&self.masked(error).to_string())
            }
            status if status.is_redirection() => self.not_mlflow("a redirect to another address"),
            _ => MlflowError::Call(self.masked(error)),
        };
        Ok(Said::No { status: status.as_u16(), code, error })
    }

    /// Returns the error without keys.
    fn masked(&self, mut error: PortError) -> PortError {
        let (PortError::Unreachable { reason: text, .. }
        | PortError::Refused { reason: text, .. }
        | PortError::Failed { reason: text, .. }
        | PortError::Malformed { what: text, .. }) = &mut error
        else {
            return error;
        };
        for secret in &self.secrets {
            if !secret.reveal().is_empty() {
                *text = text.replace(secret.reveal(), "***");
            }
        }
        error
    }
}

/// Returns the authorization header, and its secrets.
fn build_authorization(
    http: &reqwest::Client,
    base: &Url,
    access: Option<&Access>,
) -> Result<(Option<HeaderValue>, Vec<Secret>), MlflowError> {
    let Some(access) = access else { return Ok((None, Vec::new())) };
    let request = http.get(base.clone());
    let (request, secret) = match access {
        Access::Token(token) => (request.bearer_auth(token.reveal()), token),
        Access::Password { user, password } => {
            (request.basic_auth(user, Some(password.reveal())), password)
        }
    };
    let unfit = |_| MlflowError::Settings {
        what: "MLflow's token contains a character that is not allowed, perhaps a line break"
            .into(),
    };
    let request = request.build().map_err(unfit)?;
    let header = request.headers().get(AUTHORIZATION).cloned();
    let sent = header.as_ref().and_then(|header| header.to_str().ok()?.split_once(' '));
    let sent = sent.map(|(_, sent)| Secret::from(sent.to_owned()));
    let secrets = sent.into_iter().chain([secret.clone()]).collect();
    Ok((header, secrets))
}

fn media(response: &Response) -> &str {
    response.headers().get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default()
}

fn media_type(name: &str) -> &'static str {
    match name.rsplit('.').next() {
        Some("json") => "application/json",
        Some("html") => "text/html; charset=utf-8",
        Some("md") => "text/markdown; charset=utf-8",
        Some("jsonl") => "application/jsonl",
        _ => "application/octet-stream",
    }
}
