//! Drafts the task graph: the planner does, or a rule if there is no model, a plan was approved, or the planner's graph is invalid.
//!
//! The planner reads the question and nothing that was found, so a source cannot choose what is done.

use run::sources::Query;
use run::{Agent, Mode, Reply, Result, Stop};

use super::board::{Board, State};
use super::brief::Brief;
use super::condition::Condition;
use super::graph::{Budgets, Drafted, DraftedTask, Graph, Inputs, TaskKind, told};
use super::{Inquiry, outside};
use crate::ask::outside::about;

pub(super) const PLANNER: Agent = Agent {
    name: "deep_planner",
    prompt: "ask/deep_planner",
    text: include_str!("../../../prompts/ask/deep_planner.md"),
};

impl Reply for Drafted {}

/// Maximum queries that the rule makes from the question.
const PARTS: usize = 3;

impl Inquiry<'_> {
    /// Returns the brief and the plan. An invalid plan goes back to the planner once; then the rule's is taken.
    pub(super) async fn planned(&self) -> Result<(Brief, Graph)> {
        let rule = || self.by_rule();
        if self.run.is_planned() {
            // No one approved what a planner would make up.
            let drafted = rule();
            return Ok((self.brief(&drafted), self.sound(&drafted)?));
        }
        let (drafted, graph) = self.drafted(&rule).await?;
        Ok((self.brief(&drafted), graph))
    }

    /// Returns the brief of a plan. A report that is brought up to date keeps its questions, and one that continues another has at least
    /// one question.
    fn brief(&self, drafted: &Drafted) -> Brief {
        let most = self.options.rules.report.measure().questions as usize;
        let mut brief = drafted.brief.sound(most);
        if let Some((earlier, _)) = self.refreshed().filter(|(one, _)| !one.questions.is_empty()) {
            let questions = earlier.questions.clone();
            brief.questions = Brief { questions, ..Brief::default() }.sound(most).questions;
        }
        if self.options.earlier.is_some() && brief.questions.is_empty() {
            brief.questions = Brief::whole(self.question).questions;
        }
        brief
    }

    async fn drafted(&self, rule: &(dyn Fn() -> Drafted + Sync)) -> Result<(Drafted, Graph)> {
        let by_rule = || {
            let drafted = rule();
            let graph = self.sound(&drafted)?;
            Ok((drafted, graph))
        };
        let asked = self.options.asking(self.run, &PLANNER, self.question);
        let asked = asked.given("What there is", self.there_is());
        let asked = match self.options.earlier.as_deref() {
            Some(earlier) => asked.given("What a report answers already", earlier.told()),
            None => asked,
        };
        let drafted = match asked.offline(rule).reply::<Drafted>().await {
            Ok(drafted) => drafted,
            Err(stop @ (Stop::Budget { .. } | Stop::Stage { .. })) => {
                self.run.warn(format!("the plan was made by rule, without a model: {stop}"));
                return by_rule();
            }
            Err(stop) => return Err(stop),
        };
        let faults = match Graph::of(&drafted, &self.limits) {
            Ok(graph) => return Ok((drafted, graph)),
            Err(faults) => faults,
        };
        self.run.say("the plan is not valid; asking the planner once more");
        let again = self
            .options
            .asking(self.run, &PLANNER, self.question)
            .given("What there is", self.there_is())
            .given("Your earlier plan", serde_json::to_string(&drafted).unwrap_or_default())
            .given("What is wrong with it", told(&faults))
            .offline(rule)
            .reply::<Drafted>()
            .await;
        let why = match again {
            Ok(second) => match Graph::of(&second, &self.limits) {
                Ok(graph) => return Ok((second, graph)),
                Err(faults) => faults.join("; "),
            },
            Err(stop @ (Stop::Budget { .. } | Stop::Stage { .. })) => stop.to_string(),
            Err(stop) => return Err(stop),
        };
        self.run
            .warn(format!("the plan was made by rule: the planner's own plan is not valid: {why}"));
        by_rule()
    }

    /// Returns the plan with more tasks for what is thinly covered; `None` if there is nothing new to look for.
    pub(super) async fn planned_again(
        &self,
        graph: &Graph,
        board: &Board,
    ) -> Result<Option<Graph>> {
        let open = board.uncovered();
        let rule = || self.more_by_rule(graph, &open);
        let more = if self.run.is_planned() {
            rule()
        } else {
            let asked = self
                .options
                .asking(self.run, &PLANNER, self.question)
                .given("What there is", self.there_is())
                .given("Your earlier plan", serde_json::to_string(graph).unwrap_or_default())
                .given("What came of it", came_of(board))
                .given("Words of the question that nothing speaks of", open.join(", "))
                .given("Wanted now", "Only the tasks to add, of the types that look for evidence, with queries that were not tried. None where nothing else is worth a try.");
            match asked.offline(rule).reply::<Drafted>().await {
                Ok(more) => more,
                Err(stop @ (Stop::Budget { .. } | Stop::Stage { .. })) => {
                    self.run.warn(format!("no further search was planned: {stop}"));
                    return Ok(None);
                }
                Err(stop) => return Err(stop),
            }
        };
        let mut more = more.plan;
        more.retain(|task| task.kind != TaskKind::Synthesize.name());
        if more.is_empty() {
            return Ok(None);
        }
        match graph.extended(&more, &self.limits) {
            Ok(graph) => Ok(Some(graph)),
            Err(faults) => {
                self.run.warn(format!(
                    "no further search was planned: the planner's tasks are not valid: {}",
                    faults.join("; ")
                ));
                Ok(None)
            }
        }
    }

    /// Returns the graph of the rule's own draft, which is valid unless the program is wrong.
    fn sound(&self, drafted: &Drafted) -> Result<Graph> {
        Graph::of(drafted, &self.limits).map_err(|faults| Stop::Stage {
            stage: PLANNER.name.into(),
            message: format!("could not make a plan: {}", faults.join("; ")),
            retry_attempted: false,
        })
    }

    /// Returns what a plan may contain, for the planner.
    fn there_is(&self) -> String {
        let kinds = self.limits.kinds.iter().map(|kind| match kind {
            TaskKind::RetrieveRag => "retrieve_rag: the reader's own documents".to_owned(),
            TaskKind::SearchWeb => "search_web: the web".to_owned(),
            TaskKind::SearchScholarly => "search_scholarly: papers".to_owned(),
            TaskKind::AskUser => "ask_user: the reader".to_owned(),
            TaskKind::Synthesize => "synthesize: the writer".to_owned(),
        });
        let mut there: Vec<String> = kinds.map(|kind| format!("- {kind}")).collect();
        let Budgets { max_steps, max_questions } = self.limits.budgets;
        there.push(format!("- at most {max_steps} tasks, and {max_questions} questions"));
        let questions = self.options.rules.report.measure().questions;
        there.push(format!("- at most {questions} questions in the brief"));
        there.join("\n")
    }

    /// Plans without a model. The question and its parts are looked up in the documents; outside only if that is not enough, or if there
    /// are no documents. The user is asked if the evidence is ambiguous.
    fn by_rule(&self) -> Drafted {
        let approved = outside::approved(self.run);
        let queries = if approved.is_empty() { parts(self.question) } else { approved };
        let has = |kind| self.limits.kinds.contains(&kind);
        let task =
            |kind: TaskKind, number: usize, query: &str, when: Option<Condition>| DraftedTask {
                id: format!("{}-{number}", short(kind)),
                kind: kind.name().to_owned(),
                inputs: Inputs { query: query.to_owned(), ..Inputs::default() },
                when: when.map(|condition| condition.to_string()),
                after: vec![],
            };
        let mut plan = Vec::new();
        if has(TaskKind::RetrieveRag) {
            let numbered = (1..).zip(&queries);
            plan.extend(
                numbered.map(|(number, query)| task(TaskKind::RetrieveRag, number, query, None)),
            );
        }
        let when = has(TaskKind::RetrieveRag).then_some(Condition::RecallLow);
        for kind in [TaskKind::SearchScholarly, TaskKind::SearchWeb] {
            if has(kind) {
                // A condition waits for what stands before it; both searches are to see the same.
                let before: Vec<String> = plan
                    .iter()
                    .filter(|task: &&DraftedTask| task.kind == TaskKind::RetrieveRag.name())
                    .map(|task| task.id.clone())
                    .collect();
                let searched = queries.first().map_or(self.question, String::as_str);
                let search = task(kind, 1, &self.about(searched), when.clone());
                plan.push(DraftedTask { after: before, ..search });
            }
        }
        // The board knows whether the rule's question is open. With a model, the planner's own questions are asked, or none.
        if has(TaskKind::AskUser) && self.run.mode() == Mode::Offline {
            let inputs = Inputs {
                question: "Which do you mean?".into(),
                assumption: "The question is about all of them.".into(),
                ..Inputs::default()
            };
            let ask = task(TaskKind::AskUser, 1, "", Some(Condition::Ambiguity));
            plan.push(DraftedTask { inputs, ..ask });
        }
        plan.push(task(TaskKind::Synthesize, 1, "", None));
        // What does not fit is dropped from the end, except the synthesis.
        while plan.len() > (self.limits.budgets.max_steps as usize).max(1) {
            plan.remove(plan.len().saturating_sub(2));
        }
        let most = self.options.rules.report.measure().questions as usize;
        let brief = Brief::by_rule(self.question, most);
        Drafted { brief, plan, ..Drafted::default() }
    }

    /// Drafts tasks that look for the words that nothing mentions, unless that was tried.
    fn more_by_rule(&self, graph: &Graph, open: &[String]) -> Drafted {
        let tried = |kind: TaskKind, query: &str| {
            let same = |one: &str| one.to_lowercase() == query.to_lowercase();
            graph.tasks.iter().any(|task| task.kind == kind && same(&task.inputs.query))
        };
        let words = open.join(" ");
        let kinds = [TaskKind::RetrieveRag, TaskKind::SearchScholarly, TaskKind::SearchWeb];
        let plan = kinds
            .into_iter()
            .filter(|kind| self.limits.kinds.contains(kind) && !words.is_empty())
            .map(|kind| (kind, self.about(&words)))
            .filter(|(kind, query)| !tried(*kind, query))
            // An approved plan has its own search terms, and no others.
            .filter(|(kind, _)| !self.run.is_planned() || *kind == TaskKind::RetrieveRag)
            .map(|(kind, query)| DraftedTask {
                id: format!("{}-again", short(kind)),
                kind: kind.name().to_owned(),
                inputs: Inputs { query, ..Inputs::default() },
                ..DraftedTask::default()
            });
        Drafted { plan: plan.collect(), ..Drafted::default() }
    }

    /// Returns a query with the company that the question is about, unless it names it.
    pub(super) fn about(&self, query: &str) -> String {
        about(query, &self.options.company).chars().take(Query::LONGEST).collect()
    }
}

fn short(kind: TaskKind) -> &'static str {
    match kind {
        TaskKind::RetrieveRag => "documents",
        TaskKind::SearchWeb => "web",
        TaskKind::SearchScholarly => "papers",
        TaskKind::AskUser => "ask",
        TaskKind::Synthesize => "answer",
    }
}

/// Returns the question, and the parts that ask for something of their own.
fn parts(question: &str) -> Vec<String> {
    /// A part with fewer content words asks nothing that can be looked up.
    const WORDS: usize = 2;
    let cut = |text: &str| -> String { text.chars().take(Query::LONGEST).collect() };
    let words = |text: &str| text::terms(text, text::Language::English).len();
    let sentences =
        question.split_inclusive(['?', ';']).flat_map(|sentence| sentence.split(", and "));
    let parts: Vec<&str> = sentences
        .flat_map(|part| part.split(" and "))
        .map(|part| part.trim().trim_start_matches("and "))
        .filter(|part| words(part) >= WORDS)
        .collect();
    let mut queries = vec![cut(question)];
    if parts.len() > 1 {
        queries.extend(parts.into_iter().take(PARTS - 1).map(cut));
    }
    queries
}

/// Returns the outcome of each task, in figures: never what was read.
fn came_of(board: &Board) -> String {
    let told = board.tasks.iter().map(|task| {
        let state = match &task.state {
            State::Done => format!("brought {} pieces of evidence", task.evidence.len()),
            State::Skipped { .. } => "was not needed".into(),
            State::Failed { .. } => "failed".into(),
            State::Refused { .. } => "had no budget".into(),
            State::Answered { .. } => "was answered".into(),
            State::Assumed { .. } => "was assumed".into(),
        };
        format!("- {} ({}) {state}", task.id, task.kind.name())
    });
    let mut told: Vec<String> = told.collect();
    told.push(format!("- together they cover {:.0} % of the question", board.coverage * 100.0));
    told.join("\n")
}
