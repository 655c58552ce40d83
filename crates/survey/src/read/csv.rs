//! Data as CSV: a header, then one line per respondent.
//!
//! The separator is the one of `,` `;` tab and `|` that divides the header and most lines alike. If it is not the
//! comma, numbers may have a decimal comma. A column is numeric if every cell is a number or stands for nothing (`NA`,
//! `NaN`, `NULL`, `.`); otherwise it is text. Lines with fewer cells than the header end in missing values. Lines with
//! more are left out, because it is unclear which cell is extra. A note reports both.

use std::collections::{HashMap, HashSet};

use ::csv::{ByteRecord, ReaderBuilder};

use super::ReadError;
use super::cells::{Numbers, Texts, is_nothing, parse_number};
use super::codebook::Line;
use super::error::check_cells;
use super::raw::{Raw, Told};
use crate::study::{Column, Data, Format};

/// Reads data. The columns in `as_texts` are never taken for numbers.
pub(super) fn read(file: &str, bytes: &[u8], as_texts: &HashSet<String>) -> Result<Raw, ReadError> {
    let (text, note) = super::text::decode(file, bytes, None)?;
    let (text, said) = body(&text);
    let separator = said.unwrap_or_else(|| separator(text));
    let mut raw = Raw::new(file, Format::Csv);
    raw.notes.extend(note);
    let mut lines = open_reader(text, separator);
    let mut record = ByteRecord::new();
    let damaged = |error: ::csv::Error| ReadError::damaged(file, error.to_string());
    if !lines.read_byte_record(&mut record).map_err(damaged)? {
        return Err(ReadError::Empty { file: file.to_owned() });
    }
    let names = read_names(&record, &mut raw.notes);
    let width = names.len();
    let mut numbers: Vec<Option<Numbers>> =
        names.iter().map(|name| (!as_texts.contains(name)).then(Numbers::default)).collect();
    let comma = separator != b',';
    let mut threes: Vec<Threes> = names.iter().map(|_| Threes::default()).collect();
    let (mut rows, mut short, mut long) = (0_usize, Odd::default(), Odd::default());
    // Counts records, because one line holds several of them if only carriage returns end them.
    let mut left_out: HashSet<u64> = HashSet::new();
    let mut last = (0, 0);
    while lines.read_byte_record(&mut record).map_err(damaged)? {
        let line = record.position().map_or(0, ::csv::Position::line);
        last = (line, lines.position().line());
        swallowed(file, &record, separator, width, last)?;
        if record.len() > width && record.iter().skip(width).any(|cell| !cell.is_empty()) {
            long.note(line);
            left_out.extend(record.position().map(::csv::Position::record));
            continue;
        }
        if record.len() < width {
            short.note(line);
        }
        rows += 1;
        if rows.is_multiple_of(1024) {
            check_cells(file, rows, width, bytes.len())?;
        }
        for ((column, cell), threes) in numbers.iter_mut().zip(record.iter()).zip(&mut threes) {
            let Some(kept) = column else { continue };
            // Cells that short lines lack are filled only now: a file cannot make us write more than it holds.
            kept.fill(rows - 1);
            if let [digit @ b'0'..=b'9'] = cell {
                kept.push_digit(digit - b'0');
                continue;
            }
            let cell = std::str::from_utf8(cell).unwrap_or_default().trim();
            match parse_number(cell, comma) {
                Some(number) => {
                    kept.push(number);
                    if comma {
                        threes.note(cell);
                    }
                }
                None if is_nothing(cell) => kept.push(f64::NAN),
                None => *column = None,
            }
        }
    }
    unclosed(file, text, last)?;
    check_cells(file, rows, width, bytes.len())?;
    if rows == 0 && long.lines > 0 {
        let problem = format!(
            "every line has more cells than the header when split at {}",
            called(separator)
        );
        return Err(ReadError::damaged(file, problem));
    }
    let wanted: Vec<bool> = numbers.iter().map(Option::is_none).collect();
    let mut texts = read_texts(text, separator, &wanted, &left_out).map_err(damaged)?;
    let suspects = names.iter().zip(&numbers).zip(&threes);
    let suspects = suspects.filter(|((_, kept), threes)| kept.is_some() && threes.alone());
    let suspects: Vec<String> =
        suspects.map(|((name, _), threes)| format!("{name} ({})", threes.first)).collect();
    if !suspects.is_empty() {
        raw.notes.push(format!(
            "numbers with one separator and three digits after it; the separator was read as a decimal point. If it separates \
             thousands, leave it out: {}",
            super::listed(&suspects)
        ));
    }
    for ((name, kept), text) in names.into_iter().zip(numbers).zip(texts.iter_mut()) {
        let data = match kept {
            Some(mut numbers) => {
                numbers.fill(rows);
                numbers.finish()
            }
            None => std::mem::take(text).finish(),
        };
        raw.add(column(name, data), Told::default());
    }
    raw.respondents = rows;
    short.tell(&mut raw.notes, "fewer cells than the header; the missing ones count as no answer");
    long.tell(&mut raw.notes, "more cells than the header; the extra ones were left out");
    Ok(raw)
}

/// Reads a small table of texts, such as a codebook.
pub(super) fn table(file: &str, bytes: &[u8]) -> Result<Vec<Line>, ReadError> {
    let (text, _) = super::text::decode(file, bytes, None)?;
    let (text, said) = body(&text);
    let mut table = Vec::new();
    for record in open_reader(text, said.unwrap_or_else(|| separator(text))).into_byte_records() {
        let record = record.map_err(|error| ReadError::damaged(file, error.to_string()))?;
        let line = record.position().map_or(0, ::csv::Position::line);
        let cells = record.iter().map(|cell| String::from_utf8_lossy(cell).into_owned());
        table.push((usize::try_from(line).unwrap_or_default(), cells.collect()));
    }
    Ok(table)
}

/// Returns a column of which only the name is known.
pub(super) fn column(name: String, data: Data) -> Column {
    Column {
        name,
        label: String::new(),
        data,
        codes: Vec::new(),
        missing: Vec::new(),
        format: String::new(),
    }
}

fn open_reader(text: &str, separator: u8) -> ::csv::Reader<&[u8]> {
    ReaderBuilder::new()
        .has_headers(false)
        .flexible(true)
        .delimiter(separator)
        .from_reader(text.as_bytes())
}

/// Returns the table without the line `sep=;` that Excel writes and reads before it, and the separator that this line gives.
fn body(text: &str) -> (&str, Option<u8>) {
    let said = text.get(..4).filter(|start| start.eq_ignore_ascii_case("sep="));
    let rest = said.and_then(|_| text.get(4..)).and_then(|rest| rest.split_once('\n'));
    match rest.map(|(sign, table)| (sign.trim_end_matches('\r').as_bytes(), table)) {
        Some(([sign], table)) => (table, Some(*sign)),
        _ => (text, None),
    }
}

/// Returns the name of a separator.
fn called(separator: u8) -> String {
    match separator {
        b'\t' => "the tab".to_owned(),
        other => format!("'{}'", char::from(other)),
    }
}

/// Returns the separator that gives most of the first lines as many cells as the header, and more than one.
fn separator(text: &str) -> u8 {
    let sample = text.get(..text.floor_char_boundary(65_536)).unwrap_or(text);
    let fit = |separator: u8| {
        let mut records = open_reader(sample, separator).into_byte_records().flatten();
        let width = records.next().map_or(0, |header| header.len());
        let rest: Vec<usize> = records.take(100).map(|record| record.len()).collect();
        let alike = rest.iter().filter(|cells| **cells == width).count();
        let fits = width > 1 && alike * 5 >= rest.len().saturating_sub(1) * 4;
        (fits, width)
    };
    let mut best = (b',', (false, 0));
    for candidate in [b',', b';', b'\t', b'|'] {
        let fit = fit(candidate);
        if fit > best.1 {
            best = (candidate, fit);
        }
    }
    best.0
}

/// Returns the names of the columns: unique, and none empty.
fn read_names(header: &ByteRecord, notes: &mut Vec<String>) -> Vec<String> {
    let cells = header.iter().map(|cell| String::from_utf8_lossy(cell).trim().to_owned());
    unique(cells.collect(), notes)
}

/// Gives every column a unique name, and notes the changes.
pub(super) fn unique(names: Vec<String>, notes: &mut Vec<String>) -> Vec<String> {
    let all: HashSet<String> = names.iter().cloned().collect();
    let mut taken: HashSet<String> = HashSet::new();
    let mut counted: HashMap<String, u32> = HashMap::new();
    let mut twice = Vec::new();
    let mut nameless = 0;
    let mut kept = Vec::with_capacity(names.len());
    for (place, name) in names.into_iter().enumerate() {
        let first = if name.is_empty() {
            nameless += 1;
            format!("column_{}", place + 1)
        } else {
            name.clone()
        };
        let mut own = first.clone();
        let number = counted.entry(first.clone()).or_insert(1);
        while taken.contains(&own) || (own != name && all.contains(&own)) {
            *number += 1;
            own = format!("{first}_{number}");
        }
        if !name.is_empty() && own != name {
            twice.push(format!("{name} (now {own})"));
        }
        taken.insert(own.clone());
        kept.push(own);
    }
    if nameless > 0 {
        notes.push(format!(
            "columns without a name: {nameless}; they are called column_1 and so on, by their place"
        ));
    }
    if !twice.is_empty() {
        notes.push(format!("several columns have the same name: {}", super::listed(&twice)));
    }
    kept
}

fn read_texts(
    text: &str,
    separator: u8,
    wanted: &[bool],
    left_out: &HashSet<u64>,
) -> Result<Vec<Texts>, ::csv::Error> {
    let mut columns: Vec<Texts> = wanted.iter().map(|_| Texts::default()).collect();
    if !wanted.contains(&true) {
        return Ok(columns);
    }
    let mut lines = open_reader(text, separator);
    let mut record = ByteRecord::new();
    lines.read_byte_record(&mut record)?;
    while lines.read_byte_record(&mut record)? {
        if record.position().is_some_and(|position| left_out.contains(&position.record())) {
            continue;
        }
        for (place, (column, _)) in
            columns.iter_mut().zip(wanted).enumerate().filter(|(_, (_, wanted))| **wanted)
        {
            let cell = record.get(place).unwrap_or_default();
            column.push(std::str::from_utf8(cell).unwrap_or_default().trim());
        }
    }
    Ok(columns)
}

/// Counts of a column's numbers with one separator: those with three digits after it, and others.
#[derive(Default)]
struct Threes {
    of_three: usize,
    others: usize,
    first: String,
}

impl Threes {
    fn note(&mut self, cell: &str) {
        let Some((whole, rest)) = cell.split_once(['.', ',']) else { return };
        let whole = whole.trim_start_matches(['-', '+']);
        let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
        let is_of_three = (1..=3).contains(&whole.len())
            && !whole.starts_with('0')
            && digits(whole)
            && rest.len() == 3
            && digits(rest);
        if !is_of_three {
            self.others += 1;
            return;
        }
        if self.of_three == 0 {
            cell.clone_into(&mut self.first);
        }
        self.of_three += 1;
    }

    fn alone(&self) -> bool {
        self.of_three > 0 && self.others == 0
    }
}

/// Lines whose length differs from the header's.
#[derive(Default)]
struct Odd {
    lines: usize,
    first: u64,
}

impl Odd {
    fn note(&mut self, line: u64) {
        if self.lines == 0 {
            self.first = line;
        }
        self.lines += 1;
    }

    fn tell(&self, notes: &mut Vec<String>, what: &str) {
        if self.lines > 0 {
            notes.push(format!(
                "lines with {what}: {}; the first is line {}",
                self.lines, self.first
            ));
        }
    }
}

/// Fails if the last record spans many lines to the end of the file: a quotation mark was opened and not closed.
fn unclosed(file: &str, text: &str, (first, end): (u64, u64)) -> Result<(), ReadError> {
    if end.saturating_sub(first) > 1 && text.bytes().filter(|byte| *byte == b'"').count() % 2 == 1 {
        let problem = format!("a quotation mark is opened in line {first} and never closed");
        return Err(ReadError::damaged(file, problem));
    }
    Ok(())
}

/// Fails if a cell holds several lines that are as long as the header: a quotation mark was opened and closed on another line.
fn swallowed(
    file: &str,
    record: &ByteRecord,
    separator: u8,
    width: usize,
    (first, end): (u64, u64),
) -> Result<(), ReadError> {
    // Two columns are divided by a single separator, which sentences contain too.
    if end.saturating_sub(first) < 3 || width < 3 {
        return Ok(());
    }
    let is_line =
        |line: &&[u8]| line.iter().filter(|byte| **byte == separator).count() + 1 == width;
    let swallows = |cell: &[u8]| {
        let lines: Vec<&[u8]> = cell.split(|byte| *byte == b'\n').collect();
        // The first and the last are parts of the lines that have the quotation marks.
        let inner = lines.get(1..lines.len().saturating_sub(1)).unwrap_or_default();
        inner.iter().filter(|line| is_line(line)).take(2).count() == 2
    };
    if record.iter().any(swallows) {
        let problem = format!(
            "a quotation mark is opened in line {first} and closed only in line {}, over lines that look like respondents",
            end.saturating_sub(1)
        );
        return Err(ReadError::damaged(file, problem));
    }
    Ok(())
}
