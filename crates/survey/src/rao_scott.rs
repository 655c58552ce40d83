//! Whether two questions are associated: the chi-square test of a weighted table.

use crate::coded::{Weights, encode_columns, find_question};
use crate::distributions::{chi_square_tail, f_tail};
use crate::figure::{Base, FigureError, Weighting};
use crate::project::Project;
use crate::study::{Kind, Question, Study};
use crate::weighted::Count;

/// Above this many degrees of freedom there is no Rao–Scott correction: its matrices grow with their square.
const MOST_DEGREES: usize = 600;

/// The results of the chi-square tests of a table of two questions.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Association {
    /// Respondents who answered both.
    pub base: Base,
    /// `(rows - 1)(columns - 1)`, counting only rows and columns that have respondents.
    pub degrees: f64,
    /// Pearson's, from the weighted shares and the number of respondents: `n Σ(p - e)² / e`.
    pub chi_square: f64,
    /// Cramér's V, 0 (none) to 1: `sqrt(chi_square / (n · min(rows - 1, columns - 1)))`.
    pub strength: f64,
    /// `None` if the table is too large, or has too many empty cells for a correction.
    pub rao_scott: Option<RaoScott>,
    /// The p-value of Pearson's with Kish's effective base instead of the number of respondents: `nₑ Σ(p - e)² / e`.
    pub p_effective: f64,
}

/// The Rao–Scott corrections of a chi-square.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RaoScott {
    /// Pearson's divided by the sum of the generalised design effects.
    pub f: f64,
    pub degrees: f64,
    pub degrees_below: f64,
    /// The second-order p-value: F with these degrees of freedom.
    pub p: f64,
    /// The first-order p-value: Pearson's divided by the mean design effect, with the degrees of freedom of chi-square.
    pub p_first_order: f64,
}

impl Project {
    /// Tests whether two questions of a study are associated.
    ///
    /// Counts only respondents who answered both; with weights, only those with a weight above 0.
    ///
    /// # Errors
    ///
    /// Fails if a place does not exist, if a question has no answers or allows several, or if fewer than two answers of either were given.
    pub fn association(
        &self,
        study: usize,
        one: usize,
        other: usize,
        weighting: Weighting,
    ) -> Result<Association, FigureError> {
        let study = self.studies.get(study).ok_or(FigureError::NoStudy { number: study + 1 })?;
        let (one, other) = (find_question(study, one)?, find_question(study, other)?);
        let weights = Weights::of(study, weighting)?.0;
        let cells = if is_crossed(one) && is_crossed(other) {
            crossed(study, one, other, &weights)?
        } else {
            vec![]
        };
        association(&cells).ok_or_else(|| FigureError::NotCrossed {
            question: one.id.clone(),
            other: other.id.clone(),
        })
    }
}

fn is_crossed(question: &Question) -> bool {
    matches!(question.kind, Kind::Single | Kind::Scale) && question.columns.len() == 1
}

/// Counts the respondents for each pair of answers to two questions.
fn crossed(
    study: &Study,
    one: &Question,
    other: &Question,
    weights: &Weights<'_>,
) -> Result<Vec<Vec<Count>>, FigureError> {
    let mut cells = vec![vec![Count::default(); other.answers.len()]; one.answers.len()];
    let (one, other) = (encode_columns(study, one)?, encode_columns(study, other)?);
    let (Some(one), Some(other)) = (one.first(), other.first()) else { return Ok(cells) };
    for row in 0..study.respondents {
        let weight = weights.weight(row);
        if weight > 0.0
            && let Some(cells) = cells.get_mut(usize::from(one.place(row)))
            && let Some(count) = cells.get_mut(usize::from(other.place(row)))
        {
            count.add(weight);
        }
    }
    Ok(cells)
}

/// Tests a table of counts, given row by row; `None` if fewer than two rows or columns have respondents.
///
/// Rao and Scott (1984), On chi-squared tests for multiway contingency tables with cell proportions estimated from
/// survey data, with Satterthwaite's approximation, as R's `svychisq` computes it for a sample without strata and
/// clusters. `p` are the weighted shares of the cells and `V` is their linearised covariance; `C` are contrasts of the
/// interaction, orthogonal to both main effects; `D = diag(1/p)`. The design effects are the eigenvalues of `Δ = (C'DC
/// / n)⁻¹ (C'DVDC)`, of which only the sum and the sum of squares are needed: `F = X² / tr Δ` on `d = (tr Δ)² / tr Δ²`
/// and `d(n - 1)` degrees.
pub fn association(cells: &[Vec<Count>]) -> Option<Association> {
    let table = Cells::of(cells)?;
    let (n, whole) = (table.whole.respondents, table.whole.weight);
    let (mut departure, across) = (0.0, |count: &Count| count.weight / whole);
    let rows: Vec<f64> = (0..table.rows)
        .map(|row| (0..table.columns).map(|column| across(table.at(row, column))).sum())
        .collect();
    let columns: Vec<f64> = (0..table.columns)
        .map(|column| (0..table.rows).map(|row| across(table.at(row, column))).sum())
        .collect();
    for (row, of_row) in rows.iter().enumerate() {
        for (column, of_column) in columns.iter().enumerate() {
            let expected = of_row * of_column;
            let beyond = across(table.at(row, column)) - expected;
            departure += beyond * beyond / expected;
        }
    }
    let degrees = ((table.rows - 1) * (table.columns - 1)) as f64;
    let effective = table.whole.effective();
    Some(Association {
        base: table.whole.base(),
        degrees,
        chi_square: n * departure,
        strength: (departure / (table.rows.min(table.columns) - 1) as f64).sqrt(),
        rao_scott: rao_scott(&table, n * departure, degrees),
        p_effective: chi_square_tail(effective * departure, degrees),
    })
}

/// A table without empty rows and columns.
struct Cells {
    rows: usize,
    columns: usize,
    counts: Vec<Count>,
    whole: Count,
}

impl Cells {
    fn of(cells: &[Vec<Count>]) -> Option<Cells> {
        let anybody = |count: &Count| count.respondents > 0.0;
        let width = cells.iter().map(Vec::len).max()?;
        let columns: Vec<usize> = (0..width)
            .filter(|column| cells.iter().any(|row| row.get(*column).is_some_and(anybody)))
            .collect();
        let kept: Vec<&Vec<Count>> = cells.iter().filter(|row| row.iter().any(anybody)).collect();
        if kept.len() < 2 || columns.len() < 2 {
            return None;
        }
        let counts: Vec<Count> = kept
            .iter()
            .flat_map(|row| {
                columns.iter().map(|column| row.get(*column).copied().unwrap_or_default())
            })
            .collect();
        let mut whole = Count::default();
        counts.iter().for_each(|count| whole.join(*count));
        Some(Cells { rows: kept.len(), columns: columns.len(), counts, whole })
    }

    fn at(&self, row: usize, column: usize) -> &Count {
        &self.counts[row * self.columns + column]
    }
}

fn rao_scott(table: &Cells, chi_square: f64, degrees: f64) -> Option<RaoScott> {
    let (n, whole) = (table.whole.respondents, table.whole.weight);
    let size = (table.rows - 1) * (table.columns - 1);
    if size > MOST_DEGREES || n < 2.0 {
        return None;
    }
    let (of_rows, of_columns) = (contrasts(table.rows), contrasts(table.columns));
    let contrast = |number: usize, cell: usize| {
        of_rows[number / (table.columns - 1)][cell / table.columns]
            * of_columns[number % (table.columns - 1)][cell % table.columns]
    };
    // C'DC / n, and C'DVDC with V = n / (n - 1) · (diag(q) - pq' - qp' + Σq · pp') / (Σw)², where q is Σw² of a cell.
    let (mut below, mut above) = (vec![vec![0.0; size]; size], vec![vec![0.0; size]; size]);
    let (mut ones, mut squares) = (vec![0.0; size], vec![0.0; size]);
    for (cell, count) in table.counts.iter().enumerate().filter(|(_, count)| count.weight > 0.0) {
        let share = count.weight / whole;
        let row: Vec<f64> = (0..size).map(|number| contrast(number, cell)).collect();
        for (one, left) in row.iter().enumerate() {
            ones[one] += left;
            squares[one] += left * count.squares / share;
            for (other, right) in row.iter().enumerate() {
                below[one][other] += left * right / share / n;
                above[one][other] += left * right * count.squares / (share * share);
            }
        }
    }
    let scale = n / (n - 1.0) / (whole * whole);
    for (one, row) in above.iter_mut().enumerate() {
        for (other, value) in row.iter_mut().enumerate() {
            *value -= ones[one] * squares[other] + squares[one] * ones[other];
            *value += table.whole.squares * ones[one] * ones[other];
            *value *= scale;
        }
    }
    let effects = solved(below, above)?;
    let sum: f64 = (0..size).map(|one| effects[one][one]).sum();
    let of_squares: f64 = (0..size)
        .flat_map(|one| (0..size).map(move |other| (one, other)))
        .map(|(one, other)| effects[one][other] * effects[other][one])
        .sum();
    let (f, second) = (chi_square / sum, sum * sum / of_squares);
    let p = f_tail(f, second, second * (n - 1.0));
    let p_first_order = chi_square_tail(chi_square / (sum / degrees), degrees);
    (!p.is_nan()).then_some(RaoScott {
        f,
        degrees: second,
        degrees_below: second * (n - 1.0),
        p,
        p_first_order,
    })
}

/// Returns the Helmert contrasts of `levels` levels: orthogonal to each other and to a constant, each of length 1.
fn contrasts(levels: usize) -> Vec<Vec<f64>> {
    (1..levels)
        .map(|number| {
            let length = ((number * (number + 1)) as f64).sqrt();
            (0..levels)
                .map(|level| match level.cmp(&number) {
                    std::cmp::Ordering::Less => 1.0 / length,
                    std::cmp::Ordering::Equal => -(number as f64) / length,
                    std::cmp::Ordering::Greater => 0.0,
                })
                .collect()
        })
        .collect()
}

/// Returns `matrix⁻¹ · right` by elimination with pivoting; `None` if the matrix has no inverse.
fn solved(mut matrix: Vec<Vec<f64>>, mut right: Vec<Vec<f64>>) -> Option<Vec<Vec<f64>>> {
    let size = matrix.len();
    let largest = matrix.iter().flatten().fold(0.0_f64, |most, value| most.max(value.abs()));
    for step in 0..size {
        let pivot = (step..size)
            .max_by(|one, other| matrix[*one][step].abs().total_cmp(&matrix[*other][step].abs()))?;
        matrix.swap(step, pivot);
        right.swap(step, pivot);
        if matrix[step][step].abs() <= largest * 1e-13 {
            return None;
        }
        let (pivot_row, pivot_right) = (matrix[step].clone(), right[step].clone());
        for row in (0..size).filter(|row| *row != step) {
            let factor = matrix[row][step] / pivot_row[step];
            if factor != 0.0 {
                let of = matrix[row].iter_mut().zip(&pivot_row).skip(step);
                of.for_each(|(value, pivot)| *value -= factor * pivot);
                let of = right[row].iter_mut().zip(&pivot_right);
                of.for_each(|(value, pivot)| *value -= factor * pivot);
            }
        }
    }
    for (step, row) in right.iter_mut().enumerate() {
        row.iter_mut().for_each(|value| *value /= matrix[step][step]);
    }
    Some(right)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(cells: &[&[f64]]) -> Vec<Vec<Count>> {
        let count = |n: &f64| Count { respondents: *n, weight: *n, squares: *n };
        cells.iter().map(|row| row.iter().map(count).collect()).collect()
    }

    // proves: B5
    #[test]
    fn without_weights_the_correction_is_nearly_none() {
        let found = association(&table(&[&[30.0, 20.0, 10.0], &[10.0, 20.0, 30.0]])).unwrap();
        assert!((found.chi_square - 20.0).abs() < 1e-12);
        assert_eq!(found.degrees, 2.0);
        assert!((found.strength - (20.0 / 120.0_f64).sqrt()).abs() < 1e-12);
        assert!((found.p_effective - chi_square_tail(20.0, 2.0)).abs() < 1e-15);
        let corrected = found.rao_scott.unwrap();
        assert!((corrected.f * 2.0 / 20.0 - 1.0).abs() < 0.1);
        assert!((corrected.degrees - 2.0).abs() < 0.05);
    }

    // proves: B5
    #[test]
    fn empty_rows_and_columns_are_as_if_nobody_had_listed_them() {
        let full = association(&table(&[&[30.0, 20.0], &[10.0, 25.0]])).unwrap();
        let wide = association(&table(&[&[30.0, 0.0, 20.0], &[0.0, 0.0, 0.0], &[10.0, 0.0, 25.0]]));
        assert_eq!(wide, Some(full));
        assert_eq!(association(&table(&[&[3.0, 4.0], &[0.0, 0.0]])), None);
        assert_eq!(association(&[]), None);
        // One empty cell still allows a correction; only empty corners do not.
        assert!(association(&table(&[&[30.0, 0.0], &[10.0, 25.0]])).unwrap().rao_scott.is_some());
    }

    #[test]
    fn a_matrix_without_inverse_is_told() {
        assert_eq!(solved(vec![vec![1.0, 2.0], vec![2.0, 4.0]], vec![vec![1.0], vec![1.0]]), None);
        let found = solved(vec![vec![0.0, 2.0], vec![4.0, 0.0]], vec![vec![2.0], vec![4.0]]);
        assert_eq!(found, Some(vec![vec![1.0], vec![1.0]]));
    }
}
