//! Who hears what a run does while it works.

use crate::entry::Entry;

/// A live signal from a working run.
#[derive(Debug)]
pub enum Signal<'a> {
    /// An entry was appended.
    Entry(&'a Entry),
    /// Words of a draft as the model writes them; not stored, and not yet checked.
    Words { step: &'a str, text: &'a str },
}

/// A live subscriber of runs. Must not block.
pub trait Listener: Send + Sync {
    fn hear(&self, run: &str, signal: Signal<'_>);
}

/// A listener that ignores everything.
pub struct NoopListener;

impl Listener for NoopListener {
    fn hear(&self, _: &str, _: Signal<'_>) {}
}
