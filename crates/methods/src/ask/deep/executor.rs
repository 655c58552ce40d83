//! Executes a task graph over the blackboard, wave by wave.
//!
//! A wave is all tasks whose predecessors are settled. Their conditions are all read from the board before any of them begins, they run
//! concurrently, and their results go onto the board in the order of the plan. So the board does not depend on which task was faster, and a
//! resumed run arrives at the same one.

use futures::future::join_all;
use run::{Mode, Result, Stop};

use super::board::{Board, Brought, Settled, State};
use super::gathering::Gathered;
use super::graph::{Graph, Task, TaskKind};
use super::{Condition, Inquiry};

impl Inquiry<'_> {
    /// Executes everything but the synthesis. Returns the plan as it is in the end.
    pub(super) async fn carried_out(
        &self,
        graph: Graph,
        board: &mut Board,
        may_plan_again: bool,
    ) -> Result<Graph> {
        let (mut graph, mut may_plan_again) = (graph, may_plan_again);
        loop {
            let ready: Vec<Task> = find_ready(&graph, board).cloned().collect();
            if !ready.is_empty() {
                self.wave(&graph, ready, board).await?;
                continue;
            }
            let refused = |task: &Settled| matches!(task.state, State::Refused { .. });
            let has_steps = count_remaining(&graph, board) > 0 && !board.tasks.iter().any(refused);
            if !std::mem::replace(&mut may_plan_again, false) || !has_steps || !board.is_thin() {
                return Ok(graph);
            }
            self.run.say("the evidence is thin; planning once more");
            match self.planned_again(&graph, board).await? {
                Some(extended) => graph = extended,
                None => return Ok(graph),
            }
        }
    }

    async fn wave(&self, graph: &Graph, ready: Vec<Task>, board: &mut Board) -> Result<()> {
        let (mut begun, mut asking) = (Vec::new(), Vec::new());
        let mut left = count_remaining(graph, board);
        let mut settled = Vec::new();
        for task in ready {
            // The dialogue manager, which can read, judges what a planner would ask: the ambiguity need not show on the board.
            let judged = task.kind == TaskKind::AskUser
                && self.run.mode() == Mode::Model
                && task.when == Some(Condition::Ambiguity);
            let condition = task.when.as_ref().filter(|_| !judged);
            if let Some(condition) = condition.filter(|condition| !board.holds(condition)) {
                let why = condition.describe_unmet();
                settled.push((task, State::Skipped { why }));
            } else if left == 0 {
                let why = format!(
                    "the plan's limit of {} steps is reached, and the last one is kept for the answer",
                    graph.budgets.max_steps
                );
                settled.push((task, State::Refused { why }));
            } else {
                left -= 1;
                if task.kind == TaskKind::AskUser { asking.push(task) } else { begun.push(task) }
            }
        }
        for (task, state) in settled {
            self.told(&task, &state);
            board.settle(&task, state, Brought::default());
        }
        let gathered = join_all(begun.iter().map(|task| self.gathered(task))).await;
        for (task, gathered) in begun.iter().zip(gathered) {
            let (state, gathered) = match gathered {
                Ok(gathered) => (State::Done, gathered),
                Err(Stop::Stage { message, .. }) => {
                    // A search has already warned of what failed.
                    if task.kind == TaskKind::RetrieveRag {
                        self.run.warn(format!("the task '{}' failed: {message}", task.id));
                    }
                    (State::Failed { why: message }, Gathered::default())
                }
                Err(Stop::Budget { cap, .. }) => {
                    self.run.warn(format!("the task '{}' was skipped: {cap}", task.id));
                    (State::Refused { why: cap.to_string() }, Gathered::default())
                }
                Err(stop) => return Err(stop),
            };
            self.told(task, &state);
            let Gathered { passages, found, near, searched } = gathered;
            let evidence = self.run.cite(passages)?;
            board.settle(task, state, Brought { evidence, found, near, searched });
        }
        self.questions(graph, &asking, board).await
    }

    /// Settles the tasks that ask the user, with the results of the wave on the board.
    async fn questions(&self, graph: &Graph, asking: &[Task], board: &mut Board) -> Result<()> {
        if asking.is_empty() {
            return Ok(());
        }
        let left = graph.budgets.max_questions.saturating_sub(board.asked());
        let tasks: Vec<&Task> = asking.iter().collect();
        for (task, settled) in asking.iter().zip(self.settled(&tasks, board, left).await?) {
            self.told(task, &settled.state);
            let evidence = self.run.cite(settled.said.into_iter().collect())?;
            board.settle(task, settled.state, Brought { evidence, ..Brought::default() });
        }
        Ok(())
    }

    fn told(&self, task: &Task, state: &State) {
        let (id, kind) = (&task.id, task.kind.name());
        self.run.say(match state {
            State::Done => format!("task {id} ({kind}) is done"),
            State::Skipped { why } => format!("task {id} ({kind}) is not needed: {why}"),
            State::Failed { .. } => format!("task {id} ({kind}) failed"),
            State::Refused { .. } => format!("task {id} ({kind}) is skipped: a budget is used up"),
            State::Answered { .. } => format!("task {id} ({kind}) was answered"),
            State::Assumed { .. } => format!("task {id} ({kind}): an assumption was made"),
        });
    }
}

/// Returns the open tasks whose predecessors are settled, in the order of the plan; never the synthesis.
fn find_ready<'a>(graph: &'a Graph, board: &Board) -> impl Iterator<Item = &'a Task> {
    graph.tasks.iter().filter(|task| {
        task.kind != TaskKind::Synthesize
            && !board.knows(&task.id)
            && task.after.iter().all(|id| board.knows(id))
    })
}

/// Returns how many more tasks may be executed, with one left for the synthesis.
fn count_remaining(graph: &Graph, board: &Board) -> u32 {
    graph.budgets.max_steps.saturating_sub(board.carried_out()).saturating_sub(1)
}
