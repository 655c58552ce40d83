//! Names: which are private as they are written, and the addresses that the others lead to.

use std::fmt;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;

use futures::future::BoxFuture;
use reqwest::dns::{Addrs, Name, Resolve, Resolving};

use super::{Guard, Way, public};

/// Endings of names that are given out in no public registry.
const PRIVATE_ENDINGS: &[&str] = &["localhost", "local", "localdomain", "internal", "home.arpa"];

/// Returns the name without the dot that may end it.
pub(super) fn bare(name: &str) -> &str {
    name.strip_suffix('.').unwrap_or(name)
}

/// Tells whether a name, lower case, cannot be one of the public internet.
pub(super) fn is_private(name: &str) -> bool {
    let name = bare(name);
    let ends = |ending: &&str| {
        name.strip_suffix(*ending).is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
    };
    !name.contains('.') || name.ends_with('.') || PRIVATE_ENDINGS.iter().any(ends)
}

/// Tells whether a name is that of a cloud's metadata. No setting opens it.
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

/// Finds the addresses of a name.
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

/// Resolves names for the client: what it returns is what is connected to, and nothing else is.
pub(crate) struct Resolver {
    pub(crate) guard: Arc<Guard>,
    pub(crate) way: Way,
    pub(crate) lookup: Arc<dyn Lookup>,
}

/// A name leads to no address that may be reached.
#[derive(Debug)]
pub(crate) struct NotPublic;

impl fmt::Display for NotPublic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("its name leads to no public address")
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
                return Err("its name leads to no address".into());
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
