//! Plans before it looks: a task graph over the user's documents, papers, the web and the person who asks, carried out over a blackboard.
//!
//! A planner drafts the graph from the question alone; a draft that does not hold goes back to it once. Tasks whose predecessors are
//! settled are done at the same time, as far as their conditions hold of the blackboard and the budgets go. Where the evidence is thin
//! in the end, it is planned once more. Then the answer is written, with what was assumed, what stays open, and where sources differ.
//! Where several things are asked, the answer is a report: each of its questions is looked up and read in rounds first. A report that
//! goes on from another reads first what that one cites.
//!
//! # How it is made
//!
//! `methods::ask::deep` is the strategy `deep`: planned, carried out, and then answered in one go where one thing is
//! asked, or as a report where several are. Beside it, one concern each:
//!
//! - `graph.rs`: the task graph as a planner drafts it, everything that is wrong with it at once, and the order that it
//!   leaves open. `condition.rs`: the closed vocabulary of `when`, and the phrases that mean a word of it.
//! - `planner.rs`: who drafts. The planner is given the question and figures, never what was read, so a source cannot
//!   choose a step, a query or the words of a question to a person. A draft that does not hold goes back once; then, as
//!   without a model and under an approved plan, a rule plans.
//! - `executor.rs`: **waves.** Everything whose predecessors are settled is one wave: its conditions are read from the
//!   board before it begins, its tasks run at the same time, and what they bring is put on the board in the order of the
//!   plan. A task that begins as soon as it can would be a little faster now and then; but evidence is numbered,
//!   conditions are read from the board, and a run that is taken up again or replayed must come to the same one. Each
//!   search reads into a collection of its own, so that tasks of a wave see nothing of each other. A test plays random
//!   graphs, failures, answers and kills against a sequential reference.
//! - `board.rs`: what each task came to, the evidence, and what conditions are read from: the share of the question that
//!   the best evidence covers, and where sources differ (`disagreement.rs`: two sentences of different documents that
//!   share their words and names and differ in one figure, or in yes and no). Where they are of different companies (the
//!   metadata), that is no contradiction but an ambiguity: which company is meant.
//! - `dialogue.rs`: whether the answer hangs on a question to the person is judged by an agent that has read the
//!   evidence, and says yes or no; without a model, by the board. What is not asked is assumed, and stated.
//! - `synthesis.rs`: the answer in one go. Contradictions, the writer's and the program's, are claims of the ledger on
//!   both sides.
//! - `brief.rs`: what must be answered, as the planner drafts it beside the graph or a rule makes it of the question.
//! - `earlier.rs`: the run that a report goes on from, or brings up to date; it travels in the order, so that the new run
//!   needs the old one's log no more. Whether a quote still stands is asked of the library (`run::stands`).
//! - `report.rs`: the report, from top to bottom: `research.rs` (rounds: look up, read, note, judge what is open;
//!   passages are read on through the rest of their sections, `Run::read_on`, since what breaks off before its list hides
//!   it), `outline.rs`, `sections.rs` (written and checked at the same time, each from its notes), `editor.rs` (the
//!   summary, and what is cut). **Notes are the currency**: a place (evidence, statements) that was checked to exist,
//!   what it says in a few words, and the question that it serves; what two sources say in the same words is noted once.
//!   The editor is shown sentences with the addresses behind them, and its own are held against those statements and not
//!   against the sentences, so a summary cannot drift from its sources by way of the report. `grounded::check` judges
//!   some prose, `grounded::Printer` prints several one below the other with one numbering of marks and one ledger.
//!   `depth.rs`: what the three depths come to. What a report comes to within a budget is made from the caps alone and
//!   never from what was spent, so that a run that is taken up again comes to the same questions and sections. One after
//!   another a report makes ten to twelve calls, however many questions and sources it has; a test holds it to that.

mod board;
mod brief;
mod condition;
mod dialogue;
mod disagreement;
mod earlier;
mod executor;
mod gathering;
mod graph;
mod planner;
mod report;
mod stages;
mod synthesis;

use std::collections::BTreeSet;

use papers::Source;
use run::{Agent, Deliverable, Result, Run, Stop};
use serde::{Deserialize, Serialize};

use super::{Options, SearchRules, context_bytes};
use crate::Calls;
use crate::grounded;
use crate::outside;

pub use board::{Board, Settled, State};
pub use brief::{Brief, SubQuestion};
pub use condition::Condition;
pub use dialogue::Assessment;
pub use earlier::{Earlier, Purpose};
pub use graph::{
    Budgets, Drafted, DraftedBudgets, DraftedTask, Graph, Inputs, Limits, Task, TaskKind,
};
pub use report::{
    Depth, Inquired, Judged, Measure, Noted, Notes, Outlined, ReportRules, SectionDraft,
};
pub(super) use stages::stages;

use dialogue::DIALOGUE;
use planner::PLANNER;
use synthesis::{LONGEST_ANSWER, SYNTHESIZER};

/// How far a plan may go.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct DeepRules {
    /// Tasks that are carried out, the synthesis among them, at most.
    pub max_steps: u32,
    /// Questions to the person who asks, at most; 0 = nobody is asked, and what is assumed is stated.
    pub max_questions: u32,
    /// 0 to 1: below this share of the question's content words, weighted by IDF, recall is low.
    pub recall_threshold: f64,
    /// Whether it is planned once more where the evidence is thin in the end.
    pub replan: bool,
    /// Papers and pages that a task reads, at most.
    pub papers_read: u32,
    pub pages_read: u32,
}

/// What a run of this strategy has to do with, whatever the task.
struct Inquiry<'a> {
    run: &'a Run,
    question: &'a str,
    options: &'a Options,
    limits: Limits,
    /// The name that the collections of this run's searches begin with.
    own_collection: String,
    /// Steps of the run beside searches and readings, about.
    other_steps: u64,
    /// How much a search reads.
    reading: SearchRules,
    /// Searches that a plan may have, about: what may be read is divided among them.
    searches: usize,
}

/// Answers the question.
pub(super) async fn deep(run: &Run, question: &str, options: &Options) -> Result<Deliverable> {
    run.hold_back(&SYNTHESIZER, synthesis_bytes(options, question))?;
    grounded::hold_back_for_synthesis(run, LONGEST_ANSWER)?;
    let inquiry = Inquiry::of(run, question, options).await?;
    let (brief, graph) = inquiry.planned().await?;
    run.say(format!("the plan has {} tasks", graph.tasks.len()));
    let mut board = Board::of(question, options.rules.deep.recall_threshold);
    if !inquiry.is_report(&brief) {
        let may_plan_again = options.rules.deep.replan;
        let graph = inquiry.carried_out(graph, &mut board, may_plan_again).await?;
        return inquiry.synthesised(&graph, &board).await;
    }
    // What is thin shows question by question.
    let inquiry = inquiry.reading_for_a_report();
    let research = inquiry.looked_back(&brief.questions).await?;
    let graph = if research.is_open() {
        inquiry.carried_out(graph, &mut board, false).await?
    } else {
        board.skip(&graph, "what was found before answers it");
        graph
    };
    run.release(&SYNTHESIZER);
    inquiry.reported(&brief, &graph, &board, research).await
}

impl<'a> Inquiry<'a> {
    async fn of(run: &'a Run, question: &'a str, options: &'a Options) -> Result<Inquiry<'a>> {
        let rules = &options.rules.deep;
        let kinds = list_kinds(run, options);
        if !kinds.iter().any(|kind| kind.gathers()) {
            return Err(Stop::Stage {
                stage: PLANNER.name.into(),
                message: "there are neither documents nor sources to look into".into(),
                retry_attempted: false,
            });
        }
        let budgets =
            Budgets { max_steps: rules.max_steps.max(2), max_questions: rules.max_questions };
        let searching =
            |kind: &&TaskKind| matches!(kind, TaskKind::SearchWeb | TaskKind::SearchScholarly);
        let searches = kinds.iter().filter(searching).count();
        let reading = SearchRules {
            papers_read: rules.papers_read,
            pages_read: rules.pages_read,
            ..options.rules.search.clone()
        };
        Ok(Inquiry {
            run,
            question,
            options,
            limits: Limits { kinds, budgets },
            own_collection: outside::collection(run).await?,
            other_steps: u64::from(rules.max_steps) + 10,
            reading,
            searches,
        })
    }

    /// Returns the same where a search reads as much as a report wants.
    fn reading_for_a_report(self) -> Inquiry<'a> {
        let measure = self.options.rules.report.measure();
        let reading = SearchRules {
            papers_read: measure.papers_read,
            pages_read: measure.pages_read,
            full_text: measure.full_text,
            ..self.reading
        };
        Inquiry { reading, ..self }
    }
}

/// Returns the types of task that there is something for.
fn list_kinds(run: &Run, options: &Options) -> BTreeSet<TaskKind> {
    let is_scholarly = |source: &Source| *source != Source::Web;
    let outside = !run.leaves_out("searcher") && !run.leaves_out("reader");
    let there = [
        (TaskKind::RetrieveRag, options.own_documents),
        (TaskKind::SearchWeb, outside && options.sources.contains(&Source::Web)),
        (TaskKind::SearchScholarly, outside && options.sources.iter().any(is_scholarly)),
        (TaskKind::AskUser, options.rules.deep.max_questions > 0 && !run.leaves_out(DIALOGUE.name)),
        (TaskKind::Synthesize, true),
    ];
    there.into_iter().filter(|(_, is_there)| *is_there).map(|(kind, _)| kind).collect()
}

/// The bytes of the longest prompt that the synthesizer can get.
fn synthesis_bytes(options: &Options, question: &str) -> usize {
    /// What is assumed.
    const BESIDE: usize = 2_000;
    context_bytes(&SYNTHESIZER, &options.rules) + question.len() + BESIDE
}

/// Returns whom it calls, and how often at most.
pub(super) fn calls(rules: &super::Rules, question: &str, goes_on: bool, tries: u32) -> Vec<Calls> {
    /// A plan with its queries.
    const USUAL_PLAN: u32 = 600;
    /// Yes or no, and a sentence.
    const USUAL_ASSESSMENT: u32 = 60;
    /// An earlier plan, and what came of it.
    const BESIDE: usize = 8_000;
    let agent = |agent: Agent, evidence_tokens, reply_tokens, usual, most| Calls {
        agent,
        prompt_bytes: question.len()
            + BESIDE
            + if evidence_tokens > 0 { context_bytes(&agent, rules) } else { agent.text.len() },
        evidence_tokens,
        reply_tokens,
        usual,
        most,
    };
    let planning = if rules.deep.replan { 3 } else { 2 };
    let questions = rules.deep.max_questions;
    let mut calls = vec![agent(PLANNER, 0, USUAL_PLAN, 1, planning * tries)];
    if questions > 0 {
        let evidence = rules.context_tokens;
        // A question that the answer does not hang on is judged and not asked.
        let most = rules.deep.max_steps * tries;
        calls.push(agent(DIALOGUE, evidence, USUAL_ASSESSMENT, 1, most));
    }
    // Whether it comes to a report is the planner's to say: the longer way is reckoned with.
    calls.extend(report::calls(rules, question, goes_on, tries));
    calls
}
