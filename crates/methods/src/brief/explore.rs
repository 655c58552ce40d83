//! The first phase: a worker analyses, a critic says where to go on, WHAT before WHY before HOW.

use serde_json::json;

use run::evidence::Numbered;
use run::{Call, Mode, Result, Run, Stop};

use super::checking::{self, Held, Sentence};
use super::costs;
use super::data::Data;
use super::offline;
use super::payload::{Confidence, ExploreEnd, ExploreStage, Finding};
use super::replies::{
    CriticDirective, EXPLORE_CRITIC, EXPLORE_WORKER, ExplorationOutput, FEEDBACK_CRITIC, Feedback,
    Found, SYNTHESIZER,
};
use super::state::PipelineState;
use super::tools::{self, Analysed};
use crate::grounded::docket::plain;

/// Explores until there is no new angle, or there were rounds enough.
pub(super) async fn explored(run: &Run, state: &mut PipelineState<'_>, data: &Data) -> Result<()> {
    loop {
        let (rules, told) = (&state.options.rules, state.findings_told(&ExploreStage::ALL).len());
        let to_come = rules.max_explore_iters.saturating_sub(state.explore_count);
        let bytes = costs::synthesizer_bytes(rules, state.original_query, told, to_come);
        run.hold_back(&SYNTHESIZER, bytes)?;
        let stage = state.current_stage;
        state.explored.insert(stage);
        round(run, state, data, Some(stage)).await?;
        if state.explore_count >= state.options.rules.max_explore_iters {
            state.explore_ended = Some(ExploreEnd::MaxExploreIters);
            let most = state.explore_count;
            let told = format!("{most} rounds are as many as are allowed");
            state.record(EXPLORE_CRITIC.name, most, Some(stage), told, json!({}));
            if let Some(left) = state.unexplored() {
                let left = left.name().to_uppercase();
                run.warn(format!(
                    "{most} rounds did not reach {left}; brief.max_explore_iters allows more"
                ));
            }
            return Ok(());
        }
        if !steered(run, state, data).await? {
            state.explore_ended = Some(ExploreEnd::NoNewAngle);
            return Ok(());
        }
    }
}

/// Lets a worker and a critic take turns until the critic has nothing to add; returns the ids of what the last round that reported anything
/// found.
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

/// Asks the critic where to go on; tells whether the exploration does. No layer is left before it was looked at.
async fn steered(run: &Run, state: &mut PipelineState<'_>, data: &Data) -> Result<bool> {
    let unexplored = state.unexplored();
    let replied = run
        .agent(&EXPLORE_CRITIC)
        .given("Business question", state.original_query)
        .given("Current layer", state.current_stage.name())
        .given("Findings of each layer", state.counts_told())
        .showing("Findings", state.findings_told(&ExploreStage::ALL))
        .showing("Nobody has looked at", state.uncovered_told())
        .showing("Data gaps", state.gaps_told())
        .offline(|| offline::directive(unexplored))
        .reply::<CriticDirective>()
        .await;
    let directive = match replied {
        // Where to go on can be said without it.
        Err(stop @ Stop::Stage { .. }) => {
            run.warn(format!("explored by rule: {stop}"));
            offline::directive(unexplored)
        }
        replied => replied?,
    };
    let (round, stage) = (state.explore_count, state.current_stage);
    gaps(run, state, data, &directive.gaps_identified).await?;
    let wanted = directive.has_new_angle.then_some(directive.next_stage);
    let rounds_left = state.options.rules.max_explore_iters.saturating_sub(state.explore_count);
    let is_last_chance = state.unexplored_count() >= rounds_left;
    // A layer that was looked at may be looked at again while there are rounds for all others; one that was not comes before those after
    // it, and before the end.
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
        Some(next) => format!("goes on with {}", next.name().to_uppercase()),
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

/// A round of the worker: tools first, then a report, of which what holds goes into the bank. Returns the ids of what holds.
async fn round(
    run: &Run,
    state: &mut PipelineState<'_>,
    data: &Data,
    stage: Option<ExploreStage>,
) -> Result<Vec<String>> {
    state.explore_count += 1;
    let number = state.explore_count;
    let run = &run.scope(EXPLORE_WORKER.name).scope(&format!("round-{number}"));
    let mut desk = Desk { left: state.options.rules.tool_rounds, ..Desk::default() };
    let mut mode = run.mode();
    let report = loop {
        if mode == Mode::Offline {
            let stage = stage.unwrap_or_default();
            let groups = offline::candidates(state, stage, &desk.analysed, desk.left);
            desk.by_rule = chosen(run, data, &groups).await?;
        }
        let itself = || {
            let stage = stage.unwrap_or_default();
            offline::explored(state, stage, &desk.analysed, &desk.by_rule, desk.left)
        };
        let call = asked(run, state, stage, &desk, None);
        let (reply, by): (ExplorationOutput, Mode) = call.offline(itself).reply_and_mode().await?;
        let asked_model = std::mem::replace(&mut mode, by) == Mode::Model;
        if asked_model && by == Mode::Offline {
            // The budget allows no model any more: what is left of the round goes by rule.
            continue;
        }
        if reply.calls.is_empty() || desk.left == 0 {
            break reply;
        }
        desk.left -= 1;
        let most = state.options.rules.tool_calls as usize;
        if reply.calls.len() > most {
            run.say(format!("the worker called {} tools; the first {most} are", reply.calls.len()));
        }
        for call in reply.calls.iter().take(most) {
            let found = state.options.rules.questions_found;
            let analysed = tools::called(run, data, &state.catalogue, call, found).await?;
            desk.evidence.extend(run.cite(vec![tools::passage(&analysed)])?);
            desk.analysed.push(analysed);
        }
    };
    desk.left = 0;
    let entered = entered(run, state, data, stage, &report.findings).await?;
    let mut gaps = report.data_gaps.clone();
    let mut all = vec![entered];
    if mode == Mode::Model && all.iter().any(|one| !one.faults.is_empty()) {
        run.say("some findings did not hold; asking the worker once more");
        let wrong = all.iter().flat_map(|one| &one.faults).cloned().collect::<Vec<_>>().join("\n");
        let call = asked(run, state, stage, &desk, Some(&wrong));
        match call.reply::<ExplorationOutput>().await {
            Ok(second) => {
                gaps.extend(second.data_gaps.clone());
                all.push(self::entered(run, state, data, stage, &second.findings).await?);
            }
            Err(stop @ (Stop::Budget { .. } | Stop::Stage { .. })) => {
                run.warn(format!("the worker could not be asked again: {stop}"));
            }
            Err(stop) => return Err(stop),
        }
    }
    // What was mended in a second reply did not hold in the first all the same.
    let mut refused: Vec<String> = Vec::new();
    for fault in all.iter().flat_map(|one| &one.faults) {
        if !refused.contains(fault) {
            refused.push(fault.clone());
        }
    }
    state.rejected += refused.len() as u32;
    let known = state.finding_bank.len();
    let good = all.into_iter().flat_map(|one| one.good);
    let reported: Vec<String> =
        good.map(|(found, held)| state.banked(found, &held, number)).collect();
    let added: Vec<Finding> = state.finding_bank.iter().skip(known).cloned().collect();
    self::gaps(run, state, data, &gaps).await?;
    let calls: Vec<_> = desk.analysed.iter().map(|one| &one.call).collect();
    let details = json!({
        "query": state.current_query, "query_answered": report.query_answered, "calls": calls,
        "findings": added, "not_held": refused,
    });
    let told = format!(
        "{} analyses and searches, {} findings, {} that did not hold",
        calls.len(),
        added.len(),
        refused.len()
    );
    state.record(EXPLORE_WORKER.name, number, stage, told, details);
    state.looked_at(desk.analysed);
    state.keep(run)?;
    Ok(reported)
}

/// Takes gaps in that state no finding of their own.
async fn gaps(
    run: &Run,
    state: &mut PipelineState<'_>,
    data: &Data,
    named: &[String],
) -> Result<()> {
    let sentence = |text: &String| Sentence { text: plain(text), ..Sentence::default() };
    let gaps: Vec<Sentence> = named.iter().map(sentence).collect();
    for (gap, held) in gaps.iter().zip(checking::checked(run, data, &gaps).await?) {
        if held.holds() {
            state.gap(gap.text.clone());
        }
    }
    Ok(())
}

/// What lies before the worker in a round.
#[derive(Default)]
struct Desk {
    evidence: Vec<Numbered>,
    analysed: Vec<Analysed>,
    /// What is found without a model.
    by_rule: Vec<Found>,
    /// How often tools may still be called.
    left: u32,
}

fn asked<'a>(
    run: &'a Run,
    state: &PipelineState<'_>,
    stage: Option<ExploreStage>,
    desk: &'a Desk,
    wrong: Option<&str>,
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
    let tools = match desk.left {
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
    if let Some(wrong) = wrong {
        call = call.again("What did not hold in your earlier reply", wrong);
    }
    call.citing(&desk.evidence)
}

/// Returns of each group the first finding that holds; where none does, the first, so that it is said why.
async fn chosen(run: &Run, data: &Data, groups: &[Vec<Found>]) -> Result<Vec<Found>> {
    let sentences: Vec<Sentence> = groups.iter().flatten().map(sentence).collect();
    let mut held = checking::checked(run, data, &sentences).await?.into_iter();
    let chosen = groups.iter().filter_map(|group| {
        let held: Vec<Held> = held.by_ref().take(group.len()).collect();
        let first = group.iter().zip(&held).find(|(_, held)| held.holds());
        first.map(|(found, _)| found).or(group.first()).cloned()
    });
    Ok(chosen.collect())
}

fn sentence(found: &Found) -> Sentence {
    let (text, figures) = (found.claim.clone(), found.figures.clone());
    Sentence { text, figures, ..Sentence::default() }
}

/// Findings after they were held against the data.
struct Entered {
    good: Vec<(Found, Held)>,
    /// What does not hold, for the worker.
    faults: Vec<String>,
}

async fn entered(
    run: &Run,
    state: &PipelineState<'_>,
    data: &Data,
    stage: Option<ExploreStage>,
    findings: &[Found],
) -> Result<Entered> {
    let most = state.options.rules.most_findings as usize;
    let findings: Vec<Found> = findings
        .iter()
        .take(most)
        .map(|found| Found { claim: plain(&found.claim), ..found.clone() })
        .filter(|found| !found.claim.is_empty())
        .collect();
    let sentences: Vec<Sentence> = findings.iter().map(sentence).collect();
    let (mut good, mut faults) = (Vec::new(), Vec::new());
    for (found, held) in findings.into_iter().zip(checking::checked(run, data, &sentences).await?) {
        let mut wrong = held.faults.clone();
        if stage.is_some_and(|stage| found.depth > stage) {
            wrong.push(format!("its depth '{}' lies beyond this round", found.depth.name()));
        }
        if found.depth != ExploreStage::How && found.figures.is_empty() {
            wrong.push("it names no figure that it rests on".into());
        }
        if wrong.is_empty() {
            good.push((found, held));
        } else {
            faults.push(format!("\"{}\": {}", found.claim, wrong.join("; ")));
        }
    }
    Ok(Entered { good, faults })
}

impl PipelineState<'_> {
    /// Takes in what tools returned: a segment was looked at where a figure of it was told, whether or not a finding names it.
    fn looked_at(&mut self, analysed: Vec<Analysed>) {
        for line in analysed.iter().flat_map(|one| &one.lines) {
            self.segments_covered.extend(line.segment.clone());
            self.studies_used.extend(line.figure.studies.iter().cloned());
        }
        self.analysed.extend(analysed);
    }

    /// Puts a finding that holds into the bank, unless it is there; returns its id.
    fn banked(&mut self, found: Found, held: &Held, round: u32) -> String {
        let known = self.finding_bank.iter().find(|known| known.claim == found.claim);
        if let Some(known) = known {
            return known.id.clone();
        }
        let figures = held.figures_told();
        let is_low = figures.iter().any(|figure| figure.low_base);
        let segments = held.segments(&self.catalogue);
        let studies = held.studies();
        let finding = Finding {
            id: format!("f{}", self.finding_bank.len() + 1),
            claim: found.claim,
            depth: found.depth,
            // What the worker calls its metric is not taken: the figure is.
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
        self.held.push((id.clone(), held.clone()));
        self.finding_bank.push(finding);
        id
    }
}
