//! The words that compare, and those of significance.

use std::collections::BTreeSet;

use super::Sentence;
use super::gaps;
use super::sameness::{self, Alike};
use crate::claims::negations::ends;

/// Which way a comparison goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Way {
    Up,
    Down,
    Same,
}

/// A word that compares.
pub(super) struct Word {
    pub(super) at: usize,
    pub(super) way: Way,
    /// A change in time.
    pub(super) change: bool,
    /// Means nothing else: without figures to compare, it is a fault.
    pub(super) strong: bool,
    pub(super) negated: bool,
    /// Equal to the last digit that is shown, not only within what chance can do.
    pub(super) exact: bool,
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
    "soared",
    "soar",
    "soars",
    "soaring",
    "rocketed",
    "rockets",
    "skyrocketed",
    "recovered",
    "recovers",
    "recovery",
    "rebounded",
    "rebound",
    "rebounds",
    "spiked",
    "swelled",
    "swollen",
    "ballooned",
    "leapt",
    "leaped",
    "bounced",
    "improve",
    "improving",
    "gaining",
    "jumping",
    "surging",
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
    "plunge",
    "plunges",
    "plunging",
    "tumbled",
    "tumbles",
    "sank",
    "sunk",
    "sinks",
    "sinking",
    "crashed",
    "collapsed",
    "collapses",
    "collapsing",
    "nosedived",
    "slumped",
    "slumps",
    "slump",
    "dwindled",
    "ebbed",
    "slipping",
    "slips",
    "sliding",
    "slides",
    "losing",
    "loses",
    "decreasing",
    "deteriorates",
    "deteriorating",
    "worsening",
    "shrinks",
    "shrinking",
    "receded",
    "retreated",
    "tanked",
    "cratered",
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
    "beat",
    "beats",
    "beaten",
    "outdo",
    "outdoes",
    "outdid",
    "outrank",
    "outranks",
    "surpassed",
    "outperformed",
    "outscored",
    "outpaced",
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
    "lagging",
    "trailing",
    "underperform",
    "underperforms",
    "underperformed",
];
pub(super) fn rises(word: &str) -> bool {
    RISES.contains(&word)
}

pub(super) fn falls(word: &str) -> bool {
    FALLS.contains(&word)
}

/// Tells whether a word says that something is or becomes more or less.
pub(in crate::claims) fn moves(word: &str) -> bool {
    [RISES, FALLS, HIGHER, LOWER].iter().any(|words| words.contains(&word))
        || matches!(word, "up" | "down" | "more" | "less")
}

/// Tells whether a word compares: it says that something is or becomes more, less or the same.
pub(in crate::claims) fn compares(word: &str) -> bool {
    moves(word) || sameness::tells(word)
}

/// What a sentence says of significance.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Stance {
    Significant,
    Not,
}

pub(super) fn stances(sentence: &Sentence<'_>) -> Vec<(usize, Stance)> {
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

pub(super) fn negated(sentence: &Sentence<'_>, at: usize) -> bool {
    let clause = |by: &usize| {
        let token = at.checked_sub(*by).and_then(|at| sentence.tokens.get(at));
        token.is_some_and(|token| !ends(token))
    };
    (1..=4).take_while(clause).any(|by| {
        let word = sentence.back(at, by);
        matches!(word, "not" | "no" | "never" | "neither" | "nor" | "without" | "cannot")
            || word.ends_with("n't")
    })
}

pub(super) fn words(sentence: &Sentence<'_>) -> Vec<Word> {
    let mut words = Vec::new();
    let asked: BTreeSet<String> = crate::claims::topics::asked_words(&sentence.parts);
    for at in 0..sentence.tokens.len() {
        let counted = sentence.counted.get(at).copied().unwrap_or_default();
        if !sentence.free(at) || counted || gaps::changes(sentence, at).is_some() {
            continue;
        }
        let word = sentence.word(at);
        if let Some(alike) = sameness::alike(sentence, at, &asked) {
            let (way, negated, exact) = match alike {
                Alike::Same { exact } => (Way::Same, sameness::denied(sentence, at), exact),
                Alike::Less => (Way::Down, false, false),
                Alike::More => (Way::Up, false, false),
            };
            words.push(Word { at, way, change: false, strong: true, negated, exact });
            continue;
        }
        let next = sentence.word(at + 1);
        let than = (1..=9).any(|ahead| sentence.word(at + ahead) == "than");
        let found = if RISES.contains(&word) {
            Some((Way::Up, true, true))
        } else if FALLS.contains(&word) {
            Some((Way::Down, true, true))
        } else if HIGHER.contains(&word) {
            let noun = matches!(word, "lead" | "leads" | "led") && matches!(next, "to" | "time");
            // "Supermarkets lead as the place": a rank.
            let rank = matches!(word, "lead" | "leads" | "led")
                && sentence.parts.iter().all(|part| part.part.answers.len() == 1);
            let strong = !rank && !matches!(word, "better" | "bigger" | "larger" | "stronger");
            (!noun).then_some((Way::Up, false, strong || than))
        } else if LOWER.contains(&word) {
            Some((Way::Down, false, !matches!(word, "smaller" | "weaker") || than))
        } else {
            match word {
                "more" | "less" => {
                    let way = if word == "more" { Way::Up } else { Way::Down };
                    let compares = than || !matches!(next, "" | "." | "," | "and");
                    compares.then_some((way, false, than))
                }
                // "Women top men".
                "top" | "tops" if !sentence.free(at + 1) => Some((Way::Up, false, true)),
                "above" => Some((Way::Up, false, true)),
                "below" => Some((Way::Down, false, true)),
                "under" => Some((Way::Down, false, false)),
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
                "changed" | "change" | "moved"
                    if negated(sentence, at) || sameness::scarcely(sentence, at) =>
                {
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
            exact: false,
        });
    }
    words
}
