//! What arrives where everything works.

use std::collections::BTreeSet;
use std::time::Duration;

use fakes::{Answer, FakeCollector};
use opentelemetry_proto::tonic::collector::metrics::v1::ExportMetricsServiceRequest;
use opentelemetry_proto::tonic::common::v1::any_value::Value;
use opentelemetry_proto::tonic::metrics::v1::metric::Data;
use opentelemetry_proto::tonic::metrics::v1::number_data_point;
use opentelemetry_proto::tonic::trace::v1::Span;
use opentelemetry_proto::tonic::trace::v1::span::SpanKind;
use opentelemetry_proto::tonic::trace::v1::status::StatusCode;
use prost::Message;
use run::entry::Event;
use run::log::Status;
use run::views::spans::{Texts, spans as folded};
use telemetry::{Collector, Endpoint, Headers, MetricsExporter, Protocol, Resource};

use crate::stage::{
    QUESTION, Stage, USER, Wanted, called, decode, finished, returned, spans, started, story,
};

fn text<'s>(span: &'s Span, name: &str) -> Option<&'s str> {
    let attribute = span.attributes.iter().find(|attribute| attribute.key == name)?;
    match attribute.value.as_ref()?.value.as_ref()? {
        Value::StringValue(text) => Some(text),
        _ => None,
    }
}

// proves: F7
#[tokio::test(flavor = "multi_thread")]
async fn a_collector_gets_the_spans_of_the_log_in_either_encoding() {
    for protocol in [Protocol::HttpProtobuf, Protocol::HttpJson] {
        let collector = FakeCollector::start(|_| Answer::ok());
        let headers = "api-key=canary%2D1";
        let wanted = Wanted { protocol, headers, ..Wanted::at(&collector.endpoint()) };
        let stage = Stage::new(&wanted);
        stage.append("r1", story(), Status::Completed).await;
        stage.settle().await;
        assert_eq!(stage.said(), Vec::<String>::new());
        let [request] = &collector.received()[..] else { panic!("one request") };
        assert_eq!(
            (request.path.as_str(), request.header("api-key")),
            ("/v1/traces", Some("canary-1"))
        );
        let resource = decode(request).resource_spans.remove(0).resource.unwrap();
        let names: Vec<&str> = resource.attributes.iter().map(|one| one.key.as_str()).collect();
        assert_eq!(names, ["service.name", "service.version", "team"]);

        let sent = spans(&collector);
        let log = folded("r1", USER, &stage.entries("r1").await, wanted.texts);
        assert_eq!(sent.len(), log.len());
        for (sent, own) in sent.iter().zip(&log) {
            assert_eq!(
                (sent.trace_id.as_slice(), sent.span_id.as_slice()),
                (&own.trace_id.0[..], &own.span_id[..])
            );
            assert_eq!(sent.parent_span_id, own.parent.map(|id| id.to_vec()).unwrap_or_default());
            assert_eq!(sent.name, own.name);
            assert_eq!(sent.attributes.len(), own.attributes.len());
            assert_eq!(u128::from(sent.start_time_unix_nano), own.start.as_nanosecond() as u128);
            assert_eq!(u128::from(sent.end_time_unix_nano), own.end.as_nanosecond() as u128);
        }
        let [root, scope, step, first, second] = &sent[..] else { panic!("{sent:?}") };
        assert_eq!((root.name.as_str(), scope.name.as_str()), ("invoke_agent ask", "answer"));
        assert_eq!(step.events.len(), 1, "of the try that failed");
        assert_eq!(text(first, "error.type"), Some("malformed"));
        assert_eq!(text(second, "gen_ai.provider.name"), Some("gcp.gemini"));
        assert_eq!(text(second, "gen_ai.request.model"), Some("flash-2"));
        assert_eq!(second.kind(), SpanKind::Client);
        let code = |span: &Span| span.status.as_ref().unwrap().code();
        assert_eq!((code(first), code(second)), (StatusCode::Error, StatusCode::Ok));
        let whole = String::from_utf8_lossy(&request.body).into_owned();
        assert!(!whole.contains("harbour") && !whole.contains("because"), "{whole}");
    }
}

// proves: F7
#[tokio::test(flavor = "multi_thread")]
async fn texts_are_sent_where_they_are_asked_for() {
    let collector = FakeCollector::start(|_| Answer::ok());
    let wanted = Wanted { texts: Texts::Included, ..Wanted::at(&collector.endpoint()) };
    let stage = Stage::new(&wanted);
    stage.append("r1", story(), Status::Completed).await;
    stage.settle().await;
    let root = spans(&collector).remove(0);
    assert!(text(&root, "gen_ai.input.messages").unwrap().contains(QUESTION));
}

// proves: F7
#[tokio::test(flavor = "multi_thread")]
async fn what_neither_ended_nor_waits_is_not_sent() {
    let collector = FakeCollector::start(|_| Answer::ok());
    let stage = Stage::new(&Wanted::at(&collector.endpoint()));
    stage.append("queued", vec![started()], Status::Queued).await;
    stage.append("running", vec![started(), called("w #1")], Status::Running).await;
    let asked = Event::Asked { gate: "q1".into(), ask: Default::default() };
    stage.append("waiting", vec![started(), asked], Status::Waiting).await;
    stage.settle().await;
    let sent = spans(&collector);
    assert_eq!(
        sent.iter().filter_map(|span| text(span, "quaestio.run_id")).collect::<Vec<_>>(),
        ["waiting"]
    );
    assert_eq!(sent[0].events[0].name, "quaestio.gate.asked");
}

// proves: F7
#[tokio::test(flavor = "multi_thread")]
async fn a_long_run_is_sent_in_several_requests_of_one_trace() {
    let collector = FakeCollector::start(|_| Answer::ok());
    let stage = Stage::new(&Wanted::at(&collector.endpoint()));
    let steps = (1..=700).flat_map(|number| {
        let step = format!("answer/writer #{number}");
        [called(&step), returned(&step)]
    });
    let events = [started()].into_iter().chain(steps).chain([finished()]).collect();
    stage.append("r1", events, Status::Completed).await;
    stage.settle().await;
    assert_eq!(collector.received().len(), 3);
    let sent = spans(&collector);
    assert_eq!(sent.len(), 2 + 2 * 700);
    let ids: BTreeSet<&[u8]> = sent.iter().map(|span| span.span_id.as_slice()).collect();
    assert_eq!(ids.len(), sent.len());
    assert_eq!(sent.iter().filter(|span| span.parent_span_id.is_empty()).count(), 1);
    assert!(sent[1..].iter().all(|span| ids.contains(span.parent_span_id.as_slice())));
}

const PAGE: &str = concat!(
    "# HELP quaestio_runs_ended Runs that ended here.\n",
    "# TYPE quaestio_runs_ended counter\n",
    "quaestio_runs_ended_total{method=\"ask\",status=\"completed\"} 3\n",
    "# EOF\n",
);

// proves: F7
#[tokio::test(flavor = "multi_thread")]
async fn metrics_arrive_in_either_encoding() {
    for protocol in [Protocol::HttpProtobuf, Protocol::HttpJson] {
        let server = FakeCollector::start(|_| Answer::ok());
        let collector =
            Collector::new(protocol, Headers::default(), Duration::from_secs(30), |line| {
                panic!("{line}");
            });
        let endpoint = Endpoint::of_signal(&format!("{}/own/path", server.endpoint())).unwrap();
        let resource = Resource::of("desk", vec![]).of_process("p1");
        let exporter = MetricsExporter::new(collector, endpoint, resource).unwrap();
        exporter.export(PAGE).await;
        let [request] = &server.received()[..] else { panic!("one request") };
        assert_eq!(request.path, "/own/path");
        let request = match protocol {
            Protocol::HttpProtobuf => {
                ExportMetricsServiceRequest::decode(request.body.as_slice()).unwrap()
            }
            Protocol::HttpJson => serde_json::from_slice(&request.body).unwrap(),
        };
        let resource = &request.resource_metrics[0];
        let own: Vec<&str> = resource
            .resource
            .as_ref()
            .unwrap()
            .attributes
            .iter()
            .map(|one| one.key.as_str())
            .collect();
        assert_eq!(own, ["service.name", "service.version", "service.instance.id"]);
        let metric = &resource.scope_metrics[0].metrics[0];
        assert_eq!(metric.name, "quaestio.runs_ended");
        let Some(Data::Sum(sum)) = &metric.data else { panic!("{metric:?}") };
        assert!(sum.is_monotonic);
        let point = &sum.data_points[0];
        assert_eq!(point.value, Some(number_data_point::Value::AsInt(3)));
        assert!(
            point.start_time_unix_nano > 0 && point.start_time_unix_nano <= point.time_unix_nano
        );
    }
}
