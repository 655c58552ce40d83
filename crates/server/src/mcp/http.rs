//! The protocol over streamable HTTP, at `/mcp`.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use axum::response::{IntoResponse, Response};
use http_body_util::{BodyExt, Limited};
use rmcp::transport::streamable_http_server::session::SessionManager;
use rmcp::transport::streamable_http_server::session::local::{LocalSessionManager, SessionConfig};
use rmcp::transport::{StreamableHttpServerConfig, StreamableHttpService};
use serde_json::Value;

use super::wire::{self, MESSAGE_BYTES};
use super::{Face, Who, to_error};
use crate::api::{Counted, json};
use crate::guard::User;
use crate::problem::{Kind, Problem};
use crate::state::Shared;

/// How long a session is kept in which nothing happens.
const IDLE: Duration = Duration::from_secs(30 * 60);
/// How long a message may take to come.
const BODY_TIME: Duration = Duration::from_secs(30);
/// The most sessions of a user: a new one ends the oldest.
const MOST: usize = 64;

const SESSION: &str = "mcp-session-id";

/// The sessions of all users, each open to its own user only.
///
/// Only clients of protocol versions before 2026-07-28 have sessions.
pub(crate) struct Sessions {
    manager: Arc<LocalSessionManager>,
    by_user: Mutex<HashMap<String, VecDeque<String>>>,
}

impl Default for Sessions {
    fn default() -> Sessions {
        let mut config = SessionConfig::default();
        config.keep_alive = Some(IDLE);
        let mut manager = LocalSessionManager::default();
        manager.session_config = config;
        Sessions { manager: Arc::new(manager), by_user: Mutex::default() }
    }
}

impl Sessions {
    fn known(&self) -> MutexGuard<'_, HashMap<String, VecDeque<String>>> {
        self.by_user.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn is_of(&self, user: &str, session: &str) -> bool {
        let known = self.known();
        known.get(user).is_some_and(|sessions| sessions.iter().any(|one| one == session))
    }

    /// Notes a new session, and ends the user's oldest if there are too many.
    async fn add(&self, user: &str, session: String) {
        let oldest = {
            let mut known = self.known();
            let sessions = known.entry(user.to_owned()).or_default();
            sessions.push_back(session);
            (sessions.len() > MOST).then(|| sessions.pop_front()).flatten()
        };
        if let Some(oldest) = oldest {
            // One that has ended already is what is wanted.
            let _ = self.manager.close_session(&oldest.into()).await;
        }
    }

    fn remove(&self, user: &str, session: &str) {
        let mut known = self.known();
        if let Some(sessions) = known.get_mut(user) {
            sessions.retain(|one| one != session);
            if sessions.is_empty() {
                known.remove(user);
            }
        }
    }
}

/// Serves a request of the protocol.
pub(crate) async fn serve(
    State(app): State<Shared>,
    User(user): User,
    request: Request,
) -> Response {
    answer(&app, &user, request).await.unwrap_or_else(|problem| refuse(&problem))
}

/// Returns a refusal in the form of the protocol, with the status that says what it is about.
fn refuse(problem: &Problem) -> Response {
    let (parts, _) = problem.clone().into_response().into_parts();
    let body = json(&wire::refuse(&to_error(problem), &Value::Null));
    let mut response = Response::from_parts(parts, body.into_body());
    let media_type = HeaderValue::from_static("application/json");
    response.headers_mut().insert(header::CONTENT_TYPE, media_type);
    response
}

async fn answer(app: &Shared, user: &str, request: Request) -> Result<Response, Problem> {
    let session = session_of(request.headers());
    if let Some(session) = &session
        && !app.mcp.is_of(user, session)
    {
        return Err(Problem::new(Kind::NotFound, "this session does not exist", "start a new one"));
    }
    // Each request may be answered by a stream.
    let place = app.streams.take(user)?;
    let method = request.method().clone();
    let (parts, body) = request.into_parts();
    let body = match method {
        Method::POST => match read_message(body).await? {
            Ok(bytes) => Body::from(bytes),
            Err(refusal) => return Ok(refusal),
        },
        _ => Body::empty(),
    };
    let face = Shared::clone(app);
    // The guard has checked Host and Origin.
    let config = StreamableHttpServerConfig::default()
        .disable_allowed_hosts()
        .with_max_request_body_bytes(MESSAGE_BYTES);
    let service = StreamableHttpService::new(
        move || Ok(Face::new(Shared::clone(&face), Who::Sender)),
        Arc::clone(&app.mcp.manager),
        config,
    );
    let response = service.handle(Request::from_parts(parts, body)).await;
    if method == Method::DELETE
        && let Some(session) = &session
    {
        app.mcp.remove(user, session);
    }
    if session.is_none()
        && let Some(session) = session_of(response.headers())
    {
        app.mcp.add(user, session).await;
    }
    let (parts, body) = response.into_parts();
    let frames = Box::pin(body.into_data_stream());
    let counted = Counted::new(frames, app.metrics.streams.clone(), place);
    Ok(Response::from_parts(parts, Body::from_stream(counted)))
}

fn session_of(headers: &HeaderMap) -> Option<String> {
    headers.get(SESSION)?.to_str().ok().map(str::to_owned)
}

/// Reads a message; one that cannot be read is answered with the error of the protocol.
async fn read_message(body: Body) -> Result<Result<bytes::Bytes, Response>, Problem> {
    let whole = Limited::new(body, MESSAGE_BYTES).collect();
    let bytes = match tokio::time::timeout(BODY_TIME, whole).await {
        Ok(Ok(body)) => body.to_bytes(),
        Ok(Err(error)) if error.is::<http_body_util::LengthLimitError>() => {
            let detail = format!("a message must have at most {MESSAGE_BYTES} bytes");
            return Err(Problem::new(Kind::TooLarge, detail, "send less"));
        }
        Ok(Err(_)) => return Err(Problem::new(Kind::BadRequest, "the message ended early", "")),
        Err(_) => {
            return Err(Problem::new(Kind::BadRequest, "the message did not arrive in time", ""));
        }
    };
    Ok(match wire::read(&bytes) {
        Ok(_) => Ok(bytes),
        Err(error) => {
            let mut response = json(&error);
            *response.status_mut() = StatusCode::BAD_REQUEST;
            response.headers_mut().remove(header::CACHE_CONTROL);
            Err(response)
        }
    })
}
