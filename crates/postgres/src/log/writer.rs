//! The one place that appends go through.
//!
//! Appends that wait at the same moment share one transaction. Appends without a waiting caller linger so that a step's end and the next
//! step's beginning share one; they still reach the server within milliseconds.

use std::collections::HashMap;
use std::mem::take;
use std::time::Duration;

use deadpool_postgres::{ClientWrapper, Object, Pool};
use run::log::{Append, Fence, LogError, Wait};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::sync::oneshot;
use tokio::time::{Instant, timeout_at};

use super::append::Values;
use super::batch::{self, Unstored};
use super::leases;
use super::news::Herald;
use crate::connection::{Absence, Patience, Unsure};
use crate::fault::Fault;

/// How long an append without a waiting caller may linger.
const LINGER: Duration = Duration::from_millis(2);
const LARGEST_BATCH: usize = 512;

pub(super) type Outcome = Result<(), LogError>;
/// A user, the id of a run, and the number of the attempt.
pub(super) type Attempt = (String, String, u32);
/// The attempts that lost an append without a waiting caller, and why. Their logs have a gap, so they write no more; a later claim of
/// such a run is another attempt.
pub(super) type Lost = HashMap<Attempt, LogError>;

enum Job {
    Append(Box<Queued>),
    /// Tells when everything before it is stored or refused.
    Settle(oneshot::Sender<()>),
}

/// An append whose caller may be waiting.
pub(super) struct Queued {
    pub(super) append: Append,
    ack: oneshot::Sender<Outcome>,
    /// Whether the connection broke in a commit that this append was part of.
    pub(super) may_be_stored: bool,
}

impl Queued {
    /// Returns the attempt that writes, if any: it appends entry after entry.
    pub(super) fn attempt(&self) -> Option<Attempt> {
        match self.append.fence {
            Fence::Attempt(number) => {
                Some((self.append.user.clone(), self.append.run.clone(), number))
            }
            Fence::New(_) | Fence::Idle(_) => None,
        }
    }

    /// Returns the values to store, or why there is nothing to store.
    pub(super) fn values(&self, lost: &Lost) -> Result<Values<'_>, LogError> {
        match self.attempt().and_then(|attempt| lost.get(&attempt)) {
            Some(error) => Err(error.clone()),
            None => Values::of(&self.append),
        }
    }

    fn creates_for(&self, owner: &str) -> bool {
        matches!(&self.append.fence, Fence::New(new) if new.owner.as_deref() == Some(owner))
    }
}

/// The queue of appends. When it is dropped, what is queued is stored and the lease of the process given up.
pub(crate) struct Writer {
    jobs: UnboundedSender<Job>,
    /// Tells other processes what changed.
    pub(super) herald: Herald,
}

impl Writer {
    /// Starts to write, on the current runtime.
    pub(crate) fn start(pool: Pool, owner: String, absence: Absence) -> Writer {
        let (jobs, queue) = unbounded_channel();
        let herald = Herald::start(pool.clone());
        let writing = Writing {
            pool,
            owner,
            client: None,
            lost: Lost::new(),
            herald: herald.clone(),
            absence,
        };
        tokio::spawn(writing.work(queue));
        Writer { jobs, herald }
    }

    /// Queues an append before it returns.
    pub(super) fn append(&self, append: Append) -> oneshot::Receiver<Outcome> {
        let (ack, done) = oneshot::channel();
        self.send(Job::Append(Box::new(Queued { append, ack, may_be_stored: false })));
        done
    }

    /// Waits until every append that was queued before is stored or refused.
    pub(super) async fn settle(&self) {
        let (ack, done) = oneshot::channel();
        self.send(Job::Settle(ack));
        // If the writer is gone, nothing is queued.
        let _ = done.await;
    }

    fn send(&self, job: Job) {
        // If the writer is gone, the ack is dropped with the job, and the caller notices.
        let _ = self.jobs.send(job);
    }
}

/// The task that writes.
struct Writing {
    pool: Pool,
    owner: String,
    client: Option<ClientWrapper>,
    lost: Lost,
    herald: Herald,
    absence: Absence,
}

impl Writing {
    async fn work(mut self, mut queue: UnboundedReceiver<Job>) {
        while let Some(first) = queue.recv().await {
            let (batch, settled) = gather(first, &mut queue).await;
            self.write(batch).await;
            if let Some(settled) = settled {
                let _ = settled.send(());
            }
        }
        // Whoever cannot be reached any more notices that the lease expires.
        if let Ok(client) = connect(&self.pool, &mut self.client).await {
            leases::give_up(client, &self.owner).await;
        }
    }

    /// Stores a batch and tells its callers; one by one if the appends cannot be stored together.
    async fn write(&mut self, mut batch: Vec<Queued>) {
        if batch.is_empty() {
            return;
        }
        let mut patience = Patience::new(&self.absence);
        match self.store(&mut batch, &mut patience).await {
            Some(outcomes) => self.answer(batch, outcomes),
            None => {
                for one in batch {
                    let mut one = vec![one];
                    let outcomes = self.store(&mut one, &mut patience).await.unwrap_or_default();
                    self.answer(one, outcomes);
                }
            }
        }
    }

    /// Stores appends in one transaction, however often the connection breaks; `None` if they must be stored one by one.
    async fn store(
        &mut self,
        batch: &mut [Queued],
        patience: &mut Patience,
    ) -> Option<Vec<Outcome>> {
        loop {
            let fault = match self.try_to_store(batch).await {
                Ok(outcomes) => return Some(outcomes),
                Err(Unstored::Apart) => return None,
                Err(Unstored::Failed(fault)) => fault,
            };
            // It may be in the middle of a transaction.
            self.client = None;
            if let Err(fault) = patience.wait(fault, Unsure::Repeat).await {
                return Some(vec![Err(fault.log("be written")); batch.len()]);
            }
        }
    }

    async fn try_to_store(&mut self, batch: &mut [Queued]) -> Result<Vec<Outcome>, Unstored> {
        let client = connect(&self.pool, &mut self.client).await?;
        if batch.iter().any(|queued| queued.creates_for(&self.owner)) {
            leases::hold(client, &self.owner).await?;
        }
        batch::store(client, batch, &self.lost).await
    }

    fn answer(&mut self, batch: Vec<Queued>, outcomes: Vec<Outcome>) {
        for (queued, outcome) in batch.into_iter().zip(outcomes) {
            if let (Err(error), Wait::Soon, Some(attempt)) =
                (&outcome, queued.append.wait, queued.attempt())
            {
                self.lost.entry(attempt).or_insert_with(|| error.clone());
            }
            if outcome.is_ok() {
                let Append { user, run, status, .. } = &queued.append;
                self.herald.changed(user, run, *status);
            }
            // Nobody may be waiting.
            let _ = queued.ack.send(outcome);
        }
    }
}

/// Returns the connection that writes: one of its own, so that no reader is in its way.
async fn connect<'a>(
    pool: &Pool,
    client: &'a mut Option<ClientWrapper>,
) -> Result<&'a ClientWrapper, Fault> {
    let kept = client.take().filter(|client| !client.is_closed());
    let open = match kept {
        Some(open) => open,
        None => Object::take(pool.get().await?),
    };
    Ok(client.insert(open))
}

/// Collects appends until one has a waiting caller and the queue is empty, or until somebody waits for all of them.
async fn gather(
    first: Job,
    queue: &mut UnboundedReceiver<Job>,
) -> (Vec<Queued>, Option<oneshot::Sender<()>>) {
    let until = Instant::now() + LINGER;
    let mut batch = Vec::new();
    let mut is_awaited = false;
    let mut next = Some(first);
    while let Some(job) = take(&mut next) {
        match job {
            Job::Append(queued) => {
                is_awaited |= queued.append.wait == Wait::Durable;
                batch.push(*queued);
            }
            Job::Settle(ack) => return (batch, Some(ack)),
        }
        if batch.len() >= LARGEST_BATCH {
            break;
        }
        next = match queue.try_recv() {
            Ok(job) => Some(job),
            Err(_) if is_awaited => None,
            Err(_) => timeout_at(until, queue.recv()).await.ok().flatten(),
        };
    }
    (batch, None)
}
