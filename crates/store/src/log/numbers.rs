//! The numbers of runs: in the order in which they were made, whatever the clock said.
//!
//! A user's runs have a stretch of numbers of their own, so that what is ordered by number alone, such as the index of all questions, can be
//! read for one user without a look at the others.

use rusqlite::{Connection, OptionalExtension, params};

/// Numbers of a stretch.
const STRETCH: i64 = 1 << 40;

/// The numbers from one to another, both included.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Numbers {
    pub(super) first: i64,
    pub(super) last: i64,
}

/// Returns the stretch of a user; none where they have no runs.
pub(super) fn of(connection: &Connection, user: &str) -> rusqlite::Result<Option<Numbers>> {
    let any: Option<i64> = connection
        .prepare_cached("SELECT number FROM runs WHERE user_id = ?1 LIMIT 1")?
        .query_row(params![user], |row| row.get(0))
        .optional()?;
    Ok(any.map(|any| any - any % STRETCH).map(|first| Numbers { first, last: first + STRETCH - 1 }))
}

/// Returns the number of a run; none where there is no such run.
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

/// Returns the number of the next run of a user.
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
