//! The protocols, and what they share. Each one writes requests and folds the responses into an [`Answer`].

use std::borrow::Cow;

use reqwest::Url;
use serde_json::Value;

use run::error::PortError;
use run::model::{ChatRequest, ReplySchema, Turn};
use transport::Service;

use crate::answer::Answer;
use crate::{ConnectError, Connection, Structured, anthropic, gemini, http, openai, schema};

/// The protocol that a server speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Protocol {
    /// Chat completions, as spoken by OpenAI and most other servers.
    #[default]
    OpenAi,
    /// Anthropic's Messages.
    Anthropic,
    /// Gemini's `generateContent`.
    Gemini,
}

/// A form of structured output.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// The server constrains the reply to the JSON Schema.
    JsonSchema,
    /// The server constrains the reply to the schema in its OpenAPI form.
    OpenApiSchema,
    /// The reply is the input of a tool that the model must call.
    Tool,
    /// The server constrains the reply to JSON; the schema is in the prompt.
    JsonMode,
    /// The schema is only in the prompt.
    Prompt,
}

/// How much a model may think before it answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub(crate) enum Thinking {
    /// Not at all: `max_tokens` is for the reply.
    Off,
    /// As little as it can.
    Least,
    /// By its own default.
    Unsaid,
}

/// The object that a reply must be, and the form in which it is requested.
#[derive(Clone, Copy)]
pub(crate) struct Object<'a> {
    pub(crate) form: Form,
    pub(crate) schema: &'a ReplySchema,
}

impl Asked<'_> {
    /// Returns whether a structured reply is requested in this form.
    pub(crate) fn is_in(&self, form: Form) -> bool {
        self.object.is_some_and(|object| object.form == form)
    }
}

/// The contents of one request.
pub(crate) struct Asked<'a> {
    /// The model's name at its provider.
    pub(crate) name: &'a str,
    pub(crate) request: &'a ChatRequest,
    /// `None` if the reply is prose.
    pub(crate) object: Option<Object<'a>>,
    /// `None` if the model takes none.
    pub(crate) temperature: Option<f64>,
    pub(crate) thinking: Thinking,
}

impl Protocol {
    pub fn name(self) -> &'static str {
        match self {
            Protocol::OpenAi => "OpenAI chat completions",
            Protocol::Anthropic => "Anthropic Messages",
            Protocol::Gemini => "Gemini generateContent",
        }
    }

    /// Returns the forms of structured output, best first; the last cannot be refused.
    pub(crate) fn forms(self) -> &'static [Form] {
        match self {
            Protocol::OpenAi => &[Form::JsonSchema, Form::JsonMode, Form::Prompt],
            Protocol::Anthropic => &[Form::JsonSchema, Form::Tool, Form::Prompt],
            Protocol::Gemini => {
                &[Form::JsonSchema, Form::OpenApiSchema, Form::JsonMode, Form::Prompt]
            }
        }
    }

    /// Returns the index of the form to start with.
    pub(crate) fn first_form(self, structured: Structured) -> u8 {
        let last = self.forms().len().saturating_sub(1);
        let index = match structured {
            Structured::Schema => 0,
            Structured::Json => last.saturating_sub(1),
            Structured::Prompt => last,
        };
        index as u8
    }

    /// Returns how much the model `name` may think at first, and whether it accepts a temperature.
    pub(crate) fn habits(self, name: &str) -> (Thinking, bool) {
        match self {
            Protocol::OpenAi => (Thinking::Unsaid, !openai::is_reasoning_model(name)),
            Protocol::Anthropic => anthropic::habits(name),
            Protocol::Gemini => gemini::habits(name),
        }
    }

    /// Returns the URL for requests to the model `name`.
    pub(crate) fn url(
        self,
        connection: &Connection,
        name: &str,
        streamed: bool,
    ) -> Result<Url, ConnectError> {
        match self {
            Protocol::OpenAi => http::url(connection, &["chat", "completions"]),
            Protocol::Anthropic => http::url(connection, &["messages"]),
            Protocol::Gemini => gemini::url(connection, name, streamed),
        }
    }

    /// Returns the request body.
    pub(crate) fn body(self, asked: &Asked<'_>) -> Result<Vec<u8>, serde_json::Error> {
        match self {
            Protocol::OpenAi => openai::body(asked),
            Protocol::Anthropic => anthropic::body(asked),
            Protocol::Gemini => gemini::body(asked),
        }
    }

    /// Reads a reply that came whole into `answer`; returns its text.
    pub(crate) fn take_whole(
        self,
        answer: &mut Answer,
        service: Service<'_>,
        body: &[u8],
        content_type: &str,
    ) -> Result<String, PortError> {
        let body: Value = serde_json::from_slice(body)
            .map_err(|cause| service.not_json(body, content_type, &cause))?;
        if let Some(error) = error_of(&body) {
            return Err(service.in_band(error));
        }
        let text = match self {
            Protocol::OpenAi => openai::take(answer, &body, "/choices/0/message"),
            Protocol::Anthropic => anthropic::take_whole(answer, &body),
            Protocol::Gemini => gemini::take_whole(answer, service, &body)?,
        };
        text.ok_or_else(|| service.malformed("JSON of another shape"))
    }

    /// Reads a stream event into `answer`; returns its text.
    pub(crate) fn take_piece(
        self,
        answer: &mut Answer,
        service: Service<'_>,
        event: &[u8],
    ) -> Result<String, PortError> {
        if self == Protocol::OpenAi && event == b"[DONE]" {
            answer.done = true;
            return Ok(String::new());
        }
        let event: Value = serde_json::from_slice(event)
            .map_err(|cause| service.malformed(&format!("a stream that is not JSON: {cause}")))?;
        if let Some(error) = error_of(&event) {
            return Err(service.in_band(error));
        }
        let text = match self {
            Protocol::OpenAi => openai::take(answer, &event, "/choices/0/delta"),
            Protocol::Anthropic => anthropic::take_piece(answer, &event),
            Protocol::Gemini => gemini::take(answer, service, &event)?,
        };
        Ok(text.unwrap_or_default())
    }

    /// Returns whether every server of this protocol says how a reply ended, so that a reply that does not say so was cut short.
    pub(crate) fn always_ends(self) -> bool {
        self != Protocol::OpenAi
    }
}

fn error_of(body: &Value) -> Option<&Value> {
    // Without `alt=sse`, Gemini returns a list.
    let body = body.get(0).unwrap_or(body);
    body.get("error").filter(|error| !error.is_null())
}

impl Form {
    pub fn name(self) -> &'static str {
        match self {
            Form::JsonSchema => "JSON Schema",
            Form::OpenApiSchema => "OpenAPI schema",
            Form::Tool => "forced tool use",
            Form::JsonMode => "JSON mode",
            Form::Prompt => "schema in the prompt",
        }
    }

    /// Returns the words that mark a refusal of this form and not of the request.
    pub(crate) fn words(self) -> &'static [&'static str] {
        match self {
            Form::JsonSchema | Form::OpenApiSchema => &[
                "response_format",
                "json_schema",
                "json_object",
                "structured output",
                "guided",
                "grammar",
                "output_config",
                "output_format",
                "schema",
                "response_mime",
                "responsemime",
                "json mode",
            ],
            Form::Tool => &["tool", "input_schema"],
            Form::JsonMode => &[
                "response_format",
                "json_object",
                "structured output",
                "guided",
                "grammar",
                "response_mime",
                "responsemime",
                "json mode",
            ],
            Form::Prompt => &[],
        }
    }
}

/// Returns the system prompt, including the schema if nothing else carries it.
pub(crate) fn system<'a>(asked: &Asked<'a>) -> Cow<'a, str> {
    let request = asked.request;
    match asked.object {
        Some(Object { form: Form::JsonMode | Form::Prompt, schema }) => Cow::Owned(format!(
            "{}\n\nAnswer with one JSON object and nothing else. It must fit this JSON Schema:\n{}",
            request.system,
            schema::in_order(&schema.schema)
        )),
        _ => Cow::Borrowed(&request.system),
    }
}

/// Returns the turns with text; some services refuse empty ones.
pub(crate) fn spoken(request: &ChatRequest) -> impl Iterator<Item = &Turn> {
    request.turns.iter().filter(|turn| !turn.text.trim().is_empty())
}

/// Returns the schema's name in the form that services accept: letters, digits, `_` and `-`, at most 64.
pub(crate) fn schema_name(name: &str) -> String {
    let allowed = |c: char| if c.is_ascii_alphanumeric() || c == '-' { c } else { '_' };
    let name: String = name.chars().take(64).map(allowed).collect();
    if name.is_empty() { "reply".into() } else { name }
}
