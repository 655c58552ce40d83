//! The texts of evidence that a result carries, as a report of the strategy `deep` does: quotes are looked up in them.

use std::collections::BTreeMap;

use run::ledger::Citation;
use serde_json::Value;

use super::shape::ResultFile;
use super::{Finding, located};

/// The text of a passage, and where it begins in its document.
struct Passage<'a> {
    text: &'a str,
    start: u64,
}

/// Checks that quotes stand where their citations say, as far as the result carries the text.
pub(super) fn check(file: &ResultFile, result: &Value, findings: &mut Vec<Finding>) {
    let mut passages = BTreeMap::new();
    collect(result, &mut passages);
    let shown = file.citations.iter().enumerate();
    let shown = shown.map(|(index, citation)| (format!("/citations/{index}"), citation));
    let claimed = located(file.claims()).flat_map(|(at, claim)| {
        let citations = claim.citations.iter().enumerate();
        citations.map(move |(index, citation)| (format!("{at}/citations/{index}"), citation))
    });
    for (at, citation) in shown.chain(claimed) {
        if let Some(passage) = passages.get(citation.evidence_id.as_str())
            && !stands_in(citation, passage)
        {
            let what = "the quote is not at that place in its passage";
            findings.push(Finding::new(at, what));
        }
    }
}

/// Returns whether the passage has the quote where the citation says; true for a citation without a span.
fn stands_in(citation: &Citation, passage: &Passage<'_>) -> bool {
    let (Some(start), Some(end)) = (citation.start, citation.end) else { return true };
    let offset = |at: u64| usize::try_from(at.checked_sub(passage.start)?).ok();
    let span = offset(start).zip(offset(end));
    span.and_then(|(start, end)| passage.text.get(start..end)) == Some(citation.quote.as_str())
}

/// Collects the passages that stand anywhere in a result, by the id of their evidence.
fn collect<'a>(value: &'a Value, passages: &mut BTreeMap<&'a str, Passage<'a>>) {
    match value {
        Value::Object(fields) => {
            let id = fields.get("evidence_id").and_then(Value::as_str);
            let text = fields.get("text").and_then(Value::as_str);
            let start = value.pointer("/provenance/start").and_then(Value::as_u64);
            if let (Some(id), Some(text), Some(start)) = (id, text, start) {
                passages.insert(id, Passage { text, start });
            }
            fields.values().for_each(|field| collect(field, passages));
        }
        Value::Array(items) => items.iter().for_each(|item| collect(item, passages)),
        _ => {}
    }
}
