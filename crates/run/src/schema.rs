//! The JSON Schema of a reply type, as models take it.

use std::any::TypeId;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use schemars::JsonSchema;
use serde_json::Value;

use crate::entry::Hash;
use crate::ports::ReplySchema;

/// Returns the schema of `R`: self-contained, every object closed, every property required.
///
/// Providers that constrain generation ask for just that; an optional field is one that may be null.
/// A type's schema never changes while the program runs, so it is made once.
pub fn of<R: JsonSchema + 'static>() -> Arc<ReplySchema> {
    static MADE: OnceLock<Mutex<HashMap<TypeId, Arc<ReplySchema>>>> = OnceLock::new();
    let mut made = MADE.get_or_init(Mutex::default).lock().unwrap_or_else(PoisonError::into_inner);
    Arc::clone(made.entry(TypeId::of::<R>()).or_insert_with(|| {
        let settings = schemars::generate::SchemaSettings::draft2020_12().with(|settings| {
            settings.inline_subschemas = true;
            settings.meta_schema = None;
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
            // Strict structured output knows `anyOf` alone.
            if object.get("oneOf").is_some_and(Value::is_array)
                && !object.contains_key("anyOf")
                && let Some(forms) = object.remove("oneOf")
            {
                object.insert("anyOf".into(), forms);
            }
            if object.get("type").is_some_and(|kind| kind == "object")
                && let Some(Value::Object(properties)) = object.get("properties")
            {
                let names: Vec<Value> = properties.keys().cloned().map(Value::String).collect();
                object.insert("required".into(), names.into());
                object.insert("additionalProperties".into(), false.into());
            }
            object.values_mut().for_each(strict);
        }
        Value::Array(items) => items.iter_mut().for_each(strict),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A verdict.
    #[derive(JsonSchema)]
    #[expect(dead_code, reason = "only its schema is looked at")]
    struct Verdict {
        /// What it is called.
        title: String,
        score: u8,
        notes: Option<Vec<Note>>,
    }

    #[derive(JsonSchema)]
    #[expect(dead_code, reason = "only its schema is looked at")]
    struct Note {
        text: String,
    }

    // proves: C3
    #[test]
    fn a_schema_is_closed_and_says_what_each_field_is() {
        let schema = &of::<Verdict>().schema;
        assert_eq!(schema["required"], serde_json::json!(["notes", "score", "title"]));
        assert_eq!(schema["additionalProperties"], false);
        assert_eq!(schema["properties"]["title"]["description"], "What it is called.");
        assert!(schema["properties"]["score"].get("format").is_none());
        let text = schema.to_string();
        assert!(!text.contains("$ref") && !text.contains("$schema"), "{text}");
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
