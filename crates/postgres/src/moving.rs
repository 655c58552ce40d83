//! The port for moving house, on PostgreSQL.

mod documents;
mod orphans;
mod runs;

use async_trait::async_trait;

use run::error::PortError;
use run::files::FileRef;
use run::log::Sealed;
use run::moving::{CollectionRow, Expected, Movable, MovableFiles, Orphan, RunRow, WholeDocument};

use crate::Postgres;
use crate::connection::Unsure;
use crate::fault::Fault;
use crate::plain::stored;
use crate::query::{count, text};

/// Returns the error of an action: a value that cannot be read is no fault of the store.
fn fail(fault: &Fault, action: &str) -> PortError {
    match fault {
        Fault::Unreadable(what) => PortError::Invalid { what: what.clone() },
        other => other.port(action),
    }
}

const USERS: &str = "
    SELECT user_id FROM runs UNION SELECT user_id FROM collections UNION SELECT user_id FROM contexts
     ORDER BY user_id";

#[async_trait]
impl Movable for Postgres {
    async fn users(&self) -> Result<Vec<String>, PortError> {
        let rows = self.select(USERS, &[]).await;
        let users = rows.and_then(|rows| rows.iter().map(|row| text(row, 0)).collect());
        users.map_err(|fault| fail(&fault, "list the users"))
    }

    async fn run_rows(&self, user: &str, after: i64, limit: u32) -> Result<Vec<RunRow>, PortError> {
        let found = self.moving_rows(user, after, limit).await;
        found.map_err(|fault| fail(&fault, "list the runs"))
    }

    async fn run_row(&self, user: &str, run: &str) -> Result<Option<RunRow>, PortError> {
        let found = self.moving_row(user, run).await;
        found.map_err(|fault| fail(&fault, "read the run"))
    }

    async fn sealed(&self, user: &str, run: &str, after: u64) -> Result<Vec<Sealed>, PortError> {
        let found = self.sealed_after(user, run, after).await;
        found.map_err(|fault| fail(&fault, "read the log"))
    }

    async fn put_run(
        &self,
        row: &RunRow,
        expected: Expected,
        entries: &[Sealed],
    ) -> Result<bool, PortError> {
        let given = (row, expected, entries);
        let put =
            self.write_with(Unsure::Repeat, given, |transaction, (row, expected, entries)| {
                Box::pin(runs::put(transaction, row, *expected, entries))
            });
        put.await.unwrap_or_else(|fault| Err(fail(&fault, "store the run")))
    }

    async fn collection_rows(
        &self,
        user: &str,
        after: Option<&str>,
        limit: u32,
    ) -> Result<Vec<CollectionRow>, PortError> {
        let found = self.moving_collections(user, after, limit).await;
        found.map_err(|fault| fail(&fault, "list the collections"))
    }

    async fn collection_row(&self, id: i64) -> Result<Option<CollectionRow>, PortError> {
        let found = self.moving_collection(id).await;
        found.map_err(|fault| fail(&fault, "read the collection"))
    }

    async fn put_collection(&self, row: &CollectionRow) -> Result<bool, PortError> {
        let made = self.write_with(Unsure::Repeat, row, |transaction, row| {
            Box::pin(documents::make(transaction, row))
        });
        made.await.unwrap_or_else(|fault| Err(fail(&fault, "make the collection")))
    }

    async fn last_collection_id(&self) -> Result<i64, PortError> {
        let last = self.last_id().await;
        last.map_err(|fault| fail(&fault, "read the ids of collections"))
    }

    async fn pass_collection_ids(&self, last: i64) -> Result<(), PortError> {
        let passed = self.write_with(Unsure::Repeat, last, |transaction, last| {
            Box::pin(documents::pass_ids(transaction, *last))
        });
        passed.await.unwrap_or_else(|fault| Err(fail(&fault, "set the ids of collections")))
    }

    async fn whole_document(
        &self,
        user: &str,
        id: &str,
    ) -> Result<Option<WholeDocument>, PortError> {
        let found = self.read_with((user, id), |transaction, (user, id)| {
            Box::pin(documents::whole_document(transaction, user, id))
        });
        found.await.map_err(|fault| fail(&fault, "read the document"))
    }

    async fn put_whole_document(
        &self,
        user: &str,
        collection: i64,
        document: WholeDocument,
    ) -> Result<bool, PortError> {
        let id = document.about.document_id.clone();
        let (new, ingested_at) = document.into_new();
        let given = documents::Given { user, collection, id: &id, new: &new, ingested_at };
        let put = self.write_with(Unsure::Repeat, given, |transaction, given| {
            Box::pin(documents::put(transaction, given))
        });
        put.await.unwrap_or_else(|fault| Err(fail(&fault, "store the document")))
    }

    async fn orphans(&self, limit: u32) -> Result<Vec<Orphan>, PortError> {
        let found = self.find_orphans(limit).await;
        found.map_err(|fault| fail(&fault, "look for what belongs to nothing"))
    }
}

const FILES: &str = "
    SELECT sha256, octet_length(bytes)::bigint FROM files
     WHERE user_id = $1 AND ($2::text IS NULL OR sha256 > $2) ORDER BY sha256 LIMIT $3";

#[async_trait]
impl MovableFiles for Postgres {
    async fn users_of_files(&self) -> Result<Vec<String>, PortError> {
        let query =
            "SELECT user_id FROM files UNION SELECT user_id FROM file_sets ORDER BY user_id";
        let rows = self.select(query, &[]).await;
        let users =
            rows.and_then(|rows| rows.iter().map(|row| text(row, 0)).collect::<Result<_, Fault>>());
        users.map_err(|fault| fail(&fault, "list the users of files"))
    }

    async fn files_part(
        &self,
        user: &str,
        after: Option<&str>,
        limit: u32,
    ) -> Result<Vec<FileRef>, PortError> {
        let after = after.map(str::to_owned);
        let rows = self.select(FILES, &[&stored(user), &after, &i64::from(limit)]).await;
        let files = rows.and_then(|rows| {
            let file = |row| {
                let sha256 = text(row, 0)?;
                Ok(FileRef { name: sha256.clone(), sha256, bytes: count(row, 1)? })
            };
            rows.iter().map(file).collect::<Result<_, Fault>>()
        });
        files.map_err(|fault| fail(&fault, "list the files"))
    }
}
