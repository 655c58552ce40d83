//! An executive summary of survey data: WHAT was found, WHY it differs, HOW to act. The program computes and words every figure.
//!
//! It has two phases. First, a worker analyses the data with tools while a critic steers it layer by layer; no layer is skipped, and
//! findings go into a bank that only grows. Then a synthesizer drafts and a critic judges until a draft is good enough. The tools return
//! statements with addresses, which findings and sentences cite. Whatever a statement does not support goes back once and never reaches the
//! summary as fact, even if the critic approves it.
//!
//! # Implementation
//!
//! `methods::brief` reads as its process: `explore::explored`, then `refine::refined`. `state.rs` holds the state, named as in the
//! documents; a finding enters the bank only through `banked`, which pushes. The other modules have one concern each:
//!
//! - `data.rs`: the files come through the port `run::files`, by digest. They are read on a separate thread when the first step needs them.
//!   Everything derived from them is the value of a step (`studies`, `perform_analysis`), so a replay needs no data.
//! - `tools.rs`, `statements.rs`: the worker's tools and their results. Each statement is evidence of type `survey`, cited as `[F3]`
//!   (`Place::figure` in `run::material`), with its figures in the metadata of its passage. They reach the hard checks as
//!   `Ground::figures`: `grounding::check::labels` rejects a label that the cited figure does not have, a single one of several answers
//!   that are counted together, a number next to the label of another figure, and a unit that no source names. A calculation may use the
//!   values of the figures and nothing else of their statements.
//! - `judging.rs`: turns a sentence of the worker or the synthesizer into a sentence of the docket that all methods share
//!   (`grounded::docket`): it cites what it names as `F3` and rests on what it names as `C2`. A judgement is marked by its writer and
//!   states no number.
//! - `explore.rs`: leaves out no layer. A critic that skips a layer, ends before all layers were explored, or would use up the rounds that
//!   the others need is corrected, and the audit trail records it. A finding that does not hold goes back to the worker once; if it fails
//!   again, its statement replaces it.
//! - `refine.rs`: the overview and the key findings are facts; the other parts follow from what they name. An approval counts only if the
//!   score is high enough and every sentence holds. What fails in the last draft is cut.
//! - `offline.rs`: the battery of analyses without a model. It reports differences and trends only if they survive Holm's correction over
//!   all of their round; a finding is a statement, word for word. It proposes nothing and plays no critic.

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

pub(crate) use contract::contradictions;
pub use contract::schema;
pub use costs::calls;
pub use options::{Options, Rules, Way};
pub use stages::stages;
pub use statements::passage;

pub(crate) async fn perform(run: &Run) -> Result<Deliverable> {
    let options: Options = run.options()?;
    brief(run, run.question(), &options).await
}

/// Summarises surveys. If the run is stopped early, the findings so far are its partial result.
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
        // The findings so far are worth a summary, whose cost is already reserved.
        Err(stop @ (Stop::Budget { .. } | Stop::Stage { .. }))
            if !state.finding_bank.is_empty() =>
        {
            run.warn(format!("the analysis stopped early: {stop}"));
            state.explore_ended = Some(ExploreEnd::BrokenOff);
        }
        explored => explored?,
    }
    let refined = refine::refined(run, state).await;
    run.release(&READER);
    refined
}
