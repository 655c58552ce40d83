//! Removal of runs: a named one, those that ended long ago, and, if configured, the latter automatically.

use std::time::Duration;

use run::log::LogError;
use run::work;

use crate::state::{App, Shared};

/// How often the server looks for expired runs.
const LOOK: Duration = Duration::from_secs(3_600);
/// The most runs removed per request.
pub(crate) const LOT: u32 = 1_000;

/// Removes a run and everything that belongs to it alone.
pub(crate) async fn remove(app: &App, user: &str, run: &str) -> Result<(), LogError> {
    work::remove(app.world(), user, run).await?;
    left(app, user, run).await;
    Ok(())
}

/// Removes up to [`LOT`] runs that ended longer ago than `age`, only those of `user` if given; returns the number removed.
pub(crate) async fn prune(app: &App, user: Option<&str>, age: Duration) -> Result<usize, LogError> {
    let removed = work::prune(app.world(), user, age, LOT).await?;
    for (user, run) in &removed {
        left(app, user, run).await;
    }
    Ok(removed.len())
}

async fn left(app: &App, user: &str, run: &str) {
    app.queue.forget(user, run);
    app.backend.removed(user, run).await;
}

/// Removes expired runs while the server runs.
pub(crate) async fn serve(app: Shared) {
    let Some(age) = app.config.keep_ended else { return std::future::pending().await };
    let mut look = tokio::time::interval(LOOK);
    loop {
        look.tick().await;
        // Failures are retried at the next look.
        while matches!(prune(&app, None, age).await, Ok(1..)) {}
    }
}
