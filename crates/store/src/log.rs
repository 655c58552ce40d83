//! The log port on SQLite.

mod history;
pub(crate) mod moving;
mod numbers;
mod questions;
mod rows;

use std::sync::Arc;

use async_trait::async_trait;
use futures::future::BoxFuture;
use jiff::Timestamp;
use rusqlite::{Connection, ErrorCode, OptionalExtension, TransactionBehavior, ffi, params};

use run::database::Tally;
use run::entry::{Entry, Hash};
use run::error::PortError;
use run::log::{
    Append, CancelRequest, Fence, Listing, Log, LogError, NewRun, RequestKey, RunSummary, Status,
};

use crate::owner::Owner;
use crate::{Store, library};

/// How long a worker may be silent before its runs are taken over.
const LEASE_MS: i64 = 60_000;
const NOW_MS: &str = "CAST(unixepoch('subsec') * 1000 AS INTEGER)";

pub(crate) fn error(action: &str, error: &rusqlite::Error) -> LogError {
    if is_disk_full(error) {
        return LogError::DiskFull;
    }
    LogError::Store { action: action.to_owned(), reason: error.to_string() }
}

pub(crate) fn is_disk_full(error: &rusqlite::Error) -> bool {
    // If the index of the write-ahead log cannot grow, SQLite returns an error of its own.
    error.sqlite_error_code() == Some(ErrorCode::DiskFull)
        || error
            .sqlite_error()
            .is_some_and(|error| error.extended_code == ffi::SQLITE_IOERR_SHMSIZE)
}

/// Formats an instant for the run's row at a fixed length, so that rows sort by time.
pub(crate) fn row_time(at: Timestamp) -> String {
    format!("{at:.9}")
}

/// Stores entries and the run's row inside the writer's transaction.
///
/// The caller rolls back whatever was stored before a refusal.
pub(crate) fn append(
    connection: &Connection,
    owners: &Owner,
    append: &Append,
) -> Result<(), LogError> {
    let failed = |failure: rusqlite::Error| error("be written", &failure);
    let fenced = || LogError::Fenced { run: append.run.clone() };
    if append.entries.windows(2).any(|pair| pair[0].seq.checked_add(1) != Some(pair[1].seq)) {
        return Err(fenced());
    }
    let last = append.entries.last().map(|entry| entry.seq as i64);
    let before = append.entries.first().map(|entry| entry.seq as i64 - 1);
    let at = row_time(append.at);
    let (tokens, cost) = (append.spent.tokens as i64, append.spent.cost_usd_micros as i64);
    let status = append.status.name();
    let changed = match &append.fence {
        Fence::New(_) if before.is_some_and(|before| before != 0) => 0,
        Fence::New(new) => {
            let mut insert = connection
                .prepare_cached(&format!(
                    "INSERT INTO runs (user_id, id, method, question, status, owner, lease_until_ms, attempt,
                                       last_seq, tokens, cost_usd_micros, created_at, updated_at, request_key, request_hash, number)
                     VALUES (?1, ?2, ?3, ?4, ?5, CASE ?5 WHEN 'running' THEN ?6 END, {NOW_MS} + {LEASE_MS}, ?7,
                             coalesce(?8, 0), ?9, ?10, ?11, ?11, ?12, ?13, ?14)
                     ON CONFLICT DO NOTHING"
                ))
                .map_err(failed)?;
            let number = numbers::next(connection, &append.user).map_err(failed)?;
            let attempt = i64::from(new.owner.is_some());
            let key = new.key.as_ref().map(|key| (&key.key, key.request.0.as_slice()));
            let (key, request) = key.unzip();
            let made = insert
                .execute(params![
                    append.user, append.run, new.method, new.question, status, new.owner, attempt, last, tokens, cost, at,
                    key, request, number
                ])
                .map_err(failed)?;
            if made == 1 {
                questions::enter(connection, number, &new.question).map_err(failed)?;
            }
            made
        }
        Fence::Attempt(attempt) => {
            // Most entries leave the run at work, and columns that are not set cause no index writes.
            let at_work = connection
                .prepare_cached(
                    "UPDATE runs SET last_seq = coalesce(?1, last_seq), tokens = ?3, cost_usd_micros = ?4, updated_at = ?5
                     WHERE ?2 = 'running' AND status = 'running'
                           AND user_id = ?6 AND id = ?7 AND attempt = ?8 AND last_seq = coalesce(?9, last_seq)
                           AND owner IS NOT NULL",
                )
                .map_err(failed)?
                .execute(params![last, status, tokens, cost, at, append.user, append.run, attempt, before])
                .map_err(failed)?;
            match at_work {
                0 => connection
                    .prepare_cached(
                        "UPDATE runs SET last_seq = coalesce(?1, last_seq), status = ?2, tokens = ?3, cost_usd_micros = ?4,
                                updated_at = ?5, owner = CASE ?2 WHEN 'running' THEN owner END
                         WHERE user_id = ?6 AND id = ?7 AND attempt = ?8 AND last_seq = coalesce(?9, last_seq)
                               AND owner IS NOT NULL",
                    )
                    .map_err(failed)?
                    .execute(params![last, status, tokens, cost, at, append.user, append.run, attempt, before])
                    .map_err(failed)?,
                changed => changed,
            }
        }
        Fence::Idle(was) => connection
            .prepare_cached(
                "UPDATE runs SET last_seq = coalesce(?1, last_seq), status = ?2, tokens = ?3, cost_usd_micros = ?4,
                        updated_at = ?5
                 WHERE user_id = ?6 AND id = ?7 AND status = ?8 AND last_seq = coalesce(?9, last_seq)
                       AND owner IS NULL",
            )
            .map_err(failed)?
            .execute(params![last, status, tokens, cost, at, append.user, append.run, was.name(), before])
            .map_err(failed)?,
    };
    if changed != 1 {
        if let Fence::New(NewRun { key: Some(RequestKey { key, .. }), .. }) = &append.fence
            && let Some((run, _)) = rows::keyed(connection, &append.user, key).map_err(failed)?
        {
            return Err(LogError::KeyTaken { key: key.clone(), run });
        }
        return Err(fenced());
    }
    if let Fence::New(NewRun { method, at_most: Some(limit), .. }) = &append.fence {
        let limit = (*limit).max(1);
        let run = rows::beyond(connection, owners, append, method, limit).map_err(failed)?;
        if let Some(run) = run {
            return Err(LogError::TooMany { method: method.clone(), run, limit });
        }
    }
    let mut insert = connection
        .prepare_cached(
            "INSERT INTO entries (user_id, run_id, seq, hash, body) VALUES (?1, ?2, ?3, ?4, ?5)",
        )
        .map_err(failed)?;
    for entry in &append.entries {
        let body = std::str::from_utf8(&entry.body).map_err(|reason| LogError::Store {
            action: "be written".into(),
            reason: reason.to_string(),
        })?;
        insert
            .execute(params![
                append.user,
                append.run,
                entry.seq as i64,
                entry.hash.0.as_slice(),
                body
            ])
            .map_err(failed)?;
    }
    Ok(())
}

#[async_trait]
impl Log for Store {
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
        let (user, id) = (user.to_owned(), run.to_owned());
        let after = i64::try_from(after).unwrap_or(i64::MAX);
        let rows: Option<Vec<(u64, Vec<u8>, Vec<u8>)>> = self
            .read(move |connection| {
                let mut query = connection.prepare_cached(
                    "SELECT seq, hash, CAST(body AS BLOB) FROM entries
                     WHERE user_id = ?1 AND run_id = ?2 AND seq > ?3 ORDER BY seq LIMIT ?4",
                )?;
                let rows = query.query_map(params![user, id, after, most], |row| {
                    Ok((row.get::<_, i64>(0)? as u64, row.get(1)?, row.get(2)?))
                })?;
                let rows: Vec<_> = rows.collect::<rusqlite::Result<_>>()?;
                if rows.is_empty() {
                    let there = connection
                        .prepare_cached("SELECT 1 FROM runs WHERE user_id = ?1 AND id = ?2")?
                        .exists(params![user, id])?;
                    return Ok(there.then_some(rows));
                }
                Ok(Some(rows))
            })
            .await
            .map_err(|failure| error("be read", &failure))?;
        let rows = rows.ok_or_else(|| LogError::NoSuchRun { run: run.to_owned() })?;
        rows.into_iter()
            .map(|(seq, hash, body)| {
                let unreadable =
                    |reason: String| LogError::Unreadable { run: run.to_owned(), seq, reason };
                let hash =
                    hash.try_into().map_err(|_| unreadable("its hash is not 32 bytes".into()))?;
                Entry::read(&body, Hash(hash)).map_err(|reason| unreadable(reason.to_string()))
            })
            .collect()
    }

    async fn summary(&self, user: &str, run: &str) -> Result<RunSummary, LogError> {
        let (user, id) = (user.to_owned(), run.to_owned());
        let found = self
            .read(move |connection| rows::one(connection, &user, &id))
            .await
            .map_err(|failure| error("be read", &failure))?;
        found.ok_or_else(|| LogError::NoSuchRun { run: run.to_owned() })
    }

    async fn list(&self, user: &str, listing: &Listing) -> Result<Vec<RunSummary>, LogError> {
        let (user, wanted) = (user.to_owned(), listing.clone());
        let found = self
            .read(move |connection| rows::list(connection, &user, &wanted))
            .await
            .map_err(|failure| error("be read", &failure))?;
        let none_such = || LogError::NoSuchRun { run: listing.before.clone().unwrap_or_default() };
        found.ok_or_else(none_such)
    }

    async fn unfinished(&self, limit: u32) -> Result<Vec<(String, String)>, LogError> {
        let owners = Arc::clone(&self.shared.owner);
        self.read(move |connection| rows::unfinished(connection, &owners, limit as usize))
            .await
            .map_err(|failure| error("be read", &failure))
    }

    async fn keyed(&self, user: &str, key: &str) -> Result<Option<(String, Hash)>, LogError> {
        let (user, key) = (user.to_owned(), key.to_owned());
        self.read(move |connection| rows::keyed(connection, &user, &key))
            .await
            .map_err(|failure| error("be read", &failure))
    }

    async fn find(&self, user: &str, prefix: &str) -> Result<Vec<String>, LogError> {
        let (user, prefix) = (user.to_owned(), prefix.to_owned());
        self.read(move |connection| {
            let mut query = connection.prepare_cached(
                "SELECT id FROM runs WHERE user_id = ?1 AND id BETWEEN ?2 AND ?3 ORDER BY id LIMIT 10",
            )?;
            // No id with this prefix sorts after this one, which ends in the greatest character.
            let last = format!("{prefix}{}", char::MAX);
            let rows = query.query_map(params![user, prefix, last], |row| row.get(0))?;
            rows.collect()
        })
        .await
        .map_err(|failure| error("be read", &failure))
    }

    async fn claim(&self, user: &str, run: &str, owner: &str) -> Result<u32, LogError> {
        let (user, id, owner) = (user.to_owned(), run.to_owned(), owner.to_owned());
        let owners = Arc::clone(&self.shared.owner);
        let claimed = self
            .shared
            .writer
            .run(move |connection| {
                let transaction =
                    connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
                let held = transaction
                    .query_row(
                        &format!(
                            "SELECT status, owner, lease_until_ms > {NOW_MS}, attempt FROM runs
                             WHERE user_id = ?1 AND id = ?2"
                        ),
                        params![user, id],
                        |row| {
                            Ok((
                                row.get::<_, String>(0)?,
                                row.get::<_, Option<String>>(1)?,
                                row.get::<_, bool>(2)?,
                                row.get::<_, u32>(3)?,
                            ))
                        },
                    )
                    .optional()?;
                let Some((status, holder, leased, attempt)) = held else {
                    return Ok(Err(LogError::NoSuchRun { run: id }));
                };
                let status = Status::named(&status).unwrap_or(Status::Partial);
                if status.is_final() || status == Status::Waiting {
                    return Ok(Err(LogError::NotOpen { run: id, status: status.name() }));
                }
                if let Some(holder) = holder
                    && leased
                    && owners.lives(&holder)
                {
                    return Ok(Err(LogError::Busy { run: id, owner: holder }));
                }
                // If the previous worker died before it saw a request to stop, the next one inherits it.
                transaction.execute(
                    &format!(
                        "UPDATE runs SET status = 'running', owner = ?1, attempt = ?2,
                                cancel_by = CASE status WHEN 'running' THEN cancel_by END,
                                lease_until_ms = {NOW_MS} + {LEASE_MS}
                         WHERE user_id = ?3 AND id = ?4"
                    ),
                    params![owner, attempt + 1, user, id],
                )?;
                transaction.commit()?;
                Ok(Ok(attempt + 1))
            })
            .await;
        claimed.map_err(|failure| error("be claimed from", &failure))?
    }

    async fn release(&self, user: &str, run: &str, owner: &str) -> Result<(), LogError> {
        let (user, id, owner) = (user.to_owned(), run.to_owned(), owner.to_owned());
        self.shared
            .writer
            .run(move |connection| {
                connection.execute(
                    "UPDATE runs SET owner = NULL, status = 'queued'
                     WHERE user_id = ?1 AND id = ?2 AND owner = ?3 AND status = 'running'",
                    params![user, id, owner],
                )
            })
            .await
            .map(|_| ())
            .map_err(|failure| error("be written", &failure))
    }

    async fn request_cancel(&self, user: &str, run: &str, by: &str) -> Result<(), LogError> {
        let (owned_user, id, by) = (user.to_owned(), run.to_owned(), by.to_owned());
        let changed = self
            .shared
            .writer
            .run(move |connection| {
                connection.execute(
                    "UPDATE runs SET cancel_by = ?1 WHERE user_id = ?2 AND id = ?3 AND status = 'running'",
                    params![by, owned_user, id],
                )
            })
            .await
            .map_err(|failure| error("be written", &failure))?;
        if changed == 0 {
            let status = self.summary(user, run).await?.status;
            return Err(LogError::NotOpen { run: run.to_owned(), status: status.name() });
        }
        Ok(())
    }

    async fn cancel_requests(&self, owner: &str) -> Result<Vec<CancelRequest>, LogError> {
        let owner = owner.to_owned();
        self.read(move |connection| {
            let mut query = connection.prepare_cached(
                "SELECT user_id, id, cancel_by FROM runs WHERE owner = ?1 AND cancel_by IS NOT NULL",
            )?;
            let rows = query.query_map(params![owner], |row| {
                Ok(CancelRequest { user: row.get(0)?, run: row.get(1)?, by: row.get(2)? })
            })?;
            rows.collect()
        })
        .await
        .map_err(|failure| error("be read", &failure))
    }

    async fn renew(&self, owner: &str) -> Result<(), LogError> {
        let owner = owner.to_owned();
        self.shared
            .writer
            .run(move |connection| {
                connection.execute(
                    &format!(
                        "UPDATE runs SET lease_until_ms = {NOW_MS} + {LEASE_MS} WHERE owner = ?1"
                    ),
                    params![owner],
                )
            })
            .await
            .map(|_| ())
            .map_err(|failure| error("be renewed in", &failure))
    }

    async fn remove(&self, user: &str, run: &str) -> Result<(), LogError> {
        let (user, id) = (user.to_owned(), run.to_owned());
        let owners = Arc::clone(&self.shared.owner);
        let removed = self
            .shared
            .writer
            .run(move |connection| {
                let transaction =
                    connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
                let done = rows::remove(&transaction, &owners, &user, &id)?;
                if done.is_ok() {
                    transaction.commit()?;
                }
                Ok(done)
            })
            .await;
        removed.map_err(|failure| error("be removed from", &failure))?
    }

    async fn ended_before(
        &self,
        user: Option<&str>,
        before: Timestamp,
        limit: u32,
    ) -> Result<Vec<(String, String)>, LogError> {
        let user = user.map(str::to_owned);
        self.read(move |connection| {
            let mut query = connection.prepare_cached(
                "SELECT user_id, id FROM runs INDEXED BY runs_ended
                  WHERE (status = 'completed' OR status = 'partial' OR status = 'cancelled') AND updated_at < ?1 AND (?2 IS NULL OR user_id = ?2)
                  ORDER BY updated_at LIMIT ?3",
            )?;
            let rows = query.query_map(params![row_time(before), user, limit], |row| {
                Ok((row.get(0)?, row.get(1)?))
            })?;
            rows.collect()
        })
        .await
        .map_err(|failure| error("be read", &failure))
    }
}

impl Store {
    /// Counts the runs that have not ended.
    pub async fn tally(&self) -> Result<Tally, PortError> {
        let counted = self.read(|connection| {
            let mut tally = Tally::default();
            let mut query = connection.prepare_cached(
                "SELECT status, count(*), min(updated_at) FROM runs INDEXED BY runs_unfinished
                  WHERE status IN ('queued', 'running') GROUP BY status
                 UNION ALL
                 SELECT 'waiting', count(*), NULL FROM runs INDEXED BY runs_waiting WHERE status = 'waiting'",
            )?;
            let mut rows = query.query([])?;
            while let Some(row) = rows.next()? {
                let (status, count): (String, i64) = (row.get(0)?, row.get(1)?);
                let count = u64::try_from(count).unwrap_or_default();
                match status.as_str() {
                    "queued" => {
                        tally.queued = count;
                        let since: String = row.get(2)?;
                        tally.oldest_queued_at = since.parse().ok();
                    }
                    "running" => tally.running = count,
                    _ => tally.waiting = count,
                }
            }
            Ok(tally)
        });
        counted.await.map_err(|error| library::error("count runs", &error))
    }
}
