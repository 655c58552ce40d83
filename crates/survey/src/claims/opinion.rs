//! Sentences without figures: recommendations, readings and questions that are open.
//!
//! They hold no number, no comparison or rank told of the data, no word of significance and no cause told as a fact. What is asked for may be stronger, higher or
//! faster (`raise`, `improve`, `invest more`); what is told as having risen, as higher than something, as a majority or the most common is a finding and needs its figure.

use super::causes::cause;
use super::mentions::mentions;
use super::numbers::{What, numbers};
use super::tokens::tokens;
use crate::project::Project;

const TOLD: &[&str] = &[
    "rose",
    "risen",
    "fell",
    "fallen",
    "increased",
    "decreased",
    "declined",
    "grew",
    "grown",
    "dropped",
    "climbed",
    "jumped",
    "surged",
    "shrank",
    "slipped",
    "rises",
    "falls",
    "increases",
    "decreases",
    "declines",
    "grows",
    "unchanged",
    "doubled",
    "halved",
    "tripled",
    "twice",
    "majority",
    "minority",
    "highest",
    "lowest",
    "largest",
    "smallest",
    "fewest",
    "outperform",
    "outperforms",
    "exceeds",
    "outscore",
    "outscores",
    "significant",
    "significantly",
    "insignificant",
    "percent",
    "percentage",
    "worsened",
    "half",
    "thirds",
    "rising",
    "falling",
    "declining",
    "increasing",
];
const ASKED: &[&str] = &[
    "may",
    "might",
    "could",
    "should",
    "would",
    "can",
    "if",
    "whether",
    "perhaps",
    "possibly",
    "test",
    "explore",
    "investigate",
    "recommend",
    "consider",
    "hypothesis",
    "unclear",
    "unknown",
    "must",
    "ask",
    "study",
    "learn",
    "understand",
    "find",
    "likely",
];
const MODAL: &[&str] = &[
    "should", "could", "would", "may", "might", "can", "must", "to", "need", "needs", "will",
    "help", "be",
];

/// Returns what is wrong with a sentence without figures, one sentence each; none where it may stand.
pub(super) fn check(project: &Project, text: &str) -> Vec<String> {
    let tokens = tokens(text);
    let mentions = mentions(project, &[], &tokens);
    let mut named = vec![false; tokens.len()];
    for mention in &mentions {
        named.iter_mut().take(mention.to).skip(mention.from).for_each(|one| *one = true);
    }
    let mut faults = Vec::new();
    let said = numbers(&tokens, &named);
    let mut counted = vec![false; tokens.len()];
    for said in &said {
        counted.iter_mut().take(said.to).skip(said.from).for_each(|one| *one = true);
        // "Two steps" counts nothing that was measured.
        let steps =
            said.what == What::Things && tokens.get(said.at).is_some_and(|token| token.is_word());
        if !steps {
            faults.push(format!(
                "'{}' is a number without a figure: give its expression, or leave it out.",
                said.shown
            ));
        }
    }
    let word = |at: usize| tokens.get(at).map_or("", |token| token.word.as_str());
    let back = |at: usize, by: usize| at.checked_sub(by).map_or("", word);
    for at in 0..tokens.len() {
        if named.get(at).copied().unwrap_or(true) || counted.get(at).copied().unwrap_or(true) {
            continue;
        }
        // "Should be increased" asks for something.
        let wished = (1..=2).any(|by| MODAL.contains(&back(at, by)));
        let plain_form = matches!(word(at), "half");
        let than = (1..=8).any(|ahead| {
            word(at + ahead) == "than"
                && word(at + ahead - 1) != "rather"
                && word(at + ahead - 1) != "other"
        });
        let label = named.get(at + 1).copied().unwrap_or_default();
        let compares = match word(at) {
            "higher" | "lower" | "fewer" | "more" | "less" | "greater" | "smaller" | "larger"
            | "better" | "worse" | "happier" | "stronger" | "weaker" => than && !wished,
            "most" | "least" => {
                back(at, 1) != "at"
                    && (label
                        || matches!(
                            word(at + 1),
                            "common"
                                | "often"
                                | "popular"
                                | "frequent"
                                | "frequently"
                                | "satisfied"
                                | "likely"
                                | "respondents"
                                | "people"
                                | "of"
                                | "customers"
                                | "commonly"
                                | "cited"
                                | "mentioned"
                                | "widespread"
                        ))
            }
            "leading" | "top" => {
                matches!(word(at + 1), "reason" | "answer" | "brand" | "choice" | "driver")
                    && !wished
            }
            "ahead" | "above" | "below" => matches!(back(at, 1), "is" | "are" | "was" | "were"),
            "nobody" | "everyone" | "everybody" | "none" => !wished && at == 0,
            other => {
                TOLD.contains(&other)
                    && (!wished
                        || matches!(
                            other,
                            "majority" | "highest" | "lowest" | "significant" | "significantly"
                        ))
                    && !plain_form
            }
        };
        if compares {
            faults.push(format!(
                "'{}' tells a finding without a figure: give its expression, or leave it out.",
                word(at)
            ));
        }
    }
    let asks = tokens.iter().any(|token| token.is(ASKED));
    if let Some(phrase) = cause(&tokens, &named, &Default::default()).filter(|_| !asks) {
        faults.push(told_cause(&phrase));
    }
    super::subject::unknown_ids(project, &tokens, &named, &mut faults);
    faults
}

pub(super) fn told_cause(phrase: &str) -> String {
    format!(
        "'{phrase}' tells a cause, and a survey shows only what goes together: say what differs between whom."
    )
}
