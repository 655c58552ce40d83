//! A file of questions: one JSON object per line.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value};

use super::Case;
use super::error::{DatasetError, Fault};
use super::lines::{self, Limits, kind, text, texts};

pub(super) const LARGEST_FILE: u64 = 64 << 20;
pub(super) const LIMITS: Limits = Limits { line_bytes: 1 << 20, lines: 100_000 };

/// The most characters of an id.
pub(super) const LONGEST_ID: usize = 200;

/// Returns the cases of a file, and notes on it.
pub(super) fn parse(file: &str, bytes: &[u8]) -> Result<(Vec<Case>, Vec<String>), DatasetError> {
    let mut cases: Vec<Case> = Vec::new();
    let mut first: BTreeMap<String, usize> = BTreeMap::new();
    let mut unread: BTreeMap<String, usize> = BTreeMap::new();
    let mut made = 0_usize;
    let mut asked_before: BTreeSet<String> = BTreeSet::new();
    let mut again: Vec<String> = Vec::new();
    for (number, line) in lines::lines(file, bytes, &LIMITS)? {
        let wrong = |fault| DatasetError::Line { file: file.to_owned(), line: number, fault };
        let fields = lines::object(line).map_err(wrong)?;
        let mut case = parse_case(&fields, |key| {
            unread.entry(key.to_owned()).or_insert(number);
        })
        .map_err(wrong)?;
        if case.id.is_empty() {
            case.id = format!("line-{number}");
            made += 1;
        }
        let id = case.id.clone();
        if let Some(first) = first.insert(id.clone(), number) {
            return Err(wrong(Fault::Duplicate { id, first }));
        }
        // Repeated questions would count one answer several times, as if each were independent evidence.
        let asked = run::ledger::one_line(&case.question).to_lowercase();
        if asked_before.insert(asked) {
            cases.push(case);
        } else {
            again.push(id);
        }
    }
    if cases.is_empty() {
        return Err(DatasetError::Empty { file: file.to_owned() });
    }
    let mut notes: Vec<String> = Vec::new();
    for (key, line) in unread {
        let key = run::ledger::one_line(&key);
        notes.push(format!("the key `{key}` is ignored (first on line {line})"));
    }
    if let Some(one) = again.first() {
        notes.push(format!(
            "{} cases repeat an earlier question and are left out; the first is {}",
            again.len(),
            run::ledger::one_line(one)
        ));
    }
    if made > 0 {
        notes.push(format!(
            "{made} of {} cases have no `id` and are named after their lines; give ids to compare evaluations",
            cases.len()
        ));
    }
    Ok((cases, notes))
}

/// Reads a case; passes the names of unknown fields to `unread`.
fn parse_case(fields: &Map<String, Value>, mut unread: impl FnMut(&str)) -> Result<Case, Fault> {
    let mut case = Case::default();
    let mut by_kind = None;
    for (key, value) in fields {
        match key.as_str() {
            "id" => case.id = text(key, value)?.unwrap_or_default(),
            "question" => case.question = text(key, value)?.unwrap_or_default(),
            "answer" | "answers" => case.answers.extend(texts(key, value)?),
            "expects" => case.expects.extend(texts(key, value)?),
            "relevant" | "relevant_documents" | "source" => {
                for (document, grade) in relevant(key, value)? {
                    let known = case.relevant.entry(document).or_insert(grade);
                    *known = grade.max(*known);
                }
            }
            "answerable" => case.answerable = answerable(key, value)?,
            "kind" => by_kind = answerable_by_kind(key, value)?,
            "rubric" => case.rubric = text(key, value)?.unwrap_or_default(),
            other => unread(other),
        }
    }
    case.answerable = case.answerable.or(by_kind);
    if case.question.is_empty() {
        return Err(Fault::Missing { key: "question" });
    }
    if case.id.chars().count() > LONGEST_ID {
        return Err(Fault::LongId { limit: LONGEST_ID });
    }
    Ok(case)
}

/// Reads one path, a list of them, or paths with their grades. A document with grade 0 is not relevant.
fn relevant(key: &str, value: &Value) -> Result<BTreeMap<String, u32>, Fault> {
    const GRADE: &str = "a whole number from 0 on as the grade of every document";
    let Value::Object(grades) = value else {
        return Ok(texts(key, value)?.iter().map(|path| (named(path), 1)).collect());
    };
    let mut relevant = BTreeMap::new();
    for (document, grade) in grades {
        let Some(grade) = grade.as_u64().and_then(|grade| u32::try_from(grade).ok()) else {
            let found = if grade.is_number() { "another number" } else { kind(grade) };
            return Err(Fault::WrongType {
                key: format!("{key}.{document}"),
                found,
                wanted: GRADE,
            });
        };
        if grade > 0 && !document.trim().is_empty() {
            relevant.insert(named(document), grade);
        }
    }
    Ok(relevant)
}

/// Returns a path in the form that collections use.
fn named(path: &str) -> String {
    let path = path.trim();
    path.strip_prefix("./").unwrap_or(path).to_owned()
}

fn answerable(key: &str, value: &Value) -> Result<Option<bool>, Fault> {
    match value {
        Value::Null => Ok(None),
        Value::Bool(answerable) => Ok(Some(*answerable)),
        other => {
            let (key, found) = (key.to_owned(), kind(other));
            Err(Fault::WrongType { key, found, wanted: "true or false" })
        }
    }
}

/// A half-answered question counts as answerable.
fn answerable_by_kind(key: &str, value: &Value) -> Result<Option<bool>, Fault> {
    match text(key, value)?.as_deref() {
        None => Ok(None),
        Some("answered" | "half") => Ok(Some(true)),
        Some("unanswered") => Ok(Some(false)),
        Some(other) => Err(Fault::Kind { kind: run::ledger::one_line(other) }),
    }
}
