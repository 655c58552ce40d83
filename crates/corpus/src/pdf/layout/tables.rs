//! Lines whose cells are aligned one under the other are the rows of a table.

use super::lines::{Cell, Line};

/// The fewest rows in a table.
const ROWS: usize = 3;
/// The longest average cell, in characters.
const CELL_CHARACTERS: usize = 40;
/// How far below a row its cells may go on, in font sizes.
const NEXT_LINE: f64 = 1.45;

/// A table without borders: the lines it stands in, and their cells.
pub(super) struct Table {
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) rows: Vec<Vec<String>>,
}

/// Returns the runs of lines that are rows of a table; `taken` are the lines that are not.
///
/// Most rows have a cell in each column; a row may lack some of them, and a line that stands close under a row, without a first cell,
/// goes on with the row's cells.
pub(super) fn find_tables(lines: &[Line], taken: &[bool]) -> Vec<Table> {
    let mut found: Vec<Table> = Vec::new();
    let mut start = 0;
    while start < lines.len() {
        let least = found.last().map_or(0, |table| table.end);
        let table = if taken[start] { None } else { table_at(lines, taken, start, least) };
        match table {
            Some(table) => {
                start = table.end;
                found.push(table);
            }
            None => start += 1,
        }
    }
    found
}

fn table_at(lines: &[Line], taken: &[bool], start: usize, least: usize) -> Option<Table> {
    let first = &lines[start];
    if first.cells.len() < 2 || first.filled {
        return None;
    }
    let mut columns: Vec<Cell> = first.cells.clone();
    let mut placed: Vec<(usize, Vec<usize>)> = vec![(start, (0..columns.len()).collect())];
    let mut full_until = 1;
    for at in start + 1..lines.len() {
        let (above, below) = (&lines[at - 1], &lines[at]);
        let size = above.size.max(below.size);
        let drop = (below.down - above.down) / size;
        if taken[at] || below.filled || !(0.5..4.0).contains(&drop) {
            break;
        }
        let Some(matched) = place(&columns, below) else { break };
        let whole = matched.len() == columns.len();
        // What goes on from the row above begins after the first column.
        let goes_on = matched[0] > 0 && drop < NEXT_LINE;
        if !whole && !goes_on && matched.len() < 2 {
            break;
        }
        if whole {
            for (column, cell) in columns.iter_mut().zip(&below.cells) {
                column.left = column.left.min(cell.left);
                column.right = column.right.max(cell.right);
            }
        }
        placed.push((at, matched));
        if whole {
            full_until = placed.len();
        }
    }
    placed.truncate(full_until + usize::from(goes_on_at(lines, &placed, full_until)));
    let whole = placed.iter().filter(|(_, matched)| matched.len() == columns.len()).count();
    let cells: usize = placed.iter().map(|(at, _)| lines[*at].cells.len()).sum();
    let characters: usize = placed.iter().map(|(at, _)| lines[*at].words().chars().count()).sum();
    let sound = whole >= ROWS && whole * 2 >= placed.len() && characters <= cells * CELL_CHARACTERS;
    if !sound {
        return None;
    }
    let end = placed.last().map_or(start, |(at, _)| *at) + 1;
    // The head may lack a cell, such as the one above the names of the rows.
    let head = start.checked_sub(1).filter(|at| *at >= least && !taken[*at] && !lines[*at].filled);
    let head = head.filter(|at| {
        let drop = (first.down - lines[*at].down) / first.size.max(lines[*at].size);
        lines[*at].cells.len() >= 2 && (0.5..4.0).contains(&drop)
    });
    let head = head.and_then(|at| Some((at, place(&columns, &lines[at])?)));
    let start = head.as_ref().map_or(start, |(at, _)| *at);
    placed.splice(0..0, head);
    Some(Table { start, end, rows: rows(lines, &placed, columns.len()) })
}

/// Returns whether the line after the last whole row goes on with it.
fn goes_on_at(lines: &[Line], placed: &[(usize, Vec<usize>)], next: usize) -> bool {
    placed.get(next).is_some_and(|(at, matched)| {
        let (above, below) = (&lines[*at - 1], &lines[*at]);
        matched[0] > 0 && below.down - above.down < NEXT_LINE * above.size.max(below.size)
    })
}

/// Returns the column of each cell of a line, or `None` if a cell stands under none.
fn place(columns: &[Cell], line: &Line) -> Option<Vec<usize>> {
    let near = |a: f64, b: f64| (a - b).abs() <= 1.5 * line.size;
    let mut next = 0;
    let mut found = Vec::with_capacity(line.cells.len());
    for cell in &line.cells {
        let under = |column: &Cell| {
            near(column.left, cell.left)
                || near(column.right, cell.right)
                || near(
                    f64::midpoint(column.left, column.right),
                    f64::midpoint(cell.left, cell.right),
                )
        };
        let at = next + columns.get(next..)?.iter().position(under)?;
        found.push(at);
        next = at + 1;
    }
    (!found.is_empty()).then_some(found)
}

fn rows(lines: &[Line], placed: &[(usize, Vec<usize>)], columns: usize) -> Vec<Vec<String>> {
    let mut rows: Vec<Vec<String>> = Vec::new();
    for (at, matched) in placed {
        let line = &lines[*at];
        let close = at
            .checked_sub(1)
            .and_then(|above| lines.get(above))
            .is_some_and(|above| line.down - above.down < NEXT_LINE * line.size.max(above.size));
        let goes_on = matched[0] > 0 && matched.len() < columns && close && !rows.is_empty();
        if !goes_on {
            rows.push(vec![String::new(); columns]);
        }
        let Some(row) = rows.last_mut() else { continue };
        for (column, text) in matched.iter().zip(cells(line)) {
            if !row[*column].is_empty() {
                row[*column].push(' ');
            }
            row[*column].push_str(&text);
        }
    }
    rows
}

fn cells(line: &Line) -> Vec<String> {
    let ends = line.cells.iter().skip(1).map(|cell| cell.start).chain([line.text.len()]);
    let parts = line.cells.iter().zip(ends).map(|(cell, end)| line.text.get(cell.start..end));
    parts.map(|part| part.unwrap_or_default().trim().to_owned()).collect()
}
