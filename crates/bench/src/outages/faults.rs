//! The faults, in an order that chance decides.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use conformance::proxy::Cut;

use super::Args;
use super::dice::Dice;
use super::site::Site;
use super::watch::Look;
use super::workers::Workers;
use crate::Failure;

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Fault {
    /// A worker is killed.
    Kill,
    /// A worker is paused for longer than its lease.
    Stop,
    /// The database restarts.
    Restart,
    /// All connections break, and one of the next commits besides.
    Cut,
}

/// Milliseconds between two faults, from and below.
const PAUSE_MS: (u64, u64) = (500, 4_000);
/// How much longer than its lease a worker is paused, in milliseconds, from and below.
const BEYOND_LEASE_MS: (u64, u64) = (1_000, 6_000);

/// The faults that are to come.
pub(super) struct Faults {
    left: Vec<Fault>,
    next_at: Instant,
    done: BTreeMap<Fault, usize>,
}

impl Faults {
    pub(super) fn draw(args: &Args, dice: &mut Dice) -> Faults {
        let mut left = Vec::new();
        for (fault, count) in [
            (Fault::Kill, args.kills),
            (Fault::Stop, args.stops),
            (Fault::Restart, args.restarts),
            (Fault::Cut, args.cuts),
        ] {
            left.extend(std::iter::repeat_n(fault, count));
        }
        dice.shuffle(&mut left);
        Faults { left, next_at: Instant::now(), done: BTreeMap::new() }
    }

    /// Returns whether all faults have come and every worker is awake.
    pub(super) fn are_over(&self, workers: &Workers) -> bool {
        self.left.is_empty() && workers.stopped() == 0
    }

    /// Lets the next fault come if it is time and it hits somebody at work.
    pub(super) fn inject(
        &mut self,
        site: &mut Site,
        workers: &mut Workers,
        look: &Look,
        dice: &mut Dice,
    ) -> Result<(), Failure> {
        if self.next_at > Instant::now() || look.held.is_empty() {
            return Ok(());
        }
        let at_work = workers.at_work(&look.held);
        // Half of the workers go on.
        let may_stop = 2 * (workers.stopped() + 1) <= workers.count();
        let is_possible = |fault: &Fault| match fault {
            Fault::Kill => !at_work.is_empty(),
            Fault::Stop => may_stop && !at_work.is_empty(),
            Fault::Restart | Fault::Cut => true,
        };
        let Some(index) = self.left.iter().rposition(is_possible) else { return Ok(()) };
        let fault = self.left.remove(index);
        match (fault, dice.pick(&at_work)) {
            (Fault::Kill, Some(&worker)) => workers.kill(site, worker)?,
            (Fault::Stop, Some(&worker)) => {
                let (least, beyond) = BEYOND_LEASE_MS;
                let beyond = Duration::from_millis(dice.between(least, beyond));
                workers.stop(worker, Instant::now() + postgres::LEASE + beyond)?;
            }
            (Fault::Restart, _) => site.server.restart(),
            (Fault::Cut, _) => {
                site.proxy.cut_all();
                let cuts = [Cut::Before, Cut::During, Cut::After];
                site.proxy.cut_commits(dice.pick(&cuts).map_or(&[][..], std::slice::from_ref));
            }
            (Fault::Kill | Fault::Stop, None) => {}
        }
        *self.done.entry(fault).or_default() += 1;
        let (least, beyond) = PAUSE_MS;
        self.next_at = Instant::now() + Duration::from_millis(dice.between(least, beyond));
        Ok(())
    }

    /// Returns how many faults of a kind have come.
    pub(super) fn count(&self, fault: Fault) -> usize {
        self.done.get(&fault).copied().unwrap_or_default()
    }
}
