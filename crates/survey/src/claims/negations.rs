//! A share of those who did is no share of those who did not.
//!
//! `Not` belongs to significance, to a comparison, to a majority, to an answer whose label says it, or to *not only* and the like. Any other one turns a figure
//! into its opposite and is a fault.

use super::parts::Dimension;
use super::sentence::Sentence;

const TURNED: &[&str] = &[
    "significant",
    "significantly",
    "significance",
    "higher",
    "lower",
    "more",
    "less",
    "fewer",
    "greater",
    "larger",
    "smaller",
    "change",
    "changed",
    "moved",
    "differ",
    "different",
    "difference",
    "differences",
    "majority",
    "rise",
    "risen",
    "rose",
    "fall",
    "fallen",
    "fell",
    "increase",
    "increased",
    "decline",
    "declined",
    "grow",
    "grown",
    "improve",
    "improved",
    "drop",
    "dropped",
    "only",
    "just",
    "merely",
    "surprisingly",
    "tested",
    "ahead",
    "behind",
    "statistically",
    "exceed",
    "most",
    "one",
    "half",
    "least",
    "movement",
    "shift",
];

/// Appends what is turned into its opposite.
pub(super) fn check(sentence: &Sentence<'_>, faults: &mut Vec<String>) {
    let labels_say_it = sentence.mentions.iter().any(|mention| {
        mention.means.contains_key(&Dimension::Answers)
            && (mention.from..mention.to)
                .any(|at| matches!(sentence.word(at), "not" | "no" | "never" | "don't"))
    });
    let asked = super::topics::asked_words(&sentence.parts);
    for (at, token) in sentence.tokens.iter().enumerate() {
        let turns = token.is(&[
            "not", "never", "cannot", "without", "neither", "unable", "fail", "fails", "refuse",
            "refused",
        ]) || token.word.ends_with("n't");
        if !turns || !sentence.free(at) || labels_say_it || asked.contains(&token.stem) {
            continue;
        }
        let explained = (at + 1..at + 6)
            .any(|next| sentence.free(next) && TURNED.contains(&sentence.word(next)))
            || sentence.said.iter().any(|said| (at + 1..at + 3).contains(&said.from));
        if !explained {
            faults.push(format!(
                "'{}' turns the figure into its opposite: give the figure of those who did not, or leave it out.",
                token.word
            ));
        }
    }
}
