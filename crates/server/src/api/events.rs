//! The live stream of a run.

use std::pin::Pin;
use std::task::{Context, Poll};

use axum::body::Body;
use axum::extract::State;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use futures::stream::Stream;
use prometheus_client::metrics::gauge::Gauge;
use serde::Deserialize;
use utoipa::IntoParams;

use super::extract::{Id, Query};
use crate::guard::User;
use crate::limits::Place;
use crate::problem::Problem;
use crate::state::Shared;

#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub(crate) struct EventsQuery {
    /// Start after the entry with this number. `Last-Event-ID` takes precedence.
    after: Option<u64>,
}

/// Follow a run: every log entry once and in order, draft text, and the state of the run.
///
/// Events: `entry`, with the number of the log entry as its id; `draft` {step, offset, text}, unchecked text from an offset in UTF-16
/// units; `state` {status, tokens, cost_usd, entries, stopping}; `end` {status} after the last entry of a run that has ended. A client
/// that reconnects with the last id it saw gets every entry once. If the run has ended and there are no more entries, the response is
/// 204.
#[utoipa::path(get, path = "/api/runs/{run_id}/events", tag = "runs", operation_id = "follow_run",
    params(("run_id" = String, Path), EventsQuery, ("Last-Event-ID" = Option<u64>, Header)),
    responses(
        (status = 200, description = "Server-sent events.", content_type = "text/event-stream", body = String),
        (status = 204, description = "The run has ended, and there are no more entries.")))]
pub(crate) async fn events(
    State(app): State<Shared>,
    User(user): User,
    Id(run): Id,
    Query(query): Query<EventsQuery>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let summary = app.log.summary(&user, &run).await?;
    let last_seen = match headers.get("last-event-id") {
        None => None,
        Some(id) => {
            let number = id.to_str().ok().and_then(|id| id.trim().parse::<u64>().ok());
            let wrong = || Problem::invalid("Last-Event-ID must be the number of a log entry", "");
            Some(number.ok_or_else(wrong)?)
        }
    };
    let after = last_seen.or(query.after).unwrap_or_default().min(summary.entries);
    if last_seen.is_some() && summary.status.is_final() && after >= summary.entries {
        return Ok(StatusCode::NO_CONTENT.into_response());
    }
    let place = app.streams.take(&user)?;
    let stream = app.feeds.follow(&user, &run, after);
    let counted = Counted::new(Box::pin(stream), app.metrics.streams.clone(), place);
    let mut response = Response::new(Body::from_stream(counted));
    let fields = response.headers_mut();
    fields.insert(header::CONTENT_TYPE, HeaderValue::from_static("text/event-stream"));
    fields.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    fields.insert("x-accel-buffering", HeaderValue::from_static("no"));
    Ok(response)
}

pub(crate) type Frames =
    Pin<Box<dyn Stream<Item = Result<Bytes, std::convert::Infallible>> + Send>>;

/// A stream that is counted while it is open.
pub(crate) struct Counted {
    frames: Frames,
    open: Gauge,
    _place: Place,
}

impl Counted {
    pub(crate) fn new(frames: Frames, open: Gauge, place: Place) -> Counted {
        open.inc();
        Counted { frames, open, _place: place }
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        self.open.dec();
    }
}

impl Stream for Counted {
    type Item = Result<Bytes, std::convert::Infallible>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.frames.as_mut().poll_next(context)
    }
}
