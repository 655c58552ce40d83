//! Applies a codebook to the columns of a data file.

use std::collections::HashMap;

use super::cells::{Numbers, parse_number};
use super::codebook::Entry;
use super::raw::{Member, Raw, Set, as_texts};
use crate::study::{Code, Column, Data, Grid, Kind, Missing, Value};

/// Applies a codebook to the columns it describes.
///
/// Texts in a column of numbers are read by their labels, as in files exported "with labels". Those that are neither a
/// number nor a label count as no answer, and a note reports how many there are.
pub(super) fn describe(raw: &mut Raw, entries: &[Entry], codebook: &str) {
    let mut absent = Vec::new();
    let mut sets: Vec<(Grid, Vec<usize>)> = Vec::new();
    for entry in entries {
        let Some(place) = raw.place(&entry.variable) else {
            absent.push(entry.variable.as_str());
            continue;
        };
        settle(raw, place, entry);
        if let Some(set) = &entry.set {
            match sets.iter_mut().find(|(known, _)| known.id == set.id) {
                Some((known, members)) => {
                    members.push(place);
                    if known.text.is_empty() {
                        known.text.clone_from(&set.text);
                    }
                }
                None => sets.push((set.clone(), vec![place])),
            }
        } else if entry.kind == Some(Kind::Multi) {
            raw.split(place, &entry.codes, &entry.label);
        }
    }
    // The words of a grid may be given at any of its rows.
    let grids: Vec<Grid> = raw.told.iter().filter_map(|told| told.grid.clone()).collect();
    for grid in raw.told.iter_mut().filter_map(|told| told.grid.as_mut()) {
        if let Some(known) = grids.iter().find(|one| one.id == grid.id && !one.text.is_empty()) {
            grid.text.clone_from(&known.text);
        }
    }
    for (set, members) in sets {
        let counted = find_yes_value(raw, &members);
        let members = members.into_iter().map(Member::of).collect();
        raw.sets.push(Set { id: set.id, text: set.text, members, counted });
    }
    raw.sets_are_known = raw.sets_are_known || !raw.sets.is_empty();
    if !absent.is_empty() {
        let note =
            format!("{codebook} describes {}, which is not in the data", super::listed(&absent));
        raw.notes.push(note);
    }
}

fn settle(raw: &mut Raw, place: usize, entry: &Entry) {
    let (Some(column), Some(told)) = (raw.columns.get_mut(place), raw.told.get_mut(place)) else {
        return;
    };
    if !entry.label.is_empty() {
        column.label.clone_from(&entry.label);
    }
    told.kind = entry.kind.filter(|kind| *kind != Kind::Multi).or(told.kind);
    told.role = entry.role.or(told.role);
    told.top = entry.top.or(told.top);
    told.grid = entry.grid.clone().or(told.grid.take());
    told.moment |= entry.moment;
    if !entry.codes.is_empty() {
        column.codes.clone_from(&entry.codes);
    }
    if !entry.missing.is_empty() {
        column.missing.clone_from(&entry.missing);
    }
    if entry.kind == Some(Kind::Multi) && entry.set.is_none() {
        return;
    }
    let numeric_codes = !entry.codes.is_empty()
        && entry.codes.iter().all(|code| matches!(code.value, Value::Number(_)));
    let textual_codes = !entry.codes.is_empty()
        && entry.codes.iter().all(|code| matches!(code.value, Value::Text(_)));
    let texts = matches!(column.data, Data::Texts { .. });
    if texts && (numeric_codes || entry.numbers) {
        let lost = to_numbers(column);
        if lost > 0 {
            raw.notes.push(format!(
                "{lost} cells of {} contain text that is neither a number nor one of its labels; they count as no answer",
                entry.variable
            ));
        }
    } else if !texts && (textual_codes || entry.kind == Some(Kind::Open)) {
        column.data = as_texts(&column.data);
    }
    let texts = matches!(column.data, Data::Texts { .. });
    for missing in &mut column.missing {
        match missing {
            Missing::Value(Value::Number(value)) if texts => {
                *missing = Missing::Value(Value::Text(value.to_string()));
            }
            _ => {}
        }
    }
}

/// Turns texts into the numbers they are or stand for, and returns how many cells are neither.
fn to_numbers(column: &mut Column) -> usize {
    let Data::Texts { texts, index } = &column.data else { return 0 };
    let by_label: HashMap<String, f64> = column
        .codes
        .iter()
        .filter_map(|code| match code.value {
            Value::Number(number) => Some((code.label.trim().to_lowercase(), number)),
            Value::Text(_) => None,
        })
        .collect();
    let meant: Vec<Option<f64>> = texts
        .iter()
        .map(|text| {
            parse_number(text, true).or_else(|| by_label.get(&text.trim().to_lowercase()).copied())
        })
        .collect();
    let mut numbers = Numbers::default();
    let mut lost = 0;
    for place in index {
        let place = usize::try_from(*place).ok();
        match place.and_then(|place| Some((meant.get(place)?, texts.get(place)?))) {
            Some((Some(number), _)) => numbers.push(*number),
            Some((None, text)) => {
                lost += usize::from(!super::cells::is_nothing(text.trim()));
                numbers.push(f64::NAN);
            }
            None => numbers.push(f64::NAN),
        }
    }
    column.data = numbers.finish();
    lost
}

/// Returns the value that stands for yes in the columns of a set; `None` if they hold the answers themselves.
pub(super) fn find_yes_value(raw: &Raw, members: &[usize]) -> Option<Value> {
    let columns: Vec<&Column> =
        members.iter().filter_map(|place| raw.columns.get(*place)).collect();
    let first = columns.first()?;
    if first.codes.len() > 2 {
        return None;
    }
    let says_yes = |code: &&Code| {
        let label = code.label.to_lowercase();
        ["yes", "selected", "checked", "mentioned", "ja", "oui", "true", "chosen", "ticked"]
            .iter()
            .any(|word| label == *word)
    };
    if let Some(code) = first.codes.iter().find(says_yes) {
        return Some(code.value.clone());
    }
    if let Some(code) = first.codes.iter().find(|code| code.value == Value::Number(1.0)) {
        return Some(code.value.clone());
    }
    if let Some(code) = first.codes.first() {
        return Some(code.value.clone());
    }
    let mut texts = columns.iter().flat_map(|column| match &column.data {
        Data::Texts { texts, .. } => texts.as_slice(),
        Data::Few { .. } | Data::Numbers(_) => &[],
    });
    match texts.next() {
        // A mark such as `x`; of several texts, the one that means yes.
        Some(mark) => {
            let yes = std::iter::once(mark).chain(texts).find(|text| {
                ["1", "yes", "true", "x", "ja", "y"]
                    .iter()
                    .any(|yes| text.eq_ignore_ascii_case(yes))
            });
            Some(Value::Text(yes.unwrap_or(mark).clone()))
        }
        None => Some(Value::Number(1.0)),
    }
}
