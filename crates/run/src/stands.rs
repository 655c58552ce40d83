//! Checks whether earlier quotes are still in their sources.

use std::collections::BTreeMap;

use ::grounding::locate::Finder;
use ::grounding::statement::Source;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::error::PortError;
use crate::library::{Library, StoredDocument};

/// What was quoted, and of which text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Quoted {
    pub source_uri: String,
    /// SHA-256 of the text that it stood in.
    pub source_sha256: String,
    pub title: String,
    pub quote: String,
}

impl Quoted {
    /// Returns the path of a source within its collection; for a fetched source, its address.
    pub fn path(source_uri: &str) -> &str {
        let path = source_uri.strip_prefix("doc://").and_then(|rest| rest.split_once('/'));
        path.map_or(source_uri, |(_, path)| path)
    }

    fn collection(&self) -> Option<&str> {
        Some(self.source_uri.strip_prefix("doc://")?.split_once('/')?.0)
    }
}

/// Returns for each quote whether it is, up to typography, in the current text of its source: in the first of the `collections` that
/// has the source, or in its own. `None` if no collection has it and it never was a document of the user.
pub(crate) async fn still_stand(
    library: &dyn Library,
    user: &str,
    collections: &[String],
    quotes: &[Quoted],
) -> Result<Vec<Option<bool>>, PortError> {
    let mut by_source: BTreeMap<&str, Vec<(usize, &Quoted)>> = BTreeMap::new();
    for (index, quoted) in quotes.iter().enumerate() {
        by_source.entry(&quoted.source_uri).or_default().push((index, quoted));
    }
    let mut stand = vec![None; quotes.len()];
    for of_source in by_source.into_values() {
        let Some((_, first)) = of_source.first() else { continue };
        let own = first.collection().map(str::to_owned);
        let places =
            collections.iter().chain(own.as_ref().filter(|own| !collections.contains(own)));
        let document = stored(library, user, places, Quoted::path(&first.source_uri)).await?;
        let Some(document) = document else {
            for (index, quoted) in of_source {
                set(&mut stand, index, quoted.collection().map(|_| false));
            }
            continue;
        };
        let text = library.document(user, &document.document_id).await?;
        let text = text.map(|(_, text)| text).unwrap_or_default();
        let source = Source::of(&text);
        let finder = Finder::of(&source);
        for (index, quoted) in of_source {
            let is_same = quoted.source_sha256 == document.text_sha256;
            set(&mut stand, index, Some(is_same || finder.exactly(&quoted.quote).is_some()));
        }
    }
    Ok(stand)
}

fn set(stand: &mut [Option<bool>], index: usize, stands: Option<bool>) {
    if let Some(one) = stand.get_mut(index) {
        *one = stands;
    }
}

/// Returns the document at a path in the first collection that has it. A missing collection has none.
async fn stored(
    library: &dyn Library,
    user: &str,
    collections: impl Iterator<Item = &String>,
    path: &str,
) -> Result<Option<StoredDocument>, PortError> {
    for collection in collections {
        match library.documents_at(user, collection, &[path.to_owned()]).await {
            Ok(found) if found.is_empty() => {}
            Ok(found) => return Ok(found.into_iter().next()),
            Err(PortError::Invalid { .. }) => {}
            Err(error) => return Err(error),
        }
    }
    Ok(None)
}
