//! Where startup contexts are kept.

use serde::Deserialize;

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ContextsConfig {
    pub(crate) store: ContextStore,
    /// Of files; empty means `contexts` in the data folder.
    pub(crate) folder: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum ContextStore {
    Database,
    Files,
}
