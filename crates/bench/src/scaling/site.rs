//! Runs, the workers that hold them, and the queue between them.

use std::collections::VecDeque;

use super::chance::Chance;
use super::scenario::{LEASE, Micros, Outage, RENEW};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum State {
    /// Ready to be taken up.
    Queued,
    /// Some worker holds it, or held it when it died.
    Held,
    Ended,
    /// Ended before its time, because a provider refused too often.
    Partial,
}

#[derive(Debug, Clone)]
pub(super) struct Run {
    pub(super) state: State,
    pub(super) attempt: u16,
    /// Calls that it has left to make.
    pub(super) left: u16,
    /// The worker that holds it, and its place there.
    pub(super) worker: u32,
    pub(super) place: u32,
    pub(super) submitted_at: Micros,
    /// Since when it can be taken up.
    pub(super) queued_at: Micros,
    pub(super) is_calling: bool,
    /// Whether a reply is there that is not stored.
    pub(super) has_reply: bool,
    /// Whether it stands in the queue or is being claimed.
    pub(super) is_offered: bool,
    /// Appends of workers that hold it no longer which are still to come.
    pub(super) overtaken: u16,
}

#[derive(Debug, Clone, Default)]
pub(super) struct Worker {
    pub(super) held: Vec<u32>,
    /// Room that is kept for claims under way.
    pub(super) kept: usize,
    /// Counts its lives.
    pub(super) epoch: u32,
    pub(super) is_dead: bool,
    pub(super) paused_until: Option<Micros>,
    /// Appends that wait, each with the time at which it is made, and those of the batch under way.
    pub(super) waiting: VecDeque<(Micros, u32, u16)>,
    pub(super) batch: Vec<(u32, u16)>,
    /// Whether a batch is planned or under way.
    pub(super) is_writing: bool,
    /// When its processor is free.
    pub(super) free_at: Micros,
    pub(super) told_at: Micros,
    /// When it renewed its lease outside of its rhythm.
    pub(super) renewed_at: Micros,
    /// The rest of its renewals, modulo their period.
    phase: Micros,
    /// When it lived last, if it does not.
    silent_since: Option<Micros>,
    /// When it has found the database again after the outage.
    pub(super) back_at: Option<Micros>,
    /// Its place among those with room, if it has any.
    room_place: Option<usize>,
}

impl Worker {
    /// Returns until when its lease lasts, as the database sees it at this time.
    pub(super) fn lease_until(&self, now: Micros, outage: Option<Outage>) -> Micros {
        let last_tick = |at: Micros| match at.checked_sub(self.phase) {
            Some(since) => since / RENEW * RENEW + self.phase,
            None => 0,
        };
        let mut last = last_tick(self.silent_since.map_or(now, |since| since.min(now)));
        if let Some(outage) = outage
            && last >= outage.from
            && last < self.back_at.unwrap_or(Micros::MAX)
        {
            last = last_tick(outage.from.saturating_sub(1));
        }
        last.max(self.renewed_at) + LEASE
    }

    pub(super) fn stop_renewing(&mut self, now: Micros) {
        self.silent_since = Some(now);
    }

    /// Begins to renew its lease, at this time and then in its rhythm.
    pub(super) fn start_renewing(&mut self, now: Micros) {
        self.silent_since = None;
        self.renewed_at = now;
    }
}

/// Everything that is in some state.
pub(super) struct Site {
    pub(super) runs: Vec<Run>,
    pub(super) workers: Vec<Worker>,
    pub(super) queue: VecDeque<u32>,
    pub(super) held: usize,
    runs_at_once: usize,
    with_room: Vec<u32>,
}

impl Site {
    pub(super) fn new(workers: usize, runs_at_once: usize, chance: &mut Chance) -> Site {
        let mut site = Site {
            runs: Vec::new(),
            workers: Vec::with_capacity(workers),
            queue: VecDeque::new(),
            held: 0,
            runs_at_once,
            with_room: Vec::with_capacity(workers),
        };
        for number in 0..workers {
            site.workers.push(Worker { phase: chance.draw_time(RENEW), ..Worker::default() });
            site.update_room(number as u32);
        }
        site
    }

    pub(super) fn run(&mut self, run: u32) -> &mut Run {
        &mut self.runs[run as usize]
    }

    pub(super) fn worker(&mut self, worker: u32) -> &mut Worker {
        &mut self.workers[worker as usize]
    }

    /// Returns how many workers have room.
    pub(super) fn count_with_room(&self) -> usize {
        self.with_room.len()
    }

    /// Returns some worker with room.
    pub(super) fn some_with_room(&self, chance: &mut Chance) -> Option<u32> {
        self.with_room.get(chance.draw_index(self.with_room.len())).copied()
    }

    /// Returns how many more runs a worker can take.
    pub(super) fn room(&self, worker: u32) -> usize {
        let Worker { held, kept, is_dead, paused_until, .. } = &self.workers[worker as usize];
        match *is_dead || paused_until.is_some() {
            true => 0,
            false => self.runs_at_once.saturating_sub(held.len() + kept),
        }
    }

    /// Notes whether a worker has room, after something that may have changed it.
    pub(super) fn update_room(&mut self, worker: u32) {
        let has_room = self.room(worker) > 0;
        match (has_room, self.workers[worker as usize].room_place) {
            (true, None) => {
                self.workers[worker as usize].room_place = Some(self.with_room.len());
                self.with_room.push(worker);
            }
            (false, Some(place)) => {
                self.workers[worker as usize].room_place = None;
                self.with_room.swap_remove(place);
                if let Some(&moved) = self.with_room.get(place) {
                    self.workers[moved as usize].room_place = Some(place);
                }
            }
            _ => {}
        }
    }

    /// Gives a run to a worker.
    pub(super) fn give(&mut self, run: u32, worker: u32) {
        let place = self.workers[worker as usize].held.len() as u32;
        self.workers[worker as usize].held.push(run);
        let taken = self.run(run);
        (taken.state, taken.worker, taken.place) = (State::Held, worker, place);
        taken.attempt = taken.attempt.wrapping_add(1);
        self.held += 1;
        self.update_room(worker);
    }

    /// Takes a run from its worker.
    pub(super) fn take(&mut self, run: u32, state: State) {
        let Run { worker, place, .. } = self.runs[run as usize];
        let held = &mut self.workers[worker as usize].held;
        held.swap_remove(place as usize);
        if let Some(&moved) = held.get(place as usize) {
            self.run(moved).place = place;
        }
        self.run(run).state = state;
        self.held -= 1;
        self.update_room(worker);
    }

    /// Returns what does not agree.
    pub(super) fn find_faults(&self) -> Vec<String> {
        let mut faults = Vec::new();
        let mut held = 0;
        for (number, worker) in self.workers.iter().enumerate() {
            held += worker.held.len();
            let is_its_own = |(place, run): (usize, &u32)| {
                let run = &self.runs[*run as usize];
                (run.state, run.worker as usize, run.place as usize) == (State::Held, number, place)
            };
            if !worker.held.iter().enumerate().all(is_its_own) {
                faults.push(format!("worker {number} holds a run that another one holds"));
            }
        }
        let count = |state| self.runs.iter().filter(|run| run.state == state).count();
        if held != count(State::Held) || held != self.held {
            faults.push("a run is held by nobody, or twice".to_owned());
        }
        let offered = |run: &Run| run.state != State::Queued || run.is_offered;
        if !self.runs.iter().all(offered) {
            faults.push("a queued run is offered to nobody".to_owned());
        }
        faults
    }
}
