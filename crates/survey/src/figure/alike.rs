//! Whether two studies asked a question alike enough to compare their figures.

use super::{Measure, Spec};
use crate::expression::fold_name;
use crate::project::Project;
use crate::study::{Answer, Kind, Question};

/// Returns why two figures of one kind cannot be compared; `None` if they can.
///
/// Only figures of two studies are checked. Figures that rest on numbers need the same scale in both. Shares need the
/// same answers: those with the same score or, without scores, those with the same label, or with the same code if
/// neither label stands at another code of the other study.
pub(crate) fn unlike(project: &Project, one: &Spec, other: &Spec) -> Option<&'static str> {
    const SCALES: &str = "the two studies ask with different scales";
    if one.study == other.study {
        return None;
    }
    let first = project.question_at((one.study, one.question))?;
    let second = project.question_at((other.study, other.question))?;
    match (&one.measure, &other.measure) {
        (Measure::Share(answers), Measure::Share(others)) => {
            let scales = first.kind == Kind::Scale && second.kind == Kind::Scale;
            if scales && !same_scale(first, second) {
                return Some(SCALES);
            }
            let is_same = all_found(first, answers, second, others)
                && all_found(second, others, first, answers);
            (!is_same).then_some("the two studies have other answers behind the shares")
        }
        (Measure::Mean | Measure::Median | Measure::Sd | Measure::Nps, _) => {
            (!same_scale(first, second)).then_some(SCALES)
        }
        _ => None,
    }
}

/// Returns whether two questions have the same scores with the same end as the top. Two numeric questions have none, and so do.
pub(crate) fn same_scale(one: &Question, other: &Question) -> bool {
    let scores = |question: &Question| {
        let mut scores: Vec<f64> =
            question.answers.iter().filter_map(|answer| answer.score).collect();
        scores.sort_by(f64::total_cmp);
        scores.dedup();
        scores
    };
    one.kind == other.kind
        && (one.kind != Kind::Scale || one.top == other.top)
        && scores(one) == scores(other)
}

/// Returns whether each of some answers is among those of the other question.
fn all_found(one: &Question, answers: &[usize], other: &Question, others: &[usize]) -> bool {
    let mut wanted = answers.iter().filter_map(|place| one.answers.get(*place));
    wanted.all(|answer| {
        let mut candidates = others.iter().filter_map(|place| other.answers.get(*place));
        candidates.any(|candidate| is_same(answer, one, candidate, other))
    })
}

fn is_same(answer: &Answer, of: &Question, other: &Answer, of_other: &Question) -> bool {
    if let (Some(score), Some(other_score)) = (answer.score, other.score) {
        return score == other_score;
    }
    let has = |question: &Question, label: &str| {
        question.answers.iter().any(|known| fold_name(&known.label) == fold_name(label))
    };
    fold_name(&answer.label) == fold_name(&other.label)
        || (answer.code.eq_ignore_ascii_case(&other.code)
            && !has(of_other, &answer.label)
            && !has(of, &other.label))
}
