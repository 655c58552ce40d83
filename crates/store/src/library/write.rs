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
    if let Some(manifest) = collection_row.manifest.with_languages_of(documents) {
        let manifest = serde_json::to_string(&manifest)
            .map_err(|reason| rusqlite::Error::ToSqlConversionFailure(reason.into()))?;
        transaction
            .prepare_cached("UPDATE collections SET manifest = ?1 WHERE id = ?2")?
            .execute(params![manifest, collection_row.id])?;
    }
    let put =
        documents.iter().map(|document| put_one(&transaction, user, &collection_row, document));
    let (put, grown): (Vec<Put>, Vec<Grown>) =
        put.collect::<rusqlite::Result<Vec<_>>>()?.into_iter().unzip();
    let grown = grown.into_iter().fold(Grown::default(), Grown::plus);
    if put.iter().any(|put| *put != Put::Unchanged) {
        touch(&transaction, &collection_row, grown)?;
    } else if grown.original_bytes != 0 {
        weigh(&transaction, &collection_row, grown.original_bytes)?;
    }
    transaction.commit()?;
    Ok(Some(Ok(put)))
}

/// Stores a document; returns the outcome, and by how much the collection has grown.
fn put_one(
    transaction: &Transaction<'_>,
    user: &str,
    collection_row: &CollectionRow,
    new: &NewDocument,
) -> rusqlite::Result<(Put, Grown)> {
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
            let changed = transaction.execute(
                "UPDATE documents SET file_sha256 = ?3
                  WHERE user_id = ?1 AND id = ?2 AND file_sha256 <> ?3",
                params![user, id, new.file_sha256],
            )?;
            transaction
                .prepare_cached(
                    "UPDATE documents SET reader_version = ?3
                      WHERE user_id = ?1 AND id = ?2 AND reader_version <> ?3",
                )?
                .execute(params![user, id, new.reader_version])?;
            let mut grown = Grown::default();
            if changed > 0 || new.original.is_some() {
                let before = forget_original(transaction, user, &id)?;
                write_original(transaction, user, &id, new)?;
                grown.original_bytes = bytes_of(new) - before;
            }
            return Ok((Put::Unchanged, grown));
        }
        Some(false) => Put::Replaced,
        None => Put::Added,
    };
    let before = match put {
        Put::Replaced => forget(transaction, user, collection_row, &new.path)?.unwrap_or_default(),
        Put::Added | Put::Unchanged => Grown::default(),
    };
    insert(transaction, user, collection_row, &id, new, Timestamp::now())?;
    let added =
        Grown { documents: 1, chunks: new.chunks.len() as i64, original_bytes: bytes_of(new) };
    Ok((put, before.plus(added)))
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
                                    text, ingested_at, kind, work, chunks, reader_version)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15)",
        )?
        .execute(params![
            id, user, collection_row.id, new.path, new.title, new.format, new.file_sha256, new.text_sha256, metadata,
            ZeroBlob(length), ingested_at.to_string(), new.kind.name(), work, new.chunks.len() as i64, new.reader_version
        ])?;
    write_pieces(transaction, "documents", "text", new.text.as_bytes())?;
    write_original(transaction, user, id, new)?;
    put_chunks(transaction, user, collection_row, id, new)
}

/// Returns the number of bytes that are kept of a document's file.
pub(super) fn bytes_of(new: &NewDocument) -> i64 {
    new.original_bytes().map_or(0, |original| original.len() as i64)
}

/// Keeps the file of a document, if it is to be kept.
fn write_original(
    transaction: &Connection,
    user: &str,
    id: &str,
    new: &NewDocument,
) -> rusqlite::Result<()> {
    let Some(original) = new.original_bytes() else { return Ok(()) };
    let length = i32::try_from(original.len())
        .map_err(|error| rusqlite::Error::ToSqlConversionFailure(error.into()))?;
    transaction
        .prepare_cached(
            "INSERT INTO originals (user_id, document_id, content) VALUES (?1, ?2, ?3)",
        )?
        .execute(params![user, id, ZeroBlob(length)])?;
    write_pieces(transaction, "originals", "content", original)
}

/// Removes the file of a document; returns how many bytes it had.
fn forget_original(transaction: &Connection, user: &str, id: &str) -> rusqlite::Result<i64> {
    let bytes: Option<i64> = transaction
        .prepare_cached(
            "DELETE FROM originals WHERE user_id = ?1 AND document_id = ?2 RETURNING length(content)",
        )?
        .query_row(params![user, id], |row| row.get(0))
        .optional()?;
    Ok(bytes.unwrap_or_default())
}

/// Writes bytes into the blob that the last inserted row has reserved, piece by piece: given the whole, SQLite would copy it twice
/// before writing its pages.
fn write_pieces(
    transaction: &Connection,
    table: &str,
    column: &str,
    bytes: &[u8],
) -> rusqlite::Result<()> {
    let row = transaction.last_insert_rowid();
    let mut place = transaction.blob_open(MAIN_DB, table, column, row, false)?;
    for (number, piece) in bytes.chunks(PIECE).enumerate() {
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
        "DELETE FROM originals WHERE user_id = ?1
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

/// Removes a document with its chunks and its file; returns by how much the collection has grown, or `None` if there was no such
/// document.
pub(super) fn forget(
    transaction: &Transaction<'_>,
    user: &str,
    collection_row: &CollectionRow,
    path: &str,
) -> rusqlite::Result<Option<Grown>> {
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
    let original_bytes = forget_original(transaction, user, &id)?;
    let grown = Grown { documents: -1, chunks: -(chunks as i64), original_bytes: -original_bytes };
    Ok((gone > 0).then_some(grown))
}

/// The growth of a collection; negative if it has shrunk.
#[derive(Clone, Copy, Default)]
pub(super) struct Grown {
    documents: i64,
    chunks: i64,
    /// Of the files that are kept.
    original_bytes: i64,
}

impl Grown {
    fn plus(self, other: Grown) -> Grown {
        Grown {
            documents: self.documents + other.documents,
            chunks: self.chunks + other.chunks,
            original_bytes: self.original_bytes + other.original_bytes,
        }
    }
}

/// Records by how many bytes the kept files of a collection have grown; what is searched has not changed.
fn weigh(
    transaction: &Transaction<'_>,
    collection_row: &CollectionRow,
    bytes: i64,
) -> rusqlite::Result<()> {
    transaction
        .prepare_cached(
            "UPDATE collections SET original_bytes = original_bytes + ?1 WHERE id = ?2",
        )?
        .execute(params![bytes, collection_row.id])?;
    Ok(())
}

/// Records in the collection's row that it has changed, and by how much it has grown.
fn touch(
    transaction: &Transaction<'_>,
    collection_row: &CollectionRow,
    grown: Grown,
) -> rusqlite::Result<()> {
    transaction
        .prepare_cached(
            "UPDATE collections SET updated_at = ?1, changes = changes + 1, documents = documents + ?2, chunks = chunks + ?3,
                    original_bytes = original_bytes + ?4
              WHERE id = ?5",
        )?
        .execute(params![
            Timestamp::now().to_string(), grown.documents, grown.chunks, grown.original_bytes, collection_row.id
        ])?;
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
    let (mut removed, mut grown) = (0, Grown::default());
    for path in paths {
        if let Some(gone) = forget(&transaction, user, &collection_row, path)? {
            removed += 1;
            grown = grown.plus(gone);
        }
    }
    if removed > 0 {
        touch(&transaction, &collection_row, grown)?;
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
    if let Some(grown) = gone {
        touch(&transaction, &collection_row, grown)?;
    }
    transaction.commit()?;
    Ok(gone.is_some())
}
