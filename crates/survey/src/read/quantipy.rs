//! Quantipy's metadata: a JSON file next to the CSV of a data set.
//!
//! We take the columns with their texts and values, arrays as grids, delimited sets, and the values declared as
//! excluded. Its `single` covers scales too, so a single question may become a scale by its labels.

use serde_json::Value as Json;

use super::ReadError;
use super::cells::parse_number;
use super::codebook::Entry;
use crate::study::{Code, Grid, Kind, Missing, Value};

/// Reads metadata. Parts of a column that are not understood are left out; metadata without columns is an error.
pub(super) fn read_entries(file: &str, bytes: &[u8]) -> Result<Vec<Entry>, ReadError> {
    let (text, _) = super::text::decode(file, bytes, None)?;
    let json: Json = serde_json::from_str(&text).map_err(|error| {
        ReadError::setting(
            file,
            format!("line {}", error.line()),
            error.to_string(),
            "export it again",
        )
    })?;
    let columns = json.get("columns").and_then(Json::as_object).ok_or_else(|| {
        ReadError::setting(
            file,
            "the top level",
            "there is no object \"columns\", as metadata of Quantipy has",
            "give the codebook as CSV, or remove the file",
        )
    })?;
    let language = json.pointer("/lib/default text").and_then(Json::as_str).unwrap_or("en-GB");
    let mut entries: Vec<Entry> =
        columns.iter().map(|(name, column)| entry(name, column, &json, language)).collect();
    for (id, mask) in json.get("masks").and_then(Json::as_object).into_iter().flatten() {
        let text = words(mask.get("text"), language);
        let Some(items) = mask.get("items").and_then(Json::as_array) else { continue };
        for item in items {
            let source = item.get("source").and_then(Json::as_str).unwrap_or_default();
            let name = source.strip_prefix("columns@").unwrap_or(source);
            if let Some(entry) = entries.iter_mut().find(|entry| entry.variable == name) {
                entry.grid = Some(Grid { id: id.clone(), text: text.clone() });
            }
        }
    }
    Ok(entries)
}

fn entry(name: &str, column: &Json, json: &Json, language: &str) -> Entry {
    let mut values = column.get("values");
    // `lib@values@q5`: the values are stored elsewhere, once for many columns.
    if let Some(path) = values.and_then(Json::as_str) {
        values = json.pointer(&format!("/{}", path.replace('@', "/")));
    }
    let codes = values.and_then(Json::as_array).into_iter().flatten().filter_map(|value| {
        let number = value.get("value").and_then(Json::as_f64)?;
        Some(Code { value: Value::Number(number), label: words(value.get("text"), language) })
    });
    let missing = column.get("missings").and_then(Json::as_object).into_iter().flatten();
    let missing = missing
        .filter(|(_, how)| how.as_str().is_some_and(|how| how.contains("exclude")))
        .filter_map(|(code, _)| Some(Missing::Value(Value::Number(parse_number(code, false)?))));
    let told = column.get("type").and_then(Json::as_str).unwrap_or_default();
    Entry {
        variable: name.to_owned(),
        label: words(column.get("text"), language),
        kind: match told {
            "delimited set" => Some(Kind::Multi),
            "string" => Some(Kind::Open),
            "int" | "float" => Some(Kind::Numeric),
            _ => None,
        },
        codes: codes.collect(),
        missing: missing.collect(),
        moment: matches!(told, "date" | "time"),
        numbers: matches!(told, "int" | "float" | "single"),
        ..Entry::default()
    }
}

fn words(text: Option<&Json>, language: &str) -> String {
    let text = match text {
        Some(Json::Object(languages)) => {
            languages.get(language).or_else(|| languages.values().find(|one| one.is_string()))
        }
        other => other,
    };
    text.and_then(Json::as_str).unwrap_or_default().trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_masks_and_shared_values_are_understood() {
        let json = r#"{"lib": {"default text": "de", "values": {"a": [{"value": 1, "text": {"en": "no", "de": "nein"}}]}},
            "columns": {
                "a1": {"type": "single", "text": {"de": "Frage"}, "values": "lib@values@a", "missings": {"98": "d.exclude", "97": "flag"}},
                "m": {"type": "delimited set", "values": [{"value": 3, "text": "drei"}]},
                "t": {"type": "date"}, "n": {"type": "int"}},
            "masks": {"a": {"text": {"de": "Alle"}, "items": [{"source": "columns@a1"}]}}}"#;
        let entries = read_entries("a.json", json.as_bytes()).unwrap();
        let by = |name: &str| entries.iter().find(|entry| entry.variable == name).unwrap();
        assert_eq!(by("a1").codes[0].label, "nein");
        assert_eq!(by("a1").missing, [Missing::Value(Value::Number(98.0))]);
        assert_eq!(by("a1").grid, Some(Grid { id: "a".into(), text: "Alle".into() }));
        assert_eq!((by("m").kind, by("n").kind), (Some(Kind::Multi), Some(Kind::Numeric)));
        assert!(by("t").moment);
    }

    #[test]
    fn json_that_is_no_metadata_is_refused() {
        let error = super::read_entries("a.json", b"{}").unwrap_err().to_string();
        assert!(error.contains("there is no object \"columns\""), "{error}");
        assert!(super::read_entries("a.json", b"{").unwrap_err().to_string().contains("line 1"));
    }
}
