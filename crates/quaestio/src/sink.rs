//! Places to write to: standard output and standard error, what they look like, and the one live line on a terminal.

use std::io::{ErrorKind, IsTerminal as _, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use anstream::{AutoStream, ColorChoice};
use indicatif::ProgressBar;

use crate::cli::ColorArg;
use crate::logs::Said;

/// A shared place to write to.
#[derive(Clone)]
pub struct Sink {
    writer: Arc<Mutex<dyn Write + Send>>,
    failed: Arc<AtomicBool>,
    /// Whether messages are written as JSON, one object a line.
    is_json: bool,
    /// Whether somebody reads along on a terminal.
    is_terminal: bool,
    /// Whether text is styled and has links.
    is_styled: bool,
    live: LiveLine,
}

/// The line on a terminal that changes while something is done. It steps aside whenever something else is written there.
#[derive(Clone, Default)]
struct LiveLine(Arc<Mutex<Option<ProgressBar>>>);

impl LiveLine {
    fn set(&self, bar: Option<ProgressBar>) {
        let mut current = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(before) = std::mem::replace(&mut *current, bar) {
            before.finish_and_clear();
        }
    }

    fn beside<T>(&self, write: impl FnOnce() -> T) -> T {
        let current = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match &*current {
            Some(bar) => bar.suspend(write),
            None => write(),
        }
    }
}

impl Sink {
    /// Returns a sink that is no terminal.
    pub fn new(writer: impl Write + Send + 'static) -> Sink {
        Sink {
            writer: Arc::new(Mutex::new(writer)),
            failed: Arc::default(),
            is_json: false,
            is_terminal: false,
            is_styled: false,
            live: LiveLine::default(),
        }
    }

    /// Returns standard output and standard error of this process, as the environment wants them to look.
    pub(crate) fn of_process() -> (Sink, Sink) {
        let (out, err) = (std::io::stdout(), std::io::stderr());
        let shown = |choice: ColorChoice| choice != ColorChoice::Never;
        let (out_styled, err_styled) = (AutoStream::choice(&out), AutoStream::choice(&err));
        let (out_there, err_there) = (out.is_terminal(), err.is_terminal());
        let live = LiveLine::default();
        let out = Sink {
            is_terminal: out_there,
            is_styled: shown(out_styled),
            live: live.clone(),
            ..Sink::new(out)
        };
        let err =
            Sink { is_terminal: err_there, is_styled: shown(err_styled), live, ..Sink::new(err) };
        (out, err)
    }

    /// Returns the same sink with the colours that a flag asks for.
    pub(crate) fn coloured(self, choice: ColorArg) -> Sink {
        let is_styled = match choice {
            ColorArg::Auto => self.is_styled,
            ColorArg::Always => true,
            ColorArg::Never => false,
        };
        Sink { is_styled, ..self }
    }

    /// Returns the same sink, but every message becomes a line of JSON.
    pub(crate) fn as_json(&self) -> Sink {
        Sink { is_json: true, is_styled: false, ..self.clone() }
    }

    /// Returns whether it takes lines of JSON and nothing else.
    pub(crate) fn is_json(&self) -> bool {
        self.is_json
    }

    pub(crate) fn is_terminal(&self) -> bool {
        self.is_terminal
    }

    pub(crate) fn is_styled(&self) -> bool {
        self.is_styled
    }

    /// Shows a live line in the place of the one before, or none.
    pub(crate) fn show_live(&self, bar: Option<ProgressBar>) {
        if self.is_terminal {
            self.live.set(bar);
        }
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
        let write = || {
            let mut writer = self.writer.lock().unwrap_or_else(PoisonError::into_inner);
            writer.write_all(bytes).and_then(|()| writer.flush())
        };
        let written = if self.is_terminal { self.live.beside(write) } else { write() };
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
