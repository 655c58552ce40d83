//! Decides when a person is asked, and what is assumed if not.
//!
//! An agent that has read the evidence judges whether the answer depends on a question. It may say yes or no, and how to read the question
//! otherwise; the words of the question to the person are the planner's, which has read nothing.

use futures::future::join_all;
use run::evidence::{EvidenceKind, Passage};
use run::{Agent, Ask, Reply, Result, Stop};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Inquiry;
use super::board::{Board, State};
use super::graph::Task;
use crate::grounded::docket::plain as line;

pub(super) const DIALOGUE: Agent = Agent {
    name: "dialogue_manager",
    prompt: "ask/dialogue_manager",
    text: include_str!("../../../prompts/ask/dialogue_manager.md"),
};

/// What hangs on a question to the reader.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Assessment {
    /// How the question is read where the reader is not asked: one full sentence.
    #[serde(default)]
    pub assumption: String,
    /// Whether no useful answer can be written before the reader has said it.
    pub blocks: bool,
}

impl Reply for Assessment {}

/// The outcome of a question: answered, or assumed.
pub(super) struct Settled {
    pub(super) state: State,
    /// The person's answer, as evidence.
    pub(super) said: Option<Passage>,
}

impl Inquiry<'_> {
    /// Settles questions to the user. Asks those that the answer depends on, all at once and at most `left`; for the others, states what is
    /// assumed.
    pub(super) async fn settled(
        &self,
        tasks: &[&Task],
        board: &Board,
        mut left: u32,
    ) -> Result<Vec<Settled>> {
        // If nothing more can be asked, there is no need to judge whether it should be.
        let assessed = join_all(tasks.iter().map(async |task| match left {
            0 => Ok(Assessment { blocks: true, assumption: line(&task.inputs.assumption) }),
            _ => self.assessed(task, board).await,
        }))
        .await;
        let mut settled = Vec::new();
        let mut waiting = None;
        for (task, assessment) in tasks.iter().zip(assessed) {
            let Assessment { blocks, assumption } = assessment?;
            let assumed = |why: &str, asked: bool| {
                let (assumption, why) = (assumption.clone(), why.to_owned());
                Settled { state: State::Assumed { assumption, why, asked }, said: None }
            };
            if !blocks {
                settled.push(assumed("the answer does not depend on it", false));
                continue;
            }
            if left == 0 {
                settled.push(assumed("the limit on questions is reached", false));
                continue;
            }
            left -= 1;
            let ask = asked(task, board);
            match self.run.ask(&task.id, ask.clone()).await {
                Ok(answer) if answer.trim().is_empty() => {
                    settled.push(assumed("the question was skipped", true));
                }
                Ok(answer) => settled.push(Settled {
                    said: Some(Passage::whole(
                        EvidenceKind::User,
                        &task.id,
                        ask.question,
                        answer.clone(),
                    )),
                    state: State::Answered { answer },
                }),
                Err(stop @ Stop::Waiting { .. }) => waiting = Some(stop),
                Err(Stop::Budget { cap, .. }) => settled.push(assumed(&cap.to_string(), false)),
                Err(stop) => return Err(stop),
            }
        }
        waiting.map_or(Ok(settled), Err)
    }

    /// Has the dialogue manager judge whether the answer depends on what a task would ask.
    async fn assessed(&self, task: &Task, board: &Board) -> Result<Assessment> {
        let by_rule = || Assessment {
            blocks: board.is_ambiguous(),
            assumption: task.inputs.assumption.clone(),
        };
        let assessed = self
            .run
            .scope(&task.id)
            .agent(&DIALOGUE)
            .given("Question", self.question)
            .given("What the reader would be asked", &task.inputs.question)
            .given("What would be assumed instead", &task.inputs.assumption)
            .citing(&board.evidence)
            .offline(by_rule)
            .reply::<Assessment>()
            .await;
        let mut assessment = match assessed {
            Ok(assessment) => assessment,
            Err(stop @ (Stop::Budget { .. } | Stop::Stage { .. })) => {
                self.run.warn(format!("no model judged whether to ask you: {stop}"));
                by_rule()
            }
            Err(stop) => return Err(stop),
        };
        assessment.assumption = line(&assessment.assumption);
        if assessment.assumption.is_empty() {
            assessment.assumption = line(&task.inputs.assumption);
        }
        Ok(assessment)
    }
}

/// Returns the question to a person, in the planner's words, with the companies that the evidence is about if there are several.
fn asked(task: &Task, board: &Board) -> Ask {
    let companies: Vec<String> = board.companies().iter().map(|name| line(name)).collect();
    let question = line(&task.inputs.question);
    if companies.is_empty() {
        return Ask { question, context: "The answer depends on it.".into(), plan: None };
    }
    let context = format!("The sources differ between {}.", companies.join(" and "));
    Ask { question: format!("{question} ({})", companies.join(", ")), context, plan: None }
}
