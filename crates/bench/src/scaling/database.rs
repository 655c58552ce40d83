//! The database: cores that serve in order of arrival, and a disk that makes commits durable in groups.

use super::chance::Chance;
use super::scenario::{
    CONNECT, LONGEST_REST, Micros, Outage, PATIENCE, ROUND_TRIP, Scenario, USUAL_CONNECTIONS,
};

/// A database with one disk for its write-ahead log.
pub(super) struct Database {
    cores: f64,
    flush: Micros,
    bytes_per_micro: f64,
    outage: Option<Outage>,
    /// How long it takes until all processes are connected again.
    reconnect: Micros,
    /// The share of the cores that is left to transactions, above 0 and at most 1.
    left: f64,
    /// How much longer than by itself a statement takes, because others are served at the same time.
    slowed: f64,
    /// When all work that was asked for is done.
    free_at: f64,
    /// The last flush, which may not have begun.
    flush_from: Micros,
    flush_until: Micros,
    pub(super) used: Used,
}

/// What the database has done.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct Used {
    /// Processor time of appends and claims, in microseconds.
    pub(super) processor: f64,
    pub(super) commits: u64,
    pub(super) flushes: u64,
    pub(super) flushing: Micros,
    pub(super) bytes: f64,
}

/// What came of a transaction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Written {
    /// Its caller knows at this time that it is stored.
    At(Micros),
    /// The database is away or goes before it has answered; its caller tries again at this time.
    Again(Micros),
    /// The database is away for longer than its caller tries; it gives up at this time.
    GaveUp(Micros),
}

impl Database {
    pub(super) fn new(scenario: &Scenario) -> Database {
        let connections = scenario.workers as f64 * USUAL_CONNECTIONS;
        Database {
            cores: scenario.cores,
            flush: scenario.flush,
            bytes_per_micro: scenario.wal_per_second / 1e6,
            outage: scenario.outage,
            reconnect: LONGEST_REST.max((connections * CONNECT / scenario.cores) as Micros),
            left: 1.0,
            slowed: 1.0,
            free_at: 0.0,
            flush_from: 0,
            flush_until: 0,
            used: Used::default(),
        }
    }

    /// Shares the cores anew: transactions have this part of them, and each statement takes so many times longer.
    pub(super) fn share(&mut self, now: Micros, left: f64, slowed: f64) {
        let backlog = self.backlog(now);
        (self.left, self.slowed) = (left.clamp(0.001, 1.0), slowed.max(1.0));
        self.free_at = now as f64 + backlog / (self.cores * self.left);
    }

    /// Returns the processor time that was asked for and is not done, in microseconds.
    pub(super) fn backlog(&self, now: Micros) -> f64 {
        self.wait(now) * self.cores * self.left
    }

    /// Returns how many microseconds a statement waits for its turn.
    pub(super) fn wait(&self, now: Micros) -> f64 {
        (self.free_at - now as f64).max(0.0)
    }

    /// Returns when work is done that takes one core so many microseconds.
    pub(super) fn work(&mut self, now: Micros, processor: f64) -> Micros {
        let from = self.free_at.max(now as f64);
        self.free_at = from + processor / (self.cores * self.left);
        self.used.processor += processor;
        (from + processor * self.slowed) as Micros
    }

    /// Returns when so many bytes are durable: with the next flush that has not begun.
    pub(super) fn make_durable(&mut self, now: Micros, bytes: f64) -> Micros {
        self.used.commits += 1;
        self.used.bytes += bytes;
        let transfer = (bytes / self.bytes_per_micro) as Micros;
        self.used.flushing += transfer;
        if now < self.flush_from {
            self.flush_until += transfer;
            return self.flush_until;
        }
        self.flush_from = self.flush_until.max(now);
        self.flush_until = self.flush_from + self.flush + transfer;
        self.used.flushes += 1;
        self.used.flushing += self.flush;
        self.flush_until
    }

    /// Writes a transaction: one round trip for its statements, one for the commit.
    pub(super) fn write(
        &mut self,
        now: Micros,
        processor: f64,
        bytes: f64,
        chance: &mut Chance,
    ) -> Written {
        if !self.is_away(now) {
            let worked = self.work(now + ROUND_TRIP / 2, processor);
            let stored = self.make_durable(worked + ROUND_TRIP, bytes) + ROUND_TRIP / 2;
            match self.outage {
                Some(outage) if now < outage.from && stored >= outage.from => {}
                _ => return Written::At(stored),
            }
        }
        let away_since = self.outage.map_or(now, |outage| now.max(outage.from));
        let again = self.back_at(now, chance);
        match again.saturating_sub(away_since) > PATIENCE {
            true => Written::GaveUp(away_since + PATIENCE),
            false => Written::Again(again),
        }
    }

    pub(super) fn is_away(&self, now: Micros) -> bool {
        self.outage.is_some_and(|outage| outage.covers(now))
    }

    /// Returns when a process that lost the database at the outage is connected again; `now` if there is none to come.
    pub(super) fn back_at(&self, now: Micros, chance: &mut Chance) -> Micros {
        match self.outage {
            Some(outage) if now < outage.until => outage.until + chance.draw_time(self.reconnect),
            _ => now,
        }
    }
}
