//! Makes the runs of an evaluation: finds those that were made before, continues those that were begun, starts the others.

use std::collections::{BTreeMap, BTreeSet};
use std::convert::Infallible;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use app::Worker;
use async_trait::async_trait;
use eval::runner::{Done, Fault, Found, Runs, Wanted, met_its_cap};
use run::budget::{Budget, Spend};
use run::database::Database;
use run::entry::Entry;
use run::log::{LogError, RequestKey, RunSummary, Status};
use run::work::{self, NewStart};
use run::world::World;
use run::{Methods, Settings, Stop, views};
use sources::Csl;

use super::super::{INTERRUPTED, PERSON, id_of_evaluation};
use super::folder::{Folder, RunEntry};
use crate::artifacts;
use crate::cli::Format;
use crate::failure::Failure;
use crate::output::render;

/// How often a run that another process works on is checked for its end.
const WATCH: Duration = Duration::from_millis(250);
/// The name that the log gives to the one who stops a run that waits for a person.
const NOBODY: &str = "the evaluation cannot answer questions";

/// Makes the runs of an evaluation.
pub(super) struct WorkerPool<'a> {
    pub(super) database: &'a Database,
    pub(super) methods: Methods,
    pub(super) user: &'a str,
    /// The world of each arm, and of each judge.
    pub(super) worlds: BTreeMap<String, World>,
    pub(super) bibliography: &'a Csl,
    pub(super) folder: &'a Folder,
    /// The data folder, where runs leave their artifacts.
    pub(super) artifacts: Option<PathBuf>,
    /// Whether only runs of this evaluation count.
    pub(super) fresh: bool,
    /// The runs that this evaluation began.
    pub(super) own: Mutex<BTreeSet<String>>,
    pub(super) worker: Arc<Worker>,
}

impl From<Failure> for Fault {
    fn from(failure: Failure) -> Fault {
        Fault { what: failure.what, hint: failure.hint }
    }
}

fn fault(error: impl Into<Failure>) -> Fault {
    error.into().into()
}

/// A run as the log has it.
struct Known {
    summary: RunSummary,
    entries: Vec<Entry>,
}

impl Known {
    fn settings(&self) -> Option<&Settings> {
        views::start(&self.entries).map(|start| start.settings)
    }

    fn spent(&self) -> Spend {
        let RunSummary { tokens, cost_usd_micros, .. } = self.summary;
        Spend { tokens, cost_usd_micros }
    }
}

impl WorkerPool<'_> {
    fn own(&self) -> MutexGuard<'_, BTreeSet<String>> {
        self.own.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns what the evaluation has spent so far, by the summaries of its runs.
    pub(super) async fn spent(&self) -> Result<Spend, Failure> {
        let own: Vec<String> = self.own().iter().cloned().collect();
        let mut spent = Spend::default();
        for run in own {
            match self.database.log.summary(self.user, &run).await {
                Ok(RunSummary { tokens, cost_usd_micros, .. }) => {
                    spent = spent + Spend { tokens, cost_usd_micros };
                }
                // It was recorded but never started.
                Err(LogError::NoSuchRun { .. }) => {}
                Err(error) => return Err(error.into()),
            }
        }
        Ok(spent)
    }

    /// Returns the runs of a key, oldest first: the first one, and each that replaced the one before.
    async fn runs_of(&self, wanted: &Wanted) -> Result<Vec<String>, LogError> {
        let mut runs = Vec::new();
        while let Some((run, request)) =
            self.database.log.keyed(self.user, &key(wanted, runs.len() + 1)).await?
        {
            if request != wanted.key {
                break;
            }
            runs.push(run);
        }
        Ok(runs)
    }

    /// Returns the newest run of the key that is completed or can be continued.
    async fn newest(&self, wanted: &Wanted) -> Result<Option<Known>, LogError> {
        for run in self.runs_of(wanted).await?.into_iter().rev() {
            if self.fresh && !self.own().contains(&run) {
                continue;
            }
            let summary = self.database.log.summary(self.user, &run).await?;
            let (ended, open) = match summary.status {
                Status::Completed => (true, false),
                Status::Queued | Status::Running => (false, true),
                Status::Waiting | Status::Partial | Status::Cancelled => (false, false),
            };
            if !ended && !open {
                continue;
            }
            let entries = self.database.log.entries(self.user, &run, 0).await?;
            let known = Known { summary, entries };
            if work::intact(&run, &known.entries).is_err() {
                continue;
            }
            // A run that met its cap under another budget might now come to another result.
            let budget = known.settings().map(|settings| settings.budget);
            if ended && budget != Some(wanted.settings.budget) && met_its_cap(&known.entries) {
                continue;
            }
            return Ok(Some(known));
        }
        Ok(None)
    }

    /// Starts a run and works on it; returns its id.
    async fn start(&self, wanted: &Wanted, budget: Budget) -> Result<String, Fault> {
        let number = self.runs_of(wanted).await.map_err(fault)?.len() + 1;
        let run = id_of_evaluation();
        self.note(wanted, &run)?;
        let new = NewStart {
            run: run.clone(),
            user: self.user.to_owned(),
            question: wanted.question.clone(),
            settings: Settings { budget, ..wanted.settings.clone() },
            owner: None,
            key: Some(RequestKey { key: key(wanted, number), request: wanted.key }),
            // In effect unlimited. But with a limit, the method only begins once the run and its key are on disk.
            at_most: Some(u32::MAX),
        };
        let (world, method) = (self.world(wanted)?.clone(), *self.method(&wanted.method)?);
        let worker = Arc::clone(&self.worker);
        let work = async move { worker.start(&world, &method, new).await };
        match worked(&run, work).await {
            // Another process, or another case with the same question, asks the same at the same time.
            Err(Stop::Log(LogError::KeyTaken { run: theirs, .. })) => {
                self.own().remove(&run);
                Ok(theirs)
            }
            Err(Stop::Log(error)) if !matches!(error, LogError::Fenced { .. }) => Err(fault(error)),
            // `see_through` finds out its state.
            _ => Ok(run),
        }
    }

    /// Records a run that was begun before as one of this evaluation; returns its id.
    fn taken_up(&self, wanted: &Wanted, known: &Known) -> Result<String, Fault> {
        let run = known.summary.run_id.clone();
        if !self.own().contains(&run) {
            self.note(wanted, &run)?;
        }
        Ok(run)
    }

    /// Records that a run belongs to this evaluation, before it begins.
    fn note(&self, wanted: &Wanted, run: &str) -> Result<(), Fault> {
        let (case, purpose) = (wanted.case.clone(), wanted.purpose.clone());
        let entry = RunEntry { run: run.to_owned(), case, purpose };
        self.folder.begins(&entry).map_err(|error| {
            fault(Failure::new(
                format!("could not write {}: {error}", self.folder.path().display()),
                "check the data folder's permissions and free space",
            ))
        })?;
        self.own().insert(run.to_owned());
        Ok(())
    }

    fn world(&self, wanted: &Wanted) -> Result<&World, Fault> {
        let none = || fault(Failure::new(format!("there is no arm '{}'", wanted.purpose), ""));
        self.worlds.get(&wanted.purpose).ok_or_else(none)
    }

    fn method(&self, name: &str) -> Result<&run::Method, Fault> {
        let none =
            || fault(Failure::new(format!("this version of Quaestio has no method '{name}'"), ""));
        self.methods.find(name).ok_or_else(none)
    }

    /// Works on a run, or waits for another process that does, until the run is over.
    async fn see_through(&self, wanted: &Wanted, run: &str) -> Result<Status, Fault> {
        let (world, method) = (self.world(wanted)?, self.method(&wanted.method)?);
        loop {
            let (worker, at, method) = (Arc::clone(&self.worker), world.clone(), *method);
            let (user, id) = (self.user.to_owned(), run.to_owned());
            let work = async move { worker.resume(&at, &method, &user, &id).await };
            match worked(run, work).await {
                Ok(Status::Waiting) => self.stop_waiting(world, run).await?,
                Ok(status) if status.is_final() => return Ok(status),
                Ok(_) | Err(Stop::Log(LogError::Fenced { .. })) => {}
                Err(Stop::Log(LogError::NotOpen { .. })) => {
                    let status =
                        self.database.log.summary(self.user, run).await.map_err(fault)?.status;
                    if status.is_final() {
                        return Ok(status);
                    }
                    if status == Status::Waiting {
                        self.stop_waiting(world, run).await?;
                    }
                }
                // Another process, or another case with the same question, works on it.
                Err(Stop::Log(LogError::Busy { .. })) => {
                    if self.is_stopping() {
                        return Ok(Status::Running);
                    }
                    tokio::time::sleep(WATCH).await;
                }
                // It was made by another version of the method.
                Err(Stop::Diverged { .. } | Stop::NotRecorded { .. }) => {
                    self.stop_waiting(world, run).await?;
                }
                Err(stop) => return Err(fault(stop)),
            }
        }
    }

    /// Ends a run that cannot go on.
    async fn stop_waiting(&self, world: &World, run: &str) -> Result<(), Fault> {
        let owner = self.database.storage.owner();
        work::stop(world, self.user, run, owner, NOBODY).await.map_err(fault)?;
        Ok(())
    }

    /// Watches for requests to stop the evaluation or one of its runs, and renews the runs' leases.
    pub(super) async fn watch(&self, says: impl Fn(&str)) -> Infallible {
        let interrupted = async {
            while tokio::signal::ctrl_c().await.is_ok() {
                if self.is_stopping() {
                    // A second interrupt means: do not wait for a clean stop.
                    std::process::exit(INTERRUPTED);
                }
                says("stopping; finished work is kept");
                self.worker.stop_all(PERSON);
            }
        };
        let (never, ()) = tokio::join!(self.worker.tend(), interrupted);
        never
    }
}

/// Works on a run in its own task, so that long computations, such as a search, do not block other cases.
async fn worked(
    run: &str,
    work: impl Future<Output = run::Result<Status>> + Send + 'static,
) -> run::Result<Status> {
    let broken = |error: tokio::task::JoinError| {
        let action = format!("be gone on with by run {run}");
        Stop::Log(LogError::Store { action, reason: error.to_string() })
    };
    tokio::spawn(work).await.map_err(broken)?
}

/// Returns the request key of the `number`th run for the same request.
fn key(wanted: &Wanted, number: usize) -> String {
    format!("eval-{}-{number}", wanted.key)
}

#[async_trait]
impl Runs for WorkerPool<'_> {
    async fn find(&self, wanted: &Wanted) -> Result<Found, Fault> {
        let Some(known) = self.newest(wanted).await.map_err(fault)? else {
            return Ok(Found::Nothing);
        };
        let spent = known.spent();
        let Known { summary, entries } = known;
        if summary.status != Status::Completed {
            let start = views::start(&entries);
            let budget = start.map(|start| start.settings.budget).unwrap_or_default();
            return Ok(Found::Begun { budget, spent });
        }
        let cached = !self.own().contains(&summary.run_id);
        let (run, status, spent) = (summary.run_id, summary.status, Spend::default());
        Ok(Found::Ended(Done { run, status, cached, entries, spent }))
    }

    async fn perform(&self, wanted: &Wanted, budget: Budget) -> Result<Done, Fault> {
        let begun = self.newest(wanted).await.map_err(fault)?;
        let (run, before) = match begun {
            Some(known) => (self.taken_up(wanted, &known)?, known.spent()),
            None => (self.start(wanted, budget).await?, Spend::default()),
        };
        let status = self.see_through(wanted, &run).await?;
        let entries = self.database.log.entries(self.user, &run, 0).await.map_err(fault)?;
        let RunSummary { tokens, cost_usd_micros, .. } =
            self.database.log.summary(self.user, &run).await.map_err(fault)?;
        let spent = Spend { tokens, cost_usd_micros } - before;
        if let Some(data) = &self.artifacts {
            let envelope = views::envelope(&run, &entries, self.bibliography);
            // A failure is ignored: the evaluation has files of its own, and the log is kept anyway.
            let files = &*self.database.files;
            let left = artifacts::write(data, &self.methods, files, &run, &entries, &envelope);
            let _ = left.await;
        }
        Ok(Done { run, status, cached: false, entries, spent })
    }

    fn answer(&self, done: &Done) -> String {
        let envelope = views::envelope(&done.run, &done.entries, self.bibliography);
        match envelope.get("answer").and_then(serde_json::Value::as_str) {
            Some(answer) => answer.to_owned(),
            None => render(&self.methods, &envelope, Format::Md),
        }
    }

    fn is_stopping(&self) -> bool {
        self.worker.is_stopping()
    }
}
