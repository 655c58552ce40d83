//! Tables in the models of HTML and CALS.

use std::collections::BTreeMap;

use super::super::names::{Role, role};
use super::{blocks, inline};
use crate::Writer;
use crate::writer::tidy;
use crate::xml::Element;

/// The most columns that a cell may span.
const WIDEST_CELL: usize = 64;

/// Writes a table in the model of HTML or CALS.
pub(super) fn table(page: &mut Writer, element: &Element, level: usize, depth: usize) {
    let mut rows: Vec<Vec<String>> = Vec::new();
    let mut after: Vec<String> = Vec::new();
    let mut columns: BTreeMap<String, usize> = BTreeMap::new();
    // Cells that reach down into later rows, by column: how many rows are left, and the words.
    let mut down: BTreeMap<usize, (usize, String)> = BTreeMap::new();
    let mut open: Vec<&Element> = vec![element];
    while let Some(part) = open.pop() {
        match &*part.name {
            "title" | "caption" | "head" if !std::ptr::eq(part, element) => {
                page.paragraph(&tidy(&inline(part, &mut after)));
            }
            "colspec" => {
                let count = columns.len();
                let name = part.attribute("colname").unwrap_or_default();
                columns.insert(name.to_owned(), count);
            }
            "row" | "tr" | "strow" | "sthead" | "seglistitem" => {
                rows.push(row(part, &columns, &mut down, &mut after));
            }
            "segtitle" => rows.push(vec![tidy(&part.text())]),
            _ if role(&part.name) == Role::Hidden => {}
            _ => {
                let before = open.len();
                open.extend(part.elements());
                open[before..].reverse();
                let is_leaf = open.len() == before;
                if is_leaf {
                    page.paragraph(&tidy(&part.text()));
                }
            }
        }
    }
    // A table of one column is a frame around blocks.
    if rows.iter().all(|row| row.len() < 2) && element.all("tr").len() == 1 {
        for cell in element.all("td") {
            blocks(page, level, cell, depth + 1);
        }
    } else {
        crate::sheet::write_rows(page, level, &rows);
    }
    for note in after {
        page.paragraph(&note);
    }
}

fn row(
    element: &Element,
    columns: &BTreeMap<String, usize>,
    down: &mut BTreeMap<usize, (usize, String)>,
    notes: &mut Vec<String>,
) -> Vec<String> {
    let mut cells: Vec<String> = Vec::new();
    let mut fill = |cells: &mut Vec<String>| {
        while let Some((left, words)) = down.get_mut(&cells.len()) {
            cells.push(words.clone());
            *left -= 1;
            if *left == 0 {
                down.remove(&(cells.len() - 1));
            }
        }
    };
    let mut reaching = Vec::new();
    for cell in element.elements() {
        fill(&mut cells);
        let at = |name: &str| cell.attribute(name).and_then(|column| columns.get(column)).copied();
        let span = match (at("namest"), at("nameend")) {
            (Some(first), Some(last)) => last.saturating_sub(first) + 1,
            _ => number(cell, &["colspan", "cols"]),
        };
        let rows = cell
            .attribute("morerows")
            .and_then(|more| more.parse::<usize>().ok())
            .map_or_else(|| number(cell, &["rowspan", "rows"]), |more| more.saturating_add(1));
        let words = tidy(&inline(cell, notes));
        if rows > 1 {
            reaching.push((cells.len(), (rows.min(1000) - 1, words.clone())));
        }
        cells.push(words);
        for _ in 1..span.min(WIDEST_CELL) {
            cells.push(String::new());
        }
    }
    fill(&mut cells);
    down.extend(reaching);
    cells
}

fn number(cell: &Element, names: &[&str]) -> usize {
    names.iter().find_map(|name| cell.attribute(name)?.parse().ok()).unwrap_or(1)
}
