//! Texts as PostgreSQL can store them: it has no character NUL.

use std::borrow::Cow;

/// Begins an escape sequence: no character, so it hardly occurs in a text.
const ESCAPE: char = '\u{10FFFF}';
const NUL: char = '0';
const ITSELF: char = '1';

/// Returns a text as it is stored.
pub(crate) fn stored(text: &str) -> Cow<'_, str> {
    if !text.contains(['\0', ESCAPE]) {
        return Cow::Borrowed(text);
    }
    let mut stored = String::with_capacity(text.len() + 8);
    for c in text.chars() {
        match c {
            '\0' => stored.extend([ESCAPE, NUL]),
            ESCAPE => stored.extend([ESCAPE, ITSELF]),
            c => stored.push(c),
        }
    }
    Cow::Owned(stored)
}

/// Returns the text that was stored.
pub(crate) fn restored(stored: String) -> String {
    if !stored.contains(ESCAPE) {
        return stored;
    }
    let mut text = String::with_capacity(stored.len());
    let mut signs = stored.chars();
    while let Some(c) = signs.next() {
        match c {
            ESCAPE => text.push(if signs.next() == Some(NUL) { '\0' } else { ESCAPE }),
            c => text.push(c),
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn every_text_comes_back_and_none_is_stored_with_a_nul(
            parts in prop::collection::vec(prop_oneof![Just("\0".to_owned()), Just(ESCAPE.to_string()), Just("01".to_owned()), "\\PC{0,4}"], 0..12)
        ) {
            let text = parts.concat();
            let kept = stored(&text).into_owned();
            prop_assert!(!kept.contains('\0'));
            prop_assert_eq!(restored(kept), text);
        }
    }
}
