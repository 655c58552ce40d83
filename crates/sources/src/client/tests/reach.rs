//! Tests that forbidden addresses are not connected to, however they are named.

use super::*;

/// Starts a server that no one may connect to.
fn secret() -> Server {
    Server::start(|_| Say::html("secret"))
}

fn strict() -> Client {
    with_names(Settings { private_hosts: vec![], ..settings() })
}

// proves: A2
#[tokio::test]
async fn no_spelling_of_this_machine_is_connected_to() {
    let server = secret();
    let port = server.address().port();
    let client = strict();
    for host in [
        "127.0.0.1",
        "127.1",
        "2130706433",
        "0x7f.1",
        "017700000001",
        "0",
        "[::1]",
        "[::]",
        "[::ffff:127.0.0.1]",
        "[::127.0.0.1]",
        "[64:ff9b::7f00:1]",
        "[2002:7f00:1::]",
        "localhost",
        "LOCALHOST.",
        "a.localhost",
        "１２７.0.0.1",
        "127。0。0。1",
        "vm",
        "evil.test",
        "a.evil.test",
        "evil.test.",
        "mixed.test",
        "mapped.test",
        "user:pw@127.0.0.1",
        "user@evil.test",
    ] {
        let error = client.fetch(&format!("http://{host}:{port}/secret")).await.unwrap_err();
        assert!(matches!(error, PortError::Invalid { .. }), "{host}: {error}");
    }
    assert_eq!(server.connections(), 0);
}

// proves: A2
#[tokio::test]
async fn a_name_that_is_public_when_asked_and_private_when_connected_to_reaches_nothing() {
    let server = secret();
    let port = server.address().port();
    let settings = Settings {
        private_hosts: vec!["192.0.2.1".into()],
        connect_timeout: Duration::from_millis(50),
        page_attempts: 4,
        ..settings()
    };
    let client = with_names(settings);
    for _ in 0..4 {
        assert!(client.fetch(&format!("http://rebind.test:{port}/")).await.is_err());
    }
    assert_eq!(server.connections(), 0);
}

#[tokio::test]
async fn the_error_of_a_private_name_says_what_to_do_and_is_not_tried_again() {
    let names = Arc::new(Names::default());
    let lookup: Arc<dyn Lookup> = Arc::clone(&names) as Arc<dyn Lookup>;
    let client = Client::with_lookup(settings(), None, lookup).unwrap();
    let error = client.fetch("http://metadata.test/").await.unwrap_err();
    let what =
        "metadata.test is not a public address; to allow it, add it to `sources.private_hosts`";
    assert_eq!(error, PortError::Invalid { what: what.into() });
    assert_eq!(names.asked.load(Ordering::Relaxed), 1);
    let error = client.fetch("http://nothing.test/").await.unwrap_err();
    assert!(error.to_string().contains("its name has no address"), "{error}");
}

// proves: A2
#[tokio::test]
async fn a_redirect_to_what_must_not_be_reached_is_not_followed_on_any_hop() {
    let server = secret();
    let port = server.address().port();
    for target in [
        format!("http://127.0.0.2:{port}/"),
        format!("//127.0.0.2:{port}/"),
        format!("http://evil.test:{port}/"),
        format!("http://localhost:{port}/"),
        format!("http://0x7f.2:{port}/"),
        format!("http://[::ffff:127.0.0.1]:{port}/"),
        format!("http://127.0.0.1:{port}/"),
    ] {
        for hops in 0..=4 {
            let location = target.clone();
            let door = Server::start(move |seen| {
                let left: usize = seen.path[1..].parse().unwrap();
                match left {
                    0 => Say::redirect(302, &location),
                    left => Say::redirect(302, &format!("/{}", left - 1)),
                }
            });
            // Only this port is allowed, not the machine's other ports.
            let private_hosts = vec![door.address().to_string()];
            let client = with_names(Settings { private_hosts, ..settings() });
            let error = client.fetch(&door.url(&format!("/{hops}"))).await.unwrap_err();
            assert!(error.to_string().contains("is not a public address"), "{target}: {error}");
            assert_eq!(door.seen().len(), hops + 1);
        }
    }
    assert_eq!(server.connections(), 0);
}

// proves: A2
#[tokio::test]
async fn a_host_that_a_setting_names_is_reached_on_its_port_alone() {
    let (server, other) = (secret(), secret());
    let (port, another) = (server.address().port(), other.address().port());
    let private_hosts = ["metadata.test", "wrapped.test", "::/0"].map(str::to_owned).into_iter();
    let private_hosts =
        private_hosts.chain([format!("wiki:{port}"), format!("notes.test:{port}")]).collect();
    let client = with_names(Settings { private_hosts, ..settings() });
    for host in ["wiki", "notes.test"] {
        assert!(client.fetch(&format!("http://{host}:{port}/")).await.is_ok(), "{host}");
        assert!(client.fetch(&format!("http://{host}:{another}/")).await.is_err(), "{host}");
    }
    // Whatever the settings name, a cloud's metadata is not reached.
    for url in ["http://metadata.test/", "http://wrapped.test/", "http://[::ffff:a9fe:a9fe]/"] {
        let error = client.fetch(url).await.unwrap_err();
        assert!(matches!(error, PortError::Invalid { .. }), "{error}");
    }
    assert_eq!((server.connections() > 0, other.connections()), (true, 0));
}

#[tokio::test]
async fn a_range_opens_the_names_that_lead_into_it() {
    let server = secret();
    let url = format!("http://notes.test:{}/", server.address().port());
    let with =
        |host: &str| with_names(Settings { private_hosts: vec![host.to_owned()], ..settings() });
    assert!(with("127.0.0.0/8").fetch(&url).await.is_ok());
    assert!(with("10.0.0.0/8").fetch(&url).await.is_err());
}

#[tokio::test]
async fn what_the_cache_holds_of_a_host_that_is_closed_again_is_not_given() {
    let (server, folder) = (secret(), tempfile::tempdir().unwrap());
    let url = server.url("/");
    assert!(keeping(folder.path(), settings()).fetch(&url).await.is_ok());
    for network in [Network::Usual, Network::Cached] {
        let closed = Settings { private_hosts: vec![], network, ..settings() };
        assert!(keeping(folder.path(), closed).fetch(&url).await.is_err());
    }
}
