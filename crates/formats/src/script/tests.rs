use super::*;
use crate::archive::tests::zipped;
use crate::{Bounds, Format};

// proves: A6
#[test]
fn raised_text_keeps_its_meaning() {
    for (raised, shown) in [
        ("6", "⁶"),
        ("-3", "⁻³"),
        ("−3", "⁻³"),
        ("–3", "⁻³"),
        (" 2 ", " ² "),
        ("2", "²"),
        ("n", "ⁿ"),
        ("n + 1", "ⁿ⁺¹"),
        ("(n)", "⁽ⁿ⁾"),
        ("²", "²"),
        ("1,2", "¹,²"),
        ("1, 2", "¹, ²"),
        ("3–5", "³–⁵"),
        ("th", "th"),
        ("er", "er"),
        ("me", "me"),
        ("e", "e"),
        ("o", "º"),
        ("й", "й"),
        ("TM", "™"),
        ("®", "®"),
        ("*", "*"),
        ("[12]", "[12]"),
        ("[citation needed]", "[citation needed]"),
        ("k", "^k"),
        ("2k", "^(2k)"),
        ("x+1", "^(x+1)"),
        ("0.5", "^0.5"),
        ("a,b", "^(a,b)"),
        ("See note 3", "See note 3"),
        ("  ", "  "),
        ("", ""),
    ] {
        assert_eq!(superscript(raised), shown, "{raised:?}");
    }
}

// proves: A6
#[test]
fn a_script_that_comes_in_pieces_is_whole() {
    let check = |pieces: &[(Script, &str)], expected: &str| {
        let (mut words, mut scripts) = (String::new(), Scripts::default());
        for (script, piece) in pieces {
            scripts.set(*script, &mut words);
            words.push_str(piece);
        }
        scripts.set(Script::Line, &mut words);
        assert_eq!(words, expected);
    };
    let (line, up, down) = (Script::Line, Script::Super, Script::Sub);
    check(&[(line, "10"), (up, "-"), (up, "3"), (line, " m")], "10⁻³ m");
    check(&[(line, "e"), (up, "x"), (up, "+1")], "e^(x+1)");
    check(&[(line, "H"), (down, "2"), (line, "O")], "H2O");
    check(&[(down, "2")], "2");
    check(&[(down, "max")], "max");
    check(&[(line, "1010"), (down, "2")], "1010₂");
    check(&[(line, "log"), (down, "2"), (line, "8 bits")], "log₂8 bits");
    check(&[(line, "log"), (down, "2"), (line, " 8")], "log2 8");
    check(&[(line, "x"), (down, "1"), (down, "2"), (line, "3")], "x₁₂3");
    check(&[(line, "x"), (down, "1"), (line, ""), (down, "2"), (line, "y")], "x12y");
    check(&[(line, "x"), (down, "i"), (line, "2")], "xi2");
    check(&[(line, "a"), (down, "1"), (line, "0"), (up, "6"), (line, "b"), (down, "2")], "a₁0⁶b2");
    check(&[(line, "x"), (up, "2"), (line, "/"), (down, "2")], "x²/2");
    check(&[(line, "x"), (down, "i"), (up, "2")], "xi²");
    check(&[(up, "a"), (line, "b")], "^ab");
}

fn read(format: Format, bytes: &[u8]) -> String {
    crate::parse(format, bytes, &Bounds::default()).unwrap().text
}

/// What every format below says.
const SAID: &str = "About 10⁻⁶ m² of CO2, the 4th: 2^k.";

// proves: A6
#[test]
fn word_raises_by_properties_and_by_styles() {
    let run =
        |place: &str, words: &str| format!("<w:r><w:rPr>{place}</w:rPr><w:t>{words}</w:t></w:r>");
    let up = r#"<w:vertAlign w:val="superscript"/>"#;
    let styled = r#"<w:rStyle w:val="Up"/>"#;
    let moved = r#"<w:position w:val="8"/><w:sz w:val="19"/>"#;
    let body = [
        run("", "About 10"),
        run(up, "-"),
        run(styled, "6"),
        run("", " m"),
        run(moved, "2"),
        run("", " of CO"),
        run(r#"<w:vertAlign w:val="subscript"/>"#, "2"),
        run("", ", the 4"),
        run(up, "t"),
        run(up, "h"),
        run("", ": 2"),
        run(up, "k"),
        run(r#"<w:rStyle w:val="Up"/><w:vertAlign w:val="baseline"/>"#, "."),
    ]
    .concat();
    let styles = format!(
        r#"<w:styles><w:style w:styleId="Base"><w:rPr>{up}</w:rPr></w:style><w:style w:styleId="Up"><w:basedOn w:val="Base"/></w:style></w:styles>"#
    );
    let cell = format!("<w:tc><w:p>{body}</w:p></w:tc>");
    let bytes = zipped(&[
        (
            "_rels/.rels",
            r#"<R><Relationship Type="x/officeDocument" Target="word/document.xml"/></R>"#,
        ),
        (
            "word/_rels/document.xml.rels",
            r#"<R><Relationship Id="s" Type="x/styles" Target="styles.xml"/></R>"#,
        ),
        ("word/styles.xml", &styles),
        (
            "word/document.xml",
            &format!(
                "<w:document><w:body><w:p>{body}</w:p><w:tbl><w:tr>{cell}{cell}</w:tr></w:tbl></w:body></w:document>"
            ),
        ),
    ]);
    assert_eq!(
        read(Format::Docx, &bytes),
        format!("{SAID}\n\n|  |  |\n| --- | --- |\n| {SAID} | {SAID} |")
    );
}

// proves: A6
#[test]
fn rtf_raises_by_control_words() {
    let body = r"About 10{\super -}{\up6 6} m\super 2\nosupersub  of CO{\sub 2}, the 4\super t{\b h}\plain : 2{\super k\super0 .}\par";
    let table = format!(r"\trowd\pard\intbl {body}\cell a\cell\row\pard\par");
    let text = read(Format::Rtf, format!(r"{{\rtf1\pard {body}{table}}}").as_bytes());
    assert_eq!(text, format!("{SAID}\n\n|  |  |\n| --- | --- |\n| {SAID} | a |"));
    let noted = r"{\rtf1 Tea{\super 1{\footnote\pard Of all.}} is hot.}";
    assert_eq!(read(Format::Rtf, noted.as_bytes()), "Tea¹ is hot.\n\nFootnote 1: Of all.");
}

const SPANS: &str = r#"About 10<text:span text:style-name="U">-</text:span><text:span text:style-name="P">6</text:span> m<text:span
    text:style-name="U">2</text:span> of CO<text:span text:style-name="D">2</text:span>, the 4<text:span text:style-name="U"><text:span
    text:style-name="B">th</text:span></text:span>: 2<text:span text:style-name="U">k</text:span>."#;

fn open_document(body: &str) -> Vec<u8> {
    let style = |name: &str, place: &str| {
        format!(r#"<style:style style:name="{name}"><style:text-properties{place}/></style:style>"#)
    };
    let styles = [
        style("U", r#" style:text-position="super 58%""#),
        style("P", r#" style:text-position="33% 58%""#),
        style("D", r#" style:text-position="-25%""#),
        style("B", ""),
    ]
    .concat();
    let content = format!(
        "<office:document-content><office:automatic-styles>{styles}</office:automatic-styles><office:body>{body}</office:body></office:document-content>"
    );
    zipped(&[("content.xml", &content)])
}

// proves: A6
#[test]
fn open_document_raises_by_styles() {
    let text = open_document(&format!("<office:text><text:p>{SPANS}</text:p></office:text>"));
    assert_eq!(read(Format::Odt, &text), SAID);
    let cell = format!("<table:table-cell><text:p>{SPANS}</text:p></table:table-cell>");
    let sheet = format!(
        r#"<office:spreadsheet><table:table table:name="T"><table:table-row>{cell}</table:table-row></table:table></office:spreadsheet>"#
    );
    assert_eq!(read(Format::Ods, &open_document(&sheet)), format!("# T\n\n{SAID}"));
    let slide = format!(
        r#"<office:presentation><draw:page><draw:frame presentation:class="title"><draw:text-box><text:p>{SPANS}</text:p></draw:text-box></draw:frame></draw:page></office:presentation>"#
    );
    assert_eq!(read(Format::Odt, &open_document(&slide)), format!("## Slide 1: {SAID}"));
}

// proves: A6
#[test]
fn slides_and_sheets_raise_by_properties() {
    let run = |place: &str, words: &str| format!("<a:r><a:rPr{place}/><a:t>{words}</a:t></a:r>");
    let (up, down) = (r#" baseline="30000""#, r#" baseline="-25000""#);
    let runs = [
        run("", "About 10"),
        run(up, "-"),
        run(up, "6"),
        run("", " m"),
        run(up, "2"),
        run("", " of CO"),
        run(down, "2"),
        run(r#" baseline="0""#, ", the 4"),
        run(up, "th"),
        run("", ": 2"),
        run(up, "k"),
        run("", "."),
    ]
    .concat();
    let slide = format!(
        "<p:sld><p:cSld><p:spTree><p:sp><p:nvSpPr><p:cNvPr/></p:nvSpPr><p:txBody><a:p>{runs}</a:p></p:txBody></p:sp></p:spTree></p:cSld></p:sld>"
    );
    let bytes = zipped(&[
        (
            "_rels/.rels",
            r#"<R><Relationship Type="x/officeDocument" Target="ppt/presentation.xml"/></R>"#,
        ),
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

    let run = |place: &str, words: &str| format!("<r><rPr>{place}</rPr><t>{words}</t></r>");
    let up = r#"<vertAlign val="superscript"/>"#;
    let rich = [
        "<r><t>About 10</t></r>".to_owned(),
        run(up, "-"),
        run(up, "6"),
        run("", " m"),
        run(up, "2"),
        run("", " of CO"),
        run(r#"<vertAlign val="subscript"/>"#, "2"),
        run("", ", the 4"),
        run(up, "th"),
        run("", ": 2"),
        run(up, "k"),
        run("", "."),
    ]
    .concat();
    let raised_last = run("", "m") + &run(up, "2");
    let bytes = zipped(&[
        (
            "_rels/.rels",
            r#"<R><Relationship Id="a" Type="x/officeDocument" Target="xl/workbook.xml"/></R>"#,
        ),
        ("xl/workbook.xml", r#"<workbook><sheets><sheet name="T" r:id="s"/></sheets></workbook>"#),
        (
            "xl/_rels/workbook.xml.rels",
            r#"<R><Relationship Id="s" Type="x/worksheet" Target="s.xml"/><Relationship Id="t" Type="x/sharedStrings" Target="t.xml"/></R>"#,
        ),
        (
            "xl/t.xml",
            &format!("<sst><si>{raised_last}</si><si><t>plain</t></si><si>{rich}</si></sst>"),
        ),
        (
            "xl/s.xml",
            &format!(
                r#"<worksheet><sheetData><row r="1"><c r="A1" t="s"><v>2</v></c></row><row r="2"><c r="A2" t="inlineStr"><is>{rich}</is></c></row><row r="3"><c r="A3" t="s"><v>0</v></c></row><row r="4"><c r="A4" t="s"><v>1</v></c></row></sheetData></worksheet>"#
            ),
        ),
    ]);
    assert_eq!(read(Format::Xlsx, &bytes), format!("# T\n\n- {SAID}\n- {SAID}\n- m²\n- plain"));
}

// proves: A6
#[test]
fn mark_up_raises_by_its_marks() {
    let xml = "<article><title>T</title><para>About 10<superscript>-6</superscript> m<sup>2</sup> of CO<sub>2</sub>, the 4<sup><b>th</b></sup>: 2<hi rend=\"sup\">k</hi>.</para></article>";
    assert_eq!(read(Format::Xml, xml.as_bytes()), format!("# T\n\n{SAID}"));
    let adoc = "About 10^-6^ m^2^ of CO~2~, the 4^th^: 2^k^.";
    assert_eq!(read(Format::AsciiDoc, adoc.as_bytes()), SAID);
    let rst = "About 10\\ :sup:`-6` m\\ :sup:`2` of CO\\ :sub:`2`, the 4\\ :superscript:`th`: 2\\ :sup:`k`.";
    assert_eq!(read(Format::Rst, rst.as_bytes()), SAID);
}

// proves: A6
#[test]
fn a_lowered_number_is_none_with_the_digits_after_it() {
    let html = "<p>log<sub>2</sub>8 of H<sub>2</sub>O and CO<sub>2</sub>, x<sub>1</sub>";
    let said = "log₂8 of H2O and CO2, x1";
    let mut page = crate::Writer::new(1000);
    crate::html::write(html, crate::html::Settings::default(), &mut page);
    assert_eq!(page.finish(), said);
    let rtf = r"{\rtf1\pard log{\sub 2}{\strike 8} of H{\sub 2}O and CO{\sub 2}, x{\sub 1}}";
    assert_eq!(read(Format::Rtf, rtf.as_bytes()), said.replacen('8', "~~8~~", 1));
    let xml = "<article><title>T</title><para>log<sub>2</sub>8 of H<sub>2</sub>O and CO<subscript>2</subscript>, x<sub>1</sub></para></article>";
    assert_eq!(read(Format::Xml, xml.as_bytes()), format!("# T\n\n{said}"));
    let adoc = "log~2~8 of H~2~O and CO~2~, x~1~";
    assert_eq!(read(Format::AsciiDoc, adoc.as_bytes()), said);
    let rst = "log\\ :sub:`2`\\ 8 of H\\ :sub:`2`\\ O and CO\\ :sub:`2`, x\\ :sub:`1`";
    assert_eq!(read(Format::Rst, rst.as_bytes()), said);
    let tex = "\\log_2 8 + \\log_{2}8 + x_{ab}c + x_1y";
    assert_eq!(crate::tex::readable(tex).unwrap(), "log2 8 + log₂8 + x_ab c + x1y");
    let mathml = "<math><msub><mi>log</mi><mn>2</mn></msub><mn>8</mn><mo>+</mo><msub><mi>x</mi><mi>i</mi></msub></math>";
    assert_eq!(crate::html::words(mathml), "log_2 8 + x_i");
}
