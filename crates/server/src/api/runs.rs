//! Runs: order, list, inspect, stop, fork.

use std::time::Duration;

use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use methods::order::Order;
use run::budget::dollars;
use run::history::{Labelling, TITLE_CHARS};
use run::log::{Listing, LogError, Status};
use run::settings::Mode;
use run::work::{self, ForkError, NewFork};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::{IntoParams, ToSchema};

use super::extract::{Id, Json, Query, json, refuse_forms};
use super::once::request_key;
use super::state::{RunState, Summary};
use super::values;
use crate::desk::{self, Started};
use crate::guard::User;
use crate::problem::{Kind, Problem};
use crate::removal;
use crate::state::{App, Shared};
use ::app::{Changes, Forked};

/// The greatest accepted age: a hundred years.
const MOST_DAYS: u32 = 36_500;

/// The estimated cost of a run.
#[derive(Serialize, ToSchema)]
pub(crate) struct EstimateState {
    /// Null if offline.
    model: Option<String>,
    #[schema(schema_with = values::mode)]
    mode: Mode,
    expected: SpendState,
    worst_case: SpendState,
    notes: Vec<String>,
}

#[derive(Serialize, ToSchema)]
struct SpendState {
    tokens: u64,
    /// Null if no price is known.
    cost_usd: Option<f64>,
}

/// Estimate the cost of a run without starting it.
#[utoipa::path(post, path = "/api/estimates", tag = "runs", operation_id = "estimate",
    request_body(content = ref("#/components/schemas/Order"), content_type = "application/json"),
    responses((status = 200, body = EstimateState)))]
pub(crate) async fn estimate(
    State(app): State<Shared>,
    User(user): User,
    Json(order): Json<Order>,
) -> Result<Response, Problem> {
    desk::check_length(&app, &order)?;
    let estimate = app.backend.estimate(&user, &order).await?;
    let spend = |spend: run::budget::Spend| SpendState {
        tokens: spend.tokens,
        cost_usd: estimate.priced.then(|| dollars(spend.cost_usd_micros)),
    };
    Ok(json(&EstimateState {
        mode: if estimate.model.is_some() { Mode::Model } else { Mode::Offline },
        expected: spend(estimate.expected),
        worst_case: spend(estimate.worst_case),
        model: estimate.model,
        notes: estimate.notes,
    }))
}

/// Start a run. It runs as soon as a worker is free.
#[utoipa::path(post, path = "/api/runs", tag = "runs", operation_id = "create_run",
    params(("Idempotency-Key" = Option<String>, Header, pattern = "^[!-~]{1,200}$",
        description = "Sending the same request again with the same key starts no second run. 1 to 200 visible ASCII characters.")),
    request_body(content = ref("#/components/schemas/Order"), content_type = "application/json"),
    responses(
        (status = 201, body = RunState, headers(("Location" = String))),
        (status = 200, description = "A request with this key has already started this run.", body = RunState, headers(("Location" = String)))))]
pub(crate) async fn create(
    State(app): State<Shared>,
    User(user): User,
    headers: HeaderMap,
    Json(order): Json<Order>,
) -> Result<Response, Problem> {
    let started = start(&app, &user, &headers, &order).await?;
    located(&app, &user, &started).await
}

/// Starts an ordered run with the key of the request, if it has one.
pub(super) async fn start(
    app: &App,
    user: &str,
    headers: &HeaderMap,
    order: &Order,
) -> Result<Started, Problem> {
    let key = request_key(headers, order)?;
    desk::start(app, user, key, order).await
}

/// Returns a run's state with its location: 201, or 200 if an earlier request has started it.
async fn located(app: &App, user: &str, started: &Started) -> Result<Response, Problem> {
    let run = &started.run;
    let mut response = json(&desk::read_state(app, user, run).await?);
    if !started.is_repeated {
        *response.status_mut() = StatusCode::CREATED;
    }
    if let Ok(address) = HeaderValue::from_str(&format!("/api/runs/{run}")) {
        response.headers_mut().insert(header::LOCATION, address);
    }
    Ok(response)
}

/// Notifies a run's subscribers of a person's input, and returns the run's state.
pub(super) async fn told(app: &App, user: &str, run: &str) -> Result<Response, Problem> {
    app.feeds.tell(user, run);
    Ok(json(&desk::read_state(app, user, run).await?))
}

#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub(crate) struct ListQuery {
    /// The maximum number of results.
    #[param(minimum = 1, maximum = 200, default = 50)]
    limit: Option<u32>,
    /// List only runs older than this one.
    before: Option<String>,
    #[param(schema_with = values::status)]
    status: Option<Status>,
    method: Option<String>,
    /// List only pinned runs, or only unpinned ones. To show pinned runs first, make two requests.
    pinned: Option<bool>,
    /// List only runs whose question, title or result contains this text, in any case. A text shorter than three characters is searched
    /// only in the questions and titles of the newest 10,000 matching runs.
    q: Option<String>,
}

#[derive(Serialize, ToSchema)]
pub(crate) struct RunList {
    runs: Vec<Summary>,
    /// The value of `before` for the next page. Null on the last page.
    next: Option<String>,
}

/// List runs, newest first.
#[utoipa::path(get, path = "/api/runs", tag = "runs", operation_id = "list_runs", params(ListQuery),
    responses((status = 200, body = RunList)))]
pub(crate) async fn list(
    State(app): State<Shared>,
    User(user): User,
    Query(query): Query<ListQuery>,
) -> Result<Response, Problem> {
    let limit = query.limit.unwrap_or(50);
    if !(1..=200).contains(&limit) {
        return Err(Problem::invalid("limit must be from 1 to 200", ""));
    }
    let said = |text: Option<String>| text.filter(|text| !text.trim().is_empty());
    let listing = Listing {
        status: query.status,
        method: said(query.method),
        pinned: query.pinned,
        text: said(query.q),
        before: said(query.before),
        limit: limit + 1,
        offset: 0,
    };
    let mut runs = app.log.list(&user, &listing).await?;
    let more = runs.len() > limit as usize;
    runs.truncate(limit as usize);
    let next = runs.last().filter(|_| more).map(|run| run.run_id.clone());
    Ok(json(&RunList { runs: runs.into_iter().map(Summary::from).collect(), next }))
}

/// Get the state of a run.
#[utoipa::path(get, path = "/api/runs/{run_id}", tag = "runs", operation_id = "get_run", params(("run_id" = String, Path)),
    responses((status = 200, body = RunState)))]
pub(crate) async fn get(
    State(app): State<Shared>,
    User(user): User,
    Id(run): Id,
) -> Result<Response, Problem> {
    Ok(json(&desk::read_state(&app, &user, &run).await?))
}

/// The title and pin of a run. Fields left out do not change.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Labels {
    /// The title shown in lists: one line of up to 200 characters. An empty title removes it.
    #[serde(default)]
    #[schema(max_length = 200)]
    title: Option<String>,
    #[serde(default)]
    pinned: Option<bool>,
}

/// Give a run a title, or pin it. Its log does not change.
#[utoipa::path(patch, path = "/api/runs/{run_id}", tag = "runs", operation_id = "label_run", params(("run_id" = String, Path)),
    request_body = Labels, responses((status = 200, body = RunState)))]
pub(crate) async fn label(
    State(app): State<Shared>,
    User(user): User,
    Id(run): Id,
    Json(labels): Json<Labels>,
) -> Result<Response, Problem> {
    let title = labels.title.map(|title| title.split_whitespace().collect::<Vec<_>>().join(" "));
    if let Some(title) = &title
        && (title.chars().count() > TITLE_CHARS || title.chars().any(char::is_control))
    {
        let detail = format!("a title must be one line of at most {TITLE_CHARS} characters");
        return Err(Problem::invalid(detail, "shorten it"));
    }
    let labelling = Labelling { title, pinned: labels.pinned };
    app.history.label(&user, &run, &labelling).await?;
    told(&app, &user, &run).await
}

/// Delete a run with its log, its result, its links and the documents read only for it. Forks keep their quotes.
#[utoipa::path(delete, path = "/api/runs/{run_id}", tag = "runs", operation_id = "remove_run", params(("run_id" = String, Path)),
    responses((status = 204)))]
pub(crate) async fn remove(
    State(app): State<Shared>,
    User(user): User,
    Id(run): Id,
) -> Result<Response, Problem> {
    match removal::remove(&app, &user, &run).await {
        Ok(()) => Ok(StatusCode::NO_CONTENT.into_response()),
        Err(LogError::Busy { .. }) => {
            let detail = format!("'remove' is not possible: run {run} is still running");
            Err(Problem::new(Kind::Conflict, detail, "stop it first"))
        }
        Err(error) => Err(error.into()),
    }
}

#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub(crate) struct PruneQuery {
    /// The minimum age of a run, in days since it ended.
    #[param(maximum = 36_500)]
    older_than_days: u32,
}

#[derive(Serialize, ToSchema)]
pub(crate) struct Pruned {
    removed: usize,
    /// Whether more runs can be removed by repeating the request.
    more: bool,
}

/// Delete old runs that have ended, up to 1,000 at a time. Waiting runs have not ended.
#[utoipa::path(delete, path = "/api/runs", tag = "runs", operation_id = "prune_runs", params(PruneQuery),
    responses((status = 200, description = "Deleted.", body = Pruned)))]
pub(crate) async fn prune(
    State(app): State<Shared>,
    User(user): User,
    Query(query): Query<PruneQuery>,
) -> Result<Response, Problem> {
    if query.older_than_days > MOST_DAYS {
        return Err(Problem::invalid(format!("older_than_days must be at most {MOST_DAYS}"), ""));
    }
    let age = Duration::from_hours(24 * u64::from(query.older_than_days));
    let removed = removal::prune(&app, Some(&user), age).await?;
    Ok(json(&Pruned { removed, more: removed >= removal::LOT as usize }))
}

/// Stop a run. What it has gathered is kept.
#[utoipa::path(post, path = "/api/runs/{run_id}/cancel", tag = "runs", operation_id = "cancel_run", params(("run_id" = String, Path)),
    responses((status = 202, body = RunState)))]
pub(crate) async fn cancel(
    State(app): State<Shared>,
    User(user): User,
    Id(run): Id,
    request: Request,
) -> Result<Response, Problem> {
    refuse_forms(request).await?;
    if let Some(status) = desk::stop(&app, &user, &run).await? {
        let detail = format!("'cancel' is not possible: run {run} is already {}", status.name());
        return Err(Problem::new(Kind::Conflict, detail, ""));
    }
    let mut response = told(&app, &user, &run).await?;
    *response.status_mut() = StatusCode::ACCEPTED;
    Ok(response)
}

/// The changes a fork makes.
#[derive(Deserialize, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ForkBody {
    /// The first step to repeat: a step, an agent or a scope.
    #[schema(pattern = r"\S")]
    from: String,
    /// `provider/name`.
    #[serde(default)]
    model: Option<String>,
    #[serde(default)]
    offline: bool,
    /// Keys of the configuration that concern the run, such as `ask.top_k`, and their values.
    #[serde(default)]
    #[schema(schema_with = values::settings)]
    set: serde_json::Map<String, Value>,
}

/// Start a new run that reuses the steps of this one up to a given step.
#[utoipa::path(post, path = "/api/runs/{run_id}/fork", tag = "runs", operation_id = "fork_run",
    params(("run_id" = String, Path), ("Idempotency-Key" = Option<String>, Header, pattern = "^[!-~]{1,200}$",
        description = "Sending the same request again with the same key makes no second fork. 1 to 200 visible ASCII characters.")),
    request_body = ForkBody,
    responses(
        (status = 201, body = RunState, headers(("Location" = String))),
        (status = 200, description = "A request with this key has already made this fork.", body = RunState, headers(("Location" = String)))))]
pub(crate) async fn fork(
    State(app): State<Shared>,
    User(user): User,
    Id(from): Id,
    headers: HeaderMap,
    Json(body): Json<ForkBody>,
) -> Result<Response, Problem> {
    let key = request_key(&headers, &(&from, &body))?;
    if let Some(key) = &key
        && let Some(run) = desk::started_before(&app, &user, key).await?
    {
        return located(&app, &user, &Started { run, is_repeated: true }).await;
    }
    let entries = app.log.entries(&user, &from, 0).await?;
    let Some(forked) = Forked::of((&user, &from), &entries, &body.from) else {
        return Err(Problem::no_such("run", &from));
    };
    let plain = |value: &Value| match value {
        Value::String(text) => Ok(text.clone()),
        Value::Number(_) | Value::Bool(_) => Ok(value.to_string()),
        _ => Err(Problem::invalid("a value in `set` must be a text, a number, true or false", "")),
    };
    let settings = body.set.iter().map(|(key, value)| Ok((key.clone(), plain(value)?)));
    let settings = settings.collect::<Result<Vec<_>, Problem>>()?;
    let changes = Changes { model: body.model, offline: body.offline, settings };
    desk::check_room(&app, &user).await?;
    let fork = app.backend.prepare_fork(&forked, &changes)?;
    let (run, fork) = (fork.run.clone(), NewFork { key: key.clone(), ..fork });
    let store = async || match work::fork(app.world(), fork).await {
        Err(ForkError::Log(error)) => Ok(Err(error)),
        Err(error) => Err(error.into()),
        Ok(()) => Ok(Ok(())),
    };
    let started = desk::admit(&app, &user, key.as_ref(), run, store).await?;
    located(&app, &user, &started).await
}
