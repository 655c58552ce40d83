//! Figures in words: what a figure came to, and how figures compare, each as one statement.
//!
//! A finding is data: figures evaluated from the answers, and how they compare. Its statement is built from that data
//! and from the questionnaire's own words, so it is false only if a statistic is.
//!
//! ```text
//! expression ─► Evaluated ─► Finding ─► statement, in English or German
//! ```

mod labels;
mod languages;
mod wording;

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub use labels::Label;
pub use languages::Language;

use crate::expression::{
    Call, Evaluated, Expression, Measured, Part, Picked, Segment, Unit, parse,
};
use crate::figure::Level;
use crate::project::Project;
use crate::study::{Kind as Asked, Question, Study};

/// What is told of some figures.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Finding {
    pub kind: Kind,
    /// In the order in which they are told.
    pub figures: Vec<Subject>,
    /// The last figure less the first in time, else the first less the second; none where there is nothing to compare.
    pub difference: Option<Difference>,
}

/// What kind of thing a finding says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// One figure: a share, a mean, a net promoter score, a base.
    Level,
    /// The answers to a question, the most common first.
    Rank,
    /// One figure of several segments or studies, the highest first.
    Order,
    /// One figure of several segments or studies of which no two differ significantly.
    Alike,
    /// One figure of two segments, or of two studies without an order.
    Compare,
    /// One figure of two studies, the earlier first.
    Change,
    /// One figure of three studies or more, the earliest first.
    Trend,
    /// Two figures that differ in more than whom or when they are of.
    Gap,
    /// The first figure over the second.
    Ratio,
    /// What a figure grew by from the first to the second, over the first.
    Growth,
}

/// A figure with whom and what it is of, in the questionnaire's words.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Subject {
    /// In its canonical form.
    pub expression: String,
    pub measure: Measured,
    /// The id of the study, and its title.
    pub study: String,
    pub study_title: String,
    /// The id of the question, and its words.
    pub question: String,
    pub wording: String,
    /// How many questions were asked in one table with it; 0 where it was asked alone.
    pub grid: usize,
    /// Whether respondents could give several answers.
    pub is_multi: bool,
    /// The labels of the answers of a share.
    pub answers: Vec<String>,
    /// What those answers are counted together as.
    pub together: Option<Together>,
    /// Whom it is of; none: everybody.
    pub segment: Vec<Segment>,
    pub value: f64,
    pub unit: Unit,
    /// The value as people read it, such as `61.9 %`.
    pub shown: String,
    /// Respondents.
    pub base: u64,
    pub level: Level,
    /// What it is of, each beside what it is not of.
    pub labels: Vec<Label>,
}

/// Answers that are counted together.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Together {
    /// Under the label of a net.
    Net(String),
    /// As the most favourable points of a scale.
    Top(usize),
    Bottom(usize),
}

/// How two figures differ.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Difference {
    pub value: f64,
    pub unit: Unit,
    /// The value as people read it.
    pub shown: String,
    /// None where nothing was tested.
    pub significant: Option<bool>,
}

impl Finding {
    /// Returns the finding of an evaluated expression.
    pub fn of(project: &Project, evaluated: &Evaluated) -> Finding {
        let figures: Vec<Subject> =
            evaluated.parts.iter().map(|part| Subject::of(project, part)).collect();
        let Some((first, second)) = figures.first().zip(figures.get(1)) else {
            return Finding { kind: Kind::Level, figures, difference: None };
        };
        let kind = match evaluated.unit {
            Unit::Ratio => Kind::Ratio,
            Unit::Growth => Kind::Growth,
            _ => Kind::of(project, first, second),
        };
        let comparison = evaluated.comparison.as_ref();
        let significant = comparison.and_then(|one| one.p.map(|_| one.significant));
        Finding::between(kind, figures, evaluated.value, evaluated.unit, significant)
    }

    /// Returns how two figures compare: `value` is the first minus the second, or divided by it. Of two studies, the
    /// later one comes first.
    pub fn between(
        kind: Kind,
        mut figures: Vec<Subject>,
        mut value: f64,
        unit: Unit,
        significant: Option<bool>,
    ) -> Finding {
        match kind {
            // The earlier comes first, and the difference is the later minus the earlier.
            Kind::Change | Kind::Growth => figures.reverse(),
            Kind::Compare if value < 0.0 => {
                figures.reverse();
                value = -value;
            }
            _ => {}
        }
        let shown = unit.shown(value);
        Finding { kind, figures, difference: Some(Difference { value, unit, shown, significant }) }
    }

    /// Returns a finding of the shares of the answers to one question, the most common first.
    pub fn rank(figures: Vec<Subject>) -> Finding {
        Finding { kind: Kind::Rank, figures: highest_first(figures), difference: None }
    }

    /// Returns a finding of one figure for several segments or studies, the highest first.
    pub fn order(figures: Vec<Subject>) -> Finding {
        Finding { kind: Kind::Order, figures: highest_first(figures), difference: None }
    }

    /// Returns the finding that no two of some figures differ significantly.
    pub fn alike(figures: Vec<Subject>) -> Finding {
        Finding { kind: Kind::Alike, figures, difference: None }
    }

    /// Returns a finding of one figure in several studies, the earliest first, with the last minus the first.
    pub fn trend(figures: Vec<Subject>, difference: Option<Difference>) -> Finding {
        Finding { kind: Kind::Trend, figures, difference }
    }

    /// Returns the finding as one statement.
    pub fn words(&self, language: Language) -> String {
        wording::of(self, language)
    }

    /// Returns what a reader must know of the figures besides their statement: what divides the respondents, and the
    /// titles of the studies, as in `Age, 2 groups: 18-34 | 35 and over; W2: Bus tracker, spring 2026`.
    pub fn heading(&self) -> String {
        let mut heads: Vec<String> = Vec::new();
        let mut push = |head: String| {
            if !heads.contains(&head) {
                heads.push(head);
            }
        };
        for figure in &self.figures {
            for one in &figure.segment {
                let (question, count, labels) = (&one.question, one.all.len(), one.all.join(" | "));
                push(format!("{question}, {count} groups: {labels}"));
            }
            if figure.grid > 1 {
                push(format!("{} questions in one table", figure.grid));
            }
        }
        let studies: BTreeSet<&str> = self.figures.iter().map(|one| one.study.as_str()).collect();
        if studies.len() > 1 {
            push(format!("{} studies", studies.len()));
        }
        for figure in self.figures.iter().filter(|one| one.study_title.trim() != one.study) {
            push(format!("{}: {}", figure.study, figure.study_title.trim()));
        }
        heads.join("; ")
    }
}

fn highest_first(mut figures: Vec<Subject>) -> Vec<Subject> {
    figures.sort_by(|one, other| other.value.total_cmp(&one.value));
    figures
}

impl Kind {
    /// Returns the kind of finding that a difference between two figures is.
    pub fn of(project: &Project, first: &Subject, second: &Subject) -> Kind {
        let is_of_one = (first.measure, &first.answers) == (second.measure, &second.answers);
        let is_of_study = first.study == second.study;
        let is_of_question = first.question == second.question;
        match (is_of_one, is_of_study, first.segment == second.segment) {
            (true, true, false) if is_of_question => Kind::Compare,
            // Which questions of two studies are the same was settled before they were compared.
            (true, false, true) => {
                let at = |one: &Subject| project.study(&one.study);
                let is_later = at(second) < at(first);
                if project.is_ordered && is_later { Kind::Change } else { Kind::Compare }
            }
            _ => Kind::Gap,
        }
    }
}

impl Subject {
    /// Returns a figure of an expression with the words of its study.
    pub fn of(project: &Project, part: &Part) -> Subject {
        let study = project.study(&part.study).and_then(|at| project.studies.get(at));
        let question = study.and_then(|study| study.questions.get(study.question(&part.question)?));
        let call = match parse(&part.expression) {
            Ok(Expression::Figure(call)) => Some(call),
            _ => None,
        };
        let mut subject = Subject {
            expression: part.expression.clone(),
            measure: call.as_ref().map_or(Measured::Share, |call| call.measure),
            study: part.study.clone(),
            study_title: study.map_or_else(String::new, |study| study.title.clone()),
            question: part.question.clone(),
            wording: question.map_or_else(|| part.question.clone(), |asked| asked.words()),
            grid: study.zip(question).map_or(0, |(study, question)| beside(study, question)),
            is_multi: question.is_some_and(|asked| asked.kind == Asked::Multi),
            answers: part.answers.clone(),
            together: call.as_ref().and_then(|call| together(call, &part.answers)),
            segment: part.segment.clone(),
            value: part.figure.value,
            unit: part.unit,
            shown: part.text.clone(),
            base: part.figure.base.unweighted,
            level: part.figure.level,
            labels: vec![],
        };
        subject.labels = labels::of(project, &subject, study.zip(question));
        subject
    }
}

/// Returns how many questions are in the grid of a question.
fn beside(study: &Study, question: &Question) -> usize {
    let grid = |one: &Question| one.grid.as_ref().map(|grid| grid.id.clone());
    let own = grid(question);
    study.questions.iter().filter(|one| own.is_some() && grid(one) == own).count()
}

/// Returns what the answers of a share are counted together as, if they are.
fn together(call: &Call, answers: &[String]) -> Option<Together> {
    match call.answers.as_slice() {
        [Picked::Named(net)] if answers.len() > 1 => Some(Together::Net(net.clone())),
        [Picked::Box { top: true, points }] => Some(Together::Top(*points)),
        [Picked::Box { top: false, points }] => Some(Together::Bottom(*points)),
        _ => None,
    }
}
