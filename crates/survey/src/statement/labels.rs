//! What a figure is of, and what else it might have been: a program checks a sentence about the figure against this.

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Subject, Together};
use crate::expression::fold_name;
use crate::project::Project;
use crate::study::{Kind, Question, Study};

/// What a figure is of in one respect, such as its segment of an age, by the labels of the questionnaire.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Label {
    /// What it may be called.
    pub names: Vec<String>,
    /// The labels that it is made of, where it is several together: none of them alone is it.
    pub parts: Vec<String>,
    /// What the others are called.
    pub others: Vec<String>,
    /// Words that mean it only beside the others, such as `now` and `a year ago`.
    pub in_time: Vec<String>,
}

/// Other words for the two genders that every codebook labels.
const GENDERS: [&[&str]; 2] = [
    &["Female", "Women", "Woman", "Frauen", "Weiblich"],
    &["Male", "Men", "Man", "Männer", "Männlich"],
];

/// Words for the later of two studies, as opposed to the earlier.
const NOW: &[&str] = &[
    "now",
    "today",
    "currently",
    "at present",
    "these days",
    "jetzt",
    "heute",
    "aktuell",
    "mittlerweile",
    "inzwischen",
    "maintenant",
    "aujourd'hui",
    "désormais",
    "ahora",
    "hoy",
    "actualmente",
    "ora",
    "oggi",
    "adesso",
    "agora",
    "hoje",
    "nu",
    "tegenwoordig",
    "idag",
];

/// Words for the earlier of two studies, as opposed to the later.
const THEN: &[&str] = &[
    "a year ago",
    "one year ago",
    "a year earlier",
    "one year earlier",
    "the year before",
    "last year",
    "previously",
    "vor einem jahr",
    "ein jahr zuvor",
    "im vorjahr",
    "letztes jahr",
    "im letzten jahr",
    "voriges jahr",
    "früher",
    "zuvor",
    "il y a un an",
    "l'année dernière",
    "l'an dernier",
    "un an plus tôt",
    "auparavant",
    "hace un año",
    "el año pasado",
    "antes",
    "un anno fa",
    "l'anno scorso",
    "prima",
    "há um ano",
    "no ano passado",
    "een jaar geleden",
    "vorig jaar",
    "för ett år sedan",
    "förra året",
    "i fjol",
];

/// Returns the labels of a figure: of its study, its answers, its segments, and its row of a grid.
pub(super) fn of(
    project: &Project,
    subject: &Subject,
    at: Option<(&Study, &Question)>,
) -> Vec<Label> {
    let mut labels = vec![study(project, &subject.study)];
    for segment in &subject.segment {
        let others = called(segment.all.iter().filter(|label| !segment.answers.contains(label)));
        labels.push(match segment.answers.as_slice() {
            [_] => Label { names: called(&segment.answers), others, ..Label::default() },
            answers => Label { parts: answers.into(), others, ..Label::default() },
        });
    }
    if let Some((study, question)) = at {
        labels.push(answers(subject, question));
        labels.push(row(study, question));
    }
    labels.retain(|label| {
        let is_called = !label.names.is_empty() || !label.parts.is_empty();
        is_called && (!label.others.is_empty() || label.parts.len() > 1)
    });
    labels
}

/// Returns labels with the other words for them.
fn called<'a>(labels: impl IntoIterator<Item = &'a String>) -> Vec<String> {
    let mut called = Vec::new();
    for label in labels {
        called.push(label.clone());
        let gender = GENDERS.iter().find(|words| words.iter().any(|word| word == label));
        let words = gender.into_iter().flat_map(|words| words.iter());
        called.extend(words.filter(|word| *word != label).map(|word| (*word).to_owned()));
        called.extend(bound(label));
    }
    called
}

/// Returns the one number of a label that is open at one end, such as *55 and over*: it identifies the label in any language.
fn bound(label: &str) -> Option<String> {
    let mut numbers = label.split(|c: char| !c.is_ascii_digit()).filter(|digits| digits.len() > 1);
    let bound = numbers.next().filter(|_| numbers.next().is_none())?;
    label.contains(char::is_alphabetic).then(|| bound.to_owned())
}

/// Returns the label of a study. Studies are told apart by their ids, and by words that only one title has.
fn study(project: &Project, id: &str) -> Label {
    let words = |study: &Study| -> BTreeSet<String> {
        let title = fold_name(&study.title);
        let words = title.split(|c: char| !c.is_alphanumeric());
        words.filter(|word| !word.is_empty()).map(str::to_owned).collect()
    };
    let names = |one: &Study| {
        let others = project.studies.iter().filter(|other| other.id != one.id);
        let known: BTreeSet<String> = others.flat_map(words).collect();
        let own = words(one).into_iter().filter(|word| !known.contains(word));
        std::iter::once(one.id.clone()).chain(own).collect::<Vec<String>>()
    };
    let (own, others): (Vec<&Study>, Vec<&Study>) =
        project.studies.iter().partition(|study| study.id == id);
    // Of three, it is unclear which is meant.
    let in_time = match project.studies.as_slice() {
        [earlier, _] => {
            if earlier.id == id {
                THEN
            } else {
                NOW
            }
        }
        _ => &[],
    };
    Label {
        names: own.into_iter().flat_map(names).collect(),
        parts: vec![],
        others: others.into_iter().flat_map(names).collect(),
        in_time: in_time.iter().map(|words| (*words).to_owned()).collect(),
    }
}

/// Returns the label of a share's answers. On a scale, `others` are words that only the other answers have: such a word
/// often names the other end.
fn answers(subject: &Subject, question: &Question) -> Label {
    if subject.answers.is_empty() {
        return Label::default();
    }
    // "At least several times a week" covers "several times a week" and "daily"; the answers of a scale's box stay separate parts.
    let is_boxed = subject.answers.len() > 1 && question.kind == Kind::Scale;
    let mut names = if is_boxed { vec![] } else { subject.answers.clone() };
    let parts = if is_boxed { subject.answers.clone() } else { vec![] };
    if let Some(Together::Net(net)) = &subject.together {
        names.push(net.clone());
    }
    let others = question.answers.iter().map(|answer| &answer.label);
    let others: Vec<&String> = others.filter(|label| !subject.answers.contains(label)).collect();
    if question.kind != Kind::Scale {
        let others = others.into_iter().cloned().collect();
        return Label { names, parts, others, ..Label::default() };
    }
    let words = |label: &String| -> Vec<String> {
        let label = fold_name(label);
        label.split(|c: char| !c.is_alphabetic()).map(str::to_owned).collect()
    };
    let known: BTreeSet<String> =
        subject.answers.iter().flat_map(words).chain(words(&subject.wording)).collect();
    let foreign: BTreeSet<String> = others.into_iter().flat_map(words).collect();
    let others = foreign.difference(&known).cloned().collect();
    Label { names, parts, others, ..Label::default() }
}

fn row(study: &Study, question: &Question) -> Label {
    let Some(grid) = &question.grid else { return Label::default() };
    let is_beside = |one: &&Question| one.grid.as_ref().is_some_and(|other| other.id == grid.id);
    let (own, others): (Vec<&Question>, Vec<&Question>) =
        study.questions.iter().filter(is_beside).partition(|one| one.id == question.id);
    let texts = |all: Vec<&Question>| all.into_iter().map(|one| one.text.clone()).collect();
    Label { names: texts(own), others: texts(others), ..Label::default() }
}
