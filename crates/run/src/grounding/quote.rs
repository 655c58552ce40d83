//! Where a quote stands in a passage, and whether it was cut between words.

use std::cell::OnceCell;
use std::collections::HashSet;
use std::ops::Range;

use super::Fault;
use super::fold::{Folded, LineEnd, fold, is_word};
use super::measures;
use crate::analysis::{is_unspaced, sentences, words};

/// A quote that was found: where it stands in the passage, and the same in the folded text, which the other checks read.
pub(super) struct Found {
    pub(super) span: Range<usize>,
    pub(super) folded: Folded,
    pub(super) at: Range<usize>,
}

impl Found {
    /// The passage's own words at the quote, folded.
    pub(super) fn text(&self) -> &str {
        self.folded.text.get(self.at.clone()).unwrap_or_default()
    }
}

/// Finds the first occurrence of `quote` that splits no word or number.
///
/// The exact bytes count first, then what differs only in white space, hyphenation, quotation marks, dashes, compatibility
/// letters and Markdown's marks. Never different: case, digits, superscripts.
pub(super) fn find(passage: &str, quote: &str) -> Result<Found, Fault> {
    let mut fault = Fault::QuoteAbsent;
    for line_end in [LineEnd::Joined, LineEnd::Kept] {
        let folded = fold(passage, line_end);
        match stands(passage, &folded, quote, line_end) {
            Ok((span, at)) => return Ok(Found { span, folded, at }),
            Err(Fault::QuoteAbsent) => {}
            Err(other) if fault == Fault::QuoteAbsent => fault = other,
            Err(_) => {}
        }
    }
    Err(fault)
}

/// So many occurrences are looked at before a quote is given up; one that occurs more often shows nothing.
const MAX_TRIES: usize = 500;

type Place = (Range<usize>, Range<usize>);

fn stands(passage: &str, folded: &Folded, quote: &str, line_end: LineEnd) -> Result<Place, Fault> {
    let mut fault = Fault::QuoteAbsent;
    let whole: OnceCell<HashSet<Range<usize>>> = OnceCell::new();
    let is_sentence = |span: &Range<usize>| {
        let fill = || sentences(passage).iter().map(|sentence| bare(passage, sentence)).collect();
        whole.get_or_init(fill).contains(&bare(passage, span))
    };
    for wording in wordings(quote) {
        let exact = passage.match_indices(wording).filter_map(|(start, _)| {
            let span = start..start + wording.len();
            folded.image(&span).map(|at| (span, at))
        });
        let needle = fold(wording, line_end).text;
        let needle = needle.trim();
        let alike =
            folded.occurrences(needle).filter_map(|at| folded.origin(&at).map(|span| (span, at)));
        for (span, at) in exact.chain(alike).take(MAX_TRIES) {
            match split(&folded.text, &at) {
                None if is_long(folded.text.get(at.clone()).unwrap_or_default())
                    || is_sentence(&span) =>
                {
                    return Ok((span, at));
                }
                None if fault == Fault::QuoteAbsent => fault = Fault::QuoteTooShort,
                Some(other) if fault == Fault::QuoteAbsent => fault = other,
                _ => {}
            }
        }
    }
    Err(fault)
}

/// Returns the quote as given, without the quotation marks around it, and each without its full stop.
fn wordings(quote: &str) -> Vec<&str> {
    const PAIRS: [(char, char); 8] = [
        ('"', '"'),
        ('“', '”'),
        ('„', '“'),
        ('«', '»'),
        ('\'', '\''),
        ('‘', '’'),
        ('「', '」'),
        ('”', '”'),
    ];
    let invisible = |c: char| c.is_whitespace() || super::fold::is_ignorable(c);
    let quote = quote.trim_matches(invisible);
    let inner =
        PAIRS.iter().find_map(|(open, close)| quote.strip_prefix(*open)?.strip_suffix(*close));
    let mut found = vec![quote];
    found.extend(inner.map(|inner| inner.trim_matches(invisible)));
    for wording in found.clone() {
        let stopless = wording.strip_suffix('.').filter(|rest| !rest.ends_with(['.', '…']));
        found.extend(stopless.map(str::trim_end));
    }
    found.retain(|wording| wording.chars().any(char::is_alphanumeric));
    found
}

/// Tells whether a quote has three words, or six characters of a script without spaces.
fn is_long(quoted: &str) -> bool {
    words(quoted).filter(|(_, word)| !word.chars().all(is_unspaced)).nth(2).is_some()
        || quoted.chars().filter(|c| is_unspaced(*c)).nth(5).is_some()
}

/// Returns a stretch without the marks around its words.
fn bare(passage: &str, range: &Range<usize>) -> Range<usize> {
    let text = passage.get(range.clone()).unwrap_or_default();
    let trimmed = text.trim_start_matches(|c: char| !is_word(c));
    let start = range.end - trimmed.len();
    start..start + trimmed.trim_end_matches(|c: char| !is_word(c)).len()
}

/// Says what an edge of the quote cuts through, if anything.
fn split(text: &str, at: &Range<usize>) -> Option<Fault> {
    for edge in [at.start, at.end] {
        let (offset, near) = around(text, edge);
        if measures::scan(near)
            .iter()
            .any(|measure| measure.at.start + offset < edge && edge < measure.at.end + offset)
        {
            return Some(Fault::QuoteSplitsNumber);
        }
    }
    [at.start, at.end].into_iter().find_map(|edge| split_at(text, edge))
}

/// Returns the neighbourhood of a place, from one white space to another, and where it begins.
fn around(text: &str, edge: usize) -> (usize, &str) {
    const REACH: usize = 160;
    let mut start = edge.saturating_sub(REACH);
    if start > 0 {
        while !text.is_char_boundary(start) {
            start += 1;
        }
        start += text.get(start..edge).and_then(|left| left.find(' ')).unwrap_or(0);
    }
    let mut end = (edge + REACH).min(text.len());
    while !text.is_char_boundary(end) {
        end += 1;
    }
    (start, text.get(start..end).unwrap_or_default())
}

fn split_at(text: &str, edge: usize) -> Option<Fault> {
    let (left, right) = (text.get(..edge)?, text.get(edge..)?);
    let (mut before, mut after) = (left.chars().rev(), right.chars());
    let (last, next) = (before.next()?, after.next()?);
    let (second_last, second_next) = (before.next().unwrap_or(' '), after.next().unwrap_or(' '));
    let numeric = |c: char| c.is_numeric() || is_han_numeral(c);
    let in_word = is_word(last) && is_word(next)
        || is_word(second_last) && is_joiner(last) && is_word(next)
        || is_word(last) && is_joiner(next) && is_word(second_next);
    let glued = is_word(last)
        && matches!(next, '+' | '#' | '%' | '‰' | '°' | '^' | '′' | '″' | '_')
        || is_word(next) && matches!(last, '#' | '@' | '$' | '€' | '£' | '¥' | '±' | '^' | '_');
    if numeric(last) && numeric(next) {
        Some(Fault::QuoteSplitsNumber)
    } else if in_word && (is_unspaced(last) || is_unspaced(next)) {
        None
    } else if in_word || glued {
        Some(if numeric(last) || numeric(next) {
            Fault::QuoteSplitsNumber
        } else {
            Fault::QuoteSplitsWord
        })
    } else {
        None
    }
}

fn is_joiner(character: char) -> bool {
    matches!(
        character,
        '-' | '\''
            | '.'
            | ','
            | ':'
            | '/'
            | '&'
            | '@'
            | '^'
            | '·'
            | '*'
            | '='
            | '_'
            | '+'
            | '\\'
            | '×'
            | '⁄'
    )
}

/// Tells whether `character` writes a number in Chinese or Japanese.
pub(super) fn is_han_numeral(character: char) -> bool {
    "〇零一二两兩三四五六七八九十百千万萬亿億兆".contains(character)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const PASSAGE: &str = "Herring gulls lay 2–4 eggs. The colony’s size was 3.5 million in 1,000 sites, i.e. not 40% or -5 °C; \
        **all** birds fed on fish—mostly her-\nring—and 10–15 % ate “nothing at all”. It is a well-\nknown case. 它们主要吃鱼和无脊椎动物。";

    fn check(quote: &str, expected: Result<&str, Fault>) {
        let found = find(PASSAGE, quote).map(|found| PASSAGE[found.span].to_owned());
        assert_eq!(found, expected.map(str::to_owned), "{quote:?}");
    }

    // proves: C4, C13
    #[test]
    fn a_quote_is_found_however_it_is_typeset() {
        check("Herring gulls lay 2–4 eggs", Ok("Herring gulls lay 2–4 eggs"));
        check("\"Herring gulls  lay 2-4 eggs.\"", Ok("Herring gulls lay 2–4 eggs."));
        check("The colony's size was", Ok("The colony’s size was"));
        check("all birds fed on fish", Ok("all** birds fed on fish"));
        check("fed on fish — mostly herring — and", Ok("fed on fish—mostly her-\nring—and"));
        check("a well-known case", Ok("a well-\nknown case"));
        check("ate \"nothing at all\".", Ok("ate “nothing at all”."));
        check("主要吃鱼和无脊椎", Ok("主要吃鱼和无脊椎"));
    }

    // proves: C4, C13
    #[test]
    fn a_quote_that_cuts_a_word_or_number_is_refused() {
        check("erring gulls lay 2–4 eggs", Err(Fault::QuoteSplitsWord));
        check("Herring gulls lay 2–4 egg", Err(Fault::QuoteSplitsWord));
        check("s size was 3.5 million", Err(Fault::QuoteSplitsWord));
        check("known case. 它", Err(Fault::QuoteSplitsWord));
        check("ring—and 10–15 % ate", Err(Fault::QuoteSplitsWord));
        check("5 million in 1,000 sites", Err(Fault::QuoteSplitsNumber));
        check("million in 1,000 sites", Err(Fault::QuoteSplitsNumber));
        check("000 sites, i.e. not", Err(Fault::QuoteSplitsNumber));
        check("colony's size was 3", Err(Fault::QuoteSplitsNumber));
        check("4 eggs. The colony's", Err(Fault::QuoteSplitsNumber));
        check("sites, i.e. not 40", Err(Fault::QuoteSplitsNumber));
        check("5 °C; all birds", Err(Fault::QuoteSplitsNumber));
        check("15 % ate \"nothing", Err(Fault::QuoteSplitsNumber));
    }

    // proves: C4, C13
    #[test]
    fn a_quote_must_be_there_and_say_something() {
        check("Herring gulls lay 2–5 eggs", Err(Fault::QuoteAbsent));
        check("herring gulls lay", Err(Fault::QuoteAbsent));
        check("Herring gulls … eggs", Err(Fault::QuoteAbsent));
        check("gulls lay", Err(Fault::QuoteTooShort));
        check("", Err(Fault::QuoteAbsent));
        check("...", Err(Fault::QuoteAbsent));
    }

    proptest! {
        #[test]
        fn every_cut_between_words_is_found_exactly(from in 0usize..20, length in 3usize..20) {
            let passage = "Adult gulls feed their chicks at dawn and the chicks that wait longest are fed by both parents in turn.";
            let starts: Vec<usize> = words(passage).map(|(at, _)| at).collect();
            let ends: Vec<usize> = words(passage).map(|(at, word)| at + word.len()).collect();
            let last = (from + length - 1).min(ends.len() - 1);
            prop_assume!(from < starts.len() && last >= from + 2);
            let span = starts[from]..ends[last];
            prop_assert_eq!(find(passage, &passage[span.clone()]).ok().map(|found| found.span), Some(span));
        }

        #[test]
        fn a_changed_digit_is_never_found(digits in "[0-9]{1,6}", index in 0usize..6, shift in 1u8..10, raised in any::<bool>()) {
            let index = index % digits.len();
            let mut changed: Vec<char> = digits.chars().collect();
            let digit = (changed[index] as u8 - b'0' + shift) % 10;
            changed[index] = if raised { ['⁰', '¹', '²', '³', '⁴', '⁵', '⁶', '⁷', '⁸', '⁹'][usize::from(digit)] } else { char::from(b'0' + digit) };
            let changed: String = changed.into_iter().collect();
            let passage = format!("There were {digits} gulls on the island.");
            let quote = format!("There were {changed} gulls on the island.");
            prop_assert!(find(&passage, &quote).is_err());
        }

        #[test]
        fn any_span_found_is_inside_the_passage(passage in "(?s)(.|[a-c \n*_-]){0,40}", from in 0usize..40, length in 0usize..40, other in "(?s).{0,12}") {
            let cut: String = passage.chars().skip(from).take(length).collect();
            for quote in [cut, other] {
                if let Ok(found) = find(&passage, &quote) {
                    prop_assert!(passage.get(found.span).is_some_and(|slice| !slice.is_empty()));
                }
            }
        }
    }
}
