//! The HTTP clients: none follows redirects or uses a proxy.

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use reqwest::Client;
use reqwest::header::HeaderValue;

use run::error::PortError;

use crate::address::{Guard, Lookup, Resolver, Way};
use crate::settings::Settings;

/// Clients that are created on first use, since each reads the system's certificates.
pub(super) struct Http {
    name: HeaderValue,
    connect_timeout: Duration,
    idle_timeout: Duration,
    guard: Arc<Guard>,
    lookup: Arc<dyn Lookup>,
    services: OnceLock<Client>,
    servers: OnceLock<Client>,
    public: OnceLock<Client>,
    named: OnceLock<Client>,
}

impl Http {
    pub(super) fn new(
        settings: &Settings,
        guard: Arc<Guard>,
        lookup: Arc<dyn Lookup>,
    ) -> Result<Http, PortError> {
        let mut name = concat!("quaestio/", env!("CARGO_PKG_VERSION")).to_owned();
        if let Some(contact) = &settings.contact {
            name = format!("{name} (mailto:{})", contact.trim());
        }
        let name = HeaderValue::try_from(name).map_err(|_| PortError::Invalid {
            what:
                "the contact address contains a character that is not allowed, perhaps a line break"
                    .into(),
        })?;
        Ok(Http {
            name,
            connect_timeout: settings.connect_timeout,
            idle_timeout: settings.idle_timeout,
            guard,
            lookup,
            services: OnceLock::new(),
            servers: OnceLock::new(),
            public: OnceLock::new(),
            named: OnceLock::new(),
        })
    }

    /// Returns the client for services, whose addresses come from the configuration.
    pub(super) fn services(&self) -> Result<&Client, PortError> {
        self.made(&self.services, None, Some(self.idle_timeout))
    }

    /// Returns the client for MCP servers, whose addresses come from the configuration. A tool may be silent for as long as it works.
    pub(super) fn servers(&self) -> Result<&Client, PortError> {
        self.made(&self.servers, None, None)
    }

    /// Returns the client for pages, which connects only to addresses that `way` allows.
    pub(super) fn pages(&self, way: Way) -> Result<&Client, PortError> {
        let made = match way {
            Way::Public => &self.public,
            Way::Named => &self.named,
        };
        self.made(made, Some(way), Some(self.idle_timeout))
    }

    fn made<'a>(
        &self,
        made: &'a OnceLock<Client>,
        way: Option<Way>,
        idle_timeout: Option<Duration>,
    ) -> Result<&'a Client, PortError> {
        if let Some(http) = made.get() {
            return Ok(http);
        }
        let mut http = Client::builder()
            .user_agent(self.name.clone())
            // A redirect would carry a key to another host, or a page's address past its check.
            .redirect(reqwest::redirect::Policy::none())
            .referer(false)
            .connect_timeout(self.connect_timeout)
            .tcp_nodelay(true)
            // A proxy would connect to addresses that were never checked.
            .no_proxy();
        if let Some(idle_timeout) = idle_timeout {
            http = http.read_timeout(idle_timeout);
        }
        if let Some(way) = way {
            let (guard, lookup) = (Arc::clone(&self.guard), Arc::clone(&self.lookup));
            http = http.dns_resolver(Arc::new(Resolver { guard, way, lookup }));
        }
        let http = http.build().map_err(|error| PortError::Invalid {
            what: format!("could not set up connections: {}", error.without_url()),
        })?;
        Ok(made.get_or_init(|| http))
    }
}
