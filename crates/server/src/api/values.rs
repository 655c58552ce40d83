//! Schemas of fields whose types come from crates without them: their values, and the shape of results.

use run::evidence::EvidenceKind;
use run::library::Put;
use run::log::Status;
use run::settings::Mode;
use run::views::{PlanState, StepState};
use run::{Outcome, ledger};
use serde::Serialize;
use serde_json::{Map, Value, json};
use utoipa::openapi::schema::{
    AdditionalProperties, Object, ObjectBuilder, OneOfBuilder, Schema, SchemaType, Type,
};
use utoipa::openapi::{Ref, RefOr};

use super::schema_of;

fn named(value: impl Serialize) -> Value {
    serde_json::to_value(value).unwrap_or_default()
}

fn one_of(values: impl IntoIterator<Item = Value>) -> Object {
    ObjectBuilder::new().schema_type(Type::String).enum_values(Some(values)).build()
}

/// Returns the schema of one of these values or null.
fn perhaps(values: impl IntoIterator<Item = Value>) -> Object {
    let values = values.into_iter().chain([Value::Null]);
    let types = SchemaType::Array(vec![Type::String, Type::Null]);
    ObjectBuilder::new().schema_type(types).enum_values(Some(values)).build()
}

const STATUSES: [Status; 6] = [
    Status::Queued,
    Status::Running,
    Status::Waiting,
    Status::Completed,
    Status::Partial,
    Status::Cancelled,
];

pub(super) fn status() -> Object {
    one_of(STATUSES.map(named))
}

pub(super) fn mode() -> Object {
    one_of([Mode::Model, Mode::Offline].map(named))
}

pub(super) fn outcome() -> Object {
    perhaps([Outcome::Answered, Outcome::NotEnoughEvidence, Outcome::NotReached].map(named))
}

pub(super) fn plan_state() -> Object {
    one_of([PlanState::Proposed, PlanState::Approved, PlanState::Rejected].map(named))
}

pub(super) fn step_state() -> Object {
    one_of([StepState::Running, StepState::Done, StepState::Failed].map(named))
}

pub(super) fn marked() -> Object {
    one_of(["exactly", "around", "nothing"].map(named))
}

pub(super) fn put() -> Object {
    one_of([Put::Added, Put::Replaced, Put::Unchanged].map(named))
}

pub(super) fn evidence_kind() -> Object {
    use EvidenceKind::{Execution, Rag, Scholarly, Survey, Tool, User, Web};
    one_of([Rag, Web, Scholarly, Survey, User, Execution, Tool].map(named))
}

pub(super) fn example() -> Object {
    one_of(crate::examples::ALL.map(|example| named(example.name)))
}

/// Adds the shapes of plans and results to the components.
pub(super) fn add(components: &mut Map<String, Value>) {
    components.insert("Plan".into(), schema_of::<run::plan::Plan>());
    let results = [
        ("BriefResult", methods::brief::schema()),
        ("DebateResult", methods::debate::schema()),
        ("HypothesisResult", methods::hypothesize::schema()),
        ("MarketResult", methods::market::schema()),
    ];
    let mut shapes: Vec<Value> = results.iter().map(|(name, _)| component(name)).collect();
    for (name, schema) in results {
        add_with_definitions(components, name, schema);
    }
    shapes.push(json!({
        "type": "object",
        "description": "Other methods: `answer` and further fields of the strategy. A run that ended early: what it had gathered, and `stage_outputs`.",
        "properties": { "claims": { "type": "array", "items": { "type": "object" } }, "stage_outputs": { "type": "object" } },
    }));
    let text = json!({ "type": "string" });
    let count = json!({ "type": "integer", "minimum": 0 });
    let mut citation = schema_of::<ledger::Citation>();
    citation["properties"]["document_id"] = json!({ "type": ["string", "null"], "description": "The document that its offsets refer to." });
    citation["properties"]["label"] = json!({
        "type": "string",
        "description": "The label shown in reports: `7` for the only statement cited from source 7, `7a`, `7b` for one of several.",
    });
    components.insert("ResultCitation".into(), citation);
    let result = json!({
        "type": "object",
        "description": "The result of a run, in the same form for every method. `answer`, `strategy` and `assumptions` of the deliverable are repeated beside it.",
        "required": ["run_id", "status", "citations", "grounding", "usage", "cost_usd", "warnings"],
        "properties": {
            "run_id": text,
            "method": text,
            "mode": one_of([Mode::Model, Mode::Offline].map(named)),
            "question": text,
            "models": { "type": "object", "description": "The models used. Missing if offline." },
            "status": status(),
            "answer": { "type": ["string", "null"] },
            "strategy": text,
            "assumptions": { "type": "array", "items": text },
            "citations": { "type": "array", "items": component("ResultCitation") },
            "references": { "type": "array", "items": { "type": "object" } },
            "grounding": { "type": "object", "description": "The number of claims per verdict." },
            "plan": { "type": "object", "description": "The approved plan compared with what was done." },
            "usage": {
                "type": "object",
                "required": ["input_tokens", "cached_tokens", "output_tokens", "calls", "lost_calls"],
                "properties": {
                    "input_tokens": count, "cached_tokens": count, "output_tokens": count, "calls": count, "lost_calls": count,
                    "reading": { "type": "object", "description": "The share used by second readers." },
                    "by_agent": { "type": "array", "items": { "type": "object" }, "description": "Usage and cost per agent." },
                },
            },
            "cost_usd": { "type": "number", "minimum": 0 },
            "deliverable": { "anyOf": shapes },
            "error": {
                "type": "object",
                "description": "Why the run ended before its result was complete.",
                "required": ["stage", "message", "retry_attempted"],
                "properties": { "stage": text, "message": text, "retry_attempted": { "type": "boolean" } },
            },
            "warnings": { "type": "array", "items": text },
        },
    });
    components.insert("RunResult".into(), result);
}

/// Returns the schema of settings by their keys.
pub(super) fn settings() -> Object {
    let types = [Type::String, Type::Number, Type::Boolean];
    let value = ObjectBuilder::new().schema_type(SchemaType::Array(types.into()));
    let value = AdditionalProperties::RefOr(RefOr::T(Schema::from(value)));
    ObjectBuilder::new().schema_type(Type::Object).additional_properties(Some(value)).build()
}

/// Returns a reference to the order among the components.
pub(super) fn order() -> Ref {
    Ref::from_schema_name("Order")
}

/// Returns a reference to the plan among the components.
pub(super) fn plan() -> Ref {
    Ref::from_schema_name("Plan")
}

/// Returns the schema of a plan or null.
pub(super) fn perhaps_plan() -> Schema {
    let nothing = ObjectBuilder::new().schema_type(Type::Null);
    OneOfBuilder::new().item(nothing).item(plan()).build().into()
}

fn component(name: &str) -> Value {
    json!({ "$ref": format!("#/components/schemas/{name}") })
}

/// Adds a schema, with its definitions prefixed by its name.
fn add_with_definitions(components: &mut Map<String, Value>, name: &str, mut schema: Value) {
    refer(&mut schema, name);
    let definitions = schema.as_object_mut().and_then(|fields| {
        fields.remove("$schema");
        fields.remove("$defs")
    });
    if let Some(Value::Object(definitions)) = definitions {
        for (own, definition) in definitions {
            components.insert(format!("{name}.{own}"), definition);
        }
    }
    components.insert(name.to_owned(), schema);
}

/// Redirects every reference to a definition to its new place.
fn refer(schema: &mut Value, name: &str) {
    match schema {
        Value::Object(fields) => {
            for (key, value) in fields {
                let own = value.as_str().and_then(|value| value.strip_prefix("#/$defs/"));
                match own.filter(|_| key == "$ref") {
                    Some(own) => *value = format!("#/components/schemas/{name}.{own}").into(),
                    None => refer(value, name),
                }
            }
        }
        Value::Array(items) => items.iter_mut().for_each(|item| refer(item, name)),
        _ => {}
    }
}
