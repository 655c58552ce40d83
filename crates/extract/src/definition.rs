//! Whether a statement says what the subject of a question is: it begins with the subject, and goes on as a definition does. "A checkpoint is
//! a point in the log" does; "A checkpoint is expected soon" does not.

use text::{terms, words};

use super::asked::{Asked, Kind};
use super::candidates::Candidate;

/// The most words at the beginning of a statement that neither belong to the subject nor are function words: "The term latency refers …".
const BEFORE: usize = 1;

/// What stands between a subject and what it is, besides a colon or a dash.
#[rustfmt::skip]
const MEANS: &[&str] = &[
    "means", "mean", "refers to", "refer to", "stands for", "denotes", "describes", "is defined as", "are defined as", "is short for",
    "shall mean", "we mean", "is understood as", ", i.e", ", meaning", "bedeutet",
    "bezeichnet", "heißt", "nennt man", "steht für", "signifie", "désigne", "veut dire", "significa", "designa", "se refiere a", "quiere decir",
];
/// The same, if one of [`ARTICLES`] follows.
#[rustfmt::skip]
const COPULAS: &[&str] = &[
    "is", "are", "was", "were", "ist", "sind", "war", "waren", "est", "sont", "était", "étaient", "es", "son", "era", "eran",
];
#[rustfmt::skip]
const ARTICLES: &[&str] = &[
    "a", "an", "the", "one", "any", "ein", "eine", "einer", "der", "die", "das", "un", "une", "le", "la", "les", "l", "des", "el", "los", "las",
    "una", "uno",
];
/// What stands between a subject and another word for it, if an article follows: "A weir, a low dam, …".
#[rustfmt::skip]
const APPOSITIONS: &[&str] = &[",", ", which is", ", that is,", ", also", ", das ist", ", c'est-à-dire", ", es decir,"];
/// What stands before one certain thing. In the other languages, a definition begins with the like.
const DEFINITE: &[&str] = &["the", "this", "that", "our", "your", "my"];
/// What stands before a subject that a statement ends with: "… is called a checkpoint".
#[rustfmt::skip]
const CALLED: &[&str] = &[
    "called", "known as", "nennt man", "heißt", "heißen", "genannt", "appelle", "appelé", "appelée", "nomme", "llama", "llamado", "llamada",
];

/// How surely a statement is a definition.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Definition {
    /// "A checkpoint is a point in the log", "Checkpoint: a point in the log".
    Sure,
    /// "The checkpoint is the point in the log", which may as well be an opinion: "The checkpoint is the problem".
    Likely,
}

/// Returns how surely a statement says what the subject of a question is that asks for it; `None` if it does not look so.
pub(super) fn find_definition(asked: &Asked, candidate: &Candidate<'_>) -> Option<Definition> {
    if asked.kind != Kind::Definition || asked.topics.is_empty() {
        return None;
    }
    let is_all = |label: &str| {
        find_subject(asked, label).is_some_and(|(before, rest)| {
            !rest.contains(char::is_alphanumeric) && !before.contains(char::is_alphanumeric)
        })
    };
    // What stands first under a heading says what it is.
    if candidate.place == 0 && is_all(candidate.label) {
        return Some(Definition::Sure);
    }
    read_definition(asked, candidate.words)
}

fn read_definition(asked: &Asked, text: &str) -> Option<Definition> {
    let (before, rest) = find_subject(asked, text)?;
    let before = before.to_lowercase();
    if CALLED.iter().any(|phrase| ends_with_word(without_article(&before), phrase)) {
        return Some(Definition::Sure);
    }
    let is_word = |word: &str| terms(word, asked.language).is_empty();
    if words(&before).filter(|(_, word)| !is_word(word)).count() > BEFORE {
        return None;
    }
    let closing = ['*', '_', '"', '”', '“', '»', '’', '`'];
    let aside = without_aside(rest.trim_start_matches(closing));
    let rest = aside.trim_start_matches(closing);
    if rest.starts_with([':', '：', '–', '—', '=']) || rest.starts_with("- ") {
        return Some(Definition::Sure);
    }
    let rest = rest.trim_start().to_lowercase();
    let after = |phrase: &&str| {
        let after = rest.strip_prefix(*phrase)?;
        (!after.starts_with(char::is_alphanumeric)).then(|| after.trim_start())
    };
    if MEANS.iter().any(|phrase| after(phrase).is_some()) {
        return Some(Definition::Sure);
    }
    let begins_with_article = |next: &str| {
        let word = next.split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
        ARTICLES.contains(&word)
    };
    if APPOSITIONS.iter().filter_map(after).any(begins_with_article) {
        return Some(Definition::Likely);
    }
    let is_definite = words(&before).last().is_some_and(|(_, word)| DEFINITE.contains(&word));
    let is_told = COPULAS.iter().filter_map(after).any(begins_with_article);
    is_told.then_some(if is_definite { Definition::Likely } else { Definition::Sure })
}

/// Returns what stands before the subject of a question and after it, where all its words stand together.
fn find_subject<'t>(asked: &Asked, text: &'t str) -> Option<(&'t str, &'t str)> {
    let topics: Vec<&str> = asked.topics.iter().map(|topic| topic.term.as_str()).collect();
    let (mut start, mut end) = (None, 0);
    let mut missing = topics.clone();
    for (at, word) in words(text) {
        let of_word = terms(word, asked.language);
        if of_word.is_empty() {
            continue;
        }
        if of_word.iter().all(|term| topics.contains(&term.as_str())) {
            start.get_or_insert(at);
            end = at + word.len();
            missing.retain(|topic| !of_word.iter().any(|term| term == topic));
        } else if missing.is_empty() {
            break;
        } else {
            start = None;
            missing.clone_from(&topics);
        }
    }
    let start = start.filter(|_| missing.is_empty())?;
    Some((text.get(..start)?, text.get(end..)?))
}

/// Returns a text without the aside in brackets that it begins with.
fn without_aside(text: &str) -> &str {
    let aside = text.trim_start().strip_prefix('(').and_then(|inner| inner.split_once(')'));
    aside.map_or(text, |(_, rest)| rest)
}

fn without_article(text: &str) -> &str {
    let text = text.trim_end_matches(|c: char| !c.is_alphanumeric());
    let before = ARTICLES.iter().filter(|article| ends_with_word(text, article));
    before.map(|article| &text[..text.len() - article.len()]).next().unwrap_or(text)
}

fn ends_with_word(text: &str, phrase: &str) -> bool {
    let text = text.trim_end_matches(|c: char| !c.is_alphanumeric());
    text.strip_suffix(phrase).is_some_and(|before| !before.ends_with(char::is_alphanumeric))
}
