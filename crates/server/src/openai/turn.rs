//! A turn of a conversation: a run that is started, or a waiting one that is answered.

use axum::http::HeaderMap;
use run::views;

use super::body::{Fields, Format};
use super::content::{self, Content};
use super::conversation::Conversation;
use super::error::ApiError;
use super::following::{Following, Happening};
use super::gate::{self, Heard};
use super::models::Model;
use super::order::Wishes;
use crate::api::request_key;
use crate::desk::{self, Started};
use crate::problem::{Kind, Problem};
use crate::state::Shared;

/// The header by which a request that is sent again is known.
const IDEMPOTENCY_KEY: &str = "idempotency-key";

/// What a request wants.
pub(super) struct Request {
    pub(super) model: Model,
    pub(super) conversation: Conversation,
    pub(super) wishes: Wishes,
    pub(super) format: Format,
    /// The run that is gone on from.
    pub(super) continues: Option<String>,
}

/// A run that a request has started or answered.
pub(super) struct Turn {
    pub(super) app: Shared,
    pub(super) user: String,
    pub(super) run: String,
    /// The full name of the model.
    pub(super) model: String,
    pub(super) format: Format,
    /// The entries after which this turn begins: those of the run's log when it was answered, 0 if this turn has started it.
    pub(super) after: u64,
    /// The entries that the run has when the turn is over, at least.
    from: u64,
    notes: Vec<String>,
    /// Comes before what the run asks.
    preface: Option<String>,
    /// Whether the run is stopped when the connection is closed.
    is_on_leash: bool,
}

/// Finds the model that a body names.
pub(super) fn find_model(app: &Shared, body: &Fields) -> Result<Model, ApiError> {
    let name = body.text("model")?;
    let name = name.ok_or_else(|| ApiError::invalid("model", "'model' must be given"))?;
    Model::find(app, name).ok_or_else(|| ApiError::no_such_model(name))
}

/// Notes the fields of a body that are passed over and might have been meant to matter.
pub(super) fn note_passed_over(body: &Fields, notes: &mut Vec<String>) {
    let has_tools = ["tools", "functions"].iter().any(|tools| {
        body.get(tools).and_then(|tools| tools.as_array()).is_some_and(|tools| !tools.is_empty())
    });
    if has_tools {
        notes.push("The tools of the request are not used: a method has its own sources.".into());
    }
}

/// Starts the run that a request wants, or tells a waiting run what it says.
pub(super) async fn begin(
    app: &Shared,
    user: &str,
    headers: &HeaderMap,
    request: Request,
) -> Result<Turn, ApiError> {
    let Request { model, mut conversation, wishes, format, continues } = request;
    let mut notes = std::mem::take(&mut conversation.notes);
    // A client that repeats its request wants the run, whatever became of the connection.
    let is_kept = wishes.detach || headers.contains_key(IDEMPOTENCY_KEY);
    let turn = |run: String, notes: Vec<String>| Turn {
        app: Shared::clone(app),
        user: user.to_owned(),
        run,
        model: model.name(),
        format,
        after: 0,
        from: 0,
        notes,
        preface: None,
        is_on_leash: false,
    };
    let mut order_notes = Vec::new();
    // What is wrong in an order is refused with an answer too.
    let mut order = wishes.order(&model, &conversation, &mut order_notes)?;
    if let Some(marker) = &conversation.marker {
        match gate::hear(app, user, marker, &conversation.question).await? {
            Some(Heard { entries, note, is_given }) => {
                let begun = turn(marker.run.clone(), note.iter().cloned().collect());
                return Ok(Turn {
                    after: entries,
                    from: entries,
                    preface: note,
                    is_on_leash: is_given && !is_kept,
                    ..begun
                });
            }
            None if gate::is_command(&conversation.question, true) => {
                let run = &marker.run;
                return Err(nothing_waits(&format!("run {run} no longer exists")));
            }
            None => notes.push(format!(
                "Run {} no longer exists, so this is treated as a new question.",
                marker.run
            )),
        }
    } else if gate::is_command(&conversation.question, false) {
        return Err(nothing_waits("no earlier message says that a run is waiting"));
    }
    notes.append(&mut order_notes);
    if order.goes_on_from.is_none() {
        order.goes_on_from = continues;
    }
    let key = request_key(headers, &order)?;
    let Started { run, is_repeated } = desk::start(app, user, key, &order).await?;
    let begun = turn(run, notes);
    // A run that an earlier request has started is that request's to stop.
    Ok(Turn { from: 1, is_on_leash: !is_kept && !is_repeated, ..begun })
}

/// Refuses a word to a run where none can be meant: as a question it would start a run that costs.
fn nothing_waits(why: &str) -> ApiError {
    let message = format!(
        "this looks like a reply to a waiting run, but {why}. Send it after the message that asks, or phrase it as a question"
    );
    ApiError::wrong(Some("nothing_waits"), message)
}

impl Turn {
    /// Follows the run until the turn is over.
    pub(super) fn follow(&mut self) -> Following {
        let notes = std::mem::take(&mut self.notes);
        let run = (self.user.as_str(), self.run.as_str());
        Following::of(&self.app, run, (self.after, self.from), notes, self.is_on_leash)
    }

    /// Waits until the turn is over; returns its status lines.
    pub(super) async fn wait(&mut self) -> Result<Vec<String>, ApiError> {
        let mut following = self.follow();
        let mut lines = Vec::new();
        loop {
            match following.next().await {
                Some(Happening::Line(line)) => lines.push(line),
                Some(Happening::Silence) => {}
                Some(Happening::Rest) => return Ok(lines),
                None => return Err(self.stops()),
            }
        }
    }

    /// Returns the error of a server that stops before the turn is over.
    pub(super) fn stops(&self) -> ApiError {
        let detail =
            format!("the server is stopping; run {} resumes when it starts again", self.run);
        Problem::new(Kind::Unavailable, detail, "").into()
    }

    /// Reads the run as it stands.
    pub(super) async fn read(&self) -> Result<Content, ApiError> {
        let Turn { app, user, run, format, preface, .. } = self;
        content::read(app, user, run, *format, preface.as_deref()).await
    }
}

/// Returns the model that a run was started as.
pub(super) fn model_of(app: &Shared, entries: &[run::entry::Entry]) -> Option<Model> {
    let start = views::start(entries)?;
    let option = |name: &str| {
        let value = start.settings.options.get(name).and_then(|value| value.as_str());
        value.filter(|text| !text.is_empty())
    };
    let base = option("strategy").unwrap_or(start.method);
    let over = option("collection").map(|collection| format!("{base}@{collection}"));
    over.and_then(|name| Model::find(app, &name)).or_else(|| Model::find(app, base))
}
