//! Changes collections: adds and removes documents, text and index together.

use jiff::Timestamp;
use rusqlite::blob::ZeroBlob;
use rusqlite::{Connection, MAIN_DB, OptionalExtension, Transaction, TransactionBehavior, params};

use run::error::PortError;
use run::library::{NewDocument, Put, document_id, vector_bytes};

use super::{CollectionRow, find_collection};

/// The bytes of a text written at a time.
const PIECE: usize = 1 << 20;

/// Stores documents in one transaction. Returns `None` if there is no such collection, and an inner error if a document does not fit
/// it.
pub(super) fn put(
    connection: &mut Connection,
    user: &str,
    collection: &str,
    documents: &[NewDocument],
) -> rusqlite::Result<Option<Result<Vec<Put>, PortError>>> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let Some(collection_row) = find_collection(&transaction, user, collection)? else {
        return Ok(None);
    };
    let checked = documents.iter().try_for_each(|document| collection_row.manifest.check(document));
    if let Err(refused) = checked {
        return Ok(Some(Err(refused)));
    }
    let put =
        documents.iter().map(|document| put_one(&transaction, user, &collection_row, document));
    let (put, chunks): (Vec<Put>, Vec<i64>) =
        put.collect::<rusqlite::Result<Vec<_>>>()?.into_iter().unzip();
    if put.iter().any(|put| *put != Put::Unchanged) {
        let documents = put.iter().filter(|put| **put == Put::Added).count() as i64;
        touch(&transaction, &collection_row, Grown { documents, chunks: chunks.iter().sum() })?;
    }
    transaction.commit()?;
    Ok(Some(Ok(put)))
}

/// Stores a document; returns the outcome, and by how many chunks the collection has grown.
fn put_one(
    transaction: &Transaction<'_>,
    user: &str,
    collection_row: &CollectionRow,
    new: &NewDocument,
) -> rusqlite::Result<(Put, i64)> {
    let metadata = serde_json::to_string(&new.metadata).unwrap_or_else(|_| "{}".into());
    let work = new.work.as_ref().map(|work| serde_json::to_string(work).unwrap_or_default());
    let kind = new.kind.name();
    let id = document_id(collection_row.id, &new.path);
    let known: Option<bool> = transaction
        .prepare_cached(
            "SELECT text_sha256 = ?3 AND metadata = ?4 AND title = ?5 AND format = ?6 AND kind = ?7 AND work IS ?8
               FROM documents WHERE user_id = ?1 AND id = ?2",
        )?
        .query_row(
            params![user, id, new.text_sha256, metadata, new.title, new.format, kind, work],
            |row| row.get(0),
        )
        .optional()?;
    let put = match known {
        Some(true) => {
            // The file's bytes may change while its text does not.
            transaction.execute(
                "UPDATE documents SET file_sha256 = ?3
                  WHERE user_id = ?1 AND id = ?2 AND file_sha256 <> ?3",
                params![user, id, new.file_sha256],
            )?;
            return Ok((Put::Unchanged, 0));
        }
        Some(false) => Put::Replaced,
        None => Put::Added,
    };
    let before = match put {
        Put::Replaced => forget(transaction, user, collection_row, &new.path)?.unwrap_or_default(),
        Put::Added | Put::Unchanged => 0,
    };
    insert(transaction, user, collection_row, &id, new, Timestamp::now())?;
    Ok((put, new.chunks.len() as i64 - before))
}

/// Inserts a document, which must not be there, with its index.
pub(super) fn insert(
    transaction: &Connection,
    user: &str,
    collection_row: &CollectionRow,
    id: &str,
    new: &NewDocument,
    ingested_at: Timestamp,
) -> rusqlite::Result<()> {
    let metadata = serde_json::to_string(&new.metadata).unwrap_or_else(|_| "{}".into());
    let work = new.work.as_ref().map(|work| serde_json::to_string(work).unwrap_or_default());
    let length = i32::try_from(new.text.len())
        .map_err(|error| rusqlite::Error::ToSqlConversionFailure(error.into()))?;
    transaction
        .prepare_cached(
            "INSERT INTO documents (id, user_id, collection_id, path, title, format, file_sha256, text_sha256, metadata,
                                    text, ingested_at, kind, work, chunks)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14)",
        )?
        .execute(params![
            id, user, collection_row.id, new.path, new.title, new.format, new.file_sha256, new.text_sha256, metadata,
            ZeroBlob(length), ingested_at.to_string(), new.kind.name(), work, new.chunks.len() as i64
        ])?;
    write_text(transaction, &new.text)?;
    put_chunks(transaction, user, collection_row, id, new)
}

/// Writes the text of the last inserted document into its reserved blob, piece by piece: given the whole text, SQLite would copy it
/// twice before writing its pages.
fn write_text(transaction: &Connection, text: &str) -> rusqlite::Result<()> {
    let row = transaction.last_insert_rowid();
    let mut place = transaction.blob_open(MAIN_DB, "documents", "text", row, false)?;
    for (number, piece) in text.as_bytes().chunks(PIECE).enumerate() {
        place.write_all_at(piece, number * PIECE)?;
    }
    place.close()
}

fn put_chunks(
    transaction: &Connection,
    user: &str,
    collection_row: &CollectionRow,
    id: &str,
    new: &NewDocument,
) -> rusqlite::Result<()> {
    let mut insert = transaction.prepare_cached(
        "INSERT INTO chunks (user_id, document_id, number, section, start_byte, end_byte, text, pages)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
    )?;
    let mut index = transaction.prepare_cached(&format!(
        "INSERT INTO terms_{} (rowid, terms) VALUES (?1, ?2)",
        collection_row.id
    ))?;
    let mut vectors = match &collection_row.manifest.embedder {
        Some(_) => Some(transaction.prepare_cached(&format!(
            "INSERT INTO vectors_{} (chunk_id, vector) VALUES (?1, ?2)",
            collection_row.id
        ))?),
        None => None,
    };
    for (number, chunk) in new.chunks.iter().enumerate() {
        let text = new.text.get(chunk.start as usize..chunk.end as usize).unwrap_or_default();
        let (start, end) = (chunk.start as i64, chunk.end as i64);
        let pages = serde_json::to_string(&chunk.pages).unwrap_or_else(|_| "[]".into());
        let number = number as i64 + 1;
        insert.execute(params![user, id, number, chunk.section, start, end, text, pages])?;
        let chunk_id = transaction.last_insert_rowid();
        index.execute(params![chunk_id, chunk.terms])?;
        if let Some(vectors) = &mut vectors {
            vectors.execute(params![chunk_id, vector_bytes(&chunk.vector)])?;
        }
    }
    Ok(())
}

/// Removes a collection with everything in it.
pub(super) fn forget_all(
    transaction: &Transaction<'_>,
    user: &str,
    collection_row: &CollectionRow,
) -> rusqlite::Result<()> {
    transaction.execute_batch(&format!(
        "DROP TABLE terms_{0}; DROP TABLE IF EXISTS vectors_{0}",
        collection_row.id
    ))?;
    transaction.execute(
        "DELETE FROM chunks WHERE user_id = ?1
            AND document_id IN (SELECT id FROM documents WHERE user_id = ?1 AND collection_id = ?2)",
        params![user, collection_row.id],
    )?;
    transaction.execute(
        "DELETE FROM documents WHERE user_id = ?1 AND collection_id = ?2",
        params![user, collection_row.id],
    )?;
    transaction.execute(
        "DELETE FROM collections WHERE user_id = ?1 AND id = ?2",
        params![user, collection_row.id],
    )?;
    Ok(())
}

/// Removes a document with its chunks; returns the number of chunks, or `None` if there was no such document.
pub(super) fn forget(
    transaction: &Transaction<'_>,
    user: &str,
    collection_row: &CollectionRow,
    path: &str,
) -> rusqlite::Result<Option<i64>> {
    let id = document_id(collection_row.id, path);
    let vectors = collection_row.manifest.embedder.as_ref().map(|_| ("vectors", "chunk_id"));
    for (table, key) in [("terms", "rowid")].into_iter().chain(vectors) {
        transaction
            .prepare_cached(&format!(
                "DELETE FROM {table}_{} WHERE {key} IN
                    (SELECT id FROM chunks WHERE user_id = ?1 AND document_id = ?2)",
                collection_row.id
            ))?
            .execute(params![user, id])?;
    }
    let chunks = transaction
        .prepare_cached("DELETE FROM chunks WHERE user_id = ?1 AND document_id = ?2")?
        .execute(params![user, id])?;
    let gone = transaction
        .prepare_cached("DELETE FROM documents WHERE user_id = ?1 AND id = ?2")?
        .execute(params![user, id])?;
    Ok((gone > 0).then_some(chunks as i64))
}

/// The growth of a collection; negative if it has shrunk.
#[derive(Clone, Copy)]
struct Grown {
    documents: i64,
    chunks: i64,
}

/// Records in the collection's row that it has changed, and by how much it has grown.
fn touch(
    transaction: &Transaction<'_>,
    collection_row: &CollectionRow,
    grown: Grown,
) -> rusqlite::Result<()> {
    transaction
        .prepare_cached(
            "UPDATE collections SET updated_at = ?1, changes = changes + 1, documents = documents + ?2, chunks = chunks + ?3
              WHERE id = ?4",
        )?
        .execute(params![Timestamp::now().to_string(), grown.documents, grown.chunks, collection_row.id])?;
    Ok(())
}

/// Removes documents by path; returns how many existed, or `None` if there is no such collection.
pub(super) fn remove_paths(
    connection: &mut Connection,
    user: &str,
    collection: &str,
    paths: &[String],
) -> rusqlite::Result<Option<u64>> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let Some(collection_row) = find_collection(&transaction, user, collection)? else {
        return Ok(None);
    };
    let (mut removed, mut chunks) = (0, 0);
    for path in paths {
        if let Some(gone) = forget(&transaction, user, &collection_row, path)? {
            removed += 1;
            chunks += gone;
        }
    }
    if removed > 0 {
        touch(
            &transaction,
            &collection_row,
            Grown { documents: -(removed as i64), chunks: -chunks },
        )?;
    }
    transaction.commit()?;
    Ok(Some(removed))
}

/// Removes a document by its id; returns whether it existed.
pub(super) fn remove_document(
    connection: &mut Connection,
    user: &str,
    id: &str,
) -> rusqlite::Result<bool> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let place: Option<(String, String)> = transaction
        .prepare_cached(
            "SELECT c.name, d.path FROM documents d JOIN collections c ON c.id = d.collection_id
              WHERE d.user_id = ?1 AND d.id = ?2 AND c.user_id = ?1",
        )?
        .query_row(params![user, id], |row| Ok((row.get(0)?, row.get(1)?)))
        .optional()?;
    let Some((collection, path)) = place else { return Ok(false) };
    let Some(collection_row) = find_collection(&transaction, user, &collection)? else {
        return Ok(false);
    };
    let gone = forget(&transaction, user, &collection_row, &path)?;
    if let Some(chunks) = gone {
        touch(&transaction, &collection_row, Grown { documents: -1, chunks: -chunks })?;
    }
    transaction.commit()?;
    Ok(gone.is_some())
}
