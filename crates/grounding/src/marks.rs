//! Reference marks in a text: `[3]`, `[1, 2]`, `[4–6]`.
//!
//! A mark is a pair of square brackets, of any width, around numbers from 1. White space, line breaks, commas, semicolons, dashes and
//! carets may stand between them, but no letter. This is the only reader of marks, so one part of the program removes exactly what
//! another would find.
//!
//! ```
//! let text = "It rose [1; 2] on the interval [0, 1].";
//! let marks = grounding::marks::marks(text);
//! assert_eq!(marks.len(), 1);
//! assert_eq!((marks[0].span.clone(), marks[0].numbers.as_slice()), (8..14, [1, 2].as_slice()));
//! ```

use std::ops::Range;

/// The most numbers in a range such as `[1-3]`: a wider one is not a mark.
const WIDEST: u32 = 20;

/// A reference mark.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mark {
    /// The byte range in the text, including both brackets.
    pub span: Range<usize>,
    /// The numbers as written, at least one, each from 1; a number may repeat. One that overflows is `u32::MAX`.
    pub numbers: Vec<u32>,
}

/// Returns the marks in `text`, in reading order, without overlaps.
///
/// `[1][2]` are two marks, `[1-3]` is one mark of three numbers, and a mark within brackets merges with them: `[[1], 2]`. Brackets with a
/// number that begins with 0 are not a mark, since `[0, 1]` is an interval. Takes linear time in the length of the text.
///
/// A text stripped of its marks contains no mark, nor does any prefix of it.
pub fn marks(text: &str) -> Vec<Mark> {
    let mut found: Vec<Found> = Vec::new();
    let mut open: Vec<Open> = Vec::new();
    for (at, character) in text.char_indices() {
        match folded(character) {
            '[' => {
                if let Some(around) = open.last_mut() {
                    around.is_nested = true;
                }
                open.push(Open { at, is_nested: false });
            }
            ']' => {
                let Some(Open { at: start, is_nested }) = open.pop() else { continue };
                let span = start..at + character.len_utf8();
                if is_nested {
                    let outside = found.partition_point(|mark| mark.span.start < start);
                    // Brackets around a mark are taken whole: without the inner mark, the rest would be another one.
                    if outside < found.len() {
                        found.truncate(outside);
                        found.push(Found { span, numbers: None });
                    }
                } else if let Some(numbers) = parse_numbers(&folded_text(text, &span)) {
                    found.push(Found { span, numbers: Some(numbers) });
                }
            }
            '0'..='9' | ',' | ';' | '-' | '^' => {}
            other if other.is_whitespace() => {}
            _ => open.clear(),
        }
    }
    let read = |Found { span, numbers }| {
        let numbers = numbers.unwrap_or_else(|| nested(&folded_text(text, &span)));
        Mark { span, numbers }
    };
    found.into_iter().map(read).collect()
}

/// A bracket that is still open.
struct Open {
    at: usize,
    /// Whether another bracket opened within it.
    is_nested: bool,
}

struct Found {
    span: Range<usize>,
    /// `None` for nested marks, which are read at the end so that each depth is not read again.
    numbers: Option<Vec<u32>>,
}

/// Maps brackets, digits, dashes and commas of any width to ASCII.
pub fn folded(character: char) -> char {
    match character {
        '【' | '〔' | '〚' | '⟦' => '[',
        '】' | '〕' | '〛' | '⟧' => ']',
        '‐'..='―' | '−' => '-',
        '、' => ',',
        // Full-width letters, digits and punctuation follow the order of ASCII.
        '！'..='～' => shifted(character, 0xFF01, 0x21),
        // There are five consecutive sets of mathematical digits.
        '𝟎'..='𝟿' => {
            char::from_digit((character as u32 - 0x1_D7CE) % 10, 10).unwrap_or(character)
        }
        _ => character,
    }
}

fn shifted(character: char, from: u32, to: u32) -> char {
    char::from_u32(character as u32 - from + to).unwrap_or(character)
}

/// Returns the folded content of a pair of brackets.
fn folded_text(text: &str, span: &Range<usize>) -> String {
    let whole = text.get(span.clone()).unwrap_or_default();
    let mut inside = whole.chars();
    inside.next();
    inside.next_back();
    inside.map(folded).collect()
}

/// Reads the content of a mark; returns `None` if it is anything else.
fn parse_numbers(content: &str) -> Option<Vec<u32>> {
    let mut numbers = Vec::new();
    for part in content.split([',', ';']).map(str::trim).filter(|part| !part.is_empty()) {
        let part = part.strip_prefix('^').unwrap_or(part);
        match part.split_once('-') {
            Some((from, to)) => {
                let (from, to) = (counted(from)?, counted(to)?);
                match to.checked_sub(from) {
                    Some(more) if more < WIDEST => numbers.extend(from..=to),
                    Some(_) => return None,
                    // A descending range stands for its two ends.
                    None => numbers.extend([from, to]),
                }
            }
            // Numbers without a comma between them are still numbers to look up.
            None => {
                for digits in part.split_whitespace() {
                    numbers.push(counted(digits)?);
                }
            }
        }
    }
    (!numbers.is_empty()).then_some(numbers)
}

/// Reads brackets within brackets, of which one is a mark.
fn nested(content: &str) -> Vec<u32> {
    parse_numbers(&content.replace(['[', ']'], ",")).unwrap_or_else(|| {
        let runs = content.split(|c: char| !c.is_ascii_digit());
        runs.filter(|digits| !digits.is_empty()).map(saturated).filter(|one| *one > 0).collect()
    })
}

fn counted(digits: &str) -> Option<u32> {
    let digits = digits.trim();
    let plain = digits.starts_with(|c: char| matches!(c, '1'..='9'))
        && digits.bytes().all(|byte| byte.is_ascii_digit());
    plain.then(|| saturated(digits))
}

fn saturated(digits: &str) -> u32 {
    digits.parse().unwrap_or(u32::MAX)
}

/// Removes the marks from a text, with the white space before them.
pub fn without_marks(text: &str) -> String {
    let mut kept = String::with_capacity(text.len());
    let mut from = 0;
    for mark in marks(text) {
        let before = text.get(from..mark.span.start).unwrap_or_default();
        let joined = before.trim_end();
        kept.push_str(joined);
        from = mark.span.end;
        let next = text.get(from..).unwrap_or_default();
        if joined.len() < before.len() && next.starts_with(char::is_alphanumeric) {
            kept.push(' ');
        }
    }
    kept.push_str(text.get(from..).unwrap_or_default());
    kept.trim().to_owned()
}

/// Returns a text of a source in which no reference of its own can be taken for a mark: `[2]` is `‹2›`, as is `[7a]`. Code between
/// backquotes stays as it is.
///
/// ```
/// use grounding::marks::{marks, set_apart};
///
/// let told = set_apart("They eat fish,[2] crabs [12, 13] and `a[1]`.");
/// assert_eq!(told, "They eat fish,‹2› crabs ‹12, 13› and `a[1]`.");
/// ```
pub fn set_apart(text: &str) -> String {
    let code = find_code(text);
    let is_code = |span: &Range<usize>| {
        code.iter().any(|code| code.start <= span.start && span.end <= code.end)
    };
    let mut told = String::with_capacity(text.len());
    let mut from = 0;
    let mut spans: Vec<Range<usize>> = marks(text).into_iter().map(|mark| mark.span).collect();
    spans.extend(find_lettered(text));
    spans.sort_by_key(|span| (span.start, std::cmp::Reverse(span.end)));
    for span in spans.into_iter().filter(|span| !is_code(span)) {
        if span.start < from {
            continue;
        }
        told.push_str(text.get(from..span.start).unwrap_or_default());
        let within = text.get(span.clone()).unwrap_or_default();
        told.extend(within.chars().map(|character| match folded(character) {
            '[' => '‹',
            ']' => '›',
            _ => character,
        }));
        from = span.end;
    }
    told.push_str(text.get(from..).unwrap_or_default());
    told
}

/// Returns the brackets around a number with letters behind it, as reports label statements: `[7a]`.
fn find_lettered(text: &str) -> Vec<Range<usize>> {
    /// More letters are a word.
    const MOST_LETTERS: usize = 2;
    let mut found = Vec::new();
    let mut open: Option<usize> = None;
    for (at, character) in text.char_indices() {
        match folded(character) {
            '[' => open = Some(at),
            ']' => {
                let Some(start) = open.take() else { continue };
                let span = start..at + character.len_utf8();
                let inside = folded_text(text, &span);
                let letters = inside.trim_start_matches(|c: char| c.is_ascii_digit());
                let is_label = letters.len() < inside.len()
                    && (1..=MOST_LETTERS).contains(&letters.len())
                    && letters.bytes().all(|byte| byte.is_ascii_lowercase());
                found.extend(is_label.then_some(span));
            }
            _ => {}
        }
    }
    found
}

/// Returns the stretches between backquotes, each on one line.
fn find_code(text: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        let mut ticks = line.match_indices('`').map(|(at, _)| start + at);
        while let (Some(open), Some(close)) = (ticks.next(), ticks.next()) {
            found.push(open..close);
        }
        start += line.len();
    }
    found
}

#[cfg(test)]
mod tests;
