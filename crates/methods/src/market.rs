//! A market analysis: how large the market is, who is in it, who buys, what to do and what may go wrong.
//!
//! Four agents, one after another, and an editor. Each looks its section up outside and in the user's own collection, sees what the
//! sections before it found, and states what its evidence says. Figures are computed by program. What a section leaves is kept: an
//! agent that fails for good ends the run with the sections before it.

pub mod arithmetic;
mod clerk;
mod contract;
mod costs;
mod editor;
mod figures;
mod offline;
mod options;
pub mod payload;
mod reckoning;
mod replies;
mod research;
mod scope;
mod sections;
mod sizing;
mod stages;
mod study;
mod units;

use run::{Agent, Deliverable, Mode, Reply, Result, Run, Stop};

use clerk::{Clerk, Desk, Entered};
use editor::Summed;
use payload::{Analysis, Conclusion, Section, WhyNot};
use replies::{
    Advised, COMPETITORS, CUSTOMERS, Compared, Described, EDITOR, Edited, MARKET_SIZING, STRATEGY,
    Sized,
};
use research::Material;
use study::Study;

pub use contract::schema;
pub use costs::calls;
pub use options::{Options, Rules};
pub use stages::stages;

pub(crate) async fn perform(run: &Run) -> Result<Deliverable> {
    let options: Options = run.options()?;
    market(run, run.question(), &options).await
}

/// Analyses a market. What was written before a stage failed is the run's partial result.
pub async fn market(run: &Run, question: &str, options: &Options) -> Result<Deliverable> {
    let mut study = Study::of(run, question, options);
    match through_the_stages(run, &mut study).await {
        Ok(()) => study.delivered(run),
        Err(stop) => Err(study.stopped(run, stop)),
    }
}

async fn through_the_stages(run: &Run, study: &mut Study<'_>) -> Result<()> {
    run.hold_back(&EDITOR, costs::editor_bytes(&study.options.rules, study.question))?;
    research::remark(run, study.question);
    section::<MarketSizing>(run, study).await?;
    section::<Competitors>(run, study).await?;
    section::<Customers>(run, study).await?;
    section::<Strategy>(run, study).await?;
    edited(run, study).await
}

/// A section: who writes it, and how.
trait Part {
    const SECTION: Section;
    const AGENT: Agent;
    type Reply: Reply;
    type Held;

    /// Says what can be said without a model.
    fn offline(desk: &Desk<'_>) -> Self::Reply;
    /// Enters what the agent says.
    fn entered(reply: &Self::Reply, clerk: &mut Clerk<'_>) -> Self::Held;
    /// Puts the section into the analysis.
    fn put(held: Self::Held, analysis: &mut Analysis);
}

struct MarketSizing;
struct Competitors;
struct Customers;
struct Strategy;

impl Part for MarketSizing {
    const SECTION: Section = Section::MarketSizing;
    const AGENT: Agent = MARKET_SIZING;
    type Reply = Sized;
    type Held = payload::Sizing;

    fn offline(desk: &Desk<'_>) -> Sized {
        offline::sized(desk)
    }

    fn entered(reply: &Sized, clerk: &mut Clerk<'_>) -> payload::Sizing {
        sizing::entered(reply, clerk)
    }

    fn put(held: payload::Sizing, analysis: &mut Analysis) {
        analysis.sizing = Some(held);
    }
}

impl Part for Competitors {
    const SECTION: Section = Section::Competitors;
    const AGENT: Agent = COMPETITORS;
    type Reply = Compared;
    type Held = payload::Competitors;

    fn offline(desk: &Desk<'_>) -> Compared {
        offline::compared(desk)
    }

    fn entered(reply: &Compared, clerk: &mut Clerk<'_>) -> payload::Competitors {
        sections::competitors(reply, clerk)
    }

    fn put(held: payload::Competitors, analysis: &mut Analysis) {
        analysis.competitors = Some(held);
    }
}

impl Part for Customers {
    const SECTION: Section = Section::Customers;
    const AGENT: Agent = CUSTOMERS;
    type Reply = Described;
    type Held = payload::Customers;

    fn offline(desk: &Desk<'_>) -> Described {
        offline::described(desk)
    }

    fn entered(reply: &Described, clerk: &mut Clerk<'_>) -> payload::Customers {
        sections::customers(reply, clerk)
    }

    fn put(held: payload::Customers, analysis: &mut Analysis) {
        analysis.customers = Some(held);
    }
}

impl Part for Strategy {
    const SECTION: Section = Section::Strategy;
    const AGENT: Agent = STRATEGY;
    type Reply = Advised;
    type Held = payload::Strategy;

    fn offline(desk: &Desk<'_>) -> Advised {
        offline::advised(desk)
    }

    fn entered(reply: &Advised, clerk: &mut Clerk<'_>) -> payload::Strategy {
        sections::strategy(reply, clerk)
    }

    fn put(held: payload::Strategy, analysis: &mut Analysis) {
        analysis.strategy = Some(held);
    }
}

/// Looks a section up and has it written. One that the plan leaves out, or of which nothing was found, is not there.
async fn section<P: Part>(run: &Run, study: &mut Study<'_>) -> Result<()> {
    let role = P::SECTION.role();
    if run.leaves_out(role) {
        study.leave_out(P::SECTION, WhyNot::NotPlanned);
        return study.keep(run);
    }
    study.enter(role);
    let run = &run.scope(role);
    let Material { evidence, found } = research::material(run, study, P::SECTION).await?;
    // A strategy can be drawn from what the sections before found.
    let has_ground = found || (P::SECTION == Section::Strategy && study.holds_anything());
    if !has_ground {
        run.say(format!("nothing was found for the section '{role}'"));
        study.leave_out(P::SECTION, WhyNot::NothingFound);
        return study.keep(run);
    }
    let earlier = study.told();
    let desk = study.desk(run, &evidence);
    let (reply, entered) = written::<P>(run, &desk, &earlier).await?;
    study.output(role, &reply);
    let held = study.entered(entered);
    P::put(held, &mut study.analysis);
    study.keep(run)
}

/// Has a section written; what does not hold goes back to its writer once.
async fn written<P: Part>(
    run: &Run,
    desk: &Desk<'_>,
    earlier: &str,
) -> Result<(P::Reply, Entered<P::Held>)> {
    let enter = |reply: &P::Reply| {
        let mut clerk = Clerk::at(desk);
        let held = P::entered(reply, &mut clerk);
        clerk.done(held)
    };
    let first = asked::<P>(run, desk, earlier, None).await?;
    let entered = enter(&first);
    if entered.violations.is_empty() || desk.mode == Mode::Offline {
        return Ok((first, entered));
    }
    let role = P::SECTION.role();
    run.say(format!("some of the section '{role}' did not hold; asking its agent once more"));
    match asked::<P>(run, desk, earlier, Some(&entered.violations.join("\n"))).await {
        Ok(second) => {
            let again = enter(&second);
            let stands = again.stands_beside(&entered);
            Ok(if stands { (second, again) } else { (first, entered) })
        }
        Err(stop @ (Stop::Budget { .. } | Stop::Stage { .. })) => {
            run.warn(format!("the agent '{role}' could not be asked again: {stop}"));
            Ok((first, entered))
        }
        Err(stop) => Err(stop),
    }
}

async fn asked<P: Part>(
    run: &Run,
    desk: &Desk<'_>,
    earlier: &str,
    wrong: Option<&str>,
) -> Result<P::Reply> {
    let mut call = run.agent(&P::AGENT).given("Question", desk.question);
    if !earlier.is_empty() {
        call = call.showing("What the earlier sections found", earlier);
    }
    if let Some(wrong) = wrong {
        call = call.showing("What did not hold in your earlier reply", wrong);
    }
    call.citing(desk.evidence).offline(|| P::offline(desk)).reply().await
}

/// Has the whole summed up. Where nothing was found there is nothing to sum up.
async fn edited(run: &Run, study: &mut Study<'_>) -> Result<()> {
    study.enter(EDITOR.name);
    if !study.holds_anything() {
        return Ok(());
    }
    let run = &run.scope(EDITOR.name);
    let (evidence, told) = (study.evidence(), study.told());
    let most = study.options.rules.summary_sentences as usize;
    let desk = study.desk(run, &evidence);
    let enter = |reply: &Edited| {
        let mut clerk = Clerk::at(&desk);
        let summed = editor::entered(reply, most, &mut clerk);
        clerk.done(summed)
    };
    let mut reply = summed_up(run, &desk, &told, most, None).await?;
    let mut entered = enter(&reply);
    if !entered.violations.is_empty() && run.mode() == Mode::Model {
        run.say("some of the summary did not hold; asking the editor once more");
        let wrong = entered.violations.join("\n");
        match summed_up(run, &desk, &told, most, Some(&wrong)).await {
            Ok(second) => {
                let again = enter(&second);
                if again.stands_beside(&entered) {
                    (reply, entered) = (second, again);
                }
            }
            Err(stop @ (Stop::Budget { .. } | Stop::Stage { .. })) => {
                run.warn(format!("the editor could not be asked again: {stop}"));
            }
            Err(stop) => return Err(stop),
        }
    }
    study.output(EDITOR.name, &reply);
    let Summed { title, mut summary, open_questions } = study.entered(entered);
    if summary.is_empty() {
        summary = study.leading(most);
    }
    if !title.is_empty() {
        study.analysis.title = title;
    }
    study.analysis.summary = summary;
    study.analysis.open_questions = open_questions;
    Ok(())
}

async fn summed_up(
    run: &Run,
    desk: &Desk<'_>,
    told: &str,
    most: usize,
    wrong: Option<&str>,
) -> Result<Edited> {
    let call = run
        .agent(&EDITOR)
        .given("Question", desk.question)
        .given("Sentences wanted, at most", most.to_string())
        .showing("The sections", told);
    match wrong {
        None => call.as_synthesis().offline(offline::edited).reply().await,
        Some(wrong) => {
            // What was written first stands where it cannot be asked again.
            call.showing("What did not hold in your earlier text", wrong).reply().await
        }
    }
}

impl Study<'_> {
    /// Returns a summary by rule: what the estimates come to, and the first that each section says.
    fn leading(&mut self, most: usize) -> Vec<Conclusion> {
        let analysis = &self.analysis;
        let mut leading: Vec<&payload::Statement> = Vec::new();
        if let Some(sizing) = &analysis.sizing {
            let results = [&sizing.top_down, &sizing.bottom_up];
            leading.extend(results.iter().filter_map(|one| Some(&one.steps.last()?.statement)));
            leading.extend(sizing.claims.first());
        }
        let rows = analysis.competitors.iter().flat_map(|section| &section.rows);
        leading.extend(rows.filter_map(|row| row.offering.as_ref()).next());
        let segments = analysis.customers.iter().flat_map(|section| &section.segments);
        leading.extend(segments.flat_map(|one| one.claims.iter().chain(&one.needs)).next());
        leading.extend(analysis.strategy.iter().flat_map(|section| &section.risks).next());
        let ids: Vec<String> = leading.into_iter().take(most).map(|one| one.id.clone()).collect();
        ids.into_iter().filter_map(|id| self.said_again(id)).collect()
    }
}
