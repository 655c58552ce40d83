//! Startup contexts: what a user has explored before, kept for the next analysis.

mod edit;
mod learned;
mod lessons;

use std::collections::BTreeSet;

use async_trait::async_trait;
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

pub use edit::{MOST_TRIES, edit};
pub use learned::{Learned, id_of};
pub use lessons::{Added, Lesson};

/// The maximum number of search terms of a context.
pub const MOST_TERMS: usize = 100;
/// The maximum number of characters in any one text of a context.
pub const MOST_CHARACTERS: usize = 4_000;
/// The maximum size of a context's metadata as JSON, in bytes.
pub const MOST_METADATA: usize = 16_384;
/// The maximum nesting depth of arrays and objects in a context's metadata.
pub const DEEPEST_METADATA: usize = 32;
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

/// Returns whether a text is a valid id of a context.
///
/// A valid id has 1 to [`LONGEST_ID`] lowercase ASCII letters, digits, `-` and `_`, begins with a letter or digit, and is not a device
/// name reserved by a file system. So an id is a valid file name on every system, has one written form, and two ids never differ only
/// by case or Unicode form.
pub fn is_id(text: &str) -> bool {
    let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit();
    text.len() <= LONGEST_ID
        && text.starts_with(plain)
        && text.chars().all(|c| plain(c) || c == '-' || c == '_')
        && !is_of_devices(text)
}

/// Returns whether file systems reserve a lowercase name for devices.
fn is_of_devices(name: &str) -> bool {
    let port = name.strip_prefix("com").or_else(|| name.strip_prefix("lpt"));
    matches!(name, "con" | "prn" | "aux" | "nul")
        || port.is_some_and(|port| port.len() == 1 && port.chars().all(|c| c.is_ascii_digit()))
}

impl StartupContext {
    /// Returns what is wrong with the context; `None` if it is valid.
    pub fn wrong(&self) -> Option<String> {
        if is_of_devices(&self.id.to_ascii_lowercase()) {
            return Some(format!(
                "the id '{}' is reserved by operating systems. Choose another",
                shown(&self.id)
            ));
        }
        if !is_id(&self.id) {
            return Some(format!(
                "invalid id '{}'. Use 1 to {LONGEST_ID} lower-case letters, digits, - and _, beginning with a letter or digit",
                shown(&self.id)
            ));
        }
        if !crate::library::is_name(&self.user_id) {
            return Some(format!("'{}' is not a valid user name", shown(&self.user_id)));
        }
        if self.name.trim().is_empty() {
            return Some("it has no name".into());
        }
        if self.search_terms.len() > MOST_TERMS {
            let terms = self.search_terms.len();
            return Some(format!("it has {terms} search_terms; the limit is {MOST_TERMS}"));
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
                    "its {what} has {characters} characters; the limit is {MOST_CHARACTERS}"
                ));
            }
        }
        let metadata = serde_json::to_vec(&self.metadata).map_or(usize::MAX, |json| json.len());
        if metadata > MOST_METADATA {
            return Some(format!("its metadata is longer than {MOST_METADATA} bytes"));
        }
        // Data nested too deep could be written but not read again.
        let deepest = self.metadata.values().map(depth).max().unwrap_or(0);
        (deepest > DEEPEST_METADATA)
            .then(|| format!("its metadata is nested more than {DEEPEST_METADATA} deep"))
    }

    /// Checks contexts to be saved together: all belong to one user, each is valid, and ids are unique.
    pub fn check_all(contexts: &[StartupContext]) -> Result<(), ContextError> {
        let wrong = |what: String| Err(ContextError::Wrong { what });
        let mut ids = BTreeSet::new();
        for (index, context) in contexts.iter().enumerate() {
            let which = match contexts.len() {
                1 => String::new(),
                _ => format!("number {}: ", index + 1),
            };
            if let Some(what) = context.wrong() {
                return wrong(format!("{which}{what}"));
            }
            if contexts.first().is_some_and(|first| first.user_id != context.user_id) {
                return wrong(format!("{which}it belongs to another user than the first"));
            }
            if !ids.insert(context.id.as_str()) {
                return wrong(format!("{which}the id '{}' is used twice", context.id));
            }
        }
        Ok(())
    }

    /// Sorts contexts for listing: the last accessed first, ties by id.
    pub fn sort(contexts: &mut [StartupContext]) {
        contexts.sort_by(|one, other| {
            other.last_accessed.cmp(&one.last_accessed).then_with(|| one.id.cmp(&other.id))
        });
    }
}

/// Returns how deep arrays and objects are nested.
fn depth(value: &Value) -> usize {
    match value {
        Value::Array(items) => 1 + items.iter().map(depth).max().unwrap_or(0),
        Value::Object(fields) => 1 + fields.values().map(depth).max().unwrap_or(0),
        _ => 0,
    }
}

/// Why contexts could not be read or saved.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ContextError {
    #[error("there is no startup context '{id}'")]
    NoSuchContext { id: String },
    #[error("the startup context '{id}' exists already")]
    Taken { id: String },
    #[error(
        "the startup context '{id}' was changed by someone else in the meantime, so nothing was saved. Look at it and try \
             again"
    )]
    Changed { id: String },
    #[error("could not keep the startup context: {what}")]
    Wrong { what: String },
    #[error("could not keep the startup context: the disk is full. Free some space and try again")]
    DiskFull,
    #[error("the startup contexts could not be {action}: {reason}")]
    Store { action: String, reason: String },
}

impl ContextError {
    /// Returns the error for a missing context; its id may be any text.
    pub fn no_such(id: &str) -> ContextError {
        ContextError::NoSuchContext { id: shown(id) }
    }
}

/// Returns the part of an id that an error may show.
fn shown(id: &str) -> String {
    crate::grounding::clean(id).chars().take(40).collect()
}

/// What happens to an existing context.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Existing {
    /// It stays, and nothing is saved: [`ContextError::Taken`].
    Stays,
    Replaced,
}

/// The startup contexts of all users. Each operation names the user and cannot see another user's contexts.
///
/// Writes are on disk when the call returns; an interrupted write leaves the previous state. A text that is not a valid id or user
/// name matches nothing.
#[async_trait]
pub trait Contexts: Send + Sync {
    /// Returns the user's contexts, the last accessed first, ties by id.
    async fn list(&self, user: &str) -> Result<Vec<StartupContext>, ContextError>;
    async fn get(&self, user: &str, id: &str) -> Result<Option<StartupContext>, ContextError>;
    /// Saves contexts that pass [`StartupContext::check_all`], all of them or none.
    async fn keep(
        &self,
        contexts: &[StartupContext],
        existing: Existing,
    ) -> Result<(), ContextError>;
    /// Saves a new context; fails with [`ContextError::Taken`] if its id exists.
    async fn add(&self, context: &StartupContext) -> Result<(), ContextError> {
        self.keep(std::slice::from_ref(context), Existing::Stays).await
    }
    /// Replaces the context with the same id, which must exist. Changes by others since it was read are lost; [`Contexts::exchange`]
    /// keeps them.
    async fn replace(&self, context: &StartupContext) -> Result<(), ContextError>;
    /// Replaces the context with the same id if it is still the one that was `read`, as [`StartupContext::in_place_of`] compares them;
    /// otherwise saves nothing and returns [`ContextError::Changed`]. No other write can come between comparison and exchange. Returns
    /// the saved context.
    async fn exchange(
        &self,
        read: &StartupContext,
        context: &StartupContext,
    ) -> Result<StartupContext, ContextError>;
    /// Records that a context was used; never moves `last_accessed` back.
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

    fn context(id: &str) -> StartupContext {
        StartupContext {
            id: id.into(),
            user_id: "ada".into(),
            name: "Legal AI".into(),
            description: String::new(),
            industry: String::new(),
            search_terms: vec![],
            geographical_scope: String::new(),
            created_at: Timestamp::UNIX_EPOCH,
            last_accessed: Timestamp::UNIX_EPOCH,
            metadata: Map::new(),
        }
    }

    // proves: W5
    #[test]
    fn what_is_wrong_with_a_context_is_said() {
        assert_eq!(context("a").wrong(), None);
        let long = "é".repeat(MOST_CHARACTERS + 1);
        let mut deep = Value::Null;
        for _ in 0..=DEEPEST_METADATA {
            deep = Value::Array(vec![deep]);
        }
        let metadata = |value: Value| [("key".to_owned(), value)].into_iter().collect();
        let a = || context("a");
        for (wrong, said) in [
            (StartupContext { name: " ".into(), ..a() }, "no name"),
            (StartupContext { user_id: "../b".into(), ..a() }, "'../b' is not a valid user name"),
            (StartupContext { description: long.clone(), ..a() }, "description has 4001"),
            (StartupContext { search_terms: vec![long], ..a() }, "search term has 4001"),
            (StartupContext { search_terms: vec!["t".into(); 101], ..a() }, "101 search_terms"),
            (
                StartupContext { metadata: metadata("x".repeat(17_000).into()), ..a() },
                "16384 bytes",
            ),
            (StartupContext { metadata: metadata(deep), ..a() }, "nested more than 32 deep"),
            (context("../a"), "invalid id '../a'. Use 1 to 64 lower-case letters"),
            (context("con"), "the id 'con' is reserved by operating systems. Choose another"),
            (context("nul"), "reserved by operating systems"),
            (context("com1"), "reserved by operating systems"),
            (context("LPT9"), "reserved by operating systems"),
            (context("Console"), "1 to 64 lower-case letters"),
        ] {
            let what = wrong.wrong().unwrap_or_default();
            assert!(what.contains(said), "{what}");
        }
    }

    // proves: W5
    #[test]
    fn contexts_that_are_kept_together_are_one_user_s_and_have_ids_of_their_own() {
        let said = |contexts: &[StartupContext]| {
            StartupContext::check_all(contexts).map_err(|error| error.to_string())
        };
        assert_eq!(said(&[]), Ok(()));
        assert_eq!(said(&[context("a"), context("b")]), Ok(()));
        for (contexts, what) in [
            (vec![context("a"), context("a")], "number 2: the id 'a' is used twice"),
            (vec![context("a"), context("B")], "number 2: invalid id 'B'"),
            (
                vec![context("a"), StartupContext { user_id: "bob".into(), ..context("b") }],
                "number 2: it belongs to another user",
            ),
        ] {
            let error = said(&contexts).unwrap_err();
            assert!(error.contains(what), "{error}");
        }
    }
}
