//! The library port on SQLite: text and index in the same transaction.

use std::collections::BTreeMap;

use async_trait::async_trait;
use jiff::Timestamp;
use rusqlite::types::Type;
use rusqlite::{Connection, OptionalExtension, Row, Transaction, TransactionBehavior, params};

use run::entry::Hash;
use run::library::{
    Collection, Found, Library, Manifest, NewChunk, NewDocument, Put, Search, StoredDocument,
};
use run::ports::PortError;

use crate::Store;
use crate::search::search;

fn error(action: &str, error: &rusqlite::Error) -> PortError {
    PortError::Store { action: action.to_owned(), reason: error.to_string() }
}

/// A collection as its row has it.
pub(crate) struct Shelf {
    pub(crate) id: i64,
    manifest: String,
}

fn shelf(connection: &Connection, user: &str, name: &str) -> rusqlite::Result<Option<Shelf>> {
    connection
        .prepare_cached("SELECT id, manifest FROM collections WHERE user_id = ?1 AND name = ?2")?
        .query_row(params![user, name], |row| Ok(Shelf { id: row.get(0)?, manifest: row.get(1)? }))
        .optional()
}

fn none_such(collection: &str) -> PortError {
    PortError::Invalid {
        what: format!(
            "there is no collection '{collection}'; make it with `quaestio ingest PATH --collection {collection}`"
        ),
    }
}

/// Refuses chunks that are no stretch of the document's text.
fn check_spans(document: &NewDocument) -> Result<(), PortError> {
    let stretch = |chunk: &NewChunk| document.text.get(chunk.start as usize..chunk.end as usize);
    match document.chunks.iter().find(|chunk| stretch(chunk).is_none()) {
        None => Ok(()),
        Some(chunk) => Err(PortError::Invalid {
            what: format!(
                "bytes {} to {} of '{}' are no stretch of its text",
                chunk.start, chunk.end, document.path
            ),
        }),
    }
}

fn read_manifest(text: &str) -> Result<Manifest, PortError> {
    serde_json::from_str(text).map_err(|reason| PortError::Store {
        action: "read the collection's manifest".into(),
        reason: reason.to_string(),
    })
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
    })
}

const DOCUMENT: &str = "SELECT d.id, c.name, d.path, d.title, d.format, d.file_sha256, d.text_sha256, d.metadata,
       (SELECT count(*) FROM chunks k WHERE k.user_id = d.user_id AND k.document_id = d.id), d.ingested_at, d.text
  FROM documents d JOIN collections c ON c.id = d.collection_id";

fn forget(
    transaction: &Transaction<'_>,
    user: &str,
    shelf: &Shelf,
    path: &str,
) -> rusqlite::Result<bool> {
    let id = document_id(shelf.id, path);
    transaction.execute(
        &format!(
            "DELETE FROM terms_{} WHERE rowid IN (SELECT id FROM chunks WHERE user_id = ?1 AND document_id = ?2)",
            shelf.id
        ),
        params![user, id],
    )?;
    transaction
        .execute("DELETE FROM chunks WHERE user_id = ?1 AND document_id = ?2", params![user, id])?;
    let gone = transaction
        .execute("DELETE FROM documents WHERE user_id = ?1 AND id = ?2", params![user, id])?;
    Ok(gone > 0)
}

fn touch(transaction: &Transaction<'_>, shelf: &Shelf) -> rusqlite::Result<()> {
    let now = Timestamp::now().to_string();
    transaction
        .execute("UPDATE collections SET updated_at = ?1 WHERE id = ?2", params![now, shelf.id])?;
    Ok(())
}

fn put(
    connection: &mut Connection,
    user: &str,
    collection: &str,
    new: &NewDocument,
) -> rusqlite::Result<Option<Put>> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let Some(shelf) = shelf(&transaction, user, collection)? else { return Ok(None) };
    let metadata = serde_json::to_string(&new.metadata).unwrap_or_else(|_| "{}".into());
    let id = document_id(shelf.id, &new.path);
    let known: Option<bool> = transaction
        .query_row(
            "SELECT text_sha256 = ?3 AND metadata = ?4 AND title = ?5 AND format = ?6
               FROM documents WHERE user_id = ?1 AND id = ?2",
            params![user, id, new.text_sha256, metadata, new.title, new.format],
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
            transaction.commit()?;
            return Ok(Some(Put::Unchanged));
        }
        Some(false) => Put::Replaced,
        None => Put::Added,
    };
    forget(&transaction, user, &shelf, &new.path)?;
    transaction.execute(
        "INSERT INTO documents (id, user_id, collection_id, path, title, format, file_sha256, text_sha256, metadata,
                                text, ingested_at) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)",
        params![
            id, user, shelf.id, new.path, new.title, new.format, new.file_sha256, new.text_sha256, metadata, new.text,
            Timestamp::now().to_string()
        ],
    )?;
    {
        let mut insert = transaction.prepare_cached(
            "INSERT INTO chunks (user_id, document_id, number, section, start_byte, end_byte, text)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
        )?;
        let mut index = transaction.prepare_cached(&format!(
            "INSERT INTO terms_{} (rowid, terms) VALUES (?1, ?2)",
            shelf.id
        ))?;
        for (number, chunk) in new.chunks.iter().enumerate() {
            let text = new.text.get(chunk.start as usize..chunk.end as usize).unwrap_or_default();
            let (start, end) = (chunk.start as i64, chunk.end as i64);
            insert.execute(params![
                user,
                id,
                number as i64 + 1,
                chunk.section,
                start,
                end,
                text
            ])?;
            index.execute(params![transaction.last_insert_rowid(), chunk.terms.join(" ")])?;
        }
    }
    touch(&transaction, &shelf)?;
    transaction.commit()?;
    Ok(Some(put))
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
        let wanted = manifest.clone();
        let text = serde_json::to_string(manifest).map_err(|reason| PortError::Store {
            action: "write a manifest".into(),
            reason: reason.to_string(),
        })?;
        let stood = self
            .shared
            .writer
            .run(move |connection| {
                let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
                if let Some(shelf) = shelf(&transaction, &owner, &name)? {
                    return Ok(Some(shelf.manifest));
                }
                let now = Timestamp::now().to_string();
                transaction.execute(
                    "INSERT INTO collections (user_id, name, manifest, created_at, updated_at) VALUES (?1, ?2, ?3, ?4, ?4)",
                    params![owner, name, text, now],
                )?;
                let id = transaction.last_insert_rowid();
                // Terms come analysed; the tokenizer only splits them at spaces. The index keeps them: one that
                // does not (`content=''`) goes on counting chunks that were deleted, and scores by that count.
                transaction.execute_batch(&format!(
                    "CREATE VIRTUAL TABLE terms_{id} USING fts5(terms,
                     tokenize=\"ascii tokenchars '!#$%&()*+,-./:;<=>?@[\\]^_`{{|}}~'\")"
                ))?;
                transaction.commit()?;
                Ok(None)
            })
            .await
            .map_err(|failure| error("make the collection", &failure))?;
        let Some(stood) = stood else { return Ok(()) };
        let made = read_manifest(&stood)?;
        if made != wanted {
            return Err(PortError::Invalid { what: mixed(collection, &made, &wanted) });
        }
        Ok(())
    }

    async fn put(
        &self,
        user: &str,
        collection: &str,
        document: NewDocument,
    ) -> Result<Put, PortError> {
        check_spans(&document)?;
        let (owner, name) = (user.to_owned(), collection.to_owned());
        let done = self
            .shared
            .writer
            .run(move |connection| put(connection, &owner, &name, &document))
            .await
            .map_err(|failure| error("store the document", &failure))?;
        done.ok_or_else(|| none_such(collection))
    }

    async fn paths(
        &self,
        user: &str,
        collection: &str,
    ) -> Result<BTreeMap<String, String>, PortError> {
        let (user, name) = (user.to_owned(), collection.to_owned());
        self.read(move |connection| {
            let mut query = connection.prepare_cached(
                "SELECT d.path, d.file_sha256 FROM documents d JOIN collections c ON c.id = d.collection_id
                  WHERE d.user_id = ?1 AND c.user_id = ?1 AND c.name = ?2",
            )?;
            let rows = query.query_map(params![user, name], |row| Ok((row.get(0)?, row.get(1)?)))?;
            rows.collect()
        })
        .await
        .map_err(|failure| error("list the documents", &failure))
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
                let mut removed = 0;
                for path in &paths {
                    removed += u64::from(forget(&transaction, &owner, &shelf, path)?);
                }
                touch(&transaction, &shelf)?;
                transaction.commit()?;
                Ok(Some(removed))
            })
            .await
            .map_err(|failure| error("remove the documents", &failure))?;
        done.ok_or_else(|| none_such(collection))
    }

    async fn remove(&self, user: &str, collection: &str) -> Result<bool, PortError> {
        let (owner, name) = (user.to_owned(), collection.to_owned());
        self.shared
            .writer
            .run(move |connection| {
                let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
                let Some(shelf) = shelf(&transaction, &owner, &name)? else { return Ok(false) };
                transaction.execute_batch(&format!("DROP TABLE terms_{}", shelf.id))?;
                transaction.execute(
                    "DELETE FROM chunks WHERE user_id = ?1
                        AND document_id IN (SELECT id FROM documents WHERE user_id = ?1 AND collection_id = ?2)",
                    params![owner, shelf.id],
                )?;
                transaction.execute(
                    "DELETE FROM documents WHERE user_id = ?1 AND collection_id = ?2",
                    params![owner, shelf.id],
                )?;
                transaction.execute(
                    "DELETE FROM collections WHERE user_id = ?1 AND id = ?2",
                    params![owner, shelf.id],
                )?;
                transaction.commit()?;
                Ok(true)
            })
            .await
            .map_err(|failure| error("remove the collection", &failure))
    }

    async fn collections(&self, user: &str) -> Result<Vec<Collection>, PortError> {
        type Line = (String, String, i64, i64, String, String);
        let user = user.to_owned();
        let rows: Vec<Line> = self
            .read(move |connection| {
                let mut query = connection.prepare_cached(
                    "SELECT c.name, c.manifest, count(d.id),
                            (SELECT count(*) FROM chunks k JOIN documents e ON e.user_id = k.user_id AND e.id = k.document_id
                              WHERE e.collection_id = c.id), c.created_at, c.updated_at
                       FROM collections c LEFT JOIN documents d ON d.collection_id = c.id
                      WHERE c.user_id = ?1 GROUP BY c.id ORDER BY c.name",
                )?;
                let rows = query.query_map(params![user], |row| {
                    Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?, row.get(4)?, row.get(5)?))
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
                    manifest: read_manifest(&manifest)?,
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
                    "{DOCUMENT} WHERE d.user_id = ?1 AND c.name = ?2 ORDER BY d.path"
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
                .prepare_cached(&format!("{DOCUMENT} WHERE d.user_id = ?1 AND d.id = ?2"))?
                .query_row(params![user, id], |row| Ok((document(row)?, row.get(10)?)))
                .optional()
        })
        .await
        .map_err(|failure| error("read the document", &failure))
    }

    async fn search(&self, user: &str, wanted: &Search) -> Result<Found, PortError> {
        let (owner, asked) = (user.to_owned(), wanted.clone());
        let found = self
            .read(move |connection| {
                let Some(shelf) = shelf(connection, &owner, &asked.collection)? else {
                    return Ok(None);
                };
                let manifest =
                    read_manifest(&shelf.manifest).map_err(|reason| unreadable(1, reason))?;
                search(connection, &owner, &shelf, &manifest, &asked).map(Some)
            })
            .await
            .map_err(|failure| error("search", &failure))?;
        found.ok_or_else(|| none_such(&wanted.collection))
    }
}

/// Says what differs between how a collection was made and how it is wanted.
fn mixed(collection: &str, made: &Manifest, wanted: &Manifest) -> String {
    let mut differences = Vec::new();
    if (&made.embedder, made.dimensions) != (&wanted.embedder, wanted.dimensions) {
        differences.push(format!(
            "embedder {} of {} dimensions instead of {} of {}",
            made.embedder, made.dimensions, wanted.embedder, wanted.dimensions
        ));
    }
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
