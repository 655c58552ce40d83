//! The server's metrics, in the Prometheus text format.

use std::fmt::Write as _;
use std::sync::atomic::AtomicU64;

use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::encoding::text::encode;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::{Histogram, exponential_buckets};
use prometheus_client::metrics::info::Info;
use prometheus_client::registry::{Registry, Unit};
use run::budget::Usage;
use run::entry::Entry;
use run::log::Status;
use run::views;
use run::views::spans::provider_and_model;

use ::app::Vitals;

pub(crate) struct Metrics {
    registry: Registry,
    requests: Family<Request, Counter>,
    durations: Family<Route, Histogram, fn() -> Histogram>,
    ended: Family<Ended, Counter>,
    tokens: Family<Kind, Counter>,
    cost_usd_micros: Counter,
    uploaded_bytes: Counter,
    pub(crate) streams: Gauge,
    pub(crate) connections: Gauge,
    runs_at_work: Gauge,
    runs_hindered: Gauge,
    runs: Family<Standing, Gauge>,
    oldest_queued: Gauge<f64, AtomicU64>,
    calls: Family<Called, Counter>,
    call_durations: Family<ModelName, Histogram, fn() -> Histogram>,
    operations: Family<Operation, Histogram, fn() -> Histogram>,
    token_usage: Family<TokenUse, Histogram, fn() -> Histogram>,
    retries: Family<Service, Counter>,
    queue_waits: Histogram,
    leases_lost: Counter,
    appends: Histogram,
    quota_refusals: Family<Quota, Counter>,
    database_bytes: Gauge,
    resident_bytes: Gauge,
    open_descriptors: Gauge,
}

/// Current values, in contrast to counts.
pub(crate) struct Now {
    pub(crate) runs_at_work: usize,
    pub(crate) runs_hindered: usize,
    pub(crate) vitals: Vitals,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Standing {
    status: &'static str,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Called {
    provider: String,
    model: String,
    outcome: &'static str,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct ModelName {
    provider: String,
    model: String,
}

/// A model's call in the words of OpenTelemetry's conventions for generative AI.
#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Operation {
    gen_ai_operation_name: &'static str,
    gen_ai_provider_name: String,
    gen_ai_request_model: String,
    /// Empty if the model replied.
    error_type: &'static str,
}

/// Tokens of a model's call, likewise.
#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct TokenUse {
    gen_ai_operation_name: &'static str,
    gen_ai_provider_name: String,
    gen_ai_request_model: String,
    gen_ai_token_type: &'static str,
}

/// How a call of a model ended.
#[derive(Debug, Clone, Copy)]
pub(crate) struct CallEnd {
    pub(crate) outcome: &'static str,
    /// What it used, if the model replied.
    pub(crate) usage: Option<Usage>,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Service {
    service: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Quota {
    quota: &'static str,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Request {
    method: String,
    route: String,
    status: u16,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Route {
    route: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Ended {
    method: String,
    status: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Kind {
    kind: String,
}

impl Metrics {
    pub(crate) fn new() -> Metrics {
        let buckets: fn() -> Histogram = || Histogram::new(exponential_buckets(0.001, 4.0, 8));
        let call_buckets: fn() -> Histogram = || Histogram::new(exponential_buckets(0.1, 2.0, 12));
        // The bounds that the conventions for generative AI name.
        let operation_buckets: fn() -> Histogram =
            || Histogram::new(exponential_buckets(0.01, 2.0, 14));
        let token_buckets: fn() -> Histogram = || Histogram::new(exponential_buckets(1.0, 4.0, 14));
        let durations = Family::new_with_constructor(buckets);
        let mut metrics = Metrics {
            registry: Registry::default(),
            requests: Family::default(),
            durations,
            ended: Family::default(),
            tokens: Family::default(),
            cost_usd_micros: Counter::default(),
            uploaded_bytes: Counter::default(),
            streams: Gauge::default(),
            connections: Gauge::default(),
            runs_at_work: Gauge::default(),
            runs_hindered: Gauge::default(),
            runs: Family::default(),
            oldest_queued: Gauge::default(),
            calls: Family::default(),
            call_durations: Family::new_with_constructor(call_buckets),
            operations: Family::new_with_constructor(operation_buckets),
            token_usage: Family::new_with_constructor(token_buckets),
            retries: Family::default(),
            // From a hundredth of a second to three hours.
            queue_waits: Histogram::new(exponential_buckets(0.01, 4.0, 11)),
            leases_lost: Counter::default(),
            // From half a millisecond to four seconds.
            appends: Histogram::new(exponential_buckets(0.000_5, 2.0, 14)),
            quota_refusals: Family::default(),
            database_bytes: Gauge::default(),
            resident_bytes: Gauge::default(),
            open_descriptors: Gauge::default(),
        };
        let mut all = Registry::default();
        all.register(
            "process_resident_memory_bytes",
            "Memory of this process",
            metrics.resident_bytes.clone(),
        );
        all.register(
            "process_open_fds",
            "Open files and connections",
            metrics.open_descriptors.clone(),
        );
        all.register_with_unit(
            "gen_ai_client_operation_duration",
            "Time of a call to a model, its retries included",
            Unit::Seconds,
            metrics.operations.clone(),
        );
        all.register(
            "gen_ai_client_token_usage",
            "Tokens of a call to a model",
            metrics.token_usage.clone(),
        );
        let registry = all.sub_registry_with_prefix("quaestio");
        registry.register(
            "build",
            "What runs here",
            Info::new([("version", env!("CARGO_PKG_VERSION"))]),
        );
        registry.register("runs", "Runs of all users that have not ended", metrics.runs.clone());
        registry.register_with_unit(
            "oldest_queued_run",
            "How long the run has stood in the queue that has stood there longest",
            Unit::Seconds,
            metrics.oldest_queued.clone(),
        );
        registry.register(
            "runs_hindered",
            "Runs that cannot go on here for now",
            metrics.runs_hindered.clone(),
        );
        registry.register(
            "model_calls",
            "Calls to models, with what came of them",
            metrics.calls.clone(),
        );
        registry.register_with_unit(
            "model_call_duration",
            "Time of a call to a model, its retries included",
            Unit::Seconds,
            metrics.call_durations.clone(),
        );
        registry.register("retries", "Calls that were tried again", metrics.retries.clone());
        registry.register_with_unit(
            "queue_wait",
            "How long a run stood in the queue until it was taken up here",
            Unit::Seconds,
            metrics.queue_waits.clone(),
        );
        registry.register(
            "leases_lost",
            "Attempts that stopped here because another one had taken their run over",
            metrics.leases_lost.clone(),
        );
        registry.register_with_unit(
            "append_duration",
            "Time until entries of a run at work here were on disk",
            Unit::Seconds,
            metrics.appends.clone(),
        );
        registry.register(
            "quota_refusals",
            "Requests refused because a user has used up a daily quota",
            metrics.quota_refusals.clone(),
        );
        registry.register_with_unit(
            "database",
            "Size of the database",
            Unit::Bytes,
            metrics.database_bytes.clone(),
        );
        registry.register("http_requests", "HTTP requests answered", metrics.requests.clone());
        registry.register_with_unit(
            "http_request_duration",
            "Time until the response began",
            Unit::Seconds,
            metrics.durations.clone(),
        );
        registry.register("runs_ended", "Runs that ended here", metrics.ended.clone());
        registry.register("tokens", "Tokens of runs that ended here", metrics.tokens.clone());
        registry.register(
            "cost_usd_micros",
            "Cost of runs that ended here, in millionths of a US dollar",
            metrics.cost_usd_micros.clone(),
        );
        registry.register_with_unit(
            "uploaded",
            "What was uploaded",
            Unit::Bytes,
            metrics.uploaded_bytes.clone(),
        );
        registry.register("streams", "Event streams open", metrics.streams.clone());
        registry.register("connections", "Connections open", metrics.connections.clone());
        registry.register("runs_at_work", "Runs worked on here", metrics.runs_at_work.clone());
        metrics.registry = all;
        metrics
    }

    /// Counts a request; `route` is the pattern of its path, so that ids create no new series.
    pub(crate) fn answered(&self, method: &str, route: &str, status: u16, seconds: f64) {
        let (method, route) = (method.to_owned(), route.to_owned());
        self.durations.get_or_create(&Route { route: route.clone() }).observe(seconds);
        self.requests.get_or_create(&Request { method, route, status }).inc();
    }

    pub(crate) fn ended(&self, entries: &[Entry], status: Status) {
        let method = views::start(entries).map_or("", |start| start.method).to_owned();
        self.ended.get_or_create(&Ended { method, status: status.name().to_owned() }).inc();
        let cost = views::cost(entries);
        for (kind, tokens) in [
            ("input", cost.usage.input_tokens),
            ("cached", cost.usage.cached_tokens),
            ("output", cost.usage.output_tokens),
        ] {
            self.tokens.get_or_create(&Kind { kind: kind.to_owned() }).inc_by(tokens);
        }
        self.cost_usd_micros.inc_by(cost.cost_usd_micros);
    }

    /// Observes how long a run waited in the queue.
    pub(crate) fn waited(&self, seconds: f64) {
        self.queue_waits.observe(seconds);
    }

    pub(crate) fn lost_lease(&self) {
        self.leases_lost.inc();
    }

    /// Observes a durable append.
    pub(crate) fn appended(&self, seconds: f64) {
        self.appends.observe(seconds);
    }

    /// Counts a refusal by the quota of this key.
    pub(crate) fn refused_by_quota(&self, key: &'static str) {
        self.quota_refusals.get_or_create(&Quota { quota: key }).inc();
    }

    pub(crate) fn uploaded(&self, bytes: u64) {
        self.uploaded_bytes.inc_by(bytes);
    }

    /// Counts a call to a model, `provider/name`.
    pub(crate) fn called(&self, model: &str, end: CallEnd, seconds: f64) {
        let CallEnd { outcome, usage } = end;
        const CHAT: &str = "chat";
        let (by_convention, name) = provider_and_model(model);
        let operation = Operation {
            gen_ai_operation_name: CHAT,
            gen_ai_provider_name: by_convention.to_owned(),
            gen_ai_request_model: name.to_owned(),
            error_type: if usage.is_some() { "" } else { outcome },
        };
        self.operations.get_or_create(&operation).observe(seconds);
        for (kind, tokens) in usage
            .into_iter()
            .flat_map(|usage| [("input", usage.input_tokens), ("output", usage.output_tokens)])
        {
            let used = TokenUse {
                gen_ai_operation_name: CHAT,
                gen_ai_provider_name: by_convention.to_owned(),
                gen_ai_request_model: name.to_owned(),
                gen_ai_token_type: kind,
            };
            self.token_usage.get_or_create(&used).observe(tokens as f64);
        }
        let provider = model.split('/').next().unwrap_or_default().to_owned();
        let model = model.to_owned();
        let name = ModelName { provider: provider.clone(), model: model.clone() };
        self.call_durations.get_or_create(&name).observe(seconds);
        self.calls.get_or_create(&Called { provider, model, outcome }).inc();
    }

    /// Returns all metrics.
    pub(crate) fn page(&self, now: &Now) -> String {
        let count = |count: u64| i64::try_from(count).unwrap_or(i64::MAX);
        self.runs_at_work.set(count(now.runs_at_work as u64));
        self.runs_hindered.set(count(now.runs_hindered as u64));
        let Vitals { queued, running, waiting, oldest_queued_seconds, database_bytes, retries } =
            &now.vitals;
        for (status, runs) in [("queued", queued), ("running", running), ("waiting", waiting)] {
            self.runs.get_or_create(&Standing { status }).set(count(*runs));
        }
        self.oldest_queued.set(*oldest_queued_seconds);
        self.database_bytes.set(count(*database_bytes));
        for (service, times) in retries {
            let counter = self.retries.get_or_create(&Service { service: service.clone() });
            counter.inc_by(times.saturating_sub(counter.get()));
        }
        if let Some((resident, descriptors)) = process() {
            self.resident_bytes.set(count(resident));
            self.open_descriptors.set(count(descriptors));
        }
        let mut page = String::new();
        if encode(&mut page, &self.registry).is_err() {
            let _ = writeln!(page, "# EOF");
        }
        page
    }
}

/// Returns the memory of this process and its open descriptors, if available.
fn process() -> Option<(u64, u64)> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let resident = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    let kib: u64 = resident.trim().strip_suffix("kB")?.trim().parse().ok()?;
    let descriptors = std::fs::read_dir("/proc/self/fd").ok()?.count();
    Some((kib * 1_024, descriptors as u64))
}
