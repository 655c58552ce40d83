//! What a run may spend, and the reservation that makes the cap hold.
//!
//! Before a call its worst case is reserved: the bytes of the prompt bound its tokens (a token is at
//! least one byte), the reply is bounded by `max_tokens`. When the call returns, the provider's own
//! count settles it. The share of the synthesis is held back from everything before it, so that a
//! run that meets its cap still delivers.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// Tokens as the provider counted them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Usage {
    pub input_tokens: u64,
    /// The part of `input_tokens` that the provider read from its cache.
    pub cached_tokens: u64,
    pub output_tokens: u64,
}

impl Usage {
    pub fn total(self) -> u64 {
        self.input_tokens + self.output_tokens
    }
}

impl std::ops::AddAssign for Usage {
    fn add_assign(&mut self, other: Usage) {
        self.input_tokens += other.input_tokens;
        self.cached_tokens += other.cached_tokens;
        self.output_tokens += other.output_tokens;
    }
}

/// US dollars per million tokens.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Price {
    pub input: f64,
    /// Input tokens read from the provider's cache; the price of `input` where absent.
    #[serde(default)]
    pub cached_input: Option<f64>,
    pub output: f64,
}

impl Price {
    /// Returns the cost of `usage` in millionths of a US dollar, rounded up.
    ///
    /// A dollar per million tokens is a micro-dollar per token.
    pub fn cost_usd_micros(&self, usage: Usage) -> u64 {
        let cached = usage.cached_tokens.min(usage.input_tokens);
        let fresh = usage.input_tokens - cached;
        let micros = fresh as f64 * self.input
            + cached as f64 * self.cached_input.unwrap_or(self.input)
            + usage.output_tokens as f64 * self.output;
        micros.ceil() as u64
    }
}

/// Tokens and money, spent or reserved.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Spend {
    pub tokens: u64,
    pub cost_usd_micros: u64,
}

impl Spend {
    pub fn is_zero(&self) -> bool {
        *self == Spend::default()
    }

    /// Returns the most that a call can spend: every byte of the prompt a token, the whole reply used.
    pub fn worst_case(prompt_bytes: usize, max_tokens: u32, price: Option<Price>) -> Spend {
        let usage = Usage {
            input_tokens: prompt_bytes as u64,
            cached_tokens: 0,
            output_tokens: max_tokens.into(),
        };
        Spend {
            tokens: usage.total(),
            cost_usd_micros: price.map_or(0, |price| price.cost_usd_micros(usage)),
        }
    }
}

impl std::ops::Add for Spend {
    type Output = Spend;

    fn add(self, other: Spend) -> Spend {
        Spend {
            tokens: self.tokens.saturating_add(other.tokens),
            cost_usd_micros: self.cost_usd_micros.saturating_add(other.cost_usd_micros),
        }
    }
}

impl std::ops::Sub for Spend {
    type Output = Spend;

    fn sub(self, other: Spend) -> Spend {
        Spend {
            tokens: self.tokens.saturating_sub(other.tokens),
            cost_usd_micros: self.cost_usd_micros.saturating_sub(other.cost_usd_micros),
        }
    }
}

/// The caps of a run; `None` is no cap.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Budget {
    /// Steps: model calls, retrievals and extractive replies.
    pub max_steps: Option<u64>,
    /// Questions put to a person.
    pub max_questions: Option<u64>,
    pub max_tokens: Option<u64>,
    pub max_cost_usd_micros: Option<u64>,
    /// Time at work; waiting for a person does not count.
    pub max_wall_seconds: Option<u64>,
}

/// The cap that was met.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error, Serialize, Deserialize)]
#[serde(tag = "met", rename_all = "snake_case")]
pub enum CapMet {
    #[error("the cap of {cap} steps is met")]
    Steps { cap: u64 },
    #[error("the cap of {cap} questions is met")]
    Questions { cap: u64 },
    #[error(
        "the next call may need {needed} tokens, and {left} of {cap} are free: the rest is used, reserved, or held back for the last call"
    )]
    Tokens { cap: u64, needed: u64, left: u64 },
    #[error("the next call may cost ${:.6}, and ${:.6} of ${:.6} are free: the rest is used, reserved, or held back for the last call", dollars(*needed), dollars(*left), dollars(*cap))]
    Cost { cap: u64, needed: u64, left: u64 },
    #[error("the cap of {cap} s at work is met")]
    WallTime { cap: u64 },
}

/// Returns millionths of a US dollar as dollars.
pub fn dollars(micros: u64) -> f64 {
    micros as f64 / 1e6
}

/// What a run has spent, has reserved and holds back.
#[derive(Debug, Clone, Default)]
pub struct Account {
    pub spent: Spend,
    pub reserved: Spend,
    /// By the agent that it is held back for.
    pub held_back: BTreeMap<&'static str, HeldBack>,
    pub steps: u64,
    pub questions: u64,
}

/// What is held back for an agent's calls at the end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct HeldBack {
    pub spend: Spend,
    pub calls: u64,
}

/// Whether a call may use what is held back for its agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Share {
    Ordinary,
    /// It is the synthesis, or a part of it: what is held back for this agent is there for it.
    Synthesis(&'static str),
}

impl Account {
    /// Reserves `worst`, or tells which cap forbids it.
    pub fn reserve(&mut self, caps: &Budget, worst: Spend, share: Share) -> Result<(), CapMet> {
        self.allow(caps, worst, share, self.reserved)?;
        self.reserved = self.reserved + worst;
        self.steps += 1;
        Ok(())
    }

    /// Tells whether `worst` may be allowed when calls that are under way have come back: whether only what is reserved for them stands
    /// against it.
    pub fn may_fit_later(&self, caps: &Budget, worst: Spend, share: Share) -> bool {
        !self.reserved.is_zero() && self.allow(caps, worst, share, Spend::default()).is_ok()
    }

    fn allow(
        &self,
        caps: &Budget,
        worst: Spend,
        share: Share,
        reserved: Spend,
    ) -> Result<(), CapMet> {
        let of_others = self.held_back.iter().filter(|(agent, _)| share != Share::Synthesis(agent));
        let held_back = of_others.fold(HeldBack::default(), |sum, (_, part)| HeldBack {
            spend: sum.spend + part.spend,
            calls: sum.calls + part.calls,
        });
        if let Some(cap) = caps.max_steps
            && self.steps + held_back.calls >= cap
        {
            return Err(CapMet::Steps { cap });
        }
        let taken = self.spent + reserved + held_back.spend;
        if let Some(cap) = caps.max_tokens {
            let left = cap.saturating_sub(taken.tokens);
            if worst.tokens > left {
                return Err(CapMet::Tokens { cap, needed: worst.tokens, left });
            }
        }
        if let Some(cap) = caps.max_cost_usd_micros {
            let left = cap.saturating_sub(taken.cost_usd_micros);
            if worst.cost_usd_micros > left {
                return Err(CapMet::Cost { cap, needed: worst.cost_usd_micros, left });
            }
        }
        Ok(())
    }

    /// Turns a reservation into what the call really spent.
    pub fn settle(&mut self, reserved: Spend, spent: Spend) {
        self.reserved = self.reserved - reserved;
        self.spent = self.spent + spent;
    }

    /// Counts one more question to a person, or tells that the cap forbids it.
    pub fn ask(&mut self, caps: &Budget) -> Result<(), CapMet> {
        if let Some(cap) = caps.max_questions
            && self.questions >= cap
        {
            return Err(CapMet::Questions { cap });
        }
        self.questions += 1;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PRICE: Price = Price { input: 2.0, cached_input: Some(0.5), output: 8.0 };

    // proves: C6
    #[test]
    fn cached_tokens_cost_what_the_table_says() {
        let usage = Usage { input_tokens: 1_000, cached_tokens: 400, output_tokens: 100 };
        assert_eq!(PRICE.cost_usd_micros(usage), 600 * 2 + 200 + 800);
    }

    // proves: C6, C16
    #[test]
    fn nothing_is_spent_that_was_not_reserved_first() {
        let caps = Budget { max_tokens: Some(1_000), ..Budget::default() };
        let mut account = Account::default();
        let worst = Spend::worst_case(500, 100, Some(PRICE));
        account.reserve(&caps, worst, Share::Ordinary).unwrap();
        let refused = account.reserve(&caps, worst, Share::Ordinary).unwrap_err();
        assert_eq!(refused, CapMet::Tokens { cap: 1_000, needed: 600, left: 400 });
        assert!(account.may_fit_later(&caps, worst, Share::Ordinary));
        account.settle(worst, Spend { tokens: 90, cost_usd_micros: 200 });
        account.reserve(&caps, worst, Share::Ordinary).unwrap();
        account.settle(worst, worst);
        assert!(!account.may_fit_later(&caps, worst, Share::Ordinary));
    }

    // proves: C16
    #[test]
    fn the_share_of_the_synthesis_is_there_when_the_cap_is_met() {
        let caps =
            Budget { max_cost_usd_micros: Some(10_000), max_steps: Some(3), ..Budget::default() };
        let synthesis = Spend { tokens: 500, cost_usd_micros: 6_000 };
        let mut account = Account::default();
        account.held_back.insert("writer", HeldBack { spend: synthesis, calls: 1 });
        let search = Spend { tokens: 100, cost_usd_micros: 3_000 };
        account.reserve(&caps, search, Share::Ordinary).unwrap();
        assert!(account.reserve(&caps, search, Share::Ordinary).is_err());
        account.reserve(&caps, synthesis, Share::Synthesis("writer")).unwrap();
    }

    // proves: C16
    #[test]
    fn what_is_held_back_for_one_agent_is_not_there_for_another() {
        let caps = Budget { max_tokens: Some(1_000), ..Budget::default() };
        let mut account = Account::default();
        let part = |tokens| HeldBack { spend: Spend { tokens, cost_usd_micros: 0 }, calls: 1 };
        account.held_back.insert("writer", part(600));
        account.held_back.insert("reader", part(400));
        let worst = |tokens| Spend { tokens, cost_usd_micros: 0 };
        assert!(account.reserve(&caps, worst(601), Share::Synthesis("writer")).is_err());
        account.reserve(&caps, worst(600), Share::Synthesis("writer")).unwrap();
        account.held_back.remove("writer");
        account.reserve(&caps, worst(400), Share::Synthesis("reader")).unwrap();
    }
}
