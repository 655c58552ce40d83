//! Describes what handlers refuse beyond the types of fields, as far as it is known before a request is sent.

use serde_json::{Map, Value, json};

use ::app::Choices;

/// Operations whose body is required.
const WANTED: [&str; 3] = ["estimates", "runs", "workflows"];
/// The fields of an order that every method reads.
const ALWAYS: [&str; 8] =
    ["method", "question", "user_message", "user_id", "model", "offline", "clarify", "plan"];
/// The pattern of a non-blank text.
pub(super) const SAYS_SOMETHING: &str = r"\S";

/// Adds these rules to the description.
pub(super) fn describe(document: &mut Value, choices: Option<&Choices>) {
    for operation in WANTED {
        document["paths"][format!("/api/{operation}")]["post"]["requestBody"]["required"] =
            true.into();
    }
    let digest = json!({ "type": "string", "pattern": "^[0-9A-Fa-f]{64}$" });
    let nothing = json!({ "type": "null" });
    let revision = json!({ "type": "integer", "minimum": 0 });
    let both = json!([
        { "required": ["revision", "plan_hash"], "properties": { "revision": revision, "plan_hash": digest } },
        { "properties": { "revision": nothing, "plan_hash": nothing } },
    ]);
    let named = json!({ "type": "string", "pattern": SAYS_SOMETHING });
    let begun = json!([
        { "required": ["name"], "properties": { "name": named, "from_run": nothing } },
        { "required": ["from_run"], "properties": { "from_run": { "type": "string" } } },
    ]);
    if let Some(choices) = choices {
        let formats: Vec<&str> =
            choices.formats.iter().map(|format| format.name.as_str()).collect();
        let parameters = &mut document["paths"]["/api/runs/{run_id}/export"]["get"]["parameters"];
        let parameters = parameters.as_array_mut().into_iter().flatten();
        for parameter in parameters.filter(|one| one["name"] == "format" && !formats.is_empty()) {
            parameter["schema"]["enum"] = json!(formats);
        }
    }
    let Some(schemas) = document.pointer_mut("/components/schemas").and_then(Value::as_object_mut)
    else {
        return;
    };
    for (schema, shapes) in
        [("ApproveBody", &both), ("ApprovalBody", &both), ("NewContext", &begun)]
    {
        put(schemas, schema, "anyOf", shapes.clone());
    }
    let Some(choices) = choices.filter(|choices| !choices.methods.is_empty()) else { return };
    for order in ["Order", "WorkflowStart"] {
        let usual =
            schemas.get(order).map(|order| order["properties"]["method"]["default"].clone());
        let rules = methods(schemas.get(order), choices, usual.as_ref().and_then(Value::as_str));
        put(schemas, order, "allOf", rules);
        let names: Vec<&str> = choices.methods.iter().map(|method| method.name.as_str()).collect();
        if let Some(order) = schemas.get_mut(order) {
            order["properties"]["method"]["enum"] = json!(names);
        }
    }
}

fn put(schemas: &mut Map<String, Value>, schema: &str, key: &str, value: Value) {
    if let Some(schema) = schemas.get_mut(schema).and_then(Value::as_object_mut) {
        schema.insert(key.to_owned(), value);
    }
}

/// Returns what an order of each method must not contain. `usual` is the default method.
fn methods(order: Option<&Value>, choices: &Choices, usual: Option<&str>) -> Value {
    let known = order.and_then(|order| order["properties"].as_object());
    let mentioned = |field: &str| {
        choices.methods.iter().any(|method| method.fields.iter().any(|own| own == field))
    };
    let rules = choices.methods.iter().map(|method| {
        let others = known.into_iter().flatten().filter(|(field, _)| {
            !ALWAYS.contains(&field.as_str())
                && mentioned(field)
                && !method.fields.iter().any(|own| own == *field)
        });
        let unsaid: Map<String, Value> =
            others.map(|(field, schema)| (field.clone(), unsaid(schema))).collect();
        let mut is_it = json!({ "properties": { "method": { "const": method.name } } });
        if usual != Some(method.name.as_str()) {
            is_it["required"] = json!(["method"]);
        }
        json!({ "if": is_it, "then": { "properties": unsaid } })
    });
    rules.collect()
}

/// Returns the schema of an empty field.
fn unsaid(schema: &Value) -> Value {
    match schema["type"].as_str() {
        Some("array") => json!({ "maxItems": 0 }),
        Some("object") => json!({ "maxProperties": 0 }),
        _ => json!({ "type": "null" }),
    }
}
