//! Data as Excel: the first sheet, whose first row with any content is the header.
//!
//! A sheet called `codebook` describes the columns, like a codebook next to a CSV. A column of booleans becomes 1 and
//! 0, labelled Yes and No; dates become ISO 8601 texts. Cells with an error (`#N/A`) are no answer, and a note counts
//! them. Empty rows are not respondents.

use std::borrow::Cow;
use std::collections::{BTreeSet, HashSet};
use std::io::{BufReader, Cursor, Read};
use std::panic::{AssertUnwindSafe, catch_unwind};

use calamine::{DataRef, ExcelDateTime, Reader, Xlsx, XlsxError};
use quick_xml::events::Event;

use super::ReadError;
use super::cells::{Numbers, Texts, is_nothing, parse_number};
use super::codebook::{self, Entry, Line};
use super::error::check_cells;
use super::raw::{Raw, Told};
use crate::study::{Code, Format, Value};

type Workbook<'a> = Xlsx<Cursor<&'a [u8]>>;

/// The most columns of a codebook's sheet; nine are known.
const CODEBOOK_COLUMNS: u32 = 100;
/// The most bytes of a cell's text: Excel allows 32,767 characters.
const LONGEST_CELL: usize = 4 * 32_767;

/// Reads data. The columns in `as_texts` are never taken for numbers.
///
/// If the library that reads the sheet panics, the panic becomes an error about the file.
pub(super) fn read(file: &str, bytes: &[u8], as_texts: &HashSet<String>) -> Result<Raw, ReadError> {
    let read = catch_unwind(AssertUnwindSafe(|| sheet(file, bytes, as_texts)));
    read.unwrap_or_else(|_| Err(ReadError::damaged(file, "its sheets contradict each other")))
}

/// Reads the codebook in a file: the sheet of that name, or nothing if there is none.
pub(super) fn codebook(file: &str, bytes: &[u8]) -> Result<Vec<Entry>, ReadError> {
    let read = catch_unwind(AssertUnwindSafe(|| {
        let mut workbook = open(file, bytes)?;
        let Some(name) = named(&workbook, true) else { return Ok(Vec::new()) };
        let mut lines: Vec<Line> = Vec::new();
        each(file, &mut workbook, &name, |row, column, cell| {
            let row = row as usize + 1;
            if column >= CODEBOOK_COLUMNS {
                let problem = format!("a cell is in column {}", column + 1);
                let remedy = "a codebook has fewer columns; remove the others";
                return Err(ReadError::setting(
                    file,
                    format!("sheet {name}, row {row}"),
                    problem,
                    remedy,
                ));
            }
            if lines.last().is_none_or(|(last, _)| *last != row) {
                lines.push((row, Vec::new()));
            }
            if let Some((_, cells)) = lines.last_mut() {
                cells.resize(cells.len().max(column as usize + 1), String::new());
                if let Some(place) = cells.get_mut(column as usize) {
                    *place = format_cell(cell).into_owned();
                }
            }
            Ok(())
        })?;
        codebook::read_entries(file, &lines)
    }));
    read.unwrap_or_else(|_| Err(ReadError::damaged(file, "its sheets contradict each other")))
}

/// Opens a workbook whose files together expand to no more than a spreadsheet can honestly hold.
fn open<'a>(file: &str, bytes: &'a [u8]) -> Result<Workbook<'a>, ReadError> {
    let damaged = |error: &dyn std::fmt::Display| ReadError::damaged(file, error.to_string());
    let mut archive = zip::ZipArchive::new(Cursor::new(bytes)).map_err(|error| damaged(&error))?;
    let limit = (64 << 20) + 200 * bytes.len() as u64;
    let mut left = limit;
    for place in 0..archive.len() {
        let entry = archive.by_index(place).map_err(|error| damaged(&error))?;
        let read = std::io::copy(&mut entry.take(left + 1), &mut std::io::sink());
        let read = read.map_err(|error| damaged(&error))?;
        left = left.checked_sub(read).ok_or_else(|| ReadError::TooLarge {
            file: file.to_owned(),
            what: "bytes",
            limit,
            bytes: bytes.len() as u64,
        })?;
        let entry = archive.by_index(place).map_err(|error| damaged(&error))?;
        if entry.name().to_lowercase().ends_with("sharedstrings.xml") {
            check_strings(file, entry, read)?;
        }
    }
    Xlsx::new(Cursor::new(bytes)).map_err(|error| damaged(&error))
}

/// Fails if a table of texts claims to hold more than its bytes can: room for all would be allocated at once.
fn check_strings(file: &str, table: impl Read, bytes: u64) -> Result<(), ReadError> {
    let mut xml = quick_xml::Reader::from_reader(BufReader::new(table));
    let mut buffer = Vec::new();
    loop {
        buffer.clear();
        match xml.read_event_into(&mut buffer) {
            Ok(Event::Start(start) | Event::Empty(start))
                if start.local_name().as_ref() == "sst" =>
            {
                let mut attributes = start.attributes();
                let attributes = attributes.with_checks(false).flatten();
                for count in attributes.filter(|one| one.key.as_ref() == "uniqueCount") {
                    // A count that is no number allocates nothing.
                    let count: u64 = count.value.trim().parse().unwrap_or(0);
                    // The shortest text is `<si/>`.
                    if count > bytes / 5 {
                        let problem = format!("its table of texts says that it contains {count}");
                        return Err(ReadError::damaged(file, problem));
                    }
                }
                return Ok(());
            }
            Ok(Event::Eof) => return Ok(()),
            Ok(_) => {}
            Err(error) => return Err(ReadError::damaged(file, error.to_string())),
        }
    }
}

/// Returns the name of the codebook's sheet, or of the first other one.
fn named(workbook: &Workbook<'_>, codebook: bool) -> Option<String> {
    let mut names = workbook.sheet_names().into_iter();
    names.find(|name| name.trim().eq_ignore_ascii_case("codebook") == codebook)
}

/// Passes the non-empty cells of a sheet to `take`, row by row.
fn each(
    file: &str,
    workbook: &mut Workbook<'_>,
    sheet: &str,
    mut take: impl FnMut(u32, u32, &DataRef<'_>) -> Result<(), ReadError>,
) -> Result<(), ReadError> {
    let failed = |error: XlsxError| ReadError::damaged(file, error.to_string());
    let mut cells = workbook.worksheet_cells_reader(sheet).map_err(failed)?;
    let mut last = 0;
    while let Some(cell) = cells.next_cell().map_err(failed)? {
        let (row, column) = cell.get_position();
        if row < last {
            return Err(ReadError::damaged(
                file,
                format!("row {} comes after row {last}", row + 1),
            ));
        }
        // Excel has no more; room for a cell beyond would be wasted.
        if column >= 16_384 || row >= 1_048_576 {
            return Err(ReadError::damaged(
                file,
                format!("a cell is in column {column} of row {row}"),
            ));
        }
        last = row;
        let text = format_cell(cell.get_value());
        if text.len() > LONGEST_CELL {
            return Err(ReadError::damaged(
                file,
                format!(
                    "the cell in column {} of row {} has {} bytes; the limit in Excel is {LONGEST_CELL}",
                    column + 1,
                    row + 1,
                    text.len()
                ),
            ));
        }
        if !text.is_empty() {
            take(row, column, cell.get_value())?;
        }
    }
    Ok(())
}

/// A column that is being filled.
#[derive(Default)]
struct Cells {
    numbers: Numbers,
    texts: Texts,
    has_texts: bool,
    dates: usize,
    truths: usize,
    filled: usize,
}

fn sheet(file: &str, bytes: &[u8], as_texts: &HashSet<String>) -> Result<Raw, ReadError> {
    let mut workbook = open(file, bytes)?;
    let name = named(&workbook, false)
        .ok_or_else(|| ReadError::damaged(file, "it has no sheet besides the codebook"))?;
    let mut raw = Raw::new(file, Format::Xlsx);
    let mut header: Option<u32> = None;
    let mut names: Vec<String> = Vec::new();
    each(file, &mut workbook, &name, |row, column, cell| {
        if *header.get_or_insert(row) == row {
            names.resize(names.len().max(column as usize + 1), String::new());
            if let Some(name) = names.get_mut(column as usize) {
                *name = format_cell(cell).into_owned();
            }
        }
        Ok(())
    })?;
    let Some(header) = header else { return Err(ReadError::Empty { file: file.to_owned() }) };
    let names = super::csv::unique(names, &mut raw.notes);
    let mut columns: Vec<Cells> = names
        .iter()
        .map(|name| Cells { has_texts: as_texts.contains(name), ..Cells::default() })
        .collect();
    let (mut rows, mut errors, mut beside) = (0_usize, 0_usize, 0_usize);
    // The contents of a column are known only at its end, so texts are taken in a second pass.
    for second in [false, true] {
        if second && !columns.iter().any(|column| column.has_texts) {
            break;
        }
        let mut last = header;
        rows = 0;
        each(file, &mut workbook, &name, |row, column, cell| {
            if row == header {
                return Ok(());
            }
            if row != last {
                last = row;
                rows += 1;
                check_cells(file, rows, columns.len(), bytes.len())?;
            }
            let Some(cells) = columns.get_mut(column as usize) else {
                beside += usize::from(!second);
                return Ok(());
            };
            if second {
                cells.text(rows, cell);
            } else {
                errors += usize::from(matches!(cell, DataRef::Error(_)));
                cells.number(rows, cell);
            }
            Ok(())
        })?;
    }
    check_cells(file, rows, columns.len(), bytes.len())?;
    raw.respondents = rows;
    for (name, mut cells) in names.into_iter().zip(columns) {
        cells.numbers.fill(rows);
        cells.texts.fill(rows);
        let truths = cells.truths > 0 && cells.truths == cells.filled;
        let moment = cells.dates > 0 && cells.dates == cells.filled;
        let data = if cells.has_texts { cells.texts.finish() } else { cells.numbers.finish() };
        let mut column = super::csv::column(name, data);
        if truths && !cells.has_texts {
            let code = |number: f64, label: &str| Code {
                value: Value::Number(number),
                label: label.to_owned(),
            };
            column.codes = vec![code(1.0, "Yes"), code(0.0, "No")];
        }
        if moment {
            column.format = "ISO 8601".to_owned();
        }
        raw.add(column, Told { moment, ..Told::default() });
    }
    let unanswered = raw.columns.iter().any(|column| column.data.is_blank());
    for name in if unanswered { uncomputed(file, &mut workbook, &name, &raw)? } else { vec![] } {
        raw.notes.push(format!(
            "{name} contains formulas without results; open {file} in Excel and save it"
        ));
    }
    if errors > 0 {
        raw.notes.push(format!("cells with an error of Excel, which count as no answer: {errors}"));
    }
    if beside > 0 {
        raw.notes.push(format!("cells to the right of the header, which were left out: {beside}"));
    }
    Ok(raw)
}

/// Returns the columns that hold only formulas whose results were never stored.
fn uncomputed(
    file: &str,
    workbook: &mut Workbook<'_>,
    sheet: &str,
    raw: &Raw,
) -> Result<Vec<String>, ReadError> {
    let failed = |error: XlsxError| ReadError::damaged(file, error.to_string());
    let mut cells = workbook.worksheet_cells_reader(sheet).map_err(failed)?;
    let mut found: BTreeSet<u32> = BTreeSet::new();
    while let Some(cell) = cells.next_formula().map_err(failed)? {
        if !cell.get_value().is_empty() {
            found.insert(cell.get_position().1);
        }
    }
    let columns = found.into_iter().filter_map(|column| raw.columns.get(column as usize));
    let blank = columns.filter(|column| column.data.is_blank());
    Ok(blank.map(|column| column.name.clone()).collect())
}

impl Cells {
    fn number(&mut self, rows: usize, cell: &DataRef<'_>) {
        self.filled += usize::from(!matches!(cell, DataRef::Error(_)));
        let number = match cell {
            DataRef::Int(number) => *number as f64,
            DataRef::Float(number) => *number,
            DataRef::Bool(truth) => {
                self.truths += 1;
                f64::from(u8::from(*truth))
            }
            DataRef::Error(_) | DataRef::Empty => f64::NAN,
            DataRef::DateTime(_) | DataRef::DateTimeIso(_) | DataRef::DurationIso(_) => {
                self.dates += 1;
                self.has_texts = true;
                return;
            }
            DataRef::String(_) | DataRef::SharedString(_) => {
                let text = format_cell(cell);
                match parse_number(&text, false) {
                    Some(number) => number,
                    None if is_nothing(&text) => f64::NAN,
                    None => {
                        self.has_texts = true;
                        return;
                    }
                }
            }
        };
        if self.numbers.len() < rows {
            self.numbers.fill(rows - 1);
            self.numbers.push(number);
        }
    }

    fn text(&mut self, rows: usize, cell: &DataRef<'_>) {
        if self.has_texts && self.texts.len() < rows {
            self.texts.fill(rows - 1);
            let text = if matches!(cell, DataRef::Error(_)) {
                Cow::Borrowed("")
            } else {
                format_cell(cell)
            };
            self.texts.push(&text);
        }
    }
}

/// Returns a cell as a person would write it.
fn format_cell<'a>(cell: &'a DataRef<'_>) -> Cow<'a, str> {
    Cow::Owned(match cell {
        DataRef::String(text) => return Cow::Borrowed(text.trim()),
        DataRef::SharedString(text) => return Cow::Borrowed(text.trim()),
        DataRef::DateTimeIso(text) | DataRef::DurationIso(text) => return Cow::Borrowed(text),
        DataRef::Bool(truth) => return Cow::Borrowed(if *truth { "Yes" } else { "No" }),
        DataRef::Empty => return Cow::Borrowed(""),
        DataRef::Int(number) => number.to_string(),
        DataRef::Float(number) => number.to_string(),
        DataRef::DateTime(moment) => date(moment),
        DataRef::Error(error) => error.to_string(),
    })
}

fn date(moment: &ExcelDateTime) -> String {
    if moment.is_duration() {
        let seconds = (moment.as_f64() * 86_400.0).round() as i64;
        return format!("{:02}:{:02}:{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60);
    }
    let (year, month, day, hour, minute, second, _) = moment.to_ymd_hms_milli();
    let date = format!("{year:04}-{month:02}-{day:02}");
    if moment.as_f64().fract() == 0.0 {
        return date;
    }
    format!("{date} {hour:02}:{minute:02}:{second:02}")
}
