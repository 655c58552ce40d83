//! Orders and exclusions: ranked, followed by, then; only, the only one.
//!
//! - Ranked, in this order, followed by, and then: the labels stand in the order of their values, from the highest down, or up where the sentence says ascending.
//! - Only one label has something: a bound (above 50 %, over half, a majority, negative) or a change that the label has and none of the others has, each of them
//!   computed. Any other *only* of a label leaves out what no figure says.

use super::directions::rising;
use super::numbers::{Bound, Said, What};
use super::parts::{Dimension, Measured};
use super::ranks::{dimension, other_specs, others, subject};
use super::sentence::{Sentence, everybody};
use crate::expression::shown::scaled;
use crate::figure::Level;

/// Tells whether a word is one of those that orders are told with.
pub(super) fn reads(word: &str) -> bool {
    matches!(word, "order" | "descending" | "ascending" | "sole")
}

/// Appends what is wrong with the orders and with what is left out.
pub(super) fn check(sentence: &Sentence<'_>, faults: &mut Vec<String>) {
    for at in 0..sentence.tokens.len() {
        if !sentence.free(at) || sentence.counted.get(at).copied().unwrap_or_default() {
            continue;
        }
        match sentence.word(at) {
            "ranked" | "ranks" | "ranking" | "order" | "followed" | "then" => {
                order(sentence, at, faults);
            }
            "only" | "sole" => alone(sentence, at, faults),
            _ => {}
        }
    }
}

/// What is put in an order: answers or items before segments, and studies where nothing else differs.
fn ordered<'a>(sentence: &'a Sentence<'_>) -> Option<&'a Dimension> {
    let find = |wanted: fn(&Dimension) -> bool| sentence.varying.iter().find(|one| wanted(one));
    find(|one| *one == Dimension::Answers)
        .or_else(|| find(|one| *one == Dimension::Question))
        .or_else(|| find(|one| matches!(one, Dimension::Segment(_))))
        .or_else(|| find(|one| *one == Dimension::Study))
}

fn order(sentence: &Sentence<'_>, at: usize, faults: &mut Vec<String>) {
    let (word, next, before) = (sentence.word(at), sentence.word(at + 1), sentence.back(at, 1));
    let dimension = ordered(sentence);
    let labels = dimension.map(|dimension| sentence.labels(dimension));
    let whole = match word {
        // "Ranks second" is held against all others.
        "ranked" | "ranks" => {
            if matches!(
                next,
                "first" | "second" | "third" | "fourth" | "last" | "number" | "highest" | "lowest"
            ) {
                return;
            }
            true
        }
        "ranking" | "order" => {
            let list = matches!(sentence.back(at, 2), "top" | "tops" | "leads" | "lead" | "heads");
            if list || next == "of" && word == "order" {
                return;
            }
            true
        }
        "followed" if next == "by" || sentence.word(at + 2) == "by" => false,
        "followed" => return,
        _ => {
            let label = labels.as_ref().and_then(|labels| labels.after(at));
            if !matches!(before, "and" | "," | "by") || label.is_none_or(|(from, _)| from > at + 3)
            {
                return;
            }
            false
        }
    };
    let (Some(dimension), Some(labels)) = (dimension, labels) else {
        faults.push(format!("'{word}' tells an order, and the figures hold none: give the figures of all that are named."));
        return;
    };
    let end = (at..sentence.tokens.len())
        .find(|at| matches!(sentence.word(*at), ";" | "."))
        .unwrap_or(sentence.tokens.len());
    let first = if whole { Some(0) } else { labels.before(at).map(|(from, _)| from) };
    let mut run: Vec<(usize, &std::collections::BTreeSet<String>)> = Vec::new();
    for (from, _, label) in &labels.at {
        let within = first.is_some_and(|first| (first..end).contains(from));
        if within && !everybody(label) && !run.iter().any(|(_, known)| *known == *label) {
            run.push((*from, label));
        }
    }
    let value = |(from, label): &(usize, &std::collections::BTreeSet<String>)| -> Option<f64> {
        let near = sentence.near(*from, &[dimension]);
        let mut of = near.into_iter().filter(|part| part.is_of(dimension, label));
        let part = of.next()?;
        if of.any(|other| other.part.figure.value.to_bits() != part.part.figure.value.to_bits()) {
            return None;
        }
        // Studies follow one another in time.
        Some(match dimension {
            Dimension::Study => -f64::from(u32::try_from(part.asked.spec.study).ok()?),
            _ => part.part.figure.value,
        })
    };
    let values: Option<Vec<f64>> = run.iter().map(value).collect();
    let Some(values) = values.filter(|values| values.len() > 1) else {
        faults.push(format!("'{word}' tells an order of what the figures do not hold: name each label with its figure, from the highest down."));
        return;
    };
    let up = sentence.tokens.iter().any(|token| token.is(&["ascending", "increasing"]));
    let right = values.windows(2).all(|pair| match pair {
        [one, other] => {
            if up {
                one <= other
            } else {
                one >= other
            }
        }
        _ => true,
    });
    if !right {
        faults.push(format!(
            "'{word}' tells an order, and the values do not stand in it: put the labels from the {}.",
            if up { "lowest up" } else { "highest down" }
        ));
    }
}

/// What is so of *only*.
enum Only {
    /// It is said of a number, or of something else that is no label.
    OfNoLabel,
    /// No figure says it.
    Untold,
    Holds,
    /// The same is so of this label.
    SameOf(String),
}

/// Whether *only* leaves out others of whom it was computed that it is not so.
pub(super) fn leaves_out_rightly(sentence: &Sentence<'_>, at: usize) -> bool {
    matches!(only(sentence, at), Only::Holds)
}

fn alone(sentence: &Sentence<'_>, at: usize, faults: &mut Vec<String>) {
    match only(sentence, at) {
        Only::OfNoLabel | Only::Holds => {}
        Only::SameOf(other) => faults
            .push(format!("'{}' is wrong: the same is so of {other}.", sentence.word(at))),
        Only::Untold => faults.push(format!(
            "'{}' leaves all others out, and no figure says it: leave it out, or name the bound that one label alone passes.",
            sentence.word(at)
        )),
    }
}

fn only(sentence: &Sentence<'_>, at: usize) -> Only {
    let before = sentence.back(at, 1);
    let number = sentence.said.iter().any(|said| (at + 1..=at + 2).contains(&said.from));
    if before == "not" || number {
        return Only::OfNoLabel;
    }
    let of_figures =
        |dimension: &Dimension| sentence.parts.iter().any(|part| part.of.contains_key(dimension));
    let joins = |at: &usize| {
        matches!(
            sentence.word(*at),
            "the"
                | "among"
                | "in"
                | "on"
                | "for"
                | "by"
                | "those"
                | "of"
                | "aged"
                | "with"
                | "respondents"
                | "passengers"
                | "people"
                | "between"
        )
    };
    let next = (at + 1..at + 5).find(|at| !joins(at)).unwrap_or(at + 1);
    let mention =
        sentence.mentions.iter().find(|mention| (mention.from..mention.to).contains(&next));
    let of_label = mention.and_then(|mention| {
        let mut means = mention.means.iter().filter(|(dimension, _)| of_figures(dimension));
        means.find(|(dimension, labels)| **dimension != Dimension::Question && !everybody(labels))
    });
    let side = mention.is_some_and(|one| sentence.sides.iter().any(|side| side.at == one.from));
    let found = match of_label {
        Some((dimension, labels)) if !side => Some((dimension.clone(), labels.clone())),
        _ if matches!(before, "the" | "a" | "their" | "is" | "are") && sentence.free(at + 1) => {
            dimension(sentence, at).and_then(|dimension| {
                let labels = subject(sentence, at, &dimension)?;
                Some((dimension, labels))
            })
        }
        _ => return Only::OfNoLabel,
    };
    let decided = found.and_then(|(dimension, labels)| {
        let parts: Vec<&Measured<'_>> =
            sentence.parts.iter().filter(|part| part.is_of(&dimension, &labels)).collect();
        bounded(sentence, &parts, &dimension).or_else(|| changed(sentence, &parts, &dimension))
    });
    match decided {
        None => Only::Untold,
        Some(None) => Only::Holds,
        Some(Some(other)) => Only::SameOf(other),
    }
}

/// Whether a value passes a bound that the sentence tells; none where it tells none.
fn bound<'a>(sentence: &'a Sentence<'_>) -> Option<Box<dyn Fn(f64) -> bool + 'a>> {
    let passes = |said: &Said, value: f64| match said.bound {
        Bound::Over | Bound::JustOver => value > said.value,
        Bound::AtLeast => value >= said.value,
        Bound::Under | Bound::Nearly => value < said.value,
        _ => value <= said.value,
    };
    let mut bounds = sentence.said.iter().filter(|said| {
        said.what == What::Value && !matches!(said.bound, Bound::Exactly | Bound::About)
    });
    if let (Some(said), None) = (bounds.next(), bounds.next()) {
        return Some(Box::new(move |value| passes(said, value)));
    }
    let free = |words: &[&str]| {
        (0..sentence.tokens.len()).any(|at| sentence.free(at) && words.contains(&sentence.word(at)))
    };
    if free(&["majority", "most"]) {
        return Some(Box::new(|value| value > 50.0));
    }
    if free(&["minority"]) {
        return Some(Box::new(|value| value < 50.0));
    }
    if free(&["negative"]) {
        return Some(Box::new(|value| value < 0.0));
    }
    free(&["positive"]).then(|| -> Box<dyn Fn(f64) -> bool> { Box::new(|value| value > 0.0) })
}

/// Whether these figures alone pass the bound: the first other one that does, none where none does; undecided where there is no bound.
fn bounded(
    sentence: &Sentence<'_>,
    parts: &[&Measured<'_>],
    dimension: &Dimension,
) -> Option<Option<String>> {
    let passes = bound(sentence)?;
    let mut other = None;
    for part in parts {
        let others = others(sentence, part, dimension);
        if others.is_empty() || !passes(scaled(part.part.figure.value, part.part.unit)) {
            return None;
        }
        other = other.or_else(|| {
            let mut same = others.into_iter();
            same.find(|(_, value)| passes(scaled(*value, part.part.unit))).map(|(label, _)| label)
        });
    }
    (!parts.is_empty()).then_some(other)
}

/// Whether one label alone rose or fell significantly between the two studies.
fn changed(
    sentence: &Sentence<'_>,
    parts: &[&Measured<'_>],
    dimension: &Dimension,
) -> Option<Option<String>> {
    let mut ways = (0..sentence.tokens.len())
        .filter(|at| sentence.free(*at))
        .filter_map(|at| rising(sentence.word(at)));
    let (up, None) = (ways.next()?, ways.next()) else { return None };
    let [one, other] = parts else { return None };
    let (earlier, later) =
        if one.asked.spec.study < other.asked.spec.study { (one, other) } else { (other, one) };
    if earlier.asked.spec.study == later.asked.spec.study || *dimension == Dimension::Study {
        return None;
    }
    let before = other_specs(sentence, earlier, dimension);
    for (label, now) in other_specs(sentence, later, dimension) {
        let Some((_, then)) = before.iter().find(|(known, _)| *known == label) else { continue };
        let told = sentence.project.figure(&now, sentence.rules).ok();
        if told.is_none_or(|figure| figure.level == Level::TooLow) {
            continue;
        }
        let compared = sentence.project.compare(&now, then, sentence.rules).ok()?;
        if compared.significant && (compared.difference > 0.0) == up {
            return Some(Some(label));
        }
    }
    Some(None)
}
