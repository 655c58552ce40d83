//! Simulates many workers over one PostgreSQL, beyond what a machine at hand can try.
//!
//! A discrete simulation: runs are submitted over the day, wait in the queue, are claimed under the lock of their row, and make calls, each
//! announced and returned in appends that a worker commits in groups. Providers limit requests and tokens, workers die or sleep, and the
//! database is away for a while. What each thing costs is in `scenario`, and whether that was measured, documented or assumed.
//! `docs/manual/scaling.md` says what follows.

mod chance;
mod clock;
mod database;
mod figures;
mod provider;
mod scenario;
mod simulation;
mod site;
#[cfg(test)]
mod tests;

use std::fmt::Write as _;

use serde_json::Value;

use crate::Failure;
use figures::Figures;
use scenario::{Design, HOUR, MILLISECOND, Micros, Outage, Pacing, SECOND, Scenario};

#[derive(clap::Args)]
pub(crate) struct Args {
    /// Processes that take runs from the queue.
    #[arg(long, default_value_t = 10_000)]
    workers: usize,
    /// Runs that one of them works on at the same time, at most.
    #[arg(long, default_value_t = 64)]
    runs_at_once: usize,
    #[arg(long, default_value_t = 1_000_000.0)]
    runs_per_day: f64,
    /// How much more than on average comes at 14 o'clock, and less at 2, 0 to 1.
    #[arg(long, default_value_t = 0.8)]
    swing: f64,
    /// Hours that are counted, around 14 o'clock.
    #[arg(long, default_value_t = 1.0)]
    hours: f64,
    /// Minutes before anything is counted, so that as many runs are at work as usual.
    #[arg(long, default_value_t = 15)]
    warm_up_minutes: u64,
    #[arg(long, default_value_t = 12)]
    fewest_calls: u16,
    #[arg(long, default_value_t = 60)]
    most_calls: u16,
    /// Seconds to a reply: the median of a log-normal distribution.
    #[arg(long, default_value_t = 6.0)]
    reply_seconds: f64,
    /// The standard deviation of the logarithm of that time.
    #[arg(long, default_value_t = 0.8)]
    reply_spread: f64,
    /// Tokens of a prompt and its reply, on average.
    #[arg(long, default_value_t = 4_000.0)]
    tokens_per_call: f64,
    /// Accounts with providers, each with the limits below.
    #[arg(long, default_value_t = 2)]
    providers: usize,
    #[arg(long, default_value_t = 30_000.0)]
    requests_per_minute: f64,
    #[arg(long, default_value_t = 180e6)]
    tokens_per_minute: f64,
    /// How calls keep to these limits: each by itself, in a line that is a row of the database, or in a line that costs nothing.
    #[arg(long, value_enum, default_value_t = Pacing::Attempts)]
    pacing: Pacing,
    /// Whether workers share the queue as they do, or as `docs/manual/scaling.md` says that they should.
    #[arg(long, value_enum, default_value_t = Design::Today)]
    design: Design,
    /// Cores of the database.
    #[arg(long, default_value_t = 32.0)]
    cores: f64,
    /// Milliseconds until a commit is on the database's disk.
    #[arg(long, default_value_t = 1.0)]
    flush_ms: f64,
    /// Megabytes of write-ahead log a second that the disk takes.
    #[arg(long, default_value_t = 200.0)]
    wal_mb_per_second: f64,
    #[arg(long, default_value_t = 5_000.0)]
    max_connections: f64,
    /// Seconds for which the database is away in the middle of the time that is counted; 0 means never.
    #[arg(long, default_value_t = 30)]
    failover: u64,
    /// Lets processes that had lost the database take over runs at once, as they would if they did not wait for as long as a lease.
    #[arg(long)]
    hasty: bool,
    /// Hours between two deaths of one worker; 0 means never.
    #[arg(long, default_value_t = 24.0)]
    hours_to_crash: f64,
    /// Hours between two times that one worker is paused for 30 seconds; 0 means never.
    #[arg(long, default_value_t = 72.0)]
    hours_to_pause: f64,
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Compares 10, 100, 200, 1,000 and 10,000 workers, with as many runs a day as they may have, in both designs.
    #[arg(long, conflicts_with_all = ["workers", "runs_per_day", "design"])]
    scales: bool,
    /// Prints JSON instead of a table.
    #[arg(long)]
    json: bool,
}

/// What came of it.
pub(crate) struct Simulated {
    pub(crate) report: String,
    /// What must not happen and did.
    pub(crate) broken: Vec<String>,
}

/// Workers, and the runs a day that they have.
const SCALES: [(usize, f64); 5] = [
    (10, 50_000.0),
    (100, 500_000.0),
    (200, 1_000_000.0),
    (1_000, 1_000_000.0),
    (10_000, 1_000_000.0),
];

pub(crate) fn measure(args: &Args) -> Result<Simulated, Failure> {
    if args.fewest_calls == 0 || args.fewest_calls > args.most_calls {
        return Err("a run makes one call at least, and no more at least than at most".into());
    }
    if args.workers == 0 || args.runs_at_once == 0 || args.runs_per_day <= 0.0 {
        return Err("without workers and runs there is nothing to simulate".into());
    }
    let mut scenarios = vec![args.scenario()];
    if args.scales {
        let both = [Design::Today, Design::Changed];
        let scales = SCALES.into_iter().flat_map(|scale| both.map(|design| (scale, design)));
        scenarios = scales
            .map(|((workers, runs_per_day), design)| {
                let scenario = args.scenario();
                Scenario { workers, runs_per_day, design, ..scenario }
            })
            .collect();
    }
    let mut all: Vec<(Scenario, Figures)> = scenarios
        .into_iter()
        .map(|scenario| (scenario.clone(), simulation::simulate(scenario)))
        .collect();
    let broken = all.iter().flat_map(|(_, figures)| figures.broken.clone()).collect();
    let report = match (args.json, all.as_mut_slice()) {
        (true, [(scenario, figures)]) => figures.report(scenario).to_string(),
        (true, all) => {
            let each = all.iter_mut().map(|(scenario, figures)| figures.report(scenario));
            Value::Array(each.collect()).to_string()
        }
        (false, [(scenario, figures)]) => format_one(scenario, figures),
        (false, all) => format_scales(all),
    };
    Ok(Simulated { report, broken })
}

impl Args {
    fn scenario(&self) -> Scenario {
        let micros = |hours: f64| (hours * HOUR as f64) as Micros / SECOND * SECOND;
        let (warm_up, counted) =
            (self.warm_up_minutes.saturating_mul(60 * SECOND), micros(self.hours));
        let from = warm_up.saturating_add(counted / 2);
        let outage =
            Outage { from, until: from.saturating_add(self.failover.saturating_mul(SECOND)) };
        Scenario {
            seed: self.seed,
            design: self.design,
            workers: self.workers,
            runs_at_once: self.runs_at_once,
            runs_per_day: self.runs_per_day,
            swing: self.swing.clamp(0.0, 1.0),
            first_hour: 14.0 - self.hours / 2.0 - self.warm_up_minutes as f64 / 60.0,
            warm_up,
            counted,
            calls: (self.fewest_calls, self.most_calls),
            reply_seconds: self.reply_seconds,
            reply_spread: self.reply_spread,
            tokens_per_call: self.tokens_per_call.max(1.0),
            providers: self.providers,
            requests_per_minute: self.requests_per_minute.max(1.0),
            tokens_per_minute: self.tokens_per_minute.max(1.0),
            pacing: self.pacing,
            cores: self.cores.max(1.0),
            flush: (self.flush_ms * MILLISECOND as f64) as Micros,
            wal_per_second: (self.wal_mb_per_second * 1e6).max(1.0),
            max_connections: self.max_connections.max(1.0),
            outage: (self.failover > 0).then_some(outage),
            hasty: self.hasty,
            hours_to_crash: self.hours_to_crash,
            hours_to_pause: self.hours_to_pause,
        }
    }
}

fn format_one(scenario: &Scenario, figures: &mut Figures) -> String {
    let value = figures.report(scenario);
    let mut text = String::new();
    let Value::Object(fields) = &value else { return text };
    for (name, field) in fields {
        match field {
            Value::Object(inner) if matches!(name.as_str(), "rates" | "used") => {
                let _ = writeln!(text, "{name}");
                for (name, figure) in inner {
                    let _ = writeln!(text, "  {name:<32}{:>14.3}", figure.as_f64().unwrap_or(0.0));
                }
            }
            Value::Array(parts) if name == "over_time" => {
                let _ = writeln!(text, "{name}");
                parts.iter().for_each(|part| {
                    let _ = writeln!(text, "  {part}");
                });
            }
            other => {
                let _ = writeln!(text, "{name:<34}{other}");
            }
        }
    }
    text
}

/// Returns a Markdown table with a row for each scenario.
fn format_scales(all: &mut [(Scenario, Figures)]) -> String {
    let mut text = String::from(
        "| workers | runs a day | design | ended a second | calls a second | wait p50, p99 (s) | run p50, p99 (s) | commits a second | WAL (MB/s) | database's cores asked for | connections | claims in vain a second | taken over from the living | calls repeated | uses most of |\n|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|\n",
    );
    for (scenario, figures) in all {
        let design = if scenario.design == Design::Today { "today" } else { "changed" };
        let rate = |name: &str| figures.rate(name);
        let (first, share) = figures.most_used();
        let _ = writeln!(
            text,
            "| {} | {} | {design} | {:.1} | {:.0} | {:.2}, {:.2} | {:.0}, {:.0} | {:.0} | {:.1} | {:.1} % | {:.0} | {:.0} | {} | {} | {first}, {:.0} % |",
            scenario.workers,
            scenario.runs_per_day,
            rate("runs ended a second"),
            rate("calls a second"),
            rate("wait p50 s"),
            rate("wait p99 s"),
            rate("run p50 s"),
            rate("run p99 s"),
            rate("commits a second"),
            rate("WAL MB a second"),
            100.0 * figures.cores_asked_for(),
            rate("connections, usual"),
            rate("claims in vain a second"),
            figures.from_living,
            figures.repeated_calls,
            100.0 * share,
        );
    }
    text
}
