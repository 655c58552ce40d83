//! When a service may be asked: spacing, concurrency, and rest after it limited its callers.
//!
//! Requests wait in one line. The first one waits for its time and begins; the next may begin `spacing` later, or later still if the
//! service names a slower rate. A request whose deadline passes first fails because the line was too long, which is our fault. A service
//! that says that nothing is left, or asks to be left alone, limits its callers; requests in the meantime fail at once with the time
//! left. Other processes learn of it from a [`Memory`].

mod rate;

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use reqwest::Url;
use reqwest::header::HeaderMap;
use sha2::{Digest, Sha256};
use tokio::sync::{Semaphore, SemaphorePermit};
use tokio::time::{Instant, sleep, timeout_at};

use run::error::PortError;
use run::services::{Change, Memory, Step, Times};

pub(crate) use rate::Rate;

/// The longest part of a name that comes from a service and its host.
const LONGEST_NAME: usize = 120;

/// The number of paces from which unused ones are dropped.
const MOST_PACES: usize = 1_000;

/// The paces of all services and hosts.
pub(crate) struct Paces {
    memory: Option<Arc<dyn Memory>>,
    paces: Mutex<HashMap<String, Arc<Pace>>>,
}

impl Paces {
    /// Creates the paces; with a memory, they hold across processes.
    pub(crate) fn new(memory: Option<Arc<dyn Memory>>) -> Paces {
        Paces { memory, paces: Mutex::default() }
    }

    /// Returns the pace of an account.
    pub(crate) fn service(
        &self,
        account: Account<'_>,
        spacing: Duration,
        at_once: usize,
    ) -> Arc<Pace> {
        let called = account.called();
        let shared = self.memory.clone().map(|memory| (memory, called.clone()));
        self.of(format!("service {called}"), || Pace::new(account.name, spacing, at_once, shared))
    }

    /// Returns the pace of a host for fetching pages, which only this process keeps.
    pub(crate) fn host(&self, host: &str, spacing: Duration, at_once: usize) -> Arc<Pace> {
        self.of(format!("host {host}"), || Pace::new(host, spacing, at_once, None))
    }

    fn of(&self, name: String, new: impl FnOnce() -> Pace) -> Arc<Pace> {
        let mut paces = held(&self.paces);
        if paces.len() >= MOST_PACES {
            // An unused pace that would let a request begin at once can be dropped.
            paces.retain(|_, pace| Arc::strong_count(pace) > 1 || pace.look() != Step::Begin);
        }
        Arc::clone(paces.entry(name).or_insert_with(|| Arc::new(new())))
    }
}

/// The account for which a service counts and limits requests.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Account<'a> {
    /// The service's name in errors.
    pub(crate) name: &'a str,
    /// The service's address.
    pub(crate) url: &'a Url,
    pub(crate) key: Option<&'a str>,
}

impl Account<'_> {
    /// Returns the name of the account in a memory, which does not reveal the key.
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

/// Returns a name of letters, digits and hyphens only.
fn plain(name: &str) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '-' };
    name.chars().map(plain).collect()
}

/// The pace of one service.
pub(crate) struct Pace {
    name: String,
    /// Where processes share the pace, and its name there.
    shared: Option<(Arc<dyn Memory>, String)>,
    at_once: usize,
    slots: Semaphore,
    line: tokio::sync::Mutex<()>,
    began: Instant,
    state: Mutex<State>,
}

struct State {
    /// The times on this process's clock, in microseconds since the pace was created.
    times: Times,
    spacing: Duration,
    at_once: usize,
}

/// A permit for one request; dropping it lets another begin.
pub(crate) struct Turn<'a> {
    _slots: SemaphorePermit<'a>,
}

impl Pace {
    fn new(
        name: &str,
        spacing: Duration,
        at_once: usize,
        shared: Option<(Arc<dyn Memory>, String)>,
    ) -> Pace {
        let at_once = at_once.clamp(1, 1_000);
        Pace {
            name: name.to_owned(),
            shared,
            at_once,
            slots: Semaphore::new(at_once),
            line: tokio::sync::Mutex::default(),
            began: Instant::now(),
            state: Mutex::new(State { times: Times::default(), spacing, at_once }),
        }
    }

    /// Waits for permission to begin a request; fails if it cannot come before `until`.
    pub(crate) async fn turn(&self, until: Instant) -> Result<Turn<'_>, PortError> {
        // If the service refuses requests, there is no need to wait in line.
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

    /// Adopts the rate that a reply's headers name.
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

    /// Begins no request before `wait` is over, at the service's demand.
    pub(crate) async fn put_off(&self, wait: Duration) {
        self.change(Change::Shut { wait }).await;
    }

    /// Leaves the service alone for `wait`; requests in the meantime fail at once.
    pub(crate) async fn rest(&self, wait: Duration) {
        self.change(Change::Rest { wait }).await;
    }

    async fn change(&self, change: Change) {
        held(&self.state).times.change(change, self.now());
        if let Some((memory, name)) = &self.shared {
            memory.pace(name, change).await;
        }
    }

    fn look(&self) -> Step {
        held(&self.state).times.step(self.now())
    }

    /// Takes the next turn, or returns the wait until then: first by what this process knows, then by what all processes know.
    async fn step(&self) -> Step {
        match self.look() {
            Step::Begin => {}
            wait => return wait,
        }
        let take = Change::Take { spacing: held(&self.state).spacing };
        if let Some((memory, name)) = &self.shared
            && let Some(wait) = memory.pace(name, take).await
            && wait != Step::Begin
        {
            return wait;
        }
        held(&self.state).times.change(take, self.now())
    }

    /// Returns the slots that a request takes: more than one if the service allows fewer concurrent requests than configured.
    fn weight(&self) -> u32 {
        let allowed = held(&self.state).at_once;
        u32::try_from(self.at_once.div_ceil(allowed)).unwrap_or(1)
    }

    /// Returns the rate-limit error if the service itself permits no request before `until`.
    fn told(&self, step: Step, until: Instant) -> Option<PortError> {
        let left = match step {
            Step::Rest(left) => left,
            Step::Shut(left) if Instant::now() + left >= until => left,
            Step::Shut(_) | Step::Wait(_) | Step::Begin => return None,
        };
        Some(PortError::Limited { service: self.name.clone(), retry_after: Some(left) })
    }

    /// Returns the error for a deadline that passed in the line, which is not the service's fault.
    fn too_late(&self) -> PortError {
        let reason = "too many other requests were waiting, and its time ran out".into();
        PortError::Unreachable { service: self.name.clone(), reason }
    }

    fn now(&self) -> u64 {
        run::services::micros(self.began.elapsed())
    }
}

fn held<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests;
