//! What a question asks for: its topics and the expected form of an answer.

use std::collections::HashSet;

use grounding::Of;

use super::lexicon::{self, Folded};
use super::topic;
use text::{Language, is_stop_word, is_unspaced, terms, words};

/// The kind of answer that is expected.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// A default value.
    Default,
    Date,
    Number,
    Who,
    Where,
    Why,
    /// An instruction or a command.
    How,
    /// A definition of something.
    Definition,
    YesNo,
    /// A name, a thing, a list of things.
    Which,
}

/// A word, or two characters of a script without spaces, that a question is about.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Topic {
    pub(super) term: String,
    /// Its share of the question's weight, 0 to 1.
    pub(super) weight: f64,
    pub(super) is_unspaced: bool,
    /// Stems of near-synonyms.
    pub(super) alike: Vec<String>,
}

/// A parsed question.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Asked {
    pub(super) kind: Kind,
    pub(super) topics: Vec<Topic>,
    /// Words with an unusual spelling for prose: `gc.auto`, `--force`, `SIGHUP`, `3.8`.
    pub(super) names: Vec<String>,
    /// Names such as those of people and places, in lower case.
    pub(super) called: Vec<String>,
    /// The unit that is counted or measured: the stems of the words after *how many*.
    pub(super) unit: Vec<String>,
    /// The kinds of amount asked for; empty if it may be any kind, or no amount is asked for.
    pub(super) amounts: Vec<Of>,
    /// Whether the question asks for a phone number or an address.
    pub(super) wants_contact: bool,
    /// Whether the question asks for something to type: a command, an option, a setting.
    pub(super) wants_code: bool,
    pub(super) wants_several: bool,
    /// All its words in lower case; `numbers` are its runs of digits.
    pub(super) words: HashSet<String>,
    pub(super) numbers: HashSet<String>,
    pub(super) language: Language,
}

impl Asked {
    /// Reads a question. `weights` are its terms with their IDF, if known; any other term gets the mean weight.
    pub(super) fn read(question: &str, language: Language, weights: &[(String, f64)]) -> Asked {
        let folded = Folded::of(question);
        let kind = classify_question(&without_filling(&folded));
        let about = if question.chars().any(is_unspaced) {
            without_asking(&folded.whole)
        } else {
            question.to_owned()
        };
        let known: Vec<f64> = weights.iter().map(|(_, weight)| weight.max(0.0)).collect();
        let middle =
            if known.is_empty() { 1.0 } else { known.iter().sum::<f64>() / known.len() as f64 };
        let weigh = |term: &String| {
            weights
                .iter()
                .find(|(one, _)| one == term)
                .map_or(middle, |(_, weight)| weight.max(0.0))
        };
        // What only asks for a definition is no topic, unless nothing else is left: "What is meant by a mean?"
        let asking: Vec<String> = match kind {
            Kind::Definition => {
                let phrases = lexicon::ASKS_WHAT_IT_IS.found_in(&folded);
                phrases.flat_map(|phrase| terms(phrase, language)).collect()
            }
            _ => vec![],
        };
        let mut about = terms(&about, language);
        if about.iter().any(|term| !asking.contains(term)) {
            about.retain(|term| !asking.contains(term));
        }
        let mut weighed: Vec<(String, f64)> = Vec::new();
        for term in about {
            if !weighed.iter().any(|(one, _)| *one == term) {
                let weight = weigh(&term);
                weighed.push((term, weight));
            }
        }
        let weighed = foremost(topic::topic(weighed, language));
        let all: f64 = weighed.iter().map(|(_, weight)| weight).sum();
        let topics = weighed.into_iter().map(|(term, weight)| Topic {
            is_unspaced: term.chars().all(is_unspaced),
            weight: if all > 0.0 { weight / all } else { 0.0 },
            alike: topic::alike(&term, language),
            term,
        });
        Asked {
            kind,
            topics: topics.collect(),
            names: names(question),
            called: called(question, language),
            unit: unit(&folded.whole, language),
            amounts: amounts(&folded),
            wants_contact: lexicon::WANTS_CONTACT.stand_in(&folded),
            wants_code: lexicon::WANTS_CODE.stand_in(&folded),
            wants_several: lexicon::WANTS_SEVERAL.stand_in(&folded),
            words: words(question).map(|(_, word)| word.to_lowercase()).collect(),
            numbers: find_numbers(question).map(str::to_owned).collect(),
            language,
        }
    }
}

/// The most words of a question that are considered: each is compared with every statement.
const MOST: usize = 48;

/// Returns the heaviest words of a question, in question order.
fn foremost(weighed: Vec<(String, f64)>) -> Vec<(String, f64)> {
    let mut ranked: Vec<(usize, (String, f64))> = weighed.into_iter().enumerate().collect();
    ranked.sort_by(|(_, (_, one)), (_, (_, other))| other.total_cmp(one));
    ranked.truncate(MOST);
    ranked.sort_by_key(|(place, _)| *place);
    ranked.into_iter().map(|(_, word)| word).collect()
}

/// Returns the runs of digits in a text.
pub(super) fn find_numbers(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_ascii_digit()).filter(|digits| !digits.is_empty())
}

fn without_filling(question: &Folded) -> Folded {
    let left =
        question.first(usize::MAX).filter(|word| !lexicon::FILLING.stand_in(&Folded::of(word)));
    let spoken = left.collect::<Vec<_>>().join(" ");
    if question.whole.chars().any(is_unspaced) {
        Folded::of(&question.whole)
    } else {
        Folded::of(&spoken)
    }
}

/// Returns the kind of answer that a question asks for.
fn classify_question(question: &Folded) -> Kind {
    let kinds = [
        (Kind::Why, &lexicon::ASKS_WHY),
        (Kind::Default, &lexicon::ASKS_DEFAULT),
        (Kind::Date, &lexicon::ASKS_WHEN),
        (Kind::Number, &lexicon::ASKS_NUMBER),
        (Kind::Who, &lexicon::ASKS_WHO),
        (Kind::Where, &lexicon::ASKS_WHERE),
        (Kind::How, &lexicon::ASKS_HOW),
        (Kind::Definition, &lexicon::ASKS_WHAT_IT_IS),
        (Kind::Which, &lexicon::ASKS_WHICH),
    ];
    // The German "was" asks for a thing, the English one whether something is so. A longer question asks for more than what a thing is.
    let is_of_thing = lexicon::ASKS_WHAT_IT_IS.open(question) && question.first(7).count() < 7;
    let is_whether = lexicon::ASKS_WHETHER.open(question) && !is_of_thing;
    if is_whether && kinds.iter().take(2).all(|(_, words)| !words.stand_in(question)) {
        return Kind::YesNo;
    }
    let asked = kinds.into_iter().find(|(_, words)| words.stand_in(question));
    match asked {
        Some((kind, _)) => kind,
        None if lexicon::ASKS_WHETHER.stand_in(question) => Kind::YesNo,
        None => Kind::Which,
    }
}

/// Returns the kinds of amount that a question may ask for.
fn amounts(question: &Folded) -> Vec<Of> {
    let all = [
        (Of::Money, &lexicon::WANTS_MONEY),
        (Of::Duration, &lexicon::WANTS_DURATION),
        (Of::TimeOfDay, &lexicon::WANTS_TIME),
        (Of::Share, &lexicon::WANTS_SHARE),
        (Of::Data, &lexicon::WANTS_DATA),
        (Of::Measure, &lexicon::WANTS_MEASURE),
    ];
    all.into_iter().filter(|(_, words)| words.stand_in(question)).map(|(of, _)| of).collect()
}

/// Removes the words that only ask from a question in a script without spaces.
fn without_asking(question: &str) -> String {
    let lists = [
        &lexicon::ASKS_WHEN,
        &lexicon::ASKS_NUMBER,
        &lexicon::ASKS_WHO,
        &lexicon::ASKS_WHERE,
        &lexicon::ASKS_WHY,
        &lexicon::ASKS_HOW,
        &lexicon::ASKS_WHAT_IT_IS,
        &lexicon::ASKS_WHICH,
        &lexicon::ASKS_WHETHER,
        &lexicon::PARTICLES,
    ];
    let mut asking: Vec<&str> = lists.iter().flat_map(|list| list.unspaced()).collect();
    asking.sort_by_key(|phrase| std::cmp::Reverse(phrase.len()));
    asking.iter().fold(question.to_owned(), |left, phrase| left.replace(phrase, " "))
}

/// Returns the words of a question with an unusual spelling for prose.
fn names(question: &str) -> Vec<String> {
    let trimmed = question.split_whitespace().map(|word| {
        let word = word.trim_matches(|c: char| "?!,;:\"'“”‘’«»„()[]".contains(c));
        word.trim_matches('`').trim_end_matches(['.', '?'])
    });
    let is_name = |word: &&str| {
        let inner = word.trim_start_matches('-');
        let letters = inner.chars().filter(|c| c.is_alphabetic()).count();
        let is_option = word.starts_with('-') && letters > 0;
        let is_joined = inner.contains(['_', '.', '/', '@', '*', '$']) && letters > 1;
        let capitals = inner.chars().skip(1).filter(|c| c.is_uppercase()).count();
        !inner.is_empty()
            && !inner.chars().any(is_unspaced)
            && (is_option
                || is_joined
                || letters > 1 && capitals > 0
                || inner.chars().any(|c| c.is_ascii_digit()))
    };
    trimmed.filter(is_name).map(str::to_lowercase).take(MOST).collect()
}

/// Returns the words of a question that look like names of people or places: capitalised and not at the start of a sentence.
fn called(question: &str, language: Language) -> Vec<String> {
    // Every noun is capitalised in German.
    if language == Language::German {
        return vec![];
    }
    let mut begins = true;
    let mut found = Vec::new();
    for word in question.split_whitespace() {
        let inner = word.trim_matches(|c: char| !c.is_alphanumeric());
        let inner = inner.strip_suffix("'s").or_else(|| inner.strip_suffix("’s")).unwrap_or(inner);
        let is_name = inner.chars().next().is_some_and(char::is_uppercase)
            && inner.chars().nth(1).is_some_and(char::is_lowercase);
        if is_name && !begins && found.len() < MOST && !is_stop_word(inner, language) {
            found.push(inner.to_lowercase());
        }
        begins = word.ends_with(['.', '?', '!', ':']);
    }
    found
}

/// Returns the stems of the words after *how many*.
fn unit(question: &str, language: Language) -> Vec<String> {
    const COUNTING: [&str; 9] = [
        "how many ",
        "how much ",
        "wie viele ",
        "wie viel ",
        "wieviel ",
        "combien de ",
        "combien d'",
        "cuántos ",
        "cuántas ",
    ];
    let behind =
        COUNTING.iter().find_map(|phrase| question.split_once(phrase)).map(|(_, behind)| behind);
    let Some(behind) = behind else { return vec![] };
    let first: Vec<&str> = words(behind).take(2).map(|(_, word)| word).collect();
    terms(&first.join(" "), language)
}

#[cfg(test)]
mod tests {
    use super::*;

    // proves: C10
    #[test]
    fn a_question_tells_what_it_asks_for() {
        let check = |question: &str, expected: Kind| {
            assert_eq!(
                classify_question(&without_filling(&Folded::of(question))),
                expected,
                "{question}"
            );
        };
        check("What is the default value of gc.auto?", Kind::Default);
        check("When was the dam built?", Kind::Date);
        check("How many objects are packed?", Kind::Number);
        check("Who signs the contract?", Kind::Who);
        check("Why did the pump fail?", Kind::Why);
        check("How do I undo a commit?", Kind::How);
        check("What is a reflog?", Kind::Definition);
        check("Was ist ein Pleuel?", Kind::Definition);
        check("Was the dam built of stone?", Kind::YesNo);
        check("Can I pay in cash?", Kind::YesNo);
        check("Which colours are sold?", Kind::Which);
        check("Wie hoch ist der Turm?", Kind::Number);
        check("Où se trouve le phare ?", Kind::Where);
        check("¿Quién pintó el mural?", Kind::Who);
        check("青山水库是哪一年建的？", Kind::Date);
        check("図書館はどこにありますか。", Kind::Where);
        check("犬を連れて入れますか。", Kind::YesNo);
    }

    // proves: C10
    #[test]
    fn what_only_asks_is_no_part_of_what_a_question_is_about() {
        let about = |question: &str| -> Vec<String> {
            let asked = Asked::read(question, Language::Other, &[]);
            asked.topics.into_iter().map(|topic| topic.term).collect()
        };
        assert_eq!(about("青山水库是哪一年建的？"), ["青山", "山水", "水库", "建"]);
        assert_eq!(about("Que signifie flasque ?"), ["flasque"]);
        for question in ["What is meant by quoin?", "Define quoin", "What does quoin mean?"] {
            let topics = Asked::read(question, Language::English, &[]).topics;
            assert_eq!(topics.len(), 1, "{question}");
        }
        let asked = Asked::read(
            "How many bytes does `pg_dump --jobs` use in v3.8?",
            Language::English,
            &[],
        );
        assert_eq!(asked.names, ["pg_dump", "--jobs", "v3.8"]);
        assert_eq!(asked.unit, ["byte"]);
    }

    // proves: C10
    #[test]
    fn of_a_question_of_many_words_the_heaviest_are_looked_at() {
        let long: Vec<String> = (0..5_000).map(|number| format!("word{number}")).collect();
        let weights = [("word4999".to_owned(), 9.0), ("word1".to_owned(), 1.0)];
        let asked = Asked::read(&long.join(" "), Language::English, &weights);
        assert_eq!((asked.topics.len(), asked.names.len()), (MOST, MOST));
        assert!(asked.topics.iter().any(|topic| topic.term == "word4999"));
    }
}
