//! Validates results against their published schemas.

use std::sync::OnceLock;

use jsonschema::Validator;
use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde::Serialize;
use serde_json::Value;

/// The most violations of a schema that are reported.
const MOST_ERRORS: usize = 20;

/// The validator of a schema, built once.
pub(crate) type Kept = OnceLock<Option<Validator>>;

/// Returns the JSON Schema of a result (2020-12).
pub(crate) fn schema_of<T: JsonSchema>() -> Value {
    SchemaSettings::draft2020_12().into_generator().into_root_schema_for::<T>().to_value()
}

/// Returns the violations of a result against the schema of its type; empty if it is valid.
pub(crate) fn violations<T: JsonSchema + Serialize>(result: &T, kept: &Kept) -> Vec<String> {
    let validator = kept.get_or_init(|| jsonschema::validator_for(&schema_of::<T>()).ok());
    match (validator, serde_json::to_value(result)) {
        (Some(validator), Ok(value)) => {
            errors(validator, &value).map(|(at, what)| format!("{at}: {what}")).collect()
        }
        _ => vec!["the result could not be checked against its schema".into()],
    }
}

/// Returns the places in a value that do not fit a schema, each with what is wrong there; empty if it is valid.
pub(crate) fn compare(value: &Value, schema: &Value) -> Vec<(String, String)> {
    match jsonschema::validator_for(schema) {
        Ok(validator) => errors(&validator, value).take(MOST_ERRORS).collect(),
        Err(_) => vec![(String::new(), "it could not be checked against its schema".into())],
    }
}

/// Returns the violations of a value, each with a JSON pointer; objects and lists are not repeated.
pub(crate) fn errors<'a>(
    validator: &'a Validator,
    value: &'a Value,
) -> impl Iterator<Item = (String, String)> + 'a {
    validator.iter_errors(value).map(|error| {
        let what = match &**error.instance() {
            Value::Object(_) => error.masked_with("the object").to_string(),
            Value::Array(_) => error.masked_with("the list").to_string(),
            _ => error.to_string(),
        };
        (error.instance_path().to_string(), run::ledger::one_line(&what))
    })
}
