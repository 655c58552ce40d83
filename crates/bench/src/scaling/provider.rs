//! Providers of models: they take so many requests and tokens a minute, and refuse the rest.

use super::scenario::{Micros, Pacing, ROUND_TRIP, SECOND, Scenario};

/// Assumed: the part of a minute's limit that may come at once.
const BURST: f64 = 1.0 / 6.0;
/// The part of the limits that a line uses, since tokens are known only afterwards.
const CAREFUL: f64 = 0.95;

/// A limit that refills steadily.
struct Bucket {
    level: f64,
    most: f64,
    per_micro: f64,
    at: Micros,
}

impl Bucket {
    fn new(per_minute: f64) -> Bucket {
        let most = per_minute * BURST;
        Bucket { level: most, most, per_micro: per_minute / (60 * SECOND) as f64, at: 0 }
    }

    /// Returns how long it takes until there is room for so much.
    fn wait(&mut self, now: Micros, amount: f64) -> Micros {
        let passed = now.saturating_sub(self.at) as f64;
        self.level = (self.level + passed * self.per_micro).min(self.most);
        self.at = self.at.max(now);
        ((amount.min(self.most) - self.level).max(0.0) / self.per_micro) as Micros
    }
}

/// A provider, and the line before it.
pub(super) struct Provider {
    requests: Bucket,
    tokens: Bucket,
    /// The time between two requests of a line, and the time that the line's row is locked for each.
    spacing: Micros,
    locked: Micros,
    next_at: Micros,
    pub(super) accepted: u64,
    pub(super) refused: u64,
    pub(super) used_tokens: f64,
}

impl Provider {
    pub(super) fn new(scenario: &Scenario) -> Provider {
        let tokens_per_minute = scenario.tokens_per_minute / scenario.tokens_per_call;
        let per_minute = CAREFUL * scenario.requests_per_minute.min(tokens_per_minute);
        Provider {
            requests: Bucket::new(scenario.requests_per_minute),
            tokens: Bucket::new(scenario.tokens_per_minute),
            spacing: ((60 * SECOND) as f64 / per_minute) as Micros,
            locked: match scenario.pacing {
                Pacing::Attempts | Pacing::Line => 0,
                // From the lock to the commit: an update and its commit, each there and back.
                Pacing::Row => 2 * ROUND_TRIP + scenario.flush,
            },
            next_at: 0,
            accepted: 0,
            refused: 0,
            used_tokens: 0.0,
        }
    }

    /// Returns when a request that stands in line now may begin.
    pub(super) fn stand_in_line(&mut self, now: Micros) -> Micros {
        let begins = self.next_at.max(now);
        self.next_at = begins + self.spacing.max(self.locked);
        begins
    }

    /// Takes a request, or returns after how long it may come again.
    pub(super) fn ask(&mut self, now: Micros, tokens: f64) -> Result<(), Micros> {
        let wait = self.requests.wait(now, 1.0).max(self.tokens.wait(now, tokens));
        if wait > 0 {
            self.refused += 1;
            // Whole seconds, as the header has them.
            return Err(wait.div_ceil(SECOND).max(1) * SECOND);
        }
        self.requests.level -= 1.0;
        self.tokens.level -= tokens;
        self.accepted += 1;
        self.used_tokens += tokens;
        Ok(())
    }

    /// Forgets what it has counted.
    pub(super) fn count_anew(&mut self) {
        (self.accepted, self.refused, self.used_tokens) = (0, 0, 0.0);
    }

    /// Returns the most requests a second that its line lets begin.
    pub(super) fn line_per_second(&self) -> f64 {
        SECOND as f64 / self.spacing.max(self.locked).max(1) as f64
    }
}
