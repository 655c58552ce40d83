//! Lines whose cells are aligned one under the other are the rows of a table.

use super::lines::Line;

/// The fewest rows in a table.
const ROWS: usize = 3;
/// The longest average cell, in characters.
const CELL_CHARACTERS: usize = 40;

/// Returns the runs of lines that are rows of a table: equally many cells, one under the other.
pub(super) fn find_tables(lines: &[Line]) -> Vec<std::ops::Range<usize>> {
    let mut found = Vec::new();
    let mut start = 0;
    while start < lines.len() {
        let mut end = start + 1;
        while end < lines.len()
            && lines[start].cells.len() >= 2
            && beneath(&lines[end - 1], &lines[end])
        {
            end += 1;
        }
        let rows = &lines[start..end];
        let (cells, characters) = rows.iter().fold((0, 0), |(cells, characters), row| {
            (cells + row.cells.len(), characters + row.words().chars().count())
        });
        if rows.len() >= ROWS && characters <= cells * CELL_CHARACTERS {
            found.push(start..end);
        }
        start = end;
    }
    found
}

fn beneath(above: &Line, below: &Line) -> bool {
    let size = above.size.max(below.size);
    let drop = below.down - above.down;
    let near = |a: f64, b: f64| (a - b).abs() <= 1.5 * size;
    above.cells.len() == below.cells.len()
        && (0.5..4.0).contains(&(drop / size))
        && above.cells.iter().zip(&below.cells).all(|(a, b)| {
            near(a.left, b.left)
                || near(a.right, b.right)
                || near(f64::midpoint(a.left, a.right), f64::midpoint(b.left, b.right))
        })
}

pub(super) fn cells(line: &Line) -> Vec<String> {
    let ends = line.cells.iter().skip(1).map(|cell| cell.start).chain([line.text.len()]);
    let parts = line.cells.iter().zip(ends).map(|(cell, end)| line.text.get(cell.start..end));
    parts.map(|part| part.unwrap_or_default().trim().to_owned()).collect()
}
