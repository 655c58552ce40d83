//! Compares the approved plan with what was done.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use super::gates::{Proposal, plan};
use super::{StepState, timeline};
use crate::entry::{Ask, Entry, Event, Hash};
use crate::journal;
use crate::plan::{Plan, PlanStep};
use crate::views::PlanState;

/// How the approved plan was carried out.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Execution<'a> {
    pub title: &'a str,
    pub revision: u32,
    pub plan_hash: Hash,
    /// The plan's steps in order, then what was done for roles that are no longer in it.
    pub steps: Vec<Carried<'a>>,
    /// The roles added to the plan after its first approval, and who approved each.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub amendments: Vec<Amendment<'a>>,
}

/// A step of the plan, and what was done for it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Carried<'a> {
    pub name: &'a str,
    pub agent_role: &'a str,
    pub estimated_duration: &'a str,
    pub state: CarriedState,
    /// The number of the run's steps within it.
    pub steps: u64,
    /// Time at work from the beginning of the first to the end of the last, in milliseconds.
    pub milliseconds: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum CarriedState {
    NotBegun,
    /// At work, or broken off.
    Begun,
    Done,
    Failed,
}

/// An addition to a plan after its approval.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Amendment<'a> {
    pub gate: &'a str,
    pub roles: Vec<&'a str>,
    pub approved_by: &'a str,
}

/// Returns how the approved plan was carried out; `None` if none was approved.
pub fn execution(entries: &[Entry]) -> Option<Execution<'_>> {
    let planned = plan(entries)?;
    let Proposal { plan, revision, plan_hash } = planned.proposal;
    if planned.state != PlanState::Approved {
        return None;
    }
    let lines = timeline(entries);
    let spans = find_spans(entries);
    let refused: BTreeSet<&str> = entries
        .iter()
        .filter_map(|entry| match &entry.event {
            Event::Refused { within, .. } => within.as_deref(),
            _ => None,
        })
        .collect();
    let carried = |role: &str| {
        let own: Vec<_> =
            lines.iter().filter(|line| line.within.as_deref() == Some(role)).collect();
        // A failed try that was repeated is followed by the one that gave the value.
        let state = match own.last().map(|line| line.state) {
            _ if refused.contains(role) => CarriedState::Failed,
            None => CarriedState::NotBegun,
            Some(StepState::Failed) => CarriedState::Failed,
            Some(_) if own.iter().any(|line| line.state == StepState::Running) => {
                CarriedState::Begun
            }
            Some(_) => CarriedState::Done,
        };
        (state, own.len() as u64, spans.get(role).copied().unwrap_or(0))
    };
    let steps = plan.steps.iter().map(|step| {
        let PlanStep { name, agent_role, estimated_duration, .. } = step;
        let (state, steps, milliseconds) = carried(agent_role);
        Carried { name, agent_role, estimated_duration, state, steps, milliseconds }
    });
    // Work for a step that an amendment later removed also shows.
    let others = spans.keys().filter(|role| !plan.has(role)).map(|role| {
        let (state, steps, milliseconds) = carried(role);
        Carried { name: role, agent_role: role, estimated_duration: "", state, steps, milliseconds }
    });
    let steps: Vec<Carried<'_>> = steps.chain(others).collect();
    let title = plan.title.as_str();
    Some(Execution { title, revision, plan_hash, steps, amendments: amendments(entries) })
}

/// Returns the time at work from the beginning of each role's first step to the end of its last, in milliseconds.
fn find_spans(entries: &[Entry]) -> BTreeMap<&str, u64> {
    let mut roles: BTreeMap<&str, &str> = BTreeMap::new();
    journal::spans(entries, |event| match event {
        Event::Called { step, within: Some(role), .. } => {
            roles.insert(step, role);
            Some(role.as_str())
        }
        Event::Returned { step, .. } | Event::Failed { step, .. } => {
            roles.get(step.as_str()).copied()
        }
        _ => None,
    })
}

/// Returns what each later approval added to the first approved plan.
fn amendments(entries: &[Entry]) -> Vec<Amendment<'_>> {
    let mut known: Option<Vec<&str>> = None;
    let mut open: Option<(&str, Vec<&str>)> = None;
    let mut amendments = Vec::new();
    for entry in entries {
        match &entry.event {
            Event::Asked { gate, ask: Ask { plan: Some(plan), .. } } => {
                open = Some((gate, of(plan)));
            }
            Event::Revised { gate, plan, .. } => {
                if let Some((name, latest)) = &mut open
                    && *name == gate
                {
                    *latest = of(plan);
                }
            }
            Event::Approved { gate, by, .. } => {
                let Some((name, latest)) = open.take().filter(|(name, _)| *name == gate) else {
                    continue;
                };
                if let Some(before) = known.replace(latest.clone()) {
                    let added = latest.into_iter().filter(|role| !before.contains(role));
                    let roles: Vec<&str> = added.collect();
                    if !roles.is_empty() {
                        amendments.push(Amendment { gate: name, roles, approved_by: by });
                    }
                }
            }
            _ => {}
        }
    }
    amendments
}

fn of(plan: &Plan) -> Vec<&str> {
    plan.steps.iter().map(|step| step.agent_role.as_str()).collect()
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;

    use super::*;
    use crate::budget::Spend;
    use crate::entry::{Head, Origin};

    fn log(events: Vec<(i64, Event)>) -> Vec<Entry> {
        let mut head = Head::default();
        let seal = |(at, event)| {
            let (entry, _) = Entry::seal(&head, Timestamp::from_second(at).unwrap(), event);
            head = Head { seq: entry.seq, hash: entry.hash };
            entry
        };
        events.into_iter().map(seal).collect()
    }

    fn plan_of(roles: &[&str]) -> Plan {
        let step = |role: &&str| PlanStep {
            name: role.to_uppercase(),
            agent_role: (*role).into(),
            ..PlanStep::default()
        };
        Plan { title: "Tides".into(), steps: roles.iter().map(step).collect(), ..Plan::default() }
    }

    fn asked(gate: &str, roles: &[&str]) -> Event {
        let plan = Some(Box::new(plan_of(roles)));
        Event::Asked { gate: gate.into(), ask: Ask { plan, ..Ask::default() } }
    }

    fn approved(gate: &str, revision: u32) -> Event {
        let (gate, plan_hash, by) = (gate.to_owned(), Hash::default(), "ada".to_owned());
        Event::Approved { gate, revision, plan_hash, by }
    }

    fn called(step: &str, within: Option<&str>) -> Event {
        let (step, within) = (step.to_owned(), within.map(str::to_owned));
        let (input, reserved) = (Hash::default(), Spend::default());
        Event::Called { step, input, asking: None, reserved, within }
    }

    fn returned(step: &str) -> Event {
        let (step, value) = (step.to_owned(), serde_json::Value::Null);
        let (usage, cost_usd_micros) = Default::default();
        Event::Returned { step, origin: Origin::Port, value, usage, cost_usd_micros }
    }

    // proves: W3
    #[test]
    fn each_step_of_the_plan_shows_what_was_done_of_it_and_what_was_added_later() {
        assert_eq!(execution(&[]), None);
        let mut events = vec![(0, asked("plan", &["look", "read"]))];
        assert_eq!(execution(&log(events.clone())), None, "nothing was approved");
        let plan = Box::new(plan_of(&["look", "read", "rest"]));
        events.extend([
            (1, Event::Revised { gate: "plan".into(), revision: 2, plan, by: "ada".into() }),
            (2, approved("plan", 2)),
            (3, called("papers #1", Some("look"))),
            (4, called("papers #2", Some("look"))),
            (6, returned("papers #2")),
            (9, returned("papers #1")),
            (9, called("read #1", Some("read"))),
            (10, asked("amendment-write", &["look", "read", "rest", "write"])),
            (99, approved("amendment-write", 1)),
            (100, called("writer #1", Some("write"))),
            (102, returned("writer #1")),
        ]);
        let entries = log(events);
        let carried_out = execution(&entries).unwrap();
        let told: Vec<_> = carried_out
            .steps
            .iter()
            .map(|one| (one.agent_role, one.state, one.steps, one.milliseconds))
            .collect();
        assert_eq!(
            told,
            [
                ("look", CarriedState::Done, 2, 6_000),
                ("read", CarriedState::Begun, 1, 0),
                ("rest", CarriedState::NotBegun, 0, 0),
                ("write", CarriedState::Done, 1, 2_000),
            ]
        );
        let [amendment] = carried_out.amendments.as_slice() else { panic!() };
        assert_eq!((amendment.roles.as_slice(), amendment.approved_by), (&["write"][..], "ada"));
    }
}
