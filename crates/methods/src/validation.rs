//! Checks a result that somebody has as a file: what it looks like, what its ledger says, what its numbers add up to, and what its method
//! promises of it.
//!
//! A result is the envelope that every command prints as JSON. All is checked from it alone: no run, no document and no model is asked.
//! What cannot be known so is whether the sources say what is quoted, except where the file carries their text; nor whether a verdict was
//! rightly given, nor what an answer says outside the places of its claims, such as in headings.
//!
//! ```
//! let methods = methods::all();
//! let findings = methods::validation::validate(&methods, &serde_json::json!({"run_id": 7}));
//! let findings = Vec::from_iter(findings.iter().map(ToString::to_string));
//! assert!(findings.contains(&"/run_id: 7 is not of type \"string\"".to_owned()), "{findings:?}");
//! ```

mod carried;
mod figures;
mod layout;
mod ledger;
mod places;
mod shape;
mod totals;

use std::fmt;

use run::Methods;
use run::ledger::Claim;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::published;

use shape::ResultFile;

/// The most findings that are reported.
const MOST_TOLD: usize = 100;

/// Something that is wrong with a result.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// A JSON pointer; empty for the whole.
    pub at: String,
    pub what: String,
}

impl Finding {
    fn new(at: impl Into<String>, what: impl Into<String>) -> Finding {
        Finding { at: at.into(), what: what.into() }
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let at = if self.at.is_empty() { "/" } else { &self.at };
        write!(f, "{at}: {}", self.what)
    }
}

/// Returns what is wrong with a result, in the order of the checks; empty if nothing is.
///
/// A result without the shape of one is told only that, because nothing else can be read of it.
pub fn validate(methods: &Methods, result: &Value) -> Vec<Finding> {
    let file = match shape::read(result) {
        Ok(file) => file,
        Err(findings) => return findings,
    };
    let mut findings = Vec::new();
    layout::check(methods, &file, &mut findings);
    ledger::check(&file, &mut findings);
    ledger::check_labels(result, &mut findings);
    places::check(&file, result, &mut findings);
    ledger::check_marks(&file, &crate::report::build(methods, result), &mut findings);
    carried::check(&file, result, &mut findings);
    totals::check(&file, result, &mut findings);
    figures::check(&file, result, &mut findings);
    check_promises(&file, result, &mut findings);
    findings.truncate(MOST_TOLD);
    findings
}

/// Returns what keeps a JSON value from being a result: fields that are missing, or of another type; empty if it is one.
pub fn check_shape(value: &Value) -> Vec<Finding> {
    shape::read(value).err().unwrap_or_default()
}

/// Returns the JSON Schema of every result (2020-12), as far as it is checked.
pub fn schema() -> Value {
    published::schema_of::<ResultFile>()
}

/// Returns the JSON Schema of what a method delivers; `None` for a method that publishes none.
pub fn schema_of_method(method: &str) -> Option<Value> {
    match method {
        "hypothesize" => Some(crate::hypothesize::schema()),
        "market" => Some(crate::market::schema()),
        "debate" => Some(crate::debate::schema()),
        "brief" => Some(crate::brief::schema()),
        _ => None,
    }
}

/// Checks what the method of a whole result promises: its published schema, and the rules that no schema can express.
fn check_promises(file: &ResultFile, result: &Value, findings: &mut Vec<Finding>) {
    let Some(deliverable) = result.get("deliverable") else { return };
    // Methods promise other things today than when runs of former versions were made.
    if !file.is_whole() {
        return;
    }
    let claims = file.claims();
    match file.method.as_str() {
        "hypothesize" => promised(deliverable, findings, &crate::hypothesize::schema(), |whole| {
            crate::hypothesize::violations(whole, claims)
        }),
        "market" => promised(deliverable, findings, &crate::market::schema(), |whole| {
            let mut wrong = crate::market::violations(whole, claims);
            wrong.extend(crate::market::foreign_marks(whole, claims));
            wrong
        }),
        "debate" => promised(deliverable, findings, &crate::debate::schema(), |whole| {
            crate::debate::violations(whole, claims)
        }),
        "brief" => promised(deliverable, findings, &crate::brief::schema(), |whole| {
            crate::brief::contradictions(whole, claims)
        }),
        _ => {}
    }
}

fn promised<T: DeserializeOwned>(
    deliverable: &Value,
    findings: &mut Vec<Finding>,
    schema: &Value,
    violations: impl Fn(&T) -> Vec<String>,
) {
    let at = "/deliverable";
    let before = findings.len();
    for (pointer, what) in published::compare(deliverable, schema) {
        findings.push(Finding::new(format!("{at}{pointer}"), what));
    }
    if findings.len() > before {
        return;
    }
    match serde_json::from_value::<T>(deliverable.clone()) {
        Ok(whole) => {
            findings.extend(violations(&whole).into_iter().map(|what| Finding::new(at, what)));
        }
        Err(error) => findings.push(Finding::new(at, error.to_string())),
    }
}

/// Returns the pointer of a claim.
fn claim_at(index: usize) -> String {
    format!("/deliverable/claims/{index}")
}

/// Returns claims with their pointers.
fn located(claims: &[Claim]) -> impl Iterator<Item = (String, &Claim)> {
    claims.iter().enumerate().map(|(index, claim)| (claim_at(index), claim))
}

#[cfg(test)]
mod tests;
