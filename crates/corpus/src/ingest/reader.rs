//! Readers turn bytes into documents, in this process or in worker processes.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use crate::label::Called;
use crate::{Document, Format, Label, Limits, ReadError, Worker, read_as, sniff};

/// Turns bytes into a document: [`read`](crate::read) in this process, or a worker.
pub trait Reader: Send + Sync {
    /// Reads the bytes. It may block, and is called on a thread where that does no harm.
    fn read(&self, label: &Label, bytes: &[u8], limits: &Limits) -> Result<Document, ReadError>;
}

/// A function reads files; fetched bytes are read by [`read_as`], also in this process.
impl<F> Reader for F
where
    F: Fn(&Path, &[u8], &Limits) -> Result<Document, ReadError> + Send + Sync,
{
    fn read(&self, label: &Label, bytes: &[u8], limits: &Limits) -> Result<Document, ReadError> {
        match label {
            Label::File { name } => self(name, bytes, limits),
            Label::Fetched { .. } => read_as(label, bytes, limits),
        }
    }
}

/// Reads plain text, Markdown and HTML in this process and everything else in others: see [`Worker`].
///
/// Idle processes are kept for the next caller, and end when this value is dropped.
#[derive(Debug)]
pub struct Workers {
    program: PathBuf,
    arguments: Vec<String>,
    idle: Mutex<Vec<Worker>>,
}

impl Workers {
    /// Returns workers whose processes are `program` with `arguments`, as [`Worker::new`] takes them.
    pub fn new(program: impl Into<PathBuf>, arguments: impl IntoIterator<Item = String>) -> Self {
        let arguments = arguments.into_iter().collect();
        Self { program: program.into(), arguments, idle: Mutex::default() }
    }
}

impl Reader for Workers {
    fn read(&self, label: &Label, bytes: &[u8], limits: &Limits) -> Result<Document, ReadError> {
        let is_simple = matches!(
            label.called(),
            Called::A(Format::Text | Format::Markdown | Format::Html)
                | Called::Unknown
                | Called::Not(_)
        );
        if is_simple && !sniff::may_be_packed(bytes) {
            return read_as(label, bytes, limits);
        }
        let idle = || self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        let kept = idle().pop();
        let mut worker = kept
            .unwrap_or_else(|| Worker::new(self.program.clone(), self.arguments.iter().cloned()));
        let document = worker.read_as(label, bytes, limits);
        idle().push(worker);
        document
    }
}
