//! The evaluation of an expression: its value, its unit, and what it rests on.

use std::collections::{BTreeMap, BTreeSet};

use super::arithmetic::Expression;
use super::figures;
use super::payload::{Input, InputOrigin};
use super::units::Unit;

/// The suffix of a text that was computed without any cited input.
const ALONE: &str = " (on assumptions alone)";

/// Numbers that may occur in an expression without a source: they convert units and say nothing about a market.
const CONSTANTS: [f64; 6] = [1.0, 12.0, 100.0, 365.0, 1e3, 1e6];

/// A figure known by name.
#[derive(Debug, Clone)]
pub(super) struct Known {
    /// The value used in expressions: 0.3 for 30 %.
    pub(super) value: f64,
    pub(super) unit: Unit,
    /// Whether any cited input contributes to it.
    pub(super) cited: bool,
    /// Its assumptions, in words for the reader.
    pub(super) assumed: BTreeSet<String>,
}

impl Known {
    /// Returns the suffix that states the figure's assumptions; empty if there are none.
    pub(super) fn label(&self) -> String {
        match self.assumed.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
            _ if !self.cited => ALONE.to_owned(),
            [] => String::new(),
            assumed => format!(" (assumed: {})", assumed.join(", ")),
        }
    }
}

/// The inputs and steps of an estimate, by name.
#[derive(Debug, Default)]
pub(super) struct Reckoning(BTreeMap<String, Known>);

impl Reckoning {
    pub(super) fn knows(&self, name: &str) -> bool {
        self.0.contains_key(name)
    }

    /// Adds an input; returns whether its name was free.
    pub(super) fn begin_with(&mut self, input: &Input) -> bool {
        let share = if figures::is_percent(&input.unit) { 100.0 } else { 1.0 };
        let cited = input.origin == InputOrigin::Cited;
        let assumed = (!cited).then(|| spoken(&input.name));
        let known = Known {
            value: input.value / share,
            unit: Unit::of(&input.unit),
            cited,
            assumed: assumed.into_iter().collect(),
        };
        self.keep(&input.name, known)
    }

    /// Adds the value of a step; returns whether its name was free.
    pub(super) fn keep(&mut self, name: &str, known: Known) -> bool {
        self.0.insert(name.to_owned(), known).is_none()
    }

    /// Evaluates an expression, or returns why it cannot be evaluated.
    pub(super) fn computed(&self, expression: &Expression) -> Result<Known, String> {
        let value = expression
            .value(&|name| self.0.get(name).map(|known| known.value))
            .map_err(|error| error.to_string())?;
        let unit =
            Unit::derived(expression, &|name| self.0.get(name).map(|known| known.unit.clone()))?;
        let names = expression.names();
        let known: Vec<&Known> = names.into_iter().filter_map(|name| self.0.get(name)).collect();
        let mut assumed: BTreeSet<String> =
            known.iter().flat_map(|known| known.assumed.iter().cloned()).collect();
        invented(expression, &mut assumed);
        Ok(Known { value, unit, cited: known.iter().any(|known| known.cited), assumed })
    }
}

/// Collects the numbers written in an expression itself, for which there is neither a source nor a reason.
fn invented(expression: &Expression, found: &mut BTreeSet<String>) {
    match expression {
        Expression::Name(_) => {}
        Expression::Number(number) if CONSTANTS.contains(number) => {}
        // The whole of something.
        Expression::Percent(100.0) => {}
        number @ (Expression::Number(_) | Expression::Percent(_)) => {
            found.insert(number.shown(&str::to_owned));
        }
        Expression::Negative(inner) => invented(inner, found),
        Expression::Joined(one, _, other) => {
            invented(one, found);
            invented(other, found);
        }
    }
}

/// Returns a name for readers: a few words, without numbers in any form. Names come from the model and are not checked.
pub(super) fn spoken(name: &str) -> String {
    /// Maximum number of words in a name.
    const MOST: usize = 4;
    const NUMBERS: &str = "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen \
        seventeen eighteen nineteen twenty thirty forty fifty sixty seventy eighty ninety dozen hundred thousand million millions \
        billion billions trillion trillions percent half third quarter double triple twice";
    let is_number =
        |word: &str| NUMBERS.split_whitespace().any(|one| word.eq_ignore_ascii_case(one));
    let words = name.split(|c: char| !c.is_alphabetic());
    let words = words.filter(|word| !word.is_empty() && !is_number(word)).take(MOST);
    let spoken = words.collect::<Vec<_>>().join(" ");
    if spoken.is_empty() { "figure".to_owned() } else { spoken }
}

#[cfg(test)]
mod tests {
    use super::spoken;

    // proves: W4
    #[test]
    fn a_name_says_no_number_and_no_sentence() {
        for (name, told) in [
            ("texas_share", "texas share"),
            ("market worth 900 billion dollars by 2030 says Gartner", "market worth dollars by"),
            ("grown_to_700_million_firms", "grown to firms"),
            ("nine hundred", "figure"),
            ("５５５", "figure"),
            ("", "figure"),
        ] {
            assert_eq!(spoken(name), told);
        }
    }
}
