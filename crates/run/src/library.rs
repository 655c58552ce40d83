//! The documents of a user: collections, documents and chunks, and the search over them.

use std::collections::BTreeMap;

use async_trait::async_trait;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::analysis::Language;
use crate::evidence::Passage;
use crate::ports::PortError;

/// How a collection was made; retrieval that would mix two ways is refused.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Manifest {
    /// What turns text into vectors; `none` for lexical retrieval.
    pub embedder: String,
    pub dimensions: u32,
    pub language: Language,
    pub chunk_tokens: u32,
    pub smallest_chunk_tokens: u32,
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
    /// Path below the ingested folder, with `/`.
    pub path: String,
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
    /// What the index holds: the terms of the chunk and its headings, from [`crate::analysis::terms`].
    pub terms: Vec<String>,
}

/// What became of a document that was put into a collection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
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
}

/// What a search found.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Found {
    /// Best first.
    pub passages: Vec<Passage>,
    /// The terms of the question, and in how many chunks of the collection each stands.
    pub terms: Vec<(String, u64)>,
    /// Chunks in the collection.
    pub chunks: u64,
    pub language: Language,
}

/// The collections of all users. Every query names the user; a foreign collection is not there.
#[async_trait]
pub trait Library: Send + Sync {
    /// Makes a collection, or checks that the one of that name was made the same way.
    async fn open(
        &self,
        user: &str,
        collection: &str,
        manifest: &Manifest,
    ) -> Result<(), PortError>;
    /// Stores a document in the place of the one that stood under its path, index and all, in one transaction.
    async fn put(
        &self,
        user: &str,
        collection: &str,
        document: NewDocument,
    ) -> Result<Put, PortError>;
    /// Returns the digest of the file that stands under each path.
    async fn paths(
        &self,
        user: &str,
        collection: &str,
    ) -> Result<BTreeMap<String, String>, PortError>;
    /// Removes documents by path; returns how many stood there.
    async fn remove_paths(
        &self,
        user: &str,
        collection: &str,
        paths: &[String],
    ) -> Result<u64, PortError>;
    /// Removes a collection with everything in it; tells whether it was there.
    async fn remove(&self, user: &str, collection: &str) -> Result<bool, PortError>;
    async fn collections(&self, user: &str) -> Result<Vec<Collection>, PortError>;
    async fn documents(
        &self,
        user: &str,
        collection: &str,
    ) -> Result<Vec<StoredDocument>, PortError>;
    /// Returns a document with its extracted text.
    async fn document(
        &self,
        user: &str,
        id: &str,
    ) -> Result<Option<(StoredDocument, String)>, PortError>;
    /// Returns the passages nearest to the question, best first.
    async fn search(&self, user: &str, search: &Search) -> Result<Found, PortError>;
}
