//! Glyphs become lines, lines become paragraphs, headings and tables.
//!
//! Glyphs are taken in file order, which is nearly always reading order, columns included. Everything is measured along and across
//! the direction of writing, so a page that lies on its side reads like any other.

mod block;
mod headings;
mod lines;
mod paragraphs;
mod running;
mod tables;

pub(super) use block::{Block, Kind};
use headings::name_headings;
pub(super) use lines::{Glyph, PageLines};
use lines::{Line, body_size, measure_leading};
pub(crate) use paragraphs::join;
use paragraphs::{Draft, Edges, collect_vocabulary, continues, mended, opens_item};
use running::drop_running_lines;
use tables::{cells, find_tables};

/// Returns the blocks of a document's pages in reading order.
pub(super) fn blocks(mut pages: Vec<PageLines>) -> Vec<Block> {
    for page in &mut pages {
        page.lines.retain(|line| !line.words().is_empty());
    }
    drop_running_lines(&mut pages);
    let vocabulary = collect_vocabulary(&pages);
    let body = body_size(&pages);
    let mut found: Vec<Draft> = Vec::new();
    for page in &pages {
        let tables = find_tables(&page.lines);
        let leading = measure_leading(&page.lines);
        let edges = Edges::of(&page.lines);
        let mut at = 0;
        let mut before: Option<&Line> = None;
        while let Some(line) = page.lines.get(at) {
            if let Some(table) = tables.iter().find(|table| table.start == at) {
                let rows = page.lines[table.clone()].iter().map(cells).collect();
                found.push(Draft::of(Block::table(page.number, rows), line, 0));
                at = table.end;
                before = None;
                continue;
            }
            let goes_on = match before {
                Some(before) => continues(before, line, leading, &edges),
                None => false,
            };
            let open = found.last_mut().filter(|open| !matches!(open.block.kind, Kind::Table(_)));
            match open {
                Some(open) if goes_on => open.take(line, page.number, &vocabulary),
                _ => {
                    let kind = if opens_item(line.words()) { Kind::Item } else { Kind::Paragraph };
                    let block = Block::new(kind, page.number, line.words().to_owned());
                    found.push(Draft::of(block, line, 1));
                }
            }
            before = Some(line);
            at += 1;
        }
    }
    let mut found = mended(found, body, &vocabulary);
    name_headings(&mut found, body);
    found.into_iter().map(|draft| draft.block).collect()
}
