//! Words, the terms used for comparison, and token counts.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::ops::Range;

use rust_stemmers::Stemmer;
use unicode_normalization::UnicodeNormalization;
use unicode_script::{Script, UnicodeScript};
use unicode_segmentation::UnicodeSegmentation;

use crate::Language;

/// Returns the words of `text` with their start bytes, by Unicode's word boundaries.
///
/// `3.5`, `can't` and `e.g` are one word each; punctuation is not a word; each Han character is a word of its own.
pub fn words(text: &str) -> impl Iterator<Item = (usize, &str)> {
    text.unicode_word_indices()
}

/// Returns the terms of `text` in reading order: folded, lower case, stemmed, without stop words.
///
/// Scripts without spaces between words (Han, kana, Hangul, Thai and its neighbours) yield overlapping pairs of characters. Numbers
/// are kept; `1,000` and `1000` are the same term. A key such as `retry.backoff_seconds` is a term, and each of its parts is one.
pub fn terms(text: &str, language: Language) -> Vec<String> {
    Analyzer::new(language).terms(text)
}

/// Returns a text without its case: `Straße` and `STRASSE` become equal, as do the two forms of sigma.
pub fn fold_case(text: &str) -> String {
    text.to_uppercase().to_lowercase()
}

/// The analysis behind [`terms`] for many texts of one language. It stems each word only once.
pub struct Analyzer {
    language: Language,
    stop_words: &'static HashSet<&'static str>,
    stemmer: Option<Stemmer>,
    /// The term of each word seen so far; `None` for a stop word.
    known: HashMap<String, Option<String>>,
}

/// The maximum number of words that an analyzer remembers.
const MOST_KNOWN: usize = 1 << 16;

impl Analyzer {
    pub fn new(language: Language) -> Analyzer {
        Analyzer {
            language,
            stop_words: language.stop_words(),
            stemmer: language.stemmer(),
            known: HashMap::new(),
        }
    }

    /// Returns the terms of `text`, as [`terms`] does.
    pub fn terms(&mut self, text: &str) -> Vec<String> {
        self.places(text).into_iter().flatten().collect()
    }

    /// Returns the terms of `text`, with `None` in the place of each stop word. In every language a text has the same places.
    pub fn places(&mut self, text: &str) -> Vec<Option<String>> {
        let folded: String = if text.is_ascii() {
            text.to_ascii_lowercase()
        } else {
            without_marks_of_notes(text).nfkc().flat_map(char::to_lowercase).collect()
        };
        let mut found = Vec::new();
        let mut run: Option<Range<usize>> = None;
        for (start, word) in words(&folded) {
            let end = start + word.len();
            if word.chars().all(is_unspaced) {
                match &mut run {
                    Some(open) if open.end == start => open.end = end,
                    _ => {
                        pairs(&folded, run.replace(start..end), &mut found);
                    }
                }
                continue;
            }
            pairs(&folded, run.take(), &mut found);
            self.add(word, &mut found);
            for part in parts(word) {
                self.add(part, &mut found);
            }
        }
        pairs(&folded, run, &mut found);
        found
    }

    /// Adds the term of a folded word, `None` for a stop word.
    fn add(&mut self, word: &str, found: &mut Vec<Option<String>>) {
        if let Some(term) = self.known.get(word) {
            found.push(term.clone());
            return;
        }
        let term = self.term(word);
        found.push(term.clone());
        if self.known.len() < MOST_KNOWN {
            self.known.insert(word.to_owned(), term);
        }
    }

    /// Returns the term of a folded word, or `None` for a stop word.
    fn term(&self, word: &str) -> Option<String> {
        let word = word.replace('’', "'");
        if self.stop_words.contains(word.as_str()) {
            return None;
        }
        let word = without_article(&word, self.language);
        if self.stop_words.contains(word) {
            return None;
        }
        Some(match &self.stemmer {
            _ if word.starts_with(|c: char| c.is_ascii_digit()) => without_separators(word),
            Some(stemmer) => stemmer.stem(word).into_owned(),
            None => word.to_owned(),
        })
    }
}

/// Returns the parts of a key or name that Unicode takes for one word: `retry`, `backoff` and `seconds` of `retry.backoff_seconds`.
/// Abbreviations, decimals and versions have none.
fn parts(word: &str) -> impl Iterator<Item = &str> {
    let is_part = |part: &&str| part.chars().nth(1).is_some() && part.contains(char::is_alphabetic);
    let is_key = word.contains(['_', '.', ':']);
    word.split(['_', '.', ':'])
        .filter(move |part| is_key && is_part(part) && part.len() < word.len())
}

/// Estimates how many tokens a model counts for `text`: one for every four characters, and one for each character of a script without
/// spaces.
pub fn count_tokens(text: &str) -> usize {
    let characters = text.chars().count();
    let unspaced =
        if text.is_ascii() { 0 } else { text.chars().filter(|c| is_unspaced(*c)).count() };
    (characters - unspaced).div_ceil(4) + unspaced
}

/// Returns whether `character` belongs to a script written without spaces between words.
pub fn is_unspaced(character: char) -> bool {
    use Script::{Han, Hangul, Hiragana, Katakana, Khmer, Lao, Myanmar, Thai};
    !character.is_ascii()
        && matches!(
            character.script(),
            Han | Hangul | Hiragana | Katakana | Khmer | Lao | Myanmar | Thai
        )
}

/// Returns the digit that a superscript one stands for: 5 for `⁵`.
pub fn raised_digit(character: char) -> Option<char> {
    match character {
        '⁰' => Some('0'),
        '¹' => Some('1'),
        '²' => Some('2'),
        '³' => Some('3'),
        '⁴'..='⁹' => char::from_digit(u32::from(character) - 0x2070, 10),
        _ => None,
    }
}

/// A shorter word before a superscript is a unit or a variable: `m²`, `km²`, `x²`.
const SHORTEST_NOTED: usize = 4;

/// Returns `text` without the superscript numbers behind words of at least four letters, which count notes: `gulls³`.
fn without_marks_of_notes(text: &str) -> Cow<'_, str> {
    let is_raised = |c: char| raised_digit(c).is_some();
    if !text.contains(is_raised) {
        return text.into();
    }
    let mut letters = 0;
    let is_kept = |c: &char| {
        if is_raised(*c) {
            return letters < SHORTEST_NOTED;
        }
        letters = if c.is_alphabetic() { letters + 1 } else { 0 };
        true
    };
    text.chars().filter(is_kept).collect::<String>().into()
}

fn pairs(text: &str, run: Option<Range<usize>>, found: &mut Vec<Option<String>>) {
    let Some(run) = run.and_then(|range| text.get(range)) else { return };
    if run.chars().nth(1).is_none() {
        found.push(Some(run.to_owned()));
        return;
    }
    for ((start, _), (next, second)) in run.char_indices().zip(run.char_indices().skip(1)) {
        let pair = run.get(start..next + second.len_utf8());
        found.extend(pair.map(|pair| Some(pair.to_owned())));
    }
}

/// Cuts an elided article: `l'homme` and `dell'acqua` are about `homme` and `acqua`.
fn without_article(word: &str, language: Language) -> &str {
    match word.split_once('\'') {
        Some((article, rest))
            if matches!(language, Language::French | Language::Italian)
                && article.len() <= 5
                && !rest.is_empty() =>
        {
            rest
        }
        _ => word,
    }
}

fn without_separators(number: &str) -> String {
    let mut groups = number.split(',');
    let first = groups.next().unwrap_or_default();
    let grouped = first.len() <= 3
        && groups.all(|group| group.split('.').next().is_some_and(|digits| digits.len() == 3));
    if grouped { number.replace(',', "") } else { number.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn terms_are_folded_stemmed_and_free_of_stop_words() {
        let english = |text: &str| terms(text, Language::English);
        assert_eq!(english("The Gulls’ nests weren’t ﬁlling"), ["gull", "nest", "fill"]);
        assert_eq!(english("COVID-19 cost 1,000 or 3.5"), ["covid", "19", "cost", "1000", "3.5"]);
        assert_eq!(
            english("retry.backoff_seconds e.g. v1.2 std::io::read key:value"),
            [
                "retry.backoff_second",
                "retri",
                "backoff",
                "second",
                "e.g",
                "v1.2",
                "v1",
                "std",
                "io",
                "read",
                "key:valu",
                "key",
                "valu"
            ]
        );
        assert_eq!(english("gulls³ and terns¹⁰ on 5 km² 10⁶"), ["gull", "tern", "5", "km2", "106"]);
        assert_eq!(english("海鸥吃鱼 and 鱼"), ["海鸥", "鸥吃", "吃鱼", "鱼"]);
        assert_eq!(terms("l’homme et les maisons", Language::French), ["homm", "maison"]);
        assert_eq!(terms("The Gulls", Language::Other), ["the", "gulls"]);
    }

    #[test]
    fn the_token_estimate_counts_four_characters_or_one_ideograph() {
        assert_eq!(
            [count_tokens(""), count_tokens("abc"), count_tokens("abcde"), count_tokens("海鸥ab")],
            [0, 1, 2, 3]
        );
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn any_text_has_terms(text in "(?s)(.|[.!? \n#|-]|[0-9a-z]){0,60}") {
            for language in [Language::English, Language::French, Language::Other] {
                terms(&text, language);
            }
            prop_assert!(count_tokens(&text) <= text.len());
        }
    }
}
