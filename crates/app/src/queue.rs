//! Takes runs from the queue, as many at a time as there is room for.

use std::collections::{HashMap, HashSet};
use std::convert::Infallible;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use async_trait::async_trait;
use run::log::{LogError, Status};
use run::world::{Pause, World};
use run::{Methods, Stop, views};
use tokio::sync::{Notify, watch};
use tokio::task::JoinSet;

use crate::spread::Spread;
use crate::worker::{Held, Key, Ticks, Worker};
use crate::{Refusal, RefusalKind};

/// How often to look into the queue when nobody wakes it.
const SWEEP: Duration = Duration::from_secs(1);
/// How long a run rests after a failure that may pass.
const REST: Duration = Duration::from_secs(10);

/// What a queue asks of the face around it.
#[async_trait]
pub trait Host: Send + Sync + 'static {
    /// Returns the world that a run needs to go on, with its listener.
    fn world(&self, user: &str, run: &str, start: &views::Start<'_>) -> Result<World, Refusal>;
    /// Hears what became of a run: `taken_up`, `waiting`, `paused` or `hindered`, and more about it.
    fn happened(&self, user: &str, run: &str, event: &'static str, message: &str);
    /// Hears that a run has ended.
    async fn ended(&self, user: &str, run: &str, status: Status);
    /// Hears how long a run stood in the queue until it was taken up here.
    fn waited(&self, wait: Duration);
    /// Hears that work on a run stopped because another attempt has taken it over.
    fn lost(&self, user: &str, run: &str);
}

/// Feeds a worker with queued runs.
pub struct Queue {
    host: Arc<dyn Host>,
    worker: Arc<Worker>,
    methods: Methods,
    most: usize,
    resting: Mutex<HashMap<Key, Rest>>,
    spread: Spread,
    woken: Notify,
    /// True once the process is about to stop.
    draining: watch::Sender<bool>,
}

/// The parts of a queue.
pub struct QueueParts {
    pub host: Arc<dyn Host>,
    pub worker: Arc<Worker>,
    pub methods: Methods,
    /// The most runs to work on at the same time.
    pub most: usize,
}

/// Why a run is not worked on.
#[derive(Clone)]
struct Rest {
    why: String,
    /// `None` means until the program restarts.
    until: Option<Instant>,
}

/// Why work on a run stopped although the run has not ended.
struct Hindrance {
    why: String,
    may_pass: bool,
}

impl Hindrance {
    fn lasting(why: String) -> Hindrance {
        Hindrance { why, may_pass: false }
    }
}

impl From<LogError> for Hindrance {
    fn from(error: LogError) -> Hindrance {
        Hindrance { why: error.to_string(), may_pass: true }
    }
}

impl From<Refusal> for Hindrance {
    fn from(refusal: Refusal) -> Hindrance {
        let may_pass = refusal.kind == RefusalKind::Unavailable;
        let why = match refusal.hint.as_str() {
            "" => refusal.what,
            hint => format!("{}; {hint}", refusal.what),
        };
        Hindrance { why, may_pass }
    }
}

impl Queue {
    pub fn new(parts: QueueParts) -> Arc<Queue> {
        let QueueParts { host, worker, methods, most } = parts;
        Arc::new(Queue {
            host,
            worker,
            methods,
            most,
            resting: Mutex::default(),
            spread: Spread::default(),
            woken: Notify::new(),
            draining: watch::Sender::new(false),
        })
    }

    fn resting(&self) -> MutexGuard<'_, HashMap<Key, Rest>> {
        self.resting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Lets runs begin no further step, and takes no more from the queue.
    pub fn drain(&self) {
        self.draining.send_replace(true);
        self.wake();
    }

    pub fn is_draining(&self) -> bool {
        *self.draining.borrow()
    }

    /// Looks into the queue now.
    pub fn wake(&self) {
        self.woken.notify_one();
    }

    /// Retries a run after a person did something about it.
    pub fn wake_for(&self, user: &str, run: &str) {
        self.forget(user, run);
        self.wake();
    }

    /// Forgets why a run cannot go on here, because it was removed, has ended or is to be tried again.
    pub fn forget(&self, user: &str, run: &str) {
        self.resting().remove(&(user.to_owned(), run.to_owned()));
    }

    /// Returns why this process cannot go on with a run, or `None` if it can.
    pub fn hindrance(&self, user: &str, run: &str) -> Option<String> {
        self.resting().get(&(user.to_owned(), run.to_owned())).map(|rest| rest.why.clone())
    }

    /// Returns how many of a user's runs cannot go on here.
    pub fn stuck(&self, user: &str) -> usize {
        self.resting().keys().filter(|(whose, _)| whose == user).count()
    }

    /// Returns how many runs cannot go on here, of all users.
    pub fn hindered(&self) -> usize {
        self.resting().len()
    }

    /// Works for as long as it is polled; after [`Queue::drain`], until no run is worked on. If it is dropped, runs stop where they are and
    /// their logs tell where to go on.
    pub async fn serve(self: Arc<Queue>) {
        tokio::select! {
            () = self.feed() => {}
            never = self.tend() => match never {},
        }
    }

    /// Tends the worker and tells the host of runs that it cancelled.
    async fn tend(&self) -> Infallible {
        let mut ticks = Ticks::new();
        let rests = || !self.resting().is_empty();
        loop {
            for (user, run) in self.worker.tick(&mut ticks, rests).await {
                self.forget(&user, &run);
                self.host.ended(&user, &run, Status::Cancelled).await;
            }
        }
    }

    /// Takes runs up whenever the queue is woken or swept; after [`Queue::drain`], returns once no run is worked on.
    async fn feed(self: &Arc<Queue>) {
        let mut tasks: JoinSet<()> = JoinSet::new();
        let mut sweep = tokio::time::interval(SWEEP);
        loop {
            tokio::select! {
                () = self.woken.notified() => self.take_up(&mut tasks).await,
                _ = sweep.tick() => self.take_up(&mut tasks).await,
                Some(_) = tasks.join_next(), if !tasks.is_empty() => {}
            }
            if self.is_draining() && tasks.is_empty() {
                return;
            }
        }
    }

    /// Takes queued runs up, oldest first, as long as there is room. Where other processes were first, it looks further than at the oldest.
    async fn take_up(self: &Arc<Queue>, tasks: &mut JoinSet<()>) {
        let room = self.most.saturating_sub(self.worker.count());
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
        let most = room + resting.len() + self.spread.width();
        let limit = u32::try_from(most).unwrap_or(u32::MAX);
        // If the query fails, the next sweep asks again.
        let waiting = self.worker.world().log.unfinished(limit).await.unwrap_or_default();
        let waiting: Vec<Key> = waiting.into_iter().filter(|key| !resting.contains(key)).collect();
        let room_left = room.saturating_sub(free.len());
        free.extend(self.spread.pick(waiting, room_left));
        for (user, run) in free.into_iter().take(room) {
            let Some(held) = self.worker.hold(&user, &run) else { continue };
            self.forget(&user, &run);
            let queue = Arc::clone(self);
            tasks.spawn(async move {
                let leave = Leave { queue: &queue, key: &(user, run), held: Some(held) };
                let Some(held) = &leave.held else { return };
                if let Err(Hindrance { why, may_pass }) = queue.work(held).await {
                    let (user, run) = leave.key;
                    queue.host.happened(user, run, "hindered", &why);
                    let until = may_pass.then(|| Instant::now() + REST);
                    queue.resting().insert(leave.key.clone(), Rest { why, until });
                }
            });
        }
    }

    /// Returns how long a run has been in the queue; `None` if it is not there, because the process that worked on it is gone.
    async fn wait_of(&self, user: &str, run: &str) -> Option<Duration> {
        let World { log, clock, .. } = self.worker.world();
        let summary = log.summary(user, run).await.ok()?;
        let wait = clock.now().duration_since(summary.updated_at);
        // By the clocks of two machines it may be negative.
        (summary.status == Status::Queued).then(|| Duration::try_from(wait).unwrap_or_default())
    }

    /// Works on a run until it ends or waits.
    async fn work(&self, held: &Held) -> Result<(), Hindrance> {
        let (user, run) = (held.user(), held.run());
        // A run that cannot go on here stays in the queue, where another process may take it.
        let entries = self.worker.world().log.page(user, run, 0, 1).await?;
        let start = views::start(&entries)
            .ok_or_else(|| Hindrance::lasting("its log has no start".to_owned()))?;
        let method = self.methods.find(start.method).ok_or_else(|| {
            Hindrance::lasting(format!("this version of Quaestio has no method '{}'", start.method))
        })?;
        let pause = Pause::when(self.draining.subscribe());
        let world = World { pause, ..self.host.world(user, run, &start)? };
        // They are read again once the run is claimed, and the work may take hours.
        drop(entries);
        let wait = self.wait_of(user, run).await;
        let attempt = match held.claim().await {
            Ok(attempt) => attempt,
            // Another process was first, or the run has ended meanwhile.
            Err(LogError::Busy { .. } | LogError::NotOpen { .. } | LogError::NoSuchRun { .. }) => {
                self.spread.grow();
                return Ok(());
            }
            Err(error) => return Err(error.into()),
        };
        self.spread.shrink();
        self.host.happened(user, run, "taken_up", &format!("attempt {attempt}"));
        if let Some(wait) = wait {
            self.host.waited(wait);
        }
        match held.work(&world, method, attempt).await {
            Ok(status) if status.is_final() => self.host.ended(user, run, status).await,
            Ok(status) => self.host.happened(user, run, "waiting", status.name()),
            Err(stop @ Stop::Paused { .. }) => {
                self.host.happened(user, run, "paused", &stop.to_string());
            }
            // If another process took it over, that one goes on.
            Err(Stop::Log(error)) => {
                if matches!(error, LogError::Fenced { .. }) {
                    self.host.lost(user, run);
                }
                return Err(error.into());
            }
            Err(stop) => return Err(Hindrance::lasting(stop.to_string())),
        }
        Ok(())
    }
}

/// Releases a run when it is dropped, however the work on it ended.
struct Leave<'a> {
    queue: &'a Queue,
    key: &'a Key,
    held: Option<Held>,
}

impl Drop for Leave<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            let why = "the program crashed while it worked on this run".to_owned();
            self.queue.resting().insert(self.key.clone(), Rest { why, until: None });
        }
        // Make room before waking the queue, or it finds none.
        drop(self.held.take());
        self.queue.wake();
    }
}
