//! An ODS becomes Markdown: each visible sheet is a section with its tables and notes.
//!
//! Cells say what the program shows, except that dates are ISO dates. Repeated cells and rows are counted, not unfolded, unless they
//! hold something.

mod styles;

use std::collections::{BTreeMap, HashSet};

use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};

use super::grid::{Area, Budget, Grid, Kind, Note};
use super::stream::{attribute, say};
use crate::archive::Archive;
use crate::struck::{is_struck, struck};
use crate::writer::tidy;
use crate::xml::parse as parse_xml;
use crate::{Bounds, Fault, Parsed, Script, Scripts, Writer};
use styles::Styles;

const ODS: &str = "ODS";
/// A sheet ends at this row.
const LAST_ROW: usize = 1_048_576;
/// A sheet ends before this column.
const COLUMNS: usize = 16_384;
/// The most rows or columns with the same content that are unfolded.
const MOST_REPEATED: usize = 1_000;
/// The most merged areas, hidden columns and notes that are kept of a sheet.
const MOST_AREAS: usize = 50_000;

/// Returns what an ODS says.
pub(crate) fn parse(bytes: &[u8], bounds: &Bounds) -> Result<Parsed, Fault> {
    let mut archive = Archive::open(bytes, ODS, bounds)?;
    if let Some(manifest) = archive.file("META-INF/manifest.xml")?
        && manifest.windows(15).any(|window| window == b"encryption-data")
    {
        return Err(Fault::Encrypted { format: ODS.to_owned() });
    }
    let mut metadata = BTreeMap::new();
    let mut title = None;
    if let Some(meta) = archive.file("meta.xml")?
        && let Ok(meta) = parse_xml(&meta, ODS)
        && let Some(meta) = meta.child("meta")
    {
        let said =
            |name: &str| meta.child(name).map(|it| tidy(&it.text())).filter(|it| !it.is_empty());
        title = said("title");
        let mut add = |key: &str, value: Option<String>| {
            metadata.extend(value.map(|value| (key.to_owned(), value)));
        };
        add("author", said("initial-creator").or_else(|| said("creator")));
        add("subject", said("subject"));
        add("keywords", said("keyword"));
        add("created", said("creation-date").and_then(|at| at.get(..10).map(str::to_owned)));
    }
    let mut reading = Reading { budget: Some(Budget::new(bounds)), ..Reading::default() };
    if let Some(styles) = archive.file("styles.xml")? {
        reading.styles = named_styles(&styles);
    }
    let content = archive.needed("content.xml")?;
    drop(archive);
    let text = String::from_utf8_lossy(&content);
    let mut page = Writer::new(bounds.text_bytes);
    let mut reader = Reader::from_str(&text);
    loop {
        match reader.read_event().map_err(|_| damaged())? {
            Event::Start(start) if reading.is_skipped(&start) => {
                reader.read_to_end(start.name()).map_err(|_| damaged())?;
            }
            Event::Start(start) => reading.open(&start),
            Event::Empty(start) => {
                reading.open(&start);
                reading.close(start.local_name().as_ref(), &mut page);
            }
            Event::End(end) => reading.close(end.local_name().as_ref(), &mut page),
            Event::Eof => break,
            event => reading.say(&event),
        }
    }
    if reading.is_open {
        return Err(damaged());
    }
    if reading.unknown > 0 {
        metadata.insert("formulas without result".to_owned(), reading.unknown.to_string());
    }
    if !reading.hidden_sheets.is_empty() {
        let (s, verb) = if reading.hidden_sheets.len() == 1 { ("", "is") } else { ("s", "are") };
        let names = reading.hidden_sheets.join(", ");
        page.heading(1, &format!("Hidden sheet{s}"));
        page.paragraph(&format!("Hidden and left out here {verb} the sheet{s} {names}."));
        page.leave_out(format!("the hidden sheet{s} {names}"));
        metadata.insert("hidden sheets".to_owned(), names);
    }
    metadata.extend(page.left_out());
    Ok(Parsed { title, text: page.finish(), metadata, ..Parsed::default() })
}

fn damaged() -> Fault {
    Fault::Damaged { format: ODS.to_owned() }
}

/// Returns the styles that users name, as far as they can be read.
fn named_styles(part: &[u8]) -> Styles {
    let text = String::from_utf8_lossy(part);
    let mut reader = Reader::from_str(&text);
    let mut styles = Styles::default();
    loop {
        match reader.read_event() {
            Ok(Event::Start(start) | Event::Empty(start)) => styles.follow(&start),
            Ok(Event::Eof) | Err(_) => return styles,
            Ok(_) => {}
        }
    }
}

fn count(start: &BytesStart, name: &str) -> usize {
    attribute(start, name).and_then(|count| count.parse().ok()).unwrap_or(1).max(1)
}

/// A cell being read.
#[derive(Default)]
struct Open {
    repeated: usize,
    text: String,
    kind: String,
    value: String,
    scripts: Scripts,
    is_struck: bool,
    has_formula: bool,
}

/// What has been read of the current sheet.
#[derive(Default)]
struct Reading {
    budget: Option<Budget>,
    styles: Styles,
    /// Where the open spans stand, and whether they are struck through, the innermost last.
    spans: Vec<(Script, bool)>,
    hidden_sheets: Vec<String>,
    /// How many formulas of all sheets so far have no stored result.
    unknown: usize,
    is_open: bool,
    name: String,
    is_hidden_sheet: bool,
    /// Whether the sheet is what the program keeps of another file, for formulas that name it.
    is_cache: bool,
    grid: Grid,
    /// The row being read, from 1, and how often it is repeated.
    row: usize,
    rows_repeated: usize,
    is_hidden_row: bool,
    cells: Vec<(usize, usize, String, Kind)>,
    column: usize,
    /// The column after the last that was declared.
    declared: usize,
    /// The columns whose cells are struck through unless they have a style, first and last.
    struck_columns: Vec<(usize, usize)>,
    hidden_columns: Vec<(usize, usize)>,
    used_hidden: HashSet<usize>,
    cell: Option<Open>,
    note: Option<String>,
    /// The description of a picture, while it is read.
    description: Option<String>,
    /// How many paragraphs are open.
    paragraphs: usize,
}

impl Reading {
    /// Returns whether an element holds nothing that is shown: deleted cells, the readings of characters, who wrote a note and when.
    fn is_skipped(&self, start: &BytesStart) -> bool {
        match start.local_name().as_ref() {
            "tracked-changes" => true,
            "ruby-text" | "creator" | "date" => self.is_open,
            _ => false,
        }
    }

    fn open(&mut self, start: &BytesStart) {
        self.styles.follow(start);
        match start.local_name().as_ref() {
            "span" => {
                let style = attribute(start, "style-name").unwrap_or_default();
                let (script, is_struck) = self.face();
                self.spans.push((
                    self.styles.script(&style).unwrap_or(script),
                    self.styles.struck(&style).unwrap_or(is_struck),
                ));
            }
            "table" if !self.is_open => {
                let name = tidy(&attribute(start, "name").unwrap_or_default());
                let style = attribute(start, "style-name").unwrap_or_default();
                self.is_hidden_sheet = self.styles.hides(&style);
                *self = Reading {
                    budget: self.budget.take(),
                    styles: std::mem::take(&mut self.styles),
                    hidden_sheets: std::mem::take(&mut self.hidden_sheets),
                    unknown: self.unknown,
                    is_hidden_sheet: self.is_hidden_sheet,
                    is_open: true,
                    name,
                    row: 1,
                    ..Reading::default()
                };
            }
            // The name of such a sheet holds the path of the file: `'file:///a.ods'#$Sheet1`.
            "table-source" => self.is_cache |= self.is_open && self.name.contains("'#"),
            "table-column" => {
                let repeated = count(start, "number-columns-repeated");
                let until = self.declared.saturating_add(repeated);
                if is_collapsed(start) && self.hidden_columns.len() < MOST_AREAS {
                    self.hidden_columns.push((self.declared, until.saturating_sub(1)));
                }
                let default = attribute(start, "default-cell-style-name").unwrap_or_default();
                if self.styles.struck(&default) == Some(true)
                    && self.struck_columns.len() < MOST_AREAS
                {
                    self.struck_columns.push((self.declared, until.saturating_sub(1)));
                }
                self.declared = until;
            }
            "table-row" => {
                self.rows_repeated = count(start, "number-rows-repeated");
                self.is_hidden_row = is_collapsed(start);
                self.column = 0;
                self.cells.clear();
            }
            "table-cell" | "covered-table-cell" => {
                let value = ["date-value", "value", "boolean-value", "time-value", "string-value"];
                let rows = count(start, "number-rows-spanned");
                let columns = count(start, "number-columns-spanned");
                if (rows > 1 || columns > 1) && self.grid.merges.len() < MOST_AREAS {
                    self.grid.merges.push(Area {
                        rows: (self.row, self.row.saturating_add(rows - 1)),
                        columns: (self.column, self.column.saturating_add(columns - 1)),
                    });
                }
                let is_in =
                    |(first, last): &(usize, usize)| (*first..=*last).contains(&self.column);
                let is_struck = match attribute(start, "style-name") {
                    Some(style) => self.styles.struck(&style).unwrap_or(false),
                    None => self.struck_columns.iter().take(100).any(is_in),
                };
                self.cell = Some(Open {
                    repeated: count(start, "number-columns-repeated"),
                    text: String::new(),
                    kind: attribute(start, "value-type").unwrap_or_default(),
                    value: value.iter().find_map(|name| attribute(start, name)).unwrap_or_default(),
                    scripts: Scripts::default(),
                    is_struck,
                    has_formula: attribute(start, "formula").is_some(),
                });
            }
            "annotation" | "frame" | "custom-shape" if self.note.is_none() => {
                self.note = Some(String::new());
            }
            "desc" | "title" if self.note.is_some() => self.description = Some(String::new()),
            "p" | "h" => {
                self.paragraphs += 1;
                self.push(" ");
            }
            "s" | "tab" | "line-break" => self.push(" "),
            _ => {}
        }
    }

    /// Returns where the text stands that comes next, and whether it is struck through.
    fn face(&self) -> (Script, bool) {
        let of_cell = || (Script::Line, self.cell.as_ref().is_some_and(|cell| cell.is_struck));
        self.spans.last().copied().unwrap_or_else(of_cell)
    }

    fn push(&mut self, text: &str) {
        let (script, is_struck) = self.face();
        match (&mut self.note, &mut self.cell) {
            (Some(note), _) => note.push_str(text),
            (None, Some(cell)) => {
                cell.scripts.set(script, &mut cell.text);
                let start = cell.text.len();
                cell.text.push_str(text);
                if is_struck {
                    cell.scripts.strike(&mut cell.text, start);
                }
            }
            (None, None) => {}
        }
    }

    fn say(&mut self, event: &Event) {
        if self.paragraphs == 0 && self.description.is_none() {
            return;
        }
        let mut text = String::new();
        say(event, &mut text);
        if let Some(description) = &mut self.description {
            return description.push_str(&text);
        }
        self.push(&text);
    }

    fn close(&mut self, name: &str, page: &mut Writer) {
        match name {
            "p" | "h" => self.paragraphs = self.paragraphs.saturating_sub(1),
            "annotation" => {
                let text = self.note.take();
                self.add_note("Note on", text);
            }
            "frame" | "custom-shape" => {
                let text = self.note.take();
                self.add_note("Text at", text);
            }
            "desc" | "title" => {
                let text = self.description.take();
                self.add_note("Picture at", text);
            }
            "span" => drop(self.spans.pop()),
            "table-cell" | "covered-table-cell" => self.close_cell(),
            "table-row" => self.close_row(),
            "table" if self.is_open => {
                self.is_open = false;
                self.grid.hidden_columns = self.used_hidden.len();
                if self.is_cache {
                    self.grid = Grid::default();
                } else if self.is_hidden_sheet {
                    self.hidden_sheets.push(std::mem::take(&mut self.name));
                } else {
                    page.heading(1, &self.name);
                    super::section(page, 2, &mut self.grid);
                    self.grid.lacks(&self.name).into_iter().for_each(|lack| page.leave_out(lack));
                    self.unknown += self.grid.formulas.blank;
                }
            }
            _ => {}
        }
    }

    fn add_note(&mut self, label: &'static str, text: Option<String>) {
        let Some(text) = text.filter(|text| !text.trim().is_empty()) else { return };
        if self.is_open && self.grid.notes.len() < MOST_AREAS {
            self.grid.notes.push(Note { label, row: self.row.max(1), column: self.column, text });
        }
    }

    fn close_cell(&mut self) {
        let Some(mut cell) = self.cell.take() else { return };
        cell.scripts.set(Script::Line, &mut cell.text);
        self.spans.clear();
        let shown = tidy(&cell.text);
        if cell.has_formula && !self.is_hidden_row {
            let is_known = !shown.is_empty() || !cell.value.is_empty() || cell.kind == "string";
            self.grid.formulas.add(self.row, self.column, is_known.then_some(&*cell.value));
        }
        let (text, kind) = match cell.kind.as_str() {
            _ if shown.starts_with('#') || shown.starts_with("Err:") => (shown, Kind::Error),
            "float" | "percentage" | "currency" => {
                let number = cell.value.parse().unwrap_or(0.0);
                (if shown.is_empty() { cell.value } else { shown }, Kind::Number(number))
            }
            "date" => (date(&cell.value), Kind::Date),
            "boolean" => {
                (if shown.is_empty() { cell.value.to_uppercase() } else { shown }, Kind::Flag)
            }
            "time" => (if shown.is_empty() { cell.value } else { shown }, Kind::Date),
            _ => (if shown.is_empty() { cell.value } else { shown }, Kind::Text),
        };
        // Not all that a cell says comes from its text.
        let text = if cell.is_struck && !is_struck(&text) { struck(&text) } else { text };
        if !text.is_empty() {
            for column in self.column..self.column.saturating_add(cell.repeated.min(MOST_REPEATED))
            {
                let is_in = |(first, last): &(usize, usize)| (*first..=*last).contains(&column);
                if self.hidden_columns.iter().take(100).any(is_in) {
                    self.used_hidden.insert(column);
                } else if column < COLUMNS {
                    self.cells.push((self.row, column, text.clone(), kind));
                }
            }
        }
        self.column = self.column.saturating_add(cell.repeated);
    }

    fn close_row(&mut self) {
        let has_cells = !self.cells.is_empty();
        if self.is_hidden_row {
            let last = self.row.saturating_add(self.rows_repeated.max(1) - 1);
            self.grid.hide(self.row, last);
            self.grid.hidden_rows += usize::from(has_cells) * self.rows_repeated.min(LAST_ROW);
        } else if has_cells && self.budget.as_ref().is_some_and(Budget::is_spent) {
            self.grid.unread_rows += self.rows_repeated.clamp(1, LAST_ROW);
        } else if has_cells && !self.is_hidden_sheet && !self.is_cache {
            for row in self.row..self.row.saturating_add(self.rows_repeated.min(MOST_REPEATED)) {
                for (_, column, text, kind) in &self.cells {
                    if let Some(budget) = &mut self.budget
                        && row <= LAST_ROW
                    {
                        self.grid.add(row, *column, text, *kind, budget);
                    }
                }
            }
        }
        self.cells.clear();
        self.row = self.row.saturating_add(self.rows_repeated.max(1));
        self.rows_repeated = 0;
    }
}

fn is_collapsed(start: &BytesStart) -> bool {
    matches!(attribute(start, "visibility").as_deref(), Some("collapse" | "filter"))
}

/// Returns an ISO date without a time of midnight.
fn date(value: &str) -> String {
    let value = value.replacen('T', " ", 1);
    let value = value.split('.').next().unwrap_or_default();
    value.strip_suffix(" 00:00:00").unwrap_or(value).to_owned()
}
