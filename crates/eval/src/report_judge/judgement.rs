//! The judgements that a case's reports need, and their results.

use std::collections::BTreeSet;

use super::{CRITERIA, JUDGE, REPORT_CHARS, Shown};
use crate::judge::{Judgement, Said, Subject, text_of};
use crate::observation::Observation;
use crate::report::{self, JudgedReports, SideBySide};

/// Two reports to score side by side.
#[derive(Debug, Clone, PartialEq)]
pub struct Pair<'a> {
    pub round: u32,
    pub subject: Subject,
    pub first: &'a Shown,
    pub second: &'a Shown,
}

/// Returns the pairs of a case: each arm's report with the control's, in both orders and in every round.
pub fn pairs<'a>(reports: &'a [(String, Shown)], control: &str, rounds: u32) -> Vec<Pair<'a>> {
    let Some((_, other)) = reports.iter().find(|(arm, _)| arm == control) else { return vec![] };
    let mut pairs = Vec::new();
    for round in 1..=rounds {
        for (arm, shown) in reports.iter().filter(|(arm, _)| arm != control) {
            for arm_first in [true, false] {
                let (first, second) = if arm_first { (shown, other) } else { (other, shown) };
                let (arm, against) = (arm.clone(), control.to_owned());
                let subject = Subject::Reports { arm, against, arm_first };
                pairs.push(Pair { round, subject, first, second });
            }
        }
    }
    pairs
}

impl Shown {
    /// Returns a report as a judge sees it: without marks, and truncated if too long.
    pub fn of(observation: &Observation) -> Shown {
        let text = text_of(observation);
        let mut chars = text.chars();
        let text = chars.by_ref().take(REPORT_CHARS).collect();
        Shown { text, is_cut: chars.next().is_some() }
    }
}

/// Gathers the judgements of reports in an evaluation. A run that serves several judgements, such as those of two equal reports, is counted
/// once.
pub fn gathered(
    judgements: &[Judgement],
    model: &str,
    [criteria_version, rubric_version]: [u32; 2],
    rounds: u32,
) -> JudgedReports {
    let mut judged = JudgedReports {
        model: model.to_owned(),
        criteria: CRITERIA.prompt.to_owned(),
        criteria_version,
        rubric: JUDGE.prompt.to_owned(),
        rubric_version,
        rounds,
        ..JudgedReports::default()
    };
    let mut counted = BTreeSet::new();
    for judgement in judgements.iter().filter(|one| one.subject.is_of_reports()) {
        let Judgement { case, run, round, subject, said, cost_usd_micros, calls, .. } = judgement;
        if !run.is_empty() && counted.insert(run) {
            judged.cost_usd_micros += cost_usd_micros;
            judged.calls += calls;
        }
        let (Subject::Reports { arm, against, arm_first }, Some(Said::Compared(compared))) =
            (subject, said)
        else {
            continue;
        };
        let scores = compared.scores.iter().map(|one| {
            let (own, other) =
                if *arm_first { (one.first, one.second) } else { (one.second, one.first) };
            report::CriterionScore {
                criterion: one.criterion.clone(),
                dimension: one.dimension.name().to_owned(),
                weight: one.weight,
                reason: one.reason.clone(),
                arm: own,
                against: other,
            }
        });
        judged.pairs.push(SideBySide {
            case: case.clone(),
            arm: arm.clone(),
            against: against.clone(),
            round: *round,
            arm_first: *arm_first,
            relative: compared.relative(*arm_first),
            scores: scores.collect(),
            run: run.clone(),
        });
    }
    judged
}
