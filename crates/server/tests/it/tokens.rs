//! Who is let in, who is told to wait, and where a token is never seen.

use serde_json::json;
use server::{Bound, Config, ServeError, Tokens};

use crate::contract::Told;
use crate::raw::ask;
use crate::stage::{ALICE, BOB, Stage, Wanted, tree};

// proves: F8
#[tokio::test(flavor = "multi_thread")]
async fn only_a_token_in_its_place_lets_somebody_in() {
    let stage = Stage::with(Wanted::with_users()).await;
    let host = format!("Host: {}", stage.address);
    let get = async |path: &str, header: &str| {
        let line = format!("GET {path} HTTP/1.1");
        let raw = ask(stage.address, &[&line, &host, header], b"").await;
        assert!(!raw.text().contains(ALICE) && !raw.head.contains(ALICE), "{line} {header}");
        raw
    };
    let scheme = |token: &str| format!("Authorization: Bearer {token}");
    let cookie = |value: &str| format!("Cookie: theme=dark; quaestio_session={value}; x=y");
    for good in [scheme(ALICE), format!("Authorization: bearer   {ALICE}"), cookie(ALICE)] {
        for path in ["/api/runs", "/api/settings", "/metrics"] {
            assert_eq!(get(path, &good).await.status, 200, "{path} {good}");
        }
    }
    let longer = format!("{ALICE}x");
    let in_query = format!("/api/runs?token={ALICE}&access_token={ALICE}");
    for (path, bad) in [
        ("/api/runs", "X-Nothing: 1".to_owned()),
        ("/metrics", "X-Nothing: 1".to_owned()),
        (in_query.as_str(), "X-Nothing: 1".to_owned()),
        ("/api/runs", format!("X-Token: {ALICE}")),
        ("/api/runs", scheme(&ALICE.to_uppercase())),
        ("/api/runs", scheme(&longer)),
        ("/api/runs", scheme(&ALICE[1..])),
        ("/api/runs", scheme("")),
        ("/api/runs", format!("Authorization: {ALICE}")),
        ("/api/runs", format!("Authorization: Basic {ALICE}")),
        ("/api/runs", format!("Cookie: other={ALICE}")),
        ("/api/runs", cookie(&longer)),
        ("/api/runs/nobody/events", cookie("alice")),
    ] {
        let raw = get(path, &bad).await;
        assert_eq!(raw.status, 401, "{path} {bad}");
        assert_eq!(raw.header("www-authenticate"), Some("bearer"));
        assert!(raw.text().contains("urn:quaestio:problem:unauthorised"));
    }
    // What a page needs to show its sign-in, and a monitor, is there for everybody.
    for path in [
        "/",
        "/page/0123456789abcdef/style.css",
        "/health/live",
        "/health/ready",
        "/openapi.json",
        "/api/session",
    ] {
        assert_eq!(get(path, "X-Nothing: 1").await.status, 200, "{path}");
    }
}

// proves: F8
#[tokio::test(flavor = "multi_thread")]
async fn whoever_guesses_tokens_is_soon_told_to_wait() {
    // Each way of guessing has a server of its own.
    for way in 0..4 {
        let stage = Stage::with(Wanted::with_users()).await;
        let mut limited = None;
        for number in 0..40 {
            let wrong = format!("wrong-wrong-wrong-{number:04}");
            let runs = stage.client.get(stage.url("/api/runs"));
            let session = stage.url("/api/session");
            let request = match way {
                0 => runs.bearer_auth(&wrong),
                1 => runs.header("cookie", format!("quaestio_session={wrong}")),
                2 => stage.client.post(session).json(&json!({ "token": wrong })),
                _ => stage.client.get(session).bearer_auth(&wrong),
            };
            let told = Told::by(request).await;
            let bytes = String::from_utf8_lossy(&told.bytes).into_owned();
            assert!(!bytes.contains(&wrong), "{bytes}");
            if told.status == 429 {
                limited = Some(told);
                break;
            }
            assert!(told.status == 401 || (way == 3 && told.body["signed_in"] == false));
        }
        let limited = limited.unwrap_or_else(|| panic!("way {way} is open to guesses"));
        assert_eq!(limited.kind(), "limited");
        assert!(limited.header("retry-after").parse::<u64>().unwrap() >= 1);
        // Whoever is known is not held up.
        let request = stage.client.get(stage.url("/api/runs")).bearer_auth(ALICE);
        assert_eq!(Told::by(request).await.status, 200);
        assert_eq!(Told::by(stage.client.get(stage.url("/health/live"))).await.status, 200);
    }
}

// proves: F8
#[tokio::test(flavor = "multi_thread")]
async fn no_token_is_in_anything_that_is_answered_counted_or_kept() {
    let stage = Stage::with(Wanted::with_users()).await;
    let told =
        Told::by(stage.client.post(stage.url("/api/session")).json(&json!({ "token": ALICE })))
            .await;
    assert!(told.header("set-cookie").contains(ALICE), "the cookie is the only place");
    let order = json!({ "method": "steps", "question": "1" });
    let request = stage.client.post(stage.url("/api/runs")).bearer_auth(ALICE).json(&order);
    let run = Told::by(request).await.text("/run_id");
    let mut all = Vec::new();
    for target in [
        format!("/api/runs/{run}/events"),
        format!("/api/runs/{run}"),
        format!("/api/runs/{run}/result"),
        format!("/api/runs/{run}/export?format=json"),
        "/api/runs?limit=0".to_owned(),
        "/api/nothing".to_owned(),
        "/api/session".to_owned(),
        "/api/settings".to_owned(),
        "/metrics".to_owned(),
    ] {
        for header in [format!("Bearer {ALICE}"), format!("Bearer {BOB}")] {
            let request = stage.client.get(stage.url(&target)).header("authorization", header);
            all.extend(Told::by(request).await.bytes);
        }
    }
    for (status, body) in [(400, "{"), (422, "{\"token\": 1}"), (422, "{}")] {
        let request = stage.client.post(stage.url("/api/runs")).bearer_auth(ALICE);
        let told = Told::by(request.header("content-type", "application/json").body(body)).await;
        assert_eq!(told.status, status);
        all.extend(told.bytes);
    }
    let folder = stage.stop().await;
    for path in tree(folder.path()) {
        all.extend(std::fs::read(folder.path().join(path)).unwrap_or_default());
    }
    let text = String::from_utf8_lossy(&all);
    assert!(text.contains("1 steps"), "this would be found");
    for token in [ALICE, BOB] {
        assert!(!text.contains(token));
    }
}

// proves: F8
#[tokio::test(flavor = "multi_thread")]
async fn an_address_that_others_can_reach_is_not_taken_without_tokens() {
    let config = |listen: &str, tokens: &str| Config {
        listen: Some(listen.parse().unwrap()),
        hosts: vec![],
        user: "local".into(),
        tokens: Tokens::read(tokens).unwrap(),
        max_connections: 1,
        max_running: 1,
        max_queued: 1,
        requests_per_second: std::num::NonZeroU32::MIN,
        upload_bytes: 1,
        question_chars: 1,
        uploads: std::env::temp_dir().join("never-made"),
        keep_ended: None,
        metrics_listen: None,
        sharing: false,
        metrics_tokens: Tokens::default(),
        drain: std::time::Duration::ZERO,
        quotas: server::Quotas::default(),
    };
    for listen in [
        "0.0.0.0:0",
        "[::]:0",
        "192.168.1.2:0",
        "10.0.0.1:0",
        "169.254.1.1:0",
        "8.8.8.8:0",
        "[::ffff:192.168.1.2]:0",
        "[fe80::1]:0",
        "[fd00::1]:0",
    ] {
        let refused = Bound::bind(config(listen, "")).await;
        let error = refused.err().unwrap_or_else(|| panic!("{listen} was taken"));
        assert!(matches!(error, ServeError::Open { .. }), "{listen}: {error}");
        assert!(error.to_string().contains("no user tokens"), "{error}");
    }
    for listen in ["127.0.0.1:0", "127.0.0.9:0"] {
        let bound = Bound::bind(config(listen, "")).await;
        let address = bound.unwrap_or_else(|error| panic!("{listen}: {error}")).address();
        assert!(address.is_some_and(|address| address.port() != 0), "{listen}");
    }
    let tokens = format!("alice {ALICE}");
    let bound = Bound::bind(config("0.0.0.0:0", &tokens)).await;
    assert!(bound.is_ok(), "with tokens it is");
    assert!(!config("0.0.0.0:0", &tokens).uploads.exists());
    let open = Some("0.0.0.0:0".parse().unwrap());
    let monitored = Config { metrics_listen: open, ..config("127.0.0.1:0", &tokens) };
    let refused = Bound::bind(monitored.clone()).await.err();
    assert!(matches!(refused, Some(ServeError::OpenMetrics { .. })), "{refused:?}");
    let metrics_tokens = Tokens::read(&format!("metrics {BOB}")).unwrap();
    assert!(Bound::bind(Config { metrics_tokens, ..monitored }).await.is_ok());
    let shown = format!("{:?}", config("0.0.0.0:0", &tokens));
    assert!(!shown.contains(ALICE), "{shown}");
}
