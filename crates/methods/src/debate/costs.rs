//! The cost limits of a debate.

use super::Rules;
use super::replies::{OPTIMIST, PESSIMIST};
use crate::Calls;
use crate::grounded::reader_calls;

const BYTES_PER_TOKEN: usize = 4;

/// Returns the tokens of a typical reply that the second reader checks.
pub(super) fn usual_reply(rules: &Rules) -> u32 {
    rules.max_new_tokens.div_ceil(3)
}

/// Returns the agents that the method calls, with the maximum number of calls of each.
pub fn calls(rules: &Rules, question: &str) -> Vec<Calls> {
    /// A call, its repair, and one complete retry; all of it twice if something did not hold.
    const TRIES: u32 = 2 * 3;
    /// Tokens of a reply besides the visible words: quotes and code.
    const BESIDE: u32 = 800;
    let reply_tokens = rules.max_new_tokens + BESIDE;
    // The last turn of both, with the code and its outcome, and the conversation before the debate.
    let evidence_tokens = rules.context_tokens + 2 * reply_tokens + rules.history_tokens;
    let read = 2 * rules.max_turns * rules.max_new_tokens;
    let mut calls = [OPTIMIST, PESSIMIST]
        .map(|agent| Calls {
            agent,
            prompt_bytes: agent.text.len()
                + question.len()
                + evidence_tokens as usize * BYTES_PER_TOKEN,
            evidence_tokens,
            reply_tokens,
            usual: rules.max_turns,
            most: TRIES * rules.max_turns,
        })
        .to_vec();
    calls.push(reader_calls(2 * read, read / 2, TRIES));
    calls
}
