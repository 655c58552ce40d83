//! The scope and plan agreed on before a method begins, and the rule that nothing goes beyond them.

use std::sync::Arc;

use super::{Result, Run, Stop};
use crate::entry::Ask;
use crate::plan::{Plan, PlanStep};
use crate::refined::Refined;
use crate::stages::{Stage, own_name};
use crate::{grounding, ledger};

/// The refined scope of a run, and its plan.
#[derive(Default)]
pub(super) struct Agreed {
    refined: Refined,
    plan: Option<InForce>,
}

/// The plan that the method began with. The last approved plan decides what may be done. But what agents are told and what the method
/// leaves out stay as they were, or the recorded steps would have other input.
struct InForce {
    plan: Plan,
    stages: Vec<Stage>,
}

/// The scope before anything was agreed on.
static NOTHING: Refined = Refined {
    search_terms: Vec::new(),
    geographical_scope: String::new(),
    focus_areas: Vec::new(),
    answers: Vec::new(),
    startup: None,
};

impl Run {
    /// Returns the same run with a refined scope, which every agent is told. With an approved plan and the stages that it was made
    /// from, nothing is done outside of it any more, and every agent is told its part.
    pub fn agreed(&self, refined: Refined, plan: Option<(Plan, Vec<Stage>)>) -> Run {
        let plan = plan.map(|(plan, stages)| InForce { plan, stages });
        Run { agreed: Some(Arc::new(Agreed { refined, plan })), ..self.clone() }
    }

    /// Returns the refined scope; empty if no one was asked.
    pub fn refined(&self) -> &Refined {
        self.agreed.as_ref().map_or(&NOTHING, |agreed| &agreed.refined)
    }

    /// Returns whether an approved plan is in force: no search or step goes beyond it.
    pub fn is_planned(&self) -> bool {
        self.in_force().is_some()
    }

    /// Returns whether the approved plan has no step for this role. Without a plan nothing is left out.
    pub fn leaves_out(&self, role: &str) -> bool {
        self.in_force().is_some_and(|force| !force.plan.has(role))
    }

    fn in_force(&self) -> Option<&InForce> {
        self.agreed.as_ref()?.plan.as_ref()
    }

    /// Returns the briefing of an agent that is called here: the scope, and its part of the plan.
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

    /// Returns the part of the plan that a step belongs to; `None` if no plan is in force.
    ///
    /// A step that is missing from the plan is not executed: the run proposes the plan with it, and waits.
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

    /// Proposes an approved plan with additional steps that the method needs. Returns the plan as approved then.
    pub async fn amend(&self, plan: Plan, missing: Vec<PlanStep>) -> Result<Plan> {
        let Some(first) = missing.first().map(|step| step.agent_role.clone()) else {
            return Ok(plan);
        };
        let roles: Vec<String> = missing.iter().map(|step| step.agent_role.clone()).collect();
        let mut amended = plan;
        amended.steps.extend(missing);
        let ask = Ask {
            question: format!("May this be done as well: {}?", roles.join(", ")),
            context: "The approved plan does not contain it, and the method cannot continue without it. Only the steps of an \
                amendment count.".into(),
            plan: Some(Box::new(amended)),
        };
        let whole = Run { scope: String::new(), ..self.clone() };
        let gate = format!("amendment-{first}");
        // The approved plan is valid apart from the added steps, however many it has.
        let approved = whole.proposed(&gate, ask, |_| None).await?;
        match roles.iter().find(|role| !approved.has(role)) {
            None => Ok(approved),
            Some(role) => Err(Stop::Stage {
                stage: gate,
                message: format!(
                    "the approved plan has no step for '{role}', and the method cannot continue without it"
                ),
                retry_attempted: false,
            }),
        }
    }
}
