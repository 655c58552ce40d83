//! Plans before it searches: a task graph over the user's documents, papers, the web and the user, executed over a blackboard.
//!
//! A planner drafts the graph from the question alone; an invalid draft goes back to it once. Tasks whose predecessors are settled run
//! concurrently, as far as their conditions hold on the blackboard and the budgets allow. If the evidence is thin in the end, it plans once
//! more. Then the answer is written, with what was assumed, what stays open, and where sources differ. If several things are asked, the
//! answer is a report: each of its questions is first looked up and read in rounds. A report that continues another first reads what that
//! one cites.
//!
//! # How it is made
//!
//! `methods::ask::deep` is the strategy `deep`: it plans, executes the plan, and answers in one piece if one thing is
//! asked, or as a report if several are. Its submodules have one concern each:
//!
//! - `graph.rs`: the task graph as a planner drafts it, all of its faults at once, and the order that it leaves open.
//!   `condition.rs`: the closed vocabulary of `when`, and the phrases that mean a word of it.
//! - `planner.rs`: who drafts. The planner is given the question and figures, never what was read, so a source cannot
//!   choose a task, its query or the words of a question to a person. An invalid draft goes back once. If the second is
//!   invalid too, without a model, or under an approved plan, a rule plans.
//! - `executor.rs`: **waves.** All tasks whose predecessors are settled form one wave: their conditions are read from the board before it
//!   begins, they run concurrently, and their results go onto the board in the order of the plan. Starting each task as soon as possible
//!   would be a little faster now and then. But evidence is numbered, conditions are read from the board, and a run that is resumed or
//!   replayed must arrive at the same board. Each search reads into a collection of its own, so tasks of a wave do not see each other's
//!   results. A test plays random graphs, failures, answers and kills against a sequential reference.
//! - `board.rs`: the outcome of each task, the evidence, and what conditions are read from: the share of the question that the best
//!   evidence covers, and where sources differ (`disagreement.rs`: two sentences of different documents that share their words and names
//!   and differ in one figure, or in yes and no). If they are about different companies (the metadata), that is not a contradiction but an
//!   ambiguity: which company is meant.
//! - `dialogue.rs`: an agent that has read the evidence says yes or no to whether the answer depends on a question to
//!   the person; without a model, the board decides. What is not asked is assumed, and stated.
//! - `synthesis.rs`: the answer in one piece. Contradictions, found by the writer or the program, are claims of the
//!   ledger on both sides.
//! - `brief.rs`: what must be answered, drafted by the planner with the graph, or made from the question by a rule.
//! - `earlier.rs`: the run that a report continues, or brings up to date. It is part of the run's options, so the new run no longer needs
//!   the old one's log. The library says whether a quote still stands (`run::stands`).
//! - `report.rs`: the report, from top to bottom: `research.rs` (rounds: look up, read, note, judge what is open; passages are extended
//!   through the rest of their sections, `Run::read_on`, since one that breaks off before its list hides the list), `outline.rs`,
//!   `sections.rs` (written and checked concurrently, each from its notes), `editor.rs` (the summary, and what is cut). **Notes are the
//!   currency**: a place (evidence, statements) that was checked to exist, what it says in a few words, and the question that it serves;
//!   what two sources say in the same words is noted once. The editor is shown sentences with their addresses, and its own are checked
//!   against those statements and not against the sentences, so a summary cannot drift from its sources by way of the report.
//!   `grounded::check` judges a piece of prose; `grounded::Printer` prints several, one below the other, with one numbering of marks and
//!   one ledger. `depth.rs`: the sizes of the three depths. The size of a report within a budget follows from the caps alone and never from
//!   what was spent, so a resumed run arrives at the same questions and sections. In sequence, a report makes ten to twelve calls, however
//!   many questions and sources it has; a test holds it to that.

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

/// Limits on a plan.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct DeepRules {
    /// Maximum tasks executed, including the synthesis.
    pub max_steps: u32,
    /// Maximum questions to the user; 0 = the user is not asked, and what is assumed is stated.
    pub max_questions: u32,
    /// 0 to 1: recall is low if the evidence holds less than this share of the question's content words, weighted by IDF.
    pub recall_threshold: f64,
    /// Whether to plan once more if the evidence is thin in the end.
    pub replan: bool,
    /// Maximum papers and pages that a task reads.
    pub papers_read: u32,
    pub pages_read: u32,
}

/// What every task of a run of this strategy works with.
struct Inquiry<'a> {
    run: &'a Run,
    question: &'a str,
    options: &'a Options,
    limits: Limits,
    /// The prefix of the names of the collections of this run's searches.
    own_collection: String,
    /// Approximate steps of the run other than searches and readings.
    other_steps: u64,
    /// Limits on what a search reads.
    reading: SearchRules,
    /// Approximate number of searches in a plan, among which what may be read is divided.
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
    // In a report, thin evidence shows question by question.
    let inquiry = inquiry.reading_for_a_report();
    let research = inquiry.looked_back(&brief.questions).await?;
    let graph = if research.is_open() {
        inquiry.carried_out(graph, &mut board, false).await?
    } else {
        board.skip(&graph, "earlier searches already answer it");
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
                message: "there are neither documents nor sources to search. Add documents with `--docs` or `--collection`, \
                    or name sources with `--source`".into(),
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

    /// Returns this inquiry with searches that read as much as a report needs.
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

/// Returns the task types that are possible in this run.
fn list_kinds(run: &Run, options: &Options) -> BTreeSet<TaskKind> {
    let outside = !run.leaves_out("searcher") && !run.leaves_out("reader");
    let there = [
        (TaskKind::RetrieveRag, options.own_documents),
        (TaskKind::SearchWeb, outside && !of_the_web(options).is_empty()),
        (TaskKind::SearchScholarly, outside && !of_papers(options).is_empty()),
        (TaskKind::AskUser, options.rules.deep.max_questions > 0 && !run.leaves_out(DIALOGUE.name)),
        (TaskKind::Synthesize, true),
    ];
    there.into_iter().filter(|(_, is_there)| *is_there).map(|(kind, _)| kind).collect()
}

/// Returns the scholarly sources of a run.
fn of_papers(options: &Options) -> Vec<Source> {
    options.sources.iter().copied().filter(|source| source.is_scholarly()).collect()
}

/// Returns the sources of a run that a search of the web asks: the web search and the MCP servers.
fn of_the_web(options: &Options) -> Vec<Source> {
    options.sources.iter().copied().filter(|source| !source.is_scholarly()).collect()
}

/// Returns the bytes of the longest prompt that the synthesizer can get.
fn synthesis_bytes(options: &Options, question: &str) -> usize {
    /// Bytes of what is assumed.
    const BESIDE: usize = 2_000;
    context_bytes(&SYNTHESIZER, &options.rules) + question.len() + BESIDE
}

/// Returns the agents that the strategy calls, and how often at most.
pub(super) fn calls(rules: &super::Rules, question: &str, goes_on: bool, tries: u32) -> Vec<Calls> {
    /// Tokens of a plan with its queries.
    const USUAL_PLAN: u32 = 600;
    /// Tokens of yes or no, and a sentence.
    const USUAL_ASSESSMENT: u32 = 60;
    /// Bytes of an earlier plan and its outcome.
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
        // A question that the answer does not depend on is judged and not asked.
        let most = rules.deep.max_steps * tries;
        calls.push(agent(DIALOGUE, evidence, USUAL_ASSESSMENT, 1, most));
    }
    // The planner decides whether it becomes a report: the estimate assumes that it does.
    calls.extend(report::calls(rules, question, goes_on, tries));
    calls
}
