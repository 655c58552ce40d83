//! One transaction for all appends of a batch.
//!
//! The statements are sent without waiting for answers, so a batch costs two round trips: one for all statements, one for the commit.

use std::collections::{BTreeSet, HashMap};
use std::future::{Future, poll_fn, ready};
use std::task::Poll;

use deadpool_postgres::ClientWrapper;
use futures::future::BoxFuture;
use run::log::{LogError, Wait};

use super::append::{Answer, Statements, Values};
use super::rows;
use super::writer::{Attempt, Lost, Outcome, Queued};
use crate::fault::Fault;

const BEGIN: &str = "BEGIN ISOLATION LEVEL READ COMMITTED";

/// Why a batch was not stored.
pub(super) enum Unstored {
    /// Its appends must be stored one by one.
    Apart,
    Failed(Fault),
}

impl From<Fault> for Unstored {
    fn from(fault: Fault) -> Unstored {
        Unstored::Failed(fault)
    }
}

/// Stores a batch in one transaction; returns what came of each append.
///
/// After a fault the connection may be in the middle of the transaction.
pub(super) async fn store(
    client: &ClientWrapper,
    batch: &mut [Queued],
    lost: &Lost,
) -> Result<Vec<Outcome>, Unstored> {
    let statements = Statements::prepare(client).await.map_err(Fault::from)?;
    let mut outcomes = match execute(client, &statements, batch, lost).await {
        // An error of one append has undone the others.
        Err(Fault::Conflict(_) | Fault::Other(_)) if batch.len() > 1 => {
            client.batch_execute("ROLLBACK").await.map_err(Fault::from)?;
            return Err(Unstored::Apart);
        }
        outcomes => outcomes?,
    };
    if let Err(Overtaken) = pass_losses_on(batch, &mut outcomes) {
        client.batch_execute("ROLLBACK").await.map_err(Fault::from)?;
        return Err(Unstored::Apart);
    }
    for (queued, outcome) in batch.iter_mut().zip(&outcomes) {
        queued.may_be_stored |= outcome.is_ok();
    }
    client.batch_execute("COMMIT").await.map_err(Fault::from)?;
    Ok(outcomes)
}

/// Executes the statements of a batch in a new transaction.
async fn execute(
    client: &ClientWrapper,
    statements: &Statements,
    batch: &[Queued],
    lost: &Lost,
) -> Result<Vec<Outcome>, Fault> {
    let values: Vec<Result<Values<'_>, LogError>> =
        batch.iter().map(|queued| queued.values(lost)).collect();
    let answers = send_all(client, statements, &values).await?;
    let mut outcomes = Vec::with_capacity(batch.len());
    for ((queued, values), answer) in batch.iter().zip(values).zip(answers) {
        let (values, answer) = match (values, answer) {
            (Ok(values), Some(answer)) => (values, answer),
            (Err(refused), _) => {
                outcomes.push(Err(refused));
                continue;
            }
            (Ok(values), None) => {
                outcomes.push(Err(values.fenced()));
                continue;
            }
        };
        let outcome = match answer {
            Answer::Stored => Ok(()),
            Answer::Refused(refused) => Err(refused),
            Answer::Taken(key) => Err(name_holder(client, &values, key).await?),
        };
        // What the lost answer of an earlier commit would have told.
        let is_stored = outcome.is_err()
            && queued.may_be_stored
            && values.is_stored(client, statements).await?;
        outcomes.push(if is_stored { Ok(()) } else { outcome });
    }
    Ok(outcomes)
}

/// Begins a transaction and executes a statement for each append that has values, in order. Waits only once all are sent.
async fn send_all(
    client: &ClientWrapper,
    statements: &Statements,
    values: &[Result<Values<'_>, LogError>],
) -> Result<Vec<Option<Answer>>, Fault> {
    let begun = start(client.batch_execute(BEGIN)).await;
    let keys: BTreeSet<i64> = values.iter().flatten().filter_map(Values::lock_key).collect();
    let keys = Vec::from_iter(keys);
    // All of them before anything else is locked, so that transactions do not wait for each other in a circle.
    let locked = match keys.is_empty() {
        true => None,
        false => Some(start(statements.lock(client, &keys)).await),
    };
    let mut sent = Vec::with_capacity(values.len());
    for values in values {
        sent.push(match values {
            Ok(values) => Some(start(values.store(client, statements)).await),
            Err(_) => None,
        });
    }
    begun.await?;
    if let Some(locked) = locked {
        locked.await?;
    }
    let mut answers = Vec::with_capacity(sent.len());
    for sent in sent {
        answers.push(match sent {
            Some(sent) => Some(sent.await?),
            None => None,
        });
    }
    Ok(answers)
}

/// Polls a future once, which sends what it has to send, and returns the rest of it.
async fn start<'a, T: Send + 'a>(future: impl Future<Output = T> + Send + 'a) -> BoxFuture<'a, T> {
    let mut future: BoxFuture<'a, T> = Box::pin(future);
    let done = poll_fn(|context| match future.as_mut().poll(context) {
        Poll::Ready(done) => Poll::Ready(Some(done)),
        Poll::Pending => Poll::Ready(None),
    });
    match done.await {
        Some(done) => Box::pin(ready(done)),
        None => future,
    }
}

/// Returns why a run could not be created, if nothing that was visible at first was in the way.
async fn name_holder(
    client: &ClientWrapper,
    values: &Values<'_>,
    key: String,
) -> Result<LogError, Fault> {
    Ok(match rows::keyed(client, &values.user, &key).await? {
        Some((run, _)) => LogError::KeyTaken { key, run },
        None => values.fenced(),
    })
}

/// An append was stored although its attempt had lost an earlier one in the same batch.
struct Overtaken;

/// Gives the appends of an attempt that lost one in this batch the same error.
fn pass_losses_on(batch: &[Queued], outcomes: &mut [Outcome]) -> Result<(), Overtaken> {
    let mut lost: HashMap<Attempt, LogError> = HashMap::new();
    for (queued, outcome) in batch.iter().zip(outcomes) {
        let Some(attempt) = queued.attempt() else { continue };
        match (lost.get(&attempt), &outcome) {
            (Some(_), Ok(())) => return Err(Overtaken),
            (Some(error), Err(_)) => *outcome = Err(error.clone()),
            (None, Err(error)) if queued.append.wait == Wait::Soon => {
                lost.insert(attempt, error.clone());
            }
            (None, _) => {}
        }
    }
    Ok(())
}
