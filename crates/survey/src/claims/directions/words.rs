//! The words that compare, and those of significance.

use super::Sentence;

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
pub(in crate::claims) fn moves(word: &str) -> bool {
    [RISES, FALLS, HIGHER, LOWER].iter().any(|words| words.contains(&word))
        || matches!(word, "up" | "down" | "more" | "less")
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
    (1..=4).any(|by| {
        let word = sentence.back(at, by);
        matches!(word, "not" | "no" | "never" | "neither" | "nor" | "without" | "cannot")
            || word.ends_with("n't")
    })
}

pub(super) fn words(sentence: &Sentence<'_>) -> Vec<Word> {
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
