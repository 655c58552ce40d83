//! The log port on PostgreSQL.
//!
//! All appends of a process go through one task ([`writer`]), which stores those that wait at the same moment in one transaction
//! ([`batch`]). An append is one statement that finds the run's row as its fence names it, or changes nothing ([`append`]). Who holds a
//! run is decided under the lock of its row ([`holding`]) and by leases ([`leases`]).

mod append;
mod batch;
mod history;
mod holding;
mod leases;
mod news;
mod rows;
mod writer;

use async_trait::async_trait;
use futures::future::BoxFuture;
use futures::stream::BoxStream;
use jiff::Timestamp;
use run::database::Tally;
use run::entry::{Entry, Hash};
use run::error::PortError;
use run::log::{Append, CancelRequest, Listing, Log, LogError, RunSummary, Status};
use run::news::News;
use tokio_postgres::Row;
use uuid::Uuid;

use crate::Postgres;
use crate::connection::Unsure;
use crate::fault::Fault;
use crate::plain::stored;
use crate::query::text;

pub(crate) use append::body_text;
pub(crate) use history::{add_shares, fold_head, read_share};
pub(crate) use rows::{read_hash, read_status};
pub(crate) use writer::Writer;

fn unread(fault: &Fault) -> LogError {
    fault.log("be read")
}

fn unwritten(fault: &Fault) -> LogError {
    fault.log("be written")
}

#[async_trait]
impl Log for Postgres {
    fn append(&self, append: Append) -> BoxFuture<'static, Result<(), LogError>> {
        let done = self.shared.writer.append(append);
        Box::pin(async move {
            let gone = LogError::Store {
                action: "be written".into(),
                reason: "the writer has stopped".into(),
            };
            done.await.unwrap_or(Err(gone))
        })
    }

    async fn page(
        &self,
        user: &str,
        run: &str,
        after: u64,
        most: u32,
    ) -> Result<Vec<Entry>, LogError> {
        let query = "
            SELECT seq, hash, body FROM entries
             WHERE user_id = $1 AND run_id = $2 AND seq > $3 ORDER BY seq LIMIT $4";
        let after = i64::try_from(after).unwrap_or(i64::MAX);
        let rows = self
            .select(query, &[&stored(user), &stored(run), &after, &i64::from(most)])
            .await
            .map_err(|fault| unread(&fault))?;
        if rows.is_empty() && !self.has(user, run).await.map_err(|fault| unread(&fault))? {
            return Err(LogError::NoSuchRun { run: run.to_owned() });
        }
        rows.iter().map(|row| read_entry(run, row)).collect()
    }

    async fn summary(&self, user: &str, run: &str) -> Result<RunSummary, LogError> {
        let found = self.row_of(user, run).await.map_err(|fault| unread(&fault))?;
        found.ok_or_else(|| LogError::NoSuchRun { run: run.to_owned() })
    }

    async fn list(&self, user: &str, listing: &Listing) -> Result<Vec<RunSummary>, LogError> {
        let found = self.rows_of(user, listing).await.map_err(|fault| unread(&fault))?;
        let none_such = || LogError::NoSuchRun { run: listing.before.clone().unwrap_or_default() };
        found.ok_or_else(none_such)
    }

    async fn unfinished(&self, limit: u32) -> Result<Vec<(String, String)>, LogError> {
        self.rows_unfinished(limit).await.map_err(|fault| unread(&fault))
    }

    async fn keyed(&self, user: &str, key: &str) -> Result<Option<(String, Hash)>, LogError> {
        self.row_keyed(user, key).await.map_err(|fault| unread(&fault))
    }

    async fn find(&self, user: &str, prefix: &str) -> Result<Vec<String>, LogError> {
        self.ids_after(user, prefix).await.map_err(|fault| unread(&fault))
    }

    async fn claim(&self, user: &str, run: &str, owner: &str) -> Result<u32, LogError> {
        let failed = |fault: Fault| fault.log("be claimed from");
        self.shared.writer.settle().await;
        if owner == self.owner() {
            self.keep_lease().await.map_err(failed)?;
        }
        self.take_up(user, run, owner).await.map_err(failed)?
    }

    async fn release(&self, user: &str, run: &str, owner: &str) -> Result<(), LogError> {
        // What the owner appended before must not come too late.
        self.shared.writer.settle().await;
        let statement = "
            UPDATE runs SET owner = NULL, status = 'queued'
             WHERE user_id = $1 AND id = $2 AND owner = $3 AND status = 'running'";
        self.execute(statement, &[&stored(user), &stored(run), &stored(owner)])
            .await
            .map_err(|fault| unwritten(&fault))?;
        self.shared.writer.herald.changed(user, run, Status::Queued);
        Ok(())
    }

    async fn request_cancel(&self, user: &str, run: &str, by: &str) -> Result<(), LogError> {
        self.shared.writer.settle().await;
        let statement = "
            UPDATE runs SET cancel_by = $1 WHERE user_id = $2 AND id = $3 AND status = 'running'";
        let changed = self
            .execute(statement, &[&stored(by), &stored(user), &stored(run)])
            .await
            .map_err(|fault| unwritten(&fault))?;
        if changed == 0 {
            let status = self.summary(user, run).await?.status;
            return Err(LogError::NotOpen { run: run.to_owned(), status: status.name() });
        }
        Ok(())
    }

    async fn cancel_requests(&self, owner: &str) -> Result<Vec<CancelRequest>, LogError> {
        let query = "
            SELECT user_id, id, cancel_by FROM runs
             WHERE owner = $1 AND cancel_by IS NOT NULL ORDER BY number";
        let rows = self.select(query, &[&stored(owner)]).await;
        let requests = rows.and_then(|rows| rows.iter().map(read_request).collect());
        requests.map_err(|fault| unread(&fault))
    }

    async fn renew(&self, owner: &str) -> Result<(), LogError> {
        let renewed = match owner == self.owner() {
            true => self.hold_lease().await,
            false => self.prolong_lease(owner).await,
        };
        renewed.map_err(|fault| fault.log("be renewed in"))
    }

    fn news(&self) -> BoxStream<'static, News> {
        news::listen(self.shared.address.clone())
    }

    fn tell(&self, news: News) {
        self.shared.writer.herald.tell(news);
    }

    async fn remove(&self, user: &str, run: &str) -> Result<(), LogError> {
        self.shared.writer.settle().await;
        self.delete(user, run).await.map_err(|fault| fault.log("be removed from"))?
    }

    async fn ended_before(
        &self,
        user: Option<&str>,
        before: Timestamp,
        limit: u32,
    ) -> Result<Vec<(String, String)>, LogError> {
        self.rows_ended(user, before, limit).await.map_err(|fault| unread(&fault))
    }
}

fn read_entry(run: &str, row: &Row) -> Result<Entry, LogError> {
    let seq: i64 = row.try_get(0).map_err(|error| unread(&error.into()))?;
    let unreadable = |reason: String| LogError::Unreadable {
        run: run.to_owned(),
        seq: seq.unsigned_abs(),
        reason,
    };
    let hash = row.try_get(1).map_err(|error| unreadable(error.to_string()))?;
    let hash = rows::read_hash(hash).map_err(|reason| unreadable(reason.to_owned()))?;
    let body: &str = row.try_get(2).map_err(|error| unreadable(error.to_string()))?;
    Entry::read(body.as_bytes(), hash).map_err(|reason| unreadable(reason.to_string()))
}

fn read_request(row: &Row) -> Result<CancelRequest, Fault> {
    Ok(CancelRequest { user: text(row, 0)?, run: text(row, 1)?, by: text(row, 2)? })
}

impl Postgres {
    /// Ends in order: waits until everything that was appended is stored, and gives the lease of this process up. Its runs are free at
    /// once.
    ///
    /// Dropping the last clone does the same in the background, as far as the runtime lives long enough.
    pub async fn close(&self) -> Result<(), LogError> {
        self.shared.writer.settle().await;
        self.give_lease_up().await.map_err(|fault| unwritten(&fault))
    }

    /// Checks that something can be written and committed. Leaves nothing behind.
    pub(crate) async fn try_to_write(&self) -> Result<(), LogError> {
        let name = Uuid::new_v4().to_string();
        let written = self.write_with(Unsure::Repeat, name, |transaction, name| {
            Box::pin(async move {
                for statement in [
                    "INSERT INTO owners (name, lease_until) VALUES ($1, '-infinity')",
                    "DELETE FROM owners WHERE name = $1",
                ] {
                    transaction.execute(statement, &[name]).await?;
                }
                Ok(Ok::<_, LogError>(()))
            })
        });
        written.await.map_err(|fault| unwritten(&fault))?
    }

    /// Counts the runs that have not ended.
    pub(crate) async fn count_unfinished(&self) -> Result<Tally, PortError> {
        self.tally_rows().await.map_err(|fault| fault.port("count runs"))
    }
}
