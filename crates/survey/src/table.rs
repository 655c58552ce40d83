//! A banner table: the answers to one question, for all respondents and for segments side by side.

mod columns;
mod footer;
mod rows;
mod tally;
mod waves;

use std::sync::atomic::{AtomicUsize, Ordering};

use serde::{Deserialize, Serialize};

use crate::coded::{self, Weights};
use crate::figure::uncertainty::level;
use crate::figure::{Base, FigureError, Level, Measure, Rules, Weighting};
use crate::project::Project;
use crate::study::{Kind, Study};
use columns::Columns;
use tally::Tally;
pub use waves::waves;

/// A banner table.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Table {
    /// The id of the study; the ids of several are separated by commas.
    pub study: String,
    /// The id of the question; if several studies asked it, its id in the first.
    pub question: String,
    pub text: String,
    pub kind: crate::study::Kind,
    /// The name of the weight; `None` if the table is unweighted.
    pub weight: Option<String>,
    /// The first is all respondents; in a table of [`waves`], each is a study.
    pub columns: Vec<Heading>,
    pub rows: Vec<Row>,
    /// What a reader of the page must know: weight, test, base, alpha, correction, marks, one sentence each.
    pub footer: Vec<String>,
    /// How the intervals of cells were computed; `None` if no cell has one. Not in the footer, because no page shows intervals.
    #[serde(default)]
    pub intervals: Option<String>,
}

/// A column of a banner.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Heading {
    /// The text of the question that the column is an answer to; empty for all respondents, and for a study.
    pub group: String,
    pub label: String,
    /// `A`, `B`, …, `Z`, `AA`, … through the whole banner; empty for all respondents.
    pub letter: String,
    /// The base of those who answered the question of the table.
    pub base: Base,
    /// Respondents of this column, whether or not they answered.
    pub respondents: u64,
    pub level: Level,
}

/// A row of a table.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Row {
    pub label: String,
    pub kind: RowKind,
    /// Whether it is a member of the net above. A member of several nets has a row below each.
    #[serde(default)]
    pub member: bool,
    /// One for each column.
    pub cells: Vec<Cell>,
}

/// What a row shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RowKind {
    /// Several answers together; stands above them.
    Net,
    Answer,
    /// A top or bottom box.
    Boxed,
    Nps,
    Mean,
    Median,
    Sd,
    Se,
    /// The respondents that mean and NPS rest on, if some answers have no score; unweighted.
    ScoredBase,
    /// All answers together.
    Sigma,
    /// Respondents without an answer, whether or not they were asked; above [`RowKind::Blank`], only those with a value
    /// declared as no answer.
    NoAnswer,
    /// Respondents without any value, if others have one declared as no answer.
    Blank,
}

impl RowKind {
    /// Returns whether the values of such a row are proportions.
    pub fn is_share(self) -> bool {
        matches!(
            self,
            RowKind::Net
                | RowKind::Answer
                | RowKind::Boxed
                | RowKind::Nps
                | RowKind::Sigma
                | RowKind::NoAnswer
                | RowKind::Blank
        )
    }
}

/// A cell of a table.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Cell {
    /// `None` if the base is too low, or if no one answered.
    pub value: Option<f64>,
    /// The weighted number of respondents; `None` for means and the like.
    pub count: Option<f64>,
    pub interval: Option<(f64, f64)>,
    /// The letters of the columns that this one is significantly higher than, as capitals at the stricter level.
    /// Separated by spaces in banners of more than 26 columns.
    pub letters: String,
}

/// Returns the banner table of one question: its answers, for all respondents and for the answers to the questions of
/// `columns`, in this order.
///
/// The base of a column is its respondents who answered the question; those without a weight above 0 are left out.
/// Columns of the same banner question are tested against each other pair by pair, with the tests of
/// [`Project::compare`](crate::project::Project), and letters are put into the higher cells. The columns of a question
/// with several answers overlap and are not tested. P-values are corrected over the pairs of columns of a banner
/// question in a row. A column with a base below [`Rules::least_base`] has no values.
///
/// Nets are in the order of their declaration, each above all its members. A scale has its top and bottom box from four
/// points on, and mean, median, standard deviation and standard error, like a numeric question. One from 0 to 10 has
/// promoters, passives, detractors and NPS instead of the bottom box. If some answers have no score, a row counts the
/// respondents that these rest on. The last rows are all answers together and those who gave none. The latter include
/// respondents who were not asked; these have a row of their own if there are values declared as no answer.
///
/// # Errors
///
/// Fails if a place does not exist, if the question is open, or if a question of the banner has no answers to divide by.
pub fn banner(
    project: &Project,
    study: usize,
    question: usize,
    columns: &[usize],
    weighting: Weighting,
    rules: &Rules,
) -> Result<Table, FigureError> {
    let study = project.studies.get(study).ok_or(FigureError::NoStudy { number: study + 1 })?;
    let (weights, weight) = Weights::of(study, weighting)?;
    let columns = Columns::of(study, columns, &weights)?;
    table(study, question, &columns, (&weights, weight), rules)
}

/// Returns the banner tables of several questions, each as from [`banner`], on as many threads as the machine runs at once.
///
/// # Errors
///
/// Fails if any of the tables does.
pub fn banners(
    project: &Project,
    study: usize,
    questions: &[usize],
    columns: &[usize],
    weighting: Weighting,
    rules: &Rules,
) -> Result<Vec<Table>, FigureError> {
    let study = project.studies.get(study).ok_or(FigureError::NoStudy { number: study + 1 })?;
    let (weights, weight) = Weights::of(study, weighting)?;
    let columns = Columns::of(study, columns, &weights)?;
    let next = AtomicUsize::new(0);
    let work = || {
        let mut made = vec![];
        loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            let Some(&question) = questions.get(number) else { return made };
            made.push((number, table(study, question, &columns, (&weights, weight), rules)));
        }
    };
    let threads = std::thread::available_parallelism().map_or(1, usize::from).min(questions.len());
    let mut made = std::thread::scope(|scope| {
        let others: Vec<_> = (1..threads).map(|_| scope.spawn(work)).collect();
        let mut made = work();
        for other in others {
            match other.join() {
                Ok(tables) => made.extend(tables),
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
        made
    });
    made.sort_by_key(|(number, _)| *number);
    made.into_iter().map(|(_, table)| table).collect()
}

/// A table, and what each of its rows measures if it is tested.
struct Made {
    table: Table,
    measures: Vec<Option<Measure>>,
}

/// Makes the table with all respondents as its only column.
fn made_of(
    project: &Project,
    study: usize,
    question: usize,
    weighting: Weighting,
    rules: &Rules,
) -> Result<Made, FigureError> {
    let study = project.studies.get(study).ok_or(FigureError::NoStudy { number: study + 1 })?;
    let (weights, weight) = Weights::of(study, weighting)?;
    made(study, question, &Columns::of(study, &[], &weights)?, (&weights, weight), rules)
}

fn table(
    study: &Study,
    place: usize,
    columns: &Columns,
    weighting: (&Weights<'_>, Option<&str>),
    rules: &Rules,
) -> Result<Table, FigureError> {
    Ok(made(study, place, columns, weighting, rules)?.table)
}

fn made(
    study: &Study,
    place: usize,
    columns: &Columns,
    (weights, weight): (&Weights<'_>, Option<&str>),
    rules: &Rules,
) -> Result<Made, FigureError> {
    let question = coded::find_question(study, place)?;
    if question.kind == Kind::Open {
        return Err(FigureError::NoTable {
            question: question.id.clone(),
            kind: question.kind.name(),
        });
    }
    let tally = Tally::of(study, question, columns, weights)?;
    let headings: Vec<Heading> = columns
        .headings
        .iter()
        .zip(tally.answered.iter().zip(&tally.everybody))
        .map(|(column, (answered, everybody))| {
            let base = answered.base();
            Heading {
                group: column.group.clone(),
                label: column.label.clone(),
                letter: column.letter.clone(),
                base,
                respondents: everybody.respondents as u64,
                level: level(&base, rules),
            }
        })
        .collect();
    let made = rows::rows(question, &tally, columns, rules);
    let footer = footer::footer(weight, question, &made, columns, &headings, rules);
    let table = Table {
        study: study.id.clone(),
        question: question.id.clone(),
        text: question.words(),
        kind: question.kind,
        weight: weight.map(str::to_owned),
        columns: headings,
        intervals: footer::intervals(&made.rows, rules),
        rows: made.rows,
        footer,
    };
    Ok(Made { table, measures: made.measures })
}
