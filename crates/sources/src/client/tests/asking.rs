//! How a service is asked.

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
    let error = Client::new(Settings { contact, ..settings() }).err().unwrap();
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
        tokio::spawn(async move { client.ask_for(&etiquette(), &request, json).await })
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
    let client = Client::new(keeping(folder.path())).unwrap();
    let request = request(&server);
    let limited = |error| match error {
        PortError::Limited { service, retry_after: Some(after) } => (service, after.as_secs()),
        error => panic!("{error}"),
    };
    let hour = ("Gulls".to_owned(), 3_600);
    assert_eq!(limited(client.ask(&etiquette(), &request).await.unwrap_err()), hour);
    for client in [client, Client::new(keeping(folder.path())).unwrap()] {
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
    let headers = [("X-RateLimit-Remaining", "0"), ("X-RateLimit-Reset", "7200")];
    let server = Server::start(move |_| Say::status(200, &headers, "{}"));
    let (client, request) = (client(), request(&server));
    assert!(client.ask(&etiquette(), &request).await.is_ok());
    match client.ask(&etiquette(), &request).await {
        Err(PortError::Limited { retry_after: Some(after), .. }) => {
            assert!(after.as_secs() > 7_000);
        }
        other => panic!("{other:?}"),
    }
    assert_eq!(server.seen().len(), 1);
}
