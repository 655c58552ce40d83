//! What an evaluation does where the command line says nothing of it.

use run::budget::Budget;
use serde::Deserialize;

use super::BudgetConfig;

/// Cases that are worked on at the same time, at most.
const MOST_CONCURRENCY: u32 = 64;
/// More rounds than this would cost more than they tell.
const MOST_ROUNDS: u32 = 5;

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct EvalConfig {
    pub(crate) concurrency: u32,
    pub(crate) judge_rounds: u32,
    /// Empty means the model that is evaluated.
    pub(crate) judge_model: String,
    pub(crate) max_cost_usd: f64,
    pub(crate) max_tokens: u64,
    /// Empty means that nothing is mirrored.
    pub(crate) mlflow: String,
}

impl EvalConfig {
    /// Returns what an evaluation may cost, the judge included.
    pub(crate) fn caps(&self) -> Budget {
        let (max_tokens, max_cost_usd) = (self.max_tokens, self.max_cost_usd);
        BudgetConfig { max_tokens, max_cost_usd, ..BudgetConfig::default() }.budget()
    }

    /// Returns the first key that cannot be used, and what it must be.
    pub(super) fn wrong(&self) -> Option<(&'static str, String)> {
        if !(1..=MOST_CONCURRENCY).contains(&self.concurrency) {
            return Some(("concurrency", format!("1 to {MOST_CONCURRENCY}")));
        }
        if !(1..=MOST_ROUNDS).contains(&self.judge_rounds) {
            return Some(("judge_rounds", format!("1 to {MOST_ROUNDS}")));
        }
        let cost = self.max_cost_usd;
        let fine = cost.is_finite() && cost >= 0.0;
        (!fine).then(|| ("max_cost_usd", "0 or an amount in US dollars".to_owned()))
    }
}
