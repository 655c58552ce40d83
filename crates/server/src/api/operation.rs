//! Operations for pages, monitors and client generators.

use axum::extract::State;
use axum::http::{HeaderValue, header};
use axum::response::{IntoResponse, Response};
use serde::Serialize;
use utoipa::ToSchema;

use super::extract::json;
use crate::exports;
use crate::guard::User;
use crate::problem::{Kind, Problem};
use crate::state::Shared;

/// The choices for a run, and what this server allows.
#[derive(Serialize, ToSchema)]
pub(crate) struct Settings {
    #[serde(flatten)]
    choices: ::app::Choices,
    /// Whether runs can be shared by links.
    sharing: bool,
}

/// Get the choices for a run.
#[utoipa::path(get, path = "/api/settings", tag = "operation", operation_id = "get_settings",
    responses((status = 200, body = Settings)))]
pub(crate) async fn settings(
    State(app): State<Shared>,
    User(user): User,
) -> Result<Response, Problem> {
    let choices = app.backend.choices(&user).await?;
    Ok(json(&Settings { choices, sharing: app.config.sharing }))
}

#[derive(Serialize, ToSchema)]
pub(crate) struct Health {
    status: &'static str,
}

/// Check that the server is running.
#[utoipa::path(get, path = "/health/live", tag = "operation", operation_id = "is_live", responses((status = 200, body = Health)))]
pub(crate) async fn live() -> Response {
    json(&Health { status: "live" })
}

/// Check that the server can work: its data can be written.
#[utoipa::path(get, path = "/health/ready", tag = "operation", operation_id = "is_ready", responses((status = 200, body = Health)))]
pub(crate) async fn ready(State(app): State<Shared>) -> Result<Response, Problem> {
    if app.queue.is_draining() {
        return Err(Problem::new(Kind::Unavailable, "the server is stopping", ""));
    }
    app.backend.ready().await?;
    Ok(json(&Health { status: "ready" }))
}

/// Get metrics in the Prometheus text format.
#[utoipa::path(get, path = "/metrics", tag = "operation", operation_id = "get_metrics",
    responses((status = 200, content_type = "application/openmetrics-text", body = String)))]
pub(crate) async fn metrics(State(app): State<Shared>) -> Result<Response, Problem> {
    let mut response = exports::render_page(&app).await?.into_response();
    response.headers_mut().insert(
        header::CONTENT_TYPE,
        HeaderValue::from_static("application/openmetrics-text; version=1.0.0; charset=utf-8"),
    );
    Ok(response)
}

/// Get the description of this API.
#[utoipa::path(get, path = "/openapi.json", tag = "operation", operation_id = "get_openapi", responses((status = 200, body = Object)))]
pub(crate) async fn openapi(State(app): State<Shared>) -> Response {
    let mut response = app.openapi.clone().into_response();
    response
        .headers_mut()
        .insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
    response
}
