//! Collections: their rows, as a write locks them and as a user sees them.

use deadpool_postgres::Transaction;
use tokio_postgres::Row;

use run::library::{Collection, Manifest, Part};

use crate::fault::Fault;
use crate::plain::stored;
use crate::query::{self, count, json, text};

/// The row of a collection.
pub(super) struct CollectionRow {
    pub(super) id: i64,
    pub(super) manifest: Manifest,
    pub(super) documents: u64,
    pub(super) chunks: u64,
    pub(super) changes: i64,
}

const COLLECTION_ROW: &str = "SELECT id, manifest, documents, chunks, changes FROM collections
  WHERE user_id = $1 AND name = $2";

/// Returns the row of a collection as it is now.
pub(super) async fn find_collection(
    transaction: &Transaction<'_>,
    user: &str,
    name: &str,
) -> Result<Option<CollectionRow>, Fault> {
    let found = query::row(transaction, COLLECTION_ROW, &[&stored(user), &stored(name)]).await?;
    found.as_ref().map(read_collection_row).transpose()
}

/// Returns the row of a collection, which nobody else changes until the transaction ends.
pub(super) async fn lock_collection(
    transaction: &Transaction<'_>,
    user: &str,
    name: &str,
) -> Result<Option<CollectionRow>, Fault> {
    let sql = format!("{COLLECTION_ROW} FOR UPDATE");
    let found = query::row(transaction, &sql, &[&stored(user), &stored(name)]).await?;
    found.as_ref().map(read_collection_row).transpose()
}

fn read_collection_row(row: &Row) -> Result<CollectionRow, Fault> {
    Ok(CollectionRow {
        id: row.try_get(0)?,
        manifest: json(row, 1)?,
        documents: count(row, 2)?,
        chunks: count(row, 3)?,
        changes: row.try_get(4)?,
    })
}

const COLLECTION: &str = "SELECT name, manifest, documents, chunks, created_at, updated_at, original_bytes FROM collections";

/// Reads a row that begins with the columns of a collection.
pub(crate) fn read_collection(row: &Row) -> Result<Collection, Fault> {
    Ok(Collection {
        name: text(row, 0)?,
        manifest: json(row, 1)?,
        documents: count(row, 2)?,
        chunks: count(row, 3)?,
        created_at: row.try_get(4)?,
        updated_at: row.try_get(5)?,
        original_bytes: count(row, 6)?,
    })
}

/// Returns a collection.
pub(super) async fn collection(
    transaction: &Transaction<'_>,
    user: &str,
    name: &str,
) -> Result<Option<Collection>, Fault> {
    let sql = format!("{COLLECTION} WHERE user_id = $1 AND name = $2");
    let found = query::row(transaction, &sql, &[&stored(user), &stored(name)]).await?;
    found.as_ref().map(read_collection).transpose()
}

/// Returns a part of a user's collections. Those of single runs are adjacent in name order, so the others are found without reading
/// them.
pub(super) async fn collections(
    transaction: &Transaction<'_>,
    user: &str,
    of_runs: bool,
    part: &Part,
) -> Result<Vec<Collection>, Fault> {
    let limit = part.limit as usize;
    if of_runs {
        return collections_among(transaction, user, "TRUE", part, limit).await;
    }
    // `.` is the character after `-`.
    let mut found = collections_among(transaction, user, "name < 'run-'", part, limit).await?;
    let rest = limit - found.len();
    if rest > 0 {
        found.extend(collections_among(transaction, user, "name >= 'run.'", part, rest).await?);
    }
    Ok(found)
}

async fn collections_among(
    transaction: &Transaction<'_>,
    user: &str,
    condition: &str,
    part: &Part,
    limit: usize,
) -> Result<Vec<Collection>, Fault> {
    let begins = match part.after {
        Some(_) => "name > $3",
        None => "$3::text IS NULL",
    };
    let sql = format!(
        "{COLLECTION} WHERE user_id = $1 AND {condition} AND {begins} ORDER BY name LIMIT $2"
    );
    let after = part.after.as_deref().map(stored);
    let found = query::rows(transaction, &sql, &[&stored(user), &(limit as i64), &after]).await?;
    found.iter().map(read_collection).collect()
}
