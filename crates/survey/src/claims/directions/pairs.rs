//! Which figures a word compares.

use std::collections::BTreeSet;

use super::{Dimension, Sentence};
use crate::claims::binding;

/// Which figures a word compares.
pub(super) fn pairs(sentence: &Sentence<'_>, at: usize, change: bool) -> Vec<(usize, usize)> {
    let mut best: Option<(usize, Vec<(usize, usize)>)> = None;
    for dimension in &sentence.varying {
        let Some((far, one, other)) = compared_labels(sentence, at, dimension) else { continue };
        let among = sentence.near(at, &[dimension]);
        let pairs = sentence.pairs(dimension, &one, other.as_ref(), &among);
        if !pairs.is_empty() && best.as_ref().is_none_or(|(known, _)| far < *known) {
            best = Some((far, pairs));
        }
    }
    let in_time = || -> Vec<(usize, usize)> {
        let [earlier, later] = sentence.order.as_slice() else { return Vec::new() };
        let among = sentence.near(at, &[&Dimension::Study]);
        sentence.pairs(&Dimension::Study, later, Some(earlier), &among)
    };
    if let Some((_, pairs)) = best.filter(|(far, _)| !change || *far < 100) {
        return pairs;
    }
    if change || sentence.varying == [Dimension::Study] {
        return in_time();
    }
    let all = against_all(sentence, at);
    if all.is_empty() { in_time() } else { all }
}

/// The label near a place, and all that differs from it.
pub(super) fn against_all(sentence: &Sentence<'_>, at: usize) -> Vec<(usize, usize)> {
    for dimension in sentence.varying.iter().filter(|one| **one != Dimension::Study) {
        let labels = sentence.labels(dimension);
        let near = binding::one(at, &labels, &sentence.tokens, &sentence.clauses);
        if let Some(near) = near {
            let among = sentence.near(at, &[dimension]);
            let pairs = sentence.pairs(dimension, near, None, &among);
            if !pairs.is_empty() {
                return pairs;
            }
        }
    }
    Vec::new()
}

/// Whether the word at a place says that figures are alike.
fn compares(sentence: &Sentence<'_>, at: usize) -> bool {
    super::sameness::tells(sentence.word(at))
        || matches!(sentence.word(at), "as" | "line" | "level")
}

type Compared = (usize, BTreeSet<String>, Option<BTreeSet<String>>);

/// The labels that a word compares, by the words that join them, and how far the second stands; from 100 on where it stands elsewhere.
fn compared_labels(sentence: &Sentence<'_>, at: usize, dimension: &Dimension) -> Option<Compared> {
    let labels = sentence.labels(dimension);
    let end = sentence.tokens.len();
    let stop = (at + 1..end).find(|at| matches!(sentence.word(*at), ";" | ".")).unwrap_or(end);
    let take = |first: usize, second: usize| -> Option<Compared> {
        let (from, other) =
            labels.after(second).filter(|(from, _)| *from < stop && *from <= second + 8)?;
        let subject =
            labels.at.iter().rev().find(|(place, _, one)| *place < first && *one != other);
        let one = subject.map(|(_, _, one)| (*one).clone()).or_else(|| {
            // "Higher than men are women": what follows.
            let (_, _, one) =
                labels.at.iter().find(|(place, _, one)| *place > from && *one != other)?;
            Some((*one).clone())
        })?;
        Some((from.saturating_sub(at), one, Some(other.clone())))
    };
    let than =
        (at + 1..stop.min(at + 14)).find(|at| sentence.word(*at) == "than" && sentence.free(*at));
    if let Some(than) = than {
        // "More than men": the label right after; else this is about another dimension.
        return take(than, than + 1).filter(|(far, _, _)| *far <= than + 9 - at);
    }
    if let Some(second) = super::sameness::second(sentence, at).filter(|_| compares(sentence, at))
        && let Some(found) = take(at, second).filter(|(far, _, _)| *far <= second + 4 - at)
    {
        return Some(found);
    }
    let beside = match (sentence.word(at), sentence.word(at + 1)) {
        ("ahead", "of") => Some(at + 2),
        ("above" | "below" | "under" | "behind", _) => Some(at + 1),
        (
            "beat" | "beats" | "outdo" | "outdoes" | "outdid" | "outrank" | "outranks" | "exceed"
            | "exceeds" | "exceeded" | "outperform" | "outperforms" | "outscore" | "outscores"
            | "outpace" | "outpaces" | "surpass" | "surpasses" | "lead" | "leads" | "led" | "trail"
            | "trails" | "trailed" | "lag" | "lags" | "lagged" | "outnumber" | "outnumbers" | "top"
            | "tops",
            _,
        ) => Some(at + 1),
        _ => None,
    };
    if let Some(beside) = beside
        && let Some(found) = take(at, beside).filter(|(far, _, _)| *far <= 8)
    {
        return Some(found);
    }
    // Compared with men, …; unlike men, …; versus men.
    for place in 0..stop {
        let joins = matches!(sentence.word(place), "against" | "versus" | "vs" | "unlike")
            || (matches!(sentence.word(place), "compared" | "relative" | "comparison")
                && matches!(sentence.word(place + 1), "to" | "with"));
        if !joins || !sentence.free(place) {
            continue;
        }
        let Some((from, other)) = labels.after(place) else { continue };
        if from > place + 7 {
            continue;
        }
        let others = labels.at.iter().filter(|(_, _, one)| *one != other);
        let one = others.min_by_key(|(place, _, _)| place.abs_diff(at))?;
        return Some((100 + place.abs_diff(at), one.2.clone(), Some(other.clone())));
    }
    None
}
