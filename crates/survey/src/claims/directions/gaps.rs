//! A gap that widens or narrows: the change of a difference.
//!
//! It takes the figures of both sides in two studies. The difference must have changed that way, and by more than the intervals of both differences leave to chance:
//! half the width of the interval of a difference of independent differences is the root of the sum of the squares of theirs.

use super::{Dimension, Sentence, Way};

const GAPS: &[&str] = &[
    "gap",
    "gaps",
    "difference",
    "differences",
    "lead",
    "advantage",
    "margin",
    "distance",
    "divide",
];

/// Whether the word at a place tells that a gap changes, and which way.
pub(super) fn changes(sentence: &Sentence<'_>, at: usize) -> Option<Way> {
    if !sentence.free(at) {
        return None;
    }
    let word = sentence.word(at);
    match word {
        "widened" | "widen" | "widens" | "widening" | "diverge" | "diverged" => {
            return Some(Way::Up);
        }
        "narrowed" | "narrows" | "narrowing" | "converge" | "converged" => return Some(Way::Down),
        _ => {}
    }
    let gap = |at: usize| {
        let verb = sentence.word(at) == "lead"
            && !matches!(sentence.back(at, 1), "the" | "their" | "its" | "this");
        sentence.free(at) && GAPS.contains(&sentence.word(at)) && !verb
    };
    let joins =
        |at: &usize| matches!(sentence.word(*at), "the" | "their" | "its" | "this" | "in" | "a");
    let after = (at + 1..=at + 3).find(|at| !joins(at)).is_some_and(gap);
    let goes_on = |at: &usize| {
        !matches!(sentence.word(*at), "," | ";" | "." | ":" | "(" | ")" | "—")
            && !sentence.counted.get(*at).copied().unwrap_or_default()
    };
    let before = (at.saturating_sub(30)..at).rev().take_while(goes_on).any(gap);
    let grows = matches!(word, "up" | "extended" | "opened") || super::words::rises(word);
    let shrinks = matches!(word, "down" | "close" | "closed" | "closes" | "closing")
        || super::words::falls(word);
    let apart = (at + 1..=at + 2)
        .map(|at| sentence.word(at))
        .find(|word| matches!(*word, "apart" | "closer" | "together"));
    if let Some(apart) = apart
        && (grows || shrinks || matches!(word, "moved" | "move" | "come" | "came" | "went"))
    {
        return Some(if apart == "apart" { Way::Up } else { Way::Down });
    }
    match (grows, shrinks) {
        _ if !after && !before => None,
        (true, _) => Some(Way::Up),
        // "The gap is close" tells no change.
        (_, true) if word != "close" || after => Some(Way::Down),
        _ => None,
    }
}

/// Appends what is wrong with the gaps that change.
pub(super) fn check(sentence: &Sentence<'_>, faults: &mut Vec<String>) {
    for at in 0..sentence.tokens.len() {
        let Some(way) = changes(sentence, at) else { continue };
        let told = sentence.word(at);
        let Some((before, after)) = differences(sentence) else {
            faults.push(format!(
                "'{told}' tells how a difference changed, which takes the figures of both sides in two studies: give all four, or leave it out."
            ));
            continue;
        };
        let moved = after.0.abs() - before.0.abs();
        let right = if way == Way::Up { moved > 0.0 } else { moved < 0.0 };
        // A difference that was more than chance, and is now the other way round, is no wider.
        let turned = before.0 * after.0 < 0.0 && before.0.abs() > before.1;
        let by_chance = (after.0 - before.0).abs() <= before.1.hypot(after.1);
        if !right || turned || by_chance {
            faults.push(format!(
                "'{told}' is wrong: the difference was {:.1} and is {:.1} points, which is {}.",
                before.0 * 100.0,
                after.0 * 100.0,
                match (right, turned) {
                    (_, true) => "the other way round",
                    (true, _) => "no more than chance can do",
                    (false, _) => "the opposite",
                }
            ));
        }
    }
}

/// The difference of two groups in the earlier study and in the later one, each with half the width of its interval.
fn differences(sentence: &Sentence<'_>) -> Option<((f64, f64), (f64, f64))> {
    let [earlier, later] = sentence.order.as_slice() else { return None };
    let mut among = sentence.varying.iter().filter(|one| matches!(one, Dimension::Segment(_)));
    let (dimension, None) = (among.next()?, among.next()) else { return None };
    let mut groups = sentence.parts.iter().filter_map(|part| part.of.get(dimension));
    let one = groups.next()?;
    let other = groups.find(|group| *group != one)?;
    if sentence
        .parts
        .iter()
        .any(|part| part.of.get(dimension).is_some_and(|own| own != one && own != other))
    {
        return None;
    }
    let of = |study: &std::collections::BTreeSet<String>| {
        let find = |group: &std::collections::BTreeSet<String>| {
            sentence.parts.iter().position(|part| {
                part.of.get(dimension) == Some(group)
                    && part.of.get(&Dimension::Study) == Some(study)
            })
        };
        let compared = sentence.compared(find(one)?, find(other)?)?;
        let (low, high) = compared.interval?;
        Some((compared.difference, (high - low) / 2.0))
    };
    Some((of(earlier)?, of(later)?))
}
