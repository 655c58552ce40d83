//! A report becomes a PDF.

use std::panic::{AssertUnwindSafe, catch_unwind};

use render::Document;
use typst::diag::SourceDiagnostic;
use typst::foundations::{Datetime, Smart};
use typst_layout::PagedDocument;
use typst_pdf::{PdfOptions, PdfStandard, PdfStandards, Timestamp};

use crate::data;
use crate::size::Size;
use crate::world::ReportWorld;

/// The sizes of paper that a report can have.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum PaperSize {
    #[default]
    A4,
    Letter,
}

/// When a report was made, in UTC.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Date {
    /// 0 to 9999.
    pub year: i32,
    /// 1 to 12.
    pub month: u8,
    /// 1 to 31.
    pub day: u8,
}

/// What a PDF needs beside the report.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Settings {
    /// Stands above a report that has no title of its own, and in the file's properties.
    pub title: String,
    /// Two or three letters, such as `en`. Names the contents and tells screen readers how to speak.
    pub language: String,
    /// When the report was made. Without it the file is no PDF/A, which must have a date.
    pub date: Option<Date>,
    pub paper: PaperSize,
}

impl Default for Settings {
    fn default() -> Settings {
        let (title, language) = ("Report".to_owned(), "en".to_owned());
        Settings { title, language, date: None, paper: PaperSize::A4 }
    }
}

/// A report as a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pdf {
    pub bytes: Vec<u8>,
    pub pages: usize,
    /// What a person who passes the file on should know, a sentence each.
    pub warnings: Vec<String>,
}

/// Why a report is no PDF.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    #[error(
        "the report has {found} {what}; the limit for a PDF is {most}. Export it as Markdown or HTML instead"
    )]
    TooLong { what: &'static str, found: usize, most: usize },
    #[error("could not write the PDF: {message}. Export the report as HTML and print that")]
    Typesetting { message: String },
}

impl PaperSize {
    pub(crate) fn name(self) -> &'static str {
        match self {
            PaperSize::A4 => "a4",
            PaperSize::Letter => "us-letter",
        }
    }

    /// Returns the width that text has on a page and on a turned page, in points.
    pub(crate) fn room(self) -> (f64, f64) {
        // Twice the margin of 2.4 cm.
        const MARGINS: f64 = 136.1;
        match self {
            PaperSize::A4 => (595.2 - MARGINS, 841.8 - MARGINS),
            PaperSize::Letter => (612.0 - MARGINS, 792.0 - MARGINS),
        }
    }
}

/// Returns a report as PDF: tagged, and as a rule PDF/UA-1 and, with a date, PDF/A-2a as well.
///
/// The same report with the same settings gives the same bytes. It takes about as long as a page takes milliseconds, and memory for the
/// whole report: call it off the threads that serve.
///
/// # Errors
///
/// If the report is too long, or if the typesetter gives up.
pub fn write(document: &Document, settings: &Settings) -> Result<Pdf, Error> {
    Size::of(document).check()?;
    // What a document says is anybody's: a fault of the typesetter must not end the program.
    let written = catch_unwind(AssertUnwindSafe(|| set(document, settings)));
    typst::comemo::evict(0);
    written.unwrap_or_else(|_| {
        Err(Error::Typesetting { message: "the typesetter failed unexpectedly".into() })
    })
}

fn set(document: &Document, settings: &Settings) -> Result<Pdf, Error> {
    let data = data::describe(document, settings);
    let world = ReportWorld::new(data.report, &data.coverage.missing);
    let compiled = typst::compile::<PagedDocument>(&world);
    let pages = compiled.output.map_err(|errors| failure(&errors))?;
    let mut warnings = Vec::from_iter(data.coverage.warning());
    let (bytes, shortfall) = export(&pages, settings)?;
    warnings.extend(shortfall);
    Ok(Pdf { bytes, pages: pages.pages().len(), warnings })
}

/// Returns the file in the strictest standard that the report fits, and what it does not fit, if anything.
fn export(pages: &PagedDocument, settings: &Settings) -> Result<(Vec<u8>, Option<String>), Error> {
    let strict: &[PdfStandard] = match settings.date {
        Some(_) => &[PdfStandard::A_2a, PdfStandard::Ua_1],
        None => &[PdfStandard::Ua_1],
    };
    let strict = PdfStandards::new(strict);
    let strict = strict.map_err(|error| failure_of(error.message()))?;
    let strict = PdfOptions { standards: strict, ..options(settings) };
    let errors = match typst_pdf::pdf(pages, &strict) {
        Ok(bytes) => return Ok((bytes, None)),
        Err(errors) => errors,
    };
    let bytes = typst_pdf::pdf(pages, &options(settings)).map_err(|errors| failure(&errors))?;
    let reason = errors.first().map_or("", |error| error.message.as_str());
    let warning = format!(
        "the file is a tagged PDF, but neither PDF/A (for archives) nor PDF/UA (for assistive technology): {reason}"
    );
    Ok((bytes, Some(warning)))
}

fn options(settings: &Settings) -> PdfOptions {
    let date = |Date { year, month, day }| Datetime::from_ymd_hms(year, month, day, 0, 0, 0);
    PdfOptions {
        creator: Smart::Custom(Some("Quaestio".to_owned())),
        timestamp: settings.date.and_then(date).map(Timestamp::new_utc),
        ..PdfOptions::default()
    }
}

fn failure(errors: &[SourceDiagnostic]) -> Error {
    failure_of(errors.first().map_or("it gave no reason", |error| error.message.as_str()))
}

fn failure_of(message: &str) -> Error {
    Error::Typesetting { message: message.to_owned() }
}
