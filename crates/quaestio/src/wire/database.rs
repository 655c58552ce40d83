//! Opens what runs and documents are kept in: the data folder, or a PostgreSQL database.

use std::sync::Arc;

use ::sources::FolderMemory;
use postgres::Postgres;
use run::contexts::Contexts;
use run::database::Database;
use run::files::StoredFiles;
use run::services::Memory;
use store::{ContextFiles, Fault, FileStore, OpenError, Store};

use super::data_folder;
use super::models::variable;
use crate::config::{Config, ContextStore};
use crate::failure::Failure;

/// The folder in the data folder that remembers answers of services.
const CACHE: &str = "cache";
/// The usual variable for the password of a PostgreSQL database whose address has none.
const PASSWORD_VARIABLE: &str = "PGPASSWORD";

/// Opens the database.
pub(crate) async fn open(config: &Config) -> Result<Database, Failure> {
    match is_elsewhere(config) {
        true => over_postgres(&connect(config).await?, config),
        false => over_store(Store::open(&data_folder(config)?), config),
    }
}

/// Opens the database for commands that may only read: a data folder that cannot be written to is enough.
pub(crate) async fn open_to_look(config: &Config) -> Result<Database, Failure> {
    if is_elsewhere(config) {
        return open(config).await;
    }
    let folder = data_folder(config)?;
    let opened = match Store::open(&folder) {
        Err(OpenError::ReadOnly { .. }) => Store::open_to_read(&folder),
        opened => opened,
    };
    over_store(opened, config)
}

/// Opens users' files alone: those of a data folder need no database.
pub(crate) async fn open_files(config: &Config) -> Result<Arc<dyn StoredFiles>, Failure> {
    Ok(match is_elsewhere(config) {
        true => connect(config).await?,
        false => Arc::new(FileStore::new(data_folder(config)?)),
    })
}

/// Opens the memory of services alone: that of a data folder needs no database.
pub(crate) async fn open_memory(config: &Config) -> Result<Arc<dyn Memory>, Failure> {
    Ok(match is_elsewhere(config) {
        true => connect(config).await?,
        false => Arc::new(folder_memory(config)?),
    })
}

/// Tells whether the database is not the one in the data folder.
pub(crate) fn is_elsewhere(config: &Config) -> bool {
    !config.database.is_empty()
}

async fn connect(config: &Config) -> Result<Arc<Postgres>, Failure> {
    let password = variable(PASSWORD_VARIABLE);
    let opened = Postgres::open_as(&config.database, password.as_deref()).await;
    opened.map(Arc::new).map_err(|error| unconnected(&error))
}

fn over_postgres(database: &Arc<Postgres>, config: &Config) -> Result<Database, Failure> {
    let also = || Arc::<Postgres>::clone(database);
    Ok(Database {
        log: also(),
        library: also(),
        contexts: contexts(config, also())?,
        files: also(),
        memory: also(),
        storage: also(),
    })
}

fn over_store(opened: Result<Store, OpenError>, config: &Config) -> Result<Database, Failure> {
    let store = Arc::new(opened.map_err(|error| unopened(&error))?);
    let also = || Arc::<Store>::clone(&store);
    Ok(Database {
        log: also(),
        library: also(),
        contexts: contexts(config, also())?,
        files: Arc::new(FileStore::new(data_folder(config)?)),
        memory: Arc::new(folder_memory(config)?),
        storage: also(),
    })
}

/// Returns where startup contexts are kept: in the database, or as files.
fn contexts(config: &Config, database: Arc<dyn Contexts>) -> Result<Arc<dyn Contexts>, Failure> {
    Ok(match config.contexts.store {
        ContextStore::Database => database,
        ContextStore::Files if config.contexts.folder.is_empty() => {
            Arc::new(ContextFiles::new(data_folder(config)?.join("contexts")))
        }
        ContextStore::Files => Arc::new(ContextFiles::new(&config.contexts.folder)),
    })
}

fn folder_memory(config: &Config) -> Result<FolderMemory, Failure> {
    Ok(FolderMemory::at(&data_folder(config)?.join(CACHE)))
}

fn unopened(error: &OpenError) -> Failure {
    let hint = match error {
        OpenError::Database { fault: Fault::Damaged, .. } => {
            "restore it from a backup, or give another folder with --data-dir FOLDER"
        }
        OpenError::Database { fault: Fault::DiskFull, .. } | OpenError::Copy { .. } => {
            "free some space; nothing was changed"
        }
        // Their messages say what to do.
        OpenError::Newer { .. } | OpenError::OldSqlite { .. } => "",
        OpenError::Older { .. } => "copy it to where it can be written, and give --data-dir FOLDER",
        OpenError::ReadOnly { .. } | OpenError::Folder { .. } | OpenError::Database { .. } => {
            "check the folder's permissions and free space, or give --data-dir FOLDER"
        }
    };
    Failure::new(error.to_string(), hint)
}

fn unconnected(error: &postgres::OpenError) -> Failure {
    use postgres::OpenError;
    let what = error.to_string();
    match error {
        OpenError::Address { .. } => Failure::usage(
            what,
            "write postgres://user:password@host:5432/name in --database or QUAESTIO_DATABASE",
        ),
        OpenError::Database { .. } | OpenError::Certificates { .. } => Failure::new(
            what,
            "see that the server runs and lets this user in; --database or QUAESTIO_DATABASE is its address",
        ),
        // Their messages say what to do.
        OpenError::Encoding { .. } | OpenError::Newer { .. } => Failure::new(what, ""),
    }
}
