//! A replay: calls the method over its log alone, to check that the result is the same.

use tokio::sync::watch;

use super::{FIRST_ATTEMPT, Method, finished, intact, stopped};
use crate::canonical::canonical;
use crate::entry::{Entry, Event, Head};
use crate::log::LogError;
use crate::run::{Result, Run, Stop};
use crate::world::{Reach, World};

/// The result of a replay.
#[derive(Debug, Clone, PartialEq)]
pub struct Replayed {
    /// The log with its last entry recomputed.
    pub entries: Vec<Entry>,
    /// Whether it equals the recorded one to the byte.
    pub same: bool,
    /// The version of the method that wrote the run, if it is another one and this version would not write the same. The entries are
    /// then those of the log, and nothing is recomputed.
    pub recorded_by: Option<u32>,
}

/// Calls the method over the log alone: no model, no documents, no network.
///
/// `world` provides the prompts and no external access. A run written by another version of the method is recomputed if this version
/// gives the same result, and otherwise returned as recorded.
pub async fn replay(
    world: &World,
    method: &Method,
    id: &str,
    entries: &[Entry],
) -> Result<Replayed> {
    let wrote = entries.first().and_then(|entry| match entry.event {
        Event::Started { version, .. } => Some(version),
        _ => None,
    });
    let wrote = wrote.filter(|version| *version != method.version);
    match (make_anew(world, method, id, entries).await, wrote) {
        (Ok(Replayed { same: false, .. }), Some(_))
        | (Err(Stop::Diverged { .. } | Stop::NotRecorded { .. }), Some(_)) => {
            Ok(Replayed { entries: entries.to_vec(), same: false, recorded_by: wrote })
        }
        (made, _) => made,
    }
}

async fn make_anew(
    world: &World,
    method: &Method,
    id: &str,
    entries: &[Entry],
) -> Result<Replayed> {
    intact(id, entries)?;
    let world = World {
        reach: Reach::Recorded,
        models: None,
        library: None,
        embedder: None,
        ..world.clone()
    };
    let (_open, never) = watch::channel(None);
    let ended = |event: &Event| {
        matches!(event, Event::Finished { .. } | Event::Stopped { .. } | Event::Cancelled { .. })
    };
    let [before @ .., last] = entries else {
        return Err(LogError::NoSuchRun { run: id.to_owned() }.into());
    };
    let past = if ended(&last.event) { before } else { entries };
    let run = Run::over(world, id, FIRST_ATTEMPT, past, never)?;
    let event = match method.performed(&run).await {
        Ok(deliverable) => finished(&run, deliverable),
        Err(stop) if matches!(last.event, Event::Stopped { .. }) => {
            as_recorded(stopped(&run, stop)?, &last.event)
        }
        Err(stop) => return Err(stop),
    };
    let mut entries = past.to_vec();
    let previous =
        past.last().map_or_else(Head::default, |entry| Head { seq: entry.seq, hash: entry.hash });
    let (remade, _) = Entry::seal(&previous, last.at, event);
    let same = canonical(&remade) == canonical(last);
    entries.push(remade);
    Ok(Replayed { entries, same, recorded_by: None })
}

/// Returns the end of a run without what an older log does not hold: the warnings of a run without a partial deliverable.
fn as_recorded(mut remade: Event, recorded: &Event) -> Event {
    if let Event::Stopped { partial: None, .. } = recorded
        && let Event::Stopped { partial, .. } = &mut remade
    {
        *partial = partial.take().filter(|partial| !partial.deliverable.is_null());
    }
    remade
}
