//! What users use in a day: of runs that are there, from their rows; of removed runs and uploads, from a table.

use async_trait::async_trait;
use rusqlite::{Connection, OptionalExtension, Row, params};

use run::error::PortError;
use run::usage::{Day, Usage, UsageStore};

use crate::log::row_time;
use crate::{Store, library};

/// Adds what a run has spent to the table, before its row is removed.
pub(crate) const KEEP_OF_RUN: &str =
    "INSERT INTO daily_usage (user_id, day, runs, tokens, cost_usd_micros)
     SELECT user_id, substr(created_at, 1, 10), 1, tokens, cost_usd_micros FROM runs WHERE user_id = ?1 AND id = ?2
     ON CONFLICT DO UPDATE SET runs = runs + excluded.runs, tokens = tokens + excluded.tokens,
                               cost_usd_micros = cost_usd_micros + excluded.cost_usd_micros";

/// Reads a row of counts.
fn counts(row: &Row<'_>) -> rusqlite::Result<Usage> {
    let count = |index: usize| row.get::<_, i64>(index).map(i64::unsigned_abs);
    Ok(Usage {
        runs: count(0)?,
        tokens: count(1)?,
        cost_usd_micros: count(2)?,
        uploaded_bytes: count(3)?,
    })
}

/// Counts the runs of a day that are there.
fn of_runs(connection: &Connection, user: &str, day: Day) -> rusqlite::Result<Usage> {
    connection
        .prepare_cached(
            "SELECT count(*), coalesce(sum(tokens), 0), coalesce(sum(cost_usd_micros), 0), 0
               FROM runs INDEXED BY runs_by_creation WHERE user_id = ?1 AND created_at >= ?2 AND created_at < ?3",
        )?
        .query_row(params![user, row_time(day.begin()), row_time(day.end())], counts)
}

/// Returns what the table holds.
fn of_table(connection: &Connection, user: &str, day: Day) -> rusqlite::Result<Usage> {
    let found = connection
        .prepare_cached(
            "SELECT runs, tokens, cost_usd_micros, uploaded_bytes FROM daily_usage WHERE user_id = ?1 AND day = ?2",
        )?
        .query_row(params![user, day.to_string()], counts)
        .optional()?;
    Ok(found.unwrap_or_default())
}

#[async_trait]
impl UsageStore for Store {
    async fn usage(&self, user: &str, day: Day) -> Result<Usage, PortError> {
        let user = user.to_owned();
        let read = self.read(move |connection| {
            let (runs, table) =
                (of_runs(connection, &user, day)?, of_table(connection, &user, day)?);
            Ok(runs + table)
        });
        read.await.map_err(|error| library::error("count what was used", &error))
    }

    async fn add_upload(
        &self,
        user: &str,
        day: Day,
        bytes: u64,
        limit: Option<u64>,
    ) -> Result<bool, PortError> {
        let user = user.to_owned();
        let number = |bytes: u64| i64::try_from(bytes).unwrap_or(i64::MAX);
        let (bytes, limit) = (number(bytes), number(limit.unwrap_or(u64::MAX)));
        let added = self.shared.writer.run(move |connection| {
            connection
                .prepare_cached(
                    "INSERT INTO daily_usage (user_id, day, uploaded_bytes) SELECT ?1, ?2, ?3 WHERE ?3 <= ?4
                     ON CONFLICT DO UPDATE SET uploaded_bytes = uploaded_bytes + excluded.uploaded_bytes
                      WHERE uploaded_bytes + excluded.uploaded_bytes <= ?4",
                )?
                .execute(params![user, day.to_string(), bytes, limit])
        });
        let added = added.await.map_err(|error| library::error("count an upload", &error))?;
        Ok(added == 1)
    }
}
