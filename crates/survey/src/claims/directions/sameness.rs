//! Words that say that figures are alike: similar, in line, close, as many as, hardly apart.

use std::collections::BTreeSet;

use super::{Sentence, Told};
use crate::claims::negations::ends;
use crate::claims::tokens::Token;

/// What a word of sameness says.
pub(super) enum Alike {
    Same {
        /// Equal as shown: identical, exactly the same.
        exact: bool,
    },
    /// Not as many as.
    Less,
    /// Not as few as.
    More,
}

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
    "identically",
    "par",
    "parity",
    "alike",
    "level-pegging",
    "stagnated",
    "stagnant",
    "comparable",
    "comparably",
    "equivalent",
    "close",
    "closely",
    "tied",
    "indistinguishable",
    "resemble",
    "resembles",
    "resembled",
    "match",
    "matches",
    "matched",
];
/// How far figures lie apart, as a noun or a verb.
const APART: &[&str] = &[
    "difference",
    "differences",
    "gap",
    "gaps",
    "differ",
    "differs",
    "differed",
    "apart",
    "range",
    "ranges",
    "spread",
    "divide",
    "variation",
    "change",
    "changes",
    "changed",
    "moved",
    "movement",
    "margin",
    "distance",
    "separates",
    "separate",
];
const LITTLE: &[&str] = &[
    "hardly",
    "barely",
    "scarcely",
    "little",
    "negligible",
    "minimal",
    "narrow",
    "tight",
    "tiny",
    "minor",
    "no",
];
/// What goes with a word that says how much of something there is, or that nothing else compares with.
const AMOUNTS: &[&str] = &[
    "many",
    "much",
    "few",
    "little",
    "often",
    "rarely",
    "likely",
    "high",
    "low",
    "common",
    "frequent",
    "frequently",
    "popular",
    "satisfied",
    "strong",
    "widespread",
];

/// Tells whether a word says, where it stands for a comparison, that figures are alike.
pub(super) fn tells(word: &str) -> bool {
    SAME.contains(&word)
        || matches!(word, "negligible" | "minimal" | "tight" | "tiny" | "minor" | "neck")
}

/// What is said of sameness by the word at a place; none where it says nothing of it, or the questions use it themselves.
pub(super) fn alike(sentence: &Sentence<'_>, at: usize, asked: &BTreeSet<String>) -> Option<Alike> {
    if sentence.tokens.get(at).is_none_or(|token| asked.contains(&token.stem)) {
        return None;
    }
    let (word, next, before) = (sentence.word(at), sentence.word(at + 1), sentence.back(at, 1));
    let exactly = matches!(before, "exactly" | "precisely") || sentence.back(at, 2) == "exactly";
    let same = match word {
        "as" => return as_much_as(sentence, at),
        "same" => {
            matches!(next, "level" | "share" | "among" | "in" | "as" | "for" | "." | "" | "," | ")")
        }
        "line" => before == "in" && sentence.back(at, 2) != "-",
        "level" => matches!(next, "with" | "between" | "among") && (is(before) || hedges(before)),
        _ if SAME.contains(&word) => true,
        _ if APART.contains(&word) => {
            // "No difference", "within a narrow range", "hardly apart", "differ little".
            let little = |at: usize| LITTLE.contains(&sentence.word(at)) && sentence.free(at);
            let denied = (1..=3).any(|by| at.checked_sub(by).is_some_and(little));
            let significance = (1..=3).any(|by| sentence.back(at, by).contains("significan"));
            let no_change = matches!(word, "change" | "changes" | "changed" | "moved" | "movement");
            (denied || (next == "little" || next == "hardly")) && !significance && !no_change
        }
        _ => false,
    };
    let exact = exactly && word != "par" || word.starts_with("identical");
    same.then_some(Alike::Same { exact })
}

/// What follows an "as" that compares no amounts.
const ELSE: &[&str] = &[
    "well", "if", "of", "though", "for", "a", "an", "the", "to", "such", "it", "they", "we",
    "this", "that", "these", "those", "soon", "far", "long", "part", "in", "with", "before", "at",
    "by", "against", "compared", "opposed", "is", "are", "was", "were", "does", "do", "did",
];

/// Whether an "as" may compare how much there is of something.
pub(in crate::claims) fn as_much(tokens: &[Token], at: usize) -> bool {
    let next = tokens.get(at + 1);
    tokens.get(at).is_some_and(|token| token.word == "as")
        && next.is_some_and(|next| next.is_word() && !next.is(ELSE))
}

/// "As satisfied as men"; "nearly as many". What counts an amount, and a multiple, is none.
fn as_much_as(sentence: &Sentence<'_>, at: usize) -> Option<Alike> {
    let next = sentence.word(at + 1);
    if !as_much(&sentence.tokens, at) || sentence.back(at, 1) == "such" {
        return None;
    }
    let amount = sentence.word(at + 2) == "as"
        && sentence.said.iter().any(|said| (at + 3..=at + 4).contains(&said.from));
    let multiple = sentence.said.iter().any(|said| said.unit == Told::Times && said.to == at);
    if amount || multiple {
        return None;
    }
    let before = sentence.back(at, 1);
    let second = (at + 2..=at + 9)
        .take_while(|at| !matches!(sentence.word(*at), ";" | "." | ":"))
        .any(|at| sentence.word(at) == "as");
    let opens = at == 0 || sentence.back(at, 1) == ",";
    if !second && !hedges(before) && (opens || !AMOUNTS.contains(&next)) {
        return None;
    }
    let denied = (1..=2).any(|by| {
        let word = sentence.back(at, by);
        matches!(word, "not" | "never" | "nor") || word.ends_with("n't")
    });
    Some(match (denied, next) {
        (true, "few" | "little" | "low" | "rarely") => Alike::More,
        (true, _) => Alike::Less,
        (false, _) => Alike::Same { exact: matches!(before, "exactly" | "precisely") },
    })
}

/// Where the second of two that are alike is named: after "similar to", "in line with", "as many as".
pub(super) fn second(sentence: &Sentence<'_>, at: usize) -> Option<usize> {
    if sentence.word(at) == "as" {
        return (at + 2..=at + 9).find(|at| sentence.word(*at) == "as").map(|at| at + 1);
    }
    (at + 1..=at + 2).find(|at| matches!(sentence.word(*at), "to" | "with" | "as")).map(|at| at + 1)
}

/// Whether a word of sameness is denied: "not similar", "not at all the same".
pub(super) fn denied(sentence: &Sentence<'_>, at: usize) -> bool {
    let denies = |by: usize| {
        let word = sentence.back(at, by);
        matches!(word, "not" | "never" | "neither" | "nor") || word.ends_with("n't")
    };
    let mut free = (1..=4).take_while(|by| {
        !at.checked_sub(*by).and_then(|at| sentence.tokens.get(at)).is_none_or(ends)
    });
    let plain = |by: usize| {
        matches!(
            sentence.back(at, by),
            "the"
                | "at"
                | "all"
                | "on"
                | "a"
                | "in"
                | "very"
                | "quite"
                | "nearly"
                | "about"
                | "exactly"
                | "stay"
                | "remain"
                | "be"
                | "been"
        )
    };
    free.any(|by| denies(by) && (1..by).all(plain))
}

/// Whether a word such as "hardly" stands before, which leaves next to nothing of what follows.
pub(super) fn scarcely(sentence: &Sentence<'_>, at: usize) -> bool {
    (1..=2).any(|by| matches!(sentence.back(at, by), "hardly" | "barely" | "scarcely" | "little"))
        || sentence.word(at + 1) == "little"
}

fn hedges(word: &str) -> bool {
    matches!(
        word,
        "about"
            | "nearly"
            | "almost"
            | "just"
            | "roughly"
            | "around"
            | "equally"
            | "approximately"
            | "virtually"
            | "practically"
            | "exactly"
            | "precisely"
            | "quite"
    )
}

fn is(word: &str) -> bool {
    matches!(
        word,
        "is" | "are" | "was" | "were" | "drew" | "draw" | "stayed" | "remained" | "about"
    )
}

/// Appends what is wrong where "hardly" and the like are said of anything but a difference or an amount.
pub(super) fn check(sentence: &Sentence<'_>, faults: &mut Vec<String>) {
    for at in 0..sentence.tokens.len() {
        let word = sentence.word(at);
        if !sentence.free(at) || !matches!(word, "hardly" | "barely" | "scarcely") {
            continue;
        }
        let next = (at + 1..=at + 3).any(|at| APART.contains(&sentence.word(at)));
        let any = sentence.word(at + 1).starts_with("any");
        if !next && !any {
            faults.push(format!(
                "'{word}' tells what no figure says: say that there is no significant difference, or give the figure of the others."
            ));
        }
    }
}
