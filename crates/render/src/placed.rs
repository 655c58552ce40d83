//! Where the citations of a document stand in its Markdown.

use std::ops::Range;

use crate::document::Document;
use crate::line::Inline;
use crate::markdown;

/// A citation and its place in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlacedMark {
    pub numbers: Vec<u32>,
    /// Bytes of the text: exactly the mark as it is written, such as `[3]` or `[7a]`.
    pub span: Range<usize>,
}

/// Returns a document as [`markdown::write`] does, and where its citations stand in it, in order. Text that looks like a citation is none.
///
/// ```
/// let mut report = render::Document::default();
/// report.paragraph(render::Line::from("He wrote [1]: it was removed.").marks(&[2]));
/// let (text, marks) = render::placed::write(&report);
/// assert_eq!(text, render::markdown::write(&report));
/// assert_eq!(marks.len(), 1);
/// assert_eq!((&text[marks[0].span.clone()], marks[0].numbers.as_slice()), ("[2]", &[2][..]));
/// ```
pub fn write(document: &Document) -> (String, Vec<PlacedMark>) {
    let plain = markdown::write(document);
    let mut marked = document.clone();
    let mut marks = Vec::new();
    // A number between two characters that the text lacks stands before each mark while it is written.
    // There are more of such characters than texts can hold.
    let Some(flag) = ('\u{F0000}'..='\u{FFFFD}').find(|flag| !plain.contains(*flag)) else {
        return (plain, marks);
    };
    let mut cited: Vec<Vec<u32>> = Vec::new();
    marked.visit(&mut |inline| {
        if let Inline::Mark { cited: own, shown, .. } = inline {
            shown.insert_str(0, &format!("{flag}{}{flag}", cited.len()));
            cited.push(own.iter().map(|one| one.number).collect());
        }
    });
    let mut text = String::with_capacity(plain.len());
    let written = markdown::write(&marked);
    let mut parts = written.split(flag);
    text.push_str(parts.next().unwrap_or_default());
    while let (Some(index), Some(part)) = (parts.next(), parts.next()) {
        let numbers = index.parse().ok().and_then(|index: usize| cited.get(index).cloned());
        let span = text.len()..text.len() + measure_mark(part);
        marks.push(PlacedMark { numbers: numbers.unwrap_or_default(), span });
        text.push_str(part);
    }
    (text, marks)
}

/// Returns the bytes of the mark that a text begins with: up to the bracket that closes the first one.
fn measure_mark(text: &str) -> usize {
    let mut depth = 0_usize;
    for (at, character) in text.char_indices() {
        match character {
            '[' => depth += 1,
            ']' => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth == 0 {
            return at + character.len_utf8();
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::document::{Block, List, Table};
    use crate::labels::Labels;
    use crate::line::Line;

    fn line() -> impl Strategy<Value = Line> {
        let piece = prop_oneof![
            "[a-z\\[\\]1-3() *|`\u{F0000}\u{F0001}🦊ä]{0,8}"
                .prop_map(|text| Line::new().text(text)),
            prop::collection::vec(1..40_u32, 1..4)
                .prop_map(|numbers| Line::new().mark_source(&numbers)),
            (1..40_u32).prop_map(|number| Line::new().strong(Line::from("so").mark(number))),
            Just(Line::new().marked("said [[1], 2] and [3]")),
            Just(Line::new().line_break()),
        ];
        prop::collection::vec(piece, 0..6)
            .prop_map(|pieces| pieces.into_iter().fold(Line::new(), Line::then))
    }

    fn block() -> impl Strategy<Value = Block> {
        let leaf = prop_oneof![
            line().prop_map(Block::Paragraph),
            line().prop_map(|line| Block::Heading { level: 2, line }),
            prop::collection::vec(line(), 1..3).prop_map(Block::Hanging),
            (line(), line()).prop_map(|(one, other)| {
                let mut table = Table::with(["A", "B#"]);
                table.row([one, other]);
                Block::Table(table)
            }),
            "[a-z\\[\\]1]{0,8}".prop_map(|text| Block::Code { language: String::new(), text }),
        ];
        leaf.prop_recursive(2, 8, 3, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..3).prop_map(Block::Quote),
                (prop::collection::vec(prop::collection::vec(inner, 1..3), 1..3), any::<bool>())
                    .prop_map(|(items, is_tight)| Block::List(List {
                        start: Some(1),
                        is_tight,
                        items
                    })),
            ]
        })
    }

    fn count_marks(document: &mut Document) -> Vec<Vec<u32>> {
        let mut numbers = Vec::new();
        document.visit(&mut |inline| {
            if let Inline::Mark { cited, .. } = inline {
                numbers.push(cited.iter().map(|one| one.number).collect());
            }
        });
        numbers
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        // proves: F4
        #[test]
        fn every_mark_is_cut_out_exactly_and_nothing_else_is(
            blocks in prop::collection::vec(block(), 0..6),
            sources in prop::collection::vec(0..4_u32, 0..40),
        ) {
            let mut document = Document { title: None, blocks };
            document.label(&Labels::of((1..).zip(sources)));
            let (text, marks) = write(&document);
            prop_assert_eq!(&text, &markdown::write(&document));
            let mut placed: Vec<Vec<u32>> = Vec::new();
            for mark in &marks {
                let shown = &text[mark.span.clone()];
                prop_assert!(shown.starts_with('[') && shown.ends_with(']'), "{}", shown);
                prop_assert!(shown.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"[], ".contains(&byte)), "{}", shown);
                placed.push(mark.numbers.clone());
            }
            prop_assert!(marks.windows(2).all(|two| two[0].span.end <= two[1].span.start));
            let mut wanted = count_marks(&mut document);
            wanted.sort_unstable();
            placed.sort_unstable();
            prop_assert_eq!(placed, wanted);
        }
    }
}
