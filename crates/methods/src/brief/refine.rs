//! The second phase: a summary is drafted from the bank, judged, and revised until it is good enough.

use serde_json::json;

use run::ledger::{self, Claim, Verdict};
use run::material::Material;
use run::{Mode, Result, Run, Stop};

use super::costs;
use super::judging::{Outcome, Spoken};
use super::offline;
use super::payload::{ExecutiveSummary, ExploreStage, Part, RefineEnd, RefineVerdict, Statement};
use super::replies::{Drafted, Judged, REFINE_CRITIC, SYNTHESIZER, Said};
use super::state::{Draft, PipelineState};
use super::statements::Named;
use crate::grounded;
use crate::grounded::docket::{Docket, Sentence, plain, settle};

/// The title if the draft's own cannot be shown.
const PLAIN_TITLE: &str = "Executive summary";
/// Maximum number of words in a title.
const TITLE_WORDS: usize = 15;

/// Drafts until a draft is approved or the drafts are used up.
pub(super) async fn refined(run: &Run, state: &mut PipelineState<'_>) -> Result<()> {
    grounded::hold_back_now(run, costs::DRAFT_REPLY)?;
    let mut before: Option<(Drafted, Vec<String>)> = None;
    loop {
        let (written, mode) = match drafted(run, state, before.as_ref()).await {
            // An earlier draft stands if it cannot be revised.
            Err(stop @ (Stop::Budget { .. } | Stop::Stage { .. })) if state.draft.is_some() => {
                run.warn(format!("could not revise the draft: {stop}"));
                state.refine_ended = Some(RefineEnd::BrokenOff);
                return Ok(());
            }
            written => written?,
        };
        let faults = match entered(run, state, &written, mode).await {
            // The bank is already checked and can be reported without another step.
            Err(Stop::Budget { cap, .. }) if state.draft.is_none() => {
                let cap = run::work::budget_met(&cap);
                run.warn(format!(
                    "could not check the draft, so the findings are listed instead: {cap}"
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
        // Without a model there is no critic, and the next draft would be the same.
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
                run.warn(format!("could not have the draft judged: {stop}"));
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
                    run.warn("no figure in the drafts passed the check, so the findings are listed instead");
                    told_from_the_bank(run, state)
                }
            };
        }
        before = Some((written, notes));
    }
}

/// Builds a summary from the findings of the simple loop's last round.
pub(super) async fn reported(
    run: &Run,
    state: &mut PipelineState<'_>,
    ids: &[String],
) -> Result<()> {
    let written = offline::drafted(state, Some(ids));
    entered(run, state, &written, Mode::Offline).await?;
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
    call = call
        .showing("Statements that they cite", state.statements_told())
        .showing("Data gaps", state.gaps_told());
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
        [] => "Every sentence is borne out by the statements that it names.".to_owned(),
        faults => faults.join("\n"),
    };
    let said: Judged = run
        .agent(&REFINE_CRITIC)
        .given("Business question", state.original_query)
        .given("Least score to approve", least.to_string())
        .showing("Findings", state.findings_told(&ExploreStage::ALL))
        .showing("Statements that they cite", state.statements_told())
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

/// Builds a summary from the findings alone.
fn told_from_the_bank(run: &Run, state: &mut PipelineState<'_>) -> Result<()> {
    let written = offline::drafted(state, None);
    let kept = written.sentences().into_iter().map(|(part, said)| {
        let named = Named::of("", &said.rests_on);
        let claim = named.findings.iter().find_map(|id| state.claims.get(id)).cloned();
        Kept { part, text: said.text, rests_on: said.rests_on, claim }
    });
    let kept = kept.collect();
    // The failed claims of an earlier draft stay in the ledger.
    let before = state.draft.take().map_or_else(Vec::new, |draft| draft.ledger);
    let failed = before.into_iter().filter(|claim| claim.verdict == Verdict::Unsupported);
    drawn_up(state, PLAIN_TITLE.to_owned(), kept, failed.collect());
    state.keep(run)
}

/// A sentence of a draft that is kept.
struct Kept {
    part: Part,
    text: String,
    rests_on: Vec<String>,
    /// `None` for a judgement.
    claim: Option<Claim>,
}

/// Checks a draft against the statements that it names, keeps what holds, and returns the faults.
async fn entered(
    run: &Run,
    state: &mut PipelineState<'_>,
    written: &Drafted,
    mode: Mode,
) -> Result<Vec<String>> {
    let run = &run.scope(SYNTHESIZER.name);
    let said = written.sentences();
    let title = plain(&written.title);
    let shown = state.shown();
    let material = Material::of(&state.statements.evidence);
    let mut docket =
        Docket::new(&material, state.original_query, mode).knowing(state.judged_before());
    let enter = |docket: &mut Docket<'_>| -> (Vec<Option<Outcome>>, bool) {
        let judged =
            said.iter().map(|(part, said)| state.judged(said.spoken(*part), &shown, docket));
        let outcomes: Vec<Option<Outcome>> = judged.collect();
        // The basis of the title is known once all sentences below it were judged.
        let title_held = outcomes.iter().all(Option::is_some)
            && title_holds(&title, outcomes.iter().flatten(), docket);
        (outcomes, title_held)
    };
    let (outcomes, title_held) = settle(run, &mut docket, enter).await?;
    let (mut faults, mut kept): (Vec<String>, Vec<Kept>) = (Vec::new(), Vec::new());
    let mut failed: Vec<Claim> = Vec::new();
    for ((part, said), outcome) in said.into_iter().zip(outcomes) {
        let mut wrong = state.misplaced(part, &said);
        if kept.iter().any(|other| other.text == said.text) {
            wrong.push("it is said already".to_owned());
        }
        let (claim, text) = match outcome {
            Some(Outcome::Holds(claim, words)) => (Some(claim), words),
            Some(Outcome::Judgement) if !part.is_of_facts() => (None, said.text.clone()),
            Some(Outcome::Fails(claim, why)) => {
                wrong.push(why);
                (Some(claim), said.text.clone())
            }
            Some(Outcome::Judgement) | None => {
                wrong.push("this part is of facts, and no statement bears it out".to_owned());
                (None, said.text.clone())
            }
        };
        if wrong.is_empty() {
            kept.push(Kept { part, text, rests_on: said.rests_on, claim });
        } else {
            faults.push(format!("{}: \"{}\": {}", part.name(), said.text, wrong.join("; ")));
            let told = Claim { verdict: Verdict::Unsupported, ..claim.unwrap_or_default() };
            failed.push(Claim { text: said.text, ..told });
        }
    }
    if !title_held && !title.is_empty() {
        faults.push(format!(
            "title: \"{title}\": a title has at most {TITLE_WORDS} words, and says no more than the sentences below it"
        ));
    }
    let title = if title_held && !title.is_empty() { title } else { PLAIN_TITLE.to_owned() };
    let words = drawn_up(state, title, kept, failed);
    let most = state.options.rules.most_words;
    if words >= most as usize {
        faults.push(format!("the summary has {words} words; it must have fewer than {most}"));
    }
    Ok(faults)
}

/// Returns whether the sentences below a title support it.
fn title_holds<'o>(
    title: &str,
    below: impl Iterator<Item = &'o Outcome>,
    docket: &mut Docket<'_>,
) -> bool {
    let basis: Vec<Claim> = below
        .filter_map(|outcome| match outcome {
            Outcome::Holds(claim, _) => Some(claim.clone()),
            _ => None,
        })
        .collect();
    if title.is_empty() || basis.is_empty() || title.split_whitespace().count() > TITLE_WORDS {
        return false;
    }
    let sentence = Sentence { is_conclusion: true, ..Sentence::from_claims(title, basis) };
    docket.judged(&sentence).is_some_and(|judged| judged.holds())
}

/// Makes a draft of the sentences that hold, cut to the word limit; returns the number of words before the cut.
fn drawn_up(
    state: &mut PipelineState<'_>,
    title: String,
    mut kept: Vec<Kept>,
    failed: Vec<Claim>,
) -> usize {
    let most = state.options.rules.most_words as usize;
    let written = counted(&title, &kept);
    let mut words = written;
    while words >= most && !kept.is_empty() {
        shorten(&mut kept);
        words = counted(&title, &kept);
    }
    let mut draft = Draft { words: words as u32, cut: failed.len() as u32, ..Draft::default() };
    draft.ledger = kept.iter().filter_map(|one| one.claim.clone()).collect();
    ledger::number(&mut draft.ledger);
    let mut numbered = draft.ledger.iter();
    for Kept { part, text, rests_on, claim } in kept {
        let claim = claim.and_then(|_| numbered.next());
        draft.statements.push(Statement {
            part,
            text,
            numbers: claim.map_or_else(Vec::new, Claim::numbers),
            verdict: claim.map(|claim| claim.verdict),
            rests_on: state.known_ids(&rests_on),
            figures: claim.map_or_else(Vec::new, |claim| state.statements.figures(claim)),
        });
    }
    draft.ledger.extend(failed);
    draft.summary = summary(title, &draft.statements);
    state.draft = Some(draft);
    written
}

/// Assembles sentences into the summary, with their marks.
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

fn counted(title: &str, kept: &[Kept]) -> usize {
    let words = |text: &str| text.split_whitespace().count();
    words(title) + kept.iter().map(|one| words(&one.text)).sum::<usize>()
}

/// Removes the last sentence of the longest part.
fn shorten(kept: &mut Vec<Kept>) {
    let count = |part: Part| kept.iter().filter(|one| one.part == part).count();
    // On a tie, the later part is shortened.
    let longest = Part::ALL.into_iter().max_by_key(|part| count(*part));
    let last = longest.and_then(|part| kept.iter().rposition(|one| one.part == part));
    if let Some(last) = last {
        kept.remove(last);
    }
}

impl Drafted {
    /// Returns its sentences in reading order, each on one line.
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
        all.map(|(part, said)| (part, said.with_its_addresses_beside()))
            .filter(|(_, said)| !said.text.is_empty())
            .collect()
    }
}

impl Said {
    /// Returns it on one line, with the addresses in its text added to `rests_on`.
    fn with_its_addresses_beside(&self) -> Said {
        let Named { figures, findings, gaps } = Named::of(&self.text, &self.rests_on);
        let figures = figures.into_iter().map(|number| format!("F{number}"));
        let mut rests_on: Vec<String> = findings.into_iter().chain(gaps).chain(figures).collect();
        let mut seen = std::collections::BTreeSet::new();
        rests_on.retain(|one| seen.insert(one.clone()));
        Said { text: plain(&self.text), rests_on, is_judgement: self.is_judgement }
    }

    fn spoken(&self, part: Part) -> Spoken<'_> {
        Spoken {
            text: &self.text,
            rests_on: &self.rests_on,
            is_judgement: self.is_judgement && !part.is_of_facts(),
            concludes: !part.is_of_facts(),
        }
    }
}

/// The layers that a part of the summary may rest on.
fn layers(part: Part) -> &'static [ExploreStage] {
    match part {
        Part::Overview => &[ExploreStage::What],
        Part::KeyFindings => &[ExploreStage::What, ExploreStage::Why],
        // A conclusion may rest on any layer.
        Part::StrategicImplications | Part::RisksAndCaveats | Part::RecommendedActions => {
            &ExploreStage::ALL
        }
    }
}

impl PipelineState<'_> {
    /// Returns the claims that were already judged and hold: findings, and sentences of an earlier draft.
    fn judged_before(&self) -> Vec<Claim> {
        let drafted = self.draft.iter().flat_map(|draft| &draft.ledger);
        let holding = drafted.filter(|claim| claim.verdict.holds());
        self.claims.values().chain(holding).cloned().collect()
    }

    /// Returns those ids that belong to a finding or a gap.
    fn known_ids(&self, ids: &[String]) -> Vec<String> {
        let is_known = |id: &&String| {
            self.finding_bank.iter().any(|one| one.id == **id)
                || self.data_gaps.iter().any(|gap| gap.id == **id)
        };
        ids.iter().filter(is_known).cloned().collect()
    }

    /// Returns why a sentence does not belong in its part.
    fn misplaced(&self, part: Part, said: &Said) -> Vec<String> {
        let mut wrong = Vec::new();
        let named = Named::of("", &said.rests_on);
        for id in named.findings.iter().chain(&named.gaps) {
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
