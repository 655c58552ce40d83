use proptest::prelude::*;

use super::*;
use crate::Format;
use crate::archive::tests::zipped;

const STYLES: &str = r#"<office:document-styles><office:styles><style:style style:name="Title"/>
    <style:style style:name="Secret"><style:text-properties text:display="none"/></style:style>
    <style:style style:name="T1" style:parent-style-name="Title"/>
    <text:list-style style:name="L"><text:list-level-style-number text:level="1" style:num-format="1" style:num-suffix="."/>
    <text:list-level-style-number text:level="2" style:num-format="a" style:num-suffix=")" text:display-levels="1"/>
    <text:list-level-style-number text:level="3" style:num-format="i" text:display-levels="3"/></text:list-style>
    <text:list-style style:name="B"><text:list-level-style-bullet text:level="1" text:bullet-char="•"/></text:list-style>
    <text:outline-style><text:outline-level-style text:level="1" style:num-format="1"/><text:outline-level-style text:level="2" style:num-format="1" text:display-levels="2"/></text:outline-style>
    </office:styles></office:document-styles>"#;
const META: &str = r#"<office:document-meta><office:meta><dc:title>The tea study</dc:title><meta:initial-creator>A. Leaf</meta:initial-creator>
    <meta:creation-date>2026-11-02T10:00:00.5</meta:creation-date><meta:keyword>tea</meta:keyword><meta:keyword>milk</meta:keyword></office:meta></office:document-meta>"#;

fn content(body: &str) -> String {
    format!("<office:document-content><office:body>{body}</office:body></office:document-content>")
}

fn file(body: &str, more: &[(&str, &str)]) -> Vec<u8> {
    let written = content(body);
    let mut files = vec![("content.xml", &*written), ("styles.xml", STYLES), ("meta.xml", META)];
    files.extend(more);
    zipped(&files)
}

fn opened(bytes: &[u8]) -> Result<Parsed, Fault> {
    crate::parse(Format::Odt, bytes, &Bounds::default())
}

fn text(body: &str) -> String {
    opened(&file(&format!("<office:text>{body}</office:text>"), &[])).unwrap().text
}

// proves: A6
#[test]
fn headings_have_their_levels_and_numbers() {
    let body = r#"<office:text><text:p text:style-name="T1">Tea</text:p><text:h text:outline-level="1">Method</text:h>
        <text:h text:outline-level="2">People</text:h><text:h text:outline-level="2" text:is-list-header="true">More</text:h>
        <text:list text:style-name="Outline"><text:list-item><text:list><text:list-item><text:h text:outline-level="2">Places</text:h></text:list-item></text:list></text:list-item></text:list>
        <text:h text:outline-level="1">Results</text:h><text:p>We<text:s text:c="99999999999"/>asked<text:tab/>1,204 <text:span>adults</text:span>.<text:line-break/>Twice.</text:p>
        <text:table-of-content><text:index-body><text:p>Method 2</text:p></text:index-body></text:table-of-content></office:text>"#;
    let document = opened(&file(body, &[])).unwrap();
    assert_eq!(
        document.text,
        "# Tea\n\n## 1 Method\n\n### 1.1 People\n\n### More\n\n### 1.2 Places\n\n## 2 Results\n\nWe asked 1,204 adults.\nTwice."
    );
    assert_eq!(document.title.as_deref(), Some("The tea study"));
    let said = |key: &str| document.metadata[key].as_str();
    assert_eq!(
        (said("author"), said("created"), said("keywords")),
        ("A. Leaf", "2026-11-02", "tea, milk")
    );
}

// proves: A6
#[test]
fn lists_count_as_they_print() {
    let item = |words: &str, inner: &str| {
        format!("<text:list-item><text:p>{words}</text:p>{inner}</text:list-item>")
    };
    let list = |style: &str, items: &str| format!("<text:list{style}>{items}</text:list>");
    let third = list("", &item("deep", ""));
    let second = list("", &(item("aa", "") + &item("bb", &third)));
    let first = list(r#" text:style-name="L""#, &(item("one", &second) + &item("two", "")));
    let goes_on = list(
        r#" text:style-name="L" text:continue-numbering="true""#,
        &(item("three", "") + r#"<text:list-header><text:p>no number</text:p></text:list-header>"#),
    );
    let set = list(
        r#" text:style-name="L""#,
        r#"<text:list-item text:start-value="7"><text:p>seven</text:p><text:p>goes on</text:p></text:list-item>"#,
    );
    let bullets = list(r#" text:style-name="B""#, &item("dot", ""));
    assert_eq!(
        text(&[first, goes_on, set, bullets].concat()),
        "1. one\n  - a) aa\n  - b) bb\n    - 1.b.i deep\n2. two\n3. three\n\nno number\n\n7. seven\n\ngoes on\n\n- dot"
    );
}

// proves: A6
#[test]
fn headers_and_footers_stand_once_after_the_text() {
    let page = |name: &str, more: &str, margins: &str| {
        format!(r#"<style:master-page style:name="{name}"{more}>{margins}</style:master-page>"#)
    };
    let header = |words: &str| format!("<style:header><text:p>{words}</text:p></style:header>");
    let pages = page("Standard", "", &header("ACME Ltd<text:tab/>Draft<text:s/>3"))
        + &page("First", r#" style:next-style-name="Next""#, &header("Dear reader"))
        + &page("Next", "", &header("ACME Ltd<text:tab/>Draft 3"))
        + &page("Unused", "", &header("Never seen"));
    let footer = "<style:footer><text:p>Page <text:page-number>1</text:page-number> of <text:page-count>7</text:page-count></text:p></style:footer>";
    let styles = format!(
        "<office:document-styles><office:master-styles>{pages}</office:master-styles></office:document-styles>"
    )
    .replacen("</style:header>", &format!("</style:header>{footer}"), 1);
    let content = r#"<office:document-content><office:automatic-styles><style:style style:name="P1" style:master-page-name="First"/></office:automatic-styles>
        <office:body><office:text><text:p text:style-name="P1">Tea.</text:p></office:text></office:body></office:document-content>"#;
    let bytes = zipped(&[("content.xml", content), ("styles.xml", &styles)]);
    assert_eq!(
        opened(&bytes).unwrap().text,
        "Tea.\n\nHeader: ACME Ltd; Draft 3\n\nHeader: Dear reader"
    );
}

// proves: A6
#[test]
fn tables_repeat_and_cover_cells_within_bounds() {
    let cell = |more: &str, words: &str| {
        format!("<table:table-cell{more}><text:p>{words}</text:p></table:table-cell>")
    };
    let row = |cells: &str| format!("<table:table-row>{cells}</table:table-row>");
    let head = row(&(cell("", "Drink")
        + &cell(r#" table:number-columns-spanned="2""#, "Share")
        + "<table:covered-table-cell/>"));
    let more = row(&(cell("", "") + &cell("", "Men") + &cell("", "Women")));
    let rows = row(&(cell("", "Tea") + &cell(r#" table:number-columns-repeated="2""#, "54")));
    let huge = r#"<table:table-row table:number-rows-repeated="1048576"><table:table-cell table:number-columns-repeated="16384"/></table:table-row>"#;
    assert_eq!(
        text(&format!(
            "<table:table><table:table-header-rows>{head}{more}</table:table-header-rows>{rows}{huge}</table:table>"
        )),
        "| Drink | Share Men | Share Women |\n| --- | --- | --- |\n| Tea | 54 | 54 |"
    );
    let merged = row(&(cell(r#" table:number-rows-spanned="2""#, "Port")
        + &cell(r#" table:number-columns-spanned="2""#, "Tide")
        + "<table:covered-table-cell/>"))
        + &row(&("<table:covered-table-cell/>".to_owned() + &cell("", "High") + &cell("", "Low")))
        + &row(&(cell(r#" table:number-rows-spanned="2""#, "Brest")
            + &cell("", "6.9")
            + &cell("", "1.2")))
        + &row(&("<table:covered-table-cell/>".to_owned() + &cell("", "7.0") + &cell("", "1.1")));
    assert_eq!(
        text(&format!("<table:table>{merged}</table:table>")),
        "| Port | Tide High | Tide Low |\n| --- | --- | --- |\n| Brest | 6.9 | 1.2 |\n| Brest | 7.0 | 1.1 |"
    );
    let large = format!(
        r#"<table:table-row table:number-rows-repeated="99999"><table:table-cell/>{}</table:table-row>"#,
        cell(r#" table:number-columns-repeated="9999""#, "tea")
    );
    let bounds = Bounds { text_bytes: 20_000, ..Bounds::default() };
    let bytes = file(
        &format!(
            "<office:text><table:table>{large}{large}{large}{large}{large}</table:table></office:text>"
        ),
        &[],
    );
    let Parsed { text: cut, metadata, .. } = crate::parse(Format::Odt, &bytes, &bounds).unwrap();
    assert_eq!(metadata["left_out"], "the rest of a table");
    assert!(cut.ends_with("The rest of this table is left out.") && cut.len() < 20_000);
    let lone = row(&(cell("", "Name") + &cell("", "Tea")));
    assert_eq!(
        text(&format!("<table:table>{lone}</table:table>")),
        "|  |  |\n| --- | --- |\n| Name | Tea |"
    );
    assert_eq!(text(&format!("<table:table>{}</table:table>", row(&cell("", "framed")))), "framed");
}

// proves: A6
#[test]
fn notes_comments_and_frames_follow_their_paragraph_and_what_is_hidden_does_not() {
    let body = r#"<text:tracked-changes><text:changed-region><text:deletion><text:p>deleted</text:p></text:deletion></text:changed-region></text:tracked-changes>
        <text:p>We<text:change-start/> asked<text:change-end/><text:note text:note-class="footnote"><text:note-citation>1</text:note-citation><text:note-body><text:p>In May.</text:p></text:note-body></text:note> adults<office:annotation><dc:creator>B. Leaf</dc:creator><dc:date>2026</dc:date><text:p>Who?</text:p></office:annotation>.<text:span text:style-name="Secret">no</text:span><text:hidden-text>no</text:hidden-text><draw:frame><draw:image><text:p/></draw:image><svg:desc>A cup</svg:desc></draw:frame><draw:frame><draw:text-box><text:p>Boxed.</text:p></draw:text-box></draw:frame><draw:frame><draw:object xlink:href="./Object 1"/></draw:frame></text:p>
        <text:p text:style-name="Secret">no</text:p><text:section text:display="none"><text:p>no</text:p></text:section>"#;
    let formula = r#"<math><semantics><mi>x</mi><annotation encoding="StarMath 5.0">{a} over {b}</annotation></semantics></math>"#;
    let whole =
        file(&format!("<office:text>{body}</office:text>"), &[("Object 1/content.xml", formula)]);
    assert_eq!(
        opened(&whole).unwrap().text,
        "We asked adults.\n\nFootnote 1: In May.\n\nComment by B. Leaf: Who?\n\nImage: A cup\n\nBoxed.\n\n{a} over {b}"
    );
}

// proves: A6
#[test]
fn words_on_a_picture_are_read() {
    let picture = "<draw:image><office:binary-data>R0lG</office:binary-data><text:p>server</text:p></draw:image>";
    let drawing = format!("<draw:g><draw:frame>{picture}</draw:frame></draw:g>");
    assert_eq!(text(&format!("<text:p>Ours:{drawing}</text:p>")), "Ours:\n\nserver");
}

#[test]
fn a_slide_of_a_presentation_is_a_section() {
    let frame = |class: &str, y: &str, words: &str| {
        format!(
            r#"<draw:frame presentation:class="{class}" svg:x="1cm" svg:y="{y}"><draw:text-box><text:p>{words}</text:p></draw:text-box></draw:frame>"#
        )
    };
    let notes =
        format!("<presentation:notes>{}</presentation:notes>", frame("notes", "9cm", "Say it."));
    let slide = frame("outline", "50mm", "Below")
        + &frame("footer", "1in", "no")
        + &frame("title", "2cm", "Tea")
        + &notes;
    let body = format!(
        "<office:presentation><draw:page>{slide}</draw:page><draw:page/></office:presentation>"
    );
    let document = opened(&file(&body, &[])).unwrap();
    assert_eq!(document.text, "## Slide 1: Tea\n\nBelow\n\n### Notes\n\nSay it.\n\n## Slide 2");
    assert_eq!(&document.text[document.pages[1]..], "## Slide 2");
}

// proves: A6
#[test]
fn a_flat_file_is_read_and_a_broken_one_is_refused() {
    let flat = r#"<?xml version="1.0"?><office:document><office:body><office:text><text:p>Tea</text:p></office:text></office:body></office:document>"#;
    assert_eq!(opened(flat.as_bytes()).unwrap().text, "Tea");
    let whole = file("<office:text/>", &[]);
    assert!(matches!(opened(&whole[..whole.len() / 2]), Err(Fault::Damaged { .. })));
    assert!(matches!(opened(b"Tea"), Err(Fault::Damaged { .. })));
    let sheet = opened(&file("<office:spreadsheet/>", &[]));
    assert!(matches!(sheet, Err(Fault::NotReadYet { .. })));
    let locked = r#"<manifest:manifest><manifest:file-entry><manifest:encryption-data/></manifest:file-entry></manifest:manifest>"#;
    let locked = file("<office:text/>", &[("META-INF/manifest.xml", locked)]);
    assert!(matches!(opened(&locked), Err(Fault::Encrypted { .. })));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    // proves: A6
    #[test]
    fn an_odt_changed_anywhere_gives_a_document_or_an_error(
        parts in prop::collection::vec(prop::sample::select(&[
            "<text:p>", "</text:p>", "tea", "<text:list text:style-name='L'>", "</text:list>", "<text:list-item>", "</text:list-item>",
            "<table:table>", "</table:table>", "<table:table-row table:number-rows-repeated='99999999999'>", "</table:table-row>",
            "<table:table-cell table:number-columns-repeated='4294967295'>", "</table:table-cell>", "<draw:frame>", "</draw:frame>",
            "<draw:text-box>", "</draw:text-box>", "<text:h text:outline-level='18446744073709551615'>", "</text:h>",
            "<text:note><text:note-body>", "</text:note-body></text:note>", "<text:list-item text:start-value='18446744073709551615'>",
        ][..]), 0..40),
        changes in prop::collection::vec((any::<usize>(), any::<u8>()), 0..4),
    ) {
        let mut bytes = file(&format!("<office:text>{}</office:text>", parts.concat()), &[]);
        for (at, byte) in changes {
            let at = at % bytes.len();
            bytes[at] = byte;
        }
        let _ = opened(&bytes);
        let _ = opened(content(&parts.concat()).as_bytes());
    }
}
