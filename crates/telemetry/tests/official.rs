//! What is sent, read by OpenTelemetry's own Python package.

#![expect(clippy::unwrap_used, reason = "a test ends at what it does not expect")]

#[allow(dead_code, reason = "the other tests use all of it")]
#[path = "it/stage.rs"]
mod stage;

use std::io::Write;
use std::process::{Command, Stdio};

use fakes::{Answer, FakeCollector};
use run::log::Status;
use run::views::spans::{Span, State, spans};
use stage::{Stage, USER, Wanted, story};
use telemetry::Protocol;

/// Returns what the package prints of a body.
fn read(media_type: &str, body: &[u8]) -> String {
    let python = std::env::var_os("QUAESTIO_MLFLOW_PYTHON")
        .expect("QUAESTIO_MLFLOW_PYTHON names a Python that has opentelemetry-proto");
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/official/decode.py");
    let mut child = Command::new(python)
        .args([script, media_type])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(body).unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success());
    String::from_utf8(output.stdout).unwrap()
}

fn line(span: &Span) -> String {
    let hex = |bytes: &[u8]| bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>();
    let parent = span.parent.map_or("-".to_owned(), |parent| hex(&parent));
    let code = match span.state {
        State::Unset => 0,
        State::Done => 1,
        State::Failed(_) => 2,
    };
    let (name, id) = (span.name.replace(' ', "_"), hex(&span.span_id));
    let (start, end) = (span.start.as_nanosecond(), span.end.as_nanosecond());
    format!("{} {id} {parent} {name} {start} {end} {code}\n", span.trace_id)
}

// proves: F7
#[tokio::test(flavor = "multi_thread")]
async fn the_official_types_of_another_language_read_the_spans_of_the_log() {
    for protocol in [Protocol::HttpProtobuf, Protocol::HttpJson] {
        let collector = FakeCollector::start(|_| Answer::ok());
        let wanted = Wanted { protocol, ..Wanted::at(&collector.endpoint()) };
        let stage = Stage::new(&wanted);
        stage.append("r1", story(), Status::Completed).await;
        stage.settle().await;
        let [request] = &collector.received()[..] else { panic!("one request") };
        let told = read(request.header("content-type").unwrap(), &request.body);
        let log = spans("r1", USER, &stage.entries("r1").await, wanted.texts);
        assert_eq!(told, log.iter().map(line).collect::<String>());
    }
}
