//! Workflows: ordinary runs, by the operations of clarify, plan, approve.

use std::collections::BTreeMap;
use std::time::Duration;

use axum::extract::State;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::Response;
use methods::order::Order;
use run::entry::Hash;
use run::log::Status;
use run::views;
use run::work::{self, AnswerError};
use serde::Deserialize;
use serde_json::{Map, Value, json};
use utoipa::{IntoParams, ToSchema};

use super::extract::{Id, Json, Query, aside, json};
use super::gates::parse_seen;
use super::refusals::SAYS_SOMETHING;
use super::runs;
use crate::desk::Started;
use crate::guard::User;
use crate::problem::{Kind, Problem};
use crate::state::App;
use crate::state::Shared;

/// The default method of a workflow.
const METHOD: &str = "market";
/// The default time that an operation waits for the next event, in seconds.
const WAIT: u64 = 30;
/// The longest accepted wait, in seconds.
const LONGEST_WAIT: u64 = 600;

#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub(crate) struct WaitQuery {
    /// How many seconds to wait for a question, a plan or the end, up to 600. The response then gives the current state. Defaults to 30
    /// for starting and answering, and to 0 otherwise.
    #[param(minimum = 0, maximum = 600)]
    wait: Option<u64>,
}

impl WaitQuery {
    fn or(&self, usual: u64) -> Result<Duration, Problem> {
        match self.wait.unwrap_or(usual) {
            seconds @ ..=LONGEST_WAIT => Ok(Duration::from_secs(seconds)),
            _ => {
                Err(Problem::invalid(format!("wait must be from 0 to {LONGEST_WAIT} seconds"), ""))
            }
        }
    }
}

/// The body that starts a workflow: an order with a message instead of a question.
#[derive(Deserialize)]
pub(crate) struct StartBody {
    user_message: String,
    #[serde(default)]
    user_id: Option<String>,
    #[serde(flatten)]
    order: Map<String, Value>,
}

/// Returns the schema of the body that starts a workflow, made from that of an order.
pub(super) fn start_schema(order: &Value) -> Value {
    let mut schema = order.clone();
    schema["title"] = json!("WorkflowStart");
    schema["description"] = json!(
        "The request for a workflow: the same as for a run, with a message instead of the question."
    );
    schema["required"] = json!(["user_message"]);
    if let Some(fields) = schema["properties"].as_object_mut() {
        fields.remove("question");
        let message = json!({"type": "string", "pattern": SAYS_SOMETHING, "description": "What to explore, in the user's words."});
        fields.insert("user_message".into(), message);
        let whose = json!({"type": ["string", "null"], "description": "The user of the workflow. It must be the signed-in user."});
        fields.insert("user_id".into(), whose);
        for (field, usual) in
            [("method", json!(METHOD)), ("clarify", json!(true)), ("plan", json!(true))]
        {
            if let Some(field) = fields.get_mut(field).and_then(Value::as_object_mut) {
                field.insert("default".into(), usual);
            }
        }
    }
    schema
}

impl StartBody {
    /// Returns the order: by default of the market method, clarified and planned.
    fn order(self) -> Result<Order, Problem> {
        let StartBody { user_message, mut order, .. } = self;
        if order.contains_key("question") {
            return Err(Problem::invalid(
                "a workflow takes user_message, not question",
                "leave question out",
            ));
        }
        order.insert("question".into(), user_message.into());
        for (field, usual) in
            [("method", json!(METHOD)), ("clarify", json!(true)), ("plan", json!(true))]
        {
            let said = order.entry(field).or_insert_with(|| usual.clone());
            if said.is_null() && field != "method" {
                *said = usual;
            }
        }
        serde_json::from_value(Value::Object(order)).map_err(|error| {
            let detail = run::grounding::clean(&error.to_string());
            Problem::invalid(detail, "/openapi.json describes the body")
        })
    }
}

/// Start a workflow: questions first, then a plan. Research starts only when the plan is approved.
#[utoipa::path(post, path = "/api/workflows", tag = "workflows", operation_id = "start_workflow",
    params(WaitQuery, ("Idempotency-Key" = Option<String>, Header, pattern = "^[!-~]{1,200}$",
        description = "Sending the same request again with the same key starts no second workflow. 1 to 200 visible ASCII characters.")),
    request_body(content = ref("#/components/schemas/WorkflowStart"), content_type = "application/json"),
    responses(
        (status = 201, body = ref("#/components/schemas/WorkflowState"), headers(("Location" = String))),
        (status = 200, description = "A request with this key has already started this workflow.", body = ref("#/components/schemas/WorkflowState"), headers(("Location" = String)))))]
pub(crate) async fn start(
    State(app): State<Shared>,
    User(user): User,
    Query(query): Query<WaitQuery>,
    headers: HeaderMap,
    Json(body): Json<StartBody>,
) -> Result<Response, Problem> {
    own(&user, body.user_id.as_deref())?;
    let wait = query.or(WAIT)?;
    let order = body.order()?;
    let Started { run, is_repeated } = runs::start(&app, &user, &headers, &order).await?;
    let mut response = state(&app, &user, &run, wait).await?;
    if !is_repeated {
        *response.status_mut() = StatusCode::CREATED;
    }
    if let Ok(address) = HeaderValue::from_str(&format!("/api/workflows/{run}")) {
        response.headers_mut().insert(header::LOCATION, address);
    }
    Ok(response)
}

/// Get the state of a workflow.
#[utoipa::path(get, path = "/api/workflows/{workflow_id}", tag = "workflows", operation_id = "get_workflow",
    params(("workflow_id" = String, Path), WaitQuery),
    responses((status = 200, body = ref("#/components/schemas/WorkflowState"))))]
pub(crate) async fn get(
    State(app): State<Shared>,
    User(user): User,
    Id(run): Id,
    Query(query): Query<WaitQuery>,
) -> Result<Response, Problem> {
    state(&app, &user, &run, query.or(0)?).await
}

#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct AnswersBody {
    #[serde(default)]
    user_id: Option<String>,
    /// Answers by question id, or a list. Answers in a list without an id belong to q1, q2, … in order. Questions without an answer are
    /// skipped.
    answers: Answers,
}

#[derive(Deserialize, ToSchema)]
#[serde(untagged, expecting = "answers must be texts by question id, or a list")]
enum Answers {
    ById(BTreeMap<String, Option<String>>),
    Listed(Vec<Listed>),
}

#[derive(Deserialize, ToSchema)]
#[serde(untagged, expecting = "an answer must be a text, or an object with an id and an answer")]
enum Listed {
    Said(Option<String>),
    Named(Named),
}

#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct Named {
    #[serde(default)]
    id: Option<String>,
    answer: Option<String>,
}

impl Answers {
    /// Returns the answers by the id of their question.
    fn by_id(self) -> Result<BTreeMap<String, String>, Problem> {
        let said = |answer: Option<String>| answer.unwrap_or_default().trim().to_owned();
        let listed = match self {
            Answers::ById(answers) => {
                return Ok(answers.into_iter().map(|(id, answer)| (id, said(answer))).collect());
            }
            Answers::Listed(listed) => listed,
        };
        let mut answers = BTreeMap::new();
        for (number, one) in (1..).zip(listed) {
            let (id, answer) = match one {
                Listed::Said(answer) => (None, answer),
                Listed::Named(Named { id, answer }) => (id, answer),
            };
            let id = id.unwrap_or_else(|| format!("q{number}"));
            if answers.insert(id.clone(), said(answer)).is_some() {
                let id: String = run::grounding::clean(&id).chars().take(80).collect();
                return Err(Problem::invalid(
                    format!("there are two answers to question '{id}'"),
                    "an answer without an id belongs to the question at its position in the list",
                ));
            }
        }
        Ok(answers)
    }
}

/// Answer all questions at once. Questions without an answer are skipped.
#[utoipa::path(post, path = "/api/workflows/{workflow_id}/answer_questions", tag = "workflows", operation_id = "answer_questions",
    params(("workflow_id" = String, Path), WaitQuery), request_body = AnswersBody,
    responses((status = 200, body = ref("#/components/schemas/WorkflowState"))))]
pub(crate) async fn answer_questions(
    State(app): State<Shared>,
    User(user): User,
    Id(run): Id,
    Query(query): Query<WaitQuery>,
    Json(body): Json<AnswersBody>,
) -> Result<Response, Problem> {
    own(&user, body.user_id.as_deref())?;
    let wait = query.or(WAIT)?;
    let answers = body.answers.by_id()?;
    match work::answer_all(app.world(), &user, &run, &answers, &user).await {
        Ok(()) => {}
        Err(AnswerError::NoSuchGate { gate, open, .. }) => {
            let gate: String = run::grounding::clean(&gate).chars().take(80).collect();
            let detail = format!("there is no open question '{gate}'; open: {open}");
            return Err(Problem::invalid(detail, "answer those, or leave them out to skip them"));
        }
        Err(error) => return Err(error.into()),
    }
    app.heard(&user, &run);
    state(&app, &user, &run, wait).await
}

#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ApprovalBody {
    #[serde(default)]
    user_id: Option<String>,
    /// The plan, if more than one waits.
    #[serde(default)]
    gate: Option<String>,
    /// The revision to approve. Defaults to the latest.
    #[serde(default)]
    revision: Option<u32>,
    #[serde(default)]
    #[schema(value_type = Option<String>)]
    plan_hash: Option<Hash>,
}

/// Approve the plan, so that it is carried out. An outdated revision is refused.
#[utoipa::path(post, path = "/api/workflows/{workflow_id}/approve_plan", tag = "workflows", operation_id = "approve_workflow",
    params(("workflow_id" = String, Path), WaitQuery), request_body = ApprovalBody,
    responses((status = 200, body = ref("#/components/schemas/WorkflowState"))))]
pub(crate) async fn approve_plan(
    State(app): State<Shared>,
    User(user): User,
    Id(run): Id,
    Query(query): Query<WaitQuery>,
    Json(body): Json<ApprovalBody>,
) -> Result<Response, Problem> {
    own(&user, body.user_id.as_deref())?;
    let wait = query.or(0)?;
    let seen = parse_seen(body.revision, body.plan_hash)?;
    let gate = body.gate.as_deref();
    if let Err(error) = work::approve(app.world(), &user, &run, gate, seen, &user).await {
        return Err(work::out_of_phase(app.world(), &user, &run, "approve_plan", error)
            .await
            .into());
    }
    app.heard(&user, &run);
    state(&app, &user, &run, wait).await
}

#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct RejectionBody {
    #[serde(default)]
    user_id: Option<String>,
    #[serde(default)]
    gate: Option<String>,
    #[serde(default)]
    reason: String,
}

/// Reject the plan. The workflow is cancelled, and the plan is not carried out.
#[utoipa::path(post, path = "/api/workflows/{workflow_id}/reject_plan", tag = "workflows", operation_id = "reject_workflow",
    params(("workflow_id" = String, Path)), request_body = RejectionBody,
    responses((status = 200, body = ref("#/components/schemas/WorkflowState"))))]
pub(crate) async fn reject_plan(
    State(app): State<Shared>,
    User(user): User,
    Id(run): Id,
    Json(body): Json<RejectionBody>,
) -> Result<Response, Problem> {
    own(&user, body.user_id.as_deref())?;
    let RejectionBody { gate, reason, .. } = body;
    let rejected = work::reject(app.world(), &user, &run, gate.as_deref(), &reason, &user).await;
    if let Err(error) = rejected {
        return Err(work::out_of_phase(app.world(), &user, &run, "reject_plan", error)
            .await
            .into());
    }
    app.ended(&user, &run, Status::Cancelled).await;
    app.feeds.tell(&user, &run);
    state(&app, &user, &run, Duration::ZERO).await
}

/// Refuses a body that names another user.
fn own(user: &str, said: Option<&str>) -> Result<(), Problem> {
    match said {
        Some(other) if other != user => {
            let other: String = run::grounding::clean(other).chars().take(80).collect();
            let detail = format!("user_id is '{other}', but you are signed in as '{user}'");
            Err(Problem::new(Kind::Forbidden, detail, "leave user_id out, or sign in as that user"))
        }
        _ => Ok(()),
    }
}

/// Returns the state of a workflow, once it rests or the time is over.
async fn state(app: &App, user: &str, run: &str, wait: Duration) -> Result<Response, Problem> {
    let summary = app.log.summary(user, run).await?;
    let rests = summary.status == Status::Waiting || summary.status.is_final();
    // Without a place, the client is answered at once.
    if !wait.is_zero()
        && !rests
        && let Ok(_place) = app.streams.take(user)
    {
        let resting = app.feeds.at_rest(user, run, summary.entries);
        // After the timeout, the current state is returned.
        let _ = tokio::time::timeout(wait, resting).await;
    }
    let entries = app.log.entries(user, run, 0).await?;
    let id = run.to_owned();
    let state = aside(move || views::workflow(&id, &entries)).await?;
    state.map(|state| json(&state)).ok_or_else(|| Problem::no_such("run", run))
}
