//! What processes remember together about outside services: earlier answers, and when each service may be asked again.

use std::time::Duration;

use async_trait::async_trait;
use serde::{Deserialize, Serialize};

use crate::error::PortError;

/// The longest time that a service is left alone, whatever it says; then one request finds out whether the limit still applies.
pub const LONGEST_REST: Duration = Duration::from_hours(1);

/// Remembers answers of services, and when each may be asked.
///
/// It only saves requests: a memory that fails returns `None`, and its caller goes on without it.
#[async_trait]
pub trait Memory: Send + Sync {
    /// Checks that it can remember anything.
    async fn check(&self) -> Result<(), PortError>;
    /// Returns an earlier answer of at most `limit` bytes.
    async fn answer(&self, key: &str, limit: u64) -> Option<Vec<u8>>;
    /// Remembers an answer in place of an earlier one. A key has only small letters and digits.
    async fn keep_answer(&self, key: &str, answer: Vec<u8>);
    /// Changes when a service may be asked; returns the step that its asker must take. A service's name has only small letters, digits
    /// and hyphens.
    async fn pace(&self, service: &str, change: Change) -> Option<Step>;
}

/// What becomes of the times of a service.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Change {
    /// A request begins if it may; the next one may begin this much later.
    Take { spacing: Duration },
    /// The service lets none begin for this long.
    Shut { wait: Duration },
    /// The service is left alone for this long.
    Rest { wait: Duration },
}

/// The step that a request must take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    Begin,
    /// Wait in line for this long.
    Wait(Duration),
    /// Wait this long because the service demands it.
    Shut(Duration),
    /// Give up, since the service is left alone for this long.
    Rest(Duration),
}

/// When a service may be asked: points in time, in microseconds of some clock.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Times {
    /// The time when the line lets the next request begin.
    pub next: u64,
    /// The time until which the service lets none begin.
    pub shut: u64,
    /// The time until which the service is left alone.
    pub resting: u64,
}

impl Times {
    /// Returns the step of a request at this time.
    pub fn step(self, now: u64) -> Step {
        let left = |until: u64| Duration::from_micros(until - now);
        match self {
            Times { resting, .. } if resting > now => Step::Rest(left(resting)),
            Times { shut, .. } if shut > now => Step::Shut(left(shut)),
            Times { next, .. } if next > now => Step::Wait(left(next)),
            _ => Step::Begin,
        }
    }

    /// Makes a change; returns the step of a request just before it.
    pub fn change(&mut self, change: Change, now: u64) -> Step {
        let step = self.step(now);
        let after = |wait: Duration| now.saturating_add(micros(wait.min(LONGEST_REST)));
        match change {
            Change::Take { spacing } if step == Step::Begin => {
                self.next = now.saturating_add(micros(spacing));
            }
            Change::Take { .. } => {}
            Change::Shut { wait } => self.shut = self.shut.max(after(wait)),
            Change::Rest { wait } => self.resting = self.resting.max(after(wait)),
        }
        step
    }

    /// Returns the times that were written at `written`, without those that only a jump of the clock explains.
    pub fn believed(self, written: u64, now: u64) -> Times {
        if written > now {
            return Times::default();
        }
        let plausible = |time: u64| {
            if time <= now.saturating_add(micros(LONGEST_REST)) { time } else { 0 }
        };
        let Times { next, shut, resting } = self;
        Times { next: plausible(next), shut: plausible(shut), resting: plausible(resting) }
    }
}

/// Returns a duration in microseconds.
pub fn micros(time: Duration) -> u64 {
    u64::try_from(time.as_micros()).unwrap_or(u64::MAX / 4)
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: u64 = 1_000_000;

    // proves: A2
    #[test]
    fn requests_begin_a_spacing_apart_and_not_while_the_service_lets_none() {
        let mut times = Times::default();
        let take = Change::Take { spacing: Duration::from_secs(3) };
        assert_eq!(times.change(take, 10 * SECOND), Step::Begin);
        assert_eq!(times.change(take, 11 * SECOND), Step::Wait(Duration::from_secs(2)));
        assert_eq!(times.change(take, 13 * SECOND), Step::Begin);
        times.change(Change::Shut { wait: Duration::from_secs(9) }, 13 * SECOND);
        times.change(Change::Shut { wait: Duration::from_secs(1) }, 13 * SECOND);
        assert_eq!(times.change(take, 14 * SECOND), Step::Shut(Duration::from_secs(8)));
        times.change(Change::Rest { wait: Duration::MAX }, 14 * SECOND);
        assert_eq!(times.change(take, 14 * SECOND), Step::Rest(LONGEST_REST));
        assert_eq!(times.step(14 * SECOND + micros(LONGEST_REST)), Step::Begin);
    }

    #[test]
    fn a_clock_that_jumped_makes_nobody_wait() {
        let hour = micros(LONGEST_REST);
        let now = 500 * hour;
        let times = |until: u64| Times { next: until, shut: 0, resting: until };
        assert_eq!(times(now + hour).believed(now - 1, now).next, now + hour);
        assert_eq!(times(now + hour).believed(now + 1, now), Times::default(), "it went back");
        assert_eq!(times(now + 25 * hour).believed(now - 1, now), Times::default());
        assert_eq!(times(u64::MAX).believed(now - 1, now), Times::default());
    }
}
