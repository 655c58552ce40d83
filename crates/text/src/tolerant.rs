//! Reads the JSON object that a language model meant.
//!
//! Strict JSON is taken as it is. Otherwise prose, fences and reasoning are set aside, and the rest is repaired: trailing and missing
//! commas, bare keys, other quotation marks, Python's `True`, comments, raw line breaks, a reply that stops half way. Nothing is
//! invented: the reader adds no key and no value that the model did not write. So `NaN` is rejected rather than turned into `null`,
//! and a half-written number is dropped, because `1` may have been the start of `10`.
//!
//! A reply is one whole object or one fenced block. Retrieved documents may contain objects crafted to be mistaken for the reply. So
//! two objects that differ are rejected, wherever they stand, and nothing is read from inside a broken object.

mod candidates;
mod lenient;
mod prose;

use std::fmt;

use serde::de::{Deserialize, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Value};

pub use candidates::REASONING;
pub use prose::{is_object, prose, up_to_last_sentence};

/// The value of a reply, and how it was read.
#[derive(Debug, Clone, PartialEq)]
pub struct Read {
    /// An object, or an array if that was the whole reply.
    pub value: Value,
    /// Whether the JSON itself needed repair; prose, fences and reasoning around it do not count.
    pub repaired: bool,
    /// Whether the reply stopped before the value was closed: its last string may be incomplete, and whatever should follow is
    /// missing.
    pub truncated: bool,
}

/// Why a reply holds no usable JSON.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Unreadable {
    #[error("the reply is empty")]
    Empty,
    #[error("no JSON object stands in the reply, which begins {began:?}")]
    NoJson { began: String },
    #[error("the reply is an HTML page where one JSON object belongs")]
    Html,
    #[error("{candidates} JSON objects that differ stand in the reply, where one belongs")]
    Ambiguous { candidates: usize },
    #[error("the JSON is nested more than {} levels deep", lenient::MAX_DEPTH)]
    TooDeep,
    #[error("the JSON does not read at line {line}, column {column}: {what}")]
    Broken { line: usize, column: usize, what: String },
}

/// Returns the one JSON object in `reply`, or the array that is the whole of it.
///
/// A string that holds a whole reply (doubly encoded JSON) is unpacked once. Time and memory are linear in the length of the reply.
pub fn read(reply: &str) -> Result<Read, Unreadable> {
    match read_once(reply)? {
        Read { value: Value::String(inner), .. } => match read_once(&inner)? {
            Read { value: Value::String(_), .. } => {
                Err(Unreadable::NoJson { began: candidates::beginning(reply) })
            }
            read => Ok(Read { repaired: true, ..read }),
        },
        read => Ok(read),
    }
}

/// Returns the JSON pointers of the strings that hold a control character other than a line feed.
///
/// Usually the backslash of a formula was lost: `"\theta"` is legal JSON and means a tab before `heta`.
pub fn suspicious_controls(value: &Value) -> Vec<String> {
    let mut pointers = Vec::new();
    if !holds_control(value) {
        return pointers;
    }
    let mut waiting = vec![(String::new(), value)];
    while let Some((pointer, value)) = waiting.pop() {
        match value {
            Value::String(text) if is_suspicious(text) => {
                pointers.push(pointer);
            }
            Value::Array(items) => {
                let inside = items.iter().enumerate().rev().filter(|(_, item)| may_hold_text(item));
                waiting.extend(inside.map(|(index, item)| (format!("{pointer}/{index}"), item)));
            }
            Value::Object(members) => {
                let inside = members.iter().rev().filter(|(_, member)| may_hold_text(member));
                waiting.extend(inside.map(|(key, member)| {
                    (format!("{pointer}/{}", key.replace('~', "~0").replace('/', "~1")), member)
                }));
            }
            _ => {}
        }
    }
    pointers
}

fn holds_control(value: &Value) -> bool {
    match value {
        Value::String(text) => is_suspicious(text),
        Value::Array(items) => items.iter().any(holds_control),
        Value::Object(members) => members.values().any(holds_control),
        Value::Null | Value::Bool(_) | Value::Number(_) => false,
    }
}

fn is_suspicious(text: &str) -> bool {
    /// The first byte of the control characters beyond ASCII.
    const BEYOND_ASCII: u8 = 0xc2;
    let may_be = |byte: u8| byte < b' ' && byte != b'\n' || byte == 0x7f || byte == BEYOND_ASCII;
    text.bytes().any(may_be) && text.contains(|c: char| c.is_control() && c != '\n')
}

fn may_hold_text(value: &Value) -> bool {
    matches!(value, Value::String(_) | Value::Array(_) | Value::Object(_))
}

/// Reads an object, an array, or a string that may hold either.
fn read_once(reply: &str) -> Result<Read, Unreadable> {
    let reply = reply.strip_prefix('\u{feff}').unwrap_or(reply);
    let start = reply.trim_start_matches(lenient::is_blank);
    if start.is_empty() {
        return Err(Unreadable::Empty);
    }
    match serde_json::from_str(reply) {
        Ok(Strict(value @ (Value::Object(_) | Value::Array(_) | Value::String(_)))) => {
            return Ok(Read { value, repaired: false, truncated: false });
        }
        Ok(Strict(_)) => return Err(Unreadable::NoJson { began: candidates::beginning(reply) }),
        Err(_) => {}
    }
    let is_page = |mark: &str| {
        start.get(..mark.len()).is_some_and(|begins| begins.eq_ignore_ascii_case(mark))
    };
    if ["<!doctype html", "<html", "<head>", "<body"].into_iter().any(is_page) {
        return Err(Unreadable::Html);
    }
    candidates::only_one(without_last_fence(reply))
}

/// Drops a closing fence, which an unclosed string would take in.
fn without_last_fence(reply: &str) -> &str {
    let line = reply.trim_end_matches(lenient::is_blank);
    let before = line.trim_end_matches(['`', '~']);
    if line.len() >= before.len() + 3 && before.ends_with('\n') { before } else { reply }
}

/// A value in which no key occurs twice with different values; `serde_json` alone would keep the last of them.
struct Strict(Value);

impl<'de> Deserialize<'de> for Strict {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(StrictVisitor).map(Strict)
    }
}

struct StrictVisitor;

impl<'de> Visitor<'de> for StrictVisitor {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(Value::from(value))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(Value::from(value))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Value, E> {
        Ok(Value::from(value))
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(Value::from(value))
    }

    fn visit_string<E>(self, value: String) -> Result<Value, E> {
        Ok(Value::String(value))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Value, A::Error> {
        let mut items = Vec::new();
        while let Some(Strict(item)) = seq.next_element()? {
            items.push(item);
        }
        Ok(Value::Array(items))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Value, A::Error> {
        let mut members = Map::new();
        while let Some((key, Strict(value))) = map.next_entry::<String, Strict>()? {
            match members.get(&key) {
                Some(before) if *before != value => {
                    return Err(A::Error::custom("a key stands twice with different values"));
                }
                Some(_) => {}
                None => drop(members.insert(key, value)),
            }
        }
        Ok(Value::Object(members))
    }
}

#[cfg(test)]
mod tests;
