//! An XLSX becomes Markdown: each visible sheet is a section with its tables and notes.
//!
//! Parts are read one at a time from the archive, which bounds what they unpack to, and cells are kept sparsely: a sheet that claims a
//! million rows and columns costs what its cells cost.

mod notes;
mod parts;

use std::borrow::Cow;
use std::collections::{BTreeMap, HashSet};

use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};

use super::grid::{Area, Budget, Formulas, Grid, Kind};
use super::number;
use super::stream::attribute;
use crate::archive::{Archive, resolved};
use crate::struck::struck;
use crate::writer::tidy;
use crate::xml::{Element, parse as parse_xml};
use crate::{Bounds, Fault, Parsed, Script, Scripts, Writer};
use notes::notes;
use parts::{Face, Style, cell_styles, shared_strings, unescaped};

const XLSX: &str = "XLSX";
/// A sheet ends at this row.
const LAST_ROW: usize = 1_048_576;
/// A sheet ends before this column.
const COLUMNS: usize = 16_384;
/// The most merged areas, hidden columns and notes that are kept of a sheet.
const MOST_AREAS: usize = 50_000;
/// The most sheets that are read.
const MOST_SHEETS: usize = 1_000;

/// Returns what an XLSX says.
pub(crate) fn parse(bytes: &[u8], bounds: &Bounds) -> Result<Parsed, Fault> {
    let mut archive = Archive::open(bytes, XLSX, bounds)?;
    let top = related(&mut archive, "")?;
    let main = top.values().find(|relation| relation.kind == "officeDocument");
    let main =
        main.map_or_else(|| "xl/workbook.xml".to_owned(), |relation| relation.target.clone());
    let book = parse_xml(&archive.needed(&main)?, XLSX)?;
    let Some(sheets) = book.child("sheets") else {
        return Err(Fault::NotReadYet { format: "this kind of Office file".to_owned() });
    };
    let parts = related(&mut archive, &main)?;
    let part = |kind: &str| parts.values().find(|it| it.kind == kind).map(|it| it.target.clone());
    let strings = match part("sharedStrings") {
        Some(name) => archive.file(&name)?.map(|bytes| shared_strings(&bytes)).transpose()?,
        None => None,
    };
    let styles = match part("styles") {
        Some(name) => archive.file(&name)?.map(|bytes| cell_styles(&bytes)).transpose()?,
        None => None,
    };
    let from_1904 =
        book.child("workbookPr").and_then(|it| it.attribute("date1904")).is_some_and(is_true);
    let strings = strings.unwrap_or_default();
    let book_of = Book { strings: &strings, styles: &styles.unwrap_or_default(), from_1904 };
    let mut page = Writer::new(bounds.text_bytes);
    let mut hidden: Vec<String> = Vec::new();
    let mut budget = Budget::new(bounds);
    let (mut unknown, mut zeros) = (0, Formulas::default());
    let listed = sheets.elements().filter(|it| &*it.name == "sheet");
    for sheet in listed.take(MOST_SHEETS) {
        let name = tidy(sheet.attribute("name").unwrap_or_default());
        if sheet.attribute("state").is_some_and(|state| state != "visible") {
            hidden.push(name);
            continue;
        }
        let relation = sheet.attribute("id").and_then(|id| parts.get(id));
        let Some(relation) = relation.filter(|it| it.kind == "worksheet") else { continue };
        let Some(bytes) = archive.file(&relation.target)? else { continue };
        let mut grid = book_of.grid(&bytes, &mut budget)?;
        drop(bytes);
        grid.notes = notes(&mut archive, &relation.target)?;
        unknown += grid.formulas.blank;
        zeros.stored += grid.formulas.stored;
        zeros.zeros += grid.formulas.zeros;
        page.heading(1, &name);
        super::section(&mut page, 2, &mut grid);
        grid.lacks(&name).into_iter().for_each(|lack| page.leave_out(lack));
    }
    if sheets.elements().filter(|it| &*it.name == "sheet").nth(MOST_SHEETS).is_some() {
        page.leave_out(format!("all sheets after the first {MOST_SHEETS}"));
    }
    let mut metadata = BTreeMap::new();
    if unknown > 0 {
        metadata.insert("formulas without result".to_owned(), unknown.to_string());
    }
    // Some programs store 0 for each formula and leave it to the next one to compute.
    let is_to_compute = book.child("calcPr").and_then(|it| it.attribute("fullCalcOnLoad"));
    if zeros.stored > 1 && zeros.zeros == zeros.stored && is_to_compute.is_some_and(is_true) {
        let cells = super::counted(zeros.stored, "formula");
        page.paragraph(&format!(
            "The stored result of all {cells} of this file is 0, and the file asks for them to be computed anew: the zeros may be no \
             results. Open it in a spreadsheet program and save it there to have the results read."
        ));
        page.leave_out(format!("perhaps the results of {cells}, which are all stored as 0"));
        metadata.insert("formulas without result".to_owned(), zeros.stored.to_string());
    }
    if !hidden.is_empty() {
        let (s, verb) = if hidden.len() == 1 { ("", "is") } else { ("s", "are") };
        let names = hidden.join(", ");
        page.heading(1, &format!("Hidden sheet{s}"));
        page.paragraph(&format!("Hidden and left out here {verb} the sheet{s} {names}."));
        page.leave_out(format!("the hidden sheet{s} {names}"));
        metadata.insert("hidden sheets".to_owned(), names);
    }
    let core = top.values().find(|it| it.kind == "core-properties");
    let core = core.map_or("docProps/core.xml", |it| it.target.as_str()).to_owned();
    let title = match archive.file(&core)? {
        // Broken metadata does not make the workbook unreadable.
        Some(bytes) => parse_xml(&bytes, XLSX).ok().and_then(|core| stated(&core, &mut metadata)),
        None => None,
    };
    metadata.extend(page.left_out());
    Ok(Parsed { title, text: page.finish(), metadata, ..Parsed::default() })
}

/// Adds what the core properties state to the metadata and returns the title.
fn stated(core: &Element, metadata: &mut BTreeMap<String, String>) -> Option<String> {
    let said = |name: &str| core.child(name).map(|it| tidy(&it.text())).filter(|it| !it.is_empty());
    let mut add = |key: &str, value: Option<String>| {
        metadata.extend(value.map(|value| (key.to_owned(), value)));
    };
    add("author", said("creator"));
    add("subject", said("subject"));
    add("keywords", said("keywords"));
    add("created", said("created").and_then(|at| at.get(..10).map(str::to_owned)));
    said("title")
}

struct Relation {
    /// The last segment of its type, which strict and transitional files share.
    kind: String,
    target: String,
}

/// Returns the parts related to `from`, by their identifiers.
fn related(archive: &mut Archive, from: &str) -> Result<BTreeMap<String, Relation>, Fault> {
    let (folder, file) = from.rsplit_once('/').map_or(("", from), |(folder, file)| (folder, file));
    let slash = if folder.is_empty() { "" } else { "/" };
    let Some(bytes) = archive.file(&format!("{folder}{slash}_rels/{file}.rels"))? else {
        return Ok(BTreeMap::new());
    };
    let mut found = BTreeMap::new();
    for relation in parse_xml(&bytes, XLSX)?.elements() {
        let outside = relation.attribute("TargetMode") == Some("External");
        let kind = relation.attribute("Type").and_then(|kind| kind.rsplit('/').next());
        let id = relation.attribute("Id");
        if let (Some(id), Some(kind), Some(target), false) =
            (id, kind, relation.attribute("Target"), outside)
        {
            let target = resolved(from, target);
            found.insert(id.to_owned(), Relation { kind: kind.to_owned(), target });
        }
    }
    Ok(found)
}

fn is_true(value: &str) -> bool {
    matches!(value, "1" | "true" | "on")
}

/// Returns row, from 1, and column, from 0, of a reference such as `B12`.
fn place(reference: &str) -> Option<(usize, usize)> {
    let reference = reference.rsplit('!').next()?.trim_start_matches('$');
    let letters = reference.bytes().take_while(u8::is_ascii_alphabetic).count();
    let (name, row) = reference.split_at(letters);
    if !(1..=3).contains(&letters) {
        return None;
    }
    let column = name.bytes().fold(0_usize, |sum, letter| {
        sum * 26 + usize::from(letter.to_ascii_uppercase() - b'A') + 1
    });
    let row: usize = row.trim_start_matches('$').parse().ok()?;
    ((1..=LAST_ROW).contains(&row) && (1..=COLUMNS).contains(&column)).then(|| (row, column - 1))
}

fn damaged() -> Fault {
    Fault::Damaged { format: XLSX.to_owned() }
}

/// What cells refer to.
struct Book<'a> {
    strings: &'a [Box<str>],
    styles: &'a [Style],
    from_1904: bool,
}

/// A cell being read.
#[derive(Default)]
struct Open {
    row: usize,
    column: usize,
    kind: String,
    style: usize,
    value: String,
    face: Face,
    scripts: Scripts,
    has_formula: bool,
}

impl Open {
    /// Returns a cell without its value; `next` is its row and column if it does not state them.
    fn new(start: &BytesStart, next: (usize, usize)) -> Self {
        let mut open = Open { row: next.0, column: next.1, ..Open::default() };
        for attribute in start.attributes().with_checks(false).flatten() {
            let value: &str = &attribute.value;
            match attribute.key.local_name().as_ref() {
                "r" => (open.row, open.column) = place(value).unwrap_or(next),
                "t" => open.kind = value.to_owned(),
                "s" => open.style = value.parse().unwrap_or(0),
                _ => {}
            }
        }
        open
    }
}

impl Book<'_> {
    fn grid(&self, bytes: &[u8], budget: &mut Budget) -> Result<Grid, Fault> {
        let text = String::from_utf8_lossy(bytes);
        let mut reader = Reader::from_str(&text);
        let mut grid = Grid::default();
        let (mut row, mut column, mut is_hidden) = (0, 0, false);
        let mut hidden_columns: Vec<(usize, usize)> = Vec::new();
        let mut used_hidden: HashSet<usize> = HashSet::new();
        let mut open: Option<Open> = None;
        let (mut is_value, mut is_reading, mut row_counted) = (false, false, false);
        loop {
            let event = reader.read_event().map_err(|_| damaged())?;
            match &event {
                Event::Start(start) | Event::Empty(start) => {
                    let is_empty = matches!(event, Event::Empty(_));
                    if let Some(cell) = &mut open {
                        cell.face.follow(start);
                    }
                    match start.local_name().as_ref() {
                        "row" => {
                            row = attribute(start, "r")
                                .and_then(|r| r.parse().ok())
                                .unwrap_or(row + 1);
                            column = 0;
                            is_hidden = attribute(start, "hidden").is_some_and(|it| is_true(&it));
                            row_counted = false;
                            if is_hidden {
                                grid.hide(row, row);
                            }
                        }
                        "c" if !is_empty => {
                            let cell = Open::new(start, (row.max(1), column));
                            column = cell.column + 1;
                            open = Some(cell);
                        }
                        "c" => column += 1,
                        "f" => {
                            if let Some(cell) = &mut open {
                                cell.has_formula = true;
                            }
                        }
                        "v" | "t" if !is_empty => is_value = true,
                        "rPh" if !is_empty => is_reading = true,
                        "col" if attribute(start, "hidden").is_some_and(|it| is_true(&it)) => {
                            let ends = ["min", "max"].map(|name| {
                                attribute(start, name).and_then(|at| at.parse::<usize>().ok())
                            });
                            if let [Some(first), Some(last)] = ends
                                && hidden_columns.len() < MOST_AREAS
                            {
                                hidden_columns
                                    .push((first.saturating_sub(1), last.saturating_sub(1)));
                            }
                        }
                        "mergeCell" if grid.merges.len() < MOST_AREAS => {
                            grid.merges.extend(attribute(start, "ref").and_then(|it| area(&it)));
                        }
                        _ => {}
                    }
                }
                Event::End(end) => match end.local_name().as_ref() {
                    "c" => {
                        if let Some(cell) = &mut open {
                            cell.scripts.set(Script::Line, &mut cell.value);
                            // A text may be blank.
                            let result = cell.value.trim();
                            let is_known = !result.is_empty() || cell.kind == "str";
                            if cell.has_formula && !is_hidden {
                                let result = is_known.then_some(result);
                                grid.formulas.add(cell.row, cell.column, result);
                            }
                        }
                        let Some(cell) = open.take().filter(|cell| !cell.value.trim().is_empty())
                        else {
                            continue;
                        };
                        let is_in = |(first, last): &(usize, usize)| {
                            (*first..=*last).contains(&cell.column)
                        };
                        if is_hidden {
                            grid.hidden_rows += usize::from(!row_counted);
                            row_counted = true;
                        } else if hidden_columns.iter().take(100).any(is_in) {
                            used_hidden.insert(cell.column);
                        } else if (1..=LAST_ROW).contains(&cell.row) && cell.column < COLUMNS {
                            self.add(&cell, &mut grid, budget);
                        }
                    }
                    "v" | "t" => is_value = false,
                    "rPh" => is_reading = false,
                    _ => {}
                },
                Event::Eof => break,
                event if is_value && !is_reading => {
                    if let Some(cell) = &mut open {
                        cell.face.say(event, &mut cell.value, &mut cell.scripts);
                    }
                }
                _ => {}
            }
        }
        grid.hidden_columns = used_hidden.len();
        grid.sort();
        Ok(grid)
    }

    fn add(&self, cell: &Open, grid: &mut Grid, budget: &mut Budget) {
        let (row, column, value) = (cell.row, cell.column, cell.value.trim());
        let style = self.styles.get(cell.style);
        let is_struck = style.is_some_and(|style| style.is_struck);
        let mut put = |text: &str, kind: Kind| {
            let text = if is_struck { Cow::Owned(struck(text)) } else { Cow::Borrowed(text) };
            grid.add(row, column, &text, kind, budget);
        };
        match cell.kind.as_str() {
            "s" => {
                let text = value.parse().ok().and_then(|index: usize| self.strings.get(index));
                put(text.map_or("", |text| text), Kind::Text);
            }
            "str" | "inlineStr" => put(&unescaped(&cell.value), Kind::Text),
            "b" => put(if is_true(value) { "TRUE" } else { "FALSE" }, Kind::Flag),
            "e" => put(value, Kind::Error),
            "d" => put(&value.replacen('T', " ", 1), Kind::Date),
            _ => match value.parse::<f64>() {
                Ok(number) => {
                    let code = style.map_or("General", |style| &style.format);
                    let (text, kind) = number::shown(number, code, self.from_1904);
                    // A number may have more digits than a spreadsheet computes with: those of an account.
                    let is_whole = |it: &str| {
                        let digits = it.trim_start_matches('-');
                        digits.len() > 15 && digits.bytes().all(|byte| byte.is_ascii_digit())
                    };
                    let is_longer = text.len() == value.len() && is_whole(&text) && is_whole(value);
                    put(if is_longer { value } else { &text }, kind);
                }
                Err(_) => put(value, Kind::Text),
            },
        }
    }
}

fn area(reference: &str) -> Option<Area> {
    let (first, last) = reference.split_once(':')?;
    let (first, last) = (place(first)?, place(last)?);
    Some(Area {
        rows: (first.0.min(last.0), first.0.max(last.0)),
        columns: (first.1.min(last.1), first.1.max(last.1)),
    })
}
