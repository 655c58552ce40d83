//! Tests a real client with real sockets against servers that are wrong in the ways of real ones.

mod asking;
mod faults;
mod keeping;
mod pages;
mod reach;
#[cfg(feature = "recorded")]
mod recorded;
pub(crate) mod server;

use std::io;
use std::net::IpAddr;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};

use futures::future::BoxFuture;
use reqwest::header::HeaderValue;

use super::*;
use crate::memory::FolderMemory;
use server::{Say, Server};

/// The key of every test: it must appear in one header to one host and nowhere else.
const KEY: &str = "canary-0123456789abcdef";

/// Settings that wait milliseconds instead of seconds, and allow pages from the test's own servers.
fn settings() -> Settings {
    Settings {
        contact: Some("reader@example.org".into()),
        private_hosts: vec!["127.0.0.1".into()],
        retry_delay: Duration::from_millis(1),
        page_spacing: Duration::ZERO,
        ..Settings::default()
    }
}

/// Returns a client that remembers in a folder.
fn keeping(folder: &Path, settings: Settings) -> Client {
    Client::new(settings, Some(Arc::new(FolderMemory::open(folder).unwrap()))).unwrap()
}

impl Client {
    /// Returns what `read` makes of the service's answer, however old it is.
    async fn said<T>(
        &self,
        etiquette: &Etiquette,
        request: &Request,
        read: impl Fn(&Reply) -> Result<T, PortError>,
    ) -> Result<T, PortError> {
        self.ask_for(etiquette, request, read).await.map(|(value, _)| value)
    }

    /// Returns the service's raw reply.
    async fn ask(&self, etiquette: &Etiquette, request: &Request) -> Result<Reply, PortError> {
        self.ask_for(etiquette, request, |reply| Ok(reply.clone())).await.map(|(reply, _)| reply)
    }
}

fn client() -> Client {
    Client::new(settings(), None).unwrap()
}

fn etiquette() -> Etiquette {
    Etiquette {
        name: "Gulls",
        spacing: Duration::ZERO,
        at_once: 4,
        attempts: 3,
        deadline: Duration::from_secs(30),
        cool_down: Duration::from_secs(600),
        rests_after_failure: false,
        answers: &[404],
        fresh_for: Duration::from_hours(24),
    }
}

/// A request that carries the key.
fn request(server: &Server) -> Request {
    let mut request = Request::get(Url::parse(&server.url("/works?q=gull")).unwrap());
    let mut key = HeaderValue::from_static(KEY);
    key.set_sensitive(true);
    request.headers.push((reqwest::header::HeaderName::from_static("x-api-key"), key));
    request
}

/// Reads JSON as an adapter does.
fn json(reply: &Reply) -> Result<serde_json::Value, PortError> {
    let service = transport::Service { name: "Gulls", key: None };
    serde_json::from_slice(&reply.body)
        .map_err(|error| service.not_json(&reply.body, &reply.media_type, &error))
}

/// Returns whether any file in the folder contains the text in its name or content.
fn stands_in(folder: &Path, text: &str) -> bool {
    std::fs::read_dir(folder).unwrap().any(|entry| {
        let path = entry.unwrap().path();
        let holds = |bytes: &[u8]| bytes.windows(text.len()).any(|part| part == text.as_bytes());
        holds(path.as_os_str().as_encoded_bytes())
            || if path.is_dir() {
                stands_in(&path, text)
            } else {
                holds(&std::fs::read(&path).unwrap())
            }
    })
}

/// A lookup with a fixed answer for each name: `evil.test` always resolves to this machine, `rebind.test` every second time.
#[derive(Default)]
struct Names {
    asked: AtomicUsize,
}

impl Lookup for Names {
    fn addresses(&self, name: String) -> BoxFuture<'static, io::Result<Vec<IpAddr>>> {
        let number = self.asked.fetch_add(1, Ordering::Relaxed);
        let mine = IpAddr::from([127, 0, 0, 1]);
        // Not a public address, so that no test contacts one, but allowed in the tests that use the name; nothing answers there.
        let public = IpAddr::from([192, 0, 2, 1]);
        let addresses = match name.trim_end_matches('.') {
            "rebind.test" if number.is_multiple_of(2) => vec![public],
            "mixed.test" => vec![mine, "::1".parse().unwrap()],
            "mapped.test" => vec!["::ffff:127.0.0.1".parse().unwrap()],
            "wrapped.test" => vec!["::ffff:169.254.169.254".parse().unwrap()],
            "metadata.test" => vec!["169.254.169.254".parse().unwrap()],
            "nothing.test" => vec![],
            _ => vec![mine],
        };
        Box::pin(async move { Ok(addresses) })
    }
}

fn with_names(settings: Settings) -> Client {
    Client::with_lookup(settings, None, Arc::new(Names::default())).unwrap()
}
