//! Statements, each prepared once per connection, and the values in their rows.

use deadpool_postgres::Transaction;
use serde::Serialize;
use serde::de::DeserializeOwned;
use tokio_postgres::Row;
use tokio_postgres::types::ToSql;

use crate::fault::Fault;
use crate::plain::{restored, stored};

/// The values of a statement's parameters.
pub(crate) type Values<'a> = [&'a (dyn ToSql + Sync)];

/// Returns all rows of a query.
pub(crate) async fn rows(
    transaction: &Transaction<'_>,
    sql: &str,
    values: &Values<'_>,
) -> Result<Vec<Row>, Fault> {
    let statement = transaction.prepare_cached(sql).await?;
    Ok(transaction.query(&statement, values).await?)
}

/// Returns the row of a query that finds one at most.
pub(crate) async fn row(
    transaction: &Transaction<'_>,
    sql: &str,
    values: &Values<'_>,
) -> Result<Option<Row>, Fault> {
    let statement = transaction.prepare_cached(sql).await?;
    Ok(transaction.query_opt(&statement, values).await?)
}

/// Runs a statement; returns the number of rows that it changed.
pub(crate) async fn execute(
    transaction: &Transaction<'_>,
    sql: &str,
    values: &Values<'_>,
) -> Result<u64, Fault> {
    let statement = transaction.prepare_cached(sql).await?;
    Ok(transaction.execute(&statement, values).await?)
}

/// Reads a text.
pub(crate) fn text(row: &Row, index: usize) -> Result<String, Fault> {
    Ok(restored(row.try_get(index)?))
}

/// Reads a number that is never negative.
pub(crate) fn count(row: &Row, index: usize) -> Result<u64, Fault> {
    u64::try_from(row.try_get::<_, i64>(index)?).map_err(Fault::unreadable)
}

/// Reads what a text holds as JSON.
pub(crate) fn json<T: DeserializeOwned>(row: &Row, index: usize) -> Result<T, Fault> {
    serde_json::from_str(&text(row, index)?).map_err(Fault::unreadable)
}

/// Returns a value as JSON that can be stored.
pub(crate) fn to_json(value: &impl Serialize) -> Result<String, Fault> {
    let json = serde_json::to_string(value)
        .map_err(|reason| Fault::Other(format!("could not write a value as JSON: {reason}")))?;
    Ok(stored(&json).into_owned())
}
