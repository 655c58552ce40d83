//! Leases: which processes live, by the clock of the database alone.
//!
//! A process has one lease for all its runs. A run is held while its owner has a lease that has not expired. No transaction touches both
//! a lease and a run, so processes do not block each other.

use std::sync::{MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use deadpool_postgres::Transaction;
use tokio_postgres::Client;

use crate::fault::Fault;
use crate::{LEASE, Postgres};

/// Begins or renews the lease of a process. Clears away what processes left behind that died long ago: no lease means the same as one
/// that has expired.
const HOLD: &str = "
    WITH cleared AS (
        DELETE FROM owners WHERE name IN (
            SELECT name FROM owners
             WHERE name <> $1::text AND lease_until < clock_timestamp() - interval '1 hour'
               FOR UPDATE SKIP LOCKED)
    )
    INSERT INTO owners (name, lease_until) VALUES ($1::text, clock_timestamp() + make_interval(secs => $2))
    ON CONFLICT (name) DO UPDATE SET lease_until = excluded.lease_until";

/// Renews a lease that somebody has.
const PROLONG: &str = "
    UPDATE owners SET lease_until = clock_timestamp() + make_interval(secs => $2) WHERE name = $1";

const GIVE_UP: &str = "DELETE FROM owners WHERE name = $1";

/// Tells whether a process lives.
const LIVES: &str = "SELECT FROM owners WHERE name = $1 AND lease_until > clock_timestamp()";

/// A lease that was renewed so recently needs no renewal.
const FRESH: Duration = Duration::from_secs(6);

/// How long to try to give a lease up: after that it expires by itself.
const LAST_TRY: Duration = Duration::from_secs(5);

impl Postgres {
    /// Begins or renews the lease of this process.
    pub(super) async fn hold_lease(&self) -> Result<(), Fault> {
        let began = Instant::now();
        self.execute(HOLD, &[&self.shared.owner, &LEASE.as_secs_f64()]).await?;
        *self.held_at() = Some(began);
        Ok(())
    }

    /// Begins the lease of this process, or renews it if that is due.
    pub(super) async fn keep_lease(&self) -> Result<(), Fault> {
        let is_fresh = self.held_at().is_some_and(|held_at| held_at.elapsed() < FRESH);
        if is_fresh { Ok(()) } else { self.hold_lease().await }
    }

    fn held_at(&self) -> MutexGuard<'_, Option<Instant>> {
        self.shared.held_at.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Renews the lease of another process, if it has one.
    pub(super) async fn prolong_lease(&self, owner: &str) -> Result<(), Fault> {
        let owner = crate::plain::stored(owner);
        self.execute(PROLONG, &[&owner, &LEASE.as_secs_f64()]).await.map(|_| ())
    }

    /// Gives the lease of this process up: others may take its runs at once.
    pub(super) async fn give_lease_up(&self) -> Result<(), Fault> {
        *self.held_at() = None;
        self.execute(GIVE_UP, &[&self.shared.owner]).await.map(|_| ())
    }
}

/// Begins or renews the lease of this process over the connection that writes.
pub(super) async fn hold(client: &Client, owner: &str) -> Result<(), Fault> {
    client.execute(HOLD, &[&owner, &LEASE.as_secs_f64()]).await?;
    Ok(())
}

/// Gives a lease up over the connection that writes. If that fails, the lease expires by itself.
pub(super) async fn give_up(client: &Client, owner: &str) {
    let _ = tokio::time::timeout(LAST_TRY, client.execute(GIVE_UP, &[&owner])).await;
}

/// Returns whether the process with this stored name lives.
///
/// It must be a query of its own after the run was locked: in the same query it may see the leases as they were before the wait.
pub(super) async fn lives(transaction: &Transaction<'_>, owner: &str) -> Result<bool, Fault> {
    let prepared = transaction.prepare_cached(LIVES).await?;
    Ok(transaction.query_opt(&prepared, &[&owner]).await?.is_some())
}
