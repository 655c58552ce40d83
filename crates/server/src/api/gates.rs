//! Gates: answer, edit a plan, approve it, reject it.

use axum::extract::State;
use axum::response::Response;
use run::entry::Hash;
use run::log::Status;
use run::plan::Plan;
use run::work::{self, Seen};
use serde::Deserialize;
use utoipa::ToSchema;

use super::extract::{Id, Json};
use super::runs::told;
use super::state::RunState;
use super::values;
use crate::guard::User;
use crate::problem::Problem;
use crate::state::Shared;

#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct AnswerBody {
    /// The question to answer, if the run asks more than one.
    #[serde(default)]
    gate: Option<String>,
    #[schema(pattern = r"\S")]
    answer: String,
}

/// Answer a question of a run. A second answer is refused.
#[utoipa::path(post, path = "/api/runs/{run_id}/answer", tag = "gates", operation_id = "answer", params(("run_id" = String, Path)),
    request_body = AnswerBody, responses((status = 200, body = RunState)))]
pub(crate) async fn answer(
    State(app): State<Shared>,
    User(user): User,
    Id(run): Id,
    Json(body): Json<AnswerBody>,
) -> Result<Response, Problem> {
    let said = body.answer.trim();
    if said.is_empty() {
        return Err(Problem::invalid("the answer is empty", "write something, or cancel the run"));
    }
    work::answer(app.world(), &user, &run, body.gate.as_deref(), said, &user).await?;
    app.heard(&user, &run);
    told(&app, &user, &run).await
}

#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct PlanBody {
    #[serde(default)]
    gate: Option<String>,
    /// The revision that was edited and its hash. The edit is refused if the plan has changed since.
    revision: u32,
    #[schema(value_type = String, pattern = "^[0-9A-Fa-f]{64}$")]
    plan_hash: Hash,
    #[schema(schema_with = values::plan)]
    plan: Plan,
}

/// Save an edited plan as a new revision.
#[utoipa::path(put, path = "/api/runs/{run_id}/plan", tag = "gates", operation_id = "edit_plan", params(("run_id" = String, Path)),
    request_body = PlanBody, responses((status = 200, body = RunState)))]
pub(crate) async fn edit(
    State(app): State<Shared>,
    User(user): User,
    Id(run): Id,
    Json(body): Json<PlanBody>,
) -> Result<Response, Problem> {
    let PlanBody { gate, revision, plan_hash, plan } = body;
    let seen = Seen { revision, plan_hash };
    let revised = work::revise(app.world(), &user, &run, gate.as_deref(), seen, plan, &user).await;
    if let Err(error) = revised {
        return Err(work::out_of_phase(app.world(), &user, &run, "edit_plan", error).await.into());
    }
    told(&app, &user, &run).await
}

#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ApproveBody {
    #[serde(default)]
    gate: Option<String>,
    /// The revision to approve. Defaults to the latest.
    #[serde(default)]
    revision: Option<u32>,
    #[serde(default)]
    #[schema(value_type = Option<String>)]
    plan_hash: Option<Hash>,
}

/// Returns the plan that the approving user sees, or `None` for the latest.
pub(super) fn parse_seen(
    revision: Option<u32>,
    plan_hash: Option<Hash>,
) -> Result<Option<Seen>, Problem> {
    match (revision, plan_hash) {
        (Some(revision), Some(plan_hash)) => Ok(Some(Seen { revision, plan_hash })),
        (None, None) => Ok(None),
        _ => Err(Problem::invalid("give revision and plan_hash together", "give both")),
    }
}

/// Approve a plan, so that the run continues with it. An outdated revision is refused.
#[utoipa::path(post, path = "/api/runs/{run_id}/approve", tag = "gates", operation_id = "approve_plan", params(("run_id" = String, Path)),
    request_body = ApproveBody, responses((status = 200, body = RunState)))]
pub(crate) async fn approve(
    State(app): State<Shared>,
    User(user): User,
    Id(run): Id,
    Json(body): Json<ApproveBody>,
) -> Result<Response, Problem> {
    let seen = parse_seen(body.revision, body.plan_hash)?;
    work::approve(app.world(), &user, &run, body.gate.as_deref(), seen, &user).await?;
    app.heard(&user, &run);
    told(&app, &user, &run).await
}

#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct RejectBody {
    #[serde(default)]
    gate: Option<String>,
    #[serde(default)]
    reason: String,
}

/// Reject a plan. The run is cancelled, and the plan is not carried out.
#[utoipa::path(post, path = "/api/runs/{run_id}/reject", tag = "gates", operation_id = "reject_plan", params(("run_id" = String, Path)),
    request_body = RejectBody, responses((status = 200, body = RunState)))]
pub(crate) async fn reject(
    State(app): State<Shared>,
    User(user): User,
    Id(run): Id,
    Json(body): Json<RejectBody>,
) -> Result<Response, Problem> {
    let RejectBody { gate, reason } = body;
    work::reject(app.world(), &user, &run, gate.as_deref(), &reason, &user).await?;
    app.ended(&user, &run, Status::Cancelled).await;
    told(&app, &user, &run).await
}
