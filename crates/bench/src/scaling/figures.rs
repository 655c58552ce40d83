//! What came of a simulation.

use serde_json::{Value, json};

use super::database::Database;
use super::provider::Provider;
use super::scenario::{
    Design, MOST_CONNECTIONS, Micros, PROCESS_PER_CALL, Pacing, SECOND, Scenario, USUAL_CONNECTIONS,
};
use super::simulation::Load;

/// The parts of the time that counts, each with its own queue and waits.
const PARTS: usize = 6;

/// Times in seconds, of which quantiles are asked.
#[derive(Debug, Default, Clone, PartialEq)]
pub(super) struct Times(Vec<f32>);

impl Times {
    fn add(&mut self, time: Micros) {
        self.0.push(time as f32 / SECOND as f32);
    }

    /// Returns the time that this share of all is at most; 0 if there are none.
    pub(super) fn at(&mut self, share: f64) -> f64 {
        self.0.sort_unstable_by(f32::total_cmp);
        let index = (self.0.len().saturating_sub(1) as f64 * share).round() as usize;
        self.0.get(index).copied().map_or(0.0, f64::from)
    }

    pub(super) fn count(&self) -> usize {
        self.0.len()
    }
}

/// A part of the time that counts.
#[derive(Debug, Default, Clone, PartialEq)]
struct Part {
    most_queued: usize,
    waits: Times,
}

/// What is counted, and what follows from it.
#[derive(Debug, Default, Clone, PartialEq)]
pub(super) struct Figures {
    pub(super) submitted: u64,
    pub(super) refused_submissions: u64,
    pub(super) partial: u64,
    pub(super) queued_at_end: u64,
    pub(super) held_at_end: u64,
    /// The age of the oldest run that has not ended, at the end.
    pub(super) oldest: Micros,
    pub(super) calls: u64,
    /// Calls that were made again because the first was not in the log.
    pub(super) repeated_calls: u64,
    /// Runs taken over from workers that were dead, paused, or living.
    pub(super) from_dead: u64,
    pub(super) from_paused: u64,
    pub(super) from_living: u64,
    pub(super) refused_appends: u64,
    /// Runs that rested because the database was away for too long.
    pub(super) hindered: u64,
    pub(super) crashes: u64,
    pub(super) pauses: u64,
    pub(super) run_times: Times,
    parts: Vec<Part>,
    all_waits: Times,
    part: Micros,
    /// How much of each resource is used; above 1 is more than there is.
    pub(super) used: Vec<(&'static str, f64)>,
    pub(super) rates: Vec<(&'static str, f64)>,
    pub(super) broken: Vec<String>,
}

impl Figures {
    pub(super) fn new(scenario: &Scenario) -> Figures {
        let part = (scenario.counted / PARTS as Micros).max(1);
        Figures { part, parts: vec![Part::default(); PARTS], ..Figures::default() }
    }

    fn part(&mut self, at: Micros) -> Option<&mut Part> {
        self.parts.get_mut((at / self.part.max(1)) as usize)
    }

    /// Notes how long a run waited that was taken up at this time.
    pub(super) fn add_wait(&mut self, at: Micros, waited: Micros) {
        self.all_waits.add(waited);
        if let Some(part) = self.part(at) {
            part.waits.add(waited);
        }
    }

    pub(super) fn add_look(&mut self, at: Micros, queued: usize) {
        if let Some(part) = self.part(at) {
            part.most_queued = part.most_queued.max(queued);
        }
    }

    /// Notes how long a run took, from its submission to its end.
    pub(super) fn add_run_time(&mut self, time: Micros) {
        self.run_times.add(time);
    }

    pub(super) fn conclude(
        &mut self,
        scenario: &Scenario,
        database: &Database,
        providers: &[Provider],
        load: &Load,
    ) {
        let seconds = (scenario.counted as f64 / SECOND as f64).max(1.0);
        let total = &load.total;
        let cores = scenario.cores * SECOND as f64 * total.seconds.max(1.0);
        let workers = scenario.workers as f64;
        let database_used = &database.used;
        let accepted: u64 = providers.iter().map(|provider| provider.accepted).sum();
        let refused: u64 = providers.iter().map(|provider| provider.refused).sum();
        let tokens: f64 = providers.iter().map(|provider| provider.used_tokens).sum();
        let asked = (accepted + refused) as f64;
        let minutes = seconds / 60.0;
        let limits = scenario.providers.max(1) as f64;
        let slots = workers * scenario.runs_at_once as f64;
        let processes = workers * SECOND as f64 / PROCESS_PER_CALL as f64;
        let bytes_per_second = database_used.bytes / seconds;
        self.used = vec![
            ("database: transactions", total.transactions / cores),
            ("database: looks into the queue", total.looks / cores),
            ("database: news", total.news / cores),
            ("database: leases and polls", total.rest / cores),
            ("disk: flushes", database_used.flushing as f64 / (seconds * SECOND as f64)),
            ("disk: bytes", bytes_per_second / scenario.wal_per_second),
            ("connections", self.connections(scenario) / scenario.max_connections),
            ("workers: runs at once", total.held / total.seconds.max(1.0) / slots),
            ("workers: processor", self.calls as f64 / seconds / processes),
            ("providers: requests", asked / minutes / (scenario.requests_per_minute * limits)),
            ("providers: tokens", tokens / minutes / (scenario.tokens_per_minute * limits)),
        ];
        if scenario.pacing != Pacing::Attempts {
            let per_second: f64 = providers.iter().map(Provider::line_per_second).sum();
            self.used.push(("the line before providers", total.turns / seconds / per_second));
        }
        let run_times = &mut self.run_times;
        self.rates = vec![
            ("runs ended a second", run_times.count() as f64 / seconds),
            ("calls a second", self.calls as f64 / seconds),
            ("runs held on average", total.held / total.seconds.max(1.0)),
            ("wait p50 s", self.all_waits.at(0.5)),
            ("wait p99 s", self.all_waits.at(0.99)),
            ("run p50 s", run_times.at(0.5)),
            ("run p99 s", run_times.at(0.99)),
            ("oldest unfinished s", self.oldest as f64 / SECOND as f64),
            ("commits a second", database_used.commits as f64 / seconds),
            ("flushes a second", database_used.flushes as f64 / seconds),
            ("WAL MB a second", bytes_per_second / 1e6),
            ("messages of news a second", total.messages / seconds),
            ("claims in vain a second", total.claims_in_vain / seconds),
            ("connections, usual", self.connections(scenario)),
            ("connections, most", workers * MOST_CONNECTIONS),
            ("statements slowed, at most", total.most_slowed),
            ("renewal of a lease s, at most", total.slowest_renewal / SECOND as f64),
            ("requests refused with 429", refused as f64),
        ];
    }

    fn connections(&self, scenario: &Scenario) -> f64 {
        scenario.workers as f64 * USUAL_CONNECTIONS
    }

    /// Returns a figure by its name.
    pub(super) fn rate(&self, name: &str) -> f64 {
        self.rates.iter().find(|(known, _)| *known == name).map_or(0.0, |(_, rate)| *rate)
    }

    /// Returns the share of the database's cores that is asked for; above 1 is more than there is.
    pub(super) fn cores_asked_for(&self) -> f64 {
        let cores = self.used.iter().filter(|(name, _)| name.starts_with("database"));
        cores.map(|(_, share)| share).sum()
    }

    /// Returns the resource of which most is used.
    pub(super) fn most_used(&self) -> (&'static str, f64) {
        let most = self.used.iter().max_by(|one, other| one.1.total_cmp(&other.1));
        most.copied().unwrap_or_default()
    }

    /// Returns all of it as one object.
    pub(super) fn report(&mut self, scenario: &Scenario) -> Value {
        let over_time: Vec<Value> = self
            .parts
            .iter_mut()
            .map(|Part { most_queued, waits }| {
                json!({
                    "queued_at_most": most_queued, "taken_up": waits.count(),
                    "wait_p50_s": waits.at(0.5), "wait_p99_s": waits.at(0.99),
                })
            })
            .collect();
        let (first, share) = self.most_used();
        let named = |pairs: &[(&'static str, f64)]| -> Value {
            pairs.iter().map(|(name, value)| ((*name).to_owned(), json!(value))).collect()
        };
        json!({
            "workers": scenario.workers, "runs_per_day": scenario.runs_per_day,
            "design": if scenario.design == Design::Today { "today" } else { "changed" },
            "seed": scenario.seed,
            "submitted": self.submitted, "submissions_refused": self.refused_submissions,
            "ended": self.run_times.count(), "partial": self.partial,
            "queued_at_end": self.queued_at_end, "held_at_end": self.held_at_end,
            "calls": self.calls, "calls_repeated": self.repeated_calls,
            "taken_over": {
                "from_dead": self.from_dead, "from_paused": self.from_paused,
                "from_living": self.from_living,
            },
            "appends_refused": self.refused_appends, "runs_hindered": self.hindered,
            "crashes": self.crashes, "pauses": self.pauses,
            "over_time": over_time,
            "rates": named(&self.rates), "used": named(&self.used),
            "saturates_first": { "resource": first, "used": share },
            "broken": self.broken,
        })
    }
}
