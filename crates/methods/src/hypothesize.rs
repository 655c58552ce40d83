//! Ranked, contested and grounded hypotheses from the literature.
//!
//! Ten stages: frame the problem, look the literature up, say what it tells, propose, see that the proposals differ, contest them, see
//! that they still differ, judge them in pairs, write the best up as a *quaestio*, and check the whole. What a stage leaves is kept: a
//! stage that fails for good ends the run with everything that was gathered before.

pub mod bradley_terry;
mod candidates;
mod contract;
mod costs;
pub mod diversity;
mod literature;
mod offline;
pub mod pairwise;
pub mod payload;
pub mod replies;
mod study;
pub mod summa;
pub mod unbacked;

use futures::future::join_all;
use serde::{Deserialize, Serialize};
use serde_json::json;

use run::library::Retrieval;
use run::paper::Source;
use run::{Deliverable, Mode, Result, Run, Stop};

use candidates::Candidate;
use pairwise::{Call, Order};
use payload::Origin;
use replies::{
    CRITIC, Composed, Critique, Framing, Generated, HYPOTHESIS_GENERATOR, Judgements,
    LITERATURE_SCOUT, PROBLEM_FRAMER, RANKER, SUMMA_COMPOSER, Survey,
};
use study::{Rendering, Study};

pub use contract::schema;
pub use costs::calls;

/// What `hypothesize` is started with.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Options {
    /// The field that the question belongs to.
    pub domain: String,
    /// What the hypotheses are wanted for.
    pub objective: String,
    /// How many of the best are written up as a *quaestio*.
    pub top: u32,
    pub sources: Vec<Source>,
    pub rules: Rules,
}

/// The limits and measures of the stages.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Rules {
    /// Hypotheses that are asked for.
    pub hypotheses: u32,
    /// Below so many the generator is asked once more.
    pub fewest_hypotheses: u32,
    /// Papers wanted of each source for each query.
    pub results: u32,
    /// Papers that are read, at most.
    pub papers_read: u32,
    /// Whether papers are read whole where their PDF is free, or their abstracts alone.
    pub full_text: bool,
    /// How what was read is searched for passages.
    pub retrieval: Retrieval,
    /// Passages to retrieve for each query.
    pub passages: u32,
    /// Tokens of evidence put before an agent.
    pub context_tokens: u32,
    pub diversity: diversity::Rules,
    pub ranking: pairwise::Rules,
}

pub(crate) async fn perform(run: &Run) -> Result<Deliverable> {
    let options: Options = run.options()?;
    hypothesize(run, run.question(), &options).await
}

/// Proposes hypotheses, contests and ranks them. What was gathered before a stage failed is the run's partial result.
pub async fn hypothesize(run: &Run, question: &str, options: &Options) -> Result<Deliverable> {
    let mut study = Study::of(question, options);
    match through_the_stages(run, &mut study).await {
        Ok(()) => study.delivered(run),
        Err(stop) => Err(study.stopped(run, stop)),
    }
}

async fn through_the_stages(run: &Run, study: &mut Study<'_>) -> Result<()> {
    run.hold_back(&SUMMA_COMPOSER, costs::composer_bytes(study.rules(), study.question))?;
    problem_framer(run, study).await?;
    retrieval(run, study).await?;
    literature_scout(run, study).await?;
    hypothesis_generator(run, study).await?;
    diversity_of_the_proposed(run, study).await?;
    critic(run, study).await?;
    diversity_of_the_contested(run, study).await?;
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
    let survey: Survey = run
        .agent(&LITERATURE_SCOUT)
        .given("Question", study.question)
        .given("How it was framed", study.framed())
        .citing(&study.evidence)
        .offline(|| offline::surveyed(study.question, &study.evidence))
        .reply()
        .await?;
    study.keep("literature_scout", &survey);
    study.surveyed(&survey, run.mode());
    Ok(())
}

async fn hypothesis_generator(run: &Run, study: &mut Study<'_>) -> Result<()> {
    study.enter("hypothesis_generator");
    study.candidates = proposed(run, study, None).await?;
    Ok(())
}

/// Asks for hypotheses; `close` is what was wrong with an earlier set.
async fn proposed(run: &Run, study: &mut Study<'_>, close: Option<&str>) -> Result<Vec<Candidate>> {
    let wanted = study.rules().hypotheses as usize;
    let mut call = run
        .agent(&HYPOTHESIS_GENERATOR)
        .given("Question", study.question)
        .given("How it was framed", study.framed())
        .given("Domain", &study.domain)
        .given("Objective", &study.objective)
        .given("Hypotheses wanted", wanted.to_string())
        .showing("What the literature says", study.findings());
    if let Some(close) = close {
        call = call.showing("Your earlier hypotheses", study.described(&study.candidates));
        call = call.given("What is wrong with them", close);
    }
    let generated: Generated = call
        .citing(&study.evidence)
        .offline(|| offline::generated(study.question, &study.evidence, wanted))
        .reply()
        .await?;
    study.keep("hypothesis_generator", &generated);
    let candidates = study.reader(run.mode()).proposed(&generated, wanted);
    if candidates.is_empty() {
        return Err(study.failed("no hypothesis could be drawn from what was read"));
    }
    Ok(candidates)
}

async fn diversity_of_the_proposed(run: &Run, study: &mut Study<'_>) -> Result<()> {
    study.enter("hypothesis_generator");
    let measured = literature::alike(run, study, "hypothesis_generator").await?;
    let too_few = study.candidates.len() < study.rules().fewest_hypotheses as usize;
    study.diversity.push(measured.clone());
    if run.mode() == Mode::Offline || (measured.too_close.is_empty() && !too_few) {
        return Ok(());
    }
    run.say(
        "the hypotheses are too few or too close to each other; asking the generator once more",
    );
    let close = study.too_close(&measured);
    let second = proposed(run, study, Some(&close)).await?;
    let first = std::mem::replace(&mut study.candidates, second);
    let again = literature::alike(run, study, "hypothesis_generator").await?;
    study.retried(measured, again, first);
    Ok(())
}

async fn critic(run: &Run, study: &mut Study<'_>) -> Result<()> {
    study.enter("critic");
    let critique = criticised(run, study, None).await?;
    study.contested(run, &critique);
    Ok(())
}

/// Asks for objections; `close` is what was wrong with an earlier revision.
async fn criticised(run: &Run, study: &mut Study<'_>, close: Option<&str>) -> Result<Critique> {
    let mut call = run
        .agent(&CRITIC)
        .given("Question", study.question)
        .showing("Hypotheses", study.described(&study.candidates));
    if let Some(close) = close {
        call = call.given("What is wrong with your earlier revision", close);
    }
    let critique: Critique = call
        .citing(&study.evidence)
        .offline(|| offline::criticised(&study.candidates, &study.evidence))
        .reply()
        .await?;
    study.keep("critic", &critique);
    Ok(critique)
}

async fn diversity_of_the_contested(run: &Run, study: &mut Study<'_>) -> Result<()> {
    study.enter("critic");
    let measured = literature::alike(run, study, "critic").await?;
    study.diversity.push(measured.clone());
    if run.mode() == Mode::Offline || measured.too_close.is_empty() {
        return Ok(());
    }
    run.say("the revised hypotheses are too close to each other; asking the critic once more");
    let close = study.too_close(&measured);
    let first = study.candidates.clone();
    let critique = criticised(run, study, Some(&close)).await?;
    study.contested(run, &critique);
    let again = literature::alike(run, study, "critic").await?;
    study.retried(measured, again, first);
    Ok(())
}

async fn ranker(run: &Run, study: &mut Study<'_>) -> Result<()> {
    study.enter("ranker");
    let mut calls = Vec::new();
    if study.candidates.len() > 1 {
        let rounds = 1..=study.rules().ranking.rounds;
        let orders =
            rounds.flat_map(|round| [Order::InOrder, Order::Reversed].map(|order| (round, order)));
        let asked = orders.map(async |(round, order)| {
            Ok((round, order, judged(run, study, round, order).await?))
        });
        calls = join_all(asked).await.into_iter().collect::<Result<Vec<_>>>()?;
    }
    let said: Vec<_> = calls
        .iter()
        .map(|(round, order, judged)| json!({"round": round, "order": name_of(*order), "comparisons": judged.comparisons}))
        .collect();
    study.keep("ranker", &said);
    let calls: Vec<Call<'_>> = calls
        .iter()
        .map(|(round, order, judged)| Call {
            order: *order,
            round: *round,
            records: &judged.comparisons,
        })
        .collect();
    study.ranked(run, &calls);
    Ok(())
}

/// Asks a judge for every pair, in one order of showing them.
async fn judged(run: &Run, study: &Study<'_>, round: u32, order: Order) -> Result<Judgements> {
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

/// Asks for the *quaestiones*; `wrong` is what was wrong with an earlier text.
async fn composed(run: &Run, study: &mut Study<'_>, wrong: Option<&str>) -> Result<Rendering> {
    let blocks = study.blocks();
    let cited = study.cited_evidence();
    let mut call = run
        .agent(&SUMMA_COMPOSER)
        .given("Question", study.question)
        .given("Blocks wanted", blocks.len().to_string())
        .showing("The hypotheses, with what each block is to hold", study.outlined());
    if let Some(wrong) = wrong {
        call = call.showing("What was wrong with your earlier text", wrong);
    }
    let itself = || Composed { summa_rendering: summa::composed(&blocks) };
    let composed: Composed = call.citing(&cited).as_synthesis().offline(itself).reply().await?;
    study.keep("summa_composer", &composed);
    let (text, faults) = match summa::read(&composed.summa_rendering) {
        Ok(read) if read.len() == blocks.len() => (summa::composed(&read), vec![]),
        _ => (itself().summa_rendering, summa::faults(&composed.summa_rendering, blocks.len())),
    };
    if !faults.is_empty() {
        run.warn(format!(
            "the composer's text is no quaestio ({}); it was built from the ranked hypotheses instead",
            faults.join("; ")
        ));
    }
    let origin = match run.mode() {
        Mode::Offline => Origin::Extractive,
        Mode::Model if text == itself().summa_rendering => Origin::Fallback,
        Mode::Model => Origin::Model,
    };
    Ok(study.rendered(&text, origin))
}

async fn final_validation(run: &Run, study: &mut Study<'_>) -> Result<()> {
    study.enter("final_validation");
    let mut retry_attempted = false;
    let wrong = [study.violations(), study.unborne()].concat();
    if !wrong.is_empty() && study.is_written_by_a_model() {
        run.say("the composer's text did not hold; asking the composer once more");
        retry_attempted = true;
        match composed(run, study, Some(&wrong.join("\n"))).await {
            Ok(second) => study.recomposed(second),
            Err(stop @ (Stop::Budget { .. } | Stop::Stage { .. })) => {
                run.warn(format!("the composer could not be asked again: {stop}"));
            }
            Err(stop) => return Err(stop),
        }
    }
    let violations = study.violations();
    if violations.is_empty() {
        return Ok(());
    }
    study.rendering = Some(study.rendered(&summa::composed(&study.blocks()), Origin::Fallback));
    Err(Stop::Stage {
        stage: "final_validation".into(),
        message: violations.join("; "),
        retry_attempted,
    })
}

fn name_of(order: Order) -> &'static str {
    match order {
        Order::InOrder => "in-order",
        Order::Reversed => "reversed",
    }
}
