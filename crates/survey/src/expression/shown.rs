//! Values formatted for readers.

use super::Unit;

/// Returns a value rounded to `decimals`, half away from zero. A value within a billionth of a half counts as a half.
pub(crate) fn rounded(value: f64, decimals: usize) -> f64 {
    let power = 10f64.powi(i32::try_from(decimals.min(12)).unwrap_or(12));
    let scaled = value.abs() * power;
    let whole = (scaled + 0.5 + 1e-9 * scaled.max(1.0)).floor() / power;
    // There is no negative zero.
    if value < 0.0 { 0.0 - whole } else { whole }
}

/// Returns a value on the scale that readers see: percentages for proportions.
pub(crate) fn scaled(value: f64, unit: Unit) -> f64 {
    match unit {
        Unit::Share | Unit::Points | Unit::Nps | Unit::Growth => value * 100.0,
        Unit::Mean | Unit::Difference | Unit::Count | Unit::Ratio => value,
    }
}

/// Formats a value for readers.
pub(crate) fn shown(value: f64, unit: Unit) -> String {
    let value = scaled(value, unit);
    match unit {
        Unit::Share => format!("{:.1} %", rounded(value, 1)),
        Unit::Points => format!("{:+.1} points", rounded(value, 1)),
        Unit::Mean => format!("{:.2}", rounded(value, 2)),
        Unit::Difference => format!("{:+.2}", rounded(value, 2)),
        Unit::Nps => format!("{:+.1}", rounded(value, 1)),
        Unit::Count if value.fract() == 0.0 => format!("{value:.0}"),
        Unit::Count => format!("{:.1}", rounded(value, 1)),
        Unit::Ratio => format!("{:.2} times", rounded(value, 2)),
        Unit::Growth => format!("{:+.1} %", rounded(value, 1)),
    }
}
