//! What is read of the runs' rows.

use std::collections::HashMap;

use jiff::Timestamp;
use rusqlite::types::Type;
use rusqlite::{Connection, OptionalExtension, Row, ToSql, params};

use run::entry::Hash;
use run::ports::{Append, Listing, RunSummary, Status};

use super::NOW_MS;
use crate::owner::Owner;
use crate::search::fold;

const SUMMARY: &str = "SELECT id, method, question, status, tokens, cost_usd_micros, created_at, updated_at, last_seq,
        status = 'running' AND cancel_by IS NOT NULL FROM runs";

/// Returns the row of a run.
pub(super) fn one(
    connection: &Connection,
    user: &str,
    run: &str,
) -> rusqlite::Result<Option<RunSummary>> {
    connection
        .prepare_cached(&format!("{SUMMARY} WHERE user_id = ?1 AND id = ?2"))?
        .query_row(params![user, run], summary)
        .optional()
}

/// Returns the rows of a list; none where there is no run that it is to go on from.
pub(super) fn list(
    connection: &Connection,
    user: &str,
    listing: &Listing,
) -> rusqlite::Result<Option<Vec<RunSummary>>> {
    let Listing { status, method, text, before, limit, offset } = listing;
    if let Some(before) = before {
        let there = connection
            .prepare_cached("SELECT 1 FROM runs WHERE user_id = ?1 AND id = ?2")?
            .exists(params![user, before])?;
        if !there {
            return Ok(None);
        }
    }
    let status = status.map(Status::name);
    let text = text.as_deref().map(fold);
    let mut sql = format!("{SUMMARY} WHERE user_id = ?1");
    let mut values: Vec<&dyn ToSql> = vec![&user];
    let mut add = |condition: &str, value| {
        values.push(value);
        sql.push_str(&condition.replace("{}", &format!("?{}", values.len())));
    };
    if let Some(status) = &status {
        add(" AND status = {}", status);
    }
    if let Some(method) = method {
        add(" AND method = {}", method);
    }
    if let Some(text) = &text {
        add(" AND instr(fold(question), {}) > 0", text);
    }
    if let Some(before) = before {
        add(
            " AND (created_at, id) < (SELECT created_at, id FROM runs WHERE user_id = ?1 AND id = {})",
            before,
        );
    }
    add(" ORDER BY created_at DESC, id DESC LIMIT {}", limit);
    add(" OFFSET {}", offset);
    let mut query = connection.prepare_cached(&sql)?;
    let rows = query.query_map(values.as_slice(), summary)?;
    rows.collect::<rusqlite::Result<_>>().map(Some)
}

/// Returns the statement that reads the runs on which somebody works or should: who holds each, and whether the lease stands.
fn open_runs() -> String {
    format!(
        "SELECT user_id, id, CASE status WHEN 'running' THEN owner END, lease_until_ms > {NOW_MS}
           FROM runs INDEXED BY runs_unfinished WHERE status IN ('queued', 'running')
          ORDER BY row_number() OVER (PARTITION BY user_id ORDER BY created_at, id), created_at, user_id"
    )
}

/// Returns the runs of all users that may be taken up: each user's oldest first, and the users in turn, so that nobody waits behind all
/// of another's.
pub(super) fn unfinished(
    connection: &Connection,
    owners: &Owner,
    limit: usize,
) -> rusqlite::Result<Vec<(String, String)>> {
    let mut query = connection.prepare_cached(&open_runs())?;
    let mut rows = query.query([])?;
    let mut found = Vec::new();
    let mut living = Living::among(owners);
    while found.len() < limit
        && let Some(row) = rows.next()?
    {
        let (holder, leased): (Option<String>, bool) = (row.get(2)?, row.get(3)?);
        let held = holder.is_some_and(|holder| leased && living.has(holder));
        if !held {
            found.push((row.get(0)?, row.get(1)?));
        }
    }
    Ok(found)
}

/// Who lives, asked once each.
struct Living<'a> {
    owners: &'a Owner,
    known: HashMap<String, bool>,
}

impl Living<'_> {
    fn among(owners: &Owner) -> Living<'_> {
        Living { owners, known: HashMap::new() }
    }

    fn has(&mut self, name: String) -> bool {
        let owners = self.owners;
        *self.known.entry(name).or_insert_with_key(|name| owners.lives(name))
    }
}

/// The statement that reads which runs of a method of a user stand in the queue or are held, but for one of them.
fn open_of_method() -> String {
    format!(
        "SELECT id, CASE status WHEN 'running' THEN owner END, lease_until_ms > {NOW_MS}, status
           FROM runs INDEXED BY runs_unfinished
          WHERE status IN ('queued', 'running') AND user_id = ?1 AND method = ?2 AND id <> ?3
          ORDER BY created_at, id"
    )
}

/// Returns the oldest run of the method at work where, besides the one that is created, there are as many as the limit allows in all.
pub(super) fn beyond(
    connection: &Connection,
    owners: &Owner,
    created: &Append,
    method: &str,
    limit: u32,
) -> rusqlite::Result<Option<String>> {
    let mut query = connection.prepare_cached(&open_of_method())?;
    let mut rows = query.query(params![created.user, method, created.run])?;
    let mut living = Living::among(owners);
    let (mut oldest, mut count) = (None, 0);
    while let Some(row) = rows.next()? {
        let (holder, leased, status): (Option<String>, bool, String) =
            (row.get(1)?, row.get(2)?, row.get(3)?);
        let is_held = holder.is_some_and(|holder| leased && living.has(holder));
        if is_held || status == Status::Queued.name() {
            count += 1;
            oldest = match oldest {
                None => Some(row.get(0)?),
                known => known,
            };
        }
        if count >= limit {
            return Ok(oldest);
        }
    }
    Ok(None)
}

/// Returns the run that has the key, and the digest of its request.
pub(super) fn keyed(
    connection: &Connection,
    user: &str,
    key: &str,
) -> rusqlite::Result<Option<(String, Hash)>> {
    connection
        .prepare_cached(
            "SELECT id, request_hash FROM runs WHERE user_id = ?1 AND request_key = ?2",
        )?
        .query_row(params![user, key], |row| Ok((row.get(0)?, Hash(row.get(1)?))))
        .optional()
}

fn summary(row: &Row<'_>) -> rusqlite::Result<RunSummary> {
    let time = |index: usize| {
        let text: String = row.get(index)?;
        text.parse::<Timestamp>().map_err(|reason| unreadable(index, reason))
    };
    let status: String = row.get(3)?;
    Ok(RunSummary {
        run_id: row.get(0)?,
        method: row.get(1)?,
        question: row.get(2)?,
        status: read_status(&status)
            .ok_or_else(|| unreadable(3, format!("unknown status '{status}'")))?,
        tokens: row.get::<_, i64>(4)? as u64,
        cost_usd_micros: row.get::<_, i64>(5)? as u64,
        created_at: time(6)?,
        updated_at: time(7)?,
        entries: row.get::<_, i64>(8)? as u64,
        stopping: row.get(9)?,
    })
}

fn unreadable(
    index: usize,
    reason: impl Into<Box<dyn std::error::Error + Send + Sync>>,
) -> rusqlite::Error {
    rusqlite::Error::FromSqlConversionFailure(index, Type::Text, reason.into())
}

pub(super) fn read_status(name: &str) -> Option<Status> {
    let all = [
        Status::Queued,
        Status::Running,
        Status::Waiting,
        Status::Completed,
        Status::Partial,
        Status::Cancelled,
    ];
    all.into_iter().find(|status| status.name() == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    // proves: S1
    #[test]
    fn runs_are_listed_and_found_without_a_look_at_all_of_them() {
        let folder = tempfile::tempdir().unwrap();
        let mut connection = crate::file::connect(&folder.path().join("any.db")).unwrap();
        crate::file::prepare(&mut connection).unwrap();
        let plan = |sql: &str| {
            let mut query = connection.prepare(&format!("EXPLAIN QUERY PLAN {sql}")).unwrap();
            let values = vec![""; query.parameter_count()];
            let rows = query
                .query_map(rusqlite::params_from_iter(values), |row| row.get::<_, String>(3))
                .unwrap();
            rows.collect::<rusqlite::Result<Vec<_>>>().unwrap().join("; ")
        };
        let newest =
            format!("{SUMMARY} WHERE user_id = ?1 ORDER BY created_at DESC, id DESC LIMIT 9");
        let older = newest.replace(
            " ORDER BY",
            " AND (created_at, id) < (SELECT created_at, id FROM runs WHERE user_id = ?1 AND id = ?2) ORDER BY",
        );
        for (sql, index) in [
            (newest, "USING INDEX runs_by_age (user_id=?)"),
            (older, "USING INDEX runs_by_age (user_id=? AND created_at<?)"),
        ] {
            let plan = plan(&sql);
            assert!(plan.contains(index), "{plan}");
            assert!(!plan.contains("TEMP B-TREE FOR ORDER BY"), "{plan}");
        }
        // Those that are open are put in turns, and no others are looked at.
        for sql in [open_runs(), open_of_method()] {
            let plan = plan(&sql);
            assert!(plan.contains("USING INDEX runs_unfinished"), "{plan}");
        }
    }
}
