//! Servers that are wrong: every fault is survived or a clear error, and no error holds a key.

use jiff::fmt::rfc2822::DateTimePrinter;

use super::*;

const HEAD: &str = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n";

fn headed(rest: &str) -> Vec<u8> {
    format!("{HEAD}{rest}").into()
}

fn small() -> Settings {
    Settings { body_bytes: 100_000, ..settings() }
}

fn date_in(seconds: i64) -> String {
    let at = jiff::Timestamp::from_second(Timestamp::now().as_second() + seconds).unwrap();
    DateTimePrinter::new().timestamp_to_rfc9110_string(&at).unwrap()
}

/// Temporary faults, as the server shows them.
fn passing() -> Vec<(&'static str, Say)> {
    let again = |retry_after: &str| Say::status(429, &[("retry-after", retry_after)], KEY);
    vec![
        ("429 and a number", again("0")),
        ("429 and a date", again(&date_in(0))),
        ("429 and a date that is past", again(&date_in(-100))),
        ("429 alone", Say::status(429, &[], "<html><h1>429 Too Many Requests</h1>")),
        ("408", Say::status(408, &[], "")),
        ("500 with the key in it", Say::status(500, &[], &format!("{{\"error\":\"{KEY}\"}}"))),
        ("503", Say::status(503, &[("retry-after", "0")], "<html><title>Down</title>")),
        ("504", Say::status(504, &[("content-type", "text/html")], "<html>")),
        ("a reset before the head", Say::Reset(vec![])),
        ("a reset in the body", Say::Reset(headed("content-length: 100\r\n\r\n{"))),
        ("the end before the head", Say::raw("")),
        ("the end in the head", Say::raw("HTTP/1.1 200 OK\r\nconte")),
        ("a body cut short", Say::Raw(headed("content-length: 100\r\n\r\n{}"))),
        ("chunks cut short", Say::Raw(headed("transfer-encoding: chunked\r\n\r\n2\r\n{}\r\n"))),
        ("a chunk cut short", Say::Raw(headed("transfer-encoding: chunked\r\n\r\n9\r\n{}"))),
        ("a body that stalls", Say::Stall(headed("content-length: 100\r\n\r\n{"))),
        ("a head that stalls", Say::Stall(b"HTTP/1.1 200".to_vec())),
        ("silence", Say::Stall(vec![])),
        ("HTML in the place of JSON", Say::html("<html><title>Are you human?</title>")),
        ("nothing in the place of JSON", Say::json("")),
        ("half of the JSON", Say::json("{\"message\": {\"items\": [")),
        ("no HTTP", Say::raw("SSH-2.0-OpenSSH_9.2\r\n")),
        ("gzip that is none", Say::status(200, &[("content-encoding", "gzip")], "{}")),
        ("brotli that is none", Say::status(200, &[("content-encoding", "br")], "{}")),
        ("an encoding of its own", Say::status(200, &[("content-encoding", "zstd")], "{}")),
        ("two encodings", Say::status(200, &[("content-encoding", "gzip, gzip")], "{}")),
        ("304 that nobody asked for", Say::status(304, &[], "")),
    ]
}

// proves: A2
#[tokio::test]
async fn every_fault_that_passes_is_survived_and_one_that_stays_is_a_clear_error_without_the_key() {
    let folder = tempfile::tempdir().unwrap();
    // Only a silent server needs a short timeout.
    let impatient = Settings { idle_timeout: Duration::from_millis(300), ..settings() };
    let patient = keeping(folder.path(), settings());
    let impatient = keeping(folder.path(), impatient);
    for (number, (what, fault)) in passing().into_iter().enumerate() {
        let client = if matches!(fault, Say::Stall(_)) { &impatient } else { &patient };
        let (twice, stays) = (fault.clone(), Server::start(move |_| fault.clone()));
        let server = Server::start(move |seen| match seen.number {
            1 | 2 => twice.clone(),
            _ => Say::json(r#"{"gulls":2}"#),
        });
        // Each fault has its own service, so that none is left alone because of another.
        let service =
            |kind| Etiquette { name: format!("Gulls-{kind}{number}").leak(), ..etiquette() };
        let answer = client.said(&service("passing"), &request(&server), json).await;
        assert_eq!(answer, Ok(serde_json::json!({ "gulls": 2 })), "{what}");
        assert_eq!(server.seen().len(), 3, "{what}");

        let error = client.said(&service("staying"), &request(&stays), json).await.unwrap_err();
        assert_eq!(stays.seen().len(), 3, "{what}");
        let limits = what.starts_with("429") || what == "503";
        assert_eq!(matches!(error, PortError::Limited { .. }), limits, "{what}: {error}");
        for text in [error.to_string(), format!("{error:?}")] {
            assert!(!text.contains("canary") && text.contains("Gulls"), "{what}: {text}");
        }
    }
    assert!(!stands_in(folder.path(), "canary"));
}

// proves: A2
#[tokio::test]
async fn a_wait_that_fits_the_deadline_is_kept_to_and_a_longer_one_is_told_at_once() {
    let began = std::time::Instant::now();
    let server = Server::start(move |seen| match seen.number {
        1 => Say::status(429, &[("retry-after-ms", "60")], ""),
        _ => Say::json("{}"),
    });
    client().ask(&etiquette(), &request(&server)).await.unwrap();
    assert!(began.elapsed() >= Duration::from_millis(60));
    for (status, retry_after) in
        [(429, "3600".to_owned()), (429, date_in(3_600)), (503, date_in(3_600))]
    {
        let server =
            Server::start(move |_| Say::status(status, &[("retry-after", &retry_after)], ""));
        match client().ask(&etiquette(), &request(&server)).await {
            Err(PortError::Limited { retry_after: Some(after), .. }) => {
                assert!((3_500..=3_600).contains(&after.as_secs()), "{after:?}");
            }
            other => panic!("{other:?}"),
        }
        assert_eq!(server.seen().len(), 1);
    }
}

#[tokio::test]
async fn a_server_that_never_ends_is_ended() {
    let drip = |pause| Say::Pieces {
        head: "HTTP/1.1 200 OK\r\ncontent-type: text/html\r\n\r\n",
        piece: if pause { vec![b'x'] } else { vec![b'x'; 10_000] },
        pause: Duration::from_millis(if pause { 5 } else { 0 }),
    };
    for slow in [true, false] {
        let server = Server::start(move |_| drip(slow));
        // The deadline ends a dripping reply, the limit a flooding one, however slow the machine is.
        let deadline = if slow { Duration::from_millis(200) } else { Duration::from_secs(60) };
        let settings = Settings { page_timeout: deadline, body_bytes: 1 << 20, ..settings() };
        let client = Client::new(settings, None).unwrap();
        let etiquette = Etiquette { deadline, ..etiquette() };
        let page = client.fetch(&server.url("/")).await.unwrap_err();
        let reply = client.ask(&etiquette, &request(&server)).await.unwrap_err();
        for error in [page, reply] {
            if slow {
                assert!(matches!(error, PortError::TimedOut { .. }), "{error}");
            } else {
                assert!(
                    error.to_string().contains("more than the limit of 1048576 bytes"),
                    "{error}"
                );
            }
        }
        assert_eq!(server.seen().len(), 2, "neither is tried again");
    }
}

#[tokio::test]
async fn a_body_may_have_its_limit_and_not_one_byte_more() {
    let limit = small().body_bytes;
    for (length, chunked) in [(limit, false), (limit, true), (limit + 1, false), (limit + 1, true)]
    {
        let server = Server::start(move |_| {
            let body = "x".repeat(length);
            if chunked {
                Say::Raw(
                    format!(
                        "{HEAD}transfer-encoding: chunked\r\n\r\n{length:x}\r\n{body}\r\n0\r\n\r\n"
                    )
                    .into(),
                )
            } else {
                Say::json(&body)
            }
        });
        let reply = Client::new(small(), None).unwrap().ask(&etiquette(), &request(&server)).await;
        assert_eq!(reply.is_ok(), length == limit, "{length} {chunked}");
    }
}

// proves: A2
#[tokio::test]
async fn a_key_goes_to_no_other_host_by_a_redirect() {
    for status in [301, 302, 303, 307, 308] {
        let other = Server::start(|_| Say::json("{}"));
        let location = other.url(&format!("/?key={KEY}"));
        let server = Server::start(move |_| Say::redirect(status, &location));
        let error = client().ask(&etiquette(), &request(&server)).await.unwrap_err();
        assert_eq!(other.connections(), 0);
        assert_eq!(server.seen().len(), 1);
        let reason = "a redirect to 127.0.0.1, which is not followed".to_owned();
        assert_eq!(error, PortError::Refused { service: "Gulls".into(), status, reason });
    }
}

#[tokio::test]
async fn half_a_key_at_the_end_of_an_excerpt_is_not_shown_either() {
    let server = Server::start(|seen| {
        let before = "x".repeat(280 + seen.number);
        Say::status(400, &[("content-type", "text/plain")], &format!("{before}{KEY}"))
    });
    for _ in 0..20 {
        let error = client().ask(&etiquette(), &request(&server)).await.unwrap_err();
        assert!(!error.to_string().contains("cana"), "{error}");
    }
}

#[tokio::test]
async fn nobody_at_the_address_is_unreachable_and_names_the_service() {
    let gone = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/", gone.local_addr().unwrap());
    drop(gone);
    let error = client().ask(&etiquette(), &Request::get(Url::parse(&url).unwrap())).await;
    assert!(matches!(error, Err(PortError::Unreachable { ref service, .. }) if service == "Gulls"));
    let error = client().fetch(&url).await;
    assert!(matches!(error, Err(PortError::Unreachable { .. })), "{error:?}");
}

#[tokio::test]
async fn a_compressed_body_is_read() {
    // "{}" compressed with gzip.
    let gzip: &[u8] = &[
        0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3, 0xab, 0xae, 0x05, 0x00, 0x43, 0xbf, 0xa6, 0xa3, 2, 0,
        0, 0,
    ];
    for cut in [0, 1, 9] {
        let body = gzip[..gzip.len() - cut].to_vec();
        let headers = vec![("content-encoding", "gzip".to_owned())];
        let server = Server::start(move |_| Say::Whole {
            status: 200,
            headers: headers.clone(),
            body: body.clone(),
        });
        let reply = client().ask(&etiquette(), &request(&server)).await;
        assert_eq!(reply.is_ok(), cut == 0, "without the last {cut} bytes: {reply:?}");
        let seen = server.seen();
        assert!(seen[0].header("accept-encoding").is_some_and(|wanted| wanted.contains("gzip")));
    }
}
