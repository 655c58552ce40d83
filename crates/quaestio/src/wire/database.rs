//! Opens what runs and documents are kept in: the data folder, or a PostgreSQL database.

use std::path::Path;
use std::sync::Arc;

use ::sources::FolderMemory;
use app::moving::Place;
use postgres::{LARGE_CHUNKS, Options, Postgres};
use run::contexts::Contexts;
use run::database::{Database, Storage};
use run::files::StoredFiles;
use run::services::Memory;
use store::{ContextFiles, Fault, FileStore, OpenError, Store};

use super::data_folder;
use super::models::variable;
use super::telemetry::traced;
use crate::config::{Config, ContextStore};
use crate::failure::Failure;

/// The folder in the data folder that remembers answers of services.
const CACHE: &str = "cache";
/// The usual variable for the password of a PostgreSQL database whose address has none.
const PASSWORD_VARIABLE: &str = "PGPASSWORD";

/// Opens the database.
pub(crate) async fn open(config: &Config) -> Result<Database, Failure> {
    let database = match is_elsewhere(config) {
        true => over_postgres(&connect(config).await?, config)?,
        false => over_store(Store::open(&data_folder(config)?), config)?,
    };
    traced(database, config)
}

/// Opens the database for commands that may only read: a data folder that cannot be written to is enough.
pub(crate) async fn open_to_look(config: &Config) -> Result<Database, Failure> {
    if is_elsewhere(config) {
        return open(config).await;
    }
    traced(over_store(open_somehow(&data_folder(config)?), config)?, config)
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

/// Opens a data folder or a PostgreSQL database, by its address, to copy from.
pub(crate) async fn open_to_copy(address: &str) -> Result<Place, Failure> {
    match is_url(address)? {
        true => Ok(place_of_postgres(&connect_to(address, LARGE_CHUNKS).await?)),
        false => {
            let folder = Path::new(address);
            Ok(place_of_store(&Arc::new(open_if_there(folder)?), folder))
        }
    }
}

/// Opens a data folder or a PostgreSQL database, by its address, to copy to; makes the folder if there is none.
pub(crate) async fn open_to_fill(address: &str) -> Result<Place, Failure> {
    match is_url(address)? {
        true => Ok(place_of_postgres(&connect_to(address, LARGE_CHUNKS).await?)),
        false => {
            let folder = Path::new(address);
            let store = Store::open(folder).map_err(|error| unopened(&error))?;
            Ok(place_of_store(&Arc::new(store), folder))
        }
    }
}

/// Opens the configured database to check it.
pub(crate) async fn open_to_check(config: &Config) -> Result<(Place, Arc<dyn Storage>), Failure> {
    let (place, storage): (Place, Arc<dyn Storage>) = if is_elsewhere(config) {
        let database = connect(config).await?;
        (place_of_postgres(&database), database)
    } else {
        let folder = data_folder(config)?;
        let store = Arc::new(open_if_there(&folder)?);
        (place_of_store(&store, &folder), store)
    };
    Ok((place, storage))
}

/// How the address of a database is given.
const ADDRESS: &str =
    "write postgres://user:password@host:5432/name in --database or QUAESTIO_DATABASE";

/// Tells whether an address is that of a PostgreSQL database; otherwise it is a folder.
fn is_url(address: &str) -> Result<bool, Failure> {
    if address.starts_with("postgres://") || address.starts_with("postgresql://") {
        return Ok(true);
    }
    match address.split_once("://") {
        None => Ok(false),
        Some((scheme, _)) => Err(Failure::usage(
            format!("{scheme}:// is not a database address that Quaestio supports"),
            "give a data folder or postgres://user:password@host:5432/name",
        )),
    }
}

/// Opens the store of a folder that has one.
fn open_if_there(folder: &Path) -> Result<Store, Failure> {
    if !store::is_there(folder) {
        let shown = folder.display();
        return Err(Failure::new(
            format!("there is no database in the folder {shown}"),
            "give the folder that contains quaestio.db",
        ));
    }
    open_somehow(folder).map_err(|error| unopened(&error))
}

/// Opens the store of a folder, to read if it can only be read.
fn open_somehow(folder: &Path) -> Result<Store, OpenError> {
    match Store::open(folder) {
        Err(OpenError::ReadOnly { .. }) => Store::open_to_read(folder),
        opened => opened,
    }
}

fn place_of_postgres(database: &Arc<Postgres>) -> Place {
    let also = || Arc::<Postgres>::clone(database);
    Place { movable: also(), library: also(), contexts: also(), files: also() }
}

fn place_of_store(store: &Arc<Store>, folder: &Path) -> Place {
    let also = || Arc::<Store>::clone(store);
    let files = Arc::new(FileStore::new(folder));
    Place { movable: also(), library: also(), contexts: also(), files }
}

/// Tells whether the database is not the one in the data folder.
pub(crate) fn is_elsewhere(config: &Config) -> bool {
    !config.database.is_empty()
}

async fn connect(config: &Config) -> Result<Arc<Postgres>, Failure> {
    is_url(&config.database).map_err(|failure| Failure { hint: ADDRESS.to_owned(), ..failure })?;
    connect_to(&config.database, config.corpus.large_chunks).await
}

async fn connect_to(url: &str, large_chunks: u64) -> Result<Arc<Postgres>, Failure> {
    let options = Options { password: variable(PASSWORD_VARIABLE), large_chunks };
    let opened = Postgres::open_with(url, &options).await;
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
        usage: also(),
        history: also(),
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
        usage: also(),
        history: also(),
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
            "restore it from a backup, or use another folder with --data-dir"
        }
        OpenError::Database { fault: Fault::DiskFull, .. } | OpenError::Copy { .. } => {
            "free some space; nothing was changed"
        }
        // Their messages say what to do.
        OpenError::Newer { .. } | OpenError::OldSqlite { .. } => "",
        OpenError::Older { .. } => "copy it to a writable folder, and name that with --data-dir",
        OpenError::ReadOnly { .. } | OpenError::Folder { .. } | OpenError::Database { .. } => {
            "check the folder's permissions and free space, or use another folder with --data-dir"
        }
    };
    Failure::new(error.to_string(), hint)
}

fn unconnected(error: &postgres::OpenError) -> Failure {
    use postgres::OpenError;
    let what = error.to_string();
    match error {
        OpenError::Address { .. } => Failure::usage(what, ADDRESS),
        OpenError::Database { .. } | OpenError::Certificates { .. } => Failure::new(
            what,
            "check that the server is running and accepts this user. If its certificate is not trusted, set SSL_CERT_FILE, or add ?sslmode=disable to the address",
        ),
        // Their messages say what to do.
        OpenError::Encoding { .. } | OpenError::Newer { .. } => Failure::new(what, ""),
    }
}
