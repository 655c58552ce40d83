//! Run numbers, in the order of creation, whatever the clock said.
//!
//! Each user's runs have a range of numbers of their own. So an index ordered by number alone, such as the index of all questions, can
//! be read for one user without touching the others.

use rusqlite::{Connection, OptionalExtension, params};

/// The size of a user's range.
const STRETCH: i64 = 1 << 40;

/// An inclusive range of run numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Numbers {
    pub(super) first: i64,
    pub(super) last: i64,
}

/// Returns the range of a user; `None` if they have no runs.
pub(super) fn of(connection: &Connection, user: &str) -> rusqlite::Result<Option<Numbers>> {
    let any: Option<i64> = connection
        .prepare_cached("SELECT number FROM runs WHERE user_id = ?1 LIMIT 1")?
        .query_row(params![user], |row| row.get(0))
        .optional()?;
    Ok(any.map(|any| any - any % STRETCH).map(|first| Numbers { first, last: first + STRETCH - 1 }))
}

/// Returns the number of a run; `None` if there is no such run.
pub(super) fn of_run(
    connection: &Connection,
    user: &str,
    run: &str,
) -> rusqlite::Result<Option<i64>> {
    connection
        .prepare_cached("SELECT number FROM runs WHERE user_id = ?1 AND id = ?2")?
        .query_row(params![user, run], |row| row.get(0))
        .optional()
}

/// Returns the number of a user's next run.
pub(super) fn next(connection: &Connection, user: &str) -> rusqlite::Result<i64> {
    let highest = |numbers: Numbers| {
        connection
            .prepare_cached("SELECT max(number) FROM runs WHERE number BETWEEN ?1 AND ?2")?
            .query_row(params![numbers.first, numbers.last], |row| row.get::<_, Option<i64>>(0))
    };
    Ok(match of(connection, user)? {
        Some(own) => highest(own)?.unwrap_or(own.first) + 1,
        None => {
            let highest = highest(Numbers { first: 0, last: i64::MAX })?.unwrap_or_default();
            highest - highest % STRETCH + STRETCH + 1
        }
    })
}
