//! Near vectors of a large collection.

use index::{IndexError, Vectors};

use super::{LargeIndex, literal};
use crate::fault::Fault;
use crate::library::search::{Allowed, Stored};

/// The number of candidates up to which the graph is asked; for more, all vectors are compared.
const MOST_FROM_GRAPH: usize = 500;
/// The number of rows that the graph visits at once: the more, the fewer near ones it misses. At most 1,000.
const LEAST_VISITED: usize = 400;
/// What a filter leaves is compared as a whole if that takes less time than the graph does to find enough of it: if the square of the
/// number of chunks left is at most this many times the number of all.
const FEW: u64 = 400;

/// The vectors of a large collection.
pub(in crate::library) struct LargeVectors<'a> {
    pub(in crate::library) chunks: &'a Stored<'a>,
    pub(in crate::library) index: &'a LargeIndex,
    pub(in crate::library) allowed: Option<&'a Allowed>,
}

impl Vectors for LargeVectors<'_> {
    type Error = Fault;

    fn candidates(&mut self, query: &[f32], count: usize) -> Result<Vec<i64>, Fault> {
        let LargeIndex { collection, schema, chunks, vector_sum, .. } = self.index;
        if query.len() != vector_sum.len() {
            return Err(IndexError::Query { found: query.len(), wanted: vector_sum.len() }.into());
        }
        if !query.iter().all(|number| number.is_finite()) {
            return Err(IndexError::QueryNotFinite.into());
        }
        let is_few = self.allowed.is_some_and(|allowed| {
            allowed.chunks.saturating_mul(allowed.chunks) <= chunks.saturating_mul(FEW)
        });
        let by_graph = count <= MOST_FROM_GRAPH && !is_few;
        let distance = format!("vector OPERATOR({schema}.<#>) $1::text::{schema}.halfvec");
        // No index serves a sum.
        let order = if by_graph { distance } else { format!("({distance}) + 0") };
        let (question, limit) = (literal(query), i64::try_from(count).unwrap_or(i64::MAX));
        let snapshot = self.chunks.snapshot;
        if by_graph {
            snapshot.set(&prefer_graph(count))?;
        }
        let rows = match self.allowed {
            None => {
                let sql =
                    format!("SELECT chunk FROM vectors_{collection} ORDER BY {order} LIMIT $2");
                snapshot.rows(&sql, &[&question, &limit])?
            }
            Some(allowed) => {
                let documents: Vec<&String> = allowed.documents.iter().collect();
                let sql = format!(
                    "SELECT chunk FROM vectors_{collection} WHERE document_id = ANY($3) ORDER BY {order} LIMIT $2"
                );
                snapshot.rows(&sql, &[&question, &limit, &documents])?
            }
        };
        if by_graph {
            snapshot.set(AS_BEFORE)?;
        }
        rows.iter().map(|row| Ok(row.try_get(0)?)).collect()
    }

    fn mean_cosine(&self, query: &[f32]) -> f32 {
        let LargeIndex { vector_sum, chunks, .. } = self.index;
        if query.len() != vector_sum.len() || *chunks == 0 {
            return 0.0;
        }
        let product: f64 =
            vector_sum.iter().zip(query).map(|(sum, one)| sum * f64::from(*one)).sum();
        (product / *chunks as f64) as f32
    }
}

/// Returns settings with which the graph answers, whatever the planner thinks, and goes on until there are enough rows that are alive and
/// pass the filter.
fn prefer_graph(count: usize) -> String {
    let visited = (count * 2).clamp(LEAST_VISITED, 1_000);
    format!(
        "SET LOCAL hnsw.ef_search = {visited}; SET LOCAL hnsw.iterative_scan = relaxed_order;
         SET LOCAL enable_seqscan = off; SET LOCAL enable_bitmapscan = off; SET LOCAL enable_sort = off"
    )
}

const AS_BEFORE: &str =
    "SET LOCAL enable_seqscan TO DEFAULT; SET LOCAL enable_bitmapscan TO DEFAULT;
    SET LOCAL enable_sort TO DEFAULT";
