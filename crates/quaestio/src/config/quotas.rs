//! What a user of `quaestio serve` may use in a day.

use serde::Deserialize;
use server::Quotas;

/// 0 means no limit.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct QuotasConfig {
    pub(crate) runs_per_day: u64,
    pub(crate) tokens_per_day: u64,
    pub(crate) cost_usd_per_day: f64,
    pub(crate) bytes_per_day: u64,
}

impl QuotasConfig {
    /// Returns the first key that cannot be used, and what it must be.
    pub(super) fn wrong(&self) -> Option<(&'static str, String)> {
        let cost = self.cost_usd_per_day;
        (!cost.is_finite() || cost < 0.0)
            .then(|| ("cost_usd_per_day", "0 or an amount in US dollars".to_owned()))
    }

    /// Returns the quotas as the server takes them.
    pub(crate) fn quotas(&self) -> Quotas {
        let set = |limit: u64| (limit > 0).then_some(limit);
        let cost_usd_micros = (self.cost_usd_per_day * 1e6).ceil() as u64;
        Quotas {
            runs: set(self.runs_per_day),
            tokens: set(self.tokens_per_day),
            cost_usd_micros: set(cost_usd_micros),
            uploaded_bytes: set(self.bytes_per_day),
        }
    }
}
