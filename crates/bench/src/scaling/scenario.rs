//! What is simulated, and what each thing costs there.
//!
//! A cost is *measured* (PostgreSQL 15 with the program's own schema and statements, `fsync` off, on a machine with two shared cores;
//! processor time of all its processes), *documented* (a constant of the program, or a figure from `docs/`), or *assumed*.

/// A time in microseconds, or the time since a simulation began.
pub(super) type Micros = u64;

pub(super) const MILLISECOND: Micros = 1_000;
pub(super) const SECOND: Micros = 1_000_000;
pub(super) const HOUR: Micros = 3_600 * SECOND;

/// Documented: how long a process may be silent, how often it renews its lease, and how long it goes on trying without a database.
pub(super) const LEASE: Micros = 20 * SECOND;
pub(super) const RENEW: Micros = 5 * SECOND;
pub(super) const PATIENCE: Micros = 60 * SECOND;
/// Documented: the longest wait between two tries to reach the database.
pub(super) const LONGEST_REST: Micros = SECOND;
/// Documented: how often a process looks for requests to stop, and how often into the queue.
pub(super) const POLLS_PER_SECOND: f64 = 4.0;
pub(super) const SWEEPS_PER_SECOND: f64 = 1.0;
/// Documented: how long news is gathered.
pub(super) const GATHER: Micros = 10 * MILLISECOND;
/// Documented: the most appends in one transaction.
pub(super) const LARGEST_BATCH: usize = 512;
/// Documented: attempts of a call that a service limits (four, and the whole once more), the first wait and the longest.
pub(super) const ATTEMPTS: u8 = 8;
pub(super) const FIRST_DELAY: Micros = 500 * MILLISECOND;
pub(super) const LONGEST_DELAY: Micros = 20 * SECOND;
/// Documented: how long a run rests after a failure that may pass.
pub(super) const REST: Micros = 10 * SECOND;
/// Documented: the most connections of a process: sixteen of its pool, one that writes, one that listens.
pub(super) const MOST_CONNECTIONS: f64 = 18.0;
/// Assumed: those that it has open most of the time.
pub(super) const USUAL_CONNECTIONS: f64 = 5.0;

/// Documented, from 320 to 350 runs of twelve calls a second in one process: processor time of a process for each call.
pub(super) const PROCESS_PER_CALL: Micros = 250;
/// Assumed: between a process and the database, there and back.
pub(super) const ROUND_TRIP: Micros = 500;

/// Measured: processor time of the database for an append of two entries of 3,000 and 500 characters, with its share of a transaction,
/// and the bytes of write-ahead log that it leaves.
pub(super) const APPEND: f64 = 77.0;
pub(super) const APPEND_BYTES: f64 = 3_200.0;
/// Measured: renewing a lease; a claim that gets its run, and one that does not; a look for requests to stop; reading an entry.
pub(super) const HOLD: f64 = 100.0;
pub(super) const HOLD_BYTES: f64 = 240.0;
pub(super) const CLAIM: f64 = 100.0;
pub(super) const CLAIM_BYTES: f64 = 300.0;
pub(super) const POLL: f64 = 23.0;
pub(super) const READ: f64 = 25.0;
/// Measured: taking a turn in the line that is a row.
pub(super) const TURN: f64 = 55.0;
pub(super) const TURN_BYTES: f64 = 170.0;
/// Measured: sending news, and for each process that listens.
pub(super) const NOTIFY: f64 = 104.0;
pub(super) const NOTIFY_LISTENER: f64 = 7.5;
/// Assumed: opening a connection: a process, TLS, a password, the statements of a session.
pub(super) const CONNECT: f64 = 5_000.0;
/// Assumed: sweeps a second of all processes together in the changed design, and their cost: the index of queued runs alone.
pub(super) const SPACED_SWEEPS: f64 = 200.0;
pub(super) const SPACED_SWEEP: f64 = 60.0;
/// Assumed: servers, which listen in both designs.
pub(super) const SERVERS: f64 = 8.0;

/// Returns the processor time of a look into the queue, which reads and sorts every run that has not ended.
///
/// Measured over 1,000, 5,000 and 20,000 of them: 0.68, 0.83 and 1.56 µs each; assumed to stay at 2 µs beyond.
pub(super) fn sweep(unfinished: f64) -> f64 {
    30.0 + unfinished * (0.63 + 4.65e-5 * unfinished).min(2.0)
}

/// How the processes share the work.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(super) enum Design {
    /// As it is: every process hears of every change and looks for itself.
    Today,
    /// Workers do not listen; all together look into the queue so often a second and skip what another one locks.
    Changed,
}

/// How callers keep to a provider's limits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(super) enum Pacing {
    /// Each call by itself: it waits as the provider says and gives up after eight attempts, as models are called today.
    Attempts,
    /// All processes stand in one line, which is a row of the database, as sources are asked today.
    Row,
    /// A line for each provider that costs nothing: a gateway, or turns that are taken from the row by the hundred.
    Line,
}

/// A time when the database cannot be reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Outage {
    pub(super) from: Micros,
    pub(super) until: Micros,
}

impl Outage {
    pub(super) fn covers(self, at: Micros) -> bool {
        (self.from..self.until).contains(&at)
    }
}

/// What is simulated.
#[derive(Debug, Clone)]
pub(super) struct Scenario {
    pub(super) seed: u64,
    pub(super) design: Design,
    pub(super) workers: usize,
    pub(super) runs_at_once: usize,
    pub(super) runs_per_day: f64,
    /// How much more than the mean arrives at the busiest hour, and less at the quietest: 0 to 1.
    pub(super) swing: f64,
    /// The hour of the day at which it begins; the busiest is 14.
    pub(super) first_hour: f64,
    /// The time before anything is counted, and the time that is.
    pub(super) warm_up: Micros,
    pub(super) counted: Micros,
    /// The fewest and the most calls of a run.
    pub(super) calls: (u16, u16),
    /// The median time to a reply, and the standard deviation of its logarithm.
    pub(super) reply_seconds: f64,
    pub(super) reply_spread: f64,
    /// Tokens of a prompt and its reply, on average; the standard deviation of the logarithm is 0.5.
    pub(super) tokens_per_call: f64,
    pub(super) providers: usize,
    pub(super) requests_per_minute: f64,
    pub(super) tokens_per_minute: f64,
    pub(super) pacing: Pacing,
    pub(super) cores: f64,
    /// The time that the disk takes to make a commit durable, and the bytes a second that it takes.
    pub(super) flush: Micros,
    pub(super) wal_per_second: f64,
    pub(super) max_connections: f64,
    pub(super) outage: Option<Outage>,
    /// Whether a process that had lost the database takes over runs at once, before their holders have renewed their leases.
    pub(super) hasty: bool,
    /// How often a worker dies or is paused for 30 seconds, in hours between two of these of one worker; 0 means never.
    pub(super) hours_to_crash: f64,
    pub(super) hours_to_pause: f64,
}

impl Scenario {
    /// Returns the runs that arrive in a second at this time.
    pub(super) fn arrivals_per_second(&self, at: Micros) -> f64 {
        let hour = self.first_hour + at as f64 / HOUR as f64;
        let curve = 1.0 + self.swing * (std::f64::consts::TAU * (hour - 14.0) / 24.0).cos();
        self.runs_per_day / 86_400.0 * curve
    }

    pub(super) fn end(&self) -> Micros {
        self.warm_up.saturating_add(self.counted)
    }
}
