//! The end: every run's log is read from the database and held to what was promised.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use jiff::Timestamp;
use postgres::Postgres;
use run::Event;
use run::entry::{Entry, Hash, Outcome, verify};
use run::log::{Listing, Log, LogError, Status};
use serde_json::{Value, json};
use tokio::runtime::Builder;

use super::Tried;
use super::audit::{Account, audit};
use super::faults::{Fault, Faults};
use super::model::Call;
use super::orders::{Kind, Ordered, USERS};
use super::site::Site;
use super::workers::History;
use crate::Failure;

/// What was seen until everything had ended.
pub(super) struct Seen {
    /// One run of each kind, done before anything failed.
    pub(super) undisturbed: Vec<Ordered>,
    pub(super) ordered: Vec<Ordered>,
    pub(super) history: History,
    pub(super) faults: Faults,
    pub(super) orders_repeated: usize,
}

/// How a run ended.
#[derive(Debug, Clone, PartialEq)]
struct End {
    status: Status,
    outcome: Option<Outcome>,
    /// The digest of what was delivered, ids and times apart.
    delivered: Hash,
}

/// A run as its log has it.
struct Read {
    ordered: Ordered,
    end: End,
    is_intact: bool,
    account: Account,
}

/// Judges all runs, and says what was counted.
pub(super) fn judge(site: &Site, seen: &Seen, elapsed: Duration) -> Result<Tried, Failure> {
    let runtime = Builder::new_current_thread().enable_all().build()?;
    let calls = site.calls.all();
    let mut by_order: BTreeMap<usize, Vec<&Call>> = BTreeMap::new();
    for call in &calls {
        by_order.entry(call.order).or_default().push(call);
    }
    runtime.block_on(async {
        let log = Postgres::open(&site.database).await?;
        let mut usual: BTreeMap<Kind, End> = BTreeMap::new();
        for ordered in &seen.undisturbed {
            let own = by_order.get(&ordered.number).map_or(&[][..], Vec::as_slice);
            let read = read_log(&log, ordered, own, &seen.history).await?;
            let read = read.ok_or("a run without faults is not there")?;
            usual.insert(ordered.kind(), read.end);
        }
        let mut runs = Vec::new();
        let mut lost = Vec::new();
        for ordered in &seen.ordered {
            let own = by_order.get(&ordered.number).map_or(&[][..], Vec::as_slice);
            match read_log(&log, ordered, own, &seen.history).await? {
                Some(read) => runs.push(read),
                None => lost.push(ordered.run.clone()),
            }
        }
        let unordered = find_unordered(&log, seen).await?;
        log.close().await?;
        let told = Told { seen, usual: &usual, runs: &runs, lost: &lost, unordered };
        Ok(told.conclude(calls.len(), elapsed))
    })
}

async fn read_log(
    log: &Postgres,
    ordered: &Ordered,
    calls: &[&Call],
    history: &History,
) -> Result<Option<Read>, Failure> {
    let entries = match log.entries(ordered.user, &ordered.run, 0).await {
        Ok(entries) => entries,
        Err(LogError::NoSuchRun { .. }) => return Ok(None),
        Err(error) => return Err(error.into()),
    };
    let status = log.summary(ordered.user, &ordered.run).await?.status;
    Ok(Some(Read {
        ordered: ordered.clone(),
        end: end_of(status, &entries),
        is_intact: verify(&entries).is_ok(),
        account: audit(&entries, calls, history),
    }))
}

fn end_of(status: Status, entries: &[Entry]) -> End {
    match entries.last().map(|entry| &entry.event) {
        Some(Event::Finished { outcome, deliverable, .. }) => {
            End { status, outcome: Some(*outcome), delivered: Hash::of_json(&steady(deliverable)) }
        }
        _ => End { status, outcome: None, delivered: Hash::default() },
    }
}

/// Returns a deliverable without what differs from run to run: ids, times, and the name of the model.
fn steady(value: &Value) -> Value {
    match value {
        Value::Object(fields) => {
            let kept = fields.iter().filter(|(name, _)| !name.ends_with("_id"));
            kept.map(|(name, value)| (name.clone(), steady(value))).collect()
        }
        Value::Array(items) => items.iter().map(steady).collect(),
        Value::String(text) if text.starts_with("fake/") => Value::Null,
        Value::String(text) if text.parse::<Timestamp>().is_ok() => Value::Null,
        other => other.clone(),
    }
}

/// Returns the runs that nobody has a receipt for.
async fn find_unordered(log: &Postgres, seen: &Seen) -> Result<usize, Failure> {
    let receipts: BTreeSet<&str> =
        seen.undisturbed.iter().chain(&seen.ordered).map(|ordered| ordered.run.as_str()).collect();
    let mut unordered = 0;
    for (user, _) in USERS {
        let listing = Listing { limit: u32::MAX, ..Listing::default() };
        let runs = log.list(user, &listing).await?;
        unordered += runs.iter().filter(|run| !receipts.contains(run.run_id.as_str())).count();
    }
    Ok(unordered)
}

/// Everything that the verdict rests on.
struct Told<'a> {
    seen: &'a Seen,
    usual: &'a BTreeMap<Kind, End>,
    runs: &'a [Read],
    lost: &'a [String],
    unordered: usize,
}

impl Told<'_> {
    fn sum(&self, count: impl Fn(&Account) -> usize) -> usize {
        self.runs.iter().map(|read| count(&read.account)).sum()
    }

    /// Names the runs of which this is so.
    fn name(&self, is_so: impl Fn(&Read) -> bool) -> Vec<String> {
        let named = self.runs.iter().filter(|read| is_so(read));
        named.map(|read| format!("{:?} {}", read.ordered.kind(), read.ordered.run)).collect()
    }

    fn conclude(&self, requests: usize, elapsed: Duration) -> Tried {
        let usual = |read: &Read| self.usual.get(&read.ordered.kind());
        let otherwise = self.name(|read| {
            usual(read).is_none_or(|usual| {
                (usual.status, usual.outcome) != (read.end.status, read.end.outcome)
            })
        });
        let delivered_otherwise = self
            .name(|read| usual(read).is_some_and(|usual| usual.delivered != read.end.delivered));
        let broken_chains = self.name(|read| !read.is_intact);
        let repeated = self.sum(|account| account.repeated);
        let lost_without_fault = self.sum(|account| account.lost_without_fault);
        let explained = |account: &Account| account.lost + account.by_zombies;
        let beyond_lost = self.sum(|account| account.unstored().saturating_sub(explained(account)));
        let in_vain = self.sum(|account| account.by_zombies_in_vain);
        let not_in_log = self.sum(|account| account.requests.saturating_sub(account.called));
        let history = &self.seen.history;
        let promises = [
            ("runs are lost", self.lost.len()),
            ("runs are there that nobody has a receipt for", self.unordered),
            ("runs ended otherwise than without faults", otherwise.len()),
            ("runs delivered otherwise than without faults", delivered_otherwise.len()),
            ("chains are broken", broken_chains.len()),
            ("completed calls were repeated", repeated + in_vain),
            ("answered calls were lost without a fault", lost_without_fault.max(beyond_lost)),
            ("calls are not in the log", not_in_log),
            ("workers died by themselves", history.deaths.len()),
            ("panics", history.panics),
        ];
        let broken = promises.iter().filter(|(_, count)| *count > 0);
        let broken = broken.map(|(what, count)| format!("{count} {what}")).collect();
        let report = json!({
            "runs": self.runs.len() + self.lost.len(),
            "runs_by_kind": self.count_kinds(),
            "usual_ends": self.list_usual(),
            "faults": self.count_faults(),
            "orders_repeated": self.seen.orders_repeated,
            "takeovers": self.sum(|account| account.takeovers),
            "runs_taken_over": self.runs.iter().filter(|read| read.account.takeovers > 0).count(),
            "most_takeovers_of_a_run": self.runs.iter().map(|read| read.account.takeovers).max(),
            "refused_zombie_appends": self.count_refusals(true),
            "refused_appends_of_others": self.count_refusals(false),
            "hindrances": history.hindrances,
            "calls_made": requests,
            "calls_answered": self.sum(|account| account.answered),
            "calls_returned": self.sum(|account| account.returned),
            "calls_failed": self.sum(|account| account.failed),
            "calls_lost_in_flight": self.sum(|account| account.lost),
            "calls_lost_without_fault": lost_without_fault,
            "calls_lost_beyond_those": beyond_lost,
            "calls_by_zombies": self.sum(|account| account.by_zombies),
            "calls_not_in_the_log": not_in_log,
            "completed_calls_repeated": repeated,
            "completed_calls_repeated_by_zombies": in_vain,
            "runs_lost": self.lost,
            "runs_without_a_receipt": self.unordered,
            "broken_chains": broken_chains,
            "ended_otherwise": otherwise,
            "delivered_otherwise": delivered_otherwise,
            "workers_that_died": history.deaths,
            "panics": history.panics,
            "seconds": elapsed.as_secs(),
        });
        Tried { report, broken }
    }

    fn count_kinds(&self) -> BTreeMap<String, usize> {
        let mut counts = BTreeMap::new();
        for read in self.runs {
            *counts.entry(format!("{:?}", read.ordered.kind()).to_lowercase()).or_default() += 1;
        }
        counts
    }

    fn list_usual(&self) -> BTreeMap<String, String> {
        let told = |end: &End| match end.outcome {
            Some(outcome) => format!("{}, {outcome:?}", end.status.name()),
            None => end.status.name().to_owned(),
        };
        let named = |kind: &Kind| format!("{kind:?}").to_lowercase();
        self.usual.iter().map(|(kind, end)| (named(kind), told(end))).collect()
    }

    fn count_faults(&self) -> Value {
        let faults = &self.seen.faults;
        json!({
            "kills": faults.count(Fault::Kill), "stops": faults.count(Fault::Stop),
            "restarts": faults.count(Fault::Restart), "cuts": faults.count(Fault::Cut),
        })
    }

    /// Counts the refusals that workers told of, of those that had been paused or of the others.
    fn count_refusals(&self, are_of_zombies: bool) -> usize {
        let history = &self.seen.history;
        let was_paused = |worker: usize, at: Timestamp| {
            history.stops.iter().any(|(paused, since, _)| *paused == worker && *since < at)
        };
        let refusals = history.refusals.iter();
        refusals.filter(|(worker, at)| was_paused(*worker, *at) == are_of_zombies).count()
    }
}
