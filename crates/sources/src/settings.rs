//! Settings for outside requests: who asks, what is kept, what may be reached, and how long it may take.

use std::time::Duration;

/// The settings for every request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Settings {
    /// An e-mail address at which a service can reach the user; services favour callers who give one.
    pub contact: Option<String>,
    pub network: Network,
    /// Private hosts that pages may be fetched from: `name`, `name:port`, `10.1.2.3`, `10.1.2.3:8080`, `[::1]:8080`, `10.0.0.0/8`.
    pub private_hosts: Vec<String>,
    /// The most bytes of an answer or a page, after decompression.
    pub body_bytes: usize,
    pub connect_timeout: Duration,
    /// The longest time that a server may be silent.
    pub idle_timeout: Duration,
    /// The time for one page, including redirects, attempts and waits. A service's own etiquette sets the time for its answers.
    pub page_timeout: Duration,
    /// Caps the attempts for one request to a service, including the first; `None` leaves them to its etiquette.
    pub most_attempts: Option<usize>,
    /// The attempts for one page, including the first.
    pub page_attempts: usize,
    /// The least time between the starts of two requests for pages of one host.
    pub page_spacing: Duration,
    /// How long a page stays fresh.
    pub page_fresh_for: Duration,
    /// The wait before the second attempt; later ones double it.
    pub retry_delay: Duration,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            contact: None,
            network: Network::Usual,
            private_hosts: Vec::new(),
            body_bytes: 20 << 20,
            connect_timeout: Duration::from_secs(10),
            idle_timeout: Duration::from_secs(20),
            page_timeout: Duration::from_secs(60),
            most_attempts: None,
            page_attempts: 3,
            page_spacing: Duration::from_millis(500),
            page_fresh_for: Duration::from_hours(24),
            retry_delay: Duration::from_secs(1),
        }
    }
}

/// When the network is used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Network {
    /// If the cache has nothing fresh.
    #[default]
    Usual,
    /// Always, whatever the cache holds.
    Refresh,
    /// Never: only the cache answers, however old its content.
    Cached,
}
