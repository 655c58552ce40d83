//! A result for the page that `quaestio serve` brings: a fragment without style or title, and its outline.

use std::collections::BTreeMap;

use app::Report;
use run::evidence::{EvidenceKind, Numbered};
use serde_json::Value;

use super::fragment::{Fragment, Target};
use super::plain::unmarked;
use super::{PAGE, brief, debate, hypotheses, list, markdown, market, text};

/// Returns the result as HTML in which nothing of a document or a model is active, with its headings.
///
/// `evidence` is the run's: it tells which document a citation stands in.
pub(crate) fn report(envelope: &Value, evidence: &[Numbered]) -> Report {
    let targets = find_targets(envelope, evidence);
    let mut fragment = Fragment::new(&targets);
    if let Some(payload) = hypotheses::read(envelope) {
        let pieces = hypotheses::pieces(envelope, &payload);
        fragment.markdown(&pieces.as_far_as_table);
        fragment.ours(&pieces.picture);
        fragment.markdown(&pieces.rest);
    } else if let Some(analysis) = market::read(envelope) {
        fragment.markdown(&market::piece(envelope, &analysis));
    } else if let Some(debate) = debate::read(envelope) {
        fragment.markdown(&debate::piece(envelope, &debate));
    } else if let Some(brief) = brief::read(envelope) {
        let pieces = brief::pieces(envelope, &brief);
        fragment.markdown(&pieces.summary);
        fragment.ours(&pieces.charts);
        fragment.markdown(&pieces.rest);
    } else {
        fragment.markdown(&markdown(envelope, unmarked, PAGE));
    }
    Report { html: fragment.html, outline: fragment.outline }
}

/// Returns where each mark leads: the citations that are shown and whose place is known.
fn find_targets(envelope: &Value, evidence: &[Numbered]) -> BTreeMap<u32, Target> {
    let documents: BTreeMap<&str, Option<&str>> = evidence
        .iter()
        .map(|Numbered { evidence, .. }| {
            let is_document = evidence.kind != EvidenceKind::Survey;
            let document = evidence.provenance.place.document_id.as_str();
            (evidence.evidence_id.as_str(), is_document.then_some(document))
        })
        .collect();
    let target = |citation: &Value| {
        let number = |key: &str| citation.get(key).and_then(Value::as_u64);
        let document_id = documents.get(text(citation, "evidence_id"))?;
        let target = Target {
            document_id: document_id.map(str::to_owned),
            start: number("start")?,
            end: number("end")?,
            verdict: text(citation, "verdict").to_owned(),
        };
        Some((u32::try_from(number("number")?).ok()?, target))
    };
    list(envelope, "citations").iter().filter_map(target).collect()
}

#[cfg(test)]
mod tests;
