//! The languages of a collection: in which a document is analysed, and in which a question.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use text::{Analyzer, Language};

use super::{Found, Manifest, NewDocument};
use crate::evidence::Passage;

/// The metadata that says what language a document is in, by its code: `de`, `pt-BR`.
const LANG: &str = "lang";

impl Manifest {
    /// Returns the language that a document with this metadata is analysed in.
    pub fn language_of(&self, metadata: &BTreeMap<String, String>) -> Language {
        match (metadata.get(LANG), &self.languages) {
            (Some(code), Some(_)) => Language::of_code(code),
            _ => self.language,
        }
    }

    /// Returns the manifest with the languages of these documents; `None` if it has them already.
    pub fn with_languages_of(&self, documents: &[NewDocument]) -> Option<Manifest> {
        let known = self.languages.as_ref()?;
        let new = documents.iter().map(|document| self.language_of(&document.metadata));
        let all: BTreeSet<Language> = known.iter().copied().chain(new).collect();
        (all.len() > known.len()).then(|| Manifest { languages: Some(all), ..self.clone() })
    }

    /// Returns in which languages a question is read.
    pub fn reading(&self, question: &str) -> Reading {
        let Some(languages) = self.languages.as_ref().filter(|languages| !languages.is_empty())
        else {
            return Reading { languages: vec![self.language], asked_in: None };
        };
        let mut languages: Vec<Language> = languages.iter().copied().collect();
        let asked_in = text::asked_in(question, &languages);
        // The first language is the one that terms are named in.
        let first = asked_in.filter(|asked| languages.contains(asked)).unwrap_or(self.language);
        languages.sort_by_key(|language| *language != first);
        Reading { languages, asked_in }
    }
}

/// The languages in which a question to a collection is read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reading {
    /// The collection's languages, at least one. The first is that of the question if it is among them.
    pub languages: Vec<Language>,
    /// The language of the question, if it shows.
    pub asked_in: Option<Language>,
}

impl Reading {
    /// Returns the language in which the question's terms are named.
    pub fn language(&self) -> Language {
        self.languages.first().copied().unwrap_or_default()
    }

    /// Returns the languages as [`Found`] tells them.
    pub fn told(&self) -> Vec<Language> {
        if self.languages.len() > 1 { self.languages.clone() } else { Vec::new() }
    }

    /// Returns the language of the question if no document is in it.
    pub fn foreign(&self) -> Option<Language> {
        self.asked_in.filter(|asked| !self.languages.contains(asked))
    }
}

impl Found {
    /// Returns the languages that the documents are analysed in.
    pub fn document_languages(&self) -> Vec<Language> {
        if self.languages.is_empty() { vec![self.language] } else { self.languages.clone() }
    }

    /// Returns what to tell if the question is in a language that no document is in, and only words were compared.
    pub fn language_warning(&self) -> Option<String> {
        let asked = self.foreign.filter(|_| self.cosines.is_none() && self.chunks > 0)?;
        let languages = self.document_languages();
        let (all, either) = (listed(&languages, "and"), listed(&languages, "or"));
        Some(format!(
            "the documents are in {all}, and the question is in {asked}: without an embedder only words that are the same in both are found. \
             Ask in {either}, or ingest the documents with an embedder that knows both languages (`--embedder`)"
        ))
    }

    /// Returns what to tell if nothing was found by words in documents in several languages, one of which is the question's.
    pub fn other_languages(&self) -> Option<String> {
        let is_mixed = self.languages.len() > 1 && self.foreign.is_none() && self.cosines.is_none();
        let all = listed(&self.languages, "and");
        is_mixed.then(|| {
            format!(
                "The documents are in {all}. Without an embedder, those in another language than the question are found only by words that \
                 are the same in both."
            )
        })
    }

    /// Returns a reader of its passages.
    pub fn reader(&self) -> PassageReader<'_> {
        PassageReader { found: self, analyzers: HashMap::new() }
    }
}

/// Returns the languages in a sentence: `German, French and English`.
fn listed(languages: &[Language], last: &str) -> String {
    let names: Vec<String> = languages.iter().map(Language::to_string).collect();
    match names.split_last() {
        None => String::new(),
        Some((only, [])) => only.clone(),
        Some((end, rest)) => format!("{} {last} {end}", rest.join(", ")),
    }
}

/// Reads passages, each in the language of its document, into terms that can be compared with those of the question.
pub struct PassageReader<'f> {
    found: &'f Found,
    analyzers: HashMap<Language, Analyzer>,
}

impl PassageReader<'_> {
    /// Returns the terms of a text from a passage. A term that stands for one of the question's is named as that one is.
    pub fn terms(&mut self, passage: &Passage, text: &str) -> Vec<String> {
        let told = passage.metadata.get(LANG).filter(|_| !self.found.languages.is_empty());
        let language = told.map_or(self.found.language, |code| Language::of_code(code));
        let analyzer = self.analyzers.entry(language).or_insert_with(|| Analyzer::new(language));
        let mut terms = analyzer.terms(text);
        if !self.found.forms.is_empty() {
            for term in &mut terms {
                if let Some(named) = self.found.forms.get(term) {
                    term.clone_from(named);
                }
            }
        }
        terms
    }
}
