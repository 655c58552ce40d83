//! The debate so far: its turns, their evidence, and how they are shown and delivered.

use std::collections::BTreeSet;

use serde_json::Value;

use papers::Paper;
use run::evidence::{EvidenceKind, Numbered};
use run::ledger::{self, Citation, Claim};
use run::sandbox::Trial;
use run::{Deliverable, Outcome, Result, Run, Stop};

use super::Options;
use super::entering::{Entered, Piece};
use super::payload::{
    Critique, Debate, Ending, Listed, Markers, Proposed, Scientist, Sentence, Turn, Validation,
    Viability,
};
use super::reading::TurnInput;
use super::replies::Code;
use super::telling::RESPONSE;
use super::{contract, text, trial};
use crate::grounded::describe_failed;

/// The debate so far.
pub(super) struct Transcript<'a> {
    pub(super) question: &'a str,
    pub(super) options: &'a Options,
    pub(super) turns: Vec<Turn>,
    /// The claims of the turns that hold, in reading order.
    claims: Vec<Claim>,
    failed: Vec<Claim>,
    /// The evidence given to the scientists.
    pub(super) evidence: Vec<Numbered>,
    /// The addresses of the works that were read.
    pub(super) read: BTreeSet<String>,
    pub(super) corpus_exists: bool,
    /// Whether all outside sources answered.
    pub(super) complete: bool,
    reader: Option<crate::SecondReader>,
}

/// What a turn is built from.
pub(super) struct Spoken {
    pub(super) cycle: u32,
    pub(super) who: Scientist,
    pub(super) turn_input: TurnInput,
    pub(super) entered: Entered,
    pub(super) markers: Markers,
    pub(super) proposed: Option<(Code, Trial)>,
    pub(super) overruled: String,
}

impl<'a> Transcript<'a> {
    pub(super) fn of(run: &Run, question: &'a str, options: &'a Options) -> Transcript<'a> {
        Transcript {
            question,
            options,
            turns: Vec::new(),
            claims: Vec::new(),
            failed: Vec::new(),
            evidence: Vec::new(),
            read: BTreeSet::new(),
            corpus_exists: false,
            complete: true,
            reader: crate::grounded::reader(run),
        }
    }

    pub(super) fn take_in(&mut self, evidence: &[Numbered]) {
        for one in evidence {
            if !self.evidence.iter().any(|known| known.number == one.number) {
                self.evidence.push(one.clone());
            }
        }
    }

    /// Adds a turn to the debate, and to the log as delivered. `run` is in the turn's scope.
    pub(super) async fn speak(&mut self, run: &Run, spoken: Spoken) -> Result<()> {
        let Spoken { cycle, who, turn_input, entered, markers, proposed, overruled } = spoken;
        let first = self.claims.len();
        // A response numbers only its own claims.
        let behind = u32::try_from(first).unwrap_or(u32::MAX);
        self.claims.extend(entered.claims.iter().cloned().map(|mut claim| {
            for number in &mut claim.rests_on {
                *number = number.saturating_add(behind);
            }
            claim
        }));
        self.failed.extend(entered.failed);
        ledger::number(&mut self.claims);
        let sentences = |pieces: &[Piece]| -> Vec<Sentence> {
            pieces.iter().map(|piece| self.sentence(piece, first)).collect()
        };
        let critique = |(quotation, piece): &(String, Piece)| Critique {
            quotation: quotation.clone(),
            remark: self.sentence(piece, first),
        };
        let proposal = proposed.map(|(code, trial)| Proposed {
            explanation: sentences(&entered.explanation),
            language: code.language,
            code: code.source,
            trial: trial::shown(trial),
        });
        let mut turn = Turn {
            cycle,
            scientist: who,
            query: turn_input.query,
            ingested: turn_input.ingested,
            retrieved: turn_input.retrieved,
            evidence: turn_input.evidence.iter().map(|one| one.number).collect(),
            position: sentences(&entered.position),
            synthesis: sentences(&entered.synthesis),
            critique: entered.critique.iter().map(critique).collect(),
            next_step: sentences(&entered.next_step),
            proposal,
            markers,
            overruled,
            citations: self.citations(first),
            references: Vec::new(),
            response: String::new(),
        };
        turn.references = self.references(run, first).await?;
        turn.response = text::response(&turn);
        let recorded = || std::future::ready(Ok(turn.clone()));
        let turn = run.step(RESPONSE, &turn, recorded).await?;
        self.turns.push(turn);
        self.keep(run)
    }

    fn sentence(&self, piece: &Piece, first: usize) -> Sentence {
        let claim = piece.claim.and_then(|index| self.claims.get(first + index));
        let numbers = claim.map_or_else(Vec::new, Claim::numbers);
        Sentence { text: piece.text.clone(), numbers, verdict: claim.map(|claim| claim.verdict) }
    }

    /// Returns the citations shown with the claims from `first` on, by their numbers.
    fn citations(&self, first: usize) -> Vec<Citation> {
        let claims = self.claims.get(first..).unwrap_or_default();
        run::views::citations(claims).into_iter().cloned().collect()
    }

    /// Returns the references for exactly what the claims from `first` on cite.
    async fn references(&self, run: &Run, first: usize) -> Result<Vec<Listed>> {
        let mut cited: Vec<(Listed, Option<&Paper>)> = Vec::new();
        for citation in self.citations(first) {
            let Some(number) = citation.number else { continue };
            let evidence = self.evidence.iter().map(|one| &one.evidence);
            let Some(evidence) =
                evidence.into_iter().find(|one| one.evidence_id == citation.evidence_id)
            else {
                continue;
            };
            let known = cited.iter_mut().find(|(known, _)| known.source_uri == evidence.source_uri);
            match known {
                Some((known, _)) => known.numbers.push(number),
                None => {
                    let listed = Listed {
                        numbers: vec![number],
                        source_uri: evidence.source_uri.clone(),
                        text: called(&citation.title, evidence.kind),
                    };
                    cited.push((listed, evidence.provenance.work.as_deref()));
                }
            }
        }
        let works: Vec<&Paper> = cited.iter().filter_map(|(_, work)| *work).collect();
        let mut written = match works.as_slice() {
            [] => Vec::new(),
            works => run.references(works).await?,
        }
        .into_iter();
        for (listed, work) in &mut cited {
            if work.is_some() {
                listed.text = written.next().unwrap_or_default();
            }
        }
        Ok(cited.into_iter().map(|(listed, _)| listed).collect())
    }

    /// Returns whether the evidence may be private to the user; if so, no outside query is made from it.
    pub(super) fn is_private(&self) -> bool {
        use EvidenceKind::{Execution, Scholarly};
        // A page was named by the user and may not be publicly accessible.
        let is_public = |one: &Numbered| matches!(one.evidence.kind, Scholarly | Execution);
        let Options { collection, url, history, .. } = self.options;
        let given = !collection.is_empty() || !url.is_empty() || !history.is_empty();
        given || !self.evidence.iter().all(is_public)
    }

    /// Returns the passages that the last turn was given.
    pub(super) fn last_read(&self) -> Vec<Numbered> {
        let numbers = self.turns.last().map_or(&[][..], |turn| &turn.evidence);
        let was_read = |one: &&Numbered| {
            numbers.contains(&one.number) && one.evidence.kind != EvidenceKind::Execution
        };
        self.evidence.iter().filter(was_read).cloned().collect()
    }

    /// Returns the last turn of a scientist.
    pub(super) fn last_of(&self, who: Scientist) -> Option<&Turn> {
        self.turns.iter().rev().find(|turn| turn.scientist == who)
    }

    /// Returns everything that the other scientist has said, sentence by sentence, with the turn numbers.
    pub(super) fn said_by_the_other(&self, who: Scientist) -> Vec<(usize, Vec<String>)> {
        let turns = self.turns.iter().enumerate().filter(|(_, turn)| turn.scientist != who);
        turns.map(|(index, turn)| (index + 1, text::sentences(turn))).collect()
    }

    /// Returns the debate so far as shown to the scientists: the last two turns in full, the conclusions of earlier ones.
    pub(super) fn told(&self) -> String {
        let full = self.turns.len().saturating_sub(2);
        let told = self.turns.iter().enumerate().map(|(index, turn)| {
            let who = format!("{}, turn {}", turn.scientist.title(), turn.cycle);
            if index < full {
                return format!("{who}, in short: {}\n", turn.markers.conclusion);
            }
            format!("{who}:\n{}", text::spoken(turn, index + 1))
        });
        told.collect::<Vec<_>>().join("\n")
    }

    /// Returns the latest part of the earlier conversation that fits the token limit.
    pub(super) fn history(&self) -> String {
        let mut left = self.options.rules.history_tokens as usize;
        let mut told: Vec<String> = Vec::new();
        for remark in self.options.history.iter().rev() {
            let clean = |text: &str| run::grounding::clean(text).trim().to_owned();
            let line = format!("{}: {}", ledger::one_line(&remark.role), clean(&remark.content));
            let Some(rest) = left.checked_sub(::text::count_tokens(&line)) else { break };
            left = rest;
            told.push(line);
        }
        told.reverse();
        told.join("\n\n")
    }

    /// Returns whether the last review found the proposal viable and its code good.
    pub(super) fn is_viable(&self) -> bool {
        self.last_of(Scientist::Pessimist).is_some_and(|turn| {
            turn.markers.viability == Viability::Viable
                && turn.markers.validation == Validation::Pass
        })
    }

    /// Returns whether the last cycle quoted nothing.
    pub(super) fn is_exhausted(&self) -> bool {
        self.turns.iter().rev().take(2).all(|turn| turn.synthesis.is_empty())
    }

    /// Stores the result so far, in case the run ends early.
    pub(super) fn keep(&self, run: &Run) -> Result<()> {
        run.keep(self.deliverable(Ending::Interrupted)?);
        Ok(())
    }

    pub(super) fn delivered(&self, run: &Run, ending: Ending) -> Result<Deliverable> {
        let failed = self.failed.len();
        if failed > 0 {
            run.warn(describe_failed(failed, "cut from the turns", "deliverable.claims"));
        }
        self.deliverable(ending)
    }

    fn deliverable(&self, ending: Ending) -> Result<Deliverable> {
        let mut ledger = self.claims.clone();
        ledger.extend(self.failed.iter().cloned());
        let debate = Debate {
            ending,
            answer: text::summary(ending, &self.turns, self.complete),
            grounded: self.failed.is_empty() && !self.claims.is_empty(),
            turns: self.turns.clone(),
            max_turns: self.options.rules.max_turns,
            reader: self.reader.clone(),
        };
        let wrong = contract::violations(&debate, &ledger);
        if !wrong.is_empty() {
            return Err(failed(wrong.join("; ")));
        }
        let outcome = match (ending, self.complete) {
            (Ending::NoEvidence, true) => Outcome::NotEnoughEvidence,
            (Ending::NoEvidence, false) => Outcome::NotReached,
            _ => Outcome::Answered,
        };
        match serde_json::to_value(&debate) {
            Ok(Value::Object(fields)) => Ok(Deliverable { outcome, fields, ledger }),
            Ok(_) => Err(failed("the result is not an object")),
            Err(error) => Err(failed(format!("could not write the result: {error}"))),
        }
    }
}

fn failed(message: impl Into<String>) -> Stop {
    Stop::Stage { stage: "delivery".into(), message: message.into(), retry_attempted: false }
}

/// Returns the reference text of a source that is not a published work.
fn called(title: &str, kind: EvidenceKind) -> String {
    let title = ledger::one_line(&run::grounding::clean(title));
    match kind {
        EvidenceKind::Execution => format!("{title} (run by the program)."),
        _ => format!("{title} (the reader's own document)."),
    }
}
