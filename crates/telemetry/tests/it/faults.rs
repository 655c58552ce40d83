//! Collectors that are not there, refuse, hang, or take a part.

use std::time::Duration;

use fakes::{Answer, FakeCollector};
use opentelemetry_proto::tonic::collector::trace::v1::{
    ExportTracePartialSuccess, ExportTraceServiceResponse,
};
use prost::Message;
use run::log::Status;

use crate::stage::{Stage, Wanted, story};

// proves: F7
#[tokio::test(flavor = "multi_thread")]
async fn what_may_pass_is_tried_again_with_the_same_bytes() {
    let collector = FakeCollector::start(|request| match request.number {
        1 => Answer::status(503),
        2 => {
            Answer::Whole { status: 429, headers: vec![("retry-after", "1".into())], body: vec![] }
        }
        _ => Answer::ok(),
    });
    let stage = Stage::new(&Wanted::at(&collector.endpoint()));
    stage.append("r1", story(), Status::Completed).await;
    stage.settle().await;
    let received = collector.received();
    assert_eq!(received.len(), 3);
    assert!(received.iter().all(|request| request.body == received[0].body));
    assert_eq!(stage.said(), Vec::<String>::new());
}

// proves: F7
#[tokio::test(flavor = "multi_thread")]
async fn what_will_not_pass_is_told_once_and_not_tried_again() {
    for status in [400, 401, 404, 413, 500, 501] {
        let collector = FakeCollector::start(move |_| Answer::Whole {
            status,
            headers: vec![],
            body: b"key canary-1 is unknown\x1b[31m".to_vec(),
        });
        let wanted = Wanted { headers: "api-key=canary-1", ..Wanted::at(&collector.endpoint()) };
        let stage = Stage::new(&wanted);
        stage.append("r1", story(), Status::Completed).await;
        stage.settle().await;
        stage.append("r2", story(), Status::Completed).await;
        stage.settle().await;
        assert_eq!(collector.received().len(), 2, "each is tried once");
        let [line] = &stage.said()[..] else { panic!("{:?}", stage.said()) };
        assert!(line.starts_with("warning: could not send traces to"), "{line}");
        assert!(line.contains(&status.to_string()), "{line}");
        assert!(!line.contains("canary-1") && !line.contains('\x1b'), "{line}");
    }
}

// proves: F7
#[tokio::test(flavor = "multi_thread")]
async fn a_redirect_is_not_followed() {
    let elsewhere = FakeCollector::start(|_| Answer::ok());
    let there = format!("{}/v1/traces", elsewhere.endpoint());
    let collector = FakeCollector::start(move |_| Answer::Whole {
        status: 307,
        headers: vec![("location", there.clone())],
        body: vec![],
    });
    let stage = Stage::new(&Wanted::at(&collector.endpoint()));
    stage.append("r1", story(), Status::Completed).await;
    stage.settle().await;
    assert!(elsewhere.received().is_empty());
    assert_eq!(stage.said().len(), 1);
}

// proves: F7
#[tokio::test(flavor = "multi_thread")]
async fn of_a_part_that_was_taken_a_line_is_told() {
    let body = ExportTraceServiceResponse {
        partial_success: Some(ExportTracePartialSuccess {
            rejected_spans: 2,
            error_message: "too old".into(),
        }),
    };
    let in_json = serde_json::to_vec(&body).unwrap();
    for (media, body) in
        [("application/x-protobuf", body.encode_to_vec()), ("application/json", in_json)]
    {
        let collector = FakeCollector::start(move |_| Answer::Whole {
            status: 200,
            headers: vec![("content-type", media.to_owned())],
            body: body.clone(),
        });
        let stage = Stage::new(&Wanted::at(&collector.endpoint()));
        stage.append("r1", story(), Status::Completed).await;
        stage.settle().await;
        assert_eq!(collector.received().len(), 1, "what was rejected is not sent again");
        let [line] = &stage.said()[..] else { panic!("{:?}", stage.said()) };
        assert!(line.contains("rejected 2 of 5 spans: too old"), "{line}");
    }
}

// proves: F7
#[tokio::test(flavor = "multi_thread")]
async fn a_collector_that_is_not_there_costs_one_line_for_any_number_of_runs() {
    let wanted = Wanted {
        // Nothing listens at this port, which only the system may use.
        endpoint: "http://127.0.0.1:1".into(),
        timeout: Duration::from_secs(2),
        ..Wanted::at("")
    };
    let stage = Stage::new(&wanted);
    for number in 0..20 {
        stage.append(&format!("r{number}"), story(), Status::Completed).await;
    }
    stage.settle().await;
    let [line] = &stage.said()[..] else { panic!("{:?}", stage.said()) };
    assert!(line.contains("http://127.0.0.1:1/v1/traces"), "{line}");
}

// proves: F7
#[tokio::test(flavor = "multi_thread")]
async fn a_collector_that_hangs_holds_up_no_append() {
    let collector = FakeCollector::start(|_| Answer::Never);
    let wanted = Wanted { timeout: Duration::from_secs(600), ..Wanted::at(&collector.endpoint()) };
    let stage = Stage::new(&wanted);
    // Each of them is on disk although the first trace never arrives.
    for number in 0..20 {
        stage.append(&format!("r{number}"), story(), Status::Completed).await;
    }
    assert!(collector.wait(|received| received.len() == 1));
    stage.exporter.settle(Duration::from_millis(50)).await;
    assert_eq!(stage.entries("r19").await.len(), story().len());
    let said = stage.said();
    assert!(said.len() == 1 && said[0].contains("did not accept them within 0.05 s"), "{said:?}");
}

// proves: F7
#[tokio::test(flavor = "multi_thread")]
async fn an_endless_answer_is_not_read_to_its_end() {
    let collector = FakeCollector::start(|_| Answer::Whole {
        status: 200,
        headers: vec![],
        body: vec![b' '; 8 * 1024 * 1024],
    });
    let stage = Stage::new(&Wanted {
        timeout: Duration::from_secs(5),
        ..Wanted::at(&collector.endpoint())
    });
    stage.append("r1", story(), Status::Completed).await;
    stage.settle().await;
    assert_eq!((collector.received().len(), stage.said()), (1, vec![]));
}
