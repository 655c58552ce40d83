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
/// Lines that begin with `[[STATUS]] ` are for a status field; everything else is the debate, to be appended as it comes. Pieces
/// end anywhere, within a line or a character too. Nothing that a model, a paper or a page says begins a line as these do: such
/// lines, and those that look like a milestone, a marker or an end, begin with a backslash. A scientist's words come as they are
/// written, and then, after `checked; this is the response as it stands`, the response that was checked. Whoever goes away does not
/// stop the debate: its id is `X-Run-Id`. Nobody is asked anything and no plan is proposed, whatever is configured. While as many
/// debates of the user are at work as the configuration allows (one), another is refused with 409.
#[utoipa::path(post, path = "/api/stream", tag = "debate", operation_id = "stream_debate",
    params(("Idempotency-Key" = Option<String>, Header,
        description = "Makes the same request with the same key start one debate, which is told from its beginning however often it is sent; 1 to 200 visible ASCII characters.")),
    request_body = DebateBody,
    responses((status = 200, description = "The debate, as it goes on.", content_type = "text/plain", body = String,
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

/// Follow a debate again, from its beginning, as `stream_debate` tells it.
#[utoipa::path(get, path = "/api/runs/{run_id}/stream.txt", tag = "debate", operation_id = "follow_debate",
    params(("run_id" = String, Path)),
    responses((status = 200, description = "The debate, from its beginning.", content_type = "text/plain", body = String,
        headers(("X-Run-Id" = String), ("Location" = String)))))]
pub(crate) async fn again(
    State(app): State<Shared>,
    User(user): User,
    Id(run): Id,
) -> Result<Response, Problem> {
    if app.log.summary(&user, &run).await?.method != METHOD {
        let hint = "its events are told at /api/runs/{run_id}/events";
        return Err(Problem::new(Kind::Conflict, format!("run {run} is no debate"), hint));
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

/// Hold a debate and get it whole: the result as `get_result` has it, and `response`, its text without status lines and drafts.
///
/// The answer comes when the debate has ended, however it ended; whoever goes away before does not stop it.
#[utoipa::path(post, path = "/api/ask", tag = "debate", operation_id = "hold_debate",
    params(("Idempotency-Key" = Option<String>, Header,
        description = "Makes the same request with the same key start one debate, however often it is sent; 1 to 200 visible ASCII characters.")),
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
        let detail = format!("the server stops; run {run} goes on when it is started again");
        let hint = format!("look at /api/runs/{run} then");
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
    /// `interrupting`, or `idle` where there was nothing to stop.
    status: &'static str,
    /// The debates that were asked to stop.
    run_ids: Vec<String>,
}

/// Stop the caller's debates that are at work, or the one that is named. Each tells how it ended in its own stream.
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
