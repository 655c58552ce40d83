//! The library port on SQLite: text and index in the same transaction.

pub(crate) mod moving;
mod write;

use std::collections::HashMap;
use std::sync::Arc;

use async_trait::async_trait;
use jiff::Timestamp;
use rusqlite::types::Type;
use rusqlite::{Connection, OptionalExtension, Row, TransactionBehavior, params};

use papers::Paper;
use run::entry::Hash;
use run::error::PortError;
use run::evidence::{EvidenceKind, Passage};
use run::library::{
    Collection, Found, Library, Manifest, NewDocument, Part, Put, QueryVector, Search,
    StoredDocument, content_hash, document_id, floats, none_such,
};

use crate::log::is_disk_full;
use crate::search::search;
use crate::{Store, passage};

pub(crate) fn error(action: &str, error: &rusqlite::Error) -> PortError {
    if is_disk_full(error) {
        return PortError::DiskFull { action: action.to_owned() };
    }
    PortError::Store { action: action.to_owned(), reason: error.to_string() }
}

/// The row of a collection.
pub(crate) struct CollectionRow {
    pub(crate) id: i64,
    pub(crate) manifest: Manifest,
    pub(crate) chunks: u64,
    pub(crate) changes: i64,
}

fn find_collection(
    connection: &Connection,
    user: &str,
    name: &str,
) -> rusqlite::Result<Option<CollectionRow>> {
    connection
        .prepare_cached(
            "SELECT id, manifest, chunks, changes FROM collections WHERE user_id = ?1 AND name = ?2",
        )?
        .query_row(params![user, name], |row| {
            let manifest: String = row.get(1)?;
            Ok(CollectionRow {
                id: row.get(0)?,
                manifest: serde_json::from_str(&manifest).map_err(|reason| unreadable(1, reason))?,
                chunks: row.get::<_, i64>(2)? as u64,
                changes: row.get(3)?,
            })
        })
        .optional()
}

/// Returns the statement that creates a term index.
///
/// Terms come analysed: the tokenizer only splits them at spaces, and a term may contain any ASCII punctuation. The index stores the
/// terms: one without them (`content=''`) would keep counting deleted chunks in its scores.
pub(crate) fn terms_table(name: &str) -> String {
    let signs: String = ('!'..='~').filter(char::is_ascii_punctuation).collect();
    let signs = signs.replace('\'', "''").replace('"', "\"\"");
    format!(
        "CREATE VIRTUAL TABLE {name} USING fts5(terms, tokenize=\"ascii tokenchars '{signs}'\")"
    )
}

/// Creates the index of a collection.
fn make_index(connection: &Connection, id: i64, manifest: &Manifest) -> rusqlite::Result<()> {
    connection.execute_batch(&terms_table(&format!("terms_{id}")))?;
    if manifest.embedder.is_some() {
        connection.execute_batch(&format!(
            "CREATE TABLE vectors_{id} (chunk_id INTEGER PRIMARY KEY, vector BLOB NOT NULL)"
        ))?;
    }
    Ok(())
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
        kind: read_kind(row, 10)?,
        work: work(row, 11)?,
        original_bytes: row.get::<_, Option<i64>>(12)?.map(|bytes| bytes as u64),
        reader_version: row.get(13)?,
    })
}

/// Reads the kind of a document's source.
pub(crate) fn read_kind(row: &Row<'_>, index: usize) -> rusqlite::Result<EvidenceKind> {
    let name: String = row.get(index)?;
    EvidenceKind::from_name(&name).map_err(|reason| unreadable(index, reason))
}

/// Reads the bibliographic data of the work.
pub(crate) fn work(row: &Row<'_>, index: usize) -> rusqlite::Result<Option<Box<Paper>>> {
    let work: Option<String> = row.get(index)?;
    work.map(|work| serde_json::from_str(&work).map_err(|reason| unreadable(index, reason)))
        .transpose()
}

const DOCUMENT: &str =
    "d.id, c.name, d.path, d.title, d.format, d.file_sha256, d.text_sha256, d.metadata,
       d.chunks, d.ingested_at, d.kind, d.work,
       (SELECT length(o.content) FROM originals o WHERE o.user_id = d.user_id AND o.document_id = d.id), d.reader_version";

const COLLECTION: &str = "SELECT name, manifest, documents, chunks, created_at, updated_at, original_bytes FROM collections";

fn collection(row: &Row<'_>) -> rusqlite::Result<Collection> {
    let time = |index: usize| {
        let text: String = row.get(index)?;
        text.parse::<Timestamp>().map_err(|reason| unreadable(index, reason))
    };
    let manifest: String = row.get(1)?;
    Ok(Collection {
        name: row.get(0)?,
        manifest: serde_json::from_str(&manifest).map_err(|reason| unreadable(1, reason))?,
        documents: row.get::<_, i64>(2)? as u64,
        chunks: row.get::<_, i64>(3)? as u64,
        created_at: time(4)?,
        updated_at: time(5)?,
        original_bytes: row.get::<_, i64>(6)? as u64,
    })
}

/// Returns the condition for the start of a list part; the name to start after is `?3`.
fn build_condition(part: &Part, column: &str) -> String {
    match part.after {
        Some(_) => format!("{column} > ?3"),
        None => "?3 IS NULL".to_owned(),
    }
}

/// Returns a part of a user's collections. Those of single runs are adjacent in name order, so the others are found without reading
/// them.
fn collections(
    connection: &Connection,
    user: &str,
    of_runs: bool,
    part: &Part,
) -> rusqlite::Result<Vec<Collection>> {
    let begins = build_condition(part, "name");
    let among = |condition: &str, rest: usize| {
        let mut query = connection.prepare_cached(&format!(
            "{COLLECTION} WHERE user_id = ?1 AND {condition} AND {begins} ORDER BY name LIMIT ?2"
        ))?;
        let rows = query.query_map(params![user, rest as i64, part.after], collection)?;
        rows.collect::<rusqlite::Result<Vec<_>>>()
    };
    let limit = part.limit as usize;
    if of_runs {
        return among("TRUE", limit);
    }
    // `.` is the character after `-`.
    let mut found = among("name < 'run-'", limit)?;
    found.extend(among("name >= 'run.'", limit - found.len())?);
    Ok(found)
}

/// Reads the file of a document.
fn read_original(
    connection: &Connection,
    user: &str,
    id: &str,
) -> rusqlite::Result<Option<Vec<u8>>> {
    connection
        .prepare_cached("SELECT content FROM originals WHERE user_id = ?1 AND document_id = ?2")?
        .query_row(params![user, id], |row| row.get(0))
        .optional()
}

fn holds_documents(
    connection: &Connection,
    collection_row: &CollectionRow,
) -> rusqlite::Result<bool> {
    connection
        .prepare_cached("SELECT 1 FROM documents WHERE collection_id = ?1 LIMIT 1")?
        .exists(params![collection_row.id])
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
        let made = manifest.clone();
        let text = serde_json::to_string(manifest).map_err(|reason| PortError::Store {
            action: "write a manifest".into(),
            reason: reason.to_string(),
        })?;
        let stood = self
            .shared
            .writer
            .run(move |connection| {
                let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
                if let Some(collection_row) = find_collection(&transaction, &owner, &name)? {
                    if collection_row.manifest == made || holds_documents(&transaction, &collection_row)? {
                        return Ok(Some(collection_row.manifest));
                    }
                    // An ingest that stored nothing should not fix the settings of the next one.
                    write::forget_all(&transaction, &owner, &collection_row)?;
                }
                let now = Timestamp::now().to_string();
                transaction.execute(
                    "INSERT INTO collections (user_id, name, manifest, created_at, updated_at) VALUES (?1, ?2, ?3, ?4, ?4)",
                    params![owner, name, text, now],
                )?;
                make_index(&transaction, transaction.last_insert_rowid(), &made)?;
                transaction.commit()?;
                Ok(None)
            })
            .await
            .map_err(|failure| error("make the collection", &failure))?;
        stood.map_or(Ok(()), |stood| stood.same(collection, manifest))
    }

    async fn manifest(&self, user: &str, collection: &str) -> Result<Manifest, PortError> {
        let (owner, name) = (user.to_owned(), collection.to_owned());
        let found = self
            .read(move |connection| {
                Ok(find_collection(connection, &owner, &name)?
                    .map(|collection_row| collection_row.manifest))
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
            .run(move |connection| write::put(connection, &owner, &name, &documents))
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
            .run(move |connection| write::remove_paths(connection, &owner, &name, &paths))
            .await
            .map_err(|failure| error("remove the documents", &failure))?;
        done.ok_or_else(|| none_such(collection))
    }

    async fn remove_document(&self, user: &str, id: &str) -> Result<bool, PortError> {
        let (user, id) = (user.to_owned(), id.to_owned());
        self.shared
            .writer
            .run(move |connection| write::remove_document(connection, &user, &id))
            .await
            .map_err(|failure| error("remove the document", &failure))
    }

    async fn remove(&self, user: &str, collection: &str) -> Result<bool, PortError> {
        let (owner, name) = (user.to_owned(), collection.to_owned());
        let removed = self
            .shared
            .writer
            .run(move |connection| {
                let transaction =
                    connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
                let Some(collection_row) = find_collection(&transaction, &owner, &name)? else {
                    return Ok(None);
                };
                write::forget_all(&transaction, &owner, &collection_row)?;
                transaction.commit()?;
                Ok(Some(collection_row.id))
            })
            .await
            .map_err(|failure| error("remove the collection", &failure))?;
        if let Some(id) = removed {
            self.shared.indexes.forget(id);
        }
        Ok(removed.is_some())
    }

    async fn collection(&self, user: &str, name: &str) -> Result<Option<Collection>, PortError> {
        let (user, name) = (user.to_owned(), name.to_owned());
        self.read(move |connection| {
            connection
                .prepare_cached(&format!("{COLLECTION} WHERE user_id = ?1 AND name = ?2"))?
                .query_row(params![user, name], collection)
                .optional()
        })
        .await
        .map_err(|failure| error("read the collection", &failure))
    }

    async fn collections_part(
        &self,
        user: &str,
        of_runs: bool,
        part: &Part,
    ) -> Result<Vec<Collection>, PortError> {
        let (user, part) = (user.to_owned(), part.clone());
        self.read(move |connection| collections(connection, &user, of_runs, &part))
            .await
            .map_err(|failure| error("list the collections", &failure))
    }

    async fn documents_part(
        &self,
        user: &str,
        collection: &str,
        part: &Part,
    ) -> Result<Vec<StoredDocument>, PortError> {
        let (owner, name, part) = (user.to_owned(), collection.to_owned(), part.clone());
        let found = self
            .read(move |connection| {
                let Some(collection_row) = find_collection(connection, &owner, &name)? else { return Ok(None) };
                let begins = build_condition(&part, "d.path");
                let mut query = connection.prepare_cached(&format!(
                    "SELECT {DOCUMENT} FROM documents d JOIN collections c ON c.id = d.collection_id
                      WHERE d.user_id = ?1 AND d.collection_id = ?2 AND {begins} ORDER BY d.path LIMIT ?4"
                ))?;
                let values = params![owner, collection_row.id, part.after, part.limit];
                let rows = query.query_map(values, document)?;
                rows.collect::<rusqlite::Result<Vec<_>>>().map(Some)
            })
            .await
            .map_err(|failure| error("list the documents", &failure))?;
        found.ok_or_else(|| none_such(collection))
    }

    async fn documents_at(
        &self,
        user: &str,
        collection: &str,
        paths: &[String],
    ) -> Result<Vec<StoredDocument>, PortError> {
        let (owner, name, paths) = (user.to_owned(), collection.to_owned(), paths.to_vec());
        let found = self
            .read(move |connection| {
                let Some(collection_row) = find_collection(connection, &owner, &name)? else {
                    return Ok(None);
                };
                let mut query = connection.prepare_cached(&format!(
                    "SELECT {DOCUMENT} FROM documents d JOIN collections c ON c.id = d.collection_id
                      WHERE d.user_id = ?1 AND d.collection_id = ?2 AND d.path = ?3"
                ))?;
                let mut found = Vec::new();
                for path in paths {
                    found.extend(
                        query
                            .query_row(params![owner, collection_row.id, path], document)
                            .optional()?,
                    );
                }
                Ok(Some(found))
            })
            .await
            .map_err(|failure| error("look the documents up", &failure))?;
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
                    "SELECT {DOCUMENT}, CAST(d.text AS TEXT) FROM documents d JOIN collections c ON c.id = d.collection_id
                      WHERE d.user_id = ?1 AND d.id = ?2"
                ))?
                .query_row(params![user, id], |row| Ok((document(row)?, row.get(14)?)))
                .optional()
        })
        .await
        .map_err(|failure| error("read the document", &failure))
    }

    async fn original(&self, user: &str, id: &str) -> Result<Option<Vec<u8>>, PortError> {
        let (user, id) = (user.to_owned(), id.to_owned());
        self.read(move |connection| read_original(connection, &user, &id))
            .await
            .map_err(|failure| error("read the document's file", &failure))
    }

    async fn vectors(
        &self,
        user: &str,
        collection: &str,
        path: &str,
    ) -> Result<HashMap<Hash, Vec<f32>>, PortError> {
        let (user, name, path) = (user.to_owned(), collection.to_owned(), path.to_owned());
        self.read(move |connection| {
            let collection_row = find_collection(connection, &user, &name)?;
            let Some(collection_row) = collection_row.filter(|collection_row| collection_row.manifest.embedder.is_some()) else {
                return Ok(HashMap::new());
            };
            let mut query = connection.prepare_cached(&format!(
                "SELECT k.section, k.text, v.vector FROM chunks k JOIN vectors_{} v ON v.chunk_id = k.id
                  WHERE k.user_id = ?1 AND k.document_id = ?2",
                collection_row.id
            ))?;
            let id = document_id(collection_row.id, &path);
            let rows = query.query_map(params![user, id], |row| {
                let (section, text): (String, String) = (row.get(0)?, row.get(1)?);
                let vector: Vec<u8> = row.get(2)?;
                Ok((content_hash(&section, &text), floats(&vector)))
            })?;
            rows.collect()
        })
        .await
        .map_err(|failure| error("read the document's vectors", &failure))
    }

    async fn passage(&self, user: &str, chunk_id: &str) -> Result<Option<Passage>, PortError> {
        let (user, name) = (user.to_owned(), chunk_id.to_owned());
        self.read(move |connection| passage::named(connection, &user, &name))
            .await
            .map_err(|failure| error("read the passage", &failure))
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
                let Some(collection_row) = find_collection(connection, &owner, &asked.collection)?
                else {
                    return Ok(None);
                };
                let vector = match asked.vector(&collection_row.manifest, query.as_ref()) {
                    Ok(vector) => vector,
                    Err(refused) => return Ok(Some(Err(refused))),
                };
                search(connection, &indexes, &owner, &collection_row, &asked, vector)
                    .map(|found| Some(Ok(found)))
            })
            .await
            .map_err(|failure| error("search", &failure))?;
        found.unwrap_or_else(|| Err(none_such(&wanted.collection)))
    }
}
