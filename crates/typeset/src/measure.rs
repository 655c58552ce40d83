//! How broad text is, by the embedded fonts, and where long words may be broken.

use std::sync::LazyLock;

use ttf_parser::Face;
use unicode_segmentation::UnicodeSegmentation;

/// The faces that text is measured by: upright and strong, and what has the letters that they lack.
static FACES: LazyLock<[Vec<Face<'static>>; 2]> = LazyLock::new(|| {
    let read = |file: &&'static [u8]| Face::parse(file, 0).ok();
    let faces = [[fonts::SERIF, fonts::SANS], [fonts::SERIF_BOLD, fonts::SANS_BOLD]];
    faces.map(|files| files.iter().filter_map(read).collect())
});

/// Returns how broad a text is on one line, in heights of a letter. Kerning and ligatures make it a little less broad.
pub(crate) fn width(text: &str, is_strong: bool) -> f64 {
    let [upright, strong] = &*FACES;
    let faces = if is_strong { strong } else { upright };
    text.chars().map(|character| advance(character, faces)).sum()
}

fn advance(character: char, faces: &[Face<'_>]) -> f64 {
    const UNKNOWN: f64 = 1.0;
    let in_face = |face: &Face<'_>| {
        let advance = face.glyph_hor_advance(face.glyph_index(character)?)?;
        Some(f64::from(advance) / f64::from(face.units_per_em()))
    };
    faces.iter().find_map(in_face).unwrap_or(UNKNOWN)
}

/// Cuts a text where a line may end within a word: in words of more than `longest` letters, behind punctuation where there is some.
///
/// Joined, the pieces are the text.
pub(crate) fn cut_long_words(text: &str, longest: usize) -> Vec<&str> {
    let mut pieces = Vec::new();
    let mut from = 0;
    let mut end = 0;
    for word in text.split_inclusive(char::is_whitespace) {
        for cut in find_cuts(word, longest.max(1)) {
            pieces.extend(text.get(from..end + cut));
            from = end + cut;
        }
        end += word.len();
    }
    pieces.extend(text.get(from..).filter(|rest| !rest.is_empty()));
    pieces
}

/// Returns where a word is cut so that no part has more than `longest` letters, in bytes.
fn find_cuts(word: &str, longest: usize) -> Vec<usize> {
    let mut cuts = Vec::new();
    let letters: Vec<(usize, &str)> = word.trim_end().grapheme_indices(true).collect();
    if letters.len() <= longest {
        return cuts;
    }
    // A cut behind punctuation is better than one at the end of what fits, unless it makes a part that is very short.
    let shortest = longest / 3;
    let mut start = 0;
    while letters.len() - start > longest {
        let parts = (start + 1 + shortest..=start + longest).rev();
        let behind = |index: &usize| {
            let letter = letters.get(index - 1).and_then(|(_, letter)| letter.chars().next());
            letter.is_some_and(|letter| !letter.is_alphanumeric())
        };
        let next = parts.clone().find(behind).unwrap_or(start + longest);
        cuts.extend(letters.get(next).map(|(at, _)| *at));
        start = next;
    }
    cuts
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_long_word_is_cut_behind_its_punctuation() {
        let pieces = cut_long_words("see https://example.org/one/two-three/four five", 12);
        assert_eq!(pieces, ["see https://", "example.org/", "one/two-", "three/four five"]);
        assert_eq!(cut_long_words("Donaudampfschiff", 5), ["Donau", "dampf", "schif", "f"]);
        assert_eq!(cut_long_words("short words", 12), ["short words"]);
        assert_eq!(cut_long_words("", 12), [""; 0]);
    }

    #[test]
    fn broader_text_is_broader() {
        assert!(width("mm", false) > width("ii", false));
        assert!(width("Ж東", true) > width("Ж", true));
        assert!(width("", true) <= 0.0);
    }

    proptest! {
        #[test]
        fn pieces_make_the_text_and_none_has_a_word_too_long(text in any::<String>(), longest in 1usize..40) {
            let pieces = cut_long_words(&text, longest);
            prop_assert_eq!(pieces.concat(), text.as_str());
            for piece in pieces {
                for word in piece.split(char::is_whitespace) {
                    prop_assert!(word.graphemes(true).count() <= longest + 1, "{word:?}");
                }
            }
        }
    }
}
