//! The size of the market: cited or assumed figures, and the program's computations from them.

use std::collections::BTreeMap;

use run::Mode;
use run::ledger::{Citation, Claim, Verdict};

use super::arithmetic::{self, Expression};
use super::clerk::Clerk;
use super::figures::{self, Figure as Read, Kind};
use super::payload::{Comparison, Estimate, Input, InputOrigin, Result as Outcome, Sizing, Step};
use super::reckoning::{Known, Reckoning, spoken};
use super::replies::{Computed, Estimated, Figure, SizingReply};
use super::units::{self, Unit};
use crate::grounded::docket::{Judged, Sentence, plain};

/// Ratio between two estimates above which the reader is warned.
pub(super) const FAR_APART: f64 = 3.0;
/// Maximum number of characters in a name; a unit may have twice as many.
const LONGEST_NAME: usize = 60;

/// Enters the agent's statements on the market's size, and computes its estimates.
pub(super) fn entered(reply: &SizingReply, clerk: &mut Clerk<'_, '_>) -> Sizing {
    let prose = super::prose::paragraphs(&reply.prose, clerk);
    let claims = clerk.states(&reply.claims);
    let top_down = estimate("Top-down estimate", &reply.top_down, clerk);
    let bottom_up = estimate("Bottom-up estimate", &reply.bottom_up, clerk);
    let comparison = compared(&top_down, &bottom_up);
    if let (Some(one), Some(other)) = (&top_down.result, &bottom_up.result)
        && !Unit::of(&one.unit).is(&Unit::of(&other.unit))
    {
        clerk.object(format!(
            "the results of the two estimates have different units, '{}' and '{}'",
            one.unit, other.unit
        ));
    }
    let gaps = clerk.remarks(&reply.gaps);
    Sizing { prose, claims, top_down, bottom_up, comparison, gaps }
}

/// Compares the results of the two estimates.
pub(super) fn compared(top_down: &Estimate, bottom_up: &Estimate) -> Comparison {
    let none = |text: String| Comparison { ratio: None, text };
    let (Some(one), Some(other)) = (&top_down.result, &bottom_up.result) else {
        return none("There is no second estimate to compare.".into());
    };
    if !Unit::of(&one.unit).is(&Unit::of(&other.unit)) {
        return none(format!(
            "The two estimates cannot be compared: one is in {}, the other in {}.",
            named(&one.unit),
            named(&other.unit)
        ));
    }
    if one.value <= 0.0 || other.value <= 0.0 {
        return none(
            "The two estimates cannot be compared: at least one of them is not above zero.".into(),
        );
    }
    let ratio = (one.value / other.value).max(other.value / one.value);
    let differ = format!(
        "The two estimates ({} and {}) differ by a factor of {}.",
        one.shown,
        other.shown,
        figures::shown(ratio, "")
    );
    let text = if ratio > FAR_APART {
        format!("Warning: {} At least one of them uses figures that do not fit.", lower(&differ))
    } else {
        differ
    };
    Comparison { ratio: Some(ratio), text }
}

fn lower(sentence: &str) -> String {
    sentence.replacen("The ", "the ", 1)
}

fn named(unit: &str) -> &str {
    if unit.is_empty() { "no unit" } else { unit }
}

fn estimate(what: &str, written: &Estimated, clerk: &mut Clerk<'_, '_>) -> Estimate {
    let none = |why: String| Estimate { why_not: Some(why), ..Estimate::default() };
    if written.steps.is_empty() {
        let why = clerk.remarks(std::slice::from_ref(&written.why_not)).pop().unwrap_or_default();
        let otherwise = || format!("not enough evidence for a {}", what.to_lowercase());
        return none(if why.is_empty() { otherwise() } else { why });
    }
    // If a step cannot be computed, the whole estimate is dropped, together with its inputs.
    let mut draft = Draft::default();
    for figure in written.inputs.iter().take(clerk.section_input().most) {
        draft.input(what, figure, clerk);
    }
    for (step, number) in written.steps.iter().take(clerk.section_input().most).zip(1..) {
        if let Err(wrong) = draft.step(what, step, number, clerk) {
            clerk.object(format!("{what}, {wrong}"));
            return none(wrong);
        }
    }
    let assumptions_alone = !draft.is_cited;
    let Draft { inputs, steps, corrections, .. } = draft;
    let result = steps.last().map(|step| Outcome {
        value: step.value,
        unit: step.unit.clone(),
        shown: figures::shown(step.value, &step.unit),
    });
    Estimate { inputs, steps, result, why_not: None, assumptions_alone, corrections }
}

impl Input {
    /// Adopts the figure that the agent wrote as a replacement; returns false if it is not a single figure.
    fn restate(&mut self, words: &str, figure: &Figure) -> bool {
        if words == self.shown {
            return true;
        }
        let Some(read) = figures::read(words) else { return false };
        self.value = read.value;
        self.unit = units::of_figure(&read, &short(&figure.unit));
        self.shown = words.to_owned();
        true
    }
}

/// An estimate under computation.
#[derive(Default)]
struct Draft {
    inputs: Vec<Input>,
    steps: Vec<Step>,
    corrections: Vec<String>,
    reckoning: Reckoning,
    /// Whether any cited input contributes to the last step.
    is_cited: bool,
    /// The supporting citations, by name.
    citations: BTreeMap<String, Vec<Citation>>,
}

impl Draft {
    fn input(&mut self, what: &str, figure: &Figure, clerk: &mut Clerk<'_, '_>) {
        let name = identifier(&figure.name);
        if name.is_empty() || self.reckoning.knows(&name) {
            clerk.object(format!("{what}: an input has no name of its own ('{name}')"));
            return;
        }
        let Some(read) = figures::read(&figure.value) else {
            clerk.object(format!(
                "{what}: the value of the input '{name}' is not one number: '{}'",
                short(&figure.value)
            ));
            return;
        };
        let unit = units::of_figure(&read, &short(&figure.unit));
        let description = match short(&figure.description) {
            empty if empty.is_empty() => spoken(&name),
            description => description,
        };
        let mut input = Input {
            name: name.clone(),
            value: read.value,
            shown: figures::as_written(&read, &short(&figure.value), &unit),
            unit,
            description,
            origin: InputOrigin::Assumed,
            statement: None,
            why: None,
            unsupported: false,
        };
        let mut citations = Vec::new();
        if figure.is_cited() {
            let cited = Sentence {
                of: input.description.clone(),
                words: input.shown.clone(),
                cites: figure.cites.clone(),
                quotes: figure.quoted().into_iter().collect(),
                ..Sentence::default()
            };
            // Without a model, the cited sentence supports the figure as it is.
            let is_quoted = clerk.section_input().mode == Mode::Offline;
            let mut takes = |judged: &Judged| is_quoted || input.restate(&judged.words, figure);
            match clerk.holding(&cited).filter(|judged| takes(judged)) {
                Some(Judged { claim, .. }) => {
                    citations.clone_from(&claim.citations);
                    let text = claim.text.clone();
                    input.origin = InputOrigin::Cited;
                    input.statement = Some(clerk.admit(claim, &text));
                }
                None => {
                    input.unsupported = true;
                    input.why = Some("the source given for it does not bear it out".into());
                }
            }
        } else {
            let why = plain(&figure.why);
            if why.is_empty() {
                clerk.object(format!("{what}: the input '{name}' is neither cited nor explained"));
            }
            input.why = Some(if why.is_empty() { "no reason was given".into() } else { why });
        }
        self.reckoning.begin_with(&input);
        self.citations.insert(name, citations);
        self.inputs.push(input);
    }

    fn step(
        &mut self,
        what: &str,
        written: &Computed,
        number: usize,
        clerk: &mut Clerk<'_, '_>,
    ) -> Result<(), String> {
        let name = match identifier(&written.name) {
            empty if empty.is_empty() => format!("step_{number}"),
            name => name,
        };
        let wrong =
            |why: &dyn std::fmt::Display| format!("could not compute the step '{name}': {why}");
        if self.reckoning.knows(&name) {
            return Err(wrong(&"another figure has its name"));
        }
        let expression = arithmetic::parse(&written.expression).map_err(|error| wrong(&error))?;
        let known = self.reckoning.computed(&expression).map_err(|error| wrong(&error))?;
        let unit = self.unit(&name, &known, &short(&written.unit));
        let share = if figures::is_percent(&unit) { 100.0 } else { 1.0 };
        let value = known.value * share;
        let shown = figures::shown(value, &unit);
        if let Some(stated) = figures::read(&written.value)
            && !(comes_out(&stated, value, figures::is_percent(&unit))
                && has_sign_of(&stated, &unit))
        {
            self.corrections.push(format!(
                "{}: {} was stated, but the result is {shown}",
                spoken(&name),
                short(&written.value)
            ));
        }
        let mut citations: Vec<Citation> = Vec::new();
        for known in expression.names() {
            for citation in self.citations.get(known).into_iter().flatten() {
                if !citations.contains(citation) {
                    citations.push(citation.clone());
                }
            }
        }
        let arithmetic = match &expression {
            Expression::Name(_) => shown.clone(),
            expression => format!("{} = {shown}", expression.shown(&|known| self.shown(known))),
        };
        let label = known.label();
        let text = format!("{what}, {}: {arithmetic}{label}", spoken(&name));
        let claim = Claim {
            text: text.clone(),
            verdict: Verdict::Recomputed,
            citations: citations.clone(),
            ..Claim::default()
        };
        let statement = clerk.admit(claim, &text);
        self.is_cited = known.cited;
        self.reckoning.keep(&name, known);
        self.citations.insert(name.clone(), citations);
        self.steps.push(Step { name, expression: expression.to_string(), unit, value, statement });
        Ok(())
    }

    /// Returns the unit of a step: the derived one, in the words of the stated one.
    fn unit(&mut self, step: &str, known: &Known, stated: &str) -> String {
        let stated_unit = Unit::of(stated);
        let unit = match known.unit.in_words_of(&stated_unit).written() {
            empty if empty.is_empty() && units::is_percent(stated) => "%".to_owned(),
            written => written,
        };
        if !stated.is_empty() && !stated_unit.is(&known.unit) {
            self.corrections.push(format!(
                "{}: the unit {stated} was stated; it is in {}",
                spoken(step),
                named(&unit)
            ));
        }
        unit
    }

    fn shown(&self, name: &str) -> String {
        if let Some(input) = self.inputs.iter().find(|input| input.name == name) {
            return input.shown.clone();
        }
        let step = self.steps.iter().find(|step| step.name == name);
        step.map_or_else(|| name.to_owned(), |step| figures::shown(step.value, &step.unit))
    }
}

/// Returns whether a stated figure equals the computed one, rounded to the digits it has.
fn comes_out(stated: &Read, value: f64, in_percent: bool) -> bool {
    let share = if in_percent
        && stated.kind == Kind::Plain
        && value.abs() > 1.0
        && stated.value.abs() <= 1.0
    {
        100.0
    } else {
        1.0
    };
    let slack = stated.half_digit * share + value.abs() * 1e-9;
    (stated.value * share - value).abs() <= slack
}

/// Returns whether the sign of a stated figure, if any, matches a unit.
fn has_sign_of(stated: &Read, unit: &str) -> bool {
    let parts = figures::unit(unit);
    match stated.kind {
        Kind::Money(code) => parts.split(['/', '*']).next() == Some(code),
        Kind::Percent => figures::is_percent(unit),
        Kind::Plain => true,
    }
}

/// Returns a name in the form that expressions use; empty if nothing is left.
fn identifier(name: &str) -> String {
    let mut written = String::new();
    for c in plain(name).chars().take(LONGEST_NAME) {
        if c.is_ascii_alphanumeric() {
            written.push(c.to_ascii_lowercase());
        } else if !written.is_empty() && !written.ends_with('_') {
            written.push('_');
        }
    }
    let written = written.trim_end_matches('_');
    if written.starts_with(|c: char| c.is_ascii_digit()) {
        format!("_{written}")
    } else {
        written.to_owned()
    }
}

fn short(text: &str) -> String {
    plain(text).chars().take(2 * LONGEST_NAME).collect()
}

#[cfg(test)]
mod tests;
