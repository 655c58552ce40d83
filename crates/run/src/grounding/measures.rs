//! Numbers, dates, percentages and units: what is read from a text, and what of a claim its quote does not say.
//!
//! [`scan`] reads the measures of a text, and [`faults`] holds those of a claim against those of its quote. A measure is read
//! whole, with its sign, bound ("more than"), range, magnitude and unit, and agrees only with a measure that says the same. So
//! the 15 of "10–15 %" is no 15, and 5 mg is not 5 g.

mod bounds;
mod dates;
mod digits;
mod number_words;
mod numbers;
mod units;

use std::collections::HashSet;
use std::ops::Range;

use self::dates::Date;
use self::numbers::Number;
use super::Fault;
use super::fold::is_word;
use super::quote::is_han_numeral;
use crate::analysis::{Language, terms};

/// A measure and where it stands in the folded text.
#[derive(Debug)]
pub(super) struct Measure {
    pub(super) at: Range<usize>,
    what: What,
}

#[derive(Debug)]
enum What {
    Number(Number),
    Date(Date),
    /// A word or sign that must occur as it is: `half`, `²`, `三百`.
    Literal(String),
}

impl Measure {
    /// What it measures, and what it says: `kg` and `5 kg`. Years and dates are `time`.
    pub(super) fn sort_and_value(&self) -> (String, String) {
        match &self.what {
            What::Number(number) if number.may_be_year() => {
                ("time".to_owned(), number.value.clone())
            }
            What::Number(number) => {
                (format!("number {}", number.unit), format!("{} {}", number.value, number.unit))
            }
            What::Date(date) => {
                ("time".to_owned(), format!("{:?} {} {:?}", date.year, date.month, date.day))
            }
            What::Literal(word) => ("literal".to_owned(), word.clone()),
        }
    }
}

/// Returns a fault for every measure of `claim` that `quote` does not say. Both are folded.
///
/// What is counted may also be named by the `section`.
pub(super) fn faults(claim: &str, quote: &str, section: &str) -> Vec<Fault> {
    let (mut numbers, mut dates, mut literals) = (Vec::new(), Vec::new(), Vec::new());
    for measure in scan(quote) {
        match measure.what {
            What::Number(number) => numbers.push(number),
            What::Date(date) => dates.push(date),
            What::Literal(word) => literals.push(word),
        }
    }
    let stems: HashSet<String> =
        [quote, section].iter().flat_map(|text| terms(text, Language::English)).collect();
    let fault = |measure: Measure| {
        let written = claim.get(measure.at).unwrap_or_default().trim().to_owned();
        match measure.what {
            What::Number(number) if dates.iter().any(|date| number.is_year_of(date)) => None,
            What::Number(number) => number.fault(written, &numbers, &stems),
            What::Date(date) if dates.iter().any(|given| given.says(&date)) => None,
            What::Literal(word) if literals.contains(&word) => None,
            What::Date(_) | What::Literal(_) => Some(Fault::NumberAbsent { number: written }),
        }
    };
    scan(claim).into_iter().filter_map(fault).collect()
}

/// Reads every measure of a folded text, in order.
pub(super) fn scan(text: &str) -> Vec<Measure> {
    let mut found: Vec<Measure> = Vec::new();
    let mut at = 0;
    while let Some(character) = text.get(at..).and_then(|rest| rest.chars().next()) {
        if !is_word(character) {
            at += character.len_utf8();
            continue;
        }
        let floor = found.last().map_or(0, |measure| measure.at.end);
        match read(text, at, floor) {
            Some(measure) => {
                at = measure.at.end.max(at + character.len_utf8());
                found.push(measure);
            }
            None => at += token(text.get(at..).unwrap_or_default()).len(),
        }
    }
    found
}

/// Reads the measure at `at`, and looks back as far as `floor` for what belongs to it.
fn read(text: &str, at: usize, floor: usize) -> Option<Measure> {
    if let Some((date, end)) = dates::read(text, at, floor) {
        return Some(Measure { at: at..end, what: What::Date(date) });
    }
    if let Some((number, at)) = numbers::read(text, at, floor) {
        return Some(Measure { at, what: What::Number(number) });
    }
    let (word, length) = literal(text.get(at..)?)?;
    Some(Measure { at: at..at + length, what: What::Literal(word) })
}

/// Reads `half`, `per week`, and numerals other than `0` to `9`: how they are compared, and how long they are.
fn literal(rest: &str) -> Option<(String, usize)> {
    if rest.starts_with(|c: char| c.is_ascii_digit()) {
        return None;
    }
    let is_numeral = |c: char| !c.is_ascii() && (c.is_numeric() || is_han_numeral(c));
    let length = rest.find(|c: char| !is_numeral(c)).unwrap_or(rest.len());
    if length > 0 {
        return Some((rest.get(..length)?.to_owned(), length));
    }
    let word = token(rest);
    let lower = word.to_lowercase();
    if lower == "per" {
        let below = token(rest.get(word.len()..)?.trim_start_matches(' ')).to_lowercase();
        return Some((format!("per {below}"), word.len()));
    }
    number_words::literal(&lower).map(|name| (name, word.len()))
}

/// Returns the letters and digits that a text begins with; a name with a number behind a hyphen (`COVID-19`) is one.
fn token(rest: &str) -> &str {
    let end = rest.find(|c: char| !is_word(c)).unwrap_or(rest.len());
    let word = rest.get(..end).unwrap_or_default();
    let hyphened = rest
        .get(end..)
        .and_then(|after| after.strip_prefix('-'))
        .filter(|after| after.starts_with(|c: char| c.is_ascii_digit()));
    match hyphened {
        Some(after) if word.contains(char::is_uppercase) => {
            let more = after.find(|c: char| !is_word(c)).unwrap_or(after.len());
            rest.get(..end + 1 + more).unwrap_or_default()
        }
        _ => word,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn check(claim: &str, quote: &str, agrees: bool) {
        let faults = faults(claim, quote, "");
        assert_eq!(
            faults.is_empty(),
            agrees,
            "{claim:?} by {quote:?}: {faults:?} {:?}",
            scan(claim)
        );
    }

    // proves: C4, C13
    #[test]
    fn the_same_measure_agrees_however_it_is_written() {
        for (claim, quote) in [
            ("40.0 of them", "40 of them"),
            ("40 per cent of birds", "40% of birds"),
            ("1,000 nests", "1000 nests"),
            ("3.5 million nests", "3,500,000 nests"),
            ("twenty-one eggs", "21 eggs"),
            ("two hundred and fifty", "250"),
            ("two dozen", "24"),
            ("in the 21st century", "in the twenty-first century"),
            ("on 12 March 2011", "on March 12th, 2011"),
            ("on 2011-03-12", "on 12 March 2011 at noon"),
            ("in 2011", "on 12 March 2011"),
            ("in March 2011", "on 12 Mar. 2011"),
            ("10 to 15%", "10-15 %"),
            ("between 10 and 15 kg", "10-15 kilograms"),
            ("$5m was paid", "$5 million was paid"),
            ("5 km/h", "5 kilometres per hour"),
            ("3 × 10⁵ cells", "300,000 cells"),
            ("more than 500 birds", "over 500 birds"),
            ("5-year plan", "plan of 5 years"),
            ("-5 °C", "-5 degrees Celsius"),
            ("one bird", "a bird"),
            ("two thousand five hundred and one", "2,501"),
            ("one hundred and five", "105"),
            ("minus 5 °C", "-5 °C"),
            ("5 or more", "at least 5"),
            ("340M parameters", "340 million parameters"),
            ("£40 per day", "£40 a day"),
            ("three to five thousand", "3,000-5,000"),
        ] {
            check(claim, quote, true);
        }
    }

    // proves: C4, C13
    #[test]
    fn another_measure_does_not() {
        for (claim, quote) in [
            ("15 %", "10-15 %"),
            ("5 mg", "5 g"),
            ("5 mg", "5"),
            ("5 gulls", "5 kg"),
            ("40", "40%"),
            ("102 cells", "10² cells"),
            ("1 gull", "1 000 gulls"),
            ("5 million", "5 billion"),
            ("5", "-5"),
            ("5 gulls", "the 5th gull"),
            ("500 birds", "more than 500 birds"),
            ("p < 0.05", "p > 0.05"),
            ("12 April 2011", "12 March 2011"),
            ("5 March 2011", "12 March and 5 April 2011"),
            ("12 gulls", "12 March"),
            ("12 avril 2011", "12 mars 2011"),
            ("in 2012", "in 2011"),
            ("1990", "the 1990s"),
            ("half of them", "all of them"),
            ("twice as many", "as many"),
            ("15 gulls", "12 gulls and 15 terns"),
            ("1½ hours", "1 hours"),
            ("٣ birds", "3 birds"),
            ("三百只海鸥", "两百只海鸥"),
            ("$5", "€5"),
            ("5 mg per day", "5 mg per week"),
            ("1 gull", "1.000 gulls"),
            ("10:30", "10:45"),
            ("threefold", "fourfold"),
            ("5 gulls", "one hundred and five gulls"),
            ("2,000", "two thousand five hundred"),
            ("minus 5 °C", "5 °C"),
            ("5", "5 or more"),
            ("version 3.1", "version 3.10"),
            ("10 am", "10 p.m."),
            ("until 1958", "in 1958"),
            ("after 12 March 2011", "on 12 March 2011"),
            ("1958 pairs in 1240", "1,240 pairs in 1958"),
            ("15 puffins", "15 gulls"),
            ("15 deaths per day", "15 deaths"),
            ("15 of 12 samples", "12 of 15 samples"),
            ("£40 a week", "£40 a day"),
            ("the first gull", "the gull"),
            ("zwei Möwen", "drei Möwen"),
        ] {
            check(claim, quote, false);
        }
    }

    proptest! {
        #[test]
        fn any_text_can_be_scanned(text in "(?s)(.|[0-9a-z., %$-]|two|hundred|million|March|to| ){0,30}") {
            let mut last = 0;
            for measure in scan(&text) {
                prop_assert!(measure.at.start >= last && text.get(measure.at.clone()).is_some_and(|slice| !slice.is_empty()));
                last = measure.at.end;
            }
        }

        #[test]
        fn a_number_agrees_with_itself_and_no_other(a in 0u32..5_000_000, b in 0u32..5_000_000) {
            let (claim, same, other) = (format!("{a} nests"), format!("{a} nests"), format!("{b} nests"));
            prop_assert!(faults(&claim, &same, "").is_empty());
            prop_assert_eq!(faults(&claim, &other, "").is_empty(), a == b);
        }
    }
}
