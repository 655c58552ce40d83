//! HTML becomes Markdown: pages, chapters of books, messages, what notebooks print, and HTML within other formats.
//!
//! [`parse`] builds a tree within limits, [`Parts`] one for each part of a long page, `blocks` writes it as it reads on the page, `inline`
//! what stands within a line, `table` and `math` tables and formulas. Which part of a page is its text is not decided here.

mod blocks;
mod code;
mod inline;
mod math;
mod parts;
mod seen;
mod stripped;
mod table;
mod tree;

pub use blocks::markdown;
pub use dom_query::{Document, NodeRef};
pub use parts::Parts;
pub use seen::{is_block, is_hidden, is_unreadable};
pub use table::holds_data;
pub use tree::parse;

use crate::{Writer, tidy};
use blocks::Page;

/// The stack of a thread that reads HTML, in bytes: enough for any tree that [`parse`] accepts.
const STACK: usize = 64 << 20;
/// HTML with fewer tags than this cannot be nested so deep that it needs such a stack.
const FEW_TAGS: usize = 24;

/// What differs between places where HTML stands.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Settings {
    /// How far headings are set down.
    pub(crate) level: usize,
    /// Whether what styles hide is left out too.
    pub(crate) unseen: Unseen,
    /// What preformatted text is.
    pub(crate) preformatted: Preformatted,
    /// The most rows of a table that are written, if they are limited; the text says how many are missing.
    pub(crate) most_rows: Option<usize>,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum Unseen {
    #[default]
    Kept,
    LeftOut,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum Preformatted {
    #[default]
    Code,
    /// A message in plain text.
    Mail,
}

/// Writes what `html` says, and returns how many tables it has. HTML that exceeds the limits of [`parse`] is written without its tags.
pub(crate) fn write(html: &str, settings: Settings, page: &mut Writer) -> usize {
    let room = page.left() as u64;
    let written = apart(html, || {
        let document = parse(html).ok()?;
        let mut text = Writer::new(room);
        let mut open = Page::new(&mut text, settings);
        open.write_node(&document.root());
        let tables = open.tables;
        Some((text, tables))
    });
    let Some((text, tables)) = written else {
        stripped::lines(html).iter().for_each(|line| page.paragraph(line));
        return 0;
    };
    page.leave_out_as(&text);
    if !text.is_empty() {
        page.block(&text.finish());
    }
    tables
}

/// Writes the tables of `html` and nothing else.
pub(crate) fn write_tables(html: &str, page: &mut Writer) {
    apart(html, || {
        let document = parse(html).ok()?;
        let mut open = Page::new(page, Settings::default());
        document.select("table").nodes().iter().for_each(|table| open.table_alone(table));
        Some(())
    });
}

/// Returns the words of `html` on one line.
pub(crate) fn words(html: &str) -> String {
    let read = apart(html, || {
        let document = parse(html).ok()?;
        let mut page = Writer::new(u64::MAX);
        Some(Page::new(&mut page, Settings::default()).one_line(&document.root()))
    });
    read.unwrap_or_else(|| tidy(&stripped::lines(html).join(" ")))
}

/// Does the work, on a thread of its own if the HTML may be deep. If the parser panics, there is no result.
fn apart<T: Send>(html: &str, work: impl FnOnce() -> Option<T> + Send) -> Option<T> {
    if html.bytes().filter(|byte| *byte == b'<').take(FEW_TAGS).count() < FEW_TAGS {
        return work();
    }
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().name("html".to_owned()).stack_size(STACK);
        thread.spawn_scoped(scope, work).ok()?.join().ok()?
    })
}

#[cfg(test)]
mod tests;
