//! The workers: processes that are killed, paused, woken and replaced, and what they said meanwhile.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStderr, Stdio};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Instant;

use jiff::Timestamp;
use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;

use super::model;
use super::site::Site;
use crate::Failure;

/// What a worker says of a run that another attempt holds: [`run::log::LogError::Fenced`].
const FENCED: &str = "was taken over or has gone on meanwhile";

/// What happened to the workers.
#[derive(Debug, Clone, Default)]
pub(super) struct History {
    /// Workers, and when they were killed.
    pub(super) kills: Vec<(usize, Timestamp)>,
    /// Workers, and when they were paused and woken.
    pub(super) stops: Vec<(usize, Timestamp, Timestamp)>,
    /// Workers whose appends were refused because another attempt held the run, and when they said so.
    pub(super) refusals: Vec<(usize, Timestamp)>,
    /// Why else work on a run broke off, and how often.
    pub(super) hindrances: BTreeMap<String, usize>,
    /// How workers ended that nobody killed.
    pub(super) deaths: Vec<String>,
    pub(super) panics: usize,
}

struct Worker {
    number: usize,
    child: Child,
    /// The name under which it holds runs.
    owner: String,
    stopped: Option<Stopped>,
}

struct Stopped {
    since: Timestamp,
    until: Instant,
}

pub(super) struct Workers {
    all: Vec<Worker>,
    next: usize,
    history: Arc<Mutex<History>>,
}

impl Workers {
    pub(super) fn start(site: &Site, count: usize) -> Result<Workers, Failure> {
        let mut workers = Workers { all: vec![], next: 1, history: Arc::default() };
        for _ in 0..count {
            let worker = workers.spawn(site)?;
            workers.all.push(worker);
        }
        Ok(workers)
    }

    fn history(&self) -> MutexGuard<'_, History> {
        self.history.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn spawn(&mut self, site: &Site) -> Result<Worker, Failure> {
        let number = self.next;
        self.next += 1;
        let name = format!("worker-{number}");
        let mut command = site.command(&["worker", "--runs", "40", "--quiet"], &name);
        command.env("QUAESTIO_API_KEY", model::key_of(number));
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()?;
        let output = child.stdout.take().ok_or("a worker says nothing")?;
        let errors = child.stderr.take().ok_or("a worker has no errors")?;
        let (history, copy) =
            (Arc::clone(&self.history), File::create(site.path(&format!("{name}.log")))?);
        thread::spawn(move || listen(number, errors, copy, &history));
        let mut line = String::new();
        BufReader::new(output).read_line(&mut line)?;
        let owner = line.trim().strip_prefix("working on runs as ");
        let owner = owner.ok_or_else(|| format!("a worker said: '{line}'"))?.to_owned();
        Ok(Worker { number, child, owner, stopped: None })
    }

    pub(super) fn count(&self) -> usize {
        self.all.len()
    }

    /// Returns how many workers are paused.
    pub(super) fn stopped(&self) -> usize {
        self.all.iter().filter(|worker| worker.stopped.is_some()).count()
    }

    /// Returns the indices of the workers that are awake and hold a run.
    pub(super) fn at_work(&self, held: &BTreeMap<String, usize>) -> Vec<usize> {
        let is_at_work =
            |worker: &Worker| worker.stopped.is_none() && held.contains_key(&worker.owner);
        (0..self.all.len()).filter(|index| is_at_work(&self.all[*index])).collect()
    }

    /// Kills a worker, and starts another in its place.
    pub(super) fn kill(&mut self, site: &Site, index: usize) -> Result<(), Failure> {
        self.all[index].child.kill()?;
        let number = self.all[index].number;
        self.history().kills.push((number, Timestamp::now()));
        self.all[index].child.wait()?;
        self.all[index] = self.spawn(site)?;
        Ok(())
    }

    /// Pauses a worker until an instant.
    pub(super) fn stop(&mut self, index: usize, until: Instant) -> Result<(), Failure> {
        let worker = &mut self.all[index];
        let since = Timestamp::now();
        signal(&worker.child, Signal::STOP)?;
        worker.stopped = Some(Stopped { since, until });
        Ok(())
    }

    /// Wakes the workers whose pause is over, and replaces those that have died.
    pub(super) fn revive(&mut self, site: &Site) -> Result<(), Failure> {
        for index in 0..self.all.len() {
            let worker = &mut self.all[index];
            if let Some(stopped) = worker.stopped.take_if(|stopped| stopped.until <= Instant::now())
            {
                let (number, woken) = (worker.number, Timestamp::now());
                signal(&worker.child, Signal::CONT)?;
                self.history().stops.push((number, stopped.since, woken));
            }
            let worker = &mut self.all[index];
            if let Some(status) = worker.child.try_wait()? {
                let told = format!("worker {}: {status}", worker.number);
                self.history().deaths.push(told);
                self.all[index] = self.spawn(site)?;
            }
        }
        Ok(())
    }

    /// Returns why work on runs broke off so far.
    pub(super) fn hindrances(&self) -> BTreeMap<String, usize> {
        self.history().hindrances.clone()
    }

    /// Ends all workers; returns what happened to them.
    pub(super) fn end(self) -> History {
        let history = Arc::clone(&self.history);
        drop(self);
        let history = history.lock().unwrap_or_else(PoisonError::into_inner);
        history.clone()
    }
}

impl Drop for Workers {
    fn drop(&mut self) {
        for worker in &mut self.all {
            let _ = worker.child.kill();
            let _ = worker.child.wait();
        }
    }
}

fn signal(child: &Child, signal: Signal) -> Result<(), Failure> {
    let id = Pid::from_raw(i32::try_from(child.id())?).ok_or("a process has no id")?;
    Ok(kill_process(id, signal)?)
}

/// Writes down what a worker says about runs that it cannot go on with.
fn listen(number: usize, errors: ChildStderr, mut copy: File, history: &Mutex<History>) {
    for line in BufReader::new(errors).lines().map_while(Result::ok) {
        let _ = writeln!(copy, "{line}");
        let said: Value = serde_json::from_str(&line).unwrap_or_default();
        let (event, message) = (said["event"].as_str(), said["message"].as_str());
        let mut history = history.lock().unwrap_or_else(PoisonError::into_inner);
        match (event, message) {
            (Some("hindered"), Some(message)) if message.contains(FENCED) => {
                history.refusals.push((number, Timestamp::now()));
            }
            (Some("hindered"), Some(message)) => {
                *history.hindrances.entry(message.to_owned()).or_default() += 1;
            }
            (Some("panicked"), _) => history.panics += 1,
            _ => {}
        }
    }
}
