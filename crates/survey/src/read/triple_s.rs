//! Triple-S, the survey interchange standard, XML versions 1.1 to 3.0: a description (.sss, .xml) and its data.
//!
//! The data is the file that the description names (`href`), or the one of the same stem ending in .asc, .dat, .csv or .txt.
//! Fixed columns are counted in characters.
//!
//! | type | becomes |
//! |---|---|
//! | `single` | numbers, or texts if its format is `literal` |
//! | `multiple` | a set: a column of 1 and 0 for each answer (bitstring), or a column for each subfield (spread) |
//! | `quantity` | numbers; special values whose label says "not stated" and the like are missing |
//! | `character` | texts |
//! | `logical` | 1 (Yes) and 0 (No) |
//! | `date`, `time` | ISO 8601 texts; no question |
//!
//! `use="weight"` is the weight, `use="serial"` an id. A `filter` needs no handling: a respondent who was not asked has
//! no answer in the data. Values that fit no code are kept as they are; those that do not fit the type are no answer,
//! with a note.
//!
//! A hierarchy (households and their persons) is several files, one per level. Each level is a separate study, because
//! its respondents are different. The variables of a level's parents are added to it by the linking variable, so that
//! persons can be divided by the region of their household; a note says so.

mod data;
mod definition;

use super::raw::{Raw, Told};
use super::{File, ReadError, files};
use crate::study::{Column, Data};
use definition::{Definition, Level};

/// Reads the study of a description and its data, or the levels of a hierarchy.
pub(super) fn read(file: &str, bytes: &[u8], given: &[File]) -> Result<Vec<Raw>, ReadError> {
    let definition = definition::read(file, bytes)?;
    if definition.levels.is_empty() {
        return Ok(vec![single(file, &definition, given)?]);
    }
    let mut levels: Vec<(Raw, &Level)> = Vec::new();
    for level in &definition.levels {
        let described = beside(file, &level.href, given)?;
        let definition = definition::read(&described.name, &described.bytes)?;
        let mut raw = single(&described.name, &definition, given)?;
        raw.id.clone_from(&level.ident);
        levels.push((raw, level));
    }
    for place in 0..levels.len() {
        join(&mut levels, place);
    }
    Ok(levels.into_iter().map(|(raw, _)| raw).collect())
}

/// Returns the files that a description names, so that they are not also read on their own.
pub(super) fn named(file: &File) -> Vec<String> {
    let Ok(definition) = definition::read(&file.name, &file.bytes) else { return Vec::new() };
    let levels = definition.levels.into_iter().map(|level| level.href);
    let all = levels.chain(definition.href);
    all.map(|name| folder(&file.name).to_owned() + name.trim_start_matches("./")).collect()
}

fn single(file: &str, definition: &Definition, given: &[File]) -> Result<Raw, ReadError> {
    let data = match definition.href.as_deref() {
        Some(href) => beside(file, href, given)?,
        None => files::triple_s_data(file, given).ok_or_else(|| ReadError::NotGiven {
            file: format!("{}.asc", super::stem(file)),
            by: file.to_owned(),
        })?,
    };
    data::read(file, definition, data)
}

fn folder(file: &str) -> &str {
    file.rfind('/').and_then(|end| file.get(..=end)).unwrap_or_default()
}

fn beside<'a>(file: &str, name: &str, given: &'a [File]) -> Result<&'a File, ReadError> {
    let path = folder(file).to_owned() + name.trim_start_matches("./");
    given
        .iter()
        .find(|one| one.name.eq_ignore_ascii_case(&path))
        .ok_or_else(|| ReadError::NotGiven { file: path, by: file.to_owned() })
}

/// Adds to a level the variables of its parent, which comes before it.
fn join(levels: &mut [(Raw, &Level)], place: usize) {
    let Some((before, rest)) = levels.split_at_mut_checked(place) else { return };
    let Some((child, level)) = rest.first_mut() else { return };
    let Some((parent, link)) = &level.parent else { return };
    let Some((parent, _)) = before.iter().find(|(_, one)| one.ident == *parent) else { return };
    let (Some(own), Some(theirs)) = (child.place(link), parent.place(link)) else {
        child.notes.push(format!(
            "{link}, which should link it with {}, is not in both; nothing of {} was added",
            parent.id, parent.id
        ));
        return;
    };
    let key = |data: &Data, row: usize| {
        data.text(row)
            .map(str::to_owned)
            .or_else(|| data.number(row).map(|number| number.to_string()))
    };
    let Some(keys) = parent.columns.get(theirs) else { return };
    let mut rows = std::collections::HashMap::new();
    for row in 0..parent.respondents {
        if let Some(key) = key(&keys.data, row) {
            rows.entry(key).or_insert(row);
        }
    }
    let Some(own) = child.columns.get(own) else { return };
    let found: Vec<Option<usize>> = (0..child.respondents)
        .map(|row| key(&own.data, row).and_then(|key| rows.get(&key).copied()))
        .collect();
    let alone = found.iter().filter(|row| row.is_none()).count();
    let mut moved = std::collections::HashMap::new();
    for (at, (column, told)) in parent.columns.iter().zip(&parent.told).enumerate() {
        if at == theirs || parent.weight == Some(at) || child.place(&column.name).is_some() {
            continue;
        }
        let data = gathered(&column.data, &found);
        let column = Column { data, ..column.clone() };
        moved.insert(at, child.add(column, Told { role: None, ..told.clone() }));
    }
    for set in &parent.sets {
        let mut set = set.clone();
        let known = set.members.iter().all(|member| moved.contains_key(&member.column));
        if known && !child.sets.iter().any(|one| one.id == set.id) {
            for member in &mut set.members {
                member.column = moved.get(&member.column).copied().unwrap_or(member.column);
            }
            child.sets.push(set);
        }
    }
    child.notes.push(format!("the variables of {} were added by {link}", parent.id));
    if alone > 0 {
        child.notes.push(format!("rows whose {link} is not in {}: {alone}", parent.id));
    }
}

fn gathered(data: &Data, rows: &[Option<usize>]) -> Data {
    if let Data::Texts { .. } = data {
        return Data::texts(
            rows.iter().map(|row| row.and_then(|row| data.text(row)).unwrap_or_default()),
        );
    }
    let numbers = rows.iter().map(|row| row.and_then(|row| data.number(row)).unwrap_or(f64::NAN));
    Data::numbers(numbers.collect())
}
