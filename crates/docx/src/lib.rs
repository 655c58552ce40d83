//! Reports as Word documents (Office Open XML, `.docx`).
//!
//! ```
//! use docx::Meta;
//! use render::{Document, Line};
//!
//! let mut report = Document::default();
//! report.heading("Deaths in Soho");
//! report.paragraph(Line::from("The handle was removed on 8 September 1854.").marks(&[1]));
//! let file = docx::write(&report, &Meta { title: "Cholera".into(), ..Meta::default() })?;
//! assert!(file.starts_with(b"PK"));
//! # Ok::<(), docx::Error>(())
//! ```
//!
//! A mark is a footnote where it first stands, and holds what its note says; from then on it leads there. Headings, lists, tables, quotes,
//! code and captions have Word's own styles, so that whoever gets the document can restyle it. A long report begins with a table of
//! contents. The same report gives the same bytes: no clock is asked, and no font of the system is looked for.
//!
//! The document is put together in `body.rs`, line by line in `line.rs`; what never changes stands in `parts.rs`.

mod body;
mod contents;
mod line;
mod marks;
mod package;
mod parts;
mod picture;
mod table;
mod xml;

use render::Document;

/// What a document says of itself beside its text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Meta {
    /// The title of a report that has none of its own.
    pub title: String,
    /// Who made it.
    pub creator: String,
    /// A language tag such as `en` or `pt-BR`: what the spelling is checked by.
    pub language: String,
    /// When it was made, as an RFC 3339 time in UTC.
    pub created_at: Option<String>,
    pub paper: Paper,
}

impl Default for Meta {
    fn default() -> Meta {
        Meta {
            title: String::new(),
            creator: "Quaestio".to_owned(),
            language: "en".to_owned(),
            created_at: None,
            paper: Paper::A4,
        }
    }
}

/// The size of a page.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Paper {
    #[default]
    A4,
    Letter,
}

/// Why a document could not be written.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error("the parts of the document could not be packed: {0}")]
    Packing(#[from] zip::result::ZipError),
    #[error("the parts of the document could not be packed: {0}")]
    Writing(#[from] std::io::Error),
}

/// Returns a report as a Word document.
///
/// # Errors
///
/// If the document is larger than the format can hold.
pub fn write(report: &Document, meta: &Meta) -> Result<Vec<u8>, Error> {
    package::pack(&body::Written::of(report, meta), meta)
}
