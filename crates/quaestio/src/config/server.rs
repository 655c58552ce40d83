//! What `quaestio serve` offers, to whom, and how much of it.

use std::net::SocketAddr;

use serde::Deserialize;

use super::list;

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ServerConfig {
    pub(crate) listen: String,
    #[serde(deserialize_with = "list")]
    pub(crate) hosts: Vec<String>,
    #[serde(deserialize_with = "list")]
    pub(crate) models: Vec<String>,
    /// Empty means none.
    pub(crate) tokens: String,
    pub(crate) max_connections: u32,
    pub(crate) max_running: u32,
    pub(crate) max_queued: u32,
    pub(crate) requests_per_second: u32,
    pub(crate) upload_bytes: u64,
    pub(crate) question_chars: u64,
    /// 0 means that they are kept.
    pub(crate) keep_days: u32,
    pub(crate) artifacts: bool,
    pub(crate) sharing: Sharing,
    /// Empty means beside everything else.
    pub(crate) metrics_listen: String,
    pub(crate) drain_seconds: u64,
}

/// Whether runs can be shared by links that need no account.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Sharing {
    /// Where other machines can reach the server.
    Auto,
    On,
    Off,
}

impl Sharing {
    pub(crate) fn is_on(self, listen: SocketAddr) -> bool {
        match self {
            Sharing::Auto => !listen.ip().to_canonical().is_loopback(),
            Sharing::On => true,
            Sharing::Off => false,
        }
    }
}

impl ServerConfig {
    /// Returns the first key that cannot be used, and what it must be.
    pub(super) fn wrong(&self) -> Option<(&'static str, String)> {
        let between = |key: &'static str, value: u64, least: u64, most: u64| {
            (!(least..=most).contains(&value)).then(|| (key, format!("{least} to {most}")))
        };
        let must =
            |key: &'static str, fine: bool, what: &str| (!fine).then(|| (key, what.to_owned()));
        let listens = self.listen.parse::<SocketAddr>().is_ok();
        let hosts = self.hosts.iter().all(|host| is_host(host));
        let models = self.models.iter().all(|name| is_model(name));
        let monitored =
            self.metrics_listen.is_empty() || self.metrics_listen.parse::<SocketAddr>().is_ok();
        must("listen", listens, "an address and a port, for example 127.0.0.1:8400")
            .or_else(|| {
                must(
                    "metrics_listen",
                    monitored,
                    "empty, or an address and a port, for example 127.0.0.1:9400",
                )
            })
            .or_else(|| {
                must("hosts", hosts, "host names, such as research.example.org or name:port")
            })
            .or_else(|| must("models", models, "models as provider/name"))
            .or_else(|| between("max_connections", self.max_connections.into(), 1, 100_000))
            .or_else(|| between("max_running", self.max_running.into(), 0, 10_000))
            .or_else(|| between("max_queued", self.max_queued.into(), 1, 1_000_000))
            .or_else(|| between("requests_per_second", self.requests_per_second.into(), 1, 100_000))
            .or_else(|| between("upload_bytes", self.upload_bytes, 1, 1 << 40))
            .or_else(|| between("question_chars", self.question_chars, 1, 1_000_000))
            .or_else(|| between("keep_days", self.keep_days.into(), 0, 36_500))
            .or_else(|| between("drain_seconds", self.drain_seconds, 0, 3_600))
    }
}

/// Tells whether a text is the name or the address of a host as a browser sends it, perhaps with a port.
fn is_host(text: &str) -> bool {
    let (name, port) = match text.rsplit_once(':') {
        Some((name, port)) if !name.contains(':') || name.ends_with(']') => (name, Some(port)),
        _ => (text, None),
    };
    let bare = name.strip_prefix('[').and_then(|name| name.strip_suffix(']'));
    let named = match bare {
        Some(address) => address.parse::<std::net::Ipv6Addr>().is_ok(),
        None => {
            name.len() <= 253
                && name.split('.').all(|label| {
                    !label.is_empty()
                        && label.chars().all(|c| c.is_ascii_alphanumeric() || c == '-')
                })
        }
    };
    named && port.is_none_or(|port| port.parse::<u16>().is_ok_and(|port| port > 0))
}

fn is_model(text: &str) -> bool {
    let parts = text.split_once('/');
    let plain = !text.contains(|c: char| c.is_whitespace() || c.is_control());
    plain && parts.is_some_and(|(provider, name)| !provider.is_empty() && !name.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_host_is_a_name_and_perhaps_a_port() {
        for host in ["research.example.org", "box", "10.0.0.7:8400", "[::1]", "[fe80::1]:80"] {
            assert!(is_host(host), "{host}");
        }
        for text in [
            "",
            "https://a.org",
            "a.org/x",
            "a b",
            "a..b",
            "*.a.org",
            "a.org:",
            "a.org:0",
            "a.org:x",
            "::1",
            "[::1",
            "[x]",
            "a_b",
            "ä.org",
            "a.org:99999",
            "u@a.org",
        ] {
            assert!(!is_host(text), "{text}");
        }
    }

    #[test]
    fn a_model_has_a_provider_and_a_name() {
        assert!(is_model("openai/gpt-4.1-mini") && is_model("openrouter/meta/llama"));
        for text in ["gpt", "/gpt", "openai/", "openai/ gpt", ""] {
            assert!(!is_model(text), "{text}");
        }
    }
}
