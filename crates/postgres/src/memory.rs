//! What is remembered of outside services: one memory for all processes that share the database.

use async_trait::async_trait;
use deadpool_postgres::Client;
use run::error::PortError;
use run::services::{Change, Memory, Step, Times};
use tokio::time::timeout;

use crate::Postgres;
use crate::fault::Fault;
use crate::plain::stored;

/// How long to wait for a memory that only saves requests.
const PATIENCE: std::time::Duration = std::time::Duration::from_secs(5);

/// The clock of the database, in microseconds.
const NOW: &str = "(extract(epoch FROM clock_timestamp()) * 1000000)::bigint";

#[async_trait]
impl Memory for Postgres {
    async fn check(&self) -> Result<(), PortError> {
        // A database that is open remembers.
        Ok(())
    }

    async fn answer(&self, key: &str, limit: u64) -> Option<Vec<u8>> {
        timeout(PATIENCE, self.find_answer(key, limit)).await.ok()?.ok()?
    }

    async fn keep_answer(&self, key: &str, answer: Vec<u8>) {
        // If writing fails, the question is asked again.
        let _ = timeout(PATIENCE, self.store_answer(key, &answer)).await;
    }

    async fn pace(&self, service: &str, change: Change) -> Option<Step> {
        timeout(PATIENCE, self.change_pace(service, change)).await.ok()?.ok()
    }
}

impl Postgres {
    async fn find_answer(&self, key: &str, limit: u64) -> Result<Option<Vec<u8>>, Fault> {
        let client: Client = self.shared.pool.get().await?;
        let query = client
            .prepare_cached("SELECT answer FROM answers WHERE key = $1 AND length(answer) <= $2")
            .await?;
        let limit = i32::try_from(limit).unwrap_or(i32::MAX);
        let row = client.query_opt(&query, &[&stored(key), &limit]).await?;
        Ok(row.map(|row| row.try_get(0)).transpose()?)
    }

    async fn store_answer(&self, key: &str, answer: &[u8]) -> Result<(), Fault> {
        let client: Client = self.shared.pool.get().await?;
        let insert = client
            .prepare_cached(
                "INSERT INTO answers (key, answer, kept_at) VALUES ($1, $2, clock_timestamp())
                 ON CONFLICT (key) DO UPDATE SET answer = excluded.answer, kept_at = excluded.kept_at",
            )
            .await?;
        client.execute(&insert, &[&stored(key), &answer]).await?;
        Ok(())
    }

    async fn change_pace(&self, service: &str, change: Change) -> Result<Step, Fault> {
        let mut client: Client = self.shared.pool.get().await?;
        let transaction = client.transaction().await?;
        let service = stored(service);
        let make = transaction
            .prepare_cached("INSERT INTO paces VALUES ($1, 0, 0, 0) ON CONFLICT DO NOTHING")
            .await?;
        transaction.execute(&make, &[&service]).await?;
        let read = transaction
            .prepare_cached(&format!(
                "SELECT next_at, shut_at, resting_at, {NOW} FROM paces WHERE service = $1 FOR UPDATE"
            ))
            .await?;
        let row = transaction.query_one(&read, &[&service]).await?;
        let number = |place: usize| Ok::<u64, Fault>(row.try_get::<_, i64>(place)?.unsigned_abs());
        let before = Times { next: number(0)?, shut: number(1)?, resting: number(2)? };
        let now = number(3)?;
        let mut times = before.believed(now, now);
        let step = times.change(change, now);
        if times != before {
            let update = transaction
                .prepare_cached(
                    "UPDATE paces SET next_at = $2, shut_at = $3, resting_at = $4 WHERE service = $1",
                )
                .await?;
            let [next, shut, resting] = [times.next, times.shut, times.resting]
                .map(|time| i64::try_from(time).unwrap_or(i64::MAX));
            transaction.execute(&update, &[&service, &next, &shut, &resting]).await?;
        }
        transaction.commit().await?;
        Ok(step)
    }
}
