//! Numbers, dates, times of day and units: what a text says about how much, how many and when.
//!
//! Everything here reads folded text ([`crate::fold`]). A quantity may have several readings: "1.310" is a thousand or one, "a third" is
//! a share or a rank. Two quantities agree if any reading of one agrees with any reading of the other, so that only definite conflicts
//! are refused. Number words are read in eight languages, and in Chinese and Japanese numerals. Numbers in the words of other languages
//! are not read and decide nothing.

mod compare;
mod dates;
mod digits;
mod units;
mod words;

use std::ops::Range;

use crate::fold::is_word;

pub(crate) use compare::{Borne, Known, is_rounding};
pub(crate) use units::{Unit, mentioned as mentioned_units, named as named_units};
pub(crate) use words::{Bound, bound};

/// A quantity in a folded text.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Quantity {
    /// The byte range in the folded text.
    pub(crate) at: Range<usize>,
    /// The possible readings; at least one.
    pub(crate) readings: Vec<Reading>,
    /// Whether the text itself says that it is inexact: "about 40".
    pub(crate) is_rounded: bool,
    /// Whether a source must support it: "one" and "first" are rarely meant as numbers.
    pub(crate) is_told: bool,
}

impl Quantity {
    /// Returns the units that it may have, except those it takes from the next number.
    pub(crate) fn unit_names(&self) -> impl Iterator<Item = &str> {
        self.readings.iter().filter_map(|reading| match reading {
            Reading::Number(number) => {
                let unit = number.unit.as_ref().filter(|unit| !unit.is_shared);
                unit.map(|unit| unit.name.as_str())
            }
            Reading::Date(_) | Reading::Clock { .. } => None,
        })
    }
}

/// One way to read a quantity.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Reading {
    Number(Number),
    Date(Date),
    /// A time of day, in minutes from midnight; `is_half` if it may be in either half of the day.
    Clock {
        minutes: u32,
        is_half: bool,
    },
}

impl Reading {
    /// Returns whether it is a bare number: a count of things, or one whose unit is unknown.
    pub(crate) fn is_plain(&self) -> bool {
        matches!(self, Reading::Number(number) if number.unit.is_none() && !number.is_share)
    }
}

/// A number with its unit.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Number {
    /// The value as written, including its magnitude: 1.2 million is 1,200,000.
    pub(crate) value: f64,
    /// The value of its last digit: 0.1 for "2.5", 1 for "1,200", 100,000 for "1.2 million".
    pub(crate) step: f64,
    /// The unit, or `None` if it has no known unit.
    pub(crate) unit: Option<Unit>,
    /// Whether it is a share in words: "a quarter", "one in five".
    pub(crate) is_share: bool,
    /// Whether it has a plus sign: "+12 mV" is not −12 mV, while "12 mV" may be.
    pub(crate) has_plus: bool,
}

/// A date, as far as it is given.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Date {
    pub(crate) year: Option<i32>,
    /// 1 to 12.
    pub(crate) month: Option<u32>,
    /// 1 to 31.
    pub(crate) day: Option<u32>,
}

/// The kind of an amount.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Of {
    Date,
    TimeOfDay,
    Money,
    Duration,
    /// A percentage, percentage points, or a multiple.
    Share,
    /// Bytes and bits.
    Data,
    /// Anything else with a unit: a length, a mass, a temperature.
    Measure,
    /// An amount without a known unit.
    Count,
}

/// Returns the kinds of the amounts in a text, in order; one with several readings counts by its first.
pub fn find_amounts(text: &str) -> Vec<Of> {
    let folded = crate::check::fold_text(text);
    let of = |quantity: &Quantity| match quantity.readings.first() {
        Some(Reading::Date(_)) => Of::Date,
        Some(Reading::Clock { .. }) => Of::TimeOfDay,
        Some(Reading::Number(number)) => match &number.unit {
            Some(unit) => units::of(unit),
            None if number.is_share => Of::Share,
            None => Of::Count,
        },
        None => Of::Count,
    };
    scan(&folded).iter().filter(|quantity| quantity.is_told).map(of).collect()
}

impl Number {
    fn plain(value: f64, step: f64) -> Number {
        Number { value, step, unit: None, is_share: false, has_plus: false }
    }
}

/// Reads every quantity in a folded text, in order and without overlaps.
pub(crate) fn scan(text: &str) -> Vec<Quantity> {
    let mut found = Vec::new();
    let spelled = words::spelled(text);
    let mut spelled = spelled.into_iter().peekable();
    let mut at = 0;
    while let Some(character) = text.get(at..).and_then(|rest| rest.chars().next()) {
        while spelled.next_if(|number| number.at.start < at).is_some() {}
        let before = text.get(..at).and_then(|left| left.chars().next_back());
        let begins = !before.is_some_and(|c| is_word(c) && !text::is_unspaced(c))
            && !is_in_name(text, at)
            || words::is_numeral(character)
            || is_financial_year(text, at);
        let read = if !begins {
            None
        } else if let Some(date) = dates::read(text, at) {
            Some(date)
        } else if character.is_ascii_digit() || digits::fraction(character).is_some() {
            match digits::read(text, at) {
                digits::Read::Number(number) => Some(number),
                // A name: `4.3.1`, `3C`, `2nd-level`.
                digits::Read::Name(end) => {
                    at = end;
                    continue;
                }
            }
        } else if let Some(number) = spelled.next_if(|number| number.at.start == at) {
            Some(number)
        } else {
            words::numerals(text, at)
        };
        match read {
            Some(quantity) => {
                at = quantity.at.end.max(at + character.len_utf8());
                found.push(quantity);
            }
            None => at += character.len_utf8(),
        }
    }
    share_units(text, &mut found);
    found
}

/// Returns whether a financial year begins at `at`: the 2022 of `FY2022/23`.
fn is_financial_year(text: &str, at: usize) -> bool {
    let before = text.get(..at).and_then(|left| left.strip_suffix("FY"));
    before.is_some_and(|before| !before.ends_with(is_word))
        && text.get(at..).is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
}

/// Returns whether the digits at `at` continue a name: the 3 of `K-3` and of `v1.3`.
fn is_in_name(text: &str, at: usize) -> bool {
    let left = text.get(..at).unwrap_or_default();
    if left.strip_suffix('.').is_some_and(|before| before.ends_with(char::is_alphanumeric)) {
        return text.get(at..).is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
    }
    let Some(before) = left.strip_suffix('-') else { return false };
    let word = before.rsplit(|c: char| !is_word(c)).next().unwrap_or_default();
    word.contains(char::is_uppercase)
}

/// Reads a table row: a number without a unit takes that of its column's head, or of the row's first cell.
pub(crate) fn scan_row(row: &str, head: &str) -> Vec<Quantity> {
    let mut found = scan(row);
    let heads = cells(head);
    let columns = cells(row);
    let label = columns.first().and_then(|cell| row.get(cell.clone())).and_then(units::in_brackets);
    for quantity in &mut found {
        let column = columns.iter().position(|cell| cell.contains(&quantity.at.start));
        let Some(column) = column else { continue };
        let own = heads.get(column).and_then(|cell| head.get(cell.clone()));
        let Some(unit) = own.and_then(units::in_head).or_else(|| label.clone()) else { continue };
        for reading in &mut quantity.readings {
            if let Reading::Number(number) = reading {
                number.unit.get_or_insert_with(|| unit.clone());
            }
        }
    }
    found
}

/// Returns the byte ranges of a table row's cells, without surrounding white space.
pub(crate) fn cells(row: &str) -> Vec<Range<usize>> {
    let inner = row.trim();
    let start = row.len() - row.trim_start().len();
    let (start, inner) = inner.strip_prefix('|').map_or((start, inner), |rest| (start + 1, rest));
    let inner = inner.strip_suffix('|').filter(|rest| !rest.ends_with('\\')).unwrap_or(inner);
    let mut found = Vec::new();
    let mut from = 0;
    let is_border = |at: usize| !inner.get(..at).unwrap_or_default().ends_with('\\');
    let borders = inner.match_indices('|').map(|(at, _)| at).filter(|at| is_border(*at));
    for to in borders.chain([inner.len()]) {
        let cell = inner.get(from..to).unwrap_or_default();
        let lead = cell.len() - cell.trim_start().len();
        found.push(start + from + lead..start + from + lead + cell.trim().len());
        from = to + 1;
    }
    found
}

/// Gives the first of two numbers the unit of the second if only a joint separates them: "10 to 15 kg".
fn share_units(text: &str, found: &mut [Quantity]) {
    /// The length of " and ", " bis " or " – ", in bytes.
    const LONGEST_JOINT: usize = 5;
    for index in (1..found.len()).rev() {
        let (before, after) = found.split_at_mut(index);
        let (Some(first), Some(second)) = (before.last_mut(), after.first()) else { continue };
        let gap = text.get(first.at.end..second.at.start).unwrap_or_default();
        if gap.is_empty() || gap.len() > LONGEST_JOINT || gap.contains(['|', '.', ';', '(', ')']) {
            continue;
        }
        let unit = second.readings.iter().find_map(|reading| match reading {
            // "A third quarter" is not a third of anything.
            Reading::Number(number) if !number.is_share => number.unit.clone(),
            _ => None,
        });
        let Some(unit) = unit else { continue };
        for reading in &mut first.readings {
            if let Reading::Number(number) = reading
                && number.unit.is_none()
            {
                number.unit = Some(Unit { is_shared: true, ..unit.clone() });
            }
        }
    }
}

/// Returns the first word of a text.
fn first_word(rest: &str) -> &str {
    rest.get(..rest.find(|c: char| !is_word(c)).unwrap_or(rest.len())).unwrap_or_default()
}

#[cfg(test)]
mod tests;
