//! The language of a text, and its stop words.

mod names;

use std::collections::HashSet;
use std::sync::OnceLock;

use rust_stemmers::{Algorithm, Stemmer};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{sample, words};

/// The language a text is read in: it decides the stop words and the stemmer.
#[derive(
    Clone,
    Copy,
    Debug,
    Default,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    Serialize,
    Deserialize,
    JsonSchema,
)]
#[serde(rename_all = "lowercase")]
pub enum Language {
    #[default]
    English,
    German,
    French,
    Spanish,
    Italian,
    Portuguese,
    Dutch,
    Russian,
    Swedish,
    /// Any other: words are compared as they are written, none is left out.
    Other,
    Danish,
    Norwegian,
    Finnish,
    Hungarian,
    Romanian,
    Turkish,
    Greek,
    Arabic,
    // Those below have stop words and no stemmer: their words are compared as they are written.
    Polish,
    Czech,
    Ukrainian,
    Bulgarian,
    Hebrew,
    Persian,
    Urdu,
    Hindi,
    Bengali,
    Vietnamese,
    Indonesian,
    Thai,
    Chinese,
    Japanese,
    Korean,
}

/// Every language but [`Language::Other`], with its code of ISO 639-1 and its stemmer.
const LANGUAGES: [(Language, &str, Option<Algorithm>); 32] = {
    use Language::*;
    [
        (English, "en", Some(Algorithm::English)),
        (German, "de", Some(Algorithm::German)),
        (French, "fr", Some(Algorithm::French)),
        (Spanish, "es", Some(Algorithm::Spanish)),
        (Italian, "it", Some(Algorithm::Italian)),
        (Portuguese, "pt", Some(Algorithm::Portuguese)),
        (Dutch, "nl", Some(Algorithm::Dutch)),
        (Russian, "ru", Some(Algorithm::Russian)),
        (Swedish, "sv", Some(Algorithm::Swedish)),
        (Danish, "da", Some(Algorithm::Danish)),
        (Norwegian, "no", Some(Algorithm::Norwegian)),
        (Finnish, "fi", Some(Algorithm::Finnish)),
        (Hungarian, "hu", Some(Algorithm::Hungarian)),
        (Romanian, "ro", Some(Algorithm::Romanian)),
        (Turkish, "tr", Some(Algorithm::Turkish)),
        (Greek, "el", Some(Algorithm::Greek)),
        (Arabic, "ar", Some(Algorithm::Arabic)),
        (Polish, "pl", None),
        (Czech, "cs", None),
        (Ukrainian, "uk", None),
        (Bulgarian, "bg", None),
        (Hebrew, "he", None),
        (Persian, "fa", None),
        (Urdu, "ur", None),
        (Hindi, "hi", None),
        (Bengali, "bn", None),
        (Vietnamese, "vi", None),
        (Indonesian, "id", None),
        (Thai, "th", None),
        (Chinese, "zh", None),
        (Japanese, "ja", None),
        (Korean, "ko", None),
    ]
};

impl Language {
    /// Every language but [`Language::Other`].
    pub fn known() -> impl Iterator<Item = Language> {
        LANGUAGES.iter().map(|(language, ..)| *language)
    }

    /// Returns the language of a code such as `de`, `de-AT`, `pt_BR` or `deu`, or of a name such as `German` or `Deutsch`;
    /// [`Language::Other`] for one that is not known.
    pub fn of_code(code: &str) -> Language {
        Language::named(code).unwrap_or(Language::Other)
    }

    /// Returns the language that a code or name says, as [`of_code`](Language::of_code) does; `None` if it says none: `und`,
    /// `x-default`, `???`.
    pub fn named(said: &str) -> Option<Language> {
        names::named(said)
    }

    /// Returns the code of ISO 639-1; `None` for [`Language::Other`].
    pub fn code(self) -> Option<&'static str> {
        LANGUAGES.iter().find(|(language, ..)| *language == self).map(|(_, code, _)| *code)
    }

    pub(crate) fn stemmer(self) -> Option<Stemmer> {
        let found = LANGUAGES.iter().find(|(language, ..)| *language == self)?;
        found.2.map(Stemmer::create)
    }

    pub(crate) fn stop_words(self) -> &'static HashSet<&'static str> {
        static SETS: [OnceLock<HashSet<&'static str>>; 33] = [const { OnceLock::new() }; 33];
        static NONE: OnceLock<HashSet<&'static str>> = OnceLock::new();
        let list = || match (self, self.code()) {
            (Language::English, _) => ENGLISH.split_whitespace().collect(),
            (_, Some(code)) => {
                stop_words::lookup(code).unwrap_or_default().iter().copied().collect()
            }
            (_, None) => HashSet::new(),
        };
        SETS.get(self as usize).unwrap_or(&NONE).get_or_init(list)
    }
}

/// As it stands in a sentence: `German`.
impl std::fmt::Display for Language {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Language::Other => f.write_str("another language"),
            named => write!(f, "{named:?}"),
        }
    }
}

/// The English function words. The ISO list has 1,298 entries, among them `research`, `computer`, `information` and every two-letter
/// country code; a question made of those would find nothing.
const ENGLISH: &str = "a about above after again against all also although always am among an and another any anybody anyone \
    anything are aren't around as at away be became because become becomes been before behind being below beside besides \
    between beyond both but by can can't cannot could couldn't despite did didn't do does doesn't doing don't down during each \
    either else etc even ever every everybody everyone everything few for from further had hadn't has hasn't have haven't \
    having he he'd he'll he's hence her here here's hers herself him himself his how how's however i i'd i'll i'm i've if in \
    indeed instead into is isn't it it'd it'll it's its itself just let's many may me might more moreover most much must \
    mustn't my myself neither never nevertheless no nobody none nor not nothing now of off often on once only onto or other \
    others otherwise ought our ours ourselves out over own per perhaps quite rather same shall shan't she she'd she'll she's \
    should shouldn't since so some somebody someone something still such than that that'll that's the their theirs them \
    themselves then there there's thereby therefore these they they'd they'll they're they've this those though through \
    throughout thus to together too toward towards under unless until up upon us very via was wasn't we we'd we'll we're we've \
    were weren't what what's when when's where where's whereas wherever whether which while who who'd who'll who's whoever whom \
    whose why why's will with within without won't would wouldn't yet you you'd you'll you're you've your yours yourself \
    yourselves";

/// Returns whether `word`, in any case, carries grammar rather than content.
pub fn is_stop_word(word: &str, language: Language) -> bool {
    let set = language.stop_words();
    set.contains(word) || set.contains(word.to_lowercase().replace('’', "'").as_str())
}

/// The languages that [`guess`] tells apart.
const GUESSED: usize = 9;

/// Returns which of nine European languages has the most stop words in a text, or [`Language::Other`] if there are hardly any.
///
/// Only the first 20,000 bytes count, and of them only stop words, so a phrase of a few words is often [`Language::Other`]. [`detect`](crate::detect) knows more languages.
pub fn guess(text: &str) -> Language {
    /// Fewer stop words prove nothing.
    const FEWEST: usize = 2;
    let is_word = |word: &str| word.contains(char::is_alphabetic);
    let known: Vec<String> = words(sample(text))
        .filter(|(_, word)| is_word(word))
        .map(|(_, word)| word.to_lowercase())
        .collect();
    let count =
        |language: Language| known.iter().filter(|word| is_stop_word(word, language)).count();
    let mut best = (FEWEST - 1, Language::Other);
    for language in Language::known().take(GUESSED) {
        let found = count(language);
        if found > best.0 {
            best = (found, language);
        }
    }
    best.1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_language_has_its_stop_words() {
        for (word, language) in
            [("The", Language::English), ("und", Language::German), ("и", Language::Russian)]
        {
            assert!(is_stop_word(word, language));
        }
        assert!(!is_stop_word("und", Language::English) && !is_stop_word("the", Language::Other));
        for language in Language::known() {
            assert!(!language.stop_words().is_empty(), "{language}");
        }
    }

    #[test]
    fn a_language_is_known_by_its_code() {
        for (code, language) in [
            ("de-AT", Language::German),
            ("pt_BR", Language::Portuguese),
            ("nb", Language::Norwegian),
            ("JA", Language::Japanese),
            ("tlh", Language::Other),
            ("English", Language::English),
            ("deutsch (Österreich)", Language::German),
            ("ita", Language::Italian),
            ("iw", Language::Hebrew),
            ("in", Language::Indonesian),
            ("zho-Hans", Language::Chinese),
            ("русский", Language::Russian),
            ("日本語", Language::Japanese),
            ("Français", Language::French),
            ("Norwegian Bokmål", Language::Norwegian),
        ] {
            assert_eq!(Language::of_code(code), language);
        }
        for language in Language::known() {
            assert_eq!(language.code().map(Language::of_code), Some(language));
            assert_eq!(Language::of_code(&language.to_string()), language);
        }
        assert_eq!(Language::named("is-IS"), Some(Language::Other));
        for nothing in ["", "und", "mul", "zxx", "x-default", "i-default", "???", "xx", "none"] {
            assert_eq!(Language::named(nothing), None, "{nothing}");
        }
        assert_eq!(Language::Other.code(), None);
    }

    #[test]
    fn a_sentence_shows_its_language() {
        for (sentence, language) in [
            ("The handle of the pump was removed on the following day.", Language::English),
            ("Der Griff der Pumpe wurde am folgenden Tag entfernt.", Language::German),
            ("La poignée de la pompe a été retirée le lendemain.", Language::French),
            ("El mango de la bomba fue retirado al día siguiente.", Language::Spanish),
            ("青山水库建于1958年。", Language::Other),
            ("pump", Language::Other),
        ] {
            assert_eq!(guess(sentence), language, "{sentence}");
        }
    }
}
