//! What a person at the terminal sees while a run works.

use std::io::{ErrorKind, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use run::Event;
use run::grounding::clean;
use run::listener::{Listener, Signal};

use crate::logs::{Level, Said};

/// A shared place to write to.
#[derive(Clone)]
pub struct Sink {
    writer: Arc<Mutex<dyn Write + Send>>,
    failed: Arc<AtomicBool>,
    /// Whether messages are written as JSON, one object a line.
    is_json: bool,
}

impl Sink {
    pub fn new(writer: impl Write + Send + 'static) -> Sink {
        Sink { writer: Arc::new(Mutex::new(writer)), failed: Arc::default(), is_json: false }
    }

    /// Returns the same sink, but every message becomes a line of JSON.
    pub(crate) fn as_json(&self) -> Sink {
        Sink { is_json: true, ..self.clone() }
    }

    /// Returns whether it takes lines of JSON and nothing else.
    pub(crate) fn is_json(&self) -> bool {
        self.is_json
    }

    /// Writes and flushes; a failed write shows in [`Sink::failed`].
    pub(crate) fn put(&self, text: &str) {
        if self.is_json {
            let said = Said::told(text);
            if !said.message.is_empty() {
                self.say(said);
            }
        } else {
            let _ = self.deliver(text);
        }
    }

    /// Writes a message; as JSON, with all its fields.
    pub(crate) fn say(&self, said: Said<'_>) {
        if self.is_json {
            let _ = self.deliver(&said.json());
        } else {
            self.line(said.message);
        }
    }

    /// Writes and flushes; returns whether the text was written.
    pub(crate) fn deliver(&self, text: &str) -> bool {
        self.deliver_bytes(text.as_bytes())
    }

    /// Writes bytes that need not be text, and flushes; returns whether they were written.
    pub(crate) fn deliver_bytes(&self, bytes: &[u8]) -> bool {
        let mut writer = self.writer.lock().unwrap_or_else(PoisonError::into_inner);
        let written = writer.write_all(bytes).and_then(|()| writer.flush());
        if let Err(error) = &written
            && error.kind() != ErrorKind::BrokenPipe
        {
            self.failed.store(true, Ordering::Relaxed);
        }
        written.is_ok()
    }

    /// Returns whether something could not be written. A closed pipe does not count.
    pub(crate) fn failed(&self) -> bool {
        self.failed.load(Ordering::Relaxed)
    }

    pub(crate) fn line(&self, text: &str) {
        self.put(&format!("{text}\n"));
    }

    /// Writes a line about a run.
    pub(crate) fn line_about(&self, run: &str, text: &str) {
        if self.is_json {
            self.say(Said::told(text).about(run));
        } else {
            self.line(text);
        }
    }
}

/// Writes a line for each step, and the draft as it arrives if `drafts` is set.
pub(crate) struct Progress {
    err: Sink,
    drafts: bool,
    open_draft: Mutex<bool>,
}

impl Progress {
    pub(crate) fn new(err: Sink, drafts: bool) -> Progress {
        let drafts = drafts && !err.is_json();
        Progress { err, drafts, open_draft: Mutex::new(false) }
    }

    fn say(&self, run: &str, level: Level, event: &str, text: &str) {
        let mut open = self.open_draft.lock().unwrap_or_else(PoisonError::into_inner);
        if std::mem::take(&mut *open) {
            self.err.put("\n");
        }
        self.err.say(Said::of(level, event, &clean(text)).about(run));
    }
}

impl Listener for Progress {
    fn hear(&self, run: &str, signal: Signal<'_>) {
        let entry = match signal {
            Signal::Words { text, .. } => {
                if self.drafts {
                    let mut open = self.open_draft.lock().unwrap_or_else(PoisonError::into_inner);
                    if !std::mem::replace(&mut *open, true) {
                        self.err.put("  draft, not yet checked: ");
                    }
                    self.err.put(&clean(text).replace('\n', " "));
                }
                return;
            }
            Signal::Entry(entry) => entry,
        };
        let say = |level, event, text: &str| self.say(run, level, event, text);
        match &entry.event {
            Event::Started { .. } | Event::Forked { .. } => {
                say(Level::Info, "started", &format!("run {run}"));
            }
            Event::Resumed { attempt } => {
                say(Level::Info, "resumed", &format!("run {run} goes on (attempt {attempt})"));
            }
            Event::Called { step, asking, .. } => match asking {
                Some(asking) => say(Level::Info, "called", &format!("{step}: {}", asking.model)),
                None => say(Level::Info, "called", step),
            },
            Event::Failed { step, error, .. } => {
                say(Level::Warning, "failed", &format!("{step}: failed: {error}"));
            }
            Event::Refused { step, cap, .. } => {
                say(Level::Warning, "refused", &format!("{step}: not allowed: {cap}"));
            }
            Event::Said { line } => say(Level::Info, "said", &format!("  {line}")),
            Event::Asked { gate, ask } => {
                say(Level::Info, "asked", &format!("asks at '{gate}': {}", ask.question));
            }
            Event::Rejected { by, .. } => {
                say(Level::Info, "rejected", &format!("the plan is rejected by {by}"));
            }
            Event::Cancelled { by, .. } => {
                say(Level::Info, "cancelled", &format!("cancelled by {by}"));
            }
            Event::Stopped { stage, reason, .. } => {
                say(Level::Error, "stopped", &format!("stopped at {stage}: {reason}"));
            }
            Event::Finished { .. } => say(Level::Info, "finished", "done"),
            Event::Returned { .. }
            | Event::Cited { .. }
            | Event::Answered { .. }
            | Event::Revised { .. }
            | Event::Approved { .. } => {}
        }
    }
}
