//! The published stages of a method: the possible steps of its plan, and the steps of a run that belong to each.

use crate::plan::PlanStep;

/// A stage of a method.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stage {
    /// The `agent_role` of its step in the plan; unique in a method.
    pub role: &'static str,
    /// Its name in the plan.
    pub name: &'static str,
    /// What it does, in one sentence.
    pub description: &'static str,
    /// The steps of a run that belong to it: by their own name, in any scope (`retrieve`), everything in a scope (`market_sizing/`),
    /// or all (`*`).
    pub steps: &'static [&'static str],
    /// Whether the method can do without it.
    pub optional: bool,
}

impl Stage {
    /// Returns the stage as a step of a plan.
    pub fn planned(&self) -> PlanStep {
        PlanStep {
            name: self.name.to_owned(),
            description: self.description.to_owned(),
            agent_role: self.role.to_owned(),
            estimated_duration: String::new(),
        }
    }

    /// Returns whether a step of a run, by its logged name, belongs to this stage.
    pub fn holds(&self, step: &str) -> bool {
        let (path, own) = (strip_number(step), own_name(step));
        self.steps.iter().any(|known| match known.strip_suffix('/') {
            Some(scope) => path.split_once('/').is_some_and(|(first, _)| first == scope),
            None => own == *known || *known == "*",
        })
    }
}

/// Returns a step's logged name without its number: its scopes and its own name.
pub(crate) fn strip_number(step: &str) -> &str {
    step.rsplit_once(" #").map_or(step, |(path, _)| path)
}

/// Returns a step's own name, without its scopes and its number.
pub fn own_name(step: &str) -> &str {
    let path = strip_number(step);
    path.rsplit_once('/').map_or(path, |(_, own)| own)
}

#[cfg(test)]
mod tests {
    use super::*;

    // proves: W3
    #[test]
    fn a_step_belongs_to_a_stage_by_its_own_name_or_by_its_scope() {
        let stage = |steps: &'static [&'static str]| Stage {
            role: "reader",
            name: "Read",
            description: "",
            steps,
            optional: false,
        };
        let read = stage(&["papers", "read"]);
        for step in ["papers #1", "query-1/papers #2", "https://a.org/x/y/read #1", "a/read #12"] {
            assert!(read.holds(step), "{step}");
        }
        for step in ["retrieve #1", "read/retrieve #1", "paper #1", "reader #1", "read-on #1"] {
            assert!(!read.holds(step), "{step}");
        }
        let sizing = stage(&["market_sizing/"]);
        assert!(sizing.holds("market_sizing/query-1/papers #1"));
        for step in ["market_sizing #1", "market_sizings/read #1", "x/market_sizing/read #1"] {
            assert!(!sizing.holds(step), "{step}");
        }
    }
}
