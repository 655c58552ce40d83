//! Spans as OTLP sends them.
//!
//! <https://opentelemetry.io/docs/specs/otlp/>

use opentelemetry_proto::tonic::collector::trace::v1::{
    ExportTraceServiceRequest, ExportTraceServiceResponse,
};
use opentelemetry_proto::tonic::common::v1::any_value::Value;
use opentelemetry_proto::tonic::common::v1::{
    AnyValue, ArrayValue, InstrumentationScope, KeyValue, KeyValueList,
};
use opentelemetry_proto::tonic::resource::v1;
use opentelemetry_proto::tonic::trace::v1::span::{self, SpanKind};
use opentelemetry_proto::tonic::trace::v1::status::StatusCode;
use opentelemetry_proto::tonic::trace::v1::{ResourceSpans, ScopeSpans, Span, Status};
use prost::Message;
use run::views::spans::{self, Attribute, Found, SpanEvent, State};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::client::Reply;
use crate::collector::Resource;
use crate::settings::Protocol;

/// The most spans in a request.
const MOST_SPANS: usize = 512;
/// The most bytes of spans in a request, unless a single span is larger.
const MOST_BYTES: usize = 2 * 1024 * 1024;

/// The name of what makes the spans and metrics.
pub(crate) const SCOPE: &str = "quaestio";

/// Returns a trace as requests of a bounded size.
pub(crate) fn requests(
    resource: &Resource,
    spans: &[spans::Span],
) -> Vec<ExportTraceServiceRequest> {
    let mut requests: Vec<Vec<Span>> = Vec::new();
    let mut bytes = 0;
    for span in spans.iter().map(span_of) {
        let length = span.encoded_len();
        let fits = |last: &&mut Vec<Span>| last.len() < MOST_SPANS && bytes + length <= MOST_BYTES;
        match requests.last_mut().filter(fits) {
            Some(last) => {
                bytes += length;
                last.push(span);
            }
            None => {
                bytes = length;
                requests.push(vec![span]);
            }
        }
    }
    let request = |spans: Vec<Span>| ExportTraceServiceRequest {
        resource_spans: vec![ResourceSpans {
            resource: Some(resource_of(resource)),
            scope_spans: vec![ScopeSpans {
                scope: Some(scope()),
                spans,
                schema_url: String::new(),
            }],
            schema_url: String::new(),
        }],
    };
    requests.into_iter().map(request).collect()
}

/// Returns how many spans a request holds.
pub(crate) fn count(request: &ExportTraceServiceRequest) -> usize {
    let scopes = request.resource_spans.iter().flat_map(|resource| &resource.scope_spans);
    scopes.map(|scope| scope.spans.len()).sum()
}

/// Returns a request as it is sent.
pub(crate) fn encode(request: &(impl Message + Serialize), protocol: Protocol) -> Vec<u8> {
    match protocol {
        Protocol::HttpProtobuf => request.encode_to_vec(),
        // A message consists of what JSON has.
        Protocol::HttpJson => serde_json::to_vec(request).unwrap_or_default(),
    }
}

/// Reads a reply; `None` if it is none, as a reply without a body.
pub(crate) fn decode<M: Message + Default + DeserializeOwned>(reply: &Reply) -> Option<M> {
    match reply.protocol {
        _ if reply.bytes.is_empty() => None,
        Protocol::HttpProtobuf => M::decode(reply.bytes.as_slice()).ok(),
        Protocol::HttpJson => serde_json::from_slice(&reply.bytes).ok(),
    }
}

/// Returns how many spans a collector did not take, and why; or nothing if it took all.
pub(crate) fn rejected_spans(reply: &Reply) -> Option<(i64, String)> {
    let reply: ExportTraceServiceResponse = decode(reply)?;
    let partial = reply.partial_success?;
    (partial.rejected_spans > 0).then_some((partial.rejected_spans, partial.error_message))
}

pub(crate) fn resource_of(resource: &Resource) -> v1::Resource {
    let attributes = resource.0.iter().map(|(name, value)| text(name, value)).collect();
    v1::Resource { attributes, ..v1::Resource::default() }
}

pub(crate) fn scope() -> InstrumentationScope {
    InstrumentationScope {
        name: SCOPE.to_owned(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        ..InstrumentationScope::default()
    }
}

pub(crate) fn text(name: &str, value: &str) -> KeyValue {
    key_value(name, Value::StringValue(value.to_owned()))
}

fn key_value(name: &str, value: Value) -> KeyValue {
    let value = Some(AnyValue { value: Some(value) });
    KeyValue { key: name.to_owned(), value, ..KeyValue::default() }
}

fn span_of(span: &spans::Span) -> Span {
    let mut attributes: Vec<KeyValue> = span.attributes.iter().map(attribute).collect();
    if !span.documents.is_empty() {
        let values = span.documents.iter().map(document).collect();
        let value = Value::ArrayValue(ArrayValue { values });
        attributes.push(key_value("gen_ai.retrieval.documents", value));
    }
    let (code, message) = match &span.state {
        State::Unset => (StatusCode::Unset, String::new()),
        State::Done => (StatusCode::Ok, String::new()),
        State::Failed(why) => (StatusCode::Error, why.clone()),
    };
    let link = |(trace, span): &(spans::TraceId, spans::SpanId)| span::Link {
        trace_id: trace.0.to_vec(),
        span_id: span.to_vec(),
        ..span::Link::default()
    };
    let kind = if span.asks_outside { SpanKind::Client } else { SpanKind::Internal };
    Span {
        trace_id: span.trace_id.0.to_vec(),
        span_id: span.span_id.to_vec(),
        parent_span_id: span.parent.map(|parent| parent.to_vec()).unwrap_or_default(),
        name: span.name.clone(),
        kind: kind.into(),
        start_time_unix_nano: nanoseconds(span.start),
        end_time_unix_nano: nanoseconds(span.end),
        attributes,
        events: span.events.iter().map(event).collect(),
        links: span.link.iter().map(link).collect(),
        status: Some(Status { message, code: code.into() }),
        ..Span::default()
    }
}

fn event(event: &SpanEvent) -> span::Event {
    span::Event {
        time_unix_nano: nanoseconds(event.at),
        name: event.name.to_owned(),
        attributes: event.attributes.iter().map(attribute).collect(),
        ..span::Event::default()
    }
}

fn attribute((name, value): (&String, &Attribute)) -> KeyValue {
    let value = match value {
        Attribute::Text(text) => Value::StringValue(text.clone()),
        Attribute::Count(count) => Value::IntValue(i64::try_from(*count).unwrap_or(i64::MAX)),
        Attribute::Number(number) => Value::DoubleValue(*number),
    };
    key_value(name, value)
}

fn document(found: &Found) -> AnyValue {
    let mut values = vec![text("id", &found.id)];
    if let Some(score) = found.score {
        values.push(key_value("score", Value::DoubleValue(score)));
    }
    AnyValue { value: Some(Value::KvlistValue(KeyValueList { values })) }
}

/// Returns nanoseconds since 1970; 0 for times before.
fn nanoseconds(at: jiff::Timestamp) -> u64 {
    u64::try_from(at.as_nanosecond().max(0)).unwrap_or(u64::MAX)
}
