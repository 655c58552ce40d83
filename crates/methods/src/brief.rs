//! An executive summary of survey data: WHAT was found, WHY it differs, HOW to act; every figure computed and worded by the program.
//!
//! Two phases. A worker analyses the data with tools and a critic steers it, layer by layer, no layer skipped; what was found goes into a
//! bank that only grows. Then a synthesizer drafts and a critic judges, until a draft is good enough. The tools return statements with
//! addresses, and findings and sentences cite them: what a statement does not bear out goes back once, and never reaches the summary as
//! fact. An approval does not change that.

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
