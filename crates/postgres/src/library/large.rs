//! Indexes in the database, for collections too large for the memory of every process.
//!
//! They lie in tables of the collection's own: `postings_ID` holds for each term and block of chunks the postings that [`index::Scores`]
//! reads, and `vectors_ID` the vectors as numbers of 16 bits with a graph of neighbours (HNSW of the extension pgvector). A row of
//! `search_indexes` says that they are there and what they hold. It changes in the transaction that changes the chunks, while the row of
//! the collection is locked, so an index is complete or is not there at all.

mod build;
mod check;
mod extension;
mod vectors;
mod words;

use std::collections::HashSet;

use deadpool_postgres::Transaction;
use index::{Postings, without};
use tokio_postgres::Row;

use run::entry::Hash;
use run::library::{Manifest, floats};

use crate::fault::Fault;
use crate::plain::{restored, stored};
use crate::query::{self, count};

pub(crate) use build::Builds;
pub(crate) use check::find_faults;
pub(crate) use extension::{Extension, find_extension};
pub(super) use vectors::LargeVectors;
pub(super) use words::LargeWords;

/// The number of chunks from which a collection is large, unless a setting says otherwise.
pub const LARGE_CHUNKS: u64 = 200_000;
/// The maximum number of dimensions of which the extension makes graphs.
const MOST_DIMENSIONS: usize = 4_000;
/// The greatest number of 16 bits.
const LARGEST: f32 = 65_504.0;
/// The bytes of a term beyond which its digest stands for it: a table's key has no room for longer ones.
const LONGEST_TERM: usize = 500;
/// The number of documents whose chunks are read at once.
const DOCUMENTS: usize = 100;

/// The index of a collection, and what it holds.
pub(super) struct LargeIndex {
    /// The number of the collection.
    collection: i64,
    pub(super) chunks: u64,
    /// The number of terms of all chunks together.
    terms: u64,
    /// The sum of all vectors; empty in a collection without them.
    vector_sum: Vec<f64>,
    /// The schema in which the extension lies, as it stands in a statement.
    schema: String,
}

/// Returns the index of a collection; `None` if it has none.
pub(super) async fn find_index(
    transaction: &Transaction<'_>,
    collection: i64,
) -> Result<Option<LargeIndex>, Fault> {
    let sql = "SELECT chunks, terms, vector_sum,
                      coalesce((SELECT quote_ident(n.nspname) FROM pg_extension e JOIN pg_namespace n ON n.oid = e.extnamespace
                                 WHERE e.extname = 'vector'), '')
                 FROM search_indexes WHERE collection_id = $1";
    let found = query::row(transaction, sql, &[&collection]).await?;
    let read = |row: Row| {
        let (chunks, terms) = (count(&row, 0)?, count(&row, 1)?);
        let (vector_sum, schema) = (row.try_get(2)?, row.try_get(3)?);
        Ok(LargeIndex { collection, chunks, terms, vector_sum, schema })
    };
    found.map(read).transpose()
}

/// Returns whether a collection's vectors fit into an index, if it has any.
fn fits(manifest: &Manifest) -> bool {
    manifest.dimensions() <= MOST_DIMENSIONS
}

/// Removes the index of a collection, if it has one.
pub(super) async fn drop_index(
    transaction: &Transaction<'_>,
    collection: i64,
) -> Result<(), Fault> {
    let sql = "DELETE FROM search_indexes WHERE collection_id = $1";
    if query::execute(transaction, sql, &[&collection]).await? > 0 {
        let sql = format!("DROP TABLE IF EXISTS postings_{collection}, vectors_{collection}");
        transaction.batch_execute(&sql).await?;
    }
    Ok(())
}

/// Adds the chunks of a stored document to the index of its collection, if it has one. `user` is as it is stored.
pub(super) async fn add_document(
    transaction: &Transaction<'_>,
    user: &str,
    collection: i64,
    document: &str,
) -> Result<(), Fault> {
    let Some(mut index) = find_index(transaction, collection).await? else { return Ok(()) };
    let sql = format!("{CHUNK} AND document_id = $2 ORDER BY id");
    let rows = query::rows(transaction, &sql, &[&user, &document]).await?;
    index.add(transaction, &read_chunks(&rows)?).await?;
    index.record(transaction).await
}

/// Removes the chunks of stored documents from the index of their collection, if it has one. `user` is as it is stored.
pub(super) async fn remove_documents(
    transaction: &Transaction<'_>,
    user: &str,
    collection: i64,
    documents: &[String],
) -> Result<(), Fault> {
    let Some(mut index) = find_index(transaction, collection).await? else { return Ok(()) };
    let sql = format!("{CHUNK} AND collection_id = $2 AND document_id = ANY($3) ORDER BY id");
    for some in documents.chunks(DOCUMENTS) {
        let rows = query::rows(transaction, &sql, &[&user, &collection, &some]).await?;
        index.remove(transaction, &read_chunks(&rows)?).await?;
    }
    index.record(transaction).await
}

/// A chunk as an index takes it.
struct Chunk {
    id: i64,
    document: String,
    terms: String,
    /// Empty in a collection without vectors.
    vector: Vec<f32>,
}

const CHUNK: &str = "SELECT id, document_id, terms, vector FROM chunks WHERE user_id = $1";

fn read_chunks(rows: &[Row]) -> Result<Vec<Chunk>, Fault> {
    let read = |row: &Row| {
        let vector: Option<&[u8]> = row.try_get(3)?;
        Ok(Chunk {
            id: row.try_get(0)?,
            document: row.try_get(1)?,
            terms: restored(row.try_get(2)?),
            vector: vector.map(floats).unwrap_or_default(),
        })
    };
    rows.iter().map(read).collect()
}

impl LargeIndex {
    /// Writes what the index holds now.
    async fn record(&self, transaction: &Transaction<'_>) -> Result<(), Fault> {
        let sql = "INSERT INTO search_indexes (collection_id, chunks, terms, vector_sum) VALUES ($1, $2, $3, $4)
                   ON CONFLICT (collection_id)
                   DO UPDATE SET chunks = excluded.chunks, terms = excluded.terms, vector_sum = excluded.vector_sum";
        let (chunks, terms) = (self.chunks as i64, self.terms as i64);
        let values: &query::Values<'_> = &[&self.collection, &chunks, &terms, &self.vector_sum];
        query::execute(transaction, sql, values).await?;
        Ok(())
    }

    /// Adds chunks.
    async fn add(&mut self, transaction: &Transaction<'_>, chunks: &[Chunk]) -> Result<(), Fault> {
        let postings = postings_of(chunks);
        let Columns { terms, blocks, postings: bytes } = Columns::of(&postings);
        let sql = format!(
            "INSERT INTO postings_{} AS p SELECT * FROM unnest($1::text[], $2::bigint[], $3::bytea[])
             ON CONFLICT (term, block) DO UPDATE SET postings = p.postings || excluded.postings",
            self.collection
        );
        query::execute(transaction, &sql, &[&terms, &blocks, &bytes]).await?;
        if !self.vector_sum.is_empty() {
            let ids: Vec<i64> = chunks.iter().map(|chunk| chunk.id).collect();
            let documents: Vec<&str> = chunks.iter().map(|chunk| chunk.document.as_str()).collect();
            let vectors: Vec<String> = chunks.iter().map(|chunk| literal(&chunk.vector)).collect();
            let sql = format!(
                "INSERT INTO vectors_{} SELECT chunk, document_id, vector::{}.halfvec
                   FROM unnest($1::bigint[], $2::text[], $3::text[]) AS given (chunk, document_id, vector)",
                self.collection, self.schema
            );
            query::execute(transaction, &sql, &[&ids, &documents, &vectors]).await?;
        }
        self.chunks += postings.rows;
        self.terms += postings.terms;
        self.sum_up(chunks, 1.0);
        Ok(())
    }

    /// Removes chunks.
    async fn remove(
        &mut self,
        transaction: &Transaction<'_>,
        chunks: &[Chunk],
    ) -> Result<(), Fault> {
        let gone: HashSet<i64> = chunks.iter().map(|chunk| chunk.id).collect();
        let postings = postings_of(chunks);
        let Columns { terms, blocks, .. } = Columns::of(&postings);
        let table = format!("postings_{}", self.collection);
        let sql = format!(
            "SELECT p.term, p.block, p.postings FROM {table} p
               JOIN unnest($1::text[], $2::bigint[]) AS given (term, block) ON p.term = given.term AND p.block = given.block"
        );
        let mut kept = Columns::default();
        let mut emptied = Columns::default();
        for row in query::rows(transaction, &sql, &[&terms, &blocks]).await? {
            let block = row.try_get(1)?;
            let rest = without(block, row.try_get(2)?, &gone);
            let of = if rest.is_empty() { &mut emptied } else { &mut kept };
            of.push(row.try_get(0)?, block, rest);
        }
        let sql = format!(
            "UPDATE {table} p SET postings = given.postings
               FROM unnest($1::text[], $2::bigint[], $3::bytea[]) AS given (term, block, postings)
              WHERE p.term = given.term AND p.block = given.block"
        );
        let values: &query::Values<'_> = &[&kept.terms, &kept.blocks, &kept.postings];
        query::execute(transaction, &sql, values).await?;
        let sql = format!(
            "DELETE FROM {table} p USING unnest($1::text[], $2::bigint[]) AS given (term, block)
              WHERE p.term = given.term AND p.block = given.block"
        );
        query::execute(transaction, &sql, &[&emptied.terms, &emptied.blocks]).await?;
        if !self.vector_sum.is_empty() {
            let ids: Vec<i64> = gone.into_iter().collect();
            let sql = format!("DELETE FROM vectors_{} WHERE chunk = ANY($1)", self.collection);
            query::execute(transaction, &sql, &[&ids]).await?;
        }
        self.chunks = self.chunks.saturating_sub(postings.rows);
        self.terms = self.terms.saturating_sub(postings.terms);
        self.sum_up(chunks, -1.0);
        Ok(())
    }

    fn sum_up(&mut self, chunks: &[Chunk], sign: f64) {
        for chunk in chunks {
            for (sum, number) in self.vector_sum.iter_mut().zip(&chunk.vector) {
                *sum += sign * f64::from(*number);
            }
        }
    }
}

fn postings_of(chunks: &[Chunk]) -> Postings {
    let mut postings = Postings::default();
    chunks.iter().for_each(|chunk| postings.add(chunk.id, &chunk.terms));
    postings
}

/// Rows of postings, column by column.
#[derive(Default)]
struct Columns {
    terms: Vec<String>,
    blocks: Vec<i64>,
    postings: Vec<Vec<u8>>,
}

impl Columns {
    fn of(postings: &Postings) -> Columns {
        let mut columns = Columns::default();
        for ((term, block), bytes) in &postings.of {
            columns.push(key(term), *block, bytes.clone());
        }
        columns
    }

    fn push(&mut self, term: String, block: i64, postings: Vec<u8>) {
        self.terms.push(term);
        self.blocks.push(block);
        self.postings.push(postings);
    }
}

/// Returns the key under which a term is stored. No term has a space, so that of a long one is no other term's.
fn key(term: &str) -> String {
    if term.len() > LONGEST_TERM {
        return format!(" {}", Hash::of(term.as_bytes()));
    }
    stored(term).into_owned()
}

/// Returns a vector as the extension reads it.
fn literal(vector: &[f32]) -> String {
    let mut text = String::with_capacity(vector.len() * 12 + 2);
    for number in vector {
        text.push(if text.is_empty() { '[' } else { ',' });
        text.push_str(&format!("{:e}", number.clamp(-LARGEST, LARGEST)));
    }
    text.push(']');
    text
}
