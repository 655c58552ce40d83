//! Passages: chunks as a run sees them.

use rusqlite::{Connection, OptionalExtension, Row, params};

use run::evidence::{Passage, Place};
use run::library::{chunk_name, parse_chunk_name};

use crate::library::{read_kind, unreadable, work};

const PASSAGE: &str = "SELECT k.text, d.path, k.number, d.metadata, d.id, d.title, k.section, k.start_byte, k.end_byte,
       d.text_sha256, k.pages, d.kind, d.work, c.name
  FROM chunks k JOIN documents d ON d.user_id = k.user_id AND d.id = k.document_id
                JOIN collections c ON c.id = d.collection_id";

/// Returns the passages of these chunks, each with its score, in the given order.
pub(crate) fn of_chunks(
    connection: &Connection,
    user: &str,
    chunks: impl Iterator<Item = (i64, f64)>,
) -> rusqlite::Result<Vec<Passage>> {
    let mut query =
        connection.prepare_cached(&format!("{PASSAGE} WHERE k.id = ?1 AND k.user_id = ?2"))?;
    chunks
        .map(|(chunk, score)| query.query_row(params![chunk, user], |row| passage(row, score)))
        .collect()
}

/// Returns the passage with this name.
pub(crate) fn named(
    connection: &Connection,
    user: &str,
    name: &str,
) -> rusqlite::Result<Option<Passage>> {
    let Some((document, number)) = parse_chunk_name(name) else { return Ok(None) };
    connection
        .prepare_cached(&format!(
            "{PASSAGE} WHERE k.user_id = ?1 AND k.document_id = ?2 AND k.number = ?3"
        ))?
        .query_row(params![user, document, number], |row| passage(row, 0.0))
        .optional()
}

fn passage(row: &Row<'_>, score: f64) -> rusqlite::Result<Passage> {
    let metadata: String = row.get(3)?;
    let pages: String = row.get(10)?;
    let (path, document_id): (String, String) = (row.get(1)?, row.get(4)?);
    let collection: String = row.get(13)?;
    let kind = read_kind(row, 11)?;
    Ok(Passage {
        text: row.get(0)?,
        source_uri: kind.source_uri(&collection, &path),
        kind,
        chunk_id: chunk_name(&document_id, row.get(2)?),
        score,
        metadata: serde_json::from_str(&metadata).map_err(|reason| unreadable(3, reason))?,
        work: work(row, 12)?,
        place: Place {
            document_id,
            title: row.get(5)?,
            section: row.get(6)?,
            start: row.get::<_, i64>(7)? as u64,
            end: row.get::<_, i64>(8)? as u64,
            source_sha256: row.get(9)?,
            pages: serde_json::from_str(&pages).map_err(|reason| unreadable(10, reason))?,
        },
    })
}
