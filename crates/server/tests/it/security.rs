//! What a page of another site, another name for this machine and a crafted path come to: nothing.

use std::collections::BTreeSet;
use std::path::Path;

use serde_json::json;

use crate::contract::{Contract, Told};
use crate::raw::{Raw, ask};
use crate::stage::{ALICE, Stage, Wanted, tree};

/// Returns an address of every kind: page, asset, API, stream, health, document.
async fn list_routes(stage: &Stage) -> Vec<(&'static str, String)> {
    let run = stage.start("greet", "Hello").await;
    stage.until_status(&run, "waiting").await;
    let mut routes: Vec<(&str, String)> = [
        "/",
        "/page/0123456789abcdef/style.css",
        "/api/session",
        "/api/settings",
        "/api/runs",
        "/api/collections",
        "/health/live",
        "/health/ready",
        "/metrics",
        "/openapi.json",
        "/nothing",
    ]
    .map(|path| ("GET", path.to_owned()))
    .into();
    routes.push(("GET", format!("/api/runs/{run}")));
    routes.push(("GET", format!("/api/runs/{run}/events")));
    routes.push(("POST", format!("/api/runs/{run}/cancel")));
    for debate in ["stream", "ask", "interrupt"] {
        routes.push(("POST", format!("/api/{debate}")));
    }
    routes.push(("DELETE", "/api/session".to_owned()));
    routes
}

const RULES: [(&str, &str); 6] = [
    ("content-security-policy", "default-src 'none'; script-src 'self';"),
    ("content-security-policy", "frame-ancestors 'none'"),
    ("x-content-type-options", "nosniff"),
    ("x-frame-options", "deny"),
    ("referrer-policy", "no-referrer"),
    ("cross-origin-resource-policy", "same-origin"),
];

fn is_hardened(raw: &Raw, what: &str) {
    for (name, rule) in RULES {
        let given = raw.header(name).unwrap_or_default();
        assert!(given.contains(rule), "{what}: {name}: {given}");
    }
    assert!(!raw.head.contains("access-control-"), "{what}: no other origin is let in");
}

fn is_forbidden(raw: &Raw, what: &str) {
    assert_eq!(raw.status, 403, "{what}: {}", raw.text());
    assert_eq!(raw.header("content-type"), Some("application/problem+json"), "{what}");
    assert!(raw.text().contains("urn:quaestio:problem:forbidden"), "{what}");
    is_hardened(raw, what);
}

// proves: F8
#[tokio::test(flavor = "multi_thread")]
async fn a_request_under_another_name_is_refused_on_every_route() {
    let stage = Stage::open().await;
    let port = stage.address.port();
    let mut hosts: Vec<String> = [
        "evil.example",
        "127.0.0.1",
        "localhost",
        "127.0.0.1:1",
        "localhost:80",
        "",
        ":",
        "*",
        "null",
        "127.0.0.1:",
        "/",
        "http://127.0.0.1",
    ]
    .map(str::to_owned)
    .into();
    for name in [
        "evil.example",
        "127.0.0.1.nip.io",
        "localhost.evil.example",
        "127.0.0.1.evil.example",
        "evillocalhost",
        "localhost.",
        "LOCALHOST",
        "LocalHost",
        "0.0.0.0",
        "127.0.0.2",
        "127.1",
        "0",
        "0x7f.0.0.1",
        "0177.0.0.1",
        "2130706433",
        "[::ffff:127.0.0.1]",
        "[::]",
        "::1",
        "[0:0:0:0:0:0:0:1]",
        "192.168.0.1",
        "169.254.169.254",
        "user@localhost",
        "127.0.0.1@evil.example",
        "evil.example#localhost",
        "evil.example,localhost",
        "xn--lcalhost-n4a",
        "l%6fcalhost",
        "lоcalhost",
    ] {
        hosts.push(format!("{name}:{port}"));
    }
    assert_eq!(hosts.len(), 40);
    let routes = list_routes(&stage).await;
    for (number, host) in hosts.iter().enumerate() {
        // Every name on some of the routes, every route under some of the names.
        for (method, path) in routes.iter().skip(number % 3).step_by(3) {
            let what = format!("{method} {path} at '{host}'");
            let line = format!("{method} {path} HTTP/1.1");
            let raw = ask(stage.address, &[&line, &format!("Host: {host}")], b"").await;
            is_forbidden(&raw, &what);
        }
    }
    let own = format!("Host: 127.0.0.1:{port}");
    for (method, path) in &routes {
        let line = format!("{method} {path} HTTP/1.1");
        for lines in [
            vec![line.as_str()],
            vec![&line, &own, "Host: evil.example"],
            vec![&line, "Host: evil.example", &own],
            vec![&line, &own, &own],
        ] {
            is_forbidden(&ask(stage.address, &lines, b"").await, &format!("{lines:?}"));
        }
        let old = format!("{method} {path} HTTP/1.0");
        is_forbidden(&ask(stage.address, &[&old], b"").await, &old);
        // The target of a request to a proxy names a host of its own.
        for target in
            ["http://evil.example", "https://evil.example", &format!("http://localhost:{port}")]
        {
            let line = format!("{method} {target}{path} HTTP/1.1");
            is_forbidden(&ask(stage.address, &[&line, &own], b"").await, &line);
        }
        let line = format!("{method} http://evil.example{path} HTTP/1.1");
        is_forbidden(&ask(stage.address, &[&line, "Host: evil.example"], b"").await, &line);
    }
    for name in ["127.0.0.1", "localhost", "[::1]"] {
        let host = format!("Host: {name}:{port}");
        let raw = ask(stage.address, &["GET /health/live HTTP/1.1", &host], b"").await;
        assert_eq!(raw.status, 200, "{name}");
        is_hardened(&raw, name);
    }
    let absolute = format!("GET http://127.0.0.1:{port}/health/live HTTP/1.1");
    assert_eq!(ask(stage.address, &[&absolute, &own], b"").await.status, 200);
}

// proves: F8
#[tokio::test(flavor = "multi_thread")]
async fn a_page_of_another_origin_is_refused_on_every_route() {
    let stage = Stage::open().await;
    let port = stage.address.port();
    let host = format!("Host: 127.0.0.1:{port}");
    let mut headers: Vec<String> = [
        "Origin: null",
        "Origin:",
        "Origin: http://evil.example",
        "Origin: http://127.0.0.1",
        "Origin: http://127.0.0.1:1",
        "Origin: *",
        "Origin: file://",
        "Origin: chrome-extension://abcdefgh",
        "Sec-Fetch-Site: cross-site",
        "Sec-Fetch-Site: same-site",
    ]
    .map(str::to_owned)
    .into();
    for origin in [
        "http://localhost:PORT",
        "http://[::1]:PORT",
        "http://127.0.0.1.evil.example:PORT",
        "http://evil.example:PORT",
        "http://evil.example@127.0.0.1:PORT",
        "http://127.0.0.1:PORT/",
        "http://127.0.0.1:PORT.evil.example",
        "http://127.0.0.1:PORT http://evil.example",
        "HTTP://127.0.0.1:PORT",
        "ws://127.0.0.1:PORT",
        "ftp://127.0.0.1:PORT",
        "127.0.0.1:PORT",
        "//127.0.0.1:PORT",
    ] {
        headers.push(format!("Origin: {}", origin.replace("PORT", &port.to_string())));
    }
    let routes = list_routes(&stage).await;
    for header in &headers {
        for (method, path) in &routes {
            let line = format!("{method} {path} HTTP/1.1");
            let raw = ask(stage.address, &[&line, &host, header], b"").await;
            is_forbidden(&raw, &format!("{line} with {header}"));
        }
    }
    let own = format!("Origin: http://127.0.0.1:{port}");
    for (method, path) in &routes {
        let line = format!("{method} {path} HTTP/1.1");
        let both =
            ask(stage.address, &[&line, &host, &own, "Origin: http://evil.example"], b"").await;
        is_forbidden(&both, &line);
        // A link on another site leads to the page, never to the API.
        let link = [&line, &host, "Sec-Fetch-Site: cross-site", "Sec-Fetch-Mode: navigate"];
        let raw = ask(stage.address, &link, b"").await;
        if *method != "GET" || path.starts_with("/api/") {
            is_forbidden(&raw, &line);
        } else {
            assert_ne!(raw.status, 403, "{line}");
        }
    }
    let same = ["GET /api/runs HTTP/1.1", &host, &own, "Sec-Fetch-Site: same-origin"];
    assert_eq!(ask(stage.address, &same, b"").await.status, 200);
    let run = &routes.iter().find(|(_, path)| path.ends_with("/cancel")).unwrap().1;
    let (_, state) = stage.get(run.trim_end_matches("/cancel")).await;
    assert_eq!(state["status"], "waiting", "nobody stopped it");
}

// proves: F8
#[tokio::test(flavor = "multi_thread")]
async fn every_answer_tells_a_browser_what_it_may_do_with_it() {
    let stage = Stage::open().await;
    let host = format!("Host: {}", stage.address);
    let json = "Content-Type: application/json";
    let answer = async |stage: &Stage, lines: &[&str], body: &str| -> u16 {
        let raw = ask(stage.address, lines, body.as_bytes()).await;
        is_hardened(&raw, lines[0]);
        raw.status
    };
    for (status, lines, body) in [
        (200, vec!["GET / HTTP/1.1"], ""),
        (200, vec!["HEAD / HTTP/1.1"], ""),
        (200, vec!["GET /page/0123456789abcdef/style.css HTTP/1.1"], ""),
        (200, vec!["GET /api/runs HTTP/1.1"], ""),
        (400, vec!["POST /api/runs HTTP/1.1", "Content-Length: 1", json], "{"),
        (403, vec!["GET /api/runs HTTP/1.1", "Origin: null"], ""),
        (404, vec!["GET /page/nothing.css HTTP/1.1"], ""),
        (404, vec!["OPTIONS * HTTP/1.1"], ""),
        (405, vec!["PATCH /api/runs HTTP/1.1"], ""),
        (415, vec!["POST /api/runs HTTP/1.1", "Content-Length: 2"], "{}"),
        (422, vec!["POST /api/runs HTTP/1.1", "Content-Length: 2", json], "{}"),
        (422, vec!["GET /api/runs?limit=0 HTTP/1.1"], ""),
    ] {
        let lines: Vec<&str> = lines.into_iter().chain([host.as_str()]).collect();
        assert_eq!(answer(&stage, &lines, body).await, status, "{lines:?}");
    }
    let slow = Stage::with(Wanted { requests_per_second: 1, ..Wanted::with_users() }).await;
    let host = format!("Host: {}", slow.address);
    assert_eq!(answer(&slow, &["GET /api/runs HTTP/1.1", &host], "").await, 401);
    let alice = format!("Authorization: Bearer {ALICE}");
    let change = ["POST /api/runs HTTP/1.1", &host, &alice, json, "Content-Length: 2"];
    let mut tries = 0;
    while answer(&slow, &change, "{}").await != 429 {
        tries += 1;
        assert!(tries < 1_000, "nobody is held up");
    }
}

const TRAVERSALS: [&str; 28] = [
    "..",
    ".",
    "%2e%2e",
    "%2e",
    "..%2f",
    "..%2fgo",
    "%2e%2e%2fgo",
    "%2e%2e/go",
    "../go",
    "../../etc/passwd",
    "..%2f..%2f..%2f..%2fetc%2fpasswd",
    "%2fetc%2fpasswd",
    "/etc/passwd",
    "//etc/passwd",
    "..\\go",
    "..%5cgo",
    "%5c..%5cgo",
    "%00",
    "go%00",
    "go%00.txt",
    "%c0%ae%c0%ae%c0%afgo",
    "%e0%80%ae%e0%80%aego",
    "%252e%252e%252fgo",
    "..;/go",
    "....//go",
    "data",
    "file:%2f%2f%2fetc%2fpasswd",
    "%ef%bc%8e%ef%bc%8e%ef%bc%8fgo",
];

// proves: F8
#[tokio::test(flavor = "multi_thread")]
async fn no_path_leads_to_a_file_of_the_machine() {
    let stage = Stage::open().await;
    std::fs::write(stage.folder.path().join("go"), "1234567 secret").unwrap();
    std::fs::create_dir_all(stage.folder.path().join("uploads")).unwrap();
    let contract = Contract::of(&stage).await;
    let host = format!("Host: {}", stage.address);
    let before = tree(stage.folder.path());
    let mut patterns: Vec<(String, String)> = contract
        .operations()
        .into_iter()
        .filter(|operation| operation.path.contains('{'))
        .map(|operation| (operation.method.to_string(), operation.path))
        .collect();
    patterns.push(("GET".into(), "/page/{path}".into()));
    patterns.push(("GET".into(), "/page/0123456789abcdef/{path}".into()));
    patterns.push(("GET".into(), "/{path}".into()));
    for (method, path) in &patterns {
        let open = path.find('{').unwrap();
        let close = path.find('}').unwrap();
        for crafted in TRAVERSALS {
            let target = format!("{}{crafted}{}", &path[..open], &path[close + 1..]);
            let line = format!("{method} {target} HTTP/1.1");
            let octets = "Content-Type: application/octet-stream";
            let json = "Content-Type: application/json";
            let body: &[u8] = if *method == "POST" || *method == "PUT" { b"{}" } else { b"" };
            let kind = if path.ends_with("/documents") { octets } else { json };
            let length = format!("Content-Length: {}", body.len());
            let raw = ask(stage.address, &[&line, &host, kind, &length], body).await;
            let fits = matches!(raw.status, 400 | 404 | 405 | 422);
            assert!(fits, "{line}: {} {}", raw.status, raw.text());
            let text = raw.text();
            assert!(!text.contains("secret") && !text.contains("root:"), "{line}: {text}");
        }
    }
    for crafted in TRAVERSALS {
        let body = json!({ "name": crafted });
        let (status, _) = stage.post("/api/collections", body).await;
        assert!(status == 422 || crafted == "data", "{crafted}");
    }
    let now: BTreeSet<String> = tree(stage.folder.path());
    let new: Vec<_> = now.difference(&before).filter(|path| !path.starts_with("data/")).collect();
    assert!(new.is_empty(), "{new:?}");
}

// proves: F8
#[tokio::test(flavor = "multi_thread")]
async fn the_name_of_an_upload_never_becomes_a_path() {
    let stage = Stage::open().await;
    stage.go(1);
    let url = stage.url("/api/collections/papers/documents");
    let upload = async |name: &str| {
        let request = stage.client.post(&url).query(&[("name", name)]).body("harmless text");
        Told::by(request.header("content-type", "application/octet-stream")).await
    };
    assert_eq!(upload("first.txt").await.status, 201);
    let before = tree(stage.folder.path());
    for name in TRAVERSALS.into_iter().chain([
        "/tmp/quaestio-planted",
        "C:\\planted",
        "go",
        "CON",
        "a/b/c.txt",
    ]) {
        let told = upload(name).await;
        assert_eq!(told.status, 201, "{name}: {}", told.body);
        assert_eq!(told.body["document"]["path"], name, "a label");
    }
    assert_eq!(tree(stage.folder.path()), before, "nothing came, nothing went");
    assert_eq!(std::fs::read_to_string(stage.folder.path().join("go")).unwrap(), "1");
    assert!(!Path::new("/tmp/quaestio-planted").exists());
}
