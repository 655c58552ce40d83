//! Building the index of a collection that has become large.
//!
//! One process builds it, in one transaction, and writes to the collection wait for it. Searches do not: until it is there they are
//! answered from memory.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use deadpool_postgres::Transaction;
use index::BLOCK;

use super::extension::make_extension;
use super::{CHUNK, Chunk, Extension, LargeIndex, drop_index, find_index, fits, read_chunks};
use crate::Postgres;
use crate::connection::Unsure;
use crate::fault::Fault;
use crate::query::{self, count, json};

/// Of the advisory lock under which the index of a collection is built; the number of the collection is added.
const LOCK: i64 = 0x7175_6165_0000_0000;
/// The number of chunks that are read at once: so many lie in two blocks of postings at least, and one of them is complete.
const PORTION: i64 = BLOCK + 1;
/// How long a collection of which no index could be built is left alone.
const REST: Duration = Duration::from_secs(600);
/// What the server may use to build a graph in memory, in megabytes, at least and at most.
const LEAST_MEMORY: u64 = 64;
const MOST_MEMORY: u64 = 2_048;
/// The bytes of a row in a graph, besides its numbers.
const GRAPH_ROW: u64 = 600;

/// The collections of which no index could be built, and since when.
#[derive(Default)]
pub(crate) struct Builds(Mutex<HashMap<i64, Instant>>);

impl Builds {
    /// Returns whether it is worth trying to build the index of a collection.
    pub(in crate::library) fn may_try(&self, collection: i64) -> bool {
        let failed = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        failed.get(&collection).is_none_or(|since| since.elapsed() > REST)
    }

    fn note(&self, collection: i64) {
        let mut failed = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        failed.insert(collection, Instant::now());
    }
}

/// What to build.
struct Wanted {
    collection: i64,
    /// The number of chunks from which a collection is large.
    large_chunks: u64,
    /// `None` if there is no extension.
    schema: Option<String>,
}

impl Postgres {
    /// Builds the index of a large collection if it has none, nobody builds it, and the server can. Otherwise the collection is searched
    /// in memory.
    pub(in crate::library) async fn build_index(&self, collection: i64) {
        let builds = &self.shared.indexes.builds;
        if builds.may_try(collection) && self.try_to_build(collection).await.is_err() {
            builds.note(collection);
        }
    }

    async fn try_to_build(&self, collection: i64) -> Result<(), Fault> {
        let schema = match make_extension(self).await? {
            Extension::Ready { schema, .. } => Some(schema),
            _ => None,
        };
        let large_chunks = self.shared.indexes.large_chunks;
        let wanted = Wanted { collection, large_chunks, schema };
        let built = self.write_with(Unsure::Repeat, wanted, |transaction, wanted| {
            Box::pin(async { build(transaction, wanted).await.map(Ok::<(), Fault>) })
        });
        built.await?
    }
}

async fn build(transaction: &Transaction<'_>, wanted: &Wanted) -> Result<(), Fault> {
    let collection = wanted.collection;
    let lock = LOCK.wrapping_add(collection);
    let sql = "SELECT pg_try_advisory_xact_lock($1)";
    let free =
        query::row(transaction, sql, &[&lock]).await?.map(|row| row.try_get(0)).transpose()?;
    if free != Some(true) {
        return Ok(());
    }
    let sql = "SELECT user_id, manifest, chunks FROM collections WHERE id = $1 FOR UPDATE";
    let Some(row) = query::row(transaction, sql, &[&collection]).await? else { return Ok(()) };
    let (user, manifest): (String, run::library::Manifest) = (row.try_get(0)?, json(&row, 1)?);
    let chunks = count(&row, 2)?;
    let found = find_index(transaction, collection).await?;
    if chunks < wanted.large_chunks.max(1) || found.is_some_and(|index| index.chunks == chunks) {
        return Ok(());
    }
    drop_index(transaction, collection).await?;
    let dimensions = manifest.dimensions();
    let schema = match (&wanted.schema, dimensions) {
        (_, 0) => String::new(),
        (Some(schema), _) if fits(&manifest) => schema.clone(),
        _ => return Err(Fault::Other("the server cannot index these vectors".into())),
    };
    make_tables(transaction, collection, &schema, dimensions).await?;
    let vector_sum = vec![0.0; dimensions];
    let mut index = LargeIndex { collection, chunks: 0, terms: 0, vector_sum, schema };
    let sql = format!("{CHUNK} AND collection_id = $2 AND id > $3 ORDER BY id LIMIT $4");
    let mut after = -1;
    loop {
        let values: &query::Values<'_> = &[&user, &collection, &after, &PORTION];
        let mut portion = read_chunks(&query::rows(transaction, &sql, values).await?)?;
        if portion.len() as i64 == PORTION {
            leave_last_block(&mut portion);
        }
        let Some(last) = portion.last() else { break };
        after = last.id;
        index.add(transaction, &portion).await?;
    }
    make_graph(transaction, &index).await?;
    index.record(transaction).await
}

/// Leaves the chunks of the last block to the next portion, so that each block is written once.
fn leave_last_block(portion: &mut Vec<Chunk>) {
    let block = |chunk: &Chunk| chunk.id.div_euclid(BLOCK);
    if let Some(last) = portion.last().map(block) {
        portion.retain(|chunk| block(chunk) != last);
    }
}

async fn make_tables(
    transaction: &Transaction<'_>,
    collection: i64,
    schema: &str,
    dimensions: usize,
) -> Result<(), Fault> {
    let mut sql = format!(
        r#"CREATE TABLE postings_{collection} (
               term text COLLATE "C", block bigint, postings bytea NOT NULL, PRIMARY KEY (term, block));
           ALTER TABLE postings_{collection} ALTER COLUMN postings SET STORAGE EXTERNAL;"#
    );
    if dimensions > 0 {
        sql += &format!(
            r#"CREATE TABLE vectors_{collection} (
                   chunk bigint PRIMARY KEY, document_id text COLLATE "C" NOT NULL,
                   vector {schema}.halfvec({dimensions}) NOT NULL);"#
        );
    }
    Ok(transaction.batch_execute(&sql).await?)
}

/// Builds the graph of neighbours over all vectors, which is faster than to add them one by one.
///
/// Its distance is the negative product, as in memory: of vectors of length 1 that is the cosine, and a vector of zeros is in the graph,
/// too.
async fn make_graph(transaction: &Transaction<'_>, index: &LargeIndex) -> Result<(), Fault> {
    let LargeIndex { collection, chunks, schema, vector_sum, .. } = index;
    let mut sql = format!("ANALYZE postings_{collection};");
    if !vector_sum.is_empty() {
        let bytes = chunks.saturating_mul(vector_sum.len() as u64 * 2 + GRAPH_ROW);
        let memory = (bytes >> 20).clamp(LEAST_MEMORY, MOST_MEMORY);
        sql += &format!(
            "SET LOCAL maintenance_work_mem = '{memory}MB';
             CREATE INDEX ON vectors_{collection} USING hnsw (vector {schema}.halfvec_ip_ops) WITH (m = 16, ef_construction = 64);
             CREATE INDEX ON vectors_{collection} (document_id);
             ANALYZE vectors_{collection};"
        );
    }
    Ok(transaction.batch_execute(&sql).await?)
}
