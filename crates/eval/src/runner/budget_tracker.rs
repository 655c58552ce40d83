//! The budget of an evaluation: reserved before a run starts, settled when it ends.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use run::budget::{Budget, Spend};
use tokio::sync::Notify;

use super::Caps;

/// The caps of an evaluation and their remainders.
pub(super) struct BudgetTracker {
    caps: Caps,
    account: Mutex<Account>,
    freed: Notify,
}

#[derive(Default)]
struct Account {
    spent: Spend,
    reserved: Spend,
    /// The number of runs with a reservation.
    open: u32,
    /// Grants that were not enough, by purpose: with no more than that, nothing is started for it again.
    too_little: BTreeMap<String, Spend>,
}

/// The budget granted to a run.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Granted {
    pub(super) budget: Budget,
    /// Whether this is less than the run's configured budget.
    pub(super) lowered: bool,
    /// `None` if no model is paid.
    reserved: Option<Spend>,
}

impl Granted {
    /// Reserves nothing, for a run that pays no model.
    pub(super) fn whole(budget: Budget) -> Granted {
        Granted { budget, lowered: false, reserved: None }
    }
}

impl BudgetTracker {
    pub(super) fn new(caps: Caps, spent: Spend) -> BudgetTracker {
        let account = Mutex::new(Account { spent, ..Account::default() });
        BudgetTracker { caps, account, freed: Notify::new() }
    }

    fn account(&self) -> MutexGuard<'_, Account> {
        self.account.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn spent(&self) -> Spend {
        self.account().spent
    }

    /// Reserves a run's budget, or the remainder if that is less. Returns `None` if the remainder is less than a run needs.
    ///
    /// Waits while runs are in progress that may leave something over.
    pub(super) async fn grant(
        &self,
        purpose: &str,
        budget: Budget,
        needs: Spend,
    ) -> Option<Granted> {
        self.waiting(|left, account| {
            let most = Spend {
                tokens: budget.max_tokens.unwrap_or(u64::MAX),
                cost_usd_micros: budget.max_cost_usd_micros.unwrap_or(u64::MAX),
            };
            let granted = at_most(most, left);
            let enough = |granted: u64, needs: u64, most: u64| granted >= needs.min(most);
            let is_enough = enough(granted.tokens, needs.tokens, most.tokens)
                && enough(granted.cost_usd_micros, needs.cost_usd_micros, most.cost_usd_micros)
                && granted.tokens > 0
                && granted.cost_usd_micros > 0;
            let was_too_little = account.too_little.get(purpose).is_some_and(|before| {
                let no_more =
                    |granted: u64, before: u64, most: u64| granted <= before && granted < most;
                no_more(granted.tokens, before.tokens, most.tokens)
                    || no_more(
                        granted.cost_usd_micros,
                        before.cost_usd_micros,
                        most.cost_usd_micros,
                    )
            });
            (is_enough && !was_too_little).then(|| {
                let Caps { max_tokens, max_cost_usd_micros } = self.caps;
                let budget = Budget {
                    max_tokens: max_tokens.map_or(budget.max_tokens, |_| Some(granted.tokens)),
                    max_cost_usd_micros: max_cost_usd_micros
                        .map_or(budget.max_cost_usd_micros, |_| Some(granted.cost_usd_micros)),
                    ..budget
                };
                (budget, granted != most)
            })
        })
        .await
    }

    /// Reserves what a started run, perhaps with a lowered budget, may still spend. Returns `None` if less than that is left.
    pub(super) async fn grant_rest(
        &self,
        budget: Budget,
        spent: Spend,
        lowered: bool,
    ) -> Option<Granted> {
        self.waiting(|left, _| {
            let rest = |cap: Option<u64>, spent: u64| {
                cap.map_or(u64::MAX, |cap| cap.saturating_sub(spent))
            };
            let tokens = rest(budget.max_tokens, spent.tokens);
            let cost_usd_micros = rest(budget.max_cost_usd_micros, spent.cost_usd_micros);
            let fits = tokens <= left.tokens && cost_usd_micros <= left.cost_usd_micros;
            let rest = Budget {
                max_tokens: Some(tokens),
                max_cost_usd_micros: Some(cost_usd_micros),
                ..budget
            };
            fits.then_some((rest, lowered))
        })
        .await
    }

    /// Retries whenever a reservation is released, until no run is in progress.
    async fn waiting(
        &self,
        attempt: impl Fn(Spend, &Account) -> Option<(Budget, bool)>,
    ) -> Option<Granted> {
        loop {
            let freed = self.freed.notified();
            {
                let mut account = self.account();
                if let Some((budget, lowered)) = attempt(self.left(&account), &account) {
                    let reserved = Spend {
                        tokens: self.caps.max_tokens.and(budget.max_tokens).unwrap_or_default(),
                        cost_usd_micros: self
                            .caps
                            .max_cost_usd_micros
                            .and(budget.max_cost_usd_micros)
                            .unwrap_or_default(),
                    };
                    account.reserved = account.reserved + reserved;
                    account.open += 1;
                    return Some(Granted { budget, lowered, reserved: Some(reserved) });
                }
                if account.open == 0 {
                    return None;
                }
            }
            freed.await;
        }
    }

    /// Returns what is neither spent nor reserved; `u64::MAX` without a cap.
    fn left(&self, account: &Account) -> Spend {
        let taken = account.spent + account.reserved;
        let left =
            |cap: Option<u64>, taken: u64| cap.map_or(u64::MAX, |cap| cap.saturating_sub(taken));
        Spend {
            tokens: left(self.caps.max_tokens, taken.tokens),
            cost_usd_micros: left(self.caps.max_cost_usd_micros, taken.cost_usd_micros),
        }
    }

    /// Replaces a reservation with the amount spent.
    pub(super) fn settle(&self, granted: &Granted, spent: Spend) {
        let mut account = self.account();
        account.spent = account.spent + spent;
        if let Some(reserved) = granted.reserved {
            account.reserved = account.reserved - reserved;
            account.open -= 1;
        }
        drop(account);
        self.freed.notify_waiters();
    }

    /// Records that a grant was not enough.
    pub(super) fn was_too_little(&self, purpose: &str, granted: &Granted) {
        let tokens = granted.budget.max_tokens.unwrap_or(u64::MAX);
        let cost_usd_micros = granted.budget.max_cost_usd_micros.unwrap_or(u64::MAX);
        let spend = Spend { tokens, cost_usd_micros };
        self.account().too_little.insert(purpose.to_owned(), spend);
    }
}

fn at_most(most: Spend, left: Spend) -> Spend {
    Spend {
        tokens: most.tokens.min(left.tokens),
        cost_usd_micros: most.cost_usd_micros.min(left.cost_usd_micros),
    }
}
