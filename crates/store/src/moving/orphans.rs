//! What is stored and belongs to nothing.

use rusqlite::{Connection, params};

use run::moving::Orphan;

const ENTRIES: &str = "
    SELECT user_id, count(*) || ' entries of the run ' || run_id || ', which is not there' FROM entries e
     WHERE NOT EXISTS (SELECT 1 FROM runs r WHERE r.user_id = e.user_id AND r.id = e.run_id)
     GROUP BY user_id, run_id LIMIT ?1";
const CHUNKS: &str = "
    SELECT user_id, count(*) || ' chunks of the document ' || document_id || ', which is not there' FROM chunks k
     WHERE NOT EXISTS (SELECT 1 FROM documents d WHERE d.user_id = k.user_id AND d.id = k.document_id)
     GROUP BY user_id, document_id LIMIT ?1";
const DOCUMENTS: &str = "
    SELECT user_id, 'the document ' || id || ' of the collection ' || collection_id || ', which is not there'
      FROM documents d
     WHERE NOT EXISTS (SELECT 1 FROM collections c WHERE c.id = d.collection_id AND c.user_id = d.user_id)
     LIMIT ?1";
const ORIGINALS: &str = "
    SELECT user_id, 'the file of the document ' || document_id || ', which is not there' FROM originals o
     WHERE NOT EXISTS (SELECT 1 FROM documents d WHERE d.user_id = o.user_id AND d.id = o.document_id) LIMIT ?1";
const QUESTIONS: &str = "
    SELECT '', 'the question of a run that is not there, in the index of questions at ' || q.rowid FROM run_questions q
     WHERE NOT EXISTS (SELECT 1 FROM runs r WHERE r.number = q.rowid) LIMIT ?1";
const TABLES: &str = "
    SELECT name FROM sqlite_schema WHERE type = 'table' AND (name GLOB 'terms_*' OR name GLOB 'vectors_*')";

/// Returns what belongs to nothing, the first `limit` of each kind.
pub(super) fn find(connection: &Connection, limit: u32) -> rusqlite::Result<Vec<Orphan>> {
    let mut found = Vec::new();
    for sql in [ENTRIES, CHUNKS, DOCUMENTS, ORIGINALS, QUESTIONS] {
        let mut query = connection.prepare(sql)?;
        let orphan = |row: &rusqlite::Row<'_>| Ok(Orphan { user: row.get(0)?, what: row.get(1)? });
        for one in query.query_map(params![limit], orphan)? {
            found.push(one?);
        }
    }
    let mut query = connection.prepare(TABLES)?;
    let tables: Vec<String> =
        query.query_map([], |row| row.get(0))?.collect::<rusqlite::Result<_>>()?;
    for table in tables {
        found.extend(in_index(connection, &table)?);
    }
    Ok(found)
}

/// Returns what a table of terms or vectors holds of nothing; `None` too for a table that is part of another.
fn in_index(connection: &Connection, table: &str) -> rusqlite::Result<Option<Orphan>> {
    let Some((kind, id)) = table.split_once('_') else { return Ok(None) };
    let Ok(id) = id.parse::<i64>() else { return Ok(None) };
    let user = connection
        .prepare_cached("SELECT user_id FROM collections WHERE id = ?1")?
        .query_map(params![id], |row| row.get::<_, String>(0))?
        .next()
        .transpose()?;
    let Some(user) = user else {
        let what = format!("the {kind} of the collection {id}, which is not there");
        return Ok(Some(Orphan { user: String::new(), what }));
    };
    let key = if kind == "terms" { "rowid" } else { "chunk_id" };
    let count: i64 = connection.query_row(
        &format!(
            "SELECT count(*) FROM {table} t
              WHERE NOT EXISTS (SELECT 1 FROM chunks k WHERE k.id = t.{key} AND k.user_id = ?1)"
        ),
        params![user],
        |row| row.get(0),
    )?;
    let what = format!("{kind} of {count} chunks of the collection {id}, which are not there");
    Ok((count > 0).then_some(Orphan { user, what }))
}
