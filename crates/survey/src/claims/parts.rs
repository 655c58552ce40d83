//! The figures behind a sentence, and what each is of.

use std::collections::{BTreeMap, BTreeSet};

use super::tokens::tokens;
use crate::expression::resolving::Asked;
use crate::expression::{Evaluated, Part};
use crate::figure::Measure;
use crate::project::Project;
use crate::study::{Question, Study};

/// In what figures can differ.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Dimension {
    Study,
    /// By the id of the question, in lower case.
    Segment(String),
    Answers,
    Question,
}

/// The key of everybody, in a segment's dimension.
pub(super) const TOTAL: &str = "";

/// One figure of an expression, as sentences speak of it.
pub(super) struct Measured<'a> {
    pub(super) asked: &'a Asked,
    pub(super) part: &'a Part,
    pub(super) study: &'a Study,
    pub(super) question: &'a Question,
    /// What it is of. Labels are in the form of [`key`].
    pub(super) of: BTreeMap<Dimension, BTreeSet<String>>,
}

/// Returns a label in the form in which labels are compared.
pub(super) fn key(label: &str) -> String {
    let stems: Vec<String> = tokens(label).into_iter().map(|token| token.stem).collect();
    stems.join(" ")
}

/// All figures, in order.
pub(super) fn measured<'a>(
    project: &'a Project,
    figures: &'a [(Vec<Asked>, Evaluated)],
) -> Vec<Measured<'a>> {
    let mut all: Vec<Measured<'a>> = Vec::new();
    for (asked, evaluated) in figures {
        for (asked, part) in asked.iter().zip(&evaluated.parts) {
            let Some(study) = project.studies.get(asked.spec.study) else { continue };
            let Some(question) = study.questions.get(asked.spec.question) else { continue };
            let mut of = BTreeMap::new();
            of.insert(Dimension::Study, BTreeSet::from([study.id.clone()]));
            of.insert(Dimension::Question, BTreeSet::from([question.id.to_lowercase()]));
            if let Measure::Share(places) = &asked.spec.measure {
                let answers = places.iter().filter_map(|place| question.answers.get(*place));
                of.insert(Dimension::Answers, answers.map(|one| key(&one.label)).collect());
            }
            for condition in &asked.spec.segment {
                let Some(by) = study.questions.get(condition.question) else { continue };
                let answers = condition.answers.iter().filter_map(|place| by.answers.get(*place));
                let labels: BTreeSet<String> = answers.map(|one| key(&one.label)).collect();
                of.entry(Dimension::Segment(by.id.to_lowercase())).or_default().extend(labels);
            }
            all.push(Measured { asked, part, study, question, of });
        }
    }
    let segments: BTreeSet<Dimension> = all
        .iter()
        .flat_map(|one| one.of.keys())
        .filter(|dimension| matches!(dimension, Dimension::Segment(_)))
        .cloned()
        .collect();
    for one in &mut all {
        for dimension in &segments {
            let everybody = || BTreeSet::from([TOTAL.to_owned()]);
            one.of.entry(dimension.clone()).or_insert_with(everybody);
        }
    }
    all
}

/// Those in which some of the figures differ.
pub(super) fn varying(parts: &[Measured<'_>]) -> Vec<Dimension> {
    let mut found: BTreeMap<&Dimension, BTreeSet<&BTreeSet<String>>> = BTreeMap::new();
    for (dimension, labels) in parts.iter().flat_map(|part| &part.of) {
        found.entry(dimension).or_default().insert(labels);
    }
    found
        .into_iter()
        .filter(|(_, labels)| labels.len() > 1)
        .map(|(dimension, _)| dimension.clone())
        .collect()
}

impl Measured<'_> {
    /// Tells whether it is of any of these labels; where it says nothing of that, it is.
    pub(super) fn is_of(&self, dimension: &Dimension, labels: &BTreeSet<String>) -> bool {
        self.of.get(dimension).is_none_or(|own| !own.is_disjoint(labels))
    }
}
