//! Nine traps that clients of models have fallen into. Ours has a test for each, in every protocol it applies to.

use std::sync::Arc;

use fakes::{FakeModel, Say};
use models::{ChatModel, ConnectError, Connection, Form, Protocol, provider_of};
use run::entry::Hash;
use run::error::PortError;
use run::model::{ChatRequest, Model, ReplySchema};
use serde_json::{Value, json};

use crate::{
    ATTEMPTS, HALF, WAYS, WHOLE, all_ways, always, build_connection, build_request, delta_of,
    named, sse,
};

/// The providers that differ in how they are spoken to.
const PROVIDERS: [&str; 4] = ["openai", "ollama", "anthropic", "gemini"];

// proves: C3
#[tokio::test]
async fn guard_1_a_model_name_reaches_the_server_unchanged() {
    let efforts = ["max", "xhigh", "high", "medium", "low", "minimal", "none", "zero"];
    for provider in PROVIDERS {
        for name in efforts.map(|effort| format!("gull-{effort}")) {
            for streamed in WAYS {
                let server = always(Say::text(WHOLE));
                let model = named(&format!("{provider}/{name}"), &server);
                model.chat(&build_request(streamed), &()).await.unwrap();
                let seen = server.seen().remove(0);
                assert_eq!(seen.model(), name, "{provider}");
                let body = seen.body.to_string();
                assert!(!body.contains("effort") && !body.contains("thinking"), "{body}");
            }
        }
    }
}

// proves: C3
#[tokio::test]
async fn guard_2_a_base_url_may_end_in_a_slash_or_not() {
    for provider in PROVIDERS {
        for base in ["/v1/", "/v1", "/a/b/", "/a/b", "/", ""] {
            for streamed in WAYS {
                let server = always(Say::text(WHOLE));
                let base_url = server.base_url().replace("/v1/", base);
                let model =
                    ChatModel::new(build_connection(&format!("{provider}/m"), &base_url)).unwrap();
                model.chat(&build_request(streamed), &()).await.unwrap();
                let path = server.seen().remove(0).path;
                let end = match provider {
                    "anthropic" => "/messages",
                    "gemini" if streamed => "/models/m:streamGenerateContent?alt=sse",
                    "gemini" => "/models/m:generateContent",
                    _ => "/chat/completions",
                };
                assert_eq!(path, format!("{}{end}", base.trim_end_matches('/')));
            }
        }
    }
}

// proves: C3
#[tokio::test]
async fn guard_3_a_keyless_server_needs_no_key_and_gets_none() {
    for provider in ["ollama", "vllm", "llamacpp", "local"] {
        for streamed in WAYS {
            let server = always(Say::text(WHOLE));
            let name = format!("{provider}/m");
            let keyless = Connection::new(&name, Some(&server.base_url()), None).unwrap();
            let reply = ChatModel::new(keyless).unwrap().chat(&build_request(streamed), &()).await;
            assert_eq!(reply.unwrap().text, WHOLE);
            assert_eq!(server.seen()[0].header("authorization"), None);
        }
    }
    // A service that wants one is not asked without.
    for (name, variable) in [
        ("anthropic/m", "ANTHROPIC_API_KEY"),
        ("gemini/m", "GEMINI_API_KEY"),
        ("openai/m", "OPENAI_API_KEY"),
    ] {
        let refused = Connection::new(name, None, None).unwrap_err();
        assert_eq!(refused, ConnectError::NoKey { model: name.into(), variable });
        let text = refused.to_string();
        assert!(text.contains(variable) && text.contains("QUAESTIO_API_KEY"), "{text}");
    }
}

// proves: C3
#[tokio::test]
async fn guard_4_an_error_of_a_streamed_call_is_as_readable_as_any() {
    for (name, streamed) in all_ways() {
        for (status, verb) in [(400, "refused the request"), (503, "failed")] {
            let server = always(Say::error(status, "the gull is out"));
            let error = named(name, &server).chat(&build_request(streamed), &()).await.unwrap_err();
            let expected = format!("{name} {verb} with status {status}: the gull is out");
            assert_eq!(error.to_string(), expected);
        }
    }
}

// proves: C3
#[tokio::test]
async fn guard_5_a_stream_without_its_end_or_without_counts_is_never_half_a_reply() {
    for (name, streamed) in all_ways() {
        let server = always(Say::Uncounted(WHOLE.into()));
        let reply = named(name, &server).chat(&build_request(streamed), &()).await.unwrap();
        assert_eq!(reply.text, WHOLE, "the text is kept without counts");
        assert!(reply.usage.input_tokens > 0 && reply.usage.output_tokens > 0, "{:?}", reply.usage);
        let server = always(Say::Unended(HALF.into()));
        let error = named(name, &server).chat(&build_request(true), &()).await.unwrap_err();
        assert!(matches!(error, PortError::Malformed { .. }), "{error:?}");
        assert_eq!(server.seen().len(), ATTEMPTS);
    }
    // Only of servers that forget to say that they ended a whole object is taken.
    for (name, taken) in [("local/m", true), ("anthropic/m", false), ("gemini/m", false)] {
        let server = always(sse(&[&delta_of(name, WHOLE)]));
        let reply = named(name, &server).chat(&build_request(true), &()).await;
        assert_eq!(reply.is_ok(), taken, "{name}");
    }
}

// proves: C3
#[tokio::test]
async fn guard_6_ollama_is_spoken_to_through_its_openai_face() {
    let ollama = provider_of("ollama").unwrap();
    assert_eq!(
        (ollama.protocol, ollama.base_url),
        (Protocol::OpenAi, "http://localhost:11434/v1/")
    );
    let server = always(Say::text(WHOLE));
    let model = named("ollama/qwen3:8b", &server);
    model.chat(&build_request(true), &()).await.unwrap();
    let seen = server.seen().remove(0);
    assert_eq!((seen.path.as_str(), seen.model().as_str()), ("/v1/chat/completions", "qwen3:8b"));
    assert_eq!(seen.form(), "json_schema");
}

// proves: C3
#[tokio::test]
async fn guard_7_a_namespace_is_refused_and_every_model_of_openai_goes_to_one_address() {
    for name in ["openai/openai::gpt-4o", "anthropic/x::y", "gemini/::x", "local/a::"] {
        let refused = Connection::new(name, Some("http://localhost/v1"), None);
        assert!(matches!(refused, Err(ConnectError::Name { .. })), "{name}");
    }
    for name in ["gpt-4o", "gpt-5", "gpt-5-pro", "gpt-5.2-codex", "gpt-6", "o3-pro", "codex-mini"] {
        let server = always(Say::text(WHOLE));
        named(&format!("openai/{name}"), &server).chat(&build_request(true), &()).await.unwrap();
        let seen = server.seen().remove(0);
        assert_eq!((seen.path.as_str(), seen.model().as_str()), ("/v1/chat/completions", name));
    }
}

/// A schema with all that a service may stumble over.
fn difficult() -> ChatRequest {
    let schema = json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema", "title": "Verdict", "type": "object",
        "$defs": {"Note": {"type": "object", "properties": {"text": {"type": "string", "minLength": 1}},
                           "required": ["text"], "additionalProperties": false}},
        "properties": {
            "at": {"type": "string", "format": "date-time", "default": "now", "examples": ["now"]},
            "default": {"type": "boolean", "description": "A property that is called as a keyword is."},
            "score": {"type": "integer", "format": "uint8", "minimum": 1, "maximum": 10},
            "label": {"type": ["string", "null"], "enum": ["good", "bad", null]},
            "kind": {"oneOf": [{"const": "a", "type": "string"}, {"const": "b", "type": "string"}]},
            "flag": {"const": true},
            "level": {"type": "integer", "enum": [1, 2]},
            "note": {"anyOf": [{"$ref": "#/$defs/Note"}, {"type": "null"}]},
            "notes": {"type": "array", "items": {"$ref": "#/$defs/Note"}, "minItems": 2, "maxItems": 3},
            "pair": {"type": "array", "items": {"type": "number", "exclusiveMinimum": 0}, "minItems": 1, "uniqueItems": true},
        },
        "required": ["at", "default", "score", "label", "kind", "flag", "level", "note", "notes", "pair"],
        "additionalProperties": false});
    let mut request = build_request(true);
    request.schema = Some(Arc::new(reply("Verdict<Note>", schema)));
    request
}

/// A reply of this shape.
fn reply(name: &str, schema: Value) -> ReplySchema {
    let hash = Hash::of_json(&schema);
    ReplySchema { name: name.into(), bytes: schema.to_string().len(), hash, schema }
}

// proves: C3
#[tokio::test]
async fn guard_8_a_schema_is_cleaned_of_what_a_service_does_not_take() {
    for (name, forms) in [
        ("local/m", &[Form::JsonSchema][..]),
        ("anthropic/m", &[Form::JsonSchema, Form::Tool]),
        ("gemini/m", &[Form::JsonSchema, Form::OpenApiSchema]),
    ] {
        for (index, form) in forms.iter().enumerate() {
            // The fake service looks at every keyword, and refuses what the real one would.
            let server = FakeModel::start(move |seen| match seen.number > index {
                true => Say::text(WHOLE),
                false => {
                    Say::error(400, "this form of structured output is not supported: schema, tool")
                }
            });
            let model = named(name, &server);
            model.chat(&difficult(), &()).await.unwrap();
            assert_eq!((model.form(), server.seen().len()), (*form, index + 1), "{name}");
            let seen = server.seen().pop().unwrap();
            let schema = seen.schema();
            let properties = schema["properties"].as_object().unwrap();
            assert_eq!(properties.len(), 10, "{schema}");
            for key in ["$schema", "\"format\"", "\"examples\"", "oneOf", "\"now\""] {
                assert!(!schema.to_string().contains(key), "{key} in {schema} for {name}");
            }
            assert_eq!(properties["default"]["type"], "boolean", "a property is no keyword");
            let limits = properties["score"].to_string();
            assert!(limits.contains("minimum") && limits.contains("10"), "{limits}");
            for choice in ["good", "bad"] {
                assert!(properties["label"].to_string().contains(choice), "{schema}");
            }
            assert!(properties["kind"].to_string().contains("\"b\""), "{schema}");
            let note = properties["notes"].to_string();
            assert!(name == "local/m" || form == &Form::Tool || note.contains("text"), "{note}");
            assert_eq!(schema["required"].as_array().unwrap().len(), 10);
        }
    }
}

// proves: C3
#[tokio::test]
async fn guard_8_a_schema_that_holds_itself_is_sent_as_it_can_be() {
    let schema = json!({"type": "object", "required": ["parts"], "additionalProperties": false, "$defs": {
            "Part": {"type": "object", "required": ["parts"], "additionalProperties": false,
                     "properties": {"parts": {"type": "array", "items": {"$ref": "#/$defs/Part"}}}}},
        "properties": {"parts": {"type": "array", "items": {"$ref": "#/$defs/Part"}}}});
    for (name, streamed) in all_ways() {
        let mut request = build_request(streamed);
        request.schema = Some(Arc::new(reply("Tree", schema.clone())));
        let server = always(Say::text(WHOLE));
        named(name, &server).chat(&request, &()).await.unwrap();
        let seen = server.seen().remove(0);
        assert!(!seen.form().is_empty());
        let sent = seen.schema();
        assert_ne!(sent["$defs"]["Part"], Value::Null, "what is referred to is there: {sent}");
    }
}

// proves: C3
#[tokio::test]
async fn guard_9_the_limit_of_tokens_is_always_sent() {
    for name in ["openai/gpt-4o", "openai/gpt-5", "openai/o3", "local/m", "anthropic/m", "gemini/m"]
    {
        for streamed in WAYS {
            for form in 0..4 {
                let server = FakeModel::start(move |seen| match seen.number > form {
                    true => Say::text(WHOLE),
                    false => Say::error(
                        400,
                        "no structured output: response_format json_schema json_object json mode schema tool",
                    ),
                });
                // A form too far is a refusal, and was sent a limit all the same.
                let _ = named(name, &server).chat(&build_request(streamed), &()).await;
                for seen in server.seen() {
                    assert_eq!(seen.max_tokens(), Some(321), "{name}: {}", seen.body);
                }
            }
        }
    }
}
