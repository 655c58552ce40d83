//! Whether a judge's judgements can be trusted, in a sentence.

use crate::report::{Agreement, Mean};

/// A judge whose interval of agreement reaches down to this is indistinguishable from a coin toss.
///
/// It lies a little above 0, so that a coin passes in fewer than one of twenty evaluations even if few cases make the interval too short.
pub const NEAR_CHANCE: f64 = 0.1;

/// From this agreement on, a judge is said to be too little known rather than near chance.
const GOOD: f64 = 0.667;

/// Returns the verdict on a judge, and whether it is noise, so that its scores and preferences must not be used.
///
/// It is noise if the interval of an agreement reaches down to [`NEAR_CHANCE`], if everything was judged alike, if the order in which two
/// answers are shown decides which one is preferred, or if nothing was judged twice, so that its agreement is unknown.
pub fn verdict(
    scores: Option<&Agreement>,
    preferences: Option<&Agreement>,
    first_preferred: Option<&Mean>,
) -> (String, bool) {
    if scores.is_none() && preferences.is_none() {
        let told = "Nothing was judged twice, so it is unknown how far the judge agrees with itself. Its scores cannot be \
            distinguished from noise.";
        return (told.to_owned(), true);
    }
    let leaning = first_preferred.filter(|first| first.low > 0.5 || first.high < 0.5);
    let mut faults: Vec<String> = Vec::new();
    let mut worth: Vec<String> = Vec::new();
    if let Some(scores) = scores {
        match (scores.alpha, is_near_chance(scores)) {
            (None, _) => {
                faults.push("it gave all answers the same score".into());
            }
            (Some(alpha), true) if alpha >= GOOD => faults.push(few(scores, "answers")),
            (Some(_), true) => faults.push(format!(
                "its scores of the same answer agree little more than by chance ({})",
                figures(scores, "answers")
            )),
            (Some(_), false) => {
                worth
                    .push(format!("on scores of the same answer ({})", figures(scores, "answers")));
            }
        }
    }
    if let Some(preferences) = preferences {
        match (preferences.alpha, is_near_chance(preferences), leaning) {
            (None, ..) => faults.push("it preferred no answer to any other".into()),
            (Some(alpha), true, None) if alpha >= GOOD => faults.push(few(preferences, "pairs")),
            (Some(_), true, Some(first)) => faults.push(format!(
                "the order in which two answers are shown decides which one it prefers (the first in {})",
                percent(first)
            )),
            (Some(_), true, None) => faults.push(format!(
                "its preferences agree little more than by chance when the order is reversed ({})",
                figures(preferences, "pairs")
            )),
            (Some(_), false, _) => {
                worth.push(format!("on which of two answers is better, in either order ({})", figures(preferences, "pairs")));
            }
        }
    }
    if !faults.is_empty() {
        let faults = faults.join("; and ");
        let told = format!(
            "The judge's scores cannot be distinguished from noise: {faults}. They say nothing about the arms."
        );
        return (told, true);
    }
    let mut told = format!("The judge agrees with itself {}.", worth.join(" and "));
    if let Some(first) = leaning {
        told.push_str(&format!(
            " It still leans to one position (it prefers the first in {}); asking in both orders evens this out.",
            percent(first)
        ));
    }
    told.push_str(" That does not mean that it is right.");
    (told, false)
}

/// Says that a judge agreed with itself, but that too few things differ for that to mean much.
fn few(agreement: &Agreement, what: &str) -> String {
    format!(
        "too few {what} differ to distinguish its agreement from chance ({})",
        figures(agreement, what)
    )
}

fn is_near_chance(agreement: &Agreement) -> bool {
    agreement.low <= NEAR_CHANCE
}

fn figures(agreement: &Agreement, what: &str) -> String {
    let Agreement { alpha, low, high, units } = agreement;
    let alpha = alpha.unwrap_or_default();
    if (*low, *high) == (-1.0, 1.0) {
        return format!("alpha {alpha:.2}, from {units} {what} only, too few to say more");
    }
    format!("alpha {alpha:.2}, {low:.2} to {high:.2}, from {units} {what}")
}

fn percent(share: &Mean) -> String {
    format!("{:.0} %, {:.0} to {:.0} %", share.value * 100.0, share.low * 100.0, share.high * 100.0)
}
