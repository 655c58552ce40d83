//! Studies made for a test.

use survey::figure::{Condition, Measure, Rules, Spec, Weighting};
use survey::project::Project;
use survey::study::{
    Answer, Column, Data, Format, Given, Kind, Missing, Net, Origin, Question, Study, Top, Value,
};

/// No answer.
pub(crate) const NONE: f64 = f64::NAN;

pub(crate) fn build_project(
    columns: Vec<Column>,
    questions: Vec<Question>,
    weight: Option<usize>,
) -> Project {
    Project { studies: vec![study("W1", columns, questions, weight)], ..Project::default() }
}

pub(crate) fn study(
    id: &str,
    columns: Vec<Column>,
    questions: Vec<Question>,
    weight: Option<usize>,
) -> Study {
    Study {
        id: id.into(),
        title: String::new(),
        origin: Origin { file: "made.csv".into(), format: Format::Csv, sha256: String::new() },
        respondents: columns.first().map_or(0, |column| column.data.len()),
        columns,
        questions,
        weight,
        segments: vec![],
        notes: vec![],
    }
}

pub(crate) fn column(name: &str, numbers: impl IntoIterator<Item = f64>) -> Column {
    Column {
        name: name.into(),
        label: String::new(),
        data: Data::numbers(numbers.into_iter().collect()),
        codes: vec![],
        missing: vec![],
        format: String::new(),
    }
}

pub(crate) fn missing(mut column: Column, number: f64) -> Column {
    column.missing.push(Missing::Value(Value::Number(number)));
    column
}

fn question(id: &str, kind: Kind, columns: Vec<usize>, answers: Vec<Answer>) -> Question {
    Question {
        id: id.into(),
        text: format!("{id}?"),
        kind,
        columns,
        answers,
        nets: vec![],
        grid: None,
        top: Top::Highest,
    }
}

fn answer(value: f64, score: Option<f64>) -> Answer {
    Answer {
        code: value.to_string(),
        label: format!("answer {value}"),
        score,
        given: Given::Is(Value::Number(value)),
    }
}

pub(crate) fn single(id: &str, column: usize, values: &[f64]) -> Question {
    let answers = values.iter().map(|value| answer(*value, None)).collect();
    question(id, Kind::Single, vec![column], answers)
}

pub(crate) fn scale(id: &str, column: usize, values: &[f64]) -> Question {
    let answers = values.iter().map(|value| answer(*value, Some(*value))).collect();
    question(id, Kind::Scale, vec![column], answers)
}

pub(crate) fn numeric(id: &str, column: usize) -> Question {
    question(id, Kind::Numeric, vec![column], vec![])
}

/// A set of columns in which 1 is counted.
pub(crate) fn dichotomies(id: &str, columns: &[usize]) -> Question {
    let answers = columns
        .iter()
        .map(|column| Answer {
            code: format!("c{column}"),
            label: format!("option {column}"),
            score: None,
            given: Given::Counted { column: *column, value: Value::Number(1.0) },
        })
        .collect();
    question(id, Kind::Multi, columns.to_vec(), answers)
}

/// A set of columns that hold any of the values.
pub(crate) fn categories(id: &str, columns: &[usize], values: &[f64]) -> Question {
    let answers = values.iter().map(|value| answer(*value, None)).collect();
    question(id, Kind::Multi, columns.to_vec(), answers)
}

pub(crate) fn net(mut question: Question, label: &str, answers: &[usize]) -> Question {
    question.nets.push(Net { label: label.into(), answers: answers.to_vec() });
    question
}

pub(crate) fn of(question: usize, measure: Measure) -> Spec {
    Spec { study: 0, question, measure, segment: vec![], weighting: Weighting::Study }
}

pub(crate) fn within(mut spec: Spec, question: usize, answers: &[usize]) -> Spec {
    spec.segment.push(Condition { question, answers: answers.to_vec() });
    spec
}

/// Rules under which small studies are told and tested.
pub(crate) fn small() -> Rules {
    Rules { least_base: 1, low_base: 2, ..Rules::default() }
}

#[track_caller]
pub(crate) fn near(one: f64, other: f64) {
    assert!((one - other).abs() <= 1e-12 * other.abs().max(1.0), "{one} is not {other}");
}
