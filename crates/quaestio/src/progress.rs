//! What a person at the terminal sees while a run works.

use std::io::{ErrorKind, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use run::Event;
use run::grounding::clean;
use run::ports::{Listener, Signal};

/// Somewhere to write to, shared.
#[derive(Clone)]
pub struct Sink {
    writer: Arc<Mutex<dyn Write + Send>>,
    failed: Arc<AtomicBool>,
}

impl Sink {
    pub fn new(writer: impl Write + Send + 'static) -> Sink {
        Sink { writer: Arc::new(Mutex::new(writer)), failed: Arc::default() }
    }

    /// Writes and flushes; what cannot be written shows in [`Sink::failed`].
    pub(crate) fn put(&self, text: &str) {
        let _ = self.deliver(text);
    }

    /// Writes and flushes; tells whether there still is a reader.
    pub(crate) fn deliver(&self, text: &str) -> bool {
        let mut writer = self.writer.lock().unwrap_or_else(PoisonError::into_inner);
        let written = writer.write_all(text.as_bytes()).and_then(|()| writer.flush());
        if let Err(error) = &written
            && error.kind() != ErrorKind::BrokenPipe
        {
            self.failed.store(true, Ordering::Relaxed);
        }
        written.is_ok()
    }

    /// Tells whether something could not be written. A reader that has gone away does not count.
    pub(crate) fn failed(&self) -> bool {
        self.failed.load(Ordering::Relaxed)
    }

    pub(crate) fn line(&self, text: &str) {
        self.put(&format!("{text}\n"));
    }
}

/// Writes a line for each step, and the draft as it comes where `drafts` says so.
pub(crate) struct Progress {
    err: Sink,
    drafts: bool,
    open_draft: Mutex<bool>,
}

impl Progress {
    pub(crate) fn new(err: Sink, drafts: bool) -> Progress {
        Progress { err, drafts, open_draft: Mutex::new(false) }
    }

    fn line(&self, text: &str) {
        let mut open = self.open_draft.lock().unwrap_or_else(PoisonError::into_inner);
        if std::mem::take(&mut *open) {
            self.err.put("\n");
        }
        self.err.line(&clean(text));
    }
}

impl Listener for Progress {
    fn hear(&self, run: &str, signal: Signal<'_>) {
        match signal {
            Signal::Words { text, .. } if self.drafts => {
                let mut open = self.open_draft.lock().unwrap_or_else(PoisonError::into_inner);
                if !std::mem::replace(&mut *open, true) {
                    self.err.put("  draft, not yet checked: ");
                }
                self.err.put(&clean(text).replace('\n', " "));
            }
            Signal::Words { .. } => {}
            Signal::Entry(entry) => match &entry.event {
                Event::Started { .. } | Event::Forked { .. } => self.line(&format!("run {run}")),
                Event::Resumed { attempt } => {
                    self.line(&format!("run {run} goes on (attempt {attempt})"));
                }
                Event::Called { step, asking, .. } => match asking {
                    Some(asking) => self.line(&format!("{step}: {}", asking.model)),
                    None => self.line(step),
                },
                Event::Failed { step, error, .. } => self.line(&format!("{step}: failed: {error}")),
                Event::Refused { step, cap, .. } => {
                    self.line(&format!("{step}: not allowed: {cap}"));
                }
                Event::Said { line } => self.line(&format!("  {line}")),
                Event::Asked { gate, ask } => {
                    self.line(&format!("asks at '{gate}': {}", ask.question));
                }
                Event::Rejected { by, .. } => self.line(&format!("the plan is rejected by {by}")),
                Event::Cancelled { by, .. } => self.line(&format!("cancelled by {by}")),
                Event::Stopped { stage, reason, .. } => {
                    self.line(&format!("stopped at {stage}: {reason}"));
                }
                Event::Finished { .. } => self.line("done"),
                Event::Returned { .. }
                | Event::Cited { .. }
                | Event::Answered { .. }
                | Event::Revised { .. }
                | Event::Approved { .. } => {}
            },
        }
    }
}
