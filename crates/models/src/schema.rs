//! Translates a JSON Schema into the dialect of a service.
//!
//! Keywords that a service does not know are removed. A removed limit is written into the description, so that the model still reads it.
//! The reply is checked against the full schema in any case. Properties are written in the order of `required`, as their type declares
//! them: a model writes its reply in the order of the schema it was given.

use std::collections::HashMap;
use std::sync::{Arc, LazyLock, Mutex, PoisonError};

use run::model::ReplySchema;
use serde::{Serialize, Serializer};
use serde_json::value::{RawValue, to_raw_value};
use serde_json::{Map, Value, json};

/// The dialect of a service.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Dialect {
    /// Most of JSON Schema.
    OpenAi,
    /// Anthropic's structured output: no limits on numbers, lengths and lists.
    Anthropic,
    /// Gemini's `responseJsonSchema`.
    GeminiJson,
    /// Gemini's `responseSchema`: a part of OpenAPI 3.0.
    GeminiOpenApi,
}

/// Annotations, which constrain nothing.
const NOTES: [&str; 8] =
    ["$schema", "$id", "$comment", "$anchor", "default", "format", "example", "examples"];

/// Limits that not every service accepts.
const LIMITS: [&str; 14] = [
    "minimum",
    "maximum",
    "exclusiveMinimum",
    "exclusiveMaximum",
    "multipleOf",
    "minLength",
    "maxLength",
    "pattern",
    "minItems",
    "maxItems",
    "uniqueItems",
    "minProperties",
    "maxProperties",
    "patternProperties",
];

/// The most schemas that one may expand to by inlining its references.
const ROOM: usize = 10_000;

/// The most schemas cached; a program has as many as kinds of replies.
const MOST_KNOWN: usize = 1_024;

type Known = HashMap<([u8; 32], Dialect), Arc<RawValue>>;

/// Returns the schema of a reply in `dialect`, as JSON. Each schema is written once and cached.
///
/// A schema that would grow too long by inlining its references keeps them, for the service to refuse.
pub(crate) fn translate_schema(reply: &ReplySchema, dialect: Dialect) -> Arc<RawValue> {
    static KNOWN: LazyLock<Mutex<Known>> = LazyLock::new(Mutex::default);
    let key = (reply.hash.0, dialect);
    let known = || KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(written) = known().get(&key) {
        return Arc::clone(written);
    }
    let raw = |schema: &Value| {
        to_raw_value(&InOrder(schema)).unwrap_or_else(|_| RawValue::NULL.to_owned())
    };
    let mut written = raw(&of(&reply.schema, dialect));
    if written.get().len() > reply.most_bytes() {
        written = raw(&reply.schema);
    }
    let written: Arc<RawValue> = written.into();
    let mut known = known();
    if known.len() >= MOST_KNOWN {
        known.clear();
    }
    known.insert(key, Arc::clone(&written));
    written
}

/// Returns `schema` as text for a prompt.
pub(crate) fn in_order(schema: &Value) -> String {
    serde_json::to_string(&InOrder(schema)).unwrap_or_default()
}

/// A schema as written: properties in the order of `required`, then the others.
struct InOrder<'a>(&'a Value);

impl Serialize for InOrder<'_> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        match self.0 {
            Value::Object(schema) => to.collect_map(schema.iter().map(|(key, value)| {
                let member = match value {
                    Value::Object(properties) if key == "properties" => {
                        Member::Properties { properties, order: schema.get("required") }
                    }
                    value => Member::Other(InOrder(value)),
                };
                (key, member)
            })),
            Value::Array(values) => to.collect_seq(values.iter().map(InOrder)),
            value => value.serialize(to),
        }
    }
}

/// The value of one key of a schema.
enum Member<'a> {
    Properties { properties: &'a Map<String, Value>, order: Option<&'a Value> },
    Other(InOrder<'a>),
}

impl Serialize for Member<'_> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let (properties, order) = match self {
            Member::Properties { properties, order } => (properties, order),
            Member::Other(schema) => return schema.serialize(to),
        };
        let order = order.and_then(Value::as_array).into_iter().flatten();
        let place: HashMap<&str, usize> =
            order.filter_map(Value::as_str).enumerate().map(|(at, name)| (name, at)).collect();
        let mut properties: Vec<_> = properties.iter().collect();
        properties.sort_by_key(|(name, _)| place.get(name.as_str()).copied().unwrap_or(usize::MAX));
        to.collect_map(properties.into_iter().map(|(name, schema)| (name, InOrder(schema))))
    }
}

/// Returns `schema` in `dialect`.
fn of(schema: &Value, dialect: Dialect) -> Value {
    let mut writer =
        Writer { root: schema, dialect, within: Vec::new(), room: ROOM, refers: false };
    let mut written = writer.schema(schema);
    // A schema that contains itself cannot be inlined.
    if dialect == Dialect::OpenAi || writer.refers {
        for key in ["$defs", "definitions"] {
            if let Some(Value::Object(definitions)) = schema.get(key)
                && let Value::Object(written) = &mut written
            {
                written.insert(key.into(), writer.map(definitions));
            }
        }
    }
    written
}

struct Writer<'a> {
    root: &'a Value,
    dialect: Dialect,
    /// The references being inlined.
    within: Vec<&'a str>,
    room: usize,
    /// Whether a reference was kept.
    refers: bool,
}

impl<'a> Writer<'a> {
    fn map(&mut self, schemas: &'a Map<String, Value>) -> Value {
        let schemas = schemas.iter().map(|(name, schema)| (name.clone(), self.schema(schema)));
        Value::Object(schemas.collect())
    }

    fn schema(&mut self, schema: &'a Value) -> Value {
        let Value::Object(object) = schema else { return schema.clone() };
        self.room = self.room.saturating_sub(1);
        if let Some(Value::String(reference)) = object.get("$ref")
            && let Some(written) = self.reference(reference, object)
        {
            return written;
        }
        let mut written = Map::new();
        for (key, value) in object {
            let named_string = key == "title" && value.is_string();
            if NOTES.contains(&key.as_str()) || named_string {
                continue;
            }
            let value = match (key.as_str(), value) {
                ("$defs" | "definitions", _) => continue,
                ("properties", Value::Object(schemas)) => self.map(schemas),
                ("items" | "additionalProperties" | "not" | "contains", schema) => {
                    self.schema(schema)
                }
                ("anyOf" | "oneOf" | "allOf" | "prefixItems", Value::Array(schemas)) => {
                    schemas.iter().map(|schema| self.schema(schema)).collect()
                }
                (_, value) => value.clone(),
            };
            // Strict structured output knows only `anyOf`.
            let key = if key == "oneOf" { "anyOf" } else { key };
            written.insert(key.to_owned(), value);
        }
        match self.dialect {
            Dialect::OpenAi => open_ai(&mut written),
            Dialect::Anthropic => anthropic(&mut written),
            Dialect::GeminiJson => gemini(&mut written),
            Dialect::GeminiOpenApi => open_api(&mut written),
        }
        Value::Object(written)
    }

    /// Inlines the target of `reference`; `None` if it stays a reference.
    fn reference(&mut self, reference: &'a str, object: &'a Map<String, Value>) -> Option<Value> {
        if self.dialect == Dialect::OpenAi {
            return None;
        }
        let target = reference.strip_prefix('#').and_then(|pointer| self.root.pointer(pointer));
        match target.filter(|_| !self.within.contains(&reference) && self.room > 0) {
            Some(target) => {
                self.within.push(reference);
                let mut written = self.schema(target);
                self.within.pop();
                if let (Value::Object(written), Some(own)) =
                    (&mut written, object.get("description"))
                {
                    written.insert("description".into(), own.clone());
                }
                Some(written)
            }
            None if self.dialect == Dialect::GeminiOpenApi => Some(json!({"type": "object"})),
            None => {
                self.refers = true;
                Some(json!({"$ref": reference}))
            }
        }
    }
}

/// Moves these limits from a schema into its description.
fn tell(schema: &mut Map<String, Value>, limits: &[&str]) {
    let told: Vec<String> = limits
        .iter()
        .filter_map(|limit| Some(format!("{limit}: {}", schema.remove(*limit)?)))
        .collect();
    if told.is_empty() {
        return;
    }
    let told = format!("({})", told.join(", "));
    let text = match schema.get("description").and_then(Value::as_str) {
        Some(description) => format!("{description} {told}"),
        None => told,
    };
    schema.insert("description".into(), text.into());
}

fn is_object(schema: &Map<String, Value>) -> bool {
    schema.get("type").is_some_and(|kind| kind == "object")
}

/// Moves limits into the description that grammar-based servers refuse: llama.cpp does not repeat anything 2,000 times.
fn open_ai(schema: &mut Map<String, Value>) {
    const MOST_REPEATED: u64 = 2_000;
    let is_too_much = |limit: &&str| {
        schema.get(*limit).and_then(Value::as_u64).is_some_and(|most| most >= MOST_REPEATED)
    };
    let limits: Vec<&str> = ["maxLength", "maxItems"].into_iter().filter(is_too_much).collect();
    tell(schema, &limits);
}

fn anthropic(schema: &mut Map<String, Value>) {
    let few = schema.get("minItems").and_then(Value::as_u64).is_some_and(|items| items < 2);
    let limits: Vec<&str> =
        LIMITS.into_iter().filter(|limit| !(few && *limit == "minItems")).collect();
    tell(schema, &limits);
    if is_object(schema) {
        schema.insert("additionalProperties".into(), false.into());
    }
}

fn gemini(schema: &mut Map<String, Value>) {
    const KNOWN: [&str; 4] = ["minimum", "maximum", "minItems", "maxItems"];
    let limits: Vec<&str> = LIMITS.into_iter().filter(|limit| !KNOWN.contains(limit)).collect();
    tell(schema, &limits);
    if let (Some(Value::Object(_)), Some(order)) =
        (schema.get("properties"), schema.get("required"))
    {
        schema.insert("propertyOrdering".into(), order.clone());
    }
    if let Some(only) = schema.remove("const") {
        schema.insert("enum".into(), Value::Array(vec![only]));
    }
    if let Some(Value::Array(values)) = schema.get_mut("enum")
        && values.len() > 1
        && values.contains(&Value::Null)
    {
        values.retain(|value| !value.is_null());
        let values = schema.remove("enum").unwrap_or_default();
        let kinds = schema.remove("type");
        let kind = kinds
            .as_ref()
            .and_then(|kinds| kinds.as_array()?.iter().find(|kind| *kind != "null"))
            .cloned()
            .unwrap_or_else(|| "string".into());
        schema.insert("anyOf".into(), json!([{"type": kind, "enum": values}, {"type": "null"}]));
    }
    // An `enum` there allows only strings and numbers; for other values the type says most of it.
    if let Some(Value::Array(values)) = schema.get("enum")
        && let Some(kind) = values.iter().find_map(|value| match value {
            Value::Bool(_) => Some("boolean"),
            Value::Null => Some("null"),
            _ => None,
        })
    {
        let plain = values.len() == 1;
        tell(schema, &["enum"]);
        if plain {
            schema.entry("type").or_insert_with(|| kind.into());
        }
    }
}

fn open_api(schema: &mut Map<String, Value>) {
    gemini(schema);
    schema.remove("additionalProperties");
    tell(schema, &["prefixItems", "allOf", "not", "contains"]);
    let strings = |values: &[Value]| values.iter().all(Value::is_string);
    if schema.get("enum").and_then(Value::as_array).is_some_and(|values| !strings(values)) {
        tell(schema, &["enum"]);
    }
    // `null` is not a type there; `nullable` is used instead.
    if let Some(Value::Array(kinds)) = type_list(schema) {
        let (nulls, kinds): (Vec<Value>, Vec<Value>) =
            kinds.into_iter().partition(|kind| kind == "null");
        if !nulls.is_empty() {
            schema.insert("nullable".into(), true.into());
        }
        match <[Value; 1]>::try_from(kinds) {
            Ok([kind]) => {
                schema.insert("type".into(), kind);
            }
            Err(kinds) => {
                let forms: Vec<Value> =
                    kinds.into_iter().map(|kind| json!({"type": kind})).collect();
                if !forms.is_empty() {
                    schema.insert("anyOf".into(), forms.into());
                }
            }
        }
    }
    let is_null = |form: &Value| form.get("type").is_some_and(|kind| kind == "null");
    if let Some(Value::Array(forms)) = schema.get_mut("anyOf") {
        let all = forms.len();
        forms.retain(|form| !is_null(form));
        let nullable = forms.len() < all;
        let only = if forms.len() == 1 { forms.pop() } else { None };
        if nullable {
            schema.insert("nullable".into(), true.into());
        }
        if let Some(Value::Object(only)) = only {
            schema.remove("anyOf");
            for (key, value) in only {
                schema.entry(key).or_insert(value);
            }
        }
    }
}

/// Removes a list of types from a schema.
fn type_list(schema: &mut Map<String, Value>) -> Option<Value> {
    schema.get("type").is_some_and(Value::is_array).then(|| schema.remove("type")).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const DIALECTS: [Dialect; 4] =
        [Dialect::OpenAi, Dialect::Anthropic, Dialect::GeminiJson, Dialect::GeminiOpenApi];

    // proves: C3
    #[test]
    fn a_limit_that_a_service_does_not_take_is_told_to_the_model() {
        let schema =
            json!({"type": "integer", "description": "A score.", "minimum": 1, "maximum": 10});
        let told = json!({"type": "integer", "description": "A score. (minimum: 1, maximum: 10)"});
        assert_eq!(of(&schema, Dialect::Anthropic), told);
        assert_eq!(of(&schema, Dialect::GeminiOpenApi), schema);
    }

    // proves: C3
    #[test]
    fn what_may_be_null_is_nullable_where_null_is_no_type() {
        for schema in [
            json!({"type": ["string", "null"]}),
            json!({"anyOf": [{"type": "string"}, {"type": "null"}]}),
        ] {
            let nullable = json!({"type": "string", "nullable": true});
            assert_eq!(of(&schema, Dialect::GeminiOpenApi), nullable);
            assert_eq!(of(&schema, Dialect::GeminiJson), schema);
        }
        let choice = json!({"type": ["string", "null"], "enum": ["a", null]});
        let nullable = json!({"type": "string", "enum": ["a"], "nullable": true});
        assert_eq!(of(&choice, Dialect::GeminiOpenApi), nullable);
        let mixed = json!({"type": ["string", "integer", "null"]});
        let either = json!({"anyOf": [{"type": "string"}, {"type": "integer"}], "nullable": true});
        assert_eq!(of(&mixed, Dialect::GeminiOpenApi), either);
    }

    // proves: C3
    #[test]
    fn properties_are_written_as_their_type_declares_them() {
        let schema = json!({"type": "object", "required": ["reason", "b", "verdict"], "properties": {
            "verdict": {"type": "boolean"}, "reason": {"type": "string"}, "b": {"type": "string"}}});
        let reply = ReplySchema {
            name: "Verdict".into(),
            bytes: schema.to_string().len(),
            hash: run::entry::Hash::of_json(&schema),
            schema,
        };
        for dialect in DIALECTS {
            let written = translate_schema(&reply, dialect);
            let properties = written.get().split_once("\"properties\":").unwrap().1;
            let at = |name: &str| properties.find(&format!("\"{name}\":{{")).unwrap();
            assert!(at("reason") < at("b") && at("b") < at("verdict"), "{dialect:?}: {properties}");
        }
        let gemini = of(&reply.schema, Dialect::GeminiOpenApi);
        assert_eq!(gemini["propertyOrdering"], reply.schema["required"]);
    }

    // proves: C3
    #[test]
    fn a_limit_beyond_what_a_grammar_repeats_is_told() {
        let text = |limit: u64| json!({"type": "string", "maxLength": limit});
        assert_eq!(of(&text(1_999), Dialect::OpenAi), text(1_999));
        let told = json!({"type": "string", "description": "(maxLength: 2000)"});
        assert_eq!(of(&text(2_000), Dialect::OpenAi), told);
    }

    // proves: C3
    #[test]
    fn references_are_written_out_and_cannot_fill_the_memory() {
        let pair = |of: usize| {
            json!({"type": "object", "properties": {
            "a": {"$ref": format!("#/$defs/D{of}")}, "b": {"$ref": format!("#/$defs/D{of}")}}})
        };
        let mut definitions: Map<String, Value> =
            (0..40).map(|index| (format!("D{index}"), pair(index + 1))).collect();
        definitions.insert("D40".into(), json!({"type": "string"}));
        let mut schema = pair(0);
        schema["$defs"] = Value::Object(definitions);
        for dialect in DIALECTS {
            assert!(of(&schema, dialect).to_string().len() < 10_000_000, "{dialect:?}");
        }
        let once = json!({"$defs": {"D": {"type": "string"}}, "type": "object",
            "properties": {"a": {"$ref": "#/$defs/D", "description": "Its own."}}});
        let a = json!({"type": "string", "description": "Its own."});
        assert_eq!(of(&once, Dialect::GeminiOpenApi)["properties"]["a"], a);
    }

    fn any_schema() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            prop_oneof![Just("object"), Just("null"), Just("#"), Just("#/$defs/a"), Just("x")]
                .prop_map(Value::from),
        ];
        let key = prop::sample::select(vec![
            "type",
            "enum",
            "const",
            "anyOf",
            "oneOf",
            "allOf",
            "properties",
            "items",
            "$ref",
            "$defs",
            "a",
            "description",
            "minItems",
            "required",
            "format",
            "default",
            "additionalProperties",
        ]);
        leaf.prop_recursive(4, 40, 5, move |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
                prop::collection::btree_map(key.clone().prop_map(str::to_owned), inner, 0..5)
                    .prop_map(|map| Value::Object(map.into_iter().collect())),
            ]
        })
    }

    proptest! {
        #[test]
        fn whatever_a_schema_holds_it_is_written(schema in any_schema()) {
            for dialect in DIALECTS {
                let written = of(&schema, dialect);
                prop_assert_eq!(written.is_object(), schema.is_object());
            }
        }
    }
}
