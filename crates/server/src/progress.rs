//! Entries as status lines, for clients that show how a run goes on.

use run::entry::{Entry, Event};

/// Returns what an entry tells of the progress of its run, on one line; `None` for one that tells nothing.
pub(crate) fn word_entry(entry: &Entry) -> Option<String> {
    let line = match &entry.event {
        Event::Said { line } => line.clone(),
        Event::Called { step, asking: Some(asking), .. } => format!("{step}: {}", asking.model),
        Event::Called { step, asking: None, .. } => step.clone(),
        Event::Failed { step, error, .. } => format!("{step} failed: {error}"),
        Event::Refused { step, cap, .. } => format!("{step} was skipped: {cap}"),
        Event::Resumed { .. } => "The run was resumed.".to_owned(),
        _ => return None,
    };
    Some(run::ledger::one_line(&run::grounding::clean(&line))).filter(|line| !line.is_empty())
}
