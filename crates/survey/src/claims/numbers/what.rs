//! What a number is of, by the words around it.

use super::{Said, Told, What, word};
use crate::claims::tokens::Token;
use crate::claims::words::people;

/// What else is counted where people are.
const PEOPLE: &[&str] =
    &["interviews", "answers", "shoppers", "responses", "cases", "households", "buyers"];

/// Tells what a number is of, by the words around it.
pub(super) fn what(tokens: &[Token], said: &mut Said) {
    let before = |back: usize| said.from.checked_sub(back).map_or("", |at| word(tokens, at));
    let after = |ahead: usize| word(tokens, said.to + ahead);
    let near = |words: &[&str]| (1..=4).any(|back| words.contains(&before(back)));
    let base = || {
        if near(&["unweighted"]) {
            What::Base
        } else if near(&["weighted"]) || after(0) == "weighted" {
            What::WeightedBase
        } else if near(&["effective"]) || after(0) == "effective" {
            What::EffectiveBase
        } else {
            What::Base
        }
    };
    // A comparison sign of a p-value was read as a qualifier.
    let qualifier = word(tokens, said.from);
    let p_before = |back: usize| before(back) == "p" || (before(back) == "value" && near(&["p"]));
    if matches!(qualifier, "<" | ">" | "below" | "under") && p_before(1) {
        said.what = What::P { below: matches!(qualifier, "<" | "below" | "under") };
        return;
    }
    if matches!(before(1), "=" | "of" | "is" | ":") && p_before(2) {
        said.what = What::P { below: false };
        return;
    }
    if said.unit == Told::Percent
        && !said.fraction
        && (matches!(after(0), "confidence" | "level" | "significance" | "ci" | "interval")
            || (after(0) == "-" && after(1) == "confidence"))
    {
        said.what = What::Confidence;
        return;
    }
    if matches!(before(1), "±")
        || (before(1) == "-" && before(2) == "/")
        || (before(1) == "minus" && before(2) == "or")
    {
        said.what = What::Interval;
        said.sign = None;
        return;
    }
    let interval = (1..=14).any(|back| matches!(before(back), "interval" | "ci" | "margin"));
    if interval && said.unit != Told::Times {
        said.what = What::Interval;
        return;
    }
    let scale = said.unit != Told::Percent
        && (after(0) == "scale"
            || (matches!(after(0), "-" | "to") && after(2) == "scale")
            || (1..=5).any(|back| before(back) == "scale"));
    // "4.1 of 5".
    let mean = said.from.checked_sub(2).and_then(|at| tokens.get(at)?.number());
    let of_mean = said.unit == Told::Plain && mean.is_some_and(|(_, decimals)| decimals > 0);
    if scale || (before(1) == "of" && (before(2) == "out" || of_mean)) {
        said.what = What::Scale;
        return;
    }
    if said.unit != Told::Plain || said.fraction {
        return;
    }
    let cue = before(1) == "n"
        || (matches!(before(1), "=" | ":") && matches!(before(2), "n" | "base" | "bases"))
        || (matches!(before(1), "base" | "sample"))
        || (matches!(before(1), "of" | "is" | "was")
            && (before(2) == "base"
                || (before(1) == "of" && before(2) == "sample")
                || (before(2) == "size" && matches!(before(3), "base" | "sample"))))
        || (matches!(before(1), "on" | "of") && matches!(before(2), "based" | "base"))
        || (before(1) == "a" && near(&["base"]));
    let people = (0..=2)
        .find(|ahead| PEOPLE.contains(&after(*ahead)) || people(after(*ahead)))
        .is_some_and(|people| {
            !(0..people).any(|ahead| matches!(after(ahead), "%" | "of" | "," | "and" | "(" | ")"))
        });
    if cue || (people && said.value >= 10.0) {
        said.what = base();
        return;
    }
    let noun = |ahead: usize| {
        after(ahead).len() > 3 && after(ahead).ends_with('s') && !after(ahead).ends_with("ss")
    };
    if said.decimals == 0 && said.value <= 20.0 && said.sign.is_none() && (noun(0) || noun(1)) {
        said.what = What::Things;
    }
}
