//! Errors in OpenAI's form.

use axum::body::Body;
use axum::extract::Request;
use axum::http::{HeaderValue, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use run::log::LogError;
use run::work::AnswerError;
use serde_json::{Value, json};

use super::PATH;
use crate::problem::{Kind, Problem};

/// An error as OpenAI's clients read it: they choose their exception by the status.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct ApiError {
    status: StatusCode,
    kind: &'static str,
    code: Option<&'static str>,
    /// The field of the body that is wrong.
    param: Option<String>,
    message: String,
    retry_after: Option<u64>,
}

impl ApiError {
    /// Refuses a field of the body.
    pub(super) fn invalid(param: impl Into<String>, message: impl Into<String>) -> ApiError {
        ApiError { param: Some(param.into()), ..ApiError::wrong(None, message) }
    }

    /// Refuses a field that asks for something that is not done here.
    pub(super) fn unsupported(param: impl Into<String>, message: impl Into<String>) -> ApiError {
        let param = Some(param.into());
        ApiError { param, ..ApiError::wrong(Some("unsupported_parameter"), message) }
    }

    /// Refuses a request as a whole.
    pub(super) fn wrong(code: Option<&'static str>, message: impl Into<String>) -> ApiError {
        ApiError {
            status: StatusCode::BAD_REQUEST,
            kind: "invalid_request_error",
            code,
            param: None,
            message: message.into(),
            retry_after: None,
        }
    }

    /// Refuses a model that is not there.
    pub(super) fn no_such_model(name: &str) -> ApiError {
        let name: String = run::grounding::clean(name).chars().take(80).collect();
        let message = format!("there is no model '{name}': GET /v1/models lists them");
        let status = StatusCode::NOT_FOUND;
        ApiError { status, ..ApiError::wrong(Some("model_not_found"), message) }.about("model")
    }

    fn about(self, param: &str) -> ApiError {
        ApiError { param: Some(param.to_owned()), ..self }
    }

    /// Returns the fields `message`, `type`, `param` and `code`.
    pub(super) fn fields(&self) -> Value {
        let ApiError { kind, code, param, message, .. } = self;
        json!({ "message": message, "type": kind, "param": param, "code": code })
    }

    /// Returns it as an event of a stream, which clients raise as an exception.
    pub(super) fn event(&self) -> Bytes {
        Bytes::from(format!("data: {}\n\n", json!({ "error": self.fields() })))
    }

    fn body(&self) -> Vec<u8> {
        json!({ "error": self.fields() }).to_string().into_bytes()
    }
}

impl From<&Problem> for ApiError {
    fn from(problem: &Problem) -> ApiError {
        let (message, retry_after) = (problem.told(), problem.retry_after());
        let kind = problem.kind();
        let invalid = "invalid_request_error";
        let (kind, code, status) = match kind {
            // What a field of an order is refused for is an error of the request, as any other.
            Kind::Invalid => (invalid, None, StatusCode::BAD_REQUEST),
            Kind::BadRequest => (invalid, None, StatusCode::BAD_REQUEST),
            Kind::Unauthorised => (invalid, Some("invalid_api_key"), kind.of().0),
            Kind::Forbidden => (invalid, Some("forbidden"), kind.of().0),
            Kind::NotFound => (invalid, Some("not_found"), kind.of().0),
            Kind::Conflict | Kind::Stale => (invalid, Some("conflict"), kind.of().0),
            Kind::MethodNotAllowed | Kind::TooLarge | Kind::Unsupported => {
                (invalid, None, kind.of().0)
            }
            Kind::Limited => ("rate_limit_error", Some("rate_limit_exceeded"), kind.of().0),
            Kind::Quota => ("insufficient_quota", Some("insufficient_quota"), kind.of().0),
            Kind::Failed | Kind::Unavailable | Kind::DiskFull => {
                ("server_error", None, kind.of().0)
            }
        };
        ApiError { status, kind, code, param: None, message, retry_after }
    }
}

impl From<Problem> for ApiError {
    fn from(problem: Problem) -> ApiError {
        ApiError::from(&problem)
    }
}

impl From<LogError> for ApiError {
    fn from(error: LogError) -> ApiError {
        Problem::from(error).into()
    }
}

impl From<AnswerError> for ApiError {
    fn from(error: AnswerError) -> ApiError {
        Problem::from(error).into()
    }
}

impl IntoResponse for ApiError {
    fn into_response(self) -> Response {
        let mut response = Response::new(Body::from(self.body()));
        *response.status_mut() = self.status;
        let headers = response.headers_mut();
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
        headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
        if let Some(seconds) = self.retry_after {
            headers.insert(header::RETRY_AFTER, HeaderValue::from(seconds));
        }
        response
    }
}

/// Gives problem documents OpenAI's form on the paths of this face.
pub(crate) async fn reword_errors(request: Request, next: Next) -> Response {
    let is_ours = request.uri().path().starts_with(PATH);
    let response = next.run(request).await;
    let Some(problem) = response.extensions().get::<Problem>().filter(|_| is_ours) else {
        return response;
    };
    let error = ApiError::from(problem);
    let (mut parts, _) = response.into_parts();
    parts.status = error.status;
    let json = HeaderValue::from_static("application/json");
    parts.headers.insert(header::CONTENT_TYPE, json);
    parts.headers.remove(header::CONTENT_LENGTH);
    Response::from_parts(parts, Body::from(error.body()))
}
