//! What a figure is, as the sentence calls it.
//!
//! - Numbers are written with the digits 0 to 9. Other digits, fractions and circled numbers would be read by people and not by this check.
//! - A figure is weighed as its study is. One that weighs nobody is called *unweighted*, no other one is, and only a base can be so beside it; one by another
//!   column is not told. *Weighted* is what is.
//! - A median is called a median and a standard deviation a deviation; neither is called a mean, nor the other way round. NPS is called so, and is on no scale
//!   of answers; promoters and detractors are shares.
//! - A mean, a median or NPS says nothing of how many people there are: *everyone, nobody, most passengers, few* take a share.
//! - A mean is no least and no most: *at least*, *up to* and *or more* are not told of it, *more than* only where it is called a mean. *Half spend 26.50 euros or less*
//!   tells a median.

use super::numbers::{Bound, Said, Told, What};
use super::parts::{Dimension, Measured};
use super::ranks::superlative;
use super::sentence::Sentence;
use super::values::tells;
use super::words::PEOPLE;
use crate::expression::Unit;
use crate::figure::{Measure, Weighting};

/// Tells whether a word is one of those that are decided here.
pub(super) fn reads(word: &str) -> bool {
    matches!(word, "weighted" | "unweighted")
}

pub(super) fn check(sentence: &Sentence<'_>, text: &str, faults: &mut Vec<String>) {
    faults.extend(digits(text));
    let says = |words: &[&str]| {
        let mut free = sentence.tokens.iter().enumerate().filter(|(at, _)| sentence.free(*at));
        free.any(|(_, token)| token.is(words))
    };
    const MEAN: &[&str] = &["mean", "means", "average", "averages", "averaged"];
    const MEDIAN: &[&str] = &["median", "medians"];
    const SPREAD: &[&str] = &["deviation", "deviations", "sd", "spread"];
    const NPS: &[&str] = &["nps"];
    let net = sentence.tokens.windows(2).any(|pair| match pair {
        [net, promoter] => net.word == "net" && promoter.word == "promoter",
        _ => false,
    }) || sentence.tokens.windows(3).any(|three| match three {
        [net, dash, promoter] => {
            net.word == "net" && dash.word == "-" && promoter.word == "promoter"
        }
        _ => false,
    });
    let mut measures: Vec<&Measure> = Vec::new();
    for part in &sentence.parts {
        let spec = &part.asked.spec;
        measures.push(&spec.measure);
        let is_own = match spec.weighting {
            Weighting::Study => true,
            Weighting::Nobody => part.study.weight.is_none() || called(sentence, "unweighted"),
            Weighting::Column(column) => part.study.weight == Some(column),
        };
        if !is_own {
            let id = &part.study.id;
            faults.push(match spec.weighting {
                Weighting::Nobody => {
                    format!("a figure of {id} is not weighed: call it unweighted, or leave weight=none out.")
                }
                _ => format!("a figure of {id} is not weighed as the study is: leave its weight out."),
            });
        }
    }
    weighed(sentence, faults);
    let all = |is: fn(&Measure) -> bool| measures.iter().all(|measure| is(measure));
    let any = |is: fn(&Measure) -> bool| measures.iter().any(|measure| is(measure));
    let mean: fn(&Measure) -> bool = |one| matches!(one, Measure::Mean);
    let median: fn(&Measure) -> bool = |one| matches!(one, Measure::Median);
    let deviation: fn(&Measure) -> bool = |one| matches!(one, Measure::Sd);
    let nps: fn(&Measure) -> bool = |one| matches!(one, Measure::Nps);
    for (name, words, is) in [
        ("mean", MEAN, mean),
        ("median", MEDIAN, median),
        ("standard deviation", SPREAD, deviation),
        ("NPS", NPS, nps),
    ] {
        let says = |words: &[&str]| says(words) || (name == "NPS" && net);
        if says(words) && !any(is) {
            faults.push(format!("the sentence tells a {name}, and no figure is one: give its expression, or call it what it is."));
        }
        // A mean may go without its name: "they spend 29 euros a month".
        if any(is) && !all(mean) && name != "mean" && !says(words) {
            faults.push(format!(
                "a figure is a {name}, and the sentence does not say so: call it one."
            ));
        }
    }
    if any(mean)
        && says(&[
            "total",
            "altogether",
            "every",
            "each",
            "sum",
            "jointly",
            "collectively",
            "combined",
        ])
    {
        faults.push(
            "a mean is told as if it were of everybody or a sum: say that it is a mean.".to_owned(),
        );
    }
    promoters(sentence, faults);
    signs(sentence, faults);
    people(sentence, faults);
    for said in &sentence.said {
        least_or_most(sentence, said, says(MEAN) || says(MEDIAN), faults);
    }
}

/// Whether a word is said of a base: before it, or behind its number.
fn of_base(sentence: &Sentence<'_>, at: usize) -> bool {
    const BASES: &[&str] = &["base", "bases", "n", "sample", "interviews", "cases"];
    let number = |at: usize| sentence.tokens.get(at).is_some_and(|one| one.number().is_some());
    let before = BASES.contains(&sentence.word(at + 1))
        || (sentence.word(at + 1) == "respondents" && at > 0 && number(at - 1))
        || (sentence.word(at + 1) == "number" && sentence.word(at + 2) == "of");
    // "n = 635, unweighted".
    let behind = (0..at)
        .rev()
        .find(|at| sentence.tokens.get(*at).is_some_and(super::tokens::Token::is_word))
        .is_some_and(|at| {
            BASES.contains(&sentence.word(at))
                || (sentence.word(at) == "respondents" && at > 0 && number(at - 1))
        });
    before || behind
}

/// Whether something else than a base is called weighted, or unweighted.
fn called(sentence: &Sentence<'_>, word: &str) -> bool {
    (0..sentence.tokens.len())
        .any(|at| sentence.free(at) && sentence.word(at) == word && !of_base(sentence, at))
}

/// Appends what is called weighted and is not, or unweighted and is weighted.
fn weighed(sentence: &Sentence<'_>, faults: &mut Vec<String>) {
    let is = |part: &Measured<'_>| {
        part.study.weight.is_some() && part.asked.spec.weighting != Weighting::Nobody
    };
    if called(sentence, "unweighted") && sentence.parts.iter().any(is) {
        faults.push(
            "a figure is called unweighted, and it is weighted: leave the word out, or give the figure with weight=none."
                .to_owned(),
        );
    }
    if called(sentence, "weighted") && !sentence.parts.iter().all(is) {
        faults.push(
            "a figure is called weighted, and it weighs nobody: leave the word out.".to_owned(),
        );
    }
}

/// Promoters, passives and detractors are shares of a question from 0 to 10.
fn promoters(sentence: &Sentence<'_>, faults: &mut Vec<String>) {
    for (at, token) in sentence.tokens.iter().enumerate() {
        let range: std::ops::RangeInclusive<f64> = match token.word.as_str() {
            "promoters" | "promoter" => 9.0..=10.0,
            "detractors" | "detractor" => 0.0..=6.0,
            _ => continue,
        };
        let net = sentence.back(at, 1) == "net"
            || (sentence.back(at, 1) == "-" && sentence.back(at, 2) == "net");
        let told = sentence.parts.iter().any(|part| {
            let Measure::Share(places) = &part.asked.spec.measure else { return false };
            let scores: Vec<f64> =
                part.question.answers.iter().filter_map(|answer| answer.score).collect();
            let own: Vec<f64> = places
                .iter()
                .filter_map(|place| part.question.answers.get(*place)?.score)
                .collect();
            let wanted = scores.iter().filter(|score| range.contains(*score)).count();
            part.question.is_nought_to_ten()
                && own.len() == wanted
                && own.iter().all(|score| range.contains(score))
        });
        if sentence.free(at) && !net && !told {
            faults.push(format!(
                "'{}' are a share, and no figure is of them: give the share of their answers, or write NPS.",
                token.word
            ));
        }
    }
}

/// NPS is called positive above nought, and negative below.
fn signs(sentence: &Sentence<'_>, faults: &mut Vec<String>) {
    for (at, token) in sentence.tokens.iter().enumerate() {
        let compares = matches!(sentence.back(at, 1), "more" | "less" | "most" | "least");
        if !sentence.free(at) || compares || !token.is(&["positive", "negative"]) {
            continue;
        }
        let positive = token.word == "positive";
        let near = sentence.near(at, &[]);
        let wrong = near.iter().find(|part| {
            let value = part.part.figure.value;
            part.part.unit == Unit::Nps && !(if positive { value > 0.0 } else { value < 0.0 })
        });
        if let Some(wrong) = wrong {
            faults.push(format!("'{}' is wrong: the NPS is {}.", token.word, wrong.part.text));
        }
    }
}

/// Appends what is said of how many people there are where no figure is a share.
fn people(sentence: &Sentence<'_>, faults: &mut Vec<String>) {
    let no_share = |part: &Measured<'_>| {
        matches!(
            part.asked.spec.measure,
            Measure::Mean | Measure::Median | Measure::Sd | Measure::Nps
        )
    };
    if !sentence.parts.iter().all(no_share) {
        return;
    }
    let asked = super::topics::asked_words(&sentence.parts);
    for (at, token) in sentence.tokens.iter().enumerate() {
        let word = token.word.as_str();
        let counted = sentence.counted.get(at).copied().unwrap_or_default();
        if !sentence.free(at) || counted || asked.contains(&token.stem) {
            continue;
        }
        let next = sentence.word(at + 1);
        let whom = |at: usize| {
            let label = sentence.mentions.iter().any(|mention| {
                mention.from == at
                    && mention.means.keys().any(|key| matches!(key, Dimension::Segment(_)))
            });
            label || PEOPLE.split_whitespace().any(|known| known == sentence.word(at))
        };
        let of =
            matches!(sentence.back(at, 1), "among" | "of" | "across" | "for" | "over" | "from");
        let tells = match word {
            "everyone" | "everybody" | "nobody" | "anyone" | "anybody" | "none" | "someone"
            | "somebody" | "no-one" => true,
            "few" | "fewest" | "many" => {
                !matches!(sentence.back(at, 1), "as" | "how" | "a" | "so" | "too" | "very")
                    || whom(at + 1)
                    || sentence.back(at, 1) == "so"
            }
            "most" => superlative(sentence, at).is_none() && next != "recent",
            "no" => next == "one" || whom(at + 1),
            "all" => !of && (whom(at + 1) || next == "of" || next == "the") && next != "in",
            "some" | "several" | "any" => whom(at + 1) || next == "of",
            _ => false,
        };
        if tells {
            faults.push(format!(
                "'{word}' tells how many, and no figure is a share: leave it out, or give the share."
            ));
        }
    }
}

/// Appends what is told of a mean as if it were the least or the most.
fn least_or_most(sentence: &Sentence<'_>, said: &Said, called: bool, faults: &mut Vec<String>) {
    let after = or_more(sentence, said);
    let of: Vec<&Measured<'_>> = sentence
        .parts
        .iter()
        .filter(|part| part.part.unit == Unit::Mean)
        .filter(|part| tells(said, part.part.figure.value, part.part.unit))
        .collect();
    if half(sentence, said.at).is_some() {
        return;
    }
    let value = matches!(said.what, What::Value | What::Things) && said.unit != Told::Times;
    if after && value {
        faults.push(format!(
            "'{}' is told with 'or more' or 'or less' behind it: write the value of the figure as it is.",
            said.shown
        ));
    }
    if of.is_empty() || !value {
        return;
    }
    match said.bound {
        Bound::AtLeast | Bound::AtMost => faults.push(format!(
            "'{}' tells the least or the most, and the figure is neither: write its value as it is.",
            said.shown
        )),
        Bound::Over | Bound::Under if !called => faults.push(format!(
            "'{}' is told as if it were so of everybody: say that it is a mean.",
            said.shown
        )),
        _ => {}
    }
}

/// Whether *or more*, *and over* or a plus follows a number and its unit.
fn or_more(sentence: &Sentence<'_>, said: &Said) -> bool {
    const WAYS: &[&str] =
        &["more", "less", "fewer", "over", "above", "under", "below", "higher", "lower", "upwards"];
    const AFTER: &[&str] = &[
        "", ".", ",", ";", ":", "(", ")", "—", "a", "an", "per", "each", "every", "on", "in",
        "for", "among", "of", "are", "is", "was", "were",
    ];
    let plus = sentence.tokens.get(said.to).is_some_and(|next| next.joined && next.word == "+");
    let joined = (said.to..said.to + 5).any(|at| {
        let way = match sentence.word(at) {
            "or" | "and" => WAYS.contains(&sentence.word(at + 1)),
            _ => false,
        };
        way && AFTER.contains(&sentence.word(at + 2))
            && (said.to..at).all(|at| {
                sentence.tokens.get(at).is_some_and(|one| one.is_word() && sentence.free(at))
            })
    });
    plus || joined || sentence.word(said.to) == "upwards"
}

/// Whether a place belongs to what tells a median: *half spend 26.50 or less*. Returns where the half stands.
pub(super) fn half(sentence: &Sentence<'_>, at: usize) -> Option<usize> {
    let median = |said: &Said| {
        said.what == What::Value
            && sentence.parts.iter().any(|part| {
                matches!(part.asked.spec.measure, Measure::Median)
                    && tells(
                        &Said { bound: Bound::Exactly, ..said.clone() },
                        part.part.figure.value,
                        part.part.unit,
                    )
            })
    };
    let half = sentence.said.iter().find(|said| {
        said.fraction && said.unit == Told::Percent && (said.value - 50.0).abs() < 1e-9
    })?;
    let number = sentence.said.iter().find(|said| {
        said.at > half.at
            && median(said)
            && (or_more(sentence, said) || matches!(said.bound, Bound::AtMost | Bound::AtLeast))
    })?;
    (half.bound == Bound::Exactly && (half.at == at || number.at == at)).then_some(half.at)
}

/// Returns what is wrong with the digits of a text.
pub(super) fn digits(text: &str) -> Option<String> {
    let foreign = text.chars().find(|sign| sign.is_numeric() && !sign.is_ascii_digit())?;
    Some(format!(
        "'{foreign}' is a number in other signs than the digits 0 to 9: write it with these."
    ))
}
