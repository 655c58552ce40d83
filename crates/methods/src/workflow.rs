//! Clarify, plan, approve, and only then execute: a layer that can precede any method.
//!
//! The layer asks the user what the question leaves open and proposes a plan, both with the light tier. The method does nothing before the
//! plan is approved; it then runs as usual, over a run restricted to what was agreed.
//!
//! # Design
//!
//! `methods::workflow` is a layer around any method: a run whose settings have a `workflow` goes through it first. Before that, a question
//! that follows up on a conversation (`history` in the settings) is worded so that it stands alone (`following_up.rs`). It reads top to bottom
//! as the process: startups, questions (gates `q1`, `q2`, … all at once), plan (gate `plan`), and then the method itself, over
//! `run.agreed(…)`, the same run with restrictions. The clarifier and the planner are agents of the light tier; if one fails, a rule does
//! its part, with a warning.
//!
//! - **A method publishes its stages** (`run::Stage`: a role, and the names of its steps), and the plan has one step for each, bound by
//!   `agent_role`. The planner words the steps; it cannot add, drop or reorder any.
//! - **The plan is in force** once approved: `Run::within` is asked before every step, in the one place where steps begin. A step belongs
//!   to the plan's step of its role, which its `called` entry names. If the plan lacks the role, a plan that has it is proposed at a
//!   separate gate (`amendment-<role>`), and the step is not run before approval. The latest approval decides what may be done. What agents
//!   are shown does not change, because recorded steps would otherwise have had other inputs. So no method can exceed its plan, and none
//!   contains code for it.
//! - **What was agreed is typed input** (`run.refined()`). The machine shows it to every agent, with the agent's own part of the plan.
//!   Approved search terms replace an agent's queries.
//! - **Estimates** are a fold over the logs of the user's earlier runs (`run::past`), taken as a step, so that a replay shows the same
//!   plan.
//! - **Views**: `views::workflow` is the documented state, `views::execution` compares the plan with what was done. Phases are folds like
//!   everything else; the error of an operation in the wrong phase names both.
//!
//! Startup contexts are a port (`run::contexts`) with two adapters in `store`, the database and JSON files, under one conformance suite. A
//! finished analysis teaches the context that it began with (a step, `lesson`); its additions are stored separately, so that they can be
//! undone. Ids have one written form, which is a valid file name on every system.

mod agents;
mod estimate;
mod following_up;
mod offline;
mod startup;

use futures::FutureExt as _;
use futures::future::join_all;

use run::contexts::StartupContext;
use run::plan::{MOST_CHARACTERS, PlanStep};
use run::refined::Answered;
use run::settings::{Remark, Workflow};
use run::{Ask, Deliverable, Method, Plan, Refined, Reply, Result, Run, Stage, Stop};

use crate::Calls;
use agents::{CLARIFIER, PLANNER};
use estimate::Estimated;
use startup::Startups;

pub use agents::{PlanDraft, PlanDraftStep, Question, Questions};
pub use estimate::time;
pub use following_up::Reworded;

/// The gate at which the plan is proposed.
const PLAN: &str = "plan";

/// Returns the method with its layer: the workflow in its run's settings, then the method itself.
pub fn layered(method: Method) -> Method {
    method.under(|method, run| around(method, run).boxed())
}

/// Returns the agent that words a question which follows up on a conversation, with its calls; `None` without a conversation.
pub fn follow_up_calls(history: &[Remark], question: &str) -> Option<Calls> {
    following_up::calls(history, question)
}

/// Returns the agents that the layer calls, with the maximum number of calls of each.
pub fn calls(workflow: &Workflow, question: &str) -> Vec<Calls> {
    /// A call, its repair, and one complete retry.
    const TRIES: u32 = 3;
    /// Tokens of a typical reply: questions or a plan.
    const USUAL_REPLY: u32 = 300;
    /// Bytes of the method's stages and the answers.
    const BESIDE: usize = 4_000;
    let wanted = [(workflow.clarify, CLARIFIER), (workflow.plan, PLANNER)];
    let wanted = wanted.into_iter().filter(|(wanted, _)| *wanted);
    let calls = wanted.map(|(_, agent)| Calls {
        agent,
        prompt_bytes: agent.text.len() + question.len() + BESIDE,
        evidence_tokens: 0,
        reply_tokens: USUAL_REPLY,
        usual: 1,
        most: TRIES,
    });
    calls.collect()
}

async fn around(method: &Method, run: &Run) -> Result<Deliverable> {
    let run = &following_up::understand(run).await?;
    let Some(workflow) = &run.settings().workflow else {
        return (method.perform)(run).await;
    };
    let narrowed = agreed(method, run, workflow).await?;
    let deliverable = (method.perform)(&narrowed).await?;
    startup::taught(run, narrowed.refined(), &deliverable).await?;
    Ok(deliverable)
}

/// Asks, plans and waits for approval, as the settings require; returns the run for the method.
async fn agreed(method: &Method, run: &Run, workflow: &Workflow) -> Result<Run> {
    let startups = Startups::of(run, workflow).await?;
    let refined = clarified(method, run, workflow, startups).await?;
    if !workflow.plan {
        return Ok(run.agreed(refined, None));
    }
    let stages = list_stages(method, run);
    let plan = approved(method, run, &refined, &stages).await?;
    let refined = Refined {
        search_terms: texts(&plan.search_terms),
        geographical_scope: plan.geographical_scope.trim().to_owned(),
        focus_areas: texts(&plan.focus_areas),
        ..refined
    };
    Ok(run.agreed(refined, Some((plan, stages))))
}

/// Returns the method's stages; a method without any is a single stage.
fn list_stages(method: &Method, run: &Run) -> Vec<Stage> {
    let stages = (method.stages)(&run.settings().options);
    if !stages.is_empty() {
        return stages;
    }
    vec![Stage {
        role: method.name,
        name: method.name,
        description: "Answers the question.",
        steps: &["*"],
        optional: false,
    }]
}

/// Asks what the question leaves open, all at once, and returns what is known afterwards.
async fn clarified(
    method: &Method,
    run: &Run,
    workflow: &Workflow,
    startups: Startups,
) -> Result<Refined> {
    let mut asked: Vec<Question> = startups.question().into_iter().collect();
    let asks_which = !asked.is_empty();
    let known = begun(startups.only());
    let most = run.settings().budget.max_questions.unwrap_or(u64::MAX);
    let most = usize::try_from(most.min(workflow.questions.into())).unwrap_or(usize::MAX);
    if workflow.clarify && most > asked.len() {
        let open = questions(method, &run.agreed(known.clone(), None), most - asked.len()).await?;
        asked.extend(open);
    }
    asked.truncate(most);
    let mut answers = answered(run, &asked).await?.into_iter();
    let choice = if asks_which { answers.next() } else { None };
    let startup = startups.chosen(run, choice.as_ref().map(|one| one.answer.as_str())).await?;
    let answers = answers.filter(|one| !one.answer.trim().is_empty()).collect();
    Ok(Refined { answers, ..begun(startup) })
}

/// Returns what is known from the context that a run begins with.
fn begun(startup: Option<StartupContext>) -> Refined {
    let Some(startup) = startup else { return Refined::default() };
    Refined {
        search_terms: texts(&startup.search_terms),
        geographical_scope: line(&startup.geographical_scope),
        startup: Some(Box::new(startup)),
        ..Refined::default()
    }
}

/// Asks the questions at the gates q1, q2, …, all at once. Returns the answers, including empty ones.
async fn answered(run: &Run, asked: &[Question]) -> Result<Vec<Answered>> {
    let gates = (1..).map(|number| format!("q{number}"));
    let answers = join_all(gates.zip(asked).map(async |(gate, Question { question, context })| {
        let (question, context) = (question.clone(), context.clone());
        let ask = Ask { question: question.clone(), context, plan: None };
        let answer = run.ask(&gate, ask).await?;
        Ok(Answered { gate, question, answer })
    }));
    answers.await.into_iter().collect()
}

/// Returns the questions worth asking.
async fn questions(method: &Method, run: &Run, most: usize) -> Result<Vec<Question>> {
    let itself = || offline::questions(method.name, run.question(), run.refined(), most);
    let asked = run
        .agent(&CLARIFIER)
        .given("Request", run.question())
        .given("What will be done with it", format!("{}: {}", method.name, method.description))
        .given("Questions wanted, at most", most.to_string())
        .offline(itself)
        .reply::<Questions>()
        .await;
    let mut asked = or_rule(run, "questions", asked, itself)?.tidied();
    asked.truncate(most);
    Ok(asked)
}

/// Proposes the plan, and returns it as approved, with every stage that the method requires.
async fn approved(method: &Method, run: &Run, refined: &Refined, stages: &[Stage]) -> Result<Plan> {
    let plan = planned(method, &run.agreed(refined.clone(), None), stages).await?;
    let ask = Ask {
        question: "Is this what you want researched?".into(),
        context: String::new(),
        plan: Some(Box::new(plan)),
    };
    let plan = run.propose(PLAN, ask).await?;
    for PlanStep { name, agent_role, .. } in &plan.steps {
        if stages.iter().all(|stage| stage.role != agent_role) {
            run.warn(format!(
                "the plan's step '{name}' was skipped: the method has no role '{agent_role}'"
            ));
        }
    }
    let needed = stages.iter().filter(|stage| !stage.optional && !plan.has(stage.role));
    let missing = needed.map(Stage::planned).collect();
    run.amend(plan, missing).await
}

/// Writes the plan. The planner decides the subjects and search terms, the method the steps; time and cost come from earlier runs and the
/// price table.
async fn planned(method: &Method, run: &Run, stages: &[Stage]) -> Result<Plan> {
    let roles: Vec<String> = stages
        .iter()
        .map(|Stage { role, name, description, .. }| format!("- {role}: {name}. {description}"))
        .collect();
    let itself = || offline::draft_plan(run.question(), run.refined());
    let draft = run
        .agent(&PLANNER)
        .given("Request", run.question())
        .given("Steps", roles.join("\n"))
        .offline(itself)
        .reply::<PlanDraft>()
        .await;
    let draft = or_rule(run, "plan", draft, itself)?;
    let estimated = Estimated::of(run, method).await?;
    Ok(draft.filled(stages, &estimated, run.question()))
}

/// Returns an agent's reply or, if the agent failed, the reply by rule, with a warning.
fn or_rule<R: Reply>(run: &Run, what: &str, said: Result<R>, rule: impl Fn() -> R) -> Result<R> {
    match said {
        Err(stop @ (Stop::Budget { .. } | Stop::Stage { .. })) => {
            run.warn(format!("the {what} was made by rule, without a model: {stop}"));
            Ok(rule())
        }
        said => said,
    }
}

/// Returns the texts on one line each, cleaned and truncated, without empty ones and duplicates.
fn texts<'a>(texts: impl IntoIterator<Item = &'a String>) -> Vec<String> {
    let mut kept: Vec<String> = Vec::new();
    for text in texts {
        let text = line(text);
        if !text.is_empty() && kept.iter().all(|known| known.to_lowercase() != text.to_lowercase())
        {
            kept.push(text);
        }
    }
    kept
}

fn line(text: &str) -> String {
    crate::grounded::docket::plain(text).chars().take(MOST_CHARACTERS).collect()
}
