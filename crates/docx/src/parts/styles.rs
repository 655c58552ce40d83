//! The styles: Word's own names wherever Word has one, so that a template can restyle a report.

use std::fmt::Write as _;

use crate::xml::escape;

const INK: &str = "1F3864";

/// A style of paragraphs.
struct Style {
    id: &'static str,
    /// Word's name of it.
    name: &'static str,
    based_on: &'static str,
    /// The style of the paragraph behind one of this style.
    next: &'static str,
    /// Both in the order of the schema.
    paragraph: &'static str,
    run: &'static str,
}

/// Sizes are in half points, lengths in twentieths of a point.
const PARAGRAPHS: [Style; 23] = [
    Style {
        id: "BodyText",
        name: "Body Text",
        based_on: "Normal",
        next: "",
        paragraph: "",
        run: "",
    },
    Style {
        id: "Title",
        name: "Title",
        based_on: "Normal",
        next: "BodyText",
        paragraph: "<w:keepNext/><w:keepLines/><w:pBdr><w:bottom w:val=\"single\" w:sz=\"8\" w:space=\"6\" w:color=\"1F3864\"/></w:pBdr>\
                    <w:spacing w:after=\"240\" w:line=\"240\" w:lineRule=\"auto\"/>",
        run: "<w:b/><w:bCs/><w:color w:val=\"1F3864\"/><w:sz w:val=\"40\"/><w:szCs w:val=\"40\"/>",
    },
    Style {
        id: "ListBullet",
        name: "List Bullet",
        based_on: "BodyText",
        next: "",
        paragraph: "<w:spacing w:after=\"80\"/>",
        run: "",
    },
    Style {
        id: "ListNumber",
        name: "List Number",
        based_on: "BodyText",
        next: "",
        paragraph: "<w:spacing w:after=\"80\"/>",
        run: "",
    },
    Style {
        id: "ListContinue",
        name: "List Continue",
        based_on: "BodyText",
        next: "",
        paragraph: "<w:spacing w:after=\"80\"/>",
        run: "",
    },
    Style {
        id: "Quote",
        name: "Quote",
        based_on: "BodyText",
        next: "BodyText",
        paragraph: "<w:pBdr><w:left w:val=\"single\" w:sz=\"18\" w:space=\"8\" w:color=\"BFBFBF\"/></w:pBdr><w:ind w:left=\"360\"/>",
        run: "<w:color w:val=\"404040\"/>",
    },
    Style {
        id: "Code",
        name: "Code",
        based_on: "Normal",
        next: "BodyText",
        paragraph: "<w:pBdr><w:top w:val=\"single\" w:sz=\"4\" w:space=\"3\" w:color=\"D9D9D9\"/><w:left w:val=\"single\" w:sz=\"4\" w:space=\"4\" w:color=\"D9D9D9\"/>\
                    <w:bottom w:val=\"single\" w:sz=\"4\" w:space=\"3\" w:color=\"D9D9D9\"/><w:right w:val=\"single\" w:sz=\"4\" w:space=\"4\" w:color=\"D9D9D9\"/></w:pBdr>\
                    <w:shd w:val=\"clear\" w:color=\"auto\" w:fill=\"F7F7F7\"/><w:spacing w:before=\"80\" w:after=\"160\" w:line=\"252\" w:lineRule=\"auto\"/>",
        run: "<w:rFonts w:ascii=\"Consolas\" w:hAnsi=\"Consolas\" w:cs=\"Consolas\"/><w:noProof/><w:sz w:val=\"18\"/><w:szCs w:val=\"18\"/>",
    },
    Style {
        id: "Caption",
        name: "caption",
        based_on: "Normal",
        next: "Figure",
        paragraph: "<w:keepNext/><w:keepLines/><w:spacing w:before=\"200\" w:after=\"60\"/>",
        run: "<w:sz w:val=\"20\"/><w:szCs w:val=\"20\"/>",
    },
    Style {
        id: "Figure",
        name: "Figure",
        based_on: "Normal",
        next: "BodyText",
        paragraph: "<w:keepLines/><w:spacing w:after=\"60\" w:line=\"240\" w:lineRule=\"auto\"/>",
        run: "",
    },
    Style {
        id: "FigureKey",
        name: "Figure Key",
        based_on: "Normal",
        next: "BodyText",
        paragraph: "<w:spacing w:after=\"200\"/>",
        run: "<w:color w:val=\"595959\"/><w:sz w:val=\"18\"/><w:szCs w:val=\"18\"/>",
    },
    Style {
        id: "Bibliography",
        name: "Bibliography",
        based_on: "Normal",
        next: "",
        paragraph: "<w:ind w:left=\"397\" w:hanging=\"397\"/>",
        run: "",
    },
    Style {
        id: "Rule",
        name: "Rule",
        based_on: "Normal",
        next: "BodyText",
        paragraph: "<w:pBdr><w:bottom w:val=\"single\" w:sz=\"6\" w:space=\"1\" w:color=\"A6A6A6\"/></w:pBdr>\
                    <w:spacing w:before=\"120\" w:after=\"160\" w:line=\"120\" w:lineRule=\"exact\"/>",
        run: "",
    },
    Style {
        id: "TableText",
        name: "Table Text",
        based_on: "Normal",
        next: "",
        paragraph: "<w:spacing w:before=\"30\" w:after=\"30\" w:line=\"247\" w:lineRule=\"auto\"/>",
        run: "<w:sz w:val=\"19\"/><w:szCs w:val=\"19\"/>",
    },
    Style {
        id: "TableHead",
        name: "Table Head",
        based_on: "TableText",
        next: "",
        paragraph: "<w:keepNext/>",
        run: "<w:b/><w:bCs/>",
    },
    Style {
        id: "TableTextSmall",
        name: "Table Text Small",
        based_on: "TableText",
        next: "",
        paragraph: "",
        run: "<w:sz w:val=\"16\"/><w:szCs w:val=\"16\"/>",
    },
    Style {
        id: "TableHeadSmall",
        name: "Table Head Small",
        based_on: "TableHead",
        next: "",
        paragraph: "",
        run: "<w:sz w:val=\"16\"/><w:szCs w:val=\"16\"/>",
    },
    Style {
        id: "TableEnd",
        name: "Table End",
        based_on: "Normal",
        next: "BodyText",
        paragraph: "<w:spacing w:after=\"0\" w:line=\"160\" w:lineRule=\"exact\"/>",
        run: "<w:sz w:val=\"8\"/><w:szCs w:val=\"8\"/>",
    },
    Style {
        id: "TOCHeading",
        name: "TOC Heading",
        based_on: "Normal",
        next: "BodyText",
        paragraph: "<w:keepNext/><w:spacing w:before=\"120\" w:after=\"80\"/>",
        run: "<w:b/><w:bCs/><w:color w:val=\"1F3864\"/><w:sz w:val=\"26\"/><w:szCs w:val=\"26\"/>",
    },
    Style {
        id: "TOC1",
        name: "toc 1",
        based_on: "Normal",
        next: "",
        paragraph: "<w:tabs><w:tab w:val=\"right\" w:leader=\"dot\" w:pos=\"9298\"/></w:tabs><w:spacing w:after=\"40\" w:line=\"252\" w:lineRule=\"auto\"/>",
        run: "",
    },
    Style {
        id: "TOC2",
        name: "toc 2",
        based_on: "Normal",
        next: "",
        paragraph: "<w:tabs><w:tab w:val=\"right\" w:leader=\"dot\" w:pos=\"9298\"/></w:tabs><w:spacing w:after=\"20\" w:line=\"247\" w:lineRule=\"auto\"/>\
                    <w:ind w:left=\"284\"/>",
        run: "<w:sz w:val=\"20\"/><w:szCs w:val=\"20\"/>",
    },
    Style {
        id: "FootnoteText",
        name: "footnote text",
        based_on: "Normal",
        next: "",
        paragraph: "<w:spacing w:after=\"30\" w:line=\"240\" w:lineRule=\"auto\"/>",
        run: "<w:sz w:val=\"17\"/><w:szCs w:val=\"17\"/>",
    },
    Style {
        id: "Header",
        name: "header",
        based_on: "Normal",
        next: "",
        paragraph: "<w:pBdr><w:bottom w:val=\"single\" w:sz=\"4\" w:space=\"3\" w:color=\"BFBFBF\"/></w:pBdr>\
                    <w:spacing w:after=\"0\" w:line=\"240\" w:lineRule=\"auto\"/>",
        run: "<w:color w:val=\"595959\"/><w:sz w:val=\"17\"/><w:szCs w:val=\"17\"/>",
    },
    Style {
        id: "Footer",
        name: "footer",
        based_on: "Normal",
        next: "",
        paragraph: "<w:spacing w:after=\"0\" w:line=\"240\" w:lineRule=\"auto\"/><w:jc w:val=\"center\"/>",
        run: "<w:color w:val=\"595959\"/><w:sz w:val=\"17\"/><w:szCs w:val=\"17\"/>",
    },
];

/// The styles of characters: id, Word's name, properties in the order of the schema.
const CHARACTERS: [(&str, &str, &str); 4] = [
    ("Hyperlink", "Hyperlink", "<w:color w:val=\"1F4E9E\"/><w:u w:val=\"single\"/>"),
    // That of the mark before a footnote: in the text it is raised.
    ("FootnoteReference", "footnote reference", "<w:color w:val=\"1F4E9E\"/>"),
    (
        "CodeChar",
        "Code Char",
        "<w:rFonts w:ascii=\"Consolas\" w:hAnsi=\"Consolas\" w:cs=\"Consolas\"/><w:noProof/><w:sz w:val=\"19\"/><w:szCs w:val=\"19\"/>",
    ),
    ("Verdict", "Verdict", "<w:color w:val=\"595959\"/><w:vertAlign w:val=\"superscript\"/>"),
];

/// Sizes of headings, in half points, and the space before them.
const HEADINGS: [(u32, u32); 6] =
    [(30, 360), (25, 280), (22, 220), (22, 180), (21, 160), (21, 160)];

pub(crate) fn styles(language: &str, namespaces: &str) -> String {
    let language = escape(&tag(language));
    let mut xml = format!(
        "<w:styles {namespaces}><w:docDefaults><w:rPrDefault><w:rPr>\
         <w:rFonts w:ascii=\"Calibri\" w:hAnsi=\"Calibri\" w:eastAsia=\"Calibri\" w:cs=\"Calibri\"/><w:sz w:val=\"22\"/><w:szCs w:val=\"22\"/>\
         <w:lang w:val=\"{language}\" w:eastAsia=\"{language}\" w:bidi=\"{language}\"/></w:rPr></w:rPrDefault>\
         <w:pPrDefault><w:pPr><w:spacing w:after=\"120\" w:line=\"269\" w:lineRule=\"auto\"/></w:pPr></w:pPrDefault></w:docDefaults>\
         <w:style w:type=\"paragraph\" w:default=\"1\" w:styleId=\"Normal\"><w:name w:val=\"Normal\"/><w:qFormat/></w:style>\
         <w:style w:type=\"character\" w:default=\"1\" w:styleId=\"DefaultParagraphFont\"><w:name w:val=\"Default Paragraph Font\"/>\
         <w:uiPriority w:val=\"1\"/><w:semiHidden/></w:style>"
    );
    for (index, (size, before)) in HEADINGS.into_iter().enumerate() {
        let number = index + 1;
        let colour = if number <= 2 { INK } else { "262626" };
        let italic = if number == 4 { "<w:i/><w:iCs/>" } else { "" };
        let _ = write!(
            xml,
            "<w:style w:type=\"paragraph\" w:styleId=\"Heading{number}\"><w:name w:val=\"heading {number}\"/><w:basedOn w:val=\"Normal\"/>\
             <w:next w:val=\"BodyText\"/><w:uiPriority w:val=\"9\"/><w:qFormat/><w:pPr><w:keepNext/><w:keepLines/>\
             <w:spacing w:before=\"{before}\" w:after=\"100\" w:line=\"247\" w:lineRule=\"auto\"/><w:outlineLvl w:val=\"{index}\"/></w:pPr>\
             <w:rPr><w:b/><w:bCs/>{italic}<w:color w:val=\"{colour}\"/><w:sz w:val=\"{size}\"/><w:szCs w:val=\"{size}\"/></w:rPr></w:style>"
        );
    }
    for Style { id, name, based_on, next, paragraph, run } in PARAGRAPHS {
        let next = match next {
            "" => String::new(),
            next => format!("<w:next w:val=\"{next}\"/>"),
        };
        let within = |tag: &str, properties: &str| match properties {
            "" => String::new(),
            some => format!("<w:{tag}>{some}</w:{tag}>"),
        };
        let _ = write!(
            xml,
            "<w:style w:type=\"paragraph\" w:styleId=\"{id}\"><w:name w:val=\"{name}\"/><w:basedOn w:val=\"{based_on}\"/>{next}<w:qFormat/>{}{}</w:style>",
            within("pPr", paragraph),
            within("rPr", run)
        );
    }
    for (id, name, run) in CHARACTERS {
        let _ = write!(
            xml,
            "<w:style w:type=\"character\" w:styleId=\"{id}\"><w:name w:val=\"{name}\"/><w:basedOn w:val=\"DefaultParagraphFont\"/>\
             <w:rPr>{run}</w:rPr></w:style>"
        );
    }
    xml.push_str(TABLES);
    xml.push_str("</w:styles>");
    xml
}

const TABLES: &str = "<w:style w:type=\"table\" w:default=\"1\" w:styleId=\"TableNormal\"><w:name w:val=\"Normal Table\"/><w:uiPriority w:val=\"99\"/>\
    <w:semiHidden/><w:tblPr><w:tblInd w:w=\"0\" w:type=\"dxa\"/><w:tblCellMar><w:top w:w=\"0\" w:type=\"dxa\"/><w:left w:w=\"80\" w:type=\"dxa\"/>\
    <w:bottom w:w=\"0\" w:type=\"dxa\"/><w:right w:w=\"80\" w:type=\"dxa\"/></w:tblCellMar></w:tblPr></w:style>\
    <w:style w:type=\"table\" w:styleId=\"ReportTable\"><w:name w:val=\"Report Table\"/><w:basedOn w:val=\"TableNormal\"/><w:qFormat/>\
    <w:tblPr><w:tblBorders><w:top w:val=\"single\" w:sz=\"8\" w:space=\"0\" w:color=\"1F3864\"/>\
    <w:bottom w:val=\"single\" w:sz=\"8\" w:space=\"0\" w:color=\"1F3864\"/>\
    <w:insideH w:val=\"single\" w:sz=\"4\" w:space=\"0\" w:color=\"D0D0D0\"/></w:tblBorders></w:tblPr>\
    <w:tblStylePr w:type=\"firstRow\"><w:tblPr/><w:tcPr><w:tcBorders><w:bottom w:val=\"single\" w:sz=\"6\" w:space=\"0\" w:color=\"1F3864\"/></w:tcBorders>\
    <w:vAlign w:val=\"bottom\"/></w:tcPr></w:tblStylePr></w:style>";

/// Returns a language as Word wants it: with a region, the usual one where none is named.
fn tag(language: &str) -> String {
    const USUAL: [(&str, &str); 12] = [
        ("en", "en-US"),
        ("de", "de-DE"),
        ("fr", "fr-FR"),
        ("es", "es-ES"),
        ("it", "it-IT"),
        ("pt", "pt-PT"),
        ("nl", "nl-NL"),
        ("pl", "pl-PL"),
        ("sv", "sv-SE"),
        ("ru", "ru-RU"),
        ("ja", "ja-JP"),
        ("zh", "zh-CN"),
    ];
    let is_tag = |c: char| c.is_ascii_alphanumeric() || c == '-';
    let language = language.trim();
    let usual = USUAL.iter().find(|(short, _)| language.eq_ignore_ascii_case(short));
    match usual {
        Some((_, usual)) => (*usual).to_owned(),
        None if !language.is_empty() && language.chars().all(is_tag) => language.to_owned(),
        None => "en-US".to_owned(),
    }
}
