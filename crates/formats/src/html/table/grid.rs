//! The cells of a table, each in all the places that it covers.

use dom_query::NodeRef;

use crate::table::Line;

/// The most columns or rows that a cell spans.
const LONGEST_SPAN: usize = 1000;
/// The most cells that spanning cells add to a table with their words, and the most bytes; further ones are blank.
const MOST_REPEATED: usize = 50_000;
const MOST_REPEATED_BYTES: usize = 1 << 20;
/// The most cells that spanning cells add to a table at all.
const MOST_PLACES: usize = 500_000;
/// The most cells that a table is filled up with, for each cell that it has.
const MOST_BLANK: usize = 4;
/// A cell where it stands in the grid.
#[derive(Debug, Clone, Default)]
pub(super) struct Cell {
    pub(super) text: String,
    pub(super) is_head: bool,
    /// Whether all its words are bold.
    pub(super) is_bold: bool,
    /// Whether it is the place of a cell that begins elsewhere.
    pub(super) is_repeated: bool,
}

#[derive(Debug, Default)]
pub(super) struct Row {
    pub(super) cells: Vec<Cell>,
    /// Whether it stands in the head of the table.
    pub(super) in_head: bool,
    /// Whether one cell spans it.
    pub(super) is_whole: bool,
    /// The part of the table that it is in.
    pub(super) part: usize,
}

impl Row {
    pub(super) fn is_blank(&self) -> bool {
        self.cells.iter().all(|cell| cell.text.is_empty())
    }

    /// Returns whether it names columns: in the head, or made of head cells, but for blank corners.
    pub(super) fn is_head(&self) -> bool {
        let mut heads = self.cells.iter().filter(|cell| !cell.text.is_empty()).peekable();
        self.in_head || heads.peek().is_some() && heads.all(|cell| cell.is_head)
    }

    /// Returns whether all its words are bold.
    pub(super) fn is_bold(&self) -> bool {
        self.cells.iter().all(|cell| cell.is_bold || cell.text.is_empty())
    }

    pub(super) fn own(&self) -> usize {
        self.cells.iter().filter(|cell| !cell.is_repeated && !cell.text.is_empty()).count()
    }

    /// Returns what it is to the rows around it.
    pub(super) fn line(&self) -> Line<'_> {
        Line { label: self.first(), is_whole: self.is_whole, part: self.part }
    }

    pub(super) fn first(&self) -> &str {
        self.cells.iter().map(|cell| cell.text.as_str()).find(|it| !it.is_empty()).unwrap_or("")
    }
}

/// Returns how many columns or rows a cell covers, as browsers read it; no rows are all to the end of its part of the table.
pub(super) fn span(cell: &NodeRef, name: &str) -> usize {
    let given = cell.attr(name).unwrap_or_default();
    let digits = given.trim_start().split(|c: char| !c.is_ascii_digit()).next();
    match digits.and_then(|it| it.parse().ok()) {
        Some(0) if name == "rowspan" => LONGEST_SPAN,
        Some(count) => usize::clamp(count, 1, LONGEST_SPAN),
        None => 1,
    }
}

/// Places cells. A cell that spans rows is kept until they come.
#[derive(Default)]
pub(super) struct Grid {
    rows: Vec<Row>,
    /// For each column, the cell that comes down from above, and how many rows it still covers.
    from_above: Vec<Option<(Cell, usize)>>,
    /// The part of the table that the row is in: no cell reaches into the next.
    part: usize,
    cells: usize,
    repeated: usize,
    repeated_bytes: usize,
}

impl Grid {
    pub(super) fn begin(&mut self, in_head: bool, part: usize) {
        self.fill_from_above();
        if part != self.part {
            self.from_above.clear();
            self.part = part;
        }
        self.rows.push(Row { in_head, part, ..Row::default() });
        self.place_from_above();
    }

    /// Takes over the cells from above where the row has come to.
    fn place_from_above(&mut self) {
        if self.is_spent() {
            return self.from_above.clear();
        }
        let is_over = self.is_over();
        let Some(row) = self.rows.last_mut() else { return };
        while let Some(Some((cell, left))) = self.from_above.get_mut(row.cells.len()) {
            let text = if is_over { String::new() } else { cell.text.clone() };
            let cell = Cell { text, is_repeated: true, ..*cell };
            *left -= 1;
            if *left == 0 {
                self.from_above[row.cells.len()] = None;
            }
            self.repeated += 1;
            self.repeated_bytes += cell.text.len();
            row.cells.push(cell);
        }
    }

    /// Takes over the cells from above that stand behind the end of the row.
    fn fill_from_above(&mut self) {
        let Some(last) = self.from_above.iter().rposition(Option::is_some) else { return };
        while !self.is_spent()
            && let Some(row) = self.rows.last_mut()
            && row.cells.len() <= last
        {
            if self.from_above[row.cells.len()].is_none() {
                row.cells.push(Cell::default());
                self.repeated += 1;
            } else {
                self.place_from_above();
            }
        }
    }

    /// Returns whether the words of a cell stand in its first place only.
    fn is_over(&self) -> bool {
        self.repeated > MOST_REPEATED || self.repeated_bytes > MOST_REPEATED_BYTES
    }

    /// Returns whether cells cover more places than a table has.
    fn is_spent(&self) -> bool {
        self.repeated > MOST_PLACES
    }

    /// Puts a cell that covers so many columns and rows; of its places, the first is its own.
    pub(super) fn put(&mut self, cell: &Cell, columns: usize, rows: usize) {
        self.place_from_above();
        self.cells += 1;
        for column in 0..columns {
            let is_over = self.is_over();
            let is_repeated = column > 0;
            let is_spent = self.is_spent();
            if is_repeated && is_spent {
                break;
            }
            let Some(row) = self.rows.last_mut() else { return };
            let text = if is_repeated && is_over { "" } else { &cell.text };
            self.repeated += usize::from(is_repeated);
            self.repeated_bytes += if is_repeated { text.len() } else { 0 };
            let cell = Cell { text: text.to_owned(), is_repeated, ..*cell };
            if rows > 1 && !is_spent {
                let at = row.cells.len();
                if self.from_above.len() <= at {
                    self.from_above.resize(at + 1, None);
                }
                self.from_above[at] = Some((cell.clone(), rows - 1));
            }
            row.cells.push(cell);
        }
    }

    /// Returns the rows, all as wide as the widest; `None` if that would fill the table with blank cells, or cells cover too many places.
    pub(super) fn finish(mut self) -> Option<Vec<Row>> {
        self.fill_from_above();
        if self.is_spent() {
            return None;
        }
        let width = self.rows.iter().map(|row| row.cells.len()).max().unwrap_or(0);
        let filled = self.rows.iter().filter(|row| !row.cells.is_empty()).count();
        let most = MOST_BLANK * (self.cells + self.repeated) + 64;
        if width.saturating_mul(filled) > most {
            return None;
        }
        for row in &mut self.rows {
            row.is_whole = width > 1 && row.cells.len() == width && row.own() == 1 && {
                let first = row.cells.iter().position(|cell| !cell.is_repeated);
                first == Some(0) && row.cells[1..].iter().all(|cell| cell.is_repeated)
            };
            row.cells.resize(width, Cell::default());
        }
        Some(self.rows)
    }
}
