//! The documents of a user: collections, documents and chunks, and the search over them.
//!
//! A collection is searched by words, by meaning, or by both. Meaning needs vectors, which an [`Embedder`](crate::embedding::Embedder)
//! makes at ingest and again for each question; both must use the embedder in the collection's manifest.

mod adapters;
mod definitions;
mod filter;
mod languages;
mod spread;

use std::collections::{BTreeMap, BTreeSet, HashMap};

use async_trait::async_trait;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::embedding::Embedding;
use crate::entry::Hash;
use crate::error::PortError;
use crate::evidence::{EvidenceKind, Page, Passage};
use papers::Paper;
use text::Language;

pub use adapters::{chunk_name, document_id, floats, none_such, parse_chunk_name, vector_bytes};
pub use filter::{Filter, Values};
pub use languages::{PassageReader, Reading};

/// The maximum length of a collection's name.
const LONGEST_NAME: usize = 64;

/// Returns whether a name is valid for a collection or anything else that people name: such names are never paths and look alike
/// everywhere.
pub fn is_name(name: &str) -> bool {
    name.len() <= LONGEST_NAME
        && name.starts_with(|c: char| c.is_ascii_alphanumeric())
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '-')
}

const OF_A_RUN: &str = "run-";

/// Returns whether a collection belongs to a single run, by its name.
pub fn is_of_a_run(collection: &str) -> bool {
    collection.starts_with(OF_A_RUN)
}

/// Returns the name of the collection that belongs to a run.
pub fn of_run(run: &str) -> String {
    format!("{OF_A_RUN}{run}")
}

/// How a collection was made; a search that would mix two ways is refused.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Manifest {
    /// The embedder of its vectors; `None` for a collection that is searched by words alone.
    pub embedder: Option<Embedding>,
    /// The language of documents that do not show theirs.
    pub language: Language,
    /// The languages of the documents that were ever in it, each of which is analysed in its own; `None` for a collection of earlier
    /// versions, whose documents are all analysed in `language`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub languages: Option<BTreeSet<Language>>,
    pub chunk_tokens: u32,
    pub smallest_chunk_tokens: u32,
}

impl Manifest {
    /// Returns an error unless the collection's vectors and those of `embedding` are made the same way.
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
                    "the collection '{collection}' was made with another embedding model: {}",
                    differences.join(", ")
                )
            }
            (Some(made), None) => format!(
                "the collection '{collection}' was made with the embedding model {}, and none is configured",
                made.model
            ),
            (None, _) => format!(
                "the collection '{collection}' has no vectors. Ingest it again with an embedding model (`--embedder`)"
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
    /// The bytes of the files that are kept of its documents.
    pub original_bytes: u64,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
}

/// A stored document.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct StoredDocument {
    pub document_id: String,
    pub collection: String,
    /// The path below the ingested folder, with `/`; for a fetched document, its source.
    pub path: String,
    #[serde(rename = "type")]
    pub kind: EvidenceKind,
    /// Bibliographic data of the work; `None` for the user's own files.
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
    /// The version of the reader that read the file; 0 if it is unknown.
    #[serde(skip)]
    pub reader_version: u32,
    /// The size of the file, if the file is kept.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub original_bytes: Option<u64>,
    pub ingested_at: Timestamp,
}

/// A document to store.
#[derive(Debug, Clone)]
pub struct NewDocument {
    pub path: String,
    pub kind: EvidenceKind,
    /// Without its abstract, which belongs to the document's text.
    pub work: Option<Box<Paper>>,
    pub title: String,
    pub format: String,
    /// The version of the reader that read the file. Raised alone, it changes nothing that is indexed.
    pub reader_version: u32,
    pub file_sha256: String,
    pub text: String,
    pub text_sha256: String,
    pub metadata: BTreeMap<String, String>,
    pub chunks: Vec<NewChunk>,
    /// The file; `None` if it is not to be kept.
    pub original: Option<Original>,
}

/// The file of a document, to be kept beside its text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Original {
    Bytes(Vec<u8>),
    /// The file is the text, byte for byte, which is in memory once.
    Text,
}

impl NewDocument {
    /// Returns the bytes of the file; `None` if they are not to be kept.
    pub fn original_bytes(&self) -> Option<&[u8]> {
        match self.original.as_ref()? {
            Original::Bytes(bytes) => Some(bytes),
            Original::Text => Some(self.text.as_bytes()),
        }
    }
}

/// A stretch of a document to index.
#[derive(Debug, Clone)]
pub struct NewChunk {
    pub section: String,
    pub start: u64,
    pub end: u64,
    /// The content of the index: the terms of the chunk and its headings, from [`text::terms`], separated by spaces. As separate
    /// strings they would take ten times as much memory as their text.
    pub terms: String,
    /// The pages of the chunk; the first one may begin before the chunk. Empty for a format without pages.
    pub pages: Vec<Page>,
    /// From the manifest's embedder; empty in a collection without one.
    pub vector: Vec<f32>,
}

/// Returns the hash of a chunk's embedded content, its headings and its text: equal hashes mean equal vectors.
pub fn content_hash(section: &str, text: &str) -> Hash {
    Hash::of_parts(&[section.as_bytes(), text.as_bytes()])
}

/// The outcome of putting a document into a collection.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Put {
    Added,
    Replaced,
    /// The same path already had the same content and metadata.
    Unchanged,
}

/// A search request.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Search {
    pub collection: String,
    pub question: String,
    /// Only documents whose metadata has each of these values, alone or in a list: see [`Filter`].
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
    /// By words, expanded with those that stand out in the first hits: BM25 with RM3.
    Feedback,
    /// By meaning: the cosine of vectors.
    Dense,
    /// `feedback` and `dense`, fused by reciprocal ranks.
    Hybrid,
}

impl Retrieval {
    /// Resolves the mode for a collection with this manifest: never `Auto`.
    pub fn in_a(self, manifest: &Manifest) -> Retrieval {
        match self {
            Retrieval::Auto if manifest.embedder.is_some() => Retrieval::Hybrid,
            Retrieval::Auto => Retrieval::Feedback,
            chosen => chosen,
        }
    }

    /// Returns whether the mode compares vectors.
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

/// How near a question is to a collection. Every embedder has its own scale, so the best cosine is meaningful only next to the mean.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Cosines {
    /// Of the chunk nearest to the question, among those that pass the filter.
    pub best: f64,
    /// The mean over all chunks of the collection.
    pub mean: f64,
}

/// The result of a search.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Found {
    /// Best first.
    pub passages: Vec<Passage>,
    /// The terms of the question, each with the number of chunks in the collection that hold it.
    pub terms: Vec<(String, u64)>,
    /// How near the question came; `None` if vectors were not compared.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cosines: Option<Cosines>,
    /// The number of chunks in the collection.
    pub chunks: u64,
    /// The language of `terms`, and of all documents if `languages` is empty.
    pub language: Language,
    /// The languages that the documents are analysed in; empty if that is `language` for all.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub languages: Vec<Language>,
    /// The language of the question if it shows one that no document is analysed in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub foreign: Option<Language>,
    /// Terms that stand for one of `terms` in documents in other languages.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub forms: BTreeMap<String, String>,
    /// The values that there are of each key of a filter that no document passes.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub values: BTreeMap<String, Vec<String>>,
}

/// A part of a list ordered by name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Part {
    /// Return only items after this name, whether or not it exists.
    pub after: Option<String>,
    pub limit: u32,
}

/// The page size for reading a whole list.
const LOT: u32 = 1_000;

/// The collections of all users. Every query names the user and cannot see another user's collections.
///
/// The cost of a call depends on what it returns or stores, not on the number of other documents or collections.
#[async_trait]
pub trait Library: Send + Sync {
    /// Creates a collection, or checks that the existing one of that name was made the same way.
    async fn open(
        &self,
        user: &str,
        collection: &str,
        manifest: &Manifest,
    ) -> Result<(), PortError>;
    /// Returns how a collection was made.
    async fn manifest(&self, user: &str, collection: &str) -> Result<Manifest, PortError>;
    /// Stores documents with their index, each replacing the one at its path: all of them or, on failure, none.
    async fn put(
        &self,
        user: &str,
        collection: &str,
        documents: Vec<NewDocument>,
    ) -> Result<Vec<Put>, PortError>;
    /// Removes documents by path; returns how many existed.
    async fn remove_paths(
        &self,
        user: &str,
        collection: &str,
        paths: &[String],
    ) -> Result<u64, PortError>;
    /// Removes a document by its id; returns whether it existed.
    async fn remove_document(&self, user: &str, id: &str) -> Result<bool, PortError>;
    /// Removes a collection with everything in it; returns whether it existed.
    async fn remove(&self, user: &str, collection: &str) -> Result<bool, PortError>;
    /// Returns a collection; `None` if there is none of that name.
    async fn collection(&self, user: &str, name: &str) -> Result<Option<Collection>, PortError>;
    /// Returns a part of the collections, by name; includes those of single runs if `of_runs` is set.
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
    /// Returns the documents of a collection at these paths, in the same order; a path without a document is left out.
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
    /// Returns the file that a document was read from; `None` if there is no such document or its file is not kept. A kept file is
    /// stored with its document and removed with it.
    async fn original(&self, user: &str, id: &str) -> Result<Option<Vec<u8>>, PortError>;
    /// Returns the vectors of the document at this path, each by its chunk's [`content_hash`]; empty if there is no such document or
    /// it has no vectors.
    async fn vectors(
        &self,
        user: &str,
        collection: &str,
        path: &str,
    ) -> Result<HashMap<Hash, Vec<f32>>, PortError>;
    /// Returns the passage with this chunk id, as it is now. Its score is 0: nothing was asked.
    async fn passage(&self, user: &str, chunk_id: &str) -> Result<Option<Passage>, PortError>;
    /// Returns the passages nearest to the question, best first. If the retrieval compares vectors, `query` is the question's vector;
    /// one made in another way than the collection's is refused.
    async fn search(
        &self,
        user: &str,
        search: &Search,
        query: Option<&QueryVector>,
    ) -> Result<Found, PortError>;
}
