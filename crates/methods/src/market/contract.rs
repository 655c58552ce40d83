//! What a result must satisfy: the published schema and the rules that no schema can express.

use std::collections::BTreeSet;

use serde_json::Value;

use run::ledger::{Claim, Verdict};
use run::marks::marks;

use super::arithmetic;
use super::figures;
use super::payload::{Analysis, Estimate, InputOrigin, Section};
use super::reckoning::Reckoning;
use super::units::Unit;
use crate::published::{self, Kept};

/// Maximum number of violations that are reported.
const MOST_TOLD: usize = 20;
/// Relative difference up to which two values count as equal.
const ROUNDING: f64 = 1e-9;

/// Returns the JSON Schema (2020-12) of the method's results, whole or partial.
pub fn schema() -> Value {
    published::schema_of::<Analysis>()
}

/// Returns the violations in a result; empty if it passes.
pub(crate) fn violations(analysis: &Analysis, ledger: &[Claim]) -> Vec<String> {
    let mut wrong = against_the_schema(analysis);
    statements(analysis, ledger, &mut wrong);
    if let Some(sizing) = &analysis.sizing {
        for (what, estimate) in [("top-down", &sizing.top_down), ("bottom-up", &sizing.bottom_up)] {
            computed(what, estimate, &mut wrong);
        }
        let due = super::sizing::compared(&sizing.top_down, &sizing.bottom_up);
        if due != sizing.comparison {
            wrong.push("the comparison is not that of the two estimates".into());
        }
    }
    sections(analysis, &mut wrong);
    wrong.truncate(MOST_TOLD);
    wrong
}

/// Returns the statements whose marks are not those of their claim in the ledger.
pub(crate) fn foreign_marks(analysis: &Analysis, ledger: &[Claim]) -> Vec<String> {
    let mut wrong = Vec::new();
    for (id, text, verdict) in stated(analysis) {
        let bare = run::ledger::without_marks(text);
        let shown: BTreeSet<u32> = marks(text).into_iter().flat_map(|mark| mark.numbers).collect();
        let is_of = |claim: &&Claim| claim.verdict == verdict && claim.text.contains(&bare);
        let mut own = ledger.iter().filter(is_of).peekable();
        // One that is in no claim is told already.
        if own.peek().is_some() && !own.any(|claim| shown.iter().copied().eq(claim.numbers())) {
            wrong.push(format!("{id} has other marks than its claim has citations"));
        }
    }
    wrong.truncate(MOST_TOLD);
    wrong
}

/// Returns the id, the text and the verdict of each statement and judgement.
fn stated(analysis: &Analysis) -> Vec<(&str, &str, Verdict)> {
    let statements = analysis.statements().into_iter();
    let judgements = analysis.judgements();
    statements
        .map(|one| (one.id.as_str(), one.text.as_str(), one.verdict))
        .chain(
            judgements
                .map(|one| (one.id.as_str(), one.text.as_str(), one.verdict.unwrap_or_default())),
        )
        .collect()
}

fn against_the_schema(analysis: &Analysis) -> Vec<String> {
    static VALIDATOR: Kept = Kept::new();
    published::violations(analysis, &VALIDATOR)
}

/// Checks that every statement has a unique id and is in the ledger with its verdict, that marks belong to citations, and that conclusions
/// rest on existing statements.
fn statements(analysis: &Analysis, ledger: &[Claim], wrong: &mut Vec<String>) {
    let all = stated(analysis);
    let ids: BTreeSet<&str> = all.iter().map(|(id, ..)| *id).collect();
    if ids.len() < all.len() {
        wrong.push("two statements have the same id".into());
    }
    let shown: BTreeSet<u32> =
        ledger.iter().flat_map(|claim| &claim.citations).filter_map(|one| one.number).collect();
    for (id, text, verdict) in &all {
        if !verdict.holds() {
            wrong.push(format!("{id} is shown and nothing bears it out"));
        }
        let bare = run::ledger::without_marks(text);
        let entered =
            ledger.iter().any(|claim| claim.verdict == *verdict && claim.text.contains(&bare));
        if !entered {
            wrong.push(format!("{id} is not in the ledger"));
        }
        let mut numbers = marks(text).into_iter().flat_map(|mark| mark.numbers);
        let is_marked = !marks(text).is_empty();
        if matches!(verdict, Verdict::Quoted | Verdict::Supported) && !is_marked {
            wrong.push(format!("{id} has no mark"));
        }
        if numbers.any(|number| !shown.contains(&number)) {
            wrong.push(format!("{id} has a mark of no citation"));
        }
    }
    for (own, rests_on) in analysis.conclusions() {
        if rests_on.is_empty() || !rests_on.iter().all(|id| ids.contains(id.as_str())) {
            wrong.push(format!("{own} rests on a statement that is not there"));
        }
    }
}

/// Checks that every step has the value and unit of its expression, that the result is the last step, and that cited inputs have a
/// statement.
fn computed(what: &str, estimate: &Estimate, wrong: &mut Vec<String>) {
    let mut reckoning = Reckoning::default();
    // Whether any cited input contributes to the last step.
    let mut cited = false;
    for input in &estimate.inputs {
        let is_cited = input.origin == InputOrigin::Cited;
        if is_cited != input.statement.is_some()
            || is_cited == input.why.is_some()
            || (is_cited && input.unsupported)
        {
            wrong.push(format!("the {what} input '{}' is neither cited nor assumed", input.name));
        }
        if !reckoning.begin_with(input) {
            wrong.push(format!("two {what} figures are called '{}'", input.name));
        }
    }
    for step in &estimate.steps {
        let due = arithmetic::parse(&step.expression)
            .map_err(|error| error.to_string())
            .and_then(|parsed| reckoning.computed(&parsed));
        match due {
            Ok(due) => {
                let share = if figures::is_percent(&step.unit) { 100.0 } else { 1.0 };
                let shown = due.value * share;
                if (shown - step.value).abs() > ROUNDING * shown.abs() {
                    wrong.push(format!("the {what} step '{}' does not come out", step.name));
                }
                if !due.unit.is(&Unit::of(&step.unit)) {
                    let (unit, name) = (due.unit.written(), &step.name);
                    wrong.push(format!(
                        "the {what} step '{name}' comes out in '{unit}', not in '{}'",
                        step.unit
                    ));
                }
                let text = run::ledger::without_marks(&step.statement.text);
                if !text.trim_end().ends_with(&due.label()) {
                    wrong.push(format!(
                        "the {what} step '{}' does not say what was assumed for it",
                        step.name
                    ));
                }
                cited = due.cited;
                if !reckoning.keep(&step.name, due) {
                    wrong.push(format!("two {what} figures are called '{}'", step.name));
                }
            }
            Err(error) => wrong.push(format!("the {what} step '{}': {error}", step.name)),
        }
        if step.statement.verdict != Verdict::Recomputed {
            wrong.push(format!("the {what} step '{}' was not computed again", step.name));
        }
    }
    let last = estimate.steps.last().map(|step| (step.value, step.unit.as_str()));
    let result = estimate.result.as_ref().map(|result| (result.value, result.unit.as_str()));
    if last != result || result.is_none() == estimate.why_not.is_none() {
        wrong.push(format!("the {what} result is not that of its last step"));
    }
    if estimate.assumptions_alone && cited {
        wrong.push(format!("the {what} estimate does not rest on assumptions alone"));
    }
    if result.is_some() && !cited && !estimate.assumptions_alone {
        wrong.push(format!("the {what} estimate does not say that it rests on assumptions alone"));
    }
}

/// Checks that every section is present or has exactly one reason for its absence.
fn sections(analysis: &Analysis, wrong: &mut Vec<String>) {
    for section in Section::ALL {
        let there = match section {
            Section::MarketSizing => analysis.sizing.is_some(),
            Section::Competitors => analysis.competitors.is_some(),
            Section::Customers => analysis.customers.is_some(),
            Section::Strategy => analysis.strategy.is_some(),
        };
        let told = analysis.left_out.iter().filter(|one| one.section == section).count();
        if told != usize::from(!there) {
            wrong.push(format!("nothing says why there is no section '{}'", section.role()));
        }
    }
}

#[cfg(test)]
mod tests;
