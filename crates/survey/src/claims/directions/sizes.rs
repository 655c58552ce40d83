//! How large a difference is said to be: slightly, sharply, far, a clear gap.
//!
//! - A small one (slightly, somewhat, a little, marginally) is below 5 points, or below 5 in a hundred of a mean; a large one (sharply, far, much, clearly) is no
//!   smaller, and significant by the test in use.
//! - Said of nothing that is compared, they are refused, as judgements are that no figure makes (which is low, a strong share), and the course of a change
//!   between two studies (steadily).

use std::collections::BTreeSet;

use super::pairs::pairs;
use super::words::{Stance, Way, Word};
use super::{Sentence, tested, text};
use crate::expression::Unit;

/// Where small differences end: of shares in parts of the whole, of means in parts of the mean.
pub(super) const SMALL: f64 = 0.05;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Size {
    Small,
    Large,
}

const SLIGHTLY: &[&str] = &[
    "slightly",
    "slight",
    "somewhat",
    "marginally",
    "marginal",
    "modestly",
    "modest",
    "fractionally",
    "minimally",
    "mildly",
    "narrowly",
    "touch",
    "fraction",
];
const STRONGLY: &[&str] = &[
    "strongly",
    "sharply",
    "sharp",
    "clearly",
    "considerably",
    "considerable",
    "markedly",
    "marked",
    "notably",
    "notable",
    "noteworthy",
    "substantially",
    "substantial",
    "greatly",
    "massively",
    "massive",
    "dramatically",
    "dramatic",
    "steeply",
    "steep",
    "hugely",
    "huge",
    "vastly",
    "decidedly",
    "distinctly",
    "sizeable",
    "pronounced",
    "noticeably",
    "noticeable",
    "remarkably",
    "remarkable",
    "drastically",
    "drastic",
    "enormously",
    "heavily",
];
/// Sizes beside a comparison, and other things elsewhere.
const ALSO_SIZES: &[(&str, Size)] = &[
    ("far", Size::Large),
    ("much", Size::Large),
    ("well", Size::Large),
    ("lot", Size::Large),
    ("little", Size::Small),
    ("bit", Size::Small),
];
/// Adjectives that are sizes of differences, and judgements of anything else.
const JUDGING: &[(&str, Size)] = &[
    ("small", Size::Small),
    ("narrow", Size::Small),
    ("slim", Size::Small),
    ("minor", Size::Small),
    ("tiny", Size::Small),
    ("minimal", Size::Small),
    ("negligible", Size::Small),
    ("large", Size::Large),
    ("big", Size::Large),
    ("clear", Size::Large),
    ("wide", Size::Large),
    ("strong", Size::Large),
];
const JUDGEMENTS: &[&str] =
    &["high", "low", "strong", "weak", "small", "large", "big", "healthy", "tiny"];
const DIFFERENCES: &[&str] = &[
    "difference",
    "differences",
    "gap",
    "gaps",
    "lead",
    "advantage",
    "margin",
    "distance",
    "divide",
    "contrast",
    "contrasts",
    "deviation",
    "variation",
    "range",
    "spread",
];
const COURSES: &[&str] = &[
    "steadily",
    "gradually",
    "continuously",
    "continually",
    "rapidly",
    "suddenly",
    "quickly",
    "slowly",
    "progressively",
];

/// Tells whether a word is read as a size.
pub(in crate::claims) fn reads(word: &str) -> bool {
    SLIGHTLY.contains(&word) || STRONGLY.contains(&word) || COURSES.contains(&word)
}

/// By how much two figures differ, in parts of the whole or of the mean.
pub(super) fn apart(sentence: &Sentence<'_>, one: usize, other: usize) -> f64 {
    let (first, second) = (sentence.value(one), sentence.value(other));
    let whole = match sentence.parts.get(one).map(|part| part.part.unit) {
        Some(Unit::Share | Unit::Nps | Unit::Points) => 1.0,
        _ => first.abs().max(second.abs()),
    };
    (first - second).abs() / whole
}

/// Appends what is wrong with the sizes of differences.
pub(super) fn check(
    sentence: &Sentence<'_>,
    words: &[Word],
    stances: &[(usize, Stance)],
    faults: &mut Vec<String>,
) {
    let asked: BTreeSet<String> = crate::claims::topics::asked_words(&sentence.parts);
    for (at, token) in sentence.tokens.iter().enumerate() {
        let counted = sentence.counted.get(at).copied().unwrap_or_default();
        if !sentence.free(at) || counted || asked.contains(&token.stem) {
            continue;
        }
        let word = token.word.as_str();
        if COURSES.contains(&word) {
            faults.push(format!(
                "'{word}' tells the course of a change, and figures of studies tell its ends alone: leave it out."
            ));
        }
        if matches!(word, "matter" | "matters" | "mattered")
            && !(1..=3)
                .any(|by| matches!(sentence.word(at + by), "more" | "less" | "most" | "least"))
        {
            faults.push(format!(
                "'{word}' tells a finding that no figure is of: say who differs from whom, and whether the difference is significant."
            ));
        }
        let listed = |list: &[(&str, Size)]| {
            list.iter().find(|(known, _)| *known == word).map(|(_, size)| *size)
        };
        let sure = if SLIGHTLY.contains(&word) {
            Some(Size::Small)
        } else {
            STRONGLY.contains(&word).then_some(Size::Large)
        };
        let judges = JUDGEMENTS.contains(&word) && judges(sentence, at);
        let Some(size) = sure.or_else(|| listed(JUDGING)).or_else(|| listed(ALSO_SIZES)) else {
            if judges {
                faults.push(judgement(word));
            }
            continue;
        };
        match of(sentence, at, words) {
            Some(pairs) => {
                let stance = stances.iter().min_by_key(|(place, _)| place.abs_diff(at));
                let not = stance.is_some_and(|(_, stance)| *stance == Stance::Not);
                for (one, other) in pairs {
                    held(sentence, word, size, not, (one, other), faults);
                }
            }
            None if sure.is_some() => faults.push(format!(
                "'{word}' tells how much, and nothing beside it is compared: leave it out."
            )),
            None if judges => faults.push(judgement(word)),
            None => {}
        }
    }
}

fn judgement(word: &str) -> String {
    format!(
        "'{word}' is a judgement that no figure makes: leave it out, or say higher or lower than what."
    )
}

/// Whether an adjective judges: it is said of a figure, and is no part of a comparison, a majority, a base or an amount.
fn judges(sentence: &Sentence<'_>, at: usize) -> bool {
    let next = sentence.word(at + 1);
    let (before, earlier) = (sentence.back(at, 1), sentence.back(at, 2));
    let amount = matches!(
        next,
        "majority"
            | "minority"
            | "majorities"
            | "part"
            | "base"
            | "bases"
            | "-"
            | "as"
            | "sample"
            | "number"
            | "proportion"
            | "to"
    );
    let compared = matches!(before, "as" | "how" | "record" | "too" | "so") || earlier == "as";
    !amount && !compared
}

/// The figures whose difference a word tells the size of; none where it stands beside no comparison.
fn of(sentence: &Sentence<'_>, at: usize, words: &[Word]) -> Option<Vec<(usize, usize)>> {
    let ends = |at: usize| sentence.tokens.get(at).is_none_or(crate::claims::negations::ends);
    let together = |other: usize| {
        let (from, to) = (at.min(other), at.max(other));
        to - from <= 3 && !(from..to).any(ends)
    };
    let near = words.iter().filter(|word| word.at != at && together(word.at));
    // "Sharply lower", "fell sharply": what follows first.
    if let Some(word) = near.min_by_key(|word| (word.at.abs_diff(at), word.at < at)) {
        if word.way == Way::Same {
            return Some(Vec::new());
        }
        return Some(pairs(sentence, word.at, word.change));
    }
    let difference = |at: usize| DIFFERENCES.contains(&sentence.word(at));
    let beside = (at + 1..=at + 2).any(difference)
        || (matches!(
            sentence.back(at, 1),
            "is" | "was" | "are" | "were" | "and" | "very" | "rather" | "quite" | "remains" | "too"
        ) && sentence
            .tokens
            .get(..at)
            .is_some_and(|before| before.iter().any(|one| one.is(DIFFERENCES))));
    let multiple = sentence
        .said
        .iter()
        .any(|said| said.unit == super::Told::Times && said.at.abs_diff(at) <= 3);
    let differs = (at + 1..=at + 2).chain(at.saturating_sub(2)..at).any(|at| {
        matches!(
            sentence.word(at),
            "differ" | "differs" | "differed" | "different" | "changed" | "change" | "changes"
        )
    });
    if multiple {
        return Some(Vec::new());
    }
    (beside || differs).then(|| sentence.own_pairs())
}

fn held(
    sentence: &Sentence<'_>,
    word: &str,
    size: Size,
    not: bool,
    (one, other): (usize, usize),
    faults: &mut Vec<String>,
) {
    let far = apart(sentence, one, other);
    let significant = sentence.compared(one, other).is_some_and(|one| one.significant);
    let by_chance = tested(sentence, one, other) && !significant;
    let wrong = match size {
        // What is said to be chance may be called slight.
        Size::Small => (far >= SMALL && !(not && by_chance)).then_some("not small"),
        Size::Large if by_chance => Some("not significant"),
        Size::Large => (far < SMALL).then_some("small"),
    };
    if let Some(wrong) = wrong {
        faults.push(format!(
            "'{word}' is wrong: the difference between {} ({}) and {} ({}) is {wrong}; leave the word out.",
            sentence.told(one),
            text(sentence, one),
            sentence.told(other),
            text(sentence, other)
        ));
    }
}
