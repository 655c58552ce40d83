//! What a run of the method has gathered, and its delivery, whole or partial.

use std::collections::{BTreeMap, BTreeSet};

use ::grounding::check::Shown;
use serde::Serialize;
use serde_json::{Value, json};

use run::evidence::Numbered;
use run::ledger::{self, Claim, Verdict};
use run::{Deliverable, Outcome, Result, Run, Stop};

use super::Options;
use super::clerk::{Entered, SectionInput};
use super::payload::{
    Analysis, Conclusion, Estimate, Failed, Judgement, LeftOut, Paragraph, Section, Statement,
    WhyNot, spoken,
};
use super::scope;
use super::{contract, sizing};
use crate::{grounded, outside};

/// Everything gathered so far.
pub(super) struct Study<'a> {
    pub(super) question: &'a str,
    pub(super) options: &'a Options,
    /// Its texts have no marks until delivery.
    pub(super) analysis: Analysis,
    /// The claims of the statements in the analysis, by their ids.
    claims: BTreeMap<String, Claim>,
    failed: Vec<Claim>,
    /// The evidence given to the agents.
    evidence: Vec<Numbered>,
    subject: Vec<String>,
    /// The collection that works are read into.
    pub(super) collection: Option<String>,
    pub(super) any_read: bool,
    /// The addresses of what was read or permanently left out.
    pub(super) read: BTreeSet<String>,
    absent: BTreeMap<Section, WhyNot>,
    stage: &'static str,
    next: u32,
}

impl<'a> Study<'a> {
    pub(super) fn of(run: &Run, question: &'a str, options: &'a Options) -> Study<'a> {
        let refined = run.refined();
        let title = ledger::one_line(&run::grounding::clean(question));
        let mut subject = scope::key_words(question);
        subject.extend(refined.search_terms.iter().flat_map(|term| scope::key_words(term)));
        let analysis = Analysis {
            question: question.to_owned(),
            title: if title.is_empty() { "Market analysis".into() } else { title },
            scope: scope::told(refined),
            learned: scope::extract_startup(question, refined),
            reader: grounded::reader(run),
            ..Analysis::default()
        };
        Study {
            question,
            options,
            analysis,
            claims: BTreeMap::new(),
            failed: Vec::new(),
            evidence: Vec::new(),
            subject,
            collection: None,
            any_read: false,
            read: BTreeSet::new(),
            absent: BTreeMap::new(),
            stage: "options",
            next: 1,
        }
    }

    /// Sets the current stage.
    pub(super) fn enter(&mut self, stage: &'static str) {
        self.stage = stage;
    }

    pub(super) fn leave_out(&mut self, section: Section, why: WhyNot) {
        self.absent.insert(section, why);
    }

    /// Stores the reply of an agent.
    pub(super) fn output(&mut self, role: &str, reply: &impl Serialize) {
        self.analysis.stage_outputs.insert(role.to_owned(), json!(reply));
    }

    pub(super) fn take_in(&mut self, evidence: &[Numbered]) {
        for one in evidence {
            if !self.evidence.iter().any(|known| known.number == one.number) {
                self.evidence.push(one.clone());
            }
        }
    }

    pub(super) fn evidence(&self) -> Vec<Numbered> {
        self.evidence.clone()
    }

    /// Returns the run's collection, which the first section to read anything names.
    pub(super) async fn collection(&mut self, run: &Run) -> Result<String> {
        if let Some(collection) = &self.collection {
            return Ok(collection.clone());
        }
        let collection = outside::collection(run).await?;
        self.collection = Some(collection.clone());
        Ok(collection)
    }

    /// Returns the input of a section's agent.
    pub(super) fn section_input<'d>(
        &'d self,
        run: &Run,
        evidence: &'d [Numbered],
    ) -> SectionInput<'d> {
        let ids = self.analysis.ids().into_iter();
        let known = ids.filter_map(|id| Some((id.clone(), self.claims.get(id)?.clone()))).collect();
        let said = evidence.iter().map(|one| one.evidence.text.as_str());
        SectionInput {
            question: self.question,
            subject: &self.subject,
            evidence,
            shown: Shown::of(said.chain([self.question])),
            known,
            next: self.next,
            most: self.options.rules.most_claims as usize,
            mode: run.mode(),
        }
    }

    /// Takes over the claims of a section.
    pub(super) fn entered<T>(&mut self, entered: Entered<T>) -> T {
        let Entered { section, claims, failed, .. } = entered;
        self.next += claims.len() as u32;
        self.claims.extend(claims);
        self.failed.extend(failed);
        section
    }

    /// Returns a statement repeated in the summary.
    pub(super) fn said_again(&mut self, id: String) -> Option<Conclusion> {
        let claim = self.claims.get(&id)?.clone();
        let (text, verdict) = (claim.text.clone(), claim.verdict);
        let own = format!("c{}", self.next);
        self.next += 1;
        self.claims.insert(own.clone(), claim);
        let statement = Statement { id: own, text, verdict };
        Some(Conclusion { statement, rests_on: vec![id] })
    }

    pub(super) fn holds_anything(&self) -> bool {
        !self.analysis.statements().is_empty()
    }

    /// Returns the sections so far, each statement with its id, as shown to later agents.
    pub(super) fn told(&self) -> String {
        let mut told = String::new();
        let mut tell = |heading: &str, lines: Vec<String>| {
            if !lines.is_empty() {
                told.push_str(&format!("{heading}\n{}\n\n", lines.join("\n")));
            }
        };
        let claim = |id: &String| self.claims.get(id).map_or("", |claim| claim.text.as_str());
        let line = |statement: &Statement| format!("{}: {}", statement.id, claim(&statement.id));
        let Analysis { sizing, competitors, customers, strategy, .. } = &self.analysis;
        let prose =
            |paragraphs: &[Paragraph]| -> Vec<String> { spoken(paragraphs).map(line).collect() };
        if let Some(sizing) = sizing {
            let said = sizing.claims.iter().map(line);
            tell("Market size", prose(&sizing.prose).into_iter().chain(said).collect());
            let estimate = |estimate: &Estimate| -> Vec<String> {
                let inputs = estimate.inputs.iter().filter_map(|input| input.statement.as_ref());
                inputs.chain(estimate.steps.iter().map(|step| &step.statement)).map(line).collect()
            };
            tell("Top-down estimate", estimate(&sizing.top_down));
            tell("Bottom-up estimate", estimate(&sizing.bottom_up));
            tell("The two estimates", vec![sizing.comparison.text.clone()]);
        }
        tell("Competitors", competitors.as_ref().map_or(vec![], |one| prose(&one.prose)));
        let cells = competitors.iter().flat_map(|section| &section.rows).flat_map(|row| {
            let cells = row.cells().into_iter().flatten();
            std::iter::once(&row.name).chain(cells).map(line).collect::<Vec<_>>()
        });
        tell("Table of competitors", cells.collect());
        tell("Customers", customers.as_ref().map_or(vec![], |one| prose(&one.prose)));
        for segment in customers.iter().flat_map(|section| &section.segments) {
            let all = segment.claims.iter().chain(&segment.needs);
            tell(&format!("Customers: {}", segment.name), all.map(line).collect());
        }
        if let Some(strategy) = strategy {
            tell("Strategy", prose(&strategy.prose));
            tell("Risks", strategy.risks.iter().map(line).collect());
            let judged = |judgements: &[Judgement]| -> Vec<String> {
                let told = judgements.iter();
                told.map(|one| format!("{}: {} (on {})", one.id, one.text, one.rests_on.join(", ")))
                    .collect()
            };
            tell("Recommendations", judged(&strategy.recommendations));
            tell("Risks that follow from them", judged(&strategy.judged_risks));
        }
        told
    }

    /// Returns the result with its marks, and its ledger with the claims in reading order.
    fn gathered(&self) -> (Analysis, Vec<Claim>) {
        let mut analysis = self.analysis.clone();
        let missing = |section: &Section| match section {
            Section::MarketSizing => analysis.sizing.is_none(),
            Section::Competitors => analysis.competitors.is_none(),
            Section::Customers => analysis.customers.is_none(),
            Section::Strategy => analysis.strategy.is_none(),
        };
        let why = |section: &Section| self.absent.get(section).copied();
        let left_out = Section::ALL
            .into_iter()
            .filter(missing)
            .map(|section| LeftOut { section, why: why(&section).unwrap_or(WhyNot::NotReached) });
        analysis.left_out = left_out.collect();
        // A repeated claim is in the ledger once.
        let (mut ledger, mut places): (Vec<Claim>, BTreeMap<String, usize>) = Default::default();
        for id in analysis.ids() {
            let Some(claim) = self.claims.get(id) else { continue };
            let place = ledger.iter().position(|known| known == claim).unwrap_or(ledger.len());
            if place == ledger.len() {
                ledger.push(claim.clone());
            }
            places.insert(id.clone(), place);
        }
        for (id, rests_on) in analysis.conclusions() {
            let Some(own) = places.get(id) else { continue };
            // A repeated statement keeps its own basis and does not rest on itself.
            let others =
                rests_on.iter().filter_map(|id| places.get(id)).filter(|place| *place != own);
            let numbers: Vec<u32> =
                others.filter_map(|place| u32::try_from(place + 1).ok()).collect();
            let claim = ledger.get_mut(*own);
            if let Some(claim) = claim.filter(|claim| claim.verdict == Verdict::Inferred)
                && !numbers.is_empty()
            {
                claim.rests_on = numbers;
            }
        }
        ledger.extend(self.failed.iter().cloned());
        ledger::number(&mut ledger);
        let marks: BTreeMap<&String, String> = places
            .iter()
            .filter_map(|(id, place)| {
                let numbers = ledger.get(*place)?.numbers();
                Some((id, numbers.iter().map(|number| format!(" [{number}]")).collect()))
            })
            .collect();
        let marked = |id: &String, text: &mut String| {
            text.push_str(marks.get(id).map_or("", String::as_str));
        };
        for Statement { id, text, .. } in analysis.statements_mut() {
            marked(id, text);
        }
        for Judgement { id, text, .. } in analysis.judgements_mut() {
            marked(id, text);
        }
        (analysis, ledger)
    }

    /// Stores the result so far, in case the run ends early.
    pub(super) fn keep(&self, run: &Run) -> Result<()> {
        let (analysis, ledger) = self.gathered();
        run.keep(self.deliverable(&analysis, ledger, Outcome::Answered)?);
        Ok(())
    }

    /// Returns the whole result.
    pub(super) fn delivered(&self, run: &Run) -> Result<Deliverable> {
        self.remark(run);
        let (analysis, ledger) = self.gathered();
        let wrong = contract::violations(&analysis, &ledger);
        if !wrong.is_empty() {
            return Err(self.failed(wrong.join("; ")));
        }
        let complete = analysis.searched.iter().all(|one| one.complete);
        let outcome = match (self.holds_anything(), complete) {
            (true, _) => Outcome::Answered,
            (false, true) => Outcome::NotEnoughEvidence,
            (false, false) => Outcome::NotReached,
        };
        self.deliverable(&analysis, ledger, outcome)
    }

    /// Stores the partial result, and returns the reason for the stop with the failed stage as the result names it.
    pub(super) fn stopped(&mut self, run: &Run, stop: Stop) -> Stop {
        let stage = self.stage.to_owned();
        let (message, retry_attempted, stop) = match stop {
            Stop::Stage { message, retry_attempted, .. } => {
                let message = if message.is_empty() { "it gave no reason".into() } else { message };
                let stop = Stop::Stage { stage, message: message.clone(), retry_attempted };
                (message, retry_attempted, stop)
            }
            Stop::Budget { cap, .. } => {
                (run::work::budget_met(&cap), false, Stop::Budget { step: stage, cap })
            }
            other => (other.to_string(), false, other),
        };
        self.remark(run);
        self.analysis.error = Some(Failed { stage: self.stage.into(), message, retry_attempted });
        match self.keep(run) {
            Ok(()) => stop,
            Err(unwritable) => unwritable,
        }
    }

    fn failed(&self, message: impl Into<String>) -> Stop {
        Stop::Stage { stage: self.stage.into(), message: message.into(), retry_attempted: false }
    }

    fn deliverable(
        &self,
        analysis: &Analysis,
        ledger: Vec<Claim>,
        outcome: Outcome,
    ) -> Result<Deliverable> {
        match serde_json::to_value(analysis) {
            Ok(Value::Object(fields)) => Ok(Deliverable { outcome, fields, ledger }),
            Ok(_) => Err(self.failed("the result is not an object")),
            Err(error) => Err(self.failed(format!("could not write the result: {error}"))),
        }
    }

    /// Warns about what did not hold.
    fn remark(&self, run: &Run) {
        let failed = self.failed.iter().filter(|one| one.verdict == Verdict::Unsupported).count();
        if failed > 0 {
            run.warn(grounded::describe_failed(failed, "cut or marked", "deliverable.claims"));
        }
        let Some(sized) = &self.analysis.sizing else { return };
        for (what, estimate) in [("top-down", &sized.top_down), ("bottom-up", &sized.bottom_up)] {
            for correction in &estimate.corrections {
                run.warn(format!("a number of the {what} estimate was corrected: {correction}"));
            }
            if estimate.result.is_some() && estimate.assumptions_alone {
                run.warn(format!(
                    "the {what} estimate rests on assumptions alone; no source supports its figures"
                ));
            }
        }
        if sized.comparison.ratio.is_some_and(|ratio| ratio > sizing::FAR_APART) {
            run.warn(sized.comparison.text.trim_start_matches("Warning: "));
        }
    }
}
