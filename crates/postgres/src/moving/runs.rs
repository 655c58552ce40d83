//! Runs and their logs as they are stored.

use deadpool_postgres::Transaction;
use tokio_postgres::Row;

use run::budget::Spend;
use run::error::PortError;
use run::log::{RequestKey, Sealed};
use run::moving::{Expected, MOST_BYTES, MOST_ENTRIES, RunRow};

use crate::Postgres;
use crate::fault::Fault;
use crate::log::{add_shares, fold_head, read_hash, read_share, read_status};
use crate::plain::{restored, stored};
use crate::query::{self, count, text};

const ROW: &str = "SELECT user_id, id, number, method, question, status, attempt, last_seq, tokens, cost_usd_micros,
       created_at, updated_at, request_key, request_hash, title, pinned FROM runs WHERE user_id = $1";

/// A part of a log. How long a body is can be told without reading it.
const SEALED: &str = "
    SELECT seq, hash, body
      FROM (SELECT seq, hash, body, sum(octet_length(body)) OVER (ORDER BY seq) - octet_length(body) AS before
              FROM (SELECT seq, hash, body FROM entries
                     WHERE user_id = $1 AND run_id = $2 AND seq > $3 ORDER BY seq LIMIT $4) AS next) AS counted
     WHERE before < $5::bigint ORDER BY seq";

fn read_row(row: &Row) -> Result<RunRow, Fault> {
    let key: Option<&str> = row.try_get(12)?;
    let key = match key {
        Some(_) => {
            let request = read_hash(row.try_get(13)?).map_err(Fault::unreadable)?;
            Some(RequestKey { key: text(row, 12)?, request })
        }
        None => None,
    };
    Ok(RunRow {
        user: text(row, 0)?,
        run: text(row, 1)?,
        number: row.try_get(2)?,
        method: text(row, 3)?,
        question: text(row, 4)?,
        status: read_status(row.try_get(5)?)?,
        attempt: u32::try_from(row.try_get::<_, i32>(6)?).map_err(Fault::unreadable)?,
        last_seq: count(row, 7)?,
        spent: Spend { tokens: count(row, 8)?, cost_usd_micros: count(row, 9)? },
        created_at: row.try_get(10)?,
        updated_at: row.try_get(11)?,
        key,
        title: row.try_get::<_, Option<String>>(14)?.map(restored),
        pinned: row.try_get(15)?,
        shares: vec![],
    })
}

fn read_sealed(row: &Row) -> Result<Sealed, Fault> {
    let body: &str = row.try_get(2)?;
    Ok(Sealed {
        seq: count(row, 0)?,
        hash: read_hash(row.try_get(1)?).map_err(Fault::unreadable)?,
        body: body.as_bytes().to_vec(),
    })
}

impl Postgres {
    /// Returns a part of a user's rows, by number.
    pub(super) async fn moving_rows(
        &self,
        user: &str,
        after: i64,
        limit: u32,
    ) -> Result<Vec<RunRow>, Fault> {
        let sql = format!("{ROW} AND number > $2 ORDER BY number LIMIT $3");
        let rows = self.select(&sql, &[&stored(user), &after, &i64::from(limit)]).await?;
        let mut read = Vec::with_capacity(rows.len());
        for row in &rows {
            read.push(self.with_shares(read_row(row)?).await?);
        }
        Ok(read)
    }

    /// Returns a row with the links to its run.
    async fn with_shares(&self, row: RunRow) -> Result<RunRow, Fault> {
        let sql = "SELECT id, secret, created_at FROM shares WHERE user_id = $1 AND run_id = $2
                    ORDER BY created_at, id";
        let found = self.select(sql, &[&stored(&row.user), &stored(&row.run)]).await?;
        let shares = found.iter().map(read_share).collect::<Result<_, _>>()?;
        Ok(RunRow { shares, ..row })
    }

    /// Returns the row of a run.
    pub(super) async fn moving_row(&self, user: &str, run: &str) -> Result<Option<RunRow>, Fault> {
        let rows =
            self.select(&format!("{ROW} AND id = $2"), &[&stored(user), &stored(run)]).await?;
        match rows.first() {
            None => Ok(None),
            Some(row) => self.with_shares(read_row(row)?).await.map(Some),
        }
    }

    /// Returns a part of a log.
    pub(super) async fn sealed_after(
        &self,
        user: &str,
        run: &str,
        after: u64,
    ) -> Result<Vec<Sealed>, Fault> {
        let after = i64::try_from(after).unwrap_or(i64::MAX);
        let (entries, bytes) = (i64::from(MOST_ENTRIES), MOST_BYTES as i64);
        let values: &query::Values<'_> = &[&stored(user), &stored(run), &after, &entries, &bytes];
        self.select(SEALED, values).await?.iter().map(read_sealed).collect()
    }
}

/// Stores a row and entries; refuses with `false` what does not stand as expected.
pub(super) async fn put(
    transaction: &Transaction<'_>,
    row: &RunRow,
    expected: Expected,
    entries: &[Sealed],
) -> Result<Result<bool, PortError>, Fault> {
    let stood = match expected {
        Expected::Absent => insert(transaction, row).await?,
        Expected::At(seq) => advance(transaction, row, seq).await?,
    };
    if !stood {
        return Ok(Ok(false));
    }
    add_labels(transaction, row).await?;
    let number = |one: &Sealed| i64::try_from(one.seq).map_err(Fault::unreadable);
    let seqs = entries.iter().map(number).collect::<Result<Vec<_>, _>>()?;
    let hashes: Vec<&[u8]> = entries.iter().map(|one| one.hash.0.as_slice()).collect();
    let body =
        |one| crate::log::body_text(one).map_err(|refused| Fault::Other(refused.to_string()));
    let bodies = entries.iter().map(|one| body(&one.body)).collect::<Result<Vec<_>, _>>()?;
    let sql = "INSERT INTO entries (user_id, run_id, seq, hash, body)
               SELECT $1::text, $2::text, entry.* FROM unnest($3::bigint[], $4::bytea[], $5::text[]) AS entry (seq, hash, body)
               ON CONFLICT DO NOTHING";
    let values: &query::Values<'_> =
        &[&stored(&row.user), &stored(&row.run), &seqs, &hashes, &bodies];
    query::execute(transaction, sql, values).await?;
    Ok(Ok(true))
}

/// Adds what a user made of a run elsewhere and is missing here.
async fn add_labels(transaction: &Transaction<'_>, row: &RunRow) -> Result<(), Fault> {
    let folded = fold_head(&row.question, row.title.as_deref());
    let sql = "UPDATE runs SET pinned = pinned OR $3,
                      title = coalesce(title, $4), folded = CASE WHEN title IS NULL THEN $5 ELSE folded END
                WHERE user_id = $1 AND id = $2";
    let (user, run) = (stored(&row.user), stored(&row.run));
    let title = row.title.as_deref().map(stored);
    let values: &query::Values<'_> = &[&user, &run, &row.pinned, &title, &stored(&folded)];
    query::execute(transaction, sql, values).await?;
    add_shares(transaction, &row.user, &row.run, &row.shares).await
}

/// The values of a row that change while a run is worked on.
struct Changing {
    status: &'static str,
    attempt: i32,
    last_seq: i64,
    tokens: i64,
    cost_usd_micros: i64,
    ended_at: Option<jiff::Timestamp>,
}

impl Changing {
    fn of(row: &RunRow) -> Result<Changing, Fault> {
        let number = |value| i64::try_from(value).map_err(Fault::unreadable);
        Ok(Changing {
            status: row.status.name(),
            attempt: i32::try_from(row.attempt).map_err(Fault::unreadable)?,
            last_seq: number(row.last_seq)?,
            tokens: number(row.spent.tokens)?,
            cost_usd_micros: number(row.spent.cost_usd_micros)?,
            ended_at: row.status.is_final().then_some(row.updated_at),
        })
    }
}

async fn insert(transaction: &Transaction<'_>, row: &RunRow) -> Result<bool, Fault> {
    let Changing { status, attempt, last_seq, tokens, cost_usd_micros, ended_at } =
        Changing::of(row)?;
    let key = row.key.as_ref().map(|key| stored(&key.key));
    let request = row.key.as_ref().map(|key| key.request.0.as_slice());
    let folded = fold_head(&row.question, None);
    let sql = "INSERT INTO runs (user_id, id, method, question, folded, status, attempt, last_seq, tokens, cost_usd_micros,
                                 created_at, updated_at, ended_at, request_key, request_hash)
               VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15)
               ON CONFLICT DO NOTHING";
    let values: &query::Values<'_> = &[
        &stored(&row.user),
        &stored(&row.run),
        &stored(&row.method),
        &stored(&row.question),
        &stored(&folded),
        &status,
        &attempt,
        &last_seq,
        &tokens,
        &cost_usd_micros,
        &row.created_at,
        &row.updated_at,
        &ended_at,
        &key,
        &request,
    ];
    Ok(query::execute(transaction, sql, values).await? == 1)
}

async fn advance(transaction: &Transaction<'_>, row: &RunRow, seq: u64) -> Result<bool, Fault> {
    let Changing { status, attempt, last_seq, tokens, cost_usd_micros, ended_at } =
        Changing::of(row)?;
    let seq = i64::try_from(seq).map_err(Fault::unreadable)?;
    let sql = "UPDATE runs SET status = $4, attempt = greatest(attempt, $5), last_seq = $6, tokens = $7, cost_usd_micros = $8,
                      updated_at = $9, ended_at = $10
                WHERE user_id = $1 AND id = $2 AND last_seq = $3 AND owner IS NULL";
    let values: &query::Values<'_> = &[
        &stored(&row.user),
        &stored(&row.run),
        &seq,
        &status,
        &attempt,
        &last_seq,
        &tokens,
        &cost_usd_micros,
        &row.updated_at,
        &ended_at,
    ];
    Ok(query::execute(transaction, sql, values).await? == 1)
}
