//! PostgreSQL as everyone else sees it: a log, a library and a store of contexts, on a real server.
#![expect(clippy::unwrap_used, reason = "what a test relies on fails it")]

mod contexts;
mod files;
mod library;
mod log;
mod migrations;
mod moving;
mod usage;

use conformance::server::Database;
use postgres::Postgres;

/// Opens a database of its own.
async fn open_own() -> (Postgres, Database) {
    let database = Database::make().await;
    (Postgres::open(&database.url).await.unwrap(), database)
}
