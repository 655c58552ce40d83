//! Errors as RFC 9457 problem documents.

use axum::body::Body;
use axum::http::{HeaderValue, Response, StatusCode, header};
use axum::response::IntoResponse;
use run::contexts::ContextError;
use run::error::PortError;
use run::log::LogError;
use run::work::{AnswerError, ForkError};
use serde::Serialize;
use utoipa::ToSchema;

use ::app::{Refusal, RefusalKind};

use crate::quotas::ExceededQuota;

/// An error in a request.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Problem {
    kind: Kind,
    /// What went wrong.
    detail: String,
    /// A remedy; empty if there is none.
    hint: String,
    /// The seconds after which to retry.
    retry_after: Option<u64>,
    /// The conflicting run.
    run_id: Option<String>,
    /// The daily quota that leaves no room.
    quota: Option<Box<ExceededQuota>>,
}

/// The kind of an error, by which clients act.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    BadRequest,
    Unauthorised,
    Forbidden,
    NotFound,
    MethodNotAllowed,
    Conflict,
    /// The client acts on an outdated state.
    Stale,
    TooLarge,
    Unsupported,
    Invalid,
    Limited,
    /// A daily quota leaves no room.
    Quota,
    Failed,
    Unavailable,
    DiskFull,
}

impl Kind {
    pub(crate) fn of(self) -> (StatusCode, &'static str, &'static str) {
        match self {
            Kind::BadRequest => {
                (StatusCode::BAD_REQUEST, "bad-request", "The request could not be read")
            }
            Kind::Unauthorised => (StatusCode::UNAUTHORIZED, "unauthorised", "Not signed in"),
            Kind::Forbidden => (StatusCode::FORBIDDEN, "forbidden", "Not allowed"),
            Kind::NotFound => (StatusCode::NOT_FOUND, "not-found", "Not found"),
            Kind::MethodNotAllowed => {
                (StatusCode::METHOD_NOT_ALLOWED, "method-not-allowed", "Method not allowed")
            }
            Kind::Conflict => {
                (StatusCode::CONFLICT, "conflict", "Not possible in the current state")
            }
            Kind::Stale => (StatusCode::CONFLICT, "stale", "Changed in the meantime"),
            Kind::TooLarge => (StatusCode::PAYLOAD_TOO_LARGE, "too-large", "Too large"),
            Kind::Unsupported => {
                (StatusCode::UNSUPPORTED_MEDIA_TYPE, "unsupported", "Unsupported format")
            }
            Kind::Invalid => {
                (StatusCode::UNPROCESSABLE_ENTITY, "invalid", "The request is not valid")
            }
            Kind::Limited => (StatusCode::TOO_MANY_REQUESTS, "limited", "Too many requests"),
            Kind::Quota => (StatusCode::TOO_MANY_REQUESTS, "quota", "Daily limit reached"),
            Kind::Failed => (StatusCode::INTERNAL_SERVER_ERROR, "failed", "The server failed"),
            Kind::Unavailable => {
                (StatusCode::SERVICE_UNAVAILABLE, "unavailable", "Temporarily unavailable")
            }
            Kind::DiskFull => (StatusCode::INSUFFICIENT_STORAGE, "disk-full", "The disk is full"),
        }
    }
}

/// A problem document (RFC 9457).
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct ProblemDocument<'a> {
    /// `urn:quaestio:problem:` followed by the kind of problem.
    r#type: String,
    title: &'a str,
    status: u16,
    /// What went wrong.
    detail: &'a str,
    /// How to fix it.
    #[serde(skip_serializing_if = "str::is_empty")]
    hint: &'a str,
    /// The run that is in the way, if that is the problem.
    #[serde(skip_serializing_if = "Option::is_none")]
    run_id: Option<&'a str>,
    /// The daily quota that was exceeded, if that is the problem.
    #[serde(skip_serializing_if = "Option::is_none")]
    quota: Option<&'a ExceededQuota>,
}

impl Problem {
    pub(crate) fn new(kind: Kind, detail: impl Into<String>, hint: impl Into<String>) -> Problem {
        let (detail, hint) = (detail.into(), hint.into());
        Problem { kind, detail, hint, retry_after: None, run_id: None, quota: None }
    }

    pub(crate) fn limited(detail: impl Into<String>, retry_after: u64) -> Problem {
        let hint = format!("try again in {retry_after} s");
        Problem { retry_after: Some(retry_after), ..Problem::new(Kind::Limited, detail, hint) }
    }

    /// Refuses what a daily quota leaves no room for, until so many seconds have passed.
    pub(crate) fn exceeded(detail: String, quota: ExceededQuota, retry_after: u64) -> Problem {
        let problem = Problem::new(Kind::Quota, detail, quota.hint());
        Problem { retry_after: Some(retry_after), quota: Some(Box::new(quota)), ..problem }
    }

    /// Returns in one line what went wrong and what to do about it.
    pub(crate) fn told(&self) -> String {
        match self.hint.is_empty() {
            true => self.detail.clone(),
            false => format!("{}: {}", self.detail, self.hint),
        }
    }

    pub(crate) fn kind(&self) -> Kind {
        self.kind
    }

    /// Returns the seconds after which to retry.
    pub(crate) fn retry_after(&self) -> Option<u64> {
        self.retry_after
    }

    /// Returns whether the server is at fault, not the request.
    pub(crate) fn is_of_server(&self) -> bool {
        self.kind.of().0.is_server_error()
    }

    pub(crate) fn no_such(what: &str, id: &str) -> Problem {
        // Any text that fits into a path may be given as an id.
        let id: String = run::grounding::clean(id).chars().take(80).collect();
        Problem::new(Kind::NotFound, format!("there is no {what} '{id}'"), "")
    }

    pub(crate) fn invalid(detail: impl Into<String>, hint: impl Into<String>) -> Problem {
        Problem::new(Kind::Invalid, detail, hint)
    }
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response<Body> {
        let (status, name, title) = self.kind.of();
        let document = ProblemDocument {
            r#type: format!("urn:quaestio:problem:{name}"),
            title,
            status: status.as_u16(),
            detail: &self.detail,
            hint: &self.hint,
            run_id: self.run_id.as_deref(),
            quota: self.quota.as_deref(),
        };
        let body = serde_json::to_vec(&document).unwrap_or_default();
        let mut response = Response::new(Body::from(body));
        *response.status_mut() = status;
        let headers = response.headers_mut();
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/problem+json"));
        headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
        if let Some(seconds) = self.retry_after {
            headers.insert(header::RETRY_AFTER, HeaderValue::from(seconds));
        }
        if status == StatusCode::UNAUTHORIZED {
            headers.insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
        }
        response.extensions_mut().insert(self);
        response
    }
}

impl From<LogError> for Problem {
    fn from(error: LogError) -> Problem {
        let (kind, hint) = match &error {
            LogError::NoSuchRun { run } => return Problem::no_such("run", run),
            LogError::Fenced { .. } => (Kind::Conflict, "get the run again to see its state"),
            LogError::KeyTaken { .. } => (Kind::Conflict, "use a new key for a new request"),
            LogError::TooMany { .. } => (
                Kind::Conflict,
                "wait until it ends, or interrupt it. debate.concurrent sets the limit",
            ),
            LogError::Busy { .. } => (Kind::Conflict, "wait until it ends or waits"),
            LogError::NotOpen { .. } => (Kind::Conflict, "get the run again to see its state"),
            LogError::DiskFull => {
                (Kind::DiskFull, "free some space. Everything already confirmed is safe")
            }
            LogError::Unreadable { .. } | LogError::Store { .. } => {
                (Kind::Failed, "`quaestio doctor` checks the data folder")
            }
        };
        let run_id = match &error {
            LogError::TooMany { run, .. } => Some(run.clone()),
            _ => None,
        };
        Problem { run_id, ..Problem::new(kind, error.to_string(), hint) }
    }
}

impl From<ContextError> for Problem {
    fn from(error: ContextError) -> Problem {
        let (kind, hint) = match &error {
            ContextError::NoSuchContext { id } => return Problem::no_such("startup context", id),
            ContextError::Taken { .. } => {
                (Kind::Conflict, "choose another id, or replace the existing one")
            }
            ContextError::Changed { .. } => (Kind::Conflict, "get it again, then retry"),
            ContextError::Wrong { .. } => (Kind::Invalid, "correct it"),
            ContextError::DiskFull => {
                (Kind::DiskFull, "free some space. Everything saved before is safe")
            }
            ContextError::Store { .. } => {
                (Kind::Failed, "run `quaestio contexts list` on the server to see why")
            }
        };
        // The reason contains paths of this machine.
        let what = match &error {
            ContextError::Store { action, .. } => {
                format!("the startup contexts could not be {action}")
            }
            other => other.to_string(),
        };
        Problem::new(kind, what, hint)
    }
}

impl From<AnswerError> for Problem {
    fn from(error: AnswerError) -> Problem {
        let (kind, hint) = match &error {
            AnswerError::Log(error) => return error.clone().into(),
            AnswerError::Stale { .. } => (Kind::Stale, "get the plan again and review it"),
            AnswerError::WrongPhase { .. } => {
                (Kind::Conflict, "get the workflow again to see its state")
            }
            AnswerError::NothingAsked { .. }
            | AnswerError::NoSuchGate { .. }
            | AnswerError::StillWorking { .. } => {
                (Kind::Conflict, "get the run again to see its state")
            }
            AnswerError::WrongPlan { .. } => (Kind::Invalid, "correct the plan"),
            AnswerError::LongAnswer { .. } => {
                (Kind::Invalid, "shorten it, or put the details into a document")
            }
            AnswerError::WhichGate { .. } => (Kind::Invalid, "name the question"),
            AnswerError::PlanAsked { .. } => (Kind::Invalid, "approve the plan, or reject it"),
            AnswerError::NoPlan { .. } => (Kind::Invalid, "answer the question"),
        };
        Problem::new(kind, error.to_string(), hint)
    }
}

impl From<ForkError> for Problem {
    fn from(error: ForkError) -> Problem {
        match error {
            ForkError::Log(error) => error.into(),
            other @ ForkError::NoSuchStep { .. } => Problem::invalid(other.to_string(), ""),
        }
    }
}

impl From<PortError> for Problem {
    fn from(error: PortError) -> Problem {
        Refusal::from(error).into()
    }
}

impl From<Refusal> for Problem {
    fn from(Refusal { kind, what, hint }: Refusal) -> Problem {
        let kind = match kind {
            RefusalKind::Invalid => Kind::Invalid,
            RefusalKind::NotFound => Kind::NotFound,
            RefusalKind::Conflict => Kind::Conflict,
            RefusalKind::Unavailable => Kind::Unavailable,
            RefusalKind::DiskFull => Kind::DiskFull,
            RefusalKind::Failed => Kind::Failed,
        };
        Problem::new(kind, what, hint)
    }
}
