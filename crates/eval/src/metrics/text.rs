//! Properties of an answer's text, whatever it says: its length, its repetition, and how easily it reads.
//!
//! Everything here takes Markdown without citation marks.

use std::collections::HashSet;

use text::{Kind, Language};
use unicode_normalization::UnicodeNormalization;

/// The words of a shingle. With four, English idioms ("on the other hand the") begin to count as repetition.
const SHINGLE: usize = 5;

/// Returns the number of words in a text, headings included, by Unicode's word boundaries.
pub fn words(text: &str) -> u64 {
    text::words(text).count() as u64
}

/// Returns the number of headings in a text.
pub fn sections(text: &str) -> u64 {
    let is_heading = |block: &text::Block| matches!(block.kind, Kind::Heading(_));
    text::split_blocks(text).iter().filter(|block| is_heading(block)).count() as u64
}

/// Returns the share of the word 5-shingles that occur earlier in the text, 0 to 1, or `None` for a text of fewer than five words.
///
/// A shingle is a sequence of adjacent words (Broder, "On the resemblance and containment of documents", Compression and Complexity of
/// Sequences 1997); here in lower case, across sentences and headings. A text repeated once scores nearly 0.5.
pub fn repetition(text: &str) -> Option<f64> {
    let words: Vec<String> = text::words(text).map(|(_, word)| word.to_lowercase()).collect();
    let mut seen: HashSet<&[String]> = HashSet::new();
    let shingles = words.windows(SHINGLE);
    let all = shingles.len();
    let again = shingles.filter(|shingle| !seen.insert(shingle)).count();
    (all > 0).then(|| again as f64 / all as f64)
}

/// Returns the Flesch reading ease of the paragraphs and list items of an English text, or `None` if there are none or the text is not
/// English.
///
/// 206.835 - 1.015 · words / sentences - 84.6 · syllables / words (Flesch, "A new readability yardstick", Journal of Applied Psychology 32
/// (1948), 221-233). 60 to 70 is plain English, below 30 is scholarly. It has no lower bound, and is at most 121.22. Headings, table rows
/// and code are not sentences, and are left out. Syllables are counted by rule: groups of vowels, less a silent `e`.
pub fn reading_ease(text: &str) -> Option<f64> {
    if text::guess(text) != Language::English {
        return None;
    }
    let (mut sentences, mut words, mut spoken) = (0_u64, 0_u64, 0_u64);
    let is_prose = |block: &text::Block| matches!(block.kind, Kind::Paragraph | Kind::Item);
    for block in text::split_blocks(text).into_iter().filter(is_prose) {
        for sentence in text::sentences_of(text, block.span) {
            sentences += 1;
            for (_, word) in text::words(text.get(sentence).unwrap_or_default()) {
                words += 1;
                spoken += syllables(word);
            }
        }
    }
    (sentences > 0 && words > 0).then(|| {
        let (sentences, words, spoken) = (sentences as f64, words as f64, spoken as f64);
        206.835 - 1.015 * words / sentences - 84.6 * spoken / words
    })
}

/// Returns the number of syllables of an English word, by rule: its groups of vowels (a, e, i, o, u, y), less a silent e, at least one.
///
/// The e of a final -e, -es or -ed is silent after a consonant, but not in -ble and the like (a consonant and l), in -es after s, x, z, c,
/// g or h, or in -ed after t or d. Accents are ignored, and a word without letters, such as a number, counts as one. Adjacent vowels that
/// are spoken separately (*idea*) count as one group.
fn syllables(word: &str) -> u64 {
    let letters: Vec<char> = word
        .nfd()
        .filter(char::is_ascii_alphabetic)
        .map(|letter| letter.to_ascii_lowercase())
        .collect();
    let groups = letters.chunk_by(|one, next| is_vowel(*one) == is_vowel(*next));
    let spoken = groups.filter(|group| group.first().copied().is_some_and(is_vowel)).count() as u64;
    spoken.saturating_sub(u64::from(ends_in_silent_e(&letters))).max(1)
}

fn is_vowel(letter: char) -> bool {
    matches!(letter, 'a' | 'e' | 'i' | 'o' | 'u' | 'y')
}

fn ends_in_silent_e(letters: &[char]) -> bool {
    let (before, spoken_behind): (&[char], &[char]) = match letters {
        [before @ .., 'e'] => (before, &[]),
        [before @ .., 'e', 's'] => (before, &['s', 'x', 'z', 'c', 'g', 'h']),
        [before @ .., 'e', 'd'] => (before, &['t', 'd']),
        _ => return false,
    };
    match before {
        [.., other, 'l'] if !is_vowel(*other) && *other != 'l' => false,
        [.., last] => !is_vowel(*last) && !spoken_behind.contains(last),
        [] => false,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const REPORT: &str = "# Tides\n\nThe tide is high at noon.\n\n## Why\n\n- The moon draws the sea.\n\n```\n# no heading\n```\n";

    // proves: A8
    #[test]
    fn words_and_headings_are_counted_as_a_reader_counts_them() {
        assert_eq!((words(REPORT), sections(REPORT)), (15, 2));
        assert_eq!((words(""), sections("")), (0, 0));
        assert_eq!((words("It rose by 3.5 m."), sections("It rose by 3.5 m.")), (5, 0));
    }

    // proves: A8
    #[test]
    fn what_stands_there_again_is_repetition() {
        for (text, share) in [
            ("one two three four", None),
            ("one two three four five", Some(0.0)),
            // Six shingles; the last repeats the first.
            ("a b c d e. A b C d e", Some(1.0 / 6.0)),
            ("no no no no no no", Some(0.5)),
        ] {
            assert_eq!(repetition(text), share, "{text}");
        }
    }

    // proves: A8
    #[test]
    fn reading_ease_is_that_of_flesch_and_of_english_alone() {
        let told = |text: &str| reading_ease(text).map(|ease| (ease * 1_000.0).round() / 1_000.0);
        // 206.835 - 1.015 * 6 - 84.6
        assert_eq!(told("The cat sat on the mat."), Some(116.145));
        // The heading and the table are not sentences.
        let more = "# Interdisciplinary considerations\n\nThe cat sat on the mat.\n\n| institution | authority |\n| --- | --- |\n| a | b |\n";
        assert_eq!(told(more), Some(116.145));
        let hard = "The institutional considerations of the authorities were interdisciplinary in their orientation.";
        assert!(told(hard).unwrap() < 0.0, "{:?}", told(hard));
        for none in ["", "616", "Die Katze saß auf der Matte und schlief.", "他在伦敦。"] {
            assert_eq!(told(none), None, "{none}");
        }
    }

    #[test]
    fn syllables_are_counted_by_rule() {
        for (word, number) in [
            ("a", 1),
            ("the", 1),
            ("time", 1),
            ("times", 1),
            ("table", 2),
            ("tables", 2),
            ("boxes", 2),
            ("called", 1),
            ("wanted", 2),
            ("settled", 2),
            ("Café", 1),
            ("question", 2),
            ("1854", 1),
            ("reservoir", 3),
            ("rhythm", 1),
            ("", 1),
        ] {
            assert_eq!(syllables(word), number, "{word}");
        }
    }

    proptest! {
        // proves: A8
        #[test]
        fn any_text_has_figures_within_their_bounds(
            any in "(?s).{0,80}",
            english in "((the|of|is|table|Rose|rhythm|3\\.5|[.#|\n-]) ?){0,60}",
        ) {
            for text in [any, english] {
                prop_assert!(sections(&text) <= text.lines().count() as u64);
                prop_assert!(words(&text) <= text.chars().count() as u64);
                prop_assert!(repetition(&text).is_none_or(|share| (0.0..=1.0).contains(&share)));
                prop_assert!(reading_ease(&text).is_none_or(|ease| ease.is_finite() && ease <= 121.22 + 1e-9));
                let twice = format!("{text} {text}");
                prop_assert!(repetition(&text) <= repetition(&twice));
            }
        }
    }
}
