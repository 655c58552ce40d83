//! A file of values separated by commas, semicolons, tabs or bars becomes a table; lines above its head row are its title.

use super::grid::{Budget, Grid, Kind};
use crate::{Bounds, Fault, Parsed, Writer};

/// How much of a file tells its delimiter, in bytes.
const SAMPLE: usize = 64 << 10;
/// The most records that are looked at to find the delimiter.
const SAMPLE_RECORDS: usize = 500;
/// A quoted field of more lines is taken for one whose closing quote is missing.
const MOST_LINES: usize = 200;
/// The most values in a line.
const MOST_FIELDS: usize = 1_000_000;
/// The most columns that are read.
const COLUMNS: usize = 16_384;

/// Returns what a file of separated values says. `usual` is the delimiter if the file does not show another.
pub(crate) fn parse(bytes: &[u8], usual: u8, bounds: &Bounds) -> Result<Parsed, Fault> {
    let text = String::from_utf8_lossy(bytes);
    let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
    let (said, text) = stated_delimiter(text);
    let delimiter = said.unwrap_or_else(|| sniffed(text, usual));
    let is_too_wide = |line: &str| {
        line.len() > MOST_FIELDS
            && line.bytes().filter(|byte| *byte == delimiter).count() > MOST_FIELDS
    };
    if text.lines().any(is_too_wide) {
        return Err(Fault::TooComplex {
            what: format!("more than {MOST_FIELDS} values in one line"),
        });
    }
    let mut grid = Grid::default();
    let mut budget = Budget::new(bounds);
    if !fill(&mut grid, text, delimiter, true, &mut budget) {
        grid = Grid::default();
        budget = Budget::new(bounds);
        fill(&mut grid, text, delimiter, false, &mut budget);
    }
    grid.has_records = true;
    let mut page = Writer::new(bounds.text_bytes);
    super::section(&mut page, 1, &mut grid);
    let metadata = page.left_out().into_iter().collect();
    Ok(Parsed { text: page.finish(), metadata, ..Parsed::default() })
}

/// Returns the delimiter that a first line such as `sep=;` states, and the rest.
fn stated_delimiter(text: &str) -> (Option<u8>, &str) {
    let (first, rest) = text.split_once('\n').unwrap_or((text, ""));
    let first = first.trim_end_matches('\r').trim_matches('"');
    match first.strip_prefix("sep=").map(str::as_bytes) {
        Some([delimiter]) if delimiter.is_ascii_punctuation() || *delimiter == b'\t' => {
            (Some(*delimiter), rest)
        }
        _ => (None, text),
    }
}

fn build_reader(text: &str, delimiter: u8, quoting: bool) -> csv::Reader<&[u8]> {
    let mut builder = csv::ReaderBuilder::new();
    builder.delimiter(delimiter).quoting(quoting).flexible(true).has_headers(false);
    builder.from_reader(text.as_bytes())
}

/// Returns the delimiter that cuts the most records into the same number of fields.
fn sniffed(text: &str, usual: u8) -> u8 {
    let mut end = text.len().min(SAMPLE);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    let sample = &text[..end];
    let mut best = (0_usize, usual);
    let others = [b',', b';', b'\t', b'|'].into_iter().filter(|other| *other != usual);
    for delimiter in std::iter::once(usual).chain(others) {
        let mut counts = std::collections::BTreeMap::<usize, usize>::new();
        let mut record = csv::ByteRecord::new();
        let mut reader = build_reader(sample, delimiter, true);
        let mut total = 0_usize;
        while total < SAMPLE_RECORDS && reader.read_byte_record(&mut record).unwrap_or(false) {
            *counts.entry(record.len()).or_default() += 1;
            total += 1;
        }
        let usual_width =
            counts.iter().filter(|(width, _)| **width > 1).max_by_key(|(_, count)| **count);
        let Some((width, count)) = usual_width else { continue };
        // The share of records with the usual width counts first, then how many fields they have.
        let score = count * 1000 / total.max(1) * 100 + (*width).min(99);
        if score > best.0 {
            best = (score, delimiter);
        }
    }
    best.1
}

/// Adds the records of `text` to the grid. Returns `false` if a quote seems to be open to the end.
fn fill(grid: &mut Grid, text: &str, delimiter: u8, quoting: bool, budget: &mut Budget) -> bool {
    let mut record = csv::ByteRecord::new();
    let mut reader = build_reader(text, delimiter, quoting);
    let mut number = 0;
    while reader.read_byte_record(&mut record).unwrap_or(false) {
        number += 1;
        for (column, field) in record.iter().take(COLUMNS).enumerate() {
            let field = String::from_utf8_lossy(field);
            if quoting && field.len() > MOST_LINES && field.matches('\n').count() > MOST_LINES {
                return false;
            }
            grid.add(number, column, &field, kind(field.trim()), budget);
        }
    }
    true
}

/// Returns what kind of value a text shows.
pub(crate) fn kind(text: &str) -> Kind {
    let is_digit = |byte: &u8| byte.is_ascii_digit();
    if !text.bytes().any(|byte| is_digit(&byte)) {
        return match text {
            "true" | "false" | "TRUE" | "FALSE" | "True" | "False" => Kind::Flag,
            _ => Kind::Text,
        };
    }
    let bytes = text.as_bytes();
    let is_date = bytes.len() >= 10
        && bytes.len() <= 35
        && bytes[..4].iter().all(is_digit)
        && matches!(bytes[4], b'-' | b'/')
        && bytes[5..7].iter().all(is_digit)
        && bytes[7] == bytes[4]
        && bytes[8..10].iter().all(is_digit);
    if is_date || is_day(text) {
        return Kind::Date;
    }
    let bare = text.trim_start_matches(['$', '€', '£', '¥', ' ']).trim_end_matches(['%', '€', ' ']);
    let bare = bare.replace(['\u{a0}', '\u{202f}', '\''], "");
    let plain = number(&bare);
    plain.map_or(Kind::Text, Kind::Number)
}

/// Returns whether a text is a day such as `31.1.2024` or `1/31/24`.
fn is_day(text: &str) -> bool {
    let Some(mark) = text.chars().find(|c| matches!(c, '.' | '/')) else { return false };
    let date = text.split(' ').next().unwrap_or_default();
    let parts: Vec<&str> = date.split(mark).collect();
    let sizes = [1..=4, 1..=2, 2..=4];
    parts.len() == 3
        && parts.iter().zip(sizes).all(|(part, size)| {
            size.contains(&part.len()) && part.bytes().all(|byte| byte.is_ascii_digit())
        })
}

/// Returns a number with a point or a comma as the decimal mark, and the other for thousands.
fn number(text: &str) -> Option<f64> {
    let signless = text.trim_start_matches(['-', '+', '−']);
    if !signless.starts_with(|c: char| c.is_ascii_digit() || c == '.' || c == ',') {
        return None;
    }
    if let Ok(number) = text.parse() {
        return Some(number);
    }
    let allowed =
        |c: char| c.is_ascii_digit() || matches!(c, '.' | ',' | '-' | '+' | '−' | 'e' | 'E');
    if !text.chars().all(allowed) {
        return None;
    }
    let (point, comma) = (text.rfind('.'), text.rfind(','));
    let is_comma_decimal = match (point, comma) {
        (Some(point), Some(comma)) => comma > point,
        (None, Some(comma)) => text.matches(',').count() == 1 && text.len() - comma != 4,
        _ => false,
    };
    let plain = if is_comma_decimal {
        text.replace('.', "").replace(',', ".")
    } else {
        text.replace(',', "")
    };
    plain.replace('−', "-").parse().ok()
}
