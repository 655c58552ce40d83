//! Where a server of a test keeps things: a folder of its own, and a PostgreSQL database where the tests run over one.

use std::path::Path;
use std::sync::Arc;

use conformance::server::Database;
use postgres::Postgres;
use run::contexts::Contexts;
use run::database::Storage;
use run::history::History;
use run::library::Library;
use run::log::Log;
use run::usage::UsageStore;
use store::Store;
use tempfile::TempDir;

/// Set where every server of a test has a PostgreSQL database in the place of the one in its folder.
const OVER_POSTGRES: &str = "QUAESTIO_TEST_OVER_POSTGRES";

pub(crate) struct Home {
    folder: TempDir,
    database: Option<Database>,
}

/// What is kept there, as one process sees it: nobody else holds runs under its name.
#[derive(Clone)]
pub(crate) struct Kept {
    pub(crate) log: Arc<dyn Log>,
    pub(crate) library: Arc<dyn Library>,
    pub(crate) contexts: Arc<dyn Contexts>,
    pub(crate) storage: Arc<dyn Storage>,
    pub(crate) usage: Arc<dyn UsageStore>,
    pub(crate) history: Arc<dyn History>,
}

impl Home {
    pub(crate) async fn make() -> Home {
        match std::env::var_os(OVER_POSTGRES) {
            Some(_) => Home::over_postgres().await,
            None => Home { folder: tempfile::tempdir().unwrap(), database: None },
        }
    }

    /// A home with a PostgreSQL database in any case.
    pub(crate) async fn over_postgres() -> Home {
        let database = Some(Database::make().await);
        Home { folder: tempfile::tempdir().unwrap(), database }
    }

    pub(crate) fn path(&self) -> &Path {
        self.folder.path()
    }

    /// Opens what is kept there, as another process would.
    pub(crate) async fn open(&self) -> Kept {
        match &self.database {
            Some(database) => Kept::of(Postgres::open(&database.url).await.unwrap()),
            None => Kept::of(Store::open(&self.path().join("data")).unwrap()),
        }
    }
}

impl Kept {
    fn of(kept: impl Log + Library + Contexts + Storage + UsageStore + History + 'static) -> Kept {
        let kept = Arc::new(kept);
        Kept {
            log: kept.clone(),
            library: kept.clone(),
            contexts: kept.clone(),
            storage: kept.clone(),
            usage: kept.clone(),
            history: kept,
        }
    }
}
