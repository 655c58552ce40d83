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
//!
//! # The log and the queue
//!
//! - **Durable.** WAL, `synchronous=FULL`, one writer connection on a thread of its own, group commit, `BEGIN IMMEDIATE`,
//!   SQLite 3.51.3 or later asserted at start. Entry, spending and status change in one transaction. An append that
//!   nobody waits for (a step's end) lingers for up to 2 ms and shares a commit with the next one (the next step's
//!   beginning): one sync of the disk per model call, and still every completed step is on disk before anything outside
//!   is called again.
//! - **What is committed together lies together**: entries are stored in the order in which they were written, whatever
//!   run they are of, with an index by run. What a run costs (`docs/decisions/footprint.md`).
//! - **Appending is the fence.** An append names the attempt that holds the run and must follow the last stored entry
//!   without a gap; a worker that was taken over gets a conflict and stops.
//! - **Who holds a run** is a file lock of the owning process, which the system lets go of however the process dies, plus
//!   a lease. So a killed run can be resumed at once, and a stopped process is fenced when its lease ends.
//! - **Lists grow without getting slower.** Runs are numbered in the order in which they are made, each user's in a
//!   stretch of numbers of their own; every index of a list ends with that number, and an index of trigrams finds the
//!   questions that hold a text. Collections count what they hold. A test (`store/src/growth.rs`) counts SQLite's steps
//!   for each call with few and with many things stored.
//! - **Removal** is one transaction: row, entries and the question's place in the index; then the collection `run-<id>`
//!   and the artifacts go. A run that a living worker holds is not removed.
//! - **The queue** is the runs' own rows: `unfinished` names those that wait for a worker and those whose worker is gone.
//!   A request that names a key makes one run, however often it is sent.

mod backup;
mod context_files;
mod contexts;
mod file;
#[cfg(test)]
mod growth;
mod held;
mod library;
mod log;
mod owner;
mod passage;
mod search;
mod writer;

use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use async_trait::async_trait;
use run::database::{Storage, Tally};
use run::ports::{LogError, PortError};
use rusqlite::{Connection, ErrorCode, TransactionBehavior};
use tokio::sync::Semaphore;

pub use backup::{BackupError, backup};
pub use context_files::{ContextFiles, folder_of};

use file::{
    DatabaseFile, SCHEMA_VERSION, connect, connect_reader, connect_to_read, prepare, version,
};
use held::Indexes;
use owner::Owner;
use writer::Writer;

/// The file in the data folder that holds everything but uploads and models.
const DATABASE: &str = "quaestio.db";
/// The oldest SQLite that is safe: earlier ones can corrupt a database when the WAL is reset.
const OLDEST_SQLITE: i32 = 3_051_003;
/// Bytes that a disk has left which is not as good as full.
const LEAST_ROOM: u64 = 1 << 20;
/// Connections that read, at most: each holds three file descriptors, and whoever comes later waits.
const READERS: usize = 16;

/// Why the data folder cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    #[error("the data folder {} cannot be used: {reason}", path.display())]
    Folder { path: PathBuf, reason: String },
    /// What it holds can be read with [`Store::open_to_read`].
    #[error("nothing can be written to the data folder {}: {reason}", path.display())]
    ReadOnly { path: PathBuf, reason: String },
    #[error("the database {} cannot be opened: {reason}", path.display())]
    Database { path: PathBuf, reason: String, fault: Fault },
    #[error("the database {} has an older layout, and cannot be brought up to date where it can only be read", path.display())]
    Older { path: PathBuf },
    #[error("the database {} has an older layout, and the copy that is kept before that is changed could not be made: {reason}", path.display())]
    Copy { path: PathBuf, reason: String },
    #[error("the database {} was written by a newer version (layout {found}, this one knows {known}); update quaestio or choose another --data-dir", path.display())]
    Newer { path: PathBuf, found: i64, known: i64 },
    #[error("SQLite {found} is too old to keep data safely; 3.51.3 is the oldest that does")]
    OldSqlite { found: String },
}

/// What is wrong with a database that cannot be opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// It is no database, or a damaged one.
    Damaged,
    DiskFull,
    /// It is there, and may not be read or written.
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

/// The store of one data folder.
#[derive(Clone)]
pub struct Store {
    shared: Arc<Shared>,
}

struct Shared {
    database: DatabaseFile,
    writer: Writer,
    /// Opens a connection that reads.
    connect: fn(&Path) -> rusqlite::Result<Connection>,
    /// Those that are not reading just now.
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
            indexes: Arc::default(),
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
    /// Opens the store in `folder`, which is made if it is not there.
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
            // What changes the layout of everything may go wrong.
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

    /// Opens the store in a folder that nothing can be written to. Whatever would change it is an error, and no file is made.
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

    /// Checks that the database can be written to. Nothing that it holds is changed.
    pub async fn writable(&self) -> Result<(), LogError> {
        let written = self.shared.writer.run(|connection| {
            let transaction =
                connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
            // It is written whether or not it is another.
            transaction.pragma_update(None, "user_version", version(&transaction)?)?;
            transaction.commit()
        });
        written.await.map_err(|failure| log::error("be written", &failure))?;
        // The log of writes may have room for this little where the disk has none left.
        match file::room_beside(self.database()) {
            Some(room) if room < LEAST_ROOM => Err(LogError::DiskFull),
            _ => Ok(()),
        }
    }

    /// Returns the name under which this process holds runs.
    pub fn owner(&self) -> &str {
        self.shared.owner.name()
    }

    /// Returns the file that holds everything.
    pub fn database(&self) -> &Path {
        &self.shared.database.path
    }

    /// Returns how many bytes the database takes on disk, with what is not yet merged into it.
    pub fn bytes(&self) -> u64 {
        let database = self.database();
        let beside = |ending: &str| {
            let mut name = database.as_os_str().to_owned();
            name.push(ending);
            std::fs::metadata(name).map_or(0, |about| about.len())
        };
        beside("") + beside("-wal")
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
                None => (shared.connect)(&shared.database.path)?,
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

#[async_trait]
impl Storage for Store {
    fn owner(&self) -> &str {
        Store::owner(self)
    }

    fn bytes(&self) -> u64 {
        Store::bytes(self)
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
