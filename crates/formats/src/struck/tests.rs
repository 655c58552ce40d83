use super::*;
use crate::archive::tests::zipped;
use crate::{Bounds, Format};

// proves: A6
#[test]
fn struck_words_stand_between_marks() {
    let check = |pieces: &[(bool, &str)], expected: &str| {
        let mut words = String::new();
        for (is_struck, piece) in pieces {
            let start = words.len();
            words.push_str(piece);
            if *is_struck {
                strike(&mut words, start);
            }
        }
        assert_eq!(words, expected);
    };
    check(&[(false, "for "), (true, "three"), (false, " six")], "for ~~three~~ six");
    check(&[(true, "caf"), (true, "é "), (true, "!"), (false, "?")], "~~café !~~?");
    check(&[(true, "a"), (false, " "), (true, "b"), (false, "\n"), (true, "c")], "~~a b~~\n~~c~~");
    check(&[(false, "a"), (true, " b "), (false, "c")], "a ~~b~~ c");
    check(&[(true, " "), (true, "—"), (false, "c")], " —c");
    check(&[(true, "")], "");
    assert_eq!(struck(" 500 ~~or~~ 600 "), " ~~500 or 600~~ ");
}

fn read(format: Format, bytes: &[u8]) -> String {
    crate::parse(format, bytes, &Bounds::default()).unwrap().text
}

/// What every format below says.
const SAID: &str = "The rent is ~~500 or 10⁶~~ 900 crowns.";

fn open_document(body: &str) -> Vec<u8> {
    let style = |name: &str, more: &str, properties: &str| {
        format!(
            r#"<style:style style:name="{name}"{more}><style:text-properties{properties}/></style:style>"#
        )
    };
    let through = r#" style:text-line-through-style="solid""#;
    let named = style(
        "Gone",
        "",
        r#" style:text-line-through-type="double" style:text-line-through-style="solid""#,
    );
    let own = [
        style("S", "", through),
        style("U", "", r#" style:text-position="super 58%""#),
        style(
            "N",
            "",
            r#" style:text-line-through-style="none" style:text-line-through-type="none""#,
        ),
        style("C", r#" style:parent-style-name="Gone""#, ""),
    ]
    .concat();
    let content = format!(
        "<office:document-content><office:automatic-styles>{own}</office:automatic-styles><office:body>{body}</office:body></office:document-content>"
    );
    let styles = format!(
        "<office:document-styles><office:styles>{named}</office:styles></office:document-styles>"
    );
    zipped(&[("content.xml", &content), ("styles.xml", &styles)])
}

const SPANS: &str = r#"The rent is <text:span text:style-name="S">500<text:s/>or 10<text:span
    text:style-name="U">6</text:span><text:span text:style-name="N"> 900</text:span></text:span> crowns."#;

// proves: A6
#[test]
fn open_document_strikes_by_styles_of_spans_paragraphs_and_cells() {
    let past = r#"<text:p text:style-name="C">Rent: 500</text:p>"#;
    let text = format!("<office:text><text:p>{SPANS}</text:p>{past}</office:text>");
    let said = format!("{SAID}\n\n~~Rent: 500~~");
    assert_eq!(read(Format::Odt, &open_document(&text)), said);
    let cell = |more: &str, body: &str| {
        format!("<table:table-cell{more}><text:p>{body}</text:p></table:table-cell>")
    };
    let row = |cells: &[String]| format!("<table:table-row>{}</table:table-row>", cells.concat());
    let number = r#" office:value-type="float" office:value="500""#;
    let rows = [
        row(&[cell("", "Item"), cell(r#" table:style-name="N""#, "Rent")]),
        row(&[cell("", SPANS), cell(r#" table:style-name="N""#, "900")]),
        row(&[cell("", "Old"), cell(number, "500")]),
        row(&[
            cell("", "Day"),
            cell(r#" office:value-type="date" office:date-value="2024-03-09""#, "9.3."),
        ]),
    ]
    .concat();
    let sheet = format!(
        r#"<office:spreadsheet><table:table table:name="T"><table:table-column/><table:table-column table:default-cell-style-name="C"/>{rows}</table:table></office:spreadsheet>"#
    );
    assert_eq!(
        read(Format::Ods, &open_document(&sheet)),
        format!(
            "# T\n\n| Item | Rent |\n| --- | --- |\n| {SAID} | 900 |\n| Old | ~~500~~ |\n| Day | ~~2024-03-09~~ |"
        )
    );
}

// proves: A6
#[test]
fn slides_and_sheets_strike_by_properties() {
    let run = |more: &str, words: &str| format!("<a:r><a:rPr{more}/><a:t>{words}</a:t></a:r>");
    let runs = [
        run(r#" strike="noStrike""#, "The rent is "),
        run(r#" strike="sngStrike""#, "500 "),
        run(r#" strike="dblStrike""#, "or 10"),
        run(r#" strike="sngStrike" baseline="30000""#, "6"),
        run("", " 900 crowns."),
    ]
    .concat();
    let slide = format!(
        "<p:sld><p:cSld><p:spTree><p:sp><p:nvSpPr><p:cNvPr/></p:nvSpPr><p:txBody><a:p>{runs}</a:p></p:txBody></p:sp></p:spTree></p:cSld></p:sld>"
    );
    let main = |target: &str| {
        format!(r#"<R><Relationship Type="x/officeDocument" Target="{target}"/></R>"#)
    };
    let bytes = zipped(&[
        ("_rels/.rels", &main("ppt/presentation.xml")),
        (
            "ppt/presentation.xml",
            r#"<p:presentation><p:sldIdLst><p:sldId r:id="s"/></p:sldIdLst></p:presentation>"#,
        ),
        (
            "ppt/_rels/presentation.xml.rels",
            r#"<R><Relationship Id="s" Type="x/slide" Target="s.xml"/></R>"#,
        ),
        ("ppt/s.xml", &slide),
    ]);
    assert_eq!(read(Format::Pptx, &bytes), format!("## Slide 1\n\n{SAID}"));

    let run = |more: &str, words: &str| format!("<r><rPr>{more}</rPr><t>{words}</t></r>");
    let rich = [
        run(r#"<strike val="0"/>"#, "The rent is "),
        run("<strike/>", "500 or 10"),
        run(r#"<strike/><vertAlign val="superscript"/>"#, "6"),
        run("", " 900 crowns."),
    ]
    .concat();
    let styles = r#"<styleSheet><fonts><font/><font><strike/></font></fonts><cellXfs><xf fontId="0"/><xf fontId="1"/><xf fontId="1" numFmtId="14"/></cellXfs></styleSheet>"#;
    let cell =
        |place: &str, more: &str, value: &str| format!(r#"<c r="{place}"{more}>{value}</c>"#);
    let rows = [
        cell("A1", r#" t="inlineStr""#, "<is><t>Item</t></is>")
            + &cell("B1", r#" t="inlineStr""#, "<is><t>Rent</t></is>"),
        cell("A2", r#" t="s""#, "<v>0</v>") + &cell("B2", r#" s="1""#, "<v>500</v>"),
        cell("A3", r#" t="inlineStr""#, &format!("<is>{rich}</is>"))
            + &cell("B3", r#" s="2""#, "<v>45360</v>"),
        cell("A4", r#" t="s" s="1""#, "<v>1</v>") + &cell("B4", "", "<v>900</v>"),
    ];
    let rows = (1..).zip(&rows).map(|(number, row)| format!(r#"<row r="{number}">{row}</row>"#));
    let sheet =
        format!("<worksheet><sheetData>{}</sheetData></worksheet>", rows.collect::<String>());
    let bytes = zipped(&[
        ("_rels/.rels", &main("xl/workbook.xml")),
        ("xl/workbook.xml", r#"<workbook><sheets><sheet name="T" r:id="s"/></sheets></workbook>"#),
        (
            "xl/_rels/workbook.xml.rels",
            r#"<R><Relationship Id="s" Type="x/worksheet" Target="s.xml"/><Relationship Id="t" Type="x/sharedStrings" Target="t.xml"/><Relationship Id="f" Type="x/styles" Target="f.xml"/></R>"#,
        ),
        ("xl/t.xml", &format!("<sst><si>{rich}</si><si><t>Old &amp; gone</t></si></sst>")),
        ("xl/f.xml", styles),
        ("xl/s.xml", &sheet),
    ]);
    assert_eq!(
        read(Format::Xlsx, &bytes),
        format!(
            "# T\n\n| Item | Rent |\n| --- | --- |\n| {SAID} | ~~500~~ |\n| {SAID} | ~~2024-03-09~~ |\n| ~~Old & gone~~ | 900 |"
        )
    );
}

// proves: A6
#[test]
fn mark_up_strikes_by_its_marks() {
    let rtf = r"{\rtf1\pard The rent is {\strike 500 or 10{\super 6}} \striked1 \striked0 900 crowns.\par\strike Gone\plain , not this\par}";
    assert_eq!(read(Format::Rtf, rtf.as_bytes()), format!("{SAID}\n\n~~Gone~~, not this"));
    let org = "The rent is +500 or *10⁶*+ 900 crowns. A + b + c.";
    assert_eq!(read(Format::Org, org.as_bytes()), format!("{SAID} A + b + c."));
    let adoc = "The rent is [.line-through]#500 or 10^6^# 900 crowns.";
    assert_eq!(read(Format::AsciiDoc, adoc.as_bytes()), SAID);
    for (open, close) in [
        ("<strike>", "</strike>"),
        ("<hi rend=\"strikethrough\">", "</hi>"),
        ("<emphasis role=\"strikethrough\">", "</emphasis>"),
    ] {
        let xml = format!(
            "<article><title>T</title><para>The rent is {open}500 or 10<sup>6</sup>{close} 900 crowns.</para></article>"
        );
        assert_eq!(read(Format::Xml, xml.as_bytes()), format!("# T\n\n{SAID}"));
    }
    let mail = "From: a@b.c\nContent-Type: text/html; charset=utf-8\n\n<p>The rent is <span style=\"text-decoration:line-through\">500 or 10<sup>6</sup></span> 900 crowns.</p>";
    assert!(read(Format::Mail, mail.as_bytes()).ends_with(SAID));
}
