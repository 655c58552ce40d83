//! Answers told together, and answers told alone.
//!
//! - A figure of several answers to a multiple-response question is of those who gave any of them: its answers are joined by *or*, by *at least one of*, *any of*,
//!   *either*, or told together as one (*together*, *combined*). *Both*, *and*, *as well as*, *along with*, *together with* tell of those who gave all, which no
//!   figure does.
//! - *Only*, *just* and *merely* belong to a number or a size (*only 12 %*, *only slightly*). *Only shopping*, *shopping alone*, *solely* leave others out, which
//!   no figure does.
//! - *Both* is said of two that have a figure each.

use std::collections::BTreeSet;

use super::majorities::echoes;
use super::parts::{Dimension, Measured, key};
use super::ranks::superlative;
use super::sentence::Sentence;
use super::tokens::{akin, tokens};
use super::topics::topical;
use crate::figure::Measure;
use crate::study::Kind;

/// Words that leave out or take together, and are read here.
const READ: &[&str] = &[
    "only",
    "just",
    "merely",
    "simply",
    "alone",
    "solely",
    "exclusively",
    "purely",
    "both",
    "either",
    "together",
    "combined",
    "altogether",
    "jointly",
    "collectively",
];

/// Tells whether a word is one of those that are read here.
pub(super) fn reads(word: &str) -> bool {
    READ.contains(&word)
}

/// Appends what is told of answers together or alone, and is not so.
pub(super) fn check(sentence: &Sentence<'_>, faults: &mut Vec<String>) {
    for at in 0..sentence.tokens.len() {
        let counted = sentence.counted.get(at).copied().unwrap_or_default();
        if !sentence.free(at) || counted || echoes(sentence, at) {
            continue;
        }
        match sentence.word(at) {
            "only" | "just" | "merely" | "simply" | "alone" | "solely" | "exclusively"
            | "purely"
                if leaves_out(sentence, at) =>
            {
                faults.push(format!(
                    "'{}' leaves others out, and no figure says so: leave it out, or put it before a number.",
                    sentence.word(at)
                ));
            }
            "both"
                if !pair(sentence, at)
                    && (sentence.back(at, 1) != "or" || !sentence.parts.iter().any(several)) => faults.push(
                "'both' tells of two at once: give each its own figure, or join the answers of one figure by 'or'."
                    .to_owned(),
            ),
            "either" if !sentence.parts.iter().any(several) => faults.push(
                "'either' needs the figure of both answers in one, such as share(Q1=1|2).".to_owned(),
            ),
            _ => {}
        }
    }
    for part in sentence.parts.iter().filter(|part| several(part)) {
        if !joined(sentence, part) {
            faults.push(format!(
                "{} is of those who gave any of these answers: join them by 'or', as in '{}'.",
                part.part.text,
                part.part.answers.join(" or ")
            ));
        }
    }
}

/// Whether a figure is of several answers in one.
fn several(part: &Measured<'_>) -> bool {
    matches!(&part.asked.spec.measure, Measure::Share(places) if places.len() > 1)
}

/// Whether a word such as `only` leaves out others: it says nothing of a number, of a size or of a comparison.
fn leaves_out(sentence: &Sentence<'_>, at: usize) -> bool {
    let (word, next) = (sentence.word(at), sentence.word(at + 1));
    if superlative(sentence, at).is_some()
        || (word == "just" && next == "as")
        || (word == "only" && super::orders::leaves_out_rightly(sentence, at))
    {
        return false;
    }
    let multiple = sentence.parts.iter().any(|part| part.question.kind == Kind::Multi);
    // "Not only women" takes others in, and is read where that is.
    if sentence.back(at, 1) == "not" && !multiple {
        return false;
    }
    if !matches!(word, "only" | "just" | "merely" | "simply") {
        return true;
    }
    let small = |at: usize| {
        matches!(
            sentence.word(at),
            "majority"
                | "minority"
                | "few"
                | "fraction"
                | "slightly"
                | "marginally"
                | "somewhat"
                | "little"
        )
    };
    let after = (1..=3).take_while(|ahead| {
        *ahead == 1
            || matches!(
                sentence.word(at + ahead - 1),
                "a" | "an"
                    | "the"
                    | "about"
                    | "around"
                    | "by"
                    | "at"
                    | "for"
                    | "small"
                    | "narrow"
                    | "slim"
                    | "bare"
                    | "very"
                    | "to"
                    | "one"
            )
    });
    let counts = after
        .into_iter()
        .any(|ahead| small(at + ahead) || sentence.said.iter().any(|said| said.from == at + ahead));
    let counted = sentence.said.iter().any(|said| said.to == at)
        && sentence
            .tokens
            .get(at + 1)
            .is_none_or(|next| super::negations::ends(next) || next.is(&["of", "are", "is"]));
    // "Only 48 % of men", "but of men only 48 %", "among men it is just 48 %".
    !(counts || counted)
}

/// Whether `both` is said of two that have a figure each.
fn pair(sentence: &Sentence<'_>, at: usize) -> bool {
    if sentence.varying.is_empty() {
        return false;
    }
    let multiple = |dimension: &Dimension| {
        *dimension == Dimension::Answers
            && sentence.parts.iter().any(|part| part.question.kind == Kind::Multi)
    };
    let followed = sentence.mentions.iter().find(|mention| mention.from > at);
    let near = followed.filter(|mention| mention.from <= at + 6);
    match near {
        // Of answers of which one can give several, each has its number beside it.
        Some(mention) if mention.means.keys().any(multiple) => {
            sentence.word(mention.to) == "("
                && sentence.said.iter().any(|said| said.from == mention.to + 1)
        }
        Some(_) => true,
        None => {
            matches!(
                sentence.word(at + 1),
                "waves"
                    | "studies"
                    | "surveys"
                    | "groups"
                    | "genders"
                    | "segments"
                    | "years"
                    | "cases"
            ) && !sentence.varying.iter().all(multiple)
        }
    }
}

/// Whether the answers of a figure are joined as it is of them.
fn joined(sentence: &Sentence<'_>, part: &Measured<'_>) -> bool {
    let Some(own) = part.of.get(&Dimension::Answers) else { return true };
    let whole = sentence
        .mentions
        .iter()
        .any(|one| one.joint && one.means.get(&Dimension::Answers) == Some(own));
    if whole || part.question.kind == Kind::Scale {
        return true;
    }
    // Where each answer stands, once for each time that it is named.
    let mut stands: Vec<(usize, usize, String)> = Vec::new();
    for mention in sentence.mentions.iter().filter(|mention| !mention.joint) {
        let Some(labels) = mention.means.get(&Dimension::Answers) else { continue };
        let known = labels.iter().filter(|label| own.contains(*label));
        stands.extend(known.map(|label| (mention.from, mention.to, label.clone())));
    }
    for label in &part.part.answers {
        let name = key(label);
        if stands.iter().any(|(_, _, known)| *known == name) {
            continue;
        }
        let stems = topical(&tokens(label));
        let found = sentence
            .tokens
            .iter()
            .position(|token| stems.iter().any(|stem| akin(stem, &token.stem)));
        stands.extend(found.map(|at| (at, at + 1, name)));
    }
    stands.sort();
    let mut runs = stands.windows(own.len()).filter(|run| {
        let named: BTreeSet<&String> = run.iter().map(|(_, _, label)| label).collect();
        named.len() == own.len()
    });
    // What is not named at all is told elsewhere.
    stands.len() < own.len() || runs.any(|run| any_of(sentence, part, run))
}

/// Whether a run of answers is told as any of them.
fn any_of(sentence: &Sentence<'_>, part: &Measured<'_>, run: &[(usize, usize, String)]) -> bool {
    const ALL: [&[&str]; 7] = [
        &["as", "well", "as"],
        &["along", "with"],
        &["together", "with"],
        &["combined", "with"],
        &["in", "addition", "to"],
        &["and", "also"],
        &["plus"],
    ];
    let (Some(first), Some(last)) = (run.first(), run.last()) else { return true };
    let says = |from: usize, to: usize, phrase: &[&str]| {
        (from..to)
            .any(|at| (0..).zip(phrase).all(|(ahead, word)| sentence.word(at + ahead) == *word))
    };
    let (from, to) = (first.0.saturating_sub(1), last.1 + 4);
    let all = ALL.iter().any(|phrase| says(from, to, phrase))
        || (first.0.saturating_sub(3)..to)
            .any(|at| sentence.word(at) == "both" && sentence.back(at, 1) != "or");
    if all {
        return false;
    }
    if part.question.kind != Kind::Multi {
        return true;
    }
    let together = ["together", "combined", "altogether", "jointly", "collectively", "either"]
        .iter()
        .any(|word| says(0, sentence.tokens.len(), &[*word]))
        || ["at least one", "any of", "any one of", "or both"].iter().any(|phrase| {
            let words: Vec<&str> = phrase.split(' ').collect();
            says(0, sentence.tokens.len(), &words)
        });
    let gaps: Vec<&[super::tokens::Token]> = run
        .windows(2)
        .map(|pair| match pair {
            [one, next] => sentence.tokens.get(one.1..next.0).unwrap_or_default(),
            _ => &[],
        })
        .collect();
    let or = |gap: &&[super::tokens::Token]| gap.iter().any(|token| token.is(&["or", "/"]));
    let and = |gap: &&[super::tokens::Token]| {
        gap.iter().any(|token| token.is(&["and", "&", "with", "but"]))
    };
    together || (gaps.last().is_some_and(or) && !gaps.iter().any(and))
}
