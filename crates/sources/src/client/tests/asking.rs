//! Tests how a service is asked.

use super::*;

// proves: A2
#[tokio::test]
async fn a_service_learns_who_asks_and_gets_its_key_and_its_question() {
    let server = Server::start(|_| Say::json("{}"));
    let client = client();
    let mut request = request(&server);
    let reply = client.ask(&etiquette(), &request).await.unwrap();
    let media_type = "application/json".to_owned();
    assert_eq!(reply, Reply { status: 200, media_type, body: b"{}".to_vec() });
    request.json = Some(r#"{"q":"gull"}"#.into());
    client.ask(&etiquette(), &request).await.unwrap();
    let seen = server.seen();
    let name = concat!("quaestio/", env!("CARGO_PKG_VERSION"), " (mailto:reader@example.org)");
    for seen in &seen {
        assert_eq!(seen.header("user-agent"), Some(name));
        assert_eq!(seen.header("x-api-key"), Some(KEY));
        assert_eq!(seen.path, "/works?q=gull");
        assert_eq!(seen.header("referer"), None);
    }
    assert_eq!((seen[0].method.as_str(), seen[0].body.as_str()), ("GET", ""));
    assert_eq!((seen[1].method.as_str(), seen[1].body.as_str()), ("POST", r#"{"q":"gull"}"#));
    assert_eq!(seen[1].header("content-type"), Some("application/json"));
}

#[test]
fn a_contact_that_would_break_a_header_is_refused() {
    let contact = Some("a@example.org\r\nx-evil: 1".to_owned());
    let error = Client::new(Settings { contact, ..settings() }, None).err().unwrap();
    assert!(error.to_string().contains("the contact address"), "{error}");
}

#[tokio::test]
async fn what_a_service_answers_with_is_a_reply_and_what_it_refuses_is_not() {
    let server = Server::start(|seen| {
        let status = seen.path[1..].parse().unwrap();
        Say::status(status, &[("content-type", "text/plain")], "Resource not found.")
    });
    let ask = async |status: u16| {
        let request = Request::get(Url::parse(&server.url(&format!("/{status}"))).unwrap());
        client().ask(&etiquette(), &request).await
    };
    assert_eq!(ask(404).await.unwrap().body, b"Resource not found.");
    for status in [400, 401, 403, 410] {
        let service = "Gulls".to_owned();
        let refused = PortError::Refused { service, status, reason: "Resource not found.".into() };
        assert_eq!(ask(status).await, Err(refused));
    }
    assert_eq!(server.seen().len(), 5, "none of these is asked twice");
}

// proves: A2
#[tokio::test]
async fn no_more_requests_are_under_way_than_the_etiquette_allows() {
    let under_way = Arc::new(AtomicUsize::new(0));
    let most = Arc::new(AtomicUsize::new(0));
    let (now, highest) = (Arc::clone(&under_way), Arc::clone(&most));
    let server = Server::start(move |_| {
        highest.fetch_max(now.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
        std::thread::sleep(Duration::from_millis(20));
        now.fetch_sub(1, Ordering::SeqCst);
        Say::json("{}")
    });
    let (client, etiquette) = (client(), Etiquette { at_once: 2, ..etiquette() });
    let request = request(&server);
    let asks = (0..8).map(|_| client.ask(&etiquette, &request));
    for reply in futures::future::join_all(asks).await {
        reply.unwrap();
    }
    assert!((1..=2).contains(&most.load(Ordering::SeqCst)));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_client_is_shared_between_threads() {
    let server = Server::start(|_| Say::json("{}"));
    let (client, request) = (Arc::new(client()), request(&server));
    let asks = (0..4).map(|_| {
        let (client, request) = (Arc::clone(&client), request.clone());
        tokio::spawn(async move { client.said(&etiquette(), &request, json).await })
    });
    for answer in futures::future::join_all(asks).await {
        assert_eq!(answer.unwrap(), Ok(serde_json::json!({})));
    }
}

// proves: A2
#[tokio::test]
async fn a_service_that_asks_for_more_than_the_deadline_is_left_alone_by_all_who_share_the_folder()
{
    let server = Server::start(|_| Say::status(429, &[("retry-after", "3600")], "slow down"));
    let folder = tempfile::tempdir().unwrap();
    let client = keeping(folder.path(), settings());
    let request = request(&server);
    let limited = |error| match error {
        PortError::Limited { service, retry_after: Some(after) } => (service, after.as_secs()),
        error => panic!("{error}"),
    };
    let hour = ("Gulls".to_owned(), 3_600);
    assert_eq!(limited(client.ask(&etiquette(), &request).await.unwrap_err()), hour);
    for client in [client, keeping(folder.path(), settings())] {
        let (_, seconds) = limited(client.ask(&etiquette(), &request).await.unwrap_err());
        assert!((3_500..=3_600).contains(&seconds), "{seconds}");
    }
    assert_eq!(server.seen().len(), 1);
}

// proves: A2
#[tokio::test]
async fn one_that_says_nothing_of_a_time_is_left_alone_for_its_cool_down() {
    let server = Server::start(|_| Say::status(429, &[], "Rate exceeded."));
    let client = client();
    let etiquette = Etiquette { attempts: 1, ..etiquette() };
    let request = request(&server);
    let first = client.ask(&etiquette, &request).await;
    assert_eq!(first, Err(PortError::Limited { service: "Gulls".into(), retry_after: None }));
    match client.ask(&etiquette, &request).await {
        Err(PortError::Limited { retry_after: Some(after), .. }) => {
            assert!(after <= etiquette.cool_down && after > etiquette.cool_down / 2, "{after:?}");
        }
        other => panic!("{other:?}"),
    }
    assert_eq!(server.seen().len(), 1);
}

#[tokio::test]
async fn a_service_that_is_used_up_by_its_headers_is_not_asked_again() {
    let headers = [("X-RateLimit-Remaining", "0"), ("X-RateLimit-Reset", "1800")];
    let server = Server::start(move |_| Say::status(200, &headers, "{}"));
    let (client, request) = (client(), request(&server));
    assert!(client.ask(&etiquette(), &request).await.is_ok());
    match client.ask(&etiquette(), &request).await {
        Err(PortError::Limited { retry_after: Some(after), .. }) => {
            assert!((1_700..=1_800).contains(&after.as_secs()));
        }
        other => panic!("{other:?}"),
    }
    assert_eq!(server.seen().len(), 1);
}

// proves: A2
#[tokio::test]
async fn one_that_shows_its_limit_by_failing_is_left_alone_for_its_cool_down() {
    let head = b"HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n{".to_vec();
    for (fault, fails) in [
        (Say::status(503, &[], ""), true),
        (Say::status(500, &[], ""), true),
        (Say::Reset(vec![]), true),
        (Say::Raw(head.clone()), true),
        (Say::Stall(vec![]), true),
        (Say::Stall(head), true),
        // A complete reply is an answer, even if unreadable.
        (Say::status(403, &[], ""), false),
        (Say::html("<title>Sorry"), false),
    ] {
        for rests_after_failure in [true, false] {
            let say = fault.clone();
            let server = Server::start(move |_| say.clone());
            let deadline = match fault {
                Say::Stall(_) => Duration::from_millis(300),
                _ => Duration::from_secs(30),
            };
            let etiquette = Etiquette { rests_after_failure, attempts: 1, deadline, ..etiquette() };
            let (client, request) = (client(), request(&server));
            let first = client.said(&etiquette, &request, json).await.unwrap_err();
            assert!(!matches!(first, PortError::Limited { .. }), "{fault:?}: {first}");
            let second = client.said(&etiquette, &request, json).await.unwrap_err();
            let rests = matches!(second, PortError::Limited { retry_after: Some(after), .. } if after > etiquette.cool_down / 2);
            assert_eq!(rests, fails && rests_after_failure, "{fault:?}: {second}");
            assert_eq!(server.seen().len(), if rests { 1 } else { 2 }, "{fault:?}");
        }
    }
}

#[tokio::test]
async fn nobody_rests_for_a_network_that_is_away() {
    let gone = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let url = Url::parse(&format!("http://{}/", gone.local_addr().unwrap())).unwrap();
    drop(gone);
    let (client, request) = (client(), Request::get(url));
    let etiquette = Etiquette { rests_after_failure: true, ..etiquette() };
    for _ in 0..2 {
        let error = client.ask(&etiquette, &request).await.unwrap_err();
        assert!(matches!(error, PortError::Unreachable { .. }), "{error}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_service_is_not_to_blame_for_the_time_that_was_spent_in_line() {
    let server = Server::start(|_| Say::json("{}"));
    let url = Url::parse(&server.url("/")).unwrap();
    let account = Account { name: "Gulls", url: &url, key: None };
    let pace = Paces::new(None).service(account, Duration::ZERO, 1);
    let course = Course { asked: Some((pace, Instant::now())), answered: false };
    let terms = Terms {
        name: "Gulls",
        attempts: 1,
        deadline: Duration::from_secs(16),
        fresh_for: Duration::ZERO,
        cool_down: Duration::from_secs(600),
        rests_after_failure: true,
    };
    let error = PortError::TimedOut { service: "Gulls".into(), seconds: 16, setting: "" };
    tokio::time::advance(Duration::from_secs(7)).await;
    assert_eq!(terms.rest_after(&error, &course), None);
    assert_eq!(terms.rest_after(&error, &Course::default()), None, "it was never asked");
    tokio::time::advance(Duration::from_secs(1)).await;
    assert_eq!(terms.rest_after(&error, &course), Some(terms.cool_down));
}

// proves: A2
#[tokio::test]
async fn one_that_says_in_its_answer_that_it_limits_is_left_alone() {
    let server = Server::start(|_| Say::json(r#"{"error":"rate limit"}"#));
    let folder = tempfile::tempdir().unwrap();
    let client = keeping(folder.path(), settings());
    let (etiquette, request) = (Etiquette { attempts: 1, ..etiquette() }, request(&server));
    let read = |_: &Reply| -> Result<(), PortError> {
        Err(PortError::Limited { service: "Gulls".into(), retry_after: None })
    };
    for told in [false, true] {
        match client.said(&etiquette, &request, read).await {
            Err(PortError::Limited { retry_after, .. }) => assert_eq!(retry_after.is_some(), told),
            other => panic!("{other:?}"),
        }
    }
    assert_eq!(server.seen().len(), 1);
}

// proves: A2
#[tokio::test]
async fn one_that_names_no_time_or_a_past_one_is_still_left_alone_for_a_moment() {
    for retry_after in ["0", "Wed, 21 Oct 2020 07:28:00 GMT"] {
        let server = Server::start(move |_| Say::status(429, &[("retry-after", retry_after)], ""));
        let (client, request) = (client(), request(&server));
        let etiquette = Etiquette { attempts: 1, ..etiquette() };
        assert!(client.ask(&etiquette, &request).await.is_err());
        match client.ask(&etiquette, &request).await {
            Err(PortError::Limited { retry_after: Some(after), .. }) => {
                assert!(after > LEAST_REST / 2 && after <= LEAST_REST, "{after:?}");
            }
            other => panic!("{other:?}"),
        }
        assert_eq!(server.seen().len(), 1);
    }
}

// proves: A2
#[tokio::test]
async fn requests_that_come_at_once_reach_the_service_a_spacing_apart() {
    const COUNT: u32 = 5;
    let server = Server::start(|_| Say::json("{}"));
    let request = request(&server);
    for at_once in [1, COUNT as usize] {
        let spacing = Duration::from_millis(100);
        let (client, etiquette) = (client(), Etiquette { spacing, at_once, ..etiquette() });
        // The first request makes the connection, which takes a while.
        client.ask(&etiquette, &request).await.unwrap();
        let before = std::time::Instant::now();
        let asks = (0..COUNT).map(|_| client.ask(&etiquette, &request));
        for reply in futures::future::join_all(asks).await {
            reply.unwrap();
        }
        // Measured from before the first request, so that a slow connection cannot make the time look shorter.
        let last = server.seen().iter().map(|seen| seen.at).max().unwrap();
        assert!(last - before >= spacing * (COUNT - 1), "{:?}", last - before);
    }
}
