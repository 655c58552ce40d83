//! What was agreed on before a method begins, and that nothing is done beyond it.

use std::sync::Arc;

use super::{Result, Run, Stop};
use crate::entry::Ask;
use crate::plan::{Plan, PlanStep};
use crate::refined::Refined;
use crate::stages::{Stage, own_name};
use crate::{grounding, ledger};

/// What a run was narrowed down to, and the plan that holds for it.
#[derive(Default)]
pub(super) struct Agreed {
    refined: Refined,
    plan: Option<InForce>,
}

/// The plan that the method began with. What may be done is decided by the one that was approved last; what agents are told, and what the
/// method leaves out, stays as it was, or the steps that were done already would no longer be those that they were.
struct InForce {
    plan: Plan,
    stages: Vec<Stage>,
}

/// Before anything was agreed on.
static NOTHING: Refined = Refined {
    search_terms: Vec::new(),
    geographical_scope: String::new(),
    focus_areas: Vec::new(),
    answers: Vec::new(),
    startup: None,
};

impl Run {
    /// Returns the same run narrowed down: every agent of it is told the scope. With an approved plan and the stages that it
    /// was made of, nothing is done outside of it any more, and every agent is told its part.
    pub fn agreed(&self, refined: Refined, plan: Option<(Plan, Vec<Stage>)>) -> Run {
        let plan = plan.map(|(plan, stages)| InForce { plan, stages });
        Run { agreed: Some(Arc::new(Agreed { refined, plan })), ..self.clone() }
    }

    /// Returns what the run was narrowed down to; empty where nobody was asked.
    pub fn refined(&self) -> &Refined {
        self.agreed.as_ref().map_or(&NOTHING, |agreed| &agreed.refined)
    }

    /// Tells whether an approved plan is in force: nothing is searched for or done that it does not have.
    pub fn is_planned(&self) -> bool {
        self.in_force().is_some()
    }

    /// Tells whether the approved plan has no step for this role. Where there is no plan nothing is left out.
    pub fn leaves_out(&self, role: &str) -> bool {
        self.in_force().is_some_and(|force| !force.plan.has(role))
    }

    fn in_force(&self) -> Option<&InForce> {
        self.agreed.as_ref()?.plan.as_ref()
    }

    /// Returns what an agent is told that is called here: the scope, and its part of the plan.
    pub(crate) fn briefing(&self, agent: &str) -> Vec<(&'static str, String)> {
        let mut told = Vec::new();
        told.extend(self.refined().told().map(|scope| ("What was agreed with the reader", scope)));
        if let Some(InForce { plan, stages }) = self.in_force() {
            let name = self.name(agent);
            let role = stages.iter().find(|stage| stage.holds(&name)).map(|stage| stage.role);
            let steps = plan.steps.iter().filter(|step| Some(&*step.agent_role) == role);
            let steps = steps.map(|PlanStep { name, description, .. }| {
                ledger::one_line(&grounding::clean(&format!("- {name}: {description}")))
            });
            let steps: Vec<String> = steps.collect();
            if !steps.is_empty() {
                told.push(("Your part of the approved plan", steps.join("\n")));
            }
        }
        told
    }

    /// Returns whose part of the plan a step is; none where no plan is in force.
    ///
    /// A step that the plan does not have is not done: the run proposes the plan with it, and waits.
    pub(crate) async fn within(&self, step: &str) -> Result<Option<String>> {
        let Some(InForce { plan, stages }) = self.in_force() else { return Ok(None) };
        let own = own_name(step);
        let missing = match stages.iter().find(|stage| stage.holds(step)) {
            Some(stage) => stage.planned(),
            None => PlanStep { name: own.into(), agent_role: own.into(), ..PlanStep::default() },
        };
        let role = missing.agent_role.clone();
        let latest = self.journal().in_force.clone();
        let latest = latest.unwrap_or_else(|| plan.clone());
        if !latest.has(&role) {
            self.amend(latest, vec![missing]).await?;
        }
        Ok(Some(role))
    }

    /// Proposes an approved plan with steps that the method cannot go on without. Returns the plan as it was approved then.
    pub async fn amend(&self, plan: Plan, missing: Vec<PlanStep>) -> Result<Plan> {
        let Some(first) = missing.first().map(|step| step.agent_role.clone()) else {
            return Ok(plan);
        };
        let roles: Vec<String> = missing.iter().map(|step| step.agent_role.clone()).collect();
        let mut amended = plan;
        amended.steps.extend(missing);
        let ask = Ask {
            question: format!("May this be done as well: {}?", roles.join(", ")),
            context: "The plan that was approved does not have it, and the method cannot go on without it. Of an amendment its steps alone count.".into(),
            plan: Some(Box::new(amended)),
        };
        let whole = Run { scope: String::new(), ..self.clone() };
        let gate = format!("amendment-{first}");
        // What was approved is right but for the steps that are added, however many it has.
        let approved = whole.proposed(&gate, ask, |_| None).await?;
        match roles.iter().find(|role| !approved.has(role)) {
            None => Ok(approved),
            Some(role) => Err(Stop::Stage {
                stage: gate,
                message: format!(
                    "the plan that was approved has no step for '{role}', and the method cannot go on without it"
                ),
                retry_attempted: false,
            }),
        }
    }
}
