//! What is done with a run from outside: start it, work on it, answer it, fork it, play it again.

use std::sync::Arc;

use futures::future::BoxFuture;
use serde_json::{Map, Value};
use tokio::sync::watch;

use crate::canonical::canonical;
use crate::entry::{self, Entry, Event, Head, Outcome, Partial};
use crate::journal::Journal;
use crate::ledger::Claim;
use crate::ports::{Append, Fence, LogError, NewRun, Reach, Sealed, Signal, Status, Wait, World};
use crate::run::{Result, Run, Stop};
use crate::settings::Settings;
use crate::{budget, views};

/// What a method returns at its end.
#[derive(Debug, Clone, PartialEq)]
pub struct Deliverable {
    pub outcome: Outcome,
    /// The method's own fields.
    pub fields: Map<String, Value>,
    pub ledger: Vec<Claim>,
}

/// A research method: an ordinary async function over a run.
#[derive(Clone, Copy)]
pub struct Method {
    pub name: &'static str,
    /// Changes with the order or the names of the method's steps.
    pub version: u32,
    pub perform: for<'a> fn(&'a Run) -> BoxFuture<'a, Result<Deliverable>>,
}

/// A run about to be started.
#[derive(Debug, Clone)]
pub struct NewStart {
    pub run: String,
    pub user: String,
    pub question: String,
    pub settings: Settings,
    /// Who works on it from the start; none leaves it to the queue.
    pub owner: Option<String>,
}

/// The attempt number of a run that is worked on from its start.
pub const FIRST_ATTEMPT: u32 = 1;

/// Starts a run and works on it as [`work`] does, without a way over the queue.
///
/// The first entry reaches the disk with the first step's, before anything outside is called.
pub async fn start_and_work(
    world: &World,
    method: &Method,
    new: NewStart,
    cancelled: watch::Receiver<Option<String>>,
) -> Result<Status> {
    let first = vec![(world.clock.now(), new.first(method))];
    let (entries, written) = create(world, &new, method.name, first, Wait::Soon);
    drop(written);
    let run = Run::over(world.clone(), &new.run, FIRST_ATTEMPT, &entries, cancelled)?;
    see_through(method, &run).await
}

impl NewStart {
    fn first(&self, method: &Method) -> Event {
        Event::Started {
            method: method.name.to_owned(),
            version: method.version,
            question: self.question.clone(),
            settings: self.settings.clone(),
            user: self.user.clone(),
        }
    }
}

/// Seals the first entries of a new run and queues them for the log.
fn create(
    world: &World,
    new: &NewStart,
    method: &str,
    events: Vec<(jiff::Timestamp, Event)>,
    wait: Wait,
) -> (Vec<Entry>, BoxFuture<'static, std::result::Result<(), LogError>>) {
    let mut head = Head::default();
    let (mut entries, mut sealed) = (Vec::new(), Vec::new());
    for (at, event) in events {
        let (entry, body) = Entry::seal(&head, at, event);
        head = Head { seq: entry.seq, hash: entry.hash };
        sealed.push(Sealed { seq: entry.seq, hash: entry.hash, body });
        world.listener.hear(&new.run, Signal::Entry(&entry));
        entries.push(entry);
    }
    let status = if new.owner.is_some() { Status::Running } else { Status::Queued };
    let (method, question, owner) = (method.to_owned(), new.question.clone(), new.owner.clone());
    let written = world.log.append(Append {
        user: new.user.clone(),
        run: new.run.clone(),
        entries: sealed,
        at: world.clock.now(),
        status,
        spent: budget::Spend::default(),
        fence: Fence::New(NewRun { method, question, owner }),
        wait,
    });
    (entries, written)
}

/// Calls the method over the run until it ends, waits for a person, or is cancelled.
///
/// `cancelled` holds who asked for it, once somebody does. Returns where the run then stands.
pub async fn work(
    world: &World,
    method: &Method,
    user: &str,
    id: &str,
    attempt: u32,
    cancelled: watch::Receiver<Option<String>>,
) -> Result<Status> {
    let entries = world.log.entries(user, id, 0).await?;
    intact(id, &entries)?;
    let run = Run::over(world.clone(), id, attempt, &entries, cancelled)?;
    if attempt > FIRST_ATTEMPT {
        run.resumed();
    }
    see_through(method, &run).await
}

async fn see_through(method: &Method, run: &Run) -> Result<Status> {
    let (events, status) = match (method.perform)(run).await {
        Ok(deliverable) => (vec![finished(run, deliverable)], Status::Completed),
        Err(Stop::Waiting { .. }) => (vec![], Status::Waiting),
        Err(Stop::Cancelled { by }) => {
            (vec![Event::Cancelled { by, partial: so_far(run) }], Status::Cancelled)
        }
        Err(stop @ (Stop::Budget { .. } | Stop::Stage { .. })) => {
            (vec![stopped(run, stop)?], Status::Partial)
        }
        Err(stop @ (Stop::Diverged { .. } | Stop::NotRecorded { .. })) => {
            run.close(vec![], Status::Queued).await?;
            return Err(stop);
        }
        Err(stop @ Stop::Log(_)) => return Err(stop),
    };
    run.close(events, status).await?;
    Ok(status)
}

fn finished(run: &Run, deliverable: Deliverable) -> Event {
    let Deliverable { outcome, fields, ledger } = deliverable;
    let warnings = run.journal().warnings.clone();
    Event::Finished { outcome, deliverable: Value::Object(fields), ledger, warnings }
}

/// Returns the last entry of a run that met its budget, or in which a step failed for good; every other reason to stop comes back.
fn stopped(run: &Run, stop: Stop) -> Result<Event> {
    let (stage, reason, retry_attempted) = match stop {
        Stop::Budget { step, cap } => (step, budget_met(&cap), false),
        Stop::Stage { stage, message, retry_attempted } => (stage, message, retry_attempted),
        other => return Err(other),
    };
    Ok(Event::Stopped { stage, reason, retry_attempted, partial: so_far(run) })
}

/// Returns the reason of a run that ends because its budget is met.
pub fn budget_met(cap: &budget::CapMet) -> String {
    format!("the run's budget is met: {cap}")
}

/// Returns what a run that ends early has to show.
fn so_far(run: &Run) -> Option<Box<Partial>> {
    let mut journal = run.journal();
    let warnings = journal.warnings.clone();
    let partial = match journal.kept.take() {
        None if warnings.is_empty() => return None,
        None => Partial { deliverable: Value::Null, ledger: vec![], warnings },
        Some(Deliverable { fields, ledger, .. }) => {
            Partial { deliverable: Value::Object(fields), ledger, warnings }
        }
    };
    Some(Box::new(partial))
}

/// Checks that the log adds up.
pub fn intact(id: &str, entries: &[Entry]) -> std::result::Result<(), LogError> {
    let broken = |seq| {
        LogError::Unreadable {
        run: id.to_owned(),
        seq,
        reason: "it does not follow from the entries before it: the log was changed after it was written".into(),
    }
    };
    entry::verify(entries).map(|_| ()).map_err(broken)
}

/// Why an answer was not taken.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum AnswerError {
    #[error("run {run} asks nothing")]
    NothingAsked { run: String },
    #[error("run {run} has no open gate '{gate}'; open: {open}")]
    NoSuchGate { run: String, gate: String, open: String },
    #[error("run {run} asks at several gates; name one of: {open}")]
    WhichGate { run: String, open: String },
    #[error(transparent)]
    Log(#[from] LogError),
}

/// Writes a person's answer and puts the run back in the queue, in one transaction. A second answer is refused.
pub async fn answer(
    world: &World,
    user: &str,
    id: &str,
    gate: Option<&str>,
    answer: &str,
    by: &str,
) -> std::result::Result<(), AnswerError> {
    let entries = world.log.entries(user, id, 0).await?;
    intact(id, &entries)?;
    let open = views::open_gates(&entries);
    let names = || open.iter().map(|(name, _)| *name).collect::<Vec<_>>().join(", ");
    let run = || id.to_owned();
    let gate = match (gate, open.as_slice()) {
        (_, []) => return Err(AnswerError::NothingAsked { run: run() }),
        (Some(gate), open) if open.iter().any(|(name, _)| *name == gate) => gate,
        (Some(gate), _) => {
            return Err(AnswerError::NoSuchGate { run: run(), gate: gate.into(), open: names() });
        }
        (None, [(gate, _)]) => gate,
        (None, _) => return Err(AnswerError::WhichGate { run: run(), open: names() }),
    };
    let event =
        Event::Answered { gate: gate.to_owned(), answer: answer.to_owned(), by: by.to_owned() };
    let status = if open.len() == 1 { Status::Queued } else { Status::Waiting };
    let fence = Fence::Idle(Status::Waiting);
    append_one(world, user, id, &entries, event, status, fence).await?;
    Ok(())
}

/// Writes that a run which nobody works on is cancelled; `fence` says that nobody does.
pub async fn cancel(
    world: &World,
    user: &str,
    id: &str,
    fence: Fence,
    by: &str,
) -> std::result::Result<(), LogError> {
    let entries = world.log.entries(user, id, 0).await?;
    intact(id, &entries)?;
    let event = Event::Cancelled { by: by.to_owned(), partial: None };
    append_one(world, user, id, &entries, event, Status::Cancelled, fence).await
}

async fn append_one(
    world: &World,
    user: &str,
    id: &str,
    entries: &[Entry],
    event: Event,
    status: Status,
    fence: Fence,
) -> std::result::Result<(), LogError> {
    let at = world.clock.now();
    let mut journal = Journal::of(entries);
    let (_, sealed) = journal.seal(at, event);
    let append = Append {
        user: user.to_owned(),
        run: id.to_owned(),
        entries: vec![sealed],
        at,
        status,
        spent: journal.account.spent,
        fence,
        wait: Wait::Durable,
    };
    world.log.append(append).await
}

/// Why a run cannot be forked.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ForkError {
    #[error("run {run} has no step '{step}'; its steps: {steps}")]
    NoSuchStep { run: String, step: String, steps: String },
    #[error(transparent)]
    Log(#[from] LogError),
}

/// A fork about to be made.
#[derive(Debug, Clone)]
pub struct NewFork {
    /// The id of the new run.
    pub run: String,
    pub user: String,
    pub from: String,
    /// The first step that is done anew: a step, an agent (`writer` means `writer #1`) or a scope.
    pub step: String,
    pub settings: Settings,
    pub owner: Option<String>,
}

/// Returns the index of the entry with which a step begins. `writer` means `writer #1`, else the first step in a scope of that name,
/// else the first one of an agent of that name in any scope.
pub fn beginning(entries: &[Entry], wanted: &str) -> Option<usize> {
    let first = |is_meant: &dyn Fn(&str) -> bool| {
        entries.iter().position(|entry| match &entry.event {
            Event::Called { step, .. } | Event::Refused { step, .. } => is_meant(step),
            _ => false,
        })
    };
    let numbered = format!("{wanted} #1");
    let scope = format!("{wanted}/");
    let within = format!("/{wanted} #1");
    first(&|step| step == wanted)
        .or_else(|| first(&|step| step == numbered))
        .or_else(|| first(&|step| step.starts_with(&scope)))
        .or_else(|| first(&|step| step.ends_with(&within)))
}

/// Copies the entries before a step into a new run, which then goes its own way.
pub async fn fork(world: &World, fork: NewFork) -> std::result::Result<(), ForkError> {
    let entries = world.log.entries(&fork.user, &fork.from, 0).await?;
    intact(&fork.from, &entries)?;
    let Some(at) = beginning(&entries, &fork.step) else {
        let mut steps: Vec<String> =
            views::timeline(&entries).into_iter().map(|line| line.step).collect();
        steps.dedup();
        return Err(ForkError::NoSuchStep {
            run: fork.from,
            step: fork.step,
            steps: steps.join(", "),
        });
    };
    let mut events: Vec<(jiff::Timestamp, Event)> = Vec::new();
    let (mut method, mut question) = (String::new(), String::new());
    for entry in &entries[..at] {
        match &entry.event {
            Event::Started { method: name, version, question: asked, user, .. } => {
                (method, question) = (name.clone(), asked.clone());
                let started = Event::Started {
                    method: name.clone(),
                    version: *version,
                    question: asked.clone(),
                    settings: fork.settings.clone(),
                    user: user.clone(),
                };
                events.push((entry.at, started));
            }
            Event::Resumed { .. } | Event::Forked { .. } => {}
            event => events.push((entry.at, event.clone())),
        }
    }
    let forked = Event::Forked { from: fork.from.clone(), step: fork.step.clone() };
    events.push((world.clock.now(), forked));
    let NewFork { run, user, settings, owner, .. } = fork;
    let new = NewStart { run, user, question, settings, owner };
    create(world, &new, &method, events, Wait::Durable).1.await?;
    Ok(())
}

/// What a replay came to.
#[derive(Debug, Clone, PartialEq)]
pub struct Replayed {
    /// The log with the last entry made anew.
    pub entries: Vec<Entry>,
    /// Whether it is the recorded one to the byte.
    pub same: bool,
}

/// Calls the method over the log alone: no model, no documents, no network.
///
/// `world` provides the prompts and nothing that reaches outside.
pub async fn replay(
    world: &World,
    method: &Method,
    id: &str,
    entries: &[Entry],
) -> Result<Replayed> {
    intact(id, entries)?;
    let world = World {
        reach: Reach::Recorded,
        models: None,
        library: None,
        embedder: None,
        ..world.clone()
    };
    let (_open, never) = watch::channel(None);
    let ended = |event: &Event| {
        matches!(event, Event::Finished { .. } | Event::Stopped { .. } | Event::Cancelled { .. })
    };
    let [before @ .., last] = entries else {
        return Err(LogError::NoSuchRun { run: id.to_owned() }.into());
    };
    let past = if ended(&last.event) { before } else { entries };
    let run = Run::over(world, id, FIRST_ATTEMPT, past, never)?;
    let event = match (method.perform)(&run).await {
        Ok(deliverable) => finished(&run, deliverable),
        Err(stop) if matches!(last.event, Event::Stopped { .. }) => {
            as_recorded(stopped(&run, stop)?, &last.event)
        }
        Err(stop) => return Err(stop),
    };
    let mut entries = past.to_vec();
    let previous =
        past.last().map_or_else(Head::default, |entry| Head { seq: entry.seq, hash: entry.hash });
    let (remade, _) = Entry::seal(&previous, last.at, event);
    let same = canonical(&remade) == canonical(last);
    entries.push(remade);
    Ok(Replayed { entries, same })
}

/// Returns the end of a run without what an older log does not hold: warnings of a run that kept nothing to show.
fn as_recorded(mut remade: Event, recorded: &Event) -> Event {
    if let Event::Stopped { partial: None, .. } = recorded
        && let Event::Stopped { partial, .. } = &mut remade
    {
        *partial = partial.take().filter(|partial| !partial.deliverable.is_null());
    }
    remade
}

/// The methods that a program knows.
#[derive(Clone)]
pub struct Methods(Arc<[Method]>);

impl Methods {
    pub fn new(methods: impl IntoIterator<Item = Method>) -> Methods {
        Methods(methods.into_iter().collect())
    }

    pub fn find(&self, name: &str) -> Option<&Method> {
        self.0.iter().find(|method| method.name == name)
    }
}
