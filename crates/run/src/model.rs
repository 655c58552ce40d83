//! Models: what they are asked, and what they answer.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use serde::Serialize;
use serde_json::Value;

use crate::budget::{Price, Usage};
use crate::entry::Hash;
use crate::error::PortError;
use crate::settings::Tier;

/// One turn of a conversation with a model.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub struct Turn {
    pub speaker: Speaker,
    pub text: Arc<str>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Speaker {
    User,
    Model,
}

/// A request to a chat model.
#[derive(Debug, Clone)]
pub struct ChatRequest {
    pub system: Arc<str>,
    pub turns: Vec<Turn>,
    /// The name and JSON Schema of the reply object; `None` if the reply is prose.
    pub schema: Option<Arc<ReplySchema>>,
    pub temperature: f64,
    pub max_tokens: u32,
    /// Whether to stream the words as they are generated.
    pub streamed: bool,
    /// The time for the whole call, the transport's own retries included.
    pub deadline: Duration,
}

/// The shape of a structured reply.
#[derive(Debug, Clone, PartialEq)]
pub struct ReplySchema {
    pub name: String,
    pub schema: Value,
    /// The length of `schema` as text.
    pub bytes: usize,
    /// The digest of `schema`.
    pub hash: Hash,
}

impl ReplySchema {
    /// Returns the maximum length of the schema in the form that an adapter sends; budgets reserve by it.
    pub fn most_bytes(&self) -> usize {
        const ROOM: usize = 1_024;
        self.bytes.saturating_mul(2).saturating_add(ROOM)
    }
}

/// A chat model's reply.
#[derive(Debug, Clone, PartialEq)]
pub struct ChatReply {
    pub text: String,
    pub usage: Usage,
    /// Whether the reply ended because `max_tokens` were used up.
    pub cut_off: bool,
}

/// A chat model.
///
/// Every adapter retries transport faults itself (408, 429, 5xx, connections that fail) with back-off inside the deadline, honours
/// Retry-After, treats a stream that ends early as an error, and closes its connection when the future is dropped.
#[async_trait]
pub trait Model: Send + Sync {
    /// Returns `provider/name`.
    fn id(&self) -> &str;
    /// Returns its price, if known.
    fn price(&self) -> Option<Price>;
    /// Answers `request`; with `request.streamed`, `words` receives each piece of the text as it arrives.
    async fn chat(&self, request: &ChatRequest, words: &dyn Words) -> Result<ChatReply, PortError>;
}

/// A receiver of a reply's words as they arrive.
pub trait Words: Send + Sync {
    fn hear(&self, piece: &str);
}

/// Ignores the words.
impl Words for () {
    fn hear(&self, _: &str) {}
}

/// The models of a run, by tier.
#[derive(Clone)]
pub struct Models {
    pub main: Arc<dyn Model>,
    pub light: Arc<dyn Model>,
    /// The models that read what others wrote, at least one; the light one if no other is configured.
    pub readers: Vec<Arc<dyn Model>>,
}

impl Models {
    /// Returns a set of two models, of which the light one is also the reader.
    pub fn new(main: Arc<dyn Model>, light: Arc<dyn Model>) -> Models {
        Models { main, readers: vec![Arc::clone(&light)], light }
    }

    pub fn of(&self, tier: Tier) -> &Arc<dyn Model> {
        match tier {
            Tier::Light => &self.light,
            Tier::Main => &self.main,
            Tier::Reader => self.reader(0),
        }
    }

    /// Returns one of several models of a tier, by index from 0: only the reader tier has several.
    pub fn at(&self, tier: Tier, index: usize) -> &Arc<dyn Model> {
        if index == 0 { self.of(tier) } else { self.reader(index) }
    }

    /// Returns a reader by index from 0; the light model if there is no such reader.
    pub fn reader(&self, index: usize) -> &Arc<dyn Model> {
        self.readers.get(index).unwrap_or(&self.light)
    }
}
