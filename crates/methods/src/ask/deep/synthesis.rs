//! The answer from the blackboard, and what belongs to it: assumptions, open questions, where sources differ.

use std::collections::BTreeSet;

use run::evidence::Numbered;
use run::ledger::{self, Claim, Quoted, Written};
use run::paper::in_turn;
use run::{Agent, Deliverable, Outcome, Reply, Result};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::Inquiry;
use super::board::{Board, Settled, State};
use super::graph::Graph;
use crate::ask::{
    Draft, NOT_REACHED, Options, checked, extracted, fields, held, remarks, warn_of_unsupported,
};
use crate::outside::packed_by;

pub(super) const SYNTHESIZER: Agent = Agent {
    name: "synthesizer",
    prompt: "ask/synthesizer",
    text: include_str!("../../../prompts/ask/synthesizer.md"),
};

/// The answer as its writer states it, and where the sources differ.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Synthesis {
    /// The answer in reading order, one sentence each.
    pub claims: Vec<Written>,
    /// Where two sources say of one thing what cannot both be so.
    #[serde(default)]
    pub contradictions: Vec<Contradicted>,
    /// What the question asks and the evidence leaves open.
    #[serde(default)]
    pub open_questions: Vec<String>,
    /// How the question was read where it can be read in more than one way.
    #[serde(default)]
    pub assumptions: Vec<String>,
}

/// Two quotes that differ.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Contradicted {
    /// What they differ about, in a few words.
    pub about: String,
    pub one: Quoted,
    pub other: Quoted,
}

impl Reply for Synthesis {
    const DRAFT: Option<&'static str> = Some("text");
}

impl AsRef<[Written]> for Synthesis {
    fn as_ref(&self) -> &[Written] {
        &self.claims
    }
}

/// A contradiction as the deliverable shows it: each side is a sentence of its source, with its mark.
#[derive(Debug, Serialize)]
struct Shown {
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
        if evidence.is_empty() {
            said.open.push("nothing that was found bears on the question closely enough".into());
            let (outcome, answer) = unanswered(board);
            let fields = said.fields(self.options, graph, board, answer, &[]);
            return Ok(Deliverable { outcome, fields, ledger: vec![] });
        }
        let drafted = self
            .options
            .asking(self.run, &SYNTHESIZER, self.question)
            .given("What is assumed", listed(&said.assumptions))
            .citing(&evidence)
            .as_synthesis()
            .offline(|| self.extractive(&evidence, board))
            .reply::<Synthesis>()
            .await?;
        let (draft, mut ledger) =
            checked(self.run, &SYNTHESIZER, self.question, self.options, &evidence, drafted)
                .await?;
        let claims = ledger.len();
        let about = self.contradictions(&draft, board, &evidence, &mut ledger);
        ledger::number(&mut ledger);
        let (answer, sides) = ledger.split_at(claims);
        let shown = shown(&about, sides);
        said.add(&draft);
        let (outcome, text) = match held(answer) {
            0 => {
                if said.open.is_empty() {
                    said.open.push("no sentence of what was found answers it".into());
                }
                let (outcome, text) = unanswered(board);
                (outcome, text.to_owned())
            }
            _ => (Outcome::Answered, ledger::text(answer, self.options.rules.unsupported)),
        };
        warn_of_unsupported(self.run, self.options.rules.unsupported, answer);
        let fields = said.fields(self.options, graph, board, &text, &shown);
        Ok(Deliverable { outcome, fields, ledger })
    }

    /// Returns the evidence that the writer is shown: what a person said, then the best of each task in turn, as much as there is
    /// room for. Where a person said which company they mean, that of the others is left out.
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

    /// Says what can be said without a model.
    fn extractive(&self, evidence: &[Numbered], board: &Board) -> Synthesis {
        let rules = &self.options.rules;
        let found: Vec<Numbered> = evidence
            .iter()
            .filter(|one| one.evidence.kind != run::evidence::EvidenceKind::User)
            .cloned()
            .collect();
        let Draft { claims, gaps, assumptions } =
            extracted(self.question, &found, board.language(), &board.weights(), rules);
        Synthesis { claims, contradictions: vec![], open_questions: gaps, assumptions }
    }

    /// Enters where sources differ, as the writer and the program see it, into the ledger: both sides as they stand in their sources.
    /// What does not stand there is left out. Returns what each pair of entries is about.
    fn contradictions(
        &self,
        draft: &Synthesis,
        board: &Board,
        evidence: &[Numbered],
        ledger: &mut Vec<Claim>,
    ) -> Vec<String> {
        const MOST: usize = 5;
        /// Of what a writer lists, so many are looked at: each is checked against its sources.
        const LOOKED_AT: usize = 20;
        let by_program = board.contradictions.iter().map(|found| Contradicted {
            about: match found.is_of_several_companies {
                true => "sources speak of several companies".into(),
                false => "sources differ".into(),
            },
            one: found.one.clone(),
            other: found.other.clone(),
        });
        let mut about: Vec<String> = Vec::new();
        let mut known: Vec<String> = Vec::new();
        /// A shorter quote shows nothing.
        const WORDS: usize = 3;
        let says_something = |one: &&Contradicted| {
            [&one.one, &one.other].iter().all(|side| side.quote.split_whitespace().count() >= WORDS)
        };
        let by_writer = draft.contradictions.iter().filter(says_something).take(LOOKED_AT).cloned();
        for contradicted in by_writer.chain(by_program) {
            if about.len() == MOST {
                break;
            }
            let sides = [contradicted.one, contradicted.other];
            if sides.iter().any(|side| known.contains(&side.quote)) {
                continue;
            }
            let written = sides
                .clone()
                .map(|side| Written { text: side.quote.clone(), citations: vec![side] });
            let entered = ledger::enter(&written, evidence);
            if entered.len() == 2 && held(&entered) == 2 {
                ledger.extend(entered);
                known.extend(sides.map(|side| side.quote));
                about.extend(remarks(&[contradicted.about]));
            }
        }
        about
    }
}

fn shown(about: &[String], sides: &[Claim]) -> Vec<Shown> {
    let side = |claim: &Claim| Side {
        quote: claim.text.clone(),
        source_uri: claim
            .citations
            .first()
            .map(|citation| citation.source_uri.clone())
            .unwrap_or_default(),
        numbers: claim.numbers(),
    };
    let pairs = about.iter().zip(sides.chunks(2));
    pairs
        .map(|(about, sides)| Shown {
            about: about.clone(),
            sides: sides.iter().map(side).collect(),
        })
        .collect()
}

const NOTHING: &str = "Not enough evidence: what was found does not answer this question.";

/// Returns what is said where nothing answers the question: it may stand where nobody could look.
fn unanswered(board: &Board) -> (Outcome, &'static str) {
    if was_reached(board) {
        (Outcome::NotEnoughEvidence, NOTHING)
    } else {
        (Outcome::NotReached, NOT_REACHED)
    }
}

/// Tells whether everything that was looked for could be reached.
fn was_reached(board: &Board) -> bool {
    board.tasks.iter().all(|task| {
        let complete = task.searched.as_ref().is_none_or(|searched| searched.missing().is_none());
        complete && !matches!(task.state, State::Failed { .. } | State::Refused { .. })
    })
}

/// What is told beside the answer.
struct Said {
    assumptions: Vec<String>,
    open: Vec<String>,
}

impl Said {
    /// Returns what the board says: what was assumed, and what failed or found no budget.
    fn of(board: &Board) -> Said {
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
            assumptions.push(format!("All of these are meant: {}.", companies.join(", ")));
        }
        let mut open: Vec<String> = undone
            .map(|task| format!("the task '{}' ({}) was not done", task.id, task.kind.name()))
            .collect();
        let uncovered = board.uncovered();
        if board.is_thin() && !uncovered.is_empty() && !board.evidence.is_empty() {
            open.push(format!("nothing that was found speaks of: {}", uncovered.join(", ")));
        }
        Said { assumptions, open }
    }

    /// Adds the writer's own remarks, which nothing checks.
    fn add(&mut self, draft: &Synthesis) {
        self.assumptions.extend(remarks(&draft.assumptions));
        self.open.extend(remarks(&draft.open_questions));
        for list in [&mut self.assumptions, &mut self.open] {
            let mut seen = BTreeSet::new();
            list.retain(|remark| seen.insert(remark.clone()));
        }
    }

    fn fields(
        &self,
        options: &Options,
        graph: &Graph,
        board: &Board,
        answer: &str,
        contradictions: &[Shown],
    ) -> Map<String, Value> {
        let grounded = answer != NOTHING && answer != NOT_REACHED;
        fields(
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
