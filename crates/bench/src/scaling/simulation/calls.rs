//! Calls of models: the line before a provider, its limits, and its replies.

use super::Simulation;
use crate::scaling::clock::Event;
use crate::scaling::scenario::{ATTEMPTS, FIRST_DELAY, LONGEST_DELAY, Micros, Pacing, SECOND};
use crate::scaling::site::State;

/// Assumed: the standard deviation of the logarithm of a call's tokens.
const TOKENS_SPREAD: f64 = 0.5;

impl Simulation {
    /// Begins the next call of a run, which is announced in its log.
    pub(super) fn begin_call(&mut self, run: u32) {
        let provider = run as usize % self.providers.len();
        let begins = match self.scenario.pacing {
            Pacing::Attempts => self.now,
            Pacing::Row | Pacing::Line => {
                self.load.turns += 1.0;
                self.providers[provider].stand_in_line(self.now)
            }
        };
        let called = self.site.run(run);
        called.is_calling = true;
        let attempt = called.attempt;
        match begins > self.now {
            true => self.clock.plan(begins, Event::Asked { run, attempt, tries: 1 }),
            false => self.ask(run, attempt, 1),
        }
    }

    pub(super) fn ask(&mut self, run: u32, attempt: u16, tries: u8) {
        if !self.is_current(run, attempt) {
            self.refuse(run);
            return;
        }
        // The mean of a log-normal number is its median times e to half the variance.
        let median = self.scenario.tokens_per_call * (-0.5 * TOKENS_SPREAD * TOKENS_SPREAD).exp();
        let tokens = self.chance.draw_log_normal(median, TOKENS_SPREAD);
        let provider = run as usize % self.providers.len();
        match self.providers[provider].ask(self.now, tokens) {
            Ok(()) => {
                let Self { scenario, chance, .. } = self;
                let seconds = chance.draw_log_normal(scenario.reply_seconds, scenario.reply_spread);
                let at = self.now + (seconds * SECOND as f64) as Micros;
                self.clock.plan(at, Event::Replied { run, attempt });
            }
            Err(_) if tries >= ATTEMPTS => self.end(run, State::Partial),
            Err(after) => {
                let delay = (FIRST_DELAY << u32::from(tries - 1)).min(LONGEST_DELAY);
                let delay = after.max(delay) + self.chance.draw_time(FIRST_DELAY);
                self.clock.plan(self.now + delay, Event::Asked { run, attempt, tries: tries + 1 });
            }
        }
    }

    pub(super) fn reply(&mut self, run: u32, attempt: u16) {
        if !self.is_current(run, attempt) {
            self.refuse(run);
            return;
        }
        let worker = self.site.runs[run as usize].worker;
        if self.site.worker(worker).is_dead {
            // Nobody hears it.
            return;
        }
        if let Some(until) = self.site.worker(worker).paused_until {
            self.clock.plan(until, Event::Replied { run, attempt });
            return;
        }
        let answered = self.site.run(run);
        (answered.is_calling, answered.has_reply) = (false, true);
        self.figures.calls += u64::from(self.is_counted());
        self.append(run);
    }

    /// Notes that what a run has asked or heard is not in its log, so that it asks again.
    pub(super) fn lose_call(&mut self, run: u32) {
        let lost = self.site.run(run);
        let is_lost = std::mem::take(&mut lost.is_calling) | std::mem::take(&mut lost.has_reply);
        self.figures.repeated_calls += u64::from(is_lost && self.is_counted());
    }
}
