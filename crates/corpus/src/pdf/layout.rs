//! Glyphs become lines, lines become paragraphs, headings and tables.
//!
//! Glyphs are taken in file order, which is nearly always reading order, columns included. Everything is measured along and across
//! the direction of writing, so a page that lies on its side reads like any other.

mod block;
mod direction;
mod fields;
mod headings;
mod lines;
mod order;
mod paragraphs;
mod rules;
mod running;
mod scripts;
mod tables;

pub(super) use block::{Block, Kind, insert};
use headings::name_headings;
pub(super) use lines::{Glyph, PageLines};
use lines::{Line, body_size, measure_leading};
use order::put_in_order;
pub(crate) use paragraphs::join;
use paragraphs::{Draft, Edges, collect_vocabulary, continues, mended, opens_item};
use rules::find_ruled;
use running::drop_running_lines;
use tables::find_tables;

/// Returns the blocks of a document's pages in reading order.
pub(super) fn blocks(mut pages: Vec<PageLines>) -> Vec<Block> {
    for page in &mut pages {
        page.lines.retain(|line| !line.words().is_empty());
        page.lines.iter_mut().for_each(Line::write_scripts);
        page.lines.iter_mut().for_each(Line::read_in_order);
    }
    drop_running_lines(&mut pages);
    pages.iter_mut().for_each(|page| put_in_order(&mut page.lines));
    let vocabulary = collect_vocabulary(&pages);
    let body = body_size(&pages);
    let mut found: Vec<Draft> = Vec::new();
    for page in &pages {
        let ruled = find_ruled(page, &|word| vocabulary.contains(word));
        let mut in_ruled = vec![false; page.lines.len()];
        ruled.iter().flat_map(|table| &table.lines).for_each(|at| in_ruled[*at] = true);
        let tables = find_tables(&page.lines, &in_ruled);
        let leading = measure_leading(&page.lines);
        let edges = Edges::of(&page.lines);
        let mut at = 0;
        let mut before: Option<&Line> = None;
        while let Some(line) = page.lines.get(at) {
            if in_ruled[at] {
                if let Some(table) = ruled.iter().find(|table| table.lines.first() == Some(&at)) {
                    push_ruled(&mut found, table.rows.clone(), page.number, line);
                }
                at += 1;
                before = None;
                continue;
            }
            if let Some(table) = tables.iter().find(|table| table.start == at) {
                let rows = table.rows.clone();
                found.push(Draft::of(Block::table(page.number, rows), line, 0));
                at = table.end;
                before = None;
                continue;
            }
            let goes_on = match before {
                // A filled field is a statement of its own.
                Some(before) if before.filled || line.filled => false,
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

/// Adds a table with borders; a first row of one cell is its title.
fn push_ruled(found: &mut Vec<Draft>, mut rows: Vec<Vec<String>>, page: u32, line: &Line) {
    let titled = rows.len() >= 3
        && rows[0].iter().filter(|cell| !cell.is_empty()).count() == 1
        && rows[1].iter().filter(|cell| !cell.is_empty()).count() >= 2;
    if titled {
        let title = rows.remove(0).concat();
        found.push(Draft::of(Block::paragraph(page, title), line, 1));
    }
    found.push(Draft::of(Block::table(page, rows), line, 0));
}
