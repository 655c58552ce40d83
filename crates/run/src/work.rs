//! Operations on a run from outside: start, work, answer, fork, replay.

mod fork;
mod gates;
mod removal;
mod replay;

use std::sync::Arc;

use futures::future::BoxFuture;
use serde_json::{Map, Value};
use tokio::sync::watch;

use crate::budget;
use crate::entry::{self, Entry, Event, Head, Outcome, Partial};
use crate::ledger::Claim;
use crate::listener::Signal;
use crate::log::{Append, Fence, LogError, NewRun, RequestKey, Sealed, Status, Wait};
use crate::run::{Result, Run, Stop};
use crate::settings::Settings;
use crate::stages::Stage;
use crate::world::World;

pub use fork::{ForkError, NewFork, beginning, fork};
pub use gates::{
    AnswerError, Seen, Stopping, answer, answer_all, approve, out_of_phase, reject, revise, stop,
};
pub use removal::{prune, remove};
pub use replay::{Replayed, replay};

/// The result of a method.
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
    /// Its title on a page.
    pub title: &'static str,
    /// What it does for the user, in one sentence. A method without one is not offered to programs that choose by it.
    pub description: &'static str,
    /// A question that it answers.
    pub example: &'static str,
    /// The fields of an order that are the method's own: an order with any other is refused.
    pub fields: &'static [&'static str],
    /// Changes when the order or the names of the method's steps change.
    pub version: u32,
    pub perform: Perform,
    /// Returns the method's stages for its options. A method without any is one stage of its own.
    pub stages: fn(&Value) -> Vec<Stage>,
    /// The function to call instead of `perform`, which it calls in time; `None` for a method that begins at once.
    pub layer: Option<Layer>,
    /// Returns what is wrong with options that a run would be started with: a key that cannot be read, or used.
    pub check_options: fn(&Value) -> std::result::Result<(), String>,
    /// Whether a plan is approved before anything else is done, unless the setting of its user says otherwise.
    pub plans_first: bool,
    /// Returns the report of a run from its envelope, and `None` for a run that delivered nothing of the method's own. A method that has
    /// no report of its own is shown with its answer alone.
    pub report: Option<fn(&Value) -> Option<render::Document>>,
}

pub type Perform = for<'a> fn(&'a Run) -> BoxFuture<'a, Result<Deliverable>>;
pub type Layer = for<'a> fn(&'a Method, &'a Run) -> BoxFuture<'a, Result<Deliverable>>;

impl Method {
    /// Returns a method without stages and without a layer.
    pub const fn new(name: &'static str, version: u32, perform: Perform) -> Method {
        Method {
            name,
            title: name,
            description: "",
            example: "Who was John Snow?",
            fields: &[],
            version,
            perform,
            stages: |_| Vec::new(),
            layer: None,
            check_options: |_| Ok(()),
            plans_first: false,
            report: None,
        }
    }

    /// Sets its title and description, and a question that it answers.
    #[must_use]
    pub const fn described(
        self,
        title: &'static str,
        description: &'static str,
        example: &'static str,
    ) -> Method {
        Method { title, description, example, ..self }
    }

    /// Sets the fields of an order that it reads, besides those of every method.
    #[must_use]
    pub const fn reading(self, fields: &'static [&'static str]) -> Method {
        Method { fields, ..self }
    }

    #[must_use]
    pub const fn in_stages(self, stages: fn(&Value) -> Vec<Stage>) -> Method {
        Method { stages, ..self }
    }

    /// Says how options are checked before a run, or a fork of one, is started with them.
    #[must_use]
    pub const fn checking(
        self,
        check_options: fn(&Value) -> std::result::Result<(), String>,
    ) -> Method {
        Method { check_options, ..self }
    }

    #[must_use]
    pub const fn planning_first(self) -> Method {
        Method { plans_first: true, ..self }
    }

    #[must_use]
    pub const fn reported(self, report: fn(&Value) -> Option<render::Document>) -> Method {
        Method { report: Some(report), ..self }
    }

    #[must_use]
    pub const fn under(self, layer: Layer) -> Method {
        Method { layer: Some(layer), ..self }
    }

    /// Performs the method over the run, through its layer if it has one.
    pub(crate) async fn performed(&self, run: &Run) -> Result<Deliverable> {
        match self.layer {
            Some(layer) => layer(self, run).await,
            None => (self.perform)(run).await,
        }
    }
}

/// A run to start.
#[derive(Debug, Clone)]
pub struct NewStart {
    pub run: String,
    pub user: String,
    pub question: String,
    pub settings: Settings,
    /// Who works on it from the start; `None` leaves it to the queue.
    pub owner: Option<String>,
    /// The key of its request, if that may be repeated: a second run with the same key fails with [`LogError::KeyTaken`].
    pub key: Option<RequestKey>,
    /// How many runs of the method the user may have at work, including this one: one more fails with [`LogError::TooMany`].
    pub at_most: Option<u32>,
}

/// The attempt number of a run that is worked on from its start.
pub const FIRST_ATTEMPT: u32 = 1;

/// Starts a run and works on it as [`work`] does, without the queue.
///
/// The first entry reaches the disk with the first step's, before any external call; if there is a limit, before the method begins.
pub async fn start_and_work(
    world: &World,
    method: &Method,
    new: NewStart,
    cancelled: watch::Receiver<Option<String>>,
) -> Result<Status> {
    let first = vec![(world.clock.now(), new.first(method))];
    if new.at_most.is_some() {
        let (entries, written) = create(world, &new, method.name, first, Wait::Durable);
        written.await?;
        return begun(world, method, &new.run, entries, cancelled).await;
    }
    let (entries, written) = create(world, &new, method.name, first, Wait::Soon);
    drop(written);
    begun(world, method, &new.run, entries, cancelled).await
}

/// Works on a run that was just created.
async fn begun(
    world: &World,
    method: &Method,
    id: &str,
    entries: Vec<Entry>,
    cancelled: watch::Receiver<Option<String>>,
) -> Result<Status> {
    announce(world, id, &entries);
    let run = Run::over(world.clone(), id, FIRST_ATTEMPT, &entries, cancelled)?;
    drop(entries);
    see_through(method, &run).await
}

/// Creates a run for the queue and ignores the owner in `new`. It is on disk when this returns.
///
/// It does not notify the listener: the worker that takes the run up does.
pub async fn submit(
    world: &World,
    method: &Method,
    new: NewStart,
) -> std::result::Result<(), LogError> {
    let new = NewStart { owner: None, ..new };
    let first = vec![(world.clock.now(), new.first(method))];
    create(world, &new, method.name, first, Wait::Durable).1.await
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
        entries.push(entry);
    }
    let status = if new.owner.is_some() { Status::Running } else { Status::Queued };
    let NewStart { question, owner, key, at_most, .. } = new.clone();
    let method = method.to_owned();
    let written = world.log.append(Append {
        user: new.user.clone(),
        run: new.run.clone(),
        entries: sealed,
        at: world.clock.now(),
        status,
        spent: budget::Spend::default(),
        fence: Fence::New(NewRun { method, question, owner, key, at_most }),
        wait,
    });
    (entries, written)
}

fn announce(world: &World, run: &str, entries: &[Entry]) {
    for entry in entries {
        world.listener.hear(run, Signal::Entry(entry));
    }
}

/// Calls the method over the run until it ends, waits for a person, or is cancelled.
///
/// `cancelled` holds who requested the cancellation, once someone does. Returns the status of the run at the end.
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
    drop(entries);
    if attempt > FIRST_ATTEMPT {
        run.resumed();
    }
    see_through(method, &run).await
}

async fn see_through(method: &Method, run: &Run) -> Result<Status> {
    let (events, status) = match method.performed(run).await {
        Ok(deliverable) => (vec![finished(run, deliverable)], Status::Completed),
        Err(Stop::Waiting { .. }) => (vec![], Status::Waiting),
        Err(Stop::Cancelled { by }) => {
            (vec![Event::Cancelled { by, partial: so_far(run) }], Status::Cancelled)
        }
        Err(stop @ (Stop::Budget { .. } | Stop::Stage { .. })) => {
            (vec![stopped(run, stop)?], Status::Partial)
        }
        Err(stop @ (Stop::Diverged { .. } | Stop::NotRecorded { .. } | Stop::Paused { .. })) => {
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

/// Returns the last entry of a run that met its budget or in which a step failed for good; returns every other reason to stop as the
/// error.
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

/// Returns the partial result of a run that ends early.
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

/// Verifies the hash chain of the log.
pub fn intact(id: &str, entries: &[Entry]) -> std::result::Result<(), LogError> {
    let broken = |seq| {
        LogError::Unreadable {
        run: id.to_owned(),
        seq,
        reason: "it does not follow from the entries before it, so the log was changed after it was written".into(),
    }
    };
    entry::verify(entries).map(|_| ()).map_err(broken)
}

/// The methods that a program knows.
#[derive(Clone)]
pub struct Methods(Arc<[Method]>);

impl Methods {
    pub fn new(methods: impl IntoIterator<Item = Method>) -> Methods {
        Methods(methods.into_iter().collect())
    }

    pub fn iter(&self) -> impl Iterator<Item = &Method> {
        self.0.iter()
    }

    pub fn find(&self, name: &str) -> Option<&Method> {
        self.0.iter().find(|method| method.name == name)
    }
}
