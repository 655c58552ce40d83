//! The sentences of a page that can be read on their own, without its headings, tables, menus and lists of links.

use text::{Language, is_stop_word, sentences, words};

/// Boilerplate that stands on every page.
pub(super) const BOILERPLATE: [&str; 6] = [
    "all rights reserved",
    "skip to content",
    "click here",
    "sign up",
    "subscribe to",
    "accept cookies",
];

/// A sentence that may be picked.
#[derive(Clone, Copy)]
pub(super) struct Candidate<'a> {
    /// The index of its passage.
    pub(super) passage: usize,
    /// Its start in the passage, in bytes.
    pub(super) start: usize,
    pub(super) text: &'a str,
}

/// Returns the sentences of the passages that read as prose, in order.
pub(super) fn prose<'a>(passages: &[&'a str], language: Language) -> Vec<Candidate<'a>> {
    let mut found = Vec::new();
    for (passage, whole) in passages.iter().enumerate() {
        for span in sentences(whole) {
            for (offset, text) in at_spaced_stops(&whole[span.clone()]) {
                let start = span.start + offset;
                if reads_as_prose(text, language) && !is_heading(&whole[..start]) {
                    found.push(Candidate { passage, start, text });
                }
            }
        }
    }
    found
}

/// Splits only at ` . `, which ends a sentence in texts with spaces between all tokens.
fn at_spaced_stops(sentence: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut start = 0;
    let ends = sentence.match_indices(" . ").map(|(at, _)| at + 2).chain([sentence.len()]);
    ends.filter_map(move |end| {
        let part = &sentence[start..end];
        let text = part.trim();
        let offset = start + part.len() - part.trim_start().len();
        start = end;
        (!text.is_empty()).then_some((offset, text))
    })
}

/// Returns whether the line that `before` ends in begins a heading.
fn is_heading(before: &str) -> bool {
    before.rsplit('\n').next().is_some_and(|line| line.trim_start().starts_with('#'))
}

/// Returns whether a sentence can be read on its own: not a table row, a question, a fragment or a list of links.
fn reads_as_prose(text: &str, language: Language) -> bool {
    const FEWEST_WORDS: usize = 5;
    const FEWEST_WORDS_WITHOUT_STOP: usize = 12;

    let length = words(text).count();
    let small = words(text).filter(|(_, word)| is_stop_word(word, language)).count();
    let body = trim_closing(text);
    // Running text is full of small words; names, keywords and menus are not.
    let complete = if body.ends_with(['?', '？']) {
        false
    } else if body.ends_with(['.', '!', '…', '。', '！', '｡']) {
        length < FEWEST_WORDS_WITHOUT_STOP
            || small * 10 >= length
            || language == Language::Other
            || !text.is_ascii()
    } else {
        length >= FEWEST_WORDS_WITHOUT_STOP && small * 5 >= length
    };
    let marks = [" | ", " · ", " » ", " > ", " • ", "\t", "](", "http"];
    let marked = marks.into_iter().map(|mark| text.matches(mark).count()).max().unwrap_or(0);
    let is_row = text.starts_with('|') || marked * 8 > length.max(8);
    let visible = text.chars().filter(|c| !c.is_whitespace()).count();
    let letters = text.chars().filter(|c| c.is_alphabetic()).count();
    let lower = text.to_lowercase();
    length >= FEWEST_WORDS
        && complete
        && !is_row
        && letters * 10 >= visible * 7
        && !BOILERPLATE.into_iter().any(|phrase| lower.contains(phrase))
}

/// Returns the sentence up to its last stop, without the brackets, quotation marks and reference numbers that follow it.
fn trim_closing(text: &str) -> &str {
    let closing = ['"', '\'', '”', '’', '»', ')', '」', '』', '）', '*', '_', '`', ' '];
    let mut body = text.trim_end_matches(closing);
    while let Some(at) = body.rfind('[').filter(|at| is_reference(&body[*at..])) {
        body = body[..at].trim_end_matches(closing);
    }
    body
}

/// Returns whether `text` is of the form `[3]`, `[3, 4]` or `[3-5]`.
fn is_reference(text: &str) -> bool {
    let numbers = text.strip_prefix('[').and_then(|rest| rest.strip_suffix(']'));
    numbers.is_some_and(|numbers| {
        numbers.chars().all(|c| c.is_ascii_digit() || matches!(c, ',' | ' ' | '-' | '–'))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reference_number_behind_the_stop_is_no_part_of_the_body() {
        assert_eq!(trim_closing("They eat fish.[2]"), "They eat fish.");
        assert_eq!(trim_closing("They eat \"fish.\" [3, 4]"), "They eat \"fish.");
        assert_eq!(trim_closing("They eat [fish]"), "They eat [fish]");
    }

    #[test]
    fn only_sentences_are_read() {
        let check = |text: &str, expected: bool| {
            assert_eq!(reads_as_prose(text, Language::English), expected, "{text:?}");
        };
        check("Gulls eat the fish that boats throw away.", true);
        check("What is it that gulls eat there?", false);
        check("Gulls eat fish.", false);
        check("Home | Birds | Gulls | Fish | Boats.", false);
        check("All rights reserved by the friends of gulls.", false);
    }
}
