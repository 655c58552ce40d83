//! Files of many formats as Markdown.
//!
//! Plain functions from bytes to text: no I/O, no async, nothing of runs or collections. Each format has a module with a function that
//! takes the file and [`Bounds`] and returns [`Parsed`] or a [`Fault`]. What comes out is Markdown: headings, paragraphs, list items,
//! tables with a head row, and code blocks, as far as the file has them; a paragraph is one line, so that it can be quoted.
//!
//! ```
//! use formats::{Bounds, Format};
//!
//! assert_eq!(Format::by_extension("PPTX"), Some(Format::Pptx));
//! assert!(formats::parse(Format::Docx, b"not a document", &Bounds::default()).is_err());
//! ```

mod archive;
mod asciidoc;
mod bibtex;
mod code;
mod csl;
mod data;
mod docx;
mod format;
pub mod html;
mod latex;
mod mail;
mod mailbox;
mod margins;
mod markup;
mod members;
mod notebook;
mod numbering;
mod numeral;
mod odt;
mod ooxml;
mod org;
mod packed;
mod pptx;
mod reading_order;
mod ris;
mod rows;
mod rst;
mod rtf;
mod script;
mod sheet;
mod struck;
mod subtitles;
mod table;
mod tex;
mod works;
mod writer;
mod xml;
mod xml_text;

use std::collections::BTreeMap;

pub use archive::{Archive, names, resolved};
pub use format::Format;
pub use packed::recognize_tar as is_tar;
pub(crate) use script::superscript;
pub use script::{Script, Scripts};
pub use table::names_columns;
pub use works::{Work, read_works};
pub use writer::{Writer, escaped, means_more, tidy};
pub use xml::{Element, Node, parse as parse_xml};

/// The key in the metadata under which stands what of a file is not in its text, nor in the files within: rows of a long table, members
/// of an archive.
pub const LEFT_OUT: &str = "left_out";

/// What a file says, as Markdown.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Parsed {
    /// As the file states it in its metadata; `None` leaves it to the first heading.
    pub title: Option<String>,
    pub text: String,
    /// Where each page or slide begins, in bytes of the text; empty if the format has none.
    pub pages: Vec<usize>,
    /// What the file says about itself: `author`, `created`, `from`, `date`, …; and what was left out of it, as [`LEFT_OUT`].
    pub metadata: BTreeMap<String, String>,
    /// The files within: attachments, members of an archive.
    pub inner: Vec<Inner>,
}

/// A file within a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Inner {
    /// Its path within, parts joined with `/`; it never leads out.
    pub name: String,
    pub bytes: Vec<u8>,
}

/// Limits on what comes out of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Bounds {
    /// The most bytes of text.
    pub text_bytes: u64,
    /// The most bytes of a file within a file.
    pub inner_bytes: u64,
}

impl Default for Bounds {
    fn default() -> Self {
        Self { text_bytes: 16 << 20, inner_bytes: 64 << 20 }
    }
}

/// Why bytes did not become Markdown.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    #[error("the {format} is damaged or incomplete; download or save it again")]
    Damaged { format: String },
    #[error("the {format} is encrypted; save it without a password first")]
    Encrypted { format: String },
    #[error("it has {bytes} bytes, more than the limit of {limit}; split it or raise the limit")]
    TooLarge { bytes: u64, limit: u64 },
    #[error("it is too complex: {what}; save it as plain text")]
    TooComplex { what: String },
    #[error("{format} is not supported yet; save it as Markdown, HTML or plain text")]
    NotReadYet { format: String },
}

/// Returns what the bytes of a file in `format` say.
///
/// Text formats take UTF-8; other encodings are decoded before. Fails with [`Fault::NotReadYet`] for a format that is not read here.
pub fn parse(format: Format, bytes: &[u8], bounds: &Bounds) -> Result<Parsed, Fault> {
    parse_named(format, "", bytes, bounds)
}

/// Returns what the bytes of a file say, as [`parse`] does; `name` is the file's name, which tells the language of source code.
pub fn parse_named(
    format: Format,
    name: &str,
    bytes: &[u8],
    bounds: &Bounds,
) -> Result<Parsed, Fault> {
    let text = || String::from_utf8_lossy(bytes);
    let parsed = match format {
        Format::AsciiDoc => asciidoc::parse(&text(), bounds)?,
        Format::Bibtex => bibtex::parse(&text(), bounds)?,
        Format::Code => code::parse(&text(), name, bounds)?,
        Format::Csv => sheet::csv::parse(bytes, b',', bounds)?,
        Format::Docx => docx::parse(bytes, bounds)?,
        Format::Json => data::json::parse(bytes, bounds)?,
        Format::JsonLines => data::json::parse_lines(bytes, bounds)?,
        Format::Latex => latex::parse(&latex::decoded(bytes), bounds)?,
        Format::Mail => mail::parse(bytes, bounds)?,
        Format::Mailbox => mailbox::parse(bytes, bounds)?,
        Format::Notebook => notebook::parse(bytes, bounds)?,
        Format::Ods => sheet::ods::parse(bytes, bounds)?,
        Format::Odt => odt::parse(bytes, bounds)?,
        Format::Org => org::parse(&text(), bounds)?,
        Format::Pptx => pptx::parse(bytes, bounds)?,
        Format::Ris => ris::parse(&text(), bounds)?,
        Format::Rst => rst::parse(&text(), bounds)?,
        Format::Rtf => rtf::parse(bytes, bounds)?,
        Format::Subtitles => subtitles::parse(&text(), bounds)?,
        Format::Tar => packed::parse_tar(bytes, bounds)?,
        Format::Toml => data::toml::parse(bytes, bounds)?,
        Format::Tsv => sheet::csv::parse(bytes, b'\t', bounds)?,
        Format::Xlsx => sheet::xlsx::parse(bytes, bounds)?,
        Format::Xml => xml_text::parse(bytes, bounds)?,
        Format::Yaml => data::yaml::parse(bytes, bounds)?,
        Format::Zip => packed::parse_zip(bytes, bounds)?,
        Format::Epub
        | Format::Html
        | Format::Image
        | Format::Markdown
        | Format::Pdf
        | Format::Text => {
            return Err(Fault::NotReadYet { format: format.title().to_owned() });
        }
    };
    let bytes = parsed.text.len() as u64;
    if bytes > bounds.text_bytes {
        return Err(Fault::TooLarge { bytes, limit: bounds.text_bytes });
    }
    Ok(parsed)
}

/// Returns the format of a text that is written as no ordinary text is, or `None`.
pub fn recognize(bytes: &[u8]) -> Option<Format> {
    let text = String::from_utf8_lossy(bytes);
    let recognized = [
        (Format::Rtf, rtf::recognize(bytes)),
        (Format::Mailbox, mailbox::recognize(bytes)),
        (Format::Mail, mail::recognize(bytes)),
        (Format::Subtitles, subtitles::recognize(&text)),
        (Format::Notebook, notebook::recognize(&text)),
        (Format::Json, data::json::recognize(&text)),
        (Format::JsonLines, data::json::recognize_lines(&text)),
        (Format::Latex, latex::recognize(&text)),
        (Format::Ris, ris::recognize(&text)),
        (Format::Bibtex, bibtex::recognize(&text)),
        (Format::Xml, xml_text::recognize(&text)),
    ];
    recognized.into_iter().find(|(_, is)| *is).map(|(format, _)| format)
}
