//! What the server counts, in the text format of Prometheus.

use std::fmt::Write as _;

use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::encoding::text::encode;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::{Histogram, exponential_buckets};
use prometheus_client::registry::{Registry, Unit};
use run::entry::Entry;
use run::ports::Status;
use run::views;

pub(crate) struct Metrics {
    registry: Registry,
    requests: Family<Request, Counter>,
    durations: Family<Route, Histogram, fn() -> Histogram>,
    ended: Family<Ended, Counter>,
    tokens: Family<Kind, Counter>,
    cost_usd_micros: Counter,
    uploaded_bytes: Counter,
    /// Streams that are open.
    pub(crate) streams: Gauge,
    /// Connections that are open.
    pub(crate) connections: Gauge,
    runs_at_work: Gauge,
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
        };
        let mut registry = Registry::with_prefix("quaestio");
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
        metrics.registry = registry;
        metrics
    }

    /// Counts a request; `route` is the pattern of its path, so that ids make no new series.
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

    pub(crate) fn uploaded(&self, bytes: u64) {
        self.uploaded_bytes.inc_by(bytes);
    }

    /// Returns all counts.
    pub(crate) fn page(&self, runs_at_work: usize) -> String {
        self.runs_at_work.set(i64::try_from(runs_at_work).unwrap_or(i64::MAX));
        let mut page = String::new();
        if encode(&mut page, &self.registry).is_err() {
            let _ = writeln!(page, "# EOF");
        }
        page
    }
}
