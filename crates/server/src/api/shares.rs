//! Links by which others read a run, and what they read of it.
//!
//! A link is `ID.SECRET`. The page has it in the fragment of its address, which no browser sends, and sends it in a header, so that it
//! stands in no log of requests. The server keeps the secret's digest alone. Whoever has a link reads this one run and nothing else: its
//! result, its report, and of its sources the quotes that it cites, not the documents that they stand in.

use std::collections::BTreeMap;
use std::sync::Arc;

use axum::extract::{ConnectInfo, FromRequestParts, Request, State};
use axum::http::StatusCode;
use axum::http::request::Parts;
use axum::response::{IntoResponse, Response};
use run::entry::{Entry, Hash};
use run::history::{MOST_SHARES, Share};
use run::log::Status;
use run::views;
use serde::Serialize;
use serde_json::Value;
use subtle::ConstantTimeEq;
use utoipa::ToSchema;
use uuid::Uuid;

use super::extract::{Id, Ids, aside, json, refuse_forms};
use super::values;
use crate::guard::{Ends, User};
use crate::problem::{Kind, Problem};
use crate::state::{App, Shared};

/// The header that carries a link.
const HEADER: &str = "x-quaestio-share";

/// A link, without its secret.
#[derive(Serialize, ToSchema)]
pub(crate) struct ShareState {
    share_id: String,
    #[schema(format = DateTime)]
    created_at: String,
}

/// A new link.
#[derive(Serialize, ToSchema)]
pub(crate) struct NewShare {
    #[serde(flatten)]
    share: ShareState,
    /// The secret a reader sends as `x-quaestio-share`. It is shown only once.
    token: String,
}

#[derive(Serialize, ToSchema)]
pub(crate) struct ShareList {
    shares: Vec<ShareState>,
}

impl ShareState {
    fn of(share: &Share) -> ShareState {
        ShareState { share_id: share.id.clone(), created_at: share.created_at.to_string() }
    }
}

/// Refuses where the server shares nothing.
fn check_sharing(app: &App) -> Result<(), Problem> {
    if app.config.sharing {
        return Ok(());
    }
    let hint = "the administrator can allow it with `server.sharing = \"on\"`";
    Err(Problem::new(Kind::Forbidden, "links are turned off on this server", hint))
}

fn digest(secret: &str) -> Hash {
    Hash::of_parts(&[b"quaestio share", secret.as_bytes()])
}

/// Create a link to a run that has ended. Anyone with the link can read the run without an account.
#[utoipa::path(post, path = "/api/runs/{run_id}/shares", tag = "runs", operation_id = "create_share", params(("run_id" = String, Path)),
    responses((status = 201, body = NewShare)))]
pub(crate) async fn create(
    State(app): State<Shared>,
    User(user): User,
    Id(run): Id,
    request: Request,
) -> Result<Response, Problem> {
    refuse_forms(request).await?;
    let status = app.log.summary(&user, &run).await?.status;
    check_sharing(&app)?;
    if !status.is_final() {
        let detail = format!("'share' is not possible: run {run} is {}", status.name());
        return Err(Problem::new(Kind::Conflict, detail, "wait until it has ended"));
    }
    // 244 bits by chance.
    let secret = format!("{}{}", Uuid::new_v4().simple(), Uuid::new_v4().simple());
    let id = Uuid::new_v4().simple().to_string();
    let share = Share { id, secret: digest(&secret), created_at: app.world().clock.now() };
    if !app.history.add_share(&user, &run, &share).await? {
        let detail = format!("run {run} already has {MOST_SHARES} links");
        return Err(Problem::new(Kind::Conflict, detail, "revoke one of them first"));
    }
    let token = format!("{}.{secret}", share.id);
    let mut response = json(&NewShare { share: ShareState::of(&share), token });
    *response.status_mut() = StatusCode::CREATED;
    Ok(response)
}

/// List the share links of a run.
#[utoipa::path(get, path = "/api/runs/{run_id}/shares", tag = "runs", operation_id = "list_shares", params(("run_id" = String, Path)),
    responses((status = 200, body = ShareList)))]
pub(crate) async fn list(
    State(app): State<Shared>,
    User(user): User,
    Id(run): Id,
) -> Result<Response, Problem> {
    let shares = app.history.shares(&user, &run).await?;
    Ok(json(&ShareList { shares: shares.iter().map(ShareState::of).collect() }))
}

/// Revoke a link. It stops working at once.
#[utoipa::path(delete, path = "/api/runs/{run_id}/shares/{share_id}", tag = "runs", operation_id = "remove_share",
    params(("run_id" = String, Path), ("share_id" = String, Path)), responses((status = 204)))]
pub(crate) async fn remove(
    State(app): State<Shared>,
    User(user): User,
    Ids(run, share): Ids,
) -> Result<Response, Problem> {
    if !app.history.remove_share(&user, &run, &share).await? {
        return Err(Problem::no_such("link", &share));
    }
    Ok(StatusCode::NO_CONTENT.into_response())
}

/// The run that the link of a request leads to.
pub(crate) struct SharedRun {
    user: String,
    run: String,
}

impl FromRequestParts<Shared> for SharedRun {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, app: &Shared) -> Result<SharedRun, Problem> {
        check_sharing(app)?;
        let mut given = parts.headers.get_all(HEADER).iter();
        let (Some(token), None) = (given.next(), given.next()) else {
            let hint = format!("send it as `{HEADER}`");
            return Err(Problem::new(Kind::NotFound, "the request has no share token", hint));
        };
        let (id, secret) =
            token.to_str().ok().and_then(|token| token.split_once('.')).unwrap_or_default();
        let found = app.history.shared(id).await?;
        // A link that there is not is compared as well.
        let known = found.as_ref().map_or(Hash::default(), |found| found.secret);
        let is_right = bool::from(known.0.ct_eq(&digest(secret).0));
        match found {
            Some(found) if is_right => Ok(SharedRun { user: found.user, run: found.run }),
            _ => {
                let ends = ConnectInfo::<Ends>::from_request_parts(parts, app).await;
                let ConnectInfo(ends) = ends.map_err(|_| nothing_there())?;
                app.limiter.guesses(ends.remote.ip())?;
                Err(nothing_there())
            }
        }
    }
}

fn nothing_there() -> Problem {
    let hint =
        "it may have been revoked, or its run deleted. Ask the person who sent it for a new one";
    Problem::new(Kind::NotFound, "this link is not valid", hint)
}

impl SharedRun {
    async fn entries(&self, app: &App) -> Result<Vec<Entry>, Problem> {
        app.log.entries(&self.user, &self.run, 0).await.map_err(|error| match error {
            // The run was removed just now.
            run::log::LogError::NoSuchRun { .. } => nothing_there(),
            other => other.into(),
        })
    }
}

/// The parts of a run shown to a reader with a link.
#[derive(Serialize, ToSchema)]
pub(crate) struct SharedState {
    question: String,
    title: Option<String>,
    method: String,
    /// The title of the method.
    method_title: String,
    #[schema(schema_with = values::status)]
    status: Status,
    #[schema(schema_with = values::outcome)]
    outcome: Option<run::Outcome>,
    #[schema(format = DateTime)]
    created_at: String,
    #[schema(format = DateTime)]
    updated_at: String,
}

/// Get the run behind a link.
#[utoipa::path(get, path = "/api/shared", tag = "shared", operation_id = "get_shared",
    params(("x-quaestio-share" = String, Header, description = "The token of the link.")),
    responses((status = 200, body = SharedState)))]
pub(crate) async fn get(State(app): State<Shared>, shared: SharedRun) -> Result<Response, Problem> {
    let entries = shared.entries(&app).await?;
    let run = app.log.summary(&shared.user, &shared.run).await?;
    let method = app.methods.find(&run.method);
    Ok(json(&SharedState {
        question: run.question,
        title: run.title,
        method_title: method.map_or_else(|| run.method.clone(), |method| method.title.to_owned()),
        method: run.method,
        status: run.status,
        outcome: views::outcome(&entries),
        created_at: run.created_at.to_string(),
        updated_at: run.updated_at.to_string(),
    }))
}

/// Get the result of a shared run in the form the command line prints.
#[utoipa::path(get, path = "/api/shared/result", tag = "shared", operation_id = "get_shared_result",
    params(("x-quaestio-share" = String, Header, description = "The token of the link.")),
    responses((status = 200, body = ref("#/components/schemas/RunResult"))))]
pub(crate) async fn result(
    State(app): State<Shared>,
    shared: SharedRun,
) -> Result<Response, Problem> {
    let entries = shared.entries(&app).await?;
    let backend = Arc::clone(&app.backend);
    let envelope: Value = aside(move || backend.envelope(&shared.run, &entries)).await?;
    Ok(json(&envelope))
}

/// Get the result of a shared run as sanitised HTML, with its headings.
#[utoipa::path(get, path = "/api/shared/report", tag = "shared", operation_id = "get_shared_report",
    params(("x-quaestio-share" = String, Header, description = "The token of the link.")),
    responses((status = 200, body = ::app::Report)))]
pub(crate) async fn report(
    State(app): State<Shared>,
    shared: SharedRun,
) -> Result<Response, Problem> {
    let entries = shared.entries(&app).await?;
    let backend = Arc::clone(&app.backend);
    Ok(json(&aside(move || backend.report(&shared.run, &entries)).await?))
}

#[derive(Serialize, ToSchema)]
pub(crate) struct SharedEvidence {
    evidence: Vec<CitedSource>,
}

/// A passage cited by a shared run, limited to the quoted text.
#[derive(Serialize, ToSchema)]
struct CitedSource {
    number: u32,
    #[schema(schema_with = values::evidence_kind)]
    r#type: &'static str,
    title: String,
    section: String,
    source_uri: String,
    page: Option<u32>,
    /// The quotes taken from it, without duplicates.
    quotes: Vec<String>,
}

/// List the citations of a shared run, with their quotes.
#[utoipa::path(get, path = "/api/shared/evidence", tag = "shared", operation_id = "get_shared_evidence",
    params(("x-quaestio-share" = String, Header, description = "The token of the link.")),
    responses((status = 200, body = SharedEvidence)))]
pub(crate) async fn evidence(
    State(app): State<Shared>,
    shared: SharedRun,
) -> Result<Response, Problem> {
    let entries = shared.entries(&app).await?;
    let mut quotes: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for citation in views::citations(views::ledger(&entries)) {
        let known = quotes.entry(citation.evidence_id.clone()).or_default();
        if !citation.quote.is_empty() && !known.contains(&citation.quote) {
            known.push(citation.quote.clone());
        }
    }
    let evidence = views::evidence(&entries).into_iter().filter_map(|numbered| {
        let evidence = &numbered.evidence;
        let quotes = quotes.remove(&evidence.evidence_id)?;
        let place = &evidence.provenance.place;
        Some(CitedSource {
            number: numbered.number,
            r#type: evidence.kind.name(),
            title: place.title.clone(),
            section: place.section.clone(),
            source_uri: evidence.source_uri.clone(),
            page: place.page_at(place.start),
            quotes,
        })
    });
    Ok(json(&SharedEvidence { evidence: evidence.collect() }))
}
