//! Writes blocks as Markdown and records where each page begins.

use formats::escaped;

use super::layout::{Block, Kind};
use crate::document::Page;

/// A text and where its pages begin.
pub(super) struct Written {
    pub(super) text: String,
    pub(super) pages: Vec<Page>,
}

/// Returns `blocks` as Markdown; `numbers` are those of all pages, in order.
pub(super) fn markdown(blocks: &[Block], numbers: &[u32]) -> Written {
    let mut text = String::new();
    let mut pages: Vec<Page> = Vec::with_capacity(numbers.len());
    let mut numbers = numbers.iter().copied().peekable();
    let mut item_before = false;
    let mut reach = |pages: &mut Vec<Page>, page: u32, start: usize| {
        while let Some(number) = numbers.next_if(|number| *number <= page) {
            pages.push(Page { number, start: if pages.is_empty() { 0 } else { start } });
        }
    };
    for block in blocks {
        let item = matches!(block.kind, Kind::Item);
        if !text.is_empty() {
            text.push_str(if item && item_before { "\n" } else { "\n\n" });
        }
        item_before = item;
        reach(&mut pages, block.page, text.len());
        match &block.kind {
            Kind::Heading(level) => {
                text.push_str(&"#".repeat((*level).clamp(1, 6)));
                text.push(' ');
                text.push_str(&block.text);
            }
            Kind::Paragraph | Kind::Item => {
                let before = text.len();
                text.push_str(&escaped(&block.text));
                let added = text.len() - before - block.text.len();
                for (at, page) in &block.breaks {
                    reach(&mut pages, *page, before + added + at);
                }
            }
            Kind::Table(rows) => table(&mut text, rows),
        }
    }
    let end = text.len();
    reach(&mut pages, u32::MAX, end);
    Written { text, pages }
}

/// Writes a table. Its first row is the header if it names the columns.
fn table(text: &mut String, rows: &[Vec<String>]) {
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    let blank = (!formats::names_columns(rows)).then(Vec::new);
    for (index, row) in blank.iter().chain(rows).enumerate() {
        if index > 0 {
            text.push('\n');
        }
        text.push('|');
        for column in 0..columns {
            let cell = row.get(column).map(String::as_str).unwrap_or_default();
            text.push(' ');
            text.push_str(&cell.replace('|', "\\|").replace('\n', " "));
            text.push_str(" |");
        }
        if index == 0 {
            text.push_str("\n|");
            text.push_str(&" --- |".repeat(columns));
        }
    }
}
