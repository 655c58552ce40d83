//! What every face of the server does for a user: start a run, tell its state, stop it.
//!
//! Limits and quotas are checked here, so that they hold whatever protocol an order comes by.

use methods::order::Order;
use run::log::{Listing, LogError, RequestKey, Status};
use run::work::{self, NewStart, Stopping};

use crate::api::RunState;
use crate::problem::Problem;
use crate::state::App;

/// A run that a request has started.
pub(crate) struct Started {
    pub(crate) run: String,
    /// Whether an earlier request with the same key has started it.
    pub(crate) is_repeated: bool,
}

/// Refuses a question that is too long.
pub(crate) fn check_length(app: &App, order: &Order) -> Result<(), Problem> {
    let most = app.config.question_chars;
    if order.question.chars().count() as u64 > most {
        let detail = format!("the question has more than {most} characters");
        return Err(Problem::invalid(detail, "shorten it, or put the details into a document"));
    }
    Ok(())
}

/// Starts an ordered run, or finds the run that the key has started.
pub(crate) async fn start(
    app: &App,
    user: &str,
    key: Option<RequestKey>,
    order: &Order,
) -> Result<Started, Problem> {
    check_length(app, order)?;
    if let Some(key) = &key
        && let Some(run) = started_before(app, user, key).await?
    {
        return Ok(Started { run, is_repeated: true });
    }
    check_room(app, user).await?;
    let new = app.backend.prepare(user, order).await?;
    let method = app.methods.find(&order.method);
    let method = method.ok_or_else(|| {
        let name: String = run::grounding::clean(&order.method).chars().take(80).collect();
        Problem::invalid(format!("there is no method '{name}'"), "/api/settings lists them")
    })?;
    let (run, new) = (new.run.clone(), NewStart { key: key.clone(), ..new });
    let store = async || Ok(work::submit(app.world(), method, new).await);
    admit(app, user, key.as_ref(), run, store).await
}

/// Stores a new run with `store` if the quotas of today leave room for it. If a concurrent copy of the request has started a run, that
/// is the one. An error of the log may say that the key is taken; any other refusal is final.
pub(crate) async fn admit(
    app: &App,
    user: &str,
    key: Option<&RequestKey>,
    run: String,
    store: impl AsyncFnOnce() -> Result<Result<(), LogError>, Problem>,
) -> Result<Started, Problem> {
    let refusal = match app.quotas.admit_run(user).await {
        Err(refusal) => refusal,
        Ok(_turn) => match store().await? {
            Ok(()) => {
                app.host.requests.note(user, &run);
                app.queue.wake();
                return Ok(Started { run, is_repeated: false });
            }
            Err(error @ LogError::KeyTaken { .. }) => error.into(),
            Err(error) => return Err(error.into()),
        },
    };
    let before = match key {
        Some(key) => started_before(app, user, key).await?,
        None => None,
    };
    before.map(|run| Started { run, is_repeated: true }).ok_or(refusal)
}

/// Refuses a key that was used for something else.
pub(crate) fn other_request() -> Problem {
    Problem::invalid(
        "that idempotency key was used for a different request",
        "use a new key for a new request",
    )
}

/// Returns the run that was started with this key.
pub(crate) async fn started_before(
    app: &App,
    user: &str,
    key: &RequestKey,
) -> Result<Option<String>, Problem> {
    match app.log.keyed(user, &key.key).await? {
        None => Ok(None),
        Some((run, request)) if request == key.request => Ok(Some(run)),
        Some(_) => Err(other_request()),
    }
}

/// Refuses another run if too many of the user's are queued. Runs that cannot continue here do not count.
pub(crate) async fn check_room(app: &App, user: &str) -> Result<(), Problem> {
    let stuck = app.queue.stuck(user);
    let most = app.config.max_queued as usize + stuck;
    // Checks for one more than allowed, without reading the others.
    let offset = u32::try_from(most.saturating_sub(1)).unwrap_or(u32::MAX);
    let listing = Listing { status: Some(Status::Queued), limit: 1, offset, ..Listing::default() };
    if !app.log.list(user, &listing).await?.is_empty() {
        return Err(Problem::limited("too many of your runs are waiting in the queue", 10));
    }
    Ok(())
}

/// Returns the state of a run.
pub(crate) async fn read_state(app: &App, user: &str, run: &str) -> Result<RunState, Problem> {
    let summary = app.log.summary(user, run).await?;
    let hindrance = app.queue.hindrance(user, run);
    let read = async || app.log.entries(user, run, 0).await;
    app.standing.state(user, summary, hindrance, read).await
}

/// Asks a run to stop, or ends it if it has no worker, and tells whoever follows it; returns its status if it had already ended.
pub(crate) async fn stop(app: &App, user: &str, run: &str) -> Result<Option<Status>, Problem> {
    let ended = request_stop(app, user, run).await?;
    if ended.is_none() {
        app.feeds.tell(user, run);
    }
    Ok(ended)
}

async fn request_stop(app: &App, user: &str, run: &str) -> Result<Option<Status>, Problem> {
    // A worker here hears at once; the log informs the others.
    let heard = app.worker.stop(user, run, user);
    if heard && app.log.request_cancel(user, run, user).await.is_ok() {
        return Ok(None);
    }
    match work::stop(app.world(), user, run, app.worker.owner(), user).await? {
        Stopping::Cancelled => {
            app.ended(user, run, Status::Cancelled).await;
            Ok(None)
        }
        Stopping::Asked => Ok(None),
        Stopping::Ended(Status::Cancelled) if heard => Ok(None),
        Stopping::Ended(status) => Ok(Some(status)),
    }
}
