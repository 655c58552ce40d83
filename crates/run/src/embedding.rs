//! Vectors of texts: who makes them, and what must be the same of two before they may be compared.

use async_trait::async_trait;
use serde::{Deserialize, Serialize};

use crate::ports::PortError;

/// How vectors are made. Vectors that were made in two ways have nothing to say to each other.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Embedding {
    /// `local/<name of the folder>`, or `provider/name` where a server makes them.
    pub model: String,
    /// A digest that tells this model's weights from another's of the same name; none where a server keeps them.
    pub fingerprint: Option<String>,
    pub dimensions: u32,
    /// The numbers that the model computes with; none where a server keeps that to itself.
    pub dtype: Option<String>,
    pub pooling: Option<Pooling>,
    /// What is written before a passage, and before a query; e5 wants `passage: ` and `query: `.
    pub passage_prefix: String,
    pub query_prefix: String,
    /// Tokens of a text that are read; the rest is cut.
    pub max_tokens: Option<u32>,
}

/// How the vectors of a text's tokens become the text's.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Pooling {
    /// Their mean.
    Mean,
    /// That of the first token.
    Cls,
}

/// What a text is embedded for; some models want it said.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Purpose {
    /// To be found.
    Passage,
    /// To find.
    Query,
}

/// Turns texts into vectors.
///
/// The vectors have length 1, so that their dot product is their cosine; texts of the same content give the same vector in
/// whatever company they come. Transport faults are retried as a [`Model`](crate::ports::Model) retries them.
#[async_trait]
pub trait Embedder: Send + Sync {
    /// Returns how its vectors are made.
    fn embedding(&self) -> &Embedding;
    /// Returns a vector of [`Embedding::dimensions`] numbers for each text, in their order.
    async fn embed(&self, texts: &[&str], purpose: Purpose) -> Result<Vec<Vec<f32>>, PortError>;
}
