//! A run as a workflow: its phase, questions, plan and results.

use std::collections::BTreeMap;
use std::fmt;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Value, json};

use super::gates::{self, PlanState, Planned};
use crate::contexts::StartupContext;
use crate::entry::{Entry, Event, Hash};
use crate::log::Status;
use crate::plan::Plan;
use crate::stages;

/// The steps before the method's own: looking up the user's startup, asking, planning.
const BEFORE: [&str; 5] = ["startups", "startup", "clarifier", "planner", "past runs"];
/// The step whose value is the startup context with which the run begins.
const STARTUP: &str = "startup #1";

/// How far a workflow has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Phase {
    /// Questions are made, wait for answers, or were answered and a plan is made of it.
    Clarify,
    /// A plan is made, or waits for approval; an amendment as well.
    Plan,
    Execute,
    Completed,
    Cancelled,
}

impl fmt::Display for Phase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Phase::Clarify => "clarify",
            Phase::Plan => "plan",
            Phase::Execute => "execute",
            Phase::Completed => "completed",
            Phase::Cancelled => "cancelled",
        })
    }
}

/// Where a workflow stands.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct WorkflowState {
    /// The run's id.
    pub workflow_id: String,
    pub phase: Phase,
    pub user_message: String,
    /// Every question that was asked, open or not.
    pub clarifying_questions: Vec<ClarifyingQuestion>,
    /// By the question's id; empty where it was passed by.
    pub user_answers: BTreeMap<String, String>,
    pub plan: Option<WorkflowPlan>,
    /// The deliverable, or what there is of it where the run ended early; none before the end.
    pub results: Option<Value>,
    pub startup_context: Option<StartupContext>,
    /// Why the run ended before its result was complete.
    pub error: Option<EndedEarly>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ClarifyingQuestion {
    /// `q1`, `q2`, …: what an answer names.
    pub id: String,
    pub question: String,
    /// Why it is asked.
    pub context: String,
}

/// The plan that was proposed last, as it was approved or else last edited.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct WorkflowPlan {
    #[serde(flatten)]
    pub plan: Plan,
    pub gate: String,
    pub revision: u32,
    #[schemars(with = "String")]
    pub plan_hash: Hash,
    pub state: PlanState,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct EndedEarly {
    pub stage: String,
    pub message: String,
    pub retry_attempted: bool,
}

/// Returns the phase of the run. A run without a workflow or open gates is in [`Phase::Execute`] until it ends.
pub fn phase(entries: &[Entry]) -> Phase {
    match super::status(entries) {
        Status::Completed | Status::Partial => return Phase::Completed,
        Status::Cancelled => return Phase::Cancelled,
        Status::Queued | Status::Running | Status::Waiting => {}
    }
    let open = gates::open_gates(entries);
    if open.iter().any(|gate| gate.plan.is_none()) {
        return Phase::Clarify;
    }
    if !open.is_empty() {
        return Phase::Plan;
    }
    let workflow = super::start(entries).and_then(|start| start.settings.workflow.as_ref());
    let Some(workflow) = workflow else { return Phase::Execute };
    let asked = entries.iter().any(|entry| matches!(entry.event, Event::Asked { .. }));
    match (workflow.clarify, workflow.plan) {
        _ if gates::plan(entries).is_some() => Phase::Execute,
        (clarifies, true) if clarifies || asked => Phase::Clarify,
        (_, true) => Phase::Plan,
        (true, false) if !asked && !has_begun(entries) => Phase::Clarify,
        (_, false) => Phase::Execute,
    }
}

/// Returns whether one of the method's own steps was called.
fn has_begun(entries: &[Entry]) -> bool {
    entries.iter().any(|entry| match &entry.event {
        Event::Called { step, .. } => !BEFORE.contains(&stages::strip_number(step)),
        _ => false,
    })
}

/// Returns the run as a workflow; `None` if the log does not begin with its start.
pub fn workflow(run_id: &str, entries: &[Entry]) -> Option<WorkflowState> {
    let start = super::start(entries)?;
    let mut state = WorkflowState {
        workflow_id: run_id.to_owned(),
        phase: phase(entries),
        user_message: start.question.to_owned(),
        clarifying_questions: Vec::new(),
        user_answers: BTreeMap::new(),
        plan: gates::plan(entries).map(WorkflowPlan::from),
        results: None,
        startup_context: None,
        error: None,
    };
    for entry in entries {
        match &entry.event {
            Event::Asked { gate, ask } if ask.plan.is_none() => {
                state.clarifying_questions.push(ClarifyingQuestion {
                    id: gate.clone(),
                    question: ask.question.clone(),
                    context: ask.context.clone(),
                });
            }
            Event::Answered { gate, answer, .. } => {
                state.user_answers.insert(gate.clone(), answer.clone());
            }
            Event::Returned { step, value, .. } if step == STARTUP => {
                state.startup_context = serde_json::from_value(value.clone()).ok();
            }
            _ => {}
        }
    }
    match entries.last().map(|entry| &entry.event) {
        Some(Event::Finished { deliverable, .. }) => {
            state.results = Some(with_claims(deliverable, entries));
        }
        Some(Event::Stopped { stage, reason, retry_attempted, partial }) => {
            state.error = Some(EndedEarly {
                stage: stage.clone(),
                message: reason.clone(),
                retry_attempted: *retry_attempted,
            });
            state.results =
                partial.as_ref().map(|partial| with_claims(&partial.deliverable, entries));
        }
        Some(Event::Cancelled { partial, .. }) => {
            state.results =
                partial.as_ref().map(|partial| with_claims(&partial.deliverable, entries));
        }
        _ => {}
    }
    Some(state)
}

/// Returns a deliverable with its ledger, as in the result of a run.
fn with_claims(deliverable: &Value, entries: &[Entry]) -> Value {
    let mut deliverable = deliverable.clone();
    if let Value::Object(fields) = &mut deliverable {
        fields.insert("claims".into(), json!(super::ledger(entries)));
    }
    deliverable
}

impl From<Planned<'_>> for WorkflowPlan {
    fn from(planned: Planned<'_>) -> WorkflowPlan {
        let Planned { proposal, gate, state } = planned;
        WorkflowPlan {
            plan: proposal.plan.clone(),
            gate: gate.to_owned(),
            revision: proposal.revision,
            plan_hash: proposal.plan_hash,
            state,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::entry::{Ask, Head, Origin, Outcome, Partial};
    use crate::plan::tests::plan;
    use crate::settings::{Settings, Startup, Workflow};

    fn log(events: &[Event]) -> Vec<Entry> {
        let mut head = Head::default();
        let seal = |event: &Event| {
            let (entry, _) = Entry::seal(&head, jiff::Timestamp::UNIX_EPOCH, event.clone());
            head = Head { seq: entry.seq, hash: entry.hash };
            entry
        };
        events.iter().map(seal).collect()
    }

    fn started(workflow: Option<(bool, bool)>) -> Event {
        let workflow = workflow.map(|(clarify, plan)| Workflow {
            clarify,
            plan,
            questions: 3,
            startup: Startup::Stored,
            expected: None,
        });
        Event::Started {
            method: "market".into(),
            version: 1,
            question: "I want to explore the AI market".into(),
            settings: Settings { workflow, ..Settings::default() },
            user: "ada".into(),
        }
    }

    fn asks(gate: &str) -> Event {
        let ask = Ask { question: format!("{gate}?"), context: format!("why {gate}"), plan: None };
        Event::Asked { gate: gate.into(), ask }
    }

    fn answered(gate: &str, answer: &str) -> Event {
        Event::Answered { gate: gate.into(), answer: answer.into(), by: "ada".into() }
    }

    fn proposed(gate: &str, title: &str) -> Event {
        let ask = Ask { plan: Some(Box::new(plan(title))), ..Ask::default() };
        Event::Asked { gate: gate.into(), ask }
    }

    fn approved(gate: &str, title: &str) -> Event {
        let plan_hash = plan(title).hash();
        Event::Approved { gate: gate.into(), revision: 1, plan_hash, by: "ada".into() }
    }

    fn called(step: &str) -> Event {
        let (input, reserved) = (Hash::default(), crate::budget::Spend::default());
        Event::Called { step: step.into(), input, asking: None, reserved, within: None }
    }

    fn returned(step: &str, value: Value) -> Event {
        let (origin, usage) = (Origin::Port, crate::budget::Usage::default());
        Event::Returned { step: step.into(), origin, value, usage, cost_usd_micros: 0 }
    }

    fn finished() -> Event {
        Event::Finished {
            outcome: Outcome::Answered,
            deliverable: json!({ "answer": "large" }),
            ledger: vec![],
            warnings: vec![],
        }
    }

    // proves: W1, W2, W3
    #[test]
    fn a_workflow_goes_from_phase_to_phase_as_people_speak() {
        let cancelled = Event::Cancelled { by: "ada".into(), partial: None };
        let stopped = Event::Stopped {
            stage: "strategy #1".into(),
            reason: "the model fell silent".into(),
            retry_attempted: true,
            partial: None,
        };
        let (both, asking, planning, neither) =
            (Some((true, true)), Some((true, false)), Some((false, true)), Some((false, false)));
        type Story = (Option<(bool, bool)>, Vec<(Event, Phase)>);
        let stories: Vec<Story> = vec![
            (
                both,
                vec![
                    (called("startup #1"), Phase::Clarify),
                    (called("clarifier #1"), Phase::Clarify),
                    (asks("q1"), Phase::Clarify),
                    (asks("q2"), Phase::Clarify),
                    (answered("q1", "firms"), Phase::Clarify),
                    // All questions are answered, and there is no plan yet.
                    (answered("q2", ""), Phase::Clarify),
                    (called("planner #1"), Phase::Clarify),
                    (proposed("plan", "A"), Phase::Plan),
                    (approved("plan", "A"), Phase::Execute),
                    (called("market_sizing/papers #1"), Phase::Execute),
                    (proposed("amendment-reader", "B"), Phase::Plan),
                    (approved("amendment-reader", "B"), Phase::Execute),
                    (finished(), Phase::Completed),
                ],
            ),
            (
                asking,
                vec![
                    (called("clarifier #1"), Phase::Clarify),
                    (asks("q1"), Phase::Clarify),
                    (answered("q1", "firms"), Phase::Execute),
                    (stopped, Phase::Completed),
                ],
            ),
            // There was nothing to ask.
            (
                asking,
                vec![
                    (called("clarifier #1"), Phase::Clarify),
                    (called("papers #1"), Phase::Execute),
                ],
            ),
            (
                planning,
                vec![
                    (called("planner #1"), Phase::Plan),
                    (proposed("plan", "A"), Phase::Plan),
                    (cancelled.clone(), Phase::Cancelled),
                ],
            ),
            // It still asks which of several startups is meant.
            (
                planning,
                vec![
                    (asks("q1"), Phase::Clarify),
                    (answered("q1", "lex"), Phase::Clarify),
                    (proposed("plan", "A"), Phase::Plan),
                ],
            ),
            (neither, vec![(called("papers #1"), Phase::Execute), (finished(), Phase::Completed)]),
            (None, vec![(called("papers #1"), Phase::Execute), (cancelled, Phase::Cancelled)]),
            // A method's own questions wait for answers as well.
            (None, vec![(asks("name"), Phase::Clarify), (answered("name", "Ada"), Phase::Execute)]),
        ];
        for (workflow, story) in stories {
            let mut events = vec![started(workflow)];
            let first = match workflow {
                Some((true, _)) => Phase::Clarify,
                Some((false, true)) => Phase::Plan,
                _ => Phase::Execute,
            };
            assert_eq!(phase(&log(&events)), first);
            for (event, then) in story {
                events.push(event);
                let entries = log(&events);
                assert_eq!(phase(&entries), then, "{workflow:?}: {:?}", events.last());
                assert_eq!(super::workflow("r", &entries).unwrap().phase, then);
            }
        }
        assert_eq!(workflow("r", &[]), None);
    }

    // proves: W1, W3, W7
    #[test]
    fn a_state_has_the_documented_fields() {
        let startup = json!({
            "id": "lex", "user_id": "ada", "name": "Lex", "description": "reads contracts",
            "industry": "legal", "search_terms": ["legal AI"], "geographical_scope": "Texas",
            "created_at": "1970-01-01T00:00:00Z", "last_accessed": "1970-01-01T00:00:00Z",
            "metadata": {},
        });
        let partial = Partial {
            deliverable: json!({ "answer": "so far" }),
            ledger: vec![],
            warnings: vec![],
        };
        let events = [
            started(Some((true, true))),
            returned("startup #1", startup.clone()),
            asks("q1"),
            asks("q2"),
            answered("q2", "Texas"),
            answered("q1", ""),
            proposed("plan", "A"),
            approved("plan", "A"),
            Event::Stopped {
                stage: "strategy #1".into(),
                reason: "the run's budget is met".into(),
                retry_attempted: false,
                partial: Some(Box::new(partial)),
            },
        ];
        let state = |events: &[Event]| json!(workflow("r-1", &log(events)).unwrap());
        let mut planned = json!(plan("A"));
        planned["gate"] = "plan".into();
        planned["revision"] = 1.into();
        planned["plan_hash"] = json!(plan("A").hash());
        planned["state"] = "approved".into();
        let ended = state(&events);
        assert_eq!(
            ended,
            json!({
                "workflow_id": "r-1",
                "phase": "completed",
                "user_message": "I want to explore the AI market",
                "clarifying_questions": [
                    { "id": "q1", "question": "q1?", "context": "why q1" },
                    { "id": "q2", "question": "q2?", "context": "why q2" },
                ],
                "user_answers": { "q1": "", "q2": "Texas" },
                "plan": planned,
                "results": { "answer": "so far", "claims": [] },
                "startup_context": startup,
                "error": {
                    "stage": "strategy #1", "message": "the run's budget is met", "retry_attempted": false,
                },
            })
        );
        let begun = state(&events[..1]);
        for field in ["plan", "results", "startup_context", "error"] {
            assert_eq!(begun[field], Value::Null, "{field}");
        }
        assert_eq!(begun["user_answers"], json!({}));
        // No startup was requested.
        assert_eq!(
            state(&[started(None), returned("startup #1", Value::Null)])["startup_context"],
            Value::Null
        );
        let whole = state(&[started(None), finished()]);
        assert_eq!(whole["results"], json!({ "answer": "large", "claims": [] }));
    }
}
