//! Sends metrics: the page that a monitor reads, in OTLP's terms.
//!
//! Names go the way that OpenTelemetry's specification goes between Prometheus and OTLP: `quaestio_queue_wait_seconds` is
//! `quaestio.queue_wait` in seconds. A collector that shows them to Prometheus shows them under the names of the page.

use std::collections::BTreeMap;
use std::time::{SystemTime, UNIX_EPOCH};

use opentelemetry_proto::tonic::collector::metrics::v1::{
    ExportMetricsServiceRequest, ExportMetricsServiceResponse,
};
use opentelemetry_proto::tonic::common::v1::KeyValue;
use opentelemetry_proto::tonic::metrics::v1::metric::Data;
use opentelemetry_proto::tonic::metrics::v1::number_data_point::Value;
use opentelemetry_proto::tonic::metrics::v1::{
    AggregationTemporality, Gauge, Histogram, HistogramDataPoint, Metric, NumberDataPoint,
    ResourceMetrics, ScopeMetrics, Sum,
};

use crate::client::Client;
use crate::collector::{Collector, Resource};
use crate::encode::{decode, encode, resource_of, scope, text};
use crate::openmetrics::{Family, Kind, Sample, read};
use crate::settings::{Endpoint, SettingsError};

/// Metrics of the conventions for generative AI, whose names have dots that those of a page cannot have: the name on the page without
/// its unit, the name, and the unit if the page names none.
const CONVENTIONS: [(&str, &str, &str); 2] = [
    ("gen_ai_client_operation_duration", "gen_ai.client.operation.duration", ""),
    ("gen_ai_client_token_usage", "gen_ai.client.token.usage", "{token}"),
];

/// Labels of these metrics.
const LABELS: [(&str, &str); 5] = [
    ("gen_ai_operation_name", "gen_ai.operation.name"),
    ("gen_ai_provider_name", "gen_ai.provider.name"),
    ("gen_ai_request_model", "gen_ai.request.model"),
    ("gen_ai_token_type", "gen_ai.token.type"),
    ("error_type", "error.type"),
];

/// Sends pages of metrics, whose counters begin with this exporter.
pub struct MetricsExporter {
    client: Client,
    resource: Resource,
    started: SystemTime,
}

impl MetricsExporter {
    pub fn new(
        collector: Collector,
        endpoint: Endpoint,
        resource: Resource,
    ) -> Result<MetricsExporter, SettingsError> {
        let client = Client::new(collector, endpoint)?;
        let started = SystemTime::now();
        Ok(MetricsExporter { client, resource, started })
    }

    /// Sends a page of metrics in the text format of OpenMetrics. If it does not arrive, the next page holds what this one held.
    pub async fn export(&self, page: &str) {
        let request = build_request(&self.resource, page, self.started, SystemTime::now());
        let body = encode(&request, self.client.protocol());
        match self.client.send(body).await {
            Ok(reply) => {
                let reply = decode::<ExportMetricsServiceResponse>(&reply);
                let partial = reply.and_then(|reply| reply.partial_success);
                if let Some(partial) = partial.filter(|partial| partial.rejected_data_points > 0) {
                    let (rejected, why) = (partial.rejected_data_points, partial.error_message);
                    self.client.tell_rejected("values of metrics", rejected, &why);
                }
            }
            Err(error) => self.client.tell("metrics", &error.to_string()),
        }
    }
}

fn build_request(
    resource: &Resource,
    page: &str,
    started: SystemTime,
    now: SystemTime,
) -> ExportMetricsServiceRequest {
    let times = Times { start: nanoseconds(started), now: nanoseconds(now) };
    let metrics = read(page).iter().map(|family| metric(family, times)).collect();
    ExportMetricsServiceRequest {
        resource_metrics: vec![ResourceMetrics {
            resource: Some(resource_of(resource)),
            scope_metrics: vec![ScopeMetrics {
                scope: Some(scope()),
                metrics,
                schema_url: String::new(),
            }],
            schema_url: String::new(),
        }],
    }
}

#[derive(Clone, Copy)]
struct Times {
    start: u64,
    now: u64,
}

fn metric(family: &Family, times: Times) -> Metric {
    let number = |sample: &Sample| NumberDataPoint {
        attributes: attributes(&sample.labels),
        start_time_unix_nano: times.start,
        time_unix_nano: times.now,
        value: Some(value(&sample.value)),
        ..NumberDataPoint::default()
    };
    let with = |suffix: &str| -> Vec<NumberDataPoint> {
        family.samples.iter().filter(|sample| sample.suffix == suffix).map(number).collect()
    };
    let aggregation_temporality = AggregationTemporality::Cumulative.into();
    let data = match family.kind {
        Kind::Counter => {
            let data_points = with("_total");
            Data::Sum(Sum { data_points, aggregation_temporality, is_monotonic: true })
        }
        Kind::Gauge => Data::Gauge(Gauge { data_points: with("") }),
        Kind::Info => Data::Gauge(Gauge { data_points: with("_info") }),
        Kind::Histogram => {
            let data_points = histograms(&family.samples, times);
            Data::Histogram(Histogram { data_points, aggregation_temporality })
        }
    };
    let (name, unit) = name_and_unit(family);
    Metric { name, unit, description: family.help.clone(), data: Some(data), ..Metric::default() }
}

/// Returns the name and the unit of a metric as OTLP has them.
fn name_and_unit(family: &Family) -> (String, String) {
    let suffix = format!("_{}", family.unit);
    let bare = match family.unit.as_str() {
        "" => family.name.as_str(),
        _ => family.name.strip_suffix(&suffix).unwrap_or(&family.name),
    };
    let unit = match family.unit.as_str() {
        "seconds" => "s",
        "bytes" => "By",
        other => other,
    };
    if let Some((_, name, own)) = CONVENTIONS.iter().find(|(known, ..)| *known == bare) {
        let unit = if unit.is_empty() { own } else { unit };
        return ((*name).to_owned(), unit.to_owned());
    }
    let name = ["quaestio", "process"].into_iter().find_map(|space| {
        let rest = bare.strip_prefix(space)?.strip_prefix('_')?;
        Some(format!("{space}.{rest}"))
    });
    let mut name = name.unwrap_or_else(|| bare.to_owned());
    if family.kind == Kind::Info {
        name.push_str("_info");
    }
    (name, unit.to_owned())
}

/// Returns labels as attributes. A label without a value says nothing.
fn attributes(labels: &[(String, String)]) -> Vec<KeyValue> {
    let labels = labels.iter().filter(|(name, value)| name != "le" && !value.is_empty());
    let attribute = |(name, value): &(String, String)| {
        let known = LABELS.iter().find(|(label, _)| label == name).map(|(_, name)| *name);
        text(known.unwrap_or(name), value)
    };
    labels.map(attribute).collect()
}

/// Returns a value: whole numbers as such.
fn value(text: &str) -> Value {
    match text.parse::<i64>() {
        Ok(whole) => Value::AsInt(whole),
        Err(_) => Value::AsDouble(text.parse().unwrap_or_default()),
    }
}

/// Returns the histograms of a metric, one for each set of labels. The buckets of a page count everything up to a bound, those of OTLP
/// what lies between two.
fn histograms(samples: &[Sample], times: Times) -> Vec<HistogramDataPoint> {
    // With what lies in the buckets so far.
    let mut points: Vec<(HistogramDataPoint, u64)> = Vec::new();
    let mut places: BTreeMap<Vec<(String, String)>, usize> = BTreeMap::new();
    for sample in samples {
        let own = sample.labels.iter().filter(|(name, _)| name != "le").cloned();
        let own: Vec<(String, String)> = own.collect();
        let place = *places.entry(own).or_insert_with(|| {
            let point = HistogramDataPoint {
                attributes: attributes(&sample.labels),
                start_time_unix_nano: times.start,
                time_unix_nano: times.now,
                ..HistogramDataPoint::default()
            };
            points.push((point, 0));
            points.len() - 1
        });
        let Some((point, below)) = points.get_mut(place) else { continue };
        match sample.suffix.as_str() {
            "_sum" => point.sum = sample.value.parse().ok(),
            "_count" => point.count = sample.value.parse().unwrap_or_default(),
            "_bucket" => {
                let count: u64 = sample.value.parse().unwrap_or_default();
                point.bucket_counts.push(count.saturating_sub(*below));
                *below = count;
                let bound = sample.labels.iter().find(|(name, _)| name == "le");
                let bound = bound.and_then(|(_, bound)| bound.parse::<f64>().ok());
                // The last bucket has no upper bound.
                if let Some(bound) = bound.filter(|bound| bound.is_finite()) {
                    point.explicit_bounds.push(bound);
                }
            }
            _ => {}
        }
    }
    points.into_iter().map(|(point, _)| point).collect()
}

fn nanoseconds(at: SystemTime) -> u64 {
    let since = at.duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_nanos()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAGE: &str = concat!(
        "# HELP quaestio_build What runs here.\n",
        "# TYPE quaestio_build info\n",
        "quaestio_build_info{version=\"0.1.0\"} 1\n",
        "# HELP quaestio_uploaded_bytes What was uploaded.\n",
        "# TYPE quaestio_uploaded_bytes counter\n",
        "# UNIT quaestio_uploaded_bytes bytes\n",
        "quaestio_uploaded_bytes_total 12\n",
        "# HELP quaestio_oldest_queued_run_seconds How long.\n",
        "# TYPE quaestio_oldest_queued_run_seconds gauge\n",
        "# UNIT quaestio_oldest_queued_run_seconds seconds\n",
        "quaestio_oldest_queued_run_seconds 0.5\n",
        "# HELP gen_ai_client_token_usage Tokens.\n",
        "# TYPE gen_ai_client_token_usage histogram\n",
        "gen_ai_client_token_usage_sum{gen_ai_token_type=\"input\",error_type=\"\"} 70.0\n",
        "gen_ai_client_token_usage_count{gen_ai_token_type=\"input\",error_type=\"\"} 3\n",
        "gen_ai_client_token_usage_bucket{le=\"4.0\",gen_ai_token_type=\"input\",error_type=\"\"} 1\n",
        "gen_ai_client_token_usage_bucket{le=\"16.0\",gen_ai_token_type=\"input\",error_type=\"\"} 1\n",
        "gen_ai_client_token_usage_bucket{le=\"+Inf\",gen_ai_token_type=\"input\",error_type=\"\"} 3\n",
        "# EOF\n",
    );

    fn read_metrics() -> Vec<Metric> {
        let resource = Resource::of("", vec![]);
        let mut sent = build_request(&resource, PAGE, UNIX_EPOCH, SystemTime::now());
        sent.resource_metrics.remove(0).scope_metrics.remove(0).metrics
    }

    // proves: F7
    #[test]
    fn names_and_units_are_those_that_prometheus_would_make_the_page_s_of() {
        let metrics = read_metrics();
        let named: Vec<(&str, &str)> =
            metrics.iter().map(|metric| (metric.name.as_str(), metric.unit.as_str())).collect();
        assert_eq!(
            named,
            [
                ("quaestio.build_info", ""),
                ("quaestio.uploaded", "By"),
                ("quaestio.oldest_queued_run", "s"),
                ("gen_ai.client.token.usage", "{token}"),
            ]
        );
    }

    // proves: F7
    #[test]
    fn a_histogram_says_what_lies_between_its_bounds() {
        let metrics = read_metrics();
        let Some(Data::Histogram(histogram)) = &metrics[3].data else { panic!("{metrics:?}") };
        let [point] = histogram.data_points.as_slice() else { panic!("{histogram:?}") };
        assert_eq!(point.explicit_bounds, [4.0, 16.0]);
        assert_eq!(point.bucket_counts, [1, 0, 2]);
        assert_eq!((point.count, point.sum), (3, Some(70.0)));
        assert_eq!(point.attributes, [text("gen_ai.token.type", "input")]);
    }
}
