//! What a number is counted in, and for which time.
//!
//! - A mean is in the unit of its question: *29 euros* where euros are asked for, never *29 dollars*, *29 days* or *29 points*. A sign of a currency is its word.
//! - *A month, per week, daily*: a time that the question or a label names in the same role. *How many days a week* names a week, and days as the unit.
//! - *Per* names a percentage or such a time, and nothing else: no figure is per ticket or per household.
//! - *One cent* is no *per cent*.

use std::collections::BTreeSet;

use super::numbers::{Said, Told, What};
use super::sentence::Sentence;
use super::tokens::{Token, tokens};
use super::values::tells;
use super::words::{PEOPLE, plain};
use crate::expression::Unit;
use crate::study::{Kind, Question};

/// Times, each with the word that it is compared by, and whether the word is the time itself and not an amount of it.
const TIMES: &[(&str, &str, bool)] = &[
    ("hour", "hour", true),
    ("hours", "hour", false),
    ("hourly", "hour", true),
    ("minute", "minute", true),
    ("minutes", "minute", false),
    ("second", "second", true),
    ("seconds", "second", false),
    ("day", "day", true),
    ("days", "day", false),
    ("daily", "day", true),
    ("night", "night", true),
    ("nights", "night", false),
    ("nightly", "night", true),
    ("weekend", "weekend", true),
    ("weekends", "weekend", false),
    ("week", "week", true),
    ("weeks", "week", false),
    ("weekly", "week", true),
    ("fortnight", "fortnight", true),
    ("month", "month", true),
    ("months", "month", false),
    ("monthly", "month", true),
    ("quarter", "quarter", true),
    ("quarterly", "quarter", true),
    ("year", "year", true),
    ("years", "year", false),
    ("yearly", "year", true),
    ("annual", "year", true),
    ("annually", "year", true),
    ("annum", "year", true),
];
/// Signs of currencies, with how their words begin.
const CURRENCIES: &[(&str, &[&str])] = &[
    ("€", &["eur", "€"]),
    ("$", &["dollar", "usd", "$"]),
    ("£", &["pound", "gbp", "£"]),
    ("¥", &["yen", "yuan", "¥"]),
    ("¢", &["cent", "¢"]),
];

fn time(word: &str) -> Option<(&'static str, bool)> {
    TIMES.iter().find(|(known, _, _)| *known == word).map(|(_, time, itself)| (*time, *itself))
}

/// Whether an amount stands for each of what follows: a week, per month.
fn each(word: &str) -> bool {
    matches!(word, "a" | "an" | "per" | "each" | "every")
}

/// The words of the questions, answers and segments of the figures.
fn asked(sentence: &Sentence<'_>) -> Vec<Token> {
    let mut texts: BTreeSet<String> = BTreeSet::new();
    for part in &sentence.parts {
        texts.insert(part.question.words());
        texts.extend(part.question.answers.iter().map(|answer| answer.label.clone()));
        texts.extend(part.question.nets.iter().map(|net| net.label.clone()));
        texts.extend(part.part.segment.iter().cloned());
    }
    texts.iter().flat_map(|text| tokens(text)).collect()
}

/// Appends what is wrong with units and times.
pub(super) fn check(sentence: &Sentence<'_>, faults: &mut Vec<String>) {
    let asked = asked(sentence);
    let times: BTreeSet<&str> = asked
        .iter()
        .filter_map(|token| time(&token.word))
        .filter(|(_, itself)| *itself)
        .map(|(time, _)| time)
        .collect();
    for (at, token) in sentence.tokens.iter().enumerate().filter(|(at, _)| sentence.free(*at)) {
        let word = token.word.as_str();
        let told = match time(word) {
            Some((time, true)) if word.ends_with("ly") || word.starts_with("ann") => Some(time),
            // How long lies between two studies is read with the times.
            _ if each(word) && sentence.back(at, 1) != "within" => period(sentence, at),
            _ => None,
        };
        let told = told.filter(|told| !times.contains(told));
        if let Some(told) = told.or_else(|| of_a_mean(sentence, at, &asked)) {
            let told = if time(word).is_some() { word } else { told };
            faults.push(match times.first() {
                Some(known) => format!(
                    "the question asks for a {known}, and the sentence tells a figure of '{told}': write the time of the question."
                ),
                None => format!(
                    "the question names no '{told}' that figures are for: leave the time out."
                ),
            });
        }
        let cent = sentence.word(at + 1) == "cent";
        if word == "per" && !cent && period(sentence, at).is_none() && !per(&asked, sentence, at) {
            faults.push(format!(
                "no figure is per {}: say what the question asks.",
                sentence.word(at + 1)
            ));
        }
        let counted = sentence.counted.get(at).copied().unwrap_or_default();
        if word == "cent" && !counted && sentence.back(at, 1) != "per" && !names(&asked, "cent") {
            faults.push("'cent' is no unit of the figures: write per cent, or %.".to_owned());
        }
        let currency = CURRENCIES.iter().find(|(sign, _)| *sign == word);
        if let Some((sign, words)) = currency
            && !words.iter().any(|word| names(&asked, word))
        {
            faults.push(format!("'{sign}' is no unit that the question asks for: leave it out."));
        }
    }
    for said in &sentence.said {
        counted_in(sentence, said, &asked, faults);
    }
}

/// A time that stands in a sentence of means alone, and is neither a date nor an amount of the question.
fn of_a_mean(sentence: &Sentence<'_>, at: usize, asked: &[Token]) -> Option<&'static str> {
    let mut parts = sentence.parts.iter();
    if !parts.all(|part| part.part.unit == Unit::Mean) {
        return None;
    }
    let word = sentence.word(at);
    let (time, _) = time(word).filter(|(time, _)| !matches!(*time, "second" | "quarter"))?;
    let again = |other: &str, same: &str| matches!(other, "on" | "-") && same == word;
    let date = matches!(sentence.word(at + 1), "ago" | "earlier" | "later" | "before")
        || matches!(sentence.back(at, 1), "last" | "previous" | "past" | "earlier")
        || again(sentence.word(at + 1), sentence.word(at + 2))
        || again(sentence.back(at, 1), sentence.back(at, 2))
        || (time == "year" && matches!(sentence.word(at + 1), "old" | "olds" | "-"));
    let own = asked.iter().any(|known| known.word == word);
    (!date && !own).then_some(time).filter(|_| !word.ends_with("ly") && !word.starts_with("ann"))
}

fn names(asked: &[Token], beginning: &str) -> bool {
    asked.iter().any(|token| token.word.starts_with(beginning))
}

/// The time that follows a word such as *per*; what is ago or later is a date.
fn period(sentence: &Sentence<'_>, at: usize) -> Option<&'static str> {
    let time = (at + 1..at + 4).find_map(|place| {
        let inner = (at + 1..place).all(|between| {
            sentence.tokens.get(between).is_some_and(|token| {
                token.is_word() && !plain(&token.word) || token.is(&["usual", "average"])
            })
        });
        let (time, itself) = time(sentence.word(place))?;
        let date = matches!(sentence.word(place + 1), "ago" | "earlier" | "later" | "before");
        (inner && itself && !date && sentence.free(place)).then_some(time)
    })?;
    // A quarter is a share as often.
    let share = time == "quarter" && matches!(sentence.word(at), "a" | "an");
    (!share && time != "second").then_some(time)
}

/// Whether a question says per, and of the same.
fn per(asked: &[Token], sentence: &Sentence<'_>, at: usize) -> bool {
    let next = sentence.tokens.get(at + 1).map(|next| &next.stem);
    asked
        .windows(2)
        .any(|pair| matches!(pair, [per, what] if per.word == "per" && Some(&what.stem) == next))
}

/// Appends what is wrong with the noun after the number of a mean.
fn counted_in(sentence: &Sentence<'_>, said: &Said, asked: &[Token], faults: &mut Vec<String>) {
    let value = |unit| matches!(unit, Unit::Mean | Unit::Difference);
    let of = sentence.parts.iter().find(|part| {
        part.part.unit == Unit::Mean && tells(said, part.part.figure.value, part.part.unit)
    });
    let over = sentence.figures.iter().find(|(_, evaluated)| {
        value(evaluated.unit) && tells(said, evaluated.value, evaluated.unit)
    });
    let question = of.map(|part| part.question).or_else(|| {
        over.and(sentence.parts.iter().find(|part| part.part.unit == Unit::Mean))
            .map(|part| part.question)
    });
    if !matches!(said.what, What::Value | What::Things) {
        return;
    }
    let joined = sentence.tokens.get(said.to).filter(|next| next.joined && next.is_word());
    if let Some(joined) = joined.filter(|next| sentence.free(said.to) && next.word != "s") {
        faults.push(format!(
            "'{}{}' is no value of the figures: write it with its unit alone.",
            said.shown, joined.word
        ));
    }
    let Some(question) = question else { return };
    if said.unit == Told::Points && question.kind == Kind::Numeric {
        faults.push(format!(
            "'{}' is in points, and {} is not answered in points: write the unit of the question.",
            said.shown, question.id
        ));
        return;
    }
    if other_things(sentence, said, question) {
        faults.push(format!(
            "'{}' is told in something else than {} ('{}') asks for: write the unit of the question behind it.",
            said.shown, question.id, question.text
        ));
        return;
    }
    let own = |token: &Token| {
        asked.iter().any(|known| known.stem == token.stem)
            && time(&token.word).is_none_or(|_| {
                // "Days a week": days are counted, a week is not.
                asked.iter().any(|known| known.word == token.word)
            })
    };
    let other = (said.to..said.to + 3)
        .map_while(|at| {
            sentence.tokens.get(at).filter(|token| token.is_word() && sentence.free(at))
        })
        .take_while(|token| noun(&token.word) || !plain(&token.word))
        .find(|token| noun(&token.word));
    if let Some(other) = other.filter(|other| !own(other)) {
        faults.push(format!(
            "'{} {}' is no unit that {} ('{}') asks for: write the unit of the question.",
            said.shown, other.word, question.id, question.text
        ));
    }
}

/// Whether words of the question that are not its unit follow a number as if they were: *29 bus tickets* where euros are asked for.
fn other_things(sentence: &Sentence<'_>, said: &Said, question: &Question) -> bool {
    let words = tokens(&question.words());
    let many = words.iter().position(|token| token.word == "many");
    let unit = many.and_then(|at| words.get(at + 1)).or_else(|| {
        let within = words.iter().rposition(|token| token.word == "in")?;
        words.get(within + 1).filter(|token| plural(&token.word))
    });
    let Some(unit) = unit else { return false };
    let things: Vec<&Token> = (said.to..said.to + 4)
        .map_while(|at| sentence.tokens.get(at).filter(|one| one.is_word() && sentence.free(at)))
        .take_while(|token| !plain(&token.word))
        .collect();
    !things.iter().any(|token| token.stem == unit.stem)
        && things.iter().any(|token| plural(&token.word))
        && question.kind == Kind::Numeric
}

fn plural(word: &str) -> bool {
    word.len() > 3 && word.ends_with('s') && !word.ends_with("ss")
}

/// A noun that words of grammar count as well.
fn noun(word: &str) -> bool {
    time(word).is_some_and(|_| !word.ends_with("ly") && !word.starts_with("ann"))
        || matches!(
            word,
            "times" | "time" | "points" | "point" | "cent" | "cents" | "answers" | "reasons"
        )
        || PEOPLE.split_whitespace().any(|known| known == word)
}
