//! What a run may spend, and the reservation that enforces the cap.
//!
//! Before a call the most that it can spend is reserved: a bound for the tokens of its prompt ([`crate::tokens`]) and its longest
//! reply. If that is not free, a shorter reply is requested; if not even a usual one is free, the call is refused. When the call
//! returns, the provider's own count settles it. The share of the synthesis is held back from everything before it, as long as the
//! rest can still pay for it, so that a run that meets its cap still delivers.

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
    /// Price of input tokens read from the provider's cache; the price of `input` if absent.
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

    /// Returns the spend of a prompt and a reply of these lengths.
    pub fn of(prompt_tokens: u64, reply_tokens: u32, price: Option<Price>) -> Spend {
        let usage = Usage {
            input_tokens: prompt_tokens,
            cached_tokens: 0,
            output_tokens: reply_tokens.into(),
        };
        Spend {
            tokens: usage.total(),
            cost_usd_micros: price.map_or(0, |price| price.cost_usd_micros(usage)),
        }
    }
}

/// The bounds of what a call may spend: the most tokens of its prompt, and the longest reply.
#[derive(Debug, Clone, Copy, Default)]
pub struct Need {
    pub prompt_tokens: u64,
    /// The longest reply that the agent may give.
    pub reply_tokens: u32,
    pub price: Option<Price>,
}

impl Need {
    /// A reply is hardly ever longer than the longest one divided by this.
    const USUAL_PART: u32 = 3;

    /// Returns the most that the call can spend.
    pub fn most(&self) -> Spend {
        Spend::of(self.prompt_tokens, self.reply_tokens, self.price)
    }

    /// Returns the most that the call spends on a reply of usual length.
    pub fn usual(&self) -> Spend {
        Spend::of(self.prompt_tokens, self.usual_reply(), self.price)
    }

    fn usual_reply(&self) -> u32 {
        self.reply_tokens.div_ceil(Need::USUAL_PART)
    }
}

/// What a granted call may spend.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Granted {
    pub spend: Spend,
    /// The maximum length of its reply.
    pub reply_tokens: u32,
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
    #[error("the limit of {cap} steps is reached")]
    Steps { cap: u64 },
    #[error("the limit of {cap} questions is reached")]
    Questions { cap: u64 },
    #[error(
        "the next call may need {needed} tokens, and only {left} of {cap} are free; the rest is used, reserved, or kept for \
         the last call"
    )]
    Tokens { cap: u64, needed: u64, left: u64 },
    #[error("the next call may cost ${:.6}, and only ${:.6} of ${:.6} are free; the rest is used, reserved, or kept for the \
             last call", dollars(*needed), dollars(*left), dollars(*cap))]
    Cost { cap: u64, needed: u64, left: u64 },
    #[error("the limit of {cap} s of working time is reached")]
    WallTime { cap: u64 },
}

/// Converts millionths of a US dollar to dollars.
pub fn dollars(micros: u64) -> f64 {
    micros as f64 / 1e6
}

/// What a run has spent, reserved and held back.
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
    pub steps: u64,
}

/// Whether a call may use what is held back for its agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Share {
    Ordinary,
    /// The synthesis or a part of it, which may use what is held back for this agent.
    Synthesis(&'static str),
}

/// What is free for a call.
#[derive(Debug, Clone, Copy)]
struct Free {
    tokens: u64,
    cost_usd_micros: u64,
}

impl Account {
    /// Reserves what a call may spend, with a shorter reply if the longest is not free, or returns the cap that forbids it.
    ///
    /// `None`: ask again when a call under way has returned, as only then its real spend is known.
    pub fn reserve(
        &mut self,
        caps: &Budget,
        need: &Need,
        share: Share,
    ) -> Result<Option<Granted>, CapMet> {
        let most = Granted { spend: need.most(), reply_tokens: need.reply_tokens };
        let free = self.free(caps, share, self.reserved)?;
        let later = self.free(caps, share, Spend::default())?;
        let granted = if free.holds(most.spend) {
            most
        } else if later.holds(most.spend) {
            return Ok(None);
        } else if let Some(shorter) = free.shorter(need) {
            shorter
        } else if later.holds(need.usual()) {
            return Ok(None);
        } else {
            return Err(free.refuses(caps, need.usual()));
        };
        self.reserved = self.reserved + granted.spend;
        self.steps += 1;
        Ok(Some(granted))
    }

    fn free(&self, caps: &Budget, share: Share, reserved: Spend) -> Result<Free, CapMet> {
        let of_others = self.held_back.iter().filter(|(agent, _)| share != Share::Synthesis(agent));
        let held_back = of_others.fold(HeldBack::default(), |sum, (_, part)| HeldBack {
            spend: sum.spend + part.spend,
            steps: sum.steps + part.steps,
        });
        if let Some(cap) = caps.max_steps
            && self.steps + held_back.steps >= cap
        {
            return Err(CapMet::Steps { cap });
        }
        // A share that can no longer be paid for is not held back.
        let free = |cap: Option<u64>, spent: u64, reserved: u64, held_back: u64| {
            let left = cap.unwrap_or(u64::MAX).saturating_sub(spent);
            let held_back = if held_back > left { 0 } else { held_back };
            left.saturating_sub(reserved).saturating_sub(held_back)
        };
        let (spent, held_back) = (self.spent, held_back.spend);
        Ok(Free {
            tokens: free(caps.max_tokens, spent.tokens, reserved.tokens, held_back.tokens),
            cost_usd_micros: free(
                caps.max_cost_usd_micros,
                spent.cost_usd_micros,
                reserved.cost_usd_micros,
                held_back.cost_usd_micros,
            ),
        })
    }

    /// Replaces a reservation with what the call really spent.
    pub fn settle(&mut self, reserved: Spend, spent: Spend) {
        self.reserved = self.reserved - reserved;
        self.spent = self.spent + spent;
    }

    /// Counts one more question to a person, or returns the cap that forbids it.
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

impl Free {
    fn holds(self, spend: Spend) -> bool {
        spend.tokens <= self.tokens && spend.cost_usd_micros <= self.cost_usd_micros
    }

    /// Returns the longest free reply of at least usual length.
    fn shorter(self, need: &Need) -> Option<Granted> {
        let granted = |reply_tokens| Granted {
            spend: Spend::of(need.prompt_tokens, reply_tokens, need.price),
            reply_tokens,
        };
        let (mut fits, mut beyond) = (need.usual_reply(), need.reply_tokens);
        if !self.holds(granted(fits).spend) {
            return None;
        }
        // The cost of a reply grows with its length.
        while beyond - fits > 1 {
            let between = fits + (beyond - fits) / 2;
            if self.holds(granted(between).spend) {
                fits = between;
            } else {
                beyond = between;
            }
        }
        Some(granted(fits))
    }

    /// Returns the cap that `spend` exceeds.
    fn refuses(self, caps: &Budget, spend: Spend) -> CapMet {
        match caps.max_tokens {
            Some(cap) if spend.tokens > self.tokens => {
                CapMet::Tokens { cap, needed: spend.tokens, left: self.tokens }
            }
            _ => CapMet::Cost {
                cap: caps.max_cost_usd_micros.unwrap_or_default(),
                needed: spend.cost_usd_micros,
                left: self.cost_usd_micros,
            },
        }
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

    const UP_TO_1000: Budget = Budget {
        max_tokens: Some(1_000),
        max_steps: None,
        max_questions: None,
        max_cost_usd_micros: None,
        max_wall_seconds: None,
    };

    fn need(prompt_tokens: u64, reply_tokens: u32) -> Need {
        Need { prompt_tokens, reply_tokens, price: Some(PRICE) }
    }

    // proves: C6, C16
    #[test]
    fn nothing_is_spent_that_was_not_reserved_first() {
        let mut account = Account::default();
        let worst = need(500, 100);
        let granted = account.reserve(&UP_TO_1000, &worst, Share::Ordinary).unwrap().unwrap();
        assert_eq!(granted, Granted { spend: worst.most(), reply_tokens: 100 });
        // A call under way may spend less than it reserved.
        assert_eq!(account.reserve(&UP_TO_1000, &worst, Share::Ordinary), Ok(None));
        account.settle(granted.spend, Spend { tokens: 90, cost_usd_micros: 200 });
        let granted = account.reserve(&UP_TO_1000, &worst, Share::Ordinary).unwrap().unwrap();
        account.settle(granted.spend, granted.spend);
        let refused = account.reserve(&UP_TO_1000, &worst, Share::Ordinary).unwrap_err();
        assert_eq!(refused, CapMet::Tokens { cap: 1_000, needed: 534, left: 310 });
    }

    // proves: C16
    #[test]
    fn where_the_longest_reply_is_not_free_one_of_usual_length_is_asked_for() {
        let mut account = Account::default();
        let granted = account.reserve(&UP_TO_1000, &need(500, 900), Share::Ordinary).unwrap();
        let shorter = Granted { spend: need(500, 500).most(), reply_tokens: 500 };
        assert_eq!(granted, Some(shorter));

        let dear = Budget { max_cost_usd_micros: Some(4_000), ..Budget::default() };
        let granted = Account::default().reserve(&dear, &need(500, 900), Share::Ordinary);
        let granted = granted.unwrap().unwrap();
        assert_eq!(granted.reply_tokens, (4_000 - 500 * 2) / 8);
        assert!(granted.spend.cost_usd_micros <= 4_000);

        let refused = Account::default().reserve(&UP_TO_1000, &need(800, 900), Share::Ordinary);
        assert_eq!(refused, Err(CapMet::Tokens { cap: 1_000, needed: 1_100, left: 1_000 }));
    }

    fn held_back(tokens: u64) -> HeldBack {
        HeldBack { spend: Spend { tokens, cost_usd_micros: 0 }, steps: 1 }
    }

    // proves: C16
    #[test]
    fn the_share_of_the_synthesis_is_there_when_the_cap_is_met() {
        let caps = Budget { max_steps: Some(3), ..UP_TO_1000 };
        let mut account = Account::default();
        account.held_back.insert("writer", held_back(600));
        let search = need(270, 30);
        let granted = account.reserve(&caps, &search, Share::Ordinary).unwrap().unwrap();
        account.settle(granted.spend, granted.spend);
        assert!(account.reserve(&caps, &search, Share::Ordinary).is_err());
        let synthesis = account.reserve(&caps, &need(500, 100), Share::Synthesis("writer"));
        assert!(synthesis.unwrap().is_some());
    }

    // proves: C16
    #[test]
    fn what_is_held_back_for_one_agent_is_not_there_for_another() {
        let mut account = Account::default();
        account.held_back.insert("writer", held_back(600));
        account.held_back.insert("reader", held_back(400));
        let all = |tokens: u64| need(tokens - 1, 1);
        assert!(account.reserve(&UP_TO_1000, &all(601), Share::Synthesis("writer")).is_err());
        let writer = account.reserve(&UP_TO_1000, &all(600), Share::Synthesis("writer"));
        account.settle(writer.unwrap().unwrap().spend, Spend { tokens: 600, cost_usd_micros: 0 });
        account.held_back.remove("writer");
        assert!(account.reserve(&UP_TO_1000, &all(400), Share::Synthesis("reader")).is_ok());
    }

    // proves: C16
    #[test]
    fn nothing_is_held_back_for_a_synthesis_that_cannot_be_paid_for() {
        let mut account = Account::default();
        account.held_back.insert("writer", held_back(1_001));
        assert!(account.reserve(&UP_TO_1000, &need(100, 100), Share::Ordinary).is_ok());
    }

    proptest::proptest! {
        // proves: C6, C16
        #[test]
        fn whatever_is_asked_for_no_more_is_granted_than_the_caps_allow(
            tokens in 0u64..5_000,
            cost in 0u64..5_000,
            needs in proptest::collection::vec((0u64..2_000, 0u32..2_000, proptest::bool::ANY), 0..12),
        ) {
            let caps = Budget { max_tokens: Some(tokens), max_cost_usd_micros: Some(cost), ..Budget::default() };
            let mut account = Account::default();
            account.held_back.insert("writer", held_back(700));
            for (prompt_tokens, reply_tokens, comes_back) in needs {
                if let Ok(Some(granted)) = account.reserve(&caps, &need(prompt_tokens, reply_tokens), Share::Ordinary) {
                    proptest::prop_assert!(granted.reply_tokens <= reply_tokens);
                    if comes_back {
                        account.settle(granted.spend, granted.spend);
                    }
                }
                let taken = account.spent + account.reserved;
                proptest::prop_assert!(taken.tokens <= tokens && taken.cost_usd_micros <= cost);
            }
        }
    }
}
