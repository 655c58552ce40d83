use proptest::prelude::*;
use render::{Block, Document, Figure, Line, Link, List, Note, NotedSource, Picture, Sign, Table};

use crate::reading::written;

/// Any characters at all, those that XML forbids among them.
fn text() -> impl Strategy<Value = String> {
    let odd = prop::sample::select(vec![
        '\0',
        '\u{1}',
        '\u{b}',
        '\u{1b}',
        '\u{7f}',
        '\u{85}',
        '\u{fffe}',
        '\u{ffff}',
        '\u{1ffff}',
        '\u{202e}',
        '\u{feff}',
        '<',
        '>',
        '&',
        '"',
        '\'',
        ']',
        '\r',
        '\n',
        '\t',
        '🦊',
        '{',
        '%',
    ]);
    let character = prop_oneof![odd, any::<char>(), proptest::char::range('a', 'z')];
    prop::collection::vec(character, 0..12).prop_map(|all| all.into_iter().collect())
}

fn line() -> impl Strategy<Value = Line> {
    const SIGN: Sign = Sign { sign: "≈", verdict: "supported", says: "is borne out" };
    let piece = prop_oneof![
        // As it stands: not every line comes from a builder that cleans it.
        text().prop_map(|text| Line(vec![render::Inline::Text(text)])),
        text().prop_map(|text| Line(vec![render::Inline::Code(text)])),
        any::<char>().prop_map(|c| Line::new().literal(c)),
        prop::collection::vec(1..9_u32, 1..4).prop_map(|numbers| Line::new().mark_source(&numbers)),
        (1..9_u32, 1..9_u32)
            .prop_map(|(one, other)| Line::new().marked(&format!("[{one}, {other}]"))),
        (1..9_u32).prop_map(|number| Line::new().strong(Line::from("so").mark(number))),
        (1..9_u32).prop_map(|number| Line::new().anchor(number)),
        Just(Line::new().marked("said [[1], 2] and [3]").sign(SIGN).line_break()),
    ];
    prop::collection::vec(piece, 0..5)
        .prop_map(|pieces| pieces.into_iter().fold(Line::new(), Line::then))
}

fn block() -> impl Strategy<Value = Block> {
    let rows = prop::collection::vec(prop::collection::vec(line(), 0..4), 0..4);
    let figure = (text(), text(), text()).prop_map(|(title, measure, key)| {
        let shown = render::html::escape(&title);
        let svg = format!(
            "<svg width=\"20\" height=\"9\" stroke=\"currentColor\"><title>{shown}</title><text y=\"9\">{shown}</text></svg>"
        );
        Figure { title, measure, svg, key, values: None }
    });
    let leaf = prop_oneof![
        4 => line().prop_map(Block::Paragraph),
        2 => (1..9_u8, line()).prop_map(|(level, line)| Block::Heading { level, line }),
        1 => prop::collection::vec(line(), 0..3).prop_map(Block::Hanging),
        2 => (prop::collection::vec(line(), 0..3), rows).prop_map(|(head, rows)| {
            let columns = head.into_iter().map(|line| (line, render::Alignment::Centre)).collect();
            Block::Table(Table { columns, rows })
        }),
        1 => text().prop_map(|text| Block::Code { language: String::new(), text }),
        1 => (text(), text(), figure).prop_map(|(heading, words, figure)| {
            Block::Picture(Picture { heading, words, figures: vec![figure], instead: vec![] })
        }),
        1 => prop::collection::vec((1..9_u32, line(), text()), 0..5).prop_map(|notes| {
            let note = |(number, line, link): &(u32, Line, String)| Note {
                number: *number,
                lines: vec![Line::new().mark(*number).then(line.clone()), line.clone()],
                listed: vec![],
                link: Link::read(&format!("https://example.org/{link}")),
            };
            let source = |notes: &[_]| NotedSource { lines: vec![], notes: notes.iter().map(note).collect() };
            Block::Notes(render::Notes { title: "Sources".into(), sources: notes.chunks(2).map(source).collect() })
        }),
        1 => Just(Block::Rule),
    ];
    leaf.prop_recursive(3, 12, 3, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..3).prop_map(Block::Quote),
            (line(), prop::collection::vec(inner.clone(), 0..3))
                .prop_map(|(title, blocks)| Block::Fold { title, blocks }),
            (any::<Option<u64>>(), prop::collection::vec(prop::collection::vec(inner, 0..3), 0..3))
                .prop_map(|(start, items)| Block::List(List { start, is_tight: true, items })),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, cases: 96, ..ProptestConfig::default() })]

    // proves: F6
    #[test]
    fn no_text_breaks_a_document_and_each_note_is_set_once(
        title in prop::option::of(line()),
        blocks in prop::collection::vec(block(), 0..8),
    ) {
        let parts = written(&Document { title, blocks });
        parts.check();
        let xml = parts.text("word/document.xml");
        // Every footnote has one reference, and every link of the document leads to a bookmark.
        let referred = xml.matches("<w:footnoteReference ").count();
        prop_assert_eq!(referred, parts.footnotes().len());
        let everywhere = format!("{xml}{}", parts.text("word/footnotes.xml"));
        let names: Vec<&str> = everywhere
            .split("<w:bookmarkStart ")
            .skip(1)
            .filter_map(|rest| rest.split("w:name=\"").nth(1)?.split('"').next())
            .collect();
        let distinct: std::collections::BTreeSet<&&str> = names.iter().collect();
        prop_assert_eq!(distinct.len(), names.len());
        for anchor in xml.split("w:anchor=\"").skip(1).filter_map(|rest| rest.split('"').next()) {
            prop_assert!(names.contains(&anchor), "{} is not among {:?}", anchor, names);
        }
    }
}
