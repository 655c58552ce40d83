//! Sentence boundaries.

use std::ops::Range;

use unicode_script::{Script, UnicodeScript};

use crate::blocks::{Kind, split_blocks};
use crate::{Language, is_stop_word};

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
    let code = code_spans(body);
    let mut code = code.iter().peekable();
    let mut characters = body.char_indices().peekable();
    while let Some((at, character)) = characters.next() {
        while code.next_if(|span| span.end <= at).is_some() {}
        if code.peek().is_some_and(|span| span.contains(&at)) {
            continue;
        }
        let full_width = matches!(character, '。' | '！' | '？' | '｡' | '．')
            && !(character == '．' && is_decimal(body, at));
        if !full_width && !matches!(character, '.' | '!' | '?' | '…') {
            continue;
        }
        let mut end = at + character.len_utf8();
        while let Some((next, stop)) = characters.next_if(|(_, c)| ".!?…。！？".contains(*c)) {
            end = next + stop.len_utf8();
        }
        let stops = body.get(at..end).unwrap_or_default();
        end += closers(body.get(end..).unwrap_or_default());
        while characters.next_if(|(next, _)| *next < end).is_some() {}
        let after = body.get(end..).unwrap_or_default();
        let before = body.get(from..at).unwrap_or_default();
        let ends = if full_width {
            !goes_on(body.get(at..end).unwrap_or_default(), after)
        } else {
            ends_here(before, stops, after)
        };
        if ends {
            push(text, block.start + from..block.start + end, found);
            from = end;
        }
    }
    push(text, block.start + from..block.end, found);
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

/// Returns whether a sentence goes on after a full-width stop because it reports a quotation: `「行く。」と言った`.
fn goes_on(stops: &str, after: &str) -> bool {
    stops.ends_with(['」', '』', '）', ')', '”', '"'])
        && after.starts_with(|c: char| c.script() == Script::Hiragana)
}

/// Returns the length of the quotation marks, brackets, emphasis and reference numbers (`[3]`) that close a sentence.
fn closers(after: &str) -> usize {
    let mut rest = after;
    loop {
        rest = rest.trim_start_matches([
            '"', '\'', '”', '’', '»', ')', ']', '」', '』', '）', '*', '_', '`', '⁰', '¹', '²',
            '³', '⁴', '⁵', '⁶', '⁷', '⁸', '⁹',
        ]);
        if let Some((_, after)) = rest.strip_prefix('【').and_then(|inner| inner.split_once('】'))
        {
            rest = after;
        }
        let reference = rest.strip_prefix('[').and_then(|inner| {
            let (numbers, rest) = inner.split_once(']')?;
            let plain = !numbers.is_empty()
                && numbers.chars().all(|c| c.is_ascii_digit() || ", -–".contains(c));
            plain.then_some(rest)
        });
        match reference {
            Some(shorter) => rest = shorter,
            None => return after.len() - rest.len(),
        }
    }
}

/// Abbreviations that never end a sentence.
const LEADING: &str = " dr mr mrs ms prof st fig figs eq eqs vs cf e.g i.e approx ca mio mrd viz gen rep sen gov capt rev hon mt bzw vgl \
    z.b d.h u.a sog bspw mme mlle sra eds sp spp ";

/// Abbreviations if a number follows; otherwise ordinary words.
const NUMBERED: &str = " no nos nr art ch col ed p pp ref refs sec vol ";

/// Abbreviations that may also end a sentence.
const TRAILING: &str = " al etc inc ltd corp co jr sr dept univ est jan feb mar apr jun jul aug sep sept oct nov dec usw max min ";

const GERMAN_MONTHS: &str = " januar februar märz april mai juni juli august september oktober november dezember jahrhundert ";

fn ends_here(before: &str, stops: &str, after: &str) -> bool {
    let next =
        after.trim_start_matches(|c: char| c.is_whitespace() || "\"'“‘„«([*_`¿¡".contains(c));
    if !after.is_empty() && !after.starts_with(char::is_whitespace)
        || next.starts_with(char::is_lowercase) && !is_identifier(after)
    {
        return false;
    }
    if stops != "." || next.is_empty() {
        return true;
    }
    let word = before
        .rsplit(|c: char| c.is_whitespace() || "([\"'“‘„«—–/".contains(c))
        .next()
        .unwrap_or_default();
    let listed = |list: &str, word: &str| list.contains(&format!(" {} ", word.to_lowercase()));
    let next_word = next
        .split(|c: char| !c.is_alphanumeric() && c != '\'' && c != '’')
        .next()
        .unwrap_or_default();
    let initials = word
        .split('.')
        .all(|part| part.chars().count() == 1 && part.chars().all(char::is_alphabetic));
    if listed(LEADING, word) {
        false
    } else if listed(NUMBERED, word) {
        !next.starts_with(|c: char| c.is_ascii_digit())
    } else if initials || listed(TRAILING, word) {
        is_stop_word(next_word, Language::English)
    } else {
        let ordinal =
            word.len() <= 2 && !word.is_empty() && word.chars().all(|c| c.is_ascii_digit());
        !(ordinal && listed(GERMAN_MONTHS, next_word))
    }
}

/// Returns whether a text begins with the name of a command, a setting or the like, which starts a sentence in lower case: `pg_dump`,
/// or anything between backticks.
fn is_identifier(text: &str) -> bool {
    let word = text.split_whitespace().next().unwrap_or_default();
    word.starts_with('`') || word.trim_matches(|c: char| !c.is_alphanumeric()).contains('_')
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
        check("**Bold end.** Really?! Yes.", &["**Bold end.**", "Really?!", "Yes."]);
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
