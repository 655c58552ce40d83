//! What an evaluation may cost, estimated before it begins.

use std::collections::BTreeMap;

use eval::judge::Subject;
use eval::runner::{Caps, Evaluated, Evaluation, Fault, Runs, evaluate};
use run::budget::{Budget, Spend, dollars};
use serde_json::{Value, json};

use super::judges::{Judge, ReportJudge};
use super::plan::Plan;
use crate::cli::Format;
use crate::output;

/// What is still to be asked, and what that may cost.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Estimate {
    /// Answers that no earlier run holds.
    pub(super) answers: u64,
    /// Judgements that no earlier run holds; all those of a case that still lacks an answer.
    pub(super) judgements: u64,
    pub(super) expected: Spend,
    /// What it costs at most, limited by the calls and the caps of every run, and by the caps of the evaluation.
    pub(super) most: Spend,
    pub(super) priced: bool,
}

/// Finds the runs that exist already, and adds up what the others cost. Starts none.
pub(super) async fn estimate(
    evaluation: &Evaluation,
    plan: &Plan,
    runs: &dyn Runs,
    priced: bool,
) -> Result<Estimate, Fault> {
    let nothing = Caps { max_tokens: Some(0), max_cost_usd_micros: Some(0) };
    let looked =
        evaluate(&Evaluation { caps: nothing, ..evaluation.clone() }, runs, &|_| ()).await?;
    Ok(added_up(&looked, evaluation, plan, priced))
}

fn added_up(looked: &Evaluated, evaluation: &Evaluation, plan: &Plan, priced: bool) -> Estimate {
    let Plan { arms, judge, report_judge, .. } = plan;
    let mut not_run: BTreeMap<&str, u64> = BTreeMap::new();
    let mut incomplete: BTreeMap<&str, u64> = BTreeMap::new();
    for one in looked.observations.iter().filter(|one| one.is_not_run()) {
        *not_run.entry(&one.arm).or_default() += 1;
        *incomplete.entry(&one.case).or_default() += 1;
    }
    let (mut expected, mut most) = (Spend::default(), Spend::default());
    for made in arms {
        let number = not_run.get(made.arm.name.as_str()).copied().unwrap_or_default();
        expected = expected + times(made.expected, number);
        most = most + times(within(made.worst_case, made.arm.settings.budget), number);
    }
    let cases = incomplete.len() as u64;
    let all = (arms.len() + evaluation.foreign.len()) as u64;
    let pairs = 2 * all.saturating_sub(1);
    // If all answers of a case are there, it is known which of its judgements are missing.
    let missing = |is_wanted: fn(&Subject) -> bool| {
        let known = looked.judgements.iter();
        let known = known.filter(|one| !incomplete.contains_key(one.case.as_str()));
        known.filter(|one| one.run.is_empty() && is_wanted(&one.subject)).count() as u64
    };
    let mut judgements = 0;
    let mut add = |number: u64, usual: Spend, worst_case: Spend, budget: Budget| {
        judgements += number;
        expected = expected + times(usual, number);
        most = most + times(within(worst_case, budget), number);
    };
    if let Some(Judge { judging, worst_case, .. }) = judge {
        let of_a_case = u64::from(judging.rounds) * (all + pairs);
        let number = of_a_case * cases + missing(|subject| !subject.is_of_reports());
        add(number, judging.needs, *worst_case, judging.settings.budget);
    }
    if let Some(of_reports) = report_judge {
        let Judge { judging, worst_case, .. } = &of_reports.judge;
        let budget = judging.settings.budget;
        let of_a_case = u64::from(judging.rounds) * pairs;
        let number =
            of_a_case * cases + missing(|subject| matches!(subject, Subject::Reports { .. }));
        add(number, judging.needs, *worst_case, budget);
        let criteria = u64::from(pairs > 0) * cases + missing(|one| *one == Subject::Criteria);
        let ReportJudge { criteria_expected, criteria_worst_case, .. } = of_reports;
        add(criteria, *criteria_expected, *criteria_worst_case, budget);
    }
    let Caps { max_tokens, max_cost_usd_micros } = evaluation.caps;
    let caps = Budget { max_tokens, max_cost_usd_micros, ..Budget::default() };
    let answers = not_run.values().sum();
    let most = within(most, caps);
    let expected = within(expected, caps);
    Estimate { answers, judgements, expected, most, priced }
}

fn times(spend: Spend, number: u64) -> Spend {
    Spend {
        tokens: spend.tokens.saturating_mul(number),
        cost_usd_micros: spend.cost_usd_micros.saturating_mul(number),
    }
}

fn within(spend: Spend, budget: Budget) -> Spend {
    let least = |spend: u64, cap: Option<u64>| cap.map_or(spend, |cap| spend.min(cap));
    Spend {
        tokens: least(spend.tokens, budget.max_tokens),
        cost_usd_micros: least(spend.cost_usd_micros, budget.max_cost_usd_micros),
    }
}

impl Estimate {
    pub(super) fn is_nothing(&self) -> bool {
        self.answers == 0 && self.judgements == 0
    }

    fn cost(&self, spend: Spend) -> String {
        let usd = dollars(spend.cost_usd_micros);
        if self.priced { format!("${usd:.4}") } else { "no price known".into() }
    }

    /// Returns the estimate as one line.
    pub(super) fn line(&self) -> String {
        let Estimate { answers, judgements, expected, most, .. } = *self;
        format!(
            "{answers} answers and {judgements} judgements: about {} tokens, {}; at most {} tokens, {}",
            expected.tokens,
            self.cost(expected),
            most.tokens,
            self.cost(most)
        )
    }

    /// Returns the estimate as it is printed instead of a report.
    pub(super) fn printed(&self, format: Format) -> String {
        if format != Format::Json {
            return format!("{}\n", self.line());
        }
        let spend = |spend: Spend| -> Value {
            let usd = self.priced.then(|| dollars(spend.cost_usd_micros));
            json!({ "tokens": spend.tokens, "cost_usd": usd })
        };
        let page = json!({
            "answers": self.answers,
            "judgements": self.judgements,
            "expected": spend(self.expected),
            "worst_case": spend(self.most),
        });
        format!("{}\n", output::json(&page))
    }
}
