//! The library port on PostgreSQL: text and index in the same transaction.

mod collections;
mod documents;
mod large;
mod passage;
mod search;
mod write;

use std::collections::HashMap;
use std::sync::Arc;

use async_trait::async_trait;

use run::entry::Hash;
use run::error::PortError;
use run::evidence::Passage;
use run::library::{
    Collection, Found, Library, Manifest, NewDocument, Part, Put, QueryVector, Search,
    StoredDocument, none_such,
};

use crate::Postgres;
use crate::connection::Unsure;
use crate::fault::Fault;
use collections::find_collection;
use search::{Answer, Asked, Unindexed};

pub(crate) use collections::read_collection;
pub(crate) use documents::{original_of, with_text};
pub use large::LARGE_CHUNKS;
pub(crate) use large::{find_extension, find_faults};
pub(crate) use search::Indexes;
pub(crate) use write::{bytes_of, insert};

/// Returns what was done or why it was refused; a fault is the error of the action.
fn settle<T>(done: Result<Result<T, PortError>, Fault>, action: &str) -> Result<T, PortError> {
    done.unwrap_or_else(|fault| Err(fault.port(action)))
}

#[async_trait]
impl Library for Postgres {
    async fn open(
        &self,
        user: &str,
        collection: &str,
        manifest: &Manifest,
    ) -> Result<(), PortError> {
        let given = (user, collection, manifest);
        let made = self.write_with(Unsure::Repeat, given, |transaction, (user, name, manifest)| {
            Box::pin(write::open(transaction, user, name, manifest))
        });
        settle(made.await, "make the collection")
    }

    async fn manifest(&self, user: &str, collection: &str) -> Result<Manifest, PortError> {
        let found = self.read_with((user, collection), |transaction, (user, name)| {
            Box::pin(find_collection(transaction, user, name))
        });
        let found = found.await.map_err(|fault| fault.port("read the collection's manifest"))?;
        found.map(|row| row.manifest).ok_or_else(|| none_such(collection))
    }

    async fn put(
        &self,
        user: &str,
        collection: &str,
        documents: Vec<NewDocument>,
    ) -> Result<Vec<Put>, PortError> {
        let given = (user, collection, documents);
        let put = self.write_with(Unsure::Repeat, given, |transaction, (user, name, documents)| {
            Box::pin(write::put(transaction, user, name, documents))
        });
        let stored = settle(put.await, "store the documents")?;
        if self.shared.indexes.is_large(stored.chunks) && !stored.is_indexed {
            self.build_index(stored.collection).await;
        }
        Ok(stored.done)
    }

    async fn remove_paths(
        &self,
        user: &str,
        collection: &str,
        paths: &[String],
    ) -> Result<u64, PortError> {
        let given = (user, collection, paths);
        let removed = self.write_with(Unsure::Fail, given, |transaction, (user, name, paths)| {
            Box::pin(write::remove_paths(transaction, user, name, paths))
        });
        settle(removed.await, "remove the documents")
    }

    async fn remove_document(&self, user: &str, id: &str) -> Result<bool, PortError> {
        let removed = self.write_with(Unsure::Fail, (user, id), |transaction, (user, id)| {
            Box::pin(async { write::remove_document(transaction, user, id).await.map(Ok) })
        });
        settle(removed.await, "remove the document")
    }

    async fn remove(&self, user: &str, collection: &str) -> Result<bool, PortError> {
        let given = (user, collection);
        let removed = self.write_with(Unsure::Fail, given, |transaction, (user, name)| {
            Box::pin(async { write::remove(transaction, user, name).await.map(Ok) })
        });
        let removed = settle(removed.await, "remove the collection")?;
        if let Some(id) = removed {
            self.shared.indexes.cached.forget(id);
        }
        Ok(removed.is_some())
    }

    async fn collection(&self, user: &str, name: &str) -> Result<Option<Collection>, PortError> {
        let found = self.read_with((user, name), |transaction, (user, name)| {
            Box::pin(collections::collection(transaction, user, name))
        });
        found.await.map_err(|fault| fault.port("read the collection"))
    }

    async fn collections_part(
        &self,
        user: &str,
        of_runs: bool,
        part: &Part,
    ) -> Result<Vec<Collection>, PortError> {
        let given = (user, of_runs, part);
        let found = self.read_with(given, |transaction, (user, of_runs, part)| {
            Box::pin(collections::collections(transaction, user, *of_runs, part))
        });
        found.await.map_err(|fault| fault.port("list the collections"))
    }

    async fn documents_part(
        &self,
        user: &str,
        collection: &str,
        part: &Part,
    ) -> Result<Vec<StoredDocument>, PortError> {
        let given = (user, collection, part);
        let found = self.read_with(given, |transaction, (user, name, part)| {
            Box::pin(async move {
                match find_collection(transaction, user, name).await? {
                    Some(row) => documents::part_of(transaction, user, &row, part).await.map(Some),
                    None => Ok(None),
                }
            })
        });
        let found = found.await.map_err(|fault| fault.port("list the documents"))?;
        found.ok_or_else(|| none_such(collection))
    }

    async fn documents_at(
        &self,
        user: &str,
        collection: &str,
        paths: &[String],
    ) -> Result<Vec<StoredDocument>, PortError> {
        let given = (user, collection, paths);
        let found = self.read_with(given, |transaction, (user, name, paths)| {
            Box::pin(async move {
                match find_collection(transaction, user, name).await? {
                    Some(row) => {
                        documents::at_paths(transaction, user, &row, paths).await.map(Some)
                    }
                    None => Ok(None),
                }
            })
        });
        let found = found.await.map_err(|fault| fault.port("look the documents up"))?;
        found.ok_or_else(|| none_such(collection))
    }

    async fn document(
        &self,
        user: &str,
        id: &str,
    ) -> Result<Option<(StoredDocument, String)>, PortError> {
        let found = self.read_with((user, id), |transaction, (user, id)| {
            Box::pin(documents::with_text(transaction, user, id))
        });
        found.await.map_err(|fault| fault.port("read the document"))
    }

    async fn original(&self, user: &str, id: &str) -> Result<Option<Vec<u8>>, PortError> {
        let found = self.read_with((user, id), |transaction, (user, id)| {
            Box::pin(documents::original_of(transaction, user, id))
        });
        found.await.map_err(|fault| fault.port("read the document's file"))
    }

    async fn vectors(
        &self,
        user: &str,
        collection: &str,
        path: &str,
    ) -> Result<HashMap<Hash, Vec<f32>>, PortError> {
        let given = (user, collection, path);
        let found = self.read_with(given, |transaction, (user, name, path)| {
            Box::pin(async move {
                match find_collection(transaction, user, name).await? {
                    Some(row) => documents::vectors_of(transaction, user, &row, path).await,
                    None => Ok(HashMap::new()),
                }
            })
        });
        found.await.map_err(|fault| fault.port("read the document's vectors"))
    }

    async fn passage(&self, user: &str, chunk_id: &str) -> Result<Option<Passage>, PortError> {
        let found = self.read_with((user, chunk_id), |transaction, (user, name)| {
            Box::pin(passage::named(transaction, user, name))
        });
        found.await.map_err(|fault| fault.port("read the passage"))
    }

    async fn search(
        &self,
        user: &str,
        wanted: &Search,
        query: Option<&QueryVector>,
    ) -> Result<Found, PortError> {
        let turn = Arc::new(self.shared.indexes.turn().await);
        let asked = Asked { user: user.to_owned(), search: wanted.clone(), query: query.cloned() };
        let asked = Arc::new(asked);
        let mut unindexed = Unindexed::Tell;
        loop {
            let (turn, asked) = (Arc::clone(&turn), Arc::clone(&asked));
            let shared = Arc::clone(&self.shared);
            let answered = self.compute(move |snapshot| {
                // The turn ends with the last try, also if nobody waits for it any more.
                let _turn = &turn;
                search::search(snapshot, &shared.indexes, &asked, unindexed)
            });
            match settle(answered.await, "search")? {
                Answer::Found(found) => return Ok(found),
                Answer::Unindexed(collection) => self.build_index(collection).await,
            }
            unindexed = Unindexed::SearchInMemory;
        }
    }
}
