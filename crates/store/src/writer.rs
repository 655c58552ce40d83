//! The only writing connection.
//!
//! Jobs that wait at the same moment share one transaction and one disk sync. Appends without a waiting caller linger so that a step's
//! end and the next step's beginning share one commit; they still reach the disk within milliseconds.

use std::collections::HashMap;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::mpsc::{self, Receiver, Sender};
use std::thread;
use std::time::{Duration, Instant};

use futures::channel::oneshot;
use rusqlite::{Connection, ffi};

use run::log::{Append, Fence, LogError, Wait};

use crate::file::DatabaseFile;
use crate::owner::Owner;
use crate::{broken_off, log};

/// How long an append without a waiting caller may linger.
const LINGER: Duration = Duration::from_millis(2);
const LARGEST_BATCH: usize = 512;

type Task = Box<dyn FnOnce(rusqlite::Result<&mut Connection>) + Send>;
type Ack = oneshot::Sender<Result<(), LogError>>;

/// The attempts that lost an append without a waiting caller, and why. Their logs have a gap, so they write no more; a later claim of
/// such a run is another attempt.
type Lost = HashMap<(String, String, u32), LogError>;

enum Job {
    Append(Box<Append>, Ack),
    Task(Task),
}

pub(crate) struct Writer {
    /// `None` in a read-only store.
    jobs: Option<Sender<Job>>,
    thread: Option<thread::JoinHandle<()>>,
}

impl Writer {
    pub(crate) fn start(
        connection: Connection,
        file: DatabaseFile,
        owners: Arc<Owner>,
    ) -> io::Result<Writer> {
        let (jobs, queue) = mpsc::channel();
        let thread = thread::Builder::new()
            .name("store-writer".into())
            .spawn(move || write(connection, &file, &owners, &queue))?;
        Ok(Writer { jobs: Some(jobs), thread: Some(thread) })
    }

    /// Returns a writer that refuses everything.
    pub(crate) fn refusing() -> Writer {
        Writer { jobs: None, thread: None }
    }

    pub(crate) fn append(&self, append: Append) -> oneshot::Receiver<Result<(), LogError>> {
        let (ack, done) = oneshot::channel();
        self.send(Job::Append(Box::new(append), ack));
        done
    }

    /// Runs `work` between commits and returns its result.
    pub(crate) async fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce(&mut Connection) -> rusqlite::Result<T> + Send + 'static,
    ) -> rusqlite::Result<T> {
        let (ack, done) = oneshot::channel();
        self.send(Job::Task(Box::new(move |connection| {
            // The caller may be gone by now.
            let _ = ack.send(connection.and_then(work));
        })));
        done.await.unwrap_or_else(|_| Err(broken_off()))
    }

    fn send(&self, job: Job) {
        // A stopped thread drops the ack, and the caller may drop its end; each notices that the other is gone.
        let _ = match (&self.jobs, job) {
            (Some(jobs), job) => jobs.send(job).map_err(|_| ()),
            (None, Job::Task(task)) => {
                task(Err(read_only()));
                Ok(())
            }
            (None, Job::Append(_, ack)) => {
                ack.send(Err(log::error("be written", &read_only()))).map_err(|_| ())
            }
        };
    }
}

fn read_only() -> rusqlite::Error {
    let reason = "the data folder is read-only".to_owned();
    rusqlite::Error::SqliteFailure(ffi::Error::new(ffi::SQLITE_READONLY), Some(reason))
}

impl Drop for Writer {
    fn drop(&mut self) {
        self.jobs = None;
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

fn write(mut connection: Connection, file: &DatabaseFile, owners: &Owner, queue: &Receiver<Job>) {
    let mut batch: Vec<(Box<Append>, Ack)> = Vec::new();
    let mut lost = Lost::new();
    let mut task: Option<Task> = None;
    while let Ok(first) = queue.recv() {
        gather(first, queue, &mut batch, &mut task);
        // A panic ends this job only: its callers see their acks dropped, and its open transaction is rolled back.
        let _ = catch_unwind(AssertUnwindSafe(|| {
            if !batch.is_empty() {
                commit(&connection, file, owners, &mut batch, &mut lost);
            }
        }));
        batch.clear();
        roll_back(&connection);
        let _ = catch_unwind(AssertUnwindSafe(|| {
            if let Some(task) = task.take() {
                task(file.unmoved().map(|()| &mut connection));
            }
        }));
    }
}

/// Collects appends until one has a waiting caller and the queue is empty, or until a task arrives.
fn gather(
    first: Job,
    queue: &Receiver<Job>,
    batch: &mut Vec<(Box<Append>, Ack)>,
    task: &mut Option<Task>,
) {
    let until = Instant::now() + LINGER;
    let mut awaited = false;
    let mut next = Some(first);
    while let Some(job) = next.take() {
        match job {
            Job::Append(append, ack) => {
                awaited |= append.wait == Wait::Durable;
                batch.push((append, ack));
            }
            Job::Task(work) => {
                *task = Some(work);
                return;
            }
        }
        if batch.len() >= LARGEST_BATCH {
            return;
        }
        next = match queue.try_recv() {
            Ok(job) => Some(job),
            Err(_) if awaited => None,
            Err(_) => queue.recv_timeout(until.saturating_duration_since(Instant::now())).ok(),
        };
    }
}

fn commit(
    connection: &Connection,
    file: &DatabaseFile,
    owners: &Owner,
    batch: &mut Vec<(Box<Append>, Ack)>,
    lost: &mut Lost,
) {
    let outcome = store(connection, file, owners, batch, lost);
    for (index, (append, ack)) in batch.drain(..).enumerate() {
        let result = match &outcome {
            Ok(results) => results.get(index).cloned().unwrap_or(Ok(())),
            Err(error) => Err(error.clone()),
        };
        if let (Err(error), Wait::Soon, Some(attempt)) =
            (&result, append.wait, identify_attempt(&append))
        {
            lost.entry(attempt).or_insert_with(|| error.clone());
        }
        let _ = ack.send(result);
    }
}

/// Identifies the attempt that writes, if any: it appends entry after entry.
fn identify_attempt(append: &Append) -> Option<(String, String, u32)> {
    match append.fence {
        Fence::Attempt(attempt) => Some((append.user.clone(), append.run.clone(), attempt)),
        Fence::New(_) | Fence::Idle(_) => None,
    }
}

/// Stores a batch in one transaction; returns the result of each append.
fn store(
    connection: &Connection,
    file: &DatabaseFile,
    owners: &Owner,
    batch: &[(Box<Append>, Ack)],
    lost: &Lost,
) -> Result<Vec<Result<(), LogError>>, LogError> {
    let failed = |error: rusqlite::Error| log::error("be written", &error);
    file.unmoved().map_err(failed)?;
    let stored = |apart: Apart| {
        execute(connection, "BEGIN IMMEDIATE").map_err(failed)?;
        let stored = each(connection, owners, batch, lost, apart).and_then(|results| {
            Ok(execute(connection, "COMMIT").map(|()| results).map_err(failed)?)
        });
        roll_back(connection);
        stored
    };
    let stored = match stored(Apart::Beginnings) {
        Err(Failed::One(_)) => stored(Apart::All),
        stored => stored,
    };
    stored.map_err(|(Failed::Whole(error) | Failed::One(error))| error)
}

/// Which appends get a savepoint of their own, so that a refusal does not affect the others. Each savepoint costs a copy of the pages
/// that it changes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Apart {
    /// Those that create a run: they may be refused after they have written something.
    Beginnings,
    All,
}

/// Why a batch was not stored.
enum Failed {
    Whole(LogError),
    /// One of its appends failed after it had written something.
    One(LogError),
}

impl From<LogError> for Failed {
    fn from(error: LogError) -> Failed {
        Failed::Whole(error)
    }
}

fn each(
    connection: &Connection,
    owners: &Owner,
    batch: &[(Box<Append>, Ack)],
    lost: &Lost,
    apart: Apart,
) -> Result<Vec<Result<(), LogError>>, Failed> {
    let failed = |error: rusqlite::Error| log::error("be written", &error);
    let mut results = Vec::with_capacity(batch.len());
    // Attempts that lose an append in this batch.
    let mut holed = Lost::new();
    for (append, _) in batch {
        let attempt = identify_attempt(append);
        let earlier =
            attempt.as_ref().and_then(|attempt| holed.get(attempt).or_else(|| lost.get(attempt)));
        if let Some(error) = earlier {
            results.push(Err(error.clone()));
            continue;
        }
        let is_apart = apart == Apart::All || matches!(append.fence, Fence::New(_));
        if is_apart {
            execute(connection, "SAVEPOINT one").map_err(failed)?;
        }
        match log::append(connection, owners, append) {
            Ok(()) => {
                if is_apart {
                    execute(connection, "RELEASE one").map_err(failed)?;
                }
                results.push(Ok(()));
            }
            Err(LogError::DiskFull) => return Err(LogError::DiskFull.into()),
            Err(refused) => {
                if is_apart {
                    // Fails if SQLite has already rolled back the whole transaction.
                    execute(connection, "ROLLBACK TO one")
                        .and_then(|()| execute(connection, "RELEASE one"))
                        .map_err(|_| refused.clone())?;
                } else if !matches!(refused, LogError::Fenced { .. }) {
                    // A fenced append has written nothing.
                    return Err(Failed::One(refused));
                }
                if let (Some(attempt), Wait::Soon) = (attempt, append.wait) {
                    holed.insert(attempt, refused.clone());
                }
                results.push(Err(refused));
            }
        }
    }
    Ok(results)
}

/// Executes a statement from the cache: preparing these each time would be a tenth of a commit's cost.
fn execute(connection: &Connection, statement: &str) -> rusqlite::Result<()> {
    connection.prepare_cached(statement)?.execute([]).map(|_| ())
}

/// Rolls back an open transaction, if there is one.
fn roll_back(connection: &Connection) {
    if !connection.is_autocommit() {
        // It fails only if there is nothing left to roll back.
        let _ = connection.execute_batch("ROLLBACK");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // proves: C1
    #[tokio::test]
    async fn a_panic_ends_one_piece_of_work_and_no_other() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("any.db");
        let connection = crate::file::connect(&path).unwrap();
        let owner = Arc::new(Owner::register(&folder.path().join("owners")).unwrap());
        let writer = Writer::start(connection, DatabaseFile::at(&path), owner).unwrap();
        let begun = writer.run(|connection| {
            let transaction = connection.transaction()?;
            transaction.execute_batch("CREATE TABLE half (done)")?;
            panic!("as this test wants it")
        });
        let begun: rusqlite::Result<()> = begun.await;
        assert!(begun.is_err());
        let tables = writer.run(|connection| {
            connection
                .query_row("SELECT count(*) FROM sqlite_master", [], |row| row.get::<_, i64>(0))
        });
        assert_eq!(tables.await.unwrap(), 0);
    }
}
