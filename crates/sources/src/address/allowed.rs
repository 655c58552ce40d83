//! The private hosts that a setting names.

use std::net::IpAddr;

use reqwest::Url;

use run::error::PortError;

use super::{names, public, short};

/// Hosts that may be reached although they are not public.
#[derive(Debug, Clone, Default)]
pub(super) struct Allowed {
    hosts: Vec<Host>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Host {
    Name(String, Option<u16>),
    Address(IpAddr, Option<u16>),
    Range(IpAddr, u32),
}

impl Allowed {
    pub(super) fn read(entries: &[String]) -> Result<Allowed, PortError> {
        let read = |entry: &String| {
            host(entry.trim()).ok_or_else(|| PortError::Invalid {
                what: format!(
                    "invalid private host '{}'. Write a name, name:port, 10.1.2.3, 10.1.2.3:8080, [::1]:8080 or 10.0.0.0/8",
                    short(entry)
                ),
            })
        };
        Ok(Allowed { hosts: entries.iter().map(read).collect::<Result<_, _>>()? })
    }

    /// Returns whether the address may be reached on any port.
    pub(super) fn address(&self, address: IpAddr) -> bool {
        !public::is_metadata(address)
            && self.hosts.iter().any(|host| match host {
                Host::Address(allowed, None) => *allowed == address,
                Host::Range(network, bits) => match (*network, address) {
                    (IpAddr::V4(network), IpAddr::V4(address)) => {
                        public::shares(network.into(), address.into(), *bits)
                    }
                    (IpAddr::V6(network), IpAddr::V6(address)) => {
                        public::shares_6(network.into(), address.into(), *bits)
                    }
                    _ => false,
                },
                _ => false,
            })
    }

    /// Returns whether the setting names the address with this port.
    pub(super) fn address_at(&self, address: IpAddr, port: u16) -> bool {
        !public::is_metadata(address) && self.hosts.contains(&Host::Address(address, Some(port)))
    }

    /// Returns whether the setting names this host name, for all ports or this one.
    pub(super) fn name_at(&self, name: &str, port: u16) -> bool {
        self.hosts.iter().any(|host| match host {
            Host::Name(allowed, only) => {
                allowed == names::bare(name) && only.is_none_or(|only| only == port)
            }
            _ => false,
        })
    }
}

fn host(entry: &str) -> Option<Host> {
    if let Some((network, bits)) = entry.split_once('/') {
        let (network, bits) = (network.parse::<IpAddr>().ok()?, bits.parse::<u32>().ok()?);
        let most = if network.is_ipv4() { 32 } else { 128 };
        return (bits <= most).then_some(Host::Range(network, bits));
    }
    if let Ok(address) = entry.parse::<IpAddr>() {
        return Some(Host::Address(address, None));
    }
    if entry.is_empty() || entry.contains(['/', '\\', '@', '?', '#', '%', '*']) {
        return None;
    }
    // The URL parser reads these too, so that both spell a host the same. A scheme without a default port keeps every port visible.
    let url = Url::parse(&format!("http://{entry}/")).ok()?;
    let named = entry.rsplit_once(':').and_then(|(_, port)| port.parse::<u16>().ok());
    let text = url.host_str()?;
    match text.trim_start_matches('[').trim_end_matches(']').parse::<IpAddr>() {
        Ok(address) => {
            Some(Host::Address(address, url.port().or(named.filter(|_| !entry.ends_with(']')))))
        }
        Err(_) => Some(Host::Name(names::bare(text).to_owned(), url.port().or(named))),
    }
}
