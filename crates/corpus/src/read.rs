//! A file's bytes become a document, or an error that says what would help.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::Read;
use std::path::Path;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::document::{Document, Format};
use crate::sniff::Packed;
use crate::{decode, docx, epub, html, markdown, pdf, plain, sniff};

/// How large a file, and the text in it, may be, and what reading it may cost.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Limits {
    pub file_bytes: u64,
    pub text_bytes: u64,
    /// How long a [`Worker`](crate::Worker) may take over one file; [`read`] keeps to it only between steps.
    pub time_seconds: u64,
    /// How much memory a [`Worker`](crate::Worker)'s process may use; [`read`] alone does not keep to it.
    pub memory_bytes: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self { file_bytes: 64 << 20, text_bytes: 16 << 20, time_seconds: 60, memory_bytes: 1 << 30 }
    }
}

/// Why a file did not become a document.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[serde(rename_all = "snake_case")]
pub enum ReadError {
    #[error("there is no text in it")]
    Empty,
    #[error("it looks like {looks_like}, not like text")]
    Binary { looks_like: String },
    #[error("{bytes} bytes are more than the limit of {limit}; split it or raise the limit")]
    TooLarge { bytes: u64, limit: u64 },
    #[error("the {format} is encrypted; save it without a password first")]
    Encrypted { format: String },
    #[error("the PDF holds pictures of pages, not text; run it through OCR first")]
    Scanned,
    #[error("the {format} is damaged or cut short; download or save it again")]
    Damaged { format: String },
    #[error("reading it took longer than {seconds} s; split it or raise the limit")]
    TookTooLong { seconds: u64 },
    #[error(
        "it broke its reader or needs more memory than {mebibytes} MiB; split it, save it again, or raise the limit"
    )]
    BrokeReader { mebibytes: u64 },
    #[error("{format} is not read yet; save it as Markdown, HTML or plain text")]
    NotReadYet { format: String },
    #[error(
        "the kind of file is unknown (its name ends in .{extension}); if it is text, rename it to .txt or .md"
    )]
    UnknownFormat { extension: String },
    #[error("it is too complex: {what}; save it as plain text")]
    TooComplex { what: String },
    #[error("{what}")]
    Failed { what: String },
}

/// Returns the document in `bytes`; `name` gives the kind where the bytes leave it open, and a title where they have none.
///
/// Nothing is read from disk. The bytes decide first: a PDF is a PDF under any name.
///
/// A PDF is read by large engines that a hostile file can break in ways that no caller can catch, such as an overflow of the stack. A panic
/// is that file's error here, and nothing more is promised: PDFs that strangers wrote go through a [`Worker`](crate::Worker).
pub fn read(name: &Path, bytes: &[u8], limits: &Limits) -> Result<Document, ReadError> {
    within(bytes.len() as u64, limits.file_bytes)?;
    if bytes.trim_ascii().is_empty() {
        return Err(ReadError::Empty);
    }
    let packed = sniff::packed(bytes)?;
    let extension = name.extension().map(|end| end.to_string_lossy().to_lowercase());
    let extension = extension.unwrap_or_default();
    let stem = name.file_stem().unwrap_or(name.as_os_str()).to_string_lossy();
    let mut notes = BTreeMap::new();
    let mut document = match packed {
        Some(Packed::Pdf) => pdf::read(bytes, &stem, limits)?,
        Some(Packed::Docx) => docx::read(bytes, &stem, limits)?,
        Some(Packed::Epub) => epub::read(bytes, &stem, limits)?,
        None => unpacked(bytes, &extension, &stem, &mut notes)?,
    };
    let expected = match packed {
        Some(Packed::Pdf) => "pdf",
        Some(Packed::Docx) => "docx",
        Some(Packed::Epub) => "epub",
        None => &extension,
    };
    if expected != extension && !extension.is_empty() {
        notes.insert("named".to_owned(), extension);
    }
    within(document.text.len() as u64, limits.text_bytes)?;
    if document.sections.is_empty() {
        return Err(ReadError::Empty);
    }
    document.metadata.extend(notes);
    Ok(document)
}

/// Returns the document in bytes that are text as they stand.
fn unpacked(
    bytes: &[u8],
    extension: &str,
    stem: &str,
    notes: &mut BTreeMap<String, String>,
) -> Result<Document, ReadError> {
    let named = match extension {
        "" | "txt" | "text" | "rst" | "adoc" | "org" | "tex" | "log" => Format::Text,
        "md" | "markdown" | "mdown" => Format::Markdown,
        "html" | "htm" | "xhtml" => Format::Html,
        "pdf" | "docx" | "epub" => {
            let what = format!("its name ends in .{extension}, but it is none; it may be damaged");
            return Err(ReadError::Failed { what });
        }
        _ => return Err(ReadError::UnknownFormat { extension: extension.to_owned() }),
    };
    let decoded = decode::decode(bytes, named == Format::Html)?;
    let format = match named {
        _ if sniff::opens_as_html(&decoded.text) => Format::Html,
        Format::Html if !sniff::holds_tags(&decoded.text) => Format::Text,
        named => named,
    };
    notes.extend(decoded.encoding.map(|encoding| ("encoding".to_owned(), encoding.to_owned())));
    if decoded.byte_order_mark {
        notes.insert("byte_order_mark".to_owned(), "dropped".to_owned());
    }
    if format != named && !extension.is_empty() {
        notes.insert("named".to_owned(), extension.to_owned());
    }
    outlined(format, decoded.text, stem)
}

fn outlined(format: Format, text: String, stem: &str) -> Result<Document, ReadError> {
    let pages = Vec::new();
    Ok(match format {
        Format::Html => {
            let page = html::main_content(text)?;
            let (title, sections, _) =
                markdown::outline(&page.markdown, page.title.as_deref(), stem);
            let metadata = page.metadata;
            Document { format, title, text: page.markdown, sections, pages, metadata }
        }
        Format::Text => {
            let (title, sections) = plain::outline(&text, stem);
            Document { format, title, text, sections, pages, metadata: BTreeMap::new() }
        }
        Format::Markdown | Format::Pdf | Format::Docx | Format::Epub => {
            let (title, sections, metadata) = markdown::outline(&text, None, stem);
            Document { format, title, text, sections, pages, metadata }
        }
    })
}

fn within(bytes: u64, limit: u64) -> Result<(), ReadError> {
    if bytes > limit { Err(ReadError::TooLarge { bytes, limit }) } else { Ok(()) }
}

/// Returns the bytes of the file at `path`, never more than `limits` allow.
///
/// A file that says it is too large is not opened; one that grows while it is read is refused. What is no regular file
/// (a folder, a pipe, a device) is not opened either.
pub fn load(path: &Path, limits: &Limits) -> Result<Vec<u8>, ReadError> {
    let failed = |error: std::io::Error| ReadError::Failed { what: error.to_string() };
    let metadata = std::fs::metadata(path).map_err(failed)?;
    if !metadata.is_file() {
        return Err(ReadError::Failed { what: "it is not a regular file".into() });
    }
    within(metadata.len(), limits.file_bytes)?;
    let mut bytes = Vec::with_capacity(usize::try_from(metadata.len()).unwrap_or(0));
    let file = File::open(path).map_err(failed)?;
    file.take(limits.file_bytes.saturating_add(1)).read_to_end(&mut bytes).map_err(failed)?;
    within(bytes.len() as u64, limits.file_bytes)?;
    Ok(bytes)
}

/// Returns the SHA-256 of `bytes` in hexadecimal.
pub fn sha256(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::{ChunkSize, chunk};

    fn read_as(name: &str, text: &str) -> Result<Document, ReadError> {
        read(Path::new(name), text.as_bytes(), &Limits::default())
    }

    // proves: A6
    #[test]
    fn the_content_decides_and_a_wrong_name_is_noted() {
        let page = read_as("page.md", "<!doctype html><p>People drink tea.").unwrap();
        assert_eq!((page.format, page.metadata["named"].as_str()), (Format::Html, "md"));
        let notes = read_as("notes.html", "People drink tea.").unwrap();
        assert_eq!((notes.format, notes.metadata["named"].as_str()), (Format::Text, "html"));
        assert_eq!(read_as("folder/README", "tea").unwrap().title, "tea");
    }

    // proves: A6
    #[test]
    fn what_cannot_be_read_says_why() {
        assert_eq!(read_as("a.txt", " \r\n\t").unwrap_err(), ReadError::Empty);
        assert_eq!(read_as("a.md", "\u{feff} ").unwrap_err(), ReadError::Empty);
        assert!(matches!(read_as("a.csv", "a,b"), Err(ReadError::UnknownFormat { .. })));
        assert!(matches!(read_as("a.txt", "%PDF-1.4"), Err(ReadError::Damaged { .. })));
        assert!(matches!(read_as("a.txt", "{\\rtf1"), Err(ReadError::NotReadYet { .. })));
        assert!(matches!(read_as("a.pdf", "words"), Err(ReadError::Failed { .. })));
        let small = Limits { file_bytes: 3, ..Limits::default() };
        let error = read(Path::new("a.txt"), b"four", &small).unwrap_err();
        assert_eq!(error, ReadError::TooLarge { bytes: 4, limit: 3 });
        let message = error.to_string();
        assert_eq!(message, "4 bytes are more than the limit of 3; split it or raise the limit");
    }

    // proves: A6
    #[test]
    fn loading_refuses_what_is_too_large_or_no_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("sparse.txt");
        File::create(&path).unwrap().set_len(1 << 40).unwrap();
        let error = load(&path, &Limits::default()).unwrap_err();
        assert_eq!(error, ReadError::TooLarge { bytes: 1 << 40, limit: 64 << 20 });
        assert!(load(folder.path(), &Limits::default()).is_err());
        assert!(load(&folder.path().join("none"), &Limits::default()).is_err());
    }

    #[test]
    fn the_hash_is_the_standard_one() {
        let expected = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        assert_eq!(sha256(b"abc"), expected);
    }

    /// Checks what must hold of any document and any chunk size.
    fn check(document: &Document, size: &ChunkSize) {
        let text = &document.text;
        let mut at = 0;
        for section in &document.sections {
            assert!(at <= section.start && section.start < section.end);
            assert_eq!(text[section.start..section.end].trim(), &text[section.start..section.end]);
            assert_eq!(section.path[0], document.title);
            at = section.end;
        }
        let body = if document.format == Format::Text { 0 } else { markdown::front_matter(text).0 };
        let own = matches!(document.format, Format::Text | Format::Markdown);
        let body = if own { body } else { 0 };
        let held = |parts: Vec<(usize, usize)>| -> String {
            let parts = parts.into_iter().map(|(start, end)| &text[start..end]);
            parts.flat_map(|part| part.split_whitespace()).collect()
        };
        let words: String = text[body..].split_whitespace().collect();
        assert_eq!(held(document.sections.iter().map(|s| (s.start, s.end)).collect()), words);
        let chunks = chunk(document, size);
        let mut last = (0, 0);
        for chunk in &chunks {
            let section = &document.sections[chunk.section];
            assert!(section.start <= chunk.start && chunk.end <= section.end);
            assert!(last <= (chunk.section, chunk.start) && chunk.start < chunk.end);
            last = (chunk.section, chunk.end);
            assert_eq!(text[chunk.start..chunk.end].trim(), &text[chunk.start..chunk.end]);
            assert!(chunk.tokens <= size.target_tokens.max(1));
        }
        assert_eq!(held(chunks.iter().map(|c| (c.start, c.end)).collect()), words);
    }

    fn example(name: &str) -> Document {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/cholera-more");
        let path = folder.join(name);
        let document = read(&path, &load(&path, &Limits::default()).unwrap(), &Limits::default());
        let document = document.unwrap();
        check(&document, &ChunkSize::default());
        document
    }

    // proves: A6
    #[test]
    fn the_example_pdf_keeps_its_headings_table_and_pages() {
        let document = example("cholera-outside-london.pdf");
        let headings: Vec<&str> =
            document.sections.iter().filter_map(|it| it.path.get(1)).map(String::as_str).collect();
        assert_eq!(
            headings,
            [
                "Sunderland, 1831",
                "Maps before Snow: Exeter and Leeds",
                "William Budd in Bristol",
                "Newcastle, 1853",
                "The towns compared",
                "Sources"
            ]
        );
        let at = document.text.find("| Leeds | 1832 | 702 |").unwrap();
        let pages: Vec<u32> = document.pages_of(at..at + 10).iter().map(|it| it.number).collect();
        assert_eq!(pages, [2]);
        let budd =
            "In 1849, only weeks after the first edition of John Snow's pamphlet, Budd published";
        let at = document.text.find(budd).unwrap();
        assert_eq!(document.pages_of(at..at + 1)[0].number, 1);
        assert_eq!(document.title, "Cholera outside London");
    }

    // proves: A6
    #[test]
    fn the_example_docx_keeps_its_headings_table_and_list() {
        let document = example("farr-and-elevation.docx");
        assert_eq!(document.title, "William Farr and the height of the ground");
        assert_eq!(document.sections[1].path[1], "Deaths by height above the river");
        assert!(document.text.contains("| under 20 | 102 |\n| 20 to 40 | 65 |"));
        assert!(document.text.contains("- he gave the deaths week by week,\n- he gave them"));
    }

    const PARTS: &[&str] = &[
        "# One\n",
        "\n\n",
        "## Two\n",
        "People drink tea. ",
        "\r\n",
        "```\n",
        "| a | b |\n",
        "- item\n",
        "---\n",
        "key: value\n",
        "日本語のテキスト。",
        "é",
        " ",
        "> quote\n",
        "SHOUT\n",
        "1.2 Part\n",
        "====\n",
        "<p>",
        "</p>",
        "<b>",
        "<h2>x</h2>",
        "<!doctype html>",
        "<script>",
        "\u{2028}",
        "wordwordwordwordwordwordword",
    ];

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(300))]

        // proves: A6
        #[test]
        fn sections_and_chunks_hold_all_of_any_text_once(
            parts in prop::collection::vec(prop::sample::select(PARTS), 0..120),
            name in prop::sample::select(&["a.md", "a.txt", "a.html"][..]),
            target_tokens in 0_usize..60, smallest_tokens in 0_usize..30,
        ) {
            if let Ok(document) = read_as(name, &parts.concat()) {
                check(&document, &ChunkSize { target_tokens, smallest_tokens });
            }
        }

        // proves: A6
        #[test]
        fn any_bytes_under_any_name_give_a_document_or_an_error(
            bytes in prop::collection::vec(any::<u8>(), 0..400),
            name in prop::sample::select(&["a", "a.txt", "a.md", "a.html", "a.pdf", "a.xyz", ""][..]),
            mark in prop::sample::select(&["", "\u{feff}", "<html>", "---\n", "PK\u{3}\u{4}", "%PDF-"][..]),
        ) {
            let bytes = [mark.as_bytes(), &bytes].concat();
            if let Ok(document) = read(Path::new(name), &bytes, &Limits::default()) {
                check(&document, &ChunkSize::default());
            }
        }

        #[test]
        fn any_characters_give_a_document_or_an_error(text in "\\PC{0,300}") {
            for name in ["a.txt", "a.md", "a.html"] {
                if let Ok(document) = read_as(name, &text) {
                    check(&document, &ChunkSize { target_tokens: 20, smallest_tokens: 5 });
                }
            }
        }
    }
}
