//! A question that several studies asked, with a column for each study.
//!
//! Each study is counted separately. Rows that say the same are aligned, and each study is tested against the next one.

use super::rows::letters;
use super::{Made, Row, RowKind, Table, footer, made_of};
use crate::adjust::adjusted;
use crate::expression::fold_name;
use crate::figure::alike::unlike;
use crate::figure::{Comparison, FigureError, Measure, Rules, Spec, Weighting};
use crate::project::Project;
use crate::table::columns::letter;

/// Returns a table of one question with a column for each study that asked it.
///
/// `asked` lists the studies, the first wave first, each with the place of the question
/// ([`Shared::members`](crate::project::Shared)) and the weighting. Each study is tested against the next one as
/// [`Project::compare`] tests two studies, and a letter is put into the higher cell. P-values are corrected over these
/// pairs in a row. A row that a study lacks is empty there.
///
/// # Errors
///
/// Fails if [`banner`](super::banner) does, or if `asked` is empty.
pub fn waves(
    project: &Project,
    asked: &[(usize, usize, Weighting)],
    rules: &Rules,
) -> Result<Table, FigureError> {
    let (mut waves, mut titles) = (vec![], vec![]);
    for (number, &(study, question, weighting)) in asked.iter().enumerate() {
        let Made { mut table, measures } = made_of(project, study, question, weighting, rules)?;
        let title = project.studies.get(study).map_or("", |study| &study.title);
        if title != table.study && !title.is_empty() {
            titles.push(format!("{} – {title}", table.study));
        }
        if let Some(heading) = table.columns.first_mut() {
            heading.label.clone_from(&table.study);
            heading.group.clear();
            heading.letter = letter(number);
        }
        let spec = Spec { study, question, measure: Measure::Base, segment: vec![], weighting };
        waves.push(Wave { table, measures, spec });
    }
    let first = waves.first().ok_or(FigureError::NoStudy { number: 1 })?;
    let (question, text, kind) =
        (first.table.question.clone(), first.table.text.clone(), first.table.kind);
    let mut told = vec![];
    let lines = align_rows(project, &waves);
    let is_incomplete = lines.iter().flatten().any(Option::is_none);
    let rows: Vec<Row> =
        lines.iter().map(|line| row(project, &waves, line, rules, &mut told)).collect();
    let ids: Vec<&str> = waves.iter().map(|wave| wave.table.study.as_str()).collect();
    let mut weights: Vec<&str> =
        waves.iter().filter_map(|wave| wave.table.weight.as_deref()).collect();
    weights.dedup();
    let footers: Vec<(&str, &[String])> =
        waves.iter().map(|wave| (&*wave.table.study, &*wave.table.footer)).collect();
    let intervals = footer::intervals(&rows, rules);
    let mut footer = footer::of_waves(&footers, &rows, &told, is_incomplete, rules);
    if !titles.is_empty() {
        footer.insert(0, format!("Studies: {}.", titles.join("; ")));
    }
    Ok(Table {
        study: ids.join(", "),
        question,
        text,
        kind,
        weight: (!weights.is_empty()).then(|| weights.join(", ")),
        footer,
        intervals,
        columns: waves.iter().flat_map(|wave| wave.table.columns.clone()).collect(),
        rows,
    })
}

/// A study with its own table, whose only column is all respondents.
struct Wave {
    table: Table,
    /// What each row measures if it is tested.
    measures: Vec<Option<Measure>>,
    /// The question, of all respondents.
    spec: Spec,
}

impl Wave {
    fn spec(&self, row: usize) -> Option<Spec> {
        let measure = self.measures.get(row)?.clone()?;
        Some(Spec { measure, ..self.spec.clone() })
    }
}

/// For each study, the place of its row that says the same as those of the others.
type Line = Vec<Option<usize>>;

/// Aligns the rows of the studies, in the order of the first study that has them.
fn align_rows(project: &Project, waves: &[Wave]) -> Vec<Line> {
    let mut lines: Vec<Line> = vec![];
    for (number, wave) in waves.iter().enumerate() {
        let mut after = 0;
        for place in 0..wave.table.rows.len() {
            let known = lines.iter().position(|line| {
                let is_free = line.get(number).is_none_or(Option::is_none);
                let latest = line.iter().zip(waves).rev().find_map(|(at, of)| Some((of, (*at)?)));
                is_free && latest.is_some_and(|(of, at)| is_same(project, (of, at), (wave, place)))
            });
            let at = known.unwrap_or(after);
            if known.is_none() {
                lines.insert(at, vec![None; waves.len()]);
            }
            if let Some(slot) = lines.get_mut(at).and_then(|line| line.get_mut(number)) {
                *slot = Some(place);
            }
            after = at + 1;
        }
    }
    lines
}

/// Returns whether two rows say the same: an answer that both studies have or, for other rows, an equal label.
fn is_same(project: &Project, (one, at): (&Wave, usize), (other, place): (&Wave, usize)) -> bool {
    let (Some(row), Some(other_row)) = (one.table.rows.get(at), other.table.rows.get(place)) else {
        return false;
    };
    if row.kind != other_row.kind || row.member != other_row.member {
        return false;
    }
    match (one.spec(at), other.spec(place)) {
        (Some(spec), Some(other)) if row.kind == RowKind::Answer => {
            unlike(project, &spec, &other).is_none()
        }
        _ => fold_name(&row.label) == fold_name(&other_row.label),
    }
}

/// Makes a row of all studies, and adds to `told` why neighbours were not tested.
fn row(
    project: &Project,
    waves: &[Wave],
    line: &Line,
    rules: &Rules,
    told: &mut Vec<String>,
) -> Row {
    let own = |wave: &Wave, at: Option<usize>| at.and_then(|at| wave.table.rows.get(at).cloned());
    let mut cells = vec![];
    let mut model = None;
    for (wave, at) in waves.iter().zip(line) {
        let row = own(wave, *at);
        let cell = row.as_ref().and_then(|row| row.cells.first().cloned());
        cells.push(cell.unwrap_or_default());
        model = model.or(row);
    }
    let is_told = |place: usize| cells.get(place).is_some_and(|cell| cell.value.is_some());
    let compared = |later: usize| -> Option<Comparison> {
        let earlier = later.checked_sub(1).filter(|earlier| is_told(*earlier) && is_told(later))?;
        let spec = |place: usize| waves.get(place)?.spec((*line.get(place)?)?);
        project.compare(&spec(later)?, &spec(earlier)?, rules).ok()
    };
    let found: Vec<Option<Comparison>> = (1..waves.len()).map(compared).collect();
    for comparison in found.iter().flatten().filter(|found| found.p.is_none()) {
        if !told.contains(&comparison.told) {
            told.push(comparison.told.clone());
        }
    }
    let p_values: Vec<Option<f64>> =
        found.iter().map(|found| found.as_ref().and_then(|found| found.p)).collect();
    let p_values = adjusted(rules.correction, &p_values);
    for ((earlier, found), p) in found.iter().enumerate().zip(p_values) {
        let (Some(found), Some(p)) = (found, p) else { continue };
        let rose = found.difference > 0.0;
        let (higher, lower) = if rose { (earlier + 1, earlier) } else { (earlier, earlier + 1) };
        if let Some(cell) = cells.get_mut(higher) {
            cell.letters.push_str(&letters(&letter(lower), p, rules));
        }
    }
    let (label, kind, member) = model
        .map_or((String::new(), RowKind::Answer, false), |row| (row.label, row.kind, row.member));
    Row { label, kind, member, cells }
}
