//! A codebook: what the columns of a data file mean.
//!
//! One line per variable, with a header. Only `variable` is required; the other columns may be absent or empty:
//!
//! | column | holds | example |
//! |---|---|---|
//! | `variable` | the name of the column in the data | `q5` |
//! | `label` | the words of the question | `How satisfied are you?` |
//! | `type` | `single`, `multi`, `scale`, `numeric` or `open` | `scale` |
//! | `values` | what values mean, in the order of tables; `\|` writes a bar | `1=Very dissatisfied\|2=…` |
//! | `missing` | values that are no answer; ranges have a hyphen | `98\|99\|900-999` |
//! | `top` | which end of a scale is its top: `highest` or `lowest` | `lowest` |
//! | `role` | `weight`, `segment` or `id` | `segment` |
//! | `set` | id and words of the multiple-response set that the column belongs to | `Q8: Brands known` |
//! | `grid` | id and words of the grid that the column is a row of | `Q7: How important is …` |
//!
//! A column of a set holds 1 if its answer was given; if `values` has other values, the one that means yes, or else the
//! first. Columns of a set with more than two values hold the answers themselves. A `multi` column without a set holds
//! its answers side by side: `1;3;7`.

use std::collections::HashMap;

use super::ReadError;
use super::cells::parse_number;
use crate::study::{Code, Grid, Kind, Missing, Top, Value};

use super::raw::Role;

/// The description of one variable.
#[derive(Debug, Clone, Default)]
pub(super) struct Entry {
    pub(super) variable: String,
    pub(super) label: String,
    pub(super) kind: Option<Kind>,
    pub(super) codes: Vec<Code>,
    pub(super) missing: Vec<Missing>,
    pub(super) top: Option<Top>,
    pub(super) role: Option<Role>,
    /// Id and words.
    pub(super) set: Option<Grid>,
    pub(super) grid: Option<Grid>,
    /// Whether it holds dates or times.
    pub(super) moment: bool,
    /// Whether it holds numbers, so that texts in it are not values.
    pub(super) numbers: bool,
}

/// A line of a table, with its number in the file.
pub(super) type Line = (usize, Vec<String>);

pub(super) const COLUMNS: [&str; 9] =
    ["variable", "label", "type", "values", "missing", "top", "role", "set", "grid"];

/// Reads a codebook from the lines of a table, the first of which is its header.
pub(super) fn read_entries(file: &str, lines: &[Line]) -> Result<Vec<Entry>, ReadError> {
    let Some(((first, header), lines)) = lines.split_first() else {
        return Err(ReadError::Empty { file: file.to_owned() });
    };
    let mut columns: HashMap<&str, usize> = HashMap::new();
    for (place, name) in header.iter().enumerate() {
        let name = name.trim().to_lowercase();
        if name.is_empty() {
            continue;
        }
        let Some(known) = COLUMNS.into_iter().find(|column| *column == name) else {
            return Err(ReadError::setting(
                file,
                format!("line {first}"),
                format!("{name:?} is not a column of a codebook"),
                format!("its columns are {}", COLUMNS.join(", ")),
            ));
        };
        columns.insert(known, place);
    }
    if !columns.contains_key("variable") {
        return Err(ReadError::setting(
            file,
            format!("line {first}"),
            "the column \"variable\" is missing",
            format!("begin with a header that contains {}", COLUMNS.join(",")),
        ));
    }
    let mut entries: Vec<Entry> = Vec::new();
    let mut seen: HashMap<String, usize> = HashMap::new();
    for (number, line) in lines {
        let cell = |column: &str| {
            let place = columns.get(column);
            place.and_then(|place| line.get(*place)).map_or("", |cell| cell.trim())
        };
        if line.iter().all(|cell| cell.trim().is_empty()) {
            continue;
        }
        let entry = read_entry(&cell).map_err(|(column, problem, remedy)| {
            let place = format!("line {number}, column {column}, variable {:?}", cell("variable"));
            ReadError::setting(file, place, problem, remedy)
        })?;
        if let Some(before) = seen.insert(entry.variable.clone(), *number) {
            return Err(ReadError::setting(
                file,
                format!("line {number}"),
                format!("{:?} is described twice, first on line {before}", entry.variable),
                "keep one of the two",
            ));
        }
        entries.push(entry);
    }
    Ok(entries)
}

/// The column, what is wrong there, and what to write instead.
type Wrong = (&'static str, String, String);

fn read_entry<'a>(cell: &dyn Fn(&str) -> &'a str) -> Result<Entry, Wrong> {
    let variable = cell("variable").to_owned();
    if variable.is_empty() {
        return Err((
            "variable",
            "it is empty".into(),
            "write the name of a column of the data".into(),
        ));
    }
    let kind = match cell("type").to_lowercase().as_str() {
        "" => None,
        other => Some(kind(other).ok_or_else(|| {
            let remedy = "write single, multi, scale, numeric or open";
            ("type", format!("{other:?} is not a type"), remedy.to_owned())
        })?),
    };
    let top = match cell("top").to_lowercase().as_str() {
        "" => None,
        "highest" => Some(Top::Highest),
        "lowest" => Some(Top::Lowest),
        other => {
            return Err((
                "top",
                format!("{other:?} is not an end of a scale"),
                "write highest or lowest".into(),
            ));
        }
    };
    let role = match cell("role").to_lowercase().as_str() {
        "" => None,
        "weight" => Some(Role::Weight),
        "segment" => Some(Role::Segment),
        "id" => Some(Role::Id),
        other => {
            return Err((
                "role",
                format!("{other:?} is not a role"),
                "write weight, segment or id, or leave it empty".into(),
            ));
        }
    };
    Ok(Entry {
        label: cell("label").to_owned(),
        kind,
        codes: codes(cell("values"))?,
        missing: missing(cell("missing"))?,
        top,
        role,
        set: named(cell("set")),
        grid: named(cell("grid")),
        moment: false,
        numbers: matches!(kind, Some(Kind::Numeric | Kind::Scale)),
        variable,
    })
}

/// Returns the kind of question that a word names.
pub(super) fn kind(word: &str) -> Option<Kind> {
    [Kind::Single, Kind::Multi, Kind::Scale, Kind::Numeric, Kind::Open]
        .into_iter()
        .find(|kind| kind.name() == word)
}

fn codes(cell: &str) -> Result<Vec<Code>, Wrong> {
    let mut codes: Vec<Code> = Vec::new();
    for part in bars(cell) {
        let (value, label) = part.split_once('=').ok_or_else(|| {
            let remedy = "write each as value=label, with bars between: 1=Yes|2=No".to_owned();
            ("values", format!("{part:?} has no label"), remedy)
        })?;
        let code = Code { value: value_of(value), label: label.trim().to_owned() };
        if codes.iter().any(|known| known.value == code.value) {
            let remedy = "give each value one label".to_owned();
            return Err(("values", format!("{} is listed twice", code.value), remedy));
        }
        codes.push(code);
    }
    // A list is of numbers or of texts, never of both: `1=Yes|DK=Don't know` is of texts.
    if codes.iter().any(|code| matches!(code.value, Value::Text(_))) {
        for code in &mut codes {
            code.value = Value::Text(code.value.to_string());
        }
    }
    Ok(codes)
}

fn missing(cell: &str) -> Result<Vec<Missing>, Wrong> {
    bars(cell)
        .iter()
        .map(|part| {
            if let Some(range) = parse_range(part) {
                let (low, high) = range;
                if low > high {
                    let remedy = format!("write {high}-{low}");
                    return Err(("missing", format!("the range {part:?} runs backwards"), remedy));
                }
                return Ok(Missing::Range(low, high));
            }
            Ok(Missing::Value(value_of(part)))
        })
        .collect()
}

/// Reads `900-999`, and `-99--90` below zero.
fn parse_range(text: &str) -> Option<(f64, f64)> {
    if parse_number(text, false).is_some() {
        return None;
    }
    text.char_indices().skip(1).filter(|(_, letter)| *letter == '-').find_map(|(place, _)| {
        let (low, high) = (text.get(..place)?, text.get(place + 1..)?);
        Some((parse_number(low, false)?, parse_number(high, false)?))
    })
}

fn value_of(text: &str) -> Value {
    let text = text.trim();
    parse_number(text, false).map_or_else(|| Value::Text(text.to_owned()), Value::Number)
}

/// Reads `Q8: Brands known`: an id and the words.
fn named(cell: &str) -> Option<Grid> {
    let (id, text) = cell.split_once(':').unwrap_or((cell, ""));
    let id = id.trim();
    (!id.is_empty()).then(|| Grid { id: id.to_owned(), text: text.trim().to_owned() })
}

/// Splits at bars that have no backslash before them.
fn bars(cell: &str) -> Vec<String> {
    let mut parts = vec![String::new()];
    let mut letters = cell.chars().peekable();
    while let Some(letter) = letters.next() {
        let Some(part) = parts.last_mut() else { break };
        match letter {
            '\\' if letters.peek() == Some(&'|') => part.extend(letters.next()),
            '|' => parts.push(String::new()),
            other => part.push(other),
        }
    }
    parts.iter().map(|part| part.trim().to_owned()).filter(|part| !part.is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn lines(text: &str) -> Vec<Line> {
        let line = |line: &str| line.split(',').map(str::to_owned).collect();
        text.lines().enumerate().map(|(place, one)| (place + 1, line(one))).collect()
    }

    #[test]
    fn a_line_of_a_codebook_says_what_a_variable_is() {
        let text = "variable,label,type,values,missing,top,role,set,grid\n\
            q5,Satisfied?,scale,1=Bad|2=Good \\| fine,98|900-999|-99--90,lowest,segment,,Q5: Rate\n\
            \n\
            w,,,,,,weight,,\n\
            b1,Brand A,multi,,,,,Q8: Brands,";
        let entries = read_entries("c.csv", &lines(text)).unwrap();
        let first = &entries[0];
        assert_eq!(first.kind, Some(Kind::Scale));
        assert_eq!(first.codes[1].label, "Good | fine");
        assert_eq!(first.codes[1].value, Value::Number(2.0));
        assert_eq!(
            first.missing,
            [
                Missing::Value(Value::Number(98.0)),
                Missing::Range(900.0, 999.0),
                Missing::Range(-99.0, -90.0)
            ]
        );
        assert_eq!((first.top, first.role), (Some(Top::Lowest), Some(Role::Segment)));
        assert_eq!(first.grid, Some(Grid { id: "Q5".into(), text: "Rate".into() }));
        assert_eq!(entries[1].role, Some(Role::Weight));
        assert_eq!(entries[2].set.as_ref().unwrap().text, "Brands");
    }

    #[test]
    fn what_is_wrong_in_a_codebook_is_told_with_its_place() {
        for (text, expected) in [
            ("variable,kind\nq,single", "c.csv, line 1: \"kind\" is not a column of a codebook"),
            ("label\nx", "the column \"variable\" is missing"),
            (
                "variable,type\nq,choice",
                "line 2, column type, variable \"q\": \"choice\" is not a type; write single,",
            ),
            ("variable,values\nq,1", "\"1\" has no label; write each as value=label"),
            ("variable,values\nq,1=a|01=b", "1 is listed twice"),
            ("variable,missing\nq,9-1", "the range \"9-1\" runs backwards; write 1-9"),
            ("variable,label\nq,a\nq,b", "line 3: \"q\" is described twice, first on line 2"),
            ("variable,label\n,a", "line 2, column variable"),
        ] {
            let error = read_entries("c.csv", &lines(text)).unwrap_err().to_string();
            assert!(error.contains(expected), "{error}");
        }
    }

    proptest! {
        #[test]
        fn any_table_is_a_codebook_or_an_error(
            cells in proptest::collection::vec(proptest::collection::vec("[ -~|=]{0,12}", 0..9), 0..6)
        ) {
            let header: Vec<String> = COLUMNS.map(str::to_owned).into();
            let lines: Vec<Line> =
                std::iter::once(header).chain(cells).enumerate().collect();
            let _ = read_entries("c.csv", &lines);
        }
    }
}
