//! The search: the question's terms, looked up in the collection's own index and ranked by BM25.

use std::collections::HashSet;

use rusqlite::functions::FunctionFlags;
use rusqlite::{Connection, params};

use run::analysis;
use run::evidence::{Passage, Place};
use run::library::{Found, Manifest, Search};

use crate::library::{Shelf, unreadable};

/// The distinct terms of a question that are looked for, in reading order; a question may be a
/// whole book, and its time must stay bounded.
const MOST_TERMS: usize = 256;

/// Returns what the collection holds for the question.
pub(crate) fn search(
    connection: &Connection,
    user: &str,
    shelf: &Shelf,
    manifest: &Manifest,
    search: &Search,
) -> rusqlite::Result<Found> {
    let index = format!("terms_{}", shelf.id);
    let chunks: i64 = connection.query_row(
        "SELECT count(*) FROM chunks k JOIN documents d ON d.user_id = k.user_id AND d.id = k.document_id
          WHERE d.user_id = ?1 AND d.collection_id = ?2",
        params![user, shelf.id],
        |row| row.get(0),
    )?;
    let mut count = connection
        .prepare_cached(&format!("SELECT count(*) FROM {index} WHERE {index} MATCH ?1"))?;
    let mut terms: Vec<(String, u64)> = Vec::new();
    for term in asked_for(search, manifest) {
        let chunks: i64 = count.query_row(params![quoted(&term)], |row| row.get(0))?;
        terms.push((term, chunks as u64));
    }
    let there: Vec<String> =
        terms.iter().filter(|(_, chunks)| *chunks > 0).map(|(term, _)| quoted(term)).collect();
    let passages = if there.is_empty() {
        Vec::new()
    } else {
        passages(connection, user, &index, &there.join(" OR "), search)?
    };
    Ok(Found { passages, terms, chunks: chunks as u64, language: manifest.language })
}

fn passages(
    connection: &Connection,
    user: &str,
    index: &str,
    terms: &str,
    search: &Search,
) -> rusqlite::Result<Vec<Passage>> {
    let filter: Vec<_> =
        search.filter.iter().map(|(key, value)| (fold(key), fold(value))).collect();
    let filter = serde_json::to_string(&filter).unwrap_or_else(|_| "[]".into());
    let mut query = connection.prepare_cached(&format!(
        "WITH hits AS MATERIALIZED (SELECT rowid AS id, bm25({index}) AS badness FROM {index} WHERE {index} MATCH ?1)
         SELECT k.text, d.path, k.number, -h.badness, d.metadata, d.id, d.title, k.section, k.start_byte, k.end_byte,
                d.text_sha256
           FROM hits h JOIN chunks k ON k.id = h.id
           JOIN documents d ON d.user_id = k.user_id AND d.id = k.document_id
          WHERE d.user_id = ?2
            AND NOT EXISTS (
                SELECT 1 FROM json_each(?3) f
                 WHERE NOT EXISTS (
                       SELECT 1 FROM json_each(d.metadata) m
                        WHERE fold(m.key) = f.value ->> 0 AND fold(m.value) = f.value ->> 1))
          ORDER BY h.badness, d.path, k.number LIMIT ?4"
    ))?;
    let rows = query.query_map(params![terms, user, filter, search.top_k], |row| {
        let metadata: String = row.get(4)?;
        Ok(Passage {
            text: row.get(0)?,
            source_uri: format!("doc://{}/{}", search.collection, row.get::<_, String>(1)?),
            chunk_id: row.get::<_, i64>(2)?.to_string(),
            score: row.get(3)?,
            metadata: serde_json::from_str(&metadata).map_err(|reason| unreadable(4, reason))?,
            place: Place {
                document_id: row.get(5)?,
                title: row.get(6)?,
                section: row.get(7)?,
                start: row.get::<_, i64>(8)? as u64,
                end: row.get::<_, i64>(9)? as u64,
                source_sha256: row.get(10)?,
            },
        })
    })?;
    rows.collect()
}

/// Quotes a term for FTS5, where everything else means something.
fn quoted(term: &str) -> String {
    format!("\"{}\"", term.replace('"', "\"\""))
}

/// Returns the terms to look for: distinct, sorted, the first [`MOST_TERMS`] of the question.
fn asked_for(search: &Search, manifest: &Manifest) -> Vec<String> {
    let mut seen = HashSet::new();
    let terms = analysis::terms(&search.question, manifest.language).into_iter();
    let mut terms: Vec<String> =
        terms.filter(|term| seen.insert(term.clone())).take(MOST_TERMS).collect();
    terms.sort();
    terms
}

/// `fold(text)`: [`fold`]; SQLite's own `lower` knows ASCII only.
pub(crate) fn register_functions(connection: &Connection) -> rusqlite::Result<()> {
    let flags = FunctionFlags::SQLITE_UTF8 | FunctionFlags::SQLITE_DETERMINISTIC;
    connection
        .create_scalar_function("fold", 1, flags, |context| Ok(fold(&context.get::<String>(0)?)))
}

/// Returns the text without its case: `Straße` and `STRASSE` come out alike, as do the two forms of sigma.
fn fold(text: &str) -> String {
    text.to_uppercase().to_lowercase()
}
