//! Queries on the rows of runs.

use std::collections::HashMap;

use jiff::Timestamp;
use rusqlite::types::Type;
use rusqlite::{Connection, OptionalExtension, Row, ToSql, params};

use run::entry::Hash;
use run::log::{Append, Listing, LogError, RunSummary, Status};

use super::{NOW_MS, history, numbers, questions};
use crate::owner::Owner;
use crate::usage;

const COLUMNS: &str =
    "id, method, question, status, tokens, cost_usd_micros, created_at, updated_at, last_seq,
        status = 'running' AND cancel_by IS NOT NULL, title, pinned";
/// Whether a text is held by what stands at the head of a run.
const AT_HEAD: &str =
    "(instr(fold(question), :text) > 0 OR instr(fold(coalesce(title, '')), :text) > 0)";
/// What a run came to.
const TEXT: &str = "(SELECT text FROM run_texts WHERE run_texts.number = runs.number)";

/// The column of a list after those: the text of a run in which what was looked for was found.
const FOUND_IN: usize = 12;

/// Returns the row of a run.
pub(super) fn one(
    connection: &Connection,
    user: &str,
    run: &str,
) -> rusqlite::Result<Option<RunSummary>> {
    connection
        .prepare_cached(&format!("SELECT {COLUMNS} FROM runs WHERE user_id = ?1 AND id = ?2"))?
        .query_row(params![user, run], summary)
        .optional()
}

/// The maximum number of runs to scan for a text that is too short for a lookup.
const LOOKED_THROUGH: u32 = 10_000;
/// If fewer runs than this contain a text, each of them is checked for the other conditions.
const FEW: u32 = 1_000;

/// Returns the rows of a list; `None` if the run to continue from does not exist.
///
/// It reads about as much as it returns, not everything stored: runs are numbered in the order of a list, every index ends with that
/// number, and texts are looked up.
pub(super) fn list(
    connection: &Connection,
    user: &str,
    listing: &Listing,
) -> rusqlite::Result<Option<Vec<RunSummary>>> {
    let Some(mut among) = numbers::of(connection, user)? else {
        return Ok(listing.before.is_none().then(Vec::new));
    };
    if let Some(before) = &listing.before {
        let Some(number) = numbers::of_run(connection, user, before)? else { return Ok(None) };
        among.last = number - 1;
    }
    let text = listing.text.as_deref().map(text::fold_case).filter(|text| !text.is_empty());
    let phrase = text.as_deref().and_then(questions::phrase);
    let is_narrowed =
        listing.status.is_some() || listing.method.is_some() || listing.pinned.is_some();
    let is_looked_up = phrase.is_some();
    let way = match (&text, &phrase) {
        (None, _) => Way::All,
        (Some(_), None) => Way::LookThrough,
        (Some(_), Some(phrase))
            if is_narrowed && questions::holding(connection, phrase, among, FEW)? == FEW =>
        {
            Way::All
        }
        (Some(_), Some(_)) => Way::LookUp,
    };
    let mut query = connection.prepare_cached(&way.statement(listing, text.is_some()))?;
    let status = listing.status.map(Status::name);
    let values: [(&str, &dyn ToSql); 9] = [
        (":user", &user),
        (":first", &among.first),
        (":last", &among.last),
        (":status", &status),
        (":method", &listing.method),
        (":text", &text),
        (":phrase", &phrase),
        (":limit", &listing.limit),
        (":offset", &listing.offset),
    ];
    let asked_for =
        |(name, _): &(&str, &dyn ToSql)| matches!(query.parameter_index(name), Ok(Some(_)));
    let values: Vec<_> = values.into_iter().filter(asked_for).collect();
    let rows = query.query_map(values.as_slice(), |row| {
        let run = summary(row)?;
        let (Some(wanted), true) = (&text, is_looked_up) else { return Ok(run) };
        let text: Option<String> = row.get(FOUND_IN)?;
        let snippet = text.and_then(|text| run::history::snippet(&text, wanted));
        Ok(RunSummary { snippet, ..run })
    })?;
    rows.collect::<rusqlite::Result<_>>().map(Some)
}

/// How to find the runs of a list.
enum Way {
    /// In the order of the list, by the index for its filters.
    All,
    /// Like `All`, but at most [`LOOKED_THROUGH`] runs.
    LookThrough,
    /// By the index of what runs are found by.
    LookUp,
}

impl Way {
    fn statement(&self, listing: &Listing, has_text: bool) -> String {
        let (index, narrowed) = match (listing.status, &listing.method) {
            (None, None) => ("runs_by_number", ""),
            (Some(_), None) => ("runs_by_status", "AND status = :status"),
            (None, Some(_)) => ("runs_by_method", "AND method = :method"),
            (Some(_), Some(_)) => {
                ("runs_by_method_and_status", "AND method = :method AND status = :status")
            }
        };
        let (index, pinned) = match listing.pinned {
            // Few are.
            Some(true) => ("runs_pinned", "AND pinned"),
            Some(false) => (index, "AND NOT pinned"),
            None => (index, ""),
        };
        let is_looked_up = has_text && !matches!(self, Way::LookThrough);
        let holds = match (has_text, is_looked_up) {
            (false, _) => String::new(),
            (true, false) => format!("AND {AT_HEAD}"),
            (true, true) => {
                format!("AND ({AT_HEAD} OR instr(fold(coalesce({TEXT}, '')), :text) > 0)")
            }
        };
        let found_in = match is_looked_up {
            true => format!("CASE WHEN {AT_HEAD} THEN NULL ELSE {TEXT} END"),
            false => "NULL".to_owned(),
        };
        let wanted =
            format!("user_id = :user AND number BETWEEN :first AND :last {narrowed} {pinned}");
        let rest = "LIMIT :limit OFFSET :offset";
        match self {
            Way::All => format!(
                "SELECT {COLUMNS}, {found_in} FROM runs INDEXED BY {index} WHERE {wanted} {holds} ORDER BY number DESC {rest}"
            ),
            Way::LookThrough => format!(
                "SELECT {COLUMNS}, {found_in} FROM (SELECT * FROM runs INDEXED BY {index} WHERE {wanted}
                                                     ORDER BY number DESC LIMIT {LOOKED_THROUGH}) AS runs
                  WHERE TRUE {holds} ORDER BY number DESC {rest}"
            ),
            Way::LookUp => format!(
                "SELECT {COLUMNS}, {found_in} FROM run_questions found CROSS JOIN runs INDEXED BY runs_by_number ON number = found.rowid
                  WHERE run_questions MATCH :phrase AND found.rowid BETWEEN :first AND :last AND {wanted} {holds}
                  ORDER BY found.rowid DESC {rest}"
            ),
        }
    }
}

/// Returns the query for the runs that are queued or running: the holder of each, and whether its lease is valid.
fn open_runs() -> String {
    format!(
        "SELECT user_id, id, CASE status WHEN 'running' THEN owner END, lease_until_ms > {NOW_MS}
           FROM runs INDEXED BY runs_unfinished WHERE status IN ('queued', 'running')
          ORDER BY row_number() OVER (PARTITION BY user_id ORDER BY number), created_at, user_id"
    )
}

/// Returns the runs of all users that may be taken up: each user's oldest first, and the users in turn, so that no one waits behind
/// all runs of another user.
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

/// Caches which owners are alive.
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

/// Returns the query for a user's queued or running runs of a method, except one.
fn open_of_method() -> String {
    format!(
        "SELECT id, CASE status WHEN 'running' THEN owner END, lease_until_ms > {NOW_MS}, status
           FROM runs INDEXED BY runs_unfinished
          WHERE status IN ('queued', 'running') AND user_id = ?1 AND method = ?2 AND id <> ?3
          ORDER BY number"
    )
}

/// Returns the oldest open run of the method if, without the created one, as many are open as the limit allows.
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

/// Removes a run and its entries, unless a living worker holds it. What it spent still counts on its day.
pub(super) fn remove(
    connection: &Connection,
    owners: &Owner,
    user: &str,
    run: &str,
) -> rusqlite::Result<Result<(), LogError>> {
    let held: Option<(i64, Option<String>, bool)> = connection
        .prepare_cached(&format!(
            "SELECT number, CASE status WHEN 'running' THEN owner END, lease_until_ms > {NOW_MS} FROM runs
              WHERE user_id = ?1 AND id = ?2"
        ))?
        .query_row(params![user, run], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))
        .optional()?;
    let run_id = || run.to_owned();
    let Some((number, holder, leased)) = held else {
        return Ok(Err(LogError::NoSuchRun { run: run_id() }));
    };
    if let Some(holder) = holder
        && leased
        && owners.lives(&holder)
    {
        return Ok(Err(LogError::Busy { run: run_id(), owner: holder }));
    }
    for statement in [
        usage::KEEP_OF_RUN,
        "DELETE FROM entries WHERE user_id = ?1 AND run_id = ?2",
        "DELETE FROM runs WHERE user_id = ?1 AND id = ?2",
    ] {
        connection.prepare_cached(statement)?.execute(params![user, run])?;
    }
    history::leave(connection, user, run, number)?;
    Ok(Ok(()))
}

/// Returns the run with this key, and the digest of its request.
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
        status: Status::named(&status)
            .ok_or_else(|| unreadable(3, format!("unknown status '{status}'")))?,
        tokens: row.get::<_, i64>(4)? as u64,
        cost_usd_micros: row.get::<_, i64>(5)? as u64,
        created_at: time(6)?,
        updated_at: time(7)?,
        entries: row.get::<_, i64>(8)? as u64,
        stopping: row.get(9)?,
        title: row.get(10)?,
        pinned: row.get(11)?,
        snippet: None,
    })
}

pub(super) fn unreadable(
    index: usize,
    reason: impl Into<Box<dyn std::error::Error + Send + Sync>>,
) -> rusqlite::Error {
    rusqlite::Error::FromSqlConversionFailure(index, Type::Text, reason.into())
}
