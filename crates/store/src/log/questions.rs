//! The index of what runs are found by: their questions, their titles, and the texts of their results.
//!
//! Its terms are trigrams, and a text is looked up as a phrase of them. So a text is found anywhere, and the index alone shows that no
//! run contains a text.

use rusqlite::{Connection, params};

use super::numbers::Numbers;

/// The maximum number of characters to look up: candidates are then compared with the whole text.
const LOOKED_UP: usize = 64;
/// The number of characters in a term.
const TERM: usize = 3;

/// Adds what a run is found by.
pub(super) fn enter(connection: &Connection, number: i64, indexed: &str) -> rusqlite::Result<()> {
    connection
        .prepare_cached("INSERT INTO run_questions (rowid, folded) VALUES (?1, ?2)")?
        .execute(params![number, text::fold_case(indexed)])?;
    Ok(())
}

/// Removes what a run is found by.
pub(super) fn leave(connection: &Connection, number: i64) -> rusqlite::Result<()> {
    connection
        .prepare_cached("DELETE FROM run_questions WHERE rowid = ?1")?
        .execute(params![number])?;
    Ok(())
}

/// Returns the phrase that looks up a folded text; `None` if the text is too short.
pub(super) fn phrase(text: &str) -> Option<String> {
    // The index skips this character, and it would end the phrase.
    let signs: String = text.chars().filter(|sign| *sign != '\0').take(LOOKED_UP).collect();
    let is_long = signs.chars().count() >= TERM;
    is_long.then(|| format!("\"{}\"", signs.replace('"', "\"\"")))
}

/// Counts the runs that contain a phrase, up to a limit.
pub(super) fn holding(
    connection: &Connection,
    phrase: &str,
    among: Numbers,
    limit: u32,
) -> rusqlite::Result<u32> {
    connection
        .prepare_cached(
            "SELECT count(*) FROM (SELECT 1 FROM run_questions
                                    WHERE run_questions MATCH ?1 AND rowid BETWEEN ?2 AND ?3 LIMIT ?4)",
        )?
        .query_row(params![phrase, among.first, among.last, limit], |row| row.get(0))
}
