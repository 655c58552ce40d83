//! Shares in words: a majority, most, many, few, all, none.
//!
//! - A majority, most of, most respondents: above 50 %; a vast, large or overwhelming one: 75 % or more; a narrow or slim one: 55 % or less; a
//!   minority: below 50 %. Many: 25 % or more; few: 25 % or less; hardly any: 10 % or less; nearly all: 90 % or more.
//! - All, every, everybody: 100 %; none, nobody: 0 %.

use super::parts::{Dimension, Measured};
use super::ranks::superlative;
use super::sentence::Sentence;
use crate::expression::Unit;

/// Appends what is wrong with the shares that are told in words.
pub(super) fn check(sentence: &Sentence<'_>, faults: &mut Vec<String>) {
    for at in 0..sentence.tokens.len() {
        if !sentence.free(at)
            || sentence.counted.get(at).copied().unwrap_or_default()
            || superlative(sentence, at).is_some()
        {
            continue;
        }
        if let Some((least, most, told)) = majority(sentence, at) {
            in_range(sentence, at, least, most, told, faults);
        }
    }
}

/// Whether a word tells a share in words: the least and the most that it can be, and the word.
fn majority(sentence: &Sentence<'_>, at: usize) -> Option<(f64, f64, &'static str)> {
    const OVER: f64 = 0.5 + 1e-12;
    const BELOW: f64 = 0.5 - 1e-12;
    let next = sentence.word(at + 1);
    let label = !sentence.free(at + 1);
    let people = label
        || matches!(
            next,
            "of" | "respondents"
                | "people"
                | "participants"
                | "customers"
                | "consumers"
                | "users"
                | "adults"
                | "buyers"
                | "shoppers"
        );
    let subject = at == 0
        || matches!(
            sentence.back(at, 1),
            "," | ";" | ":" | "and" | "but" | "while" | "." | "—" | "that"
        );
    let nearly = matches!(
        sentence.back(at, 1),
        "nearly" | "almost" | "virtually" | "practically" | "essentially"
    );
    Some(match sentence.word(at) {
        "majority" => match sentence.back(at, 1) {
            "vast" | "large" | "overwhelming" | "strong" | "clear"
                if sentence.back(at, 1) != "clear" =>
            {
                (0.75, 1.0, "a large majority")
            }
            "slim" | "narrow" | "slight" | "small" | "bare" => (OVER, 0.55, "a narrow majority"),
            _ => (OVER, 1.0, "a majority"),
        },
        "all" | "everyone" | "everybody" | "every" if nearly => (0.9, 1.0, "nearly all"),
        "few" if people && sentence.back(at, 1) != "a" => (0.0, 0.25, "few"),
        "hardly" if matches!(next, "any" | "anybody" | "anyone") => (0.0, 0.1, "hardly any"),
        "many" if people && sentence.back(at, 1) != "as" => (0.25, 1.0, "many"),
        "minority" => (0.0, BELOW, "a minority"),
        "most" if people => (OVER, 1.0, "most"),
        "all" | "every" | "everyone" | "everybody"
            if subject && (people || sentence.word(at).len() > 5) =>
        {
            (0.9995, 1.0, "all")
        }
        "none" | "nobody" if subject => (0.0, 0.0005, "none"),
        "no" if subject && (label || next == "one" || next == "respondents") => {
            (0.0, 0.0005, "none")
        }
        _ => return None,
    })
}

fn in_range(
    sentence: &Sentence<'_>,
    at: usize,
    least: f64,
    most: f64,
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
    let negated = (1..=5).any(|by| {
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
            faults.push(format!("'{told}' is wrong: the figure is {}.", part.part.text));
        }
    }
}
