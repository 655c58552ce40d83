//! What a command sends to a collector of OpenTelemetry, and how long it waits for that at its end.

use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use run::database::Database;
use run::views::spans::Texts;
use server::MetricsSink;
use telemetry::{Collector, Headers, MetricsExporter, SettingsError, TraceExporter, TraceSettings};

use super::models::variable;
use crate::config::Config;
use crate::failure::Failure;
use crate::sink::Sink;

/// Headers may be keys, so they come from the environment alone.
const HEADERS: &str = "OTEL_EXPORTER_OTLP_HEADERS";
const TRACES_HEADERS: &str = "OTEL_EXPORTER_OTLP_TRACES_HEADERS";
const METRICS_HEADERS: &str = "OTEL_EXPORTER_OTLP_METRICS_HEADERS";

/// The longest that a command waits at its end, after its result, for what is still to be sent.
const LAST_WAIT: Duration = Duration::from_secs(5);

tokio::task_local! {
    /// The exporters of the command that runs.
    static COMMAND: Arc<Exporters>;
}

/// What a command sends.
struct Exporters {
    /// Hears of what does not arrive.
    err: Sink,
    traces: Mutex<Vec<Arc<TraceExporter>>>,
    /// One for traces and metrics, so that one line tells of both.
    collector: OnceLock<Collector>,
}

impl Exporters {
    fn collector(&self, config: &Config, headers: Headers) -> Collector {
        let made = self.collector.get_or_init(|| {
            let err = self.err.clone();
            let timeout = Duration::from_millis(config.otlp.timeout_ms);
            Collector::new(
                config.otlp.protocol().unwrap_or_default(),
                Headers::default(),
                timeout,
                move |line| {
                    err.line(&run::grounding::clean(line));
                },
            )
        });
        made.clone().with_headers(headers)
    }
}

/// Runs a command, and waits for what it has to send, within limits.
pub(crate) async fn sending<T>(err: Sink, command: impl Future<Output = T>) -> T {
    let exporters =
        Arc::new(Exporters { err, traces: Mutex::default(), collector: OnceLock::new() });
    let ended = COMMAND.scope(Arc::clone(&exporters), command).await;
    wait_for(&exporters).await;
    ended
}

/// Waits for the traces of the command that runs, within limits.
pub(crate) async fn settle() {
    if let Ok(exporters) = COMMAND.try_with(Arc::clone) {
        wait_for(&exporters).await;
    }
}

async fn wait_for(exporters: &Exporters) {
    let traces: Vec<Arc<TraceExporter>> =
        exporters.traces.lock().unwrap_or_else(PoisonError::into_inner).clone();
    for exporter in traces {
        exporter.settle(LAST_WAIT).await;
    }
}

/// Returns the database with its log watched, if traces are to be sent: whatever ends a run or leaves it waiting goes through the log.
pub(super) fn traced(database: Database, config: &Config) -> Result<Database, Failure> {
    let Some(endpoint) = config.otlp.traces().map_err(|error| unusable(&error))? else {
        return Ok(database);
    };
    // Outside a command nobody would wait for what is sent.
    let Ok(exporters) = COMMAND.try_with(Arc::clone) else { return Ok(database) };
    let texts = match config.otlp.texts {
        true => Texts::Included,
        false => Texts::Withheld { scopes: methods::SCOPES },
    };
    let resource = config.otlp.resource().map_err(|error| unusable(&error))?;
    let collector = exporters.collector(config, headers(TRACES_HEADERS)?);
    let settings = TraceSettings { endpoint, resource, texts };
    let exporter = TraceExporter::start(Arc::clone(&database.log), collector, settings);
    let exporter = exporter.map_err(|error| unusable(&error))?;
    exporters.traces.lock().unwrap_or_else(PoisonError::into_inner).push(Arc::clone(&exporter));
    Ok(Database { log: exporter.watch(), ..database })
}

/// Returns who takes the metrics of a server or a worker, if they are to be sent. `process` is its name among those of the service.
pub(crate) fn metrics_sink(
    config: &Config,
    process: &str,
) -> Result<Option<Arc<dyn MetricsSink>>, Failure> {
    let Some(endpoint) = config.otlp.metrics().map_err(|error| unusable(&error))? else {
        return Ok(None);
    };
    let Ok(exporters) = COMMAND.try_with(Arc::clone) else { return Ok(None) };
    let collector = exporters.collector(config, headers(METRICS_HEADERS)?);
    let resource = config.otlp.resource().map_err(|error| unusable(&error))?.of_process(process);
    let exporter =
        MetricsExporter::new(collector, endpoint, resource).map_err(|error| unusable(&error))?;
    let interval = Duration::from_millis(config.otlp.metric_interval_ms);
    Ok(Some(Arc::new(Periodic { exporter, interval })))
}

/// An exporter and how often it exports.
struct Periodic {
    exporter: MetricsExporter,
    interval: Duration,
}

#[async_trait]
impl MetricsSink for Periodic {
    fn interval(&self) -> Duration {
        self.interval
    }

    async fn take(&self, page: &str) {
        self.exporter.export(page).await;
    }
}

/// Reads the headers of a signal, else those of all.
fn headers(own: &str) -> Result<Headers, Failure> {
    let set = [own, HEADERS].into_iter().find_map(|name| Some((name, variable(name)?)));
    let Some((name, text)) = set else { return Ok(Headers::default()) };
    text.parse().map_err(|error: SettingsError| {
        Failure::usage(
            format!("environment {name}: {error}"),
            "write name=value,name=value, with values percent-encoded",
        )
    })
}

fn unusable(error: &SettingsError) -> Failure {
    Failure::usage(error.to_string(), "correct otlp.* in your configuration")
}
