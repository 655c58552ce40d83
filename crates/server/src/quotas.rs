//! Daily quotas: the most that a user may use in a day of UTC.
//!
//! Runs, tokens and cost are checked before a run is stored, uploads before they are read. A run that was stored is never stopped by a
//! quota: its own budget bounds what it spends beyond one.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

use jiff::Timestamp;
use run::budget::dollars;
use run::usage::{Day, UsageStore};
use run::world::Clock;
use serde::Serialize;
use tokio::sync::{Mutex, MutexGuard};
use utoipa::ToSchema;

use crate::metrics::Metrics;
use crate::problem::Problem;

/// How many users may start runs at the same moment while quotas are set.
const TURNS: usize = 64;

/// The most that a user may use in a day of UTC; `None` is unlimited.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Quotas {
    pub runs: Option<u64>,
    pub tokens: Option<u64>,
    pub cost_usd_micros: Option<u64>,
    pub uploaded_bytes: Option<u64>,
}

/// What a quota limits.
#[derive(Debug, Clone, Copy)]
enum Resource {
    Runs,
    Tokens,
    /// In millionths of a US dollar.
    Cost,
    Bytes,
}

impl Resource {
    /// Returns the key of the configuration that limits it.
    fn key(self) -> &'static str {
        match self {
            Resource::Runs => "quotas.runs_per_day",
            Resource::Tokens => "quotas.tokens_per_day",
            Resource::Cost => "quotas.cost_usd_per_day",
            Resource::Bytes => "quotas.bytes_per_day",
        }
    }

    fn unit(self) -> &'static str {
        match self {
            Resource::Runs => "runs",
            Resource::Tokens => "tokens",
            Resource::Cost => "US dollars",
            Resource::Bytes => "uploaded bytes",
        }
    }

    /// Returns an amount in the unit of the key.
    fn shown(self, amount: u64) -> f64 {
        match self {
            Resource::Cost => dollars(amount),
            Resource::Runs | Resource::Tokens | Resource::Bytes => amount as f64,
        }
    }
}

/// The quota that a request exceeds.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
pub(crate) struct ExceededQuota {
    /// The setting of the limit, such as `quotas.runs_per_day`.
    key: &'static str,
    /// The daily limit per user, in the unit of the setting: runs, tokens, US dollars or bytes.
    limit: f64,
    /// The amount used today, in the same unit.
    used: f64,
    /// When the quota resets (RFC 3339, UTC).
    resets_at: String,
}

impl ExceededQuota {
    /// Returns what to do about it.
    pub(crate) fn hint(&self) -> String {
        format!(
            "try again after {}, or ask the administrator to raise {}",
            self.resets_at, self.key
        )
    }
}

/// Holds users to their quotas.
pub(crate) struct QuotaGuard {
    quotas: Quotas,
    usage: Arc<dyn UsageStore>,
    clock: Arc<dyn Clock>,
    metrics: Arc<Metrics>,
    /// A user's runs are checked and stored one after another, or several at once would all see the same use.
    turns: [Mutex<()>; TURNS],
}

/// The turn of a user, kept until their run is stored; `None` if no quota limits runs.
pub(crate) type Turn<'a> = Option<MutexGuard<'a, ()>>;

impl QuotaGuard {
    pub(crate) fn new(
        quotas: Quotas,
        usage: Arc<dyn UsageStore>,
        clock: Arc<dyn Clock>,
        metrics: Arc<Metrics>,
    ) -> QuotaGuard {
        QuotaGuard { quotas, usage, clock, metrics, turns: [const { Mutex::const_new(()) }; TURNS] }
    }

    /// Refuses another run if the user has used up a quota of today.
    pub(crate) async fn admit_run(&self, user: &str) -> Result<Turn<'_>, Problem> {
        let Quotas { runs, tokens, cost_usd_micros, uploaded_bytes: _ } = self.quotas;
        if (runs, tokens, cost_usd_micros) == (None, None, None) {
            return Ok(None);
        }
        let turn = self.turn_of(user).lock().await;
        let now = self.clock.now();
        let usage = self.usage.usage(user, Day::of(now)).await?;
        for (resource, limit, used) in [
            (Resource::Runs, runs, usage.runs),
            (Resource::Tokens, tokens, usage.tokens),
            (Resource::Cost, cost_usd_micros, usage.cost_usd_micros),
        ] {
            if let Some(limit) = limit.filter(|limit| used >= *limit) {
                return Err(self.refuse(now, resource, limit, used));
            }
        }
        Ok(Some(turn))
    }

    fn turn_of(&self, user: &str) -> &Mutex<()> {
        let mut hasher = DefaultHasher::new();
        user.hash(&mut hasher);
        &self.turns[hasher.finish() as usize % TURNS]
    }

    /// Refuses an upload of at least `bytes` before it is received.
    pub(crate) async fn check_upload(&self, user: &str, bytes: u64) -> Result<(), Problem> {
        let Some(limit) = self.quotas.uploaded_bytes else { return Ok(()) };
        let now = self.clock.now();
        let used = self.usage.usage(user, Day::of(now)).await?.uploaded_bytes;
        match used.saturating_add(bytes) > limit {
            true => Err(self.refuse(now, Resource::Bytes, limit, used)),
            false => Ok(()),
        }
    }

    /// Counts an upload that was received, or refuses it.
    pub(crate) async fn add_upload(&self, user: &str, bytes: u64) -> Result<(), Problem> {
        let (now, limit) = (self.clock.now(), self.quotas.uploaded_bytes);
        let is_added = self.usage.add_upload(user, Day::of(now), bytes, limit).await?;
        match limit.filter(|_| !is_added) {
            None => Ok(()),
            Some(limit) => {
                let used = self.usage.usage(user, Day::of(now)).await?.uploaded_bytes;
                Err(self.refuse(now, Resource::Bytes, limit, used))
            }
        }
    }

    fn refuse(&self, now: Timestamp, resource: Resource, limit: u64, used: u64) -> Problem {
        let (key, unit) = (resource.key(), resource.unit());
        self.metrics.refused_by_quota(key);
        let resets_at = Day::of(now).end();
        let seconds = resets_at.duration_since(now).as_secs().unsigned_abs() + 1;
        let (limit, used) = (resource.shown(limit), resource.shown(used));
        let detail = match used < limit {
            true => format!("this would exceed the limit of {limit} {unit} a day ({used} used)"),
            false => format!("the limit of {limit} {unit} a day is reached ({used} used)"),
        };
        let quota = ExceededQuota { key, limit, used, resets_at: resets_at.to_string() };
        Problem::exceeded(detail, quota, seconds)
    }
}
