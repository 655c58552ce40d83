//! Where in a file a citation stands: `notes/cholera.md:44`, and what a click on it opens.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use run::Entry;
use run::error::PortError;
use run::evidence::EvidenceKind;
use run::library::Library;
use run::views;
use serde_json::Value;

use crate::listing::file_url;

/// The formats whose text has the lines of its file.
const LINED: [&str; 2] = ["text", "markdown"];

/// A cited document, as far as it is known here.
struct Cited {
    /// How its file is named: from here if it is there, else below the folder it was read from.
    path: String,
    /// The address of its file, if that is there.
    url: Option<String>,
    /// Its text, if that has lines of its own.
    text: Option<String>,
}

/// Adds to the citations of a result the lines they stand on, where they are known, and returns the addresses that its texts lead to.
///
/// `docs` are the files and folders that were read for the run.
pub(crate) async fn locate(
    library: &dyn Library,
    user: &str,
    entries: &[Entry],
    docs: &[PathBuf],
    result: &mut Value,
) -> Result<BTreeMap<String, String>, PortError> {
    let mut documents = BTreeMap::new();
    for numbered in views::evidence(entries) {
        let evidence = &numbered.evidence;
        if evidence.kind == EvidenceKind::Rag {
            let document_id = evidence.provenance.place.document_id.clone();
            documents.insert(evidence.source_uri.clone(), document_id);
        }
    }
    let mut known: BTreeMap<String, Option<Cited>> = BTreeMap::new();
    let mut places = BTreeMap::new();
    let Some(citations) = result.get_mut("citations").and_then(Value::as_array_mut) else {
        return Ok(places);
    };
    for citation in citations {
        let text = |key: &str| citation.get(key).and_then(Value::as_str).unwrap_or_default();
        let (uri, quote) = (text("source_uri").to_owned(), text("quote").to_owned());
        let start = citation.get("start").and_then(Value::as_u64).unwrap_or_default();
        let Some(document_id) = documents.get(&uri) else { continue };
        if !known.contains_key(&uri) {
            known.insert(uri.clone(), open(library, user, document_id, docs).await?);
        }
        let Some(Some(cited)) = known.get(&uri) else { continue };
        if let Some(url) = &cited.url {
            places.insert(uri, url.clone());
        }
        let line = cited.text.as_ref().and_then(|text| line_of(text, &quote, start));
        if let (Some(line), Some(citation)) = (line, citation.as_object_mut()) {
            let at = format!("{}:{line}", cited.path);
            if let Some(url) = &cited.url {
                places.insert(at.clone(), url.clone());
            }
            citation.insert("at".into(), at.into());
        }
    }
    Ok(places)
}

async fn open(
    library: &dyn Library,
    user: &str,
    document_id: &str,
    docs: &[PathBuf],
) -> Result<Option<Cited>, PortError> {
    let Some((document, text)) = library.document(user, document_id).await? else {
        return Ok(None);
    };
    let is_same = |path: &PathBuf| {
        std::fs::read(path).is_ok_and(|bytes| ::corpus::sha256(&bytes) == document.file_sha256)
    };
    let file = docs.iter().find_map(|given| {
        let path = if given.is_dir() { given.join(&document.path) } else { given.clone() };
        Some(path).filter(is_same)
    });
    let has_lines = LINED.contains(&document.format.as_str());
    let path = file.as_deref().map_or_else(|| document.path.clone(), shown);
    let url = file.as_deref().and_then(file_url);
    Ok(Some(Cited { path, url, text: has_lines.then_some(text) }))
}

fn shown(path: &Path) -> String {
    run::ledger::one_line(&run::grounding::clean(&path.display().to_string()))
}

/// Returns the line of a quote that begins at this byte, counted from 1; `None` if it does not stand there.
fn line_of(text: &str, quote: &str, start: u64) -> Option<usize> {
    let start = usize::try_from(start).ok()?;
    let first = quote.split_whitespace().next()?;
    text.get(start..).filter(|rest| rest.starts_with(first))?;
    Some(text.get(..start)?.matches('\n').count() + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    // proves: F1
    #[test]
    fn a_line_is_named_only_where_the_quote_stands() {
        let text = "one\ntwo é\nthree four";
        assert_eq!(line_of(text, "three four", 11), Some(3));
        assert_eq!(line_of(text, "one", 0), Some(1));
        assert_eq!(line_of(text, "three four", 10), None);
        assert_eq!(line_of(text, "é", 9), None, "within a character");
        assert_eq!(line_of(text, "", 0), None);
        assert_eq!(line_of(text, "one", 900), None);
    }
}
