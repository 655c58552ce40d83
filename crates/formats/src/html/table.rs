//! Tables of data become tables with one head row; tables that lay out a page become what they hold.
//!
//! A cell that spans columns or rows counts for each of them, so that every value stands under its heads. Heads of several rows are joined:
//! "2023 · Revenue". A row over the whole table is the name of the rows below it.

mod grid;

use dom_query::NodeRef;

use self::grid::{Cell, Grid, Row, span};
use super::blocks::Page;
use super::code;
use super::seen::is_unreadable;
use crate::Writer;
use crate::notebook::write_missing;
use crate::table::{LOOKED_AT, Line, names_columns, put_groups};

/// The most rows of a head.
const MOST_HEADS: usize = 6;
/// The longest cell, in bytes, of a table without heads, and of one with them.
const LONGEST_CELL: usize = 400;
const LONGEST_HEADED_CELL: usize = 1500;
/// What stands between the heads of a column.
const BETWEEN: &str = " · ";

/// Returns whether a table holds data and is not for layout: it has header cells or rows of short cells, and no table within.
pub fn holds_data(table: &NodeRef) -> bool {
    let shape = Shape::of(table);
    shape.is_table() && (shape.headers || !shape.blocks && !shape.paragraphs)
}

/// What a table is made of.
#[derive(Default)]
struct Shape {
    rows: usize,
    cells: usize,
    /// Whether it has head cells.
    headers: bool,
    /// Whether it has paragraphs or boxes.
    paragraphs: bool,
    /// Whether it has lists, headings, code or quotes.
    blocks: bool,
    /// Whether it says that it is for layout, or holds a table.
    lays_out: bool,
}

impl Shape {
    fn of(table: &NodeRef) -> Shape {
        let role = table.attr("role");
        let is_layout = role.is_some_and(|it| matches!(&*it, "presentation" | "none"));
        let mut shape = Shape { lays_out: is_layout, ..Shape::default() };
        for node in table.descendants_it().filter(NodeRef::is_element) {
            let name = node.node_name();
            match name.as_deref().unwrap_or_default() {
                "table" => shape.lays_out = true,
                "th" => {
                    shape.headers = true;
                    shape.cells += 1;
                }
                "thead" => shape.headers = true,
                "tr" => shape.rows += 1,
                "td" => shape.cells += 1,
                "p" | "div" => shape.paragraphs = true,
                "ul" | "ol" | "h1" | "h2" | "h3" | "h4" | "pre" | "blockquote" => {
                    shape.blocks = true;
                }
                _ => {}
            }
            if shape.lays_out {
                break;
            }
        }
        shape
    }

    fn is_table(&self) -> bool {
        !self.lays_out && self.cells > self.rows && (self.headers || self.rows > 1)
    }
}

impl Page<'_> {
    /// Writes a table, or what it holds if it is for layout.
    pub(super) fn table(&mut self, table: &NodeRef) {
        self.end_block();
        let shape = Shape::of(table);
        if let Some(code) = listing(table, &shape) {
            self.end_term();
            return self.code(&code);
        }
        if shape.is_table()
            && let Some(rows) = self.grid(table, &shape)
        {
            return self.write_rows(rows, shape.headers);
        }
        self.children(table);
        self.end_block();
    }

    /// Writes a table, if it is one.
    pub(super) fn table_alone(&mut self, table: &NodeRef) {
        let shape = Shape::of(table);
        if shape.is_table()
            && let Some(rows) = self.grid(table, &shape)
        {
            self.write_rows(rows, shape.headers);
        }
    }

    /// Returns the rows of a table with a cell in every place, or `None` if it turns out to lay out a page.
    fn grid(&mut self, table: &NodeRef, shape: &Shape) -> Option<Vec<Row>> {
        let mut grid = Grid::default();
        let mut captions = Vec::new();
        let longest = if shape.headers { LONGEST_HEADED_CELL } else { LONGEST_CELL };
        let may_be_long = shape.headers && !shape.blocks && !shape.paragraphs;
        let rows = rows_of(table, &mut captions);
        for (row, in_head, part) in rows {
            grid.begin(in_head, part);
            for cell in row.children_it(false).filter(NodeRef::is_element) {
                let is_head = cell.has_name("th");
                let name = cell.node_name();
                let is_cell = is_head || cell.has_name("td");
                if !is_cell || is_unreadable(&cell, name.as_deref().unwrap_or_default()) {
                    continue;
                }
                let text =
                    if code::is_line_number(&cell) { String::new() } else { self.one_line(&cell) };
                if text.len() > longest && !may_be_long {
                    return None;
                }
                let is_bold = is_set_off(&cell);
                let placed = Cell { text, is_head, is_bold, is_repeated: false };
                grid.put(&placed, span(&cell, "colspan"), span(&cell, "rowspan"));
            }
        }
        let rows = grid.finish()?;
        // Without heads, a table has several values in most of its rows.
        let full = rows.iter().filter(|row| row.own() > 1).count();
        let is_sparse = full * 2 < rows.len() && rows.first().is_none_or(|row| row.own() < 3);
        let is_loose = !shape.headers && (shape.blocks || rows.len() < 2 || is_sparse);
        if is_loose {
            return None;
        }
        for caption in captions {
            let caption = self.one_line(&caption);
            self.say(&caption);
            self.end_block();
        }
        Some(rows)
    }

    fn write_rows(&mut self, mut rows: Vec<Row>, headers: bool) {
        rows.retain(|row| !row.is_blank());
        // Lines that stand above the heads are titles.
        let wide = rows.iter().position(|row| !row.is_whole).unwrap_or(0);
        let titles: Vec<String> = rows.drain(..wide).map(|row| row.first().to_owned()).collect();
        for title in titles {
            self.say(&title);
            self.end_block();
        }
        let mut pieces: Vec<(Vec<String>, Vec<&Row>)> = Vec::new();
        let mut missing = 0;
        let mut at = 0;
        while let Some(row) = rows.get(at) {
            if pieces.is_empty() || begins_head(&rows, at) {
                let heads = count_heads(&rows[at..], headers);
                let head = join(&rows[at..at + heads]);
                if pieces.last().is_none_or(|(last, _)| *last != head) {
                    pieces.push((head, Vec::new()));
                }
                at += heads;
                continue;
            }
            if self.settings.most_rows.is_some_and(|most| at >= most) {
                missing += 1;
            } else if let Some((_, piece)) = pieces.last_mut() {
                piece.push(row);
            }
            at += 1;
        }
        for (head, rows) in pieces {
            let lines: Vec<Line> = rows.iter().map(|row| row.line()).collect();
            // A head alone is a row.
            let blank = rows.is_empty().then(|| vec![String::new(); head.len()]);
            let shown = blank.into_iter().chain([head]).chain(rows.iter().map(|row| shown(row)));
            let mut written = Writer::new(u64::MAX);
            written.table(&without_blank_columns(put_groups(shown.collect(), &lines)));
            if !written.is_empty() {
                self.tables += 1;
                self.indented(&written.finish());
            }
        }
        write_missing(self.text, missing, "row", "the table");
    }
}

/// Returns whether all that a cell says is bold.
fn is_set_off(cell: &NodeRef) -> bool {
    let mut node = *cell;
    loop {
        let mut said = node.children_it(false).filter(|it| {
            it.is_element() && !it.has_name("br") || it.is_text() && !it.text().trim().is_empty()
        });
        match (said.next(), said.next()) {
            (Some(one), None) if one.has_name("b") || one.has_name("strong") => return true,
            (Some(one), None) if one.is_element() => node = one,
            _ => return false,
        }
    }
}

/// Returns the code in a table that shows code beside the numbers of its lines.
fn listing(table: &NodeRef, shape: &Shape) -> Option<String> {
    if shape.lays_out || shape.cells != 2 * shape.rows || shape.headers {
        return None;
    }
    let mut code = String::new();
    for (row, ..) in rows_of(table, &mut Vec::new()) {
        let cells: Vec<NodeRef> = row.children_it(false).filter(NodeRef::is_element).collect();
        let [number, line] = cells.as_slice() else { return None };
        let is_gutter = code::is_line_number(number)
            || shape.rows == 1
                && line.descendants_it().any(|it| it.has_name("pre"))
                && code::numbers(&number.text()).is_some_and(|count| count > 0);
        if !is_gutter {
            return None;
        }
        code.push_str(code::text(line).trim_end_matches('\n'));
        code.push('\n');
    }
    (!code.trim().is_empty()).then_some(code)
}

/// Returns the rows of a table, each with whether it is in the head and the number of its part, and collects the captions; the foot
/// comes last.
fn rows_of<'a>(
    table: &NodeRef<'a>,
    captions: &mut Vec<NodeRef<'a>>,
) -> Vec<(NodeRef<'a>, bool, usize)> {
    let (mut rows, mut foot) = (Vec::new(), Vec::new());
    for (number, part) in table.children_it(false).filter(NodeRef::is_element).enumerate() {
        let name = part.node_name();
        let name = name.as_deref().unwrap_or_default();
        match name {
            _ if is_unreadable(&part, name) => {}
            "caption" => captions.push(part),
            "tr" => rows.push((part, false, 0)),
            "thead" | "tbody" | "tfoot" => {
                let own = part
                    .children_it(false)
                    .filter(|row| row.has_name("tr") && !is_unreadable(row, "tr"));
                let own = own.map(|row| (row, name == "thead", number + 1));
                if name == "tfoot" { foot.extend(own) } else { rows.extend(own) }
            }
            _ => {}
        }
    }
    rows.extend(foot);
    rows
}

/// Returns a row as it is written: what spans it stands in it once.
fn shown(row: &Row) -> Vec<String> {
    let text = |(index, cell): (usize, &Cell)| {
        if row.is_whole && index > 0 { String::new() } else { cell.text.clone() }
    };
    row.cells.iter().enumerate().map(text).collect()
}

/// Returns whether another head begins in the middle of a table: a row of several head cells before one with values.
fn begins_head(rows: &[Row], at: usize) -> bool {
    let is_head = |row: &Row| row.is_head() && row.own() > 1;
    at > 0
        && is_head(&rows[at])
        && !is_head(&rows[at - 1])
        && rows.get(at + 1).is_some_and(|next| !is_head(next))
}

/// Returns how many of the first rows are the head; 0 if the first row has values.
fn count_heads(rows: &[Row], headers: bool) -> usize {
    let heads = rows.iter().take(MOST_HEADS).take_while(|row| row.is_head()).count();
    if heads == rows.len() {
        return heads.min(1);
    }
    if heads > 0 {
        // A line over the whole table that follows is the name of a group.
        let groups = rows[1..heads].iter().rev().take_while(|row| row.is_whole && !row.in_head);
        return heads - groups.count();
    }
    usize::from(first_is_head(rows, headers))
}

/// Returns whether the first row of a table without head cells above names its columns: all its words are bold, or it is not like those
/// below. It is like them if it begins with a head of its own, as all rows do.
fn first_is_head(rows: &[Row], headers: bool) -> bool {
    let Some((first, rest)) = rows.split_first() else { return false };
    if first.is_bold() && !rest.iter().all(Row::is_bold) {
        return true;
    }
    let has_own_head = |row: &Row| row.cells.first().is_some_and(|cell| cell.is_head);
    if headers && has_own_head(first) && rest.iter().all(|row| has_own_head(row) || row.is_whole) {
        return false;
    }
    let texts = |row: &Row| row.cells.iter().map(|cell| cell.text.clone()).collect();
    let others = rows.iter().filter(|row| !row.is_whole).take(1 + LOOKED_AT);
    names_columns(&others.map(texts).collect::<Vec<Vec<String>>>())
}

/// Returns the heads of the columns; blank ones if there are no head rows.
fn join(heads: &[Row]) -> Vec<String> {
    let width = heads.iter().map(|row| row.cells.len()).max().unwrap_or(0);
    let name = |column: usize| {
        let mut parts: Vec<&str> = Vec::new();
        for row in heads {
            let text = row.cells.get(column).map_or("", |cell| cell.text.as_str());
            if !text.is_empty() && parts.last() != Some(&text) {
                parts.push(text);
            }
        }
        parts.join(BETWEEN)
    };
    (0..width).map(name).collect()
}

/// Returns rows without the columns that are blank in all of them, as wide as the widest.
fn without_blank_columns(rows: Vec<Vec<String>>) -> Vec<Vec<String>> {
    let width = rows.iter().map(Vec::len).max().unwrap_or(0);
    let said =
        |column: &usize| rows.iter().any(|row| row.get(*column).is_some_and(|it| !it.is_empty()));
    let kept: Vec<usize> = (0..width).filter(said).collect();
    let shown = |row: Vec<String>| -> Vec<String> {
        kept.iter().map(|column| row.get(*column).cloned().unwrap_or_default()).collect()
    };
    rows.into_iter().map(shown).collect()
}
