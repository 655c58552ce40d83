//! Sentences without figures: recommendations, readings and questions that are open.
//!
//! They hold no number, no comparison or rank told of the data, no word of significance and no cause told as a fact. What is asked for may be stronger, higher or
//! faster (`raise`, `improve`, `invest more`); what is told as having risen, as higher than something, as a majority or the most common is a finding and needs its figure.

use std::collections::BTreeSet;

use super::causes::cause;
use super::mentions::{mentions, named};
use super::negations::ends;
use super::numbers::{What, numbers};
use super::parts::key;
use super::tokens::{Token, tokens};
use super::words::people;
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

/// Words with which a sentence begins that asks for something.
const ASKS: &[&str] = &[
    "ask",
    "plan",
    "improve",
    "focus",
    "consider",
    "test",
    "invest",
    "explore",
    "talk",
    "investigate",
    "recommend",
    "find",
    "learn",
    "understand",
    "study",
    "look",
    "make",
    "give",
    "offer",
    "tell",
    "raise",
    "lower",
    "keep",
    "start",
    "stop",
    "use",
    "add",
    "check",
    "treat",
    "put",
    "let",
    "win",
    "address",
    "train",
    "review",
    "set",
    "run",
    "build",
    "speak",
    "listen",
    "target",
    "reach",
];
/// Words that leave open what is asked.
const OPEN: &[&str] = &[
    "open",
    "unknown",
    "unclear",
    "not",
    "remains",
    "recommend",
    "suggest",
    "may",
    "might",
    "could",
];
/// Those who answered, besides [`people`], and what was measured of them.
const SUBJECTS: &[&str] = &[
    "shoppers",
    "buyers",
    "young",
    "younger",
    "old",
    "older",
    "youth",
    "everyone",
    "everybody",
    "nobody",
    "they",
    "many",
    "satisfaction",
    "dissatisfaction",
    "loyalty",
    "trust",
    "nps",
    "recommendation",
    "spending",
    "usage",
    "ridership",
    "discontent",
    "frustration",
    "mood",
    "opinion",
    "support",
    "popularity",
    "public",
];
/// What respondents do and think.
const ATTITUDES: &[&str] = &[
    "love",
    "loves",
    "like",
    "likes",
    "hate",
    "hates",
    "dislike",
    "dislikes",
    "want",
    "wants",
    "prefer",
    "prefers",
    "trust",
    "trusts",
    "value",
    "values",
    "feel",
    "feels",
    "think",
    "thinks",
    "believe",
    "believes",
    "enjoy",
    "enjoys",
    "complain",
    "complains",
    "avoid",
    "avoids",
    "leave",
    "leaves",
    "desert",
    "deserts",
    "abandon",
    "abandons",
    "expect",
    "expects",
    "care",
    "cares",
    "reject",
    "rejects",
    "appreciate",
    "appreciates",
    "distrust",
    "resent",
    "criticise",
    "criticize",
    "demand",
    "flock",
    "churn",
    "embrace",
    "embraces",
    "ignore",
    "ignores",
    "collapses",
    "collapse",
    "collapsed",
    "plunges",
    "plunged",
    "slumps",
    "slumped",
    "sinks",
    "sank",
    "soars",
    "soared",
    "suffers",
    "suffered",
    "erodes",
    "eroded",
    "shrinks",
    "recovers",
    "recovered",
    "improves",
    "improved",
    "worsens",
    "drops",
    "slips",
    "lack",
    "lacks",
];
/// What respondents are.
const STATES: &[&str] = &[
    "satisfied",
    "dissatisfied",
    "happy",
    "unhappy",
    "angry",
    "annoyed",
    "frustrated",
    "loyal",
    "disappointed",
    "pleased",
    "displeased",
    "critical",
    "fed",
    "keen",
    "reluctant",
    "enthusiastic",
    "delighted",
    "upset",
    "high",
    "low",
    "strong",
    "weak",
    "down",
    "up",
    "poor",
    "bad",
    "good",
    "collapsed",
    "improved",
    "worsened",
    "eroded",
    "recovered",
    "gone",
    "left",
    "turned",
    "lost",
];

/// Returns what is wrong with a sentence without figures, one sentence each; none where it may stand.
pub(super) fn check(project: &Project, text: &str) -> Vec<String> {
    let tokens = tokens(text);
    let named = named(&tokens, &mentions(project, &[], &tokens));
    findings(project, &tokens, &named)
}

fn findings(project: &Project, tokens: &[Token], named: &[bool]) -> Vec<String> {
    let mut faults = Vec::new();
    let said = numbers(tokens, named);
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
                let last = tokens.get(at + 1).is_none_or(ends);
                back(at, 1) != "at"
                    && (label
                        || last
                        || people(word(at + 1))
                        || matches!(
                            word(at + 1),
                            "common"
                                | "often"
                                | "popular"
                                | "frequent"
                                | "frequently"
                                | "satisfied"
                                | "likely"
                                | "of"
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
            "favourite" | "favorite" | "main" | "chief" | "foremost" => {
                back(at, 1) == "the" && !wished
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
    let told = cause(project, tokens, named, &Default::default());
    if let Some((_, phrase)) = told.filter(|(at, _)| !asked_for(tokens, *at)) {
        faults.push(told_cause(&phrase));
    }
    attitudes(tokens, named, &mut faults);
    super::subject::unknown_ids(project, tokens, named, &mut faults);
    faults
}

/// The same of a whole sentence, which must do one of what [`moods`](super::moods) lists.
pub(super) fn check_sentence(project: &Project, text: &str) -> Vec<String> {
    let tokens = tokens(text);
    let mut named = named(&tokens, &mentions(project, &[], &tokens));
    let mut faults = findings(project, &tokens, &named);
    for (from, to) in quoted(project, &tokens) {
        named.iter_mut().take(to).skip(from).for_each(|one| *one = true);
    }
    if let Some(told) = super::moods::told(&tokens, &named).filter(|_| faults.is_empty()) {
        faults.push(format!(
            "'{told}' tells a finding without a figure: give its expression, or say what should be done, what could be, or what the data does not tell."
        ));
    }
    faults
}

/// Returns where words of a question stand in quotation marks.
fn quoted(project: &Project, tokens: &[Token]) -> Vec<(usize, usize)> {
    let marks = tokens.iter().enumerate().filter(|(_, one)| one.word == "\"");
    let marks: Vec<usize> = marks.map(|(at, _)| at).collect();
    if marks.len() < 2 {
        return Vec::new();
    }
    let questions = project.studies.iter().flat_map(|study| &study.questions);
    let words: BTreeSet<String> =
        questions.flat_map(|one| [key(&one.text), key(&one.words())]).collect();
    let spans = marks.chunks_exact(2).filter_map(|pair| match pair {
        [from, to] => Some((from + 1, *to)),
        _ => None,
    });
    let is_question = |(from, to): &(usize, usize)| {
        let inner = tokens.get(*from..*to).unwrap_or_default();
        let stems: Vec<&str> = inner.iter().map(|one| one.stem.as_str()).collect();
        words.contains(&stems.join(" "))
    };
    spans.filter(is_question).collect()
}

/// Whether what stands at a place is asked for, or asked: by a word before it in its part of the sentence, or by how the sentence begins.
fn asked_for(tokens: &[Token], at: usize) -> bool {
    const OPENS: &[&str] = &["what", "why", "whether", "how", "if", "it", "we"];
    let first = tokens.first().is_some_and(|token| {
        token.is(ASKS) || (token.is(OPENS) && tokens.iter().any(|token| token.is(OPEN)))
    });
    let from = tokens.iter().take(at).rposition(ends).map_or(0, |end| end + 1);
    let before = tokens.get(from..at).unwrap_or_default();
    first || before.iter().any(|token| token.is(ASKED))
}

/// Present-tense statements of what respondents do, think or become are findings.
fn attitudes(tokens: &[Token], named: &[bool], faults: &mut Vec<String>) {
    let word = |at: usize| tokens.get(at).map_or("", |token| token.word.as_str());
    for (at, token) in tokens.iter().enumerate() {
        let label = named.get(at).copied().unwrap_or_default();
        if !label && !token.is(SUBJECTS) && !people(&token.word) {
            continue;
        }
        let end = (at + 1..tokens.len())
            .find(|next| tokens.get(*next).is_some_and(ends))
            .unwrap_or(tokens.len())
            .min(at + 7);
        for next in at + 1..end {
            if named.get(next).copied().unwrap_or_default() {
                break;
            }
            let modal = matches!(
                word(next),
                "may"
                    | "might"
                    | "could"
                    | "should"
                    | "would"
                    | "can"
                    | "must"
                    | "will"
                    | "to"
                    | "whether"
                    | "if"
            );
            if modal {
                break;
            }
            let goes_on = (next + 1..(next + 4).min(tokens.len()))
                .any(|then| word(then).len() > 5 && word(then).ends_with("ing"));
            let is = matches!(
                word(next),
                "is" | "are" | "was" | "were" | "has" | "have" | "keeps" | "keep"
            );
            let state =
                (next + 1..(next + 4).min(tokens.len())).any(|then| STATES.contains(&word(then)));
            let tells = ATTITUDES.contains(&word(next)) || (is && (goes_on || state));
            if tells && !asked_for(tokens, next) {
                faults.push(format!(
                    "'{} {}' tells a finding without a figure: give its expression, or say what should be done.",
                    token.word,
                    word(next)
                ));
                return;
            }
        }
    }
}

pub(super) fn told_cause(phrase: &str) -> String {
    format!(
        "'{phrase}' tells a cause, and a survey shows only what goes together: say what differs between whom."
    )
}
