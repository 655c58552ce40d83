//! Tests how pages are fetched.

use super::*;

// proves: A2
#[tokio::test]
async fn a_page_is_found_where_it_has_moved_to_and_named_by_that() {
    let server = Server::start(|seen| match seen.path.as_str() {
        "/" => Say::redirect(301, "a/b?c#part"),
        "/a/b?c" => Say::redirect(307, "//localhost/x/../page"),
        "/page" => Say::html("<p>Gulls"),
        _ => Say::status(404, &[], ""),
    });
    let port = server.address().port();
    let script = server.url("/page");
    let redirect = Server::start(move |_| Say::redirect(302, &script));
    let fetched = client().fetch(&redirect.url("/#top")).await.unwrap();
    let page = Fetched {
        url: server.url("/page"),
        media_type: "text/html".into(),
        charset: Some("utf-8".into()),
        bytes: b"<p>Gulls".to_vec(),
    };
    assert_eq!(fetched, page);
    // The name is allowed on this port, and nothing about one host is passed to the next.
    let named = format!("localhost:{port}");
    let settings =
        Settings { private_hosts: vec![named.clone(), "127.0.0.1".into()], ..settings() };
    let fetched = with_names(settings).fetch(&format!("http://{named}/page")).await.unwrap();
    assert_eq!(fetched.url, format!("http://{named}/page"));
    for seen in server.seen().iter().chain(&redirect.seen()) {
        for header in ["referer", "cookie", "authorization"] {
            assert_eq!(seen.header(header), None);
        }
        assert!(!seen.path.contains('#'));
    }
}

#[tokio::test]
async fn cookies_are_neither_taken_nor_sent() {
    let server = Server::start(|seen| match seen.number {
        1 => Say::status(302, &[("location", "/next"), ("set-cookie", "a=b")], ""),
        _ => Say::html("x"),
    });
    client().fetch(&server.url("/")).await.unwrap();
    assert_eq!(server.seen()[1].header("cookie"), None);
}

#[tokio::test]
async fn only_so_many_redirects_are_followed() {
    let server = Server::start(|seen| {
        let left: usize = seen.path[1..].parse().unwrap();
        if left == 0 { Say::html("x") } else { Say::redirect(302, &format!("/{}", left - 1)) }
    });
    assert!(client().fetch(&server.url("/5")).await.is_ok());
    assert_eq!(server.seen().len(), 6);
    let error = client().fetch(&server.url("/6")).await.unwrap_err();
    assert!(error.to_string().contains("more than 5 redirects"), "{error}");
    assert_eq!(server.seen().len(), 12, "it is not tried again");
}

#[tokio::test]
async fn a_redirect_that_leads_nowhere_and_a_page_that_is_none_are_told() {
    for (say, message) in [
        (Say::status(302, &[], ""), "a redirect that leads nowhere"),
        (Say::status(302, &[("location", "http://[")], ""), "a redirect that leads nowhere"),
        (Say::redirect(302, "ftp://example.org/"), "only http and https"),
        (Say::redirect(302, "file:///etc/passwd"), "only http and https"),
        (Say::redirect(302, "http://me@127.0.0.1/"), "user name or password"),
        (Say::status(204, &[], ""), "no page"),
        (Say::status(206, &[], "x"), "no page"),
        (Say::status(300, &[], "x"), "no page"),
        (Say::status(404, &[], "gone"), "status 404: gone"),
        (Say::status(200, &[("content-type", "video/mp4")], "x"), "sends a film (video/mp4)"),
        (Say::status(200, &[("content-type", "application/zip")], "x"), "sends an archive"),
    ] {
        let server = Server::start(move |_| say.clone());
        let error = client().fetch(&server.url("/")).await.unwrap_err();
        assert!(error.to_string().contains(message), "{error}");
        assert_eq!(server.seen().len(), 1, "{error}");
    }
}

// proves: A2
#[tokio::test]
async fn a_page_is_kept_as_it_came_and_asked_about_only_where_it_was_found() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(|seen| match (seen.path.as_str(), seen.header("if-none-match")) {
        ("/old", _) => Say::redirect(301, "/new.pdf"),
        (_, Some("\"1\"")) => Say::status(304, &[], ""),
        _ => {
            let headers =
                vec![("content-type", "application/pdf".to_owned()), ("etag", "\"1\"".to_owned())];
            Say::Whole { status: 200, headers, body: b"%PDF-1.7\0\xff".to_vec() }
        }
    });
    let fetch = async |fresh: u64, network| {
        let page_fresh_for = Duration::from_secs(fresh);
        let settings = Settings { page_fresh_for, network, ..settings() };
        keeping(folder.path(), settings).fetch(&server.url("/old")).await.unwrap()
    };
    let first = fetch(1_000, Network::Usual).await;
    assert_eq!(
        (first.url.as_str(), first.charset.as_deref()),
        (server.url("/new.pdf").as_str(), None)
    );
    assert_eq!(first.bytes, b"%PDF-1.7\0\xff");
    assert_eq!(fetch(1_000, Network::Usual).await, first);
    assert_eq!(fetch(0, Network::Cached).await, first);
    assert_eq!(server.seen().len(), 2);
    assert_eq!(fetch(0, Network::Usual).await, first);
    let asked: Vec<_> =
        server.seen().iter().map(|seen| seen.header("if-none-match").is_some()).collect();
    assert_eq!(asked, [false, false, false, true]);
    assert_eq!(fetch(1_000, Network::Refresh).await, first);
    assert_eq!(server.seen()[5].header("if-none-match"), None);
}

#[tokio::test]
async fn a_page_that_fails_for_a_while_is_fetched_in_the_end() {
    let server = Server::start(|seen| match seen.number {
        1 => Say::status(503, &[], ""),
        2 => Say::Reset(b"HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nx".to_vec()),
        _ => Say::html("x"),
    });
    assert_eq!(client().fetch(&server.url("/")).await.unwrap().bytes, b"x");
}

#[tokio::test]
async fn a_host_that_limits_its_callers_is_left_alone_and_others_are_not() {
    let server = Server::start(|_| Say::status(429, &[("retry-after", "3600")], ""));
    let page = Server::start_at("127.0.0.2:0", |_| Say::html("x")).unwrap();
    let private_hosts = vec!["127.0.0.0/8".to_owned()];
    let client = Client::new(Settings { private_hosts, ..settings() }, None).unwrap();
    for path in ["/", "/other"] {
        let error = client.fetch(&server.url(path)).await.unwrap_err();
        assert!(matches!(error, PortError::Limited { retry_after: Some(_), .. }), "{error}");
    }
    assert_eq!(server.seen().len(), 1);
    assert!(client.fetch(&page.url("/")).await.is_ok());
}

#[tokio::test]
async fn what_a_servers_label_leaves_open_is_for_the_reader_to_judge() {
    for media_type in ["application/download", "application/unknown", "*/*", "application/json"] {
        let server =
            Server::start(move |_| Say::status(200, &[("content-type", media_type)], "%PDF-"));
        let page = client().fetch(&server.url("/")).await.unwrap();
        assert_eq!((page.media_type.as_str(), page.bytes.as_slice()), (media_type, &b"%PDF-"[..]));
    }
}

/// Returns a client that resolves every name to this machine, and counts pages of arxiv.org as those of the service at `api`.
fn with_shared(api: &Server, spacing: Duration) -> (Client, Etiquette) {
    let etiquette = Etiquette { name: "arXiv", spacing, at_once: 1, ..etiquette() };
    let private_hosts = vec!["127.0.0.0/8".to_owned()];
    let mut client = with_names(Settings { private_hosts, page_attempts: 1, ..settings() });
    client.share("arxiv.org", &etiquette, &Url::parse(&api.url("/")).unwrap());
    (client, etiquette)
}

fn plain_request(server: &Server) -> Request {
    Request::get(Url::parse(&server.url("/api/query")).unwrap())
}

// proves: A2
#[tokio::test]
async fn pages_of_arxiv_and_its_interface_keep_one_pace() {
    let server = Server::start(|_| Say::html("x"));
    let port = server.address().port();
    let page = |host: &str| format!("http://{host}:{port}/pdf/1");
    for hosts in [["arxiv.org", "export.arxiv.org"], ["ARXIV.org.", "static.arxiv.org"]] {
        for first in ["interface", "page"] {
            let (client, etiquette) = with_shared(&server, Duration::from_hours(1));
            let before = server.seen().len();
            if first == "page" {
                client.fetch(&page(hosts[0])).await.unwrap();
                let late = client.ask(&etiquette, &plain_request(&server)).await.unwrap_err();
                assert!(
                    late.to_string().contains("too many other requests were waiting"),
                    "{late}"
                );
            } else {
                client.ask(&etiquette, &plain_request(&server)).await.unwrap();
            }
            for host in hosts {
                let late = client.fetch(&page(host)).await.unwrap_err();
                assert!(
                    late.to_string().contains("too many other requests were waiting"),
                    "{late}"
                );
            }
            assert_eq!(server.seen().len(), before + 1);
            for other in ["notarxiv.org", "arxiv.org.example"] {
                client.fetch(&page(other)).await.unwrap();
            }
        }
    }
}

// proves: A2
#[tokio::test]
async fn a_page_of_arxiv_that_is_limited_has_its_interface_rest_too() {
    let server = Server::start(|_| Say::status(429, &[("retry-after", "3600")], ""));
    let (client, etiquette) = with_shared(&server, Duration::ZERO);
    let page = format!("http://arxiv.org:{}/pdf/1", server.address().port());
    assert!(client.fetch(&page).await.is_err());
    let rests = client.ask(&etiquette, &plain_request(&server)).await;
    assert!(matches!(rests, Err(PortError::Limited { retry_after: Some(_), .. })), "{rests:?}");
    assert_eq!(server.seen().len(), 1);
}
