//! The addresses that a page may be fetched from: public ones, and the private ones that a setting names.
//!
//! A URL is judged twice: as written, and by the address that its name resolves to at the moment of connecting. So a name cannot be
//! public for the check and private for the connection. The IANA registries of special-purpose addresses decide what is public.

mod allowed;
mod names;
mod public;

use std::net::IpAddr;

use reqwest::Url;

use run::error::PortError;

use allowed::Allowed;

pub(crate) use names::{Lookup, NotPublic, Resolver, System};

/// Judges whether a page may be fetched from an address.
#[derive(Debug, Clone)]
pub(crate) struct Guard {
    allowed: Allowed,
}

/// The addresses that the name in a URL may resolve to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Way {
    /// Public addresses, and ranges that a setting names.
    Public,
    /// Any address: a setting names this host.
    Named,
}

impl Guard {
    pub(crate) fn new(private_hosts: &[String]) -> Result<Guard, PortError> {
        Ok(Guard { allowed: Allowed::read(private_hosts)? })
    }

    /// Parses a URL and judges it as written, without a lookup.
    pub(crate) fn read(&self, url: &str) -> Result<Url, PortError> {
        let url = Url::parse(url).map_err(|error| PortError::Invalid {
            what: format!("'{}' is not a URL that can be fetched: {error}", short(url)),
        })?;
        self.judge(&url)?;
        Ok(url)
    }

    /// Judges a URL as written, and returns what its name may resolve to.
    pub(crate) fn judge(&self, url: &Url) -> Result<Way, PortError> {
        let refuse = |what: String| Err(PortError::Invalid { what });
        if !matches!(url.scheme(), "http" | "https") {
            return refuse(format!(
                "only http and https addresses can be fetched, not {}:",
                short(url.scheme())
            ));
        }
        if !url.username().is_empty() || url.password().is_some() {
            return refuse("addresses with a user name or password are not fetched".into());
        }
        let (Some(host), Some(port)) = (url.host_str(), url.port_or_known_default()) else {
            return refuse("an address without a host cannot be fetched".into());
        };
        // The parser has normalised every spelling of an address.
        let address = host.trim_start_matches('[').trim_end_matches(']').parse::<IpAddr>();
        let open = match address {
            Ok(address) => self.passes(address) || self.allowed.address_at(address, port),
            Err(_) if self.allowed.name_at(host, port) && !names::is_metadata(host) => {
                return Ok(Way::Named);
            }
            Err(_) => !names::is_private(host),
        };
        if open { Ok(Way::Public) } else { Err(private(host)) }
    }

    /// Returns whether this address may be connected to on any port.
    pub(crate) fn passes(&self, address: IpAddr) -> bool {
        public::is_public(address) || self.allowed.address(address)
    }
}

/// Returns the error for a host that is not public.
pub(crate) fn private(host: &str) -> PortError {
    PortError::Invalid {
        what: format!(
            "{} is not a public address{}",
            short(host),
            if names::is_metadata(host) {
                ""
            } else {
                "; to allow it, add it to `sources.private_hosts`"
            }
        ),
    }
}

/// Cuts untrusted text to a length that fits an error.
fn short(text: &str) -> String {
    match text.char_indices().nth(120) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests;
