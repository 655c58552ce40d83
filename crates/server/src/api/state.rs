//! A run in the form of the API.

use run::budget::dollars;
use run::entry::{Entry, Event};
use run::log::{RunSummary, Status};
use run::settings::Mode;
use run::views::{self, StepState};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;
use utoipa::ToSchema;

use super::values;

/// A run as shown in lists.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub(crate) struct Summary {
    run_id: String,
    method: String,
    question: String,
    /// The title given by the user.
    title: Option<String>,
    /// Whether the run is pinned.
    pinned: bool,
    #[schema(schema_with = values::status)]
    status: Status,
    tokens: u64,
    cost_usd: f64,
    #[schema(format = DateTime)]
    created_at: String,
    #[schema(format = DateTime)]
    updated_at: String,
    /// The number of log entries.
    entries: u64,
    /// Whether a stop was requested and has not taken effect yet.
    stopping: bool,
    /// In a text search: the part of the result that contains the text, if the question and title do not.
    snippet: Option<String>,
}

impl From<RunSummary> for Summary {
    fn from(run: RunSummary) -> Summary {
        Summary {
            run_id: run.run_id,
            method: run.method,
            question: run.question,
            title: run.title,
            pinned: run.pinned,
            status: run.status,
            tokens: run.tokens,
            cost_usd: dollars(run.cost_usd_micros),
            created_at: run.created_at.to_string(),
            updated_at: run.updated_at.to_string(),
            entries: run.entries,
            stopping: run.stopping,
            snippet: run.snippet,
        }
    }
}

/// The state of a run.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub(crate) struct RunState {
    #[serde(flatten)]
    summary: Summary,
    #[schema(schema_with = values::mode)]
    mode: Mode,
    model: Option<String>,
    strategy: Option<String>,
    collection: Option<String>,
    /// The run this one was forked from.
    forked_from: Option<String>,
    /// The method's version.
    version: u32,
    /// None before the end.
    #[schema(schema_with = values::outcome)]
    outcome: Option<run::Outcome>,
    /// The questions and approvals the run waits for.
    gates: Vec<OpenGate>,
    plan: Option<PlanState>,
    steps: Vec<Step>,
    usage: UsageState,
    /// Why the run ended before its result was complete.
    error: Option<StageError>,
    /// Why this server cannot continue the run.
    hindrance: Option<String>,
    log: LogState,
}

#[derive(Debug, Clone, Serialize, ToSchema, JsonSchema)]
pub(crate) struct OpenGate {
    pub(crate) gate: String,
    pub(crate) question: String,
    /// Why the question is asked.
    pub(crate) context: String,
    #[schema(schema_with = values::perhaps_plan)]
    pub(crate) plan: Option<run::plan::Plan>,
    revision: Option<u32>,
    plan_hash: Option<String>,
}

#[derive(Debug, Clone, Serialize, ToSchema)]
struct PlanState {
    #[schema(schema_with = values::plan)]
    plan: run::plan::Plan,
    revision: u32,
    plan_hash: String,
    #[schema(schema_with = values::plan_state)]
    state: views::PlanState,
}

#[derive(Debug, Clone, Serialize, ToSchema)]
struct Step {
    step: String,
    /// `provider/name`, or `offline`. Null for a step without an agent.
    model: Option<String>,
    #[schema(format = DateTime)]
    started_at: String,
    /// Null while it runs, or if the clock was set back in the meantime.
    milliseconds: Option<u64>,
    #[schema(schema_with = values::step_state)]
    state: StepState,
    /// The `agent_role` of its step in the approved plan. Null if there is no plan.
    within: Option<String>,
}

#[derive(Debug, Clone, Serialize, ToSchema)]
struct UsageState {
    input_tokens: u64,
    cached_tokens: u64,
    output_tokens: u64,
    /// The number of model calls.
    calls: u64,
    /// The number of calls without a reply.
    lost_calls: u64,
}

#[derive(Debug, Clone, Serialize, ToSchema)]
struct StageError {
    stage: String,
    message: String,
    retry_attempted: bool,
}

#[derive(Debug, Clone, Serialize, ToSchema)]
struct LogState {
    entries: u64,
    /// Whether the hash chain of the log is intact. Each entry is checked when it is first read.
    intact: bool,
}

impl RunState {
    pub(crate) fn of(
        summary: RunSummary,
        entries: &[Entry],
        hindrance: Option<String>,
        is_intact: bool,
    ) -> RunState {
        let start = views::start(entries);
        let settings = start.as_ref().map(|start| start.settings);
        let option = |key: &str| {
            let value = settings.and_then(|settings| settings.options.get(key));
            value.and_then(Value::as_str).filter(|text| !text.is_empty()).map(str::to_owned)
        };
        let cost = views::cost(entries);
        RunState {
            mode: settings.map_or(Mode::Offline, run::Settings::mode),
            model: settings.and_then(|settings| Some(settings.models.as_ref()?.main.clone())),
            strategy: option("strategy"),
            collection: option("collection"),
            forked_from: entries.iter().rev().find_map(|entry| match &entry.event {
                Event::Forked { from, .. } => Some(from.clone()),
                _ => None,
            }),
            version: start.map_or(0, |start| start.version),
            outcome: views::outcome(entries),
            gates: views::open_gates(entries).iter().map(OpenGate::of).collect(),
            plan: views::plan(entries).map(|plan| PlanState {
                plan: plan.proposal.plan.clone(),
                revision: plan.proposal.revision,
                plan_hash: plan.proposal.plan_hash.to_string(),
                state: plan.state,
            }),
            steps: views::timeline(entries).into_iter().map(Step::of).collect(),
            usage: UsageState {
                input_tokens: cost.usage.input_tokens,
                cached_tokens: cost.usage.cached_tokens,
                output_tokens: cost.usage.output_tokens,
                calls: cost.calls,
                lost_calls: cost.lost_calls,
            },
            error: entries.last().and_then(|entry| match &entry.event {
                Event::Stopped { stage, reason, retry_attempted, .. } => Some(StageError {
                    stage: stage.clone(),
                    message: reason.clone(),
                    retry_attempted: *retry_attempted,
                }),
                _ => None,
            }),
            hindrance: hindrance.filter(|_| !summary.status.is_final()),
            log: LogState { entries: entries.len() as u64, intact: is_intact },
            summary: summary.into(),
        }
    }

    /// Returns it with the parts that change without an entry.
    pub(super) fn now(self, summary: RunSummary, hindrance: Option<String>) -> RunState {
        let hindrance = hindrance.filter(|_| !summary.status.is_final());
        RunState { summary: summary.into(), hindrance, ..self }
    }

    /// Returns the number of entries it was made from.
    pub(super) fn entries(&self) -> u64 {
        self.log.entries
    }
}

impl OpenGate {
    pub(crate) fn of(gate: &views::Gate<'_>) -> OpenGate {
        let proposal = gate.plan.as_ref();
        OpenGate {
            gate: gate.name.to_owned(),
            question: gate.ask.question.clone(),
            context: gate.ask.context.clone(),
            plan: proposal.map(|proposal| proposal.plan.clone()),
            revision: proposal.map(|proposal| proposal.revision),
            plan_hash: proposal.map(|proposal| proposal.plan_hash.to_string()),
        }
    }
}

impl Step {
    fn of(line: views::StepLine) -> Step {
        Step {
            step: line.step,
            model: line.model,
            started_at: line.started_at.to_string(),
            milliseconds: line.milliseconds,
            state: line.state,
            within: line.within,
        }
    }
}
