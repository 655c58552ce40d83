//! A question that follows up on a conversation, worded so that it stands alone.
//!
//! Methods search and check with the question as it is worded, so "and in 2020?" must say first what it is about. The conversation itself
//! goes no further: what was answered before is no evidence.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use run::settings::Remark;
use run::{Agent, Reply, Result, Run, Stop};

use super::line;
use crate::Calls;

pub(super) const REWRITER: Agent = Agent {
    name: "rewriter",
    prompt: "workflow/rewriter",
    text: include_str!("../../prompts/workflow/rewriter.md"),
};

/// The most characters of a conversation that the agent is shown: its end.
const MOST_SHOWN: usize = 12_000;
/// The most characters of one remark that it is shown: its beginning.
const MOST_OF_ONE: usize = 3_000;

/// The question as the agent words it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Reworded {
    /// The latest message, with every reference to the conversation spelled out.
    pub question: String,
}

impl Reply for Reworded {
    fn check(&self) -> std::result::Result<(), String> {
        match self.question.trim().is_empty() {
            true => Err("`question` is empty".into()),
            false => Ok(()),
        }
    }
}

/// Returns the calls of the agent for a conversation; `None` if there is nothing to follow up on.
pub(super) fn calls(history: &[Remark], question: &str) -> Option<Calls> {
    /// A call, its repair, and one complete retry.
    const TRIES: u32 = 3;
    (!history.is_empty()).then(|| Calls {
        agent: REWRITER,
        prompt_bytes: REWRITER.text.len() + question.len() + tell(history).len(),
        evidence_tokens: 0,
        reply_tokens: 60,
        usual: 1,
        most: TRIES,
    })
}

/// Returns the run with its question worded so that it stands alone. Without a model, and if the agent fails, the question stays as it
/// is, and the result says so.
pub(super) async fn understand(run: &Run) -> Result<Run> {
    let history = run.settings().history();
    if history.is_empty() {
        return Ok(run.clone());
    }
    let own = || Reworded { question: run.question().to_owned() };
    let reworded = run
        .agent(&REWRITER)
        .given("Conversation before the message", tell(history))
        .given("Latest message", run.question())
        .offline(own)
        .reply::<Reworded>()
        .await;
    let unused = "the earlier conversation was not used, and the question was taken as it is";
    let question = match reworded {
        Ok(reworded) if run.mode() == run::Mode::Model => line(&reworded.question),
        Ok(_) => {
            run.warn(format!("{unused}: understanding a follow-up needs a model"));
            return Ok(run.clone());
        }
        Err(stop @ (Stop::Budget { .. } | Stop::Stage { .. })) => {
            run.warn(format!("{unused}: {stop}"));
            return Ok(run.clone());
        }
        Err(stop) => return Err(stop),
    };
    if question == line(run.question()) {
        return Ok(run.clone());
    }
    run.say(format!("understood as: {question}"));
    run.warn(format!("from the earlier conversation, the question was understood as: {question}"));
    Ok(run.asking(question))
}

/// Returns the end of a conversation as text, a remark each line.
fn tell(history: &[Remark]) -> String {
    let mut told = Vec::new();
    let mut room = MOST_SHOWN;
    for Remark { role, content } in history.iter().rev() {
        let [role, content] = [role, content].map(|text| run::grounding::clean(text));
        let content: String = content.split_whitespace().collect::<Vec<_>>().join(" ");
        let content: String = content.chars().take(MOST_OF_ONE).collect();
        let remark = format!("{}: {content}", run::ledger::one_line(&role));
        let Some(left) = room.checked_sub(remark.chars().count()) else { break };
        room = left;
        told.push(remark);
    }
    told.reverse();
    told.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    // proves: F4
    #[test]
    fn the_end_of_a_conversation_is_shown_a_line_each() {
        let remark =
            |role: &str, content: &str| Remark { role: role.into(), content: content.into() };
        let history =
            [remark("user", "Who was\nJohn Snow?"), remark("assistant", "A \u{1b}physician.")];
        assert_eq!(tell(&history), "user: Who was John Snow?\nassistant: A physician.");
        let long: Vec<Remark> = (0..9).map(|_| remark("user", &"ä".repeat(9_000))).collect();
        let shown = tell(&long);
        assert_eq!(shown.lines().count(), 3);
        assert!(shown.chars().count() <= MOST_SHOWN);
        assert_eq!(calls(&[], "q").is_none(), calls(&history, "q").is_some());
    }
}
