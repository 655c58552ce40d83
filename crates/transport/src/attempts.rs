//! Retries and the waits between them, the same for every service.

use std::collections::BTreeMap;
use std::future::Future;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use backon::{BackoffBuilder, ExponentialBackoff, ExponentialBuilder};
use tokio::time::{Instant, sleep, timeout};

use run::error::PortError;

use crate::faults;

/// The default number of attempts after the first.
const RETRIES: usize = 3;

/// The longest wait, unless the server asks for a longer one.
const LONGEST_WAIT: Duration = Duration::from_secs(20);

/// The number of retries since the program started, by service.
static RETRIED: Mutex<BTreeMap<String, u64>> = Mutex::new(BTreeMap::new());

fn retried() -> MutexGuard<'static, BTreeMap<String, u64>> {
    RETRIED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Returns the number of retries since the program started, by service. The counts are for display only and control nothing.
pub fn retries() -> Vec<(String, u64)> {
    retried().iter().map(|(service, times)| (service.clone(), *times)).collect()
}

/// The attempts of one call, inside its deadline.
pub struct Attempts<'a> {
    service: &'a str,
    deadline: Duration,
    setting: &'static str,
    until: Instant,
    delays: ExponentialBackoff,
}

impl<'a> Attempts<'a> {
    /// Allows four attempts, including the first.
    pub fn new(service: &'a str, deadline: Duration, first_delay: Duration) -> Attempts<'a> {
        Attempts::at_most(RETRIES + 1, service, deadline, first_delay)
    }

    /// Allows `attempts` attempts, including the first, which is always made.
    pub fn at_most(
        attempts: usize,
        service: &'a str,
        deadline: Duration,
        first_delay: Duration,
    ) -> Attempts<'a> {
        let back_off = ExponentialBuilder::default()
            .with_min_delay(first_delay)
            .with_max_delay(LONGEST_WAIT)
            .with_jitter()
            .with_max_times(attempts.saturating_sub(1));
        let (until, delays) = (Instant::now() + deadline, back_off.build());
        Attempts { service, deadline, setting: "", until, delays }
    }

    /// Names the setting that the deadline comes from.
    #[must_use]
    pub fn set_by(self, setting: &'static str) -> Attempts<'a> {
        Attempts { setting, ..self }
    }

    /// Makes one attempt; fails if the deadline passes first.
    pub async fn make<T>(
        &self,
        attempt: impl Future<Output = Result<T, PortError>>,
    ) -> Result<T, PortError> {
        timeout(self.left(), attempt).await.unwrap_or_else(|_| {
            Err(PortError::TimedOut {
                service: self.service.to_owned(),
                seconds: self.deadline.as_secs(),
                setting: self.setting,
            })
        })
    }

    /// Waits for the next attempt; returns the error if there is none.
    pub async fn after(&mut self, error: PortError) -> Result<(), PortError> {
        if !faults::may_pass(&error) {
            return Err(error);
        }
        let Some(delay) = self.delays.next() else { return Err(error) };
        // A server that names no time, or one in the past, gets the usual wait.
        let delay = match &error {
            PortError::Limited { retry_after: Some(asked), .. } if !asked.is_zero() => *asked,
            _ => delay,
        };
        if delay >= self.left() {
            return Err(error);
        }
        sleep(delay).await;
        *retried().entry(self.service.to_owned()).or_default() += 1;
        Ok(())
    }

    /// Returns the time until the deadline.
    pub fn left(&self) -> Duration {
        self.until.saturating_duration_since(Instant::now())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the wait before the second attempt if the server asks for `asked` seconds.
    async fn waited(asked: u64) -> Duration {
        let mut attempts = Attempts::new("gulls", Duration::from_mins(10), Duration::from_secs(2));
        let retry_after = Some(Duration::from_secs(asked));
        let start = Instant::now();
        attempts.after(PortError::Limited { service: "gulls".into(), retry_after }).await.unwrap();
        start.elapsed()
    }

    // proves: C5
    #[tokio::test(start_paused = true)]
    async fn what_is_tried_again_is_counted_by_service() {
        let mut attempts = Attempts::new("terns", Duration::from_mins(10), Duration::from_secs(2));
        for _ in 0..2 {
            let error = PortError::Limited { service: "terns".into(), retry_after: None };
            attempts.after(error).await.unwrap();
        }
        let refused =
            PortError::Refused { service: "terns".into(), status: 400, reason: String::new() };
        attempts.after(refused).await.unwrap_err();
        assert!(retries().contains(&("terns".into(), 2)), "{:?}", retries());
    }

    #[tokio::test(start_paused = true)]
    async fn a_server_is_obeyed_but_one_that_names_no_time_at_all_means_the_usual_wait() {
        let usual = waited(0).await;
        assert!((2..=4).contains(&usual.as_secs()), "{usual:?}");
        assert_eq!(waited(1).await.as_secs(), 1);
        assert_eq!(waited(100).await.as_secs(), 100);
    }
}
