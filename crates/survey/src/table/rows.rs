//! The rows of a table: nets above their members, boxes, NPS below its parts, mean and the rest.

use std::cell::Cell as Kept;

use super::columns::{Columns, Group};
use super::tally::Tally;
use super::{Cell, Row, RowKind};
use crate::adjust::adjusted;
use crate::figure::difference::difference;
use crate::figure::sample::score_promoters;
use crate::figure::uncertainty::{Measured, Part, level};
use crate::figure::{Level, Measure, Rules};
use crate::proportions::Untested;
use crate::study::{Kind, Question};
use crate::weighted::{Count, Moments, median};

/// Scales with at least this many points have boxes of two; with fewer, the boxes would meet in the middle.
const POINTS_WITH_BOXES: usize = 4;
/// The parts of NPS, with the number that [`score_promoters`] gives each.
const NPS_PARTS: [(&str, f64); 3] =
    [("Promoters (9–10)", 1.0), ("Passives (7–8)", 0.0), ("Detractors (0–6)", -1.0)];

/// Returns how many respondents of each column gave an answer without a score, which mean and NPS leave out.
fn count_unscored(question: &Question, tally: &Tally) -> Vec<f64> {
    let of_column = |column: usize, answered: &Count| {
        let respondents = |counts: &[Count]| counts.get(column).map_or(0.0, |one| one.respondents);
        let scored = match (&tally.numbers, question.kind) {
            (Some(numbers), _) => {
                numbers.get(column).map_or(0.0, |(moments, _)| moments.count.respondents)
            }
            (None, Kind::Scale) => question
                .answers
                .iter()
                .zip(&tally.answers)
                .filter(|(answer, _)| answer.score.is_some())
                .map(|(_, counts)| respondents(counts))
                .sum(),
            (None, _) => answered.respondents,
        };
        (answered.respondents - scored).max(0.0)
    };
    tally
        .answered
        .iter()
        .enumerate()
        .map(|(column, answered)| of_column(column, answered))
        .collect()
}

/// The rows of a table, and what a reader must know of how they were made.
pub(crate) struct Made {
    pub(crate) rows: Vec<Row>,
    /// What each row measures if it is tested.
    pub(crate) measures: Vec<Option<Measure>>,
    /// How many of all respondents who answered gave an answer without a score.
    pub(crate) without_score: u64,
    /// Whether an answer stands below more than one net.
    pub(crate) nets_overlap: bool,
    /// Whether columns that differ were not tested because answers agree within each of them.
    pub(crate) without_spread: bool,
}

pub(crate) fn rows(question: &Question, tally: &Tally, columns: &Columns, rules: &Rules) -> Made {
    let maker = Maker { tally, columns, rules, without_spread: Kept::new(false) };
    let (mut rows, mut measures) = (vec![], vec![]);
    for shown in shown(question) {
        measures.push(Some(Measure::Share(match shown {
            Shown::Net(net) => question.nets.get(net).map_or(vec![], |net| net.answers.clone()),
            Shown::Answer { answer, .. } => vec![answer],
        })));
        rows.push(match shown {
            Shown::Net(net) => {
                let label = question.nets.get(net).map_or("", |net| &net.label);
                maker.share(label, RowKind::Net, tally.nets.get(net))
            }
            Shown::Answer { answer, member } => {
                let label = question.answers.get(answer).map_or("", |answer| &answer.label);
                Row { member, ..maker.share(label, RowKind::Answer, tally.answers.get(answer)) }
            }
        });
    }
    if question.kind == Kind::Scale {
        let scores: Vec<f64> =
            question.answers.iter().map(|answer| answer.score.unwrap_or(f64::NAN)).collect();
        let promoters = score_promoters(question).ok().filter(|_| question.is_nps());
        let mut boxes = vec![];
        if scores.iter().filter(|score| !score.is_nan()).count() >= POINTS_WITH_BOXES {
            boxes.push(("Top 2 box", question.boxed(2, true)));
            // The worst two of eleven points add little to the detractors.
            if promoters.is_none() {
                boxes.push(("Bottom 2 box", question.boxed(2, false)));
            }
        }
        for (label, side) in NPS_PARTS {
            let Some(numbers) = &promoters else { break };
            let members = numbers.iter().enumerate().filter(|(_, number)| **number == side);
            boxes.push((label, members.map(|(place, _)| place).collect()));
        }
        for (label, answers) in boxes {
            rows.push(maker.share(label, RowKind::Boxed, Some(&maker.sum(&answers))));
            measures.push(Some(Measure::Share(answers)));
        }
        if let Some(numbers) = promoters {
            let parts = maker.parts(Measured::Nps, |column| maker.moments(&numbers, column));
            rows.push(maker.tested("NPS", RowKind::Nps, &parts));
            measures.push(Some(Measure::Nps));
        }
        rows.extend(maker.numbers(
            |column| maker.moments(&scores, column),
            |column| {
                let weights = |(score, count): (f64, Count)| (score, count.weight);
                median(&mut maker.values(&scores, column).into_iter().map(weights).collect())
            },
        ));
    } else if let Some(numbers) = &tally.numbers {
        rows.extend(maker.numbers(
            |column| numbers.get(column).map(|(moments, _)| *moments).unwrap_or_default(),
            |column| numbers.get(column).and_then(|(_, median)| *median),
        ));
    }
    // Nothing after the mean is tested.
    measures.extend(rows.get(measures.len()).map(|_| Some(Measure::Mean)));
    let without_score = count_unscored(question, tally);
    if without_score.iter().any(|without| *without > 0.0) {
        rows.push(maker.scored_base(&without_score));
    }
    if !question.answers.is_empty() {
        let all: Vec<usize> = (0..question.answers.len()).collect();
        rows.push(maker.plain("Sigma", RowKind::Sigma, &maker.sum(&all), &tally.answered));
    }
    rows.extend(maker.silent());
    measures.resize(rows.len(), None);
    Made {
        rows,
        measures,
        without_score: without_score.first().map_or(0, |without| *without as u64),
        nets_overlap: nets_overlap(question),
        without_spread: maker.without_spread.get(),
    }
}

/// Returns the letter of a lower column as the higher cell shows it for a p-value: a capital, a small one, or none.
pub(crate) fn letters(letter: &str, p: f64, rules: &Rules) -> String {
    if p < rules.strict_alpha {
        letter.to_owned()
    } else if p < rules.alpha {
        letter.to_lowercase()
    } else {
        String::new()
    }
}

enum Shown {
    Net(usize),
    /// Below its net if it is a `member`.
    Answer {
        answer: usize,
        member: bool,
    },
}

/// Lists answers and nets in their order, each net above all its members.
///
/// A net comes before the first of its members, after the nets declared before it. An answer in several nets is below each of them.
fn shown(question: &Question) -> Vec<Shown> {
    let mut shown = vec![];
    let mut next = 0;
    for answer in 0..question.answers.len() {
        let last = question.nets.iter().rposition(|net| net.answers.contains(&answer));
        for (number, net) in question.nets.iter().enumerate().skip(next) {
            if last.is_none_or(|last| number > last) {
                break;
            }
            next = number + 1;
            shown.push(Shown::Net(number));
            let mut members = net.answers.clone();
            members.sort_unstable();
            members.dedup();
            members.retain(|member| *member < question.answers.len());
            shown.extend(members.into_iter().map(|answer| Shown::Answer { answer, member: true }));
        }
        if last.is_none() {
            shown.push(Shown::Answer { answer, member: false });
        }
    }
    shown
}

fn nets_overlap(question: &Question) -> bool {
    (0..question.answers.len()).any(|answer| {
        let nets = question.nets.iter().filter(|net| net.answers.contains(&answer));
        nets.count() > 1
    })
}

struct Maker<'a> {
    tally: &'a Tally,
    columns: &'a Columns,
    rules: &'a Rules,
    without_spread: Kept<bool>,
}

impl Maker<'_> {
    fn width(&self) -> usize {
        self.columns.headings.len()
    }

    /// Returns the answers of a column, each with its number; those without one are left out.
    fn values(&self, numbers: &[f64], column: usize) -> Vec<(f64, Count)> {
        numbers
            .iter()
            .zip(&self.tally.answers)
            .filter(|(number, _)| !number.is_nan())
            .filter_map(|(number, counts)| Some((*number, *counts.get(column)?)))
            .collect()
    }

    fn moments(&self, numbers: &[f64], column: usize) -> Moments {
        Moments::of(&self.values(numbers, column))
    }

    /// Adds up several answers, counted as often as they were given.
    fn sum(&self, answers: &[usize]) -> Vec<Count> {
        let mut sums = vec![Count::default(); self.width()];
        for counts in answers.iter().filter_map(|answer| self.tally.answers.get(*answer)) {
            sums.iter_mut().zip(counts).for_each(|(sum, count)| sum.join(*count));
        }
        sums
    }

    fn parts(&self, measured: Measured, moments: impl Fn(usize) -> Moments) -> Vec<Part> {
        let whole = self.tally.everybody.first().map_or(0.0, |count| count.respondents);
        (0..self.width()).map(|column| Part { moments: moments(column), measured, whole }).collect()
    }

    fn share(&self, label: &str, kind: RowKind, given: Option<&Vec<Count>>) -> Row {
        let given = given.map_or(&[][..], Vec::as_slice);
        let parts = self.parts(Measured::Share, |column| {
            let yes = given.get(column).copied().unwrap_or_default();
            let all = self.tally.answered.get(column).copied().unwrap_or_default();
            Moments::of(&[(1.0, yes), (0.0, all.without(yes))])
        });
        let mut row = self.tested(label, kind, &parts);
        for (cell, count) in row.cells.iter_mut().zip(given) {
            cell.count = cell.value.map(|_| count.weight);
        }
        row
    }

    /// Makes the rows of mean, median, standard deviation and standard error.
    fn numbers(
        &self,
        moments: impl Fn(usize) -> Moments,
        median: impl Fn(usize) -> Option<f64>,
    ) -> Vec<Row> {
        let parts = self.parts(Measured::Mean, moments);
        let row = |label: &str, kind: RowKind, value: &dyn Fn(usize, &Part) -> Option<f64>| {
            let cell = |(column, part): (usize, &Part)| Cell {
                value: value(column, part).filter(|_| self.is_told(part)),
                ..Cell::default()
            };
            Row {
                label: label.to_owned(),
                kind,
                member: false,
                cells: parts.iter().enumerate().map(cell).collect(),
            }
        };
        vec![
            self.tested("Mean", RowKind::Mean, &parts),
            row("Median", RowKind::Median, &|column, _| median(column)),
            row("Standard deviation", RowKind::Sd, &|_, part| part.moments.deviation()),
            row("Standard error", RowKind::Se, &|_, part| part.error(self.rules.test)),
        ]
    }

    /// Makes the row of the respondents behind mean and NPS, if some answers have no score.
    fn scored_base(&self, without_score: &[f64]) -> Row {
        let cell = |(answered, without): (&Count, &f64)| Cell {
            value: Some(answered.respondents - without),
            ..Cell::default()
        };
        Row {
            label: "Base: answers with a score".to_owned(),
            kind: RowKind::ScoredBase,
            member: false,
            cells: self.tally.answered.iter().zip(without_score).map(cell).collect(),
        }
    }

    /// Makes the rows of those who gave no answer: two if some have a value declared as no answer.
    fn silent(&self) -> Vec<Row> {
        let everybody = &self.tally.everybody;
        let less = |all: &[Count], others: &[Count]| -> Vec<Count> {
            all.iter().zip(others).map(|(all, others)| all.without(*others)).collect()
        };
        let silent = less(everybody, &self.tally.answered);
        let declared = &self.tally.declared;
        if declared.iter().all(|count| count.respondents == 0.0) {
            return vec![self.plain(
                "Not asked or no answer",
                RowKind::NoAnswer,
                &silent,
                everybody,
            )];
        }
        let blank = less(&silent, declared);
        vec![
            self.plain("Declared as no answer", RowKind::NoAnswer, declared, everybody),
            self.plain("Blank: not asked or no answer", RowKind::Blank, &blank, everybody),
        ]
    }

    fn is_told(&self, part: &Part) -> bool {
        let base = part.moments.count.base();
        base.unweighted > 0 && level(&base, self.rules) != Level::TooLow
    }

    /// Makes a row whose columns are tested against each other.
    fn tested(&self, label: &str, kind: RowKind, parts: &[Part]) -> Row {
        let mut cells: Vec<Cell> = parts
            .iter()
            .map(|part| match self.is_told(part) {
                true => Cell {
                    value: Some(part.moments.mean),
                    interval: part.interval(self.rules),
                    ..Cell::default()
                },
                false => Cell::default(),
            })
            .collect();
        for group in self.columns.groups.iter().filter(|group| !group.overlapping) {
            self.letter(group, parts, &mut cells);
        }
        Row { label: label.to_owned(), kind, member: false, cells }
    }

    /// Puts letters into the higher of two cells that differ. A correction covers the pairs of columns of this row and banner question.
    fn letter(&self, group: &Group, parts: &[Part], cells: &mut [Cell]) {
        let places = group.first..group.first + group.columns;
        let (mut pairs, mut p_values) = (vec![], vec![]);
        for one in places.clone() {
            for other in one + 1..places.end {
                let (Some(first), Some(second)) = (parts.get(one), parts.get(other)) else {
                    continue;
                };
                let is_tested = self.is_told(first) && self.is_told(second);
                let found = is_tested.then(|| difference(first, second, None, self.rules));
                if found.is_some_and(|found| found.untested == Some(Untested::NoSpread)) {
                    self.without_spread.set(true);
                }
                p_values.push(found.and_then(|found| found.p));
                let higher = if first.moments.mean > second.moments.mean {
                    (one, other)
                } else {
                    (other, one)
                };
                pairs.push(higher);
            }
        }
        let mut pairs: Vec<((usize, usize), f64)> = pairs
            .into_iter()
            .zip(adjusted(self.rules.correction, &p_values))
            .filter_map(|(pair, p)| Some((pair, p?)))
            .collect();
        pairs.sort_by_key(|((_, lower), _)| *lower);
        let apart = if self.width() > 27 { " " } else { "" };
        for ((higher, lower), p) in pairs {
            let Some(letter) = self.columns.headings.get(lower).map(|column| &column.letter) else {
                continue;
            };
            let letter = letters(letter, p, self.rules);
            if letter.is_empty() {
                continue;
            }
            if let Some(cell) = cells.get_mut(higher) {
                if !cell.letters.is_empty() {
                    cell.letters.push_str(apart);
                }
                cell.letters.push_str(&letter);
            }
        }
    }

    /// Makes a row that is not tested: shares of `of`.
    fn plain(&self, label: &str, kind: RowKind, counts: &[Count], of: &[Count]) -> Row {
        let cells = counts
            .iter()
            .zip(of)
            .map(|(count, of)| {
                let base = of.base();
                if base.unweighted == 0 || level(&base, self.rules) == Level::TooLow {
                    return Cell::default();
                }
                Cell {
                    value: Some(count.weight / of.weight),
                    count: Some(count.weight),
                    ..Cell::default()
                }
            })
            .collect();
        Row { label: label.to_owned(), kind, member: false, cells }
    }
}
