//! What is different between two results: claims that came, went, were reworded or changed their verdict, their sources, and what the
//! runs were started with.
//!
//! Two results are compared by their texts alone, so they may come from two machines. Claims are paired first by their text, then, among
//! those that cite the same source, by how close their wording is; a number that changed does not make them less close.
//!
//! ```
//! use methods::difference::{Side, compare};
//! use serde_json::json;
//!
//! let result = |text: &str| json!({"run_id": "r", "question": "q", "deliverable": {"claims": [
//!     {"text": text, "verdict": "supported", "citations": []}]}});
//! let (before, after) = (result("Snow counted 616 deaths."), result("Snow counted 618 deaths."));
//! let difference = compare(&Side::of_file(&before), &Side::of_file(&after));
//! let changed = &difference.claims.changed[0];
//! assert!(changed.is_reworded && !changed.has_other_verdict);
//! assert_eq!(changed.numbers[0].from.as_deref(), Some("616"));
//! assert_eq!(changed.numbers[0].to.as_deref(), Some("618"));
//! assert!(compare(&Side::of_file(&before), &Side::of_file(&before)).is_empty());
//! ```

mod pairing;
mod settings;
mod sources;
mod text;
mod wording;

use run::Entry;
use run::ledger::{Claim, Verdict};
use run::library::of_run;
use run::settings::Settings;
use run::views;
use schemars::JsonSchema;
use serde::{Deserialize as _, Serialize};
use serde_json::Value;

pub use text::describe;

/// A result that is compared.
#[derive(Debug, Clone, Copy)]
pub struct Side<'a> {
    result: &'a Value,
    origin: Option<Origin<'a>>,
}

/// What a log says of a run and its result does not.
#[derive(Debug, Clone, Copy)]
struct Origin<'a> {
    version: u32,
    settings: &'a Settings,
}

impl<'a> Side<'a> {
    /// Returns a result as a file has it.
    pub fn of_file(result: &'a Value) -> Side<'a> {
        Side { result, origin: None }
    }

    /// Returns the result of a run, whose settings and version are compared as well.
    pub fn of_run(result: &'a Value, entries: &'a [Entry]) -> Side<'a> {
        let origin = views::start(entries)
            .map(|start| Origin { version: start.version, settings: start.settings });
        Side { result, origin }
    }

    fn text(&self, key: &str) -> &'a str {
        crate::report::text(self.result, key)
    }

    /// Returns the claims of the result, and of what they cite the addresses as they are compared.
    fn claims(&self) -> Vec<Claim> {
        let claims = self.result.pointer("/deliverable/claims").and_then(Value::as_array);
        let claims = claims.into_iter().flatten();
        let mut claims: Vec<Claim> =
            claims.filter_map(|claim| Claim::deserialize(claim).ok()).collect();
        for citation in claims.iter_mut().flat_map(|claim| &mut claim.citations) {
            citation.source_uri = self.address(&citation.source_uri).to_owned();
        }
        claims
    }

    /// Returns the address of a source as it is compared. That of a document which was read for the run alone begins with the run's name,
    /// which is another one in every run, so that its path in what was read is taken.
    fn address<'u>(&self, uri: &'u str) -> &'u str {
        let own = uri
            .strip_prefix("doc://")
            .and_then(|rest| rest.strip_prefix(&of_run(self.text("run_id"))));
        own.and_then(|rest| rest.strip_prefix('/')).unwrap_or(uri)
    }
}

/// What is different between two results, from the first to the second.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Difference {
    pub from: Compared,
    pub to: Compared,
    /// What the runs were asked and started with, where it differs.
    pub started: Vec<Change>,
    pub claims: ClaimChanges,
    pub sources: SourceChanges,
    pub cost: CostChange,
    /// What could not be compared, and why, a sentence each.
    pub remarks: Vec<String>,
}

/// A result that was compared.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Compared {
    pub run_id: String,
    pub method: String,
    pub question: String,
    pub status: String,
}

/// A value that differs; null on a side that has none.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Change {
    /// What it is the value of: question, method, version, mode, model, …, or the key of a setting.
    pub what: String,
    pub from: Value,
    pub to: Value,
}

#[derive(Debug, Clone, Default, PartialEq, Serialize, JsonSchema)]
pub struct ClaimChanges {
    /// How many claims have the same text and verdict in both.
    pub same: u64,
    pub came: Vec<ClaimState>,
    pub went: Vec<ClaimState>,
    /// Claims that were reworded or have another verdict.
    pub changed: Vec<ClaimChange>,
}

/// A claim of one result.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ClaimState {
    pub text: String,
    pub verdict: Verdict,
    /// The addresses of the sources that it cites, each once; of a document that was read for the run alone, its path.
    pub sources: Vec<String>,
}

/// A claim that both results have, told differently.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct ClaimChange {
    pub from: ClaimState,
    pub to: ClaimState,
    pub is_reworded: bool,
    pub has_other_verdict: bool,
    /// The numbers that stand in one text only, in order.
    pub numbers: Vec<NumberChange>,
}

/// A number that was replaced; none on a side that has fewer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct NumberChange {
    pub from: Option<String>,
    pub to: Option<String>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct SourceChanges {
    /// How many sources have the same text in both.
    pub same: u64,
    pub came: Vec<SourceState>,
    pub went: Vec<SourceState>,
    /// Sources that have the same address and another text.
    pub changed: Vec<SourceChange>,
}

/// A source that one result cites.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct SourceState {
    /// Of a document that was read for the run alone, its path.
    pub source_uri: String,
    pub title: String,
}

/// A source whose text is another one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct SourceChange {
    /// Of a document that was read for the run alone, its path.
    pub source_uri: String,
    pub title: String,
    /// SHA-256 of the text.
    pub from: String,
    pub to: String,
}

/// What the runs cost.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct CostChange {
    pub from: Spent,
    pub to: Spent,
}

#[derive(Debug, Clone, Default, PartialEq, Serialize, JsonSchema)]
pub struct Spent {
    pub calls: u64,
    /// Tokens in and out.
    pub tokens: u64,
    pub cost_usd: f64,
}

impl Difference {
    /// Returns whether nothing differs but what the runs cost.
    pub fn is_empty(&self) -> bool {
        let Difference { started, claims, sources, .. } = self;
        started.is_empty()
            && claims.came.is_empty()
            && claims.went.is_empty()
            && claims.changed.is_empty()
            && sources.came.is_empty()
            && sources.went.is_empty()
            && sources.changed.is_empty()
    }
}

/// Compares two results, usually of the same question.
pub fn compare(from: &Side<'_>, to: &Side<'_>) -> Difference {
    let mut remarks = Vec::new();
    let claims = pairing::compare(&from.claims(), &to.claims(), &mut remarks);
    Difference {
        from: describe_side(from),
        to: describe_side(to),
        started: settings::compare(from, to, &mut remarks),
        claims,
        sources: sources::compare(from, to),
        cost: CostChange { from: spent(from.result), to: spent(to.result) },
        remarks,
    }
}

fn describe_side(side: &Side<'_>) -> Compared {
    let text = |key| side.text(key).to_owned();
    Compared {
        run_id: text("run_id"),
        method: text("method"),
        question: text("question"),
        status: text("status"),
    }
}

fn spent(result: &Value) -> Spent {
    let used =
        |key: &str| result.pointer("/usage").map_or(0, |usage| crate::report::number(usage, key));
    Spent {
        calls: used("calls"),
        tokens: used("input_tokens").saturating_add(used("output_tokens")),
        cost_usd: result.get("cost_usd").and_then(Value::as_f64).unwrap_or_default(),
    }
}

#[cfg(test)]
mod tests;
