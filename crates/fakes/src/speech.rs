//! The three protocols from the server's side.
//!
//! The replies follow the providers' documentation; none was recorded.

use serde_json::{Value, json};

use crate::{Asks, Seen, USAGE};

/// The protocol of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Speech {
    OpenAi,
    Anthropic,
    Gemini,
}

/// A reply in progress.
pub(crate) struct Reply<'a> {
    pub(crate) seen: &'a Seen,
    pub(crate) finish: &'a str,
    pub(crate) counted: bool,
}

impl Reply<'_> {
    /// Returns the complete reply.
    pub(crate) fn whole(&self, text: &str) -> String {
        let finish = self.finish();
        let body = match self.seen.speech() {
            Speech::OpenAi => {
                let message = json!({"role": "assistant", "content": text, "refusal": null});
                json!({"id": "chatcmpl-1", "object": "chat.completion", "created": 1, "model": "fake",
                       "choices": [{"index": 0, "message": message, "finish_reason": finish, "logprobs": null}],
                       "usage": self.usage()})
            }
            Speech::Anthropic => {
                let input = serde_json::from_str::<Value>(text).ok().filter(Value::is_object);
                let block = match input.filter(|_| self.seen.form() == "tool") {
                    Some(input) => {
                        json!({"type": "tool_use", "id": "toolu_1", "name": "answer", "input": input})
                    }
                    None => json!({"type": "text", "text": text}),
                };
                let mut body = json!({"id": "msg_1", "type": "message", "role": "assistant", "model": "fake",
                       "content": [block], "stop_reason": finish, "stop_sequence": null});
                if self.counted {
                    body["usage"] = self.usage();
                }
                body
            }
            Speech::Gemini => self.gemini(text, Some(&finish)),
        };
        body.to_string()
    }

    /// Returns the events before the first word.
    pub(crate) fn head(&self) -> String {
        match self.seen.speech() {
            Speech::OpenAi => {
                self.openai(&json!({"role": "assistant", "content": ""}), None, &Value::Null)
            }
            Speech::Anthropic => {
                let mut usage = self.usage();
                if self.counted {
                    usage["output_tokens"] = json!(1);
                }
                let mut message = json!({"id": "msg_1", "type": "message", "role": "assistant", "model": "fake",
                    "content": [], "stop_reason": null, "stop_sequence": null});
                if self.counted {
                    message["usage"] = usage;
                }
                let block = if self.seen.form() == "tool" {
                    json!({"type": "tool_use", "id": "toolu_1", "name": "answer", "input": {}})
                } else {
                    json!({"type": "text", "text": ""})
                };
                event(&json!({"type": "message_start", "message": message}))
                    + &event(
                        &json!({"type": "content_block_start", "index": 0, "content_block": block}),
                    )
                    + &event(&json!({"type": "ping"}))
            }
            Speech::Gemini => String::new(),
        }
    }

    /// Returns the event with these words.
    pub(crate) fn piece(&self, text: &str) -> String {
        match self.seen.speech() {
            Speech::OpenAi => self.openai(&json!({"content": text}), None, &Value::Null),
            Speech::Anthropic => {
                let delta = if self.seen.form() == "tool" {
                    json!({"type": "input_json_delta", "partial_json": text})
                } else {
                    json!({"type": "text_delta", "text": text})
                };
                event(&json!({"type": "content_block_delta", "index": 0, "delta": delta}))
            }
            Speech::Gemini => event(&self.gemini(text, None)),
        }
    }

    /// Returns the events after the last word, including the end mark.
    pub(crate) fn end(&self) -> String {
        let finish = self.finish();
        match self.seen.speech() {
            Speech::OpenAi => {
                self.openai(&json!({}), Some(&finish), &self.usage()) + "data: [DONE]\n\n"
            }
            Speech::Anthropic => {
                let mut delta = json!({"type": "message_delta", "delta": {"stop_reason": finish, "stop_sequence": null}});
                if self.counted {
                    delta["usage"] = json!({"output_tokens": USAGE.2});
                }
                event(&json!({"type": "content_block_stop", "index": 0}))
                    + &event(&delta)
                    + &event(&json!({"type": "message_stop"}))
            }
            Speech::Gemini => event(&self.gemini("", Some(&finish))),
        }
    }

    /// Returns the finish reason in the protocol's own term; one unknown to OpenAI stays as it is.
    fn finish(&self) -> String {
        let own = match (self.seen.speech(), self.finish) {
            (Speech::Anthropic, "stop") if self.seen.form() == "tool" => "tool_use",
            (Speech::Anthropic, "stop") => "end_turn",
            (Speech::Anthropic, "length") => "max_tokens",
            (Speech::Anthropic, "content_filter") => "refusal",
            (Speech::Gemini, "stop") => "STOP",
            (Speech::Gemini, "length") => "MAX_TOKENS",
            (Speech::Gemini, "content_filter") => "SAFETY",
            (_, finish) => finish,
        };
        own.to_owned()
    }

    /// Returns [`USAGE`] in the protocol's form.
    fn usage(&self) -> Value {
        let (input, cached, output) = USAGE;
        if !self.counted {
            return Value::Null;
        }
        match self.seen.speech() {
            Speech::OpenAi => {
                json!({"prompt_tokens": input, "completion_tokens": output, "total_tokens": input + output,
                       "prompt_tokens_details": {"cached_tokens": cached}})
            }
            // Input tokens exclude tokens read from or written to the cache.
            Speech::Anthropic => {
                json!({"input_tokens": input - cached - 10, "cache_creation_input_tokens": 10,
                       "cache_read_input_tokens": cached, "output_tokens": output})
            }
            // Prompt tokens include those read from the cache; candidate tokens exclude thoughts.
            Speech::Gemini => {
                json!({"promptTokenCount": input, "cachedContentTokenCount": cached,
                       "candidatesTokenCount": output - 5, "thoughtsTokenCount": 5,
                       "totalTokenCount": input + output})
            }
        }
    }

    fn openai(&self, delta: &Value, finish: Option<&str>, usage: &Value) -> String {
        event(
            &json!({"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1, "model": "fake",
                      "choices": [{"index": 0, "delta": delta, "finish_reason": finish}], "usage": usage}),
        )
    }

    fn gemini(&self, text: &str, finish: Option<&str>) -> Value {
        let mut candidate =
            json!({"index": 0, "content": {"role": "model", "parts": [{"text": text}]}});
        if let Some(finish) = finish {
            candidate["finishReason"] = json!(finish);
        }
        let mut body =
            json!({"candidates": [candidate], "modelVersion": "fake", "responseId": "r1"});
        if self.counted {
            body["usageMetadata"] = self.usage();
        }
        body
    }
}

fn event(data: &Value) -> String {
    // Anthropic names its events; clients that ignore names must cope with that.
    match data["type"].as_str() {
        Some(name) => format!("event: {name}\ndata: {data}\n\n"),
        None => format!("data: {data}\n\n"),
    }
}

/// Returns an error in the protocol's own form.
pub(crate) fn error(speech: Speech, status: u16, message: &str) -> String {
    let body = match speech {
        Speech::OpenAi => json!({"error": {"message": message, "type": "error"}}),
        Speech::Anthropic => {
            let kind = match status {
                400 | 422 => "invalid_request_error",
                401 => "authentication_error",
                402 => "billing_error",
                403 => "permission_error",
                404 => "not_found_error",
                413 => "request_too_large",
                429 => "rate_limit_error",
                504 => "timeout_error",
                529 => "overloaded_error",
                _ => "api_error",
            };
            json!({"type": "error", "error": {"type": kind, "message": message}, "request_id": "req_1"})
        }
        Speech::Gemini => {
            let name = match status {
                400 | 422 => "INVALID_ARGUMENT",
                401 => "UNAUTHENTICATED",
                403 => "PERMISSION_DENIED",
                404 => "NOT_FOUND",
                429 => "RESOURCE_EXHAUSTED",
                503 => "UNAVAILABLE",
                504 => "DEADLINE_EXCEEDED",
                _ => "INTERNAL",
            };
            json!({"error": {"code": status, "message": message, "status": name}})
        }
    };
    body.to_string()
}

/// Returns a list of models in the protocol's form, one model per page if it has pages.
pub(crate) fn models(seen: &Seen, names: &[String]) -> String {
    let speech = seen.speech();
    let asked_after = |name: &str| {
        let after = seen.path.split(['?', '&']).find_map(|pair| pair.strip_prefix(name));
        after.and_then(|after| names.iter().position(|name| name == after)).map_or(0, |at| at + 1)
    };
    let body = match speech {
        Speech::OpenAi => {
            let models: Vec<Value> = names
                .iter()
                .map(
                    |name| json!({"id": name, "object": "model", "created": 1, "owned_by": "fake"}),
                )
                .collect();
            json!({"object": "list", "data": models})
        }
        Speech::Anthropic => {
            let at = asked_after("after_id=");
            let page: Vec<Value> = names
                .iter()
                .skip(at)
                .take(1)
                .map(|name| json!({"type": "model", "id": name, "display_name": name, "created_at": "2026-01-01T00:00:00Z"}))
                .collect();
            json!({"data": page, "has_more": at + 1 < names.len(), "first_id": names.get(at), "last_id": names.get(at)})
        }
        Speech::Gemini => {
            let at = asked_after("pageToken=");
            let page: Vec<Value> = names
                .iter()
                .skip(at)
                .take(1)
                .map(|name| json!({"name": format!("models/{name}"), "displayName": name,
                                   "supportedGenerationMethods": ["generateContent", "countTokens"]}))
                .collect();
            let mut body = json!({"models": page});
            if at + 1 < names.len() {
                body["nextPageToken"] = json!(names[at]);
            }
            body
        }
    };
    body.to_string()
}

/// Returns vectors with `dimensions` numbers for the texts of the request, last text first: `index` gives the order.
pub(crate) fn vectors(seen: &Seen, dimensions: usize) -> String {
    let inputs = match &seen.body["input"] {
        Value::Array(inputs) => inputs.clone(),
        input => vec![input.clone()],
    };
    let in_base64 = seen.body["encoding_format"] == "base64";
    let mut data: Vec<Value> = inputs
        .iter()
        .enumerate()
        .map(|(index, input)| {
            let vector = crate::vector(input.as_str().unwrap_or_default(), dimensions);
            let embedding =
                if in_base64 { json!(crate::vectors::base64(&vector)) } else { json!(vector) };
            json!({"object": "embedding", "index": index, "embedding": embedding})
        })
        .collect();
    data.reverse();
    json!({"object": "list", "data": data, "model": "fake", "usage": {"prompt_tokens": 8, "total_tokens": 8}})
        .to_string()
}

/// Returns the protocol and the kind of a request by its path or, if ambiguous, by the header with the key.
pub(crate) fn of(seen: &Seen) -> (Speech, Asks) {
    let path = seen.path.split('?').next().unwrap_or_default();
    if path.ends_with(":generateContent") || path.ends_with(":streamGenerateContent") {
        (Speech::Gemini, Asks::Chat)
    } else if path.ends_with("/messages") {
        (Speech::Anthropic, Asks::Chat)
    } else if path.ends_with("/embeddings") {
        (Speech::OpenAi, Asks::Vectors)
    } else if path.ends_with("/models") {
        let speech = if seen.header("x-goog-api-key").is_some() {
            Speech::Gemini
        } else if seen.header("anthropic-version").is_some() {
            Speech::Anthropic
        } else {
            Speech::OpenAi
        };
        (speech, Asks::Models)
    } else {
        (Speech::OpenAi, Asks::Chat)
    }
}
