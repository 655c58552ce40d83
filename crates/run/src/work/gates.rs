//! What people tell a run: an answer, an edited plan, an approval, a rejection, a stop.
//!
//! Each is written only if the run still waits and nothing was said since. If several people speak at once, one succeeds, and the
//! others learn the state of the gate.

mod fitting;
mod refusal;

use std::collections::BTreeMap;
use std::time::Duration;

use super::intact;
use crate::entry::{Entry, Event};
use crate::journal::Journal;
use crate::log::{Append, Fence, LogError, Status, Wait};
use crate::plan::Plan;
use crate::views::{self, Gate};
use crate::world::World;
use fitting::{Wanted, fresh, is_misplaced, meant, misfit, misfitting, phased, short};

pub use refusal::{AnswerError, Seen};

/// The names of the operations at gates in errors.
const ANSWER_QUESTIONS: &str = "answer_questions";
const EDIT_PLAN: &str = "edit_plan";
const APPROVE_PLAN: &str = "approve_plan";
const REJECT_PLAN: &str = "reject_plan";

/// How often to read a run that moves on between the read and the write, or has asked but does not wait yet; and the pause between
/// reads.
const LOOKS: u32 = 50;
const BETWEEN_LOOKS: Duration = Duration::from_millis(20);

type Result<T> = std::result::Result<T, AnswerError>;

/// Events to write at a gate.
struct Saying<T> {
    events: Vec<Event>,
    status: Status,
    says: T,
}

/// Writes a person's answer and returns the run to the queue, in one transaction. A second answer is refused.
pub async fn answer(
    world: &World,
    user: &str,
    id: &str,
    gate: Option<&str>,
    answer: &str,
    by: &str,
) -> Result<()> {
    let (answer, by) = (answer.to_owned(), by.to_owned());
    say(world, user, id, gate, ANSWER_QUESTIONS, |gate, status| {
        short(gate.name, &answer)?;
        let (gate, answer, by) = (gate.name.to_owned(), answer.clone(), by.clone());
        Ok(Saying { events: vec![Event::Answered { gate, answer, by }], status, says: () })
    })
    .await
}

/// Answers all open questions of a run, by gate: in one transaction, all or none. A question missing from `answers` is skipped with an
/// empty answer; a name that is not an open question is refused.
pub async fn answer_all(
    world: &World,
    user: &str,
    id: &str,
    answers: &BTreeMap<String, String>,
    by: &str,
) -> Result<()> {
    write(world, user, id, ANSWER_QUESTIONS, |entries, open| {
        let questions: Vec<&str> =
            open.iter().filter(|gate| gate.plan.is_none()).map(|gate| gate.name).collect();
        let Some(first) = questions.first() else {
            return Err(misfit(id, entries, ANSWER_QUESTIONS));
        };
        if let Some(other) = answers.keys().find(|name| !questions.contains(&name.as_str())) {
            let (run, gate, open) = (id.to_owned(), other.clone(), questions.join(", "));
            return Err(AnswerError::NoSuchGate { run, gate, open });
        }
        answers.iter().try_for_each(|(gate, answer)| short(gate, answer))?;
        let answered = |gate: &&str| Event::Answered {
            gate: (*gate).to_owned(),
            answer: answers.get(*gate).cloned().unwrap_or_default(),
            by: by.to_owned(),
        };
        let events = questions.iter().map(answered).collect();
        let is_all = questions.len() == open.len();
        let status = if is_all { Status::Queued } else { Status::Waiting };
        Ok(((*first).to_owned(), Saying { events, status, says: () }))
    })
    .await
}

/// Returns why a workflow operation does not fit the phase of a run, if no gate of its kind is open; returns every other error
/// unchanged.
pub async fn out_of_phase(
    world: &World,
    user: &str,
    id: &str,
    operation: &'static str,
    error: AnswerError,
) -> AnswerError {
    let Ok(entries) = world.log.entries(user, id, 0).await else { return error };
    if is_misplaced(&error, &views::open_gates(&entries), operation) {
        misfit(id, &entries, operation)
    } else {
        error
    }
}

/// Writes an edited plan as the next revision; the run keeps waiting. Returns the revision to approve now.
///
/// A plan equal to the one seen stays the same revision.
pub async fn revise(
    world: &World,
    user: &str,
    id: &str,
    gate: Option<&str>,
    seen: Seen,
    plan: Plan,
    by: &str,
) -> Result<Seen> {
    let plan_hash = plan.hash();
    write(world, user, id, EDIT_PLAN, |entries, open| {
        let gate = meant(id, open, gate, Wanted::Plan)?;
        let current = fresh(id, gate, Some(seen))?;
        // A workflow binds its steps to roles.
        let start = views::start(entries);
        let bound = start.is_some_and(|start| start.settings.workflow.is_some());
        let misfit = || misfitting(gate, &plan).filter(|_| bound);
        if let Some(what) = plan.wrong().or_else(misfit) {
            return Err(AnswerError::WrongPlan { what });
        }
        if plan_hash == current.plan_hash {
            let says = Saying { events: vec![], status: Status::Waiting, says: current };
            return Ok((gate.name.to_owned(), says));
        }
        let next = Seen { revision: current.revision.saturating_add(1), plan_hash };
        let event = Event::Revised {
            gate: gate.name.to_owned(),
            revision: next.revision,
            plan: Box::new(plan.clone()),
            by: by.to_owned(),
        };
        let says = Saying { events: vec![event], status: Status::Waiting, says: next };
        Ok((gate.name.to_owned(), says))
    })
    .await
}

/// Writes that a person approved the plan that they saw, or the latest revision if `seen` is `None`, and returns the run to the queue,
/// in one transaction. Returns what was approved.
pub async fn approve(
    world: &World,
    user: &str,
    id: &str,
    gate: Option<&str>,
    seen: Option<Seen>,
    by: &str,
) -> Result<Seen> {
    say(world, user, id, gate, APPROVE_PLAN, |gate, status| {
        let current = fresh(id, gate, seen)?;
        let Seen { revision, plan_hash } = current;
        let (gate, by) = (gate.name.to_owned(), by.to_owned());
        let event = Event::Approved { gate, revision, plan_hash, by };
        Ok(Saying { events: vec![event], status, says: current })
    })
    .await
}

/// Writes that a person rejected the plan, which ends the run as cancelled, in one transaction.
pub async fn reject(
    world: &World,
    user: &str,
    id: &str,
    gate: Option<&str>,
    reason: &str,
    by: &str,
) -> Result<()> {
    say(world, user, id, gate, REJECT_PLAN, |gate, _| {
        let by = by.to_owned();
        let (gate, reason) = (gate.name.to_owned(), reason.to_owned());
        let rejected = Event::Rejected { gate, reason, by: by.clone() };
        let cancelled = Event::Cancelled { by, partial: None };
        let events = vec![rejected, cancelled];
        Ok(Saying { events, status: Status::Cancelled, says: () })
    })
    .await
}

/// The outcome of a request to stop a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stopping {
    /// No worker had it, and it is cancelled.
    Cancelled,
    /// Its worker was asked to stop.
    Asked,
    /// It had already ended.
    Ended(Status),
}

/// Asks a run to stop, for `owner`. If `owner` itself works on the run, its worker is asked like any other.
pub async fn stop(
    world: &World,
    user: &str,
    id: &str,
    owner: &str,
    by: &str,
) -> std::result::Result<Stopping, LogError> {
    let mut looks = LOOKS;
    loop {
        let was = world.log.summary(user, id).await?.status;
        let fence = match was {
            Status::Queued | Status::Waiting => Ok(Fence::Idle(was)),
            Status::Running => world.log.claim(user, id, owner).await.map(Fence::Attempt),
            ended => return Ok(Stopping::Ended(ended)),
        };
        let done = match fence {
            Ok(fence) => cancel(world, user, id, fence, by).await.map(|()| Stopping::Cancelled),
            Err(LogError::Busy { .. }) => {
                let asked = world.log.request_cancel(user, id, by).await;
                asked.map(|()| Stopping::Asked)
            }
            Err(error) => Err(error),
        };
        looks -= 1;
        match done {
            // It moved on between the read and the write.
            Err(LogError::Fenced { .. } | LogError::NotOpen { .. }) if looks > 0 => {
                tokio::time::sleep(BETWEEN_LOOKS).await;
            }
            done => return done,
        }
    }
}

/// Writes that a run is cancelled; `fence` ensures that no worker has it.
async fn cancel(
    world: &World,
    user: &str,
    id: &str,
    fence: Fence,
    by: &str,
) -> std::result::Result<(), LogError> {
    let entries = world.log.entries(user, id, 0).await?;
    intact(id, &entries)?;
    let event = Event::Cancelled { by: by.to_owned(), partial: None };
    append(world, user, id, &entries, vec![event], Status::Cancelled, fence).await
}

/// Writes what `words` makes of the open gate and the run's status after it is closed.
async fn say<T>(
    world: &World,
    user: &str,
    id: &str,
    gate: Option<&str>,
    operation: &'static str,
    words: impl Fn(&Gate<'_>, Status) -> Result<Saying<T>>,
) -> Result<T> {
    let wanted = Wanted::by(operation);
    write(world, user, id, operation, |_, open| {
        let gate = meant(id, open, gate, wanted)?;
        let closed = if open.len() == 1 { Status::Queued } else { Status::Waiting };
        Ok((gate.name.to_owned(), words(gate, closed)?))
    })
    .await
}

/// Writes what `words` makes of the log and its open gates, and returns its value; `words` also returns the gate's name.
///
/// If no gate of this kind is open and the run has a workflow, the error names the operation and the phase. If the run has moved on
/// meanwhile, it is read again: either the gates are still open as before, or the reason is known.
async fn write<T>(
    world: &World,
    user: &str,
    id: &str,
    operation: &'static str,
    words: impl Fn(&[Entry], &[Gate<'_>]) -> Result<(String, Saying<T>)>,
) -> Result<T> {
    let mut look = 1;
    loop {
        let entries = world.log.entries(user, id, 0).await?;
        intact(id, &entries)?;
        let open = views::open_gates(&entries);
        let said = words(&entries, &open);
        let said = said.map_err(|error| phased(id, &entries, &open, operation, error));
        let (gate, Saying { events, status, says }) = said?;
        if events.is_empty() {
            return Ok(says);
        }
        let fence = Fence::Idle(Status::Waiting);
        let refused = match append(world, user, id, &entries, events, status, fence).await {
            Ok(()) => return Ok(says),
            Err(refused @ LogError::Fenced { .. }) => refused,
            Err(failed) => return Err(failed.into()),
        };
        // While the method unwinds, or another branch of it is at work, the run does not wait yet.
        let working = world.log.summary(user, id).await?.status == Status::Running;
        if look >= LOOKS {
            let still_working = AnswerError::StillWorking { run: id.to_owned(), gate };
            return Err(if working { still_working } else { refused.into() });
        }
        if working {
            tokio::time::sleep(BETWEEN_LOOKS).await;
        }
        look += 1;
    }
}

async fn append(
    world: &World,
    user: &str,
    id: &str,
    entries: &[Entry],
    events: Vec<Event>,
    status: Status,
    fence: Fence,
) -> std::result::Result<(), LogError> {
    let at = world.clock.now();
    let mut journal = Journal::of(entries);
    let entries = events.into_iter().map(|event| journal.seal(at, event).1).collect();
    let append = Append {
        user: user.to_owned(),
        run: id.to_owned(),
        entries,
        at,
        status,
        spent: journal.account.spent,
        fence,
        wait: Wait::Durable,
    };
    world.log.append(append).await
}
