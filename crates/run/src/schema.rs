//! The JSON Schema of a reply type, in the form that models take.

use std::any::TypeId;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use schemars::JsonSchema;
use serde_json::{Map, Value, json};

use crate::entry::Hash;
use crate::model::ReplySchema;

/// The limits of a list's items and a string's characters if their type sets none.
///
/// A schema-constrained model that repeats itself goes on until its tokens run out if a list or string has no limit.
const MOST_ITEMS: u64 = 12;
const LONGEST_TEXT: u64 = 600;

/// Returns the schema of `R`: self-contained, every object closed, every property required, every list and string bounded.
///
/// Providers that constrain generation require exactly this; an optional field is one that may be null. `required` names the
/// properties as `R` declares them, which is the order in which models write. A type's schema never changes while the program runs, so
/// it is built once.
pub fn of<R: JsonSchema + 'static>() -> Arc<ReplySchema> {
    static MADE: OnceLock<Mutex<HashMap<TypeId, Arc<ReplySchema>>>> = OnceLock::new();
    let mut made = MADE.get_or_init(Mutex::default).lock().unwrap_or_else(PoisonError::into_inner);
    Arc::clone(made.entry(TypeId::of::<R>()).or_insert_with(|| {
        let settings = schemars::generate::SchemaSettings::draft2020_12().with(|settings| {
            settings.inline_subschemas = true;
            settings.meta_schema = None;
            // A serialized value has every field, so `required` gives their order.
            settings.contract = schemars::generate::Contract::Serialize;
        });
        let mut schema = settings.into_generator().into_root_schema_for::<R>().to_value();
        strict(&mut schema);
        let (bytes, hash) = (schema.to_string().len(), Hash::of_json(&schema));
        Arc::new(ReplySchema { name: R::schema_name().into_owned(), schema, bytes, hash })
    }))
}

fn strict(schema: &mut Value) {
    match schema {
        Value::Object(object) => {
            // In a map of properties these names belong to properties, whose schemas are objects.
            if object.get("title").is_some_and(Value::is_string) {
                object.remove("title");
            }
            if object.get("type").is_some_and(|kind| kind.is_string() || kind.is_array()) {
                object.remove("default");
                object.remove("format");
            }
            // Strict structured output supports only `anyOf`.
            if object.get("oneOf").is_some_and(Value::is_array)
                && !object.contains_key("anyOf")
                && let Some(forms) = object.remove("oneOf")
            {
                object.insert("anyOf".into(), forms);
            }
            if is_of(object, "object")
                && let Some(Value::Object(properties)) = object.get("properties")
            {
                let all = properties.keys().cloned().map(Value::String);
                let mut names = match object.get("required") {
                    Some(Value::Array(declared)) => declared.clone(),
                    _ => Vec::new(),
                };
                let left_out: Vec<Value> = all.filter(|name| !names.contains(name)).collect();
                names.extend(left_out);
                object.insert("required".into(), names.into());
                object.insert("additionalProperties".into(), false.into());
            }
            if is_of(object, "array") {
                object.entry("maxItems").or_insert(MOST_ITEMS.into());
            }
            if is_of(object, "string")
                && !["enum", "const"].iter().any(|of| object.contains_key(*of))
            {
                object.entry("maxLength").or_insert(LONGEST_TEXT.into());
            }
            object.values_mut().for_each(strict);
        }
        Value::Array(items) => items.iter_mut().for_each(strict),
        _ => {}
    }
}

/// Returns whether a schema allows type `kind`, alone or among others.
fn is_of(schema: &Map<String, Value>, kind: &str) -> bool {
    match schema.get("type") {
        Some(Value::String(one)) => one == kind,
        Some(Value::Array(kinds)) => kinds.iter().any(|one| one == kind),
        _ => false,
    }
}

/// Returns the smallest JSON text that shows the shape of `schema`, with one item of each list and the properties in order.
pub fn build_example(schema: &Value) -> String {
    let forms = ["anyOf", "oneOf"].into_iter().filter_map(|key| schema.get(key)?.as_array());
    if let Some(form) = forms.flatten().find(|form| form["type"] != "null") {
        return build_example(form);
    }
    let fixed = schema.get("enum").and_then(|values| values.get(0)).or(schema.get("const"));
    if let Some(value) = fixed {
        return value.to_string();
    }
    let kind = match &schema["type"] {
        Value::Array(kinds) => kinds.iter().find(|kind| *kind != "null"),
        kind => Some(kind),
    };
    match kind.and_then(Value::as_str) {
        Some("object") => {
            let names = schema["required"].as_array().into_iter().flatten();
            let members = names.filter_map(Value::as_str).map(|name| {
                let value = build_example(&schema["properties"][name]);
                format!("{}: {value}", Value::from(name))
            });
            format!("{{{}}}", members.collect::<Vec<_>>().join(", "))
        }
        Some("array") => {
            format!("[{}]", schema.get("items").map_or_else(String::new, build_example))
        }
        Some("integer" | "number") => schema.get("minimum").unwrap_or(&json!(1)).to_string(),
        Some("boolean") => "false".into(),
        Some("null") => "null".into(),
        _ => "\"…\"".into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A verdict.
    #[derive(Default, serde::Deserialize, serde::Serialize, JsonSchema)]
    #[serde(default)]
    struct Verdict {
        /// What it is called.
        title: String,
        notes: Option<Vec<Note>>,
        #[serde(flatten)]
        grounds: Grounds,
        score: u8,
        approved: bool,
    }

    #[derive(Default, serde::Deserialize, serde::Serialize, JsonSchema)]
    struct Grounds {
        reasons: Vec<String>,
        #[schemars(length(max = 3), inner(length(max = 40)))]
        aliases: Vec<String>,
    }

    #[derive(serde::Deserialize, serde::Serialize, JsonSchema)]
    struct Note {
        text: String,
    }

    // proves: C3
    #[test]
    fn a_schema_is_closed_and_says_what_each_field_is() {
        let schema = &of::<Verdict>().schema;
        let declared = ["title", "notes", "reasons", "aliases", "score", "approved"];
        assert_eq!(schema["required"], serde_json::json!(declared));
        assert_eq!(schema["additionalProperties"], false);
        assert_eq!(schema["properties"]["title"]["description"], "What it is called.");
        assert!(schema["properties"]["score"].get("format").is_none());
        let text = schema.to_string();
        assert!(!text.contains("$ref") && !text.contains("$schema"), "{text}");
    }

    // proves: C3
    #[test]
    fn every_list_and_text_has_an_end() {
        let properties = &of::<Verdict>().schema["properties"];
        let bounds =
            |list: &Value| [&list["maxItems"], &list["items"]["maxLength"]].map(Value::as_u64);
        assert_eq!(bounds(&properties["reasons"]), [Some(MOST_ITEMS), Some(LONGEST_TEXT)]);
        assert_eq!(bounds(&properties["aliases"]), [Some(3), Some(40)]);
        assert_eq!(properties["notes"]["maxItems"], MOST_ITEMS);
        let note = &properties["notes"]["items"]["properties"]["text"];
        assert_eq!(note["maxLength"], LONGEST_TEXT);
    }

    // proves: C3
    #[test]
    fn an_example_of_a_schema_shows_its_shape_and_is_read_as_its_type() {
        #[derive(serde::Deserialize, JsonSchema)]
        #[expect(dead_code, reason = "only its schema is looked at")]
        struct Judged {
            verdict: Judgement,
            reasons: Vec<String>,
            score: Option<u8>,
        }
        #[derive(serde::Deserialize, JsonSchema)]
        enum Judgement {
            Supported,
            Unrelated,
        }
        let example = build_example(&of::<Judged>().schema);
        assert_eq!(example, r#"{"verdict": "Supported", "reasons": ["…"], "score": 0}"#);
        assert!(serde_json::from_str::<Judged>(&example).is_ok());
    }

    #[test]
    fn a_property_may_be_called_as_a_keyword_is() {
        let forms = serde_json::json!([{"const": 1}, {"const": 2}]);
        let mut schema =
            serde_json::json!({"properties": {"oneOf": {"oneOf": forms}, "title": {"title": "T"}}});
        strict(&mut schema);
        let expected = serde_json::json!({"properties": {"oneOf": {"anyOf": forms}, "title": {}}});
        assert_eq!(schema, expected);
    }
}
