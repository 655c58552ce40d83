use proptest::prelude::*;
use unicode_width::UnicodeWidthStr as _;

use super::*;
use crate::line::Sign;
use crate::{Link, Note, text};

const QUOTED: Sign = Sign { sign: "”", verdict: "quoted", says: "says its source word for word" };

/// Returns a page with its escape sequences made readable: `<1>` for a style, `<link …>` and `</link>`.
fn readable(page: &str) -> String {
    let mut shown = String::new();
    let mut rest = page;
    while let Some((before, after)) = rest.split_once('\u{1b}') {
        shown.push_str(before);
        rest = match after.strip_prefix("]8;;") {
            Some(link) => {
                let (target, rest) = link.split_once("\u{1b}\\").unwrap();
                match target {
                    "" => shown.push_str("</link>"),
                    target => shown.push_str(&format!("<link {target}>")),
                }
                rest
            }
            None => {
                let (style, rest) = after.strip_prefix('[').unwrap().split_once('m').unwrap();
                shown.push_str(&format!("<{style}>"));
                rest
            }
        };
    }
    shown + rest
}

/// Returns a page without its escape sequences.
fn bare(page: &str) -> String {
    let shown = readable(page);
    let mut bare = String::new();
    let mut is_inside = false;
    for c in shown.chars() {
        match c {
            '<' => is_inside = true,
            '>' if is_inside => is_inside = false,
            c if !is_inside => bare.push(c),
            _ => {}
        }
    }
    bare
}

fn options(width: usize) -> Options {
    Options { width, ..Options::default() }
}

// proves: F1
#[test]
fn a_report_has_headings_marks_and_links_that_stand_out() {
    let mut report = Document { title: Some("How large is it?".into()), blocks: vec![] };
    report.heading("Market size");
    report.paragraph(
        Line::from("Texas had 120,000 lawyers in 2023.")
            .marks(&[1])
            .sign(QUOTED)
            .text(" See https://a.example/x."),
    );
    report.quotation("Of which many are in Houston.");
    report.items(["a short one", "one that is long enough to be broken somewhere"]);
    let mut table = Table::with(["Name", "Price#"]);
    table.row(["Harvey".into(), "$ 40".into()]);
    report.table(table);
    report.notes(
        "Sources",
        vec![NotedSource {
            lines: vec![Line::new().mark_source(&[1]).text(" Lawyers"), "doc://m/l.md".into()],
            notes: vec![
                Note {
                    number: 1,
                    lines: vec![],
                    listed: vec![Line::new().mark(1).text(" \"Texas\""), "l.md:3".into()],
                    link: None,
                },
                Note {
                    number: 2,
                    lines: vec![],
                    listed: vec![Line::new().mark(2).text(" \"Houston\""), "bytes 9..12".into()],
                    link: Link::read("https://a.example"),
                },
            ],
        }],
    );
    let places = BTreeMap::from([("l.md:3".to_owned(), "file:///m/l.md".to_owned())]);
    let page = write(&report, &Options { width: 36, places });
    assert_eq!(
        readable(&page),
        "<1><4>How large is it?<0>\n\n\
         <1><36>Market size<0>\n\n\
         Texas had 120,000 lawyers in 2023.\n\
         <36>[1]<0><1><32>”<0> See <4><link https://a.example/x>https://a.example/x</link><0>.\n\n\
         <2>│ <0>Of which many are in Houston.\n\n\
         <2>• <0>a short one\n<2>• <0>one that is long enough to be\n<2>  <0>broken somewhere\n\n\
         <1>Name<0>    <1>Price<0>\n<2>──────  ─────<0>\nHarvey   $ 40\n\n\
         <1><36>Sources<0>\n\n\
         <36>[1]<0> Lawyers\n    <2>doc://m/l.md<0>\n\
         \u{20} <36>[1]<0> \"Texas\"\n      <2><4><link file:///m/l.md>l.md:3</link><0>\n\
         \u{20} <36>[2]<0> \"Houston\"\n      <2>bytes 9..12<0>\n"
    );
}

// proves: F1, A4
#[test]
fn no_text_of_a_document_reaches_the_terminal_as_a_command() {
    let mut report = Document::default();
    let evil = "a\u{1b}]8;;https://evil.example\u{7}b\u{9b}31m\u{1b}[2Jc";
    report.blocks.push(Block::Paragraph(Line(vec![crate::Inline::Text(evil.into())])));
    report.blocks.push(Block::Code { language: String::new(), text: evil.into() });
    report.paragraph("see file:///etc/passwd and javascript:alert(1)");
    let places = BTreeMap::from([("see".to_owned(), "file:///a\u{1b}\\b".to_owned())]);
    let page = write(&report, &Options { width: 80, places });
    let styles = page.matches("\u{1b}[2m").count() + page.matches("\u{1b}[0m").count();
    assert_eq!(page.matches('\u{1b}').count(), styles, "{page:?}");
    assert!(!page.contains(['\u{7}', '\u{9b}']), "{page:?}");
}

#[test]
fn a_word_that_is_broader_than_the_terminal_is_broken_and_a_link_is_not() {
    let mut report = Document::default();
    report.paragraph("漢字".repeat(12));
    report.paragraph("see https://a.example/a-long-path-to-a-page now");
    assert_eq!(
        bare(&write(&report, &options(20))),
        "漢字漢字漢字漢字漢字\n漢字漢字漢字漢字漢字\n漢字漢字\n\nsee\nhttps://a.example/a-long-path-to-a-page\nnow\n"
    );
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    // proves: F1
    #[test]
    fn the_words_are_those_of_the_plain_text_and_no_line_is_too_long(
        cells in prop::collection::vec(prop::collection::vec("[a-z ]{0,30}", 3), 1..4),
        words in prop::collection::vec("[a-z]{1,12}", 0..40),
        width in 30_usize..90,
    ) {
        let mut report = Document::default();
        let mut line = Line::new();
        for (index, word) in words.iter().enumerate() {
            line = match index % 4 {
                0 => line.text(format!("{word} ")),
                1 => line.strong(word.as_str()).text(" "),
                2 => line.emphasis(word.as_str()).mark(3).text(", "),
                _ => line.code(word).sign(QUOTED).text(" "),
            };
        }
        report.paragraph(line);
        let mut table = Table::with(["A", "B#", "C"]);
        cells.iter().for_each(|row| table.row(row.iter().map(Line::from)));
        report.table(table);
        let page = bare(&write(&report, &options(width)));
        let longest = page.split_whitespace().map(str::width).max().unwrap_or_default();
        prop_assert!(page.lines().all(|line| line.width() <= width.max(longest)), "{}", page);
        let told = |page: &str| page.replace(['─', '-'], "").split_whitespace().map(str::to_owned).collect::<Vec<_>>();
        prop_assert_eq!(told(&page), told(&text::write(&report, width)));
    }
}
