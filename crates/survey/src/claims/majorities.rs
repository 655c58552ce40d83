//! Shares in words: a majority, most, many, few, all, none.
//!
//! Each of these words tells a share of the figures beside it, wherever it stands:
//! - A majority, most, the bulk, the larger part, mostly, mainly, generally, typically: above 50 %; a vast, large or overwhelming majority: 75 % or more; a
//!   narrow or slim one: 55 % or less; a minority, the smaller part: below 50 %. Many, a large part: 25 % or more; some: 50 % or less; few, a small part: 25 %
//!   or less; very few, hardly any: 10 % or less; nearly all: 90 % or more.
//! - All, every, everybody, the whole sample, passengers as a whole: 100 %; none, nobody: 0 %.
//! - `53 % of all respondents`, `among the entire sample`: a base, which a figure of everybody must have.
//! - `Usually` beside the share itself tells no share where the question has the word: `43 % usually buy online`.
//!
//! What counts without a share (each, someone, several of two, too many) is refused.

use super::negations::ends;
use super::parts::{Dimension, Measured};
use super::ranks::superlative;
use super::sentence::{Sentence, everybody};
use super::tokens::tokens;
use super::words::people;
use crate::expression::Unit;
use crate::figure::Measure;

/// Words that tell how many, and are read here.
const READ: &str = "all any anybody anyone bulk consistently each every everybody everyone entire few generally \
    hardly large mainly majority many minority most mostly largely much no nobody none overwhelming predominantly \
    primarily several some somebody someone typical typically usually vast whole";

/// Ways of saying that something goes for most.
const HABITS: &[&str] = &[
    "generally",
    "usually",
    "typically",
    "typical",
    "mainly",
    "mostly",
    "largely",
    "predominantly",
    "primarily",
    "normally",
];
/// What is said to be large or small: `the larger part`.
const PARTS: &[&str] =
    &["part", "portion", "proportion", "share", "number", "section", "numbers", "parts"];
/// Those who were asked, together.
const SAMPLES: &[&str] = &["sample", "population", "public", "base", "survey", "panel"];

/// Tells whether a word is one of those that are read here.
pub(super) fn reads(word: &str) -> bool {
    READ.split_whitespace().any(|known| known == word)
}

/// What a word of quantity comes to.
enum Reading {
    /// A share within these, both included.
    Share(f64, f64, &'static str),
    /// Those of whom something is told.
    Base,
    Refused(&'static str),
}

/// Appends what is wrong with the shares that are told in words.
pub(super) fn check(sentence: &Sentence<'_>, faults: &mut Vec<String>) {
    for at in 0..sentence.tokens.len() {
        if !readable(sentence, at)
            || sentence.counted.get(at).copied().unwrap_or_default()
            || superlative(sentence, at).is_some()
            || echoes(sentence, at)
        {
            continue;
        }
        match reading(sentence, at) {
            Some(Reading::Share(least, most, told)) => {
                in_range(sentence, at, (least, most), told, faults);
            }
            Some(Reading::Base) => whole_base(sentence, at, faults),
            Some(Reading::Refused(instead)) => faults.push(format!(
                "'{}' tells how many, and no figure says it so: {instead}.",
                sentence.word(at)
            )),
            None => {}
        }
    }
}

/// Whether a word is read: it stands outside names, or in a name of everybody.
fn readable(sentence: &Sentence<'_>, at: usize) -> bool {
    let whole = |means: &std::collections::BTreeMap<Dimension, _>| {
        means.iter().all(|(dimension, labels)| {
            matches!(dimension, Dimension::Segment(_)) && everybody(labels)
        })
    };
    sentence.free(at)
        || sentence
            .mentions
            .iter()
            .any(|mention| (mention.from..mention.to).contains(&at) && whole(&mention.means))
}

/// Whether the question or a label of the figures has a word and the one after it.
pub(super) fn echoes(sentence: &Sentence<'_>, at: usize) -> bool {
    let (Some(one), Some(next)) = (sentence.tokens.get(at), sentence.tokens.get(at + 1)) else {
        return false;
    };
    let habit = one.is(HABITS);
    let has = |text: &str| {
        tokens(text).windows(2).any(
            |pair| matches!(pair, [a, b] if a.word == one.word && b.word != "of" && b.stem == next.stem),
        )
    };
    !habit
        && sentence
            .parts
            .iter()
            .any(|part| has(&part.question.words()) || part.part.answers.iter().any(|one| has(one)))
}

/// Whether the share of a habit is told before it, and the question has the word: "43 % usually buy online".
fn habit_of_a_share(sentence: &Sentence<'_>, at: usize) -> bool {
    let asked = sentence
        .parts
        .iter()
        .any(|part| tokens(&part.question.text).iter().any(|one| one.word == sentence.word(at)));
    let start = (0..at)
        .rev()
        .find(|before| sentence.tokens.get(*before).is_some_and(|one| one.is(&[".", ";", "—"])))
        .unwrap_or_default();
    let shared = sentence.said.iter().any(|said| (start..at).contains(&said.at));
    // "Less often usually buy online than": what is told is the comparison.
    let beside = (start..at).filter(|before| sentence.free(*before)).any(|before| {
        let word = sentence.word(before);
        super::directions::compares(word)
            || matches!(word, "majority" | "minority" | "most" | "many" | "few")
    });
    asked && (shared || beside)
}

/// What a word of quantity tells; none where it is no such word.
fn reading(sentence: &Sentence<'_>, at: usize) -> Option<Reading> {
    use Reading::{Base, Refused, Share};
    const OVER: f64 = 0.5 + 1e-12;
    const BELOW: f64 = 0.5 - 1e-12;
    const ALL: f64 = 0.9995;
    const NONE: f64 = 0.0005;
    let (next, before) = (sentence.word(at + 1), sentence.back(at, 1));
    let label = !sentence.free(at + 1);
    let nearly =
        matches!(before, "nearly" | "almost" | "virtually" | "practically" | "essentially");
    let all = || if nearly { Share(0.9, 1.0, "nearly all") } else { Share(ALL, 1.0, "all") };
    Some(match sentence.word(at) {
        "majority" => match before {
            "vast" | "large" | "overwhelming" | "strong" | "big" | "huge" | "great" => {
                Share(0.75, 1.0, "a large majority")
            }
            "slim" | "narrow" | "slight" | "small" | "bare" => {
                Share(OVER, 0.55, "a narrow majority")
            }
            _ => Share(OVER, 1.0, "a majority"),
        },
        "minority" => match before {
            "small" | "tiny" | "slim" | "narrow" => Share(0.0, 0.25, "a small minority"),
            "large" | "big" | "substantial" | "sizeable" => Share(0.25, BELOW, "a large minority"),
            _ => Share(0.0, BELOW, "a minority"),
        },
        "bulk" => Share(OVER, 1.0, "the bulk"),
        noun if PARTS.contains(&noun) => match before {
            // "A larger share of women than of men" compares.
            "larger" | "greater" | "bigger" | "smaller" | "lesser"
                if (1..=12).any(|ahead| sentence.word(at + ahead) == "than") =>
            {
                return None;
            }
            "larger" | "greater" | "bigger" | "better" | "vast" | "major" => {
                Share(OVER, 1.0, "the larger part")
            }
            "smaller" | "lesser" | "minor" => Share(0.0, BELOW, "the smaller part"),
            "large" | "big" | "considerable" | "substantial" | "sizeable" | "good" | "great" => {
                Share(0.25, 1.0, "a large part")
            }
            "small" | "tiny" | "little" => Share(0.0, 0.25, "a small part"),
            _ => return None,
        },
        "most" if before == "at" => Refused("write the number that is the most"),
        "most" if before == "the" => {
            Refused("say 'the most common' or 'the highest' of one label, or leave it out")
        }
        "most" => Share(OVER, 1.0, "most"),
        "many" if matches!(before, "as" | "how") || next == "more" => return None,
        "many" if before == "too" => Refused("a figure does not judge: leave it out"),
        "many" => Share(0.25, 1.0, "many"),
        "few" if matches!(before, "as" | "how") => return None,
        "few" if before == "too" => Refused("a figure does not judge: leave it out"),
        "few" if sentence.back(at, 2) == "quite" => Share(0.25, 1.0, "quite a few"),
        "few" if matches!(before, "very" | "so" | "extremely") => Share(0.0, 0.1, "very few"),
        "few" => Share(0.0, 0.25, "few"),
        "hardly" if matches!(next, "any" | "anybody" | "anyone") => Share(0.0, 0.1, "hardly any"),
        "some" => Share(NONE, 0.5, "some"),
        "several" if sentence.parts.len() < 3 => Refused("name what is meant, with its figures"),
        "any" | "anyone" | "anybody" if matches!(before, "hardly" | "scarcely" | "barely") => {
            return None;
        }
        "any" if union(sentence) && next != "other" => return None,
        "any" | "anyone" | "anybody" => Refused("say who, or 'the most common' where it is a rank"),
        "someone" | "somebody" => Refused("give the share"),
        "each" => Refused("give the figure of every one of them, by name"),
        "much" if matches!(before, "how" | "as") || super::directions::compares(next) => {
            return None;
        }
        "much" => Refused("give the number"),
        "consistently" => Refused("give the figure of every study, and say what changed"),
        "general" if before == "in" => Share(OVER, 1.0, "in general"),
        word if HABITS.contains(&word) => {
            if habit_of_a_share(sentence, at) {
                return None;
            }
            Share(OVER, 1.0, "mostly")
        }
        "all" | "every" if super::bounds::kind_after(sentence, at).is_some() => return None,
        "all" if next == "in" && sentence.word(at + 2) == "all" => return None,
        "all" if before == "in" && sentence.back(at, 2) == "all" => return None,
        "all" if before == "at" => return None,
        "all" if before == "above" => {
            Refused("say 'the highest' or 'the most common' where it is a rank")
        }
        // "Of all reasons, price is the most common".
        "all" if matches!(before, "of" | "among" | "amongst") && ranks_near(sentence, at) => {
            return None;
        }
        "all" | "everyone" | "everybody" => match whole(sentence, at) {
            true => Base,
            false => all(),
        },
        "whole" | "entire" => {
            if before == "the" && sentence.back(at, 2) == "on" {
                Share(OVER, 1.0, "on the whole")
            } else if whole(sentence, at) {
                Base
            } else {
                all()
            }
        }
        "every" if matches!(next, "other" | "second" | "third" | "fourth" | "fifth" | "tenth") => {
            Refused("say 'one in two', 'one in three' and so on")
        }
        "every" => all(),
        "none" | "nobody" => Share(0.0, NONE, "none"),
        "no" if label || next == "one" || people(next) => Share(0.0, NONE, "none"),
        "large" | "vast" | "overwhelming" if !sized(sentence, at + 1) => Refused("give the number"),
        _ => return None,
    })
}

/// Whether a figure is of several answers in one.
fn union(sentence: &Sentence<'_>) -> bool {
    let many = |measure: &Measure| matches!(measure, Measure::Share(places) if places.len() > 1);
    sentence.parts.iter().any(|part| many(&part.asked.spec.measure))
}

/// Whether a superlative stands near a place.
fn ranks_near(sentence: &Sentence<'_>, at: usize) -> bool {
    (at.saturating_sub(9)..at + 10)
        .any(|at| sentence.free(at) && superlative(sentence, at).is_some())
}

/// Whether what `large` is said of has a size of its own: a majority, a part, a difference.
fn sized(sentence: &Sentence<'_>, at: usize) -> bool {
    let word = sentence.word(at);
    PARTS.contains(&word)
        || super::directions::compares(word)
        || matches!(
            word,
            "majority"
                | "minority"
                | "difference"
                | "differences"
                | "gap"
                | "gaps"
                | "margin"
                | "change"
                | "changes"
                | "shift"
                | "lead"
        )
}

/// Whether `all respondents`, `everybody`, `the entire sample` or `passengers as a whole` is what a share is of, and not what has it.
fn whole(sentence: &Sentence<'_>, at: usize) -> bool {
    let article = |at: usize| matches!(sentence.word(at), "the" | "our" | "a" | "those" | "who");
    let free = |at: usize| sentence.free(at);
    // "Passengers as a whole" begins with its noun.
    let after_noun = sentence.back(at, 1) == "a" && sentence.back(at, 2) == "as";
    let mut from = if after_noun { at.saturating_sub(3) } else { at };
    while from > 0 && article(from - 1) {
        from -= 1;
    }
    let mut to = at + 1;
    if !after_noun && !matches!(sentence.word(at), "everyone" | "everybody") {
        while article(to) || sentence.counted.get(to).copied().unwrap_or_default() {
            to += 1;
        }
        let noun = sentence.word(to);
        let known = people(noun)
            || SAMPLES.contains(&noun)
            || !free(to)
            || matches!(noun, "asked" | "answered" | "interviewed" | "surveyed" | "polled");
        if !known {
            return false;
        }
        to += 1;
    }
    let opens = |at: usize| {
        at.checked_sub(1).and_then(|before| sentence.tokens.get(before)).is_none_or(ends)
    };
    let compared = |at: usize| {
        matches!(
            sentence.back(at, 1),
            "compared" | "compare" | "relative" | "comparison" | "similar" | "close" | "identical"
        )
    };
    let before = match from.checked_sub(1) {
        Some(place) => match sentence.word(place) {
            "of" | "among" | "amongst" | "across" | "than" | "versus" | "vs" | "against" => true,
            "in" => SAMPLES.contains(&sentence.back(to, 1)),
            "for" => opens(place),
            "to" | "with" => compared(place),
            _ => false,
        },
        None => false,
    };
    let beside = sentence.word(to) == ":" || sentence.said.iter().any(|said| said.from == to);
    before || beside
}

/// Of everybody is told what a figure says of everybody, or of the segment that follows.
fn whole_base(sentence: &Sentence<'_>, at: usize, faults: &mut Vec<String>) {
    let narrowed = sentence.mentions.iter().any(|mention| {
        let segment = |(dimension, labels): (&Dimension, &std::collections::BTreeSet<String>)| {
            matches!(dimension, Dimension::Segment(_)) && !everybody(labels)
        };
        mention.from > at
            && mention.from <= at + 6
            && mention.means.iter().any(segment)
            && !sentence.tokens.get(at..mention.from).unwrap_or_default().iter().any(ends)
    });
    let known = sentence.parts.iter().any(|part| part.asked.spec.segment.is_empty());
    if !known && !narrowed {
        faults.push(format!(
            "'{} {}' tells of everybody, and no figure is of everybody: name the segment, or give the figure of all.",
            sentence.word(at),
            sentence.word(at + 1)
        ));
    }
}

fn in_range(
    sentence: &Sentence<'_>,
    at: usize,
    (least, most): (f64, f64),
    told: &str,
    faults: &mut Vec<String>,
) {
    let near = |at: usize| -> Vec<&Measured<'_>> {
        sentence.near(at, &[]).into_iter().filter(|part| part.part.unit == Unit::Share).collect()
    };
    let mut shares = near(at);
    let later = sentence.order.last().filter(|_| sentence.order.len() == 2);
    // Without a study beside the word, it is said of the later one.
    if let Some(later) = later.filter(|_| sentence.labels(&Dimension::Study).at.is_empty()) {
        shares.retain(|part| part.is_of(&Dimension::Study, later));
    }
    let negated = (1..=5)
        .take_while(|by| {
            let token = at.checked_sub(*by).and_then(|before| sentence.tokens.get(before));
            token.is_some_and(|token| !ends(token))
        })
        .any(|by| {
            let word = sentence.back(at, by);
            matches!(word, "not" | "no" | "short" | "never" | "without") || word.ends_with("n't")
        });
    if shares.is_empty() {
        faults.push(format!(
            "'{told}' is said of no share among the figures: give the share as an expression."
        ));
    }
    for part in shares {
        let value = part.part.figure.value;
        if (least..=most).contains(&value) == negated {
            faults.push(format!(
                "'{told}' is wrong: the figure is {}; write the number.",
                part.part.text
            ));
        }
    }
}
