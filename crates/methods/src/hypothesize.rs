//! Ranked, contested and grounded hypotheses from the literature.
//!
//! There are ten stages: frame the problem, search the literature, summarise it, propose, check that the proposals differ, contest them,
//! check that they still differ, judge them in pairs, write the best up as a *quaestio*, and check the whole. The output of each stage is
//! kept: if a stage fails for good, the run ends with everything gathered before.
//!
//! # Design
//!
//! `methods::hypothesize` reads as its ten stages, `through_the_stages`. They collect their output in a `Study`; if a stage fails,
//! `Run::keep` makes the study the run's partial result, so the same function (`study/delivery.rs`) builds whole and partial results. A
//! failed second call to an agent loses nothing: its first reply was set aside. The name of the run's collection is a separate step, so a
//! fork from a later step continues with what was read. The other modules have one concern each:
//!
//! - `replies.rs`: the agents and their typed replies. `candidates.rs`: turns replies into consistent hypotheses and marks what the program
//!   supplied. `offline.rs`: what the agents reply without a model.
//! - `literature.rs`: search, reading and evidence; `outside.rs` above it is shared with `ask`. In every method, `outside::in_context`
//!   prepares the passages for an agent: each with the rest of its section, as far as `context_tokens` allows. Abstracts become documents
//!   of the run's collection, so their quotes, too, are checked against stored text.
//! - `diversity.rs`, `pairwise.rs`, `bradley_terry.rs`, `summa.rs`, `contract.rs`: pure functions. A composer's text is parsed into its
//!   parts and written anew, so a stored Summa has one form. Its sentences that cite are ordinary claims of the ledger, checked against
//!   their statements and read (`study/rendering.rs`); the others may conclude but not name a source. One parser, `run::marks`, reads the
//!   marks.
//! - `payload.rs`: the deliverable, from which `schemas/hypothesis_schema.json` is generated; a test fails if they differ.
//!
//! Retrieved text reaches prompts through `citing`. Text by other agents, which may repeat it, goes through `showing`, fenced the same way.
//! `crates/methods/tests` has an in-memory world in which a method can be performed with any replies.

mod bradley_terry;
mod candidates;
mod contract;
mod costs;
mod diversity;
mod literature;
mod offline;
mod options;
mod pairwise;
pub mod payload;
mod replies;
pub(crate) mod report;
mod stages;
mod study;
pub mod summa;

use futures::future::join_all;
use serde_json::{Value, json};

use run::evidence::Numbered;
use run::material::Material;
use run::{Deliverable, Mode, Result, Run, Stop};

use crate::grounded::docket::{Docket, mend, settle};
use crate::grounded::{self, READER};
use candidates::{Candidate, Reader};
use pairwise::{Call, Order};
use payload::Origin;
use replies::{
    CRITIC, Composed, Critique, Framing, Generated, HYPOTHESIS_GENERATOR, Judgements,
    LITERATURE_SCOUT, PROBLEM_FRAMER, RANKER, SUMMA_COMPOSER, Survey,
};
use study::{ClaimCheck, Rendering, Study};

pub use contract::schema;
pub(crate) use contract::violations;
pub use costs::calls;
pub use options::{MOST, Options, Rules};
pub use stages::stages;

pub(crate) async fn perform(run: &Run) -> Result<Deliverable> {
    let options: Options = run.options()?;
    hypothesize(run, run.question(), &options).await
}

/// Proposes, contests and ranks hypotheses. If a stage fails, what was gathered before is the run's partial result.
pub async fn hypothesize(run: &Run, question: &str, options: &Options) -> Result<Deliverable> {
    let mut study = Study::of(run, question, options);
    match through_the_stages(run, &mut study).await {
        Ok(()) => study.delivered(run),
        Err(stop) => Err(study.stopped(run, stop)),
    }
}

async fn through_the_stages(run: &Run, study: &mut Study<'_>) -> Result<()> {
    study.hold_back(run, costs::evidence_bytes(study.rules()))?;
    grounded::hold_back_for_synthesis(run, costs::COMPOSED_REPLY)?;
    problem_framer(run, study).await?;
    retrieval(run, study).await?;
    let shown = study.evidence.iter().map(|one| one.evidence.text.len()).sum();
    study.hold_back(run, shown)?;
    literature_scout(run, study).await?;
    hypothesis_generator(run, study).await?;
    critic(run, study).await?;
    ranker(run, study).await?;
    summa_composer(run, study).await?;
    final_validation(run, study).await
}

async fn problem_framer(run: &Run, study: &mut Study<'_>) -> Result<()> {
    study.enter("problem_framer");
    let framing: Framing = run
        .agent(&PROBLEM_FRAMER)
        .given("Question", study.question)
        .given("Domain", &study.domain)
        .given("Objective", &study.objective)
        .offline(|| offline::framed(study.question))
        .reply()
        .await?;
    study.keep("problem_framer", &framing);
    study.framing = framing;
    Ok(())
}

async fn retrieval(run: &Run, study: &mut Study<'_>) -> Result<()> {
    study.enter("retrieval");
    let run = run.scope("retrieval");
    literature::searched(&run, study).await?;
    literature::read(&run, study).await?;
    literature::cited(&run, study).await
}

async fn literature_scout(run: &Run, study: &mut Study<'_>) -> Result<()> {
    study.enter("literature_scout");
    let evidence = study.evidence.clone();
    let call = || {
        run.agent(&LITERATURE_SCOUT)
            .given("Question", study.question)
            .given("How it was framed", study.framed())
            .citing_statements(&evidence)
    };
    grounded::hold_back(run, costs::CITED_REPLY)?;
    let asked = call().offline(|| offline::surveyed(study.question, &evidence));
    let (survey, mode): (Survey, Mode) = asked.reply_and_mode().await?;
    let of = Judging { agent: "literature_scout", question: study.question, evidence: &evidence };
    let surveyed =
        of.judged(run, mode, &call, |docket| study.surveyed(&survey, mode, docket)).await?;
    study.keep("literature_scout", &survey);
    study.survey = Some(surveyed);
    Ok(())
}

/// An agent's reply whose sentences are judged.
struct Judging<'a> {
    agent: &'a str,
    question: &'a str,
    evidence: &'a [Numbered],
}

impl Study<'_> {
    /// Reserves enough of the budget for the composer, who is shown `evidence_bytes` of evidence.
    fn hold_back(&self, run: &Run, evidence_bytes: usize) -> Result<()> {
        let bytes = costs::composer_bytes(self.rules(), self.question, evidence_bytes);
        run.hold_back(&SUMMA_COMPOSER, bytes)
    }
}

impl Judging<'_> {
    /// Enters a reply whose sentences are judged; the agent may mend it once.
    async fn judged<'c, T>(
        &self,
        run: &Run,
        mode: Mode,
        call: &(dyn Fn() -> run::Call<'c> + Sync),
        enter: impl Fn(&mut Docket<'_>) -> T,
    ) -> Result<T> {
        let reading = run.scope(self.agent);
        let material = Material::of(self.evidence);
        let mut docket = Docket::new(&material, self.question, mode);
        settle(&reading, &mut docket, &enter).await?;
        mend(&reading, &mut docket, call).await?;
        let entered = settle(&reading, &mut docket, &enter).await;
        run.release(&READER);
        entered
    }
}

async fn hypothesis_generator(run: &Run, study: &mut Study<'_>) -> Result<()> {
    study.enter("hypothesis_generator");
    let (candidates, mode) = proposed(run, study, None).await?;
    study.candidates = candidates;
    diversity_of_the_proposed(run, study, mode).await
}

/// Asks for hypotheses; `close` says what was wrong with an earlier set, which stands if the second call fails.
async fn proposed(
    run: &Run,
    study: &mut Study<'_>,
    close: Option<&str>,
) -> Result<(Vec<Candidate>, Mode)> {
    let wanted = study.rules().hypotheses as usize;
    let evidence = study.evidence.clone();
    let call = || {
        let call = run
            .agent(&HYPOTHESIS_GENERATOR)
            .given("Question", study.question)
            .given("How it was framed", study.framed())
            .given("Domain", &study.domain)
            .given("Objective", &study.objective)
            .given("Hypotheses wanted", wanted.to_string())
            .showing("What the literature says", study.findings());
        let call = match close {
            Some(close) => call
                .showing("Your earlier hypotheses", study.described(&study.candidates))
                .given("What is wrong with them", close),
            None => call,
        };
        call.citing_statements(&evidence)
    };
    grounded::hold_back(run, costs::CITED_REPLY)?;
    let itself = || offline::generated(study.question, &evidence, wanted);
    let (generated, mode): (Generated, Mode) = match close {
        None => call().offline(itself).reply_and_mode().await?,
        Some(_) => (call().reply().await?, Mode::Model),
    };
    let shown = study.shown();
    let reader = Reader { shown: &shown, mode };
    let of =
        Judging { agent: "hypothesis_generator", question: study.question, evidence: &evidence };
    let enter = |docket: &mut Docket<'_>| reader.proposed(&generated, wanted, docket);
    let candidates = of.judged(run, mode, &call, enter).await?;
    study.keep("hypothesis_generator", &generated);
    if candidates.is_empty() {
        return Err(study.failed("the papers and documents that were read suggest no hypothesis"));
    }
    Ok((candidates, mode))
}

async fn diversity_of_the_proposed(run: &Run, study: &mut Study<'_>, mode: Mode) -> Result<()> {
    let measured = literature::alike(run, study, "hypothesis_generator").await?;
    study.diversity.push(measured);
    let wrong = study.too_few() + &study.too_close();
    if mode == Mode::Offline || wrong.is_empty() {
        return Ok(());
    }
    run.say("the hypotheses are too few or too similar; asking the generator once more");
    let aside = study.set_aside("hypothesis_generator");
    match proposed(run, study, Some(&wrong)).await {
        Ok((second, _)) => study.candidates = second,
        Err(stop) => return study.not_asked_again(run, stop, aside),
    }
    let again = literature::alike(run, study, "hypothesis_generator").await?;
    study.asked_again(again, aside);
    Ok(())
}

async fn critic(run: &Run, study: &mut Study<'_>) -> Result<()> {
    study.enter("critic");
    let (candidates, mode) = criticised(run, study, None).await?;
    study.candidates = candidates;
    diversity_of_the_contested(run, study, mode).await
}

/// Asks for objections; `close` says what was wrong with an earlier revision, which stands if the second call fails.
async fn criticised(
    run: &Run,
    study: &mut Study<'_>,
    close: Option<&str>,
) -> Result<(Vec<Candidate>, Mode)> {
    let evidence = study.evidence.clone();
    let call = || {
        let call = run
            .agent(&CRITIC)
            .given("Question", study.question)
            .showing("Hypotheses", study.described(&study.candidates));
        let call = match close {
            Some(close) => call.given("What is wrong with your earlier revision", close),
            None => call,
        };
        call.citing_statements(&evidence)
    };
    grounded::hold_back(run, costs::CITED_REPLY)?;
    let itself = || offline::criticised(&study.candidates, &evidence);
    let (critique, mode): (Critique, Mode) = match close {
        None => call().offline(itself).reply_and_mode().await?,
        Some(_) => (call().reply().await?, Mode::Model),
    };
    let of = Judging { agent: "critic", question: study.question, evidence: &evidence };
    let enter = |docket: &mut Docket<'_>| study.contested(&critique, mode, docket);
    let (candidates, ignored) = of.judged(run, mode, &call, enter).await?;
    if ignored > 0 {
        run.warn(format!(
            "{ignored} of the critic's reviews were ignored: each names an unknown hypothesis, or one reviewed before"
        ));
    }
    study.keep("critic", &critique);
    Ok((candidates, mode))
}

async fn diversity_of_the_contested(run: &Run, study: &mut Study<'_>, mode: Mode) -> Result<()> {
    let measured = literature::alike(run, study, "critic").await?;
    study.diversity.push(measured);
    let wrong = study.too_close();
    if mode == Mode::Offline || wrong.is_empty() {
        return Ok(());
    }
    run.say("the revised hypotheses are too similar; asking the critic once more");
    let aside = study.set_aside("critic");
    match criticised(run, study, Some(&wrong)).await {
        Ok((candidates, _)) => {
            study.candidates = candidates;
            let again = literature::alike(run, study, "critic").await?;
            study.asked_again(again, aside);
        }
        Err(stop) => study.not_asked_again(run, stop, aside)?,
    }
    if study.as_first_worded() {
        let measured = literature::alike(run, study, "critic").await?;
        study.diversity.push(measured);
    }
    Ok(())
}

async fn ranker(run: &Run, study: &mut Study<'_>) -> Result<()> {
    study.enter("ranker");
    let rounds = if study.candidates.len() > 1 { study.rules().ranking.rounds } else { 0 };
    let mut judged: Vec<(u32, Order, Judgements)> = Vec::new();
    for round in 1..=rounds {
        let orders = [Order::InOrder, Order::Reversed];
        let said = join_all(orders.map(|order| in_order(run, study, round, order))).await;
        let mut failed = None;
        for (order, said) in orders.into_iter().zip(said) {
            match said {
                Ok(said) => judged.push((round, order, said)),
                Err(stop) => failed = failed.or(Some(stop)),
            }
        }
        study.keep("ranker", &told(&judged));
        match failed {
            None => {}
            // One round is enough for a ranking; further ones only add to it.
            Some(stop @ (Stop::Stage { .. } | Stop::Budget { .. })) if round > 1 => {
                run.warn(format!(
                    "the pairs were judged {} times instead of {rounds}: {stop}",
                    round - 1
                ));
                judged.retain(|(kept, ..)| *kept < round);
                break;
            }
            Some(stop) => return Err(stop),
        }
    }
    let calls: Vec<Call<'_>> = judged
        .iter()
        .map(|(round, order, said)| Call {
            order: *order,
            round: *round,
            records: &said.comparisons,
        })
        .collect();
    study.ranked(run, &calls);
    Ok(())
}

/// Returns the judge's replies, as the result shows them.
fn told(judged: &[(u32, Order, Judgements)]) -> Vec<Value> {
    let call = |(round, order, said): &(u32, Order, Judgements)| json!({"round": round, "order": name_of(*order), "comparisons": said.comparisons});
    judged.iter().map(call).collect()
}

/// Asks the judge for every pair, with the hypotheses shown in one order.
async fn in_order(run: &Run, study: &Study<'_>, round: u32, order: Order) -> Result<Judgements> {
    let scope = format!("{}-{round}", name_of(order));
    let ids: Vec<String> = study.candidates.iter().map(|one| one.id.clone()).collect();
    let pairs: Vec<String> =
        pairwise::asked(&ids, order).iter().map(|(a, b)| format!("a: {a}, b: {b}")).collect();
    let mut shown = study.candidates.clone();
    if order == Order::Reversed {
        shown.reverse();
    }
    run.scope(&scope)
        .agent(&RANKER)
        .given("Question", study.question)
        .given("Objective", &study.objective)
        .showing("Hypotheses", study.described(&shown))
        .given("Pairs to judge", pairs.join("\n"))
        .offline(|| offline::judged(study.question, &study.candidates, &study.evidence, order))
        .reply()
        .await
}

async fn summa_composer(run: &Run, study: &mut Study<'_>) -> Result<()> {
    study.enter("summa_composer");
    study.rendering = Some(composed(run, study, None).await?);
    Ok(())
}

/// Asks for the *quaestiones*; `wrong` says what was wrong with an earlier text.
async fn composed(run: &Run, study: &mut Study<'_>, wrong: Option<&str>) -> Result<Rendering> {
    let blocks = study.blocks();
    let cited = study.cited_evidence();
    let call = || {
        run.agent(&SUMMA_COMPOSER)
            .given("Question", study.question)
            .given("Blocks wanted", blocks.len().to_string())
            .showing("The hypotheses, with what each block is to hold", study.outlined())
            .citing_statements(&cited)
    };
    let itself = || Composed { summa_rendering: summa::composed(&blocks) };
    grounded::hold_back_now(run, costs::COMPOSED_REPLY)?;
    let (composed, mode): (Composed, Mode) = match wrong {
        None => call().as_synthesis().offline(itself).reply_and_mode().await?,
        // No offline fallback: the earlier text stands if the second call fails.
        Some(wrong) => {
            let again = call().again("What was wrong with your earlier text", wrong);
            (again.reply().await?, Mode::Model)
        }
    };
    let (text, faults) = match summa::read(&composed.summa_rendering) {
        Ok(read) if read.len() == blocks.len() => match study.misplaced(&read) {
            misplaced if misplaced.is_empty() => (summa::composed(&read), vec![]),
            misplaced => (itself().summa_rendering, misplaced),
        },
        _ => (itself().summa_rendering, summa::faults(&composed.summa_rendering, blocks.len())),
    };
    if !faults.is_empty() {
        run.warn(format!(
            "the composer's text was rejected ({}); the program built the text from the ranked hypotheses instead",
            faults.join("; ")
        ));
    }
    let origin = match mode {
        Mode::Offline => Origin::Extractive,
        Mode::Model if text == itself().summa_rendering => Origin::Fallback,
        Mode::Model => Origin::Model,
    };
    let reading = run.scope("summa_composer");
    let question = study.question;
    let shown = study.shown();
    let known = study.checked().into_iter().cloned().collect();
    let claim_check = ClaimCheck { run: &reading, question, evidence: &cited, known, shown };
    let rendering = Rendering::of(&text, origin, &claim_check, &call).await;
    run.release(&READER);
    study.keep("summa_composer", &composed);
    rendering
}

async fn final_validation(run: &Run, study: &mut Study<'_>) -> Result<()> {
    study.enter("final_validation");
    let mut retry_attempted = false;
    let wrong = study.violations();
    if !wrong.is_empty() && study.is_written_by_a_model() {
        run.say("the composer's text failed the check; asking the composer once more");
        retry_attempted = true;
        match composed(run, study, Some(&wrong.join("\n"))).await {
            Ok(second) => study.recomposed(second),
            Err(stop @ (Stop::Budget { .. } | Stop::Stage { .. })) => {
                run.warn(format!("could not ask the composer again: {stop}"));
            }
            Err(stop) => return Err(stop),
        }
    }
    let violations = study.violations();
    if violations.is_empty() {
        return Ok(());
    }
    study.rendering = Some(by_rule(run, study).await?);
    Err(Stop::Stage {
        stage: "final_validation".into(),
        message: violations.join("; "),
        retry_attempted,
    })
}

/// Builds the *quaestiones* from the hypotheses. Their citations were judged before and are not read again.
async fn by_rule(run: &Run, study: &Study<'_>) -> Result<Rendering> {
    let evidence = study.cited_evidence();
    let call = || run.agent(&SUMMA_COMPOSER);
    let (question, shown) = (study.question, study.shown());
    let known = study.checked().into_iter().cloned().collect();
    let claim_check = ClaimCheck { run, question, evidence: &evidence, known, shown };
    Rendering::of(&summa::composed(&study.blocks()), Origin::Fallback, &claim_check, &call).await
}

fn name_of(order: Order) -> &'static str {
    match order {
        Order::InOrder => "in-order",
        Order::Reversed => "reversed",
    }
}
