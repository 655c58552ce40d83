//! The language of a text, and its stop words.

use std::collections::HashSet;
use std::sync::OnceLock;

use rust_stemmers::{Algorithm, Stemmer};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::words;

/// The language a text is read in: it decides the stop words and the stemmer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
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
}

impl Language {
    /// Every language but [`Language::Other`].
    pub const KNOWN: [Language; 9] = [
        Language::English,
        Language::German,
        Language::French,
        Language::Spanish,
        Language::Italian,
        Language::Portuguese,
        Language::Dutch,
        Language::Russian,
        Language::Swedish,
    ];

    pub(crate) fn stemmer(self) -> Option<Stemmer> {
        let algorithm = match self {
            Language::English => Algorithm::English,
            Language::German => Algorithm::German,
            Language::French => Algorithm::French,
            Language::Spanish => Algorithm::Spanish,
            Language::Italian => Algorithm::Italian,
            Language::Portuguese => Algorithm::Portuguese,
            Language::Dutch => Algorithm::Dutch,
            Language::Russian => Algorithm::Russian,
            Language::Swedish => Algorithm::Swedish,
            Language::Other => return None,
        };
        Some(Stemmer::create(algorithm))
    }

    pub(crate) fn stop_words(self) -> &'static HashSet<&'static str> {
        static SETS: [OnceLock<HashSet<&'static str>>; 10] = [const { OnceLock::new() }; 10];
        let code = match self {
            Language::English => {
                return SETS[self as usize].get_or_init(|| ENGLISH.split_whitespace().collect());
            }
            Language::German => "de",
            Language::French => "fr",
            Language::Spanish => "es",
            Language::Italian => "it",
            Language::Portuguese => "pt",
            Language::Dutch => "nl",
            Language::Russian => "ru",
            Language::Swedish => "sv",
            Language::Other => "",
        };
        SETS[self as usize]
            .get_or_init(|| stop_words::lookup(code).unwrap_or_default().iter().copied().collect())
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

/// Returns the language with the most stop words in a text, or [`Language::Other`] if there are hardly any.
///
/// Only stop words count, so a phrase of a few words is often [`Language::Other`].
pub fn guess(text: &str) -> Language {
    /// Fewer stop words prove nothing.
    const FEWEST: usize = 2;
    let is_word = |word: &str| word.contains(char::is_alphabetic);
    let known: Vec<String> = words(text)
        .filter(|(_, word)| is_word(word))
        .map(|(_, word)| word.to_lowercase())
        .collect();
    let count =
        |language: Language| known.iter().filter(|word| is_stop_word(word, language)).count();
    let mut best = (FEWEST - 1, Language::Other);
    for language in Language::KNOWN {
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
