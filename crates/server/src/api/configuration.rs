//! The configuration, as far as it is changed from a page, and the checks of the doctor.
//!
//! Both are for whoever runs the server: where there are tokens, for the only user who has one; without tokens, for whoever reaches the
//! server, which then listens to its own machine alone.

use ::app::{Check, Configuration, ConfigurationChange, Trial, Tried};
use axum::extract::State;
use axum::response::Response;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::extract::{Json, json};
use crate::guard::User;
use crate::problem::{Kind, Problem};
use crate::state::{App, Shared};

/// Returns why a user may neither see nor change how the server is set up.
fn why_not(app: &App, user: &str) -> Option<&'static str> {
    let tokens = &app.config.tokens;
    if !tokens.is_only(user) {
        return Some(
            "this server has several users, so it is set up only by its configuration file and environment",
        );
    }
    let is_behind_others = tokens.is_empty() && !app.config.hosts.is_empty();
    is_behind_others.then_some(
        "this server is reachable under other names and has no sign-in, so it is set up only by its configuration file and environment",
    )
}

fn allow(app: &App, user: &str) -> Result<(), Problem> {
    const HINT: &str = "ask the administrator of the server; `quaestio doctor` checks the setup";
    why_not(app, user).map_or(Ok(()), |why| Err(Problem::new(Kind::Forbidden, why, HINT)))
}

/// Get the settings you can change, and the origin of each value. API keys are never included.
#[utoipa::path(get, path = "/api/configuration", tag = "configuration", operation_id = "get_configuration",
    responses((status = 200, body = Configuration)))]
pub(crate) async fn get(State(app): State<Shared>, User(user): User) -> Response {
    json(&match why_not(&app, &user) {
        None => app.backend.configuration(),
        Some(why) => Configuration { why_not: Some(why.to_owned()), ..Configuration::default() },
    })
}

/// Change settings for new runs. If any change is invalid, nothing is changed.
#[utoipa::path(patch, path = "/api/configuration", tag = "configuration", operation_id = "change_configuration",
    request_body = ConfigurationChange, responses((status = 200, body = Configuration)))]
pub(crate) async fn change(
    State(app): State<Shared>,
    User(user): User,
    Json(change): Json<ConfigurationChange>,
) -> Result<Response, Problem> {
    allow(&app, &user)?;
    Ok(json(&app.backend.configure(&change).await?))
}

/// What to test.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct TrialOrder {
    what: Tried,
}

#[derive(Serialize, ToSchema)]
pub(crate) struct TrialList {
    /// Empty if nothing of that kind is configured.
    trials: Vec<Trial>,
}

/// Test the configured models or embedding model with the smallest possible request.
#[utoipa::path(post, path = "/api/configuration/try", tag = "configuration", operation_id = "try_configuration",
    request_body = TrialOrder, responses((status = 200, body = TrialList)))]
pub(crate) async fn try_out(
    State(app): State<Shared>,
    User(user): User,
    Json(TrialOrder { what }): Json<TrialOrder>,
) -> Result<Response, Problem> {
    allow(&app, &user)?;
    Ok(json(&TrialList { trials: app.backend.try_out(what).await }))
}

#[derive(Serialize, ToSchema)]
pub(crate) struct Checkup {
    checks: Vec<Check>,
}

/// Check everything on this machine that runs depend on.
#[utoipa::path(get, path = "/api/doctor", tag = "configuration", operation_id = "get_checks",
    responses((status = 200, body = Checkup)))]
pub(crate) async fn doctor(
    State(app): State<Shared>,
    User(user): User,
) -> Result<Response, Problem> {
    examine(&app, &user, false).await
}

/// What to check besides this machine.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct CheckupOrder {
    /// Whether to call models, embedding models and MCP servers, each with the smallest possible request.
    network: bool,
}

/// Check everything that runs depend on, including services on the network.
#[utoipa::path(post, path = "/api/doctor", tag = "configuration", operation_id = "check_everything",
    request_body = CheckupOrder, responses((status = 200, body = Checkup)))]
pub(crate) async fn doctor_over_network(
    State(app): State<Shared>,
    User(user): User,
    Json(CheckupOrder { network }): Json<CheckupOrder>,
) -> Result<Response, Problem> {
    examine(&app, &user, network).await
}

async fn examine(app: &App, user: &str, network: bool) -> Result<Response, Problem> {
    allow(app, user)?;
    Ok(json(&Checkup { checks: app.backend.examine(network).await }))
}
