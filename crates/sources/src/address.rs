//! Which addresses a page may be fetched from: public ones, and the private ones that a setting names.
//!
//! A URL is judged twice: as it is written, and by the address that its name leads to at the very moment of connecting, so that a name
//! cannot be public for the check and private for the connection. What is public is decided from the ranges that the IANA registries of
//! special-purpose addresses name.

mod allowed;
mod names;
mod public;

use std::net::IpAddr;

use reqwest::Url;

use run::error::PortError;

use allowed::Allowed;

pub(crate) use names::{Lookup, NotPublic, Resolver, System};

/// Judges where a page may be fetched from.
#[derive(Debug, Clone)]
pub(crate) struct Guard {
    allowed: Allowed,
}

/// How the name in a URL is followed to an address.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Way {
    /// To public addresses, and ranges that a setting names.
    Public,
    /// To any address: a setting names this very host.
    Named,
}

impl Guard {
    pub(crate) fn new(private_hosts: &[String]) -> Result<Guard, PortError> {
        Ok(Guard { allowed: Allowed::read(private_hosts)? })
    }

    /// Reads a URL and judges it as it is written; nothing is looked up.
    pub(crate) fn read(&self, url: &str) -> Result<Url, PortError> {
        let url = Url::parse(url).map_err(|error| PortError::Invalid {
            what: format!("'{}' is no URL that can be fetched: {error}", short(url)),
        })?;
        self.judge(&url)?;
        Ok(url)
    }

    /// Judges a URL as it is written, and tells how its name may be followed.
    pub(crate) fn judge(&self, url: &Url) -> Result<Way, PortError> {
        let refuse = |what: String| Err(PortError::Invalid { what });
        if !matches!(url.scheme(), "http" | "https") {
            return refuse(format!(
                "only http and https addresses can be fetched, not {}:",
                short(url.scheme())
            ));
        }
        if !url.username().is_empty() || url.password().is_some() {
            return refuse("an address with a user name or password in it is not fetched".into());
        }
        let (Some(host), Some(port)) = (url.host_str(), url.port_or_known_default()) else {
            return refuse("an address without a host cannot be fetched".into());
        };
        // The parser has brought every spelling of an address to its usual one.
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

    /// Tells whether a connection to this address may be made on any port.
    pub(crate) fn passes(&self, address: IpAddr) -> bool {
        public::is_public(address) || self.allowed.address(address)
    }
}

/// Returns what is said of a host that is not public.
pub(crate) fn private(host: &str) -> PortError {
    PortError::Invalid {
        what: format!(
            "{} is not a public address{}",
            short(host),
            if names::is_metadata(host) {
                ""
            } else {
                "; sources.private_hosts names those that may be reached all the same"
            }
        ),
    }
}

/// Cuts what others wrote to a length that fits an error.
fn short(text: &str) -> String {
    match text.char_indices().nth(120) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests;
