//! The documented operations of a debate: a plain-text stream, the whole at once, and stopping.
//!
//! A debate started here is a run like any other. A client that disconnects leaves it running; the other operations can inspect, follow and
//! stop it too.

mod body;
mod telling;

use std::sync::Arc;

use axum::body::Body;
use axum::extract::State;
use axum::http::{HeaderMap, HeaderValue, header};
use axum::response::Response;
use run::log::{Listing, LogError, Status};
use serde::Serialize;
use utoipa::ToSchema;

use super::events::Counted;
use super::extract::{Id, Json, MaybeJson, aside, is_id, json};
use super::results::placed;
use super::runs::start;
use crate::desk::{self, Started};
use crate::guard::User;
use crate::limits::Place;
use crate::problem::{Kind, Problem};
use crate::state::{App, Shared};
use body::{DebateBody, InterruptBody};

const METHOD: &str = "debate";

/// Start a debate and follow it as plain text.
///
/// Lines that start with `[[STATUS]] ` are status messages. Everything else is the text of the debate, to be appended as it arrives. A
/// piece can end anywhere, even within a line or a character. Text by a model, a paper or a page that looks like a status line, a
/// milestone, a marker or an end starts with a backslash. A scientist's words arrive as they are written. After `checked; this is the
/// response as it stands` follows the checked response. Closing the connection does not stop the debate; its id is in `X-Run-Id`.
/// Debates ask no questions and propose no plan. If the maximum number of debates (one by default) is already running, the request is
/// refused with 409.
#[utoipa::path(post, path = "/api/stream", tag = "debate", operation_id = "stream_debate",
    params(("Idempotency-Key" = Option<String>, Header,
        description = "Sending the same request again with the same key starts no second debate and streams the first one from the beginning. 1 to 200 visible ASCII characters.")),
    request_body = DebateBody,
    responses((status = 200, description = "The debate, as it happens.", content_type = "text/plain", body = String,
        headers(("X-Run-Id" = String), ("Location" = String)))))]
pub(crate) async fn stream(
    State(app): State<Shared>,
    User(user): User,
    headers: HeaderMap,
    Json(body): Json<DebateBody>,
) -> Result<Response, Problem> {
    // Without room for a stream, no debate is started.
    let place = app.streams.take(&user)?;
    let Started { run, .. } = start(&app, &user, &headers, &body.order()).await?;
    Ok(told(&app, &user, &run, place))
}

/// Follow a debate again from the beginning, in the form of `stream_debate`.
#[utoipa::path(get, path = "/api/runs/{run_id}/stream.txt", tag = "debate", operation_id = "follow_debate",
    params(("run_id" = String, Path)),
    responses((status = 200, description = "The debate, from the beginning.", content_type = "text/plain", body = String,
        headers(("X-Run-Id" = String), ("Location" = String)))))]
pub(crate) async fn again(
    State(app): State<Shared>,
    User(user): User,
    Id(run): Id,
) -> Result<Response, Problem> {
    if app.log.summary(&user, &run).await?.method != METHOD {
        let hint = "follow its events at /api/runs/{run_id}/events";
        return Err(Problem::new(Kind::Conflict, format!("run {run} is not a debate"), hint));
    }
    let place = app.streams.take(&user)?;
    Ok(told(&app, &user, &run, place))
}

/// Streams a debate from its beginning to its end.
fn told(app: &Shared, user: &str, run: &str, place: Place) -> Response {
    let stream = telling::follow(app, user, run);
    let counted = Counted::new(Box::pin(stream), app.metrics.streams.clone(), place);
    let mut response = Response::new(Body::from_stream(counted));
    let fields = response.headers_mut();
    let text = HeaderValue::from_static("text/plain; charset=utf-8");
    fields.insert(header::CONTENT_TYPE, text);
    fields.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    fields.insert("x-accel-buffering", HeaderValue::from_static("no"));
    name(&mut response, run);
    response
}

/// Names the run in the headers.
fn name(response: &mut Response, run: &str) {
    let address = format!("/api/runs/{run}");
    if let (Ok(run), Ok(address)) = (HeaderValue::from_str(run), HeaderValue::from_str(&address)) {
        response.headers_mut().insert("x-run-id", run);
        response.headers_mut().insert(header::LOCATION, address);
    }
}

/// Hold a debate and get the whole result, as from `get_result`. `response` is its text without status lines and drafts.
///
/// The response arrives when the debate has ended. Closing the connection does not stop the debate.
#[utoipa::path(post, path = "/api/ask", tag = "debate", operation_id = "hold_debate",
    params(("Idempotency-Key" = Option<String>, Header,
        description = "Sending the same request again with the same key starts no second debate. 1 to 200 visible ASCII characters.")),
    request_body = DebateBody,
    responses((status = 200, body = Object, headers(("X-Run-Id" = String), ("Location" = String)))))]
pub(crate) async fn ask(
    State(app): State<Shared>,
    User(user): User,
    headers: HeaderMap,
    Json(body): Json<DebateBody>,
) -> Result<Response, Problem> {
    // A waiting client holds a connection, as a stream does.
    let _place = app.streams.take(&user)?;
    let Started { run, .. } = start(&app, &user, &headers, &body.order()).await?;
    if !app.feeds.at_end(&user, &run).await {
        let detail = format!("the server is stopping; run {run} resumes when it starts again");
        let hint = format!("get /api/runs/{run} then");
        return Err(Problem::new(Kind::Unavailable, detail, hint));
    }
    let entries = app.log.entries(&user, &run, 0).await?;
    let (backend, id) = (Arc::clone(&app.backend), run.clone());
    let whole = move || {
        let mut envelope = placed(&*backend, &id, &entries);
        envelope["response"] = telling::whole(&entries).into();
        envelope
    };
    let mut response = json(&aside(whole).await?);
    name(&mut response, &run);
    Ok(response)
}

#[derive(Serialize, ToSchema)]
pub(crate) struct Interrupted {
    /// `interrupting`, or `idle` if there was nothing to stop.
    status: &'static str,
    /// The debates that are being stopped.
    run_ids: Vec<String>,
}

/// Stop your running debates, or only the one you name. Each stream says how its debate ended.
#[utoipa::path(post, path = "/api/interrupt", tag = "debate", operation_id = "interrupt_debate",
    request_body(content = Option<InterruptBody>, content_type = "application/json"),
    responses((status = 200, body = Interrupted)))]
pub(crate) async fn interrupt(
    State(app): State<Shared>,
    User(user): User,
    MaybeJson(body): MaybeJson<InterruptBody>,
) -> Result<Response, Problem> {
    let named = body.and_then(|body| body.run_id);
    let mut run_ids = Vec::new();
    for run in at_work(&app, &user, named).await? {
        if desk::stop(&app, &user, &run).await?.is_none() {
            run_ids.push(run);
        }
    }
    let status = if run_ids.is_empty() { "idle" } else { "interrupting" };
    Ok(json(&Interrupted { status, run_ids }))
}

/// Returns the user's debates that can be stopped: those queued or running, or the named one, even if it waits.
async fn at_work(app: &App, user: &str, named: Option<String>) -> Result<Vec<String>, Problem> {
    if let Some(run) = named {
        let nothing = || Problem::no_such("debate", &run);
        if !is_id(&run) {
            return Err(nothing());
        }
        let found = match app.log.summary(user, &run).await {
            Err(LogError::NoSuchRun { .. }) => return Err(nothing()),
            found => found?,
        };
        return match found.method == METHOD {
            true => Ok(if found.status.is_final() { vec![] } else { vec![run] }),
            false => Err(nothing()),
        };
    }
    let mut runs = Vec::new();
    // This order catches a run that is taken up meanwhile; one found twice is stopped once.
    for status in [Status::Queued, Status::Running] {
        let listing = Listing {
            status: Some(status),
            method: Some(METHOD.to_owned()),
            limit: u32::MAX,
            ..Listing::default()
        };
        for run in app.log.list(user, &listing).await? {
            if !runs.contains(&run.run_id) {
                runs.push(run.run_id);
            }
        }
    }
    Ok(runs)
}
