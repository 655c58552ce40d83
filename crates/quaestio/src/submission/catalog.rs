//! The user's collections, checked before a run.

use run::database::Database;
use run::error::PortError;
use run::library::Part;

use super::Origin;
use crate::failure::Failure;
use crate::wire::Tools;

/// Collections that an error lists if the wanted one is missing, at most.
const NAMED: u32 = 20;

/// Returns whether a collection has documents.
pub(super) async fn has_documents(
    database: &Database,
    user: &str,
    name: &str,
) -> Result<bool, Failure> {
    Ok(database
        .library
        .collection(user, name)
        .await?
        .is_some_and(|collection| collection.documents > 0))
}

/// The place where documents are looked for.
pub(super) struct Catalog<'a> {
    pub(super) database: &'a Database,
    pub(super) tools: &'a Tools,
    pub(super) user: &'a str,
    pub(super) origin: Origin,
}

impl Catalog<'_> {
    pub(super) async fn must_exist(&self, collection: &str) -> Result<(), Failure> {
        if self.database.library.collection(self.user, collection).await?.is_some() {
            return Ok(());
        }
        let first = Part { after: None, limit: NAMED };
        let collections = self.database.library.collections_part(self.user, false, &first).await?;
        let names: Vec<&str> = collections.iter().map(|known| known.name.as_str()).collect();
        let there = if names.is_empty() {
            "there are no collections yet".to_owned()
        } else {
            format!("collections: {}", names.join(", "))
        };
        let hint = match self.origin {
            Origin::CommandLine => format!(
                "create it with `quaestio ingest PATH --collection {collection}`, or give --docs PATH"
            ),
            Origin::Http | Origin::Library => {
                "upload documents first, or choose another collection".to_owned()
            }
        };
        Err(Failure::usage(format!("there is no collection '{collection}'; {there}"), hint))
    }

    /// Checks a collection that a method searches in addition to its sources; an empty name means none.
    pub(super) async fn may_search(
        &self,
        collection: &str,
        method: &str,
        retrieval: run::library::Retrieval,
    ) -> Result<(), Failure> {
        if collection.is_empty() {
            return Ok(());
        }
        self.must_exist(collection).await?;
        self.must_compare(collection, method, retrieval).await
    }

    /// Checks that the search can compare vectors if it needs to, so that the run does not fail later.
    pub(super) async fn must_compare(
        &self,
        collection: &str,
        method: &str,
        retrieval: run::library::Retrieval,
    ) -> Result<(), Failure> {
        let manifest = match self.database.library.manifest(self.user, collection).await {
            // It was removed after it was found.
            Err(PortError::Invalid { .. }) => {
                self.must_exist(collection).await?;
                self.database.library.manifest(self.user, collection).await?
            }
            manifest => manifest?,
        };
        if !retrieval.in_a(&manifest).needs_vectors() {
            return Ok(());
        }
        let embedder = match &self.tools.embedder {
            Some(embedders) => Some(embedders.open().await?),
            None => None,
        };
        let embedding = embedder.as_ref().map(|embedder| embedder.embedding());
        manifest.comparable(collection, embedding).map_err(|error| {
            Failure::usage(
                error.to_string(),
                match self.origin {
                    Origin::CommandLine => format!("name the embedding model with --embedder, or search by words with --set {method}.retrieval=feedback"),
                    Origin::Http | Origin::Library => format!("set embedder.model in the server's configuration, or {method}.retrieval = \"feedback\" to search by words"),
                },
            )
        })
    }
}
