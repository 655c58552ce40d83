//! Checks on every request: its origin, its sender and its rate; and the headers of every response that restrict browsers.

use std::net::SocketAddr;

use axum::extract::{ConnectInfo, Request, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

use crate::api::leave_unread;
use crate::mcp;
use crate::openai;
use crate::problem::{Kind, Problem};
use crate::state::Shared;

/// The cookie that holds a signed-in user's token.
pub(crate) const COOKIE: &str = "quaestio_session";
/// The cookie value that makes a browser forget it.
pub(crate) const FORGET: &str = "quaestio_session=; Path=/; HttpOnly; SameSite=Strict; Max-Age=0";

/// The path of the metrics.
const METRICS: &str = "/metrics";
/// What is read by a link.
const SHARED: &str = "/api/shared";
const BELOW_SHARED: &str = "/api/shared/";
/// Below this path a monitor learns whether the process works.
const HEALTH: &str = "/health/";

/// Returns whether everything under a path belongs to a user.
fn is_api(path: &str) -> bool {
    path.starts_with("/api/") || path.starts_with(openai::PATH) || path == mcp::PATH
}

/// Both ends of the connection that a request came over.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Ends {
    pub(crate) local: SocketAddr,
    pub(crate) remote: SocketAddr,
}

/// The sender of a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct User(pub(crate) String);

/// Admits a request that comes from our own page or a program, and from an authorised user.
pub(crate) async fn guard(
    State(app): State<Shared>,
    ConnectInfo(ends): ConnectInfo<Ends>,
    mut request: Request,
    next: Next,
) -> Response {
    let checked = same_origin(&app.config.hosts, ends.local, &request)
        .and_then(|()| admit(&app, ends, &mut request));
    let is_stale =
        session(request.headers()).is_some() && request.extensions().get::<User>().is_none();
    let user = request.extensions().get::<User>().cloned();
    let mut response = match checked {
        Ok(()) => next.run(request).await,
        Err(problem) => {
            leave_unread(request).await;
            problem.into_response()
        }
    };
    if is_stale {
        // A browser would send it with every request, and each would count as a guess.
        let forget = HeaderValue::from_static(FORGET);
        response.headers_mut().entry(header::SET_COOKIE).or_insert(forget);
    }
    harden(response.headers_mut());
    if let Some(user) = user {
        response.extensions_mut().insert(user);
    }
    response
}

/// Checks that the request is meant for this server: refuses a foreign DNS name that points here, and a page of another origin.
fn same_origin(hosts: &[String], local: SocketAddr, request: &Request) -> Result<(), Problem> {
    let headers = request.headers();
    let mut given = headers.get_all(header::HOST).iter();
    let (Some(host), None) = (given.next(), given.next()) else {
        return Err(foreign("the request must have exactly one Host header"));
    };
    let host = host.to_str().unwrap_or_default();
    let in_uri = request.uri().authority().map(|authority| authority.as_str());
    if !is_ours(hosts, local, host) || in_uri.is_some_and(|authority| authority != host) {
        return Err(foreign("this server does not accept that host name"));
    }
    let mut origins = headers.get_all(header::ORIGIN).iter();
    match (origins.next(), origins.next()) {
        (None, _) => {}
        (Some(origin), None) if is_origin_of(origin, host) => {}
        _ => return Err(foreign("the request comes from another origin")),
    }
    let says = |name: &str| headers.get(name).and_then(|value| value.to_str().ok());
    let cross = matches!(says("sec-fetch-site"), Some("cross-site" | "same-site"));
    let follows_link = request.method() == Method::GET
        && says("sec-fetch-mode") == Some("navigate")
        && !is_api(request.uri().path());
    if cross && !follows_link {
        return Err(foreign("the request comes from another site"));
    }
    Ok(())
}

fn foreign(detail: &str) -> Problem {
    Problem::new(
        Kind::Forbidden,
        detail,
        "open the address that `quaestio serve` prints, or add the host name to server.hosts",
    )
}

/// Returns whether `host` names this server: the address the connection came to, a loopback name if that is a loopback address, or a
/// configured name.
fn is_ours(hosts: &[String], local: SocketAddr, host: &str) -> bool {
    let port = local.port();
    let is_with_port = |name: &str| {
        host.strip_prefix(name).is_some_and(|rest| {
            rest.strip_prefix(':') == Some(&port.to_string()) || (rest.is_empty() && port == 80)
        })
    };
    let address = local.ip().to_canonical();
    let address = match address {
        std::net::IpAddr::V6(address) => format!("[{address}]"),
        std::net::IpAddr::V4(address) => address.to_string(),
    };
    is_with_port(&address)
        || (local.ip().to_canonical().is_loopback()
            && ["localhost", "127.0.0.1", "[::1]"].into_iter().any(is_with_port))
        || hosts.iter().any(|name| name == host || is_with_port(name))
}

/// Returns whether a page of that origin was served under that host.
fn is_origin_of(origin: &HeaderValue, host: &str) -> bool {
    let Ok(origin) = origin.to_str() else { return false };
    ["http://", "https://"].into_iter().any(|scheme| origin.strip_prefix(scheme) == Some(host))
}

/// Identifies the sender, if that matters, and limits their rate.
fn admit(app: &Shared, ends: Ends, request: &mut Request) -> Result<(), Problem> {
    let path = request.uri().path();
    let given = token(request.headers());
    if let Some(port) = app.metrics_port {
        let is_theirs = ends.local.port() == port;
        if is_theirs != (path == METRICS) && !(is_theirs && path.starts_with(HEALTH)) {
            return Err(Problem::no_such("page", path));
        }
    }
    if path == METRICS && (app.metrics_port.is_some() || !app.config.metrics_tokens.is_empty()) {
        return monitor(app, ends, given);
    }
    // Whoever reads a shared run says by which link, and that is checked where it is read.
    let is_open = path == "/api/session" || path == SHARED || path.starts_with(BELOW_SHARED);
    let needs_user = (is_api(path) && !is_open) || path == METRICS;
    let user = match app.config.tokens.is_empty() {
        true => Some(app.config.user.clone()),
        false => given.and_then(|token| app.config.tokens.user_of(token)),
    };
    let Some(user) = user else {
        // A wrong token counts as a guess wherever it is sent; a missing one does not.
        if given.is_some() {
            app.limiter.guesses(ends.remote.ip())?;
        }
        if !needs_user {
            return Ok(());
        }
        let hint = "sign in, or send `Authorization: Bearer TOKEN`";
        return Err(Problem::new(Kind::Unauthorised, "you are not signed in", hint));
    };
    if is_upload(request) {
        app.limiter.uploads(&user)?;
    } else if !matches!(*request.method(), Method::GET | Method::HEAD) {
        app.limiter.changes(&user)?;
    }
    request.extensions_mut().insert(User(user));
    Ok(())
}

/// Returns whether the request sends a file.
fn is_upload(request: &Request) -> bool {
    let says = request.headers().get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok());
    let media_type = says.and_then(|says| says.split(';').next()).unwrap_or_default();
    *request.method() == Method::POST
        && media_type.trim().eq_ignore_ascii_case("application/octet-stream")
}

/// Admits a monitor, which needs a metrics token if any is configured.
fn monitor(app: &Shared, ends: Ends, given: Option<&str>) -> Result<(), Problem> {
    let tokens = &app.config.metrics_tokens;
    if tokens.is_empty() || given.is_some_and(|token| tokens.user_of(token).is_some()) {
        return Ok(());
    }
    if given.is_some() {
        app.limiter.guesses(ends.remote.ip())?;
    }
    let hint = "send the metrics token as `Authorization: Bearer TOKEN`";
    Err(Problem::new(Kind::Unauthorised, "the metrics need their own token", hint))
}

/// Returns the token that the request carries.
fn token(headers: &HeaderMap) -> Option<&str> {
    let said = headers.get(header::AUTHORIZATION).and_then(|value| value.to_str().ok());
    // Other schemes are for a proxy in front of this server.
    if let Some((scheme, token)) = said.and_then(|said| said.split_once(' '))
        && scheme.eq_ignore_ascii_case("bearer")
    {
        return Some(token.trim());
    }
    session(headers)
}

/// Returns the token in the cookie.
fn session(headers: &HeaderMap) -> Option<&str> {
    let cookies = headers.get_all(header::COOKIE).iter().filter_map(|value| value.to_str().ok());
    let mut pairs =
        cookies.flat_map(|line| line.split(';')).filter_map(|pair| pair.split_once('='));
    pairs.find(|(name, _)| name.trim() == COOKIE).map(|(_, value)| value.trim())
}

/// The content security policy: run our own scripts, talk to this server, and nothing else.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; \
                      connect-src 'self'; font-src 'none'; form-action 'none'; base-uri 'none'; frame-ancestors 'none'";

fn harden(headers: &mut HeaderMap) {
    let rules = [
        ("content-security-policy", POLICY),
        ("x-content-type-options", "nosniff"),
        ("referrer-policy", "no-referrer"),
        ("cross-origin-opener-policy", "same-origin"),
        ("cross-origin-resource-policy", "same-origin"),
        ("x-frame-options", "DENY"),
        ("permissions-policy", "camera=(), geolocation=(), microphone=()"),
    ];
    for (name, value) in rules {
        headers
            .entry(HeaderName::from_static(name))
            .or_insert_with(|| HeaderValue::from_static(value));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ours(local: &str, hosts: &[&str], host: &str) -> bool {
        let hosts: Vec<String> = hosts.iter().map(|&host| host.to_owned()).collect();
        is_ours(&hosts, local.parse().unwrap(), host)
    }

    // proves: F8
    #[test]
    fn only_the_names_of_this_server_are_answered() {
        for host in ["127.0.0.1:8400", "localhost:8400", "[::1]:8400"] {
            assert!(ours("127.0.0.1:8400", &[], host), "{host}");
        }
        for host in [
            "",
            "127.0.0.1",
            "127.0.0.1:8401",
            "localhost",
            "localhost:84000",
            "LOCALHOST:8400",
            "localhost.:8400",
            "evil.example:8400",
            "127.0.0.1.nip.io:8400",
            "localhost:8400.evil.example",
            "evil.example",
            "0.0.0.0:8400",
            "127.0.0.2:8400",
            "127.1:8400",
            "2130706433:8400",
            "[::ffff:127.0.0.1]:8400",
            "user@localhost:8400",
            "localhost:8400@evil.example",
            " localhost:8400",
            "localhost:8400 ",
            "localhost:08400",
            "localhost:+8400",
            "192.168.1.2:8400",
        ] {
            assert!(!ours("127.0.0.1:8400", &[], host), "{host}");
        }
        assert!(ours("192.168.1.2:8400", &[], "192.168.1.2:8400"));
        assert!(!ours("192.168.1.2:8400", &[], "localhost:8400"));
        assert!(ours("10.0.0.1:8400", &["research.example.org"], "research.example.org"));
        assert!(ours("10.0.0.1:8400", &["research.example.org"], "research.example.org:8400"));
        assert!(!ours("10.0.0.1:8400", &["research.example.org"], "xresearch.example.org"));
        assert!(ours("127.0.0.1:80", &[], "localhost"));
    }
}
