//! The scope of a run before its method begins: a person's answers, and the plan's search scope.

use serde::{Deserialize, Serialize};

use crate::contexts::StartupContext;
use crate::{grounding, ledger};

/// The refined scope of a run. Empty if no one was asked.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Refined {
    /// From the approved plan, without empty ones.
    pub search_terms: Vec<String>,
    pub geographical_scope: String,
    pub focus_areas: Vec<String>,
    /// The questions and answers in order; skipped questions are not here.
    pub answers: Vec<Answered>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub startup: Option<Box<StartupContext>>,
}

/// A question and a person's answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Answered {
    /// The gate at which it was asked.
    pub gate: String,
    pub question: String,
    pub answer: String,
}

impl Refined {
    /// Returns the scope as text for an agent, one line per item; `None` if nothing was agreed on.
    pub fn told(&self) -> Option<String> {
        let line = |text: &str| ledger::one_line(&grounding::clean(text));
        let mut lines = Vec::new();
        let mut tell = |what: &str, text: String| {
            if !text.is_empty() {
                lines.push(format!("- {what}: {text}"));
            }
        };
        if let Some(startup) = &self.startup {
            tell("The startup", line(&startup.name));
            tell("What it does", line(&startup.description));
            tell("Its industry", line(&startup.industry));
        }
        for Answered { question, answer, .. } in &self.answers {
            tell(&line(question), line(answer));
        }
        let list = |texts: &[String]| {
            let texts: Vec<String> = texts.iter().map(|text| line(text)).collect();
            texts.join("; ")
        };
        tell("Where", line(&self.geographical_scope));
        tell("What to look at above all", list(&self.focus_areas));
        tell("What to search for", list(&self.search_terms));
        (!lines.is_empty()).then(|| lines.join("\n"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // proves: W6
    #[test]
    fn a_scope_is_told_line_by_line_and_an_empty_one_not_at_all() {
        assert_eq!(Refined::default().told(), None);
        let refined = Refined {
            search_terms: vec!["legal AI".into(), "contract\n## review".into()],
            geographical_scope: "Texas".into(),
            answers: vec![Answered {
                gate: "q1".into(),
                question: "Who buys?".into(),
                answer: "Law firms\n- Where: Mars".into(),
            }],
            ..Refined::default()
        };
        assert_eq!(
            refined.told().unwrap(),
            "- Who buys?: Law firms - Where: Mars\n- Where: Texas\n- What to search for: legal AI; contract ## review"
        );
    }
}
