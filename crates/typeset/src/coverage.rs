//! Which characters the embedded fonts can show.

use std::collections::BTreeSet;

use crate::world::FONTS;

/// What stands for a character that means nothing outside the document it comes from.
const REPLACEMENT: char = '\u{fffd}';

/// The characters that were met and that no embedded font has, in the order of their code points.
#[derive(Debug, Default)]
pub(crate) struct Coverage {
    known: BTreeSet<char>,
    pub(crate) missing: BTreeSet<char>,
}

impl Coverage {
    /// Returns a text as it can be set, and remembers which of its characters have no glyph.
    ///
    /// Those stay in the text, so that a copy of it has them. Characters of private use and characters that no text may hold become
    /// U+FFFD.
    pub(crate) fn check(&mut self, text: &str) -> String {
        if text.is_ascii() && !text.bytes().any(|byte| byte.is_ascii_control()) {
            return text.to_owned();
        }
        text.chars().filter_map(|character| self.check_character(character)).collect()
    }

    /// Returns a sentence on the characters that have no glyph; `None` if all have one.
    pub(crate) fn warning(&self) -> Option<String> {
        const MOST_NAMED: usize = 20;
        let name = |character: &char| match is_private(*character) {
            true => format!("U+{:04X}", u32::from(*character)),
            false => character.to_string(),
        };
        let named: Vec<String> = self.missing.iter().take(MOST_NAMED).map(name).collect();
        let more = match self.missing.len().saturating_sub(MOST_NAMED) {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        (!named.is_empty()).then(|| {
            format!(
                "the built-in fonts cannot show {}{more}. The PDF shows an empty box for each; copying the text still gives \
                 the right letters",
                named.join(" ")
            )
        })
    }

    fn check_character(&mut self, character: char) -> Option<char> {
        match character {
            '\n' | '\t' | ' '..='~' => Some(character),
            _ if character.is_control() || character == '\u{feff}' => None,
            _ if is_private(character) => {
                self.missing.insert(character);
                Some(REPLACEMENT)
            }
            _ => {
                if self.known.insert(character) && !is_unseen(character) && !has_glyph(character) {
                    self.missing.insert(character);
                }
                Some(character)
            }
        }
    }
}

pub(crate) fn has_glyph(character: char) -> bool {
    FONTS.iter().any(|font| font.info().coverage.contains(u32::from(character)))
}

/// Returns whether a character is of private use or none at all.
fn is_private(character: char) -> bool {
    let code = u32::from(character);
    matches!(code, 0xe000..=0xf8ff | 0xf_0000.. | 0xfdd0..=0xfdef) || code & 0xfffe == 0xfffe
}

/// Returns whether a character leaves no trace where no font has it.
fn is_unseen(character: char) -> bool {
    matches!(
        u32::from(character),
        0xad | 0x34f | 0x61c | 0x115f..=0x1160 | 0x17b4..=0x17b5 | 0x180b..=0x180f
        | 0x200b..=0x200f | 0x2028..=0x202e | 0x2060..=0x206f | 0x3164 | 0xfe00..=0xfe0f | 0xffa0
        | 0xe_0000..=0xe_0fff
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    // proves: F6
    #[test]
    fn what_reports_are_written_with_has_a_glyph() {
        let mut coverage = Coverage::default();
        let text = "Größe, naïve, Łódź, ő, Ελληνικά, Русский, Türkçe, עברית, العربية, → ≈ ” = ✓ ✗ ≤ ≥ × − – — … € £ § ¶ † ‡ • ▲ ² ₂ ½ α β σ µ ∑ √ ∞ ☐ ☑";
        assert_eq!(coverage.check(text), text);
        assert!(coverage.missing.is_empty(), "{:?}", coverage.missing);
    }

    // proves: F6
    #[test]
    fn what_has_no_glyph_is_named_and_stays() {
        let mut coverage = Coverage::default();
        assert_eq!(coverage.check("東京 \u{f0b7}\u{1}x\u{feff}"), "東京 \u{fffd}x");
        assert_eq!(Vec::from_iter(coverage.missing), ['京', '東', '\u{f0b7}']);
    }
}
