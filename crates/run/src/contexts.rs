//! Startup contexts: what a user has explored before, kept for the next analysis.

use async_trait::async_trait;
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// Search terms of a context, at most.
pub const MOST_TERMS: usize = 100;
/// Characters in any one text of a context, at most.
pub const MOST_CHARACTERS: usize = 4_000;
/// Bytes of a context's metadata as JSON, at most.
pub const MOST_METADATA: usize = 16_384;
/// The longest id of a context.
pub const LONGEST_ID: usize = 64;

/// A startup idea that a user keeps.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct StartupContext {
    /// As [`is_id`] allows it; the user's own.
    pub id: String,
    pub user_id: String,
    pub name: String,
    #[serde(default)]
    pub description: String,
    #[serde(default)]
    pub industry: String,
    #[serde(default)]
    pub search_terms: Vec<String>,
    #[serde(default)]
    pub geographical_scope: String,
    #[schemars(with = "String")]
    pub created_at: Timestamp,
    /// When an analysis last began with it, or it was last changed.
    #[schemars(with = "String")]
    pub last_accessed: Timestamp,
    #[serde(default)]
    pub metadata: Map<String, Value>,
}

/// Tells whether a text may be the id of a context.
///
/// 1 to [`LONGEST_ID`] small ASCII letters, digits, `-` and `_`, a letter or digit first, and none of the names that a file
/// system keeps for devices. So an id is the name of a file on every system, has one written form, and two ids never differ by
/// their case or their Unicode form alone.
pub fn is_id(text: &str) -> bool {
    let of_devices = |text: &str| {
        matches!(text, "con" | "prn" | "aux" | "nul")
            || text
                .strip_prefix("com")
                .or_else(|| text.strip_prefix("lpt"))
                .is_some_and(|port| port.len() == 1 && port.chars().all(|c| c.is_ascii_digit()))
    };
    let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit();
    text.len() <= LONGEST_ID
        && text.starts_with(plain)
        && text.chars().all(|c| plain(c) || c == '-' || c == '_')
        && !of_devices(text)
}

impl StartupContext {
    /// Returns what is wrong with the context; none where nothing is.
    pub fn wrong(&self) -> Option<String> {
        let shown = |id: &str| crate::grounding::clean(id).chars().take(40).collect::<String>();
        if !is_id(&self.id) {
            return Some(format!(
                "'{}' cannot be its id: 1 to {LONGEST_ID} small letters, digits, - and _ can, a letter or digit first",
                shown(&self.id)
            ));
        }
        if !crate::library::is_name(&self.user_id) {
            return Some(format!("'{}' is no name of a user", shown(&self.user_id)));
        }
        if self.name.trim().is_empty() {
            return Some("it has no name".into());
        }
        if self.search_terms.len() > MOST_TERMS {
            let terms = self.search_terms.len();
            return Some(format!("it has {terms} search_terms; it may have {MOST_TERMS} at most"));
        }
        let texts = [
            ("name", &self.name),
            ("description", &self.description),
            ("industry", &self.industry),
            ("geographical_scope", &self.geographical_scope),
        ];
        let terms = self.search_terms.iter().map(|term| ("search term", term));
        for (what, text) in texts.into_iter().chain(terms) {
            let characters = text.chars().count();
            if characters > MOST_CHARACTERS {
                return Some(format!(
                    "its {what} has {characters} characters; it may have {MOST_CHARACTERS} at most"
                ));
            }
        }
        let metadata = serde_json::to_vec(&self.metadata).map_or(usize::MAX, |json| json.len());
        (metadata > MOST_METADATA)
            .then(|| format!("its metadata has more than {MOST_METADATA} bytes"))
    }
}

/// Why contexts could not be read or kept.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ContextError {
    #[error("there is no startup context '{id}'")]
    NoSuchContext { id: String },
    #[error("there is a startup context '{id}' already")]
    Taken { id: String },
    #[error("the startup context cannot be kept: {what}")]
    Wrong { what: String },
    #[error("the startup contexts could not be {action}: {reason}")]
    Store { action: String, reason: String },
}

/// The startup contexts of all users. Each operation names the user; what belongs to another is not there.
///
/// What is written is on disk when the call returns; a write that breaks off leaves what was there before.
#[async_trait]
pub trait Contexts: Send + Sync {
    /// Returns the user's contexts, the last accessed first, those of one moment by id.
    async fn list(&self, user: &str) -> Result<Vec<StartupContext>, ContextError>;
    async fn get(&self, user: &str, id: &str) -> Result<Option<StartupContext>, ContextError>;
    /// Keeps a new context; one of the same id is [`ContextError::Taken`].
    async fn add(&self, context: &StartupContext) -> Result<(), ContextError>;
    /// Keeps a context in the place of the one of its id.
    async fn replace(&self, context: &StartupContext) -> Result<(), ContextError>;
    /// Notes that a context was used; never moves `last_accessed` back.
    async fn touch(&self, user: &str, id: &str, at: Timestamp) -> Result<(), ContextError>;
    async fn remove(&self, user: &str, id: &str) -> Result<(), ContextError>;
}

#[cfg(test)]
mod tests {
    use super::*;

    // proves: W5
    #[test]
    fn only_plain_small_names_are_ids() {
        let longest = "a".repeat(LONGEST_ID);
        for id in ["a", "0", "legal-ai_2", "com", "com10", "console", &longest] {
            assert!(is_id(id), "{id}");
        }
        let longer = "a".repeat(LONGEST_ID + 1);
        for text in [
            "", ".", "..", "../a", "a/b", "a\\b", "a\0", "A", "Legal", "é", "e\u{301}", "ａ",
            "con", "nul", "com1", "lpt9", "-a", "_a", ".a", "a.json", "a b", " a", "a\n", "ſ", "K",
            &longer,
        ] {
            assert!(!is_id(text), "{text:?}");
        }
    }
}
