//! The `<meta>` elements of a page, by name.

use std::collections::HashMap;

use dom_query::Document;

use crate::document::one_line;

/// The most elements kept: a paper may have thousands of authors, and also lists each of its references.
const KEPT: usize = 20_000;
/// Prefixes of the names that are kept; other names are ignored.
const OURS: &[&str] =
    &["citation_", "dc.", "dcterms.", "prism.", "article:", "og:", "parsely-", "sailthru."];
#[rustfmt::skip]
const OURS_IN_FULL: &[&str] = &[
    "author", "date", "datepublished", "doi", "pubdate", "publishdate", "publish-date",
];

/// A page's `<meta>` elements: names in lower case, values on one line, in page order.
#[derive(Debug, Default)]
pub(crate) struct Tags(HashMap<String, Vec<String>>);

impl Tags {
    pub(crate) fn of(document: &Document) -> Tags {
        let mut tags = Tags::default();
        let mut kept = 0;
        for meta in document.select("meta[content]").iter() {
            let value = one_line(&run::grounding::clean(&meta.attr_or("content", "")));
            for attribute in ["name", "property", "itemprop"] {
                let name = meta.attr_or(attribute, "").trim().to_lowercase();
                // Digital Commons puts its own name before Highwire's tags.
                let name = name.strip_prefix("bepress_").unwrap_or(&name);
                let name = name.replacen("dc:", "dc.", 1).replacen("dcterms:", "dcterms.", 1);
                let ours = OURS.iter().any(|start| name.starts_with(start))
                    || OURS_IN_FULL.contains(&&*name);
                if ours && !value.is_empty() && kept < KEPT && name != "citation_reference" {
                    kept += 1;
                    tags.0.entry(name).or_default().push(value.clone());
                }
            }
        }
        tags
    }

    /// Returns the first value of the first of `names` that is present.
    pub(crate) fn first(&self, names: &[&str]) -> Option<&str> {
        names.iter().find_map(|name| self.0.get(*name)?.first()).map(String::as_str)
    }

    /// Returns all values of all of `names`, in the order of `names`.
    pub(crate) fn all(&self, names: &[&str]) -> Vec<&str> {
        names.iter().filter_map(|name| self.0.get(*name)).flatten().map(String::as_str).collect()
    }
}
