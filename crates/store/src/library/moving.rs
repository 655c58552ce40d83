//! Collections and documents as they are stored, for moving them elsewhere and in.

use jiff::Timestamp;
use rusqlite::{Connection, OptionalExtension, Row, params};

use run::error::PortError;
use run::library::{Manifest, NewDocument, floats};
use run::moving::{CollectionRow, WholeChunk, WholeDocument};

use super::{
    COLLECTION, DOCUMENT, collection, document, make_index, read_original, unreadable, write,
};

fn read_row(row: &Row<'_>) -> rusqlite::Result<CollectionRow> {
    Ok(CollectionRow { collection: collection(row)?, id: row.get(7)?, user: row.get(8)? })
}

/// Returns the query for the rows of collections, with their ids and users.
fn select(condition: &str) -> String {
    let columns = COLLECTION.replace(" FROM collections", ", id, user_id FROM collections");
    format!("{columns} WHERE {condition}")
}

/// Returns a part of a user's collections, by name.
pub(crate) fn rows(
    connection: &Connection,
    user: &str,
    after: Option<&str>,
    limit: u32,
) -> rusqlite::Result<Vec<CollectionRow>> {
    let begins = if after.is_some() { "name > ?2" } else { "?2 IS NULL" };
    connection
        .prepare_cached(&select(&format!("user_id = ?1 AND {begins} ORDER BY name LIMIT ?3")))?
        .query_map(params![user, after, limit], read_row)?
        .collect()
}

/// Returns the collection with this id.
pub(crate) fn row(connection: &Connection, id: i64) -> rusqlite::Result<Option<CollectionRow>> {
    connection.prepare_cached(&select("id = ?1"))?.query_row(params![id], read_row).optional()
}

/// Makes a collection; returns whether it did.
pub(crate) fn make(connection: &Connection, row: &CollectionRow) -> rusqlite::Result<bool> {
    let manifest = serde_json::to_string(&row.collection.manifest)
        .map_err(|reason| rusqlite::Error::ToSqlConversionFailure(reason.into()))?;
    let made = connection.execute(
        "INSERT INTO collections (id, user_id, name, manifest, created_at, updated_at) VALUES (?1, ?2, ?3, ?4, ?5, ?6)
         ON CONFLICT DO NOTHING",
        params![
            row.id,
            row.user,
            row.collection.name,
            manifest,
            row.collection.created_at.to_string(),
            row.collection.updated_at.to_string()
        ],
    )?;
    if made == 1 {
        make_index(connection, row.id, &row.collection.manifest)?;
    }
    Ok(made == 1)
}

/// Returns the highest id that a collection has or had.
pub(crate) fn last_id(connection: &Connection) -> rusqlite::Result<i64> {
    connection
        .query_row("SELECT seq FROM sqlite_sequence WHERE name = 'collections'", [], |row| {
            row.get(0)
        })
        .optional()
        .map(Option::unwrap_or_default)
}

/// Lets no later collection have an id up to this one.
pub(crate) fn pass_ids(connection: &Connection, last: i64) -> rusqlite::Result<()> {
    let raised = connection.execute(
        "UPDATE sqlite_sequence SET seq = max(seq, ?1) WHERE name = 'collections'",
        params![last],
    )?;
    if raised == 0 {
        connection.execute(
            "INSERT INTO sqlite_sequence (name, seq) VALUES ('collections', ?1)",
            params![last],
        )?;
    }
    Ok(())
}

/// Returns a document with everything that is stored of it.
pub(crate) fn whole_document(
    connection: &Connection,
    user: &str,
    id: &str,
) -> rusqlite::Result<Option<WholeDocument>> {
    let found = connection
        .prepare_cached(&format!(
            "SELECT {DOCUMENT}, CAST(d.text AS TEXT), c.id, c.manifest
               FROM documents d JOIN collections c ON c.id = d.collection_id
              WHERE d.user_id = ?1 AND d.id = ?2"
        ))?
        .query_row(params![user, id], |row| {
            let manifest: String = row.get(16)?;
            let manifest: Manifest =
                serde_json::from_str(&manifest).map_err(|reason| unreadable(16, reason))?;
            Ok((document(row)?, row.get::<_, String>(14)?, row.get::<_, i64>(15)?, manifest))
        })
        .optional()?;
    let Some((about, text, collection_id, manifest)) = found else { return Ok(None) };
    let (vector, vectors) = match &manifest.embedder {
        Some(_) => {
            ("v.vector", format!("LEFT JOIN vectors_{collection_id} v ON v.chunk_id = k.id"))
        }
        None => ("NULL", String::new()),
    };
    let chunks = connection
        .prepare_cached(&format!(
            "SELECT k.number, k.section, k.start_byte, k.end_byte, k.text, k.pages, t.terms, {vector}
               FROM chunks k LEFT JOIN terms_{collection_id} t ON t.rowid = k.id {vectors}
              WHERE k.user_id = ?1 AND k.document_id = ?2 ORDER BY k.number"
        ))?
        .query_map(params![user, id], read_chunk)?
        .collect::<rusqlite::Result<_>>()?;
    let original = read_original(connection, user, id)?;
    Ok(Some(WholeDocument { about, text, chunks, original }))
}

fn read_chunk(row: &Row<'_>) -> rusqlite::Result<WholeChunk> {
    let pages: String = row.get(5)?;
    let vector: Option<Vec<u8>> = row.get(7)?;
    Ok(WholeChunk {
        number: row.get(0)?,
        section: row.get(1)?,
        start: row.get::<_, i64>(2)? as u64,
        end: row.get::<_, i64>(3)? as u64,
        text: row.get(4)?,
        terms: row.get(6)?,
        pages: serde_json::from_str(&pages).map_err(|reason| unreadable(5, reason))?,
        vector: vector.as_deref().map(floats),
    })
}

/// Stores a document; returns whether it did, or why it does not fit its collection.
pub(crate) fn put(
    connection: &Connection,
    user: &str,
    collection_id: i64,
    id: &str,
    new: &NewDocument,
    ingested_at: Timestamp,
) -> rusqlite::Result<Result<bool, PortError>> {
    let found = row(connection, collection_id)?.filter(|row| row.user == user);
    let Some(found) = found else {
        let what = format!("there is no collection {collection_id} of {user}");
        return Ok(Err(PortError::Invalid { what }));
    };
    if let Err(refused) = found.collection.manifest.check(new) {
        return Ok(Err(refused));
    }
    let is_there = connection
        .prepare_cached(
            "SELECT 1 FROM documents WHERE (user_id = ?1 AND id = ?2) OR (collection_id = ?3 AND path = ?4)",
        )?
        .exists(params![user, id, collection_id, new.path])?;
    if is_there {
        return Ok(Ok(false));
    }
    let collection_row = super::CollectionRow {
        id: collection_id,
        manifest: found.collection.manifest,
        chunks: found.collection.chunks,
        changes: 0,
    };
    write::insert(connection, user, &collection_row, id, new, ingested_at)?;
    connection
        .prepare_cached(
            "UPDATE collections SET updated_at = ?2, changes = changes + 1, documents = documents + 1, chunks = chunks + ?3,
                    original_bytes = original_bytes + ?4
              WHERE id = ?1",
        )?
        .execute(params![
            collection_id,
            found.collection.updated_at.max(ingested_at).to_string(),
            new.chunks.len() as i64,
            write::bytes_of(new)
        ])?;
    Ok(Ok(true))
}
