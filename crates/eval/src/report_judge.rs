//! The judge of reports: it draws up the criteria of a task before it sees any report, and then scores two reports beside each other.
//!
//! The idea is that of RACE in DeepResearch Bench (Du et al., "DeepResearch Bench: A comprehensive benchmark for deep research agents",
//! 2025, arXiv:2506.11763): criteria and weights that follow the task, within dimensions that are always the same, and a score that
//! is relative to a reference report.
//!
//! ```text
//! question ─► criteria with weights      criteria + two reports, in both orders ─► a score for each criterion ─► target / (target + reference)
//! ```
//!
//! Models give scores; weights are made to add up and scores are put together here. As with [`crate::judge`], everything is a run with
//! a log of its own, and a judge never learns which arm a report comes from.

mod criteria;
mod judgement;
mod scores;

#[cfg(test)]
mod tests;

use serde::{Deserialize, Serialize};
use serde_json::json;

use run::{Agent, Call, Deliverable, Method, Outcome, Result, Run, Stop};

use crate::judge::fields;

pub use criteria::{Criteria, Criterion, Dimension, Weighed};
pub use judgement::{Pair, gathered, pairs};
pub use scores::{Compared, Mark, Marks, OVERALL, Scored, relative};

/// The name of the method. Nobody orders it: an evaluation does.
pub const NAME: &str = "report_judge";

/// Who draws up the criteria of a task.
pub const CRITERIA: Agent = Agent {
    name: "report_criteria",
    prompt: "eval/report_criteria",
    text: include_str!("../prompts/report_criteria.md"),
};

/// Who scores two reports by them.
pub const JUDGE: Agent = Agent {
    name: "report_judge",
    prompt: "eval/report_judge",
    text: include_str!("../prompts/report_judge.md"),
};

/// Characters of a report that a judge is shown, at most.
pub const REPORT_CHARS: usize = 60_000;

/// Returns the method.
pub fn method() -> Method {
    Method::new(NAME, 1, |run| Box::pin(perform(run)))
}

/// What a judgement is started with; the question is the run's.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Options {
    /// The criteria of a task are to be drawn up.
    Criteria {
        /// What to look for in this question; may be empty.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        rubric: String,
    },
    /// Two reports are to be scored.
    Pair {
        /// From 1: the judgements of two rounds are two runs.
        round: u32,
        criteria: Criteria,
        first: Shown,
        second: Shown,
    },
}

/// A report as a judge is shown it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Shown {
    /// Without citation marks.
    pub text: String,
    /// Whether the report goes on where the text ends.
    #[serde(default)]
    pub is_cut: bool,
}

async fn perform(run: &Run) -> Result<Deliverable> {
    let fields = match run.options()? {
        Options::Criteria { rubric } => {
            let criteria = draw_up(run, rubric.trim()).await?;
            fields([("answer", json!(criteria.told())), ("criteria", json!(criteria))])
        }
        Options::Pair { round, criteria, first, second } => {
            let compared = score(run, round, &criteria, [&first, &second]).await?;
            fields([("answer", json!(compared.told())), ("compared", json!(compared))])
        }
    };
    Ok(Deliverable { outcome: Outcome::Answered, fields, ledger: vec![] })
}

/// Has the criteria of the task drawn up by somebody who sees no report.
async fn draw_up(run: &Run, rubric: &str) -> Result<Criteria> {
    let mut call = run.agent(&CRITERIA).showing("Question", run.question());
    if !rubric.is_empty() {
        call = call.given("What to look for in this question", rubric);
    }
    let criteria: Criteria = call.as_synthesis().reply().await?;
    Ok(criteria.normalised())
}

/// Has both reports scored by every criterion; what a reply leaves out is asked for once more.
async fn score(
    run: &Run,
    round: u32,
    criteria: &Criteria,
    [first, second]: [&Shown; 2],
) -> Result<Compared> {
    let mut left_out = String::new();
    for _ in 0..2 {
        let mut call = run
            .agent(&JUDGE)
            .given("Round", round.to_string())
            .showing("Question", run.question())
            .showing("The criteria", criteria.listed(round));
        call = shown(call, "The first report", first);
        call = shown(call, "The second report", second);
        if !left_out.is_empty() {
            call = call.given("What your earlier reply left out", &left_out);
        }
        let marks: Marks = call.as_synthesis().reply().await?;
        match Compared::of(criteria, &marks) {
            Ok(compared) => return Ok(compared),
            Err(what) => left_out = what,
        }
    }
    Err(Stop::Stage { stage: JUDGE.name.to_owned(), message: left_out, retry_attempted: true })
}

/// Puts a report before the judge: whatever it says, it is data.
fn shown<'a>(call: Call<'a>, name: &str, report: &Shown) -> Call<'a> {
    let call = call.showing(name, &report.text);
    if !report.is_cut {
        return call;
    }
    let says = format!(
        "The report is longer than what is shown of it: these are its first {REPORT_CHARS} characters."
    );
    call.given(&format!("{name}: where it was cut"), says)
}
