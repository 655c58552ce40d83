//! The columns of a banner: which respondents are in which.

use crate::coded::{Weights, encode_columns, find_question};
use crate::figure::FigureError;
use crate::study::{Kind, Study};

/// How many groups of respondents who are in the same columns are counted at once: few enough to keep their counts in
/// the processor's cache.
const MOST_CELLS: usize = 2048;

/// The columns of a banner, all respondents first.
pub(crate) struct Columns {
    pub(crate) headings: Vec<Column>,
    /// The places of the columns of each banner question.
    pub(crate) groups: Vec<Group>,
    pub(crate) bundles: Vec<Bundle>,
}

pub(crate) struct Column {
    pub(crate) group: String,
    pub(crate) label: String,
    pub(crate) letter: String,
}

/// The columns of one banner question.
pub(crate) struct Group {
    pub(crate) first: usize,
    pub(crate) columns: usize,
    /// Whether a respondent can be in several of them.
    pub(crate) overlapping: bool,
}

/// Banner questions that are counted together: each respondent is in one cell, which is part of the respondent's columns.
pub(crate) struct Bundle {
    /// The cell of each respondent.
    pub(crate) cell: Vec<u16>,
    /// The columns that each cell is part of; empty for the last cell, which holds those who are left out.
    pub(crate) columns: Vec<Vec<usize>>,
}

/// A division of the respondents: one column for each of its parts, and one more part for those in none.
struct Division {
    question: usize,
    /// The answer of the only part; `None` if answers exclude each other.
    answer: Option<usize>,
    parts: usize,
    first: usize,
}

impl Columns {
    pub(crate) fn of(
        study: &Study,
        banner: &[usize],
        weights: &Weights<'_>,
    ) -> Result<Columns, FigureError> {
        let mut headings =
            vec![Column { group: String::new(), label: "Total".to_owned(), letter: String::new() }];
        let (mut groups, mut divisions) = (vec![], vec![]);
        for &place in banner {
            let question = find_question(study, place)?;
            if question.answers.is_empty() {
                return Err(FigureError::NoSegments {
                    question: question.id.clone(),
                    kind: question.kind.name(),
                });
            }
            let (first, columns) = (headings.len(), question.answers.len());
            if columns >= MOST_CELLS {
                return Err(FigureError::TooManyAnswers {
                    question: question.id.clone(),
                    answers: columns,
                    most: MOST_CELLS - 1,
                });
            }
            for answer in &question.answers {
                headings.push(Column {
                    group: if question.text.is_empty() { &question.id } else { &question.text }
                        .clone(),
                    label: answer.label.clone(),
                    letter: letter(headings.len() - 1),
                });
            }
            let overlapping = question.kind == Kind::Multi;
            groups.push(Group { first, columns, overlapping });
            if overlapping {
                divisions.extend((0..columns).map(|answer| Division {
                    question: place,
                    answer: Some(answer),
                    parts: 1,
                    first: first + answer,
                }));
            } else {
                divisions.push(Division { question: place, answer: None, parts: columns, first });
            }
        }
        Ok(Columns { headings, groups, bundles: bundles(study, &divisions, weights)? })
    }
}

/// Returns `A` for 0, `Z` for 25, `AA` for 26.
pub(crate) fn letter(index: usize) -> String {
    let (mut rest, mut letters) = (index + 1, vec![]);
    while rest > 0 {
        rest -= 1;
        letters.push(char::from(b'A' + (rest % 26) as u8));
        rest /= 26;
    }
    letters.iter().rev().collect()
}

fn bundles(
    study: &Study,
    divisions: &[Division],
    weights: &Weights<'_>,
) -> Result<Vec<Bundle>, FigureError> {
    let mut bundles = vec![];
    let mut rest = divisions;
    loop {
        let (mut taken, mut cells) = (0, 1);
        for division in rest {
            if cells * (division.parts + 1) > MOST_CELLS {
                break;
            }
            cells *= division.parts + 1;
            taken += 1;
        }
        let (now, later) = rest.split_at(taken);
        bundles.push(bundle(study, now, cells, weights)?);
        rest = later;
        if rest.is_empty() {
            return Ok(bundles);
        }
    }
}

fn bundle(
    study: &Study,
    divisions: &[Division],
    cells: usize,
    weights: &Weights<'_>,
) -> Result<Bundle, FigureError> {
    let mut cell = vec![0_u16; study.respondents];
    let mut columns: Vec<Vec<usize>> = vec![vec![]; cells];
    let mut step = 1;
    for division in divisions {
        let asked = find_question(study, division.question)?;
        let codes = encode_columns(study, asked)?;
        for (row, cell) in cell.iter_mut().enumerate() {
            let mut places = codes.iter().map(|codes| usize::from(codes.place(row)));
            let part = match division.answer {
                Some(answer) if places.any(|place| place == answer) => 0,
                Some(_) => division.parts,
                None => places.find(|place| *place < division.parts).unwrap_or(division.parts),
            };
            *cell += (part * step) as u16;
        }
        for (number, columns) in columns.iter_mut().enumerate() {
            let part = number / step % (division.parts + 1);
            if part < division.parts {
                columns.push(division.first + part);
            }
        }
        step *= division.parts + 1;
    }
    for (row, cell) in cell.iter_mut().enumerate() {
        if weights.weight(row) <= 0.0 {
            *cell = cells as u16;
        }
    }
    // All respondents are the first column.
    for columns in &mut columns {
        columns.insert(0, 0);
    }
    columns.push(vec![]);
    Ok(occupied(Bundle { cell, columns }))
}

/// Drops empty cells: most of them, if questions depend on each other or if every respondent answered.
fn occupied(bundle: Bundle) -> Bundle {
    let mut is_occupied = vec![false; bundle.columns.len()];
    for cell in &bundle.cell {
        if let Some(occupied) = is_occupied.get_mut(usize::from(*cell)) {
            *occupied = true;
        }
    }
    let (mut renamed, mut columns) = (vec![0_u16; bundle.columns.len()], vec![]);
    for ((new, of_cell), occupied) in renamed.iter_mut().zip(bundle.columns).zip(is_occupied) {
        *new = columns.len() as u16;
        if occupied {
            columns.push(of_cell);
        }
    }
    let mut cell = bundle.cell;
    for cell in &mut cell {
        *cell = renamed.get(usize::from(*cell)).copied().unwrap_or(0);
    }
    Bundle { cell, columns }
}

#[cfg(test)]
mod tests {
    use super::letter;

    #[test]
    fn letters_go_on_after_z() {
        assert_eq!(
            [0, 1, 25, 26, 27, 51, 52, 701, 702].map(letter).join(" "),
            "A B Z AA AB AZ BA ZZ AAA"
        );
    }
}
