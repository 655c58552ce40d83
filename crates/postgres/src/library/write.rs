//! Changes collections: makes them, adds and removes documents, text and index together.
//!
//! Every change locks the row of its collection first. So those of several processes follow each other, and what the row counts is
//! right.

use std::pin::pin;

use deadpool_postgres::Transaction;
use jiff::Timestamp;
use tokio_postgres::Row;
use tokio_postgres::binary_copy::BinaryCopyInWriter;
use tokio_postgres::types::Type;

use run::error::PortError;
use run::library::{Manifest, NewDocument, Put, document_id, none_such, vector_bytes};

use super::collections::{CollectionRow, find_collection, lock_collection};
use super::large;
use crate::fault::Fault;
use crate::plain::stored;
use crate::query::{self, to_json};

/// Creates a collection, or checks that the existing one was made the same way.
pub(super) async fn open(
    transaction: &Transaction<'_>,
    user: &str,
    name: &str,
    manifest: &Manifest,
) -> Result<Result<(), PortError>, Fault> {
    let found = find_collection(transaction, user, name).await?;
    if found.is_some_and(|found| found.manifest == *manifest) {
        return Ok(Ok(()));
    }
    let Some(found) = lock_collection(transaction, user, name).await? else {
        return make(transaction, user, name, manifest).await.map(Ok);
    };
    if found.manifest == *manifest || found.documents > 0 {
        return Ok(found.manifest.same(name, manifest));
    }
    // An ingest that stored nothing should not fix the settings of the next one.
    large::drop_index(transaction, found.id).await?;
    let sql = "UPDATE collections SET manifest = $2, created_at = now(), updated_at = clock_timestamp(), changes = changes + 1
                WHERE id = $1";
    query::execute(transaction, sql, &[&found.id, &to_json(manifest)?]).await?;
    Ok(Ok(()))
}

async fn make(
    transaction: &Transaction<'_>,
    user: &str,
    name: &str,
    manifest: &Manifest,
) -> Result<(), Fault> {
    let sql = "INSERT INTO collections (user_id, name, manifest, created_at, updated_at) VALUES ($1, $2, $3, now(), now())
               ON CONFLICT DO NOTHING";
    let values: &query::Values<'_> = &[&stored(user), &stored(name), &to_json(manifest)?];
    match query::execute(transaction, sql, values).await? {
        0 => Err(Fault::Conflict("others made the collection at the same moment".into())),
        _ => Ok(()),
    }
}

/// What became of documents, and of their collection.
pub(super) struct Stored {
    pub(super) done: Vec<Put>,
    pub(super) collection: i64,
    /// The number of chunks that the collection has now.
    pub(super) chunks: u64,
    /// Whether an index in the database holds them.
    pub(super) is_indexed: bool,
}

/// Stores documents, all of them or none.
pub(super) async fn put(
    transaction: &Transaction<'_>,
    user: &str,
    name: &str,
    documents: &[NewDocument],
) -> Result<Result<Stored, PortError>, Fault> {
    let Some(collection) = lock_collection(transaction, user, name).await? else {
        return Ok(Err(none_such(name)));
    };
    let checked = documents.iter().try_for_each(|document| collection.manifest.check(document));
    if let Err(refused) = checked {
        return Ok(Err(refused));
    }
    if let Some(manifest) = collection.manifest.with_languages_of(documents) {
        let sql = "UPDATE collections SET manifest = $2 WHERE id = $1";
        query::execute(transaction, sql, &[&collection.id, &to_json(&manifest)?]).await?;
    }
    let mut done = Vec::with_capacity(documents.len());
    let mut grown = Grown::default();
    for new in documents {
        let (put, by) = put_one(transaction, user, &collection, new).await?;
        done.push(put);
        grown = grown.plus(by);
    }
    if done.iter().any(|put| *put != Put::Unchanged) {
        touch(transaction, collection.id, grown).await?;
    } else if grown.original_bytes != 0 {
        let sql = "UPDATE collections SET original_bytes = original_bytes + $2 WHERE id = $1";
        query::execute(transaction, sql, &[&collection.id, &grown.original_bytes]).await?;
    }
    let chunks = collection.chunks.saturating_add_signed(grown.chunks);
    let index = large::find_index(transaction, collection.id).await?;
    let is_indexed = index.is_some_and(|index| index.chunks == chunks);
    Ok(Ok(Stored { done, collection: collection.id, chunks, is_indexed }))
}

/// Stores a document; returns the outcome, and by how much the collection has grown.
async fn put_one(
    transaction: &Transaction<'_>,
    user_name: &str,
    collection: &CollectionRow,
    new: &NewDocument,
) -> Result<(Put, Grown), Fault> {
    let id = document_id(collection.id, &new.path);
    let (metadata, work) = (to_json(&new.metadata)?, new.work.as_ref().map(to_json).transpose()?);
    let sql = "SELECT text_sha256 = $3 AND metadata = $4 AND title = $5 AND format = $6 AND kind = $7 AND work IS NOT DISTINCT FROM $8
                 FROM documents WHERE user_id = $1 AND id = $2";
    let (user, title, format) = (stored(user_name), stored(&new.title), stored(&new.format));
    let (file_sha256, text_sha256) = (stored(&new.file_sha256), stored(&new.text_sha256));
    let kind = new.kind.name();
    let values: &query::Values<'_> =
        &[&user, &id, &text_sha256, &metadata, &title, &format, &kind, &work];
    let known = query::row(transaction, sql, values).await?;
    let is_same: Option<bool> = known.map(|row| row.try_get(0)).transpose()?;
    if is_same == Some(true) {
        // The file's bytes may change while its text does not.
        let sql = "UPDATE documents SET file_sha256 = $3
                    WHERE user_id = $1 AND id = $2 AND file_sha256 <> $3";
        let changed = query::execute(transaction, sql, &[&user, &id, &file_sha256]).await?;
        let sql = "UPDATE documents SET reader_version = $3
                    WHERE user_id = $1 AND id = $2 AND reader_version <> $3";
        let version = i64::from(new.reader_version);
        query::execute(transaction, sql, &[&user, &id, &version]).await?;
        let mut grown = Grown::default();
        if changed > 0 || new.original.is_some() {
            let before = forget_original(transaction, &user, &id).await?;
            put_original(transaction, &user, &id, new).await?;
            grown.original_bytes = bytes_of(new) - before;
        }
        return Ok((Put::Unchanged, grown));
    }
    let gone = match is_same {
        Some(_) => forget(transaction, &user, collection.id, std::slice::from_ref(&id)).await?,
        None => Grown::default(),
    };
    let chunks = new.chunks.len() as i64;
    insert(transaction, user_name, collection.id, &collection.manifest, &id, new, None).await?;
    let put = if is_same.is_some() { Put::Replaced } else { Put::Added };
    let added = Grown { documents: 1, chunks, original_bytes: bytes_of(new) };
    Ok((put, gone.plus(added)))
}

/// Inserts a document, which must not be there, with its chunks. Without an instant it is ingested now.
pub(crate) async fn insert(
    transaction: &Transaction<'_>,
    user: &str,
    collection: i64,
    manifest: &Manifest,
    id: &str,
    new: &NewDocument,
    ingested_at: Option<Timestamp>,
) -> Result<(), Fault> {
    let sql = "INSERT INTO documents (user_id, id, collection_id, path, title, format, file_sha256, text_sha256, metadata,
                                      ingested_at, kind, work, chunks, text, reader_version)
               VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, coalesce($10, clock_timestamp()), $11, $12, $13, $14, $15)";
    let user = stored(user);
    let work = new.work.as_ref().map(to_json).transpose()?;
    let values: &query::Values<'_> = &[
        &user,
        &id,
        &collection,
        &stored(&new.path),
        &stored(&new.title),
        &stored(&new.format),
        &stored(&new.file_sha256),
        &stored(&new.text_sha256),
        &to_json(&new.metadata)?,
        &ingested_at,
        &new.kind.name(),
        &work,
        &(new.chunks.len() as i64),
        &stored(&new.text),
        &i64::from(new.reader_version),
    ];
    query::execute(transaction, sql, values).await?;
    put_original(transaction, &user, id, new).await?;
    put_chunks(transaction, &user, collection, manifest, id, new).await?;
    large::add_document(transaction, &user, collection, id).await
}

/// Returns the number of bytes that are kept of a document's file.
pub(crate) fn bytes_of(new: &NewDocument) -> i64 {
    new.original_bytes().map_or(0, |original| original.len() as i64)
}

/// Keeps the file of a document, if it is to be kept. `user` is as it is stored.
async fn put_original(
    transaction: &Transaction<'_>,
    user: &str,
    id: &str,
    new: &NewDocument,
) -> Result<(), Fault> {
    let Some(original) = new.original_bytes() else { return Ok(()) };
    let sql = "INSERT INTO originals (user_id, document_id, content) VALUES ($1, $2, $3)";
    query::execute(transaction, sql, &[&user, &id, &original]).await?;
    Ok(())
}

/// Removes the file of a document; returns how many bytes it had. `user` is as it is stored.
async fn forget_original(
    transaction: &Transaction<'_>,
    user: &str,
    id: &str,
) -> Result<i64, Fault> {
    let sql = "DELETE FROM originals WHERE user_id = $1 AND document_id = $2
               RETURNING octet_length(content)::bigint";
    let gone = query::row(transaction, sql, &[&user, &id]).await?;
    Ok(gone.map(|row| row.try_get(0)).transpose()?.unwrap_or_default())
}

const CHUNK: [Type; 11] = [
    Type::TEXT,
    Type::INT8,
    Type::TEXT,
    Type::INT4,
    Type::TEXT,
    Type::INT8,
    Type::INT8,
    Type::TEXT,
    Type::TEXT,
    Type::TEXT,
    Type::BYTEA,
];

/// Stores the chunks of a document. `user` is as it is stored.
async fn put_chunks(
    transaction: &Transaction<'_>,
    user: &str,
    collection: i64,
    manifest: &Manifest,
    document: &str,
    new: &NewDocument,
) -> Result<(), Fault> {
    if new.chunks.is_empty() {
        return Ok(());
    }
    let sql = "COPY chunks (user_id, collection_id, document_id, number, section, start_byte, end_byte, text, terms, pages, vector)
               FROM STDIN BINARY";
    let statement = transaction.prepare_cached(sql).await?;
    let rows = transaction.copy_in(&statement).await?;
    let mut rows = pin!(BinaryCopyInWriter::new(rows, &CHUNK));
    for (number, chunk) in (1_i32..).zip(&new.chunks) {
        let text = new.text.get(chunk.start as usize..chunk.end as usize).unwrap_or_default();
        let vector = manifest.embedder.as_ref().map(|_| vector_bytes(&chunk.vector));
        let (start, end) = (chunk.start as i64, chunk.end as i64);
        let values: &query::Values<'_> = &[
            &user,
            &collection,
            &document,
            &number,
            &stored(&chunk.section),
            &start,
            &end,
            &stored(text),
            &stored(&chunk.terms),
            &to_json(&chunk.pages)?,
            &vector,
        ];
        rows.as_mut().write(values).await?;
    }
    rows.finish().await?;
    Ok(())
}

/// The growth of a collection; negative if it has shrunk.
#[derive(Clone, Copy, Default)]
struct Grown {
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

/// Records in the collection's row that it has changed, and by how much it has grown.
async fn touch(transaction: &Transaction<'_>, collection: i64, grown: Grown) -> Result<(), Fault> {
    let sql = "UPDATE collections SET updated_at = clock_timestamp(), changes = changes + 1,
                      documents = documents + $2, chunks = chunks + $3, original_bytes = original_bytes + $4
                WHERE id = $1";
    let values: &query::Values<'_> =
        &[&collection, &grown.documents, &grown.chunks, &grown.original_bytes];
    query::execute(transaction, sql, values).await?;
    Ok(())
}

/// Removes documents with their chunks; returns by how much the collection has grown. `user` is as it is stored.
async fn forget(
    transaction: &Transaction<'_>,
    user: &str,
    collection: i64,
    ids: &[String],
) -> Result<Grown, Fault> {
    large::remove_documents(transaction, user, collection, ids).await?;
    // A file that is kept goes with its document.
    let sql = "DELETE FROM documents d WHERE user_id = $1 AND collection_id = $2 AND id = ANY($3)
               RETURNING chunks, coalesce((SELECT octet_length(o.content) FROM originals o
                                            WHERE o.user_id = d.user_id AND o.document_id = d.id), 0)::bigint";
    let gone = query::rows(transaction, sql, &[&user, &collection, &ids]).await?;
    let sum = |index: usize| {
        gone.iter().map(|row: &Row| row.try_get::<_, i64>(index)).sum::<Result<i64, _>>()
    };
    Ok(Grown { documents: -(gone.len() as i64), chunks: -sum(0)?, original_bytes: -sum(1)? })
}

/// Removes documents from a locked collection; returns how many existed. `user` is as it is stored.
async fn remove_ids(
    transaction: &Transaction<'_>,
    user: &str,
    collection: i64,
    ids: &[String],
) -> Result<u64, Fault> {
    let grown = forget(transaction, user, collection, ids).await?;
    if grown.documents != 0 {
        touch(transaction, collection, grown).await?;
    }
    Ok(grown.documents.unsigned_abs())
}

/// Removes documents by path; returns how many existed.
pub(super) async fn remove_paths(
    transaction: &Transaction<'_>,
    user: &str,
    name: &str,
    paths: &[String],
) -> Result<Result<u64, PortError>, Fault> {
    let Some(collection) = lock_collection(transaction, user, name).await? else {
        return Ok(Err(none_such(name)));
    };
    let ids: Vec<String> = paths.iter().map(|path| document_id(collection.id, path)).collect();
    remove_ids(transaction, &stored(user), collection.id, &ids).await.map(Ok)
}

/// Removes a document by its id; returns whether it existed.
pub(super) async fn remove_document(
    transaction: &Transaction<'_>,
    user: &str,
    id: &str,
) -> Result<bool, Fault> {
    let (user, id) = (stored(user), stored(id));
    let sql = "SELECT c.id FROM collections c JOIN documents d ON d.collection_id = c.id
                WHERE d.user_id = $1 AND d.id = $2 AND c.user_id = $1 FOR UPDATE OF c";
    let Some(found) = query::row(transaction, sql, &[&user, &id]).await? else {
        return Ok(false);
    };
    Ok(remove_ids(transaction, &user, found.try_get(0)?, &[id.into_owned()]).await? > 0)
}

/// Removes a collection with everything in it; returns its number if it existed.
pub(super) async fn remove(
    transaction: &Transaction<'_>,
    user: &str,
    name: &str,
) -> Result<Option<i64>, Fault> {
    let Some(collection) = lock_collection(transaction, user, name).await? else {
        return Ok(None);
    };
    large::drop_index(transaction, collection.id).await?;
    for sql in [
        "DELETE FROM chunks WHERE user_id = $1 AND collection_id = $2",
        "DELETE FROM documents WHERE user_id = $1 AND collection_id = $2",
        "DELETE FROM collections WHERE user_id = $1 AND id = $2",
    ] {
        query::execute(transaction, sql, &[&stored(user), &collection.id]).await?;
    }
    Ok(Some(collection.id))
}
