use proptest::prelude::*;

use super::*;
use crate::Format;
use crate::archive::tests::zipped;

const MASTER: &str = r#"<p:sldMaster><p:cSld><p:spTree>
    <p:sp><p:nvSpPr><p:cNvPr/><p:nvPr><p:ph type="body"/></p:nvPr></p:nvSpPr><p:spPr/></p:sp></p:spTree></p:cSld>
    <p:txStyles><p:bodyStyle><a:lvl1pPr><a:buChar char="•"/></a:lvl1pPr><a:lvl2pPr><a:buChar char="–"/></a:lvl2pPr></p:bodyStyle></p:txStyles></p:sldMaster>"#;
const LAYOUT: &str = r#"<p:sldLayout><p:cSld><p:spTree>
    <p:sp><p:nvSpPr><p:cNvPr/><p:nvPr><p:ph type="title"/></p:nvPr></p:nvSpPr><p:spPr><a:xfrm><a:off x="0" y="0"/><a:ext cx="9" cy="9"/></a:xfrm></p:spPr></p:sp>
    <p:sp><p:nvSpPr><p:cNvPr/><p:nvPr><p:ph idx="1"/></p:nvPr></p:nvSpPr><p:spPr><a:xfrm><a:off x="0" y="100"/><a:ext cx="9" cy="9"/></a:xfrm></p:spPr></p:sp>
    </p:spTree></p:cSld></p:sldLayout>"#;
const AUTHORS: &str = r#"<p:cmAuthorLst><p:cmAuthor id="0" name="B. Leaf"/></p:cmAuthorLst>"#;
const CORE: &str = r#"<c:coreProperties><dc:title>PowerPoint Presentation</dc:title><dc:creator>A. Leaf</dc:creator><dcterms:created>2026-11-02T10:00:00Z</dcterms:created></c:coreProperties>"#;

fn relations(pairs: &[(&str, &str, &str)]) -> String {
    let all = pairs.iter().map(|(id, kind, target)| {
        format!(r#"<Relationship Id="{id}" Type="http://x/{kind}" Target="{target}"/>"#)
    });
    format!("<Relationships>{}</Relationships>", all.collect::<String>())
}

/// Returns a shape at a height with the placeholder `holder` and these paragraphs.
fn shape(top: i64, holder: &str, paragraphs: &str) -> String {
    let place = if top < 0 {
        String::new()
    } else {
        format!(r#"<a:xfrm><a:off x="0" y="{top}"/><a:ext cx="9" cy="9"/></a:xfrm>"#)
    };
    format!(
        r#"<p:sp><p:nvSpPr><p:cNvPr id="2"/><p:nvPr>{holder}</p:nvPr></p:nvSpPr><p:spPr>{place}</p:spPr><p:txBody>{paragraphs}</p:txBody></p:sp>"#
    )
}

fn said(words: &str) -> String {
    format!("<a:p><a:r><a:t>{words}</a:t></a:r></a:p>")
}

/// Returns a PPTX whose slides have these shapes; the first slide has the parts of `more`.
fn pptx(slides: &[&str], more: &[(&str, &str, &str)]) -> Vec<u8> {
    let mut files = vec![
        ("_rels/.rels".to_owned(), relations(&[("r", "officeDocument", "ppt/presentation.xml")])),
        ("docProps/core.xml".to_owned(), CORE.to_owned()),
        ("ppt/layout.xml".to_owned(), LAYOUT.to_owned()),
        ("ppt/_rels/layout.xml.rels".to_owned(), relations(&[("r", "slideMaster", "master.xml")])),
        ("ppt/master.xml".to_owned(), MASTER.to_owned()),
        ("ppt/authors.xml".to_owned(), AUTHORS.to_owned()),
    ];
    let mut listed = String::new();
    let names: Vec<String> =
        (1..=slides.len()).map(|number| format!("slide{number}.xml")).collect();
    let mut known = vec![("a", "commentAuthors", "authors.xml")];
    for (name, slide) in names.iter().zip(slides) {
        listed += &format!(r#"<p:sldId id="256" r:id="{name}"/>"#);
        known.push((name, "slide", name));
        let attributes = if slide.contains("<hidden/>") { r#" show="0""# } else { "" };
        files.push((
            format!("ppt/{name}"),
            format!("<p:sld{attributes}><p:cSld><p:spTree>{slide}</p:spTree></p:cSld></p:sld>"),
        ));
        let mut own = vec![("l", "slideLayout", "layout.xml")];
        own.extend(more.iter().map(|(kind, target, _)| (*target, *kind, *target)));
        files.push((format!("ppt/_rels/{name}.rels"), relations(&own)));
    }
    files.extend(more.iter().map(|(_, name, part)| (format!("ppt/{name}"), (*part).to_owned())));
    files.push(("ppt/_rels/presentation.xml.rels".to_owned(), relations(&known)));
    let main = format!("<p:presentation><p:sldIdLst>{listed}</p:sldIdLst></p:presentation>");
    files.push(("ppt/presentation.xml".to_owned(), main));
    let files: Vec<(&str, &str)> = files.iter().map(|(name, part)| (&**name, &**part)).collect();
    zipped(&files)
}

fn opened(bytes: &[u8]) -> Result<Parsed, Fault> {
    crate::parse(Format::Pptx, bytes, &Bounds::default())
}

// proves: A6
#[test]
fn a_slide_is_a_section_with_its_shapes_in_reading_order() {
    let title = shape(-1, r#"<p:ph type="title"/>"#, &said("Tea"));
    let body = shape(
        -1,
        r#"<p:ph idx="1"/>"#,
        &(said("Green")
            + r#"<a:p><a:pPr lvl="1"/><a:r><a:t>Sencha</a:t></a:r></a:p>"#
            + r#"<a:p><a:pPr><a:buNone/></a:pPr><a:r><a:t>Without</a:t></a:r><a:br/><a:r><a:t>bullet</a:t></a:r></a:p>"#),
    );
    let last = shape(900, "", &said("Below"));
    let furniture = shape(0, r#"<p:ph type="sldNum" idx="9"/>"#, &said("1"));
    let first = [last, body, furniture, title].concat();
    let auto = |kind: &str, words: &str| {
        format!(
            r#"<a:p><a:pPr><a:buAutoNum type="{kind}" startAt="2"/></a:pPr><a:r><a:t>{words}</a:t></a:r></a:p>"#
        )
    };
    let numbered =
        auto("arabicPeriod", "two") + &auto("arabicPeriod", "three") + &auto("alphaLcParenR", "b");
    let second = format!("<hidden/>{}", shape(5, "", &numbered));
    let document = opened(&pptx(&[&first, &second], &[])).unwrap();
    assert_eq!(
        document.text,
        "## Slide 1: Tea\n\n- Green\n  - Sencha\n\nWithout\nbullet\n\nBelow\n\n## Slide 2 (hidden)\n\n2. two\n3. three\n- b) b"
    );
    assert_eq!(document.title.as_deref(), Some("Tea"));
    assert_eq!(document.metadata["author"], "A. Leaf");
    assert_eq!(document.metadata["created"], "2026-11-02");
    let starts: Vec<&str> =
        document.pages.iter().map(|start| &document.text[*start..*start + 10]).collect();
    assert_eq!(starts, ["## Slide 1", "## Slide 2"]);
}

// proves: A6
#[test]
fn tables_charts_diagrams_and_pictures_are_read() {
    let cell = |words: &str| format!("<a:tc><a:txBody>{}</a:txBody></a:tc>", said(words));
    let frame = |content: &str| {
        format!(
            r#"<p:graphicFrame><p:nvGraphicFramePr><p:cNvPr id="3"/></p:nvGraphicFramePr><p:xfrm><a:off x="0" y="9"/></p:xfrm><a:graphic><a:graphicData>{content}</a:graphicData></a:graphic></p:graphicFrame>"#
        )
    };
    let row = |cells: &[String]| format!("<a:tr>{}</a:tr>", cells.concat());
    let rows = row(&[cell("Drink"), cell("Share")]) + &row(&[cell("Tea"), cell("54 %")]);
    let slide = [
        frame(&format!(r#"<a:tbl><a:tblPr firstRow="1"/>{rows}</a:tbl>"#)),
        frame(&format!("<a:tbl>{}</a:tbl>", row(&[cell("Milk"), cell("3 %")]))),
        frame(r#"<c:chart r:id="chart.xml"/>"#),
        frame(r#"<dgm:relIds r:dm="data.xml"/>"#),
        r#"<p:pic><p:nvPicPr><p:cNvPr id="4" descr="A cup of tea"/></p:nvPicPr></p:pic><p:pic><p:nvPicPr><p:cNvPr descr="cup.png"/></p:nvPicPr></p:pic>"#.to_owned(),
    ];
    let point =
        |place: u8, value: &str| format!(r#"<c:pt idx="{place}"><c:v>{value}</c:v></c:pt>"#);
    let chart = format!(
        r#"<c:chartSpace><c:chart><c:title><c:tx><c:rich>{}</c:rich></c:tx></c:title><c:plotArea><c:barChart><c:ser><c:tx><c:strRef><c:strCache>{}</c:strCache></c:strRef></c:tx><c:cat>{}{}</c:cat><c:val>{}</c:val></c:ser><c:ser><c:val><c:numCache><c:formatCode>0.0%</c:formatCode>{}</c:numCache></c:val></c:ser></c:barChart></c:plotArea></c:chart></c:chartSpace>"#,
        said("Cups a day"),
        point(0, "2026"),
        point(0, "Tea"),
        point(1, "Milk"),
        point(0, "2.1000000000000001"),
        point(1, "0.077"),
    );
    let node = |id: &str, words: &str| {
        format!(r#"<dgm:pt modelId="{id}"><dgm:t>{}</dgm:t></dgm:pt>"#, said(words))
    };
    let diagram = format!(
        r#"<dgm:dataModel><dgm:ptLst><dgm:pt modelId="0" type="doc"/>{}{}</dgm:ptLst><dgm:cxnLst><dgm:cxn srcId="0" destId="1"/><dgm:cxn srcId="1" destId="2"/><dgm:cxn srcId="2" destId="1"/></dgm:cxnLst></dgm:dataModel>"#,
        node("2", "Pour"),
        node("1", "Boil"),
    );
    let parts = [("chart", "chart.xml", &*chart), ("diagramData", "data.xml", &*diagram)];
    let document = opened(&pptx(&[&slide.concat()], &parts)).unwrap();
    assert_eq!(
        document.text,
        "## Slide 1\n\nImage: A cup of tea\n\n| Drink | Share |\n| --- | --- |\n| Tea | 54 % |\n\n|  |  |\n| --- | --- |\n| Milk | 3 % |\n\nCups a day\n\n|  | 2026 |  |\n| --- | --- | --- |\n| Tea | 2.1 |  |\n| Milk |  | 7.7% |\n\n- Boil\n  - Pour"
    );
}

// proves: A6
#[test]
fn a_merged_cell_of_a_table_counts_for_what_it_covers() {
    let cell = |more: &str, words: &str| {
        format!("<a:tc{more}><a:txBody>{}</a:txBody></a:tc>", said(words))
    };
    let row = |cells: &[String]| format!("<a:tr>{}</a:tr>", cells.concat());
    let rows = [
        row(&[
            cell(r#" gridSpan="3""#, "Tides"),
            cell(r#" hMerge="1""#, ""),
            cell(r#" hMerge="1""#, ""),
        ]),
        row(&[
            cell(r#" rowSpan="2""#, "Port"),
            cell(r#" gridSpan="2""#, "Tide"),
            cell(r#" hMerge="1""#, ""),
        ]),
        row(&[cell(r#" vMerge="1""#, ""), cell("", "High"), cell("", "Low")]),
        row(&[cell(r#" rowSpan="2""#, "Brest"), cell("", "6.9"), cell("", "1.2")]),
        row(&[cell(r#" vMerge="1""#, ""), cell("", "7.0"), cell("", "1.1")]),
    ]
    .concat();
    let slide = format!(
        r#"<p:graphicFrame><p:nvGraphicFramePr><p:cNvPr id="3"/></p:nvGraphicFramePr><a:graphic><a:graphicData><a:tbl><a:tblPr firstRow="1"/>{rows}</a:tbl></a:graphicData></a:graphic></p:graphicFrame>"#
    );
    assert_eq!(
        opened(&pptx(&[&slide], &[])).unwrap().text,
        "## Slide 1\n\nTides\n\n| Port | Tide High | Tide Low |\n| --- | --- | --- |\n| Brest | 6.9 | 1.2 |\n| Brest | 7.0 | 1.1 |"
    );
}

// proves: A6
#[test]
fn notes_and_comments_follow_their_slide() {
    let notes = format!(
        "<p:notes><p:cSld><p:spTree>{}{}</p:spTree></p:cSld></p:notes>",
        shape(0, r#"<p:ph type="sldImg"/>"#, ""),
        shape(1, r#"<p:ph type="body"/>"#, &said("Say it slowly.")),
    );
    let comments = r#"<p:cmLst><p:cm authorId="0"><p:text>Which tea?</p:text></p:cm></p:cmLst>"#;
    let parts = [("notesSlide", "notes.xml", &*notes), ("comments", "comments.xml", comments)];
    let slide = shape(0, r#"<p:ph type="ctrTitle"/>"#, &said("Tea"));
    assert_eq!(
        opened(&pptx(&[&slide], &parts)).unwrap().text,
        "## Slide 1: Tea\n\n### Notes\n\nSay it slowly.\n\n### Comments\n\nComment by B. Leaf: Which tea?"
    );
}

// proves: A6
#[test]
fn a_broken_pptx_is_refused_and_a_broken_slide_is_not() {
    let slide = shape(0, "", &said("Tea"));
    let whole = pptx(&[&slide, "<p:sp>"], &[]);
    assert_eq!(opened(&whole).unwrap().text, "## Slide 1\n\nTea\n\n## Slide 2");
    let damaged = Fault::Damaged { format: "PPTX".to_owned() };
    assert_eq!(opened(&pptx(&["<p:sp>"], &[])).unwrap_err(), damaged);
    assert_eq!(opened(&whole[..whole.len() / 2]).unwrap_err(), damaged);
    let deep = "<p:grpSp>".repeat(5000) + &"</p:grpSp>".repeat(5000);
    assert!(matches!(opened(&pptx(&[&deep], &[])), Err(Fault::TooComplex { .. })));
    let name: Vec<u8> = "EncryptedPackage".encode_utf16().flat_map(u16::to_le_bytes).collect();
    let compound = [&[0xD0, 0xCF, 0x11, 0xE0][..], &name].concat();
    assert!(matches!(opened(&compound), Err(Fault::Encrypted { .. })));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    // proves: A6
    #[test]
    fn a_pptx_changed_anywhere_gives_a_document_or_an_error(
        parts in prop::collection::vec(prop::sample::select(&[
            "<p:sp><p:nvSpPr><p:cNvPr/></p:nvSpPr>", "</p:sp>", "<p:txBody>", "</p:txBody>", "<a:p><a:r><a:t>tea</a:t></a:r></a:p>",
            "<p:grpSp><p:nvGrpSpPr><p:cNvPr/></p:nvGrpSpPr>", "</p:grpSp>", r#"<a:off x="-9223372036854775808" y="9223372036854775807"/>"#,
            r#"<a:pPr lvl="99999"><a:buAutoNum type="romanLcPeriod" startAt="18446744073709551615"/></a:pPr>"#, "<mc:AlternateContent>",
            "</mc:AlternateContent>", "<a:tbl>", "</a:tbl>", "<a:tr>", "</a:tr>", r#"<c:chart r:id="l"/>"#,
        ][..]), 0..40),
        changes in prop::collection::vec((any::<usize>(), any::<u8>()), 0..4),
    ) {
        let mut file = pptx(&[&parts.concat()], &[]);
        for (at, byte) in changes {
            let at = at % file.len();
            file[at] = byte;
        }
        let _ = opened(&file);
    }
}
