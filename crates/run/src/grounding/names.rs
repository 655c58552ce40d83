//! Proper names: every name of a claim must be named by its quote or by the headings above it.

use std::collections::HashSet;

use super::fold::is_word;
use super::lexicon::listed;
use super::measures::{self, Measure};
use super::{Fault, Written};
use crate::analysis::{Language, is_stop_word, sentences, terms};

/// Returns a fault for every proper name of the folded `claim` that neither the quote nor its section has.
pub(super) fn faults(claim: &str, written: &Written<'_>) -> Vec<Fault> {
    let known = Known::new([written.quote, written.section]);
    let passage: HashSet<&str> = tokens(written.passage).map(|(_, token)| token).collect();
    let stems: HashSet<String> = common_stems(written.passage);
    let openings: HashSet<usize> = sentences(claim)
        .into_iter()
        .filter_map(|sentence| Some(sentence.start + claim.get(sentence)?.find(is_word)?))
        .collect();
    let mut found = Vec::new();
    for (at, token) in unmeasured(claim, &measures::scan(claim)) {
        let opening = openings.contains(&at)
            && !has_inner_sign(token)
            && is_ordinary(token, &passage, &stems);
        if !opening && is_name(token) && !known.has(token) {
            found.push(Fault::NameAbsent { name: token.to_owned() });
        }
    }
    found.dedup();
    found
}

/// Returns the words of a folded text with their hyphens and apostrophes, and where each starts.
pub(super) fn tokens(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let inner = |c: char| is_word(c) || matches!(c, '-' | '\'' | '&');
    let mut from = 0;
    std::iter::from_fn(move || {
        let rest = text.get(from..)?;
        let start = from + rest.find(is_word)?;
        let rest = text.get(start..)?;
        let token = rest.get(..rest.find(|c| !inner(c)).unwrap_or(rest.len()))?;
        from = start + token.len();
        Some((start, token.trim_end_matches(|c| !is_word(c))))
    })
}

/// Returns the words of a folded text that are no part of its `measures`, and where each starts.
pub(super) fn unmeasured<'a>(
    text: &'a str,
    measures: &[Measure],
) -> impl Iterator<Item = (usize, &'a str)> {
    tokens(text).filter(|(at, _)| !measures.iter().any(|measure| measure.at.contains(at)))
}

/// The words a name may be found among, as written and in lower case.
struct Known {
    exact: HashSet<String>,
    lower: HashSet<String>,
    /// Common nouns of the source, for `Gulls` in a title and `gull` in the text.
    common: HashSet<String>,
}

impl Known {
    fn new(texts: [&str; 2]) -> Known {
        let mut exact = HashSet::new();
        for (_, token) in texts.iter().flat_map(|text| tokens(text)) {
            for part in std::iter::once(token).chain(token.split('-')) {
                exact.insert(singular(part).to_owned());
                exact.insert(bare(part).to_owned());
            }
        }
        let lower = exact.iter().map(|token| token.to_lowercase()).collect();
        let common =
            exact.iter().filter(|token| !token.contains(char::is_uppercase)).cloned().collect();
        Known { exact, lower, common }
    }

    fn has(&self, token: &str) -> bool {
        let token = bare(token);
        if is_acronym(token) && is_stop_word(token, Language::English) {
            return self.exact.contains(token);
        }
        let whole = |word: &str| {
            let lower = word.to_lowercase();
            let other_number = lower.strip_suffix('s').map_or(format!("{lower}s"), str::to_owned);
            self.lower.contains(&lower)
                || self.exact.contains(singular(word))
                || self.common.contains(&other_number)
        };
        // A name with a number in it is one name; of others each part must be known, if it is a name itself.
        whole(token)
            || !token.contains(|c: char| c.is_numeric())
                && token.contains('-')
                && token.split('-').all(|part| !is_name(part) || whole(part))
    }
}

/// Cuts the possessive: `Darwin's` is about `Darwin`.
pub(super) fn bare(token: &str) -> &str {
    token.strip_suffix("'s").unwrap_or(token)
}

/// Cuts the plural of acronyms and peoples (`DNAs`, `Norwegians`); `Williams` is not the plural of `William`.
fn singular(token: &str) -> &str {
    let token = bare(token);
    let plural = |stem: &&str| {
        is_acronym(stem)
            || ["ian", "ean", "can"].iter().any(|end| stem.ends_with(end) && stem.len() > 5)
    };
    token.strip_suffix('s').filter(plural).unwrap_or(token)
}

fn is_acronym(token: &str) -> bool {
    token.chars().filter(|c| c.is_uppercase()).count() >= 2 && !token.contains(char::is_lowercase)
}

fn has_inner_sign(token: &str) -> bool {
    token.chars().skip(1).any(|c| c.is_uppercase() || c.is_numeric())
}

/// Tells whether a token is written as a name somewhere inside a sentence.
pub(super) fn is_name(token: &str) -> bool {
    let token = bare(token);
    let capital = token.contains(char::is_uppercase);
    let mixed = token.contains(|c: char| c.is_numeric()) && token.contains(char::is_alphabetic);
    let pronoun = token == "I" || token.starts_with("I'");
    let lower_part = token.split('-').all(|part| !part.contains(char::is_uppercase) && !mixed);
    let stop = !is_acronym(token) && is_stop_word(token, Language::English);
    !pronoun && !lower_part && (capital || mixed) && !stop
}

/// Ordinary words that open sentences.
const OPENERS: &[&str] = &[
    // Who.
    "adult adults animals author authors children experts investigators members men participants",
    "patients people researchers respondents reviewers scholars scientists subjects teams users",
    "women workers writers",
    // What was found, and how.
    "analyses analysis article cases changes comparison data evidence examples experiments findings",
    "measurements methods models number numbers observations report reports research result results",
    "samples source sources studies study surveys tests text trials",
    // When, and in which order.
    "current currently days earlier early finally first following historically last later long new",
    "older previous previously recent recently second third today years younger",
    // How many.
    "two three four five six seven eight nine ten",
    // How it goes on.
    "according additional additionally approximately based certain common compared consequently",
    "considering contrary further furthermore generally given importantly interestingly large less",
    "like nearly notably overall regarding several similarly small specifically surprisingly",
    "typically unlike using usually various",
];

/// Returns the stems of the words of a text that stand there in small letters.
fn common_stems(text: &str) -> HashSet<String> {
    let common = tokens(text).filter(|(_, token)| !token.contains(char::is_uppercase));
    common.flat_map(|(_, token)| terms(token, Language::English)).collect()
}

/// Tells whether a word is made from one that opens a sentence of the passage, and is not that word: `Inhibition` from `Inhibiting`.
fn is_made_from_an_opener(lower: &str, passage: &HashSet<&str>) -> bool {
    const FEWEST_LETTERS: usize = 7;
    let stem = terms(lower, Language::English);
    lower.len() >= FEWEST_LETTERS
        && !stem.is_empty()
        && passage.iter().any(|token| {
            let other = token.to_lowercase();
            other.len() >= FEWEST_LETTERS
                && other != lower
                && !has_inner_sign(token)
                && !other.starts_with(lower)
                && !lower.starts_with(&other)
                && terms(&other, Language::English) == stem
        })
}

/// Tells whether a capital at the start of a sentence is only that: `stems` are those of the passage's common words.
fn is_ordinary(token: &str, passage: &HashSet<&str>, stems: &HashSet<String>) -> bool {
    let lower = bare(token).to_lowercase();
    let languages = [Language::English, Language::German, Language::French, Language::Spanish];
    if languages.into_iter().any(|language| is_stop_word(&lower, language))
        || listed(OPENERS, &lower)
        || terms(&lower, Language::English).iter().any(|stem| stems.contains(stem))
        || is_made_from_an_opener(&lower, passage)
    {
        return true;
    }
    let known =
        |word: &str| passage.contains(word) || passage.contains(format!("{word}s").as_str());
    lower.split('-').all(|part| {
        known(part)
            || known(part.strip_suffix('s').unwrap_or(part))
            || is_stop_word(part, Language::English)
    }) || known(&lower)
}

#[cfg(test)]
mod tests {
    use super::*;

    const PASSAGE: &str = "Niko Tinbergen, of the University of Oxford, watched herring gulls. The US and WHO said COVID-19 and H5N1 kill us. \
        Turkeys, and a turkey, saw McDonald's α-helix.";

    fn written(quote: &str) -> Written<'_> {
        Written { quote, section: "Herring gull > Ringing in Wales", passage: PASSAGE }
    }

    fn check(claim: &str, absent: &[&str]) {
        let expected: Vec<Fault> =
            absent.iter().map(|name| Fault::NameAbsent { name: (*name).to_owned() }).collect();
        assert_eq!(faults(claim, &written(PASSAGE)), expected, "{claim:?}");
    }

    // proves: C4, C13
    #[test]
    fn every_token_of_a_name_must_occur_in_quote_or_section() {
        check("Tinbergen's gulls were ringed in Wales.", &[]);
        check("Researchers at the University of Oxford watched gulls.", &[]);
        check("Researchers at the University of Cambridge watched gulls.", &["Cambridge"]);
        check("Jan Tinbergen watched gulls.", &["Jan"]);
        check("Gulls were watched. Watched gulls are British.", &["British"]);
        check("Lorenz watched gulls.", &["Lorenz"]);
        check("In May 2011 the GULLS and Turkeys came", &[]);
    }

    // proves: C4, C13
    #[test]
    fn acronyms_and_names_with_digits_are_whole() {
        check("COVID-19 and H5N1 kill the WHO", &[]);
        check("COVID-18 and H5N2 kill", &["COVID-18", "H5N2"]);
        check("DNA kills", &["DNA"]);
        let us = faults("It kills the US", &written("COVID-19 and H5N1 kill us"));
        assert_eq!(us, [Fault::NameAbsent { name: "US".to_owned() }]);
    }
}
