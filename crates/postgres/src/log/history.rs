//! What users make of their runs: titles, pins, links, and the texts by which runs are found.

use async_trait::async_trait;
use deadpool_postgres::Transaction;
use run::history::{History, Labelling, MOST_SHARES, Share, Shared};
use run::log::LogError;
use text::fold_case;
use tokio_postgres::Row;

use super::rows::read_hash;
use super::{unread, unwritten};
use crate::Postgres;
use crate::connection::Unsure;
use crate::fault::Fault;
use crate::plain::{restored, stored};
use crate::query;

/// Locks a run's row and returns what stands at its head.
const LOCK: &str = "
    SELECT question, title FROM runs WHERE user_id = $1 AND id = $2 FOR NO KEY UPDATE";

/// Returns question and title without their case, as lists look for a text in them.
pub(crate) fn fold_head(question: &str, title: Option<&str>) -> String {
    match title {
        None => fold_case(question),
        Some(title) => format!("{}\n{}", fold_case(question), fold_case(title)),
    }
}

/// Returns the links to a run, the oldest first.
async fn shares(transaction: &Transaction<'_>, user: &str, run: &str) -> Result<Vec<Share>, Fault> {
    let sql = "SELECT id, secret, created_at FROM shares WHERE user_id = $1 AND run_id = $2 ORDER BY created_at, id";
    let rows = query::rows(transaction, sql, &[&stored(user), &stored(run)]).await?;
    rows.iter().map(read_share).collect()
}

/// Reads id, secret and moment of a link.
pub(crate) fn read_share(row: &Row) -> Result<Share, Fault> {
    Ok(Share {
        id: query::text(row, 0)?,
        secret: read_hash(row.try_get(1)?).map_err(Fault::unreadable)?,
        created_at: row.try_get(2)?,
    })
}

/// Adds links that are not there yet.
pub(crate) async fn add_shares(
    transaction: &Transaction<'_>,
    user: &str,
    run: &str,
    shares: &[Share],
) -> Result<(), Fault> {
    let sql =
        "INSERT INTO shares (id, user_id, run_id, secret, created_at) VALUES ($1, $2, $3, $4, $5)
               ON CONFLICT DO NOTHING";
    for Share { id, secret, created_at } in shares {
        let values: &query::Values<'_> =
            &[&stored(id), &stored(user), &stored(run), &secret.0.as_slice(), created_at];
        query::execute(transaction, sql, values).await?;
    }
    Ok(())
}

/// A run and its user.
struct Place<'a> {
    user: &'a str,
    run: &'a str,
}

impl Place<'_> {
    fn missing(&self) -> LogError {
        LogError::NoSuchRun { run: self.run.to_owned() }
    }

    /// Locks the row; returns question and title, or `None` if there is no such run.
    async fn lock(
        &self,
        transaction: &Transaction<'_>,
    ) -> Result<Option<(String, Option<String>)>, Fault> {
        let row = query::row(transaction, LOCK, &[&stored(self.user), &stored(self.run)]).await?;
        let Some(row) = row else { return Ok(None) };
        let title: Option<String> = row.try_get(1)?;
        Ok(Some((query::text(&row, 0)?, title.map(restored))))
    }

    async fn label(
        &self,
        transaction: &Transaction<'_>,
        labelling: &Labelling,
    ) -> Result<Result<(), LogError>, Fault> {
        let Some((question, title)) = self.lock(transaction).await? else {
            return Ok(Err(self.missing()));
        };
        let title = match &labelling.title {
            None => title,
            Some(title) => Some(title.clone()).filter(|title| !title.is_empty()),
        };
        let folded = fold_head(&question, title.as_deref());
        let sql = "UPDATE runs SET title = $3, folded = $4, pinned = coalesce($5, pinned)
                    WHERE user_id = $1 AND id = $2";
        let values: &query::Values<'_> = &[
            &stored(self.user),
            &stored(self.run),
            &title.as_deref().map(stored),
            &stored(&folded),
            &labelling.pinned,
        ];
        query::execute(transaction, sql, values).await?;
        Ok(Ok(()))
    }

    async fn keep_text(
        &self,
        transaction: &Transaction<'_>,
        text: &str,
    ) -> Result<Result<(), LogError>, Fault> {
        if self.lock(transaction).await?.is_none() {
            return Ok(Ok(()));
        }
        let (user, run) = (stored(self.user), stored(self.run));
        let sql = "INSERT INTO run_texts (user_id, run_id, text, folded) VALUES ($1, $2, $3, $4)
                   ON CONFLICT (user_id, run_id) DO UPDATE SET text = excluded.text, folded = excluded.folded";
        let folded = fold_case(text);
        query::execute(transaction, sql, &[&user, &run, &stored(text), &stored(&folded)]).await?;
        let sql = "UPDATE runs SET has_text = true WHERE user_id = $1 AND id = $2";
        query::execute(transaction, sql, &[&user, &run]).await?;
        Ok(Ok(()))
    }

    async fn add_share(
        &self,
        transaction: &Transaction<'_>,
        share: &Share,
    ) -> Result<Result<bool, LogError>, Fault> {
        if self.lock(transaction).await?.is_none() {
            return Ok(Err(self.missing()));
        }
        let there = shares(transaction, self.user, self.run).await?;
        // An earlier try was committed, and the connection broke before it was known.
        if there.iter().any(|known| known.id == share.id) {
            return Ok(Ok(true));
        }
        if there.len() >= MOST_SHARES as usize {
            return Ok(Ok(false));
        }
        add_shares(transaction, self.user, self.run, std::slice::from_ref(share)).await?;
        Ok(Ok(true))
    }
}

#[async_trait]
impl History for Postgres {
    async fn label(&self, user: &str, run: &str, labelling: &Labelling) -> Result<(), LogError> {
        let given = (Place { user, run }, labelling);
        let done = self.write_with(Unsure::Repeat, given, |transaction, (place, labelling)| {
            Box::pin(place.label(transaction, labelling))
        });
        done.await.map_err(|fault| unwritten(&fault))?
    }

    async fn keep_text(&self, user: &str, run: &str, text: &str) -> Result<(), LogError> {
        let given = (Place { user, run }, text);
        let done = self.write_with(Unsure::Repeat, given, |transaction, (place, text)| {
            Box::pin(place.keep_text(transaction, text))
        });
        done.await.map_err(|fault| unwritten(&fault))?
    }

    async fn without_text(&self, limit: u32) -> Result<Vec<(String, String)>, LogError> {
        let sql = "SELECT user_id, id FROM runs WHERE ended_at IS NOT NULL AND NOT has_text
                    ORDER BY number DESC LIMIT $1";
        let rows = self.select(sql, &[&i64::from(limit)]).await;
        let pair = |row: &Row| Ok((query::text(row, 0)?, query::text(row, 1)?));
        let found = rows.and_then(|rows| rows.iter().map(pair).collect());
        found.map_err(|fault| unread(&fault))
    }

    async fn add_share(&self, user: &str, run: &str, share: &Share) -> Result<bool, LogError> {
        let given = (Place { user, run }, share);
        let done = self.write_with(Unsure::Repeat, given, |transaction, (place, share)| {
            Box::pin(place.add_share(transaction, share))
        });
        done.await.map_err(|fault| unwritten(&fault))?
    }

    async fn shares(&self, user: &str, run: &str) -> Result<Vec<Share>, LogError> {
        let found = self.read_with(Place { user, run }, |transaction, place| {
            Box::pin(shares(transaction, place.user, place.run))
        });
        let found = found.await.map_err(|fault| unread(&fault))?;
        if found.is_empty() && !self.has(user, run).await.map_err(|fault| unread(&fault))? {
            return Err(LogError::NoSuchRun { run: run.to_owned() });
        }
        Ok(found)
    }

    async fn remove_share(&self, user: &str, run: &str, share: &str) -> Result<bool, LogError> {
        let sql = "DELETE FROM shares WHERE id = $1 AND user_id = $2 AND run_id = $3";
        let removed = self.execute(sql, &[&stored(share), &stored(user), &stored(run)]).await;
        removed.map(|removed| removed == 1).map_err(|fault| unwritten(&fault))
    }

    async fn shared(&self, share: &str) -> Result<Option<Shared>, LogError> {
        let sql = "SELECT user_id, run_id, secret FROM shares WHERE id = $1";
        let rows = self.select(sql, &[&stored(share)]).await.map_err(|fault| unread(&fault))?;
        let read = |row: &Row| {
            let secret = read_hash(row.try_get(2)?).map_err(Fault::unreadable)?;
            Ok(Shared { user: query::text(row, 0)?, run: query::text(row, 1)?, secret })
        };
        rows.first().map(read).transpose().map_err(|fault: Fault| unread(&fault))
    }
}
