//! Runs as tasks of the protocol: the id of a task is that of its run, and nothing else is kept.

use rmcp::ErrorData;
use rmcp::model::{DetailedTask, JsonObject, Task, TaskPayload, TaskStatus, UpdateTaskParams};
use run::log::{RunSummary, Status};
use serde_json::Value;

use super::output::tell;
use super::runs::{read_reply, requests, take_reply};
use super::to_error;
use crate::desk;
use crate::problem::Problem;
use crate::state::App;

/// How often a client should look, in milliseconds.
const POLL: u64 = 2_000;

/// Returns the task of a run that was just ordered.
pub(super) async fn begun(app: &App, user: &str, run: &str) -> Result<Task, Problem> {
    Ok(task_of(&app.log.summary(user, run).await?))
}

fn task_of(summary: &RunSummary) -> Task {
    let status = match summary.status {
        Status::Queued | Status::Running => TaskStatus::Working,
        Status::Waiting => TaskStatus::InputRequired,
        Status::Completed | Status::Partial => TaskStatus::Completed,
        Status::Cancelled => TaskStatus::Cancelled,
    };
    let (created, updated) = (summary.created_at.to_string(), summary.updated_at.to_string());
    Task::new(summary.run_id.clone(), status, created, updated).with_poll_interval_ms(POLL)
}

/// Returns how a task stands, with its result or what it asks.
pub(super) async fn get(app: &App, user: &str, run: &str) -> Result<DetailedTask, ErrorData> {
    let summary = app.log.summary(user, run).await.map_err(|error| to_error(&error.into()))?;
    let task = task_of(&summary);
    let payload = match task.status {
        TaskStatus::Cancelled => TaskPayload::Cancelled,
        TaskStatus::InputRequired | TaskStatus::Completed => {
            let told = tell(app, user, run).await.map_err(|problem| to_error(&problem))?;
            match task.status {
                TaskStatus::InputRequired => {
                    TaskPayload::InputRequired { input_requests: requests(&told.gates()) }
                }
                _ => TaskPayload::Completed { result: object(&told.result()) },
            }
        }
        _ => TaskPayload::Working,
    };
    let hindrance = app.queue.hindrance(user, run);
    let task = match hindrance.filter(|_| task.status == TaskStatus::Working) {
        Some(hindrance) => task.with_status_message(hindrance),
        None => task,
    };
    Ok(DetailedTask::new(task, payload))
}

fn object(result: &impl serde::Serialize) -> JsonObject {
    match serde_json::to_value(result) {
        Ok(Value::Object(fields)) => fields,
        _ => JsonObject::new(),
    }
}

/// Passes on what the client's user said.
pub(super) async fn update(
    app: &App,
    user: &str,
    request: UpdateTaskParams,
) -> Result<(), ErrorData> {
    let run = &request.task_id;
    for (key, reply) in request.input_responses {
        let reply = read_reply(&key, reply).map_err(|problem| to_error(&problem))?;
        take_reply(app, user, run, &key, reply).await.map_err(|problem| to_error(&problem))?;
    }
    Ok(())
}

/// Asks the run of a task to stop; one that has ended is left as it is.
pub(super) async fn cancel(app: &App, user: &str, run: &str) -> Result<(), ErrorData> {
    desk::stop(app, user, run).await.map(drop).map_err(|problem| to_error(&problem))
}
