//! A sentence is about the question of its figures, and names what they are of.
//!
//! - It shares a word with the question, its answers or its id, and no other question of the project has more of its words.
//! - It names every segment of its figures, each answer where they are not points of a scale, and no segment, study or answer that no figure is of.
//! - A figure of a study before the latest is said to be of that study.

use std::collections::BTreeSet;

use super::mentions::Mention;
use super::parts::{Dimension, Measured, key};
use super::sentence::{Sentence, everybody};
use super::tokens::{Token, akin, tokens};
use super::topics::topical;
use crate::figure::Measure;
use crate::project::Project;
use crate::study::{Kind, Study};

/// Appends what is wrong with what the sentence is about.
pub(super) fn check(sentence: &Sentence<'_>, faults: &mut Vec<String>) {
    super::topics::about(sentence, faults);
    named_and_used(sentence, faults);
    used_and_named(sentence, faults);
    unknown_ids(sentence.project, &sentence.tokens, &sentence.named, faults);
}

/// What is named must be used.
fn named_and_used(sentence: &Sentence<'_>, faults: &mut Vec<String>) {
    let shares: Vec<&Measured<'_>> = sentence
        .parts
        .iter()
        .filter(|part| matches!(part.asked.spec.measure, Measure::Share(_)))
        .collect();
    for mention in sentence.mentions.iter().filter(|mention| !mention.quoted) {
        let answers = mention.means.contains_key(&Dimension::Answers) && !shares.is_empty();
        if let Some(degree) = overstated(sentence, mention).filter(|_| answers) {
            faults.push(format!(
                "'{degree} {}' is no answer that a figure is of: use the words of the answers.",
                mention.told
            ));
        }
        let used = mention.means.iter().any(|(dimension, labels)| match dimension {
            Dimension::Answers if shares.is_empty() => true,
            Dimension::Segment(_) if everybody(labels) => true,
            _ => sentence
                .parts
                .iter()
                .any(|part| part.of.get(dimension).is_some_and(|own| !own.is_disjoint(labels))),
        });
        if used {
            continue;
        }
        if mention.means.contains_key(&Dimension::Answers) && passing(sentence, mention) {
            continue;
        }
        let what = match mention.means.keys().next() {
            Some(Dimension::Study) => "study",
            Some(Dimension::Segment(_)) => "segment",
            Some(Dimension::Answers) => "answer",
            Some(Dimension::Question) | None => "question",
        };
        faults.push(format!(
            "the {what} '{}' is named, and no figure is of it: give its figure, or leave it out.",
            mention.told
        ));
    }
}

/// "Extremely satisfied" is none of the answers where these are satisfied and very satisfied.
fn overstated(sentence: &Sentence<'_>, mention: &Mention) -> Option<String> {
    const DEGREES: &[&str] = &[
        "very",
        "extremely",
        "completely",
        "highly",
        "fully",
        "totally",
        "absolutely",
        "somewhat",
        "slightly",
        "rather",
        "fairly",
        "quite",
        "partly",
        "moderately",
        "thoroughly",
        "deeply",
        "entirely",
        "strongly",
    ];
    let degree = sentence.back(mention.from, 1);
    let scale = sentence.parts.iter().any(|part| part.question.kind == Kind::Scale);
    let own = sentence.parts.iter().any(|part| {
        part.part.answers.iter().any(|label| tokens(label).iter().any(|token| token.word == degree))
    });
    (scale && DEGREES.contains(&degree) && !own).then(|| degree.to_owned())
}

/// A word that is an answer's label, in passing: "how satisfied", "more satisfied", or a word of the question itself.
fn passing(sentence: &Sentence<'_>, mention: &Mention) -> bool {
    let verb = sentence.polarity.mentions.iter().any(|told| told.from == mention.from);
    if mention.joint || verb || mention.to - mention.from > 1 {
        return false;
    }
    let before = sentence.back(mention.from, 1);
    let degree = matches!(
        before,
        "how"
            | "more"
            | "less"
            | "most"
            | "least"
            | "as"
            | "significantly"
            | "equally"
            | "similarly"
    );
    let stem =
        sentence.tokens.get(mention.from).map(|token| token.stem.as_str()).unwrap_or_default();
    let asked = sentence.parts.iter().any(|part| {
        part.question.kind != Kind::Scale
            && tokens(&part.question.text).iter().any(|token| token.stem == stem)
    });
    degree || asked
}

/// What is used must be named.
fn used_and_named(sentence: &Sentence<'_>, faults: &mut Vec<String>) {
    let says = |dimension: &Dimension, labels: &BTreeSet<String>| {
        sentence
            .mentions
            .iter()
            .any(|one| one.means.get(dimension).is_some_and(|own| !own.is_disjoint(labels)))
    };
    let mut missing: BTreeSet<String> = BTreeSet::new();
    let latest = sentence.project.studies.last().map(|study| study.id.as_str());
    let studies = sentence.labels(&Dimension::Study);
    let words = ["waves", "wave", "since", "previous", "year", "time", "trend"];
    let in_time = sentence.tokens.iter().any(|token| token.is(&words)) && sentence.order.len() > 1;
    let from_to =
        sentence.order.len() > 1 && sentence.tokens.iter().any(|token| token.is(&["from"]));
    for part in &sentence.parts {
        for (dimension, labels) in &part.of {
            match dimension {
                Dimension::Segment(_) if everybody(labels) => {
                    let alone = !sentence.varying.contains(dimension);
                    if !alone && !says(dimension, labels) {
                        missing.insert("everybody: say 'overall' with its figure".to_owned());
                    }
                }
                Dimension::Segment(_) => {
                    for label in labels {
                        if !says(dimension, &BTreeSet::from([label.clone()])) {
                            missing.insert(part.part.segment.join(", "));
                        }
                    }
                }
                Dimension::Study => {
                    let one = sentence.order.len() == 1;
                    let old = Some(part.study.id.as_str()) != latest;
                    let known = !studies.at.is_empty() || in_time || from_to;
                    if (one && old && !says(dimension, labels)) || (!one && !known) {
                        missing.insert(format!("study {}", part.study.id));
                    }
                }
                Dimension::Answers => answers(sentence, part, &mut missing),
                Dimension::Question => {}
            }
        }
    }
    for one in missing {
        faults.push(format!("the sentence does not name what a figure is of: {one}."));
    }
}

/// The answers of a share are named: all, or their net or box; of a scale, the weakest one of a box will do.
fn answers(sentence: &Sentence<'_>, part: &Measured<'_>, missing: &mut BTreeSet<String>) {
    let Some(own) = part.of.get(&Dimension::Answers) else { return };
    let joint =
        sentence.mentions.iter().filter(|mention| mention.joint).any(|mention| {
            mention.means.get(&Dimension::Answers).is_some_and(|labels| labels == own)
        });
    if joint {
        return;
    }
    let single = sentence.mentions.iter().filter(|mention| !mention.joint);
    let told: BTreeSet<&String> = single
        .filter_map(|mention| mention.means.get(&Dimension::Answers))
        .flatten()
        .filter(|label| own.contains(*label))
        .collect();
    let of_another = |label: &String| {
        sentence.parts.iter().any(|other| {
            other
                .of
                .get(&Dimension::Answers)
                .is_some_and(|labels| labels.len() == 1 && labels.contains(label))
        })
    };
    if part.question.kind == Kind::Scale {
        let weakest = weakest(part);
        let extremes = !told.is_empty() && told.len() < own.len();
        // "Rather or very likely" says both.
        let both = weakest.as_ref().is_some_and(|label| {
            let said: BTreeSet<&str> = told.iter().flat_map(|one| one.split(' ')).collect();
            let mut own = label.split(' ').filter(|stem| !said.contains(stem)).peekable();
            own.peek().is_some()
                && own.all(|stem| sentence.tokens.iter().any(|token| token.stem == stem))
        });
        if extremes
            && !both
            && !weakest.is_some_and(|label| told.contains(&label))
            && !told.iter().all(|label| of_another(label))
        {
            missing.insert(format!(
                "{}, not {} alone",
                part.part.answers.join(" or "),
                told.into_iter().cloned().collect::<Vec<_>>().join(" or ")
            ));
        }
        return;
    }
    let words: Vec<&str> = sentence.tokens.iter().map(|token| token.stem.as_str()).collect();
    let poles = super::polarity::poles(part.question).is_some();
    for label in &part.part.answers {
        let stems = topical(&tokens(label));
        // "No" is no name of an answer: its verb with a negation is.
        let short = stems.is_empty() && !poles;
        let said = short
            || told.contains(&key(label))
            || !poles && stems.iter().any(|stem| words.iter().any(|word| akin(stem, word)));
        if !said {
            let verb = if poles { ", by its label or by the verb of the question" } else { "" };
            missing.insert(format!("the answer '{label}'{verb}"));
        }
    }
}

/// The answer of a box that is nearest to the middle of the scale.
fn weakest(part: &Measured<'_>) -> Option<String> {
    let Measure::Share(places) = &part.asked.spec.measure else { return None };
    let scores = part.question.answers.iter().filter_map(|answer| answer.score);
    let (least, most) = scores.fold((f64::INFINITY, f64::NEG_INFINITY), |(least, most), score| {
        (least.min(score), most.max(score))
    });
    let middle = f64::midpoint(least, most);
    let answers = places.iter().filter_map(|place| part.question.answers.get(*place));
    let far = |score: Option<f64>| score.map_or(f64::INFINITY, |score| (score - middle).abs());
    let nearest = answers.min_by(|one, other| far(one.score).total_cmp(&far(other.score)))?;
    Some(key(&nearest.label))
}

/// Tells whether a study has a word in its title, in the words of a question, or in a label.
fn uses(study: &Study, word: &str) -> bool {
    let has = |text: &str| {
        text.split(|sign: char| !(sign.is_alphanumeric() || sign == '_'))
            .any(|one| one.eq_ignore_ascii_case(word))
    };
    has(&study.title)
        || study
            .questions
            .iter()
            .any(|one| has(&one.words()) || one.answers.iter().any(|answer| has(&answer.label)))
}

/// What looks like the id of a question or a study must be one, or a word that the studies use.
pub(super) fn unknown_ids(
    project: &Project,
    tokens: &[Token],
    named: &[bool],
    faults: &mut Vec<String>,
) {
    let known = |word: &str| {
        project.studies.iter().any(|study| {
            study.id.eq_ignore_ascii_case(word)
                || study.question(word).is_some()
                || study.column(word).is_some()
                || study
                    .questions
                    .iter()
                    .flat_map(|one| &one.answers)
                    .any(|one| one.code.eq_ignore_ascii_case(word))
                || uses(study, word)
        })
    };
    for (at, token) in tokens.iter().enumerate() {
        if named.get(at).copied().unwrap_or_default() || !token.is_word() {
            continue;
        }
        let letters = token.word.chars().take_while(|sign| sign.is_alphabetic()).count();
        let rest: String = token.word.chars().skip(letters).collect();
        let id = (1..=3).contains(&letters)
            && rest.chars().next().is_some_and(|sign| sign.is_ascii_digit())
            && rest.chars().all(|sign| sign.is_ascii_alphanumeric() || sign == '_');
        if id && !known(&token.word) {
            faults.push(format!(
                "there is no question or study '{}': name one that the project has.",
                token.word
            ));
        }
        let next = tokens.get(at + 1).filter(|next| next.number().is_some());
        if let Some(next) = next
            && token.is(&["wave", "question"])
            && !named.get(at + 1).copied().unwrap_or_default()
            && !known(&format!("q{}", next.word))
            && !known(&next.word)
        {
            faults.push(format!(
                "there is no {} {}: name one that the project has.",
                token.word, next.word
            ));
        }
    }
}
