//! SPSS files, .sav and .zsav, read by `ambers`.
//!
//! Values, labels, missing values, multiple-response sets, the weight variable and the measures come from the file. A
//! labelled variable of nominal measure is never a scale, whatever its labels say; a note names those that read like
//! one. Dates and times are in SPSS's unit: seconds since 14 October 1582. Two declared ranges, or a range with a
//! value, are kept as they are. A file whose header promises more respondents than it has is treated as truncated.
//!
//! `ambers` reads untrusted bytes. Before it does, [`dictionary`] walks every record. Data is read in batches of
//! bounded size. If `ambers` panics all the same, the panic becomes an error about the file.

mod dictionary;

use std::borrow::Cow;
use std::io::Cursor;
use std::panic::{AssertUnwindSafe, catch_unwind};

use ambers::{MissingSpec, MrType, SpssMetadata};
use arrow_array::RecordBatch;
use arrow_array::cast::AsArray;
use arrow_array::types::Float64Type;
use arrow_schema::DataType;

use self::dictionary::Dictionary;
use super::ReadError;
use super::cells::{Numbers, Texts, parse_number};
use super::error::check_cells;
use super::raw::{Member, Raw, Set, Told};
use crate::study::{Code, Column, Data, Format, Missing, Value};

/// How many bytes of unpacked rows are in memory at once.
const BATCH: usize = 32 << 20;
/// The print format F8.2, which replaces those of dates while the data is read.
const PLAIN: [u8; 4] = [2, 8, 5, 0];
/// An unknown subtype, which hides a record.
const HIDDEN: [u8; 4] = 9999_i32.to_le_bytes();

/// Reads a file.
pub(super) fn read(file: &str, bytes: &[u8]) -> Result<Raw, ReadError> {
    let dictionary = dictionary::walk(file, bytes)?;
    let read = catch_unwind(AssertUnwindSafe(|| unpacked(file, bytes, &dictionary)));
    read.unwrap_or_else(|_| Err(ReadError::damaged(file, "its records contradict each other")))
}

fn unpacked(file: &str, bytes: &[u8], dictionary: &Dictionary) -> Result<Raw, ReadError> {
    let failed = |error: ambers::error::SpssError| ReadError::damaged(file, error.to_string());
    let plain = patched(bytes, dictionary);
    let rows = (BATCH / (dictionary.slots * 8).max(1)).max(1);
    let mut scanner =
        ambers::scan_sav_from_reader(Cursor::new(plain.as_ref()), rows).map_err(failed)?;
    let schema = scanner.schema();
    let mut columns: Vec<Cells> = schema
        .fields()
        .iter()
        .map(|field| match field.data_type() {
            DataType::Float64 => Cells::Numbers(Numbers::default()),
            _ => Cells::Texts(Texts::default()),
        })
        .collect();
    let widths: Vec<usize> = {
        let metadata = scanner.metadata();
        let format = |name: &String| metadata.variable_formats.get(name);
        metadata.variable_names.iter().map(|name| width(format(name))).collect()
    };
    let promised = dictionary.cases.unwrap_or(usize::MAX);
    let (mut respondents, mut beyond, mut unread) = (0, 0, 0);
    while let Some(batch) = scanner.next_batch().map_err(failed)? {
        let taken = batch.num_rows().min(promised - respondents);
        beyond += batch.num_rows() - taken;
        respondents += taken;
        check_cells(file, respondents + beyond, dictionary.slots, bytes.len())?;
        unread += take(&batch.slice(0, taken), &widths, &mut columns);
    }
    if let Some(cases) = dictionary.cases.filter(|cases| *cases > respondents) {
        let problem = format!("its header says {cases} respondents, but it contains {respondents}");
        return Err(ReadError::damaged(file, problem));
    }
    let changed = scanner.metadata().clone();
    drop(scanner);
    let metadata = if let Cow::Owned(_) = plain {
        drop(plain);
        ambers::scan_sav_from_reader(Cursor::new(bytes), 1).map_err(failed)?.metadata().clone()
    } else {
        changed.clone()
    };
    let mut raw = Raw::new(file, Format::Spss);
    raw.respondents = respondents;
    raw.title.clone_from(&metadata.file_label);
    if beyond > 0 {
        raw.notes.push(format!("rows of {file} beyond the {respondents} respondents given in its header were left out: \
            {beyond}"));
    }
    if unread > 0 {
        raw.notes.push(format!("texts of {file} with letters that could not be read in its encoding and are shown as \u{fffd}: {unread}"));
    }
    raw.notes.extend(changed.warnings.iter().map(|warning| format!("{file}: {warning}")));
    described(&mut raw, &metadata, columns, dictionary);
    for sets in [&changed, &metadata] {
        add_sets(&mut raw, sets);
    }
    raw.weight = metadata.weight_variable.as_deref().and_then(|name| raw.place(name));
    Ok(raw)
}

/// Returns the file with its dates as plain numbers, and with the last of two records of sets hidden.
fn patched<'a>(bytes: &'a [u8], dictionary: &Dictionary) -> Cow<'a, [u8]> {
    let hidden = dictionary.sets.get(1..).unwrap_or_default();
    if dictionary.moments.is_empty() && hidden.is_empty() {
        return Cow::Borrowed(bytes);
    }
    let mut bytes = bytes.to_vec();
    let moments = dictionary.moments.iter().map(|moment| (moment.at, PLAIN));
    for (at, with) in moments.chain(hidden.iter().map(|at| (*at, HIDDEN))) {
        if let Some(place) = bytes.get_mut(at..at + 4) {
            place.copy_from_slice(&with);
        }
    }
    Cow::Owned(bytes)
}

/// A column that is being filled.
enum Cells {
    Numbers(Numbers),
    Texts(Texts),
}

/// Returns how many bytes a text variable has, by its format; 0 for a numeric one.
fn width(format: Option<&String>) -> usize {
    let digits = format.and_then(|format| format.strip_prefix('A'));
    digits.and_then(|digits| digits.parse().ok()).unwrap_or(0)
}

/// Adds the values of a batch, and returns how many texts have unreadable characters.
fn take(batch: &RecordBatch, widths: &[usize], columns: &mut [Cells]) -> usize {
    let mut unread = 0;
    for ((array, cells), width) in batch.columns().iter().zip(columns).zip(widths) {
        match cells {
            Cells::Numbers(numbers) => {
                if let Some(array) = array.as_primitive_opt::<Float64Type>() {
                    for number in array {
                        numbers.push(number.unwrap_or(f64::NAN));
                    }
                }
            }
            Cells::Texts(texts) => {
                if let Some(array) = array.as_string_view_opt() {
                    for text in array {
                        let text = whole(text.unwrap_or_default(), *width);
                        unread += usize::from(text.contains('\u{fffd}'));
                        texts.push(text);
                    }
                }
            }
        }
    }
    unread
}

/// Returns a text without its last character if that was cut in half: at the width of the column, or after multi-byte
/// characters that were read. If all other characters are ASCII, the last one belongs to another encoding.
fn whole(text: &str, width: usize) -> &str {
    /// The most bytes that are left of a truncated UTF-8 character.
    const CUT: usize = 3;
    let kept = text.trim_end_matches('\u{fffd}');
    let at_width = (1..=CUT).contains(&width.saturating_sub(kept.len()));
    if at_width || !kept.is_ascii() { kept } else { text }
}

/// Adds the columns with what the dictionary says of them.
fn described(raw: &mut Raw, metadata: &SpssMetadata, columns: Vec<Cells>, dictionary: &Dictionary) {
    let mut moments = dictionary.moments.iter();
    for (name, cells) in metadata.variable_names.iter().zip(columns) {
        let data = match cells {
            Cells::Numbers(numbers) => numbers.finish(),
            Cells::Texts(texts) => texts.finish(),
        };
        let kept = metadata.arrow_data_types.get(name).map(String::as_str);
        let moment = !matches!(kept, Some("f64" | "String") | None);
        let format = match if moment { moments.next() } else { None } {
            Some(moment) => moment.format.clone(),
            None => metadata.variable_formats.get(name).cloned().unwrap_or_default(),
        };
        let codes = metadata.variable_value_labels.get(name).into_iter().flatten();
        let missing = metadata.variable_missing_values.get(name).into_iter().flatten();
        let column = Column {
            name: name.clone(),
            label: metadata.variable_labels.get(name).cloned().unwrap_or_default(),
            data,
            codes: codes
                .map(|(value, label)| Code { value: value_of(value), label: label.clone() })
                .collect(),
            missing: missing
                .map(|missing| match missing {
                    MissingSpec::Value(value) => Missing::Value(Value::Number(*value)),
                    MissingSpec::Range { lo, hi } => Missing::Range(*lo, *hi),
                    MissingSpec::StringValue(value) => Missing::Value(Value::Text(value.clone())),
                })
                .collect(),
            format,
        };
        let measure = metadata.variable_measures.get(name);
        let measured = measure == Some(&ambers::Measure::Scale);
        let nominal = measure == Some(&ambers::Measure::Nominal);
        raw.add(column, Told { measured, nominal, moment, ..Told::default() });
    }
}

fn value_of(value: &ambers::Value) -> Value {
    match value {
        ambers::Value::Numeric(number) => Value::Number(*number),
        ambers::Value::String(text) => Value::Text(text.clone()),
    }
}

fn add_sets(raw: &mut Raw, metadata: &SpssMetadata) {
    for set in metadata.mr_sets.values() {
        if raw.sets.iter().any(|known| known.id == set.name) {
            continue;
        }
        let members: Vec<usize> = set.variables.iter().filter_map(|name| raw.place(name)).collect();
        let Some(first) = members.first().and_then(|place| raw.columns.get(*place)) else {
            continue;
        };
        let texts = matches!(first.data, Data::Texts { .. });
        let counted = match set.mr_type {
            MrType::MultipleCategory => None,
            MrType::MultipleDichotomy => {
                let counted = set.counted_value.as_deref().unwrap_or("1").trim();
                let number = parse_number(counted, false).filter(|_| !texts);
                Some(number.map_or_else(|| Value::Text(counted.to_owned()), Value::Number))
            }
        };
        raw.sets.push(Set {
            id: set.name.clone(),
            text: set.label.clone(),
            members: members.into_iter().map(Member::of).collect(),
            counted,
        });
        raw.sets_are_known = true;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_letter_that_the_width_cut_in_half_is_taken_away() {
        assert_eq!(whole("Caf\u{fffd}", 4), "Caf");
        assert_eq!(whole("బడి బ\u{fffd}", 512), "బడి బ");
        assert_eq!(whole("Ren\u{fffd}", 8), "Ren\u{fffd}");
        assert_eq!(whole("K\u{fffd}ln", 8), "K\u{fffd}ln");
    }
}
