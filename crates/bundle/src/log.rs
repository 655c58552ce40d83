//! The log of a run as lines.

use run::entry::{Entry, Hash};

/// What a line begins with, before the hash of its entry.
const BEFORE: &str = "{\"hash\":\"";
/// What stands between the hash and the fields that it covers.
const BETWEEN: &str = "\",";
/// Digits of a hash.
const DIGITS: usize = 64;

/// Returns the log with one JSON object a line: the entry's hash, and behind it, byte for byte, the fields that the hash covers.
pub(crate) fn write(entries: &[Entry]) -> Vec<u8> {
    let mut lines = Vec::new();
    for entry in entries {
        lines.extend_from_slice(format!("{BEFORE}{}{BETWEEN}", entry.hash).as_bytes());
        // Without the brace that the line has begun with.
        lines.extend_from_slice(entry.body().get(1..).unwrap_or_default());
        lines.push(b'\n');
    }
    lines
}

/// Reads the entries of a log.
///
/// # Errors
///
/// If a line is not exactly what [`write()`] makes of an entry; says which and why.
pub(crate) fn read(lines: &[u8]) -> Result<Vec<Entry>, String> {
    let text = std::str::from_utf8(lines).map_err(|_| "it is not UTF-8".to_owned())?;
    let text = text.strip_suffix('\n').ok_or("its last line is cut off")?;
    let mut entries = Vec::new();
    for (index, line) in text.split('\n').enumerate() {
        let wrong = |why: &str| format!("line {}: {why}", index + 1);
        let (hash, body) = split(line).ok_or_else(|| wrong("it does not begin with a hash"))?;
        let hash: Hash = hash.parse().map_err(|error: String| wrong(&error))?;
        let entry =
            Entry::read(body.as_bytes(), hash).map_err(|error| wrong(&error.to_string()))?;
        if entry.body() != body.as_bytes() {
            return Err(wrong("it is not the canonical JSON of its entry"));
        }
        entries.push(entry);
    }
    Ok(entries)
}

/// Returns the hash of a line and the JSON that it covers.
fn split(line: &str) -> Option<(&str, String)> {
    let rest = line.strip_prefix(BEFORE)?;
    let (hash, rest) = rest.split_at_checked(DIGITS)?;
    Some((hash, format!("{{{}", rest.strip_prefix(BETWEEN)?)))
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;
    use run::Event;
    use run::entry::Head;

    use super::*;

    // proves: C5, C14
    #[test]
    fn a_log_is_read_as_it_was_written_and_in_no_other_spelling() {
        let mut head = Head::default();
        let entries: Vec<Entry> = ["one", "zw\u{f6}lf \"\u{1f600}\""]
            .into_iter()
            .map(|line| {
                let event = Event::Said { line: line.into() };
                let (entry, _) = Entry::seal(&head, Timestamp::UNIX_EPOCH, event);
                head = Head { seq: entry.seq, hash: entry.hash };
                entry
            })
            .collect();
        let lines = write(&entries);
        assert_eq!(read(&lines).unwrap(), entries);
        for line in String::from_utf8(lines.clone()).unwrap().lines() {
            assert!(serde_json::from_str::<serde_json::Value>(line).is_ok(), "{line}");
        }
        let text = String::from_utf8(lines).unwrap();
        for other in [
            text.replace("\"line\":", "\"line\": "),
            text.replace("\"seq\":1}", "\"seq\":1,\"seq\":1}"),
            text.replacen("{\"hash\"", "{ \"hash\"", 1),
            text.trim_end().to_owned(),
            String::new(),
        ] {
            assert!(read(other.as_bytes()).is_err(), "{other}");
        }
    }
}
