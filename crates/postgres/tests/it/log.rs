//! The log on PostgreSQL: what every log must do, and what belongs to the server.

mod broken;
mod processes;

use std::sync::Arc;

use run::log::Log;

use conformance::server::Database;

async fn open() -> (Arc<dyn Log>, String, Database) {
    let (postgres, database) = crate::open_own().await;
    let owner = postgres.owner().to_owned();
    (Arc::new(postgres), owner, database)
}

// proves: C1, C5, C7, C11, D6, F2, F8, S1, S2, S3
conformance::log_tests!(open);
