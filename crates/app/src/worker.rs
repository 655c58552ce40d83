//! The runs that a process holds: claimed, worked on, kept, stopped when somebody asks.

use std::collections::HashMap;
use std::convert::Infallible;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use run::Method;
use run::ports::{CancelRequest, LogError, Status, World};
use run::work::{self, NewStart, Stopping};
use tokio::sync::watch;
use tokio::time::{Instant, Interval, MissedTickBehavior, interval_at};

/// How often the requests to stop are looked for: they may come from another process.
const WATCH: Duration = Duration::from_millis(250);
/// How often leases are renewed.
const RENEW: Duration = Duration::from_secs(20);

/// A user and the name of a run.
pub(crate) type Key = (String, String);

/// Works on runs for one process.
///
/// What it does takes a [`World`] each time, which says with whose models; its own is for looking into the log and writing beside the
/// work. As long as anything is worked on, [`Worker::tend`] must be polled beside it, or leases run out.
pub struct Worker {
    world: World,
    owner: String,
    held: Mutex<HashMap<Key, watch::Sender<Option<String>>>>,
    /// Who wants everything stopped, what is begun later included.
    stopped_by: Mutex<Option<String>>,
}

/// A run that a worker of this process has for itself; dropped, it lets go of it.
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

    /// Starts the run and works on it until it ends, waits, or is stopped.
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

    /// Claims the run. One that this process holds and nobody works on, because its work broke off, is let go of first.
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

    /// Works on the run, under an attempt that was claimed, until it ends, waits, or is stopped.
    pub async fn work(&self, world: &World, method: &Method, attempt: u32) -> run::Result<Status> {
        let ((user, run), cancelled) = (&self.key, self.cancelled.clone());
        let ended = work::work(world, method, user, run, attempt, cancelled).await;
        self.settle(world, ended).await
    }

    /// Stops a run that came to a gate before it heard that it should stop.
    async fn settle(&self, world: &World, ended: run::Result<Status>) -> run::Result<Status> {
        let asked_by = self.cancelled.borrow().clone();
        let ((user, run), owner) = (&self.key, &self.worker.owner);
        match (ended, asked_by) {
            (Ok(Status::Waiting), Some(by)) => {
                match work::stop(world, user, run, owner, &by).await? {
                    Stopping::Cancelled => Ok(Status::Cancelled),
                    // Somebody was there first.
                    Stopping::Asked => Ok(Status::Waiting),
                    Stopping::Ended(status) => Ok(status),
                }
            }
            (ended, _) => ended,
        }
    }
}

impl Worker {
    /// Works under the name of `owner`, which no other process has. `world` needs no models.
    pub fn new(world: World, owner: impl Into<String>) -> Arc<Worker> {
        let owner = owner.into();
        Arc::new(Worker { world, owner, held: Mutex::default(), stopped_by: Mutex::default() })
    }

    /// Returns what is needed to write into a log without working on its run.
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

    /// Takes a run for this process; none where it is worked on here already.
    pub fn hold(self: &Arc<Worker>, user: &str, run: &str) -> Option<Held> {
        let key = (user.to_owned(), run.to_owned());
        let (cancel, cancelled) = watch::channel(self.stopped_by().clone());
        let mut held = self.held();
        if held.contains_key(&key) {
            return None;
        }
        held.insert(key.clone(), cancel);
        drop(held);
        Some(Held { worker: Arc::clone(self), key, cancelled })
    }

    /// Does the same; a run that is worked on here already is busy, as one that is worked on elsewhere.
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

    /// Takes a run up that nobody works on, and works on it.
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

    /// Works on a run that this process holds under an attempt, such as a fork that it has just made.
    pub async fn work(
        self: &Arc<Worker>,
        world: &World,
        method: &Method,
        (user, run): (&str, &str),
        attempt: u32,
    ) -> run::Result<Status> {
        self.held_for(user, run)?.work(world, method, attempt).await
    }

    /// Goes on with a run that is in the queue, or follows whoever works on it until it waits or ends; `taken` hears once who that is.
    /// One that its worker leaves behind is taken up here.
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

    /// Hears who wants runs stopped and renews leases, for as long as it is polled.
    pub async fn tend(&self) -> Infallible {
        let mut ticks = Ticks::new();
        loop {
            self.tick(&mut ticks).await;
        }
    }

    /// Does so once, when it is time; returns the runs that were ended here because nobody worked on them.
    pub(crate) async fn tick(&self, ticks: &mut Ticks) -> Vec<Key> {
        tokio::select! {
            _ = ticks.watch.tick() => self.hear_requests().await,
            _ = ticks.renew.tick() => {
                // A lost lease shows at the next append.
                let _ = self.world.log.renew(&self.owner).await;
                vec![]
            }
        }
    }

    /// Stops the runs that somebody wants stopped; returns those that ended here because nobody worked on them.
    async fn hear_requests(&self) -> Vec<Key> {
        let mut ended = Vec::new();
        // A look that fails is made again.
        let requests = self.world.log.cancel_requests(&self.owner).await.unwrap_or_default();
        for CancelRequest { user, run, by } in requests {
            if self.stop(&user, &run, &by) {
                continue;
            }
            // It is held here, and nobody works on it: its work broke off.
            if self.world.log.release(&user, &run, &self.owner).await.is_ok()
                && let Ok(Stopping::Cancelled) =
                    work::stop(&self.world, &user, &run, &self.owner, &by).await
            {
                ended.push((user, run));
            }
        }
        ended
    }

    /// Tells whoever works on the run here that it is to stop; returns whether somebody does.
    pub fn stop(&self, user: &str, run: &str, by: &str) -> bool {
        let held = self.held();
        let Some(cancel) = held.get(&(user.to_owned(), run.to_owned())) else { return false };
        request_stop(cancel, by);
        true
    }

    /// Stops everything that is worked on here, and whatever is begun later.
    pub fn stop_all(&self, by: &str) {
        self.stopped_by().get_or_insert_with(|| by.to_owned());
        self.held().values().for_each(|cancel| request_stop(cancel, by));
    }

    /// Tells whether everything is to stop.
    pub fn is_stopping(&self) -> bool {
        self.stopped_by().is_some()
    }

    /// Returns how many runs are worked on here.
    pub fn count(&self) -> usize {
        self.held().len()
    }
}

/// When a worker looks after what it holds.
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

/// Asks for a stop; whoever was first is who stopped it.
fn request_stop(cancel: &watch::Sender<Option<String>>, by: &str) {
    if cancel.borrow().is_none() {
        // A worker that has just gone has nothing to stop.
        let _ = cancel.send(Some(by.to_owned()));
    }
}
