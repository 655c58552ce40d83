//! The port for moving house, on SQLite.

mod orphans;

use async_trait::async_trait;
use rusqlite::{Connection, Error, TransactionBehavior};

use run::error::PortError;
use run::log::Sealed;
use run::moving::{CollectionRow, Expected, Movable, Orphan, RunRow, WholeDocument};

use crate::{Store, library, log};

/// Returns the error of an action: a value that cannot be read is no fault of the store.
fn error(action: &str, error: &Error) -> PortError {
    match error {
        Error::FromSqlConversionFailure(_, _, reason) => {
            PortError::Invalid { what: format!("could not read a stored value: {reason}") }
        }
        Error::InvalidColumnType(..)
        | Error::IntegralValueOutOfRange(..)
        | Error::Utf8Error(..) => {
            PortError::Invalid { what: format!("could not read a stored value: {error}") }
        }
        other => library::error(action, other),
    }
}

impl Store {
    /// Writes in one transaction, which is rolled back unless the work says that it was done.
    async fn move_in(
        &self,
        action: &str,
        work: impl FnOnce(&Connection) -> rusqlite::Result<Result<bool, PortError>> + Send + 'static,
    ) -> Result<bool, PortError> {
        let written = self.shared.writer.run(move |connection| {
            let transaction =
                connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
            let done = work(&transaction)?;
            if matches!(done, Ok(true)) {
                transaction.commit()?;
            }
            Ok(done)
        });
        written.await.map_err(|failure| error(action, &failure))?
    }

    async fn look<T: Send + 'static>(
        &self,
        action: &str,
        query: impl FnOnce(&Connection) -> rusqlite::Result<T> + Send + 'static,
    ) -> Result<T, PortError> {
        self.read(query).await.map_err(|failure| error(action, &failure))
    }
}

/// Returns the users who have anything, sorted. The user's name is the first column of an index of each table.
fn users(connection: &Connection) -> rusqlite::Result<Vec<String>> {
    let mut query = connection.prepare_cached(
        "SELECT user_id FROM runs UNION SELECT user_id FROM collections UNION SELECT user_id FROM contexts
          ORDER BY user_id",
    )?;
    query.query_map([], |row| row.get(0))?.collect()
}

#[async_trait]
impl Movable for Store {
    async fn users(&self) -> Result<Vec<String>, PortError> {
        self.look("list the users", users).await
    }

    async fn run_rows(&self, user: &str, after: i64, limit: u32) -> Result<Vec<RunRow>, PortError> {
        let user = user.to_owned();
        self.look("list the runs", move |connection| {
            log::moving::rows(connection, &user, after, limit)
        })
        .await
    }

    async fn run_row(&self, user: &str, run: &str) -> Result<Option<RunRow>, PortError> {
        let (user, run) = (user.to_owned(), run.to_owned());
        self.look("read the run", move |connection| log::moving::row(connection, &user, &run)).await
    }

    async fn sealed(&self, user: &str, run: &str, after: u64) -> Result<Vec<Sealed>, PortError> {
        let (user, run) = (user.to_owned(), run.to_owned());
        self.look("read the log", move |connection| {
            log::moving::sealed(connection, &user, &run, after)
        })
        .await
    }

    async fn put_run(
        &self,
        row: &RunRow,
        expected: Expected,
        entries: &[Sealed],
    ) -> Result<bool, PortError> {
        let (row, entries) = (row.clone(), entries.to_vec());
        self.move_in("store the run", move |transaction| {
            log::moving::put(transaction, &row, expected, &entries).map(Ok)
        })
        .await
    }

    async fn collection_rows(
        &self,
        user: &str,
        after: Option<&str>,
        limit: u32,
    ) -> Result<Vec<CollectionRow>, PortError> {
        let (user, after) = (user.to_owned(), after.map(str::to_owned));
        self.look("list the collections", move |connection| {
            library::moving::rows(connection, &user, after.as_deref(), limit)
        })
        .await
    }

    async fn collection_row(&self, id: i64) -> Result<Option<CollectionRow>, PortError> {
        self.look("read the collection", move |connection| library::moving::row(connection, id))
            .await
    }

    async fn put_collection(&self, row: &CollectionRow) -> Result<bool, PortError> {
        let row = row.clone();
        self.move_in("make the collection", move |transaction| {
            library::moving::make(transaction, &row).map(Ok)
        })
        .await
    }

    async fn last_collection_id(&self) -> Result<i64, PortError> {
        self.look("read the ids of collections", library::moving::last_id).await
    }

    async fn pass_collection_ids(&self, last: i64) -> Result<(), PortError> {
        self.move_in("set the ids of collections", move |transaction| {
            library::moving::pass_ids(transaction, last).map(|()| Ok(true))
        })
        .await
        .map(|_| ())
    }

    async fn whole_document(
        &self,
        user: &str,
        id: &str,
    ) -> Result<Option<WholeDocument>, PortError> {
        let (user, id) = (user.to_owned(), id.to_owned());
        self.look("read the document", move |connection| {
            library::moving::whole_document(connection, &user, &id)
        })
        .await
    }

    async fn put_whole_document(
        &self,
        user: &str,
        collection: i64,
        document: WholeDocument,
    ) -> Result<bool, PortError> {
        let user = user.to_owned();
        let id = document.about.document_id.clone();
        let (new, ingested_at) = document.into_new();
        self.move_in("store the document", move |transaction| {
            library::moving::put(transaction, &user, collection, &id, &new, ingested_at)
        })
        .await
    }

    async fn orphans(&self, limit: u32) -> Result<Vec<Orphan>, PortError> {
        self.look("look for what belongs to nothing", move |connection| {
            orphans::find(connection, limit)
        })
        .await
    }
}
