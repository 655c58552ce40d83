//! What the database does besides the transactions of runs: looks into the queue, news, leases and polls, added up second by second.
//!
//! A worker waits for an answer before it asks again. So looks that are too many take longer, and slow down everything beside them.

use super::Simulation;
use crate::scaling::clock::Event;
use crate::scaling::scenario::{
    CLAIM, CLAIM_BYTES, Design, HOLD, HOLD_BYTES, Micros, NOTIFY, NOTIFY_LISTENER, POLL,
    POLLS_PER_SECOND, Pacing, READ, RENEW, ROUND_TRIP, SECOND, SERVERS, SPACED_SWEEP,
    SPACED_SWEEPS, SWEEPS_PER_SECOND, TURN, TURN_BYTES, sweep,
};

/// The least share of the cores that workers' looks get, and that transactions get.
const LEAST: f64 = 0.05;

/// What has come together since the last second began, and over all seconds that count.
#[derive(Debug, Default)]
pub(in crate::scaling) struct Load {
    /// Runs that were queued or have ended, messages of news, and turns that were taken in a line.
    pub(super) queued: f64,
    pub(super) ended: f64,
    pub(super) news: f64,
    pub(super) turns: f64,
    /// The processor time of transactions until the last second.
    processor: f64,
    /// How much longer than by itself a query takes.
    slowed: f64,
    pub(in crate::scaling) total: Total,
}

/// Sums over the seconds that count. Processor time is what is asked for, in microseconds, as if nobody had to wait.
#[derive(Debug, Default, Clone, Copy)]
pub(in crate::scaling) struct Total {
    pub(in crate::scaling) seconds: f64,
    pub(in crate::scaling) transactions: f64,
    pub(in crate::scaling) looks: f64,
    pub(in crate::scaling) news: f64,
    pub(in crate::scaling) rest: f64,
    pub(in crate::scaling) messages: f64,
    pub(in crate::scaling) turns: f64,
    pub(in crate::scaling) claims_in_vain: f64,
    pub(in crate::scaling) held: f64,
    pub(in crate::scaling) most_slowed: f64,
    /// The longest time that the renewal of a lease took, in microseconds.
    pub(in crate::scaling) slowest_renewal: f64,
}

/// What is asked of the database in a second, in microseconds of processor time.
struct Asked {
    transactions: f64,
    news: f64,
    rest: f64,
    /// The looks into the queue, what they take, and the claims in vain among that.
    looks: f64,
    look: f64,
    claims_in_vain: f64,
    /// Workers that look, and the time that each does something else between two looks.
    lookers: f64,
    between: f64,
}

impl Simulation {
    /// Returns when a claim is decided: the look into the queue, the entry that says what the run is, and the claim.
    pub(super) fn decide_claim_at(&mut self, asked: Micros) -> Micros {
        let asked = match self.database.is_away(asked) {
            true => self.database.back_at(asked, &mut self.chance),
            false => asked,
        };
        let looks = self.look_cost() * self.load.slowed.max(1.0);
        let until_then = match self.scenario.design {
            Design::Today => 0.0,
            Design::Changed => {
                let per_second = (self.site.count_with_room().max(1) as f64).min(SPACED_SWEEPS);
                self.chance.draw() * SECOND as f64 / per_second
            }
        };
        // The database serves in the order in which it is asked here; so what is asked later is only added.
        let worked = self.database.work(self.now, READ + CLAIM);
        let stored = self.database.make_durable(worked, CLAIM_BYTES);
        let waits = looks + until_then;
        stored + (asked - self.now) + waits as Micros + 6 * ROUND_TRIP + self.scenario.flush
    }

    /// Returns the processor time of one look into the queue.
    fn look_cost(&self) -> f64 {
        match self.scenario.design {
            Design::Today => sweep((self.site.held + self.site.queue.len()) as f64),
            Design::Changed => SPACED_SWEEP,
        }
    }

    pub(super) fn tick(&mut self) {
        self.clock.plan(self.now + SECOND, Event::Tick);
        if self.now == self.scenario.warm_up {
            self.count_anew();
        }
        if !self.database.is_away(self.now) {
            let asked = self.add_asked();
            let done = self.share_cores(&asked);
            if self.is_counted() {
                self.add_up(&asked, done);
            }
        }
        let Load { queued, ended, news, turns, .. } = &mut self.load;
        (*queued, *ended, *news, *turns) = (0.0, 0.0, 0.0, 0.0);
        if self.is_counted() {
            self.figures.add_look(self.now - self.scenario.warm_up, self.site.queue.len());
        }
    }

    fn count_anew(&mut self) {
        self.database.used = Default::default();
        self.load.processor = 0.0;
        self.providers.iter_mut().for_each(|provider| provider.count_anew());
    }

    fn add_asked(&mut self) -> Asked {
        let transactions = self.database.used.processor - self.load.processor;
        self.load.processor = self.database.used.processor;
        let workers = self.site.workers.len() as f64;
        let lookers = self.site.count_with_room() as f64;
        let look = self.look_cost();
        let Load { queued, ended, news, .. } = self.load;
        let (looks, claims_in_vain, wakes) = match self.scenario.design {
            Design::Today => {
                let wakes = SWEEPS_PER_SECOND + queued;
                let contenders = self.count_contenders(lookers, look);
                (lookers * wakes + ended, queued * (contenders - 1.0), wakes)
            }
            Design::Changed => {
                let looks = (lookers * SWEEPS_PER_SECOND).min(SPACED_SWEEPS);
                (looks, 0.0, looks / lookers.max(1.0))
            }
        };
        let listeners = match self.scenario.design {
            Design::Today => workers + SERVERS,
            Design::Changed => SERVERS,
        };
        let at_work = workers.min(self.site.held as f64);
        let renewals = workers * SECOND as f64 / RENEW as f64;
        let in_vain = claims_in_vain * (READ + CLAIM);
        Asked {
            transactions,
            news: news * (NOTIFY + NOTIFY_LISTENER * listeners),
            rest: renewals * HOLD + at_work * POLLS_PER_SECOND * POLL + self.row_turns() * TURN,
            looks,
            look: look + in_vain / looks.max(1.0),
            claims_in_vain,
            lookers,
            between: SECOND as f64 / wakes.max(1e-6),
        }
    }

    /// Shares the cores; returns the part of the looks that is done.
    fn share_cores(&mut self, asked: &Asked) -> f64 {
        let cores = self.scenario.cores * SECOND as f64;
        let Asked { transactions, news, rest, looks, look, lookers, between, .. } = asked;
        let transactions = transactions + self.database.backlog(self.now);
        // News goes on by itself; transactions and looks wait for their answers.
        let beside = news + rest;
        let left = (1.0 - beside / cores).max(transactions / (transactions + beside).max(1.0));
        let free = (cores - transactions - beside).max(LEAST * cores);
        let done = (free / (looks * look).max(1.0)).min(1.0);
        let looking = match done < 1.0 {
            true => lookers - done * looks * between / SECOND as f64,
            false => 0.0,
        };
        let by_others = (transactions + beside) / cores;
        let slowed = (looking / self.scenario.cores).max(by_others).max(1.0);
        self.load.slowed = slowed;
        self.database.share(self.now, left.max(LEAST), slowed);
        let renewals = self.site.workers.len() as f64 * SECOND as f64 / RENEW as f64;
        let turns = self.row_turns();
        self.database.used.bytes += renewals * HOLD_BYTES + turns * TURN_BYTES;
        self.database.used.commits += (renewals + turns) as u64;
        done
    }

    /// Returns the turns of the last second that were taken in the database.
    fn row_turns(&self) -> f64 {
        if self.scenario.pacing == Pacing::Row { self.load.turns } else { 0.0 }
    }

    /// Returns how many workers that were woken for a queued run find it still free.
    fn count_contenders(&self, lookers: f64, look: f64) -> f64 {
        let decided = (6 * ROUND_TRIP + self.scenario.flush) as f64;
        let spread = lookers * NOTIFY_LISTENER.max(look / self.scenario.cores);
        (lookers * (decided / spread.max(1.0)).min(1.0)).max(1.0)
    }

    fn add_up(&mut self, asked: &Asked, done: f64) {
        let wait = self.database.wait(self.now);
        let Load { total, slowed, news: messages, turns, .. } = &mut self.load;
        total.seconds += 1.0;
        total.transactions += asked.transactions;
        total.looks += asked.looks * asked.look;
        total.news += asked.news;
        total.rest += asked.rest;
        total.messages += *messages;
        total.turns += *turns;
        total.claims_in_vain += done * asked.claims_in_vain;
        total.held += self.site.held as f64;
        total.most_slowed = total.most_slowed.max(*slowed);
        total.slowest_renewal = total.slowest_renewal.max(wait + HOLD * *slowed);
    }
}
