//! Reports as PDF: the words of the Markdown, as `pdftotext` of poppler-utils copies them, which must be installed.

use std::io::Write as _;
use std::process::{Command, Stdio};

use render::{Block, Document};
use typeset::{Date, Pdf, Settings};

use super::word::{all_reports, as_laid_out, count, words_of_markdown};

/// What stands above a report that has no title.
const TITLE: &str = "Untitled";

pub(crate) fn print(report: &Document) -> Pdf {
    let date = Some(Date { year: 2026, month: 3, day: 9 });
    let settings = Settings { title: TITLE.into(), date, ..Settings::default() };
    typeset::write(report, &settings).unwrap()
}

/// Returns the text of a PDF, what stands above and below the text of a page left out.
pub(crate) fn copy_text(pdf: &Pdf) -> String {
    let mut child = Command::new("pdftotext")
        // In the order of the page, which leaves hyphens at the ends of lines as they are.
        .args(["-layout", "-x", "0", "-y", "66", "-W", "900", "-H", "712", "-", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("pdftotext is missing; install poppler-utils");
    let mut input = child.stdin.take().unwrap();
    let bytes = pdf.bytes.clone();
    let writer = std::thread::spawn(move || input.write_all(&bytes));
    let output = child.wait_with_output().unwrap();
    writer.join().unwrap().unwrap();
    String::from_utf8(output.stdout).unwrap()
}

/// Returns a report with the words of its pictures in their place: a drawing has words of its own.
fn without_drawings(report: &Document) -> Document {
    let (notes, others): (Vec<Block>, Vec<Block>) =
        report.blocks.iter().cloned().partition(|block| matches!(block, Block::Notes(_)));
    let title = report.title.clone();
    let mut without = as_laid_out(&Document { title, blocks: others });
    without.blocks.extend(notes);
    without
}

// proves: F6
#[test]
fn a_pdf_has_every_word_of_the_markdown_once() {
    for (name, report) in all_reports() {
        let pdf = print(&without_drawings(&report));
        assert_eq!(pdf.warnings, [""; 0], "{name}");
        let shown = count(&copy_text(&pdf));
        let mut wanted = count(&words_of_markdown(&as_laid_out(&report)));
        if report.title.is_none() {
            *wanted.entry(TITLE.to_owned()).or_default() += 1;
        }
        let differing: Vec<_> = shown
            .keys()
            .chain(wanted.keys())
            .filter(|word| shown.get(*word) != wanted.get(*word))
            .map(|word| (word, shown.get(word), wanted.get(word)))
            .collect();
        assert_eq!(differing, [], "{name}: in the PDF, in the Markdown");
    }
}

// proves: F6
#[test]
fn the_charts_of_a_report_are_drawn() {
    for (name, report) in all_reports() {
        let pdf = print(&report);
        assert_eq!(pdf.warnings, [""; 0], "{name}");
    }
}
