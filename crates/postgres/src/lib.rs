//! PostgreSQL: the log of all runs, the library of all documents, startup contexts, users' files and their use, and what is remembered of
//! outside services, in one database that any number of processes share.
//!
//! ```no_run
//! # async fn example() -> Result<(), postgres::OpenError> {
//! let database = postgres::Postgres::open("postgres://quaestio@db.example/quaestio").await?;
//! println!("this process works on runs as {}", database.owner());
//! # Ok(())
//! # }
//! ```
//!
//! It behaves as the store of a data folder does (`conformance` holds both to it), with these differences:
//!
//! - **A run is held by a lease.** No file lock tells that a process on another machine is dead, so a run whose worker was killed is
//!   taken up when the lease of that worker expires ([`LEASE`]). A process has one lease for all its runs, by the database's clock. A
//!   process that ends in order gives its lease up, and its runs are free at once. After an outage of the database, when no lease could be
//!   renewed, a process finds only queued runs for as long as a lease lasts.
//! - **A connection may break at any time.** Reads are repeated until the server is back ([`PATIENCE`]); a write whose commit was under
//!   way is looked up before it is repeated.
//! - **Texts may hold what PostgreSQL cannot**, the character NUL: it is stored as an escape sequence.
//! - **A large collection is searched in the database** ([`Options::large_chunks`]), where the server can: with vectors it needs the
//!   extension pgvector. The ranking is the same, but that the extension may miss near vectors.

mod connection;
mod contexts;
mod fault;
mod files;
mod library;
mod log;
mod memory;
mod migrations;
mod moving;
mod plain;
mod query;
mod snapshot;
mod usage;

use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use async_trait::async_trait;
use deadpool_postgres::Pool;
use run::database::{Storage, Tally};
use run::error::PortError;
use run::log::LogError;
use uuid::Uuid;

pub use connection::OpenError;
pub use library::LARGE_CHUNKS;

/// How long a process may be silent before its runs are taken over.
pub const LEASE: Duration = Duration::from_secs(20);
/// How long to go on trying while the server cannot be reached.
pub const PATIENCE: Duration = Duration::from_secs(60);

/// How a database is used.
#[derive(Debug, Clone)]
pub struct Options {
    /// The password, if the address has none.
    pub password: Option<String>,
    /// The number of chunks from which a collection is searched in the database rather than in memory: 1 at least.
    pub large_chunks: u64,
}

impl Default for Options {
    fn default() -> Options {
        Options { password: None, large_chunks: LARGE_CHUNKS }
    }
}

/// A database that other processes may use at the same time.
#[derive(Clone)]
pub struct Postgres {
    shared: Arc<Shared>,
}

struct Shared {
    pool: Pool,
    /// The name under which this process holds runs.
    owner: String,
    address: connection::Address,
    absence: connection::Absence,
    /// When the lease of this process was begun or renewed last.
    held_at: Mutex<Option<Instant>>,
    writer: log::Writer,
    indexes: library::Indexes,
}

impl Postgres {
    /// Connects to the database at `url`, `postgres://user:password@host:port/name`, and brings its tables up to date.
    ///
    /// The parameter `sslmode=require` wants an encrypted connection; certificates are checked against those that the system trusts.
    pub async fn open(url: &str) -> Result<Postgres, OpenError> {
        Postgres::open_with(url, &Options::default()).await
    }

    /// Connects like [`Postgres::open`], with these options.
    pub async fn open_with(url: &str, options: &Options) -> Result<Postgres, OpenError> {
        let (pool, address) = connection::open(url, options.password.as_deref()).await?;
        migrations::run(&pool, &address.location).await?;
        let owner = Uuid::new_v4().to_string();
        let absence = connection::Absence::default();
        let writer = log::Writer::start(pool.clone(), owner.clone(), absence.clone());
        let shared = Shared {
            pool,
            owner,
            address,
            absence,
            held_at: Mutex::default(),
            writer,
            indexes: library::Indexes::new(options.large_chunks),
        };
        Ok(Postgres { shared: Arc::new(shared) })
    }

    /// Returns the name under which this process holds runs.
    pub fn owner(&self) -> &str {
        &self.shared.owner
    }
}

#[async_trait]
impl Storage for Postgres {
    fn owner(&self) -> &str {
        Postgres::owner(self)
    }

    async fn bytes(&self) -> Result<u64, PortError> {
        let size = self.select_one("SELECT pg_database_size(current_database())").await;
        size.and_then(|row| query::count(&row, 0)).map_err(|fault| fault.port("tell its size"))
    }

    async fn close(&self) {
        // If it cannot be given up, the lease ends by itself.
        let _ = Postgres::close(self).await;
    }

    async fn writable(&self) -> Result<(), LogError> {
        self.try_to_write().await
    }

    async fn tally(&self) -> Result<Tally, PortError> {
        self.count_unfinished().await
    }

    async fn check(&self) -> Result<String, String> {
        let version = self.select_one("SELECT current_setting('server_version')").await;
        let at = &self.shared.address.location;
        let from = self.shared.indexes.large_chunks;
        let extension = library::find_extension(self).await;
        match version.and_then(|row| Ok((query::text(&row, 0)?, extension?.explain(from)))) {
            Ok((version, search)) => Ok(format!("{at}, PostgreSQL {version}, {search}")),
            Err(fault) => Err(format!("{at}: {}", fault.reason())),
        }
    }
}
