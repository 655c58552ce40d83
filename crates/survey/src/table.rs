//! A banner table: the answers to one question, for everybody and for segments beside each other.

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
    /// The id of the study; of several, with commas between.
    pub study: String,
    /// The id of the question; where several studies asked it, as the first calls it.
    pub question: String,
    pub text: String,
    pub kind: crate::study::Kind,
    /// The name of the weight; none where nobody is weighed.
    pub weight: Option<String>,
    /// The first is everybody; in a table of [`waves`], each is a study.
    pub columns: Vec<Heading>,
    pub rows: Vec<Row>,
    /// What a reader of the page must know: weight, test, base, alpha, correction, marks, one sentence each.
    pub footer: Vec<String>,
    /// How the intervals of cells were computed; none where no cell has one. Not in the footer, as no page shows them.
    #[serde(default)]
    pub intervals: Option<String>,
}

/// A column of a banner.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Heading {
    /// The text of the question that it is an answer to; empty for everybody. Of a study, nothing.
    pub group: String,
    pub label: String,
    /// `A`, `B`, …, `Z`, `AA`, … through the whole banner; empty for everybody.
    pub letter: String,
    /// Of those who answered the question of the table.
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
    /// Whether it is a member of the net above it. A member of several nets has a row below each.
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
    /// How many respondents mean and NPS rest on, where some answers have no score; unweighted.
    ScoredBase,
    /// All answers together.
    Sigma,
    /// Respondents without an answer, whether or not they were asked; above [`RowKind::Blank`] only those with a value that is declared to be none.
    NoAnswer,
    /// Respondents without any value, where others have one that is declared to be no answer.
    Blank,
}

impl RowKind {
    /// Tells whether the values of such a row are proportions.
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
    /// None where the base is too low, or nobody answered.
    pub value: Option<f64>,
    /// The weighted number of respondents; none for means and the like.
    pub count: Option<f64>,
    pub interval: Option<(f64, f64)>,
    /// The letters of the columns that this one is significantly higher than, capital where at the stricter level. With a space between them in banners
    /// of more than 26 columns.
    pub letters: String,
}

/// Returns the banner table of one question: its answers, for everybody and for the answers to the questions of `columns`, in this order.
///
/// The base of a column is who of it answered the question; whoever has no weight above 0 is left out. Columns of the same banner question are tested
/// against each other with the tests of [`Project::compare`](crate::project::Project), pair by pair, and letters put into the higher cells; the columns
/// of a question with several answers overlap and are not tested. P-values are corrected over the pairs of columns of a banner question in a row.
/// A column with a base below [`Rules::least_base`] has no values.
///
/// Nets stand in the order in which they were declared, each above all its members. A scale has its top and bottom box from four points on, and mean, median,
/// standard deviation and standard error, as a numeric question has. One from 0 to 10 has promoters, passives, detractors and NPS in place of
/// the bottom box. Where some answers have no score, the respondents that these rest on have a row. The last rows are all answers together and those who gave none: whoever
/// was not asked is among them, and has a row apart from values that are declared to be no answer where there are such.
///
/// # Errors
///
/// Fails where a place is not there, for a question in own words, and where a question of the banner has no answers to divide by.
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

/// Returns the banner tables of several questions, as [`banner`] returns one, with as many threads as the machine runs at once.
///
/// # Errors
///
/// Fails where any of the tables does.
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

/// A table, and for each of its rows what is measured in it, where it is tested.
struct Made {
    table: Table,
    measures: Vec<Option<Measure>>,
}

/// Makes the table of everybody alone.
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
