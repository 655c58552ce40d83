//! What an expression comes to: its value, its unit, and what it rests on.

use std::collections::{BTreeMap, BTreeSet};

use super::arithmetic::Expression;
use super::figures;
use super::payload::{Input, InputOrigin};
use super::units::Unit;

/// How a text ends that was computed from nothing that is cited.
const ALONE: &str = " (on assumptions alone)";

/// A figure that is known by its name.
#[derive(Debug, Clone)]
pub(super) struct Known {
    /// As expressions compute with it: 0.3 for 30 %.
    pub(super) value: f64,
    pub(super) unit: Unit,
    /// Whether anything that is cited bears on it.
    pub(super) cited: bool,
    /// What was assumed for it, as a reader is told.
    pub(super) assumed: BTreeSet<String>,
}

impl Known {
    /// Returns how a text ends that says this figure; empty where nothing was assumed.
    pub(super) fn label(&self) -> String {
        match self.assumed.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
            _ if !self.cited => ALONE.to_owned(),
            [] => String::new(),
            assumed => format!(" (assumed: {})", assumed.join(", ")),
        }
    }
}

/// The inputs and steps of an estimate, by their names.
#[derive(Debug, Default)]
pub(super) struct Reckoning(BTreeMap<String, Known>);

impl Reckoning {
    pub(super) fn knows(&self, name: &str) -> bool {
        self.0.contains_key(name)
    }

    /// Takes an input in; tells whether its name is free.
    pub(super) fn begin_with(&mut self, input: &Input) -> bool {
        let share = if figures::is_percent(&input.unit) { 100.0 } else { 1.0 };
        let cited = input.origin == InputOrigin::Cited;
        let assumed = (!cited).then(|| input.name.replace('_', " "));
        let known = Known {
            value: input.value / share,
            unit: Unit::of(&input.unit),
            cited,
            assumed: assumed.into_iter().collect(),
        };
        self.keep(&input.name, known)
    }

    /// Takes in what a step came to; tells whether its name is free.
    pub(super) fn keep(&mut self, name: &str, known: Known) -> bool {
        self.0.insert(name.to_owned(), known).is_none()
    }

    /// Computes an expression, or says why it cannot be computed.
    pub(super) fn computed(&self, expression: &Expression) -> Result<Known, String> {
        let value = expression
            .value(&|name| self.0.get(name).map(|known| known.value))
            .map_err(|error| error.to_string())?;
        let unit =
            Unit::derived(expression, &|name| self.0.get(name).map(|known| known.unit.clone()))?;
        let names = expression.names();
        let known: Vec<&Known> = names.into_iter().filter_map(|name| self.0.get(name)).collect();
        let assumed = known.iter().flat_map(|known| known.assumed.iter().cloned());
        Ok(Known {
            value,
            unit,
            cited: known.iter().any(|known| known.cited),
            assumed: assumed.collect(),
        })
    }
}

/// Returns what a computed text says at its end of the figures that were assumed for it; empty where none was.
pub(super) fn assumed(text: &str) -> &str {
    let from = text.rfind(" (assumed: ").or_else(|| text.rfind(ALONE));
    from.and_then(|from| text.get(from..)).filter(|label| label.ends_with(')')).unwrap_or_default()
}
