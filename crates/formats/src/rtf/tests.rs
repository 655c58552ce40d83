use proptest::prelude::*;

use super::*;
use crate::Format;

const START: &str = r"{\rtf1\ansi\ansicpg1252\deff0{\fonttbl{\f0\fswiss\fcharset0 Arial;}{\f1\fcharset2 Symbol;}{\f2\fcharset204{\*\falt x}Arial Cyr;}}{\colortbl;\red0;}{\stylesheet{\s0 Normal;}{\s1\outlinelevel0 heading 1;}{\s2 heading 2;}{\s9 toc 1;}{\*\cs10 Default;}}";

fn opened(bytes: &[u8]) -> Result<Parsed, Fault> {
    crate::parse(Format::Rtf, bytes, &Bounds::default())
}

fn text(body: &str) -> String {
    opened(format!("{START}{body}}}").as_bytes()).unwrap().text
}

// proves: A6
#[test]
fn the_text_is_what_the_fonts_and_styles_show() {
    let body = r"\pard\s1 Method\par\pard\plain\s9 Method 2\par\pard\s2 People\par\pard\plain We asked 1,204\~adults \'97 all\rquote s.\line Twice.\par
{\f2\'cf\'f0\'e8} \f1 a\f0  \u8364?5 {\uc2\u-10179 ab\u-8704 ab} \{x\}{\v hidden}{\deleted gone}{\*\unknown gone}\par";
    assert_eq!(
        text(body),
        "# Method\n\n## People\n\nWe asked 1,204 adults — all’s.\nTwice.\n\nПри α €5 😀 {x}"
    );
    let titled = r"{\stylesheet{\s5 Title;}}\pard\s5 Tea\par\pard\s1 Method\par";
    assert_eq!(text(titled), "# Tea\n\n## Method");
    let info = r"{\info{\title Tea \'e9tude}{\author A. Leaf}{\creatim\yr2026\mo11\dy2\hr1}{\company X}{\*\x Y}}Tea{\header no}{\pict\wmetafile8 0100ff}";
    let document = opened(format!("{START}{info}}}").as_bytes()).unwrap();
    assert_eq!(
        (document.text.as_str(), document.title.as_deref()),
        ("Tea\n\nHeader: no", Some("Tea étude"))
    );
    assert_eq!(document.metadata["author"], "A. Leaf");
    assert_eq!(document.metadata["created"], "2026-11-02");
    assert_eq!(document.metadata.len(), 2);
}

// proves: A6
#[test]
fn lists_tables_and_fields_keep_their_shape() {
    let list = r"\pard{\listtext\f1\'b7\tab}\ls1 dot\par\pard{\pntext 2.\tab}two\par\pard{\listtext b)\tab}\ilvl1 b\par\pard ";
    assert_eq!(text(list), "- dot\n2. two\n  - b) b");
    let tables = r"{\*\listtable{\list{\listlevel\levelnfc0\levelstartat3{\leveltext\'02\'00.;}{\levelnumbers\'01;}}{\listlevel\levelnfc4\levelstartat1{\leveltext\'04\'00.\'01);}}{\listname L;}\listid7}}{\*\listoverridetable{\listoverride\listid7\listoverridecount0\ls2}}";
    let bare = r"\pard\ls2 three\par\pard\ls2\ilvl1 a\par\pard\ls2 four\par\pard none\par";
    assert_eq!(text(&format!("{tables}{bare}")), "3. three\n  - 3.a) a\n4. four\n\nnone");
    let table = r"\trowd\trhdr\cellx1\cellx2\pard\intbl Drink\cell Share\cell\row\trowd\cellx1\cellx2\pard\intbl Tea\par green\cell 54 %{\footnote\pard Of all.}\cell\row\pard After\par";
    assert_eq!(
        text(table),
        "| Drink | Share |\n| --- | --- |\n| Tea green | 54 % |\n\nFootnote 1: Of all.\n\nAfter"
    );
    // Cells end at edges of their own, a little apart; one reaches down.
    let merged = r"\trowd\cellx3010\pard\intbl Table 1. Tides\cell\row\trowd\clvmgf\cellx1000\cellx3000\pard\intbl Port\cell Tide\cell\row
\trowd\clvmrg\cellx1005\cellx2000\cellx3000\pard\intbl\cell High\cell Low\cell\row\trowd\cellx1000\cellx2000\cellx3000\pard\intbl Brest\cell 6.9\cell 1.2\cell\row
\trowd\cellx1000\clmgf\cellx2000\clmrg\cellx3000\pard\intbl Dover\cell both 5\cell\cell\row\pard After\par";
    assert_eq!(
        text(merged),
        "Table 1. Tides\n\n| Port | Tide High | Tide Low |\n| --- | --- | --- |\n| Brest | 6.9 | 1.2 |\n| Dover | both 5 |  |\n\nAfter"
    );
    assert_eq!(text(r"\trowd\pard\intbl framed\par twice\cell\row\pard\par"), "framed\n\ntwice");
    let field = r#"See {\field{\*\fldinst HYPERLINK "http://a.org"}{\fldrslt{the page}}}."#;
    assert_eq!(text(field), "See the page.");
}

// proves: A6
#[test]
fn notes_comments_and_boxes_follow_their_paragraph() {
    let body = r"We asked{\super\chftn{\footnote\pard\plain\chftn  In {\i May}.\par And June.}} adults{\*\atnid B}{\*\atnauthor B. Leaf}\chatn{\*\annotation{\*\atndate 1}\pard Who?}.{\shp{\*\shpinst{\sp{\sn wzDescription}{\sv A cup}}{\shptxt\pard Boxed.\par}}{\shprslt twice}}{\footnote\ftnalt End.}\par Next.\par";
    assert_eq!(
        text(body),
        "We asked adults.\n\nFootnote 1: In May. And June.\n\nComment by B. Leaf: Who?\n\nImage: A cup\n\nBoxed.\n\nEndnote 1: End.\n\nNext."
    );
}

// proves: A6
#[test]
fn headers_and_footers_stand_once_after_the_text() {
    let number = r#"{\field{\*\fldinst { PAGE }}{\fldrslt 7}}"#;
    let body = format!(
        r"{{\header\pard ACME {{\b Ltd}}\tab Draft 3\par}}{{\headerf\pard Dear reader\par}}{{\footer\pard Page {number} of \chpgn\par}}{{\footerl Page \chpgn\par}}Tea.\par\sect{{\header\pard ACME Ltd\tab Draft 3\par}}More.\par"
    );
    assert_eq!(text(&body), "Tea.\n\nMore.\n\nHeader: ACME Ltd; Draft 3");
    assert_eq!(
        text(&format!(r"\titlepg{body}")),
        "Tea.\n\nMore.\n\nHeader: ACME Ltd; Draft 3\n\nHeader: Dear reader"
    );
    let within = r"See {\field{\*\fldinst PAGE}{\fldrslt 7}}.";
    assert_eq!(text(within), "See 7.");
}

// proves: A6
#[test]
fn rtf_is_known_by_its_signature() {
    assert!(recognize(b"\xEF\xBB\xBF{\\rtf1 x}") && recognize(b"\n{\\rtf1}"));
    assert!(!recognize(b"Files begin with {\\rtf1") && !recognize(b"{\\rt"));
    assert!(matches!(opened(b"tea"), Err(Fault::Damaged { .. })));
}

// proves: A6
#[test]
fn a_hostile_rtf_ends_within_its_bounds() {
    let deep = "{\\rtf1".repeat(100_000);
    assert!(matches!(opened(deep.as_bytes()), Err(Fault::TooComplex { .. })));
    let wide = format!(
        "{START}{}\\row{}",
        "x\\cell ".repeat(20_000),
        "x\\cell y\\cell\\row ".repeat(20_000)
    );
    let bounds = Bounds { text_bytes: 1_000_000, ..Bounds::default() };
    let said = crate::parse(Format::Rtf, wide.as_bytes(), &bounds);
    assert!(matches!(said, Err(Fault::TooLarge { .. })), "{said:?}");
    assert_eq!(text("tea\\bin99999999999 x"), "tea");
    assert_eq!(
        opened(b"{\\rtf1 tea {\\footnote a {\\footnote b}").unwrap().text,
        "tea\n\nFootnote 2: a Footnote 1: b"
    );
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    // proves: A6
    #[test]
    fn an_rtf_changed_anywhere_gives_a_document_or_an_error(
        parts in prop::collection::vec(prop::sample::select(&[
            "{", "}", "\\par ", "\\cell ", "\\row ", "\\intbl ", "\\pard ", "tea", "\\'e9", "\\'8", "\\u-2147483648 ", "\\u55357 ",
            "\\uc99999999 ", "{\\footnote ", "{\\listtext ", "{\\*\\annotation ", "{\\fonttbl{\\f0\\fcharset2 Wingdings;}}", "\\f0 ",
            "\\bin2147483647 ", "{\\shptxt ", "\\outlinelevel9 ", "\\ilvl-1 ", "{\\stylesheet", "\\s-5 ", "{\\info{\\creatim\\yr-1", "é漢",
        ][..]), 0..60),
        changes in prop::collection::vec((any::<usize>(), any::<u8>()), 0..4),
    ) {
        let mut file = format!("{{\\rtf1 {}}}", parts.concat()).into_bytes();
        for (at, byte) in changes {
            let at = at % file.len();
            file[at] = byte;
        }
        let _ = opened(&file);
    }
}
