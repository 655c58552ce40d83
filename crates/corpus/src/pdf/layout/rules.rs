//! Lines drawn across and down a page are the borders of a table's cells.

use super::lines::{Line, PageLines};
use super::paragraphs::join;

/// A line drawn level or upright, in the page's own units; `low` and `high` are its ends, `at` is where it stands across.
#[derive(Debug, Clone, Copy)]
struct Rule {
    at: f64,
    low: f64,
    high: f64,
}

/// The lines drawn on a page.
#[derive(Debug, Default)]
pub(super) struct Rules {
    level: Vec<Rule>,
    upright: Vec<Rule>,
}

/// The most lines of a page that may be a table's borders; a drawing has more.
const MOST: usize = 3_000;
/// How thick a line may be, and how far apart lines that meet may stand, in points.
const THICK: f64 = 3.0;
/// The shortest line, in points.
const SHORT: f64 = 4.0;
/// The most columns and rows of a table.
const COLUMNS: usize = 40;
const ROWS: usize = 400;
/// The longest average cell, in characters.
const CELL_CHARACTERS: usize = 200;

impl PageLines {
    /// Takes a drawn box or line, from one corner to the other.
    pub(in crate::pdf) fn rule(&mut self, (x, y): (f64, f64), (to_x, to_y): (f64, f64)) {
        let (left, right) = (x.min(to_x), x.max(to_x));
        let (bottom, top) = (y.min(to_y), y.max(to_y));
        if ![left, right, bottom, top].iter().all(|value| value.is_finite()) {
            return;
        }
        let rules = &mut self.rules;
        if rules.level.len() + rules.upright.len() > MOST {
            return;
        }
        if top - bottom <= THICK && right - left >= SHORT {
            let at = f64::midpoint(bottom, top);
            rules.level.push(Rule { at, low: left, high: right });
        } else if right - left <= THICK && top - bottom >= SHORT {
            let at = f64::midpoint(left, right);
            rules.upright.push(Rule { at, low: bottom, high: top });
        }
    }
}

/// The borders of a table's columns, from left to right, and of its rows, from the top down.
struct Grid {
    columns: Vec<f64>,
    rows: Vec<f64>,
}

/// A table and the lines of text in it.
pub(super) struct Ruled {
    /// The indexes of the lines.
    pub(super) lines: Vec<usize>,
    pub(super) rows: Vec<Vec<String>>,
}

/// Returns the tables of a page whose cells have borders; `known` returns whether a word stands elsewhere in the document.
pub(super) fn find_ruled(page: &PageLines, known: &dyn Fn(&str) -> bool) -> Vec<Ruled> {
    let grids = find_grids(&page.rules);
    let mut taken = vec![false; page.lines.len()];
    let mut found = Vec::new();
    for grid in grids {
        let lines: Vec<usize> = (0..page.lines.len())
            .filter(|at| !taken[*at] && grid.holds(&page.lines[*at]))
            .collect();
        let Some(rows) = grid.fill(lines.iter().map(|at| &page.lines[*at]), known) else {
            continue;
        };
        lines.iter().for_each(|at| taken[*at] = true);
        found.push(Ruled { lines, rows });
    }
    found
}

/// Returns the grids that lines which meet each other make.
fn find_grids(rules: &Rules) -> Vec<Grid> {
    let (level, upright) = (&rules.level, &rules.upright);
    let all = level.len() + upright.len();
    if level.len() < 3 || upright.len() < 3 || all > MOST {
        return Vec::new();
    }
    let mut group: Vec<usize> = (0..all).collect();
    fn first(group: &mut [usize], mut at: usize) -> usize {
        while group[at] != at {
            group[at] = group[group[at]];
            at = group[at];
        }
        at
    }
    for (index, across) in level.iter().enumerate() {
        for (down_index, down) in upright.iter().enumerate() {
            let meets = (across.low - THICK..=across.high + THICK).contains(&down.at)
                && (down.low - THICK..=down.high + THICK).contains(&across.at);
            if meets {
                let (a, b) =
                    (first(&mut group, index), first(&mut group, level.len() + down_index));
                group[a] = b;
            }
        }
    }
    let mut found: std::collections::BTreeMap<usize, (Vec<f64>, Vec<f64>)> =
        std::collections::BTreeMap::new();
    for at in 0..all {
        let place = first(&mut group, at);
        let (columns, rows) = found.entry(place).or_default();
        match level.get(at) {
            Some(rule) => rows.push(-rule.at),
            None => columns.push(upright[at - level.len()].at),
        }
    }
    let grids = found
        .into_values()
        .map(|(columns, rows)| Grid { columns: distinct(columns), rows: distinct(rows) });
    grids
        .filter(|grid| (3..=COLUMNS + 1).contains(&grid.columns.len()))
        .filter(|grid| (3..=ROWS + 1).contains(&grid.rows.len()))
        .collect()
}

/// Returns the values in order, each once.
fn distinct(mut values: Vec<f64>) -> Vec<f64> {
    values.sort_by(f64::total_cmp);
    values.dedup_by(|value, before| *value - *before <= THICK);
    values
}

impl Grid {
    fn holds(&self, line: &Line) -> bool {
        let within = |borders: &[f64], from: f64, to: f64| {
            borders.first().is_some_and(|first| *first <= from + THICK)
                && borders.last().is_some_and(|last| to <= *last + THICK)
        };
        let level = line.along.0 > 0.98;
        let middle = line.down - 0.3 * line.size;
        level && within(&self.columns, line.left, line.right) && within(&self.rows, middle, middle)
    }

    /// Returns the rows of cells with the words of these lines, or `None` if they make no table.
    fn fill<'a>(
        &self,
        lines: impl Iterator<Item = &'a Line>,
        known: &dyn Fn(&str) -> bool,
    ) -> Option<Vec<Vec<String>>> {
        let (columns, rows) = (self.columns.len() - 1, self.rows.len() - 1);
        let mut cells = vec![vec![String::new(); columns]; rows];
        let between = |borders: &[f64], at: f64| {
            borders.partition_point(|border| *border <= at).saturating_sub(1).min(borders.len() - 2)
        };
        for line in lines {
            let row = between(&self.rows, line.down - 0.3 * line.size);
            let mut parts: Vec<(usize, String)> = Vec::new();
            for (left, word) in line.placed_words() {
                let column = between(&self.columns, left + 0.2 * line.size);
                match parts.last_mut() {
                    Some((last, text)) if *last == column => {
                        text.push(' ');
                        text.push_str(word);
                    }
                    _ => parts.push((column, word.to_owned())),
                }
            }
            for (column, text) in parts {
                join(&mut cells[row][column], &text, known);
            }
        }
        let used = |column: usize| cells.iter().any(|row| !row[column].is_empty());
        let columns: Vec<usize> = (0..columns).filter(|column| used(*column)).collect();
        cells.retain(|row| row.iter().any(|cell| !cell.is_empty()));
        let cells: Vec<Vec<String>> = cells
            .into_iter()
            .map(|row| columns.iter().map(|column| row[*column].clone()).collect())
            .collect();
        let filled: Vec<usize> = cells
            .iter()
            .flatten()
            .filter(|cell| !cell.is_empty())
            .map(|it| it.chars().count())
            .collect();
        let all = cells.len() * columns.len();
        let several =
            cells.iter().filter(|row| row.iter().filter(|it| !it.is_empty()).count() >= 2);
        let sound = cells.len() >= 2
            && columns.len() >= 2
            && several.count() >= 2
            && filled.len() * 5 >= all * 2
            && filled.iter().sum::<usize>() <= filled.len() * CELL_CHARACTERS;
        sound.then_some(cells)
    }
}
