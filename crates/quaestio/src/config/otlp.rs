//! What is sent to a collector of OpenTelemetry.

use serde::Deserialize;
use telemetry::{Endpoint, Protocol, Resource, SettingsError, parse_pairs};

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct OtlpConfig {
    pub(crate) enabled: bool,
    /// Empty means that nothing is sent, unless a signal has an endpoint of its own.
    endpoint: String,
    /// Empty means below `endpoint`.
    traces_endpoint: String,
    metrics_endpoint: String,
    protocol: Spoken,
    pub(crate) timeout_ms: u64,
    traces: bool,
    metrics: bool,
    pub(crate) metric_interval_ms: u64,
    service_name: String,
    resource_attributes: String,
    pub(crate) texts: bool,
}

/// A protocol as OpenTelemetry names it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
enum Spoken {
    #[serde(rename = "http/protobuf")]
    HttpProtobuf,
    #[serde(rename = "http/json")]
    HttpJson,
    /// Other programs beside this one may be told to speak it.
    #[serde(rename = "grpc")]
    Grpc,
}

impl OtlpConfig {
    /// Returns how a collector is spoken to; `None` if this program cannot.
    pub(crate) fn protocol(&self) -> Option<Protocol> {
        match self.protocol {
            Spoken::HttpProtobuf => Some(Protocol::HttpProtobuf),
            Spoken::HttpJson => Some(Protocol::HttpJson),
            Spoken::Grpc => None,
        }
    }

    /// Returns why nothing is sent although a collector is named.
    pub(super) fn remark(&self) -> Option<String> {
        let endpoints = [&self.endpoint, &self.traces_endpoint, &self.metrics_endpoint];
        let is_named = self.enabled && endpoints.iter().any(|endpoint| !endpoint.is_empty());
        (is_named && self.protocol().is_none()).then(|| {
            "warning: nothing is sent to the OTLP collector: otlp.protocol is grpc, which Quaestio does not support. Use http/protobuf or http/json, and the collector's HTTP port (usually 4318)".to_owned()
        })
    }

    /// Returns the first key that cannot be used, and what it must be.
    pub(super) fn wrong(&self) -> Option<(&'static str, String)> {
        const URL: &str = "empty, or the address of a collector without a key in it, for example http://127.0.0.1:4318";
        let wrong = |key: &'static str, endpoint: &str| {
            let is_wrong = !endpoint.is_empty() && Endpoint::of_signal(endpoint).is_err();
            is_wrong.then(|| (key, URL.to_owned()))
        };
        let between = |key: &'static str, value: u64, least: u64, most: u64| {
            (!(least..=most).contains(&value)).then(|| (key, format!("{least} to {most}")))
        };
        wrong("endpoint", &self.endpoint)
            .or_else(|| wrong("traces_endpoint", &self.traces_endpoint))
            .or_else(|| wrong("metrics_endpoint", &self.metrics_endpoint))
            .or_else(|| between("timeout_ms", self.timeout_ms, 1, 600_000))
            .or_else(|| between("metric_interval_ms", self.metric_interval_ms, 100, 86_400_000))
            .or_else(|| {
                let is_wrong = parse_pairs(&self.resource_attributes).is_err();
                is_wrong
                    .then(|| ("resource_attributes", "empty, or name=value,name=value".to_owned()))
            })
    }

    /// Returns where traces are sent; `None` if they are not.
    pub(crate) fn traces(&self) -> Result<Option<Endpoint>, SettingsError> {
        self.endpoint_of(self.traces, &self.traces_endpoint, "v1/traces")
    }

    /// Returns where metrics are sent; `None` if they are not.
    pub(crate) fn metrics(&self) -> Result<Option<Endpoint>, SettingsError> {
        self.endpoint_of(self.metrics, &self.metrics_endpoint, "v1/metrics")
    }

    fn endpoint_of(
        &self,
        is_wanted: bool,
        own: &str,
        path: &str,
    ) -> Result<Option<Endpoint>, SettingsError> {
        match (own, self.endpoint.as_str()) {
            _ if !self.enabled || !is_wanted || self.protocol().is_none() => Ok(None),
            ("", "") => Ok(None),
            ("", base) => Endpoint::of_base(base, path).map(Some),
            (own, _) => Endpoint::of_signal(own).map(Some),
        }
    }

    pub(crate) fn resource(&self) -> Result<Resource, SettingsError> {
        Ok(Resource::of(&self.service_name, parse_pairs(&self.resource_attributes)?))
    }
}
