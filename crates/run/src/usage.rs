//! What users use in a day. A server with daily quotas decides by it what a user may still start.
//!
//! A run counts on the day on which it was created, with all that it spends, and still counts there after it was removed.

use std::fmt;
use std::ops::Add;

use async_trait::async_trait;
use jiff::Timestamp;
use jiff::civil::{Date, Time};
use jiff::tz::Offset;

use crate::error::PortError;

/// A day of UTC.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Day(Date);

impl Day {
    /// Returns the day of an instant.
    pub fn of(at: Timestamp) -> Day {
        Day(Offset::UTC.to_datetime(at).date())
    }

    pub fn date(self) -> Date {
        self.0
    }

    /// Returns its first instant.
    pub fn begin(self) -> Timestamp {
        midnight(self.0).unwrap_or(Timestamp::MIN)
    }

    /// Returns the first instant of the next day.
    pub fn end(self) -> Timestamp {
        self.0.tomorrow().ok().and_then(midnight).unwrap_or(Timestamp::MAX)
    }
}

/// Returns the first instant of a date; `None` beyond what an instant can be.
fn midnight(date: Date) -> Option<Timestamp> {
    Offset::UTC.to_timestamp(date.to_datetime(Time::midnight())).ok()
}

/// As in ISO 8601, for example `2026-01-31`.
impl fmt::Display for Day {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// What a user used in a day.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Usage {
    /// Runs that were created on that day, forks among them.
    pub runs: u64,
    /// What these runs have spent so far, including what a fork keeps of its original.
    pub tokens: u64,
    pub cost_usd_micros: u64,
    /// Bytes of files that were uploaded on that day.
    pub uploaded_bytes: u64,
}

impl Add for Usage {
    type Output = Usage;

    fn add(self, other: Usage) -> Usage {
        Usage {
            runs: self.runs.saturating_add(other.runs),
            tokens: self.tokens.saturating_add(other.tokens),
            cost_usd_micros: self.cost_usd_micros.saturating_add(other.cost_usd_micros),
            uploaded_bytes: self.uploaded_bytes.saturating_add(other.uploaded_bytes),
        }
    }
}

/// The use of all users, by day.
#[async_trait]
pub trait UsageStore: Send + Sync {
    /// Returns what a user has used in a day; days without any use are all zeros.
    async fn usage(&self, user: &str, day: Day) -> Result<Usage, PortError>;
    /// Adds an upload of `bytes` to a user's day, unless more than `limit` bytes would then be counted. Returns whether it was added.
    ///
    /// However many uploads are added at once, the limit holds.
    async fn add_upload(
        &self,
        user: &str,
        day: Day,
        bytes: u64,
        limit: Option<u64>,
    ) -> Result<bool, PortError>;
}

#[cfg(test)]
mod tests {
    use super::*;

    // proves: C6
    #[test]
    fn a_day_lasts_from_midnight_to_midnight_of_utc() {
        let at = |text: &str| text.parse::<Timestamp>().unwrap();
        for (instant, day, begin, end) in [
            ("2026-01-31T00:00:00Z", "2026-01-31", "2026-01-31T00:00:00Z", "2026-02-01T00:00:00Z"),
            (
                "2026-01-31T23:59:59.999999999Z",
                "2026-01-31",
                "2026-01-31T00:00:00Z",
                "2026-02-01T00:00:00Z",
            ),
            (
                "2026-02-01T01:30:00+02:00",
                "2026-01-31",
                "2026-01-31T00:00:00Z",
                "2026-02-01T00:00:00Z",
            ),
            ("1969-12-31T23:00:00Z", "1969-12-31", "1969-12-31T00:00:00Z", "1970-01-01T00:00:00Z"),
        ] {
            let found = Day::of(at(instant));
            assert_eq!(found.to_string(), day, "{instant}");
            assert_eq!((found.begin(), found.end()), (at(begin), at(end)), "{instant}");
        }
        assert_eq!(Day::of(Timestamp::MAX).end(), Timestamp::MAX);
    }
}
