//! The figures that a brief carries: each is worded from its value, and each is the same wherever it stands.

use std::collections::BTreeMap;

use serde_json::Value;
use survey::expression::Unit;

use super::Finding;
use super::shape::ResultFile;

/// What two evaluations of one expression may differ by.
const ROUNDING: f64 = 1e-9;

pub(super) fn check(file: &ResultFile, result: &Value, findings: &mut Vec<Finding>) {
    if file.method != "brief" || !file.is_whole() {
        return;
    }
    let mut known = BTreeMap::new();
    for key in ["cited", "statements", "charts"] {
        if let Some(told) = result.pointer(&format!("/deliverable/{key}")) {
            walk(told, &format!("/deliverable/{key}"), &mut known, findings);
        }
    }
    let cited = result.pointer("/deliverable/cited").and_then(Value::as_array);
    for (index, worded) in cited.into_iter().flatten().enumerate() {
        let number = worded.get("number").and_then(Value::as_u64);
        let shown = file.citations.iter().find(|one| one.number.map(u64::from) == number);
        let Some(shown) = shown else { continue };
        for (key, due) in [("text", &shown.quote), ("question", &shown.title)] {
            if worded.get(key).and_then(Value::as_str) != Some(due.as_str()) {
                let at = format!("/deliverable/cited/{index}/{key}");
                findings.push(Finding::new(at, "it differs from its citation"));
            }
        }
    }
}

/// Checks every figure in a value.
fn walk<'a>(
    value: &'a Value,
    at: &str,
    known: &mut BTreeMap<&'a str, f64>,
    findings: &mut Vec<Finding>,
) {
    match value {
        Value::Object(fields) => {
            let text = |key: &str| fields.get(key).and_then(Value::as_str);
            let number = fields.get("value").and_then(Value::as_f64);
            if let (Some(expression), Some(number)) = (text("expression"), number) {
                let same = *known.entry(expression).or_insert(number);
                if (same - number).abs() > ROUNDING * same.abs().max(1.0) {
                    let what = format!("{expression} is {number} here, but {same} before");
                    findings.push(Finding::new(format!("{at}/value"), what));
                }
                if let Some(shown) = text("shown").filter(|shown| !is_worded(number, shown)) {
                    let what = format!("{number} is not shown as \"{shown}\"");
                    findings.push(Finding::new(format!("{at}/shown"), what));
                }
            }
            for (key, field) in fields {
                let key = key.replace('~', "~0").replace('/', "~1");
                walk(field, &format!("{at}/{key}"), known, findings);
            }
        }
        Value::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                walk(item, &format!("{at}/{index}"), known, findings);
            }
        }
        _ => {}
    }
}

/// Returns whether a value is shown so in any unit.
fn is_worded(value: f64, shown: &str) -> bool {
    const UNITS: [Unit; 8] = [
        Unit::Share,
        Unit::Points,
        Unit::Mean,
        Unit::Difference,
        Unit::Nps,
        Unit::Count,
        Unit::Ratio,
        Unit::Growth,
    ];
    UNITS.iter().any(|unit| unit.shown(value) == shown)
}
