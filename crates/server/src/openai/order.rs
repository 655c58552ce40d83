//! What a request orders beside its question: the fields of an order, and those of this face.

use methods::order::Order;
use serde_json::{Map, Value};

use super::body::Fields;
use super::conversation::Conversation;
use super::error::ApiError;
use super::models::Model;

/// The field of a body with the fields of an order.
const FIELD: &str = "quaestio";
/// What the names of such fields begin with in `metadata`.
const IN_METADATA: &str = "quaestio_";
/// The field of this face: whether the run goes on if the connection is closed.
const DETACH: &str = "detach";
/// What the model and the conversation say.
const SAID_ELSEWHERE: [&str; 3] = ["method", "question", "history"];

/// What a request orders.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Wishes {
    fields: Map<String, Value>,
    /// Whether the run goes on if the connection is closed.
    pub(super) detach: bool,
}

impl Wishes {
    /// Reads `quaestio`, an object with fields of an order, and `metadata`, where each stands by itself: `quaestio_collection`.
    pub(super) fn read(body: &Fields) -> Result<Wishes, ApiError> {
        let mut fields = Map::new();
        let metadata = body.object("metadata")?.into_iter().flatten();
        for (name, value) in metadata {
            if name == FIELD {
                fields.extend(read_object("metadata.quaestio", value)?);
            } else if let Some(name) = name.strip_prefix(IN_METADATA) {
                fields.insert(name.to_owned(), read_metadata(name, value));
            }
        }
        if let Some(given) = body.get(FIELD) {
            fields.extend(read_object(FIELD, given)?);
        }
        let detach = match fields.remove(DETACH) {
            None | Some(Value::Null) => false,
            Some(Value::Bool(detach)) => detach,
            Some(_) => {
                let param = format!("{FIELD}.{DETACH}");
                return Err(ApiError::invalid(param, "'detach' must be true or false"));
            }
        };
        if let Some(name) = SAID_ELSEWHERE.iter().find(|name| fields.contains_key(**name)) {
            let message = format!("'{name}' is set by the model and the messages: leave it out");
            return Err(ApiError::invalid(format!("{FIELD}.{name}"), message));
        }
        Ok(Wishes { fields, detach })
    }

    /// Returns the order of a model and a conversation, and adds to `notes` what is not used.
    pub(super) fn order(
        &self,
        model: &Model,
        conversation: &Conversation,
        notes: &mut Vec<String>,
    ) -> Result<Order, ApiError> {
        let wrong = |error: serde_json::Error| {
            ApiError::invalid(FIELD, run::grounding::clean(&error.to_string()))
        };
        let fields = Value::Object(self.fields.clone());
        let mut order: Order = serde_json::from_value(fields).map_err(wrong)?;
        order.method.clone_from(&model.method);
        order.question.clone_from(&conversation.question);
        let differs = |what: &str| {
            let message = format!("'{what}' differs from the model name");
            Err(ApiError::invalid(format!("{FIELD}.{what}"), message))
        };
        if let Some(strategy) = model.strategy
            && order.strategy.replace(strategy).is_some_and(|given| given != strategy)
        {
            return differs("strategy");
        }
        if let Some(collection) = &model.collection
            && order
                .collection
                .replace(collection.clone())
                .is_some_and(|given| given != *collection)
        {
            return differs("collection");
        }
        if model.reads_history {
            order.history.clone_from(&conversation.history);
        } else if !conversation.history.is_empty() {
            notes.push(format!(
                "The {} earlier messages are not used: '{}' reads only its question.",
                conversation.history.len(),
                model.method
            ));
        }
        Ok(order)
    }
}

fn read_object(param: &str, value: &Value) -> Result<Map<String, Value>, ApiError> {
    let parsed = match value {
        // Values of metadata are texts.
        Value::String(text) => serde_json::from_str(text).ok(),
        value => Some(value.clone()),
    };
    match parsed {
        Some(Value::Object(fields)) => Ok(fields),
        _ => Err(ApiError::invalid(param, format!("'{param}' must be an object"))),
    }
}

/// Reads a value of metadata, which is a text: as such if the field takes one, otherwise as JSON.
fn read_metadata(name: &str, value: &Value) -> Value {
    let Value::String(text) = value else { return value.clone() };
    let as_text = Map::from_iter([(name.to_owned(), value.clone())]);
    if serde_json::from_value::<Order>(Value::Object(as_text)).is_ok() {
        return value.clone();
    }
    serde_json::from_str(text).unwrap_or_else(|_| value.clone())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn read_order(body: Value) -> Result<(Order, bool, Vec<String>), ApiError> {
        let Value::Object(body) = body else { panic!("not an object") };
        let model = Model {
            method: "ask".into(),
            strategy: Some(methods::ask::Strategy::Rag),
            collection: Some("manual".into()),
            reads_history: false,
        };
        let remark = run::settings::Remark { role: "user".into(), content: "Hello".into() };
        let conversation = Conversation {
            question: "Who?".into(),
            history: vec![remark],
            marker: None,
            notes: vec![],
        };
        let mut notes = vec![];
        let wishes = Wishes::read(&Fields(body))?;
        let order = wishes.order(&model, &conversation, &mut notes)?;
        Ok((order, wishes.detach, notes))
    }

    // proves: F4
    #[test]
    fn an_order_is_read_from_the_field_and_from_metadata() {
        let budget = methods::order::Caps { max_tokens: Some(900), ..Default::default() };
        for body in [
            json!({"quaestio": {"budget": {"max_tokens": 900}, "language": "German", "detach": true}}),
            json!({"metadata": {"quaestio": "{\"budget\": {\"max_tokens\": 900}, \"language\": \"German\", \"detach\": true}"}}),
            json!({"metadata": {
                "quaestio_budget": "{\"max_tokens\": 900}", "quaestio_language": "German", "quaestio_detach": "true",
                "chat_id": "x",
            }}),
        ] {
            let (order, detach, notes) = read_order(body).unwrap();
            assert_eq!(
                (order.budget, order.language.as_deref(), detach),
                (budget, Some("German"), true)
            );
            assert_eq!(
                (order.collection.as_deref(), order.question.as_str()),
                (Some("manual"), "Who?")
            );
            assert_eq!(notes.len(), 1, "what was said before is not used, and that is told");
        }
    }

    // proves: F4, F8
    #[test]
    fn what_contradicts_the_model_or_is_no_field_is_refused() {
        for wrong in [
            json!({"quaestio": {"collection": "other"}}),
            json!({"quaestio": {"strategy": "deep"}}),
            json!({"quaestio": {"method": "debate"}}),
            json!({"quaestio": {"base_url": "http://127.0.0.1"}}),
            json!({"quaestio": {"detach": "perhaps"}}),
            json!({"quaestio": "text"}),
            json!({"quaestio": []}),
            json!({"metadata": "text"}),
            json!({"metadata": {"quaestio": 7}}),
            json!({"metadata": {"quaestio_top": "many"}}),
        ] {
            assert!(read_order(wrong.clone()).is_err(), "{wrong}");
        }
    }
}
