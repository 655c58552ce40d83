//! The bodies of requests: JSON objects, read field by field, so that an error names the field.

use axum::extract::{FromRequest, Request};
use serde_json::{Map, Value};

use super::error::ApiError;
use crate::api::{leave_unread, must_be, whole};
use crate::state::Shared;

/// A JSON object. A field that is null counts as not given.
pub(super) struct Fields(pub(super) Map<String, Value>);

impl FromRequest<Shared> for Fields {
    type Rejection = ApiError;

    async fn from_request(request: Request, _: &Shared) -> Result<Fields, ApiError> {
        if let Err(problem) = must_be(request.headers(), "application/json") {
            leave_unread(request).await;
            return Err(problem.into());
        }
        let bytes = whole(request.into_body()).await?;
        match serde_json::from_slice(&bytes) {
            Ok(Value::Object(fields)) => Ok(Fields(fields)),
            Ok(_) => Err(ApiError::wrong(None, "the body must be a JSON object")),
            Err(error) => {
                let error = run::grounding::clean(&error.to_string());
                Err(ApiError::wrong(None, format!("the body cannot be read as JSON: {error}")))
            }
        }
    }
}

impl Fields {
    /// Returns a field; `None` if it is not given.
    pub(super) fn get(&self, name: &str) -> Option<&Value> {
        self.0.get(name).filter(|value| !value.is_null())
    }

    pub(super) fn text(&self, name: &str) -> Result<Option<&str>, ApiError> {
        let wrong = || ApiError::invalid(name, format!("'{name}' must be a text"));
        self.get(name).map(|value| value.as_str().ok_or_else(wrong)).transpose()
    }

    pub(super) fn flag(&self, name: &str) -> Result<bool, ApiError> {
        let wrong = || ApiError::invalid(name, format!("'{name}' must be true or false"));
        let flag = self.get(name).map(|value| value.as_bool().ok_or_else(wrong)).transpose()?;
        Ok(flag.unwrap_or(false))
    }

    pub(super) fn object(&self, name: &str) -> Result<Option<&Map<String, Value>>, ApiError> {
        let wrong = || ApiError::invalid(name, format!("'{name}' must be an object"));
        self.get(name).map(|value| value.as_object().ok_or_else(wrong)).transpose()
    }
}

/// Returns the flag within an object of the body, such as `stream_options.include_usage`.
pub(super) fn inner_flag(fields: &Fields, outer: &str, name: &str) -> Result<bool, ApiError> {
    match fields.object(outer)?.and_then(|object| object.get(name)) {
        None | Some(Value::Null) => Ok(false),
        Some(Value::Bool(flag)) => Ok(*flag),
        Some(_) => {
            let param = format!("{outer}.{name}");
            let message = format!("'{param}' must be true or false");
            Err(ApiError::invalid(param, message))
        }
    }
}

/// How the content of an answer is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Format {
    /// The report, as Markdown.
    Markdown,
    /// The result as every method prints it.
    Json,
}

/// Reads the format that is wanted: `{"type": "text" | "json_object" | "json_schema"}`.
pub(super) fn read_format(param: &str, wanted: Option<&Value>) -> Result<Format, ApiError> {
    let Some(wanted) = wanted.filter(|wanted| !wanted.is_null()) else {
        return Ok(Format::Markdown);
    };
    match wanted.get("type").and_then(Value::as_str) {
        Some("text") => Ok(Format::Markdown),
        Some("json_object" | "json_schema") => Ok(Format::Json),
        _ => {
            let message = format!("'{param}.type' must be text, json_object or json_schema");
            Err(ApiError::invalid(param, message))
        }
    }
}

/// Refuses whatever would have to change the answer and does not here.
pub(super) fn refuse_unsupported(fields: &Fields) -> Result<(), ApiError> {
    if let Some(n) = fields.get("n") {
        match n.as_u64() {
            Some(1) => {}
            Some(2..) => {
                return Err(ApiError::unsupported(
                    "n",
                    "only one choice is supported: leave 'n' out",
                ));
            }
            _ => return Err(ApiError::invalid("n", "'n' must be 1")),
        }
    }
    for (tools, choice) in [("tools", "tool_choice"), ("functions", "function_call")] {
        let is_free = match fields.get(choice) {
            None => true,
            Some(choice) => matches!(choice.as_str(), Some("auto" | "none")),
        };
        if !is_free {
            let message = format!("tools are not supported: leave '{choice}' out, or say \"auto\"");
            return Err(ApiError::unsupported(choice, message));
        }
        if fields.get(tools).is_some_and(|tools| !tools.is_array()) {
            return Err(ApiError::invalid(tools, format!("'{tools}' must be a list")));
        }
    }
    let is_text = |modality: &Value| modality == "text";
    let modalities = fields.get("modalities");
    let is_silent = modalities.is_none_or(|all| {
        all.as_array().is_some_and(|all| !all.is_empty() && all.iter().all(is_text))
    });
    if !is_silent || fields.get("audio").is_some() {
        let param = if is_silent { "audio" } else { "modalities" };
        return Err(ApiError::unsupported(param, "only text answers are supported, not audio"));
    }
    if fields.flag("logprobs")? || fields.get("top_logprobs").is_some_and(|top| top != 0) {
        return Err(ApiError::unsupported("logprobs", "log probabilities are not supported"));
    }
    let stops = fields.get("stop").is_some_and(|stop| {
        stop.as_str().is_some_and(|stop| !stop.is_empty())
            || stop.as_array().is_some_and(|stops| !stops.is_empty())
    });
    if stops {
        let message = "checked answers are not cut: leave 'stop' out";
        return Err(ApiError::unsupported("stop", message));
    }
    Ok(())
}
