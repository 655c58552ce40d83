//! The questions that the columns of a data file form.
//!
//! The first rule that fits decides:
//!
//! 1. No question: weights and columns that look like one, ids, dates and times, columns without any value (a note
//!    names them), columns named like an id with many values, columns of texts or whole numbers that differ for every
//!    respondent (numbers: of more than 100, or counted from 0 or 1), and columns that only serve a set.
//! 2. The columns of a multiple-response set are one `multi` question. If no set is declared, neighbours form a set if
//!    their names are alike except for the last part (`Q8_1`, `Q8_2`), and they hold only 0 and 1, or one text each or
//!    nothing (a note says so).
//! 3. The declared kind.
//! 4. Texts: `single` if labels explain them, or if there are at most 20 different ones that occur twice or more on
//!    average; else `open`.
//! 5. Numbers with labels: `scale` if the labels form a rating ([`super::rating`]) and the file does not call them
//!    nominal; `numeric` if most different values have no label and there are more than 11 of these; else `single`.
//! 6. Numbers without labels: `scale` if they are whole numbers from 0 or 1 up to at most 11 and the words ask for a
//!    rating; `numeric` if the file calls them a measure, if they are not whole, or if there are more than 12 different
//!    ones; else `single`.
//!
//! The top of a scale is where its favourable words are: the lowest number if "very satisfied" is 1, and then a note
//! says so. A score is the value, or the number that its label begins with if all labels of the scale begin with one
//! and the two increase together; a note says so. Answers such as "don't know" and numbers outside the run of a scale
//! have no score. Values of a labelled question that have no label are answers too, named by their values. A note
//! counts them ([`unexplained`]), and another counts numbers that look like codes for no answer ([`suspected`]).

mod seen;
mod several;
mod suspected;
mod unexplained;

use std::collections::HashSet;

use self::seen::Seen;
use self::several::multi;
use self::suspected::Suspected;
use self::unexplained::Unexplained;
use super::names::{inferred_sets, is_id, marked_sets};
use super::rating::{self, Rating};
use super::raw::{Raw, Role, Set, Told};
use crate::study::{Answer, Code, Column, Data, Given, Kind, Question, Top, Value};

/// How many unexplained answers a question may have.
const MOST_UNLABELLED: usize = 12;
/// The most notes on one matter.
const MOST_NOTES: usize = 10;
/// How many different texts may be the answers of a question.
const MOST_TEXTS: usize = 20;

/// Returns the questions of a file, in the order of its columns, and adds notes on how they were made.
pub(super) fn questions(raw: &mut Raw) -> Vec<Question> {
    let mut sets = std::mem::take(&mut raw.sets);
    if !raw.sets_are_known {
        let in_set: HashSet<usize> = members(&sets);
        for set in inferred_sets(raw, &in_set) {
            raw.notes.push(format!(
                "{} columns ({} and its neighbours) contain only 0 and 1 and were read as one question with several answers, \
                 {}",
                set.members.len(),
                set.members.first().and_then(|one| raw.columns.get(one.column)).map_or("", |one| one.name.as_str()),
                set.id
            ));
            sets.push(set);
        }
        let in_set = members(&sets);
        for set in marked_sets(raw, &in_set) {
            raw.notes.push(format!(
                "{} columns ({} and its neighbours) contain one text each or nothing and were read as one question with \
                 several answers, {}. Respondents with none of them count as no answer",
                set.members.len(),
                set.members.first().and_then(|one| raw.columns.get(one.column)).map_or("", |one| one.name.as_str()),
                set.id
            ));
            sets.push(set);
        }
    }
    let in_set = members(&sets);
    let mut silent: Vec<String> = Vec::new();
    let mut turned: Vec<String> = Vec::new();
    let mut named: Vec<String> = Vec::new();
    let mut printed: Vec<String> = Vec::new();
    let mut unexplained: Vec<Unexplained> = Vec::new();
    let mut suspected: Vec<Suspected> = Vec::new();
    let mut questions: Vec<(usize, Question)> = Vec::new();
    for set in &sets {
        let at = set.members.iter().map(|member| member.column).min().unwrap_or_default();
        questions.extend(multi(raw, set).map(|question| (origin(raw, at, set), question)));
    }
    for (place, (column, told)) in raw.columns.iter().zip(&raw.told).enumerate() {
        if in_set.contains(&place) || told.part || raw.weight == Some(place) {
            continue;
        }
        let seen = Seen::of(column, raw.respondents);
        if !may_ask(column, told, &seen, raw.respondents) {
            if seen.answered == 0 && told.role.is_none() {
                silent.push(column.name.clone());
            }
            continue;
        }
        let question = read_question(place, column, told, &seen);
        if question.top == Top::Lowest && told.top.is_none() {
            turned.push(question.id.clone());
        }
        if told.nominal && told.kind.is_none() && question.kind == Kind::Single {
            let rating = rating::rating(&answering(column), choose_wording(column));
            named.extend(rating.is_some().then(|| question.id.clone()));
        }
        if let Some((low, high)) = rating::scored_by_labels(&question) {
            printed.push(format!("{} ({low} to {high})", question.id));
        }
        unexplained.extend(Unexplained::of(column, &question));
        suspected.extend(Suspected::of(column, &question));
        questions.push((place, question));
    }
    if !silent.is_empty() {
        raw.notes.push(format!("nobody answered {}, so it is left out", super::listed(&silent)));
    }
    if !turned.is_empty() {
        raw.notes.push(format!(
            "the lowest number is the most favourable answer of {}; their top boxes count from there",
            super::listed(&turned)
        ));
    }
    if !printed.is_empty() {
        raw.notes.push(format!(
            "labels begin with different numbers from their values and are scored by the numbers in the labels: {}. \
             Expressions use the values",
            super::listed(&printed)
        ));
    }
    if !named.is_empty() {
        raw.notes.push(format!(
            "the file marks {} as nominal, so its labels are not a scale. To change that, set kind = \"scale\" in survey.toml",
            super::listed(&named)
        ));
    }
    let notes = unexplained.iter().map(|one| (one.question.as_str(), one.note()));
    raw.notes.extend(ten_at_most(notes.collect(), "nor some answers to"));
    let notes = suspected.iter().map(|one| (one.question.as_str(), one.note()));
    raw.notes.extend(ten_at_most(notes.collect(), "there are such numbers in"));
    raw.sets = sets;
    questions.sort_by_key(|(place, _)| *place);
    let mut questions: Vec<Question> =
        questions.into_iter().map(|(_, question)| question).collect();
    own_ids(&mut questions);
    questions
}

/// Returns the notes on questions, each given with the question's id: ten at most. If there are more, the tenth starts
/// with `beginning` and names the other questions.
fn ten_at_most(all: Vec<(&str, String)>, beginning: &str) -> Vec<String> {
    let alone = if all.len() > MOST_NOTES { MOST_NOTES - 1 } else { all.len() };
    let ids: Vec<&str> = all.iter().skip(alone).map(|(id, _)| *id).collect();
    let rest = format!("{beginning} {} more questions: {}", ids.len(), super::listed(&ids));
    let notes = all.into_iter().take(alone).map(|(_, note)| note);
    notes.chain((!ids.is_empty()).then_some(rest)).collect()
}

fn members(sets: &[Set]) -> HashSet<usize> {
    sets.iter().flat_map(|set| set.members.iter().map(|member| member.column)).collect()
}

/// Returns the position of a set: the column it was split from, else its first member.
fn origin(raw: &Raw, first: usize, set: &Set) -> usize {
    match raw.told.get(first) {
        Some(told) if told.part => raw.place(&set.id).unwrap_or(first),
        _ => first,
    }
}

/// Numbers questions that have the same id, such as a set and a column.
fn own_ids(questions: &mut [Question]) {
    let mut taken: HashSet<String> = HashSet::new();
    for question in questions {
        let mut id = question.id.clone();
        let mut number = 2_u32;
        while !taken.insert(id.to_lowercase()) {
            id = format!("{}_{number}", question.id);
            number += 1;
        }
        question.id = id;
    }
}

fn may_ask(column: &Column, told: &Told, seen: &Seen, respondents: usize) -> bool {
    if matches!(told.role, Some(Role::Weight | Role::Id)) || told.moment {
        return false;
    }
    if matches!(told.role, Some(Role::Segment | Role::Question)) {
        return true;
    }
    let numbers = is_id(&column.name, &column.label);
    if seen.answered == 0
        || (numbers && (seen.different || seen.many()))
        || super::study::weighs(column)
    {
        return false;
    }
    if told.kind.is_some() {
        return true;
    }
    if let Data::Texts { texts, .. } = &column.data {
        let dates = !texts.is_empty() && texts.iter().all(|text| super::cells::is_date(text));
        let own_words = seen.different && column.codes.is_empty();
        return !(dates || own_words);
    }
    // A different number for each respondent numbers them; among few respondents, ages may all be different too.
    let counted = seen.first.is_some_and(|first| matches!(first, 0.0 | 1.0)) && seen.consecutive;
    let enough = respondents > 100 || (respondents > 11 && counted);
    let numbered = seen.different && seen.whole && seen.answered == respondents && enough;
    !numbered
}

fn read_question(place: usize, column: &Column, told: &Told, seen: &Seen) -> Question {
    let asked = choose_wording(column);
    let (kind, rating) = infer_kind(column, told, seen, asked);
    let answers = match kind {
        Kind::Numeric | Kind::Open | Kind::Multi => Vec::new(),
        Kind::Single | Kind::Scale => answers(column, seen, rating.as_ref()),
    };
    Question {
        id: column.name.clone(),
        text: asked.to_owned(),
        kind,
        columns: vec![place],
        answers,
        nets: Vec::new(),
        grid: told.grid.clone(),
        top: told.top.or(rating.map(|rating| rating.top)).unwrap_or_default(),
    }
}

/// Returns the wording of a column's question: its label, else its name.
fn choose_wording(column: &Column) -> &str {
    if column.label.is_empty() { &column.name } else { &column.label }
}

/// Returns the kind of a question, and its rating if it is a scale.
fn infer_kind(column: &Column, told: &Told, seen: &Seen, asked: &str) -> (Kind, Option<Rating>) {
    let codes: Vec<Code> = answering(column);
    let values = seen.few.as_deref().unwrap_or_default();
    let texts = matches!(column.data, Data::Texts { .. });
    match told.kind {
        Some(Kind::Scale) if !texts => {
            return (Kind::Scale, Some(rating::declared(&codes, values)));
        }
        Some(Kind::Numeric) if !texts => return (Kind::Numeric, None),
        Some(Kind::Open) => return (Kind::Open, None),
        Some(Kind::Single | Kind::Scale) => return (Kind::Single, None),
        Some(Kind::Numeric | Kind::Multi) | None => {}
    }
    if texts {
        let several = seen.texts.len() <= MOST_TEXTS && seen.answered >= 2 * seen.texts.len();
        let known = !codes.is_empty() || (several && told.role != Some(Role::Id));
        return (if known { Kind::Single } else { Kind::Open }, None);
    }
    if codes.is_empty() {
        return unlabelled(told, seen, asked);
    }
    if let Some(rating) = rating::rating(&codes, asked).filter(|_| !told.nominal) {
        let outside = values.iter().filter(|value| !(rating.from..=rating.to).contains(*value));
        let unknown = outside.filter(|value| column.label_of(&Value::Number(**value)).is_none());
        if seen.few.is_some() && seen.whole && unknown.count() <= 2 {
            return (Kind::Scale, Some(rating));
        }
    }
    let without = values.iter().filter(|value| column.label_of(&Value::Number(**value)).is_none());
    let without = without.count();
    let mostly = seen.few.is_none() || (without > 11 && without * 2 > values.len());
    (if mostly { Kind::Numeric } else { Kind::Single }, None)
}

fn unlabelled(told: &Told, seen: &Seen, asked: &str) -> (Kind, Option<Rating>) {
    let Some(values) = seen.few.as_deref().filter(|_| seen.whole) else {
        return (Kind::Numeric, None);
    };
    let (low, high) = (values.first().copied(), values.last().copied());
    if let (Some(low), Some(high)) = (low, high)
        && matches!(low, 0.0 | 1.0)
        && (2.0..=11.0).contains(&high)
        && rating::asks_for_one(asked)
    {
        return (Kind::Scale, Some(rating::declared(&[], values)));
    }
    let many = values.len() > MOST_UNLABELLED;
    (if told.measured || many { Kind::Numeric } else { Kind::Single }, None)
}

/// Returns the codes that are answers: those that do not count as no answer.
fn answering(column: &Column) -> Vec<Code> {
    let answers = column.codes.iter().filter(|code| match &code.value {
        Value::Number(number) => !column.is_missing(*number),
        Value::Text(text) => !column.is_missing_text(text),
    });
    answers.cloned().collect()
}

/// Returns the answers of a question: those with a label in the order of the file, then those found only in the data.
fn answers(column: &Column, seen: &Seen, rating: Option<&Rating>) -> Vec<Answer> {
    let mut codes = answering(column);
    let labelled = codes.len();
    let unlabelled = |number: f64| Code {
        value: Value::Number(number),
        label: rating.and_then(|one| one.score(number)).unwrap_or(number).to_string(),
    };
    for value in seen.few.as_deref().unwrap_or_default() {
        // Between the labelled ends of a scale, numbers are their own labels.
        if !codes.iter().any(|code| code.value == Value::Number(*value)) {
            codes.push(unlabelled(*value));
        }
    }
    if let Some(rating) = rating {
        fill(&mut codes, labelled, rating, &unlabelled);
    }
    let mut texts: Vec<&String> = seen.texts.iter().collect();
    texts.sort();
    for text in texts {
        let value = Value::Text(text.clone());
        if !codes.iter().any(|code| code.value == value) {
            codes.push(Code { label: text.clone(), value });
        }
    }
    codes
        .into_iter()
        .map(|code| {
            let score = match (&code.value, rating) {
                (Value::Number(number), Some(rating)) => {
                    rating.score(*number).filter(|_| !rating::is_outside(&code.label))
                }
                _ => None,
            };
            Answer {
                code: code.value.to_string(),
                label: if code.label.is_empty() { code.value.to_string() } else { code.label },
                score,
                given: Given::Is(code.value),
            }
        })
        .collect()
}

/// Adds the points of a scale that have no label, chosen or not, and sorts all points.
///
/// If every point has its label, the order is the file's.
fn fill(
    codes: &mut Vec<Code>,
    labelled: usize,
    rating: &Rating,
    unlabelled: &impl Fn(f64) -> Code,
) {
    let points = (rating.to - rating.from) as usize;
    if points <= 10 && rating.from.fract() == 0.0 {
        for step in 0..=points {
            let number = rating.from + step as f64;
            if !codes.iter().any(|code| code.value == Value::Number(number)) {
                codes.push(unlabelled(number));
            }
        }
    }
    if codes.len() == labelled {
        return;
    }
    let number = |code: &Code| match code.value {
        Value::Number(number) => number,
        Value::Text(_) => f64::INFINITY,
    };
    codes.sort_by(|one, other| number(one).total_cmp(&number(other)));
}
