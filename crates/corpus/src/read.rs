//! A file's bytes become a document, or an error that says what would help.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::Read;
use std::path::Path;

use run::paper::Paper;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::document::{Document, Format};
use crate::label::{Called, Label};
use crate::sniff::Packed;
use crate::{about, decode, docx, epub, html, markdown, pdf, plain, sniff};

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

/// How far into something its opening is looked for, in bytes.
const OPENING: usize = 64 * 1024;

/// Why a file, or what was fetched, did not become a document.
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
    #[error(
        "its server calls it {media_type}, which is not read; web pages, text, Markdown, PDF, DOCX and EPUB are"
    )]
    UnknownMediaType { media_type: String },
    #[error(
        "what was fetched is not the page but {by}; open it in a browser, save it there and ingest the file"
    )]
    Barred { by: String },
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
    read_as(&Label::File { name: name.to_owned() }, bytes, limits)
}

/// Returns the document in `bytes`, as [`read`] does, whatever they are called by.
///
/// What was fetched is a work besides: it says who wrote it, and when. A page that only stands in another one's way, such as a
/// check for robots, is refused.
pub fn read_as(label: &Label, bytes: &[u8], limits: &Limits) -> Result<Document, ReadError> {
    within(bytes.len() as u64, limits.file_bytes)?;
    if bytes.trim_ascii().is_empty() {
        return Err(ReadError::Empty);
    }
    let stem = label.stem();
    let mut notes = BTreeMap::new();
    let mut document = match sniff::packed(bytes)? {
        Some(Packed::Pdf) => pdf::read(bytes, &stem, limits)?,
        Some(Packed::Docx) => docx::read(bytes, &stem, limits)?,
        Some(Packed::Epub) => epub::read(bytes, &stem, limits)?,
        None => unpacked(bytes, label, &stem, &mut notes)?,
    };
    if !matches!(label.called(), Called::Unknown)
        && label.called() != Called::A(document.format)
        && let Some((note, said)) = label.mistaken()
    {
        notes.insert(note.to_owned(), said);
    }
    held(&document, limits)?;
    document.metadata.extend(notes);
    document.work = match label {
        Label::File { .. } => None,
        Label::Fetched { url, .. } => Some(Box::new(work(&mut document, url))),
    };
    Ok(document)
}

/// Returns the Markdown `text` as a document, to the byte; `stem` is its title where it has none.
pub(crate) fn markdown(text: String, stem: &str, limits: &Limits) -> Result<Document, ReadError> {
    within(text.len() as u64, limits.text_bytes)?;
    let document = outlined(Format::Markdown, text, stem)?;
    held(&document, limits)?;
    Ok(document)
}

/// Refuses a document that has no text, or too much.
fn held(document: &Document, limits: &Limits) -> Result<(), ReadError> {
    within(document.text.len() as u64, limits.text_bytes)?;
    if document.sections.is_empty() { Err(ReadError::Empty) } else { Ok(()) }
}

/// Returns the document in bytes that are text as they stand.
fn unpacked(
    bytes: &[u8],
    label: &Label,
    stem: &str,
    notes: &mut BTreeMap<String, String>,
) -> Result<Document, ReadError> {
    let called = label.called();
    let fetched = matches!(label, Label::Fetched { .. });
    // Servers call a page much that it is not; what a name says is meant.
    let page = opens_as_page(bytes);
    if !(fetched && page) {
        match called {
            Called::Not(error) => return Err(error),
            Called::A(Format::Pdf | Format::Docx | Format::Epub) => return Err(label.broken()),
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
        Called::A(Format::Text) => Format::Text,
        _ if fetched && sniff::is_json(text) => {
            return Err(ReadError::NotReadYet { format: "JSON".into() });
        }
        Called::Unknown if text.trim_start().starts_with("<?xml") => {
            return Err(ReadError::NotReadYet { format: "XML".into() });
        }
        Called::Unknown if text.trim_start().starts_with('<') && sniff::holds_tags(text) => {
            Format::Html
        }
        _ => Format::Text,
    };
    notes.extend(decoded.encoding.map(|encoding| ("encoding".to_owned(), encoding.to_owned())));
    if decoded.byte_order_mark {
        notes.insert("byte_order_mark".to_owned(), "dropped".to_owned());
    }
    if format != Format::Html {
        return outlined(format, decoded.text, stem);
    }
    let page = html::main_content(decoded.text)?;
    match page.barrier {
        Some(by) if fetched => Err(ReadError::Barred { by: by.to_owned() }),
        _ => Ok(paged(page, stem)),
    }
}

/// Returns a page as a document.
fn paged(page: html::Page, stem: &str) -> Document {
    let html::Page { title, markdown, metadata, work, .. } = page;
    let (title, sections, _) = markdown::outline(&markdown, title.as_deref(), stem);
    let (text, pages, work) = (markdown, Vec::new(), Some(Box::new(work)));
    Document { format: Format::Html, title, text, sections, pages, metadata, work }
}

/// Returns what is known of what was fetched from `url`: what it says of itself.
fn work(document: &mut Document, url: &str) -> Paper {
    let known = document.work.take().map(|work| *work);
    let mut work = known.unwrap_or_else(|| about::file(&document.metadata));
    if work.title.is_empty() {
        work.title.clone_from(&document.title);
    }
    work.url = Some(url.to_owned());
    work
}

/// Tells whether bytes begin the way a page does, in whatever encoding that writes Latin letters as ASCII does.
fn opens_as_page(bytes: &[u8]) -> bool {
    sniff::opens_as_html(&String::from_utf8_lossy(&bytes[..bytes.len().min(OPENING)]))
}

/// Returns a text that is its own document.
fn outlined(format: Format, text: String, stem: &str) -> Result<Document, ReadError> {
    let ((title, sections, metadata), pages) = match format {
        Format::Text => {
            let (title, sections) = plain::outline(&text, stem);
            ((title, sections, BTreeMap::new()), Vec::new())
        }
        _ => (markdown::outline(&text, None, stem), Vec::new()),
    };
    Ok(Document { format, title, text, sections, pages, metadata, work: None })
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
    use crate::label::tests::fetched;
    use crate::{ChunkSize, chunk};

    fn named(name: &str, text: &str) -> Result<Document, ReadError> {
        read(Path::new(name), text.as_bytes(), &Limits::default())
    }

    // proves: A6
    #[test]
    fn the_content_decides_and_a_wrong_name_is_noted() {
        let page = named("page.md", "<!doctype html><p>People drink tea.").unwrap();
        assert_eq!((page.format, page.metadata["named"].as_str()), (Format::Html, "md"));
        let notes = named("notes.html", "People drink tea.").unwrap();
        assert_eq!((notes.format, notes.metadata["named"].as_str()), (Format::Text, "html"));
        assert_eq!(named("folder/README", "tea").unwrap().title, "tea");
    }

    // proves: A6
    #[test]
    fn what_cannot_be_read_says_why() {
        assert_eq!(named("a.txt", " \r\n\t").unwrap_err(), ReadError::Empty);
        assert_eq!(named("a.md", "\u{feff} ").unwrap_err(), ReadError::Empty);
        assert!(matches!(named("a.csv", "a,b"), Err(ReadError::UnknownFormat { .. })));
        assert!(matches!(named("a.txt", "%PDF-1.4"), Err(ReadError::Damaged { .. })));
        assert!(matches!(named("a.txt", "{\\rtf1"), Err(ReadError::NotReadYet { .. })));
        assert!(matches!(named("a.pdf", "words"), Err(ReadError::Failed { .. })));
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

    fn fetch(
        url: &str,
        media_type: &str,
        charset: Option<&str>,
        bytes: &[u8],
    ) -> Result<Document, ReadError> {
        read_as(&fetched(url, media_type, charset), bytes, &Limits::default())
    }

    // proves: A2
    #[test]
    fn what_was_fetched_is_read_for_what_its_server_or_its_bytes_say() {
        let page = b"<!doctype html><title>Tea</title><p>People drink tea.";
        for (media_type, bytes, format) in [
            ("text/html", &page[..], Format::Html),
            ("text/html", b"People drink tea.", Format::Text),
            ("application/xhtml+xml", b"<html><body><p>tea</p></body></html>", Format::Html),
            ("", page, Format::Html),
            ("", b"<p>People drink tea.</p>", Format::Html),
            ("", b"People drink tea.", Format::Text),
            ("text/plain", page, Format::Html),
            ("text/markdown", b"# Tea\n\nPeople drink tea.", Format::Markdown),
            // Servers that call everything by one name.
            ("application/json", page, Format::Html),
            ("application/pdf", page, Format::Html),
        ] {
            let document = fetch("https://a.org/x", media_type, None, bytes).unwrap();
            let text = String::from_utf8_lossy(bytes);
            assert_eq!(document.format, format, "{media_type}: {text}");
            assert!(document.text.contains("tea"), "{media_type}: {text}");
        }
        let pdf = fetch("https://a.org/x", "application/pdf", None, page).unwrap();
        assert_eq!(pdf.metadata["served_as"], "application/pdf");
        for (url, media_type, bytes, said) in [
            ("https://a.org/x", "application/json", &b"{\"a\": 1}"[..], "JSON is not read yet"),
            ("https://a.org/x", "text/html", b"{\"a\": 1}", "JSON is not read yet"),
            ("https://a.org/x", "", b"[1, 2]", "JSON is not read yet"),
            ("https://a.org/x", "", b"<?xml version='1.0'?><rss></rss>", "XML is not read yet"),
            ("https://a.org/x", "image/png", b"\x89PNG\r\n\x1a\n", "a PNG image"),
            ("https://a.org/x", "image/svg+xml", b"<svg></svg>", "an image"),
            ("https://a.org/x", "text/html", b"\x1f\x8b\x08\0", "a gzip archive"),
            ("https://a.org/x", "application/pdf", b"words", "its server calls it application/pdf"),
            ("https://a.org/x.pdf", "", b"words", "its address ends as that of a document"),
            ("https://a.org/x", "text/html", b" ", "no text"),
            ("https://a.org/x", "application/x-foo", b"words", "application/x-foo, which is not"),
        ] {
            let error = fetch(url, media_type, None, bytes).unwrap_err().to_string();
            assert!(error.contains(said), "{url} {media_type}: {error}");
        }
    }

    // proves: A2
    #[test]
    fn the_charset_of_a_server_is_honoured() {
        let page = b"<title>x</title><p>\xcf\xf0\xe8\xe2\xe5\xf2, \xec\xe8\xf0";
        let document = fetch("https://a.org/x", "text/html", Some("windows-1251"), page).unwrap();
        assert_eq!(document.text, "Привет, мир");
        assert_eq!(document.metadata["encoding"], "windows-1251");
    }

    // proves: A2
    #[test]
    fn a_file_is_no_work_and_a_text_from_the_web_is_one() {
        assert_eq!(named("a.html", "<!doctype html><title>T</title><p>tea").unwrap().work, None);
        let text = fetch("https://a.org/The%20tea.txt", "text/plain", None, b"We drink tea.");
        let work = text.unwrap().work.unwrap();
        assert_eq!((work.title.as_str(), work.kind), ("The tea", run::paper::Kind::WebPage));
        assert_eq!(work.url.as_deref(), Some("https://a.org/The%20tea.txt"));
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
            if let Ok(document) = named(name, &parts.concat()) {
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

        // proves: A2
        #[test]
        fn any_bytes_of_any_type_and_charset_give_a_document_or_an_error(
            bytes in prop::collection::vec(any::<u8>(), 0..300),
            mark in prop::sample::select(&[
                "", "\u{feff}", "<html>", "<!doctype html><meta charset=gbk><p>", "{\"a\":", "%PDF-",
                "<script type=application/ld+json>{\"@type\": \"Article\", \"author\": ",
            ][..]),
            url in prop::sample::select(&["https://a.org/x.md", "https://a.org/%ff?", "a.pdf", ""][..]),
            media_type in prop::sample::select(&[
                "", "text/html", "text/plain", "text/markdown", "application/octet-stream", "application/pdf",
                "image/png", "application/json", ";", "\u{0}/é",
            ][..]),
            charset in prop::option::of(prop::sample::select(&[
                "utf-8", "utf-16", "utf-16be", "iso-8859-1", "shift_jis", "gb18030", "iso-2022-jp", "replacement",
                "x-user-defined", "", "nonsense",
            ][..])),
        ) {
            let bytes = [mark.as_bytes(), &bytes].concat();
            if let Ok(document) = fetch(url, media_type, charset, &bytes) {
                check(&document, &ChunkSize::default());
                prop_assert!(document.work.is_some_and(|work| work.url.as_deref() == Some(url)));
            }
        }

        #[test]
        fn any_characters_give_a_document_or_an_error(text in "\\PC{0,300}") {
            for name in ["a.txt", "a.md", "a.html"] {
                if let Ok(document) = named(name, &text) {
                    check(&document, &ChunkSize { target_tokens: 20, smallest_tokens: 5 });
                }
            }
        }
    }
}
