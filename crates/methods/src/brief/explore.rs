//! The first phase: a worker analyses and a critic steers it, WHAT before WHY before HOW.

use std::fmt::Write as _;

use serde_json::json;

use run::ledger::{Claim, Verdict};
use run::material::Material;
use run::{Call, Mode, Result, Run, Stop};

use super::costs;
use super::data::Data;
use super::judging::{Outcome, Spoken};
use super::offline;
use super::payload::{Confidence, ExploreEnd, ExploreStage, Finding};
use super::replies::{
    CriticDirective, EXPLORE_CRITIC, EXPLORE_WORKER, ExplorationOutput, FEEDBACK_CRITIC, Feedback,
    Found, SYNTHESIZER,
};
use super::state::PipelineState;
use super::statements::Named;
use super::tools::{self, Analysed};
use crate::grounded::docket::{Docket, mend, plain, settle};
use crate::grounded::free::is_more;
use crate::grounded::{self, READER};

/// Explores until there is no new angle or the rounds are used up.
pub(super) async fn explored(run: &Run, state: &mut PipelineState<'_>, data: &Data) -> Result<()> {
    loop {
        let (rules, told) = (&state.options.rules, state.findings_told(&ExploreStage::ALL).len());
        let to_come = rules.max_explore_iters.saturating_sub(state.explore_count);
        let bytes = costs::synthesizer_bytes(rules, state.original_query, told, to_come);
        run.hold_back(&SYNTHESIZER, bytes)?;
        grounded::hold_back_for_synthesis(run, costs::DRAFT_REPLY)?;
        let stage = state.current_stage;
        state.explored.insert(stage);
        round(run, state, data, Some(stage)).await?;
        if state.explore_count >= state.options.rules.max_explore_iters {
            state.explore_ended = Some(ExploreEnd::MaxExploreIters);
            let most = state.explore_count;
            let told = format!("the limit of {most} rounds is reached");
            state.record(EXPLORE_CRITIC.name, most, Some(stage), told, json!({}));
            if let Some(left) = state.unexplored() {
                let left = left.name().to_uppercase();
                run.warn(format!(
                    "after the limit of {most} rounds, this was not looked at: {left}. Raise `brief.max_explore_iters` for \
                     more"
                ));
            }
            return Ok(());
        }
        if !steered(run, state).await? {
            state.explore_ended = Some(ExploreEnd::NoNewAngle);
            return Ok(());
        }
    }
}

/// Alternates between a worker and a critic until the critic has nothing to add. Returns the ids of the findings of the last round that
/// reported any.
pub(super) async fn taken_in_turns(
    run: &Run,
    state: &mut PipelineState<'_>,
    data: &Data,
) -> Result<Vec<String>> {
    let mut last = Vec::new();
    loop {
        let reported = round(run, state, data, None).await?;
        if !reported.is_empty() {
            last = reported;
        }
        let count = state.explore_count;
        if count >= state.options.rules.max_iterations {
            state.explore_ended = Some(ExploreEnd::MaxIterations);
            return Ok(last);
        }
        let Feedback { feedback } = run
            .agent(&FEEDBACK_CRITIC)
            .given("Business question", state.original_query)
            .showing("Findings", state.findings_told(&ExploreStage::ALL))
            .showing("Studies and their segments", state.catalogue.told())
            .showing("Nobody has looked at", state.uncovered_told())
            .offline(Feedback::default)
            .reply()
            .await?;
        let feedback = plain(&feedback);
        let told = if feedback.is_empty() { "nothing is missing" } else { "something is missing" };
        state.record(FEEDBACK_CRITIC.name, count, None, told, json!({ "feedback": feedback }));
        if feedback.is_empty() {
            state.explore_ended = Some(ExploreEnd::NoFeedback);
            return Ok(last);
        }
        state.current_query = feedback;
    }
}

/// Asks the critic where to go next and returns whether the exploration continues. It does not end before every layer was explored.
async fn steered(run: &Run, state: &mut PipelineState<'_>) -> Result<bool> {
    let unexplored = state.unexplored();
    let replied = run
        .agent(&EXPLORE_CRITIC)
        .given("Business question", state.original_query)
        .given("Current layer", state.current_stage.name())
        .given("Findings of each layer", state.counts_told())
        .showing("Findings", state.findings_told(&ExploreStage::ALL))
        .showing("Studies and their segments", state.catalogue.told())
        .showing("Nobody has looked at", state.uncovered_told())
        .showing("Data gaps", state.gaps_told())
        .offline(|| offline::directive(unexplored))
        .reply::<CriticDirective>()
        .await;
    let directive = match replied {
        // The next step can be chosen without the critic.
        Err(stop @ Stop::Stage { .. }) => {
            run.warn(format!("the data were explored by rule, without a model: {stop}"));
            offline::directive(unexplored)
        }
        replied => replied?,
    };
    let (round, stage) = (state.explore_count, state.current_stage);
    state.note_gaps(&directive.gaps_identified);
    let wanted = directive.has_new_angle.then_some(directive.next_stage);
    let rounds_left = state.options.rules.max_explore_iters.saturating_sub(state.explore_count);
    let is_last_chance = state.unexplored_count() >= rounds_left;
    // An explored layer may be repeated while enough rounds remain for the unexplored ones. An unexplored layer comes before later layers
    // and before the end.
    let next = match (wanted, unexplored) {
        (Some(wanted), Some(first)) if wanted > first || is_last_chance => Some(first),
        (None, Some(first)) => Some(first),
        (wanted, _) => wanted,
    };
    let corrected = next != wanted;
    let told = match next {
        None => "there is no new angle".to_owned(),
        Some(next) if corrected => {
            let said = wanted.map_or("an end".to_owned(), |one| one.name().to_uppercase());
            let next = next.name().to_uppercase();
            format!("the critic wanted {said}; {next} was not looked at yet and comes first")
        }
        Some(next) => format!("continues with {}", next.name().to_uppercase()),
    };
    if corrected {
        run.say(format!("explore_critic: {told}"));
    }
    let details = json!({ "directive": directive, "corrected": corrected, "next_stage": next });
    state.record(EXPLORE_CRITIC.name, round, Some(stage), told, details);
    let Some(next) = next else { return Ok(false) };
    state.current_stage = next;
    state.current_query = match corrected {
        false => plain(&directive.follow_up_query),
        true => offline::query(next, state.original_query),
    };
    Ok(true)
}

/// Runs a round of the worker: tools first, then a report. The findings that hold go into the bank; returns their ids.
async fn round(
    run: &Run,
    state: &mut PipelineState<'_>,
    data: &Data,
    stage: Option<ExploreStage>,
) -> Result<Vec<String>> {
    state.explore_count += 1;
    let number = state.explore_count;
    let run = &run.scope(EXPLORE_WORKER.name).scope(&format!("round-{number}"));
    let mut round_input =
        RoundInput { left: state.options.rules.tool_rounds, ..RoundInput::default() };
    let mut mode = run.mode();
    grounded::hold_back(run, costs::REPORT_REPLY)?;
    let report = loop {
        if mode == Mode::Offline {
            round_input.by_rule =
                chosen_by_rule(run, state, stage.unwrap_or_default(), &round_input)?;
        }
        let itself = || {
            let stage = stage.unwrap_or_default();
            offline::explored(
                state,
                stage,
                &round_input.analysed,
                &round_input.by_rule,
                round_input.left,
            )
        };
        let call = asked(run, state, stage, &round_input);
        let (reply, by): (ExplorationOutput, Mode) = call.offline(itself).reply_and_mode().await?;
        let asked_model = std::mem::replace(&mut mode, by) == Mode::Model;
        if asked_model && by == Mode::Offline {
            // The budget no longer allows a model, so the rest of the round goes by rule.
            continue;
        }
        if reply.calls.is_empty() || round_input.left == 0 {
            break reply;
        }
        round_input.left -= 1;
        let most = state.options.rules.tool_calls as usize;
        if reply.calls.len() > most {
            run.say(format!("the worker called {} tools; the first {most} are", reply.calls.len()));
        }
        for call in reply.calls.iter().take(most) {
            let (found, language) = (state.options.rules.questions_found, state.language);
            let analysed =
                tools::called(run, data, &state.catalogue, call, found, language).await?;
            let numbers = state.statements.cite(run, analysed.statements.clone())?;
            let told = state.statements.told(&numbers);
            let _ = write!(round_input.told, "{}\n{told}{}\n", analysed.heading(), analysed.text);
            round_input.analysed.push(analysed);
        }
    };
    round_input.left = 0;
    let entered = check_findings(run, state, stage, &report.findings, &round_input, mode).await?;
    run.release(&READER);
    state.rejected += entered.refused.len() as u32;
    let known = state.finding_bank.len();
    let good = entered.good.into_iter();
    let reported: Vec<String> =
        good.map(|(found, claim)| state.banked(found, claim, number)).collect();
    let added: Vec<Finding> = state.finding_bank.iter().skip(known).cloned().collect();
    state.note_gaps(&report.data_gaps);
    let calls: Vec<_> = round_input.analysed.iter().map(|one| &one.call).collect();
    let details = json!({
        "query": state.current_query, "query_answered": report.query_answered, "calls": calls,
        "findings": added, "not_held": entered.refused,
    });
    let told = format!(
        "{} analyses and searches, {} findings, {} that failed the check",
        calls.len(),
        added.len(),
        entered.refused.len()
    );
    state.record(EXPLORE_WORKER.name, number, stage, told, details);
    state.looked_at(round_input.analysed);
    state.keep(run)?;
    Ok(reported)
}

/// Returns the findings without a model: statements, word for word.
fn chosen_by_rule(
    run: &Run,
    state: &mut PipelineState<'_>,
    stage: ExploreStage,
    round_input: &RoundInput,
) -> Result<Vec<Found>> {
    let chosen = offline::chosen(state, stage, &round_input.analysed, round_input.left);
    let texts: Vec<String> = chosen.iter().map(|stated| stated.text.clone()).collect();
    let numbers = state.statements.cite(run, chosen)?;
    let found = texts.into_iter().zip(numbers).map(|(claim, number)| Found {
        claim,
        rests_on: vec![format!("F{number}")],
        depth: stage,
        ..Found::default()
    });
    Ok(found.collect())
}

/// The worker's input in a round.
#[derive(Default)]
struct RoundInput {
    analysed: Vec<Analysed>,
    /// The results of the analyses, as shown to the worker.
    told: String,
    /// The findings made without a model.
    by_rule: Vec<Found>,
    /// The number of tool rounds left.
    left: u32,
}

fn asked<'a>(
    run: &'a Run,
    state: &PipelineState<'_>,
    stage: Option<ExploreStage>,
    round_input: &RoundInput,
) -> Call<'a> {
    let rules = &state.options.rules;
    let found =
        state.catalogue.nearest(&state.current_query, rules.questions_found as usize, false);
    let depth = match stage {
        Some(ExploreStage::What) => "WHAT: top-line findings and key metrics",
        Some(ExploreStage::Why) => "WHY: what differs between segments and studies",
        Some(ExploreStage::How) => "HOW: implications and actions that follow from what was found",
        None => "any; tag each finding",
    };
    let tools = match round_input.left {
        0 => "No tools are left: report now.".to_owned(),
        left => {
            format!("You may call tools {left} more times, up to {} at a time.", rules.tool_calls)
        }
    };
    let mut call = run
        .agent(&EXPLORE_WORKER)
        .given("Business question", state.original_query)
        .given("Current query", &state.current_query)
        .given("Depth", depth)
        .given("Tools", tools)
        .given("Findings wanted, at most", rules.most_findings.to_string())
        .given("Findings of each layer", state.counts_told())
        .showing("Studies and their segments", state.catalogue.told())
        .showing("Questions nearest to the query", state.catalogue.questions_told(&found));
    if !state.finding_bank.is_empty() {
        call = call.showing("Found so far", state.findings_told(&ExploreStage::ALL));
    }
    let uncovered = state.uncovered_told();
    if !uncovered.is_empty() {
        call = call.showing("Nobody has looked at", uncovered);
    }
    if !round_input.told.is_empty() {
        call = call.showing("What the tools returned", &round_input.told);
    }
    call
}

/// Findings after they were checked against their statements.
struct Entered {
    /// The findings that hold; a judgement of the worker has no claim.
    good: Vec<(Found, Option<Claim>)>,
    /// The findings that did not hold as first written, and why.
    refused: Vec<String>,
}

/// Checks findings against the statements that they name. One that does not hold goes back to the worker once; if it fails again, its
/// statement replaces it.
async fn check_findings(
    run: &Run,
    state: &PipelineState<'_>,
    stage: Option<ExploreStage>,
    findings: &[Found],
    round_input: &RoundInput,
    mode: Mode,
) -> Result<Entered> {
    let most = state.options.rules.most_findings as usize;
    let is_beyond = |found: &Found| stage.is_some_and(|stage| found.depth > stage);
    let (beyond, findings): (Vec<&Found>, Vec<&Found>) =
        findings.iter().take(most).partition(|found| is_beyond(found));
    let shown = state.shown();
    let material = Material::of(&state.statements.evidence);
    let mut docket = Docket::new(&material, state.original_query, mode);
    let enter = |docket: &mut Docket<'_>| -> Vec<Option<Outcome>> {
        let judged = findings.iter().map(|found| state.judged(found.spoken(), &shown, docket));
        judged.collect()
    };
    let first = settle(run, &mut docket, enter).await?;
    let call = || asked(run, state, stage, round_input);
    mend(run, &mut docket, &call).await?;
    let outcomes = settle(run, &mut docket, enter).await?;
    let mut refused: Vec<String> = first.iter().flatten().filter_map(Outcome::fault).collect();
    refused.extend(beyond.into_iter().map(|found| {
        format!("\"{}\": its depth '{}' lies beyond this round", found.claim, found.depth.name())
    }));
    let mut good = Vec::new();
    for (found, outcome) in findings.into_iter().zip(outcomes) {
        let written = |claim: String| Found { claim, ..found.clone() };
        match outcome {
            Some(Outcome::Holds(claim, words)) => good.push((written(words), Some(claim))),
            Some(Outcome::Judgement) if found.depth == ExploreStage::How => {
                good.push((written(plain(&found.claim)), None));
            }
            Some(Outcome::Fails(..)) if found.depth != ExploreStage::How => {
                let named = Named::of(&found.claim, &found.rests_on);
                let stated = named.figures.first().and_then(|at| quoted(*at, &material));
                good.extend(stated.map(|claim| (written(claim.text.clone()), Some(claim))));
            }
            _ => {}
        }
    }
    Ok(Entered { good, refused })
}

/// Returns a statement as a claim.
fn quoted(number: u32, material: &Material<'_>) -> Option<Claim> {
    let place = material.place(::grounding::address::Address::Figure(number), "").ok()?;
    let citation = material.citation(place, None, Verdict::Recomputed)?;
    Some(Claim {
        text: citation.quote.clone(),
        verdict: Verdict::Recomputed,
        citations: vec![citation],
        ..Claim::default()
    })
}

impl Found {
    fn spoken(&self) -> Spoken<'_> {
        Spoken {
            text: &self.claim,
            rests_on: &self.rests_on,
            is_judgement: self.is_judgement && self.depth == ExploreStage::How,
            concludes: self.depth == ExploreStage::How,
        }
    }
}

impl PipelineState<'_> {
    /// Adds analyses. A segment counts as covered once a figure of it was reported, whether or not a finding names it.
    fn looked_at(&mut self, analysed: Vec<Analysed>) {
        for line in analysed.iter().flat_map(|one| &one.lines) {
            self.segments_covered.extend(line.segment.clone());
            self.studies_used.extend(line.figure.studies.iter().cloned());
        }
        self.analysed.extend(analysed);
    }

    /// Adds the gaps that state no number of their own.
    fn note_gaps(&mut self, named: &[String]) {
        // Collecting everything that was shown is expensive.
        if named.is_empty() {
            return;
        }
        let shown = self.shown();
        for gap in named.iter().map(|gap| plain(gap)) {
            if is_more(&gap, &shown).is_none() {
                self.gap(gap);
            }
        }
    }

    /// Puts a finding into the bank unless it is already there; returns its id.
    fn banked(&mut self, found: Found, claim: Option<Claim>, round: u32) -> String {
        let known = self.finding_bank.iter().find(|known| known.claim == found.claim);
        if let Some(known) = known {
            return known.id.clone();
        }
        let figures = claim.as_ref().map_or_else(Vec::new, |claim| self.statements.figures(claim));
        let is_low = figures.iter().any(|figure| figure.low_base);
        let segments: Vec<String> = figures
            .iter()
            .flat_map(|one| one.studies.iter().map(move |study| (study, &one.expression)))
            .flat_map(|(study, expression)| self.catalogue.segments_of(study, expression))
            .collect();
        let studies: Vec<String> =
            figures.iter().flat_map(|one| one.studies.iter().cloned()).collect();
        let finding = Finding {
            id: format!("c{}", self.finding_bank.len() + 1),
            claim: found.claim,
            verdict: claim.as_ref().map(|claim| claim.verdict),
            depth: found.depth,
            metric: figures.first().map(|figure| figure.shown.clone()),
            segment: segments.first().cloned(),
            study_id: studies.first().cloned(),
            confidence: if is_low { Confidence::Low } else { found.confidence },
            figures,
            round,
        };
        self.segments_covered.extend(segments);
        self.studies_used.extend(studies);
        let id = finding.id.clone();
        self.claims.extend(claim.map(|claim| (id.clone(), claim)));
        self.finding_bank.push(finding);
        id
    }
}
