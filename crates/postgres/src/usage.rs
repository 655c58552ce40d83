//! What users use in a day: of runs that are there, from their rows; of removed runs and uploads, from a table.

use async_trait::async_trait;
use run::error::PortError;
use run::usage::{Day, Usage, UsageStore};

use crate::Postgres;
use crate::fault::Fault;
use crate::plain::stored;
use crate::query::count;

/// Adds what a run has spent to the table, before its row is removed.
pub(crate) const KEEP_OF_RUN: &str = "
    INSERT INTO daily_usage AS kept (user_id, day, runs, tokens, cost_usd_micros)
    SELECT user_id, (created_at AT TIME ZONE 'UTC')::date, 1, tokens, cost_usd_micros FROM runs WHERE user_id = $1 AND id = $2
    ON CONFLICT (user_id, day) DO UPDATE
       SET runs = kept.runs + excluded.runs, tokens = kept.tokens + excluded.tokens,
           cost_usd_micros = kept.cost_usd_micros + excluded.cost_usd_micros";

/// The runs of a day that are there, and what the table holds of it.
const USAGE: &str = "
    SELECT sum(runs)::bigint, sum(tokens)::bigint, sum(cost_usd_micros)::bigint, sum(uploaded_bytes)::bigint
      FROM (SELECT count(*) AS runs, coalesce(sum(tokens), 0) AS tokens, coalesce(sum(cost_usd_micros), 0) AS cost_usd_micros,
                   0 AS uploaded_bytes
              FROM runs WHERE user_id = $1 AND created_at >= $2 AND created_at < $3
            UNION ALL
            SELECT runs, tokens, cost_usd_micros, uploaded_bytes FROM daily_usage WHERE user_id = $1 AND day = $4) AS used";

/// Counts an upload, or changes nothing where that would be too much.
const ADD_UPLOAD: &str = "
    INSERT INTO daily_usage AS kept (user_id, day, uploaded_bytes) SELECT $1::text, $2::date, $3::bigint WHERE $3 <= $4::bigint
    ON CONFLICT (user_id, day) DO UPDATE SET uploaded_bytes = kept.uploaded_bytes + excluded.uploaded_bytes
     WHERE kept.uploaded_bytes + excluded.uploaded_bytes <= $4";

#[async_trait]
impl UsageStore for Postgres {
    async fn usage(&self, user: &str, day: Day) -> Result<Usage, PortError> {
        self.read_usage(user, day).await.map_err(|fault| fault.port("count what was used"))
    }

    async fn add_upload(
        &self,
        user: &str,
        day: Day,
        bytes: u64,
        limit: Option<u64>,
    ) -> Result<bool, PortError> {
        let number = |bytes: u64| i64::try_from(bytes).unwrap_or(i64::MAX);
        let (bytes, limit) = (number(bytes), number(limit.unwrap_or(u64::MAX)));
        // An upload may count twice if the connection breaks just when it has been counted.
        let added = self.execute(ADD_UPLOAD, &[&stored(user), &day.date(), &bytes, &limit]).await;
        Ok(added.map_err(|fault| fault.port("count an upload"))? == 1)
    }
}

impl Postgres {
    async fn read_usage(&self, user: &str, day: Day) -> Result<Usage, Fault> {
        let (begin, end, date) = (day.begin(), day.end(), day.date());
        let rows = self.select(USAGE, &[&stored(user), &begin, &end, &date]).await?;
        let Some(row) = rows.first() else { return Ok(Usage::default()) };
        Ok(Usage {
            runs: count(row, 0)?,
            tokens: count(row, 1)?,
            cost_usd_micros: count(row, 2)?,
            uploaded_bytes: count(row, 3)?,
        })
    }
}
