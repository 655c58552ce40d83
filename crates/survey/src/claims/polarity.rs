//! Questions that are answered by Yes or No, told by their verb.
//!
//! - Of `Have you heard of the night line?`, those who *have heard* said Yes and those who *have not heard* said No: a share of the one told as the other is a
//!   fault. The verb is the word of the question after *you*; before it stand those who answered, an auxiliary and a negation, and nothing else.
//! - The second half of a sentence may leave it out: `and 59.9 % have not`.
//! - `Say yes` and `answered no` name the answers as well.

use std::collections::{BTreeMap, BTreeSet};

use super::mentions::Mention;
use super::negations::ends;
use super::parts::{Dimension, Measured, key};
use super::tokens::{Token, tokens};
use super::words::people;
use crate::figure::Measure;
use crate::study::{Kind, Question};

const AUXILIARIES: &[&str] = &[
    "have", "has", "had", "do", "does", "did", "are", "is", "was", "were", "be", "been", "am",
    "can", "could", "would", "will", "should",
];
/// What stands between *you* and the verb of a question.
const BETWEEN: &[&str] = &[
    "a",
    "an",
    "the",
    "ever",
    "already",
    "currently",
    "personally",
    "been",
    "be",
    "being",
    "to",
    "in",
    "on",
    "at",
    "of",
    "usually",
    "generally",
    "yet",
    "also",
    "any",
    "your",
];
/// What may stand between those who answered and the verb.
const BEFORE: &[&str] = &[
    "have",
    "has",
    "had",
    "do",
    "does",
    "did",
    "are",
    "is",
    "was",
    "were",
    "been",
    "be",
    "of",
    "the",
    "those",
    "they",
    "say",
    "says",
    "said",
    "report",
    "reported",
    "in",
    "among",
    "on",
    "at",
    "from",
    "who",
    "that",
    "and",
    "a",
    "an",
    "usually",
    "generally",
    "already",
    "ever",
    "all",
    "most",
    "many",
    "few",
    "majority",
    "minority",
    "half",
    "third",
    "thirds",
    "quarter",
    "quarters",
    "share",
    "proportion",
    "percentage",
    "only",
    "just",
    "group",
];
const SAYS: &[&str] = &[
    "say",
    "says",
    "said",
    "saying",
    "answer",
    "answers",
    "answered",
    "answering",
    "respond",
    "responded",
    "reply",
    "replied",
    "with",
];

/// What a sentence tells of questions that are answered by Yes or No.
#[derive(Default)]
pub(super) struct Polarity {
    pub(super) mentions: Vec<Mention>,
    /// The negations that say No.
    pub(super) denials: BTreeSet<usize>,
}

/// The keys of Yes and of No, where a question has no other answer but those of people who do not know.
pub(super) fn poles(question: &Question) -> Option<(String, String)> {
    const OPEN: &[&str] = &[
        "know",
        "sure",
        "unsure",
        "say",
        "answer",
        "applicable",
        "undecided",
        "refused",
        "unknown",
        "remember",
    ];
    if question.kind != Kind::Single {
        return None;
    }
    let named = |name: &str| {
        let mut answers = question.answers.iter();
        answers
            .find(|answer| answer.label.trim().eq_ignore_ascii_case(name))
            .map(|one| key(&one.label))
    };
    let (yes, no) = (named("yes")?, named("no")?);
    let open = |label: &str| tokens(label).iter().any(|token| token.is(OPEN));
    let known = |label: &str| [&yes, &no].contains(&&key(label)) || open(label);
    question.answers.iter().all(|answer| known(&answer.label)).then_some((yes, no))
}

/// The verb that a question asks for: *heard* of `Have you heard of it?`.
fn verb(question: &Question) -> Option<String> {
    let all = tokens(&question.text);
    let you = all
        .windows(2)
        .position(|pair| matches!(pair, [one, you] if one.is(AUXILIARIES) && you.word == "you"))?;
    let mut after = all.iter().skip(you + 2).filter(|token| token.is_word());
    after.find(|token| !token.is(BETWEEN)).map(|token| token.stem.clone())
}

/// Reads what a sentence tells of the questions that are answered by Yes or No.
pub(super) fn polarity(parts: &[Measured<'_>], tokens: &[Token], named: &[bool]) -> Polarity {
    let mut polarity = Polarity::default();
    let free = |at: usize| !named.get(at).copied().unwrap_or(true);
    let mut known: BTreeSet<&str> = BTreeSet::new();
    for part in parts.iter().filter(|part| matches!(part.asked.spec.measure, Measure::Share(_))) {
        let Some((yes, no)) = poles(part.question).filter(|_| known.insert(&part.question.id))
        else {
            continue;
        };
        let verb = verb(part.question);
        let mut told = BTreeSet::new();
        for (at, token) in tokens.iter().enumerate().filter(|(at, _)| free(*at)) {
            let before = at.checked_sub(1).and_then(|before| tokens.get(before));
            let said = token.is(&["yes", "no"]) && before.is_some_and(|one| one.is(SAYS));
            let says = if said {
                Some((token.word == "no", BTreeSet::new()))
            } else if verb.as_ref() == Some(&token.stem) {
                subject(tokens, named, at)
            } else {
                None
            };
            let Some((denied, denials)) = says else { continue };
            told.insert(at);
            polarity.denials.extend(denials);
            let label = if denied { &no } else { &yes };
            polarity.mentions.push(mention(at, label, &token.word, denied));
        }
        if told.is_empty() {
            continue;
        }
        // "And 59.9 % have not."
        for (at, token) in tokens.iter().enumerate().filter(|(at, _)| free(*at)) {
            let next = tokens.get(at + 1).is_none_or(|next| {
                ends(next) || next.is(&["and", "while", "but", "yet", "whereas", "so"])
            });
            let have = at
                .checked_sub(1)
                .and_then(|at| tokens.get(at))
                .is_some_and(|one| one.is(AUXILIARIES));
            let left_out = (token.word == "not" && have) || token.word.ends_with("n't");
            if next && left_out && !polarity.denials.contains(&at) {
                polarity.denials.insert(at);
                polarity.mentions.push(mention(at, &no, &token.word, true));
            }
        }
    }
    polarity
}

fn mention(at: usize, label: &str, word: &str, denied: bool) -> Mention {
    let told = if denied && word != "no" && !word.ends_with("n't") && word != "not" {
        format!("not {word}")
    } else {
        word.to_owned()
    };
    Mention {
        from: at,
        to: at + 1,
        means: BTreeMap::from([(Dimension::Answers, BTreeSet::from([label.to_owned()]))]),
        joint: false,
        quoted: false,
        told,
    }
}

/// Whether a verb is told of those who answered: whether it is denied, and by which words; none where something else stands before it.
fn subject(tokens: &[Token], named: &[bool], verb: usize) -> Option<(bool, BTreeSet<usize>)> {
    const FARTHEST: usize = 14;
    let mut denials = BTreeSet::new();
    let told = |denials: BTreeSet<usize>| Some((denials.len() % 2 == 1, denials));
    for at in (verb.saturating_sub(FARTHEST)..verb).rev() {
        let token = tokens.get(at)?;
        if ends(token) || token.number().is_some() || token.is(&["%", "percent", "cent"]) {
            return told(denials);
        }
        let denies = token.is(&["not", "never", "no", "cannot"]) || token.word.ends_with("n't");
        let yet = token.word == "yet" && tokens.get(at + 1).is_some_and(|next| next.word == "to");
        if denies || yet {
            denials.insert(at);
            continue;
        }
        let to_come =
            token.word == "to" && at > 0 && tokens.get(at - 1).is_some_and(|one| one.word == "yet");
        let label = named.get(at).copied().unwrap_or_default();
        if !(label || to_come || people(&token.word) || token.is(BEFORE) || spelled(token)) {
            return None;
        }
    }
    (verb <= FARTHEST).then_some(()).and_then(|()| told(denials))
}

/// Words of `four in ten`.
fn spelled(token: &Token) -> bool {
    token.is(&[
        "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "out",
        "every", "about", "nearly", "almost", "over", "under", "than", "more", "less", "fewer",
        "around", "roughly",
    ])
}
