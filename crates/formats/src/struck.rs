//! Words that are struck through, between the marks of Markdown: `~~500~~ 900`. Without them they would read as said.

use std::ops::Range;

const MARK: &str = "~~";

/// Sets the words from `start` on between the marks of what is struck through, together with struck words before them from which only
/// white space parts them. White space at the ends stays outside. Words without a letter or digit get no marks of their own.
pub(crate) fn strike(words: &mut String, start: usize) {
    let Some(Range { start, end }) = place(words, start) else { return };
    let before = words[..start].trim_end_matches([' ', '\t', '\u{a0}']);
    if let Some(before) = before.strip_suffix(MARK).map(str::len) {
        words.insert_str(end, MARK);
        words.replace_range(before..before + MARK.len(), "");
    } else if words[start..end].contains(char::is_alphanumeric) {
        words.insert_str(end, MARK);
        words.insert_str(start, MARK);
    }
}

/// Returns `words` between the marks of what is struck through; marks within are part of theirs.
pub(crate) fn struck(words: &str) -> String {
    let mut marked = words.replace(MARK, "");
    strike(&mut marked, 0);
    marked
}

/// Returns whether a text begins with what is struck through.
pub(crate) fn is_struck(text: &str) -> bool {
    text.starts_with(MARK)
}

/// Returns where the words from `start` on stand without white space around them; `None` if there are none.
fn place(words: &str, start: usize) -> Option<Range<usize>> {
    let said = words.get(start..)?;
    let end = start + said.trim_end().len();
    let start = words.len() - said.trim_start().len();
    (start < end).then_some(start..end)
}

#[cfg(test)]
mod tests;
