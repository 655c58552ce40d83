use proptest::prelude::*;

use super::*;
use crate::Format;
use crate::archive::tests::zipped;

const STYLES: &str = r#"<w:styles xmlns:w="w"><w:style w:styleId="Titel"><w:name w:val="Title"/></w:style>
    <w:style w:styleId="berschrift1"><w:name w:val="heading 1"/></w:style>
    <w:style w:styleId="Mine"><w:name w:val="My part"/><w:basedOn w:val="berschrift1"/></w:style>
    <w:style w:styleId="Own"><w:name w:val="Own"/><w:pPr><w:outlineLvl w:val="1"/></w:pPr></w:style>
    <w:style w:styleId="Gone"><w:rPr><w:dstrike/></w:rPr></w:style><w:style w:styleId="Past"><w:basedOn w:val="Gone"/></w:style>
    <w:style w:styleId="Verzeichnis1"><w:name w:val="toc 1"/></w:style></w:styles>"#;
const NUMBERING: &str = r#"<w:numbering xmlns:w="w"><w:abstractNum w:abstractNumId="7"><w:lvl w:ilvl="0"><w:start w:val="3"/><w:numFmt w:val="decimal"/></w:lvl>
    <w:lvl w:ilvl="1"><w:numFmt w:val="bullet"/></w:lvl></w:abstractNum><w:num w:numId="1"><w:abstractNumId w:val="7"/></w:num></w:numbering>"#;
const FOOTNOTES: &str = r#"<w:footnotes xmlns:w="w"><w:footnote w:type="separator" w:id="0"><w:p><w:r><w:t>---</w:t></w:r></w:p></w:footnote>
    <w:footnote w:id="2"><w:p><w:r><w:footnoteRef/><w:t>Asked in May.</w:t><w:footnoteReference w:id="2"/></w:r></w:p></w:footnote></w:footnotes>"#;
const CORE: &str = r#"<cp:coreProperties xmlns:cp="c" xmlns:dc="d" xmlns:dcterms="t"><dc:title>The tea study</dc:title><dc:creator>A. Leaf</dc:creator><dcterms:created>2026-11-02T10:00:00Z</dcterms:created></cp:coreProperties>"#;

fn related_to(kind: &str, target: &str) -> String {
    format!(
        r#"<Relationship Id="r{target}" Type="http://purl.oclc.org/ooxml/officeDocument/relationships/{kind}" Target="{target}"/>"#
    )
}

/// Returns a DOCX with this body, its main part in an unusual place.
fn docx(body: &str) -> Vec<u8> {
    noted(body, FOOTNOTES)
}

fn noted(body: &str, notes: &str) -> Vec<u8> {
    let top = related_to("officeDocument", "/text/main.xml")
        + &related_to("metadata/core-properties", "docProps/core.xml");
    let parts = related_to("styles", "styles.xml")
        + &related_to("numbering", "../lists.xml")
        + &related_to("footnotes", "notes.xml");
    zipped(&[
        ("[Content_Types].xml", "<Types/>"),
        ("_rels/.rels", &format!("<Relationships>{top}</Relationships>")),
        ("text/_rels/main.xml.rels", &format!("<Relationships>{parts}</Relationships>")),
        (
            "text/main.xml",
            &format!(
                r#"<w:document xmlns:w="w" xmlns:mc="mc"><w:body>{body}</w:body></w:document>"#
            ),
        ),
        ("text/styles.xml", STYLES),
        ("lists.xml", NUMBERING),
        ("text/notes.xml", notes),
        ("docProps/core.xml", CORE),
    ])
}

fn paragraph(style: &str, words: &str) -> String {
    format!(r#"<w:p><w:pPr><w:pStyle w:val="{style}"/></w:pPr><w:r><w:t>{words}</w:t></w:r></w:p>"#)
}

fn item(level: u8, words: &str) -> String {
    format!(
        r#"<w:p><w:pPr><w:numPr><w:ilvl w:val="{level}"/><w:numId w:val="1"/></w:numPr></w:pPr><w:r><w:t>{words}</w:t></w:r></w:p>"#
    )
}

fn opened(bytes: &[u8]) -> Result<Parsed, Fault> {
    crate::parse(Format::Docx, bytes, &Bounds::default())
}

fn text(body: &str) -> String {
    opened(&docx(body)).unwrap().text
}

// proves: A6
#[test]
fn headings_are_known_by_what_their_style_is_not_by_its_name_here() {
    let body = paragraph("Titel", "The tea study")
        + &paragraph("Verzeichnis1", "Method</w:t><w:tab/><w:t>2")
        + &paragraph("berschrift1", "Method")
        + &paragraph("Normal", "We asked 1,204 adults.")
        + &paragraph("Mine", "Results")
        + &paragraph("Own", "Detail")
        + &paragraph("Normal", "# Tea &amp; milk");
    let document = opened(&docx(&body)).unwrap();
    assert_eq!(
        document.text,
        "# The tea study\n\n## Method\n\nWe asked 1,204 adults.\n\n## Results\n\n### Detail\n\n\\# Tea & milk"
    );
    assert_eq!(document.title.as_deref(), Some("The tea study"));
    assert_eq!(document.metadata["author"], "A. Leaf");
    assert_eq!(document.metadata["created"], "2026-11-02");
    assert!(document.pages.is_empty());
}

// proves: A6
#[test]
fn a_lone_paragraph_with_the_style_of_contents_is_no_entry() {
    let body = paragraph("Verzeichnis1", "")
        + &paragraph("Verzeichnis1", "Part 1")
        + &paragraph("Normal", "We asked.")
        + &paragraph("Verzeichnis1", "Method")
        + &paragraph("Verzeichnis1", "Results");
    assert_eq!(text(&body), "Part 1\n\nWe asked.");
}

// proves: A6
#[test]
fn lists_and_tables_keep_their_shape() {
    let body = item(0, "a") + &item(1, "b") + &item(1, "c") + &item(0, "d");
    assert_eq!(text(&body), "3. a\n  - b\n  - c\n4. d");
    let cell = |more: &str, words: &str| {
        format!("<w:tc><w:tcPr>{more}</w:tcPr><w:p><w:r><w:t>{words}</w:t></w:r></w:p></w:tc>")
    };
    let row = |cells: &[String]| format!("<w:tr>{}</w:tr>", cells.concat());
    let body = format!(
        "<w:tbl>{}{}{}</w:tbl>",
        row(&[cell("", "Drink"), cell(r#"<w:gridSpan w:val="2"/>"#, "Share")]),
        row(&[cell(r#"<w:vMerge w:val="restart"/>"#, "Tea"), cell("", "a|b"), cell("", "54 %")]),
        row(&[cell("<w:vMerge/>", "x"), cell("", "c"), cell("", "1 %")]),
    );
    assert_eq!(
        text(&body),
        "| Drink | Share | Share |\n| --- | --- | --- |\n| Tea | a\\|b | 54 % |\n| Tea | c | 1 % |"
    );
    let (down, on, two) =
        (r#"<w:vMerge w:val="restart"/>"#, "<w:vMerge/>", r#"<w:gridSpan w:val="2"/>"#);
    let body = format!(
        "<w:tbl>{}{}{}</w:tbl>",
        row(&[cell(down, "Port"), cell(two, "Tide")]),
        row(&[cell(on, ""), cell("", "High"), cell("", "Low")]),
        row(&[cell("", "Brest"), cell("", "6.9"), cell("", "1.2")]),
    );
    assert_eq!(
        text(&body),
        "| Port | Tide High | Tide Low |\n| --- | --- | --- |\n| Brest | 6.9 | 1.2 |"
    );
    let frame = format!("<w:tbl>{}</w:tbl>", row(&[cell("", "framed")]));
    assert_eq!(text(&frame), "framed");
}

// proves: A6
#[test]
fn headers_and_footers_stand_once_after_the_text() {
    let run = |words: &str| format!("<w:r><w:t>{words}</w:t></w:r>");
    let field = |instruction: &str| {
        format!(
            r#"<w:r><w:fldChar w:fldCharType="begin"/></w:r><w:r><w:instrText> {instruction} </w:instrText></w:r><w:r><w:fldChar w:fldCharType="separate"/></w:r>{}<w:r><w:fldChar w:fldCharType="end"/></w:r>"#,
            run("7")
        )
    };
    let usual = format!(
        "<w:hdr><w:p>{}<w:r><w:tab/></w:r>{}</w:p></w:hdr>",
        run("ACME Ltd"),
        run("Draft 3")
    );
    let first = format!("<w:hdr><w:p>{}</w:p></w:hdr>", run("Dear reader"));
    let footer = format!(
        r#"<w:ftr><w:p>{}{}{}<w:fldSimple w:instr="NUMPAGES">{}</w:fldSimple></w:p></w:ftr>"#,
        run("Page "),
        field("PAGE"),
        run(" of "),
        run("9"),
    );
    let section = |more: &str| {
        format!(
            r#"<w:sectPr><w:headerReference w:type="default" r:id="h"/><w:headerReference w:type="first" r:id="f"/><w:footerReference w:type="default" r:id="n"/>{more}</w:sectPr>"#
        )
    };
    let opened_with = |more: &str| {
        let body = format!(
            "<w:p><w:pPr>{}</w:pPr>{}</w:p><w:p>{}</w:p>{}",
            section(""),
            run("Tea."),
            run("More."),
            section(more)
        );
        let target = |id: &str, kind: &str| {
            format!(r#"<Relationship Id="{id}" Type="x/{kind}" Target="{id}.xml"/>"#)
        };
        let relations = target("h", "header") + &target("f", "header") + &target("n", "footer");
        let bytes = zipped(&[
            (
                "_rels/.rels",
                r#"<R><Relationship Type="x/officeDocument" Target="word/document.xml"/></R>"#,
            ),
            ("word/_rels/document.xml.rels", &format!("<R>{relations}</R>")),
            ("word/document.xml", &format!("<w:document><w:body>{body}</w:body></w:document>")),
            ("word/h.xml", &usual),
            ("word/f.xml", &first),
            ("word/n.xml", &footer),
        ]);
        opened(&bytes).unwrap().text
    };
    assert_eq!(opened_with(""), "Tea.\n\nMore.\n\nHeader: ACME Ltd; Draft 3");
    assert_eq!(
        opened_with("<w:titlePg/>"),
        "Tea.\n\nMore.\n\nHeader: ACME Ltd; Draft 3\n\nHeader: Dear reader"
    );
}

// proves: A6
#[test]
fn the_text_is_the_last_accepted_version() {
    let run = |words: &str| format!("<w:r><w:t>{words}</w:t></w:r>");
    let body = format!(
        "<w:p>{}<w:ins>{}</w:ins><w:del><w:r><w:delText>no</w:delText></w:r></w:del><w:moveFrom>{}</w:moveFrom><w:r><w:rPr><w:vanish/></w:rPr><w:t>hidden</w:t></w:r><w:r><w:tab/><w:instrText>PAGE</w:instrText><w:t>tea</w:t><w:br/><w:t>milk</w:t></w:r></w:p>",
        run("People "),
        run("drink"),
        run("gone"),
    );
    assert_eq!(text(&body), "People drink tea\nmilk");
    let struck = |words: &str| format!("<w:r><w:rPr><w:strike/></w:rPr><w:t>{words}</w:t></w:r>");
    let body = format!(
        "<w:p>{}{}{}{}</w:p>",
        run("for "),
        struck("three "),
        struck("long"),
        run(" six months")
    );
    assert_eq!(text(&body), "for ~~three long~~ six months");
    let body = r#"<w:p><w:r><w:rPr><w:rStyle w:val="Past"/></w:rPr><w:t>500</w:t></w:r><w:r><w:t> 900</w:t></w:r></w:p>
        <w:p><w:pPr><w:pStyle w:val="Past"/></w:pPr><w:r><w:t>Rent: 500</w:t></w:r><w:r><w:rPr><w:dstrike w:val="0"/></w:rPr><w:t> no more</w:t></w:r></w:p>"#;
    assert_eq!(text(body), "~~500~~ 900\n\n~~Rent: 500~~ no more");
}

// proves: A6
#[test]
fn notes_and_text_boxes_stand_once_after_their_paragraph() {
    let boxed = "<w:txbxContent><w:p><w:r><w:t>Boxed.</w:t></w:r></w:p></w:txbxContent>";
    let body = format!(
        r#"<w:p><w:r><w:t>We asked adults.</w:t><w:footnoteReference w:id="2"/><mc:AlternateContent><mc:Choice><w:drawing>{boxed}</w:drawing></mc:Choice><mc:Fallback><w:pict>{boxed}</w:pict></mc:Fallback></mc:AlternateContent></w:r></w:p>"#
    );
    assert_eq!(text(&body), "We asked adults.\n\nFootnote 1: Asked in May.\n\nBoxed.");
}

// proves: A6
#[test]
fn labels_print_as_their_lists_say() {
    let level = |depth: u8, format: &str, label: &str, more: &str| {
        format!(
            r#"<w:lvl w:ilvl="{depth}"><w:start w:val="1"/>{more}<w:numFmt w:val="{format}"/><w:lvlText w:val="{label}"/></w:lvl>"#
        )
    };
    let levels = level(0, "upperRoman", "Part %1", "")
        + &level(1, "lowerLetter", "%2)", "")
        + &level(2, "decimal", "%1.%2.%3", "<w:isLgl/>")
        + &level(3, "bullet", "\u{f0b7}", "");
    let lists = format!(
        r#"<w:numbering xmlns:w="w"><w:abstractNum w:abstractNumId="1">{levels}</w:abstractNum>
        <w:num w:numId="1"><w:abstractNumId w:val="1"/></w:num>
        <w:num w:numId="2"><w:abstractNumId w:val="1"/><w:lvlOverride w:ilvl="0"><w:startOverride w:val="1"/></w:lvlOverride></w:num></w:numbering>"#
    );
    let of_second = item(0, "again").replace(r#"numId w:val="1""#, r#"numId w:val="2""#);
    let body = [
        item(0, "a"),
        item(1, "b"),
        item(2, "c"),
        item(3, "dot"),
        item(1, "d"),
        item(0, ""),
        item(0, "e"),
    ];
    let main = format!(
        r#"<w:document xmlns:w="w"><w:body>{}{of_second}</w:body></w:document>"#,
        body.concat()
    );
    let parts = related_to("numbering", "numbering.xml");
    let file = zipped(&[
        ("word/document.xml", &main),
        ("word/_rels/document.xml.rels", &format!("<Relationships>{parts}</Relationships>")),
        ("word/numbering.xml", &lists),
    ]);
    assert_eq!(
        opened(&file).unwrap().text,
        "- Part I a\n  - a) b\n    - 1.1.1 c\n      - dot\n  - b) d\n- Part III e\n- Part I again"
    );
}

// proves: A6
#[test]
fn drop_caps_fields_symbols_and_equations_are_text() {
    let cap = r#"<w:p><w:pPr><w:framePr w:dropCap="drop"/></w:pPr><w:r><w:t>T</w:t></w:r></w:p>"#;
    let mark_deleted =
        "<w:p><w:pPr><w:rPr><w:del/></w:rPr></w:pPr><w:r><w:t>Joined </w:t></w:r></w:p>";
    let fields = r#"<w:p><w:r><w:fldChar><w:ffData><w:checkBox><w:checked/></w:checkBox></w:ffData></w:fldChar><w:t xml:space="preserve"> yes </w:t></w:r>
        <w:r><w:fldChar><w:ffData><w:ddList><w:result w:val="1"/><w:listEntry w:val="Tea"/><w:listEntry w:val="Milk"/></w:ddList></w:ffData></w:fldChar></w:r>
        <w:r><w:sym w:font="Wingdings" w:char="F0FE"/><w:sym w:font="Symbol" w:char="F061"/></w:r>
        <w:r><w:rPr><w:rFonts w:ascii="Symbol"/></w:rPr><w:t>&#xF062;</w:t></w:r></w:p>"#;
    let equation = "<w:p><m:oMathPara><m:oMath><m:f><m:num><m:r><m:t>a</m:t></m:r></m:num><m:den><m:r><m:t>b+1</m:t></m:r></m:den></m:f></m:oMath></m:oMathPara></w:p>";
    let body = [
        cap,
        &paragraph("Normal", "ea is hot."),
        mark_deleted,
        &paragraph("Normal", "words."),
        fields,
        equation,
    ];
    assert_eq!(text(&body.concat()), "Tea is hot.\n\nJoined words.\n\n☒ yes Milk☑αβ\n\na/(b+1)");
}

// proves: A6
#[test]
fn pictures_and_comments_say_what_they_are() {
    let main = r#"<w:document xmlns:w="w"><w:body><w:p><w:r><w:t>Tea.</w:t><w:drawing><wp:inline><wp:docPr descr="A cup of tea"/></wp:inline></w:drawing><w:drawing><wp:inline><wp:docPr descr="C:\cup.PNG"/></wp:inline></w:drawing><w:commentReference w:id="0"/></w:r></w:p></w:body></w:document>"#;
    let comments = r#"<w:comments xmlns:w="w"><w:comment w:id="0" w:author="B. Leaf"><w:p><w:r><w:t>Which</w:t></w:r></w:p><w:p><w:r><w:t>tea?</w:t></w:r></w:p></w:comment></w:comments>"#;
    let file = zipped(&[
        ("word/document.xml", main),
        (
            "word/_rels/document.xml.rels",
            &format!("<Relationships>{}</Relationships>", related_to("comments", "comments.xml")),
        ),
        ("word/comments.xml", comments),
    ]);
    assert_eq!(
        opened(&file).unwrap().text,
        "Tea.\n\nImage: A cup of tea\n\nComment by B. Leaf: Which tea?"
    );
}

// proves: A6
#[test]
fn head_rows_are_joined_and_inner_tables_stand_after_the_outer() {
    let cell = |words: &str| format!("<w:tc><w:p><w:r><w:t>{words}</w:t></w:r></w:p></w:tc>");
    let row = |more: &str, cells: &[&str]| {
        format!("<w:tr><w:trPr>{more}</w:trPr>{}</w:tr>", cells.concat())
    };
    let head = "<w:tblHeader/>";
    let inner = format!(
        "<w:tbl>{}{}</w:tbl>",
        row("", &[&cell("x"), &cell("y")]),
        row("", &[&cell("1"), &cell("2")])
    );
    let holder = format!("<w:tc>{inner}<w:p><w:r><w:t>see below</w:t></w:r></w:p></w:tc>");
    let body = format!(
        "<w:tbl>{}{}{}</w:tbl>",
        row(head, &[&cell("Drink"), &cell("Share")]),
        row(head, &[&cell(""), &cell("of all")]),
        row("", &[&cell("Tea"), &holder]),
    );
    assert_eq!(
        text(&body),
        "| Drink | Share of all |\n| --- | --- |\n| Tea | see below |\n\n| x | y |\n| --- | --- |\n| 1 | 2 |"
    );
    let long = "Tea is hot. ".repeat(150);
    let apart = [("Drink", "Note"), ("Tea", &*long), ("Milk", "cold")];
    let apart: String = apart.map(|(one, other)| row("", &[&cell(one), &cell(other)])).concat();
    let written = text(&format!("<w:tbl>{apart}</w:tbl>"));
    let long = long.trim();
    assert_eq!(
        written,
        format!(
            "|  |  |\n| --- | --- |\n| Drink | Note |\n\nTea\n\n{long}\n\n|  |  |\n| --- | --- |\n| Milk | cold |"
        )
    );
    let lone = format!("<w:tbl>{}</w:tbl>", row("", &[&cell("Name"), &cell("Tea")]));
    assert_eq!(text(&lone), "|  |  |\n| --- | --- |\n| Name | Tea |");
}

// proves: A6
#[test]
fn the_head_of_a_table_is_told_from_the_first_line_of_a_form() {
    let cell = |more: &str, words: &str| {
        format!("<w:tc>{more}<w:p><w:r><w:t>{words}</w:t></w:r></w:p></w:tc>")
    };
    let bold = |words: &str| {
        format!("<w:tc><w:p><w:r><w:rPr><w:b/></w:rPr><w:t>{words}</w:t></w:r></w:p></w:tc>")
    };
    let row = |cells: &[String]| format!("<w:tr>{}</w:tr>", cells.concat());
    let form = |first: String, more: &str| {
        let second = row(&[cell("", "Landlord"), cell("", "Otto Fenn")]);
        text(&format!("<w:tbl><w:tblPr>{more}</w:tblPr>{first}{second}</w:tbl>"))
    };
    let plain = row(&[cell("", "Tenant"), cell("", "Mara Quint")]);
    let as_form = "|  |  |\n| --- | --- |\n| Tenant | Mara Quint |\n| Landlord | Otto Fenn |";
    let as_head = "| Tenant | Mara Quint |\n| --- | --- |\n| Landlord | Otto Fenn |";
    assert_eq!(form(plain, ""), as_form);
    assert_eq!(form(row(&[bold("Tenant"), cell("", "Mara Quint")]), ""), as_form);
    assert_eq!(form(row(&[bold("Tenant"), bold("Mara Quint")]), ""), as_head);
    let grey = "<w:tcPr><w:shd w:val=\"clear\" w:fill=\"D9D9D9\"/></w:tcPr>";
    assert_eq!(form(row(&[cell(grey, "Tenant"), cell(grey, "Mara Quint")]), ""), as_head);
}

// proves: A6
#[test]
fn a_row_over_the_whole_table_names_the_rows_below() {
    let cell = |words: &str| format!("<w:tc><w:p><w:r><w:t>{words}</w:t></w:r></w:p></w:tc>");
    let row = |cells: &[&str]| {
        let cells: Vec<String> = cells.iter().map(|words| cell(words)).collect();
        format!("<w:tr>{}</w:tr>", cells.concat())
    };
    let group = |words: &str| {
        format!(
            "<w:tr><w:tc><w:tcPr><w:gridSpan w:val=\"3\"/></w:tcPr><w:p><w:r><w:t>{words}</w:t></w:r></w:p></w:tc></w:tr>"
        )
    };
    let body = [
        row(&["Age", "Share", "Count"]),
        group("Men"),
        row(&["18–24", "54 %", "61"]),
        group("Women"),
        row(&["18–24", "56 %", "60"]),
        row(&["Total", "55 %", "121"]),
    ];
    assert_eq!(
        text(&format!("<w:tbl>{}</w:tbl>", body.concat())),
        "|  | Age | Share | Count |\n| --- | --- | --- | --- |\n| Men | 18–24 | 54 % | 61 |\n\
         | Women | 18–24 | 56 % | 60 |\n|  | Total | 55 % | 121 |"
    );
}

// proves: A6
#[test]
fn a_hostile_docx_is_refused() {
    let deep = "<w:sdt>".repeat(5000) + &"</w:sdt>".repeat(5000);
    assert!(matches!(opened(&docx(&deep)), Err(Fault::TooComplex { .. })));
    let bomb = format!("<w:p><w:r><w:t>{}</w:t></w:r></w:p>", "tea ".repeat(1_000_000));
    let bounds = Bounds { text_bytes: 10_000, ..Bounds::default() };
    let said = crate::parse(Format::Docx, &docx(&bomb), &bounds);
    assert!(matches!(said, Err(Fault::TooComplex { .. })), "{said:?}");
    let chain = |n: usize| {
        format!(
            r#"<w:footnote w:id="{n}"><w:p><w:r><w:t>note {n}</w:t><w:footnoteReference w:id="{}"/></w:r></w:p></w:footnote>"#,
            n + 1
        )
    };
    let notes: String = (0..50_000).map(chain).collect();
    let first = r#"<w:p><w:r><w:t>tea</w:t><w:footnoteReference w:id="0"/></w:r></w:p>"#;
    let said = opened(&noted(first, &format!("<w:footnotes>{notes}</w:footnotes>")));
    assert!(said.is_ok_and(|document| document.text.contains("note 3")));
    let entity = r#"<!DOCTYPE w:document [<!ENTITY a "tea"><!ENTITY b "&a;&a;">]><w:document xmlns:w="w"><w:body><w:p><w:r><w:t>&b;</w:t></w:r></w:p></w:body></w:document>"#;
    let file = zipped(&[("word/document.xml", entity)]);
    assert_eq!(opened(&file).unwrap().text, "\u{fffd}");
    let whole = docx(&paragraph("Normal", "tea"));
    let damaged = Fault::Damaged { format: "DOCX".to_owned() };
    assert_eq!(opened(&whole[..whole.len() / 2]).unwrap_err(), damaged);
    assert_eq!(opened(&docx("<w:p/>")).unwrap().text, "");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    // proves: A6
    #[test]
    fn a_docx_changed_anywhere_gives_a_document_or_an_error(
        parts in prop::collection::vec(prop::sample::select(&[
            "<w:p>", "</w:p>", "<w:r><w:t>tea</w:t></w:r>", "<w:tbl>", "</w:tbl>", "<w:tr>", "</w:tr>", "<w:tc>", "</w:tc>",
            r#"<w:footnoteReference w:id="2"/>"#, r#"<w:pPr><w:pStyle w:val="Mine"/></w:pPr>"#, "&lt;", "&no;", "<w:br/>", "# ",
            r#"<w:tcPr><w:gridSpan w:val="99999999999"/></w:tcPr>"#, "<mc:AlternateContent>", "</mc:AlternateContent>",
            r#"<w:pPr><w:numPr><w:ilvl w:val="18446744073709551615"/><w:numId w:val="1"/></w:numPr></w:pPr>"#,
        ][..]), 0..40),
        changes in prop::collection::vec((any::<usize>(), any::<u8>()), 0..4),
    ) {
        let mut file = docx(&parts.concat());
        for (at, byte) in changes {
            let at = at % file.len();
            file[at] = byte;
        }
        let _ = opened(&file);
    }
}
