//! A debate between two scientists over live sources, in which proposed code is actually run.
//!
//! The optimist reads and proposes, with code; the code is run in a sandbox; the pessimist reads and reviews, given the output of the run.
//! They repeat this until the review finds the proposal viable and its code good, or the cycles are used up. Verdicts come only from fields
//! of the pessimist's own reply, and a PASS that the execution does not support is overruled.
//!
//! # Design
//!
//! `methods::debate` reads as its process: `proposed`, then `reviewed`, until the review finds the proposal viable or the cycles are used
//! up. The sentences live in a `Transcript`, which is also the result of a debate that is stopped. The other modules have one concern each:
//!
//! - `reading.rs`, `query.rs`: what a turn searches for (the question and the outcome of the previous turn; the question alone while
//!   private documents are read), arXiv and Crossref concurrently, and retrieval over the whole corpus, a collection that all debates of a
//!   user share. If a later debate reads a paper again, earlier debates do not change: evidence is stored in the log.
//! - `replies.rs`, `ending.rs`: the two scientists and their typed replies. The verdicts of a plain-text reply are read from the marker
//!   lines at its very end and from nowhere else.
//! - `entering.rs`: a sentence that cites is a claim of the ledger. A position or a critique that cites nothing is `inferred` from the
//!   scientist's statements that hold, and names these claims in `rests_on`. A next step is a remark that introduces no figure and no
//!   source of its own. A quotation of the other must occur in what the other said. What does not hold goes back once and is then cut.
//! - `trial.rs`: proposed code is the step `sandbox/turn-N/execute`, whose result is evidence of type `execution` (`execution://turn-N`)
//!   for the reviewer. A PASS is overruled if the execution or one of the code's own checks failed, or if none of them held; without an
//!   execution it becomes N/A. `contract.rs` checks a delivered debate against the same rules.
//! - `text.rs`, `guard.rs`, `milestone.rs`, `telling.rs`: the documented text. Each turn is recorded as it is delivered (step `response`),
//!   so the stream, the page, a report and a replay show the same.
//!
//! Marks `[n]` are numbered through the whole debate, one number per quote, and never change once shown. A separate step formats the
//! references, through the port `Bibliography`.

mod contract;
mod costs;
mod ending;
mod entering;
mod guard;
mod milestone;
mod offline;
mod options;
pub mod payload;
mod query;
mod reading;
mod replies;
pub(crate) mod report;
mod stages;
mod telling;
mod text;
mod transcript;
mod trial;

use run::material::Material;
use run::{Agent, Call, Deliverable, Mode, Reply, Result, Run, Stop};

use crate::grounded::docket::{Docket, mend, settle};
use crate::grounded::{self, READER};
use entering::{Entered, ReplyCheck, Speech, entered};
use payload::{Answer, Ending, Markers, Scientist, Validation, Viability};
use reading::{TurnInput, read_up};
use replies::{OPTIMIST, PESSIMIST, Proposal};
use transcript::{Spoken, Transcript};
use trial::{check_verdict, run_code};

pub use contract::schema;
pub(crate) use contract::violations;
pub use costs::calls;
pub use milestone::Milestone;
pub use options::{Options, Remark, Rules};
pub use reading::is_scholarly;
pub use stages::stages;
pub use telling::{TextStream, ending};

pub(crate) async fn perform(run: &Run) -> Result<Deliverable> {
    let options: Options = run.options()?;
    debate(run, run.question(), &options).await
}

/// Debates a question. If the run is stopped early, the turns so far are its partial result.
pub async fn debate(run: &Run, question: &str, options: &Options) -> Result<Deliverable> {
    let mut transcript = Transcript::of(run, question, options);
    transcript.keep(run)?;
    let ending = in_turns(run, &mut transcript).await?;
    transcript.delivered(run, ending)
}

async fn in_turns(run: &Run, transcript: &mut Transcript<'_>) -> Result<Ending> {
    reading::page(run, transcript).await?;
    for cycle in 1..=transcript.options.rules.max_turns {
        if !proposed(run, transcript, cycle).await? || !reviewed(run, transcript, cycle).await? {
            return Ok(Ending::NoEvidence);
        }
        if transcript.is_viable() {
            return Ok(Ending::Viable);
        }
        // Without a model, a cycle with nothing new means that there is nothing left to say.
        if run.mode() == Mode::Offline && transcript.is_exhausted() {
            return Ok(if cycle == 1 { Ending::NoEvidence } else { Ending::MaxTurns });
        }
    }
    Ok(Ending::MaxTurns)
}

/// Lets the optimist propose and runs the proposed code; returns whether there was any evidence to propose from.
async fn proposed(run: &Run, transcript: &mut Transcript<'_>, cycle: u32) -> Result<bool> {
    let who = Scientist::Optimist;
    let turn = &scope(run, who.role(), cycle);
    let Some(turn_input) = read_up(turn, transcript, who).await? else { return Ok(false) };
    let offline =
        || offline::proposal(transcript.question, &turn_input.evidence, &transcript.turns);
    let (mut proposal, entered): (Proposal, Entered) =
        spoke(turn, transcript, &turn_input, who, offline).await?;
    proposal.code.language = trial::language(&proposal.code.language);
    let tried = run_code(run, transcript, &proposal.code, cycle).await?;
    let markers = Markers {
        agreement: proposal.agreement,
        viability: proposal.viability,
        // No scientist validates their own code.
        validation: Validation::NotApplicable,
        answer: None,
        verification_reason: String::new(),
        conclusion: concluded(&entered.conclusion, who),
    };
    let proposed = tried.map(|trial| (proposal.code, trial));
    let overruled = String::new();
    let spoken = Spoken { cycle, who, turn_input, entered, markers, proposed, overruled };
    transcript.speak(turn, spoken).await?;
    Ok(true)
}

/// Lets the pessimist review the proposal; returns whether there was any evidence to review it from.
async fn reviewed(run: &Run, transcript: &mut Transcript<'_>, cycle: u32) -> Result<bool> {
    let who = Scientist::Pessimist;
    let turn = &scope(run, who.role(), cycle);
    let Some(mut turn_input) = read_up(turn, transcript, who).await? else { return Ok(false) };
    let trial = transcript.last_of(Scientist::Optimist).and_then(|turn| turn.proposal.as_ref());
    let trial = trial.map(|proposal| proposal.trial.clone());
    if let Some(passage) = trial.as_ref().and_then(|trial| trial::passage(trial, cycle)) {
        let cited = turn.cite(vec![passage])?;
        transcript.take_in(&cited);
        turn_input.evidence.extend(cited);
    }
    let offline = || {
        offline::review(
            transcript.question,
            &turn_input.evidence,
            &transcript.turns,
            trial.as_ref(),
        )
    };
    let (review, entered) = spoke(turn, transcript, &turn_input, who, offline).await?;
    let (viability, said) = review.verdict();
    let (validation, overruled) = check_verdict(said, trial.as_ref());
    if !overruled.is_empty() {
        run.say(format!("{}: {overruled}", who.title()));
    }
    let verified = viability == Viability::Viable && validation == Validation::Pass;
    let markers = Markers {
        agreement: review.agreement,
        viability,
        validation,
        answer: Some(if verified { Answer::Verified } else { Answer::Unverified }),
        verification_reason: entered.reason.clone(),
        conclusion: concluded(&entered.conclusion, who),
    };
    let spoken = Spoken { cycle, who, turn_input, entered, markers, proposed: None, overruled };
    transcript.speak(turn, spoken).await?;
    Ok(true)
}

fn scope(run: &Run, role: &str, cycle: u32) -> Run {
    run.scope(role).scope(&format!("turn-{cycle}"))
}

/// Asks a scientist for a reply. What does not hold goes back once, and the better of the two replies stands.
async fn spoke<R: Reply + Speech + Clone>(
    run: &Run,
    transcript: &Transcript<'_>,
    turn_input: &TurnInput,
    who: Scientist,
    offline: impl FnOnce() -> R,
) -> Result<(R, Entered)> {
    let other = transcript.said_by_the_other(who);
    let (history, code) = (transcript.history(), trial::told(transcript));
    let told = transcript.told();
    let asked = || asked(run, transcript, turn_input, who, (&history, &code));
    let reply_check = ReplyCheck {
        evidence: &turn_input.evidence,
        other: &other,
        given: &[transcript.question, &history, &code, &told],
        tokens: transcript.options.rules.max_new_tokens as usize,
        mode: run.mode(),
    };
    let material = Material::of(&turn_input.evidence);
    grounded::hold_back(run, costs::usual_reply(&transcript.options.rules))?;
    let spoken = heard(run, transcript, (&material, &reply_check), who, &asked, offline).await;
    run.release(&READER);
    spoken
}

/// Receives a reply and enters it.
async fn heard<'c, R: Reply + Speech + Clone>(
    run: &Run,
    transcript: &Transcript<'_>,
    (material, reply_check): (&Material<'_>, &ReplyCheck<'_>),
    who: Scientist,
    asked: &(dyn Fn() -> Call<'c> + Sync),
    offline: impl FnOnce() -> R,
) -> Result<(R, Entered)> {
    // Without a model, a debate continues only until both sides were heard.
    let (first, mode): (R, Mode) = if run.mode() == Mode::Offline || transcript.turns.len() < 2 {
        asked().offline(offline).reply_and_mode().await?
    } else {
        (asked().reply().await?, Mode::Model)
    };
    let reply_check = &ReplyCheck { mode, ..*reply_check };
    let new_docket = || Docket::new(material, transcript.question, mode);
    let mut before = new_docket();
    let enter = |docket: &mut Docket<'_>| entered(&first, reply_check, docket);
    let found = settle(run, &mut before, enter).await?;
    if mode == Mode::Offline {
        return Ok((first, found));
    }
    if found.violations.is_empty() {
        mend(run, &mut before, asked).await?;
        let found = settle(run, &mut before, enter).await?;
        return Ok((first, found));
    }
    run.say(format!("some of what {} said failed the check; asking once more", who.title()));
    let wrong = format!("{}\n{}", found.violations.join("\n"), before.told());
    let again = asked().again("What did not hold in your earlier reply", &wrong).reply::<R>().await;
    match again {
        Ok(second) => {
            let mut docket = new_docket();
            let after =
                settle(run, &mut docket, |docket| entered(&second, reply_check, docket)).await?;
            let stands = after.stands_beside(&found);
            Ok(if stands { (second, after) } else { (first, found) })
        }
        Err(stop @ (Stop::Budget { .. } | Stop::Stage { .. })) => {
            run.warn(format!("could not ask {} again: {stop}", who.title()));
            Ok((first, found))
        }
        Err(stop) => Err(stop),
    }
}

/// Prepares the call to a scientist, with everything that they may speak from.
fn asked<'a>(
    run: &'a Run,
    transcript: &Transcript<'_>,
    turn_input: &'a TurnInput,
    who: Scientist,
    (history, code): (&str, &str),
) -> Call<'a> {
    let agent: &Agent = match who {
        Scientist::Optimist => &OPTIMIST,
        Scientist::Pessimist => &PESSIMIST,
    };
    let tokens = transcript.options.rules.max_new_tokens;
    let mut call = run.agent(agent).given("Question", transcript.question).given(
        "Length of your response, at most",
        format!("{tokens} tokens, quotes and code aside"),
    );
    if !history.is_empty() {
        call = call.showing("The conversation before the debate", history);
    }
    if transcript.turns.is_empty() {
        call = call.given(
            "The debate so far",
            "This is the first turn. Nobody has spoken before you: there is no opponent to quote, to agree with or to answer.",
        );
    } else {
        call = call.showing("The debate so far", transcript.told());
        if !code.is_empty() {
            call = call.showing("The latest code, and what came of running it", code);
        }
    }
    call.citing_statements(&turn_input.evidence)
}

/// Returns the conclusion, or a placeholder if the scientist gave none or it was more than a remark.
fn concluded(conclusion: &str, who: Scientist) -> String {
    if conclusion.is_empty() {
        format!("{} gave no conclusion that passed the check.", who.title())
    } else {
        conclusion.to_owned()
    }
}
