//! Reference marks such as `[3]` and `[1, 2]`.

use std::ops::Range;

/// Numbers that a range such as `[1-3]` stands for, at most; of a wider one only the ends are meant.
const WIDEST: u32 = 50;

/// Returns the marks in `text`, as bytes, with the numbers each names.
///
/// `[1][2]` are two marks, `[1-3]` is one of three numbers, brackets within brackets are one. An interval from 0 is none, and an
/// isolated `[0]` neither.
pub(in super::super) fn marks(text: &str) -> Vec<(Range<usize>, Vec<u32>)> {
    let mut found: Vec<(Range<usize>, Vec<u32>)> = Vec::new();
    let mut open: Vec<usize> = Vec::new();
    for (at, character) in text.char_indices() {
        match character {
            '[' => open.push(at),
            ']' => {
                let Some(start) = open.pop() else { continue };
                let inner = found.iter().rev().take_while(|(span, _)| span.start > start).count();
                let Some(content) = text.get(start + 1..at) else { continue };
                // What holds a mark is taken whole: without the inner one, the rest would be another mark.
                let numbers = if inner > 0 { Some(nested(content)) } else { plain(content.trim()) };
                if let Some(numbers) = numbers.filter(|numbers| !numbers.is_empty()) {
                    found.truncate(found.len() - inner);
                    found.push((start..at + 1, numbers));
                }
            }
            _ if character.is_ascii_digit() || character.is_whitespace() => {}
            ',' | ';' | '-' | '–' | '^' => {}
            _ => open.clear(),
        }
    }
    found
}

fn nested(content: &str) -> Vec<u32> {
    content
        .split(|c: char| !c.is_ascii_digit())
        .filter(|digits| !digits.is_empty())
        .map(saturated)
        .filter(|number| *number > 0)
        .collect()
}

fn plain(content: &str) -> Option<Vec<u32>> {
    let mut numbers = Vec::new();
    for part in content.split([',', ';']).map(str::trim).filter(|part| !part.is_empty()) {
        let part = part.strip_prefix('^').unwrap_or(part);
        match part.split_once(['-', '–']) {
            Some((from, to)) => {
                let (from, to) = (counted(from)?, counted(to)?);
                match to.checked_sub(from) {
                    Some(width) if width <= WIDEST => numbers.extend(from..=to),
                    _ => numbers.extend([from, to]),
                }
            }
            // Numbers without a comma between them are still numbers that a reader looks up.
            None => {
                for digits in part.split_whitespace() {
                    numbers.push(counted(digits)?);
                }
            }
        }
    }
    Some(numbers)
}

fn counted(digits: &str) -> Option<u32> {
    let digits = digits.trim();
    let plain = digits.starts_with(|c: char| matches!(c, '1'..='9'))
        && digits.bytes().all(|byte| byte.is_ascii_digit());
    plain.then(|| saturated(digits))
}

/// Reads digits; a number too large for any list is the largest there is.
fn saturated(digits: &str) -> u32 {
    digits.parse().unwrap_or(u32::MAX)
}
