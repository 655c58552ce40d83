//! When, since when, and for how long.
//!
//! - Seasons and months stand in the title or the id of the study that they are told of.
//! - *Still, again, remain, stay, held at*: figures of two studies that do not differ significantly. *Already, earlier, later, since, after, before*: figures
//!   of two studies, and what is told there is of the right one. *Now, currently, latest*: of the last study; *earliest*: of the first.
//! - A year ago, two years later, within twelve months: what the titles of the two studies say lies between them; shorter or other times are a fault.
//! - A period that the question asks about, *euros a month*, is its own; a difference between studies is never told per period.
//! - *Steadily, gradually* and the like: figures of three studies or more that all go one way.

use std::collections::BTreeSet;

use super::numbers::{Said, Told, What};
use super::parts::{Dimension, Measured};
use super::sentence::Sentence;
use super::tokens::{Token, tokens};
use super::values::{same_unit, tells};
use crate::study::Study;

const SEASONS: &[&str] = &["spring", "summer", "autumn", "winter"];
const MONTHS: &[&str] = &[
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
];
const PERIODS: &[&str] = &[
    "year", "years", "month", "months", "week", "weeks", "day", "days", "weekly", "monthly",
    "daily", "yearly",
];
/// What says that nothing changed.
const SAME: &[&str] =
    &["still", "again", "remain", "remains", "remained", "stay", "stays", "stayed"];
/// What says that something went one way all the time.
const PATHS: &[&str] = &[
    "steadily",
    "gradually",
    "continuously",
    "continually",
    "progressively",
    "persistently",
    "consistently",
    "constantly",
];
/// Other words of this module that say nothing of what a sentence is about.
const WORDS: &[&str] = &[
    "then",
    "even",
    "already",
    "stand",
    "stands",
    "standing",
    "stood",
    "now",
    "currently",
    "today",
    "latest",
    "newest",
    "recent",
    "recently",
    "last",
    "previous",
    "prior",
    "earlier",
    "earliest",
    "preceding",
    "previously",
    "later",
    "subsequent",
    "first",
    "second",
    "since",
    "ago",
    "after",
    "before",
    "period",
    "constant",
];
/// What a study, or a figure of one, is called.
const NOUNS: &[&str] =
    &["wave", "study", "survey", "figure", "value", "level", "share", "score", "result", "reading"];

/// Tells whether a word tells a time.
pub(super) fn reads(word: &str) -> bool {
    [SEASONS, SAME, PERIODS, WORDS].iter().any(|words| words.contains(&word))
}

pub(super) fn is_period(word: &str) -> bool {
    PERIODS.contains(&word)
}

/// Appends what is wrong with the times of a sentence.
pub(super) fn check(sentence: &Sentence<'_>, asked: &BTreeSet<String>, faults: &mut Vec<String>) {
    let mut own: BTreeSet<String> = asked.clone();
    for part in &sentence.parts {
        let labels = part.question.answers.iter().flat_map(|answer| tokens(&answer.label));
        own.extend(labels.map(|token| token.stem));
    }
    for at in 0..sentence.tokens.len() {
        if !sentence.free(at) {
            continue;
        }
        let topical = |own: &BTreeSet<String>| {
            sentence.tokens.get(at).is_some_and(|token| own.contains(&token.stem))
        };
        let word = sentence.word(at);
        let wrong = if PERIODS.contains(&word) {
            period(sentence, at, topical(&own))
        } else if topical(asked) {
            None
        } else {
            dated(sentence, at).or_else(|| told(sentence, at))
        };
        faults.extend(wrong);
    }
}

/// The earlier and the later study of the figures.
fn two<'s>(sentence: &'s Sentence<'_>) -> Option<(&'s BTreeSet<String>, &'s BTreeSet<String>)> {
    let (first, last) = (sentence.order.first()?, sentence.order.last()?);
    (sentence.order.len() > 1).then_some((first, last))
}

/// The study that is named nearest to a place, in its part of the sentence.
fn study_at<'s>(sentence: &'s Sentence<'_>, at: usize) -> Option<&'s BTreeSet<String>> {
    let clause = sentence.clauses.get(at);
    let labels = sentence.labels(&Dimension::Study);
    let own = labels.at.iter().filter(|(from, _, _)| sentence.clauses.get(*from) == clause);
    own.min_by_key(|(from, _, _)| from.abs_diff(at)).map(|(_, _, labels)| *labels)
}

/// The study that is named in the few tokens from a place on.
fn study_behind<'s>(
    sentence: &'s Sentence<'_>,
    at: usize,
    by: usize,
) -> Option<&'s BTreeSet<String>> {
    let near = (at..at + by)
        .take_while(|at| {
            sentence.tokens.get(*at).is_some_and(|token| {
                !token.is(&[",", ";", ":", ".", "—", "and", "to", "from", "while", "but"])
            })
        })
        .last()?;
    let labels = sentence.labels(&Dimension::Study);
    labels.after(at).filter(|(from, _)| *from <= near).map(|(_, labels)| labels)
}

/// Whether every figure that a place speaks of is of the first study of the project, or of the last.
fn all_of(sentence: &Sentence<'_>, at: usize, first: bool) -> bool {
    let studies = &sentence.project.studies;
    let Some(study) = (if first { studies.first() } else { studies.last() }) else { return false };
    match study_at(sentence, at) {
        Some(labels) => labels.contains(&study.id),
        None => sentence.near(at, &[]).iter().all(|part| part.study.id == study.id),
    }
}

/// Whether a number is a figure of a study, and of no other.
fn is_of(sentence: &Sentence<'_>, said: &Said, study: &BTreeSet<String>) -> bool {
    let told = |part: &&Measured<'_>| {
        same_unit(said, part.part.unit) && tells(said, part.part.figure.value, part.part.unit)
    };
    let mut found = sentence.parts.iter().filter(told).peekable();
    found.peek().is_some() && found.any(|part| part.is_of(&Dimension::Study, study))
}

/// The number that is told nearest to a place.
fn number_near<'s>(sentence: &'s Sentence<'_>, at: usize, by: usize) -> Option<&'s Said> {
    let far =
        |said: &Said| if said.from > at { said.from - at } else { at.saturating_sub(said.to) };
    let values = sentence.said.iter().filter(|said| {
        said.what == What::Value && !matches!(said.unit, Told::Points | Told::Times)
    });
    values.filter(|said| far(said) <= by).min_by_key(|said| far(said))
}

fn one_study(word: &str) -> String {
    format!(
        "'{word}' tells of two times, and the figures are of one study: give the figure of the other too, or leave it out."
    )
}

fn not_so(word: &str) -> String {
    format!(
        "'{word}' does not say which study is meant, or not the one of the figure: name the study beside its figure, or leave it out."
    )
}

/// A season or a month must be that of the study.
fn dated(sentence: &Sentence<'_>, at: usize) -> Option<String> {
    let token = sentence.tokens.get(at)?;
    let word = token.word.as_str();
    let labels = sentence.labels(&Dimension::Study);
    let mut names = labels
        .at
        .iter()
        .filter(|(from, to, _)| (at + 1..=at + 3).contains(from) || (*to <= at && *to + 1 >= at));
    let beside = names.next().map(|(_, _, labels)| *labels);
    let year = sentence.tokens.get(at + 1).and_then(Token::number).is_some_and(is_year);
    let is_date = match word {
        "may" | "march" => (token.capital && at > 0) || year,
        // "In fall 2025".
        "fall" => {
            year || labels.at.iter().any(|(from, _, _)| *from == at + 1)
                && sentence.back(at, 1) == "in"
        }
        _ => SEASONS.contains(&word) || MONTHS.contains(&word),
    };
    if !is_date {
        return None;
    }
    let said_by = |study: &Study| {
        tokens(&format!("{} {}", study.title, study.id.replace('_', " ")))
            .iter()
            .any(|token| token.word == word)
    };
    let of = beside.or_else(|| study_at(sentence, at));
    let mut studies = sentence.parts.iter().map(|part| part.study);
    let right = match of {
        Some(ids) => {
            sentence.project.studies.iter().filter(|study| ids.contains(&study.id)).all(said_by)
        }
        None => studies.all(said_by),
    };
    (!right).then(|| {
        format!(
            "'{word}' is no time of the study of the figure: name the study by its id or its title."
        )
    })
}

fn is_year((value, decimals): (f64, usize)) -> bool {
    decimals == 0 && (1900.0..=2100.0).contains(&value)
}

/// The year of a study, and the season or month, as its title tells them.
fn date(study: &Study) -> Option<(f64, Option<String>)> {
    let words = tokens(&study.title);
    let mut years = words.iter().filter_map(Token::number).filter(|number| is_year(*number));
    let (year, _) = years.next()?;
    if years.any(|(other, _)| other != year) {
        return None;
    }
    let part = words.iter().find(|token| token.is(SEASONS) || token.is(MONTHS));
    Some((year, part.map(|token| token.word.clone())))
}

/// The years between the two studies of the figures, where their titles tell the same time of the year.
fn years(sentence: &Sentence<'_>) -> Option<f64> {
    let (earlier, later) = two(sentence)?;
    let study = |ids: &BTreeSet<String>| {
        sentence.project.studies.iter().find(|study| ids.contains(&study.id))
    };
    let ((from, one), (to, other)) = (date(study(earlier)?)?, date(study(later)?)?);
    (one == other && to > from).then_some(to - from)
}

/// The words behind a place or before it, hyphens left out.
fn beyond<'s>(sentence: &'s Sentence<'_>, at: usize, back: bool) -> [&'s str; 3] {
    let mut found = [""; 3];
    let mut place = at;
    for slot in &mut found {
        loop {
            let next = if back { place.checked_sub(1) } else { Some(place + 1) };
            let Some(next) = next else { return found };
            place = next;
            if sentence.word(place) != "-" {
                break;
            }
        }
        *slot = sentence.word(place);
    }
    found
}

/// A period: an age, a time between the studies, or what the question asks about.
fn period(sentence: &Sentence<'_>, at: usize, topical: bool) -> Option<String> {
    let word = sentence.word(at);
    let [next, second, _] = beyond(sentence, at, false);
    let [back, before, _] = beyond(sentence, at, true);
    let wrong = || {
        Some(format!(
            "'{word}' tells a time that no figure says: name the studies, or leave it out."
        ))
    };
    // "18-34 years", "35-year-olds", "54 years of age".
    let labelled = sentence.mentions.iter().any(|one| {
        one.means.keys().any(|key| matches!(key, Dimension::Segment(_)))
            && (one.to == at || (one.to + 1 == at && sentence.word(one.to) == "-"))
    });
    if labelled || matches!(next, "old" | "olds") || (next == "of" && second == "age") {
        return None;
    }
    let yearly = word.starts_with("year");
    if matches!(next, "on" | "over") && second == word
        || matches!(back, "on" | "over") && before == word
    {
        return if yearly && years(sentence) == Some(1.0) { None } else { wrong() };
    }
    let count = match back {
        "a" | "an" | "one" | "previous" | "prior" | "preceding" => Some(1.0),
        _ => sentence
            .said
            .iter()
            .find(|said| said.to == at || (said.to + 1 == at && sentence.word(said.to) == "-"))
            .map(|said| said.value),
    };
    let past = matches!(next, "ago" | "earlier" | "before" | "prior" | "previously")
        || matches!(back, "previous" | "prior" | "preceding")
        || (back == "the" && next == "before");
    let future = matches!(next, "later" | "after" | "afterwards")
        || (next == "on" && matches!(second, "," | "." | ""));
    let spans = || {
        let count = count.unwrap_or(1.0);
        let between = years(sentence);
        (word.starts_with("year") && between == Some(count))
            || (word.starts_with("month") && between.is_some_and(|years| years * 12.0 == count))
    };
    if past || future {
        let Some((earlier, later)) = two(sentence) else { return wrong() };
        let of = if past { earlier } else { later };
        let right = number_near(sentence, at, 8).is_none_or(|said| is_of(sentence, said, of));
        return if spans() && right { None } else { wrong() };
    }
    if topical {
        let points = sentence.said.iter().any(|said| {
            matches!(said.unit, Told::Points | Told::Percent)
                && (at.saturating_sub(2)..at).contains(&said.to)
        });
        let moves = super::directions::moves(back)
            && matches!(word, "weekly" | "monthly" | "daily" | "yearly");
        let aside = matches!(back, "last" | "this" | "next" | "past" | "since");
        let per = matches!(back, "each" | "every")
            && !sentence.said.iter().any(|said| said.to + 2 >= at && said.to <= at);
        return if points || moves || aside || per { wrong() } else { None };
    }
    let within = match (back, before) {
        ("a" | "an" | "one" | "the", before) => before,
        _ if count.is_some() => before,
        _ => "",
    };
    let lasted = matches!(within, "within" | "over" | "in" | "during" | "for" | "after");
    if lasted && two(sentence).is_some() && spans() { None } else { wrong() }
}

/// What a word says of the order of the studies.
fn told(sentence: &Sentence<'_>, at: usize) -> Option<String> {
    let word = sentence.word(at);
    let (next, back) = (sentence.word(at + 1), sentence.back(at, 1));
    let studies = two(sentence);
    let lone = || studies.is_none().then(|| one_study(word));
    let wrong = |is_wrong: bool| is_wrong.then(|| not_so(word));
    let period_beside = is_period(next) || is_period(back);
    if SAME.contains(&word)
        || (matches!(word, "held" | "hold" | "holds" | "holding") && next == "at")
    {
        return same(sentence, at);
    }
    if PATHS.contains(&word) {
        let moves = |at: usize| super::directions::moves(sentence.word(at));
        let near = matches!(word, "consistently" | "constantly")
            && !(at.saturating_sub(3)..at + 4).any(moves);
        return if near { None } else { path(sentence, at) };
    }
    match word {
        // "Now stands at 53 %": of the last study; "now take the bus less often" is told of two.
        "now" => match studies {
            Some((_, later)) => {
                wrong(study_at(sentence, at).is_some_and(|label| label.is_disjoint(later)))
            }
            None if compares_behind(sentence, at) => lone(),
            None => wrong(!all_of(sentence, at, false)),
        },
        "already" => lone().or_else(|| {
            let (earlier, _) = studies?;
            wrong(study_at(sentence, at).is_none_or(|label| label.is_disjoint(earlier)))
        }),
        "currently" | "today" => wrong(!all_of(sentence, at, false)),
        "since" => lone().or_else(|| {
            let (_, later) = studies?;
            let ends = matches!(next, "" | "." | "," | ";" | ")" | "to" | "by" | "then");
            wrong(match study_behind(sentence, at + 1, 6) {
                Some(label) => !label.is_disjoint(later),
                None => !ends,
            })
        }),
        "after" | "before" if !is_period(back) => lone().or_else(|| {
            let (earlier, later) = studies?;
            let other = if word == "after" { later } else { earlier };
            let label = study_behind(sentence, at + 1, 9);
            wrong(label.is_none_or(|label| !label.is_disjoint(other)))
        }),
        "earlier" | "previous" | "prior" | "preceding" | "previously" if !period_beside => lone()
            .or_else(|| {
                let (earlier, _) = studies?;
                let number =
                    sentence.said.iter().find(|said| (at + 1..at + 5).contains(&said.from));
                wrong(match number {
                    Some(said) => !is_of(sentence, said, earlier),
                    None if NOUNS.contains(&next) => false,
                    None => study_at(sentence, at).is_none_or(|label| label.is_disjoint(earlier)),
                })
            }),
        "later" | "subsequent" if !period_beside => lone().or_else(|| {
            let (_, later) = studies?;
            wrong(study_at(sentence, at).is_none_or(|label| label.is_disjoint(later)))
        }),
        "ago" => wrong(!is_period(back)),
        "recently" => wrong(true),
        "first" | "last" | "second" if ranked(sentence, at) => None,
        "latest" | "newest" | "recent" | "last" => {
            wrong(!NOUNS.contains(&next) || !all_of(sentence, at, false))
        }
        "earliest" | "first" => wrong(!NOUNS.contains(&next) || !all_of(sentence, at, true)),
        "second" => wrong(true),
        "then" => {
            let joins = matches!(back, "," | "and" | ";" | "—" | "since" | "by" | "(" | "followed");
            if joins { None } else { lone() }
        }
        "even" => {
            let compares = super::directions::compares(next)
                || matches!(next, "though" | "if" | "when" | "as" | "so");
            (!compares).then(|| format!("'{word}' tells more than the figure: leave it out."))
        }
        "stand" | "stands" | "standing" | "stood" => {
            let explained = (at + 1..at + 5).any(|at| {
                matches!(sentence.word(at), "at" | "on" | "out" | "between")
                    || super::directions::compares(sentence.word(at))
            });
            wrong(!explained)
        }
        "on" if is_study_before(sentence, at) => wrong(matches!(next, "" | "." | "," | ")")),
        "yet" if next == "to" || back == "not" => wrong(true),
        "period" => lone(),
        "time" => {
            if back == "over" {
                lone()
            } else {
                wrong(!matches!(next, "to" | "-"))
            }
        }
        _ => None,
    }
}

/// Whether something becomes more or less in what follows, be it in a label.
fn compares_behind(sentence: &Sentence<'_>, at: usize) -> bool {
    let behind =
        sentence.tokens.iter().skip(at + 1).take_while(|token| !token.is(&[",", ".", ";"]));
    behind.enumerate().any(|(place, token)| {
        let qualifier =
            sentence.said.iter().any(|said| (said.from..said.to).contains(&(at + 1 + place)));
        super::directions::moves(&token.word) && !qualifier
    })
}

/// Whether a study is named right before a place, and "from" before it.
fn is_study_before(sentence: &Sentence<'_>, at: usize) -> bool {
    let labels = sentence.labels(&Dimension::Study);
    labels.at.iter().any(|(from, to, _)| *to == at && sentence.back(*from, 1) == "from")
}

/// Whether a word belongs to a rank: ranks first, second highest.
fn ranked(sentence: &Sentence<'_>, at: usize) -> bool {
    (at.saturating_sub(1)..=at + 2).any(|at| super::ranks::superlative(sentence, at).is_some())
}

/// What is told to be as it was must not differ significantly from what it was.
fn same(sentence: &Sentence<'_>, at: usize) -> Option<String> {
    let word = sentence.word(at);
    let Some((earlier, later)) = two(sentence) else { return Some(one_study(word)) };
    let among = sentence.near(at, &[&Dimension::Study]);
    let pairs = sentence.pairs(&Dimension::Study, later, Some(earlier), &among);
    if pairs.is_empty() {
        return Some(not_so(word));
    }
    let (one, other) = pairs.into_iter().find(|(one, other)| {
        sentence.compared(*one, *other).is_some_and(|found| found.significant)
    })?;
    Some(format!(
        "'{word}' says that nothing changed, and {} and {} differ significantly: leave it out.",
        sentence.told(one),
        sentence.told(other)
    ))
}

/// What went one way all the time must show in the figures of three studies or more.
fn path(sentence: &Sentence<'_>, at: usize) -> Option<String> {
    let mut near = sentence.near(at, &[&Dimension::Study]);
    near.sort_by_key(|part| part.asked.spec.study);
    let studies: BTreeSet<usize> = near.iter().map(|part| part.asked.spec.study).collect();
    let values: Vec<f64> = near.iter().map(|part| part.part.figure.value).collect();
    let one_way = values.is_sorted_by(|one, other| one < other)
        || values.is_sorted_by(|one, other| one > other);
    if studies.len() > 2 && studies.len() == near.len() && one_way {
        return None;
    }
    Some(format!(
        "'{}' tells what happened between the studies: give the figures of three studies or more that all go one way, or leave it out.",
        sentence.word(at)
    ))
}
