//! The layout of the database, in numbered steps.

use deadpool_postgres::Pool;

use crate::connection::OpenError;
use crate::fault::Fault;

/// The steps; each one runs once, in a transaction of its own.
const STEPS: [&str; 3] =
    [include_str!("schema/1.sql"), include_str!("schema/2.sql"), include_str!("schema/3.sql")];

/// The advisory lock under which the layout is changed: one process does it, and others wait.
const LOCK: i64 = 0x7175_6165_7374_696f;

/// Brings the layout up to date. A newer one is refused.
pub(crate) async fn run(pool: &Pool, location: &str) -> Result<(), OpenError> {
    let broken = |fault: &Fault| OpenError::Database {
        location: location.to_owned(),
        reason: fault.reason().to_owned(),
    };
    let found = migrate(pool).await.map_err(|fault| broken(&fault))?;
    let known = STEPS.len() as i32;
    if found > known {
        return Err(OpenError::Newer { location: location.to_owned(), found, known });
    }
    Ok(())
}

/// Runs the steps that are missing; returns the number of the layout that was found or made.
async fn migrate(pool: &Pool) -> Result<i32, Fault> {
    let mut client = pool.get().await?;
    if let Some(found) = layout(&client).await?
        && found >= STEPS.len() as i32
    {
        return Ok(found);
    }
    let transaction = client.transaction().await?;
    transaction.execute("SELECT pg_advisory_xact_lock($1)", &[&LOCK]).await?;
    transaction
        .batch_execute(
            "CREATE TABLE IF NOT EXISTS quaestio_layout (
                 number integer PRIMARY KEY, made_at timestamptz NOT NULL DEFAULT clock_timestamp())",
        )
        .await?;
    let mut found: i32 = transaction
        .query_one("SELECT coalesce(max(number), 0) FROM quaestio_layout", &[])
        .await?
        .try_get(0)?;
    for step in STEPS.iter().skip(usize::try_from(found).unwrap_or(usize::MAX)) {
        transaction.batch_execute(step).await?;
        found += 1;
        transaction.execute("INSERT INTO quaestio_layout (number) VALUES ($1)", &[&found]).await?;
    }
    transaction.commit().await?;
    Ok(found)
}

/// Returns the number of the layout; `None` if there is none yet.
async fn layout(client: &tokio_postgres::Client) -> Result<Option<i32>, Fault> {
    let known = client.query_one("SELECT to_regclass('quaestio_layout') IS NOT NULL", &[]).await?;
    if !known.try_get::<_, bool>(0)? {
        return Ok(None);
    }
    Ok(client.query_one("SELECT max(number) FROM quaestio_layout", &[]).await?.try_get(0)?)
}
