//! HTML, JATS and MathML as plain text.
//!
//! A text is split into marks and the text between them ([`cut`]), then the marks are applied ([`write`]).

mod cut;
mod write;

use std::collections::HashSet;

/// Returns a fragment of HTML, JATS or MathML as plain text.
///
/// Paragraphs are separated by an empty line, list items and forced breaks by a line break; other white space is one space. Superscript
/// and subscript digits become Unicode's (`10⁻⁶`, `CO₂`), other scripts are marked (`e^-x`, `V_max`). A formula in both TeX and MathML is
/// taken from TeX. Double escaping is undone. `<` and `&` that belong to the text stay: only known elements are marks. In a text without
/// marks, an empty line separates paragraphs. Takes linear time in the length of the text.
pub(crate) fn plain(text: &str) -> String {
    write::written(&cut::pieces(text))
}

/// Returns a fragment as plain text on one line.
pub(crate) fn line(text: &str) -> String {
    one_line(&plain(text))
}

/// Replaces every run of white space and control characters by one space.
pub(crate) fn one_line(text: &str) -> String {
    let mut line = String::with_capacity(text.len());
    for word in text.split(|c: char| c.is_whitespace() || c.is_control()) {
        if !word.is_empty() {
            if !line.is_empty() {
                line.push(' ');
            }
            line.push_str(word);
        }
    }
    line
}

/// Removes duplicates, ignoring case; the first spelling stays.
pub(crate) fn distinct(texts: impl IntoIterator<Item = String>) -> Vec<String> {
    let mut seen = HashSet::new();
    texts.into_iter().filter(|text| seen.insert(text.to_lowercase())).collect()
}

/// Describes an HTML page that came instead of data: `an HTML page titled '…'`; returns `None` for any other text.
pub(crate) fn page_title(text: &str) -> Option<String> {
    const LOOKED_AT: usize = 4_096;
    let start: String = text.trim_start().chars().take(LOOKED_AT).collect();
    let lower = start.to_ascii_lowercase();
    if !lower.starts_with("<!doctype html") && !lower.starts_with("<html") {
        return None;
    }
    let within = |name: &str| {
        let from = lower.find(&format!("<{name}>"))? + name.len() + 2;
        let to = from + lower.get(from..)?.find("</")?;
        Some(line(start.get(from..to)?)).filter(|title| !title.is_empty())
    };
    Some(match within("title").or_else(|| within("h1")) {
        Some(title) => {
            format!("an HTML page titled '{}'", title.chars().take(120).collect::<String>())
        }
        None => "an HTML page".into(),
    })
}

/// Returns whether a character is invisible and does not belong in a text.
fn is_unwanted(character: char) -> bool {
    character.is_control() || matches!(character, '\u{ad}' | '\u{feff}' | '\u{fffe}' | '\u{ffff}')
}

#[cfg(test)]
mod tests;
