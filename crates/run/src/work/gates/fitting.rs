//! Checks whether an operation fits the gate, the plan and the phase.

use super::{ANSWER_QUESTIONS, AnswerError, Result, Seen};
use crate::entry::Entry;
use crate::plan::{MOST_CHARACTERS, Plan};
use crate::views::{self, Gate, Phase};

/// The kind of gate that an operation needs.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Wanted {
    Answer,
    Plan,
}

impl Wanted {
    pub(super) fn by(operation: &str) -> Wanted {
        if operation == ANSWER_QUESTIONS { Wanted::Answer } else { Wanted::Plan }
    }
}

/// Returns the gate that is meant: the named one, or the only open one of its kind.
pub(super) fn meant<'a, 'e>(
    run: &str,
    open: &'a [Gate<'e>],
    name: Option<&str>,
    wanted: Wanted,
) -> Result<&'a Gate<'e>> {
    let run = || run.to_owned();
    let fits = |gate: &&Gate<'_>| gate.plan.is_some() == (wanted == Wanted::Plan);
    let names = |gates: &mut dyn Iterator<Item = &Gate<'_>>| {
        gates.map(|gate| gate.name).collect::<Vec<_>>().join(", ")
    };
    let unfit = |gate: &Gate<'_>| {
        let gate = gate.name.to_owned();
        match wanted {
            Wanted::Answer => AnswerError::PlanAsked { run: run(), gate },
            Wanted::Plan => AnswerError::NoPlan { run: run(), gate },
        }
    };
    let Some(first) = open.first() else {
        return Err(AnswerError::NothingAsked { run: run() });
    };
    if let Some(name) = name {
        return match open.iter().find(|gate| gate.name == name) {
            Some(gate) if fits(&gate) => Ok(gate),
            Some(gate) => Err(unfit(gate)),
            None => {
                let open = names(&mut open.iter());
                Err(AnswerError::NoSuchGate { run: run(), gate: name.into(), open })
            }
        };
    }
    let mut fitting = open.iter().filter(fits);
    match (fitting.next(), fitting.next()) {
        (Some(gate), None) => Ok(gate),
        (Some(_), Some(_)) => {
            let open = names(&mut open.iter().filter(fits));
            Err(AnswerError::WhichGate { run: run(), open })
        }
        (None, _) => Err(unfit(first)),
    }
}

/// Returns the latest revision of the gate's plan, or an error if the caller saw another.
pub(super) fn fresh(run: &str, gate: &Gate<'_>, seen: Option<Seen>) -> Result<Seen> {
    let (run, name) = (run.to_owned(), gate.name.to_owned());
    let Some(proposal) = gate.plan else {
        return Err(AnswerError::NoPlan { run, gate: name });
    };
    let current = Seen::from(proposal);
    match seen {
        Some(given) if given != current => {
            Err(AnswerError::Stale { run, gate: name, current, given })
        }
        _ => Ok(current),
    }
}

/// Returns the fault of an edited plan in which a step has an unknown role or a role twice; `None` if there is none or the proposed
/// plan has a step without a role.
pub(super) fn misfitting(gate: &Gate<'_>, plan: &Plan) -> Option<String> {
    let proposed = gate.ask.plan.as_deref()?;
    let roles: Vec<&str> = proposed.steps.iter().map(|step| step.agent_role.as_str()).collect();
    if roles.contains(&"") {
        return None;
    }
    for (index, step) in plan.steps.iter().enumerate() {
        let (number, role) = (index + 1, step.agent_role.as_str());
        let shown: String = crate::grounding::clean(role).chars().take(60).collect();
        if !roles.contains(&role) {
            return Some(format!(
                "its step {number} is for the unknown role '{shown}'; the roles are: {}",
                roles.join(", ")
            ));
        }
        let twin = plan.steps.iter().take(index).position(|before| before.agent_role == role);
        if let Some(twin) = twin {
            return Some(format!(
                "its steps {} and {number} are both for '{shown}'; keep one",
                twin + 1
            ));
        }
    }
    None
}

/// Checks that an answer is no longer than a person would write by hand.
pub(super) fn short(gate: &str, answer: &str) -> Result<()> {
    let characters = answer.chars().count();
    if characters > MOST_CHARACTERS {
        return Err(AnswerError::LongAnswer { gate: gate.to_owned(), characters });
    }
    Ok(())
}

/// Converts an error for a workflow: if no gate of its kind is open, the phase explains more than the gate.
pub(super) fn phased(
    id: &str,
    entries: &[Entry],
    open: &[Gate<'_>],
    operation: &'static str,
    error: AnswerError,
) -> AnswerError {
    // Only a workflow has phases; a method that asks by itself has only gates.
    let start = views::start(entries);
    let in_phases = start.is_some_and(|start| start.settings.workflow.is_some());
    if in_phases && is_misplaced(&error, open, operation) {
        misfit(id, entries, operation)
    } else {
        error
    }
}

/// Returns whether an operation was refused because no gate of its kind is open.
pub(super) fn is_misplaced(error: &AnswerError, open: &[Gate<'_>], operation: &str) -> bool {
    let misplaced = matches!(
        error,
        AnswerError::NothingAsked { .. }
            | AnswerError::NoSuchGate { .. }
            | AnswerError::PlanAsked { .. }
            | AnswerError::NoPlan { .. }
    );
    let answers = Wanted::by(operation) == Wanted::Answer;
    misplaced && open.iter().all(|gate| gate.plan.is_none() != answers)
}

pub(super) fn misfit(id: &str, entries: &[Entry], operation: &'static str) -> AnswerError {
    let phase = views::phase(entries);
    let why = match phase {
        Phase::Clarify if views::open_gates(entries).is_empty() => {
            "it has not asked anything yet, or is making its plan from the answers"
        }
        Phase::Clarify => "its questions wait for answers",
        Phase::Plan if views::open_gates(entries).is_empty() => "it is making its plan",
        Phase::Plan => "its plan waits for approval",
        Phase::Execute => "it is working",
        Phase::Completed => "it has ended",
        Phase::Cancelled => "it was cancelled",
    };
    AnswerError::WrongPhase { run: id.to_owned(), operation, phase, why }
}
