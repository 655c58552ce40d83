//! A sentence laid out for the checks: its tokens, names, numbers and the figures behind it.

use std::collections::BTreeSet;

use super::binding::{Labels, clauses, one};
use super::mentions::{Mention, mentions, named};
use super::numbers::{Said, numbers};
use super::parts::{Dimension, Measured, TOTAL, measured, varying};
use super::polarity::{Polarity, polarity};
use super::promoters::promoters;
use super::sides::{Side, sides};
use super::tokens::{Token, tokens};
use crate::expression::Evaluated;
use crate::expression::resolving::Asked;
use crate::figure::{Comparison, Rules};
use crate::project::Project;

pub(super) struct Sentence<'a> {
    pub(super) project: &'a Project,
    pub(super) rules: &'a Rules,
    pub(super) figures: &'a [(Vec<Asked>, Evaluated)],
    pub(super) parts: Vec<Measured<'a>>,
    pub(super) varying: Vec<Dimension>,
    pub(super) tokens: Vec<Token>,
    pub(super) mentions: Vec<Mention>,
    /// Whether a token is part of a name.
    pub(super) named: Vec<bool>,
    /// Whether a token is part of a number.
    pub(super) counted: Vec<bool>,
    pub(super) clauses: Vec<usize>,
    pub(super) said: Vec<Said>,
    pub(super) sides: Vec<Side>,
    /// What is told of questions that are answered by Yes or No.
    pub(super) polarity: Polarity,
    /// The earlier and the later study, where the figures are of two.
    pub(super) order: Vec<BTreeSet<String>>,
}

impl<'a> Sentence<'a> {
    pub(super) fn new(
        project: &'a Project,
        rules: &'a Rules,
        text: &str,
        figures: &'a [(Vec<Asked>, Evaluated)],
    ) -> Sentence<'a> {
        let tokens = tokens(text);
        let parts = measured(project, figures);
        let varying = varying(&parts);
        let mut mentions = mentions(project, &parts, &tokens);
        let mut named = named(&tokens, &mentions);
        for promoters in promoters(&parts, &tokens, &named) {
            named.iter_mut().skip(promoters.from).take(1).for_each(|one| *one = true);
            mentions.push(promoters);
        }
        let polarity = polarity(&parts, &tokens, &named);
        for told in &polarity.mentions {
            named.iter_mut().skip(told.from).take(1).for_each(|one| *one = true);
            mentions.push(told.clone());
        }
        let (sides, on_sides) = sides(&parts, &tokens, &named);
        for side in &sides {
            named.iter_mut().skip(side.at).take(1).for_each(|one| *one = true);
        }
        mentions.extend(on_sides);
        mentions.sort_by_key(|mention| mention.from);
        if varying.contains(&Dimension::Question) {
            mentions.extend(super::topics::distinctive(&parts, &tokens, &named));
            mentions.sort_by_key(|mention| mention.from);
        }
        let said = numbers(&tokens, &named);
        let mut counted = vec![false; tokens.len()];
        for number in &said {
            counted.iter_mut().take(number.to).skip(number.from).for_each(|one| *one = true);
        }
        let clauses = clauses(&tokens, &named);
        let studies: BTreeSet<usize> = parts.iter().map(|part| part.asked.spec.study).collect();
        let order = studies
            .iter()
            .filter_map(|place| Some(BTreeSet::from([project.studies.get(*place)?.id.clone()])))
            .collect();
        Sentence {
            project,
            rules,
            figures,
            parts,
            varying,
            tokens,
            mentions,
            named,
            counted,
            clauses,
            said,
            sides,
            polarity,
            order,
        }
    }

    pub(super) fn word(&self, at: usize) -> &str {
        self.tokens.get(at).map_or("", |token| token.word.as_str())
    }

    /// The word so many tokens before.
    pub(super) fn back(&self, at: usize, by: usize) -> &str {
        at.checked_sub(by).map_or("", |at| self.word(at))
    }

    pub(super) fn free(&self, at: usize) -> bool {
        !self.named.get(at).copied().unwrap_or(true)
    }

    pub(super) fn labels(&self, dimension: &Dimension) -> Labels<'_> {
        Labels::of(dimension, &self.mentions)
    }

    /// The figures that a place of the sentence speaks of, by the labels near it; dimensions in `except` count for nothing.
    pub(super) fn near(&self, at: usize, except: &[&Dimension]) -> Vec<&Measured<'a>> {
        let mut left: Vec<&Measured<'a>> = self.parts.iter().collect();
        for dimension in &self.varying {
            if except.contains(&dimension) {
                continue;
            }
            let labels = self.labels(dimension);
            let Some(labels) = one(at, &labels, &self.tokens, &self.clauses) else { continue };
            left.retain(|part| part.is_of(dimension, labels));
        }
        left
    }

    /// Pairs of figures that differ in one dimension alone, the first being of the one, the second of the other.
    pub(super) fn pairs(
        &self,
        dimension: &Dimension,
        one: &BTreeSet<String>,
        other: Option<&BTreeSet<String>>,
        among: &[&Measured<'a>],
    ) -> Vec<(usize, usize)> {
        let mut pairs = Vec::new();
        for (place, first) in self.parts.iter().enumerate() {
            if !first.is_of(dimension, one) || !listed(among, first) {
                continue;
            }
            for (at, second) in self.parts.iter().enumerate() {
                let wanted = match other {
                    Some(other) => second.is_of(dimension, other),
                    None => !second.is_of(dimension, one),
                };
                let alike = first.asked.call.measure == second.asked.call.measure
                    && first.of.iter().all(|(key, labels)| {
                        key == dimension || second.of.get(key) == Some(labels)
                    });
                if wanted && alike && first.of.get(dimension) != second.of.get(dimension) {
                    pairs.push((place, at));
                }
            }
        }
        pairs
    }

    /// Pairs that figures compare by themselves; where none does, all that differ by one segment or study.
    pub(super) fn own_pairs(&self) -> Vec<(usize, usize)> {
        let mut pairs = Vec::new();
        let mut place = 0;
        for (asked, _) in self.figures {
            if asked.len() == 2 {
                pairs.push((place, place + 1));
            }
            place += asked.len();
        }
        if pairs.is_empty() {
            let all: Vec<&Measured<'a>> = self.parts.iter().collect();
            for dimension in &self.varying {
                if !matches!(dimension, Dimension::Study | Dimension::Segment(_)) {
                    continue;
                }
                for part in &self.parts {
                    let Some(labels) = part.of.get(dimension) else { continue };
                    pairs.extend(self.pairs(dimension, labels, None, &all));
                }
            }
        }
        pairs
    }

    pub(super) fn value(&self, part: usize) -> f64 {
        self.parts.get(part).map_or(f64::NAN, |part| part.part.figure.value)
    }

    pub(super) fn compared(&self, one: usize, other: usize) -> Option<Comparison> {
        let (one, other) = (self.parts.get(one)?, self.parts.get(other)?);
        self.project.compare(&one.asked.spec, &other.asked.spec, self.rules).ok()
    }

    /// What a figure is of, for a message.
    pub(super) fn told(&self, part: usize) -> String {
        let Some(part) = self.parts.get(part) else { return String::new() };
        let mut words = Vec::new();
        for dimension in &self.varying {
            match dimension {
                Dimension::Study => words.push(part.study.id.clone()),
                Dimension::Question => words.push(part.question.id.clone()),
                Dimension::Answers => words.push(part.part.answers.join(" or ")),
                Dimension::Segment(_) => {}
            }
        }
        if part.part.segment.is_empty() {
            words.push("everybody".to_owned());
        }
        words.extend(part.part.segment.clone());
        words.join(", ")
    }
}

fn listed(among: &[&Measured<'_>], one: &Measured<'_>) -> bool {
    among.iter().any(|known| std::ptr::eq(*known, one))
}

/// Whether labels say everybody.
pub(super) fn everybody(labels: &BTreeSet<String>) -> bool {
    labels.len() == 1 && labels.contains(TOTAL)
}
