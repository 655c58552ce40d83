//! What questions and sentences are about, in words.

use std::collections::{BTreeMap, BTreeSet};

use super::mentions::Mention;
use super::parts::{Dimension, Measured};
use super::sentence::Sentence;
use super::tokens::{Token, akin, tokens};
use super::words::plain;
use crate::expression::Unit;
use crate::study::{Kind, Question};

/// What is said of a deed besides its own words.
const SPENDING: &[(&str, &[&str])] = &[
    ("spend", &["pay", "expenditur"]),
    ("pay", &["spend", "expenditur"]),
    ("hour", &["spend"]),
    ("minut", &["spend"]),
];

pub(super) fn topical(stems: &[Token]) -> BTreeSet<String> {
    let words = stems.iter().filter(|token| token.is_word() && token.word.len() > 2);
    words.filter(|token| !plain(&token.word)).map(|token| token.stem.clone()).collect()
}

/// Stems that a sentence may use of a figure besides the words of its question: of its segments, of the studies, and of its side of a scale.
fn beside(sentence: &Sentence<'_>) -> BTreeSet<String> {
    let mut texts: Vec<&str> = Vec::new();
    let mut words: BTreeSet<String> = BTreeSet::new();
    for part in &sentence.parts {
        words.extend(super::sides::own_words(part));
        for condition in &part.asked.spec.segment {
            let Some(by) = part.study.questions.get(condition.question) else { continue };
            texts.extend([by.id.as_str(), by.text.as_str()]);
            let answers = condition.answers.iter().filter_map(|place| by.answers.get(*place));
            texts.extend(answers.map(|answer| answer.label.as_str()));
        }
    }
    for study in &sentence.project.studies {
        texts.extend([study.id.as_str(), study.title.as_str()]);
    }
    words.extend(texts.iter().map(|text| (*text).to_owned()));
    words.iter().flat_map(|text| tokens(text)).map(|token| token.stem).collect()
}

fn topic(question: &Question) -> BTreeSet<String> {
    let mut stems = topical(&tokens(&question.text));
    stems.extend(question.answers.iter().flat_map(|answer| topical(&tokens(&answer.label))));
    stems.extend(question.nets.iter().flat_map(|net| topical(&tokens(&net.label))));
    stems.extend(question.grid.iter().flat_map(|grid| topical(&tokens(&grid.text))));
    stems.insert(question.id.to_lowercase());
    stems
}

/// The stems of the words of the figures' questions.
pub(super) fn asked_words(parts: &[Measured<'_>]) -> BTreeSet<String> {
    let words = parts.iter().flat_map(|part| tokens(&part.question.text));
    words.map(|token| token.stem).collect()
}

/// Names of questions by the words that one has and the others lack.
pub(super) fn distinctive(
    parts: &[Measured<'_>],
    tokens: &[Token],
    named: &[bool],
) -> Vec<Mention> {
    let topics: BTreeMap<String, BTreeSet<String>> =
        parts.iter().map(|part| (part.question.id.to_lowercase(), topic(part.question))).collect();
    let mut mentions = Vec::new();
    for (at, token) in tokens.iter().enumerate() {
        if named.get(at).copied().unwrap_or_default() || !token.is_word() || plain(&token.word) {
            continue;
        }
        let of: Vec<&String> = topics
            .iter()
            .filter(|(_, topic)| topic.iter().any(|known| akin(known, &token.stem)))
            .map(|(id, _)| id)
            .collect();
        if let [id] = of.as_slice() {
            mentions.push(Mention {
                from: at,
                to: at + 1,
                means: BTreeMap::from([(Dimension::Question, BTreeSet::from([(*id).clone()]))]),
                joint: false,
                quoted: false,
                told: token.word.clone(),
            });
        }
    }
    mentions
}

/// Appends what is wrong where a sentence and its figures are about different things.
pub(super) fn about(sentence: &Sentence<'_>, faults: &mut Vec<String>) {
    let label_of = |at: usize, dimension: &Dimension| {
        let mut over = sentence.mentions.iter().filter(|one| (one.from..one.to).contains(&at));
        over.any(|one| one.means.contains_key(dimension))
    };
    let words: Vec<&Token> = sentence
        .tokens
        .iter()
        .enumerate()
        .filter(|(at, token)| {
            // "4.1 out of 5".
            let out = token.word == "out" && sentence.word(at + 1) == "of";
            let free = (sentence.free(*at) && !out)
                || label_of(*at, &Dimension::Answers)
                || label_of(*at, &Dimension::Question);
            token.is_word() && free
        })
        .map(|(_, token)| token)
        .collect();
    let shared = |topic: &BTreeSet<String>| -> usize {
        let stems: BTreeSet<&String> = words.iter().map(|token| &token.stem).collect();
        stems.into_iter().filter(|stem| topic.iter().any(|known| akin(known, stem))).count()
    };
    let mut topics: BTreeMap<&str, BTreeSet<String>> = BTreeMap::new();
    for part in &sentence.parts {
        let own = topics.entry(part.question.id.as_str()).or_insert_with(|| topic(part.question));
        let promoters = sentence
            .mentions
            .iter()
            .any(|one| one.joint && one.told == "promoters" || one.told == "detractors");
        if part.part.unit == Unit::Nps || promoters {
            let words = ["nps", "promot", "net", "detractor", "advoc", "moder", "negat"];
            own.extend(words.map(str::to_owned));
        }
        if part.question.kind == Kind::Scale {
            own.insert("scale".to_owned());
        }
        for (known, others) in SPENDING {
            if own.contains(*known) {
                own.extend(others.iter().map(|other| (*other).to_owned()));
            }
        }
    }
    let all: BTreeSet<String> = topics.values().flatten().cloned().collect();
    let beside = beside(sentence);
    let unknown: BTreeSet<&str> = words
        .iter()
        .filter(|token| token.word.len() > 2 && !plain(&token.word))
        .filter(|token| !all.iter().chain(&beside).any(|known| akin(known, &token.stem)))
        .map(|token| token.word.as_str())
        .collect();
    for (id, topic) in &topics {
        let own = shared(topic);
        let question = sentence.parts.iter().find(|part| part.question.id == *id);
        let text = question.map(|part| part.question.text.as_str()).unwrap_or_default();
        let net_promoter = topic.contains("promot")
            && sentence.tokens.iter().any(|one| one.is(&["nps", "promoter", "promoters"]));
        let named = sentence.mentions.iter().any(|mention| {
            let ids = mention.means.get(&Dimension::Question);
            ids.is_some_and(|ids| ids.contains(&id.to_lowercase()))
        });
        if own == 0 && !named && !net_promoter {
            faults.push(format!("the sentence is not about {id} ('{text}'): use its words."));
            continue;
        }
        if !unknown.is_empty() {
            let words: Vec<&str> = unknown.iter().copied().collect();
            faults.push(format!(
                "the sentence speaks of what {id} ('{text}') does not ask: {}; keep to the words of the question.",
                words.join(", ")
            ));
        }
        let others = sentence.project.studies.iter().flat_map(|study| &study.questions);
        let rival = others.filter(|other| !topics.contains_key(other.id.as_str())).find(|other| {
            let theirs: BTreeSet<String> =
                topical(&tokens(&other.text)).difference(&all).cloned().collect();
            shared(&theirs) > own && !net_promoter
        });
        if let Some(rival) = rival {
            faults.push(format!(
                "the sentence is about {} ('{}'), and its figures are of {id}: give the figures of that question, or use the words of this one.",
                rival.id, rival.text
            ));
        }
    }
}
