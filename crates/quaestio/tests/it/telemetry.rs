//! What the program sends to a collector of OpenTelemetry, decoded with OpenTelemetry's own types.

use std::collections::{BTreeMap, BTreeSet};

use fakes::{Answer, FakeCollector, FakeModel, Received, Say};
use opentelemetry_proto::tonic::collector::metrics::v1::ExportMetricsServiceRequest;
use opentelemetry_proto::tonic::collector::trace::v1::ExportTraceServiceRequest;
use opentelemetry_proto::tonic::common::v1::any_value::Value as Any;
use opentelemetry_proto::tonic::metrics::v1::Metric;
use opentelemetry_proto::tonic::metrics::v1::metric::Data;
use opentelemetry_proto::tonic::metrics::v1::number_data_point;
use opentelemetry_proto::tonic::trace::v1::Span;
use prost::Message;
use serde_json::{Value, json};

use crate::serve::Served;
use crate::stand::{QUESTION, Stand, Told, examples, honest};

fn start_collector() -> FakeCollector {
    FakeCollector::start(|_| Answer::ok())
}

/// A stand whose program sends everything to a collector, after calls of an honest model.
fn sending_to(endpoint: &str) -> Stand {
    let model = FakeModel::start(honest);
    Stand::with_model(&model.base_url()).variable("OTEL_EXPORTER_OTLP_ENDPOINT", endpoint)
}

fn decode<M: Message + Default + serde::de::DeserializeOwned>(request: &Received) -> M {
    match request.header("content-type") {
        Some("application/json") => serde_json::from_slice(&request.body).unwrap(),
        _ => M::decode(request.body.as_slice()).unwrap(),
    }
}

/// The traces that a collector got, in their order.
fn traces(collector: &FakeCollector) -> Vec<Vec<Span>> {
    let received = collector.received();
    let requests = received.iter().filter(|request| request.path == "/v1/traces");
    let spans = |request: &Received| {
        let request: ExportTraceServiceRequest = decode(request);
        let resources = request.resource_spans.into_iter();
        resources.flat_map(|one| one.scope_spans).flat_map(|one| one.spans).collect()
    };
    requests.map(spans).collect()
}

fn text(span: &Span, name: &str) -> Option<String> {
    let attribute = span.attributes.iter().find(|attribute| attribute.key == name)?;
    match attribute.value.as_ref()?.value.as_ref()? {
        Any::StringValue(text) => Some(text.clone()),
        _ => None,
    }
}

fn id_of(span: &Span) -> String {
    text(span, "quaestio.run_id").unwrap()
}

/// Checks that a trace is one tree, and that its steps and calls are those of a log as `runs events` prints it.
fn check_tree(trace: &[Span], stand: &Stand) {
    let roots: Vec<&Span> = trace.iter().filter(|span| span.parent_span_id.is_empty()).collect();
    let [root] = roots[..] else { panic!("one root, not {roots:?}") };
    for span in trace {
        assert_eq!(span.trace_id, root.trace_id);
        if span.parent_span_id.is_empty() {
            continue;
        }
        let parent = trace.iter().find(|one| one.span_id == span.parent_span_id).unwrap();
        assert!(parent.start_time_unix_nano <= span.start_time_unix_nano, "{span:?}");
        assert!(span.end_time_unix_nano <= parent.end_time_unix_nano, "{span:?}");
    }
    let log = stand.run(&["runs", "events", &id_of(root)]).out;
    let entries: Vec<Value> = log.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let own = entries.iter().rposition(|entry| entry["event"] == "forked").unwrap_or_default();
    let (mut steps, mut calls) = (BTreeSet::new(), 0);
    for entry in &entries[own..] {
        if let Some(step) = entry["step"].as_str().filter(|_| entry["event"] != "forked") {
            steps.insert(step.to_owned());
        }
        let model = &entry["asking"]["model"];
        calls += usize::from(model.is_string() && model != "offline");
    }
    let sent: BTreeSet<String> =
        trace.iter().filter_map(|span| text(span, "quaestio.step")).collect();
    assert_eq!(sent.len(), steps.len(), "{sent:?} of {steps:?}");
    let asks = |span: &&Span| text(span, "gen_ai.operation.name").as_deref() == Some("chat");
    assert_eq!(trace.iter().filter(asks).count(), calls);
}

// proves: F7
#[test]
fn a_run_is_sent_as_a_tree_that_equals_its_log_and_says_nothing_of_its_texts() {
    for protocol in ["http/protobuf", "http/json"] {
        let collector = start_collector();
        let stand = sending_to(&collector.endpoint())
            .variable("OTEL_EXPORTER_OTLP_PROTOCOL", protocol)
            .variable("OTEL_EXPORTER_OTLP_HEADERS", "api-key=canary%2D1")
            .variable("OTEL_SERVICE_NAME", "desk 7")
            .variable("OTEL_RESOURCE_ATTRIBUTES", "deployment.environment.name=test");
        let told = stand.ask(QUESTION, &["--quiet"]);
        assert_eq!((told.code, told.err.as_str()), (0, ""), "{told:?}");
        let received = collector.received();
        let [request] = &received[..] else { panic!("one request, not {}", received.len()) };
        assert_eq!(request.header("api-key"), Some("canary-1"));
        let whole: ExportTraceServiceRequest = decode(request);
        let resource = whole.resource_spans[0].resource.clone().unwrap();
        let named: Vec<&str> = resource.attributes.iter().map(|one| one.key.as_str()).collect();
        assert_eq!(named, ["service.name", "service.version", "deployment.environment.name"]);
        let [trace] = &traces(&collector)[..] else { panic!("one trace") };
        check_tree(trace, &stand);
        let root = &trace[0];
        assert_eq!(root.name, "invoke_agent ask");
        assert_eq!(text(root, "quaestio.status").as_deref(), Some("completed"));
        let call = trace.iter().find(|span| span.name == "chat model").unwrap();
        assert_eq!(text(call, "gen_ai.provider.name").as_deref(), Some("fake"));
        let body = String::from_utf8_lossy(&request.body).into_owned();
        for word in ["handle", "Broad Street", "pump", "cholera"] {
            assert!(!body.contains(word), "{word} was sent");
        }
        let shown = stand.run(&["config", "show"]).out;
        assert!(shown.contains("# environment OTEL_SERVICE_NAME"), "{shown}");
        assert!(!shown.contains("canary"));
    }
}

// proves: F7
#[test]
fn texts_are_sent_where_the_configuration_asks_for_them() {
    let collector = start_collector();
    let stand = sending_to(&collector.endpoint()).variable("QUAESTIO_OTLP__TEXTS", "true");
    assert_eq!(stand.ask(QUESTION, &[]).code, 0);
    let root = traces(&collector).remove(0).remove(0);
    assert!(text(&root, "gen_ai.input.messages").unwrap().contains(QUESTION));
}

// proves: F7
#[test]
fn a_run_over_several_processes_is_one_trace_and_a_fork_is_linked_to_it() {
    let collector = start_collector();
    let stand = sending_to(&collector.endpoint());
    stand.ask(QUESTION, &["--clarify", "--plan"]).fails(5, "asks at gate");
    let first = traces(&collector).pop().unwrap();
    let run = id_of(&first[0]);
    assert_eq!(text(&first[0], "quaestio.status").as_deref(), Some("waiting"));
    check_tree(&first, &stand);

    let answers = stand.file("answers.json", "{}");
    let told =
        stand.run(&["runs", "resume", &run, "--answers", answers.to_str().unwrap(), "--yes"]);
    assert_eq!(told.code, 0, "{told:?}");
    let last = traces(&collector).pop().unwrap();
    assert_eq!(text(&last[0], "quaestio.status").as_deref(), Some("completed"));
    check_tree(&last, &stand);
    let ids = |trace: &[Span]| -> BTreeSet<(Vec<u8>, Vec<u8>)> {
        trace.iter().map(|span| (span.trace_id.clone(), span.span_id.clone())).collect()
    };
    assert!(ids(&first).is_subset(&ids(&last)), "what is sent again has the same ids");
    let events: BTreeSet<&str> = last[0].events.iter().map(|event| event.name.as_str()).collect();
    for event in ["quaestio.gate.asked", "quaestio.gate.approved", "quaestio.resumed"] {
        assert!(events.contains(event), "{events:?}");
    }

    assert_eq!(stand.run(&["runs", "fork", &run, "--from", "writer"]).code, 0);
    let fork = traces(&collector).pop().unwrap();
    check_tree(&fork, &stand);
    assert_eq!(text(&fork[0], "quaestio.forked_from"), Some(run));
    assert_eq!(fork[0].links[0].span_id, last[0].span_id);
    assert!(ids(&fork).is_disjoint(&ids(&last)));
}

// proves: F7
#[test]
fn a_run_that_a_person_stops_while_it_waits_and_one_that_fails_are_sent_as_they_ended() {
    let collector = start_collector();
    let stand = sending_to(&collector.endpoint());
    stand.ask(QUESTION, &["--clarify"]).fails(5, "asks at gate");
    let run = id_of(&traces(&collector)[0][0]);
    assert_eq!(stand.run(&["runs", "cancel", &run]).code, 0);
    let cancelled = traces(&collector).pop().unwrap();
    assert_eq!(id_of(&cancelled[0]), run);
    assert_eq!(text(&cancelled[0], "error.type").as_deref(), Some("cancelled"));

    let model = FakeModel::start(|_| Say::error(401, "you and your Broad Street"));
    let stand = stand.variable("QUAESTIO_BASE_URL", &model.base_url());
    assert_eq!(stand.ask(QUESTION, &[]).code, 4);
    let failed = traces(&collector).pop().unwrap();
    check_tree(&failed, &stand);
    assert_eq!(text(&failed[0], "quaestio.status").as_deref(), Some("partial"));
    let status = failed[0].status.as_ref().unwrap();
    assert_eq!(status.message, "stopped", "the reason may quote what was answered");
}

// proves: F7
#[test]
fn a_collector_that_is_not_there_costs_a_line_and_changes_nothing_else() {
    let model = FakeModel::start(honest);
    let without = Stand::with_model(&model.base_url()).ask(QUESTION, &["--format", "text"]);
    // Nothing listens at this port, which only the system may use.
    let with = sending_to("http://127.0.0.1:1").ask(QUESTION, &["--format", "text"]);
    // The id of a run stands in its last line.
    let shown = |told: &Told| {
        let run = told.out.trim().rsplit(' ').next().unwrap();
        (told.code, told.out.replace(run, "RUN"))
    };
    assert_eq!(shown(&with), shown(&without));
    let lines: Vec<&str> = with.err.lines().filter(|line| line.contains("OTLP")).collect();
    let [line] = lines[..] else { panic!("{lines:?}") };
    assert!(line.starts_with(
        "warning: could not send traces to the OTLP collector at http://127.0.0.1:1/v1/traces"
    ));
}

// proves: F7
#[test]
fn the_variables_of_opentelemetry_are_understood() {
    for (name, value) in [
        ("OTEL_SDK_DISABLED", "TRUE"),
        ("OTEL_TRACES_EXPORTER", "none"),
        ("OTEL_TRACES_EXPORTER", "console"),
        ("QUAESTIO_OTLP__ENABLED", "false"),
    ] {
        let collector = start_collector();
        let stand = sending_to(&collector.endpoint()).variable(name, value);
        assert_eq!(stand.ask(QUESTION, &["--no-model"]).code, 0);
        assert!(collector.received().is_empty(), "{name}={value}");
    }
    let (usual, own) = (start_collector(), start_collector());
    let there = format!("{}/traces/of/mine", own.endpoint());
    let stand = sending_to(&usual.endpoint())
        .variable("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", &there)
        .variable("OTEL_TRACES_EXPORTER", "console, otlp")
        .variable("OTEL_SDK_DISABLED", "1");
    assert_eq!(stand.ask(QUESTION, &["--no-model"]).code, 0);
    assert!(usual.received().is_empty());
    assert_eq!(own.received()[0].path, "/traces/of/mine");
    for (name, value, why) in [
        ("OTEL_EXPORTER_OTLP_ENDPOINT", "localhost:4318", "otlp.endpoint must be"),
        ("OTEL_EXPORTER_OTLP_PROTOCOL", "carrier/pigeon", "otlp.protocol"),
        ("OTEL_EXPORTER_OTLP_TIMEOUT", "soon", "otlp.timeout_ms"),
        ("OTEL_EXPORTER_OTLP_HEADERS", "canary", "name=value"),
        ("OTEL_RESOURCE_ATTRIBUTES", "nothing", "otlp.resource_attributes"),
    ] {
        let stand = sending_to("http://127.0.0.1:1").variable(name, value);
        let told = stand.ask(QUESTION, &["--no-model"]);
        told.fails(2, why);
        assert!(told.err.contains(&format!("environment {name}")), "{told:?}");
        assert!(!told.err.contains("canary"), "{told:?}");
    }
    let told = sending_to("http://127.0.0.1:1")
        .variable("OTEL_EXPORTER_OTLP_PROTOCOL", "grpc")
        .ask(QUESTION, &["--no-model"]);
    assert_eq!(told.code, 0);
    assert!(
        told.err.contains("otlp.protocol is grpc") && !told.err.contains("could not send"),
        "{told:?}"
    );
}

/// The metrics of the last request that a collector got of them.
fn metrics(received: &[Received]) -> BTreeMap<String, Metric> {
    let last = received.iter().rev().find(|request| request.path == "/v1/metrics");
    let Some(last) = last else { return BTreeMap::new() };
    let request: ExportMetricsServiceRequest = decode(last);
    let scopes = request.resource_metrics.into_iter().flat_map(|one| one.scope_metrics);
    scopes.flat_map(|one| one.metrics).map(|metric| (metric.name.clone(), metric)).collect()
}

fn sum(metrics: &BTreeMap<String, Metric>, name: &str) -> i64 {
    let Some(Data::Sum(sum)) = metrics.get(name).and_then(|metric| metric.data.as_ref()) else {
        return 0;
    };
    let values = sum.data_points.iter().map(|point| match point.value {
        Some(number_data_point::Value::AsInt(value)) => value,
        other => panic!("{name} counts {other:?}"),
    });
    values.sum()
}

fn count(metrics: &BTreeMap<String, Metric>, name: &str) -> u64 {
    match metrics.get(name).and_then(|metric| metric.data.as_ref()) {
        Some(Data::Histogram(histogram)) => histogram.data_points.iter().map(|one| one.count).sum(),
        other => panic!("{name} is {other:?}"),
    }
}

// proves: F7
#[test]
fn a_server_sends_the_metrics_that_its_page_shows_and_the_traces_of_its_runs() {
    let collector = start_collector();
    let stand = sending_to(&collector.endpoint()).variable("OTEL_METRIC_EXPORT_INTERVAL", "100");
    stand.run(&["ingest", examples().to_str().unwrap(), "--collection", "kb"]);
    let served = Served::on(&stand, &["--quiet"]);
    let order = json!({ "method": "ask", "question": QUESTION, "collection": "kb" });
    let (status, run) = served.post("/api/runs", &order);
    assert!(status == 201 || status == 202, "{run}");
    let run = run["run_id"].as_str().unwrap().to_owned();
    served.follow(&run);
    assert!(collector.wait(|received| sum(&metrics(received), "quaestio.runs_ended") == 1));
    let (_, page) = served.text("GET /metrics", "text/plain", b"");
    let sent = metrics(&collector.received());
    for (name, line) in [
        ("quaestio.runs_ended", "quaestio_runs_ended_total{method=\"ask\",status=\"completed\"} "),
        ("quaestio.model_calls", "quaestio_model_calls_total{provider=\"fake\""),
    ] {
        let shown = page.lines().filter(|shown| shown.starts_with(line));
        let shown: i64 =
            shown.map(|line| line.rsplit(' ').next().unwrap().parse::<i64>().unwrap()).sum();
        assert_eq!(sum(&sent, name), shown, "{name}: {page}");
    }
    let calls = count(&sent, "gen_ai.client.operation.duration");
    assert_eq!(calls as i64, sum(&sent, "quaestio.model_calls"));
    assert_eq!(count(&sent, "gen_ai.client.token.usage"), 2 * calls, "input and output");
    assert_eq!(sent["gen_ai.client.operation.duration"].unit, "s");
    assert!(collector.wait(|_| traces(&collector).len() == 1));
    let trace = traces(&collector).pop().unwrap();
    assert_eq!(id_of(&trace[0]), run);
    check_tree(&trace, &stand);
}
