//! The task graph: as drafted by a planner, and as executed.
//!
//! A draft is checked as a whole, and all of its faults are reported at once. Order that a draft leaves open is filled in: a task that has
//! a condition or asks a person comes after every task before it in the plan that looks for evidence; the synthesis comes last.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use run::sources::Query;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::brief::Brief;
use super::condition::{Condition, VOCABULARY};
use crate::grounded::docket::plain;

/// A task graph as a planner drafts it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Drafted {
    /// What the answer must answer.
    #[serde(default)]
    pub brief: Brief,
    #[schemars(length(max = 40))]
    pub plan: Vec<DraftedTask>,
    #[serde(default)]
    pub budgets: DraftedBudgets,
}

/// What a planner wants a plan to take; what it leaves out is as much as there may be.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct DraftedBudgets {
    /// Tasks that are carried out, the synthesis among them.
    pub max_steps: Option<u32>,
    /// Questions to a person.
    pub max_questions: Option<u32>,
}

/// A task as a planner drafts it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct DraftedTask {
    /// Letters, digits, `-` and `_`; unlike any other's.
    pub id: String,
    /// `retrieve_rag`, `search_web`, `search_scholarly`, `ask_user` or `synthesize`.
    #[serde(rename = "type")]
    pub kind: String,
    #[serde(default)]
    pub inputs: Inputs,
    /// When it is done; always where nothing is said.
    #[serde(default)]
    pub when: Option<String>,
    /// Ids of tasks that come before it.
    #[serde(default)]
    pub after: Vec<String>,
}

/// What a task works with.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
#[schemars(extend("required" = ["query", "question", "assumption"]))]
pub struct Inputs {
    /// What is looked for, by retrievals and searches.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub query: String,
    /// What a person is asked, in `ask_user`.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub question: String,
    /// What holds where nobody is asked or answers, in `ask_user`: a full sentence.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub assumption: String,
}

impl Inputs {
    /// Returns the inputs as they are shown: without marks, which would look like citations.
    fn plain(&self) -> Inputs {
        let Inputs { query, question, assumption } = self;
        let [query, question, assumption] = [query, question, assumption].map(|text| plain(text));
        Inputs { query, question, assumption }
    }
}

/// Limits of a plan.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Budgets {
    /// Tasks executed, including the synthesis.
    pub max_steps: u32,
    /// Questions to a person.
    pub max_questions: u32,
}

/// What a task does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum TaskKind {
    /// Looks something up in the user's documents.
    RetrieveRag,
    /// Asks the web search, and reads what it finds.
    SearchWeb,
    /// Asks scholarly sources, and reads what they find.
    SearchScholarly,
    /// Asks a person.
    AskUser,
    /// Writes the answer from the blackboard.
    Synthesize,
}

impl TaskKind {
    pub const ALL: [TaskKind; 5] = [
        TaskKind::RetrieveRag,
        TaskKind::SearchWeb,
        TaskKind::SearchScholarly,
        TaskKind::AskUser,
        TaskKind::Synthesize,
    ];

    pub fn name(self) -> &'static str {
        match self {
            TaskKind::RetrieveRag => "retrieve_rag",
            TaskKind::SearchWeb => "search_web",
            TaskKind::SearchScholarly => "search_scholarly",
            TaskKind::AskUser => "ask_user",
            TaskKind::Synthesize => "synthesize",
        }
    }

    /// Returns the type with this name.
    fn of(name: &str) -> Option<TaskKind> {
        TaskKind::ALL.into_iter().find(|kind| kind.name() == name)
    }

    /// Returns whether it looks for evidence.
    pub fn gathers(self) -> bool {
        matches!(self, TaskKind::RetrieveRag | TaskKind::SearchWeb | TaskKind::SearchScholarly)
    }
}

impl DraftedTask {
    /// Returns whether it looks for evidence.
    fn gathers(&self) -> bool {
        TaskKind::of(&self.kind).is_some_and(TaskKind::gathers)
    }
}

/// A task that can be executed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Task {
    pub id: String,
    #[serde(rename = "type")]
    pub kind: TaskKind,
    pub inputs: Inputs,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub when: Option<Condition>,
    /// Ids of the tasks that must be settled before this one begins.
    pub after: Vec<String>,
}

/// A task graph that can be executed: without cycles, with one synthesis, which comes last.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Graph {
    #[serde(rename = "plan")]
    pub tasks: Vec<Task>,
    pub budgets: Budgets,
}

/// What a plan may contain in this run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Limits {
    /// The task types that are possible.
    pub kinds: BTreeSet<TaskKind>,
    pub budgets: Budgets,
}

/// Maximum length of an id: it becomes part of the name of a collection.
const LONGEST_ID: usize = 24;

impl Graph {
    /// Returns the draft as a graph that can be executed, or all of its faults, one sentence each.
    pub fn of(draft: &Drafted, limits: &Limits) -> Result<Graph, Vec<String>> {
        let mut faults = Vec::new();
        let tasks: Vec<Task> =
            draft.plan.iter().filter_map(|task| read(task, limits, &mut faults)).collect();
        let ids: BTreeSet<&str> = draft.plan.iter().map(|task| task.id.as_str()).collect();
        if ids.len() < draft.plan.len() {
            faults.push("several tasks have the same id; give each its own".into());
        }
        for task in &draft.plan {
            for before in task.after.iter().filter(|id| !ids.contains(id.as_str())) {
                faults.push(format!(
                    "'{}' comes after '{before}', which the plan does not have",
                    task.id
                ));
            }
        }
        if !draft.plan.iter().any(DraftedTask::gathers) {
            faults.push("no task looks for evidence: there would be nothing to answer from".into());
        }
        let synthesis: Vec<&DraftedTask> =
            draft.plan.iter().filter(|task| task.kind == TaskKind::Synthesize.name()).collect();
        match synthesis.as_slice() {
            [] => faults.push("no task of type synthesize: the plan comes to no answer".into()),
            [one] => {
                if one.when.is_some() {
                    faults.push(format!(
                        "'{}' has a condition; the synthesis is always made",
                        one.id
                    ));
                }
                for task in draft.plan.iter().filter(|task| task.after.contains(&one.id)) {
                    faults.push(format!(
                        "'{}' comes after the synthesis '{}', which is the last",
                        task.id, one.id
                    ));
                }
            }
            _ => faults.push("several tasks of type synthesize; one answer is written".into()),
        }
        let budgets = within(draft.budgets, limits.budgets, &mut faults);
        if draft.plan.len() > budgets.max_steps as usize {
            faults.push(format!(
                "{} tasks are more than the budget of {} steps",
                draft.plan.len(),
                budgets.max_steps
            ));
        }
        if !faults.is_empty() {
            return Err(faults);
        }
        let mut graph = Graph { tasks, budgets };
        graph.order();
        match graph.cycle() {
            None => Ok(graph),
            Some(ids) => Err(vec![format!("these tasks wait for each other: {}", ids.join(", "))]),
        }
    }

    /// Fills in the order that the draft left open.
    fn order(&mut self) {
        let mut gathered: Vec<String> = Vec::new();
        let all: Vec<String> = self.tasks.iter().map(|task| task.id.clone()).collect();
        for task in &mut self.tasks {
            if task.kind == TaskKind::Synthesize {
                task.after = all.iter().filter(|id| **id != task.id).cloned().collect();
            } else if task.after.is_empty()
                && (task.when.is_some() || task.kind == TaskKind::AskUser)
            {
                task.after.clone_from(&gathered);
            }
            if task.kind.gathers() {
                gathered.push(task.id.clone());
            }
        }
    }

    /// Returns the tasks that wait for each other; `None` if there is no cycle.
    fn cycle(&self) -> Option<Vec<&str>> {
        let mut left: BTreeMap<&str, &Task> =
            self.tasks.iter().map(|task| (task.id.as_str(), task)).collect();
        loop {
            let free: Vec<&str> = left
                .iter()
                .filter(|(_, task)| !task.after.iter().any(|id| left.contains_key(id.as_str())))
                .map(|(id, _)| *id)
                .collect();
            if free.is_empty() {
                return (!left.is_empty()).then(|| left.into_keys().collect());
            }
            for id in free {
                left.remove(id);
            }
        }
    }

    /// Adds tasks before the synthesis, or returns their faults.
    pub fn extended(&self, more: &[DraftedTask], limits: &Limits) -> Result<Graph, Vec<String>> {
        let mut plan: Vec<DraftedTask> = self.tasks.iter().map(Task::drafted).collect();
        let mut faults: Vec<String> = more
            .iter()
            .filter(|task| !task.gathers())
            .map(|task| {
                format!(
                    "'{}' is of type {}; only what looks for evidence can be added",
                    task.id, task.kind
                )
            })
            .collect();
        let last = plan.iter().position(|task| task.kind == TaskKind::Synthesize.name());
        let at = last.unwrap_or(plan.len());
        for task in plan.iter_mut().skip(at) {
            task.after.clear();
        }
        plan.splice(at..at, more.iter().cloned());
        // What was done is within the budget already; added tasks are refused one by one once it is spent.
        let steps = u32::try_from(plan.len()).unwrap_or(u32::MAX);
        let widened = Budgets { max_steps: self.budgets.max_steps.max(steps), ..self.budgets };
        let limits = Limits { budgets: widened, ..limits.clone() };
        match Graph::of(&Drafted { plan, ..Drafted::default() }, &limits) {
            Ok(graph) if faults.is_empty() => Ok(Graph { budgets: self.budgets, ..graph }),
            Ok(_) => Err(faults),
            Err(others) => {
                faults.extend(others);
                Err(faults)
            }
        }
    }

    /// Returns the task that writes the answer.
    pub fn synthesis(&self) -> Option<&Task> {
        self.tasks.iter().find(|task| task.kind == TaskKind::Synthesize)
    }
}

impl Task {
    fn drafted(&self) -> DraftedTask {
        DraftedTask {
            id: self.id.clone(),
            kind: self.kind.name().to_owned(),
            inputs: self.inputs.clone(),
            when: self.when.as_ref().map(Condition::to_string),
            after: self.after.clone(),
        }
    }
}

/// Reads a task; adds what is wrong with it to `faults`.
fn read(task: &DraftedTask, limits: &Limits, faults: &mut Vec<String>) -> Option<Task> {
    let before = faults.len();
    let DraftedTask { id, kind, inputs, when, after } = task;
    let sound = id.len() <= LONGEST_ID && run::library::is_name(id);
    if !sound {
        let shown: String = id.chars().take(40).collect();
        faults.push(format!(
            "'{shown}' is not a valid id; use up to {LONGEST_ID} letters, digits, - and _, beginning with a letter or digit"
        ));
    }
    let known = TaskKind::of(kind);
    let there: Vec<&str> = limits.kinds.iter().map(|kind| kind.name()).collect();
    match known {
        None => faults
            .push(format!("'{id}' has the unknown type '{kind}'; there are: {}", there.join(", "))),
        Some(known) if !limits.kinds.contains(&known) => {
            faults.push(format!(
                "'{id}' is of type {kind}, for which there is nothing here; there are: {}",
                there.join(", ")
            ));
        }
        Some(known) => faults.extend(lacking(id, known, inputs)),
    }
    let condition = when.as_deref().map(str::trim).filter(|when| !when.is_empty());
    let read = condition.map(|phrase| (phrase, Condition::read(phrase)));
    if let Some((phrase, None)) = &read {
        let shown: String = phrase.chars().take(80).collect();
        faults.push(format!("'{id}' has the unknown condition '{shown}'; there are: {VOCABULARY}"));
    }
    if after.contains(id) {
        faults.push(format!("'{id}' comes after itself"));
    }
    if faults.len() > before {
        return None;
    }
    let mut after = after.clone();
    after.sort();
    after.dedup();
    let when = read.and_then(|(_, condition)| condition);
    Some(Task { id: id.clone(), kind: known?, inputs: inputs.plain(), when, after })
}

/// Returns what is wrong with the inputs of a task.
fn lacking(id: &str, kind: TaskKind, inputs: &Inputs) -> Option<String> {
    let Inputs { query, question, assumption } = &inputs.plain();
    if kind.gathers() && query.trim().is_empty() {
        return Some(format!("'{id}' has no inputs.query to look for"));
    }
    if kind.gathers() && query.chars().count() > Query::LONGEST {
        return Some(format!("the query of '{id}' is longer than {} characters", Query::LONGEST));
    }
    if kind == TaskKind::AskUser && (question.trim().is_empty() || assumption.trim().is_empty()) {
        return Some(format!(
            "'{id}' needs inputs.question, and inputs.assumption for when nobody is asked"
        ));
    }
    None
}

/// Returns the budgets of a draft; one that it leaves out is the maximum.
fn within(drafted: DraftedBudgets, most: Budgets, faults: &mut Vec<String>) -> Budgets {
    let mut part = |name: &str, drafted: Option<u32>, most: u32| {
        let drafted = drafted.unwrap_or(most);
        if drafted > most {
            faults.push(format!("budgets.{name} {drafted} is more than {most}"));
        }
        drafted.min(most)
    };
    Budgets {
        max_steps: part("max_steps", drafted.max_steps, most.max_steps),
        max_questions: part("max_questions", drafted.max_questions, most.max_questions),
    }
}

/// Returns the faults as a list for the planner.
pub(super) fn told(faults: &[String]) -> String {
    faults.iter().fold(String::new(), |mut told, fault| {
        let _ = writeln!(told, "- {fault}");
        told
    })
}

#[cfg(test)]
mod tests;
