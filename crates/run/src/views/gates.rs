//! A run's gates and plans, and their states.

use schemars::JsonSchema;
use serde::Serialize;

use crate::entry::{Ask, Entry, Event, Hash};
use crate::plan::Plan;

/// A gate that waits for a person.
#[derive(Debug, Clone, PartialEq)]
pub struct Gate<'a> {
    pub name: &'a str,
    pub ask: &'a Ask,
    /// The latest revision of the plan that waits for approval; `None` if the gate needs an answer.
    pub plan: Option<Proposal<'a>>,
}

/// A revision of a proposed plan.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Proposal<'a> {
    pub plan: &'a Plan,
    /// Counted from 1; each edit adds one.
    pub revision: u32,
    pub plan_hash: Hash,
}

impl<'a> Proposal<'a> {
    fn of(plan: &'a Plan, revision: u32) -> Proposal<'a> {
        Proposal { plan, revision, plan_hash: plan.hash() }
    }
}

/// What became of a plan.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum PlanState {
    Proposed,
    Approved,
    Rejected,
}

/// The plan of a run: the approved revision, otherwise the latest.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Planned<'a> {
    #[serde(flatten)]
    pub proposal: Proposal<'a>,
    pub gate: &'a str,
    pub state: PlanState,
}

/// Returns the gates that wait for a person.
pub fn open_gates(entries: &[Entry]) -> Vec<Gate<'_>> {
    let mut open: Vec<Open<'_>> = Vec::new();
    for entry in entries {
        match &entry.event {
            Event::Asked { gate, ask } => {
                let latest = ask.plan.as_deref().map(|plan| (plan, 1));
                open.push(Open { name: gate, ask, latest });
            }
            Event::Revised { gate, revision, plan, .. } => {
                for open in open.iter_mut().filter(|open| open.name == gate) {
                    // A gate that needs an answer has no plan to revise.
                    open.latest = open.latest.map(|_| (&**plan, *revision));
                }
            }
            Event::Answered { gate, .. } | Event::Approved { gate, .. } => {
                open.retain(|open| open.name != gate);
            }
            // A run that has ended waits for no one.
            Event::Rejected { .. }
            | Event::Finished { .. }
            | Event::Stopped { .. }
            | Event::Cancelled { .. } => open.clear(),
            _ => {}
        }
    }
    let gate = |Open { name, ask, latest }| Gate {
        name,
        ask,
        plan: latest.map(|(plan, revision)| Proposal::of(plan, revision)),
    };
    open.into_iter().map(gate).collect()
}

/// An open gate, with the latest revision of its plan.
struct Open<'a> {
    name: &'a str,
    ask: &'a Ask,
    latest: Option<(&'a Plan, u32)>,
}

/// Returns the last plan that the run proposed, in any state; `None` if it proposed none.
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::entry::Head;
    use crate::plan::tests::plan;

    fn log(events: Vec<Event>) -> Vec<Entry> {
        let mut head = Head::default();
        let seal = |event| {
            let (entry, _) = Entry::seal(&head, jiff::Timestamp::UNIX_EPOCH, event);
            head = Head { seq: entry.seq, hash: entry.hash };
            entry
        };
        events.into_iter().map(seal).collect()
    }

    fn asked(gate: &str, title: Option<&str>) -> Event {
        let plan = title.map(|title| Box::new(plan(title)));
        Event::Asked { gate: gate.into(), ask: Ask { plan, ..Ask::default() } }
    }

    fn revised(gate: &str, revision: u32, title: &str) -> Event {
        let plan = Box::new(plan(title));
        Event::Revised { gate: gate.into(), revision, plan, by: String::new() }
    }

    fn approved(gate: &str, revision: u32) -> Event {
        let plan_hash = Hash::default();
        Event::Approved { gate: gate.into(), revision, plan_hash, by: String::new() }
    }

    /// Writes open gates as `gate` or `gate@revision:title`, and the plan as `gate@revision:title state`.
    fn told(entries: &[Entry]) -> (String, String) {
        let proposal = |gate: &str, one: &Proposal<'_>| {
            assert_eq!(one.plan_hash, one.plan.hash());
            format!("{gate}@{}:{}", one.revision, one.plan.title)
        };
        let open = open_gates(entries);
        let open = open.iter().map(|gate| match &gate.plan {
            Some(plan) => proposal(gate.name, plan),
            None => gate.name.to_owned(),
        });
        let planned = plan_of(entries).map(|planned| {
            format!("{} {:?}", proposal(planned.gate, &planned.proposal), planned.state)
        });
        (open.collect::<Vec<_>>().join(" "), planned.unwrap_or_default())
    }

    fn plan_of(entries: &[Entry]) -> Option<Planned<'_>> {
        super::plan(entries)
    }

    // proves: W3, C11
    #[test]
    fn each_plan_is_told_with_its_own_revisions_and_what_became_of_it() {
        let rejected = |gate: &str| Event::Rejected {
            gate: gate.into(),
            reason: String::new(),
            by: String::new(),
        };
        let story = [
            (asked("word", None), "word", ""),
            // A gate that needs an answer has no plan to revise.
            (revised("word", 2, "Odd"), "word", ""),
            (asked("a", Some("A1")), "word a@1:A1", "a@1:A1 Proposed"),
            (revised("a", 2, "A2"), "word a@2:A2", "a@2:A2 Proposed"),
            (revised("b", 2, "B2"), "word a@2:A2", "a@2:A2 Proposed"),
            (asked("b", Some("B1")), "word a@2:A2 b@1:B1", "b@1:B1 Proposed"),
            // The last proposed plan is the run's plan, whatever happens to an earlier one.
            (approved("a", 2), "word b@1:B1", "b@1:B1 Proposed"),
            (revised("b", 2, "B2"), "word b@2:B2", "b@2:B2 Proposed"),
            // The approved revision is shown even if it is not the latest.
            (approved("b", 1), "word", "b@1:B1 Approved"),
            (asked("c", Some("C1")), "word c@1:C1", "c@1:C1 Proposed"),
            (revised("c", 2, "C2"), "word c@2:C2", "c@2:C2 Proposed"),
            (rejected("c"), "", "c@2:C2 Rejected"),
            (Event::Cancelled { by: String::new(), partial: None }, "", "c@2:C2 Rejected"),
        ];
        let mut events = Vec::new();
        for (event, open, planned) in story {
            events.push(event);
            let entries = log(events.clone());
            assert_eq!(told(&entries), (open.to_owned(), planned.to_owned()));
        }
        assert_eq!(told(&[]), (String::new(), String::new()));
        // The approval of a missing revision shows no plan rather than another one.
        assert_eq!(plan_of(&log(vec![asked("a", Some("A1")), approved("a", 9)])), None);
    }
}
