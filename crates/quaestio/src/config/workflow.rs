//! What comes before a method: questions, a plan, its approval.

use std::collections::BTreeMap;

use serde::Deserialize;

/// Questions that clarify, at most.
const MOST_QUESTIONS: u32 = 10;

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct WorkflowConfig {
    enable_workflow_approval: bool,
    pub(crate) questions: u32,
    #[serde(default)]
    users: BTreeMap<String, UserWorkflow>,
}

/// What is otherwise for one user.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
struct UserWorkflow {
    enable_workflow_approval: bool,
}

impl WorkflowConfig {
    /// Tells whether the market analyses of this user are clarified and planned first, and begin with an approval alone.
    pub(crate) fn needs_approval(&self, user: &str) -> bool {
        let own = self.users.get(user).map(|own| own.enable_workflow_approval);
        own.unwrap_or(self.enable_workflow_approval)
    }

    /// Returns the first key that cannot be used, and what it must be.
    pub(super) fn wrong(&self) -> Option<(&'static str, String)> {
        let fine = (1..=MOST_QUESTIONS).contains(&self.questions);
        (!fine).then(|| ("questions", format!("1 to {MOST_QUESTIONS}")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // proves: W1
    #[test]
    fn whether_approval_is_needed_is_each_users_own_setting() {
        let config = |text: &str| -> WorkflowConfig { toml::from_str(text).unwrap() };
        let usual = config(
            "enable_workflow_approval = true\nquestions = 3\n[users.ada]\nenable_workflow_approval = false",
        );
        assert!(usual.needs_approval("local") && !usual.needs_approval("ada"));
        let other = config("enable_workflow_approval = false\nquestions = 0");
        assert!(!other.needs_approval("ada"));
        assert_eq!(other.wrong().map(|(key, _)| key), Some("questions"));
    }
}
