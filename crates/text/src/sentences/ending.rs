//! Whether a sentence ends at a full stop: abbreviations, initials, ordinals and dates.

use std::cell::OnceCell;

use unicode_script::{Script, UnicodeScript};
use unicode_segmentation::UnicodeSegmentation;

use super::abbreviations::{Follows, abbreviation};
use super::marks::{has_no_case, is_reported};
use crate::{Language, guess, is_stop_word, is_unspaced};

/// Words before an ordinal number in German: `am 3. Werktag`.
const BEFORE_ORDINALS: &str =
    " am der dem den des im vom zum zur jeden jedem jeder beim ins bis ab seit ";

/// Words of names that are function words elsewhere: `A. de Boer`.
const OF_NAMES: &str =
    " de da do dos das di du del della der den van von la le el al ten ter bin ibn o ";

/// A block as it is cut: what is known of its language.
pub(super) struct Reader<'a> {
    body: &'a str,
    /// Guessed once it matters.
    language: OnceCell<Language>,
}

impl Reader<'_> {
    pub(super) fn of(body: &str) -> Reader<'_> {
        Reader { body, language: OnceCell::new() }
    }

    fn language(&self) -> Language {
        *self.language.get_or_init(|| guess(self.body))
    }

    /// Returns whether a sentence ends at these stops. `stops_and_marks` has the closing marks behind them as well.
    pub(super) fn ends_here(
        &self,
        before: &str,
        stops: &str,
        stops_and_marks: &str,
        after: &str,
    ) -> bool {
        let next = after
            .trim_start_matches(|c: char| c.is_whitespace() || "\"'“”‘„«»‹›([*_`¿¡".contains(c));
        let next = match next.strip_prefix(['–', '—']) {
            Some(aside) if after.starts_with(char::is_whitespace) => aside.trim_start(),
            _ => next,
        };
        let follows_at_once = !after.is_empty() && !after.starts_with(char::is_whitespace);
        if follows_at_once || next.starts_with(char::is_lowercase) && !is_identifier(after) {
            return false;
        }
        let is_pause = stops.chars().all(|c| matches!(c, '.' | '…' | ' ')) && stops != ".";
        if is_pause && next.starts_with(has_no_case) || is_reported(before, stops_and_marks, after)
        {
            return false;
        }
        if stops != "." || next.is_empty() {
            return true;
        }
        let mut words = before
            .rsplit(|c: char| c.is_whitespace() || "([\"'“‘„«—–/".contains(c))
            .filter(|word| !word.is_empty());
        let is_apart = before.ends_with(|c: char| c.is_whitespace() || "([\"'“‘„«—–/".contains(c));
        let word = if is_apart { "" } else { words.next().unwrap_or_default() };
        let previous = words.next().unwrap_or_default();
        if !word.is_empty() && word.chars().all(|c| c.is_ascii_digit()) {
            return !self.is_ordinal(previous, word, next);
        }
        match abbreviation(previous, word) {
            Some(Follows::Anything) => false,
            Some(Follows::Number) => !next.starts_with(|c: char| c.is_numeric() || c == '№'),
            Some(Follows::Content) => self.begins_sentence(next, false),
            // A unit: `14 h.`
            None if word.len() == 1
                && word.starts_with(|c: char| c.is_ascii_lowercase())
                && previous.ends_with(|c: char| c.is_ascii_digit()) =>
            {
                true
            }
            None if is_initials(word) => self.begins_sentence(next, true),
            None => true,
        }
    }

    /// Returns whether a text begins with a function word, and if `after_initials` with none that may stand in a name.
    fn begins_sentence(&self, next: &str, after_initials: bool) -> bool {
        let word = next
            .split(|c: char| !c.is_alphanumeric() && c != '\'' && c != '’')
            .next()
            .unwrap_or_default();
        let may_name = after_initials && OF_NAMES.contains(&format!(" {} ", word.to_lowercase()));
        if after_initials && next.get(word.len()..).is_some_and(|rest| rest.starts_with('.')) {
            return false;
        }
        // Lists of function words have single letters, which are initials here.
        let is_word = word.chars().nth(1).is_some();
        is_stop_word(word, Language::English)
            || is_word && !may_name && is_stop_word(word, self.language())
    }

    /// Returns whether a number before a stop is an ordinal or a part of a date: `3. Werktag`, `12. 5. 2020`, `2020. 5. 3.`.
    fn is_ordinal(&self, previous: &str, number: &str, next: &str) -> bool {
        let is_short = number.len() <= 2;
        let digits = next.len() - next.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        if digits > 0 {
            let rest = next.get(digits..).unwrap_or_default();
            let is_part = rest.starts_with('.') || digits == 4;
            return digits <= 4
                && is_part
                && (is_short || number.len() == 4 && rest.starts_with('.'));
        }
        if !is_short || next.starts_with('-') {
            return next.starts_with('-');
        }
        // A Korean date: `2020. 5. 3.`
        let is_of_date = previous.ends_with('.')
            && previous.trim_end_matches('.').chars().all(|c| c.is_ascii_digit());
        if is_of_date && next.starts_with(has_no_case) {
            return true;
        }
        let month = next.split(|c: char| !c.is_alphabetic()).next().unwrap_or_default();
        let listed = |list: &str, word: &str| list.contains(&format!(" {} ", word.to_lowercase()));
        listed(GERMAN_MONTHS, month)
            || listed(BEFORE_ORDINALS, previous)
            || self.language() == Language::German && !self.begins_sentence(next, false)
    }
}

const GERMAN_MONTHS: &str = " januar februar märz april mai juni juli august september oktober november dezember jahrhundert ";

/// Returns whether a word consists of single letters: `J`, `U.S`, `т.е`, `पी`.
fn is_initials(word: &str) -> bool {
    word.split('.').all(|part| {
        let mut letters = part.graphemes(true);
        let first = letters.next().is_some_and(|letter| letter.chars().all(is_of_letter));
        first && letters.next().is_none() && !part.starts_with(is_unspaced_letter)
    })
}

/// Returns whether a character is a letter or a mark on one.
fn is_of_letter(character: char) -> bool {
    character.is_alphabetic() || matches!(character, '\u{93c}' | '\u{94d}' | '\u{9cd}' | '\u{9bc}')
}

/// Returns whether a letter is a word in itself.
fn is_unspaced_letter(character: char) -> bool {
    is_unspaced(character) && character.script() != Script::Thai
}

/// Returns whether a text begins with the name of a command, a setting or the like, which starts a sentence in lower case: `pg_dump`,
/// or anything between backticks.
fn is_identifier(text: &str) -> bool {
    let word = text.split_whitespace().next().unwrap_or_default();
    word.starts_with('`') || word.trim_matches(|c: char| !c.is_alphanumeric()).contains('_')
}
