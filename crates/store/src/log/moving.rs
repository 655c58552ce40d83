//! Runs and their logs as they are stored, for moving them elsewhere and in.

use jiff::Timestamp;
use rusqlite::{Connection, OptionalExtension, Row, params};

use run::budget::Spend;
use run::entry::Hash;
use run::log::{RequestKey, Sealed, Status};
use run::moving::{Expected, MOST_BYTES, MOST_ENTRIES, RunRow};

use super::rows::unreadable;
use super::{history, numbers, questions, row_time};

const COLUMNS: &str =
    "user_id, id, number, method, question, status, attempt, last_seq, tokens, cost_usd_micros,
       created_at, updated_at, request_key, request_hash, title, pinned";

fn read_row(row: &Row<'_>) -> rusqlite::Result<RunRow> {
    let time = |index: usize| {
        let text: String = row.get(index)?;
        text.parse::<Timestamp>().map_err(|reason| unreadable(index, reason))
    };
    let status: String = row.get(5)?;
    let key: Option<String> = row.get(12)?;
    let request = |key| Ok::<_, rusqlite::Error>(RequestKey { key, request: Hash(row.get(13)?) });
    Ok(RunRow {
        user: row.get(0)?,
        run: row.get(1)?,
        number: row.get(2)?,
        method: row.get(3)?,
        question: row.get(4)?,
        status: Status::named(&status)
            .ok_or_else(|| unreadable(5, format!("unknown status '{status}'")))?,
        attempt: row.get(6)?,
        last_seq: row.get::<_, i64>(7)? as u64,
        spent: Spend {
            tokens: row.get::<_, i64>(8)? as u64,
            cost_usd_micros: row.get::<_, i64>(9)? as u64,
        },
        created_at: time(10)?,
        updated_at: time(11)?,
        key: key.map(request).transpose()?,
        title: row.get(14)?,
        pinned: row.get(15)?,
        shares: vec![],
    })
}

/// Returns a row with the links to its run.
fn with_shares(connection: &Connection, row: RunRow) -> rusqlite::Result<RunRow> {
    let shares = history::shares(connection, &row.user, &row.run)?;
    Ok(RunRow { shares, ..row })
}

/// Returns a part of a user's rows, by number.
pub(crate) fn rows(
    connection: &Connection,
    user: &str,
    after: i64,
    limit: u32,
) -> rusqlite::Result<Vec<RunRow>> {
    let Some(own) = numbers::of(connection, user)? else { return Ok(Vec::new()) };
    connection
        .prepare_cached(&format!(
            "SELECT {COLUMNS} FROM runs INDEXED BY runs_by_number
              WHERE user_id = ?1 AND number BETWEEN ?2 AND ?3 ORDER BY number LIMIT ?4"
        ))?
        .query_map(params![user, own.first.max(after + 1), own.last, limit], read_row)?
        .map(|row| with_shares(connection, row?))
        .collect()
}

/// Returns the row of a run.
pub(crate) fn row(
    connection: &Connection,
    user: &str,
    run: &str,
) -> rusqlite::Result<Option<RunRow>> {
    connection
        .prepare_cached(&format!("SELECT {COLUMNS} FROM runs WHERE user_id = ?1 AND id = ?2"))?
        .query_row(params![user, run], read_row)
        .optional()?
        .map(|row| with_shares(connection, row))
        .transpose()
}

/// Returns a part of a log.
pub(crate) fn sealed(
    connection: &Connection,
    user: &str,
    run: &str,
    after: u64,
) -> rusqlite::Result<Vec<Sealed>> {
    let after = i64::try_from(after).unwrap_or(i64::MAX);
    let mut query = connection.prepare_cached(
        "SELECT seq, hash, CAST(body AS BLOB) FROM entries
          WHERE user_id = ?1 AND run_id = ?2 AND seq > ?3 ORDER BY seq LIMIT ?4",
    )?;
    let mut rows = query.query(params![user, run, after, MOST_ENTRIES])?;
    let (mut part, mut bytes) = (Vec::new(), 0);
    while bytes < MOST_BYTES
        && let Some(row) = rows.next()?
    {
        let one = Sealed {
            seq: row.get::<_, i64>(0)? as u64,
            hash: Hash(row.get(1)?),
            body: row.get(2)?,
        };
        bytes += one.body.len() as u64;
        part.push(one);
    }
    Ok(part)
}

/// Stores a row and entries; returns whether the run stood as expected.
pub(crate) fn put(
    connection: &Connection,
    row: &RunRow,
    expected: Expected,
    entries: &[Sealed],
) -> rusqlite::Result<bool> {
    let stood = match expected {
        Expected::Absent => insert(connection, row)?,
        Expected::At(seq) => advance(connection, row, seq)?,
    };
    if !stood {
        return Ok(false);
    }
    history::add_labels(connection, row)?;
    let mut insert = connection.prepare_cached(
        "INSERT INTO entries (user_id, run_id, seq, hash, body) VALUES (?1, ?2, ?3, ?4, ?5)
         ON CONFLICT DO NOTHING",
    )?;
    for Sealed { seq, hash, body } in entries {
        let body = std::str::from_utf8(body)
            .map_err(|reason| rusqlite::Error::ToSqlConversionFailure(reason.into()))?;
        insert.execute(params![row.user, row.run, *seq as i64, hash.0.as_slice(), body])?;
    }
    Ok(true)
}

fn insert(connection: &Connection, row: &RunRow) -> rusqlite::Result<bool> {
    let number = numbers::next(connection, &row.user)?;
    let key = row.key.as_ref().map(|key| (&key.key, key.request.0.as_slice()));
    let (key, request) = key.unzip();
    let made = connection
        .prepare_cached(
            "INSERT INTO runs (user_id, id, number, method, question, status, attempt, last_seq, tokens, cost_usd_micros,
                               created_at, updated_at, request_key, request_hash)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14)
             ON CONFLICT DO NOTHING",
        )?
        .execute(params![
            row.user,
            row.run,
            number,
            row.method,
            row.question,
            row.status.name(),
            row.attempt,
            row.last_seq as i64,
            row.spent.tokens as i64,
            row.spent.cost_usd_micros as i64,
            row_time(row.created_at),
            row_time(row.updated_at),
            key,
            request
        ])?;
    if made == 1 {
        questions::enter(connection, number, &row.question)?;
    }
    Ok(made == 1)
}

fn advance(connection: &Connection, row: &RunRow, seq: u64) -> rusqlite::Result<bool> {
    let changed = connection
        .prepare_cached(
            "UPDATE runs SET status = ?4, attempt = max(attempt, ?5), last_seq = ?6, tokens = ?7, cost_usd_micros = ?8,
                    updated_at = ?9
              WHERE user_id = ?1 AND id = ?2 AND last_seq = ?3 AND owner IS NULL",
        )?
        .execute(params![
            row.user,
            row.run,
            seq as i64,
            row.status.name(),
            row.attempt,
            row.last_seq as i64,
            row.spent.tokens as i64,
            row.spent.cost_usd_micros as i64,
            row_time(row.updated_at)
        ])?;
    Ok(changed == 1)
}
