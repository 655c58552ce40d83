//! Sentence boundaries.

mod abbreviations;
mod ending;
mod marks;

use std::ops::Range;

use unicode_script::{Script, UnicodeScript};

use crate::blocks::{Kind, split_blocks};
use ending::Reader;
use marks::{Quotes, closers, goes_on, is_aside, is_reported};

/// Returns the byte ranges of the sentences of `text`, without surrounding white space and list markers.
///
/// A heading, a list item, a table row and a blank line each end a sentence; a single line break inside a paragraph does not.
/// Stretches without a letter or digit (rules, table borders) are not sentences.
pub fn sentences(text: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    for block in split_blocks(text) {
        if block.kind == Kind::Code {
            lines(text, block.span, &mut found);
        } else {
            cut(text, block.span, &mut found);
        }
    }
    found
}

/// Returns the byte ranges of the sentences of one prose block; `block` is its byte range in `text`.
pub fn sentences_of(text: &str, block: Range<usize>) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    cut(text, block, &mut found);
    found
}

/// Adds the lines of code.
fn lines(text: &str, block: Range<usize>, found: &mut Vec<Range<usize>>) {
    let mut start = block.start;
    for line in text.get(block).unwrap_or_default().split_inclusive('\n') {
        push(text, start..start + line.len(), found);
        start += line.len();
    }
}

/// Adds the sentences of one block.
fn cut(text: &str, block: Range<usize>, found: &mut Vec<Range<usize>>) {
    let Some(body) = text.get(block.clone()) else { return };
    let mut from = 0;
    let mut quotes = Quotes::default();
    let code = code_spans(body);
    let mut code = code.iter().peekable();
    let reader = Reader::of(body);
    let mut characters = body.char_indices().peekable();
    while let Some((at, character)) = characters.next() {
        while code.next_if(|span| span.end <= at).is_some() {}
        if code.peek().is_some_and(|span| span.contains(&at)) {
            continue;
        }
        quotes.take(at, character);
        let stop = match stop_of(body, at, character) {
            Some(stop) => stop,
            None => {
                if is_thai_pause(body, from, at, character) {
                    push(text, block.start + from..block.start + at, found);
                    from = at;
                }
                continue;
            }
        };
        let mut end = at + character.len_utf8();
        while let Some((next, stop)) = characters.next_if(|(_, c)| STOPS.contains(*c)) {
            end = next + stop.len_utf8();
        }
        end += spaced_stops(body.get(end..).unwrap_or_default());
        let stops = body.get(at..end).unwrap_or_default();
        let before = body.get(from..at).unwrap_or_default();
        end += closers(before, body.get(end..).unwrap_or_default());
        while let Some((next, skipped)) = characters.next_if(|(next, _)| *next < end) {
            quotes.close(next, skipped);
        }
        let after = body.get(end..).unwrap_or_default();
        let ends = match stop {
            Stop::Plain => {
                let closed = body.get(at..end).unwrap_or_default();
                reader.ends_here(before, stops, closed, after)
            }
            Stop::Full => {
                let closed = body.get(at..end).unwrap_or_default();
                !quotes.are_open(end)
                    && !goes_on(closed, after)
                    && !is_aside(before, closed)
                    && !is_reported(before, closed, after)
            }
        };
        if ends {
            push(text, block.start + from..block.start + end, found);
            from = end;
            quotes = Quotes::default();
        }
    }
    push(text, block.start + from..block.end, found);
}

/// Stops that follow each other as one.
const STOPS: &str = ".!?…。！？؟۔।॥";

/// A character that may end a sentence.
#[derive(Debug, Clone, Copy)]
enum Stop {
    /// It also stands in abbreviations and numbers, or before a text that goes on: `.`, `!`, `?`, `…`.
    Plain,
    /// It stands for nothing else, and needs no space behind it: `。`, `؟`, `।`.
    Full,
}

/// Returns the stop that a character is.
fn stop_of(body: &str, at: usize, character: char) -> Option<Stop> {
    match character {
        '.' | '!' | '?' | '…' => Some(Stop::Plain),
        '．' if is_decimal(body, at) => None,
        '。' | '！' | '？' | '｡' | '．' | '؟' | '۔' | '।' | '॥' | '։' | '።' | '။' | '\u{37e}' => {
            Some(Stop::Full)
        }
        // The Greek question mark is usually written as a semicolon.
        ';' => {
            let (before, after) = body.split_at_checked(at)?;
            let is_greek = before.chars().next_back().is_some_and(|c| c.script() == Script::Greek);
            let rest = after.get(1..)?;
            (is_greek && (rest.is_empty() || rest.starts_with(char::is_whitespace)))
                .then_some(Stop::Full)
        }
        _ => None,
    }
}

/// Returns the length of stops with spaces between them: ` . .` of `. . .`.
fn spaced_stops(after: &str) -> usize {
    let mut rest = after;
    while let Some(next) = rest.strip_prefix([' ', '\u{a0}'])
        && next.starts_with(['.', '!', '?', '…'])
    {
        let further = next.trim_start_matches(['.', '!', '?', '…']);
        if further.starts_with(char::is_alphanumeric) {
            break;
        }
        rest = further;
    }
    after.len() - rest.len()
}

/// Returns whether a space ends a sentence of Thai, which has no stops: if the sentence so far is of some length, and both neighbours are
/// Thai letters.
fn is_thai_pause(body: &str, from: usize, at: usize, character: char) -> bool {
    /// Thai puts spaces between the parts of a sentence, too. Fewer bytes than these (60 letters) are taken for a part.
    const FEWEST: usize = 180;
    if character != ' ' || at < from + FEWEST {
        return false;
    }
    let is_thai = |c: Option<char>| c.is_some_and(|c| c.script() == Script::Thai && c != 'ๆ');
    let (before, after) = body.split_at_checked(at).unwrap_or_default();
    is_thai(before.chars().next_back()) && is_thai(after.chars().nth(1))
}

/// Returns the ranges of inline code between backticks on one line: a stop inside ends no sentence.
fn code_spans(body: &str) -> Vec<Range<usize>> {
    let mut spans = Vec::new();
    let mut start = 0;
    for line in body.split_inclusive('\n') {
        let mut ticks = line.match_indices('`').map(|(at, _)| start + at);
        while let (Some(open), Some(close)) = (ticks.next(), ticks.next()) {
            spans.push(open..close);
        }
        start += line.len();
    }
    spans
}

/// Returns whether the stop at `at` stands between digits: `３．５`.
fn is_decimal(body: &str, at: usize) -> bool {
    let digit = |c: Option<char>| c.is_some_and(char::is_numeric);
    let (before, after) = body.split_at_checked(at).unwrap_or_default();
    digit(before.chars().next_back()) && digit(after.chars().nth(1))
}

fn push(text: &str, range: Range<usize>, found: &mut Vec<Range<usize>>) {
    let Some(sentence) = text.get(range.clone()) else { return };
    let lead = sentence.len() - sentence.trim_start().len();
    let trimmed = sentence.trim();
    if trimmed.chars().any(char::is_alphanumeric) {
        found.push(range.start + lead..range.start + lead + trimmed.len());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn check(text: &str, expected: &[&str]) {
        let cut: Vec<&str> = sentences(text).into_iter().map(|range| &text[range]).collect();
        assert_eq!(cut, expected, "{text:?}");
    }

    /// Texts of many languages; `¦` stands where they are cut.
    const CASES: &str = include_str!("sentences/cases.txt");

    // proves: A6
    #[test]
    fn texts_in_the_most_written_languages_are_cut_where_their_sentences_end() {
        let (mut language, mut wrong) = ("", Vec::new());
        for line in CASES.lines() {
            if let Some(name) = line.strip_prefix("## ") {
                language = name;
                continue;
            }
            let text = line.replace('¦', "");
            let expected: Vec<&str> =
                line.split('¦').map(str::trim).filter(|one| !one.is_empty()).collect();
            let cut: Vec<&str> = sentences(&text).into_iter().map(|range| &text[range]).collect();
            if cut != expected {
                wrong.push(format!("{language}: {cut:?}"));
            }
        }
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
        let count = |name: &str| {
            let of = CASES.split("## ").find(|part| part.starts_with(name)).unwrap_or_default();
            of.lines().count() - 1
        };
        assert!(
            CASES.lines().filter_map(|line| line.strip_prefix("## ")).all(|name| count(name) >= 10)
        );
    }

    #[test]
    fn abbreviations_initials_and_decimals_do_not_end_a_sentence() {
        check(
            "Dr. Who met J. R. Smith. It was 3.5 m away.",
            &["Dr. Who met J. R. Smith.", "It was 3.5 m away."],
        );
        check(
            "See e.g. Fig. 3 for Smith et al. (2010). Done.",
            &["See e.g. Fig. 3 for Smith et al. (2010).", "Done."],
        );
        check(
            "The U.S. Army left. In the U.S. The rest stayed.",
            &["The U.S. Army left.", "In the U.S.", "The rest stayed."],
        );
        check(
            "Slots are not copied. pg_upgrade stops. Use it. `max_wal` is high. it ends.",
            &[
                "Slots are not copied.",
                "pg_upgrade stops.",
                "Use it.",
                "`max_wal` is high. it ends.",
            ],
        );
        check("Am 3. März kam er. Dann ging er.", &["Am 3. März kam er.", "Dann ging er."]);
        check(
            "It waited ... then left. Why… Nobody knew!",
            &["It waited ... then left.", "Why…", "Nobody knew!"],
        );
    }

    #[test]
    fn a_stop_within_code_ends_nothing() {
        check(
            "Use `CREATE PUBLICATION … FOR ALL TABLES` there. Then `a. B` ends.",
            &["Use `CREATE PUBLICATION … FOR ALL TABLES` there.", "Then `a. B` ends."],
        );
        check("A ` stands alone. So it ends.", &["A ` stands alone.", "So it ends."]);
    }

    #[test]
    fn closing_marks_and_reference_numbers_belong_to_the_sentence_before() {
        check(
            "He said “stop.” Then (it ended.) So.[12] Next",
            &["He said “stop.”", "Then (it ended.)", "So.[12]", "Next"],
        );
        check("结束。【3, 5】你好。", &["结束。【3, 5】", "你好。"]);
        check("结束。【记者】你好。", &["结束。", "【记者】你好。"]);
        check("**Bold end.** Really?! Yes.", &["**Bold end.**", "Really?!", "Yes."]);
    }

    #[test]
    fn a_mark_is_closed_nearby_or_is_none() {
        let far = "1, ".repeat(300);
        check(&format!("So.[{far}2] Next."), &[&format!("So.[{far}2] Next.")]);
        check(&format!("结束。【{far}2】你好。"), &["结束。", &format!("【{far}2】你好。")]);
        let quoted = format!("Il dit « {}oui. » Fin.", "très ".repeat(200));
        check(&quoted, &[quoted.trim_end_matches(" » Fin."), "» Fin."]);
    }

    #[test]
    fn markdown_blocks_end_a_sentence_and_a_line_break_does_not() {
        check(
            "# Title\nOne line\ngoes on.\n- first\n  still first\n- second\n\nLast",
            &["Title", "One line\ngoes on.", "first\n  still first", "second", "Last"],
        );
        check("| a | b |\n|---|---|\n| 1 | 2 |", &["| a | b |", "| 1 | 2 |"]);
        check("1. First thing.\n2) Second", &["First thing.", "Second"]);
    }

    #[test]
    fn chinese_and_japanese_stops_need_no_space() {
        check("鸥吃鱼。它们不吃草！对吗？", &["鸥吃鱼。", "它们不吃草！", "对吗？"]);
        check("彼は「行く。」と言った。終わり", &["彼は「行く。」と言った。", "終わり"]);
        check("他说：“走吧。”她走了。", &["他说：“走吧。”", "她走了。"]);
        check("幅は３．５ｍ．高さは不明．", &["幅は３．５ｍ．", "高さは不明．"]);
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn any_text_can_be_cut_up(text in "(?s)(.|[.!? \n#|-]|[0-9a-z]){0,60}") {
            let mut last = 0;
            for range in sentences(&text) {
                prop_assert!(range.start >= last && text.get(range.clone()).is_some_and(|s| s.trim() == s && !s.is_empty()));
                last = range.end;
            }
        }
    }
}
