//! A research plan: proposed to a person, who edits and approves it before any research.
//!
//! A plan at a gate has revisions, counted from 1; each edit creates one. An approval names the revision and the hash of the plan that
//! was seen, so that no one approves a plan that someone else has just changed.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::entry::Hash;

/// The maximum number of steps of a plan.
pub const MOST_STEPS: usize = 50;
/// The maximum number of search terms, and of focus areas, of a plan.
pub const MOST_TERMS: usize = 100;
/// The maximum number of characters in any one text of a plan.
pub const MOST_CHARACTERS: usize = 4_000;

/// What is to be researched, and how.
///
/// Fields that are missing read as empty. A field that is added later must not be written while it is empty: the plans
/// that were approved before would have another hash.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Plan {
    pub title: String,
    /// What is done, in its order.
    pub steps: Vec<PlanStep>,
    pub search_terms: Vec<String>,
    pub geographical_scope: String,
    pub focus_areas: Vec<String>,
    pub estimated_duration: String,
    pub estimated_cost: String,
}

/// One step of a plan.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct PlanStep {
    pub name: String,
    pub description: String,
    /// Who does it.
    pub agent_role: String,
    pub estimated_duration: String,
}

impl Plan {
    /// Returns the digest of the plan's canonical JSON.
    pub fn hash(&self) -> Hash {
        Hash::of_json(self)
    }

    /// Returns whether a step of the plan has this role.
    pub fn has(&self, role: &str) -> bool {
        self.steps.iter().any(|step| step.agent_role == role)
    }

    /// Returns what is wrong with the plan; `None` if it is valid.
    ///
    /// A plan has a title and 1 to [`MOST_STEPS`] steps, each with a name, at most [`MOST_TERMS`] search terms and focus areas, and no
    /// text of more than [`MOST_CHARACTERS`] characters.
    pub fn wrong(&self) -> Option<String> {
        if self.title.trim().is_empty() {
            return Some("it has no title".into());
        }
        let steps = self.steps.len();
        if !(1..=MOST_STEPS).contains(&steps) {
            return Some(format!("it has {steps} steps; it needs 1 to {MOST_STEPS}"));
        }
        if let Some(unnamed) = self.steps.iter().position(|step| step.name.trim().is_empty()) {
            return Some(format!("its step {} has no name", unnamed + 1));
        }
        for (name, texts) in
            [("search_terms", &self.search_terms), ("focus_areas", &self.focus_areas)]
        {
            if texts.len() > MOST_TERMS {
                return Some(format!("it has {} {name}; the limit is {MOST_TERMS}", texts.len()));
            }
        }
        let (what, characters) = self
            .texts()
            .into_iter()
            .map(|(what, text)| (what, text.chars().count()))
            .find(|(_, characters)| *characters > MOST_CHARACTERS)?;
        Some(format!("its {what} has {characters} characters; the limit is {MOST_CHARACTERS}"))
    }

    /// Returns every text of the plan with its name.
    fn texts(&self) -> Vec<(String, &str)> {
        let mut texts: Vec<(String, &str)> = vec![
            ("title".into(), &self.title),
            ("geographical_scope".into(), &self.geographical_scope),
            ("estimated_duration".into(), &self.estimated_duration),
            ("estimated_cost".into(), &self.estimated_cost),
        ];
        for (number, step) in (1..).zip(&self.steps) {
            let PlanStep { name, description, agent_role, estimated_duration } = step;
            let fields = [
                ("name", name),
                ("description", description),
                ("agent_role", agent_role),
                ("estimated_duration", estimated_duration),
            ];
            texts.extend(
                fields.map(|(field, text)| (format!("{field} of step {number}"), text.as_str())),
            );
        }
        let lists = [("search term", &self.search_terms), ("focus area", &self.focus_areas)];
        for (what, list) in lists {
            let numbered = (1..).zip(list);
            texts
                .extend(numbered.map(|(number, text)| (format!("{what} {number}"), text.as_str())));
        }
        texts
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    pub(crate) fn plan(title: &str) -> Plan {
        let step = |name: &str| PlanStep {
            name: name.into(),
            description: format!("{name} what there is"),
            agent_role: "researcher".into(),
            estimated_duration: "2 min".into(),
        };
        Plan {
            title: title.into(),
            steps: vec![step("Search"), step("Read")],
            search_terms: vec!["tides".into(), "neap tides".into()],
            geographical_scope: "Brittany".into(),
            focus_areas: vec!["harbours".into()],
            estimated_duration: "4 min".into(),
            estimated_cost: "$0.02".into(),
        }
    }

    // proves: W3
    #[test]
    fn the_same_plan_has_the_same_hash_and_any_change_another() {
        let first = plan("Tides");
        assert_eq!(first.hash(), plan("Tides").hash());
        assert_eq!(
            first.hash().to_string(),
            "6c244ace143732cdd404b4deb6214a67cd4612bcfbfdd0165846e08b11b92608",
            "what was approved keeps its hash"
        );
        let changes: [fn(&mut Plan); 7] = [
            |plan| plan.title.push('!'),
            |plan| plan.steps[1].agent_role.clear(),
            |plan| plan.steps.swap(0, 1),
            |plan| plan.search_terms.reverse(),
            |plan| plan.geographical_scope.clear(),
            |plan| plan.focus_areas.push(String::new()),
            |plan| plan.estimated_cost = "$0.03".into(),
        ];
        for change in changes {
            let mut changed = first.clone();
            change(&mut changed);
            assert_ne!(changed.hash(), first.hash(), "{changed:?}");
        }
        // A text is not taken for a part of its neighbour.
        let joined = Plan { search_terms: vec!["tidesneap tides".into()], ..plan("Tides") };
        assert_ne!(joined.hash(), first.hash());
    }

    #[test]
    fn missing_fields_read_as_empty_and_unknown_ones_are_refused() {
        let read = |text: &str| serde_json::from_str::<Plan>(text);
        let short = read(r#"{"title":"Tides","steps":[{"name":"Search"}]}"#).unwrap();
        assert_eq!((short.wrong(), short.search_terms.len()), (None, 0));
        let whole = serde_json::to_string(&short).unwrap();
        assert_eq!(read(&whole).unwrap().hash(), short.hash());
        for unknown in [r#"{"titel":"Tides"}"#, r#"{"steps":[{"name":"Search","tool":"rm"}]}"#] {
            assert!(read(unknown).unwrap_err().to_string().contains("unknown field"));
        }
        assert!(read(r#"{"steps":"Search"}"#).is_err());
    }

    // proves: W3
    #[test]
    fn what_is_wrong_with_a_plan_is_named() {
        assert_eq!(plan("Tides").wrong(), None);
        let long = "ß".repeat(MOST_CHARACTERS);
        let at_most = Plan {
            title: long.clone(),
            steps: vec![PlanStep { name: long.clone(), ..PlanStep::default() }; MOST_STEPS],
            search_terms: vec![long.clone(); MOST_TERMS],
            focus_areas: vec![String::new(); MOST_TERMS],
            ..Plan::default()
        };
        assert_eq!(at_most.wrong(), None);
        type Change = fn(&mut Plan, String);
        let longer = || format!("{long}x");
        let wrong: [(&str, Change); 13] = [
            ("no title", |plan, _| plan.title = " \n".into()),
            ("0 steps", |plan, _| plan.steps.clear()),
            ("51 steps", |plan, _| plan.steps = vec![plan.steps[0].clone(); 51]),
            ("step 2 has no name", |plan, _| plan.steps[1].name = "\t".into()),
            ("101 search_terms", |plan, _| plan.search_terms = vec![String::new(); 101]),
            ("101 focus_areas", |plan, _| plan.focus_areas = vec![String::new(); 101]),
            ("title has 4001", |plan, long| plan.title = long),
            ("name of step 1", |plan, long| plan.steps[0].name = long),
            ("description of step 2", |plan, long| plan.steps[1].description = long),
            ("agent_role of step 2", |plan, long| plan.steps[1].agent_role = long),
            ("search term 2", |plan, long| plan.search_terms[1] = long),
            ("focus area 1", |plan, long| plan.focus_areas[0] = long),
            ("estimated_cost has 4001 characters", |plan, long| plan.estimated_cost = long),
        ];
        for (named, make) in wrong {
            let mut made = plan("Tides");
            make(&mut made, longer());
            let wrong = made.wrong().unwrap();
            assert!(wrong.contains(named), "{wrong} does not name {named}");
        }
    }
}
