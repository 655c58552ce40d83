//! What a run of the method may cost.

use run::Agent;

use super::Rules;
use super::replies::{COMPETITORS, CUSTOMERS, EDITOR, MARKET_SIZING, STRATEGY};
use crate::Calls;

/// Tokens of a section as later agents are shown it.
const SECTION_TOKENS: u32 = 900;
const BYTES_PER_TOKEN: usize = 4;

/// Returns the most bytes that a usual prompt of the editor has.
pub(super) fn editor_bytes(rules: &Rules, question: &str) -> usize {
    let sections = 4 * SECTION_TOKENS.max(rules.most_claims * 40) as usize;
    EDITOR.text.len() + question.len() + sections * BYTES_PER_TOKEN
}

/// Returns whom the method calls, and how often at most.
pub fn calls(rules: &Rules, question: &str) -> Vec<Calls> {
    /// A call, its repair, and the whole once more; and all that again where something did not hold.
    const TRIES: u32 = 2 * 3;
    let calls = |agent: Agent, evidence_tokens: u32, reply_tokens: u32| Calls {
        agent,
        prompt_bytes: agent.text.len()
            + question.len()
            + evidence_tokens as usize * BYTES_PER_TOKEN,
        evidence_tokens,
        reply_tokens,
        usual: 1,
        most: TRIES,
    };
    let evidence = rules.context_tokens;
    vec![
        calls(MARKET_SIZING, evidence, 1500),
        calls(COMPETITORS, evidence + SECTION_TOKENS, 1500),
        calls(CUSTOMERS, evidence + 2 * SECTION_TOKENS, 1200),
        calls(STRATEGY, evidence + 3 * SECTION_TOKENS, 1200),
        calls(EDITOR, 4 * SECTION_TOKENS, 600),
    ]
}
