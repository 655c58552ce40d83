//! What a run of the method has gathered, and how it is delivered: whole, or as far as it came.

mod delivery;
mod rendering;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use serde::Serialize;
use serde_json::{Value, json};

use run::evidence::Numbered;
use run::ledger::{self, Claim, Verdict};
use run::paper::Paper;
use run::{Deliverable, Mode, Outcome, Result, Run, Stop};

use super::candidates::{Candidate, Reader};
use super::contract;
use super::diversity;
use super::pairwise::{self, Call};
use super::payload::{Diversity, Failed, Origin, Ranking, Retrieval};
use super::replies::{Critique, Framing, Survey};
use super::summa::Block;
use super::{Options, Rules};

pub(super) use rendering::Rendering;

/// What is put behind a sentence that nothing bears out.
const UNSUPPORTED: &str = " [unsupported]";

/// Everything that was gathered so far.
pub(super) struct Study<'a> {
    pub(super) question: &'a str,
    pub(super) options: &'a Options,
    pub(super) domain: String,
    pub(super) objective: String,
    stage: &'static str,
    pub(super) framing: Framing,
    pub(super) retrieval: Option<Retrieval>,
    pub(super) works: Vec<Paper>,
    pub(super) evidence: Vec<Numbered>,
    survey: Option<(Vec<Claim>, Vec<String>)>,
    /// In the order of their proposal; once ranked, in the order of their ranks.
    pub(super) candidates: Vec<Candidate>,
    pub(super) diversity: Vec<Diversity>,
    ranking: Option<Ranking>,
    pub(super) rendering: Option<Rendering>,
    outputs: BTreeMap<String, Value>,
}

impl<'a> Study<'a> {
    pub(super) fn of(question: &'a str, options: &'a Options) -> Study<'a> {
        let named = |text: &str, otherwise: &str| {
            let text = ledger::one_line(&run::grounding::clean(text));
            if text.is_empty() { otherwise.to_owned() } else { text }
        };
        Study {
            question,
            options,
            domain: named(&options.domain, "unspecified"),
            objective: named(&options.objective, ""),
            stage: "options",
            framing: Framing::default(),
            retrieval: None,
            works: Vec::new(),
            evidence: Vec::new(),
            survey: None,
            candidates: Vec::new(),
            diversity: Vec::new(),
            ranking: None,
            rendering: None,
            outputs: BTreeMap::new(),
        }
    }

    pub(super) fn rules(&self) -> &Rules {
        &self.options.rules
    }

    /// Says which stage is under way.
    pub(super) fn enter(&mut self, stage: &'static str) {
        self.stage = stage;
    }

    /// Keeps what a stage returned; a stage that is asked once more leaves what it returned last.
    pub(super) fn keep(&mut self, stage: &str, output: &impl Serialize) {
        self.outputs.insert(stage.to_owned(), json!(output));
    }

    /// Returns the failure of the stage that is under way.
    pub(super) fn failed(&self, message: impl Into<String>) -> Stop {
        Stop::Stage { stage: self.stage.into(), message: message.into(), retry_attempted: false }
    }

    /// Returns the collection of what is read.
    pub(super) fn collection(&self, run: &Run) -> String {
        format!("run-{}", run.id())
    }

    /// Returns how the problem was framed, as agents read it.
    pub(super) fn framed(&self) -> String {
        let Framing { restatement, key_terms, constraints, assumptions, .. } = &self.framing;
        let mut page = ledger::one_line(&run::grounding::clean(restatement));
        for (heading, items) in
            [("Terms", key_terms), ("Constraints", constraints), ("Assumed", assumptions)]
        {
            for item in items {
                let item = ledger::one_line(&run::grounding::clean(item));
                let _ = write!(page, "\n{heading}: {item}");
            }
        }
        page
    }

    /// Enters what the evidence says, as far as its quotes bear it out.
    pub(super) fn surveyed(&mut self, survey: &Survey, mode: Mode) {
        let reader = self.reader(mode);
        let gaps = survey.gaps.iter().map(|gap| reader.text(gap));
        let gaps = gaps.filter(|gap| !gap.is_empty()).collect();
        self.survey = Some((ledger::enter(&survey.findings, &self.evidence), gaps));
    }

    /// Returns what the literature says, as agents read it.
    pub(super) fn findings(&self) -> String {
        let Some((findings, gaps)) = &self.survey else { return String::new() };
        let mut page = String::new();
        for claim in findings.iter().filter(|claim| claim.verdict == Verdict::Verified) {
            let _ = writeln!(page, "- {}{}", claim.text, self.marks(claim));
        }
        for gap in gaps {
            let _ = writeln!(page, "- open: {gap}");
        }
        page
    }

    /// Returns the marks of a claim, as numbers of the evidence.
    fn marks(&self, claim: &Claim) -> String {
        self.backing(claim).iter().map(|number| format!(" [{number}]")).collect()
    }

    /// Returns the numbers of the evidence that bears a claim out.
    fn backing(&self, claim: &Claim) -> BTreeSet<u32> {
        let citations = claim.citations.iter().filter(|one| one.verdict == Verdict::Verified);
        citations.filter_map(|citation| self.cited(citation)).map(|one| one.number).collect()
    }

    /// Returns the evidence that a citation names.
    fn cited(&self, citation: &ledger::Citation) -> Option<&Numbered> {
        let mut evidence = self.evidence.iter();
        evidence.find(|one| one.evidence.evidence_id == citation.evidence_id)
    }

    /// Returns what the agents' texts are read against.
    pub(super) fn reader(&self, mode: Mode) -> Reader<'_> {
        Reader { evidence: &self.evidence, mode }
    }

    /// Returns hypotheses as agents read them.
    pub(super) fn described(&self, candidates: &[Candidate]) -> String {
        let mut page = String::new();
        for candidate in candidates {
            let Candidate { id, title, statement, mechanism, .. } = candidate;
            let _ = writeln!(page, "{id}: {title}\nStatement: {statement}\nMechanism: {mechanism}");
            for (heading, texts) in
                [("Prediction", &candidate.predictions), ("Test", &candidate.experiments)]
            {
                for text in texts {
                    let _ = writeln!(page, "{heading}: {text}");
                }
            }
            for claim in candidate.support.iter().filter(|one| one.verdict == Verdict::Verified) {
                let _ = writeln!(page, "Borne out by: {}{}", claim.text, self.marks(claim));
            }
            for (index, contest) in candidate.contests.iter().enumerate() {
                let number = index + 1;
                let _ = writeln!(
                    page,
                    "Objection {number}: {}\nReply {number}: {}",
                    contest.objection, contest.reply
                );
            }
            page.push('\n');
        }
        page
    }

    /// Returns what is wrong with a set of hypotheses, for the agent that is asked once more.
    pub(super) fn too_close(&self, measured: &Diversity) -> String {
        let mut told = diversity::told(measured);
        let (there, wanted) = (self.candidates.len(), self.rules().fewest_hypotheses);
        if there < wanted as usize {
            let _ = write!(told, "\nThere are {there} of them; {wanted} are needed at least.");
        }
        told
    }

    /// Keeps the better of two sets of hypotheses, `first` or the one that came of asking once more.
    pub(super) fn retried(
        &mut self,
        mut measured: Diversity,
        mut again: Diversity,
        first: Vec<Candidate>,
    ) {
        let fewest = self.rules().fewest_hypotheses as usize;
        let short = |candidates: &[Candidate]| fewest.saturating_sub(candidates.len());
        let before = (short(&first), measured.too_close.len());
        let after = (short(&self.candidates), again.too_close.len());
        measured.retried = true;
        again.retried = true;
        self.diversity.pop();
        self.diversity.push(measured);
        if after <= before {
            self.diversity.push(again);
        } else {
            self.candidates = first;
        }
    }

    /// Enters the critic's objections.
    pub(super) fn contested(&mut self, run: &Run, critique: &Critique) {
        let mut candidates = std::mem::take(&mut self.candidates);
        let ignored = self.reader(run.mode()).reviewed(&mut candidates, critique);
        self.candidates = candidates;
        if ignored > 0 {
            run.warn(format!(
                "{ignored} reviews of the critic were ignored: they are of no hypothesis, or of one that was reviewed already"
            ));
        }
    }

    /// Ranks the hypotheses by what the judge said of pairs.
    pub(super) fn ranked(&mut self, run: &Run, calls: &[Call<'_>]) {
        let ids: Vec<String> = self.candidates.iter().map(|one| one.id.clone()).collect();
        let (comparisons, coverage) = pairwise::normalised(calls, &ids);
        if !coverage.missing.is_empty() {
            run.warn(format!(
                "the judge left out {} of {} pairs; they count as ties",
                coverage.missing.len(),
                coverage.expected
            ));
        }
        let (standings, ranking) =
            pairwise::rank(&comparisons, coverage, &ids, &self.rules().ranking);
        for standing in standings {
            let mut candidates = self.candidates.iter_mut();
            if let Some(candidate) = candidates.find(|one| one.id == standing.id) {
                candidate.standing = Some(standing);
            }
        }
        let rank = |one: &Candidate| one.standing.as_ref().map_or(u32::MAX, |one| one.rank);
        self.candidates.sort_by_key(rank);
        self.ranking = Some(ranking);
    }

    /// Returns how many *quaestiones* there are to be.
    fn top(&self) -> usize {
        (self.options.top as usize).clamp(1, self.candidates.len().max(1))
    }

    /// Returns the best hypotheses as *quaestiones*, made by rule: the second speaks against the first, the first against every other;
    /// where there is one alone, its strongest objection does.
    pub(super) fn blocks(&self) -> Vec<Block> {
        let best = self.candidates.iter().take(self.top()).enumerate();
        best.map(|(index, candidate)| self.block(candidate, self.rival(index))).collect()
    }

    fn rival(&self, index: usize) -> Option<&Candidate> {
        self.candidates.get(usize::from(index == 0)).filter(|_| self.candidates.len() > 1)
    }

    fn block(&self, candidate: &Candidate, rival: Option<&Candidate>) -> Block {
        let borne_out = |one: &Candidate| {
            let claim = one.support.iter().find(|claim| claim.verdict == Verdict::Verified);
            let stated = claim.filter(|claim| claim.text == one.statement);
            match (stated, claim) {
                (Some(claim), _) => format!("{}{}", one.statement, self.marks(claim)),
                (None, Some(claim)) => {
                    format!("{} {}{}", one.statement, claim.text, self.marks(claim))
                }
                (None, None) => one.statement.clone(),
            }
        };
        let contrary = match (rival, candidate.contests.first()) {
            (Some(rival), _) => borne_out(rival),
            (None, Some(strongest)) => strongest.objection.clone(),
            (None, None) => "nothing was brought against it.".to_owned(),
        };
        let mechanism = if candidate.fallbacks.contains(&"mechanism") {
            String::new()
        } else {
            format!(" {}", candidate.mechanism)
        };
        let decides = candidate.experiments.first().map_or("", String::as_str);
        Block {
            question: format!(
                "Whether it holds that {}",
                lowered(candidate.statement.trim_end_matches('.'))
            ) + "?",
            contrary,
            answer: format!("{}{mechanism} {decides}", borne_out(candidate)),
            contested: candidate
                .contests
                .iter()
                .map(|contest| {
                    let marks = contest.backing.as_ref().map(|claim| self.marks(claim));
                    (contest.objection.clone() + &marks.unwrap_or_default(), contest.reply.clone())
                })
                .collect(),
        }
    }

    /// Returns what each block is to hold, as the composer reads it.
    pub(super) fn outlined(&self) -> String {
        let mut page = String::new();
        for (index, candidate) in self.candidates.iter().take(self.top()).enumerate() {
            let _ = writeln!(page, "Block {}", index + 1);
            page.push_str(&self.described(std::slice::from_ref(candidate)));
            match self.rival(index) {
                Some(rival) => {
                    let _ = writeln!(
                        page,
                        "On the contrary speaks {}: {}\n",
                        rival.id, rival.statement
                    );
                }
                None => page.push_str("On the contrary speaks the strongest objection.\n\n"),
            }
        }
        page
    }

    /// Returns the claims that were checked so far, those of the Summa aside.
    fn checked(&self) -> Vec<&Claim> {
        let findings = self.survey.iter().flat_map(|(findings, _)| findings);
        let of_candidates = self.candidates.iter().flat_map(|candidate| {
            let backings = candidate.contests.iter().filter_map(|contest| contest.backing.as_ref());
            candidate.support.iter().chain(backings)
        });
        findings.chain(of_candidates).collect()
    }

    /// Returns the evidence that bears something out so far.
    pub(super) fn cited_evidence(&self) -> Vec<Numbered> {
        let used: BTreeSet<u32> =
            self.checked().into_iter().flat_map(|claim| self.backing(claim)).collect();
        self.evidence.iter().filter(|one| used.contains(&one.number)).cloned().collect()
    }

    /// Holds a text of *quaestiones* against the evidence.
    pub(super) fn rendered(&self, text: &str, origin: Origin) -> Rendering {
        Rendering::of(text, origin, &self.evidence, &self.checked())
    }

    pub(super) fn is_written_by_a_model(&self) -> bool {
        self.rendering.as_ref().is_some_and(|rendering| rendering.origin == Origin::Model)
    }

    /// Takes the composer's second text, unless the first holds better.
    pub(super) fn recomposed(&mut self, second: Rendering) {
        let faults = |one: &Rendering| (one.foreign.len(), one.unborne().len());
        let worse = |first: &Rendering| faults(first) < faults(&second);
        if !self.rendering.as_ref().is_some_and(worse) {
            self.rendering = Some(second);
        }
    }

    /// Returns what the contract does not let pass.
    pub(super) fn violations(&self) -> Vec<String> {
        let foreign = self.rendering.iter().flat_map(|rendering| &rendering.foreign);
        let mut violations: Vec<String> = foreign
            .map(|mark| format!("the Summa cites [{mark}], and there is no such evidence"))
            .collect();
        match self.complete() {
            Some((complete, ledger)) => violations.extend(contract::violations(&complete, &ledger)),
            None => violations.push("a stage left nothing".into()),
        }
        violations
    }

    /// Returns the marked sentences of the Summa that their quotes do not bear out, and those that name a source without a mark.
    pub(super) fn unborne(&self) -> Vec<String> {
        self.rendering.as_ref().map(Rendering::unborne).unwrap_or_default()
    }

    /// Returns the whole result.
    pub(super) fn delivered(&self, run: &Run) -> Result<Deliverable> {
        self.remark(run);
        let (complete, ledger) =
            self.complete().ok_or_else(|| self.failed("a stage left nothing"))?;
        self.deliverable(&complete, ledger)
    }

    /// Keeps what there is, and returns why the run ends with the stage that failed as the result names it.
    pub(super) fn stopped(&self, run: &Run, stop: Stop) -> Stop {
        let stop = match stop {
            Stop::Stage { message, retry_attempted, .. } => {
                Stop::Stage { stage: self.stage.into(), message, retry_attempted }
            }
            Stop::Budget { cap, .. } => Stop::Budget { step: self.stage.into(), cap },
            other => other,
        };
        let retry_attempted = matches!(stop, Stop::Stage { retry_attempted: true, .. });
        let message = match &stop {
            Stop::Stage { message, .. } => message.clone(),
            other => other.to_string(),
        };
        let message =
            if message.is_empty() { "it failed without a word".to_owned() } else { message };
        self.remark(run);
        let failed = Failed { stage: self.stage.into(), message, retry_attempted };
        let (partial, ledger) = self.partial(failed);
        match self.deliverable(&partial, ledger) {
            Ok(so_far) => run.keep(so_far),
            Err(unwritable) => return unwritable,
        }
        stop
    }

    fn deliverable(&self, payload: &impl Serialize, ledger: Vec<Claim>) -> Result<Deliverable> {
        match serde_json::to_value(payload) {
            Ok(Value::Object(fields)) => {
                Ok(Deliverable { outcome: Outcome::Answered, fields, ledger })
            }
            Ok(_) => Err(self.failed("the result is no object")),
            Err(error) => Err(self.failed(format!("the result cannot be written: {error}"))),
        }
    }

    /// Tells the reader what did not hold.
    fn remark(&self, run: &Run) {
        let (gathered, ledger) = self.gathered();
        let failed = ledger.iter().filter(|one| one.verdict == Verdict::Unsupported).count();
        if failed > 0 {
            run.warn(format!(
                "{failed} claims did not hold against their sources; they support nothing, and deliverable.claims says why"
            ));
        }
        let ungrounded = gathered.hypotheses.iter().filter(|one| one.supporting_citations == 0);
        let ungrounded: Vec<&str> = ungrounded.map(|one| one.id.as_str()).collect();
        if !ungrounded.is_empty() {
            run.warn(format!(
                "nothing in the literature that was read bears out {}; what is cited there was put beside it by the program",
                ungrounded.join(", ")
            ));
        }
        for measured in self.diversity.iter().rev().take(1) {
            if !measured.too_close.is_empty() {
                run.warn(format!(
                    "hypotheses are close to each other: {}",
                    diversity::told(measured).replace('\n', " ")
                ));
            }
        }
    }
}

/// Returns a sentence as it goes on after a "that": with a small letter, unless the first word is no common word.
fn lowered(sentence: &str) -> String {
    let mut letters = sentence.chars();
    match (letters.next(), letters.next()) {
        (Some(first), Some(second))
            if first.is_uppercase() && (second.is_lowercase() || second == ' ') =>
        {
            first.to_lowercase().chain(sentence.chars().skip(1)).collect()
        }
        _ => sentence.to_owned(),
    }
}
