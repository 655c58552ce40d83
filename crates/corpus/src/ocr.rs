//! Scanned pages become text.
//!
//! A worker process turns each page without text into a [`picture`]. The program `tesseract`, where it is installed, reads it
//! ([`Tesseract`]), a few pages side by side. Its [`words`] become paragraphs, which [`merge`] into the pages that have text.
//!
//! A page that cannot be read stays without text, and the metadata say so. They also hold how sure the program is of each page.

mod merge;
pub(crate) mod picture;
mod tesseract;
mod turns;
mod words;

use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use formats::Format;

use crate::document::{Document, Page};
use crate::label::Label;
use crate::read::{Limits, ReadError, finished};
pub(crate) use merge::doubt;
use merge::{Outcome, merge};
use picture::{Picture, Pictures};
use tesseract::{Lies, PageError};
pub use tesseract::{OcrError, OcrSettings, Tesseract};
use turns::Turns;
use words::{ReadPage, SURE};

/// Pages that are pictures at the same time.
const PAGES_AT_ONCE: u32 = 8;
/// The most pages of one file that are read.
const PAGES: u32 = 1000;
/// The most pages of a document that a run fetched: it waits for them.
const FETCHED_PAGES: u32 = 40;
/// How many times the time limit of a file a page may take: on a busy machine, it gets only a part of a core.
const PATIENCE: u64 = 3;
/// So many pages that fail one after the other end the reading of a file.
const FAILURES: usize = 3;
/// A page with fewer characters may be a picture with a stamp, a number or a name on it.
const STAMP: usize = 25;
/// How many times more characters than the page's own make it such a picture.
const MORE: u64 = 4;

/// Reads scans with an installed program.
#[derive(Debug)]
pub(crate) struct Ocr {
    settings: OcrSettings,
    /// The program, once it was found. One that was not found is looked for again with the next scan.
    program: Mutex<Option<Arc<Tesseract>>>,
    /// One process a core, over all files.
    turns: Turns,
}

/// A file of pictures of text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Scan {
    Pdf,
    /// A picture, and what to call it.
    Picture(&'static str),
}

impl Scan {
    /// Returns the error for a file that only OCR can read.
    pub(crate) fn needs(self, why: &OcrError) -> ReadError {
        let what = match self {
            Scan::Pdf => "the PDF contains scanned pages without text".to_owned(),
            Scan::Picture(kind) => format!("it is {kind}"),
        };
        ReadError::NeedsOcr { what, advice: why.to_string() }
    }
}

/// Turns the pages of a file into pictures.
pub(crate) type Draw<'a> = dyn FnMut(&[u32]) -> Result<Pictures, ReadError> + 'a;

impl Ocr {
    pub(crate) fn new(settings: OcrSettings) -> Self {
        let cores = thread::available_parallelism().map_or(1, usize::from);
        Self { settings, program: Mutex::default(), turns: Turns::new(cores) }
    }

    fn find_program(&self) -> Result<Arc<Tesseract>, OcrError> {
        let mut known = self.program.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(program) = &*known {
            return Ok(Arc::clone(program));
        }
        let found = Arc::new(Tesseract::find(&self.settings)?);
        *known = Some(Arc::clone(&found));
        Ok(found)
    }

    /// Returns the document in a file none of whose pages has text.
    pub(crate) fn scan(
        &self,
        scan: Scan,
        label: &Label,
        limits: &Limits,
        draw: &mut Draw<'_>,
    ) -> Result<Document, ReadError> {
        let program = self.find_program().map_err(|error| scan.needs(&error))?;
        let first: Vec<u32> = (1..=PAGES_AT_ONCE).collect();
        let pictures = draw_each(&first, draw)?;
        let pages = pictures.pages;
        if pages == 0 {
            return Err(ReadError::Empty);
        }
        let most = pages.min(most_pages(label));
        let all: Vec<u32> = (1..=most).collect();
        let (begun, rest) = all.split_at(all.len().min(PAGES_AT_ONCE as usize));
        let mut reading = Reading::of(self, &program, limits);
        reading.accept(begun, pictures);
        reading.draw_and_read(rest, draw);
        let mut outcome = reading.outcome;
        outcome.left_out = pages - most;
        let sure = outcome.read.values().any(|page| page.sure_words > 0);
        if outcome.read.is_empty() || !sure && matches!(scan, Scan::Picture(_)) {
            let failed = |what: String| ReadError::Failed { what };
            return Err(match (outcome.failed.into_values().next(), scan) {
                (Some(why), _) => failed(format!("its pages could not be read by OCR: {why}")),
                (None, Scan::Picture(kind)) => {
                    failed(format!("it is {kind} without readable text"))
                }
                (None, Scan::Pdf) => ReadError::Empty,
            });
        }
        let format = match scan {
            Scan::Pdf => Format::Pdf,
            Scan::Picture(_) => Format::Image,
        };
        let bare =
            Document::new(format, label.stem(), String::new(), Vec::new(), Default::default());
        let pages = (1..=pages).map(|number| Page { number, start: 0 }).collect();
        let document = self.merge(Document { pages, ..bare }, &outcome, &program);
        finished(document, label, limits)
    }

    /// Returns `document`, the text of a PDF, with those of its pages read that are only pictures. Without a program it stays as it is.
    pub(crate) fn complete(
        &self,
        document: Document,
        label: &Label,
        limits: &Limits,
        draw: &mut Draw<'_>,
    ) -> Result<Document, ReadError> {
        let own = merge::characters(&document);
        let mut poor: Vec<u32> =
            own.iter().filter(|(_, count)| *count < STAMP).map(|(number, _)| *number).collect();
        if poor.is_empty() {
            return Ok(document);
        }
        let Ok(program) = self.find_program() else { return Ok(document) };
        let left_out = poor.split_off(poor.len().min(most_pages(label) as usize)).len();
        let mut reading = Reading::of(self, &program, limits);
        reading.draw_and_read(&poor, draw);
        let mut outcome = reading.outcome;
        outcome.left_out = u32::try_from(left_out).unwrap_or(u32::MAX);
        for (number, count) in &own {
            // What is drawn is the page's own text, unless there is much more of it.
            let more = (*count as u64).saturating_mul(MORE);
            let few = |read: &ReadPage| read.characters < more || read.sure_words == 0;
            if *count > 0 {
                outcome.failed.remove(number);
            }
            if outcome.read.get(number).is_some_and(few) {
                outcome.read.remove(number);
            }
        }
        if outcome.read.is_empty() && outcome.failed.is_empty() {
            return Ok(document);
        }
        let merged = self.merge(document, &outcome, &program);
        crate::read::held(&merged, limits)?;
        Ok(merged)
    }

    fn merge(&self, document: Document, outcome: &Outcome, program: &Tesseract) -> Document {
        let Tesseract { version, languages, .. } = program;
        merge(document, outcome, &format!("tesseract {version}"), languages)
    }
}

fn most_pages(label: &Label) -> u32 {
    match label {
        Label::File { .. } => PAGES,
        Label::Fetched { .. } => FETCHED_PAGES,
    }
}

/// Draws pages together, or one by one if one of them cannot be drawn.
fn draw_each(numbers: &[u32], draw: &mut Draw<'_>) -> Result<Pictures, ReadError> {
    match draw(numbers) {
        Err(error @ (ReadError::BrokeReader { .. } | ReadError::TookTooLong { .. }))
            if numbers.len() > 1 =>
        {
            let mut all = Pictures::default();
            let mut failures = 0;
            for number in numbers {
                match draw(&[*number]) {
                    Ok(mut pictures) => {
                        all.pages = pictures.pages;
                        all.pictures.append(&mut pictures.pictures);
                        failures = 0;
                    }
                    Err(_) => failures += 1,
                }
                if failures == FAILURES {
                    break;
                }
            }
            if all.pages == 0 { Err(error) } else { Ok(all) }
        }
        drawn => drawn,
    }
}

/// The reading of one file's pages.
struct Reading<'a> {
    ocr: &'a Ocr,
    program: &'a Tesseract,
    limits: &'a Limits,
    outcome: Outcome,
    /// How many pages failed since one was read.
    failures: usize,
}

impl<'a> Reading<'a> {
    fn of(ocr: &'a Ocr, program: &'a Tesseract, limits: &'a Limits) -> Self {
        Self { ocr, program, limits, outcome: Outcome::default(), failures: 0 }
    }

    fn draw_and_read(&mut self, numbers: &[u32], draw: &mut Draw<'_>) {
        for some in numbers.chunks(PAGES_AT_ONCE as usize) {
            if self.failures >= FAILURES {
                let given_up = "the pages before it could not be read either";
                self.fail(some, given_up);
                continue;
            }
            match draw_each(some, draw) {
                Ok(pictures) => self.accept(some, pictures),
                Err(error) => {
                    self.failures += some.len();
                    self.fail(some, &error.to_string());
                }
            }
        }
    }

    /// Reads the pictures of the pages `numbers`; those that are not among them failed.
    fn accept(&mut self, numbers: &[u32], pictures: Pictures) {
        let drawn: Vec<u32> = pictures.pictures.iter().map(|picture| picture.number).collect();
        self.read(pictures);
        let undrawn: Vec<u32> =
            numbers.iter().copied().filter(|number| !drawn.contains(number)).collect();
        self.fail(&undrawn, "it could not be drawn");
    }

    fn fail(&mut self, numbers: &[u32], why: &str) {
        self.outcome.failed.extend(numbers.iter().map(|number| (*number, why.to_owned())));
    }

    /// Reads pictures side by side.
    fn read(&mut self, pictures: Pictures) {
        let Self { ocr, program, limits, .. } = *self;
        let read: Vec<(u32, Result<ReadPage, PageError>)> = thread::scope(|scope| {
            let started: Vec<_> = pictures
                .pictures
                .into_iter()
                .filter(|picture| !picture.blank)
                .map(|picture| {
                    let number = picture.number;
                    let thread = thread::Builder::new().name("ocr".to_owned());
                    let work = move || {
                        let _turn = ocr.turns.take();
                        read_picture(program, &picture, limits)
                    };
                    (number, thread.spawn_scoped(scope, work))
                })
                .collect();
            let failed = |reason: &str| PageError::Failed { reason: reason.to_owned() };
            let joined = started.into_iter().map(|(number, thread)| {
                let read = match thread.map(thread::ScopedJoinHandle::join) {
                    Ok(Ok(read)) => read,
                    Ok(Err(_)) => Err(failed("its table of words could not be read")),
                    Err(error) => Err(failed(&error.to_string())),
                };
                (number, read)
            });
            joined.collect()
        });
        for (number, page) in read {
            match page {
                Ok(page) => {
                    self.failures = 0;
                    if !page.text.is_empty() {
                        self.outcome.read.insert(number, page);
                    }
                }
                Err(error) => {
                    self.failures += 1;
                    self.outcome.failed.insert(number, error.to_string());
                }
            }
        }
    }
}

/// Reads a picture; if that goes badly, again as one that may lie on its side.
fn read_picture(
    program: &Tesseract,
    picture: &Picture,
    limits: &Limits,
) -> Result<ReadPage, PageError> {
    let time = Duration::from_secs(limits.time_seconds.max(1).saturating_mul(PATIENCE));
    let read = |lies| {
        let table = program.read(picture, lies, time, limits.memory_bytes)?;
        Ok(words::read_table(&table))
    };
    let upright: ReadPage = read(Lies::Upright)?;
    let sure = upright.confidence().is_some_and(|sure| sure >= SURE);
    if sure || !program.knows_orientation() {
        return Ok(upright);
    }
    Ok(match read(Lies::Anyhow) {
        Ok(turned) if turned.sure_words > upright.sure_words => turned,
        _ => upright,
    })
}

#[cfg(test)]
#[cfg(all(unix, feature = "ocr"))]
mod tests;
