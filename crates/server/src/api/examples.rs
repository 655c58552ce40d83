//! Examples: list, take in.

use std::collections::BTreeSet;
use std::sync::Arc;

use axum::body::Body;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use methods::order::Order;
use run::entry::Hash;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::extract::{Json, json};
use super::upload::Upload;
use super::values;
use crate::examples::{ALL, Example, Material};
use crate::guard::User;
use crate::problem::Problem;
use crate::state::{App, Shared};

/// A sample question with its own material, for a first try.
#[derive(Serialize, ToSchema)]
pub(crate) struct ExampleState {
    name: &'static str,
    title: &'static str,
    /// What the example shows.
    shows: &'static str,
    method: &'static str,
    question: &'static str,
    /// The collection for its documents. Null if it uses a survey.
    collection: Option<&'static str>,
    /// The survey for its files. Null if it uses documents.
    survey: Option<&'static str>,
    /// Its run, as `POST /api/runs` takes it once the example is taken in. It asks no model and nobody outside.
    #[schema(schema_with = values::order)]
    order: Order,
}

impl From<&Example> for ExampleState {
    fn from(example: &Example) -> ExampleState {
        let (collection, survey) = match example.material {
            Material::Documents(name) => (Some(name), None),
            Material::Survey(name) => (None, Some(name)),
        };
        ExampleState {
            name: example.name,
            title: example.title,
            shows: example.shows,
            method: example.method,
            question: example.question,
            collection,
            survey,
            order: example.order(),
        }
    }
}

#[derive(Serialize, ToSchema)]
pub(crate) struct ExampleList {
    examples: Vec<ExampleState>,
}

/// List the examples this server can run.
#[utoipa::path(get, path = "/api/examples", tag = "examples", operation_id = "list_examples",
    responses((status = 200, body = ExampleList)))]
pub(crate) async fn list(State(app): State<Shared>, _user: User) -> Response {
    let known = ALL.iter().filter(|example| app.methods.find(example.method).is_some());
    json(&ExampleList { examples: known.map(ExampleState::from).collect() })
}

/// The example to load.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ExampleName {
    /// As `GET /api/examples` names it.
    #[schema(schema_with = values::example)]
    name: String,
}

/// Load an example: its files become a collection or a survey of the user. Files already there are kept. Examples do not count against
/// quotas.
#[utoipa::path(post, path = "/api/examples", tag = "examples", operation_id = "take_example",
    request_body = ExampleName,
    responses(
        (status = 201, description = "Files were added.", body = ExampleState),
        (status = 200, description = "Everything was already there.", body = ExampleState)))]
pub(crate) async fn take(
    State(app): State<Shared>,
    User(user): User,
    Json(ExampleName { name }): Json<ExampleName>,
) -> Result<Response, Problem> {
    let known = Example::find(&name).filter(|known| app.methods.find(known.method).is_some());
    let example = known.ok_or_else(|| {
        let name: String = run::grounding::clean(&name).chars().take(80).collect();
        Problem::invalid(format!("there is no example '{name}'"), "GET /api/examples lists them")
    })?;
    let there = digests(&app, &user, example.material).await?;
    let mut is_new = false;
    for (name, bytes) in example.files() {
        if !there.contains(&Hash::of(bytes).to_string()) {
            bring(&app, &user, example.material, name, bytes).await?;
            is_new = true;
        }
    }
    let mut response = json(&ExampleState::from(example)).into_response();
    if is_new {
        *response.status_mut() = StatusCode::CREATED;
    }
    Ok(response)
}

/// Returns the digests of the files that the user's collection or survey holds.
async fn digests(app: &App, user: &str, material: Material) -> Result<BTreeSet<String>, Problem> {
    match material {
        Material::Documents(collection) => {
            if app.library.collection(user, collection).await?.is_none() {
                return Ok(BTreeSet::new());
            }
            let documents = app.library.documents(user, collection).await?;
            Ok(documents.into_iter().map(|document| document.file_sha256).collect())
        }
        Material::Survey(survey) => {
            let kept = app.backend.survey(user, survey).await?;
            let files = kept.into_iter().flat_map(|kept| kept.survey.files);
            Ok(files.map(|file| file.sha256).collect())
        }
    }
}

/// Takes a file in the way that uploads take, with their limits and quotas.
async fn bring(
    app: &App,
    user: &str,
    material: Material,
    name: &'static str,
    bytes: &'static [u8],
) -> Result<(), Problem> {
    let limit = match material {
        Material::Documents(_) => "corpus.file_bytes",
        Material::Survey(_) => "survey.file_bytes",
    };
    let file = Upload::received(app, user, Body::from(bytes), limit).await?;
    let (backend, whose) = (Arc::clone(&app.backend), user.to_owned());
    let taking = async move {
        match material {
            Material::Documents(collection) => {
                backend.take_in(&whose, collection, file.path(), name).await.map(drop)
            }
            Material::Survey(survey) => {
                backend.keep_survey(&whose, survey, file.path(), name).await.map(drop)
            }
        }
    };
    app.uploads.once(user, None, taking).await.map(drop)
}
