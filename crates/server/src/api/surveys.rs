//! Surveys: upload files, list, remove.

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use run::library::{is_name, is_of_a_run};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::extract::{Id, Query, json, leave_unread, must_be};
use super::once::request_key;
use super::upload::Upload;
use crate::guard::User;
use crate::problem::Problem;
use crate::state::Shared;
use app::{Survey, SurveyState};

#[derive(Serialize, ToSchema)]
pub(crate) struct SurveyList {
    surveys: Vec<Survey>,
}

/// List surveys.
#[utoipa::path(get, path = "/api/surveys", tag = "surveys", operation_id = "list_surveys",
    responses((status = 200, body = SurveyList)))]
pub(crate) async fn list(State(app): State<Shared>, User(user): User) -> Result<Response, Problem> {
    let mut surveys = app.backend.surveys(&user).await?;
    surveys.retain(|survey| !is_of_a_run(&survey.name));
    Ok(json(&SurveyList { surveys }))
}

/// Get a survey with its files and studies.
#[utoipa::path(get, path = "/api/surveys/{survey}", tag = "surveys", operation_id = "get_survey",
    params(("survey" = String, Path)), responses((status = 200, body = SurveyState)))]
pub(crate) async fn get(
    State(app): State<Shared>,
    User(user): User,
    Id(name): Id,
) -> Result<Response, Problem> {
    let found = if is_name(&name) { app.backend.survey(&user, &name).await? } else { None };
    Ok(json(&found.ok_or_else(|| Problem::no_such("survey", &name))?))
}

#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub(crate) struct FileQuery {
    /// The file name, with the file extension of its format. A codebook belongs to the data file of the same name. The name is never
    /// used as a path.
    name: String,
}

/// Add a file to a survey. The survey is created if needed, and a file of the same name is replaced. Earlier runs keep the files they
/// started with.
#[utoipa::path(post, path = "/api/surveys/{survey}", tag = "surveys", operation_id = "upload_survey_file",
    params(("survey" = String, Path), FileQuery, ("Idempotency-Key" = Option<String>, Header, pattern = "^[!-~]{1,200}$",
        description = "Sending the same file again with the same key does not add it twice, until the server restarts. 1 to 200 visible ASCII characters.")),
    request_body(content = Vec<u8>, content_type = "application/octet-stream"),
    responses(
        (status = 201, body = SurveyState),
        (status = 200, description = "A request with this key has already added this file.", body = SurveyState)))]
pub(crate) async fn upload(
    State(app): State<Shared>,
    User(user): User,
    Id(survey): Id,
    Query(query): Query<FileQuery>,
    request: Request,
) -> Result<Response, Problem> {
    let fits = must_be(request.headers(), "application/octet-stream");
    if let Err(problem) = fits.and_then(|()| named(&survey)) {
        leave_unread(request).await;
        return Err(problem);
    }
    let (headers, body) = (request.headers().clone(), request.into_body());
    let file = Upload::received(&app, &user, body, "survey.file_bytes").await?;
    let key = request_key(&headers, &("survey", &survey, &query.name, file.digest()))?;
    let (backend, whose) = (Arc::clone(&app.backend), user.clone());
    let keeping =
        async move { backend.keep_survey(&whose, &survey, file.path(), &query.name).await };
    let (kept, status) = app.uploads.once(&user, key, keeping).await?;
    let mut response = json(&kept);
    *response.status_mut() = status;
    Ok(response)
}

fn named(name: &str) -> Result<(), Problem> {
    if is_of_a_run(name) {
        let detail = "names starting with run- are reserved for surveys of single runs";
        return Err(Problem::invalid(detail, "choose another name"));
    }
    if is_name(name) {
        return Ok(());
    }
    let shown: String = run::grounding::clean(name).chars().take(64).collect();
    Err(Problem::invalid(
        format!("'{shown}' is not a valid survey name"),
        "use up to 64 letters, digits, - and _, starting with a letter or digit",
    ))
}

/// Delete a survey. Runs that used it keep its files.
#[utoipa::path(delete, path = "/api/surveys/{survey}", tag = "surveys", operation_id = "remove_survey",
    params(("survey" = String, Path)), responses((status = 204)))]
pub(crate) async fn remove(
    State(app): State<Shared>,
    User(user): User,
    Id(name): Id,
) -> Result<Response, Problem> {
    match is_name(&name) && app.backend.forget_survey(&user, &name).await? {
        true => Ok(StatusCode::NO_CONTENT.into_response()),
        false => Err(Problem::no_such("survey", &name)),
    }
}
