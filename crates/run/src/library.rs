//! The documents of a user: collections, documents and chunks, and the search over them.
//!
//! A collection is searched by words, by meaning, or by both. Meaning needs vectors, which an
//! [`Embedder`](crate::embedding::Embedder) makes when documents come in and again for each question; both must be the same
//! one, as the collection's manifest has it.

use std::collections::{BTreeMap, HashMap};

use async_trait::async_trait;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::embedding::Embedding;
use crate::entry::Hash;
use crate::evidence::{EvidenceKind, Page, Passage};
use crate::ports::PortError;
use papers::Paper;
use text::Language;

/// The longest name of a collection.
const LONGEST_NAME: usize = 64;

/// Tells whether a collection, or another thing that people name, may be called so: such names never become paths and look
/// alike everywhere.
pub fn is_name(name: &str) -> bool {
    name.len() <= LONGEST_NAME
        && name.starts_with(|c: char| c.is_ascii_alphanumeric())
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '-')
}

const OF_A_RUN: &str = "run-";

/// Tells whether a collection belongs to a single run, by its name.
pub fn is_of_a_run(collection: &str) -> bool {
    collection.starts_with(OF_A_RUN)
}

/// Returns the name of the collection that belongs to a run.
pub fn of_run(run: &str) -> String {
    format!("{OF_A_RUN}{run}")
}

/// How a collection was made; retrieval that would mix two ways is refused.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Manifest {
    /// What makes its vectors; none for a collection that is searched by words alone.
    pub embedder: Option<Embedding>,
    pub language: Language,
    pub chunk_tokens: u32,
    pub smallest_chunk_tokens: u32,
}

impl Manifest {
    /// Refuses to compare the collection's vectors with those of `embedding`, unless they are made the same way.
    pub fn comparable(
        &self,
        collection: &str,
        embedding: Option<&Embedding>,
    ) -> Result<(), PortError> {
        let what = match (&self.embedder, embedding) {
            (Some(made), Some(given)) => {
                let differences = made.differences(given);
                if differences.is_empty() {
                    return Ok(());
                }
                format!(
                    "the collection '{collection}' was made with another embedder: {}",
                    differences.join(", ")
                )
            }
            (Some(made), None) => format!(
                "the collection '{collection}' was made with the embedder {}, and none is configured",
                made.model
            ),
            (None, _) => format!(
                "the collection '{collection}' has no vectors; ingest it anew with an embedder"
            ),
        };
        Err(PortError::Invalid { what })
    }
}

/// A named set of documents.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Collection {
    pub name: String,
    pub manifest: Manifest,
    pub documents: u64,
    pub chunks: u64,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
}

/// A document as it is stored.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct StoredDocument {
    pub document_id: String,
    pub collection: String,
    /// Path below the ingested folder, with `/`; for what was fetched, where from.
    pub path: String,
    #[serde(rename = "type")]
    pub kind: EvidenceKind,
    /// What is known of the work; none for the user's own files.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub work: Option<Box<Paper>>,
    pub title: String,
    pub format: String,
    /// SHA-256 of the file.
    pub file_sha256: String,
    /// SHA-256 of the extracted text.
    pub text_sha256: String,
    pub metadata: BTreeMap<String, String>,
    pub chunks: u64,
    pub ingested_at: Timestamp,
}

/// A document about to be stored.
#[derive(Debug, Clone)]
pub struct NewDocument {
    pub path: String,
    pub kind: EvidenceKind,
    /// Without its abstract, which is for the document's text to hold.
    pub work: Option<Box<Paper>>,
    pub title: String,
    pub format: String,
    pub file_sha256: String,
    pub text: String,
    pub text_sha256: String,
    pub metadata: BTreeMap<String, String>,
    pub chunks: Vec<NewChunk>,
}

/// A stretch of a document about to be indexed.
#[derive(Debug, Clone)]
pub struct NewChunk {
    pub section: String,
    pub start: u64,
    pub end: u64,
    /// What the index holds: the terms of the chunk and its headings, from [`text::terms`], with spaces between
    /// them: one by one they would take ten times as much room as the text that they come from.
    pub terms: String,
    /// The pages it stands on, the first one with where it begins even if that is before the chunk; empty in a format
    /// without pages.
    pub pages: Vec<Page>,
    /// As the manifest's embedder made it; empty in a collection without one.
    pub vector: Vec<f32>,
}

/// Returns the hash of what is embedded of a chunk, its headings and its text: chunks that have the same have the same vector.
pub fn content_hash(section: &str, text: &str) -> Hash {
    Hash::of_parts(&[section.as_bytes(), text.as_bytes()])
}

/// What became of a document that was put into a collection.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Put {
    Added,
    Replaced,
    /// The same path with the same content and metadata stood there already.
    Unchanged,
}

/// What to look for.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Search {
    pub collection: String,
    pub question: String,
    /// Only documents whose metadata has each of these values (compared without regard to case).
    pub filter: BTreeMap<String, String>,
    pub top_k: u32,
    pub retrieval: Retrieval,
}

/// How a collection is searched.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Retrieval {
    /// The best that the collection allows: `hybrid` with vectors, `feedback` without.
    #[default]
    Auto,
    /// By words: BM25.
    Lexical,
    /// By words, and by those that stand out in what the question's own words find: BM25 with RM3.
    Feedback,
    /// By meaning: the cosine of vectors.
    Dense,
    /// `feedback` and `dense`, fused by reciprocal ranks.
    Hybrid,
}

impl Retrieval {
    /// Returns the way meant in a collection of this making: never `Auto`.
    pub fn in_a(self, manifest: &Manifest) -> Retrieval {
        match self {
            Retrieval::Auto if manifest.embedder.is_some() => Retrieval::Hybrid,
            Retrieval::Auto => Retrieval::Feedback,
            chosen => chosen,
        }
    }

    /// Tells whether it compares vectors.
    pub fn needs_vectors(self) -> bool {
        matches!(self, Retrieval::Dense | Retrieval::Hybrid)
    }
}

/// The question of a search as a vector, and how it was made.
#[derive(Debug, Clone, PartialEq)]
pub struct QueryVector {
    pub embedding: Embedding,
    pub vector: Vec<f32>,
}

/// How near a question is to a collection: every embedder has a scale of its own, so the best cosine says something only
/// beside the usual one.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Cosines {
    /// Of the chunk nearest to the question, among those that pass the filter.
    pub best: f64,
    /// The mean over all chunks of the collection.
    pub mean: f64,
}

/// What a search found.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Found {
    /// Best first.
    pub passages: Vec<Passage>,
    /// The terms of the question, and in how many chunks of the collection each stands.
    pub terms: Vec<(String, u64)>,
    /// How near the question came; none where vectors were not compared.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cosines: Option<Cosines>,
    /// Chunks in the collection.
    pub chunks: u64,
    pub language: Language,
}

/// A part of a list that is ordered by name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Part {
    /// Only what comes after this name, whether or not something of that name is there.
    pub after: Option<String>,
    pub limit: u32,
}

/// How much is read at a time where a whole list is wanted.
const LOT: u32 = 1_000;

/// The collections of all users. Every query names the user; a foreign collection is not there.
///
/// What a call costs depends on what it returns or stores, and not on how many documents or collections there are besides.
#[async_trait]
pub trait Library: Send + Sync {
    /// Makes a collection, or checks that the one of that name was made the same way.
    async fn open(
        &self,
        user: &str,
        collection: &str,
        manifest: &Manifest,
    ) -> Result<(), PortError>;
    /// Returns how a collection was made.
    async fn manifest(&self, user: &str, collection: &str) -> Result<Manifest, PortError>;
    /// Stores documents, each in the place of the one that stood under its path, index and all: every one of them or,
    /// where that fails, none.
    async fn put(
        &self,
        user: &str,
        collection: &str,
        documents: Vec<NewDocument>,
    ) -> Result<Vec<Put>, PortError>;
    /// Removes documents by path; returns how many stood there.
    async fn remove_paths(
        &self,
        user: &str,
        collection: &str,
        paths: &[String],
    ) -> Result<u64, PortError>;
    /// Removes a document by its id; tells whether it was there.
    async fn remove_document(&self, user: &str, id: &str) -> Result<bool, PortError>;
    /// Removes a collection with everything in it; tells whether it was there.
    async fn remove(&self, user: &str, collection: &str) -> Result<bool, PortError>;
    /// Returns a collection; none where there is none of that name.
    async fn collection(&self, user: &str, name: &str) -> Result<Option<Collection>, PortError>;
    /// Returns a part of the collections, by name; those that belong to single runs are among them where `of_runs` says so.
    async fn collections_part(
        &self,
        user: &str,
        of_runs: bool,
        part: &Part,
    ) -> Result<Vec<Collection>, PortError>;
    /// Returns all collections, by name.
    async fn collections(&self, user: &str) -> Result<Vec<Collection>, PortError> {
        let mut all: Vec<Collection> = Vec::new();
        loop {
            let after = all.last().map(|last| last.name.clone());
            let next = self.collections_part(user, true, &Part { after, limit: LOT }).await?;
            let is_last = next.len() < LOT as usize;
            all.extend(next);
            if is_last {
                return Ok(all);
            }
        }
    }
    /// Returns a part of the documents of a collection, by path.
    async fn documents_part(
        &self,
        user: &str,
        collection: &str,
        part: &Part,
    ) -> Result<Vec<StoredDocument>, PortError>;
    /// Returns all documents of a collection, by path.
    async fn documents(
        &self,
        user: &str,
        collection: &str,
    ) -> Result<Vec<StoredDocument>, PortError> {
        let mut all: Vec<StoredDocument> = Vec::new();
        loop {
            let after = all.last().map(|last| last.path.clone());
            let part = Part { after, limit: LOT };
            let next = self.documents_part(user, collection, &part).await?;
            let is_last = next.len() < LOT as usize;
            all.extend(next);
            if is_last {
                return Ok(all);
            }
        }
    }
    /// Returns the documents of a collection that stand at these paths, in their order; a path without a document is left out.
    async fn documents_at(
        &self,
        user: &str,
        collection: &str,
        paths: &[String],
    ) -> Result<Vec<StoredDocument>, PortError>;
    /// Returns a document with its extracted text.
    async fn document(
        &self,
        user: &str,
        id: &str,
    ) -> Result<Option<(StoredDocument, String)>, PortError>;
    /// Returns the vectors of the document that stands under this path, each by its chunk's [`content_hash`]; none where none stands
    /// there, or it has none.
    async fn vectors(
        &self,
        user: &str,
        collection: &str,
        path: &str,
    ) -> Result<HashMap<Hash, Vec<f32>>, PortError>;
    /// Returns the passage that a search gave this chunk id, as it stands now. Its score is 0: nothing was asked.
    async fn passage(&self, user: &str, chunk_id: &str) -> Result<Option<Passage>, PortError>;
    /// Returns the passages nearest to the question, best first. Where the retrieval compares vectors, `query` is the
    /// question's; one that was made in another way than the collection's is refused.
    async fn search(
        &self,
        user: &str,
        search: &Search,
        query: Option<&QueryVector>,
    ) -> Result<Found, PortError>;
}
