//! The API: which handler answers at which path, and the OpenAPI document that is made from them.

mod collections;
mod documents;
mod events;
mod extract;
mod gates;
mod operation;
mod runs;
mod session;
mod state;

use std::time::Instant;

use axum::Router;
use axum::extract::{MatchedPath, Request, State};
use axum::http::Method;
use axum::middleware::{self, Next};
use axum::response::{IntoResponse, Response};
use schemars::generate::SchemaSettings;
use serde_json::{Value, json};
use utoipa::OpenApi;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::app::Shared;
use crate::guard::guard;
use crate::page;
use crate::problem::{Kind, Problem, ProblemDocument};

#[derive(OpenApi)]
#[openapi(
    info(title = "Quaestio", description = "Grounded research: ask a hard question, get an answer you can check."),
    components(schemas(ProblemDocument)),
    tags(
        (name = "runs", description = "Research under way and done."),
        (name = "gates", description = "Where a run waits for a person."),
        (name = "collections", description = "Documents to answer from."),
        (name = "documents", description = "What citations lead to."),
        (name = "session", description = "Who is signed in."),
        (name = "operation", description = "How the server is."),
    ),
)]
struct Description;

fn described() -> OpenApiRouter<Shared> {
    OpenApiRouter::with_openapi(Description::openapi())
        .routes(routes!(runs::estimate))
        .routes(routes!(runs::list, runs::create))
        .routes(routes!(runs::get))
        .routes(routes!(runs::result))
        .routes(routes!(runs::report))
        .routes(routes!(runs::evidence))
        .routes(routes!(events::events))
        .routes(routes!(runs::cancel))
        .routes(routes!(runs::fork))
        .routes(routes!(runs::export))
        .routes(routes!(gates::answer))
        .routes(routes!(gates::edit))
        .routes(routes!(gates::approve))
        .routes(routes!(gates::reject))
        .routes(routes!(collections::list, collections::create))
        .routes(routes!(collections::remove))
        .routes(routes!(collections::documents, collections::upload))
        .routes(routes!(documents::get, documents::remove))
        .routes(routes!(documents::text))
        .routes(routes!(documents::passage))
        .routes(routes!(session::get, session::sign_in, session::sign_out))
        .routes(routes!(operation::settings))
        .routes(routes!(operation::live))
        .routes(routes!(operation::ready))
        .routes(routes!(operation::metrics))
        .routes(routes!(operation::openapi))
}

/// Returns the OpenAPI document.
pub(crate) fn openapi() -> Value {
    let (_, description) = described().split_for_parts();
    let mut document = serde_json::to_value(&description).unwrap_or_default();
    document["info"]["version"] = json!(env!("CARGO_PKG_VERSION"));
    if let Some(schemas) =
        document.pointer_mut("/components/schemas").and_then(Value::as_object_mut)
    {
        let order = SchemaSettings::draft2020_12()
            .with(|settings| {
                settings.inline_subschemas = true;
                settings.meta_schema = None;
            })
            .into_generator()
            .into_root_schema_for::<methods::order::Order>();
        schemas.insert("Order".into(), order.to_value());
    }
    let problem = json!({
        "description": "A problem document: `detail` says what went wrong, `hint` what to do.",
        "content": {"application/problem+json": {"schema": {"$ref": "#/components/schemas/ProblemDocument"}}}
    });
    let paths = document.get_mut("paths").and_then(Value::as_object_mut);
    for operations in paths.into_iter().flatten().filter_map(|(_, item)| item.as_object_mut()) {
        for operation in operations.values_mut() {
            if let Some(responses) = operation.get_mut("responses").and_then(Value::as_object_mut) {
                responses.insert("default".into(), problem.clone());
            }
        }
    }
    document
}

/// Returns everything that is served.
pub(crate) fn router(app: Shared) -> Router {
    let (api, _) = described().split_for_parts();
    api.route("/", axum::routing::get(page::index))
        .route("/page/{*path}", axum::routing::get(page::asset))
        .fallback(nothing)
        .method_not_allowed_fallback(not_that_way)
        .layer(middleware::from_fn_with_state(app.clone(), guard))
        .layer(middleware::from_fn_with_state(app.clone(), measure))
        .with_state(app)
}

async fn nothing(request: Request) -> Problem {
    Problem::no_such("page", request.uri().path())
}

async fn not_that_way(method: Method) -> Response {
    let detail = format!("{method} is not answered here");
    Problem::new(Kind::MethodNotAllowed, detail, "/openapi.json lists what is").into_response()
}

/// Counts the request and how long its answer took to begin.
async fn measure(
    State(app): State<Shared>,
    route: Option<MatchedPath>,
    request: Request,
    next: Next,
) -> Response {
    let began = Instant::now();
    let method = request.method().clone();
    let is_known = matches!(
        method,
        Method::GET | Method::HEAD | Method::POST | Method::PUT | Method::DELETE | Method::OPTIONS
    );
    let response = next.run(request).await;
    let route = route.as_ref().map_or("other", |route| route.as_str());
    let method = if is_known { method.as_str() } else { "OTHER" };
    let seconds = began.elapsed().as_secs_f64();
    app.metrics.answered(method, route, response.status().as_u16(), seconds);
    response
}
