//! What a run of the method has gathered, and its delivery, whole or partial.

mod blocks;
mod delivery;
mod pages;
mod rendering;

use std::collections::{BTreeMap, BTreeSet};

use ::grounding::check::Shown;
use serde::Serialize;
use serde_json::{Value, json};

use papers::Paper;
use run::evidence::Numbered;
use run::ledger::{self, Claim};
use run::{Deliverable, Mode, Outcome, Result, Run, Stop};

use super::candidates::{Candidate, Reader};
use super::contract;
use super::diversity;
use super::pairwise::{self, Call};
use super::payload::{Diversity, Failed, Origin, Ranking, Retrieval};
use super::replies::{Critique, Framing, Survey};
use super::{Options, Rules};
use crate::grounded::docket::Docket;
use crate::grounded::free::remarks;
use crate::grounded::{self, SecondReader};

pub(super) use rendering::{ClaimCheck, Rendering};

/// The findings of the papers, and the gaps that they leave.
pub(super) type Surveyed = (Vec<Claim>, Vec<String>);

/// Maximum number of faults of a kind that are reported.
const MOST_TOLD: usize = 10;

/// The state of an agent's stage before the agent was asked once more.
pub(super) struct Aside {
    stage: &'static str,
    output: Option<Value>,
    candidates: Vec<Candidate>,
}

/// Everything gathered so far.
pub(super) struct Study<'a> {
    pub(super) question: &'a str,
    pub(super) options: &'a Options,
    pub(super) domain: String,
    pub(super) objective: String,
    stage: &'static str,
    pub(super) framing: Framing,
    pub(super) retrieval: Option<Retrieval>,
    pub(super) works: Vec<Paper>,
    /// The collection of what was read; empty if nothing was.
    pub(super) collection: String,
    pub(super) evidence: Vec<Numbered>,
    pub(super) survey: Option<Surveyed>,
    /// In the order of proposal; once ranked, in the order of rank.
    pub(super) candidates: Vec<Candidate>,
    pub(super) diversity: Vec<Diversity>,
    ranking: Option<Ranking>,
    pub(super) rendering: Option<Rendering>,
    reader: Option<SecondReader>,
    outputs: BTreeMap<String, Value>,
}

impl<'a> Study<'a> {
    pub(super) fn of(run: &Run, question: &'a str, options: &'a Options) -> Study<'a> {
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
            collection: String::new(),
            evidence: Vec::new(),
            survey: None,
            candidates: Vec::new(),
            diversity: Vec::new(),
            ranking: None,
            rendering: None,
            reader: grounded::reader(run),
            outputs: BTreeMap::new(),
        }
    }

    pub(super) fn rules(&self) -> &Rules {
        &self.options.rules
    }

    /// Sets the current stage.
    pub(super) fn enter(&mut self, stage: &'static str) {
        self.stage = stage;
    }

    /// Stores the output of a stage; a second call replaces the first output.
    pub(super) fn keep(&mut self, stage: &str, output: &impl Serialize) {
        self.outputs.insert(stage.to_owned(), json!(output));
    }

    /// Returns the failure of the current stage.
    pub(super) fn failed(&self, message: impl Into<String>) -> Stop {
        Stop::Stage { stage: self.stage.into(), message: message.into(), retry_attempted: false }
    }

    /// Enters the findings and gaps of the survey.
    pub(super) fn surveyed(
        &self,
        survey: &Survey,
        mode: Mode,
        docket: &mut Docket<'_>,
    ) -> Surveyed {
        /// Maximum numbers of items taken from a reply.
        const MOST_FINDINGS: usize = 40;
        const MOST_GAPS: usize = 12;
        let shown = self.shown();
        let reader = Reader { shown: &shown, mode };
        let gaps = remarks(&survey.gaps, &shown, MOST_GAPS);
        (reader.entered(&survey.findings, MOST_FINDINGS, docket), gaps)
    }

    /// Returns everything that agents were shown so far, against which their own words are checked.
    pub(super) fn shown(&self) -> Shown {
        let evidence = self.evidence.iter().flat_map(|one| {
            let work = one.evidence.provenance.work.as_deref();
            let year =
                work.and_then(|work| work.published.as_ref()).map(|date| date.year.to_string());
            [Some(one.evidence.text.clone()), year]
        });
        let texts: Vec<String> = evidence.flatten().collect();
        Shown::of(texts.iter().map(String::as_str).chain([self.question]))
    }

    /// Returns the marks of a claim: the addresses of its statements.
    fn marks(&self, claim: &Claim) -> String {
        let holds = claim.citations.iter().filter(|one| one.verdict.holds());
        holds
            .filter_map(|one| one.address.as_ref())
            .map(|address| format!(" [{address}]"))
            .collect()
    }

    /// Returns the numbers of the evidence that supports a claim.
    fn backing(&self, claim: &Claim) -> BTreeSet<u32> {
        let citations = claim.citations.iter().filter(|one| one.verdict.holds());
        citations.filter_map(|citation| self.cited(citation)).map(|one| one.number).collect()
    }

    /// Returns the evidence that a citation names.
    fn cited(&self, citation: &ledger::Citation) -> Option<&Numbered> {
        let mut evidence = self.evidence.iter();
        evidence.find(|one| one.evidence.evidence_id == citation.evidence_id)
    }

    /// Returns the number of hypotheses below which the generator is asked once more.
    pub(super) fn fewest(&self) -> usize {
        self.rules().fewest_hypotheses.min(self.rules().hypotheses) as usize
    }

    /// Returns the state of an agent's stage, to be restored if a second call brings nothing better.
    pub(super) fn set_aside(&self, stage: &'static str) -> Aside {
        let output = self.outputs.get(stage).cloned();
        Aside { stage, output, candidates: self.candidates.clone() }
    }

    /// Keeps the better of two sets of hypotheses, the one set aside or the one from the second call, with its measurement.
    pub(super) fn asked_again(&mut self, again: Diversity, aside: Aside) {
        let short = |candidates: &[Candidate]| self.fewest().saturating_sub(candidates.len());
        let close = self.diversity.last().map_or(0, |measured| measured.too_close.len());
        let before = (short(&aside.candidates), close);
        let after = (short(&self.candidates), again.too_close.len());
        self.retried();
        if after <= before {
            self.diversity.push(again);
        } else {
            self.put_back(aside);
        }
    }

    /// Restores what was set aside after a failed second call; returns any other reason to stop.
    pub(super) fn not_asked_again(&mut self, run: &Run, stop: Stop, aside: Aside) -> Result<()> {
        match stop {
            Stop::Stage { .. } | Stop::Budget { .. } => {
                run.warn(format!("could not ask the {} a second time: {stop}", aside.stage));
                self.retried();
                self.put_back(aside);
                Ok(())
            }
            stop => Err(stop),
        }
    }

    fn retried(&mut self) {
        if let Some(measured) = self.diversity.last_mut() {
            measured.retried = true;
        }
    }

    fn put_back(&mut self, aside: Aside) {
        let Aside { stage, output, candidates } = aside;
        self.candidates = candidates;
        if let Some(output) = output {
            self.outputs.insert(stage.to_owned(), output);
        }
    }

    /// Restores the first wording of hypotheses that the critic made too close; returns whether there were any.
    pub(super) fn as_first_worded(&mut self) -> bool {
        let close: Vec<String> = self.diversity.last().map_or_else(Vec::new, |measured| {
            let pairs = measured.too_close.iter();
            let ids = pairs.flat_map(|pair| [&pair.hypothesis_a_id, &pair.hypothesis_b_id]);
            ids.cloned().collect()
        });
        let mut any = false;
        for candidate in self.candidates.iter_mut().filter(|one| close.contains(&one.id)) {
            any |= candidate.as_first_worded();
        }
        any
    }

    /// Returns the hypotheses with the critic's objections, and the number of reviews that match none of them.
    pub(super) fn contested(
        &self,
        critique: &Critique,
        mode: Mode,
        docket: &mut Docket<'_>,
    ) -> (Vec<Candidate>, usize) {
        let mut candidates = self.candidates.clone();
        let shown = self.shown();
        let reader = Reader { shown: &shown, mode };
        let ignored = reader.reviewed(&mut candidates, critique, docket);
        (candidates, ignored)
    }

    /// Ranks the hypotheses by the judge's records.
    pub(super) fn ranked(&mut self, run: &Run, calls: &[Call<'_>]) {
        let ids: Vec<String> = self.candidates.iter().map(|one| one.id.clone()).collect();
        let (comparisons, coverage) = pairwise::normalised(calls, &ids);
        if !coverage.missing.is_empty() {
            run.warn(format!(
                "the judge skipped {} of {} pairs; they count as ties",
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
        let bias = ranking.position_bias;
        if bias.reversed * 2 > bias.compared {
            run.warn(format!(
                "the judge changed {} of {} verdicts when the order was reversed, so its judgements say little",
                bias.reversed, bias.compared
            ));
        }
        self.ranking = Some(ranking);
    }

    /// Returns the number of *quaestiones* to write.
    fn top(&self) -> usize {
        (self.options.top as usize).clamp(1, self.candidates.len().max(1))
    }

    /// Returns the claims checked so far, except those of the Summa.
    pub(super) fn checked(&self) -> Vec<&Claim> {
        let findings = self.survey.iter().flat_map(|(findings, _)| findings);
        let of_candidates = self.candidates.iter().flat_map(|candidate| {
            let backings = candidate.contests.iter().filter_map(|contest| contest.backing.as_ref());
            candidate.support.iter().chain(backings)
        });
        findings.chain(of_candidates).collect()
    }

    /// Returns the evidence that supports any claim so far.
    pub(super) fn cited_evidence(&self) -> Vec<Numbered> {
        let used: BTreeSet<u32> =
            self.checked().into_iter().flat_map(|claim| self.backing(claim)).collect();
        self.evidence.iter().filter(|one| used.contains(&one.number)).cloned().collect()
    }

    pub(super) fn is_written_by_a_model(&self) -> bool {
        self.rendering.as_ref().is_some_and(|rendering| rendering.origin == Origin::Model)
    }

    /// Takes the composer's second text unless the first is better. A text built by rule replaces the first only if the first has citations
    /// to nothing.
    pub(super) fn recomposed(&mut self, second: Rendering) {
        let faults = |one: &Rendering| (one.foreign.len(), one.unborne());
        let stands = |first: &Rendering| {
            let by_rule = second.origin != Origin::Model && first.foreign.is_empty();
            by_rule || faults(first) < faults(&second)
        };
        if !self.rendering.as_ref().is_some_and(stands) {
            self.rendering = Some(second);
        }
    }

    /// Returns the violations of the contract.
    pub(super) fn violations(&self) -> Vec<String> {
        let foreign = self.rendering.iter().flat_map(|rendering| &rendering.foreign);
        let foreign: BTreeSet<&String> = foreign.collect();
        let told = foreign
            .iter()
            .map(|mark| format!("the Summa cites [{mark}], and there is no such statement"));
        let mut violations: Vec<String> = told.take(MOST_TOLD).collect();
        match self.complete() {
            Some((complete, ledger)) => violations.extend(contract::violations(&complete, &ledger)),
            None => violations.push("a stage returned nothing".into()),
        }
        violations
    }

    /// Returns the whole result.
    pub(super) fn delivered(&self, run: &Run) -> Result<Deliverable> {
        self.remark(run);
        let (complete, ledger) =
            self.complete().ok_or_else(|| self.failed("a stage returned nothing"))?;
        self.deliverable(&complete, ledger)
    }

    /// Stores the partial result, and returns the reason for the stop with the failed stage as the result names it.
    pub(super) fn stopped(&self, run: &Run, stop: Stop) -> Stop {
        let stage = || self.stage.to_owned();
        let (message, retry_attempted, stop) = match stop {
            Stop::Stage { message, retry_attempted, .. } => {
                let message = if message.is_empty() { "it gave no reason".into() } else { message };
                let stop =
                    Stop::Stage { stage: stage(), message: message.clone(), retry_attempted };
                (message, retry_attempted, stop)
            }
            Stop::Budget { cap, .. } => {
                (run::work::budget_met(&cap), false, Stop::Budget { step: stage(), cap })
            }
            other => (other.to_string(), false, other),
        };
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
            Ok(_) => Err(self.failed("the result is not an object")),
            Err(error) => Err(self.failed(format!("could not write the result: {error}"))),
        }
    }

    /// Warns about what did not hold.
    fn remark(&self, run: &Run) {
        let (gathered, ledger) = self.gathered();
        let failed = ledger.iter().filter(|one| !one.verdict.holds()).count();
        if failed > 0 {
            run.warn(grounded::describe_failed(
                failed,
                "not counted as support",
                "deliverable.claims",
            ));
        }
        let (there, fewest) = (gathered.hypotheses.len(), self.fewest());
        if (1..fewest).contains(&there) {
            run.warn(format!(
                "only {there} hypotheses were found; at least {fewest} were expected"
            ));
        }
        let ungrounded = gathered.hypotheses.iter().filter(|one| one.supporting_citations == 0);
        let ungrounded: Vec<&str> = ungrounded.map(|one| one.id.as_str()).collect();
        if !ungrounded.is_empty() {
            run.warn(format!(
                "nothing in the literature read supports {}; its citations were added by the program",
                ungrounded.join(", ")
            ));
        }
        for measured in self.diversity.iter().rev().take(1) {
            if !measured.too_close.is_empty() {
                run.warn(format!(
                    "some hypotheses are very similar: {}",
                    diversity::told(measured).trim().trim_start_matches("- ").replace("\n- ", "; ")
                ));
            }
        }
    }
}
