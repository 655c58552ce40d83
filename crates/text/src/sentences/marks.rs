//! The quotation marks and brackets around and behind a stop.

use unicode_script::{Script, UnicodeScript};

/// The quotation marks and brackets of scripts without spaces that are open.
#[derive(Debug, Default)]
pub(super) struct Quotes {
    depth: usize,
    /// Where the outermost begins.
    start: usize,
}

impl Quotes {
    /// A quotation of more bytes is cut within.
    const LONGEST: usize = 600;

    pub(super) fn take(&mut self, at: usize, character: char) {
        match character {
            '「' | '『' | '《' | '〈' | '（' | '“' => {
                if self.depth == 0 {
                    self.start = at;
                }
                self.depth += 1;
            }
            '」' | '』' | '》' | '〉' | '）' | '”' => {
                self.depth = self.depth.saturating_sub(1);
            }
            _ => {}
        }
    }

    /// Takes a mark behind a stop: there `“` closes, as in German and Urdu.
    pub(super) fn close(&mut self, at: usize, character: char) {
        match character {
            '“' => self.depth = self.depth.saturating_sub(1),
            other => self.take(at, other),
        }
    }

    pub(super) fn are_open(&self, at: usize) -> bool {
        self.depth > 0 && at - self.start <= Quotes::LONGEST
    }
}

/// Returns the length of the quotation marks, brackets, emphasis and reference numbers (`[3]`) that close a sentence.
pub(super) fn closers(before: &str, after: &str) -> usize {
    let mut rest = after;
    loop {
        rest = rest.trim_start_matches([
            '"', '\'', '”', '“', '’', '»', '«', '›', '‹', ')', ']', '」', '』', '》', '）', '*',
            '_', '`', '⁰', '¹', '²', '³', '⁴', '⁵', '⁶', '⁷', '⁸', '⁹',
        ]);
        // French sets its quotation marks apart.
        let apart = rest
            .strip_prefix([' ', '\u{a0}', '\u{202f}'])
            .and_then(|rest| rest.strip_prefix('»'))
            .filter(|_| has_open_quotation(before));
        if let Some(after) = apart {
            rest = after;
            continue;
        }
        let reference =
            without_reference(rest, '[', ']').or_else(|| without_reference(rest, '【', '】'));
        match reference {
            Some(shorter) => rest = shorter,
            None => return after.len() - rest.len(),
        }
    }
}

/// Returns whether a quotation is open at the end of a text. One of more than 600 bytes is taken for closed.
fn has_open_quotation(text: &str) -> bool {
    let start = text.ceil_char_boundary(text.len().saturating_sub(Quotes::LONGEST));
    let near = text.get(start..).unwrap_or_default();
    near.rfind('«') > near.rfind('»')
}

/// Returns what follows the mark of a reference, such as `[3]` or `【3, 5】`, at the start of a text; `None` if there is no such mark.
fn without_reference(text: &str, open: char, close: char) -> Option<&str> {
    let inner = text.strip_prefix(open)?;
    let near = inner.get(..inner.floor_char_boundary(Quotes::LONGEST))?;
    let (numbers, _) = near.split_once(close)?;
    let is_plain = numbers.contains(|c: char| c.is_ascii_digit())
        && numbers.chars().all(|c| c.is_ascii_digit() || ", -–".contains(c));
    is_plain.then(|| inner.get(numbers.len() + close.len_utf8()..))?
}

/// Returns whether a sentence goes on after a full-width stop because it reports a quotation: `「行く。」と言った`.
pub(super) fn goes_on(stops: &str, after: &str) -> bool {
    stops.ends_with(['」', '』', '）', ')', '”', '"'])
        && after.starts_with(|c: char| c.script() == Script::Hiragana)
}

/// Returns whether a bracket was closed behind a stop within a sentence: `会议（见第3页。）结束了`.
pub(super) fn is_aside(before: &str, closed: &str) -> bool {
    closed.ends_with('）') && !before.trim_start().starts_with('（')
}

/// Returns whether a sentence that began with a quotation goes on with who said it: `「何時？」她問`. Where letters have cases, a small
/// letter shows it.
pub(super) fn is_reported(before: &str, closed: &str, after: &str) -> bool {
    let opens = before.trim_start().starts_with(['「', '『', '“', '«', '"', '”']);
    let closes = closed.ends_with(['」', '』', '”', '»', '"', '“']);
    let next = after.trim_start().chars().next();
    opens && closes && next.is_some_and(has_no_case)
}

/// Returns whether a character is a letter of a script without small letters.
pub(super) fn has_no_case(character: char) -> bool {
    character.is_alphabetic() && !character.is_lowercase() && !character.is_uppercase()
}
