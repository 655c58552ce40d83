//! Where the citations of a document stand in its Markdown.

use std::ops::Range;

use crate::document::{Block, Document, Notes};
use crate::figure::Picture;
use crate::line::{Inline, Line};
use crate::markdown;

/// A citation and its place in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlacedMark {
    pub numbers: Vec<u32>,
    /// Bytes of the text: exactly the mark as it is written, such as `[3]`.
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
    // A character that the text lacks stands before each mark while it is written. There are more of them than texts can hold.
    let Some(flag) = ('\u{F0000}'..='\u{FFFFD}').find(|flag| !plain.contains(*flag)) else {
        return (plain, marks);
    };
    let flagging = &mut |inline: &mut Inline| {
        if let Inline::Mark { shown, .. } = inline {
            shown.insert(0, flag);
        }
    };
    if let Some(title) = &mut marked.title {
        visit_line(title, flagging);
    }
    visit_blocks(&mut marked.blocks, flagging);
    let mut text = String::with_capacity(plain.len());
    let written = markdown::write(&marked);
    let mut parts = written.split(flag);
    text.push_str(parts.next().unwrap_or_default());
    for part in parts {
        let length = measure_mark(part);
        let numbers = part.get(..length).unwrap_or_default();
        let numbers = numbers.split(|c: char| !c.is_ascii_digit());
        let numbers: Vec<u32> = numbers.filter_map(|number| number.parse().ok()).collect();
        marks.push(PlacedMark { numbers, span: text.len()..text.len() + length });
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

fn visit_blocks(blocks: &mut [Block], visit: &mut impl FnMut(&mut Inline)) {
    for block in blocks {
        match block {
            Block::Heading { line, .. } | Block::Paragraph(line) => visit_line(line, visit),
            Block::Hanging(lines) => lines.iter_mut().for_each(|line| visit_line(line, visit)),
            Block::List(list) => {
                list.items.iter_mut().for_each(|item| visit_blocks(item, visit));
            }
            Block::Table(table) => {
                let cells = table.rows.iter_mut().flatten();
                let cells = cells.chain(table.columns.iter_mut().map(|(title, _)| title));
                cells.for_each(|line| visit_line(line, visit));
            }
            Block::Quote(blocks) | Block::Picture(Picture { instead: blocks, .. }) => {
                visit_blocks(blocks, visit);
            }
            Block::Notes(Notes { title, notes }) => {
                let lines = notes.iter_mut().flat_map(|note| &mut note.lines);
                std::iter::once(title).chain(lines).for_each(|line| visit_line(line, visit));
            }
            Block::Fold { title, blocks } => {
                visit_line(title, visit);
                visit_blocks(blocks, visit);
            }
            Block::Code { .. } | Block::Rule => {}
        }
    }
}

fn visit_line(line: &mut Line, visit: &mut impl FnMut(&mut Inline)) {
    for inline in &mut line.0 {
        match inline {
            Inline::Strong(line) | Inline::Emphasis(line) => visit_line(line, visit),
            inline => visit(inline),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::document::{List, Table};

    fn line() -> impl Strategy<Value = Line> {
        let piece = prop_oneof![
            "[a-z\\[\\]1-3() *|`\u{F0000}\u{F0001}🦊ä]{0,8}"
                .prop_map(|text| Line::new().text(text)),
            prop::collection::vec(1..40_u32, 1..4).prop_map(|numbers| Line::new().mark_of(numbers)),
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
        visit_blocks(&mut document.blocks, &mut |inline| {
            if let Inline::Mark { numbers: own, .. } = inline {
                numbers.push(own.clone());
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
        ) {
            let mut document = Document { title: None, blocks };
            let (text, marks) = write(&document);
            prop_assert_eq!(&text, &markdown::write(&document));
            let mut placed: Vec<Vec<u32>> = Vec::new();
            for mark in &marks {
                let shown = &text[mark.span.clone()];
                prop_assert!(shown.starts_with('[') && shown.ends_with(']'), "{}", shown);
                prop_assert!(shown.bytes().all(|byte| b"[], 0123456789".contains(&byte)), "{}", shown);
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
