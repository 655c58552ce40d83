//! The form of a statement: whether it gives an amount, a name, a way, a reason, and whether that fits the question.

use grounding::{Of, find_amounts};

use super::asked::{Asked, Kind, find_numbers};
use super::candidates::Candidate;
use super::lexicon::{self, Folded};
use text::{is_unspaced, terms, words};

/// What a statement contains.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Form {
    pub(super) amounts: Vec<Of>,
    pub(super) has_number: bool,
    /// A number that is not in the question.
    pub(super) has_new_number: bool,
    pub(super) has_year: bool,
    pub(super) has_date: bool,
    pub(super) has_contact: bool,
    pub(super) has_code: bool,
    pub(super) has_path: bool,
    /// 0 to 1: names of persons, companies and places that are not in the question.
    pub(super) has_name: f64,
    pub(super) has_reason: bool,
    pub(super) has_place: bool,
    pub(super) has_rule: bool,
    pub(super) has_denial: bool,
    pub(super) has_default: bool,
    pub(super) defines: bool,
    pub(super) instructs: bool,
    pub(super) is_step: bool,
    pub(super) has_several: bool,
    /// Whether a number stands before the thing counted.
    pub(super) counts_it: bool,
}

impl Form {
    pub(super) fn of(asked: &Asked, candidate: &Candidate<'_>) -> Form {
        let words_of = candidate.words;
        let folded = Folded::of(words_of);
        let amounts = find_amounts(words_of);
        let numbers: Vec<&str> = find_numbers(words_of).collect();
        let has_digit = !numbers.is_empty();
        let has_year =
            numbers.iter().any(|number| number.len() == 4 && ("1000"..="2199").contains(number));
        let has_day = lexicon::MONTHS.stand_in(&folded) || lexicon::DAYS.stand_in(&folded);
        Form {
            has_number: has_digit || !amounts.is_empty(),
            has_new_number: numbers.iter().any(|number| !asked.numbers.contains(*number))
                || !has_digit && !amounts.is_empty(),
            has_date: amounts.iter().any(|of| matches!(of, Of::Date)) || has_day,
            has_year,
            has_contact: has_contact(words_of),
            has_code: has_code(words_of),
            has_path: has_path(words_of),
            has_name: name(asked, words_of, &folded),
            has_reason: lexicon::REASONS.stand_in(&folded),
            has_place: lexicon::PLACES.stand_in(&folded),
            has_rule: lexicon::RULES.stand_in(&folded),
            has_denial: lexicon::DENIALS.stand_in(&folded),
            has_default: lexicon::DEFAULTS.stand_in(&folded),
            defines: lexicon::DEFINES.stand_in(&folded),
            instructs: lexicon::INSTRUCTS.stand_in(&folded),
            is_step: folded.first(6).any(|word| lexicon::STEPS.open(&Folded::of(word))),
            has_several: words_of.matches([',', ';', '、', '，', '\n']).count() >= 2,
            counts_it: counts(asked, &folded.whole),
            amounts,
        }
    }

    /// Returns whether it has an amount of the kind asked for, as 0 or 1; one half if no kind is asked for.
    pub(super) fn amount_fits(&self, asked: &Asked) -> f64 {
        match asked.amounts.as_slice() {
            [] => 0.5,
            wanted if wanted.iter().any(|of| self.amounts.contains(of)) => 1.0,
            _ => 0.0,
        }
    }

    /// Returns how much a statement looks like an answer to the question, 0 to 1.
    pub(super) fn fits(&self, asked: &Asked, candidate: &Candidate<'_>) -> f64 {
        let flag = |is: bool| if is { 1.0 } else { 0.0 };
        let first_of = |values: [(bool, f64); 3]| {
            values.into_iter().find(|(is, _)| *is).map_or(0.0, |(_, value)| value)
        };
        match asked.kind {
            Kind::Default => {
                let labelled = lexicon::DEFAULTS.stand_in(&Folded::of(candidate.label));
                first_of([(self.has_default, 1.0), (labelled, 0.8), (false, 0.0)])
            }
            Kind::Date => first_of([
                (self.has_date || self.has_year || self.amounts.contains(&Of::TimeOfDay), 1.0),
                (self.amounts.contains(&Of::Duration), 0.6),
                (self.has_number, 0.3),
            ]),
            Kind::Number => first_of([
                (self.counts_it || self.amount_fits(asked) == 1.0, 1.0),
                (self.has_new_number, 0.7),
                (self.has_number, 0.4),
            ]),
            Kind::Who => self.has_name,
            Kind::Where => {
                first_of([(self.has_path, 1.0), (self.has_contact, 0.9), (self.has_place, 0.6)])
            }
            Kind::Why => flag(self.has_reason),
            Kind::How => first_of([
                (self.has_code && (self.is_step || self.instructs), 1.0),
                (self.has_code || self.is_step || self.instructs, 0.8),
                (true, 0.2),
            ]),
            Kind::Definition => {
                let is_told = |text: &str, most: usize| opens(asked, text, most);
                let label = candidate.label.to_lowercase();
                first_of([
                    (self.defines && is_told(candidate.words, 5), 1.0),
                    (candidate.place == 0 && is_told(&label, 6), 0.9),
                    (self.defines && candidate.place == 0, 0.5),
                ])
            }
            Kind::YesNo => flag(self.has_rule),
            Kind::Which => {
                let contact = asked.wants_contact && self.has_contact;
                let code = asked.wants_code && (self.has_code || self.has_path);
                first_of([
                    (contact || code, 1.0),
                    (asked.wants_contact || asked.wants_code, 0.2),
                    (true, 0.5),
                ])
            }
        }
    }
}

/// Returns whether a text begins with a topic of the question.
fn opens(asked: &Asked, text: &str, most: usize) -> bool {
    let first = words(text).take(most).map(|(_, word)| word).collect::<Vec<_>>().join(" ");
    let first = terms(&first, asked.language);
    let begins = |topic: &str| text.chars().take(12).collect::<String>().contains(topic);
    asked
        .topics
        .iter()
        .any(|topic| first.contains(&topic.term) || topic.is_unspaced && begins(&topic.term))
}

/// Returns whether a number stands right before the thing counted, or nearly.
fn counts(asked: &Asked, folded: &str) -> bool {
    const NEAR: usize = 4;
    if asked.unit.is_empty() {
        return false;
    }
    let spoken: Vec<&str> = words(folded).map(|(_, word)| word).collect();
    let is_number = |word: &&str| !find_amounts(word).is_empty();
    spoken.iter().enumerate().filter(|(_, word)| is_number(word)).any(|(index, _)| {
        let behind: Vec<&str> = spoken.iter().skip(index + 1).take(NEAR).copied().collect();
        terms(&behind.join(" "), asked.language).iter().any(|term| asked.unit.contains(term))
    })
}

/// Returns whether a text has an e-mail address, a URL or a phone number.
fn has_contact(text: &str) -> bool {
    /// The fewest digits in a phone number.
    const DIGITS: usize = 6;
    let is_address = text.split_whitespace().any(|word| {
        word.contains("://")
            || word.contains("www.")
            || word
                .split_once('@')
                .is_some_and(|(user, host)| !user.is_empty() && host.contains('.'))
    });
    let (mut digits, mut most) = (0, 0);
    for c in text.chars() {
        digits = match c {
            _ if c.is_ascii_digit() => digits + 1,
            ' ' | '-' | '/' | '(' | ')' | '+' | '\u{a0}' if digits > 0 => digits,
            _ => 0,
        };
        most = most.max(digits);
    }
    is_address || most >= DIGITS
}

/// Returns whether a text has a word that looks like code.
fn has_code(text: &str) -> bool {
    let is_typed = |word: &str| {
        let inner = word.trim_matches(|c: char| ".,;:!?()[]\"'“”".contains(c));
        let letters = inner.chars().filter(|c| c.is_ascii_alphabetic()).count();
        let capitals = inner.chars().filter(char::is_ascii_uppercase).count();
        letters > 1
            && (inner.starts_with('-') && inner.len() > letters
                || inner.contains(['_', '\\', '$', '=', '<'])
                || inner.trim_end_matches('.').contains('.')
                    && !inner.contains("..")
                    && letters > 3
                || capitals > 1 && capitals == letters && letters > 2
                || capitals > 0
                    && inner.chars().skip(1).any(|c| c.is_ascii_uppercase())
                    && capitals < letters)
            || word.ends_with("()")
    };
    text.contains('`') || text.contains("```") || text.split_whitespace().any(is_typed)
}

fn has_path(text: &str) -> bool {
    text.split_whitespace().any(|word| {
        let word = word.trim_matches(|c: char| "`(\"'.,;:)".contains(c));
        word.starts_with(['/', '~', '$']) && word.len() > 2
            || word.contains('/')
                && !word.contains("//")
                && !word.contains(|c: char| c.is_ascii_digit())
    })
}

/// Returns how far a text names a person or thing that the question does not.
fn name(asked: &Asked, text: &str, folded: &Folded) -> f64 {
    let is_by = lexicon::AUTHORS.stand_in(folded);
    if text.chars().any(is_unspaced) {
        return if is_by { 1.0 } else { 0.5 };
    }
    let (mut capitals, mut most, mut new) = (0, 0, false);
    let mut begins = true;
    for word in text.split_whitespace() {
        let inner = word.trim_matches(|c: char| !c.is_alphanumeric());
        let is_name = inner.chars().next().is_some_and(char::is_uppercase);
        let is_new = is_name && !asked.words.contains(&inner.to_lowercase());
        capitals = if is_name { capitals + 1 } else { 0 };
        new |= is_new && (!begins || capitals > 1);
        most = most.max(capitals);
        begins = word.ends_with(['.', ':', '|']) && inner.chars().count() > 2;
        if begins {
            capitals = 0;
        }
    }
    match (most, new, is_by) {
        (2.., true, true) => 1.0,
        (2.., true, false) => 0.9,
        (_, true, true) => 0.8,
        (_, true, false) => 0.5,
        (_, false, true) => 0.3,
        _ => 0.0,
    }
}
