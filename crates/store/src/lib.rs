//! SQLite: the log of all runs, the library of all documents and the startup contexts, in one file.
//!
//! One connection writes, on a thread of its own; writes that wait there at the same moment share one commit. Other connections read.
//! Several processes may open the same file.
//!
//! ```no_run
//! # fn main() -> Result<(), store::OpenError> {
//! let store = store::Store::open(std::path::Path::new("data"))?;
//! println!("this process works on runs as {}", store.owner());
//! # Ok(())
//! # }
//! ```
//!
//! Startup contexts can be stored as JSON files instead: [`ContextFiles`]. Files of users lie beside the database: [`FileStore`].
//!
//! # The log and the queue
//!
//! - **Durable.** WAL, `synchronous=FULL`, one writer connection on a thread of its own, group commit, `BEGIN IMMEDIATE`, SQLite
//!   3.51.3 or later asserted at start. Entry, spending and status change in one transaction. An append without a waiting caller (a
//!   step's end) lingers for up to 2 ms and shares a commit with the next one (the next step's beginning): one disk sync per model
//!   call, and still every completed step is on disk before the next external call.
//! - **Entries committed together are stored together**: in write order across runs, with an index by run. For what a run costs, see
//!   `docs/decisions/footprint.md`.
//! - **Appending is the fence.** An append names the attempt that holds the run and must follow the last stored entry without a gap; a
//!   worker whose run was taken over gets a conflict and stops.
//! - **A run is held** by a file lock of the owning process, which the system releases however the process dies, plus a lease. So a
//!   killed run can be resumed at once, and a stopped process is fenced when its lease ends.
//! - **Lists stay fast as they grow.** Runs are numbered in the order of their creation, each user's in a range of numbers of their
//!   own; every index of a list ends with that number, and a trigram index finds the questions, titles and results that contain a
//!   text. Collections count their contents. A test (`store/src/growth.rs`) counts SQLite's steps for each call with few and with many
//!   things stored.
//! - **Removal** is one transaction: row, entries and the question's index entry; then the collection `run-<id>` and the artifacts are
//!   removed. A run that a living worker holds is not removed.
//! - **The queue** is the runs' own rows: `unfinished` returns those that wait for a worker and those whose worker is gone. A request
//!   with a key makes one run, however often it is sent.

mod backup;
mod context_files;
mod contexts;
mod file;
mod file_store;
#[cfg(test)]
mod growth;
mod library;
mod log;
mod moving;
mod owner;
mod passage;
mod search;
mod usage;
mod writer;

use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use async_trait::async_trait;
use run::database::{Storage, Tally};
use run::error::PortError;
use run::log::LogError;
use rusqlite::{Connection, ErrorCode, TransactionBehavior};
use tokio::sync::Semaphore;

pub use backup::{BackupError, backup};
pub use context_files::{ContextFiles, folder_of};
pub use file_store::FileStore;

use file::{
    DatabaseFile, SCHEMA_VERSION, connect, connect_reader, connect_to_read, prepare, version,
};
use index::Indexes;
use owner::Owner;
use writer::Writer;

/// The file in the data folder that holds everything but uploads and models.
const DATABASE: &str = "quaestio.db";
/// The oldest safe SQLite: earlier ones can corrupt a database when the WAL is reset.
const OLDEST_SQLITE: i32 = 3_051_003;
/// With fewer bytes free, a disk counts as full.
const LEAST_ROOM: u64 = 1 << 20;
/// The maximum number of reading connections: each holds three file descriptors. Further readers wait.
const READERS: usize = 16;
/// The number of searches of an unchanged collection that look up words in the file's own index: a command asks one question and ends.
const SEARCHES_IN_FILE: u32 = 1;

/// Why the data folder cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    #[error("could not use the data folder {}: {reason}", path.display())]
    Folder { path: PathBuf, reason: String },
    /// The contents can be read with [`Store::open_to_read`].
    #[error("could not write to the data folder {}: {reason}", path.display())]
    ReadOnly { path: PathBuf, reason: String },
    #[error("could not open the database {}: {reason}", path.display())]
    Database { path: PathBuf, reason: String, fault: Fault },
    #[error("the database {} has an older layout and is read-only, so it cannot be upgraded. Make it writable once", path.display())]
    Older { path: PathBuf },
    #[error("the database {} has an older layout, and the backup before its upgrade failed: {reason}", path.display())]
    Copy { path: PathBuf, reason: String },
    #[error("the database {} was written by a newer version of quaestio (layout {found}; this version reads up to {known}). \
             Update quaestio, or choose another `--data-dir`", path.display())]
    Newer { path: PathBuf, found: i64, known: i64 },
    #[error("SQLite {found} is too old to keep data safely. Version 3.51.3 or later is needed")]
    OldSqlite { found: String },
}

/// Why a database cannot be opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// It is not a database, or is damaged.
    Damaged,
    DiskFull,
    /// It exists but may not be read or written.
    Forbidden,
    Other,
}

impl Fault {
    fn of(error: &rusqlite::Error) -> Fault {
        match error.sqlite_error_code() {
            _ if log::is_disk_full(error) => Fault::DiskFull,
            Some(ErrorCode::NotADatabase | ErrorCode::DatabaseCorrupt) => Fault::Damaged,
            Some(ErrorCode::CannotOpen | ErrorCode::ReadOnly | ErrorCode::PermissionDenied) => {
                Fault::Forbidden
            }
            _ => Fault::Other,
        }
    }
}

/// Returns whether there is a database in a data folder.
pub fn is_there(folder: &Path) -> bool {
    folder.join(DATABASE).is_file()
}

/// The store of one data folder.
#[derive(Clone)]
pub struct Store {
    shared: Arc<Shared>,
}

struct Shared {
    database: DatabaseFile,
    writer: Writer,
    /// Opens a reading connection.
    connect: fn(&Path) -> rusqlite::Result<Connection>,
    /// The idle ones.
    readers: Mutex<Vec<Connection>>,
    turns: Semaphore,
    owner: Arc<Owner>,
    indexes: Arc<Indexes>,
}

impl Shared {
    fn of(
        database: DatabaseFile,
        writer: Writer,
        connect: fn(&Path) -> rusqlite::Result<Connection>,
        owner: Arc<Owner>,
    ) -> Shared {
        Shared {
            database,
            writer,
            connect,
            readers: Mutex::default(),
            turns: Semaphore::new(READERS),
            owner,
            indexes: Arc::new(Indexes::new(SEARCHES_IN_FILE)),
        }
    }
}

fn broken(database: &Path, error: &rusqlite::Error) -> OpenError {
    OpenError::Database {
        path: database.to_owned(),
        reason: error.to_string(),
        fault: Fault::of(error),
    }
}

impl Store {
    /// Opens the store in `folder`, which is created if it does not exist.
    pub fn open(folder: &Path) -> Result<Store, OpenError> {
        if rusqlite::version_number() < OLDEST_SQLITE {
            return Err(OpenError::OldSqlite { found: rusqlite::version().to_owned() });
        }
        let unusable = |error: std::io::Error| {
            let (path, reason) = (folder.to_owned(), error.to_string());
            match error.kind() {
                ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem => {
                    OpenError::ReadOnly { path, reason }
                }
                _ => OpenError::Folder { path, reason },
            }
        };
        std::fs::create_dir_all(folder).map_err(unusable)?;
        let owner = Arc::new(Owner::register(&folder.join("owners")).map_err(unusable)?);
        let database = folder.join(DATABASE);
        let broken = |error: rusqlite::Error| broken(&database, &error);
        let mut connection = connect(&database).map_err(broken)?;
        let found = version(&connection).map_err(broken)?;
        if (1..SCHEMA_VERSION).contains(&found) {
            // A migration of the whole layout may go wrong.
            let copied = backup::copy(&connection, &backup::before(found, &database));
            copied.map_err(|reason| OpenError::Copy { path: database.clone(), reason })?;
        }
        let found = prepare(&mut connection).map_err(broken)?;
        if found > SCHEMA_VERSION {
            return Err(OpenError::Newer { path: database, found, known: SCHEMA_VERSION });
        }
        let database = DatabaseFile::at(&database);
        let writer =
            Writer::start(connection, database.clone(), Arc::clone(&owner)).map_err(unusable)?;
        Ok(Store::of(Shared::of(database, writer, connect_reader, owner)))
    }

    /// Opens the store in a read-only folder. Every write is an error, and no file is created.
    pub fn open_to_read(folder: &Path) -> Result<Store, OpenError> {
        let path = folder.join(DATABASE);
        let broken = |error: rusqlite::Error| broken(&path, &error);
        let connection = connect_to_read(&path).map_err(broken)?;
        match version(&connection).map_err(broken)? {
            SCHEMA_VERSION => {}
            found if found > SCHEMA_VERSION => {
                return Err(OpenError::Newer { path, found, known: SCHEMA_VERSION });
            }
            _ => return Err(OpenError::Older { path }),
        }
        let owner = Arc::new(Owner::reader(&folder.join("owners")));
        let database = DatabaseFile::at(&path);
        Ok(Store::of(Shared::of(database, Writer::refusing(), connect_to_read, owner)))
    }

    fn of(shared: Shared) -> Store {
        Store { shared: Arc::new(shared) }
    }

    /// Checks that the database can be written to. Changes none of its contents.
    pub async fn writable(&self) -> Result<(), LogError> {
        let written = self.shared.writer.run(|connection| {
            let transaction =
                connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
            // SQLite writes the version even if it is the same.
            transaction.pragma_update(None, "user_version", version(&transaction)?)?;
            transaction.commit()
        });
        written.await.map_err(|failure| log::error("be written", &failure))?;
        // The write-ahead log may have room for this little on a disk without any left.
        match file::room_beside(self.database()) {
            Some(room) if room < LEAST_ROOM => Err(LogError::DiskFull),
            _ => Ok(()),
        }
    }

    /// Returns the name under which this process holds runs.
    pub fn owner(&self) -> &str {
        self.shared.owner.name()
    }

    /// Returns the path of the database file.
    pub fn database(&self) -> &Path {
        &self.shared.database.path
    }

    /// Returns the size of the database on disk in bytes, including the write-ahead log.
    pub fn bytes(&self) -> u64 {
        let database = self.database();
        let beside = |ending: &str| {
            let mut name = database.as_os_str().to_owned();
            name.push(ending);
            std::fs::metadata(name).map_or(0, |about| about.len())
        };
        beside("") + beside("-wal")
    }

    /// Runs a query on a blocking thread; all its reads see one snapshot.
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
                None => (shared.connect)(&shared.database.path)?,
            };
            let moment = connection.unchecked_transaction()?;
            let answer = query(&moment)?;
            drop(moment);
            // A connection that failed is not reused.
            free().push(connection);
            Ok(answer)
        };
        tokio::task::spawn_blocking(work).await.unwrap_or_else(|_| Err(broken_off()))
    }
}

/// The work was abandoned: its thread panicked or is gone.
fn broken_off() -> rusqlite::Error {
    rusqlite::Error::ToSqlConversionFailure("the store stopped unexpectedly".into())
}

#[async_trait]
impl Storage for Store {
    fn owner(&self) -> &str {
        Store::owner(self)
    }

    async fn bytes(&self) -> Result<u64, PortError> {
        Ok(Store::bytes(self))
    }

    async fn close(&self) {
        // The system releases the file lock by which others tell that this process lives.
    }

    async fn writable(&self) -> Result<(), LogError> {
        Store::writable(self).await
    }

    async fn tally(&self) -> Result<Tally, PortError> {
        Store::tally(self).await
    }

    async fn check(&self) -> Result<String, String> {
        let version = Store::check(self).await?;
        Ok(format!("{}, SQLite {version}", self.database().display()))
    }
}

impl Store {
    /// Runs SQLite's quick check on the database; returns SQLite's version.
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
