//! What a figure is, as the sentence calls it.
//!
//! - Numbers are written with the digits 0 to 9. Other digits, fractions and circled numbers would be read by people and not by this check.
//! - A figure is weighed as its study is. One that weighs nobody is called *unweighted*; one by another column is not told.
//! - A median is called a median and a standard deviation a deviation; neither is called a mean, nor the other way round. NPS is called so.

use super::sentence::Sentence;
use crate::figure::{Measure, Weighting};

pub(super) fn check(sentence: &Sentence<'_>, text: &str, faults: &mut Vec<String>) {
    faults.extend(digits(text));
    let says = |words: &[&str]| {
        let mut free = sentence.tokens.iter().enumerate().filter(|(at, _)| sentence.free(*at));
        free.any(|(_, token)| token.is(words))
    };
    const MEAN: &[&str] = &["mean", "means", "average", "averages", "averaged"];
    const MEDIAN: &[&str] = &["median", "medians"];
    const SPREAD: &[&str] = &["deviation", "deviations", "sd", "spread"];
    const NPS: &[&str] = &["nps", "promoter", "promoters"];
    let mut measures: Vec<&Measure> = Vec::new();
    for part in &sentence.parts {
        let spec = &part.asked.spec;
        measures.push(&spec.measure);
        let is_own = match spec.weighting {
            Weighting::Study => true,
            Weighting::Nobody => part.study.weight.is_none() || says(&["unweighted"]),
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
    if any(mean) && says(&["total", "altogether", "every", "each"]) {
        faults.push(
            "a mean is told as if it were of everybody or a sum: say that it is a mean.".to_owned(),
        );
    }
}

/// Returns what is wrong with the digits of a text.
pub(super) fn digits(text: &str) -> Option<String> {
    let foreign = text.chars().find(|sign| sign.is_numeric() && !sign.is_ascii_digit())?;
    Some(format!(
        "'{foreign}' is a number in other signs than the digits 0 to 9: write it with these."
    ))
}
