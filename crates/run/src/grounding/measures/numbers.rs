//! A number with all that belongs to it: bound, sign, currency, magnitude, range, unit, and what it counts.

use std::collections::HashSet;
use std::ops::Range;

use super::dates::{Date, is_year};
use super::{bounds, digits, number_words, token, units};
use crate::analysis::{Language, is_stop_word, is_unspaced, terms, words};
use crate::grounding::Fault;
use crate::grounding::fold::is_word;
use crate::grounding::lexicon::listed;

#[derive(Debug)]
pub(super) struct Number {
    /// Normalised: `>=3500000`, `10-15`, `-5`, `10:30`, `5#` for the fifth.
    pub(super) value: String,
    pub(super) unit: String,
    /// The stems of what is counted, for numbers without a unit: `large` and `gull` in "12 large gulls".
    counted: Vec<String>,
    role: Role,
}

/// What four plain digits stand for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Role {
    Year,
    Count,
    Either,
}

impl Number {
    pub(super) fn may_be_year(&self) -> bool {
        self.role != Role::Count
    }

    /// Tells whether this is the year of a date, under the same bound.
    pub(super) fn is_year_of(&self, date: &Date) -> bool {
        let year = date.year.as_ref().map(|year| format!("{}{year}", date.bound));
        self.may_be_year() && self.unit.is_empty() && year.as_ref() == Some(&self.value)
    }

    /// Says what keeps a number of a claim, `written` so, from being one of those `given` by its quote.
    ///
    /// `stems` are those of the quote and its section.
    pub(super) fn fault(
        &self,
        written: String,
        given: &[Number],
        stems: &HashSet<String>,
    ) -> Option<Fault> {
        let alike = |other: &&Number| other.value == self.value && self.may_be(other.role);
        let same: Vec<&Number> = given.iter().filter(alike).collect();
        let Some(first) = same.first() else {
            return Some(Fault::NumberAbsent { number: written });
        };
        let fitting: Vec<&Number> =
            same.iter().copied().filter(|other| other.unit == self.unit).collect();
        if fitting.is_empty() {
            let found =
                if first.unit.is_empty() { "no unit".to_owned() } else { first.unit.clone() };
            return Some(Fault::UnitDiffers { number: written, found });
        }
        let noun = self.counted.first().filter(|_| !self.may_be_year())?;
        // "15 gulls" is not said by "12 gulls and 15 terns", nor "15 puffins" by "15 gulls".
        let counts_noun = |other: &Number| other.counted.first() == Some(noun);
        let elsewhere = given.iter().any(|other| !other.may_be_year() && counts_noun(other));
        let swapped = elsewhere && !fitting.into_iter().any(counts_noun);
        let unknown = !self.counted.iter().any(|stem| stems.contains(stem));
        (swapped || unknown).then_some(Fault::NumberAbsent { number: written })
    }

    fn may_be(&self, role: Role) -> bool {
        self.role == role || self.role == Role::Either || role == Role::Either
    }
}

/// Reads the number at `at`, and looks back as far as `floor` for what belongs to it; returns where the whole stands.
pub(super) fn read(text: &str, at: usize, floor: usize) -> Option<(Number, Range<usize>)> {
    let (mut value, mut end) =
        value(text.get(at..)?).map(|(value, length)| (value, at + length))?;

    let left = text.get(floor..at)?;
    let (left, money) = units::without_currency(left);
    if money.is_some()
        && let Some((places, length)) = abbreviated(text.get(end..)?)
    {
        value = digits::shift(&value, places);
        end += length;
    }
    let (left, sign) = bounds::sign(left);
    let (length, unit) = units::read(text.get(end..)?).unwrap_or_default();
    let mut unit = match money {
        Some(money) if unit.is_empty() => money.to_owned(),
        Some(money) => format!("{money} {unit}"),
        None => unit,
    };
    end += length;

    let between = left.trim_end().to_lowercase().ends_with("between");
    while let Some((joint, length)) = joint(text.get(end..)?, between) {
        let written = text.get(end + length..)?;
        let Some((other, length_of_other)) = self::value(written) else { break };
        let (length_of_unit, other_unit) =
            units::read(written.get(length_of_other..)?).unwrap_or_default();
        if !unit.is_empty() && !other_unit.is_empty() && unit != other_unit {
            value.push_str(&unit);
        }
        if unit.is_empty() || !other_unit.is_empty() {
            unit = other_unit;
        }
        let first = with_magnitude_of(&value, written.get(..length_of_other)?);
        value = format!("{first}{joint}{other}");
        end += length + length_of_other + length_of_unit;
    }

    let rest = text.get(end..)?;
    if rest.starts_with(is_word) && !rest.starts_with(is_unspaced) {
        return None;
    }
    let (length, behind) = bounds::behind(rest).unwrap_or_default();
    end += length;
    let (start, before) = bounds::before(text.get(..floor + left.len())?, floor);
    let counted =
        if unit.is_empty() || unit == "%" { counted(text.get(end..)?) } else { Vec::new() };
    let role = if text.get(at..end) == Some(value.as_str()) && is_year(&value) {
        role(text.get(..at)?, text.get(end..)?)
    } else {
        Role::Count
    };
    let value = format!("{behind}{before}{sign}{value}");
    Some((Number { value, unit, counted, role }, start..end))
}

/// Reads digits or number words with their magnitude; returns the normalised value and its length.
fn value(rest: &str) -> Option<(String, usize)> {
    if rest.starts_with(|c: char| c.is_ascii_digit()) {
        digits::read(rest)
    } else {
        number_words::read(rest)
    }
}

/// Reads the letter of "$5m": the places it shifts by, and its length.
fn abbreviated(rest: &str) -> Option<(i32, usize)> {
    let places = match rest.chars().next()? {
        'k' | 'K' => 3,
        'm' | 'M' => 6,
        'b' | 'B' => 9,
        _ => return None,
    };
    (!rest.get(1..)?.starts_with(is_word)).then_some((places, 1))
}

/// Reads what joins a number to the next: how it is compared, and its length with a currency sign behind it.
///
/// "and" joins only behind a "between".
fn joint(rest: &str, between: bool) -> Option<(&'static str, usize)> {
    const TIGHT: [&str; 6] = ["-", "/", ":", "×", "^", "·"];
    const LOOSE: [(&str, &str); 5] =
        [(" - ", "-"), (" to ", "-"), (" and ", "-"), (" of ", "of"), (" out of ", "of")];
    let signs = |after: &str| after.len() - after.trim_start_matches(['$', '€', '£']).len();
    let digit = |after: &&str| {
        after.get(signs(after)..).is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
    };
    let number = |after: &&str| {
        let word = token(after.get(signs(after)..).unwrap_or_default()).to_lowercase();
        digit(after) || number_words::value(&word).is_some_and(|value| !value.ends_with(['#', 'x']))
    };
    let tight = TIGHT.iter().find_map(|sign| {
        let after = rest.strip_prefix(sign).filter(digit)?;
        Some((*sign, after))
    });
    let loose = || {
        LOOSE.iter().filter(|(words, _)| between || *words != " and ").find_map(|(words, joint)| {
            let after = rest.strip_prefix(words).filter(number)?;
            Some((*joint, after))
        })
    };
    let (joint, after) = tight.or_else(loose)?;
    Some((joint, rest.len() - after.len() + signs(after)))
}

/// Gives the first end of a range the magnitude that its second end was `written` with: "3–5 million".
fn with_magnitude_of(first: &str, written: &str) -> String {
    let last = written.rsplit([' ', '-']).next().unwrap_or_default();
    match number_words::magnitude(&last.to_lowercase()) {
        Some(places) if first.len() <= 5 && !first.contains(['-', ':', '/']) => {
            digits::shift(first, places)
        }
        _ => first.to_owned(),
    }
}

/// Returns the stems of the words of content close behind a number.
fn counted(rest: &str) -> Vec<String> {
    let reach = rest.char_indices().nth(80).map_or(rest.len(), |(end, _)| end);
    let close = rest.get(..reach).unwrap_or_default();
    let clause = close.split(['.', ',', ';', ':', '(', ')', '?', '!']).next().unwrap_or_default();
    let near = words(clause).map(|(_, word)| word).take(3);
    let content = near.filter(|word| {
        !is_stop_word(word, Language::English) && !word.contains(|c: char| c.is_numeric())
    });
    content.flat_map(|word| terms(word, Language::English)).collect()
}

/// Tells a year from a count by the word before and the word behind.
fn role(left: &str, right: &str) -> Role {
    const PLACED: &[&str] = &[
        "in since until till by during from after before between through and to",
        "circa c around early late mid of year",
    ];
    let last = left.trim_end().rsplit([' ', '-', '(']).next().unwrap_or_default().to_lowercase();
    let next = right.strip_prefix(' ').map_or("", token);
    let follows = next.starts_with(char::is_lowercase) && !is_stop_word(next, Language::English);
    match (listed(PLACED, &last), follows) {
        (true, false) => Role::Year,
        (false, true) => Role::Count,
        _ => Role::Either,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, value: &str, unit: &str) {
        let at = text.find(|c: char| c.is_ascii_digit()).unwrap();
        let (number, _) = read(text, at, 0).unwrap();
        assert_eq!((number.value.as_str(), number.unit.as_str()), (value, unit), "{text:?}");
    }

    #[test]
    fn a_number_is_read_with_all_that_belongs_to_it() {
        check("more than 10-15 kg", ">10-15", "kg");
        check("between 10 and 15 %", "10-15", "%");
        check("$5m per day", "5000000", "dollar /day");
        check("3 to 5 million years", "3000000-5000000", "year");
        check("at -5 °C or less", "<=-5", "°C");
        check("12 of 15 samples", "12of15", "");
    }

    #[test]
    fn the_words_around_four_digits_tell_a_year_from_a_count() {
        let role = |text: &str| read(text, text.find('1').unwrap(), 0).unwrap().0.role;
        assert_eq!(role("in 1958 pairs"), Role::Either);
        assert_eq!(role("in 1958"), Role::Year);
        assert_eq!(role("counted 1958 pairs"), Role::Count);
        assert_eq!(role("counted 1,958 in May"), Role::Count);
    }
}
