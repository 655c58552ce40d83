//! Removes runs: their logs and their own collections.

use std::time::Duration;

use jiff::Timestamp;

use crate::library;
use crate::log::LogError;
use crate::world::World;

/// Removes a run, its log and its own collection. A fork of it keeps its quotes, but can no longer open their sources.
///
/// Fails with [`LogError::Busy`] if a worker has the run.
pub async fn remove(world: &World, user: &str, run: &str) -> Result<(), LogError> {
    world.log.remove(user, run).await?;
    if let Some(library) = &world.library {
        let removed = library.remove(user, &library::of_run(run)).await;
        removed.map_err(|error| LogError::Store {
            action: format!("remove what run {run} had read"),
            reason: error.to_string(),
        })?;
    }
    Ok(())
}

/// Removes at most `most` runs that ended longer ago than `age`, the oldest first; only those of `user` if given.
///
/// Returns the removed runs, each with its user; empty if none are left.
pub async fn prune(
    world: &World,
    user: Option<&str>,
    age: Duration,
    most: u32,
) -> Result<Vec<(String, String)>, LogError> {
    // Nothing ended before the minimum timestamp.
    let before = world.clock.now().checked_sub(age).unwrap_or(Timestamp::MIN);
    let ended = world.log.ended_before(user, before, most).await?;
    for (user, run) in &ended {
        match remove(world, user, run).await {
            // Another process removed it first.
            Ok(()) | Err(LogError::NoSuchRun { .. }) => {}
            Err(error) => return Err(error),
        }
    }
    Ok(ended)
}
