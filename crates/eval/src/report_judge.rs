//! The judge of reports: it draws up the criteria of a task before it sees any report, and then scores two reports side by side.
//!
//! It follows RACE in DeepResearch Bench (Du et al., "DeepResearch Bench: A comprehensive benchmark for deep research agents", 2025,
//! arXiv:2506.11763): criteria and weights adapt to the task within fixed dimensions, and a score is relative to a reference report.
//!
//! ```text
//! question ─► criteria with weights      criteria + two reports, in both orders ─► a score for each criterion ─► target / (target + reference)
//! ```
//!
//! Models give scores; weights are normalised and scores are combined here. As with [`crate::judge`], everything is a run with its own log,
//! and a judge never learns which arm a report comes from.

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

/// The name of the method. Only evaluations order it, not users.
pub const NAME: &str = "report_judge";

/// The agent that draws up the criteria of a task.
pub const CRITERIA: Agent = Agent {
    name: "report_criteria",
    prompt: "eval/report_criteria",
    text: include_str!("../prompts/report_criteria.md"),
};

/// The agent that scores two reports by them.
pub const JUDGE: Agent = Agent {
    name: "report_judge",
    prompt: "eval/report_judge",
    text: include_str!("../prompts/report_judge.md"),
};

/// The most characters of a report that a judge is shown.
pub const REPORT_CHARS: usize = 60_000;

/// Returns the method.
pub fn method() -> Method {
    Method::new(NAME, 1, |run| Box::pin(perform(run)))
}

/// The options of a judgement; the question is the run's.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Options {
    /// Draw up the criteria of a task.
    Criteria {
        /// What to look for in this question; may be empty.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        rubric: String,
    },
    /// Score two reports.
    Pair {
        /// Counted from 1: the judgements of two rounds are two runs.
        round: u32,
        criteria: Criteria,
        first: Shown,
        second: Shown,
    },
}

/// A report as shown to a judge.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Shown {
    /// Without citation marks.
    pub text: String,
    /// Whether the text was truncated.
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

/// Has a model draw up the criteria of the task without seeing any report.
async fn draw_up(run: &Run, rubric: &str) -> Result<Criteria> {
    let mut call = run.agent(&CRITERIA).showing("Question", run.question());
    if !rubric.is_empty() {
        call = call.given("What to look for in this question", rubric);
    }
    let criteria: Criteria = call.as_synthesis().reply().await?;
    Ok(criteria.normalised())
}

/// Has both reports scored by every criterion; asks once more if a reply omits some.
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

/// Shows a report to the judge as untrusted data.
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
