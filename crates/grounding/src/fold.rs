//! Text folded for comparison: one spelling for what looks the same, and a mapping back to the original bytes.
//!
//! White space, dashes, quotation marks, hyphenated line ends, Markdown's marks and compatibility letters are unified; case, digits,
//! superscripts and fractions are kept.

mod markdown;

use std::ops::Range;

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;
use unicode_segmentation::UnicodeSegmentation;

/// The meaning of a hyphen at the end of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LineEnd {
    /// `exam-⏎ple` is `example`.
    Joined,
    /// `well-⏎known` is `well-known`.
    Kept,
}

/// A folded text that records the original range of each of its characters.
pub struct Folded {
    pub text: String,
    marks: Vec<Mark>,
}

struct Mark {
    at: usize,
    origin: Range<usize>,
    character: char,
}

impl Folded {
    /// Returns the occurrences of `needle` in the folded text, including overlapping ones.
    pub fn occurrences(&self, needle: &str) -> impl Iterator<Item = Range<usize>> {
        let mut from = 0;
        std::iter::from_fn(move || {
            let start = from + self.text.get(from..)?.find(needle)?;
            from = start + needle.chars().next()?.len_utf8();
            Some(start..start + needle.len())
        })
    }

    /// Returns the original range of a folded range, or `None` if it would cut a character in two.
    pub fn origin(&self, folded: &Range<usize>) -> Option<Range<usize>> {
        let (first, end) = (self.mark_from(folded.start), self.mark_from(folded.end));
        let (start, last) = (self.marks.get(first)?, self.marks.get(end.checked_sub(1)?)?);
        let whole = start.at == folded.start
            && self.before(first).is_none_or(|mark| mark.origin.start != start.origin.start)
            && self
                .marks
                .get(end)
                .is_none_or(|mark| mark.character == ' ' || mark.origin.start != last.origin.start);
        (whole && start.origin.start < last.origin.end)
            .then_some(start.origin.start..last.origin.end)
    }

    /// Returns the folded range of an original range, or `None` if it is empty or cuts a character.
    pub fn image(&self, original: &Range<usize>) -> Option<Range<usize>> {
        let first = self.marks.partition_point(|mark| mark.origin.start < original.start);
        let end = self.marks.partition_point(|mark| mark.origin.end <= original.end);
        let whole = self.before(first).is_none_or(|mark| mark.origin.end <= original.start)
            && self
                .marks
                .get(end)
                .is_none_or(|mark| mark.character == ' ' || mark.origin.start >= original.end);
        (whole && first < end).then(|| self.at(first)..self.at(end))
    }

    /// Returns the first position in the folded text that comes from `original` or later.
    pub fn after(&self, original: usize) -> usize {
        self.at(self.marks.partition_point(|mark| mark.origin.start < original))
    }

    fn at(&self, index: usize) -> usize {
        self.marks.get(index).map_or(self.text.len(), |mark| mark.at)
    }

    fn mark_from(&self, at: usize) -> usize {
        self.marks.partition_point(|mark| mark.at < at)
    }

    fn before(&self, index: usize) -> Option<&Mark> {
        self.marks.get(index.checked_sub(1)?).filter(|mark| mark.character != ' ')
    }

    fn push(&mut self, character: char, origin: Range<usize>) {
        if character.is_whitespace() {
            match self.marks.last_mut() {
                Some(last) if last.character == ' ' => last.origin.end = origin.end,
                _ => self.add(' ', origin),
            }
        } else {
            self.add(character, origin);
        }
    }

    fn add(&mut self, character: char, origin: Range<usize>) {
        self.marks.push(Mark { at: self.text.len(), origin, character });
        self.text.push(character);
    }
}

/// Returns `text` without Markdown's invisible marks; everything else stays as it is.
pub fn unmarked(text: &str) -> String {
    let mut kept = String::with_capacity(text.len());
    let mut from = 0;
    for mark in markdown::marks(text) {
        kept.push_str(text.get(from..mark.start).unwrap_or_default());
        from = from.max(mark.end);
    }
    kept.push_str(text.get(from..).unwrap_or_default());
    kept
}

/// Folds `text`.
pub fn fold(text: &str, line_end: LineEnd) -> Folded {
    let mut folded =
        Folded { text: String::with_capacity(text.len()), marks: Vec::with_capacity(text.len()) };
    let marks = markdown::marks(text);
    let mut markup = marks.iter().peekable();
    let mut resume = 0;
    for (from, cluster) in text.grapheme_indices(true) {
        let origin = from..from + cluster.len();
        while markup.next_if(|mark| mark.end <= from).is_some() {}
        if from < resume || markup.peek().is_some_and(|mark| mark.contains(&from)) {
            continue;
        }
        if let Some(next) = broken_line(&folded, cluster, text, origin.end, line_end) {
            resume = next;
            if line_end == LineEnd::Kept && cluster != "\u{ad}" {
                folded.push('-', origin);
            }
            continue;
        }
        if cluster.chars().any(is_literal) {
            cluster
                .nfc()
                .filter(|c| !is_ignorable(*c))
                .for_each(|c| folded.push(c, origin.clone()));
        } else {
            let visible =
                cluster.chars().filter(|c| *c == '\u{ad}' || !is_ignorable(*c)).map(plain);
            for character in visible.nfkc().map(plain) {
                push_plain(&mut folded, character, text, &origin);
            }
        }
    }
    folded
}

fn push_plain(folded: &mut Folded, character: char, text: &str, origin: &Range<usize>) {
    match character {
        '—' | '―' => " - ".chars().for_each(|c| folded.push(c, origin.clone())),
        // Between letters a soft hyphen marks a possible break; elsewhere it was a hyphen before some conversion.
        '\u{ad}' => {
            let letters = folded.text.ends_with(char::is_alphabetic)
                && text.get(origin.end..).is_some_and(|rest| rest.starts_with(char::is_alphabetic));
            if !letters {
                folded.push('-', origin.clone());
            }
        }
        _ => folded.push(character, origin.clone()),
    }
}

/// Returns where the word continues, if `cluster` is a hyphen that breaks a word at the end of a line.
fn broken_line(
    folded: &Folded,
    cluster: &str,
    text: &str,
    end: usize,
    line_end: LineEnd,
) -> Option<usize> {
    if !matches!(cluster, "-" | "‐" | "\u{ad}") || !folded.text.ends_with(char::is_alphabetic) {
        return None;
    }
    let rest = text.get(end..)?;
    let next = rest.trim_start();
    let space = rest.get(..rest.len() - next.len())?;
    let goes_on = match line_end {
        LineEnd::Joined => next.starts_with(char::is_lowercase),
        LineEnd::Kept => next.starts_with(char::is_alphabetic),
    };
    (space.matches('\n').count() == 1 && goes_on).then_some(end + space.len())
}

/// Maps typographic quotation marks, apostrophes and dashes to ASCII; [`push_plain`] handles the em dash.
fn plain(character: char) -> char {
    match character {
        '“' | '”' | '„' | '‟' | '«' | '»' | '〝' | '〞' | '＂' => '"',
        '‘' | '’' | '‚' | '‛' | '´' | 'ʼ' | '‹' | '›' | '＇' => '\'',
        '‐' | '‑' | '‒' | '–' | '−' | '﹘' | '﹣' | '－' => '-',
        _ => character,
    }
}

/// Returns whether folding `character` could change a number: superscripts, subscripts, fractions, circled digits.
fn is_literal(character: char) -> bool {
    if character.is_ascii() {
        return false;
    }
    let raised = matches!(character, 'ª' | 'º' | '™' | '℠' | '\u{2070}'..='\u{209f}' | '\u{2b0}'..='\u{2b8}'
        | '\u{2e0}'..='\u{2e4}' | '\u{1d2c}'..='\u{1d6a}' | '\u{1d78}' | '\u{1d9b}'..='\u{1dbf}' | '\u{a69c}' | '\u{a69d}'
        | '\u{a770}' | '\u{a7f2}'..='\u{a7f4}' | '\u{a7f8}' | '\u{a7f9}' | '\u{ab5c}'..='\u{ab5f}' | '\u{10780}'..='\u{107ba}');
    let wide =
        matches!(character, '０'..='９' | '\u{1d7ce}'..='\u{1d7ff}' | '\u{1fbf0}'..='\u{1fbf9}');
    raised || !wide && std::iter::once(character).nfkc().any(|c| c.is_ascii_digit() || c == '⁄')
}

/// Returns `text` without invisible characters: zero-width, direction and control characters.
///
/// Line breaks and tabs stay.
pub fn clean(text: &str) -> String {
    text.chars().filter(|c| !is_unseen(*c)).collect()
}

/// Returns whether [`clean`] removes a character.
pub fn is_unseen(c: char) -> bool {
    !matches!(c, '\n' | '\t') && (is_ignorable(c) || c.is_control())
}

/// Returns whether `character` is invisible: Unicode's default-ignorable characters, and controls.
pub fn is_ignorable(character: char) -> bool {
    (character.is_control() && !character.is_whitespace())
        || matches!(character, '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}'
            | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}'
            | '\u{3164}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}'
            | '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e0fff}')
}

/// Returns whether `character` is part of a visible word or number.
pub fn is_word(character: char) -> bool {
    character.is_alphanumeric() || is_combining_mark(character)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn check(text: &str, expected: &str) {
        assert_eq!(fold(text, LineEnd::Joined).text, expected, "{text:?}");
    }

    #[test]
    fn what_looks_the_same_folds_to_the_same() {
        check("a \u{a0}\n\tb", "a b");
        check("“it’s” – ‘so’", "\"it's\" - 'so'");
        check("gulls—they", "gulls - they");
        check("eﬃ\u{ad}cient ca\u{301}fe\u{301}", "efficient cáfé");
        check("an exam-\n  ple of Anglo-\nSaxon", "an example of Anglo- Saxon");
        check("n\u{200b}o\u{2060}t", "not");
        check("10\u{ad}15", "10-15");
        check("５ ｋｇ 𝟓", "5 kg 5");
    }

    #[test]
    fn markdown_marks_go_and_products_stay() {
        check("**Herring** gulls _eat_ `fish`, ***all*** day", "Herring gulls eat fish, all day");
        check(
            "5*3 = 15, 5 * 3, a_b_c, 5 *3* 7, *unpaired",
            "5*3 = 15, 5 * 3, a_b_c, 5 *3* 7, *unpaired",
        );
        check(
            "see [the gulls](https://a.org/b) and ![x](i.png), f[x](y.z)",
            "see the gulls and x, f[x](y.z)",
        );
        check(r"snake\_case 5\*3", "snake_case 5*3");
    }

    #[test]
    fn digits_that_mean_something_else_stay_as_they_are() {
        check("10² H₂O 1½ ① ㎡ 2ⁿ", "10² H₂O 1½ ① ㎡ 2ⁿ");
    }

    #[test]
    fn a_hyphen_at_a_line_end_may_belong_to_the_word() {
        assert_eq!(fold("well-\nknown", LineEnd::Kept).text, "well-known");
    }

    #[test]
    fn half_a_character_has_no_origin() {
        let folded = fold("eﬃcient", LineEnd::Joined);
        assert_eq!(folded.origin(&(0..2)), None);
        assert_eq!(folded.origin(&(0..4)), Some(0..4));
    }

    proptest! {
        #[test]
        fn every_place_leads_back_into_the_original(text in "(?s)(.|[a-z0-9*_\\[\\]()\\\\ \n-]){0,40}") {
            for line_end in [LineEnd::Joined, LineEnd::Kept] {
                let folded = fold(&text, line_end);
                for (start, _) in folded.text.char_indices() {
                    if let Some(origin) = folded.origin(&(start..folded.text.len())) {
                        prop_assert!(text.get(origin).is_some_and(|slice| !slice.is_empty()));
                    }
                }
            }
        }
    }
}
