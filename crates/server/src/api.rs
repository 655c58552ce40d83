//! The API: the handlers by path, and the OpenAPI document made from them.

mod collections;
mod configuration;
mod contexts;
mod debate;
mod documents;
mod events;
mod examples;
mod extract;
mod file_name;
mod gates;
mod once;
mod operation;
mod refusals;
pub(crate) mod request;
mod results;
mod runs;
mod session;
mod shares;
mod standing;
mod state;
mod surveys;
mod upload;
mod values;
mod workflows;

use std::time::Instant;

use axum::Router;
use axum::extract::{MatchedPath, Request, State};
use axum::http::{HeaderValue, Method, Uri};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse, Response};
use methods::order::{Order, schema_of};
use run::Methods;
use serde_json::{Value, json};
use utoipa::OpenApi;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::Answered;
use crate::guard::{COOKIE, User, guard};
use crate::mcp;
use crate::openai;
use crate::page;
use crate::problem::{Kind, Problem, ProblemDocument};
use crate::state::Shared;
use ::app::Choices;

pub(crate) use documents::cut_span;
pub(crate) use events::{Counted, Frames};
pub(crate) use extract::{aside, is_id, json, leave_unread, must_be, whole};
pub(crate) use once::{Uploads, request_key};
pub(crate) use results::placed;
pub(crate) use standing::Standing;
pub(crate) use state::{OpenGate, RunState};

#[derive(OpenApi)]
#[openapi(
    info(title = "Quaestio", description = "Grounded research: ask a hard question, get an answer you can check."),
    components(schemas(ProblemDocument)),
    tags(
        (name = "runs", description = "Research under way and done."),
        (name = "gates", description = "Where a run waits for a person."),
        (name = "workflows", description = "Research that is clarified, planned and approved before it begins: the same runs, step by step."),
        (name = "debate", description = "Two scientists argue, told as plain text: the same runs, by the operations that clients of such debates know."),
        (name = "collections", description = "Documents to answer from."),
        (name = "documents", description = "What citations lead to."),
        (name = "surveys", description = "Survey data to summarise."),
        (name = "examples", description = "Questions over material of the program, to see what an answer looks like."),
        (name = "contexts", description = "Startups that were explored before."),
        (name = "shared", description = "What others read of a run by a link to it, without an account."),
        (name = "session", description = "Who is signed in."),
        (name = "configuration", description = "What the server is set up with, and whether that works."),
        (name = "operation", description = "How the server is."),
    ),
)]
struct Description;

fn described() -> OpenApiRouter<Shared> {
    OpenApiRouter::with_openapi(Description::openapi())
        .routes(routes!(runs::estimate))
        .routes(routes!(runs::list, runs::create, runs::prune))
        .routes(routes!(runs::get, runs::label, runs::remove))
        .routes(routes!(shares::list, shares::create))
        .routes(routes!(shares::remove))
        .routes(routes!(shares::get))
        .routes(routes!(shares::result))
        .routes(routes!(shares::report))
        .routes(routes!(shares::evidence))
        .routes(routes!(results::result))
        .routes(routes!(results::report))
        .routes(routes!(results::evidence))
        .routes(routes!(results::diff))
        .routes(routes!(events::events))
        .routes(routes!(runs::cancel))
        .routes(routes!(runs::fork))
        .routes(routes!(results::export))
        .routes(routes!(gates::answer))
        .routes(routes!(gates::edit))
        .routes(routes!(gates::approve))
        .routes(routes!(gates::reject))
        .routes(routes!(workflows::start))
        .routes(routes!(workflows::get))
        .routes(routes!(workflows::answer_questions))
        .routes(routes!(workflows::approve_plan))
        .routes(routes!(workflows::reject_plan))
        .routes(routes!(debate::stream))
        .routes(routes!(debate::ask))
        .routes(routes!(debate::interrupt))
        .routes(routes!(debate::again))
        .routes(routes!(collections::list, collections::create))
        .routes(routes!(collections::remove))
        .routes(routes!(collections::documents, collections::upload))
        .routes(routes!(documents::get, documents::remove))
        .routes(routes!(documents::text))
        .routes(routes!(documents::page))
        .routes(routes!(documents::file))
        .routes(routes!(documents::passage))
        .routes(routes!(surveys::list))
        .routes(routes!(surveys::get, surveys::upload, surveys::remove))
        .routes(routes!(examples::list, examples::take))
        .routes(routes!(contexts::list, contexts::create))
        .routes(routes!(contexts::get, contexts::replace, contexts::remove))
        .routes(routes!(contexts::undo))
        .routes(routes!(session::get, session::sign_in, session::sign_out))
        .routes(routes!(operation::settings))
        .routes(routes!(configuration::get, configuration::change))
        .routes(routes!(configuration::try_out))
        .routes(routes!(configuration::doctor, configuration::doctor_over_network))
        .routes(routes!(operation::live))
        .routes(routes!(operation::ready))
        .routes(routes!(operation::metrics))
        .routes(routes!(operation::openapi))
}

/// Returns the OpenAPI document of a server with these methods; `choices` says what an order of each may contain.
pub(crate) fn openapi(methods: &Methods, choices: Option<&Choices>) -> Value {
    let (_, description) = described().split_for_parts();
    let mut document = serde_json::to_value(&description).unwrap_or_default();
    document["info"]["version"] = json!(env!("CARGO_PKG_VERSION"));
    if let Some(schemas) =
        document.pointer_mut("/components/schemas").and_then(Value::as_object_mut)
    {
        let mut order = schema_of::<Order>();
        let names: Vec<&str> = methods.iter().map(|method| method.name).collect();
        for required in ["method", "question"] {
            if let Some(field) = order["properties"][required].as_object_mut() {
                field.remove("default");
            }
        }
        order["properties"]["method"]["enum"] = json!(names);
        order["properties"]["question"]["pattern"] = json!(refusals::SAYS_SOMETHING);
        schemas.insert("WorkflowStart".into(), workflows::start_schema(&order));
        schemas.insert("WorkflowState".into(), schema_of::<run::views::WorkflowState>());
        schemas.insert("RunDifference".into(), schema_of::<methods::difference::Difference>());
        schemas.insert("Order".into(), order);
        values::add(schemas);
    }
    let problem = json!({
        "description": "A problem document: `detail` says what went wrong, `hint` what to do.",
        "content": {"application/problem+json": {"schema": {"$ref": "#/components/schemas/ProblemDocument"}}}
    });
    let paths = document.get_mut("paths").and_then(Value::as_object_mut);
    for operations in paths.into_iter().flatten().filter_map(|(_, item)| item.as_object_mut()) {
        for operation in operations.values_mut() {
            if let Some(responses) = operation.get_mut("responses").and_then(Value::as_object_mut) {
                for (status, response) in responses.iter_mut() {
                    if response.get("description").is_none_or(|said| said == "") {
                        response["description"] = json!(meaning(status));
                    }
                }
                responses.insert("default".into(), problem.clone());
            }
        }
    }
    refusals::describe(&mut document, choices);
    link(&mut document);
    // Applies only if tokens are configured.
    document["components"]["securitySchemes"] = json!({
        "token": {"type": "http", "scheme": "bearer"},
        "session": {"type": "apiKey", "in": "cookie", "name": COOKIE},
    });
    document["security"] = json!([{}, {"token": []}, {"session": []}]);
    document
}

/// The operations that create something, and the parameter by which others refer to it.
const MADE: [(&str, &str, &str, &str); 6] = [
    ("/paths/~1api~1runs/post/responses/201", "run_id", "$response.body#/run_id", "Run"),
    (
        "/paths/~1api~1runs~1{run_id}~1fork/post/responses/201",
        "run_id",
        "$response.body#/run_id",
        "Fork",
    ),
    (
        "/paths/~1api~1workflows/post/responses/201",
        "workflow_id",
        "$response.body#/workflow_id",
        "Workflow",
    ),
    (
        "/paths/~1api~1collections/post/responses/201",
        "collection",
        "$response.body#/name",
        "Collection",
    ),
    (
        "/paths/~1api~1collections~1{collection}~1documents/post/responses/201",
        "document_id",
        "$response.body#/document/document_id",
        "Document",
    ),
    ("/paths/~1api~1contexts/post/responses/201", "context_id", "$response.body#/id", "Context"),
];

/// Links each creating operation to those that use its result.
fn link(document: &mut Value) {
    for (made, parameter, found_at, name) in MADE {
        let mut links = serde_json::Map::new();
        let paths = document["paths"].as_object().into_iter().flatten();
        for (_, item) in paths.filter(|(path, _)| path.contains(&format!("{{{parameter}}}"))) {
            let operations = item.as_object().into_iter().flat_map(|item| item.values());
            for id in operations.filter_map(|operation| operation["operationId"].as_str()) {
                let parameters = json!({ format!("path.{parameter}"): found_at });
                links.insert(
                    format!("{name}.{id}"),
                    json!({ "operationId": id, "parameters": parameters }),
                );
            }
        }
        if let Some(response) = document.pointer_mut(made) {
            response["links"] = Value::Object(links);
        }
    }
}

/// Returns the default meaning of a status.
fn meaning(status: &str) -> &'static str {
    match status {
        "201" => "It was made.",
        "202" => "It was asked for.",
        "204" => "It was done.",
        _ => "What was asked for.",
    }
}

/// Returns the router of everything that is served.
pub(crate) fn router(app: Shared) -> Router {
    let (api, _) = described().split_for_parts();
    api.merge(openai::routes())
        .route("/", axum::routing::get(page::index))
        .route(mcp::PATH, axum::routing::any(mcp::serve_http))
        .route("/page/{*path}", axum::routing::get(page::asset))
        .fallback(nothing)
        .method_not_allowed_fallback(not_that_way)
        .layer(middleware::from_fn_with_state(app.clone(), guard))
        .layer(middleware::from_fn(openai::reword_errors))
        .layer(middleware::from_fn_with_state(app.clone(), measure))
        .with_state(app)
}

async fn nothing(request: Request) -> Problem {
    Problem::no_such("page", request.uri().path())
}

async fn not_that_way(method: Method, uri: Uri) -> Response {
    let detail = format!("{method} is not answered here");
    let hint = if uri.path().starts_with(openai::PATH) {
        "GET /v1/models lists the models, and docs/manual/chat-front-ends.md the operations"
    } else {
        "/openapi.json lists what is"
    };
    Problem::new(Kind::MethodNotAllowed, detail, hint).into_response()
}

/// Counts the request and measures the time until its answer began.
async fn measure(
    State(app): State<Shared>,
    route: Option<MatchedPath>,
    request: Request,
    next: Next,
) -> Response {
    let began = Instant::now();
    let id = request::id_of(request.headers());
    let method = request.method().clone();
    let is_known = matches!(
        method,
        Method::GET
            | Method::HEAD
            | Method::POST
            | Method::PUT
            | Method::PATCH
            | Method::DELETE
            | Method::OPTIONS
    );
    let path = route.is_some().then(|| request.uri().path().to_owned());
    let mut response = request::within(id.clone(), next.run(request)).await;
    let route = route.as_ref().map_or("other", |route| route.as_str());
    let method = if is_known { method.as_str() } else { "OTHER" };
    let seconds = began.elapsed().as_secs_f64();
    let status = response.status().as_u16();
    app.metrics.answered(method, route, status, seconds);
    let milliseconds = u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX);
    let path = path.as_deref().unwrap_or("other");
    let run = request::run_of(route, path, response.headers());
    let user = response.extensions().get::<User>().map(|user| user.0.as_str());
    app.host.witness.answered(&Answered {
        request: &id,
        user,
        run: run.as_deref(),
        method,
        path,
        status,
        milliseconds,
    });
    if let Ok(id) = HeaderValue::from_str(&id) {
        response.headers_mut().insert(request::HEADER, id);
    }
    response
}
