//! JSON and JSON Lines become Markdown.
//!
//! The text is checked once and then read piece by piece: of a large structure only its beginning and end are known, until it is written.

use std::borrow::Cow;
use std::cell::RefCell;
use std::fmt;

use serde::Deserialize;
use serde::de::{DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;

use super::{Nodes, Value};
use crate::{Bounds, Fault, Parsed, Writer};

/// How many lines are looked at to recognize JSON Lines.
const LINES_TRIED: usize = 20;
/// A structure of more bytes is not read at once: those within it are, one after the other.
const LARGE: usize = 64 << 10;

/// Returns what JSON says. Comments and trailing commas, as in settings, are allowed.
pub(crate) fn parse(bytes: &[u8], bounds: &Bounds) -> Result<Parsed, Fault> {
    let text = String::from_utf8_lossy(bytes);
    let text = text.trim_start_matches('\u{feff}').trim();
    match value(text)? {
        Some(value) => Ok(super::parsed(&[value], "Entry", bounds)),
        None => match value(&strict(text))? {
            Some(value) => Ok(super::parsed(&[value], "Entry", bounds)),
            None => parse_lines(bytes, bounds).map_err(|_| damaged("JSON")),
        },
    }
}

/// Returns what JSON Lines say: a table of uniform records, or a section for each record.
pub(crate) fn parse_lines(bytes: &[u8], bounds: &Bounds) -> Result<Parsed, Fault> {
    let text = String::from_utf8_lossy(bytes);
    let (mut values, mut broken) = (Vec::new(), 0_usize);
    let nodes = RefCell::new(Nodes::default());
    for line in
        text.trim_start_matches('\u{feff}').lines().map(str::trim).filter(|line| !line.is_empty())
    {
        match value_within(line, &nodes)? {
            Some(value) => values.push(value),
            None => broken += 1,
        }
    }
    if broken > values.len() || values.is_empty() {
        return Err(damaged("JSON Lines file"));
    }
    let mut page = Writer::new(bounds.text_bytes);
    super::records(&mut page, 1, "", &values, "Record");
    if broken > 0 {
        let lines = crate::sheet::counted(broken, "line");
        page.paragraph(&format!("{lines} could not be read."));
        page.leave_out(format!("{lines} that could not be read"));
    }
    let metadata = page.left_out().into_iter().collect();
    Ok(Parsed { text: page.finish(), metadata, ..Parsed::default() })
}

/// Returns whether a text is JSON with an object or with a list of structures.
pub(crate) fn recognize(text: &str) -> bool {
    let text = text.trim_start_matches('\u{feff}').trim();
    let after = text.get(1..).unwrap_or_default().trim_start();
    let is_structure = match text.as_bytes().first() {
        Some(b'{') => after.starts_with(['"', '}']),
        Some(b'[') => after.starts_with(['{', '[', '"']),
        _ => false,
    };
    is_structure && text.ends_with(['}', ']']) && serde_json::from_str::<IgnoredAny>(text).is_ok()
}

/// Returns whether a text is JSON Lines: at least two lines, all of them objects or lists.
pub(crate) fn recognize_lines(text: &str) -> bool {
    let text = text.trim_start_matches('\u{feff}').trim();
    let lines = || text.lines().map(str::trim).filter(|line| !line.is_empty());
    let is_record = |line: &str| {
        line.starts_with("{\"")
            && line.ends_with('}')
            && serde_json::from_str::<IgnoredAny>(line).is_ok()
    };
    lines().nth(1).is_some()
        && lines().take(LINES_TRIED).all(is_record)
        && lines().all(|line| line.starts_with('{'))
}

fn damaged(format: &str) -> Fault {
    Fault::Damaged { format: format.to_owned() }
}

fn value(text: &str) -> Result<Option<Value<'_>>, Fault> {
    value_within(text, &RefCell::new(Nodes::default()))
}

/// Returns the value that `text` is, or `None` if it is not JSON.
fn value_within<'a>(text: &'a str, nodes: &RefCell<Nodes>) -> Result<Option<Value<'a>>, Fault> {
    let fault = RefCell::new(None);
    let mut reader = serde_json::Deserializer::from_str(text);
    let checked = Check { nodes, fault: &fault }.deserialize(&mut reader);
    if let Some(fault) = fault.into_inner() {
        return Err(fault);
    }
    match checked {
        Ok(()) => Ok(reader.end().is_ok().then(|| folded(text))),
        Err(error) if error.to_string().contains("recursion limit") => Err(Fault::TooComplex {
            what: format!("values nested more than {} deep", super::tree::DEPTH),
        }),
        Err(_) => Ok(None),
    }
}

/// Returns the value that checked JSON is; a structure that is not empty stays folded.
fn folded(json: &str) -> Value<'_> {
    let json = json.trim();
    let within = json.get(1..).unwrap_or_default().trim_start();
    match json.as_bytes().first() {
        Some(b'[') if within.starts_with(']') => Value::List(Vec::new()),
        Some(b'{') if within.starts_with('}') => Value::Map(Vec::new()),
        Some(b'[' | b'{') if json.len() > LARGE => unfold(json),
        Some(b'[' | b'{') => Value::Folded(json),
        Some(b'n') | None => Value::Null,
        Some(b'"') if !json.contains('\\') => Value::Text(json.trim_matches('"').into()),
        Some(b'"') => Value::Text(serde_json::from_str::<String>(json).unwrap_or_default().into()),
        Some(_) => Value::Text(json.into()),
    }
}

/// Returns the values of checked JSON. Small structures within a large one stay folded.
pub(super) fn unfold(json: &str) -> Value<'_> {
    // What was checked can be read.
    if json.len() > LARGE {
        let mut reader = serde_json::Deserializer::from_str(json);
        return reader.deserialize_any(Unfold).unwrap_or(Value::Null);
    }
    serde_json::from_str(&verbatim(json)).map_or(Value::Null, |Whole(value)| value)
}

/// Returns JSON with fractions and long numbers in quotes, so that they are read as they are written.
fn verbatim(text: &str) -> Cow<'_, str> {
    /// Whole numbers of more digits may lose some.
    const LONGEST: usize = 15;
    let mut found = String::new();
    let bytes = text.as_bytes();
    let (mut at, mut copied) = (0, 0);
    while let Some(byte) = bytes.get(at) {
        let rest = &bytes[at..];
        match byte {
            b'"' => {
                let mut is_escaped = false;
                let end = rest.iter().skip(1).position(|byte| {
                    let is_end = *byte == b'"' && !is_escaped;
                    is_escaped = *byte == b'\\' && !is_escaped;
                    is_end
                });
                at += end.map_or(rest.len(), |end| end + 2);
            }
            b'-' | b'0'..=b'9' => {
                let is_part = |byte: &u8| byte.is_ascii_digit() || b"+-.eE".contains(byte);
                let size = rest.iter().take_while(|byte| is_part(byte)).count();
                let number = &text[at..at + size];
                let is_exact = size <= LONGEST
                    && number.bytes().all(|byte| byte.is_ascii_digit() || byte == b'-');
                if !is_exact && serde_json::from_str::<f64>(number).is_ok() {
                    found.push_str(&text[copied..at]);
                    found.push_str(&format!("\"{number}\""));
                    copied = at + size;
                }
                at += size;
            }
            _ => at += 1,
        }
    }
    if copied == 0 {
        return Cow::Borrowed(text);
    }
    found.push_str(&text[copied..]);
    Cow::Owned(found)
}

/// Returns JSON without comments and without commas before a closing bracket.
fn strict(text: &str) -> String {
    let mut found = String::with_capacity(text.len());
    let mut rest = text;
    // Where the last comma is, if only white space follows it.
    let mut comma: Option<usize> = None;
    while let Some(c) = rest.chars().next() {
        if rest.starts_with("//") {
            let end = rest.find('\n').unwrap_or(rest.len());
            rest = &rest[end..];
            continue;
        }
        if rest.starts_with("/*") {
            let end = rest.find("*/").map_or(rest.len(), |end| end + 2);
            rest = &rest[end..];
            continue;
        }
        if c == '"' {
            let mut end = rest.len();
            let mut is_escaped = false;
            for (at, byte) in rest.bytes().enumerate().skip(1) {
                if is_escaped {
                    is_escaped = false;
                } else if byte == b'\\' {
                    is_escaped = true;
                } else if byte == b'"' {
                    end = at + 1;
                    break;
                }
            }
            found.push_str(&rest[..end]);
            rest = &rest[end..];
            comma = None;
            continue;
        }
        match c {
            ',' => comma = Some(found.len()),
            '}' | ']' => {
                if let Some(at) = comma.take() {
                    found.replace_range(at..=at, " ");
                }
            }
            c if c.is_whitespace() => {}
            _ => comma = None,
        }
        found.push(c);
        rest = &rest[c.len_utf8()..];
    }
    found
}

/// Checks JSON and counts its values as it goes; keeps none.
#[derive(Clone, Copy)]
struct Check<'a> {
    nodes: &'a RefCell<Nodes>,
    fault: &'a RefCell<Option<Fault>>,
}

impl<'de> DeserializeSeed<'de> for Check<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        self.nodes.borrow_mut().take(1).map_err(|fault| {
            *self.fault.borrow_mut() = Some(fault);
            D::Error::custom("too many values")
        })?;
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Check<'_> {
    type Value = ();

    fn expecting(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
        formatter.write_str("a value")
    }

    fn visit_unit<E>(self) -> Result<(), E> {
        Ok(())
    }

    fn visit_bool<E>(self, _: bool) -> Result<(), E> {
        Ok(())
    }

    fn visit_i64<E>(self, _: i64) -> Result<(), E> {
        Ok(())
    }

    fn visit_u64<E>(self, _: u64) -> Result<(), E> {
        Ok(())
    }

    fn visit_f64<E>(self, _: f64) -> Result<(), E> {
        Ok(())
    }

    fn visit_str<E>(self, _: &str) -> Result<(), E> {
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut elements: A) -> Result<(), A::Error> {
        while elements.next_element_seed(self)?.is_some() {}
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<(), A::Error> {
        while entries.next_key_seed(Key)?.is_some() {
            entries.next_value_seed(self)?;
        }
        Ok(())
    }
}

/// Checks a key.
struct Key;

impl<'de> DeserializeSeed<'de> for Key {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_str(self)
    }
}

impl Visitor<'_> for Key {
    type Value = ();

    fn expecting(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
        formatter.write_str("a key")
    }

    fn visit_str<E>(self, _: &str) -> Result<(), E> {
        Ok(())
    }
}

/// Reads what is directly within a large structure.
struct Unfold;

impl<'de> Visitor<'de> for Unfold {
    type Value = Value<'de>;

    fn expecting(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
        formatter.write_str("a list or map")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut elements: A) -> Result<Value<'de>, A::Error> {
        let mut found = Vec::new();
        while let Some(element) = elements.next_element::<&RawValue>()? {
            found.push(folded(element.get()));
        }
        Ok(Value::List(found))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Value<'de>, A::Error> {
        let mut found = Vec::new();
        while let Some((key, value)) = entries.next_entry::<String, &RawValue>()? {
            add(&mut found, key, folded(value.get()));
        }
        Ok(Value::Map(found))
    }
}

/// Adds an entry to a map. That a key has no value is not worth a line.
fn add<'a>(entries: &mut Vec<(String, Value<'a>)>, key: String, value: Value<'a>) {
    if value != Value::Null {
        entries.push((key, value));
    }
}

/// A value with all that is within.
struct Whole(Value<'static>);

impl<'de> Deserialize<'de> for Whole {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Build)
    }
}

/// Builds a value with all that is within.
struct Build;

impl<'de> Visitor<'de> for Build {
    type Value = Whole;

    fn expecting(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
        formatter.write_str("a value")
    }

    fn visit_unit<E>(self) -> Result<Whole, E> {
        Ok(Whole(Value::Null))
    }

    fn visit_bool<E>(self, value: bool) -> Result<Whole, E> {
        Ok(Whole(Value::Text(value.to_string().into())))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Whole, E> {
        Ok(Whole(Value::Text(value.to_string().into())))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Whole, E> {
        Ok(Whole(Value::Text(value.to_string().into())))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Whole, E> {
        Ok(Whole(Value::Text(value.to_string().into())))
    }

    fn visit_str<E>(self, value: &str) -> Result<Whole, E> {
        Ok(Whole(Value::Text(value.to_owned().into())))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut elements: A) -> Result<Whole, A::Error> {
        let mut found = Vec::new();
        while let Some(Whole(element)) = elements.next_element()? {
            found.push(element);
        }
        Ok(Whole(Value::List(found)))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Whole, A::Error> {
        let mut found = Vec::new();
        while let Some((key, Whole(value))) = entries.next_entry()? {
            add(&mut found, key, value);
        }
        Ok(Whole(Value::Map(found)))
    }
}

/// Returns the value that JSON is, with all that is within.
#[cfg(test)]
pub(super) fn whole(json: &str) -> Value<'static> {
    serde_json::from_str(&verbatim(json)).map(|Whole(value)| value).unwrap()
}
