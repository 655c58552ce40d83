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
    // Programs save pages as tables and documents, and data as tables.
    for name in ["export.xls", "page.docx", "page.pdf"] {
        let page = named(name, "<html><body><p>People drink tea.</body></html>").unwrap();
        assert_eq!(
            (page.format, page.text.as_str()),
            (Format::Html, "People drink tea."),
            "{name}"
        );
    }
    let data = named("data.csv", r#"{"drink": "tea", "cups": 3}"#).unwrap();
    assert_eq!((data.format, data.text.as_str()), (Format::Json, "- drink: tea\n- cups: 3"));
    assert_eq!(named("data.csv", "drink,cups\ntea,3").unwrap().format, Format::Csv);
}

// proves: A6
#[test]
fn a_few_broken_bytes_are_told() {
    let text = "Größe, Höhe, Länge und Übermaß.";
    let bytes = [text.as_bytes(), b" \xff."].concat();
    let document = read(Path::new("a.txt"), &bytes, &Limits::default()).unwrap();
    assert_eq!(document.text, format!("{text} \u{fffd}."));
    assert!(document.metadata["unreadable_bytes"].starts_with("1;"));
    assert!(!document.metadata.contains_key("encoding"));
}

// proves: A6
#[test]
fn what_cannot_be_read_says_why() {
    assert_eq!(named("a.txt", " \r\n\t").unwrap_err(), ReadError::Empty);
    assert_eq!(named("a.md", "\u{feff} ").unwrap_err(), ReadError::Empty);
    assert!(matches!(named("a.dll", "a,b"), Err(ReadError::UnknownFormat { .. })));
    assert!(matches!(named("a.txt", "%PDF-1.4"), Err(ReadError::Damaged { .. })));
    assert!(matches!(named("a.pdf", "words"), Err(ReadError::Failed { .. })));
    let small = Limits { file_bytes: 3, ..Limits::default() };
    let error = read(Path::new("a.txt"), b"four", &small).unwrap_err();
    assert_eq!(error, ReadError::TooLarge { bytes: 4, limit: 3 });
    let message = error.to_string();
    assert_eq!(message, "it has 4 bytes, more than the limit of 3; split it or raise the limit");
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
        // Servers that send everything as one type.
        ("application/json", page, Format::Html),
        ("application/json", b"{\"drink\": \"tea\"}", Format::Json),
        ("text/html", b"{\"drink\": \"tea\"}", Format::Json),
        ("", b"<?xml version='1.0'?><drinks><drink>tea</drink></drinks>", Format::Xml),
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
        ("https://a.org/x", "image/png", &b"\x89PNG\r\n\x1a\n"[..], "a PNG image"),
        ("https://a.org/x", "image/svg+xml", b"<svg></svg>", "an image"),
        ("https://a.org/x", "text/html", b"\x1f\x8b\x08\0", "damaged"),
        ("https://a.org/x", "application/pdf", b"words", "its server labels it application/pdf"),
        ("https://a.org/x.pdf", "", b"words", "its address ends like that of a document"),
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
    assert_eq!((work.title.as_str(), work.kind), ("The tea", papers::Kind::WebPage));
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
