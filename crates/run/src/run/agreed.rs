//! What was agreed on before a method begins, and that nothing is done beyond it.

use std::sync::Arc;

use super::{Result, Run, Stop};
use crate::entry::Ask;
use crate::plan::{Plan, PlanStep};
use crate::refined::Refined;
use crate::stages::Stage;

/// What a run was narrowed down to, and the plan that holds for it.
#[derive(Default)]
pub(super) struct Agreed {
    refined: Refined,
    plan: Option<InForce>,
}

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
    /// was made of, nothing is done outside of it any more.
    pub fn agreed(&self, refined: Refined, plan: Option<(Plan, Vec<Stage>)>) -> Run {
        let plan = plan.map(|(plan, stages)| InForce { plan, stages });
        Run { agreed: Some(Arc::new(Agreed { refined, plan })), ..self.clone() }
    }

    /// Returns what the run was narrowed down to; empty where nobody was asked.
    pub fn refined(&self) -> &Refined {
        self.agreed.as_ref().map_or(&NOTHING, |agreed| &agreed.refined)
    }

    /// Tells whether the approved plan has no step for this role. Where there is no plan nothing is left out.
    pub fn leaves_out(&self, role: &str) -> bool {
        self.in_force().is_some_and(|force| !force.plan.has(role))
    }

    fn in_force(&self) -> Option<&InForce> {
        self.agreed.as_ref()?.plan.as_ref()
    }

    /// Returns whose part of the plan a step is; none where no plan is in force.
    ///
    /// A step that the plan does not have is not done: the run proposes the plan with it, and waits.
    pub(crate) async fn within(&self, step: &str) -> Result<Option<String>> {
        let Some(InForce { plan, stages }) = self.in_force() else { return Ok(None) };
        let stage = stages.iter().find(|stage| stage.holds(step));
        let own = step.rsplit_once(" #").map_or(step, |(path, _)| path);
        let own = own.rsplit_once('/').map_or(own, |(_, own)| own);
        let role = stage.map_or(own, |stage| stage.role);
        if plan.has(role) {
            return Ok(Some(role.to_owned()));
        }
        let missing = PlanStep {
            name: stage.map_or(own, |stage| stage.name).to_owned(),
            description: stage.map_or("", |stage| stage.description).to_owned(),
            agent_role: role.to_owned(),
            estimated_duration: String::new(),
        };
        let mut amended = plan.clone();
        amended.steps.push(missing);
        let ask = Ask {
            question: format!("May '{role}' be done as well?"),
            context: "The method cannot go on without it, and the plan that was approved does not have it.".into(),
            plan: Some(Box::new(amended)),
        };
        let whole = Run { scope: String::new(), ..self.clone() };
        let approved = whole.propose(&format!("amendment-{role}"), ask).await?;
        if approved.has(role) {
            return Ok(Some(role.to_owned()));
        }
        Err(Stop::Stage {
            stage: step.to_owned(),
            message: format!(
                "the approved plan has no step for '{role}', and the method cannot go on without it"
            ),
            retry_attempted: false,
        })
    }
}
