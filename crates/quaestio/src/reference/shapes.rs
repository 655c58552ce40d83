//! JSON Schemas as tables of fields.

use serde_json::{Map, Value};

use super::markdown::{code, plain, table};

/// Returns where a named schema is described.
pub(super) type Place<'a> = &'a dyn Fn(&str) -> String;

/// Returns what a schema says of a value: its description, and the fields of an object.
pub(super) fn describe(schema: &Value, place: Place) -> String {
    let mut out = String::new();
    if let Some(description) = text(schema, "description") {
        out.push_str(&format!("{}\n\n", plain(description)));
    }
    let mut all = Map::new();
    let required = gather(schema, &mut all);
    let rows: Vec<[String; 3]> = all
        .iter()
        .map(|(name, field)| {
            let optional = if required.contains(name) { "" } else { " (optional)" };
            let about = text(field, "description").map(plain).unwrap_or_default();
            [format!("{}{optional}", code(name)), kind(field, place), about]
        })
        .collect();
    if rows.is_empty() {
        if let Some(values) = enumerated(schema) {
            out.push_str(&values);
        } else {
            out.push_str(&format!("Type: {}.\n\n", kind(schema, place)));
        }
    }
    out.push_str(&table(["Field", "Type", "Meaning"], &rows));
    out
}

fn text<'a>(schema: &'a Value, key: &str) -> Option<&'a str> {
    schema.get(key).and_then(Value::as_str).filter(|text| !text.is_empty())
}

/// Gathers the fields of an object and of what it is made of, and returns the names of those that are always there.
fn gather(schema: &Value, all: &mut Map<String, Value>) -> Vec<String> {
    let list = |key: &str| schema.get(key).and_then(Value::as_array).cloned().unwrap_or_default();
    let required = list("required");
    let mut required: Vec<String> =
        required.iter().filter_map(Value::as_str).map(str::to_owned).collect();
    for part in list("allOf") {
        required.extend(gather(&part, all));
    }
    if let Some(fields) = schema.get("properties").and_then(Value::as_object) {
        all.extend(fields.clone());
    }
    required
}

/// Returns the values that a schema lists, each with its meaning.
fn enumerated(schema: &Value) -> Option<String> {
    if let Some(values) = schema.get("enum").and_then(Value::as_array) {
        let values: Vec<String> = values.iter().map(literal).collect();
        return Some(format!("One of {}.\n\n", values.join(", ")));
    }
    let ways = schema.get("oneOf").and_then(Value::as_array)?;
    let rows: Option<Vec<[String; 2]>> = ways
        .iter()
        .map(|way| {
            let about = text(way, "description").map(plain).unwrap_or_default();
            Some([literal(way.get("const")?), about])
        })
        .collect();
    Some(table(["Value", "Meaning"], &rows?))
}

fn literal(value: &Value) -> String {
    code(&value.as_str().map_or_else(|| value.to_string(), str::to_owned))
}

/// Returns the type of a value in a few words.
pub(super) fn kind(schema: &Value, place: Place) -> String {
    if let Some(reference) = text(schema, "$ref") {
        let name = reference.rsplit('/').next().unwrap_or_default();
        return format!("[{}]({})", plain(name), place(name));
    }
    if let Some(value) = schema.get("const") {
        return literal(value);
    }
    if let Some(values) = schema.get("enum").and_then(Value::as_array) {
        return values.iter().map(literal).collect::<Vec<_>>().join(" or ");
    }
    for key in ["anyOf", "oneOf", "allOf"] {
        if let Some(ways) = schema.get(key).and_then(Value::as_array)
            && schema.get("properties").is_none()
        {
            let mut kinds: Vec<String> = ways.iter().map(|way| kind(way, place)).collect();
            kinds.dedup();
            return kinds.join(" or ");
        }
    }
    let named = |name: &str| match name {
        "array" => match schema.get("items") {
            Some(items) => format!("list of {}", kind(items, place)),
            None => "list".to_owned(),
        },
        "object" => match schema.get("additionalProperties").filter(|of| of.is_object()) {
            Some(of) => format!("object of {}", kind(of, place)),
            None => "object".to_owned(),
        },
        other => other.to_owned(),
    };
    match schema.get("type") {
        Some(Value::String(name)) => named(name),
        Some(Value::Array(names)) => {
            names.iter().filter_map(Value::as_str).map(named).collect::<Vec<_>>().join(" or ")
        }
        _ => "any".to_owned(),
    }
}
