//! The cost limits of the method.

use run::Agent;

use super::Rules;
use super::replies::{COMPETITORS, CUSTOMERS, EDITOR, MARKET_SIZING, STRATEGY};
use crate::Calls;
use crate::grounded::reader_calls;

/// Tokens of a section as shown to later agents.
const SECTION_TOKENS: u32 = 1300;
const BYTES_PER_TOKEN: usize = 4;

/// Tokens of a typical reply of a section's agent, and of the editor.
pub(super) const SECTION_REPLY: u32 = 2200;
pub(super) const SUMMARY_REPLY: u32 = 600;

/// Returns the maximum bytes of a typical editor prompt, given `told` bytes of sections with `to_come` more to be written.
pub(super) fn editor_bytes(rules: &Rules, question: &str, told: usize, to_come: usize) -> usize {
    let section = SECTION_TOKENS.max(rules.most_claims * 40) as usize * BYTES_PER_TOKEN;
    EDITOR.text.len() + question.len() + told + to_come * section
}

/// Returns the agents that the method calls, with the maximum number of calls of each.
pub fn calls(rules: &Rules, question: &str) -> Vec<Calls> {
    /// A call, its repair, and one complete retry; all of it twice if something did not hold.
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
    let read = 4 * SECTION_REPLY + SUMMARY_REPLY;
    vec![
        calls(MARKET_SIZING, evidence, SECTION_REPLY),
        calls(COMPETITORS, evidence + SECTION_TOKENS, SECTION_REPLY),
        calls(CUSTOMERS, evidence + 2 * SECTION_TOKENS, SECTION_REPLY),
        calls(STRATEGY, evidence + 3 * SECTION_TOKENS, SECTION_REPLY),
        calls(EDITOR, 4 * SECTION_TOKENS, SUMMARY_REPLY),
        reader_calls(2 * read, read, TRIES),
    ]
}
