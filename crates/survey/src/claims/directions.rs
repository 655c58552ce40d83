//! Comparisons in words: more, higher, rose, fell, unchanged, doubled, significantly.
//!
//! - What is compared is read from the labels around the word: `women … higher than men`, `compared with men, women …`, `ahead of men`; a word of
//!   change (rose, fell) compares the later study with the earlier one.
//! - The direction must be that of the figures. Between segments and between studies the difference must be significant by the test in use, unless the
//!   sentence says that it is not (`not significantly`, `directionally`, `no significant difference`), which must then be true.
//! - Unchanged, stable, similar, on par, in line, close, as many as, hardly apart, within a narrow range: the difference must not be significant; where nothing is
//!   tested, it must be below 5 points, or 5 in a hundred of a mean. Identical and exactly the same: the values are equal as shown. Not similar, not as many
//!   as: the difference must be significant.
//! - Sizes of differences are held against 5 points, or 5 in a hundred of a mean (`directions/sizes.rs`); a gap that widens or narrows takes figures of two studies
//!   (`directions/gaps.rs`); what goes from one study to another goes forward (`directions/spans.rs`). Who stands out differs significantly from all others
//!   of the figures, and all the same way.
//! - Twice, doubled, half as many: the ratio lies within 5 in a hundred; `nearly` down to 10 below, `more than` up to half above. `1.3 times` is the ratio,
//!   rounded to the decimals shown.
//! - Answers of the same people are compared by their values alone.

mod gaps;
mod pairs;
mod sameness;
mod sizes;
mod spans;
mod words;

use super::numbers::{Said, Told, What};
use super::parts::Dimension;
use super::sentence::Sentence;
use super::values::within;
use pairs::pairs;
pub(super) use sameness::as_much;
use words::{Stance, Way, Word, negated, stances, words};
pub(super) use words::{compares, moves};

/// Tells whether a word is read by these rules beside those that compare.
pub(super) fn reads(word: &str) -> bool {
    sizes::reads(word) || matches!(word, "out" | "after" | "ground")
}

/// Whether a word of change tells a rise, or a fall.
pub(super) fn rising(word: &str) -> Option<bool> {
    if words::rises(word) { Some(true) } else { words::falls(word).then_some(false) }
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
    unknown_verbs(sentence, faults);
    sameness::check(sentence, faults);
    sizes::check(sentence, &words, &stances, faults);
    gaps::check(sentence, faults);
    spans::check(sentence, faults);
    stands_out(sentence, faults);
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

/// "From 62 % to 53 %" is told with a word whose direction is known, and nothing is held against what no figure is of.
fn unknown_verbs(sentence: &Sentence<'_>, faults: &mut Vec<String>) {
    const ELSEWHERE: &[&str] = &[
        "benchmark",
        "benchmarks",
        "target",
        "targets",
        "norm",
        "norms",
        "competitor",
        "competitors",
        "competition",
        "industry",
        "market",
        "goal",
        "goals",
        "expectation",
        "expectations",
        "forecast",
        "forecasts",
        "rivals",
        "peers",
    ];
    let asked = super::topics::asked_words(&sentence.parts);
    for (at, token) in sentence.tokens.iter().enumerate() {
        if !sentence.free(at) {
            continue;
        }
        if token.is(ELSEWHERE) && !asked.contains(&token.stem) {
            faults.push(format!("'{}' is nothing that a figure is of: leave it out.", token.word));
        }
        let numbers = token.word == "from"
            && sentence
                .said
                .iter()
                .any(|said| (at + 1..at + 3).contains(&said.from) && said.what == What::Value)
            && (at + 2..at + 12).any(|at| sentence.word(at) == "to");
        if !numbers {
            continue;
        }
        let verb = (at.saturating_sub(3)..at).rev().find(|at| {
            let known = sentence.word(*at);
            sentence.free(*at)
                && sentence.tokens.get(*at).is_some_and(super::tokens::Token::is_word)
                && !super::words::plain(known)
                && !sentence.tokens.get(*at).is_some_and(|one| asked.contains(&one.stem))
        });
        if let Some(verb) =
            verb.filter(|verb| verb + 1 == at || sentence.word(verb + 1).ends_with("ly"))
        {
            faults.push(format!(
                "'{}' is no word whose direction is known: say rose, fell or stayed.",
                sentence.word(verb)
            ));
        }
    }
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
            Way::Same if p.is_none() => sizes::apart(sentence, one, other) < sizes::SMALL,
            Way::Same => !significant,
        };
        if word.way == Way::Same {
            let equal = text(sentence, one) == text(sentence, other);
            if word.negated {
                if !significant {
                    faults.push(format!(
                        "'not {told}' is wrong: {one_told} and {other_told} do not differ significantly."
                    ));
                }
            } else if word.exact && !equal {
                faults.push(format!(
                    "'{told}' is wrong: {one_told} ({}) and {other_told} ({}) are not equal.",
                    text(sentence, one),
                    text(sentence, other)
                ));
            } else if !right {
                faults.push(format!(
                    "'{told}' is wrong: {one_told} and {other_told} differ ({}, {}).",
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

/// Who stands out differs from all others, and all the same way.
fn stands_out(sentence: &Sentence<'_>, faults: &mut Vec<String>) {
    for at in 0..sentence.tokens.len() {
        let word = sentence.word(at);
        if word == "ground" && sentence.free(at) {
            let before = sentence.back(at, 1);
            if !words::rises(before) && !words::falls(before) {
                faults.push("'ground' is nothing that a figure is of: leave it out.".to_owned());
            }
        }
        let counted = sentence.counted.get(at).copied().unwrap_or_default();
        if word != "out" || !sentence.free(at) || counted {
            continue;
        }
        if !matches!(sentence.back(at, 1), "stand" | "stands" | "stood") {
            if sentence.word(at + 1) != "of" {
                faults.push("'out' tells what no figure says: leave it out.".to_owned());
            }
            continue;
        }
        let pairs = pairs::against_all(sentence, at);
        let above =
            pairs.iter().filter(|(one, other)| sentence.value(*one) > sentence.value(*other));
        let one_way = [0, pairs.len()].contains(&above.count());
        let significant = pairs.iter().all(|(one, other)| {
            sentence.compared(*one, *other).is_some_and(|comparison| comparison.significant)
        });
        if pairs.is_empty() || !one_way || !significant {
            faults.push(
                "'stands out' takes figures of the others that all differ significantly, and the same way: give them, or leave it out.".to_owned(),
            );
        }
    }
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
        pairs = pairs::pairs(sentence, said.at, change);
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
