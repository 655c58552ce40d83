//! The runs that a process holds: it claims them, works on them, keeps their leases and stops them on request.

use std::collections::HashMap;
use std::convert::Infallible;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use run::Method;
use run::log::{CancelRequest, LogError, Status};
use run::work::{self, NewStart, Stopping};
use run::world::World;
use tokio::sync::watch;
use tokio::time::{Instant, Interval, MissedTickBehavior, interval_at};

/// How often to look for requests to stop, which may come from another process.
const WATCH: Duration = Duration::from_millis(250);
/// How often to renew leases.
const RENEW: Duration = Duration::from_secs(5);

/// A user and the id of a run.
pub(crate) type Key = (String, String);

/// Holds the runs that one process works on.
///
/// Each call takes the [`World`] of its run, which decides the models; the worker's own world reads and writes the log and needs none.
/// Poll [`Worker::tend`] beside any work: without it leases expire and requests to stop go unheard.
pub struct Worker {
    world: World,
    owner: String,
    held: Mutex<HashMap<Key, watch::Sender<Option<String>>>>,
    /// Who asked to stop everything, including runs that begin later.
    stopped_by: Mutex<Option<String>>,
}

/// A run that is reserved for one task of this process, until it is dropped.
pub struct Held {
    worker: Arc<Worker>,
    key: Key,
    cancelled: watch::Receiver<Option<String>>,
}

impl Drop for Held {
    fn drop(&mut self) {
        self.worker.held().remove(&self.key);
    }
}

impl Held {
    pub fn user(&self) -> &str {
        &self.key.0
    }

    pub fn run(&self) -> &str {
        &self.key.1
    }

    /// Starts the run and works on it until it ends, waits or is stopped.
    pub async fn start(
        &self,
        world: &World,
        method: &Method,
        new: NewStart,
    ) -> run::Result<Status> {
        let new = NewStart { owner: Some(self.worker.owner.clone()), ..new };
        let cancelled = self.cancelled.clone();
        let ended = work::start_and_work(world, method, new, cancelled).await;
        self.settle(world, ended).await
    }

    /// Claims the run. If this process still holds it from work that broke off, releases it first.
    pub async fn claim(&self) -> Result<u32, LogError> {
        let (Worker { world, owner, .. }, (user, run)) = (&*self.worker, &self.key);
        match world.log.claim(user, run, owner).await {
            Err(LogError::Busy { owner: holder, .. }) if holder == *owner => {
                world.log.release(user, run, owner).await?;
                world.log.claim(user, run, owner).await
            }
            claimed => claimed,
        }
    }

    /// Works on the run under a claimed attempt until it ends, waits or is stopped.
    pub async fn work(&self, world: &World, method: &Method, attempt: u32) -> run::Result<Status> {
        let ((user, run), cancelled) = (&self.key, self.cancelled.clone());
        let ended = work::work(world, method, user, run, attempt, cancelled).await;
        self.settle(world, ended).await
    }

    /// Stops a run that reached a gate before it heard that it should stop.
    async fn settle(&self, world: &World, ended: run::Result<Status>) -> run::Result<Status> {
        let asked_by = self.cancelled.borrow().clone();
        let ((user, run), owner) = (&self.key, &self.worker.owner);
        match (ended, asked_by) {
            (Ok(Status::Waiting), Some(by)) => {
                match work::stop(world, user, run, owner, &by).await? {
                    Stopping::Cancelled => Ok(Status::Cancelled),
                    // Another process was first.
                    Stopping::Asked => Ok(Status::Waiting),
                    Stopping::Ended(status) => Ok(status),
                }
            }
            (ended, _) => ended,
        }
    }
}

impl Worker {
    /// Makes a worker that holds runs under the name `owner`, which no other process may use. `world` needs no models.
    pub fn new(world: World, owner: impl Into<String>) -> Arc<Worker> {
        let owner = owner.into();
        Arc::new(Worker { world, owner, held: Mutex::default(), stopped_by: Mutex::default() })
    }

    /// Returns the world for reading and writing logs without working on a run.
    pub fn world(&self) -> &World {
        &self.world
    }

    /// Returns the name under which this process holds runs.
    pub fn owner(&self) -> &str {
        &self.owner
    }

    fn held(&self) -> MutexGuard<'_, HashMap<Key, watch::Sender<Option<String>>>> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn stopped_by(&self) -> MutexGuard<'_, Option<String>> {
        self.stopped_by.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Reserves a run for this process. Returns `None` if this process works on it already.
    pub fn hold(self: &Arc<Worker>, user: &str, run: &str) -> Option<Held> {
        let key = (user.to_owned(), run.to_owned());
        let mut held = self.held();
        if held.contains_key(&key) {
            return None;
        }
        // Under the lock, so that `stop_all` either is seen here or finds the run among those that are held.
        let (cancel, cancelled) = watch::channel(self.stopped_by().clone());
        held.insert(key.clone(), cancel);
        drop(held);
        Some(Held { worker: Arc::clone(self), key, cancelled })
    }

    /// Reserves a run, or returns [`LogError::Busy`], whether this process or another works on it.
    fn held_for(self: &Arc<Worker>, user: &str, run: &str) -> Result<Held, LogError> {
        let busy = || LogError::Busy { run: run.to_owned(), owner: self.owner.clone() };
        self.hold(user, run).ok_or_else(busy)
    }

    /// Starts a run and works on it until it ends, waits, or is stopped.
    pub async fn start(
        self: &Arc<Worker>,
        world: &World,
        method: &Method,
        new: NewStart,
    ) -> run::Result<Status> {
        let held = self.held_for(&new.user, &new.run)?;
        held.start(world, method, new).await
    }

    /// Claims a run that nobody works on, and works on it.
    pub async fn resume(
        self: &Arc<Worker>,
        world: &World,
        method: &Method,
        user: &str,
        run: &str,
    ) -> run::Result<Status> {
        let held = self.held_for(user, run)?;
        let attempt = held.claim().await?;
        held.work(world, method, attempt).await
    }

    /// Works on a run that this process has claimed already, such as a fork that it has just made.
    pub async fn work(
        self: &Arc<Worker>,
        world: &World,
        method: &Method,
        (user, run): (&str, &str),
        attempt: u32,
    ) -> run::Result<Status> {
        self.held_for(user, run)?.work(world, method, attempt).await
    }

    /// Works on a queued run until it waits or ends. If another process has taken it, calls `taken` once with that owner and waits; if that
    /// process dies, takes the run over.
    pub async fn see_through(
        self: &Arc<Worker>,
        world: &World,
        method: &Method,
        (user, run): (&str, &str),
        taken: impl Fn(&str),
    ) -> run::Result<Status> {
        let mut said = false;
        loop {
            match self.resume(world, method, user, run).await {
                Err(run::Stop::Log(LogError::NotOpen { .. })) => {
                    let status = self.world.log.summary(user, run).await?.status;
                    if status == Status::Waiting || status.is_final() {
                        return Ok(status);
                    }
                }
                Err(run::Stop::Log(LogError::Busy { owner, .. })) => {
                    if !std::mem::replace(&mut said, true) {
                        taken(&owner);
                    }
                }
                ended => return ended,
            }
            tokio::time::sleep(WATCH).await;
        }
    }

    /// Hears requests to stop and renews leases, for as long as it is polled.
    pub async fn tend(&self) -> Infallible {
        let mut ticks = Ticks::new();
        loop {
            self.tick(&mut ticks, || false).await;
        }
    }

    /// Waits for the next tick and does what it calls for. Returns the runs that it cancelled because nobody worked on them; `rests` says
    /// whether this process may hold such runs.
    pub(crate) async fn tick(&self, ticks: &mut Ticks, rests: impl Fn() -> bool) -> Vec<Key> {
        tokio::select! {
            // Nobody can ask for a stop of what this process does not hold.
            _ = ticks.watch.tick() => match self.count() > 0 || rests() {
                true => self.hear_requests().await,
                false => vec![],
            },
            _ = ticks.renew.tick() => {
                // A lost lease shows at the next append.
                let _ = self.world.log.renew(&self.owner).await;
                vec![]
            }
        }
    }

    /// Stops the runs that were asked to stop. Returns those that it cancelled because nobody worked on them.
    async fn hear_requests(&self) -> Vec<Key> {
        let mut ended = Vec::new();
        // If the query fails, the next tick asks again.
        let requests = self.world.log.cancel_requests(&self.owner).await.unwrap_or_default();
        for CancelRequest { user, run, by } in requests {
            if self.stop(&user, &run, &by) {
                continue;
            }
            // This process holds it and nobody works on it: its work broke off.
            if self.world.log.release(&user, &run, &self.owner).await.is_ok()
                && let Ok(Stopping::Cancelled) =
                    work::stop(&self.world, &user, &run, &self.owner, &by).await
            {
                ended.push((user, run));
            }
        }
        ended
    }

    /// Asks the task that works on a run to stop. Returns false if no task of this process does.
    pub fn stop(&self, user: &str, run: &str, by: &str) -> bool {
        let held = self.held();
        let Some(cancel) = held.get(&(user.to_owned(), run.to_owned())) else { return false };
        request_stop(cancel, by);
        true
    }

    /// Stops every run of this worker, and every run that begins later.
    pub fn stop_all(&self, by: &str) {
        self.stopped_by().get_or_insert_with(|| by.to_owned());
        self.held().values().for_each(|cancel| request_stop(cancel, by));
    }

    /// Tells whether [`Worker::stop_all`] was called.
    pub fn is_stopping(&self) -> bool {
        self.stopped_by().is_some()
    }

    /// Returns the number of runs that this worker works on.
    pub fn count(&self) -> usize {
        self.held().len()
    }
}

/// The timers of [`Worker::tend`].
pub(crate) struct Ticks {
    watch: Interval,
    renew: Interval,
}

impl Ticks {
    pub(crate) fn new() -> Ticks {
        let every = |period| {
            let mut ticks = interval_at(Instant::now() + period, period);
            ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
            ticks
        };
        Ticks { watch: every(WATCH), renew: every(RENEW) }
    }
}

/// Asks a task to stop. The first to ask is recorded as the one who stopped it.
fn request_stop(cancel: &watch::Sender<Option<String>>, by: &str) {
    if cancel.borrow().is_none() {
        // If the task has just ended there is nothing to stop.
        let _ = cancel.send(Some(by.to_owned()));
    }
}
