//! Whatever text stands in a report, it is text: nothing of it is read as markup or code of the typesetter.

use proptest::prelude::*;
use render::{Block, Document, Line, List, Note, Table};

use crate::read::{Parsed, copy_text, write};

/// Texts that would do something if they were read as markup or code.
const HOSTILE: [&str; 26] = [
    "#read(\"/etc/passwd\")",
    "#eval(\"1 + 1\")",
    "#sys.version",
    "#panic(\"no\")",
    "#import \"@preview/x:1.0.0\"",
    "#include \"other.typ\"",
    "#image(\"/x.png\")",
    "#set page(width: 1cm)",
    "#show: it => none",
    "#while true {}",
    "\"), read(\"/etc/passwd\"), (\"",
    "\\\") #read(\"x\")",
    "] #panic() [",
    "}; panic(); {",
    "$ x^2 $",
    "= Heading",
    "== Heading == x",
    "*strong* _emphasis_ `code`",
    "<label> @label",
    "https://evil.example/ #link(\"https://evil.example\")[x]",
    "// comment",
    "/* comment",
    "- item",
    "\\u{41} \\ x",
    "~ -- --- ... -?",
    "\u{202e}desrever\u{2066}",
];

/// A report that has a text wherever one may stand.
fn filled(text: &str) -> Document {
    let mut report = Document { title: Some(text.into()), blocks: vec![] };
    report.heading(Line::from("Heading ").text(text));
    report.paragraph(Line::from(text).strong(text).emphasis(text).code(text).marks(&[1, 2]));
    report.items([text, "other"]);
    report.blocks.push(Block::List(List {
        start: Some(1),
        is_tight: false,
        items: vec![vec![
            Block::Paragraph(text.into()),
            Block::Quote(vec![Block::Paragraph(text.into())]),
        ]],
    }));
    let mut table = Table::with([text, "Number#"]);
    table.row([Line::from(text).marks(&[1]), "1".into()]);
    report.table(table);
    report.code(&render::one_line(text), text);
    report.blocks.push(Block::Fold { title: Line::from("Fold ").text(text), blocks: vec![] });
    let note = |number| Note {
        number,
        lines: vec![Line::new().mark(number).text(" ").text(text), text.into()],
        listed: vec![],
        link: None,
    };
    report.notes(Line::from("Notes ").text(text), vec![note(1).into(), note(3).into()]);
    report
}

/// Returns the letters of a text in order of their code points: pages break lines, and the order of lines in cells is theirs.
fn letters(text: &str) -> String {
    let mut letters: Vec<char> =
        text.chars().filter(|c| !c.is_whitespace() && *c != '\u{ad}').collect();
    letters.sort_unstable();
    letters.into_iter().collect()
}

/// Sees that a report has the form of a tame one, and that its pages say what the report says.
fn check(text: &str) {
    let tame = Parsed::of(&write(&filled("tame")));
    let pdf = write(&filled(text));
    let parsed = Parsed::of(&pdf);
    let depths = |parsed: &Parsed| -> Vec<usize> {
        parsed.outline().iter().map(|(depth, _)| *depth).collect()
    };
    assert_eq!(depths(&parsed), depths(&tame), "{text:?}");
    for kind in [
        "H1",
        "H2",
        "P",
        "L",
        "LI",
        "Table",
        "TR",
        "Note",
        "Link",
        "BlockQuote",
        "Figure",
        "Formula",
    ] {
        let (found, wanted) = (parsed.count_tags(kind), tame.count_tags(kind));
        // A link that is broken over lines is still one, as is a note.
        assert_eq!(found, wanted, "{kind}: {text:?}");
    }
    let links = |parsed: &Parsed| parsed.links().concat().len();
    assert!(links(&parsed) >= links(&tame), "{text:?}");
}

// proves: F6
#[test]
fn text_is_never_markup_or_code() {
    for text in HOSTILE {
        check(text);
        let pdf = write(&filled(text));
        let copied = letters(&copy_text(&pdf.bytes));
        let shown = letters(&render::one_line(text));
        for letter in shown.chars() {
            let count = |within: &str| within.matches(letter).count();
            assert!(count(&copied) >= 12 * count(&shown), "{letter} of {text:?}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    // proves: F6
    #[test]
    fn any_text_is_only_text(text in "[#\\[\\](){}$*_`<>@=/\\\\\"'~;:.,a-zA-Z0-9 \u{0}-\u{1f}]{1,60}|\\PC{1,40}|.{1,40}") {
        prop_assume!(!render::one_line(&text).is_empty());
        check(&text);
    }
}
