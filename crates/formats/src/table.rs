//! What the first row of a table is where nothing marks it, and which rows belong to a group.

use crate::sheet::{Kind, kind_of, may_name};

/// How many rows are looked at below the first.
pub(crate) const LOOKED_AT: usize = 50;
/// A table of more rows is no form.
const LONGEST_FORM: usize = 40;
/// How many values of one kind below each other make a column of a table, rather than the answers of a form.
const FEWEST_VALUES: usize = 3;
/// The longest name of a group, in bytes.
const LONGEST_GROUP: usize = 160;
/// What stands between the name of a group and that of a group within.
const BETWEEN: &str = " · ";

/// Returns whether the first row of a table names its columns, as far as its words tell.
///
/// It does not if it has values where the rows below have values of the same kind, nor if the table may be a form: two columns, of which
/// the first names what the second holds. Of a form, the first row would be taken for the names of what are no columns: "Tenant: Landlord;
/// Mara Quint: Otto Fenn".
pub fn names_columns<S: AsRef<str>>(rows: &[Vec<S>]) -> bool {
    !begins_with_values(rows) && !may_be_form(rows)
}

/// Returns whether the first row has a number or a date where most of the rows below have one. A year is one only if years follow.
fn begins_with_values<S: AsRef<str>>(rows: &[Vec<S>]) -> bool {
    let Some((first, below)) = rows.split_first() else { return true };
    let below = &below[..below.len().min(LOOKED_AT)];
    first.iter().enumerate().any(|(column, cell)| {
        let Some(kind) = value_of(cell.as_ref()) else { return false };
        let filled =
            below.iter().filter_map(|row| row.get(column)).map(|cell| cell.as_ref().trim());
        let filled: Vec<&str> = filled.filter(|cell| !cell.is_empty()).collect();
        let is_year = may_name(cell.as_ref());
        let is_like = |cell: &&&str| value_of(cell) == Some(kind) && (!is_year || may_name(cell));
        let alike = filled.iter().filter(is_like).count();
        alike > 0 && alike * 3 >= filled.len() * 2
    })
}

/// Returns whether a table of two columns may be a form, whose rows are names and values.
pub(crate) fn may_be_form<S: AsRef<str>>(rows: &[Vec<S>]) -> bool {
    let cell = |row: &Vec<S>, column: usize| -> String {
        row.get(column).map_or(String::new(), |cell| cell.as_ref().trim().to_owned())
    };
    let is_wide = |row: &Vec<S>| row.iter().skip(2).any(|cell| !cell.as_ref().trim().is_empty());
    if rows.len() > LONGEST_FORM || rows.iter().any(is_wide) {
        return false;
    }
    let Some((first, below)) = rows.split_first() else { return false };
    let mut names: Vec<String> = rows.iter().map(|row| cell(row, 0)).collect();
    let is_nameless = names.iter().any(|name| name.is_empty() || value_of(name).is_some());
    names.sort_unstable();
    let is_repeated = names.windows(2).any(|pair| pair[0] == pair[1]);
    if is_nameless || is_repeated || cell(first, 1).is_empty() {
        return false;
    }
    // A column of values has a name above.
    let values: Vec<_> = below
        .iter()
        .map(|row| cell(row, 1))
        .filter(|it| !it.is_empty())
        .map(|it| value_of(&it))
        .collect();
    let is_column = values.len() >= FEWEST_VALUES
        && values[0].is_some()
        && values.iter().all(|value| *value == values[0]);
    !is_column || value_of(&cell(first, 1)).is_some()
}

/// What values are compared by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Value {
    Number,
    Date,
}

fn value_of(text: &str) -> Option<Value> {
    let text = text.trim();
    match kind_of(text) {
        Kind::Number(_) => return Some(Value::Number),
        Kind::Date => return Some(Value::Date),
        Kind::Text | Kind::Flag | Kind::Error => {}
    }
    // `54 %`, `6.9 m`, `£ 1,200`
    let digits = text.chars().filter(char::is_ascii_digit).count();
    (digits > 0 && digits * 2 > text.chars().filter(|c| c.is_alphanumeric()).count())
        .then_some(Value::Number)
}

/// A row of a table, as far as groups go.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Line<'a> {
    /// Its first words.
    pub(crate) label: &'a str,
    /// Whether its only cell covers all columns.
    pub(crate) is_whole: bool,
    /// The part of the table that it is in. A group that has rows in its part has none in the next.
    pub(crate) part: usize,
}

impl Line<'_> {
    /// Returns whether it names the rows below it.
    pub(crate) fn is_group(&self) -> bool {
        let label = self.label.trim();
        let is_sentence = label.ends_with(['.', '。', '!', '?']);
        self.is_whole
            && label.starts_with(char::is_alphanumeric)
            && label.len() <= LONGEST_GROUP
            && !is_sentence
    }

    /// Returns whether it adds up the table, as far as its words tell.
    fn is_total(&self) -> bool {
        const TOTALS: [&str; 24] = [
            "all",
            "alle",
            "celkem",
            "ensemble",
            "gesamt",
            "grand",
            "insgesamt",
            "overall",
            "razem",
            "sum",
            "suma",
            "summa",
            "summe",
            "total",
            "totaal",
            "totale",
            "totali",
            "totals",
            "totalt",
            "toplam",
            "всего",
            "итого",
            "合計",
            "合计",
        ];
        let word = self.label.split(|c: char| !c.is_alphanumeric()).find(|word| !word.is_empty());
        word.is_some_and(|word| TOTALS.contains(&word.to_lowercase().as_str()))
    }
}

/// Returns for each row the name of its group, blank for none; `None` for a row that names one. Returns nothing for a table without groups.
///
/// A row that covers all columns is the name of the rows below it, up to the next: without it, the ages of men and of women could not be
/// told apart by who is shown one row. Several such rows on top of each other are a group and the groups within. A total at the end of a
/// table belongs to the last group only if the others have theirs.
pub(crate) fn groups(lines: &[Line]) -> Option<Vec<Option<String>>> {
    let mut names: Vec<Option<String>> = vec![Some(String::new()); lines.len()];
    let mut open: Vec<usize> = Vec::new();
    let (mut part, mut has_rows) = (0, false);
    let (mut first, mut last) = (None, 0);
    for (index, line) in lines.iter().enumerate() {
        if line.is_group() {
            let follows = index > 0 && lines[index - 1].is_group();
            let is_followed = lines.get(index + 1).is_some_and(Line::is_group);
            match (follows, is_followed) {
                (true, _) => {}
                (false, true) => open.clear(),
                (false, false) => drop(open.pop()),
            }
            open.push(index);
            (part, has_rows) = (line.part, false);
            continue;
        }
        if line.part != part {
            if has_rows {
                open.clear();
            }
            part = line.part;
        }
        has_rows = true;
        let Some(group) = open.last() else { continue };
        first = first.or(Some(*group));
        last = *group;
        let parts: Vec<&str> = open.iter().map(|group| lines[*group].label.trim()).collect();
        names[index] = Some(parts.join(BETWEEN));
        for group in &open {
            names[*group] = None;
        }
    }
    first?;
    let total = |line: &Line| !line.is_whole && line.is_total();
    let (before, after) = lines.split_at(last + 1);
    if !lines[last].is_total()
        && !before.iter().any(total)
        && let Some(at) = after.iter().position(total)
    {
        names[last + 1 + at..].fill(Some(String::new()));
    }
    Some(names)
}

/// Puts the names of the groups before the rows of a table, in a column of its own, and leaves out the rows that named them.
///
/// `lines` tell of the rows below the head, which comes first in `rows`.
pub(crate) fn put_groups(rows: Vec<Vec<String>>, lines: &[Line]) -> Vec<Vec<String>> {
    let Some(names) = groups(lines) else { return rows };
    let head = std::iter::once(Some(String::new()));
    let mut found = Vec::with_capacity(rows.len());
    for (mut row, name) in rows.into_iter().zip(head.chain(names)) {
        if let Some(name) = name {
            row.insert(0, name);
            found.push(row);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(table: &str) -> Vec<Vec<&str>> {
        table.lines().map(|line| line.split('|').map(str::trim).collect()).collect()
    }

    // proves: A6
    #[test]
    fn a_form_has_no_names_of_columns() {
        for form in [
            "Tenant | Mara Quint\nLandlord | Otto Fenn",
            "Tenant | Mara Quint\nRent | 900\nStart | 2024-05-01\nNotice | 3 months",
            "Rent | 900\nDeposit | 1800\nFee | 50\nArea | 61",
            "Name | Mara\nAge | 30",
        ] {
            assert!(!names_columns(&rows(form)), "{form}");
        }
        for table in [
            "Port | Metres\nBrest | 6.9\nDover | 6.7\nOstend | 4.4",
            "Drink | Share\nTea | 54 %\nCoffee | 40 %\nMilk | 6 %",
            "Role | Name | Since\nTenant | Mara Quint | 2019\nLandlord | Otto Fenn | 2011",
            "Year | Event\n1911 | Flood\n1911 | Fire\n1912 | Calm",
            "| Town\nMara | Hull\nOtto | Bath",
        ] {
            assert!(names_columns(&rows(table)), "{table}");
        }
        let long: String = (0..60).map(|at| format!("k{at} | v{at}\n")).collect();
        assert!(names_columns(&rows(&long)));
    }

    // proves: A6
    #[test]
    fn values_above_values_are_no_names() {
        for table in [
            "Brest | 6.9 | 1.2\nDover | 6.7 | 0.8",
            "Brest | 6.9 m | x\nDover | 6.7 m | y",
            "Otto | 2019 | Hull\nMara | 2021 | Bath",
            "Otto | 2024-01-05 | Hull\nMara | 2024-02-07 | Bath",
        ] {
            assert!(!names_columns(&rows(table)), "{table}");
        }
        assert!(names_columns(&rows("Drink | 2019 | 2020\nTea | 54 % | 56 %\nMilk | 3 % | 2 %")));
        assert!(!names_columns(&rows("")));
    }

    fn check(table: &str, expected: &[Option<&str>]) {
        let lines: Vec<Line> = table
            .split(", ")
            .map(|row| {
                let (row, part) = row.split_once('@').unwrap_or((row, "0"));
                let label = row.trim_start_matches('=');
                Line { label, is_whole: row.starts_with('='), part: part.parse().unwrap() }
            })
            .collect();
        let found = groups(&lines).unwrap_or_default();
        let found: Vec<Option<&str>> = found.iter().map(Option::as_deref).collect();
        assert_eq!(found, expected, "{table}");
    }

    // proves: A6
    #[test]
    fn a_row_over_all_columns_names_those_below_it() {
        let (men, women) = (Some("Men"), Some("Women"));
        check("a, =Men, b, c, =Women, d", &[Some(""), None, men, men, None, women]);
        check("a, b", &[]);
        check("a, =Men", &[]);
        check("=It was cold., a", &[]);
        // Its total is the table's, unless each group has one.
        check("=Men, a, =Women, b, Total, x", &[None, men, None, women, Some(""), Some("")]);
        check("=Men, a, All, =Women, b, All", &[None, men, men, None, women, women]);
        check("=Men, a, =Women", &[None, men, Some("")]);
        check("=Men, a, =All, b, All", &[None, men, None, Some("All"), Some("All")]);
        check(
            "=2024, =Men, a, =Women, b, =2025, =Men, c",
            &[
                None,
                None,
                Some("2024 · Men"),
                None,
                Some("2024 · Women"),
                None,
                None,
                Some("2025 · Men"),
            ],
        );
        // It ends with its part of the table.
        check("=Men@1, a@1, b@2", &[None, men, Some("")]);
        check("=Men@1, a@2, b@2, c@3", &[None, men, men, Some("")]);
    }
}
