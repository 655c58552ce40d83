//! Data as Parquet: flat columns of numbers, booleans, texts and dates.
//!
//! Booleans become 1 and 0, labelled Yes and No. Dates and times become ISO 8601 texts. Nested columns and bytes that
//! are not text are left out, and a note names them. Decimals become numbers with the precision of an `f64`.

use std::panic::{AssertUnwindSafe, catch_unwind};

use ::parquet::basic::{Compression, ConvertedType, LogicalType, TimeUnit};
use ::parquet::column::reader::{ColumnReader, ColumnReaderImpl};
use ::parquet::data_type::DataType;
use ::parquet::file::reader::{FileReader, SerializedFileReader};
use ::parquet::schema::types::ColumnDescriptor;

use super::ReadError;
use super::cells::{Numbers, Texts};
use super::error::check_cells;
use super::raw::{Raw, Told};
use crate::study::{Code, Format, Value};

/// How many values are decoded at once.
const BATCH: usize = 8192;

/// Reads data.
///
/// The library that decodes pages may panic on malicious bytes; such a panic becomes an error about the file.
pub(super) fn read(file: &str, bytes: &[u8]) -> Result<Raw, ReadError> {
    let read = catch_unwind(AssertUnwindSafe(|| decoded(file, bytes)));
    read.unwrap_or_else(|_| Err(ReadError::damaged(file, "its pages contradict each other")))
}

fn decoded(file: &str, bytes: &[u8]) -> Result<Raw, ReadError> {
    let failed =
        |error: ::parquet::errors::ParquetError| ReadError::damaged(file, error.to_string());
    let reader = SerializedFileReader::new(bytes::Bytes::copy_from_slice(bytes)).map_err(failed)?;
    let metadata = reader.metadata();
    let mut chunks = metadata.row_groups().iter().flat_map(|group| group.columns());
    if let Some(packed) = chunks.find_map(|chunk| unknown(chunk.compression())) {
        return Err(ReadError::Unsupported {
            file: file.to_owned(),
            problem: format!("its pages are compressed with {packed}"),
            remedy: "write it with zstd, snappy or gzip",
        });
    }
    let schema = metadata.file_metadata().schema_descr_ptr();
    let rows = usize::try_from(metadata.file_metadata().num_rows())
        .map_err(|_| ReadError::damaged(file, "it has fewer than no rows"))?;
    check_cells(file, rows, schema.num_columns(), bytes.len())?;
    let mut raw = Raw::new(file, Format::Parquet);
    raw.respondents = rows;
    let mut left_out = Vec::new();
    let names = schema.columns().iter().map(|column| column.path().string()).collect();
    let names = super::csv::unique(names, &mut raw.notes);
    for (place, (description, name)) in schema.columns().iter().zip(names).enumerate() {
        let (Some(meaning), 0) = (Meaning::of(description), description.max_rep_level()) else {
            left_out.push(name);
            continue;
        };
        let mut cells = match meaning {
            Meaning::Number(_) | Meaning::Unsigned | Meaning::Truth => {
                Cells::Numbers(Numbers::default())
            }
            _ => Cells::Texts(Texts::default()),
        };
        for group in 0..reader.num_row_groups() {
            let group = reader.get_row_group(group).map_err(failed)?;
            let column = group.get_column_reader(place).map_err(failed)?;
            take(column, description, meaning, rows, &mut cells).map_err(failed)?;
        }
        let (data, moment) = match cells {
            Cells::Numbers(numbers) => (numbers.finish(), false),
            Cells::Texts(texts) => (texts.finish(), meaning != Meaning::Text),
        };
        if data.len() != rows {
            let problem = format!("column {name} has {} values for {rows} rows", data.len());
            return Err(ReadError::damaged(file, problem));
        }
        let mut column = super::csv::column(name, data);
        if meaning == Meaning::Truth {
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
    if !left_out.is_empty() {
        raw.notes.push(format!(
            "left out, because only flat columns of numbers, texts and dates are supported: {}",
            super::listed(&left_out)
        ));
    }
    Ok(raw)
}

/// Returns the name of a codec that is not supported.
fn unknown(codec: Compression) -> Option<&'static str> {
    match codec {
        Compression::BROTLI(_) => Some("Brotli"),
        Compression::LZO => Some("LZO"),
        _ => None,
    }
}

/// A column that is being filled.
enum Cells {
    Numbers(Numbers),
    Texts(Texts),
}

/// What the values of a column mean.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Meaning {
    /// A number to be multiplied by this.
    Number(f64),
    /// An unsigned whole number.
    Unsigned,
    Truth,
    Text,
    Day,
    /// A date and time in units of which a second has this many.
    Moment(i64),
    /// A time of day in such units.
    Time(i64),
}

impl Meaning {
    fn of(column: &ColumnDescriptor) -> Option<Meaning> {
        use ::parquet::basic::Type;
        let physical = column.physical_type();
        let parts = |unit: &TimeUnit| match unit {
            TimeUnit::MILLIS => 1_000,
            TimeUnit::MICROS => 1_000_000,
            TimeUnit::NANOS => 1_000_000_000,
        };
        let scale = || 10_f64.powi(-column.type_scale());
        let logical = match column.logical_type_ref() {
            Some(LogicalType::Date) => Some(Meaning::Day),
            Some(LogicalType::Timestamp(one)) => Some(Meaning::Moment(parts(&one.unit))),
            Some(LogicalType::Time(one)) => Some(Meaning::Time(parts(&one.unit))),
            Some(LogicalType::Decimal { .. }) => Some(Meaning::Number(scale())),
            Some(LogicalType::Integer(one)) if !one.is_signed => Some(Meaning::Unsigned),
            _ => match column.converted_type() {
                ConvertedType::DATE => Some(Meaning::Day),
                ConvertedType::TIMESTAMP_MILLIS => Some(Meaning::Moment(1_000)),
                ConvertedType::TIMESTAMP_MICROS => Some(Meaning::Moment(1_000_000)),
                ConvertedType::TIME_MILLIS => Some(Meaning::Time(1_000)),
                ConvertedType::TIME_MICROS => Some(Meaning::Time(1_000_000)),
                ConvertedType::DECIMAL => Some(Meaning::Number(scale())),
                ConvertedType::UINT_8
                | ConvertedType::UINT_16
                | ConvertedType::UINT_32
                | ConvertedType::UINT_64 => Some(Meaning::Unsigned),
                _ => None,
            },
        };
        match physical {
            Type::BOOLEAN => Some(Meaning::Truth),
            Type::INT32 | Type::INT64 => Some(logical.unwrap_or(Meaning::Number(1.0))),
            Type::FLOAT | Type::DOUBLE => Some(Meaning::Number(1.0)),
            Type::INT96 => Some(Meaning::Moment(1_000_000_000)),
            Type::BYTE_ARRAY => match logical {
                Some(Meaning::Number(scale)) => Some(Meaning::Number(scale)),
                _ => Some(Meaning::Text),
            },
            Type::FIXED_LEN_BYTE_ARRAY => logical.filter(|one| matches!(one, Meaning::Number(_))),
        }
    }
}

fn take(
    reader: ColumnReader,
    column: &ColumnDescriptor,
    meaning: Meaning,
    rows: usize,
    cells: &mut Cells,
) -> Result<(), ::parquet::errors::ParquetError> {
    let levels = column.max_def_level();
    let whole = |cells: &mut Cells, value: i64| put(cells, meaning, value);
    match reader {
        ColumnReader::BoolColumnReader(reader) => {
            values(reader, levels, rows, cells, |cells, value| {
                number(cells, f64::from(u8::from(*value)));
            })
        }
        ColumnReader::Int32ColumnReader(reader) => {
            values(reader, levels, rows, cells, |cells, value| match meaning {
                Meaning::Unsigned => number(cells, f64::from(value.cast_unsigned())),
                _ => whole(cells, i64::from(*value)),
            })
        }
        ColumnReader::Int64ColumnReader(reader) => {
            values(reader, levels, rows, cells, |cells, value| match meaning {
                Meaning::Unsigned => number(cells, value.cast_unsigned() as f64),
                _ => whole(cells, *value),
            })
        }
        ColumnReader::Int96ColumnReader(reader) => {
            values(reader, levels, rows, cells, |cells, value| whole(cells, value.to_nanos()))
        }
        ColumnReader::FloatColumnReader(reader) => {
            // Takes the number in its decimal form, instead of extending its bits to a longer number.
            values(reader, levels, rows, cells, |cells, value| {
                number(cells, value.to_string().parse().unwrap_or(f64::NAN));
            })
        }
        ColumnReader::DoubleColumnReader(reader) => {
            values(reader, levels, rows, cells, |cells, value| number(cells, *value))
        }
        ColumnReader::ByteArrayColumnReader(reader) => {
            values(reader, levels, rows, cells, |cells, value| {
                bytes_of(cells, meaning, value.data());
            })
        }
        ColumnReader::FixedLenByteArrayColumnReader(reader) => {
            values(reader, levels, rows, cells, |cells, value| {
                bytes_of(cells, meaning, value.data());
            })
        }
    }
}

/// Reads all values of a column of a row group; a row without a value adds an empty one.
fn values<T: DataType>(
    mut reader: ColumnReaderImpl<T>,
    present: i16,
    rows: usize,
    cells: &mut Cells,
    put: impl Fn(&mut Cells, &T::T),
) -> Result<(), ::parquet::errors::ParquetError> {
    let mut values = Vec::with_capacity(BATCH);
    let mut levels: Vec<i16> = Vec::with_capacity(BATCH);
    loop {
        values.clear();
        levels.clear();
        let wanted = (present > 0).then_some(&mut levels);
        let (records, _, _) = reader.read_records(BATCH, wanted, None, &mut values)?;
        if records == 0 {
            return Ok(());
        }
        if present == 0 {
            values.iter().for_each(|value| put(cells, value));
        } else {
            let mut left = values.iter();
            for level in &levels {
                match if *level == present { left.next() } else { None } {
                    Some(value) => put(cells, value),
                    None => nothing(cells),
                }
            }
        }
        let read = match cells {
            Cells::Numbers(numbers) => numbers.len(),
            Cells::Texts(texts) => texts.len(),
        };
        if read > rows {
            return Err(::parquet::errors::ParquetError::General(
                "a column has more values than rows".to_owned(),
            ));
        }
    }
}

fn number(cells: &mut Cells, number: f64) {
    if let Cells::Numbers(numbers) = cells {
        numbers.push(number);
    }
}

fn nothing(cells: &mut Cells) {
    match cells {
        Cells::Numbers(numbers) => numbers.push(f64::NAN),
        Cells::Texts(texts) => texts.push(""),
    }
}

fn put(cells: &mut Cells, meaning: Meaning, value: i64) {
    match (cells, meaning) {
        (Cells::Numbers(numbers), Meaning::Number(scale)) => numbers.push(value as f64 * scale),
        (Cells::Numbers(numbers), _) => numbers.push(value as f64),
        (Cells::Texts(texts), Meaning::Day) => texts.push(&format_date(value)),
        (Cells::Texts(texts), Meaning::Moment(parts)) => {
            let seconds = value.div_euclid(parts.max(1));
            let day = format_date(seconds.div_euclid(86_400));
            texts.push(&format!("{day} {}", clock(seconds.rem_euclid(86_400))));
        }
        (Cells::Texts(texts), Meaning::Time(parts)) => {
            texts.push(&clock(value.div_euclid(parts.max(1))));
        }
        (Cells::Texts(texts), _) => texts.push(&value.to_string()),
    }
}

fn bytes_of(cells: &mut Cells, meaning: Meaning, bytes: &[u8]) {
    match (cells, meaning) {
        (Cells::Numbers(numbers), Meaning::Number(scale)) => {
            // Big-endian two's complement.
            let negative = bytes.first().is_some_and(|first| *first >= 0x80);
            let start = if negative { -1.0 } else { 0.0 };
            let whole = bytes.iter().fold(start, |sum: f64, byte| sum * 256.0 + f64::from(*byte));
            numbers.push(whole * scale);
        }
        (Cells::Numbers(numbers), _) => numbers.push(f64::NAN),
        (Cells::Texts(texts), _) => texts.push(String::from_utf8_lossy(bytes).trim()),
    }
}

fn clock(seconds: i64) -> String {
    format!("{:02}:{:02}:{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60)
}

/// Returns the date of a day counted from 1970, by Howard Hinnant's `civil_from_days`.
pub(super) fn format_date(days: i64) -> String {
    let shifted = days.saturating_add(719_468);
    let era = shifted.div_euclid(146_097);
    let of_era = shifted.rem_euclid(146_097);
    let year = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let month = (5 * of_year + 2) / 153;
    let date = of_year - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    let year = year + era * 400 + i64::from(month <= 2);
    format!("{year:04}-{month:02}-{date:02}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_are_dates() {
        for (days, date) in [
            (0, "1970-01-01"),
            (-1, "1969-12-31"),
            (19_782, "2024-02-29"),
            (11_016, "2000-02-29"),
            (20_604, "2026-05-31"),
        ] {
            assert_eq!(format_date(days), date);
        }
    }
}
