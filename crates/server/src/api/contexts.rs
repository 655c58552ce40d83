//! Startup contexts: a user's earlier explorations.

use axum::extract::State;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use run::contexts::{ContextError, Contexts, Learned, StartupContext, edit};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use utoipa::ToSchema;

use super::extract::{Id, Json, json};
use crate::guard::User;
use crate::problem::{Kind, Problem};
use crate::state::{App, Shared};

/// A startup saved by a user.
#[derive(Serialize, ToSchema)]
pub(crate) struct ContextState {
    id: String,
    user_id: String,
    name: String,
    description: String,
    industry: String,
    search_terms: Vec<String>,
    geographical_scope: String,
    #[schema(format = DateTime)]
    created_at: String,
    /// When an analysis last used it, or when it last changed.
    #[schema(format = DateTime)]
    last_accessed: String,
    #[schema(value_type = Object)]
    metadata: Map<String, Value>,
}

impl From<StartupContext> for ContextState {
    fn from(context: StartupContext) -> ContextState {
        ContextState {
            id: context.id,
            user_id: context.user_id,
            name: context.name,
            description: context.description,
            industry: context.industry,
            search_terms: context.search_terms,
            geographical_scope: context.geographical_scope,
            created_at: context.created_at.to_string(),
            last_accessed: context.last_accessed.to_string(),
            metadata: context.metadata,
        }
    }
}

#[derive(Serialize, ToSchema)]
pub(crate) struct ContextList {
    contexts: Vec<ContextState>,
}

fn kept(app: &App) -> Result<&dyn Contexts, Problem> {
    let nobody =
        || Problem::new(Kind::Unavailable, "this server does not store startup contexts", "");
    app.world().contexts.as_deref().ok_or_else(nobody)
}

async fn find(app: &App, user: &str, id: &str) -> Result<StartupContext, Problem> {
    let found = kept(app)?.get(user, id).await?;
    found.ok_or_else(|| ContextError::no_such(id).into())
}

/// List startup contexts, most recently used first.
#[utoipa::path(get, path = "/api/contexts", tag = "contexts", operation_id = "list_contexts",
    responses((status = 200, body = ContextList)))]
pub(crate) async fn list(State(app): State<Shared>, User(user): User) -> Result<Response, Problem> {
    let contexts = kept(&app)?.list(&user).await?;
    Ok(json(&ContextList { contexts: contexts.into_iter().map(ContextState::from).collect() }))
}

/// A startup context to save. The fields given here replace what the run learned.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct NewContext {
    /// Up to 64 lowercase letters, digits, - and _, starting with a letter or digit. Defaults to an id made from the name.
    #[serde(default)]
    #[schema(pattern = "^[a-z0-9][a-z0-9_-]{0,63}$")]
    id: Option<String>,
    /// A finished run whose findings fill the context. Without one, a name is required.
    #[serde(default)]
    from_run: Option<String>,
    #[serde(default)]
    name: Option<String>,
    #[serde(default)]
    description: Option<String>,
    #[serde(default)]
    industry: Option<String>,
    #[serde(default)]
    search_terms: Option<Vec<String>>,
    #[serde(default)]
    geographical_scope: Option<String>,
    #[serde(default)]
    #[schema(value_type = Object)]
    metadata: Map<String, Value>,
}

/// Save a new startup context.
#[utoipa::path(post, path = "/api/contexts", tag = "contexts", operation_id = "create_context", request_body = NewContext,
    responses((status = 201, body = ContextState, headers(("Location" = String)))))]
pub(crate) async fn create(
    State(app): State<Shared>,
    User(user): User,
    Json(new): Json<NewContext>,
) -> Result<Response, Problem> {
    let contexts = kept(&app)?;
    let learned = match &new.from_run {
        None => Learned::default(),
        Some(run) => {
            let entries = app.log.entries(&user, run, 0).await?;
            if entries.is_empty() {
                return Err(Problem::no_such("run", run));
            }
            Learned::of(run, &entries)?
        }
    };
    let learned = Learned {
        name: new.name.unwrap_or(learned.name),
        description: new.description.unwrap_or(learned.description),
        industry: new.industry.unwrap_or(learned.industry),
        search_terms: new.search_terms.unwrap_or(learned.search_terms),
        geographical_scope: new.geographical_scope.unwrap_or(learned.geographical_scope),
    };
    let begun = StartupContext::begun(&user, learned, app.world().clock.now());
    let begun = StartupContext { metadata: new.metadata, ..begun };
    let id = begun.keep_new(contexts, new.id).await?;
    let mut response = json(&ContextState::from(find(&app, &user, &id).await?));
    *response.status_mut() = StatusCode::CREATED;
    if let Ok(address) = HeaderValue::from_str(&format!("/api/contexts/{id}")) {
        response.headers_mut().insert(header::LOCATION, address);
    }
    Ok(response)
}

/// Get a startup context.
#[utoipa::path(get, path = "/api/contexts/{context_id}", tag = "contexts", operation_id = "get_context",
    params(("context_id" = String, Path)), responses((status = 200, body = ContextState)))]
pub(crate) async fn get(
    State(app): State<Shared>,
    User(user): User,
    Id(id): Id,
) -> Result<Response, Problem> {
    Ok(json(&ContextState::from(find(&app, &user, &id).await?)))
}

/// The new content of a startup context. Fields left out become empty.
#[derive(Clone, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ContextBody {
    #[schema(pattern = r"\S")]
    name: String,
    #[serde(default)]
    description: String,
    #[serde(default)]
    industry: String,
    #[serde(default)]
    search_terms: Vec<String>,
    #[serde(default)]
    geographical_scope: String,
    #[serde(default)]
    #[schema(value_type = Object)]
    metadata: Map<String, Value>,
}

/// Replace a startup context.
#[utoipa::path(put, path = "/api/contexts/{context_id}", tag = "contexts", operation_id = "replace_context",
    params(("context_id" = String, Path)), request_body = ContextBody, responses((status = 200, body = ContextState)))]
pub(crate) async fn replace(
    State(app): State<Shared>,
    User(user): User,
    Id(id): Id,
    Json(body): Json<ContextBody>,
) -> Result<Response, Problem> {
    let now = app.world().clock.now();
    let change = |before: StartupContext| {
        let ContextBody { name, description, industry, search_terms, geographical_scope, metadata } =
            body.clone();
        Ok::<_, Problem>(StartupContext {
            name,
            description,
            industry,
            search_terms,
            geographical_scope,
            metadata,
            last_accessed: before.last_accessed.max(now),
            ..before
        })
    };
    let context = edit(kept(&app)?, &user, &id, change).await?;
    Ok(json(&ContextState::from(context)))
}

/// Undo what the last analysis added to a startup context. What the user wrote is kept.
#[utoipa::path(delete, path = "/api/contexts/{context_id}/learned", tag = "contexts", operation_id = "undo_learned",
    params(("context_id" = String, Path)), responses((status = 200, body = ContextState)))]
pub(crate) async fn undo(
    State(app): State<Shared>,
    User(user): User,
    Id(id): Id,
) -> Result<Response, Problem> {
    let nothing = || {
        Problem::new(Kind::Conflict, "no analysis has added anything to this startup context", "")
    };
    let back = |context: StartupContext| context.untaught().ok_or_else(nothing);
    let context = edit(kept(&app)?, &user, &id, back).await?;
    Ok(json(&ContextState::from(context)))
}

/// Delete a startup context. Runs that used it do not change.
#[utoipa::path(delete, path = "/api/contexts/{context_id}", tag = "contexts", operation_id = "remove_context",
    params(("context_id" = String, Path)), responses((status = 204)))]
pub(crate) async fn remove(
    State(app): State<Shared>,
    User(user): User,
    Id(id): Id,
) -> Result<Response, Problem> {
    kept(&app)?.remove(&user, &id).await?;
    Ok(StatusCode::NO_CONTENT.into_response())
}
