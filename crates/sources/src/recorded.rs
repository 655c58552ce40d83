//! Tests the parsers with real responses, recorded in the directory that QUAESTIO_TEST_DATA names.
//!
//! For each service, a table says where every field in its responses went or why it is dropped. A field that is not in the table fails
//! the test, and so does a row that no response has.

#![expect(
    clippy::unwrap_used,
    reason = "clippy does not see that a module with two conditions is one of tests"
)]

mod arxiv;
mod crossref;

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use serde_json::{Value, json};

use papers::{Author, Paper};

use crate::markup::line;
use crate::service::Reply;

/// The fate of a field of a response.
#[derive(Debug, Clone, Copy)]
enum Fate {
    /// Its letters and digits are in this field of the paper.
    Same(&'static str),
    /// It fills this field of the paper.
    Kept(&'static str),
    /// It may fill this field; otherwise it is dropped, for this reason.
    Partly(&'static str, &'static str),
    /// It is dropped, for this reason.
    Dropped(&'static str),
}

use Fate::{Dropped, Kept, Partly, Same};

/// The content of a response, path by path.
type Facts = Vec<(String, String)>;

/// A work as recorded and as parsed.
struct Work {
    recorded: Facts,
    paper: Value,
}

impl Work {
    fn new(recorded: Facts, paper: &Paper) -> Work {
        Work { recorded, paper: with_texts(paper) }
    }
}

/// Returns a paper with names, dates and addresses as text for comparison.
fn with_texts(paper: &Paper) -> Value {
    // The record may have the initials after the family name.
    let both = |author: &Author| match author {
        Author::Person { family, given } => {
            vec![author.to_string(), format!("{family} {}", given.replace(['.', ' '], ""))]
        }
        Author::Named { name } => vec![name.clone()],
    };
    let names = |authors: &[Author]| authors.iter().flat_map(both).collect::<Vec<_>>();
    let doi = paper.ids.doi.as_ref().map(|doi| format!("https://doi.org/{doi}"));
    let mut value = serde_json::to_value(paper).unwrap();
    value["author_names"] = json!(names(&paper.authors));
    value["editor_names"] = json!(names(&paper.editors));
    value["group"] = json!([vec![paper.venue.clone().unwrap_or_default()], paper.subjects.clone()]);
    value["titles"] = json!([vec![paper.title.clone()], paper.notes.clone()]);
    value["published_text"] = json!(paper.published.map(|date| date.to_string()));
    value["updated_text"] = json!(paper.updated.map(|date| date.to_string()));
    value["addresses"] = json!([paper.url, paper.pdf_url, doi]);
    value
}

/// Checks works against a table. A row that ends in `.*` covers everything below.
fn check(table: &[(&str, Fate)], works: &[Work]) {
    let mut missing: BTreeSet<&str> = BTreeSet::new();
    let mut seen: BTreeMap<&str, bool> = BTreeMap::new();
    let mut lost: Vec<String> = Vec::new();
    for Work { recorded, paper } in works {
        for (path, value) in recorded {
            let line_of = |(known, _): &&(&str, Fate)| {
                known == path || known.strip_suffix(".*").is_some_and(|start| below(path, start))
            };
            let Some((known, fate)) = table.iter().find(line_of) else {
                missing.insert(path);
                continue;
            };
            let filled = seen.entry(known).or_default();
            if line(value).is_empty() {
                continue;
            }
            match *fate {
                Same(field) => {
                    let kept = letters(at(paper, field));
                    if !kept.contains(&folded(value)) {
                        lost.push(format!("{path}: '{value}' is not in {field}: {kept}"));
                    }
                    *filled = true;
                }
                Kept(field) if is_empty(at(paper, field)) => {
                    lost.push(format!("{path}: '{value}', and {field} is empty"));
                }
                Kept(_) => *filled = true,
                Partly(field, why) => {
                    assert!(!why.is_empty());
                    *filled |= !is_empty(at(paper, field));
                }
                Dropped(why) => {
                    assert!(!why.is_empty());
                    *filled = true;
                }
            }
        }
    }
    assert!(missing.is_empty(), "fields without a line in the table: {missing:#?}");
    assert!(lost.is_empty(), "{lost:#?}");
    for (path, fate) in table {
        assert!(seen.contains_key(path), "no response has {path}");
        let empty = matches!(fate, Dropped(_) | Same(_) | Kept(_)) || seen[path];
        assert!(empty, "no response fills what {path} should: {fate:?}");
    }
}

fn below(path: &str, start: &str) -> bool {
    path.strip_prefix(start)
        .is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[', '@', '/']))
}

fn at<'a>(paper: &'a Value, field: &str) -> &'a Value {
    field.split('.').fold(paper, |value, name| &value[name])
}

fn is_empty(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::String(text) => text.is_empty(),
        Value::Array(list) => list.is_empty(),
        _ => false,
    }
}

/// Returns the letters and digits of everything in a field.
fn letters(value: &Value) -> String {
    match value {
        Value::Array(list) => list.iter().map(letters).collect::<Vec<_>>().join(" "),
        Value::String(text) => folded(text),
        Value::Number(number) => number.to_string(),
        _ => String::new(),
    }
}

fn folded(text: &str) -> String {
    line(text).chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

/// Returns the recorded responses of a service, by file name.
fn replies(service: &str) -> BTreeMap<String, Reply> {
    let data = std::env::var_os("QUAESTIO_TEST_DATA")
        .expect("QUAESTIO_TEST_DATA names the folder of recorded data");
    let folder = PathBuf::from(data).join("api").join(service);
    let mut replies = BTreeMap::new();
    for file in std::fs::read_dir(&folder).unwrap() {
        let path = file.unwrap().path();
        if !path.to_str().unwrap().ends_with(".meta.json") {
            continue;
        }
        let meta: Value = serde_json::from_slice(&std::fs::read(&path).unwrap()).unwrap();
        let name = meta["body_file"].as_str().unwrap();
        let typed = meta["headers"]["content-type"].as_str().unwrap_or_default();
        let reply = Reply {
            status: meta["status"].as_u64().unwrap().try_into().unwrap(),
            media_type: typed.split(';').next().unwrap_or_default().trim().to_lowercase(),
            body: std::fs::read(folder.join(name)).unwrap(),
        };
        replies.insert(name.to_owned(), reply);
    }
    assert!(!replies.is_empty());
    replies
}

/// A generator of the same numbers on every run.
struct Chance(u64);

impl Chance {
    fn below(&mut self, end: usize) -> usize {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % end.max(1)
    }

    fn of<'a, T>(&mut self, list: &'a [T]) -> &'a T {
        &list[self.below(list.len())]
    }
}

/// Damages a body as a fault would: truncated, with changed bytes, with a piece doubled, or without one.
fn damaged(body: &[u8], chance: &mut Chance) -> Vec<u8> {
    let mut body = body.to_vec();
    for _ in 0..=chance.below(3) {
        let at = chance.below(body.len());
        let end = (at + chance.below(200)).min(body.len());
        match chance.below(6) {
            0 => body.truncate(at),
            1 => {
                if let Some(byte) = body.get_mut(at) {
                    *byte ^= 1 << chance.below(8);
                }
            }
            2 => {
                let piece = body[at..end].to_vec();
                body.splice(at..at, piece);
            }
            3 => drop(body.drain(at..end)),
            4 => {
                let signs = b"<>&\"'{}[],:\\/\0\n\xff";
                body.insert(at, signs[chance.below(signs.len())]);
            }
            _ => {
                let other = chance.below(body.len().max(1));
                let piece = body[at..end].to_vec();
                body.splice(other..other, piece);
            }
        }
    }
    body
}
