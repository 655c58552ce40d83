//! Validates results against their published schemas.

use std::sync::OnceLock;

use jsonschema::Validator;
use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde::Serialize;
use serde_json::Value;

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
        (Some(validator), Ok(value)) => validator
            .iter_errors(&value)
            .map(|error| format!("{}: {error}", error.instance_path()))
            .collect(),
        _ => vec!["the result cannot be compared with its schema".into()],
    }
}
