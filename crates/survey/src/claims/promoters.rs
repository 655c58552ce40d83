//! Promoters and detractors: those who answer 9 or 10, and those who answer 0 to 6 (Reichheld 2003).
//!
//! Both are shares of a scale from 0 to 10, and are named so beside the NPS that they make.

use std::collections::{BTreeMap, BTreeSet};

use super::mentions::Mention;
use super::parts::{Dimension, Measured, key};
use super::tokens::Token;
use crate::figure::Measure;
use crate::study::{Kind, Question};

/// The keys of the answers with a score within these; none where the scale does not go from 0 to 10.
fn scored(question: &Question, least: f64, most: f64) -> Option<BTreeSet<String>> {
    const POINTS: usize = 11;
    let scores: Vec<(f64, &str)> = question
        .answers
        .iter()
        .filter_map(|answer| Some((answer.score?, answer.label.as_str())))
        .collect();
    let whole = scores.iter().all(|(score, _)| (0.0..=10.0).contains(score));
    let within = scores.iter().filter(|(score, _)| (least..=most).contains(score));
    (question.kind == Kind::Scale && scores.len() == POINTS && whole)
        .then(|| within.map(|(_, label)| key(label)).collect())
}

/// The promoters and detractors that a sentence names beside shares of a scale.
pub(super) fn promoters(parts: &[Measured<'_>], tokens: &[Token], named: &[bool]) -> Vec<Mention> {
    let mut mentions: BTreeMap<usize, Mention> = BTreeMap::new();
    let shares = parts.iter().filter(|part| matches!(part.asked.spec.measure, Measure::Share(_)));
    for part in shares {
        for (at, token) in tokens.iter().enumerate() {
            let (least, most) = match token.word.as_str() {
                "promoters" => (9.0, 10.0),
                "detractors" => (0.0, 6.0),
                _ => continue,
            };
            let score = tokens.get(at + 1).is_some_and(|next| next.word == "score");
            if score || named.get(at).copied().unwrap_or(true) {
                continue;
            }
            let Some(labels) = scored(part.question, least, most) else { continue };
            mentions.entry(at).or_insert_with(|| Mention {
                from: at,
                to: at + 1,
                means: BTreeMap::from([(Dimension::Answers, labels)]),
                joint: true,
                quoted: false,
                told: token.word.clone(),
            });
        }
    }
    mentions.into_values().collect()
}
