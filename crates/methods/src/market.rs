//! A market analysis: the size of the market, its competitors and customers, what to do, and what may go wrong.
//!
//! Four agents write one section each, in turn, followed by an editor. Each searches outside sources and the user's own collection for its
//! section, sees the findings of the sections before it, and states what its evidence says. The program computes the figures. The output of
//! each section is kept: if an agent fails for good, the run ends with the sections before it.
//!
//! # Design
//!
//! The layer of questions and plans ([`crate::workflow`]) was written for this method. `methods::market` has four agents, each with its own
//! search, and an editor. A model's computation is an expression over named inputs (`market::arithmetic`), whose value and unit the program
//! evaluates (`market::reckoning`, which the contract reuses). Inputs are claims of the ledger or labelled as assumed, as is any number
//! written in an expression; results are `recomputed`. A section is prose before it is a table or a list: `market::prose` parses it with
//! the grammar of a report's prose. Each sentence is a statement with an id, or `inferred` from what it cites or names or from its
//! surroundings. The editor's sentences are `inferred` from the statements that they name. A sentence about a computed figure always keeps
//! the figure's assumptions.

pub mod arithmetic;
mod clerk;
mod contract;
mod costs;
mod editor;
mod figures;
mod offline;
mod options;
pub mod payload;
mod prose;
mod reckoning;
mod replies;
pub(crate) mod report;
mod research;
mod scope;
mod sections;
mod sizing;
mod stages;
mod study;
mod units;

use run::{Agent, Deliverable, Mode, Reply, Result, Run, Stop};

use crate::grounded::docket::{Docket, mend, settle};
use crate::grounded::{self, READER};
use clerk::{Clerk, Entered, SectionInput};
use editor::Summed;
use payload::{Analysis, Conclusion, Section, WhyNot, spoken};
use replies::{
    Advised, COMPETITORS, CUSTOMERS, Compared, Described, EDITOR, Edited, MARKET_SIZING, STRATEGY,
    SizingReply,
};
use research::Material;
use study::Study;

pub use contract::schema;
pub(crate) use contract::{foreign_marks, violations};
pub use costs::calls;
pub use options::{Options, Rules};
pub use stages::stages;

pub(crate) async fn perform(run: &Run) -> Result<Deliverable> {
    let options: Options = run.options()?;
    market(run, run.question(), &options).await
}

/// Analyses a market. If a stage fails, the sections so far are the run's partial result.
pub async fn market(run: &Run, question: &str, options: &Options) -> Result<Deliverable> {
    let mut study = Study::of(run, question, options);
    match through_the_stages(run, &mut study).await {
        Ok(()) => study.delivered(run),
        Err(stop) => Err(study.stopped(run, stop)),
    }
}

async fn through_the_stages(run: &Run, study: &mut Study<'_>) -> Result<()> {
    study.hold_back(run, 4)?;
    grounded::hold_back_for_synthesis(run, costs::SUMMARY_REPLY)?;
    research::remark(run, study.question);
    section::<MarketSizing>(run, study).await?;
    study.hold_back(run, 3)?;
    section::<Competitors>(run, study).await?;
    study.hold_back(run, 2)?;
    section::<Customers>(run, study).await?;
    study.hold_back(run, 1)?;
    section::<Strategy>(run, study).await?;
    edited(run, study).await
}

/// A section: its agent, and how its reply is entered.
trait Part {
    const SECTION: Section;
    const AGENT: Agent;
    type Reply: Reply;
    type Held;

    /// Returns the reply without a model.
    fn offline(section_input: &SectionInput<'_>) -> Self::Reply;
    /// Enters the agent's reply.
    fn entered(reply: &Self::Reply, clerk: &mut Clerk<'_, '_>) -> Self::Held;
    /// Stores the section in the analysis.
    fn put(held: Self::Held, analysis: &mut Analysis);
}

struct MarketSizing;
struct Competitors;
struct Customers;
struct Strategy;

impl Part for MarketSizing {
    const SECTION: Section = Section::MarketSizing;
    const AGENT: Agent = MARKET_SIZING;
    type Reply = SizingReply;
    type Held = payload::Sizing;

    fn offline(section_input: &SectionInput<'_>) -> SizingReply {
        offline::sized(section_input)
    }

    fn entered(reply: &SizingReply, clerk: &mut Clerk<'_, '_>) -> payload::Sizing {
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

    fn offline(section_input: &SectionInput<'_>) -> Compared {
        offline::compared(section_input)
    }

    fn entered(reply: &Compared, clerk: &mut Clerk<'_, '_>) -> payload::Competitors {
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

    fn offline(section_input: &SectionInput<'_>) -> Described {
        offline::described(section_input)
    }

    fn entered(reply: &Described, clerk: &mut Clerk<'_, '_>) -> payload::Customers {
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

    fn offline(section_input: &SectionInput<'_>) -> Advised {
        offline::advised(section_input)
    }

    fn entered(reply: &Advised, clerk: &mut Clerk<'_, '_>) -> payload::Strategy {
        sections::strategy(reply, clerk)
    }

    fn put(held: payload::Strategy, analysis: &mut Analysis) {
        analysis.strategy = Some(held);
    }
}

/// Researches and writes a section. It is omitted if the plan leaves it out or nothing was found for it.
async fn section<P: Part>(run: &Run, study: &mut Study<'_>) -> Result<()> {
    let role = P::SECTION.role();
    if run.leaves_out(role) {
        study.leave_out(P::SECTION, WhyNot::NotPlanned);
        return study.keep(run);
    }
    study.enter(role);
    let run = &run.scope(role);
    grounded::hold_back(run, costs::SECTION_REPLY)?;
    let Material { evidence, found } = research::material(run, study, P::SECTION).await?;
    // A strategy can be based on the findings of earlier sections.
    let has_ground = found || (P::SECTION == Section::Strategy && study.holds_anything());
    if !has_ground {
        run.release(&READER);
        run.say(format!("no evidence was found for the section '{role}'"));
        study.leave_out(P::SECTION, WhyNot::NothingFound);
        return study.keep(run);
    }
    let earlier = study.told();
    let section_input = study.section_input(run, &evidence);
    let known = study.evidence();
    let material = run::material::Material::of(&known);
    let (reply, entered) = written::<P>(run, section_input, &material, &earlier).await?;
    run.release(&READER);
    study.output(role, &reply);
    let held = study.entered(entered);
    P::put(held, &mut study.analysis);
    study.keep(run)
}

/// Has a section written. What does not hold goes back to its agent once: single sentences, or the whole reply if there are violations.
async fn written<P: Part>(
    run: &Run,
    section_input: SectionInput<'_>,
    material: &run::material::Material<'_>,
    earlier: &str,
) -> Result<(P::Reply, Entered<P::Held>)> {
    let call = asked::<P>(run, &section_input, earlier).offline(|| P::offline(&section_input));
    let (first, mode): (P::Reply, Mode) = call.reply_and_mode().await?;
    let section_input = &SectionInput { mode, ..section_input };
    let enter = |reply: &P::Reply, docket: &mut Docket<'_>| {
        let mut clerk = Clerk::at(section_input, docket);
        let held = P::entered(reply, &mut clerk);
        clerk.done(held)
    };
    let mut docket = Docket::new(material, section_input.question, section_input.mode);
    let entered = settle(run, &mut docket, |docket| enter(&first, docket)).await?;
    if section_input.mode == Mode::Offline {
        return Ok((first, entered));
    }
    if entered.violations.is_empty() {
        let call = || asked::<P>(run, section_input, earlier);
        mend(run, &mut docket, &call).await?;
        let entered = settle(run, &mut docket, |docket| enter(&first, docket)).await?;
        return Ok((first, entered));
    }
    let role = P::SECTION.role();
    run.say(format!("parts of the section '{role}' failed the check; asking its agent once more"));
    let wrong = format!("{}\n{}", entered.violations.join("\n"), docket.told());
    let call = asked::<P>(run, section_input, earlier);
    match call.again("What did not hold in your earlier reply", wrong).reply().await {
        Ok(second) => {
            let mut docket = Docket::new(material, section_input.question, section_input.mode);
            let again = settle(run, &mut docket, |docket| enter(&second, docket)).await?;
            let stands = again.stands_beside(&entered);
            Ok(if stands { (second, again) } else { (first, entered) })
        }
        Err(stop @ (Stop::Budget { .. } | Stop::Stage { .. })) => {
            run.warn(format!("could not ask the agent '{role}' again: {stop}"));
            Ok((first, entered))
        }
        Err(stop) => Err(stop),
    }
}

fn asked<'a, P: Part>(
    run: &'a Run,
    section_input: &'a SectionInput<'_>,
    earlier: &str,
) -> run::Call<'a> {
    let call = run.agent(&P::AGENT).given("Question", section_input.question);
    let call = match earlier {
        "" => call,
        earlier => call.showing("What the earlier sections found", earlier),
    };
    call.citing_statements(section_input.evidence)
}

/// Has the editor sum up the whole, if anything was found.
async fn edited(run: &Run, study: &mut Study<'_>) -> Result<()> {
    study.enter(EDITOR.name);
    if !study.holds_anything() {
        return Ok(());
    }
    let run = &run.scope(EDITOR.name);
    grounded::hold_back_now(run, costs::SUMMARY_REPLY)?;
    let (evidence, told) = (study.evidence(), study.told());
    let most = study.options.rules.summary_sentences as usize;
    let section_input = study.section_input(run, &evidence);
    let material = run::material::Material::of(&evidence);
    let enter = |reply: &Edited, docket: &mut Docket<'_>| {
        let mut clerk = Clerk::at(&section_input, docket);
        let summed = editor::entered(reply, most, &mut clerk);
        clerk.done(summed)
    };
    let call = || {
        run.agent(&EDITOR)
            .given("Question", section_input.question)
            .given("Sentences wanted, at most", most.to_string())
            .showing("The sections", &told)
    };
    let asked = call().as_synthesis().offline(offline::edited);
    let (reply, mode): (Edited, Mode) = asked.reply_and_mode().await?;
    let mut docket = Docket::new(&material, study.question, mode);
    settle(run, &mut docket, |docket| enter(&reply, docket)).await?;
    mend(run, &mut docket, &call).await?;
    let entered = settle(run, &mut docket, |docket| enter(&reply, docket)).await?;
    run.release(&READER);
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

impl Study<'_> {
    /// Reserves enough of the budget for the editor, with `to_come` sections still to be written.
    fn hold_back(&self, run: &Run, to_come: usize) -> Result<()> {
        let told = self.told().len();
        let bytes = costs::editor_bytes(&self.options.rules, self.question, told, to_come);
        run.hold_back(&EDITOR, bytes)
    }

    /// Returns a summary by rule: the results of the estimates, and the first statement of each section.
    fn leading(&mut self, most: usize) -> Vec<Conclusion> {
        let analysis = &self.analysis;
        let mut leading: Vec<&payload::Statement> = Vec::new();
        if let Some(sizing) = &analysis.sizing {
            let results = [&sizing.top_down, &sizing.bottom_up];
            leading.extend(results.iter().filter_map(|one| Some(&one.steps.last()?.statement)));
            leading.extend(spoken(&sizing.prose).next().or(sizing.claims.first()));
        }
        if let Some(section) = &analysis.competitors {
            let mut offerings = section.rows.iter().filter_map(|row| row.offering.as_ref());
            leading.extend(spoken(&section.prose).next().or_else(|| offerings.next()));
        }
        if let Some(section) = &analysis.customers {
            let mut claims =
                section.segments.iter().flat_map(|one| one.claims.iter().chain(&one.needs));
            leading.extend(spoken(&section.prose).next().or_else(|| claims.next()));
        }
        if let Some(section) = &analysis.strategy {
            leading.extend(spoken(&section.prose).next().or(section.risks.first()));
        }
        let ids: Vec<String> = leading.into_iter().take(most).map(|one| one.id.clone()).collect();
        ids.into_iter().filter_map(|id| self.said_again(id)).collect()
    }
}
