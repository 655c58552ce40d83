//! What users make of their runs: titles, pins, links, and the texts by which runs are found.

use async_trait::async_trait;
use jiff::Timestamp;
use rusqlite::{Connection, OptionalExtension, TransactionBehavior, params};

use run::entry::Hash;
use run::history::{History, Labelling, MOST_SHARES, Share, Shared};
use run::log::LogError;

use super::{error, questions, row_time};
use crate::Store;

/// Brings the index of what is found by a text up to date with the row of a run and its text.
fn index_anew(connection: &Connection, number: i64) -> rusqlite::Result<()> {
    let indexed: String = connection
        .prepare_cached(
            "SELECT question || char(10) || coalesce(title, '') || char(10) || coalesce(text, '')
               FROM runs LEFT JOIN run_texts USING (number) WHERE number = ?1",
        )?
        .query_row(params![number], |row| row.get(0))?;
    questions::leave(connection, number)?;
    questions::enter(connection, number, &indexed)
}

/// Returns the number of a run; `None` if there is no such run.
fn number_of(connection: &Connection, user: &str, run: &str) -> rusqlite::Result<Option<i64>> {
    connection
        .prepare_cached("SELECT number FROM runs WHERE user_id = ?1 AND id = ?2")?
        .query_row(params![user, run], |row| row.get(0))
        .optional()
}

/// Changes the title or the pin of a run; returns whether there is such a run.
fn label(
    connection: &Connection,
    user: &str,
    run: &str,
    labelling: &Labelling,
) -> rusqlite::Result<bool> {
    let Some(number) = number_of(connection, user, run)? else { return Ok(false) };
    connection
        .prepare_cached(
            "UPDATE runs SET title = CASE WHEN ?3 IS NULL THEN title ELSE nullif(?3, '') END, pinned = coalesce(?4, pinned)
              WHERE user_id = ?1 AND id = ?2",
        )?
        .execute(params![user, run, labelling.title, labelling.pinned])?;
    if labelling.title.is_some() {
        index_anew(connection, number)?;
    }
    Ok(true)
}

fn keep_text(connection: &Connection, user: &str, run: &str, text: &str) -> rusqlite::Result<()> {
    let Some(number) = number_of(connection, user, run)? else { return Ok(()) };
    connection
        .prepare_cached("INSERT OR REPLACE INTO run_texts (number, text) VALUES (?1, ?2)")?
        .execute(params![number, text])?;
    connection
        .prepare_cached("UPDATE runs SET has_text = 1 WHERE user_id = ?1 AND id = ?2")?
        .execute(params![user, run])?;
    index_anew(connection, number)
}

/// Adds links that are not there yet.
pub(super) fn add_shares(
    connection: &Connection,
    user: &str,
    run: &str,
    shares: &[Share],
) -> rusqlite::Result<()> {
    let mut insert = connection.prepare_cached(
        "INSERT INTO shares (id, user_id, run_id, secret, created_at) VALUES (?1, ?2, ?3, ?4, ?5) ON CONFLICT DO NOTHING",
    )?;
    for Share { id, secret, created_at } in shares {
        insert.execute(params![id, user, run, secret.0.as_slice(), row_time(*created_at)])?;
    }
    Ok(())
}

/// Returns the links to a run, the oldest first.
pub(super) fn shares(
    connection: &Connection,
    user: &str,
    run: &str,
) -> rusqlite::Result<Vec<Share>> {
    connection
        .prepare_cached(
            "SELECT id, secret, created_at FROM shares WHERE user_id = ?1 AND run_id = ?2 ORDER BY created_at, id",
        )?
        .query_map(params![user, run], |row| {
            let created_at: String = row.get(2)?;
            let created_at: Timestamp =
                created_at.parse().map_err(|reason| super::rows::unreadable(2, reason))?;
            Ok(Share { id: row.get(0)?, secret: Hash(row.get(1)?), created_at })
        })?
        .collect()
}

/// Adds what a user made of a run elsewhere and is missing here.
pub(super) fn add_labels(
    connection: &Connection,
    row: &run::moving::RunRow,
) -> rusqlite::Result<()> {
    connection
        .prepare_cached(
            "UPDATE runs SET title = coalesce(title, ?3), pinned = max(pinned, ?4) WHERE user_id = ?1 AND id = ?2",
        )?
        .execute(params![row.user, row.run, row.title, row.pinned])?;
    if row.title.is_some()
        && let Some(number) = number_of(connection, &row.user, &row.run)?
    {
        index_anew(connection, number)?;
    }
    add_shares(connection, &row.user, &row.run, &row.shares)
}

/// Removes what belongs to a run that is removed.
pub(super) fn leave(
    connection: &Connection,
    user: &str,
    run: &str,
    number: i64,
) -> rusqlite::Result<()> {
    connection
        .prepare_cached("DELETE FROM run_texts WHERE number = ?1")?
        .execute(params![number])?;
    connection
        .prepare_cached("DELETE FROM shares WHERE user_id = ?1 AND run_id = ?2")?
        .execute(params![user, run])?;
    questions::leave(connection, number)
}

impl Store {
    /// Writes in one transaction.
    async fn write_history<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Connection) -> rusqlite::Result<T> + Send + 'static,
    ) -> Result<T, LogError> {
        let written = self.shared.writer.run(move |connection| {
            let transaction =
                connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
            let done = work(&transaction)?;
            transaction.commit()?;
            Ok(done)
        });
        written.await.map_err(|failure| error("be written", &failure))
    }
}

fn no_such(run: &str) -> LogError {
    LogError::NoSuchRun { run: run.to_owned() }
}

#[async_trait]
impl History for Store {
    async fn label(&self, user: &str, run: &str, labelling: &Labelling) -> Result<(), LogError> {
        let (user, id, labelling) = (user.to_owned(), run.to_owned(), labelling.clone());
        let is_there =
            self.write_history(move |connection| label(connection, &user, &id, &labelling)).await?;
        is_there.then_some(()).ok_or_else(|| no_such(run))
    }

    async fn keep_text(&self, user: &str, run: &str, text: &str) -> Result<(), LogError> {
        let (user, run, text) = (user.to_owned(), run.to_owned(), text.to_owned());
        self.write_history(move |connection| keep_text(connection, &user, &run, &text)).await
    }

    async fn without_text(&self, limit: u32) -> Result<Vec<(String, String)>, LogError> {
        let found = self.read(move |connection| {
            connection
                .prepare_cached(
                    "SELECT user_id, id FROM runs INDEXED BY runs_without_text
                      WHERE NOT has_text AND (status = 'completed' OR status = 'partial' OR status = 'cancelled')
                      ORDER BY number DESC LIMIT ?1",
                )?
                .query_map(params![limit], |row| Ok((row.get(0)?, row.get(1)?)))?
                .collect()
        });
        found.await.map_err(|failure| error("be read", &failure))
    }

    async fn add_share(&self, user: &str, run: &str, share: &Share) -> Result<bool, LogError> {
        let (user, id, share) = (user.to_owned(), run.to_owned(), share.clone());
        let added = self
            .write_history(move |connection| {
                if number_of(connection, &user, &id)?.is_none() {
                    return Ok(None);
                }
                let has_room = shares(connection, &user, &id)?.len() < MOST_SHARES as usize;
                if has_room {
                    add_shares(connection, &user, &id, &[share])?;
                }
                Ok(Some(has_room))
            })
            .await?;
        added.ok_or_else(|| no_such(run))
    }

    async fn shares(&self, user: &str, run: &str) -> Result<Vec<Share>, LogError> {
        let (user, id) = (user.to_owned(), run.to_owned());
        let found = self
            .read(move |connection| {
                let is_there = number_of(connection, &user, &id)?.is_some();
                is_there.then(|| shares(connection, &user, &id)).transpose()
            })
            .await
            .map_err(|failure| error("be read", &failure))?;
        found.ok_or_else(|| no_such(run))
    }

    async fn remove_share(&self, user: &str, run: &str, share: &str) -> Result<bool, LogError> {
        let (user, run, share) = (user.to_owned(), run.to_owned(), share.to_owned());
        self.write_history(move |connection| {
            let removed = connection
                .prepare_cached(
                    "DELETE FROM shares WHERE id = ?1 AND user_id = ?2 AND run_id = ?3",
                )?
                .execute(params![share, user, run])?;
            Ok(removed == 1)
        })
        .await
    }

    async fn shared(&self, share: &str) -> Result<Option<Shared>, LogError> {
        let share = share.to_owned();
        let found = self.read(move |connection| {
            connection
                .prepare_cached("SELECT user_id, run_id, secret FROM shares WHERE id = ?1")?
                .query_row(params![share], |row| {
                    Ok(Shared { user: row.get(0)?, run: row.get(1)?, secret: Hash(row.get(2)?) })
                })
                .optional()
        });
        found.await.map_err(|failure| error("be read", &failure))
    }
}
