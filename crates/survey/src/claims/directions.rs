//! Comparisons in words: more, higher, rose, fell, unchanged, doubled, significantly.
//!
//! - What is compared is read from the labels around the word: `women … higher than men`, `compared with men, women …`, `ahead of men`; a word of
//!   change (rose, fell) compares the later study with the earlier one.
//! - The direction must be that of the figures. Between segments and between studies the difference must be significant by the test in use, unless the
//!   sentence says that it is not (`not significantly`, `directionally`, `no significant difference`), which must then be true.
//! - Unchanged, stable, similar, on par, no different: the difference must not be significant.
//! - Twice, doubled, half as many: the ratio lies within 5 in a hundred; `nearly` down to 10 below, `more than` up to half above. `1.3 times` is the ratio,
//!   rounded to the decimals shown.
//! - Answers of the same people are compared by their values alone.

use std::collections::BTreeSet;

use super::numbers::{Said, Told};
use super::parts::Dimension;
use super::sentence::Sentence;
use super::values::within;

/// Which way a comparison goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Way {
    Up,
    Down,
    Same,
}

/// A word that compares.
struct Word {
    at: usize,
    way: Way,
    /// A change in time.
    change: bool,
    /// Means nothing else: without figures to compare, it is a fault.
    strong: bool,
    negated: bool,
}

const RISES: &[&str] = &[
    "rose",
    "risen",
    "rise",
    "rises",
    "rising",
    "increased",
    "increase",
    "increases",
    "increasing",
    "grew",
    "grown",
    "grow",
    "grows",
    "growing",
    "growth",
    "climbed",
    "climb",
    "climbs",
    "climbing",
    "gained",
    "gain",
    "gains",
    "improved",
    "improvement",
    "improves",
    "jumped",
    "jump",
    "surged",
    "surge",
    "uptick",
    "strengthened",
    "advanced",
    "upward",
    "uplift",
];
const FALLS: &[&str] = &[
    "fell",
    "fallen",
    "fall",
    "falls",
    "falling",
    "declined",
    "decline",
    "declines",
    "declining",
    "decreased",
    "decrease",
    "decreases",
    "dropped",
    "drop",
    "drops",
    "dropping",
    "shrank",
    "shrunk",
    "slipped",
    "slid",
    "slide",
    "lost",
    "weakened",
    "worsened",
    "eroded",
    "dipped",
    "dip",
    "plunged",
    "plummeted",
    "downward",
    "deteriorated",
    "eased",
    "reduced",
    "reduction",
];
const HIGHER: &[&str] = &[
    "higher",
    "greater",
    "larger",
    "bigger",
    "stronger",
    "exceeds",
    "exceed",
    "exceeded",
    "outperform",
    "outperforms",
    "outscore",
    "outscores",
    "outpace",
    "outpaces",
    "surpass",
    "surpasses",
    "happier",
    "likelier",
    "ahead",
    "leads",
    "lead",
    "led",
    "outnumber",
    "outnumbers",
    "higher-than",
    "better",
];
const LOWER: &[&str] = &[
    "lower",
    "fewer",
    "smaller",
    "weaker",
    "behind",
    "trail",
    "trails",
    "trailed",
    "lag",
    "lags",
    "lagged",
    "unhappier",
    "worse",
];
const SAME: &[&str] = &[
    "unchanged",
    "stable",
    "flat",
    "steady",
    "constant",
    "similar",
    "similarly",
    "equal",
    "equally",
    "same",
    "identical",
    "par",
    "alike",
    "level-pegging",
    "stagnated",
    "stagnant",
];

/// Tells whether a word says that something is or becomes more or less.
pub(super) fn moves(word: &str) -> bool {
    [RISES, FALLS, HIGHER, LOWER].iter().any(|words| words.contains(&word))
        || matches!(word, "up" | "down" | "more" | "less")
}

/// Appends what is wrong with the comparisons.
pub(super) fn check(sentence: &Sentence<'_>, faults: &mut Vec<String>) {
    let stances = stances(sentence);
    let words = words(sentence);
    for word in &words {
        comparison(sentence, word, &stances, faults);
    }
    for said in sentence.said.iter().filter(|said| said.unit == Told::Times) {
        multiple(sentence, said, faults);
    }
    for (at, stance) in &stances {
        if !words.iter().any(|word| word.way != Way::Same && word.at.abs_diff(*at) < 12) {
            differs(sentence, *stance, faults);
        }
    }
    if stances.is_empty() {
        let differ = (0..sentence.tokens.len()).find(|at| {
            sentence.free(*at) && matches!(sentence.word(*at), "differ" | "differs" | "differed")
        });
        if let Some(at) = differ {
            let stance = if negated(sentence, at) { Stance::Not } else { Stance::Significant };
            differs(sentence, stance, faults);
        }
    }
}

/// What a sentence says of significance.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stance {
    Significant,
    Not,
}

fn stances(sentence: &Sentence<'_>) -> Vec<(usize, Stance)> {
    let mut found = Vec::new();
    for at in 0..sentence.tokens.len() {
        if !sentence.free(at) {
            continue;
        }
        let stance = match sentence.word(at) {
            "significant" | "significantly" | "significance" => {
                let level = sentence.word(at) == "significance" && sentence.word(at + 1) == "level";
                if level {
                    continue;
                }
                let before = |by| {
                    matches!(
                        sentence.back(at, by),
                        "not"
                            | "no"
                            | "without"
                            | "non"
                            | "neither"
                            | "nor"
                            | "never"
                            | "hardly"
                            | "cannot"
                            | "lacks"
                            | "short"
                    ) || sentence.back(at, by).ends_with("n't")
                };
                if (1..=5).any(before) { Stance::Not } else { Stance::Significant }
            }
            "insignificant" | "insignificantly" | "nonsignificant" | "directionally"
            | "directional" | "indistinguishable" => Stance::Not,
            "margin" if sentence.word(at + 1) == "of" && sentence.back(at, 2) == "within" => {
                Stance::Not
            }
            "error" if sentence.back(at, 1) == "sampling" && (sentence.back(at, 2) == "within") => {
                Stance::Not
            }
            "tied" | "tie"
                if sentence.back(at, 1) == "statistically"
                    || sentence.back(at, 1) == "statistical" =>
            {
                Stance::Not
            }
            _ => continue,
        };
        found.push((at, stance));
    }
    found
}

fn negated(sentence: &Sentence<'_>, at: usize) -> bool {
    (1..=4).any(|by| {
        let word = sentence.back(at, by);
        matches!(word, "not" | "no" | "never" | "neither" | "nor" | "without" | "cannot")
            || word.ends_with("n't")
    })
}

fn words(sentence: &Sentence<'_>) -> Vec<Word> {
    let mut words = Vec::new();
    for at in 0..sentence.tokens.len() {
        if !sentence.free(at) || sentence.counted.get(at).copied().unwrap_or_default() {
            continue;
        }
        let word = sentence.word(at);
        let next = sentence.word(at + 1);
        let than = (1..=9).any(|ahead| sentence.word(at + ahead) == "than");
        let found = if RISES.contains(&word) {
            Some((Way::Up, true, true))
        } else if FALLS.contains(&word) {
            Some((Way::Down, true, true))
        } else if HIGHER.contains(&word) {
            let noun = matches!(word, "lead" | "leads" | "led") && matches!(next, "to" | "time");
            let strong = !matches!(
                word,
                "better" | "lead" | "leads" | "led" | "ahead" | "bigger" | "larger" | "stronger"
            );
            (!noun).then_some((Way::Up, false, strong || than))
        } else if LOWER.contains(&word) {
            Some((Way::Down, false, !matches!(word, "behind" | "smaller" | "weaker") || than))
        } else if SAME.contains(&word) {
            let same = match word {
                "same" => {
                    matches!(next, "level" | "share" | "among" | "in" | "as" | "for" | "." | "")
                }
                "par" => sentence.back(at, 1) == "on",
                _ => true,
            };
            same.then_some((Way::Same, false, true))
        } else {
            match word {
                "more" | "less" => {
                    let way = if word == "more" { Way::Up } else { Way::Down };
                    let compares = than || !matches!(next, "" | "." | "," | "and");
                    compares.then_some((way, false, than))
                }
                "above" => Some((Way::Up, false, false)),
                "below" | "under" => Some((Way::Down, false, false)),
                "up" | "down" => {
                    let way = if word == "up" { Way::Up } else { Way::Down };
                    let number =
                        sentence.said.iter().any(|said| said.from == at + 1 || said.to == at);
                    let went = matches!(
                        sentence.back(at, 1),
                        "is" | "was"
                            | "are"
                            | "were"
                            | "went"
                            | "gone"
                            | "going"
                            | "goes"
                            | "moved"
                            | "edged"
                            | "been"
                            | "trending"
                            | "ticked"
                            | "came"
                            | "crept"
                            | "inched"
                    );
                    (number
                        || went
                        || matches!(
                            next,
                            "from"
                                | "by"
                                | "on"
                                | "significantly"
                                | "slightly"
                                | "sharply"
                                | "since"
                        ) && sentence.back(at, 1) != "follow")
                        .then_some((way, true, true))
                }
                "change" | "movement" if (1..=4).any(|by| sentence.back(at, by) == "no") => {
                    Some((Way::Same, true, true))
                }
                "changed" | "change" | "moved" if negated(sentence, at) => {
                    Some((Way::Same, true, true))
                }
                "held" if matches!(next, "up" | "on") => Some((Way::Same, true, true)),
                _ => None,
            }
        };
        let Some((way, change, strong)) = found else { continue };
        words.push(Word {
            at,
            way,
            change,
            strong,
            negated: way != Way::Same && negated(sentence, at),
        });
    }
    words
}

/// Which figures a word compares.
fn pairs(sentence: &Sentence<'_>, at: usize, change: bool) -> Vec<(usize, usize)> {
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
    // Nothing is named to compare with: the label near the word, and what differs from it.
    for dimension in sentence.varying.iter().filter(|one| **one != Dimension::Study) {
        let labels = sentence.labels(dimension);
        let near = super::binding::one(at, &labels, &sentence.tokens, &sentence.clauses);
        if let Some(near) = near {
            let among = sentence.near(at, &[dimension]);
            let pairs = sentence.pairs(dimension, near, None, &among);
            if !pairs.is_empty() {
                return pairs;
            }
        }
    }
    in_time()
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
    let beside = match (sentence.word(at), sentence.word(at + 1)) {
        ("ahead", "of") => Some(at + 2),
        ("above" | "below" | "under" | "behind", _) => Some(at + 1),
        (
            "exceed" | "exceeds" | "exceeded" | "outperform" | "outperforms" | "outscore"
            | "outscores" | "outpace" | "outpaces" | "surpass" | "surpasses" | "lead" | "leads"
            | "led" | "trail" | "trails" | "trailed" | "lag" | "lags" | "lagged" | "outnumber"
            | "outnumbers",
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

fn comparison(
    sentence: &Sentence<'_>,
    word: &Word,
    stances: &[(usize, Stance)],
    faults: &mut Vec<String>,
) {
    let told = sentence.word(word.at).to_owned();
    let pairs = pairs(sentence, word.at, word.change);
    if pairs.is_empty() {
        if word.strong {
            faults.push(format!(
                "'{told}' compares, and the figures hold nothing to compare: give the difference as an expression and name both sides, or leave it out."
            ));
        }
        return;
    }
    let stance =
        stances.iter().min_by_key(|(at, _)| at.abs_diff(word.at)).map(|(_, stance)| *stance);
    for (one, other) in pairs {
        let (first, second) = (sentence.value(one), sentence.value(other));
        let (one_told, other_told) = (sentence.told(one), sentence.told(other));
        let tested = tested(sentence, one, other);
        let comparison = sentence.compared(one, other);
        let significant = comparison.as_ref().is_some_and(|comparison| comparison.significant);
        let p = comparison.as_ref().and_then(|comparison| comparison.p);
        let right = match word.way {
            Way::Up => first > second,
            Way::Down => first < second,
            Way::Same => !significant,
        };
        if word.way == Way::Same {
            if !right {
                faults.push(format!(
                    "'{told}' is wrong: {one_told} and {other_told} differ significantly ({}, {}).",
                    text(sentence, one),
                    text(sentence, other)
                ));
            }
            continue;
        }
        if word.negated {
            // "Not higher": lower, equal, or higher by chance; "not significantly higher": by chance.
            if significant && (right || stance == Some(Stance::Not)) {
                faults.push(format!("'not {told}' is wrong: {one_told} and {other_told} differ significantly that way."));
            }
            continue;
        }
        if !right {
            let what = if first == second {
                "equal to"
            } else if first > second {
                "higher than"
            } else {
                "lower than"
            };
            faults.push(format!(
                "'{told}' goes the wrong way: {one_told} ({}) is {what} {other_told} ({}).",
                text(sentence, one),
                text(sentence, other)
            ));
        } else if stance == Some(Stance::Not) && significant {
            faults.push(format!("the difference between {one_told} and {other_told} is significant: do not say that it is not."));
        } else if stance == Some(Stance::Significant) && !significant
            || tested && stance.is_none() && !significant
        {
            let why = p.map_or_else(
                || comparison.map(|comparison| comparison.told).unwrap_or_default(),
                |p| format!("p = {p:.3}"),
            );
            faults.push(format!(
                "the difference between {one_told} and {other_told} is not significant ({why}): say 'not significantly', or leave the comparison out."
            ));
        }
    }
}

fn text(sentence: &Sentence<'_>, part: usize) -> String {
    sentence.parts.get(part).map(|part| part.part.text.clone()).unwrap_or_default()
}

/// Whether a difference needs a test: between segments, or between studies.
fn tested(sentence: &Sentence<'_>, one: usize, other: usize) -> bool {
    let (Some(one), Some(other)) = (sentence.parts.get(one), sentence.parts.get(other)) else {
        return true;
    };
    one.asked.spec.study != other.asked.spec.study
        || one.asked.spec.segment != other.asked.spec.segment
}

/// What is said of significance where no direction is told.
fn differs(sentence: &Sentence<'_>, stance: Stance, faults: &mut Vec<String>) {
    let pairs = sentence.own_pairs();
    if pairs.is_empty() {
        faults.push("significance is said of a difference, and the figures hold none: give the difference as an expression, or leave it out.".to_owned());
    }
    for (one, other) in pairs {
        let significant =
            sentence.compared(one, other).is_some_and(|comparison| comparison.significant);
        let (one, other) = (sentence.told(one), sentence.told(other));
        match stance {
            Stance::Significant if !significant => faults.push(format!(
                "{one} and {other} do not differ significantly: say so, or leave it out."
            )),
            Stance::Not if significant => {
                faults.push(format!("{one} and {other} differ significantly: say so."));
            }
            _ => {}
        }
    }
}

/// Twice as many, doubled, 1.3 times.
fn multiple(sentence: &Sentence<'_>, said: &Said, faults: &mut Vec<String>) {
    let change = matches!(
        sentence.word(said.at),
        "doubled" | "doubles" | "doubling" | "tripled" | "triples" | "halved" | "double" | "triple"
    ) && sentence.word(said.to) != "the";
    let mut pairs = Vec::new();
    // "Twice as many women as men".
    for dimension in &sentence.varying {
        let labels = sentence.labels(dimension);
        let joins = (said.to..(said.to + 14).min(sentence.tokens.len())).rev().find(|at| {
            let as_it_is = matches!(
                sentence.word(*at),
                "as" | "than" | "of" | "that" | "level" | "share" | "rate"
            );
            as_it_is
                && sentence.free(*at)
                && labels.after(*at).is_some_and(|(from, _)| from <= at + 4)
        });
        let Some(joins) = joins else { continue };
        let Some((_, other)) = labels.after(joins) else { continue };
        let one = labels.at.iter().rev().find(|(place, _, one)| *place < joins && *one != other);
        if let Some((_, _, one)) = one {
            let among = sentence.near(said.at, &[dimension]);
            pairs.extend(sentence.pairs(dimension, one, Some(other), &among));
        }
    }
    if pairs.is_empty()
        && (change || sentence.varying == [Dimension::Study])
        && let [earlier, later] = sentence.order.as_slice()
    {
        let among = sentence.near(said.at, &[&Dimension::Study]);
        pairs = sentence.pairs(&Dimension::Study, later, Some(earlier), &among);
    }
    if pairs.is_empty() {
        pairs = self::pairs(sentence, said.at, change);
    }
    if pairs.is_empty() {
        pairs = sentence.own_pairs();
        pairs.truncate(1);
    }
    if pairs.is_empty() {
        faults.push(format!("'{}' compares, and the figures hold nothing to compare: give the ratio as an expression.", said.shown));
    }
    for (one, other) in pairs {
        let ratio = sentence.value(one) / sentence.value(other);
        if !ratio.is_finite() || !within(said, ratio) {
            faults.push(format!(
                "'{}' is not what the figures say: {} ({}) is {ratio:.2} times {} ({}).",
                said.shown,
                sentence.told(one),
                text(sentence, one),
                sentence.told(other),
                text(sentence, other)
            ));
        } else if tested(sentence, one, other)
            && !sentence.compared(one, other).is_some_and(|comparison| comparison.significant)
        {
            faults.push(format!(
                "the difference between {} and {} is not significant: leave the comparison out.",
                sentence.told(one),
                sentence.told(other)
            ));
        }
    }
}
