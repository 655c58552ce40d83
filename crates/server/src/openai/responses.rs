//! Responses: whole, streamed and in the background, and what becomes of them later.
//!
//! A response is a run as a request left it: `resp_RUN` from its start on, whoever started it, and `resp_RUN.ENTRIES` from an answer on, by
//! the entries of its log then. `previous_response_id` goes on from one: what it showed is answered if it asked, otherwise its question and
//! answer are what was said before.

mod events;
mod object;

use axum::extract::{Path, RawQuery, State};
use axum::http::HeaderMap;
use axum::response::Response;
use methods::ask::Strategy;
use methods::ask::deep::Earlier;
use run::entry::Entry;
use run::log::{LogError, Status};
use run::views;
use serde_json::json;

use super::body::{Fields, Format, read_format, refuse_unsupported};
use super::chat::name_run;
use super::content;
use super::conversation::{Conversation, Message, read_messages};
use super::error::ApiError;
use super::marker::{Marker, Shown, read_number};
use super::models::Model;
use super::order::Wishes;
use super::stream_events;
use super::turn::{Request, begin, find_model, model_of, note_passed_over};
use crate::api::{aside, is_id, json as respond, placed};
use crate::desk;
use crate::guard::User;
use crate::problem::{Kind, Problem};
use crate::progress::word_entry;
use crate::removal;
use crate::state::{App, Shared};
use events::Events;
use object::{Echo, build};

const ID: &str = "resp_";

/// Reads the id of a response: the run, and the entries that its log had then.
fn parse_id(id: &str) -> Result<(&str, u64), ApiError> {
    let nothing = || ApiError::from(Problem::no_such("response", id));
    let named = id.strip_prefix(ID).ok_or_else(nothing)?;
    let (run, at) = match named.split_once('.') {
        Some((run, at)) => (run, read_number(at).ok_or_else(nothing)?),
        None => (named, 0),
    };
    if is_id(run) { Ok((run, at)) } else { Err(nothing()) }
}

fn id_of(run: &str, at: u64) -> String {
    if at == 0 { format!("{ID}{run}") } else { format!("{ID}{run}.{at}") }
}

fn missing(id: &str) -> impl Fn(LogError) -> ApiError + '_ {
    move |error| match error {
        LogError::NoSuchRun { .. } => Problem::no_such("response", id).into(),
        other => other.into(),
    }
}

/// `POST /v1/responses`.
pub(super) async fn create(
    State(app): State<Shared>,
    User(user): User,
    headers: HeaderMap,
    body: Fields,
) -> Result<Response, ApiError> {
    let model = find_model(&app, &body)?;
    refuse_unsupported(&body)?;
    for field in ["conversation", "prompt"] {
        if body.get(field).is_some() {
            let message = format!("'{field}' is not stored here: send the input itself");
            return Err(ApiError::unsupported(field, message));
        }
    }
    let mut messages = match body.get("input") {
        Some(serde_json::Value::String(question)) => vec![Message::user(question)],
        Some(items) => read_messages("input", items)?,
        None => return Err(ApiError::invalid("input", "'input' must be given")),
    };
    let previous = body.text("previous_response_id")?;
    let mut continues = None;
    let mut marker = None;
    if let Some(id) = previous {
        let (run, at) = parse_id(id)?;
        let entries = app.log.entries(&user, run, 0).await.map_err(missing(id))?;
        let shown = Shown::of(&entries, at);
        let shown = shown.ok_or_else(|| Problem::no_such("response", id))?;
        let status = views::status(&entries);
        if !shown.gates.is_empty() {
            marker = Some(Marker { run: run.to_owned(), at });
        } else if !status.is_final() {
            let detail = format!("the response '{id}' is still running");
            return Err(Problem::new(Kind::Conflict, detail, "wait until it ends").into());
        }
        continues = Some(run.to_owned()).filter(|_| goes_on(&model, run, &entries));
        let mut before = recall(&app, run, entries).await?;
        before.append(&mut messages);
        messages = before;
    }
    let mut conversation = Conversation::of("input", messages)?;
    conversation.marker = marker.or(conversation.marker);
    if body.get("instructions").is_some() {
        let note = "The instructions are not used: a method has its own.";
        conversation.notes.push(note.into());
    }
    note_passed_over(&body, &mut conversation.notes);
    let format = body.object("text")?.and_then(|text| text.get("format"));
    let format = read_format("text.format", format)?;
    let is_streamed = body.flag("stream")?;
    let is_in_background = body.flag("background")?;
    let mut wishes = Wishes::read(&body)?;
    wishes.detach |= is_in_background;
    let place = app.streams.take(&user)?;
    let request = Request { model, conversation, wishes, format, continues };
    let mut turn = begin(&app, &user, &headers, request).await?;
    let echo = Echo {
        id: id_of(&turn.run, turn.after),
        model: turn.model.clone(),
        previous: previous.map(str::to_owned),
        metadata: body.object("metadata")?.cloned().unwrap_or_default(),
        is_in_background,
        format,
    };
    let run = turn.run.clone();
    let mut response = if is_streamed {
        let content = turn.read().await?;
        let events = Events::of(turn, echo, &content);
        stream_events(&app, place, events.stream())
    } else if is_in_background {
        respond(&build(&run, &echo, &[], &turn.read().await?))
    } else {
        let lines = turn.wait().await?;
        respond(&build(&run, &echo, &lines, &turn.read().await?))
    };
    name_run(&mut response, &run);
    Ok(response)
}

/// Returns whether a report can go on from a run: then what that run cites is read first.
fn goes_on(model: &Model, run: &str, entries: &[Entry]) -> bool {
    model.strategy == Some(Strategy::Deep)
        && views::status(entries) == Status::Completed
        && Earlier::of(run, entries, false).is_ok()
}

/// Returns what was said in the run of a response and before it.
async fn recall(app: &Shared, run: &str, entries: Vec<Entry>) -> Result<Vec<Message>, ApiError> {
    let (backend, methods) = (std::sync::Arc::clone(&app.backend), app.methods.clone());
    let run = run.to_owned();
    let recall = move || {
        let Some(start) = views::start(&entries) else { return vec![] };
        let earlier = start.settings.history().iter().map(Message::of);
        let mut said: Vec<Message> = earlier.collect();
        said.push(Message::user(start.question));
        if views::status(&entries).is_final() {
            let envelope = placed(&*backend, &run, &entries);
            let answer = envelope.get("answer").and_then(serde_json::Value::as_str);
            let answer = answer.map_or_else(
                || methods::report::chat::message(&methods, &envelope).0,
                str::to_owned,
            );
            said.push(Message::assistant(answer));
        }
        said
    };
    Ok(aside(recall).await?)
}

/// Returns a response as it stands.
async fn look(app: &Shared, user: &str, id: &str) -> Result<Response, ApiError> {
    let (run, at) = parse_id(id)?;
    let entries = app.log.entries(user, run, 0).await.map_err(missing(id))?;
    let shown = Shown::of(&entries, at).ok_or_else(|| Problem::no_such("response", id))?;
    // What it asked was answered since: what is seen now has an id of its own.
    let is_past = !shown.gates.is_empty() && !shown.since.is_empty();
    let id = if is_past { id_of(run, entries.len() as u64) } else { id.to_owned() };
    let model = model_of(app, &entries).map(|model| model.name());
    let lines: Vec<String> = entries.iter().filter_map(word_entry).collect();
    let content = content::read(app, user, run, Format::Markdown, None).await?;
    let echo = Echo {
        id,
        model: model.unwrap_or_default(),
        previous: None,
        metadata: serde_json::Map::new(),
        is_in_background: false,
        format: Format::Markdown,
    };
    let mut response = respond(&build(run, &echo, &lines, &content));
    name_run(&mut response, run);
    Ok(response)
}

/// `GET /v1/responses/{id}`: the response as it stands, as Markdown.
pub(super) async fn retrieve(
    State(app): State<Shared>,
    User(user): User,
    Path(id): Path<String>,
    RawQuery(query): RawQuery,
) -> Result<Response, ApiError> {
    let mut fields = query.as_deref().unwrap_or_default().split('&');
    if fields.any(|field| field == "stream=true") {
        let message = "only the request that creates a response can stream it. Follow its run at /api/runs/RUN/events";
        return Err(ApiError::unsupported("stream", message));
    }
    look(&app, &user, &id).await
}

/// `DELETE /v1/responses/{id}`: removes the run.
pub(super) async fn remove(
    State(app): State<Shared>,
    User(user): User,
    Path(id): Path<String>,
) -> Result<Response, ApiError> {
    match removal::remove(&app, &user, parse_id(&id)?.0).await {
        Ok(()) => Ok(respond(&json!({ "id": id, "object": "response", "deleted": true }))),
        Err(LogError::Busy { .. }) => {
            let detail = format!("the response '{id}' is still in progress");
            Err(Problem::new(Kind::Conflict, detail, "cancel it first").into())
        }
        Err(error) => Err(missing(&id)(error)),
    }
}

/// `POST /v1/responses/{id}/cancel`: stops the run, and returns the response when it has stopped.
pub(super) async fn cancel(
    State(app): State<Shared>,
    User(user): User,
    Path(id): Path<String>,
) -> Result<Response, ApiError> {
    let (run, _) = parse_id(&id)?;
    stop(&app, &user, run).await.map_err(|error| match error {
        error if is_missing(&error) => Problem::no_such("response", &id).into(),
        error => ApiError::from(error),
    })?;
    look(&app, &user, &id).await
}

/// Stops a run, and waits until it has ended.
async fn stop(app: &App, user: &str, run: &str) -> Result<(), Problem> {
    let _place = app.streams.take(user)?;
    if desk::stop(app, user, run).await?.is_none() {
        app.feeds.at_end(user, run).await;
    }
    Ok(())
}

fn is_missing(problem: &Problem) -> bool {
    problem.kind() == Kind::NotFound
}
