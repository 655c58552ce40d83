//! Writes the answer from the blackboard, with its assumptions, open questions, and where sources differ.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use grounding::address::cited;
use papers::in_turn;
use run::evidence::Numbered;
use run::ledger::{Claim, Quoted};
use run::material::{Material, Place};
use run::{Agent, Deliverable, Outcome, Result};
use serde::Serialize;
use serde_json::{Map, Value, json};

use super::Inquiry;
use super::board::{Board, Settled, State};
use super::graph::Graph;
use crate::ask::extractive::{Extract, Looked};
use crate::ask::nothing::what_to_do;
use crate::ask::{NOT_REACHED, Options, build_fields, covers, remarks, warn_of_unsupported};
use crate::grounded::{self, Grounded, Marks, Prose, Subject, quoted};
use crate::outside::packed_by;

pub(super) const SYNTHESIZER: Agent = Agent {
    name: "synthesizer",
    prompt: "ask/synthesizer",
    text: include_str!("../../../prompts/ask/synthesizer.md"),
};

/// Tokens of the longest usual answer.
pub(super) const LONGEST_ANSWER: u32 = 1_500;

/// A contradiction as the deliverable shows it: each side is a sentence of its source, with its mark.
#[derive(Debug, Serialize)]
pub(super) struct Shown {
    about: String,
    sides: Vec<Side>,
}

#[derive(Debug, Serialize)]
struct Side {
    quote: String,
    source_uri: String,
    numbers: Vec<u32>,
}

impl Inquiry<'_> {
    /// Writes the answer.
    pub(super) async fn synthesised(&self, graph: &Graph, board: &Board) -> Result<Deliverable> {
        let evidence = self.shown(board);
        let mut said = Said::of(board);
        said.add_uncovered(board);
        if evidence.is_empty() {
            said.open.push(
                "The searches in the plan found nothing close enough to the question.".into(),
            );
            let is_outside = !self.options.own_documents;
            said.open.push(what_to_do(self.run.mode(), is_outside));
            let (outcome, answer) = unanswered(board);
            let fields = said.fields(self.options, graph, board, answer, &[]);
            return Ok(Deliverable { outcome, fields, ledger: vec![] });
        }
        grounded::hold_back_now(self.run, LONGEST_ANSWER)?;
        let assumed = listed(&said.assumptions);
        let call = || {
            self.options
                .asking(self.run, &SYNTHESIZER, self.question)
                .given("What is assumed", &assumed)
                .citing_statements(&evidence)
        };
        let extract = LazyLock::new(|| self.extract(&evidence, board));
        let quotes = || extract.prose.clone();
        let asked = call().as_synthesis().even_if_unusable().offline(quotes);
        let draft: Prose = asked.reply().await?;
        let (language, weights) = (board.language(), board.weights());
        let subject = Subject {
            run: self.run,
            question: self.question,
            evidence: &evidence,
            answers: &|words| covers(words, language, &weights, &self.options.rules),
            call: &call,
            unsupported: self.options.rules.unsupported,
        };
        let Grounded { text, mut ledger, holds } =
            grounded::ground(&subject, &draft, quotes).await?;
        warn_of_unsupported(self.run, self.options.rules.unsupported, &ledger);
        let shown = self.contradictions(&draft, board, &evidence, &mut ledger);
        said.add(&draft);
        let (outcome, text) = if holds {
            (Outcome::Answered, text)
        } else {
            if said.open.is_empty() {
                said.open.push("No sentence in the sources answers the question clearly enough to be quoted. Ask in the words \
                    of the sources, or choose a model: it can answer from passages that put it differently.".into());
            }
            let (outcome, text) = unanswered(board);
            (outcome, text.to_owned())
        };
        let mut fields = said.fields(self.options, graph, board, &text, &shown);
        if !holds && !extract.closest.is_empty() {
            fields.insert("closest".into(), json!(extract.closest));
        }
        if let Some(reader) = grounded::reader(self.run) {
            fields.insert("reader".into(), json!(reader));
        }
        Ok(Deliverable { outcome, fields, ledger })
    }

    /// Returns the evidence that the writer is shown: what a person said, then the best of each task in turn, as much as there is room for.
    /// If a person said which company they mean, evidence about the others is left out.
    fn shown(&self, board: &Board) -> Vec<Numbered> {
        let (companies, meant) = (board.companies(), board.meant());
        let is_meant = |one: &Numbered| {
            let company = one.evidence.provenance.metadata.get("company");
            meant.is_empty()
                || company
                    .is_none_or(|company| meant.contains(company) || !companies.contains(company))
        };
        let of = |task: &Settled| -> Vec<Numbered> {
            let numbered = task
                .evidence
                .iter()
                .filter_map(|number| board.evidence.iter().find(|one| one.number == *number));
            numbered.filter(|one| is_meant(one)).cloned().collect()
        };
        let (said, found): (Vec<&Settled>, Vec<&Settled>) =
            board.tasks.iter().partition(|task| matches!(task.state, State::Answered { .. }));
        let mut shown: Vec<Numbered> = said.into_iter().flat_map(of).collect();
        shown.extend(in_turn(found.into_iter().map(of).collect()));
        let mut seen = BTreeSet::new();
        shown.retain(|one| seen.insert(one.number));
        packed_by(shown, self.options.rules.context_tokens, |one| &one.evidence.text)
    }

    /// Extracts an answer without a model.
    fn extract(&self, evidence: &[Numbered], board: &Board) -> Extract {
        let rules = &self.options.rules;
        let found: Vec<Numbered> = evidence
            .iter()
            .filter(|one| one.evidence.kind != run::evidence::EvidenceKind::User)
            .cloned()
            .collect();
        let looked = Looked::with(board.language(), board.weights());
        looked.extract(self.question, &found, rules)
    }

    /// Enters the contradictions that the writer and the program found into the ledger: both sides, quoted from their sources. A
    /// contradiction without two such quotes is left out.
    pub(super) fn contradictions(
        &self,
        draft: &Prose,
        board: &Board,
        evidence: &[Numbered],
        ledger: &mut Vec<Claim>,
    ) -> Vec<Shown> {
        const MOST: usize = 5;
        let material = Material::of(evidence);
        let mut pairs: Vec<(String, [Place; 2])> = draft
            .differ
            .iter()
            .filter_map(|line| {
                let about = remarks(std::slice::from_ref(line)).pop()?;
                let addresses = cited(line).into_iter().flat_map(|one| one.addresses);
                let places: Vec<Place> =
                    addresses.filter_map(|address| material.place(address, line).ok()).collect();
                let sides = <[Place; 2]>::try_from(places.get(..2)?).ok()?;
                Some((about.trim_end_matches(['|', ' ', ':']).to_owned(), sides))
            })
            .collect();
        for found in &board.contradictions {
            let about = if found.is_of_several_companies {
                "sources are about different companies"
            } else {
                "sources differ"
            };
            let side =
                |quoted: &Quoted| material.quoted(quoted.evidence, &quoted.quote).first().copied();
            if let (Some(one), Some(other)) = (side(&found.one), side(&found.other)) {
                pairs.push((about.to_owned(), [one, other]));
            }
        }
        let mut marks = Marks::of(ledger);
        let mut known: Vec<Place> = Vec::new();
        let mut shown: Vec<Shown> = Vec::new();
        for (about, places) in pairs {
            if shown.len() == MOST || places[0] == places[1] {
                continue;
            }
            if places.iter().any(|place| known.contains(place)) {
                continue;
            }
            known.extend(places);
            let claims = places.map(|place| quoted(place, &mut marks, &material));
            shown.push(Shown { about, sides: claims.iter().map(side).collect() });
            ledger.extend(claims);
        }
        shown
    }
}

fn side(claim: &Claim) -> Side {
    let source = claim.citations.first().map(|citation| citation.source_uri.clone());
    Side {
        quote: claim.text.clone(),
        source_uri: source.unwrap_or_default(),
        numbers: claim.numbers(),
    }
}

const NOTHING: &str = "Not enough evidence: what was found does not answer this question.";

/// Returns the outcome and the text if nothing answers the question, which differ if not everything could be reached.
pub(super) fn unanswered(board: &Board) -> (Outcome, &'static str) {
    if was_reached(board) {
        (Outcome::NotEnoughEvidence, NOTHING)
    } else {
        (Outcome::NotReached, NOT_REACHED)
    }
}

/// Returns whether everything that was looked for could be reached.
fn was_reached(board: &Board) -> bool {
    board.tasks.iter().all(|task| {
        let complete = task.searched.as_ref().is_none_or(|searched| searched.missing().is_none());
        complete && !matches!(task.state, State::Failed { .. } | State::Refused { .. })
    })
}

/// The remarks that go with the answer.
pub(super) struct Said {
    pub(super) assumptions: Vec<String>,
    pub(super) open: Vec<String>,
}

impl Said {
    /// Returns the remarks of the board: what was assumed, and which tasks failed or had no budget.
    pub(super) fn of(board: &Board) -> Said {
        let assumed = board.tasks.iter().filter_map(|task| match &task.state {
            State::Assumed { assumption, .. } => Some(assumption.clone()),
            _ => None,
        });
        let undone = board
            .tasks
            .iter()
            .filter(|task| matches!(task.state, State::Failed { .. } | State::Refused { .. }));
        let mut assumptions: Vec<String> = assumed.collect();
        let companies = board.companies();
        if !companies.is_empty() && board.asked() > 0 && board.meant().is_empty() {
            assumptions
                .push(format!("The question is about all of these: {}.", companies.join(", ")));
        }
        let open: Vec<String> = undone
            .map(|task| format!("The task '{}' ({}) was not done.", task.id, task.kind.name()))
            .collect();
        Said { assumptions, open }
    }

    /// Adds the words of the question that nothing found mentions.
    fn add_uncovered(&mut self, board: &Board) {
        let uncovered = board.uncovered();
        if board.is_thin() && !uncovered.is_empty() && !board.evidence.is_empty() {
            self.open.push(format!("Nothing that was found mentions: {}", uncovered.join(", ")));
        }
    }

    /// Adds the writer's own remarks, which are not checked.
    pub(super) fn add(&mut self, draft: &Prose) {
        self.assumptions.extend(remarks(&draft.assumed));
        self.open.extend(remarks(&draft.open));
        for list in [&mut self.assumptions, &mut self.open] {
            let mut seen = BTreeSet::new();
            list.retain(|remark| seen.insert(remark.clone()));
        }
    }

    pub(super) fn fields(
        &self,
        options: &Options,
        graph: &Graph,
        board: &Board,
        answer: &str,
        contradictions: &[Shown],
    ) -> Map<String, Value> {
        let grounded = answer != NOTHING && answer != NOT_REACHED;
        build_fields(
            options,
            [
                ("answer", json!(answer)),
                ("assumptions", json!(self.assumptions)),
                ("open_questions", json!(self.open)),
                ("contradictions", json!(contradictions)),
                ("coverage", json!(board.coverage)),
                ("grounded", json!(grounded)),
                ("plan", json!(graph.tasks)),
                ("budgets", json!(graph.budgets)),
                ("blackboard", json!(board)),
            ],
        )
    }
}

fn listed(remarks: &[String]) -> String {
    if remarks.is_empty() {
        return "nothing".into();
    }
    remarks.iter().map(|remark| format!("- {remark}\n")).collect()
}
