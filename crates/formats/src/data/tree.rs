//! A tree of values with their keys in order.

use std::borrow::Cow;

use crate::Fault;

/// How deep values may be nested.
pub(crate) const DEPTH: usize = 128;
/// The most values in a file.
const NODES: usize = 3_000_000;

/// A value of JSON, YAML, TOML or a property list.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Value<'a> {
    Null,
    /// A text, number, date or truth value as it is written.
    Text(Cow<'a, str>),
    List(Vec<Value<'a>>),
    Map(Vec<(String, Value<'a>)>),
    /// A list or map that is not empty, as JSON that was checked: it takes less memory than its values, which are read when they are
    /// needed.
    Folded(&'a str),
}

impl<'a> Value<'a> {
    /// Returns the value with what is directly within it. Only then can its kind be told.
    pub(crate) fn opened(&self) -> Cow<'_, Value<'a>> {
        match self {
            Value::Folded(json) => Cow::Owned(super::json::unfold(json)),
            open => Cow::Borrowed(open),
        }
    }

    /// Returns a single value as it reads, or `None` for a structure. An empty structure reads as nothing.
    pub(crate) fn scalar(&self) -> Option<Cow<'_, str>> {
        match self {
            Value::Null => Some("".into()),
            Value::Text(text) => Some((&**text).into()),
            Value::List(elements) if elements.is_empty() => Some("".into()),
            Value::Map(entries) if entries.is_empty() => Some("".into()),
            Value::List(_) | Value::Map(_) | Value::Folded(_) => None,
        }
    }

    /// Returns the first of these keys, in any case, that an open map has a text for, and the text.
    pub(crate) fn name(&self, keys: &[&str]) -> Option<(&str, &str)> {
        let Value::Map(entries) = self else { return None };
        keys.iter().find_map(|wanted| {
            entries.iter().find_map(|(key, value)| match value {
                Value::Text(text) if key.eq_ignore_ascii_case(wanted) && text.len() <= 300 => {
                    Some((key.as_str(), &**text))
                }
                _ => None,
            })
        })
    }

    /// Returns how many values there are within, with itself; a long text counts as several.
    pub(crate) fn count(&self) -> usize {
        match self {
            Value::Null => 1,
            Value::Text(text) => 1 + text.len() / 32,
            Value::List(elements) => 1 + elements.iter().map(Value::count).sum::<usize>(),
            Value::Map(entries) => {
                1 + entries.iter().map(|(_, value)| value.count()).sum::<usize>()
            }
            Value::Folded(_) => self.opened().count(),
        }
    }
}

/// Counts the values of a file against the limit.
#[derive(Debug, Default)]
pub(crate) struct Nodes(usize);

impl Nodes {
    pub(crate) fn take(&mut self, count: usize) -> Result<(), Fault> {
        self.0 = self.0.saturating_add(count);
        if self.0 > NODES {
            return Err(Fault::TooComplex { what: format!("more than {NODES} values in it") });
        }
        Ok(())
    }
}
