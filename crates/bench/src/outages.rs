//! Tries what a Quaestio on PostgreSQL promises when things fail.
//!
//! A server takes orders and workers do them, all through a proxy before a PostgreSQL server of its own. Meanwhile workers are killed and
//! paused for longer than their lease, the database restarts, and connections break. In the end every run must be there and have ended as
//! it does without faults, with an intact log, and no completed call of a model may have been made again.

mod audit;
mod dice;
mod faults;
mod model;
mod orders;
mod play;
mod site;
mod verdict;
mod watch;
mod workers;

use std::path::PathBuf;
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::Failure;
use dice::Dice;
use faults::Faults;
use orders::{Counter, Ordered, Pace};
use site::Site;
use watch::Watch;
use workers::Workers;

#[derive(clap::Args)]
pub(crate) struct Args {
    /// The program that serves and works.
    #[arg(long)]
    program: PathBuf,
    /// Runs to order, at least: more are ordered as long as there are faults to come.
    #[arg(long, default_value_t = 200)]
    runs: usize,
    /// How often a worker is killed.
    #[arg(long, default_value_t = 100)]
    kills: usize,
    /// How often a worker is paused for longer than its lease.
    #[arg(long, default_value_t = 50)]
    stops: usize,
    /// How often the database restarts.
    #[arg(long, default_value_t = 20)]
    restarts: usize,
    /// How often all connections break.
    #[arg(long, default_value_t = 20)]
    cuts: usize,
    #[arg(long, default_value_t = 6)]
    workers: usize,
    /// Decides which faults come when.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Keeps the folder with what the processes said.
    #[arg(long)]
    keep: bool,
}

/// What came of it.
pub(crate) struct Tried {
    pub(crate) report: Value,
    /// The promises that were broken.
    pub(crate) broken: Vec<String>,
}

/// How often to look around.
const TICK: Duration = Duration::from_millis(250);
/// How long the runs may take to end once nothing fails any more.
const PATIENCE: Duration = Duration::from_mins(5);

pub(crate) fn measure(args: &Args) -> Result<Tried, Failure> {
    let began = Instant::now();
    let mut dice = Dice::new(args.seed);
    let mut site = Site::build(&args.program, args.seed, args.keep)?;
    let watch = Watch::over(&site.database)?;
    let mut counter = Counter::open(&site)?;
    let mut workers = Workers::start(&site, args.workers)?;

    let undisturbed: Vec<Ordered> =
        (0..orders::KINDS.len()).map(|_| counter.order()).collect::<Result<_, _>>()?;
    await_end(&watch, &workers, undisturbed.len(), PATIENCE)?;

    let pace = Arc::new(Pace::new(args.runs, args.workers, undisturbed.len()));
    let ordering = {
        let pace = Arc::clone(&pace);
        thread::spawn(move || counter.order_at(&pace))
    };
    let mut faults = Faults::draw(args, &mut dice);
    while !faults.are_over(&workers) || !ordering.is_finished() {
        thread::sleep(TICK);
        workers.revive(&site)?;
        let look = watch.look()?;
        // Faults that hit nobody try nothing.
        if ordering.is_finished() && look.unfinished == 0 && workers.stopped() == 0 {
            break;
        }
        pace.tell(look.ended, faults.are_over(&workers));
        faults.inject(&mut site, &mut workers, &look, &mut dice)?;
    }
    let counter = ordering.join().map_err(|_| "the orders broke down")?;
    let (ordered, counter) = counter?;
    await_end(&watch, &workers, undisturbed.len() + ordered.len(), PATIENCE)?;

    let history = workers.end();
    let orders_repeated = counter.close();
    let seen = verdict::Seen { undisturbed, ordered, history, faults, orders_repeated };
    verdict::judge(&site, &seen, began.elapsed())
}

/// Waits until so many runs have ended and none is queued or at work.
fn await_end(
    watch: &Watch,
    workers: &Workers,
    runs: usize,
    patience: Duration,
) -> Result<(), Failure> {
    let began = Instant::now();
    loop {
        let look = watch.look()?;
        if look.ended >= runs && look.unfinished == 0 {
            return Ok(());
        }
        if began.elapsed() > patience {
            // What is missing shows in the verdict.
            let told = workers.hindrances();
            return match look.ended {
                0 => Err(format!("no run ends: {told:?}").into()),
                _ => Ok(()),
            };
        }
        thread::sleep(TICK);
    }
}
