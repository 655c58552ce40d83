//! A response as an object.

use run::log::Status;
use serde_json::{Map, Value, json};

use crate::openai::body::Format;
use crate::openai::chat::describe_run;
use crate::openai::content::Content;

/// What a response says of its request.
pub(super) struct Echo {
    /// The id of the response.
    pub(super) id: String,
    pub(super) model: String,
    pub(super) previous: Option<String>,
    pub(super) metadata: Map<String, Value>,
    pub(super) is_in_background: bool,
    pub(super) format: Format,
}

/// Returns the status of a response. A run that waits is a response that is complete: its text asks.
pub(super) fn name_status(content: &Content) -> &'static str {
    match content.status {
        Status::Queued => "queued",
        Status::Running => "in_progress",
        Status::Waiting | Status::Completed => "completed",
        Status::Partial if is_failed(content) => "failed",
        Status::Partial => "incomplete",
        Status::Cancelled => "cancelled",
    }
}

/// Returns whether a step of the run has failed for good. A run that met its budget is incomplete.
fn is_failed(content: &Content) -> bool {
    content.error.as_ref().is_some_and(|error| !error.is_capped)
}

/// Returns the item with the status lines.
pub(super) fn reasoning(run: &str, lines: &[String]) -> Value {
    json!({
        "id": format!("rs_{run}"), "type": "reasoning", "status": "completed",
        "summary": [{ "type": "summary_text", "text": lines.join("\n") }],
    })
}

pub(super) fn annotate(content: &Content) -> Vec<Value> {
    let annotation = |mut fields: Map<String, Value>| {
        fields.insert("type".into(), "url_citation".into());
        Value::Object(fields)
    };
    content.citations.iter().map(|cited| annotation(cited.fields())).collect()
}

/// Returns the item with the text.
pub(super) fn message(run: &str, content: &Content) -> Value {
    let part = json!({
        "type": "output_text", "text": content.text, "annotations": annotate(content), "logprobs": [],
    });
    let status = match content.status {
        Status::Partial | Status::Cancelled => "incomplete",
        _ => "completed",
    };
    json!({
        "id": format!("msg_{run}"), "type": "message", "role": "assistant", "status": status, "content": [part],
    })
}

/// Returns the response of a run that stands as `content` says.
pub(super) fn build(run: &str, echo: &Echo, lines: &[String], content: &Content) -> Value {
    let is_over = !matches!(content.status, Status::Queued | Status::Running);
    let mut output = Vec::new();
    if is_over {
        if !lines.is_empty() {
            output.push(reasoning(run, lines));
        }
        output.push(message(run, content));
    }
    let format = match echo.format {
        Format::Markdown => "text",
        Format::Json => "json_object",
    };
    let usage = content.cost.usage;
    let usage = is_over.then(|| {
        json!({
            "input_tokens": usage.input_tokens,
            "input_tokens_details": { "cached_tokens": usage.cached_tokens },
            "output_tokens": usage.output_tokens,
            "output_tokens_details": { "reasoning_tokens": 0 },
            "total_tokens": usage.input_tokens + usage.output_tokens,
        })
    });
    let ended = content.error.as_ref();
    let failed = ended.filter(|error| !error.is_capped);
    let error = failed.map(|error| json!({ "code": "server_error", "message": error.message }));
    // Of the reasons that the protocol knows, this one is about limits; the run's own stands in `quaestio`.
    let capped = ended.filter(|error| error.is_capped);
    let incomplete = capped.map(|_| json!({ "reason": "max_output_tokens" }));
    json!({
        "id": echo.id, "object": "response", "created_at": content.created,
        "status": name_status(content), "background": echo.is_in_background, "error": error,
        "incomplete_details": incomplete, "instructions": null, "max_output_tokens": null,
        "metadata": echo.metadata, "model": echo.model, "output": output, "parallel_tool_calls": false,
        "previous_response_id": echo.previous, "reasoning": { "effort": null, "summary": null }, "store": true,
        "temperature": null, "text": { "format": { "type": format } }, "tool_choice": "none", "tools": [],
        "top_p": null, "truncation": "disabled", "usage": usage,
        "quaestio": describe_run(run, content),
    })
}
