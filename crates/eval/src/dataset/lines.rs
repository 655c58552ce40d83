//! Reading of files by line, within limits.

use std::fs::File;
use std::io::Read as _;
use std::path::Path;

use serde_json::{Map, Value};

use super::error::{DatasetError, Fault};

/// Returns the content of a file of at most `limit` bytes.
pub(super) fn bytes(path: &Path, limit: u64) -> Result<Vec<u8>, DatasetError> {
    let file = || path.display().to_string();
    let unreadable = |reason: std::io::Error| DatasetError::Unreadable {
        file: file(),
        reason: reason.to_string(),
    };
    // Checked before opening: opening a pipe would wait for a writer.
    if !std::fs::metadata(path).map_err(unreadable)?.is_file() {
        return Err(DatasetError::Unreadable { file: file(), reason: "it is not a file".into() });
    }
    let mut bytes = Vec::new();
    File::open(path)
        .map_err(unreadable)?
        .take(limit + 1)
        .read_to_end(&mut bytes)
        .map_err(unreadable)?;
    if bytes.len() as u64 > limit {
        return Err(DatasetError::TooLarge { file: file(), limit_mib: limit >> 20 });
    }
    Ok(bytes)
}

/// Limits on a file's lines.
pub(super) struct Limits {
    pub(super) line_bytes: usize,
    pub(super) lines: usize,
}

/// Returns the non-blank lines, each with its number from 1, without the byte order mark and line endings.
pub(super) fn lines<'b>(
    file: &str,
    bytes: &'b [u8],
    limits: &Limits,
) -> Result<Vec<(usize, &'b str)>, DatasetError> {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let mut lines = Vec::new();
    for (index, line) in bytes.split(|byte| *byte == b'\n').enumerate() {
        let wrong = |fault| DatasetError::Line { file: file.to_owned(), line: index + 1, fault };
        if line.len() > limits.line_bytes {
            return Err(wrong(Fault::TooLong { limit_kib: limits.line_bytes >> 10 }));
        }
        let line = std::str::from_utf8(line).map_err(|_| wrong(Fault::NotUtf8))?;
        let line = line.strip_suffix('\r').unwrap_or(line);
        if line.trim().is_empty() {
            continue;
        }
        if lines.len() == limits.lines {
            return Err(DatasetError::TooMany { file: file.to_owned(), limit: limits.lines });
        }
        lines.push((index + 1, line));
    }
    Ok(lines)
}

/// Reads a line as a JSON object.
pub(super) fn object(line: &str) -> Result<Map<String, Value>, Fault> {
    match serde_json::from_str(line) {
        Ok(Value::Object(fields)) => Ok(fields),
        Ok(other) => Err(Fault::NotAnObject { found: kind(&other) }),
        Err(reason) => Err(Fault::NotJson { reason: reason.to_string() }),
    }
}

/// Returns the type of a value, in words.
pub(super) fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "true or false",
        Value::Number(_) => "a number",
        Value::String(_) => "a text",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}

/// Returns a string, or a number as written; `None` for null and for mere white space.
pub(super) fn text(key: &str, value: &Value) -> Result<Option<String>, Fault> {
    let text = match value {
        Value::Null => return Ok(None),
        Value::String(text) => text.trim().to_owned(),
        Value::Number(number) => number.to_string(),
        other => {
            let (key, found) = (key.to_owned(), kind(other));
            return Err(Fault::WrongType { key, found, wanted: "a text" });
        }
    };
    Ok((!text.is_empty()).then_some(text))
}

/// Returns one string or a list of them; empty ones are left out.
pub(super) fn texts(key: &str, value: &Value) -> Result<Vec<String>, Fault> {
    match value {
        Value::Array(items) => {
            let texts = items.iter().map(|item| text(key, item));
            texts.filter_map(Result::transpose).collect()
        }
        one => Ok(text(key, one)?.into_iter().collect()),
    }
}
