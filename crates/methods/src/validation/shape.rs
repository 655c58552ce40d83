//! What every result looks like.

use std::sync::OnceLock;

use run::ledger::{Citation, Claim};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use super::Finding;
use crate::published::{self, Kept};

/// The fields of a result that are checked. Others may stand beside them.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct ResultFile {
    #[expect(dead_code, reason = "it is part of the shape")]
    pub(super) run_id: String,
    #[serde(default)]
    pub(super) method: String,
    #[serde(default)]
    pub(super) mode: Option<Mode>,
    /// Present only if the run could ask a model.
    #[serde(default)]
    pub(super) models: Option<Value>,
    #[serde(default)]
    #[expect(dead_code, reason = "it is part of the shape")]
    pub(super) question: String,
    pub(super) status: Status,
    #[serde(default)]
    pub(super) answer: Option<String>,
    pub(super) citations: Vec<Citation>,
    #[serde(default)]
    pub(super) references: Vec<Reference>,
    pub(super) grounding: Counts,
    pub(super) usage: Usage,
    pub(super) cost_usd: f64,
    #[expect(dead_code, reason = "it is part of the shape")]
    pub(super) warnings: Vec<String>,
    // With a schema of their own in the place of one that null fits as well, so that what is wrong is found where it stands.
    #[serde(default)]
    #[schemars(with = "Delivered")]
    pub(super) deliverable: Option<Delivered>,
    #[serde(default)]
    #[schemars(with = "Failed")]
    pub(super) error: Option<Failed>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum Mode {
    Model,
    Offline,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum Status {
    Queued,
    Running,
    Waiting,
    Completed,
    Partial,
    Cancelled,
}

/// What the method delivered; it has fields of its own beside the claims.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct Delivered {
    #[serde(default)]
    pub(super) claims: Option<Vec<Claim>>,
}

/// How many claims have each verdict; of runs of former versions `verified` in the place of most of them.
#[derive(Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Counts {
    #[serde(default)]
    pub(super) quoted: Option<u64>,
    pub(super) recomputed: u64,
    #[serde(default)]
    pub(super) supported: Option<u64>,
    #[serde(default)]
    pub(super) inferred: Option<u64>,
    #[serde(default)]
    pub(super) unread: Option<u64>,
    pub(super) unsupported: u64,
    #[serde(default)]
    pub(super) verified: Option<u64>,
}

impl Counts {
    /// Returns the counts that only results of the present layout have, with their names.
    pub(super) fn present(&self) -> [(&'static str, Option<u64>); 4] {
        [
            ("quoted", self.quoted),
            ("supported", self.supported),
            ("inferred", self.inferred),
            ("unread", self.unread),
        ]
    }
}

#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct Usage {
    #[serde(flatten)]
    pub(super) tokens: Tokens,
    pub(super) calls: u64,
    pub(super) lost_calls: u64,
    #[serde(default)]
    #[schemars(with = "Part")]
    pub(super) reading: Option<Part>,
    #[serde(default)]
    pub(super) by_agent: Vec<Part>,
}

#[derive(Debug, Clone, Copy, Default, Deserialize, JsonSchema)]
pub(super) struct Tokens {
    pub(super) input_tokens: u64,
    pub(super) cached_tokens: u64,
    pub(super) output_tokens: u64,
}

/// What one agent, or all second readers, used.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct Part {
    #[serde(flatten)]
    pub(super) tokens: Tokens,
    /// Not told of second readers.
    #[serde(default)]
    pub(super) calls: u64,
    pub(super) cost_usd: f64,
}

#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct Reference {
    pub(super) numbers: Vec<u32>,
    pub(super) source_uri: String,
    #[expect(dead_code, reason = "it is part of the shape")]
    pub(super) text: String,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[expect(dead_code, reason = "they are part of the shape")]
pub(super) struct Failed {
    pub(super) stage: String,
    pub(super) message: String,
    pub(super) retry_attempted: bool,
}

impl ResultFile {
    /// Returns the ledger; empty if the result has none.
    pub(super) fn claims(&self) -> &[Claim] {
        let claims = self.deliverable.as_ref().and_then(|delivered| delivered.claims.as_deref());
        claims.unwrap_or_default()
    }

    /// Returns whether its claims were checked as in former versions, by rules over words. A result with anything of the present layout is
    /// none of these.
    pub(super) fn is_former(&self) -> bool {
        let is_present = self.grounding.present().iter().any(|(_, count)| count.is_some());
        self.grounding.verified.is_some() && !is_present
    }

    /// Returns whether it is a whole result of the present layout.
    pub(super) fn is_whole(&self) -> bool {
        self.status == Status::Completed && !self.is_former()
    }
}

/// Reads a result.
///
/// # Errors
///
/// What keeps the value from being one, each with its place; never empty.
pub(super) fn read(value: &Value) -> Result<ResultFile, Vec<Finding>> {
    static VALIDATOR: Kept = OnceLock::new();
    let validator = VALIDATOR
        .get_or_init(|| jsonschema::validator_for(&published::schema_of::<ResultFile>()).ok());
    let findings: Vec<Finding> = match validator {
        Some(validator) => published::errors(validator, value)
            .map(|(at, what)| Finding::new(at, what))
            .take(super::MOST_TOLD)
            .collect(),
        None => vec![Finding::new("", "it could not be checked against the schema of results")],
    };
    if !findings.is_empty() {
        return Err(findings);
    }
    // A number may have the type that the schema says, and be too large all the same.
    ResultFile::deserialize(value).map_err(|error| vec![Finding::new("", error.to_string())])
}
