//! Taking a run up, and removing one: what must not happen to a run that a living process holds.

use std::sync::atomic::{AtomicBool, Ordering};

use deadpool_postgres::Transaction;
use run::log::{LogError, Status};
use uuid::Uuid;

use super::leases;
use super::rows::read_status;
use crate::Postgres;
use crate::connection::Unsure;
use crate::fault::Fault;
use crate::plain::{restored, stored};
use crate::usage::KEEP_OF_RUN;

/// Locks a run's row, so that of all who want the run one decides at a time.
const LOCK: &str = "
    SELECT status, owner, attempt, claim::text FROM runs WHERE user_id = $1 AND id = $2 FOR UPDATE";

/// If the previous worker died before it saw a request to stop, the next one inherits it.
const TAKE: &str = "
    UPDATE runs SET status = 'running', owner = $3, attempt = attempt + 1, claim = $4::text::uuid,
           cancel_by = CASE status WHEN 'running' THEN cancel_by END
     WHERE user_id = $1 AND id = $2 RETURNING attempt";

impl Postgres {
    /// Takes a run up for `owner`; returns the attempt.
    pub(super) async fn take_up(
        &self,
        user: &str,
        run: &str,
        owner: &str,
    ) -> Result<Result<u32, LogError>, Fault> {
        let given = (Place::of(user, run), stored(owner), Uuid::new_v4().to_string());
        self.write_with(Unsure::Repeat, given, |transaction, (at, owner, claim)| {
            Box::pin(take(transaction, at, owner, claim))
        })
        .await
    }

    /// Removes a run and its entries, unless a living process holds it. What it spent still counts on its day.
    pub(super) async fn delete(
        &self,
        user: &str,
        run: &str,
    ) -> Result<Result<(), LogError>, Fault> {
        // Whether it may have been removed before the connection broke.
        let given = (Place::of(user, run), AtomicBool::new(false));
        self.write_with(Unsure::Repeat, given, |transaction, (at, may_be_gone)| {
            Box::pin(async move {
                match delete(transaction, at).await? {
                    Err(LogError::NoSuchRun { .. }) if may_be_gone.load(Ordering::Relaxed) => {
                        Ok(Ok(()))
                    }
                    done => {
                        may_be_gone.fetch_or(done.is_ok(), Ordering::Relaxed);
                        Ok(done)
                    }
                }
            })
        })
        .await
    }
}

/// A run and its user.
struct Place {
    run: String,
    stored_user: String,
    stored_run: String,
}

impl Place {
    fn of(user: &str, run: &str) -> Place {
        Place {
            run: run.to_owned(),
            stored_user: stored(user).into_owned(),
            stored_run: stored(run).into_owned(),
        }
    }
}

/// A run whose row is locked.
struct Locked {
    status: Status,
    /// Who works on it, by the stored name.
    owner: Option<String>,
    attempt: i32,
    claim: Option<String>,
}

async fn lock(
    transaction: &Transaction<'_>,
    at: &Place,
) -> Result<Result<Locked, LogError>, Fault> {
    let prepared = transaction.prepare_cached(LOCK).await?;
    let row = transaction.query_opt(&prepared, &[&at.stored_user, &at.stored_run]).await?;
    let Some(row) = row else {
        return Ok(Err(LogError::NoSuchRun { run: at.run.clone() }));
    };
    let status = read_status(row.try_get(0)?)?;
    let owner: Option<String> = row.try_get(1)?;
    let owner = owner.filter(|_| status == Status::Running);
    Ok(Ok(Locked { status, owner, attempt: row.try_get(2)?, claim: row.try_get(3)? }))
}

/// Refuses what must not happen to a run that a living process holds.
async fn check_free(
    transaction: &Transaction<'_>,
    at: &Place,
    locked: &Locked,
) -> Result<Result<(), LogError>, Fault> {
    if let Some(owner) = &locked.owner
        && leases::lives(transaction, owner).await?
    {
        let owner = restored(owner.clone());
        return Ok(Err(LogError::Busy { run: at.run.clone(), owner }));
    }
    Ok(Ok(()))
}

async fn take(
    transaction: &Transaction<'_>,
    at: &Place,
    owner: &str,
    claim: &str,
) -> Result<Result<u32, LogError>, Fault> {
    let locked = match lock(transaction, at).await? {
        Ok(locked) => locked,
        Err(refused) => return Ok(Err(refused)),
    };
    // An earlier try was committed, and the connection broke before it was known.
    if locked.claim.as_deref() == Some(claim) {
        return read_attempt(locked.attempt).map(Ok);
    }
    if locked.status.is_final() || locked.status == Status::Waiting {
        let (run, status) = (at.run.clone(), locked.status.name());
        return Ok(Err(LogError::NotOpen { run, status }));
    }
    if let Err(refused) = check_free(transaction, at, &locked).await? {
        return Ok(Err(refused));
    }
    let prepared = transaction.prepare_cached(TAKE).await?;
    let values: [&(dyn tokio_postgres::types::ToSql + Sync); 4] =
        [&at.stored_user, &at.stored_run, &owner, &claim];
    let row = transaction.query_one(&prepared, &values).await?;
    read_attempt(row.try_get(0)?).map(Ok)
}

fn read_attempt(attempt: i32) -> Result<u32, Fault> {
    u32::try_from(attempt).map_err(Fault::unreadable)
}

async fn delete(transaction: &Transaction<'_>, at: &Place) -> Result<Result<(), LogError>, Fault> {
    let locked = match lock(transaction, at).await? {
        Ok(locked) => locked,
        Err(refused) => return Ok(Err(refused)),
    };
    if let Err(refused) = check_free(transaction, at, &locked).await? {
        return Ok(Err(refused));
    }
    for statement in [
        KEEP_OF_RUN,
        "DELETE FROM entries WHERE user_id = $1 AND run_id = $2",
        "DELETE FROM runs WHERE user_id = $1 AND id = $2",
    ] {
        let prepared = transaction.prepare_cached(statement).await?;
        transaction.execute(&prepared, &[&at.stored_user, &at.stored_run]).await?;
    }
    Ok(Ok(()))
}
