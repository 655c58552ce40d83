//! The data of a Triple-S survey, in fixed columns or as CSV.

use super::definition::{Definition, Type, Variable};
use crate::read::cells::{Numbers, Texts, parse_number};
use crate::read::error::check_cells;
use crate::read::rating::is_outside;
use crate::read::raw::{Member, Raw, Role, Set, Told};
use crate::read::{File, ReadError, csv, text};
use crate::study::{Code, Column, Format, Kind, Missing, Value};

/// A variable that is being filled.
struct Arriving<'a> {
    variable: &'a Variable,
    columns: Vec<Cells>,
    /// Values that do not fit the type.
    odd: usize,
}

enum Cells {
    Numbers(Numbers),
    Texts(Texts),
}

/// Reads the data that a definition describes.
pub(super) fn read(file: &str, definition: &Definition, data: &File) -> Result<Raw, ReadError> {
    if data.bytes.is_empty() {
        return Err(ReadError::Empty { file: data.name.clone() });
    }
    let (text, note) = text::decode(&data.name, &data.bytes, None)?;
    let mut raw = Raw::new(file, Format::TripleS);
    raw.title.clone_from(&definition.title);
    raw.notes.extend(note);
    let width = definition.variables.iter().map(Variable::width).fold(0, usize::saturating_add);
    let check = |rows: usize| check_cells(file, rows, width, data.bytes.len());
    check(1)?;
    let mut arriving: Vec<Arriving<'_>> = definition.variables.iter().map(Arriving::new).collect();
    let mut rows = 0;
    let mut short = 0;
    let last = definition.variables.iter().map(|variable| variable.finish).max().unwrap_or(1);
    if definition.csv {
        let table = csv::table(&data.name, &data.bytes)?;
        for (_, cells) in table.iter().skip(definition.skip) {
            rows += 1;
            check(rows)?;
            short += usize::from(cells.len() < last);
            for one in &mut arriving {
                let fields = cells.get(one.variable.start - 1..).unwrap_or_default();
                one.take(fields.iter().map(String::as_str));
            }
        }
    } else {
        for line in text.lines().skip(definition.skip).filter(|line| !line.trim().is_empty()) {
            rows += 1;
            check(rows)?;
            short += usize::from(line.len() < last.min(definition.necessary()));
            let columns = Columns::of(line);
            for one in &mut arriving {
                let field = columns.get(one.variable.start, one.variable.finish);
                match one.variable.subfields.filter(|_| one.variable.kind == Type::Multiple) {
                    Some(subfields) => {
                        let letters = one.variable.finish - one.variable.start + 1;
                        one.take(spread(field, letters.div_ceil(subfields)).into_iter());
                    }
                    None => one.take(std::iter::once(field)),
                }
            }
        }
    }
    raw.respondents = rows;
    for one in arriving {
        one.finish(&mut raw);
    }
    raw.sets_are_known = raw.sets_are_known || !raw.sets.is_empty();
    let mut taken = Vec::new();
    let names = raw.columns.iter().map(|column| column.name.clone()).collect();
    for (column, name) in raw.columns.iter_mut().zip(csv::unique(names, &mut taken)) {
        column.name = name;
    }
    raw.notes.extend(taken);
    if short > 0 {
        raw.notes.push(format!(
            "lines of {} that end before the last variable; the rest counts as no answer: {short}",
            data.name
        ));
    }
    Ok(raw)
}

impl Definition {
    /// Returns where the last variable that is not text begins: lines may lack trailing blanks.
    fn necessary(&self) -> usize {
        let starts = self.variables.iter().filter(|variable| variable.kind != Type::Character);
        starts.map(|variable| variable.start).max().unwrap_or(1)
    }
}

/// A line of fixed columns, which are counted in characters.
struct Columns<'a> {
    line: &'a str,
    /// The positions of characters, for lines with multi-byte ones.
    starts: Option<Vec<usize>>,
}

impl<'a> Columns<'a> {
    fn of(line: &'a str) -> Columns<'a> {
        let starts = (!line.is_ascii()).then(|| line.char_indices().map(|(at, _)| at).collect());
        Columns { line, starts }
    }

    /// Returns the characters from `start` to `finish`, both counted from 1 and included.
    fn get(&self, start: usize, finish: usize) -> &'a str {
        let at = |place: usize| match &self.starts {
            Some(starts) => starts.get(place).copied().unwrap_or(self.line.len()),
            None => place.min(self.line.len()),
        };
        self.line.get(at(start - 1)..at(finish)).unwrap_or_default()
    }
}

/// Divides a field into subfields of `width` characters each; those beyond the end of the line are absent.
fn spread(field: &str, width: usize) -> Vec<&str> {
    let width = width.max(1);
    let starts: Vec<usize> =
        field.char_indices().map(|(at, _)| at).step_by(width).chain([field.len()]).collect();
    starts
        .windows(2)
        .map(|ends| match ends {
            [from, to] => field.get(*from..*to).unwrap_or_default(),
            _ => "",
        })
        .collect()
}

impl<'a> Arriving<'a> {
    fn new(variable: &'a Variable) -> Arriving<'a> {
        let numbers = || Cells::Numbers(Numbers::default());
        let texts = || Cells::Texts(Texts::default());
        let columns = match variable.kind {
            Type::Quantity | Type::Logical => vec![numbers()],
            Type::Character | Type::Date | Type::Time => vec![texts()],
            Type::Single => vec![if variable.textual() { texts() } else { numbers() }],
            Type::Multiple => match variable.subfields {
                Some(subfields) if variable.textual() => (0..subfields).map(|_| texts()).collect(),
                Some(subfields) => (0..subfields).map(|_| numbers()).collect(),
                None => variable.values.iter().map(|_| numbers()).collect(),
            },
        };
        Arriving { variable, columns, odd: 0 }
    }

    /// Takes the fields of one respondent.
    fn take<'b>(&mut self, mut fields: impl Iterator<Item = &'b str>) {
        if self.variable.kind == Type::Multiple && self.variable.subfields.is_none() {
            let bits = fields.next().unwrap_or_default();
            self.bits(bits);
            return;
        }
        for column in &mut self.columns {
            let field = fields.next().unwrap_or_default();
            match column {
                Cells::Texts(texts) => texts.push(&written(self.variable.kind, field)),
                Cells::Numbers(numbers) => {
                    let field = field.trim();
                    let value = match self.variable.kind {
                        Type::Logical => truth(field),
                        // A subfield without an answer is filled with zeros.
                        Type::Multiple if field.bytes().all(|byte| byte == b'0') => None,
                        _ => parse_number(field, false),
                    };
                    let blank = field.is_empty()
                        || (self.variable.kind == Type::Multiple && value.is_none());
                    self.odd += usize::from(value.is_none() && !blank);
                    numbers.push(value.unwrap_or(f64::NAN));
                }
            }
        }
    }

    /// Takes a bitstring, in which place 1 stands for code 1 and so on.
    fn bits(&mut self, bits: &str) {
        let bits = bits.trim_end();
        let answered = bits.bytes().any(|bit| matches!(bit, b'0' | b'1'));
        self.odd += usize::from(bits.bytes().any(|bit| !matches!(bit, b'0' | b'1' | b' ')));
        for ((code, _), column) in self.variable.values.iter().zip(&mut self.columns) {
            let place = code.parse::<usize>().ok().and_then(|code| code.checked_sub(1));
            let set = place.and_then(|place| bits.as_bytes().get(place)) == Some(&b'1');
            if let Cells::Numbers(numbers) = column {
                numbers.push(if answered { f64::from(u8::from(set)) } else { f64::NAN });
            }
        }
    }

    /// Adds the columns to the data.
    fn finish(self, raw: &mut Raw) {
        let variable = self.variable;
        if self.odd > 0 {
            raw.notes.push(format!(
                "values of {} that do not fit its type and count as no answer: {}",
                variable.name, self.odd
            ));
        }
        let several = self.columns.len() > 1 || variable.kind == Type::Multiple;
        let mut members = Vec::new();
        for (place, cells) in self.columns.into_iter().enumerate() {
            let data = match cells {
                Cells::Numbers(numbers) => numbers.finish(),
                Cells::Texts(texts) => texts.finish(),
            };
            let answer =
                variable.values.get(place).filter(|_| several && variable.subfields.is_none());
            let name = match answer {
                Some((code, _)) => format!("{}_{code}", variable.name),
                None if several => format!("{}_{}", variable.name, place + 1),
                None => variable.name.clone(),
            };
            let label = answer.map_or(&variable.label, |(_, label)| label);
            let mut column = Column { label: label.clone(), ..csv::column(name, data) };
            if answer.is_none() {
                column.codes = variable.codes();
                column.missing = variable.missing();
            }
            let moment = matches!(variable.kind, Type::Date | Type::Time);
            if moment {
                column.format = "ISO 8601".to_owned();
            }
            let told = Told {
                kind: match variable.kind {
                    Type::Quantity => Some(Kind::Numeric),
                    Type::Character => Some(Kind::Open),
                    _ => None,
                },
                role: match variable.used_for.as_str() {
                    "serial" => Some(Role::Id),
                    "weight" => Some(Role::Weight),
                    _ => None,
                },
                moment,
                part: several,
                ..Told::default()
            };
            let column = raw.add(column, told);
            members.push(match answer {
                Some((code, label)) => Member {
                    code: Some(code.clone()),
                    label: Some(label.clone()),
                    ..Member::of(column)
                },
                None => Member::of(column),
            });
        }
        if several && !members.is_empty() {
            raw.sets.push(Set {
                id: variable.name.clone(),
                text: variable.label.clone(),
                members,
                counted: variable.subfields.is_none().then_some(Value::Number(1.0)),
            });
        }
    }
}

impl Variable {
    /// Returns how many columns it becomes.
    fn width(&self) -> usize {
        match (self.kind, self.subfields) {
            (Type::Multiple, Some(subfields)) => subfields,
            (Type::Multiple, None) => self.values.len(),
            _ => 1,
        }
    }

    /// Returns whether its codes are texts.
    fn textual(&self) -> bool {
        self.literal || self.values.iter().any(|(code, _)| parse_number(code, false).is_none())
    }

    fn codes(&self) -> Vec<Code> {
        if self.kind == Type::Logical {
            let code = |value: f64, label: &str| Code {
                value: Value::Number(value),
                label: label.to_owned(),
            };
            return vec![code(1.0, "Yes"), code(0.0, "No")];
        }
        let textual = self.textual();
        let value = |code: &str| match parse_number(code, false).filter(|_| !textual) {
            Some(number) => Value::Number(number),
            None => Value::Text(code.to_owned()),
        };
        let codes = self.values.iter();
        codes.map(|(code, label)| Code { value: value(code), label: label.clone() }).collect()
    }

    /// Returns the special values of a quantity that are not amounts.
    fn missing(&self) -> Vec<Missing> {
        if self.kind != Type::Quantity {
            return Vec::new();
        }
        let none = self.values.iter().filter(|(_, label)| is_outside(label));
        none.filter_map(|(code, _)| Some(Missing::Value(Value::Number(parse_number(code, false)?))))
            .collect()
    }
}

fn truth(field: &str) -> Option<f64> {
    match field {
        "1" | "Y" | "y" | "T" | "t" => Some(1.0),
        "0" | "N" | "n" | "F" | "f" => Some(0.0),
        _ => None,
    }
}

/// Writes dates and times in ISO 8601.
fn written(kind: Type, field: &str) -> String {
    let field = field.trim();
    let digits = field.bytes().all(|byte| byte.is_ascii_digit());
    match (kind, field.len()) {
        (Type::Date, 8) if digits => {
            let part = |from: usize, to: usize| field.get(from..to).unwrap_or_default();
            format!("{}-{}-{}", part(0, 4), part(4, 6), part(6, 8))
        }
        (Type::Time, 4 | 6) if digits => {
            let part = |from: usize| field.get(from..from + 2);
            let parts = [part(0), part(2), part(4)];
            parts.into_iter().flatten().collect::<Vec<_>>().join(":")
        }
        _ => field.to_owned(),
    }
}
