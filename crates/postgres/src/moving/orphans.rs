//! What is stored and belongs to nothing, and indexes that do not hold what their collections do. Of documents and their chunks the
//! database itself sees that they belong to something.

use run::moving::Orphan;

use crate::Postgres;
use crate::fault::Fault;
use crate::library;
use crate::query::text;

const ENTRIES: &str = "
    SELECT user_id, count(*) || ' entries of the run ' || run_id || ', which is not there' FROM entries e
     WHERE NOT EXISTS (SELECT FROM runs r WHERE r.user_id = e.user_id AND r.id = e.run_id)
     GROUP BY user_id, run_id LIMIT $1";
const CHUNKS: &str = "
    SELECT k.user_id, count(*) || ' chunks of the document ' || document_id || ' that name another collection than it does'
      FROM chunks k JOIN documents d ON d.user_id = k.user_id AND d.id = k.document_id
     WHERE k.collection_id <> d.collection_id GROUP BY k.user_id, document_id LIMIT $1";

impl Postgres {
    /// Returns what belongs to nothing, the first `limit` of each kind.
    pub(super) async fn find_orphans(&self, limit: u32) -> Result<Vec<Orphan>, Fault> {
        let mut found = Vec::new();
        for sql in [ENTRIES, CHUNKS] {
            for row in self.select(sql, &[&i64::from(limit)]).await? {
                found.push(Orphan { user: text(&row, 0)?, what: text(&row, 1)? });
            }
        }
        let faults = self.compute(library::find_faults).await?;
        let faults = faults.into_iter().take(limit as usize);
        found.extend(faults.map(|(user, what)| Orphan { user, what }));
        Ok(found)
    }
}
