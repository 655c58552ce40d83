use render::{Block, Document, Line, List, Table};
use typeset::Error;

use crate::read::{copy_text, note, settings, write};

fn table(rows: usize, columns: usize) -> Document {
    let mut report = Document::default();
    let head = |column| (Line::from(format!("Column {column}")), render::Alignment::Left);
    let mut table = Table { columns: (0..columns).map(head).collect(), rows: vec![] };
    for row in 0..rows {
        table.row((0..columns).map(|column| Line::from(format!("{row} {column}"))));
    }
    report.table(table);
    report
}

// proves: F6
#[test]
fn what_is_too_long_is_one_clear_error() {
    let error = typeset::write(&table(10_000, 8), &settings()).unwrap_err();
    assert!(matches!(error, Error::TooLong { .. }), "{error}");
    assert!(error.to_string().contains("80008 table cells"), "{error}");
    let mut report = Document::default();
    report.paragraph("word ".repeat(700_000));
    let error = typeset::write(&report, &settings()).unwrap_err();
    assert!(error.to_string().contains("letters"), "{error}");
}

// proves: F6
#[test]
fn a_table_of_many_rows_is_set() {
    let pdf = write(&table(2_000, 4));
    let text = copy_text(&pdf.bytes);
    assert!(text.contains("1999 3") && pdf.pages > 30, "{}", pdf.pages);
}

// proves: F6
#[test]
fn nothing_of_a_very_long_word_is_lost() {
    let word = "wort".repeat(600);
    let mut report = Document::default();
    report.paragraph(word.as_str());
    let mut table = Table::with(["Word", "Short"]);
    table.row([word.as_str().into(), "x".into()]);
    report.table(table);
    report.code(&word, "");
    let text: String = copy_text(&write(&report).bytes).split_whitespace().collect();
    assert_eq!(text.matches("wort").count(), 3 * 600, "{text}");
}

// proves: F6
#[test]
fn a_cell_that_is_longer_than_a_page_goes_on_on_the_next() {
    let mut report = Document::default();
    let mut table = Table::with(["What", "Short"]);
    table.row([Line::from("many words of it ".repeat(2_000)), "x".into()]);
    report.table(table);
    let pdf = write(&report);
    assert!(pdf.pages > 2);
    assert_eq!(
        copy_text(&pdf.bytes).split_whitespace().filter(|word| *word == "many").count(),
        2_000
    );
}

// proves: F6
#[test]
fn what_is_nested_deep_is_set() {
    let mut blocks = vec![Block::Paragraph("innermost".into())];
    for depth in 0..200 {
        blocks = match depth % 3 {
            0 => vec![Block::Quote(blocks)],
            1 => vec![Block::List(List { start: None, is_tight: true, items: vec![blocks] })],
            _ => vec![Block::List(List {
                start: Some(u64::MAX),
                is_tight: false,
                items: vec![blocks],
            })],
        };
    }
    let mut line = Line::from("strongest");
    for _ in 0..200 {
        line = Line::new().strong(Line::new().emphasis(line));
    }
    blocks.push(Block::Paragraph(line));
    let text = copy_text(&write(&Document { title: None, blocks }).bytes);
    assert!(text.contains("innermost") && text.contains("strongest"), "{text}");
}

// proves: F6
#[test]
fn odd_blocks_are_set() {
    let mut report = Document::default();
    let none = Table { columns: vec![], rows: vec![vec!["lost".into()]] };
    let ragged = Table {
        rows: vec![vec![], vec!["a".into(), "b".into(), "c".into()]],
        ..Table::with(["One", "Two"])
    };
    report.blocks = vec![
        Block::Heading { level: 6, line: Line::new() },
        Block::Heading { level: 6, line: "Deep first".into() },
        Block::Heading { level: 0, line: "Then high".into() },
        Block::Table(none),
        Block::Table(ragged),
        Block::List(List {
            start: Some(0),
            is_tight: true,
            items: vec![vec![], vec![Block::Rule]],
        }),
        Block::Quote(vec![Block::Heading { level: 1, line: "Within".into() }]),
        Block::Hanging(vec![]),
        Block::Code { language: "rust".into(), text: String::new() },
        Block::Paragraph(Line::new()),
        Block::Rule,
        Block::Fold { title: "Folded".into(), blocks: vec![Block::Paragraph("Inside".into())] },
    ];
    report.notes("", vec![note(1), note(1), note(u32::MAX)]);
    let pdf = write(&report);
    assert!(pdf.warnings.is_empty(), "{:?}", pdf.warnings);
    let text = copy_text(&pdf.bytes);
    for said in ["Deep first", "Then high", "Within", "Folded", "Inside", "Section 4294967295"] {
        assert!(text.contains(said), "{said}: {text}");
    }
}
