//! What a run asks of people, and how far each question has come.

use serde::Serialize;

use crate::entry::{Ask, Entry, Event, Hash};
use crate::plan::Plan;

/// A gate that waits for a person.
#[derive(Debug, Clone, PartialEq)]
pub struct Gate<'a> {
    pub name: &'a str,
    pub ask: &'a Ask,
    /// The plan that waits for approval, as it was last edited; none where the gate wants an answer.
    pub plan: Option<Proposal<'a>>,
}

/// A plan before its approval.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Proposal<'a> {
    pub plan: &'a Plan,
    /// Counted from 1; each edit is another.
    pub revision: u32,
    pub plan_hash: Hash,
}

impl<'a> Proposal<'a> {
    fn of(plan: &'a Plan, revision: u32) -> Proposal<'a> {
        Proposal { plan, revision, plan_hash: plan.hash() }
    }
}

/// What became of a plan.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum PlanState {
    Proposed,
    Approved,
    Rejected,
}

/// The plan of a run, as it was approved, or else as it was last edited.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Planned<'a> {
    #[serde(flatten)]
    pub proposal: Proposal<'a>,
    pub gate: &'a str,
    pub state: PlanState,
}

/// Returns the gates that wait for a person.
pub fn open_gates(entries: &[Entry]) -> Vec<Gate<'_>> {
    let mut open: Vec<(&str, &Ask, Option<(&Plan, u32)>)> = Vec::new();
    for entry in entries {
        match &entry.event {
            Event::Asked { gate, ask } => {
                open.push((gate, ask, ask.plan.as_deref().map(|plan| (plan, 1))));
            }
            Event::Revised { gate, revision, plan, .. } => {
                for (_, _, planned) in open.iter_mut().filter(|(name, ..)| name == gate) {
                    *planned = Some((plan, *revision));
                }
            }
            Event::Answered { gate, .. } | Event::Approved { gate, .. } => {
                open.retain(|(name, ..)| name != gate);
            }
            // A run that has ended waits for nobody.
            Event::Rejected { .. }
            | Event::Finished { .. }
            | Event::Stopped { .. }
            | Event::Cancelled { .. } => open.clear(),
            _ => {}
        }
    }
    let gate = |(name, ask, planned): (_, _, Option<_>)| Gate {
        name,
        ask,
        plan: planned.map(|(plan, revision)| Proposal::of(plan, revision)),
    };
    open.into_iter().map(gate).collect()
}

/// Returns the plan that the run proposed last, whatever became of it; none where it proposed none.
pub fn plan(entries: &[Entry]) -> Option<Planned<'_>> {
    let mut revisions: Vec<(&str, u32, &Plan)> = Vec::new();
    let mut settled: Option<(u32, PlanState)> = None;
    for entry in entries {
        match &entry.event {
            Event::Asked { gate, ask: Ask { plan: Some(plan), .. } } => {
                revisions = vec![(gate, 1, plan)];
                settled = None;
            }
            Event::Revised { gate, revision, plan, .. } if is_at(&revisions, gate) => {
                revisions.push((gate, *revision, plan));
            }
            Event::Approved { gate, revision, .. } if is_at(&revisions, gate) => {
                settled = Some((*revision, PlanState::Approved));
            }
            Event::Rejected { gate, .. } if is_at(&revisions, gate) => {
                let latest = revisions.last().map_or(1, |(_, revision, _)| *revision);
                settled = Some((latest, PlanState::Rejected));
            }
            _ => {}
        }
    }
    let latest = revisions.last()?;
    let (revision, state) = settled.unwrap_or((latest.1, PlanState::Proposed));
    let (gate, _, plan) = revisions.iter().rev().find(|(_, number, _)| *number == revision)?;
    Some(Planned { proposal: Proposal::of(plan, revision), gate, state })
}

fn is_at(revisions: &[(&str, u32, &Plan)], gate: &str) -> bool {
    revisions.first().is_some_and(|(name, ..)| *name == gate)
}
