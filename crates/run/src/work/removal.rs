//! Runs are removed: their logs, and what was read for them alone.

use std::time::Duration;

use jiff::Timestamp;

use crate::library;
use crate::ports::{LogError, World};

/// Removes a run, its log and the collection of its own. A fork of it keeps its quotes, and can no longer open their sources.
///
/// One that somebody works on is [`LogError::Busy`].
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

/// Removes runs that ended longer ago than `age`, the oldest first, of `user` alone where one is named, and no more than `most`.
///
/// Returns those that were removed, each with its user; none where there are no more.
pub async fn prune(
    world: &World,
    user: Option<&str>,
    age: Duration,
    most: u32,
) -> Result<Vec<(String, String)>, LogError> {
    // Before the beginning of time nothing has ended.
    let before = world.clock.now().checked_sub(age).unwrap_or(Timestamp::MIN);
    let ended = world.log.ended_before(user, before, most).await?;
    for (user, run) in &ended {
        match remove(world, user, run).await {
            // Somebody was there first.
            Ok(()) | Err(LogError::NoSuchRun { .. }) => {}
            Err(error) => return Err(error),
        }
    }
    Ok(ended)
}
