//! Names: those that are private as written, and the addresses that the others resolve to.

use std::fmt;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;

use futures::future::BoxFuture;
use reqwest::dns::{Addrs, Name, Resolve, Resolving};

use super::{Guard, Way, public};

/// Endings of names that no public registry assigns.
const PRIVATE_ENDINGS: &[&str] = &["localhost", "local", "localdomain", "internal", "home.arpa"];

/// Returns the name without a trailing dot.
pub(super) fn bare(name: &str) -> &str {
    name.strip_suffix('.').unwrap_or(name)
}

/// Returns whether a lower-case name cannot be on the public internet.
pub(super) fn is_private(name: &str) -> bool {
    let name = bare(name);
    let ends = |ending: &&str| {
        name.strip_suffix(*ending).is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
    };
    !name.contains('.') || name.ends_with('.') || PRIVATE_ENDINGS.iter().any(ends)
}

/// Returns whether a name is that of a cloud's metadata service, which no setting opens.
pub(super) fn is_metadata(name: &str) -> bool {
    matches!(
        bare(name),
        "metadata"
            | "metadata.google.internal"
            | "metadata.goog"
            | "metadata.azure.internal"
            | "metadata.tencentyun.com"
            | "instance-data"
            | "instance-data.ec2.internal"
    )
}

/// Looks up the addresses of a name.
pub(crate) trait Lookup: Send + Sync {
    fn addresses(&self, name: String) -> BoxFuture<'static, io::Result<Vec<IpAddr>>>;
}

/// The system's own lookup.
pub(crate) struct System;

impl Lookup for System {
    fn addresses(&self, name: String) -> BoxFuture<'static, io::Result<Vec<IpAddr>>> {
        Box::pin(async move {
            Ok(tokio::net::lookup_host((name, 0)).await?.map(|found| found.ip()).collect())
        })
    }
}

/// Resolves names for the client, which connects only to the addresses it returns.
pub(crate) struct Resolver {
    pub(crate) guard: Arc<Guard>,
    pub(crate) way: Way,
    pub(crate) lookup: Arc<dyn Lookup>,
}

/// The error for a name that resolves to no address that may be reached.
#[derive(Debug)]
pub(crate) struct NotPublic;

impl fmt::Display for NotPublic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("its name has no public address")
    }
}

impl std::error::Error for NotPublic {}

impl Resolve for Resolver {
    fn resolve(&self, name: Name) -> Resolving {
        let (guard, way) = (Arc::clone(&self.guard), self.way);
        let found = self.lookup.addresses(name.as_str().to_owned());
        Box::pin(async move {
            let mut found = found.await?;
            if found.is_empty() {
                return Err("its name has no address".into());
            }
            found.retain(|address| match way {
                Way::Public => guard.passes(*address),
                Way::Named => !public::is_metadata(*address),
            });
            if found.is_empty() {
                return Err(NotPublic.into());
            }
            let addresses: Addrs =
                Box::new(found.into_iter().map(|address| SocketAddr::new(address, 0)));
            Ok(addresses)
        })
    }
}
