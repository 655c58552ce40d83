//! `quaestio survey info`: what studies hold.

use run::grounding::clean;
use serde_json::{Value, json};

use survey::figure::{Measure, Rules, Spec, Weighting};
use survey::project::Project;
use survey::study::{Column, Question, Study};

use crate::cli::InfoFormat;
use crate::output;

/// Returns the studies of a project and the questions that they share, as text or JSON.
pub(super) fn info(project: &Project, format: InfoFormat) -> String {
    match format {
        InfoFormat::Json => format!("{}\n", output::json(&told(project))),
        InfoFormat::Text => page(project),
    }
}

/// Figures of a weight column.
struct Weight<'a> {
    name: &'a str,
    lowest: f64,
    highest: f64,
    /// The sum over the respondents with a weight above 0.
    sum: f64,
    /// Kish: the square of the sum over the sum of squares.
    effective_base: f64,
    /// Respondents without a weight above 0.
    without: usize,
}

impl Weight<'_> {
    fn of(study: &Study) -> Option<Weight<'_>> {
        let column: &Column = study.columns.get(study.weight?)?;
        let weights = (0..study.respondents)
            .filter_map(|row| column.answer(row))
            .filter(|weight| *weight > 0.0 && weight.is_finite());
        let (mut number, mut sum, mut squares) = (0, 0.0, 0.0);
        let (mut lowest, mut highest) = (f64::INFINITY, 0.0_f64);
        for weight in weights {
            number += 1;
            sum += weight;
            squares += weight * weight;
            lowest = lowest.min(weight);
            highest = highest.max(weight);
        }
        (number > 0).then(|| Weight {
            name: &column.name,
            lowest,
            highest,
            sum,
            effective_base: sum * sum / squares,
            without: study.respondents - number,
        })
    }
}

fn list_segments(study: &Study) -> Vec<&Question> {
    study.segments.iter().filter_map(|place| study.questions.get(*place)).collect()
}

fn told(project: &Project) -> Value {
    let studies: Vec<Value> =
        (0..project.studies.len()).filter_map(|place| study_told(project, place)).collect();
    let shared: Vec<Value> = project
        .shared()
        .iter()
        .map(|shared| {
            let members: Vec<Value> = shared
                .members
                .iter()
                .filter_map(|at| {
                    let study = project.studies.get(at.0)?;
                    let question = project.question_at(*at)?;
                    Some(json!({ "study": study.id, "question": question.id }))
                })
                .collect();
            json!({ "id": shared.id, "text": shared.text, "asked": members })
        })
        .collect();
    json!({ "studies": studies, "shared": shared })
}

/// Returns how many respondents answered a question.
fn answered(project: &Project, study: usize, question: usize) -> Option<u64> {
    let (measure, weighting, segment) = (Measure::Base, Weighting::Nobody, vec![]);
    let base = Spec { study, question, measure, segment, weighting };
    Some(project.figure(&base, &Rules::default()).ok()?.base.unweighted)
}

fn study_told(project: &Project, place: usize) -> Option<Value> {
    let study = project.studies.get(place)?;
    let weight = Weight::of(study).map(|weight| {
        json!({
            "name": weight.name,
            "lowest": weight.lowest,
            "highest": weight.highest,
            "sum": weight.sum,
            "effective_base": weight.effective_base,
            "respondents_without": weight.without,
        })
    });
    let questions = study.questions.iter().enumerate();
    let questions: Vec<Value> = questions
        .map(|(at, question)| question_told(question, answered(project, place, at)))
        .collect();
    Some(json!({
        "id": study.id,
        "title": study.title,
        "origin": study.origin,
        "respondents": study.respondents,
        "columns": study.columns.len(),
        "weight": weight,
        "segments": list_segments(study).iter().map(|question| &question.id).collect::<Vec<_>>(),
        "questions": questions,
        "notes": study.notes,
    }))
}

fn question_told(question: &Question, answered: Option<u64>) -> Value {
    let answers: Vec<Value> = question
        .answers
        .iter()
        .map(|answer| json!({ "code": answer.code, "label": answer.label, "score": answer.score }))
        .collect();
    let labels = |places: &[usize]| -> Vec<&str> {
        places
            .iter()
            .filter_map(|place| Some(question.answers.get(*place)?.code.as_str()))
            .collect()
    };
    let nets: Vec<Value> = question
        .nets
        .iter()
        .map(|net| json!({ "label": net.label, "answers": labels(&net.answers) }))
        .collect();
    json!({
        "id": question.id,
        "text": question.text,
        "kind": question.kind,
        "answered": answered,
        "grid": question.grid,
        "answers": answers,
        "nets": nets,
        "top": question.answers.iter().any(|answer| answer.score.is_some()).then_some(question.top),
    })
}

fn page(project: &Project) -> String {
    let mut lines = Vec::new();
    for (place, study) in project.studies.iter().enumerate() {
        if !lines.is_empty() {
            lines.push(String::new());
        }
        study_page(project, (place, study), &mut lines);
    }
    let shared = group_shared(project);
    if !shared.is_empty() {
        lines.push(String::new());
        lines.push("Asked in several studies:".to_owned());
    }
    lines.extend(shared.iter().map(|(studies, ids)| format!("  {studies}: {}", ids.join(", "))));
    let mut page = String::new();
    for line in lines {
        page.push_str(clean(&line).trim_end());
        page.push('\n');
    }
    page
}

/// Groups shared questions by the studies that ask them; each group comes with the names of its studies.
fn group_shared(project: &Project) -> Vec<(String, Vec<String>)> {
    let mut shared: Vec<(String, Vec<String>)> = Vec::new();
    for one in project.shared() {
        let asked = one
            .members
            .iter()
            .filter_map(|at| Some((&project.studies.get(at.0)?.id, &project.question_at(*at)?.id)));
        let (mut studies, mut called) = (vec![], vec![one.id.clone()]);
        for (study, id) in asked {
            studies.push(study.as_str());
            // A question's usual id need not be repeated.
            if !id.eq_ignore_ascii_case(&one.id) {
                called.push(format!("{id} in {study}"));
            }
        }
        let (studies, called) = (studies.join(", "), called.join(" = "));
        match shared.iter_mut().find(|(known, _)| *known == studies) {
            Some((_, ids)) => ids.push(called),
            None => shared.push((studies, vec![called])),
        }
    }
    shared
}

fn study_page(project: &Project, (place, study): (usize, &Study), lines: &mut Vec<String>) {
    let title = if study.title == study.id { String::new() } else { format!(": {}", study.title) };
    lines.push(words(&format!("{}{title}", study.id)));
    let format = serde_json::to_value(study.origin.format).ok();
    let format = format.as_ref().and_then(Value::as_str).unwrap_or_default();
    lines.push(words(&format!("  from {} ({})", study.origin.file, format.replace('_', "-"))));
    lines.push(format!("  {} respondents, {} columns", study.respondents, study.columns.len()));
    lines.push(match Weight::of(study) {
        Some(Weight { name, lowest, highest, effective_base, without, .. }) => {
            let without = match without {
                0 => String::new(),
                number => format!("; {number} respondents have none above 0"),
            };
            format!("  weighted by {name}, from {lowest:.3} to {highest:.3}, effective base {effective_base:.1}{without}")
        }
        None => "  not weighted".to_owned(),
    });
    let segments: Vec<&str> =
        list_segments(study).iter().map(|question| question.id.as_str()).collect();
    match segments.is_empty() {
        true => lines.push("  no segments".to_owned()),
        false => lines.push(format!("  segments: {}", segments.join(", "))),
    }
    lines.push(format!("  {} questions:", study.questions.len()));
    let width = study.questions.iter().map(|question| question.id.chars().count()).max();
    let width = width.unwrap_or(0).min(24);
    for (at, question) in study.questions.iter().enumerate() {
        let base = answered(project, place, at).map_or(String::new(), |base| format!("n = {base}"));
        let answers = match question.answers.len() {
            0 => String::new(),
            number => format!("{number} answers"),
        };
        let (id, kind) = (&question.id, question.kind.name());
        let text: String = words(&question.words()).chars().take(100).collect();
        lines.push(format!("    {id:width$}  {kind:7}  {answers:>11}  {base:>9}  {text}"));
    }
    if !study.notes.is_empty() {
        lines.push("  notes:".to_owned());
    }
    lines.extend(study.notes.iter().map(|note| format!("    - {}", words(note))));
}

/// Returns a text on one line, with its leading spaces.
fn words(text: &str) -> String {
    let indent = text.len() - text.trim_start_matches(' ').len();
    format!("{}{}", " ".repeat(indent), text.split_whitespace().collect::<Vec<_>>().join(" "))
}
