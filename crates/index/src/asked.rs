//! The terms of a question, in one language or in several.

use std::collections::{HashMap, HashSet};

use text::{Analyzer, Language};

/// A term of a question, and what stands for it in documents in other languages.
#[derive(Debug, Clone, PartialEq)]
pub struct AskedTerm {
    pub term: String,
    /// Its forms under other analyses: `anlage` for `anlagen`, which English leaves as it is.
    pub others: Vec<String>,
    pub weight: f32,
}

/// Returns the distinct terms of a question, sorted, each with its weight; if there are more than `most`, only those that come first.
///
/// A term's weight is the number of its forms in the question: a question about classes, classifying and classification is mainly
/// about them. A repeated form adds nothing: a question written twice is the same question.
pub fn asked_for(question: &str, language: Language, most: usize) -> Vec<(String, f32)> {
    let asked = asked_in(question, &[language], None, most);
    asked.into_iter().map(|asked| (asked.term, asked.weight)).collect()
}

/// Returns the distinct terms of a question to documents in several languages, as [`asked_for`] does in one.
///
/// Every word is analysed in each of the languages; it is named by its term in the first that keeps it. What the question's own
/// language takes for a function word is left out of all, unless nothing else is left.
pub fn asked_in(
    question: &str,
    languages: &[Language],
    own: Option<Language>,
    most: usize,
) -> Vec<AskedTerm> {
    let mut seen = HashSet::new();
    let bare = |word: &str| word.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
    let words: Vec<&str> =
        question.split_whitespace().filter(|word| seen.insert(bare(word))).collect();
    let is_plain = own.is_none_or(|own| languages == [own]);
    let mut own = own.filter(|_| !is_plain).map(Analyzer::new);
    let telling: Vec<&str> = match &mut own {
        Some(own) => words.iter().filter(|word| !own.terms(word).is_empty()).copied().collect(),
        None => Vec::new(),
    };
    if telling.is_empty() {
        own = None;
    }
    let words = if telling.is_empty() { words } else { telling };
    let mut analyzers: Vec<Analyzer> =
        languages.iter().map(|language| Analyzer::new(*language)).collect();
    let mut terms = Terms { most, of: HashMap::new(), named: HashMap::new() };
    for word in words {
        let own = own.as_mut().map(|own| own.places(word));
        let read: Vec<Vec<Option<String>>> =
            analyzers.iter_mut().map(|analyzer| analyzer.places(word)).collect();
        // A key has a place for itself and for each of its parts.
        for place in 0..read.first().map_or(0, Vec::len) {
            let is_told = |own: &Vec<_>| own.get(place).is_some_and(Option::is_some);
            if own.as_ref().is_none_or(is_told) {
                terms.take(read.iter().filter_map(|terms| terms.get(place)?.as_ref()));
            }
        }
    }
    terms.sorted()
}

/// The terms so far.
struct Terms {
    most: usize,
    of: HashMap<String, AskedTerm>,
    /// The name of the term that each form stands for.
    named: HashMap<String, String>,
}

impl Terms {
    /// Takes a word by its forms, of which the first names it. A form that another word has already stays with that one.
    fn take<'a>(&mut self, mut forms: impl Iterator<Item = &'a String>) {
        let Some(first) = forms.next() else { return };
        let name = self.named.get(first).unwrap_or(first).clone();
        if self.of.len() >= self.most && !self.of.contains_key(&name) {
            return;
        }
        let new = || AskedTerm { term: name.clone(), others: Vec::new(), weight: 0.0 };
        let asked = self.of.entry(name.clone()).or_insert_with(new);
        asked.weight += 1.0;
        self.named.insert(name.clone(), name.clone());
        for form in forms {
            if !self.named.contains_key(form) {
                self.named.insert(form.clone(), name.clone());
                asked.others.push(form.clone());
            }
        }
    }

    fn sorted(self) -> Vec<AskedTerm> {
        let mut sorted: Vec<AskedTerm> = self.of.into_values().collect();
        sorted.sort_unstable_by(|a, b| a.term.cmp(&b.term));
        sorted
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // proves: A6
    #[test]
    fn a_word_is_asked_for_in_each_language_of_the_documents() {
        let both = [Language::German, Language::English];
        let asked = asked_in("Welche Anlagen sind versichert?", &both, Some(Language::German), 9);
        let told: Vec<(&str, Vec<&str>)> = asked
            .iter()
            .map(|one| (one.term.as_str(), one.others.iter().map(String::as_str).collect()))
            .collect();
        assert_eq!(told, [("anlag", vec!["anlagen"]), ("versichert", vec![])]);
    }

    // proves: A6
    #[test]
    fn function_words_of_the_question_are_left_out_in_every_language() {
        let asked = asked_in(
            "What is the Kündigungsfrist?",
            &[Language::German],
            Some(Language::English),
            9,
        );
        assert_eq!(asked.len(), 1, "{asked:?}");
        let nothing_else =
            asked_in("What is the?", &[Language::German], Some(Language::English), 9);
        assert!(!nothing_else.is_empty());
    }

    // proves: A6
    #[test]
    fn a_part_of_a_key_is_no_form_of_another_part() {
        let both = [Language::English, Language::German];
        for own in [None, Some(Language::English), Some(Language::German)] {
            let asked = asked_in("is_valid", &both, own, 9);
            for one in asked.iter().filter(|one| one.term == "valid") {
                assert!(one.others.is_empty(), "{own:?}: {asked:?}");
            }
            let named: Vec<&str> = asked.iter().map(|one| one.term.as_str()).collect();
            let without = own == Some(Language::English);
            let expected: &[&str] =
                if without { &["is_valid", "valid"] } else { &["is", "is_valid", "valid"] };
            assert_eq!(named, expected, "{own:?}");
        }
    }

    // proves: A6
    #[test]
    fn one_language_is_read_as_ever() {
        let question = "What classes classify gulls and gulls?";
        let plain = asked_for(question, Language::English, 9);
        assert_eq!(plain, [("class".into(), 1.0), ("classifi".into(), 1.0), ("gull".into(), 1.0)]);
        let same = asked_in(question, &[Language::English], Some(Language::English), 9);
        assert!(same.iter().all(|one| one.others.is_empty()) && same.len() == plain.len());
    }
}
