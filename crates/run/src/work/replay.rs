//! A replay: the method called over its log alone, to see whether the same comes of it.

use tokio::sync::watch;

use super::{FIRST_ATTEMPT, Method, finished, intact, stopped};
use crate::canonical::canonical;
use crate::entry::{Entry, Event, Head};
use crate::ports::{LogError, Reach, World};
use crate::run::{Result, Run};

/// What a replay came to.
#[derive(Debug, Clone, PartialEq)]
pub struct Replayed {
    /// The log with the last entry made anew.
    pub entries: Vec<Entry>,
    /// Whether it is the recorded one to the byte.
    pub same: bool,
}

/// Calls the method over the log alone: no model, no documents, no network.
///
/// `world` provides the prompts and nothing that reaches outside.
pub async fn replay(
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
    Ok(Replayed { entries, same })
}

/// Returns the end of a run without what an older log does not hold: warnings of a run that kept nothing to show.
fn as_recorded(mut remade: Event, recorded: &Event) -> Event {
    if let Event::Stopped { partial: None, .. } = recorded
        && let Event::Stopped { partial, .. } = &mut remade
    {
        *partial = partial.take().filter(|partial| !partial.deliverable.is_null());
    }
    remade
}
