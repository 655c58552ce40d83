//! Passages: chunks as a run sees them.

use std::collections::HashMap;

use deadpool_postgres::Transaction;
use index::Hit;
use tokio_postgres::Row;

use run::evidence::{Passage, Place};
use run::library::{chunk_name, parse_chunk_name};

use super::documents::{read_kind, read_work};
use crate::fault::Fault;
use crate::plain::stored;
use crate::query::{self, count, json, text};

const PASSAGE: &str = "SELECT k.id, k.number, k.text, k.section, k.start_byte, k.end_byte, k.pages,
       d.id, d.path, d.title, d.metadata, d.text_sha256, d.kind, d.work, c.name
  FROM chunks k JOIN documents d ON d.user_id = k.user_id AND d.id = k.document_id
                JOIN collections c ON c.id = d.collection_id
 WHERE k.user_id = $1";

/// Returns the passages of the hits, in the same order.
pub(super) async fn of_hits(
    transaction: &Transaction<'_>,
    user: &str,
    hits: &[Hit],
) -> Result<Vec<Passage>, Fault> {
    let ids: Vec<i64> = hits.iter().map(|hit| hit.id).collect();
    let sql = format!("{PASSAGE} AND k.id = ANY($2)");
    let found = query::rows(transaction, &sql, &[&stored(user), &ids]).await?;
    let mut by_id: HashMap<i64, Row> = HashMap::with_capacity(found.len());
    for row in found {
        by_id.insert(row.try_get(0)?, row);
    }
    let passages = hits.iter().filter_map(|hit| Some((by_id.get(&hit.id)?, hit.score)));
    passages.map(|(row, score)| read_passage(row, score)).collect()
}

/// Returns the passage with this name.
pub(super) async fn named(
    transaction: &Transaction<'_>,
    user: &str,
    name: &str,
) -> Result<Option<Passage>, Fault> {
    let Some((document, number)) = parse_chunk_name(name) else { return Ok(None) };
    let Ok(number) = i32::try_from(number) else { return Ok(None) };
    let sql = format!("{PASSAGE} AND k.document_id = $2 AND k.number = $3");
    let values: &query::Values<'_> = &[&stored(user), &stored(document), &number];
    let found = query::row(transaction, &sql, values).await?;
    found.map(|row| read_passage(&row, 0.0)).transpose()
}

fn read_passage(row: &Row, score: f64) -> Result<Passage, Fault> {
    let (document_id, path, collection) = (text(row, 7)?, text(row, 8)?, text(row, 14)?);
    let kind = read_kind(row, 12)?;
    Ok(Passage {
        text: text(row, 2)?,
        source_uri: kind.source_uri(&collection, &path),
        kind,
        chunk_id: chunk_name(&document_id, i64::from(row.try_get::<_, i32>(1)?)),
        score,
        metadata: json(row, 10)?,
        work: read_work(row, 13)?,
        place: Place {
            document_id,
            title: text(row, 9)?,
            section: text(row, 3)?,
            start: count(row, 4)?,
            end: count(row, 5)?,
            source_sha256: text(row, 11)?,
            pages: json(row, 6)?,
        },
    })
}
