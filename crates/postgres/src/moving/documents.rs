//! Collections and documents as they are stored.

use deadpool_postgres::Transaction;
use jiff::Timestamp;
use tokio_postgres::Row;

use run::error::PortError;
use run::library::{NewDocument, floats};
use run::moving::{CollectionRow, WholeChunk, WholeDocument};

use crate::Postgres;
use crate::fault::Fault;
use crate::library::{self, read_collection};
use crate::plain::stored;
use crate::query::{self, count, json, text, to_json};

const ROW: &str = "SELECT name, manifest, documents, chunks, created_at, updated_at, original_bytes, id, user_id FROM collections";

fn read_row(row: &Row) -> Result<CollectionRow, Fault> {
    Ok(CollectionRow {
        collection: read_collection(row)?,
        id: row.try_get(7)?,
        user: text(row, 8)?,
    })
}

impl Postgres {
    /// Returns a part of a user's collections, by name.
    pub(super) async fn moving_collections(
        &self,
        user: &str,
        after: Option<&str>,
        limit: u32,
    ) -> Result<Vec<CollectionRow>, Fault> {
        let begins = if after.is_some() { "name > $2" } else { "$2::text IS NULL" };
        let sql = format!("{ROW} WHERE user_id = $1 AND {begins} ORDER BY name LIMIT $3");
        let after = after.map(stored);
        let rows = self.select(&sql, &[&stored(user), &after, &i64::from(limit)]).await?;
        rows.iter().map(read_row).collect()
    }

    /// Returns the collection with this id.
    pub(super) async fn moving_collection(&self, id: i64) -> Result<Option<CollectionRow>, Fault> {
        let rows = self.select(&format!("{ROW} WHERE id = $1"), &[&id]).await?;
        rows.first().map(read_row).transpose()
    }

    /// Returns the highest id that a collection has or had.
    pub(super) async fn last_id(&self) -> Result<i64, Fault> {
        let rows = self.select(LAST_ID, &[]).await?;
        Ok(rows.first().map(|row| row.try_get(0)).transpose()?.unwrap_or_default())
    }
}

const LAST_ID: &str = "
    SELECT greatest((SELECT CASE WHEN is_called THEN last_value ELSE 0 END FROM collections_id_seq),
                    (SELECT coalesce(max(id), 0) FROM collections))";

/// Makes a collection; refuses with `false` where its id or its name is taken.
pub(super) async fn make(
    transaction: &Transaction<'_>,
    row: &CollectionRow,
) -> Result<Result<bool, PortError>, Fault> {
    lock_ids(transaction).await?;
    let sql = "INSERT INTO collections (id, user_id, name, manifest, created_at, updated_at) VALUES ($1, $2, $3, $4, $5, $6)
               ON CONFLICT DO NOTHING";
    let collection = &row.collection;
    let values: &query::Values<'_> = &[
        &row.id,
        &stored(&row.user),
        &stored(&collection.name),
        &to_json(&collection.manifest)?,
        &collection.created_at,
        &collection.updated_at,
    ];
    if query::execute(transaction, sql, values).await? == 0 {
        return Ok(Ok(false));
    }
    raise_ids(transaction, row.id).await?;
    Ok(Ok(true))
}

/// Lets no later collection have an id up to this one.
pub(super) async fn pass_ids(
    transaction: &Transaction<'_>,
    last: i64,
) -> Result<Result<(), PortError>, Fault> {
    lock_ids(transaction).await?;
    raise_ids(transaction, last).await?;
    Ok(Ok(()))
}

/// Keeps others from making collections until the transaction ends.
async fn lock_ids(transaction: &Transaction<'_>) -> Result<(), Fault> {
    query::execute(transaction, "LOCK TABLE collections IN SHARE ROW EXCLUSIVE MODE", &[]).await?;
    Ok(())
}

async fn raise_ids(transaction: &Transaction<'_>, last: i64) -> Result<(), Fault> {
    let found = query::rows(transaction, LAST_ID, &[]).await?;
    let known: i64 = found.first().map(|row| row.try_get(0)).transpose()?.unwrap_or_default();
    if known.max(last) > 0 {
        let sql = "SELECT setval('collections_id_seq', $1)";
        query::rows(transaction, sql, &[&known.max(last)]).await?;
    }
    Ok(())
}

const CHUNKS: &str =
    "SELECT number, section, start_byte, end_byte, text, terms, pages, vector FROM chunks
  WHERE user_id = $1 AND document_id = $2 ORDER BY number";

/// Returns a document with everything that is stored of it.
pub(super) async fn whole_document(
    transaction: &Transaction<'_>,
    user: &str,
    id: &str,
) -> Result<Option<WholeDocument>, Fault> {
    let Some((about, text)) = library::with_text(transaction, user, id).await? else {
        return Ok(None);
    };
    let chunks = query::rows(transaction, CHUNKS, &[&stored(user), &stored(id)]).await?;
    let chunks = chunks.iter().map(read_chunk).collect::<Result<_, _>>()?;
    let original = library::original_of(transaction, user, id).await?;
    Ok(Some(WholeDocument { about, text, chunks, original }))
}

fn read_chunk(row: &Row) -> Result<WholeChunk, Fault> {
    let vector: Option<&[u8]> = row.try_get(7)?;
    Ok(WholeChunk {
        number: i64::from(row.try_get::<_, i32>(0)?),
        section: text(row, 1)?,
        start: count(row, 2)?,
        end: count(row, 3)?,
        text: text(row, 4)?,
        terms: Some(text(row, 5)?),
        pages: json(row, 6)?,
        vector: vector.map(floats),
    })
}

/// A document to store.
pub(super) struct Given<'a> {
    pub(super) user: &'a str,
    pub(super) collection: i64,
    pub(super) id: &'a str,
    pub(super) new: &'a NewDocument,
    pub(super) ingested_at: Timestamp,
}

/// Stores a document; refuses with `false` where one is there.
pub(super) async fn put(
    transaction: &Transaction<'_>,
    given: &Given<'_>,
) -> Result<Result<bool, PortError>, Fault> {
    let Given { user, collection, id, new, ingested_at } = *given;
    let sql = format!("{ROW} WHERE user_id = $1 AND id = $2 FOR UPDATE");
    let Some(found) = query::row(transaction, &sql, &[&stored(user), &collection]).await? else {
        let what = format!("there is no collection {collection} of {user}");
        return Ok(Err(PortError::Invalid { what }));
    };
    let manifest = read_row(&found)?.collection.manifest;
    if let Err(refused) = manifest.check(new) {
        return Ok(Err(refused));
    }
    let sql = "SELECT FROM documents WHERE user_id = $1 AND id = $2";
    if query::row(transaction, sql, &[&stored(user), &stored(id)]).await?.is_some() {
        return Ok(Ok(false));
    }
    library::insert(transaction, user, collection, &manifest, id, new, Some(ingested_at)).await?;
    let sql = "UPDATE collections SET updated_at = greatest(updated_at, $2), changes = changes + 1,
                      documents = documents + 1, chunks = chunks + $3, original_bytes = original_bytes + $4
                WHERE id = $1";
    let chunks = new.chunks.len() as i64;
    let bytes = library::bytes_of(new);
    query::execute(transaction, sql, &[&collection, &ingested_at, &chunks, &bytes]).await?;
    Ok(Ok(true))
}
