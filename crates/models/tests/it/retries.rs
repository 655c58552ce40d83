//! What is tried again, how often, and after how long.

use std::net::TcpListener;
use std::time::{Duration, Instant};

use fakes::{FakeModel, Say};
use models::{ChatModel, ConnectError, Connection, Secret};
use run::error::PortError;
use run::model::Model;

use crate::{
    ATTEMPTS, NAMES, WAYS, WHOLE, all_ways, build_connection, build_model, build_request, each_way,
    named,
};

/// An error with these headers until so many were told, then a reply.
fn after(failures: usize, status: u16, headers: &[(&'static str, &str)]) -> FakeModel {
    let headers: Vec<_> =
        headers.iter().map(|(name, value)| (*name, (*value).to_owned())).collect();
    FakeModel::start(move |seen| {
        if seen.number > failures {
            return Say::text(WHOLE);
        }
        Say::Error { status, message: "wait".into(), headers: headers.clone() }
    })
}

// proves: C2
#[tokio::test]
async fn what_may_pass_is_tried_four_times_and_what_may_not_once() {
    for (status, attempts) in [
        (408, ATTEMPTS),
        (429, ATTEMPTS),
        (500, ATTEMPTS),
        (502, ATTEMPTS),
        (503, ATTEMPTS),
        (504, ATTEMPTS),
        (529, ATTEMPTS),
        (400, 1),
        (401, 1),
        (402, 1),
        (403, 1),
        (404, 1),
        (413, 1),
        (422, 1),
    ] {
        for (outcome, asked) in each_way(Say::error(status, "no")).await {
            let error = outcome.unwrap_err();
            assert_eq!(asked, attempts, "{status}");
            let right = match status {
                429 => matches!(error, PortError::Limited { retry_after: None, .. }),
                408 | 500.. => {
                    matches!(error, PortError::Failed { status: said, .. } if said == status)
                }
                _ => matches!(error, PortError::Refused { status: said, .. } if said == status),
            };
            assert!(right, "{status}: {error:?}");
        }
        if attempts == ATTEMPTS {
            for (name, streamed) in all_ways() {
                let server = after(ATTEMPTS - 1, status, &[]);
                let reply = named(name, &server).chat(&build_request(streamed), &()).await.unwrap();
                assert_eq!((reply.text.as_str(), server.seen().len()), (WHOLE, ATTEMPTS));
            }
        }
    }
}

// proves: A2
#[tokio::test]
async fn a_server_says_how_long_to_wait() {
    // The back-off alone would be a minute.
    for (header, value) in [("retry-after-ms", "20"), ("retry-after", "0.02")] {
        for (name, streamed) in all_ways() {
            let server = after(1, 429, &[(header, value)]);
            let mut connection = build_connection(name, &server.base_url());
            connection.retry_delay = Duration::from_secs(20);
            let began = Instant::now();
            let reply =
                ChatModel::new(connection).unwrap().chat(&build_request(streamed), &()).await;
            assert_eq!(reply.unwrap().text, WHOLE);
            assert!(began.elapsed() < Duration::from_secs(10), "{header}: {value}");
            assert!(began.elapsed() >= Duration::from_millis(20));
        }
    }
}

// proves: C6
#[tokio::test]
async fn a_wait_past_the_deadline_is_not_begun() {
    for value in ["31", "3600", "1e15", "10000000000000000000"] {
        for streamed in WAYS {
            let server = after(9, 429, &[("retry-after", value)]);
            let error = build_model(&server).chat(&build_request(streamed), &()).await.unwrap_err();
            assert!(matches!(error, PortError::Limited { .. }), "{value}: {error:?}");
            assert_eq!(server.seen().len(), 1, "{value}");
        }
    }
}

// proves: A2
#[tokio::test]
async fn a_wait_that_means_nothing_leaves_the_back_off() {
    for value in
        ["soon", "-1", "NaN", "inf", "18446744073709551616", "Wed, 21 Oct 2015 07:28:00 GMT"]
    {
        let server = after(1, 429, &[("retry-after", value)]);
        assert!(build_model(&server).chat(&build_request(false), &()).await.is_ok(), "{value}");
        assert_eq!(server.seen().len(), 2, "{value}");
    }
}

// proves: C2
#[tokio::test]
async fn a_server_that_is_not_there_is_unreachable() {
    let closed = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let base_url = format!("http://{closed}/v1/");
    for (name, streamed) in all_ways() {
        let model = ChatModel::new(build_connection(name, &base_url)).unwrap();
        let error = model.chat(&build_request(streamed), &()).await.unwrap_err();
        let PortError::Unreachable { service, reason } = error else { panic!("{error:?}") };
        assert_eq!(service, name);
        assert!(reason.contains("refused"), "{reason}");
    }
}

#[test]
fn a_key_that_no_header_may_hold_is_told_at_once() {
    for name in NAMES {
        let key = Some(Secret::from("sk-canary\n".to_owned()));
        let connection = Connection::new(name, Some("http://127.0.0.1:9/v1"), key).unwrap();
        let refused = ChatModel::new(connection).err().unwrap();
        assert!(matches!(refused, ConnectError::Client { .. }), "{refused:?}");
        assert!(!format!("{refused} {refused:?}").contains("canary"));
    }
}
