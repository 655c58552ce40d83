//! Superlatives: highest, most common, top.
//!
//! - Highest, most common, leading, top, second highest, least: held against every answer of the question, every answer of the segment's question with a base that may
//!   be told, every study that has the question, or every item of a grid, whichever the figures are about; equal values are no rank.
//! - Number one, main, chief, primary, key, favourite are the highest. "The top reasons" are as many as the figures name.

use std::collections::BTreeSet;

use super::parts::{Dimension, Measured, key};
use super::sentence::{Sentence, everybody};
use super::tokens::tokens;
use crate::figure::{Condition, Level, Measure, Spec};

/// Appends what is wrong with the ranks.
pub(super) fn check(sentence: &Sentence<'_>, faults: &mut Vec<String>) {
    for at in 0..sentence.tokens.len() {
        if !sentence.free(at) || sentence.counted.get(at).copied().unwrap_or_default() {
            continue;
        }
        if let Some((highest, rank)) = superlative(sentence, at) {
            ranked(sentence, at, highest, rank, faults);
        }
    }
}

const ADJECTIVES: &[&str] = &[
    "common",
    "often",
    "frequent",
    "frequently",
    "popular",
    "likely",
    "satisfied",
    "important",
    "widespread",
    "mentioned",
    "cited",
    "named",
    "chosen",
    "prevalent",
    "dissatisfied",
    "used",
    "widely",
    "commonly",
    "loyal",
    "engaged",
    "positive",
    "favourable",
    "favorable",
];

/// Words that put something before everything else.
const FIRST: &[&str] = &[
    "main",
    "chief",
    "primary",
    "principal",
    "prime",
    "key",
    "favourite",
    "favorite",
    "dominant",
    "predominant",
    "foremost",
];
/// What answers and items are called where several are put first.
const SEVERAL: &[&str] = &[
    "reasons",
    "answers",
    "options",
    "choices",
    "channels",
    "responses",
    "groups",
    "aspects",
    "items",
    "places",
    "ways",
    "purposes",
    "segments",
    "motives",
];

/// Tells whether a word is one of those that ranks are told with.
pub(super) fn ranking(word: &str) -> bool {
    ADJECTIVES.contains(&word)
        && !matches!(word, "satisfied" | "dissatisfied" | "loyal" | "engaged" | "likely")
        || matches!(
            word,
            "happiest"
                | "strongest"
                | "weakest"
                | "foremost"
                | "fewest"
                | "peak"
                | "tops"
                | "ranking"
                | "aspect"
                | "aspects"
        )
        || FIRST.contains(&word)
}

/// Whether a superlative begins at a token: whether it is of the highest, and of which rank.
pub(super) fn superlative(sentence: &Sentence<'_>, at: usize) -> Option<(bool, usize)> {
    let next = sentence.word(at + 1);
    let highest = match sentence.word(at) {
        "highest" | "largest" | "biggest" | "greatest" | "strongest" | "happiest" | "leading" => {
            true
        }
        word if FIRST.contains(&word) => !asks(sentence, word),
        "number" if next == "one" => true,
        "lead" | "leads" | "led" if leads(sentence, at) => true,
        "record" if matches!(next, "high" | "level" | "value" | "share" | "score") => true,
        "record" if next == "low" => false,
        "peak" => true,
        "lowest" | "smallest" | "weakest" | "fewest" => false,
        "most" if ADJECTIVES.contains(&next) => true,
        "least" if ADJECTIVES.contains(&next) && sentence.back(at, 1) != "at" => false,
        "top"
            if !matches!(next, "box" | "-" | "of" | "")
                && sentence.free(at + 1)
                && sentence.tokens.get(at + 1).is_some_and(|next| next.number().is_none()) =>
        {
            true
        }
        "tops" if next != "out" && sentence.free(at + 1) => true,
        "top" if next == "the" && matches!(sentence.word(at + 2), "list" | "ranking") => true,
        "first" | "second" | "third"
            if matches!(
                next,
                "place" | "rank" | "position" | "choice" | "reason" | "answer" | "option"
            ) || matches!(sentence.back(at, 1), "is" | "are" | "was" | "were")
                && !matches!(next, "most" | "least" | "-")
                && !next.ends_with("est") =>
        {
            let rank = match sentence.word(at) {
                "first" => 1,
                "second" => 2,
                _ => 3,
            };
            return Some((true, rank));
        }
        "ranks" | "comes" | "ranked" | "came" if next == "first" => true,
        "ranks" | "comes" | "ranked" | "came" if next == "last" => false,
        "ranks" | "comes" | "ranked" | "came" if matches!(next, "second" | "third") => {
            return Some((true, if next == "second" { 2 } else { 3 }));
        }
        _ => return None,
    };
    let rank = match sentence.back(at, 1) {
        "second" => 2,
        "third" => 3,
        "fourth" => 4,
        "-" if sentence.back(at, 2) == "second" => 2,
        "-" if sentence.back(at, 2) == "third" => 3,
        _ => 1,
    };
    Some((highest, rank))
}

/// Whether the questions of the figures use a word themselves.
fn asks(sentence: &Sentence<'_>, word: &str) -> bool {
    let texts = sentence.parts.iter().map(|part| part.question.text.as_str());
    texts.flat_map(tokens).any(|token| token.word == word)
}

/// Whether an answer leads all others, with none named that it leads.
fn leads(sentence: &Sentence<'_>, at: usize) -> bool {
    let noun = matches!(sentence.back(at, 1), "the" | "a" | "their" | "its" | "in" | "to");
    let next = sentence.word(at + 1);
    !noun
        && !matches!(next, "to" | "time")
        && sentence.free(at + 1)
        && sentence.parts.iter().all(|part| part.part.answers.len() == 1)
}

fn ranked(
    sentence: &Sentence<'_>,
    at: usize,
    highest: bool,
    rank: usize,
    faults: &mut Vec<String>,
) {
    let told = format!("{} {}", sentence.word(at), sentence.word(at + 1));
    let Some(dimension) = dimension(sentence, at) else {
        faults.push(format!("'{told}' ranks, and the figures do not say what among: give the figure of one answer or one segment."));
        return;
    };
    // "The highest of all age groups" is about ages alone.
    let other_group = sentence.project.studies.iter().any(|study| {
        study.segments.iter().filter_map(|place| study.questions.get(*place)).any(|by| {
            let named = (at..at + 9).any(|at| {
                sentence.free(at) && sentence.word(at).trim_end_matches('s') == by.id.to_lowercase()
            });
            named && dimension != Dimension::Segment(by.id.to_lowercase())
        })
    });
    if other_group {
        faults.push(format!(
            "'{told}' ranks among another kind of group than its label belongs to: name a label of that group, with its figure."
        ));
    }
    // "The top three reasons": as many as are named.
    let labels = sentence.labels(&dimension);
    let several = (at + 1..=at + 3).any(|at| SEVERAL.contains(&sentence.word(at)));
    let named: BTreeSet<_> = labels.at.iter().map(|(_, _, labels)| *labels).collect();
    let many = sentence
        .said
        .iter()
        .find(|said| {
            (said.from == at + 1 || said.to == at) && said.value >= 2.0 && said.value <= 20.0
        })
        .map(|said| said.value as usize)
        .or_else(|| Some(named.len()).filter(|named| several && *named > 1));
    let subject = if many.is_some() { None } else { subject(sentence, at, &dimension) };
    let near: Vec<&Measured<'_>> = match subject {
        Some(labels) if !everybody(&labels) => sentence
            .near(at, &[&dimension])
            .into_iter()
            .filter(|part| part.is_of(&dimension, &labels))
            .collect(),
        _ if many.is_some() => sentence.near(at, &[&dimension]),
        _ if sentence.varying.contains(&dimension) && !labels.at.is_empty() => Vec::new(),
        _ => sentence.near(at, &[&dimension]).into_iter().take(1).collect(),
    };
    if near.is_empty() {
        faults.push(format!("'{told}' is not next to the label that it is about."));
    }
    let (last, part_count) = (many.unwrap_or(rank), near.len());
    if many.is_some_and(|many| many != part_count) {
        faults.push(format!(
            "'{told}' names another number of answers than there are figures ({part_count})."
        ));
    }
    for part in near {
        let others = others(sentence, part, &dimension);
        let own = part.part.figure.value;
        const EQUAL: f64 = 1e-12;
        let before = others
            .iter()
            .filter(|(_, value)| if highest { *value > own + EQUAL } else { *value < own - EQUAL })
            .count();
        let tied = others.iter().any(|(_, value)| (value - own).abs() <= EQUAL);
        let right = if many.is_some() { before < last } else { before + 1 == last && !tied };
        if others.is_empty() || !right {
            let best = others.iter().max_by(|(_, one), (_, other)| {
                if highest { one.total_cmp(other) } else { other.total_cmp(one) }
            });
            let better = best.map(|(label, _)| label.clone()).unwrap_or_default();
            faults.push(format!(
                "'{told}' is wrong of {}: it is number {} of {}, and {better} is beyond or beside it.",
                part.part.text, before + 1, others.len() + 1
            ));
        }
    }
}

/// The label that a superlative is about.
pub(super) fn subject(
    sentence: &Sentence<'_>,
    at: usize,
    dimension: &Dimension,
) -> Option<BTreeSet<String>> {
    let labels = sentence.labels(dimension);
    // "Highest among women"; "the most common reason is price"; "women have the highest".
    let clause = sentence.clauses.get(at);
    let after = labels.after(at).filter(|(from, _)| sentence.clauses.get(*from) == clause);
    let before = labels.before(at).filter(|(from, _)| sentence.clauses.get(*from) == clause);
    let among = after.filter(|(from, _)| {
        (at..*from).any(|at| {
            matches!(
                sentence.word(at),
                "among"
                    | "in"
                    | "for"
                    | "is"
                    | "are"
                    | "was"
                    | "were"
                    | "with"
                    | "by"
                    | "of"
                    | "reason"
                    | "answer"
            )
        })
    });
    let chosen = match (before, among) {
        (Some(_), Some(among))
            if (at..among.0).any(|at| matches!(sentence.word(at), "among" | "is" | "was")) =>
        {
            Some(among)
        }
        (Some(before), _) => Some(before),
        (None, Some(among)) => Some(among),
        (None, None) => after,
    };
    chosen
        .map(|(_, labels)| labels.clone())
        .or_else(|| super::binding::one(at, &labels, &sentence.tokens, &sentence.clauses).cloned())
}

/// What is ranked: answers, segments, studies or items of a grid.
pub(super) fn dimension(sentence: &Sentence<'_>, at: usize) -> Option<Dimension> {
    let clause = sentence.clauses.get(at);
    let nearby = |dimension: &Dimension| {
        let labels = sentence.labels(dimension);
        labels.at.iter().any(|(from, _, _)| sentence.clauses.get(*from) == clause)
    };
    let segments: Vec<Dimension> = sentence
        .parts
        .iter()
        .flat_map(|part| part.of.iter())
        .filter(|(dimension, labels)| {
            matches!(dimension, Dimension::Segment(_)) && !everybody(labels)
        })
        .map(|(dimension, _)| dimension.clone())
        .collect();
    let items = sentence.varying == [Dimension::Question]
        || sentence.varying.contains(&Dimension::Question) && nearby(&Dimension::Question)
        || (at.saturating_sub(4)..at + 6)
            .any(|at| matches!(sentence.word(at), "aspect" | "aspects"));
    let answers = sentence.varying.contains(&Dimension::Answers);
    if items && !answers && sentence.parts.iter().all(|part| part.question.grid.is_some()) {
        return Some(Dimension::Question);
    }
    let of_answers = (at..at + 6).any(|at| {
        matches!(
            sentence.word(at),
            "reason"
                | "reasons"
                | "answer"
                | "answers"
                | "option"
                | "options"
                | "choice"
                | "response"
                | "common"
                | "often"
                | "popular"
                | "frequently"
                | "mentioned"
                | "cited"
                | "named"
                | "frequent"
                | "place"
                | "channel"
                | "commonly"
                | "chosen"
                | "first"
                | "last"
                | "list"
                | "widely"
        )
    });
    if of_answers && sentence.parts.iter().any(|part| part.of.contains_key(&Dimension::Answers)) {
        return Some(Dimension::Answers);
    }
    if sentence.varying.contains(&Dimension::Answers) && nearby(&Dimension::Answers) {
        return Some(Dimension::Answers);
    }
    let waves = (at..at + 6)
        .any(|at| matches!(sentence.word(at), "wave" | "waves" | "yet" | "date" | "studies"));
    if waves
        || matches!(sentence.word(at), "record" | "peak")
        || (segments.is_empty()
            && nearby(&Dimension::Study)
            && sentence.varying.contains(&Dimension::Study))
    {
        return Some(Dimension::Study);
    }
    if let Some(near) =
        segments.iter().find(|dimension| sentence.varying.contains(dimension)).or(segments.first())
    {
        return Some(near.clone());
    }
    let single = sentence.parts.iter().any(
        |part| matches!(&part.asked.spec.measure, Measure::Share(places) if places.len() == 1),
    );
    single.then_some(Dimension::Answers)
}

/// The other answers, segments, studies or items of the grid, and their values.
pub(super) fn others(
    sentence: &Sentence<'_>,
    part: &Measured<'_>,
    dimension: &Dimension,
) -> Vec<(String, f64)> {
    let told = other_specs(sentence, part, dimension).into_iter().filter_map(|(label, spec)| {
        let figure = sentence.project.figure(&spec, sentence.rules).ok()?;
        (figure.level != Level::TooLow).then_some((label, figure.value))
    });
    told.collect()
}

/// The figures of the other answers, segments, studies or items of the grid.
pub(super) fn other_specs(
    sentence: &Sentence<'_>,
    part: &Measured<'_>,
    dimension: &Dimension,
) -> Vec<(String, Spec)> {
    let spec = &part.asked.spec;
    let mut others: Vec<(String, Spec)> = Vec::new();
    match dimension {
        Dimension::Answers => {
            let Measure::Share(own) = &spec.measure else { return Vec::new() };
            if own.len() != 1 {
                return Vec::new();
            }
            for (place, answer) in
                part.question.answers.iter().enumerate().filter(|(place, _)| !own.contains(place))
            {
                others.push((
                    answer.label.clone(),
                    Spec { measure: Measure::Share(vec![place]), ..spec.clone() },
                ));
            }
        }
        Dimension::Segment(id) => {
            let Some(by) = part.study.questions.iter().position(|one| one.id.to_lowercase() == *id)
            else {
                return Vec::new();
            };
            let Some(question) = part.study.questions.get(by) else { return Vec::new() };
            let own = part.of.get(dimension);
            for (place, answer) in question.answers.iter().enumerate() {
                if own.is_some_and(|own| own.contains(&key(&answer.label))) {
                    continue;
                }
                let mut segment: Vec<Condition> =
                    spec.segment.iter().filter(|one| one.question != by).cloned().collect();
                segment.push(Condition { question: by, answers: vec![place] });
                others.push((answer.label.clone(), Spec { segment, ..spec.clone() }));
            }
        }
        Dimension::Study => {
            for study in &sentence.project.studies {
                if study.id == part.study.id {
                    continue;
                }
                let call = crate::expression::Call {
                    study: Some(study.id.clone()),
                    ..part.asked.call.clone()
                };
                let asked = crate::expression::resolving::resolve(
                    sentence.project,
                    &crate::expression::Expression::Figure(call),
                );
                if let Ok(crate::expression::resolving::Resolved::One(asked)) = asked {
                    others.push((study.id.clone(), asked.spec));
                }
            }
        }
        Dimension::Question => {
            let Some(grid) = &part.question.grid else { return Vec::new() };
            for (place, item) in part.study.questions.iter().enumerate() {
                let same = item.grid.as_ref().is_some_and(|other| other.id == grid.id)
                    && item.answers.len() == part.question.answers.len();
                if same && place != spec.question {
                    others.push((item.text.clone(), Spec { question: place, ..spec.clone() }));
                }
            }
        }
    }
    others
}
