//! What a person at the terminal sees while an evaluation is in progress.

use std::sync::atomic::{AtomicUsize, Ordering};

use eval::judge::{Criterion, Judgement, Place, Said, Subject};
use eval::observation::Observation;
use eval::runner::{Evaluation, Told};
use run::budget::dollars;
use run::grounding::clean;

use super::super::CliContext;

/// Writes a line for every answer and every judgement.
pub(super) struct Progress<'a> {
    context: &'a CliContext<'a>,
    answers: usize,
    answered: AtomicUsize,
}

impl<'a> Progress<'a> {
    pub(super) fn new(context: &'a CliContext<'a>, evaluation: &Evaluation) -> Progress<'a> {
        let arms = evaluation.arms.len() + evaluation.foreign.len();
        let answers = evaluation.cases.len() * arms;
        Progress { context, answers, answered: AtomicUsize::new(0) }
    }

    pub(super) fn hear(&self, told: Told<'_>) {
        let line = match told {
            Told::Answered(observation) => {
                let number = self.answered.fetch_add(1, Ordering::Relaxed) + 1;
                format!("{number}/{} {}", self.answers, answered(observation))
            }
            Told::Judged(judgement) => format!("  judge: {}", judged(judgement)),
        };
        self.context.note(&clean(&line));
    }
}

fn answered(observation: &Observation) -> String {
    let Observation { case, arm, cached, answered, error, cost_usd_micros, .. } = observation;
    let came = match (error, answered) {
        (Some(error), _) if observation.run.is_empty() => format!("not run: {error}"),
        (Some(error), _) => format!("no result: {error}"),
        (None, None) if observation.foreign => "no report".to_owned(),
        (None, Some(true)) => "answered".to_owned(),
        (None, _) => "not enough evidence".to_owned(),
    };
    let known = if *cached { ", known from before" } else { "" };
    let cost = match cost_usd_micros {
        0 => String::new(),
        micros => format!(", ${:.4}", dollars(*micros)),
    };
    format!("{case} {arm}: {came}{cost}{known}")
}

fn judged(judgement: &Judgement) -> String {
    let Judgement { case, round, subject, said, error, .. } = judgement;
    let what = match subject {
        Subject::Answer { arm } => arm.clone(),
        Subject::Pair { arm, against, arm_first: true } => format!("{arm} and {against}"),
        Subject::Pair { arm, against, arm_first: false } => format!("{against} and {arm}"),
        Subject::Criteria => "criteria of reports".to_owned(),
        Subject::Reports { arm, against, arm_first: true } => {
            format!("reports of {arm} and {against}")
        }
        Subject::Reports { arm, against, arm_first: false } => {
            format!("reports of {against} and {arm}")
        }
    };
    let came = match said {
        Some(Said::Scores(scores)) => {
            let scores = Criterion::ALL.map(|one| scores.of(one).to_string());
            scores.join(" ")
        }
        Some(Said::Choice(choice)) => match choice.preferred {
            Place::First => "the first".to_owned(),
            Place::Second => "the second".to_owned(),
            Place::Tie => "neither".to_owned(),
        },
        Some(Said::Criteria(criteria)) => criteria.told(),
        Some(Said::Compared(compared)) => compared.told(),
        None => format!("nothing: {}", error.as_deref().unwrap_or("no word")),
    };
    format!("{case}, round {round}, {what}: {came}")
}
