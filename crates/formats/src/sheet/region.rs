//! The tables within a sheet: blocks of cells with blank rows or columns between them.

use super::grid::{Cell, Grid, Kind, Row};

/// The most blocks in one sheet; what follows belongs to the last.
const MOST_REGIONS: usize = 500;

/// A block of cells. Both ends belong to it.
#[derive(Debug, Clone, Default)]
pub(crate) struct Region {
    pub(crate) first_row: usize,
    pub(crate) last_row: usize,
    pub(crate) first_column: usize,
    pub(crate) last_column: usize,
    /// The indices of its rows in the grid.
    range: (usize, usize),
}

/// The cells of a row that belong to a region.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RowOf<'a> {
    pub(crate) number: usize,
    pub(crate) cells: &'a [(usize, Cell)],
}

impl<'a> RowOf<'a> {
    pub(crate) fn cell(&self, column: usize) -> Option<&'a Cell> {
        let index = self.cells.binary_search_by_key(&column, |(at, _)| *at).ok()?;
        self.cells.get(index).map(|(_, cell)| cell)
    }

    pub(crate) fn text(&self, column: usize) -> &'a str {
        self.cell(column).map_or("", |cell| &cell.text)
    }

    /// Returns all its cells in one line.
    pub(crate) fn words(&self) -> String {
        let texts: Vec<&str> = self.cells.iter().map(|(_, cell)| &*cell.text).collect();
        texts.join(" ")
    }
}

impl Region {
    pub(crate) fn rows<'a>(&self, grid: &'a Grid) -> Vec<RowOf<'a>> {
        let rows = grid.rows.get(self.range.0..self.range.1).unwrap_or_default();
        let cut = rows.iter().map(|row| self.cut(row));
        cut.filter(|row| !row.cells.is_empty()).collect()
    }

    fn cut<'a>(&self, row: &'a Row) -> RowOf<'a> {
        let start = row.cells.partition_point(|(column, _)| *column < self.first_column);
        let end = row.cells.partition_point(|(column, _)| *column <= self.last_column);
        RowOf { number: row.number, cells: row.cells.get(start..end).unwrap_or_default() }
    }
}

/// Returns all cells of a row.
pub(crate) fn whole(row: &Row) -> RowOf<'_> {
    RowOf { number: row.number, cells: &row.cells }
}

/// Returns the blocks of cells of a grid, from top to bottom and left to right.
pub(crate) fn find(grid: &Grid) -> Vec<Region> {
    let mut found: Vec<Region> = Vec::new();
    let mut start = 0;
    for index in 1..=grid.rows.len() {
        let is_end = index == grid.rows.len()
            || found.len() < MOST_REGIONS
                && is_gap(grid, &grid.rows[start..index], &grid.rows[index]);
        if is_end {
            found.extend(side_by_side(grid, (start, index)));
            start = index;
        }
    }
    found
}

/// Returns whether a blank row before `next` separates two tables, rather than the rows of one.
fn is_gap(grid: &Grid, above: &[Row], next: &Row) -> bool {
    let Some(last) = above.last() else { return false };
    if grid.are_adjacent(last.number, next.number) {
        return false;
    }
    // A table whose rows are spaced out goes on with values of the same kinds in the same columns.
    let is_alike = last.cells.len() == next.cells.len()
        && last.cells.len() > 1
        && above.len() > 1
        && last.cells.iter().zip(&next.cells).all(|((one, _), (other, _))| one == other)
        && last.cells.iter().zip(&next.cells).any(|((_, one), (_, other))| {
            one.kind != Kind::Text && is_same_kind(one.kind, other.kind)
        });
    !is_alike
}

fn is_same_kind(one: Kind, other: Kind) -> bool {
    std::mem::discriminant(&one) == std::mem::discriminant(&other)
}

/// Splits rows at blank columns if there is a table on either side.
fn side_by_side(grid: &Grid, range: (usize, usize)) -> Vec<Region> {
    let rows = grid.rows.get(range.0..range.1).unwrap_or_default();
    let (Some(first), Some(last)) = (rows.first(), rows.last()) else { return Vec::new() };
    let whole = Region {
        first_row: first.number,
        last_row: last.number,
        first_column: 0,
        last_column: usize::MAX,
        range,
    };
    let all: Vec<RowOf> = rows.iter().map(|row| whole.cut(row)).collect();
    let columns = filled_columns(&all);
    let mut groups: Vec<(usize, usize)> = Vec::new();
    for column in columns {
        match groups.last_mut() {
            Some((_, end)) if *end + 1 == column => *end = column,
            _ => groups.push((column, column)),
        }
    }
    let cut = |(first_column, last_column): (usize, usize)| Region {
        first_column,
        last_column,
        ..whole.clone()
    };
    let is_table = |group: &(usize, usize)| {
        let rows = all.iter().filter(|row| {
            row.cells.iter().filter(|(column, _)| (group.0..=group.1).contains(column)).count() > 1
        });
        group.1 > group.0 && rows.take(2).count() == 2
    };
    let are_tables = groups.len() > 1 && groups.len() < 20 && groups.iter().all(is_table);
    if !are_tables {
        return vec![whole];
    }
    groups.into_iter().map(cut).collect()
}

/// Returns the columns with a cell in any of the rows.
pub(crate) fn filled_columns(rows: &[RowOf]) -> Vec<usize> {
    let mut columns = std::collections::BTreeSet::new();
    for row in rows {
        columns.extend(row.cells.iter().map(|(column, _)| *column));
    }
    columns.into_iter().collect()
}
