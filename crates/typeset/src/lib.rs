//! Reports as PDF: set by typst from a fixed template, with embedded fonts.
//!
//! ```
//! use render::{Document, Line};
//! use typeset::{Settings, write};
//!
//! let mut report = Document::default();
//! report.heading("Deaths in Soho");
//! report.paragraph(Line::from("The handle was removed on 8 September 1854."));
//! let pdf = write(&report, &Settings { title: "What ended the outbreak?".into(), ..Settings::default() })?;
//! assert!(pdf.bytes.starts_with(b"%PDF-1.7"));
//! assert!(pdf.warnings.is_empty());
//! # Ok::<(), typeset::Error>(())
//! ```
//!
//! The program of the typesetter is the same for every report (`template.typ`): a report reaches it as values, so that nothing in a report
//! can become code. It sees no file, no network, no clock and no font of the system; the same report with the same settings gives the
//! same bytes.

mod boxes;
mod coverage;
mod data;
mod footnotes;
mod line;
mod measure;
mod size;
mod table;
mod world;
mod write;

pub use write::{Date, Error, PaperSize, Pdf, Settings, write};
