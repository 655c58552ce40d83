//! How the outside is asked: who asks, what is kept, how far it may reach, and how long it may take.

use std::path::PathBuf;
use std::time::Duration;

/// What holds for every request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Settings {
    /// An e-mail address under which a service can reach who asks; services are kinder to those who name one.
    pub contact: Option<String>,
    /// Where answers and pages are kept, and what processes tell each other about when a service may be asked again. With none, nothing is
    /// kept, and each process keeps the etiquette by itself.
    pub cache: Option<PathBuf>,
    pub network: Network,
    /// Hosts that a page may be fetched from though they are private: `name`, `name:port`, `10.1.2.3`, `10.1.2.3:8080`, `[::1]:8080`,
    /// `10.0.0.0/8`.
    pub private_hosts: Vec<String>,
    /// The most bytes of an answer or a page, after decompression.
    pub body_bytes: usize,
    pub connect_timeout: Duration,
    /// How long a server may be silent.
    pub idle_timeout: Duration,
    /// The time for one page, redirects, attempts and waits included. A service's own etiquette names the time for its answers.
    pub page_timeout: Duration,
    /// Attempts for one page, the first included.
    pub page_attempts: usize,
    /// The least time between the beginnings of two requests for pages of one host.
    pub page_spacing: Duration,
    /// How long a page is good for without asking again.
    pub page_fresh_for: Duration,
    /// The wait before the second attempt; later ones double it.
    pub retry_delay: Duration,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            contact: None,
            cache: None,
            network: Network::Usual,
            private_hosts: Vec::new(),
            body_bytes: 20 << 20,
            connect_timeout: Duration::from_secs(10),
            idle_timeout: Duration::from_secs(20),
            page_timeout: Duration::from_secs(60),
            page_attempts: 3,
            page_spacing: Duration::from_millis(500),
            page_fresh_for: Duration::from_hours(24),
            retry_delay: Duration::from_secs(1),
        }
    }
}

/// When the network is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Network {
    /// Where the cache has nothing fresh.
    #[default]
    Usual,
    /// Always, whatever the cache holds.
    Refresh,
    /// Never: the cache alone answers, however old what it holds.
    Cached,
}
