//! Plans before it looks: a task graph over the user's documents, papers, the web and the person who asks, carried out over a blackboard.
//!
//! A planner drafts the graph from the question alone; a draft that does not hold goes back to it once. Tasks whose predecessors are
//! settled are done at the same time, as far as their conditions hold of the blackboard and the budgets go. Where the evidence is thin
//! in the end, it is planned once more. Then the answer is written, with what was assumed, what stays open, and where sources differ.
//! Where several things are asked, the answer is a report: each of its questions is looked up and read in rounds first. A report that
//! goes on from another reads first what that one cites.

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

use run::paper::Source;
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
        let kinds = kinds(run, options);
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
fn kinds(run: &Run, options: &Options) -> BTreeSet<TaskKind> {
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
