//! What the database says of the runs, read past the proxy.

use std::collections::BTreeMap;

use conformance::server::connect;
use tokio::runtime::{Builder, Runtime};

use crate::Failure;

/// A look at the runs.
#[derive(Debug, Default)]
pub(super) struct Look {
    /// Runs that are queued or at work.
    pub(super) unfinished: usize,
    pub(super) ended: usize,
    /// How many runs each process works on.
    pub(super) held: BTreeMap<String, usize>,
}

/// Looks at the runs while nothing restarts.
pub(super) struct Watch {
    runtime: Runtime,
    database: String,
}

impl Watch {
    pub(super) fn over(database: &str) -> Result<Watch, Failure> {
        let runtime = Builder::new_current_thread().enable_all().build()?;
        Ok(Watch { runtime, database: database.to_owned() })
    }

    pub(super) fn look(&self) -> Result<Look, Failure> {
        let query = "
            SELECT status IN ('queued', 'running'), owner, count(*) FROM runs GROUP BY 1, 2";
        let rows = self.runtime.block_on(async {
            let client = connect(&self.database).await;
            client.query(query, &[]).await
        })?;
        let mut look = Look::default();
        for row in rows {
            let count = usize::try_from(row.try_get::<_, i64>(2)?)?;
            match (row.try_get(0)?, row.try_get::<_, Option<String>>(1)?) {
                (true, owner) => {
                    look.unfinished += count;
                    look.held.extend(owner.map(|owner| (owner, count)));
                }
                (false, _) => look.ended += count,
            }
        }
        Ok(look)
    }
}
