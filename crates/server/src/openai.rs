//! The OpenAI-compatible face: models, chat completions and responses, for chat front ends and clients of that protocol.
//!
//! A method is a model: `quaestio/ask`, and each strategy of it, such as `quaestio/rag`; with a collection, `quaestio/rag@manual`. The last
//! message of the user is the question of a run, which is started, followed and stopped like any other. The other fields of an order come
//! in the field `quaestio` of the body (`extra_body` of OpenAI's own client), or one by one in `metadata`.
//!
//! - **Text is content only after it was checked**: the report of a run that has ended. Status lines are reasoning; drafts are not told.
//! - **Citations are annotations.** Their indices count code points, as Python does, and cut exactly the mark: `content[start:end]` is `[3]`.
//! - **A run that waits says so** as its answer, with a last line that names it and what it shows; the next message of the conversation
//!   answers exactly that. Nothing but that line, which clients send back, connects the two.
//! - **A closed connection stops the run** that its request has started or answered, since that is how chat clients stop;
//!   `quaestio.detach`, `background` or an idempotency key keeps it. A server that stops leaves the run for the next one
//!   (`docs/decisions/chat.md`).
//! - **What would change the meaning is refused** (tools that must be called, several choices, pictures), what would not is passed over
//!   (temperature and the like), and what is not used of the conversation is named in a status line.
//! - **Errors below `/v1/` have OpenAI's form**, whichever layer they come from.
//!
//! The OpenAPI document does not contain these routes: their form is OpenAI's, and their tests are OpenAI's clients.

mod body;
mod chat;
mod content;
mod conversation;
mod error;
mod following;
mod gate;
mod marker;
mod models;
mod order;
mod responses;
mod turn;

use axum::Router;
use axum::body::Body;
use axum::http::{HeaderValue, header};
use axum::response::Response;
use axum::routing::{get, post};
use bytes::Bytes;
use futures::Stream;

use crate::api::{Counted, Frames};
use crate::limits::Place;
use crate::state::{App, Shared};

pub(crate) use error::reword_errors;

/// Everything below this path is of this face.
pub(crate) const PATH: &str = "/v1/";

/// Returns the routes of this face.
pub(crate) fn routes() -> Router<Shared> {
    Router::new()
        .route("/v1/models", get(models::list))
        .route("/v1/models/{*model}", get(models::retrieve))
        .route("/v1/chat/completions", post(chat::create))
        .route("/v1/responses", post(responses::create))
        .route("/v1/responses/{id}", get(responses::retrieve).delete(responses::remove))
        .route("/v1/responses/{id}/cancel", post(responses::cancel))
}

/// Returns a stream of server-sent events as a response.
fn stream_events(
    app: &App,
    place: Place,
    events: impl Stream<Item = Result<Bytes, std::convert::Infallible>> + Send + 'static,
) -> Response {
    let frames: Frames = Box::pin(events);
    let counted = Counted::new(frames, app.metrics.streams.clone(), place);
    let mut response = Response::new(Body::from_stream(counted));
    let fields = response.headers_mut();
    fields.insert(header::CONTENT_TYPE, HeaderValue::from_static("text/event-stream"));
    fields.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    fields.insert("x-accel-buffering", HeaderValue::from_static("no"));
    response
}

/// Cuts a text into pieces of at most `most` bytes: clients read events line by line, and some limit a line.
fn cut_into_pieces(text: &str, most: usize) -> Vec<&str> {
    let mut pieces = Vec::new();
    let mut rest = text;
    while !rest.is_empty() {
        let mut end = rest.floor_char_boundary(most);
        if end < rest.len()
            && let Some(line) = rest[..end].rfind('\n')
        {
            end = line + 1;
        }
        let (piece, after) = rest.split_at(end.max(rest.chars().next().map_or(1, char::len_utf8)));
        pieces.push(piece);
        rest = after;
    }
    pieces
}

/// The most bytes of text in one event.
const PIECE_BYTES: usize = 4_096;

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        // proves: F4
        #[test]
        fn pieces_are_the_text_and_none_is_long(text in "[a-zä🦊\n ]{0,60}", most in 4..20_usize) {
            let pieces = cut_into_pieces(&text, most);
            prop_assert_eq!(&pieces.concat(), &text);
            prop_assert!(pieces.iter().all(|piece| !piece.is_empty() && piece.len() <= most));
        }
    }
}
