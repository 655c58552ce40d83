//! What a person may change of the configuration while a server runs, and what the program finds when it examines itself.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;

/// The settings that can be changed from a page, and the origin of each value.
#[derive(Debug, Clone, Default, PartialEq, Serialize, ToSchema)]
pub struct Configuration {
    /// Whether you may change the configuration.
    pub may_change: bool,
    /// The reason, if you may not change it. No other field is then filled in.
    pub why_not: Option<String>,
    pub settings: Vec<ConfigurationSetting>,
    pub keys: Vec<ConfigurationKey>,
    /// The model providers known by name.
    pub providers: Vec<ProviderChoice>,
    /// The available web search engines.
    pub engines: Vec<String>,
}

/// A setting with its current value.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
pub struct ConfigurationSetting {
    /// The name of the setting, such as `models.main`.
    pub key: String,
    /// A text or a number. An empty text or 0 means not set.
    pub value: Value,
    pub default: Value,
    pub set_by: SetBy,
    /// The variable or file that sets it. Null for a default.
    pub place: Option<String>,
    /// Whether it cannot be changed here because a stronger source sets it.
    pub fixed: Option<String>,
}

/// An API key of a service. The key itself is never returned.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
pub struct ConfigurationKey {
    pub name: KeyName,
    /// The service, such as `openai`. Null if none is selected.
    pub service: Option<String>,
    /// Whether the service requires an API key.
    pub is_needed: bool,
    /// Null if no key is known.
    pub set_by: Option<SetBy>,
    /// The environment variable that contains it, if any.
    pub place: Option<String>,
}

/// The purpose of an API key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum KeyName {
    Model,
    Embedder,
    Web,
}

/// The origin of a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum SetBy {
    Default,
    Page,
    File,
    Environment,
    CommandLine,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct ProviderChoice {
    pub name: String,
    pub needs_key: bool,
    /// Whether its models run on the server's own machine.
    pub is_local: bool,
}

/// The changes to make. Anything not named stays as it is.
#[derive(Clone, Default, PartialEq, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ConfigurationChange {
    /// Values by setting. Null resets a value that was set from the page.
    #[serde(default)]
    #[schema(value_type = Object)]
    pub values: BTreeMap<String, Value>,
    /// API keys by purpose. Null removes a key.
    #[serde(default)]
    #[schema(value_type = Object)]
    pub keys: BTreeMap<KeyName, Option<String>>,
}

/// The keys are left out.
impl std::fmt::Debug for ConfigurationChange {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let keys: Vec<&KeyName> = self.keys.keys().collect();
        f.debug_struct("ConfigurationChange")
            .field("values", &self.values)
            .field("keys", &keys)
            .finish()
    }
}

/// The result of one system check.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct Check {
    /// The name of the check, such as `database`.
    pub name: String,
    pub state: CheckState,
    /// What the check found.
    pub found: String,
    /// How to fix it, if there is something to fix.
    pub advice: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum CheckState {
    Ok,
    /// It works, and something could be had that is not.
    Warn,
    Fail,
}

/// The result of a test call to a service.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
pub struct Trial {
    /// What was tested, such as `openai/gpt-4.1-mini`.
    pub name: String,
    pub outcome: TrialOutcome,
    /// The error message. Null if it worked.
    pub error: Option<String>,
    /// How to fix it.
    pub advice: Option<String>,
    pub milliseconds: u64,
}

/// The outcome of a test call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum TrialOutcome {
    Works,
    /// What is configured cannot be used: a wrong name, no key, a wrong address.
    Misconfigured,
    /// Nobody answered at the address.
    Unreachable,
    /// The service does not accept the key.
    KeyRefused,
    /// The account has no credit, or too much was asked of it.
    Limited,
    /// The service does not know the model.
    UnknownModel,
    /// It answered, and not in the form that runs need.
    Unsuitable,
    /// The service failed in another way.
    Failed,
}

/// What is tested.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Tried {
    Model,
    Embedder,
}
