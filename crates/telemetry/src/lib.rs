//! Traces of runs and metrics of a server, sent to an OpenTelemetry collector over OTLP/HTTP.
//!
//! There is no tracing SDK. A trace is a fold over the log of a run ([`run::views::spans`]), worked out when the run ends or waits for a
//! person; metrics are read from the page that a monitor reads as well. So nothing is recorded twice, and both say the same.
//!
//! - A [`TraceExporter`] watches a log ([`TraceExporter::watch`]) and sends the trace of each run that ended or waits. Ids are derived from
//!   the run, so what is sent again replaces what was sent before, whichever process sends it.
//! - A [`MetricsExporter`] sends a page of metrics in the format of OpenMetrics.
//! - A [`Collector`] is where both are sent. A collector that is not there costs a line now and then, and never a run.
//!
//! ```
//! use telemetry::{Endpoint, parse_pairs};
//!
//! let endpoint = Endpoint::of_base("http://127.0.0.1:4318", "v1/traces").unwrap();
//! assert_eq!(endpoint.to_string(), "http://127.0.0.1:4318/v1/traces");
//! let pairs = parse_pairs("team=research,region=eu%20west").unwrap();
//! assert_eq!(pairs[1], ("region".to_owned(), "eu west".to_owned()));
//! ```

mod client;
mod collector;
mod encode;
mod metrics;
mod openmetrics;
mod settings;
mod traces;

pub use collector::{Collector, Resource};
pub use metrics::MetricsExporter;
pub use settings::{Endpoint, Headers, Protocol, SettingsError, parse_pairs};
pub use traces::{TraceExporter, TraceSettings};
