//! Addresses: the form in which a writer cites.
//!
//! `[3.4]` is statement 4 of passage 3, `[3.4-6]` is a run of statements, `[3]` is a whole passage, `[F2]` is a figure that the program
//! worded, and `[C7]` is a claim that already holds. Brackets of any width are read, and one pair may hold several addresses.
//!
//! ```
//! use grounding::address::{Address, cited};
//!
//! let text = "It rose [3.4-6, F2] on the interval [0, 1].";
//! let found = cited(text);
//! assert_eq!(found.len(), 1);
//! assert_eq!(found[0].addresses, [Address::Statements { passage: 3, first: 4, last: 6 }, Address::Figure(2)]);
//! assert_eq!(&text[found[0].span.clone()], "[3.4-6, F2]");
//! ```

use std::fmt;
use std::ops::Range;

use crate::marks::folded;

/// The address of something that may be cited.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Address {
    /// A run of statements of a passage, from the first to the last; all numbers count from 1.
    Statements { passage: u32, first: u32, last: u32 },
    /// A passage as a whole.
    Passage(u32),
    /// A figure that the program worded.
    Figure(u32),
    /// A claim that already holds.
    Claim(u32),
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Address::Statements { passage, first, last } if first == last => {
                write!(f, "[{passage}.{first}]")
            }
            Address::Statements { passage, first, last } => write!(f, "[{passage}.{first}-{last}]"),
            Address::Passage(passage) => write!(f, "[{passage}]"),
            Address::Figure(number) => write!(f, "[F{number}]"),
            Address::Claim(number) => write!(f, "[C{number}]"),
        }
    }
}

/// A pair of brackets with addresses in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cited {
    /// The byte range in the text, including both brackets.
    pub span: Range<usize>,
    /// The addresses; at least one.
    pub addresses: Vec<Address>,
}

/// The longest content of a pair of brackets, in characters.
const LONGEST: usize = 120;

/// Returns the citations of a text, in reading order.
///
/// Brackets around anything else are plain text: `[x]`, `[0, 1]`, `[a link](…)`. Takes linear time in the length of the text.
pub fn cited(text: &str) -> Vec<Cited> {
    let mut found = Vec::new();
    let mut open: Option<usize> = None;
    let mut length = 0;
    for (at, character) in text.char_indices() {
        length += 1;
        match folded(character) {
            '[' => {
                open = Some(at);
                length = 0;
            }
            ']' => {
                let Some(start) = open.take() else { continue };
                let span = start..at + character.len_utf8();
                let inside: String = text
                    .get(span.clone())
                    .unwrap_or_default()
                    .chars()
                    .map(folded)
                    .filter(|c| !matches!(c, '[' | ']'))
                    .collect();
                let is_link = text.get(span.end..).is_some_and(|after| after.starts_with('('));
                if let Some(addresses) = read(&inside).filter(|_| !is_link) {
                    found.push(Cited { span, addresses });
                }
            }
            _ if length > LONGEST => open = None,
            _ => {}
        }
    }
    found
}

/// Reads the content of a pair of brackets, every part of which must be an address.
fn read(inside: &str) -> Option<Vec<Address>> {
    let mut found = Vec::new();
    let parts = inside.split([',', ';', ' ', '\n', '\t', '\u{a0}']).filter(|part| !part.is_empty());
    let joined = join_dashes(parts);
    for part in &joined {
        address(part.trim_start_matches('^'), &mut found)?;
    }
    (!found.is_empty()).then_some(found)
}

/// Joins the parts around a dash that stands alone: `3.4 - 6`.
fn join_dashes<'a>(parts: impl Iterator<Item = &'a str>) -> Vec<String> {
    let mut joined: Vec<String> = Vec::new();
    for part in parts {
        match joined.last_mut() {
            Some(last) if part.starts_with('-') || last.ends_with('-') => last.push_str(part),
            _ => joined.push(part.to_owned()),
        }
    }
    joined
}

fn address(part: &str, found: &mut Vec<Address>) -> Option<()> {
    /// The most passages or claims that a range may cover.
    const WIDEST: u32 = 20;
    let (kind, numbers) = match part.chars().next()? {
        letter @ ('F' | 'C' | 'f' | 'c') => (letter.to_ascii_uppercase(), part.get(1..)?),
        _ => (' ', part),
    };
    let (from, to) = match numbers.split_once('-') {
        Some((from, to)) => (from, Some(to.trim_start_matches(['F', 'C', 'f', 'c']))),
        None => (numbers, None),
    };
    let within =
        |first: u32, last: u32| (first <= last && last - first < WIDEST).then_some(first..=last);
    match (kind, from.split_once('.')) {
        (' ', Some((passage, first))) => {
            let (passage, first) = (counted(passage)?, counted(first)?);
            let (other, last) = match to {
                None => (passage, first),
                Some(to) => match to.split_once('.') {
                    Some((other, last)) => (counted(other)?, counted(last)?),
                    None => (passage, counted(to)?),
                },
            };
            if other == passage {
                let (first, last) = (first.min(last), first.max(last));
                found.push(Address::Statements { passage, first, last });
            } else {
                // A range across passages stands for its two ends.
                found.push(Address::Statements { passage, first, last: first });
                found.push(Address::Statements { passage: other, first: last, last });
            }
        }
        (kind, None) => {
            let first = counted(from)?;
            let last = to.map_or(Some(first), counted)?;
            for number in within(first, last)? {
                found.push(match kind {
                    'F' => Address::Figure(number),
                    'C' => Address::Claim(number),
                    _ => Address::Passage(number),
                });
            }
        }
        _ => return None,
    }
    Some(())
}

/// Reads a number from 1 on. A number that overflows becomes `u32::MAX`, which addresses nothing.
fn counted(digits: &str) -> Option<u32> {
    let plain = digits.starts_with(|c: char| matches!(c, '1'..='9'))
        && digits.bytes().all(|byte| byte.is_ascii_digit());
    plain.then(|| digits.parse().unwrap_or(u32::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn statements(passage: u32, first: u32, last: u32) -> Address {
        Address::Statements { passage, first, last }
    }

    fn check(text: &str, expected: &[Address]) {
        let found: Vec<Address> = cited(text).into_iter().flat_map(|one| one.addresses).collect();
        assert_eq!(found, expected, "{text:?}");
    }

    // proves: C4
    #[test]
    fn an_address_is_read_however_it_is_written() {
        check("It rose [3.4].", &[statements(3, 4, 4)]);
        check("It rose [3.4-6][5.1]", &[statements(3, 4, 6), statements(5, 1, 1)]);
        check("【3.4–3.6】", &[statements(3, 4, 6)]);
        check("[3.4 - 6; F2, C7]", &[statements(3, 4, 6), Address::Figure(2), Address::Claim(7)]);
        check("[3.6-4]", &[statements(3, 4, 6)]);
        check("[3.4-4.2]", &[statements(3, 4, 4), statements(4, 2, 2)]);
        check("[3] and [1-2]", &[Address::Passage(3), Address::Passage(1), Address::Passage(2)]);
        check("[C1-C3]", &[Address::Claim(1), Address::Claim(2), Address::Claim(3)]);
        check("[^3.4]", &[statements(3, 4, 4)]);
        check("[99999999999.1]", &[statements(u32::MAX, 1, 1)]);
    }

    // proves: C4
    #[test]
    fn other_brackets_stay_text() {
        for text in [
            "[x]",
            "[0, 1]",
            "[3.0]",
            "[3.4](https://a.example)",
            "[1-90]",
            "[sic]",
            "[]",
            "[3.4.5]",
            "[3,4",
            "[a 3.4]",
        ] {
            check(text, &[]);
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn any_text_can_be_read(text in "(?s)(.|[\\[\\]0-9.,; FC^–-]){0,40}") {
            let mut last = 0;
            for one in cited(&text) {
                prop_assert!(one.span.start >= last && text.get(one.span.clone()).is_some());
                prop_assert!(!one.addresses.is_empty());
                last = one.span.end;
            }
        }

        // proves: C4
        #[test]
        fn what_is_written_reads_back(passage in 1u32..500, first in 1u32..90, more in 0u32..9) {
            for address in [statements(passage, first, first + more), Address::Passage(passage), Address::Figure(first), Address::Claim(first)] {
                let found = cited(&format!("x {address}."));
                prop_assert_eq!(found.len(), 1);
                prop_assert_eq!(&found[0].addresses, &vec![address]);
            }
        }
    }
}
