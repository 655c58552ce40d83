//! The second phase: a summary is drafted from the bank, judged, and revised until it is good enough.

use serde_json::json;

use run::ledger::{self, Claim, Verdict};
use run::{Mode, Result, Run, Stop};

use super::checking::{self, Held, Sentence};
use super::data::Data;
use super::offline;
use super::payload::{ExecutiveSummary, ExploreStage, Part, RefineEnd, RefineVerdict, Statement};
use super::replies::{Drafted, Judged, REFINE_CRITIC, SYNTHESIZER, Said};
use super::state::{Draft, PipelineState};
use crate::grounded::docket::plain;

/// The title of a summary whose own cannot be shown.
const PLAIN_TITLE: &str = "Executive summary";
/// Words of a title, at most.
const TITLE_WORDS: usize = 15;

/// Drafts until a draft is approved, or there were drafts enough.
pub(super) async fn refined(run: &Run, state: &mut PipelineState<'_>, data: &Data) -> Result<()> {
    let mut before: Option<(Drafted, Vec<String>)> = None;
    loop {
        let (written, mode) = match drafted(run, state, before.as_ref()).await {
            // What was written first stands where it cannot be written again.
            Err(stop @ (Stop::Budget { .. } | Stop::Stage { .. })) if state.draft.is_some() => {
                run.warn(format!("the draft could not be revised: {stop}"));
                state.refine_ended = Some(RefineEnd::BrokenOff);
                return Ok(());
            }
            written => written?,
        };
        let faults = match entered(run, state, data, &written).await {
            // What is in the bank was evaluated already, and can be told without another step.
            Err(Stop::Budget { cap, .. }) if state.draft.is_none() => {
                let cap = run::work::budget_met(&cap);
                run.warn(format!(
                    "the draft could not be checked, so the findings are told: {cap}"
                ));
                state.refine_ended = Some(RefineEnd::BrokenOff);
                return told_from_the_bank(run, state);
            }
            faults => faults?,
        };
        state.refine_count += 1;
        let round = state.refine_count;
        let told = format!("draft {round}, {} faults", faults.len());
        let details = json!({ "draft": written, "faults": faults });
        state.record(SYNTHESIZER.name, round, None, told, details);
        // Without a model there is nobody to judge, and the next draft would be the same.
        let unjudged = match mode {
            Mode::Offline if run.mode() == Mode::Model => Some(RefineEnd::BrokenOff),
            Mode::Offline => Some(RefineEnd::NoModel),
            Mode::Model => run.leaves_out(REFINE_CRITIC.name).then_some(RefineEnd::NotJudged),
        };
        if unjudged.is_some() {
            state.refine_ended = unjudged;
            return state.keep(run);
        }
        let verdict = match judged(run, state, &written, &faults).await {
            Err(stop @ (Stop::Budget { .. } | Stop::Stage { .. })) => {
                run.warn(format!("the draft could not be judged: {stop}"));
                state.refine_ended = Some(RefineEnd::BrokenOff);
                return state.keep(run);
            }
            verdict => verdict?,
        };
        let told = match (verdict.approved, verdict.overruled.is_empty()) {
            (true, _) => format!("approved with a score of {}", verdict.score),
            (false, true) => format!("sent back with a score of {}", verdict.score),
            (false, false) => format!("the approval was overruled: {}", verdict.overruled),
        };
        if !verdict.overruled.is_empty() {
            run.say(format!("refine_critic: {told}"));
        }
        state.record(REFINE_CRITIC.name, round, None, told, json!(verdict));
        let mut notes = verdict.revision_notes.clone();
        notes.extend(faults);
        let is_approved = verdict.approved;
        state.verdict = Some(verdict);
        state.keep(run)?;
        if is_approved {
            state.refine_ended = Some(RefineEnd::Approved);
            return Ok(());
        }
        if round >= state.options.rules.max_refine_iters {
            state.refine_ended = Some(RefineEnd::MaxRefineIters);
            return match state.draft.as_ref().is_some_and(Draft::tells_a_figure) {
                true => Ok(()),
                false => {
                    run.warn("no figure of the drafts checked out, so the findings are told");
                    told_from_the_bank(run, state)
                }
            };
        }
        before = Some((written, notes));
    }
}

/// Makes a summary of what the last round of the simple loop found.
pub(super) async fn reported(
    run: &Run,
    state: &mut PipelineState<'_>,
    data: &Data,
    ids: &[String],
) -> Result<()> {
    let written = offline::drafted(state, Some(ids));
    entered(run, state, data, &written).await?;
    state.keep(run)
}

async fn drafted(
    run: &Run,
    state: &PipelineState<'_>,
    before: Option<&(Drafted, Vec<String>)>,
) -> Result<(Drafted, Mode)> {
    let run = &run.scope(SYNTHESIZER.name);
    let most = state.options.rules.most_words;
    let mut call = run
        .agent(&SYNTHESIZER)
        .given("Business question", state.original_query)
        .given("Words of the whole summary", format!("fewer than {most}"));
    for stage in ExploreStage::ALL {
        let name = format!("{} findings", stage.name().to_uppercase());
        call = call.showing(&name, state.findings_told(&[stage]));
    }
    call = call.showing("Data gaps", state.gaps_told());
    match before {
        None => {
            let itself = || offline::drafted(state, None);
            call.as_synthesis().offline(itself).reply_and_mode().await
        }
        Some((draft, notes)) => {
            let draft = serde_json::to_string_pretty(draft).unwrap_or_default();
            let call = call
                .showing("Your earlier draft", draft)
                .showing("Notes for its revision", notes.join("\n"));
            Ok((call.reply().await?, Mode::Model))
        }
    }
}

async fn judged(
    run: &Run,
    state: &PipelineState<'_>,
    draft: &Drafted,
    faults: &[String],
) -> Result<RefineVerdict> {
    let least = state.options.rules.least_score;
    let program = match faults {
        [] => "Every figure was evaluated again from the data and checks out.".to_owned(),
        faults => faults.join("\n"),
    };
    let said: Judged = run
        .agent(&REFINE_CRITIC)
        .given("Business question", state.original_query)
        .given("Least score to approve", least.to_string())
        .showing("Findings", state.findings_told(&ExploreStage::ALL))
        .showing("Data gaps", state.gaps_told())
        .showing("Draft", serde_json::to_string_pretty(draft).unwrap_or_default())
        .showing("What the program found", program)
        .reply()
        .await?;
    let overruled = match () {
        () if !said.approved => String::new(),
        () if said.score < least => format!("its score of {} is below {least}", said.score),
        () if !faults.is_empty() => format!("{} sentences do not check out", faults.len()),
        () => String::new(),
    };
    Ok(RefineVerdict {
        approved: said.approved && overruled.is_empty(),
        score: said.score,
        factual_grounding: said.factual_grounding,
        clarity: said.clarity,
        completeness: said.completeness,
        tone: said.tone,
        revision_notes: said.revision_notes.iter().map(|note| plain(note)).collect(),
        overruled,
    })
}

/// Makes a summary of the findings alone.
fn told_from_the_bank(run: &Run, state: &mut PipelineState<'_>) -> Result<()> {
    let written = offline::drafted(state, None);
    let held =
        |said: &Said| state.held_of(said).first().map(|held| (*held).clone()).unwrap_or_default();
    let kept = written.sentences().into_iter().map(|(part, said)| {
        let held = held(&said);
        (part, said, held)
    });
    let kept = kept.collect();
    // What did not hold of a draft before is told as such all the same.
    let before = state.draft.take().map_or_else(Vec::new, |draft| draft.ledger);
    let failed = before.into_iter().filter(|claim| claim.verdict == Verdict::Unsupported);
    drawn_up(run, state, PLAIN_TITLE.to_owned(), kept, failed.collect())?;
    state.keep(run)
}

/// Holds a draft against the data, keeps what holds of it, and returns what does not.
async fn entered(
    run: &Run,
    state: &mut PipelineState<'_>,
    data: &Data,
    written: &Drafted,
) -> Result<Vec<String>> {
    let run = &run.scope(SYNTHESIZER.name);
    let mut said = written.sentences();
    let title = plain(&written.title);
    let mut sentences: Vec<Sentence> = said.iter().map(|(_, said)| state.sentence(said)).collect();
    sentences.push(Sentence { text: title.clone(), is_title: true, ..Sentence::default() });
    let mut held = checking::checked(run, data, &sentences).await?;
    let title_held = held.pop().is_some_and(|held| held.holds())
        && title.split_whitespace().count() <= TITLE_WORDS
        && state.catalogue.names(state.original_query, &title);
    let (mut faults, mut kept): (Vec<String>, Vec<(Part, Said, Held)>) = (Vec::new(), Vec::new());
    let mut failed: Vec<Claim> = Vec::new();
    for ((part, said), held) in said.drain(..).zip(held) {
        let mut wrong = state.misplaced(part, &said);
        wrong.extend(held.faults.clone());
        if !held.is_within(&state.held_of(&said)) {
            wrong.push("it states a figure that no finding has which it rests on".to_owned());
        }
        if kept.iter().any(|(_, other, _)| other.text == said.text) {
            wrong.push("it is said already".to_owned());
        }
        let is_of_facts = matches!(part, Part::Overview | Part::KeyFindings);
        if is_of_facts && held.holds() && held.figures.is_empty() {
            wrong.push("it states no figure, and this part is of figures".to_owned());
        }
        if wrong.is_empty() {
            kept.push((part, said, held));
        } else {
            faults.push(format!("{}: \"{}\": {}", part.name(), said.text, wrong.join("; ")));
            failed.push(checking::refused(&said.text));
        }
    }
    if !title_held && !title.is_empty() {
        faults
            .push(format!("title: \"{title}\": a title has words of the query and of the questions alone, at most {TITLE_WORDS}"));
    }
    let title = if title_held && !title.is_empty() { title } else { PLAIN_TITLE.to_owned() };
    let words = drawn_up(run, state, title, kept, failed)?;
    let most = state.options.rules.most_words;
    if words >= most as usize {
        faults.push(format!("the summary has {words} words; it must have fewer than {most}"));
    }
    Ok(faults)
}

/// Makes what holds a draft, shortened to the words that it may have; returns how many it had.
fn drawn_up(
    run: &Run,
    state: &mut PipelineState<'_>,
    title: String,
    mut kept: Vec<(Part, Said, Held)>,
    failed: Vec<Claim>,
) -> Result<usize> {
    let most = state.options.rules.most_words as usize;
    let written = counted(&title, &kept);
    let mut words = written;
    while words >= most && !kept.is_empty() {
        shorten(&mut kept);
        words = counted(&title, &kept);
    }
    let mut draft = Draft { words: words as u32, cut: failed.len() as u32, ..Draft::default() };
    let mut places = Vec::new();
    for (_, said, held) in &kept {
        places.push(match held.figures.is_empty() {
            true => None,
            false => {
                draft.ledger.push(checking::entered(run, &state.catalogue, &said.text, held)?);
                Some(draft.ledger.len() - 1)
            }
        });
    }
    ledger::number(&mut draft.ledger);
    for ((part, said, held), place) in kept.into_iter().zip(places) {
        let claim = place.and_then(|place| draft.ledger.get(place));
        draft.statements.push(Statement {
            part,
            text: said.text,
            numbers: claim.map_or_else(Vec::new, Claim::numbers),
            verdict: claim.map(|_| Verdict::Recomputed),
            rests_on: said.rests_on,
            figures: held.figures_told(),
        });
    }
    draft.ledger.extend(failed);
    draft.summary = summary(title, &draft.statements);
    state.draft = Some(draft);
    Ok(written)
}

/// Puts sentences together as the summary that they are, with their marks.
pub(super) fn summary(title: String, statements: &[Statement]) -> ExecutiveSummary {
    let of = |part: Part| -> Vec<String> {
        statements.iter().filter(|one| one.part == part).map(Statement::marked).collect()
    };
    ExecutiveSummary {
        title,
        overview: of(Part::Overview).join(" "),
        key_findings: of(Part::KeyFindings),
        strategic_implications: of(Part::StrategicImplications),
        risks_and_caveats: of(Part::RisksAndCaveats),
        recommended_actions: of(Part::RecommendedActions),
    }
}

fn counted(title: &str, kept: &[(Part, Said, Held)]) -> usize {
    let words = |text: &str| text.split_whitespace().count();
    words(title) + kept.iter().map(|(_, said, _)| words(&said.text)).sum::<usize>()
}

/// Takes out the last sentence of the part that has most.
fn shorten(kept: &mut Vec<(Part, Said, Held)>) {
    let count = |part: Part| kept.iter().filter(|one| one.0 == part).count();
    // Of parts with as many, the later one gives way.
    let longest = Part::ALL.into_iter().max_by_key(|part| count(*part));
    let last = longest.and_then(|part| kept.iter().rposition(|one| one.0 == part));
    if let Some(last) = last {
        kept.remove(last);
    }
}

impl Drafted {
    /// Returns its sentences in the order in which a reader meets them, each on one line.
    fn sentences(&self) -> Vec<(Part, Said)> {
        let parts = [
            (Part::Overview, &self.overview),
            (Part::KeyFindings, &self.key_findings),
            (Part::StrategicImplications, &self.strategic_implications),
            (Part::RisksAndCaveats, &self.risks_and_caveats),
            (Part::RecommendedActions, &self.recommended_actions),
        ];
        let all =
            parts.into_iter().flat_map(|(part, said)| said.iter().map(move |one| (part, one)));
        all.map(|(part, said)| (part, Said { text: plain(&said.text), ..said.clone() }))
            .filter(|(_, said)| !said.text.is_empty())
            .collect()
    }
}

impl Statement {
    /// Returns the sentence with its marks.
    pub(super) fn marked(&self) -> String {
        self.numbers.iter().fold(self.text.clone(), |text, number| format!("{text} [{number}]"))
    }
}

/// The layers that a part of the summary may rest on.
fn layers(part: Part) -> &'static [ExploreStage] {
    match part {
        Part::Overview => &[ExploreStage::What],
        Part::KeyFindings => &[ExploreStage::What, ExploreStage::Why],
        Part::StrategicImplications => &[ExploreStage::Why, ExploreStage::How],
        Part::RisksAndCaveats => &[ExploreStage::Why],
        Part::RecommendedActions => &[ExploreStage::How],
    }
}

impl PipelineState<'_> {
    fn sentence(&self, said: &Said) -> Sentence {
        let beneath = self.finding_bank.iter().filter(|one| said.rests_on.contains(&one.id));
        let mut expressions: Vec<String> = Vec::new();
        for figure in beneath.flat_map(|one| &one.figures) {
            if !expressions.contains(&figure.expression) {
                expressions.push(figure.expression.clone());
            }
        }
        let figures = said.figures.clone();
        Sentence { text: said.text.clone(), figures, beneath: expressions, is_title: false }
    }

    /// Returns what the findings were held against that a sentence rests on.
    fn held_of(&self, said: &Said) -> Vec<&Held> {
        let all = self.held.iter().filter(|(id, _)| said.rests_on.contains(id));
        all.map(|(_, held)| held).collect()
    }

    /// Returns why a sentence does not belong where it stands.
    fn misplaced(&self, part: Part, said: &Said) -> Vec<String> {
        let mut wrong = Vec::new();
        if said.rests_on.is_empty() {
            wrong.push("it rests on no finding".to_owned());
        }
        for id in &said.rests_on {
            let finding = self.finding_bank.iter().find(|one| one.id == *id);
            let is_gap = self.data_gaps.iter().any(|gap| gap.id == *id);
            match finding {
                Some(finding) if layers(part).contains(&finding.depth) => {}
                Some(finding) => wrong.push(format!(
                    "{id} is a {} finding, and {} is made from {}",
                    finding.depth.name(),
                    part.name(),
                    layers(part).iter().map(|one| one.name()).collect::<Vec<_>>().join(" and ")
                )),
                None if is_gap && part == Part::RisksAndCaveats => {}
                None if is_gap => {
                    wrong.push(format!("{id} is a data gap, which belongs to risks_and_caveats"));
                }
                None => wrong.push(format!("there is no finding '{id}'")),
            }
        }
        wrong
    }
}
