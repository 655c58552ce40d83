//! Which label a number belongs to.
//!
//! Where figures differ by segment, study, answer or question, a number must stand with the label of its figure:
//! - `62 % of women`, `women (62 %)`, `among men 48 %`: the label in the same part of the sentence, the nearest one.
//! - `women and men: 62 % and 48 %`, `62 % and 48 % of women and men`: all labels on one side of all numbers, as many as numbers, in the same order.
//! - `from 48 % to 62 %`: the earlier study, and the later.
//! - A number without a label in its part of the sentence belongs to the label before it; `at 62 %, women …` to the one that follows.

use std::collections::BTreeSet;

use super::mentions::Mention;
use super::parts::Dimension;
use super::tokens::Token;

/// The labels of one dimension, in order: where, and which.
pub(super) struct Labels<'a> {
    pub(super) at: Vec<(usize, usize, &'a BTreeSet<String>)>,
}

impl<'a> Labels<'a> {
    /// What a question is called by its whole text names the question, and neither a segment nor an answer.
    pub(super) fn of(dimension: &Dimension, mentions: &'a [Mention]) -> Labels<'a> {
        let names = |mention: &&Mention| !mention.quoted || *dimension == Dimension::Question;
        let known = mentions.iter().filter(names);
        let at =
            known.filter_map(|one| Some((one.from, one.to, one.means.get(dimension)?))).collect();
        Labels { at }
    }

    /// The first label that begins at a token or after it.
    pub(super) fn after(&self, at: usize) -> Option<(usize, &'a BTreeSet<String>)> {
        self.at.iter().find(|(from, _, _)| *from >= at).map(|(from, _, labels)| (*from, *labels))
    }

    /// The last label that ends before a token.
    pub(super) fn before(&self, at: usize) -> Option<(usize, &'a BTreeSet<String>)> {
        self.at.iter().rev().find(|(_, to, _)| *to <= at).map(|(from, _, labels)| (*from, *labels))
    }
}

/// Numbers the parts of a sentence: what lies between two marks, or between two words that join.
pub(super) fn clauses(tokens: &[Token], named: &[bool]) -> Vec<usize> {
    const BETWEEN: &[&str] = &[
        ",", ";", ":", "(", ")", "[", "]", "—", ".", "and", "while", "whereas", "but", "versus",
        "vs", "against", "compared", "although", "though", "yet", "than", "followed", "/", "&",
    ];
    let mut clause = 0;
    tokens
        .iter()
        .enumerate()
        .map(|(at, token)| {
            if token.is(BETWEEN) && !named.get(at).copied().unwrap_or_default() {
                clause += 1;
            }
            clause
        })
        .collect()
}

/// Returns the labels to which the numbers at some places belong; none where no label is near.
pub(super) fn bound<'a>(
    places: &[usize],
    dimension: &Dimension,
    labels: &Labels<'a>,
    tokens: &[Token],
    clauses: &[usize],
    order: &'a [BTreeSet<String>],
) -> Vec<Option<&'a BTreeSet<String>>> {
    let (Some(first), Some(last)) = (places.first(), places.last()) else { return Vec::new() };
    let mut run: Vec<&BTreeSet<String>> = Vec::new();
    for (_, _, label) in &labels.at {
        if run.last() != Some(label) {
            run.push(label);
        }
    }
    let before = labels.at.iter().all(|(from, _, _)| from < first);
    let after = labels.at.iter().all(|(from, _, _)| from > last);
    let ordered = places.len() > 1 && run.len() == places.len() && (before || after);
    places
        .iter()
        .enumerate()
        .map(|(number, at)| {
            if *dimension == Dimension::Study
                && let Some(one) = from_to(*at, labels, tokens, clauses, order)
            {
                return Some(one);
            }
            if ordered {
                return run.get(number).copied();
            }
            // A number is of the latest study where none is named before it but one that has a number of its own.
            let clause = clauses.get(*at);
            let taken = |from: usize| {
                let own = |other: &&usize| clauses.get(**other) == clauses.get(from);
                let mut others = places.iter().filter(|other| *other != at);
                run.len() == 1 && others.any(|other| own(&other) || (from..*at).contains(other))
            };
            let named = labels
                .at
                .iter()
                .any(|(from, _, _)| clauses.get(*from) == clause || (from < at && !taken(*from)));
            if *dimension == Dimension::Study && !named && order.len() == 2 {
                return order.last();
            }
            one(*at, labels, tokens, clauses)
        })
        .collect()
}

/// `from` a number of the earlier study, `to` one of the later, unless a study is named beside it.
fn from_to<'a>(
    at: usize,
    labels: &Labels<'a>,
    tokens: &[Token],
    clauses: &[usize],
    order: &'a [BTreeSet<String>],
) -> Option<&'a BTreeSet<String>> {
    let [earlier, later] = order else { return None };
    let clause = clauses.get(at);
    let beside = labels.at.iter().any(|(from, _, _)| {
        let between = tokens.get(at..*from).unwrap_or_default();
        clauses.get(*from) == clause
            && *from > at
            && between.len() <= 5
            && !between.iter().any(|token| token.is(&["to", "from", "between"]))
    });
    if beside {
        return None;
    }
    let words = (1..=4).filter_map(|back| tokens.get(at.checked_sub(back)?));
    for token in words {
        if token.word == "from" {
            return Some(earlier);
        }
        if token.word == "to" {
            return Some(later);
        }
        let qualifier = token.is(&[
            "a", "an", "about", "around", "nearly", "almost", "just", "over", "under", "more",
            "less", "than", "roughly", "-", "+", "only", "some", "mean", "average", "of", "score",
            "nps", "minus",
        ]);
        if !qualifier {
            break;
        }
    }
    None
}

/// The label to which one place belongs.
pub(super) fn one<'a>(
    at: usize,
    labels: &Labels<'a>,
    tokens: &[Token],
    clauses: &[usize],
) -> Option<&'a BTreeSet<String>> {
    let clause = clauses.get(at).copied().unwrap_or_default();
    let own = labels.at.iter().filter(|(from, _, _)| clauses.get(*from) == Some(&clause));
    // "62 % of women": the words between bind the number to what follows, whatever stands before.
    let tied = |from: usize| {
        let between = tokens.get(at + 1..from).unwrap_or_default();
        let (last, units) = match between.split_last() {
            Some((last, units)) if last.is(&["the", "those", "respondents", "people"]) => {
                units.split_last().unwrap_or((last, units))
            }
            Some((last, units)) => (last, units),
            None => return false,
        };
        let unit = ["%", "percent", "per", "cent", "points", "point", "percentage", "pp", "hours"];
        last.is(&["of", "among", "in", "for", "amongst"]) && units.iter().all(|one| one.is(&unit))
    };
    let nearest = own.min_by_key(|(from, to, _)| {
        if *from <= at {
            at.saturating_sub(*to) * 2 + 1
        } else if tied(*from) {
            0
        } else {
            (*from - at) * 2
        }
    });
    if let Some((_, _, label)) = nearest {
        return Some(label);
    }
    // "At 62 %, women lead": what follows begins with the label.
    let start = clauses.iter().position(|one| *one == clause).unwrap_or_default();
    let opening =
        tokens.get(start).filter(|token| !token.is(&[","])).or_else(|| tokens.get(start + 1));
    if opening.is_some_and(|token| token.is(&["at", "with"])) {
        let end = clauses.iter().position(|one| *one > clause);
        let next = end.and_then(|end| labels.after(end)).filter(|(from, _)| {
            let between = end.and_then(|end| tokens.get(end..*from)).unwrap_or_default();
            between.iter().all(|token| token.is(&[",", "the", "among", "and", "in"]))
        });
        if let Some((_, label)) = next {
            return Some(label);
        }
    }
    labels.before(at).or_else(|| labels.after(at)).map(|(_, label)| label)
}
