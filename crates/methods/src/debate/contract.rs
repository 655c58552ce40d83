//! What a result must satisfy: the published schema and the rules that no schema can express.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use run::ledger::{Claim, Verdict};

use super::payload::{Debate, Ending, Scientist, Sentence, Turn, Validation, Viability};
use crate::published::{self, Kept};

/// Maximum number of violations that are reported.
const MOST_TOLD: usize = 20;

/// Returns the JSON Schema (2020-12) of the method's results, whole or partial.
pub fn schema() -> Value {
    published::schema_of::<Debate>()
}

/// Returns the violations in a result; empty if it passes.
pub(crate) fn violations(debate: &Debate, ledger: &[Claim]) -> Vec<String> {
    let mut wrong = against_the_schema(debate);
    let shown: BTreeMap<u32, &str> = ledger
        .iter()
        .flat_map(|claim| &claim.citations)
        .filter(|citation| citation.verdict.holds())
        .filter_map(|citation| Some((citation.number?, citation.source_uri.as_str())))
        .collect();
    for turn in &debate.turns {
        cited_and_listed(turn, &shown, &mut wrong);
        validated(turn, debate, &mut wrong);
    }
    let last = debate.turns.last();
    let viable = last.is_some_and(|turn| {
        turn.scientist == Scientist::Pessimist
            && turn.markers.viability == Viability::Viable
            && turn.markers.validation == Validation::Pass
    });
    if debate.ending == Ending::Viable && !viable {
        wrong.push("it ends as viable without a review that says so".into());
    }
    wrong.truncate(MOST_TOLD);
    wrong
}

fn against_the_schema(debate: &Debate) -> Vec<String> {
    static VALIDATOR: Kept = Kept::new();
    published::violations(debate, &VALIDATOR)
}

/// Checks that the cited and the listed references are the same, and that checked sentences have marks and remarks have none.
fn cited_and_listed(turn: &Turn, shown: &BTreeMap<u32, &str>, wrong: &mut Vec<String>) {
    let place = format!("{} in cycle {}", turn.scientist.title(), turn.cycle);
    let mut cited: BTreeSet<u32> = BTreeSet::new();
    for sentence in sentences(turn) {
        cited.extend(&sentence.numbers);
        // A conclusion from the other's words alone has no mark.
        let is_inferred = sentence.verdict == Some(Verdict::Inferred);
        if sentence.verdict.is_some() == sentence.numbers.is_empty() && !is_inferred {
            wrong.push(format!(
                "{place}: \"{}\" has a verdict without a mark, or a mark without one",
                sentence.text
            ));
        }
    }
    let explained: BTreeSet<u32> = turn.citations.iter().filter_map(|one| one.number).collect();
    if cited != explained {
        wrong.push(format!("{place}: its citations are not those of its marks"));
    }
    let mut listed: BTreeSet<u32> = BTreeSet::new();
    for reference in &turn.references {
        listed.extend(&reference.numbers);
        let uri = reference.source_uri.as_str();
        if reference.numbers.is_empty() || reference.text.trim().is_empty() {
            wrong.push(format!("{place}: the reference of {uri} has no mark or no text"));
        }
        if reference.numbers.iter().any(|number| shown.get(number) != Some(&uri)) {
            wrong.push(format!("{place}: the reference of {uri} has a mark that is another's"));
        }
    }
    if cited != listed {
        wrong.push(format!("{place}: what is cited is not what is listed"));
    }
}

/// Checks that a PASS has an execution that ended well, with a check of its own that held.
fn validated(turn: &Turn, debate: &Debate, wrong: &mut Vec<String>) {
    if turn.markers.validation != Validation::Pass {
        return;
    }
    let proposal =
        debate.turns.iter().find(|one| one.cycle == turn.cycle && one.proposal.is_some());
    let passed =
        proposal.and_then(|one| one.proposal.as_ref()).is_some_and(|one| one.trial.passed());
    if turn.scientist == Scientist::Optimist || !passed {
        wrong.push(format!("cycle {}: PASS without an execution that passed", turn.cycle));
    }
}

/// Returns every sentence of a turn that may cite.
pub(super) fn sentences(turn: &Turn) -> impl Iterator<Item = &Sentence> {
    let critique = turn.critique.iter().map(|one| &one.remark);
    let explanation = turn.proposal.iter().flat_map(|one| &one.explanation);
    turn.position
        .iter()
        .chain(&turn.synthesis)
        .chain(critique)
        .chain(explanation)
        .chain(&turn.next_step)
}

#[cfg(test)]
mod tests;
