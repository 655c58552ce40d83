//! The runs that this process works on: taken from the queue, seen through, stopped when somebody asks.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use run::entry::Entry;
use run::ports::{CancelRequest, Log, LogError, Pause, Status, World};
use run::work::Stopping;
use run::{Method, Methods, views, work};
use tokio::sync::{Notify, watch};
use tokio::task::JoinSet;

use crate::api::request;
use crate::feed::{Ear, Feeds};
use crate::measured::measured;
use crate::metrics::Metrics;
use crate::{Happened, House, RefusalKind};

/// How often the queue is looked at when nobody says that something stands in it.
const SWEEP: Duration = Duration::from_secs(1);
/// How often the requests to stop are looked for: they may come from another process.
const WATCH: Duration = Duration::from_millis(250);
/// How often leases are renewed.
const RENEW: Duration = Duration::from_secs(20);
/// How long a run rests that could not be worked on for a reason that may pass.
const REST: Duration = Duration::from_secs(10);

/// Runs whose requests are remembered.
const REQUESTS: usize = 100_000;

type Key = (String, String);

/// What works on runs in this process.
pub(crate) struct Workers {
    means: Means,
    at_work: Mutex<HashMap<Key, watch::Sender<Option<String>>>>,
    resting: Mutex<HashMap<Key, Rest>>,
    /// The requests that runs which have not ended come from.
    requests: Mutex<HashMap<Key, String>>,
    woken: Notify,
    /// Whether the server is about to stop.
    draining: watch::Sender<bool>,
}

/// What it takes to work on runs.
pub(crate) struct Means {
    pub(crate) house: Arc<dyn House>,
    pub(crate) log: Arc<dyn Log>,
    pub(crate) methods: Methods,
    pub(crate) feeds: Arc<Feeds>,
    pub(crate) metrics: Arc<Metrics>,
    /// What is needed to write into a log without working on its run.
    pub(crate) desk: World,
    /// The name under which this process holds runs.
    pub(crate) owner: String,
    /// Runs that are worked on at the same time.
    pub(crate) most: usize,
}

/// Why a run is not worked on.
#[derive(Clone)]
struct Rest {
    why: String,
    /// None: until the program is started anew.
    until: Option<Instant>,
}

/// Why work on a run ended without an end of the run.
struct Hindrance {
    why: String,
    may_pass: bool,
}

impl From<LogError> for Hindrance {
    fn from(error: LogError) -> Hindrance {
        Hindrance { why: error.to_string(), may_pass: true }
    }
}

impl Workers {
    pub(crate) fn new(means: Means) -> Workers {
        Workers {
            means,
            at_work: Mutex::default(),
            resting: Mutex::default(),
            requests: Mutex::default(),
            woken: Notify::new(),
            draining: watch::Sender::new(false),
        }
    }

    fn at_work(&self) -> MutexGuard<'_, HashMap<Key, watch::Sender<Option<String>>>> {
        self.at_work.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn resting(&self) -> MutexGuard<'_, HashMap<Key, Rest>> {
        self.resting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn requests(&self) -> MutexGuard<'_, HashMap<Key, String>> {
        self.requests.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Notes which request a run comes from, or was told something by.
    pub(crate) fn requested(&self, user: &str, run: &str) {
        if let Some(request) = request::current() {
            let mut requests = self.requests();
            // Runs that end elsewhere are never taken out.
            if requests.len() >= REQUESTS {
                requests.clear();
            }
            requests.insert((user.to_owned(), run.to_owned()), request);
        }
    }

    /// Tells what became of a run.
    fn tell(&self, key: &Key, event: &'static str, message: &str) {
        let request = self.requests().get(key).cloned();
        let (user, run) = key;
        let request = request.as_deref();
        self.means.house.happened(&Happened { user, run, request, event, message });
    }

    /// Has runs begin no step any more, and takes none up.
    pub(crate) fn drain(&self) {
        self.draining.send_replace(true);
        self.wake();
    }

    pub(crate) fn is_draining(&self) -> bool {
        *self.draining.borrow()
    }

    /// Says that there is something in the queue.
    pub(crate) fn wake(&self) {
        self.woken.notify_one();
    }

    /// Says that a person has done something about a run, so it is tried again.
    pub(crate) fn wake_for(&self, user: &str, run: &str) {
        self.requested(user, run);
        self.resting().remove(&(user.to_owned(), run.to_owned()));
        self.wake();
    }

    /// Forgets a run that was removed.
    pub(crate) fn forget(&self, user: &str, run: &str) {
        self.resting().remove(&(user.to_owned(), run.to_owned()));
    }

    /// Returns why this process cannot go on with a run.
    pub(crate) fn hindrance(&self, user: &str, run: &str) -> Option<String> {
        self.resting().get(&(user.to_owned(), run.to_owned())).map(|rest| rest.why.clone())
    }

    /// Tells whoever works on the run here that it is to stop; returns whether somebody does.
    pub(crate) fn stop(&self, user: &str, run: &str, by: &str) -> bool {
        let at_work = self.at_work();
        let Some(cancel) = at_work.get(&(user.to_owned(), run.to_owned())) else { return false };
        // Whoever was first is who stopped it.
        if cancel.borrow().is_none() {
            // A worker that has just gone has nothing to stop.
            let _ = cancel.send(Some(by.to_owned()));
        }
        true
    }

    /// Works for as long as the server runs, and until all runs rest when it is about to stop; dropped, it lets go of everything, and the log tells
    /// where to go on.
    pub(crate) async fn serve(self: Arc<Workers>) {
        let mut tasks: JoinSet<()> = JoinSet::new();
        let mut watch = tokio::time::interval(WATCH);
        let mut renew = tokio::time::interval(RENEW);
        let mut sweep = tokio::time::interval(SWEEP);
        loop {
            tokio::select! {
                () = self.woken.notified() => self.take_up(&mut tasks).await,
                _ = sweep.tick() => self.take_up(&mut tasks).await,
                _ = watch.tick() => self.hear_requests().await,
                // A lost lease shows at the next append.
                _ = renew.tick() => drop(self.means.log.renew(&self.means.owner).await),
                Some(_) = tasks.join_next(), if !tasks.is_empty() => {}
            }
            if self.is_draining() && tasks.is_empty() {
                return;
            }
        }
    }

    /// Takes up what stands in the queue, oldest first, as far as there is room.
    async fn take_up(self: &Arc<Workers>, tasks: &mut JoinSet<()>) {
        let room = self.means.most.saturating_sub(self.at_work().len());
        if room == 0 || self.is_draining() {
            return;
        }
        let is_over = |rest: &Rest| rest.until.is_some_and(|until| until <= Instant::now());
        // What has rested may still be held by this process, and so is not in the queue.
        let (mut free, resting): (Vec<Key>, HashSet<Key>) = {
            let resting = self.resting();
            let (over, resting): (Vec<_>, Vec<_>) =
                resting.iter().partition(|(_, rest)| is_over(rest));
            let key = |(key, _): (&Key, &Rest)| key.clone();
            (over.into_iter().map(key).collect(), resting.into_iter().map(key).collect())
        };
        let limit = u32::try_from(room + resting.len()).unwrap_or(u32::MAX);
        // A look that fails is made again.
        let waiting = self.means.log.unfinished(limit).await.unwrap_or_default();
        free.extend(waiting.into_iter().filter(|key| !resting.contains(key)));
        for key in free.into_iter().take(room) {
            let (cancel, cancelled) = watch::channel(None);
            if self.at_work().contains_key(&key) {
                continue;
            }
            self.resting().remove(&key);
            self.at_work().insert(key.clone(), cancel);
            let workers = Arc::clone(self);
            tasks.spawn(async move {
                let _gone = Gone { workers: &workers, key: &key };
                if let Err(Hindrance { why, may_pass }) = workers.work(&key, cancelled).await {
                    workers.tell(&key, "hindered", &why);
                    let until = may_pass.then(|| Instant::now() + REST);
                    workers.resting().insert(key.clone(), Rest { why, until });
                }
            });
        }
    }

    /// Works on a run until it ends or waits.
    async fn work(
        &self,
        key: &Key,
        cancelled: watch::Receiver<Option<String>>,
    ) -> Result<(), Hindrance> {
        let (user, run) = key;
        // A run that cannot go on here is left in the queue, where another process may take it.
        let entries = self.means.log.page(user, run, 0, 1).await?;
        let (method, mut world) = self.ready(user, run, &entries)?;
        world.models = world.models.map(|models| measured(&models, &self.means.metrics));
        world.pause = Pause::when(self.draining.subscribe());
        // They are read again once the run is ours, and its work may take hours.
        drop(entries);
        let owner = &self.means.owner;
        let attempt = match self.means.log.claim(user, run, owner).await {
            // It is held by this process, and nobody works on it: its work broke off.
            Err(LogError::Busy { owner: holder, .. }) if holder == *owner => {
                self.means.log.release(user, run, owner).await?;
                self.means.log.claim(user, run, owner).await
            }
            claimed => claimed,
        };
        let attempt = match attempt {
            Ok(attempt) => attempt,
            // Another process was first, or the run has ended meanwhile.
            Err(LogError::Busy { .. } | LogError::NotOpen { .. } | LogError::NoSuchRun { .. }) => {
                return Ok(());
            }
            Err(error) => return Err(error.into()),
        };
        self.tell(key, "taken_up", &format!("attempt {attempt}"));
        let told = cancelled.clone();
        let ended = work::work(&world, method, user, run, attempt, cancelled).await;
        let asked_by = told.borrow().clone();
        match ended {
            // It came to a gate before it heard that it should stop.
            Ok(Status::Waiting) if let Some(by) = asked_by => {
                match work::stop(&world, user, run, &self.means.owner, &by).await? {
                    Stopping::Cancelled => self.ended(user, run, Status::Cancelled).await,
                    // Somebody was there first.
                    Stopping::Asked | Stopping::Ended(_) => {}
                }
            }
            Ok(status) if status.is_final() => self.ended(user, run, status).await,
            Ok(status) => self.tell(key, "waiting", status.name()),
            Err(stop @ run::Stop::Paused { .. }) => self.tell(key, "paused", &stop.to_string()),
            Err(run::Stop::Log(error @ LogError::Fenced { .. })) => {
                // Whoever took it over goes on.
                return Err(Hindrance { why: error.to_string(), may_pass: true });
            }
            Err(run::Stop::Log(error)) => return Err(error.into()),
            Err(stop) => return Err(Hindrance { why: stop.to_string(), may_pass: false }),
        }
        Ok(())
    }

    /// Returns what the run needs to go on.
    fn ready(
        &self,
        user: &str,
        run: &str,
        entries: &[Entry],
    ) -> Result<(&Method, World), Hindrance> {
        let never = |why: String| Hindrance { why, may_pass: false };
        let start = views::start(entries)
            .ok_or_else(|| never("its log does not say how it was started".into()))?;
        let method = self
            .means
            .methods
            .find(start.method)
            .ok_or_else(|| never(format!("this program knows no method '{}'", start.method)))?;
        let listener = Arc::new(Ear(self.means.feeds.of(user, run)));
        let world = self.means.house.world(start.settings.models.as_ref(), listener).map_err(
            |refusal| {
                let may_pass = refusal.kind == RefusalKind::Unavailable;
                let why = match refusal.hint.as_str() {
                    "" => refusal.what,
                    hint => format!("{}; {hint}", refusal.what),
                };
                Hindrance { why, may_pass }
            },
        )?;
        Ok((method, world))
    }

    /// Hears that a run has ended: here, or where it waited.
    pub(crate) async fn ended(&self, user: &str, run: &str, status: Status) {
        // The run has ended whether or not its artifacts can be written.
        if let Ok(entries) = self.means.log.entries(user, run, 0).await {
            self.means.metrics.ended(&entries, status);
            self.means.house.ended(user, run, &entries).await;
        }
        let key = (user.to_owned(), run.to_owned());
        self.tell(&key, "ended", status.name());
        self.requests().remove(&key);
    }

    /// Hears who wants runs of this process stopped.
    async fn hear_requests(&self) {
        if self.at_work().is_empty() && self.resting().is_empty() {
            return;
        }
        // A look that fails is made again.
        let Ok(requests) = self.means.log.cancel_requests(&self.means.owner).await else { return };
        for CancelRequest { user, run, by } in requests {
            if self.stop(&user, &run, &by) {
                continue;
            }
            // It is held here, and nobody works on it: it rests after its work broke off.
            let Means { log, desk, owner, .. } = &self.means;
            if log.release(&user, &run, owner).await.is_ok()
                && let Ok(Stopping::Cancelled) = work::stop(desk, &user, &run, owner, &by).await
            {
                self.resting().remove(&(user.clone(), run.clone()));
                self.ended(&user, &run, Status::Cancelled).await;
            }
        }
    }

    /// Returns how many of a user's runs cannot go on here.
    pub(crate) fn stuck(&self, user: &str) -> usize {
        self.resting().keys().filter(|(whose, _)| whose == user).count()
    }

    /// Returns how many runs cannot go on here, of all users.
    pub(crate) fn hindered(&self) -> usize {
        self.resting().len()
    }

    /// Returns how many runs are worked on here.
    pub(crate) fn count(&self) -> usize {
        self.at_work().len()
    }
}

/// Notes that nobody works on a run any more, however the work ended.
struct Gone<'a> {
    workers: &'a Workers,
    key: &'a Key,
}

impl Drop for Gone<'_> {
    fn drop(&mut self) {
        self.workers.at_work().remove(self.key);
        if std::thread::panicking() {
            let why = "the program broke down while it worked on this run".to_owned();
            self.workers.resting().insert(self.key.clone(), Rest { why, until: None });
        }
        self.workers.wake();
    }
}
