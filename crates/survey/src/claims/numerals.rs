//! Numbers that are names: the answer “2” of *how many cars*.
//!
//! A number is the name of an answer or a segment where a figure is of it and it stands between quotation marks, or directly after *was*, *answer* or *answered* with
//! nothing behind it that counts: no unit, no noun, no *in ten*. Every other number is a number, and must be one of the figures.

use std::collections::{BTreeMap, BTreeSet};

use super::mentions::Mention;
use super::parts::{Dimension, Measured, key};
use super::tokens::Token;

/// Returns the name that a number at a place is, if it is one.
pub(super) fn name(parts: &[Measured<'_>], tokens: &[Token], at: usize) -> Option<Mention> {
    let token = tokens.get(at).filter(|token| token.number().is_some())?;
    if !quoted(tokens, at) && !answered(tokens, at) {
        return None;
    }
    let label = key(&token.word);
    let means: BTreeMap<Dimension, BTreeSet<String>> = parts
        .iter()
        .flat_map(|part| &part.of)
        .filter(|(dimension, labels)| {
            matches!(dimension, Dimension::Answers | Dimension::Segment(_))
                && labels.contains(&label)
        })
        .map(|(dimension, _)| (dimension.clone(), BTreeSet::from([label.clone()])))
        .collect();
    (!means.is_empty()).then(|| Mention {
        from: at,
        to: at + 1,
        means,
        joint: false,
        quoted: false,
        told: token.word.clone(),
    })
}

fn quoted(tokens: &[Token], at: usize) -> bool {
    let mark = |at: usize| tokens.get(at).is_some_and(|token| token.is(&["\"", "'"]));
    at.checked_sub(1).is_some_and(mark) && mark(at + 1)
}

/// Whether a number stands where an answer does, and nothing behind it makes an amount of it.
fn answered(tokens: &[Token], at: usize) -> bool {
    const BEFORE: &[&str] = &["was", "answer", "answered"];
    const AFTER: &[&str] = &[",", ".", ";", ":", "(", ")", "—"];
    // What else was so many: the base, the mean.
    const AMOUNTS: &[&str] = &[
        "base",
        "n",
        "sample",
        "mean",
        "average",
        "median",
        "share",
        "nps",
        "score",
        "deviation",
        "proportion",
        "percentage",
        "figure",
        "value",
        "number",
        "difference",
        "gap",
    ];
    let before = at.checked_sub(1).and_then(|before| tokens.get(before));
    let start = tokens.iter().take(at).rposition(|token| token.is(&[".", ";", ","])).unwrap_or(0);
    let amount = tokens.get(start..at).unwrap_or_default().iter().any(|token| token.is(AMOUNTS));
    before.is_some_and(|token| token.is(BEFORE))
        && tokens.get(at + 1).is_none_or(|next| next.is(AFTER))
        && !amount
}
