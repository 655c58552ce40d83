//! A data file as its reader understood it, before its questions are known.

use std::collections::HashMap;

use super::cells::{Numbers, Texts};
use crate::study::{Code, Column, Data, Format, Grid, Kind, Missing, Top, Value};

/// A table of data, with everything its file says of it.
#[derive(Debug, Clone)]
pub(super) struct Raw {
    pub(super) id: String,
    pub(super) title: String,
    pub(super) file: String,
    pub(super) format: Format,
    pub(super) respondents: usize,
    pub(super) columns: Vec<Column>,
    /// What the file or codebook says of each column.
    pub(super) told: Vec<Told>,
    pub(super) sets: Vec<Set>,
    /// Whether all sets were declared, so that none is inferred.
    pub(super) sets_are_known: bool,
    pub(super) weight: Option<usize>,
    pub(super) notes: Vec<String>,
}

/// What a file or codebook says of a column.
#[derive(Debug, Clone, Default)]
pub(super) struct Told {
    pub(super) kind: Option<Kind>,
    pub(super) role: Option<Role>,
    pub(super) top: Option<Top>,
    pub(super) grid: Option<Grid>,
    /// Whether the file calls its values measured, as opposed to chosen from a list.
    pub(super) measured: bool,
    /// Whether the file calls its values names without an order.
    pub(super) nominal: bool,
    /// Whether it holds dates or times.
    pub(super) moment: bool,
    /// Whether it only exists to count the answers of a set.
    pub(super) part: bool,
}

/// The role of a column that is no question, or more than one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    Weight,
    Segment,
    Id,
    /// A question, regardless of its data.
    Question,
}

/// A multiple-response set.
#[derive(Debug, Clone)]
pub(super) struct Set {
    pub(super) id: String,
    pub(super) text: String,
    pub(super) members: Vec<Member>,
    /// What a member's column holds if the answer was given; `None` if the columns hold the answers themselves.
    pub(super) counted: Option<Value>,
}

/// A column of a set.
#[derive(Debug, Clone)]
pub(super) struct Member {
    pub(super) column: usize,
    /// The code of its answer in expressions; if `None`, the name of the column.
    pub(super) code: Option<String>,
    /// If `None`, the label of the column.
    pub(super) label: Option<String>,
    /// What its column holds if the answer was given; if `None`, what the columns of the set hold.
    pub(super) counted: Option<Value>,
}

impl Member {
    pub(super) fn of(column: usize) -> Member {
        Member { column, code: None, label: None, counted: None }
    }
}

impl Raw {
    pub(super) fn new(file: &str, format: Format) -> Raw {
        Raw {
            id: super::stem(file).to_owned(),
            title: String::new(),
            file: file.to_owned(),
            format,
            respondents: 0,
            columns: Vec::new(),
            told: Vec::new(),
            sets: Vec::new(),
            sets_are_known: false,
            weight: None,
            notes: Vec::new(),
        }
    }

    /// Adds a column and returns its place.
    pub(super) fn add(&mut self, column: Column, told: Told) -> usize {
        self.columns.push(column);
        self.told.push(told);
        self.columns.len() - 1
    }

    /// Returns the place of a column by its name, ignoring case if no name matches exactly.
    pub(super) fn place(&self, name: &str) -> Option<usize> {
        self.columns
            .iter()
            .position(|column| column.name == name)
            .or_else(|| self.columns.iter().position(|one| one.name.eq_ignore_ascii_case(name)))
    }

    /// Splits a column of texts such as `1;3;7` into one column for each answer, and makes a set of them.
    pub(super) fn split(&mut self, place: usize, codes: &[Code], text: &str) {
        let Some(column) = self.columns.get(place) else { return };
        let (name, label) = (column.name.clone(), column.label.clone());
        let missing = column.missing.clone();
        let mut answers: Vec<(String, String)> =
            codes.iter().map(|code| (code.value.to_string(), code.label.clone())).collect();
        let mut known: HashMap<String, usize> =
            answers.iter().enumerate().map(|(place, (code, _))| (code.clone(), place)).collect();
        let mut given: Vec<Option<Vec<usize>>> = Vec::with_capacity(self.respondents);
        let mut cache: HashMap<String, Option<Vec<usize>>> = HashMap::new();
        for row in 0..self.respondents {
            let cell = match &column.data {
                Data::Texts { .. } => column.data.text(row).unwrap_or_default().to_owned(),
                _ => column.data.number(row).map(|number| number.to_string()).unwrap_or_default(),
            };
            if let Some(places) = cache.get(&cell) {
                given.push(places.clone());
                continue;
            }
            let mut places = Vec::new();
            let mut unanswered = false;
            for part in parts(&cell) {
                let code = canonical(part);
                if is_missing(&missing, &code) {
                    unanswered = true;
                    continue;
                }
                let place = *known.entry(code.clone()).or_insert_with(|| {
                    answers.push((code.clone(), code.clone()));
                    answers.len() - 1
                });
                places.push(place);
            }
            let places = (!places.is_empty()).then_some(places);
            debug_assert!(
                places.is_some() || unanswered || cell.trim_matches(SEPARATORS).is_empty()
            );
            cache.insert(cell, places.clone());
            given.push(places);
        }
        if answers.len() > MOST_ANSWERS {
            self.notes.push(format!(
                "{name} should contain lists of codes, but has {} different ones; it was read as an open question",
                answers.len()
            ));
            if let Some(told) = self.told.get_mut(place) {
                told.kind = Some(Kind::Open);
            }
            return;
        }
        let extra = answers.len().saturating_sub(codes.len());
        if extra > 0 && !codes.is_empty() {
            self.notes.push(format!("{name} contains {extra} answers without a label in a codebook; they are shown by their \
                codes"));
        }
        answers.retain(|(code, _)| !is_missing(&missing, code));
        let mut members = Vec::new();
        for (code, answer) in &answers {
            let wanted = known.get(code).copied();
            let mut data = Numbers::default();
            for places in &given {
                data.push(match places {
                    Some(places) => {
                        f64::from(u8::from(wanted.is_some_and(|one| places.contains(&one))))
                    }
                    None => f64::NAN,
                });
            }
            let part = Column {
                name: self.free_name(&format!("{name}_{code}")),
                label: answer.clone(),
                data: data.finish(),
                codes: Vec::new(),
                missing: Vec::new(),
                format: String::new(),
            };
            let column = self.add(part, Told { part: true, ..Told::default() });
            members.push(Member {
                code: Some(code.clone()),
                label: Some(answer.clone()),
                ..Member::of(column)
            });
        }
        let text = if text.is_empty() { label } else { text.to_owned() };
        if let Some(told) = self.told.get_mut(place) {
            told.part = true;
        }
        self.sets.push(Set { id: name, text, members, counted: Some(Value::Number(1.0)) });
    }

    /// Returns a name that no column has yet.
    pub(super) fn free_name(&self, wanted: &str) -> String {
        let taken = |name: &str| self.columns.iter().any(|column| column.name == name);
        if !taken(wanted) {
            return wanted.to_owned();
        }
        (2_u32..)
            .map(|number| format!("{wanted}_{number}"))
            .find(|name| !taken(name))
            .unwrap_or_else(|| wanted.to_owned())
    }
}

/// The most answers of a column with several answers.
const MOST_ANSWERS: usize = 500;

const SEPARATORS: [char; 5] = [';', ',', '|', ' ', '\t'];

fn parts(cell: &str) -> impl Iterator<Item = &str> {
    cell.split(SEPARATORS).map(str::trim).filter(|part| !part.is_empty())
}

/// Writes a code like a number: `7` for `07` and `7.0`.
fn canonical(code: &str) -> String {
    match super::cells::parse_number(code, false) {
        Some(number) => number.to_string(),
        None => code.to_owned(),
    }
}

fn is_missing(missing: &[Missing], code: &str) -> bool {
    let number = super::cells::parse_number(code, false);
    missing.iter().any(|missing| match missing {
        Missing::Value(Value::Number(value)) => number == Some(*value),
        Missing::Value(Value::Text(value)) => value == code,
        Missing::Range(low, high) => number.is_some_and(|number| (*low..=*high).contains(&number)),
    })
}

/// Returns a column's values as texts, as a person would write them.
pub(super) fn as_texts(data: &Data) -> Data {
    if let Data::Texts { .. } = data {
        return data.clone();
    }
    let mut texts = Texts::default();
    for row in 0..data.len() {
        texts.push(&data.number(row).map(|number| number.to_string()).unwrap_or_default());
    }
    texts.finish()
}
