//! Vectors of texts: who makes them, and what must be the same of two before they may be compared.

use std::sync::Arc;

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

impl Embedding {
    /// Says in what the other one differs; nothing where their vectors may be compared.
    pub fn differences(&self, other: &Embedding) -> Vec<String> {
        let shown = |value: &Option<String>| value.clone().unwrap_or_else(|| "unknown".to_owned());
        let pooling = |value: Option<Pooling>| value.map_or("unknown", Pooling::name).to_owned();
        let most =
            |value: Option<u32>| value.map_or_else(|| "unknown".to_owned(), |n| n.to_string());
        // The same weights under another name are the same.
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

/// How the vectors of a text's tokens become the text's.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Pooling {
    /// Their mean.
    Mean,
    /// That of the first token.
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

/// Gives the embedder that is configured, and opens it when it is first wanted: its weights are heavy, and most runs
/// need none.
#[async_trait]
pub trait Embedders: Send + Sync {
    async fn open(&self) -> Result<Arc<dyn Embedder>, PortError>;
}

/// One that is open already.
#[async_trait]
impl<E: Embedder + Clone + 'static> Embedders for E {
    async fn open(&self) -> Result<Arc<dyn Embedder>, PortError> {
        Ok(Arc::new(self.clone()))
    }
}
