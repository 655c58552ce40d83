//! Looking a word up in the word lists of the checks.
//!
//! A list is written in rows, as a reader would group its words, with one space between two words.

/// Tells whether a row of the list has `word`.
pub(super) fn listed(rows: &[&str], word: &str) -> bool {
    rows.iter().any(|row| row.split(' ').any(|listed| listed == word))
}

/// Returns the first word of the first row with a word that `fits`: rows of spellings begin with their name.
pub(super) fn named(
    rows: &'static [&'static str],
    fits: impl Fn(&str) -> bool,
) -> Option<&'static str> {
    rows.iter().find(|row| row.split(' ').any(&fits)).and_then(|row| row.split(' ').next())
}

#[cfg(test)]
mod tests {
    use super::*;

    const ROWS: &[&str] = &["half halves", "yearly annual annually"];

    #[test]
    fn a_word_is_found_whole_and_named_by_its_row() {
        assert!(listed(ROWS, "annual") && listed(ROWS, "half"));
        assert!(!listed(ROWS, "ann") && !listed(ROWS, "half halves") && !listed(ROWS, ""));
        assert_eq!(named(ROWS, |word| word == "annually"), Some("yearly"));
        assert_eq!(named(ROWS, |word| word == "third"), None);
    }
}
