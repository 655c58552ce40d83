//! The simulation: one event after the other.

mod calls;
mod faults;
mod load;

use super::chance::Chance;
use super::clock::{Clock, Event};
use super::database::{Database, Written};
use super::figures::Figures;
use super::provider::Provider;
use super::scenario::{
    APPEND, APPEND_BYTES, GATHER, LARGEST_BATCH, Micros, PROCESS_PER_CALL, REST, SECOND, Scenario,
};
use super::site::{Run, Site, State};
pub(super) use load::Load;

pub(super) struct Simulation {
    scenario: Scenario,
    chance: Chance,
    clock: Clock,
    site: Site,
    database: Database,
    providers: Vec<Provider>,
    load: Load,
    figures: Figures,
    /// Workers whose lease ended while the database was away, until they renew it.
    expired: Vec<u32>,
    now: Micros,
}

/// Simulates a scenario.
pub(super) fn simulate(scenario: Scenario) -> Figures {
    Simulation::new(scenario).perform()
}

impl Simulation {
    fn new(scenario: Scenario) -> Simulation {
        let mut chance = Chance::new(scenario.seed);
        let site = Site::new(scenario.workers, scenario.runs_at_once, &mut chance);
        let providers = (0..scenario.providers.max(1)).map(|_| Provider::new(&scenario)).collect();
        Simulation {
            chance,
            clock: Clock::default(),
            site,
            database: Database::new(&scenario),
            providers,
            load: Load::default(),
            figures: Figures::new(&scenario),
            expired: Vec::new(),
            now: 0,
            scenario,
        }
    }

    fn perform(mut self) -> Figures {
        self.plan_submission();
        self.plan_faults();
        self.clock.plan(SECOND, Event::Tick);
        while let Some((at, event)) = self.clock.next() {
            if at >= self.scenario.end() {
                break;
            }
            self.now = at;
            self.happen(event);
        }
        self.conclude()
    }

    fn happen(&mut self, event: Event) {
        match event {
            Event::Submitted => self.submit(),
            Event::Claimed { run, worker, attempt, epoch } => {
                self.claim(run, worker, attempt, epoch);
            }
            Event::Written { worker, epoch } => self.write(worker, epoch),
            Event::Stored { worker, epoch } => self.store(worker, epoch),
            Event::GaveUp { worker, epoch } => self.give_up(worker, epoch),
            Event::Asked { run, attempt, tries } => self.ask(run, attempt, tries),
            Event::Replied { run, attempt } => self.reply(run, attempt),
            Event::Rested { run, attempt } => self.try_again(run, attempt),
            Event::Crash => self.crash(),
            Event::Pause => self.pause(),
            Event::Restart { worker } => self.restart(worker),
            Event::Wake { worker } => self.wake(worker),
            Event::LeaseEnd { worker, epoch } => self.end_lease(worker, epoch),
            Event::Back => self.come_back(),
            Event::Renew { worker } => self.renew(worker),
            Event::Sweep { worker } => self.sweep(worker),
            Event::Tick => self.tick(),
        }
    }

    fn is_counted(&self) -> bool {
        self.now >= self.scenario.warm_up
    }

    /// Returns whether a run is held by the attempt for which something was planned.
    fn is_current(&self, run: u32, attempt: u16) -> bool {
        let run = &self.site.runs[run as usize];
        run.state == State::Held && run.attempt == attempt
    }

    fn plan_submission(&mut self) {
        // Thinned out: planned as for the busiest hour, and passed over as much as it is quieter.
        let most = self.scenario.runs_per_day / 86_400.0 * (1.0 + self.scenario.swing);
        let at = self.now + self.chance.draw_interval(most);
        self.clock.plan(at, Event::Submitted);
    }

    fn submit(&mut self) {
        self.plan_submission();
        let most = self.scenario.runs_per_day / 86_400.0 * (1.0 + self.scenario.swing);
        if self.chance.draw() * most > self.scenario.arrivals_per_second(self.now) {
            return;
        }
        let (fewest, most) = self.scenario.calls;
        let left = fewest + self.chance.draw_index(usize::from(most - fewest) + 1) as u16;
        let written = self.database.write(self.now, APPEND, APPEND_BYTES, &mut self.chance);
        let stored = match written {
            Written::At(at) | Written::Again(at) => at,
            // Whoever submitted it was told so.
            Written::GaveUp(_) => {
                self.figures.refused_submissions += u64::from(self.is_counted());
                return;
            }
        };
        let run = self.site.runs.len() as u32;
        self.site.runs.push(Run {
            state: State::Queued,
            attempt: 0,
            left,
            worker: 0,
            place: 0,
            submitted_at: self.now,
            queued_at: stored,
            is_calling: false,
            has_reply: false,
            is_offered: false,
            overtaken: 0,
        });
        self.figures.submitted += u64::from(self.is_counted());
        self.load.queued += 1.0;
        self.load.news += 1.0;
        self.offer_after(run, stored + GATHER - self.now, false);
    }

    /// Offers a run to the workers; one that was abandoned before those that nobody has had.
    fn offer(&mut self, run: u32, is_abandoned: bool) {
        self.offer_after(run, 0, is_abandoned);
    }

    fn offer_after(&mut self, run: u32, delay: Micros, is_abandoned: bool) {
        if std::mem::replace(&mut self.site.run(run).is_offered, true) {
            return;
        }
        match self.site.some_with_room(&mut self.chance) {
            Some(worker) => self.plan_claim(run, worker, delay),
            None if is_abandoned => self.site.queue.push_front(run),
            None => self.site.queue.push_back(run),
        }
    }

    /// Keeps room for a run and plans when its claim is decided.
    fn plan_claim(&mut self, run: u32, worker: u32, delay: Micros) {
        self.site.worker(worker).kept += 1;
        self.site.update_room(worker);
        let epoch = self.site.worker(worker).epoch;
        let attempt = self.site.run(run).attempt;
        let at = self.decide_claim_at(self.now + delay);
        self.clock.plan(at, Event::Claimed { run, worker, attempt, epoch });
    }

    /// Lets a worker with room take what waits.
    fn fill(&mut self, worker: u32) {
        while self.site.room(worker) > 0 {
            let Some(run) = self.site.queue.pop_front() else { return };
            let waiting = &self.site.runs[run as usize];
            if matches!(waiting.state, State::Ended | State::Partial) {
                continue;
            }
            self.plan_claim(run, worker, 0);
        }
    }

    fn claim(&mut self, run: u32, worker: u32, attempt: u16, epoch: u32) {
        let claimer = self.site.worker(worker);
        claimer.kept = claimer.kept.saturating_sub(1);
        self.site.update_room(worker);
        let found = self.site.run(run);
        found.is_offered = false;
        if found.attempt != attempt || matches!(found.state, State::Ended | State::Partial) {
            return;
        }
        let claimer = &self.site.workers[worker as usize];
        if claimer.epoch != epoch || claimer.is_dead || claimer.paused_until.is_some() {
            // The claimer died or fell asleep before it was decided.
            self.offer(run, true);
            return;
        }
        if self.site.runs[run as usize].state == State::Held && !self.take_over(run, worker) {
            return;
        }
        self.site.give(run, worker);
        if self.is_counted() {
            let Run { attempt, queued_at, .. } = self.site.runs[run as usize];
            if attempt == 1 {
                let waited = self.now.saturating_sub(queued_at);
                self.figures.add_wait(self.now - self.scenario.warm_up, waited);
            }
        }
        self.append(run);
    }

    /// Makes an append of a run, for a batch of its worker.
    fn append(&mut self, run: u32) {
        let Run { worker, attempt, .. } = self.site.runs[run as usize];
        let appender = self.site.worker(worker);
        appender.free_at = appender.free_at.max(self.now) + PROCESS_PER_CALL;
        appender.waiting.push_back((appender.free_at, run, attempt));
        if !appender.is_writing {
            self.plan_write(worker);
        }
    }

    /// Plans the next batch of a worker, as soon as an append is made.
    fn plan_write(&mut self, worker: u32) {
        let writer = self.site.worker(worker);
        writer.is_writing = !writer.waiting.is_empty();
        if let Some((made, ..)) = writer.waiting.front() {
            let (at, epoch) = (self.now.max(*made), writer.epoch);
            self.clock.plan(at, Event::Written { worker, epoch });
        }
    }

    /// Writes all appends of a worker that are made, as one batch.
    fn write(&mut self, worker: u32, epoch: u32) {
        let writer = self.site.worker(worker);
        if writer.epoch != epoch {
            return;
        }
        if let Some(until) = writer.paused_until {
            self.clock.plan(until, Event::Written { worker, epoch });
            return;
        }
        while writer.batch.len() < LARGEST_BATCH
            && let Some((made, run, attempt)) = writer.waiting.front().copied()
            && made <= self.now
        {
            writer.waiting.pop_front();
            writer.batch.push((run, attempt));
        }
        let size = writer.batch.len() as f64;
        let (processor, bytes) = (APPEND * size, APPEND_BYTES * size);
        match self.database.write(self.now, processor, bytes, &mut self.chance) {
            Written::At(stored) => self.clock.plan(stored, Event::Stored { worker, epoch }),
            Written::Again(at) => self.clock.plan(at, Event::Written { worker, epoch }),
            Written::GaveUp(at) => self.clock.plan(at, Event::GaveUp { worker, epoch }),
        }
    }

    /// Goes on with the runs of a batch that is stored.
    fn store(&mut self, worker: u32, epoch: u32) {
        let writer = self.site.worker(worker);
        if writer.epoch != epoch {
            return;
        }
        if let Some(until) = writer.paused_until {
            self.clock.plan(until, Event::Stored { worker, epoch });
            return;
        }
        if self.now >= writer.told_at + GATHER {
            writer.told_at = self.now;
            self.load.news += 1.0;
        }
        for (run, attempt) in std::mem::take(&mut writer.batch) {
            if !self.is_current(run, attempt) {
                self.refuse(run);
                continue;
            }
            let stored = self.site.run(run);
            if std::mem::take(&mut stored.has_reply) {
                stored.left -= 1;
            }
            match stored.left {
                0 => self.end(run, State::Ended),
                _ => self.begin_call(run),
            }
        }
        self.plan_write(worker);
    }

    /// Counts an append of a worker that holds the run no longer: the log refuses it.
    fn refuse(&mut self, run: u32) {
        let overtaken = &mut self.site.run(run).overtaken;
        if *overtaken > 0 {
            *overtaken -= 1;
            self.figures.refused_appends += 1;
        }
    }

    /// Lets the runs of a batch rest that could not be stored.
    fn give_up(&mut self, worker: u32, epoch: u32) {
        let writer = self.site.worker(worker);
        if writer.epoch != epoch {
            return;
        }
        for (run, attempt) in std::mem::take(&mut writer.batch) {
            if self.is_current(run, attempt) {
                self.lose_call(run);
                self.figures.hindered += 1;
                self.clock.plan(self.now + REST, Event::Rested { run, attempt });
            }
        }
        self.plan_write(worker);
    }

    /// Ends a run; its worker looks for another one.
    fn end(&mut self, run: u32, state: State) {
        let Run { worker, submitted_at, .. } = self.site.runs[run as usize];
        self.site.take(run, state);
        self.load.ended += 1.0;
        if self.is_counted() {
            match state {
                State::Partial => self.figures.partial += 1,
                _ => self.figures.add_run_time(self.now - submitted_at),
            }
        }
        self.fill(worker);
    }

    /// Checks that nothing was lost, and hands over what was counted.
    fn conclude(mut self) -> Figures {
        let broken = self.site.find_faults();
        self.figures.broken.extend(broken);
        let end = self.scenario.end();
        for run in &self.site.runs {
            match run.state {
                State::Queued => self.figures.queued_at_end += 1,
                State::Held => self.figures.held_at_end += 1,
                State::Ended | State::Partial => continue,
            }
            let age = end.saturating_sub(run.submitted_at);
            self.figures.oldest = self.figures.oldest.max(age);
        }
        let Simulation { mut figures, scenario, database, providers, load, .. } = self;
        figures.conclude(&scenario, &database, &providers, &load);
        figures
    }
}
