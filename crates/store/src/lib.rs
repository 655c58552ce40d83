//! SQLite: the log of all runs, the library of all documents and the startup contexts, in one file.
//!
//! One connection writes, on a thread of its own; what waits there at the same moment shares one
//! commit. Others read. Several processes may open the same file.
//!
//! ```no_run
//! # fn main() -> Result<(), store::OpenError> {
//! let store = store::Store::open(std::path::Path::new("data"))?;
//! println!("this process works on runs as {}", store.owner());
//! # Ok(())
//! # }
//! ```
//!
//! Startup contexts can be kept as JSON files instead: [`ContextFiles`].

mod context_files;
mod contexts;
mod file;
mod held;
pub mod index;
mod library;
mod log;
mod owner;
mod passage;
mod search;
mod writer;

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use rusqlite::Connection;
use tokio::sync::Semaphore;

pub use context_files::{ContextFiles, folder_of};

use file::{DatabaseFile, SCHEMA_VERSION, connect, prepare};
use held::Indexes;
use owner::Owner;
use writer::Writer;

/// The oldest SQLite that is safe: earlier ones can corrupt a database when the WAL is reset.
const OLDEST_SQLITE: i32 = 3_051_003;
/// Connections that read, at most: each holds three file descriptors, and whoever comes later waits.
const READERS: usize = 16;

/// Why the data folder cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    #[error("the data folder {} cannot be used: {reason}", path.display())]
    Folder { path: PathBuf, reason: String },
    #[error("the database {} cannot be opened: {reason}", path.display())]
    Database { path: PathBuf, reason: String },
    #[error("the database {} was written by a newer version (layout {found}, this one knows {known}); update quaestio or choose another --data-dir", path.display())]
    Newer { path: PathBuf, found: i64, known: i64 },
    #[error("SQLite {found} is too old to keep data safely; 3.51.3 is the oldest that does")]
    OldSqlite { found: String },
}

/// The store of one data folder.
#[derive(Clone)]
pub struct Store {
    shared: Arc<Shared>,
}

struct Shared {
    database: DatabaseFile,
    writer: Writer,
    /// Those that are not reading just now.
    readers: Mutex<Vec<Connection>>,
    turns: Semaphore,
    owner: Arc<Owner>,
    indexes: Arc<Indexes>,
}

impl Store {
    /// Opens the store in `folder`, which is made if it is not there.
    pub fn open(folder: &Path) -> Result<Store, OpenError> {
        if rusqlite::version_number() < OLDEST_SQLITE {
            return Err(OpenError::OldSqlite { found: rusqlite::version().to_owned() });
        }
        let unusable = |reason: std::io::Error| OpenError::Folder {
            path: folder.to_owned(),
            reason: reason.to_string(),
        };
        std::fs::create_dir_all(folder).map_err(unusable)?;
        let owner = Arc::new(Owner::register(&folder.join("owners")).map_err(unusable)?);
        let database = folder.join("quaestio.db");
        let broken = |reason: rusqlite::Error| OpenError::Database {
            path: database.clone(),
            reason: reason.to_string(),
        };
        let mut connection = connect(&database).map_err(broken)?;
        let found = prepare(&mut connection).map_err(broken)?;
        if found > SCHEMA_VERSION {
            return Err(OpenError::Newer { path: database, found, known: SCHEMA_VERSION });
        }
        let database = DatabaseFile::at(&database);
        let writer =
            Writer::start(connection, database.clone(), Arc::clone(&owner)).map_err(unusable)?;
        let shared = Shared {
            database,
            writer,
            readers: Mutex::default(),
            turns: Semaphore::new(READERS),
            owner,
            indexes: Arc::default(),
        };
        Ok(Store { shared: Arc::new(shared) })
    }

    /// Returns the name under which this process holds runs.
    pub fn owner(&self) -> &str {
        self.shared.owner.name()
    }

    /// Returns the file that holds everything.
    pub fn database(&self) -> &Path {
        &self.shared.database.path
    }

    /// Runs a query on a thread that may wait; all it reads is of one moment.
    async fn read<T: Send + 'static>(
        &self,
        query: impl FnOnce(&Connection) -> rusqlite::Result<T> + Send + 'static,
    ) -> rusqlite::Result<T> {
        // The semaphore is never closed.
        let _turn = self.shared.turns.acquire().await;
        let shared = Arc::clone(&self.shared);
        let work = move || {
            shared.database.unmoved()?;
            let free = || shared.readers.lock().unwrap_or_else(PoisonError::into_inner);
            let kept = free().pop();
            let connection = match kept {
                Some(connection) => connection,
                None => connect(&shared.database.path)?,
            };
            let moment = connection.unchecked_transaction()?;
            let answer = query(&moment)?;
            drop(moment);
            // A connection that failed is not used again.
            free().push(connection);
            Ok(answer)
        };
        tokio::task::spawn_blocking(work).await.unwrap_or_else(|_| Err(broken_off()))
    }
}

/// The work was given up: its thread panicked or is gone.
fn broken_off() -> rusqlite::Error {
    rusqlite::Error::ToSqlConversionFailure("the store broke off".into())
}

impl Store {
    /// Checks the database from end to end; returns SQLite's version.
    pub async fn check(&self) -> Result<&'static str, String> {
        let found = self.read(|connection| {
            connection.pragma_query_value(None, "quick_check", |row| row.get::<_, String>(0))
        });
        match found.await {
            Ok(found) if found == "ok" => Ok(rusqlite::version()),
            Ok(found) => Err(format!("{}: {found}", self.database().display())),
            Err(error) => Err(format!("{}: {error}", self.database().display())),
        }
    }
}
