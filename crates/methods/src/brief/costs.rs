//! The cost limits of a brief.

use run::Agent;

use super::options::{Rules, Way};
use super::replies::{EXPLORE_CRITIC, EXPLORE_WORKER, FEEDBACK_CRITIC, REFINE_CRITIC, SYNTHESIZER};
use crate::Calls;
use crate::grounded::reader_calls;

const BYTES_PER_TOKEN: usize = 4;
/// Tokens of the studies, their segments and the questions found, as shown to the worker.
const STUDIES_TOKENS: u32 = 1_500;
/// Tokens of an analysis with its statements, and of a finding with the statements that it cites.
const ANALYSIS_TOKENS: u32 = 1_000;
const FINDING_TOKENS: u32 = 200;

/// Tokens of a typical report of the worker, and of a typical draft.
pub(super) const REPORT_REPLY: u32 = 700;
pub(super) const DRAFT_REPLY: u32 = 900;

/// Returns the maximum bytes of a typical synthesizer prompt, given `told` bytes of findings and `to_come` rounds.
pub(super) fn synthesizer_bytes(rules: &Rules, question: &str, told: usize, to_come: u32) -> usize {
    let tokens = bank(rules, to_come) as usize;
    SYNTHESIZER.text.len() + question.len() + told + tokens * BYTES_PER_TOKEN
}

fn bank(rules: &Rules, rounds: u32) -> u32 {
    rounds * rules.most_findings * FINDING_TOKENS
}

/// Returns the agents that the method calls, with the maximum number of calls of each.
pub fn calls(rules: &Rules, way: Way, question: &str) -> Vec<Calls> {
    /// A call, its repair, and one complete retry.
    const TRIES: u32 = 3;
    let calls =
        |agent: Agent, evidence_tokens: u32, reply_tokens: u32, usual: u32, most: u32| Calls {
            agent,
            prompt_bytes: agent.text.len()
                + question.len()
                + evidence_tokens as usize * BYTES_PER_TOKEN,
            evidence_tokens,
            reply_tokens,
            usual,
            most: TRIES * most,
        };
    let rounds = match way {
        Way::Pipeline => rules.max_explore_iters,
        Way::Simple => rules.max_iterations,
    };
    let found = bank(rules, rounds);
    let analyses = rules.tool_rounds * rules.tool_calls * ANALYSIS_TOKENS;
    // Rounds of tools, the report, and a second report if something did not hold.
    let each = rules.tool_rounds + 2;
    let worker =
        calls(EXPLORE_WORKER, STUDIES_TOKENS + found + analyses, 1_200, 2 * rounds, each * rounds);
    let read = rounds * REPORT_REPLY + DRAFT_REPLY;
    let reports = reader_calls(REPORT_REPLY, REPORT_REPLY, TRIES * rounds);
    match way {
        Way::Simple => vec![worker, calls(FEEDBACK_CRITIC, found, 300, rounds, rounds), reports],
        Way::Pipeline => vec![
            worker,
            calls(EXPLORE_CRITIC, found, 400, rounds, rounds),
            calls(SYNTHESIZER, found, 1_500, 1, rules.max_refine_iters),
            calls(REFINE_CRITIC, 2 * found, 400, 1, rules.max_refine_iters),
            reader_calls(read, read, TRIES * rules.max_refine_iters),
        ],
    }
}
