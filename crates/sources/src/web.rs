//! Web search engines: what to ask them, and how to read their hits.

mod brave;
#[cfg(test)]
mod fields;
mod searxng;
mod serper;
mod tavily;

pub(crate) use brave::Brave;
pub(crate) use searxng::SearxNg;
pub(crate) use serper::Serper;
pub(crate) use tavily::Tavily;

use std::collections::HashSet;

use serde_json::Value;
use serde_json::value::RawValue;

use run::error::PortError;
use run::sources::Hit;
use transport::Service;

use crate::json::{self, line, link};

/// The names of a hit's fields in an engine's reply.
struct Names {
    url: &'static str,
    snippet: &'static str,
    /// Fields for the date; the first that is present counts.
    published: &'static [&'static str],
}

/// Reads an engine's hits, best first: every web address once.
///
/// Fails only if there are items and none of them has an address.
fn hits(service: Service<'_>, found: &RawValue, names: &Names) -> Result<Vec<Hit>, PortError> {
    let items = json::items(found).ok_or_else(|| service.malformed("results that are no list"))?;
    let read = json::read(service, &items, |item| {
        // Another kind of address, such as mailto:, is readable but cannot be fetched.
        item.pointer(names.url).filter(|url| url.is_string()).map(|_| hit(item, names))
    })?;
    let mut seen = HashSet::new();
    Ok(read.into_iter().flatten().filter(|hit| seen.insert(hit.url.clone())).collect())
}

fn hit(item: &Value, names: &Names) -> Option<Hit> {
    let mut url = link(item, names.url)?;
    // Such a fragment marks words on the page; the page is the same.
    if url.fragment().is_some_and(|fragment| fragment.starts_with(":~:")) {
        url.set_fragment(None);
    }
    let url = String::from(url);
    Some(Hit {
        title: line(item, "/title").unwrap_or_else(|| url.clone()),
        snippet: line(item, names.snippet).unwrap_or_default(),
        published: names.published.iter().find_map(|name| line(item, name)),
        url,
    })
}

#[cfg(test)]
mod tests;
