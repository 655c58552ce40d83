//! Orders: what a user asks to have run, in the same form from the command line, over HTTP and in a test.

use std::collections::BTreeMap;

use run::Method;
use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use papers::Source;

use crate::ask::Strategy;
use crate::ask::deep::Depth;
use crate::brief::Way;
use crate::debate::Remark;

/// A run that somebody orders. What it does not say is the configuration's to say.
///
/// ```
/// let order: methods::order::Order =
///     serde_json::from_str(r#"{"method": "ask", "question": "Who was John Snow?", "where": {"year": "1854"}}"#)?;
/// assert_eq!(order.filter["year"], "1854");
/// assert_eq!(order.budget.max_tokens, None);
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
#[schemars(extend("required" = ["method", "question"]))]
pub struct Order {
    /// The name of the method: `ask`, `hypothesize`, `market`, `debate`, `brief` or `check`.
    pub method: String,
    pub question: String,
    /// How `ask` answers, by name or number; where it is not said, from documents where there are some, else from the model alone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub strategy: Option<Strategy>,
    /// The collection that `ask` answers from, that `hypothesize`, `market` and `debate` search beside what they look up, and that
    /// `check` holds a text against.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub collection: Option<String>,
    /// Only documents whose metadata has each of these values.
    #[serde(rename = "where", skip_serializing_if = "BTreeMap::is_empty")]
    pub filter: BTreeMap<String, String>,
    /// The company that the question of `ask` is about. Of documents only those about it are read (`where` with `company` says the
    /// same); whoever searches outside, or answers from the model alone, is told.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub company: Option<String>,
    /// Whom to ask for papers, pages and texts; where it is not said, as the configuration has it. Empty: nobody, which the strategy
    /// `deep`, `hypothesize`, `market` and `debate` can do where they have a collection.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sources: Option<Vec<Source>>,
    /// How many questions the strategy `deep` asks, at most.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_questions: Option<u32>,
    /// How far a report of the strategy `deep` goes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub depth: Option<Depth>,
    /// Words of such a report, at most.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub words: Option<u32>,
    /// Whom the answer of the strategy `deep` is for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub audience: Option<String>,
    /// What it is to be: "a two-page memo", "a list to work through".
    #[serde(rename = "as", skip_serializing_if = "Option::is_none")]
    pub form: Option<String>,
    /// The language that it is written in; the question's where nothing is said.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub language: Option<String>,
    /// The run that the strategy `deep` goes on from: what that run cites is read first, and only what it leaves open is looked up. With an
    /// empty question that run's is asked again, and the answer says what changed since.
    #[serde(rename = "continue", skip_serializing_if = "Option::is_none")]
    pub goes_on_from: Option<String>,
    /// The field that the question of `hypothesize` belongs to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub domain: Option<String>,
    /// What the hypotheses are wanted for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub objective: Option<String>,
    /// How many of the best hypotheses are written up.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub top: Option<u32>,
    /// How many cycles of proposal and review `debate` goes on for, at most.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_turns: Option<u32>,
    /// A page that `debate` reads before its first turn.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// What was said before, oldest first. The scientists of `debate` are told; a question of `ask`, `hypothesize`, `market` or `brief` is
    /// worded so that it stands alone, which takes a model.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub history: Vec<Remark>,
    /// The set of survey files that `brief` reads, by the name under which it is stored.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub survey: Option<String>,
    /// The text that `check` holds against the collection: Markdown, plain text or JSON lines; where it is not given, the question is
    /// that text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// How the summary of `brief` comes about.
    #[serde(rename = "loop", skip_serializing_if = "Option::is_none")]
    pub way: Option<Way>,
    /// The model that speaks, as `provider/name`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// No model is asked, whatever is configured; agents speak extractively.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub offline: bool,
    /// Whether a person is asked what the question leaves open; where it is not said, as the method and the configuration have it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub clarify: Option<bool>,
    /// Whether a plan is proposed, and nothing researched before somebody approves it; likewise.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub plan: Option<bool>,
    /// The id of the startup context to begin with; empty for none. Where it is not said, `market` begins with the only one
    /// there is, or asks which.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub startup: Option<String>,
    #[serde(skip_serializing_if = "Caps::is_empty")]
    pub budget: Caps,
}

impl Order {
    /// Fields of every method, or of the layer before it.
    const OF_ALL: [&str; 8] =
        ["method", "question", "model", "offline", "clarify", "plan", "startup", "budget"];

    /// Returns the fields that are set, other than those of every method.
    ///
    /// ```
    /// let order: methods::order::Order =
    ///     serde_json::from_str(r#"{"method": "ask", "question": "Who was John Snow?", "where": {"year": "1854"}}"#)?;
    /// assert_eq!(order.fields_given(), ["where"]);
    /// # Ok::<(), serde_json::Error>(())
    /// ```
    pub fn fields_given(&self) -> Vec<String> {
        let Ok(Value::Object(fields)) = serde_json::to_value(self) else {
            return vec![];
        };
        fields
            .into_iter()
            .map(|(name, _)| name)
            .filter(|name| !Self::OF_ALL.contains(&name.as_str()))
            .collect()
    }
}

/// Returns the JSON Schema (draft 2020-12) of a type, with everything in place that it refers to.
pub fn schema_of<T: JsonSchema>() -> Value {
    let generator = SchemaSettings::draft2020_12().with(|settings| {
        settings.inline_subschemas = true;
        settings.meta_schema = None;
    });
    generator.into_generator().into_root_schema_for::<T>().to_value()
}

/// Returns the JSON Schema of the orders of one method: its own fields and those of every method. The name of the method is not among
/// them.
///
/// ```
/// let methods = methods::all();
/// let schema = methods::order::schema_for(methods.find("brief").unwrap());
/// assert!(schema["properties"].get("survey").is_some());
/// assert!(schema["properties"].get("collection").is_none());
/// assert_eq!(schema["required"], serde_json::json!(["question"]));
/// ```
pub fn schema_for(method: &Method) -> Value {
    let mut schema = schema_of::<Order>();
    if let Some(properties) = schema.get_mut("properties").and_then(Value::as_object_mut) {
        properties.retain(|name, _| {
            let name = name.as_str();
            name != "method" && (Order::OF_ALL.contains(&name) || method.fields.contains(&name))
        });
        for property in properties.values_mut().filter_map(Value::as_object_mut) {
            property.remove("default");
        }
    }
    schema["required"] = Value::from(vec!["question"]);
    schema
}

/// What a run may cost. A cap that is not given is the configuration's.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Caps {
    /// In US dollars.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_cost_usd: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_tokens: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_steps: Option<u64>,
    /// Time at work; waiting for a person does not count.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_wall_seconds: Option<u64>,
}

impl Caps {
    pub fn is_empty(&self) -> bool {
        *self == Caps::default()
    }

    /// Returns whether a cap is zero, which allows nothing.
    pub fn any_zero(&self) -> bool {
        [self.max_tokens, self.max_steps, self.max_wall_seconds].contains(&Some(0))
            || self.max_cost_usd == Some(0.0)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use serde_json::json;

    use super::*;

    // proves: F2
    #[test]
    fn an_order_reads_back_as_it_was_written_and_says_nothing_that_was_not_said() {
        let order = Order {
            method: "ask".into(),
            question: "q".into(),
            strategy: Some(Strategy::Search),
            sources: Some(vec![Source::SemanticScholar]),
            filter: [("year".to_owned(), "1854".to_owned())].into(),
            budget: Caps { max_tokens: Some(9), ..Caps::default() },
            ..Order::default()
        };
        let written = json!({
            "method": "ask", "question": "q", "strategy": "search", "where": {"year": "1854"},
            "sources": ["semantic-scholar"], "budget": {"max_tokens": 9}
        });
        assert_eq!(serde_json::to_value(&order).unwrap(), written);
        assert_eq!(serde_json::from_value::<Order>(written).unwrap(), order);
    }

    // proves: A1, A2, A3
    #[test]
    fn a_strategy_is_read_by_its_number_and_written_by_its_name() {
        for strategy in Strategy::ALL {
            for word in [strategy.name(), strategy.number()] {
                let read: Strategy = serde_json::from_value(json!(word)).unwrap();
                assert_eq!((read, Strategy::named(word)), (strategy, Some(strategy)));
            }
            assert_eq!(serde_json::to_value(strategy).unwrap(), strategy.name());
        }
        let numbers = Strategy::ALL.map(Strategy::number);
        assert!(numbers.iter().zip(1..).all(|(number, n)| **number == format!("v{n:03}")));
        assert_eq!(Strategy::named("v000"), None);
    }

    // proves: F2
    #[test]
    fn every_field_belongs_to_all_methods_or_to_some_that_names_it() {
        let schema = serde_json::to_value(schemars::schema_for!(Order)).unwrap();
        let fields: BTreeSet<&str> =
            schema["properties"].as_object().unwrap().keys().map(String::as_str).collect();
        let methods = crate::all();
        let named = methods.iter().flat_map(|method| method.fields).copied();
        assert_eq!(named.chain(Order::OF_ALL).collect::<BTreeSet<_>>(), fields);
        for method in methods.iter() {
            let told = [method.title, method.description, method.example];
            assert!(told.iter().all(|told| !told.is_empty()), "{}", method.name);
        }
    }

    #[test]
    fn a_word_that_no_order_has_is_refused() {
        for wrong in [
            json!({"method": "ask", "filter": {}}),
            json!({"base_url": "http://127.0.0.1"}),
            json!({"budget": {"max_questions": 1}}),
            json!({"sources": ["bing"]}),
            json!({"top": -1}),
        ] {
            assert!(serde_json::from_value::<Order>(wrong.clone()).is_err(), "{wrong}");
        }
    }

    // proves: F2
    #[test]
    fn the_schema_takes_what_an_order_may_say() {
        let schema = serde_json::to_value(schemars::schema_for!(Order)).unwrap();
        let validator = jsonschema::validator_for(&schema).unwrap();
        for order in [
            json!({"method": "ask", "question": "q"}),
            json!({"method": "hypothesize", "question": "q", "top": 2, "sources": ["arxiv", "web"], "offline": true}),
            json!({"method": "ask", "question": "q", "strategy": "rag", "budget": {"max_cost_usd": 0.5}}),
            json!({"method": "brief", "question": "q", "survey": "bus", "loop": "simple"}),
            json!({"method": "ask", "question": "q", "strategy": "v003", "company": "Acme"}),
            json!({"method": "ask", "question": "q", "strategy": "deep", "max_questions": 0, "sources": []}),
            json!({"method": "ask", "question": "q", "strategy": "deep", "depth": "exhaustive", "words": 5000}),
        ] {
            assert!(validator.is_valid(&order), "{order}");
            serde_json::from_value::<Order>(order).unwrap();
        }
        for wrong in [
            json!({"method": 1, "question": "q"}),
            json!({"method": "ask"}),
            json!({"method": "ask", "question": "q", "strategy": "guess"}),
            json!({"method": "ask", "question": "q", "strategy": "v005"}),
            json!({"method": "ask", "question": "q", "sources": ["bing"]}),
            json!({"method": "brief", "question": "q", "loop": "endless"}),
            json!({"method": "ask", "question": "q", "base_url": "http://127.0.0.1"}),
        ] {
            assert!(!validator.is_valid(&wrong), "{wrong}");
        }
    }

    #[test]
    fn a_zero_allows_nothing() {
        assert!(!Caps::default().any_zero());
        assert!(Caps { max_cost_usd: Some(0.0), ..Caps::default() }.any_zero());
        assert!(Caps { max_wall_seconds: Some(0), ..Caps::default() }.any_zero());
    }
}
