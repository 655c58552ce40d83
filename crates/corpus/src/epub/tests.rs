use std::path::Path;

use proptest::prelude::*;

use super::*;
use crate::zipped::zipped;

const CONTAINER_FILE: &str =
    r#"<container><rootfiles><rootfile full-path="OPS/book.opf"/></rootfiles></container>"#;
const PACKAGE: &str = r#"<package xmlns:dc="d"><metadata><dc:title>The tea book</dc:title><dc:creator>A. Leaf</dc:creator><dc:creator>B. Cup</dc:creator><dc:language>en</dc:language></metadata>
    <manifest><item id="n" href="nav.xhtml" media-type="application/xhtml+xml" properties="nav"/><item id="two" href="text/b%20b.xhtml" media-type="application/xhtml+xml"/>
    <item id="one" href="a.xhtml" media-type="application/xhtml+xml"/><item id="gone" href="gone.xhtml" media-type="application/xhtml+xml"/></manifest>
    <spine><itemref idref="n"/><itemref idref="one"/><itemref idref="gone"/><itemref idref="two"/></spine></package>"#;

fn book(first: &str, more: &[(&str, &str)]) -> Vec<u8> {
    let mut files = vec![
        ("mimetype", "application/epub+zip"),
        (CONTAINER, CONTAINER_FILE),
        ("OPS/book.opf", PACKAGE),
        ("OPS/nav.xhtml", "<html><body><nav>Contents</nav></body></html>"),
        ("OPS/text/b b.xhtml", "<html><body><h1>Two</h1><p>Milk.</p></body></html>"),
        ("OPS/a.xhtml", first),
    ];
    files.extend(more);
    zipped(&files)
}

fn opened(bytes: &[u8]) -> Result<Document, ReadError> {
    crate::read(Path::new("a.epub"), bytes, &Limits::default())
}

const FIRST: &str = r#"<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml"><head><title/><script src="x"/></head><body><h1>One</h1><p>Tea.<br/>Hot<a id="x"/>.</p><aside>Short.</aside></body></html>"#;

// proves: A6
#[test]
fn chapters_come_in_the_order_of_the_spine_and_whole() {
    let document = opened(&book(FIRST, &[])).unwrap();
    assert_eq!(document.text, "# One\n\nTea.\nHot.\n\nShort.\n\n# Two\n\nMilk.");
    assert_eq!((document.format, document.title.as_str()), (Format::Epub, "The tea book"));
    assert_eq!(document.sections[1].path, ["The tea book", "Two"]);
    assert_eq!(document.metadata["author"], "A. Leaf, B. Cup");
    assert_eq!(document.metadata["lang"], "en");
}

// proves: A6
#[test]
fn a_locked_book_is_named_and_hidden_fonts_are_no_lock() {
    let list = |method: &str| {
        format!(
            r#"<encryption><enc:EncryptedData xmlns:enc="e"><enc:EncryptionMethod Algorithm="{method}"/></enc:EncryptedData></encryption>"#
        )
    };
    let locked = list("http://www.w3.org/2001/04/xmlenc#aes128-cbc");
    let said = opened(&book(FIRST, &[(ENCRYPTION, &locked)]));
    assert_eq!(said.unwrap_err(), ReadError::Encrypted { format: "EPUB".to_owned() });
    let fonts = list(FONT_OBFUSCATION[0]);
    assert!(opened(&book(FIRST, &[(ENCRYPTION, &fonts)])).is_ok());
}

// proves: A6
#[test]
fn a_broken_or_hostile_book_is_refused() {
    let deep = "<div>".repeat(5000);
    assert!(matches!(opened(&book(&deep, &[])), Err(ReadError::TooComplex { .. })));
    let no_package = zipped(&[("mimetype", "application/epub+zip"), (CONTAINER, CONTAINER_FILE)]);
    assert_eq!(opened(&no_package).unwrap_err(), ReadError::Damaged { format: "EPUB".to_owned() });
    let large = format!("<p>{}</p>", "tea ".repeat(100_000));
    let limits = Limits { text_bytes: 60_000, ..Limits::default() };
    let said = crate::read(Path::new("a.epub"), &book(&large, &[]), &limits);
    assert!(matches!(said, Err(ReadError::TooLarge { .. })), "{said:?}");
}

#[test]
fn tags_that_end_themselves_are_opened_and_closed() {
    assert_eq!(
        super::opened(r#"<title/><br/><a b="/>" /><!-- <p/> -->x < y"#),
        r#"<title></title><br/><a b="/>" ></a><!-- <p/> -->x < y"#
    );
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    // proves: A6
    #[test]
    fn a_book_changed_anywhere_gives_a_document_or_an_error(
        page in "[<>/a-z\"= &;!-]{0,80}",
        changes in prop::collection::vec((any::<usize>(), any::<u8>()), 0..4),
    ) {
        let mut file = book(&page, &[]);
        for (at, byte) in changes {
            let at = at % file.len();
            file[at] = byte;
        }
        if let Ok(document) = opened(&file) {
            prop_assert!(!document.text.trim().is_empty());
        }
    }
}
