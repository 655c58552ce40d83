//! When a service may be asked: spacing, how many at once, and rest after it said that it limits its callers.
//!
//! Requests stand in one line. The first of it waits for its time and begins; the next one's time is `spacing` later, or later still where the
//! service names a slower rate. Whoever's time is over before that is told that the line was too long. That is ours: a service that says that
//! nothing is left, or asked to be left alone, limits its callers, and whoever asks meanwhile learns at once for how long. Other processes are
//! told in a [shared] file.

mod rate;
mod shared;

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use reqwest::Url;
use reqwest::header::HeaderMap;
use sha2::{Digest, Sha256};
use tokio::sync::{Semaphore, SemaphorePermit};
use tokio::time::{Instant, sleep, timeout_at};

use run::error::PortError;

pub(crate) use rate::Rate;
use shared::{Step, Times};

/// The longest that a service is left alone, whatever it says: then one request finds out whether it still wants that.
const LONGEST_REST: Duration = Duration::from_hours(1);

/// What the name of a file may have of a service and its host.
const LONGEST_NAME: usize = 120;

/// When paces that are not in use are forgotten.
const MOST_PACES: usize = 1_000;

/// The paces of all that is asked.
pub(crate) struct Paces {
    folder: Option<PathBuf>,
    paces: Mutex<HashMap<String, Arc<Pace>>>,
}

impl Paces {
    /// Returns paces that are kept to across processes where there is a folder.
    pub(crate) fn new(folder: Option<&Path>) -> Paces {
        Paces { folder: folder.map(Path::to_owned), paces: Mutex::default() }
    }

    /// Returns the pace that whoever asks with this account keeps.
    pub(crate) fn service(
        &self,
        account: Account<'_>,
        spacing: Duration,
        at_once: usize,
    ) -> Arc<Pace> {
        let called = account.called();
        let file = self.folder.as_ref().map(|folder| folder.join(format!("{called}.pace")));
        self.of(format!("service {called}"), || Pace::new(account.name, spacing, at_once, file))
    }

    /// Returns the pace of a host that pages are fetched from, which this process alone keeps.
    pub(crate) fn host(&self, host: &str, spacing: Duration, at_once: usize) -> Arc<Pace> {
        self.of(format!("host {host}"), || Pace::new(host, spacing, at_once, None))
    }

    fn of(&self, name: String, new: impl FnOnce() -> Pace) -> Arc<Pace> {
        let mut paces = held(&self.paces);
        if paces.len() >= MOST_PACES {
            // Of those that nobody uses, nothing is lost but what would hold nobody up.
            paces.retain(|_, pace| Arc::strong_count(pace) > 1 || pace.look() != Step::Begin);
        }
        Arc::clone(paces.entry(name).or_insert_with(|| Arc::new(new())))
    }
}

/// Whom a service counts requests for, and limits.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Account<'a> {
    /// The service's, as errors have it.
    pub(crate) name: &'a str,
    /// Where it listens.
    pub(crate) url: &'a Url,
    pub(crate) key: Option<&'a str>,
}

impl Account<'_> {
    /// Returns the name of a file, which shows nothing of the key that could be used.
    fn called(self) -> String {
        let mut called =
            format!("{}-{}", plain(self.name), plain(self.url.host_str().unwrap_or("")));
        called.truncate(LONGEST_NAME);
        if let Some(port) = self.url.port() {
            called = format!("{called}-{port}");
        }
        if let Some(key) = self.key {
            let digest =
                Sha256::new().chain_update(self.name).chain_update(b"\0").chain_update(key);
            let digest = digest.finalize();
            let digest = digest.iter().take(4).map(|byte| format!("{byte:02x}"));
            called = format!("{called}-{}", digest.collect::<String>());
        }
        called
    }
}

/// Returns a name with nothing in it but letters, digits and hyphens.
fn plain(name: &str) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '-' };
    name.chars().map(plain).collect()
}

/// The pace of one service.
pub(crate) struct Pace {
    name: String,
    file: Option<PathBuf>,
    at_once: usize,
    slots: Semaphore,
    line: tokio::sync::Mutex<()>,
    began: Instant,
    state: Mutex<State>,
}

struct State {
    /// On this process's own clock, in microseconds since the pace began.
    times: Times,
    spacing: Duration,
    at_once: usize,
}

/// Leave for one request; another one may begin when it is dropped.
pub(crate) struct Turn<'a> {
    _slots: SemaphorePermit<'a>,
}

impl Pace {
    fn new(name: &str, spacing: Duration, at_once: usize, file: Option<PathBuf>) -> Pace {
        let at_once = at_once.clamp(1, 1_000);
        Pace {
            name: name.to_owned(),
            file,
            at_once,
            slots: Semaphore::new(at_once),
            line: tokio::sync::Mutex::default(),
            began: Instant::now(),
            state: Mutex::new(State { times: Times::default(), spacing, at_once }),
        }
    }

    /// Waits for leave to begin a request, which must come before `until`.
    pub(crate) async fn turn(&self, until: Instant) -> Result<Turn<'_>, PortError> {
        // Nobody need wait in line to be told that the service will not have it.
        if let Some(limited) = self.told(self.look(), until) {
            return Err(limited);
        }
        let late = || self.told(self.look(), until).unwrap_or_else(|| self.too_late());
        let slots = timeout_at(until, self.slots.acquire_many(self.weight())).await;
        let Ok(Ok(slots)) = slots else { return Err(late()) };
        let Ok(_line) = timeout_at(until, self.line.lock()).await else { return Err(late()) };
        loop {
            let step = self.step().await;
            if let Some(limited) = self.told(step, until) {
                return Err(limited);
            }
            match step {
                Step::Begin => return Ok(Turn { _slots: slots }),
                Step::Wait(wait) if Instant::now() + wait >= until => {
                    return Err(self.too_late());
                }
                Step::Wait(wait) | Step::Shut(wait) | Step::Rest(wait) => sleep(wait).await,
            }
        }
    }

    /// Keeps to the rate that a reply's headers name.
    pub(crate) async fn heed(&self, headers: &HeaderMap) {
        let rate = Rate::read(headers);
        {
            let mut state = held(&self.state);
            if let Some(spacing) = rate.spacing {
                state.spacing = state.spacing.max(spacing);
            }
            if let Some(at_once) = rate.at_once {
                state.at_once = at_once.clamp(1, self.at_once);
            }
        }
        if let Some(wait) = rate.used_up_for {
            self.put_off(wait).await;
        }
    }

    /// Begins no request before `wait` is over: the service will not have it.
    pub(crate) async fn put_off(&self, wait: Duration) {
        let wait = micros(wait.min(LONGEST_REST));
        self.change(move |times, now| times.shut = times.shut.max(now + wait)).await;
    }

    /// Leaves the service alone for that long; whoever asks meanwhile is told so at once.
    pub(crate) async fn rest(&self, wait: Duration) {
        let wait = micros(wait.min(LONGEST_REST));
        self.change(move |times, now| times.resting = times.resting.max(now + wait)).await;
    }

    async fn change(&self, change: impl Fn(&mut Times, u64) + Send + Copy + 'static) {
        change(&mut held(&self.state).times, self.now());
        if let Some(file) = self.file.clone() {
            shared::change(file, move |times, now| change(times, now)).await;
        }
    }

    fn look(&self) -> Step {
        held(&self.state).times.step(self.now())
    }

    /// Takes the next turn, or says how long it is until then: first by what this process knows, then by what all know.
    async fn step(&self) -> Step {
        match self.look() {
            Step::Begin => {}
            wait => return wait,
        }
        let spacing = micros(held(&self.state).spacing);
        let take = move |times: &mut Times, now: u64| {
            let step = times.step(now);
            if step == Step::Begin {
                times.next = now + spacing;
            }
            step
        };
        if let Some(file) = self.file.clone()
            && let Some(wait) = shared::change(file, take).await
            && wait != Step::Begin
        {
            return wait;
        }
        take(&mut held(&self.state).times, self.now())
    }

    /// Returns the slots that a request takes: more than one where the service wants fewer at once than it was thought to.
    fn weight(&self) -> u32 {
        let allowed = held(&self.state).at_once;
        u32::try_from(self.at_once.div_ceil(allowed)).unwrap_or(1)
    }

    /// Returns the error of a step that the service itself does not let anybody take before `until`.
    fn told(&self, step: Step, until: Instant) -> Option<PortError> {
        let left = match step {
            Step::Rest(left) => left,
            Step::Shut(left) if Instant::now() + left >= until => left,
            Step::Shut(_) | Step::Wait(_) | Step::Begin => return None,
        };
        Some(PortError::Limited { service: self.name.clone(), retry_after: Some(left) })
    }

    /// The time was over before the turn came: that is ours to say, and not the service's.
    fn too_late(&self) -> PortError {
        let reason = "so many other requests stood before this one that its time was over".into();
        PortError::Unreachable { service: self.name.clone(), reason }
    }

    fn now(&self) -> u64 {
        micros(self.began.elapsed())
    }
}

fn micros(time: Duration) -> u64 {
    u64::try_from(time.as_micros()).unwrap_or(u64::MAX / 4)
}

fn held<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests;
