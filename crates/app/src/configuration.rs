//! What a person may change of the configuration while a server runs, and what the program finds when it examines itself.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;

/// The part of the configuration that may be changed from a page, and where each value comes from.
#[derive(Debug, Clone, Default, PartialEq, Serialize, ToSchema)]
pub struct Configuration {
    /// Whether the sender may change it.
    pub may_change: bool,
    /// Why not, where the sender may not: then nothing else is told.
    pub why_not: Option<String>,
    pub settings: Vec<ConfigurationSetting>,
    pub keys: Vec<ConfigurationKey>,
    /// The providers of models that are known by name.
    pub providers: Vec<ProviderChoice>,
    /// The engines for web search.
    pub engines: Vec<String>,
}

/// A setting with its value in force.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
pub struct ConfigurationSetting {
    /// The key of the configuration, such as `models.main`.
    pub key: String,
    /// A text or a number; an empty text or 0 means none.
    pub value: Value,
    pub default: Value,
    pub set_by: SetBy,
    /// What exactly set it, such as a variable or a file; none for a default.
    pub place: Option<String>,
    /// Whether it cannot be changed here, and why: what set it wins over the page.
    pub fixed: Option<String>,
}

/// A key of a service. The key itself is never told.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
pub struct ConfigurationKey {
    pub name: KeyName,
    /// The service that it is for, such as `openai`; none where none is chosen.
    pub service: Option<String>,
    /// Whether the service answers nobody without one.
    pub is_needed: bool,
    /// None where no key is known.
    pub set_by: Option<SetBy>,
    /// The variable that holds it, where one does.
    pub place: Option<String>,
}

/// What a key is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum KeyName {
    Model,
    Embedder,
    Web,
}

/// Who set a value.
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
    /// Whether its models run on the machine of the server.
    pub is_local: bool,
}

/// What is to be changed; what is not named stays.
#[derive(Clone, Default, PartialEq, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ConfigurationChange {
    /// Values by their keys; null takes back what the page set.
    #[serde(default)]
    #[schema(value_type = Object)]
    pub values: BTreeMap<String, Value>,
    /// Keys by what they are for; null forgets one.
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

/// What a check of the program found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct Check {
    /// What was checked, such as `database`.
    pub name: String,
    pub state: CheckState,
    /// What was found.
    pub found: String,
    /// What to do about it, where there is something to do.
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

/// What a call that was made to try a service came to.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
pub struct Trial {
    /// What was tried, such as `openai/gpt-4.1-mini`.
    pub name: String,
    pub outcome: TrialOutcome,
    /// The error in words; none where it worked.
    pub error: Option<String>,
    /// What to do about it.
    pub advice: Option<String>,
    pub milliseconds: u64,
}

/// The class of what came of a trial.
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

/// What is tried.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Tried {
    Model,
    Embedder,
}
