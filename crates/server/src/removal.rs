//! Runs that are removed: one that somebody names, those that ended long ago, and, where the server is told so, the latter by themselves.

use std::time::Duration;

use run::log::LogError;
use run::work;

use crate::state::{App, Shared};

/// How often the server looks for runs that it is not to keep any longer.
const LOOK: Duration = Duration::from_secs(3_600);
/// Runs that are removed at one request, at most.
pub(crate) const LOT: u32 = 1_000;

/// Removes a run and everything that is its own.
pub(crate) async fn remove(app: &App, user: &str, run: &str) -> Result<(), LogError> {
    work::remove(app.world(), user, run).await?;
    left(app, user, run).await;
    Ok(())
}

/// Removes up to [`LOT`] runs that ended longer ago than `age`, of `user` alone where one is named; returns how many.
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

/// Removes what is kept no longer, for as long as the server runs.
pub(crate) async fn serve(app: Shared) {
    let Some(age) = app.config.keep_ended else { return std::future::pending().await };
    let mut look = tokio::time::interval(LOOK);
    loop {
        look.tick().await;
        // What fails is tried again at the next look.
        while matches!(prune(&app, None, age).await, Ok(1..)) {}
    }
}
