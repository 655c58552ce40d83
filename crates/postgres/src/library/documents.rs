//! Documents: their rows, and what is read of them.

use std::collections::HashMap;

use deadpool_postgres::Transaction;
use papers::Paper;
use tokio_postgres::Row;

use run::entry::Hash;
use run::evidence::EvidenceKind;
use run::library::{Part, StoredDocument, content_hash, document_id, floats};

use super::collections::CollectionRow;
use crate::fault::Fault;
use crate::plain::stored;
use crate::query::{self, count, json, text};

const DOCUMENT: &str = "d.id, c.name, d.path, d.title, d.format, d.file_sha256, d.text_sha256,
       d.metadata, d.chunks, d.ingested_at, d.kind, d.work,
       (SELECT octet_length(o.content)::bigint FROM originals o WHERE o.user_id = d.user_id AND o.document_id = d.id), d.reader_version";

fn read_document(row: &Row) -> Result<StoredDocument, Fault> {
    Ok(StoredDocument {
        document_id: text(row, 0)?,
        collection: text(row, 1)?,
        path: text(row, 2)?,
        title: text(row, 3)?,
        format: text(row, 4)?,
        file_sha256: text(row, 5)?,
        text_sha256: text(row, 6)?,
        metadata: json(row, 7)?,
        chunks: count(row, 8)?,
        ingested_at: row.try_get(9)?,
        kind: read_kind(row, 10)?,
        work: read_work(row, 11)?,
        original_bytes: row.try_get::<_, Option<i64>>(12)?.map(|bytes| bytes as u64),
        reader_version: count(row, 13)? as u32,
    })
}

/// Reads the kind of a document's source.
pub(super) fn read_kind(row: &Row, index: usize) -> Result<EvidenceKind, Fault> {
    EvidenceKind::from_name(row.try_get(index)?).map_err(Fault::unreadable)
}

/// Reads the bibliographic data of the work.
pub(super) fn read_work(row: &Row, index: usize) -> Result<Option<Box<Paper>>, Fault> {
    match row.try_get::<_, Option<&str>>(index)? {
        Some(_) => json(row, index).map(Some),
        None => Ok(None),
    }
}

/// Returns a part of the documents of a collection, by path. The first characters of the paths are in an index, which has no room for
/// the longest paths.
pub(super) async fn part_of(
    transaction: &Transaction<'_>,
    user: &str,
    collection: &CollectionRow,
    part: &Part,
) -> Result<Vec<StoredDocument>, Fault> {
    let begins = match part.after {
        Some(_) => "left(d.path, 500) >= left($3, 500) AND d.path > $3",
        None => "$3::text IS NULL",
    };
    let sql = format!(
        "SELECT {DOCUMENT} FROM documents d JOIN collections c ON c.id = d.collection_id
          WHERE d.user_id = $1 AND d.collection_id = $2 AND {begins}
          ORDER BY left(d.path, 500), d.path LIMIT $4"
    );
    let after = part.after.as_deref().map(stored);
    let limit = i64::from(part.limit);
    let values: &query::Values<'_> = &[&stored(user), &collection.id, &after, &limit];
    query::rows(transaction, &sql, values).await?.iter().map(read_document).collect()
}

/// Returns the documents at these paths, in the same order.
pub(super) async fn at_paths(
    transaction: &Transaction<'_>,
    user: &str,
    collection: &CollectionRow,
    paths: &[String],
) -> Result<Vec<StoredDocument>, Fault> {
    let ids: Vec<String> = paths.iter().map(|path| document_id(collection.id, path)).collect();
    let sql = format!(
        "SELECT {DOCUMENT} FROM documents d JOIN collections c ON c.id = d.collection_id
          WHERE d.user_id = $1 AND d.collection_id = $2 AND d.id = ANY($3)"
    );
    let found = query::rows(transaction, &sql, &[&stored(user), &collection.id, &ids]).await?;
    let mut by_id = HashMap::with_capacity(found.len());
    for row in &found {
        let document = read_document(row)?;
        by_id.insert(document.document_id.clone(), document);
    }
    Ok(ids.iter().filter_map(|id| by_id.get(id)).cloned().collect())
}

/// Returns a document with its text.
pub(crate) async fn with_text(
    transaction: &Transaction<'_>,
    user: &str,
    id: &str,
) -> Result<Option<(StoredDocument, String)>, Fault> {
    let sql = format!(
        "SELECT {DOCUMENT}, d.text FROM documents d JOIN collections c ON c.id = d.collection_id
          WHERE d.user_id = $1 AND d.id = $2"
    );
    let found = query::row(transaction, &sql, &[&stored(user), &stored(id)]).await?;
    found.map(|row| Ok((read_document(&row)?, text(&row, 14)?))).transpose()
}

/// Returns the file of a document.
pub(crate) async fn original_of(
    transaction: &Transaction<'_>,
    user: &str,
    id: &str,
) -> Result<Option<Vec<u8>>, Fault> {
    let sql = "SELECT content FROM originals WHERE user_id = $1 AND document_id = $2";
    let found = query::row(transaction, sql, &[&stored(user), &stored(id)]).await?;
    found.map(|row| Ok(row.try_get(0)?)).transpose()
}

/// Returns the vectors of a document by the hashes of their chunks' content.
pub(super) async fn vectors_of(
    transaction: &Transaction<'_>,
    user: &str,
    collection: &CollectionRow,
    path: &str,
) -> Result<HashMap<Hash, Vec<f32>>, Fault> {
    let id = document_id(collection.id, path);
    let sql = "SELECT section, text, vector FROM chunks
                WHERE user_id = $1 AND document_id = $2 AND vector IS NOT NULL";
    let found = query::rows(transaction, sql, &[&stored(user), &id]).await?;
    let read = |row: &Row| {
        let (section, content) = (text(row, 0)?, text(row, 1)?);
        Ok((content_hash(&section, &content), floats(row.try_get(2)?)))
    };
    found.iter().map(read).collect()
}
