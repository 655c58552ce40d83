//! Text vectors: their embedder, and what two of them must have in common to be compared.

use std::sync::Arc;

use async_trait::async_trait;
use serde::{Deserialize, Serialize};

use crate::error::PortError;

/// How vectors are made. Vectors made in different ways cannot be compared.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Embedding {
    /// `local/<name of the folder>`, or `provider/name` for a server's model.
    pub model: String,
    /// A digest that distinguishes this model's weights from others of the same name; `None` for a server's model.
    pub fingerprint: Option<String>,
    pub dimensions: u32,
    /// The number type that the model computes with; `None` if a server does not report it.
    pub dtype: Option<String>,
    pub pooling: Option<Pooling>,
    /// The prefixes of a passage and of a query; e5 wants `passage: ` and `query: `.
    pub passage_prefix: String,
    pub query_prefix: String,
    /// The number of tokens of a text to read; the rest is cut.
    pub max_tokens: Option<u32>,
}

impl Embedding {
    /// Returns the differences from the other one; empty if their vectors may be compared.
    pub fn differences(&self, other: &Embedding) -> Vec<String> {
        let shown = |value: &Option<String>| value.clone().unwrap_or_else(|| "unknown".to_owned());
        let pooling = |value: Option<Pooling>| value.map_or("unknown", Pooling::name).to_owned();
        let most =
            |value: Option<u32>| value.map_or_else(|| "unknown".to_owned(), |n| n.to_string());
        // The same weights under another name are the same model.
        let same = self.fingerprint.is_some() && self.fingerprint == other.fingerprint;
        let model = if same { &self.model } else { &other.model };
        let fields = [
            ("model", self.model.clone(), model.clone()),
            ("weights", shown(&self.fingerprint), shown(&other.fingerprint)),
            ("dimensions", self.dimensions.to_string(), other.dimensions.to_string()),
            ("dtype", shown(&self.dtype), shown(&other.dtype)),
            ("pooling", pooling(self.pooling), pooling(other.pooling)),
            ("passage prefix", self.passage_prefix.clone(), other.passage_prefix.clone()),
            ("query prefix", self.query_prefix.clone(), other.query_prefix.clone()),
            ("most tokens", most(self.max_tokens), most(other.max_tokens)),
        ];
        let differing = fields.into_iter().filter(|(_, one, two)| one != two);
        differing.map(|(name, one, two)| format!("{name} '{one}' instead of '{two}'")).collect()
    }
}

/// How the token vectors become the text's vector.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Pooling {
    /// The mean of the token vectors.
    Mean,
    /// The vector of the first token.
    Cls,
}

impl Pooling {
    pub fn name(self) -> &'static str {
        match self {
            Pooling::Mean => "mean",
            Pooling::Cls => "cls",
        }
    }
}

/// The purpose of an embedded text; some models need it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Purpose {
    /// A text to be found.
    Passage,
    /// A text to search with.
    Query,
}

/// Turns texts into vectors.
///
/// The vectors have length 1, so their dot product is their cosine. Equal texts give equal vectors in any batch. Transport faults are
/// retried as a [`Model`](crate::model::Model) retries them.
#[async_trait]
pub trait Embedder: Send + Sync {
    /// Returns how its vectors are made.
    fn embedding(&self) -> &Embedding;
    /// Returns a vector of [`Embedding::dimensions`] numbers for each text, in the same order.
    async fn embed(&self, texts: &[&str], purpose: Purpose) -> Result<Vec<Vec<f32>>, PortError>;
}

/// Opens the configured embedder when it is first needed: its weights are heavy, and most runs need none.
#[async_trait]
pub trait Embedders: Send + Sync {
    async fn open(&self) -> Result<Arc<dyn Embedder>, PortError>;
}

/// An embedder that is already open.
#[async_trait]
impl<E: Embedder + Clone + 'static> Embedders for E {
    async fn open(&self) -> Result<Arc<dyn Embedder>, PortError> {
        Ok(Arc::new(self.clone()))
    }
}
