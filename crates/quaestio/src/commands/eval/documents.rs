//! What an evaluation answers from: documents that are read into their own collection, or an existing collection.

use std::path::PathBuf;

use eval::dataset::{Dataset, Document};
use run::embedding::Embedding;
use run::entry::Hash;
use run::evidence::EvidenceKind;
use run::sources::{Body, Material, Reading};
use serde_json::Value;

use super::super::collect::{Wanted, collect, left_out};
use super::super::{CliContext, DEFAULT_COLLECTION};
use crate::cli::EvalOrder;
use crate::failure::Failure;
use crate::wire;

/// Digits of the digest that are in the name of a collection.
const DIGITS: usize = 12;
/// Documents of a corpus that are ingested at a time.
const BATCH: usize = 500;

/// Where documents come from.
pub(super) enum Place {
    /// Files and folders, read into this collection.
    Files(String),
    /// The corpus of the dataset, ingested into this collection.
    Corpus(String),
    /// An existing collection.
    Stored(String),
}

impl Place {
    /// Returns the place of an order's documents; `None` if there are no documents at all. Reads nothing yet.
    pub(super) async fn of(
        order: &EvalOrder,
        dataset: &Dataset,
        context: &CliContext<'_>,
    ) -> Result<Option<Place>, Failure> {
        if let Some(collection) = &order.collection {
            return Ok(Some(Place::Stored(collection.clone())));
        }
        let has_corpus = !dataset.documents.is_empty();
        if has_corpus && !order.docs.is_empty() {
            return Err(Failure::usage(
                format!("the dataset '{}' brings its own documents", dataset.name),
                "leave --docs out",
            ));
        }
        if has_corpus {
            return Ok(Some(Place::Corpus(
                named(context, &Hash::of_json(&dataset.documents)).await?,
            )));
        }
        if !order.docs.is_empty() {
            let absolute = |path: &PathBuf| {
                path.canonicalize().map_err(|error| {
                    Failure::usage(
                        format!("{}: {error}", path.display()),
                        "check the path and its permissions",
                    )
                })
            };
            let paths: Vec<PathBuf> = order.docs.iter().map(absolute).collect::<Result<_, _>>()?;
            return Ok(Some(Place::Files(named(context, &Hash::of_json(&paths)).await?)));
        }
        let usual =
            context.database.library.collection(&context.config.user, DEFAULT_COLLECTION).await?;
        Ok(usual
            .is_some_and(|one| one.documents > 0)
            .then(|| Place::Stored(DEFAULT_COLLECTION.to_owned())))
    }

    pub(super) fn collection(&self) -> &str {
        match self {
            Place::Files(name) | Place::Corpus(name) | Place::Stored(name) => name,
        }
    }

    /// Reads the documents; those that were read before and have not changed stay as they are.
    pub(super) async fn fill(
        &self,
        order: &EvalOrder,
        dataset: &Dataset,
        context: &CliContext<'_>,
    ) -> Result<(), Failure> {
        match self {
            Place::Stored(_) => Ok(()),
            Place::Files(name) => {
                let (collection, paths) = (&**name, &*order.docs);
                let wanted = Wanted { collection, paths, prune: true, ..Wanted::default() };
                let report = collect(context, wanted).await?;
                left_out(context, &report)?;
                context.note(&format!("collection {name}: {} documents", report.stored()));
                Ok(())
            }
            Place::Corpus(name) => taken_in(context, name, &dataset.documents).await,
        }
    }

    /// Returns a digest of the documents, and how many there are; `None` if there is no such collection. The digest does not depend on the
    /// collection's name.
    pub(super) async fn digest(
        &self,
        context: &CliContext<'_>,
    ) -> Result<Option<(Hash, u64)>, Failure> {
        let (user, name) = (&context.config.user, self.collection());
        if context.database.library.collection(user, name).await?.is_none() {
            return Ok(None);
        }
        let mut documents: Vec<Value> = Vec::new();
        for one in context.database.library.documents(user, name).await? {
            documents.push(serde_json::json!([one.path, one.kind, one.text_sha256, one.metadata]));
        }
        documents.sort_by_cached_key(Value::to_string);
        let manifest = context.database.library.manifest(user, name).await?;
        Ok(Some((Hash::of_json(&(&documents, manifest)), documents.len() as u64)))
    }
}

/// Ingests the corpus of a dataset into its own collection, unless it is there already; returns the collection's name.
pub(super) async fn corpus(context: &CliContext<'_>, dataset: &Dataset) -> Result<String, Failure> {
    let name = named(context, &Hash::of_json(&dataset.documents)).await?;
    taken_in(context, &name, &dataset.documents).await?;
    Ok(name)
}

/// Returns the name of the collection for the documents of `digest`. It depends on how collections are made, such as the embedder.
async fn named(context: &CliContext<'_>, digest: &Hash) -> Result<String, Failure> {
    let embedding: Option<Embedding> = match &context.tools.embedder {
        Some(embedders) => Some(embedders.open().await?.embedding().clone()),
        None => None,
    };
    let manifest = context.config.corpus.manifest(embedding);
    let digest = Hash::of_json(&(digest, manifest)).to_string();
    let digits: String = digest.chars().take(DIGITS).collect();
    Ok(format!("eval-{digits}"))
}

/// Ingests the corpus of a dataset into a collection, each document under its id.
async fn taken_in(
    context: &CliContext<'_>,
    name: &str,
    documents: &[Document],
) -> Result<(), Failure> {
    let user = &context.config.user;
    let wanted = documents.len() as u64;
    // Its name contains the documents' digest, so comparing their number is enough.
    let known = context.database.library.collection(user, name).await?;
    if known.is_some_and(|known| known.documents == wanted) {
        return Ok(());
    }
    let intake = wire::intake(&context.database, &context.config, &context.tools);
    let mut left_out = 0;
    for (number, batch) in documents.chunks(BATCH).enumerate() {
        let materials = batch.iter().map(material).collect();
        let taken = intake.take_in(user, name, materials).await?;
        left_out += taken.iter().filter(|one| !matches!(one.outcome, Reading::Kept { .. })).count();
        let done = (number * BATCH + batch.len()).min(documents.len());
        context.note(&format!("{done} of {wanted} documents read"));
    }
    if left_out == documents.len() {
        return Err(Failure::new("could not read any document of the dataset", ""));
    }
    if left_out > 0 {
        context.note(&format!("left out: {left_out} documents without text"));
    }
    Ok(())
}

fn material(document: &Document) -> Material {
    let Document { id, title, text } = document;
    let title = title.split_whitespace().collect::<Vec<_>>().join(" ");
    let text = if title.is_empty() { text.clone() } else { format!("# {title}\n\n{text}\n") };
    let (source_uri, kind) = (id.clone(), EvidenceKind::Rag);
    Material { source_uri, kind, work: None, body: Body::Text(text), lacking: None }
}
