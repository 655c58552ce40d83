//! The cost limits of the method.

use run::Agent;

use super::Rules;
use super::replies::{
    CRITIC, HYPOTHESIS_GENERATOR, LITERATURE_SCOUT, PROBLEM_FRAMER, RANKER, SUMMA_COMPOSER,
};
use crate::Calls;
use crate::grounded::reader_calls;

/// Returns the maximum bytes of a typical composer prompt, given `evidence_bytes` of evidence.
pub(super) fn composer_bytes(rules: &Rules, question: &str, evidence_bytes: usize) -> usize {
    /// Bytes of a typical hypothesis with its objections.
    const BYTES_PER_HYPOTHESIS: usize = 2800;
    SUMMA_COMPOSER.text.len()
        + question.len()
        + evidence_bytes
        + rules.hypotheses as usize * BYTES_PER_HYPOTHESIS
}

/// Returns the maximum bytes of evidence that an agent is shown.
pub(super) fn evidence_bytes(rules: &Rules) -> usize {
    /// Bytes of a token of typical text.
    const BYTES_PER_TOKEN: usize = 4;
    rules.context_tokens as usize * BYTES_PER_TOKEN
}

/// Tokens of the cited statements in a typical reply, and of what the composer adds to them.
pub(super) const CITED_REPLY: u32 = 900;
pub(super) const COMPOSED_REPLY: u32 = 600;

/// Returns the agents that the method calls, with the maximum number of calls of each.
pub fn calls(rules: &Rules, question: &str) -> Vec<Calls> {
    /// A call, its repair, and one complete retry.
    const TRIES: u32 = 3;
    let evidence = rules.context_tokens;
    let whole = composer_bytes(rules, question, evidence_bytes(rules));
    let calls =
        |agent: Agent, evidence_tokens: u32, reply_tokens: u32, usual: u32, most: u32| Calls {
            agent,
            prompt_bytes: agent.text.len()
                + if evidence_tokens > 0 { whole } else { question.len() },
            evidence_tokens,
            reply_tokens,
            usual,
            most: most * TRIES,
        };
    let judged = 2 * rules.ranking.rounds.max(1);
    let described = rules.hypotheses * 700;
    vec![
        calls(PROBLEM_FRAMER, 0, 200, 1, 1),
        calls(LITERATURE_SCOUT, evidence, 800, 1, 1),
        calls(HYPOTHESIS_GENERATOR, evidence, 2500, 1, 2),
        calls(CRITIC, evidence + described, 2500, 1, 2),
        calls(RANKER, described, 1500, judged, judged),
        calls(SUMMA_COMPOSER, evidence + described, 1500, 1, 2),
        reader_calls(8 * CITED_REPLY, 4 * CITED_REPLY, TRIES),
    ]
}
