//! What somebody wants run, in their own words.

use std::collections::BTreeMap;

use run::paper::Source;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::ask::Strategy;

/// An order for a run. Whatever it does not say is the configuration's to say.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Order {
    pub method: String,
    pub question: String,
    pub strategy: Option<Strategy>,
    pub collection: Option<String>,
    /// Only documents whose metadata has these values.
    #[serde(rename = "where")]
    pub filter: BTreeMap<String, String>,
    /// Whom to ask outside.
    pub sources: Vec<Source>,
    pub domain: Option<String>,
    pub objective: Option<String>,
    pub top: Option<u32>,
    /// `provider/name`.
    pub model: Option<String>,
    /// Whether agents speak extractively, whatever model is configured.
    pub offline: bool,
    pub budget: Caps,
}

/// What the run may cost, where that is said.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Caps {
    pub max_cost_usd: Option<f64>,
    pub max_tokens: Option<u64>,
    pub max_steps: Option<u64>,
    pub max_wall_seconds: Option<u64>,
}
