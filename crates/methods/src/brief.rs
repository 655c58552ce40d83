//! An executive summary of survey data: WHAT was found, WHY it differs, HOW to act; every figure computed and worded by the program.
//!
//! Two phases. A worker analyses the data with tools and a critic steers it, layer by layer, no layer skipped; what was found goes into a
//! bank that only grows. Then a synthesizer drafts and a critic judges, until a draft is good enough. The tools return statements with
//! addresses, and findings and sentences cite them: what a statement does not bear out goes back once, and never reaches the summary as
//! fact. An approval does not change that.
//!
//! # How it is made
//!
//! `methods::brief` reads as its process: `explore::explored`, then `refine::refined`. The state (`state.rs`) is what the
//! documents name; a finding gets into the bank only through `banked`, which pushes. Beside the method, one concern each:
//!
//! - `data.rs`: the files come through the port `run::files`, by digest, and are read when the first step needs them, on
//!   a thread of their own. Everything that is worked out from them is the value of a step (`studies`,
//!   `perform_analysis`), so a replay needs no data.
//! - `tools.rs`, `statements.rs`: the worker's tools, and what they bring: each statement is evidence of type `survey`,
//!   cited as `[F3]` (`Place::figure` in `run::material`), with its figures in the metadata of its passage. From there
//!   they reach the hard checks as `Ground::figures`: `grounding::check::labels` refuses another label than a cited
//!   figure has, one of several answers that are counted together, a number beside the label of another figure, and a
//!   unit that nobody named; what is worked out may use the figures' values and nothing else of their statements.
//! - `judging.rs`: a sentence of the worker or the synthesizer becomes one of the docket that all methods use
//!   (`grounded::docket`): what it names by `F3` it cites, what it names by `C2` it rests on. A judgement is marked by
//!   its writer and states no number.
//! - `explore.rs`: no layer is left out: a critic that skips one, ends before all were looked at, or would use up the
//!   rounds that the others need is corrected, and the audit trail says so. What does not hold goes back to the worker
//!   once; what then fails has its statement in its place.
//! - `refine.rs`: overview and key findings are facts, the other parts follow from what they name. An approval stands
//!   only with a score that is high enough and nothing that does not hold; what fails in the last draft is cut.
//! - `offline.rs`: the battery without a model. Differences and trends are told only where they stand after Holm's
//!   correction over all of their round; a finding is a statement, word for word. Nothing is proposed, and no critic is
//!   played.

mod catalogue;
mod contract;
mod costs;
mod data;
mod ending;
mod explore;
mod judging;
mod offline;
pub mod options;
pub mod payload;
mod refine;
mod replies;
pub(crate) mod report;
mod stages;
mod state;
mod statements;
mod tools;

use run::{Deliverable, Result, Run, Stop};

use catalogue::Catalogue;
use data::Data;
use payload::ExploreEnd;
use state::PipelineState;

use crate::grounded::READER;

pub use contract::schema;
pub use costs::calls;
pub use options::{Options, Rules, Way};
pub use stages::stages;
pub use statements::passage;

pub(crate) async fn perform(run: &Run) -> Result<Deliverable> {
    let options: Options = run.options()?;
    brief(run, run.question(), &options).await
}

/// Summarises surveys. What was found before somebody stopped it is the run's partial result.
pub async fn brief(run: &Run, question: &str, options: &Options) -> Result<Deliverable> {
    let data = Data::of(run.files(), &options.files, options.rules.figures);
    let catalogue = run.step("studies", &options.files, || data.work(Catalogue::of)).await?;
    let mut state = PipelineState::of(question, options, catalogue);
    state.keep(run)?;
    match options.way {
        Way::Pipeline => executive_summary(run, &mut state, &data).await?,
        Way::Simple => {
            let last = explore::taken_in_turns(run, &mut state, &data).await?;
            refine::reported(run, &mut state, &last).await?;
        }
    }
    state.delivered(run)
}

async fn executive_summary(run: &Run, state: &mut PipelineState<'_>, data: &Data) -> Result<()> {
    match explore::explored(run, state, data).await {
        // What was found so far is worth a summary, which is paid for.
        Err(stop @ (Stop::Budget { .. } | Stop::Stage { .. }))
            if !state.finding_bank.is_empty() =>
        {
            run.warn(format!("the exploration ended early: {stop}"));
            state.explore_ended = Some(ExploreEnd::BrokenOff);
        }
        explored => explored?,
    }
    let refined = refine::refined(run, state).await;
    run.release(&READER);
    refined
}
