//! Superscripts and subscripts as plain text that keeps its meaning.
//!
//! Text has one line. `10` with a raised `6` must not read `106`, which is another number: what Unicode has as a superscript is written
//! with it (`10⁶`, `m²`), which is also how the checks of quantities read powers. Raised letters are mostly ordinals and abbreviations
//! (`4th`, `Mme`) and stay letters, so that a search for the word finds them. Other exponents follow a `^`.
//!
//! Subscripts stay plain: people type `H2O` and `CO2` in questions and quotes, and a quote is compared letter by letter with its source,
//! where `CO₂` would be another text. Only digits that follow a digit (`1010₂`) or that a digit follows (`log₂8`) become small ones, or
//! they would make another number.

use std::borrow::Cow;

use text::raised_digit;

use crate::struck::strike;

/// Where text stands.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Script {
    #[default]
    Line,
    Super,
    Sub,
}

/// Follows the script of a text that arrives in pieces, and rewrites what is raised or lowered once it is whole.
#[derive(Debug, Clone, Copy, Default)]
pub struct Scripts {
    open: Script,
    /// Where the open script begins, in bytes of the text.
    start: usize,
    /// Where lowered text that stays plain begins and ends, until what follows it is known.
    plain: Option<(usize, usize)>,
}

impl Scripts {
    /// Says where the text stands that is added to `words` next. The text must only be added to in between; at its end,
    /// [`Script::Line`] completes it.
    pub fn set(&mut self, script: Script, words: &mut String) {
        self.look_behind(words);
        if script == self.open {
            return;
        }
        // What is struck through ends with its marks.
        let before = words.get(..self.start).map(|before| before.trim_end_matches('~'));
        let before = before.unwrap_or_default();
        if let Some(said) = words.get(self.start..) {
            let written = match self.open {
                Script::Super => Some(superscript(said)),
                Script::Sub => Some(subscript(before, said, "").into_owned()),
                Script::Line => None,
            };
            if let Some(written) = written {
                words.truncate(self.start);
                words.push_str(&written);
            }
            if self.open == Script::Sub {
                self.plain = Some((self.start, words.len()));
            }
        }
        self.open = script;
        let goes_on = self.plain.filter(|(_, end)| script == Script::Sub && *end == words.len());
        if let Some((start, _)) = goes_on {
            (self.start, self.plain) = (start, None);
            return;
        }
        if script == Script::Sub {
            write_fraction(words);
        }
        self.start = words.len();
    }

    /// Completes the text as [`set`](Self::set) does where what follows is known, so that no later call changes it.
    pub fn end(&mut self, words: &mut String, next: &str) {
        self.set(Script::Line, words);
        if let Some((start, _)) = self.plain.take()
            && let (Some(before), Some(said)) = (words.get(..start), words.get(start..))
        {
            let written = subscript(before, said, next).into_owned();
            words.truncate(start);
            words.push_str(&written);
        }
        self.start = words.len();
    }

    /// Rewrites lowered text if what has come after it since does not leave it plain.
    fn look_behind(&mut self, words: &mut String) {
        let Some((start, end)) = self.plain else { return };
        let parts = (words.get(..start), words.get(start..end), words.get(end..));
        if let (Some(before), Some(said), Some(after)) = parts {
            if after.is_empty() {
                return;
            }
            let written = subscript(before, said, after).into_owned();
            // Small digits take more bytes.
            self.start += (written.len() - (end - start)) * usize::from(self.start >= end);
            words.replace_range(start..end, &written);
        }
        self.plain = None;
    }

    /// Returns where the text stands that is added next.
    pub(crate) fn script(&self) -> Script {
        self.open
    }

    /// Completes what stands raised or lowered and strikes the words from `start` on through.
    pub(crate) fn strike(&mut self, words: &mut String, start: usize) {
        let length = words.len();
        self.look_behind(words);
        // What changed stands before.
        let start = start + words.len() - length;
        self.set(Script::Line, words);
        strike(words, start);
    }
}

/// Turns raised digits before a stroke at the end of `words` into those of a fraction, apart from a whole number before: `3 1/`.
fn write_fraction(words: &mut String) {
    let Some(over) = words.strip_suffix(['/', '⁄']) else { return };
    let whole = over.trim_end_matches(|c| raised_digit(c).is_some());
    let digits: String = over[whole.len()..].chars().filter_map(raised_digit).collect();
    // `x²/` is no number.
    if !digits.is_empty() && !whole.ends_with(char::is_alphabetic) {
        let gap = if whole.ends_with(|c: char| c.is_ascii_digit()) { " " } else { "" };
        *words = format!("{whole}{gap}{digits}/");
    }
}

/// The longest exponent, in characters; longer text is raised for other reasons.
const LONGEST_EXPONENT: usize = 16;

/// Returns raised text as it reads on the line: `⁻³`, `²`, `th`, `™`, `^(2k)`. White space around it stays.
pub(crate) fn superscript(text: &str) -> String {
    let said = text.trim();
    if said.is_empty() {
        return text.to_owned();
    }
    let raised = match said {
        "TM" | "tm" => Some("™".to_owned()),
        "SM" => Some("℠".to_owned()),
        "o" => Some("º".to_owned()),
        _ if is_abbreviation(said) => None,
        _ => signs(said).or_else(|| exponent(said)),
    };
    match raised {
        Some(raised) => text.replacen(said, &raised, 1),
        None => text.to_owned(),
    }
}

/// Returns what is raised in a formula, where letters are variables and no abbreviations: `ⁿ`, `^k`, `^(kt)`, but also `°`, `′` and `th`.
pub(crate) fn power(text: &str) -> String {
    match text.trim() {
        "∘" => "°".to_owned(),
        said @ ("" | "′" | "st" | "nd" | "rd" | "th") => said.to_owned(),
        said => signs(said).or_else(|| exponent(said)).unwrap_or_else(|| format!("^({said})")),
    }
}

/// Returns what stands below the line of a fraction or under a root, in parentheses unless it is one number or one sign: `2a` would be
/// read as two factors.
pub(crate) fn factor(part: &str) -> String {
    let part = part.trim();
    let is_number = part.chars().all(|c| c.is_ascii_digit() || c == '.');
    if is_number || part.chars().count() == 1 { part.to_owned() } else { format!("({part})") }
}

/// Returns lowered text as it reads on the line between what stands before and after it: digits beside digits as small ones.
pub(crate) fn subscript<'a>(before: &str, said: &'a str, after: &str) -> Cow<'a, str> {
    let is_digit = |c: char| c.is_ascii_digit();
    let is_beside =
        before.ends_with(is_digit) || after.starts_with(is_digit) && said.ends_with(is_digit);
    if !is_beside || !said.trim().bytes().all(|byte| byte.is_ascii_digit()) {
        return Cow::Borrowed(said);
    }
    let small = |c: char| {
        let digit = c.to_digit(10).and_then(|digit| char::from_u32(0x2080 + digit));
        digit.unwrap_or(c)
    };
    Cow::Owned(said.chars().map(small).collect())
}

/// Returns whether what follows a formula would be read as a part of the index or exponent at its end: `log_28` for `log_2 8`.
pub(crate) fn goes_on(formula: &str, next: &str) -> bool {
    let before = formula.trim_end_matches(char::is_alphanumeric);
    let is_script = before.len() < formula.len() && before.ends_with(['_', '^']);
    is_script && next.starts_with(char::is_alphanumeric)
}

/// Returns whether raised text is an ordinal or an abbreviation (`th`, `er`, `o.`, `e`), or no word at all (`*`, `®`), or a reference in
/// brackets.
fn is_abbreviation(said: &str) -> bool {
    let letters = said.chars().all(|c| c.is_alphabetic() || c == '.');
    let one_letter = said.chars().count() == 1;
    // A raised letter of another script than Latin and Greek is an ordinal or a word.
    let foreign = said.starts_with(|c: char| c >= '\u{400}');
    letters && (!one_letter || said == "e" || foreign)
        || !said.chars().any(char::is_alphanumeric) && signs(said).is_none()
        || said.starts_with('[') && said.ends_with(']')
}

/// Returns text in superscript characters, if Unicode has them all; lists such as `1,2` keep their commas, ranges their dash.
fn signs(said: &str) -> Option<String> {
    let mut found = String::with_capacity(said.len() * 3);
    let mut before = None;
    let mut rest = said.chars().peekable();
    while let Some(c) = rest.next() {
        let is_between = before.is_some_and(|it: char| it.is_ascii_digit())
            && rest.peek().is_some_and(|it| it.is_ascii_digit() || *it == ' ');
        let sign = match c {
            '0' => '⁰',
            '1' => '¹',
            '2' => '²',
            '3' => '³',
            '4'..='9' => char::from_u32(0x2070 + c.to_digit(10)?)?,
            ',' | '–' if is_between => c,
            '+' => '⁺',
            '-' | '−' | '–' | '‐' | '‑' => '⁻',
            '=' => '⁼',
            '(' => '⁽',
            ')' => '⁾',
            'n' => 'ⁿ',
            'i' => 'ⁱ',
            '⁰' | '¹' | '²' | '³' | '⁴'..='⁹' | '⁺' | '⁻' | '⁼' | '⁽' | '⁾' | 'ⁿ' | 'ⁱ' => {
                c
            }
            ' ' if before == Some(',') => c,
            ' ' | '\u{a0}' => continue,
            _ => return None,
        };
        found.push(sign);
        before = Some(c);
    }
    Some(found)
}

/// Returns text after the sign of an exponent: `^k`, `^0.5`, `^(x+1)`; `None` if it has words.
fn exponent(said: &str) -> Option<String> {
    let has_words = said.split(|c: char| !c.is_alphabetic()).any(|it| it.chars().count() > 2);
    if has_words || said.contains('\n') || said.chars().count() > LONGEST_EXPONENT {
        return None;
    }
    let is_number = said.chars().all(|c| c.is_ascii_digit() || c == '.');
    let alone = said.chars().nth(1).is_none();
    Some(if is_number || alone { format!("^{said}") } else { format!("^({said})") })
}

#[cfg(test)]
mod tests;
