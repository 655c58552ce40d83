//! Readers turn bytes into documents, in this process or in worker processes.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use crate::label::Called;
use crate::ocr::picture::{self, Pictures};
use crate::ocr::{Ocr, OcrError, OcrSettings, Scan};
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
/// With OCR, also scans and pictures of pages: see [`Workers::with_ocr`]. Idle processes are kept for the next caller, and end when this
/// value is dropped.
#[derive(Debug)]
pub struct Workers {
    program: PathBuf,
    arguments: Vec<String>,
    idle: Mutex<Vec<Worker>>,
    ocr: Option<Ocr>,
}

impl Workers {
    /// Returns workers whose processes are `program` with `arguments`, as [`Worker::new`] takes them. Without OCR.
    pub fn new(program: impl Into<PathBuf>, arguments: impl IntoIterator<Item = String>) -> Self {
        let arguments = arguments.into_iter().collect();
        Self { program: program.into(), arguments, idle: Mutex::default(), ocr: None }
    }

    /// Returns these workers with OCR: they read scans, PDFs with scanned pages, and PNG, JPEG and TIFF pictures of pages.
    ///
    /// The program is looked for with the first scan. A scan without it gives an error that says what to install; other files do not
    /// need it. Each page may take three times the time limit of a file.
    pub fn with_ocr(self, settings: OcrSettings) -> Self {
        Self { ocr: Some(Ocr::new(settings)), ..self }
    }

    /// Runs `work` with an idle worker, or with a new one.
    fn with_worker<T>(&self, work: impl FnOnce(&mut Worker) -> T) -> T {
        let idle = || self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        let kept = idle().pop();
        let mut worker = kept
            .unwrap_or_else(|| Worker::new(self.program.clone(), self.arguments.iter().cloned()));
        let done = work(&mut worker);
        idle().push(worker);
        done
    }

    /// Returns pages of a file as pictures.
    fn draw(&self, bytes: &[u8], numbers: &[u32], limits: &Limits) -> Result<Pictures, ReadError> {
        self.with_worker(|worker| worker.draw(bytes, numbers, limits))
    }
}

impl Reader for Workers {
    fn read(&self, label: &Label, bytes: &[u8], limits: &Limits) -> Result<Document, ReadError> {
        let mut draw = |numbers: &[u32]| self.draw(bytes, numbers, limits);
        let mut scan = |scan: Scan| match &self.ocr {
            Some(ocr) => ocr.scan(scan, label, limits, &mut draw),
            None => Err(scan.needs(&OcrError::Off)),
        };
        let is_file = matches!(label, Label::File { .. });
        if let Some(kind) = picture::kind(bytes).filter(|_| is_file) {
            return scan(Scan::Picture(kind));
        }
        let is_read_here = match label.called() {
            Called::A(Format::Markdown) => true,
            // Under these names a text may be in another format.
            Called::A(Format::Text | Format::Html) | Called::Unknown | Called::Not(_) => {
                formats::recognize(bytes).is_none()
            }
            // Text under the name of a packed format is refused; only a flat OpenDocument file is read.
            Called::A(format) => format.is_packed() && format != Format::Odt,
        };
        if is_read_here && !sniff::may_be_packed(bytes) {
            return read_as(label, bytes, limits);
        }
        match (self.with_worker(|worker| worker.read_as(label, bytes, limits)), &self.ocr) {
            (Err(ReadError::Scanned), _) => scan(Scan::Pdf),
            (Ok(document), Some(ocr)) if document.format == Format::Pdf => {
                ocr.complete(document, label, limits, &mut draw)
            }
            (read, _) => read,
        }
    }
}
