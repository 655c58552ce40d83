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
    "means", "mean", "refers to", "refer to", "stands for", "denotes", "describes", "is defined as", "are defined as", "is short for", "bedeutet",
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
/// What stands before a subject that a statement ends with: "… is called a checkpoint".
#[rustfmt::skip]
const CALLED: &[&str] = &[
    "called", "known as", "nennt man", "heißt", "heißen", "genannt", "appelle", "appelé", "appelée", "nomme", "llama", "llamado", "llamada",
];

/// Returns whether a statement says what the subject of a question is that asks for it.
pub(super) fn says_what_it_is(asked: &Asked, candidate: &Candidate<'_>) -> bool {
    if asked.kind != Kind::Definition || asked.topics.is_empty() {
        return false;
    }
    let explains_its_term = || {
        candidate.defines
            && candidate.place == 0
            && find_subject(asked, candidate.label)
                .is_some_and(|(_, rest)| !rest.contains(char::is_alphanumeric))
    };
    goes_on_as_definition(asked, candidate.words) || explains_its_term()
}

fn goes_on_as_definition(asked: &Asked, text: &str) -> bool {
    let Some((before, rest)) = find_subject(asked, text) else { return false };
    let before = before.to_lowercase();
    if CALLED.iter().any(|phrase| ends_with_word(without_article(&before), phrase)) {
        return true;
    }
    let is_word = |word: &str| terms(word, asked.language).is_empty();
    if words(&before).filter(|(_, word)| !is_word(word)).count() > BEFORE {
        return false;
    }
    let rest = without_aside(rest.trim_start_matches(['*', '_', '"', '”', '“', '»', '’', '`']));
    if rest.starts_with([':', '：', '–', '—', '=']) || rest.starts_with("- ") {
        return true;
    }
    let rest = rest.trim_start().to_lowercase();
    let after = |phrase: &&str| {
        let after = rest.strip_prefix(*phrase)?;
        (!after.starts_with(char::is_alphanumeric)).then(|| after.trim_start())
    };
    MEANS.iter().any(|phrase| after(phrase).is_some())
        || COPULAS.iter().filter_map(after).any(|next| {
            let article = next.split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
            ARTICLES.contains(&article)
        })
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
