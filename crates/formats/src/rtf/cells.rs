//! How the cells of an RTF's rows are laid out: where each ends, and whether another covers it.
//!
//! Rows have cells of their own widths. A cell covers the columns up to its right edge, as the edges of all rows of the table make them.

use std::cell::Cell;
use std::rc::Rc;

use crate::rows::Slot;

/// Edges that are nearer are one: a millimetre, in twentieths of a point.
const NEAR: i32 = 57;
/// The most cells in a row whose layout is kept.
const MOST_CELLS: usize = 256;
/// The most columns that the edges of a table make.
const MOST_COLUMNS: usize = 512;
/// The most places of a file that cells cover beside their own.
const MOST_COVERED: usize = 200_000;

/// Which cell covers another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Cover {
    Left,
    Above,
}

/// The layout of a row. Rows share it until the next is defined.
#[derive(Debug, Clone, Default)]
pub(super) struct Cells {
    ends: Rc<Vec<(i32, Option<Cover>)>>,
    open: Option<Cover>,
}

impl Cells {
    /// Says that the open cell is covered.
    pub(super) fn cover(&mut self, cover: Cover) {
        self.open = Some(cover);
    }

    /// Ends the open cell at its right edge, in twentieths of a point.
    pub(super) fn end(&mut self, edge: i32) {
        let cover = self.open.take();
        if self.ends.len() < MOST_CELLS {
            Rc::make_mut(&mut self.ends).push((edge, cover));
        }
    }
}

/// Returns the right edges of the columns of a table, in order, without those beside another.
pub(super) fn edges<'a>(rows: impl Iterator<Item = &'a Cells>) -> Vec<i32> {
    let mut found: Vec<i32> = Vec::new();
    // Where a row has cells that narrow, its edges are not one.
    let mut near = NEAR;
    for cells in rows {
        if found.len() > MOST_COLUMNS {
            break;
        }
        let is_narrow = |pair: &[(i32, Option<Cover>)]| pair[1].0.saturating_sub(pair[0].0) < NEAR;
        if cells.ends.windows(2).any(is_narrow) {
            near = 1;
        }
        for (edge, _) in cells.ends.iter() {
            if let Err(at) = found.binary_search(edge) {
                found.insert(at, *edge);
            }
        }
    }
    found.dedup_by(|edge, before| edge.saturating_sub(*before) < near);
    found
}

/// Returns a row with a place for each column of the table; a row without a layout has its cells. `covered` counts the places of the file
/// that are covered.
pub(super) fn slots(
    row: Vec<String>,
    cells: &Cells,
    edges: &[i32],
    covered: &Cell<usize>,
) -> Vec<Slot> {
    let is_in_order = cells.ends.windows(2).all(|pair| pair[0].0 < pair[1].0);
    let is_large = edges.len() > MOST_COLUMNS || covered.get() > MOST_COVERED;
    if cells.ends.len() != row.len() || !is_in_order || is_large {
        return row.into_iter().map(Slot::Own).collect();
    }
    let mut found = Vec::with_capacity(row.len());
    for (words, (edge, cover)) in row.into_iter().zip(cells.ends.iter()) {
        // Edges were joined to the first of their kind.
        let end = edges.partition_point(|it| *it <= *edge);
        let width = end.saturating_sub(found.len()).max(1);
        found.push(match cover {
            Some(Cover::Left) => Slot::Left,
            Some(Cover::Above) => Slot::Above,
            None => Slot::Own(words),
        });
        found.extend(std::iter::repeat_n(Slot::Left, width - 1));
        covered.set(covered.get() + width - 1);
    }
    found
}
