//! What a result must satisfy: the published schema and the rules that no schema can express.

use std::collections::BTreeSet;

use serde_json::Value;

use run::ledger::Claim;

use super::options::Options;
use super::payload::Brief;
use super::refine;
use crate::published::{self, Kept};

/// Maximum number of violations that are reported.
const MOST_TOLD: usize = 20;

/// Returns the JSON Schema (2020-12) of the method's results, whole or partial.
pub fn schema() -> Value {
    published::schema_of::<Brief>()
}

/// Returns the violations in a result; empty if it passes.
pub(super) fn violations(brief: &Brief, ledger: &[Claim], options: &Options) -> Vec<String> {
    let mut wrong = against_the_schema(brief);
    wrong.extend(contradictions(brief, ledger));
    if brief.pipeline_stats.words >= options.rules.most_words {
        wrong.push("the summary has too many words".into());
    }
    let approved = brief.verdict.as_ref().is_some_and(|verdict| verdict.approved);
    let score = brief.verdict.as_ref().map_or(0, |verdict| verdict.score);
    if approved && (score < options.rules.least_score || brief.pipeline_stats.sentences_cut > 0) {
        wrong.push("it is approved with a score that is too low, or with a sentence cut".into());
    }
    wrong.truncate(MOST_TOLD);
    wrong
}

/// Returns where a result contradicts itself or its ledger, whatever options it was made with; empty if nowhere.
pub(crate) fn contradictions(brief: &Brief, ledger: &[Claim]) -> Vec<String> {
    let mut wrong = Vec::new();
    let known: BTreeSet<&str> = brief
        .finding_bank
        .iter()
        .map(|one| one.id.as_str())
        .chain(brief.data_gaps.iter().map(|one| one.id.as_str()))
        .collect();
    let shown: BTreeSet<u32> =
        ledger.iter().flat_map(|claim| &claim.citations).filter_map(|one| one.number).collect();
    for statement in &brief.statements {
        let text = &statement.text;
        let is_claim = statement.verdict.is_some();
        let entered = ledger.iter().any(|claim| {
            Some(claim.verdict) == statement.verdict && claim.verdict.holds() && claim.text == *text
        });
        if is_claim != entered {
            wrong.push(format!("\"{text}\" is not in the ledger as what it is said to be"));
        }
        if is_claim == statement.numbers.is_empty()
            || statement.numbers.iter().any(|number| !shown.contains(number))
        {
            wrong.push(format!("\"{text}\" has no mark, or one of no citation"));
        }
        if !is_claim && statement.part.is_of_facts() {
            wrong.push(format!("\"{text}\" is a judgement among facts"));
        }
        if statement.rests_on.iter().any(|id| !known.contains(id.as_str())) {
            wrong.push(format!("\"{text}\" rests on a finding that is not there"));
        }
    }
    let due = refine::summary(brief.summary.title.clone(), &brief.statements);
    if due != brief.summary {
        wrong.push("the summary is not that of its statements".into());
    }
    wrong.truncate(MOST_TOLD);
    wrong
}

fn against_the_schema(brief: &Brief) -> Vec<String> {
    static VALIDATOR: Kept = Kept::new();
    published::violations(brief, &VALIDATOR)
}

#[cfg(test)]
mod tests;
