//! Prompts: the usual ways to begin.

use rmcp::ErrorData;
use rmcp::model::{
    GetPromptRequestParams, GetPromptResult, Prompt, PromptArgument, PromptMessage, Role,
};
use run::{Method, Methods};
use serde_json::Value;

use super::tools::offered;

/// The argument of every prompt.
const QUESTION: &str = "question";
/// Arguments of the methods that have them.
const MATERIAL: [(&str, &str); 2] = [
    ("collection", "The collection of documents to answer from."),
    ("survey", "The survey to summarise."),
];

/// Returns one prompt for each method.
pub(super) fn all(methods: &Methods) -> Vec<Prompt> {
    offered(methods).map(prompt).collect()
}

fn prompt(method: &Method) -> Prompt {
    let question = PromptArgument::new(QUESTION)
        .with_description(format!("For example: {}", method.example))
        .with_required(true);
    let material = list_material(method).map(|(name, description)| {
        PromptArgument::new(name).with_description(description).with_required(false)
    });
    let arguments = std::iter::once(question).chain(material).collect();
    Prompt::new(method.name, Some(method.description), Some(arguments)).with_title(method.title)
}

/// Returns the arguments for material that a method reads.
fn list_material(method: &Method) -> impl Iterator<Item = (&'static str, &'static str)> + use<> {
    let fields = method.fields;
    MATERIAL.into_iter().filter(move |(name, _)| fields.contains(name))
}

/// Returns the message with which a conversation begins.
pub(super) fn get(
    methods: &Methods,
    request: &GetPromptRequestParams,
) -> Result<GetPromptResult, ErrorData> {
    let found = offered(methods).find(|method| method.name == request.name);
    let Some(method) = found else {
        let name: String = run::grounding::clean(&request.name).chars().take(80).collect();
        return Err(ErrorData::invalid_params(format!("there is no prompt '{name}'"), None));
    };
    let given = |name: &str| {
        let value = request.arguments.as_ref().and_then(|arguments| arguments.get(name));
        value.and_then(Value::as_str).map(str::trim).filter(|text| !text.is_empty())
    };
    let Some(question) = given(QUESTION) else {
        return Err(ErrorData::invalid_params("the argument 'question' is missing", None));
    };
    let mut text = format!(
        "Use the tool `{}` of Quaestio for this, and hand me its report with its marks and sources:\n\n{question}",
        method.name
    );
    for (name, _) in list_material(method) {
        if let Some(value) = given(name) {
            text.push_str(&format!("\n\n{name}: {value}"));
        }
    }
    let messages = vec![PromptMessage::new_text(Role::User, text)];
    Ok(GetPromptResult::new(messages).with_description(method.description))
}
