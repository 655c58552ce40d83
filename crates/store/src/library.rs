//! The library port on SQLite: text and index in the same transaction.

use std::sync::Arc;

use async_trait::async_trait;
use jiff::Timestamp;
use rusqlite::types::Type;
use rusqlite::{Connection, OptionalExtension, Row, Transaction, TransactionBehavior, params};

use run::entry::Hash;
use run::evidence::EvidenceKind;
use run::library::{
    Collection, Found, Library, Manifest, NewChunk, NewDocument, Put, QueryVector, Search,
    StoredDocument,
};
use run::paper::Paper;
use run::ports::PortError;
use serde::Deserialize;
use serde::de::IntoDeserializer;

use crate::Store;
use crate::search::search;

fn error(action: &str, error: &rusqlite::Error) -> PortError {
    PortError::Store { action: action.to_owned(), reason: error.to_string() }
}

/// A collection as its row has it.
pub(crate) struct Shelf {
    pub(crate) id: i64,
    pub(crate) manifest: Manifest,
    pub(crate) chunks: u64,
    pub(crate) changes: i64,
}

fn shelf(connection: &Connection, user: &str, name: &str) -> rusqlite::Result<Option<Shelf>> {
    connection
        .prepare_cached(
            "SELECT id, manifest, chunks, changes FROM collections WHERE user_id = ?1 AND name = ?2",
        )?
        .query_row(params![user, name], |row| {
            let manifest: String = row.get(1)?;
            Ok(Shelf {
                id: row.get(0)?,
                manifest: serde_json::from_str(&manifest).map_err(|reason| unreadable(1, reason))?,
                chunks: row.get::<_, i64>(2)? as u64,
                changes: row.get(3)?,
            })
        })
        .optional()
}

fn none_such(collection: &str) -> PortError {
    PortError::Invalid {
        what: format!(
            "there is no collection '{collection}'; make it with `quaestio ingest PATH --collection {collection}`"
        ),
    }
}

/// Refuses chunks that are no stretch of the document's text, and vectors that are not of the collection's kind.
fn check(document: &NewDocument, manifest: &Manifest) -> Result<(), PortError> {
    let dimensions = manifest.embedder.as_ref().map_or(0, |embedder| embedder.dimensions) as usize;
    let fault = |chunk: &NewChunk| {
        let (start, end) = (chunk.start, chunk.end);
        if document.text.get(start as usize..end as usize).is_none() {
            Some(format!(
                "bytes {start} to {end} of '{}' are no stretch of its text",
                document.path
            ))
        } else if chunk.vector.len() != dimensions {
            Some(format!(
                "a vector of '{}' has {} dimensions; the collection's have {dimensions}",
                document.path,
                chunk.vector.len()
            ))
        } else if !chunk.vector.iter().all(|number| number.is_finite()) {
            Some(format!("a vector of '{}' holds what is no number", document.path))
        } else {
            None
        }
    };
    match document.chunks.iter().find_map(fault) {
        None => Ok(()),
        Some(what) => Err(PortError::Invalid { what }),
    }
}

/// Returns the statement that makes an index of terms.
///
/// Terms come analysed; the tokenizer only splits them at spaces, and every sign that ASCII has may stand in one. The index
/// keeps the terms: one that does not (`content=''`) goes on counting chunks that were deleted, and scores by that count.
pub(crate) fn terms_table(name: &str) -> String {
    let signs: String = ('!'..='~').filter(char::is_ascii_punctuation).collect();
    let signs = signs.replace('\'', "''").replace('"', "\"\"");
    format!(
        "CREATE VIRTUAL TABLE {name} USING fts5(terms, tokenize=\"ascii tokenchars '{signs}'\")"
    )
}

/// The id of the document under this path; it stays the same when the content changes.
fn document_id(collection_id: i64, path: &str) -> String {
    format!("d{}", &Hash::of_json(&(collection_id, path)).to_string()[..16])
}

pub(crate) fn unreadable(
    index: usize,
    reason: impl std::error::Error + Send + Sync + 'static,
) -> rusqlite::Error {
    rusqlite::Error::FromSqlConversionFailure(index, Type::Text, Box::new(reason))
}

fn document(row: &Row<'_>) -> rusqlite::Result<StoredDocument> {
    let metadata: String = row.get(7)?;
    let ingested_at: String = row.get(9)?;
    Ok(StoredDocument {
        document_id: row.get(0)?,
        collection: row.get(1)?,
        path: row.get(2)?,
        title: row.get(3)?,
        format: row.get(4)?,
        file_sha256: row.get(5)?,
        text_sha256: row.get(6)?,
        metadata: serde_json::from_str(&metadata).map_err(|reason| unreadable(7, reason))?,
        chunks: row.get::<_, i64>(8)? as u64,
        ingested_at: ingested_at.parse().map_err(|reason: jiff::Error| unreadable(9, reason))?,
        kind: kind(row, 10)?,
        work: work(row, 11)?,
    })
}

/// Reads where a document came from.
pub(crate) fn kind(row: &Row<'_>, index: usize) -> rusqlite::Result<EvidenceKind> {
    let name: String = row.get(index)?;
    EvidenceKind::deserialize(name.as_str().into_deserializer())
        .map_err(|reason: serde::de::value::Error| unreadable(index, reason))
}

/// Reads what is known of the work.
pub(crate) fn work(row: &Row<'_>, index: usize) -> rusqlite::Result<Option<Box<Paper>>> {
    let work: Option<String> = row.get(index)?;
    work.map(|work| serde_json::from_str(&work).map_err(|reason| unreadable(index, reason)))
        .transpose()
}

const DOCUMENT: &str = "d.id, c.name, d.path, d.title, d.format, d.file_sha256, d.text_sha256, d.metadata,
       (SELECT count(*) FROM chunks k WHERE k.user_id = d.user_id AND k.document_id = d.id), d.ingested_at,
       d.kind, d.work";

fn holds_documents(connection: &Connection, shelf: &Shelf) -> rusqlite::Result<bool> {
    connection
        .prepare_cached("SELECT 1 FROM documents WHERE collection_id = ?1 LIMIT 1")?
        .exists(params![shelf.id])
}

/// Removes a collection with everything in it.
fn forget_all(transaction: &Transaction<'_>, user: &str, shelf: &Shelf) -> rusqlite::Result<()> {
    transaction.execute_batch(&format!(
        "DROP TABLE terms_{0}; DROP TABLE IF EXISTS vectors_{0}",
        shelf.id
    ))?;
    transaction.execute(
        "DELETE FROM chunks WHERE user_id = ?1
            AND document_id IN (SELECT id FROM documents WHERE user_id = ?1 AND collection_id = ?2)",
        params![user, shelf.id],
    )?;
    transaction.execute(
        "DELETE FROM documents WHERE user_id = ?1 AND collection_id = ?2",
        params![user, shelf.id],
    )?;
    transaction.execute(
        "DELETE FROM collections WHERE user_id = ?1 AND id = ?2",
        params![user, shelf.id],
    )?;
    Ok(())
}

/// Removes a document with its chunks; returns how many these were, or none if it was not there.
fn forget(
    transaction: &Transaction<'_>,
    user: &str,
    shelf: &Shelf,
    path: &str,
) -> rusqlite::Result<Option<i64>> {
    let id = document_id(shelf.id, path);
    let vectors = shelf.manifest.embedder.as_ref().map(|_| ("vectors", "chunk_id"));
    for (table, key) in [("terms", "rowid")].into_iter().chain(vectors) {
        transaction
            .prepare_cached(&format!(
                "DELETE FROM {table}_{} WHERE {key} IN
                    (SELECT id FROM chunks WHERE user_id = ?1 AND document_id = ?2)",
                shelf.id
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

/// Writes into the collection's row that it has changed, and by how many chunks it has grown.
fn touch(transaction: &Transaction<'_>, shelf: &Shelf, grown: i64) -> rusqlite::Result<()> {
    transaction
        .prepare_cached(
            "UPDATE collections SET updated_at = ?1, changes = changes + 1, chunks = chunks + ?2 WHERE id = ?3",
        )?
        .execute(params![Timestamp::now().to_string(), grown, shelf.id])?;
    Ok(())
}

/// Stores a document; returns what became of it, and by how many chunks the collection has grown.
fn put_one(
    transaction: &Transaction<'_>,
    user: &str,
    shelf: &Shelf,
    new: &NewDocument,
) -> rusqlite::Result<(Put, i64)> {
    let metadata = serde_json::to_string(&new.metadata).unwrap_or_else(|_| "{}".into());
    let work = new.work.as_ref().map(|work| serde_json::to_string(work).unwrap_or_default());
    let kind = new.kind.name();
    let id = document_id(shelf.id, &new.path);
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
            // The file's own bytes may differ where its text does not.
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
        Put::Replaced => forget(transaction, user, shelf, &new.path)?.unwrap_or_default(),
        Put::Added | Put::Unchanged => 0,
    };
    transaction
        .prepare_cached(
            "INSERT INTO documents (id, user_id, collection_id, path, title, format, file_sha256, text_sha256, metadata,
                                    text, ingested_at, kind, work)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13)",
        )?
        .execute(params![
            id, user, shelf.id, new.path, new.title, new.format, new.file_sha256, new.text_sha256, metadata, new.text,
            Timestamp::now().to_string(), kind, work
        ])?;
    put_chunks(transaction, user, shelf, &id, new)?;
    Ok((put, new.chunks.len() as i64 - before))
}

fn put_chunks(
    transaction: &Transaction<'_>,
    user: &str,
    shelf: &Shelf,
    id: &str,
    new: &NewDocument,
) -> rusqlite::Result<()> {
    let mut insert = transaction.prepare_cached(
        "INSERT INTO chunks (user_id, document_id, number, section, start_byte, end_byte, text, pages)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
    )?;
    let mut index = transaction.prepare_cached(&format!(
        "INSERT INTO terms_{} (rowid, terms) VALUES (?1, ?2)",
        shelf.id
    ))?;
    let mut vectors = match &shelf.manifest.embedder {
        Some(_) => Some(transaction.prepare_cached(&format!(
            "INSERT INTO vectors_{} (chunk_id, vector) VALUES (?1, ?2)",
            shelf.id
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
        index.execute(params![chunk_id, chunk.terms.join(" ")])?;
        if let Some(vectors) = &mut vectors {
            vectors.execute(params![chunk_id, vector_bytes(&chunk.vector)])?;
        }
    }
    Ok(())
}

/// Vectors are stored as little-endian f32.
fn vector_bytes(vector: &[f32]) -> Vec<u8> {
    vector.iter().flat_map(|number| number.to_le_bytes()).collect()
}

/// Stores documents in one transaction; none where there is no such collection, an error within where they are not such
/// as it takes.
fn put(
    connection: &mut Connection,
    user: &str,
    collection: &str,
    documents: &[NewDocument],
) -> rusqlite::Result<Option<Result<Vec<Put>, PortError>>> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let Some(shelf) = shelf(&transaction, user, collection)? else { return Ok(None) };
    let checked = documents.iter().try_for_each(|document| check(document, &shelf.manifest));
    if let Err(refused) = checked {
        return Ok(Some(Err(refused)));
    }
    let put = documents.iter().map(|document| put_one(&transaction, user, &shelf, document));
    let (put, grown): (Vec<Put>, Vec<i64>) =
        put.collect::<rusqlite::Result<Vec<_>>>()?.into_iter().unzip();
    if put.iter().any(|put| *put != Put::Unchanged) {
        touch(&transaction, &shelf, grown.iter().sum())?;
    }
    transaction.commit()?;
    Ok(Some(Ok(put)))
}

#[async_trait]
impl Library for Store {
    async fn open(
        &self,
        user: &str,
        collection: &str,
        manifest: &Manifest,
    ) -> Result<(), PortError> {
        let (owner, name) = (user.to_owned(), collection.to_owned());
        let (wanted, made) = (manifest.clone(), manifest.clone());
        let text = serde_json::to_string(manifest).map_err(|reason| PortError::Store {
            action: "write a manifest".into(),
            reason: reason.to_string(),
        })?;
        let has_vectors = manifest.embedder.is_some();
        let stood = self
            .shared
            .writer
            .run(move |connection| {
                let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
                if let Some(shelf) = shelf(&transaction, &owner, &name)? {
                    if shelf.manifest == made || holds_documents(&transaction, &shelf)? {
                        return Ok(Some(shelf.manifest));
                    }
                    // An ingest that came to nothing should not decide how the next one works.
                    forget_all(&transaction, &owner, &shelf)?;
                }
                let now = Timestamp::now().to_string();
                transaction.execute(
                    "INSERT INTO collections (user_id, name, manifest, created_at, updated_at) VALUES (?1, ?2, ?3, ?4, ?4)",
                    params![owner, name, text, now],
                )?;
                let id = transaction.last_insert_rowid();
                transaction.execute_batch(&terms_table(&format!("terms_{id}")))?;
                if has_vectors {
                    transaction.execute_batch(&format!(
                        "CREATE TABLE vectors_{id} (chunk_id INTEGER PRIMARY KEY, vector BLOB NOT NULL)"
                    ))?;
                }
                transaction.commit()?;
                Ok(None)
            })
            .await
            .map_err(|failure| error("make the collection", &failure))?;
        let Some(stood) = stood else { return Ok(()) };
        if stood != wanted {
            return Err(PortError::Invalid { what: mixed(collection, &stood, &wanted) });
        }
        Ok(())
    }

    async fn manifest(&self, user: &str, collection: &str) -> Result<Manifest, PortError> {
        let (owner, name) = (user.to_owned(), collection.to_owned());
        let found = self
            .read(move |connection| {
                Ok(shelf(connection, &owner, &name)?.map(|shelf| shelf.manifest))
            })
            .await
            .map_err(|failure| error("read the collection's manifest", &failure))?;
        found.ok_or_else(|| none_such(collection))
    }

    async fn put(
        &self,
        user: &str,
        collection: &str,
        documents: Vec<NewDocument>,
    ) -> Result<Vec<Put>, PortError> {
        let (owner, name) = (user.to_owned(), collection.to_owned());
        let done = self
            .shared
            .writer
            .run(move |connection| put(connection, &owner, &name, &documents))
            .await
            .map_err(|failure| error("store the documents", &failure))?;
        done.unwrap_or_else(|| Err(none_such(collection)))
    }

    async fn remove_paths(
        &self,
        user: &str,
        collection: &str,
        paths: &[String],
    ) -> Result<u64, PortError> {
        let (owner, name, paths) = (user.to_owned(), collection.to_owned(), paths.to_vec());
        let done = self
            .shared
            .writer
            .run(move |connection| {
                let transaction =
                    connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
                let Some(shelf) = shelf(&transaction, &owner, &name)? else { return Ok(None) };
                let (mut removed, mut chunks) = (0, 0);
                for path in &paths {
                    if let Some(gone) = forget(&transaction, &owner, &shelf, path)? {
                        removed += 1;
                        chunks += gone;
                    }
                }
                if removed > 0 {
                    touch(&transaction, &shelf, -chunks)?;
                }
                transaction.commit()?;
                Ok(Some(removed))
            })
            .await
            .map_err(|failure| error("remove the documents", &failure))?;
        done.ok_or_else(|| none_such(collection))
    }

    async fn remove(&self, user: &str, collection: &str) -> Result<bool, PortError> {
        let (owner, name) = (user.to_owned(), collection.to_owned());
        let removed = self
            .shared
            .writer
            .run(move |connection| {
                let transaction =
                    connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
                let Some(shelf) = shelf(&transaction, &owner, &name)? else { return Ok(None) };
                forget_all(&transaction, &owner, &shelf)?;
                transaction.commit()?;
                Ok(Some(shelf.id))
            })
            .await
            .map_err(|failure| error("remove the collection", &failure))?;
        if let Some(id) = removed {
            self.shared.indexes.forget(id);
        }
        Ok(removed.is_some())
    }

    async fn collections(&self, user: &str) -> Result<Vec<Collection>, PortError> {
        type Line = (String, String, i64, i64, String, String);
        let user = user.to_owned();
        let rows: Vec<Line> = self
            .read(move |connection| {
                let mut query = connection.prepare_cached(
                    "SELECT c.name, c.manifest, count(d.id), c.chunks, c.created_at, c.updated_at
                       FROM collections c LEFT JOIN documents d ON d.collection_id = c.id
                      WHERE c.user_id = ?1 GROUP BY c.id ORDER BY c.name",
                )?;
                let rows = query.query_map(params![user], |row| {
                    Ok((
                        row.get(0)?,
                        row.get(1)?,
                        row.get(2)?,
                        row.get(3)?,
                        row.get(4)?,
                        row.get(5)?,
                    ))
                })?;
                rows.collect()
            })
            .await
            .map_err(|failure| error("list the collections", &failure))?;
        let time = |text: String| {
            text.parse::<Timestamp>().map_err(|reason| PortError::Store {
                action: "read a collection".into(),
                reason: reason.to_string(),
            })
        };
        rows.into_iter()
            .map(|(name, manifest, documents, chunks, created_at, updated_at)| {
                Ok(Collection {
                    name,
                    manifest: serde_json::from_str(&manifest).map_err(|reason| {
                        PortError::Store {
                            action: "read a collection's manifest".into(),
                            reason: reason.to_string(),
                        }
                    })?,
                    documents: documents as u64,
                    chunks: chunks as u64,
                    created_at: time(created_at)?,
                    updated_at: time(updated_at)?,
                })
            })
            .collect()
    }

    async fn documents(
        &self,
        user: &str,
        collection: &str,
    ) -> Result<Vec<StoredDocument>, PortError> {
        let (owner, name) = (user.to_owned(), collection.to_owned());
        let found = self
            .read(move |connection| {
                if shelf(connection, &owner, &name)?.is_none() {
                    return Ok(None);
                }
                let mut query = connection.prepare_cached(&format!(
                    "SELECT {DOCUMENT} FROM documents d JOIN collections c ON c.id = d.collection_id
                      WHERE d.user_id = ?1 AND c.name = ?2 ORDER BY d.path"
                ))?;
                let rows = query.query_map(params![owner, name], document)?;
                rows.collect::<rusqlite::Result<Vec<_>>>().map(Some)
            })
            .await
            .map_err(|failure| error("list the documents", &failure))?;
        found.ok_or_else(|| none_such(collection))
    }

    async fn document(
        &self,
        user: &str,
        id: &str,
    ) -> Result<Option<(StoredDocument, String)>, PortError> {
        let (user, id) = (user.to_owned(), id.to_owned());
        self.read(move |connection| {
            connection
                .prepare_cached(&format!(
                    "SELECT {DOCUMENT}, d.text FROM documents d JOIN collections c ON c.id = d.collection_id
                      WHERE d.user_id = ?1 AND d.id = ?2"
                ))?
                .query_row(params![user, id], |row| Ok((document(row)?, row.get(12)?)))
                .optional()
        })
        .await
        .map_err(|failure| error("read the document", &failure))
    }

    async fn search(
        &self,
        user: &str,
        wanted: &Search,
        query: Option<&QueryVector>,
    ) -> Result<Found, PortError> {
        let (owner, asked, query) = (user.to_owned(), wanted.clone(), query.cloned());
        let indexes = Arc::clone(&self.shared.indexes);
        let found = self
            .read(move |connection| {
                let Some(shelf) = shelf(connection, &owner, &asked.collection)? else {
                    return Ok(None);
                };
                if asked.retrieval.in_a(&shelf.manifest).needs_vectors() {
                    let embedding = query.as_ref().map(|query| &query.embedding);
                    if let Err(refused) = shelf.manifest.comparable(&asked.collection, embedding) {
                        return Ok(Some(Err(refused)));
                    }
                }
                search(connection, &indexes, &owner, &shelf, &asked, query.as_ref())
                    .map(|found| Some(Ok(found)))
            })
            .await
            .map_err(|failure| error("search", &failure))?;
        found.unwrap_or_else(|| Err(none_such(&wanted.collection)))
    }
}

/// Says what differs between how a collection was made and how it is wanted.
fn mixed(collection: &str, made: &Manifest, wanted: &Manifest) -> String {
    let mut differences = match (&made.embedder, &wanted.embedder) {
        (Some(made), Some(wanted)) => made
            .differences(wanted)
            .into_iter()
            .map(|difference| format!("the embedder's {difference}"))
            .collect(),
        (Some(made), None) => vec![format!("the embedder {} instead of none", made.model)],
        (None, Some(wanted)) => vec![format!("no embedder instead of {}", wanted.model)],
        (None, None) => Vec::new(),
    };
    if made.language != wanted.language {
        differences.push(format!("language {:?} instead of {:?}", made.language, wanted.language));
    }
    if made.chunk_tokens != wanted.chunk_tokens {
        differences.push(format!(
            "chunks of {} tokens instead of {}",
            made.chunk_tokens, wanted.chunk_tokens
        ));
    }
    if made.smallest_chunk_tokens != wanted.smallest_chunk_tokens {
        differences.push(format!(
            "chunks of at least {} tokens instead of {}",
            made.smallest_chunk_tokens, wanted.smallest_chunk_tokens
        ));
    }
    format!(
        "the collection '{collection}' was made with {}; use those settings, or remove it and ingest again",
        differences.join(", ")
    )
}
