//! Spans in OTLP's JSON: ids in hexadecimal digits, 64-bit integers as strings.

use run::views::spans::{Attribute, Found, Span, State};
use serde_json::{Map, Value, json};

/// Returns the spans as an `ExportTraceServiceRequest` in JSON, for `/v1/traces`.
///
/// <https://opentelemetry.io/docs/specs/otlp/#json-protobuf-encoding>
pub(crate) fn export(spans: &[Span]) -> Value {
    let version = env!("CARGO_PKG_VERSION");
    let resource = [
        attribute("service.name", &Attribute::Text("quaestio".into())),
        attribute("service.version", &Attribute::Text(version.into())),
    ];
    json!({ "resourceSpans": [{
        "resource": { "attributes": resource },
        "scopeSpans": [{
            "scope": { "name": "quaestio", "version": version },
            "spans": spans.iter().map(span).collect::<Vec<_>>(),
        }],
    }] })
}

fn span(span: &Span) -> Value {
    let mut attributes: Vec<Value> =
        span.attributes.iter().map(|(name, value)| attribute(name, value)).collect();
    if !span.documents.is_empty() {
        let documents: Vec<Value> = span.documents.iter().map(document).collect();
        let value = json!({ "arrayValue": { "values": documents } });
        attributes.push(json!({ "key": "gen_ai.retrieval.documents", "value": value }));
    }
    let status = match &span.state {
        State::Unset => json!({}),
        State::Done => json!({ "code": 1 }),
        State::Failed(why) => json!({ "code": 2, "message": why }),
    };
    let mut fields = Map::new();
    let mut put = |name: &str, value: Value| fields.insert(name.to_owned(), value);
    put("traceId", span.trace_id.to_string().into());
    put("spanId", hex(span.span_id).into());
    if let Some(parent) = span.parent {
        put("parentSpanId", hex(parent).into());
    }
    put("name", span.name.as_str().into());
    // SPAN_KIND_CLIENT and SPAN_KIND_INTERNAL.
    put("kind", (if span.asks_outside { 3 } else { 1 }).into());
    put("startTimeUnixNano", nanoseconds(span.start).into());
    put("endTimeUnixNano", nanoseconds(span.end).into());
    put("attributes", attributes.into());
    put("status", status);
    Value::Object(fields)
}

fn attribute(name: &str, value: &Attribute) -> Value {
    let value = match value {
        Attribute::Text(text) => json!({ "stringValue": text }),
        Attribute::Count(count) => json!({ "intValue": count.to_string() }),
        Attribute::Number(number) => json!({ "doubleValue": number }),
    };
    json!({ "key": name, "value": value })
}

fn document(found: &Found) -> Value {
    let mut values = vec![attribute("id", &Attribute::Text(found.id.clone()))];
    if let Some(score) = found.score {
        values.push(attribute("score", &Attribute::Number(score)));
    }
    json!({ "kvlistValue": { "values": values } })
}

fn hex(id: [u8; 8]) -> String {
    format!("{:016x}", u64::from_be_bytes(id))
}

/// Times before 1970 become 0.
fn nanoseconds(at: jiff::Timestamp) -> String {
    at.as_nanosecond().max(0).to_string()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use jiff::Timestamp;
    use run::views::spans::TraceId;

    use super::*;

    #[test]
    fn the_json_is_what_otlp_asks_for() {
        let at = |second| Timestamp::from_second(second).unwrap();
        let span = |id: u8, parent: Option<u8>| Span {
            trace_id: TraceId::of("r", ""),
            span_id: [id; 8],
            parent: parent.map(|parent| [parent; 8]),
            link: None,
            name: "w #1".into(),
            asks_outside: parent.is_some(),
            start: at(1_001),
            end: at(1_002),
            attributes: BTreeMap::from([
                ("gen_ai.usage.input_tokens".to_owned(), Attribute::Count(10)),
                ("quaestio.cost_usd".to_owned(), Attribute::Number(1.5)),
            ]),
            events: vec![],
            documents: vec![],
            state: State::Done,
        };
        let exported = export(&[span(1, None), span(2, Some(1))]);
        let sent = &exported["resourceSpans"][0]["scopeSpans"][0]["spans"];
        let (root, call) = (&sent[0], &sent[1]);
        assert_eq!(root["traceId"].as_str().unwrap().len(), 32);
        assert_eq!(root["spanId"].as_str().unwrap().len(), 16);
        assert_eq!(root.get("parentSpanId"), None);
        assert_eq!(call["parentSpanId"], root["spanId"]);
        assert_eq!((&root["kind"], &call["kind"]), (&json!(1), &json!(3)));
        assert_eq!(call["startTimeUnixNano"], "1001000000000");
        assert_eq!(root["status"], json!({ "code": 1 }));
        let attributes = call["attributes"].as_array().unwrap();
        let tokens = json!({ "key": "gen_ai.usage.input_tokens", "value": { "intValue": "10" } });
        let cost = json!({ "key": "quaestio.cost_usd", "value": { "doubleValue": 1.5 } });
        assert!(attributes.contains(&tokens) && attributes.contains(&cost));
    }
}
