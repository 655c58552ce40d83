//! A share of those who did is no share of those who did not.
//!
//! `Not` belongs to significance, to a comparison, to a majority, to an answer whose label says it, or to *not only* and the like. Any other one turns a figure
//! into its opposite and is a fault. What says No to a question is read there (`claims/polarity.rs`).

use super::directions::as_much;
use super::parts::Dimension;
use super::sentence::Sentence;
use super::tokens::Token;

/// Marks at which a negation ends: "not satisfied, more than men" denies no comparison.
pub(super) fn ends(token: &Token) -> bool {
    token.is(&[",", ";", ":", "(", ")", "[", "]", "—", "."])
}

fn denies(token: &Token) -> bool {
    token.is(DENYING) || token.word.ends_with("n't")
}

const DENYING: &[&str] = &[
    "not", "never", "cannot", "without", "neither", "unable", "fail", "fails", "refuse", "refused",
    "lack", "lacks", "lacked", "lacking", "hardly", "barely", "scarcely",
];

/// Tells whether a word is one of those that are read here, besides those of grammar.
pub(super) fn reads(word: &str) -> bool {
    word == "never" || word.ends_with("n't")
}

/// Whether what stands at a place is turned into its opposite by one of the words before it.
pub(super) fn denied(tokens: &[Token], at: usize) -> bool {
    for back in (at.saturating_sub(5)..at).rev() {
        let Some(token) = tokens.get(back) else { return false };
        if ends(token) || token.is(TURNED) || as_much(tokens, back) {
            return false;
        }
        if denies(token) || (token.word == "no" && back + 1 == at) {
            return true;
        }
    }
    false
}

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
    "all",
    "every",
    "everyone",
    "everybody",
    "many",
    "least",
    "movement",
    "shift",
    "equally",
    "similar",
    "similarly",
    "same",
    "alike",
    "comparable",
];

/// Appends what is turned into its opposite.
pub(super) fn check(sentence: &Sentence<'_>, faults: &mut Vec<String>) {
    let labels_say_it = sentence.mentions.iter().any(|mention| {
        mention.means.contains_key(&Dimension::Answers)
            && (mention.to > mention.from + 1 || sentence.word(mention.from) == "never")
            && (mention.from..mention.to)
                .any(|at| matches!(sentence.word(at), "not" | "no" | "never" | "don't"))
    });
    let asked = super::topics::asked_words(&sentence.parts);
    for (at, token) in sentence.tokens.iter().enumerate() {
        let counted = sentence.counted.get(at).copied().unwrap_or_default();
        let next = sentence.word(at + 1);
        // "No respondent" is held against a share of none, and "no longer" against another study.
        let nobody = !sentence.free(at + 1) || super::words::people(next) || next == "longer";
        let no = token.word == "no" && !counted && !nobody;
        let read =
            sentence.polarity.denials.contains(&at) || labels_say_it || asked.contains(&token.stem);
        if !(denies(token) || no) || !sentence.free(at) || read {
            continue;
        }
        // What is hardly any is held against its share.
        if token.word == "hardly" && sentence.word(at + 1).starts_with("any") {
            continue;
        }
        let end = (at + 1..sentence.tokens.len())
            .find(|next| sentence.tokens.get(*next).is_some_and(ends))
            .unwrap_or(sentence.tokens.len());
        // What stands for all other answers is held against their figure.
        let whole = sentence
            .sides
            .iter()
            .any(|side| (at + 1..end).contains(&side.at) && denied(&sentence.tokens, side.at));
        if whole {
            continue;
        }
        let explained =
            (at + 1..end.min(at + 6)).any(|next| {
                let turned =
                    TURNED.contains(&sentence.word(next)) || as_much(&sentence.tokens, next);
                sentence.free(next) && turned
            }) || sentence.said.iter().any(|said| (at + 1..at + 3).contains(&said.from));
        if !explained {
            faults.push(format!(
                "'{}' turns the figure into its opposite: give the figure of those who did not, or leave it out.",
                token.word
            ));
        }
    }
}
