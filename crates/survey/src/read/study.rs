//! A study from a file: its questions, its weight, its segments, and what was requested for them.
//!
//! # Weight
//!
//! The first of these: what `survey.toml` says; the column with the role weight; the weight variable of the SPSS or
//! Triple-S file; a column of numbers whose name or label calls it a weight (`weight`, `wgt`, `sampling_weight`, …),
//! with a note. Body weights do not count: a column that is only named `weight` is a weight if its mean is between 0.2
//! and 5; otherwise a note says what to do if it is one.
//!
//! # Segments
//!
//! The first of these: what `survey.toml` says; the columns with the role segment; the single questions of 2 to 12
//! answers that divide people (gender, age group, region, education, income, employment, …); the first 10 single
//! questions of 2 to 8 answers that have names. A note says so if they were not declared. Unexplained numbers divide no
//! one.

use sha2::{Digest, Sha256};

use super::ReadError;
use super::files::Plan;
use super::manifest::{Entry, Override};
use super::names::{infer_grids, is_demographic};
use super::raw::{Member, Raw, Role, Set};
use crate::study::weighing::{format_guess_note, format_unweighted_note};
use crate::study::{Column, Data, Grid, Kind, Net, Origin, Question, Study};

/// The most questions that divide the respondents if none are declared.
const MOST_GUESSED: usize = 10;

/// Makes a study of a file and what was requested.
pub(super) fn study(mut raw: Raw, plan: &Plan<'_>) -> Result<Study, ReadError> {
    let wishes = plan.wishes.as_ref();
    if let Some((manifest, entry)) = wishes {
        wish(&mut raw, manifest, entry)?;
    }
    let weight = choose_weight(&mut raw, wishes)?;
    raw.weight = weight;
    let mut questions = super::questions::questions(&mut raw);
    infer_grids(&raw, &mut questions);
    if let Some((manifest, entry)) = wishes {
        for (id, wished) in &entry.questions {
            change(&mut questions, id, wished, manifest, entry)?;
        }
    }
    let (segments, note) = choose_segments(&raw, &questions, wishes)?;
    raw.notes.extend(note);
    if let Some(column) = weight.and_then(|place| raw.columns.get(place)) {
        summable(&raw.file, column)?;
        raw.notes.extend(format_unweighted_note(column, raw.respondents));
    }
    if raw.respondents == 0 {
        raw.notes.push(format!("{} contains no respondents", raw.file));
    }
    let (id, title) = match wishes {
        Some((_, entry)) if raw.id == super::stem(&raw.file) => {
            (entry.id.clone(), entry.title.clone())
        }
        // A level of a hierarchy.
        Some((_, entry)) => (format!("{}-{}", entry.id, raw.id), None),
        None => (raw.id.clone(), None),
    };
    let title = title.unwrap_or(raw.title);
    Ok(Study {
        title: if title.is_empty() { id.clone() } else { title },
        id,
        origin: Origin {
            file: plan.data.name.clone(),
            format: raw.format,
            sha256: hexadecimal(&Sha256::digest(&plan.data.bytes)),
        },
        respondents: raw.respondents,
        columns: raw.columns,
        questions,
        weight,
        segments,
        notes: raw.notes,
    })
}

fn hexadecimal(bytes: &[u8]) -> String {
    use std::fmt::Write;
    bytes.iter().fold(String::with_capacity(64), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

/// Applies to the columns what must be known before questions are made.
fn wish(raw: &mut Raw, manifest: &str, entry: &Entry) -> Result<(), ReadError> {
    let at = |what: &str| format!("study {}, {what}", entry.id);
    let unknown = |what: &str, name: &str| {
        let problem = format!("{} has no column {name:?}", entry.file);
        ReadError::setting(manifest, at(what), problem, "write its name as in the data")
    };
    for (id, wished) in &entry.questions {
        let Some(place) = raw.place(id) else { continue };
        if wished.kind == Some(Kind::Multi) && !raw.sets.iter().any(|set| set.id == *id) {
            let codes =
                raw.columns.get(place).map(|column| column.codes.clone()).unwrap_or_default();
            raw.split(place, &codes, wished.text.as_deref().unwrap_or_default());
            continue;
        }
        if let Some(told) = raw.told.get_mut(place) {
            told.kind = wished.kind.or(told.kind);
            told.top = wished.top.or(told.top);
            told.role = told.role.or(Some(Role::Question));
        }
    }
    for multi in &entry.multi {
        let what = format!("multi {}", multi.id);
        let members: Vec<usize> = multi
            .columns
            .iter()
            .map(|name| raw.place(name).ok_or_else(|| unknown(&what, name)))
            .collect::<Result<_, _>>()?;
        if members.is_empty() {
            let remedy = "list the columns of the set";
            return Err(ReadError::setting(manifest, at(&what), "it has no columns", remedy));
        }
        let counted =
            multi.counted.clone().or_else(|| super::describe::find_yes_value(raw, &members));
        raw.sets.retain(|set| !set.id.eq_ignore_ascii_case(&multi.id));
        raw.sets.push(Set {
            id: multi.id.clone(),
            text: multi.text.clone(),
            members: members.into_iter().map(Member::of).collect(),
            counted,
        });
    }
    raw.sets_are_known |= !entry.multi.is_empty();
    for grid in &entry.grid {
        for name in &grid.columns {
            let place =
                raw.place(name).ok_or_else(|| unknown(&format!("grid {}", grid.id), name))?;
            if let Some(told) = raw.told.get_mut(place) {
                told.grid = Some(Grid { id: grid.id.clone(), text: grid.text.clone() });
            }
        }
    }
    Ok(())
}

/// Changes a question as requested.
fn change(
    questions: &mut [Question],
    id: &str,
    wished: &Override,
    manifest: &str,
    entry: &Entry,
) -> Result<(), ReadError> {
    let at = format!("study {}, question {id}", entry.id);
    let known =
        super::listed(&questions.iter().map(|question| question.id.as_str()).collect::<Vec<_>>());
    let question = questions.iter_mut().find(|question| question.id.eq_ignore_ascii_case(id));
    let Some(question) = question else {
        let problem = format!("{} has no such question", entry.file);
        let remedy = format!("its questions are {known}");
        return Err(ReadError::setting(manifest, at, problem, remedy));
    };
    if let Some(text) = &wished.text {
        question.text.clone_from(text);
    }
    if let Some(kind) = wished.kind.filter(|kind| *kind != question.kind) {
        let problem = format!(
            "its data do not fit {}: they were read as {}",
            kind.name(),
            question.kind.name()
        );
        let remedy = "scales and numbers need numbers in the data, several answers need a set or a list of codes";
        return Err(ReadError::setting(manifest, at, problem, remedy));
    }
    question.top = wished.top.unwrap_or(question.top);
    for net in &wished.nets {
        let answers: Vec<usize> = net
            .answers
            .iter()
            .map(|code| {
                let code = code.to_string();
                let place = question.answers.iter().position(|answer| answer.code == code);
                place.ok_or_else(|| {
                    let codes: Vec<&str> =
                        question.answers.iter().map(|answer| answer.code.as_str()).collect();
                    let problem = format!(
                        "the net {:?} contains {code:?}, which is not an answer",
                        net.label
                    );
                    let remedy = format!("its answers are {}", super::listed(&codes));
                    ReadError::setting(manifest, at.clone(), problem, remedy)
                })
            })
            .collect::<Result<_, _>>()?;
        question.nets.push(Net { label: net.label.clone(), answers });
    }
    Ok(())
}

fn choose_weight(
    raw: &mut Raw,
    wishes: Option<&(String, Entry)>,
) -> Result<Option<usize>, ReadError> {
    if let Some((manifest, entry)) = wishes
        && let Some(name) = &entry.weight
    {
        if name == "none" {
            return Ok(None);
        }
        let place = raw.place(name).filter(|place| raw.columns.get(*place).is_some_and(numeric));
        return place.map(Some).ok_or_else(|| {
            let problem = format!("{} has no numeric column called {name:?}", entry.file);
            let place = format!("study {}, weight", entry.id);
            ReadError::setting(
                manifest,
                place,
                problem,
                "name a column of the data, or write weight = \"none\"",
            )
        });
    }
    let told = raw.told.iter().position(|told| told.role == Some(Role::Weight));
    if let Some(place) = told.or(raw.weight) {
        let Some(column) = raw.columns.get(place) else { return Ok(None) };
        if numeric(column) {
            return Ok(Some(place));
        }
        raw.notes.push(format!(
            "{} should contain weights but contains no numbers, so respondents are not weighted",
            column.name
        ));
        return Ok(None);
    }
    let candidates: Vec<usize> = (0..raw.columns.len())
        .filter(|place| {
            let free = raw.told.get(*place).is_some_and(|told| told.role.is_none() && !told.part);
            free && raw.columns.get(*place).is_some_and(weighs)
        })
        .collect();
    let columns = candidates.iter().filter_map(|place| raw.columns.get(*place));
    let columns: Vec<&Column> = columns.collect();
    let Some((first, rest)) = columns.split_first() else {
        let unusual = raw.columns.iter().zip(&raw.told).filter_map(|(column, told)| {
            let free = told.role.is_none() && told.kind.is_none() && !told.part;
            unusual_weight(column).filter(|_| free)
        });
        let notes: Vec<String> = unusual.collect();
        raw.notes.extend(notes);
        return Ok(None);
    };
    let rest: Vec<&str> = rest.iter().map(|column| column.name.as_str()).collect();
    let others = if rest.is_empty() {
        String::new()
    } else {
        format!("; it could also be {}", super::listed(&rest))
    };
    let note = format!("{}{others}. To choose, name it in survey.toml", format_guess_note(first));
    raw.notes.push(note);
    Ok(candidates.first().copied())
}

/// Fails if weights are so large or so small that nothing can be computed from their sum and the sum of their squares.
fn summable(file: &str, column: &Column) -> Result<(), ReadError> {
    let weights = (0..column.data.len()).filter_map(|row| column.answer(row));
    let weights = weights.filter(|weight| *weight > 0.0);
    let (sum, squares) = weights
        .fold((0.0, 0.0), |(sum, squares), weight| (sum + weight, squares + weight * weight));
    // If no respondent has a weight, both sums are 0, which a note reports.
    if sum == 0.0 || (f64::is_normal(sum) && f64::is_normal(squares)) {
        return Ok(());
    }
    Err(ReadError::setting(
        file,
        format!("weight {}", column.name),
        "its weights are too large or too small to add up",
        "scale them so that their mean is near 1, or write weight = \"none\" in survey.toml",
    ))
}

/// Returns a note on a column that is called a weight but was not taken for one.
fn unusual_weight(column: &Column) -> Option<String> {
    let mean = called_weight(column).filter(|_| !weighs(column))?.mean;
    Some(format!(
        "{} is named like a weight, but its mean is {}, far from 1. It was read as a question, and respondents are not \
         weighted. If it is a weight, name it with `--weight`, in survey.toml, or give it the role weight in a codebook",
        column.name,
        (mean * 100.0).round() / 100.0
    ))
}

fn numeric(column: &Column) -> bool {
    !matches!(column.data, Data::Texts { .. })
}

/// A column of numbers, none below 0, that is called a weight.
struct CalledWeight {
    /// Whether its label calls it a weight; otherwise only its name does.
    by_label: bool,
    mean: f64,
}

/// Returns whether a column looks like an undeclared weight.
pub(super) fn weighs(column: &Column) -> bool {
    // Called so by its label, or near one person each on average; otherwise it may be a body weight.
    called_weight(column)
        .is_some_and(|called| called.by_label || (0.2..=5.0).contains(&called.mean))
}

fn called_weight(column: &Column) -> Option<CalledWeight> {
    const NAMES: [&str; 14] = [
        "weight",
        "weights",
        "wgt",
        "wt",
        "weighting",
        "pweight",
        "finalweight",
        "samplingweight",
        "sampleweight",
        "surveyweight",
        "weightvar",
        "caseweight",
        "gewicht",
        "gewichtung",
    ];
    let flat: String =
        column.name.to_lowercase().chars().filter(|letter| letter.is_alphanumeric()).collect();
    let label = column.label.to_lowercase();
    let by_label =
        ["weighting", "sampling weight", "survey weight", "case weight", "design weight"]
            .iter()
            .any(|words| label.contains(words));
    let by_name = NAMES.contains(&flat.as_str())
        || ["weight_", "wgt_", "wt_"]
            .iter()
            .any(|start| column.name.to_lowercase().starts_with(start));
    if !(by_name || by_label) || !numeric(column) || !column.codes.is_empty() {
        return None;
    }
    let (mut sum, mut count) = (0.0, 0.0);
    for row in 0..column.data.len() {
        if let Some(weight) = column.answer(row) {
            if weight < 0.0 {
                return None;
            }
            sum += weight;
            count += 1.0;
        }
    }
    (count > 0.0).then_some(CalledWeight { by_label, mean: sum / count })
}

fn choose_segments(
    raw: &Raw,
    questions: &[Question],
    wishes: Option<&(String, Entry)>,
) -> Result<(Vec<usize>, Option<String>), ReadError> {
    if let Some((manifest, entry)) = wishes
        && let Some(wished) = &entry.segments
    {
        let found = wished.iter().map(|id| {
            let place = questions.iter().position(|question| question.id.eq_ignore_ascii_case(id));
            place
                .filter(|place| questions.get(*place).is_some_and(|one| !one.answers.is_empty()))
                .ok_or_else(|| {
                    let problem = format!("{} has no question {id:?} with answers", entry.file);
                    let at = format!("study {}, segments", entry.id);
                    ReadError::setting(manifest, at, problem, "write ids of questions with answers")
                })
        });
        return Ok((found.collect::<Result<_, _>>()?, None));
    }
    let places = |fits: &dyn Fn(&Question) -> bool| -> Vec<usize> {
        let all = questions.iter().enumerate();
        all.filter(|(_, question)| fits(question)).map(|(place, _)| place).collect()
    };
    let told = |question: &Question| {
        let mut roles = question.columns.iter().filter_map(|place| raw.told.get(*place));
        roles.any(|told| told.role == Some(Role::Segment)) && !question.answers.is_empty()
    };
    let declared = places(&told);
    if !declared.is_empty() {
        return Ok((declared, None));
    }
    let single = |question: &Question, most: usize| {
        question.kind == Kind::Single
            && question.grid.is_none()
            && (2..=most).contains(&question.answers.len())
    };
    let people = places(&|question| single(question, 12) && is_demographic(question));
    let by_name = !people.is_empty();
    let mut taken = if by_name { people } else { places(&|one| single(one, 8) && is_named(one)) };
    let all = taken.len();
    if !by_name {
        taken.truncate(MOST_GUESSED);
    }
    let ids: Vec<&str> = taken
        .iter()
        .filter_map(|place| questions.get(*place).map(|question| question.id.as_str()))
        .collect();
    let why = match (by_name, all > taken.len()) {
        (true, _) => "segments were chosen by their names".to_owned(),
        (false, false) => {
            "no question is named like a segment, so all single-answer questions with 2 to 8 answers are segments".to_owned()
        }
        (false, true) => {
            format!("nothing says which questions are segments; the first {MOST_GUESSED} of {all} possible ones are used")
        }
    };
    let note =
        format!("{why}: {}. To choose others, name them in survey.toml", super::listed(&ids));
    let note = (!ids.is_empty()).then_some(note);
    Ok((taken, note))
}

/// Returns whether answers to a question have names: words, not only numbers.
fn is_named(question: &Question) -> bool {
    let mut labels = question.answers.iter().map(|answer| &answer.label);
    labels.any(|label| super::cells::parse_number(label, false).is_none())
}
