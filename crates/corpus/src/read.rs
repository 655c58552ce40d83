//! A file's bytes become a document, or an error that says what would help.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::time::Instant;

use formats::{Bounds, Fault, Format, Parsed};
use papers::Paper;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::document::{Document, Inner, Page};
use crate::label::{Called, Label};
use crate::{about, decode, epub, html, markdown, pdf, plain, sniff};

/// Limits on the size of a file and its text, and on what reading may cost.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Limits {
    pub file_bytes: u64,
    pub text_bytes: u64,
    /// How long a [`Worker`](crate::Worker) may take for one file; [`read`] checks it only between steps.
    pub time_seconds: u64,
    /// How much memory a [`Worker`](crate::Worker)'s process may use; [`read`] alone does not enforce it.
    pub memory_bytes: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self { file_bytes: 64 << 20, text_bytes: 16 << 20, time_seconds: 60, memory_bytes: 1 << 30 }
    }
}

impl Limits {
    /// Returns what they mean for a file's text and the files within.
    pub(crate) fn bounds(&self) -> Bounds {
        Bounds { text_bytes: self.text_bytes, inner_bytes: self.file_bytes }
    }
}

impl From<Fault> for ReadError {
    fn from(fault: Fault) -> Self {
        match fault {
            Fault::Damaged { format } => ReadError::Damaged { format },
            Fault::Encrypted { format } => ReadError::Encrypted { format },
            Fault::TooLarge { bytes, limit } => ReadError::TooLarge { bytes, limit },
            Fault::TooComplex { what } => ReadError::TooComplex { what },
            Fault::NotReadYet { format } => ReadError::NotReadYet { format },
        }
    }
}

/// How deep files within files are read.
const DEEPEST_WITHIN: usize = 3;
/// The most bytes of text of a file and those within, for each byte that one of them may have.
const TEXT_WITHIN: u64 = 4;
/// How far into the bytes the start of a page is searched for, in bytes.
const OPENING: usize = 64 * 1024;

/// Why a file or a response did not become a document.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[serde(rename_all = "snake_case")]
pub enum ReadError {
    #[error("it contains no text")]
    Empty,
    #[error("it looks like {looks_like}, not text")]
    Binary { looks_like: String },
    #[error("it has {bytes} bytes, more than the limit of {limit}; split it or raise the limit")]
    TooLarge { bytes: u64, limit: u64 },
    #[error("the {format} is encrypted; save it without a password first")]
    Encrypted { format: String },
    #[error("the PDF contains scanned pages without text; run it through OCR first")]
    Scanned,
    /// Only OCR can read it, and there is none.
    #[error("{what}; {advice}")]
    NeedsOcr { what: String, advice: String },
    #[error("the {format} is damaged or incomplete; download or save it again")]
    Damaged { format: String },
    #[error(
        "the files within have more than {limit} bytes of text together; unpack them and ingest the folder"
    )]
    TooMuchWithin { limit: u64 },
    #[error("it lies in more than {most} archives within each other; unpack them first")]
    TooDeepWithin { most: usize },
    #[error("reading it took longer than {seconds} s; split it or raise the limit")]
    TookTooLong { seconds: u64 },
    #[error(
        "reading it failed or needs more than {mebibytes} MiB of memory; split it, save it again, or raise the limit"
    )]
    BrokeReader { mebibytes: u64 },
    #[error("{format} is not supported yet; save it as Markdown, HTML or plain text")]
    NotReadYet { format: String },
    #[error(
        "files ending in .{extension} are not supported; if it is text, rename it to .txt or .md"
    )]
    UnknownFormat { extension: String },
    #[error(
        "its server labels it {media_type}, which is not supported; save the file in a format that is, and ingest it"
    )]
    UnknownMediaType { media_type: String },
    #[error(
        "the server sent {by} instead of the page; open it in a browser, save it and ingest the file"
    )]
    Barred { by: String },
    #[error("it is too complex: {what}; save it as plain text")]
    TooComplex { what: String },
    #[error("{what}")]
    Failed { what: String },
}

/// Returns the document in `bytes`; `name` gives the format if the bytes leave it open, and a title if they have none.
///
/// Reads nothing from disk. The bytes decide first: a PDF is a PDF under any name.
///
/// Large engines read PDFs, and a hostile file can break them in ways that no caller can catch, such as a stack overflow. Here a panic
/// becomes that file's error, and nothing more is promised: untrusted PDFs should go through a [`Worker`](crate::Worker).
pub fn read(name: &Path, bytes: &[u8], limits: &Limits) -> Result<Document, ReadError> {
    read_as(&Label::File { name: name.to_owned() }, bytes, limits)
}

/// Returns the document in `bytes`, as [`read`] does, for any label.
///
/// A fetched document also becomes a work, with its authors and date. A page that only stands in for another, such as a robot check, is
/// refused. The files within a file are read likewise, a few levels deep, as [`Document::inner`].
pub fn read_as(label: &Label, bytes: &[u8], limits: &Limits) -> Result<Document, ReadError> {
    let left = limits.text_bytes.saturating_mul(TEXT_WITHIN);
    read_within(label, bytes, limits, &mut Within { depth: 0, left, started: Instant::now() })
}

/// How far reading has come into the files within a file.
struct Within {
    /// How many files enclose the one being read.
    depth: usize,
    /// How many bytes of text all of them together may still have.
    left: u64,
    started: Instant,
}

fn read_within(
    label: &Label,
    bytes: &[u8],
    limits: &Limits,
    within: &mut Within,
) -> Result<Document, ReadError> {
    fits(bytes.len() as u64, limits.file_bytes)?;
    if bytes.trim_ascii().is_empty() {
        return Err(ReadError::Empty);
    }
    let stem = label.stem();
    let mut notes = BTreeMap::new();
    let mut document = match sniff::packed(bytes)? {
        Some(Format::Pdf) => pdf::read(bytes, &stem, limits)?,
        Some(Format::Epub) => epub::read(bytes, &stem, limits)?,
        Some(format) => parsed(format, bytes, label, limits, within)?,
        None => unpacked(bytes, label, limits, within, &mut notes)?,
    };
    if !matches!(label.called(), Called::Unknown)
        && label.called() != Called::A(document.format)
        && let Some((note, said)) = label.mistaken()
    {
        notes.insert(note.to_owned(), said);
    }
    within.left = within.left.saturating_sub(document.text.len() as u64);
    document.metadata.extend(notes);
    finished(document, label, limits)
}

/// Returns a document that was read, as the work that its label makes it. Fails if it has no text or too much.
pub(crate) fn finished(
    mut document: Document,
    label: &Label,
    limits: &Limits,
) -> Result<Document, ReadError> {
    held(&document, limits)?;
    document.work = match label {
        Label::File { .. } => None,
        Label::Fetched { url, .. } => Some(Box::new(work(&mut document, url))),
    };
    Ok(document)
}

/// Returns the document in bytes of a format that `formats` reads, and the files within.
fn parsed(
    format: Format,
    bytes: &[u8],
    label: &Label,
    limits: &Limits,
    within: &mut Within,
) -> Result<Document, ReadError> {
    let Parsed { title, text, pages, metadata, inner } =
        formats::parse_named(format, &label.file_name(), bytes, &limits.bounds())?;
    let stem = label.stem();
    // The first sheet does not name a workbook, nor what is told of the columns a table.
    let is_sheet = matches!(format, Format::Csv | Format::Ods | Format::Tsv | Format::Xlsx);
    let title = title.or_else(|| is_sheet.then(|| stem.clone()));
    let (title, sections, _) = markdown::outline(&text, title.as_deref(), &stem);
    let is_numbered = title.strip_prefix("Slide ").is_some_and(|it| it.parse::<u32>().is_ok());
    let pages = (1..).zip(pages).map(|(number, start)| Page { number, start }).collect();
    within.depth += 1;
    let inner = inner.into_iter().map(|file| inside(file, limits, within)).collect();
    within.depth -= 1;
    let document = Document::new(format, title, text, sections, metadata);
    let mut document = Document { pages, inner, ..document };
    if is_numbered && !document.pages.is_empty() {
        document.retitle(&stem);
    }
    Ok(document)
}

/// Reads a file within a file.
fn inside(file: formats::Inner, limits: &Limits, within: &mut Within) -> Inner {
    let label = Label::File { name: PathBuf::from(&file.name) };
    let seconds = limits.time_seconds;
    // The file around it is lost if the process that reads both is out of time.
    let is_late = within.started.elapsed().as_secs() >= (seconds / 4 * 3).max(1);
    let document = if within.depth > DEEPEST_WITHIN {
        Err(ReadError::TooDeepWithin { most: DEEPEST_WITHIN })
    } else if within.left == 0 {
        Err(ReadError::TooMuchWithin { limit: limits.text_bytes.saturating_mul(TEXT_WITHIN) })
    } else if is_late {
        Err(ReadError::TookTooLong { seconds })
    } else {
        let text_bytes = limits.text_bytes.min(within.left);
        read_within(&label, &file.bytes, &Limits { text_bytes, ..limits.clone() }, within)
    };
    Inner { name: file.name, file_sha256: sha256(&file.bytes), document }
}

/// Returns the Markdown `text`, byte for byte, as a document; `stem` is the title if it has none.
pub(crate) fn markdown(text: String, stem: &str, limits: &Limits) -> Result<Document, ReadError> {
    fits(text.len() as u64, limits.text_bytes)?;
    let document = outlined(Format::Markdown, text, stem);
    held(&document, limits)?;
    Ok(document)
}

/// Refuses a document with no text or too much.
pub(crate) fn held(document: &Document, limits: &Limits) -> Result<(), ReadError> {
    fits(document.text.len() as u64, limits.text_bytes)?;
    let is_empty = document.sections.is_empty() && document.inner.is_empty();
    if is_empty { Err(ReadError::Empty) } else { Ok(()) }
}

/// Returns the document in bytes that are text.
fn unpacked(
    bytes: &[u8],
    label: &Label,
    limits: &Limits,
    within: &mut Within,
    notes: &mut BTreeMap<String, String>,
) -> Result<Document, ReadError> {
    let called = label.called();
    let fetched = matches!(label, Label::Fetched { .. });
    // Servers label pages with many wrong types; a file name is trusted.
    let page = opens_as_page(bytes);
    match called {
        // Each part of a message has an encoding of its own.
        Called::A(format @ (Format::Mail | Format::Mailbox)) => {
            return parsed(format, bytes, label, limits, within);
        }
        // A flat OpenDocument file is XML.
        Called::A(Format::Odt) if bytes.trim_ascii_start().starts_with(b"<") => {
            return parsed(Format::Odt, bytes, label, limits, within);
        }
        _ => {}
    }
    let is_of_another = || formats::recognize(bytes).is_some();
    if !page {
        match called {
            Called::A(format) if format.is_packed() && !is_of_another() => {
                return Err(label.broken());
            }
            Called::Not(error) if fetched || !is_of_another() => {
                return Err(error);
            }
            _ => {}
        }
    }
    let page = page || called == Called::A(Format::Html);
    let decoded = decode::decode(bytes, page, label.charset())?;
    let text = &decoded.text;
    let format = match called {
        _ if sniff::opens_as_html(text) => Format::Html,
        Called::A(Format::Html) if sniff::holds_tags(text) => Format::Html,
        Called::A(Format::Markdown) => Format::Markdown,
        // A table is hardly written as JSON or XML is.
        Called::A(Format::Csv | Format::Tsv) => {
            let known = formats::recognize(text.as_bytes());
            let other = [Format::Json, Format::JsonLines, Format::Notebook, Format::Xml];
            known.filter(|known| other.contains(known)).unwrap_or(match called {
                Called::A(format) => format,
                _ => Format::Csv,
            })
        }
        Called::A(Format::Text | Format::Html) | Called::Unknown | Called::Not(_) => {
            match formats::recognize(text.as_bytes()) {
                Some(format) => format,
                None if called == Called::Unknown
                    && text.trim_start().starts_with('<')
                    && sniff::holds_tags(text) =>
                {
                    Format::Html
                }
                None => Format::Text,
            }
        }
        Called::A(format) => format,
    };
    notes.extend(decoded.encoding.map(|encoding| ("encoding".to_owned(), encoding.to_owned())));
    if decoded.unreadable > 0 {
        let places = decoded.unreadable;
        let said = format!("{places}; these bytes are no UTF-8 and read as �");
        notes.insert("unreadable_bytes".to_owned(), said);
    }
    if decoded.byte_order_mark {
        notes.insert("byte_order_mark".to_owned(), "dropped".to_owned());
    }
    match format {
        Format::Html => {}
        Format::Mail | Format::Mailbox | Format::Rtf => {
            return parsed(format, bytes, label, limits, within);
        }
        Format::Markdown if !fetched && markdown::vault::has_links(&decoded.text) => {
            let text = markdown::vault::shown(&decoded.text).into_owned();
            return Ok(outlined(format, text, &label.stem()));
        }
        Format::Text | Format::Markdown => {
            return Ok(outlined(format, decoded.text.into_owned(), &label.stem()));
        }
        _ => {
            return match parsed(format, text.as_bytes(), label, limits, within) {
                // What is not quite of its format can still be read as the text that it is.
                Err(ReadError::Damaged { .. }) => {
                    Ok(outlined(Format::Text, decoded.text.into_owned(), &label.stem()))
                }
                said => said,
            };
        }
    }
    let page = html::main_content(&decoded.text, fetched)?;
    match page.barrier {
        Some(by) if fetched => Err(ReadError::Barred { by: by.to_owned() }),
        _ => Ok(paged(page, &label.stem())),
    }
}

/// Returns a page as a document.
fn paged(page: html::Page, stem: &str) -> Document {
    let html::Page { title, markdown, metadata, work, .. } = page;
    let (title, sections, _) = markdown::outline(&markdown, title.as_deref(), stem);
    let work = Some(Box::new(work));
    Document { work, ..Document::new(Format::Html, title, markdown, sections, metadata) }
}

/// Returns the work fetched from `url`, as far as it describes itself.
fn work(document: &mut Document, url: &str) -> Paper {
    let known = document.work.take().map(|work| *work);
    let mut work = known.unwrap_or_else(|| about::file(&document.metadata));
    if work.title.is_empty() {
        work.title.clone_from(&document.title);
    }
    work.url = Some(url.to_owned());
    work
}

/// Returns whether bytes begin as a page does, in any encoding that writes Latin letters as ASCII does.
fn opens_as_page(bytes: &[u8]) -> bool {
    sniff::opens_as_html(&String::from_utf8_lossy(&bytes[..bytes.len().min(OPENING)]))
}

/// Returns a text as its own document.
fn outlined(format: Format, text: String, stem: &str) -> Document {
    let (title, sections, metadata) = match format {
        Format::Text => {
            let (title, sections) = plain::outline(&text, stem);
            (title, sections, BTreeMap::new())
        }
        _ => {
            let (title, sections, mut metadata) = markdown::outline(&text, None, stem);
            let (at, _) = markdown::front_matter(&text);
            for (key, words) in markdown::note_marks(&text[at..], at > 0) {
                let all: &mut String = metadata.entry(key).or_default();
                if !all.is_empty() {
                    all.push_str(", ");
                }
                all.push_str(&words);
            }
            (title, sections, metadata)
        }
    };
    Document::new(format, title, text, sections, metadata)
}

fn fits(bytes: u64, limit: u64) -> Result<(), ReadError> {
    if bytes > limit { Err(ReadError::TooLarge { bytes, limit }) } else { Ok(()) }
}

/// Returns the bytes of the file at `path`, never more than `limits` allow.
///
/// A file whose reported size is too large is not opened; one that grows while it is read is refused. Anything that is not a regular file
/// (a folder, a pipe, a device) is not opened either.
pub fn load(path: &Path, limits: &Limits) -> Result<Vec<u8>, ReadError> {
    let failed = |error: std::io::Error| ReadError::Failed { what: error.to_string() };
    let metadata = std::fs::metadata(path).map_err(failed)?;
    if !metadata.is_file() {
        return Err(ReadError::Failed { what: "it is not a regular file".into() });
    }
    fits(metadata.len(), limits.file_bytes)?;
    let mut bytes = Vec::with_capacity(usize::try_from(metadata.len()).unwrap_or(0));
    let file = File::open(path).map_err(failed)?;
    file.take(limits.file_bytes.saturating_add(1)).read_to_end(&mut bytes).map_err(failed)?;
    fits(bytes.len() as u64, limits.file_bytes)?;
    Ok(bytes)
}

/// Returns the SHA-256 of `bytes` in hexadecimal.
pub fn sha256(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests;
