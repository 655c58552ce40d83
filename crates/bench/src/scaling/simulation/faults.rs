//! Workers that die or sleep, leases that end, and a database that is away for a while.

use super::Simulation;
use crate::scaling::clock::Event;
use crate::scaling::scenario::{LEASE, LONGEST_REST, SECOND};
use crate::scaling::site::State;

/// Assumed: how long a worker takes to start again, and for how long it sleeps when it is paused.
const RESTART: u64 = 10 * SECOND;
const SLEEP: u64 = 30 * SECOND;

impl Simulation {
    pub(super) fn plan_faults(&mut self) {
        self.plan_fault(Event::Crash, self.scenario.hours_to_crash);
        self.plan_fault(Event::Pause, self.scenario.hours_to_pause);
        if let Some(outage) = self.scenario.outage {
            self.clock.plan(outage.until, Event::Back);
        }
    }

    /// Plans the next fault of some worker.
    fn plan_fault(&mut self, fault: Event, hours_between: f64) {
        if hours_between > 0.0 {
            let per_second = self.scenario.workers as f64 / (hours_between * 3_600.0);
            let at = self.now + self.chance.draw_interval(per_second);
            self.clock.plan(at, fault);
        }
    }

    /// Returns some worker, if that one is well.
    fn pick(&mut self) -> Option<u32> {
        let worker = self.chance.draw_index(self.site.workers.len()) as u32;
        let picked = self.site.workers.get(worker as usize)?;
        (!picked.is_dead && picked.paused_until.is_none()).then_some(worker)
    }

    pub(super) fn crash(&mut self) {
        self.plan_fault(Event::Crash, self.scenario.hours_to_crash);
        let Some(worker) = self.pick() else { return };
        self.figures.crashes += 1;
        let died = self.site.worker(worker);
        died.is_dead = true;
        died.stop_renewing(self.now);
        died.epoch += 1;
        died.waiting.clear();
        died.batch.clear();
        died.is_writing = false;
        self.site.update_room(worker);
        self.plan_lease_end(worker);
    }

    pub(super) fn pause(&mut self) {
        self.plan_fault(Event::Pause, self.scenario.hours_to_pause);
        let Some(worker) = self.pick() else { return };
        self.figures.pauses += 1;
        let until = self.now + SLEEP;
        let asleep = self.site.worker(worker);
        asleep.paused_until = Some(until);
        asleep.stop_renewing(self.now);
        self.site.update_room(worker);
        self.plan_lease_end(worker);
        self.clock.plan(until, Event::Wake { worker });
    }

    fn plan_lease_end(&mut self, worker: u32) {
        let silent = &self.site.workers[worker as usize];
        let ends = silent.lease_until(self.now, self.scenario.outage);
        // While the database is away, nobody can tell that a lease has ended; who knows that it was away waits for one more.
        let ends = match (self.scenario.outage, self.scenario.hasty) {
            (Some(outage), true) if outage.covers(ends) => outage.until + LONGEST_REST,
            (Some(outage), false) if ends >= outage.from => ends.max(outage.until + LEASE),
            _ => ends,
        };
        let epoch = silent.epoch;
        self.clock.plan(ends, Event::LeaseEnd { worker, epoch });
    }

    /// Offers the runs of a worker whose lease has ended, and starts a dead one again under a new name.
    pub(super) fn end_lease(&mut self, worker: u32, epoch: u32) {
        let silent = &self.site.workers[worker as usize];
        if silent.epoch != epoch || (!silent.is_dead && silent.paused_until.is_none()) {
            return;
        }
        let is_dead = silent.is_dead;
        for run in silent.held.clone() {
            self.offer(run, true);
        }
        if is_dead {
            self.clock.plan(self.now + RESTART, Event::Restart { worker });
        }
    }

    /// Starts a dead worker, once its former runs have other holders.
    pub(super) fn restart(&mut self, worker: u32) {
        let started = self.site.worker(worker);
        if !started.held.is_empty() {
            self.clock.plan(self.now + SECOND, Event::Restart { worker });
            return;
        }
        (started.is_dead, started.free_at) = (false, self.now);
        started.start_renewing(self.now);
        self.site.update_room(worker);
        self.fill(worker);
    }

    pub(super) fn wake(&mut self, worker: u32) {
        let awake = self.site.worker(worker);
        awake.paused_until = None;
        awake.start_renewing(self.now);
        self.site.update_room(worker);
        self.fill(worker);
    }

    /// Lets a worker try a run again that it holds and could not go on with.
    pub(super) fn try_again(&mut self, run: u32, attempt: u16) {
        if !self.is_current(run, attempt) || self.site.run(run).is_offered {
            return;
        }
        let worker = self.site.run(run).worker;
        let holder = self.site.worker(worker);
        match (holder.is_dead, holder.paused_until) {
            // It is offered when the lease ends.
            (true, _) => {}
            (false, Some(until)) => self.clock.plan(until, Event::Rested { run, attempt }),
            (false, None) => {
                self.site.run(run).is_offered = true;
                self.plan_claim(run, worker, 0);
            }
        }
    }

    /// Takes a run from a worker whose lease has ended, or from the claimer itself; returns false if the lease has not ended.
    pub(super) fn take_over(&mut self, run: u32, claimer: u32) -> bool {
        let held = &self.site.runs[run as usize];
        let (holder, is_under_way) = (held.worker, held.is_calling || held.has_reply);
        if holder != claimer {
            let held_by = &self.site.workers[holder as usize];
            if held_by.lease_until(self.now, self.scenario.outage) > self.now {
                return false;
            }
            match (held_by.is_dead, held_by.paused_until.is_some()) {
                (true, _) => self.figures.from_dead += 1,
                (false, true) => self.figures.from_paused += 1,
                (false, false) => self.figures.from_living += 1,
            }
            if !held_by.is_dead && is_under_way {
                let overtaken = &mut self.site.run(run).overtaken;
                *overtaken = overtaken.saturating_add(1);
            }
        }
        self.lose_call(run);
        self.site.take(run, State::Queued);
        true
    }

    /// Lets every worker find the database again, each at some time.
    pub(super) fn come_back(&mut self) {
        let Some(outage) = self.scenario.outage else { return };
        self.expired.clear();
        for worker in 0..self.site.workers.len() as u32 {
            let back = &self.site.workers[worker as usize];
            if back.is_dead || back.paused_until.is_some() {
                continue;
            }
            if back.lease_until(self.now, Some(outage)) <= self.now && !back.held.is_empty() {
                self.expired.push(worker);
            }
            let before = outage.until - 1;
            let renews = self.database.back_at(before, &mut self.chance);
            self.clock.plan(renews, Event::Renew { worker });
            if self.scenario.hasty {
                let looks = self.database.back_at(before, &mut self.chance);
                self.clock.plan(looks, Event::Sweep { worker });
            }
        }
    }

    pub(super) fn renew(&mut self, worker: u32) {
        let back = self.site.worker(worker);
        back.back_at = Some(self.now);
        back.renewed_at = self.now;
    }

    /// Looks into the queue for the first time after an outage. Runs whose holder has not yet renewed its lease look abandoned.
    pub(super) fn sweep(&mut self, worker: u32) {
        let mut room = self.site.room(worker);
        while room > 0 {
            let Some(&holder) = self.expired.last() else { return };
            let held = &self.site.workers[holder as usize];
            if holder == worker && held.back_at.is_none() {
                return;
            }
            let is_free = |run: &u32| !self.site.runs[*run as usize].is_offered;
            let free = held.held.iter().copied().find(is_free);
            match (held.back_at, free) {
                (None, Some(run)) => {
                    self.site.run(run).is_offered = true;
                    self.plan_claim(run, worker, 0);
                    room -= 1;
                }
                _ => {
                    self.expired.pop();
                }
            }
        }
    }
}
