//! Whether a number of a sentence is a number of its figures.
//!
//! - Digits are right where the figure, rounded half away from zero to the decimals shown, is what they say: 61.9 % is 62 % and 61.9 %, and neither
//!   61 % nor 60 %.
//! - A half, two thirds, one in four, nine in ten: the figure lies within 2 points.
//! - *About, around, roughly, some, close to*: within 2 points, 4 of a fraction. *Nearly, almost, just under*: below by as much at most. *Just over*: above by as
//!   much at most. *More than, over, above, at least*: above, by 10 points at most. *Less than, under, below, at most*: below, by 10 points at most. Of numbers
//!   that are no percentages, 3 in a hundred stand for the 2 points and 10 in a hundred for the 10.
//! - A sign that is written must be the figure's. A difference may be told without one, its direction in words.
//! - The unit is the figure's: % for shares, points for differences of shares, plain numbers for means and bases.

use super::numbers::{Bound, Said, Told};
use crate::expression::Unit;
use crate::expression::shown::{rounded, scaled};

/// Tells whether a number is told in a unit that a value can have.
pub(super) fn same_unit(said: &Said, unit: Unit) -> bool {
    match said.unit {
        Told::Percent => matches!(unit, Unit::Share | Unit::Growth),
        Told::Points => matches!(unit, Unit::Points | Unit::Nps | Unit::Difference | Unit::Mean),
        Told::Plain => matches!(unit, Unit::Mean | Unit::Difference | Unit::Nps | Unit::Count),
        Told::Times => matches!(unit, Unit::Ratio),
    }
}

/// Tells whether a number tells this value.
pub(super) fn tells(said: &Said, value: f64, unit: Unit) -> bool {
    let mut value = scaled(value, unit);
    let changes = matches!(unit, Unit::Points | Unit::Difference | Unit::Growth);
    if changes && said.sign.is_none() {
        value = value.abs();
    }
    let wanted = said.value * said.sign.unwrap_or(1.0);
    within(&Said { value: wanted, ..said.clone() }, value)
}

/// Tells whether a value, in the scale of the number, is told by it.
pub(super) fn within(said: &Said, value: f64) -> bool {
    const TINY: f64 = 1e-9;
    if said.unit == Told::Times && said.fraction {
        let (near, far) = (said.value * 0.05, said.value * 0.5);
        return match said.bound {
            Bound::Exactly => (value - said.value).abs() <= near + TINY,
            Bound::About => (value - said.value).abs() <= 2.0 * near + TINY,
            Bound::Nearly | Bound::Under | Bound::AtMost => {
                value < said.value && value >= said.value - 2.0 * near - TINY
            }
            Bound::JustOver | Bound::Over | Bound::AtLeast => {
                value > said.value && value <= said.value + far
            }
        };
    }
    match said.bound.range(said) {
        None => (rounded(value, said.decimals) - said.value).abs() < TINY,
        Some((least, most, least_itself, most_itself)) => {
            let above = if least_itself { value >= least - TINY } else { value > least + TINY };
            let below = if most_itself { value <= most + TINY } else { value < most - TINY };
            above && below
        }
    }
}
