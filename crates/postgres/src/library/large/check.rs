//! Whether indexes in the database hold what their collections do.

use index::sum_counts;

use crate::fault::Fault;
use crate::query::{count, text};
use crate::snapshot::Snapshot;

const INDEXES: &str = "
    SELECT c.user_id, c.name, c.id, c.chunks, i.chunks, i.terms, cardinality(i.vector_sum) > 0
      FROM search_indexes i JOIN collections c ON c.id = i.collection_id ORDER BY c.id";

/// Returns what is wrong with indexes, each with its user. Such an index is not used, and built anew by the next search or write if its
/// number of chunks is wrong.
pub(crate) fn find_faults(snapshot: &Snapshot<'_>) -> Result<Vec<(String, String)>, Fault> {
    let mut faults = Vec::new();
    for row in snapshot.rows(INDEXES, &[])? {
        let (user, name, id): (_, _, i64) = (text(&row, 0)?, text(&row, 1)?, row.try_get(2)?);
        let (chunks, indexed, terms) = (count(&row, 3)?, count(&row, 4)?, count(&row, 5)?);
        let mut tell = |what: &str, found: u64, wanted: u64| {
            if found != wanted {
                let wrong = format!(
                    "the index of the collection {name} contains {found} {what} instead of {wanted}"
                );
                faults.push((user.clone(), wrong));
            }
        };
        tell("chunks", indexed, chunks);
        let mut held = 0;
        for row in snapshot.stream(&format!("SELECT postings FROM postings_{id}"), &[])? {
            held += sum_counts(row?.try_get(0)?);
        }
        tell("terms", held, terms);
        if row.try_get(6)? {
            for row in snapshot.rows(&format!("SELECT count(*) FROM vectors_{id}"), &[])? {
                tell("vectors", count(&row, 0)?, chunks);
            }
        }
    }
    Ok(faults)
}
