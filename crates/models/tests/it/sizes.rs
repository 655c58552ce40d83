//! Replies larger than any sane one.

use std::time::{Duration, Instant};

use fakes::Say;
use run::error::PortError;
use run::model::{Model, Words};

use crate::{
    ATTEMPTS, HALF, Heard, NAMES, all_ways, always, build_model, build_request, closes, delta,
    delta_of, named, status,
};

const STREAM: &str = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n";

// proves: C6
#[tokio::test]
async fn a_stream_without_end_is_left_long_before_it_fills_the_memory() {
    for name in NAMES {
        let server = always(Say::Flood {
            head: STREAM.into(),
            piece: format!("data: {}\n\n", delta_of(name, &"gull ".repeat(200))),
        });
        let heard = Heard::default();
        let error = named(name, &server).chat(&build_request(true), &heard).await.unwrap_err();
        let expected = format!("{name} sent an unusable answer: far more data than was asked for");
        assert_eq!(error.to_string(), expected);
        let heard: usize = heard.0.lock().unwrap().iter().map(String::len).sum();
        assert!(heard < ATTEMPTS * 2_200_000, "{heard} bytes were taken in");
        assert!(closes(&server, ATTEMPTS).await);
    }
}

// proves: C6
#[tokio::test]
async fn a_long_reply_within_its_tokens_is_taken() {
    let mut request = build_request(true);
    request.max_tokens = 20_000;
    let text = format!("{{\"text\": \"{}\"}}", "gull ".repeat(19_000));
    for name in NAMES {
        let server = always(Say::text(text.clone()));
        assert_eq!(named(name, &server).chat(&request, &()).await.unwrap().text, text);
    }
}

/// A body, a line of a stream, and an error, each without end.
// proves: C6
#[tokio::test(flavor = "multi_thread")]
async fn bytes_without_end_are_left_long_before_they_fill_the_memory() {
    let json = "content-type: application/json\r\n\r\n{\"choices\": \"";
    for (streamed, head, error) in [
        (
            false,
            format!("HTTP/1.1 200 OK\r\n{json}"),
            "sent an unusable answer: far more data than was asked for",
        ),
        (
            false,
            format!("HTTP/1.1 200 OK\r\ncontent-length: 200000000\r\n{json}"),
            "sent an unusable answer: far more data than was asked for",
        ),
        (
            true,
            format!("HTTP/1.1 200 OK\r\n{json}"),
            "sent an unusable answer: far more data than was asked for",
        ),
        (
            true,
            format!("{STREAM}data: "),
            "sent an unusable answer: far more data than was asked for",
        ),
        (true, STREAM.to_owned(), "sent an unusable answer: far more data than was asked for"),
        (false, format!("HTTP/1.1 500 No\r\n{json}"), "failed with status 500: "),
        (true, format!("HTTP/1.1 500 No\r\n{json}"), "failed with status 500: "),
    ] {
        for name in NAMES {
            let (head, piece) = (head.clone(), "gull ".repeat(10_000));
            let server = always(Say::Flood { head, piece });
            let asked = build_request(streamed);
            let told = named(name, &server).chat(&asked, &()).await.unwrap_err().to_string();
            assert!(told.starts_with(&format!("{name} {error}")), "{told}");
            assert!(closes(&server, ATTEMPTS).await);
        }
    }
}

// proves: C6
#[tokio::test(flavor = "multi_thread")]
async fn what_adds_nothing_without_end_is_left_at_the_deadline() {
    let thought = r#"data: {"choices": [{"delta": {"reasoning_content": "Hm. "}}]}"#;
    for piece in [thought, ": waiting", "data: {}", "", "event: x"] {
        let server =
            always(Say::Flood { head: STREAM.into(), piece: format!("{piece}\n\n").repeat(1_000) });
        let mut request = build_request(true);
        request.deadline = Duration::from_millis(100);
        let error = build_model(&server).chat(&request, &()).await.unwrap_err();
        assert!(matches!(error, PortError::TimedOut { .. }), "{piece}: {error:?}");
        assert!(closes(&server, 1).await);
    }
}

/// A listener slower than the server.
struct Slow;

impl Words for Slow {
    fn hear(&self, _: &str) {
        std::thread::sleep(Duration::from_micros(50));
    }
}

// proves: C6
#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_is_always_ahead_is_left_at_the_deadline() {
    let server = always(Say::Flood {
        head: STREAM.into(),
        piece: format!("data: {}\n\n", delta("!")).repeat(1_000),
    });
    let mut request = build_request(true);
    request.deadline = Duration::from_millis(100);
    let began = Instant::now();
    let error = build_model(&server).chat(&request, &Slow).await.unwrap_err();
    assert!(matches!(error, PortError::TimedOut { .. }), "{error:?}");
    assert!(began.elapsed() < Duration::from_secs(5), "{:?}", began.elapsed());
}

// proves: C6
#[tokio::test]
async fn nothing_compressed_is_asked_for_or_unpacked() {
    for (name, streamed) in all_ways() {
        let server = always(Say::Status {
            status: 200,
            headers: vec![("content-encoding", "gzip".into())],
            content_type: "application/json",
            body: format!("\u{1f}{HALF}"),
        });
        assert!(named(name, &server).chat(&build_request(streamed), &()).await.is_err());
        let headers = server.seen()[0].headers.to_lowercase();
        assert!(!headers.contains("accept-encoding"), "{headers}");
    }
}

// proves: C6
#[tokio::test]
async fn a_long_error_is_told_in_a_line() {
    for (name, streamed) in all_ways() {
        let server = always(status(400, "text/plain", &"gull\n".repeat(400_000)));
        let error =
            named(name, &server).chat(&build_request(streamed), &()).await.unwrap_err().to_string();
        assert!(error.len() < 500 && !error.contains('\n'), "{error}");
    }
}
