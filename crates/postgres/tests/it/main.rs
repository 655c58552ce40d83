//! PostgreSQL as everyone else sees it: a log, a library and a store of contexts, on a real server.
#![expect(clippy::unwrap_used, reason = "what a test relies on fails it")]

mod contexts;
mod files;
mod history;
mod library;
mod log;
mod migrations;
mod moving;
mod usage;

use conformance::server::Database;
use postgres::{Options, Postgres};

/// Opens a database in which every collection is large.
async fn open_large() -> (Postgres, Database) {
    let database = Database::make().await;
    (open_from(&database, 1).await, database)
}

/// Opens a database in which collections are large from so many chunks on.
async fn open_from(database: &Database, large_chunks: u64) -> Postgres {
    let options = Options { large_chunks, ..Options::default() };
    Postgres::open_with(&database.url, &options).await.unwrap()
}

/// Opens a database of its own.
async fn open_own() -> (Postgres, Database) {
    let database = Database::make().await;
    (Postgres::open(&database.url).await.unwrap(), database)
}
